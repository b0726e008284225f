/* 10,000 damaged cubins: no crash, no hang, no access outside the file (run under sanitizers too), always a status, and
 * an error with a text whenever the status is not SP_OK. Also: what the reader hands over is consistent in itself,
 * damaged or not, so that the rooms above need not check it again.
 *
 * The mutations are drawn from a fixed seed: plain ones (cut, flipped bits, overwritten runs) and ones that know the
 * format (header fields, section entries, attribute lengths, symbols, relocations, line-program opcodes, names). Each
 * input stands in a block of exactly its size, so that a sanitizer sees the first byte too far. */
#include "base/bits.h"
#include "image_test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { MUTATIONS = 10000, FILES_MAX = 64, SECTION_BYTES = 64 };

struct sample {
    char name[96];
    uint8_t *bytes;
    size_t size;
};

/* xorshift64*: the same numbers everywhere. */
static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static uint32_t below(uint64_t *state, size_t n)
{
    return n != 0 ? (uint32_t)((next(state) >> 11) % n) : 0;
}

/* Numbers that break readers, and some that do not. */
static uint64_t odd_number(uint64_t *state)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       4,
                                       7,
                                       8,
                                       15,
                                       16,
                                       0x7f,
                                       0x80,
                                       0xff,
                                       0x100,
                                       0x7fff,
                                       0x8000,
                                       0xffff,
                                       0x10000,
                                       0x7fffffff,
                                       0x80000000,
                                       0xfffffff0,
                                       0xffffffff,
                                       0x100000000,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0xffffffffffffff00,
                                       0xfffffffffffffff0,
                                       0xffffffffffffffff};
    unsigned kind = below(state, 4);
    if (kind == 0)
        return below(state, 65536);
    uint64_t n = numbers[below(state, sizeof numbers / sizeof *numbers)];
    return kind == 1 ? n + below(state, 16) : n;
}

static void put(uint8_t *bytes, size_t size, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width && at + i < size; i++)
        bytes[at + i] = (uint8_t)(value >> 8 * i);
}

struct span {
    size_t at, size;
};

/* Where section `index` lies, cut to the file. */
static struct span section_of(const uint8_t *bytes, size_t size, unsigned index)
{
    uint64_t table = bits_le64(bytes + 40);
    struct span none = {0, 0};
    if (table > size || size - table < (size_t)(index + 1) * SECTION_BYTES)
        return none;
    const uint8_t *entry = bytes + table + (size_t)index * SECTION_BYTES;
    uint64_t at = bits_le64(entry + 24), length = bits_le64(entry + 32);
    if (at >= size || bits_le32(entry + 4) == 8)
        return none;
    return (struct span){(size_t)at, length < size - at ? (size_t)length : size - (size_t)at};
}

static uint32_t section_type(const uint8_t *bytes, size_t size, unsigned index)
{
    uint64_t table = bits_le64(bytes + 40);
    if (table > size || size - table < (size_t)(index + 1) * SECTION_BYTES)
        return 0;
    return bits_le32(bytes + table + (size_t)index * SECTION_BYTES + 4);
}

/* A section of one of two types, or any when none is met in a few tries. */
static struct span pick_section(const uint8_t *bytes, size_t size, uint64_t *state, uint32_t type, uint32_t other)
{
    unsigned count = bits_le16(bytes + 60);
    struct span span = {0, 0};
    for (unsigned tries = 0; tries < 64; tries++) {
        unsigned index = below(state, count);
        uint32_t is = section_type(bytes, size, index);
        span = section_of(bytes, size, index);
        if (span.size != 0 && (is == type || is == other))
            return span;
    }
    return span;
}

/* The span of the section with that name; names are in section 1 of our samples. */
static struct span named_section(const uint8_t *bytes, size_t size, const char *name)
{
    unsigned count = bits_le16(bytes + 60);
    struct span names = section_of(bytes, size, 1), none = {0, 0};
    for (unsigned i = 0; i < count; i++) {
        uint64_t table = bits_le64(bytes + 40);
        if (table > size || size - table < (size_t)(i + 1) * SECTION_BYTES)
            return none;
        uint32_t offset = bits_le32(bytes + table + (size_t)i * SECTION_BYTES);
        if (offset < names.size && strncmp((const char *)bytes + names.at + offset, name, names.size - offset) == 0)
            return section_of(bytes, size, i);
    }
    return none;
}

