/* A launch from its first block to its last: memory of a block, turns of its warps, and blocks that run side by side.
 *
 * A block runs until it is done; when one does not come to its end in its turn (it may wait for another), the next one
 * starts beside it, so that programs whose blocks wait for each other run too. Turns are counted in instructions: the
 * same launch runs the same way every time.
 *
 * requires: an emu_code and an emu_launch that outlive the call · gives: emu_run() */
#include "emu/emu_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    WARP_TURN = 4096,      /* instructions of a split before others have their turn */
    BLOCK_TURN = 1 << 20,  /* of a block that is alone */
    BLOCK_SHARE = 1 << 16, /* of one among several */
    BLOCK_ROOM = 1 << 30,  /* bytes of all blocks that run side by side */
    BLOCKS_MOST = 4096,
    SHARED_MOST = 1 << 20,
    LOCAL_MOST = 1 << 20,
};

static size_t round_up(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

/* The parts of a block's memory, in one piece. */
struct layout {
    size_t registers, local, warp, shared, touches, warps, whole;
    uint32_t warp_count, threads;
};

static struct layout layout_of(const struct emu_machine *m)
{
    const struct emu_launch *l = m->launch;
    struct layout at = {.threads = l->block[0] * l->block[1] * l->block[2]};
    at.warp_count = (at.threads + EMU_LANES - 1) / EMU_LANES;
    at.registers = (size_t)m->program.registers * EMU_ROW_BYTES;
    at.local = m->program.local ? round_up((size_t)l->local_bytes * EMU_LANES) : 0;
    at.warp = 2 * at.registers + round_up(4 * (size_t)m->program.registers) + 2 * at.local;
    at.shared = round_up((size_t)l->shared_bytes + 1);
    at.touches =
        round_up(((size_t)l->shared_bytes + 4) * sizeof(struct emu_touch) / (m->program.narrow_shared ? 1 : 4));
    at.warps = round_up(sizeof(struct emu_warp) * at.warp_count);
    at.whole = round_up(sizeof(struct emu_block)) + at.warps + at.warp * at.warp_count + 2 * at.shared + at.touches;
    return at;
}

static void start_warp(struct emu_machine *m, struct emu_warp *w, const struct layout *at, uint32_t number)
{
    const uint32_t *block = m->launch->block;
    memset(w->r_undefined, 0xff, at->registers);
    memset(w->bad, 0xff, 4 * (size_t)m->program.registers);
    memset(w->bad_p, 0xff, sizeof w->bad_p);
    memset(w->ur_undefined, 0xff, sizeof w->ur_undefined);
    memset(w->origin, 0xff, sizeof w->origin);
    memset(w->meeting, 0, sizeof w->meeting);
    memset(w->r, 0, at->registers);
    memset(w->p, 0, sizeof w->p);
    memset(w->ur, 0, sizeof w->ur);
    if (at->local)
        memset(w->local_defined, 0, at->local);
    w->bad_up = UINT32_MAX;
    w->up = w->barrier_count = 0;
    w->barrier_predicate = w->barrier_counts = false;
    w->number = number;
    w->threads = 0;
    for (uint32_t lane = 0; lane < EMU_LANES; lane++) {
        uint32_t t = number * EMU_LANES + lane;
        w->threads |= (uint32_t)(t < at->threads) << lane;
        w->tid[0][lane] = t % block[0];
        w->tid[1][lane] = t / block[0] % block[1];
        w->tid[2][lane] = t / block[0] / block[1];
    }
    emu_flow_start(w);
}

static struct emu_block *new_block(struct emu_machine *m, const struct layout *at)
{
    struct emu_block *b = m->free;
    if (b) {
        m->free = b->next;
        return b;
    }
    uint8_t *p = aligned_alloc(64, at->whole);
    if (!p)
        return NULL;
    memset(p, 0, at->whole);
    b = (struct emu_block *)p;
    p += round_up(sizeof *b);
    b->warps = (struct emu_warp *)p;
    p += at->warps;
    b->warp_count = at->warp_count;
    for (uint32_t i = 0; i < at->warp_count; i++) {
        struct emu_warp *w = &b->warps[i];
        w->r = (uint32_t *)p;
        w->r_undefined = (uint32_t *)(p + at->registers);
        w->bad = (uint32_t *)(p + 2 * at->registers);
        w->local = p + at->warp - 2 * at->local;
        w->local_defined = p + at->warp - at->local;
        p += at->warp;
    }
    b->shared = p;
    b->shared_defined = p + at->shared;
    b->race.touches = (struct emu_touch *)(p + 2 * at->shared);
    b->race.shift = m->program.narrow_shared ? 0 : 2;
    return b;
}

static void start_block(struct emu_machine *m, struct emu_block *b, const struct layout *at, uint64_t number)
{
    const uint32_t *grid = m->launch->grid;
    struct emu_race *race = &b->race;
    b->id[0] = (uint32_t)(number % grid[0]);
    b->id[1] = (uint32_t)(number / grid[0] % grid[1]);
    b->id[2] = (uint32_t)(number / grid[0] / grid[1]);
    b->threads = at->threads;
    b->next = NULL;
    memset(b->barriers, 0, sizeof b->barriers);
    memset(b->shared, 0, at->shared);
    memset(b->shared_defined, 0, at->shared);
    memset(b->shared_defined, 1, m->launch->shared_reserved < at->shared ? m->launch->shared_reserved : 0);
    memset(race->touches, 0, at->touches);
    memset(race->time, 0, sizeof race->time);
    memset(race->shared_time, 0, sizeof race->shared_time);
    race->reader_count = race->reader_free = 0;
    race->off = false;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        race->time[i][i] = 1;
        start_warp(m, &b->warps[i], at, i);
    }
}

