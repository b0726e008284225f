/* A cubin -> a module with its kernels: the order of work of this room.
 *
 * A kernel is a section with code; its name is the section's, its facts come from the symbol that sh_info names, the
 * .nv.info records, the .nv.shared and .nv.constant sections and the line tables. Each reader keeps what it can and
 * marks the file damaged; the status is decided once, at the end. requires: bytes · gives: struct img_module
 * (doc/formats/cubin.md) */
#include "base/bits.h"
#include "base/str.h"
#include "image/img_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ABI_OLD = 7,
    ABI_NEW = 8,
    INSTRUCTION_BYTES = 16,
    STO_CUDA_ENTRY = 0x10,
    OLD_FLAG_ARCH_SPECIFIC = 0x800,
    NEW_FLAG_ARCH_SPECIFIC = 0x8, /* where .nv.compat does not tell */
    OLD_BARRIERS_SHIFT = 20,
    OLD_BARRIERS_MASK = 0x7f,
    SHARED_RESERVED = 1024, /* part of .nv.shared.<kernel> from sm_90 on */
    BANKS = 18,
    DEMANGLED_PER_BYTE = 64, /* characters of demangled text for each byte of the file */
    NOTE_TOOL = 0x7d0,
    NOTE_CUDA_INFO = 0x3e8,
};

static const char text_prefix[] = ".text.";

bool img_section_is_code(const struct elf_section *s)
{
    return s->type == ELF_SHT_PROGBITS && (s->flags & ELF_SHF_EXECINSTR) != 0 && !str_starts(s->name, ".nv.");
}

const char *img_reader_demangle(struct img_reader *r, const char *name)
{
    if (r->demangle_budget == 0)
        return name;
    const char *text = img_demangle(r->a, name);
    if (text == NULL)
        return name;
    size_t n = strlen(text) + 1;
    r->demangle_budget -= n < r->demangle_budget ? n : r->demangle_budget;
    return text;
}

static void init_kernel(struct img_kernel *k, struct kernel_state *state)
{
    k->registers = k->barriers = k->shared_bytes = k->stack_bytes = k->uniform_registers = -1;
    for (unsigned i = 0; i < 3; i++)
        k->max_threads[i] = k->reqntid[i] = -1;
    state->symbol = IMG_NONE;
    state->frame_bytes = state->min_stack_bytes = state->param_bytes_told = -1;
}

/* The function symbol that stands for the whole section: the one sh_info names, else the first at offset 0. */
static uint32_t find_symbol(struct img_reader *r, uint32_t section)
{
    const struct elf_section *s = &r->elf.sections[section];
    uint32_t told = s->info & 0xffffff;
    if (told < r->elf.symbol_count) {
        const struct elf_symbol *symbol = &r->elf.symbols[told];
        if (symbol->type == ELF_STT_FUNC && symbol->section == section)
            return told;
    }
    if (r->elf.symbol_count != 0)
        img_elf_damage(&r->elf, "elf-symbols", s->name, -1, "symbol %" PRIu32 " is not the function of this section",
                       told);
    return IMG_NONE;
}

static void read_kernel(struct img_reader *r, uint32_t index, uint32_t section)
{
    struct img_kernel *k = &r->module->kernels[index];
    struct kernel_state *state = &r->states[index];
    const struct elf_section *s = &r->elf.sections[section];

    init_kernel(k, state);
    state->section = section;
    state->symbol = find_symbol(r, section);
    const struct elf_symbol *symbol = state->symbol != IMG_NONE ? &r->elf.symbols[state->symbol] : NULL;
    bool named = str_starts(s->name, text_prefix) && s->name[sizeof text_prefix - 1] != 0;
    k->section = s->name;
    k->name = named ? s->name + sizeof text_prefix - 1 : symbol != NULL ? symbol->name : s->name;
    k->demangled = img_reader_demangle(r, k->name);
    k->is_entry = symbol != NULL && (symbol->other & STO_CUDA_ENTRY) != 0;
    if (s->size % INSTRUCTION_BYTES != 0)
        img_elf_damage(&r->elf, "text-size", s->name, -1, "%" PRIu64 " bytes of code, no multiple of %d", s->size,
                       INSTRUCTION_BYTES);
    size_t bytes = s->have - s->have % INSTRUCTION_BYTES;
    if (bytes > UINT32_MAX - INSTRUCTION_BYTES)
        bytes = 0;
    k->code = s->bytes;
    k->code_bytes = (uint32_t)bytes;
    if (s->info >> 24 != 0)
        k->registers = (int32_t)(s->info >> 24);
    if (!r->new_layout)
        k->barriers = (int32_t)(s->flags >> OLD_BARRIERS_SHIFT & OLD_BARRIERS_MASK);
}

