/* Reports: facts as JSON, as the analyst's note for a terminal, and as the same note in Markdown. A report
 * renders facts; it computes nothing, so no two of them can disagree. Every statement of the note has a
 * number; rep_why() shows what it rests on. */
#ifndef SP_REPORT_REP_H
#define SP_REPORT_REP_H

#include "base/out.h"
#include "facts/fact.h"
#include "sassprobe/status.h"

#include <stdbool.h>
#include <stdint.h>

struct rep_options {
    int width;     /* columns; 0: 100 (at least 60 are used) */
    bool color;    /* ANSI colours; text only */
    bool summary;  /* head, summary, outputs, places and findings only */
    bool markdown; /* for the functions that write either */
};

/* The `explain` document, one line. */
void rep_json(const struct fact_document *doc, struct out *o);

/* The note on every kernel of the document, then its comparisons. SP_ERR_MEMORY or SP_OK. */
enum sp_status rep_text(const struct fact_document *doc, const struct rep_options *options, struct out *o);
enum sp_status rep_markdown(const struct fact_document *doc, const struct rep_options *options, struct out *o);

/* One thing only, in every kernel of the document that has it; text or Markdown. SP_ERR_NOT_FOUND when none has. */
enum sp_status rep_at(const struct fact_document *doc, uint32_t offset, const struct rep_options *options,
                      struct out *o);
enum sp_status rep_line(const struct fact_document *doc, uint32_t line, const struct rep_options *options,
                        struct out *o);
enum sp_status rep_value(const struct fact_document *doc, const char *value, const struct rep_options *options,
                         struct out *o);
/* The evidence of statement `number` of the full note on this document. */
enum sp_status rep_why(const struct fact_document *doc, int64_t number, const struct rep_options *options,
                       struct out *o);

/* Source, PTX and machine code beside each other, line by line, in every kernel; text or Markdown. At least 80 columns
 * are used. */
enum sp_status rep_columns(const struct fact_document *doc, const struct rep_options *options, struct out *o);

/* The comparisons of the document (fact_compare()). */
enum sp_status rep_comparisons(const struct fact_document *doc, const struct rep_options *options, struct out *o);

/* The note on a probe file, in Markdown: the kernels of `arch_main`, then what differs on the other architectures.
 * SP_ERR_NOT_FOUND when no kernel is of that architecture. */
enum sp_status rep_note(const struct fact_document *doc, const char *arch_main, struct out *o);

/* The note on a pattern, in Markdown: what its page says (any of it may be NULL but the id), then where the document's
 * kernels have it. */
struct rep_pattern_page {
    const char *id, *title;
    const char *form;    /* code */
    const char *meaning; /* Markdown */
};
enum sp_status rep_pattern_note(const struct fact_document *doc, const struct rep_pattern_page *page,
                                const char *arch_main, struct out *o);

#endif
