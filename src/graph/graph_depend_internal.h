/* Between the files of memory dependence (graph_range.c, graph_linear.c, graph_depend_*.c,
 * graph_depend.c) only. */
#ifndef SP_GRAPH_DEPEND_INTERNAL_H
#define SP_GRAPH_DEPEND_INTERNAL_H

#include "graph/graph_depend.h"

/* ---- what is known of nodes, kept with the graph (graph_range.c) ----------------------------- */
enum { RANGE_NEW, RANGE_OPEN, RANGE_NONE, RANGE_KNOWN };
enum { ROWS_MAX = 8 };
enum { FIRST_PHIS = 8 };
struct graph_first_phis {
    graph_id phi[FIRST_PHIS];
    unsigned n;
};
struct graph_facts {
    struct graph_fact *p;
    size_t n, cap;
    unsigned depth;
    graph_id first_new;
    uint64_t tries;          /* combinations of facts looked at: the work that solving has cost */
    struct map_u64 answered; /* of a set of facts: where in `answers` what came of it stands (graph_exclude.c) */
    VEC(uint64_t) answers;
    struct graph_solved *solved; /* private to graph_depend_memo.c */
    struct map_u64 turns;
    struct graph_first_phis *phis; /* by block */
    size_t phis_of;                /* nodes that are in it */
    bool uniform_done;             /* `varying` of the nodes that stood when the first question came */
    bool two_dimensional;          /* the code reads threadIdx.y or .z */
    bool reads[3]; /* the code reads threadIdx.x, .y, .z: a coordinate it never reads is taken for one thread */
    struct {
        unsigned dimension;
        int64_t step;
    } rows[ROWS_MAX]; /* steps from row to row in stores to shared memory: tile[threadIdx.y][threadIdx.x] */
    unsigned row_count;
};
struct graph_facts *graph_facts_of(struct graph *g);
struct graph_fact *graph_fact_at(struct graph *g, graph_id id);
/* The first phis of a block, in order; never NULL. */
const struct graph_first_phis *graph_phis_of(struct graph *g, uint32_t block);

/* The condition under which control goes from one block to the next (path and branch); NIL: always or not known. */
graph_id graph_edge_taken(struct graph *g, uint32_t from, uint32_t to);
/* What holds when a turn of the loop (index) is followed by another one; NIL: always, or more ways than are looked
 * at. */
graph_id graph_ways_back(struct graph *g, uint32_t loop, unsigned *ways);

/* ---- linear forms over the integers (graph_linear.c) ----------------------------------------- */
enum { LINEAR_MAX = 12 };
struct graph_linear {
    struct {
        graph_id symbol; /* 32- or 64-bit node, read signed */
        int64_t c;
    } t[LINEAR_MAX];
    unsigned n;
    int64_t k;
    bool wraps; /* a sum was opened that is not shown to stay inside its width */
};
bool graph_linear_of(struct graph *g, graph_id id, struct graph_linear *out);
bool graph_linear_symbol(struct graph_linear *a, graph_id symbol, int64_t c); /* a + c * symbol */
bool graph_not_negative(struct graph *g, graph_id id);
/* The same, products and sums of such numbers too: an index is taken to stay in its width. */
bool graph_stays_natural(struct graph *g, graph_id id);
/* a + m * b; false when it does not fit. */
bool graph_linear_add(struct graph_linear *a, const struct graph_linear *b, int64_t m);
bool graph_linear_is_const(const struct graph_linear *a, int64_t *k);
/* The number of turns of a loop that were made before, as a symbol: what counters and pointers of the loop are sums
 * of. Only while forms are built and solved; graph_linear_node() gives it back as an expression of a counter. */
graph_id graph_turn_symbol(struct graph *g, uint32_t loop);
bool graph_is_turn_symbol(const struct graph *g, graph_id id, uint32_t *loop);
/* Bounds by the ranges of its symbols. */
void graph_linear_range(struct graph *g, const struct graph_linear *a, struct graph_range *out);
/* The form as a B32 node; NIL when a symbol is 64 bits wide and not an extension. */
graph_id graph_linear_node(struct graph *g, const struct graph_linear *a);

