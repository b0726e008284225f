/* The value graph of one kernel: control flow, values in gated SSA, memory operations, liveness. Built from
 * micro-operations only; nothing here knows a mnemonic.
 *
 * Words (definitions.md): a *def* is one register result of one instruction; a *value* is a node: defs proved equal by
 * exact rules share one node (hash-consing). Defs are kept under their values: copies, reloads and recomputation stay
 * visible.
 *
 * Nodes are numbered; node 0 is "none". An argument always has a smaller number than its user, except through a loop
 * phi. A node carries bits, not types: `type` is the result's width and how the operation reads its arguments.
 *
 * Canonical forms that readers of nodes rely on (graph_simplify.c):
 *  - truth is a GRAPH_BOOL table over atoms; NOT of an atom is the one-atom table 1; atoms are compares, phis, opaque
 * bits;
 *  - SELECT's condition is never a table that is true when all its atoms are false: SELECT(!c, a, b) is kept as
 * SELECT(c, b, a) with the flag UOP_SWAPPED, which says how the machine wrote it (printing only, no part of the
 * identity);
 *  - what is never negative (a size, a loop phi shown to be so) is shifted right by SHR, by less than half a word;
 *  - a shift left by a constant is a MUL by a power of two; a - b is ADD(a, NEG b) and FADD(a, FNEG b);
 *  - a compare of a constant with a choice of constants is the choice's condition: predicates that are kept in a
 *    register come out of it as they went in;
 *  - integer sums are flat: ADD(ADD(t1, t2), c) with leaves after computed terms and the constant last;
 *  - 64-bit values are one node: PAIR(LO x, HI x) is x, carry chains are ADD.b64, ISETP.EX chains are 64-bit compares;
 *  - a compare's node has type B1; a float compare keeps the format it compares in `width` (enum uop_type), every
 * compare the bits it compares in imm;
 *  - commutative arguments ascend by number, constants last. */
#ifndef SP_GRAPH_H
#define SP_GRAPH_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "sassprobe/status.h"
#include "uop/uop.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t graph_id; /* index of a node; GRAPH_NIL: none */
enum { GRAPH_NIL = 0 };

/* Node kinds beyond enum uop_kind. Pure uop kinds, SREG, CBANK, LOAD, ELEMENT, ATOM, SHFL … are node kinds as they are.
 */
enum graph_kind {
    GRAPH_PHI = UOP_GRAPH_KINDS, /* `block` says where; one argument a predecessor of the block, in their order; imm:
                                    graph_is_loop_phi() */
    GRAPH_BOOL, /* truth table over up to 6 atoms (B1 nodes, ascending): bit i of imm is the result when atom k is bit k
                   of i */
    GRAPH_ENTRY,  /* what a register held when the kernel began: undefined */
    GRAPH_RESULT, /* result number imm of an effect at instruction `insn` (call clobber, opaque) */
    GRAPH_REAL,   /* a function no micro-operation is (imm: enum graph_function); readers of expansions make these, the
                     graph itself never does */
    GRAPH_TURN,   /* the counter of loop imm of the source (graph_cycle.h), made for readers: from 0, one a step */
};

/* Functions that machines compute by several operations. Those with a micro-operation (exp2, log2, rcp, sqrt …) are
 * nodes of that kind. */
