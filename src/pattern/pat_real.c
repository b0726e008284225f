/* The real-number reading of values: where a match read a select as min or max, a node that says so stands
 * in for it, and everything computed from it is rebuilt over the stand-in; a min or max that keeps a NaN
 * reads as a plain one. Stand-ins are fresh nodes: they are never equal to a value of the kernel, they
 * exist to be printed and evaluated.
 *
 * Requires matches in their order (parts first); gives real[id] for every node there was. Linear. */
#include "pattern/pat_internal.h"

#include <string.h>

struct stand_in {
    graph_id node, a, b; /* a and b in the order of the block */
};

static graph_id fresh(struct graph *g, unsigned kind, unsigned type, unsigned flags, graph_id a, graph_id b)
{
    struct graph_node n = {.kind = (uint8_t)kind,
                           .type = (uint8_t)type,
                           .flags = (uint8_t)flags,
                           .arg_count = 2,
                           .arg = {a, b},
                           .insn = UINT32_MAX};
    return graph_fresh(g, &n);
}

static unsigned minmax_kind(const struct pat_minmax *v, bool maximum)
{
    if (pat_is_float(v->as))
        return maximum ? UOP_FMAX : UOP_FMIN;
    if (v->is_unsigned)
        return maximum ? UOP_MAX_U : UOP_MIN_U;
    return maximum ? UOP_MAX_S : UOP_MIN_S;
}

static graph_id real_of(const graph_id *real, uint32_t count, graph_id id)
{
    return id < count && real[id] != GRAPH_NIL ? real[id] : id;
}

enum sp_status pat_real_build(struct mean *m, struct arena *a, struct pat_found *const *found, uint32_t count,
                              struct pat_result *out)
{
    struct graph *g = m->g;
    uint32_t nodes = (uint32_t)g->nodes.n;
    graph_id *real = ARENA_ARRAY(a, graph_id, nodes);
    struct map_u64 at = {0};
    VEC(struct stand_in) list = {0};
    if (!real)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const struct pat_found *f = found[i];
        for (size_t k = 0; k + 2 < f->readings.n; k += 3) {
            struct stand_in s = {f->readings.p[k], f->readings.p[k + 1], f->readings.p[k + 2]};
            map_u64_put(a, &at, s.node, (uint32_t)list.n);
            VEC_PUSH(a, list, s);
        }
    }
    /* Arguments come first; a phi keeps its own. */
    for (graph_id id = 1; id < nodes; id++) {
        struct pat_minmax v;
        uint32_t k;
        if (map_u64_get(&m->variables, id, NULL))
            continue; /* what goes round a loop is told by its name */
        if (map_u64_get(&at, id, &k)) {
            const struct stand_in s = list.p[k];
            if (pat_minmax_of(g, id, &v))
                real[id] =
                    fresh(g, minmax_kind(&v, v.maximum), v.as, 0, real_of(real, nodes, s.a), real_of(real, nodes, s.b));
            continue;
        }
        const struct graph_node n = *graph_at(g, id);
        bool changed = false;
        struct graph_node copy = n;
        for (unsigned i = 0; pat_is_pure(&n) && i < n.arg_count; i++) {
            copy.arg[i] = real_of(real, nodes, n.arg[i]);
            changed |= copy.arg[i] != n.arg[i];
        }
        if ((n.kind == UOP_FMIN || n.kind == UOP_FMAX) && (n.flags & UOP_NAN)) { /* real numbers know no NaN */
            copy.flags &= (uint8_t)~UOP_NAN;
            changed = true;
        }
        if (changed)
            real[id] = graph_fresh(g, &copy);
    }
    out->real = real;
    out->real_count = nodes;
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}

graph_id pat_real_node(const struct pat_result *matches, graph_id node)
{
    return matches->real ? real_of(matches->real, matches->real_count, node) : node;
}

const char *pat_real_expr(struct mean *m, const struct pat_result *matches, graph_id node, enum uop_type as,
                          enum mean_style style)
{
    graph_id real = pat_real_node(matches, node);
    style = (enum mean_style)(style | MEAN_REAL);
    return real == node ? mean_definition(m, node, as, style) : mean_expr(m, real, as, style);
}
