/* What orders the threads of a block: barriers that every thread still running reaches together, barriers of which that
 * is not known, warp syncs. A barrier counts as one of the whole block when it has no thread count, its guard is the
 * same in all threads, and it does not lie between a branch that threads take differently and the place where they meet
 * again. Threads that end before a barrier are not waited for: a way that only ends is no way round it. A fence orders
 * what one thread does, and no two threads: who reads behind it must have waited for something.
 * requires: graph_block_uniform · gives: graph_find_syncs, graph_find_dead_ends */
#include "graph/graph_depend_internal.h"

static const struct uop_list *uops_of(const struct graph *g, uint32_t insn)
{
    return g->input.insns[g->insns.p[insn].input].uops;
}

static bool whole_block(const struct graph *g, const struct uop_list *l, const struct uop *bar)
{
    const uint32_t *block = g->env->block;
    bool waits = bar->imm == UOP_BAR_SYNC || bar->imm == UOP_BAR_RED_POPC || bar->imm == UOP_BAR_RED_AND ||
                 bar->imm == UOP_BAR_RED_OR;
    if (!waits || (bar->arg[0] != UOP_NONE && (bar->arg[0] >= l->ops.n || l->ops.p[bar->arg[0]].kind != UOP_CONST)))
        return false;
    if (bar->arg[1] == UOP_NONE)
        return true;
    return bar->arg[1] < l->ops.n && l->ops.p[bar->arg[1]].kind == UOP_CONST && block[0] && block[1] && block[2] &&
           l->ops.p[bar->arg[1]].imm == (uint64_t)block[0] * block[1] * block[2];
}

/* The mask names every lane of the warp: as it is for this call of a function. */
static bool meets_all(const struct graph *g, const struct graph_insn *insn, const struct uop_list *l,
                      const struct uop *sync)
{
    uint64_t mask = 0;
    if (insn->guard != GRAPH_NIL || sync->arg[0] >= l->ops.n)
        return false;
    const struct uop *from = &l->ops.p[sync->arg[0]];
    for (uint32_t i = insn->first_use; i < insn->first_use + insn->use_count && from->kind == UOP_READ; i++)
        if (g->uses.p[i].file == from->file && g->uses.p[i].reg == from->reg)
            return graph_is_const(g, g->uses.p[i].node, &mask) && (uint32_t)mask == UINT32_MAX;
    return false;
}

/* `followed`: the call at it, if there is one, is part of the flow graph. */
static uint8_t strength_of(struct graph *g, uint32_t at, bool followed, struct graph_opaque *opaque)
{
    const struct uop_list *l = uops_of(g, at);
    const struct graph_insn *insn = &g->insns.p[at];
    uint8_t s = l->unknown ? SYNC_MAYBE : SYNC_NOTHING;
    opaque->stores |= l->unknown;
    for (size_t i = 0; i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i];
        uint8_t k = SYNC_NOTHING;
        switch (u->kind) {
        case UOP_BAR:
            k = whole_block(g, l, u) && graph_block_uniform(g, insn->guard) ? SYNC_BLOCK : SYNC_MAYBE;
            opaque->orders |= k == SYNC_MAYBE; /* stores may be seen on no way of the code */
            break;
        case UOP_WARPSYNC: k = meets_all(g, insn, l, u) ? SYNC_WARP : SYNC_LANES; break;
        case UOP_RECONVERGE:
            if (u->imm == UOP_WARPSYNC_ALL && insn->guard == GRAPH_NIL)
                k = SYNC_WARP;
            break;
        case UOP_ASYNC_COPY: opaque->orders = true; break; /* nobody says when */
        case UOP_CALL:
        case UOP_CALL_IND:
            if (!followed) {
                opaque->stores = true;
                k = SYNC_MAYBE;
            }
            break;
        case UOP_LOAD: /* waiting for another thread's word */
            if (u->order >= UOP_RELAXED_CTA && u->order <= UOP_MMIO && g->blocks.p[insn->block].loop)
                k = SYNC_MAYBE;
            break;
        case UOP_ATOM:
            if (u->imm == UOP_ATOM_CAS || u->imm == UOP_ATOM_EXCH) { /* locks are made of these */
                k = SYNC_MAYBE;
                opaque->orders = true;
            }
            break;
        default: break;
        }
        s = k > s ? k : s;
    }
    return s;
}

/* ---- where threads that parted meet again ---------------------------------------------------- */

struct meeting {
    struct graph *g;
    const uint8_t *syncs;
    bool *to_barrier;   /* a barrier can be reached */
    bool *from_barrier; /* a barrier can have been passed */
    bool *dead_end;
    bool *again; /* stands for the end where control goes round a barrier for good, as far as it does not just end */
    uint32_t *order, *position, *meets; /* reverse post-order of the graph turned round; immediate post-dominator */
    uint32_t count;
};

