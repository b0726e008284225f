/* Between graph_straight.c, graph_straight_add.c and graph_straight_term.c only. */
#ifndef SP_GRAPH_STRAIGHT_H
#define SP_GRAPH_STRAIGHT_H

#include "graph/graph_cycle_internal.h"

enum { STRAIGHT_DEPTH = 40, STEPS_MIN = 3 };

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
/* Where an address stands, as `at` of an element's term. */
uint64_t straight_place_of(const struct graph *g, graph_id address);
/* The step's own part: the sum of what it brings beside the accumulator. */
struct term straight_part_of(struct straight *s, graph_id step, graph_id accumulator);
bool straight_same_operation(const struct graph *g, graph_id a, graph_id b);

/* ---- what was found (graph_straight_add.c) ------------------------------------------------------ */

struct found {
    uint64_t hash;
    uint32_t steps, first, last; /* instances */
    uint32_t floor;              /* what is made before it is shared with who stands there */
    graph_id in, out, result;
};

struct straight *straight_begin(struct cycle_work *w);
uint32_t straight_loop_of(const struct cycle_work *w, uint32_t insn);
/* Behind the loop that comes before an instance, in the order of the code: elements that were loaded for that one too
 * are no part of these steps. */
uint32_t straight_behind_loops(struct cycle_work *w, uint32_t insn);
/* Instances that make a step and what it is made of, up to where nothing is loaded. */
void straight_span_of(struct straight *s, graph_id id, graph_id stop, uint32_t loop, struct found *f, unsigned depth);
/* Steps that stand in several places of the source, where none wrote more than half of them, nobody unrolled: a person
 * wrote each. */
bool straight_are_written(const struct cycle_work *w, const graph_id *steps, uint32_t count);
/* Behind the last of the loops of straight code that reach into what was found, are no others of its accumulators, and
 * end before `begins`; 0: none. */
uint32_t straight_behind_others(const struct cycle_work *w, const struct found *f, uint32_t begins);
/* What was found as a cycle of its own, or as the first turns of one. */
void straight_add(struct straight *s, const struct found *f);

#endif
