/* A step of a loop that was unrolled whole within another's body, told over a counter of its own: the first of four
 * copies adds x[4 * i], and what the source's step adds is x[4 * i + k]. Three copies in a row are looked at together;
 * where they differ only in places that advance by a constant (addresses, numbers), the step is made anew with the
 * counter in those places. It is for readers (`step_of`): no value of the graph changes. A loop whose step cannot be
 * told so is not taken for one (graph_peel.c asks first).
 *
 * requires: chains, cycles in their order, turn_of · gives: step_of, counters of the inner loops */
#include "graph/graph_piece.h"
#include "graph/graph_turn.h"

enum { DEPTH = 24, STEPS = 600, COPIES = 3 };

struct teller {
    struct cycle_work *w;
    const struct cycle_region *r;
    const struct cycle_chain *chain;
    graph_id counter; /* NIL: only asked whether it can be told */
    unsigned steps;
};

static graph_id tell(struct teller *t, const graph_id x[COPIES], unsigned depth);

/* Whether three numbers go on by a constant, and by which. */
static bool advances(const struct graph *g, const graph_id x[COPIES], const uint64_t offset[COPIES], int64_t *by)
{
    uint64_t at[COPIES];
    int64_t again;
    for (unsigned k = 0; k < COPIES; k++) {
        struct function f = {.counter = GRAPH_NIL};
        at[k] = turn_value(g, &f, x[k], 0);
        if (f.failed)
            return false;
    }
    if (!turn_distance(at[0], at[1], by) || !turn_distance(at[1], at[2], &again))
        return false;
    *by += (int64_t)offset[1] - (int64_t)offset[0];
    return *by == again + (int64_t)offset[2] - (int64_t)offset[1];
}

/* base + offset + by * counter */
static graph_id moved(struct teller *t, graph_id base, uint64_t offset, int64_t by)
{
    struct graph *g = t->w->g;
    enum uop_type type = (enum uop_type)graph_at(g, base)->type;
    if (t->counter == GRAPH_NIL)
        return base;
    graph_id turn = type == UOP_B64 ? graph_op1(g, UOP_SEXT, UOP_B64, t->counter) : t->counter;
    graph_id way = graph_op2(g, UOP_MUL, type, turn, graph_const(g, type, (uint64_t)by));
    graph_id from = graph_op2(g, UOP_ADD, type, base, graph_const(g, type, offset));
    return graph_op2(g, UOP_ADD, type, from, way);
}

/* Words of memory, of one width whatever instruction brings them. */
static graph_id tell_word(struct teller *t, const graph_id x[COPIES], const struct cycle_word word[COPIES],
                          unsigned depth)
{
    struct graph *g = t->w->g;
    graph_id address[COPIES], at;
    uint64_t offset[COPIES];
    int64_t by;
    for (unsigned k = 0; k < COPIES; k++) {
        if (word[k].space != word[0].space || word[k].flags != word[0].flags || word[k].bytes != word[0].bytes)
            return GRAPH_NIL;
        address[k] = word[k].address;
        offset[k] = word[k].offset;
    }
    if (advances(g, address, offset, &by)) {
        at = by ? moved(t, cycle_as_turn(t->w, address[0]), offset[0], by) : address[0];
        if (by == 0)
            return x[0];
    } else {
        at = offset[0] == offset[1] && offset[1] == offset[2] ? tell(t, address, depth + 1) : (graph_id)GRAPH_NIL;
        if (at == GRAPH_NIL)
            return GRAPH_NIL;
        at = moved(t, at, offset[0], 0);
    }
    const struct graph_node like = *graph_at(g, word[0].load);
    struct graph_node n = {.kind = UOP_LOAD,
                           .type = graph_at(g, x[0])->type,
                           .flags = like.flags,
                           .space = like.space,
                           .order = like.order,
                           .width = word[0].bytes,
                           .arg_count = 1,
                           .imm = like.imm,
                           .insn = UINT32_MAX};
    n.arg[0] = at;
    return t->counter == GRAPH_NIL ? x[0] : graph_intern(g, &n);
}

