/* Where a kernel's intermediates live, in sentences: the conclusion that notes draw and comparisons set side by side.
 * Read from finished facts (values with their places, loops, patterns); texts lie on the arena and are never NULL. */
#ifndef SP_FACT_LIVES_H
#define SP_FACT_LIVES_H

#include "facts/fact.h"

/* How it accumulates, in a few words: "shared-memory materialized accumulation", "register-accumulator streaming",
 * "intermediates in shared memory", "every intermediate in a register" …; static storage. */
const char *fact_lives_style(struct arena *a, const struct fact_kernel *k);

/* The same with its evidence, as a paragraph. */
const char *fact_lives_text(struct arena *a, const struct fact_kernel *k);

/* A value that is computed here (not loaded from there) and stands in a memory space: the place, or NULL. */
const struct fact_storage *fact_lives_in(const struct fact_value *value, enum fact_where where);
/* A value that a loop carries round in a register and adds to, also where it is put into memory afterwards. */
bool fact_lives_streams(const struct fact_kernel *k, const struct fact_value *value);
/* Loops (of the source) that hold a pattern's instructions; the number of the innermost, or FACT_NONE. */
int32_t fact_lives_loop_at(const struct fact_kernel *k, uint32_t offset);
/* "v3 (max(v3, x[j]))", the name when it is short. */
const char *fact_lives_name(struct arena *a, const struct fact_value *value);
/* Text of a binding, or NULL. */
const char *fact_lives_binding(const struct fact_pattern *p, const char *key);

#endif
