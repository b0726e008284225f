/* Between graph_straight.c and graph_straight_term.c only. */
#ifndef SP_GRAPH_STRAIGHT_H
#define SP_GRAPH_STRAIGHT_H

#include "graph/graph_cycle_internal.h"

enum { STRAIGHT_DEPTH = 40 };

/* A term over elements: its shape, where its elements stand (weighed by their places in the term), and an order. */
struct term {
    uint64_t hash, at;
    uint64_t order;
    bool loads;
};

struct straight {
    struct cycle_work *w;
    struct term *memo;
    uint8_t *known; /* of nodes: 1 being looked at, 2 done */
    graph_id *prev; /* of nodes: the accumulator a step takes, where it is a step of the same operation */
    bool *taken;    /* of nodes: some later step takes it */
};

struct term straight_term_of(struct straight *s, graph_id id, unsigned depth);

#endif
