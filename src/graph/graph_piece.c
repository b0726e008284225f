/* Pieces: loops and straight stretches that are one loop of the source (D6). A compiler that unrolls leaves a main
 * loop, smaller loops and straight remainders; each takes up the accumulators where the one before left them, does the
 * same step, and its elements go on where the last ones ended.
 *
 * The step of the first loop is matched, as a term over holes, on what the outgoing accumulators flow into through
 * selects and joins: onto other loops from their phis, onto straight code upwards by users. What no accumulator shows
 * is graph_piece_other.c's. That elements go on is shown by evaluating addresses at random numbers modulo a prime,
 * where a loop's counters are start + turns * step and a select is either of its values.
 *
 * requires: chains, unroll, tests of loops · gives: cycles with pieces, folds, copies */
#include "graph/graph_piece.h"

enum { MUX_MAX = 256 };

/* ---- joining ---------------------------------------------------------------------------------- */

static unsigned bits_of(const struct graph *g, graph_id id)
{
    return uop_type_bits((enum uop_type)graph_at(g, id)->type);
}

static bool flows(const struct joiner *j, graph_id id)
{
    return id < j->w->nodes && j->w->flow_of[id] == j->token;
}

/* UOP_LO, UOP_HI: the half of its register that a chain goes round in; 0: all of it. */
static unsigned half_of(const struct joiner *j, const struct cycle_region *r, const struct cycle_chain *c)
{
    unsigned kind = graph_at(j->w->g, c->in)->kind;
    return c->in != r->phis[c->phi].phi && (kind == UOP_LO || kind == UOP_HI) ? kind : 0;
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
                       (n->kind == UOP_PAIR && bits_of(w->g, n->arg[0]) == 16 &&
                        (!j->half || n->arg[j->half == UOP_HI] == x)) ||
                       ((n->kind == UOP_LO || n->kind == UOP_HI) && bits_of(w->g, users[i]) == 16 &&
                        (!j->half || n->kind == j->half));
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

void piece_note_copies(struct joiner *j, const struct cycle_run *run)
{
    graph_id *copy = (graph_id *)j->w->out->copy_of;
    for (size_t i = 0; i + 1 < run->pairs.n; i += 2) {
        graph_id node = run->pairs.p[i + 1], part = run->pairs.p[i];
        if (part == node || node >= j->w->nodes)
            continue;
        if (copy[node] != GRAPH_NIL && copy[node] != part) /* two loops load one element */
            map_u64_put(j->w->a, &j->w->out->also, graph_copy_key(node, copy[node]), 1);
        copy[node] = part;
    }
}

/* The sums of a flattened chain that a piece makes; `steps`: a loop's, 0: straight code. */
static void note_sums(struct joiner *j, const struct cycle_run *run, uint32_t steps)
{
    for (size_t i = 0; i < run->sums.n; i++)
        VEC_PUSH(j->w->a, j->sums, run->sums.p[i]);
    if (steps && run->sums.n && (!j->sum_steps || steps < j->sum_steps)) {
        j->sum = run->out;
        j->sum_steps = steps;
    }
}

/* The term of a turn's first step comes first: the others are copies of it, and the sum is told by it. */
static bool put_first(struct joiner *j, uint32_t chain)
{
    struct cycle_chain *c = &j->r->chains.p[chain];
    graph_id first = j->r->unroll > 1 && c->count == j->r->unroll ? cycle_first_term(j->w, j->r, chain) : GRAPH_NIL;
    graph_id *terms = (graph_id *)c->terms;
    for (uint32_t i = 1; i < c->count && first != GRAPH_NIL; i++)
        if (terms[i] == first) {
            terms[i] = terms[0];
            terms[0] = first;
        }
    return first != GRAPH_NIL;
}

/* All of them play one part: one variable, whichever piece adds to it. */
static void join_sums(struct joiner *j)
{
    graph_id *copy = (graph_id *)j->w->out->copy_of;
    for (size_t i = 0; i < j->sums.n && j->sum != GRAPH_NIL; i++)
        if (j->sums.p[i] != j->sum && j->sums.p[i] < j->w->nodes)
            copy[j->sums.p[i]] = j->sum;
    if (j->sum != GRAPH_NIL)
        copy[j->sum] = GRAPH_NIL;
}

void piece_end_at(struct joiner *j, struct field_set from, uint64_t way)
{
    for (unsigned i = 0; i < from.count; i++)
        from.v[i] = field_add(from.v[i], way);
    VEC_PUSH(j->w->a, j->ends, from);
}

bool piece_goes_on(struct joiner *j, const struct field_set *begin)
{
    for (size_t i = 0; i < j->ends.n; i++)
        if (field_sets_meet(&j->ends.p[i], begin))
            return true;
    return false;
}

bool piece_is_twin(const struct joiner *j, uint32_t unroll)
{
    for (size_t i = 0; i < j->c->pieces.n; i++)
        if (!j->c->pieces.p[i].straight && j->c->pieces.p[i].unroll == unroll)
            return true;
    return false;
}

bool piece_same_stride(struct joiner *j, graph_id element, uint32_t steps, const struct cycle_region *r)
{
    struct field_set begin = cycle_value_of(j->w, element, r->loop, TURN_LAST);
    struct field_set after = cycle_value_of(j->w, element, r->loop, TURN_AFTER);
    uint64_t turn = field_mul(j->advance, steps);
    bool same = begin.count == after.count;
    for (unsigned k = 0; k < begin.count && same; k++)
        same = field_add(begin.v[k], turn) == after.v[k];
    return same;
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
        if (piece_goes_on(j, begin))
            return true;
    }
    j->until = insn;
    return false;
}