static bool has_barrier(const struct graph *g, const uint8_t *syncs, uint32_t block)
{
    for (uint32_t i = g->blocks.p[block].first; i <= g->blocks.p[block].last; i++)
        if (syncs[i] == SYNC_BLOCK)
            return true;
    return false;
}

/* Marks what is reached from marked blocks, forward or backward. */
static bool flood(struct arena *a, const struct graph *g, bool *marks, bool forward)
{
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, g->blocks.n + 1), n = 0;
    if (!stack)
        return false;
    for (uint32_t b = 0; b < g->blocks.n; b++)
        if (marks[b])
            stack[n++] = b;
    while (n) {
        const struct graph_block *b = &g->blocks.p[stack[--n]];
        const uint32_t *next = forward ? b->succs : b->preds;
        uint32_t count = forward ? b->succ_count : b->pred_count;
        for (uint32_t k = 0; k < count; k++)
            if (!marks[next[k]] && g->blocks.p[next[k]].reachable) {
                marks[next[k]] = true;
                stack[n++] = next[k];
            }
    }
    return true;
}

bool *graph_find_dead_ends(struct arena *a, struct graph *g, const uint8_t *syncs)
{
    bool *alive = ARENA_ARRAY(a, bool, g->blocks.n + 1);
    if (!alive)
        return NULL;
    for (size_t i = 0; i < g->accesses.n; i++)
        alive[g->insns.p[g->accesses.p[i].insn].block] = true;
    for (uint32_t i = 0; i < g->insns.n; i++)
        if (syncs[i])
            alive[g->insns.p[i].block] = true;
    if (!flood(a, g, alive, false))
        return NULL;
    for (uint32_t b = 0; b < g->blocks.n; b++)
        alive[b] = !alive[b];
    return alive;
}

/* The ways out of a block that count: UINT32_MAX ends a list; g->blocks.n stands for everything behind the barriers. */
static uint32_t ways(const struct meeting *m, uint32_t block, uint32_t *out, uint32_t max)
{
    const struct graph_block *b = &m->g->blocks.p[block];
    uint32_t n = 0;
    for (uint32_t k = 0; k < b->succ_count && n < max; k++) {
        uint32_t s = b->succs[k];
        if (m->to_barrier[s])
            out[n++] = s;
        else if (m->from_barrier[s] && !m->dead_end[s])
            out[n++] = (uint32_t)m->g->blocks.n;
    }
    if (!n)
        out[n++] = (uint32_t)m->g->blocks.n;
    return n;
}

enum { WAYS_MAX = 16 };

/* Where these ways meet, as far as is known. */
static uint32_t meet_of(const struct meeting *m, const uint32_t *out, uint32_t count)
{
    uint32_t dom = UINT32_MAX;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t x = out[k], y = dom;
        if (m->position[x] == UINT32_MAX || m->meets[x] == UINT32_MAX)
            continue;
        while (y != UINT32_MAX && x != y) {
            while (m->position[x] > m->position[y])
                x = m->meets[x];
            while (m->position[y] > m->position[x])
                y = m->meets[y];
        }
        dom = x;
    }
    return dom;
}

static bool find_meetings(struct arena *a, struct meeting *m)
{
    const struct graph *g = m->g;
    uint32_t n = (uint32_t)g->blocks.n, out[WAYS_MAX], depth = 0, post = n + 1;
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, n + 2), *next = ARENA_ARRAY(a, uint32_t, n + 2);
    uint32_t *heads = ARENA_ARRAY(a, uint32_t, n + 2), *links, *from, edges = 1;
    bool *seen = ARENA_ARRAY(a, bool, n + 2);
    uint32_t last = n;
    m->again = ARENA_ARRAY(a, bool, n + 1);
    if (arena_failed(a))
        return false;
    for (uint32_t b = 0; b < n; b++)
        if (m->to_barrier[b])
            edges += ways(m, b, out, WAYS_MAX);
    links = ARENA_ARRAY(a, uint32_t, edges);
    from = ARENA_ARRAY(a, uint32_t, edges);
    m->order = ARENA_ARRAY(a, uint32_t, n + 2);
    m->position = ARENA_ARRAY(a, uint32_t, n + 2);
    m->meets = ARENA_ARRAY(a, uint32_t, n + 2);
    if (arena_failed(a))
        return false;
    edges = 1;
    for (uint32_t b = 0; b < n; b++) {
        uint32_t count = m->to_barrier[b] ? ways(m, b, out, WAYS_MAX) : 0;
        for (uint32_t k = 0; k < count; k++) {
            from[edges] = b;
            links[edges] = heads[out[k]];
            heads[out[k]] = edges++;
        }
        m->meets[b] = UINT32_MAX;
        m->position[b] = UINT32_MAX;
    }
    m->meets[n] = n;
    stack[depth++] = n;
    seen[n] = true;
    next[n] = heads[n];
    while (depth) {
        uint32_t at = stack[depth - 1], e = next[at];
        while (!e && at == n && last && (seen[last - 1] || !has_barrier(g, m->syncs, last - 1)))
            last--;
        if (!e && at == n && last) { /* nothing but a barrier comes after a barrier */
            last--;
            m->again[last] = seen[last] = true;
            next[last] = heads[last];
            stack[depth++] = last;
            continue;
        }
        if (!e) {
            m->order[--post] = at;
            depth--;
            continue;
        }
        next[at] = links[e];
        if (!seen[from[e]]) {
            seen[from[e]] = true;
            next[from[e]] = heads[from[e]];
            stack[depth++] = from[e];
        }
    }
    m->count = n + 1 - post;
    for (uint32_t i = 0; i < m->count; i++) {
        m->order[i] = m->order[post + i];
        m->position[m->order[i]] = i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < m->count; i++) {
            uint32_t at = m->order[i], dom = m->again[at] ? n : meet_of(m, out, ways(m, at, out, WAYS_MAX));
            changed |= m->meets[at] != dom;
            m->meets[at] = dom;
        }
    }
    return true;
}

