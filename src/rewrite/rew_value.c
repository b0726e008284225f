/* What nodes compute, as functions of real numbers: a number for each node, equal on both sides of a compiler where
 * the two compute the same however they round it.
 *
 * Floats are evaluated in the field of integers modulo 2^61 - 1: what is not arithmetic gets a pseudo-random element,
 * sums, products and quotients are computed. Constants are fractions of powers of two and have exact elements there, so
 * every identity of real arithmetic holds (a fused multiply-add is a product and a sum, a / b is a * rcp(b)) and two
 * different rational functions meet with a probability of 2^-50 or so. Integers are evaluated modulo 2^64. Everything
 * else is hashed over its arguments. Memory is left out of account: a load is its address. A value that goes round a
 * loop is what it starts as.
 *
 * requires: a graph with its expansions · gives: struct rew_values */
#include "rewrite/rew_internal.h"

#include "graph/graph_cycle.h"

#include <math.h>
#include <string.h>

#define PRIME ((UINT64_C(1) << 61) - 1)
enum { READ_AGAIN = 4 }; /* passes at most: what an expansion computes may stand on another's result */

struct work {
    const struct graph *g;
    uint64_t *of, *field, *before;
    const uint64_t *bits;
    bool *is_float, *turns;
};

static uint64_t add(uint64_t a, uint64_t b)
{
    return (a + b) % PRIME;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % PRIME);
}

static uint64_t negative(uint64_t a)
{
    return a ? PRIME - a : 0;
}

static uint64_t inverse(uint64_t a)
{
    uint64_t r = 1;
    for (uint64_t e = PRIME - 2; e; e >>= 1, a = times(a, a))
        if (e & 1)
            r = times(r, a);
    return r;
}

/* A finite constant as an element: its significand times a power of two, of which the 61st is 1. */
static bool element_of(enum uop_type type, uint64_t bits, uint64_t *out)
{
    struct uop widen = {.kind = UOP_F2F, .type = UOP_F64, .imm = type};
    double value;
    int exponent;
    if (type != UOP_F64 && !uop_eval(&widen, &bits, &bits))
        return false;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
        return false;
    double fraction = frexp(fabs(value), &exponent);
    uint64_t significand = (uint64_t)ldexp(fraction, 53);
    *out = times(significand % PRIME, UINT64_C(1) << (unsigned)(((exponent - 53) % 61 + 61) % 61));
    if (value < 0)
        *out = negative(*out);
    return true;
}

static bool is_float_type(unsigned type)
{
    return type == UOP_F16 || type == UOP_BF16 || type == UOP_F32 || type == UOP_F64;
}

/* A node read as a float of some format. */
static uint64_t element(const struct work *w, graph_id id, unsigned type)
{
    const struct graph_node *n = graph_at(w->g, id);
    uint64_t e;
    if (w->is_float[id])
        return w->field[id];
    if (n->kind == UOP_CONST && is_float_type(type) && element_of((enum uop_type)type, n->imm, &e))
        return e;
    return w->of[id] % PRIME;
}

/* 1 / x. The reciprocal of a constant is a constant to every compiler: rounded once. */
static uint64_t reciprocal(const struct work *w, graph_id id, unsigned type, uint64_t x)
{
    struct uop widen = {.kind = UOP_F2F, .type = UOP_F64, .imm = type};
    const struct graph_node *n = graph_at(w->g, id);
    uint64_t bits = n->imm, e;
    double value;
    if (n->kind != UOP_CONST || (type != UOP_F32 && type != UOP_F64) ||
        (type == UOP_F32 && !uop_eval(&widen, &bits, &bits)))
        return inverse(x);
    memcpy(&value, &bits, sizeof value);
    value = type == UOP_F32 ? (double)(float)(1 / value) : 1 / value;
    memcpy(&bits, &value, sizeof bits);
    return value != 0 && element_of(UOP_F64, bits, &e) ? e : inverse(x);
}

