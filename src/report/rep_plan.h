/* The numbered statements of the full note, in the note's order: what `[n]` stands for. Text, Markdown and
 * --why go by the same plan. Private to the report room. */
#ifndef SP_REPORT_REP_PLAN_H
#define SP_REPORT_REP_PLAN_H

#include "base/arena.h"
#include "base/vec.h"
#include "facts/fact.h"

enum rep_kind {
    REP_SUMMARY,
    REP_FINDING, /* index: of the diagnostic */
    REP_OUTPUT,
    REP_DIFFERS, /* sub: which difference of the output */
    REP_VALUE,
    REP_PATTERN,
    REP_REWRITE,
    REP_SAID, /* what a source line's words say */
    REP_PHASE,
    REP_LOOP,
    REP_PARAM,
    REP_NAME,
    REP_ACCESS,
    REP_WORK,
    REP_LANE,
    REP_UNKNOWN,
    REP_COMPARISON, /* index: the comparison; sub: its row */
};

struct rep_statement {
    enum rep_kind kind;
    uint32_t kernel;
    uint32_t index, sub; /* of the record in the kernel's list */
    uint32_t depth;      /* patterns: how deep they nest */
};

struct rep_plan {
    VEC(struct rep_statement) list; /* statement n is list.p[n - 1] */
    VEC(uint32_t) kernel_first;     /* index of a kernel's first statement; one more for the end of the last */
};

/* A diagnostic that says something wrong or doubtful of the kernel itself, not of reading it: it stands in the kernel's
 * note. */
bool rep_is_finding(const struct fact_kernel *k, const struct diag *d);

/* False when out of memory. */
bool rep_plan_make(struct rep_plan *plan, const struct fact_document *doc, struct arena *a);

/* The number of a kernel's first statement of a kind for record `index`; 0: none. */
uint32_t rep_plan_number(const struct rep_plan *plan, uint32_t kernel, enum rep_kind kind, uint32_t index);

#endif
