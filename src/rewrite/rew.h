/* Rewrites: what the compilers changed, or refused to change. From machine code alone only refusals can be told (a
 * product and a sum that stayed two instructions); the stage is then unknown. */
#ifndef SP_REW_H
#define SP_REW_H

#include "graph/graph.h"

/* A product whose rounded result feeds a sum: two roundings where one instruction could do with one. */
struct rew_not_contracted {
    graph_id product, sum;
    uint32_t product_insn, sum_insn; /* instances */
};
struct rew_list {
    VEC(struct rew_not_contracted) not_contracted; /* by instance of the sum */
};
enum sp_status rew_find_contractions(struct arena *a, const struct graph *g, struct rew_list *out);

#endif
