/* Symbols, relocations and .nv.info records of a cubin as an assembly listing needs them: which places of the code have
 * names, and which fields stand for symbols.
 *
 * The order of everything is that of the file, since the vendor's listing numbers its labels by it. Sections are walked
 * once each; counts and offsets of the input are never trusted. requires: a module and its bytes · gives: struct
 * img_assembly */
#include "image/img_assembly.h"

#include "base/bits.h"
#include "base/str.h"
#include "base/vec.h"
#include "image/img_reader.h"

#include <stdlib.h>
#include <string.h>

enum {
    RELOC_32 = 1, /* a whole word of data: what is added lies in it where the record has no addend */
    RELOC_64 = 2,

    BARRIERS_SHIFT = 20, /* in a section's flags, ABI version 7 */
    BARRIERS_MASK = 0x7f,

    RECORD_SIZED = 4,
    ATTR_EXITS = 0x1c,
    ATTR_CTA_IDS = 0x1d,
    ATTR_CACHE_LOADS = 0x25,
    ATTR_SYSTEM_ATOMICS = 0x27,
    ATTR_GROUPS = 0x28,
    ATTR_HALF_ATOMICS = 0x2d,
    ATTR_HALF_ATOMIC_REGISTERS = 0x2e,
    ATTR_WARP_WIDE = 0x31,
    ATTR_BRANCH_TARGETS = 0x34,
    ATTR_MBARRIERS = 0x39,
    ATTR_RESUMES = 0x3a,
    ATTR_UNUSED_LOADS = 0x44,
    ATTR_SYSCALLS = 0x46,
    ATTR_MEMBARS = 0x47,
    ATTR_ANNOTATIONS = 0x55,
    ATTR_CANARY_TRAPS = 0x57,
    ATTR_ASYNC_STORES = 0x59,
    ATTR_BULK_COPIES = 0x65,
    ATTR_LIVE_STATES = 0x6a,
    ATTR_OFFSETS = 0x6c,
};

struct reader {
    struct arena *a;
    const struct img_module *module;
    struct elf_file elf;
    uint32_t *kernel_of_section;
    VEC(struct img_function) functions;
    VEC(struct img_extern) externs;
    VEC(struct img_field) fields;
    VEC(struct img_mark) marks, records;
    VEC(struct img_branch) branches;
};

static uint32_t kernel_of(const struct reader *r, uint32_t section)
{
    return section < r->elf.section_count ? r->kernel_of_section[section] : (uint32_t)IMG_NO_KERNEL;
}

static uint8_t binding_of(uint8_t bind)
{
    return bind == 1 ? IMG_BIND_GLOBAL : bind == 2 ? IMG_BIND_WEAK : IMG_BIND_LOCAL;
}

static void read_symbols(struct reader *r, struct img_section *sections)
{
    for (uint32_t i = 1; i < r->elf.symbol_count; i++) {
        const struct elf_symbol *s = &r->elf.symbols[i];
        uint32_t kernel = kernel_of(r, s->section);
        if (s->section == 0 && s->name[0]) {
            struct img_extern e = {.name = s->name, .type = s->type, .other = s->other, .size = s->size};
            VEC_PUSH(r->a, r->externs, e);
        }
        if (kernel != IMG_NO_KERNEL && s->type == 0 && s->value == 0 &&
            str_equal(s->name, r->module->kernels[kernel].section))
            sections[kernel].named_twice = true;
        if ((s->type != ELF_STT_FUNC && s->type != ELF_STT_SECTION) || kernel == IMG_NO_KERNEL ||
            s->value > r->module->kernels[kernel].code_bytes)
            continue;
        struct img_function f = {.name = s->type == ELF_STT_SECTION ? r->module->kernels[kernel].section : s->name,
                                 .at = {.kernel = kernel, .offset = (uint32_t)s->value},
                                 .size = s->size,
                                 .binding = binding_of(s->bind),
                                 .other = s->other,
                                 .is_section = s->type == ELF_STT_SECTION};
        VEC_PUSH(r->a, r->functions, f);
    }
}

/* The place that symbol + addend is, if that is in the code and not the symbol's own. */
static struct img_mark target_of(const struct reader *r, const struct elf_symbol *s, int64_t addend)
{
    struct img_mark none = {.kernel = IMG_NO_KERNEL};
    uint32_t kernel = kernel_of(r, s->section);
    if ((s->type != ELF_STT_FUNC && s->type != ELF_STT_SECTION) || kernel == IMG_NO_KERNEL || addend == 0)
        return none;
    uint64_t at = s->value + (uint64_t)addend;
    return at <= r->module->kernels[kernel].code_bytes ? (struct img_mark){.kernel = kernel, .offset = (uint32_t)at}
                                                       : none;
}

