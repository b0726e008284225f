/* Making pure nodes: exact rules only, so that no bit of any result is ever lost (NaN payloads apart). The rules remove
 * the spellings of one value: constants however they are made, copies, halves of 64-bit values with their carry chains,
 * shifts against multiplications, the order of commutative arguments. Rules that hold for real numbers only are never
 * used here.
 *
 * Each rule is local: it looks at a node's arguments and makes at most a handful of smaller nodes, so building stays
 * linear. requires: arguments already simplified · gives: the node in canonical form (see graph.h) */
#include "graph/graph_internal.h"

#include <assert.h>
#include <string.h>

static const struct graph_node *at(const struct graph *g, graph_id id)
{
    return graph_at(g, id);
}

static bool const_is(const struct graph *g, graph_id id, uint64_t bits)
{
    uint64_t b;
    return graph_is_const(g, id, &b) && b == bits;
}

static unsigned bits_of(const struct graph *g, graph_id id)
{
    return uop_type_bits((enum uop_type)at(g, id)->type);
}

static enum uop_type plain_type(unsigned bits)
{
    return bits == 1 ? UOP_B1 : bits == 8 ? UOP_B8 : bits == 16 ? UOP_B16 : bits == 64 ? UOP_B64 : UOP_B32;
}

static graph_id intern_like(struct graph *g, const struct uop *like, const graph_id *args, unsigned count)
{
    struct graph_node n = {.kind = like->kind,
                           .type = like->type,
                           .round = like->round,
                           .flags = like->flags,
                           .space = like->space,
                           .order = like->order,
                           .width = like->width,
                           .arg_count = (uint8_t)count,
                           .imm = like->imm,
                           .insn = UINT32_MAX};
    for (unsigned i = 0; i < count; i++)
        n.arg[i] = args[i];
    return graph_intern(g, &n);
}

graph_id graph_op1(struct graph *g, enum uop_kind kind, enum uop_type type, graph_id a)
{
    struct uop like = {.kind = (uint8_t)kind, .type = (uint8_t)type};
    if (kind == UOP_SEXT || kind == UOP_ZEXT)
        like.imm = bits_of(g, a);
    return graph_pure(g, &like, &a, 1);
}

graph_id graph_op2(struct graph *g, enum uop_kind kind, enum uop_type type, graph_id a, graph_id b)
{
    struct uop like = {.kind = (uint8_t)kind, .type = (uint8_t)type};
    if (kind == UOP_IEQ || kind == UOP_ILT_S || kind == UOP_ILT_U)
        like.imm = bits_of(g, a);
    return graph_pure(g, &like, (graph_id[]){a, b}, 2);
}

graph_id graph_op3(struct graph *g, enum uop_kind kind, enum uop_type type, graph_id a, graph_id b, graph_id c)
{
    struct uop like = {.kind = (uint8_t)kind, .type = (uint8_t)type};
    return graph_pure(g, &like, (graph_id[]){a, b, c}, 3);
}

/* ---- constant bank: bytes are bytes, whatever width reads them ------------------------------ */

graph_id graph_cbank(struct graph *g, enum uop_type type, unsigned bank, uint32_t offset)
{
    const struct graph_env *env = g->env;
    unsigned bytes = uop_type_bits(type) / 8;
    if (bank == 0 && bytes == 4)
        for (uint32_t i = 0; i < env->word_count; i++)
            if (env->words[i].offset == offset)
                return graph_sreg(g, env->words[i].sreg);
    if (bank != 0 && bank < 18 && env->constant_bank && env->constant_bank[bank] && bytes && bytes <= 8 &&
        offset <= env->constant_bytes[bank] && bytes <= env->constant_bytes[bank] - offset && bank == 2) {
        uint64_t v = 0; /* bank 2 holds the compiler's own constants: nobody can change them */
        for (unsigned i = 0; i < bytes; i++)
            v |= (uint64_t)env->constant_bank[bank][offset + i] << (8 * i);
        return graph_const(g, type, v);
    }
    struct graph_node n = {.kind = UOP_CBANK,
                           .type = (uint8_t)plain_type(8 * bytes),
                           .space = (uint8_t)bank,
                           .imm = offset,
                           .insn = UINT32_MAX};
    return graph_intern(g, &n);
}

/* ---- integer sums --------------------------------------------------------------------------- */

enum { SUM_MAX = 8 };

struct sum {
    graph_id term[SUM_MAX];
    unsigned count;
    uint64_t constant;
    bool overflow;
};

static void sum_add(const struct graph *g, struct sum *s, graph_id id, unsigned depth)
{
    const struct graph_node *n = at(g, id);
    uint64_t c;
    if (graph_is_const(g, id, &c)) {
        s->constant += c;
    } else if (n->kind == UOP_ADD && depth < SUM_MAX) {
        sum_add(g, s, n->arg[0], depth + 1);
        sum_add(g, s, n->arg[1], depth + 1);
    } else if (s->count < SUM_MAX) {
        s->term[s->count++] = id;
    } else {
        s->overflow = true;
    }
}

