/* What each thread brings where threads merge one another's accumulators: of one element, or of another reduction's
 * result of which the block says the same, the pair with which it begins.
 *
 * requires: the leader's reduction, memory dependence · gives: what the follower's reduction is of */
#include "pattern/pat_collect_merge.h"
#include "pattern/pat_play.h"

enum { NESTED = 6 };

bool pat_bytes_apart(const struct graph *g, graph_id from, graph_id to, int64_t *out)
{
    struct graph_affine a, b, between;
    if (!graph_affine(g, from, &a) || !graph_affine(g, to, &b) || !pat_play_distance(&a, &b, &between) ||
        between.term_count)
        return false;
    *out = between.offset;
    return true;
}

bool pat_is_beside(const struct merging *m, graph_id from, graph_id to)
{
    int64_t bytes;
    return pat_bytes_apart(m->k->x->g, from, to, &bytes) && bytes == m->apart;
}

graph_id pat_brought_by_lanes(const struct graph *g, const struct pat_step *s)
{
    const struct graph_node *n = graph_at(g, s->own);
    graph_id found = GRAPH_NIL;
    if (!s->loop || n->kind != GRAPH_PHI)
        return s->own;
    for (uint32_t i = 0; i < n->phi_count; i++)
        if (n->phi_args[i] != s->value) {
            if (found != GRAPH_NIL && found != n->phi_args[i])
                return GRAPH_NIL;
            found = n->phi_args[i];
        }
    return found;
}

bool pat_brought_by_stores(const struct merging *m, const struct pat_collective *made, struct brought *out)
{
    const struct graph *g = m->k->x->g;
    if (m->lead->fills.n != 1 || made->fills.n != 1)
        return false;
    const struct graph_access *a = &g->accesses.p[m->lead->fills.p[0]], *b = &g->accesses.p[made->fills.p[0]];
    *out = (struct brought){a->value[0], b->value[0]};
    return a->runs_when == b->runs_when && pat_is_beside(m, a->address, b->address);
}

/* A select's arm beside the neutral element; the node itself where it is none. */
static graph_id but_for_neutral(const struct graph *g, const struct pat_binary *like, graph_id id, graph_id *when,
                                bool *turned)
{
    const struct graph_node *n = graph_at(g, id);
    *when = GRAPH_NIL;
    for (unsigned arm = 1; arm <= 2 && n->kind == UOP_SELECT; arm++)
        if (pat_is_neutral(g, like, n->arg[arm])) {
            *when = n->arg[0];
            *turned = arm == 1;
            return n->arg[3 - arm];
        }
    return id;
}

static graph_id stands_for(struct pat_collect *k, struct pat_collective *v)
{
    graph_id last = v->values.p[v->values.n - 1];
    struct graph_node n = {
        .kind = UOP_UNIFORM, .type = graph_at(k->x->g, last)->type, .insn = UINT32_MAX, .arg_count = 1, .arg = {last}};
    if (v->said == GRAPH_NIL)
        v->said = graph_fresh(k->x->g, &n);
    return v->said;
}

bool pat_is_one_each(struct merging *m, const struct brought *b, struct pat_collective *made)
{
    struct pat_collect *k = m->k;
    struct graph *g = k->x->g;
    graph_id when[2];
    bool turned[2] = {false, false};
    graph_id element = but_for_neutral(g, &m->lead->like, b->lead, &when[0], &turned[0]);
    graph_id one = but_for_neutral(g, &made->like, b->follow, &when[1], &turned[1]);
    int name = pat_element_name(m->v->plan, m->says->arg[0]);
    if (!pat_is_of_one(g, m->says, one) || when[0] != when[1] || turned[0] != turned[1] || name < 0)
        return false;
    pat_ctx_begin(k->c, m->page, m->v, GRAPH_NIL);
    k->c->bound[name] = (struct pat_bound){.set = true, .node = element};
    graph_id of = pat_spell_of(k, m->says->arg[0], stands_for(k, m->lead));
    if (of == GRAPH_NIL)
        return false;
    if (when[0] != GRAPH_NIL) {
        const struct graph_node *n = graph_at(g, b->follow);
        struct graph_node chosen = {.kind = UOP_SELECT,
                                    .type = n->type,
                                    .insn = UINT32_MAX,
                                    .arg_count = 3,
                                    .arg = {when[0], turned[0] ? n->arg[1] : of, turned[0] ? of : n->arg[2]}};
        of = graph_fresh(g, &chosen);
    }
    VEC_PUSH(k->a, made->inputs, of);
    return of != GRAPH_NIL;
}

