/* Between the files of pattern/ only. */
#ifndef SP_PAT_INTERNAL_H
#define SP_PAT_INTERNAL_H

#include "front/cu.h"
#include "pattern/pat.h"

/* ---- terms: a block's expression, compiled (pat_term.c) -------------------------------------- */
enum pat_term_kind {
    TERM_VARIABLE, /* metavariable `variable`; with an argument: a named part, which is that */
    TERM_NUMBER,
    TERM_SREG,      /* special register `sreg` */
    TERM_OPERATION, /* node of kind `kind`, or `float_kind` when its arguments are floats */
    TERM_MINMAX,    /* `maximum` of arg[0], arg[1] */
    TERM_COMPARE,   /* arg[0] `op` arg[1]: CU_LT … CU_NE */
    TERM_CHOICE,    /* arg[0] ? arg[1] : arg[2] */
    TERM_ELEMENT,   /* a load of `variable`[arg[0]]; `readonly`: the compiler vouches that nobody writes it */
    TERM_ADDRESS,   /* &`variable`[arg[0]] */
    TERM_ANY,       /* any computation: the elements arg[…] must occur; `ellipsis`: others may too */
    TERM_BITS,      /* arg[0], its bits read as `reads_as` */
    TERM_FOUND,     /* any computation of numbers: found by what it computes (pat_divide.c) */
    TERM_EACH,      /* the function `variable` of the elements of one place: the same wherever it occurs */
    TERM_LEFT,      /* no term: what stands behind it is outside the loop `within` was set for; `variable`: `begun` */
    TERM_REDUCED,   /* the result of a reduction of arg[0] by the operation `variable` or `named` */
};

enum { ANY_ROUNDING = 0xff };

struct pat_term {
    enum pat_term_kind kind;
    uint8_t operation, float_operation; /* node kinds: either will do; UOP_NOP: none */
    uint8_t function;                   /* GRAPH_REAL: enum graph_function */
    uint8_t rounding;                   /* enum uop_round, ANY_ROUNDING */
    enum uop_type reads_as;             /* BITS */
    bool commutative, maximum, readonly, ellipsis, saturate;
    enum cu_op op;
    enum cu_type type; /* NUMBER */
    double number;
    const char *named; /* REDUCED: "max" */
    int variable;
    unsigned sreg;
    const struct pat_term *arg[CU_MAX_ARGS];
    unsigned arg_count;
    unsigned weight; /* nodes that are no metavariables: how specific the term is */
};

struct pat_compile {
    struct arena *a;
    const struct cu_block *block;
    const char *where; /* page */
    struct diag_sink *diags;
    const struct pat_term *parts[CU_MAX_VARIABLES]; /* named parts met so far */
    unsigned visible;                               /* names a part may speak of; 0: all */
};
/* NULL with a diagnostic when the expression says something no machine value can be compared with. */
const struct pat_term *pat_compile_term(struct pat_compile *c, const struct cu_expr *e);
const struct pat_term *pat_compile_condition(struct pat_compile *c, const struct cu_expr *e);

/* ---- pages (pat_page.c) ---------------------------------------------------------------------- */
enum { PAT_VARIABLES = CU_MAX_VARIABLES };

struct pat_variant {
    const char *rule, *name; /* "clamp/nan", "nan"; the first block: "clamp", "" */
    struct cu_block block;
    const struct pat_term *value, *condition, *target; /* NULL: absent */
    int slow;                    /* metavariable that stands for what a slow path gives, -1: none */
    bool reduces;                /* speaks of reductions: elements may be loaded through pointers that are stepped */
    const struct pat_plan *plan; /* the block is steps, a loop or an effect (pat_collect.h); NULL: one of the above */
};

struct pat_page_binding {
    const char *key;
    const struct cu_expr *value;
};

/* The function of a binding that chooses one of its words, PAT_CHOICE_…; -1: another binding. */
int pat_choice_of(const struct cu_expr *e);

struct pat_page {
    const char *name, *id, *family;
    unsigned rules; /* real rules it allows */
    VEC(struct pat_page_binding) bindings;
    VEC(struct pat_variant) variants;
};

/* What was found out about computations that no kernel is named in: the next kernel asks of the same ones again. */
struct pat_memo {
    struct arena *a;
    struct map_u64 divisions; /* a computation's shape -> it is that division (pat_divide_try.c) */
};

struct pat_library {
    struct arena *a;
    VEC(struct pat_page) pages;
    struct pat_memo *memo;
};

