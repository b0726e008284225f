/* The special function unit. Its results are a table and a quadratic on the chip; until those are measured, each is the
 * correctly rounded one, subnormals flushed on both sides as compilers count on, and every use of it is told as
 * `assumed`. One function, so that measured tables can take its place.
 *
 * requires: bits of the argument · gives: bits of the result */
#include "emu/emu_internal.h"

#include <math.h>
#include <string.h>

static double double_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

static uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return bits;
}

/* One conversion by the evaluator, which rounds and flushes as the device does. */
static bool convert(enum uop_type to, enum uop_type from, unsigned flags, uint64_t bits, uint64_t *result)
{
    struct uop op = {.kind = UOP_F2F, .type = (uint8_t)to, .flags = (uint8_t)flags, .imm = from};
    return uop_eval(&op, &bits, result);
}

/* The function of a whole number of turns and a rest is that of the rest, which fmod() gives exactly. */
static double turned(double (*function)(double), double turns)
{
    static const double two_pi = 6.283185307179586476925286766559;
    double rest = fmod(turns, 1.0), quarter = fabs(rest) * 4;
    if (quarter == floor(quarter)) { /* where two_pi is not exact enough for a zero */
        unsigned q = (unsigned)quarter & 3;
        double sine = q == 1 ? 1 : q == 3 ? -1 : 0;
        return function == cos ? (q == 0 ? 1.0 : q == 2 ? -1.0 : 0.0) : copysign(1, rest) * sine;
    }
    return function(two_pi * rest);
}

static bool value_of(enum uop_kind kind, double x, double *r)
{
    switch (kind) {
    case UOP_EX2: *r = exp2(x); return true;
    case UOP_LG2: *r = log2(x); return true;
    case UOP_RCP: *r = 1 / x; return true;
    case UOP_RSQ: *r = 1 / sqrt(x); return true;
    case UOP_SQRT: *r = sqrt(x); return true;
    case UOP_SIN: *r = isinf(x) ? NAN : turned(sin, x); return true;
    case UOP_COS: *r = isinf(x) ? NAN : turned(cos, x); return true;
    case UOP_TANH: *r = tanh(x); return true;
    default: return false;
    }
}

/* What is neither subnormal nor near to it, without the evaluator. */
static bool single(enum uop_kind kind, uint32_t bits, uint64_t *result)
{
    float f, near;
    double r;
    uint32_t out;
    bits = bits & 0x7f800000 ? bits : bits & 0x80000000;
    memcpy(&f, &bits, 4);
    if (!value_of(kind, f, &r))
        return false;
    near = (float)r;
    memcpy(&out, &near, 4);
    *result = isnan(r) ? 0x7fffffff : out;
    return isnan(r) || r == 0 || fabs(r) > 0x1p-125;
}

bool emu_mufu(unsigned sm, enum uop_kind kind, enum uop_type type, unsigned flags, uint64_t bits, uint64_t *result)
{
    (void)sm;
    double r = 0;
    *result = 0;
    if (kind == UOP_RCP64H || kind == UOP_RSQ64H) { /* the high word of a double in, and out */
        double x = double_of(bits << 32);
        *result = bits_of(kind == UOP_RCP64H ? 1 / x : 1 / sqrt(x)) >> 32;
        return false;
    }
    if (type == UOP_F32 && single(kind, (uint32_t)bits, result))
        return false;
    uint64_t wide;
    unsigned flush = type == UOP_F32 ? flags | UOP_FTZ : flags;
    if (convert(UOP_F64, type, flush, bits, &wide) && value_of(kind, double_of(wide), &r)) {
        uint64_t nan = type == UOP_F32 ? 0x7fffffff : 0x7fff;
        if (isnan(r))
            *result = nan;
        else
            convert(type, UOP_F64, flush, bits_of(r), result);
    }
    return false;
}
