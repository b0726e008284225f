/* Elements of one row: what a match reads at several places, and what the loops it speaks of run over, must be the same
 * elements. Addresses are compared without the counters of loops, loops by their start and count. Requires a matched
 * context and the loops of the source; gives yes, no, or "not seen". */
#include "pattern/pat_collect.h"

enum { ROW_TERMS = 16 };
/* An address without the counters of loops: the row it is of. */
struct row {
    struct graph_affine sum;
    graph_id term[ROW_TERMS];
    int64_t times[ROW_TERMS];
    unsigned count;
    bool counted;
};

/* False: cannot be said. */
static bool add_to_row(struct graph *g, graph_id term, int64_t times, struct row *out, unsigned depth)
{
    const struct graph_node n = *graph_at(g, term);
    if (n.kind == GRAPH_TURN || (n.kind == GRAPH_PHI && graph_is_loop_phi(g, term))) {
        out->counted = true;
        return true;
    }
    if (n.kind == GRAPH_PHI)
        return false;
    if (n.kind == UOP_ADD && depth < 8) /* as integers without end */
        return add_to_row(g, n.arg[0], times, out, depth + 1) && add_to_row(g, n.arg[1], times, out, depth + 1);
    if ((n.kind == UOP_SEXT || n.kind == UOP_ZEXT) && depth < 8)
        return add_to_row(g, n.arg[0], times, out, depth + 1);
    if (out->count == ROW_TERMS)
        return false;
    unsigned at = out->count++;
    for (; at && out->term[at - 1] > term; at--) {
        out->term[at] = out->term[at - 1];
        out->times[at] = out->times[at - 1];
    }
    out->term[at] = term;
    out->times[at] = times;
    return true;
}

static bool row_of(struct graph *g, graph_id address, struct row *out)
{
    *out = (struct row){0};
    if (!graph_affine(g, graph_as_turn(g, address), &out->sum))
        return false;
    for (unsigned i = 0; i < out->sum.term_count; i++)
        if (!add_to_row(g, out->sum.terms[i].term, out->sum.terms[i].coefficient, out, 0))
            return false;
    return true;
}

static bool same_row(const struct row *a, const struct row *b)
{
    bool same = a->count == b->count && a->sum.base == b->sum.base &&
                (a->counted || b->counted || a->sum.offset == b->sum.offset);
    for (unsigned t = 0; t < a->count && same; t++)
        same = a->term[t] == b->term[t] && a->times[t] == b->times[t];
    return same;
}

/* Where a match speaks of reductions and of elements at several places, these must be of one row: what is read in no
 * loop at one place, what loops run over from one start in the same number of turns. *open: not seen. */
bool pat_is_one_row(struct pat_ctx *c, bool *open)
{
    const struct graph_cycles *cycles = c->g->cycles;
    struct row first = {0}, row;
    bool seen = false;
    for (size_t i = 0; i < c->gathered.n; i++)
        for (size_t k = 0; k < i; k++) {
            if (!c->gathered.p[i]->cycle || !c->gathered.p[k]->cycle)
                continue;
            const struct graph_cycle *a = &cycles->cycles.p[c->gathered.p[i]->cycle - 1];
            const struct graph_cycle *b = &cycles->cycles.p[c->gathered.p[k]->cycle - 1];
            if ((a->start && b->start && a->start != b->start) || (a->count && b->count && a->count != b->count))
                return false;
            if (!a->start != !b->start || !a->count != !b->count)
                return false;
            *open |= !a->start || !a->count;
        }
    for (size_t i = 0; i < c->inner.n; i++) {
        const struct pat_inner *e = &c->inner.p[i];
        if (!e->load || !e->term || e->term->kind != TERM_ELEMENT || graph_at(c->g, e->node)->kind != UOP_LOAD)
            continue;
        if (!row_of(c->g, graph_at(c->g, e->node)->arg[0], &row)) {
            *open = true;
            continue;
        }
        if (seen && !same_row(&first, &row))
            return false;
        first = row;
        seen = true;
    }
    return true;
}