/* ---- real rules and evaluation (pat_rules.c, pat_value.c) ------------------------------------ */
enum pat_rule {
    PAT_RULE_SELECT = 1,
    PAT_RULE_FMA = 2,
    PAT_RULE_EXP = 4,
    PAT_RULE_LOG = 8,
    PAT_RULE_DIV = 16,
    PAT_RULE_SCALED = 32,
    PAT_RULE_TURNS = 64,
};
enum { PAT_RULE_COUNT = 7, PAT_RULE_ALL = (1 << PAT_RULE_COUNT) - 1 };
extern const char *const pat_rule_names[PAT_RULE_COUNT]; /* bit k has name k */
/* Functions that are only approximated, whatever rule reads them so: the machine's own and those that expansions
 * compute. Bits above the rules in what a reading rests on; of a division or root rounded once there is none. */
enum { PAT_APPROXIMATED = 16 };
/* … and where a minimum or maximum is read: exactly or by the rule, what becomes of a NaN may differ. */
enum { PAT_READS_MINMAX = 1 << (PAT_RULE_COUNT + PAT_APPROXIMATED) };
extern const char *const pat_approximated_names[PAT_APPROXIMATED]; /* bit PAT_RULE_COUNT + k has name k */
/* 0, or the bit of the function that the node is. */
uint32_t pat_approximated(const struct graph_node *n);

/* A node read as the smaller or larger of two. */
struct pat_minmax {
    bool maximum;
    graph_id a, b;
    enum uop_type as; /* how its arguments are read: a float format, or B32/B64 */
    bool is_unsigned;
    bool exact;       /* false: equal for real numbers only (PAT_RULE_SELECT) */
    bool keeps_nan;   /* exact, and a NaN argument gives NaN */
    bool select;      /* made by compare and select */
    bool spelled_out; /* under several compares */
};
bool pat_minmax_of(const struct graph *g, graph_id node, struct pat_minmax *out);
/* The same; what took evaluating is kept in *known, 0 at first. */
bool pat_minmax_known(const struct graph *g, graph_id node, uint8_t *known, struct pat_minmax *out);

bool pat_is_float(enum uop_type type);
/* The k-th special value of a format in the order of D14: NaN, +0, -0, the least subnormal, 1, -1, … */
enum {
    PAT_SPECIALS = 11,
    PAT_SPECIAL_NAN = 0,
    PAT_SPECIAL_ZERO,
    PAT_SPECIAL_MINUS_ZERO,
    PAT_SPECIAL_SUBNORMAL,
    PAT_SPECIAL_ONE
};
uint64_t pat_special(enum uop_type format, unsigned k);
bool pat_is_nan(enum uop_type format, uint64_t bits);
bool pat_is_zero(enum uop_type format, uint64_t bits);
bool pat_is_subnormal(enum uop_type format, uint64_t bits);
/* Equal results: the same bits, or both NaN. */
bool pat_same(enum uop_type format, uint64_t x, uint64_t y);
/* Evaluates a pure node on given argument bits; false when it cannot be computed. */
bool pat_eval_node(const struct graph *g, graph_id node, const uint64_t *args, uint64_t *result);
/* The compare-and-select `node` with its two operands (view `v`) as x and y. */
bool pat_eval_select(const struct graph *g, graph_id node, const struct pat_minmax *v, uint64_t x, uint64_t y,
                     uint64_t *result);
uint64_t pat_eval_minmax(enum uop_type format, bool maximum, unsigned flags, uint64_t x, uint64_t y);

/* Whole expressions, evaluated many times: their nodes in an order of work. What the evaluator cannot
 * compute (approximations of the hardware) becomes some fixed function of its arguments, NaN staying NaN:
 * enough to see whether two readings of one expression differ. */
enum { PAT_TAPE_MAX = 384 };
struct pat_tape {
    const struct graph *g;
    struct arena *a;
    unsigned count;
    graph_id node[PAT_TAPE_MAX];
    uint16_t arg[PAT_TAPE_MAX][UOP_MAX_ARGS + 1]; /* slots */
    struct uop op[PAT_TAPE_MAX];                  /* what a computed slot does; of a truth table: GRAPH_BOOL, rows */
    uint64_t value[PAT_TAPE_MAX];
    bool computed[PAT_TAPE_MAX]; /* else a leaf or a constant */
    int reciprocal;              /* 0: rcp is some function; PAT_RECIPROCAL + ulp: 1/x, off by so many units */
};
enum { PAT_RECIPROCAL = 16 };
/* False when the roots are made of more nodes than a tape holds, or of something that is no leaf and no
 * function of its arguments. */
