/* Branches that threads take differently: an access on one side and one on the other stand on no common way, but two
 * threads of the block can be at them at the same time, as long as no barrier parts them from the branch. Each pair is
 * looked at like one that is reached without a sync.
 * requires: pairs · gives: graph_relate_apart */
#include "graph/graph_depend_internal.h"

#include <string.h>

enum { PAIRS_MAX = 4096, VISITS_MAX = 1 << 25, SIDES = 2 };

struct side {
    uint8_t *reached; /* of events */
    VEC(uint32_t) events;
};

/* Accesses reached from the start of a block with no barrier of the block before them. */
static bool reach_from(struct finder *f, uint32_t start, struct side *s, int *visits)
{
    struct graph *g = f->g;
    uint32_t head = 0, tail = 0;
    f->now++;
    f->stamp[start] = f->now;
    f->queue[tail++ % (g->blocks.n + 1)] = start;
    s->events.n = 0;
    while (head != tail && f->flow_work > 0 && *visits > 0) {
        uint32_t b = f->queue[head++ % (g->blocks.n + 1)];
        bool parted = false;
        --*visits;
        for (uint32_t e = f->first_event[b]; e < f->first_event[b + 1] && !parted; e++) {
            const struct event *v = &f->events.p[e];
            f->flow_work--;
            parted = v->kind == EVENT_SYNC && f->syncs[v->insn] >= SYNC_MAYBE;
            if (v->kind == EVENT_ACCESS && !s->reached[e]) {
                s->reached[e] = 1;
                VEC_PUSH(f->a, s->events, e);
            }
        }
        for (uint32_t k = 0; k < g->blocks.p[b].succ_count && !parted; k++) {
            uint32_t to = g->blocks.p[b].succs[k];
            if (f->stamp[to] == f->now)
                continue;
            f->stamp[to] = f->now;
            f->queue[tail++ % (g->blocks.n + 1)] = to;
        }
    }
    return !arena_failed(f->a);
}

/* ---- branches whose sides reach the same ----------------------------------------------------- */

/* Control is followed no further than a block that parts threads for sure or maybe. */
static bool parts(const struct finder *f, uint32_t b)
{
    for (uint32_t e = f->first_event[b]; e < f->first_event[b + 1]; e++)
        if (f->events.p[e].kind == EVENT_SYNC && f->syncs[f->events.p[e].insn] >= SYNC_MAYBE)
            return true;
    return false;
}

/* For each block one that reaches the same accesses as it; blocks.n: none are reached. Blocks on a common cycle reach
 * the same, and one without accesses reaches what the only one behind it does. Cycles are found as Tarjan does, which
 * closes a block after all that it leads to. NULL: out of memory. */
static uint32_t *find_alike(struct finder *f)
{
    const struct graph *g = f->g;
    uint32_t n = (uint32_t)g->blocks.n, clock = 0, held = 0, depth = 0;
    uint32_t *alike = ARENA_ARRAY(f->a, uint32_t, n + 1), *low = ARENA_ARRAY(f->a, uint32_t, n + 1);
    uint32_t *order = ARENA_ARRAY(f->a, uint32_t, n + 1), *next = ARENA_ARRAY(f->a, uint32_t, n + 1);
    uint32_t *stack = ARENA_ARRAY(f->a, uint32_t, n + 1), *way = ARENA_ARRAY(f->a, uint32_t, n + 1);
    bool *open = ARENA_ARRAY(f->a, bool, n + 1), *last = ARENA_ARRAY(f->a, bool, n + 1);
    if (arena_failed(f->a))
        return NULL;
    for (uint32_t b = 0; b < n; b++)
        last[b] = parts(f, b);
    for (uint32_t root = 0; root < n; root++) {
        if (order[root])
            continue;
        way[depth++] = root;
        while (depth) {
            uint32_t b = way[depth - 1];
            if (!order[b]) {
                order[b] = low[b] = ++clock;
                stack[held++] = b;
                open[b] = true;
            }
            if (!last[b] && next[b] < g->blocks.p[b].succ_count) {
                uint32_t to = g->blocks.p[b].succs[next[b]++];
                if (!order[to])
                    way[depth++] = to;
                else if (open[to] && order[to] < low[b])
                    low[b] = order[to];
                continue;
            }
            depth--;
            if (depth && low[b] < low[way[depth - 1]])
                low[way[depth - 1]] = low[b];
            if (low[b] != order[b])
                continue;
            uint32_t first = held, only = n; /* what is reached outside; b itself when there is more than one thing */
            while (stack[first - 1] != b)
                first--;
            first--;
            for (uint32_t i = first; i < held; i++) {
                uint32_t x = stack[i];
                for (uint32_t e = f->first_event[x]; e < f->first_event[x + 1]; e++)
                    if (f->events.p[e].kind == EVENT_ACCESS)
                        only = b;
                for (uint32_t k = 0; k < g->blocks.p[x].succ_count && !last[x]; k++) {
                    uint32_t to = g->blocks.p[x].succs[k];
                    if (open[to] || alike[to] == n || alike[to] == only)
                        continue; /* open: of the same cycle, for all others that are led to are closed */
                    only = only == n ? alike[to] : b;
                }
            }
            while (held > first) {
                alike[stack[--held]] = only;
                open[stack[held]] = false;
            }
        }
    }
    return alike;
}

