/* Shared arrays of a relocatable file: their symbols have an alignment for a value, and the linker gives them places.
 * Here they get those that a link of this file alone gives: a kernel's arrays by falling alignment, those of one
 * alignment in the order of the symbols; arrays without a size begin behind them. The places are told only where they
 * fill the kernel's section as its size says.
 *
 * requires: sections and symbols, the kernels' sections of shared memory · gives: the place of a symbol */
#include "image/img_reader.h"

#include <stdlib.h>

enum { ALIGNMENT_MAX = 1 << 16, EXTERN_ALIGNMENT = 16, RELOC_ABS32 = 55, RELOC_ABS24_40 = 74 };

struct array {
    uint32_t symbol, section;
    uint64_t alignment;
};

static int by_place(const void *p, const void *q)
{
    const struct array *a = p, *b = q;
    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    if (a->alignment != b->alignment)
        return a->alignment > b->alignment ? -1 : 1;
    return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

void img_shared_place(struct img_reader *r)
{
    uint32_t count = r->elf.symbol_count, found = 0;
    struct array *arrays = ARENA_ARRAY(r->a, struct array, count + 1u);
    r->shared_at = ARENA_ARRAY(r->a, int64_t, count + 1u);
    if (arrays == NULL || r->shared_at == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct elf_symbol *s = &r->elf.symbols[i];
        r->shared_at[i] = -1;
        if (r->elf.type != ELF_TYPE_REL || (s->other & ELF_STO_SPACE_MASK) != ELF_STO_SHARED || s->section == 0 ||
            s->section >= r->elf.section_count || s->type == ELF_STT_SECTION || s->value > ALIGNMENT_MAX ||
            (s->value & (s->value - 1)) != 0 || s->size > UINT32_MAX)
            continue;
        arrays[found++] = (struct array){.symbol = i, .section = s->section, .alignment = s->value ? s->value : 1};
    }
    qsort(arrays, found, sizeof *arrays, by_place);
    for (uint32_t first = 0, end; first < found; first = end) {
        uint64_t at = 0;
        for (end = first; end < found && arrays[end].section == arrays[first].section; end++) {
            at = (at + arrays[end].alignment - 1) & ~(arrays[end].alignment - 1);
            r->shared_at[arrays[end].symbol] = (int64_t)at;
            at += r->elf.symbols[arrays[end].symbol].size;
        }
        for (uint32_t i = first; i < end && at != r->elf.sections[arrays[first].section].size; i++)
            r->shared_at[arrays[i].symbol] = -1;
    }
}

int64_t img_shared_of(const struct img_reader *r, uint32_t kernel, const struct elf_reloc *reloc)
{
    const struct elf_symbol *s = &r->elf.symbols[reloc->symbol];
    if (r->shared_at == NULL || (reloc->type != RELOC_ABS32 && reloc->type != RELOC_ABS24_40))
        return -1;
    if (r->elf.type == ELF_TYPE_REL && s->section == 0 && (s->other & ELF_STO_SPACE_MASK) == ELF_STO_SHARED) {
        uint64_t own = r->states[kernel].has_shared_section ? r->states[kernel].shared_section_bytes : 0;
        return own > INT32_MAX ? -1 : (int64_t)((own + EXTERN_ALIGNMENT - 1) & ~(uint64_t)(EXTERN_ALIGNMENT - 1));
    }
    return r->shared_at[reloc->symbol];
}
