/* The special function unit, bit for bit as the H200 answers (sm_90; every f32 input of the functions was asked).
 * A function is a table of segments and a quadratic in the rest x of the argument: c0 + c1 * x + c2 * square(x), in
 * fixed point, cut off (never rounded) to a float. The square is the truncated one of a small multiplier: partial
 * products of its low columns are missing. Argument bits beyond the fixed point are cut off too, and a negative
 * argument or result is the one's complement. Subnormals count as zero, but for the hyperbolic tangent, which is its
 * argument where that is small. The 16-bit forms cut the f32 result; those of doubles put RCP and RSQ into the high
 * word.
 *
 * requires: bits of the argument · gives: bits of the result */
#include "emu/emu_internal.h"
#include "emu/emu_mufu_table.h"

enum { MANTISSA = 0x7fffff, INFINITE = 0x7f800000, ONE = 0x3f800000, NOT_A_NUMBER = 0x7fffffff };
#define SIGN UINT32_C(0x80000000)

struct parts {
    uint32_t sign, mantissa;
    int exponent; /* as encoded */
};

static struct parts parts_of(uint32_t bits)
{
    return (struct parts){bits & SIGN, bits & MANTISSA, (int)(bits >> 23 & 255)};
}

/* x * x in units of 2^column, without the partial products x[i] * x[j] that stand in columns below `column`: those of
 * i == j in column 2i, of i < j in column i + j + 1. */
static int64_t truncated_square(uint32_t x, int column)
{
    uint64_t missing = 0;
    for (int i = 0; 2 * i < column; i++) {
        if (!(x >> i & 1))
            continue;
        uint64_t below = (UINT64_C(1) << (column - 1 - i)) - 1; /* the j of a column too low */
        missing += (UINT64_C(1) << 2 * i) + ((x >> (i + 1) << (i + 1) & below) << (i + 1));
    }
    return (int64_t)(((uint64_t)x * x - missing) >> column);
}

/* How a function's coefficients stand: weights of c0 and c2 against c1 (powers of two), what is added to every segment,
 * bits of the rest, columns of the square that are missing. */
struct unit {
    const struct mufu_segment *segments;
    int c0_shift, c2_shift, bias, rest_bits, column;
};

static const struct unit reciprocal = {rcp_segments, 13, 0, 2023, 16, 17};
static const struct unit root_even = {sqrt_even_segments, 15, 1, -1, 17, 19};
static const struct unit root_odd = {sqrt_odd_segments, 15, 1, -1, 17, 19};
static const struct unit inverse_root_even = {rsq_even_segments, 14, 2, -1, 17, 19};
static const struct unit inverse_root_odd = {rsq_odd_segments, 14, 2, -1, 17, 19};
static const struct unit power = {ex2_segments, 13, 0, 6114, 17, 19};
static const struct unit logarithm = {lg2_segments, 12, 1, 837, 17, 19};
static const struct unit sine = {sin_segments, 11, 0, 0, 17, 19};
static const struct unit tangent = {tanh_segments, 17, 2, 0, 17, 19};

static int64_t interpolate(const struct unit *u, unsigned segment, uint32_t rest)
{
    const struct mufu_segment *s = &u->segments[segment];
    return (int64_t)s->c0 * (INT64_C(1) << u->c0_shift) + u->bias + (int64_t)s->c1 * rest +
           (int64_t)s->c2 * truncated_square(rest, u->column) * (INT64_C(1) << u->c2_shift);
}

/* Of a 23-bit fraction: the high bits choose the segment. */
static int64_t interpolate_fraction(const struct unit *u, uint32_t fraction)
{
    return interpolate(u, fraction >> u->rest_bits, fraction & ((UINT32_C(1) << u->rest_bits) - 1));
}

/* A value of `fraction_bits` binary places, not negative, cut off to 24 bits. */
static uint32_t float_of(int64_t value, int fraction_bits)
{
    if (!value)
        return 0;
    int top = 63 - __builtin_clzll((uint64_t)value);
    uint64_t mantissa = top > 23 ? (uint64_t)value >> (top - 23) : (uint64_t)value << (23 - top);
    return (uint32_t)(top - fraction_bits + 127) << 23 | ((uint32_t)mantissa & MANTISSA);
}

/* 1 / 1.mantissa as a float's bits, in (1/2, 1]. */
static int64_t reciprocal_of(uint32_t mantissa)
{
    return ONE + (interpolate_fraction(&reciprocal, mantissa) >> 15);
}

