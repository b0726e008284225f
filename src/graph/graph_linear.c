/* Linear forms over the integers, and conditions that never hold together. An integer node is opened into
 * sum(coefficient * symbol) + constant; where a sum might leave its width the form says so (`wraps`). A condition is a
 * table of compares: each row of it is a set of facts `form <= 0`, and a set is contradictory when some sum of its
 * facts has a positive least value by the ranges of the symbols. `x + s < s` needs nothing but x >= 0 for that.
 * requires: ranges · gives: graph_linear_of, graph_contradicts, graph_excludes */
#include "graph/graph_depend_internal.h"
#include "graph/graph_internal.h"

enum { LINEAR_DEPTH = 24 };

static bool add_symbol(struct graph_linear *a, graph_id symbol, int64_t c)
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

bool graph_linear_add(struct graph_linear *a, const struct graph_linear *b, int64_t m)
{
    int64_t c;
    for (unsigned i = 0; i < b->n; i++)
        if (__builtin_mul_overflow(b->t[i].c, m, &c) || !add_symbol(a, b->t[i].symbol, c))
            return false;
    a->wraps |= b->wraps;
    return !__builtin_mul_overflow(b->k, m, &c) && !__builtin_add_overflow(a->k, c, &a->k);
}

bool graph_linear_is_const(const struct graph_linear *a, int64_t *k)
{
    *k = a->k;
    return a->n == 0;
}

static bool not_negative(struct graph *g, graph_id id)
{
    struct graph_range r;
    return graph_range_of(g, id, &r) && r.lo >= 0;
}

static int64_t signed_const(const struct graph_node *n)
{
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    return bits >= 64 || bits == 0 ? (int64_t)n->imm : (int64_t)(n->imm << (64 - bits)) >> (64 - bits);
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
    *step = signed_const(graph_at(g, sum.arg[1]));
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
        if (!add_symbol(whole ? high : low, f.t[i].symbol, whole ? f.t[i].c / step : f.t[i].c))
            return false;
    }
    int64_t k = f.k >= 0 ? f.k / step : -((-f.k + step - 1) / step);
    high->k = k;
    low->k = f.k - k * step;
    graph_linear_range(g, low, &r);
    return r.lo >= 0 && r.hi < step;
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

