/* The digits of an address: threadIdx itself, its high or low bits, or one of these times something uniform. One digit
 * is divided out; several are taken apart as a number of mixed radix, the largest step first (tile[ty][tx], whatever
 * the pitch). A word of a wider store is met by every so many threads.
 * requires: linear forms · gives: graph_take_apart */
#include "graph/graph_depend_internal.h"

/* threadIdx.d, or some of its bits. */
bool graph_is_digit(struct graph *g, graph_id id, struct graph_digit *d)
{
    const struct graph_node n = *graph_at(g, id);
    uint64_t c;
    if (n.kind == UOP_SREG && n.imm <= UOP_SR_TID_Z) {
        d->dimension = (unsigned)n.imm;
        d->mask = UINT32_MAX;
        return true;
    }
    if (n.kind == UOP_SHR && graph_is_const(g, n.arg[1], &c) && c < 16 && graph_is_digit(g, n.arg[0], d) && !d->shift &&
        d->mask == UINT32_MAX && !d->flip) {
        d->shift = (unsigned)c;
        return true;
    }
    if (n.kind == UOP_AND && graph_is_const(g, n.arg[1], &c) && c && (c & (c + 1)) == 0 && c < 1024 &&
        graph_is_digit(g, n.arg[0], d) && d->mask == UINT32_MAX && !d->flip) {
        d->mask = (uint32_t)c;
        return true;
    }
    if (n.kind == UOP_XOR && !d->flip) {
        for (unsigned k = 0; k < 2; k++)
            if (graph_block_uniform(g, n.arg[1 - k]) && graph_is_digit(g, n.arg[k], d) && !d->flip) {
                d->flip = n.arg[1 - k];
                return true;
            }
    }
    return false;
}

bool graph_is_coordinate(struct graph *g, graph_id symbol, unsigned *dimension, bool *whole)
{
    struct graph_digit d = {0};
    if (!graph_is_digit(g, symbol, &d))
        return false;
    *dimension = d.dimension;
    *whole = d.mask == UINT32_MAX && !d.shift && !d.flip;
    return true;
}

bool graph_read_digit(struct graph *g, graph_id symbol, int64_t c, struct graph_digit *d)
{
    const struct graph_node n = *graph_at(g, symbol);
    *d = (struct graph_digit){.c = c};
    if (graph_is_digit(g, symbol, d))
        return true;
    if (n.kind != UOP_MUL)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        *d = (struct graph_digit){.c = c, .scale = n.arg[1 - k]};
        if (graph_block_uniform(g, n.arg[1 - k]) && graph_is_digit(g, n.arg[k], d))
            return true;
    }
    return false;
}

bool graph_pins(struct graph *g, graph_id when, unsigned dimension, unsigned shift, uint32_t mask, int64_t *value)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (when == GRAPH_NIL || !graph_table(g, when, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++) {
        const struct graph_node n = *graph_at(g, atoms[k]);
        bool always = true;
        for (unsigned row = 0; row < 1u << count; row++)
            always &= !(table >> row & 1) || (row >> k & 1);
        struct graph_linear x, y;
        if (!always || n.kind != UOP_IEQ || !graph_linear_of(g, n.arg[0], &x) || !graph_linear_of(g, n.arg[1], &y) ||
            !graph_linear_add(&x, &y, -1) || x.n != 1 || (x.t[0].c != 1 && x.t[0].c != -1))
            continue;
        struct graph_digit d = {0};
        if (graph_is_digit(g, x.t[0].symbol, &d) && !d.flip && d.dimension == dimension && d.shift == shift &&
            d.mask == mask) {
            *value = x.t[0].c == 1 ? -x.k : x.k;
            return true;
        }
    }
    if (mask != UINT32_MAX || !shift || shift > 9)
        return false;
    struct graph_constraints more = {0}; /* threads below 2^shift have no bits there */
    graph_constrain(&more, &(struct graph_linear){
                               .t = {{graph_sreg(g, UOP_SR_TID_X + dimension), -1}}, .n = 1, .k = INT64_C(1) << shift});
    *value = 0;
    return graph_excluded(g, when, GRAPH_NIL, &more);
}

