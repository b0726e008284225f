/* Races on shared memory: two warps touch the same bytes, one of them writes, and no barrier stands between.
 *
 * Each warp keeps how far it knows every other to have come; a barrier makes those who passed it know what any of them
 * knew, an atomic or a fence hands on what its warp knows to later ones (more order than there may be: a doubt is no
 * finding). Lanes of one warp are not told apart: whether they ran together is not to be seen in machine code.
 * The last writer and reader of a word are kept, and one row of readers when there are several.
 *
 * requires: accesses in the order the run made them · gives: findings */
#include "emu/emu_internal.h"

#include <stdlib.h>
#include <string.h>

enum { TIME_BITS = 24, TIME_MAX = (1 << TIME_BITS) - 1, WARP_MASK = EMU_WARPS_MAX - 1 };
static const uint32_t several = 0x80000000u;

static uint32_t stamp(const struct emu_machine *m)
{
    uint32_t w = m->warp->number;
    return w << TIME_BITS | m->block->race.time[w][w];
}

/* The access `by` stands before everything the running warp does now. */
static bool is_before(const struct emu_machine *m, uint32_t by)
{
    uint32_t w = by >> TIME_BITS & WARP_MASK;
    return !by || w == m->warp->number || m->block->race.time[m->warp->number][w] >= (by & TIME_MAX);
}

static bool reads_are_before(const struct emu_machine *m, uint32_t reader)
{
    if (!(reader & several))
        return is_before(m, reader);
    const uint32_t *row = m->block->race.readers[reader & ~several];
    for (uint32_t w = 0; w < m->block->warp_count; w++)
        if (row[w] && !is_before(m, w << TIME_BITS | row[w]))
            return false;
    return true;
}

static void note_reader(struct emu_machine *m, struct emu_touch *t)
{
    struct emu_race *race = &m->block->race;
    uint32_t now = stamp(m);
    if (!(t->reader & several)) {
        if (is_before(m, t->reader)) {
            t->reader = now;
            return;
        }
        uint32_t number = race->reader_free ? race->reader_free - 1 : race->reader_count;
        if (race->reader_free) {
            race->reader_free = race->readers[number][0];
        } else if (race->reader_count++ == race->reader_room) {
            uint32_t room = race->reader_room ? 2 * race->reader_room : 256;
            uint32_t(*more)[EMU_WARPS_MAX] = realloc(race->readers, room * sizeof *more);
            if (!more) {
                race->off = true; /* no findings rather than wrong ones */
                race->reader_count--;
                return;
            }
            race->readers = more;
            race->reader_room = room;
        }
        uint32_t *row = race->readers[number];
        memset(row, 0, sizeof race->readers[0]);
        row[t->reader >> TIME_BITS & WARP_MASK] = t->reader & TIME_MAX;
        t->reader = several | number;
    }
    race->readers[t->reader & ~several][m->warp->number] = now & TIME_MAX;
}

void emu_race_access(struct emu_machine *m, uint32_t address, uint32_t width, bool writes, unsigned lane)
{
    struct emu_race *race = &m->block->race;
    if (race->off)
        return;
    uint32_t first = address >> race->shift, last = (address + width - 1) >> race->shift;
    for (uint32_t i = first; i <= last; i++) {
        struct emu_touch *t = &race->touches[i];
        uint64_t where = address;
        if (!is_before(m, t->writer))
            emu_find(m, EMU_SHARED_RACE, lane, &where, "%s what another warp has written, with no barrier between",
                     writes ? "overwrites" : "reads");
        else if (writes && !reads_are_before(m, t->reader))
            emu_find(m, EMU_SHARED_RACE, lane, &where, "overwrites what another warp reads, with no barrier between");
        if (writes) {
            if (t->reader & several) { /* its row is free */
                race->readers[t->reader & ~several][0] = race->reader_free;
                race->reader_free = (t->reader & ~several) + 1;
            }
            t->writer = stamp(m);
            t->reader = 0;
        } else {
            note_reader(m, t);
        }
    }
}

static void later(uint32_t *time, const uint32_t *other)
{
    for (unsigned i = 0; i < EMU_WARPS_MAX; i++)
        time[i] = other[i] > time[i] ? other[i] : time[i];
}

static void tick(struct emu_race *race, uint32_t warp)
{
    if (++race->time[warp][warp] >= TIME_MAX)
        race->off = true;
}

void emu_race_meet(struct emu_block *b, uint32_t warps)
{
    uint32_t known[EMU_WARPS_MAX] = {0};
    EMU_EACH(w, warps)
        later(known, b->race.time[w]);
    EMU_EACH(w, warps) {
        memcpy(b->race.time[w], known, sizeof known);
        tick(&b->race, w);
    }
}

void emu_race_hand_on(struct emu_machine *m)
{
    struct emu_race *race = &m->block->race;
    uint32_t w = m->warp->number;
    later(race->time[w], race->shared_time);
    memcpy(race->shared_time, race->time[w], sizeof race->shared_time);
    tick(race, w);
}
