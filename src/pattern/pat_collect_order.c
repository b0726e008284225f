/* Whether the steps of a play happen in the order in which they were played: what is loaded was stored by the step that
 * wrote the element last, and within a turn no thread stores what another has yet to load. Requires a trace and memory
 * dependence. */
#include "pattern/pat_collect.h"

#include <string.h>

static bool is_read_by(const struct graph_dependence *d, uint32_t load, uint32_t store)
{
    for (uint32_t r = d->first_reach[load]; r < d->first_reach[load + 1]; r++)
        if (d->reaches.p[r].store == store)
            return true;
    return false;
}

/* A load that was moved before the store of the step it should follow reads what was there before: in each turn, what
 * is read must be able to come from the step that wrote the element last. */
bool pat_reads_newest(struct pat_collect *k, const struct pat_step *steps, const struct pat_trace *t, unsigned from,
                      unsigned count)
{
    const struct graph_dependence *d = k->x->g->dependence;
    uint32_t *writer = ARENA_ARRAY(k->a, uint32_t, PAT_THREADS), *next = ARENA_ARRAY(k->a, uint32_t, PAT_THREADS);
    if (!writer || !next || !d || !d->first_reach)
        return false;
    memset(writer, 0xff, PAT_THREADS * sizeof *writer);
    for (unsigned i = from; i < from + count; i++) {
        const struct pat_turn *turn = t->turn[i];
        const struct pat_step *step = &steps[turn->step];
        uint32_t seen[2] = {UINT32_MAX, UINT32_MAX}; /* asked before */
        memcpy(next, writer, PAT_THREADS * sizeof *writer);
        for (unsigned n = 0; n < t->threads; n++) {
            const int16_t at[2] = {turn->own[n], turn->other[n]};
            const uint32_t loads[2] = {step->load_own, step->load_other};
            if (turn->kept[n] >= 0 && turn->kept[n] < PAT_THREADS)
                next[turn->kept[n]] = step->store;
            if (at[0] < 0)
                continue;
            for (int w = 0; w < 2; w++) {
                uint32_t last = at[w] >= 0 && at[w] < PAT_THREADS ? writer[at[w]] : UINT32_MAX;
                if (loads[w] == UINT32_MAX || last == UINT32_MAX || last == seen[w])
                    continue;
                if (!is_read_by(d, loads[w], last))
                    return false;
                seen[w] = last;
            }
            if (at[0] < PAT_THREADS)
                next[at[0]] = step->store;
        }
        memcpy(writer, next, PAT_THREADS * sizeof *writer);
    }
    return true;
}

/* The whole block meets between an instance and a later one. */
static bool meets_between(const struct graph *g, uint32_t from, uint32_t to)
{
    const bool *meets = g->dependence ? g->dependence->meets : NULL;
    for (uint32_t i = from; i < to && meets; i++)
        if (meets[i])
            return true;
    return false;
}

/* Within a turn nobody may store what another thread loads, unless all meet in between. Lanes of one warp that run in
 * step load before they store: *assumed. */
bool pat_overtakes_nobody(struct pat_collect *k, const struct pat_step *steps, const struct pat_trace *t, unsigned from,
                          unsigned count, bool *assumed)
{
    int16_t *writer = ARENA_ARRAY(k->a, int16_t, PAT_THREADS);
    if (!writer)
        return false;
    for (unsigned i = from; i < from + count; i++) {
        const struct pat_turn *turn = t->turn[i];
        const struct pat_step *step = &steps[turn->step];
        int64_t apart = step->moved < 0 ? -step->moved : step->moved;
        if (step->moved && apart >= (int64_t)t->threads * step->width) /* no load is from where the store is to */
            continue;
        if (step->store == UINT32_MAX || meets_between(k->x->g, k->x->g->accesses.p[step->load_other].insn, step->insn))
            continue;
        memset(writer, 0xff, PAT_THREADS * sizeof *writer);
        for (unsigned n = 0; n < t->threads; n++)
            if (turn->own[n] >= 0 && turn->own[n] < PAT_THREADS) {
                if (writer[turn->own[n]] >= 0)
                    return false; /* two for one element */
                writer[turn->own[n]] = (int16_t)n;
            } else if (turn->kept[n] >= 0 && turn->kept[n] < PAT_THREADS) {
                writer[turn->kept[n]] = (int16_t)n;
            }
        for (unsigned n = 0; n < t->threads; n++) {
            int other = turn->other[n];
            if (turn->own[n] < 0 || other < 0 || other >= PAT_THREADS || writer[other] < 0 || writer[other] == (int)n)
                continue;
            if (k->down || (unsigned)writer[other] / 32 != n / 32)
                return false;
            *assumed = true;
        }
    }
    return true;
}

bool pat_is_step_access(const struct pat_step *const *steps, uint32_t count, uint32_t access)
{
    for (uint32_t i = 0; i < count; i++)
        if (steps[i]->store == access || steps[i]->load_own == access || steps[i]->load_other == access ||
            steps[i]->again == access)
            return true;
    return false;
}

static bool reads_of_steps(const struct graph_dependence *d, const struct pat_step *const *steps, uint32_t count,
                           uint32_t store)
{
    for (uint32_t i = 0; i < count; i++)
        if ((steps[i]->load_own != UINT32_MAX && is_read_by(d, steps[i]->load_own, store)) ||
            (steps[i]->load_other != UINT32_MAX && is_read_by(d, steps[i]->load_other, store)))
            return true;
    return false;
}

/* What steps may do to one another is known when they are played: these steps, or others whose elements these do not
 * see. */
static bool is_played(const struct pat_collect *k, const struct graph_race *r, const struct pat_step *const *steps,
                      uint32_t count)
{
    const struct graph_dependence *d = k->x->g->dependence;
    bool first = pat_is_step_access(steps, count, r->first), second = pat_is_step_access(steps, count, r->second);
    if (first || second)
        return first && second;
    return k->step_access[r->first] && k->step_access[r->second] && !reads_of_steps(d, steps, count, r->first) &&
           !reads_of_steps(d, steps, count, r->second);
}

/* Of memory in which threads overtake one another, or may, nothing is claimed, wherever in it that is; what steps do
 * to one another is played. */
bool pat_collect_races(const struct pat_collect *k, uint32_t access, const struct pat_step *const *steps,
                       uint32_t count)
{
    const struct graph_dependence *d = k->x->g->dependence;
    if (!d || !d->object_of || !d->complete)
        return true;
    const struct graph_object *own = &d->objects.p[d->object_of[access]];
    for (size_t i = 0; i < d->races.n + d->doubts.n; i++) {
        bool doubt = i >= d->races.n;
        const struct graph_race *r = doubt ? &d->doubts.p[i - d->races.n] : &d->races.p[i];
        const uint32_t pair[2] = {r->first, r->second};
        bool here = false;
        for (int w = 0; w < 2 && (doubt || !r->assumed); w++) {
            const struct graph_object *o = &d->objects.p[d->object_of[pair[w]]];
            here |= o == own || (o->space == own->space && (!o->known || !own->known));
        }
        if (here && !(doubt && is_played(k, r, steps, count)))
            return true;
    }
    return false;
}
