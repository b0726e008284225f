/* 64-bit products in 32-bit words: the high word of {xh:x} * {yh:y} + z is computed as the high word of x * y + z, both
 * extended by zeros, plus xh * y and x * yh. Each of these goes back into the product, one at a time: what is added to
 * the high word is a multiple of 2^32, so HI(x * y + z) + xh * y = HI({xh:x} * y + z) for all numbers.
 *
 * requires: a 32-bit sum taken apart · gives: the same sum with products joined */
#include "graph/graph_rules.h"

/* W = a * b + rest, with the term `product` of the sum W. */
struct wide {
    graph_id a, b, rest; /* rest NIL: nothing */
};

static graph_id sum_but(struct graph *g, const struct graph_sum *s, unsigned without)
{
    graph_id r = s->constant ? graph_const(g, UOP_B64, s->constant) : (graph_id)GRAPH_NIL;
    for (unsigned i = 0; i < s->count; i++)
        if (i != without)
            r = r == GRAPH_NIL ? s->term[i] : graph_op2(g, UOP_ADD, UOP_B64, r, s->term[i]);
    return r;
}

/* The low word of one factor, where it is extended by zeros, and the high word that the other one is multiplied by in
 * `term`: the factor as a whole; NIL: the term is no part of the product. */
static graph_id whole_factor(struct graph *g, graph_id factor, graph_id other, const struct graph_node *term)
{
    const struct graph_node *f = at(g, factor);
    uint64_t low, high;
    if (graph_is_const(g, factor, &low) && low <= UINT32_MAX) { /* a number's high word stands in the term */
        graph_id y = graph_op1(g, UOP_LO, UOP_B32, other);
        for (unsigned k = 0; k < 2; k++)
            if (term->arg[!k] == y && graph_is_const(g, term->arg[k], &high) && (uint32_t)high)
                return graph_const(g, UOP_B64, low | high << 32);
        return GRAPH_NIL;
    }
    if (f->kind != UOP_ZEXT || f->imm != 32 || f->type != UOP_B64)
        return GRAPH_NIL;
    graph_id x = f->arg[0], y = graph_op1(g, UOP_LO, UOP_B32, other);
    for (unsigned k = 0; k < 2; k++) {
        if (term->arg[!k] != y || const_is(g, term->arg[k], 0))
            continue;
        struct uop pair = {.kind = UOP_PAIR, .type = UOP_B64};
        graph_id whole = graph_pure(g, &pair, (graph_id[]){x, term->arg[k]}, 2);
        if (at(g, whole)->kind != UOP_PAIR)
            return whole;
    }
    return GRAPH_NIL;
}

/* `high` is the high word of a product (and something); `term` goes into it: the new high word, or NIL. */
static graph_id join_one(struct graph *g, graph_id high, const struct graph_node *term)
{
    const struct graph_node n = *at(g, high);
    struct graph_sum s = {0};
    if (n.kind == UOP_MULHI_U && n.type == UOP_B32) {
        graph_id a = graph_op1(g, UOP_ZEXT, UOP_B64, n.arg[0]), b = graph_op1(g, UOP_ZEXT, UOP_B64, n.arg[1]);
        for (int turn = 0; turn < 2; turn++) {
            graph_id whole = whole_factor(g, turn ? b : a, turn ? a : b, term);
            if (whole != GRAPH_NIL)
                return graph_op1(g, UOP_HI, UOP_B32, graph_op2(g, UOP_MUL, UOP_B64, whole, turn ? a : b));
        }
        return GRAPH_NIL;
    }
    if (n.kind != UOP_HI || at(g, n.arg[0])->type != UOP_B64)
        return GRAPH_NIL;
    graph_sum_add(g, &s, n.arg[0], 0);
    for (unsigned i = 0; i < s.count && !s.overflow; i++) {
        const struct graph_node p = *at(g, s.term[i]);
        if (p.kind != UOP_MUL)
            continue;
        for (int turn = 0; turn < 2; turn++) {
            graph_id whole = whole_factor(g, p.arg[turn], p.arg[!turn], term);
            if (whole == GRAPH_NIL)
                continue;
            graph_id rest = sum_but(g, &s, i), product = graph_op2(g, UOP_MUL, UOP_B64, whole, p.arg[!turn]);
            return graph_op1(g, UOP_HI, UOP_B32,
                             rest == GRAPH_NIL ? product : graph_op2(g, UOP_ADD, UOP_B64, product, rest));
        }
    }
    return GRAPH_NIL;
}

void graph_join_products(struct graph *g, struct graph_sum *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        unsigned kind = at(g, s->term[i])->kind;
        if (kind != UOP_HI && kind != UOP_MULHI_U)
            continue;
        for (unsigned k = 0; k < s->count; k++) {
            const struct graph_node term = *at(g, s->term[k]);
            graph_id joined = k == i || term.kind != UOP_MUL ? (graph_id)GRAPH_NIL : join_one(g, s->term[i], &term);
            if (joined == GRAPH_NIL)
                continue;
            s->term[i] = joined;
            s->term[k] = s->term[--s->count];
            i = UINT32_MAX; /* ++ makes it 0: the other factor's part may stand before it */
            break;
        }
    }
}