static bool is_leaf(const struct graph *g, graph_id id)
{
    const struct graph_node *n = at(g, id);
    return n->arg_count == 0 && n->kind != GRAPH_PHI;
}

/* Computed terms before leaves, then by number. */
static bool term_before(const struct graph *g, graph_id a, graph_id b)
{
    bool la = is_leaf(g, a), lb = is_leaf(g, b);
    return la != lb ? lb : a < b;
}

static graph_id simplify_add(struct graph *g, const struct uop *like, const graph_id *args)
{
    unsigned bits = uop_type_bits((enum uop_type)like->type);
    struct sum s = {0};
    sum_add(g, &s, args[0], 0);
    sum_add(g, &s, args[1], 0);
    struct uop add = {.kind = UOP_ADD, .type = like->type};
    if (s.overflow) {
        graph_id pair[2] = {args[0] < args[1] ? args[0] : args[1], args[0] < args[1] ? args[1] : args[0]};
        return intern_like(g, &add, pair, 2);
    }
    for (unsigned i = 0; i < s.count; i++) { /* x + -x */
        for (unsigned k = 0; k < s.count; k++) {
            if (at(g, s.term[k])->kind != UOP_NEG || at(g, s.term[k])->arg[0] != s.term[i] || i == k)
                continue;
            unsigned hi = i > k ? i : k, lo = i > k ? k : i;
            memmove(&s.term[hi], &s.term[hi + 1], (s.count - hi - 1) * sizeof s.term[0]);
            s.count--;
            memmove(&s.term[lo], &s.term[lo + 1], (s.count - lo - 1) * sizeof s.term[0]);
            s.count--;
            i = UINT32_MAX;
            break;
        }
        if (i == UINT32_MAX)
            continue; /* ++ makes it 0: start again */
    }
    for (unsigned i = 1; i < s.count; i++) {
        graph_id t = s.term[i];
        unsigned k = i;
        for (; k && term_before(g, t, s.term[k - 1]); k--)
            s.term[k] = s.term[k - 1];
        s.term[k] = t;
    }
    uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    s.constant &= mask;
    if (!s.count)
        return graph_const(g, (enum uop_type)like->type, s.constant);
    graph_id r = s.term[0];
    for (unsigned i = 1; i < s.count; i++)
        r = intern_like(g, &add, (graph_id[]){r, s.term[i]}, 2);
    if (s.constant)
        r = intern_like(g, &add, (graph_id[]){r, graph_const(g, (enum uop_type)like->type, s.constant)}, 2);
    return r;
}

/* ---- halves and pairs ----------------------------------------------------------------------- */

/* {h:l} as one known 64-bit value, or NIL. */
static graph_id join_simple(struct graph *g, graph_id l, graph_id h)
{
    const struct graph_node *nl = at(g, l), *nh = at(g, h);
    uint64_t cl, ch;
    if (nl->type == UOP_B1 || bits_of(g, l) != 32 || bits_of(g, h) != 32)
        return GRAPH_NIL;
    if (graph_is_const(g, l, &cl) && graph_is_const(g, h, &ch))
        return graph_const(g, UOP_B64, cl | ch << 32);
    if (nh->kind == UOP_HI && graph_op1(g, UOP_LO, UOP_B32, nh->arg[0]) == l)
        return nh->arg[0];
    nl = at(g, l), nh = at(g, h);
    if (const_is(g, h, 0))
        return graph_op1(g, UOP_ZEXT, UOP_B64, l);
    if (nh->kind == UOP_SAR && nh->arg[0] == l && const_is(g, nh->arg[1], 31))
        return graph_op1(g, UOP_SEXT, UOP_B64, l);
    uint64_t scale, shift;
    if ((nh->kind == UOP_SAR || nh->kind == UOP_SHR) && nl->kind == UOP_MUL && nl->arg[0] == nh->arg[0] &&
        graph_is_const(g, nl->arg[1], &scale) && graph_is_const(g, nh->arg[1], &shift) && shift && shift < 32 &&
        scale == UINT64_C(1) << (32 - shift)) /* the pushed-out bits and the rest */
        return graph_op2(g, UOP_MUL, UOP_B64,
                         graph_op1(g, nh->kind == UOP_SAR ? UOP_SEXT : UOP_ZEXT, UOP_B64, nl->arg[0]),
                         graph_const(g, UOP_B64, scale));
    if (nl->kind == UOP_CBANK && nh->kind == UOP_CBANK && nl->space == nh->space && nl->arg_count == 0 &&
        nh->arg_count == 0 && nh->imm == nl->imm + 4)
        return graph_cbank(g, UOP_B64, nl->space, (uint32_t)nl->imm);
    if (nl->kind == UOP_SELECT && nh->kind == UOP_SELECT && nl->arg[0] == nh->arg[0]) {
        graph_id c = nl->arg[0], l1 = nl->arg[1], h1 = nh->arg[1], l2 = nl->arg[2], h2 = nh->arg[2];
        uint8_t swapped = nl->flags & UOP_SWAPPED;
        graph_id a = join_simple(g, l1, h1), b = join_simple(g, l2, h2);
        struct uop pair = {.kind = UOP_PAIR, .type = UOP_B64};
        if (a != GRAPH_NIL && b == GRAPH_NIL && at(g, a)->type == UOP_F64)
            b = intern_like(g, &pair, (graph_id[]){l2, h2}, 2);
        else if (b != GRAPH_NIL && a == GRAPH_NIL && at(g, b)->type == UOP_F64)
            a = intern_like(g, &pair, (graph_id[]){l1, h1}, 2);
        if (a != GRAPH_NIL && b != GRAPH_NIL) {
            struct uop like = {.kind = UOP_SELECT, .type = UOP_B64, .flags = swapped};
            return intern_like(g, &like, (graph_id[]){c, a, b}, 3);
        }
    }
    if (nl->kind == nh->kind && nl->arg_count == 2 &&
        (nl->kind == UOP_AND || nl->kind == UOP_OR || nl->kind == UOP_XOR)) {
        enum uop_kind kind = (enum uop_kind)nl->kind;
        struct graph_node x = *nl, y = *nh;
        for (int turn = 0; turn < 2; turn++) {
            graph_id a = join_simple(g, x.arg[0], y.arg[turn]), b = join_simple(g, x.arg[1], y.arg[1 - turn]);
            if (a != GRAPH_NIL && b != GRAPH_NIL)
                return graph_op2(g, kind, UOP_B64, a, b);
        }
    }
    return GRAPH_NIL;
}

