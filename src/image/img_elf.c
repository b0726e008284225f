/* The ELF walk. Reads header, section table and symbol table of a little-endian ELF file into bounded views.
 *
 * The idea: no size, count, offset or index of the input is used before it is compared with what is really there, and a
 * part that cannot be read is reported and left out while the rest is kept. Program headers are not needed: kernels
 * are found by section and symbol, and some producers write none. Work and memory are linear in the size of the file.
 * requires: nothing · gives: struct elf_file */
#define _GNU_SOURCE /* memmem */
#include "image/img_elf.h"

#include "base/bits.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    SHN_LORESERVE = 0xff00,
    SHN_XINDEX = 0xffff,
    SECTION_SHOWN = 200, /* characters of a section's name in a diagnostic */
    TEXT_PER_BYTE = 4,   /* string budget: each byte of the file may be part of so many names */
    USES_PER_BYTE = 4,   /* section budget: each byte may be part of so many sections (some producers share ranges) */
};

void img_elf_damage(struct elf_file *elf, const char *code, const char *section, int64_t offset, const char *format,
                    ...)
{
    elf->damaged = true;
    if (elf->diags->list.n >= DIAG_MAX) { /* counted only; no text is made for it */
        elf->diags->dropped++;
        return;
    }
    struct strbuf text;
    str_init(&text, elf->a);
    va_list args;
    va_start(args, format);
    str_vaddf(&text, format, args);
    va_end(args);
    char shown[SECTION_SHOWN + 1];
    if (section != NULL)
        snprintf(shown, sizeof shown, "%s", section);
    diag_add(elf->diags, DIAG_ERROR, code, section != NULL ? shown : NULL, offset, "%s", text.p);
}

const char *img_elf_string(struct elf_file *elf, const struct elf_section *table, uint64_t offset)
{
    if (table == NULL || table->bytes == NULL || offset >= table->have)
        return "";
    const char *text = (const char *)table->bytes + offset;
    size_t left = table->have - (size_t)offset;
    size_t limit = left < elf->string_budget ? left : elf->string_budget;
    const char *end = memchr(text, 0, limit);
    size_t length = end != NULL ? (size_t)(end - text) : limit;
    elf->string_budget -= length;
    if (end != NULL)
        return text;
    if (limit < left) /* overlapping names asked for more text than the budget allows */
        return "";
    const char *copy = arena_strndup(elf->a, text, length);
    return copy != NULL ? copy : "";
}

/* Which of the sections names the others: the one the header tells, else the first string table that holds ".shstrtab".
 */
static const struct elf_section *find_name_table(const struct elf_file *elf, uint32_t index)
{
    if (index < elf->section_count && elf->sections[index].type == ELF_SHT_STRTAB && elf->sections[index].bytes != NULL)
        return &elf->sections[index];
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const struct elf_section *s = &elf->sections[i];
        if (s->type == ELF_SHT_STRTAB && s->bytes != NULL && memmem(s->bytes, s->have, ".shstrtab", 10) != NULL)
            return s;
    }
    return NULL;
}

/* False for sections that only ask for memory; relocatable cubins have types of their own for these. */
static bool in_file(const struct elf_section *s)
{
    switch (s->type) {
    case 0:
    case ELF_SHT_NOBITS:
    case ELF_SHT_CUDA_GLOBAL:
    case ELF_SHT_CUDA_LOCAL:
    case ELF_SHT_CUDA_SHARED:
    case ELF_SHT_CUDA_SHARED_RESERVED: return false;
    default: return s->size != 0;
    }
}

static void read_section(struct elf_file *elf, const uint8_t *record, struct elf_section *s)
{
    bool narrow = elf->narrow;
    s->name = "";
    s->narrow = narrow;
    s->type = bits_le32(record + 4);
    s->flags = narrow ? bits_le32(record + 8) : bits_le64(record + 8);
    s->offset = narrow ? bits_le32(record + 16) : bits_le64(record + 24);
    s->size = narrow ? bits_le32(record + 20) : bits_le64(record + 32);
    s->link = bits_le32(record + (narrow ? 24 : 40));
    s->info = bits_le32(record + (narrow ? 28 : 44));
    s->align = narrow ? bits_le32(record + 32) : bits_le64(record + 48);
    if (!in_file(s) || s->offset >= elf->size)
        return;
    size_t room = elf->size - (size_t)s->offset;
    size_t have = s->size < room ? (size_t)s->size : room;
    if (have > elf->section_budget) /* told below as bytes that are missing */
        return;
    elf->section_budget -= have;
    s->bytes = elf->bytes + s->offset;
    s->have = have;
}

