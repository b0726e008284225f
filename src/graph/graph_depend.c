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

/* ---- preparation ----------------------------------------------------------------------------- */

/* A copy that runs by itself loads and stores at some time before somebody waits for it. */
static bool runs_by_itself(const struct graph *g, uint32_t insn)
{
    const struct uop_list *l = g->input.insns[g->insns.p[insn].input].uops;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_ASYNC_COPY)
            return true;
    return false;
}

static bool list_events(struct finder *f)
{
    struct graph *g = f->g;
    f->first_event = ARENA_ARRAY(f->a, uint32_t, g->blocks.n + 1);
    f->event_of = ARENA_ARRAY(f->a, uint32_t, g->accesses.n + 1);
    f->ends = ARENA_ARRAY(f->a, bool, g->blocks.n + 1);
    f->async = ARENA_ARRAY(f->a, bool, g->accesses.n + 1);
    if (arena_failed(f->a))
        return false;
    for (uint32_t i = 0; i < g->accesses.n; i++)
        f->async[i] = runs_by_itself(g, g->accesses.p[i].insn);
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
    f->last_sync = ARENA_ARRAY(f->a, uint32_t, f->events.n + 1);
    for (uint32_t b = 0, behind; b < g->blocks.n && f->last_sync; b++) {
        behind = f->first_event[b];
        for (uint32_t e = f->first_event[b]; e < f->first_event[b + 1]; e++) {
            f->last_sync[e] = behind;
            behind = f->events.p[e].kind == EVENT_SYNC ? e + 1 : behind;
        }
    }
    return !arena_failed(f->a);
}

static unsigned stale_from(struct finder *f, const struct source *s, graph_id id)
{
    for (unsigned k = 0; k < s->depth; k++)
        if (graph_turns_with(f->g, id, s->nest[k]))
            return k + 1;
    return LEVELS;
}

void graph_make_source(struct finder *f, uint32_t access, struct source *s)
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

/* ---- bits ------------------------------------------------------------------------------------ */

static uint64_t pass_sync(uint64_t bits, unsigned strength)
{
    uint64_t out = 0;
    for (unsigned way = 0; way < CLASSES; way++) {
        if (way == OVERWRITTEN && strength == SYNC_BLOCK)
            continue;
        uint64_t mine = bits >> (WAY * way) & WAY_BITS(0), low = mine & ((UINT64_C(1) << (4 * strength)) - 1);
        mine &= ~((UINT64_C(1) << (4 * strength)) - 1);
        for (unsigned s = 0; s < strength; s++)
            mine |= (low >> (4 * s) & 15) << (4 * strength);
        out |= mine << (WAY * way);
    }
    return out;
}

/* The parts of a condition that are the same in all threads, as a condition. */
graph_id graph_uniform_part(struct graph *g, graph_id when)
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

bool graph_same_word(struct finder *f, const struct graph_access *x, const struct graph_access *y)
{
    if (x->space != y->space)
        return false;
    if (x->address == y->address)
        return y->width >= x->width;
    uint32_t at_x = (uint32_t)(x - f->g->accesses.p), at_y = (uint32_t)(y - f->g->accesses.p);
    const struct graph_affine *a = &f->affine[at_x], *b = &f->affine[at_y];
    if (!f->is_affine[at_x] || !f->is_affine[at_y] || a->base != b->base || a->term_count != b->term_count)
        return false;
    for (unsigned i = 0; i < a->term_count; i++)
        if (a->terms[i].term != b->terms[i].term || a->terms[i].coefficient != b->terms[i].coefficient ||
            a->terms[i].extend != b->terms[i].extend)
            return false;
    return b->offset <= a->offset && b->offset + y->width >= a->offset + x->width;
}

