/* 64-bit values of two registers (definitions.md D4): by value, never by neighbouring registers. Two words that are the
 * halves of one known value are that value; carry chains are 64-bit sums; halves of a sum, product, select are looked
 * for in its parts.
 *
 * Two phis of one place where paths meet are one 64-bit phi when their arguments are known values pair by pair; the two
 * then are its halves. Loop phis are never joined here: that they were asked for is noted (graph_carry.c).
 *
 * requires: arguments already simplified · gives: PAIR, LO and HI in canonical form */
#include "graph/graph_rules.h"

enum { JOIN_DEPTH = 64 };

/* ---- halves and pairs ----------------------------------------------------------------------- */

static graph_id join_simple(struct graph *g, graph_id l, graph_id h);

/* The high word of x shifted down with the low word of the same. */
static graph_id join_shifted(struct graph *g, graph_id l, graph_id h)
{
    const struct graph_node down = *at(g, h), *word = at(g, down.arg[0]);
    uint64_t k;
    if (!graph_is_const(g, down.arg[1], &k) || !k || k >= 32 || word->kind != UOP_HI || bits_of(g, word->arg[0]) != 64)
        return GRAPH_NIL;
    graph_id whole = graph_op2(g, (enum uop_kind)down.kind, UOP_B64, word->arg[0], down.arg[1]);
    return graph_op1(g, UOP_LO, UOP_B32, whole) == l ? whole : GRAPH_NIL;
}

static graph_id join_selects(struct graph *g, graph_id l, graph_id h)
{
    const struct graph_node nl = *at(g, l), nh = *at(g, h);
    graph_id a = join_simple(g, nl.arg[1], nh.arg[1]), b = join_simple(g, nl.arg[2], nh.arg[2]);
    struct uop pair = {.kind = UOP_PAIR, .type = UOP_B64};
    if (a != GRAPH_NIL && b == GRAPH_NIL) /* one value, and words put together */
        b = graph_intern_like(g, &pair, (graph_id[]){nl.arg[2], nh.arg[2]}, 2);
    else if (b != GRAPH_NIL && a == GRAPH_NIL)
        a = graph_intern_like(g, &pair, (graph_id[]){nl.arg[1], nh.arg[1]}, 2);
    if (a == GRAPH_NIL || b == GRAPH_NIL)
        return GRAPH_NIL;
    struct uop like = {.kind = UOP_SELECT, .type = UOP_B64, .flags = nl.flags & UOP_SWAPPED};
    return graph_intern_like(g, &like, (graph_id[]){nl.arg[0], a, b}, 3);
}

/* A bit function of two words each is one of two wholes, whichever words go together. */
static graph_id join_bits(struct graph *g, graph_id l, graph_id h)
{
    const struct graph_node x = *at(g, l), y = *at(g, h);
    for (int turn = 0; turn < 2; turn++) {
        graph_id a = join_simple(g, x.arg[0], y.arg[turn]);
        graph_id b = a == GRAPH_NIL ? GRAPH_NIL : join_simple(g, x.arg[1], y.arg[1 - turn]);
        if (b != GRAPH_NIL)
            return graph_op2(g, (enum uop_kind)x.kind, UOP_B64, a, b);
    }
    return GRAPH_NIL;
}

