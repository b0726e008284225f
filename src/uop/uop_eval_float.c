/* Exact float micro-operations in integer arithmetic: f16, bf16, f32 and f64, every rounding mode, without the
 * host's floating point (whose rounding mode and contraction are the compiler's to move).
 *
 * A number is sign * mantissa * 2^exponent with a 128-bit mantissa. Products (at most 106 bits) are exact; a sum
 * keeps its larger operand exactly and jams the rest of the smaller into the last bit, far below the result's
 * precision; one function rounds. NaN results, flushing and clamping are the hardware's, measured on an H200
 * (sm_90) over 338 forms of instruction: f16, bf16 and f32 make one NaN; f64 passes an operand's NaN on, made
 * quiet; a result counts as subnormal when it is so after rounding with an unbounded exponent. requires: arguments
 * right-aligned in their widths. gives: bits of the result, zero-extended. */
#include "uop/uop_eval_float.h"

#include <assert.h>

__extension__ typedef unsigned __int128 u128;

struct format {
    unsigned exponent, mantissa; /* bits */
    uint64_t nan;
};

static const struct format formats[] = {
    [UOP_F16] = {5, 10, 0x7fff},
    [UOP_BF16] = {8, 7, 0x7fff},
    [UOP_F32] = {8, 23, 0x7fffffff},
    [UOP_F64] = {11, 52, UINT64_C(0xfff8000000000000)},
};

static const struct format *format_of(unsigned type)
{
    return type >= UOP_F16 && type <= UOP_F64 ? &formats[type] : NULL;
}

static int bias_of(const struct format *f)
{
    return (1 << (f->exponent - 1)) - 1;
}
static uint64_t sign_bit(const struct format *f)
{
    return UINT64_C(1) << (f->exponent + f->mantissa);
}
static uint64_t infinity(const struct format *f)
{
    return ((UINT64_C(1) << f->exponent) - 1) << f->mantissa;
}
static uint64_t one(const struct format *f)
{
    return (uint64_t)bias_of(f) << f->mantissa;
}
static bool is_nan(const struct format *f, uint64_t bits)
{
    return (bits & (sign_bit(f) - 1)) > infinity(f);
}
static bool is_subnormal(const struct format *f, uint64_t bits)
{
    return (bits & infinity(f)) == 0 && (bits & (sign_bit(f) - 1)) != 0;
}
static uint64_t flush(const struct format *f, uint64_t bits, bool ftz)
{
    return ftz && is_subnormal(f, bits) ? bits & sign_bit(f) : bits;
}

struct number {
    enum { ZERO, FINITE, INFINITE, NOT_A_NUMBER } class;
    bool negative;
    int exponent; /* value = mantissa * 2^exponent */
    u128 mantissa;
};

static struct number unpack(const struct format *f, uint64_t bits, bool ftz)
{
    bits = flush(f, bits, ftz);
    struct number n = {.negative = (bits & sign_bit(f)) != 0};
    uint64_t fraction = bits & ((UINT64_C(1) << f->mantissa) - 1);
    int exponent = (int)((bits & infinity(f)) >> f->mantissa);
    if ((bits & infinity(f)) == infinity(f)) {
        n.class = fraction ? NOT_A_NUMBER : INFINITE;
    } else if (exponent == 0) {
        n.class = fraction ? FINITE : ZERO;
        n.mantissa = fraction;
        n.exponent = 1 - bias_of(f) - (int)f->mantissa;
    } else {
        n.class = FINITE;
        n.mantissa = fraction | UINT64_C(1) << f->mantissa;
        n.exponent = exponent - bias_of(f) - (int)f->mantissa;
    }
    return n;
}

/* The place of the highest one; there is one. */
static int highest_one(u128 m)
{
    uint64_t high = (uint64_t)(m >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)m);
}

/* Shifts the leading one to bit `top`, exactly: only for mantissas that fit. */
static struct number normalise(struct number n, int top)
{
    int lead = highest_one(n.mantissa);
    if (lead <= top)
        n.mantissa <<= top - lead;
    else
        n.mantissa >>= lead - top;
    n.exponent += lead - top;
    return n;
}

/* Right shift that keeps a one in the last bit when anything fell out. */
static u128 shift_jam(u128 m, int by)
{
    if (by <= 0)
        return m;
    if (by > 127)
        return m != 0;
    u128 lost = m & (((u128)1 << by) - 1);
    return m >> by | (lost != 0);
}

