/* Between the files that find what threads merge of one another's accumulators (pat_collect_merge.c,
 * pat_collect_brought.c) only. */
#ifndef SP_PAT_COLLECT_MERGE_H
#define SP_PAT_COLLECT_MERGE_H

#include "pattern/pat_collect.h"

enum { MERGE_STEPS = PAT_TURNS };

struct merging {
    struct pat_collect *k;
    const struct pat_page *page;
    const struct pat_variant *v;
    struct pat_collective *lead;
    unsigned leads, follows; /* accumulators of the block */
    const struct pat_term *says;
    struct pat_step step[MERGE_STEPS];
    const struct pat_step *list[MERGE_STEPS];
    graph_id shown[MERGE_STEPS]; /* what a step makes, with the products that are left out in the code */
    unsigned count;
    unsigned looks; /* left, in the whole kernel */
    int64_t apart;  /* memory: bytes from an element of the leader's to the follower's */
};

/* Bytes from one address to another; false: not a number. */
bool pat_bytes_apart(const struct graph *g, graph_id from, graph_id to, int64_t *out);
/* As far as the follower's element lies from the leader's. */
bool pat_is_beside(const struct merging *m, graph_id from, graph_id to);

/* The pair that a thread brings, and what the follower's reduction is of. */
struct brought {
    graph_id lead, follow;
};
/* What one thread's pair is before the first step; GRAPH_NIL: more than one thing. */
graph_id pat_brought_by_lanes(const struct graph *g, const struct pat_step *s);
/* One store each brought the elements, beside one another. */
bool pat_brought_by_stores(const struct merging *m, const struct pat_collective *made, struct brought *out);
/* Each thread has one element, and of one element the block knows what accumulators are. */
bool pat_is_one_each(struct merging *m, const struct brought *b, struct pat_collective *made);
/* Each thread has a result of which the block says the same. */
bool pat_is_result_each(struct merging *m, const struct brought *b, struct pat_collective *made);

#endif
