/* What threads merge of one another's accumulators, all of a block's together, as a running maximum and the sum that is
 * scaled by it. One of the accumulators leads: it is by itself a reduction between threads, known already. The other
 * one follows it step by step: it comes from the same thread, by the same shuffle or from the element beside, and the
 * block's statements make the new pair of the two pairs. What the block says of its end is true of all elements if it
 * is of what each thread brings: of one element, or of another reduction's result that the block says the same of.
 *
 * requires: reductions between threads, memory dependence · gives: the follower's reduction; searches are bounded */
#include "pattern/pat_collect_merge.h"
#include "pattern/pat_play.h"

enum { OUTS = 24, USERS = 512, FIRSTS = 16, LEVELS = 3, NEAR = 64, LOOKS = 1 << 20 };

/* ---- one step -------------------------------------------------------------------------------- */

static bool fits(struct merging *m, unsigned i, graph_id own, graph_id other, graph_id out)
{
    enum { MATCH = 64 }; /* as many looks as it costs */
    const struct pat_step *lead = m->lead->steps.p[i];
    m->looks = m->looks > MATCH ? m->looks - MATCH : 0;
    graph_id in[PAT_FOLD_MAX] = {0}, others[PAT_FOLD_MAX] = {0}, to[PAT_FOLD_MAX] = {0}, element;
    in[m->leads] = lead->own;
    others[m->leads] = lead->other;
    to[m->leads] = lead->value;
    in[m->follows] = own;
    others[m->follows] = other;
    to[m->follows] = out;
    return pat_match_step(m->k, m->page, m->v, in, others, to, NULL, &element);
}

/* Sums of products that a value is a part of. */
static unsigned sums_of(const struct graph *g, graph_id of, graph_id out[OUTS])
{
    unsigned count = 0, from = 0, to = 1;
    graph_id list[OUTS] = {of};
    for (unsigned level = 0; level < LEVELS; level++, from = to, to = count + 1)
        for (unsigned i = from; i < to; i++) {
            uint32_t users;
            const graph_id *user = graph_users(g, list[i], &users);
            for (uint32_t u = 0; u < users && u < USERS && count + 1 < OUTS; u++) {
                const struct graph_node *n = graph_at(g, user[u]);
                bool known = false;
                for (unsigned j = 0; j <= count && !known; j++)
                    known = list[j] == user[u];
                if (!known && (n->kind == UOP_FADD || n->kind == UOP_FMUL || n->kind == UOP_FFMA))
                    list[++count] = user[u];
            }
        }
    for (unsigned i = 0; i < count; i++)
        out[i] = list[i + 1];
    return count;
}

static bool take(struct merging *m, unsigned i, graph_id own, graph_id other, graph_id out)
{
    m->step[i] = *m->lead->steps.p[i];
    m->step[i].value = out;
    m->step[i].own = own;
    m->step[i].other = other;
    m->step[i].op = pat_op_find(m->says->named);
    m->step[i].like =
        (struct pat_binary){.op = m->step[i].op, .as = (enum uop_type)graph_at(m->k->x->g, out)->type, .exact = true};
    m->step[i].exact = true;
    m->list[i] = &m->step[i];
    m->shown[i] = out;
    m->count = i + 1;
    return true;
}

/* Steps of a loop: both go round it by the same ways. */
static bool go_round(const struct graph *g, const struct pat_step *lead, graph_id own, graph_id out)
{
    const struct graph_node *n = graph_at(g, lead->own), *o = graph_at(g, own);
    if (!lead->loop)
        return true;
    if (n->kind != GRAPH_PHI || o->kind != GRAPH_PHI || n->block != o->block || n->phi_count != o->phi_count)
        return false;
    for (uint32_t i = 0; i < n->phi_count; i++)
        if ((n->phi_args[i] == lead->value) != (o->phi_args[i] == out))
            return false;
    return true;
}

/* ---- between lanes --------------------------------------------------------------------------- */

