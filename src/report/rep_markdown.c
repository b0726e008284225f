/* The note in Markdown, in the order of a study note: what it computes, the roles, the arguments,
 * instruction by instruction, the predicates, the registers, and the conclusion about where intermediates
 * live. The same statements and numbers as the text. */
#include "report/rep_sections.h"

enum { SHORT_ROWS = 16 /* of a section of the short note */ };

static void say_kernel(struct rep_page *p, const struct rep_note *n, bool summary)
{
    rep_say_head(p, n);
    rep_blank(p);
    rep_say_summary(p, n);
    rep_say_findings(p, n);
    rep_say_outputs(p, n);
    if (!summary) {
        rep_say_roles(p, n);
        rep_say_params(p, n);
        rep_say_names(p, n);
    }
    rep_say_phases(p, n);
    rep_say_loops(p, n);
    if (!summary) {
        rep_say_listing(p, n);
        rep_say_predicates(p, n);
        rep_say_flow(p, n);
        rep_say_accesses(p, n);
        rep_say_work(p, n);
        rep_say_occupancy(p, n);
    }
    rep_say_values(p, n);
    rep_say_materialization(p, n);
    rep_say_patterns(p, n);
    rep_say_rewrites(p, n);
    rep_say_source(p, n);
    rep_say_unknown(p, n);
}

enum sp_status rep_markdown(const struct fact_document *doc, const struct rep_options *options, struct out *o)
{
    struct arena plan_arena;
    struct rep_options markdown = *options;
    struct rep_plan plan;
    struct rep_page p;
    bool started = false;
    markdown.markdown = true;
    arena_init(&plan_arena, 0);
    bool complete = rep_plan_make(&plan, doc, &plan_arena);
    for (uint32_t i = 0; complete && i <= doc->kernels.n && !o->failed; i++) {
        struct arena scratch;
        arena_init(&scratch, 0);
        rep_page_init(&p, &markdown, &scratch, o);
        p.started = p.gap = started;
        if (i < doc->kernels.n) {
            struct rep_note n = {doc, &plan, &doc->kernels.p[i], i, options->summary ? SHORT_ROWS : 0};
            say_kernel(&p, &n, options->summary);
        } else {
            for (uint32_t c = 0; c < doc->comparisons.n; c++)
                rep_say_comparison(&p, doc, &plan, c);
            rep_say_diagnostics(&p, doc);
        }
        started = true;
        complete = !arena_failed(&scratch);
        arena_free(&scratch);
    }
    arena_free(&plan_arena);
    return complete ? SP_OK : SP_ERR_MEMORY;
}