static void read_kernels(struct img_reader *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->elf.section_count; i++)
        count += img_section_is_code(&r->elf.sections[i]);
    r->module->kernels = ARENA_ARRAY(r->a, struct img_kernel, count);
    r->states = ARENA_ARRAY(r->a, struct kernel_state, count);
    r->kernel_of_section = ARENA_ARRAY(r->a, uint32_t, r->elf.section_count);
    if (r->module->kernels == NULL || r->states == NULL || r->kernel_of_section == NULL)
        return;
    for (uint32_t i = 0; i < r->elf.section_count; i++) {
        r->kernel_of_section[i] = IMG_NONE;
        if (!img_section_is_code(&r->elf.sections[i]))
            continue;
        uint32_t index = r->module->kernel_count++;
        r->kernel_of_section[i] = index;
        read_kernel(r, index, i);
        uint32_t seen;
        if (!map_str_get(&r->kernel_by_name, r->module->kernels[index].name, &seen))
            map_str_put(r->a, &r->kernel_by_name, r->module->kernels[index].name, index);
    }
}

static void read_subroutines(struct img_reader *r)
{
    for (uint32_t i = 0; i < r->elf.symbol_count; i++) {
        const struct elf_symbol *symbol = &r->elf.symbols[i];
        if (symbol->type != ELF_STT_FUNC || symbol->section >= r->elf.section_count)
            continue;
        uint32_t kernel = r->kernel_of_section[symbol->section];
        if (kernel == IMG_NONE || r->states[kernel].symbol == i)
            continue;
        const struct img_kernel *k = &r->module->kernels[kernel];
        if (symbol->value >= k->code_bytes || symbol->size > k->code_bytes - symbol->value ||
            symbol->value % INSTRUCTION_BYTES != 0) {
            img_elf_damage(&r->elf, "elf-symbols", k->section, -1,
                           "function %.64s at 0x%" PRIx64 " with 0x%" PRIx64 " bytes: outside the section",
                           symbol->name, symbol->value, symbol->size);
            continue;
        }
        struct img_subroutine sub = {.name = symbol->name,
                                     .demangled = img_reader_demangle(r, symbol->name),
                                     .offset = (uint32_t)symbol->value,
                                     .size = (uint32_t)symbol->size};
        VEC_PUSH(r->a, r->states[kernel].subroutines, sub);
    }
}

/* Which code a relocation's symbol is, and where in it. */
static void find_code(struct img_reader *r, const struct elf_symbol *symbol, struct img_reloc *out)
{
    uint32_t kernel =
        symbol->section && symbol->section < r->elf.section_count ? r->kernel_of_section[symbol->section] : IMG_NONE;
    uint64_t at = symbol->value + (uint64_t)out->addend;
    out->function = IMG_NONE;
    out->code = -1;
    if (kernel == IMG_NONE || (symbol->type != ELF_STT_FUNC && symbol->type != ELF_STT_SECTION) ||
        at >= r->module->kernels[kernel].code_bytes || at % INSTRUCTION_BYTES != 0)
        return;
    out->function = kernel;
    out->function_offset = (uint32_t)at;
}

