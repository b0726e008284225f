/* Memory: what an address is, and loads and stores of every space. Buffers of the launch lie far apart, shared memory
 * is the block's, local memory the thread's; a generic address is one of these by its upper word. An access that is
 * misaligned or lies in none of them is a finding; it then reads zero or writes nothing, and the run goes on.
 *
 * requires: an operation of emu_program.c · gives: values, marks of what is defined and touched, counts */
#include "emu/emu_internal.h"

#include <string.h>

enum { BUFFER_SHIFT = 36 };
enum { TOUCH_LOADED = 1, TOUCH_STORED = 2 };

uint64_t emu_buffer_address(uint32_t index)
{
    return (uint64_t)(index + 1) << BUFFER_SHIFT;
}

static bool find_global(struct emu_machine *m, uint64_t address, unsigned width, struct emu_cell *cell)
{
    uint64_t number = (address >> BUFFER_SHIFT) - 1, at = address & ((UINT64_C(1) << BUFFER_SHIFT) - 1);
    if (number >= m->launch->buffer_count)
        return false;
    const struct emu_buffer *b = &m->launch->buffers[number];
    if (at >= b->size || width > b->size - at)
        return false;
    cell->bytes = b->bytes + at;
    cell->touched = m->touched[number] + at;
    return true;
}

static bool find_shared(struct emu_machine *m, uint64_t address, unsigned width, struct emu_cell *cell)
{
    if (address >= m->launch->shared_bytes || width > m->launch->shared_bytes - address)
        return false;
    cell->bytes = m->block->shared + address;
    cell->defined = m->block->shared_defined + address;
    return true;
}

static bool find_local(struct emu_machine *m, uint64_t address, unsigned width, unsigned lane, struct emu_cell *cell)
{
    uint64_t room = m->launch->local_bytes;
    if (address >= room || width > room - address)
        return false;
    cell->bytes = m->warp->local + lane * room + address;
    cell->defined = m->warp->local_defined + lane * room + address;
    return true;
}

bool emu_find_cell(struct emu_machine *m, const struct emu_op *op, unsigned lane, struct emu_cell *cell)
{
    static const char *const spaces[] = {"global", "shared", "local"};
    uint64_t address = emu_lane(m, op->arg[0], op->forms[0], lane);
    unsigned width = op->uop.width;
    bool inside;
    *cell = (struct emu_cell){.space = (enum uop_space)op->uop.space, .address = address};
    if (cell->space == UOP_GENERIC) {
        uint64_t window = address >> 32;
        cell->space = window == EMU_SHARED_WINDOW_HI  ? UOP_SHARED
                      : window == EMU_LOCAL_WINDOW_HI ? UOP_LOCAL
                                                      : UOP_GLOBAL;
        if (cell->space != UOP_GLOBAL)
            cell->address = address &= UINT32_MAX;
    }
    if (address % width) {
        emu_find(m, EMU_MISALIGNED, lane, &address, "an access of %u bytes to an address that is no multiple of it",
                 width);
        return false;
    }
    if (cell->space == UOP_GLOBAL)
        inside = find_global(m, address, width, cell);
    else if (cell->space == UOP_SHARED)
        inside = find_shared(m, address, width, cell);
    else
        inside = find_local(m, address, width, lane, cell);
    if (!inside)
        emu_find(m, EMU_OUT_OF_BOUNDS, lane, &address, "%u bytes outside %s", width,
                 cell->space == UOP_GLOBAL ? "every buffer" : spaces[cell->space]);
    return inside;
}

/* What an access moved, by space. */
struct moved {
    uint64_t global[EMU_LANES];
    uint32_t shared[EMU_LANES];
    uint32_t global_lanes, shared_lanes, local_lanes;
};

static void note(struct moved *moved, unsigned lane, const struct emu_cell *cell)
{
    if (cell->space == UOP_GLOBAL) {
        moved->global[lane] = cell->address;
        moved->global_lanes |= 1u << lane;
    } else if (cell->space == UOP_SHARED) {
        moved->shared[lane] = (uint32_t)cell->address;
        moved->shared_lanes |= 1u << lane;
    } else {
        moved->local_lanes |= 1u << lane;
    }
}

