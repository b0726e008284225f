/* Pieces: loops and straight stretches that are one loop of the source (D6). A compiler that unrolls leaves a main
 * loop, smaller loops and straight remainders; each takes up the accumulators where the one before left them, does the
 * same step, and its elements go on where the last ones ended.
 *
 * The step of the first loop is matched, as a term over holes, on what the outgoing accumulators flow into through
 * selects and joins: onto other loops from their phis, onto straight code upwards by users. Without accumulators a
 * store takes their place. That elements go on is shown by evaluating addresses at random numbers modulo a prime, where
 * a loop's counters are start + turns * step and a select is either of its values.
 *
 * requires: chains, unroll, tests of loops · gives: cycles with pieces, folds, copies */
#include "graph/graph_piece.h"

#include <string.h>

enum { MUX_MAX = 256, IDLE_MAX = 64 };

/* ---- joining ---------------------------------------------------------------------------------- */

struct part { /* what a straight piece was found along, and the instances that make its steps */
    uint32_t chain, begin, end;
};

struct joiner {
    struct cycle_work *w;
    struct cycle_region *r; /* the first piece */
    struct graph_cycle *c;
    VEC(graph_id) flow;         /* the outgoing accumulator and what selects make of it */
    uint32_t token;             /* of it in flow_of */
    uint64_t advance;           /* of an element a step */
    bool moves;                 /* elements are known: they must go on */
    VEC(struct field_set) ends; /* where the elements of the pieces so far end */
    VEC(struct part) parts;     /* of each piece */
    uint32_t until;             /* instance from which on the same step has begun anew: another loop's */
};

static unsigned bits_of(const struct graph *g, graph_id id)
{
    return uop_type_bits((enum uop_type)graph_at(g, id)->type);
}

static bool flows(const struct joiner *j, graph_id id)
{
    return id < j->w->nodes && j->w->flow_of[id] == j->token;
}

/* `id` flows on through selects and joins that are not loop phis. */
static void flow_from(struct joiner *j, graph_id id)
{
    struct cycle_work *w = j->w;
    size_t at = j->flow.n;
    if (id >= w->nodes || flows(j, id))
        return;
    w->flow_of[id] = j->token;
    VEC_PUSH(w->a, j->flow, id);
    for (; at < j->flow.n && j->flow.n < MUX_MAX; at++) {
        uint32_t count;
        graph_id x = j->flow.p[at];
        const graph_id *users = graph_users(w->g, x, &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct graph_node *n = graph_at(w->g, users[i]);
            struct cycle_region *of;
            bool mux = (n->kind == UOP_SELECT && n->arg[0] != x) ||
                       (n->kind == GRAPH_PHI && !cycle_loop_phi(w, users[i], &of)) ||
                       (n->kind == UOP_PAIR && bits_of(w->g, n->arg[0]) == 16) ||
                       ((n->kind == UOP_LO || n->kind == UOP_HI) && bits_of(w->g, users[i]) == 16);
            if (!mux || users[i] >= w->nodes || flows(j, users[i]))
                continue;
            uint32_t made = cycle_maker(w, users[i], UINT32_MAX);
            if (n->kind == UOP_SELECT && made != UINT32_MAX && cycle_in_loop(w, w->g->insns.p[made].block, j->r->loop))
                continue; /* a step within the loop */
            w->flow_of[users[i]] = j->token;
            VEC_PUSH(w->a, j->flow, users[i]);
        }
    }
}

static void note_copies(struct joiner *j, const struct cycle_run *run)
{
    graph_id *copy = (graph_id *)j->w->out->copy_of;
    for (size_t i = 0; i + 1 < run->pairs.n; i += 2)
        if (run->pairs.p[i] != run->pairs.p[i + 1] && run->pairs.p[i + 1] < j->w->nodes)
            copy[run->pairs.p[i + 1]] = run->pairs.p[i];
}

static void end_at(struct joiner *j, struct field_set from, uint64_t way)
{
    for (unsigned i = 0; i < from.count; i++)
        from.v[i] = field_add(from.v[i], way);
    VEC_PUSH(j->w->a, j->ends, from);
}

static bool goes_on(struct joiner *j, const struct field_set *begin)
{
    for (size_t i = 0; i < j->ends.n; i++)
        if (field_sets_meet(&j->ends.p[i], begin))
            return true;
    return false;
}