/* Another value that is handed round as the leader's is; the `skip`-th. */
static graph_id shuffled_beside(struct merging *m, unsigned i, graph_id of, unsigned skip)
{
    const struct graph *g = m->k->x->g;
    const struct pat_step *lead = m->lead->steps.p[i];
    uint32_t users;
    const graph_id *user = graph_users(g, of != GRAPH_NIL ? of : lead->lane, &users);
    for (uint32_t u = 0; u < users && u < USERS && m->looks; u++) {
        const struct graph_node *n = graph_at(g, user[u]);
        m->looks--;
        if (n->kind == UOP_SHFL && n->imm == lead->mode && n->arg[1] == lead->lane && n->arg[2] == lead->clamp &&
            user[u] != lead->other && (of == GRAPH_NIL || n->arg[0] == of) && n->arg[0] != lead->own && !skip--)
            return user[u];
    }
    return GRAPH_NIL;
}

static bool follow_lanes(struct merging *m, unsigned i, graph_id other)
{
    const struct graph *g = m->k->x->g;
    graph_id own = graph_at(g, other)->arg[0], outs[OUTS];
    unsigned count = sums_of(g, other, outs);
    for (unsigned o = 0; o < count; o++)
        if (go_round(g, m->lead->steps.p[i], own, outs[o]) && fits(m, i, own, other, outs[o]))
            return take(m, i, own, other, outs[o]);
    return false;
}

/* Where each thread has one element, of which the block knows a number, no product with it is left in the first step,
 * and nothing is shuffled: the sum `first` of the factors alone. */
static bool starts_from_ones(struct merging *m, graph_id first)
{
    struct graph *g = m->k->x->g;
    const struct graph_node n = *graph_at(g, first);
    uint64_t bits = pat_special((enum uop_type)n.type, PAT_SPECIAL_ONE);
    if (n.kind != UOP_FADD || m->lead->steps.p[0]->loop)
        return false;
    graph_id one = graph_const(g, (enum uop_type)n.type, bits);
    if (!pat_is_of_one(g, m->says, one))
        return false;
    struct graph_node sum = n;
    for (unsigned i = 0; i < 2; i++) {
        struct graph_node product = {
            .kind = UOP_FMUL, .type = n.type, .insn = UINT32_MAX, .arg_count = 2, .arg = {n.arg[i], one}};
        sum.arg[i] = graph_fresh(g, &product); /* the graph would leave it out again */
    }
    graph_id out = graph_fresh(g, &sum);
    if (out == GRAPH_NIL || !fits(m, 0, one, one, out))
        return false;
    take(m, 0, one, one, first);
    m->shown[0] = out;
    return true;
}

static bool all_lanes(struct merging *m, graph_id first, bool ones)
{
    bool all = ones ? starts_from_ones(m, graph_at(m->k->x->g, first)->arg[0]) : follow_lanes(m, 0, first);
    for (unsigned i = 1; i < m->lead->steps.n && all; i++) {
        graph_id other = shuffled_beside(m, i, m->step[i - 1].value, 0);
        all = other != GRAPH_NIL && follow_lanes(m, i, other);
    }
    return all;
}

/* ---- through memory -------------------------------------------------------------------------- */

/* Accesses of one block of code that stand near another one; false: no more. */
struct near {
    uint32_t at, last;
};

static struct near near_by(const struct graph *g, uint32_t access)
{
    const struct graph_block *b = &g->blocks.p[g->insns.p[g->accesses.p[access].insn].block];
    uint32_t first = g->insns.p[b->first].first_access;
    uint32_t end = g->insns.p[b->last].first_access + g->insns.p[b->last].access_count;
    struct near n = {access > first + NEAR ? access - NEAR : first, access + NEAR < end ? access + NEAR : end};
    return n;
}

/* The load of the element beside another load's, in the same block of code. */
static uint32_t load_beside(struct merging *m, uint32_t load)
{
    const struct graph *g = m->k->x->g;
    const struct graph_access *a = &g->accesses.p[load];
    for (struct near n = near_by(g, load); n.at < n.last && m->looks; n.at++) {
        const struct graph_access *b = &g->accesses.p[n.at];
        m->looks--;
        if (b->kind == GRAPH_LOAD && b->space == UOP_SHARED && b->width == a->width && b->runs_when == a->runs_when &&
            b->value[0] != GRAPH_NIL && pat_is_beside(m, a->address, b->address))
            return n.at;
    }
    return UINT32_MAX;
}

