/* Whether a computation is an integer division: it is run on the numbers where such code can go wrong (just below and
 * at multiples of the divisor, up to the largest, the ends of the range) and on scattered ones, the approximate
 * reciprocal a unit off either way. A number that is a sum is given through its terms: sums are flat in the graph.
 *
 * Requires a root and the numbers it is to be of; gives whether it agrees with a / b or a % b for every pair tried. The
 * work is bounded by the search's budget. */
#include "pattern/pat_divide.h"

#include <string.h>

/* False when no more may be tried. */
bool pat_try_spend(struct divide *d, unsigned nodes)
{
    bool left = d->budget >= nodes;
    d->budget -= left ? nodes : d->budget;
    return left;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

static bool add_terms(const struct graph *g, graph_id id, uint64_t factor, struct sum *s, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    uint64_t k;
    if (graph_is_const(g, id, &k)) {
        s->constant += factor * k;
        return true;
    }
    if (n->kind == UOP_ADD && depth < 2 * SUM)
        return add_terms(g, n->arg[0], factor, s, depth + 1) && add_terms(g, n->arg[1], factor, s, depth + 1);
    if (n->kind == UOP_NEG)
        return depth < 2 * SUM && add_terms(g, n->arg[0], 0 - factor, s, depth + 1);
    if (n->kind == UOP_MUL && graph_is_const(g, n->arg[1], &k))
        return depth < 2 * SUM && add_terms(g, n->arg[0], factor * k, s, depth + 1);
    for (unsigned i = 0; i < s->count; i++)
        if (s->term[i] == id) {
            s->factor[i] += factor;
            return true;
        }
    if (s->count == SUM)
        return false;
    s->term[s->count] = id;
    s->factor[s->count++] = factor;
    return true;
}

/* Both numbers as sums, each with a term of its own that takes any value. */
static bool split(struct tried *t)
{
    const struct graph *g = t->d->g;
    const graph_id number[2] = {t->a, t->b};
    for (unsigned k = 0; k < 2; k++) {
        t->sum[k] = (struct sum){.pivot = SUM};
        if (!add_terms(g, number[k], 1, &t->sum[k], 0))
            return false;
    }
    for (unsigned k = 0; k < 2; k++) {
        struct sum *s = &t->sum[k], *other = &t->sum[1 - k];
        for (unsigned i = 0; i < s->count; i++) {
            const struct graph_node *n = graph_at(g, s->term[i]);
            /* b is given first: what it takes for its own may stand in a too. */
            bool shared = false;
            for (unsigned j = 0; j < other->count; j++)
                shared |= other->term[j] == s->term[i] && (k == 0 || s->count > 1);
            if ((s->factor[i] == 1 || s->factor[i] == UINT64_MAX) && !shared && n->kind != UOP_ZEXT &&
                n->kind != UOP_SEXT)
                s->pivot = i;
        }
        if (s->pivot == SUM)
            return false;
    }
    return true;
}

static void give_word(struct tried *t, graph_id term, uint64_t bits)
{
    struct graph *g = t->d->g;
    pat_tape_give(&t->tape, term, bits);
    if (graph_at(g, term)->type != UOP_B64)
        return;
    /* code reads now the number, now its words */
    pat_tape_give(&t->tape, graph_op1(g, UOP_LO, UOP_B32, term), bits & UINT32_MAX);
    pat_tape_give(&t->tape, graph_op1(g, UOP_HI, UOP_B32, term), bits >> 32);
}

/* b before a: they may share terms. */
static void give(struct tried *t, unsigned which, uint64_t bits)
{
    const struct sum *s = &t->sum[which], *before = &t->sum[1];
    if (!s->count) {
        give_word(t, which ? t->b : t->a, bits);
        return;
    }
    uint64_t rest = s->constant;
    for (unsigned i = 0; i < s->count; i++) {
        const struct graph_node *n = graph_at(t->d->g, s->term[i]);
        uint64_t value = next_random(&t->random);
        if (i == s->pivot)
            continue;
        if (n->type == UOP_B32 || n->kind == UOP_ZEXT)
            value &= UINT32_MAX;
        else if (n->kind == UOP_SEXT)
            value = (uint64_t)(int64_t)(int32_t)value;
        bool known = false;
        for (unsigned j = 0; j < before->count && !which && !known; j++)
            known = before->term[j] == s->term[i];
        if (known)
            value = pat_tape_value(&t->tape, s->term[i]);
        else
            give_word(t, s->term[i], value);
        rest += s->factor[i] * value;
    }
    bits = (bits - rest) * s->factor[s->pivot];
    give_word(t, s->term[s->pivot], graph_at(t->d->g, s->term[s->pivot])->type == UOP_B64 ? bits : bits & UINT32_MAX);
}

static unsigned add_leaf(struct graph *g, graph_id id, graph_id *leaves, unsigned count)
{
    leaves[count++] = id;
    if (graph_at(g, id)->type == UOP_B64) {
        leaves[count++] = graph_op1(g, UOP_LO, UOP_B32, id);
        leaves[count++] = graph_op1(g, UOP_HI, UOP_B32, id);
    }
    return count;
}

/* What the root computes from the two numbers; false: from something else too. */
bool pat_try_build(struct tried *t, bool sums)
{
    graph_id leaves[6 * SUM];
    const graph_id number[2] = {t->a, t->b};
    unsigned count = 0;
    t->sum[0].count = t->sum[1].count = 0;
    if (sums && !split(t))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < t->sum[k].count; i++)
            count = add_leaf(t->d->g, t->sum[k].term[i], leaves, count);
        if (!t->sum[k].count)
            count = add_leaf(t->d->g, number[k], leaves, count);
    }
    return pat_tape_build(&t->tape, t->d->a, t->d->g, &t->root, 1, leaves, count);
}

