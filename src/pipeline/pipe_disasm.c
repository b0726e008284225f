/* `disasm`: the vendor's two text forms, one line an instruction with control fields, and JSON. Text comes from isa/,
 * reads and writes from the micro-operations, lines from the container. */
#include "pipeline/pipe_lines.h"

#include "base/str.h"
#include "isa/isa_cache.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sp_disasm_options_init(struct sp_disasm_options *o)
{
    *o = (struct sp_disasm_options){.format = SP_DISASM_CUOBJDUMP};
}

size_t pipe_print_text(struct pipe_listing *l, uint32_t i, char *text)
{
    struct isa_print_options o = pipe_print_options(l);
    l->ahead.n = 0;
    const struct img_told *told = pipe_told(l->kernel, i);
    if (told && !told->how) {
        int n = snprintf(text, 512, "%s", told->text ? told->text : "not in the listing");
        return n < 0 ? 0 : n < 512 ? (size_t)n : 511;
    }
    size_t n = l->insns ? isa_print(l->module->sm, &l->insns[i], &o, text, ISA_TEXT_ROOM)
                        : isa_print_cached(l->cache, l->module->sm, pipe_word_at(l, i), 16 * i, &o, text);
    if (l->long_name)
        n = pipe_put_long_name(l, text, n);
    return l->labels ? pipe_put_symbols(l, i, text, n) : n;
}

size_t pipe_next_text(struct pipe_listing *l, uint32_t i, char *room, const char **text)
{
    if (!l->is_spelled) {
        *text = room;
        return pipe_print_text(l, i, room);
    }
    struct pipe_spelled *s = l->spelled;
    size_t n = s->lengths[s->shown++] & PIPE_LENGTH;
    *text = s->bytes + s->printed;
    s->printed += n;
    return n;
}

unsigned pipe_operand_parts(const char *rest, bool blanks, struct pipe_part *parts, unsigned room)
{
    const char *p = strchr(rest, ' ');
    unsigned n = 0, depth = 0;
    if (!p)
        return 0;
    for (const char *start = ++p;; p++) {
        if (*p == '[' || *p == '(' || *p == '{')
            depth++;
        else if ((*p == ']' || *p == ')' || *p == '}') && depth)
            depth--;
        if (*p && ((*p != ',' && !(blanks && *p == ' ')) || depth))
            continue;
        if (n < room)
            parts[n++] = (struct pipe_part){start, p};
        if (!*p)
            break;
        start = p + 1;
        while (*start == ' ')
            start++;
        p = start - 1;
    }
    return n;
}

bool pipe_has_word(const struct pipe_listing *l, uint32_t i)
{
    return !pipe_told(l->kernel, i);
}

bool pipe_has_control(const struct pipe_listing *l, uint32_t i)
{
    const struct img_told *told = pipe_told(l->kernel, i);
    return !told || told->how & IMG_TOLD_CONTROL;
}

void pipe_print_line_info(struct pipe_listing *l, uint32_t offset)
{
    const struct img_line *line = l->options->line_info ? img_line_at(l->kernel, offset) : NULL;
    if (!line || !line->line || ((int32_t)line->line == l->last_line && (int32_t)line->file == l->last_file))
        return;
    l->last_line = (int32_t)line->line;
    l->last_file = (int32_t)line->file;
    out_printf(l->out, "\t//## File \"%s\", line %u",
               line->file < l->module->file_count ? l->module->files[line->file] : "?", line->line);
    for (uint32_t i = 0; i < line->inlined_count; i++)
        out_printf(l->out, " inlined at \"%s\", line %u",
                   line->inlined[i].file < l->module->file_count ? l->module->files[line->inlined[i].file] : "?",
                   line->inlined[i].line);
    out_char(l->out, '\n');
}

int pipe_arch_length(const struct img_module *module)
{
    size_t n = module->arch ? strlen(module->arch) : 0;
    return !n ? INT_MAX : (int)n - (module->arch[n - 1] == 'f');
}

