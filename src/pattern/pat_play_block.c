/* Plays a page's own block beside a trace of the machine code: the same step for every thread, with the block's
 * counter, guard and index worked out as C would, must combine the same elements. Then what became of the elements:
 * sets of what each holds tell whether one holds all, or each those before it. Requires a trace of pat_play.c. */
#include "pattern/pat_collect.h"

#include <string.h>

struct names {
    const struct pat_plan *plan;
    int64_t counter, thread, threads;
};

static bool worth(const struct names *n, const struct cu_expr *e, int64_t *out)
{
    int64_t a = 0, b = 0;
    switch (e->kind) {
    case CU_NUMBER: *out = (int64_t)e->number; return true;
    case CU_NAME:
        *out = e->meaning == PAT_NAME_COUNTER ? n->counter : e->meaning == PAT_NAME_THREAD ? n->thread : n->threads;
        return e->meaning != PAT_NAME_UNKNOWN;
    case CU_BINARY: break;
    default: return false;
    }
    if (!worth(n, e->arg[0], &a) || !worth(n, e->arg[1], &b))
        return false;
    switch (e->op) {
    case CU_ADD: *out = a + b; return true;
    case CU_SUB: *out = a - b; return true;
    case CU_MUL: *out = a * b; return true;
    case CU_DIV:
        if (!b)
            return false;
        *out = a / b;
        return true;
    case CU_REM:
        if (!b)
            return false;
        *out = a % b;
        return true;
    case CU_SHL: *out = b >= 0 && b < 32 ? a * (INT64_C(1) << b) : 0; return true;
    case CU_SHR: *out = b >= 0 && b < 63 ? a >> b : 0; return true;
    case CU_AND: *out = a & b; return true;
    case CU_OR: *out = a | b; return true;
    case CU_XOR: *out = a ^ b; return true;
    case CU_LT: *out = a < b; return true;
    case CU_LE: *out = a <= b; return true;
    case CU_GT: *out = a > b; return true;
    case CU_GE: *out = a >= b; return true;
    case CU_EQ: *out = a == b; return true;
    case CU_NE: *out = a != b; return true;
    case CU_LOGIC_AND: *out = a && b; return true;
    case CU_LOGIC_OR: *out = a || b; return true;
    default: return false;
    }
}

/* What the block does for one thread: false when it cannot be said. */
static bool block_step(struct names *n, int64_t *own, int64_t *other)
{
    const struct pat_plan *plan = n->plan;
    int64_t active = 1, distance;
    *own = *other = -1;
    if (plan->guard && !worth(n, plan->guard, &active))
        return false;
    if (!active)
        return true;
    if (plan->kind == PLAN_MEMORY)
        return worth(n, plan->own, own) && worth(n, plan->other, other);
    if (!worth(n, plan->other, &distance))
        return false;
    int64_t lane = n->thread & 31, from = plan->mode == 1   ? lane - distance
                                          : plan->mode == 2 ? lane + distance
                                                            : lane ^ distance;
    *own = n->thread;
    *other = (n->thread & ~INT64_C(31)) + from;
    return true;
}

/* A lane that reaches outside its part of the warp takes its own value: the block says so for whole warps, the machine
 * code may know smaller parts. What such lanes get, no one needs. */
static bool agrees(const struct names *n, const struct pat_turn *t, unsigned threads, unsigned *beyond)
{
    struct names now = *n;
    unsigned acting = 0;
    now.threads = threads;
    for (unsigned i = 0; i < threads; i++) {
        int64_t own, other;
        now.thread = i;
        if (!block_step(&now, &own, &other))
            return false;
        if (own < 0) {
            *beyond += t->own[i] >= 0;
            continue;
        }
        bool outside = n->plan->kind == PLAN_LANES && t->own[i] >= 0 && t->other[i] == t->own[i];
        if (t->own[i] != own || (t->other[i] != other && !outside))
            return false;
        acting += !outside;
    }
    return acting > 0;
}

