/* How lanes part and meet. A split is a set of lanes that go together; a branch parts it, and splits join again where
 * the program says so: at a BSYNC of the meeting that a BSSY has set up, at a WARPSYNC. Barriers of the block count
 * threads, not splits.
 *
 * Whom a lane waits for at a meeting is kept lane by lane, so that two splits may use one number at a time. Lanes that
 * have ended are waited for by nobody.
 * requires: a warp that emu_flow_start() has set up · gives: its splits */
#include "emu/emu_internal.h"

void emu_flow_start(struct emu_warp *w)
{
    w->live = w->threads;
    w->yielded = 0;
    w->split_count = 1;
    w->turn = 0;
    w->splits[0] = (struct emu_split){.lanes = w->threads};
}

void emu_flow_part(struct emu_warp *w, uint32_t split, uint32_t lanes, uint32_t pc)
{
    struct emu_split *s = &w->splits[split];
    if (lanes == s->lanes) {
        s->pc = pc;
        return;
    }
    s->lanes &= ~lanes;
    w->splits[w->split_count++] = (struct emu_split){.pc = pc, .lanes = lanes}; /* each has a lane: at most 32 */
}

static void remove_split(struct emu_warp *w, uint32_t split)
{
    for (uint32_t i = split; i + 1 < w->split_count; i++)
        w->splits[i] = w->splits[i + 1];
    w->split_count--;
}

void emu_flow_exit(struct emu_warp *w, uint32_t split, uint32_t lanes)
{
    w->live &= ~lanes;
    w->splits[split].lanes &= ~lanes;
    if (!w->splits[split].lanes)
        remove_split(w, split);
}

/* Whom split `i` waits for, and the lanes that wait at the same thing. */
static uint32_t wanted(const struct emu_warp *w, uint32_t i, uint32_t *there)
{
    const struct emu_split *s = &w->splits[i];
    *there = 0;
    for (uint32_t k = 0; k < w->split_count; k++) {
        const struct emu_split *o = &w->splits[k];
        bool same = o->state == s->state && (s->state == EMU_AT_MEETING ? o->number == s->number : o->mask == s->mask);
        *there |= same ? o->lanes : 0;
    }
    uint32_t all = s->state == EMU_AT_MEETING ? w->meeting[s->number][emu_first(s->lanes)] : s->mask;
    return all & w->live;
}

/* Splits that were let go at the same place are one from here. */
static void join(struct emu_warp *w, uint32_t lanes)
{
    for (uint32_t i = 0; i < w->split_count; i++) {
        for (uint32_t k = i + 1; k < w->split_count;) {
            struct emu_split *a = &w->splits[i], *b = &w->splits[k];
            if (a->state == EMU_READY && b->state == EMU_READY && a->pc == b->pc && a->lanes & lanes &&
                b->lanes & lanes) {
                a->lanes |= b->lanes;
                remove_split(w, k);
            } else {
                k++;
            }
        }
    }
}

bool emu_flow_meet(struct emu_warp *w)
{
    bool any = false;
    for (uint32_t i = 0; i < w->split_count; i++) {
        struct emu_split *s = &w->splits[i];
        uint32_t there;
        if (s->state != EMU_AT_MEETING && s->state != EMU_AT_WARPSYNC)
            continue;
        uint32_t all = wanted(w, i, &there);
        if (!(all & s->lanes)) { /* nobody waits for these: they do not wait either */
            s->state = EMU_READY;
            s->pc++;
            any = true;
            continue;
        }
        /* Lanes that yield are not waited for: they may be waiting for what these do next. */
        if (all & ~there & (s->state == EMU_AT_MEETING ? ~w->yielded : UINT32_MAX))
            continue;
        uint8_t state = s->state, number = s->number;
        uint32_t mask = s->mask, gone = 0;
        for (uint32_t k = 0; k < w->split_count; k++) {
            struct emu_split *o = &w->splits[k];
            if (o->state != state || !(o->lanes & all) ||
                (state == EMU_AT_MEETING ? o->number != number : o->mask != mask))
                continue;
            o->state = EMU_READY;
            o->pc++;
            gone |= o->lanes;
        }
        if (all & ~gone) /* those that come later wait for each other only */
            EMU_EACH(lane, all & ~gone)
                w->meeting[number][lane] &= ~gone;
        w->yielded &= ~gone;
        join(w, gone);
        any = true;
    }
    return any;
}

/* ---- barriers of the block ----------------------------------------------------------------------------------- */

