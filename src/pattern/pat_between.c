/* The code of a function of mathematics beyond what makes its values: branches that choose which of them is computed,
 * loops, moves of constants, marks of reconvergence. A branch is the function's when it asks of nothing but the
 * function's values and decides about nothing else: its ways have no effect, and where they meet no other value depends
 * on the way that was gone. Whatever else the compiler moved in between stays the kernel's.
 *
 * Requires a built graph and a function; gives instances. Work: blocks between, for each outermost branch. */
#include "pattern/pat_internal.h"

#include <stdlib.h>

enum { BETWEEN = 1024 };

struct between {
    struct arena *a;
    const struct pat_index *x;
    struct graph *g;
    const struct pat_branches *branches;
    struct map_u64 self;    /* the function's nodes, … */
    struct map_u64 nodes;   /* … and all others': sine and cosine, which ask the same, have their branches together */
    struct map_u64 foreign; /* blocks where values meet that are not */
    struct map_u64 mine;    /* instances */
    VEC(uint32_t) turns, rest;
};

static bool is_node(const struct between *w, graph_id id)
{
    return map_u64_get(&w->nodes, id, NULL);
}

static bool is_own(const struct between *w, graph_id id)
{
    return map_u64_get(&w->self, id, NULL);
}

/* How memory is reached, on machines that need a descriptor for it. */
static bool is_descriptor(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    while ((n->kind == UOP_UNIFORM || n->kind == UOP_LO || n->kind == UOP_HI) && n->arg_count)
        n = graph_at(g, n->arg[0]);
    uint32_t at = g->env ? g->env->descriptor_offset : 0;
    return n->kind == UOP_CBANK && n->space == 0 && !n->arg_count && at && n->imm >= at && n->imm < at + 8;
}

static bool makes_only(const struct between *w, uint32_t insn)
{
    const struct graph *g = w->g;
    const struct graph_insn *n = &g->insns.p[insn];
    for (uint32_t i = 0; i < n->access_count; i++) {
        const struct graph_access *access = &g->accesses.p[n->first_access + i];
        if (access->space != UOP_LOCAL && (access->kind != GRAPH_LOAD || !pat_is_of_table(g, access->address)))
            return false;
    }
    for (uint32_t i = 0; i < n->def_count; i++) {
        const struct graph_def *d = &g->defs.p[n->first_def + i];
        const struct graph_node *node = graph_at(g, d->node);
        bool half = node->kind == UOP_LO || node->kind == UOP_HI;
        bool mine = !d->read || node->kind == UOP_LOAD || graph_is_const(g, d->node, NULL) || is_own(w, d->node) ||
                    is_descriptor(g, d->node) || (d->wide != GRAPH_NIL && is_own(w, d->wide)) ||
                    (half && is_own(w, node->arg[0])) || (d->node < w->x->count && !w->x->live[d->node]) ||
                    (node->type == UOP_B1 && is_own(w, graph_not(w->g, d->node)));
        if (!mine)
            return false;
    }
    return true;
}

/* It asks of functions' values alone, … */
static bool chooses(const struct between *w, graph_id branch)
{
    graph_id atoms[6];
    unsigned count = 0;
    uint64_t table;
    if (branch == GRAPH_NIL)
        return false;
    if (is_node(w, branch))
        return true;
    if (!graph_table(w->g, branch, atoms, &count, &table) || !count)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!is_node(w, atoms[i]))
            return false;
    return true;
}

/* … of one of this function's, too. */
static bool asks_own(const struct between *w, graph_id branch)
{
    graph_id atoms[6];
    unsigned count = 0;
    uint64_t table;
    bool found = is_own(w, branch);
    if (!found && graph_table(w->g, branch, atoms, &count, &table))
        for (unsigned i = 0; i < count; i++)
            found |= is_own(w, atoms[i]);
    return found;
}

/* A condition that something else depends on too parts more than the function. */
static bool is_shared(const struct between *w, graph_id branch)
{
    graph_id atoms[6];
    unsigned count = 0;
    uint64_t table;
    if (!graph_table(w->g, branch, atoms, &count, &table))
        return false;
    for (unsigned i = 0; i < count; i++) {
        uint32_t users = 0;
        const graph_id *list = graph_users(w->g, atoms[i], &users);
        for (uint32_t k = 0; k < users; k++)
            if (graph_at(w->g, list[k])->kind == UOP_SELECT && list[k] < w->x->count && w->x->live[list[k]] &&
                !is_node(w, list[k]))
                return true;
    }
    return false;
}

static void own(struct between *w, uint32_t insn, bool turns)
{
    if (map_u64_get(&w->mine, insn, NULL))
        return;
    map_u64_put(w->a, &w->mine, insn, 1);
    if (turns)
        VEC_PUSH(w->a, w->turns, insn);
    else
        VEC_PUSH(w->a, w->rest, insn);
}

