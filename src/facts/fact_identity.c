/* A number for each node of a graph that says what it computes, operation by operation: equal only when kind,
 * format, rounding, flushing and arguments are. It does not depend on node numbers, registers, the order of
 * commutative arguments, or where an architecture puts its parameters, so kernels of different graphs can be
 * set side by side. Two texts can be the same words for different functions (a signed and an unsigned
 * maximum); these numbers tell them apart. A load of what the kernel itself may have written is a function of all that
 * it writes, a loop's value of its start, its step and of what decides whether another turn follows; each pass looks
 * one such value further. requires: nodes in ascending order (arguments before users, but for loop phis) */
#include "facts/fact_build.h"

#include "graph/graph_depend.h"

#include <stdlib.h>

enum { PASSES = 5, RACING = 0x7261, IN_LOOP = 0x6c6f };

struct identity {
    const struct graph *g;
    uint64_t *of;           /* of a node */
    uint64_t *sum;          /* of a node: as a term of an integer sum */
    uint64_t *before;       /* of a node, by the pass before: what loops bring round; NULL in the first */
    const graph_id *rounds; /* of a loop: graph_goes_round() */
    uint32_t reading, insn; /* of registers that count time: how many were met, and where the last one is read */
    uint64_t memory;        /* what the kernel writes where and when, by the pass before: what loads may find */
    uint32_t *loop_number;  /* of a loop + 1: its place among the loops that write or wait; 0: not met */
    bool *racing;           /* of an access */
};

static int by_value(const void *p, const void *q)
{
    uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;
    return a < b ? -1 : a > b;
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

/* A register that counts time is another number at every reading, by what the kernel does meanwhile. */
static uint64_t reading_identity(struct identity *x, const struct graph_node *n)
{
    x->reading += x->insn != n->insn;
    x->insn = n->insn;
    return map_hash_mix(map_hash_mix(map_hash_mix(n->kind, n->imm), x->reading), x->memory);
}

static uint64_t node_identity(struct identity *x, const struct graph_node *n)
{
    const struct graph_env *env = x->g->env;
    uint64_t imm = n->imm, args[6];
    if (n->kind == GRAPH_BOOL)
        return bool_identity(x, n);
    if (n->kind == UOP_SREG && n->insn != UINT32_MAX)
        return reading_identity(x, n);
    if (n->kind == UOP_CBANK && n->space == 0 && imm >= env->param_base)
        imm = imm - env->param_base + (UINT64_C(1) << 32); /* a parameter, wherever the bank has it */
    if (n->kind == UOP_LOAD)
        imm = imm != 0; /* the version's number is the graph's own */
    uint64_t h = map_hash_mix(
        n->kind, (uint64_t)n->type | (uint64_t)n->round << 8 | (uint64_t)(n->flags & (unsigned)~UOP_SWAPPED) << 16 |
                     (uint64_t)n->width << 24 | (uint64_t)n->arg_count << 32 | (uint64_t)n->space << 40);
    h = map_hash_mix(h, imm);
    if (n->kind == GRAPH_PHI) {
        for (uint32_t i = 0; i < n->phi_count; i++) { /* in any order of ways: as a set */
            graph_id arg = n->phi_args[i];
            bool back = arg >= (graph_id)(n - x->g->nodes.p);
            imm += map_hash_mix(back ? 2 : 1, !back ? x->of[arg] : x->before ? x->before[arg] : 0);
        }
        imm -= n->imm;
        if (n->imm && x->before)
            imm = map_hash_mix(imm, x->before[x->rounds[n->imm - 1]]);
        return map_hash_mix(map_hash_mix(n->kind, n->type), imm);
    }
    bool written = n->kind == UOP_LOAD && n->order != UOP_READONLY && (n->space != UOP_GLOBAL || n->imm != 0);
    if (written || n->kind == UOP_ATOM)
        h = map_hash_mix(h, x->memory);
    for (unsigned i = 0; i < n->arg_count; i++)
        args[i] = x->of[n->arg[i]];
    if (n->kind == UOP_LOAD && n->space == UOP_SHARED)
        args[0] = shared_identity(x, n->arg[0]);
    if (uop_commutes((enum uop_kind)n->kind) && n->arg_count >= 2)
        qsort(args, 2, sizeof args[0], by_value);
    for (unsigned i = 0; i < n->arg_count; i++)
        h = map_hash_mix(h, args[i]);
    return h;
}

static void number_nodes(struct identity *x)
{
    const struct graph *g = x->g;
    x->reading = 0;
    x->insn = UINT32_MAX;
    for (graph_id id = 1; id < g->nodes.n; id++) {
        const struct graph_node *n = graph_at(g, id);
        if (n->kind == UOP_ADD) { /* sums are flat, in the order of one graph's numbers */
            x->sum[id] = x->sum[n->arg[0]] + x->sum[n->arg[1]];
            x->of[id] = map_hash_mix(map_hash_mix(UOP_ADD, n->type), x->sum[id]);
        } else {
            x->of[id] = node_identity(x, n);
            x->sum[id] = map_hash_mix(1, x->of[id]);
        }
    }
}

/* What an atomic does beside its operands, and how many barriers stand in the code. */
static uint64_t operation_of(const struct graph *g, uint32_t insn)
{
    const struct uop_list *l = g->input.insns[g->insns.p[insn].input].uops;
    uint64_t h = 0;
    for (size_t i = 0; i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i];
        if (u->kind == UOP_ATOM || u->kind == UOP_RED)
            h = map_hash_mix(u->imm, u->type | (uint64_t)u->flags << 8);
        if (u->kind == UOP_BAR)
            h = map_hash_mix(UOP_BAR, u->imm);
    }
    return h;
}

