/* Files that hold modules: what compilers make is read to the last byte, and what somebody damaged costs a diagnostic
 * and nothing else. Windows files and LZ4 machine code are put together here: no tool at hand makes them small. */
#define _GNU_SOURCE /* memmem */
#include "image/img_container.h"
#include "image_test.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

enum { FATBIN_HEADER = 16, ENTRY_HEADER = 64, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

struct held {
    struct arena a;
    struct diag_sink diags;
    uint8_t *bytes;
    size_t size;
    struct img_container c;
    enum sp_status status;
};

static void init(struct held *h)
{
    *h = (struct held){0};
    arena_init(&h->a, (size_t)256 << 20);
    diag_init(&h->diags, &h->a);
}

static void load(struct held *h, const char *file)
{
    init(h);
    const char *path = arena_printf(&h->a, "%s/%s", SP_SOURCE_DIR, file);
    assert_int_equal(img_load_file(&h->a, &h->diags, path, 0, &h->bytes, &h->size), SP_OK);
}

static void read_held(struct held *h, const char *name)
{
    h->status = img_container_read(&h->a, &h->diags, name, h->bytes, h->size, &h->c);
}

static bool told(const struct held *h, const char *code)
{
    for (size_t i = 0; i < h->diags.list.n; i++)
        if (strcmp(h->diags.list.p[i].code, code) == 0)
            return true;
    return false;
}

static void unpack_equals(struct held *h, size_t entry, const uint8_t *bytes, size_t size)
{
    const uint8_t *p;
    size_t n;
    assert_true(entry < h->c.entries.n);
    assert_int_equal(img_entry_unpack(&h->a, &h->diags, &h->c.entries.p[entry], &p, &n), SP_OK);
    assert_true(n >= size);
    assert_memory_equal(p, bytes, size);
}

/* ---- what compilers make --------------------------------------------------------------------------- */

static void test_packings(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        enum img_packing cubin, ptx;
    } files[] = {{"packed.none.fatbin", IMG_STORED, IMG_STORED},
                 {"packed.speed.fatbin", IMG_STORED, IMG_LZ4},
                 {"packed.size.fatbin", IMG_ZSTD, IMG_ZSTD}};
    struct held cubin;
    const uint8_t *text = NULL;
    size_t text_bytes = 0;
    load(&cubin, "cubin/sm86/05_nn_ops/softmax_small_f32.cubin");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct held h;
        load(&h, arena_printf(&cubin.a, "test/corpus/fatbin/%s", files[i].file));
        read_held(&h, files[i].file);
        assert_int_equal(h.status, SP_OK);
        assert_int_equal(h.diags.list.n, 0);
        assert_int_equal(h.c.kind, IMG_FATBIN);
        assert_int_equal(h.c.entries.n, 2);
        const struct img_entry *e = h.c.entries.p;
        assert_int_equal(e[0].kind, IMG_ENTRY_CUBIN);
        assert_int_equal(e[0].packing, files[i].cubin);
        assert_int_equal(e[1].kind, IMG_ENTRY_PTX);
        assert_int_equal(e[1].packing, files[i].ptx);
        assert_string_equal(e[0].name, "softmax_small_f32.cu");
        assert_string_equal(e[0].arch, "sm_86");
        assert_string_equal(e[1].member, arena_printf(&h.a, "%s.2", files[i].file));
        unpack_equals(&h, 0, cubin.bytes, cubin.size);
        if (i == 0) { /* the packer has taken the comments out, so that the file itself is no measure */
            assert_int_equal(img_entry_unpack(&cubin.a, &h.diags, &e[1], &text, &text_bytes), SP_OK);
            assert_non_null(memmem(text, text_bytes, "softmax_small_f32_kernel", 24));
            text = memcpy(arena_alloc(&cubin.a, text_bytes), text, text_bytes);
        }
        unpack_equals(&h, 1, text, text_bytes);
        arena_free(&h.a);
    }
    arena_free(&cubin.a);
}