/* l = l1 + l2 and h = sum of high words + carry(l1 + l2 [+ 1]): the 64-bit sum of two values. Any pairing of low and
 * high words gives the same number; one in which both pairs are known values is taken. */
static graph_id join_carry(struct graph *g, graph_id l, graph_id h)
{
    if (at(g, h)->kind != UOP_ADDC)
        return GRAPH_NIL;
    graph_id high_sum = at(g, h)->arg[0], carry = at(g, h)->arg[2];
    const struct graph_node *c = at(g, carry);
    if (c->kind != UOP_CARRY || c->imm != 32)
        return GRAPH_NIL;
    graph_id l1 = c->arg[0], l2 = c->arg[1], plus = c->arg[2];
    uint64_t in = 0;
    graph_id low = graph_op2(g, UOP_ADD, UOP_B32, l1, l2);
    if (!graph_is_const(g, plus, &in))
        return GRAPH_NIL;
    if (in)
        low = graph_op2(g, UOP_ADD, UOP_B32, low, graph_const(g, UOP_B32, 1));
    if (low != l && !(in && (at(g, l2)->kind == UOP_NOT || at(g, l1)->kind == UOP_NOT)))
        return GRAPH_NIL;
    if (low != l) { /* ~y + 1 is -y, which the sum spells so */
        bool second = at(g, l2)->kind == UOP_NOT;
        graph_id y = at(g, second ? l2 : l1)->arg[0], x = second ? l1 : l2;
        if (graph_op2(g, UOP_ADD, UOP_B32, x, graph_op1(g, UOP_NEG, UOP_B32, y)) != l)
            return GRAPH_NIL;
    }
    graph_id high[2] = {graph_const(g, UOP_B32, 0), graph_const(g, UOP_B32, 0)};
    struct sum s = {0};
    sum_add(g, &s, high_sum, 0);
    s.constant &= UINT32_MAX;
    if (s.overflow || s.count > 2)
        return GRAPH_NIL;
    for (unsigned i = 0; i < s.count; i++)
        high[i] = s.term[i];
    if (s.constant) {
        if (s.count == 2)
            return GRAPH_NIL;
        high[s.count] = graph_const(g, UOP_B32, s.constant);
    }
    for (int turn = 0; turn < 2; turn++) {
        graph_id ha = high[turn], hb = high[1 - turn], a, b;
        bool complement = in && at(g, l2)->kind == UOP_NOT && at(g, hb)->kind == UOP_NOT;
        a = join_simple(g, l1, ha);
        if (complement) { /* x + ~y + 1 */
            b = join_simple(g, at(g, l2)->arg[0], at(g, hb)->arg[0]);
            if (a != GRAPH_NIL && b != GRAPH_NIL)
                return graph_op2(g, UOP_ADD, UOP_B64, a, graph_op1(g, UOP_NEG, UOP_B64, b));
            continue;
        }
        if (in)
            continue;
        b = join_simple(g, l2, hb);
        if (a != GRAPH_NIL && b != GRAPH_NIL)
            return graph_op2(g, UOP_ADD, UOP_B64, a, b);
    }
    return GRAPH_NIL;
}

