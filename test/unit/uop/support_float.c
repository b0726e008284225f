/* See support_float.h. The wide type holds every product and every sum of two formats' numbers exactly or, rounded
 * to odd (the last bit set when anything was lost), well enough for one more rounding. */
#include "support_float.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide;
#else
typedef long double wide; /* 113 bits where there is no __float128 */
#endif
__extension__ typedef unsigned __int128 u128;

static unsigned mantissa_bits(unsigned type)
{
    return type == UOP_F16 ? 10 : type == UOP_BF16 ? 7 : type == UOP_F32 ? 23 : 52;
}
static unsigned total_bits(unsigned type)
{
    return type == UOP_F64 ? 64 : type == UOP_F32 ? 32 : 16;
}
static int exponent_bias(unsigned type)
{
    return type == UOP_F16 ? 15 : type == UOP_F64 ? 1023 : 127;
}
static uint64_t canonical_nan(unsigned type)
{
    return type == UOP_F32 ? 0x7fffffff : type == UOP_F64 ? UINT64_C(0xfff8000000000000) : 0x7fff;
}

/* 2^e, by its representation (binary128). */
static wide power_of_two(int e)
{
    u128 bits = (u128)(e + 16383) << 112;
    wide r;
    memcpy(&r, &bits, sizeof r);
    return r;
}

/* The exponent of a normal number. */
static int exponent_of(wide v)
{
    u128 bits;
    memcpy(&bits, &v, sizeof bits);
    return (int)(bits >> 112 & 0x7fff) - 16383;
}

bool reference_is_nan(unsigned type, uint64_t bits)
{
    unsigned m = mantissa_bits(type), total = total_bits(type);
    uint64_t top = (UINT64_C(1) << (total - 1 - m)) - 1;
    return (bits >> m & top) == top && (bits & ((UINT64_C(1) << m) - 1)) != 0;
}

static bool subnormal(unsigned type, uint64_t bits)
{
    unsigned m = mantissa_bits(type), total = total_bits(type);
    uint64_t top = (UINT64_C(1) << (total - 1 - m)) - 1;
    return (bits >> m & top) == 0 && (bits & ((UINT64_C(1) << m) - 1)) != 0;
}

static uint64_t flushed(unsigned type, uint64_t bits, bool ftz)
{
    return ftz && subnormal(type, bits) ? bits & UINT64_C(1) << (total_bits(type) - 1) : bits;
}

static wide decode(unsigned type, uint64_t bits)
{
    unsigned m = mantissa_bits(type), total = total_bits(type);
    uint64_t fraction = bits & ((UINT64_C(1) << m) - 1), top = (UINT64_C(1) << (total - 1 - m)) - 1,
             exponent = bits >> m & top;
    bool negative = bits >> (total - 1) & 1;
    wide v;
    if (exponent == top)
        v = fraction ? (wide)NAN : (wide)INFINITY;
    else if (exponent == 0)
        v = (wide)fraction * power_of_two(1 - exponent_bias(type) - (int)m);
    else
        v = (wide)(fraction | UINT64_C(1) << m) * power_of_two((int)exponent - exponent_bias(type) - (int)m);
    return negative ? -v : v;
}

static bool is_negative(wide v)
{
    u128 bits;
    memcpy(&bits, &v, sizeof bits);
    return bits >> 127 & 1;
}

/* a + b in the wide type, rounded to odd. */
static wide add_to_odd(wide a, wide b)
{
    volatile wide s = a + b;
    volatile wide bb = s - a, aa = s - bb, eb = b - bb, ea = a - aa;
    wide error = ea + eb, r = s;
    if (error != 0 && r == r && r - r == 0) {
        u128 bits;
        memcpy(&bits, &r, sizeof bits);
        if (!(bits & 1)) {
            /* Toward the error: the magnitude grows when error and sum have one sign, else shrinks. */
            bits = (error < 0) == (r < 0) ? bits + 1 : bits - 1;
            memcpy(&r, &bits, sizeof r);
        }
    }
    return r;
}

