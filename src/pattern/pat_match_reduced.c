/* The matcher's goal that is the result of a reduction: what it is of, through reductions of smaller reach, is matched
 * as the term says. Where a thread brings several elements at once, each of them must be so, and what two reductions of
 * one term are of must be one set.
 *
 * requires: what threads do together (pat_collect.h)
 * gives: the first way that fits; work is bounded by SET elements */
#include "pattern/pat_match.h"

#include <string.h>

enum { SET = 64 };

/* What is reduced, without the neutral element that threads without one bring. */
static graph_id brought(struct graph *g, const struct pat_binary *like, graph_id input, graph_id *when)
{
    const struct graph_node n = *graph_at(g, input);
    *when = GRAPH_NIL;
    if (n.kind != UOP_SELECT)
        return input;
    if (pat_is_neutral(g, like, n.arg[2])) {
        *when = n.arg[0];
        return n.arg[1];
    }
    if (pat_is_neutral(g, like, n.arg[1])) {
        *when = graph_not(g, n.arg[0]);
        return n.arg[2];
    }
    return input;
}

/* Every part of a condition looks at something in memory: it is on the elements, not on who has one. */
static bool is_on_elements(struct graph *g, graph_id when)
{
    enum { NODES = 64 };
    graph_id atoms[6], stack[NODES];
    unsigned count;
    uint64_t table;
    bool all = graph_table(g, when, atoms, &count, &table) && count;
    for (unsigned i = 0; i < count && all; i++) {
        unsigned depth = 0, left = NODES;
        stack[depth++] = atoms[i];
        for (all = false; depth && left && !all; left--) {
            const struct graph_node *n = graph_at(g, stack[--depth]);
            all = n->kind == UOP_LOAD && (n->space == UOP_GLOBAL || n->space == UOP_GENERIC);
            for (unsigned k = 0; k < n->arg_count && n->kind != GRAPH_PHI && n->kind != UOP_LOAD; k++)
                if (depth < NODES)
                    stack[depth++] = n->arg[k];
        }
    }
    return all;
}

/* Where nothing is brought another number stands in its place that is not neutral: it is no element. One that stands
 * for an element because of what that is, as where elements are masked, is one. */
static bool has_stranger(struct graph *g, const struct pat_binary *like, graph_id node)
{
    const struct graph_node n = *graph_at(g, node);
    bool phi = n.kind == GRAPH_PHI;
    if (!phi && (n.kind != UOP_SELECT || is_on_elements(g, n.arg[0])))
        return false;
    for (uint32_t i = phi ? 0 : 1; i < (phi ? n.phi_count : 3); i++) {
        graph_id arm = phi ? n.phi_args[i] : n.arg[i];
        if (graph_is_const(g, arm, NULL) && !pat_is_neutral(g, like, arm))
            return true;
    }
    return false;
}

/* ---- several elements a thread --------------------------------------------------------------- */

struct set {
    graph_id leaf[SET], step[SET]; /* elements, operations */
    unsigned count, step_count;
};

/* The elements that operations of one kind take together; false: one value, or something taken twice, or too many. */
static bool elements_of(struct pat_ctx *c, const struct pat_binary *like, graph_id input, struct set *out)
{
    struct map_u64 seen = {0};
    graph_id stack[2 * SET];
    unsigned depth = 0;
    uint32_t at;
    out->count = out->step_count = 0;
    stack[depth++] = input;
    while (depth) {
        struct pat_binary v;
        graph_id id = stack[--depth];
        if (map_u64_get(&seen, id, &at)) {
            if (pat_op_again(like->op))
                continue;
            return false;
        }
        map_u64_put(c->a, &seen, id, 1);
        if (graph_is_const(c->g, id, NULL)) {
            if (!pat_is_neutral(c->g, like, id))
                return false;
        } else if (pat_binary_of(c->x, id, &v) && pat_alike(&v, like) &&
                   (v.exact || c->page->rules & PAT_RULE_SELECT)) {
            if (depth + 2 > 2 * SET || out->step_count == SET)
                return false;
            out->step[out->step_count++] = id;
            stack[depth++] = v.a;
            stack[depth++] = v.b;
        } else if (out->count == SET || has_stranger(c->g, like, id)) {
            return false;
        } else {
            out->leaf[out->count++] = id;
        }
    }
    return out->count > 1;
}

