/* Loop values as functions of the counter: a pointer that advances by 64 bytes in a body unrolled sixteen times is
 * &x[e + j], with j the counter of the source's loop where the turn begins. Where the pieces of a loop share no such
 * counter (the main loop counts down by sixteen, the remainder from n & 3), the counter is made: a node GRAPH_TURN that
 * starts at 0 and grows by one with each step of the source's loop.
 *
 * What the values of the loops are over the counters is graph_turn_value.c's. It is for readers (`turn_of`): no address
 * and no value of the graph changes.
 *
 * requires: cycles with pieces, inductions · gives: turn_of, and counters that had none */
#include "graph/graph_turn.h"

/* The counter that the law speaks of, where all that the first loop moves can be told over it. */
static bool counts_by_law(struct turns *t, uint32_t at)
{
    struct graph *g = t->w->g;
    const struct graph_cycle *c = &t->w->out->cycles.p[at];
    const struct graph_law *law = &c->law;
    size_t loop = c->pieces.n > 1 && c->pieces.p[0].straight; /* behind a stretch that was taken out before it */
    if (law->bound == GRAPH_NIL || graph_at(g, law->first)->type != UOP_B32 || c->pieces.p[loop].straight)
        return false;
    const struct cycle_region *r = &t->w->regions[c->pieces.p[loop].loop];
    int64_t unroll = c->pieces.p[loop].unroll;
    uint64_t first = t->first[at];
    graph_id from = t->from[at];
    turn_begin_counter(t, at, law->first, law->stride);
    for (uint32_t k = 0; k < r->phi_count; k++) {
        const struct cycle_phi *p = &r->phis[k];
        bool indexes = p->step_kind == CYCLE_STEP_ADD && p->constant && p->live && (p->address || p->pointer) &&
                       p->start != GRAPH_NIL && p->amount % unroll == 0;
        if (!indexes)
            continue;
        graph_id start = p->start;
        if (loop)
            start = turn_before_steps(t, start, p->amount / unroll, c->pieces.p[0].unroll);
        if (loop && start == p->start)
            continue; /* made of what the others begin with */
        if (start != GRAPH_NIL && turn_moved(t, at, start, p->amount / unroll) != GRAPH_NIL)
            continue;
        t->first[at] = first;
        t->from[at] = from;
        t->slope[at] = 1;
        return false;
    }
    return true;
}

