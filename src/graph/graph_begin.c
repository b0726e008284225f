/* What the accumulators of a loop begin with: turns that a compiler took out before it, since several steps a turn do
 * not divide them. Such a loop's counter does not say how many turns the source's has.
 *
 * requires: chains, inductions · gives: piece_begins_with_* */
#include "graph/graph_piece.h"

/* Of several steps a turn, so many turns that the compiler knew how many: steps that do not divide them it took out. */
static bool turns_are_constant(const struct joiner *j)
{
    const struct graph *g = j->w->g;
    const struct cycle_phi *p = j->r->tested >= 0 ? &j->r->phis[j->r->tested] : NULL;
    return j->r->unroll > 1 && p && p->constant && graph_is_const(g, p->start, NULL) && j->r->limit != GRAPH_NIL &&
           graph_is_const(g, j->r->limit, NULL);
}

/* The accumulator begins with the operation of its last step, on what is loaded: whether it is a step that was taken
 * out cannot be told where addresses do not say from which element on the loop goes. */
bool piece_begins_with_operation(const struct joiner *j, const struct cycle_chain *c)
{
    const struct graph *g = j->w->g;
    graph_id start = j->r->phis[c->phi].start;
    if (c->flat || start == GRAPH_NIL || start >= j->w->nodes || !turns_are_constant(j))
        return false;
    const struct graph_node *first = graph_at(g, start), *last = graph_at(g, c->out);
    bool loads = false;
    for (unsigned k = 0; k < first->arg_count; k++) {
        struct cycle_word word;
        loads |= cycle_word_of(g, first->arg[k], &word);
    }
    return loads && first->kind == last->kind && first->type == last->type && first->kind != UOP_LOAD;
}

/* The accumulator begins with the two elements before the loop's first one, or more: turns that a compiler took out.
 * One alone may be what the source begins with. */
bool piece_begins_with_elements(struct joiner *j, graph_id start, const struct field_set *first)
{
    enum { LOOK_MAX = 64, BACK = 2 };
    struct cycle_work *w = j->w;
    graph_id todo[LOOK_MAX];
    unsigned n = 0, found = 0;
    if (start == GRAPH_NIL || start >= w->nodes || first->count != 1)
        return false;
    todo[n++] = start;
    for (unsigned at = 0; at < n; at++) {
        const struct graph_node *x = graph_at(w->g, todo[at]);
        if (x->kind == UOP_LOAD) {
            struct field_set place = cycle_value_of(w, x->arg[0], UINT32_MAX, TURN_LAST);
            for (unsigned back = 1; back <= BACK && place.count == 1; back++)
                if (field_add(place.v[0], field_mul(j->advance, back)) == first->v[0])
                    found |= 1u << back;
            continue;
        }
        if (x->kind == GRAPH_PHI)
            continue;
        for (unsigned k = 0; k < x->arg_count && n < LOOK_MAX; k++)
            todo[n++] = x->arg[k];
    }
    /* One is enough where something was made of it already. */
    if (turns_are_constant(j) && graph_at(w->g, start)->kind != UOP_LOAD && (found & 1u << 1))
        return true;
    return found == ((1u << 1) | (1u << BACK));
}

/* A body of several steps whose accumulator begins with the very step, on the element before the loop's first one: a
 * turn that a compiler took out, since it does not divide them. */
bool piece_begins_with_step(struct joiner *j, uint32_t chain)
{
    struct cycle_work *w = j->w;
    const struct cycle_chain *c = &j->r->chains.p[chain];
    struct cycle_run run = {0};
    bool moves = false;
    if (j->r->unroll < 2 || c->flat || !cycle_step_back(w, j->r, chain, j->r->phis[c->phi].start, &run))
        return false;
    for (size_t i = 0; i + 1 < run.pairs.n; i += 2) { /* every word of a step has one that stands a step before it */
        struct cycle_word t, n;
        if (!cycle_word_of(w->g, run.pairs.p[i], &t))
            continue;
        struct field_set first = cycle_value_of(w, t.address, j->r->loop, TURN_FIRST);
        struct field_set last = cycle_value_of(w, t.address, j->r->loop, TURN_LAST);
        struct field_set after = cycle_value_of(w, t.address, j->r->loop, TURN_AFTER);
        if (first.count != 1 || last.count != 1 || after.count != 1) {
            moves = true; /* from where is not known: it may be */
            continue;
        }
        uint64_t turn = field_add(after.v[0], field_neg(last.v[0]));
        uint64_t step = field_mul(turn, field_inverse(j->r->unroll));
        bool any = false;
        for (size_t k = 1; k < run.pairs.n && !any; k += 2) { /* a product may have been matched either way round */
            if (!cycle_word_of(w->g, run.pairs.p[k], &n))
                continue;
            struct field_set at = cycle_value_of(w, n.address, UINT32_MAX, TURN_LAST);
            any = at.count == 1 && field_add(field_add(at.v[0], n.offset), step) == field_add(first.v[0], t.offset);
        }
        if (!any)
            return false;
        moves |= turn != 0;
    }
    return moves;
}
