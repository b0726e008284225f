/* Blocks that speak of whole loops: what a loop accumulates (the step of a fold, matched as a term over the old
 * accumulators), what its counter starts from, runs to and is stepped by, how often it was copied. However a compiler
 * unrolled the loop, there is one. Requires loops and folds (graph_cycle.h). */
#include "pattern/pat_collect.h"

/* What a node plays the part of: copies of one step share it. */
static graph_id part_of(const struct graph_cycles *y, graph_id id)
{
    return id < y->copy_count && y->copy_of[id] != GRAPH_NIL ? y->copy_of[id] : id;
}

/* Instances of the copies of a node belong to the match as the node does, whichever piece it is of. */
static void enter_copies(struct pat_collect *k)
{
    const struct graph_cycles *cycles = k->x->g->cycles;
    size_t own = k->c->inner.n;
    struct map_u64 wanted = {0};
    uint32_t at;
    if (!cycles->copy_of || !own)
        return;
    for (size_t i = 0; i < own; i++)
        map_u64_put(k->a, &wanted, part_of(cycles, k->c->inner.p[i].node), (uint32_t)i);
    for (graph_id id = 1; id < cycles->copy_count && id < k->x->count; id++)
        if (map_u64_get(&wanted, part_of(cycles, id), &at) && k->c->inner.p[at].node != id)
            VEC_PUSH(k->c->a, k->c->inner,
                     (struct pat_inner){.node = id, .term = k->c->inner.p[at].term, .load = k->c->inner.p[at].load});
}

/* A term as a node, with what the context has bound and the results of the fold's other accumulators; NIL: it cannot be
 * said. */
static graph_id spell(struct pat_collect *k, const struct graph_fold *f, const struct pat_term *t, unsigned depth)
{
    struct graph_node n = {.kind = t->float_operation, .type = UOP_F32, .insn = UINT32_MAX};
    if (depth > 8)
        return GRAPH_NIL;
    if (t->kind == TERM_VARIABLE)
        return k->c->bound[t->variable].set ? k->c->bound[t->variable].node : (graph_id)GRAPH_NIL;
    if (t->kind == TERM_REDUCED) {
        graph_id of = spell(k, f, t->arg[0], depth + 1);
        for (size_t i = 0; i < k->list.n && of != GRAPH_NIL; i++) {
            const struct pat_collective *v = k->list.p[i];
            if (v->cycle == f->cycle + 1 && v->op == pat_op_find(t->named) && v->inputs.n == 1 && v->inputs.p[0] == of)
                return v->values.p[v->values.n - 1];
        }
        return GRAPH_NIL;
    }
    if (t->kind != TERM_OPERATION || t->float_operation == UOP_NOP)
        return GRAPH_NIL;
    n.imm = t->function;
    n.arg_count = (uint8_t)t->arg_count;
    for (unsigned i = 0; i < t->arg_count && i < 3; i++)
        if ((n.arg[i] = spell(k, f, t->arg[i], depth + 1)) == GRAPH_NIL)
            return GRAPH_NIL;
    return graph_fresh(k->x->g, &n);
}

graph_id pat_spell_of(struct pat_collect *k, const struct pat_term *t, graph_id of)
{
    struct graph_node n = {.kind = t->float_operation, .type = UOP_F32, .insn = UINT32_MAX};
    if (t->kind == TERM_VARIABLE)
        return k->c->bound[t->variable].set ? k->c->bound[t->variable].node : (graph_id)GRAPH_NIL;
    if (t->kind == TERM_REDUCED)
        return of;
    if (t->kind != TERM_OPERATION || t->float_operation == UOP_NOP)
        return GRAPH_NIL;
    n.imm = t->function;
    n.arg_count = (uint8_t)t->arg_count;
    for (unsigned i = 0; i < t->arg_count && i < 3; i++)
        if ((n.arg[i] = pat_spell_of(k, t->arg[i], of)) == GRAPH_NIL)
            return GRAPH_NIL;
    return graph_fresh(k->x->g, &n);
}

