/* Between the two files that read what source lines say only. */
#ifndef SP_FACTS_FACT_SAYS_H
#define SP_FACTS_FACT_SAYS_H

#include "facts/fact_build.h"
#include "front/cu_line.h"

struct says_function {
    const struct cu_source *source;
    uint32_t function;
    struct cu_locals locals;
    bool is_kernel;
};

struct says {
    struct arena *a;
    struct fact_source *s;
    struct fact_kernel *k;
    struct map_u64 instances; /* offset -> first instance */
    uint8_t *turning;         /* by node: 1 a phi of a loop or what goes into one */
    size_t nodes;             /* before any was made here */
    VEC(struct says_function) functions;
    struct map_u64 conditions; /* file and line -> the first rewrite of a condition there + 1 */
    uint32_t *next_condition;  /* by rewrite: the next one of its line + 1, 0 */

    /* of one line */
    const struct cu_source *source;
    struct cu_line line;
    const struct says_function *in;
    const struct fact_line *at;
};

static inline const struct graph_node *says_node(const struct says *w, graph_id id)
{
    return graph_at(w->s->g, id);
}

/* The function that a line of w->source stands in, with its names; read once. NULL: none. */
const struct says_function *says_function_of(struct says *w, uint32_t line);

/* A variable that the function declares, or an element or a sum of such: it cannot be a macro's name. */
bool says_is_own(struct says *w, const struct cu_expr *e);

/* What speaks for a node being what the source writes: something against it; nothing; it is the very node. */
enum says_side { SAYS_OTHER, SAYS_OPEN, SAYS_SAME };
/* `compare`: the comparison it stands in (kind, and width of floats). */
enum says_side says_side_of(struct says *w, const struct cu_expr *e, graph_id node, const struct graph_node *compare);

bool says_is_compare(const struct graph_node *n);
/* Whether an atom of the graph is the source's comparison: nothing speaks against its sides, and (surely) one of them
 * is the very node. *opposite: it is true where the source's is false. */
bool says_is_comparison(struct says *w, const struct cu_expr *e, graph_id atom, bool surely, bool *opposite);

#endif
