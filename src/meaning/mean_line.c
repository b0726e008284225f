/* One line of text for an instruction: what it makes, or what it does to memory ("y[i] = v2"). The
 * text of a made value is the value's own definition, with the ids and names of others; halves of
 * 64-bit values show the whole. */
#include "meaning/mean_print.h"

#include "base/str.h"
#include "graph/graph_depend.h"

#include <string.h>

static graph_id low_part(struct mean *m, graph_id id, unsigned bits, unsigned depth)
{
    enum { PART_DEPTH = 6 };
    const struct graph_node n = *graph_at(m->g, id);
    unsigned width = uop_type_bits((enum uop_type)n.type);
    if (width <= bits)
        return id;
    if (depth > PART_DEPTH)
        return GRAPH_NIL;
    switch (n.kind) {
    case UOP_ZEXT:
    case UOP_SEXT: return n.imm >= bits ? low_part(m, n.arg[0], bits, depth + 1) : GRAPH_NIL;
    case UOP_PAIR: return width == 2 * bits ? n.arg[0] : GRAPH_NIL;
    case UOP_PRMT: { /* one half of a word moved down */
        uint64_t selector;
        if (bits != 16 || n.imm != 0 || !graph_is_const(m->g, n.arg[1], &selector))
            return GRAPH_NIL;
        graph_id from = selector & 4 ? n.arg[2] : n.arg[0];
        bool low = (selector & 0xff) == 0x10 || (selector & 0xff) == 0x54;
        bool high = (selector & 0xff) == 0x32 || (selector & 0xff) == 0x76;
        if (low)
            return low_part(m, from, bits, depth + 1);
        return high ? graph_op1(m->g, UOP_HI, UOP_B16, from) : GRAPH_NIL;
    }
    case UOP_LOAD: return n.width * 8u == bits ? id : GRAPH_NIL;
    case UOP_SELECT: {
        graph_id a = low_part(m, n.arg[1], bits, depth + 1), b = low_part(m, n.arg[2], bits, depth + 1);
        if (bits != 16 || a == GRAPH_NIL || b == GRAPH_NIL)
            return GRAPH_NIL;
        graph_id arms[2] = {a, b};
        for (unsigned i = 0; i < 2; i++)
            if (graph_at(m->g, arms[i])->kind == UOP_LOAD)
                arms[i] = graph_op1(m->g, UOP_LO, UOP_B16, arms[i]);
        struct uop like = {.kind = UOP_SELECT, .type = UOP_B16, .flags = n.flags & UOP_SWAPPED};
        return graph_pure(m->g, &like, (graph_id[]){n.arg[0], arms[0], arms[1]}, 3);
    }
    default: return GRAPH_NIL;
    }
}

graph_id mean_stored_value(struct mean *m, graph_id value, unsigned width)
{
    graph_id part = width == 1 || width == 2 ? low_part(m, value, width * 8, 0) : GRAPH_NIL;
    return part != GRAPH_NIL ? part : value;
}

/* Every value the node can have is one of an element of so many bits: the store takes nothing away. */
static bool is_narrow(struct mean *m, graph_id node, unsigned bits, bool is_signed, unsigned depth)
{
    enum { NARROW_DEPTH = 6 };
    const struct graph_node n = *graph_at(m->g, node);
    int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    struct graph_range range;
    switch (n.kind) {
    case UOP_LOAD: return n.width * 8u < bits || (n.width * 8u == bits && !(n.flags & UOP_SIGNED) == !is_signed);
    case UOP_SEXT: return is_signed ? n.imm <= bits : false;
    case UOP_ZEXT: return is_signed ? n.imm < bits : n.imm <= bits;
    case UOP_SELECT:
        return depth < NARROW_DEPTH && is_narrow(m, n.arg[1], bits, is_signed, depth + 1) &&
               is_narrow(m, n.arg[2], bits, is_signed, depth + 1);
    default: break;
    }
    return graph_range_of(m->g, node, &range) && range.lo >= least && range.hi <= most;
}

