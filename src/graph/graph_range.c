/* Bounds of integer nodes, and conditions that never hold together: see graph_depend.h. */
#include "graph/graph_depend.h"

bool graph_range_of(struct graph *g, graph_id id, struct graph_range *out)
{
    uint64_t bits;
    if (!graph_is_const(g, id, &bits))
        return false;
    *out = (struct graph_range){(int32_t)bits, (int32_t)bits, false};
    return true;
}

bool graph_excludes(struct graph *g, graph_id a, graph_id b, bool *assumed)
{
    uint64_t bits;
    *assumed = false;
    graph_id both = graph_and(g, a, b);
    return both != GRAPH_NIL && graph_is_const(g, both, &bits) && !bits;
}

graph_id graph_substitute_thread(struct graph *g, graph_id id, const graph_id thread[3])
{
    (void)g;
    (void)id;
    (void)thread;
    return GRAPH_NIL;
}