/* What a product multiplies `in` by; NIL: it is none of `in`. */
static graph_id factor_in(const struct graph_node *n, graph_id in)
{
    bool product = n->kind == UOP_FFMA || n->kind == UOP_FMUL;
    return product && n->arg[0] == in ? n->arg[1] : product && n->arg[1] == in ? n->arg[0] : (graph_id)GRAPH_NIL;
}

/* What the step multiplies the old value by, `c` of `s * c + x`; NIL: by nothing. *rest: x, or a node with its product.
 */
static graph_id factor_of(const struct graph *g, graph_id out, graph_id in, graph_id *rest)
{
    const struct graph_node *n = graph_at(g, out);
    graph_id factor = factor_in(n, in);
    *rest = n->kind == UOP_FFMA ? n->arg[2] : (graph_id)GRAPH_NIL;
    if (factor != GRAPH_NIL)
        return factor;
    for (unsigned i = 0; i < 2 && n->kind == UOP_FADD && factor == GRAPH_NIL; i++) {
        factor = factor_in(graph_at(g, n->arg[i]), in);
        *rest = n->arg[1 - i];
    }
    if (n->kind == UOP_FFMA) { /* x is a product, too */
        factor = factor_in(graph_at(g, n->arg[2]), in);
        *rest = out;
    }
    return factor;
}

/* A product of something of the match, or that itself. */
static bool is_weighted(const struct graph *g, const struct map_u64 *inner, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return map_u64_get(inner, id, NULL) ||
           ((n->kind == UOP_FMUL || n->kind == UOP_FFMA) &&
            (map_u64_get(inner, n->arg[0], NULL) || map_u64_get(inner, n->arg[1], NULL)));
}

/* An accumulator of the same weights that is scaled, but by something else than the block's own are. */
static bool scaled_otherwise(const struct graph *g, const struct graph_fold *f, const unsigned *which, unsigned count,
                             const struct map_u64 *inner)
{
    for (unsigned i = 0; i < f->count; i++) {
        graph_id rest, own_rest, factor = factor_of(g, f->out[i], f->in[i], &rest);
        bool own = factor == GRAPH_NIL || rest == GRAPH_NIL || !is_weighted(g, inner, rest);
        for (unsigned j = 0; j < count && !own; j++)
            own = which[j] == i || factor_of(g, f->out[which[j]], f->in[which[j]], &own_rest) == factor;
        if (!own)
            return true;
    }
    return false;
}

/* Where steps scale what was there before, as a running sum is when its maximum rises, a sum beside them of the same
 * weights must be scaled by the same, too: that which only grows, or is scaled otherwise, is of other weights in every
 * turn, and what the block says of its own is then no part of what the loop computes. */
static bool grows_beside(struct pat_collect *k, const struct graph_fold *f, const unsigned *which, unsigned count)
{
    enum { CHAIN = 256 };
    const struct graph *g = k->x->g;
    const struct graph_cycle *y = &g->cycles->cycles.p[f->cycle];
    struct map_u64 inner = {0};
    bool scaled = false;
    for (unsigned j = 0; j < count; j++) {
        graph_id rest;
        scaled |= factor_of(g, f->out[which[j]], f->in[which[j]], &rest) != GRAPH_NIL;
    }
    for (size_t i = 0; i < k->c->inner.n && scaled; i++)
        map_u64_put(k->a, &inner, k->c->inner.p[i].node, 0);
    if (scaled && scaled_otherwise(g, f, which, count, &inner))
        return true;
    for (size_t i = 0; i < y->carried.n && scaled; i++) {
        graph_id at = y->carried.p[i].next, phi = y->carried.p[i].phi;
        bool weighted = false;
        if (y->carried.p[i].kind != GRAPH_CARRIED_DATA || map_u64_get(&inner, at, NULL))
            continue;
        for (unsigned steps = 0; at != phi && steps < CHAIN; steps++) {
            const struct graph_node *n = graph_at(g, at);
            if (n->kind == UOP_FFMA) {
                weighted |= map_u64_get(&inner, n->arg[0], NULL) || map_u64_get(&inner, n->arg[1], NULL);
                at = n->arg[2];
            } else if (n->kind == UOP_FADD) {
                bool first = is_weighted(g, &inner, n->arg[0]), second = is_weighted(g, &inner, n->arg[1]);
                if (first == second)
                    break;
                weighted = true;
                at = n->arg[first];
            } else {
                break;
            }
        }
        if (at == phi && weighted)
            return true;
    }
    return false;
}

