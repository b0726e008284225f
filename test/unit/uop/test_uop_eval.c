/* The evaluator against independent references: floats of every format, rounding and flag on special and drawn values
 * (f16 exhaustively where there is one argument), integers on edge values, and the kind table's own consistency. */
#include "support_float.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t drawn(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const unsigned formats[] = {UOP_F16, UOP_BF16, UOP_F32, UOP_F64};
static const unsigned rounds[] = {UOP_RN, UOP_RM, UOP_RP, UOP_RZ};

static unsigned mantissa(unsigned type)
{
    return type == UOP_F16 ? 10 : type == UOP_BF16 ? 7 : type == UOP_F32 ? 23 : 52;
}

enum { MAX_VALUES = 64 };

/* Zeros, infinities, NaNs, subnormals, the neighbours of powers of two, 1, 1/2, 3, the largest; both signs. */
static size_t special_values(unsigned type, uint64_t *out)
{
    unsigned m = mantissa(type), bits = uop_type_bits((enum uop_type)type);
    uint64_t infinity = ((UINT64_C(1) << (bits - 1 - m)) - 1) << m, one = (infinity >> 1) & ~((UINT64_C(1) << m) - 1);
    uint64_t positive[] = {0,
                           1,
                           2,
                           (UINT64_C(1) << m) - 1,
                           UINT64_C(1) << m,
                           (UINT64_C(1) << m) + 1,
                           (UINT64_C(2) << m) + 1,
                           one - 1,
                           one,
                           one + 1,
                           one - (UINT64_C(1) << m),
                           one + (UINT64_C(1) << (m - 1)),
                           one + (UINT64_C(1) << m) + (UINT64_C(1) << (m - 1)),
                           one + ((uint64_t)m << m) + 1,
                           one - ((uint64_t)m << m) - 1,
                           one - ((uint64_t)(m + 1) << m),
                           infinity - 1,
                           infinity - 2,
                           infinity,
                           infinity + 1,
                           infinity | UINT64_C(1) << (m - 1),
                           infinity | ((UINT64_C(1) << m) - 1)};
    size_t n = 0;
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
        out[n++] = positive[i];
        out[n++] = positive[i] | UINT64_C(1) << (bits - 1);
    }
    return n;
}

static struct uop float_op(unsigned kind, unsigned type, unsigned round, unsigned flags)
{
    return (struct uop){.kind = (uint8_t)kind, .type = (uint8_t)type, .round = (uint8_t)round, .flags = (uint8_t)flags};
}

static void check_arithmetic(const struct uop *op, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t args[] = {a, b, c}, result = 0, expected = reference_arithmetic(op, a, b, c);
    assert_true(uop_eval(op, args, &result));
    if (result != expected)
        fail_msg("%s %s round %u flags %u: %#llx %#llx %#llx gives %#llx, not %#llx", uop_kind_text(op->kind),
                 uop_type_text(op->type), op->round, op->flags, (unsigned long long)a, (unsigned long long)b,
                 (unsigned long long)c, (unsigned long long)result, (unsigned long long)expected);
    if (op->flags == 0 && (op->type == UOP_F32 || op->type == UOP_F64)) {
        uint64_t host = host_arithmetic(op, a, b, c);
        bool nan = reference_is_nan(op->type, host);
        if (nan ? !reference_is_nan(op->type, result) : host != result)
            fail_msg("%s %s round %u: %#llx %#llx %#llx gives %#llx, the host %#llx", uop_kind_text(op->kind),
                     uop_type_text(op->type), op->round, (unsigned long long)a, (unsigned long long)b,
                     (unsigned long long)c, (unsigned long long)result, (unsigned long long)host);
    }
}

static void sums_and_products_of_special_values(void **state)
{
    (void)state;
    static const unsigned flags[] = {0, UOP_FTZ, UOP_SAT, UOP_FTZ | UOP_SAT, UOP_FMZ, UOP_RELU};
    for (size_t f = 0; f < 4; f++) {
        uint64_t v[MAX_VALUES];
        size_t n = special_values(formats[f], v);
        for (size_t r = 0; r < 4; r++)
            for (size_t g = 0; g < sizeof flags / sizeof *flags; g++)
                for (size_t i = 0; i < n; i++)
                    for (size_t j = 0; j < n; j++) {
                        struct uop add = float_op(UOP_FADD, formats[f], rounds[r], flags[g]);
                        struct uop multiply = float_op(UOP_FMUL, formats[f], rounds[r], flags[g]);
                        check_arithmetic(&add, v[i], v[j], 0);
                        check_arithmetic(&multiply, v[i], v[j], 0);
                    }
    }
}

