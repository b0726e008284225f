/* PTX text as an input of its own, and the PTX that stands beside machine code: a module of kernels like any other,
 * whose instructions come from front/ instead of isa/. Offsets count lists, 16 bytes each, as those of machine code
 * do.
 *
 * requires: text · gives: struct img_module with kernels, parameters and resources as far as PTX tells them; the
 * lists, texts and lines of one kernel */
#include "pipeline/pipe_ptx.h"

#include "base/str.h"
#include "image/img_container.h"
#include "pipeline/pipe_container.h"

#include <string.h>

/* Files by the number that the lines give them; numbers that name none are left out. */
static uint32_t *name_files(struct arena *a, const struct ptx_module *p, struct img_module *m)
{
    uint32_t *number = ARENA_ARRAY(a, uint32_t, p->files.n + 1);
    m->files = ARENA_ARRAY(a, const char *, p->files.n + 1);
    uint64_t *bytes = ARENA_ARRAY(a, uint64_t, p->files.n + 1);
    for (size_t i = 0; i < p->files.n && number && m->files && bytes; i++) {
        number[i] = UINT32_MAX;
        if (!p->files.p[i])
            continue;
        number[i] = m->file_count;
        bytes[m->file_count] = i < p->file_bytes.n ? p->file_bytes.p[i] : 0;
        m->files[m->file_count++] = p->files.p[i];
    }
    m->file_bytes = bytes;
    return m->files && bytes ? number : NULL;
}

static bool describe_kernel(struct arena *a, const struct ptx_module *p, uint32_t function, struct img_kernel *k)
{
    const struct ptx_function *f = &p->functions.p[function];
    struct graph_env env;
    *k = (struct img_kernel){.name = f->name,
                             .demangled = img_demangle(a, f->name),
                             .section = f->name,
                             .is_entry = true,
                             .registers = -1,
                             .barriers = -1,
                             .shared_bytes = -1,
                             .stack_bytes = -1,
                             .uniform_registers = -1,
                             .param_bytes = (uint32_t)f->param_bytes,
                             .param_count = (uint32_t)f->inputs.n,
                             .params_known = true,
                             .spills_known = true}; /* there are none: registers do not run out in PTX */
    for (unsigned d = 0; d < 3; d++) {
        k->max_threads[d] = f->maxntid[d];
        k->reqntid[d] = f->reqntid[d];
    }
    pipe_env(p->sm, k, &env);
    struct img_param *params = ARENA_ARRAY(a, struct img_param, f->inputs.n + 1);
    if (!params || !k->demangled)
        return false;
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const struct ptx_variable *v = &p->variables.p[f->inputs.p[i]];
        params[i] = (struct img_param){.index = i,
                                       .offset = (uint32_t)v->offset,
                                       .size = (uint32_t)v->bytes,
                                       .constant_offset = env.param_base + (uint32_t)v->offset};
    }
    k->params = params;
    k->spills_known = true; /* registers of PTX do not run out */
    return true;
}

enum sp_status pipe_ptx_read(struct sp_session *s, struct pipe_input *in, const char *text, size_t size)
{
    struct arena *a = pipe_input_arena(s, in);
    struct ptx_module *p = ARENA_NEW(a, struct ptx_module);
    struct img_module *m = &in->module;
    if (!p)
        return SP_ERR_MEMORY;
    enum sp_status status = ptx_read_module(a, &s->diags, text, size, p);
    if (status == SP_ERR_MEMORY)
        return status;
    *m = (struct img_module){.path = in->path,
                             .kind = IMG_PTX,
                             .status = status == SP_OK ? IMG_COMPLETE : IMG_PARTIAL,
                             .sm = p->sm,
                             .arch = p->arch,
                             .producer = p->producer,
                             .has_line_info = p->locs.n > 0};
    m->kernels = ARENA_ARRAY(a, struct img_kernel, p->functions.n + 1);
    uint32_t *functions = ARENA_ARRAY(a, uint32_t, p->functions.n + 1);
    in->ptx_files = name_files(a, p, m);
    if (!m->kernels || !functions || !in->ptx_files)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < p->functions.n; i++) {
        const struct ptx_function *f = &p->functions.p[i];
        bool fits = f->param_bytes <= UINT16_MAX;
        if (!f->is_entry || !f->has_body)
            continue;
        if (!fits) {
            diag_add(&s->diags, DIAG_ERROR, "ptx-parameters", NULL, -1,
                     "line %u: %s has more parameters than there is room", f->line, f->name);
            m->status = IMG_PARTIAL;
            continue;
        }
        functions[m->kernel_count] = i;
        if (!describe_kernel(a, p, i, &m->kernels[m->kernel_count++]))
            return SP_ERR_MEMORY;
    }
    if (!m->kernel_count && status == SP_OK && !p->functions.n && !p->version) {
        diag_add(&s->diags, DIAG_ERROR, "ptx-empty", NULL, -1, "no PTX in this text");
        m->status = IMG_UNREADABLE;
    }
    in->ptx = p;
    in->ptx_functions = functions;
    return m->status == IMG_COMPLETE ? SP_OK : SP_ERR_FORMAT;
}