/* The stretch of straight code that makes the steps: the blocks from the first to the last. */
static bool place_run(struct joiner *j, struct cycle_run *run, struct graph_piece *out)
{
    struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    uint32_t *blocks = ARENA_ARRAY(w->a, uint32_t, run->outs.n), count = 0;
    if (!blocks)
        return false;
    for (size_t i = 0; i < run->outs.n; i++) {
        uint32_t at = cycle_maker(w, run->outs.p[i], UINT32_MAX);
        if (at == UINT32_MAX)
            continue; /* made by nobody: a select where paths meet */
        uint32_t block = g->insns.p[at].block, k = count;
        if (g->blocks.p[block].loop != g->loops.p[j->r->loop].parent)
            return false;
        for (; k > 0 && blocks[k - 1] > block; k--)
            ;
        if (k > 0 && blocks[k - 1] == block)
            continue;
        memmove(blocks + k + 1, blocks + k, (count - k) * sizeof blocks[0]);
        blocks[k] = block;
        count++;
    }
    if (count == 0)
        return false;
    run->begin = UINT32_MAX;
    run->end = 0;
    for (size_t i = 1; i < run->pairs.n; i += 2) {
        uint32_t at = cycle_maker(w, run->pairs.p[i], UINT32_MAX);
        if (at == UINT32_MAX || g->insns.p[at].block < blocks[0] || g->insns.p[at].block > blocks[count - 1])
            continue;
        run->begin = at < run->begin ? at : run->begin;
        run->end = at > run->end ? at : run->end;
    }
    *out = (struct graph_piece){.straight = true,
                                .loop = UINT32_MAX,
                                .first = g->blocks.p[blocks[0]].first,
                                .last = g->blocks.p[blocks[count - 1]].last,
                                .unroll = run->steps,
                                .blocks = blocks,
                                .block_count = count};
    return true;
}

/* Another accumulator in the same stretch is the same piece; two stretches of one accumulator are two, even where both
 * became guarded instructions of one block. */
static void add_piece(struct joiner *j, struct graph_piece piece, struct part part)
{
    for (size_t i = 0; i < j->c->pieces.n; i++) {
        const struct graph_piece *p = &j->c->pieces.p[i];
        if (p->straight == piece.straight && p->first == piece.first && p->unroll == piece.unroll &&
            (!p->straight || j->parts.p[i].chain != part.chain))
            return;
    }
    VEC_PUSH(j->w->a, j->c->pieces, piece);
    VEC_PUSH(j->w->a, j->parts, part);
}

static void add_loop(struct joiner *j, struct cycle_region *r, uint32_t unroll)
{
    if (r->cycle == j->r->cycle)
        return; /* along another accumulator already */
    const struct graph_loop *l = &j->w->g->loops.p[r->loop];
    r->cycle = j->r->cycle;
    r->unroll = unroll;
    add_piece(j,
              (struct graph_piece){.loop = r->loop,
                                   .first = l->first,
                                   .last = l->last,
                                   .unroll = unroll,
                                   .blocks = r->blocks,
                                   .block_count = r->block_count},
              (struct part){.chain = UINT32_MAX});
}

/* Elements of the run begin where a piece before ended. The same step from elsewhere is another loop of the source, and
 * what stands behind it in the code belongs to that. */
static bool run_goes_on(struct joiner *j, const struct cycle_run *run, uint32_t loop, uint32_t insn,
                        struct field_set *begin)
{
    if (insn >= j->until)
        return false;
    if (!j->moves || run->element == GRAPH_NIL)
        return !j->moves;
    for (uint32_t i = 0; i < (run->elements ? run->steps : 1); i++) { /* in any order: some element is the next one */
        *begin = cycle_value_of(j->w, run->elements ? run->elements[i] : run->element, loop, TURN_FIRST);
        if (goes_on(j, begin))
            return true;
    }
    j->until = insn;
    return false;
}