static bool is_below(const struct graph *g, uint32_t block, uint32_t top)
{
    while (block != UINT32_MAX && block != top && g->blocks.p[block].first > g->blocks.p[top].first)
        block = g->blocks.p[block].idom;
    return block == top;
}

/* Where all ways from the block come together first, in the order of the code; UINT32_MAX: nowhere near. */
static uint32_t meeting(struct between *w, uint32_t from)
{
    enum { OPEN = 64 };
    const struct graph *g = w->g;
    uint32_t open[OPEN] = {from}, count = 1;
    struct map_u64 seen = {0};
    for (unsigned steps = 0; steps < BETWEEN && count; steps++) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < count; i++)
            if (g->blocks.p[open[i]].first < g->blocks.p[open[least]].first)
                least = i;
        uint32_t block = open[least];
        if (count == 1 && block != from)
            return block;
        open[least] = open[--count];
        const struct graph_block *b = &g->blocks.p[block];
        if (!b->succ_count)
            return UINT32_MAX;
        for (uint32_t i = 0; i < b->succ_count; i++) {
            if (map_u64_get(&seen, b->succs[i], NULL))
                continue;
            if (count == OPEN || !map_u64_put(w->a, &seen, b->succs[i], 1))
                return UINT32_MAX;
            open[count++] = b->succs[i];
        }
    }
    return UINT32_MAX;
}

/* All ways from `from` to `to`, both without. False: something else is done or decided there. */
static bool own_between(struct between *w, uint32_t from, uint32_t to)
{
    const struct graph *g = w->g;
    VEC(uint32_t) blocks = {0};
    struct map_u64 seen = {0};
    const struct graph_block *top = &g->blocks.p[from];
    VEC_PUSH(w->a, blocks, to);
    map_u64_put(w->a, &seen, to, 1);
    map_u64_put(w->a, &seen, from, 1);
    for (size_t i = 0; i < blocks.n; i++) {
        const struct graph_block *b = &g->blocks.p[blocks.p[i]];
        if (blocks.n > BETWEEN || arena_failed(w->a) || map_u64_get(&w->foreign, blocks.p[i], NULL))
            return false;

        if (i && b->succ_count > 1 && (!chooses(w, b->branch) || is_shared(w, b->branch)))
            return false;
        for (uint32_t k = b->first; i && k <= b->last; k++)
            if (pat_has_effect(g, k))
                return false;
        for (uint32_t p = 0; p < b->pred_count; p++)
            if (!map_u64_get(&seen, b->preds[p], NULL) && is_below(g, b->preds[p], from)) {
                map_u64_put(w->a, &seen, b->preds[p], 1);
                VEC_PUSH(w->a, blocks, b->preds[p]);
            }
    }
    if (top->succ_count > 1 && (!chooses(w, top->branch) || is_shared(w, top->branch)))
        return false;
    for (size_t i = 0; i <= blocks.n; i++) { /* nothing leads elsewhere */
        const struct graph_block *b = i < blocks.n ? &g->blocks.p[blocks.p[i]] : top;
        for (uint32_t k = 0; i && k < b->succ_count; k++)
            if (!map_u64_get(&seen, b->succs[k], NULL))
                return false;
    }
    for (size_t i = 1; i < blocks.n; i++) {
        const struct graph_block *b = &g->blocks.p[blocks.p[i]];
        for (uint32_t k = b->first; k <= b->last; k++)
            if (makes_only(w, k))
                own(w, k, b->loop && b->loop != top->loop);
    }
    if (top->succ_count > 1)
        own(w, top->last, false);
    if (pat_reconverges(g, g->blocks.p[to].first, UOP_BSYNC))
        own(w, g->blocks.p[to].first, false);
    for (uint32_t k = top->last + 1; k-- > top->first;)
        if (pat_reconverges(g, k, UOP_BSSY)) {
            own(w, k, false);
            break;
        }
    return true;
}

static int descending(const void *p, const void *q)
{
    graph_id a = *(const graph_id *)p, b = *(const graph_id *)q;
    return (a < b) - (a > b);
}

/* By node: an instruction reads it for more than memory of the thread's own, below the block; NULL: no memory. */
static bool *read_elsewhere(const struct between *w, uint32_t from)
{
    const struct graph *g = w->g;
    bool *read = ARENA_ARRAY(w->a, bool, w->x->count + 1);
    for (uint32_t i = 0; i < g->insns.n && read; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        bool local = n->access_count && is_below(g, n->block, from);
        for (uint32_t k = 0; k < n->access_count; k++)
            local &= g->accesses.p[n->first_access + k].space == UOP_LOCAL;
        for (uint32_t u = n->first_use; u < n->first_use + n->use_count && !local && n->reachable; u++)
            if (g->uses.p[u].node < w->x->count)
                read[g->uses.p[u].node] = true;
    }
    return read;
}