/* A counter that is left open takes whatever power of two the turn shows. */
static bool agrees_at_some(struct names *n, const struct pat_turn *t, unsigned threads, unsigned *beyond)
{
    for (n->counter = 1; n->counter < PAT_THREADS; n->counter *= 2) {
        unsigned over = 0;
        if (agrees(n, t, threads, &over)) {
            *beyond += over;
            return true;
        }
    }
    return false;
}

static unsigned play_from(struct names *n, const struct pat_trace *t, unsigned from, bool *ended, unsigned *beyond)
{
    const struct cu_loop *loop = n->plan->loop;
    unsigned k = from;
    *beyond = 0;
    for (*ended = false; k < t->count; k++) {
        int64_t going = 1, next;
        if (loop->condition && !worth(n, loop->condition, &going))
            return 0;
        if (!going)
            break;
        if (!(loop->next ? agrees(n, t->turn[k], t->threads, beyond)
                         : agrees_at_some(n, t->turn[k], t->threads, beyond)))
            return k - from;
        if (!loop->next)
            continue;
        if (!worth(n, loop->next, &next))
            return 0;
        n->counter = next;
    }
    int64_t going = 1;
    *ended = !loop->condition || (worth(n, loop->condition, &going) && !going);
    return k - from;
}

unsigned pat_play_block(const struct pat_plan *plan, const struct pat_trace *t, unsigned from, bool *ended,
                        unsigned *beyond)
{
    struct names n = {.plan = plan};
    unsigned best = 0;
    *ended = false;
    if (plan->loop->start) {
        if (!worth(&n, plan->loop->start, &n.counter))
            return 0;
        return play_from(&n, t, from, ended, beyond);
    }
    if (!plan->loop->next)
        return play_from(&n, t, from, ended, beyond);
    for (int64_t first = 1; first <= PAT_THREADS; first *= 2) {
        bool to_end;
        unsigned over;
        n.counter = first;
        unsigned count = play_from(&n, t, from, &to_end, &over);
        if (count > best) {
            best = count;
            *beyond = over;
            *ended = to_end;
        }
    }
    return best;
}

enum { SMALL = 16 }; /* threads of a block played by itself */

enum pat_outcome pat_play_meaning(struct arena *a, const struct pat_plan *plan)
{
    struct pat_trace *t = ARENA_NEW(a, struct pat_trace);
    struct names n = {.plan = plan, .counter = SMALL / 2, .threads = SMALL};
    unsigned left;
    bool everywhere;
    if (!t || (plan->loop->start && !worth(&n, plan->loop->start, &n.counter)))
        return PAT_NOTHING;
    t->threads = SMALL;
    while (t->count < 6 && n.counter > 0 && n.counter < SMALL) {
        struct pat_turn *turn = t->turn[t->count++] = ARENA_NEW(a, struct pat_turn);
        for (unsigned i = 0; turn && i < SMALL; i++) {
            int64_t own, other;
            n.thread = i;
            if (!block_step(&n, &own, &other))
                return PAT_NOTHING;
            bool none = own < 0 || own >= SMALL || other >= SMALL; /* beyond the last element there is nothing */
            turn->own[i] = (int16_t)(none ? -1 : own);
            turn->other[i] = (int16_t)(none ? -1 : other);
        }
        if (!turn)
            return PAT_NOTHING;
        if (!plan->loop->next)
            n.counter /= 2; /* one order of all that may be */
        else if (!worth(&n, plan->loop->next, &n.counter))
            return PAT_NOTHING;
    }
    return pat_play_outcome(a, t, 0, t->count, PAT_OP_ADD, &left, &everywhere);
}

/* ---- outcome --------------------------------------------------------------------------------- */

enum { WORDS = PAT_THREADS / 64 };
struct set {
    uint64_t w[WORDS];
};

static bool meet(const struct set *a, const struct set *b)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (a->w[i] & b->w[i])
            return true;
    return false;
}

static bool is_range(const struct set *s, unsigned from, unsigned to) /* [from, to) */
{
    for (unsigned i = 0; i < PAT_THREADS; i++)
        if ((s->w[i / 64] >> i % 64 & 1) != (i >= from && i < to))
            return false;
    return true;
}