static graph_id join_phis(struct graph *g, graph_id l, graph_id h)
{
    const struct graph_node nl = *at(g, l), nh = *at(g, h);
    if (nl.imm) { /* of a loop: what comes round is not known yet */
        VEC_PUSH(g->a, g->wanted, (uint64_t)l << 32 | h);
        return GRAPH_NIL;
    }
    graph_id *args = ARENA_ARRAY(g->a, graph_id, nl.phi_count);
    if (!args)
        return GRAPH_NIL;
    for (uint32_t k = 0; k < nl.phi_count; k++) {
        bool again = nl.phi_args[k] == l; /* a phi at a loop's header that is not of the loop */
        args[k] = again ? GRAPH_NIL : join_simple(g, nl.phi_args[k], nh.phi_args[k]);
        if (args[k] == GRAPH_NIL && !again)
            return GRAPH_NIL;
    }
    struct graph_node phi = nl;
    phi.type = UOP_B64;
    phi.phi_args = args;
    graph_id whole = graph_fresh(g, &phi);
    for (uint32_t k = 0; k < nl.phi_count; k++)
        if (args[k] == GRAPH_NIL)
            args[k] = whole;
    graph_set_half(g, whole, UOP_LO, l);
    graph_set_half(g, whole, UOP_HI, h);
    return whole;
}

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
    nl = at(g, l);
    if (nl->kind == UOP_LO && graph_op1(g, UOP_HI, UOP_B32, nl->arg[0]) == h)
        return at(g, l)->arg[0];
    nh = at(g, h);
    if (const_is(g, h, 0))
        return graph_op1(g, UOP_ZEXT, UOP_B64, l);
    if (nh->kind == UOP_SREG && nh->imm == UOP_SR_SWINHI) { /* a generic address in the shared window */
        struct uop pair = {.kind = UOP_PAIR, .type = UOP_B64};
        return graph_intern_like(g, &pair, (graph_id[]){l, h}, 2);
    }
    if (nh->kind == UOP_SAR && const_is(g, nh->arg[1], 31) &&
        (nh->arg[0] == l || graph_op2(g, UOP_SAR, UOP_B32, l, nh->arg[1]) == h))
        return graph_op1(g, UOP_SEXT, UOP_B64, l);
    nl = at(g, l), nh = at(g, h);
    uint64_t scale, shift;
    if (nh->kind == UOP_SAR || nh->kind == UOP_SHR) {
        graph_id whole = join_shifted(g, l, h);
        if (whole != GRAPH_NIL)
            return whole;
        nl = at(g, l), nh = at(g, h);
    }
    if (nl->kind == UOP_NOT && nh->kind == UOP_NOT) {
        graph_id whole = join_simple(g, nl->arg[0], nh->arg[0]);
        return whole == GRAPH_NIL ? whole : graph_op1(g, UOP_NOT, UOP_B64, whole);
    }
    if ((nh->kind == UOP_SAR || nh->kind == UOP_SHR) && nl->kind == UOP_MUL && nl->arg[0] == nh->arg[0] &&
        graph_is_const(g, nl->arg[1], &scale) && graph_is_const(g, nh->arg[1], &shift) && shift && shift < 32 &&
        scale == UINT64_C(1) << (32 - shift)) /* the pushed-out bits and the rest */
        return graph_op2(g, UOP_MUL, UOP_B64,
                         graph_op1(g, nh->kind == UOP_SAR ? UOP_SEXT : UOP_ZEXT, UOP_B64, nl->arg[0]),
                         graph_const(g, UOP_B64, scale));
    if ((nh->kind == UOP_SAR || nh->kind == UOP_SHR) && (nl->kind == UOP_ADD || nl->kind == UOP_MUL) &&
        graph_is_const(g, nh->arg[1], &shift) && shift && shift < 32) { /* the same of a sum or product, shifted in its
                                                                           parts */
        graph_id x = nh->arg[0], by = graph_const(g, UOP_B64, UINT64_C(1) << (32 - shift));
        bool sign = nh->kind == UOP_SAR;
        if (graph_op2(g, UOP_MUL, UOP_B32, x, graph_const(g, UOP_B32, UINT64_C(1) << (32 - shift))) == l)
            return graph_op2(g, UOP_MUL, UOP_B64, graph_op1(g, sign ? UOP_SEXT : UOP_ZEXT, UOP_B64, x), by);
        nl = at(g, l), nh = at(g, h);
    }
    if (nl->kind == UOP_CBANK && nh->kind == UOP_CBANK && nl->space == nh->space && nl->arg_count == 0 &&
        nh->arg_count == 0 && nh->imm == nl->imm + 4)
        return graph_cbank(g, UOP_B64, nl->space, (uint32_t)nl->imm);
    bool select = nl->kind == UOP_SELECT && nh->kind == UOP_SELECT && nl->arg[0] == nh->arg[0];
    bool phis = nl->kind == GRAPH_PHI && nh->kind == GRAPH_PHI && nl->block == nh->block && nl->imm == nh->imm;
    bool bits = nl->kind == nh->kind && nl->arg_count == 2 &&
                (nl->kind == UOP_AND || nl->kind == UOP_OR || nl->kind == UOP_XOR);
    uint64_t mask = 0; /* a bit function with a constant that leaves the high word as it is */
    bool masked = !bits && (nl->kind == UOP_AND || nl->kind == UOP_OR || nl->kind == UOP_XOR) &&
                  graph_is_const(g, nl->arg[1], &mask);
    if (!select && !phis && !bits && !masked)
        return GRAPH_NIL;
    graph_id whole;
    uint64_t key = (uint64_t)l << 32 | h;
    if (map_u64_get(&g->joined, key, &whole))
        return whole;
    if (g->depth >= JOIN_DEPTH)
        return GRAPH_NIL;
    g->depth++;
    whole = phis     ? join_phis(g, l, h)
            : select ? join_selects(g, l, h)
            : masked ? join_simple(g, nl->arg[0], h)
                     : join_bits(g, l, h);
    if (masked && whole != GRAPH_NIL) {
        enum uop_kind kind = (enum uop_kind)at(g, l)->kind;
        mask |= kind == UOP_AND ? UINT64_C(0xffffffff) << 32 : 0;
        whole = graph_op2(g, kind, UOP_B64, whole, graph_const(g, UOP_B64, mask));
    }
    g->depth--;
    map_u64_put(g->a, &g->joined, key, whole);
    return whole;
}