static bool follow_memory(struct merging *m, unsigned i, uint32_t store)
{
    const struct graph *g = m->k->x->g;
    const struct pat_step *lead = m->lead->steps.p[i];
    const struct graph_access *s = &g->accesses.p[store];
    if (lead->load_own == UINT32_MAX || lead->moved || lead->other_bytes || s->runs_when != lead->stored)
        return false;
    uint32_t own = load_beside(m, lead->load_own), other = load_beside(m, lead->load_other);
    if (own == UINT32_MAX || other == UINT32_MAX ||
        !fits(m, i, g->accesses.p[own].value[0], g->accesses.p[other].value[0], s->value[0]) ||
        !take(m, i, g->accesses.p[own].value[0], g->accesses.p[other].value[0], s->value[0]))
        return false;
    struct pat_step *step = &m->step[i];
    step->insn = s->insn;
    step->store = store;
    step->load_own = own;
    step->load_other = other;
    step->again = UINT32_MAX;
    step->own_address = s->address;
    step->other_address = g->accesses.p[other].address;
    return true;
}

/* The store beside that of the leader's step, in the same block of code; the `skip`-th, wherever it lies, if not yet
 * known. */
static uint32_t store_beside(struct merging *m, uint32_t store, bool known, unsigned skip)
{
    const struct graph *g = m->k->x->g;
    const struct graph_access *a = &g->accesses.p[store];
    for (struct near n = near_by(g, store); n.at < n.last && m->looks; n.at++) {
        const struct graph_access *b = &g->accesses.p[n.at];
        int64_t bytes;
        m->looks--;
        if (b->kind != GRAPH_STORE || b->space != UOP_SHARED || n.at == store || b->width != a->width ||
            b->value[0] == GRAPH_NIL || b->value[1] != GRAPH_NIL)
            continue;
        enum uop_kind kind = (enum uop_kind)graph_at(g, b->value[0])->kind;
        if ((kind == UOP_FADD || kind == UOP_FFMA) && pat_bytes_apart(g, a->address, b->address, &bytes) && bytes &&
            (!known || bytes == m->apart) && !skip--)
            return n.at;
    }
    return UINT32_MAX;
}

static bool all_memory(struct merging *m, uint32_t first)
{
    const struct graph *g = m->k->x->g;
    const struct pat_step *lead = m->lead->steps.p[0];
    bool all = pat_bytes_apart(g, g->accesses.p[lead->store].address, g->accesses.p[first].address, &m->apart) &&
               follow_memory(m, 0, first);
    for (unsigned i = 1; i < m->lead->steps.n && all; i++) {
        lead = m->lead->steps.p[i];
        uint32_t store = lead->store != UINT32_MAX ? store_beside(m, lead->store, true, 0) : UINT32_MAX;
        all = store != UINT32_MAX && follow_memory(m, i, store);
    }
    return all;
}

/* ---- a match --------------------------------------------------------------------------------- */

/* Played as the leader was, but an element that is taken twice counts twice. */
static bool is_whole(struct merging *m, bool memory, bool *assumed, unsigned *left, bool *everywhere)
{
    struct pat_collect *k = m->k;
    struct pat_trace *t = k->trace;
    if (!pat_play_steps(k->play, m->step, m->count, m->lead->width, t) ||
        pat_play_outcome(k->a, t, 0, t->count, m->step[0].op, left, everywhere) != PAT_ALL_IN_ONE)
        return false;
    if (!memory)
        return true;
    enum pat_rows rows = pat_play_rows(k->play, m->list, m->count);
    *assumed |= rows == PAT_ROWS_MAY_MEET;
    return rows != PAT_ROWS_MEET && pat_reads_newest(k, m->step, t, 0, t->count) &&
           pat_overtakes_nobody(k, m->step, t, 0, t->count, assumed);
}

