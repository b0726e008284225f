/* Accumulators of which a register holds two: each half is a chain of its own, and what the register holds after a step
 * is the pair of both. Those pairs are copies of one another as their halves are, and one variable, whichever piece
 * makes them.
 *
 * requires: chains, copies of their steps · gives: copies of the pairs */
#include "graph/graph_cycle_internal.h"

static graph_id told_by(const struct graph_cycles *c, graph_id id)
{
    return c->copy_of[id] != GRAPH_NIL ? c->copy_of[id] : id;
}

static uint64_t key_of(graph_id lo, graph_id hi)
{
    return (uint64_t)hi << 32 | lo;
}

/* The first step of a half's chain; NIL: the chain is none of a half's, or no step of it is told. */
static graph_id step_of_half(const struct cycle_work *w, const struct cycle_region *r, uint32_t chain)
{
    const struct cycle_chain *c = &r->chains.p[chain];
    bool half = c->in != r->phis[c->phi].phi;
    uint64_t links = (uint64_t)c->period * r->unroll;
    return half && !c->flat && links == c->count && r->cycle >= 0 ? told_by(w->out, c->cut[c->period])
                                                                  : (graph_id)GRAPH_NIL;
}

void cycle_copy_pairs(struct cycle_work *w)
{
    struct graph *g = w->g;
    struct map_u64 packed = {0}; /* steps of both halves -> the pair that tells them */
    graph_id *copy = (graph_id *)w->out->copy_of;
    for (uint32_t l = 0; l < w->region_count; l++) {
        const struct cycle_region *r = &w->regions[l];
        for (uint32_t i = 0; i < r->chains.n; i++) {
            graph_id lo = step_of_half(w, r, i), hi = lo;
            bool next = i + 1 < r->chains.n && r->chains.p[i + 1].phi == r->chains.p[i].phi;
            if (next)
                hi = step_of_half(w, r, ++i);
            if (lo != GRAPH_NIL && hi != GRAPH_NIL)
                map_u64_put(w->a, &packed, key_of(lo, hi), GRAPH_NIL);
        }
    }
    for (int pass = 0; pass < 2 && packed.n; pass++)
        for (graph_id id = 1; id < w->nodes; id++) {
            const struct graph_node *n = graph_at(g, id);
            uint32_t tells;
            if (n->kind != UOP_PAIR || n->type != UOP_B32)
                continue;
            uint64_t key = key_of(told_by(w->out, n->arg[0]), told_by(w->out, n->arg[1]));
            if (!map_u64_get(&packed, key, &tells))
                continue;
            bool first = key == key_of(n->arg[0], n->arg[1]); /* the step that tells both halves */
            if (pass == 0 && first)
                map_u64_put(w->a, &packed, key, id);
            else if (pass == 1 && !first && tells != GRAPH_NIL && copy[id] == GRAPH_NIL)
                copy[id] = tells;
        }
}