void pipe_print_header_flags(struct out *out, const struct img_module *module)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } old[] = {{0x100, "TEXMODE_UNIFIED"}, {0x200, "TEXMODE_INDEPENDENT"}, {0x400, "64BIT_ADDRESS"}};
    uint32_t flags = module->old_layout ? module->header_flags : 0;
    size_t length = module->arch ? strlen(module->arch) : 0;
    out_text(out, "\t.headerflags\t@\"");
    for (unsigned i = 0; i < sizeof old / sizeof old[0]; i++)
        if (flags & old[i].bit)
            out_printf(out, "EF_CUDA_%s ", old[i].name);
    if (length && module->arch[length - 1] == 'a')
        out_text(out, "EF_CUDA_ACCELERATORS ");
    else if (flags & 0x800)
        out_text(out, "EF_CUDA_SW_1729687 ");
    if (flags & 0x1000)
        out_text(out, "EF_CUDA_SW_1729687_v2 ");
    out_printf(out, "EF_CUDA_SM%u EF_CUDA_VIRTUAL_SM(EF_CUDA_SM%u)\"\n", module->sm,
               module->virtual_sm ? module->virtual_sm : module->sm);
}

static void print_control(struct pipe_listing *l)
{
    char text[ISA_TEXT_ROOM], control[32];
    out_printf(l->out, "%s (%s)\n", l->kernel->name, l->module->arch ? l->module->arch : "?");
    for (uint32_t i = 0; i < l->count; i++) {
        pipe_print_line_info(l, 16 * i);
        size_t n = pipe_print_text(l, i, text);
        struct isa_control c = isa_control_of(pipe_word_at(l, i));
        isa_print_control(&c, control);
        size_t length = strlen(control);
        if (!pipe_has_control(l, i))
            memset(control, ' ', length);
        char *p = pipe_put_hex(out_room(l->out, OUT_ROOM), 16 * i, 4);
        *p++ = ' ';
        p = pipe_put(p, control, length);
        *p++ = ' ';
        p = pipe_put(p, text, n);
        *p++ = '\n';
        out_filled(l->out, p);
    }
}

/* ---- all kernels that were asked for -------------------------------------------------------- */

/* What `cuobjdump` says of an entry of a fatbin before it prints it. */
static void print_entry_head(struct out *out, const struct img_entry *e)
{
    bool ptx = e->kind == IMG_ENTRY_PTX, code = e->kind == IMG_ENTRY_CUBIN;
    const char *host = e->flags & IMG_ENTRY_LINUX     ? "linux"
                       : e->flags & IMG_ENTRY_WINDOWS ? "windows"
                       : e->flags & IMG_ENTRY_MAC     ? "mac"
                                                      : "unknown";
    out_printf(out, "\nFatbin %s code:\n%s\narch = %s\ncode version = [%u,%u]\nhost = %s\ncompile_size = %s\n",
               ptx    ? "ptx"
               : code ? "elf"
                      : "nvvm",
               ptx || code ? "================" : "=================", e->arch ? e->arch : "sm_?", e->version[0],
               e->version[1], host, e->flags & IMG_ENTRY_64BIT ? "64bit" : "32bit");
    if (e->packing != IMG_STORED)
        out_text(out, "compressed\n");
    if (e->name)
        out_printf(out, "identifier = %s\n", e->name);
    if (!code)
        out_printf(out, "%s = %s\n", ptx ? "ptxasOptions" : "nvvmOptions", e->options);
}

static bool is_of_fatbin(const struct pipe_input *in)
{
    return in->entry && in->entry->options && !in->entry->linker_input;
}

/* The member of an archive that a module stands in, where it is another than that of the module before. */
static void print_member(struct out *out, const struct pipe_input *in, const char **last)
{
    const char *where = in->entry ? in->entry->where : NULL;
    const char *end = where && in->container->kind == IMG_ARCHIVE ? strrchr(where, '(') : NULL;
    size_t n = end ? (size_t)(end - where) : 0;
    if (!n || (*last && strncmp(*last, where, n + 1) == 0))
        return;
    char *whole = realpath(in->path, NULL); /* as the vendor's tool spells it */
    *last = where;
    out_printf(out, "\nmember %s:%.*s:\n", whole ? whole : in->path, (int)n, where);
    free(whole);
}

