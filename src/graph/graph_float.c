/* Floats: identities that keep every bit of every result only (NaN payloads apart). What flushes, saturates or loses
 * the sign of a zero is no identity.
 *
 * requires: arguments already simplified · gives: the node in canonical form */
#include "graph/graph_rules.h"

#include <string.h>

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

graph_id graph_simplify_float(struct graph *g, const struct uop *like, graph_id *args, unsigned count)
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
    return graph_intern_like(g, &u, args, count);
}

graph_id graph_simplify_sign(struct graph *g, const struct uop *like, graph_id a)
{
    const struct graph_node *n = at(g, a);
    struct uop u = *like;
    u.flags &= (uint8_t)~UOP_NAN; /* whose bits are no part of an identity here */
    if (like->kind == UOP_FNEG && n->kind == UOP_FNEG && n->type == like->type)
        return n->arg[0];
    if (like->kind == UOP_FABS && (n->kind == UOP_FNEG || n->kind == UOP_FABS) && n->type == like->type)
        return graph_op1(g, UOP_FABS, (enum uop_type)like->type, n->arg[0]);
    return graph_intern_like(g, &u, &a, 1);
}