/* A loop phi that is `start` plus a constant `step` a turn. */
bool graph_is_counter(struct graph *g, graph_id phi, graph_id *start, int64_t *step);

/* ---- facts and conditions (graph_exclude.c) -------------------------------------------------- */
/* Facts `f <= 0` that hold together. */
enum { CONSTRAINT_MAX = 28 };
struct graph_constraints {
    struct graph_linear f[CONSTRAINT_MAX];
    unsigned n;
};
void graph_constrain(struct graph_constraints *s, const struct graph_linear *f); /* f <= 0 */
/* True when no values of the symbols satisfy all of them. */
bool graph_contradicts(struct graph *g, struct graph_constraints *s);
/* Adds what is always so of the symbols in the facts (graph_axiom.c). */
void graph_add_axioms(struct graph *g, struct graph_constraints *s);
/* The facts (axioms added) when a number that is divided by a power of two is not negative, and when it is. False:
 * there is no such number. */
bool graph_split_sign(struct graph *g, const struct graph_constraints *s, struct graph_constraints out[2]);
/* True when a, b and everything in `with` (may be NULL) cannot hold together. */
bool graph_excluded(struct graph *g, graph_id a, graph_id b, const struct graph_constraints *with);
/* Adds what is so whenever the condition holds. */
void graph_take_facts(struct graph *g, graph_id when, struct graph_constraints *with);
/* Whether the condition compares what turns with a loop with something else that threads share: how the two are related
 * is not known from their ranges. `first` then gets the facts that hold in the first turn, which is always made. */
bool graph_mixes_turns(struct graph *g, graph_id when, struct graph_constraints *first);
/* Adds that the counters in `f` are what they are in the first turn of their loops. */
void graph_in_first_turn(struct graph *g, const struct graph_linear *f, struct graph_constraints *first);
/* Adds that what the condition compares as unsigned numbers is not negative where all threads share it: a size that a
 * kernel is launched with is none. */
void graph_take_sizes(struct graph *g, graph_id when, struct graph_constraints *with);
/* Every atom of the condition that differs between threads is a compare of linear forms. */
bool graph_condition_linear(struct graph *g, graph_id a, const struct graph_constraints *with);

/* Whether numbers that all threads share, of which the forms asked for are made, can be together what the facts say
 * (graph_depend_first.c). */
bool graph_can_be_first(struct graph *g, const struct graph_linear *u, const bool *asked, unsigned count,
                        graph_id load_when, graph_id store_when, const struct graph_constraints *base);

/* What the numbers that a launch gives must be to one another for the store by that thread and the load to be made
 * both, beyond what each asks by itself: a condition, or NIL: nothing that can be told (graph_depend_launch.c). */
graph_id graph_launch_for(struct graph *g, graph_id load_when, graph_id store_when, const graph_id thread[3]);

/* ---- threads (graph_depend_thread.c) ---------------------------------------------------------------- */
/* The same in all threads of a block (at the same turn of every loop). */
bool graph_block_uniform(struct graph *g, graph_id id);
/* The value may be another one in another turn of the loop. */
bool graph_turns_with(struct graph *g, graph_id id, uint32_t loop);
/* `id` with phis of the header of `loop` replaced by what comes round; NIL when that is not one value. */
graph_id graph_next_turn(struct graph *g, graph_id id, uint32_t loop);
/* … by what they start with. */
graph_id graph_first_turn(struct graph *g, graph_id id, uint32_t loop);
bool graph_in_loop(const struct graph *g, uint32_t block, uint32_t loop);

/* ---- what parts accesses in time (graph_depend_sync.c) ---------------------------------------------- */
/* In ascending strength: a path is as strong as the strongest on it. LANES: orders some lanes of each warp, MAYBE: may
 * order threads; nobody says which. */
enum { SYNC_NOTHING, SYNC_LANES, SYNC_WARP, SYNC_MAYBE, SYNC_BLOCK };
/* What keeps dependence from being complete. */
struct graph_opaque {
    bool stores; /* something whose effect on memory is not seen: calls, unknown instructions, copies that run by
                    themselves */
    bool orders; /* something orders some of the threads, nobody says which */
};
/* Strength of each instance. NULL: out of memory. */
uint8_t *graph_find_syncs(struct arena *a, struct graph *g, struct graph_opaque *opaque);
/* Instances that load, in a loop, what only another thread can change and what decides whether the loop is left
 * (graph_depend_wait.c). NULL: out of memory. */
