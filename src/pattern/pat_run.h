/* Private to the run of pages over a graph (pat_run.c, pat_leave.c). */
#ifndef SP_PAT_RUN_H
#define SP_PAT_RUN_H

#include "pattern/pat_collect.h"

struct run {
    const bool *routines; /* by call, once asked for */
    struct pat_ctx c;
    struct pat_index x;
    struct mean *m;
    struct graph *g;
    struct arena *a;
    unsigned page_order;
    VEC(struct pat_found *) found;
};

/* At every place where the kernel ends early. */
void pat_run_leaves(struct run *r, const struct pat_page *page, const struct pat_variant *v);
/* At every call. */
void pat_run_calls(struct run *r, const struct pat_page *page, const struct pat_variant *v);

#endif
