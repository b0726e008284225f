/* What the integer instructions do. Numbers of 8 and 16 bits are computed in 32: a result's upper bits say nothing, and
 * whoever reads it extends it (ptx_operand.c).
 *
 * The carry of add.cc and its kin is a predicate of its own: out of a sum the carry, out of a difference the borrow. */
#include "front/ptx_internal.h"

static uop_ref op1(struct ptx_lift *l, enum uop_kind kind, enum uop_type type, uop_ref a)
{
    return uop_make_op(&l->make, kind, type, a, UOP_NONE, UOP_NONE);
}

static uop_ref op2(struct ptx_lift *l, enum uop_kind kind, enum uop_type type, uop_ref a, uop_ref b)
{
    return uop_make_op(&l->make, kind, type, a, b, UOP_NONE);
}

static uop_ref word(struct ptx_lift *l, uint64_t bits)
{
    return uop_make_const(&l->make, UOP_B32, bits);
}

static uop_ref widen(struct ptx_lift *l, bool is_signed, uop_ref v)
{
    return uop_make_imm(&l->make, is_signed ? UOP_SEXT : UOP_ZEXT, UOP_B64, 32, v, UOP_NONE, UOP_NONE);
}

static bool is_integer(enum ptx_type t)
{
    return t != PTX_UNTYPED && t != PTX_PRED && !ptx_type_is_float(t) && t != PTX_F16X2 && t != PTX_BF16X2 &&
           t != PTX_F32X2 && t != PTX_OTHER_TYPE && t != PTX_B128 && t != PTX_TF32;
}

/* The type of an integer instruction; floats of the same name have gone their own way before. */
static enum ptx_type integer_type(struct ptx_lift *l)
{
    enum ptx_type t = ptx_type_at(l, 0);
    if (is_integer(t))
        return t;
    ptx_refuse(l);
    return PTX_B32;
}

static uop_ref negated(struct ptx_lift *l, enum uop_type type, uop_ref v)
{
    return op1(l, UOP_NEG, type, v);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static uop_ref read_carry(struct ptx_lift *l)
{
    return ptx_read_predicate(l, l->frame->carry);
}

static void write_carry(struct ptx_lift *l, uop_ref v)
{
    ptx_write_predicate(l, l->frame->carry, v);
}

/* a + b + carry; `minus`: a - b - borrow, which is a + ~b + 1 or + 0. */
static uop_ref chained(struct ptx_lift *l, enum ptx_type type, uop_ref a, uop_ref b, bool minus, bool takes)
{
    enum uop_type as = ptx_type_uop(type);
    bool gives = ptx_has(l, "cc");
    uop_ref in = uop_make_const(&l->make, UOP_B1, minus);
    if (minus)
        b = uop_make_not(&l->make, as, b);
    if (takes) {
        in = read_carry(l);
        if (minus)
            in = uop_make_not(&l->make, UOP_B1, in);
    }
    uop_ref sum = uop_make_op(&l->make, UOP_ADDC, as, a, b, in);
    if (gives) {
        uop_ref out = uop_make_imm(&l->make, UOP_CARRY, UOP_B1, ptx_type_bits(type), a, b, in);
        write_carry(l, minus ? uop_make_not(&l->make, UOP_B1, out) : out);
    }
    return sum;
}

static uop_ref clamp_signed(struct ptx_lift *l, uop_ref wide)
{
    uop_ref most = uop_make_const(&l->make, UOP_B64, INT32_MAX);
    uop_ref least = uop_make_const(&l->make, UOP_B64, (uint64_t)(int64_t)INT32_MIN);
    return uop_make_lo(&l->make, op2(l, UOP_MAX_S, UOP_B64, op2(l, UOP_MIN_S, UOP_B64, wide, most), least));
}

static void add_or_sub(struct ptx_lift *l, bool minus, bool takes)
{
    ptx_expect(l, "cc sat", 3, 3);
    enum ptx_type t = integer_type(l);
    enum uop_type as = ptx_type_uop(t);
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t), v;
    if (ptx_has(l, "sat")) {
        if (t != PTX_S32 || takes || ptx_has(l, "cc"))
            ptx_refuse(l);
        a = widen(l, true, a);
        b = widen(l, true, b);
        v = clamp_signed(l, uop_make_add(&l->make, UOP_B64, a, minus ? negated(l, UOP_B64, b) : b));
    } else if (takes || ptx_has(l, "cc")) {
        if (ptx_type_bits(t) < 32)
            ptx_refuse(l);
        v = chained(l, t, a, b, minus, takes);
    } else {
        v = uop_make_add(&l->make, as, a, minus ? negated(l, as, b) : b);
    }
    ptx_result(l, 0, t, v);
}

