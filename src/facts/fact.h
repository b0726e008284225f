/* Facts: flat records with evidence, the only thing outputs read. They mirror the JSON contract
 * (doc/schema/explain.schema.json) field by field: a report renders, it never computes. All on the arena of the
 * fact_document.
 *
 * Conventions: offsets are bytes in the kernel's section; "from"/"to" both inclusive; strings are NUL-terminated, NULL
 * is JSON null; identifiers come from the vocabulary table (fact_vocabulary.h); FACT_NONE marks an absent number. */
#ifndef SP_FACT_H
#define SP_FACT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define FACT_NONE INT32_MIN

/* Identifiers that are enumerations in the contract; their spelling is in fact_vocabulary.c. */
enum fact_confidence { FACT_PROVED, FACT_ASSUMED, FACT_MATCHED };
enum fact_where {
    FACT_REGISTER,
    FACT_UNIFORM,
    FACT_PREDICATE,
    FACT_SHARED,
    FACT_GLOBAL,
    FACT_LOCAL,
    FACT_CONSTANT,
    FACT_IMMEDIATE,
    FACT_TENSOR
};
enum fact_class {
    FACT_REGISTER_ONLY,
    FACT_REGISTER_ACCUMULATOR,
    FACT_SHARED_MATERIALIZED,
    FACT_GLOBAL_MATERIALIZED,
    FACT_SPILLED,
    FACT_LOCAL_ARRAY,
    FACT_RECOMPUTED,
    FACT_INPUT,
    FACT_RESULT
};
/* In the vocabulary's order: where several fit, the first. ORDER ROLE (fact_vocabulary.c). */
enum fact_role {
    FACT_ROLE_STACK,
    FACT_ROLE_SPECIAL_REGISTER,
    FACT_ROLE_PARAMETER,
    FACT_ROLE_CONSTANT,
    FACT_ROLE_INDEX,
    FACT_ROLE_BOUNDS_CHECK,
    FACT_ROLE_EARLY_EXIT,
    FACT_ROLE_ADDRESS,
    FACT_ROLE_DESCRIPTOR,
    FACT_ROLE_LOAD,
    FACT_ROLE_STORE,
    FACT_ROLE_ATOMIC,
    FACT_ROLE_COMPUTE,
    FACT_ROLE_COMPARE,
    FACT_ROLE_SELECT,
    FACT_ROLE_CONVERT,
    FACT_ROLE_MOVE,
    FACT_ROLE_PREDICATE,
    FACT_ROLE_INDUCTION,
    FACT_ROLE_LOOP_TEST,
    FACT_ROLE_BRANCH,
    FACT_ROLE_CALL,
    FACT_ROLE_RETURN,
    FACT_ROLE_EXIT,
    FACT_ROLE_BARRIER,
    FACT_ROLE_RECONVERGENCE,
    FACT_ROLE_SHUFFLE,
    FACT_ROLE_VOTE,
    FACT_ROLE_TENSOR,
    FACT_ROLE_ASYNC_COPY,
    FACT_ROLE_FENCE,
    FACT_ROLE_SPILL,
    FACT_ROLE_REFILL,
    FACT_ROLE_SLOW_PATH,
    FACT_ROLE_PADDING,
    FACT_ROLE_DEAD,
    FACT_ROLE_UNKNOWN
};
enum fact_stage { FACT_STAGE_SOURCE, FACT_STAGE_NVVM, FACT_STAGE_PTXAS, FACT_STAGE_UNKNOWN };
enum fact_unknown_why { FACT_WHY_ENCODING, FACT_WHY_SEMANTICS, FACT_WHY_INDIRECT_BRANCH, FACT_WHY_MEMORY };
enum fact_access_mode { FACT_READ, FACT_WRITE, FACT_READWRITE, FACT_UNUSED /* "none" */, FACT_ACCESS_UNKNOWN };
enum fact_phase_kind {
    FACT_PHASE_LOAD,
    FACT_PHASE_FILL,
    FACT_PHASE_MAP,
    FACT_PHASE_REDUCE,
    FACT_PHASE_SCAN,
    FACT_PHASE_FOLD,
    FACT_PHASE_EXCHANGE,
    FACT_PHASE_FINISH,
    FACT_PHASE_OTHER
};
enum fact_part { FACT_WHOLE, FACT_LO, FACT_HI };
/* What orders a store before a load that reads it. */
enum fact_sync {
    FACT_SYNC_OWN,
    FACT_SYNC_BARRIER,
    FACT_SYNC_WARP,
    FACT_SYNC_WARP_ASSUMED,
    FACT_SYNC_NONE,
    FACT_SYNC_UNKNOWN
};
/* Why a source text is taken for a file of a line table: its size is the recorded one, its name and what can be checked
 * fit, or (another name) its kernels begin and end where the table says. */
