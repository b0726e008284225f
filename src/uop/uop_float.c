/* What the float instructions do: f32, f64, packed halves, compares (conversions: uop_convert.c).
 *
 * Compares are five ordered atoms with operand swap and negation (GEU is "not less"); min and max take a predicate
 * that is nearly always constant; a multiply by one or an addition of -0 that ptxas put in for its pipes disappears
 * by exact rules (lift_ffma, lift_fadd). requires/gives: see uop_build.h. */
#include "uop/uop_build.h"

#include <assert.h>

static const uint64_t one_bits[] = {
    [UOP_F16] = 0x3c00, [UOP_BF16] = 0x3f80, [UOP_F32] = 0x3f800000, [UOP_F64] = UINT64_C(0x3ff0000000000000)};

enum uop_round lift_round(const struct lift *l)
{
    if (lift_mod(l, ISA_MOD_RM))
        return UOP_RM;
    if (lift_mod(l, ISA_MOD_RP))
        return UOP_RP;
    return lift_mod(l, ISA_MOD_RZ) ? UOP_RZ : UOP_RN;
}

unsigned lift_float_flags(const struct lift *l)
{
    return (lift_mod(l, ISA_MOD_FTZ) ? UOP_FTZ : 0u) | (lift_mod(l, ISA_MOD_SAT) ? UOP_SAT : 0u) |
           (lift_mod(l, ISA_MOD_FMZ) ? UOP_FMZ : 0u) | (lift_mod(l, ISA_MOD_RELU) ? UOP_RELU : 0u);
}

/* ---- f32 ----------------------------------------------------------------------------------------------------- */

static const enum isa_mod arithmetic_mods[] = {ISA_MOD_FTZ, ISA_MOD_SAT, ISA_MOD_FMZ, ISA_MOD_RM,
                                               ISA_MOD_RP,  ISA_MOD_RZ,  ISA_MOD_NONE};

void lift_fadd_op(struct lift *l)
{
    lift_expect(l, arithmetic_mods, 3);
    uop_ref a = lift_fsrc(l, 1), b = lift_fsrc(l, 2);
    lift_write(l, 0, lift_fadd(l, UOP_F32, lift_round(l), lift_float_flags(l), a, b));
}

void lift_fmul_op(struct lift *l)
{
    lift_expect(l, arithmetic_mods, 3);
    uop_ref a = lift_fsrc(l, 1), b = lift_fsrc(l, 2);
    lift_write(l, 0, lift_fmul(l, UOP_F32, lift_round(l), lift_float_flags(l), a, b));
}

void lift_ffma_op(struct lift *l)
{
    lift_expect(l, arithmetic_mods, 4);
    uop_ref a = lift_fsrc(l, 1), b = lift_fsrc(l, 2), c = lift_fsrc(l, 3);
    lift_write(l, 0, lift_ffma(l, UOP_F32, lift_round(l), lift_float_flags(l), a, b, c));
}

static uop_ref min_max(struct lift *l, enum uop_type type, unsigned flags, uop_ref p, uop_ref a, uop_ref b)
{
    uint64_t is_min;
    if (lift_is_const(l, p, &is_min))
        return lift_full(l, lift_float_uop(is_min ? UOP_FMIN : UOP_FMAX, type, UOP_RN, flags), a, b, UOP_NONE);
    uop_ref least = lift_full(l, lift_float_uop(UOP_FMIN, type, UOP_RN, flags), a, b, UOP_NONE);
    uop_ref most = lift_full(l, lift_float_uop(UOP_FMAX, type, UOP_RN, flags), a, b, UOP_NONE);
    return lift_select(l, type, p, least, most);
}

static unsigned min_max_flags(const struct lift *l)
{
    return (lift_float_flags(l) & (UOP_FTZ | UOP_RELU)) | (lift_mod(l, ISA_MOD_NAN) ? UOP_NAN : 0u);
}

static const enum isa_mod min_max_mods[] = {ISA_MOD_FTZ, ISA_MOD_NAN, ISA_MOD_XORSIGN, ISA_MOD_NONE};

