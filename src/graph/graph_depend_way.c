/* Ways from a source to another access: barriers that stand on them, barriers with a guard that they may go past, and
 * whether one without a barrier is open under what the guards of the two accesses say. A guard that all threads share
 * is one answer for the block; where it stands for another turn of a loop, nothing is said.
 * requires: bits of the source at work · gives: graph_find_parting, graph_way_is_open, graph_no_barrier */
#include "graph/graph_depend_internal.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Accesses of a block that stand behind the same sync (and behind the source, or not) are come to in the same ways. */
static struct way_asked asked_for(const struct finder *f, const struct source *s, uint32_t to, graph_id when)
{
    struct way_asked a = {.round = f->flow_round, .source = s->access, .block = block_of(f, to), .when = when};
    uint32_t at = f->event_of[to], source = f->event_of[s->access];
    a.behind = f->last_sync[at];
    if (source >= f->first_event[a.block] && source < at && a.behind < source + 1)
        a.behind = source + 1;
    return a;
}

static bool same_way(const struct way_asked *a, const struct way_asked *b)
{
    return a->round == b->round && a->source == b->source && a->block == b->block && a->behind == b->behind &&
           a->when == b->when;
}

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

void graph_find_parting(struct finder *f, const struct source *s, uint32_t to)
{
    struct way_asked now = asked_for(f, s, to, GRAPH_NIL);
    if (f->parting_known && same_way(&f->parting_asked, &now)) {
        f->parting.n = f->parting_kept.n;
        if (f->parting.n)
            memcpy(f->parting.p, f->parting_kept.p, f->parting.n * sizeof f->parting.p[0]);
        return;
    }
    find_parting(f, s, to);
    f->parting_kept.n = 0;
    f->parting_known = VEC_RESERVE(f->a, f->parting_kept, f->parting.n) && f->flow_work >= 0;
    if (!f->parting_known)
        return;
    f->parting_asked = now;
    f->parting_kept.n = f->parting.n;
    if (f->parting.n)
        memcpy(f->parting_kept.p, f->parting.p, f->parting.n * sizeof f->parting.p[0]);
}

/* Whether `to` can come after an event within one turn of a loop (0: on any way). */
static bool comes_after(struct finder *f, uint32_t event, uint32_t to, uint32_t loop)
{
    const struct graph *g = f->g;
    uint32_t head = 0, tail = 0, block = g->insns.p[f->events.p[event].insn].block, from = event + 1;
    f->now++;
    for (;;) {
        for (uint32_t e = from; e < f->first_event[block + 1]; e++)
            if (e == f->event_of[to])
                return true;
        f->flow_work--;
        for (uint32_t k = 0; k < g->blocks.p[block].succ_count; k++) {
            uint32_t s = g->blocks.p[block].succs[k];
            if (f->stamp[s] == f->now || (loop && (g->loops.p[loop - 1].header == s || !graph_in_loop(g, s, loop))))
                continue;
            f->stamp[s] = f->now;
            f->queue[tail++ % (g->blocks.n + 1)] = s;
        }
        if (head == tail)
            return false;
        block = f->queue[head++ % (g->blocks.n + 1)];
        from = f->first_event[block];
    }
}

/* Bits that only went past barriers whose guard did not hold: every way holds a barrier, if its guard does. */
bool graph_went_past(const struct finder *f, uint32_t to, uint64_t mask, uint64_t bits)
{
    return f->strict && f->skipped.n && graph_weakest(bits & mask) < SYNC_MAYBE &&
           (!(f->strict[f->event_of[to]] & mask) || graph_weakest(f->strict[f->event_of[to]] & mask) == SYNC_BLOCK);
}

/* The condition under which such a way has no barrier, in values of the source's turn (`loop`: that of the pair when
 * `to` is a turn on, or 0). NIL: not known which. */