static void read_sections(struct elf_file *elf)
{
    uint32_t row = elf->narrow ? ELF32_SECTION_BYTES : ELF_SECTION_BYTES;
    int64_t table_at = elf->narrow ? 32 : 40, entry_at = elf->narrow ? 46 : 58;
    uint64_t table = elf->narrow ? bits_le32(elf->bytes + table_at) : bits_le64(elf->bytes + table_at);
    uint32_t entry = bits_le16(elf->bytes + entry_at);
    uint64_t count = bits_le16(elf->bytes + entry_at + 2);
    uint32_t names = bits_le16(elf->bytes + entry_at + 4);

    if (table == 0 && count == 0) {
        img_elf_damage(elf, "elf-sections", NULL, table_at, "there is no section table");
        return;
    }
    if (entry != row)
        img_elf_damage(elf, "elf-sections", NULL, entry_at,
                       "a section table entry has %" PRIu32 " bytes, expected %" PRIu32, entry, row);
    if (table >= elf->size || elf->size - table < row) {
        img_elf_damage(elf, "elf-truncated", NULL, table_at,
                       "the file is %zu bytes, its section table of %" PRIu64 " entries starts at %" PRIu64, elf->size,
                       count, table);
        return;
    }
    const uint8_t *first = elf->bytes + table;
    if (count == 0) /* more than fits the header: section 0 tells */
        count = elf->narrow ? bits_le32(first + 20) : bits_le64(first + 32);
    if (names == SHN_XINDEX)
        names = bits_le32(first + (elf->narrow ? 24 : 40));
    uint64_t fit = (elf->size - table) / row;
    if (count > fit) {
        uint64_t need = count < UINT64_MAX / row ? count * row + table : UINT64_MAX;
        img_elf_damage(elf, "elf-truncated", NULL, entry_at + 2,
                       "the file is %zu bytes, its section table needs %" PRIu64 ": %" PRIu64 " of %" PRIu64
                       " sections kept",
                       elf->size, need, fit, count);
        count = fit;
    }
    elf->sections = ARENA_ARRAY(elf->a, struct elf_section, (size_t)count);
    if (elf->sections == NULL)
        return;
    elf->section_count = (uint32_t)count;
    for (uint32_t i = 0; i < elf->section_count; i++)
        read_section(elf, first + (size_t)i * row, &elf->sections[i]);

    const struct elf_section *table_of_names = find_name_table(elf, names);
    if (table_of_names == NULL)
        img_elf_damage(elf, "elf-names", NULL, entry_at + 4, "section %" PRIu32 " holds no section names", names);
    for (uint32_t i = 0; i < elf->section_count; i++)
        elf->sections[i].name = img_elf_string(elf, table_of_names, bits_le32(first + (size_t)i * row));
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const struct elf_section *s = &elf->sections[i];
        if (in_file(s) && s->have < s->size)
            img_elf_damage(elf, "elf-truncated", s->name, (int64_t)s->have,
                           "the section needs %" PRIu64 " bytes at offset %" PRIu64 ", the file is %zu bytes", s->size,
                           s->offset, elf->size);
    }
}

static void read_symbols(struct elf_file *elf)
{
    const struct elf_section *table = NULL;
    uint32_t row = elf->narrow ? ELF32_SYMBOL_BYTES : ELF_SYMBOL_BYTES;
    for (uint32_t i = 0; i < elf->section_count && table == NULL; i++)
        if (elf->sections[i].type == ELF_SHT_SYMTAB)
            table = &elf->sections[i];
    if (table == NULL) {
        img_elf_damage(elf, "elf-symbols", NULL, -1, "there is no symbol table");
        return;
    }
    if (table->size % row != 0)
        img_elf_damage(elf, "elf-symbols", table->name, -1, "the size, %" PRIu64 ", is no multiple of %" PRIu32,
                       table->size, row);
    const struct elf_section *strings = NULL;
    if (table->link < elf->section_count && elf->sections[table->link].type == ELF_SHT_STRTAB)
        strings = &elf->sections[table->link];
    else
        img_elf_damage(elf, "elf-symbols", table->name, -1, "section %" PRIu32 " holds no symbol names", table->link);

    size_t count = table->have / row;
    elf->symbols = ARENA_ARRAY(elf->a, struct elf_symbol, count);
    if (elf->symbols == NULL)
        return;
    elf->symbol_count = (uint32_t)count;
    for (uint32_t i = 0; i < elf->symbol_count; i++) {
        const uint8_t *record = table->bytes + (size_t)i * row;
        struct elf_symbol *symbol = &elf->symbols[i];
        uint32_t name = bits_le32(record);
        const uint8_t *kind = record + (elf->narrow ? 12 : 4);
        symbol->type = kind[0] & 15;
        symbol->bind = kind[0] >> 4;
        symbol->other = kind[1];
        symbol->section = bits_le16(kind + 2);
        symbol->value = elf->narrow ? bits_le32(record + 4) : bits_le64(record + 8);
        symbol->size = elf->narrow ? bits_le32(record + 8) : bits_le64(record + 16);
        symbol->name = img_elf_string(elf, strings, name);
        if (strings != NULL && name >= strings->have && name != 0)
            img_elf_damage(elf, "elf-symbols", table->name, (int64_t)i * row,
                           "the name of symbol %" PRIu32 " lies outside the string table", i);
        if (symbol->section >= elf->section_count && symbol->section < SHN_LORESERVE)
            img_elf_damage(elf, "elf-symbols", table->name, (int64_t)i * row,
                           "symbol %" PRIu32 " stands in section %" PRIu32 " of %" PRIu32, i, symbol->section,
                           elf->section_count);
    }
}