static bool known_pair(const struct finder *f, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < f->reaches.n; i++)
        if (f->reaches.p[i].store == from && f->reaches.p[i].load == to)
            return true;
    for (size_t i = 0; i < f->out->races.n; i++)
        if (f->out->races.p[i].first == from && f->out->races.p[i].second == to)
            return true;
    return false;
}

static void relate_sides(struct finder *f, const struct side *from, const struct side *to, int *budget)
{
    for (size_t i = 0; i < from->events.n; i++) {
        uint32_t a = f->events.p[from->events.p[i]].access;
        const struct graph_access *x = access_at(f, a);
        if (to->reached[from->events.p[i]] || x->kind == GRAPH_LOAD || x->space == UOP_LOCAL || x->space > UOP_GENERIC)
            continue;
        struct source s;
        graph_make_source(f, a, &s);
        for (size_t k = 0; k < to->events.n; k++) {
            uint32_t b = f->events.p[to->events.p[k]].access;
            if (from->reached[to->events.p[k]] || access_at(f, b)->space == UOP_LOCAL)
                continue;
            if (--*budget < 0 || f->solve_work <= 0) {
                graph_give_up(f);
                return;
            }
            if (!known_pair(f, a, b) && !known_pair(f, b, a))
                graph_relate(f, &s, b, BIT(OWN_WAY, 0, 0));
        }
    }
}

bool graph_relate_apart(struct finder *f)
{
    struct graph *g = f->g;
    struct side sides[SIDES];
    int budget = PAIRS_MAX, visits = VISITS_MAX;
    uint32_t *alike = find_alike(f);
    if (!alike)
        return false;
    memset(sides, 0, sizeof sides);
    for (unsigned i = 0; i < SIDES; i++)
        if (!(sides[i].reached = ARENA_ARRAY(f->a, uint8_t, f->events.n + 1)))
            return false;
    for (uint32_t b = 0; b < g->blocks.n; b++) {
        const struct graph_block *block = &g->blocks.p[b];
        if (!block->reachable || block->succ_count != SIDES || f->dead_end[block->succs[0]] ||
            f->dead_end[block->succs[1]] || graph_block_uniform(g, block->branch) ||
            alike[block->succs[0]] == alike[block->succs[1]])
            continue;
        if (f->flow_work <= 0 || visits <= 0) {
            graph_give_up(f);
            break;
        }
        for (unsigned i = 0; i < SIDES; i++)
            if (!reach_from(f, block->succs[i], &sides[i], &visits))
                return false;
        relate_sides(f, &sides[0], &sides[1], &budget);
        relate_sides(f, &sides[1], &sides[0], &budget);
        for (unsigned i = 0; i < SIDES; i++)
            for (size_t k = 0; k < sides[i].events.n; k++)
                sides[i].reached[sides[i].events.p[k]] = 0;
    }
    return !arena_failed(f->a);
}