bool pat_tape_build(struct pat_tape *t, struct arena *a, const struct graph *g, const graph_id *roots,
                    unsigned root_count, const graph_id *leaves, unsigned leaf_count);
void pat_tape_give(struct pat_tape *t, graph_id leaf, uint64_t bits);
void pat_tape_run(struct pat_tape *t);
uint64_t pat_tape_value(const struct pat_tape *t, graph_id node);

/* ---- what the matcher asks of a graph (pat_index.c) ------------------------------------------ */
struct pat_index {
    struct arena *a;
    struct graph *g;
    graph_id count;                  /* nodes there were when the run began */
    uint8_t *minmax;                 /* for pat_minmax_known() */
    bool *live;                      /* some effect depends on it */
    uint8_t *spread;                 /* enum pat_spread of each node: does it differ between the threads of a launch */
    uint32_t *merged_start, *merged; /* defs that hold a node through a guarded write */
    const struct pat_expanded *expanded; /* readings found so far; NULL: none yet */
    struct map_u64 first_load;           /* LOAD node -> an access that reads it; others through next_load */
    struct map_u64 piece_guards;         /* cycle + 1 << 32 | condition that a piece of it runs under (pat_piece.c) */
    uint32_t *next_load;                 /* access -> another of the same node, UINT32_MAX */
};
enum sp_status pat_index_init(struct pat_index *x, struct arena *a, struct graph *g);
enum pat_spread { PAT_UNIFORM = 1, PAT_VARIES, PAT_SPREAD_UNKNOWN };
enum pat_spread pat_spread_of(const struct pat_index *x, graph_id node);
/* A function of its arguments alone: arithmetic, selection, conditions. */
bool pat_is_pure(const struct graph_node *n);
/* Calls back for every reachable instance that made this node in a register. */
typedef void (*pat_holder_fn)(void *user, uint32_t insn, bool merged);
void pat_holders(const struct pat_index *x, graph_id node, pat_holder_fn fn, void *user);
/* Calls back for every instance that loads this LOAD node. */
void pat_loaders(const struct pat_index *x, graph_id node, pat_holder_fn fn, void *user);
bool pat_has_holder(const struct pat_index *x, graph_id node);
/* A half of a 64-bit value that the same operation makes: the whole is what a match speaks of. */
bool pat_is_half(const struct pat_index *x, graph_id node);
/* True when an instruction (not the meeting of two branches) made this value. */
bool pat_made_by_instruction(const struct pat_index *x, graph_id node);
/* Defs whose guarded write leaves the node. */
const uint32_t *pat_merged_of(const struct pat_index *x, graph_id node, uint32_t *count);
/* Choices between pieces of one loop of the source (pat_piece.c). */
bool pat_find_piece_guards(struct pat_index *x);
bool pat_chooses_piece(const struct pat_index *x, graph_id node);

/* ---- readings and expansions (pat_expand.c, pat_guard.c, pat_own.c) --------------------------- */
/* A value that is a function no one operation is, or that reads as another by a real rule. */
struct pat_reading {
    graph_id node, as; /* `as`: a node that says it, over other values of the graph */
    unsigned via;      /* real rules it rests on */
    bool closed;       /* only `as` is to be seen of it */
    bool owned;        /* … and its instructions are those of an expansion's match */
    bool parts; /* what it is made of is not to be seen, itself is: a product of that sort contracted with a sum */
    const graph_id *inner; /* nodes between `node` and the arguments of `as` */
    unsigned inner_count;
};
struct pat_expanded {
    struct map_u64 of; /* node -> index into list */
    VEC(struct pat_reading) list;
    VEC(struct pat_found *) found; /* matches of pages that read or expand, with their covers */
    struct map_u64 made;           /* content -> node made for a reading */
    const bool *inside;            /* by node, as in graph_expansions; NULL: not known yet */
    graph_id nodes;
};
const struct pat_reading *pat_reading_of(const struct pat_index *x, graph_id node);
/* Inside an expansion, or its result: what it is made of is nobody else's. */
bool pat_is_hidden(const struct pat_index *x, graph_id node);
/* The same node, or expansions that compute the same. */
bool pat_same_value(const struct pat_index *x, graph_id a, graph_id b);
/* The function a block means by a call, as a node kind and (for GRAPH_REAL) its enum graph_function. */
bool pat_function_named(const char *name, unsigned args, unsigned *kind, unsigned *function);
/* The forms in which machines keep an approximation away from subnormals and infinities (pat_guard.c): reads `node` as
 * the plain one. */
