/* Linear forms over the integers: an integer node is opened into sum(coefficient * symbol) + constant; where a sum
 * might leave its width the form says so (`wraps`). Shifts, masks and exclusive ors of multiples become the same of
 * smaller numbers; a loop's counters and pointers become its number of turns, which is a symbol while forms are solved
 * and an expression of a counter afterwards.
 * requires: ranges · gives: graph_linear_of, graph_linear_node */
#include "graph/graph_depend_internal.h"
#include "graph/graph_internal.h"

#include <string.h>

enum { LINEAR_DEPTH = 24 };

bool graph_linear_symbol(struct graph_linear *a, graph_id symbol, int64_t c)
{
    unsigned i = 0;
    if (!c)
        return true;
    while (i < a->n && a->t[i].symbol < symbol)
        i++;
    if (i < a->n && a->t[i].symbol == symbol) {
        if (__builtin_add_overflow(a->t[i].c, c, &a->t[i].c))
            return false;
        if (!a->t[i].c) {
            a->n--;
            for (; i < a->n; i++)
                a->t[i] = a->t[i + 1];
        }
        return true;
    }
    if (a->n == LINEAR_MAX)
        return false;
    for (unsigned k = a->n++; k > i; k--)
        a->t[k] = a->t[k - 1];
    a->t[i].symbol = symbol;
    a->t[i].c = c;
    return true;
}

/* Both are in order of their symbols: one pass. False (and nothing done) where something might not fit. */
static bool merge(struct graph_linear *a, const struct graph_linear *b, int64_t m)
{
    struct graph_linear sum;
    unsigned i = 0, k = 0;
    sum.n = 0;
    if (a->n + b->n > LINEAR_MAX)
        return false;
    while (i < a->n || k < b->n) {
        if (k == b->n || (i < a->n && a->t[i].symbol < b->t[k].symbol)) {
            sum.t[sum.n++] = a->t[i++];
            continue;
        }
        sum.t[sum.n].symbol = b->t[k].symbol;
        if (__builtin_mul_overflow(b->t[k].c, m, &sum.t[sum.n].c))
            return false;
        if (i < a->n && a->t[i].symbol == b->t[k].symbol &&
            __builtin_add_overflow(sum.t[sum.n].c, a->t[i++].c, &sum.t[sum.n].c))
            return false;
        sum.n += sum.t[sum.n].c != 0;
        k++;
    }
    memcpy(a->t, sum.t, sum.n * sizeof sum.t[0]);
    a->n = sum.n;
    return true;
}

bool graph_linear_add(struct graph_linear *a, const struct graph_linear *b, int64_t m)
{
    int64_t c;
    bool done = merge(a, b, m);
    for (unsigned i = 0; i < b->n && !done; i++)
        if (__builtin_mul_overflow(b->t[i].c, m, &c) || !graph_linear_symbol(a, b->t[i].symbol, c))
            return false;
    a->wraps |= b->wraps;
    return !__builtin_mul_overflow(b->k, m, &c) && !__builtin_add_overflow(a->k, c, &a->k);
}

bool graph_linear_is_const(const struct graph_linear *a, int64_t *k)
{
    *k = a->k;
    return a->n == 0;
}

bool graph_not_negative(struct graph *g, graph_id id)
{
    struct graph_range r;
    return graph_range_of(g, id, &r) && r.lo >= 0;
}

static bool is_natural(struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node n = *graph_at(g, id);
    if (graph_not_negative(g, id))
        return true;
    bool sums = depth < 4 && (n.kind == UOP_MUL || n.kind == UOP_ADD) && n.arg_count;
    for (unsigned i = 0; i < n.arg_count && sums; i++)
        sums = is_natural(g, n.arg[i], depth + 1);
    return sums;
}

bool graph_stays_natural(struct graph *g, graph_id id)
{
    return is_natural(g, id, 0);
}

