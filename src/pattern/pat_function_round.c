/* Quotients, reciprocals and roots that are rounded to one side: no machine has them, and pages spell out only what is
 * rounded to nearest. They are known by their bits: a number near to the quotient is no more than near.
 *
 * Which side of the true value the nearest number lies on is told by what is left of the dividend, which a fused
 * multiply-add gives without an error. Requires nothing; gives what may still be such a function. */
#include "pattern/pat_function.h"

#include <math.h>

enum { QUOTIENT, RECIPROCAL, ROOT, SORTS };

static const uint8_t rounds[] = {UOP_RZ, UOP_RM, UOP_RP}; /* a root towards zero is one downwards, too */
enum { ROUNDS = sizeof rounds / sizeof rounds[0] };

static unsigned sort_of(unsigned which)
{
    return which / ROUNDS;
}

uint32_t pat_directed_all(unsigned args)
{
    uint32_t one = ((1u << ROUNDS) - 1) << RECIPROCAL * ROUNDS | ((1u << ROUNDS) - 1) << ROOT * ROUNDS;
    return args == 1 ? one : (1u << ROUNDS) - 1;
}

/* The nearest number, and whether the true one is less (-1) or more. */
static double nearest(unsigned sort, enum uop_type type, const double at[FUNCTION_ARGS], int *side)
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

static double rounded(unsigned which, enum uop_type type, const double at[FUNCTION_ARGS])
{
    int side;
    double near = nearest(sort_of(which), type, at, &side);
    unsigned round = rounds[which % ROUNDS];
    bool down = round == UOP_RM || (round == UOP_RZ && near > 0.0);
    if (side < 0 && down)
        return next(type, near, -INFINITY);
    if (side > 0 && !down)
        return next(type, near, INFINITY);
    return near;
}

void pat_directed_keep(uint32_t *alive, enum uop_type type, bool is_far, const double at[FUNCTION_ARGS], double got)
{
    const struct pat_known *known = &pat_known_functions(&(unsigned){0})[pat_known_named("/")];
    for (unsigned i = 0; i < SORTS * ROUNDS; i++) {
        if (!(*alive >> i & 1))
            continue;
        double wanted = rounded(i, type, at);
        bool same = got == wanted || (isnan(got) && isnan(wanted));
        if (is_far)
            same = pat_known_agrees(known, type, true, at[0], got, wanted);
        if (!same)
            *alive &= ~(1u << i);
    }
}

bool pat_directed_one(uint32_t alive, struct pat_function *f, bool *of_one)
{
    for (unsigned i = 0; i < SORTS * ROUNDS; i++) {
        if (!(alive >> i & 1))
            continue;
        f->name = sort_of(i) == ROOT ? "sqrt" : "/";
        f->round = rounds[i % ROUNDS];
        f->count = sort_of(i) == ROOT ? 1 : 2;
        *of_one = sort_of(i) == RECIPROCAL;
        return true;
    }
    return false;
}