bool graph_digit_above(struct graph *g, graph_id when, struct graph_digit *d, int64_t *bytes)
{
    enum { TOP = 10 };
    int64_t low, c;
    if (d->mask != UINT32_MAX || !d->shift || d->flip || when == GRAPH_NIL || graph_block_uniform(g, when))
        return false;
    for (unsigned m = TOP; m-- > d->shift + 1;) {
        if (!graph_pins(g, when, d->dimension, 0, (UINT32_C(1) << m) - 1, &low) || low < 0 || low >> m ||
            (d->scale && low >> d->shift) || __builtin_mul_overflow(d->c, INT64_C(1) << (m - d->shift), &c) ||
            __builtin_mul_overflow(d->c, low >> d->shift, bytes))
            continue;
        d->c = c;
        d->shift = m;
        return true;
    }
    return false;
}

/* How many values the digit has at most; 0: not known. */
int64_t graph_digit_count(struct graph *g, const struct graph_digit *d)
{
    struct graph_range r;
    if (d->mask != UINT32_MAX)
        return (int64_t)d->mask + 1;
    graph_range_of(g, graph_sreg(g, UOP_SR_TID_X + d->dimension), &r);
    return (r.hi >> d->shift) + 1;
}

/* Divides: false when some coefficient is no multiple. *never: only the constant is none. */
static bool divide(struct graph_linear *a, int64_t c, bool *never)
{
    *never = false;
    for (unsigned i = 0; i < a->n; i++)
        if (a->t[i].c % c)
            return false;
    if (a->k % c) {
        *never = true;
        return false;
    }
    for (unsigned i = 0; i < a->n; i++)
        a->t[i].c /= c;
    a->k /= c;
    return true;
}

/* A word inside a wider store: every so many threads read one thread's store. right / c as (right / small) >> s; it
 * holds for the threads for which nothing is shifted out. */
static bool divide_wide(struct graph *g, struct graph_linear *a, int64_t c, struct graph_solution *out, bool *never)
{
    int64_t small = c;
    for (unsigned i = 0; i < a->n; i++)
        for (int64_t x = a->t[i].c < 0 ? -a->t[i].c : a->t[i].c; x;) {
            int64_t rest = small % x;
            small = x;
            x = rest;
        }
    if (c <= 0 || small <= 0 || c % small || ((c / small) & (c / small - 1)) != 0 || !divide(a, small, never))
        return false;
    struct graph_range r;
    int64_t many = c / small, over = ((a->k % many) + many) % many;
    out->classes = many <= INT32_MAX ? (uint32_t)many : 0;
    out->class_of = (uint32_t)over;
    if (over)
        a->k += many - over; /* the whole number is the same, and never below zero for want of a word */
    graph_id node = graph_linear_node(g, a);
    if (node == GRAPH_NIL)
        return false;
    graph_linear_range(g, a, &r);
    if (r.lo < 0)
        return false;
    node =
        graph_op2(g, UOP_SHR, UOP_B32, node, graph_const(g, UOP_B32, (uint64_t)__builtin_ctzll((uint64_t)(c / small))));
    bool wraps = a->wraps;
    if (!graph_linear_of(g, node, a))
        return false;
    a->wraps |= wraps;
    return true;
}

