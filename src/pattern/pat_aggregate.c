/* Atomic updates that a compiler does once for a warp (D13). Where all lanes run, the values are first put together by
 * shuffles and one lane updates memory; where some do not, each lane does it by itself:
 *
 *   if (ballot(true) != -1) old = atomicAdd(p, v);
 *   else                    { shuffles of v; if (lane == 31) atomicAdd(p, sum); old = what this lane would have got; }
 *
 * The way of the whole warp is a copy of the other: it is marked as a slow path is, the plain update is the kernel's.
 * Or one of the lanes that run is chosen, and updates by what the machine reduces over them:
 *
 *   if (laneId == index of the highest bit of ballot(true)) atomicAdd(p, reduce_add(v));
 *
 * Evidence is the question which lanes run, the same operation at the same address, and no other effect. Requires the
 * graph. Linear: the code behind a question is looked at as far as a bound. */
#include "pattern/pat_internal.h"

enum { QUESTIONS = 64, CODE_BEHIND = 256 };

static const struct uop_list *uops_of(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    return input < g->input.count ? g->input.insns[input].uops : NULL;
}

/* The mask of the lanes that run: a vote that asks nothing. */
static bool is_running(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    uint64_t bit;
    if (n->kind == UOP_UNIFORM)
        n = graph_at(g, n->arg[0]);
    return n->kind == UOP_BALLOT && graph_is_const(g, n->arg[0], &bit) && bit;
}

/* ballot(true) == -1 */
static bool asks_all(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    uint64_t bits;
    return n->kind == UOP_IEQ && n->imm == 32 && graph_is_const(g, n->arg[1], &bits) && (uint32_t)bits == UINT32_MAX &&
           is_running(g, n->arg[0]);
}

static bool is_lane_of(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (is_running(g, id))
        return true;
    bool through = n->kind == UOP_FLO || n->kind == UOP_BREV || n->kind == UOP_UNIFORM || n->kind == UOP_NEG ||
                   (n->kind == UOP_ADD && graph_is_const(g, n->arg[1], NULL));
    return through && depth < 6 && is_lane_of(g, n->arg[0], depth + 1);
}

/* laneId == the lane chosen among those that run */
static bool asks_chosen(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind != UOP_IEQ)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct graph_node *lane = graph_at(g, n->arg[i]);
        if (lane->kind == UOP_SREG && lane->imm == UOP_SR_LANEID && !is_running(g, n->arg[1 - i]) &&
            is_lane_of(g, n->arg[1 - i], 0))
            return true;
    }
    return false;
}

/* The operation an instance does to memory; false: none or another effect. */
static bool operation_of(const struct graph *g, uint32_t insn, uint64_t *atom)
{
    const struct uop_list *l = uops_of(g, insn);
    for (size_t i = 0; l && i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_ATOM || l->ops.p[i].kind == UOP_RED) {
            *atom = l->ops.p[i].imm;
            return true;
        }
    return false;
}

static bool has_other_effect(const struct graph *g, uint32_t insn)
{
    const struct uop_list *l = uops_of(g, insn);
    for (size_t i = 0; l && i < l->ops.n; i++)
        switch (l->ops.p[i].kind) {
        case UOP_STORE:
        case UOP_LOAD:
        case UOP_BAR:
        case UOP_CALL:
        case UOP_CALL_IND:
        case UOP_TRAP:
        case UOP_ASYNC_COPY:
        case UOP_FENCE:
        case UOP_MMA: return true;
        default: break;
        }
    return !l || l->unknown;
}

static bool ends(const struct graph *g, uint32_t insn)
{
    const struct uop_list *l = uops_of(g, insn);
    for (size_t i = 0; l && i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_EXIT)
            return true;
    return false;
}

static bool same_place(const struct graph_access *a, const struct graph_access *b)
{
    return a->address == b->address && a->space == b->space && a->width == b->width;
}

bool pat_aggregate_reduces(const struct graph *g, const struct graph_access *a, graph_id *reduced)
{
    graph_id atoms[6];
    unsigned count = 0;
    uint64_t table, atom;
    if (a->kind != GRAPH_ATOMIC || a->runs_when == GRAPH_NIL || !graph_table(g, a->runs_when, atoms, &count, &table) ||
        !operation_of(g, a->insn, &atom))
        return false;
    bool chosen = false;
    for (unsigned i = 0; i < count; i++)
        chosen |= asks_chosen(g, atoms[i]);
    graph_id value = a->value[0];
    if (graph_at(g, value)->kind == UOP_UNIFORM)
        value = graph_at(g, value)->arg[0];
    *reduced = value;
    const struct graph_node *n = graph_at(g, value);
    return chosen && n->kind == UOP_REDUX && n->imm == atom;
}