static void mutate_header(uint8_t *bytes, size_t size, uint64_t *state)
{
    static const uint8_t fields[][2] = {{4, 1},  {5, 1},  {7, 1},  {8, 1},  {16, 2}, {18, 2}, {20, 4}, {40, 8},
                                        {48, 4}, {49, 1}, {58, 2}, {60, 2}, {60, 2}, {62, 2}, {32, 8}, {56, 2}};
    unsigned i = below(state, sizeof fields / sizeof *fields);
    put(bytes, size, fields[i][0], fields[i][1], odd_number(state));
}

static void mutate_section_entry(uint8_t *bytes, size_t size, uint64_t *state)
{
    static const uint8_t fields[][2] = {{0, 4}, {4, 4}, {8, 8}, {24, 8}, {32, 8}, {40, 4}, {44, 4}, {48, 8}, {56, 8}};
    uint64_t table = bits_le64(bytes + 40);
    size_t fit = table < size ? (size - (size_t)table) / SECTION_BYTES : 0, count = bits_le16(bytes + 60);
    if (count > fit)
        count = fit;
    if (count == 0)
        return;
    size_t entry = (size_t)table + below(state, count) * SECTION_BYTES;
    unsigned i = below(state, sizeof fields / sizeof *fields);
    uint64_t value = odd_number(state);
    if (below(state, 3) == 0) /* take the field of another section: overlaps, wrong types, wrong links */
        value = bits_le64(bytes + table + (size_t)below(state, count) * SECTION_BYTES + fields[i][0]);
    put(bytes, size, entry + fields[i][0], fields[i][1], value);
}

static void mutate_attribute(uint8_t *bytes, size_t size, uint64_t *state)
{
    struct span s = pick_section(bytes, size, state, 0x70000000, 0x70000086);
    if (s.size < 4)
        return;
    size_t at = s.at + 4 * (size_t)below(state, s.size / 4);
    static const uint8_t known[] = {0x05, 0x0a, 0x10, 0x11, 0x12, 0x17, 0x19, 0x2f, 0x45, 0x4c, 0x55};
    switch (below(state, 4)) {
    case 0: put(bytes, size, at, 1, below(state, 8)); break;
    case 1: put(bytes, size, at + 1, 1, known[below(state, sizeof known)]); break;
    case 2: put(bytes, size, at + 2, 2, odd_number(state)); break;
    default: put(bytes, size, at, 4, odd_number(state)); break;
    }
}

static void mutate_symbol(uint8_t *bytes, size_t size, uint64_t *state)
{
    static const uint8_t fields[][2] = {{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}};
    struct span s = pick_section(bytes, size, state, 2, 2);
    size_t at = s.at + 24 * (size_t)below(state, s.size / 24);
    unsigned i = below(state, sizeof fields / sizeof *fields);
    put(bytes, size, at + fields[i][0], fields[i][1], odd_number(state));
}

static void mutate_reloc(uint8_t *bytes, size_t size, uint64_t *state)
{
    struct span s = pick_section(bytes, size, state, 4, 9);
    put(bytes, size, s.at + 4 * (size_t)below(state, s.size / 4), below(state, 2) ? 4 : 8, odd_number(state));
}

static void mutate_lines(uint8_t *bytes, size_t size, uint64_t *state)
{
    struct span s = named_section(bytes, size, below(state, 3) ? ".debug_line" : ".nv_debug_line_sass");
    if (s.size == 0)
        return;
    static const uint8_t bytes_of_interest[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 0x7f, 0x80, 0x90, 0x91, 0xff};
    size_t head = below(state, 2) ? s.size : (s.size < 64 ? s.size : 64);
    for (unsigned n = 1 + below(state, 4); n != 0; n--)
        put(bytes, size, s.at + below(state, head), 1, bytes_of_interest[below(state, sizeof bytes_of_interest)]);
    if (below(state, 8) == 0) /* an inlining opcode with a large operand somewhere */
        put(bytes, size, s.at + below(state, s.size), 6, UINT64_C(0x0fffff900300));
}

