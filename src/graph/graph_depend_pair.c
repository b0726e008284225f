/* A pair of accesses of one object: which thread's store the load reads (a reach), and whether another thread may come
 * in between (a race). The bits that arrived at the later access say how strong a sync stands on the weakest way, and
 * whether the earlier one is of the same turn of its loops: values of another turn stand for themselves one turn later
 * or earlier, or for nothing.
 * requires: bits of the source at work, objects · gives: graph_relate */
#include "graph/graph_depend_internal.h"
#include "graph/graph_internal.h"

#include <string.h>

/* Whether two accesses can be about the same memory. */
enum { OBJECTS_APART, OBJECTS_MAY, OBJECTS_SAME };
static unsigned same_object(const struct finder *f, uint32_t a, uint32_t b)
{
    const struct graph_object *x = &f->out->objects.p[f->object[a]], *y = &f->out->objects.p[f->object[b]];
    bool local = f->g->accesses.p[a].may_be_local || f->g->accesses.p[b].may_be_local;
    if (x->space != y->space && local)
        return OBJECTS_MAY;
    if (x->space != y->space)
        return (x->space == UOP_GENERIC && y->space != UOP_LOCAL) || (y->space == UOP_GENERIC && x->space != UOP_LOCAL)
                   ? OBJECTS_MAY
                   : OBJECTS_APART;
    if (f->object[a] == f->object[b])
        return OBJECTS_SAME;
    if (x->roams || y->roams) /* between two arrays, if they are two */
        return x->from == y->from && x->to == y->to ? OBJECTS_SAME : OBJECTS_MAY;
    if (!x->known || !y->known)
        return x->space == UOP_SHARED ? OBJECTS_SAME : OBJECTS_MAY;
    return x->space == UOP_GLOBAL ? OBJECTS_MAY : OBJECTS_APART;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Values of the store's side in `id` that are not the load's turn's. */
static bool foreign(struct finder *f, uint32_t store, uint32_t load, graph_id id)
{
    const struct graph *g = f->g;
    uint32_t at = block_of(f, load);
    for (uint32_t l = g->blocks.p[block_of(f, store)].loop; l; l = g->loops.p[l - 1].parent)
        if (!graph_in_loop(g, at, l) && graph_turns_with(f->g, id, l))
            return true;
    return false;
}

unsigned graph_weakest(uint64_t bits)
{
    uint64_t all = (bits | bits >> WAY | bits >> 2 * WAY) & WAY_BITS(0);
    for (unsigned s = 0; s < STRENGTHS; s++)
        if (all >> (4 * s) & 15)
            return s;
    return SYNC_BLOCK;
}

/* The highest level in the bits: the outermost loop whose back edge was crossed. */
static unsigned highest(uint64_t bits)
{
    for (unsigned k = LEVELS; k-- > 0;)
        if (bits & levels_below(k + 1) & ~levels_below(k))
            return k;
    return 0;
}

/* The pair in one turn's difference: the later side one turn of `loop` on. False: not expressible. */
static bool next_turn(struct finder *f, struct graph_side *later, uint32_t loop)
{
    struct graph *g = f->g;
    later->address = graph_next_turn(g, later->address, loop);
    graph_id when = later->when;
    if (when != GRAPH_NIL && (when = graph_next_turn(g, when, loop)) == GRAPH_NIL)
        return false;
    later->when = when;
    return later->address != GRAPH_NIL;
}

/* Every turn of the loop passes a barrier of the block. */
static bool turns_are_parted(struct finder *f, uint32_t loop)
{
    const struct graph *g = f->g;
    uint32_t head = 0, tail = 0, header = g->loops.p[loop - 1].header;
    if (f->parted[loop - 1])
        return f->parted[loop - 1] == 1;
    bool round = false;
    f->now++;
    f->stamp[header] = f->now;
    f->queue[tail++ % (g->blocks.n + 1)] = header;
    while (head != tail && !round) {
        uint32_t b = f->queue[head++ % (g->blocks.n + 1)];
        bool stopped = false;
        for (uint32_t e = f->first_event[b]; e < f->first_event[b + 1] && !stopped; e++)
            stopped = f->events.p[e].kind == EVENT_SYNC && f->syncs[f->events.p[e].insn] == SYNC_BLOCK;
        f->flow_work--;
        for (uint32_t k = 0; k < g->blocks.p[b].succ_count && !stopped; k++) {
            uint32_t to = g->blocks.p[b].succs[k];
            round |= to == header;
            if (f->stamp[to] == f->now || !graph_in_loop(g, to, loop))
                continue;
            f->stamp[to] = f->now;
            f->queue[tail++ % (g->blocks.n + 1)] = to;
        }
    }
    f->parted[loop - 1] = round ? 2 : 1;
    return !round;
}

/* Phis of a block, in order; solving makes none. GRAPH_NIL: there is none (or no memory). */
static graph_id first_phi(struct finder *f, uint32_t block)
{
    const struct graph *g = f->g;
    if (!f->first_phi) {
        f->first_phi = ARENA_ARRAY(f->a, graph_id, g->blocks.n + 1);
        f->next_phi = ARENA_ARRAY(f->a, graph_id, g->nodes.n + 1);
        for (graph_id id = (graph_id)g->nodes.n; id-- > 1 && !arena_failed(f->a);) {
            const struct graph_node *n = graph_at(g, id);
            if (n->kind != GRAPH_PHI || n->block >= g->blocks.n)
                continue;
            f->next_phi[id] = f->first_phi[n->block];
            f->first_phi[n->block] = id;
        }
    }
    return arena_failed(f->a) ? (graph_id)GRAPH_NIL : f->first_phi[block];
}

/* Reached without a barrier from outside its loop, each turn of which passes one: it is the first turn. */
static void in_first_turn(struct finder *f, struct graph_side *side, uint32_t at, uint32_t from)
{
    struct graph *g = f->g;
    for (uint32_t l = g->blocks.p[at].loop; l; l = g->loops.p[l - 1].parent) {
        if (graph_in_loop(g, from, l) || !turns_are_parted(f, l))
            continue;
        const struct graph_block *b = &g->blocks.p[g->loops.p[l - 1].header];
        for (graph_id phi = first_phi(f, g->loops.p[l - 1].header); phi != GRAPH_NIL; phi = f->next_phi[phi]) {
            const struct graph_node n = *graph_at(g, phi);
            graph_id start = GRAPH_NIL;
            bool one = n.type != UOP_B1 && n.phi_count == b->pred_count && uop_type_bits((enum uop_type)n.type) == 32 &&
                       graph_block_uniform(g, phi);
            for (uint32_t k = 0; k < n.phi_count && one; k++) {
                if (graph_in_loop(g, b->preds[k], l))
                    continue;
                one = start == GRAPH_NIL || start == n.phi_args[k];
                start = n.phi_args[k];
            }
            if (one && start != GRAPH_NIL && start != phi)
                side->when = graph_and(g, side->when, graph_op2(g, UOP_IEQ, UOP_B1, phi, start));
        }
    }
}

/* A store of a loop that is over, as it was in the first turn: control has come round the loop and out of it with no
 * barrier (so say the bits), so that store is as near to the reader as the last one. */
static bool was_first_turn(struct finder *f, const struct source *s, uint32_t reader, uint64_t bits,
                           struct graph_side *store)
{
    struct graph *g = f->g;
    unsigned out = 0;
    while (out < s->depth && !graph_in_loop(g, block_of(f, reader), s->nest[out]))
        out++;
    uint64_t round = bits & levels_below(out + 1) & ~levels_below(out);
    if (!out || out + 1 >= LEVELS || graph_weakest(round) >= SYNC_LANES)
        return false;
    for (unsigned k = 0; k < out; k++) {
        store->address = graph_first_turn(g, store->address, s->nest[k]);
        if (store->address == GRAPH_NIL)
            return false;
        if (store->when != GRAPH_NIL && (store->when = graph_first_turn(g, store->when, s->nest[k])) == GRAPH_NIL)
            return false;
    }
    return !foreign(f, s->access, reader, store->address) && !foreign(f, s->access, reader, store->when);
}

/* What holds at the end of a turn that is followed by another one, of what all threads share. */
static graph_id goes_on(struct finder *f, uint32_t loop)
{
    unsigned ways;
    graph_id when = graph_ways_back(f->g, loop - 1, &ways);
    return ways == 1 ? graph_uniform_part(f->g, when) : GRAPH_NIL;
}

static bool same_value(struct finder *f, const struct graph_access *a, const struct graph_access *b)
{
    return a->kind == GRAPH_STORE && b->kind == GRAPH_STORE && a->value[0] == b->value[0] &&
           graph_block_uniform(f->g, a->value[0]);
}

static bool race_seen(const struct finder *f, uint32_t first, uint32_t second)
{
    for (size_t i = f->out->races.n; i-- > 0;)
        if (f->out->races.p[i].first == first && f->out->races.p[i].second == second)
            return true;
    return false;
}

static void keep_doubt(struct finder *f, uint32_t first, uint32_t second)
{
    const struct graph_race *last = f->out->doubts.n ? &f->out->doubts.p[f->out->doubts.n - 1] : NULL;
    if ((last && last->first == first && last->second == second) || f->out->doubts.n >= REACHES_MAX)
        return;
    VEC_PUSH(f->a, f->out->doubts, (struct graph_race){.first = first, .second = second, .assumed = true});
}

/* Whatever turn it is, that thread makes the store when the block comes to it. */
static bool surely_made(struct finder *f, const struct graph_side *store, const struct graph_side *load,
                        const graph_id thread[3])
{
    graph_id when = store->when == GRAPH_NIL ? GRAPH_NIL : graph_substitute_thread(f->g, store->when, thread);
    return store->when == GRAPH_NIL ||
           (when != GRAPH_NIL &&
            graph_excluded(f->g, graph_and(f->g, load->when, graph_uniform_part(f->g, store->when)),
                           graph_not(f->g, when), NULL));
}

/* The program says that others touch the word meanwhile. An update says nothing of a plain store beside it. */
static bool is_ordered(const struct graph_access *x)
{
    return x->kind != GRAPH_ATOMIC && x->order >= UOP_RELAXED_CTA;
}

/* Whether the thread is the one that its warp chose among the lanes that run. */
static bool is_election(const struct graph *g, graph_id id, unsigned depth, bool *lane, bool *running)
{
    const struct graph_node *n = graph_at(g, id);
    uint64_t bit;
    *lane |= n->kind == UOP_SREG && n->imm == UOP_SR_LANEID;
    if (n->kind == UOP_BALLOT) {
        *running |= graph_is_const(g, n->arg[0], &bit) && bit;
        return true;
    }
    for (unsigned i = 0; i < n->arg_count; i++)
        if (depth > 6 || !is_election(g, n->arg[i], depth + 1, lane, running))
            return false;
    return n->kind == UOP_CONST || n->kind == UOP_SREG || n->arg_count;
}

/* An update by the one lane that its warp chose: some thread of every warp that comes there makes it, so which one is
 * no condition; nor is that all lanes of the warp run. *chosen: it was there. */
static graph_id by_any_lane(struct graph *g, const struct graph_access *x, graph_id when, bool *chosen)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (x->kind != GRAPH_ATOMIC || when == GRAPH_NIL || !graph_table(g, when, atoms, &count, &table))
        return when;
    for (unsigned i = 0; i < count; i++) {
        bool lane = false, running = false;
        if (graph_at(g, atoms[i])->kind != UOP_IEQ || !is_election(g, atoms[i], 0, &lane, &running) || !running)
            continue;
        graph_id if_so = graph_assume(g, when, atoms[i]), if_not = graph_assume(g, when, graph_not(g, atoms[i]));
        uint64_t never;
        if (!lane && graph_is_const(g, if_so, &never) && !never)
            continue; /* only where a warp is not whole */
        *chosen = true;
        when = lane ? graph_or(g, if_so, if_not) : if_so;
    }
    return when;
}

