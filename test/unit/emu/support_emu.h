/* Small programs written as the disassembler prints them, and runs of them. */
#ifndef SP_TEST_SUPPORT_EMU_H
#define SP_TEST_SUPPORT_EMU_H

#include "emu/emu_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two buffers: their addresses are in c[0x0][0x160] and c[0x0][0x168]. */
enum { BUFFER_WORDS = 4096, SHARED_BYTES = 1024 };

struct program {
    struct arena a;
    struct emu_code code;
    struct emu_launch launch;
    struct emu_result result;
    uint32_t in[BUFFER_WORDS], out[BUFFER_WORDS];
    struct emu_buffer buffers[2];
    uint8_t bank[512], known[512];
};

/* `text`: an instruction a line, the first at offset 0; sm_86. */
struct program *program_new(const char *text);
void program_free(struct program *p);
/* Runs `grid` blocks of `block` threads. */
void program_run(struct program *p, uint32_t grid, uint32_t block);
/* The finding of that kind at that offset, or NULL. */
const struct emu_finding *finding(const struct program *p, enum emu_finding_kind kind, uint32_t offset);
/* The counts of the instruction at `offset`. */
const struct emu_count *counts(const struct program *p, uint32_t offset);

#endif
