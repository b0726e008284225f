/* Plays steps between threads for one block of a chosen size: addresses, guards, counters and shuffles are computed
 * with numbers in the place of thread and block numbers, thread by thread, turn by turn; data are never computed. So it
 * does not matter how a compiler wrote a stride, a guard or the end of a loop. What depends on anything but these
 * numbers is "not known" and ends the play, but for conditions that are the same for the whole block: they are taken to
 * hold.
 *
 * Requires a built graph. Work is bounded by a budget for the whole kernel. */
#include "pattern/pat_play.h"

#include <string.h>

enum { BUDGET = 40 * 1000 * 1000 }; /* numbers: one thread's long rows, walked a few times */

struct pat_play *pat_play_new(struct arena *a, struct pat_index *x)
{
    struct pat_play *p = ARENA_NEW(a, struct pat_play);
    if (!p)
        return NULL;
    *p = (struct pat_play){.a = a, .x = x, .g = x->g, .size = (graph_id)x->g->nodes.n, .budget = BUDGET};
    p->of = ARENA_ARRAY(a, struct pat_played, p->size + 1);
    p->differs = ARENA_ARRAY(a, uint8_t, p->size + 1);
    p->loops = ARENA_ARRAY(a, struct loop_view, x->g->loops.n + 1);
    for (graph_id id = 1; id < p->size && p->of; id++) {
        const struct graph_node *n = graph_at(x->g, id);
        p->rows |= n->kind == UOP_SREG && (n->imm == UOP_SR_TID_Y || n->imm == UOP_SR_TID_Z) && x->live[id];
        p->of[id].turns = n->kind == GRAPH_PHI;
        for (unsigned i = 0; i < n->arg_count; i++) /* they stand before it */
            p->of[id].turns |= n->arg[i] >= id || p->of[n->arg[i]].turns;
    }
    return p->of && p->differs && p->loops ? p : NULL;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool in_loop(const struct graph *g, uint32_t block, uint32_t loop)
{
    for (uint32_t l = g->blocks.p[block].loop; l; l = g->loops.p[l - 1].parent)
        if (l - 1 == loop)
            return true;
    return false;
}

bool pat_play_target(const struct graph *g, uint32_t insn, uint64_t *target)
{
    uint32_t input = g->insns.p[insn].input;
    const struct uop_list *l = input < g->input.count ? g->input.insns[input].uops : NULL;
    for (size_t i = 0; l && i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_BRANCH) {
            *target = l->ops.p[i].imm;
            return true;
        }
    return false;
}

static void view_phis(struct pat_play *p, uint32_t loop, struct loop_view *v)
{
    struct graph *g = p->g;
    const struct graph_loop l = g->loops.p[loop];
    const struct graph_block header = g->blocks.p[l.header];
    for (graph_id id = 1; id < p->size; id++) {
        const struct graph_node *n = graph_at(g, id);
        if (n->kind != GRAPH_PHI || n->block != l.header || n->phi_count != header.pred_count)
            continue;
        graph_id start = GRAPH_NIL, next = GRAPH_NIL;
        bool one = true;
        for (uint32_t i = 0; i < header.pred_count; i++) {
            graph_id *side = in_loop(g, header.preds[i], loop) ? &next : &start;
            one &= *side == GRAPH_NIL || *side == n->phi_args[i];
            *side = n->phi_args[i];
        }
        if (!one || start == GRAPH_NIL || next == GRAPH_NIL)
            continue;
        if (v->phi_count == LOOP_PHIS) {
            v->good = false;
            return;
        }
        v->phi[v->phi_count] = id;
        v->start[v->phi_count] = start;
        v->next[v->phi_count++] = next;
    }
}

static struct loop_view *view_of(struct pat_play *p, uint32_t loop)
{
    struct graph *g = p->g;
    struct loop_view *v = &p->loops[loop];
    if (v->made)
        return v;
    *v = (struct loop_view){.made = true, .good = !g->loops.p[loop].irreducible};
    view_phis(p, loop, v);
    for (uint32_t b = 0; b < g->blocks.n && v->good; b++) {
        const struct graph_block block = g->blocks.p[b];
        if (!block.reachable || !in_loop(g, b, loop))
            continue;
        bool out[2] = {false, false};
        for (uint32_t s = 0; s < block.succ_count && s < 2; s++)
            out[s] = !in_loop(g, block.succs[s], loop);
        if (!out[0] && !out[1])
            continue;
        uint64_t target;
        graph_id leaves = graph_true(g);
        if (block.succ_count == 2 && !(out[0] && out[1])) {
            if (block.branch == GRAPH_NIL || !pat_play_target(g, block.last, &target)) {
                v->good = false;
                break;
            }
            uint32_t gone = block.succs[out[0] ? 0 : 1];
            bool when_taken = g->insns.p[g->blocks.p[gone].first].offset == target;
            leaves = when_taken ? block.branch : graph_not(g, block.branch);
        }
        if (v->exit_count == LOOP_EXITS) {
            v->good = false;
            break;
        }
        v->exit[v->exit_count].block = b;
        v->exit[v->exit_count++].leaves = leaves;
    }
    v->good &= v->exit_count > 0;
    return v;
}

void pat_play_counters(struct pat_play *p, uint32_t loop, struct pat_ctx *c)
{
    struct loop_view *v = view_of(p, loop);
    for (unsigned i = 0; i < v->exit_count; i++)
        VEC_PUSH(c->a, c->conditions, v->exit[i].leaves);
}

/* ---- one step of one thread ------------------------------------------------------------------ */

/* Elements an address is away from that of the thread 0 of a row; false: not known. */
bool pat_play_element(struct pat_play *p, const struct graph_affine *f, unsigned width, int64_t *out)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < f->term_count; i++) {
        uint64_t bits;
        if (pat_play_number(p, f->terms[i].term, &bits)) {
            bool wide = uop_type_bits((enum uop_type)graph_at(p->g, f->terms[i].term)->type) == 64;
            int64_t v = wide ? (int64_t)bits : (int32_t)(uint32_t)bits;
            if (v > 1 << 20 || v < -(1 << 20) || f->terms[i].coefficient > 1 << 20 ||
                f->terms[i].coefficient < -(1 << 20))
                return false;
            sum += v * f->terms[i].coefficient;
        } else if (pat_differs_in_block(p, f->terms[i].term)) {
            return false;
        }
    }
    if (sum % (int64_t)width)
        return false;
    *out = sum / (int64_t)width;
    return true;
}