/* The second step of straight code (of the second turn, where each holds `inner` of them) stands near the first, yet
 * not one stride of the loop on: no two steps of it. What stands elsewhere may be another operand's element (x[k] *
 * x[k * n]), and a turn that leaves elements where they were (a tile that is filled anew) does not tell. */
static bool out_of_step(struct joiner *j, const struct cycle_run *run, const struct field_set *begin, uint32_t inner)
{
    enum { NEAR = 256 };
    bool near = false;
    if (run->at.n <= inner || run->at.p[inner] == GRAPH_NIL || j->advance == 0)
        return false;
    struct field_set at = cycle_value_of(j->w, run->at.p[inner], UINT32_MAX, TURN_FIRST);
    for (unsigned i = 0; i < begin->count; i++)
        for (unsigned k = 0; k < at.count; k++) {
            uint64_t way = field_add(at.v[k], field_neg(begin->v[i]));
            if (way == field_mul(j->advance, inner))
                return false;
            near |= way != 0 && (way <= NEAR || field_neg(way) <= NEAR);
        }
    return near;
}

/* What is done between two instances that others see: a bit of each space that is stored to, one where threads meet. */
static uint32_t effects_between(struct joiner *j, uint32_t first, uint32_t last)
{
    enum { MEET = 31 };
    const struct graph *g = j->w->g;
    uint32_t seen = 0;
    for (uint32_t i = first; i <= last && i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        const struct uop_list *l = g->input.insns[n->input].uops;
        for (uint32_t x = n->first_access; x < n->first_access + n->access_count && n->reachable; x++)
            if (g->accesses.p[x].kind != GRAPH_LOAD)
                seen |= UINT32_C(1) << (g->accesses.p[x].space % MEET);
        for (size_t u = 0; u < l->ops.n && n->reachable; u++)
            seen |= l->ops.p[u].kind == UOP_BAR ? UINT32_C(1) << MEET : 0;
        j->w->budget -= j->w->budget > 0;
    }
    return seen;
}

/* What may come to `id` through selects and joins, and those; the number of them. */
static unsigned list_ways(const struct joiner *j, graph_id id, graph_id *way, unsigned max)
{
    unsigned n = 0;
    if (id == GRAPH_NIL || id >= j->w->nodes)
        return 0;
    way[n++] = id;
    for (unsigned at = 0; at < n; at++) {
        const struct graph_node *x = graph_at(j->w->g, way[at]);
        const graph_id *args;
        uint32_t count = cycle_args(x, &args);
        if (x->kind != UOP_SELECT && (x->kind != GRAPH_PHI || graph_is_loop_phi(j->w->g, way[at])))
            continue;
        for (uint32_t k = x->kind == UOP_SELECT; k < count && n < max; k++) {
            bool known = false;
            for (unsigned i = 0; i < n && !known; i++)
                known = way[i] == args[k];
            if (!known)
                way[n++] = args[k];
        }
    }
    return n;
}