static bool round_up(unsigned round, bool negative, bool odd, bool half, bool rest)
{
    switch (round) {
    case UOP_RN: return half && (rest || odd);
    case UOP_RA: return half;
    case UOP_RM: return negative && (half || rest);
    case UOP_RP: return !negative && (half || rest);
    default: return false;
    }
}

/* Drops the low `by` bits of m, rounding. by may exceed the width. */
static u128 shift_round(u128 m, int by, unsigned round, bool negative)
{
    if (by <= 0)
        return m << -by;
    bool half = by <= 128 && (m >> (by - 1) & 1);
    bool rest = by > 128 ? m != 0 : (m & (((u128)1 << (by - 1)) - 1)) != 0;
    u128 q = by >= 128 ? 0 : m >> by;
    return q + round_up(round, negative, q & 1, half, rest);
}

static uint64_t pack(const struct format *f, struct number n, unsigned round, bool ftz)
{
    uint64_t sign = n.negative ? sign_bit(f) : 0;
    if (n.class == NOT_A_NUMBER)
        return f->nan;
    if (n.class == INFINITE)
        return sign | infinity(f);
    if (n.class == ZERO || n.mantissa == 0)
        return sign;
    n = normalise(n, 127);
    int lead = n.exponent + 127; /* value in [2^lead, 2^(lead+1)) */
    int smallest = 1 - bias_of(f);
    if (ftz && lead < smallest) {
        /* Small after rounding as if the exponent had no bound; only a number that rounds up to the smallest normal
         * stays. */
        u128 q = shift_round(n.mantissa, 127 - (int)f->mantissa, round, n.negative);
        return lead == smallest - 1 && q >> (f->mantissa + 1) ? sign | UINT64_C(1) << f->mantissa : sign;
    }
    int biased = (lead > smallest ? lead : smallest) + bias_of(f);
    u128 q = shift_round(n.mantissa, biased - bias_of(f) - (int)f->mantissa - n.exponent, round, n.negative);
    if (biased >= (1 << f->exponent) - 1) {
        bool to_infinity =
            round == UOP_RN || round == UOP_RA || (round == UOP_RM && n.negative) || (round == UOP_RP && !n.negative);
        return sign | (infinity(f) - !to_infinity);
    }
    /* A subnormal has biased exponent 1 here and no leading one; a carry out of the mantissa goes on into the
     * exponent, and from the largest finite number to infinity. */
    uint64_t bits = ((uint64_t)(biased - 1) << f->mantissa) + (uint64_t)q;
    return sign | bits;
}

static struct number nan_number(void)
{
    return (struct number){.class = NOT_A_NUMBER};
}

static struct number multiply(struct number a, struct number b, bool fmz)
{
    if (fmz && (a.class == ZERO || b.class == ZERO))
        return (struct number){.class = ZERO};
    if (a.class == NOT_A_NUMBER || b.class == NOT_A_NUMBER || (a.class == INFINITE && b.class == ZERO) ||
        (a.class == ZERO && b.class == INFINITE))
        return nan_number();
    struct number p = {.negative = a.negative != b.negative, .class = FINITE};
    if (a.class == INFINITE || b.class == INFINITE)
        p.class = INFINITE;
    else if (a.class == ZERO || b.class == ZERO)
        p.class = ZERO;
    p.mantissa = a.mantissa * b.mantissa;
    p.exponent = a.exponent + b.exponent;
    return p;
}

static struct number sum(struct number a, struct number b, unsigned round)
{
    if (a.class == NOT_A_NUMBER || b.class == NOT_A_NUMBER ||
        (a.class == INFINITE && b.class == INFINITE && a.negative != b.negative))
        return nan_number();
    if (a.class == INFINITE)
        return a;
    if (b.class == INFINITE)
        return b;
    if (a.class == ZERO && b.class == ZERO) {
        a.negative = a.negative == b.negative ? a.negative : round == UOP_RM;
        return a;
    }
    if (a.class == ZERO)
        return b;
    if (b.class == ZERO)
        return a;
    a = normalise(a, 125);
    b = normalise(b, 125);
    if (a.exponent < b.exponent) {
        struct number t = a;
        a = b;
        b = t;
    }
    b.mantissa = shift_jam(b.mantissa, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.mantissa += b.mantissa;
    } else if (a.mantissa > b.mantissa) {
        a.mantissa -= b.mantissa;
    } else if (a.mantissa < b.mantissa) {
        a.mantissa = b.mantissa - a.mantissa;
        a.negative = b.negative;
    } else {
        a = (struct number){.class = ZERO, .negative = round == UOP_RM};
    }
    return a;
}

