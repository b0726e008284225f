/* Between graph_advance.c, graph_match.c, graph_straight_add.c, graph_begin.c, graph_piece.c, graph_piece_place.c and
 * graph_piece_other.c only. */
#ifndef SP_GRAPH_PIECE_H
#define SP_GRAPH_PIECE_H

#include "graph/graph_cycle_internal.h"

/* ---- numbers modulo a prime, and sets of them (graph_advance.c) ------------------------------- */
enum { FIELD_SET_MAX = 16 };

/* What a node may be: several values where paths met. */
struct field_set {
    uint64_t v[FIELD_SET_MAX];
    unsigned count;
};

uint64_t field_add(uint64_t a, uint64_t b);
uint64_t field_neg(uint64_t a);
uint64_t field_mul(uint64_t a, uint64_t b);
uint64_t field_inverse(uint64_t a);
bool field_sets_meet(const struct field_set *a, const struct field_set *b);

/* Of loop `loop` its last turn is meant, its first, or the one that would come after the last; of every other loop the
 * last. */
enum cycle_turn { TURN_LAST, TURN_FIRST, TURN_AFTER };
struct field_set cycle_value_of(struct cycle_work *w, graph_id id, uint32_t loop, enum cycle_turn turn);
/* Turns before the last one. */
uint64_t cycle_turns(struct cycle_work *w, struct cycle_region *r);
/* The loop phi a node is, and its loop; NULL. */
struct cycle_phi *cycle_loop_phi(const struct cycle_work *w, graph_id id, struct cycle_region **region);

/* ---- steps matched on other code (graph_match.c) ---------------------------------------------- */
enum { CYCLE_CHAINS_MAX = 8, CYCLE_STEPS_MAX = 4096 };

struct cycle_run { /* steps in a row */
    uint32_t steps;
    graph_id in, out;        /* of the chain they were followed along */
    VEC(graph_id) outs;      /* of each step */
    VEC(graph_id) at;        /* first element of each step, where they stand in order */
    graph_id *elements;      /* of each step, where they stand in any order; else NULL */
    graph_id *terms;         /* of those: the term of each */
    struct cycle_nodes sums; /* of those: what the old value is part of, up to `out` */
    uint32_t begin, end;     /* instances that make the steps, first and last */
    graph_id from, element;  /* address of the first element: in the step, in the run */
    VEC(graph_id) pairs;     /* a node of the step, the node that plays its part; and so on */
};

/* Follows the step of `chain` from the old value `x` as far as it goes, or to `stop`. */
struct cycle_run cycle_follow(struct cycle_work *w, struct cycle_region *r, uint32_t chain, graph_id x, graph_id stop);
/* The same for a sum that was flattened: one step is one term beside the old value. `in`: the old value in `out`, or
 * with `out` NIL in the largest sum made of it. Elements stand in any order. */
struct cycle_run cycle_gather(struct cycle_work *w, struct cycle_region *r, uint32_t chain, graph_id in, graph_id out);
/* Of a sum that was flattened the term of a turn's first step: the others' elements stand one, two … strides on. NIL:
 * they do not (graph_told.c). */
graph_id cycle_first_term(struct cycle_work *w, struct cycle_region *r, uint32_t chain);
/* One step backwards: `now` is what it makes of run->in. */
bool cycle_step_back(struct cycle_work *w, struct cycle_region *r, uint32_t chain, graph_id now, struct cycle_run *run);
/* Whether a store or atomic is the step's; *element: what advances, its address or of what that is computed from. */
bool cycle_match_store(struct cycle_work *w, struct cycle_region *r, const struct graph_access *t,
                       const struct graph_access *s, struct cycle_run *run, graph_id *element);

/* ---- joining pieces (graph_piece.c, graph_piece_other.c) --------------------------------------- */
struct part { /* what a straight piece was found along, and the instances that make its steps */
    uint32_t chain, begin, end;
    uint32_t also; /* another chain that has it too, the last one seen, + 1 */
};

