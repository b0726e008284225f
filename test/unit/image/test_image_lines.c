/* Line programs that no compiler writes, put into the place of a real one: the rules of doc/formats/line_tables.md one
 * by one, and what must cost a diagnostic instead of a wrong line. */
#include "base/bits.h"
#include "image_test.h"

enum { SECTION_TABLE_AT = 40, SECTION_COUNT_AT = 60 };

/* The header of the tables that ptxas writes: one folder, one file, names of functions at 0 of .debug_str. */
static const uint8_t head[] = {0x02, 0,   37,  0, 0, 0,   1,   1,   0xfb, 0x0e, 0x0a, 0, 1, 1, 1, 1, 0, 0, 0,
                               1,    '/', 'k', 0, 0, 'a', '.', 'c', 'u',  0,    1,    0, 0, 0, 0, 0, 0, 0};

struct program {
    uint8_t bytes[512];
    size_t n;
};

static void add(struct program *p, const uint8_t *bytes, size_t n)
{
    assert_true(p->n + n <= sizeof p->bytes);
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
}
#define ADD(p, ...) add(p, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void start(struct program *p)
{
    p->n = 4; /* the unit's length, set at the end */
    uint8_t fixed[sizeof head];
    memcpy(fixed, head, sizeof head);
    fixed[2] = sizeof head - 6;
    add(p, fixed, sizeof fixed);
}

/* Puts the program behind the sample's end as its .debug_line, and one relocation on the operand at `address_at`. */
static void install(struct opened *o, struct program *p, size_t address_at)
{
    uint64_t length = p->n - 4;
    for (unsigned i = 0; i < 4; i++)
        p->bytes[i] = (uint8_t)(length >> 8 * i);
    load_bytes(o, "lines.13.0.sm_86.cubin");
    uint8_t *table = o->bytes + bits_le64(o->bytes + SECTION_TABLE_AT);
    uint8_t *line_entry = table + 5 * 64, *reloc_entry = NULL; /* readelf -S: 5 is .debug_line */
    for (unsigned i = 0; i < bits_le16(o->bytes + SECTION_COUNT_AT); i++)
        if (bits_le32(table + 64 * i + 4) == 9 && bits_le32(table + 64 * i + 44) == 5)
            reloc_entry = table + 64 * i;
    assert_non_null(reloc_entry);
    uint8_t *relocs = o->bytes + bits_le64(reloc_entry + 24), *bytes = arena_alloc(&o->a, o->size + p->n);
    assert_non_null(bytes);
    for (unsigned i = 0; i < 8; i++) {
        line_entry[24 + i] = (uint8_t)((uint64_t)o->size >> 8 * i);
        line_entry[32 + i] = (uint8_t)((uint64_t)p->n >> 8 * i);
    }
    memset(reloc_entry + 32, 0, 8);
    reloc_entry[32] = 16;
    memset(relocs, 0, 8);
    relocs[0] = (uint8_t)address_at;
    memcpy(bytes, o->bytes, o->size);
    memcpy(bytes + o->size, p->bytes, p->n);
    o->bytes = bytes;
    o->size += p->n;
    read_bytes(o);
}

/* A sequence for the first relocation's function; returns where the relocated operand stands. */
static size_t begin(struct program *p)
{
    start(p);
    size_t at = p->n + 3;
    ADD(p, 0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0);
    return at;
}

static const struct img_kernel *kernel_with_lines(const struct opened *o)
{
    const struct img_kernel *found = NULL;
    for (uint32_t i = 0; i < o->module.kernel_count; i++)
        if (o->module.kernels[i].line_count != 0) {
            assert_null(found);
            found = &o->module.kernels[i];
        }
    return found;
}