static void mutate_name(uint8_t *bytes, size_t size, uint64_t *state)
{
    static const char *const pieces[] = {"_Z", "S_",     "S0_S0_", "IJ",   "E",  "T_",
                                         "$",  ".text.", ".nv.",   "PPPP", "N1", "99999999999"};
    struct span s = pick_section(bytes, size, state, 3, 3);
    const char *piece = pieces[below(state, sizeof pieces / sizeof *pieces)];
    size_t at = s.at + below(state, s.size);
    for (unsigned n = 1 + below(state, 20); n != 0; n--)
        for (const char *p = piece; *p != 0 && at < s.at + s.size; p++)
            bytes[at++] = (uint8_t)*p;
}

static void mutate_bits(uint8_t *bytes, size_t size, uint64_t *state)
{
    for (unsigned n = 1 + below(state, 16); n != 0; n--)
        bytes[below(state, size)] ^= (uint8_t)(1u << below(state, 8));
}

static void mutate_run(uint8_t *bytes, size_t size, uint64_t *state)
{
    size_t at = below(state, size), n = below(state, 256), from = below(state, size);
    bool copy = below(state, 2);
    for (size_t i = 0; i < n && at + i < size && from + i < size; i++)
        bytes[at + i] = copy ? bytes[from + i] : (uint8_t)next(state);
}

static void mutate(uint8_t *bytes, size_t *size, uint64_t *state)
{
    static void (*const kinds[])(uint8_t *, size_t, uint64_t *) = {
        mutate_header, mutate_section_entry, mutate_section_entry, mutate_attribute, mutate_attribute, mutate_symbol,
        mutate_reloc,  mutate_lines,         mutate_lines,         mutate_name,      mutate_bits,      mutate_run,
    };
    unsigned rounds = 1 + below(state, 4);
    for (unsigned i = 0; i < rounds; i++)
        if (*size >= 64)
            kinds[below(state, sizeof kinds / sizeof *kinds)](bytes, *size, state);
    if (below(state, 8) == 0)
        *size = below(state, *size);
}

static void check_kernel(const struct img_module *m, const struct img_kernel *k, const uint8_t *bytes, size_t size)
{
    assert_non_null(k->name);
    assert_non_null(k->demangled);
    assert_non_null(k->section);
    assert_int_equal(k->code_bytes % 16, 0);
    if (k->code_bytes != 0)
        assert_true(k->code >= bytes && k->code + k->code_bytes <= bytes + size);
    assert_true(k->registers >= -1 && k->registers <= 255);
    assert_true(k->shared_bytes >= -1 && k->stack_bytes >= -1 && k->barriers >= -1);
    for (uint32_t i = 0; i < k->param_count && k->params_known; i++)
        assert_true(k->params[i].index == i && k->params[i].offset + k->params[i].size <= k->param_bytes);
    for (uint32_t i = 0; i < k->spill_count; i++)
        assert_true(k->spills[i] < k->code_bytes && (i == 0 || k->spills[i - 1] <= k->spills[i]));
    for (uint32_t i = 0; i < k->line_count; i++) {
        const struct img_line *line = &k->lines[i];
        assert_true(line->offset < k->code_bytes && (i == 0 || k->lines[i - 1].offset < line->offset));
        assert_true(line->file < m->file_count || line->file == UINT32_MAX);
        for (uint32_t n = 0; n < line->inlined_count; n++)
            assert_true(line->inlined[n].file < m->file_count || line->inlined[n].file == UINT32_MAX);
    }
    for (uint32_t i = 0; i < k->ptx_line_count; i++)
        assert_true(k->ptx_lines[i].offset < k->code_bytes &&
                    (i == 0 || k->ptx_lines[i - 1].offset < k->ptx_lines[i].offset));
    for (uint32_t i = 0; i < k->reloc_count; i++)
        assert_true(k->relocs[i].offset < k->code_bytes && k->relocs[i].symbol != NULL);
    for (uint32_t i = 0; i < k->subroutine_count; i++)
        assert_true(k->subroutines[i].name != NULL && k->subroutines[i].offset < k->code_bytes &&
                    k->subroutines[i].size <= k->code_bytes - k->subroutines[i].offset);
    for (unsigned i = 0; i < 18; i++)
        assert_true(k->constant_bank[i] == NULL ||
                    (k->constant_bank[i] >= bytes && k->constant_bank[i] + k->constant_bytes[i] <= bytes + size));
}

