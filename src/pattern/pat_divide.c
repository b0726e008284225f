/* Integer division as machines do it, found by what it computes: a value that is some function of one number and
 * constants alone, with the high word of a product in it, is a quotient or a remainder by a constant when it is that
 * for every number tried; one with the reciprocal of a converted integer in it is a / b or a % b when it is that for
 * every pair tried, whatever the approximate reciprocal's last bit is.
 *
 * Tried are the places where such code can go wrong (just below and at multiples of the divisor, up to the largest,
 * the ends of the range) and scattered numbers. Candidates are met by climbing from the seed (the product, the
 * reciprocal) to its users, a bounded number of steps; so is the work in all. Requires a built graph with users; gives
 * divisions by node. */
#include "pattern/pat_internal.h"

#include <stdlib.h>
#include <string.h>

enum { CLIMB = 128, USERS = 16, SEEDS = 4096 };

struct divide {
    struct arena *a;
    const struct pat_index *x;
    struct graph *g;
    struct pat_divisions *out;
    uint64_t budget;         /* nodes that may still be evaluated */
    struct map_u64 verdicts; /* of a computation's shape, what it may be: 1 it is that, 0 not */
};

/* ---- what is tried --------------------------------------------------------------------------- */

/* A number as the sum it was: sums are flat, and one that code goes on adding to is no node of its own any more. Its
 * terms are given values, the one at `pivot` so that the sum is what is wanted. */
enum { SUM = 8 };
struct sum {
    graph_id term[SUM];
    uint64_t factor[SUM], constant;
    unsigned count, pivot; /* count 0: a node */
};

struct tried {
    struct divide *d;
    struct pat_tape tape;
    graph_id root, a, b; /* b NIL: a constant divisor */
    struct sum sum[2];   /* of a, of b */
    uint64_t random;
};

/* False when no more may be tried. */
static bool spend(struct divide *d, unsigned nodes)
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
static bool build(struct tried *t, bool sums)
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
    return spend(t->d, t->tape.count) && run(t, a, b) == wanted(is_signed, remainder, a, b);
}

