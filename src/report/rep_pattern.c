/* The note on a pattern: its CUDA form and meaning from its page, the role patterns that were observed with an example
 * of each, and where: kernel, bindings, architectures and offsets.
 *
 * Matches of the kernels that carry one name and have the same bindings share a row; in it, architectures with the same
 * offsets share a line; of one kernel a number of rows is enough. A role pattern is the roles of a match's
 * instructions in the order of the code. */
#include "report/rep_sections.h"

#include "base/str.h"
#include "facts/fact_words.h"

#include <string.h>

enum { EXAMPLES = 4, ROWS = 12 /* of one kernel */ };

struct seen {
    const struct fact_kernel *k;
    const struct fact_pattern *pattern;
    const char *name, *bindings, *shape, *offsets;
    bool said;
};
typedef VEC(struct seen) sightings;

static const char *shape_of(struct arena *a, const struct fact_kernel *k, struct fact_offsets offsets)
{
    struct strbuf b;
    const char *last = NULL;
    unsigned times = 0;
    str_init(&b, a);
    for (uint32_t i = 0; i <= offsets.n; i++) {
        const struct fact_instruction *in = i < offsets.n ? fact_instruction_at(k, offsets.p[i]) : NULL;
        const char *role = i == offsets.n ? NULL : in ? fact_role_text(in->role) : "?";
        if (last && !str_equal(role, last)) {
            if (times > 1)
                str_addf(&b, " ×%u", times);
            times = 0;
        }
        if (role && times++ == 0)
            str_addf(&b, "%s%s", b.n ? " → " : "", role);
        last = role;
    }
    return b.n ? b.p : "no instruction of its own";
}

static sightings find(struct arena *a, const struct fact_document *doc, const char *id)
{
    sightings list = {0};
    for (size_t i = 0; i < doc->kernels.n; i++) {
        const struct fact_kernel *k = &doc->kernels.p[i];
        for (size_t p = 0; p < k->patterns.n; p++) {
            const struct fact_pattern *pattern = &k->patterns.p[p];
            if (!str_equal(pattern->id, id))
                continue;
            struct seen s = {.k = k, .pattern = pattern, .name = fact_kernel_name(k)};
            s.bindings = rep_brief(a, rep_bindings(a, pattern->bindings));
            s.shape = shape_of(a, k, pattern->offsets);
            s.offsets = rep_offsets(a, pattern->offsets);
            VEC_PUSH(a, list, s);
        }
    }
    return list;
}

static void forget(sightings *list)
{
    for (size_t i = 0; i < list->n; i++)
        list->p[i].said = false;
}

static void add_name(struct strbuf *b, const char *name)
{
    const char *end = b->n ? b->p + b->n : b->p;
    size_t n = strlen(name);
    for (const char *at = b->p; b->n && (at = strstr(at, name)); at++) /* each name once */
        if ((at == b->p || at[-1] == ' ') && (at + n == end || at[n] == ','))
            return;
    str_addf(b, "%s%s", b->n ? ", " : "", name);
}

/* The example of a role pattern: on the main architecture when it was seen there. */
static const struct seen *example_of(const sightings *list, const char *shape, const char *arch_main)
{
    const struct seen *found = NULL;
    for (size_t i = 0; i < list->n; i++) {
        const struct seen *s = &list->p[i];
        if (!str_equal(s->shape, shape))
            continue;
        if (str_equal(s->k->arch, arch_main))
            return s;
        found = found ? found : s;
    }
    return found;
}

static void say_shapes(struct rep_page *p, sightings *list, const char *arch_main)
{
    struct rep_table t = {.columns = 4, .head = {"roles", "times", "kernels", "architectures"}};
    VEC(const char *) shapes = {0};
    rep_heading(p, 2, "Observed machine code");
    for (size_t i = 0; i < list->n; i++) {
        struct strbuf kernels, archs;
        unsigned times = 0;
        if (list->p[i].said)
            continue;
        str_init(&kernels, p->a);
        str_init(&archs, p->a);
        for (size_t x = i; x < list->n; x++) {
            struct seen *s = &list->p[x];
            if (!str_equal(s->shape, list->p[i].shape))
                continue;
            s->said = true;
            times++;
            add_name(&kernels, s->name);
            add_name(&archs, rep_or_dash(s->k->arch));
        }
        VEC_PUSH(p->a, shapes, list->p[i].shape);
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        row->cells[0] = rep_cell(list->p[i].shape, REP_PLAIN);
        row->cells[1] = rep_cell(rep_format(p->a, "%u", times), REP_PLAIN);
        row->cells[2] = rep_cell(rep_brief(p->a, kernels.p), REP_PLAIN);
        row->cells[3] = rep_cell(archs.p, REP_PLAIN);
    }
    rep_table_write(p, &t, 0);
    for (size_t i = 0; i < shapes.n && i < EXAMPLES; i++) {
        const struct seen *s = example_of(list, shapes.p[i], arch_main);
        if (!s || s->pattern->offsets.n == 0)
            continue;
        rep_heading(p, 3, rep_format(p->a, "%s, %s", s->name, rep_or_dash(s->k->arch)));
        rep_say_instructions(p, s->k, s->pattern->offsets, 0);
    }
    forget(list);
}

