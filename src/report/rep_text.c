/* The analyst's note for the terminal: the order a reader wants.
 *
 * First what the kernel computes and where its values live, then what was recognised, the way in
 * (parameters) and the way through (registers, listing), last what is not understood. `summary` leaves out the
 * ways in and through, and shows of long sections the beginning. */
#include "report/rep_sections.h"

/* Records a section of the short note shows. */
enum { SHORT_OUTPUTS = 3, SHORT_ROWS = 16 };

static void say_summary(struct rep_page *p, struct rep_note n)
{
    rep_say_head(p, &n);
    rep_say_summary(p, &n);
    rep_say_findings(p, &n);
    n.most = SHORT_OUTPUTS;
    rep_say_outputs(p, &n);
    n.most = SHORT_ROWS;
    rep_say_values(p, &n);
    rep_say_materialization(p, &n);
    rep_say_phases(p, &n);
    rep_say_loops(p, &n);
    rep_say_patterns(p, &n);
    rep_say_rewrites(p, &n);
    rep_say_source(p, &n);
    rep_say_unknown(p, &n);
}

static void say_kernel(struct rep_page *p, const struct rep_note *n)
{
    rep_say_head(p, n);
    rep_say_summary(p, n);
    rep_say_findings(p, n);
    rep_say_outputs(p, n);
    rep_say_values(p, n);
    rep_say_materialization(p, n);
    rep_say_patterns(p, n);
    rep_say_rewrites(p, n);
    rep_say_source(p, n);
    rep_say_phases(p, n);
    rep_say_loops(p, n);
    rep_say_params(p, n);
    rep_say_names(p, n);
    rep_say_accesses(p, n);
    rep_say_work(p, n);
    rep_say_occupancy(p, n);
    rep_say_flow(p, n);
    rep_say_listing(p, n);
    rep_say_unknown(p, n);
}

enum sp_status rep_text(const struct fact_document *doc, const struct rep_options *options, struct out *o)
{
    struct arena plan_arena;
    struct rep_plan plan;
    struct rep_page p;
    bool started = false, complete;
    arena_init(&plan_arena, 0);
    complete = rep_plan_make(&plan, doc, &plan_arena);
    for (uint32_t i = 0; complete && i < doc->kernels.n && !o->failed; i++) {
        struct arena scratch; /* one a kernel: a library of kernels costs the memory of its largest */
        struct rep_note n = {doc, &plan, &doc->kernels.p[i], i, 0};
        arena_init(&scratch, 0);
        rep_page_init(&p, options, &scratch, o);
        p.started = started;
        if (options->summary)
            say_summary(&p, n);
        else
            say_kernel(&p, &n);
        complete = !arena_failed(&scratch);
        started = true;
        arena_free(&scratch);
    }
    if (complete) {
        struct arena scratch;
        arena_init(&scratch, 0);
        rep_page_init(&p, options, &scratch, o);
        p.started = started;
        for (uint32_t i = 0; i < doc->comparisons.n; i++)
            rep_say_comparison(&p, doc, &plan, i);
        rep_say_diagnostics(&p, doc);
        if (doc->kernels.n > 0) {
            rep_blank(&p);
            rep_paragraph(
                &p, 0, 0, REP_DIM,
                "[n] is a statement: --why n shows what it rests on. --at 0x…, --line N, --value NAME show one "
                "instruction, source line, value. Of a long expression the part after … is in --why, --value and "
                "JSON.");
        }
        complete = !arena_failed(&scratch);
        arena_free(&scratch);
    }
    arena_free(&plan_arena);
    return complete ? SP_OK : SP_ERR_MEMORY;
}

enum sp_status rep_comparisons(const struct fact_document *doc, const struct rep_options *options, struct out *o)
{
    struct arena scratch;
    struct rep_plan plan;
    struct rep_page p;
    arena_init(&scratch, 0);
    rep_page_init(&p, options, &scratch, o);
    if (rep_plan_make(&plan, doc, &scratch))
        for (uint32_t i = 0; i < doc->comparisons.n; i++)
            rep_say_comparison(&p, doc, &plan, i);
    bool complete = !arena_failed(&scratch);
    arena_free(&scratch);
    return complete ? SP_OK : SP_ERR_MEMORY;
}