static int by_place(const struct img_mark *x, const struct img_mark *y)
{
    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    return x->offset != y->offset ? (x->offset < y->offset ? -1 : 1) : 0;
}

static int by_field(const void *a, const void *b)
{
    const struct img_field *x = a, *y = b;
    int order = by_place(&x->at, &y->at);
    return order ? order : x->type != y->type ? (x->type < y->type ? -1 : 1) : 0;
}

static int by_branch(const void *a, const void *b)
{
    const struct img_branch *x = a, *y = b;
    return by_place(&x->at, &y->at);
}

static void read_fields(struct reader *r)
{
    for (uint32_t i = 0; i < r->elf.section_count; i++) {
        const struct elf_section *s = &r->elf.sections[i];
        size_t count = img_elf_reloc_count(s);
        uint32_t kernel = count ? kernel_of(r, s->info) : (uint32_t)IMG_NO_KERNEL;
        if (kernel == IMG_NO_KERNEL)
            continue;
        for (size_t n = 0; n < count; n++) {
            struct elf_reloc reloc = img_elf_reloc(s, n);
            if (reloc.offset >= r->module->kernels[kernel].code_bytes || reloc.symbol >= r->elf.symbol_count)
                continue;
            const struct elf_symbol *symbol = &r->elf.symbols[reloc.symbol];
            const char *name = symbol->name;
            if (!name[0] && symbol->type == ELF_STT_SECTION && symbol->section < r->elf.section_count)
                name = r->elf.sections[symbol->section].name;
            struct img_field f = {.at = {.kernel = kernel, .offset = (uint32_t)reloc.offset},
                                  .type = reloc.type,
                                  .symbol = name,
                                  .addend = reloc.addend,
                                  .target = target_of(r, symbol, reloc.addend)};
            VEC_PUSH(r->a, r->fields, f);
        }
    }
    if (r->fields.n)
        qsort(r->fields.p, r->fields.n, sizeof *r->fields.p, by_field);
}

/* ---- places that data names -------------------------------------------------------------------- */

struct named { /* by what stands at `from` of a data section */
    uint64_t from;
    struct img_mark place;
};

static int by_from(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : by_place(&x->place, &y->place);
}

/* What the record adds: its addend, or what lies in the patched place. */
static int64_t addend_of(const struct elf_section *records, const struct elf_section *data,
                         const struct elf_reloc *reloc)
{
    if (records->type == ELF_SHT_RELA || !data->bytes)
        return reloc->addend;
    if (reloc->type == RELOC_64 && data->have >= 8 && reloc->offset <= data->have - 8)
        return (int64_t)bits_le64(data->bytes + reloc->offset);
    if (reloc->type == RELOC_32 && data->have >= 4 && reloc->offset <= data->have - 4)
        return (int64_t)bits_le32(data->bytes + reloc->offset);
    return 0;
}

/* Relocation sections of data, next to the section they patch: lists by `next`, so that all is walked once. */
static void read_data(struct reader *r, const uint32_t *first, const uint32_t *next, uint32_t section)
{
    const struct elf_section *data = &r->elf.sections[section];
    VEC(struct named) found = {0};
    for (uint32_t i = first[section]; i != IMG_NO_KERNEL; i = next[i]) {
        const struct elf_section *records = &r->elf.sections[i];
        size_t count = img_elf_reloc_count(records);
        for (size_t n = 0; n < count; n++) {
            struct elf_reloc reloc = img_elf_reloc(records, n);
            if (reloc.symbol >= r->elf.symbol_count)
                continue;
            struct img_mark place = target_of(r, &r->elf.symbols[reloc.symbol], addend_of(records, data, &reloc));
            struct named one = {.from = reloc.offset, .place = place};
            if (place.kernel != IMG_NO_KERNEL)
                VEC_PUSH(r->a, found, one);
        }
    }
    if (found.n)
        qsort(found.p, found.n, sizeof *found.p, by_from);
    for (size_t i = 0; i < found.n; i++)
        VEC_PUSH(r->a, r->marks, found.p[i].place);
}