static void enter_steps(struct merging *m)
{
    struct pat_ctx *c = m->k->c;
    VEC(struct pat_inner) inner = {0};
    VEC(graph_id) conditions = {0};
    unsigned via = 0;
    for (unsigned i = 0; i < m->count; i++) {
        const struct pat_step *both[2] = {m->lead->steps.p[i], &m->step[i]};
        fits(m, i, m->step[i].own, m->step[i].other, m->shown[i]);
        VEC_PUSH(m->k->a, inner, (struct pat_inner){.node = m->step[i].value});
        for (int w = 0; w < 2; w++) {
            bool lanes = both[w]->load_other == UINT32_MAX;
            VEC_PUSH(m->k->a, inner, (struct pat_inner){.node = both[w]->other, .load = !lanes});
            if (both[w]->load_own != UINT32_MAX)
                VEC_PUSH(m->k->a, inner, (struct pat_inner){.node = both[w]->own, .load = true});
        }
        for (size_t n = 0; n < c->inner.n; n++)
            VEC_PUSH(m->k->a, inner, c->inner.p[n]);
        for (size_t n = 0; n < c->conditions.n; n++)
            VEC_PUSH(m->k->a, conditions, c->conditions.p[n]);
        via |= c->via;
    }
    c->inner.n = c->conditions.n = 0;
    for (size_t n = 0; n < inner.n; n++)
        VEC_PUSH(m->k->a, c->inner, inner.p[n]);
    for (size_t n = 0; n < conditions.n; n++)
        VEC_PUSH(m->k->a, c->conditions, conditions.p[n]);
    c->via = via;
    const struct pat_step *last = m->lead->steps.p[m->count - 1];
    c->bound[m->v->plan->accumulator[m->leads]].node = last->value;
    c->bound[m->v->plan->accumulator[m->follows]].node = m->step[m->count - 1].value;
}

static bool keep(struct merging *m, struct pat_collective *made, struct pat_ordered *seen)
{
    struct pat_collect *k = m->k;
    VEC(uint32_t) extra = {0};
    enter_steps(m);
    VEC_PUSH(k->a, k->c->spoken, m->lead->found);
    for (unsigned i = 0; i < m->count && m->step[0].store != UINT32_MAX; i++)
        VEC_PUSH(k->a, extra, m->step[i].insn);
    for (size_t i = 0; i < seen->parts.n; i++)
        VEC_PUSH(k->a, extra, seen->parts.p[i]);
    made->found = pat_keep(k->run, GRAPH_NIL, extra.p, (unsigned)extra.n);
    if (!made->found)
        return false;
    struct pat_found *f = made->found;
    f->match.makes = PAT_MAKES_ONE;
    f->match.first = m->lead->found->match.first;
    f->match.last = made->last > m->lead->found->match.last ? made->last : m->lead->found->match.last;
    f->cycle = m->lead->found->cycle;
    f->width = made->width;
    if (seen->assumed)
        f->match.confidence = PAT_ASSUMED;
    f->rests = made->rests;
    for (unsigned i = 0; i < m->count; i++) {
        const uint32_t loads[2] = {m->step[i].load_own, m->step[i].load_other};
        for (int w = 0; w < 2; w++)
            if (loads[w] != UINT32_MAX)
                k->step_load[loads[w]] = k->step_access[loads[w]] = true;
        if (m->step[i].store != UINT32_MAX)
            k->step_access[m->step[i].store] = true;
    }
    VEC_PUSH(k->a, k->list, made);
    return true;
}

static void note_first(void *user, uint32_t insn, bool merged)
{
    uint32_t *first = user;
    (void)merged;
    *first = insn < *first ? insn : *first;
}