/* A product with `scale` in it: the other factor, or a constant 1 for `scale` itself. */
static bool unscale(struct graph *g, graph_id symbol, graph_id scale, int64_t m, struct graph_linear *out)
{
    const struct graph_node n = *graph_at(g, symbol);
    struct graph_linear factor;
    if (symbol == scale)
        return !__builtin_add_overflow(out->k, m, &out->k);
    if (n.kind != UOP_MUL || (n.arg[0] != scale && n.arg[1] != scale))
        return false;
    return graph_linear_of(g, n.arg[n.arg[0] == scale], &factor) && graph_linear_add(out, &factor, m);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* One coordinate of a code that counts its threads in more than one dimension: the row of a tile. Or two with the
 * steps of the digits that are left: its plane. */
static bool is_coordinates(struct graph *g, const struct graph_linear *a, const struct graph_digit *left,
                           unsigned count)
{
    struct graph_digit d = {0};
    bool all = graph_facts_of(g)->two_dimensional && a->n && a->n <= count;
    for (unsigned i = 0; i < a->n && all && a->n > 1; i++) {
        bool one = false;
        d = (struct graph_digit){0};
        all = graph_is_digit(g, a->t[i].symbol, &d) && d.mask == UINT32_MAX && !d.shift && !d.flip;
        for (unsigned k = 0; k < count && all; k++)
            one |= left[k].dimension == d.dimension && left[k].c == a->t[i].c && left[k].mask == UINT32_MAX &&
                   !left[k].shift && !left[k].flip && !left[k].scale;
        all &= one;
    }
    return all && (a->n > 1 || graph_is_digit(g, a->t[0].symbol, &d));
}

/* The smaller digits together stay below one step of a larger one: else two threads share a number. A row of a tile is
 * assumed to be no longer than the step. */
static bool steps_part(struct graph *g, const struct graph_digit *d, unsigned count, bool *assumed)
{
    for (unsigned i = 0; i + 1 < count; i++) {
        __int128 below = 0;
        bool tile = true;
        for (unsigned k = i + 1; k < count && !d[i].scale; k++) {
            below += (__int128)(graph_digit_count(g, &d[k]) - 1) * d[k].c;
            tile &= graph_facts_of(g)->two_dimensional && d[k].mask == UINT32_MAX && !d[k].shift;
        }
        if (below < d[i].c || d[i].scale)
            continue;
        if (!tile)
            return false;
        *assumed = true;
    }
    return true;
}

/* Coordinates that go over several rows of a tile, tile[0][4 * tx + 3]: with rows as long as the store's step says, the
 * number of the element is divided by it. d[0] is the row, d[1] what counts inside of it. */
static bool over_rows(struct graph *g, struct graph_digit *d, unsigned count, const struct graph_linear *left)
{
    struct graph_linear number = {.k = left->k}, high, low;
    int64_t columns = d[1].c > 0 ? d[0].c / d[1].c : 0, span = 0;
    if (count != 2 || columns < 2 || (columns & (columns - 1)) != 0 || d[0].c % d[1].c || d[1].scale || d[0].flip ||
        d[1].flip || left->k % d[1].c || left->k < 0)
        return false;
    number.k = left->k / d[1].c;
    for (unsigned i = 0; i < left->n; i++) {
        struct graph_digit of = {0};
        int64_t c = left->t[i].c / d[1].c;
        if (left->t[i].c <= 0 || left->t[i].c % d[1].c || !graph_is_digit(g, left->t[i].symbol, &of) ||
            of.dimension != d[1].dimension || of.shift || of.flip ||
            !graph_linear_symbol(&number, left->t[i].symbol, c))
            return false;
        span += c * (columns - 1);
    }
    graph_id node = span >= columns ? graph_linear_node(g, &number) : GRAPH_NIL;
    if (node == GRAPH_NIL)
        return false;
    graph_id bits = graph_const(g, UOP_B32, (uint64_t)__builtin_ctzll((uint64_t)columns));
    graph_id mask = graph_const(g, UOP_B32, (uint64_t)(columns - 1));
    if (!graph_linear_of(g, graph_op2(g, UOP_SHR, UOP_B32, node, bits), &high) ||
        !graph_linear_of(g, graph_op2(g, UOP_AND, UOP_B32, node, mask), &low))
        return false;
    d[1].value = low;
    return graph_linear_add(&d[0].value, &high, 1);
}

/* Takes `right` apart over the digits, largest first. */
static bool mixed_radix(struct graph *g, struct graph_digit *d, unsigned count, const struct graph_linear *right,
                        bool *assumed)
{
    struct graph_linear rest = *right;
    if (!steps_part(g, d, count, assumed))
        return false;
    for (unsigned i = 0; i < count; i++) {
        struct graph_linear left = {.wraps = rest.wraps, .k = rest.k}; /* for the smaller digits */
        bool last = i + 1 == count;
        if (!d[i].c || (d[i].c < 0 && count > 1))
            return false;
        for (unsigned k = 0; k < rest.n; k++) {
            int64_t c = rest.t[k].c;
            struct graph_linear one = {.t = {{rest.t[k].symbol, 1}}, .n = 1};
            if (d[i].scale && c % d[i].c == 0 && unscale(g, rest.t[k].symbol, d[i].scale, c / d[i].c, &d[i].value))
                continue;
            if (!d[i].scale && c % d[i].c == 0) {
                if (!graph_linear_add(&d[i].value, &one, c / d[i].c))
                    return false;
                continue;
            }
            if (last || !graph_linear_add(&left, &one, c))
                return false;
        }
        d[i].value.wraps |= rest.wraps;
        if (last) {
            if (d[i].scale)
                return left.k == 0 && left.n == 0;
            if (!d[i].c || left.k % d[i].c)
                return false;
            d[i].value.k += left.k / d[i].c;
            return true;
        }
        if (d[i].scale) { /* below one step of it: threadIdx.x < blockDim.x is so, the rest is assumed */
            bool proved = graph_at(g, d[i].scale)->kind == UOP_SREG && left.n == 1 && left.k == 0 &&
                          graph_at(g, left.t[0].symbol)->kind == UOP_SREG &&
                          graph_at(g, d[i].scale)->imm - UOP_SR_NTID_X == graph_at(g, left.t[0].symbol)->imm;
            if (!proved && !is_coordinates(g, &left, d + i + 1, count - i - 1))
                return false;
            *assumed |= !proved;
            rest = left;
            continue;
        }
        /* How much of the constant belongs to the smaller digits: as much as keeps them inside one step. */
        struct graph_linear terms = left;
        struct graph_range r;
        terms.k = 0;
        graph_linear_range(g, &terms, &r);
        int64_t step = d[i].c, high = floor_div(left.k, step), low = left.k - high * step;
        bool inside = r.lo + low >= 0 && r.hi < step - low;
        if (!inside) {
            struct graph_range all = r;
            if (!is_coordinates(g, &terms, d + i + 1, count - i - 1) &&
                !(r.lo > INT64_MIN / 4 && r.hi < INT64_MAX / 4 && r.hi - r.lo < step))
                return false;
            *assumed = true;
            left.k = low;
            if (over_rows(g, d + i, count - i, &left)) {
                d[i].value.k += high;
                return true;
            }
            /* A constant just below one step is a step back, tile[ty][tx - 1], or one just above it the same when
             * columns are counted down, tile[ty][16 - tx]. */
            int64_t element = d[i + 1].c > 0 ? d[i + 1].c : 1;
            bool down = terms.n == 1 && terms.t[0].c < 0;
            if (all.hi - all.lo >= step) /* a tile's row: as long as the step, as far as is known */
                all = (struct graph_range){down ? element - step : 0, down ? 0 : step - element, false};
            if (!down && all.hi + low >= step && step - low <= 4 * element) {
                low -= step;
                high++;
            } else if (down && all.lo + low < 0 && low < 4 * element) {
                low += step;
                high--;
            }
        }
        d[i].value.k += high;
        left.k = low;
        rest = left;
    }
    return true;
}

/* Two digits that share bits of one coordinate are not independent. */
bool graph_digits_overlap(const struct graph_digit *d, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = i + 1; k < count; k++) {
            uint64_t a = (uint64_t)d[i].mask << d[i].shift, b = (uint64_t)d[k].mask << d[k].shift;
            if (d[i].dimension == d[k].dimension && (a & b & 0xffff) != 0)
                return true;
        }
    }
    return false;
}