static bool try_straight(struct joiner *j, uint32_t chain, graph_id x)
{
    bool flat = j->r->chains.p[chain].flat;
    struct cycle_run run =
        flat ? cycle_gather(j->w, j->r, chain, x, GRAPH_NIL) : cycle_follow(j->w, j->r, chain, x, GRAPH_NIL);
    struct graph_piece piece;
    struct field_set begin = {0};
    uint32_t inner = j->r->chains.p[chain].inner ? j->r->chains.p[chain].inner : 1;
    if (run.steps == 0 || run.steps % inner != 0 || !place_run(j, &run, &piece) ||
        !run_goes_on(j, &run, UINT32_MAX, piece.first, &begin))
        return false;
    piece.unroll = run.steps / inner;
    add_piece(j, piece, (struct part){chain, run.begin, run.end});
    for (size_t i = 0; i < run.outs.n; i++)
        j->w->claimed[run.outs.p[i]] = true;
    for (size_t i = 0; i + 1 < run.outs.n; i++) /* a guarded step is a select too: no place where paths meet */
        j->w->between[run.outs.p[i]] = true;
    note_copies(j, &run);
    if (begin.count)
        end_at(j, begin, field_mul(j->advance, run.steps));
    flow_from(j, run.out);
    return true;
}

static bool try_loop(struct joiner *j, uint32_t chain, struct cycle_region *r)
{
    for (uint32_t i = 0; i < r->chains.n; i++) {
        const struct cycle_chain *c = &r->chains.p[i];
        graph_id start = r->phis[c->phi].start;
        bool flat = j->r->chains.p[chain].flat; /* one term beside the old value is a sum too */
        if ((c->flat && !flat) || (flat && !c->flat && c->count != 1) || start == GRAPH_NIL || !flows(j, start))
            continue;
        struct cycle_run run =
            flat ? cycle_gather(j->w, j->r, chain, c->in, c->out) : cycle_follow(j->w, j->r, chain, c->in, c->out);
        struct field_set begin = {0};
        if (run.steps == 0 || run.out != c->out ||
            !run_goes_on(j, &run, r->loop, j->w->g->loops.p[r->loop].first, &begin))
            continue;
        uint32_t inner = j->r->chains.p[chain].inner ? j->r->chains.p[chain].inner : 1;
        if (run.steps % inner != 0)
            continue;
        add_loop(j, r, run.steps / inner);
        note_copies(j, &run);
        if (begin.count) /* the first element, a turn after the last */
            end_at(j, begin, field_mul(field_mul(j->advance, run.steps), field_add(cycle_turns(j->w, r), 1)));
        flow_from(j, c->out);
        if (r->tests_first)
            flow_from(j, c->in);
        return true;
    }
    return false;
}

/* The accumulator begins with the two elements before the loop's first one, or more: turns that a compiler took out.
 * One alone may be what the source begins with. */
static bool begins_with_elements(struct joiner *j, graph_id start, const struct field_set *first)
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
    return found == ((1u << 1) | (1u << BACK));
}

/* Pieces along one chain of the first loop. */
static void join_chain(struct joiner *j, uint32_t chain)
{
    struct cycle_work *w = j->w;
    struct cycle_region *r = j->r;
    const struct cycle_chain *c = &r->chains.p[chain];
    struct cycle_run own =
        c->flat ? cycle_gather(w, r, chain, c->in, c->out) : cycle_follow(w, r, chain, c->in, c->out);
    j->flow.n = 0;
    j->token = ++w->flow_token;
    flow_from(j, c->out);
    if (r->tests_first)
        flow_from(j, c->in);
    if (own.steps == 0 || own.out != c->out)
        return;
    note_copies(j, &own);
    j->moves = own.element != GRAPH_NIL;
    j->ends.n = 0;
    if (j->moves) {
        struct field_set begin = cycle_value_of(w, own.element, r->loop, TURN_LAST);
        struct field_set after = cycle_value_of(w, own.element, r->loop, TURN_AFTER);
        if (begin.count != after.count || begin.count == 0)
            return;
        uint64_t turn = field_add(after.v[0], field_neg(begin.v[0]));
        j->advance = field_mul(turn, field_inverse(own.steps));
        for (uint32_t i = 1; own.elements && i < own.steps; i++) { /* the first: a step before none of the others */
            struct field_set other = cycle_value_of(w, own.elements[i], r->loop, TURN_AFTER);
            uint64_t way = other.count ? field_add(after.v[0], field_neg(other.v[0])) : 0;
            for (uint32_t k = 1; k < own.steps && other.count; k++)
                if (way == field_mul(j->advance, k)) {
                    after = other;
                    break;
                }
        }
        VEC_PUSH(w->a, j->ends, after);
        struct field_set first = cycle_value_of(w, own.element, r->loop, TURN_FIRST);
        r->peeled |= begins_with_elements(j, r->phis[c->phi].start, &first);
    }
    uint32_t parent = w->g->loops.p[r->loop].parent;
    for (size_t at = 0; at < j->flow.n; at++) {
        /* Loops that start from what flows here, then straight code on it. */
        uint32_t s = 0;
        bool any = map_u64_get(&w->starts, j->flow.p[at], &s);
        for (uint32_t next = any ? s + 1 : 0; next; next = w->start_list.p[next - 1].next) {
            struct cycle_region *other = &w->regions[w->start_list.p[next - 1].region];
            if (other != r && (other->cycle < 0 || other->cycle == r->cycle) &&
                w->g->loops.p[other->loop].parent == parent && other->chains.n > 0)
                try_loop(j, chain, other);
        }
        if (w->budget > 0 && !w->between[j->flow.p[at]])
            try_straight(j, chain, j->flow.p[at]);
    }
}