static void fused_multiply_adds_of_special_values(void **state)
{
    (void)state;
    static const unsigned flags[] = {0, UOP_FTZ, UOP_SAT, UOP_FMZ};
    for (size_t f = 0; f < 4; f++) {
        uint64_t v[MAX_VALUES];
        size_t n = special_values(formats[f], v);
        for (size_t r = 0; r < 4; r++)
            for (size_t g = 0; g < sizeof flags / sizeof *flags; g++)
                for (size_t i = 0; i < n; i += g ? 2u : 1u)
                    for (size_t j = i; j < n; j++)
                        for (size_t k = g; k < n; k += 3) {
                            struct uop op = float_op(UOP_FFMA, formats[f], rounds[r], flags[g]);
                            check_arithmetic(&op, v[i], v[j], v[k]);
                        }
    }
}

/* Operands whose exponents are near, so that cancellation, halves and sticky bits decide; drawn, always the same. */
static void drawn_operands_with_near_exponents(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t f = 0; f < 4; f++) {
        unsigned type = formats[f], m = mantissa(type), bits = uop_type_bits((enum uop_type)type);
        uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        for (unsigned i = 0; i < 40000; i++) {
            uint64_t a = drawn(&seed) & all, b = drawn(&seed) & all, c = drawn(&seed) & all;
            if (i & 1) /* few bits: exact halves are likely */
                a &= ~((UINT64_C(1) << (m / 2)) - 1);
            uint64_t near = (a & ~((UINT64_C(1) << m) - 1)) + ((drawn(&seed) % 5) << m);
            b = i & 2 ? (near | (b & ((UINT64_C(1) << m) - 1))) & all : b;
            struct uop add = float_op(UOP_FADD, type, rounds[i % 4], 0),
                       multiply = float_op(UOP_FMUL, type, rounds[i % 4], 0);
            struct uop fused = float_op(UOP_FFMA, type, rounds[i % 4], i % 7 == 0 ? UOP_FTZ : 0);
            check_arithmetic(&add, a, b, 0);
            check_arithmetic(&multiply, a, b, 0);
            check_arithmetic(&fused, a, b, c);
            /* c near -(a * b): the product rounded, turned round and moved by a unit or two. */
            uint64_t product = reference_arithmetic(&multiply, a, b, 0) ^ UINT64_C(1) << (bits - 1);
            check_arithmetic(&fused, a, b, (product + drawn(&seed) % 3 - 1) & all);
        }
    }
}

static void check_convert(const struct uop *op, uint64_t a)
{
    uint64_t result = 0, expected = reference_convert(op, a);
    assert_true(uop_eval(op, &a, &result));
    if (result != expected)
        fail_msg("%s %s from %llu round %u flags %u: %#llx gives %#llx, not %#llx", uop_kind_text(op->kind),
                 uop_type_text(op->type), (unsigned long long)op->imm, op->round, op->flags, (unsigned long long)a,
                 (unsigned long long)result, (unsigned long long)expected);
}

static void conversions_between_formats(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (size_t from = 0; from < 4; from++)
        for (size_t to = 0; to < 4; to++)
            for (size_t r = 0; r < 4; r++) {
                struct uop op = float_op(UOP_F2F, formats[to], rounds[r], 0);
                op.imm = formats[from];
                unsigned bits = uop_type_bits((enum uop_type)formats[from]);
                for (uint64_t i = 0; i < (bits == 16 ? 65536 : 0); i++)
                    check_convert(&op, i);
                uint64_t v[MAX_VALUES];
                size_t n = special_values(formats[from], v);
                for (size_t i = 0; i < n; i++)
                    for (unsigned flags = 0; flags < 2; flags++) {
                        op.flags = flags ? UOP_FTZ : 0;
                        check_convert(&op, v[i]);
                    }
                op.flags = 0;
                for (unsigned i = 0; bits > 16 && i < 20000; i++) {
                    uint64_t x = drawn(&seed);
                    check_convert(&op, bits == 64 ? x : x & UINT32_MAX);
                }
            }
}

