/* Lists made ready to run: every result has a place, constants and the words of constant banks are rows already, a read
 * of a register is that register's own row. What is decided here is decided once a launch, not once a warp.
 *
 * requires: lists whose arguments stand before their users · gives: m->program */
#include "emu/emu_internal.h"

#include "base/bits.h"

#include <string.h>

enum { CONSTANTS_MAX = 1 << 26 };

struct maker {
    struct emu_machine *m;
    VEC(uint8_t) constants;
    emu_loc *locs; /* by uop of the list */
    uint8_t *forms;
    uint32_t temps, masks; /* of the list */
    bool failed;
};

static emu_loc place_at(enum emu_place place, uint32_t offset)
{
    return (uint32_t)place << EMU_PLACE_SHIFT | offset;
}

static uint8_t form_of(const struct uop *u)
{
    switch (u->kind) {
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM:
    case UOP_FCHK: return EMU_FORM_MASK;
    default: break;
    }
    unsigned bits = uop_type_bits((enum uop_type)u->type);
    return bits == 0    ? EMU_FORM_NONE
           : bits == 1  ? EMU_FORM_MASK
           : bits <= 32 ? EMU_FORM_WORD
           : bits == 64 ? EMU_FORM_DOUBLE
                        : EMU_FORM_QUAD;
}

/* A row of one value in every lane. */
static emu_loc constant_row(struct maker *k, uint8_t form, uint64_t bits)
{
    uint32_t size = form == EMU_FORM_DOUBLE ? 2 * EMU_ROW_BYTES : EMU_ROW_BYTES;
    size_t at = k->constants.n;
    if (at + size > CONSTANTS_MAX || !VEC_RESERVE(k->m->a, k->constants, size)) {
        k->failed = true;
        return 0;
    }
    uint8_t *row = k->constants.p + at;
    uint32_t word = form == EMU_FORM_MASK ? (bits & 1 ? UINT32_MAX : 0) : (uint32_t)bits;
    for (uint32_t i = 0; i < EMU_LANES; i++)
        if (form == EMU_FORM_DOUBLE)
            memcpy(row + 8 * i, &bits, 8);
        else
            memcpy(row + 4 * i, &word, 4);
    k->constants.n += size;
    return place_at(EMU_CONSTANTS, (uint32_t)at);
}

/* A word of a constant bank at a fixed offset, when the launch tells it. */
static bool bank_value(const struct emu_launch *launch, const struct uop *u, uint64_t *bits)
{
    unsigned bytes = uop_type_bits((enum uop_type)u->type) / 8;
    if (u->arg[0] != UOP_NONE || bytes == 0 || bytes > 8)
        return false;
    if (u->space == launch->symbol_bank) {
        uint64_t number = u->imm / 8;
        if (number >= launch->symbol_count || !launch->symbols[number] || bytes != 4)
            return false;
        *bits = launch->symbols[number] >> (u->imm & 4 ? 32 : 0) & UINT32_MAX;
        return true;
    }
    if (u->space >= EMU_BANKS)
        return false;
    const struct emu_bank *bank = &launch->banks[u->space];
    if (u->imm > bank->size || bytes > bank->size - u->imm)
        return false;
    *bits = 0;
    for (unsigned i = 0; i < bytes; i++) {
        if (bank->known && !bank->known[u->imm + i])
            return false;
        *bits |= (uint64_t)bank->bytes[u->imm + i] << (8 * i);
    }
    return true;
}

/* The register is written in the list before somebody reads the row of its old value. */
static bool is_overwritten(const struct uop_list *list, size_t read)
{
    size_t written = list->ops.n;
    for (size_t i = read + 1; i < list->ops.n; i++) {
        const struct uop *u = &list->ops.p[i];
        if (u->kind == UOP_WRITE && u->file == UOP_FILE_R && u->reg == list->ops.p[read].reg && written == list->ops.n)
            written = i;
        for (unsigned a = 0; a < UOP_MAX_ARGS && i > written; a++)
            if (u->arg[a] == read)
                return true;
    }
    return false;
}

