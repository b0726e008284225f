/* Which defs each use of a register reads, and how far each def lives. The chains of cells that the walk over the code
 * left behind are followed backwards from the use, with what its guard and the path to it imply.
 *
 * requires: cells and pending uses · gives: defs of uses, last use and halves of defs */
#include "graph/graph_values.h"

#include <string.h>

enum { REACH_MAX = 64, STEP_MAX = 256 }; /* defs listed for one use; cells looked at for it */

struct step {
    uint32_t cell;
    graph_id under;
};

struct reach {
    uint32_t found[REACH_MAX];
    uint32_t count, steps;
    uint32_t *stamp, now; /* of cells */
    uint32_t insn;        /* the reader */
    VEC(struct step) todo;
};

static void mark_read(struct graph_def *d, uint32_t insn)
{
    d->read = true;
    d->last_use = insn > d->last_use ? insn : d->last_use;
}

/* More defs than a list holds: the older ones are known to be read, by this instruction at the earliest. What was
 * marked so once is not walked again. */
static void sweep(struct graph_builder *b, struct reach *r, uint32_t cell)
{
    size_t bottom = r->todo.n;
    VEC_PUSH(&b->scratch, r->todo, (struct step){cell, GRAPH_NIL});
    while (r->todo.n > bottom) {
        for (uint32_t at = r->todo.p[--r->todo.n].cell; at && !b->cells.p[at].swept; at = b->cells.p[at].prev) {
            struct graph_cell *c = &b->cells.p[at];
            c->swept = true;
            for (uint32_t i = 0; i < c->join_count; i++)
                VEC_PUSH(&b->scratch, r->todo, (struct step){c->joins[i], GRAPH_NIL});
            if (c->def != UINT32_MAX)
                mark_read(&b->g->defs.p[c->def], r->insn);
        }
    }
}

/* One chain of guarded defs, down to an unguarded one or to where paths met. */
static void follow(struct graph_builder *b, struct reach *r, uint32_t cell, graph_id under)
{
    struct graph *g = b->g;
    struct graph_truth left; /* under what the older defs are still read */
    graph_truth_of(g, under, &left);
    bool decided = true; /* `left` says all there is to say */
    for (; cell; cell = b->cells.p[cell].prev) {
        const struct graph_cell *c = &b->cells.p[cell];
        if (r->count == REACH_MAX || ++r->steps > STEP_MAX) {
            sweep(b, r, cell);
            return;
        }
        if (c->join_count) {
            if (r->stamp[cell] == r->now)
                return;
            r->stamp[cell] = r->now;
            for (uint32_t i = 0; i < c->join_count; i++)
                VEC_PUSH(&b->scratch, r->todo, (struct step){c->joins[i], GRAPH_NIL});
            return;
        }
        if (c->def == UINT32_MAX)
            return;
        struct graph_truth guard, meets;
        graph_truth_of(g, c->guard, &guard);
        bool never = decided && graph_truth_and(&left, &guard, false, &meets) && !meets.bits;
        if (!never && g->defs.p[c->def].mark != r->now) {
            g->defs.p[c->def].mark = r->now;
            r->found[r->count++] = c->def;
        }
        if (c->guard == GRAPH_NIL)
            return;
        decided = decided && graph_truth_and(&left, &guard, true, &meets);
        if (decided && !meets.bits)
            return;
        left = meets;
    }
}

/* What was written last is found first: cells are taken in the order in which they come up. */
static void collect(struct graph_builder *b, struct reach *r, uint32_t cell, graph_id under)
{
    r->count = r->steps = 0;
    r->todo.n = 0;
    VEC_PUSH(&b->scratch, r->todo, (struct step){cell, under});
    for (size_t i = 0; i < r->todo.n; i++) {
        struct step s = r->todo.p[i];
        follow(b, r, s.cell, s.under);
    }
}

enum sp_status graph_link_uses(struct graph_builder *b)
{
    struct graph *g = b->g;
    struct reach r = {.stamp = ARENA_ARRAY(&b->scratch, uint32_t, b->cells.n + 1)};
    if (!r.stamp)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < g->uses.n; i++) {
        struct graph_use *use = &g->uses.p[i];
        r.now = (uint32_t)i + 1;
        r.insn = use->insn;
        collect(b, &r, b->pending.p[i].cell, b->pending.p[i].under);
        uint32_t *defs = ARENA_ARRAY(g->a, uint32_t, r.count);
        if (!defs)
            return SP_ERR_MEMORY;
        memcpy(defs, r.found, r.count * sizeof defs[0]);
        use->defs = defs;
        use->def_count = r.count;
        for (uint32_t k = 0; k < r.count; k++) {
            struct graph_def *d = &g->defs.p[defs[k]];
            d->read = true;
            bool elsewhere = g->insns.p[use->insn].call_path != g->insns.p[d->insn].call_path;
            if (use->insn > d->last_use || (elsewhere && d->last_use == d->insn))
                d->last_use = use->insn; /* behind a return the reader stands before the def in the list */
        }
    }
    for (size_t i = 0; i < b->pairs.n; i++) {
        for (unsigned half = 0; half < 2; half++) {
            const struct graph_use *use = &g->uses.p[half ? b->pairs.p[i].hi : b->pairs.p[i].lo];
            for (uint32_t k = 0; k < use->def_count; k++) {
                struct graph_def *d = &g->defs.p[use->defs[k]];
                if (d->wide == GRAPH_NIL && d->node == use->node && graph_at(g, d->node)->kind != UOP_CONST) {
                    d->wide = b->pairs.p[i].whole;
                    d->part = half ? 2 : 1;
                }
            }
        }
    }
    return SP_OK;
}