/* The element that was picked of the first reduction that a term speaks of since `from`; NIL: it speaks of none. */
static graph_id picked_since(const struct pat_ctx *c, size_t tops, size_t picks, const struct pat_collective **of)
{
    *of = tops < c->tops.n ? c->tops.p[tops].v : NULL;
    for (size_t i = picks; i < c->picks.n; i++)
        if (c->picks.p[i].top == tops)
            return c->picks.p[i].leaf;
    return GRAPH_NIL;
}

/* Each element is as the term says, by itself: what it names is another one each time, and where it speaks of a
 * reduction that must be of just as many, each of them once. */
static bool all_fit(struct pat_ctx *c, const struct pat_term *of, const struct set *s,
                    const struct pat_collective **inner)
{
    struct pat_bound before[PAT_VARIABLES];
    struct pat_mark m = pat_here(c);
    struct map_u64 named = {0};
    bool was_partial = c->partial, all = true;
    unsigned steps = c->steps;
    *inner = NULL;
    memcpy(before, c->bound, sizeof before);
    c->partial = true;
    for (unsigned i = 0; i < s->count && all; i++) {
        const struct pat_collective *one = NULL;
        size_t tops = c->tops.n, picks = c->picks.n;
        uint32_t at;
        c->steps = steps;
        memset(c->bound, 0, sizeof c->bound);
        all = pat_solve(c, &(struct pat_goal){of, s->leaf[i], UOP_VOID, NULL});
        graph_id leaf = all ? picked_since(c, tops, picks, &one) : (graph_id)GRAPH_NIL;
        all = all && (!i || one == *inner) && c->tops.n <= tops + 1;
        if (all && one)
            all = c->tops.p[tops].count == s->count && leaf != GRAPH_NIL && !map_u64_get(&named, leaf, &at);
        if (all && one)
            map_u64_put(c->a, &named, leaf, 1);
        all = all && pat_spots_agree(c, m.spots);
        *inner = one;
        pat_back(c, m);
    }
    c->steps = steps;
    c->partial = was_partial;
    memcpy(c->bound, before, sizeof before);
    return all;
}

/* One of the elements as the term goes on, all of them as it says. */
static bool match_elements(struct pat_ctx *c, const struct pat_term *of, struct pat_collective *v, const struct set *s,
                           size_t top, const struct pat_goal *next)
{
    const struct pat_collective *inner;
    uint32_t within = c->within, begun = c->begun;
    unsigned reach = c->reach;
    size_t spoken = c->spoken.n, gathered = c->gathered.n;
    bool fit = v->asked == of ? v->fit : all_fit(c, of, s, &inner);
    v->asked = of; /* the answer is the same wherever the term speaks of it */
    v->fit = fit;
    c->within = within;
    c->begun = begun;
    c->reach = reach;
    c->spoken.n = spoken;
    c->gathered.n = gathered;
    c->reducing = true;
    if (!fit)
        return false;
    c->tops.p[top].count = s->count;
    struct pat_mark m = pat_here(c);
    for (unsigned i = 0; i < s->count; i++) {
        VEC_PUSH(c->a, c->picks, (struct pat_pick){s->leaf[i], (uint32_t)top});
        if (pat_solve(c, &(struct pat_goal){of, s->leaf[i], UOP_VOID, next}))
            return true;
        pat_back(c, m);
    }
    c->tops.p[top].count = 1;
    return false;
}

static bool match_input(struct pat_ctx *c, const struct pat_term *t, struct pat_collective *v, graph_id input,
                        const struct pat_goal *next, unsigned depth, size_t top);

