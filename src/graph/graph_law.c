/* The law of a loop in several pieces whose steps are wider than one (tiles of 16, elements 256 apart): as many steps
 * as it takes to come from where its counter starts to a number, by strides. The number is the one that the way to the
 * loop compares the start with. A law is shown as a count is (graph_count.c): the walk must take so many steps for
 * every number in two periods of the largest piece, for some larger ones, and with other values of the other words, and
 * all that it asked for must go on evenly; of wide strides not every number is tried, but those beside the edges.
 *
 * requires: walks · gives: first value, stride, bound */
#include "graph/graph_walk.h"

enum { WALKS = 1200 };

/* Puts the word `moving` where the loop has `way` to go: the counter must come so far from where it begins. */
static bool set_way(struct walker *x, const struct graph_law *law, unsigned moving, uint64_t way)
{
    uint64_t mask = graph_at(x->w->g, law->first)->type == UOP_B32 ? UINT32_MAX : UINT64_MAX;
    uint64_t first;
    if (law->stride > 0) { /* to the bound, or one beyond it */
        x->now += 2;
        if (!walk_value(x, law->first, &first, 0))
            return false;
        x->value[moving] = (first + way - law->inclusive) & mask;
    } else { /* from the first value down to the bound, that one included */
        uint64_t bound = graph_at(x->w->g, law->bound)->imm;
        x->value[moving] = bound + way;
        x->now += 2;
        if (!walk_value(x, law->first, &first, 0))
            return false;
        x->value[moving] = (bound + way + (bound + way - 1 - first)) & mask;
        x->now += 2;
        if (!walk_value(x, law->first, &first, 0) || ((bound + way - 1 - first) & mask))
            return false;
    }
    x->now += 2;
    return true;
}

/* The law at one place. */
static bool law_holds(struct walker *x, const struct graph_law *law, unsigned moving, uint64_t way, uint32_t start,
                      uint32_t last, uint32_t *seen)
{
    uint64_t open, steps, stride = (uint64_t)(law->stride < 0 ? -law->stride : law->stride);
    if (!set_way(x, law, moving, way))
        return false;
    if (x->path != GRAPH_NIL && walk_value(x, x->path, &open, 0) && !open)
        return true; /* no way here with it */
    ++*seen;
    return walk_from(x, start, last, &steps) && steps == (way + stride - 1) / stride;
}

/* Every way in two periods; of wide strides every one in the first two, then those beside their edges and within. */
static bool prove_law(struct walker *x, const struct graph_law *law, unsigned moving, uint32_t start, uint32_t last)
{
    static const uint8_t others[][WALK_LEAVES] = {{5, 3, 2, 7, 4, 6}, {0, 0, 0, 0, 0, 0}, {31, 64, 9, 33, 128, 96}};
    uint64_t stride = (uint64_t)(law->stride < 0 ? -law->stride : law->stride), period = stride * x->c->unroll;
    uint64_t narrow = 2 * period + WALK_SMALL <= WALKS ? 2 * period + WALK_SMALL : 2 * stride <= WALKS ? 2 * stride : 0;
    uint32_t seen = 0, rounds = 0;
    unsigned wanted = x->leaf_count > 1 ? 2 : 1; /* rounds with other values of the other words */
    for (unsigned round = 0; round < sizeof others / sizeof others[0] && rounds < wanted + 1; round++) {
        for (unsigned k = 0; k < x->leaf_count; k++)
            x->value[k] = others[round][k];
        uint32_t before = seen;
        for (uint64_t way = 1; way <= 2 * period + WALK_SMALL; way++) {
            uint64_t at = way % stride;
            bool edge = at <= 2 || at + 2 >= stride || (at & (at - 1)) == 0 || at == stride / 3;
            if ((edge || (rounds == 0 && way <= narrow)) && !law_holds(x, law, moving, way, start, last, &seen))
                return false;
        }
        for (uint64_t way = 5 * period + 3; way <= 9 * period; way += period + 1)
            if (!law_holds(x, law, moving, way, start, last, &seen))
                return false;
        rounds += seen - before >= 4 * x->c->unroll;
    }
    return rounds >= wanted && walk_goes_on(x, moving, 2 * period + WALK_SMALL, period);
}

