/* Special values of the float formats and evaluation of nodes on them, all through the one evaluator
 * (uop_eval). Two floats that compare, order and take signs alike for every pair of these values do so for
 * all: NaN, zeros of both signs, subnormals, finite numbers and infinities are the classes that comparing,
 * selecting, min and max can tell apart. */
#include "pattern/pat_internal.h"

#include <stdlib.h>
#include <string.h>

bool pat_is_float(enum uop_type type)
{
    return type == UOP_F16 || type == UOP_BF16 || type == UOP_F32 || type == UOP_F64;
}

struct format {
    unsigned exponent, mantissa; /* bits */
};

static struct format format_of(enum uop_type type)
{
    switch (type) {
    case UOP_F16: return (struct format){5, 10};
    case UOP_BF16: return (struct format){8, 7};
    case UOP_F64: return (struct format){11, 52};
    default: return (struct format){8, 23};
    }
}

static uint64_t sign_of(struct format f)
{
    return UINT64_C(1) << (f.exponent + f.mantissa);
}

static uint64_t infinity(struct format f)
{
    return ((UINT64_C(1) << f.exponent) - 1) << f.mantissa;
}

uint64_t pat_special(enum uop_type type, unsigned k)
{
    struct format f = format_of(type);
    uint64_t sign = sign_of(f), inf = infinity(f);
    uint64_t one = ((UINT64_C(1) << (f.exponent - 1)) - 1) << f.mantissa;
    const uint64_t list[PAT_SPECIALS] = {
        sign - 1, 0, sign, 1, one, one | sign, one + (UINT64_C(1) << f.mantissa), 2, 1 | sign, inf, inf | sign,
    };
    return list[k < PAT_SPECIALS ? k : 0];
}

bool pat_is_nan(enum uop_type type, uint64_t bits)
{
    struct format f = format_of(type);
    return (bits & (sign_of(f) - 1)) > infinity(f);
}

bool pat_is_zero(enum uop_type type, uint64_t bits)
{
    return (bits & (sign_of(format_of(type)) - 1)) == 0;
}

bool pat_is_subnormal(enum uop_type type, uint64_t bits)
{
    struct format f = format_of(type);
    uint64_t magnitude = bits & (sign_of(f) - 1);
    return magnitude != 0 && magnitude < UINT64_C(1) << f.mantissa;
}

bool pat_same(enum uop_type type, uint64_t x, uint64_t y)
{
    return x == y || (pat_is_float(type) && pat_is_nan(type, x) && pat_is_nan(type, y));
}

/* `op`: graph_operation() of a node with `count` arguments. */
static bool eval_operation(const struct uop *op, const uint64_t *args, unsigned count, uint64_t *result)
{
    if (op->kind == GRAPH_BOOL) {
        unsigned row = 0;
        for (unsigned i = 0; i < count; i++)
            row |= (unsigned)(args[i] & 1) << i;
        *result = op->imm >> row & 1;
        return true;
    }
    return op->kind < UOP_GRAPH_KINDS && uop_eval(op, args, result);
}

bool pat_eval_node(const struct graph *g, graph_id node, const uint64_t *args, uint64_t *result)
{
    const struct graph_node *n = graph_at(g, node);
    struct uop op = graph_operation(n);
    return eval_operation(&op, args, n->arg_count, result);
}

bool pat_eval_select(const struct graph *g, graph_id node, const struct pat_minmax *v, uint64_t x, uint64_t y,
                     uint64_t *result)
{
    const struct graph_node *n = graph_at(g, node), *compare = graph_at(g, n->arg[0]);
    uint64_t args[2], truth;
    bool sides = compare->arg_count == 2 && (compare->arg[0] == v->a || compare->arg[0] == v->b) &&
                 (compare->arg[1] == v->a || compare->arg[1] == v->b);
    if (!sides) /* a min or max spelled out with several compares */
        return false;
    for (int i = 0; i < 2; i++)
        args[i] = compare->arg[i] == v->a ? x : y;
    if (!pat_eval_node(g, n->arg[0], args, &truth))
        return false;
    *result = n->arg[truth ? 1 : 2] == v->a ? x : y;
    return true;
}

uint64_t pat_eval_minmax(enum uop_type type, bool maximum, unsigned flags, uint64_t x, uint64_t y)
{
    struct uop op = {.kind = maximum ? UOP_FMAX : UOP_FMIN, .type = (uint8_t)type, .flags = (uint8_t)flags};
    uint64_t result = 0;
    uop_eval(&op, (uint64_t[]){x, y}, &result);
    return result;
}

/* ---- whole expressions ------------------------------------------------------------------------ */

enum { ARGS = UOP_MAX_ARGS + 1 };

static int by_number(const void *a, const void *b)
{
    graph_id x = *(const graph_id *)a, y = *(const graph_id *)b;
    return (x > y) - (x < y);
}

