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

/* A load of what threads that have a result stored of it, that word of a wide one: the same for all that load; or,
 * where another reduction `of` is of it, the results of all warps, one a lane. */
static struct pat_collective *resolve_stored(struct pat_collect *k, uint32_t at, unsigned word,
                                             struct pat_collective *of, unsigned depth)
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
        struct pat_collective *one = resolve(k, s.value[word], false, true, depth + 1);
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

static struct pat_collective *resolve_copy(struct pat_collect *k, uint32_t at, unsigned word, unsigned depth)
{
    const struct graph_dependence *d = k->x->g->dependence;
    if (!d || !d->first_reach || d->first_reach[at] == d->first_reach[at + 1] ||
        pat_differs_in_block(k->play, k->x->g->accesses.p[at].address))
        return NULL;
    return resolve_stored(k, at, word, NULL, depth);
}

/* A word of what one thread put down together. */
static struct pat_collective *resolve_word(struct pat_collect *k, graph_id node, unsigned depth)
{
    int64_t bytes;
    uint32_t at = pat_shared_load(k->x, node, &bytes);
    bool word = at != UINT32_MAX && k->x->g->accesses.p[at].width > 4 && bytes >= 0 && bytes <= 12 && bytes % 4 == 0 &&
                uop_type_bits((enum uop_type)graph_at(k->x->g, node)->type) == 32;
    return word ? resolve_copy(k, at, (unsigned)bytes / 4, depth) : NULL;
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
    return part ? NULL : resolve_copy(k, at, 0, depth);
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
        if (!part && v->said != GRAPH_NIL && v->said == node)
            return v;
        if (wanted && (first || part || v->everywhere) &&
            ((v->values.n && v->values.p[v->values.n - 1] == node) || map_u64_get(&v->partial, node, &at)))
            return v;
    }
    struct pat_collective *found = NULL, *one;
    switch (n.kind) {
    case UOP_LOAD: return resolve_load(k, node, part, depth);
    case UOP_LO:
    case UOP_HI:
    case UOP_ELEMENT: return part ? NULL : resolve_word(k, node, depth);
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
    return resolve_stored(k, at, 0, of, 0);
}

struct pat_collective *pat_collect_inner(struct pat_collect *k, struct pat_collective *of, graph_id input)
{
    if (of->of)
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