static uint32_t run(struct tried *t, uint32_t a, uint32_t b)
{
    if (t->b != GRAPH_NIL)
        give(t, 1, b);
    give(t, 0, a);
    pat_tape_run(&t->tape);
    return (uint32_t)pat_tape_value(&t->tape, t->root);
}

static uint32_t wanted(bool is_signed, bool remainder, uint32_t a, uint32_t b)
{
    if (!is_signed)
        return remainder ? a % b : a / b;
    int64_t x = (int32_t)a, y = (int32_t)b;
    return (uint32_t)(remainder ? x % y : x / y);
}

static bool agrees(struct tried *t, bool is_signed, bool remainder, uint32_t a, uint32_t b)
{
    if (!b || (is_signed && a == UINT32_C(0x80000000) && b == UINT32_MAX))
        return true; /* nothing is promised */
    return pat_try_spend(t->d, t->tape.count) && run(t, a, b) == wanted(is_signed, remainder, a, b);
}

/* The numbers round multiples of d, the largest first. */
bool pat_try_near(struct tried *t, bool is_signed, bool remainder, uint32_t d)
{
    uint32_t top = is_signed ? UINT32_C(0x7fffffff) : UINT32_MAX;
    uint32_t size = is_signed && (int32_t)d < 0 ? 0 - d : d;
    uint32_t state = 12345;
    for (unsigned k = 0; k < 96; k++) {
        uint32_t base;
        state = state * 1664525u + 1013904223u;
        if (k < 4)
            base = top - top % size - (k & 1 ? size : 0) + (k & 2 ? size - 1 : 0);
        else if (k < 16)
            base = size * (k - 3);
        else
            base = (state >> (k & 15)) & top;
        for (int off = -1; off <= 1; off++) {
            uint32_t a = base + (uint32_t)off;
            if (!agrees(t, is_signed, remainder, a, d) || (is_signed && !agrees(t, is_signed, remainder, 0 - a, d)))
                return false;
        }
    }
    return agrees(t, is_signed, remainder, UINT32_C(0x80000000), d) && agrees(t, is_signed, remainder, UINT32_MAX, d);
}

