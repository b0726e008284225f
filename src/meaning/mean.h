/* The reader's words for values: parameters, index names, element expressions, conditions, types.
 * No isa_ header, no mnemonic: everything follows from graph nodes and from what the container says
 * of parameters.
 *
 * Expression text is C: its precedence, one space round binary
 * operators, no redundant parentheses; `!(a < b)` is never turned into `a >= b` for floats. */
#ifndef SP_MEAN_H
#define SP_MEAN_H

#include "graph/graph.h"

struct mean_param {
    uint32_t index, offset, constant_offset, size;
    const char *name; /* "x", or "p0" */
    bool from_source;
    const char *type; /* "float const*", NULL unknown */
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
    struct map_u64 name_of;  /* node -> index into names */
    struct map_u64 value_of; /* node -> index into value_ids */
    VEC(const char *)
    value_ids; /* "v0" …; set by mean_set_value(): such a node prints as its id inside other expressions */
    VEC(graph_id) value_nodes;
    struct map_u64 variables; /* nodes that print as their id whatever the style: they have no written-out form */
    struct mean_work *work;   /* private: texts made so far, arrays, marks (mean_internal.h) */
};

/* Takes parameters, finds the names (index values used in addresses and bounds) and the element
 * types of arrays. */
enum sp_status mean_init(struct mean *m, struct arena *a, struct graph *g, const struct mean_param *params,
                         uint32_t param_count);

/* How an expression is written. */
enum mean_style {
    MEAN_INNER = 0,    /* values that have an id print as the id: "!(v1 > hi) ? v1 : hi"; loads as elements: "x[i]" */
    MEAN_EXPANDED = 1, /* no ids: everything written out down to loads, parameters, special registers */
    MEAN_BITS = 2,     /* constants as integers whatever their use */
    MEAN_REAL = 4,     /* as real numbers: min and max without a word on NaN */
};

/* The text of a node. `as` is the type its reader takes it for (UOP_F32: constants print as float
 * literals; UOP_B32 as ints): UOP_VOID guesses from the operation that makes it. Never NULL; "?"
 * stands for what cannot be said. */
const char *mean_expr(struct mean *m, graph_id node, enum uop_type as, enum mean_style style);
/* As mean_expr, but the node itself is written out even if it has an id or a name (its arguments
 * may use theirs). */
const char *mean_definition(struct mean *m, graph_id node, enum uop_type as, enum mean_style style);
/* "x[i]", "x[i + 1]", "shared[threadIdx.x]", "shared8[e]", "local[2]", with `address_of` "&x[i]";
 * an address that is not understood gives "*(expr)". `width` in bytes, element type from the array. */
const char *mean_element(struct mean *m, graph_id address, enum uop_space space, unsigned width, bool address_of);
/* "&x[i].y": where the value `word` is that an access has so many bytes behind its address. (The sum of both is another
 * node, of which the graph may not know what it is in a turn of a loop.) */
const char *mean_element_word(struct mean *m, graph_id address, enum uop_space space, unsigned offset, graph_id word);
/* "i < n", "!(x[i] < lo)", "i < n && j < m": a condition. NIL gives NULL (always). */
const char *mean_condition(struct mean *m, graph_id b1);
/* Order in which commutative operands are shown: below 0 when a comes first. */
int mean_display_order(const struct mean *m, graph_id a, graph_id b);
/* Type word of a node as used: "f32", "s32", "u32", "s64", "b32", "pred". */
const char *mean_type(struct mean *m, graph_id node);

/* What an address means. */
struct mean_address {
    int param;              /* index into params, -1: none */
    bool stack;             /* relative to the stack pointer */
    uint32_t element_bytes; /* from the array's accesses and its declared type */
    graph_id index;         /* the one node the index is made of, NIL: none or several (see index_text) */
    int64_t byte_offset;    /* constant rest in bytes */
    const char *array;      /* "x", "shared", "local" */
    const char *index_text; /* "i", "i + 1", "row * 4 + j" */
};
/* A place in the block's shared memory as bytes from where that begins, without the block's own place among those of
 * its cluster; NULL: it is none that says so. */
const char *mean_shared_offset(struct mean *m, graph_id id);
bool mean_address_of(struct mean *m, graph_id address, enum uop_space space, unsigned width, struct mean_address *out);
/* Bytes of one part of the elements that an address is in the array of: 4 of a float4's, 8 of a double2's;
 * 0: unknown. */
unsigned mean_part_bytes(struct mean *m, graph_id address, enum uop_space space);

/* What a store of `width` bytes keeps of a 32-bit value: without the widening or packing round it.
 * The value itself where that is not seen. */
graph_id mean_stored_value(struct mean *m, graph_id value, unsigned width);
/* As what the elements that the store `x` writes to take `node`, a word of its value: a float format, or bits where
 * the elements are integers and the value is a float; VOID: as it is. */
enum uop_type mean_stored_as(struct mean *m, const struct graph_access *x, graph_id node);
/* The text of what the store `x` keeps of `node`, whose own text is `text`: narrowed by a cast where no declaration
 * says how wide the elements are. */
