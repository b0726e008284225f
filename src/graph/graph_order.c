/* The order of blocks and what follows from it: reverse post-order, dominators and post-dominators (semi-dominators of
 * a depth-first tree, with path compression), loops by back edges, each walked once with its inner loops folded up.
 *
 * Post-dominators answer whether control that is at one block must come to another in the same turn of the loops both
 * are in: the condition behind a branch or a loop is then that before it. A loop that has a way out is taken to come to
 * it.
 *
 * requires: blocks and edges · gives: order, idom, loops, graph_dominates, graph_always_reaches */
#include "graph/graph_internal.h"

#include <string.h>

static enum sp_status order_blocks(struct graph *g, struct graph_flow *flow)
{
    uint32_t n = (uint32_t)g->blocks.n;
    flow->order = ARENA_ARRAY(g->a, uint32_t, n);
    flow->position = ARENA_ARRAY(g->a, uint32_t, n);
    uint32_t *stack = ARENA_ARRAY(g->a, uint32_t, n), *next = ARENA_ARRAY(g->a, uint32_t, n);
    uint8_t *seen = ARENA_ARRAY(g->a, uint8_t, n);
    if (arena_failed(g->a))
        return SP_ERR_MEMORY;
    uint32_t depth = 0, post = n;
    stack[depth++] = 0;
    seen[0] = 1;
    while (depth) {
        uint32_t at = stack[depth - 1];
        const struct graph_block *b = &g->blocks.p[at];
        if (next[at] < b->succ_count) {
            uint32_t to = b->succs[next[at]++];
            if (!seen[to]) {
                seen[to] = 1;
                stack[depth++] = to;
            }
        } else {
            flow->order[--post] = at;
            depth--;
        }
    }
    flow->order_count = n - post;
    memmove(flow->order, flow->order + post, flow->order_count * sizeof flow->order[0]);
    for (uint32_t i = 0; i < n; i++)
        flow->position[i] = UINT32_MAX;
    for (uint32_t i = 0; i < flow->order_count; i++) {
        flow->position[flow->order[i]] = i;
        g->blocks.p[flow->order[i]].reachable = true;
    }
    for (uint32_t e = 0; e < flow->edges.n; e++)
        flow->edges.p[e].back = flow->position[flow->edges.p[e].to] <= flow->position[flow->edges.p[e].from];
    return SP_OK;
}

/* ---- dominators of any graph ---------------------------------------------------------------- */

struct digraph { /* lists of one number each, laid out behind one another */
    uint32_t n, root;
    const uint32_t *succ_start, *succ, *pred_start, *pred;
};

struct dominator_work {
    uint32_t *number;                      /* of a node in depth-first order, UINT32_MAX: not reached */
    uint32_t *node, *parent, *semi, *idom; /* by number */
    uint32_t *ancestor, *label, *next, *stack;
    uint32_t count;
};

static void number_depth_first(const struct digraph *d, struct dominator_work *w)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < d->n; i++)
        w->number[i] = UINT32_MAX;
    w->number[d->root] = 0;
    w->node[0] = d->root;
    w->count = 1;
    w->stack[depth++] = d->root;
    while (depth) {
        uint32_t at = w->stack[depth - 1];
        if (d->succ_start[at] + w->next[at] == d->succ_start[at + 1]) {
            depth--;
            continue;
        }
        uint32_t to = d->succ[d->succ_start[at] + w->next[at]++];
        if (w->number[to] != UINT32_MAX)
            continue;
        w->number[to] = w->count;
        w->parent[w->count] = w->number[at];
        w->node[w->count++] = to;
        w->stack[depth++] = to;
    }
}

/* The number with the least semi-dominator on the path from v to the root of its tree, v's tree being the nodes above
 * `from` in number; the path is made short for the next time. */
