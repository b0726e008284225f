/* Between graph_cycle.c, graph_induction.c, graph_peel.c and graph_piece.c only. */
#ifndef SP_GRAPH_CYCLE_INTERNAL_H
#define SP_GRAPH_CYCLE_INTERNAL_H

#include "graph/graph_cycle.h"
#include "graph/graph_internal.h"

enum cycle_step {
    CYCLE_STEP_NONE,
    CYCLE_STEP_ADD,
    CYCLE_STEP_SHIFT /* right */,
    CYCLE_STEP_SCALE, /* times a constant */
    CYCLE_STEP_DIVIDE /* by a power of two, towards zero, of a number that may be negative: `step` is the power */
};

struct cycle_phi {
    graph_id phi, start, next; /* NIL: different values from different predecessors */
    graph_id step;             /* what is added, the distance of the shift, the factor */
    int64_t amount;            /* of a constant step */
    uint8_t step_kind;         /* enum cycle_step: how an invariant step moves it */
    bool constant, live;
    bool pointer;                    /* moves in bytes: it is (part of) an address as it stands */
    bool address, guard, test, data; /* where the turn uses it */
    graph_id expr;                   /* the one expression of it that addresses and guards use (itself: the phi) */
    uint32_t chain;                  /* peeled: index into chains + 1 */
};

struct cycle_exit {
    uint32_t block;
    graph_id leaves; /* B1: the thread leaves the loop here */
};

/* An accumulator taken apart: cut[0] is the incoming value, cut[count] the outgoing one; everything that goes from one
 * to the other passes through each. */
struct cycle_chain {
    graph_id in, out;
    uint32_t phi; /* index into phis */
    const graph_id *cut;
    uint32_t count;
    uint32_t period; /* cuts in one step */
    uint32_t least;  /* cuts in the smallest stretch that repeats; 0: not asked */
    uint32_t inner;  /* steps of an inner loop within one of its steps, 0: none */
    uint32_t group;  /* chains of one group read each other */
    bool alternates; /* its steps may reach different places of memory in turns: none tells the others */
    bool flat;       /* an integer sum (product …) of terms in any order: no cuts, `terms` */
    const graph_id *terms;
};

struct cycle_region { /* a loop of the flow graph */
    uint32_t loop;
    uint32_t *blocks;
    uint32_t block_count;
    struct cycle_phi *phis;
    uint32_t phi_count;
    VEC(struct cycle_exit) exits;
    VEC(struct cycle_chain) chains;
    uint32_t unroll, inner; /* steps a turn; steps of an inner loop that one copy holds, 0: none */
    int32_t counter;        /* index into phis, -1: none */
    graph_id count;         /* steps, where proved */
    int32_t cycle;          /* the cycle it is a piece of, -1: not yet */
    bool stores;            /* memory changes in it */
    bool peeled;            /* its accumulators begin with elements from before its first one */
    bool skipped;           /* too deep a nest: nothing is asked about it */
    uint32_t open, close;   /* loops within have `open` from here on, below `close` */
    bool tests_first;       /* the test stands before the body: behind the loop its phis are a turn further */
    int32_t tested;         /* index into phis: what its own test looks at, -1: none */
    graph_id limit;         /* the loop ends when the tested phi's next value is this; NIL: another test */
    uint64_t turns;         /* graph_piece.c: turns before the last, as a number modulo a prime */
    bool turns_known;
};

struct cycle_start {       /* a loop whose phi begins with some value, and the next one with the same */
    uint32_t region, next; /* next + 1, 0: none */
};

