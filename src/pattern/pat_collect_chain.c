/* The last level of a reduction in straight code: the first warp's result and those that the other warps put down are
 * taken together one after the other by one thread, or all of them by every thread. Requires what warps reduce and
 * memory dependence; each operation is looked at once as the end of a chain, work is bounded by CHAIN leaves. */
#include "pattern/pat_collect.h"

enum { CHAIN = 40, VISITS = 1 << 20 };

struct chain {
    graph_id leaf[CHAIN], op[CHAIN];
    unsigned leaves, ops;
};

/* The values that operations of one kind take together, results of warps among them; false: too many, or one twice. */
static bool leaves_of(struct pat_collect *k, const struct map_u64 *results, const struct pat_binary *like,
                      graph_id root, struct chain *out, unsigned *left)
{
    uint32_t at;
    graph_id stack[2 * CHAIN];
    unsigned depth = 0;
    *out = (struct chain){0};
    stack[depth++] = root;
    while (depth) {
        struct pat_binary v;
        graph_id id = stack[--depth];
        if (!*left)
            return false;
        --*left;
        if (pat_is_neutral(k->x->g, like, id))
            continue;
        if (!map_u64_get(results, id, &at) && pat_binary_of(k->x, id, &v) && pat_alike(&v, like) && v.exact) {
            if (depth + 2 > 2 * CHAIN || out->ops == CHAIN)
                return false;
            out->op[out->ops++] = id;
            stack[depth++] = v.a;
            stack[depth++] = v.b;
            continue;
        }
        for (unsigned i = 0; i < out->leaves; i++)
            if (out->leaf[i] == id)
                return false;
        if (out->leaves == CHAIN)
            return false;
        out->leaf[out->leaves++] = id;
    }
    return out->leaves > 1;
}

/* Nothing takes the value further by the same operation. */
static bool is_end(struct pat_collect *k, const struct pat_binary *like, graph_id id)
{
    uint32_t count;
    const graph_id *user = graph_users(k->x->g, id, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct pat_binary v;
        if (pat_binary_of(k->x, user[i], &v) && pat_alike(&v, like) && v.exact)
            return false;
    }
    return true;
}

/* The store that brought what a load reads, behind a barrier: one, of a warp's result. */
static struct pat_collective *brought_by(struct pat_collect *k, uint32_t load, uint32_t *store)
{
    const struct graph_dependence *d = k->x->g->dependence;
    const struct graph_access a = k->x->g->accesses.p[load];
    struct pat_collective *found = NULL;
    if (pat_collect_races(k, load, NULL, 0))
        return NULL;
    for (uint32_t r = d->first_reach[load]; r < d->first_reach[load + 1]; r++) {
        const struct graph_reach *reach = &d->reaches.p[r];
        const struct graph_access s = k->x->g->accesses.p[reach->store];
        if ((reach->sync != GRAPH_SYNC_BARRIER && reach->sync != GRAPH_SYNC_OWN) || s.kind != GRAPH_STORE ||
            s.value[1] != GRAPH_NIL || s.width > a.width || (*store != UINT32_MAX && *store != reach->store))
            return NULL;
        struct pat_collective *one = pat_collect_first(k, s.value[0]);
        if (!one || one->reach != PAT_IN_WARP || one->width != 32 || (found && one != found))
            return NULL;
        *store = reach->store;
        found = one;
    }
    return found;
}

/* The own result is the first warp's: threads of others, or lanes that have none, must not come here. */
static bool is_of_first(struct pat_collect *k, graph_id when, bool everywhere)
{
    for (unsigned thread = everywhere ? 32 : 1; thread < 64; thread++)
        if (pat_play_acts(k->play, when, thread))
            return false;
    return true;
}

static void look_at(struct pat_collect *k, const struct pat_binary *like, const struct chain *c)
{
    struct pat_collective *of = NULL;
    struct pat_place at[CHAIN];
    uint32_t store = UINT32_MAX;
    graph_id own = GRAPH_NIL, when = GRAPH_NIL, loads[CHAIN];
    unsigned count = 0;
    for (unsigned i = 0; i < c->leaves; i++) {
        int64_t bytes;
        uint32_t load = pat_shared_load(k->x, c->leaf[i], &bytes);
        if (load == UINT32_MAX) {
            if (own != GRAPH_NIL)
                return;
            own = c->leaf[i];
            continue;
        }
        const struct graph_access a = k->x->g->accesses.p[load];
        struct pat_collective *one = brought_by(k, load, &store);
        if (!one || (of && one != of) || pat_differs_in_block(k->play, a.address))
            return;
        of = one;
        when = a.runs_when;
        loads[count] = c->leaf[i];
        at[count++] = (struct pat_place){a.address, bytes};
    }
    bool always;
    if (!of || !count || !pat_alike(&of->like, like) ||
        uop_type_bits(like->as) / 8 != k->x->g->accesses.p[store].width ||
        (own != GRAPH_NIL && (pat_collect_first(k, own) != of || !is_of_first(k, when, of->everywhere))) ||
        !pat_play_acts(k->play, when, 0) ||
        !pat_play_takes_all(k->play, store, of->everywhere, at, count, own != GRAPH_NIL, &always))
        return;
    struct pat_collective *v = ARENA_NEW(k->a, struct pat_collective);
    if (!v)
        return;
    *v = (struct pat_collective){.op = like->op,
                                 .like = *like,
                                 .reach = PAT_IN_BLOCK,
                                 .outcome = PAT_ALL_IN_ONE,
                                 .everywhere = own == GRAPH_NIL && when == GRAPH_NIL,
                                 .exact = true,
                                 .chained = true,
                                 .of = of,
                                 .rests = !always,
                                 .first = UINT32_MAX};
    VEC_PUSH(k->a, v->inputs, of->values.p[of->values.n - 1]);
    for (unsigned i = 0; i < count; i++)
        VEC_PUSH(k->a, v->taken, loads[i]);
    for (unsigned i = c->ops; i-- > 0;)
        VEC_PUSH(k->a, v->values, c->op[i]);

    VEC_PUSH(k->a, k->list, v);
}

void pat_collect_chains(struct pat_collect *k)
{
    const struct graph_dependence *d = k->x->g->dependence;
    bool any = false;
    unsigned left = VISITS;
    struct map_u64 results = {0};
    for (size_t i = 0; i < k->list.n; i++) {
        const struct pat_collective *v = k->list.p[i];
        if (v->reach != PAT_IN_WARP || v->outcome != PAT_ALL_IN_ONE || !v->values.n)
            continue;
        any = true;
        map_u64_put(k->a, &results, v->values.p[v->values.n - 1], 1);
    }
    if (!any || !d || !d->first_reach || !d->complete)
        return;
    for (graph_id id = 1; id < k->x->count && left; id++) {
        struct pat_binary v;
        struct chain c;
        if (!k->x->live[id] || !pat_binary_of(k->x, id, &v) || !v.exact || !is_end(k, &v, id) ||
            !leaves_of(k, &results, &v, id, &c, &left))
            continue;
        look_at(k, &v, &c);
    }
}