static void test_rows(void **state)
{
    (void)state;
    struct program p;
    size_t at = begin(&p);
    ADD(&p, 3, 9, 1);        /* line 10, row at 0 */
    ADD(&p, 0xf0);           /* special: 16 bytes on, one line on */
    ADD(&p, 3, 4, 1);        /* line 15 at the same address: this one counts */
    ADD(&p, 9, 0x20, 0, 1);  /* fixed advance by 32: line 15 at 0x30 */
    ADD(&p, 8, 3, 0x7f, 1);  /* const add: 17 bytes on; line 14 at 0x41 */
    ADD(&p, 2, 15, 0, 1, 1); /* 0x50: the end */
    struct opened o;
    install(&o, &p, at);
    assert_int_equal(o.status, SP_OK);
    const struct img_kernel *k = kernel_with_lines(&o);
    static const uint32_t want[][2] = {{0, 10}, {0x10, 15}, {0x30, 15}, {0x41, 14}, {0x50, 0}};
    assert_int_equal(k->line_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(k->lines[i].offset, want[i][0]);
        assert_int_equal(k->lines[i].line, want[i][1]);
    }
    assert_int_equal(img_line_at(k, 0x4f)->line, 14);
    assert_int_equal(img_line_at(k, 0x60)->file, UINT32_MAX); /* behind the end of the sequence */
    assert_string_equal(o.module.files[k->lines[0].file], "/k/a.cu");
    close_cubin(&o);
}

/* A program that must be refused in part: the reason is told, and the row in question has no wrong chain, file or line.
 */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint8_t bytes[16];
        uint8_t n;
    } programs[] = {
        {"a context that does not come before", {0, 3, 0x90, 1, 0, 3, 9, 1}, 8},
        {"its own row as context", {1, 0, 3, 0x90, 2, 0, 1}, 7},
        {"a file that is not there", {4, 7, 1}, 3},
        {"file 0", {4, 0, 1}, 3},
        {"a line below 0", {3, 0x40, 1}, 3},
        {"a row far behind the code", {2, 0xff, 0xff, 0xff, 0x7f, 1}, 6},
        {"an address of 4 bytes", {0, 5, 2, 0, 0, 0, 0, 1}, 8},
        {"an extended opcode without length", {0, 0}, 2},
        {"an extended opcode beyond the unit", {0, 0x7f, 1}, 3},
        {"a number that does not end", {2, 0xff, 0xff, 0xff, 0xff, 0xff}, 6},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct program p;
        size_t at = begin(&p);
        add(&p, programs[i].bytes, programs[i].n);
        if (i < 7)
            ADD(&p, 0, 1, 1);
        struct opened o;
        install(&o, &p, at);
        print_message("%s\n", programs[i].what);
        assert_int_equal(o.status, SP_ERR_FORMAT);
        assert_true(has_diag(&o, "line-program"));
        assert_int_equal(o.module.kernel_count, 3);
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t n = 0; n < o.module.kernels[k].line_count; n++)
                assert_int_equal(o.module.kernels[k].lines[n].inlined_count, 0);
        close_cubin(&o);
    }
}

/* 69 calls in each other: deeper than we follow, so a diagnostic tells; 64 are followed. */
static void test_depth(void **state)
{
    (void)state;
    struct program p;
    size_t at = begin(&p);
    ADD(&p, 1);
    for (unsigned i = 1; i < 70; i++)
        ADD(&p, 0, 3, 0x90, (uint8_t)i, 0, 1);
    ADD(&p, 0, 1, 1);
    struct opened o;
    install(&o, &p, at);
    assert_true(has_diag(&o, "line-program"));
    close_cubin(&o);

    at = begin(&p); /* 65 rows: 64 levels, still whole */
    ADD(&p, 1);
    for (unsigned i = 1; i < 65; i++)
        ADD(&p, 0, 3, 0x90, (uint8_t)i, 0, 1);
    ADD(&p, 2, 16, 0, 1, 1);
    install(&o, &p, at);
    assert_int_equal(o.status, SP_OK);
    assert_int_equal(kernel_with_lines(&o)->lines[0].inlined_count, 64);
    close_cubin(&o);
}

/* Without a relocation of its own beside others that have one, a sequence belongs to no function that is still there.
 */
static void test_removed(void **state)
{
    (void)state;
    struct program p;
    size_t at = begin(&p);
    ADD(&p, 3, 9, 1, 2, 16, 0, 1, 1);
    ADD(&p, 0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 40, 1, 2, 16, 0, 1, 1);
    struct opened o;
    install(&o, &p, at);
    assert_int_equal(o.status, SP_OK);
    const struct img_kernel *k = kernel_with_lines(&o);
    assert_int_equal(k->line_count, 2);
    assert_int_equal(k->lines[0].line, 10);
    close_cubin(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
