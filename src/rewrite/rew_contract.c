/* Multiplications that were not contracted: FMUL nodes whose result (perhaps negated) is an addend of an FADD of the
 * same format, both held in registers by instructions of their own. requires: graph with defs indexed */
#include "rewrite/rew_internal.h"

#include <stdlib.h>

static bool first_def(const struct graph *g, graph_id id, uint32_t *insn)
{
    uint32_t count;
    const uint32_t *defs = graph_defs_of(g, id, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_insn *x = &g->insns.p[g->defs.p[defs[i]].insn];
        bool copy = false; /* moved or loaded back, not computed */
        for (uint32_t u = x->first_use; u < x->first_use + x->use_count; u++)
            copy |= g->uses.p[u].node == id;
        if (copy || x->access_count)
            continue;
        *insn = g->defs.p[defs[i]].insn;
        return true;
    }
    return false;
}

static int by_sum(const void *p, const void *q)
{
    const struct rew_not_contracted *a = p, *b = q;
    if (a->sum_insn != b->sum_insn)
        return a->sum_insn < b->sum_insn ? -1 : 1;
    return a->product_insn < b->product_insn ? -1 : a->product_insn > b->product_insn;
}

enum sp_status rew_find_contractions(struct arena *a, const struct graph *g, struct rew_list *out)
{
    *out = (struct rew_list){0};
    for (graph_id id = 1; id < g->nodes.n; id++) {
        const struct graph_node *sum = graph_at(g, id);
        if (sum->kind != UOP_FADD)
            continue;
        for (unsigned k = 0; k < 2; k++) {
            graph_id x = sum->arg[k];
            if (graph_at(g, x)->kind == UOP_FNEG)
                x = graph_at(g, x)->arg[0];
            const struct graph_node *product = graph_at(g, x);
            struct rew_not_contracted r = {.product = x, .sum = id, .stage = REW_UNKNOWN};
            if (product->kind != UOP_FMUL || product->type != sum->type || (k && sum->arg[0] == sum->arg[1]))
                continue;
            if (graph_is_inside(g, x) || graph_is_inside(g, id))
                continue; /* how a machine computes some function */
            if (!first_def(g, x, &r.product_insn) || !first_def(g, id, &r.sum_insn))
                continue;
            uint32_t maker = rew_maker(g, r.sum_insn, x); /* of equal products the one that this sum reads */
            if (maker != UINT32_MAX && rew_has_op(g, maker, UOP_FMUL))
                r.product_insn = maker;
            if (!graph_is_owned(g, r.product_insn) && !graph_is_owned(g, r.sum_insn))
                VEC_PUSH(a, out->not_contracted, r);
        }
    }
    if (out->not_contracted.n)
        qsort(out->not_contracted.p, out->not_contracted.n, sizeof out->not_contracted.p[0], by_sum);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