/* b - a, term by term; false: too many terms. */
bool pat_play_distance(const struct graph_affine *a, const struct graph_affine *b, struct graph_affine *out)
{
    *out = (struct graph_affine){.offset = b->offset - a->offset};
    if (a->base != b->base)
        return false;
    for (int side = 0; side < 2; side++) {
        const struct graph_affine *f = side ? a : b;
        for (unsigned i = 0; i < f->term_count; i++) {
            int64_t c = side ? -f->terms[i].coefficient : f->terms[i].coefficient;
            unsigned k = 0;
            while (k < out->term_count && out->terms[k].term != f->terms[i].term)
                k++;
            if (k == GRAPH_AFFINE_MAX)
                return false;
            if (k == out->term_count) {
                out->terms[out->term_count++].term = f->terms[i].term;
                out->terms[k].coefficient = 0;
            }
            out->terms[k].coefficient += c;
        }
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < out->term_count; i++)
        if (out->terms[i].coefficient)
            out->terms[kept++] = out->terms[i];
    out->term_count = kept;
    return true;
}

/* Elements from `a` to `b`, all that parts the two being known. */
bool pat_play_apart(struct pat_play *p, const struct graph_affine *a, const struct graph_affine *b, int64_t bytes,
                    unsigned width, int64_t *out)
{
    struct graph_affine d;
    uint64_t bits;
    if (!pat_play_distance(a, b, &d))
        return false;
    for (unsigned i = 0; i < d.term_count; i++)
        if (!pat_play_number(p, d.terms[i].term, &bits))
            return false;
    if (!pat_play_element(p, &d, width, out) || (d.offset + bytes) % (int64_t)width)
        return false;
    *out += (d.offset + bytes) / (int64_t)width;
    return true;
}

/* Elements are counted from that of thread 0 in the first step. */
static bool play_memory(struct pat_play *p, const struct pat_step *s, const struct pat_step *first, int64_t *own,
                        int64_t *other)
{
    struct graph_affine f, a, b;
    int64_t base, away, from_first;
    if (!graph_affine(p->g, first->own_address, &f) || !graph_affine(p->g, s->own_address, &a) ||
        !graph_affine(p->g, s->other_address, &b) || !pat_play_element(p, &f, s->width, &base) ||
        !pat_play_apart(p, &f, &a, 0, s->width, &from_first) ||
        !pat_play_apart(p, &a, &b, s->other_bytes, s->width, &away))
        return false;
    *own = base - p->begin + from_first;
    if (s->moved || first->moved) { /* counted from the first thread's element, in whichever buffer */
        unsigned thread = p->thread;
        int64_t of_first;
        p->thread = 0;
        pat_play_forget(p);
        bool known =
            pat_play_element(p, &f, s->width, &of_first) && pat_play_apart(p, &f, &a, 0, s->width, &from_first);
        p->thread = thread;
        pat_play_forget(p);
        if (!known)
            return false;
        *own -= from_first;
    }
    *other = *own + away;
    if (p->down) { /* elements of one column */
        if ((*own - p->origin) % p->pitch || (*other - p->origin) % p->pitch)
            return false;
        *own = (*own - p->origin) / p->pitch;
        *other = (*other - p->origin) / p->pitch;
    }
    return true;
}