static bool open_node(struct graph *g, graph_id id, int64_t m, struct graph_linear *out, unsigned depth)
{
    const struct graph_node n = *graph_at(g, id);
    unsigned bits = uop_type_bits((enum uop_type)n.type);
    struct graph_range r;
    uint64_t c;
    int64_t k;
    if (bits != 32 && bits != 64)
        return add_symbol(out, id, m);
    if (n.kind == UOP_CONST)
        return !__builtin_mul_overflow(signed_const(&n), m, &k) && !__builtin_add_overflow(out->k, k, &out->k);
    if (depth > LINEAR_DEPTH)
        return add_symbol(out, id, m);
    switch (n.kind) {
    case UOP_ADD:
        out->wraps |= bits == 32 && !graph_range_of(g, id, &r);
        return open_node(g, n.arg[0], m, out, depth + 1) && open_node(g, n.arg[1], m, out, depth + 1);
    case UOP_NEG:
        out->wraps |= bits == 32 && !graph_range_of(g, n.arg[0], &r);
        return !__builtin_mul_overflow(m, -1, &k) && open_node(g, n.arg[0], k, out, depth + 1);
    case UOP_MUL:
        if (!graph_is_const(g, n.arg[1], NULL))
            break;
        out->wraps |= bits == 32 && !graph_range_of(g, id, &r);
        return !__builtin_mul_overflow(m, signed_const(graph_at(g, n.arg[1])), &k) &&
               open_node(g, n.arg[0], k, out, depth + 1);
    case UOP_SEXT:
        if (n.imm == 32)
            return open_node(g, n.arg[0], m, out, depth + 1);
        break;
    case UOP_ZEXT:
        if (n.imm != 32)
            break;
        out->wraps |= !not_negative(g, n.arg[0]);
        return open_node(g, n.arg[0], m, out, depth + 1);
    case UOP_XOR:
    case UOP_OR: {
        unsigned s;
        graph_id bits_of = bits == 32 ? unshifted(g, &n, &s) : GRAPH_NIL;
        if (bits_of != GRAPH_NIL)
            return !__builtin_mul_overflow(m, INT64_C(1) << s, &k) && add_symbol(out, bits_of, k);
        break;
    }
    case GRAPH_PHI: { /* start + step * turns */
        graph_id start;
        if (!graph_is_counter(g, id, &start, &k) || __builtin_mul_overflow(k, m, &k))
            break;
        out->wraps |= !graph_range_of(g, id, &r);
        return add_symbol(out, graph_turn_symbol(g, g->blocks.p[n.block].loop), k) &&
               open_node(g, start, m, out, depth + 1);
    }
    case UOP_SHR:
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && c && c < 16 && not_negative(g, n.arg[0])) {
            struct graph_linear high, low;
            if (split_bits(g, n.arg[0], (unsigned)c, &high, &low))
                return graph_linear_add(out, &high, m);
        }
        break;
    case UOP_AND: /* x & -2^k is 2^k * (x >> k) */
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && c && (c & (c + 1)) == 0 && c < 1 << 16 &&
            not_negative(g, n.arg[0])) {
            struct graph_linear high, low;
            if (split_bits(g, n.arg[0], (unsigned)__builtin_ctzll(c + 1), &high, &low))
                return graph_linear_add(out, &low, m);
        }
        if (bits == 32) {
            unsigned s;
            graph_id bits_of = unshifted(g, &n, &s);
            if (bits_of != GRAPH_NIL)
                return !__builtin_mul_overflow(m, INT64_C(1) << s, &k) && add_symbol(out, bits_of, k);
        }
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && (int32_t)c < 0) {
            uint32_t low = (uint32_t) - (int32_t)c;
            if ((low & (low - 1)) == 0 && not_negative(g, n.arg[0])) {
                unsigned s = (unsigned)__builtin_ctz(low);
                graph_id high = graph_op2(g, UOP_SHR, UOP_B32, n.arg[0], graph_const(g, UOP_B32, s));
                return !__builtin_mul_overflow(m, (int64_t)low, &k) && add_symbol(out, high, k);
            }
        }
        break;
    case UOP_SAR:
        if (bits == 32 && graph_is_const(g, n.arg[1], &c) && not_negative(g, n.arg[0]))
            return add_symbol(out, graph_op2(g, UOP_SHR, UOP_B32, n.arg[0], n.arg[1]), m);
        break;
    case UOP_SREG: /* the lane, where a block has one dimension */
        if (n.imm == UOP_SR_LANEID && graph_facts_of(g) && !graph_facts_of(g)->two_dimensional)
            return add_symbol(
                out, graph_op2(g, UOP_AND, UOP_B32, graph_sreg(g, UOP_SR_TID_X), graph_const(g, UOP_B32, 31)), m);
        break;
    default: break;
    }
    return add_symbol(out, id, m);
}

bool graph_linear_of(struct graph *g, graph_id id, struct graph_linear *out)
{
    *out = (struct graph_linear){0};
    return id != GRAPH_NIL && open_node(g, id, 1, out, 0);
}

