/* Where the result of a reduction is read: the element that holds it, by whoever loads it; the register of the last
 * step; a copy that one thread stored for the others; a lane that handed it round. And what a reduction is of: the
 * values that were brought, or the partial results of another one. Requires matched steps and memory dependence;
 * depth is bounded. */
#include "pattern/pat_collect.h"

enum { DEPTH = 16, SEARCH = 4096 };

static bool in_list(const uint32_t *p, size_t n, uint32_t what)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] == what)
            return true;
    return false;
}

static bool is_partial(const struct pat_collective *v, graph_id node)
{
    return in_list(v->values.p, v->values.n, node) || in_list(v->inputs.p, v->inputs.n, node);
}

/* `part`: of a tree that another reduction finishes. `first`: whoever asks runs in the first thread only; else every
 * thread must have the result. */
static struct pat_collective *resolve(struct pat_collect *k, graph_id node, bool part, bool first, unsigned depth);

/* All threads that made the first store have met before any makes the second. */
static bool is_parted(const struct graph *g, const struct graph_reach *first, uint32_t second)
{
    for (uint32_t i = 0; i < first->barrier_count; i++)
        if (first->barriers[i] > g->accesses.p[first->store].insn && first->barriers[i] < second)
            return true;
    return false;
}

/* What a store left that may reach a load is gone where another one wrote all of it since, or what the load reads, the
 * same for all threads. */
static bool is_overwritten(struct pat_collect *k, uint32_t at, const struct graph_reach *old)
{
    const struct graph_dependence *d = k->x->g->dependence;
    const struct graph_access *load = &k->x->g->accesses.p[at];
    const uint32_t store = old->store;
    bool one = !pat_differs_in_block(k->play, load->address);
    for (uint32_t r = d->first_reach[at]; r < d->first_reach[at + 1]; r++) {
        const struct graph_reach *reach = &d->reaches.p[r];
        const struct graph_access *later = &k->x->g->accesses.p[reach->store];
        if (reach->store == store || reach->may || reach->sync != GRAPH_SYNC_BARRIER || later->insn >= load->insn ||
            later->insn <= k->x->g->accesses.p[store].insn)
            continue;
        if (pat_play_overwrites(k->play, store, reach->store, UINT32_MAX) ||
            (one && old->sync == GRAPH_SYNC_BARRIER && is_parted(k->x->g, old, later->insn) &&
             pat_play_overwrites(k->play, store, reach->store, at)))
            return true;
    }
    return false;
}

/* A load of what threads that have a result stored of it: the same for all that load; or, where another reduction `of`
 * is of it, the results of all warps, one a lane. */
static struct pat_collective *resolve_stored(struct pat_collect *k, uint32_t at, struct pat_collective *of,
                                             unsigned depth)
{
    const struct graph_dependence *d = k->x->g->dependence;
    const struct graph_access load = k->x->g->accesses.p[at];
    struct pat_collective *found = NULL;
    bool filled = false;
    if (pat_collect_races(k, at, NULL, 0))
        return NULL;
    for (uint32_t r = d->first_reach[at]; r < d->first_reach[at + 1]; r++)
        filled |= of && pat_is_neutral(k->x->g, &of->like, k->x->g->accesses.p[d->reaches.p[r].store].value[0]);
    for (uint32_t r = d->first_reach[at]; r < d->first_reach[at + 1]; r++) {
        const struct graph_reach *reach = &d->reaches.p[r];
        const struct graph_access s = k->x->g->accesses.p[reach->store];
        if (reach->sync != GRAPH_SYNC_OWN && reach->sync != GRAPH_SYNC_BARRIER && reach->sync != GRAPH_SYNC_WARP)
            return NULL;
        if (s.kind != GRAPH_STORE || s.width != load.width || (!reach->may && reach->element != 0))
            return NULL;
        if (of && pat_is_neutral(k->x->g, &of->like, s.value[0]))
            continue; /* neutral elements for lanes without a warp */
        if (d->first_reach[at + 1] - d->first_reach[at] <= 8 && is_overwritten(k, at, reach))
            continue;
        struct pat_collective *one = resolve(k, s.value[0], false, true, depth + 1);
        struct pat_handed how = {.everywhere = one && one->everywhere,
                                 .filled = filled,
                                 .again = of && pat_op_again(of->op),
                                 .lanes = of ? of->width : 0};
        if (!one || one->down || (found && one != found))
            return NULL;
        if (of ? one->reach != PAT_IN_WARP || one->width != 32 || !pat_play_hands_over(k->play, reach->store, at, &how)
               : reach->may || one->reach != PAT_IN_BLOCK ||
                     !pat_play_stores_first(k->play, &s, one->everywhere && one->stores.n))
            return NULL;
        if (of) {
            of->everywhere &= how.to_all;
            of->rests |= !how.always;
        }
        found = one;
    }
    return found;
}