static void add_record(struct reader *r, uint32_t kernel, const uint8_t *word)
{
    struct img_mark mark = {.kernel = kernel, .offset = bits_le32(word)};
    if (mark.offset <= r->module->kernels[kernel].code_bytes)
        VEC_PUSH(r->a, r->records, mark);
}

struct nth {
    uint32_t offset, number;
};

static int by_offset_and_number(const void *a, const void *b)
{
    const struct nth *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_number(const void *a, const void *b)
{
    const struct nth *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The places of a table, each where it comes first. */
static void take_targets(struct reader *r, uint32_t kernel, const uint8_t *words, struct img_branch *branch)
{
    uint32_t count = branch->word_count, n = 0;
    struct nth *found = ARENA_ARRAY(r->a, struct nth, count + 1);
    struct img_mark *targets = ARENA_ARRAY(r->a, struct img_mark, count + 1);
    if (!found || !targets)
        return;
    for (uint32_t i = 0; i < count; i++)
        found[i] = (struct nth){bits_le32(words + 4 * (size_t)i), i};
    qsort(found, count, sizeof *found, by_offset_and_number);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || found[i].offset != found[i - 1].offset)
            found[n++] = found[i];
    qsort(found, n, sizeof *found, by_number);
    for (uint32_t i = 0; i < n; i++)
        targets[i] = (struct img_mark){.kernel = kernel, .offset = found[i].offset};
    branch->targets = targets;
    branch->target_count = n;
}

/* Records of an indirect branch: its place, two short numbers, how many targets, the targets. */
static void read_branches(struct reader *r, uint32_t kernel, const uint8_t *p, uint32_t bytes)
{
    enum { HEAD = 12 };
    while (bytes >= HEAD) {
        uint32_t count = bits_le32(p + 8);
        struct img_branch branch = {.at = {.kernel = kernel, .offset = bits_le32(p)}};
        add_record(r, kernel, p);
        p += HEAD;
        bytes -= HEAD;
        count = count < bytes / 4 ? count : bytes / 4;
        branch.word_count = count;
        take_targets(r, kernel, p, &branch);
        for (uint32_t i = 0; i < count; i++, p += 4)
            add_record(r, kernel, p);
        bytes -= 4 * count;
        VEC_PUSH(r->a, r->branches, branch);
    }
}

/* How the places lie in a record of this attribute: from `first`, one every `step` bytes; step 0: there are none. */
static void layout_of(unsigned attribute, uint32_t *first, uint32_t *step)
{
    *first = *step = 0;
    switch (attribute) {
    case ATTR_EXITS:
    case ATTR_CTA_IDS:
    case ATTR_CACHE_LOADS:
    case ATTR_SYSTEM_ATOMICS:
    case ATTR_GROUPS:
    case ATTR_HALF_ATOMICS:
    case ATTR_WARP_WIDE:
    case ATTR_SYSCALLS:
    case ATTR_MEMBARS:
    case ATTR_CANARY_TRAPS:
    case ATTR_ASYNC_STORES:
    case ATTR_BULK_COPIES: *step = 4; break;
    case ATTR_HALF_ATOMIC_REGISTERS:
    case ATTR_UNUSED_LOADS:
    case ATTR_LIVE_STATES: *step = 8; break;
    case ATTR_RESUMES:
    case ATTR_ANNOTATIONS: *first = 4, *step = 8; break;
    case ATTR_OFFSETS: *first = *step = 4; break;
    case ATTR_MBARRIERS: *step = 16; break;
    default: break;
    }
}

static void read_info(struct reader *r, const struct elf_section *s, uint32_t kernel)
{
    for (size_t at = 0; s->bytes && s->have - at >= 4;) {
        const uint8_t *p = s->bytes + at;
        uint32_t bytes = p[0] == RECORD_SIZED ? bits_le16(p + 2) : 0, first, step;
        at += 4;
        if (bytes > s->have - at)
            return;
        at += bytes;
        if (p[1] == ATTR_BRANCH_TARGETS)
            read_branches(r, kernel, p + 4, bytes);
        layout_of(p[1], &first, &step);
        for (uint32_t i = first; step && i + 4 <= bytes; i += step)
            add_record(r, kernel, p + 4 + i);
    }
}

static bool read_marks(struct reader *r)
{
    uint32_t n = r->elf.section_count;
    uint32_t *first = ARENA_ARRAY(r->a, uint32_t, n + 1), *next = ARENA_ARRAY(r->a, uint32_t, n + 1);
    if (!first || !next)
        return false;
    for (uint32_t i = 0; i < n; i++)
        first[i] = IMG_NO_KERNEL;
    for (uint32_t i = n; i-- > 0;) {
        const struct elf_section *s = &r->elf.sections[i];
        if (!img_elf_reloc_count(s) || s->info >= n)
            continue;
        next[i] = first[s->info];
        first[s->info] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct elf_section *s = &r->elf.sections[i];
        if (r->kernel_of_section[i] != IMG_NO_KERNEL)
            continue;
        if (s->type == ELF_SHT_CUDA_INFO && kernel_of(r, s->info) != IMG_NO_KERNEL)
            read_info(r, s, kernel_of(r, s->info));
        else
            read_data(r, first, next, i);
    }
    if (r->branches.n)
        qsort(r->branches.p, r->branches.n, sizeof *r->branches.p, by_branch);
    return true;
}

/* ---- without a file ------------------------------------------------------------------------------ */

static void take_kernels(struct reader *r)
{
    for (uint32_t k = 0; k < r->module->kernel_count; k++) {
        const struct img_kernel *kernel = &r->module->kernels[k];
        struct img_function section = {.name = kernel->section, .at = {.kernel = k}, .is_section = true};
        VEC_PUSH(r->a, r->functions, section);
        for (uint32_t i = 0; i < kernel->subroutine_count; i++) {
            const struct img_subroutine *s = &kernel->subroutines[i];
            struct img_function f = {.name = s->name, .at = {.kernel = k, .offset = s->offset}, .size = s->size};
            VEC_PUSH(r->a, r->functions, f);
        }
        struct img_function f = {
            .name = kernel->name, .at = {.kernel = k}, .size = kernel->code_bytes, .binding = IMG_BIND_GLOBAL};
        VEC_PUSH(r->a, r->functions, f);
    }
}

static bool open_file(struct reader *r, struct img_section *sections)
{
    struct diag_sink told; /* a second time: nobody hears it */
    diag_init(&told, r->a);
    if (!r->module->bytes || !img_elf_open(&r->elf, r->a, &told, r->module->bytes, r->module->size))
        return false;
    r->kernel_of_section = ARENA_ARRAY(r->a, uint32_t, r->elf.section_count + 1);
    uint32_t kernels = 0;
    for (uint32_t i = 0; r->kernel_of_section && i < r->elf.section_count; i++) {
        bool code = img_section_is_code(&r->elf.sections[i]) && kernels < r->module->kernel_count;
        if (code) {
            const struct elf_section *s = &r->elf.sections[i];
            sections[kernels].alignment = (uint32_t)s->align;
            sections[kernels].registers = s->info >> 24;
            if (r->module->old_layout)
                sections[kernels].barriers = s->flags >> BARRIERS_SHIFT & BARRIERS_MASK;
        }
        r->kernel_of_section[i] = code ? kernels++ : (uint32_t)IMG_NO_KERNEL;
    }
    return r->kernel_of_section && kernels == r->module->kernel_count;
}

bool img_read_assembly(struct arena *a, const struct img_module *module, struct img_assembly *out)
{
    struct reader r = {.a = a, .module = module};
    struct img_section *sections = ARENA_ARRAY(a, struct img_section, module->kernel_count + 1);
    if (!sections)
        return false;
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        sections[i].alignment = 128;
        sections[i].registers = module->kernels[i].registers > 0 ? (uint32_t)module->kernels[i].registers : 0;
    }
    if (open_file(&r, sections)) {
        read_symbols(&r, sections);
        read_fields(&r);
        if (!read_marks(&r))
            return false;
    } else {
        take_kernels(&r);
    }
    *out = (struct img_assembly){.relocatable = r.elf.type == ELF_TYPE_REL,
                                 .functions = r.functions.p,
                                 .externs = r.externs.p,
                                 .fields = r.fields.p,
                                 .marks = r.marks.p,
                                 .branches = r.branches.p,
                                 .records = r.records.p,
                                 .sections = sections,
                                 .function_count = (uint32_t)r.functions.n,
                                 .extern_count = (uint32_t)r.externs.n,
                                 .field_count = (uint32_t)r.fields.n,
                                 .mark_count = (uint32_t)r.marks.n,
                                 .record_count = (uint32_t)r.records.n,
                                 .branch_count = (uint32_t)r.branches.n};
    return !arena_failed(a);
}