void lift_fmnmx(struct lift *l)
{
    lift_expect(l, min_max_mods, 4);
    const struct isa_operand *x = lift_operand(l, 1), *y = lift_operand(l, 2);
    unsigned flags = min_max_flags(l);
    uop_ref a, b;
    if (lift_mod(l, ISA_MOD_XORSIGN)) {
        /* The magnitudes are compared, the result's sign is the xor of the signs as they were: PTX knows it on |x|
         * alone. */
        if (!x || !y || (x->flags & (ISA_ABS | ISA_NEG)) != ISA_ABS || (y->flags & (ISA_ABS | ISA_NEG)) != ISA_ABS)
            lift_refuse(l);
        a = lift_raw(l, x, false);
        b = lift_raw(l, y, false);
        flags |= UOP_XORSIGN;
    } else {
        a = lift_fsrc(l, 1);
        b = lift_fsrc(l, 2);
    }
    lift_write(l, 0, min_max(l, UOP_F32, flags, lift_pred(l, 3), a, b));
}

void lift_fmnmx3(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_FTZ, ISA_MOD_NAN, ISA_MOD_NONE};
    lift_expect(l, mods, 5);
    unsigned flags = min_max_flags(l);
    uop_ref a = lift_fsrc(l, 1), b = lift_fsrc(l, 2), c = lift_fsrc(l, 3), p = lift_pred(l, 4);
    lift_write(l, 0, min_max(l, UOP_F32, flags, p, min_max(l, UOP_F32, flags, p, a, b), c));
}

/* A move of bits; with .FTZ a subnormal becomes the zero of its sign, everything else (a NaN's payload too) stays. */
void lift_fsel(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_FTZ, ISA_MOD_NONE};
    lift_expect(l, mods, 4);
    uop_ref a = lift_fsrc(l, 1), b = lift_fsrc(l, 2), v = lift_select(l, UOP_B32, lift_pred(l, 3), a, b);
    if (lift_mod(l, ISA_MOD_FTZ)) {
        struct uop op = lift_float_uop(UOP_FEQ, UOP_F32, UOP_RN, UOP_FTZ);
        op.imm = 32;
        uop_ref small = lift_full(l, op, v, lift_const(l, UOP_B32, 0), UOP_NONE);
        uop_ref zero = lift_and(l, UOP_B32, v, lift_const(l, UOP_B32, 0x80000000));
        v = lift_select(l, UOP_B32, small, zero, v);
    }
    lift_write(l, 0, v);
}

/* ---- compares ------------------------------------------------------------------------------------------------ */

struct compare_row {
    enum isa_mod mod;
    uint8_t kind; /* the ordered atom; UOP_CONST: always `negated` */
    bool swapped, negated;
};

static const struct compare_row compare_rows[] = {
    {ISA_MOD_LT, UOP_FLT, false, false},   {ISA_MOD_LE, UOP_FLE, false, false},  {ISA_MOD_GT, UOP_FLT, true, false},
    {ISA_MOD_GE, UOP_FLE, true, false},    {ISA_MOD_EQ, UOP_FEQ, false, false},  {ISA_MOD_NE, UOP_FNE, false, false},
    {ISA_MOD_NUM, UOP_FNUM, false, false}, {ISA_MOD_NAN, UOP_FNUM, false, true}, {ISA_MOD_GEU, UOP_FLT, false, true},
    {ISA_MOD_GTU, UOP_FLE, false, true},   {ISA_MOD_LEU, UOP_FLT, true, true},   {ISA_MOD_LTU, UOP_FLE, true, true},
    {ISA_MOD_NEU, UOP_FEQ, false, true},   {ISA_MOD_EQU, UOP_FNE, false, true},  {ISA_MOD_F, UOP_CONST, false, false},
    {ISA_MOD_T, UOP_CONST, false, true},
};

/* The compare the instruction names, or UOP_NONE after a refusal. */
static uop_ref compare(struct lift *l, enum uop_type type, uop_ref a, uop_ref b)
{
    for (unsigned i = 0; i < sizeof compare_rows / sizeof *compare_rows; i++) {
        const struct compare_row *row = &compare_rows[i];
        if (!lift_mod(l, row->mod))
            continue;
        if (row->kind == UOP_CONST)
            return lift_const(l, UOP_B1, row->negated);
        struct uop op = lift_float_uop((enum uop_kind)row->kind, type, UOP_RN, lift_float_flags(l) & UOP_FTZ);
        op.imm = uop_type_bits(type);
        if (row->swapped)
            op.flags |= UOP_SWAPPED;
        uop_ref v = lift_full(l, op, row->swapped ? b : a, row->swapped ? a : b, UOP_NONE);
        return row->negated ? lift_not(l, UOP_B1, v) : v;
    }
    lift_refuse(l);
    return lift_const(l, UOP_B1, 0);
}

