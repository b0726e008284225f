/* Code that runs only where the lanes of a warp run apart. A compiler asks whether they do and leads them, then, to
 * code that lets them meet at every step, or lets them meet first; for one thread both ways do the same, and the graph
 * goes one of them. What stands on the other is not dead: it is a slow way to do what the graph shows.
 *
 * requires: instances and micro-operations · gives: one mark a machine instruction. Linear in the code */
#include "facts/fact_build.h"

#include "base/map.h"

struct apart {
    struct arena *a;
    const struct graph *g;
    bool *marks;
    VEC(uint32_t) open;
    struct map_u64 at; /* offset -> instruction, of those that no instance is of */
};

static void reach(struct apart *w, uint64_t offset)
{
    uint32_t input;
    if (!map_u64_get(&w->at, offset, &input) || w->marks[input])
        return;
    w->marks[input] = true;
    VEC_PUSH(w->a, w->open, input);
}

/* What an instruction leads to. `shown`: the graph goes from it already, but where lanes run apart. */
static void follow(struct apart *w, uint32_t input, bool shown)
{
    const struct uop_list *l = w->g->input.insns[input].uops;
    bool ends = false, asks = false;
    for (size_t i = 0; i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i];
        if (u->kind == UOP_RECONVERGE && u->imm == UOP_APART) {
            asks = true;
            if (u->arg[0] < l->ops.n && l->ops.p[u->arg[0]].kind == UOP_CONST)
                reach(w, l->ops.p[u->arg[0]].imm);
        }
        if (!shown && (u->kind == UOP_BRANCH || u->kind == UOP_CALL))
            reach(w, u->imm);
        bool conditional = l->guard != UOP_NONE || (u->kind == UOP_BRANCH && u->arg[0] != UOP_NONE);
        ends |= (u->kind == UOP_BRANCH || u->kind == UOP_EXIT || u->kind == UOP_RET) && !conditional;
    }
    if (input + 1 < w->g->input.count && (shown ? asks : !ends))
        reach(w, w->g->input.insns[input + 1].offset);
}

bool *fact_apart(struct arena *a, const struct graph *g, const uint32_t *instance)
{
    struct apart w = {.a = a, .g = g, .marks = ARENA_ARRAY(a, bool, g->input.count + 1)};
    if (!w.marks)
        return NULL;
    for (uint32_t i = 0; i < g->input.count; i++)
        if (instance[i] == UINT32_MAX && !map_u64_put(a, &w.at, g->input.insns[i].offset, i))
            return NULL;
    for (uint32_t i = 0; i < g->input.count && w.at.n; i++)
        if (instance[i] != UINT32_MAX)
            follow(&w, i, true);
    for (size_t i = 0; i < w.open.n; i++)
        follow(&w, w.open.p[i], false);
    return arena_failed(a) ? NULL : w.marks;
}