bool *graph_find_waits(struct arena *a, struct graph *g);
/* Blocks from which no access and no barrier is reached any more. */
bool *graph_find_dead_ends(struct arena *a, struct graph *g, const uint8_t *syncs);

/* ---- bits of threadIdx in an address (graph_depend_digit.c) ----------------------------------- */
enum { DIGITS = 4 };
struct graph_digit {
    int64_t c;          /* bytes a step */
    graph_id scale;     /* times this uniform node, or NIL */
    unsigned dimension; /* of threadIdx */
    unsigned shift;     /* the digit is (threadIdx >> shift) & mask */
    uint32_t mask;      /* UINT32_MAX: all bits */
    graph_id flip;      /* … ^ this uniform node, or NIL */
    bool fixed;         /* the store is in row 0 of what others count by this coordinate */
    struct graph_linear value;
};
bool graph_is_digit(struct graph *g, graph_id id, struct graph_digit *d);
/* A term of an address: digit * c, or digit * uniform * c. */
bool graph_read_digit(struct graph *g, graph_id symbol, int64_t c, struct graph_digit *d);
int64_t graph_digit_count(struct graph *g, const struct graph_digit *d); /* values it has at most */
/* A digit of which the condition fixes the low bits is the one above them: threadIdx >> 3 is 4 * (threadIdx >> 5) for
 * the first lanes of warps. *bytes: what the fixed bits come to. False: none are. */
bool graph_digit_above(struct graph *g, graph_id when, struct graph_digit *d, int64_t *bytes);
/* The constant that a condition fixes bits of threadIdx.d to. */
bool graph_pins(struct graph *g, graph_id when, unsigned dimension, unsigned shift, uint32_t mask, int64_t *value);
/* Two that share bits of one coordinate; all of one coordinate that only grow with it. */
bool graph_digits_overlap(const struct graph_digit *d, unsigned count);
bool graph_digits_grow(const struct graph_digit *d, unsigned count);
void graph_sort_digits(struct graph_digit *d, unsigned count); /* largest step first, scaled ones before */
struct graph_solution;
/* The values that make sum(digit * step) = right. *never: there are none. False (and not never): not decided. */
bool graph_take_apart(struct graph *g, struct graph_digit *d, unsigned count, const struct graph_linear *right,
                      struct graph_solution *out, bool *never);

/* Equations for t: sums that come to 0. */
struct graph_equations {
    struct graph_linear f[2];
    unsigned n;
};
/* Adds digits that the load has and the store has not: it stays in one row of a tile. Gives how many there are then. */
unsigned graph_add_rows(struct graph *g, const struct graph_linear *l, struct graph_digit *digits, unsigned count);
/* Takes these out again: what they come to must be 0. */
unsigned graph_take_fixed(struct graph_digit *digits, unsigned count, struct graph_equations *conditions);

/* ---- whose store it is (graph_depend_solve.c) ------------------------------------------------------- */
enum { SOLVE_NEVER, SOLVE_THREAD, SOLVE_UNKNOWN };
enum { THREAD_SAME, THREAD_OTHER, THREAD_VARIES, THREAD_UNDECIDED };
struct graph_solution {
    uint8_t answer; /* SOLVE_… */
    uint8_t who;    /* THREAD_…: the storing thread against the loading one */
    bool known;     /* thread[] is known */
    bool may;       /* the equation or a guard is not decided */
    bool guarded;   /* … only that: whether that thread has stored hangs on data */
    bool assumed;
    bool every;         /* asked for by the caller: whoever reads finds such a store, if it was made */
    bool leaves;        /* for some of the threads that read there is no such thread in the block */
    bool in_warp;       /* both are shown to lie in one warp */
    bool guards_linear; /* both guards are compares of the thread's number: what is not excluded can happen */
    graph_id thread[3];
    uint32_t classes, class_of; /* each `classes`th thread has such a u, the others none; 0: no such steps */
    uint32_t need; /* graph_solve_block() only: threads a block has at least for such two to exist, a power of two */
};
struct graph_side {
    graph_id address, when;
    uint8_t space;
};
/* The threads u whose store meets the load by thread t: store.address(u) + delta == load.address(t). Of the addresses
 * matter their terms and how far they are apart, and whether they are one (graph_depend_memo.c rests on that). */