#define COMPARE_MODS                                                                                             \
    ISA_MOD_F, ISA_MOD_LT, ISA_MOD_EQ, ISA_MOD_LE, ISA_MOD_GT, ISA_MOD_NE, ISA_MOD_GE, ISA_MOD_NUM, ISA_MOD_NAN, \
        ISA_MOD_LTU, ISA_MOD_EQU, ISA_MOD_LEU, ISA_MOD_GTU, ISA_MOD_NEU, ISA_MOD_GEU, ISA_MOD_T, ISA_MOD_AND,    \
        ISA_MOD_OR, ISA_MOD_XOR, ISA_MOD_FTZ

static void set_predicates(struct lift *l, uop_ref condition)
{
    uop_ref with = lift_pred(l, 4);
    lift_write(l, 0, lift_bool_op(l, condition, with));
    if (lift_written(l, 1))
        lift_write(l, 1, lift_bool_op(l, lift_not(l, UOP_B1, condition), with));
}

void lift_fsetp(struct lift *l)
{
    static const enum isa_mod mods[] = {COMPARE_MODS, ISA_MOD_NONE};
    lift_expect(l, mods, 5);
    uop_ref a = lift_fsrc(l, 2), b = lift_fsrc(l, 3);
    set_predicates(l, compare(l, UOP_F32, a, b));
}

/* DSETP.MAX and .MIN choose for a max or min made of two selects: Pu = take a (MAX: a is greater; MIN: a is not
 * greater; -0 is less than +0; b alone NaN takes a, a NaN takes b), Pv = both are NaN, whatever Pp. Measured on
 * sm_90. */
static void double_extreme(struct lift *l, bool maximum)
{
    static const enum isa_mod mods[] = {ISA_MOD_MAX, ISA_MOD_MIN, ISA_MOD_AND, ISA_MOD_NONE};
    lift_expect(l, mods, 5);
    uop_ref a = lift_fsrc64(l, 2), b = lift_fsrc64(l, 3), with = lift_pred(l, 4), zero = lift_const(l, UOP_B64, 0);
    struct uop op = lift_float_uop(UOP_FLT, UOP_F64, UOP_RN, UOP_SWAPPED);
    op.imm = 64;
    uop_ref greater = lift_full(l, op, b, a, UOP_NONE);
    op.flags = 0;
    op.kind = UOP_FEQ;
    uop_ref equal = lift_full(l, op, a, b, UOP_NONE);
    uop_ref a_negative = lift_imm(l, UOP_ILT_S, UOP_B1, 64, a, zero, UOP_NONE);
    uop_ref b_negative = lift_imm(l, UOP_ILT_S, UOP_B1, 64, b, zero, UOP_NONE);
    uop_ref signs = lift_and(l, UOP_B1, b_negative, lift_not(l, UOP_B1, a_negative));
    greater = lift_or(l, UOP_B1, greater, lift_and(l, UOP_B1, equal, signs));
    op.kind = UOP_FNUM;
    uop_ref a_number = lift_full(l, op, a, a, UOP_NONE), b_number = lift_full(l, op, b, b, UOP_NONE), take;
    if (maximum)
        take = lift_or(l, UOP_B1, greater, lift_and(l, UOP_B1, a_number, lift_not(l, UOP_B1, b_number)));
    else
        take = lift_and(l, UOP_B1, a_number, lift_not(l, UOP_B1, greater));
    lift_write(l, 0, lift_and(l, UOP_B1, take, with));
    if (lift_written(l, 1))
        lift_write(l, 1, lift_not(l, UOP_B1, lift_or(l, UOP_B1, a_number, b_number)));
}

