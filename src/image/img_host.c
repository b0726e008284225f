/* Host files that compilers put fatbins into: ELF programs, libraries and objects of 32 and 64 bits, Windows images and
 * COFF objects. Only their section tables are read.
 *
 * requires: a range that begins with such a file · gives: entries, by img_fatbin_walk() on each section that holds some
 */
#include "base/bits.h"
#include "base/str.h"
#include "image/img_elf.h"
#include "image/img_holder.h"

#include <inttypes.h>
#include <string.h>

enum { SHN_XINDEX = 0xffff, ELF_TYPE_AT = 16, ELF_CLASS = 4, ELF_DATA = 5, CLASS_32 = 1, LITTLE_ENDIAN_DATA = 1 };

/* What nvcc and clang call them. A Windows image has room for eight characters. */
static bool holds_fatbins(const char *name, size_t n)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin", ".nv_fatb", "__nv_rel"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return true;
    return false;
}

static bool is_relocatable_part(const char *name)
{
    return name[0] == '_';
}

/* A linked file may keep what the device linker was given (`-rdc=true`) beside what it made: kernels stand there twice,
 * and those that run are the linked ones. `first`: the file's first entry. */
static void mark_linker_inputs(struct img_holding *h, size_t first)
{
    bool made = false;
    for (size_t i = first; i < h->out->entries.n && !made; i++)
        made = !h->out->entries.p[i].of_relocatable && h->out->entries.p[i].kind == IMG_ENTRY_CUBIN &&
               h->out->entries.p[i].readable;
    for (size_t i = first; i < h->out->entries.n && made; i++)
        h->out->entries.p[i].linker_input = h->out->entries.p[i].of_relocatable;
}

/* One section by name and place; what lies outside the file is told. */
static void read_section(struct img_holding *h, struct img_range file, const char *name, uint64_t offset, uint64_t size)
{
    size_t room = offset < file.size ? file.size - (size_t)offset : 0;
    size_t have = size < room ? (size_t)size : room;
    if (have < size)
        img_hold_damage(h, "host-truncated", img_hold_name(h, name), 0,
                        "a section of %" PRIu64 " bytes at 0x%" PRIx64 ", the file has %zu: %zu bytes of it are there",
                        size, offset, file.size, have);
    if (have > h->section_budget) {
        img_hold_damage(h, "host-sections", img_hold_name(h, name), 0, "too many sections share bytes: it is not read");
        return;
    }
    h->section_budget -= have;
    size_t first = h->out->entries.n;
    if (have)
        img_fatbin_walk(h, (struct img_range){.name = name, .bytes = file.bytes + offset, .size = have});
    for (size_t i = first; i < h->out->entries.n; i++)
        h->out->entries.p[i].of_relocatable = is_relocatable_part(name);
}

/* ---- ELF ---------------------------------------------------------------------------------------- */

struct elf_table {
    bool wide; /* 64 bits */
    const uint8_t *rows;
    uint64_t count;
    size_t row_bytes;
};

struct elf_row {
    uint32_t name, type, link;
    uint64_t offset, size;
};

static struct elf_row elf_row(const struct elf_table *t, uint64_t i)
{
    const uint8_t *p = t->rows + i * t->row_bytes;
    if (t->wide)
        return (struct elf_row){.name = bits_le32(p),
                                .type = bits_le32(p + 4),
                                .offset = bits_le64(p + 24),
                                .size = bits_le64(p + 32),
                                .link = bits_le32(p + 40)};
    return (struct elf_row){.name = bits_le32(p),
                            .type = bits_le32(p + 4),
                            .offset = bits_le32(p + 16),
                            .size = bits_le32(p + 20),
                            .link = bits_le32(p + 24)};
}