void ptx_float_add(struct ptx_lift *l, bool minus);
void ptx_float_mul(struct ptx_lift *l);
void ptx_float_fma(struct ptx_lift *l);
void ptx_float_sign(struct ptx_lift *l, bool absolute);
void ptx_float_extreme(struct ptx_lift *l, bool is_min);
void ptx_float_divide(struct ptx_lift *l);

static bool is_float(struct ptx_lift *l)
{
    enum ptx_type t = ptx_type_at(l, 0);
    return ptx_type_is_float(t) || t == PTX_F16X2 || t == PTX_BF16X2 || t == PTX_F32X2;
}

static void lift_add(struct ptx_lift *l)
{
    if (is_float(l))
        ptx_float_add(l, false);
    else
        add_or_sub(l, false, false);
}

static void lift_sub(struct ptx_lift *l)
{
    if (is_float(l))
        ptx_float_add(l, true);
    else
        add_or_sub(l, true, false);
}

static void lift_addc(struct ptx_lift *l)
{
    add_or_sub(l, false, true);
}

static void lift_subc(struct ptx_lift *l)
{
    add_or_sub(l, true, true);
}

/* ---- products -------------------------------------------------------------------------------- */

/* .lo .hi .wide of a product; *result: the type it has. */
static uop_ref product(struct ptx_lift *l, enum ptx_type t, uop_ref a, uop_ref b, enum ptx_type *result)
{
    bool is_signed = ptx_type_is_signed(t), hi = ptx_has(l, "hi"), wide = ptx_has(l, "wide");
    unsigned bits = ptx_type_bits(t);
    enum uop_type as = ptx_type_uop(t);
    *result = t;
    if (wide && bits == 16) {
        *result = is_signed ? PTX_S32 : PTX_U32;
        return op2(l, UOP_MUL, UOP_B32, a, b);
    }
    if (wide && bits == 32) {
        *result = is_signed ? PTX_S64 : PTX_U64;
        return op2(l, UOP_MUL, UOP_B64, widen(l, is_signed, a), widen(l, is_signed, b));
    }
    if (wide)
        ptx_refuse(l);
    if (hi && bits == 16)
        return op2(l, is_signed ? UOP_SAR : UOP_SHR, UOP_B32, op2(l, UOP_MUL, UOP_B32, a, b), word(l, 16));
    return op2(l, hi ? is_signed ? UOP_MULHI_S : UOP_MULHI_U : UOP_MUL, as, a, b);
}

static void lift_mul(struct ptx_lift *l)
{
    if (is_float(l)) {
        ptx_float_mul(l);
        return;
    }
    ptx_expect(l, "lo hi wide", 3, 3);
    enum ptx_type t = integer_type(l), as;
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t), v = product(l, t, a, b, &as);
    ptx_result(l, 0, as, v);
}

static void mad(struct ptx_lift *l, bool takes)
{
    if (is_float(l)) {
        ptx_float_fma(l);
        return;
    }
    ptx_expect(l, "lo hi wide sat cc", 4, 4);
    enum ptx_type t = integer_type(l), as;
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t), v = product(l, t, a, b, &as), c = ptx_source(l, 3, as);
    if (ptx_has(l, "sat")) {
        if (t != PTX_S32 || !ptx_has(l, "hi"))
            ptx_refuse(l);
        v = clamp_signed(l, uop_make_add(&l->make, UOP_B64, widen(l, true, v), widen(l, true, c)));
    } else if (takes || ptx_has(l, "cc")) {
        if (ptx_type_bits(t) < 32)
            ptx_refuse(l);
        v = chained(l, as, v, c, false, takes);
    } else {
        v = uop_make_add(&l->make, ptx_type_uop(as), v, c);
    }
    ptx_result(l, 0, as, v);
}