/* Where elements begin, as far as that is the same for the whole block and all turns: an array may lie behind another
 * one, by the size of the block. */
static int64_t begin_of(struct pat_play *p, const struct pat_step *first)
{
    struct graph_affine f, same = {0};
    int64_t begin;
    uint64_t bits;
    if (first->load_other == UINT32_MAX || !graph_affine(p->g, first->own_address, &f))
        return 0;
    p->thread = 0;
    pat_play_forget(p);
    for (unsigned i = 0; i < f.term_count; i++)
        if (!pat_differs_in_block(p, f.terms[i].term) && pat_play_number(p, f.terms[i].term, &bits))
            same.terms[same.term_count++] = f.terms[i];
    return pat_play_element(p, &same, first->width, &begin) ? begin : 0;
}

/* Where the elements of the column begin, and how far apart they are. */
static bool find_column(struct pat_play *p, const struct pat_step *first)
{
    struct graph_affine f;
    int64_t next;
    if (!graph_affine(p->g, first->own_address, &f))
        return false;
    p->thread = 0;
    pat_play_forget(p);
    if (!pat_play_element(p, &f, first->width, &p->origin))
        return false;
    p->thread = 1;
    pat_play_forget(p);
    if (!pat_play_element(p, &f, first->width, &next))
        return false;
    p->pitch = next - p->origin;
    return p->pitch != 0;
}

static bool play_lane(struct pat_play *p, const struct pat_step *s, int64_t *own, int64_t *other)
{
    uint64_t b, c;
    bool within;
    if (!pat_play_number(p, s->lane, &b) || !pat_play_number(p, s->clamp, &c))
        return false;
    *own = p->thread;
    *other = (p->thread & ~31u) + pat_play_lane(s->mode, p->thread & 31, (unsigned)b, (unsigned)c, &within);
    return true;
}

/* Writes what thread `thread` does in step `s` into turn `t`. */
static bool play_step(struct pat_play *p, const struct pat_step *s, const struct pat_step *first, struct pat_turn *t,
                      bool *acts)
{
    int64_t own, other;
    enum truth active = pat_play_truth(p, s->when, true);
    t->own[p->thread] = t->other[p->thread] = t->kept[p->thread] = -1;
    t->moved = s->moved != 0;
    if (active == IS_FALSE) {
        bool stores = s->store != UINT32_MAX && s->stored != s->when && pat_play_truth(p, s->stored, true) == IS_TRUE;
        if (stores && play_memory(p, s, first, &own, &other) && own >= 0 && own < INT16_MAX)
            t->kept[p->thread] = (int16_t)own;
        return true;
    }
    if (active == IS_UNKNOWN)
        return false;
    bool known = s->load_other == UINT32_MAX ? play_lane(p, s, &own, &other) : play_memory(p, s, first, &own, &other);
    if (!known || own < 0 || own >= INT16_MAX || other < INT16_MIN || other > INT16_MAX)
        return false;
    t->own[p->thread] = (int16_t)own;
    t->other[p->thread] = (int16_t)other;
    *acts = true;
    return true;
}

/* ---- all steps ------------------------------------------------------------------------------- */

static struct pat_turn *turn_at(struct pat_play *p, struct pat_trace *t, unsigned k, uint32_t step)
{
    if (k >= PAT_TURNS)
        return NULL;
    if (!t->turn[k]) {
        t->turn[k] = ARENA_NEW(p->a, struct pat_turn);
        if (!t->turn[k])
            return NULL;
    }
    t->turn[k]->step = step;
    return t->turn[k];
}

static void take_phis(struct pat_play *p, struct loop_view *v, const graph_id *from)
{
    uint64_t bits[LOOP_PHIS];
    bool known[LOOP_PHIS];
    for (unsigned i = 0; i < v->phi_count; i++)
        known[i] = pat_play_number(p, from[i], &bits[i]);
    pat_play_forget_turn(p);
    for (unsigned i = 0; i < v->phi_count; i++) {
        p->of[v->phi[i]].given = known[i];
        p->of[v->phi[i]].value = known[i] ? bits[i] : 0;
    }
}

static void release_phis(struct pat_play *p, struct loop_view *v)
{
    for (unsigned i = 0; i < v->phi_count; i++)
        p->of[v->phi[i]].given = false;
    pat_play_forget_turn(p);
}

