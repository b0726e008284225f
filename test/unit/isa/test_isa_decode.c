/* Words picked by hand (compiled kernels and probed encodings, text by nvdisasm 13.5.37), and the edges of the
 * interface: unknown words, output sizes, labels, control text, names. */
#include "isa/isa_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct isa_insn decoded(unsigned sm, uint64_t hi, uint64_t lo, uint32_t offset)
{
    struct isa_insn insn;
    struct bits128 word = {.lo = lo, .hi = hi};
    if (isa_decode(sm, word, offset, &insn) != SP_OK)
        fail_msg("sm_%u does not know 0x%016llx 0x%016llx", sm, (unsigned long long)hi, (unsigned long long)lo);
    return insn;
}

static void check_text(unsigned sm, uint64_t hi, uint64_t lo, uint32_t offset, const char *expected)
{
    struct isa_insn insn = decoded(sm, hi, lo, offset);
    char text[256];
    size_t n = isa_print(sm, &insn, NULL, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(n, strlen(expected));
}

static void test_clamp_kernel(void **state)
{
    (void)state;
    /* clamp_f32 for sm_86, nvcc 13.0 -O3 --use_fast_math */
    check_text(86, 0x000fe40000000f00, 0x00000a0000017a02, 0x00, "MOV R1, c[0x0][0x28]");
    check_text(86, 0x000e280000002500, 0x0000000000047919, 0x10, "S2R R4, SR_CTAID.X");
    check_text(86, 0x001fca00078e0203, 0x0000000004047a24, 0x30, "IMAD R4, R4, c[0x0][0x0], R3");
    check_text(86, 0x000fda0003f06270, 0x00005c0004007a0c, 0x40, "ISETP.GE.AND P0, PT, R4, c[0x0][0x170], PT");
    check_text(86, 0x000fea0003800000, 0x000000000000094d, 0x50, "@P0 EXIT");
    check_text(86, 0x000fc80000000a00, 0x0000460000047ab9, 0x70, "ULDC.64 UR4, c[0x0][0x118]");
    check_text(86, 0x000fcc00078e0205, 0x0000580004027625, 0x80, "IMAD.WIDE R2, R4, R5, c[0x0][0x160]");
    check_text(86, 0x000ea2000c1e9900, 0x0000000402037981, 0x90, "LDG.E.CONSTANT R3, [R2.64]");
    check_text(86, 0x004fe2000c101904, 0x0000000304007986, 0xb0, "STG.E [R4.64], R3");
    check_text(86, 0x000fc0000383ffff, 0xfffffff000007947, 0xd0, "BRA 0xd0");
}

static void test_structure(void **state)
{
    (void)state;
    struct isa_insn insn = decoded(86, 0x000ea2000c1e9900, 0x0000000402037981, 0x90);
    assert_int_equal(insn.op, ISA_OP_LDG);
    assert_true(isa_has_mod(&insn, ISA_MOD_E));
    assert_true(isa_has_mod(&insn, ISA_MOD_CONSTANT));
    assert_int_equal(insn.operand_count, 2);
    assert_int_equal(insn.operands[0].kind, ISA_OPERAND_REG);
    assert_int_equal(insn.operands[0].reg, 3);
    assert_int_equal(insn.operands[1].kind, ISA_OPERAND_MEM);
    assert_int_equal(insn.operands[1].base, 2);
    assert_true(isa_operand_has_mod(&insn.operands[1], ISA_MOD_64));
    assert_int_equal(insn.operands[1].desc, 4); /* not in the text, but in the bits */
    assert_int_equal(insn.operands[1].value, 0);
    assert_int_equal(insn.guard, ISA_PT);

    insn = decoded(86, 0x000fda0003f06270, 0x00005c0004007a0c, 0x40);
    assert_int_equal(insn.operands[3].kind, ISA_OPERAND_CONST);
    assert_int_equal(insn.operands[3].bank, 0);
    assert_int_equal(insn.operands[3].value, 0x170);
    assert_int_equal(insn.operands[1].reg, ISA_PT);

    insn = decoded(86, 0x000fc0000383ffff, 0xfffffff000007947, 0xd0);
    assert_int_equal(insn.operands[0].kind, ISA_OPERAND_LABEL);
    assert_int_equal(insn.operands[0].value, 0xd0);
}

static void test_reuse_needs_bit_109(void **state)
{
    (void)state;
    const uint64_t slots = UINT64_C(3) << 58;
    check_text(86, 0x000fe400078e0207 | slots, 0x0000580006027625, 0,
               "IMAD.WIDE R2, R6.reuse, R7.reuse, c[0x0][0x160]");
    check_text(86, 0x000fc400078e0207 | slots, 0x0000580006027625, 0, "IMAD.WIDE R2, R6, R7, c[0x0][0x160]");
}

static void test_floats(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        const char *text;
    } cases[] = {
        {0x3f800000, "1"},
        {0x3dcccccd, "0.10000000149011611938"},
        {0x4e6e6b28, "1.00000000000000000000e+09"},
        {0x4e6e6b27, "999999936"},
        {0x00000001, "1.4012984643248170709e-45"},
        {0x00000000, "0"},
        {0x80000000, "-0.0"},
        {0x7f800000, "+INF"},
        {0xff800000, "-INF"},
        {0x7fc00000, "+QNAN"},
        {0xff800001, "-SNAN"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "FADD R5, R6, %s", cases[i].text);
        check_text(86, 0x000fca0000000000, (uint64_t)cases[i].bits << 32 | 0x06057421, 0, expected);
    }
}