enum { PAT_GUARD_INNER = 12 };
/* A product of log2 `x` (or of what reads so) that is a logarithm of another base. */
bool pat_logarithm(struct graph *g, graph_id node, graph_id *x, unsigned *function);
/* The sine or cosine of `x` by one of turns. */
bool pat_sine(struct graph *g, graph_id node, graph_id *x, unsigned *function);
bool pat_guarded(struct graph *g, graph_id node, graph_id *as, graph_id inner[PAT_GUARD_INNER], unsigned *inner_count);
/* Integer divisions, found by what they compute (pat_divide.c). */
struct pat_division {
    graph_id node, a, b; /* a / b, a % b; b NIL: by the constant `divisor` */
    uint32_t divisor;
    bool remainder, is_signed, wide; /* wide: of 64 bits */
    const graph_id *inner;           /* between the node and its numbers */
    unsigned inner_count;
};
struct pat_divisions {
    VEC(struct pat_division) list;
};
enum sp_status pat_find_divisions(struct arena *a, const struct pat_index *x, struct pat_memo *memo,
                                  struct pat_divisions *out);
/* Functions of mathematics, found by what they compute (pat_function.c). */
struct pat_function {
    graph_id node, argument[4];
    unsigned count;
    enum uop_type type;    /* format of the numbers */
    bool also;             /* it lies within another function, and is a result by itself */
    bool integral;         /* but the result is an integer */
    unsigned whole;        /* 1 + the argument that is said as an integer */
    const char *name;      /* as pages call it */
    unsigned round;        /* enum uop_round: where it is not to nearest, the bits are those */
    const graph_id *inner; /* between the node and its arguments */
    unsigned inner_count;
    bool walks;        /* branches choose between ways of computing it … */
    uint32_t from, to; /* … between these blocks */
};
struct pat_functions {
    VEC(struct pat_function) list;
};
bool pat_is_of_table(const struct graph *g, graph_id address);
enum sp_status pat_find_functions(struct arena *a, const struct pat_index *x, struct pat_functions *out);

/* Slow paths (pat_branch.c): code without an effect behind a branch that comes back to where the quick way goes on. */
struct pat_branches {
    uint32_t
        *leads; /* by block, two each: where the blocks it dominates lead when none has an effect, no more than two */
    struct map_u64 of; /* condition -> 1 + block whose branch it decides; more through `next` */
    uint32_t *next;
    uint32_t *child, *sibling; /* tree of dominators */
    uint32_t *join; /* of each block: where all blocks that it dominates lead to, none of which has an effect; else
                       UINT32_MAX */
    VEC(uint32_t) shared; /* blocks with a join that several blocks lead to */
};
bool pat_branches_init(struct pat_branches *b, struct arena *a, const struct graph *g);
/* Instances that run only where `when` holds, with the branch and the marks of reconvergence round them (`fringe`
 * counts these: they come last). False: there is no such path. */
struct pat_slow {
    VEC(uint32_t) insns;
    uint32_t fringe;
    VEC(graph_id) nodes; /* of a function: what only places in its own memory are made of */
};
/* The blocks `first` dominates: no effect in them, and one place where they all lead. */
bool pat_add_region(const struct pat_branches *b, struct arena *a, const struct graph *g, uint32_t first,
                    struct pat_slow *out, uint32_t *join);
struct pat_fringe { /* the branch to a slow path, and the marks of reconvergence round it */
    VEC(uint32_t) insns;
};
/* `from` leads to the slow path, whose ways come together in `join`. */
void pat_add_fringe(struct arena *a, const struct graph *g, uint32_t from, uint32_t join, struct pat_fringe *f);
bool pat_slow_path(const struct pat_branches *b, struct arena *a, struct graph *g, graph_id when, struct pat_slow *out);
bool pat_has_effect(const struct graph *g, uint32_t insn); /* beyond the thread's registers and own memory */
bool pat_reconverges(const struct graph *g, uint32_t insn, uint64_t how);
/* The branches by which a function's nodes are chosen, and what else of its code makes nothing but them: loops first,
 * they are slow; the others are `fringe` (pat_between.c). */
