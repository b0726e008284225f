/* Between graph_walk.c, graph_walk_near.c, graph_count.c and graph_law.c only: walks through the pieces of a loop for
 * concrete numbers. */
#ifndef SP_GRAPH_WALK_H
#define SP_GRAPH_WALK_H

#include "graph/graph_cycle_internal.h"
#include "graph/graph_piece.h"

enum { WALK_LEAVES = 6, WALK_SMALL = 48, WALK_TERMS = 12, WALK_LOOKS = 2000 };

struct walker {
    struct cycle_work *w;
    const struct graph_cycle *c;
    graph_id leaf[WALK_LEAVES];  /* what all is made of: words of the constant bank; for a law, special registers too */
    uint64_t value[WALK_LEAVES]; /* of each, this time */
    unsigned leaf_count, leaf_max, looks;
    bool law_first;      /* a law says more plainly how many steps there are: max(n, 1), m - n */
    bool whole;          /* n / 2 and 3 * n are looked at as a whole */
    bool steps_guard;    /* each step asks something for itself, in loops too: its guard does not say that it runs */
    uint64_t top;        /* the largest number that the moving word can be; 0: not known */
    bool endless;        /* the last walk was given up: it goes round more often than anyone would follow */
    uint32_t start;      /* the block where walks begin */
    graph_id path;       /* what is known of whoever makes a step */
    uint64_t *result;    /* of nodes */
    uint32_t *stamp;     /* of nodes: `now` when result is known, now + 1 when it is known to be unknown */
    uint32_t now;        /* even */
    uint64_t *phi;       /* of phis: what the turn at work has */
    uint32_t *phi_known; /* of phis: walk + 1 */
    uint32_t walk;
    bool *seen;     /* of nodes: some walk asked for its value */
    unsigned quiet; /* within what is only asked for some bits of it */
    VEC(graph_id) asked;
};

/* The value of a node with the numbers as they are; false: not known. */
bool walk_value(struct walker *x, graph_id id, uint64_t *out, unsigned depth);
/* A minimum or maximum, also where a select says so; a constant stands last. */
struct walk_bound {
    bool most, is_signed;
    graph_id arg[2];
};
bool walk_bound_of(const struct graph *g, graph_id id, struct walk_bound *out);
/* graph_walk_near.c: what follows of the numbers that the walk begins with; false: nothing. */
bool walk_near(struct walker *x, graph_id id, uint64_t *out, unsigned depth);
/* One number is the other plus a constant (*turned: a constant less the other), whatever they are. */
bool walk_differ_by_constant(const struct graph *g, graph_id a, graph_id b, bool *turned, uint64_t *by);
/* The 32 low bits of a 64-bit number, computed from those of what it is made of. */
bool walk_is_low(const struct graph *g, graph_id low, graph_id wide, unsigned depth);
/* Constants, what walks come to and one number are all that a node is made of. */
bool walk_made_of(struct walker *x, graph_id id, graph_id leaf, unsigned depth);
/* Two counters of one loop that go side by side: *ahead is how far the second one is from the first. */
bool walk_are_twins(const struct cycle_work *w, graph_id a, graph_id b, uint64_t *ahead);
/* The words that a node is made of join `leaf`; false: of too many, or of something else. */
bool walk_leaves(struct walker *x, graph_id id, unsigned depth);
/* Where to begin, and what each piece is decided by; false when more than `leaves` words are. */
bool walk_begin(struct walker *x, unsigned leaves, uint32_t *start, uint32_t *last);
/* Leaves what is kept for all loops as the next one needs it. */
void walk_end(struct walker *x);
/* Steps that the walk goes through from block `start` on; false when a branch is not decided. */
bool walk_from(struct walker *x, uint32_t start, uint32_t last, uint64_t *steps);

/* Whether all that walks asked for goes on for larger numbers as it began: without phis, each node must be straight in
 * leaf `moving` over the numbers of each residue of `period`, from `base` up to 2^30. What has been walked then holds
 * for all; n & 4095 or n % 5000 is as n is only where it was walked. */
bool walk_goes_on(struct walker *x, unsigned moving, uint64_t base, uint64_t period);

/* graph_law.c */
void walk_find_law(struct walker *x, const struct cycle_region *first, struct graph_law *out);

#endif
