/* Stores that a load could read by address and way, but that the same thread has overwritten before: the later store is
 * the load's too, by the same thread, its guard holds for that thread whenever the load's and the earlier one's do, and
 * no way from the earlier store to the load leads round it. In a tree reduction written out step by step each load is
 * left with the store of the step before. What another thread has overwritten counts too, where barriers say so.
 * requires: reaches by load · gives: graph_prune_reaches */
#include "graph/graph_depend_internal.h"

enum { GROUP_MAX = 64, OTHERS_MAX = 6 }; /* each of the latter is asked about each other one */

static bool same_thread(const struct graph_reach *a, const struct graph_reach *b)
{
    if (!a->thread_known || !b->thread_known)
        return false;
    if (a->own && b->own)
        return true;
    for (unsigned d = 0; d < 3; d++)
        if (a->thread[d] == GRAPH_NIL || a->thread[d] != b->thread[d])
            return false;
    return true;
}

/* Whenever the load runs (and the earlier store did), the later store did too, for that thread. */
static bool made(struct finder *f, const struct graph_reach *early, const struct graph_reach *late)
{
    struct graph *g = f->g;
    const struct graph_access *x = access_at(f, early->store), *y = access_at(f, late->store),
                              *l = access_at(f, early->load);
    graph_id when = y->runs_when, before = x->runs_when;
    /* Loops of the later store: their turns are those of the earlier store and the load, or its guard is no matter. */
    for (uint32_t k = g->blocks.p[block_of(f, late->store)].loop; k; k = g->loops.p[k - 1].parent) {
        bool common = graph_in_loop(g, block_of(f, early->store), k) && graph_in_loop(g, block_of(f, early->load), k);
        if (graph_turns_with(g, when, k) || graph_turns_with(g, y->address, k) || (!common && g->loops.p[k - 1].apart))
            return false;
    }
    if (when == GRAPH_NIL)
        return true;
    if (late->own && graph_implies(g, l->runs_when, when))
        return true;
    if (!graph_block_uniform(g, when)) {
        when = late->own ? when : graph_substitute_thread(g, when, late->thread);
        if (before != GRAPH_NIL)
            before = early->own ? before : graph_substitute_thread(g, before, early->thread);
    }
    if (when == GRAPH_NIL)
        return false;
    f->solve_work--;
    struct graph_constraints bounds = {0};
    for (unsigned d = 0; d < 3; d++) {
        struct graph_linear u, low = {0};
        if (late->own || !graph_linear_of(g, late->thread[d], &u) || !graph_linear_add(&low, &u, -1))
            continue;
        graph_constrain(&bounds, &low); /* the thread is one of the block's */
    }
    for (uint32_t k = g->blocks.p[block_of(f, early->store)].loop; k; k = g->loops.p[k - 1].parent)
        if (graph_turns_with(g, x->runs_when, k))
            before = GRAPH_NIL;
    graph_id both = graph_and(g, l->runs_when, before);
    return graph_excluded(g, both, graph_not(g, when), &bounds) ||
           graph_excluded(g, l->runs_when, graph_not(g, when), &bounds);
}

static bool parted(const struct graph_reach *r)
{
    return r->sync == GRAPH_SYNC_OWN || r->sync == GRAPH_SYNC_BARRIER || r->sync == GRAPH_SYNC_WARP ||
           r->sync == GRAPH_SYNC_WARP_ASSUMED;
}

/* True when reach i of the group is overwritten before its load. */
static bool overwritten(struct finder *f, const struct graph_reach *group, size_t count, size_t i)
{
    const struct graph_access *x = access_at(f, group[i].store);
    bool any = false;
    f->forced_now++;
    for (size_t k = 0; k < count; k++) {
        const struct graph_access *y = access_at(f, group[k].store);
        if (k == i || group[k].store == group[i].store || f->async[group[k].store] || f->async[group[i].store] ||
            group[k].may || group[k].element != group[i].element || y->kind != GRAPH_STORE || y->width != x->width ||
            !parted(&group[k]) || !same_thread(&group[i], &group[k]) ||
            f->object[group[k].store] != f->object[group[i].store] || !made(f, &group[i], &group[k]))
            continue;
        f->forced[group[k].store] = f->forced_now;
        any = true;
    }
    if (!any)
        return false;
    struct source s;
    graph_make_source(f, group[i].store, &s);
    bool done = graph_flow_from(f, &s), left = !done || f->at[f->event_of[group[i].load]] != 0;
    graph_flow_forget(f, &s);
    return !left;
}

