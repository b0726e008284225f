/* What the float instructions do: arithmetic of f32, f64, f16, bf16 and of packed pairs, functions, compares,
 * selection.
 *
 * Functions that the hardware only approximates are the waist's approximations; `.rn` divisions and roots are UOP_MATH
 * and SQRT, rounded as they say. div.approx is by definition a product with the approximate reciprocal. */
#include "front/ptx_internal.h"

void ptx_float_add(struct ptx_lift *l, bool minus);
void ptx_float_mul(struct ptx_lift *l);
void ptx_float_fma(struct ptx_lift *l);
void ptx_float_sign(struct ptx_lift *l, bool absolute);
void ptx_float_extreme(struct ptx_lift *l, bool is_min);
void ptx_float_divide(struct ptx_lift *l);

enum { PARTS = 2, SOURCES = 4 };
static const uint64_t f64_sign = UINT64_C(0x8000000000000000);

/* A float instruction's operands, part by part where two numbers are packed. */
struct numbers {
    enum ptx_type type; /* of the whole */
    enum uop_type as;   /* of a part */
    unsigned parts, count;
    uop_ref v[SOURCES][PARTS];
};

static struct numbers read_numbers(struct ptx_lift *l, unsigned count)
{
    struct numbers n = {.type = ptx_type_at(l, 0), .parts = 1, .count = count};
    n.as = ptx_type_uop(n.type);
    if (n.type == PTX_F16X2 || n.type == PTX_BF16X2 || n.type == PTX_F32X2) {
        n.parts = 2;
        n.as = n.type == PTX_F16X2 ? UOP_F16 : n.type == PTX_BF16X2 ? UOP_BF16 : UOP_F32;
    }
    for (unsigned i = 0; i < count && i < SOURCES; i++) {
        uop_ref whole = ptx_source(l, i + 1, n.type);
        for (unsigned k = 0; k < n.parts; k++)
            n.v[i][k] = n.parts == 1          ? whole
                        : n.type == PTX_F32X2 ? k ? uop_make_hi(&l->make, whole) : uop_make_lo(&l->make, whole)
                                              : ptx_half(l, whole, k);
    }
    return n;
}

static void put_numbers(struct ptx_lift *l, const struct numbers *n, const uop_ref part[PARTS])
{
    uop_ref v = n->parts == 1          ? part[0]
                : n->type == PTX_F32X2 ? uop_make_pair(&l->make, part[0], part[1])
                                       : ptx_word_of_halves(l, part[0], part[1]);
    ptx_result(l, 0, n->type, v);
}

static struct uop float_like(enum uop_kind kind, enum uop_type type, unsigned round, unsigned flags)
{
    struct uop op = ptx_blank(kind, type);
    op.round = (uint8_t)round;
    op.flags = (uint8_t)flags;
    return op;
}

static uop_ref flipped(struct ptx_lift *l, enum uop_type type, uop_ref v)
{
    return uop_make_op(&l->make, UOP_FNEG, type, v, UOP_NONE, UOP_NONE);
}

#define ARITHMETIC "rn rz rm rp ftz sat"

void ptx_float_add(struct ptx_lift *l, bool minus)
{
    ptx_expect(l, ARITHMETIC, 3, 3);
    if (ptx_type_at(l, 1) != PTX_UNTYPED) /* add.f32.f16: the second source of another format */
        ptx_refuse(l);
    struct numbers n = read_numbers(l, 2);
    uop_ref r[PARTS] = {0};
    for (unsigned k = 0; k < n.parts; k++)
        r[k] = uop_make_fadd(&l->make, n.as, ptx_round(l), ptx_float_flags(l), n.v[0][k],
                             minus ? flipped(l, n.as, n.v[1][k]) : n.v[1][k]);
    put_numbers(l, &n, r);
}

void ptx_float_mul(struct ptx_lift *l)
{
    ptx_expect(l, ARITHMETIC, 3, 3);
    struct numbers n = read_numbers(l, 2);
    uop_ref r[PARTS] = {0};
    for (unsigned k = 0; k < n.parts; k++)
        r[k] = uop_make_fmul(&l->make, n.as, ptx_round(l), ptx_float_flags(l), n.v[0][k], n.v[1][k]);
    put_numbers(l, &n, r);
}

