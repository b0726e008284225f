/* The reader's words for values: parameters, index names, element expressions, conditions, types. No isa_ header, no
 * mnemonic: everything follows from graph nodes and from what the container says of parameters.
 *
 * Expression text is C (contracts.md "Expressions"): C precedence, one space round binary operators, no redundant parentheses;
 * `!(a < b)` is never turned into `a >= b` for floats. */
#ifndef SP_MEAN_H
#define SP_MEAN_H

#include "graph/graph.h"

struct mean_param {
    uint32_t index, offset, constant_offset, size;
    const char *name;  /* "x", or "p0" */
    bool from_source;
    const char *type;  /* "float const*", NULL unknown */
};

/* A name the report introduces: `i` for the linear index, then j, k … */
struct mean_name {
    graph_id node;
    const char *name; /* "i" */
    const char *expr; /* "blockIdx.x * blockDim.x + threadIdx.x" */
    const char *type; /* "s32", "u32", "s64" */
};

struct mean {
    struct arena *a;
    struct graph *g;
    const struct mean_param *params;
    uint32_t param_count;
    VEC(struct mean_name) names;
    struct map_u64 name_of;   /* node -> index into names */
    struct map_u64 value_of;  /* node -> index into value_ids */
    VEC(const char *) value_ids; /* "v0" …; set by mean_set_value(): such a node prints as its id inside other expressions */
    VEC(graph_id) value_nodes;
    struct map_u64 element_type; /* param index or other base -> index into the type table (mean_type.c) */
};

/* Takes parameters, finds the names (index values used in addresses and bounds) and the element types of arrays. */
enum sp_status mean_init(struct mean *m, struct arena *a, struct graph *g, const struct mean_param *params, uint32_t param_count);

/* How an expression is written. */
enum mean_style {
    MEAN_INNER = 0,      /* values that have an id print as the id: "!(v1 > hi) ? v1 : hi"; loads as elements: "x[i]" */
    MEAN_EXPANDED = 1,   /* no ids: everything written out down to loads, parameters, special registers */
    MEAN_BITS = 2,       /* constants as integers whatever their use */
};

/* The text of a node. `as` is the type its reader takes it for (UOP_F32: constants print as float literals; UOP_B32 as ints):
 * UOP_VOID guesses from the operation that makes it. Never NULL; "?" stands for what cannot be said. */
const char *mean_expr(struct mean *m, graph_id node, enum uop_type as, enum mean_style style);
/* As mean_expr, but the node itself is written out even if it has an id or a name (its arguments may use theirs). */
const char *mean_definition(struct mean *m, graph_id node, enum uop_type as, enum mean_style style);
/* "x[i]", "x[i + 1]", "shared[threadIdx.x]", "shared8[e]", "local[2]", with `address` "&x[i]"; NULL when the address is not understood: then
 * "*(expr)" is given. `width` in bytes, element type from the array. */
const char *mean_element(struct mean *m, graph_id address, enum uop_space space, unsigned width, bool address_of);
/* "i < n", "!(x[i] < lo)", "i < n && j < m": a condition. NIL gives NULL (always). */
const char *mean_condition(struct mean *m, graph_id b1);
/* Type word of a node as used: "f32", "s32", "u32", "s64", "b32", "pred". */
const char *mean_type(struct mean *m, graph_id node);

/* What an address means. */
struct mean_address {
    int param;             /* index into params, -1: none */
    bool stack;            /* relative to the stack pointer */
    uint32_t element_bytes;/* from the array's accesses and its declared type */
    graph_id index;        /* the element index as a node, NIL: constant only */
    int64_t byte_offset;   /* constant rest in bytes */
    const char *array;     /* "x", "shared", "local" */
    const char *index_text;/* "i", "i + 1", "row * 4 + j" */
};
bool mean_address_of(struct mean *m, graph_id address, enum uop_space space, unsigned width, struct mean_address *out);

bool mean_set_value(struct mean *m, graph_id node, const char *id);
/* The parameter a CBANK node reads (whole or in part), or NULL. */
const struct mean_param *mean_param_of(const struct mean *m, graph_id node);
bool mean_is_linear_index(const struct mean *m, graph_id node);

#endif
