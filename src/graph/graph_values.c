/* Values: gated SSA over registers, predicates and uniform registers. Blocks are taken in reverse post-order; each
 * carries the state of its live registers: the value held and a chain of the defs that may hold it.
 *
 * What loops carry is not known before they are walked. A first pass takes every register a loop writes for a phi of
 * its own; what it shows (a register comes round unchanged, two registers hold one 64-bit value) is taken for granted
 * in the next, which builds everything again. A few passes settle it; each is exact, later ones only say it better.
 *
 * requires: flow · gives: defs, uses, accesses, path and branch conditions, nodes of everything */
#include "graph/graph_values.h"

#include <string.h>

enum { PASSES = 7 };

static struct graph_slot *take_state(struct graph_builder *b)
{
    if (!b->spare.n)
        return ARENA_ARRAY(&b->scratch, struct graph_slot, b->variable_count + 1);
    struct graph_slot *s = b->spare.p[--b->spare.n];
    memset(s, 0, (b->variable_count + 1) * sizeof s[0]);
    return s;
}

/* One edge fewer waits for the state at the end of a block. */
static void followed(struct graph_builder *b, uint32_t block)
{
    if (--b->waiting[block] || !b->state[block])
        return;
    VEC_PUSH(&b->scratch, b->spare, b->state[block]);
    b->state[block] = NULL;
}

/* Forgets what an earlier pass made; what it learned of loops stays. */
static enum sp_status begin_pass(struct graph_builder *b, size_t indirect)
{
    struct graph *g = b->g;
    graph_forget_nodes(g);
    g->defs.n = g->uses.n = g->accesses.n = 0;
    g->indirect.n = indirect;
    g->incomplete = false;
    b->cells.n = b->pending.n = b->pairs.n = b->headers.n = b->read_pairs.n = 0;
    for (size_t i = 0; i < g->calls.n; i++)
        g->calls.p[i].resolved = false;
    for (size_t i = 0; i < g->insns.n; i++) {
        struct graph_insn *insn = &g->insns.p[i];
        insn->reachable = false;
        insn->guard = insn->runs_when = GRAPH_NIL;
        insn->def_count = insn->use_count = insn->access_count = 0;
    }
    for (uint32_t i = 0; i < g->blocks.n; i++) {
        struct graph_block *block = &g->blocks.p[i];
        block->path = block->branch = GRAPH_NIL;
        block->reachable = b->flow->position[i] != UINT32_MAX;
        if (b->state[i])
            VEC_PUSH(&b->scratch, b->spare, b->state[i]);
        b->state[i] = NULL;
        b->waiting[i] = block->succ_count + 1;
    }
    graph_push_cell(b, (struct graph_cell){.def = UINT32_MAX});
    return graph_memory_init(g, &b->memory);
}

static enum sp_status run_pass(struct graph_builder *b)
{
    struct graph *g = b->g;
    const struct graph_flow *flow = b->flow;
    for (uint32_t i = 0; i < flow->order_count; i++) {
        uint32_t at = flow->order[i];
        struct graph_slot *state = take_state(b);
        if (!state)
            return SP_ERR_MEMORY;
        uint32_t memory = graph_enter_block(b, at, state);
        for (uint32_t k = 0; k < flow->pred_edge_count[at]; k++) {
            const struct graph_edge *e = &flow->edges.p[flow->pred_edges[at][k]];
            if (!e->back)
                followed(b, e->from);
        }
        b->state[at] = state;
        if (graph_is_false(g, g->blocks.p[at].path)) {
            g->blocks.p[at].reachable = false;
            b->waiting[at] = 1;
            followed(b, at);
            continue;
        }
        struct graph_work w = {.state = state, .memory = &memory, .path = g->blocks.p[at].path, .block = at};
        for (w.insn = g->blocks.p[at].first; w.insn <= g->blocks.p[at].last; w.insn++)
            if (!graph_run_instruction(b, &w))
                return SP_ERR_MEMORY;
        graph_finish_block(b, &w);
        b->memory_out[at] = memory;
        for (uint32_t e = b->first_edge[at]; e < b->first_edge[at + 1]; e++)
            if (flow->edges.p[e].back) {
                graph_close_loop(b, e, state);
                followed(b, at);
            }
        followed(b, at);
    }
    return arena_failed(&b->scratch) || arena_failed(g->a) ? SP_ERR_MEMORY : SP_OK;
}

