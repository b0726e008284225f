/* Between the files that find what threads do together (pat_collect_*.c, pat_play.c): steps in which every thread
 * combines its own value with another's, the blocks of pages that describe such steps, and what comes of playing both
 * for a block of threads. */
#ifndef SP_PAT_COLLECT_H
#define SP_PAT_COLLECT_H

#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"
#include "pattern/pat_internal.h"

/* ---- operations that may be taken in any order (pat_collect_op.c) ---------------------------- */
enum pat_op { PAT_OP_NONE, PAT_OP_ADD, PAT_OP_MUL, PAT_OP_MIN, PAT_OP_MAX, PAT_OP_AND, PAT_OP_OR, PAT_OP_XOR };
const char *pat_op_text(enum pat_op op);   /* "add" */
enum pat_op pat_op_find(const char *text); /* "+", "max", "add"; NONE: no such operation */
bool pat_op_again(enum pat_op op);         /* taking an element twice changes nothing */

struct pat_binary { /* a node read as op(a, b) */
    enum pat_op op;
    graph_id a, b;
    bool exact;               /* false: compare and select, for real numbers only */
    enum uop_type as;         /* the numbers it is of: a float format, or B32/B64 */
    bool is_unsigned, packed; /* of two halves alike */
    uint8_t round;            /* of a float operation (enum uop_round) */
    graph_id read; /* an expansion's last operation takes the sum with it: the node; GRAPH_NIL: it does not */
};
/* The same operation on the same numbers: what steps must be to add up to one. */
bool pat_alike(const struct pat_binary *a, const struct pat_binary *b);
/* A constant that leaves a result of such operations as it is: for a minimum or maximum the end of the numbers' range,
 * or the largest finite one of that sign. */
bool pat_is_neutral(const struct graph *g, const struct pat_binary *like, graph_id node);
graph_id pat_neutral(struct graph *g, const struct pat_binary *like); /* such a constant; GRAPH_NIL: not known */
bool pat_binary_of(struct pat_index *x, graph_id node, struct pat_binary *out);
/* True when `node` is op(a, b): also where a sum of integers is flat. */
bool pat_is_op(struct pat_index *x, graph_id node, enum pat_op op, graph_id a, graph_id b);

/* ---- steps ----------------------------------------------------------------------------------- */
struct pat_step {
    uint32_t insn;       /* instance of the store, or of the operation */
    uint32_t store;      /* access; UINT32_MAX: kept in a register */
    uint32_t load_own;   /* access; UINT32_MAX: its own value is in a register */
    uint32_t again;      /* access that loads what was loaded or stored before once more: the own element, or the one
                            chosen of the two; UINT32_MAX: none */
    uint32_t load_other; /* access; UINT32_MAX: a shuffle */
    graph_id value, own, other;
    graph_id when;   /* GRAPH_NIL: always */
    graph_id stored; /* when its store runs: also for threads that take nothing in and store what they had */
    graph_id chosen; /* a select between the other element and what changes nothing; GRAPH_NIL: none */
    graph_id own_address, other_address;
    int64_t moved;        /* bytes from the place its own element was in to the one it stores to: a second buffer */
    int64_t other_bytes;  /* of the other element behind its address: a wide load brings several */
    unsigned mode, width; /* of the shuffle; bytes of an element */
    graph_id lane, clamp; /* its operands */
    enum pat_op op;
    struct pat_binary like; /* of which numbers */
    bool exact;
    uint32_t loop; /* innermost loop + 1 in whose turns it happens; 0: once */
};

enum { PAT_THREADS = 1024, PAT_TURNS = 40 };
/* One step for all threads of a block: element [own] takes in element [other]; own -1: not this thread. It may store
 * element [kept] as it was; -1: none. */
struct pat_turn {
    uint32_t step;
    bool moved; /* elements that nobody stores are left behind */
    int16_t own[PAT_THREADS], other[PAT_THREADS], kept[PAT_THREADS];
};
struct pat_trace {
    unsigned threads, count;
    bool runs; /* some step stands in a loop or under a condition on the size of the block */
    struct pat_turn *turn[PAT_TURNS];
};
/* Plays steps (in order of the code) for a block of `threads` threads. False: something is not known. */
struct pat_play;
struct pat_play *pat_play_new(struct arena *a, struct pat_index *x);
bool pat_play_steps(struct pat_play *p, const struct pat_step *steps, uint32_t count, unsigned threads,
                    struct pat_trace *out);