static struct pat_collective *resolve_copy(struct pat_collect *k, uint32_t at, unsigned depth)
{
    return pat_differs_in_block(k->play, k->x->g->accesses.p[at].address) ? NULL : resolve_stored(k, at, NULL, depth);
}

/* A load of the element that holds a result, or of what one thread stored of it. */
static struct pat_collective *resolve_load(struct pat_collect *k, graph_id node, bool part, unsigned depth)
{
    const struct graph_dependence *d = k->x->g->dependence;
    uint32_t at;
    struct pat_collective *found = NULL;
    if (!d || !d->first_reach || !map_u64_get(&k->x->first_load, node, &at))
        return NULL;
    const struct graph_access load = k->x->g->accesses.p[at];
    if (d->first_reach[at] == d->first_reach[at + 1])
        return NULL;
    /* A tree whose last step one of the stores is. */
    for (uint32_t r = d->first_reach[at]; r < d->first_reach[at + 1] && !found; r++) {
        for (size_t i = 0; i < k->list.n && !found; i++) {
            struct pat_collective *v = k->list.p[i];
            if (in_list(v->stores.p, v->stores.n, d->reaches.p[r].store) && load.insn > v->first)
                found = v;
        }
    }
    if (found) {
        if (part ? found->outcome != PAT_PART : found->outcome != PAT_ALL_IN_ONE)
            return NULL;
        for (uint32_t r = d->first_reach[at]; r < d->first_reach[at + 1]; r++) {
            const struct graph_reach *reach = &d->reaches.p[r];
            /* Which thread stores the element in the last step was played; it must be that step, behind a barrier. */
            bool last = reach->store == found->stores.p[found->stores.n - 1] && reach->sync == GRAPH_SYNC_BARRIER;
            if ((reach->may && !last) || reach->sync == GRAPH_SYNC_UNKNOWN || reach->sync == GRAPH_SYNC_NONE)
                return NULL;
            if (!in_list(found->stores.p, found->stores.n, reach->store) &&
                !in_list(found->fills.p, found->fills.n, reach->store))
                return NULL;
        }
        if (part || found->everywhere)
            return found;
        bool reads = true;
        for (unsigned column = 0; column < (found->down ? 3 : 1) && reads; column++) {
            pat_play_down(k->play, found->down, column);
            reads = pat_play_reads_first(k->play, load.address, found->result_address, load.width, load.runs_when);
        }
        pat_play_down(k->play, false, 0);
        return reads ? found : NULL;
    }
    return part ? NULL : resolve_copy(k, at, depth);
}

static struct pat_collective *resolve(struct pat_collect *k, graph_id node, bool part, bool first, unsigned depth)
{
    struct graph *g = k->x->g;
    if (node == GRAPH_NIL || depth > DEPTH || !k->left)
        return NULL;
    k->left--;
    const struct graph_node n = *graph_at(g, node);
    if (n.kind == UOP_CONST)
        return NULL;
    for (size_t i = k->list.n; i-- > 0;) {
        struct pat_collective *v = k->list.p[i];
        bool wanted = part ? v->outcome == PAT_PART : v->outcome == PAT_ALL_IN_ONE;
        uint32_t at;
        if (wanted && (first || part || v->everywhere) &&
            ((v->values.n && v->values.p[v->values.n - 1] == node) || map_u64_get(&v->partial, node, &at)))
            return v;
    }
    struct pat_collective *found = NULL, *one;
    switch (n.kind) {
    case UOP_LOAD: return resolve_load(k, node, part, depth);
    case UOP_UNIFORM: return resolve(k, n.arg[0], part, first, depth + 1);
    case UOP_SHFL: {
        uint64_t lane;
        one = resolve(k, n.arg[0], part, true, depth + 1);
        return one && (one->everywhere || (n.imm == 0 && graph_is_const(g, n.arg[1], &lane) && lane == 0)) ? one : NULL;
    }
    case UOP_SELECT:
        for (unsigned i = 1; i <= 2; i++) {
            one = resolve(k, n.arg[i], part, first, depth + 1);
            if (one && found && one != found)
                return NULL;
            found = one ? one : found;
        }
        for (unsigned i = 1; found && i <= 2; i++)
            if (!pat_is_neutral(g, &found->like, n.arg[i]) && !is_partial(found, n.arg[i]) &&
                resolve(k, n.arg[i], part, first, depth + 1) != found)
                return NULL;
        return found;
    case GRAPH_PHI:
        for (uint32_t i = 0; i < n.phi_count; i++) {
            one = n.phi_args[i] == node ? NULL : resolve(k, n.phi_args[i], part, first, depth + 4);
            if (one && found && one != found) { /* what a loop of steps takes in may be a result of smaller reach */
                bool before = is_partial(found, n.phi_args[i]), all = !before;
                for (uint32_t j = 0; j < i && all; j++)
                    all = is_partial(one, n.phi_args[j]);
                if (!before && !all)
                    return NULL;
                one = before ? found : one;
            }
            found = one ? one : found;
        }
        for (uint32_t i = 0; found && i < n.phi_count; i++)
            if (!pat_is_neutral(g, &found->like, n.phi_args[i]) && !is_partial(found, n.phi_args[i]) &&
                resolve(k, n.phi_args[i], part, first, depth + 4) != found)
                return NULL;
        return found;
    default: return NULL;
    }
}

