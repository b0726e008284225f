/* The sections of the note, each written once for text and Markdown. A section without content writes
 * nothing, heading included, unless it says so. Private to the report room. */
#ifndef SP_REPORT_REP_SECTIONS_H
#define SP_REPORT_REP_SECTIONS_H

#include "report/rep_page.h"
#include "report/rep_words.h"

/* Calls for every statement of a kind in the note's kernel; number is its printed one. */
#define REP_EACH(n, wanted, s, number)                                   \
    for (uint32_t number = (n)->plan->kernel_first.p[(n)->kernel] + 1;   \
         number <= (n)->plan->kernel_first.p[(n)->kernel + 1]; number++) \
        for (const struct rep_statement *s = &(n)->plan->list.p[number - 1]; s && s->kind == (wanted); s = NULL)

/* True when the record stands beyond what the note shows; counts those left out. */
bool rep_left_out(const struct rep_note *n, uint32_t *shown, uint32_t *left);
/* "… 12 more in the full report", when there are any. */
void rep_say_left_out(struct rep_page *p, uint32_t left);

/* Signature, file, producer, resources, and what to add to learn more. */
void rep_say_head(struct rep_page *p, const struct rep_note *n);
void rep_say_summary(struct rep_page *p, const struct rep_note *n);
/* What is wrong or doubtful in the kernel: races between threads. */
void rep_say_findings(struct rep_page *p, const struct rep_note *n);
void rep_say_outputs(struct rep_page *p, const struct rep_note *n);
void rep_say_values(struct rep_page *p, const struct rep_note *n);
/* Where intermediates live, as a conclusion. */
void rep_say_materialization(struct rep_page *p, const struct rep_note *n);
void rep_say_patterns(struct rep_page *p, const struct rep_note *n);
void rep_say_rewrites(struct rep_page *p, const struct rep_note *n);
/* What the words of source lines say, and what became of it. */
void rep_say_source(struct rep_page *p, const struct rep_note *n);
void rep_say_phases(struct rep_page *p, const struct rep_note *n);
void rep_say_loops(struct rep_page *p, const struct rep_note *n);
void rep_say_params(struct rep_page *p, const struct rep_note *n);
/* The names the report introduces. */
void rep_say_names(struct rep_page *p, const struct rep_note *n);
void rep_say_accesses(struct rep_page *p, const struct rep_note *n);
/* Flops and bytes of a thread, and of a turn of each loop. */
void rep_say_work(struct rep_page *p, const struct rep_note *n);
void rep_say_occupancy(struct rep_page *p, const struct rep_note *n);
void rep_say_flow(struct rep_page *p, const struct rep_note *n);
void rep_say_listing(struct rep_page *p, const struct rep_note *n);
void rep_say_unknown(struct rep_page *p, const struct rep_note *n);
/* Diagnostics of the whole document. */
void rep_say_diagnostics(struct rep_page *p, const struct fact_document *doc);

/* Markdown's further sections. */
void rep_say_roles(struct rep_page *p, const struct rep_note *n);
void rep_say_predicates(struct rep_page *p, const struct rep_note *n);

/* One comparison, headed. */
void rep_say_comparison(struct rep_page *p, const struct fact_document *doc, const struct rep_plan *plan,
                        uint32_t index);

/* Instructions at these offsets as a table: offset, text, role, meaning. */
void rep_say_instructions(struct rep_page *p, const struct fact_kernel *k, struct fact_offsets offsets, int indent);

#endif