struct expected {
    enum img_entry_kind kind;
    const char *arch, *member, *where;
    uint32_t fatbin;
};

static void expect_file(const char *file, enum img_kind kind, const struct expected *list, size_t n)
{
    struct held h;
    char path[200];
    snprintf(path, sizeof path, "test/corpus/fatbin/%s", file);
    load(&h, path);
    read_held(&h, path);
    assert_int_equal(h.status, SP_OK);
    assert_int_equal(h.diags.list.n, 0);
    assert_int_equal(h.c.kind, kind);
    assert_int_equal(h.c.entries.n, n);
    for (size_t i = 0; i < n; i++) {
        const struct img_entry *e = &h.c.entries.p[i];
        assert_int_equal(e->kind, list[i].kind);
        assert_string_equal(e->arch, list[i].arch);
        assert_string_equal(e->member, list[i].member);
        assert_string_equal(e->where, list[i].where);
        assert_int_equal(e->fatbin, list[i].fatbin);
        const uint8_t *p;
        size_t m;
        enum sp_status status = img_entry_unpack(&h.a, &h.diags, e, &p, &m);
        assert_int_equal(status, e->kind == IMG_ENTRY_LTO ? SP_ERR_UNSUPPORTED : SP_OK);
        if (e->kind == IMG_ENTRY_CUBIN) {
            struct img_module module;
            assert_int_equal(img_read_module(&h.a, &h.diags, "x", p, m, &module), SP_OK);
            assert_int_equal(module.kernel_count, 1);
            assert_int_equal(module.virtual_sm, module.sm);
        }
    }
    arena_free(&h.a);
}

static void test_host_files(void **state)
{
    (void)state;
    static const char nv[] = ".nv_fatbin", rel[] = "__nv_relfatbin";
    static const struct expected host[] = {{IMG_ENTRY_CUBIN, "sm_75", "host.o.1", nv, 0},
                                           {IMG_ENTRY_PTX, "sm_75", "host.o.2", nv, 0},
                                           {IMG_ENTRY_CUBIN, "sm_90a", "host.o.3", nv, 0}};
    static const struct expected relocatable[] = {{IMG_ENTRY_CUBIN, "sm_86", "relocatable.o.1", rel, 0},
                                                  {IMG_ENTRY_PTX, "sm_86", "relocatable.o.2", rel, 0}};
    static const struct expected lto[] = {{IMG_ENTRY_LTO, "sm_86", "lto.o.1", rel, 0}};
    /* Two fatbins in one section. */
    static const struct expected shared[] = {{IMG_ENTRY_CUBIN, "sm_80", "shared.so.1", nv, 0},
                                             {IMG_ENTRY_PTX, "sm_80", "shared.so.2", nv, 0},
                                             {IMG_ENTRY_CUBIN, "sm_80", "shared.so.3", nv, 1},
                                             {IMG_ENTRY_PTX, "sm_80", "shared.so.4", nv, 1}};
    static const char *const long_name = "a_member_with_a_long_name.o(__nv_relfatbin)";
    const struct expected archive[] = {{IMG_ENTRY_CUBIN, "sm_86", "a_member_with_a_long_name.o.1", long_name, 0},
                                       {IMG_ENTRY_PTX, "sm_86", "a_member_with_a_long_name.o.2", long_name, 0},
                                       {IMG_ENTRY_PTX, "sm_90", "ptx.o.3", "ptx.o(.nv_fatbin)", 1}};
    expect_file("host.o", IMG_HOST_ELF, host, 3);
    expect_file("relocatable.o", IMG_HOST_ELF, relocatable, 2);
    expect_file("lto.o", IMG_HOST_ELF, lto, 1);
    expect_file("shared.so", IMG_HOST_ELF, shared, 4);
    expect_file("static.a", IMG_ARCHIVE, archive, 3);
}