struct cycle_work {
    struct arena *a;
    struct graph *g;
    struct graph_cycles *out;
    graph_id nodes; /* when the analysis began: nodes made by it are not looked at */
    struct cycle_region *regions;
    uint32_t region_count;
    uint32_t *stamp; /* of nodes: loop + 1 the memo is for */
    uint8_t *varies;
    VEC(graph_id) stack;
    uint32_t *merged_by;   /* of nodes: instance + 1 whose guarded write makes it of the older value and its own */
    uint32_t *note_stamp;  /* of nodes: loop + 1 for which uses below it are noted */
    uint8_t *noted;        /* of nodes: which uses (graph_induction.c) */
    uint32_t *leaves;      /* of blocks: loop + 1 that it leaves, the one at work */
    int32_t *straight_of;  /* of blocks: the cycle whose straight piece it is, -1: none */
    struct map_u64 starts; /* of loop phis by their first value: index into start_list */
    VEC(struct cycle_start) start_list;
    uint32_t *next_beside;                /* of loops: loop + 1 of the same parent whose header comes next, 0: none */
    uint32_t *first_access, *next_access; /* loads that give a node, as lists: access + 1 */
    uint32_t *first_phi, *next_phi;       /* phis of a block; node numbers */
    bool *live, *data;
    bool *stored;        /* of nodes: some instruction writes it to memory */
    uint64_t budget;     /* of steps spent on comparing */
    bool *claimed;       /* of nodes: a step of some loop */
    bool *between;       /* of nodes: a step that another follows */
    uint32_t looping;    /* cycles before those that graph_straight.c finds */
    uint32_t *flow_of;   /* of nodes: which accumulator's outgoing value flows into it, the last asked; 0: none */
    uint32_t flow_token; /* accumulators asked so far */
    uint64_t *walk_result, *walk_phi; /* private to graph_count.c */
    uint32_t *walk_stamp, *walk_phi_known, walk_now, walk_number;
    bool *walk_seen;
    uint64_t visits;           /* of blocks by its walks, so far */
    struct peeler *peeler;     /* private to graph_peel.c */
    struct straight *straight; /* private to graph_straight.c */
    const graph_id *turns;     /* of cycles: the counter that turn_of speaks of, GRAPH_NIL */
};

/* graph_region.c */
bool cycle_begin(struct cycle_work *w);
/* Exits, phis, stores. */
void cycle_find_region(struct cycle_work *w, struct cycle_region *r);
bool cycle_in_loop(const struct cycle_work *w, uint32_t block, uint32_t loop);
/* False: the same in every turn of the loop. */
bool cycle_varies(struct cycle_work *w, uint32_t loop, graph_id id);
/* The instance that computes a node, inside the loop if it is one of its (UINT32_MAX: any). UINT32_MAX: none. */
uint32_t cycle_maker(const struct cycle_work *w, graph_id id, uint32_t loop);
/* graph_elements.c: a turn holds each of its elements against the bound that its counter runs to. */
bool cycle_takes_several_elements(const struct cycle_work *w, const struct cycle_region *r);
/* The condition under which the last instruction of a block does not go on to the block behind it; NIL: there is none.
 */
graph_id cycle_branch(const struct graph *g, uint32_t block);
/* The pointer parameter an address starts from, through moving pointers and selects; NIL: none seen. */
graph_id cycle_root(const struct graph *g, graph_id address);
/* The subroutine (its offset + 1) whose ways meet in a join; 0: none. What it answers for the same question is the
 * same. */
uint32_t cycle_joined_call(const struct graph *g, graph_id id);
/* A quick way's value and what a subroutine answers for the same question, where they meet. */
bool cycle_joins_answer(const struct graph *g, graph_id id);
graph_id cycle_bare(const struct graph *g, graph_id id); /* without UNIFORM round it */
uint32_t cycle_args(const struct graph_node *n, const graph_id **args);
struct cycle_nodes {
    graph_id *p;
    size_t n, cap;
};
/* Of a flattened sum `out` what the term `in` of it is part of, up to `out`. */
struct cycle_nodes cycle_sums(struct cycle_work *w, graph_id in, graph_id out);
/* Terms of a sum (minimum …) of one kind and width; false when there are more than `max`. */
bool cycle_flatten(const struct graph *g, graph_id id, unsigned kind, graph_id *terms, uint32_t max, uint32_t *count);

/* graph_induction.c */
void cycle_find_inductions(struct cycle_work *w, struct cycle_region *r);
/* `id` with `from` replaced by `to`; NIL when it is too large. */
graph_id cycle_replace(struct cycle_work *w, graph_id id, graph_id from, graph_id to);