static void check_one(const uint8_t *bytes, size_t size, unsigned tally[3])
{
    struct arena a;
    struct diag_sink diags;
    struct img_module m;
    arena_init(&a, (size_t)128 << 20);
    diag_init(&diags, &a);
    enum sp_status status = img_read_module(&a, &diags, "mutated", bytes, size, &m);
    bool error = false;
    for (size_t i = 0; i < diags.list.n; i++) {
        assert_non_null(diags.list.p[i].code);
        assert_true(diags.list.p[i].message != NULL && diags.list.p[i].message[0] != 0);
        error = error || diags.list.p[i].severity == DIAG_ERROR;
    }
    assert_int_equal(error, status != SP_OK);
    assert_int_equal(m.status == IMG_COMPLETE, status == SP_OK);
    assert_false(arena_failed(&a)); /* 128 MiB is much for files of 4 to 34 KB */
    assert_true(a.used <= 64 * size + (1 << 20));
    for (uint32_t i = 0; i < m.kernel_count; i++)
        check_kernel(&m, &m.kernels[i], bytes, size);
    tally[m.status]++;
    arena_free(&a);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sample *)a)->name, ((const struct sample *)b)->name);
}

static unsigned load_samples(struct arena *a, struct sample *samples)
{
    struct diag_sink diags;
    diag_init(&diags, a);
    DIR *dir = opendir(SP_SOURCE_DIR "/test/corpus/image");
    assert_non_null(dir);
    unsigned count = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL && count < FILES_MAX;) {
        size_t n = strlen(e->d_name);
        if (n < 6 || n >= sizeof samples[0].name || strcmp(e->d_name + n - 6, ".cubin") != 0)
            continue;
        struct sample *s = &samples[count++];
        strcpy(s->name, e->d_name);
        const char *path = arena_printf(a, SP_SOURCE_DIR "/test/corpus/image/%s", e->d_name);
        assert_int_equal(img_load_file(a, &diags, path, 0, &s->bytes, &s->size), SP_OK);
    }
    closedir(dir);
    qsort(samples, count, sizeof *samples, by_name); /* the order of a folder differs between machines */
    return count;
}

static void test_mutations(void **unused)
{
    (void)unused;
    struct arena a;
    arena_init(&a, 0);
    static struct sample samples[FILES_MAX];
    unsigned count = load_samples(&a, samples), tally[3] = {0};
    assert_true(count >= 40);
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 0; i < MUTATIONS; i++) {
        const struct sample *s = &samples[below(&state, count)];
        uint8_t *scratch = malloc(s->size);
        size_t size = s->size;
        memcpy(scratch, s->bytes, size);
        mutate(scratch, &size, &state);
        uint8_t *exact = malloc(size != 0 ? size : 1);
        memcpy(exact, scratch, size);
        free(scratch);
        check_one(exact, size, tally);
        free(exact);
    }
    print_message("%u mutations: %u read whole, %u in part, %u not\n", MUTATIONS, tally[IMG_COMPLETE],
                  tally[IMG_PARTIAL], tally[IMG_UNREADABLE]);
    /* The mutations bite, and most of what is left is still given. */
    assert_true(tally[IMG_PARTIAL] > MUTATIONS / 4);
    assert_true(tally[IMG_UNREADABLE] < MUTATIONS / 4);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