static uint32_t least_semi(struct dominator_work *w, uint32_t v, uint32_t from)
{
    uint32_t depth = 0;
    if (v < from)
        return v;
    for (uint32_t x = v; w->ancestor[x] >= from && w->ancestor[x] != x; x = w->ancestor[x])
        w->stack[depth++] = x;
    while (depth) { /* from the top down */
        uint32_t x = w->stack[--depth], up = w->ancestor[x];
        if (w->semi[w->label[up]] < w->semi[w->label[x]])
            w->label[x] = w->label[up];
        w->ancestor[x] = w->ancestor[up];
    }
    return w->label[v];
}

/* idom[i] of every node, UINT32_MAX for the root and what is not reached. */
static bool find_idoms(struct arena *a, const struct digraph *d, uint32_t *idom)
{
    struct dominator_work w = {0};
    uint32_t **arrays[] = {&w.number, &w.node, &w.parent, &w.semi, &w.idom, &w.ancestor, &w.label, &w.next, &w.stack};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!(*arrays[i] = ARENA_ARRAY(a, uint32_t, d->n + 1u)))
            return false;
    number_depth_first(d, &w);
    for (uint32_t i = 0; i < w.count; i++) {
        w.semi[i] = w.label[i] = i;
        w.ancestor[i] = w.parent[i];
    }
    for (uint32_t i = w.count; i-- > 1;) {
        uint32_t node = w.node[i], semi = w.parent[i];
        for (uint32_t k = d->pred_start[node]; k < d->pred_start[node + 1]; k++) {
            uint32_t p = w.number[d->pred[k]];
            if (p == UINT32_MAX)
                continue;
            uint32_t s = p <= i ? p : w.semi[least_semi(&w, p, i + 1)];
            semi = s < semi ? s : semi;
        }
        w.semi[i] = semi;
    }
    for (uint32_t i = 0; i < d->n; i++)
        idom[i] = UINT32_MAX;
    for (uint32_t i = 1; i < w.count; i++) {
        uint32_t x = w.parent[i];
        while (x > w.semi[i])
            x = w.idom[x];
        w.idom[i] = x;
        idom[w.node[i]] = w.node[x];
    }
    return true;
}

/* Numbers a tree so that `a` is above `b` exactly when enter[a] <= enter[b] < leave[a]. */
static bool number_tree(struct arena *a, uint32_t n, uint32_t root, const uint32_t *idom, uint32_t *enter,
                        uint32_t *leave)
{
    uint32_t *first = ARENA_ARRAY(a, uint32_t, n), *next = ARENA_ARRAY(a, uint32_t, n);
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, n);
    if (!first || !next || !stack)
        return false;
    for (uint32_t i = n; i-- > 0;) {
        if (idom[i] == UINT32_MAX)
            continue;
        next[i] = first[idom[i]];
        first[idom[i]] = i + 1;
    }
    uint32_t depth = 0, clock = 1; /* 0: not in the tree */
    enter[root] = clock++;
    stack[depth++] = root;
    while (depth) {
        uint32_t at = stack[depth - 1];
        if (first[at]) {
            uint32_t child = first[at] - 1;
            first[at] = next[child];
            enter[child] = clock++;
            stack[depth++] = child;
        } else {
            leave[at] = clock;
            depth--;
        }
    }
    return true;
}

static bool above(const uint32_t *enter, const uint32_t *leave, uint32_t a, uint32_t b)
{
    return enter[a] && enter[b] && enter[a] <= enter[b] && enter[b] < leave[a];
}

bool graph_dominates(const struct graph_flow *flow, uint32_t a, uint32_t b)
{
    return above(flow->dom_enter, flow->dom_leave, a, b);
}

bool graph_always_reaches(const struct graph_flow *flow, uint32_t a, uint32_t b)
{
    return above(flow->post_enter, flow->post_leave, b, a);
}