void ptx_float_fma(struct ptx_lift *l)
{
    ptx_expect(l, ARITHMETIC " relu", 4, 4);
    if (ptx_type_at(l, 1) != PTX_UNTYPED)
        ptx_refuse(l);
    struct numbers n = read_numbers(l, 3);
    uop_ref r[PARTS] = {0};
    for (unsigned k = 0; k < n.parts; k++)
        r[k] = uop_make_ffma(&l->make, n.as, ptx_round(l), ptx_float_flags(l), n.v[0][k], n.v[1][k], n.v[2][k]);
    put_numbers(l, &n, r);
}

/* Flushing a subnormal is an addition of -0, as the machine does it. */
void ptx_float_sign(struct ptx_lift *l, bool absolute)
{
    ptx_expect(l, "ftz", 2, 2);
    struct numbers n = read_numbers(l, 1);
    uop_ref r[PARTS] = {0};
    for (unsigned k = 0; k < n.parts; k++) {
        r[k] = uop_make_op(&l->make, absolute ? UOP_FABS : UOP_FNEG, n.as, n.v[0][k], UOP_NONE, UOP_NONE);
        if (ptx_has(l, "ftz"))
            r[k] = uop_make_fadd(&l->make, n.as, UOP_RN, UOP_FTZ, r[k],
                                 uop_make_const(&l->make, n.as, UINT64_C(1) << (uop_type_bits(n.as) - 1)));
    }
    put_numbers(l, &n, r);
}

void ptx_float_extreme(struct ptx_lift *l, bool is_min)
{
    ptx_expect(l, "ftz NaN xorsign abs", 3, 4);
    unsigned count = l->insn->operand_count - 1;
    struct numbers n = read_numbers(l, count > 3 ? 3 : count);
    unsigned flags = (ptx_has(l, "ftz") ? UOP_FTZ : 0u) | (ptx_has(l, "NaN") ? UOP_NAN : 0u) |
                     (ptx_has(l, "xorsign") ? UOP_XORSIGN : 0u);
    if (ptx_has(l, "xorsign") != ptx_has(l, "abs") || (count == 3 && ptx_has(l, "abs")))
        ptx_refuse(l);
    struct uop op = float_like(is_min ? UOP_FMIN : UOP_FMAX, n.as, UOP_RN, flags);
    uop_ref r[PARTS] = {0};
    for (unsigned k = 0; k < n.parts; k++) {
        r[k] = uop_make_full(&l->make, op, n.v[0][k], n.v[1][k], UOP_NONE);
        if (count == 3)
            r[k] = uop_make_full(&l->make, op, r[k], n.v[2][k], UOP_NONE);
    }
    put_numbers(l, &n, r);
}

/* ---- functions ------------------------------------------------------------------------------- */

static uop_ref quotient(struct ptx_lift *l, enum uop_type as, unsigned which, uop_ref a, uop_ref b)
{
    struct uop op = float_like(UOP_MATH, as, ptx_round(l), ptx_float_flags(l));
    op.imm = which;
    return uop_make_full(&l->make, op, a, b, UOP_NONE);
}

void ptx_float_divide(struct ptx_lift *l)
{
    ptx_expect(l, "rn rz rm rp ftz approx full", 3, 3);
    enum ptx_type t = ptx_type_at(l, 0);
    enum uop_type as = ptx_type_uop(t);
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t), v;
    if (t != PTX_F32 && t != PTX_F64)
        ptx_refuse(l);
    if (ptx_has(l, "approx")) {
        v = uop_make_fmul(&l->make, as, UOP_RN, ptx_float_flags(l), a,
                          uop_make_op(&l->make, UOP_RCP, as, b, UOP_NONE, UOP_NONE));
    } else {
        v = quotient(l, as, ptx_has(l, "full") ? UOP_MATH_DIV_NEAR : UOP_MATH_DIV, a, b);
    }
    ptx_result(l, 0, t, v);
}

/* The approximations of doubles work on high words. */
static void of_high_word(struct ptx_lift *l, enum uop_kind kind)
{
    uop_ref v = uop_make_hi(&l->make, ptx_source(l, 1, PTX_F64));
    v = uop_make_op(&l->make, kind, UOP_F32, v, UOP_NONE, UOP_NONE);
    ptx_result(l, 0, PTX_F64, uop_make_pair(&l->make, uop_make_const(&l->make, UOP_B32, 0), v));
}

