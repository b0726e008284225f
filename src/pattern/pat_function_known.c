/* Functions of one and two numbers that libraries of mathematics compute by many operations, as references: what a
 * machine computes is one of them when it agrees with it, to what a library promises, wherever it is tried. The host's
 * library says what they are; what it lacks is made of what it has, for the range of the samples.
 *
 * Requires nothing; gives the list, the samples and the comparison. */
#define _XOPEN_SOURCE 700 /* Bessel functions */
#include "pattern/pat_function.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Where gamma itself would overflow: by Stirling's series, mirrored below zero. */
static double log_gamma(double x)
{
    if (isinf(x) || (x <= 0.0 && x == floor(x)))
        return INFINITY;
    if (x < -30.0)
        return log(pi / fabs(x * sin(pi * fmod(x, 2.0)))) - log_gamma(-x);
    if (x <= 30.0)
        return fabs(x) < 1e-20 ? -log(fabs(x)) : log(fabs(tgamma(x)));
    double r = 1.0 / x, q = r * r;
    return (x - 0.5) * log(x) - x + 0.5 * log(2.0 * pi) +
           r * (1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q / 1680)));
}

static double power_of_ten(double x)
{
    return pow(10.0, x);
}

static double root_below(double x)
{
    return 1.0 / sqrt(x);
}

static double root_of_third(double x)
{
    return 1.0 / cbrt(x);
}

static double sine_of_turns(double x)
{
    double rest = fmod(x, 2.0); /* exact */
    return fmod(rest, 1.0) == 0.0 ? 0.0 : sin(pi * rest);
}

static double cosine_of_turns(double x)
{
    double rest = fabs(fmod(x, 2.0));
    return fabs(rest - 1.0) == 0.5 ? 0.0 : rest == 0.5 ? 0.0 : cos(pi * rest);
}