void graph_linear_range(struct graph *g, const struct graph_linear *a, struct graph_range *out)
{
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
    unsigned seen = 0, cost = 4;
    for (graph_id phi = 1; phi < g->nodes.n && seen < 8 && cost; phi++) {
        graph_id start;
        int64_t step;
        if (graph_at(g, phi)->kind != GRAPH_PHI || graph_at(g, phi)->block != g->loops.p[loop - 1].header)
            continue;
        seen++;
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

/* ---- facts that hold together ---------------------------------------------------------------- */

void graph_constrain(struct graph_constraints *s, const struct graph_linear *f)
{
    if (s->n < CONSTRAINT_MAX)
        s->f[s->n++] = *f;
}

static bool never(struct graph *g, const struct graph_linear *f)
{
    struct graph_range r;
    graph_linear_range(g, f, &r);
    return r.lo > 0;
}

/* a + b with multipliers that make their first common symbol of opposite sign go away; or plainly. */
static bool combine(const struct graph_linear *a, const struct graph_linear *b, unsigned way, struct graph_linear *out)
{
    int64_t ma = 1, mb = 1;
    if (way) {
        unsigned found = 0, i = 0;
        for (; i < a->n && found < way; i++)
            for (unsigned k = 0; k < b->n; k++)
                if (a->t[i].symbol == b->t[k].symbol && (a->t[i].c < 0) != (b->t[k].c < 0) && a->t[i].c != -b->t[k].c &&
                    ++found == way) {
                    ma = b->t[k].c < 0 ? -b->t[k].c : b->t[k].c;
                    mb = a->t[i].c < 0 ? -a->t[i].c : a->t[i].c;
                }
        if (found < way || ma > 4096 || mb > 4096)
            return false;
    }
    *out = (struct graph_linear){0};
    return graph_linear_add(out, a, ma) && graph_linear_add(out, b, mb);
}

/* What only gets smaller from turn to turn is never above its start. */
static void add_descent(struct graph *g, struct graph_constraints *s, graph_id phi)
{
    const struct graph_node n = *graph_at(g, phi);
    const struct graph_block *b = &g->blocks.p[n.block];
    struct graph_linear f = {0}, start;
    graph_id from = GRAPH_NIL;
    if (!b->loop || g->loops.p[b->loop - 1].header != n.block || n.phi_count != b->pred_count || !not_negative(g, phi))
        return;
    for (uint32_t k = 0; k < n.phi_count; k++) {
        const struct graph_node *next = graph_at(g, n.phi_args[k]);
        if (!graph_in_loop(g, b->preds[k], b->loop)) {
            if (from != GRAPH_NIL && from != n.phi_args[k])
                return;
            from = n.phi_args[k];
        } else if (n.phi_args[k] != phi &&
                   !((next->kind == UOP_SHR || next->kind == UOP_SAR || next->kind == UOP_AND) &&
                     next->arg[0] == phi)) {
            return;
        }
    }
    if (from == GRAPH_NIL || !not_negative(g, from) || !graph_linear_of(g, from, &start))
        return;
    add_symbol(&f, phi, 1);
    if (graph_linear_add(&f, &start, -1))
        graph_constrain(s, &f);
}

/* What is always so between a symbol and the ones it is made of. */
static void add_axioms(struct graph *g, struct graph_constraints *s)
{
    for (unsigned i = 0; i < s->n; i++) {
        for (unsigned k = 0; k < s->f[i].n; k++) {
            graph_id id = s->f[i].t[k].symbol;
            bool seen = false;
            for (unsigned x = 0; x < i && !seen; x++)
                for (unsigned y = 0; y < s->f[x].n; y++)
                    seen |= s->f[x].t[y].symbol == id;
            if (seen || s->n + 2 > CONSTRAINT_MAX)
                continue;
            const struct graph_node n = *graph_at(g, id);
            uint64_t c;
            struct graph_linear x, f = {0};
            if (n.kind == UOP_SREG && n.imm <= UOP_SR_TID_Z) { /* threadIdx < blockDim */
                add_symbol(&f, id, 1);
                add_symbol(&f, graph_sreg(g, (unsigned)(UOP_SR_NTID_X + n.imm)), -1);
                f.k = 1;
                graph_constrain(s, &f);
            }
            if (n.kind == GRAPH_PHI)
                add_descent(g, s, id);
            if (n.kind == UOP_SHR && graph_is_const(g, n.arg[1], &c) && c < 31 && not_negative(g, n.arg[0]) &&
                graph_linear_of(g, n.arg[0], &x)) {
                add_symbol(&f, id, INT64_C(1) << c); /* 2^c s <= x <= 2^c s + 2^c - 1 */
                if (graph_linear_add(&f, &x, -1))
                    graph_constrain(s, &f);
                f = (struct graph_linear){.k = -((INT64_C(1) << c) - 1)};
                add_symbol(&f, id, -(INT64_C(1) << c));
                if (graph_linear_add(&f, &x, 1))
                    graph_constrain(s, &f);
            }
            if (n.kind == UOP_AND && not_negative(g, n.arg[0]) && graph_linear_of(g, n.arg[0], &x)) {
                add_symbol(&f, id, 1); /* x & m <= x */
                if (graph_linear_add(&f, &x, -1))
                    graph_constrain(s, &f);
            }
        }
    }
}

bool graph_contradicts(struct graph *g, struct graph_constraints *s)
{
    enum { DERIVED_MAX = 48 };
    struct graph_linear derived[DERIVED_MAX], f;
    unsigned n = 0;
    for (unsigned i = 0; i < s->n; i++)
        if (never(g, &s->f[i]))
            return true;
    add_axioms(g, s);
    for (unsigned i = 0; i < s->n; i++) {
        for (unsigned k = i + 1; k < s->n; k++) {
            for (unsigned way = 0; way < 3 && combine(&s->f[i], &s->f[k], way, &f); way++) {
                if (never(g, &f))
                    return true;
                bool shorter = f.n < s->f[i].n + s->f[k].n;
                if (shorter && n < DERIVED_MAX)
                    derived[n++] = f;
            }
        }
    }
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < s->n; k++)
            for (unsigned way = 0; way < 3 && combine(&derived[i], &s->f[k], way, &f); way++)
                if (never(g, &f))
                    return true;
    return false;
}

static bool row_of(struct graph *g, struct graph_constraints *s, const graph_id *atoms, unsigned count, uint64_t table,
                   int row);

/* A compare of select(c, constant, constant) with a constant is c or its opposite: NIL when it is no such. */
static graph_id through_select(struct graph *g, const struct graph_node *n, bool holds)
{
    const struct graph_node pick = *graph_at(g, n->arg[0]);
    uint64_t a, b, with, arms[2];
    bool is[2];
    if (pick.kind != UOP_SELECT || n->kind != UOP_IEQ || !graph_is_const(g, pick.arg[1], &a) ||
        !graph_is_const(g, pick.arg[2], &b) || !graph_is_const(g, n->arg[1], &with))
        return GRAPH_NIL;
    arms[0] = a;
    arms[1] = b;
    for (unsigned i = 0; i < 2; i++)
        is[i] = (arms[i] == with) == holds;
    return is[0] == is[1] ? GRAPH_NIL : is[0] ? pick.arg[0] : graph_not(g, pick.arg[0]);
}

/* What an atom says when it holds, or does not. */
static void add_literal(struct graph *g, struct graph_constraints *s, graph_id atom, bool holds)
{
    const struct graph_node n = *graph_at(g, atom);
    struct graph_linear x, y, f;
    struct graph_range rx, ry, rd;
    graph_id inner = n.kind == UOP_IEQ ? through_select(g, &n, holds) : GRAPH_NIL, atoms[6];
    unsigned count;
    uint64_t table;
    if (inner != GRAPH_NIL && graph_table(g, inner, atoms, &count, &table)) {
        bool deeper = true; /* a select within a select: not followed */
        for (unsigned i = 0; i < count; i++)
            deeper &= graph_at(g, graph_at(g, atoms[i])->arg[0])->kind != UOP_SELECT;
        if (deeper)
            row_of(g, s, atoms, count, table, -1);
        return;
    }
    if ((n.kind != UOP_IEQ && n.kind != UOP_ILT_S && n.kind != UOP_ILT_U) || (n.imm != 32 && n.imm != 64) ||
        !graph_linear_of(g, n.arg[0], &x) || !graph_linear_of(g, n.arg[1], &y))
        return;
    struct graph_linear less = x, more = y; /* x - y, y - x */
    if (!graph_linear_add(&less, &y, -1) || !graph_linear_add(&more, &x, -1))
        return;
    if (n.kind == UOP_IEQ) {
        graph_linear_range(g, &less, &rd);
        if (holds) {
            graph_constrain(s, &less);
            graph_constrain(s, &more);
        } else if (rd.lo == 0) {
            more.k++;
            graph_constrain(s, &more);
        } else if (rd.hi == 0) {
            less.k++;
            graph_constrain(s, &less);
        }
        return;
    }
    graph_linear_range(g, &x, &rx);
    graph_linear_range(g, &y, &ry);
    if (n.kind == UOP_ILT_U && holds) {
        if (ry.lo < 0)
            return;
        f = (struct graph_linear){0};
        if (graph_linear_add(&f, &x, -1)) /* below a number that is not negative */
            graph_constrain(s, &f);
    }
    if (n.kind == UOP_ILT_U && !holds && rx.lo < 0)
        return;
    if (holds)
        less.k++;
    graph_constrain(s, holds ? &less : &more);
}

/* The facts of one row of a table, or (-1) of all of its rows. False: there is none. */
static bool row_of(struct graph *g, struct graph_constraints *s, const graph_id *atoms, unsigned count, uint64_t table,
                   int row)
{
    for (unsigned k = 0; k < count; k++) {
        bool one = false, zero = false;
        for (unsigned r = 0; r < 1u << count; r++) {
            if ((table >> r & 1) && (row < 0 || row == (int)r)) {
                one |= r >> k & 1;
                zero |= !(r >> k & 1);
            }
        }
        if (one != zero)
            add_literal(g, s, atoms[k], one);
        else if (!one)
            return false; /* no row at all */
    }
    return true;
}

bool graph_excluded(struct graph *g, graph_id a, graph_id b, const struct graph_constraints *with)
{
    graph_id atoms[2][6], each[2] = {a, b};
    unsigned count[2] = {0, 0};
    uint64_t table[2] = {1, 1}, bits;
    for (unsigned i = 0; i < 2; i++) {
        if (each[i] == GRAPH_NIL)
            continue;
        if (graph_is_const(g, each[i], &bits) && !(bits & 1))
            return true;
        if (!graph_table(g, each[i], atoms[i], &count[i], &table[i]))
            count[i] = 0, table[i] = 1;
    }
    struct graph_constraints all = with ? *with : (struct graph_constraints){0};
    if (!row_of(g, &all, atoms[0], count[0], table[0], -1) || !row_of(g, &all, atoms[1], count[1], table[1], -1))
        return true;
    if (graph_contradicts(g, &all))
        return true;
    /* Row by row: shared atoms agree. */
    unsigned rows[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned r = 0; r < 1u << count[i]; r++)
            rows[i] += table[i] >> r & 1;
    if ((rows[0] == 1 && rows[1] == 1) || rows[0] * rows[1] > 16)
        return false;
    for (unsigned ra = 0; ra < 1u << count[0]; ra++) {
        for (unsigned rb = 0; rb < 1u << count[1]; rb++) {
            bool agree = (table[0] >> ra & 1) && (table[1] >> rb & 1);
            for (unsigned i = 0; i < count[0] && agree; i++)
                for (unsigned k = 0; k < count[1]; k++)
                    if (atoms[0][i] == atoms[1][k] && (ra >> i & 1) != (rb >> k & 1))
                        agree = false;
            if (!agree)
                continue;
            struct graph_constraints one = with ? *with : (struct graph_constraints){0};
            row_of(g, &one, atoms[0], count[0], table[0], (int)ra);
            row_of(g, &one, atoms[1], count[1], table[1], (int)rb);
            if (!graph_contradicts(g, &one))
                return false;
        }
    }
    return true;
}

bool graph_excludes(struct graph *g, graph_id a, graph_id b, bool *assumed)
{
    *assumed = true; /* sums are taken not to leave their width */
    uint64_t bits;
    graph_id both = graph_and(g, a, b);
    if (both != GRAPH_NIL && graph_is_const(g, both, &bits) && !bits) {
        *assumed = false;
        return true;
    }
    return graph_excluded(g, a, b, NULL);
}

/* A sum of what the block shares and of coordinates of the thread: what such compares do not exclude can happen. */
static bool understood(struct graph *g, graph_id id)
{
    struct graph_linear f;
    if (!graph_linear_of(g, id, &f))
        return false;
    for (unsigned i = 0; i < f.n; i++) {
        unsigned d;
        bool whole;
        if (!graph_block_uniform(g, f.t[i].symbol) && !graph_is_coordinate(g, f.t[i].symbol, &d, &whole))
            return false;
    }
    return true;
}

bool graph_condition_linear(struct graph *g, graph_id a)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (a == GRAPH_NIL || graph_block_uniform(g, a))
        return true;
    if (!graph_table(g, a, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++) {
        const struct graph_node n = *graph_at(g, atoms[k]);
        if (graph_block_uniform(g, atoms[k]))
            continue;
        graph_id inner = n.kind == UOP_IEQ ? through_select(g, &n, true) : GRAPH_NIL;
        if (inner != GRAPH_NIL && graph_at(g, inner)->kind != UOP_SELECT && graph_at(g, inner)->arg_count &&
            inner < atoms[k] && graph_condition_linear(g, inner))
            continue;
        if (n.kind != UOP_IEQ && n.kind != UOP_ILT_S && n.kind != UOP_ILT_U)
            return false;
        if (!understood(g, n.arg[0]) || !understood(g, n.arg[1]))
            return false;
    }
    return true;
}

enum { PHIS_MAX = 4 };

/* Loop phis (and turn numbers) that a term is made of. */
static void find_phis(const struct graph *g, graph_id id, graph_id phis[PHIS_MAX], unsigned *count, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    uint32_t loop;
    if (n->kind == GRAPH_PHI || graph_is_turn_symbol(g, id, &loop)) {
        for (unsigned i = 0; i < *count; i++)
            if (phis[i] == id)
                return;
        if (*count < PHIS_MAX)
            phis[(*count)++] = id;
        return;
    }
    for (unsigned i = 0; i < n->arg_count && depth < 8; i++)
        find_phis(g, n->arg[i], phis, count, depth + 1);
}

static void add_start(struct graph *g, graph_id phi, struct graph_constraints *first)
{
    const struct graph_node n = *graph_at(g, phi);
    struct graph_linear f = {0}, minus = {0}, start = {0};
    uint32_t loop;
    if (!graph_is_turn_symbol(g, phi, &loop)) {
        const struct graph_block *b = &g->blocks.p[n.block];
        graph_id from = GRAPH_NIL;
        if (!b->loop || g->loops.p[b->loop - 1].header != n.block || n.phi_count != b->pred_count)
            return;
        for (uint32_t k = 0; k < n.phi_count; k++)
            if (!graph_in_loop(g, b->preds[k], b->loop)) {
                if (from != GRAPH_NIL && from != n.phi_args[k])
                    return;
                from = n.phi_args[k];
            }
        if (!graph_linear_of(g, from, &start))
            return;
    }
    add_symbol(&f, phi, 1);
    if (!graph_linear_add(&f, &start, -1) || !graph_linear_add(&minus, &f, -1))
        return;
    graph_constrain(first, &f);
    graph_constrain(first, &minus);
}

bool graph_mixes_turns(struct graph *g, graph_id when, struct graph_constraints *first)
{
    graph_id atoms[6], phis[PHIS_MAX];
    unsigned count, found = 0;
    uint64_t table;
    bool mixes = false;
    if (when == GRAPH_NIL || !graph_table(g, when, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++) {
        const struct graph_node n = *graph_at(g, atoms[k]);
        struct graph_linear f, y;
        unsigned shared = 0, before = found, turning = 0;
        if (n.arg_count != 2 || !graph_linear_of(g, n.arg[0], &f) || !graph_linear_of(g, n.arg[1], &y) ||
            !graph_linear_add(&f, &y, -1))
            continue;
        for (unsigned i = 0; i < f.n; i++) {
            graph_id mine[PHIS_MAX];
            unsigned own = 0;
            shared += graph_block_uniform(g, f.t[i].symbol);
            find_phis(g, f.t[i].symbol, mine, &own, 0);
            turning += own > 0;
            find_phis(g, f.t[i].symbol, phis, &found, 0);
        }
        if (shared > 1 && turning)
            mixes = true;
        else
            found = before;
    }
    for (unsigned i = 0; i < found && mixes; i++)
        add_start(g, phis[i], first);
    return mixes;
}