void graph_solve_pair(struct graph *g, const struct graph_side *store, const struct graph_side *load, int32_t delta,
                      struct graph_solution *out);
/* The same, with what was answered before (graph_depend_memo.c); out->need is asked for by the second. */
void graph_solve(struct graph *g, const struct graph_side *store, const struct graph_side *load, int32_t delta,
                 struct graph_solution *out);
void graph_solve_block(struct graph *g, const struct graph_side *store, const struct graph_side *load, int32_t delta,
                       struct graph_solution *out);
/* … and m * f + k <= 0: the conditions and facts exclude it (graph_depend_solve.c). */
bool graph_both_exclude(struct graph *g, graph_id a, graph_id b, const struct graph_constraints *base,
                        const struct graph_linear *f, int64_t m, int64_t k);
/* The same for memory that no other thread sees. */
void graph_solve_own(struct graph *g, const struct graph_side *store, const struct graph_side *load, int32_t delta,
                     struct graph_solution *out);
/* One of the thread's coordinates times a step (or some of its bits: *whole false). */
bool graph_is_coordinate(struct graph *g, graph_id symbol, unsigned *dimension, bool *whole);
/* The address without the start of the shared window, as a linear form. */
bool graph_address_form(struct graph *g, const struct graph_side *side, struct graph_linear *out);

/* ---- whether it is a thread of the same block (graph_depend_block.c) --------------------------------- */
/* OTHER: no thread of the reader's block, or only of some blocks; OPEN: not decided, or of some threads only. */
enum { BLOCK_SAME, BLOCK_OPEN, BLOCK_OTHER };
unsigned graph_in_block(struct graph *g, const struct graph_side *store, const struct graph_side *load,
                        const graph_id thread[3]);

/* Threads that a block has in x, where the code counts blockIdx.x * C + threadIdx.x and no thread takes several
 * elements of such a row: taken for granted. 1: not known. */
uint32_t graph_code_width(struct graph *g);

/* ---- what memory it is about (graph_depend_object.c) ------------------------------------------------ */
enum { GRAPH_COORDINATES = 3 };
/* Fills out->objects, and how many threads a block has at most in each direction for all to stay in the window of
 * shared memory; the object of each access, or NULL. */
uint32_t *graph_find_objects(struct arena *a, struct graph *g, struct graph_dependence *out,
                             int64_t most[GRAPH_COORDINATES]);
/* Facts of blocks of such sizes at most, while they are asked for; `out` is all zero, or was used before. False: no
 * memory, and nothing is changed. */
struct graph_sizes {
    struct graph_env env;
    struct graph_facts facts, *kept;
    const struct graph_env *real;
};
bool graph_begin_sizes(struct arena *a, struct graph *g, const int64_t most[GRAPH_COORDINATES],
                       struct graph_sizes *out);
void graph_end_sizes(struct graph *g, struct graph_sizes *s);

/* ---- at work (graph_depend.c: bits that flow; graph_depend_pair.c: what a pair of accesses is) --------- */
enum { LEVELS = 4, STRENGTHS = 5, CLASSES = 3, OWN_WAY = 0, OVERWRITTEN = 1, ENDED = 2 };
enum { WAY = LEVELS * STRENGTHS }; /* bits of one class */
enum { FLOW_WORK = 12000000, SOLVE_WORK = 60000, TRIES_WORK = 2000000, REACHES_MAX = 40000 };
enum { EVENT_ACCESS, EVENT_SYNC };

#define WAY_BITS(way)             (((UINT64_C(1) << WAY) - 1) << (WAY * (way)))
#define BIT(way, strength, level) (UINT64_C(1) << (WAY * (way) + LEVELS * (strength) + (level)))

struct event {
    uint8_t kind;
    uint32_t insn, access;
};

