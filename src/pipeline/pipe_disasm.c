/* `disasm`: the vendor's two text forms, one line an instruction with control fields, and JSON. Text comes from isa/,
 * reads and writes from the micro-operations, lines from the container. */
#include "pipeline/pipe_disasm.h"

#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sp_disasm_options_init(struct sp_disasm_options *o)
{
    *o = (struct sp_disasm_options){.format = SP_DISASM_CUOBJDUMP};
}

struct bits128 pipe_word_at(const struct pipe_listing *l, uint32_t i)
{
    if (l->insns)
        return l->insns[i].word;
    const uint8_t *p = l->kernel->code + 16 * (size_t)i;
    return (struct bits128){bits_le64(p), bits_le64(p + 8)};
}

/* Puts the function's name where pipe_label_text() left a mark; one too long for the room leaves the offset. */
static size_t put_long_name(const char *name, uint32_t target, char *text, size_t n)
{
    char *mark = memchr(text, PIPE_NAME_MARK, n), offset[16];
    if (!mark)
        return n;
    size_t length = strlen(name), behind = n - (size_t)(mark + 1 - text);
    if (n + length > ISA_TEXT_ROOM - 1) {
        length = (size_t)snprintf(offset, sizeof offset, "0x%x", target);
        name = offset;
    }
    memmove(mark + length, mark + 1, behind + 1);
    for (size_t i = 0; i < length; i++)
        mark[i] = name[i];
    return n - 1 + length;
}

size_t pipe_print_text(struct pipe_listing *l, uint32_t i, char *text)
{
    bool names = l->labels != NULL;
    struct isa_print_options o = {.dialect = names ? ISA_DIALECT_NVDISASM : ISA_DIALECT_CUOBJDUMP,
                                  .label = names ? pipe_label_text : NULL,
                                  .user = l};
    const struct img_told *told = pipe_told(l->kernel, i);
    if (told && !told->how) {
        int n = snprintf(text, 512, "%s", told->text ? told->text : "not in the listing");
        return n < 0 ? 0 : n < 512 ? (size_t)n : 511;
    }
    size_t n;
    l->long_name = NULL;
    if (l->insns) {
        n = isa_print(l->module->sm, &l->insns[i], &o, text, ISA_TEXT_ROOM);
    } else {
        enum { AHEAD = 8 };
        if (i + AHEAD < l->count)
            isa_cache_expect(l->cache, pipe_word_at(l, i + AHEAD));
        n = isa_print_cached(l->cache, l->module->sm, pipe_word_at(l, i), 16 * i, &o, text);
    }
    if (l->long_name)
        n = put_long_name(l->long_name, l->long_target, text, n);
    return names ? pipe_put_symbols(l, i, text, n) : n;
}