/* Words of a constant array. */
static graph_id tell_constant_word(struct teller *t, const graph_id x[COPIES])
{
    struct graph *g = t->w->g;
    struct graph_node n = *graph_at(g, x[0]);
    int64_t by = (int64_t)graph_at(g, x[1])->imm - (int64_t)n.imm;
    const struct graph_node *last = graph_at(g, x[2]);
    if (n.space == 0 || n.arg_count || graph_at(g, x[1])->space != n.space || last->space != n.space ||
        graph_at(g, x[1])->arg_count || last->arg_count || (int64_t)last->imm - (int64_t)graph_at(g, x[1])->imm != by)
        return GRAPH_NIL;
    if (t->counter == GRAPH_NIL)
        return x[0];
    n.arg_count = 1;
    n.arg[0] = graph_op2(g, UOP_MUL, UOP_B32, t->counter, graph_const(g, UOP_B32, (uint64_t)by));
    return graph_intern(g, &n);
}

static bool same_operation(const struct graph_node *a, const struct graph_node *b)
{
    return a->kind == b->kind && a->type == b->type && a->round == b->round && a->imm == b->imm &&
           a->width == b->width && a->space == b->space && a->arg_count == b->arg_count &&
           !((a->flags ^ b->flags) & (unsigned)~UOP_SWAPPED) && a->insn == UINT32_MAX && b->insn == UINT32_MAX;
}

static graph_id tell_operation(struct teller *t, const graph_id x[COPIES], unsigned depth)
{
    struct graph *g = t->w->g;
    const struct graph_node n[COPIES] = {*graph_at(g, x[0]), *graph_at(g, x[1]), *graph_at(g, x[2])};
    bool pure = uop_is_pure((enum uop_kind)n[0].kind) && n[0].kind < GRAPH_PHI;
    if (!same_operation(&n[0], &n[1]) || !same_operation(&n[0], &n[2]) || n[0].arg_count == 0 || !pure)
        return GRAPH_NIL;
    /* Two arguments that may stand either way round: how they do in the second copy, and in the third. */
    unsigned ways = uop_commutes((enum uop_kind)n[0].kind) ? 4 : 1;
    for (unsigned way = 0; way < ways; way++) {
        graph_id args[6];
        bool ok = true;
        for (unsigned k = n[0].arg_count; k-- > 0 && ok;) {
            unsigned second = k < 2 && way & 1 ? 1 - k : k, third = k < 2 && way & 2 ? 1 - k : k;
            args[k] = tell(t, (graph_id[]){n[0].arg[k], n[1].arg[second], n[2].arg[third]}, depth + 1);
            ok = args[k] != GRAPH_NIL;
        }
        if (!ok)
            continue;
        struct uop like = graph_operation(&n[0]);
        return t->counter == GRAPH_NIL ? x[0] : graph_pure(g, &like, args, n[0].arg_count);
    }
    return GRAPH_NIL;
}

/* The node that is x[k] where the counter is k; NIL: none is seen. */
static graph_id tell(struct teller *t, const graph_id x[COPIES], unsigned depth)
{
    static const uint64_t nothing[COPIES];
    const struct graph *g = t->w->g;
    struct cycle_word word[COPIES];
    uint32_t chain[COPIES], index[COPIES];
    int64_t by;
    if (depth > DEPTH || ++t->steps > STEPS)
        return GRAPH_NIL;
    if (x[0] == x[1] && x[1] == x[2])
        return x[0];
    bool cut = depth > 0;
    for (unsigned k = 0; k < COPIES && cut; k++)
        cut = cycle_cut_at(t->w, t->r, x[k], &chain[k], &index[k]) && chain[k] == chain[0];
    if (cut) { /* an accumulator, so many steps on */
        const struct cycle_chain *c = &t->r->chains.p[chain[0]];
        uint32_t stride = c->flat || !c->inner ? 0 : c->period / c->inner;
        if (stride && index[0] % stride == 0 && index[1] - index[0] == stride && index[2] - index[1] == stride)
            return x[0];
    }
    if (cycle_word_of(g, x[0], &word[0]))
        return cycle_word_of(g, x[1], &word[1]) && cycle_word_of(g, x[2], &word[2]) ? tell_word(t, x, word, depth)
                                                                                    : (graph_id)GRAPH_NIL;
    const struct graph_node *n = graph_at(g, x[0]);
    if (n->kind == UOP_CBANK && graph_at(g, x[1])->kind == UOP_CBANK && graph_at(g, x[2])->kind == UOP_CBANK)
        return tell_constant_word(t, x);
    graph_id is = tell_operation(t, x, depth);
    if (is == GRAPH_NIL && (n->type == UOP_B32 || n->type == UOP_B64) && graph_at(g, x[1])->type == n->type &&
        graph_at(g, x[2])->type == n->type && advances(g, x, nothing, &by))
        is = moved(t, x[0], 0, by);
    return is;
}