/* All of one coordinate, with steps up only, the coordinate itself among them: different for different threads. */
bool graph_digits_grow(const struct graph_digit *d, unsigned count)
{
    bool whole = false;
    for (unsigned i = 0; i < count; i++) {
        bool is_whole = d[i].mask == UINT32_MAX && !d[i].shift;
        if (d[i].dimension != d[0].dimension || d[i].c <= 0 || d[i].flip || d[i].scale ||
            (d[i].mask != UINT32_MAX)) /* low bits fall back to 0 */
            return false;
        whole |= is_whole;
    }
    return whole;
}

void graph_sort_digits(struct graph_digit *digits, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned j = i; j; j--) {
            bool before =
                (digits[j].scale != GRAPH_NIL) > (digits[j - 1].scale != GRAPH_NIL) ||
                ((digits[j].scale != GRAPH_NIL) == (digits[j - 1].scale != GRAPH_NIL) && digits[j].c > digits[j - 1].c);
            if (!before)
                break;
            struct graph_digit t = digits[j];
            digits[j] = digits[j - 1];
            digits[j - 1] = t;
        }
}

/* A constant that no step divides is met by none. */
static bool between_steps(const struct graph_digit *d, unsigned count, const struct graph_linear *right)
{
    int64_t gcd = 0;
    for (unsigned i = 0; i < count; i++)
        for (int64_t b = d[i].c < 0 ? -d[i].c : d[i].c; b;) {
            int64_t rest = gcd % b;
            gcd = b;
            b = rest;
        }
    bool whole = gcd > 1 && right->k % gcd != 0;
    for (unsigned i = 0; i < right->n && whole; i++)
        whole = right->t[i].c % gcd == 0;
    return whole;
}

