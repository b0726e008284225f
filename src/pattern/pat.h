/* Patterns are documents: a page in patterns/ whose fenced block is the definition. This room reads pages
 * (through front/cu.h), compiles them to matchers and runs them on a graph. It holds no pattern's name.
 *
 * Real rules (fma = mul + add, compare-and-select = min/max …) are applied here alone, lazily, only where
 * a page allows them; each use stands in the match's `via`. */
#ifndef SP_PAT_H
#define SP_PAT_H

#include "graph/graph.h"
#include "meaning/mean.h"

struct pat_library; /* compiled pages */

/* The pages of patterns/ as they were when this was built, in order of their names. */
struct pat_page_text {
    const char *name; /* "clamp.md" */
    const char *text;
    size_t size;
};
const struct pat_page_text *pat_embedded_pages(size_t *count);

/* Compiles one page (Markdown text). Diagnostics name page and line; SP_ERR_FORMAT when its block cannot be read. */
enum sp_status pat_library_add(struct pat_library *lib, const char *name, const char *text, size_t size,
                               struct diag_sink *diags);
struct pat_library *pat_library_new(struct arena *a);

struct pat_binding {
    const char *key;
    enum { PAT_BIND_NODE, PAT_BIND_INT, PAT_BIND_TEXT } kind;
    graph_id node;
    enum uop_type as; /* how to print the node */
    int64_t number;
    const char *text;
};
enum pat_confidence { PAT_PROVED, PAT_ASSUMED, PAT_MATCHED };

/* What threads have when a match is over: each its own; one result of all; each the result of those before it. */
enum pat_makes { PAT_MAKES_NOTHING, PAT_MAKES_ONE, PAT_MAKES_PREFIXES };

struct pat_match {
    const char *id;      /* from the page */
    const char *family;  /* from the page: "skeleton", "memory", "lowering", "operator" */
    const char *rule;    /* page id and variant: "clamp", "clamp/nan" */
    int32_t parent;      /* index of the enclosing match, -1 */
    graph_id root;       /* the value (or condition, address) the pattern describes; NIL for effects */
    bool is_select;      /* its block is a choice of two values and nothing more */
    VEC(uint32_t) insns; /* instances, ascending */
    VEC(struct pat_binding) bindings;
    VEC(const char *) via; /* names of the real rules used */
    enum pat_confidence confidence;
    enum pat_makes makes;
    uint32_t cycle;       /* + 1: the loop of the source it speaks of (graph_cycle.h); 0: none */
    uint32_t first, last; /* makes something: the instances between which that happens, whatever was prepared before */
};
/* The instance of the kernel's own level at which an instance of a called routine happens; itself, if it is none. */
uint32_t pat_top_insn(const struct graph *g, uint32_t insn);

struct pat_result {
    VEC(struct pat_match) matches; /* in a fixed order: by last instruction, wholes after their parts; see pat_run.c */
    const graph_id *real;          /* private: the real-number reading of every node that has one of its own */
    const graph_id *plain;         /* private: the same without minimum and maximum: functions alone */
    const uint32_t *rests_on;      /* private: by node, the real rules its reading rests on, what it approximates */
    const void *expanded;          /* private */
    uint32_t real_count;
};

/* Finds the expansions of the library's pages (blocks with `expands` or `reads`); `out` goes into g->expansions, so
 * that places, roles and words know what is nobody else's. */
enum sp_status pat_expand(const struct pat_library *lib, struct arena *a, struct graph *g,
                          struct graph_expansions *out);

/* Runs every page of the library on a graph; finds the expansions first where nobody did. */
enum sp_status pat_run(const struct pat_library *lib, struct mean *m, struct arena *a, struct pat_result *out);

/* The real-number reading of a value: like mean_expr, with the real rules (min, max, clamp …) applied.
 * `id_of` style as there. "min(max(x[i], lo), hi)". */
const char *pat_real_expr(struct mean *m, const struct pat_result *matches, graph_id node, enum uop_type as,
                          enum mean_style style);

/* Where exact and real reading differ, and for which inputs (computed with uop_eval on the special values, D14). */
struct pat_difference {
    const char *when, *exact, *real;
};
struct pat_differences {
    VEC(struct pat_difference) list;
};
enum sp_status pat_differences(struct mean *m, const struct pat_result *matches, graph_id node, struct arena *a,
                               struct pat_differences *out);
/* Adds for which inputs flushing subnormal numbers shows in a value, or in the condition under which it is stored. */
enum sp_status pat_flushed(struct mean *m, const struct pat_result *matches, graph_id node, graph_id condition,
                           struct arena *a, struct pat_differences *out);

/* Why a compare-and-select is not one min/max instruction: the first witness (D14). */
struct pat_refusal {
    uint32_t match;     /* index into matches: the select */
    const char *reason; /* "nan", "signed-zero", "subnormal", or NULL: no witness, it could have been one */
    const char *a, *b, *here, *fmnmx;                 /* special values as text: "NaN", "0" … */
    const char *nan_a, *nan_b, *nan_here, *fmnmx_nan; /* the witness against the NaN-keeping form; NULL: none */
};
struct pat_refusals {
    VEC(struct pat_refusal) list;
};
enum sp_status pat_refusals(struct mean *m, const struct pat_result *matches, struct arena *a,
                            struct pat_refusals *out);

#endif