/* The element of a step, of which the block says what its accumulators are in the end: the first name there that is
 * none of them. */
int pat_element_name(const struct pat_plan *plan, const struct pat_term *t)
{
    int found = -1;
    bool own = t->kind != TERM_VARIABLE;
    for (unsigned j = 0; j < plan->accumulators && !own; j++)
        own = plan->accumulator[j] == t->variable;
    if (!own)
        return t->variable;
    for (unsigned i = 0; i < t->arg_count && found < 0; i++)
        found = pat_element_name(plan, t->arg[i]);
    return found;
}

static graph_id element_of(const struct pat_ctx *c, const struct pat_plan *plan, const struct pat_term *t)
{
    int name = pat_element_name(plan, t);
    return name >= 0 && c->bound[name].set ? c->bound[name].node : (graph_id)GRAPH_NIL;
}

bool pat_match_step(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v, const graph_id *in,
                    const graph_id *other, const graph_id *out, const graph_id *shown, graph_id *element)
{
    const struct pat_plan *plan = v->plan;
    struct pat_ctx *c = k->c;
    graph_id node_of[PAT_VARIABLES] = {0}, nodes[CU_MAX_STATEMENTS];
    const struct pat_term *terms[CU_MAX_STATEMENTS];
    unsigned count = 0;
    pat_ctx_begin(c, page, v, out[0]);
    for (unsigned j = 0; j < plan->accumulators; j++) {
        c->bound[plan->accumulator[j]] = (struct pat_bound){.set = true, .node = in[j]};
        node_of[plan->accumulator[j]] = out[j];
        if (other && plan->others[j] >= 0)
            c->bound[plan->others[j]] = (struct pat_bound){.set = true, .node = other[j]};
    }
    /* From the last assignment up: `m = n` says what n is before n's own assignment is read. */
    for (unsigned i = plan->statement_count; i-- > 0;) {
        graph_id node = node_of[plan->target[i]];
        if (!plan->term[i]) /* another thread's */
            continue;
        if (node == GRAPH_NIL)
            return false;
        const struct pat_term *t = plan->term[i];
        if (t->kind == TERM_VARIABLE && !c->bound[t->variable].set) {
            c->bound[t->variable] = (struct pat_bound){.set = true, .node = node};
            node_of[t->variable] = node;
            continue;
        }
        for (unsigned j = 0; j < plan->accumulators && shown; j++)
            if (node == out[j]) {
                node = shown[j];
                break;
            }
        terms[count] = t;
        nodes[count++] = node;
    }
    if (!pat_match_goals(c, terms, nodes, count))
        return false;
    for (unsigned j = 0; j < plan->accumulators; j++)
        VEC_PUSH(c->a, c->inner, (struct pat_inner){.node = out[j]});
    *element = plan->result_count ? element_of(c, plan, plan->result[0]->arg[0]) : (graph_id)GRAPH_NIL;
    return true;
}

/* Accumulators that hold elements from before the loop: what each is by itself, as others speak of it, holds them, too.
 * Returns the name of these elements. */