static bool finish(struct merging *m, bool memory)
{
    struct pat_collect *k = m->k;
    struct graph *g = k->x->g;
    struct pat_collective *made = ARENA_NEW(k->a, struct pat_collective);
    struct pat_ordered seen = {0};
    struct brought b;
    struct pat_step *kept = ARENA_ARRAY(k->a, struct pat_step, m->count + 1);
    if (!made || !kept)
        return false;
    *made = (struct pat_collective){.op = m->step[0].op,
                                    .like = m->step[0].like,
                                    .reach = memory ? PAT_IN_BLOCK : PAT_IN_WARP,
                                    .outcome = PAT_ALL_IN_ONE,
                                    .width = m->lead->width,
                                    .first = m->lead->first,
                                    .rests = m->lead->rests,
                                    .scaled = true,
                                    .exact = true};
    if (!is_whole(m, memory, &seen.assumed, &made->left, &made->everywhere) ||
        (memory && !pat_steps_ordered(k, m->list, m->count, made, &seen)))
        return false;
    for (unsigned i = 0; i < m->count; i++) {
        kept[i] = m->step[i];
        VEC_PUSH(k->a, made->steps, &kept[i]);
        VEC_PUSH(k->a, made->values, m->step[i].value);
        if (memory)
            VEC_PUSH(k->a, made->stores, m->step[i].store);
        uint32_t at = UINT32_MAX;
        pat_holders(k->x, m->step[i].value, note_first, &at);
        at = pat_top_insn(g, memory || at == UINT32_MAX ? m->step[i].insn : at);
        made->last = at > made->last ? at : made->last;
    }
    made->result_address = memory ? m->step[0].own_address : GRAPH_NIL;
    if (memory ? !pat_brought_by_stores(m, made, &b) : false)
        return false;
    if (!memory)
        b = (struct brought){pat_brought_by_lanes(g, m->lead->steps.p[0]), pat_brought_by_lanes(g, &m->step[0])};
    if (b.lead == GRAPH_NIL || b.follow == GRAPH_NIL ||
        (!pat_is_one_each(m, &b, made) && !pat_is_result_each(m, &b, made)))
        return false;
    if (m->lead->reach == PAT_IN_BLOCK)
        made->reach = PAT_IN_BLOCK;
    return keep(m, made, &seen);
}

static bool merge(struct merging *m)
{
    const struct pat_step *first = m->lead->steps.p[0];
    bool memory = first->store != UINT32_MAX, found = false;
    for (unsigned i = 0; i < FIRSTS && !found; i++) {
        if (memory) {
            uint32_t store = store_beside(m, first->store, false, i);
            if (store == UINT32_MAX)
                break;
            found = all_memory(m, store) && finish(m, true);
        } else {
            graph_id other = shuffled_beside(m, 0, GRAPH_NIL, i);
            graph_id second = m->lead->steps.n > 1 ? shuffled_beside(m, 1, GRAPH_NIL, i) : (graph_id)GRAPH_NIL;
            if (other == GRAPH_NIL && second == GRAPH_NIL)
                break;
            found = (other != GRAPH_NIL && all_lanes(m, other, false) && finish(m, false)) ||
                    (second != GRAPH_NIL && all_lanes(m, second, true) && finish(m, false));
        }
    }
    return found;
}

/* A minimum or maximum, which an element changes but once. */
static bool may_lead(const struct pat_collective *v)
{
    if (!v->found || !pat_op_again(v->op) || !v->steps.n || v->steps.n > MERGE_STEPS || v->outcome != PAT_ALL_IN_ONE ||
        v->down)
        return false;
    for (size_t i = 0; i < v->steps.n; i++)
        if (v->steps.p[i]->chosen != GRAPH_NIL)
            return false;
    return true;
}

void pat_collect_merges(struct pat_collect *k, const struct pat_page *page)
{
    for (size_t n = 0; n < page->variants.n; n++) {
        const struct pat_variant *v = &page->variants.p[n];
        if (!v->plan || v->plan->kind != PLAN_MERGE || v->plan->accumulators != 2 || v->plan->result_count != 1)
            continue;
        struct merging *m = ARENA_NEW(k->a, struct merging);
        unsigned looks = LOOKS;
        for (size_t i = 0; m && i < k->list.n; i++) { /* also of those that are found meanwhile */
            if (!may_lead(k->list.p[i]))
                continue;
            *m = (struct merging){
                .k = k, .page = page, .v = v, .lead = k->list.p[i], .says = v->plan->result[0], .looks = looks};
            m->follows = v->plan->accumulator[0] != v->plan->result_of[0];
            m->leads = 1 - m->follows;
            merge(m);
            looks = m->looks;
        }
    }
}
