/* Blocks that store and load again: elements brought to shared memory for other threads, values a thread keeps in its
 * own memory because registers ran out (always the same place) or because it indexes them at run time. Requires memory
 * dependence for the first; whose a load's value is, is read off the graph. */
#include "pattern/pat_collect.h"

#include "place/place.h"

#include <string.h>

/* The global load a stored value is, perhaps with a constant for threads that do not load. NIL: something else. */
static graph_id loaded_element(const struct graph *g, graph_id value, unsigned depth)
{
    const struct graph_node *n = graph_at(g, value);
    if (n->kind == UOP_LOAD)
        return n->space == UOP_GLOBAL || n->space == UOP_GENERIC ? value : GRAPH_NIL;
    if (n->kind == UOP_ELEMENT || n->kind == UOP_LO || n->kind == UOP_HI)
        return loaded_element(g, n->arg[0], depth + 1);
    if (n->kind == UOP_SELECT && depth < 4) {
        if (graph_is_const(g, n->arg[2], NULL))
            return loaded_element(g, n->arg[1], depth + 1);
        if (graph_is_const(g, n->arg[1], NULL))
            return loaded_element(g, n->arg[2], depth + 1);
    }
    return GRAPH_NIL;
}

/* Did a reduction or scan take its elements from this store? */
static bool feeds_steps(const struct pat_collect *k, uint32_t store)
{
    for (size_t i = 0; i < k->list.n; i++)
        for (size_t f = 0; f < k->list.p[i]->fills.n; f++)
            if (k->list.p[i]->fills.p[f] == store)
                return true;
    return false;
}

/* Accesses of which it is not known what the others make of them: a store may have come in between, a thread may
 * overtake another. NULL: out of memory. */
static bool *find_doubtful(struct pat_collect *k, const struct graph_dependence *d)
{
    bool *doubtful = ARENA_ARRAY(k->a, bool, k->x->g->accesses.n + 1);
    if (!doubtful)
        return NULL;
    for (size_t i = 0; i < d->reaches.n; i++)
        if (d->reaches.p[i].may || d->reaches.p[i].sync == GRAPH_SYNC_NONE)
            doubtful[d->reaches.p[i].load] = true;
    for (size_t i = 0; i < d->races.n; i++)
        doubtful[d->races.p[i].first] = doubtful[d->races.p[i].second] = true;
    return doubtful;
}

/* The load also finds what threads have computed meanwhile: partial results in the place of what was brought. */
static bool finds_results(const struct graph *g, uint32_t load)
{
    const struct graph_dependence *d = g->dependence;
    for (uint32_t r = d->first_reach[load]; r < d->first_reach[load + 1]; r++) {
        const struct graph_access *x = &g->accesses.p[d->reaches.p[r].store];
        if (x->kind == GRAPH_ATOMIC ||
            (!graph_is_const(g, x->value[0], NULL) && loaded_element(g, x->value[0], 0) == GRAPH_NIL))
            return true;
    }
    return false;
}

static void match_stage(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    const struct graph *g = k->x->g;
    const struct graph_dependence *d = g->dependence;
    if (!d || !d->first_reach)
        return;
    /* By store: who loads it, and what parts the two. */
    uint32_t *first = ARENA_ARRAY(k->a, uint32_t, g->accesses.n + 1);
    uint32_t *next = ARENA_ARRAY(k->a, uint32_t, d->reaches.n + 1);
    bool *doubtful = find_doubtful(k, d);
    if (!first || !next || !doubtful)
        return;
    memset(first, 0xff, (g->accesses.n + 1) * sizeof *first);
    for (uint32_t r = (uint32_t)d->reaches.n; r-- > 0;) {
        next[r] = first[d->reaches.p[r].store];
        first[d->reaches.p[r].store] = r;
    }
    for (uint32_t s = 0; s < g->accesses.n; s++) {
        const struct graph_access a = g->accesses.p[s];
        if (a.kind != GRAPH_STORE || a.space != UOP_SHARED || !g->insns.p[a.insn].reachable ||
            loaded_element(g, a.value[0], 0) == GRAPH_NIL || feeds_steps(k, s))
            continue;
        VEC(uint32_t) extra = {0};
        bool other = false, assumed = doubtful[s] || !d->complete;
        for (uint32_t r = first[s]; r != UINT32_MAX; r = next[r]) {
            const struct graph_reach *reach = &d->reaches.p[r];
            if (reach->may || reach->sync != GRAPH_SYNC_BARRIER || k->step_load[reach->load])
                continue;
            other |= !reach->own;
            assumed |= reach->assumed || doubtful[reach->load] || finds_results(g, reach->load);
            VEC_PUSH(k->a, extra, g->accesses.p[reach->load].insn);
            for (uint32_t b = 0; b < reach->barrier_count; b++)
                VEC_PUSH(k->a, extra, reach->barriers[b]);
        }
        if (!other)
            continue;
        VEC_PUSH(k->a, extra, a.insn);
        pat_ctx_begin(k->c, page, v, GRAPH_NIL);
        VEC_PUSH(k->a, k->c->inner, (struct pat_inner){.node = loaded_element(g, a.value[0], 0), .load = true});
        k->c->bound[v->plan->array] = (struct pat_bound){.set = true, .param = -1, .text = uop_space_text(UOP_SHARED)};
        struct pat_found *f = pat_match_where(k->c) ? pat_keep(k->run, GRAPH_NIL, extra.p, (unsigned)extra.n) : NULL;
        if (f && assumed)
            f->match.confidence = PAT_ASSUMED;
    }
}