/* ---- stores in the place of accumulators ------------------------------------------------------- */

/* Stores of a stretch of instances that are the step's. *begin: the address none of the others comes before. */
static uint32_t gather_stores(struct joiner *j, const struct graph_access *t, const uint32_t *blocks, uint32_t count,
                              uint32_t loop, struct field_set *begin, struct cycle_run *run)
{
    const struct graph *g = j->w->g;
    VEC(struct field_set) at = {0};
    graph_id element;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_block *b = &g->blocks.p[blocks[i]];
        for (uint32_t k = b->first; k <= b->last && b->reachable; k++)
            for (uint32_t x = g->insns.p[k].first_access; x < g->insns.p[k].first_access + g->insns.p[k].access_count;
                 x++)
                if (cycle_match_store(j->w, j->r, t, &g->accesses.p[x], run, &element))
                    VEC_PUSH(j->w->a, at, cycle_value_of(j->w, element, loop, TURN_FIRST));
    }
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < at.n; i++) {
        struct field_set before = at.p[i];
        for (unsigned k = 0; k < before.count; k++)
            before.v[k] = field_add(before.v[k], field_neg(j->advance));
        bool any = false;
        for (uint32_t k = 0; k < at.n && !any && before.count; k++)
            any = k != i && at.p[k].count && at.p[k].v[0] == before.v[0];
        if (!any && first != UINT32_MAX)
            return 0; /* not in a row */
        if (!any)
            first = i;
    }
    if (first == UINT32_MAX)
        return 0;
    *begin = at.p[first];
    return (uint32_t)at.n;
}

/* A block that runs whenever the last straight piece does is more of it: a branch in each step (a division's slow way)
 * cuts a stretch into blocks. */
static bool extend_stretch(struct joiner *j, uint32_t block, uint32_t steps)
{
    const struct graph *g = j->w->g;
    size_t n = j->c->pieces.n;
    struct graph_piece *p = n ? &j->c->pieces.p[n - 1] : NULL;
    if (!p || !p->straight || p->block_count == 0 || g->blocks.p[p->blocks[0]].path != g->blocks.p[block].path)
        return false;
    uint32_t *blocks = ARENA_ARRAY(j->w->a, uint32_t, p->block_count + 1);
    if (!blocks)
        return false;
    memcpy(blocks, p->blocks, p->block_count * sizeof blocks[0]);
    blocks[p->block_count++] = block;
    p->blocks = blocks;
    p->last = g->blocks.p[block].last;
    p->unroll += steps;
    return true;
}