bool emu_flow_arrive(struct emu_machine *m, const struct emu_op *op, uint32_t *number)
{
    unsigned lane = emu_first(m->exec);
    emu_use(m, op->arg[0], op->forms[0], m->exec, "the number of this barrier");
    emu_use(m, op->arg[1], op->forms[1], m->exec, "the threads of this barrier");
    emu_use(m, op->arg[2], op->forms[2], m->exec, "what this barrier reduces");
    *number = op->forms[0] == EMU_FORM_NONE ? 0 : (uint32_t)emu_lane(m, op->arg[0], op->forms[0], lane) & 15;
    struct emu_barrier *b = &m->block->barriers[*number];
    uint32_t w = m->warp->number;
    if (b->lanes[w] && b->pc[w] != m->index)
        emu_find(m, EMU_DIVERGENT_BARRIER, lane, NULL,
                 "threads of one warp come to barrier %u here and at 0x%04x in the same round", *number,
                 m->program.steps[b->pc[w]].offset);
    if (!b->lanes[w])
        b->pc[w] = m->index;
    if (!b->warps) {
        b->all = true;
        b->any = false;
        b->count = 0;
        b->expected = 0;
    }
    b->warps |= 1u << w;
    b->lanes[w] |= m->exec;
    if (op->forms[1] != EMU_FORM_NONE)
        b->expected = (uint32_t)emu_lane(m, op->arg[1], op->forms[1], lane);
    if (op->forms[2] == EMU_FORM_MASK) {
        uint32_t yes = emu_mask(m, op->arg[2]) & m->exec;
        b->all &= yes == m->exec;
        b->any |= yes != 0;
        b->count += emu_ones(yes);
    }
    bool waits = op->uop.imm != UOP_BAR_ARRIVE;
    b->waiting |= waits;
    return waits;
}

/* As many threads have come as it wants. A warp whose threads are all there counts as a whole one. */
static bool is_full(const struct emu_block *b, const struct emu_barrier *bar)
{
    uint32_t arrived = 0;
    for (uint32_t w = 0; w < b->warp_count; w++) {
        bool whole = !(b->warps[w].live & ~bar->lanes[w]);
        if (!bar->expected && !whole)
            return false;
        arrived += bar->lanes[w] ? (whole ? (uint32_t)EMU_LANES : emu_ones(bar->lanes[w])) : 0;
    }
    return !bar->expected || arrived >= bar->expected;
}

static void open_barrier(struct emu_machine *m, struct emu_block *b, uint32_t number)
{
    struct emu_barrier *bar = &b->barriers[number];
    emu_race_meet(b, bar->warps);
    EMU_EACH(i, bar->warps) {
        struct emu_warp *w = &b->warps[i];
        uint32_t gone = 0;
        for (uint32_t k = 0; k < w->split_count; k++) {
            struct emu_split *s = &w->splits[k];
            if (s->state != EMU_AT_BARRIER || s->number != number)
                continue;
            const struct emu_step *step = &m->program.steps[s->pc];
            for (uint32_t o = 0; o < step->op_count; o++) {
                if (step->ops[o].uop.kind != UOP_BAR || step->ops[o].uop.imm < UOP_BAR_RED_POPC)
                    continue;
                w->barrier_count = bar->count;
                w->barrier_counts = step->ops[o].uop.imm == UOP_BAR_RED_POPC;
                w->barrier_predicate = step->ops[o].uop.imm == UOP_BAR_RED_AND  ? bar->all
                                       : step->ops[o].uop.imm == UOP_BAR_RED_OR ? bar->any
                                                                                : bar->count != 0;
            }
            s->state = EMU_READY;
            s->pc++;
            gone |= s->lanes;
        }
        join(w, gone);
    }
    *bar = (struct emu_barrier){0};
}

bool emu_flow_barriers(struct emu_machine *m, struct emu_block *b)
{
    bool any = false;
    for (uint32_t i = 0; i < EMU_BARRIERS; i++)
        if (b->barriers[i].warps && is_full(b, &b->barriers[i])) {
            any |= b->barriers[i].waiting;
            open_barrier(m, b, i);
        }
    return any;
}

void emu_flow_stuck(struct emu_machine *m, struct emu_block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct emu_warp *w = &b->warps[i];
        for (uint32_t k = 0; k < w->split_count; k++) {
            const struct emu_split *s = &w->splits[k];
            emu_find_at(m, EMU_DEADLOCK, s->pc, b, w, emu_first(s->lanes), NULL,
                        s->state == EMU_AT_BARRIER   ? "waits at a barrier that not enough threads can reach"
                        : s->state == EMU_AT_MEETING ? "waits for lanes of its warp that wait elsewhere"
                                                     : "waits for lanes that do not come here");
        }
    }
}
