/* Calls that never come back. A compiler jumps with a call where the ways of a warp part for good: what stands at the
 * target runs on to the end of the kernel. Such a call is a branch; as a call, all code behind it would be an instance
 * of its own. It comes back when a return is reached from its target, behind calls that come back themselves; an
 * indirect branch and an instruction without meaning may be returns.
 * requires: where each instruction goes · gives: graph_calls_that_stay */
#include "graph/graph_internal.h"

#include <string.h>

struct returning {
    const struct graph_input *in;
    const struct graph_control *control;
    uint32_t count;
    bool *back;                 /* a return is reached from here without leaving the subroutine */
    uint32_t *from, *next_from; /* of instructions: who goes there, as lists of instruction + 1 */
    uint32_t *stack, depth;
};

static bool comes_back(const struct returning *r, uint32_t i)
{
    const struct graph_control *c = &r->control[i];
    bool behind = graph_goes_on(r->in, i) && r->back[i + 1], there = c->target != UINT32_MAX && r->back[c->target];
    switch (c->kind) {
    case GRAPH_CONTROL_BRANCH: return there || (c->conditional && behind);
    case GRAPH_CONTROL_CALL: return behind && (c->conditional || c->target == UINT32_MAX || there);
    case GRAPH_CONTROL_END: return c->conditional && behind;
    default: return behind;
    }
}

static void ask(struct returning *r, uint32_t i)
{
    if (r->back[i] || !comes_back(r, i))
        return;
    r->back[i] = true;
    r->stack[r->depth++] = i;
}

static void find_returns(struct returning *r, const struct graph_input *in)
{
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t to = r->control[i].target;
        uint8_t kind = r->control[i].kind;
        if (to != UINT32_MAX) {
            r->next_from[i] = r->from[to];
            r->from[to] = i + 1;
        }
        if (kind == GRAPH_CONTROL_RET || kind == GRAPH_CONTROL_INDIRECT || in->insns[i].uops->unknown ||
            (kind == GRAPH_CONTROL_BRANCH && to == UINT32_MAX)) {
            r->back[i] = true;
            r->stack[r->depth++] = i;
        }
    }
    while (r->depth) {
        uint32_t at = r->stack[--r->depth];
        if (at)
            ask(r, at - 1);
        for (uint32_t i = r->from[at]; i; i = r->next_from[i - 1])
            ask(r, i - 1);
    }
}

static const struct uop_list *as_branch(struct arena *a, const struct uop_list *call)
{
    struct uop_list *l = ARENA_NEW(a, struct uop_list);
    struct uop *ops = ARENA_ARRAY(a, struct uop, call->ops.n);
    if (!l || !ops)
        return NULL;
    memcpy(ops, call->ops.p, call->ops.n * sizeof ops[0]);
    for (size_t i = 0; i < call->ops.n; i++)
        if (ops[i].kind == UOP_CALL)
            ops[i].kind = UOP_BRANCH;
    *l = *call;
    l->ops.p = ops;
    l->ops.cap = l->ops.n;
    return l;
}

bool graph_calls_that_stay(struct graph *g, struct graph_control *control)
{
    struct returning r = {.in = &g->input, .control = control, .count = g->input.count};
    struct graph_input_insn *insns = NULL;
    struct arena scratch;
    bool any = false;
    for (uint32_t i = 0; i < r.count && !any; i++)
        any = control[i].kind == GRAPH_CONTROL_CALL && control[i].target != UINT32_MAX;
    if (!any)
        return true;
    arena_init(&scratch, 0);
    r.back = ARENA_ARRAY(&scratch, bool, r.count);
    r.from = ARENA_ARRAY(&scratch, uint32_t, r.count);
    r.next_from = ARENA_ARRAY(&scratch, uint32_t, r.count);
    r.stack = ARENA_ARRAY(&scratch, uint32_t, r.count);
    bool fine = !arena_failed(&scratch);
    if (fine)
        find_returns(&r, &g->input);
    for (uint32_t i = 0; i < r.count && fine; i++) {
        if (control[i].kind != GRAPH_CONTROL_CALL || control[i].target == UINT32_MAX || r.back[control[i].target])
            continue;
        if (!insns) {
            insns = ARENA_ARRAY(g->a, struct graph_input_insn, r.count);
            fine = insns != NULL;
            if (fine)
                memcpy(insns, g->input.insns, r.count * sizeof insns[0]);
            g->input.insns = fine ? insns : g->input.insns;
        }
        if (fine && (insns[i].uops = as_branch(g->a, insns[i].uops)) != NULL)
            control[i].kind = GRAPH_CONTROL_BRANCH;
        fine &= !arena_failed(g->a);
    }
    arena_free(&scratch);
    return fine;
}
