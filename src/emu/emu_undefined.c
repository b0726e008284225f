/* What is undefined: bits of registers nobody has written, of shared and local memory nobody has stored to, and of
 * results no rule gives. They may be copied about freely (compilers put a half into a register whose other half is
 * anything; a guard may keep an old value that was never there); a finding comes where one decides something: a branch,
 * a guard, an address, a value that leaves the kernel.
 *
 * Followed bit by bit, and only for instructions that read something undefined: the others pay a few tests.
 * requires: the operation has run · gives: the twin of its row */
#include "emu/emu_internal.h"

#include <string.h>

static bool undefined_register(const struct emu_machine *m, const struct emu_read *r)
{
    const struct emu_warp *w = m->warp;
    switch (r->file) {
    case UOP_FILE_R: return w->bad[r->reg] & m->active;
    case UOP_FILE_P: return r->reg < 7 && w->bad_p[r->reg] & m->active;
    case UOP_FILE_UR: return r->reg < EMU_REGS && w->ur_undefined[r->reg];
    case UOP_FILE_UP: return r->reg < 7 && w->bad_up >> r->reg & 1;
    default: return false;
    }
}

void emu_become_slow(struct emu_machine *m)
{
    if (m->slow)
        return;
    m->slow = true;
    m->origin = EMU_NO_ORIGIN;
    memset(m->undefined[EMU_TEMPS], 0, (size_t)EMU_TEMP_BYTES * m->program.temps);
    memset(m->undefined[EMU_MASKS], 0, 4 * (size_t)m->program.masks);
    for (uint32_t i = 0; i < m->step->read_count; i++) {
        const struct emu_read *r = &m->step->reads[i];
        uint32_t origin = undefined_register(m, r) ? m->warp->origin[emu_origin_of(r->file, r->reg)] : EMU_NO_ORIGIN;
        m->origin = origin != EMU_NO_ORIGIN ? origin : m->origin;
        if (r->file != UOP_FILE_R)
            continue;
        uint32_t *row = &m->warp->r_undefined[r->reg * EMU_LANES];
        EMU_EACH(lane, ~m->warp->bad[r->reg])
            row[lane] = 0;
    }
}

bool emu_reads_undefined(struct emu_machine *m)
{
    m->slow = false;
    for (uint32_t i = 0; i < m->step->read_count && !m->slow; i++)
        if (undefined_register(m, &m->step->reads[i]))
            emu_become_slow(m);
    return m->slow;
}

uint64_t emu_lane_undefined(const struct emu_machine *m, emu_loc loc, uint8_t form, unsigned lane)
{
    const void *row = emu_undefined_at(m, loc);
    switch (form) {
    case EMU_FORM_MASK: return *(const uint32_t *)row >> lane & 1;
    case EMU_FORM_DOUBLE: return ((const uint64_t *)row)[lane];
    default: return ((const uint32_t *)row)[lane];
    }
}

void emu_put_undefined(struct emu_machine *m, emu_loc loc, uint8_t form, unsigned lane, uint64_t bits)
{
    void *row = emu_undefined_at(m, loc);
    if (form == EMU_FORM_MASK) {
        uint32_t *mask = row;
        *mask = (*mask & ~(1u << lane)) | (uint32_t)(bits & 1) << lane;
    } else if (form == EMU_FORM_DOUBLE) {
        ((uint64_t *)row)[lane] = bits;
    } else {
        ((uint32_t *)row)[lane] = (uint32_t)bits;
    }
}

/* Bits of a function of single bits that are not the same for all values of the undefined ones. */
static uint64_t logic_undefined(unsigned table, const uint64_t *v, const uint64_t *u)
{
    uint64_t ones = 0, zeros = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t a = i & 4 ? v[0] | u[0] : ~v[0] | u[0], b = i & 2 ? v[1] | u[1] : ~v[1] | u[1];
        uint64_t c = i & 1 ? v[2] | u[2] : ~v[2] | u[2], reachable = a & b & c;
        if (table >> i & 1)
            ones |= reachable;
        else
            zeros |= reachable;
    }
    return ones & zeros;
}

/* A sum or product depends on its arguments' bits at the same place and below. */
static uint64_t upward(uint64_t u)
{
    return u | (0 - u);
}

/* Bits that only move: the same operation on the undefinedness. */
static uint64_t moved(const struct uop *op, const uint64_t *args)
{
    uint64_t r = 0;
    return uop_eval(op, args, &r) ? r : UINT64_MAX;
}