static void roundings_to_integral(void **state)
{
    (void)state;
    static const unsigned five[] = {UOP_RN, UOP_RM, UOP_RP, UOP_RZ, UOP_RA};
    uint64_t seed = 3;
    for (size_t f = 0; f < 4; f++)
        for (size_t r = 0; r < 5; r++) {
            struct uop op = float_op(UOP_FROUND, formats[f], five[r], 0);
            unsigned bits = uop_type_bits((enum uop_type)formats[f]);
            for (uint64_t i = 0; bits == 16 && i < 65536; i++)
                check_convert(&op, i);
            uint64_t v[MAX_VALUES];
            size_t n = special_values(formats[f], v);
            for (size_t i = 0; i < n; i++)
                check_convert(&op, v[i]);
            for (unsigned i = 0; bits > 16 && i < 5000; i++) {
                /* exponents around the integers */
                uint64_t x = drawn(&seed);
                unsigned m = mantissa(formats[f]);
                uint64_t bias = formats[f] == UOP_F64 ? 1020 : 124;
                x = (x & ((UINT64_C(1) << m) - 1)) | (bias + drawn(&seed) % (m + 6)) << m | (x >> 63) << (bits - 1);
                check_convert(&op, x);
            }
        }
}

static void integers_to_floats(void **state)
{
    (void)state;
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     0x7fffffff,
                                     0x80000000,
                                     0x80000001,
                                     0xffffffff,
                                     0x1000001,
                                     0x1000003,
                                     0x7fffff7f,
                                     0x7fffffc0,
                                     UINT64_C(0x7fffffffffffffff),
                                     UINT64_C(0x8000000000000000),
                                     UINT64_C(0xffffffffffffffff),
                                     UINT64_C(0x20000000000001),
                                     UINT64_C(0x20000000000003)};
    uint64_t seed = 4;
    for (size_t f = 0; f < 4; f++)
        for (size_t r = 0; r < 4; r++)
            for (unsigned form = 0; form < 4; form++) {
                struct uop op = float_op(UOP_I2F, formats[f], rounds[r], form & 1 ? UOP_SIGNED : 0);
                op.imm = form & 2 ? 64 : 32;
                for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
                    check_convert(&op, op.imm == 64 ? edges[i] : edges[i] & UINT32_MAX);
                for (unsigned i = 0; i < 2000; i++) {
                    uint64_t x = drawn(&seed) >> (drawn(&seed) % 64);
                    check_convert(&op, op.imm == 64 ? x : x & UINT32_MAX);
                }
            }
}

/* Float to integer, written the long way round: through the integral float, which its own test covers. */
static void floats_to_integers(void **state)
{
    (void)state;
    static const unsigned types[] = {UOP_B8, UOP_B16, UOP_B32, UOP_B64};
    uint64_t seed = 5;
    for (size_t f = 0; f < 4; f++)
        for (size_t t = 0; t < 4; t++)
            for (unsigned form = 0; form < 16; form++) {
                unsigned width = uop_type_bits((enum uop_type)types[t]),
                         bits = uop_type_bits((enum uop_type)formats[f]);
                struct uop op = float_op(UOP_F2I, types[t], rounds[form & 3],
                                         (form & 4 ? UOP_SIGNED : 0u) | (form & 8 ? UOP_NAN : 0u));
                op.imm = formats[f];
                uint64_t v[MAX_VALUES + 200];
                size_t n = special_values(formats[f], v);
                for (unsigned i = 0; i < 200; i++) {
                    unsigned m = mantissa(formats[f]);
                    uint64_t x = drawn(&seed), bias = formats[f] == UOP_F64 ? 1020 : formats[f] == UOP_F16 ? 12 : 124;
                    uint64_t span = formats[f] == UOP_F16 ? 18 : 70;
                    v[n++] =
                        (x & ((UINT64_C(1) << m) - 1)) | (bias + drawn(&seed) % span) << m | (x >> 63) << (bits - 1);
                }
                for (size_t i = 0; i < n; i++) {
                    uint64_t result = 0, expected;
                    assert_true(uop_eval(&op, &v[i], &result));
                    if (reference_is_nan(formats[f], v[i])) {
                        expected = form & 8 ? UINT64_C(1) << (width - 1) : 0;
                    } else {
                        struct uop integral = float_op(UOP_FROUND, formats[f], op.round, 0),
                                   widen = float_op(UOP_F2F, UOP_F64, UOP_RN, 0);
                        widen.imm = formats[f];
                        uint64_t whole = reference_convert(&integral, v[i]);
                        uint64_t d = formats[f] == UOP_F64 ? whole : reference_convert(&widen, whole);
                        double x;
                        memcpy(&x, &d, sizeof x);
                        double limit = 1;
                        for (unsigned k = 0; k < width - (form & 4 ? 1 : 0); k++)
                            limit *= 2;
                        uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
                        if (form & 4)
                            expected = x >= limit   ? mask >> 1
                                       : x < -limit ? UINT64_C(1) << (width - 1)
                                                    : (uint64_t)(int64_t)x & mask;
                        else
                            expected = x >= limit ? mask : x <= 0 ? 0 : (uint64_t)x;
                    }
                    if (result != expected)
                        fail_msg("f2i %s to %u bits form %u: %#llx gives %#llx, not %#llx",
                                 uop_type_text((enum uop_type)formats[f]), width, form, (unsigned long long)v[i],
                                 (unsigned long long)result, (unsigned long long)expected);
                }
            }
}