/* One module being printed. */
struct printing {
    const struct pipe_input *in;
    struct out *out;
    const struct sp_disasm_options *options;
    const struct img_module *module;
    struct isa_cache *cache;
    struct pipe_labels *labels, *symbols;
    struct pipe_spelled *spelled;
    bool is_spelled;
    size_t widest;
};

static void print_module_head(const struct printing *p)
{
    const char *arch = p->module->arch ? p->module->arch : "sm_?";
    int length = pipe_arch_length(p->module);
    if (p->options->format == SP_DISASM_CUOBJDUMP && is_of_fatbin(p->in))
        print_entry_head(p->out, p->in->entry);
    if (p->options->format == SP_DISASM_CUOBJDUMP && p->module->old_layout)
        out_printf(p->out, "\n\tcode for %.*s", length, arch);
    else if (p->options->format == SP_DISASM_CUOBJDUMP)
        out_printf(p->out, "\n\tcode for %.*s\n\t.target\t%.*s\n", length, arch, length, arch);
    else if (p->labels)
        pipe_print_assembly_head(p->out, p->module, p->labels);
}

static void print_module_end(const struct printing *p)
{
    if (p->options->format == SP_DISASM_CUOBJDUMP)
        out_char(p->out, '\n');
    else if (p->labels)
        pipe_print_assembly_end(p->out, p->labels);
}

static enum sp_status one_kernel(struct printing *p, const struct img_kernel *kernel, bool measure)
{
    struct arena work;
    arena_init(&work, 0);
    struct pipe_listing l = {.cache = p->cache,
                             .spelled = p->spelled,
                             .is_spelled = p->is_spelled,
                             .a = &work,
                             .out = p->out,
                             .options = p->options,
                             .module = p->module,
                             .kernel = kernel,
                             .labels = p->labels,
                             .symbols = p->symbols,
                             .widest = p->widest,
                             .last_file = -1,
                             .last_line = -1};
    struct isa_insn *insns = NULL;
    enum sp_status status = SP_OK;
    l.count = kernel->code_bytes / 16;
    if (p->options->format == SP_DISASM_JSON || kernel->told)
        status = pipe_decode(&work, p->module, kernel, &insns, &l.count);
    else if (!isa_arch_known(p->module->sm))
        status = SP_ERR_ARCH;
    l.insns = insns;
    if (status == SP_OK && measure)
        status = pipe_spell(&l, &p->widest) ? SP_OK : SP_ERR_MEMORY;
    else if (status == SP_OK)
        switch (p->options->format) {
        case SP_DISASM_CUOBJDUMP: pipe_print_cuobjdump(&l); break;
        case SP_DISASM_NVDISASM: l.labels ? pipe_print_assembly(&l) : pipe_print_raw(&l); break;
        case SP_DISASM_CONTROL: print_control(&l); break;
        case SP_DISASM_JSON: pipe_print_json(&l); break;
        }
    if (arena_failed(&work))
        status = SP_ERR_MEMORY;
    arena_free(&work);
    return status;
}

/* Texts of all kernels that were asked for, where the form is as wide as the widest of them. */
static enum sp_status measure_module(struct printing *p, struct arena *names)
{
    enum sp_status status = SP_OK;
    p->is_spelled = p->options->format == SP_DISASM_CUOBJDUMP || (p->labels != NULL && pipe_labels_annotate(p->labels));
    for (uint32_t k = 0; k < p->module->kernel_count && p->is_spelled && status == SP_OK; k++)
        if (pipe_kernel_named(names, &p->module->kernels[k], p->options->kernel))
            status = one_kernel(p, &p->module->kernels[k], true);
    return status == SP_ERR_ARCH ? SP_OK : status; /* told when they are printed */
}

