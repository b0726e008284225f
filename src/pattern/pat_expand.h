/* Private to the search for what values read as (pat_expand.c, pat_expand_found.c). */
#ifndef SP_PAT_EXPAND_H
#define SP_PAT_EXPAND_H

#include "pattern/pat_internal.h"

struct expand {
    struct pat_ctx c;
    struct pat_index x;
    struct pat_expanded *e;
    struct pat_branches branches;
    struct pat_divisions divisions;
    struct pat_functions functions;
    struct map_u64 of_functions; /* nodes of functions, and between them and their arguments */
    bool *read;                  /* by node: it has a reading */
    bool divided;                /* they were looked for */
    bool sought;                 /* functions were */
    bool wide;                   /* the division or function being kept is of 64 bits */
    enum uop_type half;          /* … or its numbers are of this format of 16 bits */
    unsigned round;              /* … or it is rounded so: enum uop_round */
    bool integral;               /* … or it is an integer of them */
    struct graph *g;
    struct arena *a;
    struct pat_memo *memo;
    unsigned page_order;
};

bool pat_expand_read(struct expand *x, const struct pat_reading *r);
/* Keeps what the context matched at `node`. */
bool pat_expand_keep(struct expand *x, graph_id node);
/* Divisions of the kind the block is about: by a constant or a value, of its signedness, quotient or remainder. */
bool pat_expand_divisions(struct expand *x, const struct pat_page *page, const struct pat_variant *v);
/* Functions of the name the block reads as. */
bool pat_expand_functions(struct expand *x, const struct pat_page *page, const struct pat_variant *v);

#endif