static double as_double(unsigned type, uint64_t bits, bool ftz)
{
    struct uop flush = float_op(UOP_FADD, type, UOP_RN, ftz ? UOP_FTZ : 0),
               widen = float_op(UOP_F2F, UOP_F64, UOP_RN, 0);
    uint64_t sign = UINT64_C(1) << (uop_type_bits((enum uop_type)type) - 1);
    if (ftz && !reference_is_nan(type, bits))
        bits = reference_arithmetic(&flush, bits, sign, 0) | (bits & sign);
    widen.imm = type;
    uint64_t d = type == UOP_F64 ? bits : reference_convert(&widen, bits);
    double x;
    memcpy(&x, &d, sizeof x);
    return x;
}

static void compares_and_extremes(void **state)
{
    (void)state;
    for (size_t f = 0; f < 4; f++) {
        unsigned type = formats[f];
        uint64_t v[MAX_VALUES], nan = type == UOP_F32   ? 0x7fffffff
                                      : type == UOP_F64 ? UINT64_C(0xfff8000000000000)
                                                        : 0x7fff;
        uint64_t sign = UINT64_C(1) << (uop_type_bits((enum uop_type)type) - 1);
        size_t n = special_values(type, v);
        for (unsigned ftz = 0; ftz < 2; ftz++)
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                    uint64_t args[] = {v[i], v[j]}, r;
                    double x = as_double(type, v[i], ftz), y = as_double(type, v[j], ftz);
                    bool unordered = x != x || y != y;
                    const struct {
                        unsigned kind;
                        bool expected;
                    } rows[] = {{UOP_FLT, x < y},
                                {UOP_FLE, x <= y},
                                {UOP_FEQ, x == y},
                                {UOP_FNE, !unordered && x != y},
                                {UOP_FNUM, !unordered}};
                    for (size_t k = 0; k < 5; k++) {
                        struct uop op = float_op(rows[k].kind, type, UOP_RN, ftz ? UOP_FTZ : 0);
                        assert_true(uop_eval(&op, args, &r));
                        assert_int_equal(r, rows[k].expected);
                    }
                    for (unsigned form = 0; form < 4; form++) {
                        bool maximum = form & 1, propagate = form & 2;
                        struct uop op = float_op(maximum ? UOP_FMAX : UOP_FMIN, type, UOP_RN,
                                                 (ftz ? UOP_FTZ : 0u) | (propagate ? UOP_NAN : 0u));
                        assert_true(uop_eval(&op, args, &r));
                        if (unordered && (propagate || (x != x && y != y))) {
                            assert_true(r == nan);
                            continue;
                        }
                        bool first;
                        if (unordered)
                            first = y != y;
                        else if (x == y) /* zeros: the negative one is less */
                            first = maximum ? !(v[i] & sign) : (v[i] & sign) != 0;
                        else
                            first = maximum ? x > y : x < y;
                        double got = as_double(type, r, false), want = first ? x : y;
                        assert_true(got == want);
                        assert_true((r & sign) == ((first ? v[i] : v[j]) & sign));
                    }
                }
    }
}

