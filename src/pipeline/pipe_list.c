/* `list`: file -> module -> architecture -> kernels with their resources; `what`: one instruction in words. */
#include "front/ptx.h"
#include "pipeline/pipe.h"

#include "base/str.h"
#include "uop/uop_lift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *module_kind(enum img_kind kind)
{
    return kind == IMG_CUBIN ? "cubin" : kind == IMG_PTX ? "ptx" : kind == IMG_LISTING ? "listing" : "unknown";
}

static uint32_t instructions_of(const struct pipe_input *in, uint32_t kernel)
{
    if (in->module.kind == IMG_PTX)
        return (uint32_t)in->ptx->functions.p[in->ptx_functions[kernel]].insns.n;
    return in->module.kernels[kernel].code_bytes / 16;
}

static void number_or_null(struct json *j, const char *key, int32_t v)
{
    json_key(j, key);
    if (v < 0)
        json_null(j);
    else
        json_int(j, v);
}

static void list_json(const struct sp_session *s, struct out *out)
{
    struct json j;
    json_init(&j, out);
    json_object(&j);
    json_key(&j, "schema"), json_string(&j, "sassprobe.list/1");
    json_key(&j, "modules");
    json_array(&j);
    for (size_t i = 0; i < s->inputs.n; i++) {
        const struct img_module *m = &s->inputs.p[i].module;
        json_object(&j);
        json_key(&j, "path"), json_string(&j, s->inputs.p[i].path);
        json_key(&j, "member"), json_string(&j, m->member);
        json_key(&j, "kind"), json_string(&j, m->kind == IMG_LISTING ? "unknown" : module_kind(m->kind));
        json_key(&j, "arch"), json_string(&j, m->arch);
        json_key(&j, "offset"), json_uint(&j, 0);
        json_key(&j, "size"), json_uint(&j, s->inputs.p[i].size);
        json_key(&j, "compressed"), json_string(&j, "none");
        json_key(&j, "kernels");
        json_array(&j);
        for (uint32_t k = 0; k < m->kernel_count; k++) {
            const struct img_kernel *x = &m->kernels[k];
            if (!x->is_entry)
                continue;
            json_object(&j);
            json_key(&j, "name"), json_string(&j, x->name);
            json_key(&j, "demangled"), json_string(&j, x->demangled);
            number_or_null(&j, "registers", x->registers);
            number_or_null(&j, "shared_bytes", x->shared_bytes);
            number_or_null(&j, "stack_bytes", x->stack_bytes);
            number_or_null(&j, "constant_bytes", x->param_base ? (int32_t)(x->param_base + x->param_bytes) : -1);
            number_or_null(&j, "code_bytes", x->code ? (int32_t)x->code_bytes : -1);
            json_key(&j, "instructions"), json_uint(&j, instructions_of(&s->inputs.p[i], k));
            json_end(&j);
        }
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    json_newline(&j);
}

static void list_text(const struct sp_session *s, struct out *out, bool markdown)
{
    for (size_t i = 0; i < s->inputs.n; i++) {
        const struct img_module *m = &s->inputs.p[i].module;
        out_printf(out, markdown ? "%s## %s\n\n" : "%s%s\n", markdown && i ? "\n" : "", s->inputs.p[i].path);
        out_printf(out,
                   markdown ? "%s, %s, producer %s, PTX %s, line table %s\n\n"
                            : "  %s  %s  producer %s  PTX %s  line table %s\n",
                   module_kind(m->kind), m->arch ? m->arch : "architecture unknown",
                   m->producer ? m->producer : "unknown",
                   m->kind == IMG_PTX ? "itself"
                   : m->ptx           ? "embedded"
                                      : "none",
                   m->has_line_info ? "yes" : "none");
        out_text(out, markdown ? "| registers | shared | stack | instructions | kernel |\n|---|---|---|---|---|\n"
                               : "    regs  shared   stack  instructions  kernel\n");
        for (uint32_t k = 0; k < m->kernel_count; k++) {
            const struct img_kernel *x = &m->kernels[k];
            if (!x->is_entry)
                continue;
            char numbers[3][16];
            const int32_t values[3] = {x->registers, x->shared_bytes, x->stack_bytes};
            for (int v = 0; v < 3; v++)
                snprintf(numbers[v], sizeof numbers[v], values[v] < 0 ? "?" : "%d", values[v]);
            out_printf(out, markdown ? "| %s | %s | %s | %u | %s |\n" : "  %6s  %6s  %6s  %12u  %s\n", numbers[0],
                       numbers[1], numbers[2], instructions_of(&s->inputs.p[i], k),
                       x->demangled ? x->demangled : x->name);
        }
    }
}

enum sp_status sp_list(struct sp_session *s, enum sp_format format, sp_write_fn write, void *user)
{
    struct out *out = malloc(sizeof *out);
    if (!out)
        return SP_ERR_MEMORY;
    out_init(out, write, user);
    if (format == SP_FORMAT_JSON)
        list_json(s, out);
    else
        list_text(s, out, format == SP_FORMAT_MARKDOWN);
    bool written = out_flush(out);
    free(out);
    return written ? SP_OK : SP_ERR_IO;
}

enum sp_status sp_what(const char *spelling, const char *arch, enum sp_format format, sp_write_fn write, void *user)
{
    struct out *out = malloc(sizeof *out);
    unsigned sm = 86;
    if (!out)
        return SP_ERR_MEMORY;
    if (arch)
        sm = (unsigned)strtoul(str_starts(arch, "sm_") ? arch + 3 : arch, NULL, 10);
    out_init(out, write, user);
    enum sp_status status = SP_OK;
    if (!isa_arch_known(sm))
        status = SP_ERR_ARCH;
    else if (!uop_describe(sm, spelling, out, format == SP_FORMAT_JSON))
        status = SP_ERR_NOT_FOUND;
    if (!out_flush(out) && status == SP_OK)
        status = SP_ERR_IO;
    free(out);
    return status;
}