/* Barriers between a branch that threads take differently and the place where they meet are not the whole block's. */
static bool demote_divergent(struct arena *a, struct meeting *m, uint8_t *syncs, struct graph_opaque *opaque)
{
    enum { WORK = 2000000 };
    struct graph *g = m->g;
    uint32_t n = (uint32_t)g->blocks.n, out[WAYS_MAX];
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, n + 1), *stamp = ARENA_ARRAY(a, uint32_t, n + 1), now = 0;
    int budget = WORK;
    if (!stack || !stamp)
        return false;
    for (uint32_t b = 0; b < n; b++) {
        const struct graph_block *block = &g->blocks.p[b];
        if (!m->to_barrier[b] || block->succ_count < 2 || graph_block_uniform(g, block->branch))
            continue;
        uint32_t depth = 0, count = ways(m, b, out, WAYS_MAX), meets = meet_of(m, out, count);
        if (count < 2 && block->succ_count <= WAYS_MAX)
            continue; /* the other way ends */
        now++;
        for (uint32_t k = 0; k < count; k++)
            if (out[k] < n && out[k] != meets && stamp[out[k]] != now) {
                stamp[out[k]] = now;
                stack[depth++] = out[k];
            }
        while (depth) {
            uint32_t at = stack[--depth];
            for (uint32_t i = g->blocks.p[at].first; i <= g->blocks.p[at].last; i++)
                if (syncs[i] == SYNC_BLOCK) {
                    syncs[i] = SYNC_MAYBE;
                    opaque->orders = true;
                }
            count = ways(m, at, out, WAYS_MAX);
            budget -= (int)count + 1;
            for (uint32_t k = 0; k < count && budget > 0; k++)
                if (out[k] < n && out[k] != meets && stamp[out[k]] != now) {
                    stamp[out[k]] = now;
                    stack[depth++] = out[k];
                }
        }
        if (budget <= 0) { /* nothing is said of any */
            opaque->orders = true;
            for (uint32_t i = 0; i < g->insns.n; i++)
                if (syncs[i] == SYNC_BLOCK)
                    syncs[i] = SYNC_MAYBE;
            return true;
        }
    }
    return true;
}

uint8_t *graph_find_syncs(struct arena *a, struct graph *g, struct graph_opaque *opaque)
{
    uint8_t *syncs = ARENA_ARRAY(a, uint8_t, g->insns.n + 1);
    struct meeting m = {.g = g, .syncs = syncs};
    bool any = false, *waits = graph_find_waits(a, g), *followed = ARENA_ARRAY(a, bool, g->insns.n + 1);
    if (!syncs || !waits || !followed)
        return NULL;
    for (size_t i = 0; i < g->calls.n; i++)
        followed[g->calls.p[i].insn] = true;
    for (uint32_t i = 0; i < g->insns.n; i++) {
        if (!g->insns.p[i].reachable)
            continue;
        syncs[i] = strength_of(g, i, followed[i], opaque);
        any |= syncs[i] == SYNC_BLOCK;
        opaque->orders |= waits[i];
        if (waits[i] && syncs[i] < SYNC_MAYBE)
            syncs[i] = SYNC_MAYBE;
    }
    if (!any)
        return syncs;
    m.to_barrier = ARENA_ARRAY(a, bool, g->blocks.n + 1);
    m.from_barrier = ARENA_ARRAY(a, bool, g->blocks.n + 1);
    m.dead_end = graph_find_dead_ends(a, g, syncs);
    if (!m.to_barrier || !m.from_barrier || !m.dead_end)
        return NULL;
    for (uint32_t b = 0; b < g->blocks.n; b++)
        m.to_barrier[b] = m.from_barrier[b] = g->blocks.p[b].reachable && has_barrier(g, syncs, b);
    if (!flood(a, g, m.to_barrier, false) || !flood(a, g, m.from_barrier, true) || !find_meetings(a, &m) ||
        !demote_divergent(a, &m, syncs, opaque))
        return NULL;
    return syncs;
}