/* True when the uop needs no work at run time: its place is known now. */
static bool is_there(struct maker *k, const struct uop_list *list, size_t i)
{
    const struct uop *u = &list->ops.p[i];
    uint64_t bits;
    switch (u->kind) {
    case UOP_CONST: k->locs[i] = constant_row(k, k->forms[i], u->imm); return true;
    case UOP_CBANK:
        if (!bank_value(k->m->launch, u, &bits))
            return false;
        k->locs[i] = constant_row(k, k->forms[i], bits);
        return true;
    case UOP_READ:
        if (u->file != UOP_FILE_R || is_overwritten(list, i))
            return false;
        k->locs[i] = place_at(EMU_REGISTERS, u->reg * (uint32_t)EMU_ROW_BYTES);
        return true;
    case UOP_ELEMENT:
        if (k->forms[u->arg[0]] != EMU_FORM_QUAD || u->imm > 3)
            return false;
        k->locs[i] = k->locs[u->arg[0]] + (uint32_t)u->imm * EMU_ROW_BYTES;
        return true;
    case UOP_NOP: return true;
    default: return false;
    }
}

/* An asynchronous copy behind the load says when it is one. */
static uint16_t copy_predicate(const struct uop_list *list, size_t load)
{
    for (size_t i = load + 1; i < list->ops.n; i++)
        if (list->ops.p[i].kind == UOP_ASYNC_COPY && list->ops.p[i].arg[2] < load)
            return list->ops.p[i].arg[2];
    return UOP_NONE;
}

static void add_op(struct maker *k, const struct uop_list *list, size_t i, struct emu_op *op)
{
    const struct uop *u = &list->ops.p[i];
    *op = (struct emu_op){.uop = *u, .form = k->forms[i], .to = (emu_loc)EMU_NOWHERE};
    for (unsigned a = 0; a < UOP_MAX_ARGS; a++) {
        op->arg[a] = u->arg[a] == UOP_NONE ? (emu_loc)EMU_NOWHERE : k->locs[u->arg[a]];
        op->forms[a] = u->arg[a] == UOP_NONE ? EMU_FORM_NONE : k->forms[u->arg[a]];
    }
    uint16_t when = u->kind == UOP_LOAD ? copy_predicate(list, i) : UOP_NONE;
    if (when != UOP_NONE) {
        op->arg[2] = k->locs[when];
        op->forms[2] = k->forms[when];
    }
    if (op->form == EMU_FORM_MASK)
        op->to = place_at(EMU_MASKS, 4 * k->masks++);
    else if (op->form != EMU_FORM_NONE)
        op->to = place_at(EMU_TEMPS, EMU_TEMP_BYTES * k->temps++);
    k->locs[i] = op->to;
    bool computed = uop_is_pure((enum uop_kind)u->kind) && (u->kind < UOP_EX2 || u->kind > UOP_FCHK);
    op->how = emu_knows(op)         ? EMU_ROWS
              : emu_knows_float(op) ? EMU_FLOAT_ROWS
              : computed            ? EMU_LANE_BY_LANE
                                    : EMU_EFFECT;
}

static void note_register(struct emu_program *p, const struct uop *u)
{
    if ((u->kind == UOP_READ || u->kind == UOP_WRITE) && u->file == UOP_FILE_R && u->reg >= p->registers)
        p->registers = u->reg + 1u;
    bool shared = u->space == UOP_SHARED || u->space == UOP_GENERIC;
    if ((u->kind == UOP_LOAD || u->kind == UOP_STORE || u->kind == UOP_ATOM || u->kind == UOP_RED) && shared &&
        u->width < 4)
        p->narrow_shared = true;
    if ((u->kind == UOP_LOAD || u->kind == UOP_STORE || u->kind == UOP_ATOM) &&
        (u->space == UOP_LOCAL || u->space == UOP_GENERIC))
        p->local = true;
}

