/* Functions that are known by their bits. Quotients, reciprocals and roots that are rounded to one side: no machine has
 * them, and pages spell out only what is rounded to nearest; which side of the true value the nearest number lies on is
 * told by what is left of the dividend, which a fused multiply-add gives without an error. And functions that libraries
 * compute without an error: parts of a number, its exponent, the next one. Few operations make them, which is why every
 * bit must be theirs, and infinity, zero and what stands between two whole numbers are asked for too.
 *
 * Requires nothing; gives what may still be such a function. */
#include "pattern/pat_function.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum sort {
    QUOTIENT,
    RECIPROCAL,
    ROOT,
    FRACTION,
    MANTISSA,
    EXPONENT,
    LOGB,
    ILOGB,
    LROUND,
    NEXT,
    SCALED,
    QUOTIENT_BITS
};

static const struct exact {
    const char *name;
    enum sort sort;
    unsigned args, round;
    unsigned whole; /* 1 + the argument that is an integer */
    bool integral;  /* so is the result */
} exacts[] = {
    {"/", QUOTIENT, 2, UOP_RZ, 0, false},     {"/", QUOTIENT, 2, UOP_RM, 0, false},
    {"/", QUOTIENT, 2, UOP_RP, 0, false},     {"/", RECIPROCAL, 1, UOP_RZ, 0, false},
    {"/", RECIPROCAL, 1, UOP_RM, 0, false},   {"/", RECIPROCAL, 1, UOP_RP, 0, false},
    {"sqrtf", ROOT, 1, UOP_RZ, 0, false}, /* downwards is the same */
    {"sqrtf", ROOT, 1, UOP_RP, 0, false},     {"modf", FRACTION, 1, UOP_RN, 0, false},
    {"frexp", MANTISSA, 1, UOP_RN, 0, false}, {"frexp_exponent", EXPONENT, 1, UOP_RN, 0, true},
    {"logb", LOGB, 1, UOP_RN, 0, false},      {"ilogb", ILOGB, 1, UOP_RN, 0, true},
    {"lround", LROUND, 1, UOP_RN, 0, true},   {"nextafter", NEXT, 2, UOP_RN, 0, false},
    {"ldexp", SCALED, 2, UOP_RN, 2, false},   {"remquo", QUOTIENT_BITS, 2, UOP_RN, 0, true},
};
enum { EXACTS = sizeof exacts / sizeof exacts[0] };

uint32_t pat_exact_all(unsigned args, unsigned whole, unsigned bits, enum uop_type type, bool few)
{
    uint32_t set = 0;
    for (unsigned i = 0; i < EXACTS; i++) {
        bool rounded = exacts[i].round != UOP_RN, same = bits == uop_type_bits(type);
        bool fits = exacts[i].integral ? bits == 32 || (bits == 64 && exacts[i].sort == LROUND) : same;
        if (exacts[i].args == args && exacts[i].whole == whole && fits && !(rounded && few))
            set |= 1u << i;
    }
    return set;
}

/* The nearest number, and whether the true one is less (-1) or more. */
static double nearest(enum sort sort, enum uop_type type, const double at[FUNCTION_ARGS], int *side)
{
    double a = sort == QUOTIENT ? at[0] : 1.0, b = sort == QUOTIENT ? at[1] : at[0], near, left;
    if (type == UOP_F32) {
        float x = (float)a, y = (float)b;
        float q = sort == ROOT ? sqrtf(y) : x / y;
        near = (double)q;
        left = (double)(sort == ROOT ? fmaf(-q, q, y) : fmaf(-q, y, x));
    } else {
        near = sort == ROOT ? sqrt(b) : a / b;
        left = sort == ROOT ? fma(-near, near, b) : fma(-near, b, a);
    }
    if (sort != ROOT && b < 0.0)
        left = -left;
    *side = isfinite(near) ? (left > 0.0) - (left < 0.0) : 0;
    return near;
}

static double next(enum uop_type type, double from, double to)
{
    return type == UOP_F32 ? (double)nextafterf((float)from, (float)to) : nextafter(from, to);
}

static double rounded(const struct exact *e, enum uop_type type, const double at[FUNCTION_ARGS])
{
    int side;
    double near = nearest(e->sort, type, at, &side);
    bool down = e->round == UOP_RM || (e->round == UOP_RZ && near > 0.0);
    if (side < 0 && down)
        return next(type, near, -INFINITY);
    if (side > 0 && !down)
        return next(type, near, INFINITY);
    return near;
}

static bool is_number(enum uop_type type, double got, double wanted)
{
    double least = type == UOP_F32 ? 1.1754943508222875e-38 : 2.2250738585072014e-308;
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got);
    if (wanted != 0.0 && fabs(wanted) < least && got != wanted) /* flushed, perhaps */
        return got == 0.0;
    return got == wanted && signbit(got) == signbit(wanted);
}

