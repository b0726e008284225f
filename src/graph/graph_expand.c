/* Makes expansions known to a graph. The slow path of one is no reader of the kernel's values: what it reads is an
 * argument of the expansion's quick way too, so its uses are dropped and a register's life ends where the rest of the
 * kernel last needs it. Requires expansions found on this graph; linear in uses and defs. */
#include "graph/graph.h"

void graph_set_expansions(struct graph *g, const struct graph_expansions *e)
{
    g->expansions = e;
    if (!e || !e->count)
        return;
    for (size_t d = 0; d < g->defs.n; d++) {
        struct graph_def *def = &g->defs.p[d];
        if (!e->slow[def->insn] && e->slow[def->last_use])
            def->last_use = def->insn;
    }
    for (size_t u = 0; u < g->uses.n; u++) {
        struct graph_use *use = &g->uses.p[u];
        if (e->slow[use->insn]) {
            use->def_count = 0;
            continue;
        }
        for (uint32_t k = 0; k < use->def_count; k++) {
            struct graph_def *def = &g->defs.p[use->defs[k]];
            if (!e->slow[def->insn] && def->last_use < use->insn)
                def->last_use = use->insn;
        }
    }
}
