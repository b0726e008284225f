/* See support_emu.h. */
#include "support_emu.h"

#include "uop/uop_lift.h"
#include "uop/uop_spelling.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 256, SM = 86 };

struct program *program_new(const char *text)
{
    struct program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    arena_init(&p->a, 0);
    struct emu_insn *insns = ARENA_ARRAY(&p->a, struct emu_insn, LINES_MOST);
    struct uop_list *lists = ARENA_ARRAY(&p->a, struct uop_list, LINES_MOST);
    struct uop_lift_context context = {.sm = SM, .a = &p->a};
    while (*text) {
        char line[256];
        const char *end = strchr(text, '\n'), *bad;
        size_t n = end ? (size_t)(end - text) : strlen(text);
        struct isa_insn insn;
        uint32_t i = p->code.count++;
        assert_true(n < sizeof line && i < LINES_MOST);
        memcpy(line, text, n);
        line[n] = 0;
        if (!uop_parse_spelling(SM, line, i * 16, &insn, &bad))
            fail_msg("%s: not read from \"%s\"", line, bad);
        uop_lift(&context, &insn, &lists[i]);
        insns[i] = (struct emu_insn){.offset = 16 * i, .uops = &lists[i]};
        text += n + (end != NULL);
    }
    p->code.insns = insns;
    p->code.sm = SM;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t address = emu_buffer_address(i);
        memcpy(p->bank + 0x160 + 8 * i, &address, 8);
        memset(p->known + 0x160 + 8 * i, 1, 8);
    }
    p->buffers[0] = (struct emu_buffer){.bytes = (uint8_t *)p->in, .size = sizeof p->in};
    p->buffers[1] = (struct emu_buffer){.bytes = (uint8_t *)p->out, .size = sizeof p->out};
    p->launch.buffers = p->buffers;
    p->launch.buffer_count = 2;
    p->launch.banks[0] = (struct emu_bank){.bytes = p->bank, .known = p->known, .size = sizeof p->bank};
    p->launch.shared_bytes = SHARED_BYTES;
    p->launch.local_bytes = 64;
    p->launch.symbol_bank = 255;
    p->launch.instruction_limit = 100000;
    return p;
}

void program_free(struct program *p)
{
    arena_free(&p->a);
    free(p);
}

void program_run(struct program *p, uint32_t grid, uint32_t block)
{
    for (unsigned d = 0; d < 3; d++) {
        p->launch.grid[d] = d ? 1 : grid;
        p->launch.block[d] = d ? 1 : block;
    }
    assert_int_equal(emu_run(&p->a, &p->code, &p->launch, &p->result), SP_OK);
}

const struct emu_finding *finding(const struct program *p, enum emu_finding_kind kind, uint32_t offset)
{
    for (size_t i = 0; i < p->result.findings.n; i++)
        if (p->result.findings.p[i].kind == kind && p->result.findings.p[i].offset == offset)
            return &p->result.findings.p[i];
    return NULL;
}

const struct emu_count *counts(const struct program *p, uint32_t offset)
{
    assert_true(offset / 16 < p->code.count);
    return &p->result.counts[offset / 16];
}