/* 1 / sqrt(1.mantissa), or of twice that. */
static int64_t inverse_root_of(uint32_t mantissa, bool odd)
{
    if (!odd && !mantissa)
        return ONE;
    return ONE + (interpolate_fraction(odd ? &inverse_root_odd : &inverse_root_even, mantissa) >> 16);
}

static uint32_t rcp(uint32_t bits)
{
    struct parts p = parts_of(bits);
    if (p.exponent == 255)
        return p.mantissa ? NOT_A_NUMBER : p.sign;
    if (!p.exponent)
        return p.sign | INFINITE;
    int64_t r = reciprocal_of(p.mantissa) - (int64_t)(p.exponent - 127) * (MANTISSA + 1);
    return r > MANTISSA ? p.sign | (uint32_t)r : p.sign;
}

/* What roots and logarithm answer where there is no value to compute; false: there is one. */
static bool special(struct parts p, uint32_t of_zero, uint32_t of_infinity, uint32_t *r)
{
    if (p.exponent == 255 && p.mantissa)
        *r = NOT_A_NUMBER;
    else if (!p.exponent)
        *r = of_zero;
    else if (p.sign)
        *r = NOT_A_NUMBER;
    else if (p.exponent == 255)
        *r = of_infinity;
    else
        return false;
    return true;
}

static uint32_t rsq(uint32_t bits)
{
    struct parts p = parts_of(bits);
    uint32_t r;
    if (special(p, p.sign | INFINITE, 0, &r))
        return r;
    bool odd = !(p.exponent & 1);
    return (uint32_t)(inverse_root_of(p.mantissa, odd) - (int64_t)((p.exponent - 127 - odd) / 2) * (MANTISSA + 1));
}

static uint32_t square_root(uint32_t bits)
{
    struct parts p = parts_of(bits);
    uint32_t r;
    if (special(p, p.sign, INFINITE, &r))
        return r;
    bool odd = !(p.exponent & 1);
    int64_t root = ONE + (interpolate_fraction(odd ? &root_odd : &root_even, p.mantissa) >> 17);
    return (uint32_t)(root + (int64_t)((p.exponent - 127 - odd) / 2) * (MANTISSA + 1));
}

static uint32_t ex2(uint32_t bits)
{
    struct parts p = parts_of(bits);
    if (p.exponent == 255 && p.mantissa)
        return NOT_A_NUMBER;
    if (p.exponent >= 127 + 8) /* 256 and more, infinity too */
        return p.sign ? 0 : INFINITE;
    int64_t mantissa = p.exponent ? p.mantissa | (MANTISSA + 1) : 0, fixed; /* of 23 places */
    fixed = p.exponent >= 127       ? mantissa << (p.exponent - 127)
            : p.exponent > 127 - 24 ? mantissa >> (127 - p.exponent)
                                    : 0;
    if (p.sign) /* the one's complement, where there is a fraction */
        fixed = fixed & MANTISSA ? -fixed - 1 : -fixed;
    uint32_t fraction = (uint32_t)fixed & MANTISSA;
    int64_t exponent = (fixed - fraction) / (MANTISSA + 1) + 127;
    if (exponent >= 255)
        return INFINITE;
    if (exponent <= 0)
        return 0;
    return (uint32_t)((interpolate_fraction(&power, fraction) >> 15) + exponent * (MANTISSA + 1));
}

static uint32_t lg2(uint32_t bits)
{
    struct parts p = parts_of(bits);
    uint32_t r;
    if (special(p, SIGN | INFINITE, INFINITE, &r))
        return r;
    if (bits == ONE)
        return 0;
    int64_t v = (interpolate_fraction(&logarithm, p.mantissa) >> 2) + (int64_t)(p.exponent - 127) * (INT64_C(1) << 36);
    return v < 0 ? SIGN | float_of(-v - 1, 36) : float_of(v, 36);
}

/* Of turns, with 25 binary places: two bits say the quarter, in which the rest runs forwards or (complemented) back. */
static uint32_t sine_of_turns(uint32_t bits, bool cosine)
{
    struct parts p = parts_of(bits);
    if (p.exponent == 255)
        return NOT_A_NUMBER;
    uint64_t mantissa = p.exponent ? p.mantissa | (MANTISSA + 1) : 0;
    int left = p.exponent - 127 + 2;
    uint64_t fixed = left >= 25 ? 0 : left >= 0 ? mantissa << left : left > -24 ? mantissa >> -left : 0;
    uint32_t quarter = ((uint32_t)(fixed >> 23) + cosine) & 3, rest = (uint32_t)fixed & MANTISSA;
    uint32_t sign = (cosine ? 0 : p.sign) ^ (quarter >= 2 ? SIGN : 0);
    if (quarter & 1 && !rest)
        return sign | ONE;
    return sign | float_of(interpolate_fraction(&sine, quarter & 1 ? ~rest & MANTISSA : rest), 37);
}