static graph_id simplify_pair(struct graph *g, const struct uop *like, const graph_id *args)
{
    if (like->type == UOP_B64) {
        graph_id whole = join_simple(g, args[0], args[1]);
        if (whole == GRAPH_NIL)
            whole = join_carry(g, args[0], args[1]);
        if (whole != GRAPH_NIL)
            return whole;
    } else {
        const struct graph_node *h = at(g, args[1]);
        if (h->kind == UOP_HI && at(g, args[0])->kind == UOP_LO && at(g, args[0])->arg[0] == h->arg[0])
            return h->arg[0];
        if (const_is(g, args[1], 0))
            return graph_op1(g, UOP_ZEXT, (enum uop_type)like->type, args[0]);
    }
    return intern_like(g, like, args, 2);
}

static graph_id simplify_half(struct graph *g, const struct uop *like, graph_id a)
{
    const struct graph_node n = *at(g, a);
    unsigned half = uop_type_bits((enum uop_type)like->type);
    enum uop_type type = plain_type(half);
    bool high = like->kind == UOP_HI;
    struct uop plain = *like;
    plain.type = (uint8_t)type;
    if (bits_of(g, a) != 2 * half)
        return intern_like(g, &plain, &a, 1);
    switch (n.kind) {
    case UOP_PAIR: return n.arg[high];
    case UOP_CBANK:
        if (n.arg_count == 0)
            return graph_cbank(g, type, n.space, (uint32_t)n.imm + (high ? half / 8 : 0));
        break;
    case UOP_ZEXT:
        if (n.imm == half)
            return high ? graph_const(g, type, 0) : n.arg[0];
        break;
    case UOP_SEXT:
        if (n.imm == half)
            return high ? graph_op2(g, UOP_SAR, type, n.arg[0], graph_const(g, UOP_B32, half - 1)) : n.arg[0];
        break;
    case UOP_SELECT: {
        graph_id x = graph_op1(g, (enum uop_kind)like->kind, type, n.arg[1]);
        graph_id y = graph_op1(g, (enum uop_kind)like->kind, type, n.arg[2]);
        struct uop select = {.kind = UOP_SELECT, .type = (uint8_t)type, .flags = n.flags};
        return x == y ? x : intern_like(g, &select, (graph_id[]){n.arg[0], x, y}, 3);
    }
    case UOP_ADD:
    case UOP_MUL:
        if (high && half == 32 && n.kind == UOP_MUL) { /* of an extended word times 2^k: what the shift pushes out */
            const struct graph_node *x = at(g, n.arg[0]);
            uint64_t c;
            if ((x->kind == UOP_SEXT || x->kind == UOP_ZEXT) && x->imm == 32 && graph_is_const(g, n.arg[1], &c) &&
                c > 1 && (c & (c - 1)) == 0 && c < UINT64_C(1) << 32)
                return graph_op2(g, x->kind == UOP_SEXT ? UOP_SAR : UOP_SHR, type, x->arg[0],
                                 graph_const(g, UOP_B32, 32u - (unsigned)__builtin_ctzll(c)));
        }
        /* The low half of a sum or product needs the low halves only. */
        if (!high)
            return graph_op2(g, (enum uop_kind)n.kind, type, graph_op1(g, UOP_LO, type, n.arg[0]),
                             graph_op1(g, UOP_LO, type, n.arg[1]));
        break;
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
        return graph_op2(g, (enum uop_kind)n.kind, type, graph_op1(g, (enum uop_kind)like->kind, type, n.arg[0]),
                         graph_op1(g, (enum uop_kind)like->kind, type, n.arg[1]));
    case UOP_NEG:
        if (!high)
            return graph_op1(g, UOP_NEG, type, graph_op1(g, UOP_LO, type, n.arg[0]));
        break;
    case UOP_NOT: return graph_op1(g, UOP_NOT, type, graph_op1(g, (enum uop_kind)like->kind, type, n.arg[0]));
    case UOP_SHR: { /* the low half of {h:l} >> (32 - k) is the high half of {h:l} << k */
        uint64_t k;
        if (!high && half == 32 && graph_is_const(g, n.arg[1], &k) && k < 64) {
            if (k >= 32)
                return graph_op2(g, UOP_SHR, type, graph_op1(g, UOP_HI, type, n.arg[0]),
                                 graph_const(g, UOP_B32, k - 32));
            if (k > 0) {
                graph_id turned =
                    graph_op2(g, UOP_MUL, UOP_B64, n.arg[0], graph_const(g, UOP_B64, UINT64_C(1) << (32 - k)));
                return graph_op1(g, UOP_HI, type, turned);
            }
        }
        break;
    }
    default: break;
    }
    return intern_like(g, &plain, &a, 1);
}

/* ---- products and shifts -------------------------------------------------------------------- */

