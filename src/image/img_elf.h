/* The ELF container as a bounded view: sections, symbols, relocations, with nothing trusted. Private to the room.
 *
 * A section whose bytes lie (partly) outside the file keeps the part inside (`have` < `size`). Strings point into the
 * input and are NUL-terminated there, or are copies; an unreadable one is "". */
#ifndef SP_IMG_ELF_H
#define SP_IMG_ELF_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ELF_HEADER_BYTES = 64,
    ELF_SECTION_BYTES = 64,
    ELF_SYMBOL_BYTES = 24,
    ELF_REL_BYTES = 16,
    ELF_RELA_BYTES = 24,
    ELF32_HEADER_BYTES = 52,
    ELF32_SECTION_BYTES = 40,
    ELF32_SYMBOL_BYTES = 16,
    ELF32_REL_BYTES = 8,
    ELF32_RELA_BYTES = 12,

    ELF_MACHINE_CUDA = 190,
    ELF_TYPE_REL = 1,

    ELF_SHT_PROGBITS = 1,
    ELF_SHT_SYMTAB = 2,
    ELF_SHT_STRTAB = 3,
    ELF_SHT_RELA = 4,
    ELF_SHT_NOTE = 7,
    ELF_SHT_NOBITS = 8,
    ELF_SHT_REL = 9,
    ELF_SHT_CUDA_INFO = 0x70000000,
    ELF_SHT_CUDA_GLOBAL = 0x70000007,
    ELF_SHT_CUDA_LOCAL = 0x70000009,
    ELF_SHT_CUDA_SHARED = 0x7000000a,
    ELF_SHT_CUDA_SHARED_RESERVED = 0x70000015,

    ELF_SHF_EXECINSTR = 4,

    ELF_STT_FUNC = 2,
    ELF_STT_SECTION = 3,
    ELF_STO_SPACE_MASK = 0xe0,
    ELF_STO_SHARED = 0x40,
};

struct elf_section {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, offset, size, align;
    const uint8_t *bytes; /* NULL when nothing of it is in the file */
    size_t have;          /* bytes of it that are in the file */
    bool narrow;          /* of a file of 32 bits */
};

struct elf_symbol {
    const char *name;
    uint64_t value, size;
    uint8_t type, bind, other;
    uint32_t section; /* index, or 0xff00 and above for the reserved ones */
};

struct elf_reloc {
    uint64_t offset;
    uint32_t type, symbol;
    int64_t addend; /* 0 where the format keeps it in the patched place */
};

struct elf_file {
    struct arena *a;
    struct diag_sink *diags;
    const uint8_t *bytes;
    size_t size;
    bool damaged; /* a diagnostic of severity error was added */

    bool narrow; /* 32 bits: what ptxas before CUDA 12 makes with -m32 */
    uint8_t os_abi, abi_version;
    uint16_t type, machine;
    uint32_t version, flags;
    struct elf_section *sections;
    uint32_t section_count;
    struct elf_symbol *symbols;
    uint32_t symbol_count;
    /* Bytes that names and sections may still refer to: overlapping ones must not make the work quadratic. */
    size_t string_budget, section_budget;
};

/* True when there is a little-endian ELF header. Everything behind it is read as far as it goes. */
bool img_elf_open(struct elf_file *elf, struct arena *a, struct diag_sink *diags, const uint8_t *bytes, size_t size);

/* The NUL-terminated text at `offset` of a string table; "" when there is none. */
const char *img_elf_string(struct elf_file *elf, const struct elf_section *table, uint64_t offset);

/* The first section of that name, or NULL. */
const struct elf_section *img_elf_find(const struct elf_file *elf, const char *name);

/* Relocation sections hold img_elf_reloc_count() records; others 0. */
size_t img_elf_reloc_count(const struct elf_section *section);
struct elf_reloc img_elf_reloc(const struct elf_section *section, size_t index);

/* Adds an error and marks the file damaged. `section` NULL: the file itself. */
void img_elf_damage(struct elf_file *elf, const char *code, const char *section, int64_t offset, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

#endif
