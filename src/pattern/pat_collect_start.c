/* What the accumulators of a block begin with, all together. A running sum that is scaled by a running maximum is a sum
 * of the elements that the maximum is of only where both began alike: from what is neutral, or both from the same first
 * element - a maximum that begins with an element which the sum does not hold makes it the sum of nothing. Turns that a
 * compiler took out in front of a loop are steps of the block; a loop within a loop goes on where it was left.
 *
 * requires: a fold whose step has matched · gives: how it begins, and the elements before its own */
#include "pattern/pat_collect.h"

#include <math.h>
#include <string.h>

enum { DEPTH = 8, ARMS = 16 };

struct beginning {
    struct pat_collect *k;
    const struct pat_page *page;
    const struct pat_variant *v;
    const struct graph_fold *f;
    const unsigned *which;
    unsigned n, left;
    struct pat_binary like[PAT_FOLD_MAX]; /* the operation of each accumulator */
    graph_id element;                     /* of the step */
    struct pat_begun *out;
};

/* What a term is where every name is `x`, as it is of an only element, and so is its largest one; false: not known. */
static bool value_of_one(const struct pat_term *t, double x, double *out, unsigned depth)
{
    double arg[2] = {0};
    if (depth > DEPTH || t->arg_count > 2)
        return false;
    if (t->kind == TERM_VARIABLE || t->kind == TERM_NUMBER) {
        *out = t->kind == TERM_NUMBER ? t->number : x;
        return true;
    }
    for (unsigned i = 0; i < t->arg_count; i++)
        if (!value_of_one(t->arg[i], x, &arg[i], depth + 1))
            return false;
    if (t->kind == TERM_REDUCED) {
        *out = arg[0];
        return true;
    }
    if (t->kind != TERM_OPERATION)
        return false;
    switch (t->float_operation) {
    case UOP_FADD: *out = arg[0] + arg[1]; return true;
    case UOP_FMUL: *out = arg[0] * arg[1]; return true;
    case UOP_FNEG: *out = -arg[0]; return true;
    case GRAPH_REAL:
        if (t->function != GRAPH_EXP)
            return false;
        *out = exp(arg[0]);
        return true;
    default: return false;
    }
}

static bool is_number(const struct graph *g, graph_id id, double number)
{
    uint64_t bits;
    uint32_t low;
    float narrow;
    double wide;
    if (!graph_is_const(g, id, &bits))
        return false;
    if (uop_type_bits((enum uop_type)graph_at(g, id)->type) == 64) {
        memcpy(&wide, &bits, sizeof wide);
        return wide == number;
    }
    low = (uint32_t)bits;
    memcpy(&narrow, &low, sizeof narrow);
    return (double)narrow == number;
}

bool pat_is_of_one(const struct graph *g, const struct pat_term *result, graph_id id)
{
    double one, other;
    return value_of_one(result->arg[0], 0.75, &one, 0) && value_of_one(result->arg[0], -2.5, &other, 0) &&
           one == other && is_number(g, id, one);
}

/* What the block says of an accumulator's end; NULL: nothing. */
static const struct pat_term *result_of(const struct pat_plan *plan, unsigned j)
{
    for (unsigned i = 0; i < plan->result_count; i++)
        if (plan->result_of[i] == plan->accumulator[j])
            return plan->result[i];
    return NULL;
}

/* From the element before the loop's first one: what is taken of elements as they are begins with it, what is a sum of
 * something made of them with what that is of an only element. */
static bool begins_with_element(struct beginning *b, const graph_id *start)
{
    const struct pat_plan *plan = b->v->plan;
    graph_id first = GRAPH_NIL;
    for (unsigned j = 0; j < b->n; j++)
        if (pat_only_load(b->k->x->g, start[j]) != GRAPH_NIL) {
            if (first != GRAPH_NIL ||
                pat_starts_first(b->k->x->g, b->f->cycle, b->like[j].op, start[j], b->element) != PAT_STARTS_BEFORE)
                return false;
            first = start[j];
        }
    for (unsigned j = 0; j < b->n && first != GRAPH_NIL; j++) {
        const struct pat_term *t = result_of(plan, j);
        if (start[j] != first && !(t && pat_is_of_one(b->k->x->g, t, start[j])))
            return false;
    }
    if (first == GRAPH_NIL || b->out->count == PAT_BEGUN_MAX)
        return false;
    b->out->element[b->out->count++] = pat_only_load(b->k->x->g, first);
    return true;
}