static void count(struct emu_machine *m, const struct moved *moved, unsigned width, bool store)
{
    struct emu_totals *t = &m->result->totals;
    *(store ? &t->global_store_bytes : &t->global_load_bytes) += (uint64_t)emu_ones(moved->global_lanes) * width;
    *(store ? &t->shared_store_bytes : &t->shared_load_bytes) += (uint64_t)emu_ones(moved->shared_lanes) * width;
    t->local_bytes += (uint64_t)emu_ones(moved->local_lanes) * width;
    if (moved->global_lanes)
        emu_count_global(m, moved->global, moved->global_lanes, width);
    if (moved->shared_lanes)
        emu_count_shared(m, moved->shared, moved->shared_lanes, width);
}

static void put_loaded(struct emu_machine *m, const struct emu_op *op, unsigned lane, const uint8_t *bytes)
{
    if (op->form == EMU_FORM_QUAD) {
        for (unsigned w = 0; w < 4; w++)
            memcpy((uint8_t *)emu_at(m, op->to) + w * EMU_ROW_BYTES + 4 * lane, bytes + 4 * w, 4);
        return;
    }
    uint64_t v = 0;
    memcpy(&v, bytes, op->uop.width > 8 ? 8 : op->uop.width);
    if (op->uop.flags & UOP_SIGNED && op->uop.width < 4)
        v = op->uop.width == 1 ? (uint32_t)(int32_t)(int8_t)v : (uint32_t)(int32_t)(int16_t)v;
    emu_put_lane(m, op->to, op->form, lane, v);
}

/* The twin of what was loaded; a sign is undefined with the byte it stands in. */
static void put_defined(struct emu_machine *m, const struct emu_op *op, unsigned lane, const uint8_t *defined)
{
    uint8_t undefined[16] = {0};
    bool any = false;
    for (unsigned i = 0; i < op->uop.width && i < 16; i++) {
        undefined[i] = defined[i] ? 0 : 0xff;
        any |= !defined[i];
    }
    if (!any)
        return;
    if (!m->slow)
        emu_become_slow(m);
    m->origin = m->index;
    if (op->form == EMU_FORM_QUAD) {
        for (unsigned w = 0; w < 4; w++)
            memcpy((uint8_t *)emu_undefined_at(m, op->to) + w * EMU_ROW_BYTES + 4 * lane, undefined + 4 * w, 4);
        return;
    }
    uint64_t v = 0;
    memcpy(&v, undefined, op->uop.width > 8 ? 8 : op->uop.width);
    if (op->uop.flags & UOP_SIGNED && op->uop.width < 4 && undefined[op->uop.width - 1])
        v |= UINT32_MAX << (8 * op->uop.width);
    emu_put_undefined(m, op->to, op->form, lane, v & (op->form == EMU_FORM_DOUBLE ? UINT64_MAX : UINT32_MAX));
}

static void touch(struct emu_machine *m, const struct emu_cell *cell, unsigned width, bool store)
{
    struct emu_totals *t = &m->result->totals;
    for (unsigned i = 0; i < width; i++) {
        uint8_t was = cell->touched[i];
        if (store && !(was & TOUCH_STORED)) {
            cell->touched[i] |= TOUCH_STORED;
            t->least_global_bytes++;
        } else if (!store && !was) {
            cell->touched[i] |= TOUCH_LOADED;
            t->least_global_bytes++;
        }
    }
}

