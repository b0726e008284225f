/* Loops of the source: see graph_cycle.h. The order of work: what varies in which loop, which phis reach an effect
 * (D2), how they move (graph_induction.c), how often a body repeats its step (graph_peel.c), which loops and stretches
 * are pieces of one loop (graph_piece.c), then one cycle each.
 *
 * requires: a built graph with users indexed · gives: cycles, folds, live phis, copies */
#include "graph/graph_cycle_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- live phis (D2) --------------------------------------------------------------------------- */

static bool is_effect(unsigned kind)
{
    switch (kind) {
    case UOP_CONST:
    case UOP_READ:
    case UOP_WRITE:
    case UOP_SREG:
    case UOP_CBANK:
    case UOP_PC:
    case UOP_UNDEF:
    case UOP_LOAD:
    case UOP_UNIFORM:
    case UOP_NOP:
    case UOP_RECONVERGE:
    case UOP_PREFETCH: return false;
    default: return !uop_is_pure((enum uop_kind)kind);
    }
}

static void mark(struct cycle_work *w, bool *marks, graph_id id)
{
    if (id == GRAPH_NIL || id >= w->nodes || marks[id])
        return;
    marks[id] = true;
    VEC_PUSH(w->a, w->stack, id);
}

static void spread(struct cycle_work *w, bool *marks, bool data)
{
    while (w->stack.n) {
        const struct graph_node *n = graph_at(w->g, w->stack.p[--w->stack.n]);
        const graph_id *args;
        uint32_t count = cycle_args(n, &args);
        if (data && (n->kind == UOP_LOAD || n->type == UOP_B1))
            continue; /* an address, a condition */
        for (uint32_t k = data && n->kind == UOP_SELECT; k < count; k++)
            mark(w, marks, args[k]);
    }
}

/* From every effect backwards. What is not met is held in registers without anybody looking at it. */
static void find_live(struct cycle_work *w)
{
    const struct graph *g = w->g;
    for (int data = 0; data < 2; data++) {
        bool *marks = data ? w->data : w->live;
        for (size_t i = 0; i < g->accesses.n; i++) {
            const struct graph_access *x = &g->accesses.p[i];
            bool once = x->order != UOP_WEAK && x->order != UOP_READONLY;
            if (!data && (x->kind != GRAPH_LOAD || once))
                mark(w, marks, x->address);
            for (unsigned k = 0; k < 4 && x->kind != GRAPH_LOAD; k++)
                mark(w, marks, x->value[k]);
        }
        for (size_t i = 0; i < g->blocks.n && !data; i++)
            mark(w, marks, cycle_branch(g, (uint32_t)i));
        for (size_t i = 0; i < g->insns.n; i++) {
            const struct graph_insn *n = &g->insns.p[i];
            const struct uop_list *l = g->input.insns[n->input].uops;
            bool effect = l->unknown;
            for (size_t k = 0; k < l->ops.n; k++)
                effect |= is_effect(l->ops.p[k].kind);
            if (!effect || !n->reachable)
                continue;
            if (!data)
                mark(w, marks, n->guard);
            for (uint32_t u = n->first_use; u < n->first_use + n->use_count && n->access_count == 0; u++)
                mark(w, marks, g->uses.p[u].node);
        }
        spread(w, marks, data);
    }
}

/* ---- cycles ----------------------------------------------------------------------------------- */

static enum graph_carried_kind carried_kind(const struct graph *g, const struct cycle_phi *p)
{
    unsigned type = graph_at(g, p->phi)->type;
    if (p->step_kind != CYCLE_STEP_NONE)
        return p->pointer ? GRAPH_CARRIED_ADDRESS : GRAPH_CARRIED_COUNTER;
    if (p->data || type == UOP_B16 || type == UOP_B8)
        return GRAPH_CARRIED_DATA;
    if (p->address)
        return GRAPH_CARRIED_ADDRESS;
    return GRAPH_CARRIED_DATA;
}

enum { LOST_MAX = 32 };

/* Behind an instruction of which nothing is known every register holds what may be its result, or what it held
 * before: that the next turn reads one is no sign that this turn's value is carried. True where nothing but such
 * results, and the value itself, comes round. */
