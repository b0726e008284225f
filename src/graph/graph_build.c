/* The order of work in this room: flow, values, indices. */
#include "graph/graph_internal.h"

enum sp_status graph_build(struct arena *a, const struct graph_input *input, struct diag_sink *diags, struct graph *g)
{
    struct graph_flow flow;
    graph_init(g, a, input->env);
    g->input = *input;
    if (input->count == 0)
        return SP_OK;
    enum sp_status status = graph_flow_build(g, &flow, diags);
    if (status == SP_OK)
        status = graph_values_build(g, &flow, diags);
    if (status == SP_OK)
        graph_index_users(g);
    g->incomplete |= g->indirect.n > 0;
    return arena_failed(a) ? SP_ERR_MEMORY : status;
}
