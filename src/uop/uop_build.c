/* The builder under the lifting: operands become values, values become uops, results become writes (see
 * uop_build.h).
 *
 * Neutral constants disappear here (x + 0, p AND true, RZ as a factor's sign, ...) by exact rules only, so that the
 * same computation has the same uops however ptxas balanced its pipes. requires: an instruction as isa.h describes
 * it, from any source, hostile ones included. gives: indices below the list's length; a refused or out-of-memory
 * list is the caller's. */
#include "uop/uop_build.h"

#include <assert.h>

void lift_refuse(struct lift *l)
{
    l->make.refused = true;
}

void lift_expect_count(struct lift *l, unsigned count)
{
    if (lift_count(l) != count)
        lift_refuse(l);
}

void lift_expect(struct lift *l, const enum isa_mod *mods, unsigned count)
{
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, count);
}

struct uop lift_float_uop(enum uop_kind kind, enum uop_type type, unsigned round, unsigned flags)
{
    return (struct uop){.kind = (uint8_t)kind, .type = (uint8_t)type, .round = (uint8_t)round, .flags = (uint8_t)flags};
}

static struct uop blank(enum uop_kind kind, enum uop_type type)
{
    struct uop op = {.kind = (uint8_t)kind, .type = (uint8_t)type};
    for (unsigned i = 0; i < UOP_MAX_ARGS; i++)
        op.arg[i] = UOP_NONE;
    return op;
}

uop_ref lift_bool_op(struct lift *l, uop_ref a, uop_ref b)
{
    if (lift_mod(l, ISA_MOD_OR))
        return lift_or(l, UOP_B1, a, b);
    if (lift_mod(l, ISA_MOD_XOR))
        return lift_xor(l, UOP_B1, a, b);
    return lift_and(l, UOP_B1, a, b);
}

/* ---- operands ------------------------------------------------------------------------------------------------ */

unsigned lift_count(const struct lift *l)
{
    return l->insn->operand_count <= ISA_MAX_OPERANDS ? l->insn->operand_count : ISA_MAX_OPERANDS;
}

const struct isa_operand *lift_operand(const struct lift *l, unsigned i)
{
    return i < lift_count(l) ? &l->insn->operands[i] : NULL;
}

bool lift_is_pred(const struct lift *l, unsigned i)
{
    const struct isa_operand *o = lift_operand(l, i);
    return o && (o->kind == ISA_OPERAND_PRED || o->kind == ISA_OPERAND_UPRED);
}

bool lift_is_reg(const struct lift *l, unsigned i)
{
    const struct isa_operand *o = lift_operand(l, i);
    return o && (o->kind == ISA_OPERAND_REG || o->kind == ISA_OPERAND_UREG);
}

bool lift_mod(const struct lift *l, enum isa_mod mod)
{
    return isa_has_mod(l->insn, mod);
}

bool lift_only_mods(const struct lift *l, const enum isa_mod *allowed)
{
    for (unsigned i = 0; i < l->insn->mod_count && i < ISA_MAX_MODS; i++) {
        const enum isa_mod *m = allowed;
        while (*m != ISA_MOD_NONE && *m != l->insn->mods[i])
            m++;
        if (*m == ISA_MOD_NONE)
            return false;
    }
    return true;
}

uop_ref lift_read(struct lift *l, enum uop_file file, unsigned reg)
{
    bool pred = file == UOP_FILE_P || file == UOP_FILE_UP;
    if (reg > (pred ? (unsigned)ISA_PT : (unsigned)ISA_RZ)) { /* a group that would run past the last register */
        lift_refuse(l);
        reg = pred ? ISA_PT : ISA_RZ;
    }
    if (pred ? reg == ISA_PT : reg == ISA_RZ)
        return lift_const(l, pred ? UOP_B1 : UOP_B32, pred);
    for (size_t i = 0; i < l->make.list->ops.n; i++) {
        const struct uop *o = &l->make.list->ops.p[i];
        if (o->kind == UOP_READ && o->file == file && o->reg == reg)
            return (uop_ref)i;
    }
    struct uop op = blank(UOP_READ, pred ? UOP_B1 : UOP_B32);
    op.file = (uint8_t)file;
    op.reg = (uint16_t)reg;
    return lift_emit(l, op);
}