/* A counter of one piece that the readers of the source would call theirs: it is used, and moves by a constant. */
static void choose_counter(struct turns *t, uint32_t at)
{
    struct graph_cycle *c = &t->w->out->cycles.p[at];
    struct graph *g = t->w->g;
    const struct cycle_region *r = NULL;
    const struct cycle_phi *counts = NULL;
    bool moves = false, pointers = false;
    uint32_t loops = 0;
    for (size_t i = 0; i < c->pieces.n; i++) {
        if (c->pieces.p[i].straight)
            continue;
        loops++;
        const struct cycle_region *of = &t->w->regions[c->pieces.p[i].loop];
        for (uint32_t k = 0; k < of->phi_count; k++) {
            const struct cycle_phi *p = &of->phis[k];
            bool steady = p->step_kind == CYCLE_STEP_ADD && p->constant && p->live && p->amount;
            moves |= steady;
            pointers |= steady && p->pointer;
            if (steady && p->phi == c->counter)
                counts = p, r = of;
        }
    }
    uint64_t from;
    bool plain = loops == 1 && c->pieces.n == 1 && counts && !counts->pointer && counts->start != GRAPH_NIL &&
                 graph_at(g, counts->phi)->type == UOP_B32 && counts->amount % (int64_t)r->unroll == 0;
    /* Its own counter is shown by a guard or an address, or is all there is. */
    if (plain && (counts->address || counts->guard || !pointers || c->count == GRAPH_NIL) &&
        graph_is_const(g, counts->start, &from)) {
        t->counter[at] = counts->phi;
        turn_begin_counter(t, at, counts->start, counts->amount / (int64_t)r->unroll);
        return;
    }
    /* An offset in bytes, as far as an array goes: the source counts its elements. */
    bool bytes = loops == 1 && c->pieces.n == 1 && counts && counts->pointer && c->count != GRAPH_NIL &&
                 counts->amount % (int64_t)r->unroll == 0 && graph_is_const(g, counts->start, NULL);
    bool remade =
        c->pieces.n > 1 || bytes || (plain && c->count != GRAPH_NIL && pointers && !counts->address && !counts->guard);
    if (c->irreducible || !moves || !loops || !remade)
        return;
    for (size_t i = 0; i < c->pieces.n; i++) {
        if (c->pieces.p[i].straight)
            continue;
        const struct cycle_region *of = &t->w->regions[c->pieces.p[i].loop];
        const struct cycle_phi *p = of->tested >= 0 ? &of->phis[of->tested] : NULL;
        int64_t unroll = c->pieces.p[i].unroll;
        if (i == 0 && p && p->step_kind == CYCLE_STEP_ADD && p->constant && of->limit != GRAPH_NIL &&
            p->start != GRAPH_NIL && (p->amount == unroll || p->amount == -unroll) &&
            graph_at(g, of->limit)->type == graph_at(g, p->phi)->type) {
            enum uop_type type = (enum uop_type)graph_at(g, p->phi)->type;
            bool up = p->amount > 0;
            graph_id from_here = up ? p->start : of->limit, to = up ? of->limit : p->start;
            t->ahead[at] = graph_op2(g, UOP_ADD, type, to, graph_op1(g, UOP_NEG, type, from_here));
            t->ahead[at] = graph_is_const(g, t->ahead[at], NULL) ? (graph_id)GRAPH_NIL : t->ahead[at];
        }
        break;
    }
    /* As wide as what is counted. */
    bool wide = c->count != GRAPH_NIL ? graph_at(g, c->count)->type == UOP_B64
                                      : c->law.bound != GRAPH_NIL && graph_at(g, c->law.bound)->type == UOP_B64;
    enum uop_type type = wide ? UOP_B64 : UOP_B32;
    turn_begin_counter(t, at, graph_const(g, type, 0), 1);
    struct graph_node turn = {.kind = GRAPH_TURN, .type = (uint8_t)type, .imm = at, .insn = UINT32_MAX};
    t->counter[at] = graph_intern(g, &turn);
    if (counts_by_law(t, at))
        return;
    bool tested = false;
    if (!c->pieces.p[0].straight) { /* in steps of its own, as the source may count */
        const struct cycle_region *of = &t->w->regions[c->pieces.p[0].loop];
        int64_t unroll = c->pieces.p[0].unroll, least = INT64_MAX;
        for (uint32_t k = 0; k < of->phi_count; k++) {
            const struct cycle_phi *p = &of->phis[k];
            bool counts_up = p->step_kind == CYCLE_STEP_ADD && p->constant && p->live && p->amount > 0 &&
                             p->amount % unroll == 0 && !p->pointer && graph_at(g, p->phi)->type == type &&
                             graph_is_const(g, p->start, &from);
            /* One that is tested, else the least: others may be multiples of it. */
            if (!counts_up || (tested && !p->test) || (tested == p->test && p->amount >= least))
                continue;
            tested = p->test;
            least = p->amount;
            /* No test looks at it and it begins with its own step: made ready for the next turn, which begins at 0. */
            bool ahead = !p->test && p->amount / unroll > 1 && (int64_t)from == p->amount / unroll;
            turn_begin_counter(t, at, ahead ? graph_const(g, type, 0) : p->start, p->amount / unroll);
        }
    }
}

/* The counter that addresses use has no end of its own: the one that the loop tests counts the same steps. */
static void count_by_test(struct turns *t, uint32_t at)
{
    struct graph_cycle *c = &t->w->out->cycles.p[at];
    uint64_t from;
    if (c->until != GRAPH_NIL || c->pieces.n != 1 || c->pieces.p[0].straight || c->irreducible)
        return;
    struct cycle_region *r = &t->w->regions[c->pieces.p[0].loop];
    const struct cycle_phi *p = r->tested >= 0 ? &r->phis[r->tested] : NULL;
    if (!p || r->tested == r->counter || p->step_kind == CYCLE_STEP_NONE || p->start == GRAPH_NIL)
        return;
    bool plain =
        p->step_kind == CYCLE_STEP_ADD && p->constant && p->amount > 0 && graph_is_const(t->w->g, p->start, &from);
    if (!plain && !p->guard && !p->address)
        return;
    int32_t before = r->counter;
    struct graph_cycle as = *c;
    r->counter = r->tested;
    as.counter = as.start = as.next = GRAPH_NIL;
    cycle_choose_counter(t->w, r, &as);
    if (as.until != GRAPH_NIL)
        *c = as;
    else
        r->counter = before;
}

