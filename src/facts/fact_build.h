/* Facts of one kernel, drawn from the graph, the places, the words and the patterns. Text, control fields and lines
 * come in as data: nothing here decodes. */
#ifndef SP_FACT_BUILD_H
#define SP_FACT_BUILD_H

#include "base/map.h"
#include "facts/fact.h"
#include "front/cu_source.h"
#include "front/ptx.h"
#include "graph/graph.h"
#include "image/img.h"
#include "meaning/mean.h"
#include "pattern/pat.h"
#include "place/place.h"
#include "rewrite/rew.h"
#include "sassprobe/status.h"

/* What the machine instruction says of itself, one for each graph_input instruction. */
struct fact_text {
    const char *text, *guard, *bits, *control_text;
    int32_t stall, write_barrier, read_barrier, wait_mask, yield; /* FACT_NONE */
    bool no_encoding;                                             /* the word is unknown */
};

/* The text that stands for a file of the line table; source NULL: none. */
struct fact_file_text {
    const struct cu_source *source;
    uint32_t view;
};

struct fact_source {
    const struct img_module *module;
    const struct img_kernel *kernel;
    const struct fact_text *texts;
    uint32_t padding_from, padding_count; /* filler that the instructions have not, where functions stand behind it */
    const int32_t *file_numbers;          /* module file -> document file */
    const struct fact_file_text *file_texts; /* by module file; NULL: none is at hand */
    const struct ptx_module *ptx;            /* that it was made of; NULL: not at hand */
    uint32_t ptx_function;
    bool ptx_given; /* with --ptx: not what stands in its own file */
    struct graph *g;
    const struct place *place;
    struct mean *mean;
    const struct pat_result *patterns;
    const struct rew_list *rewrites;
    /* What a register is called at an instruction, where it is not the machine's: which of its `words` words `reg` is.
     * NULL, or a NULL answer: R2 P0 UR4. */
    const char *(*register_name)(void *user, uint32_t input, unsigned file, unsigned reg, unsigned *word,
                                 unsigned *words);
    void *user;
};

/* Fills everything but `input`. SP_ERR_MEMORY or SP_OK. */
enum sp_status fact_build_kernel(struct arena *a, struct fact_source *s, struct fact_kernel *k);

/* Texts of a document's kernels, each once. */
struct fact_keeper {
    struct arena *a; /* the document's */
    struct map_str texts;
    VEC(const char *) list;
};
/* Copies everything the kernel's facts point to onto the keeper's arena, so that the arena they were made on can go.
 * SP_ERR_MEMORY or SP_OK. */
enum sp_status fact_keep(struct fact_keeper *k, struct fact_kernel *f);

/* Parts of it, a file each. */
/* By machine instruction: it runs only where lanes of a warp run apart. `instance`: UINT32_MAX where the graph has
 * none. NULL: no memory. */
bool *fact_apart(struct arena *a, const struct graph *g, const uint32_t *instance);
enum sp_status fact_build_instructions(struct arena *a, struct fact_source *s, struct fact_kernel *k);
enum sp_status fact_build_values(struct arena *a, struct fact_source *s, struct fact_kernel *k);
enum sp_status fact_build_loops(struct arena *a, struct fact_source *s, struct fact_kernel *k);
enum sp_status fact_build_patterns(struct arena *a, struct fact_source *s, struct fact_kernel *k);
/* Accesses, work, occupancy; looks at the roles, so after the instructions. */
enum sp_status fact_build_cost(struct arena *a, struct fact_source *s, struct fact_kernel *k);
/* A match that reduces or scans data (a warp also asks in one instruction who is there: that gives masks). */
bool fact_makes_data(const struct fact_source *s, const struct pat_match *m);
/* Whose stores each load reads; after the accesses. */
enum sp_status fact_build_reads(struct arena *a, struct fact_source *s, struct fact_kernel *k);
enum sp_status fact_build_phases(struct arena *a, struct fact_source *s, struct fact_kernel *k);
/* What stands on source lines and in PTX; last, when all the others have told theirs. */
enum sp_status fact_build_lines(struct arena *a, struct fact_source *s, struct fact_kernel *k);
/* The text that has a line of the document's file; *at: which line of it. NULL: none is at hand. */
const struct cu_source *fact_text_of_line(const struct fact_source *s, int32_t file, int32_t line, uint32_t *at);
/* What the words of those lines say; behind the lines. */
enum sp_status fact_build_says(struct arena *a, struct fact_source *s, struct fact_kernel *k);
/* The rewrite is of a condition: its words are the comparison that is tested, not the statement. */
bool fact_is_of_condition(const struct fact_rewrite *r);
enum sp_status fact_build_summary(struct arena *a, struct fact_source *s, struct fact_kernel *k);

/* The block that makes a node; of a variable that goes round a loop, what a turn is in; `other` where no instruction
 * does. */
uint32_t fact_block_of(const struct fact_source *s, graph_id node, uint32_t other);
/* What the store `x` writes of `node`: lines, then the expression. *real: the same as real numbers. */
const char *fact_exact_text(struct arena *a, struct fact_source *s, graph_id node, const struct graph_access *x,
                            const char **real);

/* What each node computes, as a number that other graphs can be compared with; by node. NULL when out of memory.
 * *atomics: the same of all atomic updates together, in any order. */
const uint64_t *fact_identities(struct arena *a, struct graph *g, uint64_t *atomics);

/* Blocks of that many threads that are on a multiprocessor at once, and what keeps it from being more: of equals the
 * first of threads, blocks, registers, shared. 0: none fits, or the architecture's limits are not known (*limit
 * NULL). */
uint32_t fact_blocks_at_once(unsigned sm, uint32_t threads, uint32_t registers, uint32_t shared, uint32_t barriers,
                             const char **limit);

/* "clamp" of "void ns::clamp<float>(float*)". */
const char *fact_base_name(struct arena *a, const char *demangled);

/* Offsets of instances as a fact list: ascending, each once. */
struct fact_offsets fact_offsets_of(struct arena *a, const struct graph *g, const uint32_t *insns, size_t n);
enum uop_type fact_float_type(const char *type); /* "f32" -> UOP_F32; UOP_VOID when it is none */
/* A thread in terms of the thread that speaks: "threadIdx.x + 1"; "(threadIdx.x, threadIdx.y + 1)" where another
 * coordinate than the first differs. */
const char *fact_thread_text(struct mean *m, const graph_id thread[3]);
enum fact_where fact_space_of(unsigned space); /* of an access; generic ones are told as global */
const char *fact_value_name(struct arena *a, struct fact_source *s, graph_id node);
/* The register that a def writes, and which of its words (0 of 1: the machine's are words). */
const char *fact_register_name(struct arena *a, const struct fact_source *s, const struct graph_def *d, unsigned *word,
                               unsigned *words);

#endif
