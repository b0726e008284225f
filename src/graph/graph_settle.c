/* What may be said of a loop once all is known of it: a condition that ends it is told only where no other one does, and
 * bounds only where they are those of the source's loop, not of a piece that a compiler made of it.
 *
 * requires: cycles with pieces, counters, turns · gives: until, count and counters left out where they would mislead */
#include "graph/graph_cycle_internal.h"

/* Counters of this loop and what never changes in it decide. */
static bool by_counters(struct cycle_work *w, const struct cycle_region *r, graph_id id, unsigned depth)
{
    enum { DEPTH = 24 };
    const struct graph *g = w->g;
    id = cycle_bare(g, id);
    if (!cycle_varies(w, r->loop, id))
        return true;
    for (uint32_t i = 0; i < r->phi_count; i++)
        if (r->phis[i].phi == id)
            return r->phis[i].step_kind != CYCLE_STEP_NONE;
    const struct graph_node *n = graph_at(g, id);
    bool integer = (n->kind >= UOP_ADD && n->kind <= UOP_SAR) || n->kind == UOP_SEXT || n->kind == UOP_ZEXT ||
                   n->kind == UOP_LO || n->kind == UOP_HI || n->kind == UOP_IEQ || n->kind == UOP_ILT_S ||
                   n->kind == UOP_ILT_U || n->kind == GRAPH_BOOL;
    if (!integer || depth > DEPTH || w->budget == 0)
        return false;
    w->budget--;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (!by_counters(w, r, n->arg[k], depth + 1))
            return false;
    return true;
}

/* The loop is left by more than the test of its counter (the copies of a body may each have that test). */
static bool ends_otherwise(struct cycle_work *w, const struct cycle_region *r)
{
    uint32_t tests = 0, block = UINT32_MAX;
    for (size_t i = 0; i < r->exits.n; i++) {
        const struct cycle_exit *e = &r->exits.p[i];
        uint64_t known;
        if (e->leaves != GRAPH_NIL && graph_is_const(w->g, e->leaves, &known) && !known)
            continue;
        if (e->leaves == GRAPH_NIL || !by_counters(w, r, e->leaves, 0))
            return r->exits.n > 1;
        tests += e->block != block;
        block = e->block;
    }
    return tests > 1 && tests != r->unroll;
}

void cycle_settle(struct cycle_work *w)
{
    for (size_t i = 0; i < w->out->cycles.n; i++) {
        struct graph_cycle *c = &w->out->cycles.p[i];
        for (size_t k = 0; k < c->pieces.n && !c->irreducible; k++)
            if (!c->pieces.p[k].straight && ends_otherwise(w, &w->regions[c->pieces.p[k].loop]))
                c->until = c->count = GRAPH_NIL;
    }
}