enum graph_function {
    GRAPH_EXP,
    GRAPH_EXP10,
    GRAPH_LOG,
    GRAPH_LOG10,
    GRAPH_SIN,
    GRAPH_COS,
    GRAPH_TAN,
    GRAPH_POW,
    GRAPH_LIBRARY, /* from here to GRAPH_FMOD: functions of libraries, by their names there */
    GRAPH_ACOS = GRAPH_LIBRARY,
    GRAPH_ACOSH,
    GRAPH_ASIN,
    GRAPH_ASINH,
    GRAPH_ATAN,
    GRAPH_ATANH,
    GRAPH_CBRT,
    GRAPH_RCBRT,
    GRAPH_COSH,
    GRAPH_SINH,
    GRAPH_EXPM1,
    GRAPH_LOG1P,
    GRAPH_SINPI,
    GRAPH_COSPI,
    GRAPH_ERF,
    GRAPH_ERFC,
    GRAPH_ERFCX,
    GRAPH_ERFINV,
    GRAPH_ERFCINV,
    GRAPH_NORMCDF,
    GRAPH_NORMCDFINV,
    GRAPH_LGAMMA,
    GRAPH_TGAMMA,
    GRAPH_J0,
    GRAPH_J1,
    GRAPH_Y0,
    GRAPH_Y1,
    GRAPH_CYL_BESSEL_I0,
    GRAPH_CYL_BESSEL_I1,
    GRAPH_ATAN2,
    GRAPH_HYPOT,
    GRAPH_RHYPOT,
    GRAPH_REMAINDER,
    GRAPH_JN, /* the first argument is an integer */
    GRAPH_YN,
    GRAPH_NORM3D,
    GRAPH_RNORM3D,
    GRAPH_NORM4D,
    GRAPH_RNORM4D,
    GRAPH_MODF,           /* what is behind the point */
    GRAPH_FREXP,          /* from 0.5 to below 1, … */
    GRAPH_FREXP_EXPONENT, /* … and the power of two; of `width` (enum uop_type), an integer, as up to GRAPH_REMQUO */
    GRAPH_ILOGB,
    GRAPH_LROUND,
    GRAPH_REMQUO, /* the last bits of the quotient that is rounded to the nearest integer */
    GRAPH_LOGB,
    GRAPH_NEXTAFTER,
    GRAPH_LDEXP, /* the second argument is an integer */
    GRAPH_FMOD,  /* exact */
    GRAPH_DIV,   /* a / b of the float format `type` */
    GRAPH_DIV_S, /* of integers, towards zero */
    GRAPH_DIV_U,
    GRAPH_REM_S,
    GRAPH_REM_U,
    GRAPH_FUNCTIONS,
};

enum { GRAPH_NATURAL = 128 }; /* flag of a loop phi: it is never negative (graph_carry.c) */

struct graph_node {
    uint8_t kind, type, round, flags, space, order, width;
    uint8_t arg_count;
    graph_id arg[6];
    const graph_id *phi_args; /* GRAPH_PHI: arg_count unused, phi_count entries */
    uint32_t phi_count;
    uint32_t block; /* PHI */
    uint32_t insn;  /* LOAD, ATOM, RESULT …: instance (see graph_insn) that made it; UINT32_MAX for pure nodes */
    uint64_t imm;   /* CONST value; CBANK byte offset; SREG number; LOAD: memory version */
};

/* One instance of an instruction: the same instruction inlined from two call sites has two. */
struct graph_insn {
    uint32_t offset; /* bytes in the section */
    uint32_t input;  /* index into graph_input.insns */
    uint32_t block;
    uint32_t call_path; /* 0: the kernel's own level; else index into graph.calls + 1 */
    graph_id guard;     /* its own guard as a B1 node, GRAPH_NIL: always */
    graph_id runs_when; /* condition under which it takes effect: path and guard; GRAPH_NIL: always */
    bool reachable;
    uint32_t first_def, def_count;       /* into graph.defs */
    uint32_t first_use, use_count;       /* into graph.uses: register reads */
    uint32_t first_access, access_count; /* into graph.accesses */
};

struct graph_def {
    uint32_t insn; /* instance */
    uint8_t file;  /* enum uop_file */
    uint16_t reg;
    graph_id node; /* what the instruction wrote: B32 (B1 for predicates); LO/HI of a wider value for halves */
    graph_id wide; /* the 64-bit node it is a half of although its own node says otherwise (LO(sext x) is x), or NIL */
    uint8_t part;  /* 0 whole, 1 low half, 2 high half of `wide` (or of the node under LO/HI) */
    graph_id merged;   /* what the register holds after it: `node`, or select(guard, node, older) */
    uint32_t last_use; /* last instance that reads it, or the def's own when nothing does */
    bool read;         /* some instruction reads it */
    uint32_t mark;     /* private: the use it was last listed for */
};

