/* A loop that takes up what another left, shown by its counters: where bodies were rewritten so that no step is found
 * twice in them (a recurrence folded into constants, a value kept in a register from store to load), the counters still
 * say how the compilers cut the loop. The main loop moves its counter by sixteen, the next one by four or one; each
 * accumulator of the later loop begins with what the earlier one left; and either a counter goes on where it stopped or
 * the one runs over n - n % 4, the other over n % 4. The bodies must do as much as that says: so many times the stores,
 * the same kinds of floating-point operations, no more loads.
 *
 * requires: inductions, tests, unroll · gives: whether a loop is a later piece, and with how many steps */
#include "graph/graph_cycle_internal.h"

enum { LOOK_MAX = 400, SPREAD = 2 };

struct doings {
    uint64_t floats; /* kinds of floating-point operations, as bits */
    uint32_t float_count, loads, stores, others;
};

static struct doings doings_of(const struct cycle_work *w, const struct cycle_region *r)
{
    const struct graph *g = w->g;
    struct doings d = {0};
    for (uint32_t i = 0; i < r->block_count; i++) {
        const struct graph_block *b = &g->blocks.p[r->blocks[i]];
        for (uint32_t k = b->first; k <= b->last && b->reachable; k++) {
            const struct graph_insn *n = &g->insns.p[k];
            const struct uop_list *l = g->input.insns[n->input].uops;
            for (size_t u = 0; u < l->ops.n; u++) {
                unsigned kind = l->ops.p[u].kind;
                bool is_float = kind == UOP_FADD || kind == UOP_FMUL || kind == UOP_FFMA || kind == UOP_FMIN ||
                                kind == UOP_FMAX;
                d.floats |= is_float ? UINT64_C(1) << ((kind - UOP_FADD) & 63) : 0;
                d.float_count += is_float;
                d.others += kind == UOP_BAR;
            }
            for (uint32_t x = n->first_access; x < n->first_access + n->access_count; x++) {
                bool load = g->accesses.p[x].kind == GRAPH_LOAD;
                d.loads += load;
                d.stores += !load;
            }
        }
    }
    return d;
}

static bool does_as_much(const struct doings *a, const struct doings *b, uint64_t times)
{
    return a->floats == b->floats && a->stores == times * b->stores && a->others == times * b->others &&
           a->loads <= times * b->loads && (a->loads > 0) == (b->loads > 0) &&
           a->float_count <= SPREAD * times * b->float_count && SPREAD * a->float_count >= times * b->float_count;
}

/* Whether `id` is made of what loops of the cycle leave; counters: through selects, joins and constants added alone. */
static bool comes_from(struct cycle_work *w, int32_t cycle, graph_id id, bool counters)
{
    const struct graph *g = w->g;
    graph_id stack[LOOK_MAX], seen[LOOK_MAX];
    unsigned depth = 0, count = 0;
    stack[depth++] = id;
    while (depth && count < LOOK_MAX) {
        graph_id x = stack[--depth];
        bool again = x == GRAPH_NIL || x >= w->nodes;
        for (unsigned i = 0; i < count && !again; i++)
            again = seen[i] == x;
        if (again)
            continue;
        seen[count++] = x;
        const struct graph_node *n = graph_at(g, x);
        if (graph_is_loop_phi(g, x)) {
            if (w->regions[n->imm - 1].cycle == cycle)
                return true;
            continue;
        }
        bool opens = n->kind == GRAPH_PHI || n->kind == UOP_SELECT || n->kind == UOP_UNIFORM ||
                     (n->kind == UOP_ADD && graph_is_const(g, n->arg[1], NULL));
        if (!opens && counters)
            continue;
        const graph_id *args;
        uint32_t args_count = cycle_args(n, &args);
        for (uint32_t k = n->kind == UOP_SELECT; k < args_count && depth < LOOK_MAX; k++)
            stack[depth++] = args[k];
    }
    return false;
}

static bool is_made_of(const struct graph *g, graph_id id, graph_id of, unsigned depth)
{
    enum { DEPTH = 8 };
    const struct graph_node *n = graph_at(g, id);
    if (id == of || id == GRAPH_NIL)
        return id == of;
    for (unsigned k = 0; k < n->arg_count && depth < DEPTH; k++)
        if (is_made_of(g, n->arg[k], of, depth + 1))
            return true;
    return false;
}

/* n - n % m steps there, n % m here: the rest stands in what the first loop runs over. */
static bool shares_rest(const struct graph *g, const struct cycle_region *first, const struct cycle_phi *test,
                        const struct cycle_region *other, const struct cycle_phi *rest)
{
    graph_id ends[2] = {rest->start, other->limit};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t mask;
        if (ends[i] == GRAPH_NIL)
            continue;
        graph_id bare = cycle_bare(g, ends[i]);
        const struct graph_node *n = graph_at(g, bare);
        if (n->kind == UOP_NEG)
            n = graph_at(g, bare = cycle_bare(g, n->arg[0]));
        if (n->kind == UOP_AND && graph_is_const(g, n->arg[1], &mask) && mask && !(mask & (mask + 1)) &&
            (is_made_of(g, test->start, bare, 0) || is_made_of(g, first->limit, bare, 0)))
            return true;
    }
    return false;
}

static uint64_t size_of(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static const struct cycle_phi *steady_test(const struct cycle_region *r)
{
    const struct cycle_phi *t = r->tested >= 0 ? &r->phis[r->tested] : NULL;
    return t && t->step_kind == CYCLE_STEP_ADD && t->constant && t->amount ? t : NULL;
}

uint32_t cycle_takes_up(struct cycle_work *w, const struct cycle_region *first, const struct cycle_region *other)
{
    const struct graph *g = w->g;
    const struct cycle_phi *a = steady_test(first), *b = steady_test(other);
    if (!a || !b || other->unroll == 0)
        return 0;
    uint64_t from = size_of(a->amount), to = size_of(b->amount);
    if (from <= to || from % to != 0 || from / to > UINT16_MAX)
        return 0;
    bool goes_on = shares_rest(g, first, a, other, b);
    for (uint32_t i = 0; i < other->phi_count; i++) {
        const struct cycle_phi *p = &other->phis[i];
        if (!p->live || p->next == p->phi || p->start == GRAPH_NIL)
            continue;
        if (p->step_kind == CYCLE_STEP_NONE && !comes_from(w, first->cycle, p->start, false))
            return 0;
        if (p->step_kind == CYCLE_STEP_ADD && p->constant)
            goes_on |= comes_from(w, first->cycle, p->start, true);
    }
    if (!goes_on)
        return 0;
    struct doings x = doings_of(w, first), y = doings_of(w, other);
    return does_as_much(&x, &y, from / to) ? (uint32_t)(from / to) : 0;
}
