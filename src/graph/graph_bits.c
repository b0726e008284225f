/* Exact rules for and, or, exclusive or: masks of masks, bits that cannot be there, what goes out.
 *
 * requires: simplified arguments · gives: a node, an old one where that is the same value */
#include "graph/graph_rules.h"

unsigned graph_width_of(const struct graph *g, graph_id id)
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

/* a ^ b where one is an exclusive or with the other, or both are with the same; NIL: nothing goes out. */
static graph_id without_common(struct graph *g, graph_id a, graph_id b)
{
    const struct graph_node x = *at(g, a), y = *at(g, b);
    for (unsigned i = 0; i < 2; i++) {
        if (x.kind == UOP_XOR && x.arg[i] == b)
            return x.arg[1 - i];
        if (y.kind == UOP_XOR && y.arg[i] == a)
            return y.arg[1 - i];
        for (unsigned k = 0; k < 2; k++)
            if (x.kind == UOP_XOR && y.kind == UOP_XOR && x.arg[i] == y.arg[k])
                return graph_op2(g, UOP_XOR, (enum uop_type)x.type, x.arg[1 - i], y.arg[1 - k]);
    }
    return GRAPH_NIL;
}

/* What the bits are taken of, where they are bits of bits: (x & m), (x >> k) * 2^k; *mask: which of x. */
static graph_id bits_of_whole(const struct graph *g, graph_id id, uint64_t *mask)
{
    const struct graph_node *n = at(g, id);
    uint64_t c, by;
    if (n->kind == UOP_AND && graph_is_const(g, n->arg[1], &c)) {
        *mask &= c;
        return n->arg[0];
    }
    const struct graph_node *down = n->arg_count ? at(g, n->arg[0]) : n;
    if (n->kind == UOP_MUL && n->type == down->type && down->kind == UOP_SHR && graph_is_const(g, n->arg[1], &c) &&
        graph_is_const(g, down->arg[1], &by) && by > 0 && by < 32 && c == UINT64_C(1) << by) {
        *mask &= ~(c - 1);
        return down->arg[0];
    }
    return id;
}

/* The stack pointer that a kernel starts with is a multiple of 16: kernels store four words at once at distances from
 * it that are, and do not ask first. A function that may be called from anywhere does: (s - 40) & -16 is s - 48. */
static graph_id aligned_stack(struct graph *g, graph_id id, uint64_t mask)
{
    enum { ALIGNED = 16 };
    struct graph_affine f;
    uint64_t low = (0 - mask) & UINT32_MAX; /* 2^k where the mask is -2^k */
    if (!g->env->stack_offset || bits_of(g, id) != 32 || !low || (low & (low - 1)) || low > ALIGNED ||
        !graph_affine(g, id, &f) || f.base == GRAPH_NIL || f.term_count || at(g, f.base)->imm != g->env->stack_offset)
        return GRAPH_NIL;
    return graph_op2(g, UOP_ADD, UOP_B32, f.base, graph_const(g, UOP_B32, (uint64_t)f.offset & mask & UINT32_MAX));
}

/* Bits that may be set. */
static uint64_t bits_possible(const struct graph *g, graph_id id, unsigned depth)
{
    enum { POSSIBLE_DEPTH = 10 };
    const struct graph_node *n = at(g, id);
    uint64_t c;
    if (graph_is_const(g, id, &c))
        return c;
    if (n->kind == UOP_AND && graph_is_const(g, n->arg[1], &c))
        return c;
    bool choice = n->kind == UOP_SELECT;
    if ((choice || n->kind == UOP_OR) && depth < POSSIBLE_DEPTH)
        return bits_possible(g, n->arg[choice], depth + 1) | bits_possible(g, n->arg[choice + 1], depth + 1);
    return UINT64_MAX;
}

bool graph_is_natural(const struct graph *g, graph_id id)
{
    enum { NATURAL_DEPTH = 16 };
    uint64_t k;
    for (unsigned depth = 0; depth < NATURAL_DEPTH; depth++) {
        const struct graph_node *n = at(g, id);
        unsigned bits = uop_type_bits((enum uop_type)n->type);
        switch (n->kind) {
        case UOP_CONST: return graph_signed_const(n) >= 0;
        case UOP_SREG: return n->imm <= UOP_SR_LANEID; /* sizes and numbers of threads and blocks are below 2^31 */
        case GRAPH_PHI: return n->flags & GRAPH_NATURAL;
        case UOP_SHR: return graph_is_const(g, n->arg[1], &k) && k > 0 && k < bits;
        case UOP_AND:
            if (!graph_is_const(g, n->arg[1], &k) || k >> (bits - 1) == 0)
                return graph_is_const(g, n->arg[1], NULL);
            id = n->arg[0];
            break;
        case UOP_SAR:
        case UOP_UNIFORM: id = n->arg[0]; break;
        default: return false;
        }
    }
    return false;
}

