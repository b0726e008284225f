/* Elements of one step that look like copies of it: a turn that takes several elements a thread, each as far as the row
 * goes, stores alike for each of them. What tells it from a loop that was unrolled are its guards: they hold the
 * elements, not the counter, against the bound that the counter runs to.
 *
 * requires: exits and inductions of the region · gives: whether a turn is one step */
#include "graph/graph_cycle_internal.h"

/* The node is the counter and something that differs between threads, or a phi that goes with the counter from such. */
static bool runs_beside(const struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *counter,
                        graph_id id)
{
    struct graph_affine f;
    bool own = false;
    if (!graph_affine(w->g, id, &f) || f.base != GRAPH_NIL)
        return false;
    for (unsigned k = 0; k < f.term_count; k++) {
        own |= f.terms[k].term == counter->phi && f.term_count > 1;
        for (uint32_t i = 0; i < r->phi_count; i++) {
            const struct cycle_phi *p = &r->phis[i];
            own |= f.terms[k].term == p->phi && p != counter && p->step_kind == CYCLE_STEP_ADD && p->constant &&
                   p->amount == counter->amount && counter->start != GRAPH_NIL && p->start != GRAPH_NIL &&
                   graph_is_const(w->g, counter->start, NULL) && !graph_is_const(w->g, p->start, NULL);
        }
    }
    return own;
}

/* The compares with `limit` that a store's condition asks for and that ask of more than the counter. */
static void list_own_bounds(const struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *counter,
                            graph_id limit, graph_id id, graph_id *bounds, uint32_t cap, uint32_t *count)
{
    enum { CONDITIONS = 32 };
    const struct graph *g = w->g;
    graph_id todo[CONDITIONS];
    uint32_t n = 0;
    todo[n++] = id;
    for (unsigned steps = 0; n && steps < CONDITIONS; steps++) {
        graph_id at = todo[--n];
        const struct graph_node *x = graph_at(g, at);
        if ((x->kind == UOP_ILT_S || x->kind == UOP_ILT_U) && x->arg[1] == limit) {
            bool known = *count == cap || !runs_beside(w, r, counter, x->arg[0]);
            for (uint32_t k = 0; k < *count && !known; k++)
                known = bounds[k] == at;
            if (!known)
                bounds[(*count)++] = at;
            continue;
        }
        for (unsigned k = 0; x->kind == GRAPH_BOOL && k < x->arg_count && n < CONDITIONS; k++)
            todo[n++] = x->arg[k];
    }
}

/* Each of the elements of a turn is held against the bound that the counter runs to: a step takes all of them, whole or
 * in part. One that was copied would ask of the counter instead whether there is another. */
bool cycle_takes_several_elements(const struct cycle_work *w, const struct cycle_region *r)
{
    enum { BOUNDS = 64 };
    const struct graph *g = w->g;
    graph_id bounds[BOUNDS];
    const struct cycle_phi *counter = NULL;
    struct graph_affine f;
    uint32_t count = 0;
    if (r->exits.n != 1)
        return false;
    const struct graph_node *test = graph_at(g, r->exits.p[0].leaves);
    if (test->kind == GRAPH_BOOL && test->arg_count == 1)
        test = graph_at(g, test->arg[0]);
    if ((test->kind != UOP_ILT_S && test->kind != UOP_ILT_U) || graph_is_const(g, test->arg[1], NULL) ||
        !graph_affine(g, test->arg[0], &f) || f.base != GRAPH_NIL || f.term_count != 1)
        return false;
    for (uint32_t k = 0; k < r->phi_count; k++)
        if (r->phis[k].phi == f.terms[0].term && r->phis[k].step_kind == CYCLE_STEP_ADD && r->phis[k].constant)
            counter = &r->phis[k];
    for (uint32_t i = 0; i < r->block_count && counter; i++) {
        const struct graph_block *b = &g->blocks.p[r->blocks[i]];
        for (uint32_t k = b->first; k <= b->last && b->loop == r->loop + 1 && b->reachable; k++) {
            const struct graph_insn *n = &g->insns.p[k];
            for (uint32_t x = n->first_access; x < n->first_access + n->access_count; x++)
                if (g->accesses.p[x].kind == GRAPH_STORE && n->runs_when != GRAPH_NIL)
                    list_own_bounds(w, r, counter, test->arg[1], n->runs_when, bounds, BOUNDS, &count);
        }
    }
    return count > 1;
}