/* What each element holds after the turns. False: one that is not there is written. */
static bool gather(const struct pat_trace *t, unsigned from, unsigned count, enum pat_op op, struct set *now,
                   struct set *then, bool *spoilt)
{
    unsigned n = t->threads;
    bool *spoilt_then = spoilt + n;
    for (unsigned i = 0; i < n; i++)
        now[i].w[i / 64] |= UINT64_C(1) << i % 64;
    for (unsigned k = from; k < from + count; k++) {
        memcpy(then, now, n * sizeof *now);
        memcpy(spoilt_then, spoilt, n * sizeof *spoilt);
        for (unsigned i = 0; i < n && t->turn[k]->moved; i++)
            spoilt_then[i] = true; /* but for what is stored to where it moves */
        for (unsigned i = 0; i < n && t->turn[k]->moved; i++) {
            int own = t->turn[k]->own[i], kept = t->turn[k]->kept[i];
            if (own >= 0 && own < (int)n)
                spoilt_then[own] = spoilt[own];
            if (kept >= 0 && kept < (int)n)
                spoilt_then[kept] = spoilt[kept];
        }
        for (unsigned i = 0; i < n; i++) {
            int own = t->turn[k]->own[i], other = t->turn[k]->other[i];
            if (own < 0)
                continue;
            if (own >= (int)n)
                return false;
            if (other < 0 || other >= (int)n) {
                spoilt_then[own] = true;
                continue;
            }
            if (!pat_op_again(op) && meet(&now[own], &now[other]))
                spoilt_then[own] = true;
            spoilt_then[own] |= spoilt[other];
            for (unsigned w = 0; w < WORDS; w++)
                then[own].w[w] |= now[other].w[w];
        }
        memcpy(now, then, n * sizeof *now);
        memcpy(spoilt, spoilt_then, n * sizeof *spoilt);
    }
    return true;
}

static bool are_prefixes(const struct set *now, const bool *spoilt, unsigned n, unsigned width)
{
    for (unsigned i = 0; i < n; i++)
        if (spoilt[i] || !is_range(&now[i], i - i % width, i + 1))
            return false;
    return true;
}

bool pat_play_prefixes(struct arena *a, const struct pat_trace *t, enum pat_op op, unsigned width)
{
    unsigned n = t->threads;
    struct set *now = ARENA_ARRAY(a, struct set, n), *then = ARENA_ARRAY(a, struct set, n);
    bool *spoilt = ARENA_ARRAY(a, bool, 2 * (size_t)n);
    return now && then && spoilt && gather(t, 0, t->count, op, now, then, spoilt) &&
           are_prefixes(now, spoilt, n, width);
}

enum pat_outcome pat_play_outcome(struct arena *a, const struct pat_trace *t, unsigned from, unsigned count,
                                  enum pat_op op, unsigned *left, bool *everywhere)
{
    unsigned n = t->threads;
    struct set *now = ARENA_ARRAY(a, struct set, n), *then = ARENA_ARRAY(a, struct set, n);
    bool *spoilt = ARENA_ARRAY(a, bool, 2 * (size_t)n); /* holds some element twice, or something unknown */
    *left = 0;
    *everywhere = true;
    if (!now || !then || !spoilt || !gather(t, from, count, op, now, then, spoilt))
        return PAT_NOTHING;
    for (unsigned i = 0; i < n && *everywhere; i++)
        *everywhere = !spoilt[i] && is_range(&now[i], 0, n);
    if (!spoilt[0] && is_range(&now[0], 0, n)) {
        *left = 1;
        return PAT_ALL_IN_ONE;
    }
    if (are_prefixes(now, spoilt, n, n))
        return PAT_PREFIXES;
    /* The first few hold everything between them, nothing twice. */
    for (unsigned w = 64; w >= 2; w /= 2) {
        struct set all = {0};
        bool apart = w < n;
        for (unsigned i = 0; i < w && apart; i++) {
            apart = !spoilt[i] && !meet(&all, &now[i]);
            for (unsigned k = 0; k < WORDS; k++)
                all.w[k] |= now[i].w[k];
        }
        if (apart && is_range(&all, 0, n)) {
            *left = w;
            return PAT_PART;
        }
    }
    return PAT_NOTHING;
}