static void lift_mad(struct ptx_lift *l)
{
    mad(l, false);
}

static void lift_madc(struct ptx_lift *l)
{
    mad(l, true);
}

/* The low 24 bits of each. */
static void mul24(struct ptx_lift *l, bool adds)
{
    ptx_expect(l, "lo", adds ? 4 : 3, adds ? 4 : 3);
    enum ptx_type t = integer_type(l);
    enum uop_kind extend = ptx_type_is_signed(t) ? UOP_SEXT : UOP_ZEXT;
    uop_ref a = uop_make_imm(&l->make, extend, UOP_B32, 24, ptx_source(l, 1, t), UOP_NONE, UOP_NONE);
    uop_ref b = uop_make_imm(&l->make, extend, UOP_B32, 24, ptx_source(l, 2, t), UOP_NONE, UOP_NONE);
    uop_ref v = op2(l, UOP_MUL, UOP_B32, a, b);
    if (!ptx_has(l, "lo") || ptx_type_bits(t) != 32)
        ptx_refuse(l);
    ptx_result(l, 0, t, adds ? uop_make_add(&l->make, UOP_B32, v, ptx_source(l, 3, t)) : v);
}

static void lift_mul24(struct ptx_lift *l)
{
    mul24(l, false);
}

static void lift_mad24(struct ptx_lift *l)
{
    mul24(l, true);
}

static void divide(struct ptx_lift *l, bool remainder)
{
    ptx_expect(l, "", 3, 3);
    enum ptx_type t = integer_type(l);
    bool is_signed = ptx_type_is_signed(t);
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t);
    unsigned which = remainder   ? is_signed ? UOP_MATH_REM_S : UOP_MATH_REM_U
                     : is_signed ? UOP_MATH_DIV_S
                                 : UOP_MATH_DIV_U;
    ptx_result(l, 0, t, uop_make_imm(&l->make, UOP_MATH, ptx_type_uop(t), which, a, b, UOP_NONE));
}

static void lift_div(struct ptx_lift *l)
{
    if (is_float(l))
        ptx_float_divide(l);
    else
        divide(l, false);
}

static void lift_rem(struct ptx_lift *l)
{
    divide(l, true);
}

/* ---- one operand ----------------------------------------------------------------------------- */

static void lift_neg(struct ptx_lift *l)
{
    if (is_float(l)) {
        ptx_float_sign(l, false);
        return;
    }
    ptx_expect(l, "", 2, 2);
    enum ptx_type t = integer_type(l);
    ptx_result(l, 0, t, negated(l, ptx_type_uop(t), ptx_source(l, 1, t)));
}

static void lift_abs(struct ptx_lift *l)
{
    if (is_float(l)) {
        ptx_float_sign(l, true);
        return;
    }
    ptx_expect(l, "", 2, 2);
    enum ptx_type t = integer_type(l);
    ptx_result(l, 0, t, op1(l, UOP_ABS, ptx_type_uop(t), ptx_source(l, 1, t)));
}

static void lift_not(struct ptx_lift *l)
{
    ptx_expect(l, "", 2, 2);
    enum ptx_type t = ptx_type_at(l, 0);
    if (t != PTX_PRED)
        t = integer_type(l);
    ptx_result(l, 0, t, uop_make_not(&l->make, ptx_type_uop(t), ptx_source(l, 1, t)));
}