void lift_dsetp(struct lift *l)
{
    static const enum isa_mod mods[] = {COMPARE_MODS, ISA_MOD_NONE};
    if (lift_mod(l, ISA_MOD_MAX) || lift_mod(l, ISA_MOD_MIN)) {
        double_extreme(l, lift_mod(l, ISA_MOD_MAX));
        return;
    }
    lift_expect(l, mods, 5);
    uop_ref a = lift_fsrc64(l, 2), b = lift_fsrc64(l, 3);
    set_predicates(l, compare(l, UOP_F64, a, b));
}

void lift_fset(struct lift *l)
{
    static const enum isa_mod mods[] = {COMPARE_MODS, ISA_MOD_BF, ISA_MOD_NONE};
    lift_expect(l, mods, 4);
    uop_ref a = lift_fsrc(l, 1), b = lift_fsrc(l, 2);
    uop_ref condition = compare(l, UOP_F32, a, b), p = lift_bool_op(l, condition, lift_pred(l, 3));
    uint64_t yes = lift_mod(l, ISA_MOD_BF) ? one_bits[UOP_F32] : UINT32_MAX;
    uop_ref set = lift_const(l, UOP_B32, yes), clear = lift_const(l, UOP_B32, 0);
    lift_write(l, 0, lift_select(l, UOP_B32, p, set, clear));
}

void lift_fchk(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_DIVIDE, ISA_MOD_NONE};
    lift_expect(l, mods, 3);
    uop_ref a = lift_fsrc(l, 1), b = lift_fsrc(l, 2);
    lift_write(l, 0, lift_full(l, lift_float_uop(UOP_FCHK, UOP_F32, UOP_RN, 0), a, b, UOP_NONE));
}

/* The high word of a double. A constant is written as the double: its low word is zero. */
static uop_ref high_word(struct lift *l, unsigned i)
{
    const struct isa_operand *o = lift_operand(l, i);
    if (!o || o->kind != ISA_OPERAND_FIMM || o->bits != 64)
        return lift_fsrc(l, i);
    uint64_t bits = (uint64_t)o->value;
    if ((uint32_t)bits || (o->flags & (ISA_INV | ISA_NOT)))
        lift_refuse(l);
    uint32_t high = (uint32_t)(bits >> 32);
    high &= o->flags & ISA_ABS ? 0x7fffffffu : 0xffffffffu;
    high ^= o->flags & ISA_NEG ? 0x80000000u : 0;
    return lift_const(l, UOP_B32, high);
}

/* Of one half: the low one or .H1. The result stands in the low half, the high one is zero. */
static void lift_mufu_half(struct lift *l, enum uop_kind kind, enum uop_type half)
{
    const struct isa_operand *o = lift_operand(l, 1);
    if (!o || o->flags & (ISA_NEG | ISA_ABS | ISA_INV) || (kind != UOP_EX2 && kind != UOP_TANH)) {
        lift_refuse(l);
        return;
    }
    uop_ref a = lift_op(l, UOP_LO, half, lift_src(l, 1), UOP_NONE, UOP_NONE);
    uop_ref r = lift_op(l, kind, half, a, UOP_NONE, UOP_NONE);
    lift_write(l, 0, lift_imm(l, UOP_ZEXT, UOP_B32, 16, r, UOP_NONE, UOP_NONE));
}

void lift_mufu(struct lift *l)
{
    static const struct {
        enum isa_mod mod;
        uint8_t kind;
    } rows[] = {
        {ISA_MOD_EX2, UOP_EX2},       {ISA_MOD_LG2, UOP_LG2},       {ISA_MOD_RCP, UOP_RCP}, {ISA_MOD_RSQ, UOP_RSQ},
        {ISA_MOD_SQRT, UOP_SQRT},     {ISA_MOD_SIN, UOP_SIN},       {ISA_MOD_COS, UOP_COS}, {ISA_MOD_TANH, UOP_TANH},
        {ISA_MOD_RCP64H, UOP_RCP64H}, {ISA_MOD_RSQ64H, UOP_RSQ64H},
    };
    enum uop_type half = lift_mod(l, ISA_MOD_F16) ? UOP_F16 : lift_mod(l, ISA_MOD_BF16) ? UOP_BF16 : UOP_VOID;
    if (l->insn->mod_count != (half ? 2 : 1) || lift_count(l) != 2)
        lift_refuse(l);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!lift_mod(l, rows[i].mod))
            continue;
        if (half) {
            lift_mufu_half(l, (enum uop_kind)rows[i].kind, half);
            return;
        }
        bool wide = rows[i].kind == UOP_RCP64H || rows[i].kind == UOP_RSQ64H;
        uop_ref a = wide ? high_word(l, 1) : lift_fsrc(l, 1);
        lift_write(l, 0, lift_op(l, (enum uop_kind)rows[i].kind, UOP_F32, a, UOP_NONE, UOP_NONE));
        return;
    }
    lift_refuse(l);
}