const char *mean_stored_text(struct mean *m, const struct graph_access *x, graph_id node, const char *text)
{
    const struct graph_node *n = graph_at(m->g, node);
    struct mean_address address;
    struct mean_array declared;
    bool pointer, bits = n->type == UOP_B32 && !(n->kind == UOP_LOAD && n->width <= x->width) && n->kind != UOP_CONST;
    if (node < m->g->nodes.n && x->width == 2 && uop_type_bits(graph_type_of(m->g, graph_reads(m->g, node))) == 16)
        return text; /* a number of 16 bits in a word */
    if (!text || x->width >= 4 || !bits ||
        !mean_address_of(m, x->address, (enum uop_space)x->space, x->width, &address))
        return text;
    const char *type = x->width == 1 ? "char" : "short";
    if (address.param >= 0 && mean_declared(m->params[address.param].type, &declared, &pointer) && pointer &&
        mean_kind_bits(declared.kind) == x->width * 8u) {
        bool is_signed = !mean_kind_is_unsigned(declared.kind);
        if (mean_kind_is_float(declared.kind) || is_narrow(m, node, x->width * 8u, is_signed, 0))
            return text;
        type = mean_print_integer_type(x->width * 8u, is_signed);
    }
    bool operators = false;
    int depth = 0;
    for (const char *p = text; *p; p++) {
        depth += *p == '(' || *p == '[' ? 1 : *p == ')' || *p == ']' ? -1 : 0;
        operators |= depth == 0 && *p == ' ' && p[1] != '\0' && p[-1] != ',';
    }
    return arena_printf(m->a, operators ? "(%s)(%s)" : "(%s)%s", type, text);
}

static const char *store_text(struct mean *m, const struct graph_access *x)
{
    enum uop_space space = (enum uop_space)x->space;
    const char *where = mean_element(m, x->address, space, x->width, false);
    struct graph_affine f;
    int at = mean_array_of(m, x->address, space, &f);
    unsigned as = UOP_VOID;
    if (at >= 0 && m->work->arrays[at].kind != KIND_UNKNOWN)
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
        if (value != GRAPH_NIL)
            value = mean_stored_value(m, value, x->width);
        unsigned bits = value == GRAPH_NIL ? 0 : uop_type_bits((enum uop_type)graph_at(m->g, value)->type);
        enum uop_type taken = value == GRAPH_NIL ? UOP_VOID : mean_stored_as(m, x, value);
        bool fits = taken != UOP_VOID || (as != UOP_VOID && bits == uop_type_bits((enum uop_type)as));
        const struct graph_node *v = value == GRAPH_NIL ? NULL : graph_at(m->g, value);
        bool own = v && v->kind == UOP_LOAD && v->width == x->width && x->width < 4; /* a byte or half word as it is */
        enum uop_type reader = fits ? (taken != UOP_VOID ? taken : (enum uop_type)as) : own ? UOP_B16 : UOP_VOID;
        const char *text = mean_stored_text(m, x, value, mean_expr(m, value, reader, MEAN_INNER));
        return mean_shorten(m, mean_piece(m, PREC_TERNARY, "%s = %s", where, text).p);
    }
    struct strbuf b;
    str_init(&b, m->a);
    str_addf(&b, "%s = {", where);
    for (unsigned w = 0, said = 0; w < 4 && x->value[w] != GRAPH_NIL; w++) {
        unsigned bits = uop_type_bits((enum uop_type)graph_at(m->g, x->value[w])->type);
        bool apart =
            bits == 64 && as != UOP_VOID && uop_type_bits((enum uop_type)as) == 32; /* two elements of 32 bits */
        for (unsigned half = 0; half < (apart ? 2u : 1u); half++) {
            value = apart ? graph_op1(m->g, half ? UOP_HI : UOP_LO, UOP_B32, x->value[w]) : x->value[w];
            str_addf(&b, "%s%s", said++ ? ", " : "",
                     mean_expr(m, value, as == UOP_F32 ? UOP_F32 : UOP_VOID, MEAN_INNER));
        }
    }
    str_addc(&b, '}');
    return mean_shorten(m, b.p);
}

