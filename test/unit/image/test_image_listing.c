/* Listings: every .sass of test/corpus/listing against the file beside it that a person wrote; and the property that
 * what is printed of a word is parsed back to it, for every word of the committed cubins and for random ones. */
#define _GNU_SOURCE
#include "image_test.h"

#include "base/str.h"
#include "isa/isa_parse.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_LISTINGS = 30 };

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Files under a folder whose names end so, in order. */
static void find_files(struct arena *a, const char *folder, const char *ending, char ***out, size_t *count)
{
    VEC(char *) found = {0};
    VEC(char *) folders = {0};
    VEC_PUSH(a, folders, arena_strdup(a, folder));
    for (size_t i = 0; i < folders.n; i++) {
        DIR *d = opendir(folders.p[i]);
        assert_non_null(d);
        for (struct dirent *e; (e = readdir(d));) {
            struct stat st;
            char *path = arena_printf(a, "%s/%s", folders.p[i], e->d_name);
            if (e->d_name[0] == '.' || stat(path, &st) != 0)
                continue;
            if (S_ISDIR(st.st_mode))
                VEC_PUSH(a, folders, path);
            else if (str_ends(path, ending))
                VEC_PUSH(a, found, path);
        }
        closedir(d);
    }
    if (found.n)
        qsort(found.p, found.n, sizeof *found.p, by_name);
    *out = found.p;
    *count = found.n;
}

static void describe(struct strbuf *b, const struct img_module *modules, uint32_t count, const struct diag_sink *diags)
{
    static const char *const severities[] = {"error", "warning", "note"};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < modules[i].kernel_count; k++) {
            const struct img_kernel *x = &modules[i].kernels[k];
            uint32_t read = 0, unread = 0, missing = 0, n = x->code_bytes / 16, first = n;
            for (uint32_t at = 0; at < n; at++) {
                const struct img_told *t = &x->told[at];
                first = first == n && (t->how || t->text) ? at : first;
                read += t->how != 0;
                unread += !t->how && t->text;
                missing += !t->how && !t->text;
            }
            str_addf(b, "kernel %s %s 0x%x..0x%x read %u unread %u missing %u\n", x->name,
                     modules[i].arch ? modules[i].arch : "-", 16 * first, x->code_bytes - 16, read, unread, missing);
        }
    for (size_t i = 0; i < diags->list.n; i++)
        str_addf(b, "%s %s %s\n", severities[diags->list.p[i].severity], diags->list.p[i].section,
                 diags->list.p[i].code);
}

