/* Every row of test/golden/isa/[forms_|probed_]smNN.tsv: what the vendor's disassembler printed for a word, and ours.
 * Blanks before commas are not part of a token and are left out of the comparison. */
#include "isa/isa_cache.h"
#include "isa/isa_read.h"

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

/* What the rows of all files show: how often an opcode, and which of its modifiers. */
static unsigned shown[ISA_OP_COUNT];
static bool with[ISA_OP_COUNT][ISA_MOD_COUNT];

static void note_shown(const struct isa_insn *insn)
{
    shown[insn->op]++;
    for (unsigned i = 0; i < insn->mod_count; i++)
        with[insn->op][insn->mods[i]] = true;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        for (unsigned k = 0; k < ISA_MAX_OPERAND_MODS; k++)
            with[insn->op][insn->operands[i].mods[k]] = true;
        with[insn->op][insn->operands[i].ubase_mods[0]] = true;
    }
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
        note_shown(&insn);
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

/* Values of modifiers, and rows of opcodes that have few. */
static void test_golden_values(void **state)
{
    (void)state;
    size_t count;
    const unsigned *archs = isa_archs(&count);
    for (size_t i = 0; i < count; i++)
        check_file("values_", archs[i]);
}

static unsigned count_missing(unsigned op, unsigned first, unsigned cells)
{
    unsigned missing = 0;
    for (unsigned i = 0; i < cells; i++)
        for (unsigned v = 0; v < isa_enum_at(first + i)->count; v++)
            for (const uint16_t *mod = isa_sequence(isa_enum_at(first + i), v); mod && *mod; mod++)
                if (!with[op][*mod]) {
                    print_message("%s: .%s in no row\n", isa_op_text((enum isa_op)op),
                                  isa_mod_text((enum isa_mod) * mod));
                    with[op][*mod] = true;
                    missing++;
                }
    return missing;
}

/* Whatever modifier the tables have stands in some row of the files above, but for so many that no word was found for
 * yet; and common opcodes have many rows. */
static void test_golden_whole(void **state)
{
    enum { TRIED = 12, MANY = 200, COMMON = 237 };
    (void)state;
    unsigned missing = 0, many = 0;
    size_t count;
    const unsigned *archs = isa_archs(&count);
    for (size_t a = 0; a < count; a++) {
        const struct isa_arch_table *table = isa_arch_table(archs[a]);
        for (unsigned i = 0; i < table->first[ISA_OPCODES]; i++) {
            const struct isa_row *row = isa_row_at(table->list[i]);
            missing += count_missing(row->op, row->mod, row->mod_count);
            for (unsigned k = 0; k < row->operand_count; k++) {
                const struct isa_operand_row *o = isa_row_operand(row, k);
                missing += count_missing(row->op, o->suffix, o->suffix_count);
                missing += count_missing(row->op, o->base_suffix, o->base_suffix_count);
                missing += count_missing(row->op, o->ubase_suffix, o->ubase_suffix_count);
            }
        }
    }
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        many += shown[op] >= MANY;
    print_message("%u modifiers in no row, %u opcodes with %u rows\n", missing, many, MANY);
    assert_true(missing <= TRIED);
    assert_true(many >= COMMON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden_rows), cmocka_unit_test(test_golden_forms),
                                       cmocka_unit_test(test_golden_probed), cmocka_unit_test(test_golden_values),
                                       cmocka_unit_test(test_golden_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