struct way_out { /* of a block with a branch: per successor, whether the way is taken when the branch holds, or not */
    graph_id edge[2], other; /* other: the branch's negation */
    bool has_other, has_edge[2], when[2], unless[2];
};

struct way_asked { /* ways from a source to any of the accesses that stand behind an event */
    uint32_t round, source, block, behind;
    graph_id when;
};

struct finder {
    struct way_out *ways; /* by block */
    struct arena *a;
    struct graph *g;
    struct graph_dependence *out;
    uint8_t *syncs;
    bool *dead_end;
    VEC(struct event) events;
    uint32_t *first_event;               /* of each block, count + 1 */
    uint32_t *event_of;                  /* of each access */
    uint32_t *object;                    /* of each access */
    bool *stored;                        /* of each object: some store is to it */
    bool stored_shared, stored_anywhere; /* … to shared memory; to an object of it that is not known */
    bool *async;                         /* of each access: it is made at some time after its instruction */
    bool *ends;                          /* of each block: some threads may end where it does */
    uint64_t *in, *at;                   /* bits at blocks and events, of the source at work */
    uint64_t *strict;      /* bits at events if every barrier with a guard ran; NULL: no barrier has one */
    bool keep_strict;      /* at work on `strict` */
    VEC(uint32_t) skipped; /* events: barriers with a guard that the source's way may have gone past */
    uint32_t *queue;       /* blocks */
    bool *queued;
    uint32_t *stamp, now;  /* of blocks, for walks back */
    VEC(uint32_t) touched; /* blocks with bits */
    uint32_t *last_sync;   /* of events: behind which event of its block its last sync stands, else the block's first */
    uint32_t flow_round;   /* counts what `at` has been filled for */
    VEC(uint32_t) parting, parting_kept; /* the latter: of the question asked last */
    struct way_asked parting_asked, open_asked;
    bool parting_known, open_known, open;
    VEC(struct graph_reach) reaches;
    uint32_t *forced, forced_now; /* of accesses: stores taken to overwrite the source's word (graph_depend_prune.c) */
    struct graph_affine *affine;  /* of each access's address */
    bool *is_affine;
    graph_id *first_phi, *next_phi; /* of each block, of each phi; made when asked for */
    uint8_t *parted;                /* of each loop: 0 not asked, 1 every turn passes a barrier of the block, 2 not */
    uint32_t sure_block;            /* threads that the guards of the code ask for; 0: not asked */
    graph_id race_launch;           /* the same: what a launch must bring for it */
    bool race_sized;                /* the race found last takes a block's size for granted */
    bool unordered; /* something may order threads beside the barriers of the block: no race is claimed */
    int64_t flow_work, solve_work;
};

struct source {
    uint32_t access;
    uint32_t nest[LEVELS - 1]; /* loops + 1 that hold it, innermost first; the last stands for all further out */
    unsigned depth;
    unsigned stale_address, stale_when; /* from which level on; LEVELS: never */
};

static inline const struct graph_access *access_at(const struct finder *f, uint32_t i)
{
    return &f->g->accesses.p[i];
}

static inline struct graph_side graph_side_of(const struct graph_access *x)
{
    return (struct graph_side){.address = x->address, .when = x->runs_when, .space = x->space};
}

static inline uint32_t block_of(const struct finder *f, uint32_t access)
{
    return f->g->insns.p[access_at(f, access)->insn].block;
}

static inline uint64_t levels_below(unsigned level) /* mask over all ways and strengths */
{
    uint64_t nibble = level >= LEVELS ? 15 : (1u << level) - 1;
    return nibble * UINT64_C(0x111111111111111);
}

/* Work is spent: the result says so. */
static inline void graph_give_up(struct finder *f)
{
    f->out->complete = f->out->listed = false;
}