static bool adds(const struct graph *g, const struct graph_access *x)
{
    const struct uop_list *l = g->input.insns[g->insns.p[x->insn].input].uops;
    uint64_t by;
    if (x->kind != GRAPH_ATOMIC || x->value[0] == GRAPH_NIL || (graph_is_const(g, x->value[0], &by) && !by))
        return false;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_ATOM || l->ops.p[i].kind == UOP_RED)
            return l->ops.p[i].imm == UOP_ATOM_ADD;
    return false;
}

/* All threads of the block add to one word and read it afterwards: what others add still comes, or has come already.
 * Of other updates the thread's own one may have said all that the others' can. A block of one warp may be in order. */
static bool adds_of_all(struct finder *f, const struct graph_access *x, const struct graph_side *store,
                        const struct graph_side *load, const struct graph_solution *u, bool in_warp, bool *sized)
{
    enum { WARP_SIZE = 32 };
    struct graph *g = f->g;
    const struct graph_facts *facts = graph_facts_of(g);
    struct graph_linear to, from;
    int64_t apart;
    uint64_t threads = 1; /* at most */
    for (unsigned d = 0; d < 3 && facts; d++) {
        struct graph_range own = {0};
        if (facts->reads[d])
            graph_range_of(g, graph_sreg(g, UOP_SR_TID_X + d), &own);
        threads *= (uint64_t)own.hi + 1;
    }
    bool guards = store->when == GRAPH_NIL ||
                  (graph_block_uniform(g, store->when) && (load->when == store->when || load->when == GRAPH_NIL));
    guards &= load->when == GRAPH_NIL || graph_block_uniform(g, load->when);
    if (!facts || u->answer != SOLVE_THREAD || !guards || !adds(g, x) || u->thread[0] != GRAPH_NIL ||
        threads <= WARP_SIZE || !(facts->reads[0] || facts->reads[1] || facts->reads[2]) ||
        !graph_block_uniform(g, store->address) || !graph_block_uniform(g, load->address) ||
        !graph_address_form(g, store, &to) || !graph_address_form(g, load, &from) ||
        !graph_linear_add(&to, &from, -1) || !graph_linear_is_const(&to, &apart) || apart)
        return false;
    for (unsigned d = 1; d < 3; d++)
        if (u->thread[d] != GRAPH_NIL && (facts->reads[d] || u->thread[d] != graph_sreg(g, UOP_SR_TID_X + d)))
            return false;
    *sized |= in_warp;
    return true;
}