static enum sp_status print_module(struct sp_session *s, struct printing *p, struct arena *names, size_t *printed)
{
    const struct img_module *m = p->module;
    /* A module without code is told all the same, unless kernels are looked for. */
    bool head = p->options->format == SP_DISASM_CUOBJDUMP && !p->options->kernel && !m->kernel_count &&
                m->kind == IMG_CUBIN && m->sm;
    enum sp_status status = measure_module(p, names);
    if (head)
        print_module_head(p);
    for (uint32_t k = 0; k < m->kernel_count && status == SP_OK; k++) {
        if (!pipe_kernel_named(names, &m->kernels[k], p->options->kernel))
            continue;
        if (!head)
            print_module_head(p);
        head = true;
        status = one_kernel(p, &m->kernels[k], false);
        ++*printed;
        if (status == SP_ERR_ARCH) {
            diag_add(&s->diags, DIAG_ERROR, "unknown-architecture", NULL, -1, "no encodings for %s",
                     m->arch ? m->arch : "this architecture");
            status = SP_OK;
            break;
        }
    }
    if (head)
        print_module_end(p);
    return status;
}

/* The kernels of one module that were asked for; *printed counts them. */
static enum sp_status one_module(struct sp_session *s, struct out *out, const struct sp_disasm_options *o,
                                 struct pipe_input *in, struct isa_cache *cache, struct pipe_spelled *spelled,
                                 size_t *printed)
{
    struct printing p = {.in = in, .out = out, .options = o, .module = &in->module, .cache = cache, .spelled = spelled};
    spelled->n = spelled->count = spelled->printed = spelled->shown = 0;
    if (o->arch && !str_equal(o->arch, in->module.arch))
        return SP_OK;
    if (in->module.kind == IMG_PTX) {
        diag_add(&s->diags, DIAG_WARNING, "no-machine-code", NULL, -1, "PTX has no machine code to disassemble");
        return SP_OK;
    }
    struct arena a; /* what comparing names takes, and labels */
    arena_init(&a, 0);
    enum sp_status status = SP_OK;
    if (o->format == SP_DISASM_NVDISASM && p.module->kind != IMG_RAW) {
        p.labels = pipe_labels_make(&a, cache, p.module);
        status = p.labels ? SP_OK : SP_ERR_MEMORY;
    } else if (o->format == SP_DISASM_JSON && p.module->bytes) {
        p.symbols = pipe_labels_make(&a, cache, p.module);
        status = p.symbols ? SP_OK : SP_ERR_MEMORY;
    }
    if (status == SP_OK)
        status = print_module(s, &p, &a, printed);
    arena_free(&a);
    return status;
}

enum sp_status sp_disasm(struct sp_session *s, const struct sp_disasm_options *o, sp_write_fn write, void *user)
{
    struct out *out = malloc(sizeof *out);
    struct isa_cache *cache = calloc(1, sizeof *cache);
    enum sp_status status = SP_OK;
    size_t printed = 0;
    const char *member = NULL;
    struct pipe_spelled spelled = {0}; /* its memory is used for one module after the other */
    if (!out || !cache) {
        free(out);
        free(cache);
        return SP_ERR_MEMORY;
    }
    out_init(out, write, user);
    for (size_t i = 0; i < s->inputs.n && status == SP_OK; i++) {
        struct pipe_input *in = &s->inputs.p[i];
        if (!pipe_input_may_be(in, o->arch))
            continue;
        if (o->format == SP_DISASM_CUOBJDUMP && !o->kernel)
            print_member(out, in, &member);
        if (o->format == SP_DISASM_CUOBJDUMP && !o->kernel && is_of_fatbin(in) &&
            (in->entry->kind == IMG_ENTRY_PTX || in->entry->kind == IMG_ENTRY_LTO))
            print_entry_head(out, in->entry);
        if (pipe_input_is_companion(in, o->arch))
            continue;
        s->diags.input = (int)i;
        (void)pipe_input_open(s, in); /* what was wrong is told, and the rest is there */
        status = one_module(s, out, o, in, cache, &spelled, &printed);
        pipe_input_close(in);
        s->diags.input = -1;
    }
    if (status == SP_OK && !printed && (o->kernel || o->arch))
        status = SP_ERR_NOT_FOUND;
    if (!out_flush(out) && status == SP_OK)
        status = SP_ERR_IO;
    free(spelled.bytes);
    free(spelled.lengths);
    free(out);
    free(cache);
    return status;
}