static void join_stores(struct joiner *j)
{
    struct cycle_work *w = j->w;
    struct cycle_region *r = j->r;
    const struct graph *g = w->g;
    const struct graph_access *t = NULL;
    for (uint32_t i = 0; i < r->block_count && !t; i++) {
        const struct graph_block *b = &g->blocks.p[r->blocks[i]];
        for (uint32_t k = b->first; k <= b->last && !t && b->loop == r->loop + 1; k++)
            for (uint32_t x = g->insns.p[k].first_access; x < g->insns.p[k].first_access + g->insns.p[k].access_count;
                 x++)
                if (g->accesses.p[x].kind != GRAPH_LOAD)
                    t = &g->accesses.p[x];
    }
    if (!t)
        return;
    struct cycle_run self = {0};
    graph_id element;
    if (!cycle_match_store(j->w, j->r, t, t, &self, &element))
        return;
    struct field_set begin = cycle_value_of(w, element, r->loop, TURN_LAST);
    struct field_set after = cycle_value_of(w, element, r->loop, TURN_AFTER);
    if (begin.count != 1 || after.count != 1 || begin.v[0] == after.v[0])
        return;
    uint64_t turn = field_add(after.v[0], field_neg(begin.v[0]));
    j->advance = field_mul(turn, field_inverse(r->unroll));
    struct cycle_run own = {0};
    struct field_set first = {0};
    if (gather_stores(j, t, r->blocks, r->block_count, r->loop, &first, &own) != r->unroll)
        return; /* several a step: no single element to follow */
    note_copies(j, &own);
    /* The end: the first element, a turn after the last. */
    end_at(j, first, field_mul(turn, field_add(cycle_turns(w, r), 1)));
    uint32_t parent = g->loops.p[r->loop].parent;
    uint32_t idle = 0; /* blocks since the last piece */
    for (uint32_t b = g->loops.p[r->loop].header + 1; b < g->blocks.n && w->budget > 0 && idle < IDLE_MAX;
         b++, idle++) {
        uint32_t l = g->blocks.p[b].loop;
        struct cycle_run run = {0};
        struct field_set at = {0};
        if (l == parent && g->blocks.p[b].reachable) {
            uint32_t n = gather_stores(j, t, &b, 1, UINT32_MAX, &at, &run);
            uint32_t *blocks = ARENA_ARRAY(w->a, uint32_t, 1);
            if (n == 0 || !blocks)
                continue;
            if (!goes_on(j, &at))
                break; /* the same from elsewhere: another loop of the source */
            blocks[0] = b;
            if (!extend_stretch(j, b, n))
                add_piece(j,
                          (struct graph_piece){.straight = true,
                                               .loop = UINT32_MAX,
                                               .first = g->blocks.p[b].first,
                                               .last = g->blocks.p[b].last,
                                               .unroll = n,
                                               .blocks = blocks,
                                               .block_count = 1},
                          (struct part){.chain = UINT32_MAX});
            note_copies(j, &run);
            end_at(j, at, field_mul(j->advance, n));
            idle = 0;
        } else if (l && g->loops.p[l - 1].header == b && g->loops.p[l - 1].parent == parent && l - 1 != r->loop &&
                   w->regions[l - 1].cycle < 0 && w->regions[l - 1].chains.n == 0) {
            struct cycle_region *other = &w->regions[l - 1];
            uint32_t n = gather_stores(j, t, other->blocks, other->block_count, l - 1, &at, &run);
            if (n == 0 || n != other->unroll)
                continue;
            if (!goes_on(j, &at))
                break;
            add_loop(j, other, n);
            note_copies(j, &run);
            end_at(j, at, field_mul(field_mul(j->advance, n), field_add(cycle_turns(w, other), 1)));
            idle = 0;
        }
    }
}

/* ---- counters in the place of both --------------------------------------------------------------- */

/* Steps are taken for smaller ones: what a turn of a later loop does is one step, or several. */
static void scale_pieces(struct joiner *j, uint32_t factor)
{
    for (size_t i = 0; i < j->c->pieces.n && factor > 1; i++) {
        struct graph_piece *p = &j->c->pieces.p[i];
        p->unroll *= factor;
        if (!p->straight)
            j->w->regions[p->loop].unroll = p->unroll;
    }
}

/* Loops that are joined already whose bodies were not seen to repeat anything: what their tests say of one another
 * holds. Straight pieces found by such a step are looked for again. */
