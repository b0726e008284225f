/* Steps that are not stored: the last one, which the thread that goes on with the result keeps in a register; and own
 * elements that are in a register but loaded again nevertheless. What a thread has in a register may have come there on
 * several paths - by a step it took part in, or as it was before - and the step may be taken by blocks of some size
 * only. Requires the steps that are stored; work is bounded by WALK values an operation. */
#include "pattern/pat_collect.h"

enum { WALK = 24 };

static void note_first(void *user, uint32_t insn, bool merged)
{
    uint32_t *first = user;
    (void)merged;
    *first = insn < *first ? insn : *first;
}

uint32_t pat_first_holder(struct pat_collect *k, graph_id node)
{
    uint32_t first = UINT32_MAX;
    pat_holders(k->x, node, note_first, &first);
    return first;
}

/* The last of the steps that a value may have come from, through meetings of paths; UINT32_MAX: it is of none. Whether
 * it can be nothing else is asked where steps are put together. */
static uint32_t step_behind(const struct pat_collect *k, const struct map_u64 *made, graph_id node)
{
    const struct graph *g = k->x->g;
    graph_id list[WALK] = {node};
    uint32_t found = UINT32_MAX, at;
    unsigned count = 1;
    for (unsigned i = 0; i < count; i++) {
        const struct graph_node *n = graph_at(g, list[i]);
        if (map_u64_get(made, list[i], &at)) {
            found = found == UINT32_MAX || k->steps.p[at].insn > k->steps.p[found].insn ? at : found;
            continue;
        }
        const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : &n->arg[1];
        unsigned most = n->kind == GRAPH_PHI ? n->phi_count : n->kind == UOP_SELECT ? 2 : 0;
        for (unsigned j = 0; j < most; j++) {
            bool known = false;
            for (unsigned w = 0; w < count && !known; w++)
                known = list[w] == args[j];
            if (!known && count == WALK)
                return UINT32_MAX;
            if (!known)
                list[count++] = args[j];
        }
    }
    return found;
}

/* `value` read as op(own, a load of another element), own being what a step made. */
static bool split_kept(struct pat_collect *k, const struct map_u64 *made, graph_id value, struct pat_step *s)
{
    struct pat_binary v;
    if (!pat_binary_of(k->x, value, &v))
        return false;
    for (int turn = 0; turn < 2; turn++) {
        graph_id own = turn ? v.b : v.a, other = turn ? v.a : v.b;
        int64_t bytes;
        uint32_t load = pat_shared_load(k->x, other, &bytes);
        uint32_t at = load == UINT32_MAX ? UINT32_MAX : step_behind(k, made, own);
        if (at == UINT32_MAX || !pat_alike(&k->steps.p[at].like, &v))
            continue;
        const struct graph_access *a = &k->x->g->accesses.p[load];
        *s = (struct pat_step){.insn = pat_first_holder(k, value),
                               .store = UINT32_MAX,
                               .load_own = UINT32_MAX,
                               .load_other = load,
                               .again = UINT32_MAX,
                               .value = value,
                               .own = own,
                               .other = other,
                               .when = a->runs_when,
                               .own_address = k->steps.p[at].own_address,
                               .other_address = a->address,
                               .other_bytes = bytes,
                               .width = k->steps.p[at].width,
                               .op = v.op,
                               .like = v,
                               .exact = v.exact};
        if (s->insn == UINT32_MAX)
            s->insn = k->x->g->accesses.p[load].insn + 1;
        return s->insn > k->steps.p[at].insn;
    }
    return false;
}

/* The last step need not be stored: the thread that has the result keeps it in a register. */
static void find_kept(struct pat_collect *k)
{
    struct graph *g = k->x->g;
    struct map_u64 made = {0}, inner = {0}; /* by value; what is chosen to be one */
    uint32_t at;
    size_t stored = k->steps.n;
    for (size_t i = 0; i < stored; i++) {
        const struct graph_node *n = graph_at(g, k->steps.p[i].value);
        map_u64_put(k->a, &made, k->steps.p[i].value, (uint32_t)i);
        for (unsigned arm = 1; arm <= 2 && n->kind == UOP_SELECT; arm++)
            map_u64_put(k->a, &inner, n->arg[arm], 1);
    }
    for (graph_id id = 1; stored && id < k->x->count; id++) {
        struct pat_step s;
        if (!k->x->live[id] || map_u64_get(&made, id, &at) || map_u64_get(&inner, id, &at))
            continue;
        bool found = split_kept(k, &made, id, &s);
        const struct graph_node n = *graph_at(g, id);
        for (unsigned arm = 1; arm <= 2 && !found && n.kind == UOP_SELECT; arm++) {
            /* Others keep what they had, or blocks of other sizes. */
            graph_id acts = arm == 1 ? n.arg[0] : graph_not(g, n.arg[0]);
            if (map_u64_get(&made, n.arg[arm], &at) || !split_kept(k, &made, n.arg[arm], &s) ||
                (s.own != n.arg[3 - arm] && s.own != graph_assume(g, n.arg[3 - arm], acts)))
                continue;
            found = true;
            s.own = n.arg[3 - arm];
            s.value = id;
            s.when = s.when == GRAPH_NIL ? acts : graph_and(g, s.when, acts);
            for (size_t i = k->steps.n; i-- > stored;)
                if (k->steps.p[i].value == n.arg[arm]) { /* the bare operation is a part of this step */
                    k->steps.p[i] = k->steps.p[--k->steps.n];
                    break;
                }
        }
        if (found)
            VEC_PUSH(k->a, k->steps, s);
    }
}

/* Loads whose value is known to be what the thread stored: by that value, the last one last. */
static void find_reloads(struct pat_collect *k)
{
    const struct graph *g = k->x->g;
    struct map_u64 last = {0};
    uint32_t at;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *a = &g->accesses.p[i];
        if (a->kind == GRAPH_LOAD && a->space == UOP_SHARED && a->result != GRAPH_NIL &&
            graph_at(g, a->result)->kind != UOP_LOAD)
            map_u64_put(k->a, &last, a->result, i);
    }
    for (size_t i = 0; i < k->steps.n; i++) {
        struct pat_step *s = &k->steps.p[i];
        if (s->load_own == UINT32_MAX && s->again == UINT32_MAX && map_u64_get(&last, s->own, &at) &&
            g->accesses.p[at].insn < s->insn && pat_same_place(g, g->accesses.p[at].address, 0, s->own_address))
            s->again = at;
    }
}

void pat_collect_kept(struct pat_collect *k)
{
    find_kept(k);
    find_reloads(k);
}