/* All turns of one loop for one thread: turns go to [first, …), *made says how many. */
static bool play_loop(struct pat_play *p, struct loop_view *v, uint32_t loop, const struct pat_step *steps,
                      uint32_t from, uint32_t to, struct pat_trace *t, unsigned first, unsigned *made)
{
    bool acts = false, going = pat_play_truth(p, p->g->blocks.p[p->g->loops.p[loop].header].path, true) != IS_FALSE;
    unsigned k = first;
    take_phis(p, v, v->start);
    while (going) {
        for (uint32_t i = from; i < to; i++) {
            struct pat_turn *turn = turn_at(p, t, k, i);
            if (!turn || !play_step(p, &steps[i], steps, turn, &acts))
                return release_phis(p, v), false;
            k++;
        }
        for (unsigned e = 0; e < v->exit_count && going; e++) {
            enum truth there = pat_play_truth(p, p->g->blocks.p[v->exit[e].block].path, true);
            enum truth leaves = there == IS_FALSE ? IS_FALSE : pat_play_truth(p, v->exit[e].leaves, false);
            if (leaves == IS_UNKNOWN)
                return release_phis(p, v), false;
            going = leaves == IS_FALSE;
        }
        if (going)
            take_phis(p, v, v->next);
    }
    release_phis(p, v);
    *made = k - first;
    return true;
}

static bool any_acts(const struct pat_turn *t, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++)
        if (t->own[i] >= 0)
            return true;
    return false;
}

void pat_play_down(struct pat_play *p, bool down, unsigned column)
{
    p->down = down;
    p->column = column;
    pat_play_forget(p);
}

bool pat_play_asks_rows(const struct pat_play *p)
{
    return p->rows;
}

bool pat_play_columns(struct pat_play *p, const struct pat_step *steps, uint32_t count, const struct pat_trace *seen,
                      struct pat_trace *other)
{
    int64_t origin = p->origin, pitch = p->pitch, by = 1, room = 2;
    bool good = true;
    for (unsigned c = 1; c < PAT_COLUMNS && (int64_t)c < room && good; c++) {
        pat_play_down(p, true, c);
        good =
            pat_play_steps(p, steps, count, seen->threads, other) && other->count == seen->count && p->pitch == pitch;
        by = c > 1 ? by : p->origin - origin;
        good = good && by && p->origin - origin == by * (int64_t)c;
        for (unsigned k = 0; k < seen->count && good; k++)
            good = seen->turn[k]->step == other->turn[k]->step &&
                   memcmp(seen->turn[k]->own, other->turn[k]->own, seen->threads * sizeof seen->turn[k]->own[0]) == 0 &&
                   memcmp(seen->turn[k]->other, other->turn[k]->other,
                          seen->threads * sizeof seen->turn[k]->other[0]) == 0;
        if (c > 1 || !good)
            continue;
        int64_t apart = by < 0 ? -by : by, down = pitch < 0 ? -pitch : pitch;
        room = apart >= down * (int64_t)seen->threads ? PAT_COLUMNS : down / apart; /* columns that do not meet */
        good = room >= 2;
    }
    pat_play_down(p, true, 0);
    p->origin = origin;
    return good;
}

bool pat_play_steps(struct pat_play *p, const struct pat_step *steps, uint32_t count, unsigned threads,
                    struct pat_trace *out)
{
    bool acts = false;
    out->threads = p->threads = threads;
    out->count = 0;
    out->runs = false;
    p->begin = p->down ? 0 : begin_of(p, &steps[0]);
    if (p->down && !find_column(p, &steps[0]))
        return false;
    for (uint32_t i = 0, to; i < count; i = to) {
        unsigned first = out->count, made = 1, expected = 0;
        struct loop_view *v = steps[i].loop ? view_of(p, steps[i].loop - 1) : NULL;
        for (to = i + 1; v && to < count && steps[to].loop == steps[i].loop;)
            to++;
        if (v && !v->good)
            return false;
        out->runs |= v != NULL;
        for (p->thread = 0; p->thread < threads; p->thread++) {
            pat_play_forget(p);
            struct pat_turn *turn = v ? NULL : turn_at(p, out, first, i);
            if (v ? !play_loop(p, v, steps[i].loop - 1, steps, i, to, out, first, &made)
                  : !turn || !play_step(p, &steps[i], steps, turn, &acts))
                return false;
            if (p->thread && made != expected)
                return false; /* threads that turn a different number of times */
            expected = made;
        }
        /* Turns in which nobody does anything are none. */
        unsigned kept = first;
        for (unsigned k = first; k < first + made; k++)
            if (any_acts(out->turn[k], threads)) {
                struct pat_turn *swap = out->turn[kept];
                out->turn[kept++] = out->turn[k];
                out->turn[k] = swap;
            }
        out->count = kept;
    }
    return out->count > 0;
}