struct pat_collective *pat_collect_result(struct pat_collect *k, graph_id node)
{
    if (!k || !k->ready)
        return NULL;
    k->left = SEARCH;
    struct pat_collective *v = resolve(k, node, false, false, 0);
    bool part = v && (v->down || (v->reach == PAT_IN_WARP && v->width < 32)); /* no one's row */
    return part ? NULL : v;
}

struct pat_collective *pat_collect_first(struct pat_collect *k, graph_id node)
{
    k->left = SEARCH;
    return resolve(k, node, false, true, 0);
}

static struct pat_collective *inner_of(struct pat_collect *k, struct pat_collective *of, graph_id input, unsigned depth)
{
    k->left = SEARCH;
    struct pat_collective *v = resolve(k, input, true, true, 0);
    uint32_t at;
    if (v && v->finisher != of) /* what is left of a tree is for the reduction that takes just that */
        return NULL;
    if (!v)
        v = resolve(k, input, false, false, 0);
    if (v)
        return v->down ? NULL : v;
    const struct graph_node *n = graph_at(k->x->g, input);
    for (unsigned arm = 1; arm <= 2 && n->kind == UOP_SELECT && depth < 8; arm++)
        if (pat_is_neutral(k->x->g, &of->like, n->arg[arm]))
            return inner_of(k, of, n->arg[3 - arm], depth + 1);
    if (n->kind == GRAPH_PHI && depth < 8) { /* lanes without a warp took another way, with something neutral */
        graph_id only = GRAPH_NIL;
        bool one = true;
        for (uint32_t i = 0; i < n->phi_count; i++)
            if (!pat_is_neutral(k->x->g, &of->like, n->phi_args[i])) {
                one &= only == GRAPH_NIL || only == n->phi_args[i];
                only = n->phi_args[i];
            }
        if (one && only != GRAPH_NIL && only != input)
            return inner_of(k, of, only, depth + 1);
    }
    const struct graph_dependence *d = k->x->g->dependence;
    if (!d || !d->first_reach || !map_u64_get(&k->x->first_load, input, &at) || of->reach == PAT_IN_THREAD)
        return NULL;
    return resolve_stored(k, at, of, 0);
}

struct pat_collective *pat_collect_inner(struct pat_collect *k, struct pat_collective *of, graph_id input)
{
    if (of->chained)
        return of->of;
    return k && k->ready ? inner_of(k, of, input, 0) : NULL;
}

/* The lanes load just what is left of a tree, each one element; `behind` elements from the first ones. */
static struct pat_collective *part_at(struct pat_collect *k, struct pat_collective *lanes, graph_id node,
                                      unsigned behind)
{
    struct pat_collective *part = resolve(k, node, true, true, 0);
    uint32_t at;
    bool to_all = true;
    if (!part || !pat_alike(&part->like, &lanes->like) || !map_u64_get(&k->x->first_load, node, &at))
        return part && pat_alike(&part->like, &lanes->like) && !behind && part->values.p[part->values.n - 1] == node
                   ? part
                   : NULL;
    const struct graph_access *load = &k->x->g->accesses.p[at];
    if (!pat_play_reads_rest(k->play, load, part->result_address, lanes->width, behind, &to_all))
        return NULL;
    lanes->everywhere &= to_all;
    return part;
}

