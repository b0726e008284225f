/* A number for each node of a graph that says what it computes, operation by operation: equal only when kind,
 * format, rounding, flushing and arguments are. It does not depend on node numbers, registers, the order of
 * commutative arguments, or where an architecture puts its parameters, so kernels of different graphs can be
 * set side by side. Two texts can be the same words for different functions (a signed and an unsigned
 * maximum); these numbers tell them apart. requires: nodes in ascending order (arguments before users, but for
 * loop phis) */
#include "facts/fact_build.h"

#include <stdlib.h>

struct identity {
    const struct graph *g;
    uint64_t *of;  /* of a node */
    uint64_t *sum; /* of a node: as a term of an integer sum */
};

static int by_value(const void *p, const void *q)
{
    uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;
    return a < b ? -1 : a > b;
}

/* How many leading arguments may change places. */
static unsigned commutes(unsigned kind)
{
    switch (kind) {
    case UOP_MUL:
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_MULHI_S:
    case UOP_MULHI_U:
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U:
    case UOP_CARRY:
    case UOP_IEQ:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM:
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FMIN:
    case UOP_FMAX: return 2;
    default: return 0;
    }
}

/* The table of a GRAPH_BOOL over its atoms in the order of their identities. */
static uint64_t bool_identity(const struct identity *x, const struct graph_node *n)
{
    unsigned place[6], count = n->arg_count;
    uint64_t table = 0, h = map_hash_mix(GRAPH_BOOL, count);
    for (unsigned i = 0; i < count; i++) {
        place[i] = 0;
        for (unsigned k = 0; k < count; k++) {
            uint64_t a = x->of[n->arg[i]], b = x->of[n->arg[k]];
            place[i] += b < a || (b == a && k < i);
        }
    }
    for (unsigned row = 0; row < 1u << count; row++) {
        unsigned to = 0;
        for (unsigned i = 0; i < count; i++)
            to |= (row >> i & 1) << place[i];
        table |= (n->imm >> row & 1) << to;
    }
    for (unsigned p = 0; p < count; p++)
        for (unsigned i = 0; i < count; i++)
            if (place[i] == p)
                h = map_hash_mix(h, x->of[n->arg[i]]);
    return map_hash_mix(h, table);
}

static bool is_cluster_term(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_SREG)
        return n->imm == UOP_SR_CGA_CTAID;
    for (unsigned i = 0; i < n->arg_count && depth < 6; i++)
        if (is_cluster_term(g, n->arg[i], depth + 1))
            return true;
    return false;
}

/* An address in shared memory without the block's place in its cluster, which sm_90 and later add with 0x400
 * reserved bytes. */
static uint64_t shared_identity(const struct identity *x, graph_id address)
{
    struct graph_affine f;
    uint64_t sum = 0;
    if (!graph_affine(x->g, address, &f))
        return x->of[address];
    for (unsigned i = 0; i < f.term_count; i++) {
        if (is_cluster_term(x->g, f.terms[i].term, 0))
            f.offset -= 0x400;
        else
            sum += map_hash_mix(x->of[f.terms[i].term], (uint64_t)f.terms[i].coefficient);
    }
    return map_hash_mix(sum, (uint64_t)f.offset);
}

static uint64_t node_identity(const struct identity *x, const struct graph_node *n)
{
    const struct graph_env *env = x->g->env;
    uint64_t imm = n->imm, args[6];
    if (n->kind == GRAPH_BOOL)
        return bool_identity(x, n);
    if (n->kind == UOP_CBANK && n->space == 0 && imm >= env->param_base)
        imm = imm - env->param_base + (UINT64_C(1) << 32); /* a parameter, wherever the bank has it */
    if (n->kind == UOP_LOAD)
        imm = imm != 0; /* the version's number is the graph's own */
    uint64_t h = map_hash_mix(n->kind, (uint64_t)n->type | (uint64_t)n->round << 8 |
                                           (uint64_t)(n->flags & (unsigned)~UOP_SWAPPED) << 16 |
                                           (uint64_t)n->width << 24 | (uint64_t)n->arg_count << 32);
    h = map_hash_mix(h, imm);
    if (n->kind == GRAPH_PHI)
        return map_hash_mix(h, n->block);
    for (unsigned i = 0; i < n->arg_count; i++)
        args[i] = x->of[n->arg[i]];
    if (n->kind == UOP_LOAD && n->space == UOP_SHARED)
        args[0] = shared_identity(x, n->arg[0]);
    if (commutes(n->kind) && n->arg_count >= 2)
        qsort(args, 2, sizeof args[0], by_value);
    for (unsigned i = 0; i < n->arg_count; i++)
        h = map_hash_mix(h, args[i]);
    return h;
}

const uint64_t *fact_identities(struct arena *a, const struct graph *g)
{
    struct identity x = {
        .g = g, .of = ARENA_ARRAY(a, uint64_t, g->nodes.n), .sum = ARENA_ARRAY(a, uint64_t, g->nodes.n)};
    if (!x.of || !x.sum)
        return NULL;
    for (graph_id id = 1; id < g->nodes.n; id++) {
        const struct graph_node *n = graph_at(g, id);
        if (n->kind == UOP_ADD) { /* sums are flat, in the order of one graph's numbers */
            x.sum[id] = x.sum[n->arg[0]] + x.sum[n->arg[1]];
            x.of[id] = map_hash_mix(map_hash_mix(UOP_ADD, n->type), x.sum[id]);
        } else {
            x.of[id] = node_identity(&x, n);
            x.sum[id] = map_hash_mix(1, x.of[id]);
        }
    }
    return x.of;
}