/* ---- f64 ----------------------------------------------------------------------------------------------------- */

static const enum isa_mod round_mods[] = {ISA_MOD_RM, ISA_MOD_RP, ISA_MOD_RZ, ISA_MOD_NONE};

void lift_dadd(struct lift *l)
{
    lift_expect(l, round_mods, 3);
    uop_ref a = lift_fsrc64(l, 1), b = lift_fsrc64(l, 2);
    lift_write64(l, 0, lift_fadd(l, UOP_F64, lift_round(l), 0, a, b));
}

void lift_dmul(struct lift *l)
{
    lift_expect(l, round_mods, 3);
    uop_ref a = lift_fsrc64(l, 1), b = lift_fsrc64(l, 2);
    lift_write64(l, 0, lift_fmul(l, UOP_F64, lift_round(l), 0, a, b));
}

void lift_dfma(struct lift *l)
{
    lift_expect(l, round_mods, 4);
    uop_ref a = lift_fsrc64(l, 1), b = lift_fsrc64(l, 2), c = lift_fsrc64(l, 3);
    lift_write64(l, 0, lift_ffma(l, UOP_F64, lift_round(l), 0, a, b, c));
}

/* ---- packed halves ------------------------------------------------------------------------------------------- */

struct halves {
    uop_ref low, high;
};

static enum uop_type half_type(const struct lift *l)
{
    return lift_mod(l, ISA_MOD_BF16_V2) ? UOP_BF16 : UOP_F16;
}

/* The source at operand *i; an immediate is two printed numbers, high half first. Moves *i behind it. */
static struct halves half_source(struct lift *l, unsigned *i)
{
    enum uop_type type = half_type(l);
    const struct isa_operand *o = lift_operand(l, *i), *next = lift_operand(l, *i + 1);
    if (o && o->kind == ISA_OPERAND_FIMM) {
        if (o->bits != 16 || !next || next->kind != ISA_OPERAND_FIMM || next->bits != 16)
            lift_refuse(l);
        *i += 2;
        struct halves pair = {.low = lift_const(l, UOP_B16, next ? (uint64_t)next->value : 0)};
        pair.high = lift_const(l, UOP_B16, (uint64_t)o->value);
        return pair;
    }
    *i += 1;
    uop_ref word = lift_raw(l, o, false);
    struct halves h = {.low = lift_op(l, UOP_LO, UOP_B16, word, UOP_NONE, UOP_NONE)};
    h.high = lift_op(l, UOP_HI, UOP_B16, word, UOP_NONE, UOP_NONE);
    if (!o)
        return h;
    if (isa_operand_has_mod(o, ISA_MOD_H0_H0))
        h.high = h.low;
    else if (isa_operand_has_mod(o, ISA_MOD_H1_H1))
        h.low = h.high;
    else if (isa_operand_has_mod(o, ISA_MOD_F32))
        lift_refuse(l);
    uop_ref *parts[] = {&h.low, &h.high};
    for (unsigned k = 0; k < 2; k++) {
        if (o->flags & ISA_ABS)
            *parts[k] = lift_op(l, UOP_FABS, type, *parts[k], UOP_NONE, UOP_NONE);
        if (o->flags & ISA_NEG)
            *parts[k] = lift_op(l, UOP_FNEG, type, *parts[k], UOP_NONE, UOP_NONE);
    }
    return h;
}

static void write_halves(struct lift *l, uop_ref low, uop_ref high)
{
    lift_write(l, 0, lift_op(l, UOP_PAIR, UOP_B32, low, high, UOP_NONE));
}

