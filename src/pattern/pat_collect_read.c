/* Whether steps through memory read what they are said to: every load of a step the step before or what brought the
 * elements, nothing overtaken in between; a value that a thread keeps in a register what it last stored; and whether
 * what was brought is itself the end of steps that are no one's.
 *
 * Requires steps, the index and memory dependence. */
#include "pattern/pat_collect.h"
#include "graph/graph_depend.h"

/* ---- what loads of the steps read ------------------------------------------------------------ */

static bool holds(const uint32_t *list, size_t n, uint32_t what)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == what)
            return true;
    return false;
}

/* Every store a step reads is a step's own or brought the elements; nothing is open, nothing overtaken. */
bool pat_steps_ordered(struct pat_collect *k, const struct pat_step *const *steps, uint32_t count,
                       struct pat_collective *v, struct pat_ordered *seen)
{
    const struct graph_dependence *d = k->x->g->dependence;
    VEC(uint32_t) open = {0};
    if (!d || !d->first_reach || !d->complete)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t loads[2] = {steps[i]->load_own, steps[i]->load_other};
        for (int w = 0; w < 2; w++) {
            if (loads[w] == UINT32_MAX)
                continue;
            if (w && d->first_reach[loads[w]] == d->first_reach[loads[w] + 1])
                return false; /* reads what nobody is known to have written */
            for (uint32_t r = d->first_reach[loads[w]]; r < d->first_reach[loads[w] + 1]; r++) {
                const struct graph_reach *reach = &d->reaches.p[r];
                if (reach->sync == GRAPH_SYNC_UNKNOWN || reach->sync == GRAPH_SYNC_NONE)
                    return false;
                /* Which thread's store it is was played; it must only be one of these, with a barrier between. */
                if (reach->may) {
                    if (reach->sync != GRAPH_SYNC_BARRIER)
                        return false;
                    VEC_PUSH(k->a, open, reach->store);
                }
                seen->assumed |= reach->sync == GRAPH_SYNC_WARP_ASSUMED;
                seen->block |= w && reach->sync == GRAPH_SYNC_BARRIER;
                seen->warp |= w && (reach->sync == GRAPH_SYNC_WARP || reach->sync == GRAPH_SYNC_WARP_ASSUMED);
                for (uint32_t b = 0; b < reach->barrier_count; b++)
                    if (!holds(seen->parts.p, seen->parts.n, reach->barriers[b]))
                        VEC_PUSH(k->a, seen->parts, reach->barriers[b]);
                if (!reach->may && !pat_is_step_access(steps, count, reach->store) &&
                    !holds(v->fills.p, v->fills.n, reach->store))
                    VEC_PUSH(k->a, v->fills, reach->store);
            }
        }
    }
    for (size_t i = 0; i < open.n; i++)
        if (!pat_is_step_access(steps, count, open.p[i]) && !holds(v->fills.p, v->fills.n, open.p[i]))
            return false;
    for (uint32_t i = 0; i < count; i++)
        if (steps[i]->store != UINT32_MAX && pat_collect_races(k, steps[i]->store, steps, count))
            return false;
    for (size_t i = 0; i < d->races.n; i++) {
        const struct graph_race *r = &d->races.p[i];
        bool first = pat_is_step_access(steps, count, r->first), second = pat_is_step_access(steps, count, r->second);
        if (!first && !second)
            continue;
        seen->assumed = true;
    }
    return true;
}

struct carried {
    const struct pat_step *const *steps;
    uint32_t count;
    const struct pat_collective *v;
    graph_id doing[12]; /* phis being looked at: what they are decided by the rest */
    unsigned depth, left;
    bool loaded; /* some way loads it again */
};

/* The own element, loaded again after the thread stored it. */
static bool is_reloaded(struct pat_collect *k, struct carried *c, graph_id node)
{
    const struct graph *g = k->x->g;
    const struct graph_dependence *d = g->dependence;
    uint32_t at;
    if (!map_u64_get(&k->x->first_load, node, &at) || d->first_reach[at] == d->first_reach[at + 1])
        return false;
    for (uint32_t r = d->first_reach[at]; r < d->first_reach[at + 1]; r++) {
        const struct graph_reach *reach = &d->reaches.p[r];
        if (reach->may || !reach->own || reach->element != 0)
            return false;
        if (!pat_is_step_access(c->steps, c->count, reach->store) && !holds(c->v->fills.p, c->v->fills.n, reach->store))
            return false;
    }
    c->loaded = true;
    return true;
}

/* A step's own value in a register must be what the thread last stored: a partial result or what it brought. */
static bool is_carried(struct pat_collect *k, struct carried *c, graph_id own)
{
    struct graph *g = k->x->g;
    const struct graph_node n = *graph_at(g, own);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->steps[i]->value == own || (c->steps[i]->load_own != UINT32_MAX && c->steps[i]->own == own))
            return true;
    for (size_t i = 0; i < c->v->fills.n; i++)
        if (g->accesses.p[c->v->fills.p[i]].value[0] == own)
            return true;
    if (n.kind == UOP_LOAD)
        return is_reloaded(k, c, own);
    for (unsigned i = 0; i < c->depth; i++)
        if (c->doing[i] == own)
            return true;
    if (!c->left || c->depth == sizeof c->doing / sizeof c->doing[0] || (n.kind != UOP_SELECT && n.kind != GRAPH_PHI))
        return false;
    c->left--;
    c->doing[c->depth++] = own;
    bool all = true;
    if (n.kind == UOP_SELECT)
        all = is_carried(k, c, n.arg[1]) && is_carried(k, c, n.arg[2]);
    for (uint32_t i = 0; n.kind == GRAPH_PHI && i < n.phi_count && all; i++)
        all = is_carried(k, c, n.phi_args[i]);
    c->depth--;
    return all;
}

bool pat_is_carried(struct pat_collect *k, const struct pat_step *const *steps, uint32_t count,
                    const struct pat_collective *v, graph_id own, bool *loaded)
{
    struct carried carried = {.steps = steps, .count = count, .v = v, .left = 1024};
    bool is = is_carried(k, &carried, own);
    *loaded = carried.loaded;
    return is;
}

bool pat_is_fragment(const struct pat_collect *k, const struct pat_collective *v, const struct pat_step *first)
{
    for (size_t i = 0; i < k->steps.n; i++) {
        const struct pat_step *s = &k->steps.p[i];
        bool feeds = s->store != UINT32_MAX && holds(v->fills.p, v->fills.n, s->store), known = false;
        for (size_t j = 0; feeds && j < k->list.n && !known; j++)
            known =
                k->list.p[j]->outcome != PAT_PART && holds(k->list.p[j]->stores.p, k->list.p[j]->stores.n, s->store);
        if (feeds && !known)
            return true;
    }
    for (size_t i = 0; i < k->lanes.n && first->load_other == UINT32_MAX; i++) {
        bool feeds = k->lanes.p[i].value == first->own, known = false;
        for (size_t j = 0; feeds && j < k->list.n && !known; j++)
            known = k->list.p[j]->outcome != PAT_PART && k->list.p[j]->values.n &&
                    k->list.p[j]->values.p[k->list.p[j]->values.n - 1] == first->own;
        if (feeds && !known)
            return true;
    }
    return false;
}
