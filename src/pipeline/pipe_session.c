/* Sessions: inputs by path, folder, standard input or memory; sources; diagnostics as text. */
#include "pipeline/pipe_container.h"
#include "pipeline/pipe_ptx.h"
#include "pipeline/pipe_source.h"

#include "base/str.h"
#include "facts/fact_build.h"
#include "image/img_container.h"
#include "isa/isa_parse.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDER_DEPTH = 16 };

const char *sp_version(void)
{
    return "0.1.0";
}

struct sp_session *sp_session_new(void)
{
    struct sp_session *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    arena_init(&s->a, 0);
    diag_init(&s->diags, &s->a);
    return s;
}

void sp_session_free(struct sp_session *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->inputs.n; i++)
        pipe_input_close(&s->inputs.p[i]);
    for (size_t i = 0; i < s->mappings.n; i++)
        img_unmap_file(s->mappings.p[i].bytes, s->mappings.p[i].size);
    arena_free(&s->a);
    free(s);
}

void pipe_choose_tables(struct sp_session *s, struct pipe_input *in)
{
    struct img_module *m = &in->module;
    if (!m->kernel_count || isa_arch_known(m->sm))
        return;
    if (m->kind == IMG_LISTING && !m->sm) { /* its reader told so */
        in->status = SP_ERR_ARCH;
        m->kernel_count = 0;
        return;
    }
    unsigned near = isa_arch_nearest(m->sm);
    if (!near) {
        diag_add(&s->diags, DIAG_ERROR, "unknown-architecture", NULL, -1,
                 "no encodings for %s: its kernels are not read", m->arch ? m->arch : "this architecture");
        in->status = SP_ERR_ARCH;
        m->kernel_count = 0;
        return;
    }
    diag_add(&s->diags, DIAG_WARNING, "nearest-architecture", NULL, -1,
             "no encodings for %s: read with those of sm_%u, which may differ", m->arch ? m->arch : "this architecture",
             near);
    m->sm = near;
}

/* A listing is as many inputs as it has modules; at least one, which says what was wrong. */
static enum sp_status add_listing(struct sp_session *s, struct pipe_input in, const uint8_t *bytes, size_t size)
{
    struct img_module *modules;
    uint32_t count;
    in.status = img_read_listing(&s->a, &s->diags, in.path, bytes, size, s->arch, &modules, &count);
    enum sp_status status = in.status;
    in.module.kind = IMG_LISTING;
    in.module.status = IMG_UNREADABLE;
    for (uint32_t i = 0; i < count || i == 0; i++) {
        s->diags.input = (int)s->inputs.n;
        if (i < count) {
            in.module = modules[i];
            if (count > 1)
                in.module.member = arena_printf(&s->a, "%s.%u", in.path, i + 1);
            in.status = modules[i].sm ? SP_OK : SP_ERR_ARCH;
            pipe_choose_tables(s, &in);
            for (uint32_t k = 0; k < in.module.kernel_count; k++)
                pipe_params_from_name(&s->a, in.module.sm, &in.module.kernels[k]);
            if (in.status != SP_OK)
                status = in.status;
        }
        VEC_PUSH(&s->a, s->inputs, in);
    }
    s->diags.input = -1;
    return arena_failed(&s->a) ? SP_ERR_MEMORY : status;
}

static enum sp_status add_bytes(struct sp_session *s, const char *path, const uint8_t *bytes, size_t size)
{
    struct pipe_input in = {.path = arena_strdup(&s->a, path), .size = size};
    s->diags.input = (int)s->inputs.n;
    in.module.path = in.path;
    enum img_kind kind = img_detect(bytes, size);
    if (kind == IMG_LISTING)
        return add_listing(s, in, bytes, size);
    if (img_is_container(kind))
        return pipe_container_add(s, in.path, bytes, size);
    if (kind == IMG_PTX) {
        in.status = pipe_ptx_read(s, &in, (const char *)bytes, size);
    } else {
        in.status = img_read_module(&s->a, &s->diags, in.path, bytes, size, &in.module);
        pipe_choose_tables(s, &in);
    }
    VEC_PUSH(&s->a, s->inputs, in);
    s->diags.input = -1;
    return arena_failed(&s->a) ? SP_ERR_MEMORY : in.status;
}