enum { CARRIES = 2, WORDS = CARRIES + 1 };

/* A high word taken apart: its terms, and the carries that go into it. */
struct high_word {
    struct graph_sum sum;
    graph_id carry[CARRIES];
    unsigned carries;
};

static bool open_high_word(const struct graph *g, graph_id sum, graph_id carry, struct high_word *h)
{
    *h = (struct high_word){.carry = {carry}, .carries = 1};
    graph_sum_add(g, &h->sum, sum, 0);
    for (unsigned i = 0; i < h->sum.count; i++) {
        const struct graph_node *n = at(g, h->sum.term[i]);
        if (n->kind != UOP_ADDC)
            continue;
        if (h->carries == CARRIES || !const_is(g, n->arg[1], 0))
            return false;
        h->carry[h->carries++] = n->arg[2];
        h->sum.term[i] = h->sum.term[--h->sum.count];
        graph_sum_add(g, &h->sum, n->arg[0], 0);
        i = UINT32_MAX; /* ++ makes it 0: what it held may be such a sum again */
    }
    if (h->carries == 2) { /* (x or y) + (x and y) is x + y: a sum of three words counts its carries so */
        const struct graph_node *x = at(g, h->carry[0]), *y = at(g, h->carry[1]);
        if (x->kind == GRAPH_BOOL && y->kind == GRAPH_BOOL && x->arg_count == 2 && y->arg_count == 2 &&
            x->arg[0] == y->arg[0] && x->arg[1] == y->arg[1] && (x->imm | y->imm) == 0xe && (x->imm & y->imm) == 0x8) {
            h->carry[0] = x->arg[0];
            h->carry[1] = x->arg[1];
        }
    }
    for (unsigned i = 0; i < h->carries; i++)
        if (at(g, h->carry[i])->kind != UOP_CARRY || at(g, h->carry[i])->imm != 32)
            return false;
    h->sum.constant &= UINT32_MAX;
    return !h->sum.overflow && h->sum.count + (h->sum.constant != 0) <= h->carries + 1;
}

/* The low words whose sums carry: two of the first carry, one more of each that adds to its sum. `ones`: how many of
 * them add one. False when the carries are not of one chain. */
