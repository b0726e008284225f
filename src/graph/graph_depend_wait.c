/* Loops that wait for another thread: what decides that the loop is left is loaded each turn from one and the same
 * place, to which the loop itself stores nothing. Only somebody else can end it, so what stands behind it is ordered
 * behind what that thread did, though no barrier says so. Whether the load was declared volatile is not asked: machine
 * code does not show it of shared memory.
 * requires: loops, turns · gives: graph_find_waits */
#include "base/map.h"
#include "graph/graph_depend_internal.h"

enum { CONE = 64, CONES_WORK = 1 << 20, STACK = CONE * 4 };

struct waits {
    struct graph *g;
    struct map_u64 access_of;            /* of a loaded word or an atomic's old value: access + 1 */
    uint32_t (*stores)[UOP_GENERIC + 1]; /* of each loop: stores and atomics, by space */
    bool *meets;                         /* of each loop: a barrier or a call stands in it */
    bool *found;                         /* of each instance */
    uint32_t *stamp, now;                /* of nodes */
    int work;
};

/* Nobody in the loop writes what the access reads, and it reads the same place each turn. */
static bool is_wait(struct waits *w, uint32_t access, uint32_t loop)
{
    const struct graph_access *x = &w->g->accesses.p[access];
    uint32_t own = x->kind == GRAPH_ATOMIC, *stores = w->stores[loop - 1];
    if (x->space == UOP_LOCAL || x->order == UOP_READONLY || w->meets[loop - 1] ||
        !graph_in_loop(w->g, w->g->insns.p[x->insn].block, loop) || graph_turns_with(w->g, x->address, loop))
        return false;
    if (x->space == UOP_GENERIC)
        return stores[UOP_SHARED] + stores[UOP_GLOBAL] + stores[UOP_GENERIC] == own;
    return stores[x->space] == own && !stores[UOP_GENERIC];
}

/* What a condition that leaves the loop is made of. */
static void look_below(struct waits *w, graph_id root, uint32_t loop)
{
    struct graph *g = w->g;
    graph_id stack[STACK];
    unsigned depth = 0, seen = 0;
    w->now++;
    stack[depth++] = root;
    while (depth && seen < CONE && w->work > 0) {
        graph_id id = stack[--depth];
        uint32_t access;
        if (id == GRAPH_NIL || w->stamp[id] == w->now)
            continue;
        w->stamp[id] = w->now;
        w->work--;
        seen++;
        if (map_u64_get(&w->access_of, id, &access)) {
            if (is_wait(w, access - 1, loop))
                w->found[g->accesses.p[access - 1].insn] = true;
            continue;
        }
        const struct graph_node *n = graph_at(g, id);
        const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
        uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
        for (uint32_t i = 0; i < count && depth < STACK; i++)
            stack[depth++] = args[i];
    }
}

static void note_access(struct waits *w, struct arena *a, uint32_t i)
{
    const struct graph *g = w->g;
    const struct graph_access *x = &g->accesses.p[i];
    uint32_t inner = g->blocks.p[g->insns.p[x->insn].block].loop;
    if (!inner || x->space > UOP_GENERIC)
        return;
    for (uint32_t l = x->kind == GRAPH_LOAD ? 0 : inner; l; l = g->loops.p[l - 1].parent)
        w->stores[l - 1][x->space]++;
    if (x->kind == GRAPH_STORE)
        return;
    if (x->result != GRAPH_NIL)
        map_u64_put(a, &w->access_of, x->result, i + 1);
    for (unsigned k = 0; k < 4 && x->kind == GRAPH_LOAD; k++)
        if (x->value[k] != GRAPH_NIL)
            map_u64_put(a, &w->access_of, x->value[k], i + 1);
}

static bool meets(const struct graph *g, uint32_t insn)
{
    const struct uop_list *l = g->input.insns[g->insns.p[insn].input].uops;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_BAR || l->ops.p[i].kind == UOP_CALL || l->ops.p[i].kind == UOP_CALL_IND)
            return g->insns.p[insn].reachable;
    return false;
}

bool *graph_find_waits(struct arena *a, struct graph *g)
{
    struct waits w = {.g = g, .work = CONES_WORK};
    w.found = ARENA_ARRAY(a, bool, g->insns.n + 1);
    w.stores = arena_array(a, g->loops.n + 1, sizeof *w.stores);
    w.meets = ARENA_ARRAY(a, bool, g->loops.n + 1);
    w.stamp = ARENA_ARRAY(a, uint32_t, g->nodes.n + 1);
    if (arena_failed(a))
        return NULL;
    for (uint32_t i = 0; i < g->accesses.n; i++)
        if (g->insns.p[g->accesses.p[i].insn].reachable)
            note_access(&w, a, i);
    for (uint32_t i = 0; i < g->insns.n && g->loops.n; i++)
        for (uint32_t l = meets(g, i) ? g->blocks.p[g->insns.p[i].block].loop : 0; l; l = g->loops.p[l - 1].parent)
            w.meets[l - 1] = true;
    for (uint32_t b = 0; b < g->blocks.n && w.access_of.n; b++) {
        const struct graph_block *block = &g->blocks.p[b];
        for (uint32_t l = block->reachable && block->branch != GRAPH_NIL ? block->loop : 0; l;
             l = g->loops.p[l - 1].parent) {
            bool leaves = false;
            for (uint32_t k = 0; k < block->succ_count; k++)
                leaves |= !graph_in_loop(g, block->succs[k], l);
            if (!leaves)
                break; /* nor does it leave what is further out */
            look_below(&w, block->branch, l);
        }
    }
    return arena_failed(a) ? NULL : w.found;
}