static void lift_cnot(struct ptx_lift *l)
{
    ptx_expect(l, "", 2, 2);
    enum ptx_type t = integer_type(l);
    enum uop_type as = ptx_type_uop(t);
    uop_ref v = ptx_source(l, 1, t == PTX_B16 ? PTX_U16 : t), zero = uop_make_const(&l->make, as, 0);
    uop_ref none = uop_make_imm(&l->make, UOP_IEQ, UOP_B1, uop_type_bits(as), v, zero, UOP_NONE);
    ptx_result(l, 0, t, uop_make_select(&l->make, as, none, uop_make_const(&l->make, as, 1), zero));
}

static uop_ref count_ones(struct ptx_lift *l, uop_ref v)
{
    return op1(l, UOP_POPC, UOP_B32, v);
}

static void lift_popc(struct ptx_lift *l)
{
    ptx_expect(l, "", 2, 2);
    enum ptx_type t = integer_type(l);
    uop_ref v = ptx_source(l, 1, t);
    if (ptx_type_bits(t) == 64)
        v = uop_make_add(&l->make, UOP_B32, count_ones(l, uop_make_lo(&l->make, v)),
                         count_ones(l, uop_make_hi(&l->make, v)));
    else
        v = count_ones(l, v);
    ptx_result(l, 0, PTX_U32, v);
}

/* The highest bit's number, -1 without one. */
static uop_ref highest(struct ptx_lift *l, uop_ref v, bool is_signed)
{
    struct uop op = ptx_blank(UOP_FLO, UOP_B32);
    op.flags = is_signed ? UOP_SIGNED : 0;
    return uop_make_full(&l->make, op, v, UOP_NONE, UOP_NONE);
}

static void lift_clz(struct ptx_lift *l)
{
    ptx_expect(l, "", 2, 2);
    enum ptx_type t = integer_type(l);
    uop_ref v = ptx_source(l, 1, t), none = word(l, 0), count;
    if (ptx_type_bits(t) == 64) {
        uop_ref lo = uop_make_lo(&l->make, v), hi = uop_make_hi(&l->make, v);
        uop_ref empty = uop_make_imm(&l->make, UOP_IEQ, UOP_B1, 32, hi, none, UOP_NONE);
        uop_ref below = uop_make_add(&l->make, UOP_B32, word(l, 63), negated(l, UOP_B32, highest(l, lo, false)));
        uop_ref above = uop_make_add(&l->make, UOP_B32, word(l, 31), negated(l, UOP_B32, highest(l, hi, false)));
        count = uop_make_select(&l->make, UOP_B32, empty, below, above);
    } else {
        count = uop_make_add(&l->make, UOP_B32, word(l, 31), negated(l, UOP_B32, highest(l, v, false)));
    }
    ptx_result(l, 0, PTX_U32, count);
}

static void lift_bfind(struct ptx_lift *l)
{
    ptx_expect(l, "shiftamt", 2, 2);
    enum ptx_type t = integer_type(l);
    struct uop op = ptx_blank(UOP_FLO, UOP_B32);
    op.flags = ptx_type_is_signed(t) ? UOP_SIGNED : 0;
    op.imm = ptx_has(l, "shiftamt");
    if (ptx_type_bits(t) != 32)
        ptx_refuse(l);
    ptx_result(l, 0, PTX_U32, uop_make_full(&l->make, op, ptx_source(l, 1, t), UOP_NONE, UOP_NONE));
}

static void lift_brev(struct ptx_lift *l)
{
    ptx_expect(l, "", 2, 2);
    enum ptx_type t = integer_type(l);
    uop_ref v = ptx_source(l, 1, t);
    if (ptx_type_bits(t) == 64)
        v = uop_make_pair(&l->make, op1(l, UOP_BREV, UOP_B32, uop_make_hi(&l->make, v)),
                          op1(l, UOP_BREV, UOP_B32, uop_make_lo(&l->make, v)));
    else
        v = op1(l, UOP_BREV, UOP_B32, v);
    ptx_result(l, 0, t, v);
}

/* ---- two operands ---------------------------------------------------------------------------- */

