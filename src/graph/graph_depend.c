/* Memory dependence between threads: see graph_depend.h. */
#include "graph/graph_depend.h"

enum sp_status graph_find_dependence(struct arena *a, struct graph *g, struct graph_dependence *out)
{
    *out = (struct graph_dependence){0};
    uint32_t *first = ARENA_ARRAY(a, uint32_t, g->accesses.n + 1),
             *object = ARENA_ARRAY(a, uint32_t, g->accesses.n + 1);
    out->first_reach = first;
    out->object_of = object;
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