static uint64_t encode(unsigned type, wide v, bool negative, unsigned round, bool ftz)
{
    unsigned m = mantissa_bits(type), total = total_bits(type);
    int bias = exponent_bias(type);
    uint64_t sign = negative ? UINT64_C(1) << (total - 1) : 0, infinity = ((UINT64_C(1) << (total - 1 - m)) - 1) << m;
    if (v != v)
        return canonical_nan(type);
    if (v < 0)
        v = -v;
    if (v == 0)
        return sign;
    if (ftz && v < power_of_two(1 - bias)) {
        /* Flushed, unless one more mantissa's worth of precision would still round it up to the smallest normal
         * number: that is within half a unit of it (or anywhere in the last unit, when the rounding goes away from
         * zero). */
        wide gap = (power_of_two(1 - bias) - v) / power_of_two(-bias - (int)m);
        bool away = round == UOP_RM ? negative : round == UOP_RP && !negative;
        bool up = away ? gap < 1 : (round == UOP_RN || round == UOP_RA) && gap <= 0.5;
        return up ? sign | UINT64_C(1) << m : sign;
    }
    if (v - v != 0)
        return sign | infinity;
    int e = exponent_of(v) < 1 - bias ? 1 - bias : exponent_of(v);
    wide units = v * power_of_two((int)m - e); /* exact: a shift */
    uint64_t whole, up = 0;
    bool over = e > bias;
    if (!over) {
        whole = (uint64_t)units;
        wide rest = units - (wide)whole;
        if (round == UOP_RN)
            up = rest > 0.5 || (rest == 0.5 && (whole & 1));
        else if (round == UOP_RA)
            up = rest >= 0.5;
        else if (round == UOP_RM || round == UOP_RP)
            up = rest > 0 && negative == (round == UOP_RM);
        whole += up;
        if (whole >> (m + 1)) {
            whole >>= 1;
            e++;
        }
        over = e > bias;
    }
    if (over) {
        bool away =
            round == UOP_RN || round == UOP_RA || (round == UOP_RM && negative) || (round == UOP_RP && !negative);
        return sign | (away ? infinity : infinity - 1);
    }
    uint64_t bits = whole >> m ? ((uint64_t)(e + bias) << m) | (whole & ((UINT64_C(1) << m) - 1)) : whole;
    return sign | bits;
}

static uint64_t clamped(const struct uop *op, uint64_t bits)
{
    bool nan = reference_is_nan(op->type, bits), negative = bits >> (total_bits(op->type) - 1) & 1;
    if (op->flags & UOP_SAT) {
        if (nan || negative)
            return 0;
        if (decode(op->type, bits) > 1)
            return encode(op->type, 1, false, UOP_RN, false);
    }
    if ((op->flags & UOP_RELU) && !nan && negative)
        return 0;
    return bits;
}

static const uint64_t quiet64 = UINT64_C(1) << 51;

uint64_t reference_arithmetic(const struct uop *op, uint64_t a, uint64_t b, uint64_t c)
{
    if (op->type == UOP_F64) { /* an operand's NaN goes on: b, c, a in this order */
        if (reference_is_nan(UOP_F64, b))
            return clamped(op, b | quiet64);
        if (op->kind == UOP_FFMA && reference_is_nan(UOP_F64, c))
            return clamped(op, c | quiet64);
        if (reference_is_nan(UOP_F64, a))
            return clamped(op, a | quiet64);
    }
    bool fmz = op->flags & UOP_FMZ, ftz = fmz || (op->flags & UOP_FTZ);
    wide x = decode(op->type, flushed(op->type, a, ftz)), y = decode(op->type, flushed(op->type, b, ftz)), z = 0, r;
    if (op->kind == UOP_FMUL || op->kind == UOP_FFMA) {
        r = x * y;
        if (fmz && (x == 0 || y == 0))
            r = 0;
        if (op->kind == UOP_FMUL)
            return clamped(op, encode(op->type, r, is_negative(r), op->round, ftz));
        x = r;
        z = decode(op->type, flushed(op->type, c, ftz));
    } else {
        z = y;
    }
    r = add_to_odd(x, z);
    bool negative = is_negative(r);
    if (r == 0)
        negative = is_negative(x) == is_negative(z) ? is_negative(x) : op->round == UOP_RM;
    return clamped(op, encode(op->type, r, negative, op->round, ftz));
}