/* Where the function keeps its numbers in the thread's own memory is its own too: what addresses there are made of, as
 * far as nothing else is made of it. Users have larger numbers than what they use. */
static void add_addresses(struct between *w, const struct pat_function *f, struct pat_slow *out)
{
    enum { CONE = 256 };
    const struct graph *g = w->g;
    graph_id list[CONE];
    uint32_t count = 0;
    struct map_u64 met = {0}, asked = {0}; /* asked: addresses */
    const bool *elsewhere = NULL;
    for (size_t i = 0; i < g->accesses.n && count < CONE; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        const struct graph_insn *n = &g->insns.p[x->insn];
        if (x->space != UOP_LOCAL || !is_below(g, n->block, f->from))
            continue;
        map_u64_put(w->a, &asked, x->address, 1);
        if (!map_u64_get(&met, x->address, NULL) && map_u64_put(w->a, &met, x->address, 1))
            list[count++] = x->address;
        if (!elsewhere && !(elsewhere = read_elsewhere(w, f->from)))
            return;
        for (uint32_t u = n->first_use; u < n->first_use + n->use_count && count < CONE; u++) { /* less an offset */
            graph_id id = g->uses.p[u].node;
            bool value = id >= w->x->count || is_own(w, id) || !pat_is_pure(graph_at(g, id)) ||
                         graph_is_const(g, id, NULL) || map_u64_get(&met, id, NULL);
            if (value || elsewhere[id] || !map_u64_put(w->a, &met, id, 1))
                continue;
            map_u64_put(w->a, &asked, id, 1);
            list[count++] = id;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *n = graph_at(g, list[i]);
        for (unsigned k = 0; k < n->arg_count && count < CONE && pat_is_pure(n); k++)
            if (!is_own(w, n->arg[k]) && pat_is_pure(graph_at(g, n->arg[k])) && !graph_is_const(g, n->arg[k], NULL) &&
                !map_u64_get(&met, n->arg[k], NULL) && map_u64_put(w->a, &met, n->arg[k], 1))
                list[count++] = n->arg[k];
    }
    if (count)
        qsort(list, count, sizeof list[0], descending);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t users = 0;
        const graph_id *user = graph_users(g, list[i], &users);
        bool only = users || map_u64_get(&asked, list[i], NULL);
        for (uint32_t k = 0; k < users && only; k++)
            only = is_own(w, user[k]) || user[k] >= w->x->count || !w->x->live[user[k]];
        if (!only || !pat_is_pure(graph_at(g, list[i])))
            continue;
        map_u64_put(w->a, &w->self, list[i], 1);
        VEC_PUSH(w->a, out->nodes, list[i]);
    }
}

bool pat_function_code(struct arena *a, const struct pat_index *x, const struct pat_branches *b,
                       const struct pat_function *f, const struct map_u64 *all, struct pat_slow *out)
{
    struct between w = {.a = a, .x = x, .g = x->g, .branches = b, .nodes = *all};
    *out = (struct pat_slow){0};
    map_u64_put(a, &w.self, f->node, 1);
    for (unsigned i = 0; i < f->inner_count; i++)
        map_u64_put(a, &w.self, f->inner[i], 1);
    for (graph_id id = 1; id < x->count; id++) {
        const struct graph_node *n = graph_at(x->g, id);
        if (n->kind == GRAPH_PHI && x->live[id] && !is_node(&w, id))
            map_u64_put(a, &w.foreign, n->block, 1);
    }
    if (f->walks)
        add_addresses(&w, f, out);
    if (f->walks)
        own_between(&w, f->from, f->to);
    for (uint32_t i = 0; i < x->g->blocks.n; i++) {
        const struct graph_block *d = &x->g->blocks.p[i];
        uint32_t join;
        if (d->reachable && d->succ_count == 2 && chooses(&w, d->branch) && asks_own(&w, d->branch) &&
            !map_u64_get(&w.mine, d->last, NULL) &&
            (pat_ways_meet(b, x->g, i, &join) || (join = meeting(&w, i)) != UINT32_MAX))
            own_between(&w, i, join);
    }
    for (size_t i = 0; i < w.turns.n; i++)
        VEC_PUSH(a, out->insns, w.turns.p[i]);
    for (size_t i = 0; i < w.rest.n; i++)
        VEC_PUSH(a, out->insns, w.rest.p[i]);
    out->fringe = (uint32_t)w.rest.n;
    return !arena_failed(a);
}