const char *mean_stored_text(struct mean *m, const struct graph_access *x, graph_id node, const char *text);
bool mean_set_value(struct mean *m, graph_id node, const char *id);
/* The same, of a node that is (an old value of) a variable that goes round a loop. */
bool mean_set_variable(struct mean *m, graph_id node, const char *id);
/* Loads of one element at different times within one stored expression are told by their ids from now on. */
enum sp_status mean_part_loads(struct mean *m);
/* How a node of such a variable is told behind the loop (index into the graph's cycles) it goes round: its id, or what
 * says that an older value leaves (`old`: that). `within`: the word for it in its loop once `named`, the
 * variable, was given its new value; NULL: as always. */
bool mean_set_leaving(struct mean *m, graph_id node, const char *text, uint32_t cycle, bool old, graph_id named,
                      const char *within);
/* The same of the two numbers that the node holds, where it is a pair of halves. */
bool mean_set_leaving_halves(struct mean *m, graph_id node, const char *text, uint32_t cycle, graph_id named);
/* Texts from here on stand in that block: variables of loops it is not in have their last values. UINT32_MAX: within
 * the loop of whatever is told. */
void mean_look_from(struct mean *m, uint32_t block);
/* Within its loop the variable was given its new value already: old ones are told as such. False: it has no word. */
bool mean_set_updated(struct mean *m, graph_id node, bool updated);
/* The parameter a CBANK node reads (whole or in part), or NULL. */
const struct mean_param *mean_param_of(const struct mean *m, graph_id node);
/* blockIdx.D * (blockDim.D or a constant) + threadIdx.D, in 32 or 64 bits; named only if addresses
 * or bounds use it. */
bool mean_is_linear_index(const struct mean *m, graph_id node);

/* ---- roles (mean_role.c). ORDER ROLE: as in the vocabulary; where several fit, the first, but for what says more: the
 * loop roles, spill and refill
 * -------------------------------------------------------------------------------------------- */
enum mean_role {
    MEAN_ROLE_STACK,
    MEAN_ROLE_SPECIAL_REGISTER,
    MEAN_ROLE_PARAMETER,
    MEAN_ROLE_CONSTANT,
    MEAN_ROLE_INDEX,
    MEAN_ROLE_BOUNDS_CHECK,
    MEAN_ROLE_EARLY_EXIT,
    MEAN_ROLE_ADDRESS,
    MEAN_ROLE_DESCRIPTOR,
    MEAN_ROLE_LOAD,
    MEAN_ROLE_STORE,
    MEAN_ROLE_ATOMIC,
    MEAN_ROLE_COMPUTE,
    MEAN_ROLE_COMPARE,
    MEAN_ROLE_SELECT,
    MEAN_ROLE_CONVERT,
    MEAN_ROLE_MOVE,
    MEAN_ROLE_PREDICATE,
    MEAN_ROLE_INDUCTION,
    MEAN_ROLE_LOOP_TEST,
    MEAN_ROLE_BRANCH,
    MEAN_ROLE_CALL,
    MEAN_ROLE_RETURN,
    MEAN_ROLE_EXIT,
    MEAN_ROLE_BARRIER,
    MEAN_ROLE_RECONVERGENCE,
    MEAN_ROLE_SHUFFLE,
    MEAN_ROLE_VOTE,
    MEAN_ROLE_TENSOR,
    MEAN_ROLE_ASYNC_COPY,
    MEAN_ROLE_FENCE,
    MEAN_ROLE_SPILL,
    MEAN_ROLE_REFILL,
    MEAN_ROLE_SLOW_PATH,
    MEAN_ROLE_PADDING,
    MEAN_ROLE_DEAD,
    MEAN_ROLE_UNKNOWN,
};
/* The role of every instance of an instruction, from the graph and its expansions: an array of g->insns.n, NULL
 * when out of memory. */
const enum mean_role *mean_roles(struct mean *m);
/* What an instance makes or does: "i", "&x[i]", "!(x[i] < lo)", "y[i] = v2"; NULL for control flow
 * and the descriptor. */
const char *mean_insn_expr(struct mean *m, uint32_t insn, enum mean_role role);
/* What a register holds after a def (index into graph.defs): "i", "&x[i]", "0.0f"; *part 0 the
 * whole of it, 1 its low word, 2 its high word. Data values print as their id. */
const char *mean_holds(struct mean *m, uint32_t def, unsigned *part);

/* ---- parameters (mean_param.c). ORDER ACCESS: as in the contract ----------------------------- */
enum mean_access { MEAN_READ, MEAN_WRITE, MEAN_READWRITE, MEAN_UNUSED, MEAN_ACCESS_UNKNOWN };
/* Of a pointer: what is done to its buffer; unknown when its value goes where this build cannot
 * follow. Of a scalar: read or unused. */
enum mean_access mean_param_access(struct mean *m, uint32_t param);

#endif
