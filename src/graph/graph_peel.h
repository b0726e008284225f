/* Between graph_term.c and graph_peel.c only. */
#ifndef SP_GRAPH_PEEL_H
#define SP_GRAPH_PEEL_H

#include "graph/graph_cycle_internal.h"

enum { NOW, OTHER, LATER, STILL, NUMBERS }; /* at one counter, at another, a turn after NOW, NOW with accumulators 0 */
struct summary {
    uint64_t hash, f[NUMBERS];
    uint64_t constant; /* of the first elements' addresses: an order among copies */
    uint32_t reads;    /* an accumulator that it is made of, + 1; 0: none */
    bool linear;       /* an integer that only inductions and what never changes decide; f is its value */
};

struct peeler {
    struct cycle_work *w;
    struct cycle_region *r;
    struct summary *memo;
    uint32_t *at;    /* of nodes: index into memo + 1 where `stamp` is this region's */
    uint32_t *stamp; /* region + 1 */
    uint32_t memo_count, memo_cap;
    uint32_t *cut_stamp, *cut_chain, *cut_index; /* of nodes */
    uint32_t *mark, *place;                      /* of nodes, for finding cuts: token, position */
    uint32_t token;
    VEC(graph_id) order;
    struct {
        graph_id node;
        unsigned arg;
    } * stack;
    uint32_t stack_cap;
    uint32_t *group_of; /* of chains: one of those that read each other, by way of others */
    uint32_t reading;   /* chain being defined + 1 */
    uint32_t met;       /* an accumulator met since a value was begun + 1; 0: none */
};

static inline uint64_t peel_mix(uint64_t a, uint64_t b)
{
    return map_hash_mix(a, b);
}

/* The term of a node; a cut of an accumulator stands for the accumulator. */
struct summary peel_sum_up(struct peeler *p, graph_id id, unsigned depth);
/* The same with the node's own operation, cut or not. */
struct summary peel_define(struct peeler *p, graph_id id, unsigned depth);
/* Of chains that read each other the one that stands for all. */
uint32_t peel_group_of(struct peeler *p, uint32_t chain);
/* The numbers of a part, weighed by where it stands. */
void peel_take_in(struct summary *s, const struct summary *part, uint64_t weight);
struct cycle_phi *peel_header_phi(struct peeler *p, graph_id id);
/* A counter that is halved each turn, or a shift of it. */
bool peel_shifted_counter(struct peeler *p, graph_id id, struct summary *out);

#endif
