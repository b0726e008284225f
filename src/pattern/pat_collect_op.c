/* Operations whose operands may be taken in any order, as readers of reductions see them: sums, products, smaller,
 * larger and bit operations of any type, packed halves lane by lane, a compare that selects one of its own operands.
 * Requires the index; gives one view of a node. */
#include "pattern/pat_collect.h"

#include <string.h>

static const struct {
    const char *text, *sign;
} names[] = {{"none", NULL}, {"add", "+"}, {"mul", "*"}, {"min", NULL},
             {"max", NULL},  {"and", "&"}, {"or", "|"},  {"xor", "^"}};

const char *pat_op_text(enum pat_op op)
{
    return names[op].text;
}

enum pat_op pat_op_find(const char *text)
{
    for (unsigned i = 1; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].text, text) == 0 || (names[i].sign && strcmp(names[i].sign, text) == 0))
            return (enum pat_op)i;
    return PAT_OP_NONE;
}

bool pat_op_again(enum pat_op op)
{
    return op == PAT_OP_MIN || op == PAT_OP_MAX || op == PAT_OP_AND || op == PAT_OP_OR;
}

bool pat_alike(const struct pat_binary *a, const struct pat_binary *b)
{
    return a->op == b->op && a->as == b->as && a->is_unsigned == b->is_unsigned && a->packed == b->packed &&
           a->round == b->round;
}

/* What an end of the range of a number looks like; `largest`: the upper one. */
static bool is_end(const struct pat_binary *like, uint64_t bits, bool largest)
{
    switch (like->as) {
    case UOP_F32: return bits == (largest ? 0x7f800000 : 0xff800000) || bits == (largest ? 0x7f7fffff : 0xff7fffff);
    case UOP_F64:
        return (bits & INT64_MAX) >= UINT64_C(0x7fefffffffffffff) &&
               (bits & INT64_MAX) <= UINT64_C(0x7ff0000000000000) && (bits >> 63 == 0) == largest;
    case UOP_F16: return bits == (largest ? 0x7c00 : 0xfc00) || bits == (largest ? 0x7bff : 0xfbff);
    case UOP_BF16: return bits == (largest ? 0x7f80 : 0xff80) || bits == (largest ? 0x7f7f : 0xff7f);
    case UOP_B32:
        return like->is_unsigned ? bits == (largest ? UINT32_MAX : 0)
                                 : bits == (largest ? INT32_MAX : UINT32_C(1) << 31);
    case UOP_B64:
        return like->is_unsigned ? bits == (largest ? UINT64_MAX : 0)
                                 : bits == (largest ? (uint64_t)INT64_MAX : UINT64_C(1) << 63);
    default: return false;
    }
}

static bool is_one(enum uop_type as, uint64_t bits)
{
    switch (as) {
    case UOP_F32: return bits == 0x3f800000;
    case UOP_F64: return bits == UINT64_C(0x3ff0000000000000);
    case UOP_F16: return bits == 0x3c00;
    case UOP_BF16: return bits == 0x3f80;
    default: return bits == 1;
    }
}

bool pat_is_neutral(const struct graph *g, const struct pat_binary *like, graph_id node)
{
    uint64_t bits;
    if (!graph_is_const(g, node, &bits))
        return false;
    unsigned width = uop_type_bits(like->as);
    if (like->packed) {
        if ((bits & UINT16_MAX) != (bits >> 16 & UINT16_MAX))
            return false;
        bits &= UINT16_MAX;
    } else if (width && width < 64) {
        bits &= (UINT64_C(1) << width) - 1;
    }
    switch (like->op) {
    case PAT_OP_ADD: return bits == 0 || (pat_is_float(like->as) && width && bits == UINT64_C(1) << (width - 1));
    case PAT_OP_MUL: return is_one(like->as, bits);
    case PAT_OP_OR:
    case PAT_OP_XOR: return bits == 0;
    case PAT_OP_AND: return bits == (width == 64 ? UINT64_MAX : UINT32_MAX);
    case PAT_OP_MIN: return is_end(like, bits, true);
    case PAT_OP_MAX: return is_end(like, bits, false);
    default: return false;
    }
}

graph_id pat_neutral(struct graph *g, const struct pat_binary *like)
{
    static const uint64_t tried[] = {0, /* sums, smallest unsigned number */
                                     1, /* products of integers */
                                     0x3f800000, 0x3ff0000000000000, 0x3c00,
                                     0x3f80, /* of floats: 1 */
                                     0xff800000, 0xfff0000000000000, 0xfc00,
                                     0xff80, /* ends of the ranges: floats, signed integers, unsigned ones */
                                     0x7f800000, 0x7ff0000000000000, 0x7c00,
                                     0x7f80,     0x80000000,         0x8000000000000000,
                                     0x7fffffff, 0x7fffffffffffffff, 0xffffffff,
                                     UINT64_MAX};
    unsigned width = uop_type_bits(like->as);
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        if (width < 64 && tried[i] >> width)
            continue;
        graph_id id = graph_const(g, width > 32 ? UOP_B64 : UOP_B32, tried[i]);
        if (!like->packed && pat_is_neutral(g, like, id))
            return id;
    }
    return GRAPH_NIL;
}