/* A thread may end, or go where nobody knows, at the end of this block. */
static bool may_end(const struct graph *g, uint32_t block)
{
    const struct graph_insn *last = &g->insns.p[g->blocks.p[block].last];
    const struct uop_list *l = g->input.insns[last->input].uops;
    for (size_t i = 0; i < l->ops.n; i++) {
        unsigned kind = l->ops.p[i].kind;
        if (kind == UOP_EXIT || kind == UOP_TRAP || (kind == UOP_BRANCH_IND && !g->blocks.p[block].by_table) ||
            (kind == UOP_RET && !last->call_path))
            return true;
    }
    return g->blocks.p[block].succ_count == 0;
}

static enum sp_status find_dominators(struct graph *g, struct graph_flow *flow)
{
    uint32_t n = (uint32_t)g->blocks.n, edges = (uint32_t)flow->edges.n, out_count = 0, in_count = 0;
    uint32_t *out_start = ARENA_ARRAY(g->a, uint32_t, n + 1u), *in_start = ARENA_ARRAY(g->a, uint32_t, n + 1u);
    uint32_t *out = ARENA_ARRAY(g->a, uint32_t, edges), *in = ARENA_ARRAY(g->a, uint32_t, edges);
    uint32_t *idom = ARENA_ARRAY(g->a, uint32_t, n);
    flow->dom_enter = ARENA_ARRAY(g->a, uint32_t, n);
    flow->dom_leave = ARENA_ARRAY(g->a, uint32_t, n);
    if (arena_failed(g->a))
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_block *b = &g->blocks.p[i];
        for (uint32_t k = 0; k < b->succ_count; k++)
            out[out_count++] = b->succs[k];
        for (uint32_t k = 0; k < b->pred_count; k++)
            in[in_count++] = b->preds[k];
        out_start[i + 1] = out_count;
        in_start[i + 1] = in_count;
    }
    struct digraph d = {n, 0, out_start, out, in_start, in};
    if (!find_idoms(g->a, &d, idom) || !number_tree(g->a, n, 0, idom, flow->dom_enter, flow->dom_leave))
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        g->blocks.p[i].idom = idom[i];
    return SP_OK;
}

/* ---- what must be reached in the same turn -------------------------------------------------- */

/* The graph for post-dominators: blocks, then a node a loop, then the end. An edge back to a header leads to the loop's
 * node, and from there to wherever the loop is left: another turn comes to one of its ends, not to its middle. */
struct turn_graph {
    struct graph *g;
    struct graph_flow *flow;
    uint32_t end, count;
    uint32_t *depth;      /* of a loop */
    VEC(uint64_t) arrows; /* from << 32 | to */
};

static uint32_t arrow_target(const struct turn_graph *t, const struct graph_edge *e)
{
    return e->back ? (uint32_t)t->g->blocks.n + t->g->blocks.p[e->to].header - 1 : e->to;
}

static void add_arrow(struct turn_graph *t, uint32_t from, uint32_t to)
{
    VEC_PUSH(t->g->a, t->arrows, (uint64_t)from << 32 | to);
}

static void draw_turns(struct turn_graph *t)
{
    enum { SPARE = 4096 };
    struct graph *g = t->g;
    uint32_t blocks = (uint32_t)g->blocks.n;
    size_t most =
        8 * t->flow->edges.n + SPARE; /* loops that many edges leave through many loops: anything may follow */
    for (size_t i = 0; i < t->flow->edges.n; i++) {
        const struct graph_edge *e = &t->flow->edges.p[i];
        if (t->flow->position[e->from] == UINT32_MAX)
            continue;
        add_arrow(t, e->from, arrow_target(t, e));
        uint32_t stays = g->blocks.p[e->to].loop;
        for (uint32_t l = g->blocks.p[e->from].loop; l; l = g->loops.p[l - 1].parent) {
            while (stays && t->depth[stays - 1] > t->depth[l - 1])
                stays = g->loops.p[stays - 1].parent;
            if (stays == l)
                break;
            if (t->arrows.n > most)
                add_arrow(t, e->from, t->end);
            if (t->arrows.n > most)
                break;
            add_arrow(t, blocks + l - 1, arrow_target(t, e));
        }
    }
    /* What has no way on, or may end, leads to the end; so does a loop without a way out. */
    bool *leads = ARENA_ARRAY(g->a, bool, t->count);
    for (size_t i = 0; i < t->arrows.n && leads; i++)
        leads[t->arrows.p[i] >> 32] = true;
    for (uint32_t i = 0; i < t->end && leads; i++)
        if (!leads[i] || (i < blocks && may_end(g, i)))
            add_arrow(t, i, t->end);
}