/* A tree that stops at some elements is whole when a reduction between lanes takes just these; where there are two for
 * each lane, the lane combines them first. */
static void join_part(struct pat_collect *k, struct pat_collective *lanes)
{
    k->left = SEARCH;
    for (size_t i = 0; i < lanes->inputs.n; i++) {
        struct pat_binary v;
        struct pat_collective *part = part_at(k, lanes, lanes->inputs.p[i], 0);
        if (part && part->left != lanes->width)
            continue;
        if (!part && pat_binary_of(k->x, lanes->inputs.p[i], &v) && pat_alike(&v, &lanes->like))
            for (int turn = 0; turn < 2 && !part; turn++) {
                graph_id low = turn ? v.b : v.a, high = turn ? v.a : v.b;
                part = part_at(k, lanes, low, 0);
                if (part && (part->left != 2 * lanes->width || part_at(k, lanes, high, lanes->width) != part))
                    part = NULL;
                if (part)
                    lanes->inputs.p[i] = low;
            }
        if (!part)
            continue;
        part->finisher = lanes;
        if (part->found)
            part->found->held = false;
    }
}

/* Whoever reduces what the warps of a block, or all its threads through shared memory, have, has the block's result. */
static void widen(struct pat_collect *k, struct pat_collective *v)
{
    for (size_t i = 0; i < v->inputs.n; i++) {
        const struct pat_collective *inner = pat_collect_inner(k, v, v->inputs.p[i]);
        if (inner && inner != v && pat_alike(&inner->like, &v->like) && inner->reach != PAT_IN_THREAD)
            v->reach = PAT_IN_BLOCK;
    }
}

/* ---- who reads a result ---------------------------------------------------------------------- */

static bool first_thread_acts(struct pat_collect *k, graph_id when)
{
    return pat_play_acts(k->play, when, 0);
}

/* Does the first thread do anything with a value? What others do with theirs is not the result. */
static bool is_used_by_first(struct pat_collect *k, graph_id value, const struct pat_collective *v)
{
    const struct graph *g = k->x->g;
    struct map_u64 seen = {0};
    VEC(graph_id) list = {0};
    uint32_t at;
    VEC_PUSH(k->a, list, value);
    map_u64_put(k->a, &seen, value, 1);
    for (size_t i = 0; i < list.n && list.n < SEARCH; i++) {
        const struct graph_node *n = graph_at(g, list.p[i]);
        uint64_t lane;
        if (i && n->kind == UOP_SHFL) {
            if (n->imm != 0 || !graph_is_const(g, n->arg[1], &lane) || lane == 0)
                return true;
            continue;
        }
        if (i && n->kind != GRAPH_PHI && n->kind != UOP_UNIFORM && !pat_is_pure(n))
            return true;
        uint32_t users;
        const graph_id *user = graph_users(g, list.p[i], &users);
        for (uint32_t u = 0; u < users; u++)
            if (!map_u64_get(&seen, user[u], &at)) {
                map_u64_put(k->a, &seen, user[u], 1);
                VEC_PUSH(k->a, list, user[u]);
            }
    }
    if (list.n >= SEARCH)
        return true;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access a = g->accesses.p[i];
        bool uses = map_u64_get(&seen, a.address, &at) || (a.runs_when && map_u64_get(&seen, a.runs_when, &at));
        for (unsigned w = 0; w < 2; w++)
            uses |= a.value[w] != GRAPH_NIL && map_u64_get(&seen, a.value[w], &at);
        if (uses && !in_list(v->stores.p, v->stores.n, i) && first_thread_acts(k, a.runs_when))
            return true;
    }
    for (uint32_t b = 0; b < g->blocks.n; b++)
        if (g->blocks.p[b].branch != GRAPH_NIL && map_u64_get(&seen, g->blocks.p[b].branch, &at))
            return true;
    return false;
}