static bool is_integer(const struct exact *e, const double at[FUNCTION_ARGS], int64_t got)
{
    double x = at[0];
    int exponent;
    switch (e->sort) {
    case EXPONENT:
        if (!isfinite(x)) /* nothing is promised */
            return true;
        frexp(x, &exponent);
        return got == exponent;
    case ILOGB:
        if (!isfinite(x) || x == 0.0)
            return got == (isinf(x) ? INT_MAX : INT_MIN) || (isnan(x) && got == INT_MAX);
        return got == ilogb(x);
    case LROUND: return !(fabs(x) < 2147483000.0) || got == llround(x);
    default: { /* the last three bits, with the quotient's sign */
        int quotient = 0;
        if (isnan(remquo(x, at[1], &quotient)))
            return true;
        uint64_t wanted = (uint64_t)(quotient < 0 ? -(int64_t)quotient : quotient) & 7;
        bool negative = got < 0, turned = quotient < 0;
        return ((uint64_t)(negative ? -(got + 1) + 1 : got) & 7) == wanted && (!wanted || negative == turned);
    }
    }
}

static bool is_exact(const struct exact *e, enum uop_type type, bool is_far, const double at[FUNCTION_ARGS], double got)
{
    const struct pat_known *quotient = &pat_known_functions(&(unsigned){0})[pat_known_named("/")];
    double x = at[0], ignored;
    int exponent;
    switch (e->sort) {
    case FRACTION: return is_number(type, got, isinf(x) ? copysign(0.0, x) : modf(x, &ignored));
    case MANTISSA: return is_number(type, got, frexp(x, &exponent));
    case LOGB: return is_number(type, got, logb(x));
    case NEXT: return is_number(type, got, isnan(x) || isnan(at[1]) ? NAN : next(type, x, at[1]));
    case SCALED:
        ignored = ldexp(x, (int)at[1]);
        return is_number(type, got, type == UOP_F32 ? (double)(float)ignored : ignored);
    default: break;
    }
    double wanted = rounded(e, type, at);
    if (is_far)
        return pat_known_agrees(quotient, type, true, x, got, wanted);
    return got == wanted || (isnan(got) && isnan(wanted));
}

void pat_exact_keep(uint32_t *alive, enum uop_type type, bool is_far, const double at[FUNCTION_ARGS], unsigned bits,
                    uint64_t result)
{
    double got = pat_function_number(type, result);
    int64_t whole = bits == 64 ? (int64_t)result : (int32_t)(uint32_t)result;
    for (unsigned i = 0; i < EXACTS; i++)
        if ((*alive >> i & 1) &&
            !(exacts[i].integral ? is_integer(&exacts[i], at, whole) : is_exact(&exacts[i], type, is_far, at, got)))
            *alive &= ~(1u << i);
}

bool pat_exact_sample(unsigned args, unsigned whole, unsigned k, double at[FUNCTION_ARGS])
{
    static const double one[] = {0.499999970197678, -0.499999970197678, 0.5,       -0.5,       1.5,  2.5,    -2.5,
                                 8388609.0,         -8388607.0,         2097151.5, -2097152.5, 64.0, -0.125, 1.0};
    static const double two[][2] = {{1.0, 1.0}, {1.0, 2.0}, {2.0, 1.0}, {-2.0, -1.0}, {-2.0, -3.0}, {8.0, -8.0}};
    static const double power[][2] = {{0.75, 100.0},   {-0.75, -100.0}, {1e-30f, 200.0}, {-1e30f, -200.0},
                                      {1.5, 130.0},    {3.0, 300.0},    {1e-30f, 224.0}, {1e30f, -224.0},
                                      {0.0, 400.0},    {1.5, 2000.0},   {1.5, -4000.0},  {INFINITY, -300.0},
                                      {1e-30f, 227.0}, {2.5, 20000.0},  {1.25, -30.0}};
    unsigned count = args == 1 ? sizeof one / sizeof one[0]
                     : whole   ? sizeof power / sizeof power[0]
                               : sizeof two / sizeof two[0];
    if (k >= count || args > 2)
        return false;
    at[0] = args == 1 ? (double)(float)one[k] : whole ? power[k][0] : two[k][0];
    at[1] = args == 1 ? 0.0 : whole ? power[k][1] : two[k][1];
    return true;
}

bool pat_exact_one(uint32_t alive, struct pat_function *f, bool *of_one)
{
    for (unsigned i = 0; i < EXACTS; i++) {
        if (!(alive >> i & 1))
            continue;
        f->name = exacts[i].name;
        f->round = exacts[i].round;
        f->count = exacts[i].sort == RECIPROCAL ? 2 : exacts[i].args;
        f->whole = exacts[i].whole;
        f->integral = exacts[i].integral;
        *of_one = exacts[i].sort == RECIPROCAL;
        return true;
    }
    return false;
}