static bool is_own_shared(const struct img_reader *r, uint32_t kernel, uint32_t section)
{
    static const char prefix[] = ".nv.shared.";
    const char *name = section && section < r->elf.section_count ? r->elf.sections[section].name : "";
    return str_starts(name, prefix) && str_equal(name + sizeof prefix - 1, r->module->kernels[kernel].name);
}

static void read_text_relocs(struct img_reader *r)
{
    for (uint32_t i = 0; i < r->elf.section_count; i++) {
        const struct elf_section *s = &r->elf.sections[i];
        size_t count = img_elf_reloc_count(s);
        uint32_t kernel = s->info < r->elf.section_count ? r->kernel_of_section[s->info] : IMG_NONE;
        if (count == 0 || kernel == IMG_NONE)
            continue;
        const struct img_kernel *k = &r->module->kernels[kernel];
        for (size_t n = 0; n < count; n++) {
            struct elf_reloc reloc = img_elf_reloc(s, n);
            if (reloc.offset >= k->code_bytes || reloc.symbol >= r->elf.symbol_count) {
                img_elf_damage(&r->elf, "elf-reloc", s->name, (int64_t)n,
                               "relocation at 0x%" PRIx64 " to symbol %" PRIu32 ": the section has 0x%" PRIx32
                               " bytes, the file %" PRIu32 " symbols",
                               reloc.offset, reloc.symbol, k->code_bytes, r->elf.symbol_count);
                continue;
            }
            const struct elf_symbol *symbol = &r->elf.symbols[reloc.symbol];
            const char *name = symbol->name;
            if (name[0] == 0 && symbol->type == ELF_STT_SECTION && symbol->section < r->elf.section_count)
                name = r->elf.sections[symbol->section].name;
            struct img_reloc out = {
                .offset = (uint32_t)reloc.offset, .type = reloc.type, .symbol = name, .addend = reloc.addend};
            out.shared = img_shared_of(r, kernel, &reloc);
            out.shared_own = is_own_shared(r, kernel, symbol->section);
            out.shared_bytes = symbol->section && symbol->size <= INT32_MAX ? (uint32_t)symbol->size : 0;
            find_code(r, symbol, &out);
            VEC_PUSH(r->a, r->states[kernel].relocs, out);
        }
    }
}

/* The number in ".nv.constant<N>" or ".nv.constant<N>.<kernel>", -1 for other names; *kernel: the name behind, or "".
 */
static int constant_bank(const char *name, const char **kernel)
{
    static const char prefix[] = ".nv.constant";
    if (!str_starts(name, prefix))
        return -1;
    const char *p = name + sizeof prefix - 1;
    int bank = 0;
    if (*p < '0' || *p > '9')
        return -1;
    for (; *p >= '0' && *p <= '9' && bank < BANKS; p++)
        bank = bank * 10 + (*p - '0');
    if (bank >= BANKS || (*p != 0 && *p != '.'))
        return -1;
    *kernel = *p == '.' ? p + 1 : "";
    return bank;
}

/* Bank 0 is filled by the driver and a relocated bank by the linker: their bytes in the file say nothing. */
static void read_constants(struct img_reader *r)
{
    bool *relocated = ARENA_ARRAY(r->a, bool, r->elf.section_count);
    if (relocated == NULL)
        return;
    for (uint32_t i = 0; i < r->elf.section_count; i++)
        if (img_elf_reloc_count(&r->elf.sections[i]) != 0 && r->elf.sections[i].info < r->elf.section_count)
            relocated[r->elf.sections[i].info] = true;
    bool module_wide[BANKS] = {false};
    for (uint32_t i = 0; i < r->elf.section_count; i++) {
        const struct elf_section *s = &r->elf.sections[i];
        const char *name;
        int bank = constant_bank(s->name, &name);
        if (bank <= 0 || s->bytes == NULL || s->have > UINT32_MAX || relocated[i])
            continue;
        uint32_t first = 0, end = r->module->kernel_count;
        if (name[0] != 0) {
            if (!map_str_get(&r->kernel_by_name, name, &first))
                continue;
            end = first + 1;
        } else if (module_wide[bank]) {
            continue;
        } else {
            module_wide[bank] = true;
        }
        for (uint32_t k = first; k < end; k++) {
            r->module->kernels[k].constant_bank[bank] = s->bytes;
            r->module->kernels[k].constant_bytes[bank] = (uint32_t)s->have;
        }
    }
}