/* The same reduction, of elements that are scaled by the leader's end in the place of its own part's. */
static struct pat_collective *scaled(struct merging *m, struct pat_collective *part, graph_id of, unsigned depth)
{
    struct pat_collect *k = m->k;
    struct pat_collective *copy = ARENA_NEW(k->a, struct pat_collective), *inner = NULL;
    if (!copy || depth > NESTED || part->inputs.n != 1)
        return NULL;
    *copy = *part;
    copy->asked = NULL;
    copy->said = GRAPH_NIL;
    inner = pat_collect_inner(k, part, part->inputs.p[0]);
    copy->of = inner && inner != part ? scaled(m, inner, of, depth + 1) : NULL;
    if (inner && inner != part && !copy->of)
        return NULL;
    if (copy->of)
        return copy;
    copy->inputs.p = NULL;
    copy->inputs.n = copy->inputs.cap = 0;
    VEC_PUSH(k->a, copy->inputs, of);
    return copy;
}

/* Loads that lanes have of what warps put down: of the same warp both. */
static bool same_warp(struct merging *m, const struct brought *b, const struct pat_collective *made)
{
    struct pat_collect *k = m->k;
    const struct graph *g = k->x->g;
    const struct graph_dependence *d = g->dependence;
    graph_id when;
    bool turned;
    uint32_t load[2];
    graph_id lead = but_for_neutral(g, &m->lead->like, b->lead, &when, &turned);
    graph_id follow = but_for_neutral(g, &made->like, b->follow, &when, &turned);
    bool first = map_u64_get(&k->x->first_load, lead, &load[0]);
    if (first != map_u64_get(&k->x->first_load, follow, &load[1]))
        return false;
    if (!first) /* in registers */
        return graph_at(g, lead)->kind != GRAPH_PHI && graph_at(g, follow)->kind != GRAPH_PHI;
    if (!d || !d->first_reach || g->accesses.p[load[0]].space != UOP_SHARED ||
        !pat_bytes_apart(g, g->accesses.p[load[0]].address, g->accesses.p[load[1]].address, &m->apart))
        return false;
    for (uint32_t r = d->first_reach[load[0]]; r < d->first_reach[load[0] + 1]; r++) {
        bool beside = pat_is_neutral(g, &m->lead->like, g->accesses.p[d->reaches.p[r].store].value[0]);
        for (uint32_t o = d->first_reach[load[1]]; o < d->first_reach[load[1] + 1] && !beside; o++)
            beside = pat_is_beside(m, g->accesses.p[d->reaches.p[r].store].address,
                                   g->accesses.p[d->reaches.p[o].store].address);
        if (!beside)
            return false;
    }
    return true;
}

bool pat_is_result_each(struct merging *m, const struct brought *b, struct pat_collective *made)
{
    struct pat_collect *k = m->k;
    struct pat_ctx *c = k->c;
    struct pat_collective *lead = pat_collect_inner(k, m->lead, b->lead);
    struct pat_collective *follow = pat_collect_inner(k, made, b->follow);
    int name = pat_element_name(m->v->plan, m->says->arg[0]);
    if (!lead || !follow || lead == m->lead || name < 0 || lead->reach != follow->reach ||
        (lead->reach != PAT_IN_THREAD && !same_warp(m, b, made)))
        return false;
    pat_ctx_begin(c, m->page, m->v, GRAPH_NIL);
    c->partial = true;
    if (!pat_match_collective(c, m->says, follow) || c->tops.n != 2 || c->tops.p[1].v != lead ||
        c->tops.p[0].count != 1 || c->tops.p[1].count != 1 || !c->bound[name].set)
        return false;
    graph_id of = pat_spell_of(k, m->says->arg[0], stands_for(k, m->lead));
    made->of = of != GRAPH_NIL ? scaled(m, follow, of, 0) : NULL;
    VEC_PUSH(k->a, made->inputs, b->follow);
    made->rests |= follow->rests || lead->rests;
    return made->of != NULL;
}
