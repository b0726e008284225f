/* `list`: file -> module -> architecture -> kernels with their resources; `what`: one instruction in words. */
#include "front/ptx.h"
#include "pipeline/pipe_container.h"

#include "base/str.h"
#include "image/img_container.h"
#include "uop/uop_lift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *module_kind(enum img_kind kind)
{
    return kind == IMG_CUBIN     ? "cubin"
           : kind == IMG_PTX     ? "ptx"
           : kind == IMG_LISTING ? "listing"
           : kind == IMG_LTO     ? "nvvm"
           : kind == IMG_RAW     ? "raw"
                                 : "unknown";
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

/* Where the PTX of a module is at hand. */
static const char *ptx_from(const struct pipe_input *in)
{
    return in->module.kind == IMG_PTX   ? "itself"
           : in->module.ptx             ? "embedded"
           : pipe_container_has_ptx(in) ? "fatbin"
                                        : "none";
}

static void list_json_kernel(struct json *j, const struct pipe_input *in, uint32_t kernel)
{
    const struct img_kernel *x = &in->module.kernels[kernel];
    json_object(j);
    json_key(j, "name"), json_string(j, x->name);
    json_key(j, "demangled"), json_string(j, x->demangled);
    number_or_null(j, "registers", x->registers);
    number_or_null(j, "shared_bytes", x->shared_bytes);
    number_or_null(j, "stack_bytes", x->stack_bytes);
    number_or_null(j, "constant_bytes", x->param_base ? (int32_t)(x->param_base + x->param_bytes) : -1);
    number_or_null(j, "code_bytes", x->code ? (int32_t)x->code_bytes : -1);
    json_key(j, "instructions"), json_uint(j, instructions_of(in, kernel));
    json_end(j);
}

static void list_json_module(struct json *j, const struct pipe_input *in)
{
    const struct img_module *m = &in->module;
    const struct img_entry *e = in->entry;
    json_object(j);
    json_key(j, "path"), json_string(j, in->path);
    json_key(j, "member"), json_string(j, m->member);
    json_key(j, "kind"),
        json_string(j, m->kind == IMG_LISTING || m->kind == IMG_RAW ? "unknown" : module_kind(m->kind));
    json_key(j, "arch"), json_string(j, m->arch);
    json_key(j, "offset"), json_uint(j, e ? e->offset : 0);
    json_key(j, "size"), json_uint(j, in->size);
    json_key(j, "compressed"), json_string(j, e ? img_packing_text(e->packing) : "none");
    json_key(j, "unpacked_size"), json_uint(j, e ? e->unpacked : in->size);
    json_key(j, "identifier"), json_string(j, e ? e->name : NULL);
    json_key(j, "section"), json_string(j, e ? e->where : NULL);
    json_key(j, "linker_input"), json_bool(j, e && e->linker_input);
    json_key(j, "ptx"), json_string(j, ptx_from(in));
    json_key(j, "kernels");
    json_array(j);
    for (uint32_t k = 0; k < m->kernel_count; k++)
        if (m->kernels[k].is_entry)
            list_json_kernel(j, in, k);
    json_end(j);
    json_end(j);
}

/* Where a module of a container stands, and how. */
static void list_text_place(const struct img_entry *e, struct out *out, bool markdown)
{
    out_printf(out, "%s%zu bytes at 0x%llx", markdown ? "" : "  ", e->stored, (unsigned long long)e->offset);
    if (e->where)
        out_printf(out, " in %s", e->where);
    if (e->packing != IMG_STORED)
        out_printf(out, ", %s, %llu unpacked",
                   e->packing == IMG_PACKING_UNKNOWN ? "packed" : img_packing_text(e->packing),
                   (unsigned long long)e->unpacked);
    if (e->name)
        out_printf(out, ", identifier %s", e->name);
    out_text(out, e->kind == IMG_ENTRY_LTO ? ", LTO-IR: not read" : "");
    out_text(out, e->linker_input ? ", input of the device linker" : "");
    out_text(out, markdown ? "\n\n" : "\n");
}

static void list_text_module(const struct pipe_input *in, struct out *out, bool markdown, bool more)
{
    const struct img_module *m = &in->module;
    const struct img_entry *e = in->entry;
    out_printf(out, markdown ? "%s## %s%s%s%s\n\n" : "%s%s%s%s%s\n", markdown && more ? "\n" : "", in->path,
               e ? "(" : "", e ? e->member : "", e ? ")" : "");
    if (e)
        list_text_place(e, out, markdown);
    out_printf(out,
               markdown ? "%s, %s, producer %s, PTX %s, line table %s\n\n"
                        : "  %s  %s  producer %s  PTX %s  line table %s\n",
               module_kind(m->kind), m->arch ? m->arch : "architecture unknown", m->producer ? m->producer : "unknown",
               ptx_from(in), m->has_line_info ? "yes" : "none");
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
                   numbers[1], numbers[2], instructions_of(in, k), x->demangled ? x->demangled : x->name);
    }
}

enum sp_status sp_list(struct sp_session *s, enum sp_format format, sp_write_fn write, void *user)
{
    struct out *out = malloc(sizeof *out);
    struct json j;
    if (!out)
        return SP_ERR_MEMORY;
    out_init(out, write, user);
    if (format == SP_FORMAT_JSON) {
        json_init(&j, out);
        json_object(&j);
        json_key(&j, "schema"), json_string(&j, "sassprobe.list/1");
        json_key(&j, "modules");
        json_array(&j);
    }
    for (size_t i = 0; i < s->inputs.n && !out->failed; i++) {
        struct pipe_input *in = &s->inputs.p[i];
        (void)pipe_input_open(s, in); /* what was wrong is told, and the rest is there */
        if (format == SP_FORMAT_JSON)
            list_json_module(&j, in);
        else
            list_text_module(in, out, format == SP_FORMAT_MARKDOWN, i > 0);
        pipe_input_close(in);
    }
    if (format == SP_FORMAT_JSON) {
        json_end(&j);
        json_end(&j);
        json_newline(&j);
    }
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
