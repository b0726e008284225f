/* Which nodes reach an effect: an access, a condition, a branch, a call, another thread. The graph
 * also holds what registers contained without anybody looking (a guarded write merges with whatever
 * was there before): such nodes must not tell how a value is used. Signs: which values cannot be
 * negative, so that C's signed and unsigned readings agree. */
#include "meaning/mean_internal.h"

static void mark(struct mean *m, graph_id id)
{
    if (id != GRAPH_NIL && id < m->work->live_count)
        m->work->live[id] = 1;
}

/* Kinds whose instructions take registers for an effect of their own. */
static bool is_effect(unsigned kind)
{
    switch (kind) {
    case UOP_CONST:
    case UOP_READ:
    case UOP_WRITE:
    case UOP_SREG:
    case UOP_CBANK:
    case UOP_PC:
    case UOP_UNDEF:
    case UOP_LOAD:
    case UOP_ELEMENT:
    case UOP_NOP:
    case UOP_RECONVERGE:
    case UOP_EXIT: return false;
    default: return !uop_is_pure((enum uop_kind)kind);
    }
}

enum sp_status mean_find_live(struct mean *m)
{
    const struct graph *g = m->g;
    m->work->live_count = g->nodes.n;
    m->work->live = ARENA_ARRAY(m->a, uint8_t, g->nodes.n);
    if (!m->work->live)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        mark(m, x->address);
        mark(m, x->runs_when);
        for (unsigned w = 0; w < 4 && x->kind != GRAPH_LOAD; w++)
            mark(m, x->value[w]);
    }
    for (size_t i = 0; i < g->blocks.n; i++)
        mark(m, g->blocks.p[i].branch);
    for (size_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        const struct uop_list *l = g->input.insns[n->input].uops;
        bool effect = l->unknown;
        for (size_t k = 0; k < l->ops.n; k++)
            effect |= is_effect(l->ops.p[k].kind);
        mark(m, n->guard);
        for (uint32_t u = n->first_use; u < n->first_use + n->use_count && effect && n->access_count == 0; u++)
            mark(m, g->uses.p[u].node);
    }
    /* Arguments have smaller numbers, but for loop phis: again until nothing is new. */
    for (bool again = true; again;) {
        again = false;
        for (graph_id id = (graph_id)m->work->live_count; id-- > 1;) {
            const struct graph_node *n = graph_at(g, id);
            const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
            uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
            for (uint32_t k = 0; k < count && m->work->live[id]; k++) {
                again |= args[k] > id && args[k] < m->work->live_count && !m->work->live[args[k]];
                mark(m, args[k]);
            }
        }
    }
    return SP_OK;
}

bool mean_is_live(const struct mean *m, graph_id id)
{
    return !m->work->live || id >= m->work->live_count || m->work->live[id];
}

enum { SIGN_DEPTH = 6, SIGN_WAYS = 4, BLOCK_WIDEST = 1024, LANES = 32 };

/* No more than this, whatever the inputs, for what is small by itself: numbers of threads, what bits were taken of,
 * sums of both. UINT64_MAX: nobody says. */
uint64_t mean_upper_bound(const struct mean *m, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(m->g, id);
    uint64_t k, a, b;
    if (depth > SIGN_DEPTH || uop_type_bits((enum uop_type)n->type) < 32)
        return UINT64_MAX;
    switch (n->kind) {
    case UOP_CONST: return n->imm;
    case UOP_SREG:
        return n->imm <= UOP_SR_TID_Z                               ? BLOCK_WIDEST - 1
               : n->imm >= UOP_SR_NTID_X && n->imm <= UOP_SR_NTID_Z ? BLOCK_WIDEST
               : n->imm == UOP_SR_LANEID                            ? LANES - 1
                                                                    : UINT64_MAX;
    case UOP_ZEXT: return n->imm < 32 ? (UINT64_C(1) << n->imm) - 1 : UINT64_MAX;
    case UOP_AND: return graph_is_const(m->g, n->arg[1], &k) ? k : UINT64_MAX;
    case UOP_SHR:
        a = mean_upper_bound(m, n->arg[0], depth + 1);
        if (a == UINT64_MAX && n->type == UOP_B32)
            a = UINT32_MAX;
        return a != UINT64_MAX && graph_is_const(m->g, n->arg[1], &k) && k < 64 ? a >> k : a;
    case UOP_ADD:
    case UOP_MUL:
        a = mean_upper_bound(m, n->arg[0], depth + 1);
        b = a > INT32_MAX ? UINT64_MAX : mean_upper_bound(m, n->arg[1], depth + 1);
        return a > INT32_MAX || b > INT32_MAX ? UINT64_MAX : n->kind == UOP_ADD ? a + b : a * b;
    default: return UINT64_MAX;
    }
}

bool mean_is_nonnegative(const struct mean *m, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(m->g, id);
    unsigned width = uop_type_bits((enum uop_type)n->type);
    uint64_t k;
    if (depth > SIGN_DEPTH)
        return false;
    switch (n->kind) {
    case UOP_CONST: return !(n->imm >> (width - 1) & 1);
    case UOP_SREG: return n->imm <= UOP_SR_LANEID; /* block and grid dimensions are below 2^31 */
    case UOP_POPC:
    case UOP_BAR_GIVES: return true;
    case UOP_ZEXT: return n->imm < width;
    case UOP_SHR: return (graph_is_const(m->g, n->arg[1], &k) && k > 0) || mean_is_nonnegative(m, n->arg[0], depth + 1);
    case UOP_SAR: return mean_is_nonnegative(m, n->arg[0], depth + 1);
    case UOP_AND: return mean_is_nonnegative(m, n->arg[0], depth + 1) || mean_is_nonnegative(m, n->arg[1], depth + 1);
    case UOP_SELECT:
        return mean_is_nonnegative(m, n->arg[1], depth + 1) && mean_is_nonnegative(m, n->arg[2], depth + 1);
    case GRAPH_PHI:
        if (n->phi_count > SIGN_WAYS)
            return false;
        for (uint32_t i = 0; i < n->phi_count; i++) {
            const struct graph_node *step = graph_at(m->g, n->phi_args[i]);
            /* Halving what is not negative keeps it so: by induction over the turns. */
            bool halves = (step->kind == UOP_SHR || step->kind == UOP_SAR) && step->arg[0] == id;
            if (!halves && (n->phi_args[i] >= id || !mean_is_nonnegative(m, n->phi_args[i], depth + 1)))
                return false;
        }
        return n->phi_count > 0;
    case UOP_ADD:
    case UOP_MUL: return mean_upper_bound(m, id, 0) <= INT32_MAX;
    default: return false;
    }
}