void emu_load(struct emu_machine *m, const struct emu_op *op)
{
    static const uint8_t zero[16];
    struct moved moved;
    moved.global_lanes = moved.shared_lanes = moved.local_lanes = 0;
    uint32_t lanes = m->exec;
    if (op->forms[2] == EMU_FORM_MASK) { /* of an asynchronous copy: only where its predicate holds */
        emu_use(m, op->arg[2], EMU_FORM_MASK, lanes, "whether this is loaded");
        EMU_EACH(none, lanes & ~emu_mask(m, op->arg[2]))
            put_loaded(m, op, none, zero);
        lanes &= emu_mask(m, op->arg[2]);
    }
    emu_use(m, op->arg[0], op->forms[0], lanes, "this address");
    EMU_EACH(lane, lanes) {
        struct emu_cell cell;
        if (!emu_find_cell(m, op, lane, &cell)) {
            put_loaded(m, op, lane, zero);
            continue;
        }
        note(&moved, lane, &cell);
        put_loaded(m, op, lane, cell.bytes);
        if (cell.defined)
            put_defined(m, op, lane, cell.defined);
        if (cell.space == UOP_GLOBAL)
            touch(m, &cell, op->uop.width, false);
        else if (cell.space == UOP_SHARED)
            emu_race_access(m, (uint32_t)cell.address, op->uop.width, false, lane);
    }
    count(m, &moved, op->uop.width, false);
}

/* What a store leaves behind: its data's undefined bytes stay undefined, and must not leave the kernel. */
static void leave_defined(struct emu_machine *m, const struct emu_op *op, unsigned lane, const struct emu_cell *cell)
{
    unsigned width = op->uop.width;
    if (!m->slow) {
        if (cell->defined)
            memset(cell->defined, 1, width);
        return;
    }
    bool any = false;
    for (unsigned i = 0; i < width; i++) {
        uint64_t u = emu_lane_undefined(m, op->arg[1 + i / 4], op->forms[1 + i / 4], lane);
        bool undefined = u >> (8 * (i % 4)) & 0xff;
        any |= undefined;
        if (cell->defined)
            cell->defined[i] = !undefined;
    }
    if (any && !cell->defined)
        for (unsigned i = 0; i < width; i += 4) {
            uint64_t u = emu_lane_undefined(m, op->arg[1 + i / 4], op->forms[1 + i / 4], lane);
            if (width < 4 ? u & ((1u << 8 * width) - 1) : u) {
                emu_use(m, op->arg[1 + i / 4], op->forms[1 + i / 4], 1u << lane, "what is stored");
                return;
            }
        }
}

void emu_store(struct emu_machine *m, const struct emu_op *op)
{
    struct moved moved;
    moved.global_lanes = moved.shared_lanes = moved.local_lanes = 0;
    emu_use(m, op->arg[0], op->forms[0], m->exec, "this address");
    EMU_EACH(lane, m->exec) {
        struct emu_cell cell;
        if (!emu_find_cell(m, op, lane, &cell))
            continue;
        note(&moved, lane, &cell);
        for (unsigned i = 0; i < op->uop.width; i += 4) {
            uint64_t v = emu_lane(m, op->arg[1 + i / 4], op->forms[1 + i / 4], lane);
            uint32_t word = (uint32_t)v;
            memcpy(cell.bytes + i, &word, op->uop.width < 4 ? op->uop.width : 4);
        }
        leave_defined(m, op, lane, &cell);
        if (cell.space == UOP_GLOBAL)
            touch(m, &cell, op->uop.width, true);
        else if (cell.space == UOP_SHARED)
            emu_race_access(m, (uint32_t)cell.address, op->uop.width, true, lane);
    }
    count(m, &moved, op->uop.width, true);
}

void emu_within(struct emu_machine *m, const struct emu_op *op)
{
    emu_use(m, op->arg[0], op->forms[0], m->exec, "this address");
    EMU_EACH(lane, m->exec) {
        uint64_t window = emu_lane(m, op->arg[0], op->forms[0], lane) >> 32;
        bool shared = window == EMU_SHARED_WINDOW_HI, local = window == EMU_LOCAL_WINDOW_HI;
        emu_put_lane(m, op->to, op->form, lane,
                     op->uop.space == UOP_SHARED  ? shared
                     : op->uop.space == UOP_LOCAL ? local
                                                  : !shared && !local);
    }
}
