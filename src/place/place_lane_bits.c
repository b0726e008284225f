/* Which bits of a word the threads of a warp differ in: a thread's number, times a power of two, above numbers that
 * have no bits where it stands; and which bits of a word may be ones at all.
 *
 * A block's width, where nothing tells it, is taken for a multiple of the warp's 32 threads, or for a smaller power of
 * two: only then is blockIdx.x * blockDim.x + threadIdx.x >> 5 one number for a warp.
 *
 * requires: graph · gives: place_lanes.c what shifts and masks do to neighbours */
#include "place/place_internal.h"

enum { DEPTH = 8 };

/* A number that 2 to the power `bits` divides. (Of a width that is a smaller power of two: threadIdx.x is smaller
 * than it, too, and does not come to where the number has its ones.) */
static bool is_aligned(const struct place_lanes *l, graph_id id, unsigned bits, unsigned depth)
{
    const struct graph_node *n = graph_at(l->g, id);
    uint64_t c;
    if (!bits)
        return true;
    if (depth > DEPTH || bits >= 32)
        return false;
    if (graph_is_const(l->g, id, &c))
        return !(c & ((1ull << bits) - 1));
    switch (n->kind) {
    case UOP_SREG:
        return n->imm == UOP_SR_NTID_X && (l->block[0] ? !(l->block[0] & ((1u << bits) - 1)) : bits <= PLACE_WARP_BITS);
    case UOP_SEXT:
    case UOP_ZEXT: return n->imm >= bits && is_aligned(l, n->arg[0], bits, depth + 1);
    case UOP_LO:
    case UOP_NEG:
    case UOP_UNIFORM: return is_aligned(l, n->arg[0], bits, depth + 1);
    case UOP_ADD: return is_aligned(l, n->arg[0], bits, depth + 1) && is_aligned(l, n->arg[1], bits, depth + 1);
    case UOP_AND: return is_aligned(l, n->arg[0], bits, depth + 1) || is_aligned(l, n->arg[1], bits, depth + 1);
    case UOP_MUL:
        if (graph_is_const(l->g, n->arg[1], &c) && c) {
            unsigned zeros = (unsigned)__builtin_ctzll(c);
            return zeros >= bits || is_aligned(l, n->arg[0], bits - zeros, depth + 1);
        }
        return is_aligned(l, n->arg[0], bits, depth + 1) || is_aligned(l, n->arg[1], bits, depth + 1);
    default: return false;
    }
}

bool place_is_row(const struct place_lanes *l, graph_id id, unsigned *shift)
{
    struct graph_affine f;
    bool found = false;
    if (!graph_affine(l->g, id, &f) || f.base != GRAPH_NIL)
        return false;
    for (unsigned i = 0; i < f.term_count; i++) {
        const struct graph_node *t = graph_at(l->g, f.terms[i].term);
        if (t->kind != UOP_SREG || (t->imm != UOP_SR_TID_X && t->imm != UOP_SR_LANEID))
            continue;
        uint64_t c = (uint64_t)f.terms[i].coefficient;
        if (found || !c || (c & (c - 1)) || c > 1u << 20)
            return false;
        *shift = (unsigned)__builtin_ctzll(c);
        found = true;
    }
    if (!found)
        return false;
    uint64_t above = (1ull << (*shift + PLACE_WARP_BITS)) - 1;
    for (unsigned i = 0; i < f.term_count; i++) {
        const struct graph_node *t = graph_at(l->g, f.terms[i].term);
        if (t->kind == UOP_SREG && (t->imm == UOP_SR_TID_X || t->imm == UOP_SR_LANEID))
            continue;
        uint64_t c = (uint64_t)f.terms[i].coefficient;
        unsigned zeros = c ? (unsigned)__builtin_ctzll(c) : 63;
        if (zeros < *shift + PLACE_WARP_BITS && !is_aligned(l, f.terms[i].term, *shift + PLACE_WARP_BITS - zeros, 0))
            return false;
    }
    return ((uint64_t)f.offset & above) >> *shift == 0;
}

uint64_t place_may_be_ones(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    unsigned width = uop_type_bits((enum uop_type)n->type);
    uint64_t all = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX, c;
    if (graph_is_const(g, id, &c))
        return c & all;
    if (depth > DEPTH)
        return all;
    if (n->kind == UOP_SREG && n->imm == UOP_SR_LANEID)
        return 31;
    if (n->kind == UOP_AND)
        return place_may_be_ones(g, n->arg[0], depth + 1) & place_may_be_ones(g, n->arg[1], depth + 1);
    if (n->kind == UOP_SHR && graph_is_const(g, n->arg[1], &c) && c < width)
        return place_may_be_ones(g, n->arg[0], depth + 1) >> c;
    if (n->kind == UOP_MUL && graph_is_const(g, n->arg[1], &c) && c && !(c & (c - 1)))
        return (place_may_be_ones(g, n->arg[0], depth + 1) * c) & all;
    return n->kind == UOP_ZEXT ? place_may_be_ones(g, n->arg[0], depth + 1) : all;
}