/* From now on the threads of one column (threadIdx.y) are played, or those of one row. */
void pat_play_down(struct pat_play *p, bool down, unsigned column);
bool pat_play_asks_rows(const struct pat_play *p); /* for threadIdx.y or z */
/* What was seen of the first column holds of others, and these have elements of their own. */
bool pat_play_columns(struct pat_play *p, const struct pat_step *steps, uint32_t count, const struct pat_trace *seen,
                      struct pat_trace *other);
/* True when a value may differ between the threads of one block. */
bool pat_differs_in_block(struct pat_play *p, graph_id node);
/* Adds the nodes and branches that count the turns of a loop. */
void pat_play_counters(struct pat_play *p, uint32_t loop, struct pat_ctx *c);

/* ---- blocks of pages that speak of steps, loops and effects (pat_collect_page.c) ------------- */
enum { PAT_FOLD_MAX = 8, PAT_BEGUN_MAX = 8 }; /* names that a block carries round a loop; elements from before it */
enum pat_outcome { PAT_NOTHING, PAT_ALL_IN_ONE, PAT_PREFIXES, PAT_PART };
/* What a name in a block that is played means (cu_expr.meaning). */
enum pat_name { PAT_NAME_UNKNOWN, PAT_NAME_COUNTER, PAT_NAME_THREAD, PAT_NAME_THREADS };
enum pat_plan_kind {
    PLAN_MEMORY,  /* steps through an array that threads share */
    PLAN_LANES,   /* steps between the lanes of a warp */
    PLAN_FOLD,    /* what a loop accumulates */
    PLAN_MERGE,   /* what threads accumulate of one another's accumulators */
    PLAN_COUNTER, /* a loop by its counter */
    PLAN_UNROLL,  /* a loop that was copied */
    PLAN_PERFORM, /* an effect by name */
    PLAN_WARP,    /* an operation of the whole warp that has a value */
    PLAN_BRANCH,  /* a branch that is no loop's and no return */
    PLAN_STAGE,   /* elements brought where other threads read them */
    PLAN_FRAME,   /* the thread's own memory */
};
struct pat_plan {
    enum pat_plan_kind kind;
    const struct cu_loop *loop;
    const struct cu_statement *statements;
    unsigned statement_count;
    const struct cu_expr *guard, *own, *other;            /* steps: condition, own index, other index or distance */
    int operation, array, value, thread, counter, factor; /* variables; -1: none */
    enum pat_op fixed;                                    /* an operation that the block writes out */
    unsigned mode;                                        /* of the shuffle */
    const char *name;                                     /* PERFORM, WARP */
    enum pat_outcome means; /* MEMORY, LANES: what the block by itself makes of its elements */
    /* FOLD: the terms, last assignment first, and which accumulator or earlier name each gives */
    const struct pat_term *term[CU_MAX_STATEMENTS];
    int target[CU_MAX_STATEMENTS];
    int accumulator[PAT_FOLD_MAX];
    int others[PAT_FOLD_MAX]; /* MERGE: the name of another thread's; -1: none */
    unsigned accumulators;
    const struct pat_term *result[CU_MAX_RESULTS]; /* FOLD: reductions that accumulators then are */
    int result_of[CU_MAX_RESULTS];
    unsigned result_count;
    const struct pat_term *start, *condition, *next; /* COUNTER */
};
/* A plan where the block is of such a form; NULL with *refused false where it is none. */
const struct pat_plan *pat_compile_plan(struct pat_compile *c, const struct cu_block *b, bool *refused);

/* Plays the block beside the trace from turn `from`: how many turns agree (0: none) until the block's loop ends or,
 * where it is left open, as far as they go. *ended: the block came to its end; *beyond: threads that act in the machine
 * code and not in the block. */
unsigned pat_play_block(const struct pat_plan *plan, const struct pat_trace *t, unsigned from, bool *ended,
                        unsigned *beyond);
/* What became of elements that each thread brought, after turns [from, from + count). */
enum pat_outcome pat_play_outcome(struct arena *a, const struct pat_trace *t, unsigned from, unsigned count,
                                  enum pat_op op, unsigned *left, bool *everywhere);
/* All turns together leave in each element those before it, in rows of `width`. */
bool pat_play_prefixes(struct arena *a, const struct pat_trace *t, enum pat_op op, unsigned width);

/* What a block by itself makes of its elements. */
enum pat_outcome pat_play_meaning(struct arena *a, const struct pat_plan *plan);

struct pat_begun {
    graph_id element[PAT_BEGUN_MAX]; /* that accumulators hold before their loop's own */
    unsigned count;
    bool again;                           /* the loop goes on where it was left, within another one */
    struct pat_binary like[PAT_FOLD_MAX]; /* what each accumulator of the block is made by */
    VEC(struct pat_inner) inner;          /* of steps before the loop */
};