static enum sp_status find_post_dominators(struct graph *g, struct graph_flow *flow)
{
    uint32_t loops = (uint32_t)g->loops.n, n = (uint32_t)g->blocks.n + loops + 1;
    struct turn_graph t = {.g = g, .flow = flow, .end = n - 1, .count = n};
    t.depth = ARENA_ARRAY(g->a, uint32_t, loops);
    flow->post_enter = ARENA_ARRAY(g->a, uint32_t, n);
    flow->post_leave = ARENA_ARRAY(g->a, uint32_t, n);
    uint32_t *idom = ARENA_ARRAY(g->a, uint32_t, n);
    if (arena_failed(g->a))
        return SP_ERR_MEMORY;
    for (uint32_t l = loops; l-- > 0;)
        t.depth[l] = g->loops.p[l].parent ? t.depth[g->loops.p[l].parent - 1] + 1 : 1;
    draw_turns(&t);
    /* Backwards: successors are where an arrow comes from. */
    uint32_t *out_start = ARENA_ARRAY(g->a, uint32_t, n + 2u), *in_start = ARENA_ARRAY(g->a, uint32_t, n + 2u);
    uint32_t *out = ARENA_ARRAY(g->a, uint32_t, t.arrows.n), *in = ARENA_ARRAY(g->a, uint32_t, t.arrows.n);
    if (arena_failed(g->a))
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < t.arrows.n; i++) {
        out_start[(uint32_t)t.arrows.p[i] + 2]++;
        in_start[(t.arrows.p[i] >> 32) + 2]++;
    }
    for (uint32_t i = 1; i < n + 1; i++) {
        out_start[i + 1] += out_start[i];
        in_start[i + 1] += in_start[i];
    }
    for (size_t i = 0; i < t.arrows.n; i++) {
        uint32_t from = (uint32_t)(t.arrows.p[i] >> 32), to = (uint32_t)t.arrows.p[i];
        out[out_start[to + 1]++] = from;
        in[in_start[from + 1]++] = to;
    }
    struct digraph d = {n, t.end, out_start, out, in_start, in};
    bool fine = find_idoms(g->a, &d, idom) && number_tree(g->a, n, t.end, idom, flow->post_enter, flow->post_leave);
    return fine ? SP_OK : SP_ERR_MEMORY;
}

/* ---- loops ---------------------------------------------------------------------------------- */

struct loop_finder {
    struct graph *g;
    struct graph_flow *flow;
    uint32_t *top;              /* of a loop: one further out, itself when none is known (paths are made short) */
    VEC(uint32_t) side_entries; /* blocks before an irreducible loop that enter it beside its header, loop by loop */
    uint32_t *side_first;       /* of a loop, into side_entries; those of the next begin where its own end */
    uint32_t *stack, depth;
    uint32_t *stamp;
};

static uint32_t outermost(struct loop_finder *f, uint32_t loop)
{
    uint32_t root = loop;
    while (f->top[root] != root)
        root = f->top[root];
    while (f->top[loop] != root) {
        uint32_t next = f->top[loop];
        f->top[loop] = root;
        loop = next;
    }
    return root;
}

static void walk_into(struct loop_finder *f, uint32_t id, uint32_t position, uint32_t block)
{
    if (f->flow->position[block] == UINT32_MAX || f->stamp[block] == id)
        return;
    f->stamp[block] = id;
    if (f->flow->position[block] < position) /* entered beside the header: what stands before it is not of it */
        VEC_PUSH(f->g->a, f->side_entries, block);
    else
        f->stack[f->depth++] = block;
}