/* The result is that of the first thread, or its element: it must be read from there. */
static bool is_read(struct pat_collect *k, struct pat_collective *v)
{
    const struct graph_dependence *d = k->x->g->dependence;
    struct graph *g = k->x->g;
    if (!v->values.n || is_used_by_first(k, v->values.p[v->values.n - 1], v))
        return true;
    for (uint32_t i = 0; i < g->accesses.n && v->stores.n && d && d->first_reach; i++) {
        const struct graph_access *a = &g->accesses.p[i];
        bool reaches = false;
        if (a->kind != GRAPH_LOAD || a->value[0] == GRAPH_NIL)
            continue;
        for (uint32_t r = d->first_reach[i]; r < d->first_reach[i + 1] && !reaches; r++)
            reaches = in_list(v->stores.p, v->stores.n, d->reaches.p[r].store);
        k->left = SEARCH;
        if (reaches && !k->step_load[i] && resolve_load(k, a->value[0], false, 0) == v)
            return true;
    }
    return false;
}

void pat_collect_join(struct pat_collect *k)
{
    k->ready = true;
    for (size_t i = 0; i < k->list.n; i++)
        if (k->list.p[i]->reach == PAT_IN_WARP && k->list.p[i]->outcome == PAT_ALL_IN_ONE)
            join_part(k, k->list.p[i]);
    for (size_t i = 0; i < k->list.n; i++) {
        struct pat_collective *v = k->list.p[i];
        if (v->found && v->outcome == PAT_ALL_IN_ONE && !v->everywhere && !is_read(k, v)) {
            v->found->held = true;
            v->outcome = PAT_NOTHING;
        }
    }
    for (size_t i = 0; i < k->list.n; i++)
        if (k->list.p[i]->reach == PAT_IN_WARP && k->list.p[i]->outcome == PAT_ALL_IN_ONE)
            widen(k, k->list.p[i]);
    pat_collect_chains(k);
    for (size_t i = 0; i < k->list.n; i++)
        if (k->list.p[i]->found)
            k->list.p[i]->found->rests = k->list.p[i]->rests;
}

enum { SEES_MAX = 2048 };
struct walk {
    struct pat_collect *k;
    struct map_u64 seen; /* 1 being looked at, 2 no, 3 yes */
    VEC(graph_id) marked;
    const struct graph_cycle *cycle;
    enum pat_op op;
    bool scaled; /* the accumulator is multiplied on its way */
    unsigned left;
};

static bool in_cycle(const struct graph *g, const struct graph_cycle *y, uint32_t block)
{
    uint32_t first = g->blocks.p[block].first;
    return first >= y->first && first <= y->last;
}

/* Does a value come from a phi through sums and products? */
static bool comes_from(struct walk *w, graph_id id, graph_id phi, struct map_u64 *seen, unsigned depth)
{
    uint32_t known;
    const struct graph_node n = *graph_at(w->k->x->g, id);
    if (id == phi)
        return true;
    if (depth > 200 || !w->left || map_u64_get(seen, id, &known))
        return false;
    w->left--;
    map_u64_put(w->k->a, seen, id, 1);
    bool sum = n.kind == UOP_FADD || n.kind == UOP_FMUL || n.kind == UOP_FFMA || n.kind == UOP_SELECT;
    for (unsigned i = n.kind == UOP_SELECT; i < n.arg_count && sum; i++)
        if (comes_from(w, n.arg[i], phi, seen, depth + 1))
            return true;
    for (uint32_t i = 0; i < n.phi_count && n.kind == GRAPH_PHI; i++)
        if (comes_from(w, n.phi_args[i], phi, seen, depth + 1))
            return true;
    return false;
}

static bool goes_round(struct walk *w, graph_id phi)
{
    const struct graph_node n = *graph_at(w->k->x->g, phi);
    for (uint32_t i = 0; i < n.phi_count; i++) {
        struct map_u64 seen = {0};
        if (n.phi_args[i] != phi && comes_from(w, n.phi_args[i], phi, &seen, 0))
            return true;
    }
    return false;
}