static double normal(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

/* Scaled by exp(x^2): by a continued fraction where the product would overflow. */
static double scaled_rest(double x)
{
    if (x < 5.0)
        return exp(x * x) * erfc(x);
    double fraction = 0.0;
    for (int k = 60; k > 0; k--)
        fraction = 0.5 * k / (x + fraction);
    return 1.0 / (sqrt(pi) * (x + fraction));
}

/* Solves erf(y) = x, from whichever of erf and erfc keeps digits. */
static double inverse(double x, double rest)
{
    double sign = x < 0.0 ? -1.0 : 1.0, p = x < 0.0 ? 2.0 - rest : rest; /* erfc(|y|) */
    if (!(p >= 0.0 && p <= 2.0))
        return NAN;
    if (p == 0.0)
        return sign * INFINITY;
    if (x == 0.0)
        return x;
    double low = 0.0, high = 30.0, y = 0.0;
    for (int i = 0; i < 60; i++) {
        y = 0.5 * (low + high);
        bool beyond = p < 0.5 ? erfc(y) < p : erf(y) > fabs(x);
        *(beyond ? &high : &low) = y;
    }
    for (int i = 0; i < 3; i++) {
        double error = p < 0.5 ? p - erfc(y) : erf(y) - fabs(x);
        y -= error / (2.0 / sqrt(pi) * exp(-y * y));
    }
    return sign * y;
}

static double error_inverse(double x)
{
    return x < 0.0 ? -inverse(-x, 1.0 + x) : inverse(x, 1.0 - x); /* what is left to 1 is exact near it */
}

static double rest_inverse(double x)
{
    return inverse(1.0 - x, x);
}

static double normal_inverse(double x)
{
    return -1.41421356237309504880 * rest_inverse(2.0 * x);
}

/* The series of the modified Bessel functions: all terms are positive. */
static double modified(double x, int order)
{
    double term = order ? 0.5 * x : 1.0, sum = term;
    if (fabs(x) > 720.0)
        return order && x < 0.0 ? -INFINITY : INFINITY;
    for (int k = 1; k < 2000 && fabs(term) > 1e-17 * fabs(sum); k++) {
        term *= 0.25 * x * x / ((double)k * (k + order));
        sum += term;
    }
    return sum;
}

static double modified_0(double x)
{
    return modified(x, 0);
}

static double modified_1(double x)
{
    return modified(x, 1);
}

static double root_of_squares(double x, double y)
{
    return 1.0 / hypot(x, y);
}

/* Of a whole order; of one below zero libraries say nothing. */
/* Recurrences have as many steps as the order is high; far above the argument only the limit is left of them. */
enum { ORDER_MAX = 4096, FAR_BELOW = ORDER_MAX / 4 };

static double bessel(double n, double x)
{
    if (!(n >= 0.0))
        return NAN;
    if (n > ORDER_MAX)
        return fabs(x) < FAR_BELOW ? 0.0 : NAN;
    return jn((int)n, x);
}

static double second_bessel(double n, double x)
{
    if (!(n >= 0.0) || x < 0.0)
        return NAN;
    if (n > ORDER_MAX)
        return x < FAR_BELOW ? -INFINITY : NAN;
    return yn((int)n, x);
}

static double quotient(double x, double y)
{
    return x / y;
}

static const struct pat_known known[] = {
    {"acos", 1, acos, NULL, false, false, false, 0},
    {"acosh", 1, acosh, NULL, false, false, false, 0},
    {"asin", 1, asin, NULL, false, false, false, 0},
    {"asinh", 1, asinh, NULL, false, false, false, 0},
    {"atan", 1, atan, NULL, false, false, false, 0},
    {"atanh", 1, atanh, NULL, false, false, false, 0},
    {"cbrt", 1, cbrt, NULL, false, false, false, 0},
    {"rcbrt", 1, root_of_third, NULL, false, false, false, 0},
    {"cosh", 1, cosh, NULL, false, false, false, 0},
    {"sinh", 1, sinh, NULL, false, false, false, 0},
    {"tanh", 1, tanh, NULL, false, false, false, 0},
    {"exp", 1, exp, NULL, false, false, false, 0},
    {"exp2", 1, exp2, NULL, false, false, false, 0},
    {"expm1", 1, expm1, NULL, false, false, false, 0},
    {"log", 1, log, NULL, false, false, false, 0},
    {"log2", 1, log2, NULL, false, false, false, 0},
    {"log10", 1, log10, NULL, false, false, false, 0},
    {"exp10", 1, power_of_ten, NULL, false, false, false, 0},
    {"rsqrt", 1, root_below, NULL, false, false, false, 0},
    {"log1p", 1, log1p, NULL, false, false, false, 0},
    {"sin", 1, sin, NULL, true, false, false, 0},
    {"cos", 1, cos, NULL, true, false, false, 0},
    {"tan", 1, tan, NULL, true, false, false, 0},
    {"sinpi", 1, sine_of_turns, NULL, false, false, false, 0},
    {"cospi", 1, cosine_of_turns, NULL, false, false, false, 0},
    {"erf", 1, erf, NULL, false, false, false, 0},
    {"erfc", 1, erfc, NULL, false, false, false, 0},
    {"erfcx", 1, scaled_rest, NULL, false, false, false, 0},
    {"erfinv", 1, error_inverse, NULL, false, false, false, 0},
    {"erfcinv", 1, rest_inverse, NULL, true, false, false, 0},
    {"normcdf", 1, normal, NULL, false, false, false, 0},
    {"normcdfinv", 1, normal_inverse, NULL, true, false, false, 0},
    {"lgamma", 1, log_gamma, NULL, true, false, false, 0},
    {"tgamma", 1, tgamma, NULL, false, false, false, 0},
    {"j0", 1, j0, NULL, true, true, false, 0},
    {"j1", 1, j1, NULL, true, true, false, 0},
    {"y0", 1, y0, NULL, true, true, false, 0},
    {"y1", 1, y1, NULL, true, true, false, 0},
    {"cyl_bessel_i0", 1, modified_0, NULL, false, false, false, 0},
    {"cyl_bessel_i1", 1, modified_1, NULL, false, false, false, 0},
    {"pow", 2, NULL, pow, false, false, false, 0},
    {"atan2", 2, NULL, atan2, false, false, false, 0},
    {"hypot", 2, NULL, hypot, false, false, false, 0},
    {"rhypot", 2, NULL, root_of_squares, false, false, false, 0},
    {"fmod", 2, NULL, fmod, false, false, false, 0},
    {"remainder", 2, NULL, remainder, false, false, false, 0},
    {"/", 2, NULL, quotient, false, false, true, 0},
    {"pow", 2, NULL, pow, false, false, false, 2},
    {"jn", 2, NULL, bessel, true, true, false, 1},
    {"yn", 2, NULL, second_bessel, true, true, false, 1},
    {"norm3d", 3, NULL, NULL, false, false, false, 0},
    {"rnorm3d", 3, NULL, NULL, false, false, false, 0},
    {"norm4d", 4, NULL, NULL, false, false, false, 0},
    {"rnorm4d", 4, NULL, NULL, false, false, false, 0},
};

/* Infinite where one of them is, whatever the others are. */
static double length_of(const double *at, unsigned count)
{
    double sum = 0.0;
    for (unsigned i = 0; i < count; i++) {
        if (isinf(at[i]))
            return INFINITY;
        sum += at[i] * at[i];
    }
    return sqrt(sum);
}

double pat_known_value(const struct pat_known *f, const double at[FUNCTION_ARGS])
{
    if (f->args > 2)
        return f->name[0] == 'r' ? 1.0 / length_of(at, f->args) : length_of(at, f->args);
    return f->one ? f->one(at[0]) : f->two(at[0], at[1]);
}

const struct pat_known *pat_known_functions(unsigned *count)
{
    *count = sizeof known / sizeof known[0];
    return known;
}

int pat_known_named(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool pat_known_power(double x, double got, double *power)
{
    static const double parts[] = {1000.0, 1024.0, 12.0}; /* 2.2, 0.375, 1/3 */
    double p = log(got) / log(x);
    if (!(x > 0.0))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && fabs(p) < 100.0; i++) {
        *power = round(p * parts[i]) / parts[i];
        if (fabs(*power - p) < 1e-6 * (1.0 + fabs(p)))
            return *power != 0.0;
    }
    return false;
}

/* All are numbers of single precision too. */
bool pat_known_sample(unsigned args, unsigned k, double at[FUNCTION_ARGS], bool *is_far)
{
    static const double one[] = {
        0.375,
        1.75,
        -0.625,
        0.0009765625,
        3.25,
        -2.375,
        0.9375,
        0.03125,
        1.0625,
        7.125,
        -0.1875,
        0.5625,
        12.5,
        -4.75,
        0.6875,
        2.0625,
        -1.375,
        5.625,
        9.3125,
        24.75,
        -9.875,
        0.25,
        1.40625,
        0.78125,
        -0.4375,
        8.25,
        0.875,
        -15.25,
        2.75,
        0.125,
        -0.9375,
        18.5,
        1.9375,
        -0.0625,
        4.125,
        0.4453125,
        -6.625,
        10.5,
        31.25,
        0.015625,
        11.75,
        -3.125,
        0.34375,
        28.125,
        0.53125,
        1.15625,
        6.3125,
        -0.28125,
        17.0 / 65536.0,
        -3.0 / 262144.0,
        23.0 / 524288.0, /* where definitions lose digits */
    };
    static const double two[][2] = {
        {0.75, 1.25},   {2.5, 0.375},     {3.25, -1.5},        {1.125, 3.75},       {7.5, 2.25},    {0.125, -2.75},
        {-2.5, 0.625},  {-0.75, -3.5},    {5.5, -4.25},        {-6.125, 2.0},       {-1.5, 3.0},    {0.9375, 8.5},
        {1.0625, 20.5}, {12.75, 0.15625}, {100.25, 0.375},     {-57.5, 3.625},      {0.03125, 0.5}, {40.5, 1.75},
        {1.75, 1.8125}, {2.0, 10.0},      {0.5, 12.0},         {9.5, 3.0},          {-9.5, 3.0},    {10.5, -3.0},
        {0.625, 0.25},  {1000.5, 0.75},   {-31.25, 7.0},       {6.75, 4.5},         {2.25, 4.5},    {-8.125, -5.0},
        {3.0, 2.0},     {5.0, 2.0},       {1048577.0, 0.0625}, {77777.0, 0.046875},
    };
    /* What resembles a function may part from it at a zero, beyond some size, at infinity or for a NaN. */
    static const double far[] = {0.0,    -0.0,  INFINITY, -INFINITY, NAN,    1e-30f, -1e-30f, 1e-12f,
                                 -1e-7f, 47.25, -33.5,    63.75,     -78.25, 100.75, -171.25, 300.5f,
                                 1e3f,   -1e4f, 1e7f,     1e12f,     -1e20f, 1e30f};
    static const double far_two[][2] = {
        {0.0, 1.5},       {1.5, 0.0},      {-1.5, 0.0},       {0.0, -1.5},   {0.0, 0.0},    {INFINITY, 1.5},
        {-INFINITY, 1.5}, {1.5, INFINITY}, {0.75, -INFINITY}, {NAN, 1.5},    {1.5, NAN},    {INFINITY, INFINITY},
        {1e10f, 0.75},    {-1e10f, 3.0},   {0.75, 1e10f},     {1e-10f, 2.5}, {2.5, 1e-10f}, {1e20f, 1e18f},
    };
    unsigned near = args == 1 ? sizeof one / sizeof one[0] : sizeof two / sizeof two[0];
    unsigned beyond = args == 1 ? sizeof far / sizeof far[0] : sizeof far_two / sizeof far_two[0];
    *is_far = k >= near;
    if (k >= near + beyond)
        return false;
    for (unsigned i = 0; i < FUNCTION_ARGS; i++) {
        unsigned n = *is_far ? (k - near + 5 * (i / 2)) % beyond : (k + 7 * (i / 2)) % near; /* more: by twos */
        at[i] = i >= args ? 0.0 : args == 1 ? (*is_far ? far[n] : one[n]) : *is_far ? far_two[n][i % 2] : two[n][i % 2];
    }
    return true;
}

/* The smallest normal number, the largest one, how far a library may be off. Numbers of 16 bits that the hardware's
 * approximation would round wrongly are put right one by one, which is a unit too far where it is computed better. */
struct format {
    double least, most, near, far;
};

static struct format format_of(enum uop_type type)
{
    switch (type) {
    case UOP_F64: return (struct format){2.2250738585072014e-308, 1.7976931348623157e308, 2e-14, 2e-12};
    case UOP_F16: return (struct format){6.103515625e-05, 65504.0, 1.0 / 1024, 2.5 / 1024};
    case UOP_BF16: return (struct format){1.1754943508222875e-38, 3.3895313892515355e38, 1.0 / 128, 2.5 / 128};
    default: return (struct format){1.1754943508222875e-38, 3.4028234663852886e38, 4e-6, 1.6e-5};
    }
}

bool pat_known_is_small(enum uop_type type, double d)
{
    return d != 0.0 && fabs(d) < 4.0 * format_of(type).least;
}

bool pat_known_agrees(const struct pat_known *f, enum uop_type type, bool is_far, double at, double got, double wanted)
{
    enum { WAVES = 8 }; /* from there on Bessel functions are computed as waves, with fewer digits */
    struct format form = format_of(type);
    double unit = is_far ? form.far : form.near, size = fabs(wanted);
    if (is_far && f->whole == 1 && fabs(at) < 1e-6) /* recurrences divide by it */
        return true;
    if (is_far && isnan(wanted)) /* a library may be careless of infinities where there is no value */
        return !isfinite(got);
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got);
    if (size > form.most * (1.0 - unit) && fabs(got) > form.most * (1.0 - unit)) /* the largest, or what is beyond */
        return signbit(wanted) == signbit(got);
    if (isinf(wanted) || isinf(got))
        return wanted == got;
    if (size < form.least) /* flushed, perhaps */
        return fabs(got) <= 1.01 * form.least;
    if (f->floor && size < 1.0)
        size = 1.0;
    if (f->waves && type == UOP_F64 && fabs(at) >= WAVES && unit < 5e-12)
        unit = 5e-12;
    return fabs(got - wanted) <= unit * size;
}