/* An access of the kernel's own code that is for what the page tells. */
static bool is_of(const struct graph *g, const uint8_t *local, uint32_t i, enum place_local what)
{
    const struct graph_access *x = &g->accesses.p[i];
    bool owned =
        what == PLACE_ARRAY && graph_is_owned(g, x->insn); /* but what is put away is put away for lack of room */
    return local[i] == what && g->insns.p[x->insn].reachable && !graph_is_slow(g, x->insn) && !owned;
}

/* The array: all that is stored to it and loaded from it is one match. */
static void match_array(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v,
                        const uint8_t *local)
{
    const struct graph *g = k->x->g;
    VEC(uint32_t) insns = {0};
    bool stored = false, loaded = false;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        if (!is_of(g, local, i, PLACE_ARRAY))
            continue;
        stored |= g->accesses.p[i].kind == GRAPH_STORE;
        loaded |= g->accesses.p[i].kind == GRAPH_LOAD;
        VEC_PUSH(k->a, insns, g->accesses.p[i].insn);
    }
    if (!stored || !loaded)
        return;
    pat_ctx_begin(k->c, page, v, GRAPH_NIL);
    if (pat_match_where(k->c))
        pat_keep(k->run, GRAPH_NIL, insns.p, (unsigned)insns.n);
}

/* Each place that keeps a register is one match, with all stores to it and loads from it. */
static void match_slots(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v,
                        const uint8_t *local)
{
    const struct graph *g = k->x->g;
    uint32_t *next = ARENA_ARRAY(k->a, uint32_t, g->accesses.n + 1), head; /* accesses of one address, as a list */
    bool *done = ARENA_ARRAY(k->a, bool, g->accesses.n + 1);
    struct map_u64 first = {0};
    if (!next || !done)
        return;
    for (uint32_t i = (uint32_t)g->accesses.n; i-- > 0;) {
        graph_id address = g->accesses.p[i].address;
        if (!is_of(g, local, i, PLACE_SLOT))
            continue;
        next[i] = map_u64_get(&first, address, &head) ? head : UINT32_MAX;
        map_u64_put(k->a, &first, address, i);
    }
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        VEC(uint32_t) insns = {0};
        bool read = false;
        if (done[i] || g->accesses.p[i].kind != GRAPH_STORE || !is_of(g, local, i, PLACE_SLOT))
            continue;
        uint32_t j = map_u64_get(&first, g->accesses.p[i].address, &head) ? head : UINT32_MAX;
        for (; j != UINT32_MAX; j = next[j]) {
            done[j] = true;
            read |= g->accesses.p[j].kind == GRAPH_LOAD;
            VEC_PUSH(k->a, insns, g->accesses.p[j].insn);
        }
        if (!read)
            continue;
        pat_ctx_begin(k->c, page, v, GRAPH_NIL);
        if (pat_match_where(k->c))
            pat_keep(k->run, GRAPH_NIL, insns.p, (unsigned)insns.n);
    }
}

/* A block with a constant index is a place of the frame, one with an index of the run an array. */
static void match_frame(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    const struct cu_expr *index = v->plan->own;
    int name = index->kind == CU_NAME ? cu_find_variable(&v->block, index->text) : -1;
    const uint8_t *local = place_find_local(k->a, k->x->g);
    if (!local)
        return;
    if (index->kind == CU_NUMBER || (name >= 0 && v->block.variables[name].constant))
        match_slots(k, page, v, local);
    else
        match_array(k, page, v, local);
}

void pat_collect_moves(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    if (v->plan->kind == PLAN_STAGE)
        match_stage(k, page, v);
    else
        match_frame(k, page, v);
}

void pat_collect_page(struct pat_collect *k, const struct pat_page *page)
{
    for (size_t i = 0; i < page->variants.n; i++) {
        const struct pat_variant *v = &page->variants.p[i];
        switch (v->plan ? v->plan->kind : PLAN_MEMORY) {
        case PLAN_MEMORY:
        case PLAN_LANES:
        case PLAN_MERGE: break;
        case PLAN_FOLD:
        case PLAN_COUNTER:
        case PLAN_UNROLL: pat_collect_loops(k, page, v); break;
        case PLAN_PERFORM:
        case PLAN_WARP:
        case PLAN_BRANCH: pat_collect_effects(k, page, v); break;
        case PLAN_STAGE:
        case PLAN_FRAME: pat_collect_moves(k, page, v); break;
        }
    }
}
