/* Between the files that find values (graph_values.c, graph_live.c, graph_enter.c, graph_step.c, graph_access.c,
 * graph_carry.c, graph_frame.c, graph_words.c, graph_reach.c) only: what they build together. */
#ifndef SP_GRAPH_VALUES_H
#define SP_GRAPH_VALUES_H

#include "graph/graph_internal.h"

struct graph_cell { /* who may have written a register: newest first */
    uint32_t def;   /* UINT32_MAX: a join or an unknown writer */
    graph_id guard; /* of the def */
    uint32_t prev;
    const uint32_t *joins;
    uint32_t join_count;
    uint32_t store; /* of a word of the frame: the access that wrote it + 1 */
    bool swept;     /* it and what is older is known to be read (graph_reach.c) */
};

/* Words of the thread's frame that an access moves and that nothing else comes to (graph_words.c). */
struct graph_words {
    uint32_t first; /* variable of the first */
    uint8_t count;  /* 0: the access goes to memory like any other */
};

struct graph_slot { /* what a register holds, and who wrote it */
    graph_id node;
    uint32_t cell;
};

struct graph_pending_use {
    uint32_t cell;
    graph_id under;
};

struct graph_local_store { /* of a loop: by its code, base register + offset; or by what it may reach */
    uint8_t file, width;
    uint16_t reg;
    uint32_t offset;
    struct graph_frame_part part;
};

struct graph_loop_summary {
    VEC(struct graph_local_store) local; /* every store to local memory, while `local_known` */
    bool local_known;
    uint64_t *written; /* registers some block of the loop writes */
    bool stores;       /* memory changes in it */
    bool ends_inside;  /* a thread can end (or leave for an unknown place) in it */
    uint32_t exits;    /* edges that leave it */
    uint32_t depth;    /* 1: outermost */
    graph_id path;     /* condition to enter it */
};

struct graph_pair_use { /* two registers read as one 64-bit value */
    uint32_t lo, hi;    /* uses */
    graph_id whole;
};

/* A register at a loop header whose value or writers come round. */
struct graph_header_slot {
    uint32_t block, variable;
    uint32_t other;  /* of a 64-bit phi: the variable of the other half; else `variable` */
    uint8_t half;    /* of a 64-bit phi: 1 low, 2 high; 0: a phi of its own, or none */
    graph_id phi;    /* GRAPH_NIL: the value does not change */
    graph_id start;  /* what it (the whole) is when the loop is entered */
    graph_id *args;  /* of the phi */
    uint32_t cell;   /* of who may have written it: before the loop, or in a turn */
    uint32_t *joins; /* of that cell */
};

/* What is taken for granted of a loop's registers in the next pass (graph_carry.c). */
enum graph_assumed {
    GRAPH_ASSUMED_SAME,    /* `lo` holds what it held before the loop: shown by a pass */
    GRAPH_ASSUMED_PAIR,    /* `lo` and `hi` are one 64-bit value */
    GRAPH_ASSUMED_REFUSED, /* they are not: never tried again */
    GRAPH_ASSUMED_NATURAL, /* `lo` is never negative: shown by a pass */
};
struct graph_assumption {
    uint32_t block, lo, hi; /* header; variables (SAME: hi is lo) */
    uint8_t kind;
    uint32_t next; /* of the same header, index + 1 */
};

struct graph_builder {
    struct graph *g;
    struct arena scratch; /* everything below but what g keeps */
    struct graph_flow *flow;
    struct graph_memory memory;
    uint32_t *variable[UOP_FILE_COUNT]; /* dense number + 1 of each register in use, by its number: */
    uint32_t registers[UOP_FILE_COUNT]; /* those below */
    uint32_t variable_count;
    uint32_t *names;                /* file << 16 | reg of a variable */
    size_t words;                   /* of a bit set over variables */
    uint64_t *live_in, *written;    /* a set a block */
    struct graph_slot **state;      /* of a block at its end, while a later block needs it */
    uint32_t *waiting;              /* edges out of a block that were not yet followed */
    VEC(struct graph_slot *) spare; /* states no block needs any more */
    uint32_t *memory_out;
    struct graph_loop_summary *loops;
    bool irreducible; /* some loop is */
    VEC(struct graph_cell) cells;
    VEC(struct graph_pending_use) pending; /* parallel to g->uses */
    VEC(struct graph_pair_use) pairs;
    graph_id *results; /* node of each uop of the instruction at work */
    uint32_t *reads;   /* use of each READ of it */
    size_t result_cap;
    VEC(struct graph_header_slot) headers; /* block by block: */
    uint32_t *first_header, *last_header;
    uint32_t *first_edge; /* of a block, into flow->edges; n + 1 */
    graph_id *edge_when;  /* of an edge out of a branch by a table: beside the branch's guard; NIL: not known */
    bool *clobbers;       /* of a block: it ends with a call that was not followed, whose callee may write anything */
    bool *low_only;       /* of an instance: nobody looks at the upper halves of what it writes */
    VEC(uint64_t) read_pairs; /* lo << 32 | hi: loop phis some instruction reads as one 64-bit value */
    VEC(struct graph_assumption) assumed;
    uint32_t *assumed_at;           /* of a block: index + 1 of its first assumption */
    struct graph_words *kept;       /* of an instance: words of the frame that its access moves */
    bool words_kept;                /* they are known */
    struct graph_frame_part *parts; /* of an instance: of its access to local memory, as passes before showed it */
};

