/* `run`: one kernel of the session's inputs on the emulator, by a launch file or by what the command line tells.
 *
 * requires: a session with inputs · gives: sp_run() */
#include "pipeline/pipe_run.h"

#include "pipeline/pipe_container.h"

#include "base/str.h"

#include <stdlib.h>

enum { MEMORY_USUAL = 1 << 30, INSTRUCTIONS_USUAL = 2000000000 };

void sp_run_options_init(struct sp_run_options *options)
{
    *options = (struct sp_run_options){.format = SP_FORMAT_TEXT};
}

static enum sp_status read_launch(struct pipe_run *r)
{
    const struct sp_run_options *o = r->options;
    struct pipe_launch *l = &r->launch;
    enum sp_status status = SP_OK;
    pipe_launch_init(l, o->memory ? o->memory : MEMORY_USUAL);
    if (o->launch)
        status = pipe_launch_read(r->a, &r->session->diags, o->launch, l);
    for (size_t i = 0; i < o->param_count && status == SP_OK; i++)
        status = pipe_launch_param(r->a, &r->session->diags, o->params[i], l);
    for (unsigned d = 0; d < 3; d++) {
        if (o->grid[0])
            l->grid[d] = o->grid[d] ? o->grid[d] : 1;
        if (o->block[0])
            l->block[d] = o->block[d] ? o->block[d] : 1;
    }
    if (o->shared_set)
        l->shared_bytes = o->shared_bytes;
    if (o->kernel)
        l->kernel = o->kernel;
    r->emu.instruction_limit = o->instructions   ? o->instructions
                               : l->instructions ? l->instructions
                                                 : INSTRUCTIONS_USUAL;
    return status;
}

/* The first kernel that answers to the name; without one, the only kernel there is. */
static enum sp_status find_kernel(struct pipe_run *r, struct pipe_input **input, const struct img_kernel **kernel)
{
    struct sp_session *s = r->session;
    uint32_t found = 0;
    for (size_t i = 0; i < s->inputs.n; i++) {
        struct pipe_input *in = &s->inputs.p[i];
        uint32_t here = 0;
        if (!pipe_input_may_be(in, r->options->arch))
            continue;
        (void)pipe_input_open(s, in);
        bool fits = !r->options->arch || (in->module.arch && str_equal(in->module.arch, r->options->arch));
        for (uint32_t k = 0; k < in->module.kernel_count && fits && in->module.kind != IMG_PTX; k++) {
            const struct img_kernel *x = &in->module.kernels[k];
            if (!x->is_entry || !pipe_kernel_named(r->a, x, r->launch.kernel))
                continue;
            here++;
            if (!found++) {
                *input = in;
                *kernel = x;
            }
        }
        if (*input != in)
            pipe_input_close(in);
        (void)here;
    }
    if (!found)
        return SP_ERR_NOT_FOUND;
    if (found > 1) {
        diag_add(&s->diags, DIAG_ERROR, "launch", NULL, -1,
                 "%u kernels answer to %s%s%s; --kernel and --arch choose one", found,
                 r->launch.kernel ? "'" : "no name", r->launch.kernel ? r->launch.kernel : "",
                 r->launch.kernel ? "'" : "");
        return SP_ERR_USAGE;
    }
    return SP_OK;
}

static enum sp_status run_kernel(struct pipe_run *r, const struct img_kernel *kernel)
{
    enum sp_status status = img_link_called(r->a, r->module, kernel, &r->kernel);
    if (status == SP_OK)
        status = pipe_read_code(r->a, r->a, r->module, &r->kernel, &r->code);
    if (status == SP_OK)
        status = pipe_run_bind(r);
    if (status != SP_OK)
        return status;
    struct emu_insn *insns = ARENA_ARRAY(r->a, struct emu_insn, r->code.count + 1u);
    if (!insns)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < r->code.count; i++)
        insns[i] = (struct emu_insn){.offset = r->code.in[i].offset, .uops = r->code.in[i].uops};
    struct emu_code code = {.insns = insns, .count = r->code.count, .sm = r->module->sm};
    status = emu_run(r->a, &code, &r->emu, &r->result);
    if (status == SP_ERR_USAGE)
        diag_add(&r->session->diags, DIAG_ERROR, "launch", NULL, -1,
                 "no hardware takes a grid of %u x %u x %u blocks of %u x %u x %u threads", r->emu.grid[0],
                 r->emu.grid[1], r->emu.grid[2], r->emu.block[0], r->emu.block[1], r->emu.block[2]);
    return status == SP_OK ? pipe_run_save(r) : status;
}

enum sp_status sp_run(struct sp_session *s, const struct sp_run_options *options, sp_write_fn write, void *user,
                      size_t *findings)
{
    struct arena a;
    struct pipe_input *input = NULL;
    const struct img_kernel *kernel = NULL;
    struct out *out = malloc(sizeof *out);
    struct pipe_run *r = calloc(1, sizeof *r);
    enum sp_status status = out && r ? SP_OK : SP_ERR_MEMORY;
    *findings = 0;
    arena_init(&a, 0);
    if (status == SP_OK) {
        *r = (struct pipe_run){.session = s, .a = &a, .options = options};
        status = read_launch(r);
    }
    if (status == SP_OK)
        status = find_kernel(r, &input, &kernel);
    if (status == SP_OK) {
        r->module = &input->module;
        status = run_kernel(r, kernel);
    }
    if (status == SP_OK) {
        *findings = r->result.findings.n;
        out_init(out, write, user);
        pipe_run_print(r, out);
        status = out_flush(out) ? SP_OK : SP_ERR_IO;
    }
    if (input)
        pipe_input_close(input);
    arena_free(&a);
    free(out);
    free(r);
    return status;
}
