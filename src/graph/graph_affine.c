/* Addresses as sums: base + sum of coefficient * term + offset, exact in the width of the address. Walks sums, products
 * by constants and negations; an extension of a 32-bit sum to 64 bits is not opened (the sum may wrap): it is a term
 * itself, marked as extended. Gives what meaning/ and place/ need to say `x[i + 1]`. */
#include "graph/graph_internal.h"

static bool is_base(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    const struct graph_env *env = g->env;
    if (n->kind != UOP_CBANK || n->space != 0 || n->arg_count)
        return false;
    if (env->stack_offset && n->imm == env->stack_offset)
        return true;
    return n->type == UOP_B64 && env->param_bytes && n->imm >= env->param_base &&
           n->imm + 8 <= (uint64_t)env->param_base + env->param_bytes;
}

static bool add_term(const struct graph *g, struct graph_affine *out, graph_id id, int64_t coefficient)
{
    uint8_t extend = 0;
    const struct graph_node *n = graph_at(g, id);
    if ((n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && n->type == UOP_B64 && n->imm == 32) {
        extend = n->kind == UOP_SEXT ? 1 : 2;
        id = n->arg[0];
    }
    unsigned i = 0;
    for (; i < out->term_count; i++) {
        if (out->terms[i].term == id && out->terms[i].extend == extend) {
            out->terms[i].coefficient = (int64_t)((uint64_t)out->terms[i].coefficient + (uint64_t)coefficient);
            return true;
        }
    }
    if (out->term_count == GRAPH_AFFINE_MAX)
        return false;
    for (i = out->term_count++; i && out->terms[i - 1].term > id; i--)
        out->terms[i] = out->terms[i - 1];
    out->terms[i].term = id;
    out->terms[i].coefficient = coefficient;
    out->terms[i].extend = extend;
    return true;
}

/* A pointer that goes round an unrolled loop is one addition deeper with each step. */
enum { DEPTH_MAX = 64, STEPS_MAX = 256 };

static bool walk(const struct graph *g, graph_id id, int64_t coefficient, struct graph_affine *out, unsigned depth,
                 unsigned *steps)
{
    const struct graph_node *n = graph_at(g, id);
    uint64_t c;
    if (depth > DEPTH_MAX || ++*steps > STEPS_MAX)
        return false;
    if (graph_is_const(g, id, &c)) {
        out->offset = (int64_t)((uint64_t)out->offset + c * (uint64_t)coefficient);
        return true;
    }
    if (coefficient == 1 && out->base == GRAPH_NIL && is_base(g, id)) {
        out->base = id;
        return true;
    }
    switch (n->kind) {
    case UOP_ADD:
        return walk(g, n->arg[0], coefficient, out, depth + 1, steps) &&
               walk(g, n->arg[1], coefficient, out, depth + 1, steps);
    case UOP_NEG: return walk(g, n->arg[0], (int64_t)(0 - (uint64_t)coefficient), out, depth + 1, steps);
    case UOP_MUL:
        if (graph_is_const(g, n->arg[1], &c))
            return walk(g, n->arg[0], (int64_t)(c * (uint64_t)coefficient), out, depth + 1, steps);
        break;
    default: break;
    }
    return add_term(g, out, id, coefficient);
}

bool graph_affine(const struct graph *g, graph_id address, struct graph_affine *out)
{
    unsigned steps = 0;
    *out = (struct graph_affine){0};
    if (address == GRAPH_NIL || !walk(g, address, 1, out, 0, &steps))
        return false;
    if (uop_type_bits((enum uop_type)graph_at(g, address)->type) == 32) {
        /* A 32-bit address wraps at 2^32: bring everything into the signed 32-bit range. */
        out->offset = (int32_t)(uint32_t)(uint64_t)out->offset;
        for (unsigned i = 0; i < out->term_count; i++)
            out->terms[i].coefficient = (int32_t)(uint32_t)(uint64_t)out->terms[i].coefficient;
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < out->term_count; i++)
        if (out->terms[i].coefficient)
            out->terms[kept++] = out->terms[i];
    out->term_count = kept;
    return true;
}
