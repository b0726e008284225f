/* The functions of decode.h, as one who embeds the library calls them: what each gives for an instruction of every kind
 * of operand, for bytes that are no instruction, for buffers that are too small; and that text leads back. */
#include "sassprobe/decode.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void put_word(uint8_t code[16], uint64_t lo, uint64_t hi)
{
    for (unsigned i = 0; i < 8; i++) {
        code[i] = (uint8_t)(lo >> 8 * i);
        code[8 + i] = (uint8_t)(hi >> 8 * i);
    }
}

static struct sp_instruction decoded(unsigned sm, uint64_t lo, uint64_t hi, uint32_t offset)
{
    uint8_t code[17];
    struct sp_instruction in;
    put_word(code + 1, lo, hi); /* no alignment is asked for */
    assert_int_equal(sp_decode(sm, code + 1, 16, offset, &in), SP_OK);
    return in;
}

static void assert_text(const struct sp_instruction *in, const char *expected)
{
    char text[SP_TEXT_ROOM];
    assert_int_equal(sp_instruction_text(in, NULL, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
}

static void test_fields(void **state)
{
    (void)state;
    struct sp_instruction in = decoded(86, 0x0000580004027625, 0x000fcc00078e0205, 0x80);
    char control[SP_CONTROL_ROOM];
    assert_text(&in, "IMAD.WIDE R2, R4, R5, c[0x0][0x160]");
    assert_string_equal(sp_opcode_text(in.opcode), "IMAD");
    assert_int_equal(sp_opcode_find("IMAD"), in.opcode);
    assert_int_equal(in.modifier_count, 1);
    assert_string_equal(sp_modifier_text(in.modifiers[0]), "WIDE");
    assert_true(sp_instruction_has_modifier(&in, sp_modifier_find("WIDE")));
    assert_false(sp_instruction_has_modifier(&in, sp_modifier_find("FTZ")));
    assert_int_equal(in.guard, SP_PRED_TRUE);
    assert_int_equal(in.operand_count, 4);
    assert_int_equal(in.operands[0].kind, SP_OPERAND_REG);
    assert_int_equal(in.operands[0].reg, 2);
    assert_int_equal(in.operands[0].base, SP_REG_NONE);
    assert_int_equal(in.operands[3].kind, SP_OPERAND_CONST);
    assert_int_equal(in.operands[3].bank, 0);
    assert_int_equal(in.operands[3].value, 0x160);
    assert_int_equal(in.operands[3].base, SP_REG_NONE);
    assert_int_equal(in.operands[3].reg, SP_REG_NONE);
    assert_true(in.scheduled);
    assert_int_equal(in.control.stall, 6);
    assert_int_equal(in.control.write_barrier, SP_NO_SCOREBOARD);
    sp_control_text(&in.control, control);
    assert_string_equal(control, "[B------:R-:W-:Y:S06]");
}

static bool name_place(void *user, uint32_t target, char name[SP_LABEL_ROOM])
{
    return target == *(uint32_t *)user && snprintf(name, SP_LABEL_ROOM, "loop") > 0;
}

static void test_targets(void **state)
{
    (void)state;
    struct sp_instruction in = decoded(86, 0xfffffff000007947, 0x000fc0000383ffff, 0x110);
    uint32_t place = 0x110;
    struct sp_text_options options = {name_place, &place};
    int64_t target = 0;
    char text[64];
    assert_text(&in, "BRA 0x110");
    assert_true(sp_instruction_target(&in, &target));
    assert_int_equal(target, 0x110);
    sp_instruction_text(&in, &options, text, sizeof text);
    assert_string_equal(text, "BRA `(loop)");
    place = 0;
    sp_instruction_text(&in, &options, text, sizeof text);
    assert_string_equal(text, "BRA 0x110");
    in = decoded(86, 0x0000580004027625, 0x000fcc00078e0205, 0);
    target = -1;
    assert_false(sp_instruction_target(&in, &target));
    assert_int_equal(target, -1);
}

static void test_errors(void **state)
{
    (void)state;
    uint8_t code[16];
    char text[64];
    struct sp_instruction in;
    memset(code, 0xff, sizeof code);
    assert_int_equal(sp_decode(86, code, 16, 0x20, &in), SP_ERR_ENCODING);
    assert_int_equal(in.opcode, SP_OPCODE_UNKNOWN);
    assert_int_equal(in.operand_count, 0);
    assert_text(&in, "UNKNOWN 0xffffffffffffffff,0xffffffffffffffff");
    assert_int_equal(sp_decode(86, code, 15, 0x20, &in), SP_ERR_FORMAT);
    assert_int_equal(in.offset, 0x20);
    assert_int_equal(in.word[0], 0);
    assert_int_equal(sp_decode(86, NULL, 0, 0, &in), SP_ERR_FORMAT);
    assert_int_equal(sp_decode(1, code, 16, 0, &in), SP_ERR_ARCH);
    assert_int_equal(sp_decode(UINT32_MAX, code, 16, 0, &in), SP_ERR_ARCH);
    sp_instruction_text(&in, NULL, text, sizeof text);
    assert_int_equal(sp_instruction_parse(86, "NOSUCH R1", 9, 0, &in), SP_ERR_ENCODING);
    assert_int_equal(in.guard, SP_PRED_TRUE);
    assert_int_equal(sp_instruction_parse(1, "EXIT", 4, 0, &in), SP_ERR_ARCH);
    assert_string_equal(sp_opcode_text(65535), "UNKNOWN");
    assert_string_equal(sp_modifier_text(65535), "");
    assert_int_equal(sp_opcode_find("NOSUCH"), SP_OPCODE_UNKNOWN);
    assert_null(sp_special_register_text(86, 256));
    assert_null(sp_special_register_text(1, 0));
    assert_string_equal(sp_special_register_text(86, 0x21), "SR_TID.X");
}

static void test_small_buffers(void **state)
{
    (void)state;
    struct sp_instruction in = decoded(86, 0x0000580004027625, 0x000fcc00078e0205, 0);
    char whole[SP_TEXT_ROOM], text[64];
    size_t n = sp_instruction_text(&in, NULL, whole, sizeof whole);
    assert_int_equal(sp_instruction_text(&in, NULL, NULL, 0), n);
    for (size_t size = 1; size <= n + 1; size++) {
        memset(text, '#', sizeof text);
        assert_int_equal(sp_instruction_text(&in, NULL, text, size), n);
        assert_int_equal(strlen(text), size - 1);
        assert_memory_equal(text, whole, size - 1);
        assert_int_equal(text[size], '#');
    }
}

static void test_parse(void **state)
{
    (void)state;
    static const char text[] = "  @!P0 LDG.E R2, [R4.64+0x10] ;";
    struct sp_instruction in, again;
    assert_int_equal(sp_instruction_parse(86, text, strlen(text), 0x40, &in), SP_OK);
    assert_text(&in, "@!P0 LDG.E R2, [R4.64+0x10]");
    assert_true(in.guard_not);
    assert_int_equal(in.guard, 0);
    assert_false(in.scheduled);
    assert_int_equal(in.operands[1].kind, SP_OPERAND_MEM);
    assert_int_equal(in.operands[1].base, 4);
    assert_int_equal(in.operands[1].value, 0x10);
    assert_int_equal(in.control.read_barrier, SP_NO_SCOREBOARD);
    again = decoded(86, in.word[0], in.word[1], 0x40);
    assert_text(&again, "@!P0 LDG.E R2, [R4.64+0x10]");
    assert_int_equal(sp_instruction_parse(86, text, 6, 0x40, &in), SP_ERR_ENCODING); /* not beyond `size` */
}

/* Texts that only bits which do not show tell from their neighbours': reuse that is not printed (no move then), and a
 * register behind UR254, which is URZ. */
static void test_read_back(void **state)
{
    (void)state;
    static const struct {
        unsigned sm;
        const char *text;
    } rows[] = {{75, "IMAD.U32 R5, RZ, RZ, 0x54"},
                {120, "IMAD R112, R6, RZ, R52"},
                {100, "UTCQMMA gdesc[UR63], gdesc[UR105], tmem[UR25], tmem[UR254], idesc[URZ], tmem[UR236], UP4"},
                {103, "UTCQMMA gdesc[UR63], gdesc[UR105], tmem[UR25], tmem[UR252], idesc[UR253], tmem[UR236], UP4"}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sp_instruction in;
        if (sp_instruction_parse(rows[i].sm, rows[i].text, strlen(rows[i].text), 0, &in) != SP_OK)
            fail_msg("not read: %s", rows[i].text);
        assert_text(&in, rows[i].text);
    }
}

/* Every some rows of what the vendor printed, on each architecture: our text is the vendor's, and leads back. */
static void test_rows(void **state)
{
    (void)state;
    enum { STEP = 7 };
    size_t archs;
    const unsigned *sm = sp_architectures(&archs);
    unsigned rows = 0;
    assert_true(archs >= 7);
    for (size_t a = 0; a < archs; a++) {
        char path[1024], line[2048], text[SP_TEXT_ROOM], twice[SP_TEXT_ROOM];
        snprintf(path, sizeof path, "%s/test/golden/isa/sm%u.tsv", SP_SOURCE_DIR, sm[a]);
        FILE *f = fopen(path, "r");
        for (unsigned i = 0; f && fgets(line, sizeof line, f); i++) {
            uint64_t hi, lo;
            uint32_t offset;
            unsigned arch;
            if (i % STEP || sscanf(line, "%u\t%" SCNx32 "\t%" SCNx64 "\t%" SCNx64, &arch, &offset, &hi, &lo) != 4)
                continue;
            uint8_t code[16];
            struct sp_instruction in, again;
            put_word(code, lo, hi);
            if (sp_decode(arch, code, sizeof code, offset, &in) != SP_OK)
                continue;
            size_t n = sp_instruction_text(&in, NULL, text, sizeof text);
            if (sp_instruction_parse(arch, text, n, offset, &again) != SP_OK)
                fail_msg("sm_%u: not read back: %s", arch, text);
            sp_instruction_text(&again, NULL, twice, sizeof twice);
            assert_string_equal(twice, text);
            assert_int_equal(again.opcode, in.opcode);
            assert_int_equal(again.operand_count, in.operand_count);
            rows++;
        }
        if (f)
            fclose(f);
    }
    assert_true(rows > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_targets),
                                       cmocka_unit_test(test_errors), cmocka_unit_test(test_small_buffers),
                                       cmocka_unit_test(test_parse),  cmocka_unit_test(test_read_back),
                                       cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
