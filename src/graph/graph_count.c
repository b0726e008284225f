/* The count of a loop that compilers left in several pieces: n - n % 16 steps here, 8 there, then what is left. The
 * flow graph between the pieces is walked for concrete values of the one number that the tests look at: each turn and
 * each straight piece adds its steps. When the walk gives n (plus a constant) over two periods of the largest unroll,
 * and all that it asked for goes on as it began (straight in n, residue by residue), it is so for all n.
 *
 * requires: cycles with pieces · gives: count, and the counter's start and end over all pieces */
#include "graph/graph_depend.h"
#include "graph/graph_walk.h"

/* A select that is a maximum with a constant is no less. */
static bool range_of(struct graph *g, graph_id id, struct graph_range *out)
{
    struct walk_bound bound;
    bool known = graph_range_of(g, id, out);
    if (!walk_bound_of(g, id, &bound) || !bound.is_signed || !graph_is_const(g, bound.arg[1], NULL))
        return known;
    int64_t limit = graph_signed_const(graph_at(g, bound.arg[1]));
    if (!known)
        *out = (struct graph_range){.lo = INT64_MIN, .hi = INT64_MAX};
    if (bound.most && out->lo < limit)
        out->lo = limit;
    if (!bound.most && out->hi > limit)
        out->hi = limit;
    return true;
}

/* Where the number plus the constant is nothing or less, no step is made: nobody comes to the loop with it, or passes
 * through without one. A number that is read as unsigned is a large one then: the walk finds no end. */
static bool makes_none(struct walker *x, int64_t extra, uint32_t start, uint32_t last)
{
    static const int32_t counts[] = {0, -1, -2, -3, -5, -16, -17, -100, -1000, -70000, INT32_MIN / 2};
    struct graph_range range;
    bool ranged = range_of(x->w->g, x->leaf[0], &range);
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint64_t open, steps;
        int64_t number = counts[i] - extra;
        if (ranged && (number < range.lo || number > range.hi))
            continue;
        x->value[0] = (uint64_t)number;
        x->now += 2;
        if (x->path != GRAPH_NIL && walk_value(x, x->path, &open, 0) && !open)
            continue;
        bool ends = walk_from(x, start, last, &steps);
        if (ends ? steps != 0 : !x->endless)
            return false;
    }
    return true;
}

/* Whoever comes on the path has x >= least; of a minimum with what is no less, its other part has. */
static bool is_at_least(struct graph *g, graph_id path, enum uop_kind less, graph_id x, graph_id least, unsigned depth)
{
    const struct graph_node n = *graph_at(g, x);
    graph_id below = graph_op2(g, less, UOP_B1, x, least);
    uint64_t holds;
    if (graph_is_const(g, below, &holds))
        return !holds;
    if (path != GRAPH_NIL && graph_implies(g, path, graph_not(g, below)))
        return true;
    bool min = n.kind == (less == UOP_ILT_S ? UOP_MIN_S : UOP_MIN_U);
    return min && depth < 4 && is_at_least(g, path, less, n.arg[0], least, depth + 1) &&
           is_at_least(g, path, less, n.arg[1], least, depth + 1);
}