struct graph_work { /* one block at work */
    struct graph_slot *state;
    uint32_t *memory;
    uint32_t insn;
    graph_id path, under; /* under: path and guard */
    uint32_t block;
    bool guarded; /* the instruction at work has a guard */
};

static inline bool graph_set_has(const uint64_t *set, uint32_t v)
{
    return set[v / 64] >> (v % 64) & 1;
}

static inline void graph_set_add(uint64_t *set, uint32_t v)
{
    set[v / 64] |= UINT64_C(1) << (v % 64);
}

/* The first member from `v` on, `end`: none. */
static inline uint32_t graph_set_next(const uint64_t *set, uint32_t v, uint32_t end)
{
    while (v < end) {
        uint64_t rest = set[v / 64] >> (v % 64);
        if (rest)
            return v + (uint32_t)__builtin_ctzll(rest);
        v = (v / 64 + 1) * 64;
    }
    return end;
}

static inline uint32_t graph_variable(const struct graph_builder *b, unsigned file, unsigned reg)
{
    if (file >= UOP_FILE_COUNT || reg >= b->registers[file])
        return UINT32_MAX;
    return b->variable[file][reg] ? b->variable[file][reg] - 1 : UINT32_MAX;
}

static inline bool graph_nothing_known(const struct uop_list *l)
{
    return l->unknown && l->ops.n == 0;
}

static inline bool graph_is_false(const struct graph *g, graph_id id)
{
    uint64_t v;
    return id != GRAPH_NIL && graph_is_const(g, id, &v) && v == 0;
}

uint32_t graph_push_cell(struct graph_builder *b, struct graph_cell c);
graph_id graph_entry_value(struct graph_builder *b, uint32_t variable);
/* True when a condition is a table (or an atom) of compares, not a composite that outgrew its table. */
bool graph_fits_table(const struct graph *g, graph_id c);

/* Registers in use, which of them matter where, what loops change (graph_live.c). */
enum sp_status graph_find_variables(struct graph_builder *b);
enum sp_status graph_find_liveness(struct graph_builder *b);
/* Conditions of the edges out of a block whose branch goes to `target` (graph_switch.c). False: not known. */
bool graph_switch_edges(struct graph_builder *b, uint32_t block, graph_id target);
/* Instances that write nothing but a register's lower half (graph_half.c). */
enum sp_status graph_find_halves(struct graph_builder *b);
/* Of such an instruction: nothing is made of the READ but the upper half. */
bool graph_reads_for_half(const struct uop_list *l, size_t read);
/* What the WRITE `u` of such an instruction puts there. */
graph_id graph_low_of_pair(struct graph_builder *b, const struct uop_list *l, const struct uop *u);
enum sp_status graph_summarise_loops(struct graph_builder *b);

/* State at the start of a block and its path (graph_enter.c). Fills `state`, answers the memory state. */
uint32_t graph_enter_block(struct graph_builder *b, uint32_t at, struct graph_slot *state);
/* A loop's phis get what comes round by a back edge. */
void graph_close_loop(struct graph_builder *b, uint32_t edge, const struct graph_slot *state);

/* One instruction (graph_step.c); the condition of the branch that ends a block. */
bool graph_run_instruction(struct graph_builder *b, struct graph_work *w);
void graph_finish_block(struct graph_builder *b, struct graph_work *w);
graph_id graph_fresh_result(struct graph_builder *b, const struct uop *u, const graph_id *args, unsigned count,
                            uint32_t insn);
/* Remembers that the registers read by uops `lo` and `hi` hold the halves of `whole`. */
void graph_note_pair(struct graph_builder *b, const struct uop_list *l, uint16_t lo, uint16_t hi, graph_id whole);

/* Loads and stores (graph_access.c). */
graph_id graph_load(struct graph_builder *b, struct graph_work *w, const struct uop *u, const graph_id *args);
graph_id graph_load_element(struct graph_builder *b, const struct uop *u, const graph_id *args);
/* Whether a generic address lies in the operation's space, decided where the space is seen. */
graph_id graph_within(struct graph *g, const struct uop *u, graph_id address);
void graph_store(struct graph_builder *b, struct graph_work *w, const struct uop_list *l, const struct uop *u,
                 const graph_id *args, unsigned count);

/* What a finished pass shows of loop registers (graph_carry.c). True: assumptions changed, another pass is due. */
bool graph_learn_loops(struct graph_builder *b);
/* What is taken for granted of a register at a loop header; NULL: nothing. */
/* A pass showed that the register is never negative where the block, a loop's header, begins. */
bool graph_assumed_natural(const struct graph_builder *b, uint32_t block, uint32_t variable);
const struct graph_assumption *graph_assumption_of(const struct graph_builder *b, uint32_t block, uint32_t variable);

/* What local accesses at moving places stay in (graph_frame.c). True: news of a store, another pass is due. */
bool graph_learn_frame(struct graph_builder *b);

/* Words of the frame that are as good as registers (graph_words.c). True: they become variables in the next pass. */
bool graph_learn_words(struct graph_builder *b);
/* A load, and a store, of such words; `words`: what is stored. */
void graph_fetch_words(struct graph_builder *b, struct graph_work *w, struct graph_access *load);
void graph_keep_words(struct graph_builder *b, struct graph_work *w, uint32_t access, const graph_id *words);

/* Which defs each use reads (graph_reach.c). */
enum sp_status graph_link_uses(struct graph_builder *b);

#endif
