/* Which conditional branches decide a loop: whether it is entered, left or gone round again. What such a branch looks
 * at is a loop test (mean_role.c). In linear time however deep loops are nested.
 *
 * requires: loops of the flow graph · gives: one mark a block */
#include "meaning/mean_internal.h"

/* Loops numbered so that those within one stand in a row: graph.loops has inner ones before outer ones. */
struct nest {
    uint32_t *open, *close; /* of loops */
    uint32_t *latch_of;     /* of blocks: loop + 1, the innermost that it closes */
};

static bool number_loops(const struct mean *m, struct nest *n)
{
    const struct graph *g = m->g;
    uint32_t count = (uint32_t)g->loops.n, top = 0;
    uint32_t *next = ARENA_ARRAY(m->a, uint32_t, count);
    n->open = ARENA_ARRAY(m->a, uint32_t, count);
    n->close = ARENA_ARRAY(m->a, uint32_t, count);
    n->latch_of = ARENA_ARRAY(m->a, uint32_t, g->blocks.n);
    if (!next || !n->open || !n->close || !n->latch_of)
        return false;
    for (uint32_t l = 0; l < count; l++) { /* close: how many there are within, itself too */
        n->close[l]++;
        if (g->loops.p[l].parent)
            n->close[g->loops.p[l].parent - 1] += n->close[l];
    }
    for (uint32_t l = count; l-- > 0;) {
        uint32_t *at = g->loops.p[l].parent ? &next[g->loops.p[l].parent - 1] : &top;
        n->open[l] = *at;
        *at += n->close[l];
        next[l] = n->open[l] + 1;
        n->close[l] += n->open[l];
        n->latch_of[g->loops.p[l].latch] = l + 1;
    }
    return true;
}

static bool in_loop(const struct graph *g, const struct nest *n, uint32_t block, uint32_t loop)
{
    uint32_t own = g->blocks.p[block].loop;
    return own && n->open[own - 1] >= n->open[loop] && n->open[own - 1] < n->close[loop];
}

/* The loop whose header a block is, + 1; 0: none. */
static uint32_t header_of(const struct graph *g, uint32_t block)
{
    uint32_t l = g->blocks.p[block].loop;
    return l && g->loops.p[l - 1].header == block ? l : 0;
}

/* Its conditional branch decides whether a loop is entered, left or gone round again. */
static bool block_decides_loop(const struct graph *g, const struct nest *n, uint32_t at)
{
    const struct graph_block *b = &g->blocks.p[at];
    for (uint32_t s = 0; s < b->succ_count && b->succ_count > 1; s++) {
        uint32_t to = b->succs[s];
        const struct graph_block *next = &g->blocks.p[to];
        uint32_t before = next->succ_count == 1 ? header_of(g, next->succs[0]) : 0;
        if (header_of(g, to) || (before && !in_loop(g, n, at, before - 1) && !in_loop(g, n, to, before - 1)))
            return true;
        const uint32_t own[2] = {header_of(g, at), n->latch_of[at]};
        for (unsigned k = 0; k < 2; k++)
            if (own[k] && !in_loop(g, n, to, own[k] - 1))
                return true;
    }
    return false;
}

const uint8_t *mean_loop_tests(const struct mean *m)
{
    const struct graph *g = m->g;
    struct nest n;
    uint8_t *decides = ARENA_ARRAY(m->a, uint8_t, g->blocks.n);
    if (!decides || !number_loops(m, &n))
        return NULL;
    for (uint32_t b = 0; b < g->blocks.n; b++)
        decides[b] = block_decides_loop(g, &n, b);
    return decides;
}
