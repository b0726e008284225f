/* Steps found in straight code as loops that were unrolled whole (D6): a cycle of one straight piece, unless they are
 * the copies of a body that was unrolled or the first turns of a loop behind them; and the inner loop that each copy of
 * an unrolled body holds.
 *
 * requires: steps (graph_straight.c) · gives: cycles with one straight piece, their folds */
#include "graph/graph_piece.h"
#include "graph/graph_straight.h"

/* ---- what was found --------------------------------------------------------------------------- */

uint32_t straight_loop_of(const struct cycle_work *w, uint32_t insn)
{
    return w->g->blocks.p[w->g->insns.p[insn].block].loop;
}

/* The cycle around an instance: a loop's, or the one whose straight piece holds it. */
static int32_t cycle_around(const struct cycle_work *w, uint32_t insn)
{
    uint32_t block = w->g->insns.p[insn].block;
    if (w->straight_of[block] >= 0)
        return w->straight_of[block];
    uint32_t loop = straight_loop_of(w, insn);
    return loop ? w->regions[loop - 1].cycle : -1;
}

/* The copies of a body that was unrolled: the loop round them, none of its own. */
static bool are_copies(const struct cycle_work *w, int32_t parent, const struct found *f)
{
    const struct graph_cycle *c = parent < 0 ? NULL : &w->out->cycles.p[parent];
    for (size_t i = 0; c && i < c->pieces.n; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        if (f->first >= p->first && f->first <= p->last && f->steps == p->unroll)
            return true;
    }
    return false;
}

/* Whether `id` is what paths bring to `from`: a step that was left out or made. */
static bool is_brought(const struct cycle_work *w, graph_id from, graph_id id)
{
    enum { BROUGHT_MAX = 64 };
    graph_id todo[BROUGHT_MAX];
    unsigned n = 0;
    todo[n++] = from;
    for (unsigned at = 0; at < n; at++) {
        const struct graph_node *x = graph_at(w->g, todo[at]);
        const graph_id *args;
        uint32_t count = cycle_args(x, &args);
        if (todo[at] == id)
            return true;
        if (x->kind != UOP_SELECT && (x->kind != GRAPH_PHI || graph_is_loop_phi(w->g, todo[at])))
            continue;
        for (uint32_t k = x->kind == UOP_SELECT; k < count; k++) {
            bool known = n >= BROUGHT_MAX;
            for (unsigned i = 0; i < n && !known; i++)
                known = todo[i] == args[k];
            if (!known)
                todo[n++] = args[k];
        }
    }
    return false;
}

/* Steps that stand before a loop which goes on with what they leave. */
enum before {
    BEFORE_OWN,    /* another step, or over elements from elsewhere: a loop of their own */
    BEFORE_TURNS,  /* the loop's first turns */
    BEFORE_UNKNOWN /* the same step, but of which loop is not shown */
};

/* One step of the accumulator brings what the steps found do. */
static bool brings_the_same(struct straight *s, const struct cycle_chain *c, const struct found *f)
{
    uint32_t stride = c->inner ? c->period / c->inner : c->period;
    for (uint32_t k = 0; k < c->count && c->flat; k++)
        if (straight_term_of(s, c->terms[k], 0).hash == f->hash)
            return true;
    for (uint32_t k = 1; k <= stride && !c->flat; k++)
        if (straight_part_of(s, c->cut[k], c->cut[k - 1]).hash == f->hash)
            return true;
    return false;
}

/* Steps that are the loop's, matched backwards: each turn's elements stand before the loop's first ones, or, where
 * every turn holds a loop of its own over the same places, the block does all that so many turns do. */
static enum before what_before(struct straight *s, const struct cycle_region *r, uint32_t chain, const struct found *f,
                               uint32_t *turns)
{
    struct cycle_work *w = s->w;
    const struct cycle_chain *c = &r->chains.p[chain];
    uint32_t inner = c->inner > 1 ? c->inner : 1, block = w->g->insns.p[f->first].block;
    struct cycle_run run = {.in = f->result};
    if (!brings_the_same(s, c, f))
        return BEFORE_OWN;
    *turns = f->steps / inner;
    while (run.steps < f->steps && cycle_step_back(w, &w->regions[r->loop], chain, run.in, &run))
        ;
    if (run.steps < f->steps || f->steps % inner != 0 || r->unroll == 0)
        return BEFORE_UNKNOWN;
    if (inner > 1)
        return block == w->g->insns.p[f->last].block && cycle_does_turns(w, &block, 1, r, *turns) ? BEFORE_TURNS
                                                                                                  : BEFORE_UNKNOWN;
    if (run.from == GRAPH_NIL || run.element == GRAPH_NIL)
        return BEFORE_UNKNOWN;
    struct field_set first = cycle_value_of(w, run.from, r->loop, TURN_FIRST);
    struct field_set last = cycle_value_of(w, run.from, r->loop, TURN_LAST);
    struct field_set after = cycle_value_of(w, run.from, r->loop, TURN_AFTER);
    struct field_set at = cycle_value_of(w, run.element, UINT32_MAX, TURN_FIRST);
    if (last.count != 1 || after.count != 1 || first.count == 0 || at.count == 0)
        return BEFORE_UNKNOWN;
    uint64_t turn = field_add(after.v[0], field_neg(last.v[0]));
    uint64_t way = field_mul(field_mul(turn, field_inverse(r->unroll)), f->steps);
    for (unsigned i = 0; i < at.count; i++)
        at.v[i] = field_add(at.v[i], way);
    return field_sets_meet(&at, &first)        ? BEFORE_TURNS
           : first.count == 1 && at.count == 1 ? BEFORE_OWN
                                               : BEFORE_UNKNOWN;
}