/* What comes to `x` may come from a loop of the same nest that is no piece of this one: it took the accumulator up with
 * another step, and what stands behind goes on with that one. */
static bool meets_another(const struct joiner *j, graph_id x)
{
    enum { WAYS = 24 };
    const struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    graph_id way[WAYS];
    unsigned n = list_ways(j, x, way, WAYS);
    for (unsigned i = 1; i < n; i++) {
        uint32_t loop = graph_is_loop_phi(g, way[i]) ? (uint32_t)graph_at(g, way[i])->imm : 0;
        uint32_t made = loop || flows(j, way[i]) ? UINT32_MAX : cycle_maker(w, way[i], UINT32_MAX);
        loop = made == UINT32_MAX ? loop : g->blocks.p[g->insns.p[made].block].loop;
        if (flows(j, way[i]) || !loop || g->loops.p[loop - 1].parent != g->loops.p[j->r->loop].parent ||
            w->regions[loop - 1].cycle == j->r->cycle)
            continue;
        for (uint32_t k = 0; k < w->regions[loop - 1].phi_count; k++)
            if (flows(j, w->regions[loop - 1].phis[k].start))
                return true;
    }
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
    if (run.steps == 0 || run.steps % inner != 0 || !piece_place_run(j, &run, &piece) ||
        !run_goes_on(j, &run, UINT32_MAX, piece.first, &begin) || out_of_step(j, &run, &begin, inner))
        return false;
    if (j->effects & ~effects_between(j, piece.first, piece.last))
        return false; /* it takes up the sum, but does not do what each turn does: the last tile, behind its loop */
    piece.unroll = run.steps / inner;
    piece.makers = inner > 1 ? NULL : piece.makers;
    piece_add(j, piece, (struct part){chain, run.begin, run.end});
    for (size_t i = 0; i < run.outs.n; i++)
        j->w->claimed[run.outs.p[i]] = true;
    for (size_t i = 0; i + 1 < run.outs.n; i++) /* a guarded step is a select too: no place where paths meet */
        j->w->between[run.outs.p[i]] = true;
    piece_note_copies(j, &run);
    note_sums(j, &run, 0);
    if (begin.count)
        piece_end_at(j, begin, field_mul(j->advance, run.steps));
    flow_from(j, run.out);
    return true;
}

static bool try_loop(struct joiner *j, uint32_t chain, struct cycle_region *r)
{
    for (uint32_t i = 0; i < r->chains.n; i++) {
        const struct cycle_chain *c = &r->chains.p[i];
        graph_id start = r->phis[c->phi].start;
        bool flat = j->r->chains.p[chain].flat; /* one term beside the old value is a sum too */
        unsigned half = half_of(j, r, c);
        if ((c->flat && !flat) || (flat && !c->flat && c->count != 1) || (half && j->half && half != j->half) ||
            start == GRAPH_NIL || !flows(j, start))
            continue;
        struct cycle_run run =
            flat ? cycle_gather(j->w, j->r, chain, c->in, c->out) : cycle_follow(j->w, j->r, chain, c->in, c->out);
        struct field_set begin = {0};
        if (run.steps == 0 || run.out != c->out ||
            !run_goes_on(j, &run, r->loop, j->w->g->loops.p[r->loop].first, &begin))
            continue;
        if (begin.count && !piece_same_stride(j, run.element, run.steps, r)) {
            j->apart = r->loop + 1;
            continue;
        }
        uint32_t inner = j->r->chains.p[chain].inner ? j->r->chains.p[chain].inner : 1;
        if (run.steps % inner != 0)
            continue;
        if (r->cycle < 0 && piece_is_twin(j, run.steps / inner)) {
            j->until = j->w->g->loops.p[r->loop].first;
            continue;
        }
        piece_add_loop(j, r, run.steps / inner);
        piece_note_copies(j, &run);
        note_sums(j, &run, run.steps);
        if (begin.count) /* the first element, a turn after the last */
            piece_end_at(j, begin, field_mul(field_mul(j->advance, run.steps), field_add(cycle_turns(j->w, r), 1)));
        flow_from(j, c->out);
        if (r->tests_first)
            flow_from(j, c->in);
        return true;
    }
    return false;
}