enum fact_match { FACT_MATCH_NONE, FACT_MATCH_SIZE, FACT_MATCH_NAME, FACT_MATCH_SHAPE };
enum fact_coalescing { FACT_FULL, FACT_STRIDED, FACT_BROADCAST, FACT_SCATTERED, FACT_COALESCING_UNKNOWN };

struct fact_offsets { /* a list of byte offsets */
    const uint32_t *p;
    uint32_t n;
};
struct fact_texts {
    const char **p;
    uint32_t n;
};
/* An argument or binding whose value is text, a number, a truth value, or a nested group (JSON object). */
struct fact_binding {
    const char *key;
    enum { FACT_BIND_TEXT, FACT_BIND_INT, FACT_BIND_BOOL, FACT_BIND_NULL, FACT_BIND_GROUP } kind;
    const char *text;
    int64_t number;
    const struct fact_binding *group;
    uint32_t group_count;
};
struct fact_bindings {
    const struct fact_binding *p;
    uint32_t n;
};

struct fact_param {
    uint32_t index, offset, constant_offset, size;
    const char *name;      /* "x" from the source, else "p0" */
    bool name_from_source; /* else "position" */
    const char *type;      /* NULL when the symbol does not tell it */
    enum fact_access_mode access;
};
struct fact_name {
    const char *name, *expr, *type;
    struct fact_offsets evidence;
};
struct fact_differs {
    const char *when, *exact, *real;
};
struct fact_output {
    uint32_t store;
    const char *address, *runs_when, *value; /* value: id */
    const char *exact, *real;
    const struct fact_differs *differs;
    uint32_t differs_count;
    /* Not in JSON: what is computed and when, for comparing kernels (fact_identity.c); nodes of the kernel's graph. */
    uint64_t identity;
    uint32_t value_node, condition_node;
};
struct fact_phase {
    enum fact_phase_kind kind;
    uint32_t from, to;      /* first and last offset of all its stretches */
    const uint32_t *ranges; /* [2k], [2k + 1]: first and last offset of stretch k, ascending */
    uint32_t range_count;   /* 0: the one stretch from..to */
    const char *summary;
    const uint32_t *patterns;
    uint32_t pattern_count;
    struct fact_offsets evidence;
};
struct fact_loop_piece {
    bool straight; /* else "loop" */
    uint32_t from, to, unroll;
};
struct fact_carried {
    const char *expr;
    uint32_t at;
    enum { FACT_CARRIED_COUNTER, FACT_CARRIED_ADDRESS, FACT_CARRIED_DATA } kind;
    const char *value;
};
struct fact_loop {
    uint32_t id;
    int32_t parent; /* FACT_NONE */
    uint32_t from, to;
    const char *counter, *start, *step, *until;
    uint32_t unroll;
    const struct fact_loop_piece *pieces;
    uint32_t piece_count;
    const char *count;
    const struct fact_carried *carried;
    uint32_t carried_count;
    int32_t source_file, source_line; /* FACT_NONE */
    struct fact_offsets evidence;
};
struct fact_inline {
    int32_t file, line;
    const char *function;
};
struct fact_instruction {
    uint32_t offset;
    const char *text;
    const char *guard;     /* "P0", "!P0", NULL */
    const char *runs_when; /* NULL: always */
    enum fact_role role;
    const char *expr;
    int32_t file, line; /* FACT_NONE */
    const struct fact_inline *inlined;
    uint32_t inlined_count;
    const char *source_text; /* what stands on its line; NULL: not at hand, or not shown to be it */
    int32_t ptx_line;        /* FACT_NONE */
    int32_t stall, write_barrier, read_barrier, wait_mask; /* FACT_NONE */
    int32_t yield;                                         /* 0, 1, FACT_NONE */
    const uint32_t *patterns; /* the innermost patterns it belongs to and their parents, see pattern room */
    uint32_t pattern_count;
    const char *control_text; /* "[B--2---:R-:W0:-:S04]" for the listing, or NULL; not in JSON */
    const char *note;         /* a reader's remark for the listing, or NULL; not in JSON */
};
struct fact_hold {
    uint32_t from, to;
    const char *holds;
    enum fact_part part;
    const char *value;
};
struct fact_register {
    const char *name; /* "R2", "UR4", "P0" */
    const struct fact_hold *holds;
    uint32_t hold_count;
};
struct fact_storage {
    enum fact_where where;
    const char *at;
    uint32_t from, to;
    const char *address; /* NULL for registers */
    bool reloaded;       /* a second load of the same element */
};
struct fact_use {
    uint32_t offset;
    enum fact_where via;
    bool other_thread;
};
struct fact_value {
    const char *id, *name, *expr, *type;
    enum fact_class cls;
    const struct fact_storage *storage;
    uint32_t storage_count;
    const struct fact_use *uses;
    uint32_t use_count;
    enum fact_confidence confidence;
    struct fact_offsets evidence;
};
struct fact_pattern {
    const char *id; /* `n` is the index */
    int32_t parent; /* FACT_NONE */
    struct fact_offsets offsets;
    struct fact_bindings bindings;
    struct fact_texts via;
    enum fact_confidence confidence;
    const char *rule;
    bool collects; /* threads together make one result of their elements, or one each; not printed */
};
struct fact_rewrite {
    const char *kind;
    enum fact_stage stage;
    const char *reason;
    int32_t source_file, source_line; /* FACT_NONE: `source` is null */
    const char *source_text;
    struct fact_offsets ptx; /* line numbers */
    struct fact_offsets sass;
    struct fact_bindings args;
    enum fact_confidence confidence;
};
/* An instruction of the PTX that the kernel was made of. */
struct fact_ptx {
    int32_t line;         /* of the PTX text */
    const char *function; /* that it stands in */
    const char *text;
    int32_t file, source_line;   /* FACT_NONE */
    struct fact_offsets offsets; /* instructions that came of that line, by the line table or by what they compute */
};
/* A source line that instructions come from. */
struct fact_line {
    int32_t file, line; /* file FACT_NONE: not told */
    const char *text;   /* NULL: not at hand */
    struct fact_offsets offsets;
};
/* What a source line's own words say, held against what the machine code does for that line (fact_build_says.c). */
struct fact_said {
    const char *kind;    /* "comparison" "contraction" "choice" "condition" "temporary" */
    int32_t file, line;  /* file FACT_NONE: not told */
    const char *text;    /* the words: "i < n" */
    const char *machine; /* what became of them: "i >= n" */
    const char *sense;   /* of a comparison: "same", "inverted"; else NULL */
    struct fact_offsets offsets;
};
struct fact_read { /* a store that a load may read (definitions of dependence: graph_depend.h) */
    uint32_t store;
    const char *thread; /* whose: "own", an expression in the reading thread's terms, NULL: not decided */
    enum fact_sync sync;
    struct fact_offsets barriers; /* that part the two */
    enum fact_confidence confidence;
};
struct fact_access {
    uint32_t offset;
    enum fact_where space;
    uint32_t bytes;
    int32_t stride_bytes; /* FACT_NONE */
    enum fact_coalescing coalescing;
    int32_t conflict_degree; /* FACT_NONE */
    const struct fact_read *reads;
    uint32_t read_count;
    bool reads_more; /* or what is not told: something that was not understood may store there */
};
struct fact_work {
    double flops, global_bytes, shared_bytes, intensity;
    bool has_shared, has_intensity;
    bool unknown; /* no figure can be told */
};
struct fact_loop_work { /* one turn of the source's loop, without the loops inside it, which tell theirs */
    uint32_t loop;      /* id */
    struct fact_work work;
};
struct fact_occupancy {
    uint32_t block, warps;
    const char *limit;
};
struct fact_unknown {
    uint32_t offset;
    const char *text, *bits;
    enum fact_unknown_why why;
    const char *reason; /* of a call that was not followed; NULL: `why` says it */
};