static void lift_rcp(struct ptx_lift *l)
{
    ptx_expect(l, "rn rz rm rp ftz approx", 2, 2);
    enum ptx_type t = ptx_type_at(l, 0);
    enum uop_type as = ptx_type_uop(t);
    uint64_t one = t == PTX_F64 ? UINT64_C(0x3ff0000000000000) : 0x3f800000;
    if (t != PTX_F32 && t != PTX_F64)
        ptx_refuse(l);
    if (!ptx_has(l, "approx"))
        ptx_result(l, 0, t, quotient(l, as, UOP_MATH_DIV, uop_make_const(&l->make, as, one), ptx_source(l, 1, t)));
    else if (t == PTX_F64)
        of_high_word(l, UOP_RCP64H);
    else
        ptx_result(l, 0, t, uop_make_op(&l->make, UOP_RCP, as, ptx_source(l, 1, t), UOP_NONE, UOP_NONE));
}

static void lift_sqrt(struct ptx_lift *l)
{
    ptx_expect(l, "rn rz rm rp ftz approx", 2, 2);
    enum ptx_type t = ptx_type_at(l, 0);
    if (t != PTX_F32 && t != PTX_F64)
        ptx_refuse(l);
    struct uop op = ptx_blank(UOP_SQRT, ptx_type_uop(t));
    if (!ptx_has(l, "approx")) {
        op.imm = 1;
        op.round = (uint8_t)ptx_round(l);
        op.flags = (uint8_t)ptx_float_flags(l);
    }
    ptx_result(l, 0, t, uop_make_full(&l->make, op, ptx_source(l, 1, t), UOP_NONE, UOP_NONE));
}

static void lift_rsqrt(struct ptx_lift *l)
{
    ptx_expect(l, "ftz approx", 2, 2);
    enum ptx_type t = ptx_type_at(l, 0);
    if (t == PTX_F64 && ptx_has(l, "ftz"))
        of_high_word(l, UOP_RSQ64H);
    else if (t == PTX_F32 || t == PTX_F64)
        ptx_result(l, 0, t, uop_make_op(&l->make, UOP_RSQ, ptx_type_uop(t), ptx_source(l, 1, t), UOP_NONE, UOP_NONE));
    else
        ptx_refuse(l);
}

static void approximate(struct ptx_lift *l, enum uop_kind kind)
{
    ptx_expect(l, "ftz approx", 2, 2);
    if (ptx_type_at(l, 0) != PTX_F32) {
        ptx_unknown(l, false); /* of halves: not described */
        return;
    }
    uop_ref v = ptx_source(l, 1, PTX_F32);
    if (kind == UOP_SIN || kind == UOP_COS) /* the waist counts turns */
        v = uop_make_fmul(&l->make, UOP_F32, UOP_RZ, 0, v, uop_make_const(&l->make, UOP_F32, 0x3e22f983));
    ptx_result(l, 0, PTX_F32, uop_make_op(&l->make, kind, UOP_F32, v, UOP_NONE, UOP_NONE));
}

static void lift_sin(struct ptx_lift *l)
{
    approximate(l, UOP_SIN);
}

static void lift_cos(struct ptx_lift *l)
{
    approximate(l, UOP_COS);
}

static void lift_lg2(struct ptx_lift *l)
{
    approximate(l, UOP_LG2);
}

static void lift_ex2(struct ptx_lift *l)
{
    approximate(l, UOP_EX2);
}

static void lift_tanh(struct ptx_lift *l)
{
    approximate(l, UOP_TANH);
}

/* The sign of a and the magnitude of b. */
static void lift_copysign(struct ptx_lift *l)
{
    ptx_expect(l, "", 3, 3);
    enum ptx_type t = ptx_type_at(l, 0);
    enum uop_type as = t == PTX_F64 ? UOP_B64 : UOP_B32;
    uint64_t sign = t == PTX_F64 ? f64_sign : 0x80000000;
    if (t != PTX_F32 && t != PTX_F64)
        ptx_refuse(l);
    uop_ref a = uop_make_and(&l->make, as, ptx_source(l, 1, t), uop_make_const(&l->make, as, sign));
    uop_ref b = uop_make_and(&l->make, as, ptx_source(l, 2, t), uop_make_const(&l->make, as, ~sign));
    ptx_result(l, 0, t, uop_make_or(&l->make, as, a, b));
}