/* SAT and RELU, on finished bits: below zero becomes +0; NaN does so under SAT alone. */
static uint64_t clamp_result(const struct format *f, uint64_t bits, unsigned flags)
{
    if (is_nan(f, bits))
        return flags & UOP_SAT ? 0 : bits;
    if ((flags & (UOP_SAT | UOP_RELU)) && (bits & sign_bit(f)))
        return 0;
    if ((flags & UOP_SAT) && bits > one(f))
        return one(f);
    return bits;
}

/* f64 arithmetic gives the NaN among its operands, made quiet: the second before the third before the first. */
static bool passed_on(const struct uop *op, const struct format *f, const uint64_t *args, uint64_t *result)
{
    static const unsigned char order[3] = {1, 2, 0};
    if (op->type != UOP_F64)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        if (order[i] >= uop_kind_args((enum uop_kind)op->kind) || !is_nan(f, args[order[i]]))
            continue;
        *result = args[order[i]] | UINT64_C(1) << (f->mantissa - 1);
        return true;
    }
    return false;
}

/* Conversions to and from f64 keep a NaN's sign and the leading bits of its payload. */
static uint64_t converted_nan(const struct format *to, const struct format *from, uint64_t bits)
{
    uint64_t payload = bits & ((UINT64_C(1) << from->mantissa) - 1);
    payload = to->mantissa >= from->mantissa ? payload << (to->mantissa - from->mantissa)
                                             : payload >> (from->mantissa - to->mantissa);
    return (bits & sign_bit(from) ? sign_bit(to) : 0) | infinity(to) | UINT64_C(1) << (to->mantissa - 1) | payload;
}

static uint64_t arithmetic(const struct uop *op, const struct format *f, const uint64_t *args)
{
    bool fmz = op->flags & UOP_FMZ, ftz = fmz || (op->flags & UOP_FTZ);
    uint64_t nan;
    if (passed_on(op, f, args, &nan))
        return clamp_result(f, nan, op->flags);
    struct number a = unpack(f, args[0], ftz), b = unpack(f, args[1], ftz), r;
    if (op->kind == UOP_FADD)
        r = sum(a, b, op->round);
    else if (op->kind == UOP_FMUL)
        r = multiply(a, b, fmz);
    else
        r = sum(multiply(a, b, fmz), unpack(f, args[2], ftz), op->round);
    return clamp_result(f, pack(f, r, op->round, ftz), op->flags);
}

/* Order of non-NaN numbers as integers; -0 below +0. */
static int64_t order_key(const struct format *f, uint64_t bits)
{
    int64_t magnitude = (int64_t)(bits & (sign_bit(f) - 1));
    return bits & sign_bit(f) ? -magnitude - 1 : magnitude;
}

static uint64_t min_max(const struct uop *op, const struct format *f, uint64_t a, uint64_t b)
{
    uint64_t sign = (a ^ b) & sign_bit(f);
    if (op->flags & UOP_XORSIGN) {
        a &= ~sign_bit(f);
        b &= ~sign_bit(f);
    }
    a = flush(f, a, op->flags & UOP_FTZ);
    b = flush(f, b, op->flags & UOP_FTZ);
    uint64_t r;
    if (is_nan(f, a) && is_nan(f, b))
        r = f->nan;
    else if (is_nan(f, a) || is_nan(f, b))
        r = op->flags & UOP_NAN ? f->nan : is_nan(f, a) ? b : a;
    else
        r = (order_key(f, a) < order_key(f, b)) == (op->kind == UOP_FMIN) ? a : b;
    if ((op->flags & UOP_XORSIGN) && !is_nan(f, r))
        r |= sign;
    return clamp_result(f, r, op->flags);
}

static bool compare(const struct uop *op, const struct format *f, uint64_t a, uint64_t b)
{
    a = flush(f, a, op->flags & UOP_FTZ);
    b = flush(f, b, op->flags & UOP_FTZ);
    if (is_nan(f, a) || is_nan(f, b))
        return false;
    bool zeros = ((a | b) & (sign_bit(f) - 1)) == 0;
    int64_t x = order_key(f, a), y = order_key(f, b);
    bool equal = zeros || x == y, less = !zeros && x < y;
    switch (op->kind) {
    case UOP_FLT: return less;
    case UOP_FLE: return less || equal;
    case UOP_FEQ: return equal;
    case UOP_FNE: return !equal;
    default: return true; /* FNUM */
    }
}