bool pat_function_code(struct arena *a, const struct pat_index *x, const struct pat_branches *b,
                       const struct pat_function *f, const struct map_u64 *all, struct pat_slow *out);
/* Neither way of the block's branch has an effect, and both come to the same block. */
bool pat_ways_meet(const struct pat_branches *b, const struct graph *g, uint32_t block, uint32_t *join);
/* Marks blocks whose branch may be a library function's, for numbers that are special (pat_special.c). */
bool pat_mark_special(struct arena *a, const struct graph *g, bool *marks);
/* By call: the callee may be a routine that a library or the compiler added; NULL: no memory. */
bool *pat_routines(struct arena *a, const struct graph *g);
/* By call: a routine that does one thing which the language has a function for, by itself or by what it calls:
 * unoptimised code calls the language's own headers so. */
bool *pat_single_things(struct arena *a, const struct graph *g);
/* Atomic updates made once for a warp (pat_aggregate.c): marks the instances of the way that is a copy, and adds what
 * the update gives as a reading. */
struct pat_aggregates {
    uint32_t *owner, number; /* by instance, as in graph_expansions */
    bool *slow, *mine;
    bool *part; /* by node */
};
void pat_find_aggregates(struct pat_index *x, struct pat_expanded *e, struct pat_aggregates *m);
/* The update is one chosen lane's, of what the machine reduced over the lanes that run. */
bool pat_aggregate_reduces(const struct graph *g, const struct graph_access *a, graph_id *reduced);
/* Fills owner, slow, inside and reads from the closed readings. */
enum sp_status pat_own(struct arena *a, struct pat_index *x, const struct pat_branches *b, struct pat_expanded *e,
                       struct graph_expansions *out);

/* ---- the matcher (pat_match.c) --------------------------------------------------------------- */
struct pat_bound {
    bool set;
    graph_id node;
    enum uop_type as;
    int param;              /* arrays: the parameter */
    const char *text;       /* arrays and indices */
    uint32_t element_bytes; /* arrays */
    bool counted;
    int64_t number;
};

struct pat_inner {
    graph_id node;
    const struct pat_term *term; /* NULL: inside a TERM_ANY or an address */
    bool load;                   /* only its own instruction belongs to the match */
};

struct pat_spot { /* an element that a term which speaks of reductions named */
    int param;    /* of a function of elements: its variable */
    graph_id load;
    graph_id whole; /* the function's value; GRAPH_NIL: the element itself is named */
    uint32_t cycle; /* + 1: the loop that brings it; 0: none */
    uint32_t begun; /* + 1: what the reduction holds before the loop's own (pat_collect.h); 0: nothing */
    bool reduced;   /* within a reduction */
};

struct pat_top {
    const struct pat_collective *v;
    uint32_t count; /* elements that each thread brings to it */
};

struct pat_pick {
    graph_id leaf;
    uint32_t top; /* of the reduction, in `tops` */
};

struct pat_present {
    graph_id when;
    uint32_t cycle; /* + 1: of the load that it guards; 0: none */
};

struct pat_ctx {
    struct mean *m;
    struct graph *g;
    struct arena *a;
    struct pat_index *x;
    const struct pat_page *page;
    const struct pat_variant *variant;
    struct pat_bound bound[PAT_VARIABLES];
    VEC(struct pat_inner) inner;
    VEC(graph_id) conditions; /* their compares belong to the match */
    VEC(graph_id) carriers;   /* conditions made of the matched one and others: only what holds them belongs */
    VEC(graph_id) readings;   /* nodes read as min or max: node, first argument, second argument */
    unsigned via;
    graph_id root;
    int word;                              /* word of a wide store being matched, -1 */
    unsigned steps;                        /* left before this root is given up */
    bool partial;                          /* some goals are solved apart: `where` waits */
    const struct pat_branches *branches;   /* for slow_path(); NULL: there are none */
    struct pat_slow slow_path;             /* what slow_path() found */
    struct pat_collect *collect;           /* what threads do together (pat_collect.h); NULL: not known yet */
    VEC(const struct pat_found *) spoken;  /* matches of the reductions a term spoke of */
    VEC(struct pat_collective *) gathered; /* and those that are loops of a thread */
    uint32_t within;                       /* + 1: the loop whose element is being matched */
    uint32_t begun;                        /* + 1: and what its reduction began with */
    bool reducing;                         /* what a reduction is of is being matched */
    VEC(struct pat_spot) spots;
    VEC(struct pat_top) tops;        /* reductions spoken of, without those they are made of */
    VEC(struct pat_pick) picks;      /* of several elements that a thread brings: the one the term goes on with */
    VEC(struct pat_present) present; /* conditions under which elements take part in them */
    unsigned reach;                  /* enum pat_reach: of the reductions a term spoke of, the widest */
    bool rests;                      /* on the size of the block */
    bool walked;                     /* that loops bring the same elements was seen for many numbers only */
};
enum { PAT_CHOICE_SYNC, PAT_CHOICE_SELF, PAT_CHOICE_SCOPE, PAT_CHOICES }; /* functions of bindings that choose a word */
void pat_ctx_begin(struct pat_ctx *c, const struct pat_page *page, const struct pat_variant *variant, graph_id root);
/* All of these leave the bindings and lists of the first way that fits in the context. */
bool pat_match_value(struct pat_ctx *c, const struct pat_term *t, graph_id node, enum uop_type as);
bool pat_match_target(struct pat_ctx *c, const struct pat_term *target, const struct pat_term *value, graph_id address,
                      enum uop_space space, unsigned width, graph_id stored);