/* The smallest positive number for which a quotient is not zero: the divisor. */
uint32_t pat_try_divisor(struct tried *t, bool is_signed)
{
    uint32_t low = 0, high = is_signed ? UINT32_C(0x7fffffff) : UINT32_MAX; /* zero at low, not at high */
    if (!pat_try_spend(t->d, 34 * t->tape.count) || run(t, 0, 0) != 0 || run(t, high, 0) == 0 || run(t, 1, 0) != 0)
        return 0;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (run(t, middle, 0) == 0)
            low = middle;
        else
            high = middle;
    }
    if (high > UINT32_C(0x7fffffff))
        return 0; /* one compare says as much */
    return is_signed && run(t, high, 0) == UINT32_MAX ? 0 - high : high;
}

/* Made of constants alone, by operations that have no exact value here (an approximate reciprocal): no dividend. */
bool pat_try_fixed(const struct divide *d, graph_id id)
{
    struct pat_tape t;
    return !graph_is_const(d->g, id, NULL) && pat_tape_build(&t, d->a, d->g, &id, 1, NULL, 0);
}

/* For a remainder: the smallest positive number it makes nothing of. */
bool pat_try_remainder(struct tried *t, bool is_signed, const uint32_t *known, unsigned count, uint32_t *d)
{
    for (unsigned i = 0; i < count; i++) {
        *d = known[i];
        if (pat_try_near(t, is_signed, true, *d))
            return true;
    }
    return false;
}

/* A number for what is computed, whatever it is computed of: kernels divide by one sequence many times. `own`: it is
 * of something more than the two numbers, which only this kernel has. */
static uint64_t shape_of(const struct tried *t, bool is_signed, bool remainder, bool *own)
{
    const struct pat_tape *tape = &t->tape;
    uint64_t of[PAT_TAPE_MAX], root = 0;
    for (unsigned i = 0; i < tape->count; i++) { /* arguments stand before what is made of them */
        graph_id id = tape->node[i];
        const struct graph_node *n = graph_at(tape->g, id);
        uint64_t h = map_hash_mix(n->type, id == t->a ? 1 : id == t->b ? 2 : 3);
        if (!tape->computed[i]) {
            bool given = id == t->a || id == t->b;
            of[i] = given ? h : n->kind == UOP_CONST ? map_hash_mix(h, n->imm) : map_hash_mix(h, map_hash_mix(4, id));
            *own |= !given && n->kind != UOP_CONST;
        } else {
            uint64_t args[UOP_MAX_ARGS + 1] = {0};
            for (unsigned k = 0; k < n->arg_count; k++)
                args[k] = of[tape->arg[i][k]];
            if (uop_commutes((enum uop_kind)n->kind) && args[0] > args[1]) {
                uint64_t first = args[0];
                args[0] = args[1];
                args[1] = first;
            }
            h = map_hash_mix(h, (uint64_t)n->kind | (uint64_t)n->round << 8 | (uint64_t)n->width << 24 |
                                    (uint64_t)(n->flags & (unsigned)~UOP_SWAPPED) << 32);
            h = map_hash_mix(h, n->imm);
            for (unsigned k = 0; k < n->arg_count; k++)
                h = map_hash_mix(h, args[k]);
            of[i] = h;
        }
        if (id == t->root)
            root = of[i];
    }
    return map_hash_mix(root, (uint64_t)is_signed << 1 | remainder);
}