static bool is_lost(const struct graph *g, const struct cycle_phi *p)
{
    graph_id seen[LOST_MAX] = {p->next};
    unsigned count = 1;
    bool lost = false;
    for (unsigned at = 0; at < count; at++) {
        const struct graph_node *n = graph_at(g, seen[at]);
        bool phi = n->kind == GRAPH_PHI;
        if (seen[at] == p->phi)
            continue;
        if (n->kind == GRAPH_RESULT) {
            lost = true;
            continue;
        }
        if (!phi && n->kind != UOP_SELECT && n->kind != UOP_PAIR && n->kind != UOP_LO && n->kind != UOP_HI)
            return false;
        for (uint32_t k = n->kind == UOP_SELECT; k < (phi ? n->phi_count : n->arg_count); k++) {
            graph_id x = phi ? n->phi_args[k] : n->arg[k];
            unsigned i = 0;
            while (i < count && seen[i] != x)
                i++;
            if (x == GRAPH_NIL || (i == count && count == LOST_MAX))
                return false;
            if (i == count)
                seen[count++] = x;
        }
    }
    return lost;
}

static void list_carried(struct cycle_work *w, const struct cycle_region *r, struct graph_cycle *c)
{
    for (uint32_t i = 0; i < r->phi_count; i++) {
        const struct cycle_phi *p = &r->phis[i];
        if (!p->live || p->next == p->phi || (p->next != GRAPH_NIL && is_lost(w->g, p)))
            continue;
        uint32_t insn = p->next == GRAPH_NIL ? UINT32_MAX : cycle_maker(w, p->next, r->loop);
        struct graph_carried e = {.phi = p->phi,
                                  .next = p->next,
                                  .insn = insn == UINT32_MAX ? w->g->loops.p[r->loop].last : insn,
                                  .kind = carried_kind(w->g, p)};
        VEC_PUSH(w->a, c->carried, e);
    }
}

static void make_cycle(struct cycle_work *w, struct cycle_region *r)
{
    const struct graph_loop *l = &w->g->loops.p[r->loop];
    r->cycle = (int32_t)w->out->cycles.n;
    struct graph_cycle c = {.parent = -1, .first = l->first, .last = l->last, .unroll = r->unroll};
    struct graph_piece piece = {.loop = r->loop,
                                .first = l->first,
                                .last = l->last,
                                .unroll = r->unroll,
                                .blocks = r->blocks,
                                .block_count = r->block_count};
    c.irreducible = l->irreducible;
    VEC_PUSH(w->a, c.pieces, piece);
    if (!c.irreducible && !r->skipped) {
        list_carried(w, r, &c);
        cycle_join_pieces(w, r, &c);
        const struct graph_piece *best = &c.pieces.p[c.best];
        cycle_choose_counter(w, best->straight ? r : &w->regions[best->loop], &c);
        cycle_finish_pieces(w, r, &c);
    }
    VEC_PUSH(w->a, w->out->cycles, c);
}

struct ordered {
    uint32_t first, last;
    int32_t parent;
    uint32_t cycle;
};

static int by_place(const void *x, const void *y)
{
    const struct ordered *a = x, *b = y;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->last != b->last)
        return a->last > b->last ? -1 : 1;
    if ((int32_t)a->cycle == b->parent || (int32_t)b->cycle == a->parent) /* one piece of the same instances */
        return (int32_t)a->cycle == b->parent ? -1 : 1;
    return a->cycle < b->cycle ? -1 : a->cycle > b->cycle;
}

/* Cycles in order of their first instance, outer ones before the inner ones; everything that refers to one follows. */
static enum sp_status sort_cycles(struct cycle_work *w)
{
    struct graph_cycles *out = w->out;
    uint32_t n = (uint32_t)out->cycles.n;
    struct ordered *order = ARENA_ARRAY(w->a, struct ordered, n);
    uint32_t *place = ARENA_ARRAY(w->a, uint32_t, n);
    struct graph_cycle *copy = ARENA_ARRAY(w->a, struct graph_cycle, n);
    if (arena_failed(w->a))
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct ordered){out->cycles.p[i].first, out->cycles.p[i].last, out->cycles.p[i].parent, i};
    qsort(order, n, sizeof order[0], by_place);
    for (uint32_t i = 0; i < n; i++)
        place[order[i].cycle] = i;
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = out->cycles.p[order[i].cycle];
        if (copy[i].parent >= 0)
            copy[i].parent = (int32_t)place[copy[i].parent];
    }
    for (uint32_t i = 0; i < n; i++)
        out->cycles.p[i] = copy[i];
    for (size_t i = 0; i < out->folds.n; i++)
        out->folds.p[i].cycle = place[out->folds.p[i].cycle];
    for (uint32_t l = 0; l < w->region_count; l++)
        if (w->regions[l].cycle >= 0)
            w->regions[l].cycle = (int32_t)place[w->regions[l].cycle];
    return SP_OK;
}