/* Collects what the roots are made of, down to the leaves. */
static bool collect(struct pat_tape *t, graph_id node, const graph_id *leaves, unsigned leaf_count,
                    struct map_u64 *seen, unsigned depth)
{
    uint32_t known;
    if (map_u64_get(seen, node, &known))
        return true;
    if (t->count == PAT_TAPE_MAX || depth > PAT_TAPE_MAX || !map_u64_put(t->a, seen, node, 1))
        return false;
    t->node[t->count++] = node;
    for (unsigned i = 0; i < leaf_count; i++)
        if (leaves[i] == node)
            return true;
    if (graph_is_const(t->g, node, NULL))
        return true;
    const struct graph_node *n = graph_at(t->g, node);
    if (!pat_is_pure(n))
        return false;
    for (unsigned i = 0; i < n->arg_count; i++)
        if (!collect(t, n->arg[i], leaves, leaf_count, seen, depth + 1))
            return false;
    return true;
}

static unsigned slot_of(const struct pat_tape *t, graph_id node)
{
    const graph_id *at = bsearch(&node, t->node, t->count, sizeof t->node[0], by_number);
    return at ? (unsigned)(at - t->node) : PAT_TAPE_MAX;
}

bool pat_tape_build(struct pat_tape *t, struct arena *a, const struct graph *g, const graph_id *roots,
                    unsigned root_count, const graph_id *leaves, unsigned leaf_count)
{
    struct map_u64 seen = {0};
    t->g = g; /* what stands behind the count is set when it is taken */
    t->a = a;
    t->count = 0;
    t->reciprocal = 0;
    for (unsigned i = 0; i < root_count; i++)
        if (!collect(t, roots[i], leaves, leaf_count, &seen, 0))
            return false;
    /* Arguments have smaller numbers than their users, so ascending order is an order of work. */
    qsort(t->node, t->count, sizeof t->node[0], by_number);
    for (unsigned i = 0; i < t->count; i++) {
        const struct graph_node *n = graph_at(g, t->node[i]);
        t->value[i] = 0;
        t->computed[i] = !graph_is_const(g, t->node[i], &t->value[i]);
        for (unsigned k = 0; k < leaf_count; k++)
            t->computed[i] &= leaves[k] != t->node[i];
        for (unsigned k = 0; k < n->arg_count && t->computed[i]; k++)
            t->arg[i][k] = (uint16_t)slot_of(t, n->arg[k]);
        t->op[i] = graph_operation(n);
    }
    return true;
}

void pat_tape_give(struct pat_tape *t, graph_id leaf, uint64_t bits)
{
    unsigned slot = slot_of(t, leaf);
    if (slot < t->count)
        t->value[slot] = bits;
}

static uint64_t stand_in(const struct graph_node *n, const uint64_t *args)
{
    enum uop_type as = (enum uop_type)n->type;
    unsigned width = uop_type_bits(as);
    uint64_t mixed = n->kind, mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    for (unsigned i = 0; i < n->arg_count; i++) {
        if (pat_is_float(as) && pat_is_nan(as, args[i]))
            return pat_special(as, PAT_SPECIAL_NAN);
        mixed = map_hash_mix(mixed, args[i]);
    }
    mixed &= mask;
    return pat_is_float(as) && pat_is_nan(as, mixed) ? pat_special(as, PAT_SPECIAL_ONE) : mixed;
}

/* 1 / x as an approximate reciprocal may give it: a unit in the last place off, either way. */
static uint64_t reciprocal(const struct pat_tape *t, uint64_t bits)
{
    float x;
    uint32_t w = (uint32_t)bits;
    memcpy(&x, &w, sizeof x);
    x = 1.0f / x;
    memcpy(&w, &x, sizeof w);
    return pat_is_zero(UOP_F32, w) || (w & 0x7f800000) == 0x7f800000 ? w
                                                                     : w + (uint32_t)(t->reciprocal - PAT_RECIPROCAL);
}

void pat_tape_run(struct pat_tape *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        const struct graph_node *n = graph_at(t->g, t->node[i]);
        uint64_t args[ARGS] = {0};
        if (!t->computed[i])
            continue;
        for (unsigned k = 0; k < n->arg_count; k++)
            args[k] = t->value[t->arg[i][k]];
        if (eval_operation(&t->op[i], args, n->arg_count, &t->value[i]))
            continue;
        t->value[i] =
            t->reciprocal && n->kind == UOP_RCP && n->type == UOP_F32 ? reciprocal(t, args[0]) : stand_in(n, args);
    }
}

uint64_t pat_tape_value(const struct pat_tape *t, graph_id node)
{
    unsigned slot = slot_of(t, node);
    return slot < t->count ? t->value[slot] : 0;
}
