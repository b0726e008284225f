/* The note on a probe file: the report on one architecture, then what the others make of the same source.
 *
 * The table has a line an architecture; "same" comes from the comparisons that fact_compare_archs() made,
 * and below it stands what the differing ones have instead. Statement numbers are those of `explain --arch
 * MAIN` on the same inputs. */
#include "report/rep_sections.h"

#include "facts/fact_words.h"

#include "base/str.h"

/* The document with the main architecture's kernels only. */
static struct fact_document main_only(const struct fact_document *doc, const char *arch_main, struct arena *a)
{
    struct fact_document part = *doc;
    part.kernels.p = NULL;
    part.kernels.n = part.kernels.cap = 0;
    part.comparisons.n = 0;
    for (size_t i = 0; i < doc->kernels.n; i++)
        if (str_equal(doc->kernels.p[i].arch, arch_main))
            VEC_PUSH(a, part.kernels, doc->kernels.p[i]);
    return part;
}

static const struct fact_comparison_row *row_of(const struct fact_comparison *c, const char *subject)
{
    for (size_t i = 0; i < c->rows.n; i++)
        if (str_equal(c->rows.p[i].subject, subject))
            return &c->rows.p[i];
    return NULL;
}

static const char *const subjects[] = {"outputs", "patterns", "places", "phases", "instruction-classes"};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, FIXED = 3 };

static void add_arch(struct rep_page *p, struct rep_table *t, const struct fact_kernel *k,
                     const struct fact_comparison *c)
{
    struct rep_row *row = rep_table_row(p, t);
    if (!row)
        return;
    row->cells[0] = rep_cell(rep_or_dash(k->arch), c ? REP_PLAIN : REP_STRONG);
    row->cells[1] = rep_cell(rep_format(p->a, "%zu", k->instructions.n), REP_PLAIN);
    row->cells[2] = rep_cell(k->registers == FACT_NONE ? "–" : rep_format(p->a, "%d", k->registers), REP_PLAIN);
    for (unsigned i = 0; i < SUBJECTS; i++) {
        const struct fact_comparison_row *r = c ? row_of(c, subjects[i]) : NULL;
        row->cells[FIXED + i] = rep_cell(!r ? "" : r->same ? "same" : "differ", REP_PLAIN);
    }
}

typedef VEC(const struct fact_comparison *) comparisons;

static unsigned arch_number(const struct fact_document *doc, uint32_t kernel)
{
    unsigned number = 0;
    for (const char *c = doc->kernels.p[kernel].arch; c && *c; c++)
        if (*c >= '0' && *c <= '9')
            number = number * 10 + (unsigned)(*c - '0');
    return number;
}

/* A kernel's comparisons, by architecture. */
static comparisons comparisons_of(struct rep_page *p, const struct fact_document *doc, uint32_t kernel)
{
    comparisons list = {0};
    for (size_t i = 0; i < doc->comparisons.n; i++) {
        const struct fact_comparison *c = &doc->comparisons.p[i];
        if (c->a != kernel)
            continue;
        VEC_PUSH(p->a, list, c);
        for (size_t at = list.n - 1; at > 0 && arch_number(doc, list.p[at - 1]->b) > arch_number(doc, c->b); at--) {
            list.p[at] = list.p[at - 1];
            list.p[at - 1] = c;
        }
    }
    return list;
}

/* What stands on the others instead; architectures that agree share a line. */
static void say_differences(struct rep_page *p, const struct fact_document *doc, const comparisons *list,
                            const char *subject)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct fact_comparison_row *r = row_of(list->p[i], subject);
        struct strbuf archs;
        bool said = false;
        if (!r || r->same)
            continue;
        str_init(&archs, p->a);
        for (size_t j = 0; j < list->n; j++) {
            const struct fact_comparison_row *other = row_of(list->p[j], subject);
            if (!other || other->same || !str_equal(other->b, r->b) || !str_equal(other->why, r->why))
                continue;
            said |= j < i;
            str_addf(&archs, "%s%s", archs.n ? ", " : "", rep_or_dash(doc->kernels.p[list->p[j]->b].arch));
        }
        if (!said)
            rep_item(p, 0, rep_format(p->a, "%s on %s", subject, archs.p), 0,
                     rep_format(p->a, "%s%s%s", rep_or_dash(r->b), r->why ? "; " : "", r->why ? r->why : ""), false);
    }
}

static void say_other_archs(struct rep_page *p, const struct fact_document *doc, uint32_t kernel)
{
    const struct fact_kernel *k = &doc->kernels.p[kernel];
    struct rep_table t = {.columns = FIXED + SUBJECTS, .head = {"architecture", "instructions", "registers"}};
    comparisons list = comparisons_of(p, doc, kernel);
    if (list.n == 0)
        return;
    for (unsigned i = 0; i < SUBJECTS; i++)
        t.head[FIXED + i] = subjects[i];
    add_arch(p, &t, k, NULL);
    for (size_t i = 0; i < list.n; i++)
        add_arch(p, &t, &doc->kernels.p[list.p[i]->b], list.p[i]);
    rep_heading(p, 2, rep_format(p->a, "%s on other architectures", fact_kernel_name(k)));
    rep_table_write(p, &t, 0);
    for (unsigned i = 0; i < SUBJECTS; i++)
        say_differences(p, doc, &list, subjects[i]);
    rep_blank(p);
}

enum sp_status rep_note(const struct fact_document *doc, const char *arch_main, struct out *o)
{
    const struct rep_options options = {.markdown = true};
    struct arena scratch;
    struct rep_page p;
    arena_init(&scratch, 0);
    struct fact_document part = main_only(doc, arch_main, &scratch);
    enum sp_status status = part.kernels.n > 0 ? rep_markdown(&part, &options, o) : SP_ERR_NOT_FOUND;
    rep_page_init(&p, &options, &scratch, o);
    p.started = true;
    p.gap = true; /* every section of the report above ends with a blank line */
    for (uint32_t i = 0; status == SP_OK && i < doc->kernels.n; i++)
        if (str_equal(doc->kernels.p[i].arch, arch_main))
            say_other_archs(&p, doc, i);
    if (arena_failed(&scratch))
        status = SP_ERR_MEMORY;
    arena_free(&scratch);
    return status;
}