/* Constants are spelled as printf spells the number, a hundred thousand of them: all magnitudes, and few bits. */
static void test_floats_as_printf(void **state)
{
    (void)state;
    uint32_t random = 12345;
    for (unsigned i = 0; i < 120000; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t bits = random ^ random >> 13;
        if (i % 3 == 0)
            bits &= 0xfff00000;
        if (i % 4 == 0) /* exponents near 1, where constants are */
            bits = (bits & 0x83ffffff) | 0x3c000000;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (value == 0 || value - value != 0)
            continue;
        char expected[96];
        bool large = value >= 1e9F || value <= -1e9F;
        snprintf(expected, sizeof expected, large ? "FADD R5, R6, %.20e" : "FADD R5, R6, %.20g", (double)value);
        check_text(86, 0x000fca0000000000, (uint64_t)bits << 32 | 0x06057421, 0, expected);
    }
}

/* Straight to text is the same text, for words that mean something and words that do not. */
static void test_print_word(void **state)
{
    (void)state;
    size_t count;
    const unsigned *archs = isa_archs(&count);
    uint64_t random = 88172645463325252;
    for (unsigned i = 0; i < 400000; i++) {
        struct bits128 word;
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        word.lo = random;
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        word.hi = random;
        if (i % 2) /* a guard and fields as code has them */
            word.hi &= 0x03ffffff0003ffff, word.lo = (word.lo & ~UINT64_C(0xf000)) | 0x7000;
        char both[512], straight[512];
        struct isa_insn insn;
        unsigned sm = archs[i % count];
        isa_decode(sm, word, 16 * i, &insn);
        size_t n = isa_print(sm, &insn, NULL, both, sizeof both);
        assert_int_equal(isa_print_word(sm, word, 16 * i, NULL, straight, sizeof straight), n);
        assert_string_equal(straight, both);
        /* Twice, with other scheduling: made, and remembered. */
        static struct isa_cache cache;
        char kept[ISA_TEXT_ROOM];
        for (unsigned again = 0; again < 2; again++) {
            assert_int_equal(isa_print_cached(&cache, sm, word, 16 * i, NULL, kept), n);
            assert_memory_equal(kept, both, n);
            word.hi ^= insn.op == ISA_OP_UNKNOWN ? 0 : UINT64_C(0x03ffde0000000000); /* bits are shown of the unknown */
        }
    }
}

static void test_unknown_word(void **state)
{
    (void)state;
    struct isa_insn insn;
    struct bits128 word = {.lo = 0x0000000000000fff, .hi = 0x000fea0003800000};
    assert_int_equal(isa_decode(86, word, 0x120, &insn), SP_ERR_ENCODING);
    assert_int_equal(insn.op, ISA_OP_UNKNOWN);
    assert_int_equal(insn.offset, 0x120);
    assert_int_equal(insn.control.stall, 5);
    char text[96];
    isa_print(86, &insn, NULL, text, sizeof text);
    assert_string_equal(text, "UNKNOWN 0x000fea0003800000,0x0000000000000fff");
    assert_int_equal(isa_decode(52, word, 0, &insn), SP_ERR_ARCH);
    assert_false(isa_arch_known(52));
    assert_true(isa_arch_known(120));
}