static bool low_words(struct graph *g, const struct high_word *h, graph_id low[WORDS], unsigned *ones)
{
    graph_id order[CARRIES] = {h->carry[0], h->carry[h->carries - 1]};
    for (unsigned turn = 0; turn < h->carries && turn < CARRIES; turn++) {
        const struct graph_node first = *at(g, order[turn]), then = *at(g, order[1 - turn]);
        uint64_t in = 0, more = 0;
        low[0] = first.arg[0];
        low[1] = first.arg[1];
        if (!graph_is_const(g, first.arg[2], &in) || (h->carries == 2 && !graph_is_const(g, then.arg[2], &more)))
            return false;
        *ones = (unsigned)(in + more);
        if (h->carries == 1)
            return true;
        graph_id sum = graph_op2(g, UOP_ADD, UOP_B32, low[0], low[1]);
        if (in)
            sum = graph_op2(g, UOP_ADD, UOP_B32, sum, graph_const(g, UOP_B32, 1));
        if (then.arg[0] == sum || then.arg[1] == sum) {
            low[2] = then.arg[0] == sum ? then.arg[1] : then.arg[0];
            return true;
        }
    }
    return false;
}

/* {h:l} where a complement stands for a negation that takes one of the ones: its value negated. */
static graph_id join_term(struct graph *g, graph_id l, graph_id h, unsigned *ones)
{
    uint64_t c;
    if (*ones && at(g, l)->kind == UOP_NOT && (at(g, h)->kind == UOP_NOT || graph_is_const(g, h, &c))) {
        graph_id above = graph_is_const(g, h, &c) ? graph_const(g, UOP_B32, ~c) : at(g, h)->arg[0];
        graph_id whole = join_simple(g, at(g, l)->arg[0], above);
        if (whole != GRAPH_NIL) {
            --*ones;
            return graph_op1(g, UOP_NEG, UOP_B64, whole);
        }
    }
    return join_simple(g, l, h);
}

/* Words `high_sum` and carry: the 64-bit sum whose high word they make, or NIL. Any pairing of low and high words gives
 * the same number; one in which all pairs are known values is taken. */
static graph_id sum_with_carry(struct graph *g, graph_id high_sum, graph_id carry)
{
    static const uint8_t orders[6][WORDS] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    struct high_word h = {0};
    graph_id low[WORDS] = {0}, high[WORDS] = {0};
    unsigned ones;
    if (!open_high_word(g, high_sum, carry, &h) || !low_words(g, &h, low, &ones))
        return GRAPH_NIL;
    unsigned words = h.carries + 1, n = h.sum.count;
    for (unsigned i = 0; i < n; i++)
        high[i] = h.sum.term[i];
    if (h.sum.constant)
        high[n++] = graph_const(g, UOP_B32, h.sum.constant);
    while (n < words)
        high[n++] = graph_const(g, UOP_B32, 0);
    for (unsigned order = 0; order < (words == 2 ? 2 : 6); order++) {
        graph_id sum = GRAPH_NIL;
        unsigned left = ones;
        for (unsigned i = 0; i < words; i++) {
            graph_id term = join_term(g, low[i], high[orders[order][i]], &left);
            if (term == GRAPH_NIL) {
                sum = GRAPH_NIL;
                break;
            }
            sum = sum == GRAPH_NIL ? term : graph_op2(g, UOP_ADD, UOP_B64, sum, term);
        }
        if (sum != GRAPH_NIL)
            return left ? graph_op2(g, UOP_ADD, UOP_B64, sum, graph_const(g, UOP_B64, left)) : sum;
    }
    return GRAPH_NIL;
}

/* The high word of a 64-bit sum: hi + hi + carry of the low words. */
graph_id graph_simplify_carry(struct graph *g, graph_id high_sum, graph_id carry)
{
    graph_id whole = sum_with_carry(g, high_sum, carry);
    return whole == GRAPH_NIL ? GRAPH_NIL : graph_op1(g, UOP_HI, UOP_B32, whole);
}

/* The high word is added to the high half of a sum with an extended low word: {h:l} + k, whose carry that half
 * holds. */