/* ---- what was found together ----------------------------------------------------------------- */
enum pat_reach { PAT_IN_THREAD, PAT_IN_WARP, PAT_IN_BLOCK };
struct pat_collective {
    enum pat_op op;
    struct pat_binary like; /* the operation, of which numbers */
    enum pat_reach reach;
    enum pat_outcome outcome;
    unsigned left;             /* PAT_PART: elements that are left */
    unsigned width;            /* threads that take part */
    struct pat_found *found;   /* NULL: a loop's own, no page's */
    bool goes_on;              /* PAT_IN_THREAD: with what another loop gathered, of which `inputs` says nothing */
    bool scaled;               /* a sum whose parts are scaled on the way: a plain reduction it is none */
    bool chained;              /* one thread after another result of the warps, in straight code: no page's */
    struct pat_collective *of; /* what is known to be taken in: chained, what the warps have */
    VEC(graph_id) taken;       /* chained: the loads */
    VEC(uint32_t) stores, fills;
    VEC(const struct pat_step *) steps; /* between threads */
    graph_id said;                      /* stands for the result, whoever has it; GRAPH_NIL: nothing does */
    VEC(graph_id) values;               /* its partial results, the last one last */
    struct map_u64 partial;             /* PAT_IN_THREAD: what the accumulator is in any piece, on any path */
    uint32_t cycle;                     /* PAT_IN_THREAD: + 1 */
    const struct pat_page *running;     /* of this page something was made of it while its loop still went on */
    uint32_t begun; /* PAT_IN_THREAD: + 1: what it holds before its loop's own elements, in `begun`; 0: nothing */
    VEC(graph_id) inputs;
    const struct pat_term *asked; /* whether all that each thread brings is as this term says */
    bool fit;
    graph_id result_address; /* of the element that holds the result; GRAPH_NIL: none */
    bool everywhere;         /* every thread has the result */
    bool down;               /* of each column of threads one */
    uint32_t last;           /* instance of its last step */
    uint32_t first;
    struct pat_collective *finisher; /* PAT_PART: the one that takes what is left; NULL: none */
    bool rests;                      /* of a block of its size only, or of others too: not seen for every size */
    bool exact;
};
struct run;          /* pat_run.c */
struct pat_part_of { /* a partial value of list[of]; the one before of the same node: next, UINT32_MAX: none */
    uint32_t of, next;
};
struct pat_collect {
    struct arena *a;
    struct run *run;
    struct pat_index *x;
    struct mean *m;
    struct pat_play *play;
    struct pat_ctx *c;
    unsigned page_order;
    struct pat_result *out;
    VEC(struct pat_step) steps; /* through memory, in order of the code */
    VEC(struct pat_step) lanes; /* between lanes */
    bool *step_load;            /* by access: a step loads it */
    bool *step_access;          /* by access: a step loads or stores there */
    unsigned left;              /* steps of a search for a result */
    struct pat_trace *trace;    /* work */
    struct pat_trace *column;
    bool down; /* columns of threads are played */
    VEC(struct pat_collective *) list;
    struct map_u64 partial_of; /* of nodes: the last one in `list` that has it as a partial value, by `partials` */
    VEC(struct pat_part_of) partials;
    VEC(struct pat_begun) begun;           /* of loops' reductions that hold elements from before */
    struct map_u64 straight_of;            /* of nodes: + 1 into `straight`, 0: none */
    VEC(struct pat_collective *) straight; /* of values that a thread has in registers (pat_match_reduced.c) */
    bool ready;
};
enum sp_status pat_collect_begin(struct pat_collect *k, struct run *run, struct pat_ctx *c, struct pat_result *out);
/* Keeps what the context matched (pat_run.c); NULL: nothing in the machine code shows it. */
struct pat_found *pat_keep(struct run *r, graph_id root, const uint32_t *extra, unsigned extra_count);
/* What is kept from now on is the page's of that number. */
void pat_run_at_page(struct run *r, unsigned order);
/* Runs all pages' blocks that are steps; then a page's with another plan. */
void pat_collect_steps(struct pat_collect *k, const struct pat_library *lib);
void pat_collect_page(struct pat_collect *k, const struct pat_page *page);
void pat_collect_loops(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v);
void pat_collect_effects(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v);
void pat_collect_moves(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v);
/* What is read in each turn can come from the step that wrote the element last (pat_collect_order.c): a load that was
 * moved before the store of the step it should follow reads what was there before. */