static const enum isa_mod half_mods[] = {ISA_MOD_FTZ,     ISA_MOD_SAT, ISA_MOD_FMZ, ISA_MOD_RELU,
                                         ISA_MOD_BF16_V2, ISA_MOD_MMA, ISA_MOD_NONE};

static void expect_end(struct lift *l, unsigned i)
{
    if (i != lift_count(l))
        lift_refuse(l);
}

void lift_hadd2(struct lift *l)
{
    unsigned i = 1, flags = lift_float_flags(l);
    enum uop_type type = half_type(l);
    struct halves a = half_source(l, &i), b = half_source(l, &i);
    expect_end(l, i);
    if (lift_mod(l, ISA_MOD_F32)) { /* one f32 result, of the halves selected for the low lane */
        if (l->insn->mod_count != 1)
            lift_refuse(l);
        uop_ref x = lift_imm(l, UOP_F2F, UOP_F32, type, a.low, UOP_NONE, UOP_NONE);
        uop_ref y = lift_imm(l, UOP_F2F, UOP_F32, type, b.low, UOP_NONE, UOP_NONE);
        lift_write(l, 0, lift_fadd(l, UOP_F32, UOP_RN, 0, x, y));
        return;
    }
    if (!lift_only_mods(l, half_mods))
        lift_refuse(l);
    uop_ref low = lift_fadd(l, type, UOP_RN, flags, a.low, b.low);
    write_halves(l, low, lift_fadd(l, type, UOP_RN, flags, a.high, b.high));
}

void lift_hmul2(struct lift *l)
{
    unsigned i = 1, flags = lift_float_flags(l);
    enum uop_type type = half_type(l);
    struct halves a = half_source(l, &i), b = half_source(l, &i);
    expect_end(l, i);
    if (!lift_only_mods(l, half_mods))
        lift_refuse(l);
    uop_ref low = lift_fmul(l, type, UOP_RN, flags, a.low, b.low);
    write_halves(l, low, lift_fmul(l, type, UOP_RN, flags, a.high, b.high));
}

void lift_hfma2(struct lift *l)
{
    unsigned i = 1, flags = lift_float_flags(l);
    enum uop_type type = half_type(l);
    struct halves a = half_source(l, &i), b = half_source(l, &i), c = half_source(l, &i);
    expect_end(l, i);
    if (!lift_only_mods(l, half_mods))
        lift_refuse(l);
    uop_ref low = lift_ffma(l, type, UOP_RN, flags, a.low, b.low, c.low);
    uop_ref high = lift_ffma(l, type, UOP_RN, flags, a.high, b.high, c.high);
    write_halves(l, low, high);
}

void lift_hsetp2(struct lift *l)
{
    static const enum isa_mod mods[] = {COMPARE_MODS, ISA_MOD_BF16_V2, ISA_MOD_H_AND, ISA_MOD_NONE};
    unsigned i = 2;
    enum uop_type type = half_type(l);
    struct halves a = half_source(l, &i), b = half_source(l, &i);
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    uop_ref low = compare(l, type, a.low, b.low), high = compare(l, type, a.high, b.high), with = lift_pred(l, i);
    expect_end(l, i + 1);
    if (lift_mod(l, ISA_MOD_H_AND)) {
        uop_ref both = lift_and(l, UOP_B1, low, high);
        lift_write(l, 0, lift_bool_op(l, both, with));
        if (lift_written(l, 1))
            lift_write(l, 1, lift_bool_op(l, lift_not(l, UOP_B1, both), with));
        return;
    }
    lift_write(l, 0, lift_bool_op(l, low, with));
    lift_write(l, 1, lift_bool_op(l, high, with));
}

void lift_hset2(struct lift *l)
{
    static const enum isa_mod mods[] = {COMPARE_MODS, ISA_MOD_BF16_V2, ISA_MOD_BF, ISA_MOD_NONE};
    unsigned i = 1;
    enum uop_type type = half_type(l);
    struct halves a = half_source(l, &i), b = half_source(l, &i);
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    uop_ref low = compare(l, type, a.low, b.low), high = compare(l, type, a.high, b.high), with = lift_pred(l, i);
    expect_end(l, i + 1);
    uop_ref yes = lift_const(l, UOP_B16, lift_mod(l, ISA_MOD_BF) ? one_bits[type] : 0xffff),
            no = lift_const(l, UOP_B16, 0);
    low = lift_select(l, UOP_B16, lift_bool_op(l, low, with), yes, no);
    high = lift_select(l, UOP_B16, lift_bool_op(l, high, with), yes, no);
    write_halves(l, low, high);
}

