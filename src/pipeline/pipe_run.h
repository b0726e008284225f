/* A kernel's run as it is printed. Private to the room. */
#ifndef SP_PIPE_RUN_H
#define SP_PIPE_RUN_H

#include "emu/emu.h"
#include "pipeline/pipe_code.h"
#include "pipeline/pipe_launch.h"

struct pipe_run {
    struct sp_session *session;
    struct arena *a; /* of the run */
    const struct sp_run_options *options;
    struct pipe_launch launch;
    const struct img_module *module;
    struct img_kernel kernel; /* with what it calls */
    struct pipe_code code;
    struct img_variables variables;
    uint32_t first_variable; /* its buffer's number */
    uint64_t *variable_address;
    struct emu_launch emu;
    struct emu_result result;
};

/* pipe_run_bind.c: the launch for this kernel: constant banks, buffers, addresses. SP_ERR_USAGE after a diagnostic. */
enum sp_status pipe_run_bind(struct pipe_run *r);
/* What is to be saved, once it has run. */
enum sp_status pipe_run_save(struct pipe_run *r);
/* pipe_run_print.c */
void pipe_run_print(const struct pipe_run *r, struct out *out);

#endif