static bool make_step(struct maker *k, const struct emu_insn *insn, struct emu_step *step)
{
    struct emu_program *p = &k->m->program;
    const struct uop_list *list = insn->uops;
    size_t n = list->ops.n;
    struct emu_op *ops = ARENA_ARRAY(k->m->a, struct emu_op, n + 1);
    struct emu_read *reads = ARENA_ARRAY(k->m->a, struct emu_read, n + 1);
    k->locs = ARENA_ARRAY(k->m->a, emu_loc, n + 1);
    k->forms = ARENA_ARRAY(k->m->a, uint8_t, n + 1);
    if (!ops || !reads || !k->locs || !k->forms)
        return false;
    *step = (struct emu_step){.offset = insn->offset, .ops = ops, .reads = reads, .guard = (emu_loc)EMU_NOWHERE};
    step->unknown = list->unknown;
    k->temps = k->masks = 0;
    for (size_t i = 0; i < n; i++) {
        const struct uop *u = &list->ops.p[i];
        k->forms[i] = form_of(u);
        note_register(p, u);
        step->gives_way |= u->kind == UOP_MISC || (u->kind == UOP_RECONVERGE && u->imm == UOP_YIELD);
        if (u->kind == UOP_READ)
            reads[step->read_count++] = (struct emu_read){u->file, u->reg};
        if (!is_there(k, list, i))
            add_op(k, list, i, &ops[step->op_count++]);
        if (i == list->guard) {
            step->guard = k->locs[i];
            step->guard_ops = step->op_count;
        }
    }
    p->temps = k->temps > p->temps ? k->temps : p->temps;
    p->masks = k->masks > p->masks ? k->masks : p->masks;
    return !k->failed;
}

enum sp_status emu_program_make(struct emu_machine *m)
{
    struct emu_program *p = &m->program;
    struct maker k = {.m = m};
    const struct emu_code *code = m->code;
    *p = (struct emu_program){.count = code->count, .registers = 1};
    p->offsets = code->count ? code->insns[code->count - 1].offset / 16 + 1 : 0;
    p->steps = ARENA_ARRAY(m->a, struct emu_step, code->count + 1u);
    p->by_offset = ARENA_ARRAY(m->a, uint32_t, p->offsets + 1u);
    if (!p->steps || !p->by_offset)
        return SP_ERR_MEMORY;
    memset(p->by_offset, 0xff, (p->offsets + 1u) * sizeof *p->by_offset);
    for (uint32_t i = 0; i < code->count; i++) {
        if (code->insns[i].offset / 16 >= p->offsets)
            return SP_ERR_USAGE;
        p->by_offset[code->insns[i].offset / 16] = i;
        if (!make_step(&k, &code->insns[i], &p->steps[i]))
            return SP_ERR_MEMORY;
    }
    p->constants = k.constants.p;
    p->constant_bytes = (uint32_t)k.constants.n;
    p->constants_undefined = arena_alloc(m->a, k.constants.n + 1);
    m->base[EMU_CONSTANTS] = p->constants;
    m->undefined[EMU_CONSTANTS] = p->constants_undefined;
    m->base[EMU_TEMPS] = arena_alloc(m->a, (size_t)EMU_TEMP_BYTES * (p->temps + 1));
    m->undefined[EMU_TEMPS] = arena_alloc(m->a, (size_t)EMU_TEMP_BYTES * (p->temps + 1));
    m->base[EMU_MASKS] = arena_alloc(m->a, 4 * (size_t)(p->masks + 1));
    m->undefined[EMU_MASKS] = arena_alloc(m->a, 4 * (size_t)(p->masks + 1));
    return arena_failed(m->a) ? SP_ERR_MEMORY : SP_OK;
}
