/* A launch as a file or the command line tells it: sizes, parameters, buffers with their contents, what is saved. */
#ifndef SP_PIPE_LAUNCH_H
#define SP_PIPE_LAUNCH_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "sassprobe/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipe_buffer {
    uint8_t *bytes;
    uint64_t size;
    const char *save; /* where it is written after the run; NULL: nowhere */
};

/* A value inside a parameter: `size` bytes, or the address of a buffer. */
struct pipe_value {
    uint32_t offset, size;
    bool pointer;
    uint32_t buffer;
    uint8_t bytes[8];
};

struct pipe_argument {
    uint32_t size; /* bytes of the parameter */
    bool whole;    /* one value, which is all of it; false: a struct */
    VEC(struct pipe_value) values;
};

struct pipe_global {
    const char *symbol, *save;
    uint8_t *bytes; /* NULL: as the file of the kernel has it */
    uint64_t size;
};

struct pipe_launch {
    const char *kernel; /* NULL: not told */
    uint32_t grid[3], block[3], cluster[3];
    uint64_t shared_bytes; /* dynamic */
    VEC(struct pipe_argument) arguments;
    VEC(struct pipe_buffer) buffers;
    VEC(struct pipe_global) globals;
    uint64_t instructions; /* limit; 0: not told */
    uint64_t memory_limit; /* bytes all buffers together may have */
    uint64_t memory;       /* that they have */
};

void pipe_launch_init(struct pipe_launch *launch, uint64_t memory_limit);
/* Reads a launch file. SP_ERR_USAGE or SP_ERR_IO after a diagnostic. */
enum sp_status pipe_launch_read(struct arena *a, struct diag_sink *diags, const char *path, struct pipe_launch *launch);
/* One parameter in the short form of the command line, "in:f32:x.bin". */
enum sp_status pipe_launch_param(struct arena *a, struct diag_sink *diags, const char *text,
                                 struct pipe_launch *launch);
/* Writes what is to be saved. SP_ERR_IO after a diagnostic. */
enum sp_status pipe_launch_save(struct diag_sink *diags, const char *path, const uint8_t *bytes, uint64_t size);

/* A type of scalars by name ("s32", "f16"): its bytes, 0 unknown. *is_float, *is_signed tell how it reads a number. */
uint32_t pipe_scalar_bytes(const char *type);
/* The bits of a number as that type. False: it does not hold it. */
bool pipe_scalar_bits(const char *type, bool integral, int64_t integer, double real, uint64_t *bits);

#endif