/* Steps before a loop that goes on with what they leave: the loop's first turns, not a loop of their own. */
static bool add_before(struct straight *s, const struct found *f, int32_t parent)
{
    struct cycle_work *w = s->w;
    struct graph_cycle *c = NULL;
    uint32_t turns = 0;
    enum before what = BEFORE_UNKNOWN;
    for (uint32_t l = 0; l < w->region_count && what != BEFORE_TURNS; l++) {
        const struct cycle_region *r = &w->regions[l];
        if (r->cycle < 0 || (uint32_t)r->cycle >= w->looping || w->out->cycles.p[r->cycle].parent != parent ||
            w->g->loops.p[l].first <= f->last)
            continue;
        for (uint32_t i = 0; i < r->chains.n && what != BEFORE_TURNS; i++) {
            graph_id start = r->phis[r->chains.p[i].phi].start;
            if (start == GRAPH_NIL || !straight_same_operation(w->g, r->chains.p[i].out, f->result) ||
                !is_brought(w, start, f->result))
                continue;
            enum before one = what_before(s, r, i, f, &turns); /* some pieces of a loop say more than others */
            what = c == NULL || one != BEFORE_UNKNOWN ? one : what;
            c = &w->out->cycles.p[r->cycle];
        }
    }
    if (!c || what == BEFORE_OWN)
        return false;
    for (size_t i = 0; i < c->pieces.n; i++)
        if (c->pieces.p[i].straight && c->pieces.p[i].first <= f->last && f->first <= c->pieces.p[i].last)
            return true;
    c->count = c->until = c->start = GRAPH_NIL;
    uint32_t *blocks = what == BEFORE_TURNS ? ARENA_ARRAY(w->a, uint32_t, 1) : NULL;
    if (!blocks)
        return true;
    blocks[0] = w->g->insns.p[f->first].block;
    /* Between two loops the block is there for the steps; so is one that does all that a turn does. */
    bool whole = f->floor > 0 || turns < f->steps;
    uint32_t first = whole ? w->g->blocks.p[blocks[0]].first : f->first;
    struct graph_piece piece = {.straight = true,
                                .loop = UINT32_MAX,
                                .first = first,
                                .last = turns < f->steps ? w->g->blocks.p[blocks[0]].last : f->last,
                                .unroll = turns,
                                .blocks = blocks,
                                .block_count = 1};
    VEC_PUSH(w->a, c->pieces, piece);
    size_t at = c->pieces.n - 1;
    for (; at > 0 && c->pieces.p[at - 1].first > piece.first; at--)
        c->pieces.p[at] = c->pieces.p[at - 1];
    c->pieces.p[at] = piece;
    c->best += at <= c->best;
    c->first = c->first < first ? c->first : first;
    c->unroll = c->unroll > turns ? c->unroll : turns;
    return true;
}

enum { LOOK_BACK = 64 };

/* The first step takes what the other loop left: as many steps or not, it is another loop. */
static bool takes_result(const struct cycle_work *w, uint32_t cycle, const struct found *f)
{
    enum { LOOK_MAX = 96 };
    graph_id seen[LOOK_MAX] = {f->out}, result = GRAPH_NIL;
    unsigned count = 1;
    for (size_t i = w->out->folds.n; i-- > 0 && w->out->folds.p[i].cycle >= cycle;)
        if (w->out->folds.p[i].cycle == cycle && w->out->folds.p[i].count)
            result = w->out->folds.p[i].result[0];
    for (unsigned at = 0; at < count && result != GRAPH_NIL; at++) {
        const struct graph_node *n = graph_at(w->g, seen[at]);
        if (seen[at] == result)
            return true;
        for (unsigned k = 0; k < n->arg_count && n->kind != UOP_LOAD && count < LOOK_MAX; k++) {
            bool known = n->arg[k] == GRAPH_NIL || n->arg[k] < result;
            for (unsigned i = 0; i < count && !known; i++)
                known = seen[i] == n->arg[k];
            if (!known)
                seen[count++] = n->arg[k];
        }
    }
    return false;
}

