/* Loops as the source wrote them (definitions.md D6), however often compilers copied their bodies: a *cycle* is one
 * loop of the source, its *pieces* are the loops and straight stretches it became, a *fold* is what it accumulates.
 *
 * A step is a term for the new accumulators over holes: the old accumulators, elements whose addresses advance
 * together, the counter, invariants. Peeling matches the step from a region's outgoing accumulators back to the
 * incoming ones; the number of steps is the piece's unroll. Found after the graph is built; exact rules only, but for
 * what `graph_reassociated` says. */
#ifndef SP_GRAPH_CYCLE_H
#define SP_GRAPH_CYCLE_H

#include "graph/graph.h"

struct graph_piece {
    bool straight;          /* else a loop */
    uint32_t loop;          /* index into graph.loops; UINT32_MAX: straight */
    uint32_t first, last;   /* instances, inclusive */
    uint32_t unroll;        /* steps of the source's loop in one turn (in one pass when straight), at least 1 */
    const uint32_t *blocks; /* blocks that belong to it */
    uint32_t block_count;
    const uint32_t *makers; /* straight: of each step the instance that ends it, or the branch to both its ways; NULL:
                               all are made where it begins */
    uint32_t maker_count;
};

enum graph_carried_kind { GRAPH_CARRIED_COUNTER, GRAPH_CARRIED_ADDRESS, GRAPH_CARRIED_DATA };
struct graph_carried {
    graph_id phi;  /* the loop phi, of the first loop piece that has it; only phis that reach an effect (D2) */
    graph_id next; /* what comes round */
    uint32_t insn; /* instance that makes `next` */
    enum graph_carried_kind kind;
};

struct graph_fold { /* accumulators carried together: one (a sum) or several that read each other (online softmax) */
    uint32_t cycle;
    unsigned count;   /* entries of each list */
    graph_id *phi;    /* in the piece that shows the step best (the one with the smallest unroll) */
    graph_id *start;  /* before the first piece */
    graph_id *result; /* what is used behind the last piece; GRAPH_NIL: nothing */
    /* One step in that piece: new accumulators `out` over the old ones `in`. Everything between is the step's term;
     * its leaves are elements (loads, or the counter) and invariants. */
    graph_id *in, *out;
    bool reassociated; /* an integer sum, minimum … that was flattened first */
};

/* A loop whose counter goes from `first` by `stride` until it is at `bound` (`inclusive`: beyond it) or, downwards,
 * below it; one step at least. */
struct graph_law {
    graph_id first, bound; /* of one type; bound GRAPH_NIL: not known */
    int64_t stride;
    bool is_signed, inclusive; /* how they are compared */
};

struct graph_cycle {
    int32_t parent;                 /* cycle, -1 */
    uint32_t first, last;           /* instances over all pieces */
    VEC(struct graph_piece) pieces; /* in order of the code */
    graph_id counter; /* the induction expression used in guard or address, in terms of the representative piece's phis;
                         GRAPH_NIL: none found */
    graph_id start;   /* its first value, before the first piece; GRAPH_NIL: unknown */
    graph_id next;    /* its next value, as an expression that holds `counter` as a subterm (step `stride >> 1`) */
    graph_id
        until; /* B1 over `counter` (the value it then has): the condition that ends the loop; GRAPH_NIL: unknown */
    graph_id count;       /* B32: steps of the source's loop, where the counters of the pieces telescope; GRAPH_NIL */
    struct graph_law law; /* where `count` is no such sum: shown over all pieces */
    uint32_t unroll;      /* the largest of the pieces */
    uint32_t best; /* the loop with the smallest unroll (a straight piece where none is a loop): what `counter` and
                        folds speak of */
    VEC(struct graph_carried) carried;
    bool irreducible;
    bool whole; /* `next` is a turn on, of all the steps that one turn of its only piece holds */
};

struct graph_cycles {
    VEC(struct graph_cycle) cycles; /* by first instance; an outer one before its inner ones */
    VEC(struct graph_fold) folds;   /* by cycle */
    const uint32_t *cycle_of;       /* of each block: innermost cycle + 1, 0: none */
    const graph_id *copy_of; /* of each node at the time: the node that plays its part in the representative step;
                                       GRAPH_NIL: no copy */
    struct map_u64 also;     /* of nodes that play a part in several loops the parts that copy_of does not tell, as
                                graph_copy_key() */
    graph_id copy_count;     /* entries of copy_of and turn_of */
    const graph_id
        *turn_of; /* of each node: a loop's pointer or count as a function of the counter of the source's loop
                                where the turn begins, for readers (graph_turn.c); GRAPH_NIL: none. NULL: no loop */
    const graph_id *step_of; /* of each node: a step of a loop that was unrolled whole within a body, told over that
                                loop's counter, for readers; GRAPH_NIL: as it stands. NULL: none */
    const bool *one_step;    /* of each node: what an accumulator is after one step of a turn that holds several. NULL:
                                none */
    const bool *live_phi;    /* of each node: a phi that reaches an effect otherwise than through phis and selects
                                       of its own cycle (D2) */
};

static inline uint64_t graph_copy_key(graph_id node, graph_id part)
{
    return (uint64_t)node << 32 | part;
}

/* SP_ERR_MEMORY or SP_OK. Linear in the size of the graph but for budgets on peeling. */
enum sp_status graph_find_cycles(struct arena *a, struct graph *g, struct graph_cycles *out);

/* The condition under which the loop is come to, whichever of its pieces runs: the path of the block that all of them
 * lie behind; GRAPH_NIL: always. */
graph_id graph_cycle_path(const struct graph *g, const struct graph_cycle *c);

/* `id` with loop values replaced by what they are as functions of the counters (turn_of): for text only. */
graph_id graph_as_turn(struct graph *g, graph_id id);

/* What says of an accumulator's step what every turn of its loop does (step_of): for text only. */
graph_id graph_step_told(const struct graph *g, graph_id id);

/* Whether `step`, told so, is what the accumulator `phi` gets each time the loop's counter goes on by what is told of
 * it: a turn of the machine's loop may hold several steps, of which the accumulator takes part in some. */
bool graph_tells_step(const struct graph *g, uint32_t cycle, graph_id phi, graph_id step);

#endif
