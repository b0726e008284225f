/* Functions of mathematics as references: each agrees with itself, no two agree everywhere, and powers are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "pattern/pat_function.h"

static void every_function_is_told_from_every_other(void **state)
{
    (void)state;
    unsigned count;
    const struct pat_known *list = pat_known_functions(&count);
    assert_true(count <= PAT_KNOWN_MAX);
    for (unsigned i = 0; i < count; i++) {
        unsigned kind, function;
        assert_true(pat_known_named(list[i].name) == (int)i || list[i].whole == 2); /* pow() twice */
        assert_true(list[i].rounded || pat_function_named(list[i].name, list[i].args, &kind, &function));
        for (unsigned k = 0; k < count; k++) {
            double at[FUNCTION_ARGS];
            bool is_far, alike = list[i].args == list[k].args && list[i].whole == list[k].whole;
            unsigned of = list[i].whole == 1;
            for (unsigned n = 0; alike && pat_known_sample(list[i].args, n, at, &is_far); n++)
                alike = pat_known_agrees(&list[i], UOP_F32, is_far, at[of], (float)pat_known_value(&list[k], at),
                                         pat_known_value(&list[i], at));
            if (alike != (i == k))
                fail_msg("%s and %s", list[i].name, list[k].name);
        }
    }
}

static void samples_are_numbers_of_single_precision(void **state)
{
    (void)state;
    double at[FUNCTION_ARGS];
    bool is_far;
    for (unsigned args = 1; args <= FUNCTION_ARGS; args++)
        for (unsigned k = 0; pat_known_sample(args, k, at, &is_far); k++)
            for (unsigned i = 0; i < args; i++)
                assert_true(isnan(at[i]) || (double)(float)at[i] == at[i]);
}

static void what_is_near_is_not_the_same(void **state)
{
    (void)state;
    const struct pat_known *list = pat_known_functions(&(unsigned){0});
    const struct pat_known *log1p_ = &list[pat_known_named("log1p")], *tanh_ = &list[pat_known_named("tanh")];
    float small = 23.0f / 524288.0f, e = expf(2.0f * small), plus = 1.0f + 0.000030517578f * 1.7f;
    assert_false(pat_known_agrees(log1p_, UOP_F32, false, 0.000030517578, logf(plus), log1p(0.000030517578 * 1.7)));
    assert_false(pat_known_agrees(tanh_, UOP_F32, false, (double)small, (e - 1.0f) / (e + 1.0f), tanh((double)small)));
    assert_false(pat_known_agrees(tanh_, UOP_F32, false, 0.5, NAN, tanh(0.5)));
    assert_true(pat_known_agrees(tanh_, UOP_F32, false, 0.5, (double)tanhf(0.5f), tanh(0.5)));
    assert_false(
        pat_known_agrees(tanh_, UOP_F32, true, 1.0, 0.0, NAN)); /* far: no value may be infinite, but no number */
    assert_true(pat_known_agrees(tanh_, UOP_F32, true, 1.0, INFINITY, NAN));
    assert_false(pat_known_agrees(tanh_, UOP_F32, true, 1.0, -1.0, 1.0));
    assert_false(
        pat_known_agrees(tanh_, UOP_F64, false, 0.3, (double)tanhf(0.3f), tanh(0.3f))); /* not to double precision */
}

static void a_number_of_sixteen_bits_may_be_the_next_one(void **state)
{
    (void)state;
    const struct pat_known *list = pat_known_functions(&(unsigned){0});
    const struct pat_known *exp_ = &list[pat_known_named("exp")], *jn_ = &list[pat_known_named("jn")];
    const double unit = 1.0 / 1024;
    assert_true(pat_known_agrees(exp_, UOP_F16, false, 0.0, 1.0 + unit, 1.0));
    assert_false(pat_known_agrees(exp_, UOP_F16, false, 0.0, 1.0 + 2 * unit, 1.0));
    assert_true(pat_known_agrees(exp_, UOP_BF16, false, 0.0, 1.0 + 8 * unit, 1.0));
    assert_false(pat_known_agrees(exp_, UOP_BF16, false, 0.0, 1.0 + 16 * unit, 1.0));
    assert_true(pat_known_is_small(UOP_F16, 0x1p-14) && !pat_known_is_small(UOP_BF16, 0x1p-14));
    /* A recurrence divides by zero, but nowhere else. */
    assert_true(pat_known_agrees(jn_, UOP_F32, true, 0.0, NAN, 0.0));
    assert_false(pat_known_agrees(jn_, UOP_F32, true, 0.5, NAN, 0.0));
    assert_true(isnan(jn_->two(-1.0, 0.5)) && !isnan(jn_->two(2.0, -0.5)));
}

