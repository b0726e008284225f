/* A store that races with itself: threads write one word with values of their own, and which one stays is not said.
 * The address must be the same for them (for all threads, or for all that differ in one coordinate of a block of more
 * dimensions), so must the guard be, and the value must be shown to differ.
 * requires: linear forms, uniformity · gives: graph_relate_self */
#include "graph/graph_depend_internal.h"

/* Counts with this coordinate, once, whatever else is in it that threads do not share. */
static bool counts_with(struct graph *g, graph_id id, unsigned dimension, unsigned depth)
{
    struct graph_linear f;
    bool own = false;
    if (!graph_linear_of(g, id, &f))
        return false;
    for (unsigned i = 0; i < f.n; i++) {
        struct graph_digit d = {0};
        const struct graph_node n = *graph_at(g, f.t[i].symbol);
        if (graph_block_uniform(g, f.t[i].symbol))
            continue;
        if (graph_is_digit(g, f.t[i].symbol, &d)) {
            if (d.dimension != dimension)
                continue;
            if (own || d.flip || d.mask != UINT32_MAX || d.shift)
                return false;
            own = true;
            continue;
        }
        unsigned by = n.kind == UOP_MUL && graph_block_uniform(g, n.arg[0]); /* a row times its length */
        if (own || n.kind != UOP_MUL || !graph_block_uniform(g, n.arg[1 - by]) || depth ||
            !counts_with(g, n.arg[by], dimension, depth + 1))
            return false;
        own = true;
    }
    return own;
}

/* Differs for certain between threads that differ in this coordinate: counts with it, or comes from an element of its
 * own. */
static bool differs(struct graph *g, graph_id value, unsigned dimension)
{
    const struct graph_node n = *graph_at(g, value);
    return counts_with(g, n.kind == UOP_LOAD && n.space == UOP_GLOBAL ? n.arg[0] : value, dimension, 0);
}

/* The same for threads that differ in this coordinate only. */
static bool same_along(struct graph *g, graph_id id, unsigned dimension)
{
    graph_id thread[3] = {0};
    thread[dimension] = graph_const(g, UOP_B32, 0);
    return id == GRAPH_NIL || graph_block_uniform(g, id) || graph_substitute_thread(g, id, thread) == id;
}

/* One store that all threads make (or all that differ in one coordinate only), to one word, each with a value of its
 * own. A coordinate that the code reads is taken to have more than one value. */
void graph_relate_self(struct finder *f, uint32_t access)
{
    struct graph *g = f->g;
    const struct graph_access *x = access_at(f, access);
    const struct graph_facts *facts = graph_facts_of(g);
    struct graph_side side = {.address = x->address, .when = x->runs_when, .space = x->space};
    struct graph_linear form;
    if (x->kind != GRAPH_STORE || x->space != UOP_SHARED || x->order >= UOP_RELAXED_CTA || f->unordered ||
        x->value[0] == GRAPH_NIL || !graph_address_form(g, &side, &form))
        return;
    for (unsigned d = 0; d < 3; d++) {
        bool one_word = facts->two_dimensional ? facts->reads[d] : d == 0;
        struct graph_constraints sizes = {0};
        graph_take_sizes(g, x->runs_when, &sizes);
        if (!one_word || g->env->block[d] == 1 || !same_along(g, x->runs_when, d) ||
            !graph_condition_linear(g, x->runs_when, &sizes))
            continue;
        for (unsigned i = 0; i < form.n && one_word; i++) {
            struct graph_digit digit = {0};
            one_word = graph_block_uniform(g, form.t[i].symbol) ||
                       (graph_is_digit(g, form.t[i].symbol, &digit) && digit.dimension != d);
        }
        if (!one_word || !differs(g, x->value[0], d))
            continue;
        struct graph_race r = {.first = access, .second = access};
        if (facts->two_dimensional)
            r.thread[d] = graph_sreg(g, UOP_SR_TID_X + d);
        VEC_PUSH(f->a, f->out->races, r);
        return;
    }
}