/* All that is taken in: one value for all, but for constants; or partial results of another reduction. */
static bool match_collective(struct pat_ctx *c, const struct pat_term *t, struct pat_collective *v,
                             const struct pat_goal *next, unsigned depth, size_t top)
{
    struct pat_bound *operation = t->variable >= 0 ? &c->bound[t->variable] : NULL;
    struct pat_bound before = operation ? *operation : (struct pat_bound){0};
    graph_id input = GRAPH_NIL;
    if (depth > 4 || (operation ? operation->set && strcmp(operation->text, pat_op_text(v->op)) != 0
                                : pat_op_find(t->named) != v->op))
        return false;
    if (!v->exact && !(c->page->rules & PAT_RULE_SELECT))
        return false;
    if (v->goes_on && (!c->variant->value || c->variant->value->kind != TERM_REDUCED))
        return false;
    if (v->scaled && c->variant->value && c->variant->value->kind == TERM_REDUCED)
        return false;
    for (size_t i = 0; i < v->inputs.n; i++) {
        if (graph_is_const(c->g, v->inputs.p[i], NULL)) {
            if (!pat_is_neutral(c->g, &v->like, v->inputs.p[i]))
                return false;
            continue;
        }
        if (input != GRAPH_NIL && input != v->inputs.p[i])
            return false;
        input = v->inputs.p[i];
    }
    if (input == GRAPH_NIL)
        return false;
    if (v->cycle && v->cycle == c->within) /* still going on */
        return false;
    struct pat_mark m = pat_here(c);
    unsigned reach = c->reach;
    size_t spoken = c->spoken.n, gathered = c->gathered.n;
    uint32_t within = c->within, begun = c->begun;
    bool reducing = c->reducing;
    if (operation)
        *operation = (struct pat_bound){.set = true, .text = pat_op_text(v->op)};
    pat_enter(c, v->values.p[v->values.n - 1], NULL, false);
    for (size_t i = 0; i + 1 < v->values.n && v->chained; i++)
        pat_enter(c, v->values.p[i], NULL, false);
    for (size_t i = 0; i < v->taken.n; i++)
        pat_enter(c, v->taken.p[i], NULL, true);
    const struct pat_reading *read = v->like.read ? pat_reading_of(c->x, v->like.read) : NULL;
    if (read) {
        pat_enter(c, read->node, NULL, false);
        for (unsigned i = 0; i < read->inner_count && !read->owned; i++)
            pat_enter(c, read->inner[i], NULL, false);
        c->via |= read->via;
    }
    c->via |= v->exact ? 0 : PAT_RULE_SELECT;
    c->reach = v->reach > c->reach ? v->reach : c->reach;
    if (v->found)
        VEC_PUSH(c->a, c->spoken, v->found);
    else if (!v->chained)
        VEC_PUSH(c->a, c->gathered, v);
    c->rests |= v->chained && v->rests;
    c->within = v->cycle ? v->cycle : within;
    c->begun = v->reach == PAT_IN_THREAD ? v->begun : begun;
    c->reducing = true;
    if (!depth) {
        top = c->tops.n;
        VEC_PUSH(c->a, c->tops, (struct pat_top){v, 1});
    }
    const struct pat_term left = {.kind = TERM_LEFT, .variable = (int)begun};
    const struct pat_goal behind = {&left, within, reducing ? UOP_B1 : UOP_VOID, next};
    if (match_input(c, t, v, input, &behind, depth, top))
        return true;
    if (operation)
        *operation = before;
    c->reach = reach;
    c->spoken.n = spoken;
    c->gathered.n = gathered;
    c->within = within;
    c->begun = begun;
    c->reducing = reducing;
    return pat_back(c, m);
}

