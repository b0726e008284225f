/* Attribute records: .nv.info (one for the module), .nv.info.<kernel>, .nv.compat.
 *
 * A record is u8 format, u8 attribute, u16 value; format 4 is followed by `value` bytes of payload. The sections are a
 * plain sequence of records, so an unknown attribute is skipped by its length and a damaged length ends the section.
 * requires: kernels and kernel_of_section · gives: resources, parameters, launch bounds, spills
 * (doc/formats/nv_info.md) */
#include "base/bits.h"
#include "image/img_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum attribute_format { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };

enum attribute {
    ATTR_MAX_THREADS = 0x05,
    ATTR_PARAM_CBANK = 0x0a,
    ATTR_REQNTID = 0x10,
    ATTR_FRAME_SIZE = 0x11,
    ATTR_MIN_STACK_SIZE = 0x12,
    ATTR_KPARAM_INFO = 0x17,
    ATTR_CBANK_PARAM_SIZE = 0x19,
    ATTR_REGCOUNT = 0x2f,
    ATTR_BRANCH_TARGETS = 0x34,
    ATTR_KPARAM_INFO_V2 = 0x45,
    ATTR_NUM_BARRIERS = 0x4c,
    ATTR_ANNOTATIONS = 0x55,
};

enum { COMPAT_ARCH_SPECIFIC = 9, ANNOTATION_SPILL = 1, PARAMS_MAX = 4096, REGISTERS_MAX = 255 };

struct record {
    uint8_t format, attribute;
    uint16_t value;         /* formats 2 and 3 */
    const uint8_t *payload; /* format 4 */
    uint32_t bytes;
};

struct record_reader {
    const struct elf_section *section;
    size_t at;
    size_t record_at; /* where the record given last starts */
};

/* The next record; false at the end of the section, or of what can be read of it. */
static bool next_record(struct img_reader *r, struct record_reader *reader, struct record *record)
{
    const struct elf_section *s = reader->section;
    if (s->bytes == NULL || s->have - reader->at < 4) {
        if (s->bytes != NULL && reader->at != s->have && s->have == s->size)
            img_elf_damage(&r->elf, "nv-info", s->name, (int64_t)reader->at, "%zu bytes left, a record needs 4",
                           s->have - reader->at);
        return false;
    }
    const uint8_t *p = s->bytes + reader->at;
    reader->record_at = reader->at;
    *record = (struct record){.format = p[0], .attribute = p[1], .value = bits_le16(p + 2)};
    if (record->format < FORMAT_NONE || record->format > FORMAT_SIZED) {
        img_elf_damage(&r->elf, "nv-info", s->name, (int64_t)reader->at, "a record has format %u, expected 1 to 4",
                       p[0]);
        return false;
    }
    reader->at += 4;
    if (record->format == FORMAT_SIZED) {
        if (record->value > s->have - reader->at) {
            img_elf_damage(&r->elf, "nv-info", s->name, (int64_t)reader->record_at,
                           "attribute 0x%02x needs %u bytes, %zu are left", record->attribute, record->value,
                           s->have - reader->at);
            return false;
        }
        record->payload = s->bytes + reader->at;
        record->bytes = record->value;
        reader->at += record->value;
    }
    return true;
}

/* True when the payload is long enough; otherwise a diagnostic. */
static bool has_payload(struct img_reader *r, const struct record_reader *reader, const struct record *record,
                        uint32_t bytes)
{
    if (record->format == FORMAT_SIZED && record->bytes >= bytes)
        return true;
    img_elf_damage(&r->elf, "nv-info", reader->section->name, (int64_t)reader->record_at,
                   "attribute 0x%02x has %" PRIu32 " bytes, expected %" PRIu32, record->attribute, record->bytes,
                   bytes);
    return false;
}

