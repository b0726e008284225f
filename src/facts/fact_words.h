/* Sentences that both facts (a comparison's reasons) and reports need. Results lie on the arena and are
 * never NULL. */
#ifndef SP_FACT_WORDS_H
#define SP_FACT_WORDS_H

#include "facts/fact.h"

/* "a = NaN, b = 0: here NaN, the min/max that drops a NaN gives 0; …" from a refused rewrite's arguments;
 * "" without any. */
const char *fact_witness_text(struct arena *a, const struct fact_rewrite *rewrite);

/* What a rewrite's reason means: "a NaN would come out differently". NULL for NULL; the identifier itself
 * when it is new. */
const char *fact_reason_text(const char *reason);

/* The shortest name of a kernel, never NULL. */
const char *fact_kernel_name(const struct fact_kernel *k);

#endif