/* A condition given as an atom and whether it is negated. */
bool pat_match_literal(struct pat_ctx *c, const struct pat_term *t, graph_id atom, bool negated);
bool pat_match_address(struct pat_ctx *c, const struct pat_term *t, graph_id address, enum uop_space space,
                       unsigned width);
bool pat_match_guarded(struct pat_ctx *c, const struct pat_term *condition, const struct pat_term *value,
                       graph_id guard, graph_id loaded);
/* Several terms at once. */
bool pat_match_goals(struct pat_ctx *c, const struct pat_term *const *terms, const graph_id *nodes, unsigned count);
/* The result of this reduction as TERM_REDUCED. */
struct pat_collective;
bool pat_match_collective(struct pat_ctx *c, const struct pat_term *t, struct pat_collective *v);
bool pat_assumes(const struct pat_ctx *c); /* a condition the match rests on is not known to hold */
bool pat_match_where(struct pat_ctx *c);

/* ---- runs (pat_run.c), what a match covers (pat_cover.c) ------------------------------------- */
struct pat_found {
    struct pat_match match;
    const struct pat_page *page;
    const struct pat_variant *variant;
    unsigned page_order, weight, via;
    struct pat_bound bound[PAT_VARIABLES];
    VEC(struct pat_inner) inner;
    VEC(graph_id) readings;
    uint32_t first, last; /* byte offsets */
    graph_id stored;      /* stores: the value, for its text */
    uint32_t store;       /* and the access + 1; 0: none */
    bool climbed;         /* a part of what an instruction makes: only the whole is in a register */
    uint32_t slow_count;  /* instances of slow paths, among match.insns, in `slow` */
    const uint32_t *slow;
    uint8_t choice[PAT_CHOICES]; /* which word a binding's function takes */
    uint32_t cycle;
    const struct pat_collective *of; /* of whose elements something is made, several a thread; NULL: none */
    struct map_u64 made_of;          /* these elements */
    bool held;                       /* no match unless something completes it */
    bool also;                       /* lies within such a one, and is a result by itself */
    bool whole;                      /* an expansion of which nothing is to be seen, expansions in it neither */
    bool rests;                      /* what speaks of it is assumed */
    unsigned width;                  /* threads that take part */
    enum uop_type as;
};
/* From this block on nothing happens but the end of the thread. */
bool pat_only_leaves(const struct graph *g, uint32_t block);
/* The instances that belong to what the context matched, with `extra` ones, ascending. */
void pat_cover(const struct pat_ctx *c, const uint32_t *extra, unsigned extra_count, struct pat_found *out);
/* Order, nesting, bindings: from all that was found to the result (pat_order.c). */
enum sp_status pat_finish(struct mean *m, struct arena *a, struct pat_index *x, struct pat_found **found,
                          uint32_t count, struct pat_result *out);
/* Real readings of all nodes (pat_real.c). */
graph_id pat_real_node(const struct pat_result *matches, graph_id node);
graph_id pat_plain_node(const struct pat_result *matches, graph_id node);
enum sp_status pat_real_build(struct mean *m, struct arena *a, struct pat_index *x, struct pat_found *const *found,
                              uint32_t count, struct pat_result *out);

#endif