static uint64_t apply(unsigned what, uint64_t a)
{
    return map_hash_mix(map_hash_mix(0x5265616c, what), a) % PRIME;
}

static uint64_t either_order(uint64_t tag, uint64_t a, uint64_t b)
{
    return map_hash_mix(tag, map_hash_mix(a < b ? a : b, a < b ? b : a));
}

/* ---- truth ----------------------------------------------------------------------------------- */

static uint64_t table_value(const uint64_t *of, const graph_id *atoms, unsigned count, uint64_t table)
{
    unsigned place[6];
    uint64_t moved = 0, h;
    if (count == 1 && (table & 3) == 2)
        return of[atoms[0]];
    for (unsigned i = 0; i < count; i++) {
        place[i] = 0;
        for (unsigned k = 0; k < count; k++)
            place[i] += of[atoms[k]] < of[atoms[i]] || (of[atoms[k]] == of[atoms[i]] && k < i);
    }
    for (unsigned row = 0; row < 1u << count; row++) {
        unsigned to = 0;
        for (unsigned i = 0; i < count; i++)
            to |= (row >> i & 1) << place[i];
        moved |= (table >> row & 1) << to;
    }
    h = map_hash_mix(GRAPH_BOOL, count);
    for (unsigned p = 0; p < count; p++)
        for (unsigned i = 0; i < count; i++)
            if (place[i] == p)
                h = map_hash_mix(h, of[atoms[i]]);
    return map_hash_mix(h, moved);
}

uint64_t rew_truth(const struct graph *g, const struct rew_values *v, graph_id id, bool opposite)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (!opposite)
        return v->of[id];
    if (!graph_table(g, id, atoms, &count, &table))
        return map_hash_mix(v->of[id], UOP_NOT);
    uint64_t all = count == 6 ? UINT64_MAX : (UINT64_C(1) << (1u << count)) - 1;
    return table_value(v->of, atoms, count, ~table & all);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool is_cluster_term(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_SREG)
        return n->imm == UOP_SR_CGA_CTAID;
    for (unsigned i = 0; i < n->arg_count && depth < 3; i++)
        if (is_cluster_term(g, n->arg[i], depth + 1))
            return true;
    return false;
}

/* An address in shared memory without the block's place in its cluster, which some machines add with 0x400 reserved
 * bytes. */
uint64_t rew_address(const struct graph *g, const uint64_t *of, unsigned space, graph_id address)
{
    struct graph_affine f;
    uint64_t sum = 0;
    if (space != UOP_SHARED || !graph_affine(g, address, &f))
        return of[address];
    for (unsigned i = 0; i < f.term_count; i++) {
        if (is_cluster_term(g, f.terms[i].term, 0))
            f.offset -= 0x400;
        else
            sum += of[f.terms[i].term] * (uint64_t)f.terms[i].coefficient;
    }
    return sum + (uint64_t)f.offset + (f.base ? of[f.base] : 0);
}

static uint64_t loaded(const struct work *w, const struct graph_node *n, uint64_t at, unsigned width)
{
    unsigned space = n->space == UOP_GENERIC ? UOP_GLOBAL : n->space;
    uint64_t h = map_hash_mix(map_hash_mix(UOP_LOAD, space), rew_address(w->g, w->of, n->space, n->arg[0]) + at);
    return map_hash_mix(h, width | (width < 4 ? (uint64_t)(n->flags & UOP_SIGNED) << 8 : 0));
}