static void extreme(struct ptx_lift *l, bool is_min)
{
    if (is_float(l)) {
        ptx_float_extreme(l, is_min);
        return;
    }
    ptx_expect(l, "relu", 3, 3);
    enum ptx_type t = integer_type(l);
    enum uop_type as = ptx_type_uop(t);
    bool is_signed = ptx_type_is_signed(t);
    enum uop_kind kind = is_min ? is_signed ? UOP_MIN_S : UOP_MIN_U : is_signed ? UOP_MAX_S : UOP_MAX_U;
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t), v = op2(l, kind, as, a, b);
    if (ptx_has(l, "relu"))
        v = op2(l, UOP_MAX_S, as, v, uop_make_const(&l->make, as, 0));
    ptx_result(l, 0, t, v);
}

static void lift_min(struct ptx_lift *l)
{
    extreme(l, true);
}

static void lift_max(struct ptx_lift *l)
{
    extreme(l, false);
}

static void bitwise(struct ptx_lift *l, uop_ref (*make)(struct uop_maker *, enum uop_type, uop_ref, uop_ref))
{
    ptx_expect(l, "", 3, 3);
    enum ptx_type t = ptx_type_at(l, 0);
    if (t != PTX_PRED)
        t = integer_type(l);
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t);
    ptx_result(l, 0, t, make(&l->make, ptx_type_uop(t), a, b));
}

static void lift_and(struct ptx_lift *l)
{
    bitwise(l, uop_make_and);
}

static void lift_or(struct ptx_lift *l)
{
    bitwise(l, uop_make_or);
}

static void lift_xor(struct ptx_lift *l)
{
    bitwise(l, uop_make_xor);
}

static void lift_lop3(struct ptx_lift *l)
{
    ptx_expect(l, "", 5, 5);
    uop_ref a = ptx_source(l, 1, PTX_B32), b = ptx_source(l, 2, PTX_B32), c = ptx_source(l, 3, PTX_B32);
    const struct ptx_operand *table = ptx_operand(l, 4);
    if (table->kind != PTX_INTEGER || ptx_type_at(l, 0) != PTX_B32)
        ptx_refuse(l);
    ptx_result(l, 0, PTX_B32, uop_make_lop3(&l->make, UOP_B32, a, b, c, (unsigned)table->value));
}

/* Amounts beyond the width leave nothing, or the sign. */
static void shift(struct ptx_lift *l, bool left)
{
    ptx_expect(l, "", 3, 3);
    enum ptx_type t = integer_type(l), from = t == PTX_B16 && !left ? PTX_U16 : t;
    uop_ref a = ptx_source(l, 1, from), n = ptx_source(l, 2, PTX_U32);
    enum uop_kind kind = left ? UOP_SHL : ptx_type_is_signed(t) ? UOP_SAR : UOP_SHR;
    ptx_result(l, 0, t, op2(l, kind, ptx_type_uop(t), a, n));
}

static void lift_shl(struct ptx_lift *l)
{
    shift(l, true);
}

static void lift_shr(struct ptx_lift *l)
{
    shift(l, false);
}

/* shf.l: the high word of {b:a} << n; shf.r: the low word of {b:a} >> n. */
static void lift_shf(struct ptx_lift *l)
{
    ptx_expect(l, "l r clamp wrap", 4, 4);
    bool left = ptx_has(l, "l");
    uop_ref a = ptx_source(l, 1, PTX_B32), b = ptx_source(l, 2, PTX_B32), n = ptx_source(l, 3, PTX_U32);
    if (ptx_type_at(l, 0) != PTX_B32 || left == ptx_has(l, "r") || ptx_has(l, "wrap") == ptx_has(l, "clamp"))
        ptx_refuse(l);
    n = ptx_has(l, "wrap") ? uop_make_and(&l->make, UOP_B32, n, word(l, 31))
                           : op2(l, UOP_MIN_U, UOP_B32, n, word(l, 32));
    uop_ref wide = op2(l, left ? UOP_SHL : UOP_SHR, UOP_B64, uop_make_pair(&l->make, a, b), n);
    ptx_result(l, 0, PTX_B32, left ? uop_make_hi(&l->make, wide) : uop_make_lo(&l->make, wide));
}

/* ---- fields ---------------------------------------------------------------------------------- */

