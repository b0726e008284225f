/* Between graph_count.c and graph_law.c only: walks through the pieces of a loop for concrete numbers. */
#ifndef SP_GRAPH_WALK_H
#define SP_GRAPH_WALK_H

#include "graph/graph_cycle_internal.h"

enum { WALK_LEAVES = 6, WALK_SMALL = 48, WALK_MARKS = 12 };

struct walker {
    struct cycle_work *w;
    const struct graph_cycle *c;
    graph_id leaf[WALK_LEAVES];  /* what all is made of: words of the constant bank; for a law, special registers too */
    uint64_t value[WALK_LEAVES]; /* of each, this time */
    unsigned leaf_count, leaf_max, looks;
    uint64_t mark[WALK_MARKS]; /* larger numbers that something is compared with, or taken from: to be walked too */
    unsigned mark_count;
    bool steps_guard;    /* each step asks something for itself, in loops too: its guard does not say that it runs */
    graph_id path;       /* condition of the block where walks begin */
    uint64_t *result;    /* of nodes */
    uint32_t *stamp;     /* of nodes: `now` when result is known, now + 1 when it is known to be unknown */
    uint32_t now;        /* even */
    uint64_t *phi;       /* of phis: what the turn at work has */
    uint32_t *phi_known; /* of phis: walk + 1 */
    uint32_t walk;
};

/* The value of a node with the numbers as they are; false: not known. */
bool walk_value(struct walker *x, graph_id id, uint64_t *out, unsigned depth);
/* The words that a node is made of join `leaf`; false: of too many, or of something else. */
bool walk_leaves(struct walker *x, graph_id id, unsigned depth);
/* Where to begin, and what each piece is decided by; false when more than `leaves` words are. */
bool walk_begin(struct walker *x, unsigned leaves, uint32_t *start, uint32_t *last);
/* Steps that the walk goes through from block `start` on; false when a branch is not decided. */
bool walk_from(struct walker *x, uint32_t start, uint32_t last, uint64_t *steps);

/* graph_law.c */
void walk_find_law(struct walker *x, const struct cycle_region *first, struct graph_law *out);

#endif
