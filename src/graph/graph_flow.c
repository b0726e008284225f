/* Control flow: instructions -> basic blocks, calls followed into their subroutines (each call site has its own
 * instance of the callee's blocks). A call that recurses, goes too deep or would make the graph grow beyond a fixed
 * multiple of the code stays a call whose effects are unknown. Order, dominators and loops: graph_order.c.
 * requires: uop lists · gives: blocks, instances, edges */
#include "graph/graph_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_DEPTH = 8, GROWTH = 4, GROWTH_MIN = 4096 };

struct flow_block { /* (call path, first instruction): the key of a block while it is discovered */
    uint32_t path, first, last;
};

struct flow_builder {
    struct graph *g;
    const struct graph_input *in;
    struct graph_control *control;
    bool *leader;
    bool *reached;        /* of an instruction: a block begins there, at whatever call path, or a call goes there */
    struct map_u64 known; /* path << 32 | first -> index in list */
    VEC(struct flow_block) list;
    VEC(uint32_t) depth;    /* of a call path */
    struct map_u64 call_of; /* path << 32 | instruction -> call index + 1 */
    VEC(uint32_t) targets;  /* where an indirect branch of the kernel may go: blocks nothing else reaches */
    uint64_t instances;
};

static uint32_t insn_at_offset(const struct graph_input *in, uint64_t offset)
{
    uint32_t lo = 0, hi = in->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (in->insns[mid].offset < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < in->count && in->insns[lo].offset == offset ? lo : UINT32_MAX;
}

/* What the container says of an indirect branch, where all of it are instructions. */
static void find_ways(const struct graph_input *in, uint32_t offset, struct graph_control *c)
{
    const struct graph_env *env = in->env;
    uint32_t lo = 0, hi = env ? env->switch_count : 0;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (env->switch_at[mid] < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!env || lo >= env->switch_count || env->switch_at[lo] != offset)
        return;
    for (uint32_t k = 0; k < env->switch_target_counts[lo]; k++)
        if (insn_at_offset(in, env->switch_targets[lo][k]) == UINT32_MAX)
            return;
    c->way = env->switch_targets[lo];
    c->way_count = env->switch_target_counts[lo];
}

static struct graph_control control_of(const struct graph_input *in, uint32_t i)
{
    const struct uop_list *l = in->insns[i].uops;
    struct graph_control c = {.kind = GRAPH_CONTROL_NONE, .conditional = l->guard != UOP_NONE, .target = UINT32_MAX};
    for (size_t k = 0; k < l->ops.n; k++) {
        const struct uop *u = &l->ops.p[k];
        switch (u->kind) {
        case UOP_BRANCH:
            c.kind = GRAPH_CONTROL_BRANCH;
            c.conditional |= u->arg[0] != UOP_NONE;
            c.target = insn_at_offset(in, u->imm);
            break;
        case UOP_CALL:
            c.kind = GRAPH_CONTROL_CALL;
            c.target = insn_at_offset(in, u->imm);
            break;
        case UOP_CALL_IND: c.kind = GRAPH_CONTROL_CALL; break;
        case UOP_BRANCH_IND:
            c.kind = GRAPH_CONTROL_INDIRECT;
            find_ways(in, in->insns[i].offset, &c);
            break;
        case UOP_RET: c.kind = GRAPH_CONTROL_RET; break;
        case UOP_EXIT:
        case UOP_TRAP: c.kind = GRAPH_CONTROL_END; break;
        default: break;
        }
    }
    return c;
}

static uint32_t block_find(struct flow_builder *b, uint32_t path, uint32_t first)
{
    uint64_t key = (uint64_t)path << 32 | first;
    uint32_t at;
    if (map_u64_get(&b->known, key, &at))
        return at;
    uint32_t last = first;
    b->reached[first] = true;
    while (b->control[last].kind == GRAPH_CONTROL_NONE && graph_goes_on(b->in, last) && !b->leader[last + 1])
        last++;
    b->instances += last - first + 1;
    at = (uint32_t)b->list.n;
    VEC_PUSH(b->g->a, b->list, (struct flow_block){path, first, last});
    map_u64_put(b->g->a, &b->known, key, at);
    return at;
}

/* The call path a call at instruction `i` opens, or 0 when it stays a call. */
static uint32_t call_path(struct flow_builder *b, uint32_t path, uint32_t i)
{
    struct graph *g = b->g;
    uint64_t key = (uint64_t)path << 32 | i;
    uint32_t index;
    if (map_u64_get(&b->call_of, key, &index))
        return index;
    uint32_t target = b->control[i].target, made = 0;
    bool follow = target != UINT32_MAX && b->depth.p[path] < CALL_DEPTH &&
                  b->instances < (uint64_t)GROWTH * b->in->count + GROWTH_MIN;
    for (uint32_t p = path; p && follow; p = g->calls.p[p - 1].caller_path)
        follow = g->calls.p[p - 1].target != b->in->insns[target].offset;
    if (follow) {
        struct graph_call call = {.insn = i, .target = b->in->insns[target].offset, .caller_path = path};
        VEC_PUSH(g->a, g->calls, call);
        made = (uint32_t)g->calls.n;
        VEC_PUSH(g->a, b->depth, b->depth.p[path] + 1);
    }
    map_u64_put(g->a, &b->call_of, key, made);
    return made;
}

/* Successors of a block: up to two, `when` with each. */
static unsigned block_successors(struct flow_builder *b, const struct flow_block *f, uint32_t next[2], uint8_t when[2])
{
    struct graph *g = b->g;
    struct graph_control c = b->control[f->last];
    unsigned n = 0;
    bool falls = true;
    switch (c.kind) {
    case GRAPH_CONTROL_BRANCH:
        if (c.target != UINT32_MAX) {
            next[n] = block_find(b, f->path, c.target);
            when[n++] = c.conditional ? GRAPH_WHEN_TAKEN : GRAPH_ALWAYS;
        }
        falls = c.conditional;
        break;
    case GRAPH_CONTROL_CALL: {
        uint32_t path = call_path(b, f->path, f->last);
        if (path) {
            next[n] = block_find(b, path, c.target);
            when[n++] = c.conditional ? GRAPH_WHEN_TAKEN : GRAPH_ALWAYS;
            falls = c.conditional;
        }
        break;
    }
    case GRAPH_CONTROL_RET:
        if (f->path) {
            const struct graph_call *call = &g->calls.p[f->path - 1];
            if (graph_goes_on(b->in, call->insn)) {
                next[n] = block_find(b, call->caller_path, call->insn + 1);
                when[n++] = c.conditional ? GRAPH_WHEN_TAKEN : GRAPH_ALWAYS;
            }
        }
        falls = c.conditional;
        break;
    case GRAPH_CONTROL_INDIRECT:
    case GRAPH_CONTROL_END: falls = c.conditional; break;
    default: break;
    }
    if (falls && graph_goes_on(b->in, f->last)) {
        next[n] = block_find(b, f->path, f->last + 1);
        when[n] = (uint8_t)(n || c.kind != GRAPH_CONTROL_NONE ? GRAPH_WHEN_NOT : GRAPH_ALWAYS);
        if (c.kind == GRAPH_CONTROL_CALL && !n)
            when[n] = GRAPH_ALWAYS; /* an unfollowed call comes back */
        if (c.kind == GRAPH_CONTROL_BRANCH && c.target == UINT32_MAX)
            when[n] = GRAPH_WHEN_NOT;
        n++;
    }
    return n;
}

static bool always_leaves(const struct graph_control *c)
{
    return c->kind != GRAPH_CONTROL_NONE && c->kind != GRAPH_CONTROL_CALL && !c->conditional;
}

/* Blocks that stand behind an unconditional transfer and that nothing reaches: an indirect branch must be how one
 * gets there. True when there are new ones. */
static bool find_indirect_targets(struct flow_builder *b)
{
    size_t before = b->targets.n;
    for (uint32_t i = 1; i < b->in->count; i++) {
        const struct uop_list *l = b->in->insns[i].uops;
        bool filler = l->ops.n == 0 || (l->ops.n == 1 && (l->ops.p[0].kind == UOP_NOP || b->control[i].target == i));
        if (always_leaves(&b->control[i - 1]) && b->leader[i] && !filler && !b->reached[i]) {
            VEC_PUSH(b->g->a, b->targets, i);
            block_find(b, 0, i);
        }
    }
    return b->targets.n > before;
}

static int compare_blocks(const void *x, const void *y)
{
    const struct flow_block *a = x, *b = y;
    if (a->path != b->path)
        return a->path < b->path ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static enum sp_status discover(struct flow_builder *b)
{
    struct graph *g = b->g;
    const struct graph_input *in = b->in;
    b->control = ARENA_ARRAY(g->a, struct graph_control, in->count);
    b->leader = ARENA_ARRAY(g->a, bool, in->count + 1);
    b->reached = ARENA_ARRAY(g->a, bool, in->count + 1);
    if (!b->control || !b->leader || !b->reached)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < in->count; i++) {
        b->control[i] = control_of(in, i);
        if (b->control[i].kind != GRAPH_CONTROL_NONE) {
            b->leader[i + 1] = true;
            if (b->control[i].target != UINT32_MAX) {
                b->leader[b->control[i].target] = true;
                b->reached[b->control[i].target] |= b->control[i].kind == GRAPH_CONTROL_CALL;
            }
        }
    }
    for (uint32_t i = 0; i < in->count; i++)
        for (uint32_t k = 0; k < b->control[i].way_count; k++)
            b->leader[insn_at_offset(in, b->control[i].way[k])] = true;
    if (!graph_calls_that_stay(g, b->control) || !graph_lanes_that_wait(g, b->control))
        return SP_ERR_MEMORY;
    VEC_PUSH(g->a, b->depth, 0);
    block_find(b, 0, 0);
    bool indirect = false;
    for (size_t i = 0; i < b->list.n && !arena_failed(g->a); i++) {
        uint32_t next[2];
        uint8_t when[2];
        struct flow_block f = b->list.p[i];
        block_successors(b, &f, next, when);
        const struct graph_control *c = &b->control[f.last];
        for (uint32_t k = 0; k < c->way_count; k++)
            block_find(b, f.path, insn_at_offset(in, c->way[k]));
        indirect |= c->kind == GRAPH_CONTROL_INDIRECT && f.path == 0 && !c->way;
        if (i + 1 == b->list.n && indirect)
            find_indirect_targets(b);
    }
    if (arena_failed(g->a))
        return SP_ERR_MEMORY;
    /* Blocks and instances by call path, then by offset. */
    qsort(b->list.p, b->list.n, sizeof b->list.p[0], compare_blocks);
    for (uint32_t i = 0; i < b->list.n; i++)
        map_u64_put(g->a, &b->known, (uint64_t)b->list.p[i].path << 32 | b->list.p[i].first, i);
    return SP_OK;
}

static enum sp_status make_blocks(struct flow_builder *b, struct graph_flow *flow)
{
    struct graph *g = b->g;
    VEC_RESERVE(g->a, g->insns, (size_t)b->instances);
    VEC_RESERVE(g->a, g->blocks, b->list.n);
    VEC_RESERVE(g->a, flow->edges, 2 * b->list.n);
    for (uint32_t i = 0; i < b->list.n; i++) {
        struct flow_block f = b->list.p[i];
        struct graph_block block = {
            .first = (uint32_t)g->insns.n, .idom = UINT32_MAX, .by_table = b->control[f.last].way != NULL};
        for (uint32_t k = f.first; k <= f.last; k++) {
            struct graph_insn insn = {.offset = b->in->insns[k].offset, .input = k, .block = i, .call_path = f.path};
            VEC_PUSH(g->a, g->insns, insn);
        }
        block.last = (uint32_t)g->insns.n - 1;
        VEC_PUSH(g->a, g->blocks, block);
        const struct graph_control *c = &b->control[f.last];
        if ((c->kind == GRAPH_CONTROL_INDIRECT && !c->way) || (c->kind == GRAPH_CONTROL_RET && !f.path))
            VEC_PUSH(g->a, g->indirect, block.last);
        uint32_t next[2];
        uint8_t when[2];
        unsigned n = block_successors(b, &f, next, when);
        for (unsigned k = 0; k < n; k++)
            VEC_PUSH(g->a, flow->edges, (struct graph_edge){.from = i, .to = next[k], .when = when[k]});
        for (uint32_t k = 0; k < c->way_count; k++)
            VEC_PUSH(g->a, flow->edges,
                     (struct graph_edge){.from = i,
                                         .to = block_find(b, f.path, insn_at_offset(b->in, c->way[k])),
                                         .when = GRAPH_WHEN_TAKEN,
                                         .indexed = true});
        g->incomplete |= c->way != NULL; /* threads part there by no condition that branches tell */
        for (size_t k = 0; k < b->targets.n && c->kind == GRAPH_CONTROL_INDIRECT && !f.path && !c->way; k++)
            VEC_PUSH(
                g->a, flow->edges,
                (struct graph_edge){
                    .from = i, .to = block_find(b, 0, b->targets.p[k]), .when = GRAPH_WHEN_TAKEN, .guessed = true});
    }
    /* Calls know the instance of their CALL. */
    for (uint32_t i = 0; i < g->blocks.n && !arena_failed(g->a); i++) {
        const struct graph_insn *last = &g->insns.p[g->blocks.p[i].last];
        uint32_t made;
        if (b->control[last->input].kind == GRAPH_CONTROL_CALL &&
            map_u64_get(&b->call_of, (uint64_t)last->call_path << 32 | last->input, &made) && made)
            g->calls.p[made - 1].insn = g->blocks.p[i].last;
    }
    return arena_failed(g->a) ? SP_ERR_MEMORY : SP_OK;
}

/* preds, succs and edge lists of every block. */
static enum sp_status link_blocks(struct graph *g, struct graph_flow *flow)
{
    uint32_t n = (uint32_t)g->blocks.n;
    flow->pred_edges = ARENA_ARRAY(g->a, const uint32_t *, n);
    flow->pred_edge_count = ARENA_ARRAY(g->a, uint32_t, n);
    uint32_t *starts = ARENA_ARRAY(g->a, uint32_t, n + 1), *list = ARENA_ARRAY(g->a, uint32_t, flow->edges.n);
    uint32_t *preds = ARENA_ARRAY(g->a, uint32_t, flow->edges.n), *succs = ARENA_ARRAY(g->a, uint32_t, flow->edges.n);
    if (arena_failed(g->a))
        return SP_ERR_MEMORY;
    for (uint32_t e = 0; e < flow->edges.n; e++)
        flow->pred_edge_count[flow->edges.p[e].to]++;
    for (uint32_t i = 0; i < n; i++) {
        starts[i + 1] = starts[i] + flow->pred_edge_count[i];
        flow->pred_edges[i] = list + starts[i];
        g->blocks.p[i].preds = preds + starts[i];
        g->blocks.p[i].pred_count = flow->pred_edge_count[i];
    }
    for (uint32_t e = 0; e < flow->edges.n; e++) {
        struct graph_edge edge = flow->edges.p[e];
        flow->edges.p[e].place = starts[edge.to] - (uint32_t)(flow->pred_edges[edge.to] - list);
        list[starts[edge.to]] = e;
        preds[starts[edge.to]++] = edge.from;
        struct graph_block *from = &g->blocks.p[edge.from];
        succs[e] = edge.to; /* edges are grouped by `from` */
        if (!from->succ_count)
            from->succs = succs + e;
        from->succ_count++;
    }
    return SP_OK;
}

enum sp_status graph_flow_build(struct graph *g, struct graph_flow *flow, struct diag_sink *diags)
{
    struct flow_builder b = {.g = g, .in = &g->input};
    *flow = (struct graph_flow){0};
    enum sp_status status = discover(&b);
    if (status == SP_OK)
        status = make_blocks(&b, flow);
    if (status == SP_OK)
        status = link_blocks(g, flow);
    if (status == SP_OK)
        status = graph_flow_order(g, flow);
    for (size_t i = 0; i < g->loops.n && diags; i++)
        if (g->loops.p[i].irreducible)
            diag_add(diags, DIAG_NOTE, "irreducible-loop", NULL,
                     g->insns.p[g->blocks.p[g->loops.p[i].header].first].offset,
                     "a loop entered at more than one place: its values stay phis");
    return status;
}
