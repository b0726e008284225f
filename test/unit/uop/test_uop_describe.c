/* `sassprobe what`: the words come from the instruction's own micro-operations, so the tests look for the facts in
 * them; every opcode of the table has a plain instance that is read and lifted; the reference page names every
 * kind. */
#include "base/out.h"
#include "uop/uop_build.h"
#include "uop/uop_lift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sink {
    char text[1 << 16];
    size_t n;
};

static bool take(void *user, const char *bytes, size_t n)
{
    struct sink *s = user;
    if (s->n + n >= sizeof s->text)
        return false;
    memcpy(s->text + s->n, bytes, n);
    s->n += n;
    s->text[s->n] = 0;
    return true;
}

static const char *describe(unsigned sm, const char *spelling, bool json)
{
    static struct sink sink;
    static struct out out;
    sink.n = 0;
    sink.text[0] = 0;
    out_init(&out, take, &sink);
    bool known = uop_describe(sm, spelling, &out, json);
    assert_true(out_flush(&out));
    if (!known)
        assert_int_equal(sink.n, 0);
    return known ? sink.text : NULL;
}

static void says(unsigned sm, const char *spelling, const char *part)
{
    const char *text = describe(sm, spelling, false);
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("%s: \"%s\" is not in\n%s", spelling, part, text);
}

static void unordered_compares_say_what_nan_does(void **state)
{
    (void)state;
    says(86, "FSETP.GEU", "true when not less, or unordered");
    says(86, "FSETP.GEU", "P0 = !(R4 < R6)");
    says(86, "FSETP.GEU", "true when an operand is NaN (unordered)");
    says(86, "FSETP.GT", "P0 = (R4 > R6)");
    says(86, "FSETP.GT", "false when an operand is NaN (unordered)");
    says(86, "FSETP.LT.FTZ", "count as zero of the same sign");
    says(86, "FSETP.LT", "subnormal numbers are kept");
}

static void arithmetic_says_rounding_and_clamping(void **state)
{
    (void)state;
    says(86, "FFMA", "R0 = fma(R4, R6, R8)");
    says(86, "FFMA", "to nearest, ties to even");
    says(86, "FMUL.RZ", "toward zero");
    says(86, "FADD.SAT", "a NaN result becomes +0");
    says(86, "FMNMX", "a NaN operand gives the other operand");
    says(86, "FMNMX.NAN", "a NaN operand gives NaN");
    says(86, "F2I.TRUNC.NTZ", "NaN gives 0");
    says(86, "MUFU.EX2", "approximation");
}

static void a_whole_instruction_is_described_as_it_stands(void **state)
{
    (void)state;
    says(86, "@!P0 IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]", "when !P0: R2 = c[0][0x160]");
    says(86, "HFMA2.MMA R5, -RZ, RZ, 0, 2.384185791015625e-07", "R5 = 0x4");
    says(86, "IMAD.WIDE", "R1 = hi(((sext32to64(R4) * sext32to64(R6)) + {R9:R8}))");
    says(86, "LDG.E.CONSTANT", "desc[UR4][R4.64]");
    says(75, "LDG.E.CONSTANT", "R0, [R4]");
}

static void unknown_spellings_write_nothing(void **state)
{
    (void)state;
    assert_null(describe(86, "NOSUCHOP.X", false));
    assert_null(describe(86, "", true));
    assert_null(describe(86, "FADD R0, [", false));
    says(86, "IMMA.16816.S8.S8", "no exact meaning");
    says(86, "TEX", "what it computes is not");
}

static void json_says_the_same(void **state)
{
    (void)state;
    const char *text = describe(86, "FSETP.GEU", true);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"effects\":[\"P0 = !(R4 < R6)\"]"));
    assert_non_null(strstr(text, "\"nan\":\"true when an operand is NaN (unordered)\""));
    assert_non_null(strstr(text, "\"arch\":\"sm_86\""));
}

/* Opcodes that mean nothing without a modifier, with one that gives them a meaning. */
static const char *complete(const char *op)
{
    static const char *const rows[][2] = {
        {"FSETP", "FSETP.LT"},    {"DSETP", "DSETP.LT"},      {"ISETP", "ISETP.LT"},    {"HSETP2", "HSETP2.LT"},
        {"HSET2", "HSET2.LT"},    {"FSET", "FSET.LT"},        {"UISETP", "UISETP.LT"},  {"UFSETP", "UFSETP.LT"},
        {"UFSET", "UFSET.LT"},    {"MUFU", "MUFU.RCP"},       {"SHFL", "SHFL.IDX"},     {"VOTE", "VOTE.ANY"},
        {"VOTEU", "VOTEU.ANY"},   {"MATCH", "MATCH.ANY"},     {"BAR", "BAR.SYNC"},      {"I2I", "I2I.U8"},
        {"UI2I", "UI2I.U8"},      {"F2F", "F2F.F16.F32"},     {"UF2F", "UF2F.F16.F32"}, {"F2FP", "F2FP.PACK_AB"},
        {"F2IP", "F2IP.U8.F32"},  {"UF2FP", "UF2FP.PACK_AB"}, {"IDP", "IDP.4A.S8.S8"},  {"ATOM", "ATOM.E.ADD"},
        {"ATOMG", "ATOMG.E.ADD"}, {"ATOMS", "ATOMS.ADD"},     {"RED", "RED.E.ADD"},     {"REDG", "REDG.E.ADD"},
        {"CREDUX", "CREDUX.MIN"}, {"PRMT", "PRMT"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i][0], op) == 0)
            return rows[i][1];
    return op;
}

static void every_opcode_of_the_table_has_a_plain_instance(void **state)
{
    (void)state;
    unsigned described = 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const struct lift_row *row = lift_find(op);
        if (!row || row->lift == lift_tensor)
            continue;
        const char *spelling = complete(isa_op_text((enum isa_op)op)), *text = describe(100, spelling, false);
        assert_non_null(text);
        if (!strstr(text, "micro-operations\n"))
            fail_msg("%s has no micro-operations:\n%s", spelling, text);
        described++;
    }
    assert_true(described > 120);
}

static void the_reference_page_names_every_kind(void **state)
{
    (void)state;
    static char page[1 << 17];
    FILE *f = fopen(SP_SOURCE_DIR "/doc/uop.md", "r");
    assert_non_null(f);
    size_t n = fread(page, 1, sizeof page - 1, f);
    fclose(f);
    assert_true(n > 0 && n < sizeof page - 1);
    for (unsigned k = 0; k < UOP_KIND_COUNT; k++) {
        char row[64];
        snprintf(row, sizeof row, "\n| %s | %u | %s", uop_kind_text((enum uop_kind)k), uop_kind_args((enum uop_kind)k),
                 uop_is_pure((enum uop_kind)k) ? "" : "effect");
        if (!strstr(page, row))
            fail_msg("doc/uop.md has no row%s", row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unordered_compares_say_what_nan_does),
        cmocka_unit_test(arithmetic_says_rounding_and_clamping),
        cmocka_unit_test(a_whole_instruction_is_described_as_it_stands),
        cmocka_unit_test(unknown_spellings_write_nothing),
        cmocka_unit_test(json_says_the_same),
        cmocka_unit_test(every_opcode_of_the_table_has_a_plain_instance),
        cmocka_unit_test(the_reference_page_names_every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