static void find_shared_sections(struct img_reader *r)
{
    static const char prefix[] = ".nv.shared.";
    for (uint32_t i = 0; i < r->elf.section_count; i++) {
        const struct elf_section *s = &r->elf.sections[i];
        uint32_t kernel = IMG_NONE;
        if (!str_starts(s->name, prefix) || !map_str_get(&r->kernel_by_name, s->name + sizeof prefix - 1, &kernel))
            continue;
        r->states[kernel].has_shared_section = true;
        r->states[kernel].shared_section_bytes = s->size;
    }
}

/* An array without a size: told by the PTX text, in a relocatable file by an undefined symbol in shared memory. */
static bool declares_extern_shared(struct img_reader *r)
{
    if (r->module->ptx != NULL && strstr(r->module->ptx, ".extern .shared") != NULL)
        return true;
    for (uint32_t i = 1; i < r->elf.symbol_count; i++)
        if (r->elf.symbols[i].section == 0 && (r->elf.symbols[i].other & ELF_STO_SPACE_MASK) == ELF_STO_SHARED)
            return true;
    return false;
}

/* `ptxas -v` prints the user's bytes: from sm_90 on the section of a linked file also counts 1,024 reserved ones. A
 * section that holds no user byte stands there only when the module declares an extern array. */
static void read_shared(struct img_reader *r)
{
    find_shared_sections(r);
    bool extern_array = declares_extern_shared(r);
    uint64_t reserved = r->module->sm >= 90 && r->elf.type != ELF_TYPE_REL ? SHARED_RESERVED : 0;
    for (uint32_t i = 0; i < r->module->kernel_count; i++) {
        struct img_kernel *k = &r->module->kernels[i];
        const struct kernel_state *state = &r->states[i];
        uint64_t bytes = state->has_shared_section ? state->shared_section_bytes : reserved;
        if (bytes < reserved || bytes - reserved > INT32_MAX) {
            img_elf_damage(&r->elf, "shared-size", k->section, -1, "%" PRIu64 " bytes of shared memory", bytes);
            continue;
        }
        if (r->module->sm != 0)
            k->shared_bytes = (int32_t)(bytes - reserved);
        if (state->has_shared_section && bytes == reserved)
            extern_array = true;
    }
    for (uint32_t i = 0; i < r->module->kernel_count; i++)
        r->module->kernels[i].dynamic_shared = extern_array;
}

/* The embedded PTX text is kept line by line with NUL bytes between; the leading ones count as lines. Linked files may
 * hold several, `.nv_debug_ptx_txt.<number>`: they are put one behind the other, and line tables name the one they
 * mean. */
static void read_ptx(struct img_reader *r)
{
    static const char prefix[] = ".nv_debug_ptx_txt";
    size_t total = 0;
    for (uint32_t i = 0; i < r->elf.section_count; i++) {
        const struct elf_section *s = &r->elf.sections[i];
        if (str_starts(s->name, prefix) && s->bytes != NULL)
            total += s->have + 1;
    }
    if (total == 0)
        return;
    char *text = arena_alloc(r->a, total);
    if (text == NULL)
        return;
    uint32_t lines = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < r->elf.section_count; i++) {
        const struct elf_section *s = &r->elf.sections[i];
        if (!str_starts(s->name, prefix) || s->bytes == NULL)
            continue;
        struct ptx_text part = {.section = s->name, .lines_before = lines};
        VEC_PUSH(r->a, r->ptx_texts, part);
        if (n != 0)
            text[n++] = '\n';
        for (size_t k = 0; k < s->have; k++)
            text[n++] = s->bytes[k] != 0 ? (char)s->bytes[k] : '\n';
        for (size_t k = n - s->have; k < n; k++)
            lines += text[k] == '\n';
        lines++;
    }
    r->module->ptx = text;
    r->module->ptx_bytes = n;
}