bool pat_reads_newest(struct pat_collect *k, const struct pat_step *steps, const struct pat_trace *t, unsigned from,
                      unsigned count);
/* Within a turn nobody stores what another thread loads, unless all meet in between. Lanes of one warp that run in step
 * load before they store: *assumed. */
bool pat_overtakes_nobody(struct pat_collect *k, const struct pat_step *steps, const struct pat_trace *t, unsigned from,
                          unsigned count, bool *assumed);
/* A load from shared memory, or one element of a wide one: its access, and how far behind the address it lies. */
uint32_t pat_shared_load(const struct pat_index *x, graph_id node, int64_t *bytes);
bool pat_same_place(const struct graph *g, graph_id a, int64_t a_bytes, graph_id b);
/* Steps that are not stored (pat_collect_kept.c); and the first instance that has a value, UINT32_MAX: none. */
void pat_collect_kept(struct pat_collect *k);
uint32_t pat_first_holder(struct pat_collect *k, graph_id node);
/* A thread that takes the results of all warps together, one after the other (pat_collect_chain.c). */
void pat_collect_chains(struct pat_collect *k);
/* The collective whose result a node is for the first thread. */
struct pat_collective *pat_collect_first(struct pat_collect *k, graph_id node);
/* Elements of shared memory, as far behind an address. */
struct pat_place {
    graph_id address;
    int64_t bytes;
};
/* True when, in a block of some size, these elements are what each warp stored, each once; `own`: but for the first
 * warp's. *always: in blocks of all sizes tried. */
bool pat_play_takes_all(struct pat_play *p, uint32_t store, bool everywhere, const struct pat_place *at, unsigned count,
                        bool own, bool *always);
/* When all steps are known: parts that others finish, and what loops gather. */
void pat_collect_folds(struct pat_collect *k);
/* What the accumulators of a block begin with, all together (pat_collect_start.c). */
bool pat_collect_begins(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v,
                        const struct graph_fold *f, const unsigned *which, graph_id element, struct pat_begun *out);
/* The block's statements make of accumulators `in` (in the block's order), and of those of another thread, `other`
 * (NULL: of none), those of `out`, or what is `shown` in their places (NULL: themselves); *element: what they are told
 * to be made of. What has matched is in the context. */
bool pat_match_step(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v, const graph_id *in,
                    const graph_id *other, const graph_id *out, const graph_id *shown, graph_id *element);
/* The same of several elements at once, one of whose accumulators is a maximum of all of them (pat_collect_tile.c). */
bool pat_match_tile(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v,
                    const struct graph_fold *f, const graph_id *in, const graph_id *out);
/* The first name of a term that is none of the block's accumulators; -1: none. */
int pat_element_name(const struct pat_plan *plan, const struct pat_term *t);
/* A term as a node, `of` in the place of its reductions by any operation; NIL: it cannot be said. */
graph_id pat_spell_of(struct pat_collect *k, const struct pat_term *t, graph_id of);
/* A node is the number that a block's result is where there is one element alone. */
bool pat_is_of_one(const struct graph *g, const struct pat_term *result, graph_id id);
/* Accumulators that threads merge (pat_collect_merge.c): when all reductions are known. */
void pat_collect_merges(struct pat_collect *k, const struct pat_page *page);
/* The stores that steps read are theirs or brought the elements (`fills`), nothing is overtaken; what parts them is
 * added to `parts`. */
struct pat_ordered {
    bool block, warp, assumed;
    VEC(uint32_t) parts;
};
bool pat_steps_ordered(struct pat_collect *k, const struct pat_step *const *steps, uint32_t count,
                       struct pat_collective *v, struct pat_ordered *seen);
/* A step's own value in a register is what the thread last stored: a partial result or what it brought; *loaded: some
 * way loads it again. */
bool pat_is_carried(struct pat_collect *k, const struct pat_step *const *steps, uint32_t count,
                    const struct pat_collective *v, graph_id own, bool *loaded);
/* What is brought was itself made by steps that are no one's: this is the end of something that is not understood. */
bool pat_is_fragment(const struct pat_collect *k, const struct pat_collective *v, const struct pat_step *first);
/* An accumulator that starts from the element its loop begins with, or from the one before (pat_range.c). */
/* The one load that a value is a function of, besides what is the same for all turns; NIL: none, or several. */
graph_id pat_only_load(const struct graph *g, graph_id id);
enum pat_first { PAT_STARTS_OTHERWISE, PAT_STARTS_AGAIN, PAT_STARTS_BEFORE, PAT_STARTS_SOMEWHERE };
enum pat_first pat_starts_first(struct graph *g, uint32_t cycle, enum pat_op op, graph_id start, graph_id input);
/* The j-th accumulator of a fold is, by a page, a reduction of `input` (`like` without sides: by its word alone). */
void pat_collect_give(struct pat_collect *k, const struct graph_fold *f, unsigned j, const struct pat_binary *like,
                      graph_id input, uint32_t begun);