static const char *atomic_line(struct mean *m, const struct graph_insn *n, const struct graph_access *x)
{
    const struct uop_list *l = m->g->input.insns[n->input].uops;
    const char *name = "";
    enum uop_type type = UOP_B32;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_ATOM || l->ops.p[i].kind == UOP_RED) {
            name = mean_atomic_name((unsigned)l->ops.p[i].imm);
            type = (enum uop_type)l->ops.p[i].type;
        }
    struct strbuf b;
    str_init(&b, m->a);
    str_addf(&b, "atomic%s(%s", name, mean_element(m, x->address, (enum uop_space)x->space, x->width, true));
    for (unsigned w = 0; w < 2 && x->value[w] != GRAPH_NIL; w++)
        str_addf(&b, ", %s", mean_expr(m, x->value[w], type, MEAN_INNER));
    str_addc(&b, ')');
    return mean_shorten(m, b.p);
}

/* An address by element where accesses tell the array; else as the sum it is. */
static const char *address_text(struct mean *m, uint32_t def)
{
    unsigned part, half;
    graph_id whole = mean_whole_of(m, def, &part);
    struct graph_affine f;
    const struct graph_access *x = mean_access_at(m, whole, &half);
    if (x && half == 0 && mean_array_of(m, whole, (enum uop_space)x->space, &f) >= 0)
        return mean_element(m, whole, (enum uop_space)x->space, x->width, true);
    return mean_definition(m, whole, UOP_VOID, MEAN_INNER);
}

/* A constant that a return or an indirect branch takes is a place in the code. */
static bool is_code_address(const struct mean *m, uint32_t def)
{
    uint32_t count;
    const struct graph *g = m->g;
    const uint32_t *uses = mean_uses_of(m, def, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct uop_list *l = g->input.insns[g->insns.p[g->uses.p[uses[i]].insn].input].uops;
        for (size_t k = 0; k < l->ops.n; k++)
            if (l->ops.p[k].kind == UOP_RET || l->ops.p[k].kind == UOP_BRANCH_IND || l->ops.p[k].kind == UOP_CALL_IND)
                return true;
    }
    return false;
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
        unsigned part;
        graph_id whole = mean_whole_of(m, d, &part);
        const struct mean_param *p = mean_param_of(m, whole);
        /* One 64-bit read of two small parameters is two values. */
        bool split =
            graph_at(g, whole)->kind == UOP_CBANK && graph_at(g, whole)->type == UOP_B64 && !(p && p->size >= 8);
        graph_id shown = split && graph_at(g, def->node)->kind == UOP_CBANK ? def->node : whole;
        if (shown == last)
            continue;
        last = shown;
        bool code = graph_at(g, shown)->kind == UOP_CONST && is_code_address(m, d);
        unsigned as = code ? (unsigned)UOP_B32 | MEAN_AS_HEX : mean_reader_of(m, d);
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
    case MEAN_ROLE_SLOW_PATH:
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
    unsigned part;
    graph_id node = g->defs.p[chosen].node, whole = mean_whole_of(m, chosen, &part);
    switch (role) {
    case MEAN_ROLE_ADDRESS: return address_text(m, chosen);
    case MEAN_ROLE_STACK:
    case MEAN_ROLE_MOVE:
        return part == 0 && node == whole ? mean_expr(m, node, UOP_VOID, MEAN_INNER) : mean_holds(m, chosen, &part);
    case MEAN_ROLE_INDEX: {
        uint32_t at;
        graph_id shown = map_u64_get(&m->name_of, node, &at) ? node : whole;
        return mean_expr(m, shown, UOP_VOID, MEAN_INNER);
    }
    default: return mean_definition(m, whole, UOP_VOID, MEAN_INNER);
    }
}