/* ---- compares -------------------------------------------------------------------------------- */

struct compare_row {
    const char *name;
    uint8_t of_floats; /* the ordered atom; UOP_NOP: floats have no such compare */
    bool swapped, negated;
    uint8_t of_integers;
    bool integers_swapped, integers_negated;
};

/* clang-format off */
static const struct compare_row compares[] = {
    {"eq", UOP_FEQ, false, false, UOP_IEQ, false, false},
    {"ne", UOP_FNE, false, false, UOP_IEQ, false, true},
    {"lt", UOP_FLT, false, false, UOP_ILT_S, false, false},
    {"le", UOP_FLE, false, false, UOP_ILT_S, true, true},
    {"gt", UOP_FLT, true, false, UOP_ILT_S, true, false},
    {"ge", UOP_FLE, true, false, UOP_ILT_S, false, true},
    {"lo", UOP_NOP, false, false, UOP_ILT_U, false, false},
    {"ls", UOP_NOP, false, false, UOP_ILT_U, true, true},
    {"hi", UOP_NOP, false, false, UOP_ILT_U, true, false},
    {"hs", UOP_NOP, false, false, UOP_ILT_U, false, true},
    {"equ", UOP_FNE, false, true, UOP_NOP, false, false},
    {"neu", UOP_FEQ, false, true, UOP_NOP, false, false},
    {"ltu", UOP_FLE, true, true, UOP_NOP, false, false},
    {"leu", UOP_FLT, true, true, UOP_NOP, false, false},
    {"gtu", UOP_FLE, false, true, UOP_NOP, false, false},
    {"geu", UOP_FLT, false, true, UOP_NOP, false, false},
    {"num", UOP_FNUM, false, false, UOP_NOP, false, false},
    {"nan", UOP_FNUM, false, true, UOP_NOP, false, false},
};
/* clang-format on */

static const struct compare_row *compare_of(const struct ptx_lift *l)
{
    for (unsigned i = 0; i < l->insn->mod_count; i++)
        for (size_t k = 0; k < sizeof compares / sizeof compares[0]; k++)
            if (ptx_word_is(l->insn->mods[i], compares[k].name))
                return &compares[k];
    return NULL;
}

static uop_ref compare_floats(struct ptx_lift *l, const struct compare_row *row, enum uop_type as, uop_ref a, uop_ref b)
{
    struct uop op = float_like((enum uop_kind)row->of_floats, as, UOP_RN, ptx_has(l, "ftz") ? UOP_FTZ : 0u);
    op.imm = uop_type_bits(as);
    if (row->swapped)
        op.flags |= UOP_SWAPPED;
    uop_ref v = uop_make_full(&l->make, op, row->swapped ? b : a, row->swapped ? a : b, UOP_NONE);
    return row->negated ? uop_make_not(&l->make, UOP_B1, v) : v;
}

static uop_ref compare_integers(struct ptx_lift *l, const struct compare_row *row, enum ptx_type t, uop_ref a,
                                uop_ref b)
{
    struct uop op = ptx_blank((enum uop_kind)row->of_integers, UOP_B1);
    if (row->of_integers == UOP_ILT_S && !ptx_type_is_signed(t))
        op.kind = UOP_ILT_U;
    op.imm = ptx_type_bits(t) == 64 ? 64 : 32;
    if (row->integers_swapped)
        op.flags |= UOP_SWAPPED;
    uop_ref v = uop_make_full(&l->make, op, row->integers_swapped ? b : a, row->integers_swapped ? a : b, UOP_NONE);
    return row->integers_negated ? uop_make_not(&l->make, UOP_B1, v) : v;
}

#define COMPARES "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"

