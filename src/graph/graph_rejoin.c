/* Where the ways that part at a branch have all come together again: a block that is reached, in the same turn of its
 * loop, whenever its immediate dominator was. Its path condition is the dominator's, whatever lies between, and what
 * meets there is chosen by the dominator's branch.
 *
 * Postdominators (the usual fixed point on the reversed graph) with one virtual end behind every block that can leave:
 * an exit, guarded or not, or no successor. requires: flow with dominators and loops · gives: a flag a block. Linear but
 * for the rounds of the fixed point, which are few for code with few irregular ways out. */
#include "graph/graph_internal.h"

#include <string.h>

enum { ROUNDS = 64, CLIMB = 4096 };

struct post {
    const struct graph *g;
    uint32_t end;     /* the virtual block */
    bool *leaves;     /* by block */
    uint32_t *idom;   /* by block; UINT32_MAX: no way to the end, or not known yet */
    uint32_t *number; /* by block: post-order of a walk against the edges, the end has the largest */
    uint32_t *order;  /* blocks by falling number */
    uint32_t count;
};

/* A block whose last instruction may end the thread has fewer successors than ways out. */
static bool may_leave(const struct graph *g, const struct graph_block *b)
{
    uint32_t input = g->insns.p[b->last].input;
    const struct uop_list *l = input < g->input.count ? g->input.insns[input].uops : NULL;
    if (!b->succ_count)
        return true;
    for (size_t i = 0; l && i < l->ops.n; i++) {
        unsigned kind = l->ops.p[i].kind;
        if (kind == UOP_EXIT || kind == UOP_TRAP || kind == UOP_BRANCH_IND)
            return true;
    }
    return false;
}

/* Depth first from the end, against the edges. */
static bool number_blocks(struct post *p)
{
    const struct graph *g = p->g;
    uint32_t n = p->end, depth = 0, next_leaving = 0, post = 0;
    uint32_t *stack = ARENA_ARRAY(g->a, uint32_t, n + 2), *next = ARENA_ARRAY(g->a, uint32_t, n + 2);
    bool *seen = ARENA_ARRAY(g->a, bool, n + 2);
    if (!stack || !next || !seen)
        return false;
    stack[depth++] = n;
    seen[n] = true;
    while (depth) {
        uint32_t at = stack[depth - 1], to = UINT32_MAX;
        if (at == n) {
            while (next_leaving < n && (!p->leaves[next_leaving] || seen[next_leaving]))
                next_leaving++;
            to = next_leaving < n ? next_leaving : UINT32_MAX;
        } else {
            const struct graph_block *b = &g->blocks.p[at];
            while (next[at] < b->pred_count && (seen[b->preds[next[at]]] || !g->blocks.p[b->preds[next[at]]].reachable))
                next[at]++;
            to = next[at] < b->pred_count ? b->preds[next[at]] : UINT32_MAX;
        }
        if (to != UINT32_MAX) {
            seen[to] = true;
            stack[depth++] = to;
            continue;
        }
        p->number[at] = post++;
        depth--;
    }
    /* numbers 0 … post - 1: place each block by falling number */
    p->count = post;
    for (uint32_t b = 0; b <= n; b++)
        if (seen[b])
            p->order[post - 1 - p->number[b]] = b;
    return true;
}

static uint32_t meet(const struct post *p, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (p->number[a] < p->number[b])
            a = p->idom[a];
        while (p->number[b] < p->number[a])
            b = p->idom[b];
    }
    return a;
}

static bool find_postdominators(struct post *p)
{
    bool changed = true;
    p->idom[p->end] = p->end;
    for (unsigned round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (uint32_t i = 1; i < p->count; i++) {
            uint32_t at = p->order[i];
            const struct graph_block *b = &p->g->blocks.p[at];
            uint32_t dom = p->leaves[at] ? p->end : UINT32_MAX;
            for (uint32_t k = 0; k < b->succ_count; k++)
                if (p->idom[b->succs[k]] != UINT32_MAX)
                    dom = dom == UINT32_MAX ? b->succs[k] : meet(p, dom, b->succs[k]);
            if (p->idom[at] != dom) {
                p->idom[at] = dom;
                changed = true;
            }
        }
    }
    return !changed;
}

bool *graph_find_rejoins(struct graph *g, const struct graph_flow *flow)
{
    uint32_t n = (uint32_t)g->blocks.n;
    struct post p = {.g = g,
                     .end = n,
                     .leaves = ARENA_ARRAY(g->a, bool, n + 1),
                     .idom = ARENA_ARRAY(g->a, uint32_t, n + 1),
                     .number = ARENA_ARRAY(g->a, uint32_t, n + 1),
                     .order = ARENA_ARRAY(g->a, uint32_t, n + 1)};
    bool *rejoins = ARENA_ARRAY(g->a, bool, n + 1);
    if (!p.leaves || !p.idom || !p.number || !p.order || !rejoins)
        return NULL;
    memset(p.idom, 0xff, (n + 1) * sizeof p.idom[0]);
    for (uint32_t b = 0; b < n; b++)
        p.leaves[b] = g->blocks.p[b].reachable && may_leave(g, &g->blocks.p[b]);
    if (!number_blocks(&p))
        return NULL;
    if (!find_postdominators(&p))
        return rejoins;
    for (uint32_t i = 1; i < flow->order_count; i++) {
        uint32_t at = flow->order[i], from = g->blocks.p[at].idom, up;
        if (from == UINT32_MAX || g->blocks.p[from].loop != g->blocks.p[at].loop || p.idom[at] == UINT32_MAX)
            continue;
        up = from;
        for (unsigned steps = 0; up != UINT32_MAX && up != at && p.number[up] < p.number[at] && steps < CLIMB; steps++)
            up = p.idom[up];
        rejoins[at] = up == at;
    }
    return rejoins;
}