static void take_extent(struct graph *g, struct graph_loop *l, uint32_t header, uint32_t first, uint32_t last)
{
    if (g->insns.p[first].call_path != g->insns.p[g->blocks.p[header].first].call_path)
        return;
    l->first = first < l->first ? first : l->first;
    l->last = last > l->last ? last : l->last;
}

/* Headers from the innermost (latest in order) outward: the first loop that takes a block is its innermost; a block
 * that has a loop stands for all of it. */
static enum sp_status find_loops(struct graph *g, struct graph_flow *flow)
{
    uint32_t n = (uint32_t)g->blocks.n;
    struct loop_finder f = {.g = g, .flow = flow};
    f.stack = ARENA_ARRAY(g->a, uint32_t, n + 1u);
    f.stamp = ARENA_ARRAY(g->a, uint32_t, n);
    f.top = ARENA_ARRAY(g->a, uint32_t, n + 1u);
    f.side_first = ARENA_ARRAY(g->a, uint32_t, n + 2u);
    if (arena_failed(g->a))
        return SP_ERR_MEMORY;
    for (uint32_t i = flow->order_count; i-- > 0;) {
        uint32_t header = flow->order[i], id = (uint32_t)g->loops.n + 1;
        struct graph_loop loop = {.header = header,
                                  .latch = UINT32_MAX,
                                  .first = g->blocks.p[header].first,
                                  .last = g->blocks.p[header].last};
        f.depth = 0;
        f.side_first[id] = (uint32_t)f.side_entries.n;
        for (uint32_t k = 0; k < flow->pred_edge_count[header]; k++) {
            const struct graph_edge *e = &flow->edges.p[flow->pred_edges[header][k]];
            if (!e->back || flow->position[e->from] == UINT32_MAX)
                continue;
            loop.irreducible |= !graph_dominates(flow, header, e->from);
            if (loop.latch == UINT32_MAX || e->from > loop.latch)
                loop.latch = e->from;
            if (e->from != header)
                walk_into(&f, id, i, e->from);
        }
        if (loop.latch == UINT32_MAX)
            continue;
        f.stamp[header] = id;
        f.top[id] = id;
        g->blocks.p[header].loop = g->blocks.p[header].loop ? g->blocks.p[header].loop : id;
        g->blocks.p[header].header = id;
        while (f.depth) {
            uint32_t block = f.stack[--f.depth];
            struct graph_block *b = &g->blocks.p[block];
            uint32_t inner = b->loop ? outermost(&f, b->loop) : 0;
            if (inner == id)
                continue;
            if (inner) {
                struct graph_loop *l = &g->loops.p[inner - 1];
                l->parent = id;
                f.top[inner] = id;
                take_extent(g, &loop, header, l->first, l->last);
                for (uint32_t s = f.side_first[inner]; s < f.side_first[inner + 1]; s++)
                    walk_into(&f, id, i, f.side_entries.p[s]);
                block = l->header;
                b = &g->blocks.p[block];
            } else {
                b->loop = id;
                take_extent(g, &loop, header, b->first, b->last);
            }
            for (uint32_t k = 0; k < b->pred_count; k++)
                walk_into(&f, id, i, b->preds[k]);
        }
        VEC_PUSH(g->a, g->loops, loop);
    }
    return arena_failed(g->a) ? SP_ERR_MEMORY : SP_OK;
}

enum sp_status graph_flow_order(struct graph *g, struct graph_flow *flow)
{
    enum sp_status status = order_blocks(g, flow);
    if (status == SP_OK)
        status = find_dominators(g, flow);
    if (status == SP_OK)
        status = find_loops(g, flow);
    return status == SP_OK ? find_post_dominators(g, flow) : status;
}
