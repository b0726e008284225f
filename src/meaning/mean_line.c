/* One line of text for an instruction: what it makes, or what it does to memory ("y[i] = v2"). The
 * text of a made value is the value's own definition, with the ids and names of others; halves of
 * 64-bit values show the whole. */
#include "meaning/mean_internal.h"

#include "base/str.h"

#include <string.h>

static graph_id whole_of(const struct graph *g, const struct graph_def *def)
{
    const struct graph_node *n = graph_at(g, def->node);
    if (def->wide != GRAPH_NIL)
        return def->wide;
    return (n->kind == UOP_LO || n->kind == UOP_HI) ? n->arg[0] : def->node;
}

/* Number format in which the users of a register take it: a constant says nothing by itself. */
static unsigned reader_of_def(struct mean *m, uint32_t insn, const struct graph_def *def)
{
    enum mean_kind kind = KIND_UNKNOWN;
    const struct graph *g = m->g;
    if (graph_at(g, def->node)->kind != UOP_CONST)
        return UOP_VOID;
    for (size_t i = 0; i < g->uses.n && kind == KIND_UNKNOWN; i++) {
        const struct graph_use *use = &g->uses.p[i];
        bool ours = false;
        for (uint32_t k = 0; k < use->def_count; k++)
            ours |= g->defs.p[use->defs[k]].insn == insn && use->reg == def->reg && use->file == def->file;
        if (!ours)
            continue;
        if (use->node != def->node) /* read merged with what another path wrote */
            kind = mean_kind_made(m, use->node, 0);
        const struct graph_insn *reader = &g->insns.p[use->insn];
        const struct uop_list *l = g->input.insns[reader->input].uops;
        for (size_t k = 0; k < l->ops.n; k++) {
            const struct uop *u = &l->ops.p[k];
            bool takes = false;
            for (unsigned a = 0; a < UOP_MAX_ARGS; a++)
                if (u->arg[a] != UOP_NONE && u->arg[a] < l->ops.n) {
                    const struct uop *from = &l->ops.p[u->arg[a]];
                    takes |= from->kind == UOP_READ && from->file == def->file && from->reg == def->reg;
                }
            if (takes && u->kind >= UOP_FLT && u->type >= UOP_F16 && u->kind != UOP_I2F && u->kind <= UOP_TANH)
                return u->type;
        }
        for (uint32_t d = reader->first_def; d < reader->first_def + reader->def_count; d++)
            if (graph_at(g, g->defs.p[d].node)->kind == UOP_SELECT)
                kind = mean_kind_of(m, g->defs.p[d].node);
        for (uint32_t x = reader->first_access; x < reader->first_access + reader->access_count; x++) {
            const struct graph_access *access = &g->accesses.p[x];
            struct graph_affine f;
            int at = mean_array_of(m, access->address, (enum uop_space)access->space, &f);
            if (at >= 0 && access->kind == GRAPH_STORE && m->work->arrays[at].declared && access->value[0] == use->node)
                kind = m->work->arrays[at].kind;
        }
    }
    if (kind == KIND_UNKNOWN && def->merged != def->node)
        kind = mean_kind_made(m, def->merged, 0);
    return mean_kind_is_float(kind) ? mean_kind_type(kind) : UOP_B32;
}

static const char *store_text(struct mean *m, const struct graph_access *x)
{
    enum uop_space space = (enum uop_space)x->space;
    const char *where = mean_element(m, x->address, space, x->width, false);
    struct graph_affine f;
    int at = mean_array_of(m, x->address, space, &f);
    unsigned as = UOP_VOID;
    if (at >= 0 && m->work->arrays[at].declared)
        as = mean_kind_type(m->work->arrays[at].kind);
    unsigned words = x->width <= 4 ? 1 : x->width / 4u;
    graph_id value = x->value[0];
    if (words == 2 && x->value[1] != GRAPH_NIL) { /* one 64-bit value, or two words */
        graph_id pair = graph_op2(m->g, UOP_PAIR, UOP_B64, x->value[0], x->value[1]);
        if (graph_at(m->g, pair)->kind != UOP_PAIR) {
            value = pair;
            words = 1;
        }
    } else if (words == 2) {
        words = 1;
    }
    if (words == 1) {
        unsigned bits = value == GRAPH_NIL ? 0 : uop_type_bits((enum uop_type)graph_at(m->g, value)->type);
        bool fits = as != UOP_VOID && bits == uop_type_bits((enum uop_type)as);
        return mean_piece(m, PREC_TERNARY, "%s = %s", where,
                          mean_expr(m, value, fits ? (enum uop_type)as : UOP_VOID, MEAN_INNER))
            .p;
    }
    struct strbuf b;
    str_init(&b, m->a);
    str_addf(&b, "%s = {", where);
    for (unsigned w = 0; w < words && w < 4; w++)
        str_addf(&b, "%s%s", w ? ", " : "", mean_expr(m, x->value[w], as == UOP_F32 ? UOP_F32 : UOP_VOID, MEAN_INNER));
    str_addc(&b, '}');
    return b.p;
}

static const char *atomic_line(struct mean *m, const struct graph_insn *n, const struct graph_access *x)
{
    static const char *const names[] = {"Add", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor", "Exch", "CAS"};
    const struct uop_list *l = m->g->input.insns[n->input].uops;
    const char *name = "";
    enum uop_type type = UOP_B32;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_ATOM || l->ops.p[i].kind == UOP_RED) {
            name = l->ops.p[i].imm < sizeof names / sizeof names[0] ? names[l->ops.p[i].imm] : "";
            type = (enum uop_type)l->ops.p[i].type;
        }
    struct strbuf b;
    str_init(&b, m->a);
    str_addf(&b, "atomic%s(%s", name, mean_element(m, x->address, (enum uop_space)x->space, x->width, true));
    for (unsigned w = 0; w < 2 && x->value[w] != GRAPH_NIL; w++)
        str_addf(&b, ", %s", mean_expr(m, x->value[w], type, MEAN_INNER));
    str_addc(&b, ')');
    return b.p;
}

