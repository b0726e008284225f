/* Findings: what the program did that it may not, once for each kind and instruction, with the first thread that did
 * it.
 *
 * requires: a machine in the middle of an instruction, or what stands for it · gives: the result's list */
#include "emu/emu_internal.h"

#include "base/str.h"

#include <stdarg.h>

const char *emu_finding_text(enum emu_finding_kind kind)
{
    static const char *const texts[] = {"out-of-bounds", "misaligned",        "uninitialized",
                                        "shared-race",   "divergent-barrier", "deadlock",
                                        "limit",         "illegal",           "unsupported"};
    return (unsigned)kind < sizeof texts / sizeof *texts ? texts[kind] : "illegal";
}

static uint32_t offset_of(const struct emu_machine *m, uint32_t index)
{
    return index < m->program.count ? m->program.steps[index].offset : 0;
}

/* The same at the same instruction was told before. */
static bool count_again(struct emu_machine *m, enum emu_finding_kind kind, uint32_t index)
{
    for (size_t i = 0; i < m->result->findings.n; i++) {
        struct emu_finding *f = &m->result->findings.p[i];
        if (f->kind == kind && f->offset == offset_of(m, index)) {
            f->times++;
            return true;
        }
    }
    return m->result->findings.n >= EMU_FINDINGS_MAX;
}

void emu_find_at(struct emu_machine *m, enum emu_finding_kind kind, uint32_t index, const struct emu_block *b,
                 const struct emu_warp *w, unsigned lane, const uint64_t *address, const char *text)
{
    if (count_again(m, kind, index))
        return;
    struct emu_finding f = {.kind = kind, .offset = offset_of(m, index), .times = 1, .has_address = address != NULL};
    f.address = address ? *address : 0;
    for (unsigned d = 0; d < 3; d++) {
        f.block[d] = b->id[d];
        f.thread[d] = w->tid[d][lane];
    }
    f.text = arena_strdup(m->a, text);
    VEC_PUSH(m->a, m->result->findings, f);
}

void emu_find(struct emu_machine *m, enum emu_finding_kind kind, unsigned lane, const uint64_t *address,
              const char *format, ...)
{
    struct strbuf text;
    va_list args;
    if (count_again(m, kind, m->index))
        return;
    str_init(&text, m->a);
    va_start(args, format);
    str_vaddf(&text, format, args);
    va_end(args);
    emu_find_at(m, kind, m->index, m->block, m->warp, lane, address, text.p);
}
