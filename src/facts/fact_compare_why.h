/* Reasons of a comparison that concern patterns, places and phases: each is read from the facts of both kernels, NULL
 * where none follows. Private to the facts room. */
#ifndef SP_FACT_COMPARE_WHY_H
#define SP_FACT_COMPARE_WHY_H

#include "facts/fact.h"

/* What to call a side: the kernel's name, or its architecture when both kernels have the same name. */
const char *fact_compare_name(const struct fact_kernel *const k[2], unsigned side);

/* "tree-reduction: softmax twice (max at 0x…; + at 0x…), reduce once (+ at 0x…); between the two stands exp-base2" */
const char *fact_compare_why_patterns(struct arena *a, const struct fact_kernel *const k[2]);
/* "small: shared-memory materialized accumulation; online: register-accumulator streaming; small keeps its exponential
 * v1 in shared memory; online keeps none: each of its 2 loops computes its own, and x is read in both" */
const char *fact_compare_why_places(struct arena *a, const struct fact_kernel *const k[2]);
/* "the phases of reduce are among those of softmax, which has besides: map, reduce" */
const char *fact_compare_why_phases(struct arena *a, const struct fact_kernel *const k[2]);
/* "small waits at 4 barriers, online at none" */
const char *fact_compare_why_barriers(struct arena *a, const struct fact_kernel *const k[2]);

#endif