static void settle_units(struct joiner *j)
{
    struct cycle_work *w = j->w;
    struct graph_cycle *c = j->c;
    struct cycle_region *least = NULL;
    bool any = false;
    uint32_t kept = 0;
    for (size_t i = 0; i < c->pieces.n; i++) {
        struct cycle_region *r = c->pieces.p[i].straight ? NULL : &w->regions[c->pieces.p[i].loop];
        if (r && (!least || cycle_turns_as(w, least, r) > 1))
            least = r;
    }
    for (size_t i = 0; i < c->pieces.n; i++) {
        struct graph_piece *p = &c->pieces.p[i];
        struct cycle_region *r = p->straight ? NULL : &w->regions[p->loop];
        uint32_t turns = r && r != least ? cycle_turns_as(w, r, least) : 0;
        if (turns < 2 || p->unroll != least->unroll)
            continue;
        r->unroll = p->unroll = turns * least->unroll;
        r->inner = 0;
        any = true;
    }
    for (size_t i = 0; i < c->pieces.n && any; i++) {
        if (c->pieces.p[i].straight)
            continue;
        c->pieces.p[kept] = c->pieces.p[i];
        j->parts.p[kept++] = j->parts.p[i];
    }
    if (any)
        c->pieces.n = j->parts.n = kept;
}

/* Loops behind the pieces that only their counters show to be pieces too. */
static void join_counters(struct joiner *j)
{
    struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    settle_units(j);
    for (uint32_t l = w->next_beside[j->r->loop]; l && w->budget > 0; l = w->next_beside[l - 1]) {
        struct cycle_region *other = &w->regions[l - 1];
        if (other->cycle == j->r->cycle)
            continue;
        if (other->cycle >= 0 || other->skipped || g->loops.p[l - 1].irreducible)
            break;
        uint32_t turns = cycle_takes_up(w, j->r, other), steps = turns * other->unroll;
        if (turns == 0 && !cycle_steps_less(other, j->r))
            break; /* another loop begins: pieces stand together */
        if (turns == 0 || steps % j->r->unroll != 0)
            continue;
        scale_pieces(j, steps / j->r->unroll);
        add_loop(j, other, other->unroll);
    }
}

/* Straight code that takes a counter on: as many steps as that says, whatever was found of them. */
static void join_stretches(struct joiner *j)
{
    struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    struct cycle_stretch found[CYCLE_STRETCHES];
    uint32_t count = cycle_find_stretches(w, j->c, found);
    uint32_t from = g->loops.p[j->r->loop].header, to = 0;
    for (size_t k = 0; k < j->c->pieces.n; k++)
        for (uint32_t b = 0; b < j->c->pieces.p[k].block_count; b++)
            to = j->c->pieces.p[k].blocks[b] > to ? j->c->pieces.p[k].blocks[b] : to;
    for (uint32_t i = 0; i < count; i++) {
        struct graph_piece *same = NULL;
        uint32_t of_block = 0;
        if (found[i].block < from || found[i].block > to)
            continue; /* what another loop before or behind makes of the same numbers */
        for (size_t k = 0; k < j->c->pieces.n; k++) {
            struct graph_piece *p = &j->c->pieces.p[k];
            for (uint32_t b = 0; b < p->block_count && p->straight; b++)
                if (p->blocks[b] == found[i].block) {
                    same = p;
                    of_block++;
                }
        }
        if (of_block == 1 && same->block_count == 1)
            same->unroll = found[i].steps;
        uint32_t *blocks = of_block ? NULL : ARENA_ARRAY(w->a, uint32_t, 1);
        if (!blocks)
            continue;
        blocks[0] = found[i].block;
        add_piece(j,
                  (struct graph_piece){.straight = true,
                                       .loop = UINT32_MAX,
                                       .first = g->blocks.p[blocks[0]].first,
                                       .last = g->blocks.p[blocks[0]].last,
                                       .unroll = found[i].steps,
                                       .blocks = blocks,
                                       .block_count = 1},
                  (struct part){.chain = UINT32_MAX});
    }
}

/* ---- one cycle -------------------------------------------------------------------------------- */

/* The chain of the first loop that a value comes from, where paths meet in between; UINT32_MAX: not seen. */
static uint32_t chain_before(const struct joiner *j, graph_id id, unsigned depth)
{
    if (id == GRAPH_NIL || depth > 4)
        return UINT32_MAX;
    for (uint32_t i = 0; i < j->r->chains.n; i++)
        if (j->r->chains.p[i].out == id || j->r->chains.p[i].in == id)
            return i;
    const struct graph_node n = *graph_at(j->w->g, id);
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < n.phi_count && i < 8 && n.kind == GRAPH_PHI && found == UINT32_MAX; i++)
        found = chain_before(j, n.phi_args[i], depth + 1);
    for (unsigned i = 1; i <= 2 && n.kind == UOP_SELECT && found == UINT32_MAX; i++)
        found = chain_before(j, n.arg[i], depth + 1);
    return found;
}