static wide integral(wide v, unsigned round)
{
    bool negative = v < 0;
    wide m = negative ? -v : v;
    if (m != m || m >= power_of_two(100))
        return v;
    u128 whole = (u128)m;
    wide rest = m - (wide)whole;
    if (round == UOP_RN)
        whole += rest > 0.5 || (rest == 0.5 && (whole & 1));
    else if (round == UOP_RA)
        whole += rest >= 0.5;
    else if (round == UOP_RM || round == UOP_RP)
        whole += rest > 0 && negative == (round == UOP_RM);
    return negative ? -(wide)whole : (wide)whole;
}

uint64_t reference_convert(const struct uop *op, uint64_t a)
{
    bool ftz = op->flags & UOP_FTZ;
    if (op->kind == UOP_FROUND) {
        if (op->type == UOP_F64 && reference_is_nan(UOP_F64, a))
            return a | quiet64;
        wide v = decode(op->type, flushed(op->type, a, ftz));
        return encode(op->type, integral(v, op->round), is_negative(v), op->round, ftz);
    }
    if (op->kind == UOP_I2F) {
        wide v = op->imm == 64 ? (op->flags & UOP_SIGNED ? (wide)(int64_t)a : (wide)a)
                               : (op->flags & UOP_SIGNED ? (wide)(int32_t)a : (wide)(uint32_t)a);
        return encode(op->type, v, v < 0, op->round, false);
    }
    unsigned from = (unsigned)op->imm, to = op->type;
    if (reference_is_nan(from, a) && (from == UOP_F64 || to == UOP_F64)) {
        /* sign, exponent of ones, quiet bit, and the payload's leading bits, written from the top */
        uint64_t top = a << (64 - total_bits(from)), payload = top << (total_bits(from) - mantissa_bits(from));
        uint64_t out = (top >> 63) << (total_bits(to) - 1) |
                       ((UINT64_C(1) << (total_bits(to) - 1 - mantissa_bits(to))) - 1) << mantissa_bits(to);
        return clamped(op, out | UINT64_C(1) << (mantissa_bits(to) - 1) | payload >> (64 - mantissa_bits(to)));
    }
    wide v = decode(from, flushed(from, a, ftz && from == UOP_F32));
    return clamped(op, encode(op->type, v, is_negative(v), op->round, ftz && op->type == UOP_F32));
}

static const int host_rounds[] = {
    [UOP_RN] = FE_TONEAREST, [UOP_RM] = FE_DOWNWARD, [UOP_RP] = FE_UPWARD, [UOP_RZ] = FE_TOWARDZERO};

uint64_t host_arithmetic(const struct uop *op, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t result = 0;
    int before = fegetround();
    fesetround(host_rounds[op->round]);
    if (op->type == UOP_F32) {
        uint32_t in[3] = {(uint32_t)a, (uint32_t)b, (uint32_t)c}, out;
        volatile float x[3], r;
        for (unsigned i = 0; i < 3; i++) {
            float f;
            memcpy(&f, &in[i], sizeof f);
            x[i] = f;
        }
        r = op->kind == UOP_FADD ? x[0] + x[1] : op->kind == UOP_FMUL ? x[0] * x[1] : fmaf(x[0], x[1], x[2]);
        float f = r;
        memcpy(&out, &f, sizeof out);
        result = out;
    } else {
        uint64_t in[3] = {a, b, c};
        volatile double x[3], r;
        for (unsigned i = 0; i < 3; i++) {
            double f;
            memcpy(&f, &in[i], sizeof f);
            x[i] = f;
        }
        r = op->kind == UOP_FADD ? x[0] + x[1] : op->kind == UOP_FMUL ? x[0] * x[1] : fma(x[0], x[1], x[2]);
        double f = r;
        memcpy(&result, &f, sizeof result);
    }
    fesetround(before);
    return result;
}