struct joiner {
    struct cycle_work *w;
    struct cycle_region *r; /* the first piece */
    struct graph_cycle *c;
    VEC(graph_id) flow;                /* the outgoing accumulator and what selects make of it */
    uint32_t token;                    /* of it in flow_of */
    uint64_t advance;                  /* of an element a step */
    bool moves;                        /* elements are known: they must go on */
    uint32_t effects;                  /* what its turns do that others see, as bits */
    VEC(struct field_set) ends;        /* where the elements of the pieces so far end */
    VEC(struct part) parts;            /* of each piece */
    graph_id begins[CYCLE_CHAINS_MAX]; /* of a chain: what it begins with before steps taken out in front of the loop */
    unsigned half;                     /* UOP_LO, UOP_HI: of which half of a register the chain at work is; 0: none */
    VEC(graph_id) sums;                /* of the flattened chain at work: what its pieces make of the old value */
    graph_id sum;                      /* the one of them that tells the step: what comes out of some loop, */
    uint32_t sum_steps;                /* which does so many steps a turn */
    uint32_t apart;                    /* loop + 1 that does the same step at another stride, the last seen; 0: none */
    uint32_t until;                    /* instance from which on the same step has begun anew: another loop's */
};

void piece_note_copies(struct joiner *j, const struct cycle_run *run);
void piece_end_at(struct joiner *j, struct field_set from, uint64_t way);
bool piece_goes_on(struct joiner *j, const struct field_set *begin);
/* A turn of loop `r`, some steps, takes the element as far as those take the first loop's. A loop that does the same
 * step over every element is no rest of one over every other element, though it begins where that ends. */
bool piece_same_stride(struct joiner *j, graph_id element, uint32_t steps, const struct cycle_region *r);
/* A loop of so many steps a turn is a piece already. Compilers leave a loop of many steps and one of what is left over;
 * two that are alike are two of the source, though the one begins where the other ends. */
bool piece_is_twin(const struct joiner *j, uint32_t unroll);
/* graph_piece_place.c */
/* Where each step of a run is made, of one that paths make the branch where they part; NULL: of some it is not known,
 * or all are made at once. */
const uint32_t *piece_makers_of(const struct joiner *j, const struct cycle_run *run);
/* The stretch of straight code that makes the steps: the blocks from the first to the last. */
bool piece_place_run(struct joiner *j, struct cycle_run *run, struct graph_piece *out);
/* Another accumulator in the same stretch is the same piece, which then reaches as far as both; two stretches of one
 * accumulator are two, even where both became guarded instructions of one block. */
void piece_add(struct joiner *j, struct graph_piece piece, struct part part);
/* Stretches of one block each from its first instruction to its last, and each told once. */
void piece_part_stretches(struct joiner *j);
void piece_add_loop(struct joiner *j, struct cycle_region *r, uint32_t unroll);
/* The stretch of blocks that run for steps taken out before the loop: from where the ways part to block `last`, which
 * lies between those blocks; false: it does not. */
bool piece_between(struct joiner *j, uint32_t parts, uint32_t last, uint32_t steps, struct graph_piece *out);
/* Pieces along the accumulators of a later loop that was joined otherwise. */
void piece_join_along(struct joiner *j, struct cycle_region *r);
/* graph_begin.c: whether an accumulator begins with turns that were taken out before the loop: with the elements before
 * its first one, with the very step, or with its operation where addresses do not tell. */
bool piece_begins_with_elements(struct joiner *j, graph_id start, const struct field_set *first);
bool piece_begins_with_step(struct joiner *j, uint32_t chain);
bool piece_begins_with_operation(const struct joiner *j, const struct cycle_chain *c);
/* Stores in the place of accumulators; counters in the place of both; straight code that takes a counter on. */
void piece_join_stores(struct joiner *j);
void piece_join_counters(struct joiner *j);
void piece_count_copies(struct joiner *j);
void piece_join_stretches(struct joiner *j);

#endif
