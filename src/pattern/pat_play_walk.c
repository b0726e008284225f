/* Walks the loops of the source for one thread with numbers drawn for parameters and block numbers: which addresses of
 * an element do its turns touch, through whatever pieces it was cut into? Two loops that touch the same addresses for
 * many draws are taken to run over the same elements. What depends on data is not known and ends the walk.
 *
 * requires: a play, loops (graph_cycle.h) · gives: ascending addresses; work is bounded by blocks a walk */
#include "pattern/pat_play.h"

#include <stdlib.h>

enum { BLOCKS = 4096, TOUCHED = 4096, SPENT = 30 * 1000 * 1000 };

struct region {
    const struct graph_cycle *cycle;
    uint32_t from, to; /* instances over all of it */
    bool whole;        /* walk from the kernel's start, else from the last block before it */
};

static bool is_within(const struct graph *g, const struct region *r, uint32_t block)
{
    return g->blocks.p[block].first >= r->from && g->blocks.p[block].first <= r->to;
}

/* The last block that lies before all pieces, whichever runs. */
static uint32_t block_before(const struct graph *g, const struct region *r)
{
    uint32_t at = UINT32_MAX;
    for (size_t i = 0; i < r->cycle->pieces.n; i++) {
        const struct graph_piece *p = &r->cycle->pieces.p[i];
        uint32_t other = g->insns.p[p->first].block;
        for (unsigned left = 4096; at != UINT32_MAX && other != UINT32_MAX && at != other && left; left--)
            if (g->blocks.p[at].first > g->blocks.p[other].first)
                at = g->blocks.p[at].idom;
            else
                other = g->blocks.p[other].idom;
        at = at == UINT32_MAX && !i ? other : at == other ? at : UINT32_MAX;
        if (at == UINT32_MAX)
            return at;
    }
    while (at != UINT32_MAX && g->blocks.p[at].first >= r->from)
        at = g->blocks.p[at].idom;
    return at;
}

static graph_id part_of(const struct graph_cycles *y, graph_id id)
{
    return id < y->copy_count && y->copy_of[id] != GRAPH_NIL ? y->copy_of[id] : id;
}

static bool may_leave(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    const struct uop_list *l = input < g->input.count ? g->input.insns[input].uops : NULL;
    for (size_t i = 0; l && i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_EXIT || l->ops.p[i].kind == UOP_RET)
            return true;
    return false;
}

/* The block that control goes to with the numbers as they are; UINT32_MAX: not known. *gone: the thread is at its
 * end. */
static uint32_t next_of(struct pat_play *p, uint32_t block, bool *gone)
{
    const struct graph_block b = p->g->blocks.p[block];
    uint64_t target;
    if (may_leave(p->g, b.last)) {
        enum truth leaves = pat_play_truth(p, p->g->insns.p[b.last].guard, false);
        *gone = leaves == IS_TRUE;
        if (leaves != IS_FALSE || b.succ_count != 1)
            return UINT32_MAX;
    }
    if (b.succ_count == 1)
        return b.succs[0];
    if (b.succ_count != 2 || b.branch == GRAPH_NIL || !pat_play_target(p->g, b.last, &target))
        return UINT32_MAX;
    enum truth taken = pat_play_truth(p, b.branch, false);
    if (taken == IS_UNKNOWN) { /* an expansion's slow way comes back to the same place */
        bool slow[2];
        for (int i = 0; i < 2; i++)
            slow[i] = graph_is_slow(p->g, p->g->blocks.p[b.succs[i]].first);
        return slow[0] == slow[1] ? UINT32_MAX : b.succs[slow[0]];
    }
    bool first = p->g->insns.p[p->g->blocks.p[b.succs[0]].first].offset == target;
    return b.succs[(taken == IS_TRUE) != first];
}