bool graph_take_apart(struct graph *g, struct graph_digit *d, unsigned count, const struct graph_linear *right,
                      struct graph_solution *out, bool *never)
{
    *never = false;
    if (count == 1 && !d[0].scale) {
        d[0].value = *right;
        return divide(&d[0].value, d[0].c, never) ||
               (!*never && !d[0].fixed && divide_wide(g, &d[0].value, d[0].c, out, never));
    }
    *never = between_steps(d, count, right);
    return !*never && mixed_radix(g, d, count, right, &out->assumed);
}

/* The store stays in one row of a tile, the load is in the row of its own coordinate: it reads the store where that is
 * the same row. That rows are no longer than their step is assumed, as in tiles that both sides count. */
unsigned graph_add_rows(struct graph *g, const struct graph_linear *l, struct graph_digit *digits, unsigned count)
{
    const struct graph_facts *facts = graph_facts_of(g);
    unsigned d, most = count;
    bool whole, row = false;
    for (unsigned pass = 0; pass < 2; pass++) { /* rows first; then what counts inside of them */
        for (unsigned i = 0; i < l->n && count < DIGITS; i++) {
            bool is = pass && row, own = false;
            if (!graph_is_coordinate(g, l->t[i].symbol, &d, &whole) || !whole || l->t[i].c <= 0)
                continue;
            for (unsigned k = 0; k < facts->row_count && !pass; k++)
                is |= facts->rows[k].dimension == d && facts->rows[k].step == l->t[i].c;
            for (unsigned k = 0; k < count; k++)
                own |= digits[k].dimension == d || (k < most && (digits[k].scale || digits[k].c >= l->t[i].c)) ||
                       (pass && k >= most && digits[k].c <= l->t[i].c);
            if (!is || own)
                continue;
            digits[count++] = (struct graph_digit){.c = l->t[i].c, .dimension = d, .mask = UINT32_MAX, .fixed = true};
            row = true;
        }
        if (most && !pass)
            break; /* the store counts inside of rows itself */
    }
    return count - most <= 2 ? count : most;
}

/* Takes the digits out that the store has not. */
unsigned graph_take_fixed(struct graph_digit *digits, unsigned count, struct graph_equations *conditions)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        if (digits[i].fixed && conditions->n < 2)
            conditions->f[conditions->n++] = digits[i].value;
        else
            digits[kept++] = digits[i];
    }
    return kept;
}
