/* What the hardware counts of one access of a warp: sectors of 32 bytes in global memory, wavefronts in shared memory.
 *
 * Shared memory gives 32 words of different banks at a time. Lanes that want 8 bytes go in halves of the warp, 16 bytes
 * in quarters; two neighbouring parts of a load go together when no bank is asked for two words
 * (test/golden/place/h200_shared_conflicts.tsv, which test_emu_compute holds).
 * requires: addresses of the active lanes · gives: counts of the running instruction */
#include "emu/emu_internal.h"

enum { BANKS = 32, SECTOR = 32 };

void emu_count_global(struct emu_machine *m, const uint64_t *address, uint32_t lanes, unsigned width)
{
    struct emu_count *count = &m->result->counts[m->index];
    uint64_t sectors[EMU_LANES], last = UINT64_MAX;
    uint32_t n = 0;
    EMU_EACH(lane, lanes) {
        uint64_t sector = address[lane] / SECTOR;
        if (sector == last)
            continue;
        last = sector;
        uint32_t i = 0;
        while (i < n && sectors[i] != sector)
            i++;
        if (i == n)
            sectors[n++] = sector;
    }
    uint32_t ideal = (emu_ones(lanes) * width + SECTOR - 1) / SECTOR;
    count->global_requests++;
    count->global_sectors += n;
    count->global_sectors_ideal += ideal < n ? ideal : n;
}

/* The most different words of one bank that the lanes of `part` want. */
static uint32_t worst_bank(const uint32_t *address, uint32_t part, unsigned width)
{
    uint32_t words[4 * EMU_LANES], next[4 * EMU_LANES], n = 0, worst = 0;
    uint32_t first[BANKS], asked[BANKS];
    for (unsigned i = 0; i < BANKS; i++) {
        first[i] = UINT32_MAX;
        asked[i] = 0;
    }
    EMU_EACH(lane, part) {
        for (unsigned k = 0; k < (width < 4 ? 1 : width / 4); k++) {
            uint32_t word = address[lane] / 4 + k, bank = word % BANKS, at = first[bank];
            while (at != UINT32_MAX && words[at] != word)
                at = next[at];
            if (at != UINT32_MAX)
                continue;
            words[n] = word;
            next[n] = first[bank];
            first[bank] = n++;
            asked[bank]++;
            worst = asked[bank] > worst ? asked[bank] : worst;
        }
    }
    return worst;
}

void emu_count_shared(struct emu_machine *m, const uint32_t *address, uint32_t lanes, unsigned width)
{
    struct emu_count *count = &m->result->counts[m->index];
    unsigned parts = width <= 4 ? 1 : width / 4;
    uint32_t part = parts == 1 ? UINT32_MAX : (1u << EMU_LANES / parts) - 1, total = 0, ideal = 0;
    bool load = false;
    for (uint32_t i = 0; i < m->step->op_count; i++)
        load |= m->step->ops[i].uop.kind == UOP_LOAD;
    for (unsigned i = 0; i < parts; i++)
        ideal += (lanes & part << i * (EMU_LANES / parts)) != 0;
    if (parts == 1) {
        total = worst_bank(address, lanes, width);
    } else {
        for (unsigned i = 0; i < parts; i += 2) {
            uint32_t a = lanes & part << i * (EMU_LANES / parts), b = lanes & part << (i + 1) * (EMU_LANES / parts);
            uint32_t one = worst_bank(address, a, width), two = worst_bank(address, b, width);
            uint32_t both = worst_bank(address, a | b, width);
            total += load && both == 1 ? 1 : one + two;
        }
    }
    count->shared_wavefronts += total;
    count->shared_ideal += ideal < total ? ideal : total;
}
