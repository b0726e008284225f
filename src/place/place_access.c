/* How neighbouring threads' addresses lie to each other: the difference quotient of the address in threadIdx.x, exact
 * for sums and products with factors that do not depend on the thread. Anything else is unknown; an address that
 * depends on loaded data is scattered. */
#include "place/place.h"

enum { DEPTH = 24 };

enum change { CHANGE_CONSTANT, CHANGE_UNKNOWN, CHANGE_DATA };

/* By how much `id` grows when threadIdx.x grows by one. */
static enum change change_of(const struct graph *g, graph_id id, int64_t *by, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    int64_t a = 0, b = 0;
    uint64_t c;
    *by = 0;
    if (depth > DEPTH)
        return CHANGE_UNKNOWN;
    switch (n->kind) {
    case UOP_CONST:
    case UOP_CBANK: return n->arg_count ? CHANGE_DATA : CHANGE_CONSTANT;
    case UOP_SREG:
        if (n->imm == UOP_SR_TID_X)
            *by = 1;
        else if (n->imm == UOP_SR_LANEID)
            return CHANGE_UNKNOWN;
        return CHANGE_CONSTANT; /* neighbours in x share y, z and the block */
    case UOP_LOAD:              /* neighbours that load the same word have the same value */
        return change_of(g, n->arg[0], &a, depth + 1) == CHANGE_CONSTANT && a == 0 ? CHANGE_CONSTANT : CHANGE_DATA;
    case UOP_ELEMENT: return change_of(g, n->arg[0], &a, depth + 1);
    case UOP_ATOM: return CHANGE_DATA;
    case UOP_ADD: {
        enum change x = change_of(g, n->arg[0], &a, depth + 1), y = change_of(g, n->arg[1], &b, depth + 1);
        *by = (int64_t)((uint64_t)a + (uint64_t)b);
        return x > y ? x : y;
    }
    case UOP_NEG: {
        enum change x = change_of(g, n->arg[0], &a, depth + 1);
        *by = (int64_t)(0 - (uint64_t)a);
        return x;
    }
    case UOP_AND: { /* the low bits of the thread's number: neighbours in a warp stay neighbours */
        enum change x = change_of(g, n->arg[0], &a, depth + 1);
        if (x == CHANGE_CONSTANT && graph_is_const(g, n->arg[1], &c) && c >= 31 && (c & (c + 1)) == 0) {
            *by = a;
            return x;
        }
        return x == CHANGE_CONSTANT && a != 0 ? CHANGE_UNKNOWN : x;
    }
    case UOP_SEXT:
    case UOP_ZEXT: /* neighbours that wrap are not neighbours in memory; nobody writes such kernels */
        return n->imm == 32 ? change_of(g, n->arg[0], by, depth + 1) : CHANGE_UNKNOWN;
    case UOP_MUL: {
        enum change x = change_of(g, n->arg[0], &a, depth + 1), y = change_of(g, n->arg[1], &b, depth + 1);
        if (x != CHANGE_CONSTANT || y != CHANGE_CONSTANT)
            return x > y ? x : y;
        if (!a && !b)
            return CHANGE_CONSTANT;
        if (graph_is_const(g, n->arg[1], &c)) {
            *by = (int64_t)((uint64_t)a * c);
            return CHANGE_CONSTANT;
        }
        return CHANGE_UNKNOWN;
    }
    default: {
        enum change worst = CHANGE_CONSTANT;
        bool moves = false;
        if (n->kind == GRAPH_PHI || !n->arg_count)
            return CHANGE_UNKNOWN;
        for (unsigned i = 0; i < n->arg_count; i++) {
            enum change x = change_of(g, n->arg[i], &a, depth + 1);
            worst = x > worst ? x : worst;
            moves |= a != 0;
        }
        return worst != CHANGE_CONSTANT ? worst : moves ? CHANGE_UNKNOWN : CHANGE_CONSTANT;
    }
    }
}

void place_access_of(const struct graph *g, const struct graph_access *access, struct place_access *out)
{
    int64_t by;
    enum change c = change_of(g, access->address, &by, 0);
    *out = (struct place_access){.coalescing = c == CHANGE_DATA ? PLACE_SCATTERED : PLACE_COALESCING_UNKNOWN};
    if (access->space == UOP_LOCAL) { /* each thread has its own; the hardware interleaves them */
        out->coalescing = PLACE_COALESCING_UNKNOWN;
        return;
    }
    if (c != CHANGE_CONSTANT)
        return;
    if (uop_type_bits((enum uop_type)graph_at(g, access->address)->type) == 32)
        by = (int32_t)(uint32_t)(uint64_t)by;
    out->stride_known = true;
    out->stride = by;
    out->coalescing = by == 0                                                ? PLACE_BROADCAST
                      : by == access->width || by == -(int64_t)access->width ? PLACE_FULL
                                                                             : PLACE_STRIDED;
}
