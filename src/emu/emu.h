/* The emulator: runs a kernel's micro-operations on warps of 32 lanes and says what the program may not do.
 *
 * It sees micro-operations only, so a kernel runs because of what its instructions do, whoever wrote them down. Blocks
 * run one after another (several at a time once one of them waits for another), warps take turns, lanes of a warp part
 * and meet as the instructions say. Nothing is guessed: a result that no rule gives is undefined, and its first use is
 * a finding.
 *
 * requires: lists as uop.h describes them, offsets that rise; buffers at emu_buffer_address(). gives: the buffers'
 * contents after the run, counts, findings in the order they were met. */
#ifndef SP_EMU_H
#define SP_EMU_H

#include "base/arena.h"
#include "base/vec.h"
#include "sassprobe/status.h"
#include "uop/uop.h"

enum { EMU_BANKS = 18, EMU_BUFFERS_MAX = 1024, EMU_THREADS_MAX = 1024, EMU_FINDINGS_MAX = 100 };

struct emu_insn {
    uint32_t offset; /* byte offset in the code, a multiple of 16 */
    const struct uop_list *uops;
};

/* A constant bank. `known`: a byte each, 0 where the launch does not tell the value; NULL: all are told. */
struct emu_bank {
    const uint8_t *bytes, *known;
    uint32_t size;
};

/* Memory that the kernel may touch, at emu_buffer_address(its index). */
struct emu_buffer {
    uint8_t *bytes;
    uint64_t size;
};
uint64_t emu_buffer_address(uint32_t index);
/* Where generic addresses of shared and of local memory begin. */
enum { EMU_SHARED_WINDOW_HI = 0x7f00, EMU_LOCAL_WINDOW_HI = 0x7e00 };

struct emu_launch {
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;    /* of a block, all of it */
    uint32_t shared_reserved; /* of these, at the beginning, the system's */
    uint32_t local_bytes;     /* of a thread */
    struct emu_bank banks[EMU_BANKS];
    struct emu_buffer *buffers;
    uint32_t buffer_count;
    uint8_t symbol_bank;     /* CBANK of this bank: word imm of the addresses below, as the reader of relocations */
    const uint64_t *symbols; /* numbers them; 0: not known */
    uint32_t symbol_count;
    uint64_t instruction_limit; /* of warps; 0: none */
};

struct emu_code {
    const struct emu_insn *insns;
    uint32_t count;
    unsigned sm;
};

enum emu_finding_kind {
    EMU_OUT_OF_BOUNDS,
    EMU_MISALIGNED,
    EMU_UNINITIALIZED,
    EMU_SHARED_RACE,
    EMU_DIVERGENT_BARRIER,
    EMU_DEADLOCK,
    EMU_LIMIT,
    EMU_ILLEGAL,
    EMU_UNSUPPORTED, /* an instruction this build has no meaning for was reached: the run ends there */
};
const char *emu_finding_text(enum emu_finding_kind kind); /* "out-of-bounds" */

struct emu_finding {
    enum emu_finding_kind kind;
    uint32_t offset; /* of the instruction */
    uint32_t block[3], thread[3];
    bool has_address;
    uint64_t address; /* shared and local: within the block's or thread's own memory */
    uint64_t times;   /* how often this kind was met at this instruction, lanes counted */
    const char *text;
};

/* What the hardware counts for one instruction. */
struct emu_count {
    uint64_t warps, threads, threads_on;
    uint64_t shared_wavefronts, shared_ideal;
    uint64_t global_requests, global_sectors, global_sectors_ideal;
};

struct emu_totals {
    uint64_t global_load_bytes, global_store_bytes, shared_load_bytes, shared_store_bytes, local_bytes;
    uint64_t least_global_bytes; /* different bytes loaded before they were stored, and different bytes stored */
};

struct emu_result {
    uint64_t instructions; /* of warps */
    uint64_t lane_instructions;
    struct emu_count *counts; /* one for each instruction */
    bool *assumed;            /* one for each: it ran, and its results are not those measured on hardware */
    struct emu_totals totals;
    VEC(struct emu_finding) findings;
    bool finished; /* false: it was stopped */
};

/* SP_OK: it ran, or was stopped by what findings tell. SP_ERR_USAGE: a launch that no hardware takes. SP_ERR_MEMORY. */
enum sp_status emu_run(struct arena *a, const struct emu_code *code, const struct emu_launch *launch,
                       struct emu_result *result);

#endif