struct graph_use {
    uint32_t insn;
    uint8_t file;
    uint16_t reg;
    graph_id node;        /* the value read, under the reader's guard */
    const uint32_t *defs; /* defs that reach */
    uint32_t def_count;
};

/* Bytes from the stack pointer that all accesses of an instruction stay in, whatever its address is. */
struct graph_frame_part {
    bool known;
    int32_t from, to; /* to: the first one behind */
};

enum graph_access_kind { GRAPH_LOAD, GRAPH_STORE, GRAPH_ATOMIC };
struct graph_access {
    uint32_t insn;
    uint8_t kind, space, order, width; /* enum graph_access_kind, uop_space, uop_order; bytes a thread */
    graph_id address;                  /* B64 (B32 for shared and local), everything added */
    graph_id value[4];  /* STORE: words, [0] alone where they are one 64-bit value; LOAD: the words loaded ([0] alone up
                          to 8 bytes) */
    graph_id result;    /* LOAD: the LOAD node or, when a store was forwarded, the stored value; ATOMIC: old value */
    graph_id runs_when; /* GRAPH_NIL: always */
    uint32_t version;   /* memory version a load reads / a store makes */
    int32_t from_store; /* LOAD: the one access whose store it is proved to read (D5), or -1 */
    bool may_alias;     /* LOAD: some store may reach it (another parameter: assumed not to) */
    bool may_be_local;  /* GENERIC: on some way the pointer is one into local memory */
    struct graph_frame_part part; /* of local memory, where the address moves */
};

struct graph_block {
    uint32_t first, last; /* instances, inclusive */
    const uint32_t *preds, *succs;
    uint32_t pred_count, succ_count;
    uint32_t idom;   /* UINT32_MAX for the entry */
    uint32_t loop;   /* innermost loop + 1, 0: none */
    uint32_t header; /* the loop it is the header of + 1, 0: none */
    graph_id path;   /* condition to reach it from the entry, GRAPH_NIL: always; inside loops: relative to the header */
    graph_id branch; /* B1: condition of the conditional branch that ends it, GRAPH_NIL: none */
    bool reachable, by_table; /* by_table: its branch goes by a table, its ways out are all it goes to */
};

struct graph_loop {
    uint32_t header, latch; /* blocks */
    uint32_t parent;        /* loop + 1, 0: none */
    uint32_t first, last;   /* instances */
    bool irreducible;
    bool apart; /* threads of a block may leave it at different turns (known once graph_depend.h's facts are asked) */
};

struct graph_call {
    uint32_t insn;        /* instance of the CALL */
    uint32_t target;      /* byte offset of the callee */
    uint32_t caller_path; /* call_path of the caller */
    bool resolved;        /* its RET was shown to come back behind the call */
};

