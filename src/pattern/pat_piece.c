/* Choices between the pieces of one loop of the source. Where a compiler lets the last turns of a loop run under a
 * guard, what the loop comes to is `the piece runs ? its last step : what was there before`: nobody chose that, it is
 * how often the loop turns. A choice inside of a step is itself the step, or stands inside of one.
 *
 * Requires folds and their pieces (graph_cycle.h); gives the conditions that pieces run under. Linear. */
#include "pattern/pat_internal.h"

#include "graph/graph_cycle.h"

/* Part of a step's place in the step that is told, NIL: none. */
static graph_id part_of(const struct graph_cycles *c, graph_id id)
{
    for (unsigned steps = 0; id < c->copy_count && c->copy_of[id] != GRAPH_NIL && c->copy_of[id] != id && steps < 4;
         steps++)
        id = c->copy_of[id];
    return id;
}

static uint32_t straight_cycle_of(const struct graph *g, const uint32_t *defs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t insn = g->defs.p[defs[i]].insn;
        uint32_t at = g->cycles->cycle_of[g->insns.p[insn].block];
        if (at && g->insns.p[insn].guard != GRAPH_NIL)
            for (size_t k = 0; k < g->cycles->cycles.p[at - 1].pieces.n; k++) {
                const struct graph_piece *p = &g->cycles->cycles.p[at - 1].pieces.p[k];
                if (p->straight && insn >= p->first && insn <= p->last)
                    return at;
            }
    }
    return 0;
}

static bool note(struct pat_index *x, graph_id condition, uint32_t cycle)
{
    return map_u64_put(x->a, &x->piece_guards, (uint64_t)cycle << 32 | condition, 1);
}

bool pat_find_piece_guards(struct pat_index *x)
{
    struct graph *g = x->g;
    const struct graph_cycles *c = g->cycles;
    struct map_u64 steps = {0};
    for (size_t i = 0; c && i < c->folds.n; i++)
        for (unsigned k = 0; k < c->folds.p[i].count; k++)
            if (c->folds.p[i].out[k] != GRAPH_NIL && c->cycles.p[c->folds.p[i].cycle].pieces.n > 1 &&
                !map_u64_put(x->a, &steps, c->folds.p[i].out[k], 1))
                return false;
    for (graph_id id = 1; c && c->folds.n && id < x->count; id++) {
        const struct graph_node *n = graph_at(g, id);
        if (n->kind != UOP_SELECT || n->type == UOP_B1 || map_u64_get(&steps, part_of(c, id), NULL))
            continue;
        bool one = map_u64_get(&steps, part_of(c, n->arg[1]), NULL),
             other = map_u64_get(&steps, part_of(c, n->arg[2]), NULL);
        uint32_t count, cycle;
        const uint32_t *defs = pat_merged_of(x, id, &count);
        if ((!one && !other) || !(cycle = straight_cycle_of(g, defs, count)))
            continue;
        graph_id condition = n->arg[0];
        if (!note(x, condition, cycle) || !note(x, graph_not(g, condition), cycle))
            return false;
    }
    return true;
}

bool pat_chooses_piece(const struct pat_index *x, graph_id node)
{
    const struct graph *g = x->g;
    const struct graph_node *n = graph_at(g, node);
    uint32_t count;
    const uint32_t *defs = pat_merged_of(x, node, &count);
    for (uint32_t i = 0; i < count && g->cycles && n->kind == UOP_SELECT; i++) {
        const struct graph_insn *insn = &g->insns.p[g->defs.p[defs[i]].insn];
        uint64_t cycle = g->cycles->cycle_of[insn->block];
        if (cycle && insn->guard != GRAPH_NIL && map_u64_get(&x->piece_guards, cycle << 32 | n->arg[0], NULL))
            return true;
    }
    return false;
}