static void powers_that_people_write_are_found(void **state)
{
    (void)state;
    static const double written[] = {2.5, 2.2, 0.75, 1.0 / 3.0, -1.5, 2.4};
    double power;
    for (unsigned i = 0; i < sizeof written / sizeof written[0]; i++) {
        assert_true(pat_known_power(0.375, (float)pow(0.375, written[i]), &power));
        assert_true(fabs(power - written[i]) < 1e-9);
    }
    assert_false(pat_known_power(0.375, 0.375 + 0.0001, &power));
    assert_false(pat_known_power(-0.5, 0.25, &power));
}

/* What is left of all functions of one number (or two) when `of` is asked at all samples. */
static uint32_t left_of(unsigned args, unsigned whole, bool integral, double (*of)(const double at[FUNCTION_ARGS]))
{
    uint32_t set = pat_exact_all(args, whole, integral ? 32 : 64, UOP_F64, false);
    double at[FUNCTION_ARGS];
    bool is_far;
    unsigned more = 0;
    for (unsigned k = 0;; k++) {
        if (!pat_known_sample(args, k, at, &is_far)) {
            is_far = true;
            if (!pat_exact_sample(args, whole, more++, at))
                return set;
        }
        at[1] = whole ? rint(at[1]) : at[1];
        if (whole && !(fabs(at[1]) < 1e6))
            continue;
        double got = of(at);
        uint64_t bits = integral ? (uint32_t)(int32_t)got : pat_function_bits(UOP_F64, got);
        pat_exact_keep(&set, UOP_F64, is_far, at, integral ? 32 : 64, bits);
    }
}

static double quotient(const double at[FUNCTION_ARGS])
{
    return at[0] / at[1];
}

static double quotient_rz(const double at[FUNCTION_ARGS])
{
    double near = at[0] / at[1], left = fma(-near, at[1], at[0]);
    bool beyond = isfinite(near) && left != 0.0 && signbit(left) != signbit(at[0]);
    return beyond ? nextafter(near, 0.0) : near;
}

static double fraction(const double at[FUNCTION_ARGS])
{
    double whole;
    return modf(at[0], &whole);
}

static double own_fraction(const double at[FUNCTION_ARGS])
{
    return at[0] - trunc(at[0]);
}

static double scaled(const double at[FUNCTION_ARGS])
{
    return ldexp(at[0], (int)at[1]);
}

static double own_scaled(const double at[FUNCTION_ARGS])
{
    return at[0] * exp2(fmax(fmin(at[1], 1023.0), -1022.0));
}

static double nearest(const double at[FUNCTION_ARGS])
{
    return fabs(at[0]) < 1e9 ? round(at[0]) : 0.0;
}

static double own_nearest(const double at[FUNCTION_ARGS])
{
    return fabs(at[0]) < 1e9 ? rint(at[0]) : 0.0;
}

static void what_is_exact_is_known_by_every_bit(void **state)
{
    (void)state;
    struct pat_function f = {.count = 0};
    bool of_one;
    assert_int_equal(left_of(2, 0, false, quotient), 0);
    assert_true(pat_exact_one(left_of(2, 0, false, quotient_rz), &f, &of_one));
    assert_true(f.round == UOP_RZ && f.count == 2 && strcmp(f.name, "/") == 0 && !of_one);
    assert_true(pat_exact_one(left_of(1, 0, false, fraction), &f, &of_one));
    assert_string_equal(f.name, "modf");
    assert_int_equal(left_of(1, 0, false, own_fraction), 0); /* not of infinity, nor of -1 */
    assert_true(pat_exact_one(left_of(2, 2, false, scaled), &f, &of_one));
    assert_string_equal(f.name, "ldexp");
    assert_int_equal(left_of(2, 2, false, own_scaled), 0);
    assert_true(pat_exact_one(left_of(1, 0, true, nearest), &f, &of_one));
    assert_string_equal(f.name, "lround");
    assert_int_equal(left_of(1, 0, true, own_nearest), 0); /* 2.5 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_told_from_every_other),
        cmocka_unit_test(samples_are_numbers_of_single_precision),
        cmocka_unit_test(what_is_near_is_not_the_same),
        cmocka_unit_test(a_number_of_sixteen_bits_may_be_the_next_one),
        cmocka_unit_test(powers_that_people_write_are_found),
        cmocka_unit_test(what_is_exact_is_known_by_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
