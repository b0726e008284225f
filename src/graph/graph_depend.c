/* Memory dependence between threads. From each access a set of bits flows through the blocks: how strong a sync was
 * passed, back edges of which of the access's own loops were crossed (its address may then stand for another turn's),
 * and whose way it is: the storing thread's own, one on which a later store of the same word was passed that the
 * storing thread need not have made (forgotten at the next barrier, up to which the way has to be its own), or one
 * behind an exit that it may have taken. Where the bits arrive at an access of the same object, graph_solve says which
 * thread's it is. Work is counted; when it is spent, the result says that it is not complete.
 * requires: a built graph · gives: graph_find_dependence */
#include "graph/graph_depend_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4, STRENGTHS = 4, CLASSES = 3, OWN_WAY = 0, OVERWRITTEN = 1, ENDED = 2 };
enum { FLOW_WORK = 12000000, SOLVE_WORK = 60000 };
enum { EVENT_ACCESS, EVENT_SYNC };

#define WAY_BITS(way)             (UINT64_C(0xffff) << (16 * (way)))
#define BIT(way, strength, level) (UINT64_C(1) << (16 * (way) + 4 * (strength) + (level)))

struct event {
    uint8_t kind;
    uint32_t insn, access;
};

struct finder {
    struct arena *a;
    struct graph *g;
    struct graph_dependence *out;
    uint8_t *syncs;
    bool *dead_end;
    VEC(struct event) events;
    uint32_t *first_event; /* of each block, count + 1 */
    uint32_t *event_of;    /* of each access */
    uint32_t *object;      /* of each access */
    bool *ends;            /* of each block: some threads may end where it does */
    uint64_t *in, *at;     /* bits at blocks and events, of the source at work */
    uint32_t *queue;       /* blocks */
    bool *queued;
    uint32_t *stamp, now;  /* of blocks, for walks back */
    VEC(uint32_t) touched; /* blocks with bits */
    VEC(uint32_t) parting;
    VEC(struct graph_reach) reaches;
    int64_t flow_work, solve_work;
};

struct source {
    uint32_t access;
    uint32_t nest[LEVELS - 1]; /* loops + 1 that hold it, innermost first; the last stands for all further out */
    unsigned depth;
    unsigned stale_address, stale_when; /* from which level on; LEVELS: never */
};

static const struct graph_access *access_at(const struct finder *f, uint32_t i)
{
    return &f->g->accesses.p[i];
}

static uint32_t block_of(const struct finder *f, uint32_t access)
{
    return f->g->insns.p[access_at(f, access)->insn].block;
}

/* ---- preparation ----------------------------------------------------------------------------- */

static bool list_events(struct finder *f)
{
    struct graph *g = f->g;
    f->first_event = ARENA_ARRAY(f->a, uint32_t, g->blocks.n + 1);
    f->event_of = ARENA_ARRAY(f->a, uint32_t, g->accesses.n + 1);
    f->ends = ARENA_ARRAY(f->a, bool, g->blocks.n + 1);
    if (arena_failed(f->a))
        return false;
    for (uint32_t b = 0; b < g->blocks.n; b++) {
        const struct graph_block *block = &g->blocks.p[b];
        f->first_event[b] = (uint32_t)f->events.n;
        for (uint32_t i = block->first; i <= block->last && block->reachable; i++) {
            const struct graph_insn *insn = &g->insns.p[i];
            for (uint32_t k = 0; k < insn->access_count; k++) {
                f->event_of[insn->first_access + k] = (uint32_t)f->events.n;
                VEC_PUSH(f->a, f->events, (struct event){EVENT_ACCESS, i, insn->first_access + k});
            }
            if (f->syncs[i])
                VEC_PUSH(f->a, f->events, (struct event){EVENT_SYNC, i, 0});
        }
        if (block->branch == GRAPH_NIL || graph_block_uniform(g, block->branch))
            continue;
        f->ends[b] = block->succ_count == 1;
        for (uint32_t k = 0; k < block->succ_count; k++)
            f->ends[b] |= block->succ_count > 1 && f->dead_end[block->succs[k]];
    }
    f->first_event[g->blocks.n] = (uint32_t)f->events.n;
    return !arena_failed(f->a);
}