/* "sm_80, sm_86: 0x00b0–0x00e0", a line for each list of offsets, of the sightings that share row i. */
static const char *places(struct rep_page *p, sightings *list, size_t i)
{
    struct strbuf b;
    str_init(&b, p->a);
    for (size_t x = i; x < list->n; x++) {
        struct strbuf archs;
        struct seen *s = &list->p[x];
        if (s->said || !str_equal(s->name, list->p[i].name) || !str_equal(s->bindings, list->p[i].bindings))
            continue;
        str_init(&archs, p->a);
        for (size_t y = x; y < list->n; y++) {
            struct seen *other = &list->p[y];
            if (other->said || !str_equal(other->name, s->name) || !str_equal(other->bindings, s->bindings) ||
                !str_equal(other->offsets, s->offsets))
                continue;
            other->said = true;
            add_name(&archs, rep_or_dash(other->k->arch));
        }
        str_addf(&b, "%s%s: %s", b.n ? "\n" : "", archs.p, s->offsets);
    }
    return b.p;
}

static void say_places(struct rep_page *p, sightings *list)
{
    struct rep_table t = {
        .columns = 5, .head = {"kernel", "bindings", "confidence", "real rules", "at"}, .empty_hidden = true};
    uint32_t more = 0;
    rep_heading(p, 2, "Where observed");
    for (size_t i = 0; i < list->n; i++) {
        const struct seen *s = &list->p[i];
        struct strbuf via;
        if (s->said)
            continue;
        uint32_t rows = 0;
        for (size_t r = 0; r < t.rows.n; r++)
            rows += str_equal(t.rows.p[r].cells[0].text, s->name);
        if (rows >= ROWS) {
            more++;
            places(p, list, i);
            continue;
        }
        str_init(&via, p->a);
        for (uint32_t v = 0; v < s->pattern->via.n; v++)
            str_addf(&via, "%s%s", v ? ", " : "", rep_or_dash(s->pattern->via.p[v]));
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        row->cells[0] = rep_cell(s->name, REP_STRONG);
        row->cells[1] = rep_cell_code(s->bindings, REP_PLAIN);
        row->cells[2] = rep_cell(fact_confidence_text(s->pattern->confidence), REP_PLAIN);
        row->cells[3] = rep_cell(via.p, REP_PLAIN);
        row->cells[4] = rep_cell(places(p, list, i), REP_PLAIN);
    }
    rep_table_write(p, &t, 0);
    if (more)
        rep_paragraph(p, 0, 0, REP_PLAIN,
                      rep_format(p->a, "Of a kernel that has it with many bindings %u are listed; %u more are not.",
                                 (unsigned)ROWS, more));
}

enum sp_status rep_pattern_note(const struct fact_document *doc, const struct rep_pattern_page *page,
                                const char *arch_main, struct out *o)
{
    const struct rep_options options = {.markdown = true};
    struct arena scratch;
    struct rep_page p;
    arena_init(&scratch, 0);
    rep_page_init(&p, &options, &scratch, o);
    rep_heading(&p, 1, rep_or_dash(page->title));
    rep_paragraph(
        &p, 0, 0, REP_PLAIN,
        rep_format(&scratch, "Pattern %s; its definition and near misses are in patterns/%s.md.", page->id, page->id));
    if (page->form) {
        rep_heading(&p, 2, "CUDA form");
        rep_code(&p, 0, page->form);
    }
    if (page->meaning) { /* Markdown already */
        rep_heading(&p, 2, "Meaning");
        out_text(o, page->meaning);
        out_text(o, "\n\n");
    }
    sightings list = find(&scratch, doc, page->id);
    if (list.n == 0) {
        rep_heading(&p, 2, "Where observed");
        rep_paragraph(&p, 0, 0, REP_PLAIN, "In none of the kernels of this tree.");
    } else {
        say_shapes(&p, &list, arch_main);
        say_places(&p, &list);
    }
    enum sp_status status = arena_failed(&scratch) ? SP_ERR_MEMORY : SP_OK;
    arena_free(&scratch);
    return status;
}