/* A later store of the same word by the same thread. */
static uint64_t overwrite(struct finder *f, const struct source *s, uint64_t bits, uint32_t by)
{
    struct graph *g = f->g;
    const struct graph_access *x = access_at(f, s->access), *y = access_at(f, by);
    if (y->kind != GRAPH_STORE || x->kind == GRAPH_LOAD || f->async[s->access] || f->async[by] ||
        (f->forced[by] != f->forced_now && !graph_same_word(f, x, y)))
        return bits;
    const struct graph_insn *insn = &g->insns.p[y->insn];
    uint64_t same_turn = levels_below(s->stale_address), sure_turn = same_turn;
    if (f->forced[by] == f->forced_now)
        return bits & ~same_turn;
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
    if (!sure && graph_implies(g, graph_and(g, x->runs_when, graph_uniform_part(g, y->runs_when)), y->runs_when)) {
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
    return (bits & ~own) | own << (WAY * OVERWRITTEN);
}

/* What goes past a barrier with a guard: it is one only where the guard holds, which all threads share. The source's
 * own guard may say that it does, in the turns that the guard stands for. */
static uint64_t past_guarded(struct finder *f, const struct source *s, uint64_t bits, uint32_t event)
{
    struct graph *g = f->g;
    const struct event *v = &f->events.p[event];
    graph_id guard = g->insns.p[v->insn].guard;
    if (guard == GRAPH_NIL || f->syncs[v->insn] != SYNC_BLOCK || f->keep_strict)
        return 0;
    if (graph_implies(g, access_at(f, s->access)->runs_when, guard)) {
        bool other = false;
        for (uint32_t l = g->blocks.p[g->insns.p[v->insn].block].loop; l; l = g->loops.p[l - 1].parent)
            other |= !graph_in_loop(g, block_of(f, s->access), l) && graph_turns_with(g, guard, l);
        if (!other)
            bits &= ~levels_below(stale_from(f, s, guard));
    }
    bool known = !bits;
    for (size_t i = 0; i < f->skipped.n; i++)
        known |= f->skipped.p[i] == event;
    if (!known)
        VEC_PUSH(f->a, f->skipped, event);
    return bits;
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
            bits = pass_sync(bits, f->syncs[v->insn]) | past_guarded(f, s, bits, e);
        else if (f->object[v->access] == f->object[s->access])
            bits = overwrite(f, s, bits, v->access);
    }
    return bits;
}