/* A program without a section table is searched. */
static void test_no_sections(void **state)
{
    (void)state;
    struct held h;
    load(&h, "test/corpus/fatbin/shared.so");
    memset(h.bytes + 40, 0, 8);
    memset(h.bytes + 60, 0, 4);
    read_held(&h, "shared.so");
    assert_int_equal(h.status, SP_OK);
    assert_int_equal(h.c.entries.n, 4);
    assert_int_equal(h.c.fatbins, 2);
    arena_free(&h.a);
}

/* ---- made here --------------------------------------------------------------------------------------- */

struct maker {
    uint8_t bytes[64 * 1024];
    size_t n;
};

static void put(struct maker *m, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        m->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static size_t begin_fatbin(struct maker *m)
{
    size_t at = m->n;
    put(m, at, 4, 0xba55ed50u);
    put(m, at + 4, 2, 1);
    put(m, at + 6, 2, FATBIN_HEADER);
    m->n += FATBIN_HEADER;
    return at;
}

static void end_fatbin(struct maker *m, size_t at)
{
    put(m, at + 8, 8, m->n - at - FATBIN_HEADER);
}

static size_t add_entry(struct maker *m, unsigned kind, uint64_t flags, const void *bytes, size_t stored,
                        uint64_t unpacked)
{
    size_t at = m->n, payload = (stored + 7) / 8 * 8;
    assert_true(m->n + ENTRY_HEADER + payload <= sizeof m->bytes);
    memset(m->bytes + at, 0, ENTRY_HEADER + payload);
    put(m, at, 2, kind);
    put(m, at + 2, 2, 0x101);
    put(m, at + 4, 4, ENTRY_HEADER);
    put(m, at + 8, 8, payload);
    put(m, at + 0x10, 4, unpacked ? stored : 0);
    put(m, at + 0x1c, 4, 86);
    put(m, at + 0x28, 8, flags);
    put(m, at + 0x38, 8, unpacked);
    memcpy(m->bytes + at + ENTRY_HEADER, bytes, stored);
    m->n += ENTRY_HEADER + payload;
    return at;
}

static void take(struct held *h, const struct maker *m)
{
    init(h);
    h->size = m->n;
    h->bytes = arena_alloc(&h->a, m->n);
    memcpy(h->bytes, m->bytes, m->n);
    read_held(h, "made");
}

static void test_lz4_machine_code(void **state)
{
    (void)state;
    static struct maker m;
    struct held cubin, h;
    static char packed[32 * 1024];
    m.n = 0;
    load(&cubin, "cubin/sm86/02_control/clamp_f32.cubin");
    int n = LZ4_compress_default((const char *)cubin.bytes, packed, (int)cubin.size, sizeof packed);
    assert_true(n > 0);
    size_t f = begin_fatbin(&m);
    add_entry(&m, 2, FLAG_LZ4, packed, (size_t)n, cubin.size);
    end_fatbin(&m, f);
    take(&h, &m);
    assert_int_equal(h.status, SP_OK);
    unpack_equals(&h, 0, cubin.bytes, cubin.size);
    arena_free(&h.a);
    arena_free(&cubin.a);
}

/* What the header says is not believed: sizes too large for what is packed, and those that the bytes do not have. */
static void test_sizes_said(void **state)
{
    (void)state;
    static struct maker m;
    static const char text[] = ".version 8.0\n.target sm_86\n.address_size 64\n// and a line that is not packed\n";
    char lz4[256], zstd[256];
    int nl = LZ4_compress_default(text, lz4, sizeof text, sizeof lz4);
    size_t nz = ZSTD_compress(zstd, sizeof zstd, text, sizeof text, 3);
    static const uint64_t said[] = {sizeof text - 1,   sizeof text + 1,   1,         100000,
                                    UINT64_C(2) << 20, UINT64_C(1) << 40, UINT64_MAX};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        for (int z = 0; z < 2; z++) {
            struct held h;
            const uint8_t *p;
            size_t n;
            m.n = 0;
            size_t f = begin_fatbin(&m);
            add_entry(&m, 1, z ? FLAG_ZSTD : FLAG_LZ4, z ? zstd : lz4, z ? nz : (size_t)nl, said[i]);
            add_entry(&m, 1, 0, text, sizeof text, 0);
            end_fatbin(&m, f);
            take(&h, &m);
            assert_int_equal(h.c.entries.n, 2);
            assert_int_equal(h.status, said[i] > UINT64_C(1) << 20 ? SP_ERR_FORMAT : SP_OK);
            assert_int_equal(told(&h, "fatbin-too-large"), said[i] > UINT64_C(1) << 20);
            size_t before = h.a.used;
            assert_int_equal(img_entry_unpack(&h.a, &h.diags, &h.c.entries.p[0], &p, &n), SP_ERR_FORMAT);
            assert_true(h.diags.list.n > 0);
            assert_true(h.a.used - before < 200000); /* nothing is allocated for a lie that a look at it shows */
            unpack_equals(&h, 1, (const uint8_t *)text, sizeof text);
            arena_free(&h.a);
        }
}

/* A megabyte of nothing in a few bytes, many times: the file as a whole has a budget, too. */
static void test_bombs(void **state)
{
    (void)state;
    static struct maker m;
    enum { MEGABYTE = 1 << 20, TIMES = 90 };
    char *zeros = calloc(16, MEGABYTE);
    char packed[2048];
    size_t n = ZSTD_compress(packed, sizeof packed, zeros, (size_t)16 * MEGABYTE, 19);
    assert_false(ZSTD_isError(n));
    m.n = 0;
    size_t f = begin_fatbin(&m);
    for (int i = 0; i < TIMES && m.n + ENTRY_HEADER + n + 8 < sizeof m.bytes; i++)
        add_entry(&m, 2, FLAG_ZSTD, packed, n, (uint64_t)16 * MEGABYTE);
    end_fatbin(&m, f);
    struct held h;
    take(&h, &m);
    uint64_t all = 0;
    for (size_t i = 0; i < h.c.entries.n; i++)
        all += h.c.entries.p[i].readable ? h.c.entries.p[i].unpacked : 0;
    assert_true(all <= (UINT64_C(1) << 30) + 64 * m.n);
    arena_free(&h.a);
    free(zeros);
}

static void test_damaged_sizes(void **state)
{
    (void)state;
    static struct maker m;
    static const char text[] = ".version 8.0\n.target sm_86\n.address_size 64\n";
    static const struct {
        size_t at; /* from the second entry; 0x1000: from the first fatbin, 0x2000: from the second */
        unsigned width;
        uint64_t value;
        size_t kept; /* entries */
    } cases[] = {
        {4, 4, 0, 3},           {4, 4, 63, 3},      {4, 4, 0xffffffff, 3},   {4, 4, 1 << 20, 3},
        {8, 8, UINT64_MAX, 4},  {8, 8, 1 << 20, 4}, {0x1008, 8, 1 << 20, 4}, {0x1008, 8, UINT64_MAX, 4},
        {0x1008, 8, 100, 3},    {0x1006, 2, 8, 4},  {0x1006, 2, 0xffff, 4},  {0x1004, 2, 7, 4},
        {0x2000, 4, 0x1234, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        m.n = 0;
        size_t f = begin_fatbin(&m);
        add_entry(&m, 1, 0, text, sizeof text, 0);
        size_t second = add_entry(&m, 1, 0, text, sizeof text, 0);
        end_fatbin(&m, f);
        f = begin_fatbin(&m); /* its neighbour is found whatever happens to the first */
        add_entry(&m, 1, 0, text, sizeof text, 0);
        add_entry(&m, 1, 0, text, sizeof text, 0);
        end_fatbin(&m, f);
        put(&m,
            (cases[i].at & 0x1000   ? 0
             : cases[i].at & 0x2000 ? f
                                    : second) +
                (cases[i].at & 0xfff),
            cases[i].width, cases[i].value);
        struct held h;
        take(&h, &m);
        assert_int_equal(h.status, SP_ERR_FORMAT);
        assert_true(h.c.damaged && h.diags.list.n > 0);
        if (h.c.entries.n < cases[i].kept)
            print_error("case %zu: %zu entries of %zu\n", i, h.c.entries.n, cases[i].kept);
        assert_true(h.c.entries.n >= cases[i].kept);
        arena_free(&h.a);
    }
}

/* Cut anywhere, a file gives what stands before the cut. */
static void test_cut(void **state)
{
    (void)state;
    static const char *const files[] = {"packed.size.fatbin", "host.o", "static.a"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[100];
        struct held whole;
        snprintf(path, sizeof path, "test/corpus/fatbin/%s", files[f]);
        load(&whole, path);
        for (size_t n = 0; n < whole.size; n += 1 + n / 97) {
            struct held h;
            init(&h);
            h.size = n;
            h.bytes = malloc(n ? n : 1); /* exactly so many, for the sanitizers */
            memcpy(h.bytes, whole.bytes, n);
            read_held(&h, "cut");
            assert_true(h.status != SP_OK || h.c.entries.n > 0);
            assert_true(h.status == SP_OK || h.diags.list.n > 0);
            for (size_t i = 0; i < h.c.entries.n; i++) {
                const uint8_t *p;
                size_t size;
                img_entry_unpack(&h.a, &h.diags, &h.c.entries.p[i], &p, &size);
            }
            free(h.bytes);
            arena_free(&h.a);
        }
        arena_free(&whole.a);
    }
}

/* ---- archives and Windows ------------------------------------------------------------------------------ */

static void add_member(struct maker *m, const char *name, const void *bytes, size_t n)
{
    char header[61];
    snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", name, 0, 0, 0, 644, n);
    memcpy(m->bytes + m->n, header, 60);
    memcpy(m->bytes + m->n + 60, bytes, n);
    m->n += 60 + n;
    if (m->n % 2)
        m->bytes[m->n++] = '\n';
}

static void test_archives(void **state)
{
    (void)state;
    static struct maker m, inner;
    static const char text[] = "a text is nobody's module";
    struct held h, cubin;
    load(&cubin, "cubin/sm86/02_control/clamp_f32.cubin");
    m = (struct maker){0};
    memcpy(m.bytes, "!<arch>\n", 8);
    m.n = 8;
    add_member(&m, "/", text, sizeof text);
    add_member(&m, "//", "long/path/to/gnu.o/\nC:\\x\\windows.obj\0", 38);
    add_member(&m, "readme/", text, sizeof text);
    add_member(&m, "/0", cubin.bytes, cubin.size);
    add_member(&m, "/20", cubin.bytes, cubin.size);
    char bsd[8192] = "a bsd member";
    memcpy(bsd + 20, cubin.bytes, cubin.size);
    add_member(&m, "#1/20", bsd, cubin.size + 20);
    inner = (struct maker){0};
    memcpy(inner.bytes, "!<arch>\n", 8);
    inner.n = 8;
    add_member(&inner, "x.o/", cubin.bytes, cubin.size);
    add_member(&m, "in.a/", inner.bytes, inner.n);
    add_member(&m, "last/", cubin.bytes, cubin.size);
    take(&h, &m);
    static const char *const names[] = {"gnu.o.1", "windows.obj.2", "a bsd member.3", "last.4"};
    assert_int_equal(h.c.entries.n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(h.c.entries.p[i].member, names[i]);
        unpack_equals(&h, i, cubin.bytes, cubin.size);
    }
    assert_int_equal(h.status, SP_ERR_FORMAT);
    assert_true(told(&h, "archive-nested"));
    arena_free(&h.a);
    memcpy(m.bytes, "!<thin>\n", 8);
    take(&h, &m);
    assert_true(told(&h, "archive-thin"));
    arena_free(&h.a);
    arena_free(&cubin.a);
}

/* An object, an object with many sections, an image: one section each. */
static void test_windows(void **state)
{
    (void)state;
    static struct maker m;
    static const char text[] = ".version 8.0\n.target sm_86\n.address_size 64\n";
    for (int form = 0; form < 3; form++) {
        bool big = form == 1, image = form == 2;
        struct held h;
        m = (struct maker){0};
        size_t header = image ? 0x84 : 0, table = big ? 56 : header + 20 + (image ? 16 : 0), fatbin = 0x200;
        if (image) {
            memcpy(m.bytes, "MZ", 2);
            put(&m, 0x3c, 4, 0x80);
            memcpy(m.bytes + 0x80, "PE\0\0", 4);
        }
        if (big) {
            put(&m, 2, 2, 0xffff);
            put(&m, 4, 2, 2);
            put(&m, 6, 2, 0x8664);
            put(&m, 44, 4, 1);
            put(&m, 48, 4, 0x100);
        } else {
            put(&m, header, 2, 0x8664);
            put(&m, header + 2, 2, 1);
            put(&m, header + 8, 4, 0x100);
            put(&m, header + 16, 2, image ? 16 : 0);
        }
        memcpy(m.bytes + 0x100 + 4, ".nv_fatbin", 10); /* no symbols: their text follows at once */
        memcpy(m.bytes + table, image ? ".nv_fatb" : "/4\0\0\0\0\0", 8);
        m.n = fatbin;
        size_t f = begin_fatbin(&m);
        add_entry(&m, 1, 0, text, sizeof text, 0);
        end_fatbin(&m, f);
        put(&m, table + 8, 4, m.n - fatbin);
        put(&m, table + 20, 4, fatbin);
        m.n += 40;
        put(&m, table + 16, 4, m.n - fatbin);
        take(&h, &m);
        assert_int_equal(h.status, SP_OK);
        assert_int_equal(h.c.kind, IMG_HOST_PE);
        assert_int_equal(h.c.entries.n, 1);
        unpack_equals(&h, 0, (const uint8_t *)text, sizeof text);
        put(&m, table + 20, 4, 0xfffffff0u);
        arena_free(&h.a);
        take(&h, &m);
        assert_true(told(&h, "host-truncated"));
        arena_free(&h.a);
    }
}

/* Many sections that are one and the same do not make the work quadratic. */
static void test_shared_sections(void **state)
{
    (void)state;
    enum { SECTIONS = 600 };
    static struct maker m;
    static const char text[] = ".version 8.0\n";
    m = (struct maker){0};
    memcpy(m.bytes, "\177ELF\2\1\1", 7);
    put(&m, 18, 2, 62);
    put(&m, 40, 8, 64);
    put(&m, 58, 2, 64);
    put(&m, 60, 2, SECTIONS);
    put(&m, 62, 2, 0);
    size_t names = 64 + SECTIONS * 64, at = names + 16;
    memcpy(m.bytes + names, ".nv_fatbin", 10);
    m.n = at;
    size_t f = begin_fatbin(&m);
    for (int i = 0; i < 200; i++)
        add_entry(&m, 1, 0, text, sizeof text, 0);
    end_fatbin(&m, f);
    put(&m, 64 + 24, 8, names);
    put(&m, 64 + 32, 8, 16);
    put(&m, 64, 4, 15);
    for (int i = 1; i < SECTIONS; i++) {
        put(&m, 64 + 64u * i + 24, 8, at);
        put(&m, 64 + 64u * i + 32, 8, m.n - at);
    }
    struct held h;
    take(&h, &m);
    assert_true(told(&h, "host-sections"));
    assert_true(h.c.entries.n >= 200 && h.c.entries.n < 4000);
    arena_free(&h.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packings),        cmocka_unit_test(test_host_files),
        cmocka_unit_test(test_no_sections),     cmocka_unit_test(test_lz4_machine_code),
        cmocka_unit_test(test_sizes_said),      cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_damaged_sizes),   cmocka_unit_test(test_cut),
        cmocka_unit_test(test_archives),        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_shared_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