/* Each power of two has its own segments, and uses as many bits of the argument as they need. */
static uint32_t hyperbolic_tangent(uint32_t bits)
{
    static const struct {
        uint8_t first, segment_bits;
    } octaves[] = {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {5, 1}, {7, 2}, {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
    enum { FIRST = 119, LAST = 129 };
    struct parts p = parts_of(bits);
    if (p.exponent == 255 && p.mantissa)
        return NOT_A_NUMBER;
    if (p.exponent < FIRST)
        return bits;
    if (p.exponent > LAST)
        return p.sign | ONE;
    unsigned first = octaves[p.exponent - FIRST].first, segment_bits = octaves[p.exponent - FIRST].segment_bits;
    uint32_t rest = p.mantissa >> (6 - segment_bits) & 0x1ffff;
    return p.sign | float_of(interpolate(&tangent, first + (p.mantissa >> (23 - segment_bits)), rest), 41);
}

/* The high word of a double: 20 bits of mantissa in, and out. */
static uint32_t of_high_word(uint32_t word, bool root)
{
    uint32_t sign = word & SIGN, mantissa = (word & 0xfffff) << 3;
    int exponent = (int)(word >> 20 & 0x7ff);
    if (exponent == 0x7ff && mantissa)
        return NOT_A_NUMBER;
    if (!exponent)
        return sign | 0x7ff00000;
    if (root && sign)
        return NOT_A_NUMBER;
    if (exponent == 0x7ff)
        return sign;
    bool odd = root && !(exponent & 1);
    int64_t r = root ? inverse_root_of(mantissa, odd) : reciprocal_of(mantissa);
    int scale = root ? 1023 - (exponent - 1023 - odd) / 2 : 2046 - exponent;
    int result = scale + (int)(r >> 23) - 127;
    return result > 0 ? sign | (uint32_t)result << 20 | ((uint32_t)r & MANTISSA) >> 3 : sign;
}

static uint32_t float_of_half(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ff;
    if (exponent == 31)
        return sign | INFINITE | mantissa << 13;
    if (exponent)
        return sign | (exponent + 112) << 23 | mantissa << 13;
    return sign | float_of(mantissa, 24);
}

static uint32_t cut_to_half(uint32_t bits)
{
    struct parts p = parts_of(bits);
    uint32_t sign = p.sign >> 16;
    if (p.exponent == 255 && p.mantissa)
        return 0x7fff;
    if (p.exponent >= 143) /* 65536 and more */
        return sign | 0x7c00;
    if (p.exponent > 112)
        return sign | (uint32_t)(p.exponent - 112) << 10 | p.mantissa >> 13;
    return p.exponent > 102 ? sign | (p.mantissa | (MANTISSA + 1)) >> (126 - p.exponent) : sign;
}

static bool value_of(enum uop_kind kind, uint32_t bits, uint32_t *r)
{
    switch (kind) {
    case UOP_EX2: *r = ex2(bits); return true;
    case UOP_LG2: *r = lg2(bits); return true;
    case UOP_RCP: *r = rcp(bits); return true;
    case UOP_RSQ: *r = rsq(bits); return true;
    case UOP_SQRT: *r = square_root(bits); return true;
    case UOP_SIN: *r = sine_of_turns(bits, false); return true;
    case UOP_COS: *r = sine_of_turns(bits, true); return true;
    case UOP_TANH: *r = hyperbolic_tangent(bits); return true;
    case UOP_RCP64H: *r = of_high_word(bits, false); return true;
    case UOP_RSQ64H: *r = of_high_word(bits, true); return true;
    default: return false;
    }
}

bool emu_mufu(unsigned sm, enum uop_kind kind, enum uop_type type, uint64_t bits, uint64_t *result)
{
    uint32_t argument = (uint32_t)bits, r = 0;
    if (type == UOP_F16)
        argument = float_of_half(argument & 0xffff);
    else if (type == UOP_BF16)
        argument <<= 16;
    bool known = value_of(kind, argument, &r);
    if (type == UOP_F16)
        r = cut_to_half(r);
    else if (type == UOP_BF16)
        r = r >> 16;
    *result = r;
    return known && sm == 90;
}
