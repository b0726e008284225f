/* Loops of the source: see graph_cycle.h. */
#include "graph/graph_cycle.h"

enum sp_status graph_find_cycles(struct arena *a, struct graph *g, struct graph_cycles *out)
{
    *out = (struct graph_cycles){.copy_count = (graph_id)g->nodes.n};
    out->cycle_of = ARENA_ARRAY(a, uint32_t, g->blocks.n + 1);
    out->copy_of = ARENA_ARRAY(a, graph_id, g->nodes.n + 1);
    out->live_phi = ARENA_ARRAY(a, bool, g->nodes.n + 1);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