/* Stores that other threads may have made while this one went another way: reaches of loads to which no way leads. */
void graph_relate_elsewhere(struct finder *f, const struct source *s);
/* y stores over all of x, for the same thread. */
bool graph_same_word(struct finder *f, const struct graph_access *x, const struct graph_access *y);
/* The parts of a condition that are the same in all threads, as a condition. */
graph_id graph_uniform_part(struct graph *g, graph_id when);
void graph_make_source(struct finder *f, uint32_t access, struct source *s);
/* Sends the source's bits through the blocks: `at` and `in`; false when the work is spent. */
bool graph_flow_from(struct finder *f, const struct source *s);
bool graph_flow_strictly(struct finder *f, const struct source *s); /* fills `strict` */
void graph_flow_forget(struct finder *f, const struct source *s);
/* Drops reaches of stores that a later store of the same thread is shown to have overwritten (graph_depend_prune.c).
 * Reaches stand by load. */
bool graph_prune_reaches(struct finder *f);
/* ---- ways (graph_depend_way.c) */
/* Barriers and warp syncs on ways from the source to `to`, over blocks the source's bits have reached: f->parting. */
void graph_find_parting(struct finder *f, const struct source *s, uint32_t to);
/* Of these the ones that the way may have gone past: they part nothing. */
void graph_drop_skipped(struct finder *f);
/* Bits that only went past barriers whose guard did not hold: every way holds a barrier, if its guard does. */
bool graph_went_past(const struct finder *f, uint32_t to, uint64_t mask, uint64_t bits);
/* The condition under which such a way has no barrier, in values of the source's turn (`loop`: that of the pair when
 * `to` is a turn on, or 0). NIL: not known which. */
graph_id graph_no_barrier(struct finder *f, const struct source *s, uint32_t to, uint32_t loop);
/* The reader's own guard says that all of them ran. */
bool graph_reader_waits(struct finder *f, uint32_t to);
/* Some way without a barrier is open under what the accesses' own guards say of what all threads share. */
bool graph_way_is_open(struct finder *f, const struct source *s, uint32_t to);
/* … in a block in which that thread is another one than the reader. */
bool graph_way_is_open_to(struct finder *f, const struct source *s, uint32_t to, const graph_id thread[3]);
/* The weakest sync in the bits. */
unsigned graph_weakest(uint64_t bits);
/* Bits of a source have arrived at another access: races and reaches. */
/* A store to one word by all threads, with different values: a race of the store with itself (graph_depend_self.c). */
void graph_relate_self(struct finder *f, uint32_t access);
/* What is read and nobody wrote (graph_depend_unwritten.c); when all reaches are known. */
void graph_find_unwritten(struct finder *f);
void graph_relate(struct finder *f, const struct source *s, uint32_t to, uint64_t bits);
/* Accesses on two sides of a branch that threads take differently, with no way from one to the other
 * (graph_depend_apart.c). */
bool graph_relate_apart(struct finder *f);

/* ---- whether the other thread is there (graph_depend_there.c) */
/* The smallest block (a power of two in each direction) in which both threads can be; in x alone, in which some thread
 * passes the condition. */
uint32_t graph_block_need(struct graph *g, const struct graph_linear u[3], const graph_id thread[3], graph_id load_when,
                          graph_id store_when, const struct graph_constraints *base);
uint32_t graph_block_for(struct graph *g, graph_id when);
/* Whoever reads finds such a store, by address: the bits that were solved for are what such bits can be, and the thread
 * is one of the block's. */
bool graph_is_for_all(struct graph *g, graph_id load_when, const struct graph_digit *digits, unsigned count,
                      const struct graph_linear u[3], const graph_id thread[3]);
/* Threads that a block has at least, a power of two, if no code is there for nothing: if (threadIdx.x >= 64). */
uint32_t graph_sure_block(struct finder *f);
/* Whether the other thread exists hangs on how many threads a block has, and nothing says that it has as many. *sized:
 * other code says so. */
bool graph_hangs_on_block(struct finder *f, const struct graph_side *a, const struct graph_side *b, int32_t delta,
                          uint32_t load, uint32_t store, graph_id thread, bool *sized);
/* For all threads that read, the one that far from them is there. */
bool graph_shift_stays_inside(struct graph *g, const struct graph_linear *u, unsigned dimension, graph_id load_when,
                              const struct graph_equations *conditions);
/* The thread stands at a distance that the kernel is given, and the reader asks whether there is such an element. */
bool graph_at_distance(struct graph *g, const struct graph_side *load, const graph_id thread[3]);

#endif
