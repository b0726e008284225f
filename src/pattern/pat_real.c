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

/* One of the two sets of readings: `real` with minimum and maximum, `plain` with functions alone. */
struct builder {
    struct graph *g;
    struct arena *a;
    const struct pat_index *x;
    graph_id *of;
    uint32_t *rests_on; /* rules, and functions that are approximated */
    uint32_t nodes;     /* of the graph and of readings, before this began */
    const struct map_u64 *minmax;
    const struct map_u64 *variables; /* nodes told by a name */
    const struct stand_in *list;     /* NULL: functions alone */
};

/* A copy of a reading's node over the readings of what it is made of; nodes that only exist in it are copied too. */
static graph_id over_readings(struct builder *b, graph_id id, uint32_t *rests_on, unsigned depth)
{
    struct graph_node n = *graph_at(b->g, id);
    graph_id first_made = b->x->expanded->nodes;
    if (!(*rests_on & PAT_RULE_ALL) && n.kind != UOP_SQRT) /* no rule says how; a root is rounded once */
        *rests_on |= pat_approximated(&n);
    for (unsigned i = 0; i < n.arg_count; i++) {
        bool own = n.arg[i] >= first_made && n.arg[i] < b->nodes && depth < 8 && pat_is_pure(graph_at(b->g, n.arg[i]));
        if (n.arg[i] < b->nodes)
            *rests_on |= b->rests_on[n.arg[i]];
        n.arg[i] = own ? over_readings(b, n.arg[i], rests_on, depth + 1) : real_of(b->of, b->nodes, n.arg[i]);
    }
    return graph_fresh(b->g, &n);
}

/* Arguments come first; a phi keeps its own. */
static void build(struct builder *b)
{
    struct graph *g = b->g;
    for (graph_id id = 1; id < b->nodes; id++) {
        struct pat_minmax v;
        uint32_t k;
        const struct pat_reading *r = pat_reading_of(b->x, id);
        if (map_u64_get(b->variables, id, NULL))
            continue; /* what goes round a loop is told by its name */
        if (b->list && !(r && r->closed) && map_u64_get(b->minmax, id, &k)) {
            const struct stand_in s = b->list[k];
            if (pat_minmax_of(g, id, &v)) {
                b->of[id] = fresh(g, minmax_kind(&v, v.maximum), v.as, 0, real_of(b->of, b->nodes, s.a),
                                  real_of(b->of, b->nodes, s.b));
                b->rests_on[id] =
                    PAT_READS_MINMAX | (v.exact ? 0 : PAT_RULE_SELECT) | b->rests_on[s.a] | b->rests_on[s.b];
            }
            continue;
        }
        if (r) {
            uint32_t rests_on = r->via;
            b->of[id] = over_readings(b, r->as, &rests_on, 0);
            b->rests_on[id] = rests_on;
            continue;
        }
        const struct graph_node n = *graph_at(g, id);
        bool changed = false;
        struct graph_node copy = n;
        b->rests_on[id] |= pat_approximated(&n);
        for (unsigned i = 0; pat_is_pure(&n) && i < n.arg_count; i++) {
            copy.arg[i] = real_of(b->of, b->nodes, n.arg[i]);
            b->rests_on[id] |= b->rests_on[n.arg[i]];
            changed |= copy.arg[i] != n.arg[i];
        }
        if (b->list && (n.kind == UOP_FMIN || n.kind == UOP_FMAX) && (n.flags & UOP_NAN)) {
            copy.flags &= (uint8_t)~UOP_NAN; /* real numbers know no NaN */
            b->rests_on[id] |= PAT_READS_MINMAX;
            changed = true;
        }
        if (changed)
            b->of[id] = graph_fresh(g, &copy);
    }
}

enum sp_status pat_real_build(struct mean *m, struct arena *a, struct pat_index *x, struct pat_found *const *found,
                              uint32_t count, struct pat_result *out)
{
    struct graph *g = m->g;
    uint32_t nodes = (uint32_t)g->nodes.n;
    struct map_u64 at = {0};
    VEC(struct stand_in) list = {0};
    struct builder real = {.g = g, .a = a, .x = x, .nodes = nodes, .minmax = &at, .variables = &m->variables},
                   plain = real;
    real.of = ARENA_ARRAY(a, graph_id, nodes);
    plain.of = ARENA_ARRAY(a, graph_id, nodes);
    real.rests_on = ARENA_ARRAY(a, uint32_t, nodes);
    plain.rests_on = ARENA_ARRAY(a, uint32_t, nodes);
    if (!real.of || !plain.of || !real.rests_on || !plain.rests_on)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const struct pat_found *f = found[i];
        for (size_t k = 0; k + 2 < f->readings.n; k += 3) {
            struct stand_in s = {f->readings.p[k], f->readings.p[k + 1], f->readings.p[k + 2]};
            map_u64_put(a, &at, s.node, (uint32_t)list.n);
            VEC_PUSH(a, list, s);
        }
    }
    static const struct stand_in none;
    real.list = list.n ? list.p : &none;
    build(&real);
    if (x->expanded && x->expanded->list.n)
        build(&plain);
    out->real = real.of;
    out->plain = plain.of;
    out->rests_on = real.rests_on;
    out->expanded = x->expanded;
    out->real_count = nodes;
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}

graph_id pat_plain_node(const struct pat_result *matches, graph_id node)
{
    return matches->plain ? real_of(matches->plain, matches->real_count, node) : node;
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