uint32_t straight_behind_others(const struct cycle_work *w, const struct found *f, uint32_t begins)
{
    const struct graph_cycles *out = w->out;
    size_t since = out->cycles.n > LOOK_BACK ? out->cycles.n - LOOK_BACK : 0;
    uint32_t behind = 0;
    for (size_t i = since > w->looping ? since : w->looping; i < out->cycles.n; i++) {
        const struct graph_cycle *c = &out->cycles.p[i];
        uint64_t count;
        if (c->first <= f->last && f->first <= c->last && c->last < begins && c->last + 1 > behind &&
            graph_is_const(w->g, c->count, &count) && (count != f->steps || takes_result(w, (uint32_t)i, f)))
            behind = c->last + 1;
    }
    return behind;
}

void straight_add(struct straight *s, const struct found *f)
{
    struct cycle_work *w = s->w;
    struct graph_cycles *out = w->out;
    int32_t parent = cycle_around(w, f->first);
    if (are_copies(w, parent, f) || add_before(s, f, parent))
        return;
    size_t since = out->cycles.n > LOOK_BACK ? out->cycles.n - LOOK_BACK : 0;
    for (size_t i = since > w->looping ? since : w->looping; i < out->cycles.n;
         i++) { /* copies, and other accumulators of the same steps */
        const struct graph_cycle *c = &out->cycles.p[i];
        uint64_t count = 0;
        bool overlaps = f->first <= c->last && c->first <= f->last;
        bool copies = parent >= 0 && c->parent == parent &&
                      (out->cycles.p[parent].unroll > 1 || out->cycles.p[parent].pieces.n > 1);
        graph_is_const(w->g, c->count, &count);
        if (count == f->steps && (copies || (overlaps && !takes_result(w, (uint32_t)i, f))))
            return;
    }
    uint32_t *blocks = ARENA_ARRAY(w->a, uint32_t, 1);
    if (!blocks)
        return;
    blocks[0] = w->g->insns.p[f->first].block;
    struct graph_cycle c = {.parent = parent, .first = f->first, .last = f->last, .unroll = f->steps};
    struct graph_piece piece = {.straight = true,
                                .loop = UINT32_MAX,
                                .first = f->first,
                                .last = f->last,
                                .unroll = f->steps,
                                .blocks = blocks,
                                .block_count = 1};
    struct graph_fold fold;
    if (!cycle_new_fold(w->a, (uint32_t)out->cycles.n, 1, &fold))
        return;
    fold.start[0] = fold.in[0] = f->in;
    fold.out[0] = f->out;
    fold.result[0] = f->result;
    fold.reassociated = f->out == f->result;
    VEC_PUSH(w->a, c.pieces, piece);
    c.count = graph_const(w->g, UOP_B32, f->steps);
    VEC_PUSH(w->a, out->cycles, c);
    VEC_PUSH(w->a, out->folds, fold);
}

uint32_t straight_behind_loops(struct cycle_work *w, uint32_t insn)
{
    const struct graph *g = w->g;
    uint32_t b = g->insns.p[insn].block, loop = g->blocks.p[b].loop;
    for (; b > 0 && w->budget > 0 && (g->blocks.p[b - 1].loop == loop || !g->blocks.p[b - 1].reachable); b--)
        w->budget--;
    return g->blocks.p[b].first;
}

void straight_span_of(struct straight *s, graph_id id, graph_id stop, uint32_t loop, struct found *f, unsigned depth)
{
    struct cycle_work *w = s->w;
    const struct graph_node *n = graph_at(w->g, id);
    if (id == stop || depth > STRAIGHT_DEPTH || w->budget == 0 || id >= w->nodes || !straight_term_of(s, id, 0).loads)
        return;
    w->budget--;
    uint32_t at = cycle_maker(w, id, UINT32_MAX);
    if (at != UINT32_MAX && at >= f->floor && straight_loop_of(w, at) == loop) {
        f->first = at < f->first ? at : f->first;
        f->last = at > f->last ? at : f->last;
    }
    for (unsigned k = 0; k < n->arg_count && n->kind != UOP_LOAD; k++)
        straight_span_of(s, n->arg[k], stop, loop, f, depth + 1);
}