void lift_hmnmx2(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_FTZ, ISA_MOD_NAN, ISA_MOD_RELU, ISA_MOD_BF16_V2, ISA_MOD_NONE};
    unsigned i = 1, flags = min_max_flags(l);
    enum uop_type type = half_type(l);
    struct halves a = half_source(l, &i), b = half_source(l, &i);
    uop_ref p = lift_pred(l, i);
    expect_end(l, i + 1);
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    uop_ref low = min_max(l, type, flags, p, a.low, b.low);
    write_halves(l, low, min_max(l, type, flags, p, a.high, b.high));
}

/* The two floats of a packed operand: a pair as it stands (HI_LO, or without a word) or crossed (LO_HI), or one float
 * for both (F32). A sign stands for both; NP turns the high one's once more. */
static struct halves packed_source(struct lift *l, unsigned i)
{
    const struct isa_operand *o = lift_operand(l, i);
    bool straight = o && (isa_operand_has_mod(o, ISA_MOD_HI_LO) || o->mods[0] == ISA_MOD_NONE);
    bool crossed = o && isa_operand_has_mod(o, ISA_MOD_LO_HI);
    bool single = o && isa_operand_has_mod(o, ISA_MOD_F32) && !isa_operand_has_mod(o, ISA_MOD_F32x2);
    if (o && o->kind == ISA_OPERAND_FIMM && o->bits == 32) { /* one number for both */
        struct halves both = {.low = lift_const(l, UOP_F32, (uint64_t)o->value)};
        both.high = both.low;
        return both;
    }
    if (!o || o->flags & (ISA_ABS | ISA_INV | ISA_NOT) || !lift_is_reg(l, i) || straight + crossed + single != 1) {
        lift_refuse(l);
        return (struct halves){lift_const(l, UOP_F32, 0), lift_const(l, UOP_F32, 0)};
    }
    struct halves in;
    if (single) {
        in.low = in.high = lift_raw(l, o, false);
    } else {
        uop_ref wide = lift_raw(l, o, true);
        in.low = crossed ? lift_hi(l, wide) : lift_lo(l, wide);
        in.high = crossed ? lift_lo(l, wide) : lift_hi(l, wide);
    }
    bool negated = o->flags & ISA_NEG;
    if (negated)
        in.low = lift_op(l, UOP_FNEG, UOP_F32, in.low, UOP_NONE, UOP_NONE);
    if (negated != isa_operand_has_mod(o, ISA_MOD_NP))
        in.high = lift_op(l, UOP_FNEG, UOP_F32, in.high, UOP_NONE, UOP_NONE);
    return in;
}

/* FADD2 FMUL2 FFMA2: two f32 in register pairs. */
void lift_packed_f32(struct lift *l)
{
    unsigned count = lift_count(l), flags = lift_float_flags(l), round = lift_round(l);
    if (!lift_only_mods(l, arithmetic_mods) || (count != 3 && count != 4)) {
        lift_refuse(l);
        return;
    }
    struct halves a = packed_source(l, 1), b = packed_source(l, 2), c = {UOP_NONE, UOP_NONE};
    if (count == 4)
        c = packed_source(l, 3);
    uop_ref part[2];
    for (unsigned k = 0; k < 2; k++) {
        uop_ref x = k ? a.high : a.low, y = k ? b.high : b.low;
        if (count == 4)
            part[k] = lift_ffma(l, UOP_F32, round, flags, x, y, k ? c.high : c.low);
        else if (l->insn->op == ISA_OP_FMUL2)
            part[k] = lift_fmul(l, UOP_F32, round, flags, x, y);
        else
            part[k] = lift_fadd(l, UOP_F32, round, flags, x, y);
    }
    lift_write_word(l, 0, 0, part[0]);
    if (lift_written(l, 0))
        lift_write_word(l, 0, 1, part[1]);
}
