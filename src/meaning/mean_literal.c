/* Constants as a C reader writes them. The bits alone do not tell what they are: the reader's type
 * `as` does. Floats print in shortest round-trip form ("1.0f", "-3.4028235e+38f", INFINITY, NAN),
 * integers in decimal when small or round, in hexadecimal when they are operands of bit operations
 * or look like masks. Bits that are only moved may be either: both are told where both make sense. */
#include "meaning/mean_internal.h"

#include "base/bits.h"
#include "base/str.h"

#include <inttypes.h>
#include <string.h>

/* A half as the bits of the float with the same value; NaN payloads are dropped. */
static uint32_t half_to_float(uint32_t h)
{
    uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 0x3ffu;
    if (exponent == 31)
        return sign | (fraction ? 0x7fc00000u : 0x7f800000u);
    if (exponent == 0) {
        if (fraction == 0)
            return sign;
        int shift = 0;
        while (!(fraction & 0x400u)) {
            fraction <<= 1;
            shift++;
        }
        return sign | (uint32_t)(113 - shift) << 23 | (fraction & 0x3ffu) << 13;
    }
    return sign | (exponent + 112u) << 23 | fraction << 13;
}

static const char *float_text(struct mean *m, const char *digits, bool negative, bool nan, bool infinite,
                              const char *suffix)
{
    if (nan)
        return "NAN";
    if (infinite)
        return negative ? "-INFINITY" : "INFINITY";
    bool plain = !strpbrk(digits, ".e");
    const char *text = arena_printf(m->a, "%s%s%s", digits, plain ? ".0" : "", suffix);
    return text ? text : "?";
}

static const char *float32_literal(struct mean *m, uint32_t bits)
{
    char digits[32];
    str_float32(digits, bits);
    uint32_t magnitude = bits & 0x7fffffffu;
    return float_text(m, digits, bits >> 31, magnitude > 0x7f800000u, magnitude == 0x7f800000u, "f");
}

static const char *float64_literal(struct mean *m, uint64_t bits)
{
    const uint64_t infinity = UINT64_C(0x7ff0000000000000);
    char digits[32];
    str_float64(digits, bits);
    uint64_t magnitude = bits & ~(UINT64_C(1) << 63);
    return float_text(m, digits, bits >> 63, magnitude > infinity, magnitude == infinity, "");
}

/* At most two runs of ones, and too large to be a count. */
static bool looks_like_mask(uint64_t v, unsigned width)
{
    if (v < 0x10000u)
        return false;
    uint64_t edges = v ^ v >> 1;
    if (width < 64)
        edges &= (UINT64_C(1) << width) - 1;
    return __builtin_popcountll(edges) <= 4 && v % 1000 != 0;
}

static bool is_hexadecimal(uint64_t bits, unsigned width, unsigned as)
{
    int64_t value = bits_sign_extend(bits, width);
    bool small = value < 0 && !(as & MEAN_AS_UNSIGNED) ? value > -0x10000 : bits < 0x10000u;
    return (as & MEAN_AS_HEX) ? bits > 9 : !small && looks_like_mask(bits, width);
}

/* In C a hexadecimal number that fits no int is unsigned. */
bool mean_literal_is_unsigned(uint64_t bits, unsigned width, unsigned as)
{
    return (width == 32 || width == 64) && bits >> (width - 1) & 1 && is_hexadecimal(bits, width, as);
}

static const char *integer_literal(struct mean *m, uint64_t bits, unsigned width, unsigned as)
{
    int64_t value = bits_sign_extend(bits, width);
    bool negative = value < 0 && !(as & MEAN_AS_UNSIGNED);
    const char *text;
    if (is_hexadecimal(bits, width, as))
        text = arena_printf(m->a, "0x%" PRIx64, bits);
    else if (negative && value != INT64_MIN)
        text = arena_printf(m->a, "%" PRId64, value);
    else
        text = arena_printf(m->a, "%" PRIu64, bits);
    return text ? text : "?";
}

/* Few people write an integer that is such a float: a normal number near one, or of few digits. */
static bool is_likely_float(uint64_t bits, unsigned width, const char *digits)
{
    enum { FEW_DIGITS = 7, NEAR = 40 };
    bool wide = width == 64;
    int exponent = wide ? (int)(bits >> 52 & 0x7ff) - 1023 : (int)(bits >> 23 & 0xff) - 127;
    uint64_t fraction = wide ? bits & ((UINT64_C(1) << 52) - 1) : bits & 0x7fffffu;
    if (exponent == (wide ? 1024 : 128))
        return fraction == 0;
    if (exponent == (wide ? -1023 : -127))
        return false;
    if (strlen(digits) <= FEW_DIGITS)
        return true;
    int64_t value = bits_sign_extend(bits, width);
    return exponent >= -NEAR && exponent <= NEAR && value % 1000 != 0;
}

/* Hexadecimal, and the float in a comment of C, where the bits may be a float's as well. */
static const char *moved_literal(struct mean *m, uint64_t bits, unsigned width)
{
    char digits[32];
    if (width != 32 && width != 64)
        return integer_literal(m, bits, width, UOP_B32);
    if (width == 32)
        str_float32(digits, (uint32_t)bits);
    else
        str_float64(digits, bits);
    if (!is_likely_float(bits, width, digits))
        return integer_literal(m, bits, width, UOP_B32);
    const char *text = arena_printf(m->a, "0x%" PRIx64 " /* %s */", bits,
                                    width == 32 ? float32_literal(m, (uint32_t)bits) : float64_literal(m, bits));
    return text ? text : "?";
}

const char *mean_literal(struct mean *m, uint64_t bits, unsigned width, unsigned as)
{
    if (width == 1)
        return bits & 1 ? "true" : "false";
    switch (as & MEAN_AS_TYPE) {
    case MEAN_AS_MOVED:
        if (!(as & MEAN_AS_HEX))
            return moved_literal(m, bits, width);
        break;
    case UOP_F32:
        if (width == 32)
            return float32_literal(m, (uint32_t)bits);
        break;
    case UOP_F64:
        if (width == 64)
            return float64_literal(m, bits);
        break;
    case UOP_F16:
    case UOP_BF16: {
        bool brain = (as & MEAN_AS_TYPE) == UOP_BF16;
        uint32_t lo = (uint32_t)bits & 0xffffu, hi = (uint32_t)(bits >> 16) & 0xffffu;
        const char *low = float32_literal(m, brain ? lo << 16 : half_to_float(lo));
        if (width <= 16)
            return low;
        const char *text = arena_printf(m->a, "%s(%s, %s)", brain ? "bfloat162" : "half2", low,
                                        float32_literal(m, brain ? hi << 16 : half_to_float(hi)));
        return text ? text : "?";
    }
    default: break;
    }
    return integer_literal(m, bits, width, as);
}
