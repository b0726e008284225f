/* Private to the search for integer divisions: what is tried (pat_divide_try.c) and what is searched (pat_divide.c). */
#ifndef SP_PAT_DIVIDE_H
#define SP_PAT_DIVIDE_H

#include "pattern/pat_internal.h"

struct divide {
    struct arena *a;
    const struct pat_index *x;
    struct graph *g;
    struct pat_divisions *out;
    uint64_t budget;         /* nodes that may still be evaluated */
    uint32_t *met, climbs;   /* of a node: the climb that last met it */
    uint32_t *seen, others;  /* of a node: the search for the other number that last met it */
    struct map_u64 verdicts; /* of a computation's shape, what it may be: 1 it is that, 0 not */
    struct pat_memo *memo;   /* the same of all kernels, where the shape names nothing of this one */
};

/* A number as the sum it was: sums are flat, and one that code goes on adding to is no node of its own any more. Its
 * terms are given values, the one at `pivot` so that the sum is what is wanted. */
enum { SUM = 8 };
struct sum {
    graph_id term[SUM];
    uint64_t factor[SUM], constant;
    unsigned count, pivot; /* count 0: a node */
};

struct tried {
    struct divide *d;
    struct pat_tape tape;
    graph_id root, a, b; /* b NIL: a constant divisor */
    struct sum sum[2];   /* of a, of b */
    uint64_t random;
};

/* Sets up all but the tape, which is long, and is built before it is run. */
static inline void pat_try_begin(struct tried *t, struct divide *d, graph_id root, graph_id a, graph_id b)
{
    t->d = d;
    t->root = root;
    t->a = a;
    t->b = b;
    t->sum[0].count = t->sum[1].count = 0;
    t->random = 0;
}
bool pat_try_spend(struct divide *d, unsigned nodes);
bool pat_try_build(struct tried *t, bool sums);
bool pat_try_near(struct tried *t, bool is_signed, bool remainder, uint32_t d);
uint32_t pat_try_divisor(struct tried *t, bool is_signed);
bool pat_try_fixed(const struct divide *d, graph_id id);
bool pat_try_remainder(struct tried *t, bool is_signed, const uint32_t *known, unsigned count, uint32_t *d);
bool pat_try_everywhere(struct tried *t, bool is_signed, bool remainder);
bool pat_try_wide(struct tried *t, bool is_signed, bool remainder);

#endif
