/* How machines keep an approximation away from subnormals and infinities: its argument is scaled where it would be too
 * small (or too large), and the result is scaled back. Such a group is the one function its middle is of, for real
 * numbers:
 *
 *   m < -126 ? e * e : e             with e = exp2(m < -126 ? m * 0.5 : m)                      exp2(m)
 *   |x| < 2^-126 ? l - 24 : l        with l = log2(|x| < 2^-126 ? x * 2^24 : x)                 log2(x)
 *   |x| < 2^-126 ? r * 4096 : r      with r = rsqrt(|x| < 2^-126 ? x * 2^24 : x)                rsqrt(x), sqrt(x)
 *   (p ? y * k : y) * rcp(p ? x * k : x)      (y * k may be a constant)                         y * rcp(x)
 *   k * rcp(x * k)                   with k chosen among constants                              rcp(x)
 *   a product of that sort, contracted with a sum                                               y / x + c
 *
 * And the logarithms that machines have only in base 2: log2(x) times ln 2 or log10 2; sine and cosine, of turns.
 *
 * Only constants that cancel are taken. Requires a built graph; gives a node over other values, or nothing. */
#include "pattern/pat_internal.h"

#include <string.h>

struct guard {
    struct graph *g;
    graph_id *inner;
    unsigned *count;
};

static void enter(struct guard *u, graph_id id)
{
    if (*u->count < PAT_GUARD_INNER)
        u->inner[(*u->count)++] = id;
}

static bool constant(const struct graph *g, graph_id id, enum uop_type type, double *out)
{
    uint64_t bits;
    if (!graph_is_const(g, id, &bits))
        return false;
    if (type == UOP_F64) {
        memcpy(out, &bits, sizeof *out);
        return true;
    }
    uint32_t w = (uint32_t)bits;
    float f;
    memcpy(&f, &w, sizeof f);
    *out = (double)f;
    return type == UOP_F32;
}

/* `id` is when ? x * k : x (or x + k). */
static bool scaled(const struct guard *u, graph_id id, unsigned kind, graph_id *when, graph_id *x, double *k)
{
    const struct graph *g = u->g;
    const struct graph_node *n = graph_at(g, id);
    if (n->kind != UOP_SELECT)
        return false;
    const struct graph_node *m = graph_at(g, n->arg[1]);
    if (m->kind != kind || m->arg_count != 2 || m->arg[0] != n->arg[2] ||
        !constant(g, m->arg[1], (enum uop_type)m->type, k))
        return false;
    *when = n->arg[0];
    *x = n->arg[2];
    return true;
}

static graph_id plain(struct graph *g, const struct graph_node *like, graph_id x)
{
    struct graph_node n = {
        .kind = like->kind, .type = like->type, .flags = like->flags, .arg_count = 1, .arg = {x}, .insn = UINT32_MAX};
    return graph_fresh(g, &n);
}

/* exp2, log2, rsqrt, sqrt with their result scaled back under the same condition. */
static graph_id unary_of(struct guard *u, const struct graph_node *n)
{
    struct graph *g = u->g;
    graph_id when, x, middle = n->arg[2];
    double k, back;
    const struct graph_node f = *graph_at(g, middle), outer = *graph_at(g, n->arg[1]);
    if (f.arg_count != 1 || !scaled(u, f.arg[0], UOP_FMUL, &when, &x, &k) || when != n->arg[0])
        return GRAPH_NIL;
    bool fits = false;
    if (outer.kind == UOP_FMUL && f.kind == UOP_EX2 && outer.arg[0] == middle && outer.arg[1] == middle)
        fits = k == 0.5;
    else if (outer.arg_count == 2 && outer.arg[0] == middle &&
             constant(g, outer.arg[1], (enum uop_type)outer.type, &back)) {
        if (f.kind == UOP_LG2 && outer.kind == UOP_FADD)
            fits = (k == 16777216.0 && back == -24.0) || (k == 8388608.0 && back == -23.0);
        else if (f.kind == UOP_RSQ && outer.kind == UOP_FMUL)
            fits = back > 0 && back * back == k;
        else if (f.kind == UOP_SQRT && outer.kind == UOP_FMUL)
            fits = back > 0 && back * back * k == 1.0;
    }
    if (!fits)
        return GRAPH_NIL;
    enter(u, n->arg[1]);
    enter(u, middle);
    enter(u, f.arg[0]);
    enter(u, graph_at(g, f.arg[0])->arg[1]);
    enter(u, n->arg[0]);
    return plain(g, &f, x);
}

/* `id` is when ? c * k : c, both as constants. */
static bool scaled_constant(const struct guard *u, graph_id id, graph_id when, double k, graph_id *c)
{
    const struct graph_node *n = graph_at(u->g, id);
    double large, small;
    if (n->kind != UOP_SELECT || n->arg[0] != when || !constant(u->g, n->arg[1], UOP_F32, &large) ||
        !constant(u->g, n->arg[2], UOP_F32, &small) || large != small * k)
        return false;
    *c = n->arg[2];
    return true;
}

/* Only constants, chosen by conditions. */
static bool is_scale(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    double k;
    if (n->kind == UOP_SELECT && depth < 3)
        return is_scale(g, n->arg[1], depth + 1) && is_scale(g, n->arg[2], depth + 1);
    return constant(g, id, UOP_F32, &k) && k > 0;
}