static graph_id simplify_mul(struct graph *g, const struct uop *like, graph_id a, graph_id b)
{
    enum uop_type type = (enum uop_type)like->type;
    uint64_t c, d;
    struct uop mul = {.kind = UOP_MUL, .type = like->type};
    if (graph_is_const(g, a, NULL)) {
        graph_id t = a;
        a = b;
        b = t;
    }
    if (at(g, a)->kind == UOP_NEG)
        return graph_op1(g, UOP_NEG, type, graph_op2(g, UOP_MUL, type, at(g, a)->arg[0], b));
    if (at(g, b)->kind == UOP_NEG)
        return graph_op1(g, UOP_NEG, type, graph_op2(g, UOP_MUL, type, a, at(g, b)->arg[0]));
    if (graph_is_const(g, b, &c)) {
        if (c == 0)
            return b;
        if (c == 1)
            return a;
        const struct graph_node *n = at(g, a);
        if (n->kind == UOP_MUL && graph_is_const(g, n->arg[1], &d))
            return graph_op2(g, UOP_MUL, type, n->arg[0], graph_const(g, type, c * d));
        if (n->kind == UOP_ADD && graph_is_const(g, n->arg[1], &d)) { /* (x + d) * c */
            graph_id x = graph_op2(g, UOP_MUL, type, n->arg[0], b);
            return graph_op2(g, UOP_ADD, type, x, graph_const(g, type, c * d));
        }
        return intern_like(g, &mul, (graph_id[]){a, b}, 2);
    }
    return intern_like(g, &mul, (graph_id[]){a < b ? a : b, a < b ? b : a}, 2);
}

static graph_id simplify_shift(struct graph *g, const struct uop *like, const graph_id *args)
{
    enum uop_type type = (enum uop_type)like->type;
    unsigned bits = uop_type_bits(type);
    uint64_t k, inner;
    if (graph_is_const(g, args[1], &k)) {
        if (k == 0)
            return args[0];
        if (k >= bits) {
            if (like->kind != UOP_SAR)
                return graph_const(g, type, 0);
            return graph_op2(g, UOP_SAR, type, args[0], graph_const(g, UOP_B32, bits - 1));
        }
        if (like->kind == UOP_SHL)
            return graph_op2(g, UOP_MUL, type, args[0], graph_const(g, type, UINT64_C(1) << k));
        const struct graph_node *n = at(g, args[0]);
        if (n->kind == like->kind && graph_is_const(g, n->arg[1], &inner) && inner < bits)
            return graph_op2(g, (enum uop_kind)like->kind, type, n->arg[0], graph_const(g, UOP_B32, k + inner));
    }
    return intern_like(g, like, args, 2);
}