/* ---- what the graph is built from ----------------------------------------------------------- */
struct graph_input_insn {
    uint32_t offset;
    const struct uop_list *uops;
    uint64_t place; /* of the source: a number for the file and line that wrote it, with its calls, 0: not known */
};
struct graph_sreg_word { /* a word of constant bank 0 that holds a special register */
    uint32_t offset;
    uint16_t sreg;
};
/* Not a bank of the machine: addresses of symbols that the linker writes into instructions, 8 bytes each. */
enum { GRAPH_SYMBOL_BANK = 64 };
struct graph_env {
    unsigned sm;
    uint32_t param_base, param_bytes;
    uint32_t stack_offset;      /* bank 0 offset of the stack pointer's start */
    uint32_t local_window;      /* bank 0 offset of the 64-bit generic address of local memory, 0: unknown */
    uint32_t shared_window;     /* the same of shared memory, 0: not there */
    uint32_t descriptor_offset; /* bank 0 offset of the global descriptor, 0: none */
    const struct graph_sreg_word *words;
    uint32_t word_count;
    const uint8_t *const *constant_bank; /* [18], may be NULL: initialised banks */
    const uint32_t *constant_bytes;
    /* Pointers in bank 4 to numbers that come with the code: the offset of each, and the bytes it points to. */
    const uint32_t *table_at;
    const uint8_t *const *table_bytes;
    const uint32_t *table_sizes;
    uint32_t table_count;
    uint32_t block[3];       /* threads of a block in x, y, z where the code itself fixes them (reqntid), else 0 */
    uint32_t block_limit[3]; /* at most as many (maxntid), else 0 */
    int64_t shared_bytes;    /* of the arrays whose size the code fixes; extern ones lie behind. 0: none or unknown */
    const uint32_t *spills;  /* offsets of all stores and loads that the compiler says put registers away, ascending */
    uint32_t spill_count;
    bool spills_known; /* false: it does not say */
    /* Branches that go by a table, ascending, and where each may go, as offsets of instructions. */
    const uint32_t *switch_at;
    const uint32_t *const *switch_targets;
    const uint32_t *switch_target_counts;
    uint32_t switch_count;
    const char *const *symbols; /* whose address stands at 8 * i of GRAPH_SYMBOL_BANK */
    uint32_t symbol_count;
};
struct graph_input {
    const struct graph_input_insn *insns;
    uint32_t count;
    const struct graph_env *env;
};

/* Expansions (definitions.md D13): stretches of code that together compute one function. They own their instructions:
 * what lies inside is nobody else's product, call or branch. Found by pattern/ before places and roles are. */
struct graph_expansions {
    uint32_t count;
    const uint32_t *owner; /* by instance: expansion + 1, 0: none */
    const bool *slow;      /* by instance: runs only where the quick way does not do */
    const bool *inside;    /* by node (of the first `nodes`): a value nobody outside its expansion uses */
    const graph_id *reads; /* by node: what it computes, for every input (a GRAPH_REAL or plain node); GRAPH_NIL */
    const graph_id *shows; /* by node: the same where it is computed approximately too */
    graph_id nodes;
    const void *work; /* private to pattern/ */
};

struct graph_fact { /* private: what is known of a node (graph_range.c) */
    int64_t lo, hi;
    uint8_t state;   /* RANGE_… */
    uint8_t varying; /* 0 not asked, 1 the same in all threads of a block, 2 not */
    uint8_t halves;  /* a loop's counter: 0 not asked, 1 is shifted down and never 0, 2 not */
};
struct graph {
    struct arena *a;
    const struct graph_env *env;
    struct graph_input input;
    VEC(struct graph_node) nodes;
    VEC(struct graph_insn) insns;
    VEC(struct graph_def) defs;
    VEC(struct graph_use) uses;
    VEC(struct graph_access) accesses;
    VEC(struct graph_block) blocks;
    VEC(struct graph_loop) loops;
    VEC(struct graph_call) calls;
    VEC(uint32_t) indirect; /* instances of branches whose target is unknown */
    bool incomplete;        /* some reachable instruction's effects are unknown: what is not seen may still happen */
    /* What was found on it afterwards; NULL before. */
    const struct graph_cycles *cycles;         /* graph_cycle.h */
    const struct graph_dependence *dependence; /* graph_depend.h */
    const struct graph_expansions *expansions;
    struct map_u64 hash;       /* private */
    struct map_u64 halves;     /* private: LO and HI of nodes made so far */
    struct map_u64 joined;     /* private: 64-bit values of two composite words; NIL: none */
    VEC(uint64_t) wanted;      /* private: lo << 32 | hi, loop phis that a rule would have joined */
    unsigned depth;            /* private: of rules at work */
    void *work;                /* private */
    struct graph_facts *facts; /* private: what is known of nodes (graph_range.c) */
    struct graph_fact lost;    /* private: takes what there was no memory for; the arena has failed then */
};