/* `first` may be overtaken by `second` of another thread: no barrier between them on some way. */
static bool find_race(struct finder *f, const struct source *s, uint32_t second, uint64_t bits, int32_t delta)
{
    const struct graph_access *x = access_at(f, s->access), *y = access_at(f, second);
    bool x_stores = x->kind != GRAPH_LOAD, y_stores = y->kind != GRAPH_LOAD;
    if ((!x_stores && !y_stores) || (x->kind == GRAPH_ATOMIC && y->kind == GRAPH_ATOMIC) || x->space == UOP_LOCAL ||
        y->space == UOP_LOCAL || same_value(f, x, y) || is_ordered(x) || is_ordered(y))
        return false;
    bool from_store = x_stores && (!y_stores || x->kind == GRAPH_STORE); /* whose thread is u: the first one's */
    uint32_t store = from_store ? s->access : second, load = from_store ? second : s->access;
    for (unsigned turn = 0; turn < 2; turn++) { /* within one turn; to another one */
        uint64_t part = turn ? bits & ~levels_below(1) : bits & levels_below(1);
        unsigned strength = graph_weakest(part);
        if (!part || strength >= SYNC_MAYBE)
            continue;
        bool past = graph_went_past(f, second, turn ? ~levels_below(1) : levels_below(1), part);
        if (past && graph_reader_waits(f, second))
            continue;
        struct graph_side a = graph_side_of(access_at(f, store)), b = graph_side_of(access_at(f, load));
        unsigned level = turn ? highest(part) : 0;
        uint32_t loop = level ? s->nest[level - 1] : 0;
        struct graph_solution u;
        bool earlier = foreign(f, store, load, a.when); /* a guard of the last turn of a loop that is over */
        bool over = turn && from_store && !past && (earlier || foreign(f, store, load, a.address)) &&
                    was_first_turn(f, s, second, part, &a);
        if (over) {
            earlier = false;
            loop = 0;
        } else if (foreign(f, store, load, a.address) ||
                   (earlier &&
                    (!from_store || turn || foreign(f, store, load, b.address) || foreign(f, store, load, b.when)))) {
            keep_doubt(f, s->access, second);
            continue;
        }
        if (!turn || over)
            in_first_turn(f, from_store ? &b : &a, block_of(f, second), block_of(f, s->access));
        graph_id more = loop ? goes_on(f, loop) : GRAPH_NIL;
        if (past) {
            graph_id none = level <= 1 ? graph_no_barrier(f, s, second, loop) : GRAPH_NIL;
            if (none == GRAPH_NIL) {
                keep_doubt(f, s->access, second);
                continue;
            }
            more = graph_and(f->g, more, none);
        }
        if (loop && (graph_turns_with(f->g, a.address, loop) || graph_turns_with(f->g, a.when, loop)) &&
            !next_turn(f, from_store ? &b : &a, loop)) {
            keep_doubt(f, s->access, second);
            continue;
        }
        bool chosen = false;
        a.when = by_any_lane(f->g, access_at(f, store), a.when, &chosen);
        b.when = by_any_lane(f->g, access_at(f, load), b.when, &chosen);
        a.when = graph_and(f->g, a.when, more); /* all threads share it */
        b.when = graph_and(f->g, b.when, more);
        f->solve_work--;
        graph_solve(f->g, &a, &b, delta, &u);
        if (u.answer == SOLVE_NEVER || u.who == THREAD_SAME || (u.in_warp && strength >= SYNC_WARP))
            continue;
        if (!graph_way_is_open(f, s, second))
            continue;
        bool sized = chosen, several = u.thread[0] == GRAPH_NIL || u.thread[1] == GRAPH_NIL || u.thread[2] == GRAPH_NIL;
        bool all = !turn && !past && !earlier && !delta && y->kind == GRAPH_LOAD && x->width == y->width &&
                   adds_of_all(f, x, &a, &b, &u, chosen || strength >= SYNC_LANES, &sized);
        if (u.answer != SOLVE_THREAD || u.may || !u.known || (!u.guards_linear && !all) || f->unordered ||
            (several && !all) || (u.in_warp && strength == SYNC_LANES) ||
            (!all && u.who != THREAD_OTHER && u.who != THREAD_VARIES && !graph_at_distance(f->g, &b, u.thread)) ||
            (earlier && !surely_made(f, &a, &b, u.thread)) ||
            (!all && graph_hangs_on_block(f, &a, &b, delta, load, store, u.thread[0], &sized))) {
            keep_doubt(f, s->access, second); /* several threads may write the same, or there is none */
            continue;
        }
        if (!all && !graph_way_is_open_to(f, s, second, u.thread))
            continue;
        f->race_sized = sized;
        f->race_launch = all ? (graph_id)GRAPH_NIL : graph_launch_for(f->g, b.when, a.when, u.thread);
        if (!race_seen(f, s->access, second)) {
            struct graph_race r = {.first = s->access, .second = second, .assumed = u.in_warp, .sized = sized};
            r.launch = f->race_launch;
            memcpy(r.thread, u.thread, sizeof r.thread);
            VEC_PUSH(f->a, f->out->races, r);
        }
        return !u.in_warp;
    }
    return false;
}

