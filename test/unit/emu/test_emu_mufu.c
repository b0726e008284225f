/* The special function unit against the H200: checksums over whole octaves of arguments (test/golden/emu/h200_mufu.tsv,
 * made by test/gpu/mufu.py). Here the octaves where a function's cases part; `test_emu_mufu all` takes every one of the
 * 2^32 arguments of every function, minutes. */
#include "emu/emu_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static bool every_octave;

static const struct function {
    const char *name;
    enum uop_kind kind;
    unsigned octaves[3]; /* sign and exponent of the arguments of the short test */
} functions[] = {
    {"ex2", UOP_EX2, {130, 256 + 126, 256 + 133}}, /* fractions, complements, results that would be subnormal */
    {"lg2", UOP_LG2, {126, 127, 200}},             /* on both sides of one */
    {"rcp", UOP_RCP, {127, 253, 0}},               /* results that would be subnormal; subnormal arguments */
    {"rsq", UOP_RSQ, {127, 128, 255}},             /* odd and even exponents; NaNs */
    {"sqrt", UOP_SQRT, {127, 128, 256}},
    {"sin", UOP_SIN, {127, 256 + 124, 150}}, /* all quarters; whole turns only */
    {"cos", UOP_COS, {126, 120, 151}},
    {"tanh", UOP_TANH, {119, 128, 129}},
    {"rcp64h", UOP_RCP64H, {127, 255, 254}},
    {"rsq64h", UOP_RSQ64H, {127, 0, 511}},
};

static bool is_asked(const struct function *f, unsigned octave)
{
    return every_octave || octave == f->octaves[0] || octave == f->octaves[1] || octave == f->octaves[2];
}

static uint64_t checksum(const struct function *f, enum uop_type type, unsigned octave)
{
    bool half = type == UOP_F16 || type == UOP_BF16;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < (half ? UINT32_C(1) << 16 : UINT32_C(1) << 23); i++) {
        uint64_t r;
        assert_true(emu_mufu(90, f->kind, type, octave << 23 | i, &r));
        sum += r * (UINT64_C(2) * i + 1);
    }
    return sum;
}

static void answers_as_the_chip(void **state)
{
    (void)state;
    FILE *file = fopen(SP_SOURCE_DIR "/test/golden/emu/h200_mufu.tsv", "r");
    assert_non_null(file);
    unsigned asked = 0;
    char line[128];
    while (fgets(line, sizeof line, file)) {
        char name[16], format[16];
        unsigned first, last;
        unsigned long long sum;
        if (*line == '#')
            continue;
        if (sscanf(line, "%15s %15s %u..%u %llx", name, format, &first, &last, &sum) != 5) {
            assert_int_equal(sscanf(line, "%15s %15s %u %llx", name, format, &first, &sum), 4);
            last = first;
        }
        enum uop_type type = !strcmp(format, "f16") ? UOP_F16 : !strcmp(format, "bf16") ? UOP_BF16 : UOP_F32;
        const struct function *f = NULL;
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            f = strcmp(functions[i].name, name) ? f : &functions[i];
        assert_non_null(f);
        for (unsigned octave = first; octave <= last; octave++) {
            if (type == UOP_F32 && !is_asked(f, octave))
                continue;
            if (checksum(f, type, octave) != sum)
                fail_msg("%s of %s, octave %u: not what the chip answers", name, format, octave);
            asked++;
        }
    }
    fclose(file);
    assert_int_equal(asked, every_octave ? 10 * 512 + 14 : 10 * 3 + 14);
}

/* What was measured on one architecture is said of no other. */
static void is_assumed_elsewhere(void **state)
{
    (void)state;
    uint64_t r;
    assert_false(emu_mufu(86, UOP_EX2, UOP_F32, 0x3f800000, &r));
    assert_int_equal(r, 0x40000000);
    assert_false(emu_mufu(120, UOP_RCP, UOP_F32, 0x40400000, &r));
}

int main(int argc, char **argv)
{
    every_octave = argc > 1 && !strcmp(argv[1], "all");
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_as_the_chip), cmocka_unit_test(is_assumed_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