static void magnitude_extremes_carry_the_xor_of_the_signs(void **state)
{
    (void)state;
    struct uop op = float_op(UOP_FMAX, UOP_F32, UOP_RN, UOP_XORSIGN);
    const uint64_t rows[][3] = {{0x3f800000, 0x40000000, 0x40000000},
                                {0xbf800000, 0x40000000, 0xc0000000},
                                {0xbf800000, 0xc0000000, 0x40000000},
                                {0x40400000, 0x80000000, 0xc0400000},
                                {0x7fc00000, 0xbf800000, 0xbf800000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t r;
        assert_true(uop_eval(&op, rows[i], &r));
        assert_int_equal(r, rows[i][2]);
    }
}

static uint64_t eval3(unsigned kind, unsigned type, uint64_t imm, unsigned flags, uint64_t a, uint64_t b, uint64_t c)
{
    struct uop op = {.kind = (uint8_t)kind, .type = (uint8_t)type, .flags = (uint8_t)flags, .imm = imm};
    uint64_t args[] = {a, b, c}, r = 0;
    assert_true(uop_eval(&op, args, &r));
    return r;
}

static const uint32_t words[] = {0,          1,          2,          3,          7,          31,         32,
                                 33,         63,         64,         0x7f,       0x80,       0xff,       0x100,
                                 0x7fff,     0x8000,     0xffff,     0x10000,    0x12345678, 0x7ffffffe, 0x7fffffff,
                                 0x80000000, 0x80000001, 0xcafef00d, 0xfffffffe, 0xffffffff};
enum { WORDS = sizeof words / sizeof *words };

static void integers_of_32_bits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WORDS; i++)
        for (unsigned j = 0; j < WORDS; j++) {
            uint32_t a = words[i], b = words[j];
            int32_t sa = (int32_t)a, sb = (int32_t)b;
            assert_int_equal(eval3(UOP_ADD, UOP_B32, 0, 0, a, b, 0), (uint32_t)(a + b));
            assert_int_equal(eval3(UOP_ADDC, UOP_B32, 0, 0, a, b, 1), (uint32_t)(a + b + 1));
            assert_int_equal(eval3(UOP_CARRY, UOP_B1, 32, 0, a, b, 0), (uint64_t)a + b > UINT32_MAX);
            assert_int_equal(eval3(UOP_CARRY, UOP_B1, 32, 0, a, b, 1), (uint64_t)a + b + 1 > UINT32_MAX);
            assert_int_equal(eval3(UOP_MUL, UOP_B32, 0, 0, a, b, 0), (uint32_t)(a * b));
            assert_int_equal(eval3(UOP_MULHI_U, UOP_B32, 0, 0, a, b, 0), (uint32_t)((uint64_t)a * b >> 32));
            assert_int_equal(eval3(UOP_MULHI_S, UOP_B32, 0, 0, a, b, 0),
                             (uint32_t)((uint64_t)((int64_t)sa * sb) >> 32));
            assert_int_equal(eval3(UOP_AND, UOP_B32, 0, 0, a, b, 0), a & b);
            assert_int_equal(eval3(UOP_OR, UOP_B32, 0, 0, a, b, 0), a | b);
            assert_int_equal(eval3(UOP_XOR, UOP_B32, 0, 0, a, b, 0), a ^ b);
            assert_int_equal(eval3(UOP_SHL, UOP_B32, 0, 0, a, b, 0), b >= 32 ? 0 : (uint32_t)(a << b));
            assert_int_equal(eval3(UOP_SHR, UOP_B32, 0, 0, a, b, 0), b >= 32 ? 0 : a >> b);
            assert_int_equal(eval3(UOP_SAR, UOP_B32, 0, 0, a, b, 0), (uint32_t)(sa >> (b >= 32 ? 31 : b)));
            assert_int_equal(eval3(UOP_MIN_S, UOP_B32, 0, 0, a, b, 0), sa < sb ? a : b);
            assert_int_equal(eval3(UOP_MAX_S, UOP_B32, 0, 0, a, b, 0), sa < sb ? b : a);
            assert_int_equal(eval3(UOP_MIN_U, UOP_B32, 0, 0, a, b, 0), a < b ? a : b);
            assert_int_equal(eval3(UOP_MAX_U, UOP_B32, 0, 0, a, b, 0), a < b ? b : a);
            assert_int_equal(eval3(UOP_IEQ, UOP_B1, 32, 0, a, b, 0), a == b);
            assert_int_equal(eval3(UOP_ILT_S, UOP_B1, 32, 0, a, b, 0), sa < sb);
            assert_int_equal(eval3(UOP_ILT_U, UOP_B1, 32, 0, a, b, 0), a < b);
            uint64_t pair = eval3(UOP_PAIR, UOP_B64, 0, 0, a, b, 0);
            assert_true(pair == ((uint64_t)b << 32 | a));
            assert_int_equal(eval3(UOP_LO, UOP_B32, 0, 0, pair, 0, 0), a);
            assert_int_equal(eval3(UOP_HI, UOP_B32, 0, 0, pair, 0, 0), b);
            assert_int_equal(eval3(UOP_SAD, UOP_B32, 0, UOP_SIGNED, a, b, 5),
                             (uint32_t)((sa > sb ? a - b : b - a) + 5));
            assert_int_equal(eval3(UOP_SAD, UOP_B32, 0, 0, a, b, 5), (uint32_t)((a > b ? a - b : b - a) + 5));
            assert_int_equal(eval3(UOP_SELECT, UOP_B32, 0, 0, 1, a, b), a);
            assert_int_equal(eval3(UOP_SELECT, UOP_B32, 0, 0, 0, a, b), b);
            uint32_t mask = 0;
            for (unsigned k = 0; k < 32; k++)
                if (k >= a && k - a < b)
                    mask |= UINT32_C(1) << k;
            assert_int_equal(eval3(UOP_BMSK, UOP_B32, 0, 0, a, b, 0), mask);
            for (unsigned table = 0; table < 256; table++) {
                uint32_t c = words[(i + j + table) % WORDS], expected = 0;
                for (unsigned k = 0; k < 32; k++)
                    expected |= (table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
                assert_int_equal(eval3(UOP_LOP3, UOP_B32, table, 0, a, b, c), expected);
            }
        }
}