bool graph_is_counter(struct graph *g, graph_id phi, graph_id *start, int64_t *step)
{
    const struct graph_node n = *graph_at(g, phi);
    graph_id next = GRAPH_NIL;
    if (n.kind != GRAPH_PHI || uop_type_bits((enum uop_type)n.type) != 32 || n.type == UOP_B1)
        return false;
    const struct graph_block *b = &g->blocks.p[n.block];
    uint32_t loop = b->loop;
    if (!loop || g->loops.p[loop - 1].header != n.block || g->loops.p[loop - 1].irreducible ||
        n.phi_count != b->pred_count)
        return false;
    *start = GRAPH_NIL;
    for (uint32_t k = 0; k < n.phi_count; k++) {
        graph_id *to = graph_in_loop(g, b->preds[k], loop) ? &next : start;
        if (*to != GRAPH_NIL && *to != n.phi_args[k])
            return false;
        *to = n.phi_args[k];
    }
    if (next == GRAPH_NIL || *start == GRAPH_NIL)
        return false;
    const struct graph_node sum = *graph_at(g, next);
    if (sum.kind != UOP_ADD || sum.arg[0] != phi || !graph_is_const(g, sum.arg[1], NULL))
        return false;
    *step = graph_signed_const(graph_at(g, sum.arg[1]));
    return *step != 0;
}

graph_id graph_turn_symbol(struct graph *g, uint32_t loop)
{
    struct graph_node n = {
        .kind = GRAPH_RESULT, .type = UOP_B32, .width = 1, .insn = UINT32_MAX, .block = loop, .imm = UINT64_MAX - loop};
    return graph_intern(g, &n);
}

bool graph_is_turn_symbol(const struct graph *g, graph_id id, uint32_t *loop)
{
    const struct graph_node *n = graph_at(g, id);
    *loop = n->block;
    return n->kind == GRAPH_RESULT && n->width == 1 && n->insn == UINT32_MAX && n->imm == UINT64_MAX - n->block;
}

/* x as 2^s * high + low with 0 <= low < 2^s: *high and *low as forms. */
static bool split_bits(struct graph *g, graph_id x, unsigned s, struct graph_linear *high, struct graph_linear *low)
{
    struct graph_linear f;
    struct graph_range r;
    int64_t step = INT64_C(1) << s;
    *high = *low = (struct graph_linear){0};
    if (!graph_linear_of(g, x, &f) || f.wraps || f.n < 1 || (f.n == 1 && f.t[0].symbol == x))
        return false;
    for (unsigned i = 0; i < f.n; i++) {
        bool whole = f.t[i].c % step == 0;
        if (!graph_linear_symbol(whole ? high : low, f.t[i].symbol, whole ? f.t[i].c / step : f.t[i].c))
            return false;
    }
    int64_t k = f.k >= 0 ? f.k / step : -((-f.k + step - 1) / step);
    high->k = k;
    low->k = f.k - k * step;
    graph_linear_range(g, low, &r);
    return r.lo >= 0 && r.hi < step;
}

/* (x + c) >> s of a multiple c of 2^s and a sum x that is not negative, as x >> s and the constant *k: sums that differ
 * in nothing but c have one symbol. NIL: no such. */
static graph_id whole_part(struct graph *g, const struct graph_node *n, unsigned s, int64_t *k)
{
    const struct graph_node sum = *graph_at(g, n->arg[0]);
    struct graph_range r;
    if (sum.kind != UOP_ADD || !graph_is_const(g, sum.arg[1], NULL) || !graph_range_of(g, sum.arg[0], &r) || r.lo < 0 ||
        graph_at(g, sum.arg[0])->kind == UOP_SREG)
        return GRAPH_NIL;
    int64_t c = graph_signed_const(graph_at(g, sum.arg[1]));
    if (!c || c % (INT64_C(1) << s) || r.lo + c < 0 || r.hi + c > INT32_MAX)
        return GRAPH_NIL;
    *k = c / (INT64_C(1) << s);
    return graph_op2(g, UOP_SHR, UOP_B32, sum.arg[0], n->arg[1]);
}