/* A byte or half word that was loaded, widened in some way: the load, with the sign it then has; GRAPH_NIL. */
static bool widened_load(const struct work *w, const struct graph_node *n, uint64_t *out)
{
    uint64_t mask = 0;
    unsigned bits = n->kind == UOP_AND ? 0 : (unsigned)n->imm;
    graph_id x = n->arg[0];
    if (n->kind == UOP_AND) {
        if (!graph_is_const(w->g, n->arg[1], &mask) || (mask != 0xff && mask != 0xffff))
            return false;
        bits = mask == 0xff ? 8 : 16;
    }
    while (graph_at(w->g, x)->kind == UOP_LO || graph_at(w->g, x)->kind == UOP_ZEXT)
        x = graph_at(w->g, x)->arg[0];
    const struct graph_node *load = graph_at(w->g, x);
    if (load->kind != UOP_LOAD || load->width > 2 || load->width * 8u > bits)
        return false;
    struct graph_node as = *load;
    bool extends = n->kind == UOP_SEXT && load->width * 8u == bits;
    if (as.flags & UOP_SIGNED && !extends && n->kind != UOP_SEXT)
        return false;
    if (extends)
        as.flags |= UOP_SIGNED;
    *out = loaded(w, &as, 0, as.width);
    return true;
}