/* A loop that asks behind its step: with a bound that is not above the first value it makes one step. Read as unsigned,
 * what is below nothing is far above. */
static bool once_below(struct walker *x, const struct graph_law *law, unsigned moving, uint32_t start, uint32_t last)
{
    static const int32_t ways[] = {0, -1, -2, -3, -16, -100, -65537, INT32_MIN / 2};
    uint64_t mask = graph_at(x->w->g, law->first)->type == UOP_B32 ? UINT32_MAX : UINT64_MAX;
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        uint64_t first, steps;
        x->now += 2;
        if (!walk_value(x, law->first, &first, 0))
            return false;
        x->value[moving] = (first + (uint64_t)(int64_t)ways[i]) & mask;
        bool ends = walk_from(x, start, last, &steps);
        if (law->is_signed || ways[i] == 0 ? !ends || steps != 1 : !x->endless)
            return false;
    }
    return true;
}

bool cycle_comes_below(struct graph *g, graph_id path, enum uop_kind less, graph_id low, graph_id high)
{
    uint64_t k;
    enum uop_type type = (enum uop_type)graph_at(g, low)->type;
    graph_id below = graph_op2(g, less, UOP_B1, low, high);
    if (!graph_is_const(g, below, NULL) && graph_implies(g, path, below))
        return true;
    if (!graph_is_const(g, low, &k) || k > INT32_MAX - 1)
        return false;
    graph_id above = graph_op2(g, less, UOP_B1, high, graph_const(g, type, k + 1));
    return !graph_is_const(g, above, NULL) && graph_implies(g, path, graph_not(g, above));
}

/* The number that the way here compares the counter's first value with, and how; false: it does not. */
static bool find_bound(struct walker *x, graph_id first, graph_id number, struct graph_law *law)
{
    struct graph *g = x->w->g;
    enum uop_type type = (enum uop_type)graph_at(g, number)->type;
    if (type != graph_at(g, first)->type)
        return false;
    law->first = first;
    law->bound = number;
    if (law->stride < 0) { /* signed, down to nothing or one */
        graph_id zero = graph_const(g, type, 0);
        law->bound = zero;
        law->is_signed = true;
        return cycle_comes_below(g, x->path, UOP_ILT_S, zero, number);
    }
    for (unsigned way = 0; way < 4; way++) {
        enum uop_kind less = way & 1 ? UOP_ILT_U : UOP_ILT_S;
        law->is_signed = !(way & 1);
        law->inclusive = way >= 2;
        graph_id beyond = graph_op2(g, less, UOP_B1, number, first);
        if (way < 2 ? cycle_comes_below(g, x->path, less, first, number)
                    : !graph_is_const(g, beyond, NULL) && graph_implies(g, x->path, graph_not(g, beyond)))
            return true;
    }
    return false;
}

/* What the way here says a number is above, where the machine's counters begin further on; NIL: nothing. */
static graph_id below_number(struct walker *x, graph_id number)
{
    struct graph *g = x->w->g;
    graph_id atoms[6];
    unsigned count;
    uint64_t table, k;
    if (!graph_table(g, x->path, atoms, &count, &table))
        return GRAPH_NIL;
    for (unsigned i = 0; i < count; i++) {
        const struct graph_node n = *graph_at(g, atoms[i]);
        if (n.kind != UOP_ILT_S && n.kind != UOP_ILT_U)
            continue;
        if (n.arg[1] == number && graph_implies(g, x->path, atoms[i]))
            return n.arg[0];
        if (n.arg[0] == number && graph_is_const(g, n.arg[1], &k) && k > 0 && k <= INT32_MAX &&
            graph_implies(g, x->path, graph_not(g, atoms[i])))
            return graph_const(g, (enum uop_type)graph_at(g, number)->type, k - 1);
    }
    return GRAPH_NIL;
}

