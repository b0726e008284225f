/* Atomic operations: lane after lane, in the order of the lanes, each on what the one before left. Hardware promises no
 * order; where it shows (floating sums) its result may be another. They also hand on what their warp knows
 * (emu_race.c).
 *
 * requires: ATOM or RED · gives: memory, the old values, counts */
#include "emu/emu_internal.h"

#include <string.h>

static uint64_t combine(const struct uop *atom, enum uop_kind kind, unsigned type, uint64_t a, uint64_t b)
{
    struct uop op = {.kind = (uint8_t)kind, .type = (uint8_t)type, .flags = atom->flags & UOP_FTZ};
    uint64_t args[UOP_MAX_ARGS] = {a, b}, r = 0;
    uop_eval(&op, args, &r);
    return r;
}

static uint64_t changed(const struct uop *u, uint64_t old, uint64_t b, uint64_t c)
{
    bool is_signed = u->flags & UOP_SIGNED, is_float = u->type >= UOP_F16;
    unsigned bits = u->width * 8;
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    old &= mask;
    b &= mask;
    if ((u->type == UOP_F16 || u->type == UOP_BF16) && u->width == 4) { /* two halves */
        enum uop_kind kind = u->imm == UOP_ATOM_MIN ? UOP_FMIN : u->imm == UOP_ATOM_MAX ? UOP_FMAX : UOP_FADD;
        return combine(u, kind, u->type, old & 0xffff, b & 0xffff) | combine(u, kind, u->type, old >> 16, b >> 16)
                                                                         << 16;
    }
    switch (u->imm) {
    case UOP_ATOM_ADD: return is_float ? combine(u, UOP_FADD, u->type, old, b) : (old + b) & mask;
    case UOP_ATOM_MIN: return combine(u, is_float ? UOP_FMIN : is_signed ? UOP_MIN_S : UOP_MIN_U, u->type, old, b);
    case UOP_ATOM_MAX: return combine(u, is_float ? UOP_FMAX : is_signed ? UOP_MAX_S : UOP_MAX_U, u->type, old, b);
    case UOP_ATOM_INC: return old >= b ? 0 : old + 1;
    case UOP_ATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case UOP_ATOM_AND: return old & b;
    case UOP_ATOM_OR: return old | b;
    case UOP_ATOM_XOR: return old ^ b;
    case UOP_ATOM_EXCH: return b;
    default: return old == b ? c & mask : old; /* CAS: b what is expected, c what is put there */
    }
}

void emu_atomic(struct emu_machine *m, const struct emu_op *op)
{
    const struct uop *u = &op->uop;
    uint64_t global[EMU_LANES];
    uint32_t global_lanes = 0;
    if (u->width != 4 && u->width != 8) {
        emu_find(m, EMU_UNSUPPORTED, emu_first(m->exec), NULL, "an atomic operation of %u bytes", u->width);
        m->stop = true;
        return;
    }
    emu_use(m, op->arg[0], op->forms[0], m->exec, "this address");
    emu_use(m, op->arg[1], op->forms[1], m->exec, "an operand of this atomic");
    if (u->imm == UOP_ATOM_CAS)
        emu_use(m, op->arg[2], op->forms[2], m->exec, "an operand of this atomic");
    EMU_EACH(lane, m->exec) {
        struct emu_cell cell;
        uint64_t old = 0;
        if (emu_find_cell(m, op, lane, &cell)) {
            memcpy(&old, cell.bytes, u->width);
            uint64_t b = emu_lane(m, op->arg[1], op->forms[1], lane);
            uint64_t c = u->imm == UOP_ATOM_CAS ? emu_lane(m, op->arg[2], op->forms[2], lane) : 0;
            uint64_t v = changed(u, old, b, c);
            memcpy(cell.bytes, &v, u->width);
            if (cell.defined) {
                bool whole = memchr(cell.defined, 0, u->width) == NULL || u->imm == UOP_ATOM_EXCH;
                memset(cell.defined, whole, u->width);
            }
            if (cell.space == UOP_GLOBAL) {
                global[lane] = cell.address;
                global_lanes |= 1u << lane;
                m->result->totals.global_load_bytes += u->width;
                m->result->totals.global_store_bytes += u->width;
            }
        }
        if (op->form != EMU_FORM_NONE && op->to != (emu_loc)EMU_NOWHERE)
            emu_put_lane(m, op->to, op->form, lane, old);
    }
    if (global_lanes)
        emu_count_global(m, global, global_lanes, u->width);
    emu_race_hand_on(m);
}
