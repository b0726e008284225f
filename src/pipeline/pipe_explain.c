/* `explain` and `lab`'s notes: the document of facts over all inputs that were asked for, then the report. */
#include "pipeline/pipe_container.h"
#include "pipeline/pipe_rewrite.h"
#include "pipeline/pipe_source.h"

#include "base/map.h"
#include "base/str.h"
#include "facts/fact_build.h"
#include "image/img_container.h"
#include "report/rep.h"

#include <stdlib.h>
#include <string.h>

void sp_explain_options_init(struct sp_explain_options *o)
{
    *o = (struct sp_explain_options){.why = -1};
}

static enum sp_status load_patterns(struct sp_session *s)
{
    size_t count;
    const struct pat_page_text *pages = pat_embedded_pages(&count);
    if (s->patterns)
        return SP_OK;
    s->patterns = pat_library_new(&s->a);
    if (!s->patterns)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        enum sp_status status = pat_library_add(s->patterns, pages[i].name, pages[i].text, pages[i].size, &s->diags);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

static const char *kind_text(enum img_kind kind)
{
    static const char *const texts[] = {
        [IMG_CUBIN] = "cubin", [IMG_FATBIN] = "fatbin",   [IMG_HOST_ELF] = "host-elf", [IMG_HOST_PE] = "host-pe",
        [IMG_PTX] = "ptx",     [IMG_LISTING] = "listing", [IMG_ARCHIVE] = "archive",   [IMG_LTO] = "nvvm",
        [IMG_RAW] = "unknown", [IMG_UNKNOWN] = "unknown"};
    return texts[kind];
}

/* Texts of a module that goes before the document does. */
static const char *keep(struct arena *a, const struct pipe_input *in, const char *text)
{
    return text && in->entry ? arena_strdup(a, text) : text;
}

static void add_input(struct arena *a, struct fact_document *doc, const struct pipe_input *in)
{
    static const char *const states[] = {"complete", "partial", "unreadable"};
    const struct img_module *m = &in->module;
    struct fact_input f = {.path = in->path,
                           .member = m->member,
                           .kind = kind_text(m->kind),
                           .producer = keep(a, in, m->producer),
                           .flags = keep(a, in, m->flags),
                           .status = states[m->status],
                           .has_ptx = m->ptx != NULL,
                           .ptx_in_fatbin = pipe_container_has_ptx(in),
                           .has_line_info = m->has_line_info};
    VEC_PUSH(a, doc->inputs, f);
}

/* Numbers of a module's files in the document; a file that several modules name is listed once. */
static int32_t *number_files(struct arena *a, struct fact_document *doc, struct map_str *known,
                             const struct pipe_input *in)
{
    const struct img_module *m = &in->module;
    int32_t *numbers = ARENA_ARRAY(a, int32_t, m->file_count + 1u);
    for (uint32_t i = 0; i < m->file_count && numbers; i++) {
        uint32_t at;
        if (!map_str_get(known, m->files[i], &at)) {
            const char *name = keep(a, in, m->files[i]);
            if (!name)
                return NULL;
            at = (uint32_t)doc->files.n;
            VEC_PUSH(a, doc->files, name);
            map_str_put(a, known, name, at);
        }
        numbers[i] = (int32_t)at;
    }
    return numbers;
}

/* What a document is made of: which kernels, and what goes from one module to the next. */
struct building {
    struct sp_session *s;
    struct arena *a;
    const char *kernel, *also, *arch;
    struct fact_document *doc;
    struct map_str known;
    struct fact_keeper keeper;
    struct pipe_ptx_use use;
};

static enum sp_status add_kernels(struct building *b, struct pipe_input *in, uint32_t number)
{
    struct sp_session *s = b->s;
    const struct img_module *m = &in->module;
    enum sp_status status = SP_OK;
    int32_t *files = number_files(b->a, b->doc, &b->known, in);
    if (!files)
        return SP_ERR_MEMORY;
    const struct fact_file_text *texts = pipe_source_match(s, b->a, m, number, files, b->doc);
    if (!texts)
        return SP_ERR_MEMORY;
    for (uint32_t k = 0; k < m->kernel_count && status == SP_OK; k++) {
        const struct img_kernel *image = &m->kernels[k];
        if (!pipe_kernel_named(b->a, image, b->kernel) && !(b->also && pipe_kernel_named(b->a, image, b->also)))
            continue;
        if (!b->kernel && !image->is_entry)
            continue;
        struct fact_kernel f = {.input = number};
        struct arena made; /* the kernel's facts and what they were made of: only the facts stay */
        arena_init(&made, 0);
        status = pipe_kernel(s, &made, in, image, files, texts, &f);
        if (status == SP_OK)
            status = arena_failed(&made) ? SP_ERR_MEMORY : fact_keep(&b->keeper, &f);
        arena_free(&made);
        if (status == SP_ERR_ARCH) {
            diag_add(&s->diags, DIAG_ERROR, "unknown-architecture", NULL, -1,
                     "no encodings for %s; kernel %s is not explained", m->arch ? m->arch : "this architecture",
                     image->name);
            status = SP_OK;
            continue;
        }
        if (status == SP_OK)
            VEC_PUSH(b->a, b->doc->kernels, f);
    }
    return status;
}

/* One input: its line in the document, and its kernels where they were asked for. A module that is unpacked for it goes
 * when its kernels are done. */
static enum sp_status add_module(struct building *b, struct pipe_input *in, uint32_t number)
{
    struct sp_session *s = b->s;
    enum sp_status status = SP_OK;
    bool wanted = pipe_input_may_be(in, b->arch) && !(in->entry && in->entry->linker_input);
    s->diags.input = (int)number;
    if (wanted)
        (void)pipe_input_open(s, in); /* what was wrong is told, and the rest is there */
    add_input(b->a, b->doc, in);
    if (wanted)
        pipe_rewrite_note_used(s, &in->module, &b->use);
    if (wanted && !(b->arch && !str_equal(b->arch, in->module.arch)) && !pipe_input_is_companion(in, b->arch))
        status = add_kernels(b, in, number);
    pipe_input_close(in);
    s->diags.input = -1;
    return status;
}

static enum sp_status build_document(struct sp_session *s, struct arena *a, const char *kernel, const char *also,
                                     const char *arch, struct fact_document *doc)
{
    struct building b = {.s = s, .a = a, .kernel = kernel, .also = also, .arch = arch, .doc = doc, .keeper = {.a = a}};
    enum sp_status status = load_patterns(s);
    *doc = (struct fact_document){.a = a, .tool = sp_version(), .diags = &s->diags, .sources_given = s->sources.n > 0};
    for (size_t i = 0; i < s->inputs.n && status == SP_OK; i++)
        status = add_module(&b, &s->inputs.p[i], (uint32_t)i);
    if (status == SP_OK) {
        pipe_source_unused(s, doc);
        pipe_rewrite_unused(s, &b.use);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : status;
}

static bool named(struct arena *a, const struct fact_kernel *k, const char *wanted)
{
    struct img_kernel image = {.name = k->name, .demangled = k->demangled};
    return pipe_kernel_named(a, &image, wanted);
}

/* The pairs to compare: the first kernel that answers to each name, architecture by architecture. */
static enum sp_status add_comparisons(struct fact_document *doc, const char *a, const char *b)
{
    size_t n = doc->kernels.n, made = 0;
    for (size_t i = 0; i < n; i++) {
        if (!named(doc->a, &doc->kernels.p[i], a))
            continue;
        bool first = true;
        for (size_t j = 0; j < i && first; j++)
            first =
                !(named(doc->a, &doc->kernels.p[j], a) && str_equal(doc->kernels.p[j].arch, doc->kernels.p[i].arch));
        for (size_t j = 0; j < n && first; j++) {
            if (j == i || !named(doc->a, &doc->kernels.p[j], b) ||
                !str_equal(doc->kernels.p[j].arch, doc->kernels.p[i].arch))
                continue;
            if (!fact_compare(doc, (uint32_t)i, (uint32_t)j))
                return SP_ERR_MEMORY;
            made++;
            break;
        }
    }
    if (!made && n >= 2) { /* no architecture in common: the first of each */
        for (size_t i = 0; i < n && !made; i++)
            for (size_t j = 0; j < n && !made; j++)
                if (i != j && named(doc->a, &doc->kernels.p[i], a) && named(doc->a, &doc->kernels.p[j], b))
                    made += fact_compare(doc, (uint32_t)i, (uint32_t)j);
    }
    return made ? SP_OK : SP_ERR_NOT_FOUND;
}

static enum sp_status render(const struct sp_explain_options *o, struct fact_document *doc, struct out *out)
{
    struct rep_options r = {.width = o->width,
                            .color = o->color,
                            .summary = o->level == SP_LEVEL_SUMMARY,
                            .markdown = o->format == SP_FORMAT_MARKDOWN};
    if (o->format == SP_FORMAT_JSON) {
        rep_json(doc, out);
        return SP_OK;
    }
    if (o->at_set)
        return rep_at(doc, o->at, &r, out);
    if (o->line)
        return rep_line(doc, o->line, &r, out);
    if (o->value)
        return rep_value(doc, o->value, &r, out);
    if (o->why >= 0)
        return rep_why(doc, o->why, &r, out);
    if (o->lines)
        return rep_columns(doc, &r, out);
    if (o->compare_a)
        return rep_comparisons(doc, &r, out);
    return o->format == SP_FORMAT_MARKDOWN ? rep_markdown(doc, &r, out) : rep_text(doc, &r, out);
}

enum sp_status sp_explain(struct sp_session *s, const struct sp_explain_options *o, sp_write_fn write, void *user)
{
    struct fact_document doc;
    struct arena a;
    struct out *out = malloc(sizeof *out);
    if (!out)
        return SP_ERR_MEMORY;
    arena_init(&a, 0);
    out_init(out, write, user);
    const char *kernel = o->compare_a ? o->compare_a : o->kernel;
    enum sp_status status = build_document(s, &a, kernel, o->compare_b, o->arch, &doc);
    if (status == SP_OK && (kernel || o->arch) && !doc.kernels.n)
        status = SP_ERR_NOT_FOUND;
    if (status == SP_OK && o->compare_a)
        status = add_comparisons(&doc, o->compare_a, o->compare_b);
    if (status == SP_OK)
        status = render(o, &doc, out);
    if (!out_flush(out) && status == SP_OK)
        status = SP_ERR_IO;
    arena_free(&a);
    free(out);
    return status;
}

enum sp_status sp_note(struct sp_session *s, const char *arch_main, sp_write_fn write, void *user)
{
    struct fact_document doc;
    struct arena a;
    struct out *out = malloc(sizeof *out);
    if (!out)
        return SP_ERR_MEMORY;
    arena_init(&a, 0);
    out_init(out, write, user);
    enum sp_status status = build_document(s, &a, NULL, NULL, NULL, &doc);
    if (status == SP_OK && !fact_compare_archs(&doc, arch_main))
        status = SP_ERR_MEMORY;
    if (status == SP_OK)
        status = rep_note(&doc, arch_main, out);
    if (!out_flush(out) && status == SP_OK)
        status = SP_ERR_IO;
    arena_free(&a);
    free(out);
    return status;
}

/* The text between two places of a page, without blank lines at its ends; NULL when there is none. */
static const char *cut(struct arena *a, const char *from, const char *end)
{
    while (from < end && (*from == '\n' || *from == ' '))
        from++;
    while (end > from && (end[-1] == '\n' || end[-1] == ' '))
        end--;
    return end > from ? arena_strndup(a, from, (size_t)(end - from)) : NULL;
}

/* What a note takes from a page: title, the first block, the section on its meaning. */
static struct rep_pattern_page page_of(struct arena *a, const struct pat_page_text *text)
{
    static const char fence[] = "```cuda", meaning[] = "\n## Meaning\n", section[] = "\n## ";
    const char *page = arena_strndup(a, text->text, text->size);
    const char *dot = strchr(text->name, '.');
    struct rep_pattern_page p = {
        .id = arena_strndup(a, text->name, dot ? (size_t)(dot - text->name) : strlen(text->name))};
    if (!page || !p.id)
        return p;
    if (str_starts(page, "# ")) {
        const char *line = strchr(page, '\n');
        p.title = cut(a, page + 2, line ? line : page + strlen(page));
    }
    const char *block = strstr(page, fence), *from = block ? strchr(block, '\n') : NULL;
    const char *end = from ? strstr(from, "\n```") : NULL;
    if (end)
        p.form = cut(a, from, end);
    from = strstr(page, meaning);
    if (from) {
        from += sizeof meaning - 1;
        end = strstr(from - 1, section);
        p.meaning = cut(a, from, end ? end : from + strlen(from));
    }
    return p;
}

enum sp_status sp_pattern_notes(struct sp_session *s, const char *arch_main, sp_begin_fn begin, sp_write_fn write,
                                void *user)
{
    struct fact_document doc;
    struct arena a;
    size_t count;
    const struct pat_page_text *pages = pat_embedded_pages(&count);
    struct out *out = malloc(sizeof *out);
    if (!out)
        return SP_ERR_MEMORY;
    arena_init(&a, 0);
    enum sp_status status = build_document(s, &a, NULL, NULL, NULL, &doc);
    for (size_t i = 0; i < count && status == SP_OK; i++) {
        struct rep_pattern_page page = page_of(&a, &pages[i]);
        if (!page.id) {
            status = SP_ERR_MEMORY;
        } else if (!begin(user, page.id)) {
            status = SP_ERR_IO;
        } else {
            out_init(out, write, user);
            status = rep_pattern_note(&doc, &page, arch_main, out);
            if (!out_flush(out) && status == SP_OK)
                status = SP_ERR_IO;
        }
    }
    arena_free(&a);
    free(out);
    return status;
}