/* What is taken in is as the term says: it is a result of smaller reach, several elements, or one. */
static bool match_input(struct pat_ctx *c, const struct pat_term *t, struct pat_collective *v, graph_id input,
                        const struct pat_goal *next, unsigned depth, size_t top)
{
    const struct pat_term *of = t->arg[0];
    struct pat_collective *inner = pat_collect_inner(c->collect, v, input);
    struct set set;
    graph_id when, plain;
    if (inner == v)
        inner = NULL;
    if (of->kind == TERM_REDUCED) /* one directly within another: both between threads */
        return inner && inner->found && (of->variable != t->variable || pat_alike(&inner->like, &v->like)) &&
               match_collective(c, of, inner, next, depth + 1, top);
    if (elements_of(c, &v->like, input, &set) && match_elements(c, of, v, &set, top, next))
        return true;
    if (inner && pat_alike(&inner->like, &v->like) && match_collective(c, t, inner, next, depth + 1, top))
        return true;
    bool says_more = c->variant->value && c->variant->value->kind != TERM_REDUCED; /* of the elements */
    if (says_more && has_stranger(c->g, &v->like, input))
        return false;
    struct pat_mark m = pat_here(c);
    plain = brought(c->g, &v->like, input, &when);
    if (when != GRAPH_NIL)
        VEC_PUSH(c->a, c->present, (struct pat_present){when, 0});
    if (pat_solve(c, &(struct pat_goal){of, plain, UOP_VOID, next}))
        return true;
    pat_back(c, m);
    return plain != input && pat_solve(c, &(struct pat_goal){of, input, UOP_VOID, next});
}

/* ---- what a thread has in registers ---------------------------------------------------------- */

/* Operations of one kind, one after the other, of a thread's own values: a reduction of these. NULL: none. */
static struct pat_collective *straight_of(struct pat_ctx *c, graph_id node)
{
    struct pat_collect *k = c->collect;
    struct pat_binary like;
    struct set leaves;
    uint32_t at;
    if (map_u64_get(&k->straight_of, node, &at))
        return at ? k->straight.p[at - 1] : NULL;
    map_u64_put(k->a, &k->straight_of, node, 0);
    if (!pat_binary_of(c->x, node, &like) || !pat_is_float(like.as) || !elements_of(c, &like, node, &leaves))
        return NULL;
    struct pat_collective *v = ARENA_NEW(k->a, struct pat_collective);
    if (!v)
        return NULL;
    *v = (struct pat_collective){.op = like.op,
                                 .like = like,
                                 .reach = PAT_IN_THREAD,
                                 .outcome = PAT_ALL_IN_ONE,
                                 .everywhere = true,
                                 .exact = like.exact,
                                 .first = UINT32_MAX};
    VEC_PUSH(k->a, v->inputs, node);
    VEC_PUSH(k->a, v->values, node);
    for (unsigned i = 0; i < leaves.step_count; i++)
        VEC_PUSH(k->a, v->taken, leaves.step[i]);
    VEC_PUSH(k->a, k->straight, v);
    map_u64_put(k->a, &k->straight_of, node, (uint32_t)k->straight.n);
    return v;
}

/* A loop that was unrolled whole, or none. */
static bool is_straight(const struct pat_ctx *c, const struct pat_collective *v)
{
    if (!v || v->reach != PAT_IN_THREAD || !v->cycle)
        return !v;
    const struct graph_cycle *y = &c->g->cycles->cycles.p[v->cycle - 1];
    bool straight = true;
    for (size_t i = 0; i < y->pieces.n; i++)
        straight &= y->pieces.p[i].straight;
    return straight;
}

bool pat_match_reduced(struct pat_ctx *c, const struct pat_goal *goal)
{
    struct pat_collective *v = pat_collect_result(c->collect, goal->node), *straight = NULL;
    bool says_more = goal->term->variable < 0 && c->variant->value && c->variant->value->kind != TERM_REDUCED;
    if (says_more && c->collect && c->collect->ready && is_straight(c, v))
        straight = straight_of(c, goal->node);
    return (straight && match_collective(c, goal->term, straight, goal->next, 0, 0)) ||
           (v && match_collective(c, goal->term, v, goal->next, 0, 0));
}

bool pat_match_collective(struct pat_ctx *c, const struct pat_term *t, struct pat_collective *v)
{
    return match_collective(c, t, v, NULL, 0, 0);
}