static enum sp_status add_file(struct sp_session *s, const char *path)
{
    uint8_t *bytes;
    size_t size;
    const uint8_t *mapped;
    if (pipe_container_map(s, path, &mapped, &size))
        return pipe_container_add(s, path, mapped, size);
    if (pipe_cubin_map(s, path, &mapped, &size))
        return add_bytes(s, path, mapped, size);
    s->diags.input = (int)s->inputs.n;
    enum sp_status status = img_load_file(&s->a, &s->diags, path, 0, &bytes, &size);
    if (status == SP_OK)
        return add_bytes(s, path, bytes, size);
    struct pipe_input in = {.path = arena_strdup(&s->a, path), .status = status};
    in.module.path = in.path;
    in.module.kind = IMG_UNKNOWN;
    in.module.status = IMG_UNREADABLE;
    VEC_PUSH(&s->a, s->inputs, in);
    s->diags.input = -1;
    return status;
}

/* All of standard input; *got_bytes is to be freed, whatever the answer. */
static enum sp_status read_stdin(uint8_t **got_bytes, size_t *size)
{
    size_t n = 0, cap = 1 << 16;
    uint8_t *bytes = malloc(cap);
    enum sp_status status = bytes ? SP_OK : SP_ERR_MEMORY;
    while (status == SP_OK) {
        size_t got = fread(bytes + n, 1, cap - n, stdin);
        if (!got)
            break;
        n += got;
        if (n < cap)
            continue;
        uint8_t *grown = cap < (size_t)2 << 30 ? realloc(bytes, cap * 2) : NULL;
        if (!grown)
            status = SP_ERR_MEMORY;
        else
            bytes = grown, cap *= 2;
    }
    *got_bytes = bytes;
    *size = n;
    return status;
}

static enum sp_status add_stdin(struct sp_session *s)
{
    uint8_t *bytes;
    size_t size;
    enum sp_status status = read_stdin(&bytes, &size);
    if (status == SP_OK)
        status = sp_session_add_memory(s, "-", bytes, size);
    free(bytes);
    return status;
}

static int by_name(const void *p, const void *q)
{
    return strcmp(*(char *const *)p, *(char *const *)q);
}