static void make_folds(struct joiner *j)
{
    struct cycle_work *w = j->w;
    const struct graph_cycle *c = j->c;
    const struct graph_piece *best = &c->pieces.p[c->best];
    struct cycle_region *r = best->loop == UINT32_MAX ? j->r : &w->regions[best->loop];
    bool done[64] = {0};
    for (uint32_t i = 0; i < r->chains.n && i < 64; i++) {
        struct graph_fold fold = {.cycle = (uint32_t)j->r->cycle};
        for (uint32_t k = i; k < r->chains.n && k < 64 && fold.count < GRAPH_FOLD_MAX; k++) {
            const struct cycle_chain *x = &r->chains.p[k];
            if (done[k] || x->group != r->chains.p[i].group)
                continue;
            done[k] = true;
            unsigned at = fold.count++;
            fold.phi[at] = r->phis[x->phi].phi;
            uint32_t from = r == j->r ? k : chain_before(j, r->phis[x->phi].start, 0);
            if (from == UINT32_MAX)
                from = k; /* in the order of the registers */
            fold.start[at] = from < j->r->chains.n ? j->r->phis[j->r->chains.p[from].phi].start : GRAPH_NIL;
            fold.in[at] = x->in;
            fold.out[at] = x->flat ? x->out : x->cut[x->period ? x->period : x->count];
            fold.reassociated |= x->flat && x->count > 1;
            fold.result[at] = x->out;
        }
        if (fold.count)
            VEC_PUSH(w->a, w->out->folds, fold);
    }
}

/* Two straight pieces of one block: each from its first instruction to its last. */
static void part_pieces(struct joiner *j)
{
    struct graph_cycle *c = j->c;
    for (size_t i = 0; i < c->pieces.n; i++) {
        bool shared = false;
        for (size_t k = 0; k < c->pieces.n && c->pieces.p[i].straight && !shared; k++)
            shared = k != i && c->pieces.p[k].straight && c->pieces.p[k].blocks[0] == c->pieces.p[i].blocks[0];
        if (!shared || j->parts.p[i].begin > j->parts.p[i].end)
            continue;
        c->pieces.p[i].first = j->parts.p[i].begin;
        c->pieces.p[i].last = j->parts.p[i].end;
    }
}

static void sort_pieces(struct graph_cycle *c)
{
    for (size_t i = 1; i < c->pieces.n; i++) {
        struct graph_piece p = c->pieces.p[i];
        size_t k = i;
        for (; k > 0 && c->pieces.p[k - 1].first > p.first; k--)
            c->pieces.p[k] = c->pieces.p[k - 1];
        c->pieces.p[k] = p;
    }
    c->unroll = 0;
    for (uint32_t i = 0; i < c->pieces.n; i++) {
        const struct graph_piece *p = &c->pieces.p[i], *best = &c->pieces.p[c->best];
        c->first = i == 0 || p->first < c->first ? p->first : c->first;
        c->last = i == 0 || p->last > c->last ? p->last : c->last;
        c->unroll = p->unroll > c->unroll ? p->unroll : c->unroll;
        if (best->straight ? !p->straight : !p->straight && p->unroll < best->unroll)
            c->best = i;
    }
}

void cycle_join_pieces(struct cycle_work *w, struct cycle_region *r, struct graph_cycle *c)
{
    struct joiner j = {.w = w, .r = r, .c = c, .until = UINT32_MAX};
    VEC_PUSH(w->a, j.parts, (struct part){.chain = UINT32_MAX}); /* the loop itself */
    if (c->irreducible || arena_failed(w->a))
        return;
    for (uint32_t i = 0; i < r->chains.n && i < CYCLE_CHAINS_MAX; i++) {
        join_chain(&j, i);
    }
    if (r->chains.n == 0)
        join_stores(&j);
    join_counters(&j);
    join_stretches(&j);
    part_pieces(&j);
    sort_pieces(c);
    make_folds(&j);
}