/* Program headers are not used, but they often stand last: a file that lost them lost its end. */
static void check_program_headers(struct elf_file *elf)
{
    int64_t told_at = elf->narrow ? 28 : 32;
    const uint8_t *sizes = elf->bytes + (elf->narrow ? 42 : 54);
    uint64_t at = elf->narrow ? bits_le32(elf->bytes + told_at) : bits_le64(elf->bytes + told_at);
    uint64_t bytes = (uint64_t)bits_le16(sizes) * bits_le16(sizes + 2);
    if (bytes != 0 && (at > elf->size || bytes > elf->size - at))
        img_elf_damage(elf, "elf-truncated", NULL, told_at,
                       "the file is %zu bytes, its program headers need %" PRIu64 " at offset %" PRIu64, elf->size,
                       bytes, at);
}

bool img_elf_open(struct elf_file *elf, struct arena *a, struct diag_sink *diags, const uint8_t *bytes, size_t size)
{
    *elf = (struct elf_file){.a = a, .diags = diags, .bytes = bytes, .size = size};
    elf->narrow = size >= ELF32_HEADER_BYTES && bytes[4] == 1;
    int header = elf->narrow ? ELF32_HEADER_BYTES : ELF_HEADER_BYTES;
    if (size < (size_t)header) {
        img_elf_damage(elf, "elf-truncated", NULL, 0, "the file is %zu bytes, an ELF header needs %d", size, header);
        return false;
    }
    if ((bytes[4] != 2 && bytes[4] != 1) || bytes[5] != 1) {
        img_elf_damage(elf, "elf-header", NULL, 4, "class %u, byte order %u: expected 64-bit (or 32-bit) little-endian",
                       bytes[4], bytes[5]);
        return false;
    }
    elf->os_abi = bytes[7];
    elf->abi_version = bytes[8];
    elf->type = bits_le16(bytes + 16);
    elf->machine = bits_le16(bytes + 18);
    elf->version = bits_le32(bytes + 20);
    elf->flags = bits_le32(bytes + (elf->narrow ? 36 : 48));
    elf->string_budget = size <= SIZE_MAX / TEXT_PER_BYTE ? size * TEXT_PER_BYTE : SIZE_MAX;
    elf->section_budget = size <= SIZE_MAX / USES_PER_BYTE ? size * USES_PER_BYTE : SIZE_MAX;
    check_program_headers(elf);
    read_sections(elf);
    if (elf->section_count != 0)
        read_symbols(elf);
    return true;
}

const struct elf_section *img_elf_find(const struct elf_file *elf, const char *name)
{
    for (uint32_t i = 0; i < elf->section_count; i++)
        if (strcmp(elf->sections[i].name, name) == 0)
            return &elf->sections[i];
    return NULL;
}

static size_t reloc_bytes(const struct elf_section *s)
{
    if (s->type == ELF_SHT_RELA)
        return s->narrow ? ELF32_RELA_BYTES : ELF_RELA_BYTES;
    return s->narrow ? ELF32_REL_BYTES : ELF_REL_BYTES;
}

size_t img_elf_reloc_count(const struct elf_section *section)
{
    if (section->bytes == NULL || (section->type != ELF_SHT_RELA && section->type != ELF_SHT_REL))
        return 0;
    return section->have / reloc_bytes(section);
}

struct elf_reloc img_elf_reloc(const struct elf_section *section, size_t index)
{
    bool rela = section->type == ELF_SHT_RELA;
    const uint8_t *record = section->bytes + index * reloc_bytes(section);
    if (section->narrow)
        return (struct elf_reloc){
            .offset = bits_le32(record),
            .type = record[4],
            .symbol = bits_le32(record + 4) >> 8,
            .addend = rela ? (int32_t)bits_le32(record + 8) : 0,
        };
    return (struct elf_reloc){
        .offset = bits_le64(record),
        .type = bits_le32(record + 8),
        .symbol = bits_le32(record + 12),
        .addend = rela ? (int64_t)bits_le64(record + 16) : 0,
    };
}