/* The rows of a line table, one for each list whose position differs from the one before. */
static bool fill_lines(struct arena *a, const struct pipe_input *in, const struct ptx_code *code, struct img_kernel *k)
{
    const struct ptx_module *p = in->ptx;
    struct img_line *lines = ARENA_ARRAY(a, struct img_line, code->count + 1);
    struct img_ptx_line *ptx = ARENA_ARRAY(a, struct img_ptx_line, code->count + 1);
    uint32_t n = 0, before = UINT32_MAX;
    if (!lines || !ptx)
        return false;
    for (uint32_t i = 0; i < code->count; i++) {
        const struct ptx_insn *insn = code->rows[i].insn;
        ptx[i] = (struct img_ptx_line){.offset = i * PTX_STEP, .line = insn->line};
        if (insn->loc == before)
            continue;
        before = insn->loc;
        struct img_line row = {.offset = i * PTX_STEP, .file = UINT32_MAX};
        if (insn->loc) {
            const struct ptx_loc *loc = &p->locs.p[insn->loc - 1];
            row.line = loc->line;
            row.file = loc->file < p->files.n ? in->ptx_files[loc->file] : UINT32_MAX;
            struct img_inline *inlined = loc->inlined ? ARENA_NEW(a, struct img_inline) : NULL;
            if (inlined) {
                const struct ptx_loc *at = &p->locs.p[loc->inlined - 1];
                *inlined = (struct img_inline){.file = at->file < p->files.n ? in->ptx_files[at->file] : UINT32_MAX,
                                               .line = at->line};
                row.inlined = inlined;
                row.inlined_count = 1;
            }
        }
        lines[n++] = row;
    }
    k->lines = lines;
    k->line_count = n;
    k->ptx_lines = ptx;
    k->ptx_line_count = code->count;
    return true;
}

enum sp_status pipe_ptx_kernel(struct sp_session *s, struct arena *a, const struct pipe_input *input, uint32_t function,
                               struct img_kernel *k, struct ptx_code *code)
{
    struct graph_env env;
    pipe_env(input->ptx->sm, k, &env);
    struct ptx_places places = {.param_base = env.param_base,
                                .stack_offset = env.stack_offset,
                                .local_window = env.local_window,
                                .shared_window = env.shared_window,
                                .guards = true};
    enum sp_status status = ptx_lift_kernel(a, &s->diags, input->ptx, function, &places, code);
    if (status != SP_OK)
        return status;
    k->shared_bytes = code->shared_bytes < INT32_MAX ? (int32_t)code->shared_bytes : -1;
    k->stack_bytes = code->local_bytes < INT32_MAX ? (int32_t)code->local_bytes : -1;
    k->dynamic_shared = code->dynamic_shared;
    return fill_lines(a, input, code, k) ? SP_OK : SP_ERR_MEMORY;
}

void pipe_ptx_texts(struct arena *a, const struct ptx_code *code, struct fact_text *texts)
{
    for (uint32_t i = 0; i < code->count; i++) {
        const struct ptx_insn *insn = code->rows[i].insn;
        struct fact_text *t = &texts[i];
        *t = (struct fact_text){.text = ptx_insn_text(a, insn),
                                .stall = FACT_NONE,
                                .write_barrier = FACT_NONE,
                                .read_barrier = FACT_NONE,
                                .wait_mask = FACT_NONE,
                                .yield = FACT_NONE,
                                .no_encoding = insn->damaged};
        if (t->text && t->text[0] == '@') {
            const char *end = strchr(t->text, ' ');
            t->guard = arena_strndup(a, t->text + 1, end ? (size_t)(end - t->text) - 1 : strlen(t->text) - 1);
        }
    }
}

/* ---- beside machine code --------------------------------------------------------------------- */

bool pipe_ptx_entry(const struct ptx_module *m, const char *name, uint32_t *function)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        if (m->functions.p[i].is_entry && m->functions.p[i].has_body && str_equal(m->functions.p[i].name, name)) {
            *function = i;
            return true;
        }
    return false;
}

bool pipe_ptx_embedded(struct sp_session *s, struct pipe_input *in, const struct img_kernel *kernel, uint32_t *function)
{
    if (in->module.kind == IMG_PTX)
        return false;
    if (in->module.ptx && !in->ptx_tried) {
        struct diag_sink quiet; /* what is wrong with text that nobody asked for is not told */
        struct arena *a = pipe_input_arena(s, in);
        in->ptx_tried = true;
        diag_init(&quiet, a);
        struct ptx_module *p = ARENA_NEW(a, struct ptx_module);
        if (p && ptx_read_module(a, &quiet, in->module.ptx, in->module.ptx_bytes, p) != SP_ERR_MEMORY)
            in->ptx = p;
    }
    return in->ptx && pipe_ptx_entry(in->ptx, kernel->name, function);
}

enum sp_status sp_session_add_ptx(struct sp_session *s, const char *path)
{
    uint8_t *bytes;
    size_t size;
    const uint8_t *mapped;
    if (pipe_container_map(s, path, &mapped, &size))
        return pipe_container_add_ptx(s, path, mapped, size);
    struct ptx_module *p = ARENA_NEW(&s->a, struct ptx_module);
    enum sp_status status = p ? img_load_file(&s->a, &s->diags, path, 256 << 20, &bytes, &size) : SP_ERR_MEMORY;
    if (status != SP_OK)
        return status;
    status = ptx_read_module(&s->a, &s->diags, (const char *)bytes, size, p);
    if (status != SP_ERR_MEMORY)
        VEC_PUSH(&s->a, s->ptx, p);
    return arena_failed(&s->a) ? SP_ERR_MEMORY : status;
}
