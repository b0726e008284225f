/* Integer division as machines do it, found by what it computes: a value that is some function of one number and
 * constants alone, with the high word of a product in it, is a quotient or a remainder by a constant when it is that
 * for every number tried; one with the reciprocal of a converted integer in it is a / b or a % b when it is that for
 * every pair tried, whatever the approximate reciprocal's last bit is.
 *
 * Tried are the places where such code can go wrong (just below and at multiples of the divisor, up to the largest,
 * the ends of the range) and scattered numbers. Candidates are met by climbing from the seed (the product, the
 * reciprocal) to its users, a bounded number of steps; so is the work in all. Requires a built graph with users; gives
 * divisions by node. */
#include "pattern/pat_divide.h"

#include <stdlib.h>
#include <string.h>

/* A reciprocal may serve many divisions by one number: one climb finds them all. */
enum { CLIMB = 128, WIDE_CLIMB = 2048, USERS = 16, SEEDS = 4096, SUMS = 8 };

/* ---- candidates ------------------------------------------------------------------------------ */

struct climb {
    graph_id node[WIDE_CLIMB];
    unsigned count;
};

static bool is_integer(const struct graph_node *n)
{
    return n->type == UOP_B32 || n->type == UOP_B64 || n->type == UOP_B1;
}

/* Users of a seed, users of those …, as far as integers go. */
static void climb_from(struct divide *d, graph_id seed, unsigned limit, struct climb *c)
{
    uint32_t now = ++d->climbs;
    c->count = 0;
    c->node[c->count++] = seed;
    for (unsigned i = 0; i < c->count; i++) {
        uint32_t count;
        const graph_id *users = graph_users(d->g, c->node[i], &count);
        for (uint32_t k = 0; k < count && k < USERS * (limit / CLIMB) && c->count < limit; k++) {
            const struct graph_node *n = graph_at(d->g, users[k]);
            if (users[k] >= d->x->count || d->met[users[k]] == now || !d->x->live[users[k]] || !pat_is_pure(n) ||
                n->kind == GRAPH_BOOL || !is_integer(n))
                continue;
            d->met[users[k]] = now;
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
    if (pat_try_fixed(d, x))
        return true;
    climb_from(d, seed, CLIMB, &c);
    qsort(c.node, c.count, sizeof c.node[0], by_number);
    for (unsigned i = 0; i < c.count; i++) {
        if (graph_at(d->g, c.node[i])->type != UOP_B32 || !pat_try_spend(d, 64))
            continue;
        struct tried t;
        pat_try_begin(&t, d, c.node[i], x, GRAPH_NIL);
        if (!pat_tape_build(&t.tape, d->a, d->g, &t.root, 1, &x, 1))
            continue;
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            uint32_t divisor = pat_try_divisor(&t, is_signed);
            bool shift = !(divisor & (divisor - 1)); /* by a power of two: no product is needed */
            bool remainder = false, is = divisor > 1 && !shift && pat_try_near(&t, is_signed, false, divisor);
            for (unsigned k = 0; k < known_count && !is; k++)
                if (known_signed[k] == is_signed)
                    is = remainder = pat_try_remainder(&t, is_signed, &known[k], 1, &divisor);
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
static bool other_of(struct divide *d, const struct climb *c, graph_id root, graph_id b, graph_id *a)
{
    graph_id stack[64];
    unsigned depth = 0, seen_count = 0;
    const uint32_t now = ++d->others;
    *a = GRAPH_NIL;
    stack[depth++] = root;
    while (depth) {
        graph_id id = stack[--depth];
        const struct graph_node *n = graph_at(d->g, id);
        if (id == b || graph_is_const(d->g, id, NULL) || d->seen[id] == now)
            continue;
        if (seen_count++ == 128)
            return false;
        d->seen[id] = now;
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
    uint64_t bits = 0;
    uint32_t divisor;
    float f;
    graph_is_const(d->g, graph_at(d->g, seed)->arg[0], &bits);
    divisor = (uint32_t)bits;
    memcpy(&f, &divisor, sizeof f);
    if (!(f >= 2.0f && f < 4294967040.0f))
        return true;
    climb_from(d, seed, CLIMB, &c);
    qsort(c.node, c.count, sizeof c.node[0], by_number);
    for (unsigned i = 0; i < c.count; i++) {
        const struct graph_node *root = graph_at(d->g, c.node[i]);
        if (root->type != UOP_B32 || root->kind != UOP_SELECT)
            continue;
        struct tried t;
        pat_try_begin(&t, d, c.node[i], GRAPH_NIL, GRAPH_NIL);
        if (!other_of(d, &c, t.root, GRAPH_NIL, &t.a) || pat_try_fixed(d, t.a) || !pat_try_spend(d, 64) ||
            !pat_tape_build(&t.tape, d->a, d->g, &t.root, 1, &t.a, 1))
            continue;
        t.tape.reciprocal = PAT_RECIPROCAL;
        /* The float is the divisor rounded up: a quotient tells which it is, a remainder is asked for that. */
        for (unsigned k = 0; k < 4; k++) {
            bool is_signed = k & 1, remainder = k & 2;
            uint32_t by = remainder ? (uint32_t)f : pat_try_divisor(&t, is_signed);
            if (by < 2 || !pat_try_near(&t, is_signed, remainder, by))
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

/* The number that the estimated reciprocal is multiplied with, for the high word: the one that is divided, or its size.
 * From `*from` on, for one reciprocal may serve several divisions. */
static graph_id multiplied(const struct divide *d, const struct climb *c, unsigned *from)
{
    for (unsigned i = *from; i < c->count; i++) {
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
            bool is = bsearch(&x, c->node, c->count, sizeof x, by_number) &&
                      !bsearch(&y, c->node, c->count, sizeof y, by_number);
            y = graph_at(d->g, y)->kind == UOP_ABS ? graph_at(d->g, y)->arg[0] : y;
            if (is && graph_at(d->g, y)->kind == UOP_ADD) {
                *from = i + 1;
                return y;
            }
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
    climb_from(d, seed, WIDE_CLIMB, &c);
    qsort(c.node, c.count, sizeof c.node[0], by_number);
    size_t first = d->out->list.n;
    for (unsigned i = 0; i < c.count; i++) {
        const struct graph_node *root = graph_at(d->g, c.node[i]);
        if (root->type != UOP_B32 || root->kind != UOP_SELECT || !pat_try_spend(d, 64))
            continue;
        struct tried t;
        pat_try_begin(&t, d, c.node[i], GRAPH_NIL, b);
        bool plain = other_of(d, &c, t.root, b, &t.a) && pat_try_build(&t, false);
        unsigned k = plain ? 0 : 4;
        while (k < 4 && !pat_try_everywhere(&t, k & 1, k & 2))
            k++;
        for (unsigned at = 0, tries = 0; k == 4 && tries < SUMS; tries++) {
            graph_id of = multiplied(d, &c, &at);
            if (of == GRAPH_NIL)
                break;
            t.a = of;
            k = pat_try_build(&t, true) ? 0 : 4;
            while (k < 4 && !pat_try_everywhere(&t, k & 1, k & 2))
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
    climb_from(d, p.node, CLIMB, &c);
    qsort(c.node, c.count, sizeof c.node[0], by_number);
    for (unsigned i = 0; i < c.count; i++) {
        graph_id wide[2];
        const struct graph_node *n = graph_at(d->g, c.node[i]);
        if (n->kind != UOP_SELECT || n->type != UOP_B64 || !pat_try_spend(d, 512) ||
            !find_wide(d, c.node[i], (graph_id[]){p.a, p.b}, wide))
            continue;
        struct tried t;
        pat_try_begin(&t, d, c.node[i], wide[0], wide[1]);
        if (!pat_try_build(&t, false) && !pat_try_build(&t, true))
            continue;
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            struct pat_division q = p;
            if (!pat_try_wide(&t, is_signed, p.remainder))
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

/* What only another division uses is a part of it: `p` is inside `of` already. */
static bool is_part(const struct divide *d, const struct pat_division *p, const struct pat_division *of)
{
    uint32_t count;
    const graph_id *users = graph_users(d->g, p->node, &count);
    bool within = true;
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

/* Every division is looked for inside the others once, by its node: the pairs that could be part and whole are few. */
static bool drop_parts(struct divide *d)
{
    struct inside { /* a division that has another's node inside; 0: the last */
        uint32_t division, next;
    };
    size_t n = d->out->list.n, kept = 0;
    VEC(struct inside) insides = {0};
    uint32_t *first = ARENA_ARRAY(d->a, uint32_t, n + 1);
    struct map_u64 at_node = {0};
    VEC_PUSH(d->a, insides, (struct inside){0, 0});
    for (size_t i = 0; i < n && first; i++)
        if (!map_u64_put(d->a, &at_node, d->out->list.p[i].node, (uint32_t)i))
            return false;
    for (size_t k = n; k-- > 0 && first;) {
        const struct pat_division *of = &d->out->list.p[k];
        for (unsigned j = 0; j < of->inner_count; j++) {
            uint32_t i;
            if (!map_u64_get(&at_node, of->inner[j], &i) || of->node <= of->inner[j] ||
                (first[i] && insides.p[first[i]].division == k))
                continue;
            VEC_PUSH(d->a, insides, (struct inside){(uint32_t)k, first[i]});
            first[i] = (uint32_t)insides.n - 1;
        }
    }
    if (arena_failed(d->a))
        return false;
    for (size_t i = 0; i < n; i++) {
        bool part = false;
        for (uint32_t k = first[i]; k && !part; k = insides.p[k].next) {
            const struct pat_division *of = &d->out->list.p[insides.p[k].division];
            part = of->node != GRAPH_NIL && is_part(d, &d->out->list.p[i], of);
        }
        d->out->list.p[i].node = part ? (graph_id)GRAPH_NIL : d->out->list.p[i].node;
    }
    for (size_t i = 0; i < n; i++)
        if (d->out->list.p[i].node != GRAPH_NIL)
            d->out->list.p[kept++] = d->out->list.p[i];
    d->out->list.n = kept;
    return true;
}

enum sp_status pat_find_divisions(struct arena *a, const struct pat_index *x, struct pat_memo *memo,
                                  struct pat_divisions *out)
{
    struct divide d = {
        .a = a, .x = x, .g = x->g, .out = out, .memo = memo, .budget = 4000000 + 1000 * (uint64_t)x->count};
    unsigned seeds = 0;
    d.met = ARENA_ARRAY(a, uint32_t, x->count + 1);
    *out = (struct pat_divisions){0};
    d.seen = ARENA_ARRAY(a, uint32_t, x->count + 1);
    if (!d.met || !d.seen)
        return SP_ERR_MEMORY;
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
    return drop_parts(&d) ? SP_OK : SP_ERR_MEMORY;
}
