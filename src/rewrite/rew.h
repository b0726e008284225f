/* Rewrites: what the compilers changed on the way from source to PTX to machine code, or refused to change: the
 * difference between the graph of the PTX and that of the machine code, each with its evidence on both sides.
 *
 * From machine code alone only refusals can be told (a product and a sum that stayed two instructions); the stage is
 * then unknown. With PTX beside it, what the two graphs compute is compared as functions of real numbers
 * (rew_value.c), so that a fused and an unfused multiply-add, a quotient and a product with a reciprocal, a compare
 * and its opposite meet; where a value stands on both sides, what differs between the two operations is a rewrite of
 * the assembler, and what they have in common was there before it. */
#ifndef SP_REW_H
#define SP_REW_H

#include "graph/graph.h"

/* ORDER STAGE: as in the vocabulary. */
enum rew_stage { REW_SOURCE, REW_NVVM, REW_PTXAS, REW_UNKNOWN };
/* ORDER CONFIDENCE: as in the contract. */
enum rew_confidence { REW_PROVED, REW_ASSUMED };

/* What a statement of PTX says that its micro-operations do not. */
enum rew_is {
    REW_IS_FIXED = 1,     /* its rounding is written down: never to be contracted */
    REW_IS_VOLATILE = 2,  /* a load or store that must happen as it stands */
    REW_IS_CALL = 4,      /* of a function; `first`, `last`: the lines of its body, 0: not at hand */
    REW_IS_JUMP = 8,      /* a conditional branch forward, as it is written; `last`: the line it leads to */
    REW_IS_LEAVING = 16,  /* … to where the thread ends */
    REW_IS_DIVISION = 32, /* a quotient, remainder or reciprocal */
    REW_IS_ROOT = 64,     /* a square root */
    REW_IS_APPROXIMATE = 128,
    REW_IS_CHOICE = 256,  /* chooses between two values by a predicate */
    REW_IS_OWN = 512,     /* stands in the kernel itself, not in a function */
    REW_IS_ROLLED = 1024, /* a loop that begins here is never unrolled behind the PTX */
};
struct rew_place { /* of the source, as the PTX has it */
    uint32_t in;   /* stands for the file, and the call it came in by; 0: not known */
    uint32_t line, column;
};
struct rew_insn {
    uint32_t line, first, last;
    uint16_t is;
    struct rew_place source;
};

/* One of the two codes that are set side by side. */
struct rew_side {
    struct graph *g;
    const uint32_t *lines;        /* by input: the PTX line that the instruction was made of, 0 unknown; NULL: no map */
    const struct rew_insn *insns; /* by input; of PTX alone */
    const uint64_t *sources; /* by input: stands for the source line it came from, 0 unknown; NULL: none is known */
    const uint64_t *inlined; /* by input: stands for the call that it came in by, 0: none; NULL: not known */
};

/* What is known of the build and of the source. */
struct rew_context {
    bool no_contraction; /* the build's options say that products and sums stay apart */
    bool must_fit; /* nothing else says that the PTX is this code's: a value that is not in it speaks against it */
    bool foreign;  /* the PTX is not of the compiler that the stage is named after */
    /* Text of the source line that an instruction of the machine code (by input) came from; NULL: not at hand. */
    const char *(*source_line)(void *user, uint32_t input);
    void *user;
};

struct rew_record {
    const char *kind; /* of the vocabulary */
    enum rew_stage stage;
    const char *reason;
    VEC(uint32_t) insns; /* instances of the machine code, ascending */
    VEC(uint32_t) lines; /* of the PTX, ascending */
    const char *to;      /* if-converted: "select", "predicate" */
    uint32_t factor;     /* unrolled */
    uint32_t width;      /* vectorized: bytes */
    enum rew_confidence confidence;
    uint32_t told_at; /* the instance whose source line it is about */
};

/* A product whose rounded result feeds a sum: two roundings where one instruction could do with one. */
struct rew_not_contracted {
    graph_id product, sum;
    uint32_t product_insn, sum_insn; /* instances */
    /* With PTX beside it: */
    enum rew_stage stage;
    const char *reason;
    uint32_t lines[2]; /* of product and sum in the PTX, 0 */
    enum rew_confidence confidence;
};

/* How a SASS instance was found in the PTX. */
enum rew_how {
    REW_NOT_FOUND,
    REW_BY_VALUE,    /* computes the same */
    REW_BY_OPPOSITE, /* a condition: the opposite */
    REW_BY_LINE,     /* the line map names it; what it computes was not shown to be the same */
};

struct rew_list {
    VEC(struct rew_not_contracted) not_contracted; /* by instance of the sum */
    VEC(struct rew_record) records;                /* by first instance */
    bool compared;                                 /* PTX stood beside it */
    const uint32_t *ptx_line;                      /* by instance: where it was found in the PTX, 0; NULL: no PTX */
    const uint8_t *how;                            /* by instance: enum rew_how */
    const bool *chosen; /* by instance: a choice whose PTX is a choice too: neither stage made anything else of it */
    /* Stores of the machine code that no store of the PTX was shown to be: instances, ascending. */
    VEC(uint32_t) unexplained;
};
enum sp_status rew_find_contractions(struct arena *a, const struct graph *g, struct rew_list *out);

/* What each node computes as a function of real numbers, as a number that can be compared between graphs: by node.
 * NULL when out of memory. */
struct rew_values {
    const uint64_t *of; /* by node */
    const bool *turns;  /* by node: it goes round a loop, so that copies of a body have others */
};
bool rew_find_values(struct arena *a, struct graph *g, struct rew_values *out);
/* Of a truth value, or of its opposite. */
uint64_t rew_truth(const struct graph *g, const struct rew_values *v, graph_id id, bool opposite);

/* Whether the PTX can be what the machine code was made of. */
enum rew_fit {
    REW_FITS,     /* every store of the machine code is in the PTX */
    REW_MAY_FIT,  /* nothing speaks against it */
    REW_DOES_NOT, /* some value that is stored was not found in it, or it computes something else */
};

/* Sets machine code beside the PTX that it was made of: fills everything but `not_contracted`, whose entries it
 * completes. `fit`: how well they go together; when they do not, nothing else is told. Linear in the two graphs but for
 * sorting. SP_ERR_MEMORY or SP_OK. */
enum sp_status rew_compare(struct arena *a, const struct rew_side *sass, const struct rew_side *ptx,
                           const struct rew_context *context, struct rew_list *out, enum rew_fit *fit);

#endif