/* Bits of a multiple of 2^s: the same bits of what is multiplied. */
static graph_id unshifted(struct graph *g, const struct graph_node *n, unsigned *shift)
{
    graph_id half[2];
    unsigned least = 31;
    struct graph_range r;
    uint64_t c;
    for (unsigned i = 0; i < 2; i++) {
        const struct graph_node *x = graph_at(g, n->arg[i]);
        unsigned s = 0;
        if (graph_is_const(g, n->arg[i], &c))
            s = c ? (unsigned)__builtin_ctzll(c) : 31;
        else if (x->kind == UOP_MUL && graph_is_const(g, x->arg[1], &c) && c && graph_range_of(g, n->arg[i], &r))
            s = (unsigned)__builtin_ctzll(c);
        least = s < least ? s : least;
    }
    if (!least || least > 16)
        return GRAPH_NIL;
    for (unsigned i = 0; i < 2; i++) {
        const struct graph_node x = *graph_at(g, n->arg[i]);
        if (graph_is_const(g, n->arg[i], &c))
            half[i] = graph_const(g, UOP_B32, (uint64_t)(int64_t)((int32_t)c >> least));
        else
            half[i] =
                graph_op2(g, UOP_MUL, UOP_B32, x.arg[0], graph_const(g, UOP_B32, graph_at(g, x.arg[1])->imm >> least));
    }
    *shift = least;
    return graph_op2(g, (enum uop_kind)n->kind, UOP_B32, half[0], half[1]);
}

/* ---- numbers of few bits ---------------------------------------------------------------------- */

enum { BITS_DEPTH = 6 };

static uint64_t low_bits(uint64_t most) /* of all numbers up to this one */
{
    for (unsigned s = 1; s < 64; s *= 2)
        most |= most >> s;
    return most;
}

/* Bits that may be set in a value, while a phi is taken to have no others than `as`. All of them: nothing is known. */
static uint64_t bits_of(struct graph *g, graph_id id, graph_id phi, uint64_t as, unsigned depth)
{
    const struct graph_node n = *graph_at(g, id);
    unsigned width = uop_type_bits((enum uop_type)n.type);
    uint64_t all = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1, a, b, c;
    struct graph_range r;
    if (id == phi)
        return as;
    if (graph_is_const(g, id, &c))
        return c & all;
    if (depth < BITS_DEPTH && n.arg_count >= 2) {
        bool by = graph_is_const(g, n.arg[1], &c);
        switch (n.kind) {
        case UOP_AND:
        case UOP_OR:
        case UOP_XOR:
            a = bits_of(g, n.arg[0], phi, as, depth + 1);
            b = bits_of(g, n.arg[1], phi, as, depth + 1);
            return n.kind == UOP_AND ? a & b : a | b;
        case UOP_SELECT: return bits_of(g, n.arg[1], phi, as, depth + 1) | bits_of(g, n.arg[2], phi, as, depth + 1);
        case UOP_SHR:
            if (by && c < width)
                return bits_of(g, n.arg[0], phi, as, depth + 1) >> c;
            break;
        case UOP_MUL:
            if (by && c && (c & (c - 1)) == 0)
                return bits_of(g, n.arg[0], phi, as, depth + 1) << __builtin_ctzll(c) & all;
            break;
        default: break;
        }
    }
    return graph_range_of(g, id, &r) && r.lo >= 0 ? low_bits((uint64_t)r.hi) : all;
}

/* The same of any value; what comes round of a phi is asked until it says nothing new. */
static uint64_t possible_bits(struct graph *g, graph_id id)
{
    const struct graph_node n = *graph_at(g, id);
    uint64_t now = 0, next = 0;
    if (n.kind != GRAPH_PHI || n.type != UOP_B32 || n.phi_count > BITS_DEPTH)
        return bits_of(g, id, GRAPH_NIL, 0, 0);
    do {
        now = next;
        for (uint32_t k = 0; k < n.phi_count; k++)
            next |= n.phi_args[k] == GRAPH_NIL ? UINT32_MAX : bits_of(g, n.phi_args[k], id, now, 0);
    } while (next != now);
    return now;
}