static int32_t clamp_i32(uint32_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

/* The kernel whose function symbol has that index; IMG_NONE for subroutines and other functions. */
static uint32_t kernel_of_symbol(struct img_reader *r, const struct record_reader *reader, uint32_t symbol)
{
    if (symbol >= r->elf.symbol_count) {
        img_elf_damage(&r->elf, "nv-info", reader->section->name, (int64_t)reader->record_at,
                       "symbol %" PRIu32 " of %" PRIu32, symbol, r->elf.symbol_count);
        return IMG_NONE;
    }
    uint32_t section = r->elf.symbols[symbol].section;
    uint32_t kernel = section < r->elf.section_count ? r->kernel_of_section[section] : IMG_NONE;
    return kernel != IMG_NONE && r->states[kernel].symbol == symbol ? kernel : IMG_NONE;
}

static void read_module_info(struct img_reader *r, const struct elf_section *section)
{
    struct record_reader reader = {.section = section};
    struct record record;
    while (next_record(r, &reader, &record)) {
        bool ours = record.attribute == ATTR_REGCOUNT || record.attribute == ATTR_FRAME_SIZE ||
                    record.attribute == ATTR_MIN_STACK_SIZE;
        if (!ours || !has_payload(r, &reader, &record, 8))
            continue;
        uint32_t kernel = kernel_of_symbol(r, &reader, bits_le32(record.payload));
        uint32_t value = bits_le32(record.payload + 4);
        if (kernel == IMG_NONE)
            continue;
        if (record.attribute == ATTR_FRAME_SIZE)
            r->states[kernel].frame_bytes = clamp_i32(value);
        else if (record.attribute == ATTR_MIN_STACK_SIZE)
            r->states[kernel].min_stack_bytes = clamp_i32(value);
        else if (value <= REGISTERS_MAX)
            r->module->kernels[kernel].registers = (int32_t)value;
        else
            img_elf_damage(&r->elf, "nv-info", section->name, (int64_t)reader.record_at,
                           "%" PRIu32 " registers, at most %d", value, REGISTERS_MAX);
    }
}

static void read_param(struct img_reader *r, const struct record_reader *reader, const struct record *record,
                       struct kernel_state *state)
{
    if (!has_payload(r, reader, record, 12)) {
        state->info_damaged = true;
        return;
    }
    const uint8_t *p = record->payload;
    struct img_param param = {.index = bits_le16(p + 4), .offset = bits_le16(p + 6)};
    if (record->attribute == ATTR_KPARAM_INFO)
        param.size = bits_le32(p + 8) >> 18;
    else
        param.size = bits_le16(p + 8);
    if (state->params.n < PARAMS_MAX)
        VEC_PUSH(r->a, state->params, param);
    else
        state->info_damaged = true;
}

static void read_three(struct img_reader *r, const struct record_reader *reader, const struct record *record,
                       int32_t out[3])
{
    if (has_payload(r, reader, record, 12))
        for (unsigned i = 0; i < 3; i++)
            out[i] = clamp_i32(bits_le32(record->payload + 4 * i));
}

static int by_offset(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Pairs of kind and byte offset; kind 1 marks a store that spills or a load that refills. */
static void read_annotations(struct img_reader *r, const struct record_reader *reader, const struct record *record,
                             struct img_kernel *kernel)
{
    uint32_t pairs = record->bytes / 8, n = 0;
    uint32_t *offsets = ARENA_ARRAY(r->a, uint32_t, pairs);
    if (offsets == NULL)
        return;
    if (record->bytes % 8 != 0)
        img_elf_damage(&r->elf, "nv-info", reader->section->name, (int64_t)reader->record_at,
                       "annotations of %" PRIu32 " bytes, expected a multiple of 8", record->bytes);
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t kind = bits_le32(record->payload + (size_t)i * 8),
                 offset = bits_le32(record->payload + (size_t)i * 8 + 4);
        if (kind != ANNOTATION_SPILL)
            continue;
        if (offset >= kernel->code_bytes || offset % 16 != 0)
            img_elf_damage(&r->elf, "nv-info", reader->section->name, (int64_t)reader->record_at,
                           "a spill at 0x%" PRIx32 ", the code has 0x%" PRIx32 " bytes", offset, kernel->code_bytes);
        else
            offsets[n++] = offset;
    }
    qsort(offsets, n, sizeof *offsets, by_offset);
    kernel->spills = offsets;
    kernel->spill_count = n;
    kernel->spills_known = true;
}

static int by_place(const void *a, const void *b)
{
    const struct img_one_switch *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* One after the other: the branch, two short numbers, how many targets, the targets. Of a branch that would go to what
 * is no place of the code nothing is known. */
static void read_switches(struct img_reader *r, const struct record *record, const struct img_kernel *kernel,
                          struct kernel_state *state)
{
    enum { HEAD = 12 };
    const uint8_t *p = record->payload;
    for (uint32_t left = record->bytes; left >= HEAD;) {
        uint32_t count = bits_le32(p + 8), n = 0, at = bits_le32(p);
        if (count > (left - HEAD) / 4)
            break;
        uint32_t *targets = ARENA_ARRAY(r->a, uint32_t, count + 1);
        bool good = targets && count && at < kernel->code_bytes && at % 16 == 0;
        for (uint32_t i = 0; i < count && good; i++) {
            targets[i] = bits_le32(p + HEAD + 4 * (size_t)i);
            good = targets[i] < kernel->code_bytes && targets[i] % 16 == 0;
        }
        if (good)
            qsort(targets, count, sizeof *targets, by_offset);
        for (uint32_t i = 0; i < count && good; i++)
            if (!i || targets[i] != targets[n - 1])
                targets[n++] = targets[i];
        if (good)
            VEC_PUSH(r->a, state->switches, ((struct img_one_switch){at, n, targets}));
        p += HEAD + 4 * (size_t)count;
        left -= HEAD + 4 * count;
    }
}

static void finish_switches(struct img_reader *r, struct img_kernel *kernel, struct kernel_state *state)
{
    size_t n = state->switches.n;
    uint32_t *at = ARENA_ARRAY(r->a, uint32_t, n + 1), *counts = ARENA_ARRAY(r->a, uint32_t, n + 1);
    const uint32_t **targets = ARENA_ARRAY(r->a, const uint32_t *, n + 1);
    if (!n || !at || !counts || !targets)
        return;
    qsort(state->switches.p, n, sizeof state->switches.p[0], by_place);
    for (size_t i = 0; i < n; i++) {
        at[i] = state->switches.p[i].at;
        counts[i] = state->switches.p[i].count;
        targets[i] = state->switches.p[i].targets;
    }
    kernel->switches =
        (struct img_switches){.at = at, .targets = targets, .target_counts = counts, .count = (uint32_t)n};
}

static void read_kernel_info(struct img_reader *r, const struct elf_section *section, uint32_t index)
{
    struct img_kernel *kernel = &r->module->kernels[index];
    struct kernel_state *state = &r->states[index];
    struct record_reader reader = {.section = section};
    struct record record;
    bool damaged = r->elf.damaged;
    r->elf.damaged = false;
    state->has_info = true;
    while (next_record(r, &reader, &record)) {
        switch (record.attribute) {
        case ATTR_KPARAM_INFO:
        case ATTR_KPARAM_INFO_V2: read_param(r, &reader, &record, state); break;
        case ATTR_PARAM_CBANK:
            if (has_payload(r, &reader, &record, 8)) {
                kernel->param_base = bits_le16(record.payload + 4);
                kernel->param_bytes = bits_le16(record.payload + 6);
            }
            break;
        case ATTR_CBANK_PARAM_SIZE: state->param_bytes_told = record.value; break;
        case ATTR_NUM_BARRIERS: kernel->barriers = record.value & 0xff; break;
        case ATTR_MAX_THREADS: read_three(r, &reader, &record, kernel->max_threads); break;
        case ATTR_REQNTID: read_three(r, &reader, &record, kernel->reqntid); break;
        case ATTR_ANNOTATIONS:
            if (has_payload(r, &reader, &record, 0))
                read_annotations(r, &reader, &record, kernel);
            break;
        case ATTR_BRANCH_TARGETS:
            if (record.format == FORMAT_SIZED)
                read_switches(r, &record, kernel, state);
            break;
        default: break;
        }
    }
    finish_switches(r, kernel, state);
    if (r->elf.damaged || section->have < section->size)
        state->info_damaged = true; /* records may be missing: what is left is no complete list */
    r->elf.damaged |= damaged;
}

static int by_index(const void *a, const void *b)
{
    const struct img_param *x = a, *y = b;
    return x->index != y->index ? (x->index < y->index ? -1 : 1) : x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Parameters are told as known only when their records form one whole: indices 0 to n-1, none overlapping, all inside.
 */
static void finish_params(struct img_reader *r, uint32_t index)
{
    struct img_kernel *kernel = &r->module->kernels[index];
    struct kernel_state *state = &r->states[index];
    if (kernel->param_bytes == 0 && state->param_bytes_told > 0)
        kernel->param_bytes = (uint32_t)state->param_bytes_told;
    if (!state->has_info)
        return;
    struct img_param *params = state->params.p;
    uint32_t n = (uint32_t)state->params.n;
    if (n != 0)
        qsort(params, n, sizeof *params, by_index);
    bool whole = kernel->is_entry && !state->info_damaged && (n != 0 || kernel->param_bytes == 0);
    uint32_t end = 0;
    for (uint32_t i = 0; i < n; i++) {
        params[i].constant_offset = kernel->param_base + params[i].offset;
        whole = whole && params[i].index == i && params[i].offset >= end;
        end = params[i].offset + params[i].size;
    }
    if (end > kernel->param_bytes)
        whole = false;
    if (!whole && kernel->is_entry && !state->info_damaged)
        img_elf_damage(&r->elf, "nv-info", kernel->section, -1,
                       "%" PRIu32 " parameter records do not describe %" PRIu32 " bytes of parameters", n,
                       kernel->param_bytes);
    kernel->params = params;
    kernel->param_count = n;
    kernel->params_known = whole;
}

static void read_compat(struct img_reader *r, const struct elf_section *section)
{
    struct record_reader reader = {.section = section};
    struct record record;
    while (next_record(r, &reader, &record))
        if (record.attribute == COMPAT_ARCH_SPECIFIC)
            r->arch_specific = (record.value & 0xff) != 0;
}

void img_info_read(struct img_reader *r)
{
    static const char per_kernel[] = ".nv.info.";
    for (uint32_t i = 0; i < r->elf.section_count; i++) {
        const struct elf_section *s = &r->elf.sections[i];
        if (strcmp(s->name, ".nv.compat") == 0) {
            read_compat(r, s);
            continue;
        }
        if (s->type != ELF_SHT_CUDA_INFO)
            continue;
        if (strcmp(s->name, ".nv.info") == 0) {
            read_module_info(r, s);
            continue;
        }
        uint32_t kernel = s->info < r->elf.section_count ? r->kernel_of_section[s->info] : IMG_NONE;
        if (kernel == IMG_NONE && strncmp(s->name, per_kernel, sizeof per_kernel - 1) == 0 &&
            !map_str_get(&r->kernel_by_name, s->name + sizeof per_kernel - 1, &kernel))
            kernel = IMG_NONE;
        if (kernel == IMG_NONE)
            img_elf_damage(&r->elf, "nv-info", s->name, -1, "belongs to section %" PRIu32 ", which is no kernel",
                           s->info);
        else if (!r->states[kernel].has_info)
            read_kernel_info(r, s, kernel);
    }
    for (uint32_t i = 0; i < r->module->kernel_count; i++)
        finish_params(r, i);
}
