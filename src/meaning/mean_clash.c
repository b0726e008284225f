/* Two loads of one element at different times are two values: in an expression that holds both, as in
 * exp(x - shared[0]) / shared[0] where the first is a maximum and the second a sum, the element says the wrong thing.
 * Such loads are told by their ids wherever they stand.
 *
 * requires: ids of values set · gives: these values as variables (mean_set_variable) */
#include "meaning/mean_internal.h"

enum { NODES = 2000, LOADS = 64 };

struct walk {
    graph_id queue[NODES];
    unsigned count;
    struct map_u64 seen;
    graph_id load[LOADS];
    unsigned loads;
};

static void visit(struct mean *m, struct walk *w, graph_id id)
{
    if (id == GRAPH_NIL || id >= m->g->nodes.n || w->count == NODES || map_u64_get(&w->seen, id, NULL))
        return;
    map_u64_put(m->a, &w->seen, id, 0);
    w->queue[w->count++] = id;
}

static bool name_load(struct mean *m, graph_id load)
{
    uint32_t at;
    return !map_u64_get(&m->value_of, load, &at) || map_u64_put(m->a, &m->variables, load, 0);
}

static bool part_loads(struct mean *m, const struct walk *w)
{
    for (unsigned i = 0; i < w->loads; i++)
        for (unsigned k = 0; k < i; k++) {
            const struct graph_node *a = graph_at(m->g, w->load[i]), *b = graph_at(m->g, w->load[k]);
            if (a->arg[0] == b->arg[0] && a->space == b->space &&
                (!name_load(m, w->load[i]) || !name_load(m, w->load[k])))
                return false;
        }
    return true;
}

enum sp_status mean_part_loads(struct mean *m)
{
    struct walk *w = ARENA_NEW(m->a, struct walk);
    for (size_t i = 0; w && i < m->g->accesses.n; i++) {
        const struct graph_access *x = &m->g->accesses.p[i];
        if (x->kind == GRAPH_LOAD || (x->space != UOP_GLOBAL && x->space != UOP_GENERIC))
            continue;
        w->count = w->loads = 0;
        w->seen = (struct map_u64){0};
        for (unsigned k = 0; k < 4; k++)
            visit(m, w, x->value[k]);
        for (unsigned at = 0; at < w->count; at++) {
            const struct graph_node *n = graph_at(m->g, w->queue[at]);
            if (n->kind == UOP_LOAD) {
                if (w->loads < LOADS)
                    w->load[w->loads++] = w->queue[at];
                continue; /* what its address is made of is another expression */
            }
            for (unsigned k = 0; k < n->arg_count && n->kind != GRAPH_PHI; k++)
                visit(m, w, n->arg[k]);
        }
        if (!part_loads(m, w))
            return SP_ERR_MEMORY;
    }
    m->work->epoch++;
    return w ? SP_OK : SP_ERR_MEMORY;
}
