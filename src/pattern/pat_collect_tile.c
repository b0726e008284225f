/* A step that takes several elements at once, as an attention takes a tile: its maximum first, then what was there is
 * scaled once, and a term of each element is added. The block says the step of one element, `n = max(m, v)` and
 * `s = s * f(m, n) + g(v, n)`; it is one of all of them when n is the maximum of m and all elements, and the sum holds
 * g of each of them once beside the one product. Whatever else the loop sums of the same terms must be scaled alike.
 *
 * requires: a fold of two accumulators, one of which leads · gives: the step in the context; TILE bounds the work */
#include "pattern/pat_collect.h"

#include <string.h>

enum { TILE = 64, SUMS = 160 };

struct parts {
    graph_id leaf[SUMS]; /* of a product the node it is part of */
    bool product[SUMS];
    graph_id between[2 * SUMS]; /* what takes them together */
    graph_id factor;            /* of the old value; GRAPH_NIL: it is there as it was */
    unsigned count, betweens;
    bool found; /* the old value */
};

struct tile {
    struct pat_collect *k;
    const struct pat_page *page;
    const struct pat_variant *v;
    const graph_id *in, *out;
    unsigned leads, follows;
    struct pat_binary like;
    struct parts elements, terms;
    VEC(struct pat_inner) inner;
    VEC(graph_id) conditions, readings;
    unsigned via;
};

/* The elements that the leader takes in beside its old value. */
static bool elements_of(struct tile *t)
{
    struct pat_collect *k = t->k;
    struct parts *p = &t->elements;
    graph_id stack[2 * TILE], in = t->in[t->leads];
    unsigned depth = 0;
    struct map_u64 seen = {0};
    uint32_t at;
    if (!pat_binary_of(k->x, t->out[t->leads], &t->like) || !pat_op_again(t->like.op))
        return false;
    stack[depth++] = t->out[t->leads];
    while (depth) {
        struct pat_binary v;
        graph_id id = stack[--depth];
        if (map_u64_get(&seen, id, &at))
            continue;
        map_u64_put(k->a, &seen, id, 1);
        if (id == in) {
            p->found = true;
        } else if (pat_binary_of(k->x, id, &v) && pat_alike(&v, &t->like)) {
            if (depth + 2 > 2 * TILE || p->betweens == 2 * SUMS || (!v.exact && !(t->page->rules & PAT_RULE_SELECT)))
                return false;
            t->via |= v.exact ? 0 : PAT_RULE_SELECT;
            p->between[p->betweens++] = id;
            stack[depth++] = v.b;
            stack[depth++] = v.a;
        } else if (!pat_is_neutral(k->x->g, &t->like, id)) {
            if (p->count == TILE)
                return false;
            p->leaf[p->count++] = id;
        }
    }
    return p->found && p->count > 1;
}

static bool add_part(struct parts *p, graph_id id, bool product)
{
    if (p->count == SUMS)
        return false;
    p->product[p->count] = product;
    p->leaf[p->count++] = id;
    return true;
}

/* What a sum adds to its old value, and by what that is scaled. */
static bool terms_of(const struct graph *g, graph_id out, graph_id in, struct parts *p)
{
    graph_id stack[SUMS];
    unsigned depth = 0, left = 4 * SUMS;
    memset(p, 0, sizeof *p);
    stack[depth++] = out;
    while (depth && left--) {
        graph_id id = stack[--depth];
        const struct graph_node *n = graph_at(g, id);
        bool sum = n->kind == UOP_FADD || n->kind == UOP_FFMA, scaled = n->kind == UOP_FFMA || n->kind == UOP_FMUL;
        if (n->flags & (UOP_SAT | UOP_RELU))
            sum = scaled = false;
        scaled = scaled && (n->arg[0] == in || n->arg[1] == in);
        if (id == in || scaled) {
            if (p->found)
                return false;
            p->found = true;
            p->factor = scaled ? n->arg[n->arg[0] == in] : (graph_id)GRAPH_NIL;
        } else if (n->kind == UOP_FFMA && sum && !add_part(p, id, true)) {
            return false;
        } else if (!sum && !add_part(p, id, false)) {
            return false;
        }
        if (sum || (scaled && id != in)) {
            if (p->betweens == 2 * SUMS || depth + 2 > SUMS)
                return false;
            p->between[p->betweens++] = id;
        }
        if (sum && n->kind == UOP_FFMA)
            stack[depth++] = n->arg[2];
        else if (sum)
            for (unsigned i = 0; i < 2; i++)
                stack[depth++] = n->arg[i];
    }
    return !depth && p->found;
}

/* The block's step of one element, and of one term. */
static bool fits(struct tile *t, graph_id element, graph_id term)
{
    struct pat_collect *k = t->k;
    struct graph *g = k->x->g;
    graph_id shown[PAT_FOLD_MAX] = {0}, said;
    struct graph_node greater = {.kind = t->like.op == PAT_OP_MAX ? UOP_FMAX : UOP_FMIN,
                                 .type = t->like.as,
                                 .insn = UINT32_MAX,
                                 .arg_count = 2,
                                 .arg = {t->in[t->leads], element}};
    struct graph_node sum = {.kind = UOP_FFMA,
                             .type = graph_at(g, t->out[t->follows])->type,
                             .insn = UINT32_MAX,
                             .arg_count = 3,
                             .arg = {t->in[t->follows], t->terms.factor, term}};
    shown[t->leads] = graph_fresh(g, &greater);
    shown[t->follows] = graph_fresh(g, &sum);
    return shown[t->leads] != GRAPH_NIL && shown[t->follows] != GRAPH_NIL &&
           pat_match_step(k, t->page, t->v, t->in, NULL, t->out, shown, &said) && said == element;
}