static void keep_reach(struct finder *f, const struct source *s, struct graph_reach r)
{
    if (f->reaches.n >= REACHES_MAX) {
        graph_give_up(f);
        return;
    }
    if (f->parting.n) {
        uint32_t *list = ARENA_ARRAY(f->a, uint32_t, f->parting.n);
        if (!list)
            return;
        memcpy(list, f->parting.p, f->parting.n * sizeof list[0]);
        r.barriers = list;
        r.barrier_count = (uint32_t)f->parting.n;
    }
    r.store = s->access;
    VEC_PUSH(f->a, f->reaches, r);
}

static void find_reach(struct finder *f, const struct source *s, uint32_t load, uint64_t bits, int32_t delta, bool race)
{
    struct graph *g = f->g;
    const struct graph_access *x = access_at(f, s->access), *y = access_at(f, load);
    struct graph_side a = graph_side_of(x), b = graph_side_of(y);
    struct graph_solution u;
    struct graph_reach r = {.load = load, .element = delta, .sync = GRAPH_SYNC_UNKNOWN};
    if (graph_frame_apart(g, x, y))
        return;
    unsigned level = highest(bits), strength = graph_weakest(bits);
    bool lost = foreign(f, s->access, load, a.address) || (level && level >= s->stale_address);
    if (lost) {
        a.address = GRAPH_NIL;
        if (!(bits & ~levels_below(1)) || foreign(f, s->access, load, x->address)) {
            ;
        } else if (bits & levels_below(1)) { /* within the turn it is known */
            find_reach(f, s, load, bits & levels_below(1), delta, race);
        }
    }
    if (foreign(f, s->access, load, a.when) || (level && level >= s->stale_when))
        a.when = GRAPH_NIL;
    f->solve_work--;
    if (lost)
        u = (struct graph_solution){.answer = SOLVE_UNKNOWN, .may = true, .who = THREAD_UNDECIDED};
    else if (x->space == UOP_LOCAL)
        graph_solve_own(g, &a, &b, delta, &u);
    else
        graph_solve_block(g, &a, &b, delta, &u);
    bool elsewhere =
        !lost && x->space == UOP_GLOBAL && y->space == UOP_GLOBAL && u.known && !u.in_warp && u.who != THREAD_SAME;
    unsigned same_block = elsewhere ? graph_in_block(g, &a, &b, u.thread) : BLOCK_SAME;
    if (same_block == BLOCK_OTHER)
        u = (struct graph_solution){.answer = SOLVE_UNKNOWN, .may = true, .who = THREAD_UNDECIDED};
    if (u.answer == SOLVE_NEVER ||
        (y->from_store >= 0 && (uint32_t)y->from_store != s->access && (u.who == THREAD_SAME || x->space == UOP_LOCAL)))
        return; /* it reads another store of its own */
    r.may = u.may || u.answer == SOLVE_UNKNOWN;
    r.may |= same_block != BLOCK_SAME && u.who == THREAD_UNDECIDED; /* at a distance that may be as long as the array */
    r.guarded = r.may && u.guarded && u.answer == SOLVE_THREAD && same_block == BLOCK_SAME;
    r.assumed = u.assumed;
    if (x->space == UOP_LOCAL) {
        r.own = r.thread_known = true;
        for (unsigned d = 0; d < 3; d++)
            r.thread[d] = graph_sreg(g, UOP_SR_TID_X + d);
        r.sync = GRAPH_SYNC_OWN;
        f->parting.n = 0;
        keep_reach(f, s, r);
        return;
    }
    if (u.answer == SOLVE_THREAD) {
        r.thread_known = u.known;
        if (u.known)
            memcpy(r.thread, u.thread, sizeof r.thread);
        r.block = u.known ? u.need : 0;
        r.leaves = u.leaves;
        r.classes = u.classes;
        r.class_of = u.class_of;
        r.own = u.who == THREAD_SAME;
        for (unsigned d = 0; d < 3 && r.own && !u.known; d++)
            r.thread[d] = graph_sreg(g, UOP_SR_TID_X + d);
        r.thread_known |= r.own;
    }
    if (!r.own && !lost && graph_went_past(f, load, ~UINT64_C(0), bits)) {
        struct graph_solution v;
        graph_id none = level <= 1 ? graph_no_barrier(f, s, load, level ? s->nest[0] : 0) : GRAPH_NIL;
        struct graph_side early = graph_side_of(x), late = graph_side_of(y);
        if (graph_reader_waits(f, load)) {
            strength = SYNC_BLOCK;
        } else if (none != GRAPH_NIL && (!level || next_turn(f, &late, s->nest[0]))) {
            early.when = graph_and(g, early.when, none); /* both in values of the store's turn */
            graph_solve(g, &early, &late, delta, &v);
            if (v.answer == SOLVE_NEVER)
                strength = SYNC_BLOCK;
            u.in_warp = v.in_warp;
        }
    }
    if (!r.own && !lost && strength < SYNC_MAYBE && !race &&
        (!graph_way_is_open(f, s, load) || (u.known && !graph_way_is_open_to(f, s, load, u.thread))))
        strength = SYNC_BLOCK;
    if (r.own)
        r.sync = GRAPH_SYNC_OWN;
    else if (same_block != BLOCK_SAME)
        r.sync = race && strength < SYNC_MAYBE && same_block == BLOCK_OPEN ? GRAPH_SYNC_NONE : GRAPH_SYNC_UNKNOWN;
    else if (strength == SYNC_BLOCK)
        r.sync = GRAPH_SYNC_BARRIER;
    else if (u.in_warp && strength < SYNC_MAYBE && !r.may)
        r.sync = strength == SYNC_WARP    ? GRAPH_SYNC_WARP
                 : strength == SYNC_LANES ? GRAPH_SYNC_UNKNOWN
                                          : GRAPH_SYNC_WARP_ASSUMED;
    else if (race && strength < SYNC_MAYBE)
        r.sync = GRAPH_SYNC_NONE;
    if (f->async[s->access] || f->async[load])
        r.sync = GRAPH_SYNC_UNKNOWN; /* whether somebody waited for it is not looked at */
    if (r.sync == GRAPH_SYNC_NONE)
        r.launch = f->race_launch;
    r.assumed |= r.sync == GRAPH_SYNC_WARP_ASSUMED ||
                 (r.sync == GRAPH_SYNC_NONE && (f->race_sized || f->race_launch != GRAPH_NIL));
    const struct graph_object *o = &f->out->objects.p[f->object[load]];
    if (!r.own && x->space != UOP_SHARED)
        r.assumed = true; /* other blocks may store there too */
    if (!r.own && x->space == UOP_SHARED && o->known && (o->from > 0 || o->to != INT64_MAX))
        r.assumed = true; /* staying inside one array is */
    r.assumed |= x->space == UOP_SHARED && o->assumed;
    graph_find_parting(f, s, load);
    if (strength < SYNC_BLOCK)
        graph_drop_skipped(f);
    if (same_block != BLOCK_SAME) /* no barrier is another block's */
        f->parting.n = 0;
    keep_reach(f, s, r);
}