static bool try_everywhere(struct tried *t, bool is_signed, bool remainder)
{
    static const uint32_t ends[] = {0,          1,          2,          3,          5,          7,
                                    10,         100,        255,        256,        65535,      65536,
                                    0x00ffffff, 0x01000001, 0x3fffffff, 0x40000000, 0x7ffffffe, 0x7fffffff,
                                    0x80000000, 0x80000001, 0xfffffff6, 0xfffffffe, 0xffffffff};
    enum { ENDS = sizeof ends / sizeof ends[0] };
    uint32_t state = 99991;
    for (int ulp = -1; ulp <= 1; ulp++) {
        t->tape.reciprocal = PAT_RECIPROCAL + ulp;
        for (unsigned i = 0; i < ENDS; i++)
            for (unsigned k = 0; k < ENDS; k++)
                if (!agrees(t, is_signed, remainder, ends[i], ends[k]))
                    return false;
        for (unsigned k = 0; k < 200; k++) {
            state = state * 1664525u + 1013904223u;
            uint32_t a = state, b;
            state = state * 1664525u + 1013904223u;
            b = state >> (k & 31);
            if (!agrees(t, is_signed, remainder, a, b) || !agrees(t, is_signed, remainder, a / (b ? b : 1) * b, b) ||
                !agrees(t, is_signed, remainder, a / (b ? b : 1) * b - 1, b))
                return false;
        }
    }
    return true;
}

bool pat_try_everywhere(struct tried *t, bool is_signed, bool remainder)
{
    enum { MEMO = 1 << 16 };
    bool own = t->sum[0].count || t->sum[1].count;
    uint64_t shape = shape_of(t, is_signed, remainder, &own);
    struct pat_memo *memo = t->d->memo;
    uint32_t known;
    if ((!own && map_u64_get(&memo->divisions, shape, &known)) || map_u64_get(&t->d->verdicts, shape, &known))
        return known;
    bool agree = try_everywhere(t, is_signed, remainder);
    if (t->d->budget && !own && memo->divisions.n < MEMO) /* not for want of tries */
        map_u64_put(memo->a, &memo->divisions, shape, agree);
    else if (t->d->budget)
        map_u64_put(t->d->a, &t->d->verdicts, shape, agree);
    return agree;
}

/* ---- 64 bits --------------------------------------------------------------------------------- */

static uint64_t wanted_wide(bool is_signed, bool remainder, uint64_t a, uint64_t b)
{
    if (!is_signed)
        return remainder ? a % b : a / b;
    int64_t x = (int64_t)a, y = (int64_t)b;
    return (uint64_t)(remainder ? x % y : x / y);
}

static bool agrees_wide(struct tried *t, bool is_signed, bool remainder, uint64_t a, uint64_t b)
{
    if (!b || (is_signed && a == UINT64_C(1) << 63 && b == UINT64_MAX))
        return true;
    if (!pat_try_spend(t->d, t->tape.count))
        return false;
    give(t, 1, b);
    give(t, 0, a);
    pat_tape_run(&t->tape);
    return pat_tape_value(&t->tape, t->root) == wanted_wide(is_signed, remainder, a, b);
}

bool pat_try_wide(struct tried *t, bool is_signed, bool remainder)
{
    static const uint64_t ends[] = {0,
                                    1,
                                    2,
                                    3,
                                    10,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    UINT64_C(0x100000000),
                                    UINT64_C(0x100000001),
                                    UINT64_C(0x1fffffffe),
                                    UINT64_C(0x20000000000001),
                                    UINT64_C(0x7fffffffffffffff),
                                    UINT64_C(0x8000000000000000),
                                    UINT64_C(0xfffffffffffffff6),
                                    UINT64_C(0xffffffff00000000),
                                    UINT64_C(0xffffffffffffffff)};
    enum { ENDS = sizeof ends / sizeof ends[0] };
    uint64_t state = 99991;
    for (int ulp = -1; ulp <= 1; ulp++) {
        t->tape.reciprocal = PAT_RECIPROCAL + ulp;
        for (unsigned i = 0; i < ENDS; i++)
            for (unsigned k = 0; k < ENDS; k++)
                if (!agrees_wide(t, is_signed, remainder, ends[i], ends[k]))
                    return false;
        for (unsigned k = 0; k < 128; k++) {
            uint64_t a = next_random(&state), b = next_random(&state) >> (k & 63);
            uint64_t multiple = b ? a / b * b : 0;
            if (!agrees_wide(t, is_signed, remainder, a, b) || !agrees_wide(t, is_signed, remainder, multiple, b) ||
                !agrees_wide(t, is_signed, remainder, multiple - 1, b))
                return false;
        }
    }
    return true;
}