/* What the law says of the counter `turn` that goes from `from` by `slope`. */
static graph_id end_by_law(struct graph *g, const struct graph_law *law, graph_id turn, graph_id from, int64_t slope)
{
    uint64_t start = 0;
    if (law->bound == GRAPH_NIL || law->stride % slope != 0)
        return GRAPH_NIL;
    enum uop_type type = (enum uop_type)graph_at(g, law->first)->type;
    graph_id at = turn;
    if (from != law->first || slope != law->stride) { /* law->first + (turn - from) / slope * stride */
        if (!graph_is_const(g, from, &start))
            return GRAPH_NIL;
        int64_t scale = law->stride / slope;
        graph_id x = type == UOP_B64 && graph_at(g, turn)->type == UOP_B32
                         ? graph_op1(g, law->is_signed ? UOP_SEXT : UOP_ZEXT, UOP_B64, turn)
                         : turn;
        graph_id way = graph_op2(g, UOP_MUL, type, x, graph_const(g, type, (uint64_t)scale));
        graph_id back = graph_const(g, type, 0 - (uint64_t)scale * (uint64_t)(int32_t)start);
        at = graph_op2(g, UOP_ADD, type, way, graph_op2(g, UOP_ADD, type, law->first, back));
    }
    enum uop_kind less = law->is_signed ? UOP_ILT_S : UOP_ILT_U;
    if (law->stride < 0)
        return graph_op2(g, less, UOP_B1, at, law->bound);
    return law->inclusive ? graph_op2(g, less, UOP_B1, law->bound, at)
                          : graph_not(g, graph_op2(g, less, UOP_B1, at, law->bound));
}

/* Some value of the cycle is told over the made counter: then it is the loop's, from 0 to the count. */
static void name_counter(struct turns *t, uint32_t at)
{
    struct graph *g = t->w->g;
    struct graph_cycle *c = &t->w->out->cycles.p[at];
    graph_id turn = t->counter[at];
    if (turn == GRAPH_NIL || graph_at(g, turn)->kind != GRAPH_TURN)
        return;
    const struct graph_piece *best = &c->pieces.p[c->best];
    const struct cycle_region *r = best->straight ? NULL : &t->w->regions[best->loop];
    bool told = false;
    for (uint32_t k = 0; r && k < r->phi_count && !told; k++)
        told = t->turn_of[r->phis[k].phi] != GRAPH_NIL;
    if (!told && c->pieces.n > 1 && !c->pieces.p[0].straight) { /* the last piece may have other values */
        const struct cycle_region *first = &t->w->regions[c->pieces.p[0].loop];
        for (uint32_t k = 0; k < first->phi_count && !told; k++)
            told = first->phis[k].live && t->turn_of[first->phis[k].phi] != GRAPH_NIL;
    }
    if (!told)
        return;
    graph_id own = c->counter, until = c->until;
    c->counter = turn;
    c->start = t->from[at];
    enum uop_type type = (enum uop_type)graph_at(g, turn)->type;
    c->next = graph_op2(g, UOP_ADD, type, turn, graph_const(g, type, (uint64_t)t->slope[at]));
    c->until = end_by_law(g, &c->law, turn, t->from[at], t->slope[at]);
    if (c->count != GRAPH_NIL && graph_at(g, c->count)->type == type) {
        graph_id way = graph_op2(g, UOP_MUL, type, c->count, graph_const(g, type, (uint64_t)t->slope[at]));
        c->until = graph_op2(g, UOP_IEQ, UOP_B1, turn, graph_op2(g, UOP_ADD, type, way, c->start));
    } else if (c->until == GRAPH_NIL && own != GRAPH_NIL && own < t->w->nodes && t->turn_of[own] == turn &&
               until != GRAPH_NIL) {
        c->until = cycle_replace(t->w, until, own, turn); /* the shortest piece's own test */
    }
}

