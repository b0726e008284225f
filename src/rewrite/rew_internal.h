/* What the files of this room share: the two sides with what their nodes compute, and who was found where. */
#ifndef SP_REW_INTERNAL_H
#define SP_REW_INTERNAL_H

#include "rewrite/rew.h"

struct rew_entry { /* a number and the instance that has it; sorted by number, then instance */
    uint64_t value;
    uint32_t insn;
};
struct rew_index {
    VEC(struct rew_entry) list;
};

struct rew {
    struct arena *a;
    const struct rew_side *sass, *ptx;
    const struct rew_context *context;
    struct rew_values sv, pv;
    struct rew_list *out;
    struct rew_index made;         /* PTX: what instances make, but for those that only move it */
    struct rew_index here;         /* machine code: the same */
    struct rew_index jumps;        /* PTX: conditional jumps by the condition they jump under */
    struct rew_index stores;       /* PTX: what is stored where */
    struct rew_index leaves;       /* machine code: branches and exits by their condition */
    struct rew_index guarded;      /* machine code: everything else that has a guard, by it */
    struct rew_index choices;      /* machine code: choices by their condition */
    struct rew_index by_line;      /* PTX: instances by line */
    uint32_t *found;               /* by instance of the machine code: the PTX instance, UINT32_MAX */
    uint8_t *how;                  /* enum rew_how */
    struct rew_index here_by_line; /* machine code: instances by the line of PTX that the map names */
    struct rew_index loops;        /* PTX: the first lines of loops */
    uint32_t *loops_end;           /* by place in it: the least last line of the loops from there on */
    uint32_t *cycles;        /* by loop of the machine code's source: the PTX's that is the same + 1, 0; NULL: none */
    bool *told;              /* by PTX instance: the compare was told as turned round before it */
    struct rew_record spare; /* never read: taken when the arena has failed */
    uint32_t *first_of, *next_of; /* by PTX instance: the first found there + 1; by instance: the next + 1 */
};

uint64_t rew_address(const struct graph *g, const uint64_t *of, unsigned space, graph_id address);

/* rew_bits.c: bits that may be set, by node; NULL: out of memory. */
uint64_t *rew_find_bits(struct arena *a, struct graph *g);
/* A table of three inputs as x `outer` (y `inner` z), which is how PTX has it; false: it is none. */
struct rew_nested {
    unsigned outer, inner, arg[3];
};
bool rew_read_table(uint64_t table, struct rew_nested *out);

/* rew_value.c: what one step of each fold does with its old accumulators, its elements taken by the array alone. Beyond
 * a budget, or out of memory: false. */
struct rew_steps {
    uint64_t *p;
    uint32_t n;
};
bool rew_find_steps(struct arena *a, struct graph *g, struct rew_steps *out);

/* rew_fit.c */
enum rew_fit rew_find_fit(struct rew *r);
bool rew_is_written(const struct graph_access *x);
/* Each element that an access writes, as a number; at most 4. Words that are one 64-bit value are one element. */
unsigned rew_elements(const struct graph *g, const struct rew_values *v, const struct graph_access *x, uint64_t out[4]);

/* rew_pair.c */
bool rew_pair(struct rew *r);
void rew_sort(struct rew_index *x);
/* Where in the list that number is, or would be. */
size_t rew_first(const struct rew_index *x, uint64_t value);
/* The entries with that number: first of them, and how many. */
const struct rew_entry *rew_lookup(const struct rew_index *x, uint64_t value, uint32_t *count);
/* The node that an instance makes in its first register, or GRAPH_NIL. */
graph_id rew_made(const struct graph *g, uint32_t insn);
/* The instance that made what `insn` reads as `node`; UINT32_MAX: several, or none. */
uint32_t rew_maker(const struct graph *g, uint32_t insn, graph_id node);
/* The instance that made the one predicate that `insn` reads; UINT32_MAX: several, or none. */
uint32_t rew_predicate_maker(const struct graph *g, uint32_t insn);
const struct rew_insn *rew_statement(const struct rew *r, uint32_t ptx_insn);
uint32_t rew_line_of(const struct rew_side *s, uint32_t insn);
/* True when some operation of the instance is of that kind. */
bool rew_has_op(const struct graph *g, uint32_t insn, unsigned kind);

struct rew_record *rew_add(struct rew *r, const char *kind, enum rew_stage stage, enum rew_confidence confidence);
void rew_add_insn(struct rew *r, struct rew_record *to, uint32_t insn);
void rew_add_line(struct rew *r, struct rew_record *to, uint32_t line);
const char *rew_source_line(const struct rew *r, uint32_t insn);
/* A word of the source line, as a whole or as a part of an identifier. */
bool rew_mentions(const char *line, const char *part);

/* rew_loop.c: which loops of the source are the same: r->cycles. False: out of memory. */
bool rew_pair_loops(struct rew *r);
/* A loop has more copies of its body than any assembler makes of what the PTX has. */
bool rew_unrolls_otherwise(const struct rew *r);

/* What is looked for, a file each. */
void rew_find_float(struct rew *r);
void rew_find_control(struct rew *r);
void rew_find_loops(struct rew *r);
void rew_find_moved(struct rew *r);
void rew_complete_contractions(struct rew *r);

#endif