/* The compare of operands `at` and `at` + 1 as numbers of `t`. */
static uop_ref compare(struct ptx_lift *l, unsigned at, enum ptx_type t)
{
    const struct compare_row *row = compare_of(l);
    bool floats = ptx_type_is_float(t);
    if (!row || t == PTX_UNTYPED || t == PTX_PRED || (floats ? row->of_floats : row->of_integers) == UOP_NOP) {
        ptx_refuse(l);
        return uop_make_const(&l->make, UOP_B1, 0);
    }
    if (t == PTX_B16 || t == PTX_B8)
        t = t == PTX_B16 ? PTX_U16 : PTX_U8;
    uop_ref a = ptx_source(l, at, t), b = ptx_source(l, at + 1, t);
    return floats ? compare_floats(l, row, ptx_type_uop(t), a, b) : compare_integers(l, row, t, a, b);
}

static uop_ref with_predicate(struct ptx_lift *l, uop_ref v, unsigned at)
{
    if (at >= l->insn->operand_count)
        return v;
    uop_ref p = ptx_predicate(l, ptx_operand(l, at));
    return ptx_has(l, "or")    ? uop_make_or(&l->make, UOP_B1, v, p)
           : ptx_has(l, "xor") ? uop_make_xor(&l->make, UOP_B1, v, p)
                               : uop_make_and(&l->make, UOP_B1, v, p);
}

static void lift_setp(struct ptx_lift *l)
{
    ptx_expect(l, COMPARES, 3, 4);
    enum ptx_type t = ptx_type_at(l, 0);
    const struct ptx_operand *d = ptx_operand(l, 0);
    if (t == PTX_F16X2 || t == PTX_BF16X2) {
        const struct compare_row *row = compare_of(l);
        if (!row || row->of_floats == UOP_NOP || d->kind != PTX_DUAL) {
            ptx_refuse(l);
            return;
        }
        uop_ref a = ptx_source(l, 1, PTX_B32), b = ptx_source(l, 2, PTX_B32);
        for (unsigned k = 0; k < 2; k++) {
            uop_ref v =
                compare_floats(l, row, t == PTX_F16X2 ? UOP_F16 : UOP_BF16, ptx_half(l, a, k), ptx_half(l, b, k));
            ptx_put(l, &d->items[k], PTX_PRED, with_predicate(l, v, 3));
        }
        return;
    }
    uop_ref v = compare(l, 1, t);
    if (d->kind != PTX_DUAL) {
        ptx_put(l, d, PTX_PRED, with_predicate(l, v, 3));
        return;
    }
    ptx_put(l, &d->items[0], PTX_PRED, with_predicate(l, v, 3));
    ptx_put(l, &d->items[1], PTX_PRED, with_predicate(l, uop_make_not(&l->make, UOP_B1, v), 3));
}

/* set: all ones or zero, as a float 1 or 0. */
static void lift_set(struct ptx_lift *l)
{
    ptx_expect(l, COMPARES, 3, 4);
    enum ptx_type d = ptx_type_at(l, 0), s = ptx_type_at(l, 1);
    if (d != PTX_U32 && d != PTX_S32 && d != PTX_F32) {
        ptx_refuse(l);
        return;
    }
    uop_ref p = with_predicate(l, compare(l, 1, s), 3);
    uop_ref yes = uop_make_const(&l->make, UOP_B32, d == PTX_F32 ? 0x3f800000 : UINT32_MAX);
    ptx_result(l, 0, d, uop_make_select(&l->make, UOP_B32, p, yes, uop_make_const(&l->make, UOP_B32, 0)));
}

static void lift_selp(struct ptx_lift *l)
{
    ptx_expect(l, "", 4, 4);
    enum ptx_type t = ptx_type_at(l, 0);
    if (t == PTX_UNTYPED || t == PTX_PRED || t == PTX_B128)
        ptx_refuse(l);
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t), p = ptx_predicate(l, ptx_operand(l, 3));
    enum uop_type as = uop_type_bits(ptx_type_uop(t)) == 64   ? UOP_B64
                       : uop_type_bits(ptx_type_uop(t)) == 16 ? UOP_B16
                                                              : UOP_B32;
    ptx_result(l, 0, t, uop_make_select(&l->make, as, p, a, b));
}