static uint64_t across(struct finder *f, const struct source *s, uint32_t from, uint32_t to, uint64_t bits)
{
    const struct graph *g = f->g;
    if (f->ends[from])
        bits |= (bits & WAY_BITS(OWN_WAY)) << (WAY * ENDED);
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
bool graph_flow_from(struct finder *f, const struct source *s)
{
    const struct graph *g = f->g;
    uint32_t start = block_of(f, s->access), head = 0, tail = 0;
    f->flow_round++;
    bool load = access_at(f, s->access)->kind == GRAPH_LOAD;
    uint64_t care = ~UINT64_C(0);
    for (unsigned way = 0; way < CLASSES && load; way++) /* a read ends at a barrier */
        for (unsigned level = 0; level < LEVELS; level++)
            care &= ~BIT(way, SYNC_BLOCK, level);
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

bool graph_flow_strictly(struct finder *f, const struct source *s)
{
    f->keep_strict = true;
    bool done = graph_flow_from(f, s);
    f->keep_strict = false;
    memset(f->strict, 0, (f->events.n + 1) * sizeof f->strict[0]);
    f->flow_work -= (int64_t)(f->events.n / 8);
    for (size_t i = 0; i <= f->touched.n && done; i++) {
        uint32_t b = i < f->touched.n ? f->touched.p[i] : block_of(f, s->access);
        for (uint32_t e = f->first_event[b]; e < f->first_event[b + 1]; e++)
            f->strict[e] = f->at[e];
    }
    graph_flow_forget(f, s);
    return done;
}

void graph_flow_forget(struct finder *f, const struct source *s)
{
    uint32_t start = block_of(f, s->access);
    f->flow_round++;
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

/* ---- all of it ------------------------------------------------------------------------------- */

/* Loads that some store may come before or behind: of the same object, as graph_relate() has it. */
static bool list_stored(struct finder *f)
{
    const struct graph *g = f->g;
    f->stored = ARENA_ARRAY(f->a, bool, f->out->objects.n + 1);
    for (uint32_t i = 0; i < g->accesses.n && f->stored; i++) {
        if (access_at(f, i)->kind == GRAPH_LOAD)
            continue;
        f->stored[f->object[i]] = true;
        if (f->out->objects.p[f->object[i]].space != UOP_SHARED)
            continue;
        f->stored_shared = true;
        f->stored_anywhere |= !f->out->objects.p[f->object[i]].known;
    }
    return f->stored != NULL;
}

static bool is_stored(const struct finder *f, uint32_t load)
{
    const struct graph_object *o = &f->out->objects.p[f->object[load]];
    return f->stored[f->object[load]] ||
           (o->space == UOP_SHARED && (f->stored_anywhere || (f->stored_shared && !o->known)));
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

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

/* Another thread's store may come before a load or behind it, nothing says which: what the load reads is not sure. */
static void doubt_overtaken(struct finder *f)
{
    bool *overtaken = f->out->doubts.n ? ARENA_ARRAY(f->a, bool, f->g->accesses.n + 1) : NULL;
    for (size_t i = 0; i < f->out->doubts.n && overtaken; i++) {
        const struct graph_race *r = &f->out->doubts.p[i];
        if (access_at(f, r->first)->space == UOP_SHARED)
            overtaken[r->first] = overtaken[r->second] = true;
    }
    for (size_t i = 0; i < f->reaches.n && overtaken; i++)
        f->reaches.p[i].assumed |= overtaken[f->reaches.p[i].load];
}

/* A store that only some threads meet, x[2 * u] read at x[t], or x[u + 1] that the first one has not: the others read
 * nobody's, unless stores between them leave no place out, or other threads' fill what lies beside the block.
 * reaches[from .. to) are of one load. */
static void doubt_left_out(struct finder *f, size_t from, size_t to)
{
    enum { CLASSES_MAX = 64 };
    for (size_t i = from; i < to; i++) {
        struct graph_reach *r = &f->reaches.p[i];
        uint64_t met = 0;
        bool filled = false;
        for (size_t k = from; k < to && r->leaves && !filled && to - from <= 4 * CLASSES_MAX; k++)
            filled = !f->reaches.p[k].may && memcmp(f->reaches.p[k].thread, r->thread, sizeof r->thread) != 0;
        r->assumed |= r->leaves && !filled;
        if (r->classes <= 1)
            continue;
        for (size_t k = from; k < to && to - from <= 4 * CLASSES_MAX; k++)
            if (f->reaches.p[k].classes == r->classes && f->reaches.p[k].class_of < CLASSES_MAX)
                met |= UINT64_C(1) << f->reaches.p[k].class_of;
        r->assumed |= (uint32_t)__builtin_popcountll(met) < r->classes;
    }
}

/* A store of which it is not decided where it goes may have come after the others. reaches[from .. to) are of one
 * load. */
static void doubt_overwritten(struct finder *f, size_t from, size_t to)
{
    bool may = false;
    for (size_t i = from; i < to; i++)
        may |= f->reaches.p[i].may && access_at(f, f->reaches.p[i].load)->space == UOP_SHARED;
    for (size_t i = from; i < to && may; i++)
        f->reaches.p[i].assumed = true;
}

static enum sp_status finish(struct finder *f)
{
    struct graph_dependence *out = f->out;
    size_t n = f->g->accesses.n;
    uint32_t *first = ARENA_ARRAY(f->a, uint32_t, n + 2);
    if (arena_failed(f->a))
        return SP_ERR_MEMORY;
    /* What is not seen may have stored in between, or other threads have. */
    for (size_t i = 0; i < f->reaches.n && !out->complete; i++) {
        const struct graph_access *l = access_at(f, f->reaches.p[i].load);
        f->reaches.p[i].assumed |= l->from_store < 0 && (l->space != UOP_LOCAL || !out->listed);
    }
    doubt_overtaken(f);
    if (f->reaches.n)
        qsort(f->reaches.p, f->reaches.n, sizeof f->reaches.p[0], by_load);
    if (!graph_prune_reaches(f))
        return SP_ERR_MEMORY;
    out->reaches.p = f->reaches.p;
    out->reaches.n = f->reaches.n;
    out->reaches.cap = f->reaches.cap;
    size_t at = 0;
    for (size_t i = 0; i <= n; i++) {
        while (at < f->reaches.n && f->reaches.p[at].load < i)
            at++;
        first[i] = (uint32_t)at;
    }
    for (size_t i = 0; i < n; i++) {
        doubt_left_out(f, first[i], first[i + 1]);
        doubt_overwritten(f, first[i], first[i + 1]);
    }
    out->first_reach = first;
    out->object_of = f->object;
    graph_find_unwritten(f);
    return SP_OK;
}

static enum sp_status relate_all(struct finder *f)
{
    struct arena *a = f->a;
    struct graph *g = f->g;
    struct graph_dependence *out = f->out;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = access_at(f, i);
        struct source s;
        if (!g->insns.p[x->insn].reachable || x->order == UOP_READONLY || x->space > UOP_GENERIC ||
            (x->kind == GRAPH_LOAD && (x->space == UOP_LOCAL || !is_stored(f, i))))
            continue;
        graph_make_source(f, i, &s);
        graph_relate_self(f, i);
        bool flows = !f->strict || graph_flow_strictly(f, &s);
        f->skipped.n = 0;
        if (!flows || !graph_flow_from(f, &s)) {
            if (arena_failed(a))
                return SP_ERR_MEMORY;
            graph_give_up(f);
            graph_flow_forget(f, &s);
            break;
        }
        /* Blocks that the bits have been in, in order of the code. */
        VEC_PUSH(a, f->touched, block_of(f, i));
        qsort(f->touched.p, f->touched.n, sizeof f->touched.p[0], by_number);
        for (size_t k = 0; k < f->touched.n; k++) {
            uint32_t b = f->touched.p[k];
            if (k && b == f->touched.p[k - 1])
                continue;
            for (uint32_t e = f->first_event[b]; e < f->first_event[b + 1]; e++)
                if (f->events.p[e].kind == EVENT_ACCESS && f->at[e] && (f->events.p[e].access != i || f->at[e]))
                    graph_relate(f, &s, f->events.p[e].access, f->at[e]);
        }
        if (out->listed && !out->complete)
            graph_relate_elsewhere(f, &s);
        graph_flow_forget(f, &s);
    }
    if (!graph_relate_apart(f))
        return SP_ERR_MEMORY;
    return finish(f);
}

enum sp_status graph_find_dependence(struct arena *a, struct graph *g, struct graph_dependence *out)
{
    struct finder f = {.a = a, .g = g, .out = out, .flow_work = FLOW_WORK, .solve_work = SOLVE_WORK};
    struct graph_opaque opaque = {0};
    int64_t most[GRAPH_COORDINATES];
    *out = (struct graph_dependence){0};
    if (g->blocks.n && !graph_facts_of(g))
        return SP_ERR_MEMORY;
    if (g->blocks.n)
        graph_block_uniform(g, graph_true(g)); /* which loops threads leave apart */
    f.syncs = graph_find_syncs(a, g, &opaque);
    bool *meets = ARENA_ARRAY(a, bool, g->insns.n + 1);
    for (uint32_t i = 0; i < g->insns.n && f.syncs && meets; i++)
        meets[i] = f.syncs[i] == SYNC_BLOCK;
    out->meets = meets;
    out->listed = !opaque.stores && !g->incomplete;
    out->complete = out->listed && !opaque.orders;
    f.unordered = !out->complete;
    if (!f.syncs || !(f.dead_end = graph_find_dead_ends(a, g, f.syncs)) || !list_events(&f) ||
        !(f.object = graph_find_objects(a, g, out, most)) || !list_stored(&f))
        return SP_ERR_MEMORY;
    f.in = ARENA_ARRAY(a, uint64_t, g->blocks.n + 1);
    f.at = ARENA_ARRAY(a, uint64_t, f.events.n + 1);
    f.queue = ARENA_ARRAY(a, uint32_t, g->blocks.n + 1);
    f.queued = ARENA_ARRAY(a, bool, g->blocks.n + 1);
    f.ways = ARENA_ARRAY(a, struct way_out, g->blocks.n + 1);
    f.stamp = ARENA_ARRAY(a, uint32_t, g->blocks.n + 1);
    f.forced = ARENA_ARRAY(a, uint32_t, g->accesses.n + 1);
    f.forced_now = 1;
    f.affine = ARENA_ARRAY(a, struct graph_affine, g->accesses.n + 1);
    f.is_affine = ARENA_ARRAY(a, bool, g->accesses.n + 1);
    for (uint32_t i = 0; i < g->accesses.n && f.affine && f.is_affine; i++)
        f.is_affine[i] = graph_affine(g, g->accesses.p[i].address, &f.affine[i]);
    f.parted = ARENA_ARRAY(a, uint8_t, g->loops.n + 1);
    for (uint32_t i = 0; i < g->insns.n && !f.strict; i++)
        if (f.syncs[i] == SYNC_BLOCK && g->insns.p[i].guard != GRAPH_NIL)
            f.strict = ARENA_ARRAY(a, uint64_t, f.events.n + 1);
    if (arena_failed(a))
        return SP_ERR_MEMORY;
    bool sized = false;
    struct graph_sizes sizes = {0};
    for (unsigned d = 0; d < GRAPH_COORDINATES; d++)
        sized |= most[d] < 1024;
    if (sized && !graph_begin_sizes(a, g, most, &sizes))
        return SP_ERR_MEMORY;
    enum sp_status status = relate_all(&f);
    if (sized)
        graph_end_sizes(g, &sizes);
    return status;
}