/* One note: u32 name bytes, u32 descriptor bytes, u32 type, name, descriptor; both padded to 4. */
static const uint8_t *find_note(struct img_reader *r, const char *section, uint32_t type, uint32_t *bytes)
{
    const struct elf_section *s = img_elf_find(&r->elf, section);
    if (s == NULL || s->bytes == NULL)
        return NULL;
    for (size_t at = 0; s->have - at >= 12;) {
        uint64_t name = ((uint64_t)bits_le32(s->bytes + at) + 3) & ~UINT64_C(3);
        uint64_t desc = bits_le32(s->bytes + at + 4), left = s->have - at - 12;
        if (name > left || desc > left - name) {
            img_elf_damage(&r->elf, "note", section, (int64_t)at,
                           "a note of %" PRIu64 " + %" PRIu64 " bytes, %" PRIu64 " are left", name, desc, left);
            return NULL;
        }
        const uint8_t *payload = s->bytes + at + 12 + name;
        if (bits_le32(s->bytes + at + 8) == type) {
            *bytes = (uint32_t)desc;
            return payload;
        }
        uint64_t step = 12 + name + ((desc + 3) & ~UINT64_C(3));
        if (step > s->have - at)
            break;
        at += (size_t)step;
    }
    return NULL;
}

/* Text `index` of the tool note: u32 version, five u32 offsets into the strings that follow. */
static const char *tool_text(struct img_reader *r, const uint8_t *note, uint32_t bytes, unsigned index)
{
    enum { STRINGS_AT = 24 };
    if (bytes <= STRINGS_AT)
        return NULL;
    uint32_t offset = bits_le32(note + 4 + 4 * index);
    if (offset >= bytes - STRINGS_AT)
        return NULL;
    const char *text = (const char *)note + STRINGS_AT + offset;
    size_t left = bytes - STRINGS_AT - offset;
    size_t length = strnlen(text, left);
    while (length != 0 && text[length - 1] == ' ')
        length--;
    return length != 0 ? arena_strndup(r->a, text, length) : NULL;
}

/* "Cuda compilation tools, release 13.0, V13.0.88" -> 1300, -1 when there is no version. */
static int release_of(const char *number)
{
    unsigned parts[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++) {
        if (*number < '0' || *number > '9')
            return -1;
        for (; *number >= '0' && *number <= '9' && parts[i] < 100; number++)
            parts[i] = parts[i] * 10 + (unsigned)(*number - '0');
        number += *number == '.';
    }
    return (int)(parts[0] * 100 + parts[1]);
}

static void read_producer(struct img_reader *r)
{
    enum { TEXT_TOOL = 1, TEXT_VERSION = 2, TEXT_ARGUMENTS = 4, SPILLS_SINCE = 1209 };
    uint32_t bytes;
    const uint8_t *note = find_note(r, ".note.nv.tkinfo", NOTE_TOOL, &bytes);
    if (note != NULL) {
        const char *tool = tool_text(r, note, bytes, TEXT_TOOL), *version = tool_text(r, note, bytes, TEXT_VERSION);
        const char *number = version != NULL ? strstr(version, ", V") : NULL;
        r->module->flags = tool_text(r, note, bytes, TEXT_ARGUMENTS);
        r->module->producer = tool;
        if (tool != NULL && number != NULL) {
            r->module->producer = arena_printf(r->a, "%s %s", tool, number + 3);
            r->writes_spills = str_starts(tool, "ptxas") && release_of(number + 3) >= SPILLS_SINCE;
        }
    } else if (!r->new_layout && r->elf.version >= 70 && r->elf.version < 200) {
        /* The old layout names no tool, but e_version carries the release times ten. */
        r->module->producer = arena_printf(r->a, "CUDA %" PRIu32 ".%" PRIu32, r->elf.version / 10, r->elf.version % 10);
    }
}