/* Runs the warp until none of its lanes is ready, or its turn is over. True: something ran. */
static bool run_warp(struct emu_machine *m, struct emu_warp *w)
{
    bool ran = false;
    for (uint32_t turns = 0; turns < EMU_LANES && !m->stop; turns++) {
        uint32_t i = 0;
        while (i < w->split_count && w->splits[(w->turn + i) % w->split_count].state != EMU_READY)
            i++;
        if (i >= w->split_count) {
            if (!emu_flow_meet(w))
                break;
            continue;
        }
        uint32_t split = (w->turn + i) % w->split_count;
        emu_step_split(m, w, split, WARP_TURN);
        emu_flow_meet(w);
        w->turn = split + 1;
        ran = true;
    }
    return ran;
}

enum end { BLOCK_DONE, BLOCK_GOES_ON };

static enum end run_block(struct emu_machine *m, struct emu_block *b, uint64_t turn)
{
    uint64_t until = m->result->instructions + turn;
    m->block = b;
    while (!m->stop && m->result->instructions < until) {
        bool ran = false, alive = false;
        for (uint32_t i = 0; i < b->warp_count && !m->stop; i++) {
            ran |= b->warps[i].split_count && run_warp(m, &b->warps[i]);
            alive |= b->warps[i].split_count != 0;
        }
        if (!alive)
            return BLOCK_DONE;
        if (!emu_flow_barriers(m, b) && !ran && !m->stop) {
            emu_flow_stuck(m, b);
            m->stop = true;
        }
    }
    return BLOCK_GOES_ON;
}

static enum sp_status run_blocks(struct emu_machine *m, const struct layout *at)
{
    const uint32_t *grid = m->launch->grid;
    uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2], next = 0;
    uint32_t most = at->whole > BLOCK_ROOM ? 1 : (uint32_t)(BLOCK_ROOM / at->whole), count = 0;
    most = most > BLOCKS_MOST ? BLOCKS_MOST : most;
    struct emu_block **running = ARENA_ARRAY(m->a, struct emu_block *, most);
    if (!running)
        return SP_ERR_MEMORY;
    enum sp_status status = SP_OK;
    uint32_t wanted = 1; /* side by side */
    while (!m->stop && (count || next < total)) {
        while (next < total && count < most && count < wanted) {
            struct emu_block *b = new_block(m, at);
            if (!b) {
                status = count ? SP_OK : SP_ERR_MEMORY;
                most = count ? count : most;
                m->stop = !count;
                break;
            }
            start_block(m, b, at, next++);
            running[count++] = b;
        }
        bool some_done = false;
        for (uint32_t i = 0; i < count && !m->stop;) {
            if (run_block(m, running[i], count > 1 ? BLOCK_SHARE : BLOCK_TURN) == BLOCK_DONE) {
                running[i]->next = m->free;
                m->free = running[i];
                running[i] = running[--count];
                some_done = true;
            } else {
                i++;
            }
        }
        if (!some_done && wanted < most) /* they may wait for those that have not begun */
            wanted *= 2;
    }
    m->result->finished = !m->stop;
    while (count) {
        running[--count]->next = m->free;
        m->free = running[count];
    }
    while (m->free) {
        struct emu_block *b = m->free;
        m->free = b->next;
        free(b->race.readers);
        free(b);
    }
    return status;
}

static bool is_sane(const struct emu_launch *l)
{
    uint64_t threads = 1;
    for (unsigned d = 0; d < 3; d++) {
        if (!l->grid[d] || !l->block[d] || l->block[d] > EMU_THREADS_MAX || (d && l->grid[d] > 65535) ||
            l->grid[d] > INT32_MAX)
            return false;
        threads *= l->block[d];
    }
    return threads <= EMU_THREADS_MAX && l->shared_bytes <= SHARED_MOST && l->local_bytes <= LOCAL_MOST &&
           l->buffer_count <= EMU_BUFFERS_MAX;
}

enum sp_status emu_run(struct arena *a, const struct emu_code *code, const struct emu_launch *launch,
                       struct emu_result *result)
{
    *result = (struct emu_result){0};
    if (!is_sane(launch) || !code->count)
        return SP_ERR_USAGE;
    struct emu_machine *m = ARENA_NEW(a, struct emu_machine);
    if (!m)
        return SP_ERR_MEMORY;
    *m = (struct emu_machine){.a = a, .code = code, .launch = launch, .result = result};
    enum sp_status status = emu_program_make(m);
    if (status != SP_OK)
        return status;
    result->counts = ARENA_ARRAY(a, struct emu_count, code->count);
    result->assumed = ARENA_ARRAY(a, bool, code->count);
    m->touched = ARENA_ARRAY(a, uint8_t *, launch->buffer_count + 1u);
    if (!result->counts || !result->assumed || !m->touched)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < launch->buffer_count; i++) {
        m->touched[i] = arena_alloc(a, (size_t)launch->buffers[i].size);
        if (!m->touched[i])
            return SP_ERR_MEMORY;
    }
    struct layout at = layout_of(m);
    return run_blocks(m, &at);
}