static struct number round_to_integral(struct number n, unsigned round)
{
    if (n.class == FINITE && n.exponent < 0) {
        n.mantissa = shift_round(n.mantissa, -n.exponent, round, n.negative);
        n.exponent = 0;
        if (n.mantissa == 0)
            n.class = ZERO;
    }
    return n;
}

/* Float to integer: rounds, then saturates to the destination. NaN: 0, or with UOP_NAN the pattern 1 << (width -
 * 1). */
static uint64_t to_integer(const struct uop *op, const struct format *from, uint64_t bits)
{
    unsigned width = uop_type_bits((enum uop_type)op->type);
    bool is_signed = op->flags & UOP_SIGNED;
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1, top = UINT64_C(1) << (width - 1);
    struct number n = round_to_integral(unpack(from, bits, op->flags & UOP_FTZ), op->round);
    if (n.class == NOT_A_NUMBER)
        return op->flags & UOP_NAN ? top : 0;
    if (n.class == ZERO)
        return 0;
    bool huge = n.class == INFINITE || n.exponent > 64;
    u128 magnitude = huge ? (u128)1 << 100 : n.mantissa << n.exponent;
    if (n.negative)
        return !is_signed ? 0 : magnitude >= top ? top : (0 - (uint64_t)magnitude) & mask;
    uint64_t largest = is_signed ? top - 1 : mask;
    return magnitude > largest ? largest : (uint64_t)magnitude;
}

static uint64_t from_integer(const struct uop *op, const struct format *to, uint64_t bits)
{
    unsigned width = (unsigned)op->imm;
    uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    bits &= mask;
    bool negative = (op->flags & UOP_SIGNED) && (bits >> (width - 1) & 1);
    struct number n = {
        .class = bits ? FINITE : ZERO, .negative = negative, .mantissa = negative ? (0 - bits) & mask : bits};
    return pack(to, n, op->round, op->flags & UOP_FTZ);
}

bool uop_eval_float(const struct uop *op, const uint64_t *args, uint64_t *result)
{
    const struct format *f = format_of(op->type);
    bool ftz = op->flags & UOP_FTZ;
    if (op->kind == UOP_F2I) {
        const struct format *from = format_of((unsigned)op->imm);
        unsigned width = uop_type_bits((enum uop_type)op->type);
        if (!from || width < 8 || width > 64)
            return false;
        *result = to_integer(op, from, args[0]);
        return true;
    }
    if (!f)
        return false;
    switch (op->kind) {
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA: *result = arithmetic(op, f, args); return true;
    case UOP_FNEG:
    case UOP_FABS:
        *result = op->flags & UOP_NAN && is_nan(f, args[0]) ? args[0]
                  : op->kind == UOP_FNEG                    ? args[0] ^ sign_bit(f)
                                                            : args[0] & ~sign_bit(f);
        return true;
    case UOP_FMIN:
    case UOP_FMAX: *result = min_max(op, f, args[0], args[1]); return true;
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM: *result = compare(op, f, args[0], args[1]); return true;
    case UOP_FROUND:
        if (passed_on(op, f, args, result))
            return true;
        *result =
            clamp_result(f, pack(f, round_to_integral(unpack(f, args[0], ftz), op->round), UOP_RZ, ftz), op->flags);
        return true;
    case UOP_F2F: {
        /* FTZ is about the single-precision side alone, where there is one. */
        const struct format *from = format_of((unsigned)op->imm);
        if (!from)
            return false;
        if (is_nan(from, args[0]) && (op->type == UOP_F64 || op->imm == UOP_F64)) {
            *result = clamp_result(f, converted_nan(f, from, args[0]), op->flags);
            return true;
        }
        struct number n = unpack(from, args[0], ftz && op->imm == UOP_F32);
        *result = clamp_result(f, pack(f, n, op->round, ftz && op->type == UOP_F32), op->flags);
        return true;
    }
    case UOP_I2F:
        if (op->imm < 8 || op->imm > 64)
            return false;
        *result = from_integer(op, f, args[0]);
        return true;
    default: return false;
    }
}