/* select(x == k, a, b) of an x that is one of two neighbours: a + (b - a) * (x - k) or so. */
static bool two_ways(struct graph *g, const struct graph_node *n, graph_id *x, int64_t *step, int64_t *k)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table, a, b, with;
    struct graph_range r;
    if (!graph_is_const(g, n->arg[1], &a) || !graph_is_const(g, n->arg[2], &b) ||
        !graph_table(g, n->arg[0], atoms, &count, &table) || count != 1)
        return false;
    const struct graph_node is = *graph_at(g, atoms[0]);
    if (is.kind != UOP_IEQ || is.imm != 32 || !graph_is_const(g, is.arg[1], &with) ||
        !graph_range_of(g, is.arg[0], &r) || r.hi - r.lo != 1 || ((int32_t)with != r.lo && (int32_t)with != r.hi))
        return false;
    int64_t yes = (int32_t)(table & 2 ? a : b), no = (int32_t)(table & 2 ? b : a);
    bool low = (int32_t)with == r.lo; /* the lower one is `with` */
    *x = is.arg[0];
    *step = low ? no - yes : yes - no;
    *k = (low ? yes : no) - *step * r.lo;
    return true;
}

/* A 64-bit number that fits into 31 bits, as a 32-bit one; or NIL. */
static graph_id narrow(struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node n = *graph_at(g, id);
    struct graph_range r;
    uint64_t c;
    graph_id x;
    if (uop_type_bits((enum uop_type)n.type) != 64 || depth > BITS_DEPTH || !graph_range_of(g, id, &r) || r.lo < 0 ||
        r.hi > INT32_MAX)
        return GRAPH_NIL;
    if (graph_is_const(g, id, &c))
        return graph_const(g, UOP_B32, c);
    if ((n.kind == UOP_ZEXT || n.kind == UOP_SEXT) && n.imm == 32 &&
        uop_type_bits((enum uop_type)graph_at(g, n.arg[0])->type) == 32)
        return n.arg[0];
    if (n.kind == UOP_MUL && graph_is_const(g, n.arg[1], &c) && c && c <= INT32_MAX &&
        (x = narrow(g, n.arg[0], depth + 1)) != GRAPH_NIL)
        return graph_op2(g, UOP_MUL, UOP_B32, x, graph_const(g, UOP_B32, c));
    return GRAPH_NIL;
}