/* Steps over all pieces as the number plus a constant; NIL where that is not shown. */
static graph_id prove_count(struct walker *x)
{
    enum { FURTHEST = 1024 };
    static const uint16_t large[] = {300, 63, 64, 65, 100, 255, 1500};
    struct graph *g = x->w->g;
    uint32_t last, start;
    if (!walk_begin(x, 1, &start, &last))
        return GRAPH_NIL;
    const struct graph_node leaf = *graph_at(g, x->leaf[0]);
    struct graph_range range;
    bool ranged = range_of(g, x->leaf[0], &range) && range.hi > 0;
    graph_id number_told = x->leaf[0];
    x->law_first = leaf.kind == UOP_ADD;
    struct walk_bound bound;
    bool bounded = walk_bound_of(g, x->leaf[0], &bound);
    if (bounded && bound.most && graph_is_const(g, bound.arg[1], NULL) &&
        is_at_least(g, x->path, bound.is_signed ? UOP_ILT_S : UOP_ILT_U, bound.arg[0], bound.arg[1], 0))
        number_told = bound.arg[0]; /* who comes here has that many */
    else if (bounded && bound.most)
        x->law_first = true;
    if (bounded && number_told == x->leaf[0]) { /* a select says it less plainly */
        enum uop_kind kind = bound.is_signed ? bound.most ? UOP_MAX_S : UOP_MIN_S : bound.most ? UOP_MAX_U : UOP_MIN_U;
        number_told = graph_op2(g, kind, (enum uop_type)leaf.type, bound.arg[0], bound.arg[1]);
    }
    int64_t extra = 0;
    bool any = false;
    x->top = ranged ? (uint64_t)range.hi : 0;
    uint32_t samples = sizeof large / sizeof large[0];
    bool all = ranged && range.hi <= WALK_SMALL; /* each of them is walked */
    any = all;
    for (uint32_t i = 0; i < samples + WALK_SMALL; i++) {
        uint64_t steps, open, number = i < samples ? large[i] : (uint64_t)((int64_t)(i - samples + 1) - extra);
        if (all && i >= samples && (int64_t)number > range.hi)
            break;
        if (i >= samples && !any)
            return GRAPH_NIL;
        if (i < samples && any && ((int64_t)number + extra < 1 || number > 300))
            continue; /* no step at all: the guard's case; or asked enough */
        if (ranged && ((int64_t)number > range.hi || (int64_t)number < range.lo))
            continue; /* it never is so much, or so little */
        x->value[0] = number;
        x->now += 2;
        if (x->path != GRAPH_NIL && walk_value(x, x->path, &open, 0) && !open)
            continue; /* no way here with it */
        if (!walk_from(x, start, last, &steps))
            return GRAPH_NIL;
        int64_t more = (int64_t)(steps - number);
        extra = any ? extra : more;
        any = true;
        if (more != extra || extra > FURTHEST || extra < -FURTHEST)
            return GRAPH_NIL;
    }
    if (!makes_none(x, extra, start, last))
        return GRAPH_NIL;
    if (!all && !walk_goes_on(x, 0, WALK_SMALL + (uint64_t)(extra < 0 ? -extra : 0), x->c->unroll))
        return GRAPH_NIL;
    enum uop_type type = (enum uop_type)graph_at(g, number_told)->type;
    return graph_op2(g, UOP_ADD, type, number_told, graph_const(g, type, (uint64_t)extra));
}

static graph_id resized(struct graph *g, graph_id id, enum uop_type type)
{
    if (id == GRAPH_NIL || graph_at(g, id)->type == type)
        return id;
    return type == UOP_B32 ? graph_op1(g, UOP_LO, UOP_B32, id) : graph_op1(g, UOP_SEXT, UOP_B64, id);
}

void cycle_finish_pieces(struct cycle_work *w, struct cycle_region *first, struct graph_cycle *c)
{
    struct graph *g = w->g;
    const struct graph_piece *best = &c->pieces.p[c->best];
    if (c->pieces.n < 2)
        return;
    struct walker x = {.w = w, .c = c};
    c->count = prove_count(&x);
    x.top = 0;
    if (c->count == GRAPH_NIL && w->budget > 0) {
        walk_end(&x);
        x = (struct walker){.w = w, .c = c, .whole = true};
        c->count = prove_count(&x);
        x.whole = false;
        x.top = 0;
    }
    if ((c->count == GRAPH_NIL || x.law_first) && w->budget > 0)
        walk_find_law(&x, first, &c->law);
    if (c->law.bound != GRAPH_NIL)
        c->count = GRAPH_NIL;
    walk_end(&x);
    const struct cycle_region *r = best->straight ? first : &w->regions[best->loop];
    const struct cycle_phi *p = r->counter >= 0 ? &r->phis[r->counter] : NULL;
    graph_id count = c->count, start = GRAPH_NIL, until = GRAPH_NIL;
    if (p && p->step_kind == CYCLE_STEP_ADD && p->constant && c->counter == p->phi && count != GRAPH_NIL) {
        enum uop_type type = (enum uop_type)graph_at(g, p->phi)->type;
        int64_t step = p->amount / (int64_t)r->unroll;
        const struct graph_node *u = graph_at(g, c->until);
        bool to_zero = c->until != GRAPH_NIL && u->kind == UOP_IEQ && u->arg[0] == p->phi &&
                       graph_is_const(g, u->arg[1], NULL) && graph_at(g, u->arg[1])->imm == 0;
        const struct cycle_phi *f = first->counter >= 0 ? &first->phis[first->counter] : NULL;
        if (to_zero && step == -1 && c->best + 1 == c->pieces.n) {
            start = resized(g, count, type); /* what is left to do */
            until = c->until;
        } else if (f && f->step_kind == CYCLE_STEP_ADD && f->constant && f->address && p->address &&
                   f->amount % (int64_t)first->unroll == 0 && f->amount / (int64_t)first->unroll == step &&
                   graph_at(g, f->phi)->type == type) {
            start = f->start;
            graph_id way = graph_op2(g, UOP_MUL, type, resized(g, count, type), graph_const(g, type, (uint64_t)step));
            until = graph_op2(g, UOP_IEQ, UOP_B1, p->phi, graph_op2(g, UOP_ADD, type, start, way));
        }
    }
    c->start = start;
    c->until = until;
}