/* The last block that makes something of a run, between two blocks; UINT32_MAX: none. */
static uint32_t last_maker(const struct joiner *j, const struct cycle_run *run, uint32_t parts, uint32_t meets)
{
    const struct graph *g = j->w->g;
    uint32_t last = UINT32_MAX;
    for (size_t i = 1; i < run->pairs.n; i += 2) {
        uint32_t at = cycle_maker(j->w, run->pairs.p[i], UINT32_MAX);
        uint32_t block = at == UINT32_MAX ? UINT32_MAX : g->insns.p[at].block;
        if (block == UINT32_MAX || block >= meets)
            continue;
        if (block > parts && g->blocks.p[block].loop == g->blocks.p[parts].loop && (last == UINT32_MAX || block > last))
            last = block;
    }
    return last;
}

/* Steps that a compiler took out before the loop, on a condition of their own: the accumulator begins with what they
 * leave or with what they began with, and so do the elements. */
static void join_before(struct joiner *j, uint32_t chain, const struct field_set *first)
{
    enum { WAYS = 24, LEVELS = 4 };
    struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    const struct cycle_chain *c = &j->r->chains.p[chain];
    graph_id way[WAYS];
    unsigned n = first->count > 1 ? list_ways(j, j->r->phis[c->phi].start, way, WAYS) : 0;
    struct cycle_run most = {0};
    for (unsigned i = 1; i < n; i++) { /* the way with the most steps: each may have a condition */
        struct cycle_run run = {.in = way[i]};
        while (run.steps + 1 < j->r->unroll && cycle_step_back(w, j->r, chain, run.in, &run)) {
            bool begins = false;
            for (unsigned k = 0; k < n && !begins; k++)
                begins = way[k] == run.in;
            if (begins && run.steps > most.steps)
                most = run;
        }
    }
    struct field_set at = {0}, behind;
    if (most.steps)
        at = cycle_value_of(w, most.element, UINT32_MAX, TURN_FIRST);
    behind = at;
    for (unsigned k = 0; k < behind.count; k++)
        behind.v[k] = field_add(behind.v[k], field_mul(j->advance, most.steps));
    if (!field_sets_meet(first, &at) || !field_sets_meet(first, &behind))
        return;
    uint32_t meets = g->loops.p[j->r->loop].header, parent = g->loops.p[j->r->loop].parent;
    for (unsigned level = 0; level < LEVELS; level++) {
        uint32_t parts = g->blocks.p[meets].idom;
        if (parts == UINT32_MAX || parts >= meets || g->blocks.p[parts].loop != parent)
            return;
        uint32_t last = last_maker(j, &most, parts, meets);
        struct graph_piece piece;
        if (last != UINT32_MAX && piece_between(j, parts, last, most.steps, &piece)) {
            piece.makers = piece_makers_of(j, &most);
            piece.maker_count = most.steps;
            piece_add(j, piece, (struct part){.chain = UINT32_MAX});
            piece_note_copies(j, &most);
            j->begins[chain] = most.in;
            return;
        }
        meets = parts;
    }
}

/* Pieces along one chain of the first loop. */
static void join_chain(struct joiner *j, uint32_t chain)
{
    struct cycle_work *w = j->w;
    struct cycle_region *r = j->r;
    const struct cycle_chain *c = &r->chains.p[chain];
    bool told = c->flat && put_first(j, chain);
    struct cycle_run own =
        c->flat ? cycle_gather(w, r, chain, c->in, c->out) : cycle_follow(w, r, chain, c->in, c->out);
    j->flow.n = 0;
    j->half = half_of(j, r, c);
    j->token = ++w->flow_token;
    flow_from(j, c->out);
    if (r->tests_first)
        flow_from(j, c->in);
    if (own.steps == 0 || own.out != c->out) {
        r->peeled |= piece_begins_with_operation(j, c);
        return;
    }
    piece_note_copies(j, &own);
    j->sums.n = j->sum_steps = 0;
    j->sum = GRAPH_NIL;
    if (own.steps == r->unroll) /* else a turn is seen as one step */
        note_sums(j, &own, told ? 1 : own.steps);
    struct field_set begins = {0};
    j->moves = own.element != GRAPH_NIL;
    j->ends.n = 0;
    if (j->moves) {
        struct field_set begin = cycle_value_of(w, own.element, r->loop, TURN_LAST);
        struct field_set after = cycle_value_of(w, own.element, r->loop, TURN_AFTER);
        if (begin.count != after.count || begin.count == 0) {
            r->peeled |= piece_begins_with_operation(j, c);
            return;
        }
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
        r->peeled |= piece_begins_with_elements(j, r->phis[c->phi].start, &first) || piece_begins_with_step(j, chain);
        begins = first;
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
        if (w->budget > 0 && !w->between[j->flow.p[at]] && !meets_another(j, j->flow.p[at]))
            try_straight(j, chain, j->flow.p[at]);
    }
    if (r->unroll > 1 && !c->flat && w->budget > 0)
        join_before(j, chain, &begins);
    if (c->flat && own.steps == r->unroll)
        join_sums(j);
}