size_t pipe_next_text(struct pipe_listing *l, uint32_t i, char *room, const char **text)
{
    if (!l->is_spelled) {
        *text = room;
        return pipe_print_text(l, i, room);
    }
    struct pipe_spelled *s = l->spelled;
    size_t n = s->lengths[s->shown++];
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

size_t pipe_guard_length(const char *text, size_t n)
{
    enum { LONGEST = 6 };
    for (size_t i = 1; text[0] == '@' && i < n && i <= LONGEST; i++)
        if (text[i] == ' ')
            return i;
    return 0;
}

/* ---- writing in place ------------------------------------------------------------------------ */

static char *put(char *p, const char *text, size_t n)
{
    memcpy(p, text, n);
    return p + n;
}

static char *put_blanks(char *p, size_t n)
{
    memset(p, ' ', n);
    return p + n;
}

/* At least `least` digits. */
static char *put_hex(char *p, uint64_t v, unsigned least)
{
    unsigned n = v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;
    n = n < least ? least : n;
    for (unsigned i = n; i-- > 0; v >>= 4)
        p[i] = "0123456789abcdef"[v & 15];
    return p + n;
}

static char *put_word(char *p, uint64_t v)
{
    static const char digits[] = "0123456789abcdef";
    for (unsigned i = 16; i-- > 0; v >>= 4)
        p[i] = digits[v & 15];
    return p + 16;
}

char *pipe_put_offset(char *p, uint32_t offset, const char *text, size_t n, size_t *rest)
{
    enum { COLUMN = 17 };
    bool uniform = n > 2 && text[1 + (text[1] == '!')] == 'U'; /* stands in the column of opcodes */
    size_t guard = uniform ? 0 : pipe_guard_length(text, n);
    p = put(p, "        /*", 10);
    p = put_hex(p, offset, 4);
    p = put(p, "*/ ", 3);
    p = put_blanks(p, COLUMN - guard);
    p = put(p, text, guard);
    *p++ = ' ';
    *rest = guard ? guard + 1 : 0;
    return p;
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

/* A word without any scheduling (stall 0, no yield, no barriers, nothing to wait for: filler) ends in ";", all else in
 * " ;". */
const char *pipe_ending(struct bits128 word)
{
    return (word.hi >> (105 - 64) & 0x1ffff) == 0x7e0 ? ";" : " ;";
}

bool pipe_leaves_blank(const char *text, size_t n)
{
    static const char *const ends[] = {"INF", "QNAN", "SNAN", "0.0"};
    if (n < 6 || (text[n - 1] != 'F' && text[n - 1] != 'N' && text[n - 1] != '0'))
        return false;
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t length = strlen(ends[i]);
        if (memcmp(text + n - length, ends[i], length) == 0)
            return text[n - length - 1] == '-' || text[n - length - 1] == '+';
    }
    return false;
}

unsigned pipe_more_digits(uint32_t offset)
{
    unsigned more = 0;
    for (offset >>= 16; offset; offset >>= 4)
        more++;
    return more;
}

static bool keep_text(struct pipe_spelled *s, const char *text, size_t n)
{
    if (s->size - s->n < n) {
        size_t size = 2 * s->size + 65536;
        char *bytes = realloc(s->bytes, size);
        if (!bytes)
            return false;
        s->bytes = bytes;
        s->size = size;
    }
    if (s->count == s->room) {
        size_t room = 2 * s->room + 4096;
        uint16_t *lengths = realloc(s->lengths, room * sizeof *lengths);
        if (!lengths)
            return false;
        s->lengths = lengths;
        s->room = room;
    }
    memcpy(s->bytes + s->n, text, n);
    s->n += n;
    s->lengths[s->count++] = (uint16_t)n;
    return true;
}

/* Keeps the texts of the kernel and widens *widest to the longest, with its guard, although that stands to the left. */
static bool spell(struct pipe_listing *l, size_t *widest)
{
    char text[ISA_TEXT_ROOM];
    for (uint32_t i = 0; i < l->count; i++) {
        size_t n = pipe_print_text(l, i, text);
        size_t with =
            n + strlen(pipe_ending(pipe_word_at(l, i))) + pipe_leaves_blank(text, n) + pipe_more_digits(16 * i);
        *widest = with > *widest ? with : *widest;
        if (!keep_text(l->spelled, text, n))
            return false;
    }
    return true;
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

static void print_cuobjdump(struct pipe_listing *l)
{
    char room[ISA_TEXT_ROOM];
    size_t widest = l->widest, rest;
    out_printf(l->out, "\n\t\tFunction : %s\n", l->kernel->name);
    pipe_print_header_flags(l->out, l->module);
    for (uint32_t i = 0; i < l->count; i++) {
        struct bits128 word = pipe_word_at(l, i);
        const char *text, *end = pipe_ending(word);
        size_t n = pipe_next_text(l, i, room, &text), blank = pipe_leaves_blank(text, n);
        pipe_print_line_info(l, 16 * i);
        char *p = out_room(l->out, OUT_ROOM);
        p = pipe_put_offset(p, 16 * i, text, n, &rest);
        p = put(p, text + rest, n - rest);
        p = put_blanks(p, blank);
        p = put(p, end, strlen(end));
        if (pipe_has_word(l, i)) {
            p = put_blanks(p, widest - (n - rest) - blank - strlen(end) - pipe_more_digits(16 * i));
            p = put(p, "  /* 0x", 7);
            p = put_word(p, word.lo);
            p = put(p, " */\n", 4);
            p = put_blanks(p, 37 + widest);
            p = put(p, "/* 0x", 5);
            p = put_word(p, word.hi);
            p = put(p, " */", 3);
        }
        *p++ = '\n';
        out_filled(l->out, p);
    }
    out_text(l->out, "\t\t..........\n\n");
}

/* "  // reserved bits 98, 100": what is set and nothing reads. */
static char *put_reserved(char *p, struct bits128 bits)
{
    const char *between = "  // reserved bits ";
    for (unsigned b = 0; b < 128; b++)
        if (bits_get(bits, b, b)) {
            p += sprintf(p, "%s%u", between, b);
            between = ", ";
        }
    return p;
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
        char *p = put_hex(out_room(l->out, OUT_ROOM), 16 * i, 4);
        *p++ = ' ';
        p = put(p, control, length);
        *p++ = ' ';
        p = put(p, text, n);
        struct bits128 reserved =
            pipe_has_word(l, i) ? isa_word_reserved(l->module->sm, pipe_word_at(l, i)) : (struct bits128){0, 0};
        if (reserved.lo | reserved.hi)
            p = put_reserved(p, reserved);
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
    struct pipe_labels *labels;
    struct pipe_spelled spelled;
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
                             .spelled = &p->spelled,
                             .is_spelled = p->is_spelled,
                             .a = &work,
                             .out = p->out,
                             .options = p->options,
                             .module = p->module,
                             .kernel = kernel,
                             .labels = p->labels,
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
        status = spell(&l, &p->widest) ? SP_OK : SP_ERR_MEMORY;
    else if (status == SP_OK)
        switch (p->options->format) {
        case SP_DISASM_CUOBJDUMP: print_cuobjdump(&l); break;
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
                                 struct pipe_input *in, struct isa_cache *cache, size_t *printed)
{
    struct printing p = {.in = in, .out = out, .options = o, .module = &in->module, .cache = cache};
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
        p.labels = pipe_labels_make(&a, p.module);
        status = p.labels ? SP_OK : SP_ERR_MEMORY;
    }
    if (status == SP_OK)
        status = print_module(s, &p, &a, printed);
    free(p.spelled.bytes);
    free(p.spelled.lengths);
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
        status = one_module(s, out, o, in, cache, &printed);
        pipe_input_close(in);
        s->diags.input = -1;
    }
    if (status == SP_OK && !printed && (o->kernel || o->arch))
        status = SP_ERR_NOT_FOUND;
    if (!out_flush(out) && status == SP_OK)
        status = SP_ERR_IO;
    free(out);
    free(cache);
    return status;
}