graph_id graph_no_barrier(struct finder *f, const struct source *s, uint32_t to, uint32_t loop)
{
    struct graph *g = f->g;
    graph_id none = GRAPH_NIL;
    for (size_t i = 0; i < f->skipped.n; i++) {
        uint32_t insn = f->events.p[f->skipped.p[i]].insn;
        graph_id guard = g->insns.p[insn].guard, other = graph_not(g, guard);
        for (uint32_t l = g->blocks.p[g->insns.p[insn].block].loop; l; l = g->loops.p[l - 1].parent) {
            if (!graph_turns_with(g, guard, l))
                continue;
            if (!graph_in_loop(g, block_of(f, s->access), l) || !graph_in_loop(g, block_of(f, to), l) ||
                (loop && (l != loop || comes_after(f, f->skipped.p[i], to, l))))
                return GRAPH_NIL;
        }
        if (none != GRAPH_NIL && none != other)
            return GRAPH_NIL;
        none = other;
    }
    return none;
}

/* The reader's own guard says that all of them ran. */
bool graph_reader_waits(struct finder *f, uint32_t to)
{
    struct graph *g = f->g;
    for (size_t i = 0; i < f->skipped.n; i++) {
        uint32_t insn = f->events.p[f->skipped.p[i]].insn;
        graph_id guard = g->insns.p[insn].guard;
        if (!graph_implies(g, access_at(f, to)->runs_when, guard))
            return false;
        for (uint32_t l = g->blocks.p[g->insns.p[insn].block].loop; l; l = g->loops.p[l - 1].parent)
            if (graph_turns_with(g, guard, l))
                return false;
    }
    return true;
}

/* A condition that all threads share, the same in all turns of what holds the accesses or the block. */
static bool stands_still(struct finder *f, graph_id when, uint32_t a, uint32_t b, uint32_t c)
{
    const struct graph *g = f->g;
    uint32_t blocks[3] = {a, b, c};
    for (unsigned i = 0; i < 3; i++)
        for (uint32_t l = g->blocks.p[blocks[i]].loop; l; l = g->loops.p[l - 1].parent)
            if (graph_turns_with(f->g, when, l))
                return false;
    return true;
}

/* What a block's branch says of the ways out of it: made once, however many pairs ask. */
static struct way_out *way_out_of(struct finder *f, uint32_t block, bool edges)
{
    struct graph *g = f->g;
    const struct graph_block *b = &g->blocks.p[block];
    struct way_out *w = &f->ways[block];
    for (unsigned k = 0; k < 2; k++) {
        bool asked = k < b->succ_count && edges && !w->has_edge[k];
        w->has_edge[k] |= asked;
        w->edge[k] = asked ? graph_edge_taken(g, block, b->succs[k]) : w->edge[k];
        if (!k && !w->has_other)
            w->other = graph_not(g, b->branch);
        w->has_other = true;
        if (!asked || w->edge[k] == GRAPH_NIL)
            continue;
        w->when[k] = graph_implies(g, w->edge[k], b->branch);
        w->unless[k] = graph_implies(g, w->edge[k], w->other);
    }
    return w;
}

/* Where the condition holds the two threads are one: a block of a single thread goes past the loop of a reduction. */
static bool makes_one(struct graph *g, graph_id when, const graph_id thread[3])
{
    unsigned others = 0;
    for (unsigned d = 0; d < 3; d++) {
        struct graph_linear u, own = {.t = {{graph_sreg(g, UOP_SR_TID_X + d), 1}}, .n = 1}, up, down = own, low = {0};
        struct graph_constraints before = {0}, behind = {0};
        if (thread[d] == own.t[0].symbol)
            continue;
        if (others++ || thread[d] == GRAPH_NIL || !graph_linear_of(g, thread[d], &u))
            return false;
        struct graph_linear size = {.t = {{graph_sreg(g, UOP_SR_NTID_X + d), -1}}, .n = 1, .k = 1};
        up = u;
        if (!graph_linear_add(&up, &own, -1) || !graph_linear_add(&down, &u, -1) || !graph_linear_add(&low, &u, -1) ||
            !graph_linear_add(&size, &u, 1))
            return false;
        up.k++;
        down.k++;
        struct graph_constraints *both[2] = {&before, &behind};
        for (unsigned i = 0; i < 2; i++) { /* one of the block's, and less than the other, or more */
            graph_constrain(both[i], &low);
            graph_constrain(both[i], &size);
            graph_constrain(both[i], i ? &down : &up);
        }
        if (!graph_excluded(g, when, GRAPH_NIL, &before) || !graph_excluded(g, when, GRAPH_NIL, &behind))
            return false;
    }
    return others == 1;
}

