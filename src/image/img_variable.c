/* The variables of a module, for whoever runs its kernels: device memory with its first contents, places in the bank of
 * `__constant__` data, and the pointers to them that a loader writes (bank 4, tables of pointers).
 *
 * requires: a module that was read from a cubin; its bytes · gives: img_variables_read() */
#include "image/img_reader.h"

#include "base/bits.h"
#include "base/str.h"

enum { RELOC_64 = 2, RELOC_GENERIC_64 = 4, BANKS = 18, POINTER_BYTES = 8, LARGEST = 1 << 30 };

static bool is_device_memory(const char *section)
{
    return str_equal(section, ".nv.global") || str_equal(section, ".nv.global.init");
}

/* By symbol of the file: the variable it is, UINT32_MAX none. */
static uint32_t *read_variables(struct arena *a, const struct elf_file *elf, struct img_variables *out)
{
    VEC(struct img_variable) list = {0};
    uint32_t *number = ARENA_ARRAY(a, uint32_t, elf->symbol_count + 1u);
    for (uint32_t i = 0; number && i < elf->symbol_count; i++) {
        const struct elf_symbol *s = &elf->symbols[i];
        number[i] = UINT32_MAX;
        if (s->section == 0 || s->section >= elf->section_count || s->type == ELF_STT_SECTION || !s->size ||
            s->size > LARGEST || s->value > UINT32_MAX)
            continue;
        const struct elf_section *section = &elf->sections[s->section];
        bool constant = str_equal(section->name, ".nv.constant3");
        if (!constant && !is_device_memory(section->name))
            continue;
        struct img_variable v = {.name = s->name, .constant = constant, .offset = (uint32_t)s->value, .size = s->size};
        v.demangled = img_demangle(a, s->name);
        if (section->bytes && s->value <= section->have && s->size <= section->have - s->value)
            v.init = section->bytes + s->value;
        number[i] = (uint32_t)list.n;
        VEC_PUSH(a, list, v);
    }
    out->variables = list.p;
    out->count = (uint32_t)list.n;
    return number;
}

/* The variable that holds byte `at` of section `section`. */
static uint32_t holder(const struct elf_file *elf, const uint32_t *number, uint32_t section, uint64_t at)
{
    for (uint32_t i = 0; i < elf->symbol_count; i++)
        if (number[i] != UINT32_MAX && elf->symbols[i].section == section && at >= elf->symbols[i].value &&
            at - elf->symbols[i].value < elf->symbols[i].size)
            return i;
    return UINT32_MAX;
}

static bool read_pointer(const struct elf_file *elf, const uint32_t *number, uint32_t section, struct elf_reloc reloc,
                         struct img_pointer *p)
{
    const struct elf_section *s = &elf->sections[section];
    if ((reloc.type != RELOC_64 && reloc.type != RELOC_GENERIC_64) || reloc.symbol >= elf->symbol_count ||
        reloc.offset > UINT32_MAX || s->have < POINTER_BYTES || reloc.offset > s->have - POINTER_BYTES)
        return false;
    const struct elf_symbol *to = &elf->symbols[reloc.symbol];
    *p = (struct img_pointer){.at = (uint32_t)reloc.offset, .to = number[reloc.symbol]};
    p->addend = reloc.addend + (int64_t)bits_le64(s->bytes + reloc.offset);
    if (p->to == UINT32_MAX && to->type == ELF_STT_SECTION && p->addend >= 0) {
        uint32_t symbol = holder(elf, number, to->section, (uint64_t)p->addend);
        if (symbol != UINT32_MAX) {
            p->to = number[symbol];
            p->addend -= (int64_t)elf->symbols[symbol].value;
        }
    }
    return true;
}

/* The number of a bank that all kernels share, or 0. */
static uint32_t bank_number(const char *section)
{
    static const char prefix[] = ".nv.constant";
    uint32_t bank = 0;
    if (!str_starts(section, prefix))
        return 0;
    for (const char *p = section + sizeof prefix - 1; *p; p++) {
        if (*p < '0' || *p > '9' || bank >= BANKS)
            return 0;
        bank = bank * 10 + (uint32_t)(*p - '0');
    }
    return bank < BANKS ? bank : 0;
}

static void read_banks(const struct elf_file *elf, struct img_variables *out)
{
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const struct elf_section *s = &elf->sections[i];
        uint32_t bank = bank_number(s->name);
        if (!bank || out->bank[bank] || !s->bytes || s->have > UINT32_MAX)
            continue;
        out->bank[bank] = s->bytes;
        out->bank_bytes[bank] = (uint32_t)s->have;
    }
}

enum sp_status img_variables_read(struct arena *a, const struct img_module *module, struct img_variables *out)
{
    struct diag_sink diags; /* what is wrong with the file was told when it was read */
    struct elf_file elf;
    VEC(struct img_pointer) pointers = {0};
    *out = (struct img_variables){0};
    if (!module->bytes)
        return SP_OK;
    diag_init(&diags, a);
    if (!img_elf_open(&elf, a, &diags, module->bytes, module->size))
        return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
    uint32_t *number = read_variables(a, &elf, out);
    read_banks(&elf, out);
    for (uint32_t i = 0; number && i < elf.section_count; i++) {
        const struct elf_section *s = &elf.sections[i];
        size_t count = img_elf_reloc_count(s);
        if (!count || s->info >= elf.section_count || !elf.sections[s->info].bytes)
            continue;
        const struct elf_section *filled = &elf.sections[s->info];
        uint32_t bank = bank_number(filled->name);
        for (size_t n = 0; n < count && (bank || is_device_memory(filled->name)); n++) {
            struct img_pointer p;
            struct elf_reloc reloc = img_elf_reloc(s, n);
            if (!read_pointer(&elf, number, s->info, reloc, &p))
                continue;
            p.bank = bank;
            if (!bank) {
                uint32_t symbol = holder(&elf, number, s->info, reloc.offset);
                if (symbol == UINT32_MAX)
                    continue;
                p.variable = number[symbol];
                p.at -= (uint32_t)elf.symbols[symbol].value;
            }
            VEC_PUSH(a, pointers, p);
        }
    }
    out->pointers = pointers.p;
    out->pointer_count = (uint32_t)pointers.n;
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
