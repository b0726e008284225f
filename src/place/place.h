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
};
struct place_use {
    uint32_t insn;
    enum place_where
        via; /* the route: a register that was loaded from where the value was stored counts as that memory */
    bool other_thread;
};
struct place_value {
    graph_id node;
    graph_id part; /* the value inside `node` when node is select(P, part, constant); NIL else */
    enum place_class cls;
    bool assumed; /* the class rests on different parameters being different objects */
    VEC(struct place_storage) storage;
    VEC(struct place_use) uses;
    VEC(uint32_t) evidence; /* instances: where it is made, and where it is stored */
};
struct place {
    VEC(struct place_value) values; /* by first instance */
    struct map_u64 of;              /* node -> index */
};

enum sp_status place_build(struct arena *a, const struct graph *g, struct place *p);
/* The value a node belongs to, or NULL. */
const struct place_value *place_value_of(const struct place *p, graph_id node, uint32_t *index);

/* Static facts of an access (place_access.c). */
enum place_coalescing { PLACE_FULL, PLACE_STRIDED, PLACE_BROADCAST, PLACE_SCATTERED, PLACE_COALESCING_UNKNOWN };
struct place_access {
    bool stride_known;
    int64_t stride; /* bytes between the addresses of neighbouring threads (threadIdx.x) */
    enum place_coalescing coalescing;
};
void place_access_of(const struct graph *g, const struct graph_access *access, struct place_access *out);

#endif
