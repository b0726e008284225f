/* Test side: a JSON `explain` document read back into facts, and two documents made by hand. */
#ifndef TEST_SUPPORT_WORKED_H
#define TEST_SUPPORT_WORKED_H

#include "base/arena.h"
#include "facts/fact.h"
#include "support_json.h"

#include <stdbool.h>

/* Fills a document from parsed JSON. False when a field has a value outside the vocabulary or a wrong type. */
bool worked_read(struct fact_document *doc, struct arena *a, const struct jv *root);

/* The worked document (test/golden/report/clamp_f32.worked.json) and its facts; NULL when it cannot be read. */
const struct jv *worked_load(struct fact_document *doc, struct arena *a);

/* Two kernels with loops, phases, spills, shared memory, unknowns, diagnostics and a comparison. */
void worked_make_loops(struct fact_document *doc, struct arena *a);
/* A kernel whose every list is empty and every pointer NULL, with one element of each record all zero, too. */
/* Phases, a loop in pieces, a race. */
void worked_make_phases(struct fact_document *doc, struct arena *a);
/* Copies of statements that compilers made. */
void worked_make_copies(struct fact_document *doc, struct arena *a);
void worked_make_empty(struct fact_document *doc, struct arena *a);

/* An out_write_fn that collects a report; `p` is NUL-terminated and to be freed. */
struct worked_text {
    char *p;
    size_t n, cap;
};
bool worked_collect(void *user, const char *bytes, size_t n);

#endif
