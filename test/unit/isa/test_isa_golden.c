/* Every row of test/golden/isa/[forms_|probed_]smNN.tsv: what the vendor's disassembler printed for a word, and ours.
 * Blanks before commas are not part of a token and are left out of the comparison. */
#include "isa/isa_cache.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void normalize(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++) {
        if (*p == ' ' && (p[1] == ' ' || p[1] == ',' || p[1] == '\0'))
            continue;
        *to++ = *p;
    }
    *to = '\0';
}

/* By templates it is the same text, whatever bits the word has: the row's own, and others near it. */
static void check_templates(unsigned sm, struct bits128 word, uint32_t offset)
{
    enum { NEAR = 12 };
    static struct isa_cache cache;
    static uint64_t random = 88172645463325252;
    for (unsigned i = 0; i < NEAR; i++) {
        char text[ISA_TEXT_ROOM], made[ISA_TEXT_ROOM];
        size_t n = isa_print_word(sm, word, offset, NULL, text, sizeof text);
        if (isa_print_cached(&cache, sm, word, offset, NULL, made) != n || strcmp(made, text) != 0)
            fail_msg("sm_%u 0x%016" PRIx64 " 0x%016" PRIx64 ": '%s' by a template, not '%s'", sm, word.hi, word.lo,
                     made, text);
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        *(random & 64 ? &word.hi : &word.lo) ^= UINT64_C(1) << (random & 63);
    }
}

static void check_file(const char *prefix, unsigned sm)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/test/golden/isa/%ssm%u.tsv", SP_SOURCE_DIR, prefix, sm);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("no golden rows: %s", path);
    char line[2048];
    unsigned rows = 0, wrong = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#' || !line[0])
            continue;
        unsigned arch;
        uint32_t offset;
        struct bits128 word;
        int at = 0;
        if (sscanf(line, "%u\t%" SCNx32 "\t%" SCNx64 "\t%" SCNx64 "\t%n", &arch, &offset, &word.hi, &word.lo, &at) !=
                4 ||
            !at)
            fail_msg("%s: not a row: %s", path, line);
        char *expected = line + at, text[512];
        struct isa_insn insn;
        isa_decode(arch, word, offset, &insn);
        isa_print(arch, &insn, NULL, text, sizeof text);
        char straight[512];
        isa_print_word(arch, word, offset, NULL, straight, sizeof straight);
        assert_string_equal(straight, text);
        check_templates(arch, word, offset);
        normalize(expected);
        normalize(text);
        rows++;
        if (strcmp(text, expected) != 0 && wrong++ < 20)
            print_error("sm_%u 0x%016" PRIx64 " 0x%016" PRIx64 ": '%s', not '%s'\n", arch, word.hi, word.lo, text,
                        expected);
    }
    fclose(f);
    assert_true(rows > 0);
    assert_int_equal(wrong, 0);
}

/* The architectures whose tables are mostly another's: all their rows are in one file. */
static bool described_by_others(unsigned sm)
{
    static const unsigned numbers[] = {87, 88, 101, 103, 107, 110, 121};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == sm)
            return true;
    return false;
}

static void check_all(const char *prefix)
{
    size_t count;
    const unsigned *archs = isa_archs(&count);
    for (size_t i = 0; i < count; i++)
        if (!*prefix || !described_by_others(archs[i]))
            check_file(prefix, archs[i]);
}

/* Compiled kernels and enumerated modifiers. */
static void test_golden_rows(void **state)
{
    (void)state;
    check_all("");
}

/* A few random words of every opcode form. */
static void test_golden_forms(void **state)
{
    (void)state;
    check_all("forms_");
}

/* Opcodes that no kernel of the corpus has: what tools/oracle/probe_check.py drew around words found by probing. */
static void test_golden_probed(void **state)
{
    (void)state;
    check_all("probed_");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden_rows), cmocka_unit_test(test_golden_forms),
                                       cmocka_unit_test(test_golden_probed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
