/* The code of a kernel as the graph and the facts want it. Private to the room. */
#ifndef SP_PIPE_CODE_H
#define SP_PIPE_CODE_H

#include "facts/fact_build.h"
#include "pipeline/pipe.h"
#include "pipeline/pipe_ptx.h"

/* A kernel as lists of micro-operations, with the text of each. Where functions stand behind the kernel's own code, the
 * filler at the end of each part is left out. */
struct pipe_code {
    struct graph_input_insn *in;
    struct fact_text *texts;
    uint32_t count;
    struct ptx_code ptx;
    const char **symbols;                 /* by relocation */
    uint32_t padding_from, padding_count; /* filler at the end of the kernel's own part that was left out */
};

/* Decodes and lifts `kernel`, which may have functions behind it. Texts are made on `a`, the rest on `work`. */
enum sp_status pipe_read_code(struct arena *work, struct arena *a, const struct img_module *module,
                              const struct img_kernel *kernel, struct pipe_code *code);

#endif