static unsigned stale_from(struct finder *f, const struct source *s, graph_id id)
{
    for (unsigned k = 0; k < s->depth; k++)
        if (graph_turns_with(f->g, id, s->nest[k]))
            return k + 1;
    return LEVELS;
}

static void make_source(struct finder *f, uint32_t access, struct source *s)
{
    const struct graph *g = f->g;
    *s = (struct source){.access = access};
    for (uint32_t l = g->blocks.p[block_of(f, access)].loop; l; l = g->loops.p[l - 1].parent)
        if (s->depth < LEVELS - 1)
            s->nest[s->depth++] = l;
        else
            s->nest[LEVELS - 2] = l;
    s->stale_address = stale_from(f, s, access_at(f, access)->address);
    s->stale_when = stale_from(f, s, access_at(f, access)->runs_when);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Whether two accesses can be about the same memory. */
enum { OBJECTS_APART, OBJECTS_MAY, OBJECTS_SAME };
static unsigned same_object(const struct finder *f, uint32_t a, uint32_t b)
{
    const struct graph_object *x = &f->out->objects.p[f->object[a]], *y = &f->out->objects.p[f->object[b]];
    if (x->space != y->space)
        return (x->space == UOP_GENERIC && y->space != UOP_LOCAL) || (y->space == UOP_GENERIC && x->space != UOP_LOCAL)
                   ? OBJECTS_MAY
                   : OBJECTS_APART;
    if (f->object[a] == f->object[b])
        return OBJECTS_SAME;
    if (!x->known || !y->known)
        return x->space == UOP_SHARED ? OBJECTS_SAME : OBJECTS_MAY;
    return x->space == UOP_GLOBAL ? OBJECTS_MAY : OBJECTS_APART;
}

/* ---- bits ------------------------------------------------------------------------------------ */

static uint64_t levels_below(unsigned level) /* mask over all ways and strengths */
{
    uint64_t nibble = level >= LEVELS ? 15 : (1u << level) - 1;
    return nibble * UINT64_C(0x111111111111);
}

static uint64_t pass_sync(uint64_t bits, unsigned strength)
{
    uint64_t out = 0;
    for (unsigned way = 0; way < CLASSES; way++) {
        if (way == OVERWRITTEN && strength == SYNC_BLOCK)
            continue;
        uint64_t mine = bits >> (16 * way) & 0xffff, low = mine & ((UINT64_C(1) << (4 * strength)) - 1);
        mine &= ~((UINT64_C(1) << (4 * strength)) - 1);
        for (unsigned s = 0; s < strength; s++)
            mine |= (low >> (4 * s) & 15) << (4 * strength);
        out |= mine << (16 * way);
    }
    return out;
}

/* The parts of a condition that are the same in all threads, as a condition. */
static graph_id uniform_part(struct graph *g, graph_id when)
{
    graph_id atoms[6], r = GRAPH_NIL;
    unsigned count;
    uint64_t table;
    if (when == GRAPH_NIL || !graph_table(g, when, atoms, &count, &table))
        return GRAPH_NIL;
    for (unsigned k = 0; k < count; k++) {
        bool one = false, zero = false;
        for (unsigned row = 0; row < 1u << count; row++)
            if (table >> row & 1) {
                one |= row >> k & 1;
                zero |= !(row >> k & 1);
            }
        if (one != zero && graph_block_uniform(g, atoms[k]))
            r = graph_and(g, r, one ? atoms[k] : graph_not(g, atoms[k]));
    }
    return r;
}

static bool same_address(struct finder *f, const struct graph_access *x, const struct graph_access *y)
{
    if (x->space != y->space)
        return false;
    if (x->address == y->address)
        return y->width >= x->width;
    struct graph_affine a, b;
    if (!graph_affine(f->g, x->address, &a) || !graph_affine(f->g, y->address, &b) || a.base != b.base ||
        a.term_count != b.term_count)
        return false;
    for (unsigned i = 0; i < a.term_count; i++)
        if (a.terms[i].term != b.terms[i].term || a.terms[i].coefficient != b.terms[i].coefficient ||
            a.terms[i].extend != b.terms[i].extend)
            return false;
    return b.offset <= a.offset && b.offset + y->width >= a.offset + x->width;
}

/* A later store of the same word by the same thread. */
static uint64_t overwrite(struct finder *f, const struct source *s, uint64_t bits, uint32_t by)
{
    struct graph *g = f->g;
    const struct graph_access *x = access_at(f, s->access), *y = access_at(f, by);
    if (y->kind != GRAPH_STORE || x->kind == GRAPH_LOAD || !same_address(f, x, y))
        return bits;
    const struct graph_insn *insn = &g->insns.p[y->insn];
    uint64_t same_turn = levels_below(s->stale_address), sure_turn = same_turn;
    if (by == s->access) { /* its own next turn */
        if (insn->guard != GRAPH_NIL && s->stale_when != LEVELS)
            return bits;
        return x->space == UOP_LOCAL ? bits & ~same_turn : bits & ~(same_turn & WAY_BITS(OWN_WAY));
    }
    if (insn->guard != GRAPH_NIL) { /* made on this way? */
        if (!graph_implies(g, x->runs_when, insn->guard))
            return bits;
        same_turn &= levels_below(s->stale_when);
    }
    if (x->space == UOP_LOCAL)
        return bits & ~same_turn;
    bool sure = y->runs_when == GRAPH_NIL || graph_block_uniform(g, y->runs_when);
    if (!sure && graph_implies(g, graph_and(g, x->runs_when, uniform_part(g, y->runs_when)), y->runs_when)) {
        sure = true;
        sure_turn &= levels_below(s->stale_when);
    }
    for (uint32_t l = g->blocks.p[insn->block].loop; l && sure; l = g->loops.p[l - 1].parent)
        if (g->loops.p[l - 1].apart && !graph_in_loop(g, block_of(f, s->access), l))
            sure = false;
    sure_turn &= same_turn;
    if (sure)
        bits &= ~sure_turn;
    uint64_t own = bits & WAY_BITS(OWN_WAY) & same_turn;
    return (bits & ~own) | own << (16 * OVERWRITTEN);
}

/* Through the events of a block from `from` on. */
static uint64_t through(struct finder *f, const struct source *s, uint64_t bits, uint32_t from, uint32_t to, bool keep)
{
    for (uint32_t e = from; e < to && bits; e++) {
        const struct event *v = &f->events.p[e];
        f->flow_work--;
        if (keep)
            f->at[e] |= bits;
        if (v->kind == EVENT_SYNC)
            bits = pass_sync(bits, f->syncs[v->insn]);
        else if (f->object[v->access] == f->object[s->access])
            bits = overwrite(f, s, bits, v->access);
    }
    return bits;
}

static uint64_t across(struct finder *f, const struct source *s, uint32_t from, uint32_t to, uint64_t bits)
{
    const struct graph *g = f->g;
    if (f->ends[from])
        bits |= (bits & WAY_BITS(OWN_WAY)) << (16 * ENDED);
    for (unsigned k = s->depth; k > 0; k--) {
        if (g->loops.p[s->nest[k - 1] - 1].header != to || !graph_in_loop(g, from, s->nest[k - 1]))
            continue;
        uint64_t low = levels_below(k), moved = 0;
        for (unsigned j = 0; j < k; j++)
            moved |= (bits & (levels_below(j + 1) & ~levels_below(j))) << (k - j);
        return (bits & ~low) | moved;
    }
    return bits;
}

static void enqueue(struct finder *f, uint32_t block, uint64_t bits, uint32_t *tail)
{
    if ((f->in[block] | bits) == f->in[block])
        return;
    if (!f->in[block])
        VEC_PUSH(f->a, f->touched, block);
    f->in[block] |= bits;
    if (!f->queued[block]) {
        f->queued[block] = true;
        f->queue[(*tail)++ % (f->g->blocks.n + 1)] = block;
    }
}

/* Fills `at` and `in`; false when the work is spent. */
static bool flow_from(struct finder *f, const struct source *s)
{
    const struct graph *g = f->g;
    uint32_t start = block_of(f, s->access), head = 0, tail = 0;
    bool load = access_at(f, s->access)->kind == GRAPH_LOAD;
    uint64_t care = load ? ~(UINT64_C(0xf000) * UINT64_C(0x100010001)) : ~UINT64_C(0); /* a read ends at a barrier */
    uint64_t bits =
        through(f, s, BIT(OWN_WAY, 0, 0), f->event_of[s->access] + 1, f->first_event[start + 1], true) & care;
    for (uint32_t k = 0; k < g->blocks.p[start].succ_count && bits; k++)
        enqueue(f, g->blocks.p[start].succs[k], across(f, s, start, g->blocks.p[start].succs[k], bits), &tail);
    while (head != tail && f->flow_work > 0) {
        uint32_t b = f->queue[head++ % (g->blocks.n + 1)];
        f->queued[b] = false;
        f->flow_work--;
        bits = through(f, s, f->in[b], f->first_event[b], f->first_event[b + 1], true) & care;
        for (uint32_t k = 0; k < g->blocks.p[b].succ_count && bits; k++)
            enqueue(f, g->blocks.p[b].succs[k], across(f, s, b, g->blocks.p[b].succs[k], bits), &tail);
    }
    while (head != tail)
        f->queued[f->queue[head++ % (g->blocks.n + 1)]] = false;
    return f->flow_work > 0 && !arena_failed(f->a);
}

static void forget(struct finder *f, const struct source *s)
{
    uint32_t start = block_of(f, s->access);
    for (uint32_t e = f->first_event[start]; e < f->first_event[start + 1]; e++)
        f->at[e] = 0;
    for (size_t i = 0; i < f->touched.n; i++) {
        uint32_t b = f->touched.p[i];
        f->in[b] = 0;
        for (uint32_t e = f->first_event[b]; e < f->first_event[b + 1]; e++)
            f->at[e] = 0;
    }
    f->touched.n = 0;
}

/* ---- what stands between --------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Barriers and warp syncs on ways from the source to `to`, over blocks the source's bits have reached. */
static void find_parting(struct finder *f, const struct source *s, uint32_t to)
{
    const struct graph *g = f->g;
    uint32_t head = 0, tail = 0, source_event = f->event_of[s->access];
    uint32_t block = block_of(f, to), from = f->event_of[to];
    f->parting.n = 0;
    f->now++;
    for (bool first = true;; first = false) {
        bool stopped = false;
        for (uint32_t e = from; e > f->first_event[block] && !stopped; e--) {
            const struct event *v = &f->events.p[e - 1];
            stopped = e - 1 == source_event;
            f->flow_work--;
            if (v->kind == EVENT_SYNC && f->at[e - 1] && (f->syncs[v->insn] != SYNC_MAYBE))
                VEC_PUSH(f->a, f->parting, v->insn);
        }
        if (!stopped && (f->in[block] || first)) {
            for (uint32_t k = 0; k < g->blocks.p[block].pred_count; k++) {
                uint32_t p = g->blocks.p[block].preds[k];
                if (f->stamp[p] == f->now || (!f->in[p] && p != block_of(f, s->access)))
                    continue;
                f->stamp[p] = f->now;
                f->queue[tail++ % (g->blocks.n + 1)] = p;
            }
        }
        if (head == tail || f->flow_work < 0)
            break;
        block = f->queue[head++ % (g->blocks.n + 1)];
        from = f->first_event[block + 1];
    }
    if (f->parting.n)
        qsort(f->parting.p, f->parting.n, sizeof f->parting.p[0], by_number);
    size_t kept = 0;
    for (size_t i = 0; i < f->parting.n; i++)
        if (!i || f->parting.p[i] != f->parting.p[i - 1])
            f->parting.p[kept++] = f->parting.p[i];
    f->parting.n = kept;
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

static unsigned weakest(uint64_t bits)
{
    uint64_t all = (bits | bits >> 16 | bits >> 32) & 0xffff;
    for (unsigned s = 0; s < STRENGTHS; s++)
        if (all >> (4 * s) & 15)
            return s;
    return SYNC_BLOCK;
}

static struct graph_side side_of(const struct graph_access *x)
{
    return (struct graph_side){.address = x->address, .when = x->runs_when, .space = x->space};
}

/* The highest level in the bits: the outermost loop whose back edge was crossed. */
static unsigned highest(uint64_t bits)
{
    uint64_t all = bits | bits >> 16 | bits >> 32;
    all |= all >> 8;
    all |= all >> 4;
    for (unsigned k = LEVELS; k-- > 0;)
        if (all >> k & 1)
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

/* Whether the other thread exists hangs on how many threads a block has: it stands a fixed distance off that is no
 * lane's. Then a store of the thread's own to that very word says that threads take several elements each, so many
 * apart, rather than that there are as many threads. */
static bool hangs_on_block(struct finder *f, const struct graph_solution *u, uint32_t load, uint32_t store)
{
    struct graph *g = f->g;
    bool far = false;
    for (unsigned d = 0; d < 3; d++) {
        struct graph_linear x, own = {.t = {{graph_sreg(g, UOP_SR_TID_X + d), 1}}, .n = 1};
        struct graph_range r;
        if (u->thread[d] == own.t[0].symbol)
            continue;
        if (!graph_linear_of(g, u->thread[d], &x))
            return true;
        far |= x.n == 0 && x.k >= (d ? 2 : 32); /* a thread by its number */
        if (x.n == 0)
            continue;
        if (!graph_linear_add(&x, &own, -1))
            return true;
        for (unsigned i = 0; i < x.n; i++)
            if (!graph_block_uniform(g, x.t[i].symbol))
                return false; /* another distance for each thread */
        graph_linear_range(g, &x, &r);
        far |= r.lo <= (d ? -2 : -32) || r.hi >= (d ? 2 : 32);
    }
    if (!far || g->env->block[0])
        return false;
    const struct graph_access *at = access_at(f, load);
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = access_at(f, i);
        f->flow_work--;
        if (i != store && x->kind != GRAPH_LOAD && f->object[i] == f->object[load] &&
            (i == load || same_address(f, at, x)))
            return true;
    }
    return false;
}

/* `first` may be overtaken by `second` of another thread: no barrier between them on some way. */
static bool find_race(struct finder *f, const struct source *s, uint32_t second, uint64_t bits, int32_t delta)
{
    const struct graph_access *x = access_at(f, s->access), *y = access_at(f, second);
    bool x_stores = x->kind != GRAPH_LOAD, y_stores = y->kind != GRAPH_LOAD;
    if ((!x_stores && !y_stores) || (x->kind == GRAPH_ATOMIC && y->kind == GRAPH_ATOMIC) || x->space == UOP_LOCAL ||
        y->space == UOP_LOCAL || same_value(f, x, y) || x->order >= UOP_RELAXED_CTA || y->order >= UOP_RELAXED_CTA)
        return false;
    bool from_store = x_stores && (!y_stores || x->kind == GRAPH_STORE); /* whose thread is u: the first one's */
    uint32_t store = from_store ? s->access : second, load = from_store ? second : s->access;
    for (unsigned turn = 0; turn < 2; turn++) { /* within one turn; to another one */
        uint64_t part = turn ? bits & ~levels_below(1) : bits & levels_below(1);
        unsigned strength = weakest(part);
        if (!part || strength >= SYNC_MAYBE)
            continue;
        struct graph_side a = side_of(access_at(f, store)), b = side_of(access_at(f, load));
        unsigned level = turn ? highest(part) : 0;
        uint32_t loop = level ? s->nest[level - 1] : 0;
        struct graph_solution u;
        if (foreign(f, store, load, a.address) || foreign(f, store, load, a.when))
            continue;
        if (loop && (graph_turns_with(f->g, a.address, loop) || graph_turns_with(f->g, a.when, loop)) &&
            !next_turn(f, from_store ? &b : &a, loop))
            continue;
        f->solve_work--;
        graph_solve(f->g, &a, &b, delta, &u);
        if (u.answer != SOLVE_THREAD || u.may || !u.known || !u.guards_linear ||
            (u.who != THREAD_OTHER && u.who != THREAD_VARIES) || (u.in_warp && strength >= SYNC_WARP))
            continue;
        if (u.thread[0] == GRAPH_NIL || u.thread[1] == GRAPH_NIL || u.thread[2] == GRAPH_NIL)
            continue; /* several threads: they may write the same */
        if (hangs_on_block(f, &u, load, store))
            continue;
        if (!race_seen(f, s->access, second)) {
            struct graph_race r = {.first = s->access, .second = second, .assumed = u.in_warp};
            memcpy(r.thread, u.thread, sizeof r.thread);
            VEC_PUSH(f->a, f->out->races, r);
        }
        return !u.in_warp;
    }
    return false;
}

static void keep_reach(struct finder *f, const struct source *s, struct graph_reach r)
{
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
    struct graph_side a = side_of(x), b = side_of(y);
    struct graph_solution u;
    struct graph_reach r = {.load = load, .element = delta, .sync = GRAPH_SYNC_UNKNOWN};
    unsigned level = highest(bits), strength = weakest(bits);
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
    else
        graph_solve(g, &a, &b, delta, &u);
    if (u.answer == SOLVE_NEVER)
        return;
    r.may = u.may || u.answer == SOLVE_UNKNOWN;
    r.assumed = u.assumed;
    if (x->space == UOP_LOCAL) {
        r.own = r.thread_known = true;
        for (unsigned d = 0; d < 3; d++)
            r.thread[d] = graph_sreg(g, UOP_SR_TID_X + d);
        r.sync = GRAPH_SYNC_OWN;
        r.may = lost || u.answer == SOLVE_UNKNOWN;
        f->parting.n = 0;
        keep_reach(f, s, r);
        return;
    }
    if (u.answer == SOLVE_THREAD) {
        r.thread_known = u.known;
        if (u.known)
            memcpy(r.thread, u.thread, sizeof r.thread);
        r.own = u.who == THREAD_SAME;
    }
    if (r.own)
        r.sync = GRAPH_SYNC_OWN;
    else if (strength == SYNC_BLOCK)
        r.sync = GRAPH_SYNC_BARRIER;
    else if (u.in_warp && strength < SYNC_MAYBE && !r.may)
        r.sync = strength == SYNC_WARP ? GRAPH_SYNC_WARP : GRAPH_SYNC_WARP_ASSUMED;
    else if (race && strength < SYNC_MAYBE)
        r.sync = GRAPH_SYNC_NONE;
    if (!r.own && x->space != UOP_SHARED)
        r.assumed = true; /* threads of other blocks are not looked at */
    find_parting(f, s, load);
    keep_reach(f, s, r);
}

static void relate(struct finder *f, const struct source *s, uint32_t to, uint64_t bits)
{
    const struct graph_access *x = access_at(f, s->access), *y = access_at(f, to);
    unsigned objects = same_object(f, s->access, to);
    bool reads = y->kind == GRAPH_LOAD || y->kind == GRAPH_ATOMIC;
    if (objects == OBJECTS_APART || y->order == UOP_READONLY || x->order == UOP_READONLY)
        return;
    if (objects == OBJECTS_MAY) {
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
        if (f->solve_work <= 0) {
            f->out->complete = false;
            return;
        }
        bool race = weakest(bits) < SYNC_MAYBE && find_race(f, s, to, bits, delta);
        if (store_first && reads)
            find_reach(f, s, to, bits, delta, race);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_load(const void *a, const void *b)
{
    const struct graph_reach *x = a, *y = b;
    if (x->load != y->load)
        return x->load < y->load ? -1 : 1;
    if (x->store != y->store)
        return x->store < y->store ? -1 : 1;
    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return (int)x->may - (int)y->may;
}

static enum sp_status finish(struct finder *f)
{
    struct graph_dependence *out = f->out;
    size_t n = f->g->accesses.n;
    uint32_t *first = ARENA_ARRAY(f->a, uint32_t, n + 2);
    if (arena_failed(f->a))
        return SP_ERR_MEMORY;
    if (f->reaches.n)
        qsort(f->reaches.p, f->reaches.n, sizeof f->reaches.p[0], by_load);
    out->reaches.p = f->reaches.p;
    out->reaches.n = f->reaches.n;
    out->reaches.cap = f->reaches.cap;
    size_t at = 0;
    for (size_t i = 0; i <= n; i++) {
        while (at < f->reaches.n && f->reaches.p[at].load < i)
            at++;
        first[i] = (uint32_t)at;
    }
    out->first_reach = first;
    out->object_of = f->object;
    return SP_OK;
}

enum sp_status graph_find_dependence(struct arena *a, struct graph *g, struct graph_dependence *out)
{
    struct finder f = {.a = a, .g = g, .out = out, .flow_work = FLOW_WORK, .solve_work = SOLVE_WORK};
    bool opaque = false;
    *out = (struct graph_dependence){0};
    if (g->blocks.n && !graph_facts_of(g))
        return SP_ERR_MEMORY;
    if (g->blocks.n)
        graph_block_uniform(g, graph_true(g)); /* which loops threads leave apart */
    f.syncs = graph_find_syncs(a, g, &opaque);
    out->complete = !opaque && !g->incomplete;
    if (!f.syncs || !(f.dead_end = graph_find_dead_ends(a, g, f.syncs)) || !list_events(&f) ||
        !(f.object = graph_find_objects(a, g, out)))
        return SP_ERR_MEMORY;
    f.in = ARENA_ARRAY(a, uint64_t, g->blocks.n + 1);
    f.at = ARENA_ARRAY(a, uint64_t, f.events.n + 1);
    f.queue = ARENA_ARRAY(a, uint32_t, g->blocks.n + 1);
    f.queued = ARENA_ARRAY(a, bool, g->blocks.n + 1);
    f.stamp = ARENA_ARRAY(a, uint32_t, g->blocks.n + 1);
    if (arena_failed(a))
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = access_at(&f, i);
        struct source s;
        if (!g->insns.p[x->insn].reachable || x->order == UOP_READONLY || x->space > UOP_GENERIC ||
            (x->kind == GRAPH_LOAD && x->space == UOP_LOCAL))
            continue;
        make_source(&f, i, &s);
        if (!flow_from(&f, &s)) {
            if (arena_failed(a))
                return SP_ERR_MEMORY;
            out->complete = false;
            forget(&f, &s);
            break;
        }
        /* Blocks that the bits have been in, in order of the code. */
        VEC_PUSH(a, f.touched, block_of(&f, i));
        qsort(f.touched.p, f.touched.n, sizeof f.touched.p[0], by_number);
        for (size_t k = 0; k < f.touched.n; k++) {
            uint32_t b = f.touched.p[k];
            if (k && b == f.touched.p[k - 1])
                continue;
            for (uint32_t e = f.first_event[b]; e < f.first_event[b + 1]; e++)
                if (f.events.p[e].kind == EVENT_ACCESS && f.at[e] && (f.events.p[e].access != i || f.at[e]))
                    relate(&f, &s, f.events.p[e].access, f.at[e]);
        }
        forget(&f, &s);
    }
    return finish(&f);
}