static graph_id simplify_extend(struct graph *g, const struct uop *like, graph_id a)
{
    const struct graph_node *n = at(g, a);
    unsigned to = uop_type_bits((enum uop_type)like->type);
    if (like->imm >= to)
        return a;
    if (n->kind == UOP_ZEXT &&
        n->imm <= like->imm) { /* already zero above: signed and unsigned agree when strictly smaller */
        struct uop inner = {.kind = UOP_ZEXT, .type = like->type, .imm = n->imm};
        if (like->kind == UOP_ZEXT || n->imm < like->imm)
            return graph_pure(g, &inner, (graph_id[]){n->arg[0]}, 1);
    }
    if (n->kind == UOP_SEXT && n->imm <= like->imm && like->kind == UOP_SEXT) {
        struct uop inner = {.kind = UOP_SEXT, .type = like->type, .imm = n->imm};
        return graph_pure(g, &inner, (graph_id[]){n->arg[0]}, 1);
    }
    if (n->kind == UOP_LOAD && n->width * 8u == like->imm && bits_of(g, a) == to)
        return a; /* the load extends already */
    return intern_like(g, like, &a, 1);
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* How many low bits a 32-bit value can have set: blocks have at most 1,024 threads, 64 in z. */
static unsigned width_of(const struct graph *g, graph_id id)
{
    const struct graph_node *n = at(g, id);
    uint64_t c;
    if (graph_is_const(g, id, &c))
        return c ? 64u - (unsigned)__builtin_clzll(c) : 0;
    if (n->kind == UOP_SREG && (n->imm == UOP_SR_TID_X || n->imm == UOP_SR_TID_Y))
        return 10;
    if (n->kind == UOP_SREG && (n->imm == UOP_SR_TID_Z || n->imm == UOP_SR_LANEID))
        return n->imm == UOP_SR_TID_Z ? 6 : 5;
    if (n->kind == UOP_AND && graph_is_const(g, n->arg[1], &c))
        return c ? 64u - (unsigned)__builtin_clzll(c) : 0;
    if (n->kind == UOP_ZEXT && n->imm < 64)
        return (unsigned)n->imm;
    return bits_of(g, id);
}

/* How many low bits are zero. */
static unsigned zeros_below(const struct graph *g, graph_id id)
{
    const struct graph_node *n = at(g, id);
    uint64_t c;
    if (n->kind == UOP_MUL && graph_is_const(g, n->arg[1], &c) && c)
        return (unsigned)__builtin_ctzll(c);
    if (graph_is_const(g, id, &c))
        return c ? (unsigned)__builtin_ctzll(c) : bits_of(g, id);
    return 0;
}

static graph_id simplify_bitwise(struct graph *g, const struct uop *like, const graph_id *args)
{
    enum uop_type type = (enum uop_type)like->type;
    unsigned bits = uop_type_bits(type);
    uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1, c;
    graph_id a = args[0], b = args[1];
    if (graph_is_const(g, a, NULL) || (a > b && !graph_is_const(g, b, NULL))) {
        a = args[1];
        b = args[0];
    }
    if (a == b)
        return like->kind == UOP_XOR ? graph_const(g, type, 0) : a;
    /* No bit in common: or, exclusive or and sum are one value. */
    if (like->kind != UOP_AND && (zeros_below(g, a) >= width_of(g, b) || zeros_below(g, b) >= width_of(g, a)) &&
        !graph_is_const(g, a, NULL) && !graph_is_const(g, b, NULL))
        return graph_op2(g, UOP_ADD, type, a, b);
    if (graph_is_const(g, b, &c)) {
        if (c == 0)
            return like->kind == UOP_AND ? b : a;
        if (c == mask && like->kind != UOP_XOR)
            return like->kind == UOP_AND ? a : b;
        if (c == mask)
            return graph_op1(g, UOP_NOT, type, a);
        if (like->kind == UOP_AND && at(g, a)->kind == UOP_ZEXT && at(g, a)->imm < 64 &&
            (c | ((UINT64_C(1) << at(g, a)->imm) - 1)) == c)
            return a; /* nothing is cut off */
    }
    struct uop plain = {.kind = like->kind, .type = like->type};
    return intern_like(g, &plain, (graph_id[]){a, b}, 2);
}

/* A permutation that moves no byte, or extends one. */
static graph_id simplify_prmt(struct graph *g, const struct uop *like, const graph_id *args)
{
    uint64_t s;
    if (like->imm == 0 && graph_is_const(g, args[1], &s)) {
        graph_id of = GRAPH_NIL;
        switch (s & 0xffff) {
        case 0x3210: return args[0];
        case 0x7654: return args[2];
        case 0x8880: of = args[0]; break;
        case 0x9910: of = args[0]; break;
        default: break;
        }
        if (of != GRAPH_NIL) {
            struct uop sext = {.kind = UOP_SEXT, .type = UOP_B32, .imm = (s & 0xffff) == 0x8880 ? 8 : 16};
            return graph_pure(g, &sext, &of, 1);
        }
    }
    return intern_like(g, like, args, 3);
}

/* ---- floats: exact identities only ---------------------------------------------------------- */

static uint64_t float_bits(enum uop_type type, double value)
{
    if (type == UOP_F64) {
        uint64_t b;
        memcpy(&b, &value, sizeof b);
        return b;
    }
    if (type == UOP_F32) {
        float f = (float)value;
        uint32_t b;
        memcpy(&b, &f, sizeof b);
        return b;
    }
    bool minus = value < 0 || (value == 0 && 1 / value < 0);
    uint64_t magnitude = value == 0 ? 0 : type == UOP_F16 ? 0x3c00 : 0x3f80; /* zero and one are all that is asked */
    return magnitude | (minus ? 0x8000u : 0);
}

static graph_id simplify_float(struct graph *g, const struct uop *like, graph_id *args, unsigned count)
{
    enum uop_type type = (enum uop_type)like->type;
    bool changes = like->flags & (UOP_FTZ | UOP_SAT | UOP_FMZ | UOP_RELU);
    uint64_t one = float_bits(type, 1.0), minus_zero = float_bits(type, -0.0);
    struct uop u = *like;
    u.flags &= (uint8_t)~UOP_SWAPPED;
    if (graph_is_const(g, args[0], NULL) || (args[0] > args[1] && !graph_is_const(g, args[1], NULL))) {
        graph_id t = args[0];
        args[0] = args[1];
        args[1] = t;
    }
    switch (like->kind) {
    case UOP_FADD:
        if (!changes && const_is(g, args[1], minus_zero) && like->round != UOP_RM)
            return args[0];
        break;
    case UOP_FMUL:
        if (!changes && const_is(g, args[1], one))
            return args[0];
        break;
    case UOP_FFMA:
        if (const_is(g, args[2], minus_zero) && like->round != UOP_RM) {
            u.kind = UOP_FMUL;
            return graph_pure(g, &u, args, 2);
        }
        if (const_is(g, args[1], one)) {
            u.kind = UOP_FADD;
            return graph_pure(g, &u, (graph_id[]){args[0], args[2]}, 2);
        }
        break;
    default: break;
    }
    return intern_like(g, &u, args, count);
}

static graph_id simplify_sign(struct graph *g, const struct uop *like, graph_id a)
{
    const struct graph_node *n = at(g, a);
    if (like->kind == UOP_FNEG && n->kind == UOP_FNEG && n->type == like->type)
        return n->arg[0];
    if (like->kind == UOP_FABS && (n->kind == UOP_FNEG || n->kind == UOP_FABS) && n->type == like->type)
        return graph_op1(g, UOP_FABS, (enum uop_type)like->type, n->arg[0]);
    return intern_like(g, like, &a, 1);
}

/* ---- compares and selection ----------------------------------------------------------------- */

static graph_id simplify_compare(struct graph *g, const struct uop *like, const graph_id *args)
{
    graph_id a = args[0], b = args[1];
    struct uop u = *like;
    bool symmetric = like->kind == UOP_IEQ || like->kind == UOP_FEQ || like->kind == UOP_FNE || like->kind == UOP_FNUM;
    if (a == b) {
        if (like->kind == UOP_IEQ)
            return graph_true(g);
        if (like->kind == UOP_ILT_S || like->kind == UOP_ILT_U || like->kind == UOP_FLT || like->kind == UOP_FNE)
            return graph_false(g);
    }
    if (like->kind == UOP_ILT_U && const_is(g, b, 0))
        return graph_false(g);
    if (symmetric) {
        if (graph_is_const(g, a, NULL) || (a > b && !graph_is_const(g, b, NULL))) {
            graph_id t = a;
            a = b;
            b = t;
        }
        u.flags &= (uint8_t)~UOP_SWAPPED;
    }
    return intern_like(g, &u, (graph_id[]){a, b}, 2);
}

static graph_id simplify_select(struct graph *g, const struct uop *like, const graph_id *args)
{
    graph_id c = args[0], a = args[1], b = args[2];
    uint64_t v;
    if (a == b)
        return a;
    if (graph_is_const(g, c, &v))
        return v ? a : b;
    if (like->type == UOP_B1) /* c ? a : b, argument k is bit k */
        return graph_bool_apply(g, args, 3, 0xd8);
    a = graph_assume(g, a, c);
    b = graph_assume(g, b, graph_not(g, c));
    if (a == b)
        return a;
    struct uop u = {.kind = UOP_SELECT, .type = (uint8_t)plain_type(bits_of(g, a)), .flags = like->flags & UOP_SWAPPED};
    if (at(g, c)->kind == GRAPH_BOOL && (at(g, c)->imm & 1)) {
        c = graph_not(g, c);
        u.flags ^= UOP_SWAPPED;
        return intern_like(g, &u, (graph_id[]){c, b, a}, 3);
    }
    return intern_like(g, &u, (graph_id[]){c, a, b}, 3);
}

/* ---- booleans ------------------------------------------------------------------------------- */

static graph_id boolean(struct graph *g, const struct uop *like, const graph_id *args, unsigned count)
{
    switch (like->kind) {
    case UOP_NOT: return graph_bool_apply(g, args, 1, 1);
    case UOP_AND: return graph_bool_apply(g, args, 2, 8);
    case UOP_OR: return graph_bool_apply(g, args, 2, 14);
    case UOP_XOR: return graph_bool_apply(g, args, 2, 6);
    case UOP_IEQ: return graph_bool_apply(g, args, 2, 9);
    case UOP_LOP3: {
        uint8_t table = 0; /* the machine's index is a<<2 | b<<1 | c */
        for (unsigned row = 0; row < 8; row++) {
            unsigned machine = (row & 1) << 2 | (row & 2) | row >> 2;
            table |= (uint8_t)((like->imm >> machine & 1) << row);
        }
        return graph_bool_apply(g, args, 3, table);
    }
    default: return intern_like(g, like, args, count);
    }
}

static bool known_uniform(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = at(g, id);
    if (n->kind == UOP_CONST || n->kind == UOP_UNIFORM)
        return true;
    if (n->kind == UOP_CBANK && n->arg_count == 0)
        return true;
    if (n->kind == UOP_SREG)
        return n->imm >= UOP_SR_CTAID_X && n->imm <= UOP_SR_NCTAID_Z;
    if (depth >= 6 || !n->arg_count || (n->kind != GRAPH_BOOL && !uop_is_pure((enum uop_kind)n->kind)))
        return false;
    for (unsigned i = 0; i < n->arg_count; i++)
        if (!known_uniform(g, n->arg[i], depth + 1))
            return false;
    return true;
}

static graph_id simplify(struct graph *g, const struct uop *like, const graph_id *given, unsigned count)
{
    graph_id args[UOP_MAX_ARGS + 1] = {0};
    uint64_t bits[UOP_MAX_ARGS + 1], result;
    bool constant = count > 0, truth = count > 0;
    assert(count <= UOP_MAX_ARGS);
    for (unsigned i = 0; i < count; i++) {
        args[i] = given[i];
        constant &= graph_is_const(g, args[i], &bits[i]);
        truth &= at(g, args[i])->type == UOP_B1;
    }
    if (like->kind == UOP_CONST)
        return graph_const(g, (enum uop_type)like->type, like->imm);
    if (constant && uop_eval(like, bits, &result)) {
        /* A float compare carries the format it compares in `type`; its result is a truth value. */
        bool compare = like->kind >= UOP_IEQ && like->kind <= UOP_FNUM;
        enum uop_type type =
            compare || like->kind == UOP_CARRY || like->kind == UOP_FCHK ? UOP_B1 : (enum uop_type)like->type;
        return graph_const(g, type, result);
    }
    if (truth && like->kind != UOP_SELECT)
        return boolean(g, like, args, count);
    switch (like->kind) {
    case UOP_ADD: return simplify_add(g, like, args);
    case UOP_ADDC: {
        graph_id sum = graph_op2(g, UOP_ADD, (enum uop_type)like->type, args[0], args[1]);
        uint64_t c;
        if (graph_is_const(g, args[2], &c))
            return c ? graph_op2(g, UOP_ADD, (enum uop_type)like->type, sum,
                                 graph_const(g, (enum uop_type)like->type, 1))
                     : sum;
        return intern_like(g, like, (graph_id[]){sum, graph_const(g, (enum uop_type)like->type, 0), args[2]}, 3);
    }
    case UOP_CARRY: {
        struct uop u = *like;
        if (!u.imm)
            u.imm = bits_of(g, args[0]);
        u.type = UOP_B1;
        if (const_is(g, args[2], 0) && (const_is(g, args[0], 0) || const_is(g, args[1], 0)))
            return graph_false(g);
        if (args[0] > args[1] && at(g, args[1])->kind != UOP_NOT)
            return intern_like(g, &u, (graph_id[]){args[1], args[0], args[2]}, 3);
        if (at(g, args[0])->kind == UOP_NOT && at(g, args[1])->kind != UOP_NOT)
            return intern_like(g, &u, (graph_id[]){args[1], args[0], args[2]}, 3);
        return intern_like(g, &u, args, 3);
    }
    case UOP_NEG:
        if (at(g, args[0])->kind == UOP_NEG)
            return at(g, args[0])->arg[0];
        return intern_like(g, like, args, 1);
    case UOP_NOT:
        if (at(g, args[0])->kind == UOP_NOT)
            return at(g, args[0])->arg[0];
        return intern_like(g, like, args, 1);
    case UOP_MUL: return simplify_mul(g, like, args[0], args[1]);
    case UOP_SHL:
    case UOP_SHR:
    case UOP_SAR: return simplify_shift(g, like, args);
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR: return simplify_bitwise(g, like, args);
    case UOP_SEXT:
    case UOP_ZEXT: return simplify_extend(g, like, args[0]);
    case UOP_LO:
    case UOP_HI: return simplify_half(g, like, args[0]);
    case UOP_PAIR: return simplify_pair(g, like, args);
    case UOP_PRMT: return simplify_prmt(g, like, args);
    case UOP_SELECT: return simplify_select(g, like, args);
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U:
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM: {
        struct uop u = *like;
        /* The node of a compare is a truth value; the format compared moves to imm (float) or stays there (integer
         * width). */
        if (like->kind >= UOP_FLT && like->kind <= UOP_FNUM)
            u.imm = uop_type_bits((enum uop_type)like->type), u.width = like->type;
        else if (!u.imm)
            u.imm = bits_of(g, args[0]);
        u.type = UOP_B1;
        return simplify_compare(g, &u, args);
    }
    case UOP_FCHK: {
        struct uop u = *like;
        u.imm = uop_type_bits((enum uop_type)like->type), u.width = like->type;
        u.type = UOP_B1;
        return intern_like(g, &u, args, 2);
    }
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FMIN:
    case UOP_FMAX: return simplify_float(g, like, args, count);
    case UOP_FNEG:
    case UOP_FABS: return simplify_sign(g, like, args[0]);
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U:
    case UOP_MULHI_S:
    case UOP_MULHI_U:
        if (graph_is_const(g, args[0], NULL) || (args[0] > args[1] && !graph_is_const(g, args[1], NULL)))
            return intern_like(g, like, (graph_id[]){args[1], args[0]}, 2);
        return intern_like(g, like, args, 2);
    case UOP_UNIFORM: return known_uniform(g, args[0], 0) ? args[0] : intern_like(g, like, args, 1);
    default: return intern_like(g, like, args, count);
    }
}

/* Rules make smaller nodes by the same function. Halves of long chains would go down the chain at every step: what a
 * half came to is remembered, and beyond a depth no honest code reaches a node is left as it is. */
graph_id graph_pure(struct graph *g, const struct uop *like, const graph_id *given, unsigned count)
{
    enum { DEPTH = 200 };
    bool half = like->kind == UOP_LO || like->kind == UOP_HI;
    uint64_t key = (uint64_t)like->kind << 48 | (uint64_t)like->type << 40 | given[0];
    graph_id id;
    if (half && map_u64_get(&g->halves, key, &id))
        return id;
    bool recurses =
        half || like->kind == UOP_ADD || like->kind == UOP_MUL || like->kind == UOP_NEG || like->kind == UOP_PAIR;
    if (recurses && g->depth >= DEPTH)
        return intern_like(g, like, given, count);
    g->depth++;
    id = simplify(g, like, given, count);
    g->depth--;
    if (half && id != GRAPH_NIL)
        map_u64_put(g->a, &g->halves, key, id);
    return id;
}