static bool open_node(struct graph *g, graph_id id, int64_t m, struct graph_linear *out, unsigned depth)
{
    const struct graph_node n = *graph_at(g, id);
    unsigned bits = uop_type_bits((enum uop_type)n.type);
    struct graph_range r;
    uint64_t c;
    int64_t k;
    if (bits != 32 && bits != 64)
        return graph_linear_symbol(out, id, m);
    if (bits == 64 && (n.kind == UOP_XOR || n.kind == UOP_OR || n.kind == UOP_AND) && depth <= LINEAR_DEPTH) {
        graph_id a = narrow(g, n.arg[0], 0), b = a == GRAPH_NIL ? a : narrow(g, n.arg[1], 0);
        if (b != GRAPH_NIL)
            return open_node(g, graph_op2(g, (enum uop_kind)n.kind, UOP_B32, a, b), m, out, depth + 1);
    }
    if (n.kind == UOP_CONST)
        return !__builtin_mul_overflow(graph_signed_const(&n), m, &k) && !__builtin_add_overflow(out->k, k, &out->k);
    if (depth > LINEAR_DEPTH)
        return graph_linear_symbol(out, id, m);
    switch (n.kind) {
    case UOP_ADD:
        out->wraps |= bits == 32 && !graph_range_of(g, id, &r);
        return open_node(g, n.arg[0], m, out, depth + 1) && open_node(g, n.arg[1], m, out, depth + 1);
    case UOP_NOT: /* -1 - x */
        if (__builtin_mul_overflow(m, -1, &k) || __builtin_add_overflow(out->k, k, &out->k))
            return false;
        return open_node(g, n.arg[0], k, out, depth + 1);
    case UOP_NEG:
        out->wraps |= bits == 32 && !graph_range_of(g, n.arg[0], &r);
        return !__builtin_mul_overflow(m, -1, &k) && open_node(g, n.arg[0], k, out, depth + 1);
    case UOP_MUL:
        if (!graph_is_const(g, n.arg[1], NULL))
            break;
        out->wraps |= bits == 32 && !graph_range_of(g, id, &r);
        return !__builtin_mul_overflow(m, graph_signed_const(graph_at(g, n.arg[1])), &k) &&
               open_node(g, n.arg[0], k, out, depth + 1);
    case UOP_SEXT:
    case UOP_ZEXT:
        if (n.imm < 32 && bits == 32) { /* nothing is cut off */
            int64_t half = n.imm && n.kind == UOP_SEXT ? INT64_C(1) << (n.imm - 1) : 0, all = INT64_C(1) << n.imm;
            if (graph_range_of(g, n.arg[0], &r) && r.lo >= -half && r.hi < all - half)
                return open_node(g, n.arg[0], m, out, depth + 1);
        }
        if (n.imm != 32)
            break;
        if (n.kind == UOP_SEXT)
            return open_node(g, n.arg[0], m, out, depth + 1);
        out->wraps |= !graph_not_negative(g, n.arg[0]);
        return open_node(g, n.arg[0], m, out, depth + 1);
    case UOP_XOR:
    case UOP_OR: {
        unsigned s;
        if (n.kind == UOP_XOR && bits == 32 && graph_is_const(g, n.arg[1], &c) && c && c <= INT32_MAX &&
            !(possible_bits(g, n.arg[0]) & ~c)) /* all of its bits are turned round */
            return !__builtin_mul_overflow(m, (int64_t)c, &k) && !__builtin_add_overflow(out->k, k, &out->k) &&
                   !__builtin_mul_overflow(m, -1, &k) && open_node(g, n.arg[0], k, out, depth + 1);
        graph_id alike = bits == 32 ? unshifted(g, &n, &s) : GRAPH_NIL;
        if (alike != GRAPH_NIL)
            return !__builtin_mul_overflow(m, INT64_C(1) << s, &k) && open_node(g, alike, k, out, depth + 1);
        break;
    }
    case UOP_SELECT: {
        graph_id x;
        int64_t step, at;
        if (bits != 32 || !two_ways(g, &n, &x, &step, &at))
            break;
        return !__builtin_mul_overflow(at, m, &at) && !__builtin_add_overflow(out->k, at, &out->k) &&
               !__builtin_mul_overflow(step, m, &k) && open_node(g, x, k, out, depth + 1);
    }
    case GRAPH_PHI: { /* start + step * turns */
        graph_id start;
        if (!graph_is_counter(g, id, &start, &k) || __builtin_mul_overflow(k, m, &k)) {
            uint64_t mask = bits == 32 ? possible_bits(g, id) : 0; /* 0 or 2^s: the other one of two buffers */
            if (mask < 2 || mask > 1 << 24 || (mask & (mask - 1)) != 0)
                break;
            unsigned s = (unsigned)__builtin_ctzll(mask);
            graph_id one = graph_op2(g, UOP_SHR, UOP_B32, id, graph_const(g, UOP_B32, s));
            return !__builtin_mul_overflow(m, (int64_t)mask, &k) && graph_linear_symbol(out, one, k);
        }
        out->wraps |= !graph_range_of(g, id, &r);
        return graph_linear_symbol(out, graph_turn_symbol(g, g->blocks.p[n.block].loop), k) &&
               open_node(g, start, m, out, depth + 1);
    }
    case UOP_SHR:
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && c && c < 16 && graph_not_negative(g, n.arg[0])) {
            struct graph_linear high, low;
            if (split_bits(g, n.arg[0], (unsigned)c, &high, &low))
                return graph_linear_add(out, &high, m);
            graph_id rest = whole_part(g, &n, (unsigned)c, &k);
            if (rest != GRAPH_NIL)
                return !__builtin_mul_overflow(k, m, &k) && !__builtin_add_overflow(out->k, k, &out->k) &&
                       graph_linear_symbol(out, rest, m);
        }
        break;
    case UOP_AND: /* x & -2^k is 2^k * (x >> k) */
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && c && (c & (c + 1)) == 0 && c < 1 << 16 &&
            graph_not_negative(g, n.arg[0])) {
            struct graph_linear high, low;
            if (graph_range_of(g, n.arg[0], &r) && r.hi <= (int64_t)c)
                return open_node(g, n.arg[0], m, out, depth + 1); /* nothing is cut off */
            if (split_bits(g, n.arg[0], (unsigned)__builtin_ctzll(c + 1), &high, &low))
                return graph_linear_add(out, &low, m);
        }
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && c && graph_range_of(g, n.arg[0], &r) && r.lo >= 0) {
            uint64_t all = low_bits((uint64_t)r.hi), cut = all & ~c; /* only low bits are cut off, of those it has */
            if (cut && cut < all && cut < 1 << 16 && (cut & (cut + 1)) == 0) {
                unsigned s = (unsigned)__builtin_ctzll(cut + 1);
                graph_id high = graph_op2(g, UOP_SHR, UOP_B32, n.arg[0], graph_const(g, UOP_B32, s));
                return !__builtin_mul_overflow(m, INT64_C(1) << s, &k) && open_node(g, high, k, out, depth + 1);
            }
        }
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && c == 1) { /* the other one of two buffers */
            const struct graph_node sum = *graph_at(g, n.arg[0]);
            if (sum.kind == UOP_ADD && graph_is_const(g, sum.arg[1], &c)) {
                graph_id low = graph_op2(g, UOP_AND, UOP_B32, sum.arg[0], n.arg[1]);
                if (!(c & 1))
                    return open_node(g, low, m, out, depth + 1);
                return !__builtin_add_overflow(out->k, m, &out->k) && !__builtin_mul_overflow(m, -1, &k) &&
                       open_node(g, low, k, out, depth + 1);
            }
        }
        if (bits == 32) {
            unsigned s;
            graph_id part = unshifted(g, &n, &s);
            if (part == GRAPH_NIL && graph_is_const(g, n.arg[1], &c) && c && graph_not_negative(g, n.arg[0])) {
                uint64_t low = c >> __builtin_ctzll(c); /* bits a to b of x are the low bits of x >> a */
                s = (unsigned)__builtin_ctzll(c);
                if (s && s < 16 && (low & (low + 1)) == 0 && low < 1 << 16)
                    part = graph_op2(g, UOP_AND, UOP_B32,
                                     graph_op2(g, UOP_SHR, UOP_B32, n.arg[0], graph_const(g, UOP_B32, s)),
                                     graph_const(g, UOP_B32, low));
            }
            if (part != GRAPH_NIL)
                return !__builtin_mul_overflow(m, INT64_C(1) << s, &k) && open_node(g, part, k, out, depth + 1);
        }
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && (int32_t)c < 0) {
            uint32_t low = (uint32_t) - (int32_t)c;
            if ((low & (low - 1)) == 0 && graph_not_negative(g, n.arg[0])) {
                unsigned s = (unsigned)__builtin_ctz(low);
                graph_id high = graph_op2(g, UOP_SHR, UOP_B32, n.arg[0], graph_const(g, UOP_B32, s));
                return !__builtin_mul_overflow(m, (int64_t)low, &k) && graph_linear_symbol(out, high, k);
            }
        }
        break;
    case UOP_SAR:
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && graph_not_negative(g, n.arg[0])) {
            graph_id rest = c && c < 16 ? whole_part(g, &n, (unsigned)c, &k) : GRAPH_NIL;
            if (rest != GRAPH_NIL)
                return !__builtin_mul_overflow(k, m, &k) && !__builtin_add_overflow(out->k, k, &out->k) &&
                       graph_linear_symbol(out, rest, m);
            return graph_linear_symbol(out, graph_op2(g, UOP_SHR, UOP_B32, n.arg[0], n.arg[1]), m);
        }
        break;
    case UOP_SREG: /* the lane, where a block has one dimension */
        if (n.imm == UOP_SR_LANEID && graph_facts_of(g) && !graph_facts_of(g)->two_dimensional)
            return graph_linear_symbol(
                out, graph_op2(g, UOP_AND, UOP_B32, graph_sreg(g, UOP_SR_TID_X), graph_const(g, UOP_B32, 31)), m);
        break;
    default: break;
    }
    return graph_linear_symbol(out, id, m);
}