static enum sp_status add_folder(struct sp_session *s, const char *path, unsigned depth)
{
    DIR *d = depth < FOLDER_DEPTH ? opendir(path) : NULL;
    VEC(char *) names = {0};
    enum sp_status status = SP_OK;
    if (!d) {
        diag_add(&s->diags, DIAG_ERROR, "io", NULL, -1, "%s: cannot be listed: %s", path, strerror(errno));
        return SP_ERR_IO;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            VEC_PUSH(&s->a, names, arena_printf(&s->a, "%s%s%s", path, str_ends(path, "/") ? "" : "/", e->d_name));
    closedir(d);
    if (names.n)
        qsort(names.p, names.n, sizeof names.p[0], by_name);
    for (size_t i = 0; i < names.n; i++) {
        struct stat st;
        enum sp_status one = SP_OK;
        if (lstat(names.p[i], &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            one = add_folder(s, names.p[i], depth + 1);
        else if (S_ISREG(st.st_mode) && str_ends(names.p[i], ".cubin"))
            one = add_file(s, names.p[i]);
        if (one != SP_OK)
            status = one;
    }
    return status;
}

enum sp_status sp_session_add_path(struct sp_session *s, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return add_stdin(s);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        size_t before = s->inputs.n;
        enum sp_status status = add_folder(s, path, 0);
        if (status == SP_OK && s->inputs.n == before) {
            diag_add(&s->diags, DIAG_ERROR, "empty-folder", NULL, -1, "%s: no .cubin file in this folder", path);
            return SP_ERR_IO;
        }
        return status;
    }
    return add_file(s, path);
}

enum sp_status sp_session_add_memory(struct sp_session *s, const char *name, const void *bytes, size_t size)
{
    uint8_t *copy = arena_alloc(&s->a, size);
    if (!copy)
        return SP_ERR_MEMORY;
    if (size)
        memcpy(copy, bytes, size);
    return add_bytes(s, name, copy, size);
}

/* "sm_86", "sm86", "SM90a": its number, and the name as it is spelled elsewhere. 0: something else. */
static unsigned arch_of(struct arena *a, const char *text, const char **name)
{
    unsigned sm = 0, digits = 0;
    if ((text[0] != 's' && text[0] != 'S') || (text[1] != 'm' && text[1] != 'M'))
        return 0;
    text += text[2] == '_' ? 3 : 2;
    for (; digits < 3 && *text >= '0' && *text <= '9'; digits++)
        sm = sm * 10 + (unsigned)(*text++ - '0');
    const char *variant = *text == 'a' || *text == 'f' ? text++ : NULL;
    if (*text || digits < 2)
        return 0;
    *name = arena_printf(a, "sm_%u%.*s", sm, variant != NULL, variant ? variant : "");
    return *name ? sm : 0;
}

/* One module of one kernel that is called what the file is called; the header of a cubin would say 64-bit addresses. */
static enum sp_status add_code(struct sp_session *s, struct pipe_input *in, const uint8_t *bytes, size_t size)
{
    enum { INSTRUCTION = 16, EF_64BIT = 0x400 };
    struct img_kernel *kernel = ARENA_ARRAY(&s->a, struct img_kernel, 1);
    if (!kernel)
        return SP_ERR_MEMORY;
    const char *slash = strrchr(in->path, '/');
    const char *name = slash && slash[1] ? slash + 1 : in->path;
    *kernel = (struct img_kernel){.name = name,
                                  .demangled = name,
                                  .section = "raw",
                                  .is_entry = true,
                                  .code = bytes,
                                  .code_bytes = (uint32_t)(size - size % INSTRUCTION),
                                  .registers = -1,
                                  .barriers = -1,
                                  .shared_bytes = -1,
                                  .stack_bytes = -1,
                                  .uniform_registers = -1,
                                  .max_threads = {-1, -1, -1},
                                  .reqntid = {-1, -1, -1},
                                  .own_bytes = (uint32_t)(size - size % INSTRUCTION)};
    in->size = size;
    in->module.kernels = kernel;
    in->module.kernel_count = kernel->code_bytes > 0;
    in->module.old_layout = true;
    in->module.header_flags = EF_64BIT;
    in->module.status = size % INSTRUCTION || !size ? IMG_PARTIAL : IMG_COMPLETE;
    if (size % INSTRUCTION)
        diag_add(&s->diags, DIAG_ERROR, "truncated-instruction", NULL, kernel->code_bytes,
                 "the file ends within an instruction: %zu of its 16 bytes are there", size % INSTRUCTION);
    else if (!size)
        diag_add(&s->diags, DIAG_ERROR, "no-machine-code", NULL, 0, "the file is empty");
    in->status = in->module.status == IMG_COMPLETE ? SP_OK : SP_ERR_FORMAT;
    pipe_choose_tables(s, in);
    return in->status;
}

enum sp_status sp_session_add_raw(struct sp_session *s, const char *path, const char *arch)
{
    struct pipe_input in = {.path = arena_strdup(&s->a, path)};
    uint8_t *bytes = NULL, *from_stdin = NULL;
    size_t size = 0;
    in.module.path = in.path;
    in.module.kind = IMG_RAW;
    in.module.status = IMG_UNREADABLE;
    in.module.sm = arch_of(&s->a, arch, &in.module.arch);
    if (!in.module.sm || !in.path || arena_failed(&s->a))
        return in.path && !arena_failed(&s->a) ? SP_ERR_USAGE : SP_ERR_MEMORY;
    s->diags.input = (int)s->inputs.n;
    if (strcmp(path, "-") == 0) {
        in.status = read_stdin(&from_stdin, &size);
        bytes = in.status == SP_OK ? arena_alloc(&s->a, size) : NULL;
        if (bytes && size)
            memcpy(bytes, from_stdin, size);
        free(from_stdin);
        in.status = bytes ? SP_OK : SP_ERR_MEMORY;
    } else {
        in.status = img_load_file(&s->a, &s->diags, path, 0, &bytes, &size);
    }
    if (in.status == SP_OK)
        in.status = add_code(s, &in, bytes, size);
    VEC_PUSH(&s->a, s->inputs, in);
    s->diags.input = -1;
    return arena_failed(&s->a) ? SP_ERR_MEMORY : in.status;
}

enum sp_status sp_session_add_source(struct sp_session *s, const char *path)
{
    uint8_t *bytes;
    size_t size;
    enum sp_status status = img_load_file(&s->a, &s->diags, path, 64 << 20, &bytes, &size);
    if (status != SP_OK)
        return status;
    struct pipe_source source = {.path = arena_strdup(&s->a, path)};
    const char *text = arena_strndup(&s->a, (const char *)bytes, size);
    if (!source.path || !text || !cu_source_read(&s->a, path, text, size, &source.text))
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < s->sources.n; i++) /* each may include the others */
        if (!cu_source_share_macros(&s->a, &source.text, &s->sources.p[i].text) ||
            !cu_source_share_macros(&s->a, &s->sources.p[i].text, &source.text))
            return SP_ERR_MEMORY;
    VEC_PUSH(&s->a, s->sources, source);
    return arena_failed(&s->a) ? SP_ERR_MEMORY : SP_OK;
}

void sp_session_diagnostics(const struct sp_session *s, sp_write_fn write, void *user)
{
    static const char *const severities[] = {"error", "warning", "note"};
    struct out *o = malloc(sizeof *o);
    if (!o)
        return;
    out_init(o, write, user);
    for (size_t i = 0; i < s->diags.list.n; i++) {
        const struct diag *d = &s->diags.list.p[i];
        if (d->input >= 0 && (size_t)d->input < s->inputs.n) {
            const struct pipe_input *in = &s->inputs.p[d->input];
            out_text(o, in->path);
            if (in->entry && in->told && i >= in->told_from)
                out_printf(o, "(%s)", in->entry->member);
            out_text(o, ": ");
        }
        if (d->section || d->offset >= 0) {
            out_text(o, d->section ? d->section : "");
            if (d->offset >= 0)
                out_printf(o, "%s0x%llx", d->section ? "+" : "", (unsigned long long)d->offset);
            out_text(o, ": ");
        }
        out_printf(o, "%s: %s [%s]\n", severities[d->severity], d->message, d->code);
    }
    if (s->diags.dropped)
        out_printf(o, "%zu more diagnostics\n", s->diags.dropped);
    out_flush(o);
    free(o);
}

bool sp_session_damaged(const struct sp_session *s)
{
    if (s->damaged)
        return true;
    for (size_t i = 0; i < s->inputs.n; i++)
        if (s->inputs.p[i].status != SP_OK || s->inputs.p[i].module.status != IMG_COMPLETE)
            return true;
    return false;
}

bool pipe_kernel_named(struct arena *a, const struct img_kernel *k, const char *wanted)
{
    if (!wanted)
        return true;
    const char *demangled = k->demangled ? k->demangled : k->name, *base = fact_base_name(a, demangled);
    return str_equal(wanted, k->name) || str_equal(wanted, demangled) || str_equal(wanted, base) ||
           str_glob(wanted, k->name) || str_glob(wanted, demangled) || (base && str_glob(wanted, base));
}

enum sp_status pipe_decode(struct arena *a, const struct img_module *module, const struct img_kernel *kernel,
                           struct isa_insn **insns, uint32_t *count)
{
    *count = kernel->code_bytes / 16;
    *insns = ARENA_ARRAY(a, struct isa_insn, *count + 1u);
    if (!*insns)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < *count; i++) {
        struct bits128 w = {bits_le64(kernel->code + 16u * i), bits_le64(kernel->code + 16u * i + 8)};
        const struct img_told *told = pipe_told(kernel, i);
        struct isa_insn *insn = &(*insns)[i];
        enum sp_status status = isa_decode(module->sm, w, 16 * i, insn);
        if (status == SP_ERR_ARCH)
            return status;
        if (told && !told->how) {
            *insn = (struct isa_insn){.offset = 16 * i, .op = ISA_OP_UNKNOWN, .guard = ISA_PT};
        } else if (told) {
            struct isa_control control = insn->control;
            isa_forget_untold(module->sm, insn);
            if (told->how & IMG_TOLD_CONTROL)
                insn->control = control;
        }
    }
    return SP_OK;
}

const struct img_told *pipe_told(const struct img_kernel *kernel, uint32_t i)
{
    const struct img_told *told = kernel->told ? &kernel->told[i] : NULL;
    return told && told->how & IMG_TOLD_WORD ? NULL : told;
}

enum sp_status sp_session_set_arch(struct sp_session *s, const char *arch)
{
    s->arch = arch ? arena_strdup(&s->a, arch) : NULL;
    return arch && !s->arch ? SP_ERR_MEMORY : SP_OK;
}