/* Neutral whatever the others begin with. */
static bool is_nothing(struct beginning *b, unsigned j, graph_id start, unsigned depth)
{
    struct graph *g = b->k->x->g;
    const struct graph_node n = *graph_at(g, start);
    if (start == GRAPH_NIL || depth > DEPTH)
        return false;
    if (graph_is_const(g, start, NULL))
        return pat_is_neutral(g, &b->like[j], start);
    if (pat_starts_first(g, b->f->cycle, b->like[j].op, start, b->element) == PAT_STARTS_AGAIN)
        return true;
    bool all = n.kind == GRAPH_PHI || n.kind == UOP_SELECT;
    for (unsigned i = 1; i <= 2 && n.kind == UOP_SELECT && all; i++)
        all = is_nothing(b, j, n.arg[i], depth + 1);
    for (uint32_t i = 0; i < n.phi_count && n.kind == GRAPH_PHI && all; i++)
        all = n.phi_args[i] == start || is_nothing(b, j, n.phi_args[i], depth + 4);
    return all;
}

/* All are what one loop before left, of the same operations. */
static bool is_left(struct beginning *b, const graph_id *start)
{
    struct pat_collect *k = b->k;
    const struct pat_collective *one = NULL;
    for (unsigned j = 0; j < b->n; j++) {
        const struct pat_collective *found = NULL;
        uint32_t at;
        bool any = map_u64_get(&k->partial_of, start[j], &at);
        for (uint32_t i = any ? at : UINT32_MAX; i != UINT32_MAX && !found; i = k->partials.p[i].next) {
            const struct pat_collective *c = k->partials.p[i].of < k->list.n ? k->list.p[k->partials.p[i].of] : NULL;
            if (c && c->reach == PAT_IN_THREAD && c->op == b->like[j].op && c->like.as == b->like[j].as &&
                (!one || (one->first == c->first && one->last == c->last)))
                found = c;
        }
        if (!found)
            return false;
        one = found;
    }
    return true;
}

static bool begins(struct beginning *b, const graph_id *start, unsigned depth);

/* Accumulators that an accumulator's new value may be made of. */
static unsigned older_of(struct beginning *b, graph_id id, graph_id out[4])
{
    const struct graph *g = b->k->x->g;
    const struct graph_node *n = graph_at(g, id);
    struct pat_binary v;
    unsigned count = 0;
    if (n->kind == UOP_FFMA) {
        out[count++] = n->arg[0];
        out[count++] = n->arg[1];
        return count;
    }
    for (unsigned i = 0; i < 2 && n->kind == UOP_FADD; i++) {
        const struct graph_node *product = graph_at(g, n->arg[i]);
        for (unsigned j = 0; j < 2 && product->kind == UOP_FMUL; j++)
            out[count++] = product->arg[j];
    }
    if (!count && pat_binary_of(b->k->x, id, &v)) {
        out[count++] = v.a;
        out[count++] = v.b;
    }
    return count;
}

