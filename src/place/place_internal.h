/* Between place_data.c, place_index.c, place_accumulate.c, place_variable.c, place_value.c, place_class.c and
 * place_reload.c only. */
#ifndef SP_PLACE_INTERNAL_H
#define SP_PLACE_INTERNAL_H

#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"
#include "place/place.h"

struct place_cell {     /* of a list of defs */
    uint32_t def, next; /* another cell + 1 */
};

/* One accumulator: a loop's phi and all that is the same variable: what comes round, what paths and pieces make of it,
 * what is left behind the loop. */
struct place_accumulator {
    uint32_t cycle, inner; /* the loop; of several within one another the innermost, where the step is */
    graph_id phi, named;   /* NIL: straight-line code; of the innermost */
    graph_id out;          /* the step */
    graph_id result;       /* what it comes to, NIL: not known */
    VEC(graph_id) members;
};

struct place_work {
    struct arena *a;
    struct graph *g;
    graph_id nodes;  /* when it began */
    uint8_t *data;   /* of a node: 1 data */
    uint8_t *loaded; /* of a node: 1 known not to, 2 known to depend on memory */
    uint8_t *stored; /* of a node: some store writes it as a whole */
    VEC(graph_id) stack;

    uint32_t *starts, *uses; /* uses of each def: uses[starts[d]] .. uses[starts[d + 1]] */
    struct map_u64 held;     /* node -> first cell: registers that hold it although no instruction made it */
    struct map_u64 covered;  /* node -> the select(P, node, constant) that paths make of it */
    VEC(struct place_cell) cells;

    uint32_t *head, *list, *next;   /* accesses by the nodes they hold: head[node] is a cell + 1 in list, next */
    uint32_t *reach_starts, *reach; /* of each access that stores: the reaches it is in, indices into dep->reaches */
    struct map_u64 written;         /* pointer parameter -> the one address stores have in it; GRAPH_NIL: several */
    bool alias_loads;               /* some global load may read what a store of this kernel writes */
    const uint8_t *local;           /* of each access: enum place_local */
    bool reaches_known;             /* dependence was found and is complete */

    graph_id *alias;       /* of a node that a load gives: the stored value it is proved to be, GRAPH_NIL: none */
    graph_id *copy;        /* of a node: what plays its part in the piece that is told, GRAPH_NIL: itself */
    graph_id *final;       /* of a node: made of an accumulator behind its loop: the first node that is the same */
    uint32_t *accumulator; /* of a node: index into accumulators + 1 */
    VEC(struct place_accumulator) accumulators;
    struct map_u64 by_step;   /* node that is a step -> accumulator */
    struct map_u64 starts_of; /* node << 32 | accumulator + 1: what a phi of the accumulator starts or goes on with */
    uint32_t walks;           /* of the flow graph, for "one after the other" */

    uint32_t *first_back, *next_back; /* of each store: loads that are proved to read it by graph/, as lists, + 1 */
    graph_id *entry;                  /* of a node: the node whose entry tells it, GRAPH_NIL: none */
    graph_id *group, *group_next;     /* of an entry: its nodes, as a list */
};

/* place_data.c */
enum sp_status place_find_data(struct place_work *w);
/* Nobody but an expansion asks for it, and it is no variable of a loop. */
bool place_is_inside(const struct place_work *w, graph_id id);
bool place_may_be_value(const struct place_work *w, graph_id id);
bool place_is_float_op(const struct graph_node *n);

/* place_accumulate.c */
void place_find_copies(struct place_work *w);
bool place_find_accumulators(struct place_work *w);

/* place_index.c */
enum sp_status place_make_index(struct place_work *w);
/* The defs that hold a node: made as it, or left with it by guarded writes and meeting paths. */
const uint32_t *place_holders(struct place_work *w, graph_id node, uint32_t *count);
/* select(P, v, constant) where P does not look at v. */
bool place_stands_for(const struct graph *g, const struct graph_node *select, graph_id v);
graph_id place_covering_select(const struct place_work *w, graph_id id);
/* The access holds the node: loads it, or stores it. */
bool place_access_holds(const struct place_work *w, const struct graph_access *x, graph_id node);
/* Of an atomic: what it does (enum uop_atom). */
unsigned place_atom_of(const struct graph *g, const struct graph_access *x);
uint32_t place_load_of_def(const struct graph *g, const struct graph_def *d);
/* A register made by the def holds no more than another does already: a copy. */
bool place_is_copy(const struct graph *g, const struct graph_def *d, graph_id node);

/* The node is the accumulator's (index) too, whose phis then begin with what that one does. */
void place_add_member(struct place_work *w, uint32_t accumulator, graph_id id);
/* The loop that an accumulator goes round (+ 1), the outermost one; 0: straight-line code. */
uint32_t place_loop_of(const struct place_work *w, uint32_t accumulator);

/* place_variable.c */
/* Accumulators that are one variable become one; true: some did. */
bool place_join_variables(struct place_work *w);
/* The loop around does nothing to the variable but hand it to the loop within, from turn to turn: one variable, which
 * the inner loop's step gives its new value. Before members are known. */
void place_join_nested(struct place_work *w);
/* What is made of an accumulator behind its loop, once for each piece that may be the last: one value. */
void place_find_final_copies(struct place_work *w);

/* A select between values of one accumulator. */
bool place_is_merge(const struct place_work *w, graph_id id);

/* place_class.c */
void place_classify(struct place_work *w, struct place_value *v);
/* Both may run in one thread, one after the other, in the same turn of the loops they are in and not as copies of one
 * instruction of the source's loop. */
bool place_both_run(struct place_work *w, uint32_t first, uint32_t second);

/* place_leave.c */
/* `what` is `id` or stands in it, a few operations deep. */
bool place_mentions(const struct graph *g, graph_id id, graph_id what);
void place_find_leaving(struct place_work *w, struct place *p);

/* place_reload.c */
void place_find_reloads(struct place_work *w, struct place *p);

/* Bits by which the threads of a warp differ (place_lane_bits.c). */
enum { PLACE_WARP_BITS = 5 };
/* The node is base + t << *shift, where t is the thread's number (in x, or in its warp) and the base has no ones where
 * the low five bits of t come to stand: threads of a warp differ in these bits alone. */
bool place_is_row(const struct place_lanes *l, graph_id id, unsigned *shift);
/* The bits of a node that may be ones. */
uint64_t place_may_be_ones(const struct graph *g, graph_id id, unsigned depth);

#endif