/* Room for everything a pass makes, from the number of micro-operations, so that nothing is copied as it grows. */
static void reserve(struct graph_builder *b)
{
    struct graph *g = b->g;
    size_t reads = 0, writes = 0, memory = 0, others = 0;
    for (size_t i = 0; i < g->insns.n; i++) {
        const struct uop_list *l = g->input.insns[g->insns.p[i].input].uops;
        for (size_t k = 0; k < l->ops.n; k++) {
            unsigned kind = l->ops.p[k].kind;
            bool moves = kind == UOP_LOAD || kind == UOP_STORE || kind == UOP_ATOM || kind == UOP_RED;
            reads += kind == UOP_READ;
            writes += kind == UOP_WRITE;
            memory += moves;
            others += kind != UOP_READ && kind != UOP_WRITE && kind != UOP_CONST;
        }
    }
    VEC_RESERVE(g->a, g->uses, reads);
    VEC_RESERVE(g->a, g->defs, writes);
    VEC_RESERVE(g->a, g->accesses, memory);
    VEC_RESERVE(g->a, g->nodes, others + g->insns.n / 2);
    VEC_RESERVE(&b->scratch, b->cells, writes + g->blocks.n);
    VEC_RESERVE(&b->scratch, b->pending, reads);
}

static enum sp_status prepare(struct graph_builder *b)
{
    struct graph *g = b->g;
    size_t n = g->blocks.n;
    b->parts = ARENA_ARRAY(&b->scratch, struct graph_frame_part, g->insns.n + 1);
    b->kept = ARENA_ARRAY(&b->scratch, struct graph_words, g->insns.n + 1);
    if (!b->parts || !b->kept)
        return SP_ERR_MEMORY;
    enum sp_status status = graph_find_variables(b);
    if (status == SP_OK)
        status = graph_find_liveness(b);
    if (status == SP_OK)
        status = graph_find_halves(b);
    if (status == SP_OK)
        status = graph_summarise_loops(b);
    b->state = ARENA_ARRAY(&b->scratch, struct graph_slot *, n);
    b->waiting = ARENA_ARRAY(&b->scratch, uint32_t, n);
    b->memory_out = ARENA_ARRAY(&b->scratch, uint32_t, n);
    b->first_header = ARENA_ARRAY(&b->scratch, uint32_t, n);
    b->last_header = ARENA_ARRAY(&b->scratch, uint32_t, n);
    b->assumed_at = ARENA_ARRAY(&b->scratch, uint32_t, n);
    b->first_edge = ARENA_ARRAY(&b->scratch, uint32_t, n + 1);
    b->edge_when = ARENA_ARRAY(&b->scratch, graph_id, b->flow->edges.n + 1);
    reserve(b);
    b->result_cap = 64;
    b->results = ARENA_ARRAY(&b->scratch, graph_id, b->result_cap);
    b->reads = ARENA_ARRAY(&b->scratch, uint32_t, b->result_cap);
    if (status != SP_OK || arena_failed(&b->scratch))
        return SP_ERR_MEMORY;
    for (size_t e = 0; e < b->flow->edges.n; e++)
        b->first_edge[b->flow->edges.p[e].from + 1]++;
    for (size_t i = 0; i < n; i++)
        b->first_edge[i + 1] += b->first_edge[i];
    return SP_OK;
}

/* There are more variables than before: what was sized by them is made again. */
static enum sp_status take_words(struct graph_builder *b)
{
    enum sp_status status = graph_find_liveness(b);
    if (status == SP_OK)
        status = graph_find_halves(b);
    b->spare.n = 0;
    for (size_t i = 0; i < b->g->blocks.n; i++)
        b->state[i] = NULL;
    return status == SP_OK ? graph_summarise_loops(b) : status;
}

enum sp_status graph_values_build(struct graph *g, struct graph_flow *flow, struct diag_sink *diags)
{
    struct graph_builder b = {.g = g, .flow = flow};
    (void)diags;
    arena_init(&b.scratch, g->a->limit);
    size_t indirect = g->indirect.n;
    enum sp_status status = prepare(&b);
    bool again = true;
    for (int pass = 0; pass < PASSES && again && status == SP_OK; pass++) {
        status = begin_pass(&b, indirect);
        if (status == SP_OK)
            status = run_pass(&b);
        again = status == SP_OK && pass + 1 < PASSES && graph_learn_loops(&b);
        if (status == SP_OK && pass + 1 < PASSES && graph_learn_frame(&b)) {
            status = graph_summarise_loops(&b);
            again = status == SP_OK;
        }
        if (status == SP_OK && pass + 1 < PASSES && graph_learn_words(&b)) {
            status = take_words(&b);
            again = status == SP_OK;
        }
    }
    if (status == SP_OK) {
        graph_windows_finish(g);
        graph_memory_finish(g);
        status = graph_link_uses(&b);
    }
    arena_free(&b.scratch);
    return status;
}