/* Is a value, through meetings of paths and the operation, one of the accumulator that goes round the loop? */
static bool is_accumulator(struct walk *w, graph_id id, unsigned depth)
{
    const struct graph *g = w->k->x->g;
    uint32_t state;
    if (id == GRAPH_NIL || id >= w->k->x->count || depth > 400 || !w->left)
        return false;
    if (map_u64_get(&w->seen, id, &state))
        return state == 3;
    w->left--;
    map_u64_put(w->k->a, &w->seen, id, 1);
    VEC_PUSH(w->k->a, w->marked, id);
    const struct graph_node n = *graph_at(g, id);
    struct pat_binary v;
    bool yes = false;
    if (n.kind == GRAPH_PHI) {
        yes = graph_is_loop_phi(g, id) && in_cycle(g, w->cycle, n.block) && (!w->scaled || goes_round(w, id));
        if (yes)
            map_u64_put(w->k->a, &w->seen, id, 3);
        for (uint32_t i = 0; i < n.phi_count; i++)
            yes |= is_accumulator(w, n.phi_args[i], depth + 1);
    } else if (w->scaled && (n.kind == UOP_FADD || n.kind == UOP_FMUL || n.kind == UOP_FFMA)) {
        for (unsigned i = 0; i < n.arg_count; i++)
            yes |= is_accumulator(w, n.arg[i], depth + 1);
    } else if (!w->scaled && pat_binary_of(w->k->x, id, &v) && v.op == w->op) {
        yes = is_accumulator(w, v.a, depth + 1);
        yes |= is_accumulator(w, v.b, depth + 1);
    } else if (n.kind == UOP_SELECT) {
        yes = is_accumulator(w, n.arg[1], depth + 1);
        yes |= is_accumulator(w, n.arg[2], depth + 1);
    }
    map_u64_put(w->k->a, &w->seen, id, yes ? 3 : 2);
    return yes;
}

static void note_first(void *user, uint32_t insn, bool merged)
{
    uint32_t *first = user;
    (void)merged;
    *first = insn < *first ? insn : *first;
}

/* A piece behind the loop goes on with what the loop left: the operation again, in code of the same loop. */
static bool goes_on(struct walk *w, graph_id id)
{
    const struct graph_node *n = graph_at(w->k->x->g, id);
    struct pat_binary v;
    uint32_t at = UINT32_MAX;
    bool step = w->scaled ? n->kind == UOP_FADD || n->kind == UOP_FMUL || n->kind == UOP_FFMA
                          : pat_binary_of(w->k->x, id, &v) && v.op == w->op;
    if (!step || id >= w->k->x->count)
        return false;
    pat_holders(w->k->x, id, note_first, &at);
    return at >= w->cycle->first && at <= w->cycle->last;
}

/* A value that is what a phi holds and more taken in by the operation. */
static bool takes_more(struct walk *w, const struct pat_binary *like, graph_id id, graph_id phi, unsigned depth)
{
    struct pat_binary v;
    if (id == phi)
        return true;
    if (depth > 80 || !w->left)
        return false;
    w->left--;
    return pat_binary_of(w->k->x, id, &v) && pat_alike(&v, like) &&
           takes_more(w, like, v.a, phi, depth + 1) != takes_more(w, like, v.b, phi, depth + 1);
}

/* A later loop of the same source goes on with what the one before left. */
static bool goes_on_turning(struct walk *w, const struct pat_collective *c, graph_id id)
{
    const struct graph *g = w->k->x->g;
    const struct graph_node n = *graph_at(g, id);
    uint32_t state;
    if (n.kind != GRAPH_PHI || w->scaled || !graph_is_loop_phi(g, id) || !in_cycle(g, w->cycle, n.block))
        return false;
    for (uint32_t i = 0; i < n.phi_count; i++)
        if (!map_u64_get(&c->partial, n.phi_args[i], &state) && !pat_is_neutral(g, &c->like, n.phi_args[i]) &&
            !takes_more(w, &c->like, n.phi_args[i], id, 0))
            return false;
    return true;
}

/* The one that comes next in the list of collectives has `id` as a partial value. */
static void add_partial(struct pat_collect *k, struct pat_collective *c, graph_id id)
{
    struct pat_part_of p = {(uint32_t)k->list.n, UINT32_MAX};
    uint32_t at = (uint32_t)k->partials.n;
    map_u64_get(&k->partial_of, id, &p.next);
    VEC_PUSH(k->a, k->partials, p);
    if (k->partials.n > at && map_u64_put(k->a, &k->partial_of, id, at))
        map_u64_put(k->a, &c->partial, id, 1);
}

