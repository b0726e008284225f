/* State in and out of an instruction: registers, special registers, constant banks at computed places, and results that
 * no rule gives.
 *
 * requires: an operation of emu_program.c · gives: its row, or the register */
#include "emu/emu_internal.h"

#include <string.h>

void emu_make_undefined(struct emu_machine *m, const struct emu_op *op)
{
    EMU_EACH(lane, m->active)
        emu_put_lane(m, op->to, op->form, lane, 0);
    if (!m->slow)
        emu_become_slow(m);
    m->origin = m->index;
    EMU_EACH(lane, m->active)
        emu_put_undefined(m, op->to, op->form, lane, UINT64_MAX);
}

static void put_row(struct emu_machine *m, const struct emu_op *op, uint64_t v)
{
    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        emu_put_lane(m, op->to, op->form, lane, v);
}

void emu_read(struct emu_machine *m, const struct emu_op *op)
{
    const struct uop *u = &op->uop;
    const struct emu_warp *w = m->warp;
    switch (u->file) {
    case UOP_FILE_R:
        memcpy(emu_at(m, op->to), &w->r[u->reg * EMU_LANES], EMU_ROW_BYTES);
        if (m->slow)
            memcpy(emu_undefined_at(m, op->to), &w->r_undefined[u->reg * EMU_LANES], EMU_ROW_BYTES);
        break;
    case UOP_FILE_UR:
        put_row(m, op, w->ur[u->reg & 255]);
        if (m->slow)
            EMU_EACH(lane, m->active)
                emu_put_undefined(m, op->to, op->form, lane, w->ur_undefined[u->reg & 255]);
        break;
    case UOP_FILE_P:
        *(uint32_t *)emu_at(m, op->to) = w->p[u->reg & 7];
        if (m->slow)
            *(uint32_t *)emu_undefined_at(m, op->to) = w->bad_p[u->reg & 7];
        break;
    case UOP_FILE_UP:
        *(uint32_t *)emu_at(m, op->to) = w->up >> (u->reg & 7) & 1 ? UINT32_MAX : 0;
        if (m->slow)
            *(uint32_t *)emu_undefined_at(m, op->to) = w->bad_up >> (u->reg & 7) & 1 ? UINT32_MAX : 0;
        break;
    case UOP_FILE_B: /* what the last barrier with a reduction gave, of the two it may give */
        if (u->reg == (w->barrier_counts ? UOP_B_COUNT : UOP_B_TRUTH))
            put_row(m, op, w->barrier_counts ? w->barrier_count : w->barrier_predicate);
        else
            emu_make_undefined(m, op);
        break;
    default: emu_make_undefined(m, op); break;
    }
}

static void write_register(struct emu_machine *m, const struct emu_op *op)
{
    struct emu_warp *w = m->warp;
    uint32_t reg = op->uop.reg, *restrict r = &w->r[reg * EMU_LANES];
    const uint32_t *v = emu_at(m, op->arg[0]);
    if (m->exec == UINT32_MAX)
        memmove(r, v, EMU_ROW_BYTES);
    else
        EMU_EACH(lane, m->exec)
            r[lane] = v[lane];
    w->bad[reg] &= ~m->exec;
    if (!m->slow)
        return;
    const uint32_t *u = emu_undefined_at(m, op->arg[0]);
    EMU_EACH(lane, m->exec) {
        w->r_undefined[reg * EMU_LANES + lane] = u[lane];
        if (!u[lane])
            continue;
        w->bad[reg] |= 1u << lane;
        w->origin[reg] = m->origin;
    }
}

void emu_write(struct emu_machine *m, const struct emu_op *op)
{
    struct emu_warp *w = m->warp;
    unsigned reg = op->uop.reg, first = emu_first(m->exec);
    uint32_t undefined;
    if (m->slow && op->uop.file != UOP_FILE_R)
        w->origin[emu_origin_of(op->uop.file, op->uop.reg)] = m->origin;
    switch (op->uop.file) {
    case UOP_FILE_R: write_register(m, op); break;
    case UOP_FILE_UR:
        w->ur[reg & 255] = (uint32_t)emu_lane(m, op->arg[0], op->forms[0], first);
        w->ur_undefined[reg & 255] = m->slow ? (uint32_t)emu_lane_undefined(m, op->arg[0], op->forms[0], first) : 0;
        break;
    case UOP_FILE_P:
        reg &= 7;
        w->p[reg] = (w->p[reg] & ~m->exec) | (emu_mask(m, op->arg[0]) & m->exec);
        undefined = m->slow ? *(const uint32_t *)emu_undefined_at(m, op->arg[0]) : 0;
        w->bad_p[reg] = (w->bad_p[reg] & ~m->exec) | (undefined & m->exec);
        break;
    default:
        reg &= 7;
        w->up = (w->up & ~(1u << reg)) | (emu_mask(m, op->arg[0]) >> first & 1) << reg;
        undefined = m->slow ? *(const uint32_t *)emu_undefined_at(m, op->arg[0]) >> first & 1 : 0;
        w->bad_up = (w->bad_up & ~(1u << reg)) | undefined << reg;
        break;
    }
}