static void one_word(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WORDS; i++) {
        uint32_t a = words[i], reversed = 0, ones = 0;
        int32_t highest = -1, highest_signed = -1;
        for (int k = 0; k < 32; k++) {
            if (a >> k & 1) {
                ones++;
                reversed |= UINT32_C(1) << (31 - k);
                highest = k;
            }
            if ((a >> k & 1) != a >> 31)
                highest_signed = k;
        }
        assert_int_equal(eval3(UOP_POPC, UOP_B32, 0, 0, a, 0, 0), ones);
        assert_int_equal(eval3(UOP_BREV, UOP_B32, 0, 0, a, 0, 0), reversed);
        assert_int_equal(eval3(UOP_FLO, UOP_B32, 0, 0, a, 0, 0), (uint32_t)highest);
        assert_int_equal(eval3(UOP_FLO, UOP_B32, 1, 0, a, 0, 0), (uint32_t)(highest < 0 ? -1 : 31 - highest));
        assert_int_equal(eval3(UOP_FLO, UOP_B32, 0, UOP_SIGNED, a, 0, 0), (uint32_t)highest_signed);
        assert_int_equal(eval3(UOP_ABS, UOP_B32, 0, 0, a, 0, 0), a >> 31 ? (uint32_t)(0 - a) : a);
        assert_int_equal(eval3(UOP_NEG, UOP_B32, 0, 0, a, 0, 0), (uint32_t)(0 - a));
        assert_int_equal(eval3(UOP_NOT, UOP_B32, 0, 0, a, 0, 0), (uint32_t)~a);
        assert_int_equal(eval3(UOP_NOT, UOP_B1, 0, 0, a & 1, 0, 0), !(a & 1));
        assert_true(eval3(UOP_SEXT, UOP_B64, 32, 0, a, 0, 0) == (uint64_t)(int64_t)(int32_t)a);
        assert_true(eval3(UOP_ZEXT, UOP_B64, 32, 0, a, 0, 0) == a);
        assert_int_equal(eval3(UOP_SEXT, UOP_B32, 8, 0, a, 0, 0), (uint32_t)(int8_t)a);
        assert_int_equal(eval3(UOP_ZEXT, UOP_B32, 16, 0, a, 0, 0), a & 0xffff);
        for (unsigned start = 0; start < 40; start += 3)
            for (unsigned length = 0; length < 40; length += 3) {
                int64_t wide = (int32_t)a;
                int64_t moved = start > 40 ? 0 : wide >> start;
                uint64_t logical = (uint64_t)a >> start;
                uint32_t is_signed = length == 0 ? 0
                                     : length >= 32
                                         ? (uint32_t)moved
                                         : (uint32_t)((int64_t)((uint64_t)moved << (64 - length)) >> (64 - length));
                uint32_t is_unsigned =
                    length >= 32 ? (uint32_t)logical : (uint32_t)(logical & ((UINT64_C(1) << length) - 1));
                assert_int_equal(eval3(UOP_BFE, UOP_B32, 0, UOP_SIGNED, a, start, length), is_signed);
                assert_int_equal(eval3(UOP_BFE, UOP_B32, 0, 0, a, start, length), is_unsigned);
            }
    }
}