/* All that the accumulator is: the pieces of a loop leave it behind in several values, each on its path. */
static void find_partial(struct pat_collect *k, struct pat_collective *c, uint32_t cycle, bool scaled, graph_id result,
                         graph_id out, graph_id start)
{
    struct walk w = {
        .k = k, .cycle = &k->x->g->cycles->cycles.p[cycle], .op = c->op, .scaled = scaled, .left = 8 * SEES_MAX};
    uint32_t state;
    is_accumulator(&w, result, 0);
    is_accumulator(&w, out, 0);
    for (size_t i = 0; i < w.marked.n; i++)
        if (map_u64_get(&w.seen, w.marked.p[i], &state) && state == 3)
            add_partial(k, c, w.marked.p[i]);
    /* What is chosen between these behind the loop is one of them too; constants are what it started from. */
    VEC(graph_id) list = {0};
    for (size_t i = 0; i < w.marked.n; i++)
        if (map_u64_get(&c->partial, w.marked.p[i], &state))
            VEC_PUSH(k->a, list, w.marked.p[i]);
    if (c->begun && start != GRAPH_NIL && start < k->x->count && !graph_is_const(k->x->g, start, NULL)) {
        add_partial(k, c, start); /* it holds elements already */
        VEC_PUSH(k->a, list, start);
    }
    for (size_t i = 0; i < list.n && list.n < SEES_MAX; i++) {
        uint32_t users;
        const graph_id *user = graph_users(k->x->g, list.p[i], &users);
        for (uint32_t u = 0; u < users && u < 64; u++) {
            const struct graph_node *n = graph_at(k->x->g, user[u]);
            bool phi = n->kind == GRAPH_PHI, open = n->kind != UOP_SELECT && !phi;
            if (map_u64_get(&c->partial, user[u], &state))
                continue;
            if (goes_on(&w, user[u]) || goes_on_turning(&w, c, user[u])) {
                add_partial(k, c, user[u]);
                VEC_PUSH(k->a, list, user[u]);
                continue;
            }
            const graph_id *args = phi ? n->phi_args : &n->arg[1];
            for (uint32_t j = 0; j < (phi ? n->phi_count : 2) && !open; j++)
                open = !map_u64_get(&c->partial, args[j], &state) && !graph_is_const(k->x->g, args[j], NULL);
            if (open || map_u64_get(&c->partial, user[u], &state))
                continue;
            add_partial(k, c, user[u]);
            VEC_PUSH(k->a, list, user[u]);
        }
    }
}

/* What an accumulator starts from must not count: neutral, what another loop left of the same operation, or, for a
 * maximum or minimum, the element that its loop begins with. */
static bool starts_neutral(struct pat_collect *k, const struct pat_binary *like, uint32_t cycle, graph_id start,
                           graph_id element, graph_id *before, unsigned depth)
{
    const struct graph *g = k->x->g;
    uint32_t at;
    if (start == GRAPH_NIL || depth > 8)
        return false;
    if (graph_is_const(g, start, NULL))
        return pat_is_neutral(g, like, start);
    bool any = map_u64_get(&k->partial_of, start, &at);
    for (uint32_t i = any ? at : UINT32_MAX; i != UINT32_MAX; i = k->partials.p[i].next) {
        const struct pat_collective *c = k->partials.p[i].of < k->list.n ? k->list.p[k->partials.p[i].of] : NULL;
        if (c && c->reach == PAT_IN_THREAD && pat_alike(&c->like, like))
            return true;
    }
    enum pat_first first = pat_starts_first(k->x->g, cycle, like->op, start, element);
    if (first == PAT_STARTS_BEFORE && *before != GRAPH_NIL && *before != start)
        return false;
    if (first == PAT_STARTS_BEFORE)
        *before = start;
    if (first != PAT_STARTS_OTHERWISE)
        return true;
    const struct graph_node n = *graph_at(g, start);
    bool all = n.kind == GRAPH_PHI || n.kind == UOP_SELECT;
    for (unsigned i = 1; i <= 2 && n.kind == UOP_SELECT && all; i++)
        all = starts_neutral(k, like, cycle, n.arg[i], element, before, depth + 1);
    for (uint32_t i = 0; i < n.phi_count && n.kind == GRAPH_PHI && all; i++)
        all = n.phi_args[i] == start || starts_neutral(k, like, cycle, n.phi_args[i], element, before, depth + 4);
    return all;
}

/* Steps between threads that turn in a loop are no gathering of one thread. */
static bool is_between_threads(const struct pat_collect *k, graph_id out)
{
    for (size_t i = 0; i < k->list.n; i++)
        if (k->list.p[i]->reach != PAT_IN_THREAD && in_list(k->list.p[i]->values.p, k->list.p[i]->values.n, out))
            return true;
    return false;
}

/* What a step takes in: x of `out = op(in, x)`. Of a step that does so under a condition only it is a choice between x
 * and what changes nothing. NIL: it is no such step. */