/* Some bits of a choice of constants, and of several such put together: predicates kept in one register, of which one
 * is asked for. NIL: nothing to cut off. */
static graph_id masked_choice(struct graph *g, enum uop_type type, graph_id a, uint64_t mask)
{
    const struct graph_node n = *at(g, a);
    uint64_t then, other;
    if (n.kind == UOP_SELECT && graph_is_const(g, n.arg[1], &then) && graph_is_const(g, n.arg[2], &other)) {
        if ((then & mask) == then && (other & mask) == other)
            return a;
        struct uop like = {.kind = UOP_SELECT, .type = (uint8_t)type, .flags = n.flags};
        graph_id arms[3] = {n.arg[0], graph_const(g, type, then & mask), graph_const(g, type, other & mask)};
        return graph_pure(g, &like, arms, 3);
    }
    for (unsigned i = 0; i < 2 && n.kind == UOP_OR; i++)
        if (!(bits_possible(g, n.arg[i], 0) & mask))
            return graph_op2(g, UOP_AND, type, n.arg[1 - i], graph_const(g, type, mask));
    return GRAPH_NIL;
}

graph_id graph_simplify_bitwise(struct graph *g, const struct uop *like, const graph_id *args)
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
    if (like->kind == UOP_XOR) { /* x ^ (x ^ y): registers are swapped so */
        graph_id left = without_common(g, a, b);
        if (left != GRAPH_NIL)
            return left;
    }
    /* No bit in common: or, exclusive or and sum are one value. */
    bool apart = zeros_below(g, a) >= graph_width_of(g, b) || zeros_below(g, b) >= graph_width_of(g, a);
    if (like->kind != UOP_AND && apart && !graph_is_const(g, a, NULL) && !graph_is_const(g, b, NULL))
        return graph_op2(g, UOP_ADD, type, a, b);
    if (graph_is_const(g, b, &c)) {
        if (like->kind == UOP_AND) {
            graph_id stack = aligned_stack(g, a, c);
            if (stack != GRAPH_NIL)
                return stack;
            graph_id whole = bits_of_whole(g, a, &c);
            if (whole != a)
                return graph_op2(g, UOP_AND, type, whole, graph_const(g, type, c & mask));
            graph_id choice = masked_choice(g, type, a, c & mask);
            if (choice != GRAPH_NIL)
                return choice;
        }
        if (c == 0)
            return like->kind == UOP_AND ? b : a;
        if (c == mask && like->kind != UOP_XOR)
            return like->kind == UOP_AND ? a : b;
        if (c == mask)
            return graph_op1(g, UOP_NOT, type, a);
        if (like->kind == UOP_AND && bits <= 64 && zeros_below(g, a) < 64 &&
            ((c | ((UINT64_C(1) << zeros_below(g, a)) - 1)) & mask) == mask)
            return a; /* what is cut off is zero */
        if (like->kind == UOP_AND && at(g, a)->kind == UOP_ZEXT && at(g, a)->imm < 64 &&
            (c | ((UINT64_C(1) << at(g, a)->imm) - 1)) == c)
            return a; /* nothing is cut off */
    }
    struct uop plain = {.kind = like->kind, .type = like->type};
    return graph_intern_like(g, &plain, (graph_id[]){a, b}, 2);
}

graph_id graph_simplify_chosen(struct graph *g, const struct uop *like, const graph_id *args)
{
    enum { BOTH = 0x0f, LEFT = 0x0c, RIGHT = 0x0a }; /* tables over two words, by left << 1 | right */
    enum uop_type type = (enum uop_type)like->type;
    uint64_t c, all = uop_type_bits(type) >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << uop_type_bits(type)) - 1;
    unsigned at_const = 0;
    while (at_const < 3 && !graph_is_const(g, args[at_const], &c))
        at_const++;
    if (at_const == 3)
        return GRAPH_NIL;
    unsigned left = at_const == 0 ? 1 : 0, right = at_const == 2 ? 1 : 2, table[2] = {0, 0};
    for (unsigned row = 0; row < 8; row++) /* the machine's index is a << 2 | b << 1 | c */
        if (like->imm >> row & 1)
            table[row >> (2 - at_const) & 1] |= 1u << ((row >> (2 - left) & 1) << 1 | (row >> (2 - right) & 1));
    for (unsigned turn = 0; turn < 2; turn++) {
        if ((table[turn] & BOTH) != LEFT || (table[!turn] & BOTH) != RIGHT)
            continue;
        /* The left word where the constant has the bit `turn`, the right one elsewhere. */
        uint64_t of_left = turn ? c & all : ~c & all;
        graph_id a = args[left], b = args[right];
        if (graph_op2(g, UOP_AND, type, a, graph_const(g, type, of_left)) == a &&
            graph_op2(g, UOP_AND, type, b, graph_const(g, type, ~of_left & all)) == b)
            return graph_op2(g, UOP_OR, type, a, b);
    }
    return GRAPH_NIL;
}
