/* Records of one source line in a loop whose body compilers copied. The note shows one of them and counts the others;
 * JSON has all. Private to the report room. */
#ifndef SP_REPORT_REP_GROUP_H
#define SP_REPORT_REP_GROUP_H

#include "report/rep_words.h"

/* Of each record: the one that stands for it (itself when it is alone). NULL: out of memory, or nothing to group. */
const uint32_t *rep_group_outputs(struct arena *a, const struct fact_kernel *k);
const uint32_t *rep_group_rewrites(struct arena *a, const struct fact_kernel *k);
const uint32_t *rep_group_accesses(struct arena *a, const struct fact_kernel *k);
/* The same for patterns: parts of a copied pattern are copies of its parts. */
const uint32_t *rep_group_patterns(struct arena *a, const struct rep_note *n);

/* "[3], [7]–[9] at source line 24 in loop 1": the statements of a kind that record `lead` stands for; "" for none. */
const char *rep_group_others(struct rep_page *p, const struct rep_note *n, enum rep_kind kind, const uint32_t *leads,
                             uint32_t lead, uint32_t offset);

#endif