bool graph_linear_of(struct graph *g, graph_id id, struct graph_linear *out)
{
    *out = (struct graph_linear){0};
    return id != GRAPH_NIL && open_node(g, id, 1, out, 0);
}

/* The same where nothing comes near the ends of 64 bits, which is nearly always. */
static bool small_range(struct graph *g, const struct graph_linear *a, struct graph_range *out)
{
    const int64_t most_c = INT64_C(1) << 26, most_k = INT64_C(1) << 60, most = INT64_C(1) << 31;
    int64_t lo = a->k, hi = a->k;
    if (a->k > most_k || a->k < -most_k)
        return false;
    for (unsigned i = 0; i < a->n; i++) {
        struct graph_range r;
        int64_t c = a->t[i].c;
        graph_range_of(g, a->t[i].symbol, &r);
        if (c > most_c || c < -most_c || r.lo < -most || r.hi > most || r.lo > most || r.hi < -most)
            return false;
        lo += c < 0 ? c * r.hi : c * r.lo;
        hi += c < 0 ? c * r.lo : c * r.hi;
    }
    *out = (struct graph_range){lo, hi, a->wraps};
    return true;
}

void graph_linear_range(struct graph *g, const struct graph_linear *a, struct graph_range *out)
{
    if (small_range(g, a, out))
        return;
    __int128 lo = a->k, hi = a->k;
    const __int128 far = (__int128)1 << 62;
    *out = (struct graph_range){INT64_MIN, INT64_MAX, a->wraps};
    for (unsigned i = 0; i < a->n; i++) {
        struct graph_range r;
        graph_range_of(g, a->t[i].symbol, &r); /* at least the width's own bounds */
        __int128 x = (__int128)a->t[i].c * r.lo, y = (__int128)a->t[i].c * r.hi;
        lo += x < y ? x : y;
        hi += x < y ? y : x;
        if (lo < -far)
            lo = -far * 2;
        if (hi > far)
            hi = far * 2;
    }
    if (lo > -far)
        out->lo = (int64_t)(lo < far ? lo : far);
    if (hi < far)
        out->hi = (int64_t)(hi > -far ? hi : -far);
}