uop_ref lift_bank_index(struct lift *l, const struct isa_operand *o)
{
    bool vector = o->base != ISA_NO_REG && o->base != ISA_RZ, uniform = o->desc != ISA_NO_REG && o->desc != ISA_RZ;
    if (o->ubase != ISA_NO_REG || (vector && uniform)) /* cx[UR][...]: a bank named by a register */
        lift_refuse(l);
    if (vector)
        return lift_read(l, UOP_FILE_R, o->base);
    return uniform ? lift_read(l, UOP_FILE_UR, o->desc) : UOP_NONE;
}

static uop_ref constant_bank(struct lift *l, const struct isa_operand *o, enum uop_type type)
{
    uop_ref index = lift_bank_index(l, o);
    struct uop op = blank(UOP_CBANK, type);
    op.space = o->bank;
    op.imm = (uint64_t)o->value;
    op.arg[0] = index;
    op.width = (uint8_t)(uop_type_bits(type) / 8);
    return lift_emit(l, op);
}

uop_ref lift_raw(struct lift *l, const struct isa_operand *o, bool wide)
{
    enum uop_type type = wide ? UOP_B64 : UOP_B32;
    if (!o) {
        lift_refuse(l);
        return lift_const(l, type, 0);
    }
    switch (o->kind) {
    case ISA_OPERAND_REG:
    case ISA_OPERAND_UREG: {
        enum uop_file file = o->kind == ISA_OPERAND_REG ? UOP_FILE_R : UOP_FILE_UR;
        uop_ref low = lift_read(l, file, o->reg);
        if (!wide)
            return low;
        return lift_pair(l, low, o->reg == ISA_RZ ? low : lift_read(l, file, o->reg + 1u));
    }
    case ISA_OPERAND_IMM:
    case ISA_OPERAND_FIMM: return lift_const(l, type, (uint64_t)o->value);
    case ISA_OPERAND_CONST: return constant_bank(l, o, type);
    default: lift_refuse(l); return lift_const(l, type, 0);
    }
}

/* R4.B1, R4.H1: a byte or half of a 32-bit source, as the unsigned low bits of the result. */
static uop_ref selected_part(struct lift *l, const struct isa_operand *o, uop_ref v)
{
    unsigned shift;
    if (isa_operand_has_mod(o, ISA_MOD_B1))
        shift = 8;
    else if (isa_operand_has_mod(o, ISA_MOD_B2) || isa_operand_has_mod(o, ISA_MOD_H1) ||
             isa_operand_has_mod(o, ISA_MOD_H1_H1))
        shift = 16;
    else if (isa_operand_has_mod(o, ISA_MOD_B3))
        shift = 24;
    else
        return v;
    return lift_op(l, UOP_SHR, UOP_B32, v, lift_const(l, UOP_B32, shift), UOP_NONE);
}

static uop_ref integer_source(struct lift *l, unsigned i, bool wide)
{
    const struct isa_operand *o = lift_operand(l, i);
    enum uop_type type = wide ? UOP_B64 : UOP_B32;
    uop_ref v = lift_raw(l, o, wide);
    if (!o)
        return v;
    if (!wide)
        v = selected_part(l, o, v);
    if (o->flags & ISA_ABS)
        v = lift_op(l, UOP_ABS, type, v, UOP_NONE, UOP_NONE);
    if (o->flags & ISA_INV)
        v = lift_not(l, type, v);
    if (o->flags & ISA_NEG)
        v = lift_op(l, UOP_NEG, type, v, UOP_NONE, UOP_NONE);
    return v;
}

uop_ref lift_src(struct lift *l, unsigned i)
{
    return integer_source(l, i, false);
}

uop_ref lift_src64(struct lift *l, unsigned i)
{
    return integer_source(l, i, true);
}

