/* Tables that come with the code: numbers a kernel reads through a pointer in bank 4, which the linker or the loader
 * fills. What it will point to is told by the bank's relocations; its bytes stand in the file.
 *
 * requires: sections and symbols · gives: where in bank 4 such pointers stand and what lies there */
#include "image/img_reader.h"

#include "base/bits.h"

#include <string.h>

enum { RELOC_64 = 2, POINTER_BYTES = 8 };

static bool find_table(const struct img_reader *r, const struct elf_section *bank, const struct elf_reloc *reloc,
                       const uint8_t **bytes, uint32_t *size)
{
    if (reloc->type != RELOC_64 || reloc->symbol >= r->elf.symbol_count || reloc->offset > UINT32_MAX ||
        bank->have < POINTER_BYTES || reloc->offset > bank->have - POINTER_BYTES)
        return false;
    const struct elf_symbol *s = &r->elf.symbols[reloc->symbol];
    if (s->section == 0 || s->section >= r->elf.section_count)
        return false;
    const struct elf_section *data = &r->elf.sections[s->section];
    uint64_t from = (uint64_t)reloc->addend + bits_le64(bank->bytes + reloc->offset);
    if (data->bytes == NULL || data->type != ELF_SHT_PROGBITS || (data->flags & ELF_SHF_EXECINSTR) || from >= s->size ||
        s->value > data->have || data->have - s->value < s->size || s->size > UINT32_MAX)
        return false;
    *bytes = data->bytes + s->value + from;
    *size = (uint32_t)(s->size - from);
    return true;
}

void img_tables_read(struct img_reader *r)
{
    VEC(const uint8_t *) bytes = {0};
    VEC(uint32_t) at = {0}, sizes = {0};
    for (uint32_t i = 0; i < r->elf.section_count; i++) {
        const struct elf_section *s = &r->elf.sections[i];
        size_t count = img_elf_reloc_count(s);
        const struct elf_section *bank = s->info < r->elf.section_count ? &r->elf.sections[s->info] : NULL;
        if (!count || bank == NULL || bank->bytes == NULL || strcmp(bank->name, ".nv.constant4") != 0)
            continue;
        for (size_t n = 0; n < count; n++) {
            struct elf_reloc reloc = img_elf_reloc(s, n);
            const uint8_t *table;
            uint32_t size;
            if (!find_table(r, bank, &reloc, &table, &size))
                continue;
            VEC_PUSH(r->a, bytes, table);
            VEC_PUSH(r->a, sizes, size);
            VEC_PUSH(r->a, at, (uint32_t)reloc.offset);
        }
    }
    if (arena_failed(r->a))
        return;
    for (uint32_t k = 0; k < r->module->kernel_count; k++)
        r->module->kernels[k].tables =
            (struct img_tables){.bytes = bytes.p, .sizes = sizes.p, .at = at.p, .count = (uint32_t)at.n};
}