static graph_id tell_chain(struct teller *t, const struct cycle_chain *c)
{
    uint32_t stride = c->period / c->inner;
    t->chain = c;
    t->steps = 0;
    return tell(t, (graph_id[]){c->cut[stride], c->cut[2 * stride], c->cut[3 * stride]}, 0);
}

bool cycle_tells_inner(struct cycle_work *w, const struct cycle_region *r, const struct cycle_chain *c)
{
    struct teller t = {.w = w, .r = r};
    return c->inner >= COPIES && c->period % c->inner == 0 && tell_chain(&t, c) != GRAPH_NIL;
}

/* The loop that copies of the region's steps hold. */
static struct graph_cycle *inner_of(const struct cycle_work *w, const struct cycle_region *r, uint32_t count,
                                    uint32_t *at)
{
    uint64_t k;
    for (uint32_t i = 0; i < w->out->cycles.n; i++) {
        struct graph_cycle *c = &w->out->cycles.p[i];
        if (c->parent == r->cycle && c->pieces.n == 1 && c->pieces.p[0].straight &&
            graph_is_const(w->g, c->count, &k) && k == count) {
            *at = i;
            return c;
        }
    }
    return NULL;
}

graph_id cycle_first_term(struct cycle_work *w, struct cycle_region *r, uint32_t chain)
{
    enum { TERMS = 64 };
    const struct cycle_chain *c = &r->chains.p[chain];
    struct cycle_run run = cycle_gather(w, r, chain, c->in, c->out);
    uint64_t at[TERMS] = {0};
    if (run.steps != c->count || run.steps != r->unroll || run.steps > TERMS || !run.elements)
        return GRAPH_NIL;
    for (uint32_t i = 0; i < run.steps; i++) {
        struct field_set value = cycle_value_of(w, run.elements[i], r->loop, TURN_LAST);
        if (run.elements[i] == GRAPH_NIL || value.count == 0)
            return GRAPH_NIL;
        at[i] = value.v[0];
    }
    struct field_set after = cycle_value_of(w, run.elements[0], r->loop, TURN_AFTER);
    uint64_t turn = after.count ? field_add(after.v[0], field_neg(at[0])) : 0;
    uint64_t stride = field_mul(turn, field_inverse(run.steps));
    for (uint32_t i = 0; i < run.steps && turn; i++) { /* each place of a turn's, from here on, once */
        uint64_t taken = 0;
        uint64_t place = at[i];
        for (uint32_t k = 0; k < run.steps; k++, place = field_add(place, stride))
            for (uint32_t j = 0; j < run.steps; j++)
                taken |= at[j] == place ? UINT64_C(1) << k : 0;
        if (taken == UINT64_MAX >> (64 - run.steps))
            return run.terms[i];
    }
    return GRAPH_NIL;
}

/* An integer sum over all steps of a turn, in whatever order: one step adds one term. */
static void tell_sum(struct cycle_work *w, struct cycle_region *r, uint32_t chain)
{
    struct graph *g = w->g;
    const struct cycle_chain *c = &r->chains.p[chain];
    if (!c->flat || r->unroll < 2 || c->count != r->unroll || w->out->cycles.p[r->cycle].whole || w->budget == 0)
        return;
    graph_id term = cycle_first_term(w, r, chain);
    if (term == GRAPH_NIL)
        return;
    if (!w->out->step_of)
        w->out->step_of = ARENA_ARRAY(w->a, graph_id, w->nodes + 1);
    const struct graph_node n = *graph_at(g, c->out);
    struct uop like = graph_operation(&n);
    if (w->out->step_of)
        ((graph_id *)w->out->step_of)[c->out] = graph_pure(g, &like, (graph_id[]){c->in, term}, 2);
}