static uop_ref float_source(struct lift *l, unsigned i, bool wide)
{
    const struct isa_operand *o = lift_operand(l, i);
    enum uop_type type = wide ? UOP_F64 : UOP_F32;
    uop_ref v = lift_raw(l, o, wide);
    if (!o)
        return v;
    if (o->flags & (ISA_INV | ISA_NOT))
        lift_refuse(l);
    /* A NaN goes through an operation of doubles with the sign it was read with (H200: DADD); f32 keeps nothing. */
    struct uop sign = {.type = (uint8_t)type, .flags = wide ? UOP_NAN : 0};
    for (unsigned k = 0; k < 2; k++)
        if (o->flags & (k ? ISA_NEG : ISA_ABS)) {
            sign.kind = k ? UOP_FNEG : UOP_FABS;
            v = uop_make_full(&l->make, sign, v, UOP_NONE, UOP_NONE);
        }
    return v;
}

uop_ref lift_fsrc(struct lift *l, unsigned i)
{
    return float_source(l, i, false);
}

uop_ref lift_fsrc64(struct lift *l, unsigned i)
{
    return float_source(l, i, true);
}

uop_ref lift_pred(struct lift *l, unsigned i)
{
    const struct isa_operand *o = lift_operand(l, i);
    if (!o || !lift_is_pred(l, i)) {
        lift_refuse(l);
        return lift_const(l, UOP_B1, 1);
    }
    uop_ref v = lift_read(l, o->kind == ISA_OPERAND_PRED ? UOP_FILE_P : UOP_FILE_UP, o->reg);
    return o->flags & ISA_NOT ? lift_not(l, UOP_B1, v) : v;
}

bool lift_written(const struct lift *l, unsigned i)
{
    const struct isa_operand *o = lift_operand(l, i);
    return o && ((lift_is_reg(l, i) && o->reg != ISA_RZ) || (lift_is_pred(l, i) && o->reg != ISA_PT));
}

void lift_write_word(struct lift *l, unsigned i, unsigned word, uop_ref v)
{
    const struct isa_operand *o = lift_operand(l, i);
    if (!o || (!lift_is_reg(l, i) && !lift_is_pred(l, i))) {
        lift_refuse(l);
        return;
    }
    if (!lift_written(l, i))
        return;
    struct uop op = blank(UOP_WRITE, UOP_VOID);
    op.file = (uint8_t)(o->kind == ISA_OPERAND_REG    ? UOP_FILE_R
                        : o->kind == ISA_OPERAND_UREG ? UOP_FILE_UR
                        : o->kind == ISA_OPERAND_PRED ? UOP_FILE_P
                                                      : UOP_FILE_UP);
    op.reg = (uint16_t)(o->reg + word);
    if (word && op.reg >= ISA_RZ) { /* a group that would run past the last register */
        lift_refuse(l);
        return;
    }
    op.arg[0] = v;
    lift_emit(l, op);
}

void lift_write(struct lift *l, unsigned i, uop_ref v)
{
    lift_write_word(l, i, 0, v);
}

void lift_write64(struct lift *l, unsigned i, uop_ref v)
{
    if (!lift_written(l, i))
        return;
    lift_write_word(l, i, 0, lift_lo(l, v));
    lift_write_word(l, i, 1, lift_hi(l, v));
}

/* ---- instructions without a meaning -------------------------------------------------------------------------- */

/* Operand i stands among the results, and their width is known: they are not read. */
static bool is_result_only(const struct lift *l, unsigned i)
{
    unsigned registers = 0;
    /* What is loaded by halves of a warp keeps the other half. */
    if (lift_mod(l, ISA_MOD_16dp32bit_t0_t15) || lift_mod(l, ISA_MOD_16dp32bit_t16_t31))
        return false;
    for (unsigned k = 0; k < lift_count(l); k++) {
        bool reg = lift_is_reg(l, k);
        if (!reg && !lift_is_pred(l, k))
            return false;
        if (reg && !lift_width(l, k))
            return false;
        registers += reg;
        if (registers == lift_results(l))
            return i <= k;
    }
    return false;
}