void graph_relate_elsewhere(struct finder *f, const struct source *s)
{
    const struct graph_access *x = access_at(f, s->access);
    if (x->kind == GRAPH_LOAD || x->space == UOP_LOCAL)
        return;
    f->parting.n = 0;
    for (uint32_t i = 0; i < f->g->accesses.n; i++) {
        const struct graph_access *y = access_at(f, i);
        if (y->kind == GRAPH_STORE || y->order == UOP_READONLY || !f->g->insns.p[y->insn].reachable ||
            f->at[f->event_of[i]] || same_object(f, s->access, i) != OBJECTS_SAME)
            continue;
        keep_reach(f, s, (struct graph_reach){.load = i, .may = true, .sync = GRAPH_SYNC_UNKNOWN, .assumed = true});
    }
    f->flow_work -= (int64_t)f->g->accesses.n / 8;
}

void graph_relate(struct finder *f, const struct source *s, uint32_t to, uint64_t bits)
{
    const struct graph_access *x = access_at(f, s->access), *y = access_at(f, to);
    unsigned objects = same_object(f, s->access, to);
    bool reads = y->kind == GRAPH_LOAD || y->kind == GRAPH_ATOMIC;
    if (objects == OBJECTS_APART || y->order == UOP_READONLY || x->order == UOP_READONLY ||
        (x->kind == GRAPH_LOAD && y->kind == GRAPH_LOAD))
        return;
    if (objects == OBJECTS_MAY) {
        if (x->space == UOP_SHARED && y->space == UOP_SHARED && graph_weakest(bits) < SYNC_MAYBE &&
            (x->kind != GRAPH_LOAD || y->kind != GRAPH_LOAD) && (x->kind != GRAPH_ATOMIC || y->kind != GRAPH_ATOMIC))
            keep_doubt(f, s->access, to);
        if (x->kind == GRAPH_LOAD || !reads)
            return;
        struct graph_reach r = {.load = to, .may = true, .sync = GRAPH_SYNC_UNKNOWN, .assumed = true};
        f->parting.n = 0;
        keep_reach(f, s, r);
        return;
    }
    int32_t step = x->width < y->width ? x->width : y->width;
    if (step <= 0)
        return;
    bool store_first = x->kind != GRAPH_LOAD;
    for (int32_t delta = store_first ? step - y->width : step - x->width; delta < (store_first ? x->width : y->width);
         delta += step) {
        if (graph_facts_of(f->g)->tries > TRIES_WORK)
            f->solve_work = 0;
        if (f->solve_work <= 0) {
            graph_give_up(f);
            return;
        }
        bool race = graph_weakest(bits) < SYNC_MAYBE && find_race(f, s, to, bits, delta);
        if (store_first && reads)
            find_reach(f, s, to, bits, delta, race);
    }
}