static graph_id taken_in(struct pat_collect *k, graph_id in, graph_id out, struct pat_binary *like)
{
    struct graph *g = k->x->g;
    if (pat_binary_of(k->x, out, like) && (like->a == in || like->b == in))
        return like->a == in ? like->b : like->a;
    struct graph_node n = *graph_at(g, out);
    for (unsigned arm = 1; arm <= 2 && n.kind == UOP_SELECT; arm++) {
        if (n.arg[3 - arm] != in || !pat_binary_of(k->x, n.arg[arm], like) || (like->a != in && like->b != in))
            continue;
        n.arg[arm] = like->a == in ? like->b : like->a;
        n.arg[3 - arm] = pat_neutral(g, like);
        return n.arg[3 - arm] == GRAPH_NIL ? (graph_id)GRAPH_NIL : graph_fresh(g, &n);
    }
    return GRAPH_NIL;
}

/* What a thread gathers in a loop of its own is a reduction too: no page's, but others may be of it. */
void pat_collect_folds(struct pat_collect *k)
{
    const struct graph_cycles *cycles = k->x->g->cycles;
    struct graph *g = k->x->g;
    for (size_t i = 0; cycles && i < cycles->folds.n; i++) {
        const struct graph_fold *f = &cycles->folds.p[i];
        for (unsigned j = 0; j < f->count; j++) {
            struct pat_binary v;
            graph_id out = f->out[j], in = f->in[j];
            if (out == GRAPH_NIL || in == GRAPH_NIL || is_between_threads(k, out))
                continue;
            graph_id element = taken_in(k, in, out, &v), before = GRAPH_NIL;
            if (element == GRAPH_NIL || !starts_neutral(k, &v, f->cycle, f->start[j], element, &before, 0))
                continue;
            struct pat_collective *c = ARENA_NEW(k->a, struct pat_collective);
            if (!c)
                return;
            *c = (struct pat_collective){.op = v.op,
                                         .like = v,
                                         .reach = PAT_IN_THREAD,
                                         .outcome = PAT_ALL_IN_ONE,
                                         .everywhere = true,
                                         .exact = v.exact,
                                         .cycle = f->cycle + 1,
                                         .first = cycles->cycles.p[f->cycle].first,
                                         .last = cycles->cycles.p[f->cycle].last};
            if (before != GRAPH_NIL) {
                VEC_PUSH(k->a, k->begun, (struct pat_begun){.element = {pat_only_load(g, before)}, .count = 1});
                c->begun = (uint32_t)k->begun.n;
            }
            VEC_PUSH(k->a, c->inputs, element);
            VEC_PUSH(k->a, c->values, in);
            VEC_PUSH(k->a, c->values, out);
            if (f->start[j] != GRAPH_NIL)
                VEC_PUSH(k->a, c->values, f->start[j]);
            VEC_PUSH(k->a, c->values, f->result[j] != GRAPH_NIL ? f->result[j] : out);
            find_partial(k, c, f->cycle, false, f->result[j], out, f->start[j]);
            VEC_PUSH(k->a, k->list, c);
        }
    }
}

void pat_collect_give(struct pat_collect *k, const struct graph_fold *f, unsigned j, const struct pat_binary *like,
                      graph_id input, uint32_t begun)
{
    struct pat_collective *c = ARENA_NEW(k->a, struct pat_collective);
    const struct graph_cycle *y = &k->x->g->cycles->cycles.p[f->cycle];
    bool scaled = !like->a; /* no operation by itself: a block's word */
    if (!c || like->op == PAT_OP_NONE)
        return;
    *c = (struct pat_collective){.op = like->op,
                                 .like = *like,
                                 .reach = PAT_IN_THREAD,
                                 .outcome = PAT_ALL_IN_ONE,
                                 .everywhere = true,
                                 .exact = like->exact,
                                 .cycle = scaled ? 0 : f->cycle + 1,
                                 .begun = begun,
                                 .first = y->first,
                                 .last = y->last};
    VEC_PUSH(k->a, c->inputs, input);
    VEC_PUSH(k->a, c->values, f->in[j]);
    VEC_PUSH(k->a, c->values, f->result[j] != GRAPH_NIL ? f->result[j] : f->out[j]);
    find_partial(k, c, f->cycle, scaled, f->result[j], f->out[j], f->start[j]);
    VEC_PUSH(k->a, k->list, c);
}