/* The registers behind the first of a group that an operand spans. */
static void read_rest(struct lift *l, unsigned i)
{
    const struct isa_operand *o = &l->insn->operands[i];
    enum uop_file file = o->kind == ISA_OPERAND_UREG ? UOP_FILE_UR : UOP_FILE_R;
    unsigned first = lift_is_reg(l, i) ? o->reg : o->kind == ISA_OPERAND_MEM ? o->base : (unsigned)ISA_NO_REG;
    if (o->kind == ISA_OPERAND_HANDLE) {
        file = UOP_FILE_UR;
        first = o->ubase;
    }
    for (unsigned w = 1; w < lift_width(l, i) && first < ISA_RZ && first + w < ISA_RZ; w++)
        lift_read(l, file, first + w);
}

static void read_everything(struct lift *l)
{
    for (unsigned i = 0; i < lift_count(l); i++) {
        const struct isa_operand *o = &l->insn->operands[i];
        if (is_result_only(l, i))
            continue;
        if (o->kind == ISA_OPERAND_REG)
            lift_read(l, UOP_FILE_R, o->reg);
        else if (o->kind == ISA_OPERAND_UREG)
            lift_read(l, UOP_FILE_UR, o->reg);
        else if (lift_is_pred(l, i))
            lift_read(l, o->kind == ISA_OPERAND_PRED ? UOP_FILE_P : UOP_FILE_UP, o->reg);
        if (o->kind == ISA_OPERAND_MEM || o->kind == ISA_OPERAND_CONST || o->kind == ISA_OPERAND_HANDLE) {
            if (o->base != ISA_NO_REG)
                lift_read(l, UOP_FILE_R, o->base);
            if (o->ubase != ISA_NO_REG)
                lift_read(l, UOP_FILE_UR, o->ubase);
            if (o->desc != ISA_NO_REG)
                lift_read(l, UOP_FILE_UR, o->desc);
        }
    }
    /* Behind the first of each: a result is said to come from the first four. */
    for (unsigned i = 0; i < lift_count(l); i++)
        if (!is_result_only(l, i))
            read_rest(l, i);
}

/* How many registers an instruction without a meaning may write from its first one on: as many as its kind is known
 * to, else as many as the register's alignment allows. What stays as it was would be taken for something it is not. */
static unsigned words_written(const struct lift *l, unsigned i)
{
    const struct isa_operand *o = &l->insn->operands[i];
    unsigned aligned = o->reg % 4 == 0 ? 4 : o->reg % 2 == 0 ? 2 : 1, width = lift_width(l, i);
    if (width)
        return width;
    /* What has a meaning in other forms is as wide as these: a pair at most, but for loads. */
    bool loads = lift_mod(l, ISA_MOD_128) || !lift_find(l->insn->op);
    return loads || aligned < 2 ? aligned : 2;
}

void lift_unknown(struct lift *l)
{
    l->make.list->unknown = true;
    l->make.list->opaque = true;
    /* Printed first, a register or predicate is taken for a destination: leading predicates and the first registers.
     * A source that stands first (a store's address is MEM) is then both read and written: too much rather than too
     * little. */
    read_everything(l);
    size_t reads = l->make.list->ops.n;
    unsigned result = 0, registers = 0;
    for (unsigned i = 0; i < lift_count(l); i++) {
        bool reg = lift_is_reg(l, i);
        if (!reg && !lift_is_pred(l, i))
            break;
        if (lift_written(l, i)) {
            struct uop op = blank(UOP_OPAQUE, reg ? UOP_B32 : UOP_B1);
            op.imm = result++;
            unsigned n = 0;
            for (size_t r = 0; r < reads && n < 4; r++)
                if (l->make.list->ops.p[r].kind == UOP_READ)
                    op.arg[n++] = (uop_ref)r;
            lift_write(l, i, lift_emit(l, op));
            unsigned words = reg ? words_written(l, i) : 1;
            for (unsigned w = 1; w < words && l->insn->operands[i].reg + w < ISA_RZ; w++) {
                op.imm = result++;
                lift_write_word(l, i, w, lift_emit(l, op));
            }
        }
        if (reg && ++registers == lift_results(l))
            break;
    }
}