static uint32_t hold(struct pat_collect *k, const struct graph_fold *f, const unsigned *which, unsigned count,
                     graph_id element, const struct pat_begun *begun)
{
    VEC_PUSH(k->a, k->begun, *begun);
    uint32_t name = (uint32_t)k->begun.n;
    for (unsigned j = 0; j < count; j++) {
        const struct pat_binary *like = &begun->like[j];
        graph_id in = f->in[which[j]];
        bool known = false;
        if (!like->a || (like->a == in ? like->b : like->a) != element)
            continue;
        for (size_t i = 0; i < k->list.n && !known; i++) {
            struct pat_collective *v = k->list.p[i];
            known = v->cycle == f->cycle + 1 && v->op == like->op && v->inputs.n == 1 && v->inputs.p[0] == element &&
                    v->values.p[0] == in;
            if (known)
                v->begun = name;
        }
        if (!known)
            pat_collect_give(k, f, which[j], like, element, name);
    }
    return name;
}

/* One way to give a fold's accumulators to the block's names: `which[j]` is the fold's for the block's j-th. */
static bool match_fold(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v,
                       const struct graph_fold *f, const unsigned *which)
{
    const struct pat_plan *plan = v->plan;
    struct pat_ctx *c = k->c;
    struct pat_begun begun = {0};
    graph_id in[PAT_FOLD_MAX] = {0}, out[PAT_FOLD_MAX] = {0}, element;
    for (unsigned j = 0; j < plan->accumulators; j++) {
        in[j] = f->in[which[j]];
        out[j] = f->out[which[j]];
    }
    bool one = pat_match_step(k, page, v, in, NULL, out, NULL, &element);
    if (!one) /* what one turn takes is then said of no element */
        element = GRAPH_NIL;
    if (!one && !pat_match_tile(k, page, v, f, in, out))
        return false;
    if (plan->result_count) { /* the matcher has one place to work in: the step is matched again */
        if (!pat_collect_begins(k, page, v, f, which, element, &begun) ||
            !(one ? pat_match_step(k, page, v, in, NULL, out, NULL, &element) : pat_match_tile(k, page, v, f, in, out)))
            return false;
        for (size_t i = 0; i < begun.inner.n; i++)
            VEC_PUSH(c->a, c->inner, begun.inner.p[i]);
    }
    enter_copies(k);
    if (one && grows_beside(k, f, which, plan->accumulators))
        return false;
    /* What the block says the accumulators are in the end holds as they begin so. Of a loop within a loop that goes on
     * where it was left it is not said: its elements are not those of one run of it. */
    graph_id input[CU_MAX_RESULTS];
    unsigned given[CU_MAX_RESULTS], results = begun.again || !one ? 0 : plan->result_count;
    uint32_t held = results && begun.count ? hold(k, f, which, plan->accumulators, element, &begun) : 0;
    for (unsigned i = 0; i < results; i++) {
        given[i] = 0;
        while (given[i] + 1 < plan->accumulators && plan->accumulator[given[i]] != plan->result_of[i])
            given[i]++;
        input[i] = spell(k, f, plan->result[i]->arg[0], 0);
        if (input[i] == GRAPH_NIL)
            return false;
    }
    struct pat_found *found = pat_keep(k->run, GRAPH_NIL, NULL, 0);
    if (!found)
        return false;
    found->cycle = f->cycle + 1;
    for (unsigned i = 0; i < results; i++)
        pat_collect_give(k, f, which[given[i]], &begun.like[given[i]], input[i], held);
    return true;
}

static void match_folds(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    enum { WAYS = 1 << 16 }; /* two of as many as a thread has registers */
    const struct graph_cycles *cycles = k->x->g->cycles;
    unsigned n = v->plan->accumulators;
    for (size_t i = 0; i < cycles->folds.n; i++) {
        const struct graph_fold *f = &cycles->folds.p[i];
        bool done = f->count < n;
        /* Every way to choose n of the fold's accumulators, in order. */
        unsigned ways = 1;
        for (unsigned j = 0; j < n && !done; j++) {
            done = f->count > WAYS / ways;
            ways *= f->count;
        }
        for (unsigned w = 0; w < ways && !done; w++) {
            unsigned which[PAT_FOLD_MAX] = {0}, rest = w;
            bool apart = true;
            for (unsigned j = 0; j < n; j++, rest /= f->count) {
                which[j] = rest % f->count;
                for (unsigned l = 0; l < j; l++)
                    apart &= which[l] != which[j];
            }
            done = apart && match_fold(k, page, v, f, which);
        }
    }
}