/* Values that meet at the head of a block, all at once. */
static bool enter_block(struct pat_play *p, const struct pat_walk *w, uint32_t from, uint32_t to)
{
    const struct graph_block b = p->g->blocks.p[to];
    uint64_t value[LOOP_PHIS * 4];
    bool known[LOOP_PHIS * 4];
    uint32_t pred = 0, count = w->first[to + 1] - w->first[to];
    while (pred < b.pred_count && b.preds[pred] != from)
        pred++;
    if (pred == b.pred_count || count > LOOP_PHIS * 4)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *n = graph_at(p->g, w->phis[w->first[to] + i]);
        known[i] = n->phi_count == b.pred_count && pat_play_number(p, n->phi_args[pred], &value[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        graph_id id = w->phis[w->first[to] + i];
        p->given[id] = known[i];
        p->value[id] = known[i] ? value[i] : 0;
    }
    if (count)
        pat_play_forget(p);
    return true;
}

static bool touch(struct pat_play *p, uint32_t block, graph_id part, uint64_t *list, unsigned *n)
{
    const struct graph_cycles *y = p->g->cycles;
    for (uint32_t i = p->g->blocks.p[block].first; i <= p->g->blocks.p[block].last; i++)
        for (uint32_t x = 0; x < p->g->insns.p[i].access_count; x++) {
            const struct graph_access a = p->g->accesses.p[p->g->insns.p[i].first_access + x];
            if (a.kind != GRAPH_LOAD || part_of(y, a.result) != part)
                continue;
            enum truth acts =
                p->g->insns.p[i].guard == GRAPH_NIL ? IS_TRUE : pat_play_truth(p, p->g->insns.p[i].guard, false);
            if (acts == IS_FALSE)
                continue;
            if (acts == IS_UNKNOWN || *n == TOUCHED || !pat_play_number(p, a.address, &list[*n]))
                return false;
            ++*n;
        }
    return true;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Addresses of one walk; false: something is not known. */
static bool walk(struct pat_play *p, struct pat_walk *w, const struct region *r, graph_id part, uint64_t *list,
                 unsigned *n)
{
    uint32_t at = r->whole ? 0 : block_before(p->g, r);
    graph_id path = r->whole ? (graph_id)GRAPH_NIL : graph_cycle_path(p->g, r->cycle);
    bool good = at != UINT32_MAX && w->spent < SPENT, gone = false;
    w->spent += 1 + w->first[p->g->blocks.n];
    *n = 0;
    p->drawn_from = r->whole ? 0 : r->from;
    p->drawn_to = r->whole ? UINT32_MAX : r->to;
    pat_play_forget(p);
    gone = good && path != GRAPH_NIL && pat_play_truth(p, path, false) == IS_FALSE; /* it is not come to */
    for (unsigned left = BLOCKS; good && !gone; left--) {
        uint32_t next = left ? next_of(p, at, &gone) : UINT32_MAX;
        good = next != UINT32_MAX || gone;
        if (!good || gone || p->g->blocks.p[next].first > r->to)
            break;
        good = enter_block(p, w, at, next) && (!is_within(p->g, r, next) || touch(p, next, part, list, n));
        at = next;
        w->spent += 1 + p->g->blocks.p[at].last - p->g->blocks.p[at].first;
        good &= w->spent < SPENT;
    }
    for (uint32_t i = 0; i < w->first[p->g->blocks.n]; i++)
        p->given[w->phis[i]] = false;
    pat_play_forget(p);
    if (good && *n)
        qsort(list, *n, sizeof *list, ascending);
    return good;
}

/* Phis by block. */
static bool find_phis(struct pat_play *p)
{
    struct pat_walk *w = &p->walk;
    uint32_t blocks = (uint32_t)p->g->blocks.n;
    if (w->first)
        return true;
    w->first = ARENA_ARRAY(p->a, uint32_t, blocks + 2);
    w->phis = ARENA_ARRAY(p->a, graph_id, p->size + 1);
    w->list[0] = ARENA_ARRAY(p->a, uint64_t, TOUCHED);
    w->list[1] = ARENA_ARRAY(p->a, uint64_t, TOUCHED);
    if (!w->first || !w->phis || !w->list[0] || !w->list[1]) {
        w->first = NULL;
        return false;
    }
    for (int turn = 0; turn < 2; turn++) {
        for (graph_id id = 1; id < p->size; id++) {
            const struct graph_node *n = graph_at(p->g, id);
            if (n->kind != GRAPH_PHI || n->block >= blocks)
                continue;
            if (turn)
                w->phis[w->first[n->block]++] = id;
            else
                w->first[n->block + 1]++;
        }
        for (uint32_t b = turn ? blocks : 0; turn ? b > 0 : b < blocks; b = turn ? b - 1 : b + 1)
            w->first[turn ? b : b + 1] = turn ? w->first[b - 1] : w->first[b] + w->first[b + 1];
        if (turn)
            w->first[0] = 0;
    }
    return true;
}

/* Each address of the second list, or of both, is one of the other. */
static bool agree(const struct pat_walk *w, unsigned n, unsigned m, bool among)
{
    unsigned k = 0;
    for (unsigned i = 2; i < n; i++) /* none is missing */
        if (w->list[0][i] - w->list[0][i - 1] != w->list[0][1] - w->list[0][0])
            return false;
    for (unsigned i = 0; i < m; i++) {
        while (k < n && w->list[0][k] != w->list[1][i])
            k++;
        if (k == n)
            return false;
    }
    return among || n == m;
}

static bool walk_both(struct pat_play *p, const struct region *all, graph_id a, const struct region *one, graph_id b,
                      bool among)
{
    static const unsigned threads[] = {0, 5, 37};
    const struct graph_cycles *y = p->g->cycles;
    unsigned told = 0;
    bool same = true;
    for (p->draw = 1; p->draw <= PAT_DRAWS && same; p->draw++)
        for (unsigned t = 0; t < 3 && same; t++) {
            unsigned n = 0, m = 0;
            p->threads = p->draw & 1 ? 128 : 256;
            p->thread = threads[t];
            same = walk(p, &p->walk, all, part_of(y, a), p->walk.list[0], &n) &&
                   walk(p, &p->walk, one, part_of(y, b), p->walk.list[1], &m) && agree(&p->walk, n, m, among);
            told += n > 1 && m;
        }
    p->draw = 0;
    pat_play_forget(p);
    return same && told >= PAT_DRAWS; /* enough walks have something to say */
}

bool pat_play_same_elements(struct pat_play *p, uint32_t cycle_a, graph_id a, uint32_t cycle_b, graph_id b, bool among)
{
    const struct graph_cycles *y = p->g->cycles;
    if (!y || !y->copy_of || y->cycles.p[cycle_a].irreducible || y->cycles.p[cycle_b].irreducible || !find_phis(p))
        return false;
    struct pat_walked w = {{cycle_a, cycle_b}, {part_of(y, a), part_of(y, b)}, among, false};
    for (size_t i = 0; i < p->walk.known.n; i++) {
        const struct pat_walked *o = &p->walk.known.p[i];
        if (o->cycle[0] == cycle_a && o->cycle[1] == cycle_b && o->part[0] == w.part[0] && o->part[1] == w.part[1] &&
            o->among == among)
            return o->same;
    }
    struct region ra = {&y->cycles.p[cycle_a], y->cycles.p[cycle_a].first, y->cycles.p[cycle_a].last, false};
    struct region rb = {&y->cycles.p[cycle_b], y->cycles.p[cycle_b].first, y->cycles.p[cycle_b].last, false};
    w.same = walk_both(p, &ra, a, &rb, b, among);
    if (!w.same) {
        ra.whole = rb.whole = true;
        w.same = walk_both(p, &ra, a, &rb, b, among);
    }
    if (p->walk.known.n < 256)
        VEC_PUSH(p->a, p->walk.known, w);
    return w.same;
}