/* False: there is no section table. */
static bool open_table(struct img_holding *h, struct img_range file, struct elf_table *t, uint64_t *names)
{
    enum { HEADER_32 = 52, HEADER_64 = 64, ROW_32 = 40, ROW_64 = 64 };
    const uint8_t *b = file.bytes;
    if (file.size < HEADER_32 || b[ELF_DATA] != LITTLE_ENDIAN_DATA)
        return false;
    t->wide = b[ELF_CLASS] != CLASS_32;
    t->row_bytes = t->wide ? ROW_64 : ROW_32;
    if (t->wide && file.size < HEADER_64)
        return false;
    uint64_t at = t->wide ? bits_le64(b + 40) : bits_le32(b + 32);
    const uint8_t *tail = b + (t->wide ? 58 : 46); /* bytes of a row, rows, row of the names */
    t->count = bits_le16(tail + 2);
    *names = bits_le16(tail + 4);
    if (at == 0)
        return false;
    if (at >= file.size || file.size - at < t->row_bytes || bits_le16(tail) != t->row_bytes) {
        img_hold_damage(h, "host-truncated", img_hold_name(h, NULL), t->wide ? 40 : 32,
                        "the section table at 0x%" PRIx64 " with rows of %u bytes is not in the file of %zu bytes", at,
                        bits_le16(tail), file.size);
        return false;
    }
    t->rows = b + at;
    if (t->count == 0) /* more than fits the header: row 0 tells */
        t->count = elf_row(t, 0).size;
    if (*names == SHN_XINDEX)
        *names = elf_row(t, 0).link;
    uint64_t fit = (file.size - at) / t->row_bytes;
    if (t->count > fit) {
        img_hold_damage(h, "host-truncated", img_hold_name(h, NULL), t->wide ? 60 : 48,
                        "%" PRIu64 " sections, %" PRIu64 " are in the file", t->count, fit);
        t->count = fit;
    }
    return true;
}

bool img_host_elf_walk(struct img_holding *h, struct img_range file)
{
    struct elf_table t;
    uint64_t names_at;
    bool found = false;
    size_t first = h->out->entries.n;
    if (!open_table(h, file, &t, &names_at) || names_at >= t.count)
        return false;
    struct elf_row names = elf_row(&t, names_at);
    if (names.offset >= file.size)
        return false;
    const char *text = (const char *)file.bytes + names.offset;
    size_t n = file.size - (size_t)names.offset;
    n = names.size < n ? (size_t)names.size : n;
    for (uint64_t i = 0; i < t.count; i++) {
        enum { NAME_MOST = 16 };
        struct elf_row row = elf_row(&t, i);
        if (row.name >= n)
            continue;
        size_t room = n - row.name, length = strnlen(text + row.name, room < NAME_MOST ? room : NAME_MOST);
        if (!holds_fatbins(text + row.name, length))
            continue;
        found = true;
        const char *name = arena_strndup(h->a, text + row.name, length);
        if (row.type == ELF_SHT_NOBITS && row.size)
            img_hold_damage(h, "host-stripped", img_hold_name(h, name), -1,
                            "its %" PRIu64 " bytes are not in this file: it holds debug information only", row.size);
        else if (name)
            read_section(h, file, name, row.offset, row.size);
    }
    if (bits_le16(file.bytes + ELF_TYPE_AT) != ELF_TYPE_REL)
        mark_linker_inputs(h, first);
    return found;
}

/* ---- Windows -------------------------------------------------------------------------------------- */

enum {
    COFF_HEADER = 20,
    BIG_HEADER = 56,
    COFF_ROW = 40,
    COFF_SYMBOL = 18,
    BIG_SYMBOL = 20,
    PE_AT = 0x3c,
    MACHINE_386 = 0x14c,
    MACHINE_AMD64 = 0x8664,
    MACHINE_ARM64 = 0xaa64,
};

static bool is_machine(unsigned m)
{
    return m == MACHINE_386 || m == MACHINE_AMD64 || m == MACHINE_ARM64;
}

