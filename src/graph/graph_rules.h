/* Between the files of exact rules (graph_simplify.c, graph_bits.c, graph_pair.c) only. */
#ifndef SP_GRAPH_RULES_H
#define SP_GRAPH_RULES_H

#include "graph/graph_internal.h"

static inline const struct graph_node *at(const struct graph *g, graph_id id)
{
    return graph_at(g, id);
}

static inline bool const_is(const struct graph *g, graph_id id, uint64_t bits)
{
    uint64_t b;
    return graph_is_const(g, id, &b) && b == bits;
}

static inline unsigned bits_of(const struct graph *g, graph_id id)
{
    return uop_type_bits((enum uop_type)at(g, id)->type);
}

static inline enum uop_type plain_type(unsigned bits)
{
    return bits == 1 ? UOP_B1 : bits == 8 ? UOP_B8 : bits == 16 ? UOP_B16 : bits == 64 ? UOP_B64 : UOP_B32;
}

/* The node `like` describes over `args`, not simplified. */
graph_id graph_intern_like(struct graph *g, const struct uop *like, const graph_id *args, unsigned count);

/* c ? a : b, whose arms say nothing more where c is known. */
graph_id graph_select(struct graph *g, uint8_t flags, graph_id c, graph_id a, graph_id b);

/* An integer sum taken apart: terms and a constant. */
enum { GRAPH_SUM_MAX = 8 };
struct graph_sum {
    graph_id term[GRAPH_SUM_MAX];
    unsigned count;
    uint64_t constant;
    bool overflow;
};
void graph_sum_add(const struct graph *g, struct graph_sum *s, graph_id id, unsigned depth);

/* 64-bit values and their halves (graph_pair.c). */
graph_id graph_simplify_pair(struct graph *g, const struct uop *like, const graph_id *args);
graph_id graph_simplify_half(struct graph *g, const struct uop *like, graph_id a);
/* ADDC of 32 bits as the high word of a 64-bit sum; NIL: it is none that is known. */
graph_id graph_simplify_carry(struct graph *g, graph_id high_sum, graph_id carry);
/* Says what a half of a node is: it is never computed then. */
void graph_set_half(struct graph *g, graph_id whole, enum uop_kind half, graph_id word);

/* Parts of 64-bit products in a sum of high words go back into the products (graph_product.c). */
void graph_join_products(struct graph *g, struct graph_sum *s);

/* And, or, exclusive or (graph_bits.c). */
graph_id graph_simplify_bitwise(struct graph *g, const struct uop *like, const graph_id *args);
/* Bits of one word where a constant has ones and of another where it has none, when neither has others: their sum.
 * NIL: not so. */
graph_id graph_simplify_chosen(struct graph *g, const struct uop *like, const graph_id *args);
/* How many low bits a 32-bit value can have set: blocks have at most 1,024 threads, 64 in z. */
/* Never negative, read as signed: by what it is, or by what a pass showed of a loop phi. */
bool graph_is_natural(const struct graph *g, graph_id id);
unsigned graph_width_of(const struct graph *g, graph_id id);

/* Float operations (graph_float.c). */
graph_id graph_simplify_float(struct graph *g, const struct uop *like, graph_id *args, unsigned count);
graph_id graph_simplify_sign(struct graph *g, const struct uop *like, graph_id a);

#endif
