/* Who reads a def, and what the readers make of it: the access whose address it is or half of, the
 * number format it is taken for. Address words that separate instructions make (an add with carry,
 * a shifted sum) are known here by who reads both. */
#include "meaning/mean_internal.h"

enum sp_status mean_find_uses(struct mean *m)
{
    const struct graph *g = m->g;
    uint32_t *starts = ARENA_ARRAY(m->a, uint32_t, g->defs.n + 2);
    size_t total = 0;
    if (!starts)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < g->uses.n; i++)
        for (uint32_t k = 0; k < g->uses.p[i].def_count; k++, total++)
            starts[g->uses.p[i].defs[k] + 2]++;
    for (size_t d = 2; d < g->defs.n + 2; d++)
        starts[d] += starts[d - 1];
    m->work->use_starts = starts;
    m->work->use_list = ARENA_ARRAY(m->a, uint32_t, total);
    if (!m->work->use_list)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < g->uses.n; i++)
        for (uint32_t k = 0; k < g->uses.p[i].def_count; k++)
            m->work->use_list[starts[g->uses.p[i].defs[k] + 1]++] = (uint32_t)i;
    return SP_OK;
}

const uint32_t *mean_uses_of(const struct mean *m, uint32_t def, uint32_t *count)
{
    const uint32_t *starts = m->work->use_starts;
    *count = starts[def + 1] - starts[def];
    return m->work->use_list + starts[def];
}

static bool put_once(struct mean *m, struct map_u64 *map, graph_id node, uint32_t value)
{
    uint32_t old;
    return map_u64_get(map, node, &old) || map_u64_put(m->a, map, node, value);
}

static bool is_value_of(const struct graph_access *x, graph_id node)
{
    for (unsigned w = 0; w < 4 && x->kind != GRAPH_LOAD; w++)
        if (x->value[w] == node)
            return true;
    return false;
}

/* A node that can be a word of a computed address: what words of values and constants could be as
 * well is left out. */
static bool is_computed_word(const struct graph *g, graph_id node)
{
    unsigned kind = graph_at(g, node)->kind;
    return graph_at(g, node)->type == UOP_B32 &&
           (kind == UOP_ADD || kind == UOP_ADDC || kind == UOP_HI || kind == UOP_LO);
}

enum sp_status mean_find_addresses(struct mean *m)
{
    struct graph *g = m->g;
    bool ok = true;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        for (unsigned w = 0; w < 4 && x->kind != GRAPH_LOAD; w++)
            if (x->value[w] != GRAPH_NIL)
                ok &= put_once(m, &m->work->stored_by, x->value[w], i);
        if (x->address == GRAPH_NIL)
            continue;
        ok &= put_once(m, &m->work->address_of, x->address, i << 2);
        if (graph_at(g, x->address)->type != UOP_B64)
            continue;
        graph_id low = graph_op1(g, UOP_LO, UOP_B32, x->address);
        if (is_computed_word(g, low) && !is_value_of(x, low))
            ok &= put_once(m, &m->work->address_of, low, i << 2 | 1);
        if (x->insn >= g->insns.n)
            continue; /* a graph made by hand */
        const struct graph_insn *n = &g->insns.p[x->insn];
        for (uint32_t u = n->first_use; u < n->first_use + n->use_count; u++) {
            graph_id node = g->uses.p[u].node;
            if (node != low && is_computed_word(g, node) && !is_value_of(x, node))
                ok &= put_once(m, &m->work->address_of, node, i << 2 | 2);
        }
    }
    return ok ? SP_OK : SP_ERR_MEMORY;
}

const struct graph_access *mean_access_at(const struct mean *m, graph_id node, unsigned *part)
{
    uint32_t at;
    if (!map_u64_get(&m->work->address_of, node, &at))
        return NULL;
    *part = at & 3;
    return &m->g->accesses.p[at >> 2];
}

graph_id mean_whole_of(struct mean *m, uint32_t def, unsigned *part)
{
    const struct graph_def *d = &m->g->defs.p[def];
    const struct graph_node *n = graph_at(m->g, d->node);
    unsigned half = 0;
    *part = 0;
    if (d->wide != GRAPH_NIL) {
        *part = d->part;
        return d->wide;
    }
    const struct graph_access *x = mean_access_at(m, d->node, &half);
    if (x && half) {
        *part = half;
        return x->address;
    }
    const struct mean_param *p = mean_param_of(m, d->node);
    if (p && p->size == 8 && n->type == UOP_B32) { /* a word of a pointer, read alone */
        bool high = n->imm != p->constant_offset;
        graph_id pointer = graph_cbank(m->g, UOP_B64, 0, p->constant_offset);
        if (mean_is_pointer(m, pointer)) {
            *part = high ? 2 : 1;
            return pointer;
        }
    }
    if (n->kind == UOP_LO || n->kind == UOP_HI) {
        *part = n->kind == UOP_HI ? 2 : 1;
        return n->arg[0];
    }
    return d->node;
}