/* They are what one step of the block makes of others, that themselves begin so. */
static bool is_step(struct beginning *b, const graph_id *start, unsigned depth)
{
    graph_id older[PAT_FOLD_MAX][4] = {{0}}, from[PAT_FOLD_MAX] = {0};
    unsigned count[PAT_FOLD_MAX] = {0}, ways = 1;
    for (unsigned j = 0; j < b->n; j++) {
        count[j] = older_of(b, start[j], older[j]);
        ways *= count[j];
        if (!ways || ways > ARMS)
            return false;
    }
    for (unsigned w = 0; w < ways && b->left; w++) {
        struct pat_begun before = *b->out;
        graph_id element;
        unsigned rest = w;
        for (unsigned j = 0; j < b->n; j++) {
            unsigned ways_of = count[j] ? count[j] : 1;
            from[j] = older[j][rest % ways_of];
            rest /= ways_of;
        }
        b->left--;
        if (b->out->count == PAT_BEGUN_MAX || !pat_match_step(b->k, b->page, b->v, from, NULL, start, NULL, &element) ||
            element == GRAPH_NIL)
            continue;
        for (size_t i = 0; i < b->k->c->inner.n; i++)
            VEC_PUSH(b->k->a, b->out->inner, b->k->c->inner.p[i]);
        b->out->element[b->out->count++] = pat_only_load(b->k->x->g, element); /* NIL: where it lies is not known */
        if (begins(b, from, depth + 1))
            return true;
        *b->out = before;
    }
    return false;
}

static bool begins(struct beginning *b, const graph_id *start, unsigned depth)
{
    struct graph *g = b->k->x->g;
    bool own = true, nothing = true, meet = true;
    if (depth > DEPTH || !b->left)
        return false;
    b->left--;
    const struct graph_node first = *graph_at(g, start[0]);
    for (unsigned j = 0; j < b->n; j++) {
        const struct graph_node *n = graph_at(g, start[j]);
        if (start[j] == GRAPH_NIL)
            return false;
        own &= start[j] == b->f->out[b->which[j]] || start[j] == b->f->result[b->which[j]];
        nothing = nothing && is_nothing(b, j, start[j], 0);
        meet &=
            n->kind == first.kind &&
            (n->kind == GRAPH_PHI ? n->block == first.block && n->phi_count == first.phi_count && n->phi_count <= ARMS
                                  : n->kind == UOP_SELECT && n->arg[0] == first.arg[0]);
    }
    if (own)
        b->out->again = true;
    if (own || nothing || is_left(b, start) || begins_with_element(b, start) || is_step(b, start, depth))
        return true;
    bool phi = first.kind == GRAPH_PHI;
    for (uint32_t i = phi ? 0 : 1; meet && i < (phi ? first.phi_count : 3); i++) {
        graph_id arm[PAT_FOLD_MAX] = {0};
        for (unsigned j = 0; j < b->n; j++)
            arm[j] = phi ? graph_at(g, start[j])->phi_args[i] : graph_at(g, start[j])->arg[i];
        meet = begins(b, arm, depth + 1);
    }
    return meet;
}

/* The operation of an accumulator whose end the block does not speak of; a select may stand over it. */
static bool operation_of(struct pat_index *x, graph_id in, graph_id out, struct pat_binary *like)
{
    const struct graph_node n = *graph_at(x->g, out);
    bool found = pat_binary_of(x, out, like) && (like->a == in || like->b == in);
    for (unsigned arm = 1; arm <= 2 && !found && n.kind == UOP_SELECT; arm++)
        found = n.arg[3 - arm] == in && pat_binary_of(x, n.arg[arm], like) && (like->a == in || like->b == in);
    return found;
}

bool pat_collect_begins(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v,
                        const struct graph_fold *f, const unsigned *which, graph_id element, struct pat_begun *out)
{
    struct beginning b = {.k = k,
                          .page = page,
                          .v = v,
                          .f = f,
                          .which = which,
                          .n = v->plan->accumulators,
                          .left = 64,
                          .element = element,
                          .out = out};
    graph_id start[PAT_FOLD_MAX] = {0};
    bool good = true;
    *out = (struct pat_begun){0};
    for (unsigned j = 0; j < b.n; j++) {
        const struct pat_term *t = result_of(v->plan, j);
        graph_id now = f->out[which[j]];
        start[j] = f->start[which[j]];
        good &= start[j] != GRAPH_NIL;
        if (t)
            b.like[j] = (struct pat_binary){
                .op = pat_op_find(t->named), .as = (enum uop_type)graph_at(k->x->g, now)->type, .exact = true};
        else
            good &= operation_of(k->x, f->in[which[j]], now, &b.like[j]);
    }
    good = good && begins(&b, start, 0);
    memcpy(out->like, b.like, sizeof b.like);
    return good;
}