static bool is_open(struct finder *f, const struct source *s, uint32_t to, graph_id both, const graph_id *thread)
{
    struct graph *g = f->g;
    uint32_t head = 0, tail = 0, block = block_of(f, s->access), from = f->event_of[s->access] + 1;
    uint32_t start = block, end = block_of(f, to);
    f->now++;
    for (;;) {
        bool parted = false;
        for (uint32_t e = from; e < f->first_event[block + 1] && !parted; e++) {
            const struct event *v = &f->events.p[e];
            graph_id guard = g->insns.p[v->insn].guard;
            if (e == f->event_of[to])
                return true;
            parted =
                v->kind == EVENT_SYNC && f->syncs[v->insn] == SYNC_BLOCK &&
                (guard == GRAPH_NIL || (stands_still(f, guard, start, end, block) && graph_implies(g, both, guard)));
        }
        f->flow_work--;
        graph_id branch = g->blocks.p[block].branch;
        bool decides = branch != GRAPH_NIL && g->blocks.p[block].succ_count == 2 && graph_block_uniform(g, branch) &&
                       stands_still(f, branch, start, end, block);
        for (uint32_t k = 0; k < g->blocks.p[block].succ_count && !parted; k++) {
            uint32_t next = g->blocks.p[block].succs[k];
            const struct way_out *w = way_out_of(f, block, decides);
            bool shut = decides && ((w->when[k] && graph_implies(g, both, w->other)) ||
                                    (w->unless[k] && graph_implies(g, both, branch)));
            if (f->stamp[next] != f->now && !shut && decides && thread)
                shut = (w->when[k] && makes_one(g, branch, thread)) || (w->unless[k] && makes_one(g, w->other, thread));
            if (f->stamp[next] == f->now || shut)
                continue;
            f->stamp[next] = f->now;
            f->queue[tail++ % (g->blocks.n + 1)] = next;
        }
        if (head == tail || f->flow_work < 0)
            return f->flow_work < 0;
        block = f->queue[head++ % (g->blocks.n + 1)];
        from = f->first_event[block];
    }
}

/* Some way without a barrier is open under what the accesses' own guards say of conditions that all threads share:
 * `if (f) barrier` is passed when the reader reads `if (f)` too. */
bool graph_way_is_open(struct finder *f, const struct source *s, uint32_t to)
{
    struct graph *g = f->g;
    graph_id both = graph_and(g, graph_uniform_part(g, access_at(f, s->access)->runs_when),
                              graph_uniform_part(g, access_at(f, to)->runs_when));
    if (both == GRAPH_NIL)
        return true;
    struct way_asked now = asked_for(f, s, to, both);
    if (!f->open_known || !same_way(&f->open_asked, &now)) {
        f->open = is_open(f, s, to, both, NULL);
        f->open_asked = now;
        f->open_known = f->flow_work >= 0;
    }
    return f->open;
}

bool graph_way_is_open_to(struct finder *f, const struct source *s, uint32_t to, const graph_id thread[3])
{
    struct graph *g = f->g;
    graph_id both = graph_and(g, graph_uniform_part(g, access_at(f, s->access)->runs_when),
                              graph_uniform_part(g, access_at(f, to)->runs_when));
    both = both == GRAPH_NIL ? graph_true(g) : both;
    return is_open(f, s, to, both, thread) ||
           !is_open(f, s, to, both, NULL); /* on two sides of a branch no way leads */
}

/* Barriers that the way may have gone past part nothing. */
void graph_drop_skipped(struct finder *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->parting.n; i++) {
        bool skipped = false;
        for (size_t k = 0; k < f->skipped.n; k++)
            skipped |= f->events.p[f->skipped.p[k]].insn == f->parting.p[i];
        if (!skipped)
            f->parting.p[kept++] = f->parting.p[i];
    }
    f->parting.n = kept;
}