/* A function in a section of its own that the kernel calls: its instructions are the kernel's from `offset` on. */
struct fact_function {
    const char *name, *demangled, *section;
    uint32_t offset, code_bytes;
};

struct fact_kernel {
    uint32_t input;
    uint64_t atomics; /* not in JSON: what its atomic updates do, for comparing kernels; 0: none */
    const char *name, *demangled, *base_name, *arch, *summary;
    int32_t registers, uniform_registers, shared_bytes, stack_bytes, barriers, code_bytes; /* FACT_NONE */
    bool dynamic_shared;
    VEC(struct fact_param) params;
    VEC(struct fact_name) names;
    VEC(struct fact_output) outputs;
    VEC(struct fact_phase) phases;
    VEC(struct fact_loop) loops;
    VEC(struct fact_instruction) instructions; /* with those of the functions it calls, behind its own */
    VEC(struct fact_function) functions;       /* by offset */
    bool has_padding;
    uint32_t padding_from, padding_to, padding_instructions;
    VEC(struct fact_register) register_flow; /* R0…, UR0…, P0…, UP0…, each ascending; only those used */
    VEC(struct fact_value) values;
    VEC(struct fact_pattern) patterns;
    VEC(struct fact_rewrite) rewrites;
    VEC(struct fact_line) lines; /* by file and line */
    VEC(struct fact_said) says;  /* by line */
    const char *ptx_from;        /* "embedded", "given"; NULL: no PTX of it was at hand */
    VEC(struct fact_ptx) ptx;    /* the kernel's, then those of functions that some of it came of; by line */
    VEC(struct fact_access) accesses;
    bool has_work;
    struct fact_work work; /* a thread, outside loops */
    VEC(struct fact_loop_work) loop_work;
    VEC(struct fact_occupancy) occupancy; /* empty: null */
    VEC(struct fact_unknown) unknown;
};