static enum pat_op plain_op(const struct graph_node *n)
{
    switch (n->kind) {
    case UOP_ADD:
    case UOP_FADD: return PAT_OP_ADD;
    case UOP_MUL:
    case UOP_FMUL: return PAT_OP_MUL;
    case UOP_AND: return PAT_OP_AND;
    case UOP_OR: return PAT_OP_OR;
    case UOP_XOR: return PAT_OP_XOR;
    default: return PAT_OP_NONE;
    }
}

/* The value whose low (high) half a node is; NIL: none. */
static graph_id whole_of(const struct graph *g, graph_id node, bool high)
{
    const struct graph_node *n = graph_at(g, node);
    return n->kind == (high ? UOP_HI : UOP_LO) ? n->arg[0] : GRAPH_NIL;
}

/* Two halves that are worked on alike: {op(lo a, lo b), op(hi a, hi b)}. */
static bool packed_of(struct pat_index *x, const struct graph_node *n, struct pat_binary *out)
{
    struct pat_binary lo, hi;
    struct graph *g = x->g;
    if (graph_at(g, n->arg[0])->kind == UOP_PAIR || graph_at(g, n->arg[1])->kind == UOP_PAIR ||
        !pat_binary_of(x, n->arg[0], &lo) || !pat_binary_of(x, n->arg[1], &hi) || !pat_alike(&lo, &hi))
        return false;
    graph_id a = whole_of(g, lo.a, false), b = whole_of(g, lo.b, false);
    graph_id c = whole_of(g, hi.a, true), d = whole_of(g, hi.b, true);
    if (!a || !b || !((a == c && b == d) || (a == d && b == c)))
        return false;
    *out = (struct pat_binary){lo.op, a, b, lo.exact && hi.exact, lo.as, lo.is_unsigned, true, lo.round, GRAPH_NIL};
    return true;
}

/* A sum that was contracted with the product at an expansion's end: exp(a) + b, not that product. */
static bool expanded_of(struct pat_index *x, graph_id node, struct pat_binary *out)
{
    const struct pat_reading *r = pat_reading_of(x, node);
    const struct graph_node *n = r && r->closed ? graph_at(x->g, r->as) : NULL;
    if (!n || n->kind != UOP_FADD)
        return false;
    *out = (struct pat_binary){.op = PAT_OP_ADD,
                               .a = n->arg[0],
                               .b = n->arg[1],
                               .exact = true,
                               .as = (enum uop_type)n->type,
                               .round = graph_at(x->g, node)->round,
                               .read = node};
    return true;
}

bool pat_binary_of(struct pat_index *x, graph_id node, struct pat_binary *out)
{
    const struct graph_node *n = graph_at(x->g, node);
    if (n->kind == UOP_PAIR)
        return packed_of(x, n, out);
    if (n->flags & (UOP_SAT | UOP_RELU))
        return false;
    if (n->kind == UOP_FFMA)
        return expanded_of(x, node, out);
    enum pat_op op = plain_op(n);
    if (op != PAT_OP_NONE) {
        *out = (struct pat_binary){op,    n->arg[0], n->arg[1], true,     (enum uop_type)n->type,
                                   false, false,     n->round,  GRAPH_NIL};
        return true;
    }
    if (n->kind != UOP_SELECT && n->kind != UOP_FMIN && n->kind != UOP_FMAX &&
        !(n->kind >= UOP_MIN_S && n->kind <= UOP_MAX_U))
        return false;
    struct pat_minmax v;
    uint8_t fresh = 0, *known = node < x->count ? &x->minmax[node] : &fresh;
    if (!pat_minmax_known(x->g, node, known, &v))
        return false;
    *out = (struct pat_binary){
        v.maximum ? PAT_OP_MAX : PAT_OP_MIN, v.a, v.b, v.exact, v.as, v.is_unsigned, false, 0, GRAPH_NIL};
    return true;
}

bool pat_is_op(struct pat_index *x, graph_id node, enum pat_op op, graph_id a, graph_id b)
{
    struct pat_binary v;
    if (pat_binary_of(x, node, &v) && v.op == op && ((v.a == a && v.b == b) || (v.a == b && v.b == a)))
        return true;
    const struct graph_node n = *graph_at(x->g, node);
    return op == PAT_OP_ADD && n.kind == UOP_ADD && graph_op2(x->g, UOP_ADD, (enum uop_type)n.type, a, b) == node;
}