static void test_every_size(void **state)
{
    (void)state;
    struct isa_insn insn = decoded(86, 0x000fda0003f06270, 0x00005c0004007a0c, 0);
    char whole[128], part[128];
    size_t n = isa_print(86, &insn, NULL, whole, sizeof whole);
    for (size_t size = 0; size <= n + 1; size++) {
        memset(part, '#', sizeof part);
        assert_int_equal(isa_print(86, &insn, NULL, part, size), n);
        if (size > 0) {
            assert_int_equal(strlen(part), size - 1 < n ? size - 1 : n);
            assert_memory_equal(part, whole, strlen(part));
        }
        assert_int_equal(part[size], '#');
    }
}

static bool name_target(void *user, uint32_t target, char out[96])
{
    (void)user;
    snprintf(out, 96, ".L_x_%u", target / 16);
    return true;
}

static void test_labels_and_renaming(void **state)
{
    (void)state;
    struct isa_insn insn = decoded(86, 0x000fc0000383ffff, 0xfffffff000007947, 0xd0);
    struct isa_print_options options = {.dialect = ISA_DIALECT_NVDISASM, .label = name_target};
    char text[128];
    isa_print(86, &insn, &options, text, sizeof text);
    assert_string_equal(text, "BRA `(.L_x_13)");
    options.dialect = ISA_DIALECT_CUOBJDUMP;
    isa_print(86, &insn, &options, text, sizeof text);
    assert_string_equal(text, "BRA 0xd0");
}

/* Reads the control text back: every field must be in it. */
static void test_control_round_trip(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 4096; seed++) {
        unsigned r = seed * 2654435761u;
        struct isa_control c = {.stall = r & 15,
                                .yield = r >> 4 & 1,
                                .write_barrier = (uint8_t)(r >> 5 & 7),
                                .read_barrier = (uint8_t)(r >> 8 & 7),
                                .wait_mask = (uint8_t)(r >> 11 & 63)};
        if (c.write_barrier == 6 || c.read_barrier == 6)
            continue;
        char text[32];
        isa_print_control(&c, text);
        unsigned wait = 0, stall = 0;
        char read = 0, write = 0, yield = 0, mask[7] = "";
        assert_int_equal(sscanf(text, "[B%6[-0-9]:R%c:W%c:%c:S%u]", mask, &read, &write, &yield, &stall), 5);
        for (unsigned i = 0; i < 6; i++)
            wait |= (mask[i] != '-') << i;
        assert_int_equal(wait, c.wait_mask);
        assert_int_equal(stall, c.stall);
        assert_int_equal(yield == 'Y', c.yield);
        assert_int_equal(read == '-' ? 7 : read - '0', c.read_barrier);
        assert_int_equal(write == '-' ? 7 : write - '0', c.write_barrier);
    }
    struct isa_control c = {.stall = 4, .write_barrier = 0, .read_barrier = 7, .wait_mask = 1 << 2};
    char text[32];
    isa_print_control(&c, text);
    assert_string_equal(text, "[B--2---:R-:W0:-:S04]");
}

static void test_names(void **state)
{
    (void)state;
    for (unsigned i = 1; i < ISA_OP_COUNT; i++)
        assert_int_equal(isa_op_find(isa_op_text((enum isa_op)i)), i);
    for (unsigned i = 1; i < ISA_MOD_COUNT; i++)
        assert_int_equal(isa_mod_find(isa_mod_text((enum isa_mod)i)), i);
    assert_int_equal(isa_op_find("NOSUCH"), ISA_OP_UNKNOWN);
    assert_int_equal(isa_mod_find("nosuch"), ISA_MOD_NONE);
    assert_int_equal(isa_sreg_find(86, "SR_TID.X"), 33);
    assert_string_equal(isa_sreg_text(86, 37), "SR_CTAID.X");
    assert_int_equal(isa_sreg_find(86, "SR_NOSUCH"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clamp_kernel),
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_reuse_needs_bit_109),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_floats_as_printf),
        cmocka_unit_test(test_print_word),
        cmocka_unit_test(test_unknown_word),
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_labels_and_renaming),
        cmocka_unit_test(test_control_round_trip),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