/* The turns made so far as a code's own counter says: (counter - start) / step. */
static graph_id turns_as_node(struct graph *g, uint32_t loop)
{
    graph_id best = GRAPH_NIL;
    unsigned cost = 4;
    const struct graph_first_phis *phis = graph_phis_of(g, g->loops.p[loop - 1].header);
    for (unsigned i = 0; i < phis->n && cost; i++) {
        graph_id start, phi = phis->phi[i];
        int64_t step;
        if (!graph_is_counter(g, phi, &start, &step))
            continue;
        int64_t size = step < 0 ? -step : step;
        bool constant = graph_is_const(g, start, NULL);
        unsigned price = (size != 1) * 2u + !constant;
        if ((size & (size - 1)) != 0 || price >= cost)
            continue;
        graph_id far = graph_op2(g, UOP_ADD, UOP_B32, phi, graph_op1(g, UOP_NEG, UOP_B32, start));
        if (step < 0)
            far = graph_op1(g, UOP_NEG, UOP_B32, far);
        best = size == 1 ? far
                         : graph_op2(g, UOP_SHR, UOP_B32, far,
                                     graph_const(g, UOP_B32, (uint64_t)__builtin_ctzll((uint64_t)size)));
        cost = price;
    }
    return best;
}

graph_id graph_linear_node(struct graph *g, const struct graph_linear *a)
{
    graph_id sum = GRAPH_NIL;
    uint32_t loop;
    for (unsigned i = 0; i < a->n; i++) {
        graph_id term = a->t[i].symbol;
        if (graph_is_turn_symbol(g, term, &loop))
            term = turns_as_node(g, loop);
        if (term == GRAPH_NIL)
            return GRAPH_NIL;
        if (uop_type_bits((enum uop_type)graph_at(g, term)->type) != 32 || graph_at(g, term)->type == UOP_B1)
            return GRAPH_NIL;
        if (a->t[i].c == -1)
            term = graph_op1(g, UOP_NEG, UOP_B32, term);
        else if (a->t[i].c != 1)
            term = graph_op2(g, UOP_MUL, UOP_B32, term, graph_const(g, UOP_B32, (uint64_t)a->t[i].c));
        sum = sum == GRAPH_NIL ? term : graph_op2(g, UOP_ADD, UOP_B32, sum, term);
    }
    graph_id k = graph_const(g, UOP_B32, (uint64_t)a->k);
    return sum == GRAPH_NIL ? k : a->k ? graph_op2(g, UOP_ADD, UOP_B32, sum, k) : sum;
}