/* slct d, a, b, c: a where c is zero or more (-0 is, NaN is not). */
static void lift_slct(struct ptx_lift *l)
{
    ptx_expect(l, "ftz", 4, 4);
    enum ptx_type t = ptx_type_at(l, 0), of = ptx_type_at(l, 1);
    if (t == PTX_UNTYPED || t == PTX_PRED || t == PTX_B128 || (of != PTX_F32 && of != PTX_S32))
        ptx_refuse(l);
    uop_ref a = ptx_source(l, 1, t), b = ptx_source(l, 2, t), c = ptx_source(l, 3, of),
            zero = uop_make_const(&l->make, UOP_B32, 0), p;
    if (of == PTX_F32) {
        struct uop op = float_like(UOP_FLE, UOP_F32, UOP_RN, ptx_float_flags(l) | UOP_SWAPPED);
        op.imm = 32;
        p = uop_make_full(&l->make, op, zero, c, UOP_NONE);
    } else {
        p = uop_make_not(&l->make, UOP_B1, uop_make_imm(&l->make, UOP_ILT_S, UOP_B1, 32, c, zero, UOP_NONE));
    }
    enum uop_type as = uop_type_bits(ptx_type_uop(t)) == 64 ? UOP_B64 : UOP_B32;
    ptx_result(l, 0, t, uop_make_select(&l->make, as, p, a, b));
}

/* testp: of the bits without the sign. */
static void lift_testp(struct ptx_lift *l)
{
    ptx_expect(l, "finite infinite number notanumber normal subnormal", 2, 2);
    enum ptx_type t = ptx_type_at(l, 0);
    bool wide = t == PTX_F64;
    enum uop_type as = wide ? UOP_B64 : UOP_B32;
    if (t != PTX_F32 && t != PTX_F64)
        ptx_refuse(l);
    uint64_t infinity = wide ? UINT64_C(0x7ff0000000000000) : 0x7f800000;
    uint64_t least = wide ? UINT64_C(0x0010000000000000) : 0x00800000; /* normal */
    uop_ref v = ptx_source(l, 1, t);
    uop_ref bits = uop_make_and(&l->make, as, v, uop_make_const(&l->make, as, wide ? ~f64_sign : 0x7fffffff));
    unsigned width = wide ? 64 : 32;
    uop_ref inf = uop_make_const(&l->make, as, infinity), small = uop_make_const(&l->make, as, least), p;
    uop_ref finite = uop_make_imm(&l->make, UOP_ILT_U, UOP_B1, width, bits, inf, UOP_NONE);
    uop_ref below = uop_make_imm(&l->make, UOP_ILT_U, UOP_B1, width, bits, small, UOP_NONE);
    struct uop number = float_like(UOP_FNUM, ptx_type_uop(t), UOP_RN, 0);
    number.imm = width;
    if (ptx_has(l, "finite"))
        p = finite;
    else if (ptx_has(l, "infinite"))
        p = uop_make_imm(&l->make, UOP_IEQ, UOP_B1, width, bits, inf, UOP_NONE);
    else if (ptx_has(l, "number"))
        p = uop_make_full(&l->make, number, v, v, UOP_NONE);
    else if (ptx_has(l, "notanumber"))
        p = uop_make_not(&l->make, UOP_B1, uop_make_full(&l->make, number, v, v, UOP_NONE));
    else if (ptx_has(l, "normal"))
        p = uop_make_and(&l->make, UOP_B1, finite, uop_make_not(&l->make, UOP_B1, below));
    else
        p = uop_make_and(&l->make, UOP_B1, below,
                         uop_make_not(&l->make, UOP_B1,
                                      uop_make_imm(&l->make, UOP_IEQ, UOP_B1, width, bits,
                                                   uop_make_const(&l->make, as, 0), UOP_NONE)));
    ptx_result(l, 0, PTX_PRED, p);
}

const struct ptx_op ptx_float_ops[] = {
    {"fma", ptx_float_fma}, {"rcp", lift_rcp},           {"sqrt", lift_sqrt},   {"rsqrt", lift_rsqrt},
    {"sin", lift_sin},      {"cos", lift_cos},           {"lg2", lift_lg2},     {"ex2", lift_ex2},
    {"tanh", lift_tanh},    {"copysign", lift_copysign}, {"setp", lift_setp},   {"set", lift_set},
    {"selp", lift_selp},    {"slct", lift_slct},         {"testp", lift_testp}, {NULL, NULL},
};