static bool try_law(struct walker *x, graph_id first, unsigned number, int64_t stride, uint32_t start, uint32_t last,
                    struct graph_law *out)
{
    struct graph *g = x->w->g;
    struct graph_law law = {.stride = stride};
    unsigned leaves = x->leaf_count;
    if (first == GRAPH_NIL)
        return false;
    if (!walk_leaves(x, first, 0))
        x->leaf_count = leaves;
    if (!find_bound(x, first, x->leaf[number], &law)) {
        bool alike = graph_at(g, first)->type == graph_at(g, x->leaf[number])->type;
        law = (struct graph_law){.first = first, .bound = x->leaf[number], .stride = stride};
        for (unsigned way = 0; way < 2 && stride > 0 && alike; way++) { /* nobody asks before the first step */
            law.is_signed = way == 0;
            if (!prove_law(x, &law, number, start, last) || !once_below(x, &law, number, start, last))
                continue;
            *out = law;
            return true;
        }
        return false;
    }
    for (unsigned down = 0; down < (stride < 0 ? 2 : 1); down++) {
        if (down)
            law.bound = graph_const(g, (enum uop_type)graph_at(g, law.first)->type, 1);
        if (!prove_law(x, &law, number, start, last))
            continue;
        *out = law;
        return true;
    }
    return false;
}

/* By the counters of one piece. */
static bool find_law_in(struct walker *x, const struct cycle_region *r, bool first, uint32_t start, uint32_t last,
                        struct graph_law *out)
{
    enum { TRIES = 8, WIDEST = 65536 };
    struct graph *g = x->w->g;
    unsigned tried = 0;
    for (uint32_t i = 0; i < r->phi_count; i++) {
        const struct cycle_phi *p = &r->phis[i];
        int64_t stride = r->unroll ? p->amount / (int64_t)r->unroll : 0;
        if (p->step_kind != CYCLE_STEP_ADD || !p->constant || !p->live || p->start == GRAPH_NIL || stride == 0 ||
            p->amount % (int64_t)r->unroll != 0 || stride > WIDEST || stride < -WIDEST || p->pointer)
            continue;
        for (unsigned k = 0; k < x->leaf_count && tried < TRIES; k++) {
            graph_id number = x->leaf[k];
            enum uop_type type = (enum uop_type)graph_at(g, number)->type;
            if (graph_at(g, number)->kind == UOP_SREG || graph_at(g, p->phi)->type != type)
                continue;
            tried++;
            if (first && try_law(x, p->start, k, stride, start, last, out))
                return true;
            graph_id other = stride > 0 ? below_number(x, number)
                                        : graph_op2(g, UOP_ADD, type, number, graph_const(g, type, UINT64_MAX));
            if (other != p->start && try_law(x, other, k, stride, start, last, out))
                return true;
        }
    }
    return false;
}

/* Steps as what it takes a counter to come from its first value to a number that the way here compares it with. */
void walk_find_law(struct walker *x, const struct cycle_region *first, struct graph_law *out)
{
    uint32_t start, last;
    bool found = !walk_begin(x, WALK_LEAVES, &start, &last);
    for (size_t i = 0; i < x->c->pieces.n && !found; i++) {
        const struct cycle_region *r = x->c->pieces.p[i].straight ? NULL : &x->w->regions[x->c->pieces.p[i].loop];
        found = r && find_law_in(x, r, r == first, start, last, out);
    }
    for (unsigned k = 0; k < x->leaf_count && !found; k++) { /* no machine counter begins at nothing: steps do */
        enum uop_type type = (enum uop_type)graph_at(x->w->g, x->leaf[k])->type;
        found = x->w->budget > 0 && try_law(x, graph_const(x->w->g, type, 0), k, 1, start, last, out);
    }
}