static graph_id product_of(struct guard *u, const struct graph_node *n)
{
    struct graph *g = u->g;
    for (unsigned side = 0; side < 2; side++) {
        graph_id y = n->arg[1 - side], r = n->arg[side];
        const struct graph_node f = *graph_at(g, r);
        if (f.kind != UOP_RCP)
            continue;
        graph_id x = f.arg[0], when[2], inner[2];
        double k[2];
        const struct graph_node under = *graph_at(g, x);
        if (under.kind == UOP_FMUL && (under.arg[0] == y || under.arg[1] == y) && graph_at(g, y)->kind == UOP_SELECT &&
            is_scale(g, y, 0)) {
            enter(u, r);
            enter(u, x);
            enter(u, y);
            enter(u, graph_at(g, y)->arg[0]);
            return plain(g, &f, under.arg[under.arg[0] == y]);
        }
        unsigned taken = 0;
        while (taken < 4 && scaled(u, x, UOP_FMUL, &when[0], &inner[0], &k[0])) {
            bool fixed = scaled_constant(u, y, when[0], k[0], &inner[1]);
            if (!fixed && (!scaled(u, y, UOP_FMUL, &when[1], &inner[1], &k[1]) || when[0] != when[1] || k[0] != k[1]))
                break;
            enter(u, x);
            enter(u, y);
            enter(u, graph_at(g, x)->arg[1]);
            if (!fixed)
                enter(u, graph_at(g, y)->arg[1]);
            enter(u, when[0]);
            x = inner[0];
            y = inner[1];
            taken++;
        }
        if (!taken)
            continue;
        enter(u, r);
        struct graph_node product = *n;
        product.arg[0] = y;
        product.arg[1] = plain(g, &f, x);
        return graph_fresh(g, &product);
    }
    return GRAPH_NIL;
}

/* The product that scales back, contracted with a sum: y / x + c. */
static graph_id sum_of(struct guard *u, const struct graph_node *n)
{
    struct graph *g = u->g;
    struct graph_node product = *n, quotient = {.kind = GRAPH_REAL, .imm = GRAPH_DIV}, sum = *n;
    product.kind = UOP_FMUL;
    product.arg_count = 2;
    product.arg[2] = GRAPH_NIL;
    graph_id plain_product = product_of(u, &product);
    if (plain_product == GRAPH_NIL || graph_at(g, plain_product)->kind != UOP_FMUL)
        return GRAPH_NIL;
    const struct graph_node made = *graph_at(g, plain_product);
    quotient.type = n->type;
    quotient.arg_count = 2;
    quotient.arg[0] = made.arg[0];
    quotient.arg[1] = graph_at(g, made.arg[1])->arg[0];
    quotient.insn = UINT32_MAX;
    sum.kind = UOP_FADD;
    sum.arg_count = 2;
    sum.arg[0] = graph_fresh(g, &quotient);
    sum.arg[1] = n->arg[2];
    sum.arg[2] = GRAPH_NIL;
    return graph_fresh(g, &sum);
}

bool pat_logarithm(struct graph *g, graph_id node, graph_id *x, unsigned *function)
{
    const struct graph_node *n = graph_at(g, node);
    uint64_t bits;
    if (n->kind != UOP_FMUL || n->type != UOP_F32 || !graph_is_const(g, n->arg[1], &bits) ||
        (n->flags & (UOP_SAT | UOP_RELU)))
        return false;
    *x = n->arg[0];
    *function = bits == 0x3f317218 ? GRAPH_LOG : bits == 0x3e9a209b ? GRAPH_LOG10 : GRAPH_FUNCTIONS;
    return *function != GRAPH_FUNCTIONS;
}

bool pat_sine(struct graph *g, graph_id node, graph_id *x, unsigned *function)
{
    const struct graph_node *n = graph_at(g, node), *m = graph_at(g, n->arg[0]);
    uint64_t bits;
    if ((n->kind != UOP_SIN && n->kind != UOP_COS) || m->kind != UOP_FMUL || m->type != UOP_F32 ||
        !graph_is_const(g, m->arg[1], &bits) || (bits & 0x7fffffff) != 0x3e22f983 || (m->flags & (UOP_SAT | UOP_RELU)))
        return false;
    *x = m->arg[0];
    *function = n->kind == UOP_SIN ? GRAPH_SIN : GRAPH_COS;
    return bits == 0x3e22f983 || n->kind == UOP_COS; /* a turned sign turns the sine */
}

bool pat_guarded(struct graph *g, graph_id node, graph_id *as, graph_id inner[PAT_GUARD_INNER], unsigned *inner_count)
{
    struct guard u = {g, inner, inner_count};
    const struct graph_node n = *graph_at(g, node);
    *inner_count = 0;
    *as = GRAPH_NIL;
    if (n.kind == UOP_SELECT)
        *as = unary_of(&u, &n);
    else if (n.kind == UOP_FFMA && n.type == UOP_F32 && !(n.flags & (UOP_SAT | UOP_RELU)))
        *as = sum_of(&u, &n);
    else if (n.kind == UOP_FMUL && !(n.flags & (UOP_SAT | UOP_RELU)))
        *as = product_of(&u, &n);
    return *as != GRAPH_NIL;
}