/* An integer as a float: of a byte or half word what it is as a number, however many bits are said to be read. */
static uint64_t of_integer(const struct work *w, const struct graph_node *n)
{
    struct graph_node widened = *n;
    bool sign = n->flags & UOP_SIGNED && n->imm && n->imm <= 64 && w->bits[n->arg[0]] >> (n->imm - 1) & 1;
    uint64_t v = w->of[n->arg[0]];
    widened.kind = n->flags & UOP_SIGNED ? UOP_SEXT : UOP_ZEXT;
    if (n->imm < 32 && !widened_load(w, &widened, &v))
        v = map_hash_mix(v, n->imm);
    return map_hash_mix(map_hash_mix(UOP_I2F, n->type | (uint64_t)sign << 8), v);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint64_t hashed(const struct work *w, const struct graph_node *n)
{
    const struct graph_env *env = w->g->env;
    uint64_t imm = n->imm;
    if (n->kind == UOP_CBANK && n->space == 0 && env && imm >= env->param_base)
        imm = imm - env->param_base + (UINT64_C(1) << 32); /* a parameter, wherever the bank has it */
    if (n->kind == UOP_CBANK && n->space == 4)
        imm = 0; /* addresses of variables: numbered by each side for itself */
    if (n->kind == GRAPH_RESULT)
        imm = 0;
    if (n->kind == UOP_ATOM) /* address and operand; what else a machine wants is its own */
        return map_hash_mix(map_hash_mix(UOP_ATOM, w->of[n->arg[0]]), n->arg_count > 1 ? w->of[n->arg[1]] : 0);
    uint64_t h = map_hash_mix(n->kind, imm);
    if (uop_commutes((enum uop_kind)n->kind) && n->arg_count == 2)
        return either_order(h, w->of[n->arg[0]], w->of[n->arg[1]]);
    for (unsigned i = 0; i < n->arg_count; i++)
        h = map_hash_mix(h, w->of[n->arg[i]]);
    return h;
}

struct bits {            /* of an integer */
    uint64_t value, may; /* may: bits that may be set */
    bool fixed;          /* … and are */
};

static struct bits operand(const struct work *w, graph_id id)
{
    return (struct bits){w->of[id], w->bits[id], graph_at(w->g, id)->kind == UOP_CONST};
}

static struct bits bitwise(unsigned kind, struct bits a, struct bits b)
{
    struct bits out = {.may = kind == UOP_AND ? a.may & b.may : a.may | b.may};
    if (kind == UOP_AND && b.fixed && !(a.may & ~b.may))
        out.value = a.value; /* what is cut off was zero */
    else if (kind == UOP_AND && a.fixed && !(b.may & ~a.may))
        out.value = b.value;
    else if (kind != UOP_AND && !(a.may & b.may))
        out.value = a.value + b.value;
    else
        out.value = either_order(map_hash_mix(kind, 0), a.value, b.value);
    return out;
}

static uint64_t of_table(const struct work *w, const struct graph_node *n)
{
    struct rew_nested t;
    if (!rew_read_table(n->imm, &t))
        return hashed(w, n);
    struct bits both = bitwise(t.inner, operand(w, n->arg[t.arg[1]]), operand(w, n->arg[t.arg[2]]));
    return bitwise(t.outer, operand(w, n->arg[t.arg[0]]), both).value;
}

static uint64_t phi_value(const struct work *w, graph_id id)
{
    const struct graph_node *n = graph_at(w->g, id);
    bool loop = graph_is_loop_phi(w->g, id);
    uint64_t h = map_hash_mix(GRAPH_PHI, loop), sum = 0, last = 0;
    for (uint32_t i = 0; i < n->phi_count; i++) {
        graph_id arg = n->phi_args[i];
        if (arg >= id || w->of[arg] == last)
            continue; /* what comes round; an arm told already */
        last = w->of[arg];
        sum += map_hash_mix(1, last);
    }
    return map_hash_mix(h, sum);
}

/* A choice between the two values that its condition compares is a minimum or a maximum. */
static bool choice_of_compared(const struct work *w, const struct graph_node *n, bool *of_floats, uint64_t *out)
{
    const struct graph_node *c = graph_at(w->g, n->arg[0]);
    *of_floats = c->kind == UOP_FLT || c->kind == UOP_FLE;
    if (!*of_floats && c->kind != UOP_ILT_S && c->kind != UOP_ILT_U)
        return false;
    uint64_t v[4];
    for (unsigned i = 0; i < 4; i++) {
        graph_id id = i < 2 ? c->arg[i] : n->arg[i - 1];
        v[i] = *of_floats ? element(w, id, c->width) : w->of[id];
    }
    if (v[0] == v[1] || !((v[2] == v[0] && v[3] == v[1]) || (v[2] == v[1] && v[3] == v[0])))
        return false;
    bool least = v[2] == v[0];
    unsigned kind = *of_floats             ? (least ? UOP_FMIN : UOP_FMAX)
                    : c->kind == UOP_ILT_S ? (least ? UOP_MIN_S : UOP_MAX_S)
                                           : (least ? UOP_MIN_U : UOP_MAX_U);
    *out = either_order(kind, v[0], v[1]);
    return true;
}

static uint64_t whole_value(struct work *w, graph_id id)
{
    const struct graph_node *n = graph_at(w->g, id);
    const uint64_t *of = w->of;
    uint64_t v;
    graph_id atoms[6];
    switch (n->kind) {
    case UOP_CONST: return (uint64_t)graph_signed_const(n);
    case UOP_ADD: return of[n->arg[0]] + of[n->arg[1]];
    case UOP_NEG: return UINT64_C(0) - of[n->arg[0]];
    case UOP_MUL: return of[n->arg[0]] * of[n->arg[1]];
    case UOP_AND:
        if (widened_load(w, n, &v))
            return v;
        return bitwise(n->kind, operand(w, n->arg[0]), operand(w, n->arg[1])).value;
    case UOP_OR:
    case UOP_XOR: return bitwise(n->kind, operand(w, n->arg[0]), operand(w, n->arg[1])).value;
    case UOP_LOP3: return of_table(w, n);
    case UOP_I2F: return of_integer(w, n);
    case UOP_F2F: /* these bits are the upper half of those */
        return n->type == UOP_F32 && n->imm == UOP_BF16 ? of[n->arg[0]] << 16 : hashed(w, n);
    case UOP_SEXT:
    case UOP_ZEXT:
        if (widened_load(w, n, &v))
            return v;
        if ((n->type == UOP_B64 && n->imm == 32) || (n->type == UOP_B32 && n->imm == 16))
            return of[n->arg[0]]; /* as a number: compilers go through half words where the other has none */
        return hashed(w, n);
    case UOP_LOAD: return loaded(w, n, 0, n->width > 8 ? 4 : n->width);
    case UOP_ELEMENT: return loaded(w, graph_at(w->g, n->arg[0]), n->imm * 4, 4);
    case UOP_LO:
    case UOP_HI: {
        const struct graph_node *x = graph_at(w->g, n->arg[0]);
        if (x->kind == UOP_LOAD && x->width == 8)
            return loaded(w, x, n->kind == UOP_HI ? 4 : 0, 4);
        return hashed(w, n);
    }
    case GRAPH_BOOL:
        for (unsigned i = 0; i < n->arg_count && i < 6; i++)
            atoms[i] = n->arg[i];
        return table_value(of, atoms, n->arg_count, n->imm);
    case UOP_ILT_S:
    case UOP_ILT_U: return map_hash_mix(map_hash_mix(n->kind, of[n->arg[0]]), of[n->arg[1]]);
    case UOP_IEQ: return either_order(UOP_IEQ, of[n->arg[0]], of[n->arg[1]]);
    case UOP_FLT:
    case UOP_FLE:
        return map_hash_mix(map_hash_mix(n->kind, element(w, n->arg[0], n->width)), element(w, n->arg[1], n->width));
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM: return either_order(n->kind, element(w, n->arg[0], n->width), element(w, n->arg[1], n->width));
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U: return either_order(n->kind, of[n->arg[0]], of[n->arg[1]]);
    case UOP_MATH: return map_hash_mix(map_hash_mix(UOP_MATH, n->imm), map_hash_mix(of[n->arg[0]], of[n->arg[1]]));
    case GRAPH_PHI: return phi_value(w, id);
    default: return hashed(w, n);
    }
}

/* A quotient of integers that machine code expands has the number of the one operation that PTX has. */
static bool integer_quotient(const struct work *w, const struct graph_node *n, uint64_t *out)
{
    static const uint8_t same[GRAPH_FUNCTIONS] = {[GRAPH_DIV_S] = UOP_MATH_DIV_S,
                                                  [GRAPH_DIV_U] = UOP_MATH_DIV_U,
                                                  [GRAPH_REM_S] = UOP_MATH_REM_S,
                                                  [GRAPH_REM_U] = UOP_MATH_REM_U};
    if (n->kind != GRAPH_REAL || n->imm >= GRAPH_FUNCTIONS || !same[n->imm] || n->arg_count < 2)
        return false;
    *out = map_hash_mix(map_hash_mix(UOP_MATH, same[n->imm]), map_hash_mix(w->of[n->arg[0]], w->of[n->arg[1]]));
    return true;
}

/* Floats: true when the node is an operation on real numbers. */
static bool float_value(const struct work *w, const struct graph_node *n, uint64_t *out)
{
    uint64_t x[3] = {0};
    if (!is_float_type(n->type))
        return false;
    for (unsigned i = 0; i < n->arg_count && i < 3; i++)
        x[i] = element(w, n->arg[i], n->type);
    switch (n->kind) {
    case UOP_FADD: *out = add(x[0], x[1]); break;
    case UOP_FMUL: *out = times(x[0], x[1]); break;
    case UOP_FFMA: *out = add(times(x[0], x[1]), x[2]); break;
    case UOP_FNEG: *out = negative(x[0]); break;
    case UOP_RCP: *out = reciprocal(w, n->arg[0], n->type, x[0]); break;
    case UOP_FABS: *out = apply(UOP_FABS, x[0] < negative(x[0]) ? x[0] : negative(x[0])); break;
    case UOP_FMIN:
    case UOP_FMAX:
        if (n->flags & (UOP_XORSIGN | UOP_RELU))
            return false;
        *out = either_order(n->kind, x[0], x[1]) % PRIME;
        break;
    case UOP_RSQ: *out = inverse(apply(UOP_SQRT, x[0])); break;
    case UOP_SQRT:
    case UOP_EX2:
    case UOP_LG2:
    case UOP_SIN:
    case UOP_COS:
    case UOP_TANH: *out = apply(n->kind, x[0]); break;
    case UOP_MATH:
        if (n->imm != UOP_MATH_DIV && n->imm != UOP_MATH_DIV_NEAR)
            return false;
        *out = times(x[0], reciprocal(w, n->arg[1], n->type, x[1]));
        break;
    case GRAPH_REAL:
        if (n->imm == GRAPH_DIV)
            *out = times(x[0], reciprocal(w, n->arg[1], n->type, x[1]));
        else if (n->arg_count == 1)
            *out = apply(GRAPH_REAL + (unsigned)n->imm, x[0]);
        else
            return false;
        break;
    default: return false;
    }
    if (n->flags & UOP_SAT)
        *out = apply(UOP_SAT, *out);
    return true;
}

static void one_node(struct work *w, graph_id id)
{
    const struct graph_node *n = graph_at(w->g, id);
    graph_id as = w->before ? graph_reads(w->g, id) : (graph_id)GRAPH_NIL;
    uint64_t v;
    if (!as && w->before)
        as = graph_shows(w->g, id);
    if (as && as != id && as < w->g->nodes.n) { /* as the function it computes, by the pass before */
        w->of[id] = w->before[as];
        w->is_float[id] = w->is_float[as];
        w->field[id] = w->field[as];
        return;
    }
    bool of_floats, choice = n->kind == UOP_SELECT && choice_of_compared(w, n, &of_floats, &v);
    w->is_float[id] = choice ? of_floats : float_value(w, n, &v);
    if (w->is_float[id]) {
        w->field[id] = v % PRIME;
        w->of[id] = map_hash_mix(0x666c, w->field[id]);
    } else if (choice || integer_quotient(w, n, &v)) {
        w->of[id] = v;
    } else {
        w->of[id] = whole_value(w, id);
    }
}

static void mark_turns(struct work *w, graph_id id)
{
    const struct graph_node *n = graph_at(w->g, id);
    bool turns = graph_is_loop_phi(w->g, id);
    for (unsigned i = 0; i < n->arg_count && !turns; i++)
        turns = w->turns[n->arg[i]];
    for (uint32_t i = 0; n->kind == GRAPH_PHI && i < n->phi_count && !turns; i++)
        turns = n->phi_args[i] < id && w->turns[n->phi_args[i]];
    w->turns[id] = turns;
}

static bool init_work(struct work *w, struct arena *a, struct graph *g)
{
    *w = (struct work){.g = g,
                       .bits = rew_find_bits(a, g),
                       .of = ARENA_ARRAY(a, uint64_t, g->nodes.n),
                       .field = ARENA_ARRAY(a, uint64_t, g->nodes.n),
                       .is_float = ARENA_ARRAY(a, bool, g->nodes.n),
                       .turns = ARENA_ARRAY(a, bool, g->nodes.n)};
    return w->bits && w->of && w->field && w->is_float && w->turns;
}

bool rew_find_values(struct arena *a, struct graph *g, struct rew_values *out)
{
    struct work w;
    uint64_t *before = ARENA_ARRAY(a, uint64_t, g->nodes.n);
    if (!before || !init_work(&w, a, g))
        return false;
    bool expanded = g->expansions && g->expansions->count;
    for (unsigned pass = 0; pass < (expanded ? READ_AGAIN : 1u); pass++) {
        for (graph_id id = 1; id < g->nodes.n; id++)
            one_node(&w, id);
        if (expanded) {
            memcpy(before, w.of, g->nodes.n * sizeof before[0]);
            w.before = before;
        }
    }
    for (graph_id id = 1; id < g->nodes.n; id++)
        mark_turns(&w, id);
    *out = (struct rew_values){.of = w.of, .turns = w.turns};
    return true;
}

/* ---- steps ------------------------------------------------------------------------------------ */

#define OF_A_LOOP UINT64_C(0x6c6f6f70)
enum { STEPS_WORK = 8 }; /* nodes that may be looked at again for all folds, in sizes of the graph */

/* An element of an array, whichever. */
static uint64_t any_element(const struct work *w, const struct graph_node *n)
{
    struct graph_affine f;
    unsigned space = n->space == UOP_GENERIC ? UOP_GLOBAL : n->space;
    uint64_t base = n->space != UOP_SHARED && graph_affine(w->g, n->arg[0], &f) && f.base ? w->of[f.base] : 0;
    return map_hash_mix(map_hash_mix(UOP_LOAD, space), base);
}

/* What the step makes of the old accumulators; false where an expansion stands in it, whose number is not made anew. */
static bool step_of(struct work *w, const struct graph_fold *f, graph_id first, graph_id last, uint64_t *out)
{
    *out = 0;
    for (graph_id id = first; id <= last; id++) {
        const struct graph_node *n = graph_at(w->g, id);
        unsigned old = 0;
        if (graph_reads(w->g, id) || graph_shows(w->g, id))
            return false;
        while (old < f->count && f->in[old] != id)
            old++;
        if (old == f->count && n->kind != UOP_LOAD && n->kind != GRAPH_PHI) {
            one_node(w, id);
            continue;
        }
        w->is_float[id] = false;
        w->of[id] = old < f->count        ? map_hash_mix(0x6f6c64, f->start[old] ? w->of[f->start[old]] : 0)
                    : n->kind == UOP_LOAD ? any_element(w, n)
                                          : OF_A_LOOP;
    }
    for (unsigned k = 0; k < f->count; k++)
        *out += map_hash_mix(1, w->of[f->out[k]]);
    return true;
}

static bool range_of(const struct graph *g, const struct graph_fold *f, graph_id *first, graph_id *last)
{
    *first = (graph_id)g->nodes.n;
    *last = 0;
    for (unsigned k = 0; k < f->count; k++) {
        *first = f->in[k] < *first ? f->in[k] : *first;
        *last = f->out[k] > *last ? f->out[k] : *last;
    }
    return *first && *first <= *last && *last < g->nodes.n;
}

bool rew_find_steps(struct arena *a, struct graph *g, struct rew_steps *out)
{
    struct work w;
    uint64_t left = (uint64_t)g->nodes.n * STEPS_WORK;
    *out = (struct rew_steps){0};
    if (!g->cycles || !g->cycles->folds.n)
        return true;
    uint64_t *of = ARENA_ARRAY(a, uint64_t, g->nodes.n), *field = ARENA_ARRAY(a, uint64_t, g->nodes.n);
    bool *is_float = ARENA_ARRAY(a, bool, g->nodes.n);
    out->p = ARENA_ARRAY(a, uint64_t, g->cycles->folds.n);
    if (!out->p || !of || !field || !is_float || !init_work(&w, a, g))
        return false;
    for (graph_id id = 1; id < g->nodes.n; id++) { /* what another loop made has another shape where that is unrolled */
        one_node(&w, id);
        mark_turns(&w, id);
        if (w.turns[id]) {
            w.of[id] = OF_A_LOOP;
            w.is_float[id] = false;
        }
    }
    for (size_t i = 0; i < g->cycles->folds.n; i++) {
        const struct graph_fold *f = &g->cycles->folds.p[i];
        graph_id first, last;
        if (f->reassociated || !range_of(g, f, &first, &last) || last - first >= left)
            return false;
        size_t n = last - first + 1;
        left -= n;
        memcpy(of + first, w.of + first, n * sizeof of[0]);
        memcpy(field + first, w.field + first, n * sizeof field[0]);
        memcpy(is_float + first, w.is_float + first, n * sizeof is_float[0]);
        if (!step_of(&w, f, first, last, &out->p[out->n]))
            return false;
        out->n++;
        memcpy(w.of + first, of + first, n * sizeof of[0]);
        memcpy(w.field + first, field + first, n * sizeof field[0]);
        memcpy(w.is_float + first, is_float + first, n * sizeof is_float[0]);
    }
    return true;
}