struct fact_input {
    const char *path, *member, *kind, *producer, *flags, *status;
    bool has_ptx, has_line_info;
    bool ptx_in_fatbin; /* not embedded: beside it */
};
struct fact_source_file { /* a file of a line table, while source texts are at hand */
    uint32_t input;
    int32_t file;
    const char *path; /* of the text that goes by its name, NULL: none */
    enum fact_match matched;
    const char *why; /* why it is not taken for it, or what is doubtful; or NULL */
};
struct fact_comparison_row {
    const char *subject, *a, *b;
    bool same;
    const char *why;
};
struct fact_comparison {
    uint32_t a, b; /* kernel indices */
    VEC(struct fact_comparison_row) rows;
    const char *summary;
};

struct fact_document {
    struct arena *a;
    const char *tool; /* version */
    VEC(struct fact_input) inputs;
    VEC(const char *) files;
    VEC(struct fact_source_file) sources;
    bool sources_given; /* some text was read with --source */
    struct diag_sink *diags;
    VEC(struct fact_kernel) kernels;
    VEC(struct fact_comparison) comparisons;
};

/* Spelling of an identifier as in the vocabulary, and back (-1: none). ORDER as the enums above. */
const char *fact_role_text(enum fact_role v);
const char *fact_class_text(enum fact_class v);
const char *fact_where_text(enum fact_where v);
const char *fact_confidence_text(enum fact_confidence v);
const char *fact_stage_text(enum fact_stage v);
const char *fact_why_text(enum fact_unknown_why v);
const char *fact_access_text(enum fact_access_mode v);
const char *fact_phase_text(enum fact_phase_kind v);
const char *fact_coalescing_text(enum fact_coalescing v);
const char *fact_sync_text(enum fact_sync v);
const char *fact_match_text(enum fact_match v); /* NULL: none */
int fact_role_find(const char *text);

/* The index of the first instruction at that offset (bytes) or behind it; the instruction at it, NULL: none. */
/* The function of another section that the offset lies in; NULL: it is the kernel's own. */
const struct fact_function *fact_function_at(const struct fact_kernel *k, uint32_t offset);
size_t fact_first_at(const struct fact_kernel *k, uint32_t offset);
const struct fact_instruction *fact_instruction_at(const struct fact_kernel *k, uint32_t offset);

/* Compares two kernels of the document by patterns, places, instruction classes and outputs, and appends a comparison
 * with the reason where one follows. */
bool fact_compare(struct fact_document *doc, uint32_t a, uint32_t b);
/* Compares every kernel of `arch_main` with those of the same name on other architectures (for rep_note()). */
bool fact_compare_archs(struct fact_document *doc, const char *arch_main);

#endif