void emu_special(struct emu_machine *m, const struct emu_op *op)
{
    enum { PACKED_TID = UOP_SR_OTHER + 32 };
    const struct emu_launch *l = m->launch;
    uint64_t number = op->uop.imm;
    for (unsigned lane = 0; lane < EMU_LANES; lane++) {
        uint64_t v, bit = UINT64_C(1) << lane;
        switch (number) {
        case UOP_SR_TID_X:
        case UOP_SR_TID_Y:
        case UOP_SR_TID_Z: v = m->warp->tid[number - UOP_SR_TID_X][lane]; break;
        case UOP_SR_CTAID_X:
        case UOP_SR_CTAID_Y:
        case UOP_SR_CTAID_Z: v = m->block->id[number - UOP_SR_CTAID_X]; break;
        case UOP_SR_NTID_X:
        case UOP_SR_NTID_Y:
        case UOP_SR_NTID_Z: v = l->block[number - UOP_SR_NTID_X]; break;
        case UOP_SR_NCTAID_X:
        case UOP_SR_NCTAID_Y:
        case UOP_SR_NCTAID_Z: v = l->grid[number - UOP_SR_NCTAID_X]; break;
        case UOP_SR_LANEID: v = lane; break;
        case UOP_SR_EQMASK: v = bit; break;
        case UOP_SR_LTMASK: v = bit - 1; break;
        case UOP_SR_LEMASK: v = 2 * bit - 1; break;
        case UOP_SR_GTMASK: v = UINT32_MAX & ~(2 * bit - 1); break;
        case UOP_SR_GEMASK: v = UINT32_MAX & ~(bit - 1); break;
        case UOP_SR_CLOCK_LO:
        case UOP_SR_GLOBALTIMER_LO: v = m->result->instructions & UINT32_MAX; break;
        case UOP_SR_CLOCK_HI:
        case UOP_SR_GLOBALTIMER_HI: v = m->result->instructions >> 32; break;
        case UOP_SR_SMID:
        case UOP_SR_CGA_CTAID: v = 0; break;
        case UOP_SR_CGA_SIZE: v = 1; break;
        case UOP_SR_SWINHI: v = EMU_SHARED_WINDOW_HI; break;
        case UOP_SR_SMEMSZ: v = l->shared_bytes; break;
        case UOP_SR_STACK_END: v = 0; break; /* stacks grow down to it */
        case UOP_SR_ZERO: v = 0; break;
        case PACKED_TID: v = m->warp->tid[0][lane] | m->warp->tid[1][lane] << 16 | m->warp->tid[2][lane] << 26; break;
        default: emu_make_undefined(m, op); return;
        }
        emu_put_lane(m, op->to, op->form, lane, v);
    }
}

/* A constant whose place is computed, or whose value the launch does not tell. */
void emu_constant(struct emu_machine *m, const struct emu_op *op)
{
    const struct uop *u = &op->uop;
    unsigned bytes = uop_type_bits((enum uop_type)u->type) / 8;
    if (u->space >= EMU_BANKS || bytes == 0 || bytes > 8) {
        emu_make_undefined(m, op);
        return;
    }
    const struct emu_bank *bank = &m->launch->banks[u->space];
    emu_use(m, op->arg[0], op->forms[0], m->exec, "this place in a constant bank");
    EMU_EACH(lane, m->exec) {
        uint64_t by = op->forms[0] == EMU_FORM_NONE ? 0 : emu_lane(m, op->arg[0], op->forms[0], lane), v = 0;
        uint32_t at = (uint32_t)(u->imm + by);
        bool known = at <= bank->size && bytes <= bank->size - at;
        for (unsigned i = 0; i < bytes && known; i++) {
            known = !bank->known || bank->known[at + i];
            v |= (uint64_t)bank->bytes[at + i] << (8 * i);
        }
        emu_put_lane(m, op->to, op->form, lane, known ? v : 0);
        if (known)
            continue;
        if (!m->slow)
            emu_become_slow(m);
        m->origin = m->index;
        emu_put_undefined(m, op->to, op->form, lane, UINT64_MAX);
    }
}

/* A result that is state of the warp: whom a meeting waits for. Any other is undefined. */
void emu_opaque(struct emu_machine *m, const struct emu_op *op)
{
    const struct emu_warp *w = m->warp;
    if (op->uop.space != UOP_OPAQUE_MEETING || op->uop.reg >= EMU_MEETINGS) {
        emu_make_undefined(m, op);
        return;
    }
    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        emu_put_lane(m, op->to, op->form, lane, w->meeting[op->uop.reg][lane]);
}