static void gather(struct tile *t)
{
    struct pat_ctx *c = t->k->c;
    for (size_t i = 0; i < c->inner.n; i++)
        VEC_PUSH(t->k->a, t->inner, c->inner.p[i]);
    for (size_t i = 0; i < c->conditions.n; i++)
        VEC_PUSH(t->k->a, t->conditions, c->conditions.p[i]);
    t->via |= c->via;
}

/* Each element has its term, and each term its element. */
static bool pair_up(struct tile *t)
{
    bool used[SUMS] = {false};
    for (unsigned i = 0; i < t->elements.count; i++) {
        unsigned found = t->terms.count;
        for (unsigned j = 0; j < t->terms.count && found == t->terms.count; j++) {
            unsigned at = (i + j) % t->terms.count; /* mostly in one order */
            if (!used[at] && !t->terms.product[at] && fits(t, t->elements.leaf[i], t->terms.leaf[at]))
                found = at;
        }
        if (found == t->terms.count)
            return false;
        used[found] = true;
        gather(t);
    }
    return true;
}

/* A sum beside the block's own that holds its terms, but is not scaled as it is: then the terms of a turn are of other
 * weights than those of the turns before. */
static bool is_scaled_otherwise(struct tile *t, const struct map_u64 *inner, graph_id in, graph_id out)
{
    const struct graph *g = t->k->x->g;
    struct parts *p = ARENA_NEW(t->k->a, struct parts);
    bool weighted = false;
    uint32_t at;
    if (!p || in == t->in[0] || in == t->in[1] || in == GRAPH_NIL || out == GRAPH_NIL)
        return false;
    bool known = terms_of(g, out, in, p);
    for (unsigned i = 0; i < p->count && !weighted; i++) {
        const struct graph_node *n = graph_at(g, p->leaf[i]);
        weighted = map_u64_get(inner, p->leaf[i], &at);
        for (unsigned k = 0; k < 2 && (n->kind == UOP_FMUL || n->kind == UOP_FFMA); k++)
            weighted |= map_u64_get(inner, n->arg[k], &at);
    }
    return weighted && (!known || p->factor != t->terms.factor);
}

static bool sums_beside(struct tile *t, const struct graph_fold *f)
{
    const struct graph_cycles *cycles = t->k->x->g->cycles;
    const struct graph_cycle *y = &cycles->cycles.p[f->cycle];
    struct map_u64 inner = {0};
    bool otherwise = false;
    for (unsigned i = 0; i < t->terms.count; i++)
        map_u64_put(t->k->a, &inner, t->terms.leaf[i], 1);
    for (unsigned i = 0; i < f->count && !otherwise; i++)
        otherwise = is_scaled_otherwise(t, &inner, f->in[i], f->out[i]);
    for (size_t i = 0; i < y->carried.n && !otherwise; i++) {
        bool of_fold = y->carried.p[i].kind != GRAPH_CARRIED_DATA;
        for (unsigned j = 0; j < f->count && !of_fold; j++)
            of_fold = f->in[j] == y->carried.p[i].phi;
        otherwise = !of_fold && is_scaled_otherwise(t, &inner, y->carried.p[i].phi, y->carried.p[i].next);
    }
    return otherwise;
}

bool pat_match_tile(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v,
                    const struct graph_fold *f, const graph_id *in, const graph_id *out)
{
    const struct pat_plan *plan = v->plan;
    struct pat_ctx *c = k->c;
    if (plan->accumulators != 2 || plan->result_count != 1 || !(page->rules & PAT_RULE_FMA))
        return false;
    struct tile *t = ARENA_NEW(k->a, struct tile);
    if (!t)
        return false;
    *t = (struct tile){.k = k, .page = page, .v = v, .in = in, .out = out};
    t->follows = plan->accumulator[0] != plan->result_of[0];
    t->leads = 1 - t->follows;
    if (!elements_of(t) || !pat_is_float(t->like.as) ||
        !terms_of(k->x->g, out[t->follows], in[t->follows], &t->terms) || t->terms.factor == GRAPH_NIL ||
        t->terms.count != t->elements.count || !pair_up(t) || sums_beside(t, f))
        return false;
    c->inner.n = c->conditions.n = 0;
    for (size_t i = 0; i < t->inner.n; i++)
        VEC_PUSH(c->a, c->inner, t->inner.p[i]);
    for (unsigned i = 0; i < t->elements.betweens; i++)
        VEC_PUSH(c->a, c->inner, (struct pat_inner){.node = t->elements.between[i]});
    for (unsigned i = 0; i < t->terms.betweens; i++)
        VEC_PUSH(c->a, c->inner, (struct pat_inner){.node = t->terms.between[i]});
    for (size_t i = 0; i < t->conditions.n; i++)
        VEC_PUSH(c->a, c->conditions, t->conditions.p[i]);
    c->via = t->via;
    return true;
}