static uint64_t lane_undefined(const struct uop *op, const uint64_t *v, const uint64_t *u)
{
    uint64_t any = u[0] | u[1] | u[2] ? UINT64_MAX : 0;
    switch (op->kind) {
    case UOP_AND: return (u[0] & u[1]) | (u[0] & v[1]) | (u[1] & v[0]);
    case UOP_OR: return (u[0] & u[1]) | (u[0] & ~v[1]) | (u[1] & ~v[0]);
    case UOP_XOR: return u[0] | u[1];
    case UOP_NOT:
    case UOP_FNEG: return u[0];
    case UOP_LOP3: return logic_undefined((unsigned)op->imm, v, u);
    case UOP_ADD: return upward(u[0] | u[1]);
    case UOP_NEG: return upward(u[0]);
    case UOP_MUL: return (u[0] == 0 && v[0] == 0) || (u[1] == 0 && v[1] == 0) ? 0 : upward(u[0] | u[1]);
    case UOP_SELECT: return u[0] ? u[1] | u[2] | (v[1] ^ v[2]) : v[0] & 1 ? u[1] : u[2];
    case UOP_IEQ: return (v[0] ^ v[1]) & ~(u[0] | u[1]) ? 0 : any;
    case UOP_SHL:
    case UOP_SHR:
    case UOP_SAR: return u[1] ? UINT64_MAX : moved(op, (const uint64_t[]){u[0], v[1], 0, 0, 0});
    case UOP_PRMT: return u[1] ? UINT64_MAX : moved(op, (const uint64_t[]){u[0], v[1], u[2], 0, 0});
    case UOP_BFE: return u[1] | u[2] ? UINT64_MAX : moved(op, (const uint64_t[]){u[0], v[1], v[2], 0, 0});
    case UOP_PAIR:
    case UOP_LO:
    case UOP_HI:
    case UOP_ZEXT:
    case UOP_SEXT:
    case UOP_BREV: return moved(op, (const uint64_t[]){u[0], u[1], 0, 0, 0});
    case UOP_FABS: return u[0];
    default: return any;
    }
}

void emu_follow_undefined(struct emu_machine *m, const struct emu_op *op)
{
    if (op->form == EMU_FORM_NONE)
        return;
    EMU_EACH(lane, m->active) {
        uint64_t v[UOP_MAX_ARGS] = {0}, u[UOP_MAX_ARGS] = {0};
        for (unsigned i = 0; i < UOP_MAX_ARGS && op->forms[i] != EMU_FORM_NONE; i++) {
            v[i] = emu_lane(m, op->arg[i], op->forms[i], lane);
            u[i] = emu_lane_undefined(m, op->arg[i], op->forms[i], lane);
        }
        emu_put_undefined(m, op->to, op->form, lane, lane_undefined(&op->uop, v, u));
    }
}

/* What the undefined bits are of, in words; *kind: whose fault that is. */
static const char *origin_words(const struct emu_machine *m, enum emu_finding_kind *kind)
{
    *kind = EMU_UNINITIALIZED;
    if (m->origin >= m->program.count)
        return "a register nobody has written";
    const struct emu_step *step = &m->program.steps[m->origin];
    for (uint32_t i = 0; i < step->op_count; i++) {
        if (step->ops[i].uop.kind == UOP_LOAD)
            return "memory nobody has stored to, loaded";
        if (step->ops[i].uop.kind == UOP_SHFL)
            return "a lane that is not there, asked";
    }
    *kind = EMU_UNSUPPORTED;
    return "a value this build does not know, made";
}

void emu_use(struct emu_machine *m, emu_loc loc, uint8_t form, uint32_t lanes, const char *what)
{
    if (!m->slow || loc == (emu_loc)EMU_NOWHERE)
        return;
    EMU_EACH(lane, lanes) {
        enum emu_finding_kind kind;
        if (!emu_lane_undefined(m, loc, form, lane))
            continue;
        const char *words = origin_words(m, &kind);
        if (m->origin < m->program.count)
            emu_find(m, kind, lane, NULL, "%s depends on %s at 0x%04x", what, words,
                     m->program.steps[m->origin].offset);
        else
            emu_find(m, kind, lane, NULL, "%s depends on %s", what, words);
        return;
    }
}