static void integers_of_64_bits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WORDS; i++)
        for (unsigned j = 0; j < WORDS; j++) {
            uint64_t a = (uint64_t)words[i] << 32 | words[j], b = (uint64_t)words[j] << 32 | words[(i * 7 + 3) % WORDS];
            int64_t sa = (int64_t)a, sb = (int64_t)b;
            assert_true(eval3(UOP_ADD, UOP_B64, 0, 0, a, b, 0) == a + b);
            assert_true(eval3(UOP_ADDC, UOP_B64, 0, 0, a, b, 1) == a + b + 1);
            assert_true(eval3(UOP_CARRY, UOP_B1, 64, 0, a, b, 0) == (a + b < a));
            assert_true(eval3(UOP_MUL, UOP_B64, 0, 0, a, b, 0) == a * b);
            for (unsigned k = 0; k < WORDS; k++) {
                uint32_t n = words[k];
                assert_true(eval3(UOP_SHL, UOP_B64, 0, 0, a, n, 0) == (n >= 64 ? 0 : a << n));
                assert_true(eval3(UOP_SHR, UOP_B64, 0, 0, a, n, 0) == (n >= 64 ? 0 : a >> n));
                assert_true(eval3(UOP_SAR, UOP_B64, 0, 0, a, n, 0) == (uint64_t)(sa >> (n >= 64 ? 63 : n)));
            }
            assert_true(eval3(UOP_ILT_S, UOP_B1, 64, 0, a, b, 0) == (sa < sb));
            assert_true(eval3(UOP_ILT_U, UOP_B1, 64, 0, a, b, 0) == (a < b));
            assert_true(eval3(UOP_MAX_S, UOP_B64, 0, 0, a, b, 0) == (sa > sb ? a : b));
        }
}

static void byte_permutations_and_dot_products(void **state)
{
    (void)state;
    assert_int_equal(eval3(UOP_PRMT, UOP_B32, 0, 0, 0x33221100, 0x5410, 0x77665544), 0x55441100);
    assert_int_equal(eval3(UOP_PRMT, UOP_B32, 0, 0, 0x33221100, 0x7632, 0x77665544), 0x77663322);
    assert_int_equal(eval3(UOP_PRMT, UOP_B32, 0, 0, 0x33221100, 0x0123, 0), 0x00112233);
    assert_int_equal(eval3(UOP_PRMT, UOP_B32, 0, 0, 0x00000080, 0x8880, 0), 0xffffff80);
    assert_int_equal(eval3(UOP_PRMT, UOP_B32, 0, 0, 0x00008034, 0x9910, 0), 0xffff8034);
    /* The one-number modes, from the table of the PTX manual. */
    static const uint32_t modes[7][4] = {{0},
                                         {0x33221100, 0x44332211, 0x55443322, 0x66554433},
                                         {0x55667700, 0x66770011, 0x77001122, 0x00112233},
                                         {0x00000000, 0x11111111, 0x22222222, 0x33333333},
                                         {0x33221100, 0x33221111, 0x33222222, 0x33333333},
                                         {0x00000000, 0x11111100, 0x22221100, 0x33221100},
                                         {0x11001100, 0x33223322, 0x11001100, 0x33223322}};
    for (unsigned mode = 1; mode < 7; mode++)
        for (unsigned s = 0; s < 4; s++)
            assert_int_equal(eval3(UOP_PRMT, UOP_B32, mode, 0, 0x33221100, s, 0x77665544), modes[mode][s]);
    assert_int_equal(eval3(UOP_DP4A, UOP_B32, 0, 0, 0x01020304, 0xff010203, 10), 1 * 255 + 2 * 1 + 3 * 2 + 4 * 3 + 10);
    assert_int_equal(eval3(UOP_DP4A, UOP_B32, 3, 0, 0xff020304, 0xff010203, 10), 1 + 2 + 6 + 12 + 10);
    assert_int_equal(eval3(UOP_DP4A, UOP_B32, 1 << 2 | 3, 0, 0xffff0002, 0x0403fe02, 0), (uint32_t)(2 * 2 + -1 * -2));
    assert_int_equal(eval3(UOP_DP4A, UOP_B32, 2 << 2 | 3, 0, 0xffff0002, 0x0403fe02, 0), (uint32_t)(2 * 3 + -1 * 4));
}

/* ---- what a GPU computed: test/golden/uop/sm_90.tsv ---------------------------------------------------------- */

static unsigned kind_named(const char *text)
{
    for (unsigned k = 0; k < UOP_KIND_COUNT; k++)
        if (strcmp(uop_kind_text((enum uop_kind)k), text) == 0)
            return k;
    fail_msg("no kind is called %s", text);
    return 0;
}

static unsigned type_named(const char *text)
{
    for (unsigned t = UOP_B1; t <= UOP_F64; t++)
        if (strcmp(uop_type_text((enum uop_type)t), text) == 0)
            return t;
    fail_msg("no type is called %s", text);
    return 0;
}