/* graph_until.c */
/* The test of the loop, where counters decide it: `tested`, `limit`. */
void cycle_find_test(struct cycle_work *w, struct cycle_region *r);
void cycle_choose_counter(struct cycle_work *w, struct cycle_region *r, struct graph_cycle *c);

/* graph_peel.c */
void cycle_peel(struct cycle_work *w, struct cycle_region *r);
/* Whether a node is a cut of one of the region's chains. */
bool cycle_cut_at(const struct cycle_work *w, const struct cycle_region *r, graph_id id, uint32_t *chain,
                  uint32_t *index);

/* Turns of the source's loop that one turn is where a compiler made the counter: so many of n & ~3 at a time, up from
 * their negative. 0: the counter does not say. */
uint32_t cycle_counted_copies(const struct graph *g, const struct cycle_region *r);

/* graph_piece.c */
/* A fold of so many accumulators, nothing known of them yet; false: no memory. */
bool cycle_new_fold(struct arena *a, uint32_t cycle, unsigned count, struct graph_fold *out);
/* Finds what else is a piece of the loop whose first piece is `r`, and its folds. */
void cycle_join_pieces(struct cycle_work *w, struct cycle_region *r, struct graph_cycle *c);

/* graph_take.c: how many turns of `other` one of `first` stands for (*more: the other way round), where `other` is a
 * later piece of the loop that `first` is the first one of, by its counters; 0: it is not. */
uint32_t cycle_takes_up(struct cycle_work *w, const struct cycle_region *first, const struct cycle_region *other,
                        bool *more);

/* The counter that `a` tests moves by less than that of `b`. */
bool cycle_steps_less(const struct cycle_region *a, const struct cycle_region *b);
/* Turns of `least` that one of `r` stands for by their tests and by what they do; 0: they do not say. */
uint32_t cycle_turns_as(struct cycle_work *w, const struct cycle_region *r, const struct cycle_region *least);
/* Whether the blocks do what so many steps of the loop do, and nothing else that others see. */
bool cycle_does_turns(struct cycle_work *w, const uint32_t *blocks, uint32_t count, const struct cycle_region *r,
                      uint32_t steps);
/* Blocks of straight code that take a counter of the pieces on by some steps. */
enum { CYCLE_STRETCHES = 16 };
struct cycle_stretch {
    uint32_t block, steps;
};
uint32_t cycle_find_stretches(struct cycle_work *w, const struct graph_cycle *c, struct cycle_stretch *out);

/* graph_law.c: whoever comes on the path has low < high, which may be written !(high < low + 1). */
bool cycle_comes_below(struct graph *g, graph_id path, enum uop_kind less, graph_id low, graph_id high);

/* graph_count.c: count, start and end of a loop in several pieces. */
void cycle_finish_pieces(struct cycle_work *w, struct cycle_region *first, struct graph_cycle *c);

/* graph_packed.c */
void cycle_copy_pairs(struct cycle_work *w);

/* graph_straight.c */
void cycle_find_straight(struct cycle_work *w);
/* The inner loop that each copy of an unrolled body holds, as a cycle of its own. */
void cycle_add_inner(struct cycle_work *w, struct cycle_region *r);

/* graph_turn.c */
void cycle_find_turns(struct cycle_work *w);
void cycle_drop_turns(struct cycle_work *w);

/* A word of memory that a node is: a load, or part of a wider one. */
struct cycle_word {
    graph_id load, address;
    uint64_t offset;
    uint8_t space, flags, bytes;
};
bool cycle_word_of(const struct graph *g, graph_id id, struct cycle_word *out);
/* The k-th value of a store: of a register that half a word is stored from, that half. The other one may still hold
 * what an earlier turn left there. */
graph_id cycle_stored(const struct graph *g, const struct graph_access *s, unsigned k);

/* graph_told.c: whether the steps of an inner loop that a chain's copies hold can be told over their own counter. */
bool cycle_tells_inner(struct cycle_work *w, const struct cycle_region *r, const struct cycle_chain *c);
void cycle_tell_steps(struct cycle_work *w);

/* graph_settle.c: leaves out what would mislead. */
void cycle_settle(struct cycle_work *w);

#endif