/* Branches at the end of the pieces, and what makes the carried counters. */
static void add_turning(struct pat_collect *k, const struct graph_cycle *y, void *list)
{
    VEC(uint32_t) *out = list;
    const struct graph *g = k->x->g;
    for (size_t i = 0; i < y->pieces.n; i++)
        if (!y->pieces.p[i].straight && y->pieces.p[i].last < g->insns.n)
            VEC_PUSH(k->a, *out, y->pieces.p[i].last);
    for (size_t i = 0; i < y->carried.n; i++)
        if (y->carried.p[i].kind == GRAPH_CARRIED_COUNTER && y->carried.p[i].insn < g->insns.n)
            VEC_PUSH(k->a, *out, y->carried.p[i].insn);
}

static void match_counters(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    const struct graph_cycles *cycles = k->x->g->cycles;
    const struct pat_plan *plan = v->plan;
    for (size_t i = 0; i < cycles->cycles.n; i++) {
        const struct graph_cycle *y = &cycles->cycles.p[i];
        const struct pat_term *terms[3];
        graph_id nodes[3];
        unsigned count = 0;
        if (y->counter == GRAPH_NIL || (plan->start && y->start == GRAPH_NIL) || (plan->next && y->next == GRAPH_NIL) ||
            (plan->condition && y->until == GRAPH_NIL))
            continue;
        pat_ctx_begin(k->c, page, v, y->counter);
        k->c->bound[plan->counter] = (struct pat_bound){.set = true, .node = y->counter, .as = UOP_B32};
        if (plan->start) {
            terms[count] = plan->start;
            nodes[count++] = y->start;
        }
        if (plan->next) {
            terms[count] = plan->next;
            nodes[count++] = y->next;
        }
        if (plan->condition) {
            terms[count] = plan->condition;
            nodes[count++] = graph_not(k->x->g, y->until);
        }
        VEC(uint32_t) extra = {0};
        add_turning(k, y, &extra);
        if (!pat_match_goals(k->c, terms, nodes, count))
            continue;
        struct pat_found *found = pat_keep(k->run, GRAPH_NIL, extra.p, (unsigned)extra.n);
        if (found)
            found->cycle = (uint32_t)i + 1;
    }
}

static void match_copies(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    const struct graph_cycles *cycles = k->x->g->cycles;
    for (size_t i = 0; i < cycles->cycles.n; i++) {
        const struct graph_cycle *y = &cycles->cycles.p[i];
        VEC(uint32_t) extra = {0};
        if (y->unroll < 2)
            continue;
        pat_ctx_begin(k->c, page, v, GRAPH_NIL);
        k->c->bound[v->plan->factor] = (struct pat_bound){.set = true, .counted = true, .number = y->unroll};
        add_turning(k, y, &extra);
        if (!extra.n) { /* straight code alone */
            VEC_PUSH(k->a, extra, y->first);
            VEC_PUSH(k->a, extra, y->last);
        }
        struct pat_found *found =
            pat_match_where(k->c) ? pat_keep(k->run, GRAPH_NIL, extra.p, (unsigned)extra.n) : NULL;
        if (found)
            found->cycle = (uint32_t)i + 1;
    }
}

void pat_collect_loops(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    if (!k->x->g->cycles)
        return;
    switch (v->plan->kind) {
    case PLAN_FOLD: match_folds(k, page, v); break;
    case PLAN_COUNTER: match_counters(k, page, v); break;
    case PLAN_UNROLL: match_copies(k, page, v); break;
    default: break;
    }
}
