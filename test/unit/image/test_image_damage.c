/* Damaged and foreign input: always a status and a reason, and what can be read is kept. Cases N07 (lost tail), P05 (no
 * program headers), P06 (nameless symbols), P17 (empty input) are inputs that broke other readers. */
#include "base/bits.h"
#include "image_test.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { SECTION_TABLE_AT = 40, SECTION_COUNT_AT = 60, NAMES_AT = 62, PHDR_AT = 32, PHDR_COUNT_AT = 56 };

static const char sample[] = "lines.13.0.sm_86.cubin";

static void put16(uint8_t *p, unsigned value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static void test_empty(void **state)
{
    (void)state;
    struct opened o;
    load_bytes(&o, sample);
    o.size = 0;
    read_bytes(&o);
    assert_int_equal(o.status, SP_ERR_FORMAT);
    assert_int_equal(o.module.status, IMG_UNREADABLE);
    assert_true(has_diag(&o, "empty-input"));
    assert_int_equal(o.module.kernel_count, 0);
    close_cubin(&o);
}

/* The program headers come last in the file: without them everything can be read, and nothing needs them. */
static void test_no_program_headers(void **state)
{
    (void)state;
    struct opened o;
    load_bytes(&o, sample);
    o.size = (size_t)bits_le64(o.bytes + PHDR_AT);
    memset(o.bytes + PHDR_AT, 0, 8);
    put16(o.bytes + PHDR_COUNT_AT, 0);
    read_bytes(&o);
    assert_int_equal(o.status, SP_OK);
    assert_int_equal(o.module.kernel_count, 3);
    close_cubin(&o);
}

static void test_truncated_in_section_table(void **state)
{
    (void)state;
    struct opened o;
    load_bytes(&o, sample);
    uint64_t table = bits_le64(o.bytes + SECTION_TABLE_AT);
    unsigned count = bits_le16(o.bytes + SECTION_COUNT_AT);
    o.size = (size_t)table + 64 * (count - 2); /* the last two entries are lost */
    read_bytes(&o);
    assert_int_equal(o.status, SP_ERR_FORMAT);
    assert_int_equal(o.module.status, IMG_PARTIAL);
    assert_true(has_diag(&o, "elf-truncated"));
    assert_true(o.module.kernel_count >= 1);
    assert_int_equal(o.module.kernels[0].registers, 8);
    close_cubin(&o);
}

/* Every length but the whole: an error with a message, and as soon as the section table is there, the kernels. */
static void check_truncations(const char *file)
{
    struct opened whole;
    load_bytes(&whole, file);
    uint64_t table_end = bits_le64(whole.bytes + SECTION_TABLE_AT) + 64 * bits_le16(whole.bytes + SECTION_COUNT_AT);
    assert_true(table_end < whole.size);
    for (size_t size = 0; size < whole.size; size++) {
        struct arena a;
        struct diag_sink diags;
        struct img_module m;
        arena_init(&a, (size_t)64 << 20);
        diag_init(&diags, &a);
        assert_int_equal(img_read_module(&a, &diags, "x", whole.bytes, size, &m), SP_ERR_FORMAT);
        assert_int_equal(m.status, size >= table_end     ? IMG_PARTIAL
                                   : m.kernel_count != 0 ? IMG_PARTIAL
                                                         : IMG_UNREADABLE);
        assert_true(diags.list.n > 0 && diags.list.p[0].severity == DIAG_ERROR && diags.list.p[0].message[0] != 0);
        if (size >= table_end) {
            assert_int_equal(m.kernel_count, 2);
            assert_int_equal(m.kernels[0].registers, 10);
        }
        arena_free(&a);
    }
    close_cubin(&whole);
}

static void test_every_truncation(void **state)
{
    (void)state;
    check_truncations("shared.11.8.sm_75.cubin");
    check_truncations("shared.13.0.sm_86.cubin");
    check_truncations("shared.13.5.sm_120.cubin");
}

static void test_lost_names(void **state)
{
    (void)state;
    struct opened o;
    load_bytes(&o, sample);
    put16(o.bytes + NAMES_AT, 0xfff0); /* no such section: the table is found by what it holds */
    read_bytes(&o);
    assert_int_equal(o.module.kernel_count, 3);
    assert_int_equal(kernel_named(&o, "params")->registers, 8);
    close_cubin(&o);
}

static void test_nameless_symbols(void **state)
{
    (void)state;
    struct opened o;
    load_bytes(&o, sample);
    /* The symbol table is the third section; its first 20 symbols lose their names. */
    uint8_t *table = o.bytes + bits_le64(o.bytes + SECTION_TABLE_AT) + 3 * 64;
    uint8_t *symbols = o.bytes + bits_le64(table + 24);
    assert_int_equal(bits_le32(table + 4), 2);
    for (unsigned i = 0; i < bits_le64(table + 32) / 24; i++)
        memset(symbols + 24 * i, 0, 4);
    read_bytes(&o);
    assert_int_equal(o.status, SP_OK);
    const struct img_kernel *k = kernel_named(&o, "_Z7callingPf");
    assert_int_equal(k->registers, 18);
    assert_int_equal(k->subroutine_count, 2);
    assert_string_equal(k->subroutines[0].name, "");
    close_cubin(&o);
}

static void test_architecture_contradiction(void **state)
{
    (void)state;
    struct opened o;
    load_bytes(&o, sample);
    o.bytes[49] = 75; /* the header now says sm_75, the note compute_86: newer than the machine code */
    read_bytes(&o);
    assert_int_equal(o.status, SP_ERR_FORMAT);
    assert_int_equal(o.module.sm, 0);
    assert_null(o.module.arch);
    assert_int_equal(o.module.kernel_count, 3);
    close_cubin(&o);
}

static void check_kind(const void *bytes, size_t size, enum img_kind kind, enum sp_status status)
{
    struct arena a;
    struct diag_sink diags;
    struct img_module m;
    arena_init(&a, 0);
    diag_init(&diags, &a);
    assert_int_equal(img_detect(bytes, size), kind);
    assert_int_equal(img_read_module(&a, &diags, "x", bytes, size, &m), status);
    assert_int_equal(m.kind, kind);
    assert_int_equal(m.status, IMG_UNREADABLE);
    assert_int_equal(diags.list.n, 1);
    assert_int_equal(diags.list.p[0].severity, DIAG_ERROR);
    arena_free(&a);
}
#define TEXT(text) text, sizeof(text) - 1

static void test_kinds(void **state)
{
    (void)state;
    uint8_t host[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0};
    host[18] = 62;
    check_kind(host, sizeof host, IMG_HOST_ELF, SP_ERR_UNSUPPORTED);
    check_kind(TEXT("\x50\xed\x55\xba\x01\x00\x10\x00"), IMG_FATBIN, SP_ERR_UNSUPPORTED);
    check_kind(TEXT("!<arch>\n"), IMG_ARCHIVE, SP_ERR_UNSUPPORTED);
    check_kind(TEXT("\n// made by\n//\n\n.version 9.0\n.target sm_86\n"), IMG_PTX, SP_ERR_UNSUPPORTED);
    check_kind(TEXT("\t\tFunction : _Z1kPf\n"), IMG_LISTING, SP_ERR_UNSUPPORTED);
    check_kind(TEXT("\t.section\t.text._Z1kPf,\"ax\"\n"), IMG_LISTING, SP_ERR_UNSUPPORTED);
    check_kind(TEXT("hello"), IMG_UNKNOWN, SP_ERR_FORMAT);
    check_kind(TEXT("\0\0\0\0"), IMG_UNKNOWN, SP_ERR_FORMAT);
    check_kind(TEXT("\x7f"
                    "ELF"),
               IMG_CUBIN, SP_ERR_FORMAT);
}

static void test_load(void **state)
{
    (void)state;
    struct arena a;
    struct diag_sink diags;
    uint8_t *bytes;
    size_t size;
    arena_init(&a, 0);
    diag_init(&diags, &a);
    assert_int_equal(img_load_file(&a, &diags, SP_SOURCE_DIR "/test/corpus/image/none.cubin", 0, &bytes, &size),
                     SP_ERR_IO);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(img_load_file(&a, &diags, SP_SOURCE_DIR, 0, &bytes, &size), SP_ERR_IO);
    const char *path = SP_SOURCE_DIR "/test/corpus/image/shared.13.0.sm_86.cubin";
    assert_int_equal(diags.list.n, 2);
    assert_int_equal(img_load_file(&a, &diags, path, 100, &bytes, &size), SP_ERR_MEMORY);
    assert_int_equal(diags.list.n, 3);
    assert_int_equal(img_load_file(&a, &diags, path, 4832, &bytes, &size), SP_OK);
    assert_int_equal(size, 4832);
    arena_free(&a);

    /* No more memory than allowed: an answer, not an abort. */
    arena_init(&a, 66000);
    diag_init(&diags, &a);
    assert_int_equal(
        img_load_file(&a, &diags, SP_SOURCE_DIR "/test/corpus/image/huge.13.0.sm_86.cubin", 0, &bytes, &size), SP_OK);
    struct img_module m;
    assert_int_equal(img_read_module(&a, &diags, "x", bytes, size, &m), SP_ERR_MEMORY);
    assert_true(arena_failed(&a));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_no_program_headers),
        cmocka_unit_test(test_truncated_in_section_table),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_lost_names),
        cmocka_unit_test(test_nameless_symbols),
        cmocka_unit_test(test_architecture_contradiction),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