/* Builds everything. SP_ERR_MEMORY only; what could not be understood stands in the graph (opaque nodes, `indirect`)
 * and in notes to `diags`. */
enum sp_status graph_build(struct arena *a, const struct graph_input *input, struct diag_sink *diags, struct graph *g);

/* An empty graph to make nodes in: for readers of expressions, and for tests. */
void graph_init(struct graph *g, struct arena *a, const struct graph_env *env);

/* ---- nodes: made simplified by exact rules (graph_simplify.c), hash-consed: equal number means equal value
 * ------------- */
graph_id graph_const(struct graph *g, enum uop_type type, uint64_t bits);
graph_id graph_sreg(struct graph *g, unsigned sreg);
graph_id graph_cbank(struct graph *g, enum uop_type type, unsigned bank, uint32_t offset);
/* A pure operation; `like` gives kind, type, round, flags, space, imm; args as many as the kind has. */
graph_id graph_pure(struct graph *g, const struct uop *like, const graph_id *args, unsigned count);
/* The operation of a pure node, for graph_pure() and uop_eval(): a compare of floats, whose node is a truth value, has
 * the format that it compares as its type. */
static inline struct uop graph_operation(const struct graph_node *n)
{
    bool compare = (n->kind >= UOP_FLT && n->kind <= UOP_FNUM) || n->kind == UOP_FCHK;
    return (struct uop){.kind = n->kind,
                        .type = compare ? n->width : n->type,
                        .round = n->round,
                        .flags = n->flags,
                        .space = n->space,
                        .order = n->order,
                        .width = n->width,
                        .arg = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE},
                        .imm = n->imm};
}
/* Shorthands over graph_pure for plain operations. */
graph_id graph_op1(struct graph *g, enum uop_kind kind, enum uop_type type, graph_id a);
graph_id graph_op2(struct graph *g, enum uop_kind kind, enum uop_type type, graph_id a, graph_id b);
graph_id graph_op3(struct graph *g, enum uop_kind kind, enum uop_type type, graph_id a, graph_id b, graph_id c);
/* A fresh, never-equal node (GRAPH_ENTRY, RESULT, LOAD …). */
graph_id graph_fresh(struct graph *g, const struct graph_node *node);

static inline const struct graph_node *graph_at(const struct graph *g, graph_id id)
{
    return &g->nodes.p[id];
}
static inline bool graph_is_const(const struct graph *g, graph_id id, uint64_t *bits)
{
    const struct graph_node *n = graph_at(g, id);
    if (id == GRAPH_NIL || n->kind != UOP_CONST)
        return false;
    if (bits)
        *bits = n->imm;
    return true;
}
int64_t graph_signed_const(const struct graph_node *n); /* what a constant is as a signed number of its type */
enum uop_type graph_type_of(const struct graph *g, graph_id id);

/* A phi that a loop's turns go through: imm is the loop + 1. Its arguments at edges into the loop are all the one value
 * it starts with (itself a phi where several meet), those at back edges what comes round. Other phis are where paths
 * meet under conditions that fit no table; imm 0, and where the block is a loop's header too, themselves at back
 * edges. A loop's 64-bit value is one phi: its registers hold LO and HI of it (graph_carry.c). */
static inline bool graph_is_loop_phi(const struct graph *g, graph_id id)
{
    return graph_at(g, id)->kind == GRAPH_PHI && graph_at(g, id)->imm;
}