/* What the plain update gives, where both ways' results come together. */
static void add_result(struct pat_index *x, struct pat_expanded *e, const struct graph_access *plain, graph_id all)
{
    uint32_t count = 0;
    const graph_id *users = plain->result != GRAPH_NIL ? graph_users(x->g, plain->result, &count) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *n = graph_at(x->g, users[i]);
        if (n->kind != UOP_SELECT || n->arg[0] != all || n->arg[2] != plain->result || pat_reading_of(x, users[i]))
            continue;
        struct pat_reading r = {.node = users[i], .as = plain->result, .closed = true, .owned = true};
        VEC_PUSH(x->a, e->list, r);
        map_u64_put(x->a, &e->of, users[i], (uint32_t)e->list.n - 1);
    }
}

static void mark(void *user, uint32_t insn, bool merged)
{
    struct pat_aggregates *m = user;
    (void)merged;
    if (!m->owner[insn])
        m->owner[insn] = m->number;
    m->mine[insn] = true;
}

/* `plain` runs where not all lanes do. */
static void find_whole(struct pat_index *x, struct pat_expanded *e, const struct graph_access *plain, graph_id all,
                       struct pat_aggregates *m)
{
    struct graph *g = x->g;
    uint64_t atom, other;
    const struct graph_access *whole = NULL;
    uint32_t last = plain->insn + CODE_BEHIND < g->insns.n ? plain->insn + CODE_BEHIND : (uint32_t)g->insns.n;
    uint32_t first = plain->insn > CODE_BEHIND ? plain->insn - CODE_BEHIND : 0;
    VEC(uint32_t) way = {0};
    if (!operation_of(g, plain->insn, &atom))
        return;
    for (uint32_t i = first; i < last; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        if (!n->reachable || n->runs_when == GRAPH_NIL || !graph_implies(g, n->runs_when, all))
            continue;
        if (operation_of(g, i, &other)) {
            if (whole || other != atom || !n->access_count || !same_place(&g->accesses.p[n->first_access], plain))
                return;
            whole = &g->accesses.p[n->first_access];
        } else if (has_other_effect(g, i)) {
            return;
        }
        if (!ends(g, i))
            VEC_PUSH(x->a, way, i);
    }
    if (!whole)
        return;
    for (size_t i = 0; i < way.n; i++) {
        mark(m, way.p[i], false);
        m->slow[way.p[i]] = true;
    }
    pat_holders(x, all, mark, m);
    pat_holders(x, graph_not(g, all), mark, m);
    pat_holders(x, graph_at(g, all)->arg[0], mark, m);
    for (size_t i = 0; i < g->blocks.n; i++) {
        graph_id branch = g->blocks.p[i].branch;
        if (g->blocks.p[i].reachable && branch != GRAPH_NIL && (branch == all || branch == graph_not(g, all)))
            mark(m, g->blocks.p[i].last, false);
    }
    m->part[all] = m->part[graph_at(g, all)->arg[0]] = true;
    add_result(x, e, plain, all);
}

void pat_find_aggregates(struct pat_index *x, struct pat_expanded *e, struct pat_aggregates *m)
{
    struct graph *g = x->g;
    unsigned questions = 0;
    for (size_t i = 0; i < g->accesses.n && questions < QUESTIONS; i++) {
        const struct graph_access a = g->accesses.p[i];
        graph_id atoms[6];
        unsigned count = 0;
        uint64_t table;
        if (a.kind != GRAPH_ATOMIC || a.runs_when == GRAPH_NIL || !graph_table(g, a.runs_when, atoms, &count, &table))
            continue;
        for (unsigned k = 0; k < count; k++) {
            if (atoms[k] >= x->count || !asks_all(g, atoms[k]) ||
                !graph_implies(g, a.runs_when, graph_not(g, atoms[k])))
                continue;
            questions++;
            find_whole(x, e, &a, atoms[k], m);
        }
    }
}