/* The letter behind `-arch sm_90` in the recorded command line, 0 for none. */
static char arch_letter(const struct img_module *m)
{
    const char *p = m->flags;
    while (p != NULL && (p = strstr(p, "-arch ")) != NULL) {
        p += 6;
        if (!str_starts(p, "sm_"))
            continue;
        for (p += 3; *p >= '0' && *p <= '9'; p++)
            continue;
        return *p == 'a' || *p == 'f' ? *p : 0;
    }
    return 0;
}

static void read_arch(struct img_reader *r)
{
    struct img_module *m = r->module;
    m->header_flags = r->elf.flags;
    m->old_layout = !r->new_layout;
    m->sm = r->new_layout ? r->elf.flags >> 8 & 0xff : r->elf.flags & 0xff;
    uint32_t bytes;
    const uint8_t *note = r->new_layout ? find_note(r, ".note.nv.cuinfo", NOTE_CUDA_INFO, &bytes) : NULL;
    /* The note tells the virtual architecture of the PTX: no newer than the machine code made of it. */
    if (note != NULL && bytes >= 4 && bits_le16(note + 2) > m->sm) {
        img_elf_damage(&r->elf, "elf-header", NULL, 48, "the header says sm_%u, the note compute_%u", m->sm,
                       bits_le16(note + 2));
        m->sm = 0;
    }
    if (m->sm < 50 || m->sm > 199) {
        img_elf_damage(&r->elf, "elf-header", NULL, 48, "flags 0x%08" PRIx32 " name no known architecture",
                       r->elf.flags);
        m->sm = 0;
        return;
    }
    if (note != NULL && bytes >= 4)
        m->virtual_sm = bits_le16(note + 2);
    else if (!r->new_layout)
        m->virtual_sm = r->elf.flags >> 16 & 0xff;
    if (m->virtual_sm < 20 || m->virtual_sm > m->sm)
        m->virtual_sm = 0;
    char letter = arch_letter(m);
    bool flagged = r->new_layout ? m->sm >= 100 && (r->elf.flags & NEW_FLAG_ARCH_SPECIFIC) != 0
                                 : (r->elf.flags & OLD_FLAG_ARCH_SPECIFIC) != 0;
    if (letter == 0 && (flagged || (r->new_layout && r->arch_specific)))
        letter = 'a'; /* an 'f' target does not set the flag: only the command line tells it */
    m->arch = arena_printf(r->a, letter != 0 ? "sm_%u%c" : "sm_%u", m->sm, letter);
}

static int by_start(const void *a, const void *b)
{
    const struct img_subroutine *x = a, *y = b;
    return x->offset != y->offset ? (x->offset < y->offset ? -1 : 1) : strcmp(x->name, y->name);
}

static int by_place(const void *a, const void *b)
{
    const struct img_reloc *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->type != y->type ? (x->type < y->type ? -1 : 1) : strcmp(x->symbol, y->symbol);
}

/* Hands the collected vectors over, in the order of the code. */
static void finish_kernel(struct img_reader *r, uint32_t index)
{
    struct img_kernel *k = &r->module->kernels[index];
    struct kernel_state *state = &r->states[index];
    if (state->relocs.n != 0)
        qsort(state->relocs.p, state->relocs.n, sizeof *state->relocs.p, by_place);
    if (state->subroutines.n != 0)
        qsort(state->subroutines.p, state->subroutines.n, sizeof *state->subroutines.p, by_start);
    k->relocs = state->relocs.p;
    k->reloc_count = (uint32_t)state->relocs.n;
    k->subroutines = state->subroutines.p;
    k->subroutine_count = (uint32_t)state->subroutines.n;
    if (k->barriers < 0 && state->has_info && !state->info_damaged)
        k->barriers = 0; /* recorded only where there are some */
    k->stack_bytes = state->frame_bytes >= 0 ? state->frame_bytes : state->min_stack_bytes;
    if (!k->spills_known && state->has_info && !state->info_damaged && r->writes_spills)
        k->spills_known = true;
}