bool straight_are_written(const struct cycle_work *w, const graph_id *steps, uint32_t count)
{
    const struct graph *g = w->g;
    uint64_t likely = 0;
    uint32_t votes = 0, same = 0;
    for (unsigned pass = 0; pass < 2; pass++) /* the place that leads, then how many it wrote */
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = cycle_maker(w, steps[i], UINT32_MAX);
            uint64_t place = at == UINT32_MAX ? 0 : g->input.insns[g->insns.p[at].input].place;
            if (!place)
                return false;
            if (pass) {
                same += place == likely;
                continue;
            }
            likely = votes ? likely : place;
            votes += place == likely ? 1u : (uint32_t)-1;
        }
    return same <= count / 2;
}

struct straight *straight_begin(struct cycle_work *w)
{
    struct straight *s = w->straight;
    if (s)
        return s;
    s = w->straight = ARENA_NEW(w->a, struct straight);
    if (!s)
        return NULL;
    s->w = w;
    s->memo = ARENA_ARRAY(w->a, struct term, w->nodes);
    s->known = ARENA_ARRAY(w->a, uint8_t, w->nodes);
    s->prev = ARENA_ARRAY(w->a, graph_id, w->nodes);
    s->taken = ARENA_ARRAY(w->a, bool, w->nodes);
    return arena_failed(w->a) ? NULL : s;
}

/* ---- inner loops of an unrolled body ------------------------------------------------------------ */

/* The steps that were taken for an inner loop's were the loop's own, or some of them, where other pieces since showed
 * that a turn holds more copies than its body alone had told. */
static void settle_inner(struct cycle_region *r)
{
    r->inner = 0;
    for (uint32_t i = 0; i < r->chains.n; i++) {
        struct cycle_chain *c = &r->chains.p[i];
        if (c->inner == 0 || c->flat || c->period == 0)
            continue;
        uint32_t cuts = c->period / c->inner, steps = c->count / cuts; /* of the turn */
        if (c->period * r->unroll != c->count) {
            bool whole = r->unroll && steps % r->unroll == 0 && steps / r->unroll >= STEPS_MIN;
            c->inner = whole ? steps / r->unroll : 0;
            c->period = whole ? cuts * c->inner : c->period;
        }
        r->inner = c->inner > r->inner ? c->inner : r->inner;
    }
}

void cycle_add_inner(struct cycle_work *w, struct cycle_region *r)
{
    struct graph_cycles *out = w->out;
    settle_inner(r);
    struct straight *s = r->inner < STEPS_MIN ? NULL : straight_begin(w);
    if (!s)
        return;
    for (size_t i = w->looping; i < out->cycles.n; i++) { /* another piece of the same loop holds it too */
        uint64_t count = 0;
        if (out->cycles.p[i].parent == r->cycle && graph_is_const(w->g, out->cycles.p[i].count, &count) &&
            count == r->inner)
            return;
    }
    struct found f = {.steps = r->inner, .first = UINT32_MAX};
    uint32_t fold_at = (uint32_t)out->cycles.n;
    size_t folds = out->folds.n;
    for (uint32_t i = 0; i < r->chains.n; i++) {
        const struct cycle_chain *c = &r->chains.p[i];
        if (c->flat || c->inner != r->inner || c->period == 0)
            continue;
        graph_id *steps = ARENA_ARRAY(w->a, graph_id, c->inner);
        for (uint32_t k = 0; steps && k < c->inner; k++)
            steps[k] = c->cut[(k + 1) * (c->period / c->inner)];
        if (!steps || straight_are_written(w, steps, c->inner)) {
            out->folds.n = folds;
            return;
        }
        for (uint32_t k = 1; k <= c->period; k++)
            straight_span_of(s, c->cut[k], c->cut[k - 1], r->loop + 1, &f, 0);
        struct graph_fold fold;
        if (!cycle_new_fold(w->a, fold_at, 1, &fold))
            return;
        fold.phi[0] = r->phis[c->phi].phi;
        fold.start[0] = fold.in[0] = c->cut[0];
        fold.out[0] = c->cut[c->period / c->inner];
        fold.result[0] = c->cut[c->period];
        VEC_PUSH(w->a, out->folds, fold);
    }
    if (f.first > f.last) { /* no instance makes the steps: no loop to fold in */
        out->folds.n = folds;
        return;
    }
    uint32_t *blocks = ARENA_ARRAY(w->a, uint32_t, 1);
    if (!blocks)
        return;
    blocks[0] = w->g->insns.p[f.first].block;
    struct graph_cycle c = {.parent = r->cycle, .first = f.first, .last = f.last, .unroll = r->inner};
    struct graph_piece piece = {.straight = true,
                                .loop = UINT32_MAX,
                                .first = f.first,
                                .last = f.last,
                                .unroll = r->inner,
                                .blocks = blocks,
                                .block_count = 1};
    VEC_PUSH(w->a, c.pieces, piece);
    c.count = graph_const(w->g, UOP_B32, r->inner);
    VEC_PUSH(w->a, out->cycles, c);
}
