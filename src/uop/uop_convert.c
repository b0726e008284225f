/* What the conversions do: between float formats, floats and integers, rounding to an integral value, packing.
 *
 * Source and destination formats stand in the modifiers, the destination's first; a word of another width than 32 bits
 * is a part of a register or a pair of them. requires/gives: see uop_build.h. */
#include "uop/uop_build.h"

static int float_format(enum isa_mod mod)
{
    switch (mod) {
    case ISA_MOD_F16: return UOP_F16;
    case ISA_MOD_BF16: return UOP_BF16;
    case ISA_MOD_F32: return UOP_F32;
    case ISA_MOD_F64: return UOP_F64;
    default: return -1;
    }
}

struct integer_format {
    unsigned bits;
    bool is_signed;
};

static bool integer_format(enum isa_mod mod, struct integer_format *out)
{
    switch (mod) {
    case ISA_MOD_U8: *out = (struct integer_format){8, false}; return true;
    case ISA_MOD_S8: *out = (struct integer_format){8, true}; return true;
    case ISA_MOD_U16: *out = (struct integer_format){16, false}; return true;
    case ISA_MOD_S16: *out = (struct integer_format){16, true}; return true;
    case ISA_MOD_U32: *out = (struct integer_format){32, false}; return true;
    case ISA_MOD_S32: *out = (struct integer_format){32, true}; return true;
    case ISA_MOD_U64: *out = (struct integer_format){64, false}; return true;
    case ISA_MOD_S64: *out = (struct integer_format){64, true}; return true;
    default: return false;
    }
}

/* What a conversion's modifiers say, in any order but for the two formats of F2F (result first). */
struct conversion {
    int formats[2];
    unsigned format_count;
    struct integer_format integer;
    bool has_integer, integral, ntz;
    unsigned round;
};

static struct conversion conversion_of(struct lift *l)
{
    struct conversion c = {.formats = {UOP_F32, UOP_F32}, .integer = {32, true}, .round = UOP_RN};
    for (unsigned i = 0; i < l->insn->mod_count && i < ISA_MAX_MODS; i++) {
        enum isa_mod mod = (enum isa_mod)l->insn->mods[i];
        int format = float_format(mod);
        struct integer_format integer;
        if (format >= 0 && c.format_count < 2) {
            c.formats[c.format_count++] = format;
        } else if (!c.has_integer && integer_format(mod, &integer)) {
            c.integer = integer;
            c.has_integer = true;
        } else {
            switch (mod) {
            case ISA_MOD_RM: c.round = UOP_RM; break;
            case ISA_MOD_RP: c.round = UOP_RP; break;
            case ISA_MOD_RZ: c.round = UOP_RZ; break;
            case ISA_MOD_FLOOR:
                c.round = UOP_RM;
                c.integral = true;
                break;
            case ISA_MOD_CEIL:
                c.round = UOP_RP;
                c.integral = true;
                break;
            case ISA_MOD_TRUNC:
                c.round = UOP_RZ;
                c.integral = true;
                break;
            case ISA_MOD_NTZ: c.ntz = true; break;
            case ISA_MOD_FTZ:
            case ISA_MOD_SAT: break;
            default: lift_refuse(l);
            }
        }
    }
    return c;
}

/* Source operand 1 in a float format; halves are the low half unless the operand says H1. */
static uop_ref float_operand(struct lift *l, int format)
{
    if (format == UOP_F64)
        return lift_fsrc64(l, 1);
    if (format == UOP_F32)
        return lift_fsrc(l, 1);
    const struct isa_operand *o = lift_operand(l, 1);
    uop_ref word = lift_raw(l, o, false);
    if (!o)
        return word;
    bool high = isa_operand_has_mod(o, ISA_MOD_H1) || isa_operand_has_mod(o, ISA_MOD_H1_H1);
    uop_ref v = lift_op(l, high ? UOP_HI : UOP_LO, UOP_B16, word, UOP_NONE, UOP_NONE);
    if (o->flags & ISA_ABS)
        v = lift_op(l, UOP_FABS, (enum uop_type)format, v, UOP_NONE, UOP_NONE);
    if (o->flags & ISA_NEG)
        v = lift_op(l, UOP_FNEG, (enum uop_type)format, v, UOP_NONE, UOP_NONE);
    return v;
}

static void write_float(struct lift *l, int format, uop_ref v)
{
    if (format == UOP_F64)
        lift_write64(l, 0, v);
    else if (format == UOP_F32)
        lift_write(l, 0, v);
    else
        lift_write(l, 0, lift_imm(l, UOP_ZEXT, UOP_B32, 16, v, UOP_NONE, UOP_NONE));
}

void lift_f2f(struct lift *l)
{
    struct conversion c = conversion_of(l);
    if (c.format_count != 2 || c.integral || c.ntz || c.has_integer || lift_count(l) != 2)
        lift_refuse(l);
    struct uop op = lift_float_uop(UOP_F2F, (enum uop_type)c.formats[0], c.round, lift_float_flags(l));
    op.imm = (uint64_t)c.formats[1];
    write_float(l, c.formats[0], lift_full(l, op, float_operand(l, c.formats[1]), UOP_NONE, UOP_NONE));
}