static unsigned flags_named(char *text)
{
    static const struct {
        const char *name;
        unsigned flag;
    } rows[] = {{"ftz", UOP_FTZ},       {"sat", UOP_SAT},         {"nan", UOP_NAN},  {"fmz", UOP_FMZ},
                {"signed", UOP_SIGNED}, {"xorsign", UOP_XORSIGN}, {"relu", UOP_RELU}};
    unsigned flags = 0;
    char *save = NULL;
    for (char *word = strtok_r(text, ".", &save); word; word = strtok_r(NULL, ".", &save))
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (strcmp(rows[i].name, word) == 0)
                flags |= rows[i].flag;
    return flags;
}

static void results_of_the_hardware(void **state)
{
    (void)state;
    static const char *const round_names[] = {"rn", "rm", "rp", "rz"};
    FILE *f = fopen(SP_SOURCE_DIR "/test/golden/uop/sm_90.tsv", "r");
    char line[512];
    unsigned count = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *field[10], *save = NULL;
        unsigned n = 0;
        if (*line == '#')
            continue;
        line[strcspn(line, "\n")] = 0;
        for (char *w = strtok_r(line, "\t", &save); w && n < 10; w = strtok_r(NULL, "\t", &save))
            field[n++] = w;
        assert_true(n >= 7);
        struct uop op = float_op(kind_named(field[0]), type_named(field[1]), 0, flags_named(field[3]));
        while (strcmp(round_names[op.round], field[2]) != 0)
            op.round++;
        op.imm = field[4][0] == 'f' || field[4][0] == 'b' ? type_named(field[4]) : strtoul(field[4], NULL, 10);
        uint64_t args[UOP_MAX_ARGS] = {0}, result = 0, expected = strtoull(field[n - 1], NULL, 16);
        assert_int_equal(n - 6, uop_kind_args((enum uop_kind)op.kind));
        for (unsigned i = 5; i + 1 < n; i++)
            args[i - 5] = strtoull(field[i], NULL, 16);
        assert_true(uop_eval(&op, args, &result));
        if (result != expected)
            fail_msg("%s %s round %u flags %u imm %llu: %#llx %#llx %#llx gives %#llx, the GPU %#llx", field[0],
                     field[1], op.round, op.flags, (unsigned long long)op.imm, (unsigned long long)args[0],
                     (unsigned long long)args[1], (unsigned long long)args[2], (unsigned long long)result,
                     (unsigned long long)expected);
        count++;
    }
    fclose(f);
    assert_true(count > 4000);
}

static void kinds_agree_with_their_table(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned args;
        char class;
    } rows[] = {
#define ROW(name, args, class, text) {#name, args, #class[0]},
        UOP_KINDS(ROW)
#undef ROW
    };
    for (unsigned k = 0; k < UOP_KIND_COUNT; k++) {
        const char *text = uop_kind_text((enum uop_kind)k);
        assert_int_equal(strlen(text), strlen(rows[k].name));
        for (size_t i = 0; text[i]; i++)
            assert_int_equal(text[i],
                             rows[k].name[i] >= 'A' && rows[k].name[i] <= 'Z' ? rows[k].name[i] + 32 : rows[k].name[i]);
        assert_int_equal(uop_kind_args((enum uop_kind)k), rows[k].args);
        assert_int_equal(uop_is_pure((enum uop_kind)k), rows[k].class != 'E');
        /* What is no function of its arguments, or only approximated, has no value here. */
        uint64_t args[5] = {0}, r;
        struct uop op = {.kind = (uint8_t)k, .type = UOP_F32, .imm = 32};
        if (rows[k].class != 'P')
            assert_false(uop_eval(&op, args, &r));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_of_special_values),
        cmocka_unit_test(fused_multiply_adds_of_special_values),
        cmocka_unit_test(drawn_operands_with_near_exponents),
        cmocka_unit_test(conversions_between_formats),
        cmocka_unit_test(roundings_to_integral),
        cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(floats_to_integers),
        cmocka_unit_test(compares_and_extremes),
        cmocka_unit_test(magnitude_extremes_carry_the_xor_of_the_signs),
        cmocka_unit_test(integers_of_32_bits),
        cmocka_unit_test(one_word),
        cmocka_unit_test(integers_of_64_bits),
        cmocka_unit_test(byte_permutations_and_dot_products),
        cmocka_unit_test(results_of_the_hardware),
        cmocka_unit_test(kinds_agree_with_their_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