/* The address an access takes from this def, or NIL. */
static const struct graph_access *addressed_by(const struct graph *g, uint32_t def)
{
    for (size_t u = 0; u < g->uses.n; u++) {
        const struct graph_use *use = &g->uses.p[u];
        for (uint32_t k = 0; k < use->def_count; k++) {
            const struct graph_insn *reader = &g->insns.p[use->insn];
            if (use->defs[k] == def && reader->access_count > 0)
                return &g->accesses.p[reader->first_access];
        }
    }
    return NULL;
}

static const char *address_text(struct mean *m, uint32_t def)
{
    const struct graph *g = m->g;
    graph_id node = g->defs.p[def].node, whole = whole_of(g, &g->defs.p[def]);
    if (graph_at(g, whole)->type == UOP_B64 && mean_is_pointer(m, whole))
        return mean_element(m, whole, UOP_GLOBAL, 0, true);
    const struct graph_access *x = addressed_by(g, def);
    for (size_t i = 0; i < g->accesses.n; i++) /* the address itself, of 32 bits */
        if (g->accesses.p[i].address == node)
            return mean_element(m, node, (enum uop_space)g->accesses.p[i].space, g->accesses.p[i].width, true);
    /* A half of an address whose other half another instruction makes: known by who reads both. */
    if (x && x->space != UOP_SHARED && x->space != UOP_LOCAL && whole == node)
        return mean_element(m, x->address, (enum uop_space)x->space, x->width, true);
    return mean_definition(m, whole, UOP_VOID, MEAN_INNER);
}

/* All results of an instruction that brings words in: "x", "lo, hi". */
static const char *words_text(struct mean *m, uint32_t insn)
{
    const struct graph *g = m->g;
    const struct graph_insn *n = &g->insns.p[insn];
    struct strbuf b;
    str_init(&b, m->a);
    graph_id last = GRAPH_NIL;
    for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++) {
        const struct graph_def *def = &g->defs.p[d];
        graph_id whole = whole_of(g, def);
        const struct mean_param *p = mean_param_of(m, whole);
        /* One 64-bit read of two small parameters is two values. */
        bool split =
            graph_at(g, whole)->kind == UOP_CBANK && graph_at(g, whole)->type == UOP_B64 && !(p && p->size >= 8);
        graph_id shown = split && graph_at(g, def->node)->kind == UOP_CBANK ? def->node : whole;
        if (shown == last)
            continue;
        last = shown;
        unsigned as = reader_of_def(m, insn, def);
        str_addf(&b, "%s%s", b.n ? ", " : "", mean_expr(m, shown, (enum uop_type)as, MEAN_INNER));
    }
    return b.n ? b.p : NULL;
}

const char *mean_insn_expr(struct mean *m, uint32_t insn, enum mean_role role)
{
    const struct graph *g = m->g;
    const struct graph_insn *n = &g->insns.p[insn];
    const struct graph_access *access = n->access_count ? &g->accesses.p[n->first_access] : NULL;
    switch (role) {
    case MEAN_ROLE_EARLY_EXIT:
    case MEAN_ROLE_EXIT:
    case MEAN_ROLE_BRANCH:
    case MEAN_ROLE_CALL:
    case MEAN_ROLE_RETURN:
    case MEAN_ROLE_BARRIER:
    case MEAN_ROLE_RECONVERGENCE:
    case MEAN_ROLE_FENCE:
    case MEAN_ROLE_DESCRIPTOR:
    case MEAN_ROLE_PADDING:
    case MEAN_ROLE_UNKNOWN: return NULL;
    case MEAN_ROLE_LOAD:
    case MEAN_ROLE_REFILL:
        if (access)
            return mean_element(m, access->address, (enum uop_space)access->space, access->width, false);
        break;
    case MEAN_ROLE_STORE:
    case MEAN_ROLE_SPILL: return access ? store_text(m, access) : NULL;
    case MEAN_ROLE_ATOMIC: return access ? atomic_line(m, n, access) : NULL;
    case MEAN_ROLE_SPECIAL_REGISTER:
    case MEAN_ROLE_PARAMETER:
    case MEAN_ROLE_CONSTANT: return words_text(m, insn);
    default: break;
    }
    uint32_t chosen = UINT32_MAX;
    for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++) {
        bool general = g->defs.p[d].file == UOP_FILE_R || g->defs.p[d].file == UOP_FILE_UR;
        bool better = chosen == UINT32_MAX ||
                      (general && g->defs.p[chosen].file != UOP_FILE_R && g->defs.p[chosen].file != UOP_FILE_UR);
        if (better)
            chosen = d;
    }
    if (chosen == UINT32_MAX)
        return NULL;
    graph_id node = g->defs.p[chosen].node, whole = whole_of(g, &g->defs.p[chosen]);
    switch (role) {
    case MEAN_ROLE_ADDRESS: return address_text(m, chosen);
    case MEAN_ROLE_STACK:
    case MEAN_ROLE_MOVE: return mean_expr(m, whole, UOP_VOID, MEAN_INNER);
    case MEAN_ROLE_INDEX: {
        uint32_t at;
        graph_id shown = map_u64_get(&m->name_of, node, &at) ? node : whole;
        return mean_expr(m, shown, UOP_VOID, MEAN_INNER);
    }
    default: return mean_definition(m, whole, UOP_VOID, MEAN_INNER);
    }
}