void lift_frnd(struct lift *l)
{
    struct conversion c = conversion_of(l);
    if (c.format_count > 1 || c.ntz || c.has_integer || lift_mod(l, ISA_MOD_SAT) || lift_count(l) != 2)
        lift_refuse(l);
    int format = c.formats[0];
    struct uop op = lift_float_uop(UOP_FROUND, (enum uop_type)format, c.round, lift_float_flags(l) & UOP_FTZ);
    write_float(l, format, lift_full(l, op, float_operand(l, format), UOP_NONE, UOP_NONE));
}

void lift_f2i(struct lift *l)
{
    struct conversion c = conversion_of(l);
    if (c.format_count > 1 || lift_mod(l, ISA_MOD_SAT) || lift_count(l) != 2)
        lift_refuse(l);
    enum uop_type type = c.integer.bits == 64   ? UOP_B64
                         : c.integer.bits == 32 ? UOP_B32
                         : c.integer.bits == 16 ? UOP_B16
                                                : UOP_B8;
    struct uop op = lift_float_uop(UOP_F2I, type, c.round,
                                   (lift_float_flags(l) & UOP_FTZ) | (c.ntz ? 0u : UOP_NAN) |
                                       (c.integer.is_signed ? UOP_SIGNED : 0u));
    op.imm = (uint64_t)c.formats[0];
    uop_ref v = lift_full(l, op, float_operand(l, c.formats[0]), UOP_NONE, UOP_NONE);
    if (c.integer.bits == 64)
        lift_write64(l, 0, v);
    else if (c.integer.bits == 32)
        lift_write(l, 0, v);
    else
        lift_write(
            l, 0,
            lift_imm(l, c.integer.is_signed ? UOP_SEXT : UOP_ZEXT, UOP_B32, c.integer.bits, v, UOP_NONE, UOP_NONE));
}

/* F2IP.U8 d, a, b, c: two floats as bytes, packed below what c holds; described where a and c are RZ, which leaves b's
 * byte alone. */
void lift_f2ip(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_U8, ISA_MOD_F32, ISA_MOD_TRUNC, ISA_MOD_NTZ, ISA_MOD_NONE};
    lift_expect(l, mods, 4);
    for (unsigned i = 1; i < 4; i += 2)
        if (!lift_is_reg(l, i) || lift_operand(l, i)->reg != ISA_RZ)
            lift_refuse(l);
    struct uop op = lift_float_uop(UOP_F2I, UOP_B8, lift_mod(l, ISA_MOD_TRUNC) ? UOP_RZ : UOP_RN,
                                   lift_mod(l, ISA_MOD_NTZ) ? 0u : UOP_NAN);
    op.imm = UOP_F32;
    if (!lift_mod(l, ISA_MOD_U8))
        lift_refuse(l);
    uop_ref v = lift_full(l, op, lift_fsrc(l, 2), UOP_NONE, UOP_NONE);
    lift_write(l, 0, lift_imm(l, UOP_ZEXT, UOP_B32, 8, v, UOP_NONE, UOP_NONE));
}

void lift_i2f(struct lift *l)
{
    struct conversion c = conversion_of(l);
    if (c.format_count > 1 || c.integral || c.ntz || lift_mod(l, ISA_MOD_SAT) || lift_mod(l, ISA_MOD_FTZ) ||
        lift_count(l) != 2)
        lift_refuse(l);
    int format = c.formats[0];
    struct uop op = lift_float_uop(UOP_I2F, (enum uop_type)format, c.round, c.integer.is_signed ? UOP_SIGNED : 0u);
    op.imm = c.integer.bits;
    uop_ref v = c.integer.bits == 64 ? lift_src64(l, 1) : lift_src(l, 1);
    write_float(l, format, lift_full(l, op, v, UOP_NONE, UOP_NONE));
}

/* Two f32 to a packed pair: the first source becomes the high half. With .MERGE_C one source is converted into the
 * low half and the high half is the second's, described where that is RZ. */
void lift_f2fp(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_F16,  ISA_MOD_BF16, ISA_MOD_F32,     ISA_MOD_PACK_AB,
                                        ISA_MOD_RELU, ISA_MOD_RZ,   ISA_MOD_MERGE_C, ISA_MOD_NONE};
    lift_expect(l, mods, 3);
    bool merge = lift_mod(l, ISA_MOD_MERGE_C);
    if (merge == lift_mod(l, ISA_MOD_PACK_AB))
        lift_refuse(l);
    enum uop_type type = lift_mod(l, ISA_MOD_BF16) ? UOP_BF16 : UOP_F16;
    struct uop op = lift_float_uop(UOP_F2F, type, lift_round(l), lift_float_flags(l));
    op.imm = UOP_F32;
    uop_ref first = lift_full(l, op, lift_fsrc(l, 1), UOP_NONE, UOP_NONE), second = lift_fsrc(l, 2);
    if (merge) {
        if (!lift_equals(l, second, 0))
            lift_refuse(l);
        lift_write(l, 0, lift_imm(l, UOP_ZEXT, UOP_B32, 16, first, UOP_NONE, UOP_NONE));
        return;
    }
    uop_ref low = lift_full(l, op, second, UOP_NONE, UOP_NONE);
    lift_write(l, 0, lift_op(l, UOP_PAIR, UOP_B32, low, first, UOP_NONE));
}