static graph_id join_extended(struct graph *g, graph_id l, graph_id h)
{
    const struct graph_node n = *at(g, h);
    for (int turn = 0; turn < 2 && n.kind == UOP_ADD; turn++) {
        graph_id half = n.arg[turn], high = n.arg[!turn];
        graph_id sum = at(g, half)->kind == UOP_HI ? at(g, half)->arg[0] : GRAPH_NIL;
        if (sum == GRAPH_NIL || at(g, sum)->kind != UOP_ADD || at(g, sum)->type != UOP_B64 ||
            graph_op1(g, UOP_LO, UOP_B32, sum) != l)
            continue;
        for (int side = 0; side < 2; side++) {
            graph_id low = at(g, sum)->arg[side], rest = at(g, sum)->arg[!side];
            bool extended = at(g, low)->kind == UOP_ZEXT && at(g, low)->imm == 32;
            graph_id whole = extended ? join_simple(g, at(g, low)->arg[0], high) : GRAPH_NIL;
            if (whole != GRAPH_NIL)
                return graph_op2(g, UOP_ADD, UOP_B64, whole, rest);
        }
    }
    return GRAPH_NIL;
}

/* A word, or half of one, that nothing was ever written to: any value will do. */
static bool is_undefined(const struct graph *g, graph_id id)
{
    const struct graph_node *n = at(g, id);
    if (n->kind == UOP_HI || n->kind == UOP_LO)
        n = at(g, n->arg[0]);
    return n->kind == GRAPH_ENTRY;
}

graph_id graph_simplify_pair(struct graph *g, const struct uop *like, const graph_id *args)
{
    if (is_undefined(g, args[1]) && !is_undefined(g, args[0]))
        return graph_op1(g, UOP_ZEXT, (enum uop_type)like->type, args[0]);
    if (like->type == UOP_B64) {
        graph_id whole = join_simple(g, args[0], args[1]);
        if (whole == GRAPH_NIL)
            whole = join_extended(g, args[0], args[1]);
        if (whole != GRAPH_NIL)
            return whole;
    } else {
        const struct graph_node *h = at(g, args[1]);
        if (h->kind == UOP_HI && at(g, args[0])->kind == UOP_LO && at(g, args[0])->arg[0] == h->arg[0])
            return h->arg[0];
        if (const_is(g, args[1], 0))
            return graph_op1(g, UOP_ZEXT, (enum uop_type)like->type, args[0]);
    }
    return graph_intern_like(g, like, args, 2);
}

graph_id graph_simplify_half(struct graph *g, const struct uop *like, graph_id a)
{
    const struct graph_node n = *at(g, a);
    unsigned half = uop_type_bits((enum uop_type)like->type);
    enum uop_type type = plain_type(half);
    bool high = like->kind == UOP_HI;
    struct uop plain = *like;
    plain.type = (uint8_t)type;
    if (bits_of(g, a) != 2 * half)
        return graph_intern_like(g, &plain, &a, 1);
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
        return x == y ? x : graph_intern_like(g, &select, (graph_id[]){n.arg[0], x, y}, 3);
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
    case UOP_SAR:
    case UOP_SHR: { /* the low half of {h:l} >> (32 - k) is the high half of {h:l} << k */
        uint64_t k;
        if (half != 32 || !graph_is_const(g, n.arg[1], &k) || k == 0 || k >= 64)
            break;
        if (high) /* bits beyond are the sign, or zero */
            return graph_op2(g, (enum uop_kind)n.kind, type, graph_op1(g, UOP_HI, type, n.arg[0]),
                             graph_const(g, UOP_B32, k));
        if (k >= 32)
            return graph_op2(g, (enum uop_kind)n.kind, type, graph_op1(g, UOP_HI, type, n.arg[0]),
                             graph_const(g, UOP_B32, k - 32));
        return graph_op1(g, UOP_HI, type,
                         graph_op2(g, UOP_MUL, UOP_B64, n.arg[0], graph_const(g, UOP_B64, UINT64_C(1) << (32 - k))));
    }
    default: break;
    }
    return graph_intern_like(g, &plain, &a, 1);
}