/* ---- expansions (graph_expand.c) -------------------------------------------------------------- */
void graph_set_expansions(struct graph *g, const struct graph_expansions *e);
/* False, GRAPH_NIL where none was looked for. */
static inline bool graph_is_owned(const struct graph *g, uint32_t insn)
{
    return g->expansions && g->expansions->owner[insn] != 0;
}
static inline bool graph_is_slow(const struct graph *g, uint32_t insn)
{
    return g->expansions && g->expansions->slow[insn];
}
static inline bool graph_is_inside(const struct graph *g, graph_id id)
{
    return g->expansions && id < g->expansions->nodes && g->expansions->inside[id];
}
static inline graph_id graph_reads(const struct graph *g, graph_id id)
{
    return g->expansions && id < g->expansions->nodes ? g->expansions->reads[id] : (graph_id)GRAPH_NIL;
}

static inline graph_id graph_shows(const struct graph *g, graph_id id)
{
    return g->expansions && id < g->expansions->nodes ? g->expansions->shows[id] : (graph_id)GRAPH_NIL;
}

/* ---- truth (graph_bool.c). NIL stands for true in `runs_when` and `path` -------------------- */
graph_id graph_true(struct graph *g);
graph_id graph_false(struct graph *g);
graph_id graph_not(struct graph *g, graph_id a);
graph_id graph_and(struct graph *g, graph_id a, graph_id b);
graph_id graph_or(struct graph *g, graph_id a, graph_id b);
/* a implies b, decided on the tables (false when not decided). */
bool graph_implies(struct graph *g, graph_id a, graph_id b);
/* `value` as it is when `given` holds: selects and tables are cut down. */
graph_id graph_assume(struct graph *g, graph_id value, graph_id given);
/* The same, and where neither arm of a select goes, less of its condition may be left, and less of its arms: another
 * node for the same value then, which only stands for it where `given` holds. */
graph_id graph_assume_within(struct graph *g, graph_id value, graph_id given);
/* In a turn of the loop (index), seen from its header: the condition under which another turn follows. NIL: always, or
 * too many ways lead back. */
graph_id graph_goes_round(struct graph *g, uint32_t loop);
/* The atoms and table of any B1 node (an atom alone: one atom, table 2). False beyond six atoms. */
bool graph_table(const struct graph *g, graph_id b1, graph_id atoms[6], unsigned *count, uint64_t *table);

/* ---- addresses (graph_affine.c): base + sum coefficient * term + offset, exact modulo 2^64 (2^32 for 32-bit nodes)
 * ------ */
enum { GRAPH_AFFINE_MAX = 8 };
struct graph_affine {
    graph_id base; /* a pointer parameter (CBANK b64 in the parameter range), the stack pointer, or NIL */
    struct {
        graph_id term;       /* the 32- or 64-bit node that is multiplied, extensions stripped (see `extend`) */
        int64_t coefficient; /* bytes */
        uint8_t extend;      /* 0 none, 1 sign-extended from 32 bits, 2 zero-extended */
    } terms[GRAPH_AFFINE_MAX];
    unsigned term_count;
    int64_t offset;
};
/* False when the node is no such sum (too many terms). Terms in ascending order of node. */
bool graph_affine(const struct graph *g, graph_id address, struct graph_affine *out);

/* ---- uses ----------------------------------------------------------------------------------- */
/* Nodes that have `id` as an argument; filled by graph_build (graph_index_users after adding nodes by hand). */
const graph_id *graph_users(const struct graph *g, graph_id id, uint32_t *count);
void graph_index_users(struct graph *g);
/* Defs that hold a node (its own or as LO/HI of it). */
const uint32_t *graph_defs_of(const struct graph *g, graph_id id, uint32_t *count);

/* Its own guard is false, whatever happens. */
bool graph_never_runs(const struct graph *g, const struct graph_insn *insn);

/* Text of a node for tests and dumps: "%7 = fadd.f32.ftz %3 %5". */
size_t graph_print(const struct graph *g, graph_id id, char *out, size_t size);

/* The compiler's own record says that the store or load at `offset` puts a register away or brings it back; false where
 * it keeps none (graph_env.spills_known). */
bool graph_is_recorded_spill(const struct graph *g, uint32_t offset);

#endif