/* An accumulator takes part in every step of its loop: after so many of its links it is a step on. */
static void note_steps(struct cycle_work *w)
{
    bool *one = ARENA_ARRAY(w->a, bool, w->nodes + 1);
    w->out->one_step = one;
    for (uint32_t l = 0; l < w->region_count && one; l++) {
        const struct cycle_region *r = &w->regions[l];
        for (uint32_t i = 0; i < r->chains.n && r->cycle >= 0; i++) {
            const struct cycle_chain *c = &r->chains.p[i];
            uint32_t links = c->least * (uint64_t)r->unroll == c->count ? c->least : c->period;
            if (!c->flat && !c->alternates && links && links * (uint64_t)r->unroll == c->count)
                one[c->cut[links]] = true;
        }
    }
    for (graph_id id = 1; id < w->nodes && one; id++) { /* two accumulators in one register */
        const struct graph_node *n = graph_at(w->g, id);
        one[id] |= n->kind == UOP_PAIR && n->type == UOP_B32 && one[n->arg[0]] && one[n->arg[1]];
    }
}

void cycle_tell_steps(struct cycle_work *w)
{
    struct graph *g = w->g;
    graph_id *step_of = NULL;
    for (uint32_t l = 0; l < w->region_count; l++)
        for (uint32_t i = 0; i < w->regions[l].chains.n && w->regions[l].cycle >= 0 && i < CYCLE_CHAINS_MAX; i++)
            tell_sum(w, &w->regions[l], i);
    step_of = (graph_id *)w->out->step_of;
    note_steps(w);
    for (uint32_t l = 0; l < w->region_count; l++) {
        const struct cycle_region *r = &w->regions[l];
        for (uint32_t i = 0; i < r->chains.n && r->cycle >= 0; i++) {
            const struct cycle_chain *c = &r->chains.p[i];
            uint32_t at;
            struct graph_cycle *inner = c->inner >= COPIES && c->period ? inner_of(w, r, c->inner, &at) : NULL;
            if (!inner)
                continue;
            if (!step_of)
                w->out->step_of = step_of = ARENA_ARRAY(w->a, graph_id, w->nodes + 1);
            if (!step_of)
                return;
            struct graph_node turn = {.kind = GRAPH_TURN, .type = UOP_B32, .imm = at, .insn = UINT32_MAX};
            struct teller t = {.w = w, .r = r, .counter = graph_intern(g, &turn)};
            graph_id told = tell_chain(&t, c);
            if (told == GRAPH_NIL)
                continue;
            step_of[c->cut[c->period / c->inner]] = told;
            inner->counter = t.counter;
            inner->start = graph_const(g, UOP_B32, 0);
            inner->next = graph_op2(g, UOP_ADD, UOP_B32, t.counter, graph_const(g, UOP_B32, 1));
            inner->until = graph_op2(g, UOP_IEQ, UOP_B1, t.counter, inner->count);
        }
    }
}

graph_id graph_step_told(const struct graph *g, graph_id id)
{
    const struct graph_cycles *c = g->cycles;
    return c && c->step_of && id < c->copy_count && c->step_of[id] != GRAPH_NIL ? c->step_of[id] : id;
}

bool graph_tells_step(const struct graph *g, uint32_t cycle, graph_id phi, graph_id step)
{
    const struct graph_cycles *all = g->cycles;
    const struct graph_cycle *c = &all->cycles.p[cycle];
    uint32_t count;
    const uint32_t *defs = graph_defs_of(g, step, &count);
    uint32_t made = count ? g->blocks.p[g->insns.p[g->defs.p[defs[0]].insn].block].loop : 0;
    uint32_t round = graph_is_loop_phi(g, phi) ? (uint32_t)graph_at(g, phi)->imm : 0;
    const struct graph_piece *own = NULL;
    if (c->pieces.n && c->pieces.p[c->best].straight) /* copies within a step of the loop around */
        return c->parent < 0 || !all->cycles.p[c->parent].whole;
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        if (!p->straight && (p->loop + 1 == made || (p->loop + 1 == round && !own)))
            own = p;
    }
    if (!own || own->unroll < 2)
        return true;
    for (size_t i = 0; i < c->carried.n && c->whole; i++)
        if (c->carried.p[i].phi == phi)
            return c->carried.p[i].next == step;
    return !c->whole && (graph_step_told(g, step) != step || (all->one_step && all->one_step[step]));
}