static void lift_bfe(struct ptx_lift *l)
{
    ptx_expect(l, "", 4, 4);
    enum ptx_type t = integer_type(l);
    unsigned bits = ptx_type_bits(t);
    enum uop_type as = ptx_type_uop(t);
    uop_ref a = ptx_source(l, 1, t), at = ptx_source(l, 2, PTX_U32), n = ptx_source(l, 3, PTX_U32);
    uint64_t start, count;
    if (uop_make_is_const(&l->make, at, &start) && uop_make_is_const(&l->make, n, &count) && count &&
        (start & 255) + (count & 255) <= bits && !ptx_type_is_signed(t)) {
        start &= 255;
        count &= 255;
        uop_ref v = start ? op2(l, UOP_SHR, as, a, word(l, start)) : a;
        uint64_t mask = count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
        ptx_result(l, 0, t, uop_make_and(&l->make, as, v, uop_make_const(&l->make, as, mask)));
        return;
    }
    at = uop_make_and(&l->make, UOP_B32, at, word(l, 255));
    n = uop_make_and(&l->make, UOP_B32, n, word(l, 255));
    struct uop op = ptx_blank(UOP_BFE, as);
    op.flags = ptx_type_is_signed(t) ? UOP_SIGNED : 0;
    ptx_result(l, 0, t, uop_make_full(&l->make, op, a, at, n));
}

static void lift_bfi(struct ptx_lift *l)
{
    ptx_expect(l, "", 5, 5);
    enum ptx_type t = integer_type(l);
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t), at = ptx_source(l, 3, PTX_U32),
            n = ptx_source(l, 4, PTX_U32);
    enum uop_type as = ptx_type_uop(t);
    at = uop_make_and(&l->make, UOP_B32, at, word(l, 255));
    n = uop_make_and(&l->make, UOP_B32, n, word(l, 255));
    uop_ref mask, put = op2(l, UOP_SHL, as, a, at);
    if (ptx_type_bits(t) == 64) { /* (1 << n) - 1, all ones for 64 and more, moved up */
        uop_ref ones = op2(l, UOP_SHL, as, uop_make_const(&l->make, as, 1), n);
        mask = op2(l, UOP_SHL, as, uop_make_add(&l->make, as, ones, uop_make_const(&l->make, as, UINT64_MAX)), at);
    } else {
        mask = op2(l, UOP_BMSK, as, at, n);
    }
    put = uop_make_and(&l->make, as, put, mask);
    b = uop_make_and(&l->make, as, b, uop_make_not(&l->make, as, mask));
    ptx_result(l, 0, t, uop_make_or(&l->make, as, put, b));
}

/* szext.clamp and .wrap: the low n bits, extended; bmsk: n ones from a bit on. */
static void lift_bmsk(struct ptx_lift *l)
{
    ptx_expect(l, "clamp wrap", 3, 3);
    uop_ref a = ptx_source(l, 1, PTX_U32), b = ptx_source(l, 2, PTX_U32);
    ptx_result(l, 0, PTX_B32, uop_make_imm(&l->make, UOP_BMSK, UOP_B32, ptx_has(l, "wrap"), a, b, UOP_NONE));
}

static bool permuted_half(struct ptx_lift *l, unsigned selector, uop_ref a, uop_ref b, uop_ref *out)
{
    if (selector != 0x10 && selector != 0x32 && selector != 0x54 && selector != 0x76)
        return false;
    *out = ptx_half(l, selector < 0x50 ? a : b, selector == 0x32 || selector == 0x76);
    return true;
}

