/* Between graph_turn.c, graph_turn_value.c and graph_told.c only. */
#ifndef SP_GRAPH_TURN_H
#define SP_GRAPH_TURN_H

#include "graph/graph_cycle_internal.h"

struct function {
    graph_id counter; /* the node that stands for it */
    const bool *any;  /* or of nodes: each that is marked does */
    uint64_t at;      /* its number */
    bool met;         /* the function depends on it */
    bool failed;      /* … not as a sum of products */
    unsigned steps;
};

/* The value of an expression where the counter is `at` and every other leaf some fixed number, modulo a prime. */
uint64_t turn_value(const struct graph *g, struct function *f, graph_id id, unsigned depth);
/* b - a of two such values, where it is a small number; false: it is none. */
bool turn_distance(uint64_t a, uint64_t b, int64_t *out);

enum { TURN_SHARED = UINT32_MAX };

struct turns {
    struct cycle_work *w;
    bool *joins;           /* of nodes: where a later piece begins, or part of that */
    uint32_t *owner;       /* of nodes that loops begin with: the cycle + 1 that does, TURN_SHARED: several */
    struct map_u64 shared; /* of those joins what each cycle makes of them, as graph_copy_key() with the cycle */
    unsigned nested;
    VEC(graph_id) stack;
    graph_id *turn_of;
    graph_id *counter; /* of each cycle: the node that counts, GRAPH_NIL: none yet */
    graph_id *ahead;   /* of each cycle: steps of its first piece as a number known before it, GRAPH_NIL */
    graph_id *from;    /* of each cycle: what the counter begins with */
    uint64_t *first;   /* that as a number */
    int64_t *slope;
};

void turn_begin_counter(struct turns *t, uint32_t cycle, graph_id from, int64_t slope);
/* start + (counter - first) / slope of the counter * step; NIL: not to be told. */
graph_id turn_moved(struct turns *t, uint32_t cycle, graph_id start, int64_t step);
/* graph_as_turn() while the cycles are being found. */
graph_id cycle_as_turn(const struct cycle_work *w, graph_id id);
/* What a loop begins with before the steps that were made in front of it, each on a condition of its own; NIL. */
graph_id turn_before_steps(struct turns *t, graph_id start, int64_t step, uint32_t steps);
/* Whatever the phis and joins of the cycles' loops are over their counters: turn_of. */
void turn_find_values(struct turns *t);

#endif
