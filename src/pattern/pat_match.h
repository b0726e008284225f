/* Between the files of the matcher (pat_match*.c) only: goals, and what a failed attempt takes
 * back. */
#ifndef SP_PAT_MATCH_H
#define SP_PAT_MATCH_H

#include "pattern/pat_collect.h"

enum { PAT_WALK_MAX = 1 << 14 };

struct pat_goal {
    const struct pat_term *term;
    graph_id node;
    enum uop_type as; /* how the operation above reads it; UOP_VOID: not known */
    const struct pat_goal *next;
};

/* What a failed attempt takes back. */
struct pat_mark {
    size_t inner, conditions, readings, spots, tops, picks, present;
    unsigned via;
};

struct pat_mark pat_here(const struct pat_ctx *c);
bool pat_back(struct pat_ctx *c, struct pat_mark m); /* false */
void pat_enter(struct pat_ctx *c, graph_id node, const struct pat_term *t, bool load);
/* Solves a goal and all behind it; NULL: only `where` is left to ask. */
bool pat_solve(struct pat_ctx *c, const struct pat_goal *goal);

/* Solves the arguments of a term in the order given, then what comes after. */
bool pat_solve_arguments(struct pat_ctx *c, const struct pat_goal *goal, const graph_id *args, const unsigned *order,
                         unsigned count, enum uop_type as);

/* What a compare chooses (pat_match_choice.c). */
bool pat_match_minmax(struct pat_ctx *c, const struct pat_goal *goal);
bool pat_match_choice(struct pat_ctx *c, const struct pat_goal *goal);
/* Ways a compare can be written: (kind, operands turned, negated), exact or for real numbers. */
bool pat_match_compare(struct pat_ctx *c, const struct pat_term *t, graph_id atom, bool negated,
                       const struct pat_goal *next);
/* Elements in memory, any computation of elements (pat_match_place.c). */
bool pat_match_place(struct pat_ctx *c, const struct pat_term *t, graph_id address, enum uop_space space,
                     unsigned width, const struct pat_goal *next);
bool pat_match_element(struct pat_ctx *c, const struct pat_goal *goal);
bool pat_match_any(struct pat_ctx *c, const struct pat_goal *goal);
bool pat_match_each(struct pat_ctx *c, const struct pat_goal *goal);
/* Results of reductions (pat_match_reduced.c). */
bool pat_match_reduced(struct pat_ctx *c, const struct pat_goal *goal);
/* All reductions that were spoken of are of the same elements, and these are what else is read (pat_range.c). */
bool pat_ranges_agree(struct pat_ctx *c);
/* The elements named since are the same, or among those. */
bool pat_spots_agree(struct pat_ctx *c, size_t from);

#endif