/* prmt d, a, b, selector: bytes of {b:a}. */
static void lift_prmt(struct ptx_lift *l)
{
    static const char *const modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    ptx_expect(l, "f4e b4e rc8 ecl ecr rc16", 4, 4);
    unsigned mode = 0;
    for (unsigned i = 1; i < sizeof modes / sizeof modes[0]; i++)
        if (ptx_has(l, modes[i]))
            mode = i;
    uop_ref a = ptx_source(l, 1, PTX_B32), b = ptx_source(l, 2, PTX_B32), s = ptx_source(l, 3, PTX_B32), low, high;
    uint64_t c;
    if (mode == 0 && uop_make_is_const(&l->make, s, &c)) {
        c &= 0xffff;
        bool zero = uop_make_equals(&l->make, b, 0);
        uop_ref v = UOP_NONE;
        if (c == 0x3210 || c == 0x7654)
            v = c == 0x3210 ? a : b;
        else if (c == 0x8880 || c == 0x9910)
            v = uop_make_imm(&l->make, UOP_SEXT, UOP_B32, c == 0x8880 ? 8 : 16, a, UOP_NONE, UOP_NONE);
        else if (zero && (c == 0x7770 || c == 0x4440 || c == 0x7710 || c == 0x7610 || c == 0x5410))
            v = uop_make_imm(&l->make, UOP_ZEXT, UOP_B32, (c & 0xff) == 0x10 ? 16 : 8, a, UOP_NONE, UOP_NONE);
        else if (permuted_half(l, c & 0xff, a, b, &low) && permuted_half(l, (unsigned)(c >> 8), a, b, &high))
            v = ptx_word_of_halves(l, low, high);
        if (v != UOP_NONE) {
            ptx_result(l, 0, PTX_B32, v);
            return;
        }
    }
    ptx_result(l, 0, PTX_B32, uop_make_imm(&l->make, UOP_PRMT, UOP_B32, mode, a, s, b));
}

/* ---- sums of differences and products -------------------------------------------------------- */

static void lift_sad(struct ptx_lift *l)
{
    ptx_expect(l, "", 4, 4);
    enum ptx_type t = integer_type(l);
    struct uop op = ptx_blank(UOP_SAD, ptx_type_uop(t));
    op.flags = ptx_type_is_signed(t) ? UOP_SIGNED : 0;
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t), c = ptx_source(l, 3, t);
    ptx_result(l, 0, t, uop_make_full(&l->make, op, a, b, c));
}

static void lift_dp(struct ptx_lift *l)
{
    bool two = ptx_word_is(l->insn->op, "dp2a");
    ptx_expect(l, "lo hi", 4, 4);
    enum ptx_type ta = ptx_type_at(l, 0), tb = ptx_type_at(l, 1);
    unsigned form = (ptx_type_is_signed(ta) ? 1u : 0) | (ptx_type_is_signed(tb) ? 2u : 0);
    bool is_signed = form != 0;
    if (two)
        form |= ptx_has(l, "hi") ? 2u << 2 : 1u << 2;
    uop_ref a = ptx_source(l, 1, PTX_B32), b = ptx_source(l, 2, PTX_B32), c = ptx_source(l, 3, PTX_B32);
    ptx_result(l, 0, is_signed ? PTX_S32 : PTX_U32, uop_make_imm(&l->make, UOP_DP4A, UOP_B32, form, a, b, c));
}

const struct ptx_op ptx_integer_ops[] = {
    {"add", lift_add},   {"sub", lift_sub},   {"addc", lift_addc},   {"subc", lift_subc},   {"mul", lift_mul},
    {"mad", lift_mad},   {"madc", lift_madc}, {"mul24", lift_mul24}, {"mad24", lift_mad24}, {"div", lift_div},
    {"rem", lift_rem},   {"neg", lift_neg},   {"abs", lift_abs},     {"not", lift_not},     {"cnot", lift_cnot},
    {"popc", lift_popc}, {"clz", lift_clz},   {"bfind", lift_bfind}, {"brev", lift_brev},   {"min", lift_min},
    {"max", lift_max},   {"and", lift_and},   {"or", lift_or},       {"xor", lift_xor},     {"lop3", lift_lop3},
    {"shl", lift_shl},   {"shr", lift_shr},   {"shf", lift_shf},     {"bfe", lift_bfe},     {"bfi", lift_bfi},
    {"bmsk", lift_bmsk}, {"prmt", lift_prmt}, {"sad", lift_sad},     {"dp4a", lift_dp},     {"dp2a", lift_dp},
    {NULL, NULL},
};