/* A counter that runs to nothing in the last piece is what is left of the count, or its negative. */
static void turn_rest(struct turns *t, uint32_t at)
{
    struct graph *g = t->w->g;
    const struct graph_cycle *c = &t->w->out->cycles.p[at];
    uint64_t zero;
    const struct graph_piece *last = c->pieces.n ? &c->pieces.p[c->pieces.n - 1] : NULL;
    if (!last || last->straight || c->counter != t->counter[at] || c->count == GRAPH_NIL ||
        graph_at(g, c->count)->type != UOP_B32 || t->first[at] != 0 || t->slope[at] != 1 ||
        !graph_is_const(g, t->from[at], NULL))
        return;
    const struct cycle_region *r = &t->w->regions[last->loop];
    const struct cycle_phi *p = r->tested >= 0 ? &r->phis[r->tested] : NULL;
    bool up = p && p->amount == (int64_t)last->unroll; /* from minus the rest to nothing */
    if (!p || p->step_kind != CYCLE_STEP_ADD || (!up && p->amount != -(int64_t)last->unroll) ||
        t->turn_of[p->phi] != GRAPH_NIL || !graph_is_const(g, r->limit, &zero) || zero != 0 ||
        graph_at(g, p->phi)->type != UOP_B32 || graph_at(g, t->counter[at])->type != UOP_B32)
        return;
    graph_id more = up ? t->counter[at] : c->count, less = up ? c->count : t->counter[at];
    t->turn_of[p->phi] = graph_op2(g, UOP_ADD, UOP_B32, more, graph_op1(g, UOP_NEG, UOP_B32, less));
}

void cycle_find_turns(struct cycle_work *w)
{
    struct graph_cycles *out = w->out;
    struct graph *g = w->g;
    uint32_t n = (uint32_t)out->cycles.n;
    struct turns t = {.w = w,
                      .turn_of = ARENA_ARRAY(w->a, graph_id, w->nodes + 1),
                      .counter = ARENA_ARRAY(w->a, graph_id, n + 1),
                      .ahead = ARENA_ARRAY(w->a, graph_id, n + 1),
                      .from = ARENA_ARRAY(w->a, graph_id, n + 1),
                      .first = ARENA_ARRAY(w->a, uint64_t, n + 1),
                      .slope = ARENA_ARRAY(w->a, int64_t, n + 1),
                      .joins = ARENA_ARRAY(w->a, bool, w->nodes + 1),
                      .owner = ARENA_ARRAY(w->a, uint32_t, w->nodes + 1)};
    if (arena_failed(w->a) || n == 0)
        return;
    out->turn_of = t.turn_of;
    w->turns = t.counter;
    for (uint32_t i = 0; i < n; i++) {
        count_by_test(&t, i);
        choose_counter(&t, i);
    }
    turn_find_values(&t);
    for (uint32_t i = 0; i < n; i++) {
        name_counter(&t, i);
        turn_rest(&t, i);
    }
    /* Told over a counter that no loop has taken: told by nothing. */
    bool none = true, *left = ARENA_ARRAY(w->a, bool, g->nodes.n + 1);
    for (uint32_t i = 0; i < n && left; i++)
        if (t.counter[i] != GRAPH_NIL && out->cycles.p[i].counter != t.counter[i]) {
            left[t.counter[i]] = true;
            none = false;
        }
    for (graph_id id = 1; id < w->nodes && !none; id++) {
        struct function f = {.counter = UINT32_MAX, .any = left};
        if (t.turn_of[id] == GRAPH_NIL)
            continue;
        turn_value(g, &f, t.turn_of[id], 0);
        if (f.met || f.failed)
            t.turn_of[id] = GRAPH_NIL;
    }
}

/* What was told over a made counter that its loop did not keep is told by nothing. */
void cycle_drop_turns(struct cycle_work *w)
{
    struct graph *g = w->g;
    graph_id *turn_of = (graph_id *)w->out->turn_of;
    for (uint32_t i = 0; turn_of && i < w->out->cycles.n; i++) {
        graph_id turn = w->turns[i];
        if (turn == GRAPH_NIL || graph_at(g, turn)->kind != GRAPH_TURN || w->out->cycles.p[i].counter == turn)
            continue;
        for (graph_id id = 1; id < w->nodes; id++) {
            struct function f = {.counter = turn};
            if (turn_of[id] == GRAPH_NIL)
                continue;
            turn_value(g, &f, turn_of[id], 0);
            if (f.met || f.failed)
                turn_of[id] = GRAPH_NIL;
        }
    }
}
