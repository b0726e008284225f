/* Where each value lives and when: the materialization analysis (D8). Reads defs, uses and memory accesses of the
 * graph; a value is a node that holds data (something loaded, or computed from it, or stored), not an index, address,
 * predicate, constant or special register. */
#ifndef SP_PLACE_H
#define SP_PLACE_H

#include "graph/graph.h"

/* ORDER WHERE, ORDER CLASS: as the vocabulary (facts/ uses the same order). */
enum place_where {
    PLACE_REGISTER,
    PLACE_UNIFORM,
    PLACE_PREDICATE,
    PLACE_SHARED,
    PLACE_GLOBAL,
    PLACE_LOCAL,
    PLACE_CONSTANT
};
enum place_class {
    PLACE_REGISTER_ONLY,
    PLACE_REGISTER_ACCUMULATOR,
    PLACE_SHARED_MATERIALIZED,
    PLACE_GLOBAL_MATERIALIZED,
    PLACE_SPILLED,
    PLACE_LOCAL_ARRAY,
    PLACE_RECOMPUTED,
    PLACE_INPUT,
    PLACE_RESULT
};

struct place_storage {
    enum place_where where;
    uint32_t def;      /* register places: index into graph.defs; else UINT32_MAX */
    uint32_t access;   /* memory places: index into graph.accesses; else UINT32_MAX */
    uint32_t from, to; /* instances, inclusive */
    bool reloaded;     /* a later load of an element that was loaded before */
    bool read;         /* memory places: some load is shown to read what stands there (a load's own place: some store of
                          the kernel is shown to be read) */
    bool proved;       /* … and nothing is taken for granted for it */
    bool may_reach;    /* a load (store) may meet it, which is not decided */
};
struct place_use {
    uint32_t insn;
    enum place_where
        via; /* the route: a register that was loaded from where the value was stored counts as that memory */
    bool other_thread;
};
struct place_value {
    graph_id node;
    graph_id part;  /* the value inside `node` when node is select(P, part, constant); NIL else */
    graph_id named; /* the node that the value's id stands for in expressions: `node`, or an accumulator's phi, the old
                         value that `node` makes the new one of */
    bool accumulator; /* one variable that goes round a loop: `node` is its step */
    enum place_class cls;
    bool assumed; /* the class rests on something the code cannot show */
    VEC(struct place_storage) storage;
    VEC(struct place_use) uses;
    VEC(uint32_t) evidence; /* instances: where it is made, and where it is stored */
};
/* A node that is a value in another copy of a loop's body, the `number`th; 0: an accumulator as other pieces of the
 * loop and the code behind it have it. */
struct place_copy {
    graph_id node;
    uint32_t value, number;
};
/* How a node of an accumulator is told behind its loop. */
struct place_leaving {
    graph_id node;
    uint32_t value, cycle; /* index into the graph's cycles */
    uint32_t before;       /* steps that every way out of the loop has made since: 0 what the variable comes to */
    bool begins;           /* the variable before a step of some piece: in the loop it is the old value */
    bool came_in;          /* what it came into the last turn with: that turn may be left before and after its step */
    bool chosen;           /* a choice behind the loop between such a value and others: none of the variable's */
};
struct place {
    VEC(struct place_value) values; /* by first instance */
    VEC(struct place_copy) copies;
    VEC(struct place_leaving) leaving;
    struct map_u64 of; /* node -> index */
};

enum sp_status place_build(struct arena *a, const struct graph *g, struct place *p);
/* The value a node belongs to (itself, as an accumulator's new or old value, as a copy), or NULL. */
const struct place_value *place_value_of(const struct place *p, graph_id node, uint32_t *index);

/* What an access to local memory is for (place_local.c). */
enum place_local {
    PLACE_NOT_LOCAL,
    PLACE_SLOT,     /* puts a register away, or fetches it again */
    PLACE_ARRAY,    /* of an array with an index of the run */
    PLACE_VARIABLE, /* neither: a variable that lies in memory */
    PLACE_SAVED,    /* a register that is kept over a call nobody sees through */
};
/* Of each access; NULL: no memory. */
const uint8_t *place_find_local(struct arena *a, const struct graph *g);

/* How nodes change from thread to thread (place_lanes.c). */
enum place_how { /* from best to worst */
                 PLACE_NOT_SEEN,
                 PLACE_LINEAR,   /* by a constant: `by` (0: not at all) */
                 PLACE_RUN_TIME, /* by a constant of the run */
                 PLACE_UNKNOWN,
                 PLACE_DATA, /* by what was loaded */
};
/* In four directions: when threadIdx.x, y, z or the lane's number grow by one, in the same warp. */
struct place_lane {
    uint8_t how[4];     /* enum place_how */
    graph_id factor[4]; /* RUN_TIME: private, the product that makes the constant */
    int64_t by[4];      /* LINEAR: growth */
};
struct place_lanes {
    const struct graph *g;
    struct arena *a;
    struct place_lane *node; /* of each node at the time: `count` */
    graph_id count;
    uint32_t block[3];      /* width of a block in x, y, z; 0: not known */
    bool one_dimensional;   /* the kernel never asks for threadIdx.y or z: taken to be launched with x alone */
    bool *is_header;        /* private, of each block */
    bool *fixed;            /* private, of each node: a condition that all threads that have not left share */
    bool looks[4];          /* private: the kernel asks for the direction's number */
    uint8_t *exits_alike;   /* private, of each loop: a bit a direction */
    struct map_u64 degrees; /* private: bank conflicts by what the address varies with */
    uint64_t steps;         /* private: spent on them */
};
/* `reqntid`: the block size the kernel demands, or NULL. `among_stayers`: threads are looked at that no exit
 * ends, before it too, so that none of these has a condition of leaving. */
enum sp_status place_lanes_find(struct arena *a, const struct graph *g, const int32_t reqntid[3], bool among_stayers,
                                struct place_lanes *l);
/* A node as it is looked at in a block. */
struct place_lane place_lanes_at(const struct place_lanes *l, graph_id id, uint32_t block);
bool place_is_linear(const struct place_lane *l); /* … in all directions */
bool place_is_same(const struct place_lane *l);   /* for all threads of a warp */

/* Static facts of an access (place_access.c). */
enum place_coalescing { PLACE_FULL, PLACE_STRIDED, PLACE_BROADCAST, PLACE_SCATTERED, PLACE_COALESCING_UNKNOWN };
struct place_access {
    bool stride_known;
    int64_t stride;                   /* bytes between the addresses of neighbouring threads (threadIdx.x) */
    enum place_coalescing coalescing; /* STRIDED without a known stride: a constant of the run */
    uint32_t conflict_degree; /* shared loads and stores: how often the slowest bank is asked when all lanes of a warp
                                 take part; 0: not known, or not said of this access */
};
void place_access_of(struct place_lanes *l, const struct graph_access *access, struct place_access *out);

#endif