static void test_corpus(void **state)
{
    (void)state;
    struct arena a;
    char **files;
    size_t count, wrong = 0;
    arena_init(&a, 0);
    find_files(&a, SP_SOURCE_DIR "/test/corpus/listing", ".sass", &files, &count);
    assert_true(count >= MOST_LISTINGS);
    for (size_t i = 0; i < count; i++) {
        struct diag_sink diags;
        uint8_t *bytes, *expected;
        size_t size, expected_size;
        struct img_module *modules;
        uint32_t module_count;
        struct strbuf got, want;
        char *arch = NULL;
        diag_init(&diags, &a);
        assert_int_equal(img_load_file(&a, &diags, files[i], 0, &bytes, &size), SP_OK);
        char *beside = arena_printf(&a, "%.*s.expected", (int)strlen(files[i]) - 5, files[i]);
        assert_int_equal(img_load_file(&a, &diags, beside, 0, &expected, &expected_size), SP_OK);
        str_init(&want, &a);
        str_init(&got, &a);
        for (char *save = NULL, *line = strtok_r(arena_strndup(&a, (char *)expected, expected_size), "\n", &save); line;
             line = strtok_r(NULL, "\n", &save))
            if (str_starts(line, "--arch "))
                arch = line + 7;
            else if (line[0] != '#')
                str_addf(&want, "%s\n", line);
        enum sp_status status = img_read_listing(&a, &diags, files[i], bytes, size, arch, &modules, &module_count);
        describe(&got, modules, module_count, &diags);
        bool errors = false;
        for (size_t d = 0; d < diags.list.n; d++)
            errors |= diags.list.p[d].severity == DIAG_ERROR && !str_equal(diags.list.p[d].code, "listing-gap");
        if (!str_equal(got.p, want.p) || errors != (status != SP_OK)) {
            print_error("%s: expected\n%sgot\n%s", files[i], want.p, got.p);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    arena_free(&a);
}

/* ---- print, parse ------------------------------------------------------------------------------------------------ */

/* The text of an immediate NaN has no payload, and that of a 16-bit immediate of F2I, FRND and their uniform kin no
 * width. */
static bool text_lacks(const char *text, const struct isa_insn *insn)
{
    const char *op = isa_op_text((enum isa_op)insn->op);
    return strstr(text, "NAN") || ((str_ends(op, "F2I") || str_ends(op, "FRND")) && insn->operand_count == 2 &&
                                   insn->operands[1].kind == ISA_OPERAND_FIMM);
}

static bool same(const struct isa_insn *a, const struct isa_insn *b)
{
    return a->op == b->op && a->guard == b->guard && a->guard_not == b->guard_not &&
           a->guard_uniform == b->guard_uniform && a->mod_count == b->mod_count &&
           a->operand_count == b->operand_count && memcmp(a->mods, b->mods, sizeof a->mods) == 0 &&
           memcmp(a->operands, b->operands, a->operand_count * sizeof *a->operands) == 0;
}

/* 0: as it should be; 1: refused; 2: read as something else. */
static int check_word(unsigned sm, struct bits128 word, uint32_t offset)
{
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    struct isa_insn decoded, parsed;
    char text[512], again[512];
    if (isa_decode(sm, word, offset, &decoded) != SP_OK)
        return 0;
    isa_print(sm, &decoded, &options, text, sizeof text);
    if (isa_parse(sm, text, strlen(text), offset, &parsed) != SP_OK) {
        print_message("sm_%u refused: %s (%016llx %016llx)\n", sm, text, (unsigned long long)word.hi,
                      (unsigned long long)word.lo);
        return 1;
    }
    isa_forget_untold(sm, &decoded);
    isa_print(sm, &parsed, &options, again, sizeof again);
    if (strcmp(text, again) == 0 && (same(&decoded, &parsed) || text_lacks(text, &decoded)))
        return 0;
    print_error("sm_%u: %s is read as %s (%016llx %016llx)\n", sm, text, again, (unsigned long long)word.hi,
                (unsigned long long)word.lo);
    return 2;
}

static void test_committed_words(void **state)
{
    (void)state;
    static const char *const folders[] = {SP_SOURCE_DIR "/cubin", SP_SOURCE_DIR "/test/corpus"};
    size_t wrong = 0, words = 0;
    for (size_t f = 0; f < 2; f++) {
        struct arena names;
        char **files;
        size_t count;
        arena_init(&names, 0);
        find_files(&names, folders[f], ".cubin", &files, &count);
        for (size_t i = 0; i < count; i++) {
            struct arena a;
            struct diag_sink diags;
            struct img_module m;
            uint8_t *bytes;
            size_t size;
            arena_init(&a, 0);
            diag_init(&diags, &a);
            assert_int_equal(img_load_file(&a, &diags, files[i], 0, &bytes, &size), SP_OK);
            img_read_module(&a, &diags, files[i], bytes, size, &m);
            for (uint32_t k = 0; k < m.kernel_count; k++)
                for (uint32_t at = 0; at < m.kernels[k].code_bytes; at += 16, words++) {
                    struct bits128 w = {bits_le64(m.kernels[k].code + at), bits_le64(m.kernels[k].code + at + 8)};
                    wrong += check_word(m.sm, w, at) != 0;
                }
            arena_free(&a);
        }
        arena_free(&names);
    }
    assert_true(words > 100000);
    assert_int_equal(wrong, 0);
}

/* Always the same random words: of every opcode a few, with many and with few bits set. None may be read as another
 * instruction; of those that no compiler makes some are refused. */
static void test_random_words(void **state)
{
    (void)state;
    size_t archs, refused = 0, other = 0, words = 0;
    const unsigned *sm = isa_archs(&archs);
    uint64_t x = 88172645463325252;
    for (size_t a = 0; a < archs; a++)
        for (unsigned opcode = 0; opcode < 8192; opcode++)
            for (unsigned i = 0; i < 24; i++) {
                uint64_t r[4];
                for (unsigned k = 0; k < 4; k++) {
                    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
                    r[k] = x * UINT64_C(0x2545F4914F6CDD1D);
                }
                struct bits128 w = {r[0], r[1]};
                if (i % 3 == 1)
                    w.lo &= r[2], w.hi &= r[3];
                if (i % 3 == 2)
                    w.lo |= r[2], w.hi |= r[3];
                w = bits_set(bits_set(w, 11, 0, opcode & 0xfff), 91, 91, opcode >> 12);
                int answer = check_word(sm[a], w, (uint32_t)(r[3] >> 8 & 0xfff) * 16);
                refused += answer == 1;
                other += answer == 2;
                words++;
            }
    assert_int_equal(other, 0);
    assert_true(refused < words / 10000);
}

/* Words found by probing: every operand form and modifier of the opcodes that no kernel of the corpus has. All are read
 * back as they were. Architectures that are described by others have all their words in one file. */
static void test_probed_words(void **state)
{
    (void)state;
    size_t archs, wrong = 0, words = 0;
    const unsigned *sm = isa_archs(&archs);
    for (size_t a = 0; a < archs; a++) {
        char line[1024];
        snprintf(line, sizeof line, "%s/test/golden/isa/probed_sm%u.tsv", SP_SOURCE_DIR, sm[a]);
        FILE *f = fopen(line, "r");
        if (!f) {
            snprintf(line, sizeof line, "%s/test/golden/isa/sm%u.tsv", SP_SOURCE_DIR, sm[a]);
            f = fopen(line, "r");
        }
        assert_non_null(f);
        while (fgets(line, sizeof line, f)) {
            unsigned long long hi, lo;
            if (sscanf(line, "%*u %*x %llx %llx", &hi, &lo) != 2)
                continue;
            wrong += check_word(sm[a], (struct bits128){lo, hi}, 0) != 0;
            words++;
        }
        fclose(f);
    }
    assert_true(words > 3000);
    assert_int_equal(wrong, 0);
}

static void test_what_text_lacks(void **state)
{
    (void)state;
    static const char text[] = "@!P3 LDG.E.CONSTANT R4, [R2.64+0x10] ;";
    struct isa_insn insn;
    assert_int_equal(isa_parse(86, text, sizeof text - 1, 0x40, &insn), SP_OK);
    assert_int_equal(insn.op, ISA_OP_LDG);
    assert_int_equal(insn.guard, 3);
    assert_true(insn.guard_not);
    assert_int_equal(insn.operands[1].base, 2);
    assert_int_equal(insn.operands[1].value, 16);
    assert_int_equal(insn.operands[1].desc, ISA_NO_REG);
    assert_int_equal(insn.control.write_barrier, 7);
    assert_int_equal(isa_parse(61, text, sizeof text - 1, 0, &insn), SP_ERR_ARCH);
    assert_int_equal(isa_parse(86, "MOV R1", 6, 0, &insn), SP_ERR_ENCODING);
    assert_int_equal(isa_parse(86, "MOV.FTZ R1, R2", 14, 0, &insn), SP_ERR_ENCODING);
    assert_int_equal(isa_parse(86, "MOV R1, R300", 12, 0, &insn), SP_ERR_ENCODING);
}

/* Lines of the table and scheduling beside the text. */
static void test_what_stands_beside(void **state)
{
    (void)state;
    static const char text[] = ".target sm_86\n.text.k:\nk:\n"
                               "\t//## File \"/a.cu\", line 7\n"
                               "      /*0000*/ MOV R1, R2 ;\n"
                               "      [B-12---:R3:W-:Y:S04] /*0010*/ MOV R1, R2 ;\n"
                               "        /*0020*/ STL [R1], R2 (*\"SpillRefill\"*);\n";
    struct arena a;
    struct diag_sink diags;
    struct img_module *m;
    uint32_t count;
    arena_init(&a, 0);
    diag_init(&diags, &a);
    assert_int_equal(img_detect((const uint8_t *)text, sizeof text - 1), IMG_LISTING);
    assert_int_equal(img_read_listing(&a, &diags, "x", (const uint8_t *)text, sizeof text - 1, NULL, &m, &count),
                     SP_OK);
    assert_int_equal(count, 1);
    const struct img_kernel *k = &m[0].kernels[0];
    assert_int_equal(k->told[1].how, IMG_TOLD_TEXT | IMG_TOLD_CONTROL);
    struct isa_insn insn;
    isa_decode(86, (struct bits128){bits_le64(k->code + 16), bits_le64(k->code + 24)}, 16, &insn);
    assert_int_equal(insn.control.wait_mask, 6);
    assert_int_equal(insn.control.read_barrier, 3);
    assert_int_equal(insn.control.write_barrier, 7);
    assert_int_equal(insn.control.yield, 1);
    assert_int_equal(insn.control.stall, 4);
    assert_int_equal(k->line_count, 1);
    assert_int_equal(k->lines[0].line, 7);
    assert_true(k->spills_known);
    assert_int_equal(k->spill_count, 1);
    assert_int_equal(k->spills[0], 0x20);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),          cmocka_unit_test(test_committed_words),
        cmocka_unit_test(test_random_words),    cmocka_unit_test(test_probed_words),
        cmocka_unit_test(test_what_text_lacks), cmocka_unit_test(test_what_stands_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