/* The float format of an operation that takes the register itself. */
static unsigned float_operand(const struct uop_list *l, const struct graph_def *def)
{
    for (size_t k = 0; k < l->ops.n; k++) {
        const struct uop *u = &l->ops.p[k];
        if (u->kind < UOP_FLT || u->kind > UOP_TANH || u->type < UOP_F16 || u->kind == UOP_I2F)
            continue;
        for (unsigned a = 0; a < UOP_MAX_ARGS; a++) {
            if (u->arg[a] == UOP_NONE || u->arg[a] >= l->ops.n)
                continue;
            const struct uop *from = &l->ops.p[u->arg[a]];
            if (from->kind == UOP_READ && from->file == def->file && from->reg == def->reg)
                return u->type;
        }
    }
    return UOP_VOID;
}

unsigned mean_reader_of(struct mean *m, uint32_t index)
{
    const struct graph *g = m->g;
    const struct graph_def *def = &g->defs.p[index];
    enum mean_kind kind = KIND_UNKNOWN;
    uint32_t count;
    if (graph_at(g, def->node)->kind != UOP_CONST)
        return UOP_VOID;
    const uint32_t *uses = mean_uses_of(m, index, &count);
    for (uint32_t i = 0; i < count && kind == KIND_UNKNOWN; i++) {
        const struct graph_use *use = &g->uses.p[uses[i]];
        const struct graph_insn *reader = &g->insns.p[use->insn];
        unsigned as = float_operand(g->input.insns[reader->input].uops, def);
        if (as != UOP_VOID)
            return as;
        if (use->node != def->node) /* read merged with what another path wrote */
            kind = mean_kind_made(m, use->node, 0);
        for (uint32_t d = reader->first_def; d < reader->first_def + reader->def_count && kind == KIND_UNKNOWN; d++)
            if (graph_at(g, g->defs.p[d].node)->kind == UOP_SELECT)
                kind = mean_kind_of(m, g->defs.p[d].node);
        for (uint32_t x = reader->first_access; x < reader->first_access + reader->access_count; x++) {
            const struct graph_access *access = &g->accesses.p[x];
            struct graph_affine f;
            int at = mean_array_of(m, access->address, (enum uop_space)access->space, &f);
            if (at >= 0 && is_value_of(access, use->node) && m->work->arrays[at].kind != KIND_UNKNOWN)
                kind = m->work->arrays[at].kind;
        }
    }
    if (kind == KIND_UNKNOWN && def->merged != def->node)
        kind = mean_kind_made(m, def->merged, 0);
    bool fits =
        mean_kind_is_float(kind) && mean_kind_bits(kind) == uop_type_bits((enum uop_type)graph_at(g, def->node)->type);
    return fits ? mean_kind_type(kind) : UOP_B32;
}

const char *mean_holds(struct mean *m, uint32_t def, unsigned *part)
{
    const struct graph_def *d = &m->g->defs.p[def];
    unsigned half = 0;
    graph_id whole = mean_whole_of(m, def, part);
    const struct graph_node *word = graph_at(m->g, d->node), *wide = graph_at(m->g, whole);
    const struct mean_param *p = mean_param_of(m, whole);
    if (word->kind == UOP_CBANK && wide->kind == UOP_CBANK && wide->type == UOP_B64 && p && p->size < 8) {
        whole = d->node; /* one read of two small parameters is two values */
        *part = 0;
    }
    if (graph_at(m->g, d->node)->type == UOP_B1)
        return mean_condition(m, d->node);
    const struct graph_access *x = mean_access_at(m, whole, &half);
    uint32_t named;
    if (x && half == 0 && !map_u64_get(&m->name_of, whole, &named) &&
        mean_array_of(m, whole, (enum uop_space)x->space, &(struct graph_affine){0}) >= 0)
        return mean_element(m, whole, (enum uop_space)x->space, x->width, true);
    if (graph_at(m->g, d->node)->kind == UOP_CONST && *part == 0)
        return mean_expr(m, d->node, (enum uop_type)mean_reader_of(m, def), MEAN_INNER);
    return mean_expr(m, whole, UOP_VOID, MEAN_INNER);
}