void piece_join_along(struct joiner *j, struct cycle_region *r)
{
    struct joiner own = *j;
    own.r = r;
    own.until = UINT32_MAX;
    for (uint32_t i = 0; i < r->chains.n && i < CYCLE_CHAINS_MAX; i++)
        join_chain(&own, i);
    j->parts = own.parts;
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

bool cycle_new_fold(struct arena *a, uint32_t cycle, unsigned count, struct graph_fold *out)
{
    graph_id *list = ARENA_ARRAY(a, graph_id, 5 * (size_t)count);
    *out = (struct graph_fold){.cycle = cycle, .count = count};
    if (!list)
        return false;
    out->phi = list;
    out->start = list + count;
    out->result = list + 2 * (size_t)count;
    out->in = list + 3 * (size_t)count;
    out->out = list + 4 * (size_t)count;
    return true;
}

static void make_folds(struct joiner *j)
{
    struct cycle_work *w = j->w;
    const struct graph_cycle *c = j->c;
    const struct graph_piece *best = &c->pieces.p[c->best];
    struct cycle_region *r = best->loop == UINT32_MAX ? j->r : &w->regions[best->loop];
    uint32_t n = (uint32_t)r->chains.n;
    uint32_t *first = ARENA_ARRAY(w->a, uint32_t, n + 1), *next = ARENA_ARRAY(w->a, uint32_t, n + 1);
    uint32_t *last = ARENA_ARRAY(w->a, uint32_t, n + 1), *members = ARENA_ARRAY(w->a, uint32_t, n + 1);
    if (!first || !next || !last || !members)
        return;
    for (uint32_t k = 0; k < n; k++) { /* a group is a list: chain + 1, in order */
        uint32_t group = r->chains.p[k].group;
        if (members[group]++)
            next[last[group]] = k + 1;
        else
            first[group] = k + 1;
        last[group] = k;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct graph_fold fold;
        uint32_t group = r->chains.p[i].group;
        if (first[group] != i + 1)
            continue;
        if (!cycle_new_fold(w->a, (uint32_t)j->r->cycle, members[group], &fold))
            return;
        unsigned at = 0;
        for (uint32_t k = i; k < n; k = next[k] - 1, at++) { /* behind the last: UINT32_MAX */
            const struct cycle_chain *x = &r->chains.p[k];
            fold.phi[at] = r->phis[x->phi].phi;
            uint32_t from = r == j->r ? k : chain_before(j, r->phis[x->phi].start, 0);
            if (from == UINT32_MAX)
                from = k; /* in the order of the registers */
            fold.start[at] = from < j->r->chains.n ? j->r->phis[j->r->chains.p[from].phi].start : GRAPH_NIL;
            if (from < CYCLE_CHAINS_MAX && j->begins[from] != GRAPH_NIL)
                fold.start[at] = j->begins[from];
            fold.in[at] = x->in;
            fold.out[at] = x->flat ? x->out : x->cut[x->period ? x->period : x->count];
            fold.reassociated |= x->flat && x->count > 1;
            fold.result[at] = x->out;
        }
        VEC_PUSH(w->a, w->out->folds, fold);
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
    for (uint32_t i = 0; i < r->block_count && r->chains.n > 0; i++)
        j.effects |= effects_between(&j, w->g->blocks.p[r->blocks[i]].first, w->g->blocks.p[r->blocks[i]].last);
    for (uint32_t i = 0; i < r->chains.n && i < CYCLE_CHAINS_MAX; i++)
        join_chain(&j, i);
    if (r->chains.n == 0)
        piece_join_stores(&j);
    piece_join_counters(&j);
    piece_count_copies(&j);
    piece_join_stretches(&j);
    piece_part_stretches(&j);
    sort_pieces(c);
    make_folds(&j);
}