/* The numbers round multiples of d, the largest first. */
static bool agrees_near(struct tried *t, bool is_signed, bool remainder, uint32_t d)
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
static uint32_t divisor_of(struct tried *t, bool is_signed)
{
    uint32_t low = 0, high = is_signed ? UINT32_C(0x7fffffff) : UINT32_MAX; /* zero at low, not at high */
    if (!spend(t->d, 34 * t->tape.count) || run(t, 0, 0) != 0 || run(t, high, 0) == 0 || run(t, 1, 0) != 0)
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
static bool is_fixed(const struct divide *d, graph_id id)
{
    struct pat_tape t;
    return !graph_is_const(d->g, id, NULL) && pat_tape_build(&t, d->a, d->g, &id, 1, NULL, 0);
}

/* For a remainder: the smallest positive number it makes nothing of. */
static bool remainder_divisor(struct tried *t, bool is_signed, const uint32_t *known, unsigned count, uint32_t *d)
{
    for (unsigned i = 0; i < count; i++) {
        *d = known[i];
        if (agrees_near(t, is_signed, true, *d))
            return true;
    }
    return false;
}

/* A number for what is computed, whatever it is computed of: kernels divide by one sequence many times. */
static uint64_t shape_of(const struct tried *t, bool is_signed, bool remainder)
{
    const struct pat_tape *tape = &t->tape;
    uint64_t of[PAT_TAPE_MAX], root = 0;
    for (unsigned i = 0; i < tape->count; i++) { /* arguments stand before what is made of them */
        graph_id id = tape->node[i];
        const struct graph_node *n = graph_at(tape->g, id);
        uint64_t h = map_hash_mix(n->type, id == t->a ? 1 : id == t->b ? 2 : 3);
        if (!tape->computed[i]) {
            bool own = id == t->a || id == t->b;
            of[i] = own ? h : n->kind == UOP_CONST ? map_hash_mix(h, n->imm) : map_hash_mix(h, map_hash_mix(4, id));
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

static bool agrees_everywhere(struct tried *t, bool is_signed, bool remainder)
{
    uint64_t shape = shape_of(t, is_signed, remainder);
    uint32_t known;
    if (map_u64_get(&t->d->verdicts, shape, &known))
        return known;
    bool agree = try_everywhere(t, is_signed, remainder);
    if (t->d->budget) /* not for want of tries */
        map_u64_put(t->d->a, &t->d->verdicts, shape, agree);
    return agree;
}

/* ---- candidates ------------------------------------------------------------------------------ */

struct climb {
    graph_id node[CLIMB];
    unsigned count;
};

static bool is_integer(const struct graph_node *n)
{
    return n->type == UOP_B32 || n->type == UOP_B64 || n->type == UOP_B1;
}

/* Users of a seed, users of those …, as far as integers go. */
static void climb_from(const struct divide *d, graph_id seed, struct climb *c)
{
    c->count = 0;
    c->node[c->count++] = seed;
    for (unsigned i = 0; i < c->count; i++) {
        uint32_t count;
        const graph_id *users = graph_users(d->g, c->node[i], &count);
        for (uint32_t k = 0; k < count && k < USERS && c->count < CLIMB; k++) {
            const struct graph_node *n = graph_at(d->g, users[k]);
            bool known = !d->x->live[users[k]] || !pat_is_pure(n) || n->kind == GRAPH_BOOL || !is_integer(n);
            for (unsigned j = 0; j < c->count && !known; j++)
                known = c->node[j] == users[k];
            if (!known)
                c->node[c->count++] = users[k];
        }
    }
}

static int by_number(const void *p, const void *q)
{
    graph_id a = *(const graph_id *)p, b = *(const graph_id *)q;
    return (a > b) - (a < b);
}

/* How the divided numbers come about is the kernel's own. */
static bool skip_number(struct divide *d, const struct tried *t, graph_id id, struct map_u64 *own, unsigned depth)
{
    const struct graph_node n = *graph_at(d->g, id);
    if (depth > 2 * SUM || map_u64_get(own, id, NULL))
        return true;
    if (!map_u64_put(d->a, own, id, 1))
        return false;
    if (n.type == UOP_B64)
        for (unsigned k = 0; k < 2; k++)
            if (!skip_number(d, t, graph_op1(d->g, k ? UOP_HI : UOP_LO, UOP_B32, id), own, depth + 1))
                return false;
    for (unsigned i = 0; i < n.arg_count && pat_is_pure(&n); i++)
        if (!skip_number(d, t, n.arg[i], own, depth + 1))
            return false;
    return true;
}

static bool add(struct divide *d, const struct tried *t, const struct pat_division *found)
{
    struct pat_division p = *found;
    p.inner_count = 0;
    graph_id *inner = ARENA_ARRAY(d->a, graph_id, t->tape.count + 1);
    if (!inner)
        return false;
    struct map_u64 own = {0};
    for (unsigned k = 0; k < 2; k++)
        if (t->sum[k].count && !skip_number(d, t, k ? t->b : t->a, &own, 0))
            return false;
    for (unsigned i = 0; i < t->tape.count; i++)
        if (t->tape.computed[i] && t->tape.node[i] != p.node && !map_u64_get(&own, t->tape.node[i], NULL))
            inner[p.inner_count++] = t->tape.node[i];
    p.inner = inner;
    for (size_t i = 0; i < d->out->list.n; i++)
        if (d->out->list.p[i].node == p.node)
            return true;
    VEC_PUSH(d->a, d->out->list, p);
    return true;
}

static bool is_seed_of(const struct graph *g, graph_id id, graph_id *x)
{
    const struct graph_node *n = graph_at(g, id);
    if ((n->kind == UOP_MULHI_S || n->kind == UOP_MULHI_U) && n->type == UOP_B32 &&
        graph_is_const(g, n->arg[1], NULL)) {
        *x = n->arg[0];
        return true;
    }
    if (n->kind != UOP_HI || n->type != UOP_B32)
        return false;
    n = graph_at(g, n->arg[0]);
    if (n->kind == UOP_ADD && n->type == UOP_B64) /* with the dividend once more on top */
        n = graph_at(g, graph_at(g, n->arg[0])->kind == UOP_MUL ? n->arg[0] : n->arg[1]);
    if (n->kind != UOP_MUL || n->type != UOP_B64 || !graph_is_const(g, n->arg[1], NULL))
        return false;
    n = graph_at(g, n->arg[0]);
    if ((n->kind != UOP_SEXT && n->kind != UOP_ZEXT) || n->imm != 32)
        return false;
    *x = n->arg[0];
    return true;
}

static bool by_constant(struct divide *d, graph_id seed, graph_id x)
{
    struct climb c;
    uint32_t known[4];
    unsigned known_count = 0;
    bool known_signed[4];
    const struct graph_node *n = graph_at(d->g, x);
    if (n->kind == UOP_SHR && graph_is_const(d->g, n->arg[1], NULL)) /* shifted before it is multiplied */
        x = n->arg[0];
    if (is_fixed(d, x))
        return true;
    climb_from(d, seed, &c);
    qsort(c.node, c.count, sizeof c.node[0], by_number);
    for (unsigned i = 0; i < c.count; i++) {
        struct tried t = {.d = d, .root = c.node[i], .a = x};
        if (graph_at(d->g, t.root)->type != UOP_B32 || !spend(d, 64) ||
            !pat_tape_build(&t.tape, d->a, d->g, &t.root, 1, &x, 1))
            continue;
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            uint32_t divisor = divisor_of(&t, is_signed);
            bool shift = !(divisor & (divisor - 1)); /* by a power of two: no product is needed */
            bool remainder = false, is = divisor > 1 && !shift && agrees_near(&t, is_signed, false, divisor);
            for (unsigned k = 0; k < known_count && !is; k++)
                if (known_signed[k] == is_signed)
                    is = remainder = remainder_divisor(&t, is_signed, &known[k], 1, &divisor);
            if (!is)
                continue;
            struct pat_division p = {
                .node = t.root, .a = x, .divisor = divisor, .remainder = remainder, .is_signed = is_signed};
            if (!add(d, &t, &p))
                return false;
            if (!remainder && known_count < 4) {
                known_signed[known_count] = is_signed;
                known[known_count++] = divisor;
            }
            break;
        }
    }
    return true;
}

/* ---- by a value ------------------------------------------------------------------------------ */

/* The number itself, its size, or either turned round. */
static bool is_of(const struct graph *g, graph_id id, graph_id b)
{
    if (graph_at(g, id)->kind == UOP_NEG)
        id = graph_at(g, id)->arg[0];
    return id == b || (graph_at(g, id)->kind == UOP_ABS && graph_at(g, id)->arg[0] == b);
}

/* What a computation from `b` and one other number starts from, seen through what is done to either before. */
static bool other_of(const struct divide *d, const struct climb *c, graph_id root, graph_id b, graph_id *a)
{
    graph_id stack[64], seen[128];
    unsigned depth = 0, seen_count = 0;
    *a = GRAPH_NIL;
    stack[depth++] = root;
    while (depth) {
        graph_id id = stack[--depth];
        const struct graph_node *n = graph_at(d->g, id);
        bool again = id == b || graph_is_const(d->g, id, NULL);
        for (unsigned i = 0; i < seen_count && !again; i++)
            again = seen[i] == id;
        if (again)
            continue;
        if (seen_count == 128)
            return false;
        seen[seen_count++] = id;
        bool opens = bsearch(&id, c->node, c->count, sizeof id, by_number) != NULL;
        switch (n->kind) { /* signs, widths, differences: done to a number, not the number */
        case UOP_ABS:
        case UOP_NEG:
        case UOP_NOT:
        case UOP_ZEXT:
        case UOP_SEXT:
        case UOP_I2F:
        case UOP_RCP:
        case GRAPH_BOOL: opens = true; break;
        default:
            for (unsigned i = 0; i < n->arg_count && pat_is_pure(n); i++)
                opens |= is_of(d->g, n->arg[i], b) || n->type == UOP_B1;
        }
        if (!opens) {
            if (*a != GRAPH_NIL && *a != id) {
                /* the one that the other is made of */
                const struct graph_node *p = graph_at(d->g, *a);
                bool of = false, over = false;
                for (unsigned i = 0; i < p->arg_count && pat_is_pure(p); i++)
                    of |= p->arg[i] == id;
                for (unsigned i = 0; i < n->arg_count && pat_is_pure(n); i++)
                    over |= n->arg[i] == *a;
                if (!of && !over)
                    return false;
                if (over)
                    continue;
            }
            *a = id;
            continue;
        }
        if (!pat_is_pure(n))
            return false;
        for (unsigned i = 0; i < n->arg_count && depth < 64; i++)
            stack[depth++] = n->arg[i];
    }
    return *a != GRAPH_NIL;
}

/* A later division with the same meaning is the whole of an earlier one. */
static void drop_same(struct divide *d, size_t first, const struct pat_division *p)
{
    size_t kept = first;
    for (size_t j = first; j < d->out->list.n; j++) {
        const struct pat_division *o = &d->out->list.p[j];
        if (o->a != p->a || o->b != p->b || o->remainder != p->remainder || o->is_signed != p->is_signed ||
            o->divisor != p->divisor)
            d->out->list.p[kept++] = *o;
    }
    d->out->list.n = kept;
}

/* The reciprocal of a constant, as code that was not optimised has it. */
static bool by_unfolded_constant(struct divide *d, graph_id seed)
{
    struct climb c;
    size_t first = d->out->list.n;
    uint64_t bits;
    uint32_t divisor;
    float f;
    graph_is_const(d->g, graph_at(d->g, seed)->arg[0], &bits);
    divisor = (uint32_t)bits;
    memcpy(&f, &divisor, sizeof f);
    if (!(f >= 2.0f && f < 4294967040.0f))
        return true;
    climb_from(d, seed, &c);
    qsort(c.node, c.count, sizeof c.node[0], by_number);
    for (unsigned i = 0; i < c.count; i++) {
        struct tried t = {.d = d, .root = c.node[i]};
        const struct graph_node *root = graph_at(d->g, t.root);
        if (root->type != UOP_B32 || root->kind != UOP_SELECT || !other_of(d, &c, t.root, GRAPH_NIL, &t.a) ||
            is_fixed(d, t.a) || !spend(d, 64) || !pat_tape_build(&t.tape, d->a, d->g, &t.root, 1, &t.a, 1))
            continue;
        t.tape.reciprocal = PAT_RECIPROCAL;
        /* The float is the divisor rounded up: a quotient tells which it is, a remainder is asked for that. */
        for (unsigned k = 0; k < 4; k++) {
            bool is_signed = k & 1, remainder = k & 2;
            uint32_t by = remainder ? (uint32_t)f : divisor_of(&t, is_signed);
            if (by < 2 || !agrees_near(&t, is_signed, remainder, by))
                continue;
            struct pat_division p = {
                .node = t.root, .a = t.a, .divisor = by, .remainder = remainder, .is_signed = is_signed};
            drop_same(d, first, &p);
            if (!add(d, &t, &p))
                return false;
            break;
        }
    }
    return true;
}

/* The number that the estimated reciprocal is multiplied with, for the high word: the one that is divided. */
static graph_id multiplied(const struct divide *d, const struct climb *c)
{
    for (unsigned i = 0; i < c->count; i++) {
        const struct graph_node *n = graph_at(d->g, c->node[i]);
        if (n->kind == UOP_HI && graph_at(d->g, n->arg[0])->kind == UOP_MUL)
            n = graph_at(d->g, n->arg[0]);
        else if (n->kind != UOP_MULHI_U)
            continue;
        for (unsigned k = 0; k < 2; k++) {
            graph_id x = n->arg[k], y = n->arg[1 - k];
            if (n->kind == UOP_MUL && graph_at(d->g, x)->kind == UOP_ZEXT && graph_at(d->g, y)->kind == UOP_ZEXT) {
                x = graph_at(d->g, x)->arg[0];
                y = graph_at(d->g, y)->arg[0];
            }
            if (bsearch(&x, c->node, c->count, sizeof x, by_number) &&
                !bsearch(&y, c->node, c->count, sizeof y, by_number) && graph_at(d->g, y)->kind == UOP_ADD)
                return y;
        }
    }
    return GRAPH_NIL;
}

static bool by_value(struct divide *d, graph_id seed)
{
    struct climb c;
    const struct graph_node *n = graph_at(d->g, graph_at(d->g, seed)->arg[0]);
    if (n->kind == UOP_CONST && graph_at(d->g, seed)->type == UOP_F32)
        return by_unfolded_constant(d, seed);
    if (n->kind != UOP_I2F || n->imm != 32)
        return true;
    graph_id b = n->arg[0];
    if (graph_at(d->g, b)->kind == UOP_ABS)
        b = graph_at(d->g, b)->arg[0];
    if (graph_is_const(d->g, b, NULL))
        return true;
    climb_from(d, seed, &c);
    qsort(c.node, c.count, sizeof c.node[0], by_number);
    size_t first = d->out->list.n;
    for (unsigned i = 0; i < c.count; i++) {
        struct tried t = {.d = d, .root = c.node[i], .b = b};
        const struct graph_node *root = graph_at(d->g, t.root);
        if (root->type != UOP_B32 || root->kind != UOP_SELECT || !spend(d, 64))
            continue;
        bool plain = other_of(d, &c, t.root, b, &t.a) && build(&t, false);
        unsigned k = plain ? 0 : 4;
        while (k < 4 && !agrees_everywhere(&t, k & 1, k & 2))
            k++;
        graph_id of = k == 4 ? multiplied(d, &c) : (graph_id)GRAPH_NIL;
        if (of != GRAPH_NIL) {
            t.a = of;
            k = build(&t, true) ? 0 : 4;
            while (k < 4 && !agrees_everywhere(&t, k & 1, k & 2))
                k++;
        }
        if (k == 4)
            continue;
        struct pat_division p = {.node = t.root, .a = t.a, .b = b, .remainder = k & 2, .is_signed = k & 1};
        drop_same(d, first, &p);
        if (!add(d, &t, &p))
            return false;
    }
    return true;
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
    if (!spend(t->d, t->tape.count))
        return false;
    give(t, 1, b);
    give(t, 0, a);
    pat_tape_run(&t->tape);
    return pat_tape_value(&t->tape, t->root) == wanted_wide(is_signed, remainder, a, b);
}

static bool agrees_everywhere_wide(struct tried *t, bool is_signed, bool remainder)
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

/* The numbers of 64 bits among what `root` is made of whose low words are these two; a sum's low word is a sum of low
 * words, and does not tell of what. */
static bool find_wide(struct divide *d, graph_id root, const graph_id low[2], graph_id wide[2])
{
    enum { CONE = 512 };
    graph_id *stack = ARENA_ARRAY(d->a, graph_id, CONE);
    struct map_u64 seen = {0};
    unsigned count = 0;
    for (unsigned k = 0; k < 2; k++)
        wide[k] = graph_at(d->g, low[k])->kind == UOP_LO ? graph_at(d->g, low[k])->arg[0] : (graph_id)GRAPH_NIL;
    if (!stack)
        return false;
    stack[count++] = root;
    for (unsigned i = 0; i < count && (wide[0] == GRAPH_NIL || wide[1] == GRAPH_NIL); i++) {
        const struct graph_node n = *graph_at(d->g, stack[i]);
        graph_id half = n.type == UOP_B64 && i ? graph_op1(d->g, UOP_LO, UOP_B32, stack[i]) : (graph_id)GRAPH_NIL;
        for (unsigned k = 0; k < 2; k++)
            if (half != GRAPH_NIL && half == low[k] && n.kind != UOP_ZEXT && wide[k] == GRAPH_NIL)
                wide[k] = stack[i];
        for (unsigned k = 0; k < n.arg_count && pat_is_pure(&n) && count < CONE; k++)
            if (!map_u64_get(&seen, n.arg[k], NULL) && map_u64_put(d->a, &seen, n.arg[k], 1))
                stack[count++] = n.arg[k];
    }
    return wide[0] != GRAPH_NIL && wide[1] != GRAPH_NIL;
}

/* The division of the low words is the quick way of one of the whole numbers. */
static bool widen(struct divide *d, size_t at)
{
    const struct pat_division p = d->out->list.p[at];
    struct climb c;
    if (p.b == GRAPH_NIL || p.is_signed)
        return true;
    climb_from(d, p.node, &c);
    qsort(c.node, c.count, sizeof c.node[0], by_number);
    for (unsigned i = 0; i < c.count; i++) {
        graph_id wide[2];
        const struct graph_node *n = graph_at(d->g, c.node[i]);
        if (n->kind != UOP_SELECT || n->type != UOP_B64 || !spend(d, 512) ||
            !find_wide(d, c.node[i], (graph_id[]){p.a, p.b}, wide))
            continue;
        struct tried t = {.d = d, .root = c.node[i], .a = wide[0], .b = wide[1]};
        if (!build(&t, false) && !build(&t, true))
            continue;
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            struct pat_division q = p;
            if (!agrees_everywhere_wide(&t, is_signed, p.remainder))
                continue;
            q.node = t.root;
            q.a = wide[0];
            q.b = wide[1];
            q.is_signed = is_signed;
            q.wide = true;
            return add(d, &t, &q);
        }
    }
    return true;
}

/* What only another division uses is a part of it. */
static bool is_part(const struct divide *d, const struct pat_division *p, const struct pat_division *of)
{
    uint32_t count;
    const graph_id *users = graph_users(d->g, p->node, &count);
    bool within = false;
    for (unsigned k = 0; k < of->inner_count && !within; k++)
        within = of->inner[k] == p->node;
    for (uint32_t i = 0; i < count && within; i++) {
        const struct graph_node *u = graph_at(d->g, users[i]), *root = graph_at(d->g, of->node);
        bool word = of->wide && u->kind == UOP_SELECT && root->kind == UOP_SELECT && u->arg[0] == root->arg[0];
        bool known = !d->x->live[users[i]] || users[i] == of->node || word;
        for (unsigned k = 0; k < of->inner_count && !known; k++)
            known = of->inner[k] == users[i];
        within = known;
    }
    return within;
}

static void drop_parts(struct divide *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->out->list.n; i++) {
        bool part = false;
        for (size_t k = 0; k < d->out->list.n && !part; k++)
            part = k != i && d->out->list.p[k].node > d->out->list.p[i].node &&
                   is_part(d, &d->out->list.p[i], &d->out->list.p[k]);
        d->out->list.p[i].node = part ? (graph_id)GRAPH_NIL : d->out->list.p[i].node;
    }
    for (size_t i = 0; i < d->out->list.n; i++)
        if (d->out->list.p[i].node != GRAPH_NIL)
            d->out->list.p[kept++] = d->out->list.p[i];
    d->out->list.n = kept;
}

enum sp_status pat_find_divisions(struct arena *a, const struct pat_index *x, struct pat_divisions *out)
{
    struct divide d = {.a = a, .x = x, .g = x->g, .out = out, .budget = 4000000 + 1000 * (uint64_t)x->count};
    unsigned seeds = 0;
    *out = (struct pat_divisions){0};
    for (graph_id id = 1; id < x->count && seeds < SEEDS; id++) {
        graph_id number;
        if (!x->live[id])
            continue;
        bool ok = true;
        if (is_seed_of(x->g, id, &number)) {
            ok = by_constant(&d, id, number);
            seeds++;
        } else if (graph_at(x->g, id)->kind == UOP_RCP) {
            ok = by_value(&d, id);
            seeds++;
        }
        if (!ok)
            return SP_ERR_MEMORY;
    }
    for (size_t i = 0, n = out->list.n; i < n; i++)
        if (!widen(&d, i))
            return SP_ERR_MEMORY;
    drop_parts(&d);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