void pat_collect_join(struct pat_collect *k);
/* The collective whose result a node is, through shared memory, selects and phis; NULL: none. */
struct pat_collective *pat_collect_result(struct pat_collect *k, graph_id node);
/* The same, of what a collective takes in: also what is left of a tree that another one finishes. */
struct pat_collective *pat_collect_inner(struct pat_collect *k, struct pat_collective *of, graph_id input);
/* True when an access is one of these steps'. */
bool pat_is_step_access(const struct pat_step *const *steps, uint32_t count, uint32_t access);
/* True when something overtakes something in the memory of an access, or may, but for these steps among themselves. */
bool pat_collect_races(const struct pat_collect *k, uint32_t access, const struct pat_step *const *steps,
                       uint32_t count);
/* How warps hand their results to one another. */
struct pat_handed {
    bool everywhere; /* in: every lane of a warp has its result, else its first */
    bool filled;     /* in: where no warp stores there is a neutral element */
    bool again;      /* in: what is taken in twice counts as once */
    unsigned lanes;  /* in: how many take them in together */
    bool to_all;     /* out: every such group of the block loads them, not the first alone */
    bool always;     /* out: in blocks of all sizes tried */
};
/* Whether rows of threads (threadIdx.y) keep apart in steps of which one row was played: other rows do nothing, or have
 * elements of their own. */
enum pat_rows { PAT_ROWS_APART, PAT_ROWS_MAY_MEET, PAT_ROWS_MEET };
enum pat_rows pat_play_rows(struct pat_play *p, const struct pat_step *const *steps, uint32_t count);
/* Threads that a block may have: no more than the code allows, nor than there are elements for in the array of a store,
 * one for `each` so many. *known false: the array's end is not in the file. */
unsigned pat_play_most(const struct pat_play *p, uint32_t store, unsigned each, bool *known);
/* True when, in a block of some size, the first lanes load just what each warp stored, each once. */
bool pat_play_hands_over(struct pat_play *p, uint32_t store, uint32_t load, struct pat_handed *how);
/* True when a later store writes, in blocks of all sizes, every element that an earlier one wrote; or the one of them
 * that a load reads, the same for all threads (UINT32_MAX: every one). */
bool pat_play_overwrites(struct pat_play *p, uint32_t earlier, uint32_t later, uint32_t load);
/* True when each of the first `lanes` threads loads the element `behind` its own of those left; *to_all false: others
 * load too. */
bool pat_play_reads_rest(struct pat_play *p, const struct graph_access *load, graph_id own, unsigned lanes,
                         unsigned behind, bool *to_all);
/* True when under a condition all lanes of a warp act, or none. */
bool pat_play_whole_warps(struct pat_play *p, graph_id when);
/* False when a thread is known not to act under a condition. */
bool pat_play_acts(struct pat_play *p, graph_id when, unsigned thread);
/* True when two loops touch the same addresses by two loads, turn by turn or not (pat_play_walk.c); `among`: when the
 * second one touches no other. What a reduction holds from before its loop counts as touched. */
struct pat_touched {
    uint32_t cycle;
    graph_id load;
    uint32_t begun; /* + 1, a name for it; 0: nothing */
    const struct pat_begun *before;
};
bool pat_play_same_elements(struct pat_play *p, const struct pat_touched *a, const struct pat_touched *b, bool among);
/* The same of two loads that one value is made of: which element comes with which must be the same too. */
struct pat_paired {
    uint32_t cycle;
    graph_id whole, load, with;
};
bool pat_play_same_pairs(struct pat_play *p, const struct pat_paired *a, const struct pat_paired *b, bool among);
/* True when two addresses are one for every thread that acts under a condition. */
bool pat_play_same(struct pat_play *p, graph_id a, graph_id b, unsigned width, graph_id when);
/* True when only threads that have the result store it: thread 0, or with `everywhere` any. */
bool pat_play_stores_first(struct pat_play *p, const struct graph_access *store, bool everywhere);
/* True when every thread that loads `address` loads the element that thread 0 of `own` has. */
bool pat_play_reads_first(struct pat_play *p, graph_id address, graph_id own, unsigned width, graph_id when);

#endif
