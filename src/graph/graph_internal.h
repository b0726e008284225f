/* Between the files of graph/ only. */
#ifndef SP_GRAPH_INTERNAL_H
#define SP_GRAPH_INTERNAL_H

#include "graph/graph.h"

/* The node with this content: an existing one or a new one. No simplification. */
graph_id graph_intern(struct graph *g, const struct graph_node *node);

/* No node but node 0, as after graph_init(); what was allocated is used again. */
void graph_forget_nodes(struct graph *g);

/* `c` cut down to what matters where `care` holds (graph_bool.c): atoms that decide nothing there are dropped. */
graph_id graph_bool_reduce(struct graph *g, graph_id c, graph_id care);
/* A truth table by itself, for questions that should leave no node behind. */
struct graph_truth {
    graph_id atom[6];
    unsigned count;
    uint64_t bits; /* bit i: the result when atom k is bit k of i */
};
/* The table of a B1 node; GRAPH_NIL: true. */
void graph_truth_of(const struct graph *g, graph_id b1, struct graph_truth *out);
/* a && b, or a && !b. False when that needs more than six atoms. */
bool graph_truth_and(const struct graph_truth *a, const struct graph_truth *b, bool negated, struct graph_truth *out);
/* Any boolean function of up to three B1 arguments by its table (index: argument k is bit k). */
graph_id graph_bool_apply(struct graph *g, const graph_id *args, unsigned count, uint8_t table);

/* Control flow (graph_flow.c). */
enum graph_control_kind {
    GRAPH_CONTROL_NONE,
    GRAPH_CONTROL_BRANCH,
    GRAPH_CONTROL_INDIRECT,
    GRAPH_CONTROL_CALL,
    GRAPH_CONTROL_RET,
    GRAPH_CONTROL_END
};
struct graph_control { /* where an instruction of the input goes on */
    uint8_t kind;
    bool conditional;
    uint32_t target;     /* index of the instruction, UINT32_MAX: outside */
    uint32_t way_count;  /* of an indirect branch: */
    const uint32_t *way; /* offsets it may go to; NULL: nobody says */
};
/* The instruction behind i runs when i does not go elsewhere: it stands right behind it. */
static inline bool graph_goes_on(const struct graph_input *in, uint32_t i)
{
    enum { STEP = 16 };
    return i + 1 < in->count && in->insns[i + 1].offset - in->insns[i].offset <= STEP;
}
/* Calls whose target never returns become branches, in `control` and in g->input (graph_return.c). */
bool graph_calls_that_stay(struct graph *g, struct graph_control *control);
/* Loops in which lanes wait for each other are left at once, likewise (graph_meet.c). */
bool graph_lanes_that_wait(struct graph *g, struct graph_control *control);
enum graph_edge_when { GRAPH_ALWAYS, GRAPH_WHEN_TAKEN, GRAPH_WHEN_NOT };
struct graph_edge {
    uint32_t from, to;
    uint32_t place; /* among the edges into `to` */
    uint8_t when;
    bool back;    /* closes a loop */
    bool guessed; /* out of an indirect branch: it may go here, under a condition nobody knows */
    bool indexed; /* out of a branch that goes by a table: under a condition of its own (graph_switch.c) */
};
struct graph_flow {
    VEC(struct graph_edge) edges; /* grouped by `from`, ascending */
    uint32_t *order;              /* blocks in reverse post-order; reachable ones only */
    uint32_t order_count;
    uint32_t *position;          /* of a block in `order` */
    const uint32_t **pred_edges; /* edges into a block */
    uint32_t *pred_edge_count;
    uint32_t *dom_enter, *dom_leave, *post_enter, *post_leave; /* numbering of the trees of (post-)dominators */
};
enum sp_status graph_flow_build(struct graph *g, struct graph_flow *flow, struct diag_sink *diags);
/* Order, dominators, loops (graph_order.c). */
enum sp_status graph_flow_order(struct graph *g, struct graph_flow *flow);
bool graph_dominates(const struct graph_flow *flow, uint32_t a, uint32_t b);
/* Control that is at `a` comes to `b` in the same turn of every loop `b` is in (a loop that has a way out is taken to
 * come to it). */
bool graph_always_reaches(const struct graph_flow *flow, uint32_t a, uint32_t b);

/* Values (graph_values.c). */
enum sp_status graph_values_build(struct graph *g, struct graph_flow *flow, struct diag_sink *diags);

/* Memory (graph_memory.c): a chain of effects, newest first. */
enum graph_orders {
    GRAPH_ORDERS_NOTHING,
    GRAPH_ORDERS_OTHERS, /* a barrier: what other threads stored may be seen behind it; the thread's own memory stays */
    GRAPH_ORDERS_LOOP,   /* a loop begins that stores: its turns may have stored before */
    GRAPH_ORDERS_ALL,    /* nothing is known past it (a call) */
};
struct graph_effect {
    uint32_t prev;         /* index of the older effect, 0: kernel entry */
    uint32_t access;       /* index into accesses, UINT32_MAX: a barrier, call or join */
    uint32_t skip;         /* JOIN: effect at the immediate dominator; else 0 */
    const uint32_t *joins; /* JOIN: the chains that meet */
    uint32_t join_count;
    uint8_t orders; /* enum graph_orders */
    /* GRAPH_ORDERS_LOOP: what the loop stores to local memory, if that is known */
    const struct graph_access *slots;
    uint32_t slot_count;
    bool slots_known;
};
struct graph_memory {
    VEC(struct graph_effect) effects; /* [0] is the entry */
};
enum sp_status graph_memory_init(struct graph *g, struct graph_memory *m);
uint32_t graph_memory_store(struct graph *g, struct graph_memory *m, uint32_t state, uint32_t access);
uint32_t graph_memory_join(struct graph *g, struct graph_memory *m, const uint32_t *states, uint32_t count,
                           uint32_t dominator);
uint32_t graph_memory_clobber(struct graph *g, struct graph_memory *m, uint32_t state);
uint32_t graph_memory_barrier(struct graph *g, struct graph_memory *m, uint32_t state);
/* At a loop's header. `slots`: every local store of the loop, its address as it is there (`known`), or nothing is said
 * of them. */
uint32_t graph_memory_loop(struct graph *g, struct graph_memory *m, uint32_t state, const struct graph_access *slots,
                           uint32_t count, bool known);
/* Resolves a load: fills from_store, may_alias, version. */
/* Both stay in parts of the thread's own frame that do not meet. */
bool graph_frame_apart(const struct graph *g, const struct graph_access *x, const struct graph_access *y);
void graph_memory_load(struct graph *g, struct graph_memory *m, uint32_t state, struct graph_access *load);
/* When all accesses are known: loads that a store of another thread may reach. */
void graph_memory_finish(struct graph *g);
/* The space of generic accesses whose pointer a loop or a choice carries. */
void graph_windows_finish(struct graph *g);

#endif