/* The form with more than 65,279 sections: an empty machine, 0xffff, a version that is no import's. */
static bool is_big(const uint8_t *b, size_t size)
{
    return size >= BIG_HEADER && bits_le16(b) == 0 && bits_le16(b + 2) == 0xffff && bits_le16(b + 4) >= 2;
}

bool img_host_is_coff(const uint8_t *b, size_t size)
{
    if (is_big(b, size))
        return is_machine(bits_le16(b + 6));
    return size >= COFF_HEADER && is_machine(bits_le16(b)) && bits_le16(b + 2) != 0 && bits_le16(b + 16) == 0 &&
           bits_le32(b + 8) >= COFF_HEADER;
}

/* The eight bytes of a row, or "/123": a place in the text behind the symbols. */
static const char *coff_name(struct img_holding *h, struct img_range file, const uint8_t *row, uint64_t texts)
{
    enum { SHORT = 8, NAME_MOST = 64 };
    if (row[0] != '/')
        return arena_strndup(h->a, (const char *)row, strnlen((const char *)row, SHORT));
    uint64_t at = 0;
    for (unsigned i = 1; i < SHORT && row[i] >= '0' && row[i] <= '9'; i++)
        at = at * 10 + (row[i] - '0');
    if (texts >= file.size || at >= file.size - texts)
        return NULL;
    size_t room = file.size - (size_t)(texts + at);
    const char *text = (const char *)file.bytes + texts + at;
    return arena_strndup(h->a, text, strnlen(text, room < NAME_MOST ? room : NAME_MOST));
}

bool img_host_pe_walk(struct img_holding *h, struct img_range file)
{
    const uint8_t *b = file.bytes;
    size_t first = h->out->entries.n;
    uint64_t at = 0, rows, count, symbols, symbol_count, symbol_bytes = COFF_SYMBOL;
    bool image = file.size >= 2 && b[0] == 'M' && b[1] == 'Z', found = false;
    if (image) {
        at = file.size >= PE_AT + 4 ? bits_le32(b + PE_AT) : file.size;
        if (at >= file.size || file.size - at < 4 + COFF_HEADER || memcmp(b + at, "PE\0\0", 4) != 0) {
            img_hold_damage(h, "host-truncated", img_hold_name(h, NULL), PE_AT, "no PE header at 0x%" PRIx64, at);
            return false;
        }
        at += 4;
    }
    if (!image && is_big(b, file.size)) {
        count = bits_le32(b + 44);
        symbols = bits_le32(b + 48);
        symbol_count = bits_le32(b + 52);
        symbol_bytes = BIG_SYMBOL;
        rows = BIG_HEADER;
    } else {
        count = bits_le16(b + at + 2);
        symbols = bits_le32(b + at + 8);
        symbol_count = bits_le32(b + at + 12);
        rows = at + COFF_HEADER + bits_le16(b + at + 16);
    }
    uint64_t fit = rows < file.size ? (file.size - rows) / COFF_ROW : 0;
    if (count > fit) {
        img_hold_damage(h, "host-truncated", img_hold_name(h, NULL), (int64_t)at,
                        "%" PRIu64 " sections, %" PRIu64 " are in the file", count, fit);
        count = fit;
    }
    for (uint64_t i = 0; i < count && !arena_failed(h->a); i++) {
        const uint8_t *row = b + rows + i * COFF_ROW;
        if (row[0] != '/' && row[0] != '.' && row[0] != '_')
            continue;
        const char *name = coff_name(h, file, row, symbols + symbol_count * symbol_bytes);
        if (!name || !holds_fatbins(name, strlen(name)))
            continue;
        found = true;
        uint64_t size = bits_le32(row + 16), used = bits_le32(row + 8); /* an image fills its pages up */
        read_section(h, file, name, bits_le32(row + 20), image && used && used < size ? used : size);
    }
    if (image)
        mark_linker_inputs(h, first);
    return found;
}