static void name_blocks(struct cycle_work *w, uint32_t *cycle_of)
{
    const struct graph *g = w->g;
    for (uint32_t i = 0; i < w->out->cycles.n; i++) { /* straight pieces first: a loop inside says more */
        const struct graph_cycle *c = &w->out->cycles.p[i];
        for (size_t k = 0; k < c->pieces.n; k++)
            for (uint32_t b = 0; b < c->pieces.p[k].block_count && c->pieces.p[k].straight && c->pieces.n > 1; b++)
                cycle_of[c->pieces.p[k].blocks[b]] = i + 1;
    }
    for (uint32_t b = 0; b < g->blocks.n; b++)
        if (g->blocks.p[b].loop && w->regions[g->blocks.p[b].loop - 1].cycle >= 0)
            cycle_of[b] = (uint32_t)w->regions[g->blocks.p[b].loop - 1].cycle + 1;
}

enum sp_status graph_find_cycles(struct arena *a, struct graph *g, struct graph_cycles *out)
{
    struct cycle_work w = {.a = a, .g = g, .out = out};
    *out = (struct graph_cycles){.copy_count = (graph_id)g->nodes.n};
    uint32_t *cycle_of = ARENA_ARRAY(a, uint32_t, g->blocks.n + 1);
    w.live = ARENA_ARRAY(a, bool, g->nodes.n + 1);
    out->cycle_of = cycle_of;
    out->copy_of = ARENA_ARRAY(a, graph_id, g->nodes.n + 1);
    if (arena_failed(a))
        return SP_ERR_MEMORY;
    out->live_phi = w.live;
    if (!cycle_begin(&w))
        return SP_ERR_MEMORY;
    w.budget = 64 * (uint64_t)w.nodes + 100000;
    find_live(&w);
    for (uint32_t l = 0; l < w.region_count; l++) {
        struct cycle_region *r = &w.regions[l];
        cycle_find_region(&w, r);
        if (g->loops.p[l].irreducible || r->skipped)
            continue;
        cycle_find_inductions(&w, r);
        cycle_find_test(&w, r);
        cycle_peel(&w, r);
    }
    for (uint32_t l = w.region_count; l-- > 0;)
        if (w.regions[l].cycle < 0 && g->blocks.p[g->loops.p[l].header].reachable &&
            !graph_is_slow(g, g->blocks.p[g->loops.p[l].header].first)) /* an expansion's */
            make_cycle(&w, &w.regions[l]);
    cycle_copy_pairs(&w);
    for (uint32_t l = 0; l < w.region_count; l++) {
        uint32_t parent = g->loops.p[l].parent;
        if (parent && w.regions[l].cycle >= 0 && w.regions[parent - 1].cycle >= 0)
            out->cycles.p[w.regions[l].cycle].parent = w.regions[parent - 1].cycle;
    }
    uint32_t loops = w.looping = (uint32_t)out->cycles.n;
    for (uint32_t l = 0; l < w.region_count; l++)
        if (w.regions[l].cycle >= 0 && (uint32_t)w.regions[l].cycle < loops)
            cycle_add_inner(&w, &w.regions[l]);
    for (uint32_t b = 0; b < g->blocks.n; b++)
        w.straight_of[b] = -1;
    for (uint32_t i = 0; i < loops; i++) {
        const struct graph_cycle *c = &out->cycles.p[i];
        for (size_t k = 0; k < c->pieces.n; k++)
            for (uint32_t b = 0; b < c->pieces.p[k].block_count && c->pieces.p[k].straight; b++)
                w.straight_of[c->pieces.p[k].blocks[b]] = (int32_t)i;
    }
    cycle_find_straight(&w);
    enum sp_status status = sort_cycles(&w);
    name_blocks(&w, cycle_of);
    if (status == SP_OK)
        cycle_find_turns(&w);
    if (status == SP_OK) {
        cycle_settle(&w);
        cycle_drop_turns(&w);
        cycle_tell_steps(&w);
    }
    for (graph_id id = 1; id < w.nodes; id++) /* the marks of other nodes are of no use to readers */
        w.live[id] &= graph_at(g, id)->kind == GRAPH_PHI;
    return arena_failed(a) ? SP_ERR_MEMORY : status;
}

graph_id graph_cycle_path(const struct graph *g, const struct graph_cycle *c)
{
    uint32_t at = UINT32_MAX;
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        uint32_t block = p->straight ? p->blocks[0] : g->loops.p[p->loop].header;
        uint32_t up = p->straight ? block : g->blocks.p[block].idom;
        if (at == UINT32_MAX) {
            at = up;
            continue;
        }
        bool above = false;
        while (at != UINT32_MAX && !above) { /* up from the one, until the other has it among its dominators */
            for (uint32_t b = up; b != UINT32_MAX && !above; b = g->blocks.p[b].idom)
                above = b == at;
            if (!above)
                at = g->blocks.p[at].idom;
        }
    }
    return at == UINT32_MAX ? (graph_id)GRAPH_NIL : g->blocks.p[at].path;
}