static uint64_t write_identity(const struct identity *x, const struct graph_access *w)
{
    uint64_t h = map_hash_mix(w->kind, (uint64_t)w->space | (uint64_t)w->width << 8);
    h = map_hash_mix(h, w->space == UOP_SHARED ? shared_identity(x, w->address) : x->of[w->address]);
    for (unsigned k = 0; k < 4; k++)
        h = map_hash_mix(h, w->value[k] == GRAPH_NIL ? 0 : x->of[w->value[k]]);
    h = map_hash_mix(h, w->runs_when == GRAPH_NIL ? 0 : x->of[w->runs_when]);
    return map_hash_mix(h, operation_of(x->g, w->insn));
}

/* An access may meet another thread's with nothing that orders the two: what it gives is not said by the program. */
static void find_racing(const struct graph *g, bool *racing)
{
    const struct graph_dependence *d = g->dependence;
    for (size_t i = 0; d && i < d->reaches.n; i++)
        if (d->reaches.p[i].sync == GRAPH_SYNC_NONE)
            racing[d->reaches.p[i].load] = racing[d->reaches.p[i].store] = true;
    for (size_t i = 0; d && i < d->races.n; i++)
        racing[d->races.p[i].first] = racing[d->races.p[i].second] = true;
}

/* Writes and barriers in the order of the code, each with its loop: a barrier behind a loop is not one in it. Loads
 * only where they race: such a kernel is not the one whose barriers keep its threads in order. */
static uint64_t memory_identity(const struct identity *x)
{
    const struct graph *g = x->g;
    uint64_t h = 0;
    uint32_t seen = 0;
    for (size_t i = 0; i < g->loops.n; i++)
        x->loop_number[i + 1] = 0;
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        uint64_t before = h;
        if (!n->reachable)
            continue;
        for (uint32_t k = n->first_access; k < n->first_access + n->access_count; k++) {
            if (g->accesses.p[k].kind != GRAPH_LOAD)
                h = map_hash_mix(h, write_identity(x, &g->accesses.p[k]));
            if (x->racing[k])
                h = map_hash_mix(h, map_hash_mix(RACING, g->accesses.p[k].kind));
        }
        uint64_t operation = n->access_count ? 0 : operation_of(g, i);
        if (operation)
            h = map_hash_mix(h, operation);
        uint32_t loop = g->blocks.p[n->block].loop;
        if (h == before || !loop)
            continue;
        if (!x->loop_number[loop])
            x->loop_number[loop] = ++seen;
        h = map_hash_mix(h, map_hash_mix(IN_LOOP, x->loop_number[loop]));
    }
    return h;
}

const uint64_t *fact_identities(struct arena *a, struct graph *g, uint64_t *atomics)
{
    graph_id *rounds = ARENA_ARRAY(a, graph_id, g->loops.n + 1);
    *atomics = 0;
    for (uint32_t i = 0; i < g->loops.n && rounds; i++)
        rounds[i] = graph_goes_round(g, i); /* may make nodes */
    uint64_t *made[2] = {ARENA_ARRAY(a, uint64_t, g->nodes.n), ARENA_ARRAY(a, uint64_t, g->nodes.n)};
    struct identity x = {.g = g, .sum = ARENA_ARRAY(a, uint64_t, g->nodes.n), .rounds = rounds};
    x.loop_number = ARENA_ARRAY(a, uint32_t, g->loops.n + 1);
    x.racing = ARENA_ARRAY(a, bool, g->accesses.n + 1);
    if (!made[0] || !made[1] || !x.sum || !rounds || !x.loop_number || !x.racing)
        return NULL;
    find_racing(g, x.racing);
    for (unsigned pass = 0; pass < (g->loops.n ? PASSES : 2); pass++) {
        x.of = made[pass & 1];
        number_nodes(&x);
        x.memory = memory_identity(&x);
        x.before = x.of;
    }
    for (size_t i = 0; i < g->accesses.n; i++)
        if (g->accesses.p[i].kind == GRAPH_ATOMIC)
            *atomics += write_identity(&x, &g->accesses.p[i]);
    return x.of;
}