static bool choose_layout(struct img_reader *r)
{
    if (r->elf.machine != ELF_MACHINE_CUDA)
        img_elf_damage(&r->elf, "elf-header", NULL, 18, "machine %u, expected %d (CUDA)", r->elf.machine,
                       ELF_MACHINE_CUDA);
    if (r->elf.abi_version != ABI_OLD && r->elf.abi_version != ABI_NEW)
        img_elf_damage(&r->elf, "elf-header", NULL, 8, "ABI version %u, expected %d or %d", r->elf.abi_version, ABI_OLD,
                       ABI_NEW);
    return r->elf.abi_version >= ABI_NEW;
}

static enum sp_status unsupported(struct diag_sink *diags, enum img_kind kind)
{
    static const char *const names[] = {
        [IMG_CUBIN] = "a cubin",           [IMG_FATBIN] = "a fat binary", [IMG_HOST_ELF] = "a host ELF file",
        [IMG_HOST_PE] = "a Windows file",  [IMG_PTX] = "PTX text",        [IMG_LISTING] = "a listing",
        [IMG_ARCHIVE] = "an archive",      [IMG_LTO] = "NVVM code",       [IMG_RAW] = "raw code",
        [IMG_UNKNOWN] = "of unknown kind",
    };
    if (kind == IMG_UNKNOWN) {
        diag_add(
            diags, DIAG_ERROR, "not-a-cubin", NULL, 0,
            "no kind of file this version knows: expected a cubin, a fatbin, a program or library that holds some, PTX "
            "or a listing");
        return SP_ERR_FORMAT;
    }
    diag_add(diags, DIAG_ERROR, "unsupported-kind", NULL, 0, "the input is %s: expected a cubin", names[kind]);
    return SP_ERR_UNSUPPORTED;
}

enum sp_status img_read_module(struct arena *a, struct diag_sink *diags, const char *path, const uint8_t *bytes,
                               size_t size, struct img_module *module)
{
    *module = (struct img_module){.path = arena_strdup(a, path != NULL ? path : ""), .status = IMG_UNREADABLE};
    module->kind = img_detect(bytes, size);
    if (size == 0) {
        diag_add(diags, DIAG_ERROR, "empty-input", NULL, 0, "the input is empty");
        return SP_ERR_FORMAT;
    }
    if (module->kind != IMG_CUBIN)
        return unsupported(diags, module->kind);

    module->bytes = bytes;
    module->size = size;
    struct img_reader r = {.a = a, .module = module};
    r.demangle_budget = size <= SIZE_MAX / DEMANGLED_PER_BYTE ? size * DEMANGLED_PER_BYTE : SIZE_MAX;
    if (img_elf_open(&r.elf, a, diags, bytes, size)) {
        r.new_layout = choose_layout(&r);
        read_kernels(&r);
    }
    if (r.kernel_of_section != NULL && r.states != NULL) {
        read_producer(&r);
        read_ptx(&r);
        img_info_read(&r);
        read_arch(&r);
        read_subroutines(&r);
        read_shared(&r);
        img_shared_place(&r);
        read_text_relocs(&r);
        read_constants(&r);
        img_tables_read(&r);
        img_lines_read(&r);
        for (uint32_t i = 0; i < module->kernel_count; i++)
            finish_kernel(&r, i);
    }
    if (arena_failed(a)) {
        diag_add(diags, DIAG_ERROR, "out-of-memory", NULL, -1, "reading took more memory than allowed");
        module->status = module->kernel_count != 0 ? IMG_PARTIAL : IMG_UNREADABLE;
        return SP_ERR_MEMORY;
    }
    module->status = !r.elf.damaged ? IMG_COMPLETE : module->kernel_count != 0 ? IMG_PARTIAL : IMG_UNREADABLE;
    return r.elf.damaged ? SP_ERR_FORMAT : SP_OK;
}