/* By its address the store is what every thread finds that makes the load. */
static bool found_by_all(struct finder *f, const struct graph_reach *r)
{
    const struct graph_side store = graph_side_of(access_at(f, r->store)), load = graph_side_of(access_at(f, r->load));
    struct graph_solution u = {.every = true};
    f->solve_work -= 4;
    graph_solve_pair(f->g, &store, &load, r->element, &u);
    return u.answer == SOLVE_THREAD && u.known && !u.may && u.every;
}

/* … or, outside of loops, by another thread's store of which a barrier parts both: ws[w] of each warp, that the first
 * warp has written over by the time that others read it. */
static bool overwritten_by_other(struct finder *f, const struct graph_reach *group, size_t count, size_t i)
{
    const struct graph *g = f->g;
    const struct graph_access *x = access_at(f, group[i].store);
    size_t later[OTHERS_MAX], n = 0;
    if (count > OTHERS_MAX || g->blocks.p[block_of(f, group[i].store)].loop ||
        g->blocks.p[block_of(f, group[i].load)].loop)
        return false;
    for (size_t k = 0; k < count && f->solve_work > 0; k++) {
        const struct graph_access *y = access_at(f, group[k].store);
        if (k != i && group[k].store != group[i].store && !group[k].may && group[k].thread_known &&
            group[k].element == group[i].element && group[k].classes <= 1 && y->kind == GRAPH_STORE &&
            y->width == x->width && !f->async[group[k].store] && group[k].sync == GRAPH_SYNC_BARRIER &&
            !g->blocks.p[block_of(f, group[k].store)].loop && made(f, &group[i], &group[k]) &&
            found_by_all(f, &group[k]))
            later[n++] = k;
    }
    if (!n)
        return false;
    struct source s;
    graph_make_source(f, group[i].store, &s);
    bool done = graph_flow_from(f, &s), after = false;
    for (size_t k = 0; k < n && done && !after; k++) {
        uint64_t bits = f->at[f->event_of[group[later[k]].store]];
        after = bits && graph_weakest(bits) == SYNC_BLOCK;
    }
    graph_flow_forget(f, &s);
    return after;
}

/* Another array lies behind this one: a thread so far on that it takes a larger block than the load's other sources do
 * is there only if arrays run into one another. */
static void doubt_far_threads(struct finder *f, struct graph_reach *group, size_t count)
{
    enum { NEAR = 32 };
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count && !group[i].own && group[i].block > NEAR && !group[i].assumed; k++)
            if (!group[k].may && group[k].block && group[k].block < group[i].block &&
                group[k].element == group[i].element && group[i].block > graph_sure_block(f))
                group[i].assumed = true;
    }
}

bool graph_prune_reaches(struct finder *f)
{
    size_t kept = 0, end;
    for (size_t i = 0; i < f->reaches.n; i = end) {
        bool drop[GROUP_MAX] = {false};
        const struct graph_reach *group = f->reaches.p + i;
        for (end = i + 1; end < f->reaches.n && f->reaches.p[end].load == group->load;)
            end++;
        size_t count = end - i;
        if (count <= GROUP_MAX)
            doubt_far_threads(f, f->reaches.p + i, count);
        for (size_t k = 0; k < count && count > 1 && count <= GROUP_MAX && f->flow_work > 0 && f->solve_work > 0 &&
                           graph_facts_of(f->g)->tries < TRIES_WORK;
             k++)
            drop[k] = !group[k].may &&
                      (overwritten(f, group, count, k) ||
                       (access_at(f, group->load)->space == UOP_SHARED && overwritten_by_other(f, group, count, k)));
        for (size_t k = 0; k < count; k++)
            if (count > GROUP_MAX || !drop[k])
                f->reaches.p[kept++] = group[k];
    }
    f->reaches.n = kept;
    f->forced_now++;
    return !arena_failed(f->a);
}
