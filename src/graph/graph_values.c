/* Values: gated SSA over registers, predicates and uniform registers. Blocks are taken in reverse post-order; each
 * carries the state of its live registers: the value held and a chain of the defs that may hold it.
 *
 * A guarded def is select(guard, new, older); a use under a guard reads what its guard and the path to it imply. Where
 * paths meet, values become selects over the branch conditions (the same node as predication gives); only where
 * conditions do not fit a table, and at loop headers, a phi stays. An undefined value never takes part.
 *
 * requires: flow · gives: defs, uses, accesses, path and branch conditions, nodes of everything */
#include "graph/graph_internal.h"

#include <assert.h>
#include <string.h>

enum { REACH_MAX = 256 }; /* defs listed for one use */

struct cell {       /* who may have written a register: newest first */
    uint32_t def;   /* UINT32_MAX: a join or an unknown writer */
    graph_id guard; /* of the def */
    uint32_t prev;
    const uint32_t *joins;
    uint32_t join_count;
};

struct slot {
    graph_id node;
    uint32_t cell;
};

struct pending_use {
    uint32_t cell;
    graph_id under;
};

struct loop_summary {
    uint64_t *written; /* registers some block of the loop writes */
    bool stores;       /* memory changes in it */
    bool ends_inside;  /* a thread can end (or leave for an unknown place) in it */
    uint32_t exits;    /* edges that leave it */
};

struct pair_use {    /* two registers read as one 64-bit value */
    uint32_t lo, hi; /* uses */
    graph_id whole;
};

struct builder {
    struct graph *g;
    struct graph_flow *flow;
    struct graph_memory memory;
    uint16_t variable[UOP_FILE_COUNT][256]; /* dense number + 1 of each register in use */
    uint32_t variable_count;
    uint16_t *names;             /* file << 8 | reg of a variable */
    size_t words;                /* of a bit set over variables */
    uint64_t *live_in, *written; /* a set a block */
    struct slot **out;           /* state at the end of a block */
    uint32_t *memory_out;
    graph_id *loop_path; /* path of a loop's header */
    const bool *rejoins; /* by block (graph_rejoin.c) */
    struct loop_summary *loops;
    VEC(struct cell) cells;
    VEC(struct pending_use) pending; /* parallel to g->uses */
    VEC(struct pair_use) pairs;
    graph_id *results; /* node of each uop of the instruction at work */
    uint32_t *reads;   /* use of each READ of it */
    size_t result_cap;
    VEC(uint32_t) phi_blocks;
};

static bool set_has(const uint64_t *set, uint32_t v)
{
    return set[v / 64] >> (v % 64) & 1;
}

static void set_add(uint64_t *set, uint32_t v)
{
    set[v / 64] |= UINT64_C(1) << (v % 64);
}

/* ---- which registers matter ----------------------------------------------------------------- */

static uint32_t variable_of(struct builder *b, unsigned file, unsigned reg)
{
    if (file >= UOP_FILE_COUNT || reg > 255)
        return UINT32_MAX;
    return b->variable[file][reg] ? b->variable[file][reg] - 1u : UINT32_MAX;
}

static bool is_call(const struct uop_list *l)
{
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_CALL || l->ops.p[i].kind == UOP_CALL_IND)
            return true;
    return false;
}

static bool nothing_known(const struct uop_list *l)
{
    return l->unknown && l->ops.n == 0;
}

/* A call that was not followed: its callee may write anything. */
static bool clobbers(const struct graph *g, const struct graph_block *block)
{
    const struct graph_insn *last = &g->insns.p[block->last];
    if (!is_call(g->input.insns[last->input].uops))
        return false;
    for (size_t i = 0; i < g->calls.n; i++)
        if (g->calls.p[i].insn == block->last)
            return false;
    return true;
}

static enum sp_status number_variables(struct builder *b)
{
    struct graph *g = b->g;
    for (size_t i = 0; i < g->insns.n; i++) {
        const struct uop_list *l = g->input.insns[g->insns.p[i].input].uops;
        for (size_t k = 0; k < l->ops.n; k++) {
            const struct uop *u = &l->ops.p[k];
            if ((u->kind == UOP_READ || u->kind == UOP_WRITE) && u->file < UOP_FILE_COUNT && u->reg <= 255 &&
                !b->variable[u->file][u->reg])
                b->variable[u->file][u->reg] = (uint16_t)++b->variable_count;
        }
    }
    b->words = (b->variable_count + 63) / 64 + 1;
    b->names = ARENA_ARRAY(g->a, uint16_t, b->variable_count + 1);
    if (!b->names)
        return SP_ERR_MEMORY;
    for (unsigned f = 0; f < UOP_FILE_COUNT; f++)
        for (unsigned r = 0; r < 256; r++)
            if (b->variable[f][r])
                b->names[b->variable[f][r] - 1] = (uint16_t)(f << 8 | r);
    return SP_OK;
}

/* Backward liveness over blocks. A guarded def does not end a live range. */
static enum sp_status find_liveness(struct builder *b)
{
    struct graph *g = b->g;
    size_t n = g->blocks.n;
    b->live_in = ARENA_ARRAY(g->a, uint64_t, n * b->words);
    b->written = ARENA_ARRAY(g->a, uint64_t, n * b->words);
    uint64_t *used = ARENA_ARRAY(g->a, uint64_t, n * b->words), *killed = ARENA_ARRAY(g->a, uint64_t, n * b->words);
    if (arena_failed(g->a))
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        uint64_t *use = used + i * b->words, *kill = killed + i * b->words, *write = b->written + i * b->words;
        for (uint32_t k = g->blocks.p[i].first; k <= g->blocks.p[i].last; k++) {
            const struct uop_list *l = g->input.insns[g->insns.p[k].input].uops;
            for (size_t j = 0; j < l->ops.n; j++) {
                uint32_t v =
                    l->ops.p[j].kind == UOP_READ ? variable_of(b, l->ops.p[j].file, l->ops.p[j].reg) : UINT32_MAX;
                if (v != UINT32_MAX && !set_has(kill, v))
                    set_add(use, v);
            }
            for (size_t j = 0; j < l->ops.n; j++) {
                uint32_t v =
                    l->ops.p[j].kind == UOP_WRITE ? variable_of(b, l->ops.p[j].file, l->ops.p[j].reg) : UINT32_MAX;
                if (v == UINT32_MAX)
                    continue;
                set_add(write, v);
                if (l->guard == UOP_NONE)
                    set_add(kill, v);
            }
        }
        bool anything = clobbers(g, &g->blocks.p[i]);
        for (uint32_t k = g->blocks.p[i].first; k <= g->blocks.p[i].last && !anything; k++)
            anything = nothing_known(g->input.insns[g->insns.p[k].input].uops);
        if (anything)
            for (uint32_t v = 0; v < b->variable_count; v++)
                set_add(write, v);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = b->flow->order_count; i-- > 0;) {
            uint32_t at = b->flow->order[i];
            const struct graph_block *block = &g->blocks.p[at];
            uint64_t *in = b->live_in + at * b->words;
            for (size_t w = 0; w < b->words; w++) {
                uint64_t out = 0;
                for (uint32_t s = 0; s < block->succ_count; s++)
                    out |= b->live_in[block->succs[s] * b->words + w];
                uint64_t now = used[at * b->words + w] | (out & ~killed[at * b->words + w]);
                changed |= now != in[w];
                in[w] = now;
            }
        }
    }
    return SP_OK;
}

static bool changes_memory(unsigned kind)
{
    return kind == UOP_STORE || kind == UOP_ATOM || kind == UOP_RED || kind == UOP_ASYNC_COPY || kind == UOP_CALL ||
           kind == UOP_CALL_IND;
}

/* What each loop writes, and how it is left. */
static enum sp_status summarise_loops(struct builder *b)
{
    struct graph *g = b->g;
    b->loops = ARENA_ARRAY(g->a, struct loop_summary, g->loops.n + 1);
    for (size_t l = 0; l < g->loops.n && b->loops; l++)
        b->loops[l].written = ARENA_ARRAY(g->a, uint64_t, b->words);
    if (arena_failed(g->a))
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < g->blocks.n; i++) {
        const struct graph_block *block = &g->blocks.p[i];
        if (!block->loop)
            continue;
        bool stores = false, ends = block->succ_count == 0;
        for (uint32_t k = block->first; k <= block->last; k++) {
            const struct uop_list *list = g->input.insns[g->insns.p[k].input].uops;
            stores |= list->unknown;
            for (size_t j = 0; j < list->ops.n; j++) {
                stores |= changes_memory(list->ops.p[j].kind);
                ends |= list->ops.p[j].kind == UOP_EXIT || list->ops.p[j].kind == UOP_BRANCH_IND;
            }
        }
        for (uint32_t l = block->loop; l; l = g->loops.p[l - 1].parent) {
            struct loop_summary *s = &b->loops[l - 1];
            s->stores |= stores;
            s->ends_inside |= ends;
            for (size_t w = 0; w < b->words; w++)
                s->written[w] |= b->written[i * b->words + w];
        }
    }
    for (size_t e = 0; e < b->flow->edges.n; e++) {
        const struct graph_edge *edge = &b->flow->edges.p[e];
        for (uint32_t l = g->blocks.p[edge->from].loop; l; l = g->loops.p[l - 1].parent) {
            bool stays = false;
            for (uint32_t t = g->blocks.p[edge->to].loop; t && !stays; t = g->loops.p[t - 1].parent)
                stays = t == l;
            b->loops[l - 1].exits += !stays;
        }
    }
    return SP_OK;
}

/* ---- state at the start of a block ---------------------------------------------------------- */

static uint32_t push_cell(struct builder *b, struct cell c)
{
    uint32_t at = (uint32_t)b->cells.n;
    VEC_PUSH(b->g->a, b->cells, c);
    return b->cells.n > at ? at : 0;
}

static bool in_loop(const struct graph *g, uint32_t block, uint32_t loop)
{
    for (uint32_t l = g->blocks.p[block].loop; l; l = g->loops.p[l - 1].parent)
        if (l == loop)
            return true;
    return false;
}

/* The outermost loop that holds `from` but not `to`, 0: none. */
static uint32_t loop_left(const struct graph *g, uint32_t from, uint32_t to)
{
    uint32_t left = 0;
    for (uint32_t l = g->blocks.p[from].loop; l && !in_loop(g, to, l); l = g->loops.p[l - 1].parent)
        left = l;
    return left;
}

/* A loop that is left by one edge only: whoever enters it and comes out takes that edge. */
static bool single_exit(const struct builder *b, uint32_t loop)
{
    return b->loops[loop - 1].exits == 1 && !b->loops[loop - 1].ends_inside;
}

static graph_id edge_condition(struct builder *b, const struct graph_edge *e)
{
    struct graph *g = b->g;
    const struct graph_block *from = &g->blocks.p[e->from];
    uint32_t left = loop_left(g, e->from, e->to);
    if (left && single_exit(b, left))
        return b->loop_path[left - 1];
    graph_id branch = from->branch;
    if (e->guessed) {
        struct graph_node unknown = {.kind = GRAPH_RESULT, .type = UOP_B1, .imm = e->to, .insn = from->last};
        return graph_and(g, graph_and(g, from->path, branch), graph_fresh(g, &unknown));
    }
    if (e->when == GRAPH_ALWAYS || branch == GRAPH_NIL)
        return e->when == GRAPH_WHEN_NOT && branch == GRAPH_NIL && from->succ_count == 2 ? graph_false(g) : from->path;
    return graph_and(g, from->path, e->when == GRAPH_WHEN_TAKEN ? branch : graph_not(g, branch));
}

static bool is_false(const struct graph *g, graph_id id)
{
    uint64_t v;
    return id != GRAPH_NIL && graph_is_const(g, id, &v) && v == 0;
}

/* True when a condition is a table (or an atom) of compares, not a composite that outgrew its table. */
static bool fits_table(const struct graph *g, graph_id c)
{
    graph_id atoms[6];
    unsigned n;
    uint64_t table;
    if (c == GRAPH_NIL || !graph_table(g, c, atoms, &n, &table))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (graph_at(g, atoms[i])->kind == UOP_LOP3)
            return false;
    return true;
}

enum side { SIDE_UNKNOWN, SIDE_TAKEN, SIDE_NOT };
struct incoming {
    const struct graph_edge *edge;
    graph_id when;
    enum side side; /* of the branch of the block's immediate dominator */
};

/* Which way out of the immediate dominator leads to this edge, in the same turn of the loop both are in. */
static enum side side_of(const struct graph *g, const struct graph_edge *e)
{
    enum { CLIMB = 256 };
    uint32_t dominator = g->blocks.p[e->to].idom, child = e->from;
    const struct graph_block *d = &g->blocks.p[dominator];
    if (d->branch == GRAPH_NIL || d->succ_count != 2 || d->succs[0] == d->succs[1] ||
        d->loop != g->blocks.p[e->to].loop || e->guessed)
        return SIDE_UNKNOWN;
    if (child == dominator)
        return e->when == GRAPH_WHEN_TAKEN ? SIDE_TAKEN : e->when == GRAPH_WHEN_NOT ? SIDE_NOT : SIDE_UNKNOWN;
    for (unsigned steps = 0; g->blocks.p[child].idom != dominator; steps++) {
        if (steps == CLIMB || g->blocks.p[child].idom == UINT32_MAX)
            return SIDE_UNKNOWN;
        child = g->blocks.p[child].idom;
    }
    if (g->blocks.p[child].pred_count != 1 || g->blocks.p[child].preds[0] != dominator)
        return SIDE_UNKNOWN;
    /* Edges out of a block stand in the order taken, not taken (graph_flow.c). */
    return child == d->succs[0] ? SIDE_TAKEN : child == d->succs[1] ? SIDE_NOT : SIDE_UNKNOWN;
}

static graph_id make_phi(struct builder *b, uint32_t block, uint32_t count, graph_id sample, graph_id **args)
{
    struct graph *g = b->g;
    *args = ARENA_ARRAY(g->a, graph_id, count);
    struct graph_node phi = {.kind = GRAPH_PHI,
                             .type = graph_at(g, sample)->type,
                             .phi_args = *args,
                             .phi_count = count,
                             .block = block,
                             .insn = UINT32_MAX};
    return *args ? graph_fresh(g, &phi) : GRAPH_NIL;
}

/* The value of variable v where `in` edges meet. */
static graph_id join_values(struct builder *b, uint32_t block, uint32_t v, const struct incoming *in, uint32_t count)
{
    struct graph *g = b->g;
    graph_id value[8], when[8];
    enum side side[8];
    unsigned n = 0;
    bool overflow = false;
    for (uint32_t i = 0; i < count; i++) {
        graph_id x = b->out[in[i].edge->from][v].node;
        unsigned k = 0;
        if (graph_at(g, x)->kind == GRAPH_ENTRY && count > 1 && x != GRAPH_NIL) {
            bool any = false; /* undefined on this path: whatever the others say */
            for (uint32_t j = 0; j < count && !any; j++)
                any = graph_at(g, b->out[in[j].edge->from][v].node)->kind != GRAPH_ENTRY;
            if (any)
                continue;
        }
        while (k < n && value[k] != x)
            k++;
        if (k < n) {
            when[k] = graph_or(g, when[k], in[i].when);
            side[k] = side[k] == in[i].side ? side[k] : SIDE_UNKNOWN;
        } else if (n < 8) {
            value[n] = x;
            side[n] = in[i].side;
            when[n++] = in[i].when;
        } else {
            overflow = true;
        }
    }
    if (n == 0)
        return GRAPH_NIL;
    if (n == 1 && !overflow)
        return value[0];
    graph_id care = g->blocks.p[block].path;
    graph_id r = value[n - 1];
    if (n == 2 && !overflow && side[0] != SIDE_UNKNOWN && side[1] != SIDE_UNKNOWN && side[0] != side[1]) {
        /* The dominator's branch alone decides, however long the ways are. */
        graph_id branch = g->blocks.p[g->blocks.p[block].idom].branch;
        struct uop like = {.kind = UOP_SELECT, .type = graph_at(g, r)->type};
        graph_id c = side[0] == SIDE_TAKEN ? branch : graph_not(g, branch);
        return graph_pure(g, &like, (graph_id[]){c, value[0], r}, 3);
    }
    for (unsigned k = n - 1; k-- > 0 && !overflow;) {
        graph_id c = graph_bool_reduce(g, when[k], care);
        if (!fits_table(g, c)) {
            overflow = true;
            break;
        }
        struct uop like = {.kind = UOP_SELECT, .type = graph_at(g, r)->type};
        r = graph_pure(g, &like, (graph_id[]){c, value[k], r}, 3);
    }
    if (!overflow)
        return r;
    graph_id *args, phi = make_phi(b, block, count, value[0], &args);
    for (uint32_t i = 0; i < count && phi != GRAPH_NIL; i++)
        args[i] = b->out[in[i].edge->from][v].node;
    return phi;
}

static uint32_t join_cells(struct builder *b, uint32_t v, const struct incoming *in, uint32_t count)
{
    bool same = true;
    for (uint32_t i = 1; i < count; i++)
        same &= b->out[in[i].edge->from][v].cell == b->out[in[0].edge->from][v].cell;
    if (same)
        return b->out[in[0].edge->from][v].cell;
    uint32_t *joins = ARENA_ARRAY(b->g->a, uint32_t, count);
    for (uint32_t i = 0; i < count && joins; i++)
        joins[i] = b->out[in[i].edge->from][v].cell;
    return push_cell(b, (struct cell){.def = UINT32_MAX, .joins = joins, .join_count = joins ? count : 0});
}

static graph_id entry_node(struct builder *b, uint32_t v)
{
    struct graph_node n = {.kind = GRAPH_ENTRY,
                           .type =
                               (b->names[v] >> 8) == UOP_FILE_P || (b->names[v] >> 8) == UOP_FILE_UP ? UOP_B1 : UOP_B32,
                           .imm = b->names[v],
                           .insn = UINT32_MAX};
    return graph_intern(b->g, &n);
}

static bool loop_writes(const struct builder *b, uint32_t loop, uint32_t v)
{
    return b->g->loops.p[loop - 1].irreducible || set_has(b->loops[loop - 1].written, v);
}

/* Fills `state` (variable_count slots) and the path of the block. Answers the memory state. */
static uint32_t enter_block(struct builder *b, uint32_t at, struct slot *state)
{
    struct graph *g = b->g;
    struct graph_block *block = &g->blocks.p[at];
    uint32_t edges = b->flow->pred_edge_count[at], count = 0;
    struct incoming *in = ARENA_ARRAY(g->a, struct incoming, edges + 1);
    uint32_t *memory = ARENA_ARRAY(g->a, uint32_t, edges + 1);
    bool header = false;
    if (!in || !memory)
        return 0;
    for (uint32_t i = 0; i < edges; i++) {
        const struct graph_edge *e = &b->flow->edges.p[b->flow->pred_edges[at][i]];
        if (b->flow->position[e->from] == UINT32_MAX)
            continue;
        if (e->back) {
            header = true;
            continue;
        }
        if (!b->out[e->from])
            continue; /* behind a branch that is never taken */
        graph_id when = edge_condition(b, e);
        if (is_false(g, when))
            continue;
        memory[count] = b->memory_out[e->from];
        in[count++] = (struct incoming){e, when, side_of(g, e)};
    }
    uint32_t loop = 0;
    if (header)
        for (uint32_t l = 1; l <= g->loops.n; l++)
            if (g->loops.p[l - 1].header == at)
                loop = l;
    if (at == 0) {
        for (uint32_t v = 0; v < b->variable_count; v++)
            state[v].node = entry_node(b, v);
        block->path = GRAPH_NIL;
    } else {
        block->path = count ? in[0].when : graph_false(g);
        for (uint32_t i = 1; i < count; i++)
            block->path = graph_or(g, block->path, in[i].when);
        if (count && b->rejoins[at])
            block->path = g->blocks.p[block->idom].path;
        for (uint32_t v = 0; v < b->variable_count && count; v++) {
            if (!set_has(b->live_in + at * b->words, v))
                continue;
            state[v].node = join_values(b, at, v, in, count);
            state[v].cell = join_cells(b, v, in, count);
        }
    }
    uint32_t memory_state =
        at == 0 || !count ? 0 : graph_memory_join(g, &b->memory, memory, count, b->memory_out[block->idom]);
    if (loop) {
        b->loop_path[loop - 1] = block->path;
        for (uint32_t v = 0; v < b->variable_count; v++) {
            if (!set_has(b->live_in + at * b->words, v) || !loop_writes(b, loop, v))
                continue;
            graph_id *args, phi = make_phi(b, at, block->pred_count, state[v].node, &args);
            if (phi == GRAPH_NIL)
                break;
            uint32_t *joins = ARENA_ARRAY(g->a, uint32_t, block->pred_count + 1);
            for (uint32_t i = 0; i < block->pred_count; i++)
                args[i] = state[v].node; /* back edges are filled in when their blocks are done */
            if (joins)
                joins[0] = state[v].cell;
            state[v].node = phi;
            state[v].cell = push_cell(b, (struct cell){.def = UINT32_MAX, .joins = joins, .join_count = joins ? 1 : 0});
            VEC_PUSH(g->a, b->phi_blocks, phi);
            VEC_PUSH(g->a, b->phi_blocks, v);
            VEC_PUSH(g->a, b->phi_blocks, state[v].cell);
        }
        if (b->loops[loop - 1].stores)
            memory_state = graph_memory_clobber(g, &b->memory, memory_state);
    }
    return memory_state;
}

/* ---- one instruction ------------------------------------------------------------------------ */

struct work {
    struct slot *state;
    uint32_t *memory;
    uint32_t insn;
    graph_id path, under; /* under: path and guard */
    uint32_t block;
};

static graph_id fresh_result(struct builder *b, const struct uop *u, const graph_id *args, unsigned count,
                             uint32_t insn)
{
    struct graph_node n = {.kind = u->kind,
                           .type = u->type,
                           .flags = u->flags,
                           .space = u->space,
                           .order = u->order,
                           .width = u->width,
                           .arg_count = (uint8_t)count,
                           .imm = u->imm,
                           .insn = insn};
    if (n.type == UOP_VOID)
        n.type = UOP_B32;
    memcpy(n.arg, args, count * sizeof n.arg[0]);
    return graph_fresh(b->g, &n);
}

static graph_id read_register(struct builder *b, struct work *w, const struct uop *u, graph_id under)
{
    struct graph *g = b->g;
    uint32_t v = variable_of(b, u->file, u->reg);
    if (v == UINT32_MAX)
        return graph_const(g, (enum uop_type)u->type, 0);
    if (w->state[v].node == GRAPH_NIL)
        w->state[v].node = entry_node(b, v);
    graph_id node = graph_assume(g, w->state[v].node, under);
    struct graph_use use = {.insn = w->insn, .file = u->file, .reg = u->reg, .node = node};
    VEC_PUSH(g->a, g->uses, use);
    VEC_PUSH(g->a, b->pending, (struct pending_use){w->state[v].cell, under});
    return node;
}

/* A generic address that is seen to lie in one space: a pointer parameter, or the local window over a 32-bit local
 * address. */
static void resolve_generic(struct graph *g, uint8_t *space, graph_id *address)
{
    struct graph_affine f;
    if (*space != UOP_GENERIC || !graph_affine(g, *address, &f))
        return;
    if (f.base != GRAPH_NIL && graph_at(g, f.base)->imm >= g->env->param_base) {
        *space = UOP_GLOBAL;
        return;
    }
    for (unsigned i = 0; i < f.term_count && f.term_count == 2; i++) {
        const struct graph_node *window = graph_at(g, f.terms[i].term);
        graph_id local = f.terms[1 - i].term;
        if (window->kind != UOP_CBANK || window->type != UOP_B64 || !g->env->local_window ||
            window->imm != g->env->local_window || f.terms[i].coefficient != 1 || f.terms[1 - i].coefficient != 1 ||
            f.terms[1 - i].extend != 2 || f.base != GRAPH_NIL)
            continue;
        *space = UOP_LOCAL;
        *address = graph_op2(g, UOP_ADD, UOP_B32, local, graph_const(g, UOP_B32, (uint64_t)f.offset));
        return;
    }
}

static graph_id load_memory(struct builder *b, struct work *w, const struct uop *u, const graph_id *args)
{
    struct graph *g = b->g;
    struct graph_access access = {.insn = w->insn,
                                  .kind = GRAPH_LOAD,
                                  .space = u->space,
                                  .order = u->order,
                                  .width = u->width,
                                  .address = args[0],
                                  .runs_when = w->under,
                                  .from_store = -1};
    resolve_generic(g, &access.space, &access.address);
    graph_memory_load(g, &b->memory, *w->memory, &access);
    struct graph_node n = {.kind = UOP_LOAD,
                           .type = u->type,
                           .flags = u->flags,
                           .space = access.space,
                           .order = u->order,
                           .width = u->width,
                           .arg_count = 1,
                           .imm = access.version,
                           .insn = UINT32_MAX};
    n.arg[0] = access.address;
    if (access.from_store >= 0) {
        const struct graph_access *s = &g->accesses.p[access.from_store];
        access.result = s->value[0]; /* ELEMENT takes the other words of a wide one from the store */
        if (u->width == 8 && s->value[1] != GRAPH_NIL)
            access.result = graph_op2(g, UOP_PAIR, UOP_B64, s->value[0], s->value[1]);
    } else {
        bool once = u->order == UOP_RELAXED_CTA || u->order == UOP_RELAXED_GPU || u->order == UOP_RELAXED_SYS ||
                    u->order == UOP_MMIO || access.version != 0;
        if (once && access.version == 0)
            n.insn = w->insn; /* a volatile read is a value of its own */
        access.result = n.insn == UINT32_MAX ? graph_intern(g, &n) : graph_fresh(g, &n);
    }
    for (unsigned i = 0; i < u->width / 4u && i < 4; i++)
        access.value[i] = GRAPH_NIL;
    access.value[0] = access.result;
    VEC_PUSH(g->a, g->accesses, access);
    return access.result;
}

static graph_id load_element(struct builder *b, const struct uop_list *l, const struct uop *u, const graph_id *args)
{
    struct graph *g = b->g;
    struct graph_access *access = g->accesses.n ? &g->accesses.p[g->accesses.n - 1] : NULL;
    (void)l;
    if (access && access->kind == GRAPH_LOAD && access->result == args[0] && u->imm < 4) {
        if (access->from_store >= 0) {
            const struct graph_access *s = &g->accesses.p[access->from_store];
            if (uop_type_bits((enum uop_type)graph_at(g, s->value[0])->type) != 64)
                return s->value[u->imm];
            return graph_op1(g, u->imm & 1 ? UOP_HI : UOP_LO, UOP_B32, s->value[u->imm / 2]);
        }
        struct graph_node n = {.kind = UOP_ELEMENT, .type = UOP_B32, .arg_count = 1, .imm = u->imm, .insn = UINT32_MAX};
        n.arg[0] = args[0];
        access->value[u->imm] = graph_intern(g, &n);
        return access->value[u->imm];
    }
    struct graph_node n = {.kind = UOP_ELEMENT, .type = UOP_B32, .arg_count = 1, .imm = u->imm, .insn = UINT32_MAX};
    n.arg[0] = args[0];
    return graph_intern(g, &n);
}

static void note_pair(struct builder *b, const struct uop_list *l, uint16_t lo, uint16_t hi, graph_id whole);

/* Words that are halves of 64-bit values are stored as those: all of them, or none. */
static void join_words(struct builder *b, const struct uop_list *l, const struct uop *u, const graph_id *args,
                       struct graph_access *access)
{
    struct graph *g = b->g;
    graph_id whole[2] = {GRAPH_NIL, GRAPH_NIL};
    unsigned pairs = u->width / 8u;
    for (unsigned k = 0; k < pairs; k++) {
        if (uop_type_bits((enum uop_type)graph_at(g, args[1 + 2 * k])->type) != 32)
            return;
        whole[k] = graph_op2(g, UOP_PAIR, UOP_B64, args[1 + 2 * k], args[2 + 2 * k]);
        if (graph_at(g, whole[k])->kind == UOP_PAIR)
            return;
    }
    for (unsigned k = 0; k < 4; k++)
        access->value[k] = k < pairs ? whole[k] : GRAPH_NIL;
    for (unsigned k = 0; k < pairs; k++)
        note_pair(b, l, u->arg[1 + 2 * k], u->arg[2 + 2 * k], whole[k]);
}

static void store_memory(struct builder *b, struct work *w, const struct uop_list *l, const struct uop *u,
                         const graph_id *args, unsigned count)
{
    struct graph *g = b->g;
    struct graph_access access = {.insn = w->insn,
                                  .kind = u->kind == UOP_STORE ? GRAPH_STORE : GRAPH_ATOMIC,
                                  .space = u->space,
                                  .order = u->order,
                                  .width = u->width,
                                  .address = args[0],
                                  .runs_when = w->under,
                                  .from_store = -1};
    resolve_generic(g, &access.space, &access.address);
    for (unsigned i = 1; i < count && i <= 4; i++)
        access.value[i - 1] = args[i];
    if (u->kind == UOP_STORE && (u->width == 8 || u->width == 16) && count > u->width / 4u)
        join_words(b, l, u, args, &access);
    uint32_t index = (uint32_t)g->accesses.n;
    VEC_PUSH(g->a, g->accesses, access);
    *w->memory = graph_memory_store(g, &b->memory, *w->memory, index);
}

/* Remembers that the registers read by uops `lo` and `hi` hold the halves of `whole`. */
static void note_pair(struct builder *b, const struct uop_list *l, uint16_t lo, uint16_t hi, graph_id whole)
{
    if (lo >= l->ops.n || hi >= l->ops.n || l->ops.p[lo].kind != UOP_READ || l->ops.p[hi].kind != UOP_READ ||
        whole == GRAPH_NIL || graph_at(b->g, whole)->kind == UOP_PAIR || graph_at(b->g, whole)->kind == UOP_CONST)
        return;
    VEC_PUSH(b->g->a, b->pairs, (struct pair_use){b->reads[lo], b->reads[hi], whole});
}

static graph_id one_uop(struct builder *b, struct work *w, const struct uop_list *l, const struct uop *u,
                        graph_id under)
{
    struct graph *g = b->g;
    graph_id args[UOP_MAX_ARGS] = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < UOP_MAX_ARGS; i++) {
        if (u->arg[i] == UOP_NONE || u->arg[i] >= l->ops.n)
            continue;
        args[i] = b->results[u->arg[i]];
        count = i + 1;
    }
    for (unsigned i = 0; i < count; i++)
        if (args[i] == GRAPH_NIL)
            args[i] = graph_false(g);
    switch (u->kind) {
    case UOP_READ: b->reads[u - l->ops.p] = (uint32_t)g->uses.n; return read_register(b, w, u, under);
    case UOP_PAIR: {
        graph_id whole = graph_pure(g, u, args, 2);
        note_pair(b, l, u->arg[0], u->arg[1], whole);
        return whole;
    }
    case UOP_SREG:
        if (u->imm == UOP_SR_CLOCK_LO || u->imm == UOP_SR_CLOCK_HI || u->imm == UOP_SR_GLOBALTIMER_LO ||
            u->imm == UOP_SR_GLOBALTIMER_HI)
            return fresh_result(b, u, args, 0, w->insn);
        return graph_sreg(g, (unsigned)u->imm);
    case UOP_CBANK: {
        uint64_t index;
        if (u->arg[0] == UOP_NONE)
            return graph_cbank(g, (enum uop_type)u->type, u->space, (uint32_t)u->imm);
        if (graph_is_const(g, args[0], &index))
            return graph_cbank(g, (enum uop_type)u->type, u->space, (uint32_t)(u->imm + index));
        struct graph_node n = {.kind = UOP_CBANK,
                               .type = u->type,
                               .flags = u->flags,
                               .space = u->space,
                               .width = u->width,
                               .arg_count = 1,
                               .imm = u->imm,
                               .insn = UINT32_MAX};
        n.arg[0] = args[0];
        return graph_intern(g, &n);
    }
    case UOP_PC: return graph_const(g, u->type == UOP_B64 ? UOP_B64 : UOP_B32, g->insns.p[w->insn].offset + u->imm);
    case UOP_LOAD: return load_memory(b, w, u, args);
    case UOP_ELEMENT: return load_element(b, l, u, args);
    case UOP_STORE:
    case UOP_RED: store_memory(b, w, l, u, args, count); return GRAPH_NIL;
    case UOP_ATOM: {
        store_memory(b, w, l, u, args, count);
        graph_id old = fresh_result(b, u, args, count, w->insn);
        g->accesses.p[g->accesses.n - 1].result = old;
        return old;
    }
    case UOP_BAR:
    case UOP_FENCE:
    case UOP_ASYNC_COPY:
    case UOP_ASYNC_WAIT: *w->memory = graph_memory_clobber(g, &b->memory, *w->memory); return GRAPH_NIL;
    case UOP_UNDEF:
    case UOP_OPAQUE:
    case UOP_SHFL:
    case UOP_SHFL_IN:
    case UOP_VOTE:
    case UOP_BALLOT:
    case UOP_MATCH:
    case UOP_REDUX:
    case UOP_ELECT:
    case UOP_MMA:
    case UOP_FSWZADD: return fresh_result(b, u, args, count, w->insn);
    case UOP_WRITE: return args[0];
    case UOP_UNIFORM: return graph_pure(g, u, args, 1);
    default:
        if (uop_is_pure((enum uop_kind)u->kind))
            return graph_pure(g, u, args, uop_kind_args((enum uop_kind)u->kind));
        return GRAPH_NIL;
    }
}

/* Marks uops the guard is computed from. They are read whatever the guard says. */
static void mark_guard(const struct uop_list *l, uint16_t index, uint8_t *marks)
{
    if (index >= l->ops.n || marks[index])
        return;
    marks[index] = 1;
    for (unsigned i = 0; i < UOP_MAX_ARGS; i++)
        if (l->ops.p[index].arg[i] != UOP_NONE)
            mark_guard(l, l->ops.p[index].arg[i], marks);
}

static void write_register(struct builder *b, struct work *w, const struct uop_list *l, const struct uop *u,
                           graph_id node)
{
    struct graph *g = b->g;
    uint32_t v = variable_of(b, u->file, u->reg);
    if (v == UINT32_MAX || node == GRAPH_NIL)
        return;
    struct slot *slot = &w->state[v];
    graph_id guard = g->insns.p[w->insn].guard, merged = node;
    if (guard != GRAPH_NIL && slot->node != GRAPH_NIL && graph_at(g, slot->node)->kind != GRAPH_ENTRY) {
        struct uop like = {.kind = UOP_SELECT, .type = graph_at(g, node)->type};
        merged = graph_pure(g, &like, (graph_id[]){guard, node, slot->node}, 3);
    }
    struct graph_def def = {
        .insn = w->insn, .file = u->file, .reg = u->reg, .node = node, .merged = merged, .last_use = w->insn};
    if (u->arg[0] != UOP_NONE) { /* which half of what */
        const struct uop *from = &l->ops.p[u->arg[0]];
        if ((from->kind == UOP_LO || from->kind == UOP_HI) && uop_type_bits((enum uop_type)from->type) == 32) {
            def.wide = b->results[from->arg[0]];
            def.part = from->kind == UOP_HI ? 2 : 1;
        }
    }
    uint32_t index = (uint32_t)g->defs.n;
    VEC_PUSH(g->a, g->defs, def);
    slot->cell = push_cell(b, (struct cell){.def = index, .guard = guard, .prev = guard == GRAPH_NIL ? 0 : slot->cell});
    slot->node = merged;
}

/* After an instruction of which nothing is known, nothing is known of any register nor of memory. */
static void clobber_state(struct builder *b, struct work *w, uint32_t insn)
{
    struct graph *g = b->g;
    for (uint32_t v = 0; v < b->variable_count; v++) {
        unsigned file = b->names[v] >> 8;
        struct graph_node n = {.kind = GRAPH_RESULT,
                               .type = file == UOP_FILE_P || file == UOP_FILE_UP ? UOP_B1 : UOP_B32,
                               .imm = v,
                               .insn = insn};
        w->state[v].node = graph_fresh(g, &n);
        w->state[v].cell = 0;
    }
    *w->memory = graph_memory_clobber(g, &b->memory, *w->memory);
    g->incomplete = true;
}

static bool run_instruction(struct builder *b, struct work *w)
{
    struct graph *g = b->g;
    struct graph_insn *insn = &g->insns.p[w->insn];
    const struct uop_list *l = g->input.insns[insn->input].uops;
    uint8_t stack_marks[256] = {0};
    uint8_t *marks = l->ops.n <= sizeof stack_marks ? stack_marks : ARENA_ARRAY(g->a, uint8_t, l->ops.n);
    if (l->ops.n > b->result_cap) {
        b->result_cap = l->ops.n * 2;
        b->results = ARENA_ARRAY(g->a, graph_id, b->result_cap);
        b->reads = ARENA_ARRAY(g->a, uint32_t, b->result_cap);
    }
    if (!marks || !b->results || !b->reads)
        return false;
    insn->reachable = true;
    insn->first_def = (uint32_t)g->defs.n;
    insn->first_use = (uint32_t)g->uses.n;
    insn->first_access = (uint32_t)g->accesses.n;
    w->under = w->path;
    if (l->guard != UOP_NONE && l->guard < l->ops.n) {
        mark_guard(l, l->guard, marks);
        for (size_t i = 0; i <= l->guard; i++)
            if (marks[i])
                b->results[i] = one_uop(b, w, l, &l->ops.p[i], w->path);
        insn = &g->insns.p[w->insn];
        insn->guard = b->results[l->guard];
        uint64_t always;
        if (graph_is_const(g, insn->guard, &always) && always)
            insn->guard = GRAPH_NIL;
        w->under = graph_and(g, w->path, insn->guard);
    }
    for (size_t i = 0; i < l->ops.n; i++)
        if (!marks[i])
            b->results[i] = one_uop(b, w, l, &l->ops.p[i], w->under);
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_WRITE)
            write_register(b, w, l, &l->ops.p[i], b->results[i]);
    if (nothing_known(l))
        clobber_state(b, w, w->insn);
    else if (l->unknown)
        *w->memory = graph_memory_clobber(g, &b->memory, *w->memory);
    g->incomplete |= l->unknown;
    insn = &g->insns.p[w->insn];
    insn->runs_when = w->under;
    insn->def_count = (uint32_t)g->defs.n - insn->first_def;
    insn->use_count = (uint32_t)g->uses.n - insn->first_use;
    insn->access_count = (uint32_t)g->accesses.n - insn->first_access;
    return !arena_failed(g->a);
}

/* The condition of the branch that ends the block; returns of subroutines are checked against their call. */
static void finish_block(struct builder *b, struct work *w)
{
    struct graph *g = b->g;
    struct graph_block *block = &g->blocks.p[w->block];
    struct graph_insn *last = &g->insns.p[block->last];
    const struct uop_list *l = g->input.insns[last->input].uops;
    block->branch = last->guard;
    for (size_t i = 0; i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i];
        if (u->kind == UOP_BRANCH && u->arg[0] != UOP_NONE)
            block->branch = graph_and(g, last->guard, b->results[u->arg[0]]);
        if (u->kind == UOP_RET && last->call_path && u->arg[0] != UOP_NONE) {
            struct graph_call *call = &g->calls.p[last->call_path - 1];
            uint64_t to;
            if (graph_is_const(g, b->results[u->arg[0]], &to) && to == g->insns.p[call->insn].offset + 16u)
                call->resolved = true;
            else
                VEC_PUSH(g->a, g->indirect, block->last);
        }
    }
    if (clobbers(g, block))
        clobber_state(b, w, block->last);
}

/* ---- who reaches whom ----------------------------------------------------------------------- */

struct reach {
    uint32_t found[REACH_MAX];
    uint32_t count;
    uint32_t *stamp, now; /* of cells */
    uint32_t insn;        /* the reader */
};

/* More defs than a list holds: the older ones are known to be read, by this instruction at the earliest. */
static void mark_older(struct builder *b, const struct reach *r, uint32_t cell)
{
    struct graph *g = b->g;
    for (; cell && b->cells.p[cell].def != UINT32_MAX; cell = b->cells.p[cell].prev) {
        struct graph_def *d = &g->defs.p[b->cells.p[cell].def];
        if (d->read && d->last_use >= r->insn)
            return;
        bool known = d->read;
        d->read = true;
        d->last_use = r->insn > d->last_use ? r->insn : d->last_use;
        if (known)
            return; /* so are those before it */
    }
}

static void collect(struct builder *b, struct reach *r, uint32_t cell, graph_id under, unsigned depth)
{
    struct graph *g = b->g;
    bool never = false;
    bool decided = true; /* `under` is a table that says something */
    while (cell && !never) {
        if (r->count == REACH_MAX) {
            mark_older(b, r, cell);
            return;
        }
        const struct cell *c = &b->cells.p[cell];
        if (c->join_count) {
            if (r->stamp[cell] == r->now || depth > 64)
                return;
            r->stamp[cell] = r->now;
            for (uint32_t i = 0; i < c->join_count; i++)
                collect(b, r, c->joins[i], GRAPH_NIL, depth + 1);
            return;
        }
        if (c->def == UINT32_MAX)
            return;
        graph_id meets = c->guard == GRAPH_NIL || !decided ? GRAPH_NIL : graph_and(g, under, c->guard);
        if (!is_false(g, meets)) {
            if (g->defs.p[c->def].mark != r->now) {
                g->defs.p[c->def].mark = r->now;
                r->found[r->count++] = c->def;
            }
        }
        if (c->guard == GRAPH_NIL)
            return;
        if (decided) {
            under = graph_and(g, under, graph_not(g, c->guard));
            never = is_false(g, under);
            decided = under == GRAPH_NIL || fits_table(g, under);
        }
        cell = b->cells.p[cell].prev;
    }
}

static enum sp_status link_uses(struct builder *b)
{
    struct graph *g = b->g;
    struct reach r = {.stamp = ARENA_ARRAY(g->a, uint32_t, b->cells.n + 1)};
    if (!r.stamp)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < g->uses.n; i++) {
        struct graph_use *use = &g->uses.p[i];
        r.count = 0;
        r.now = (uint32_t)i + 1;
        r.insn = use->insn;
        collect(b, &r, b->pending.p[i].cell, b->pending.p[i].under, 0);
        uint32_t *defs = ARENA_ARRAY(g->a, uint32_t, r.count);
        if (!defs)
            return SP_ERR_MEMORY;
        memcpy(defs, r.found, r.count * sizeof defs[0]);
        use->defs = defs;
        use->def_count = r.count;
        for (uint32_t k = 0; k < r.count; k++) {
            struct graph_def *d = &g->defs.p[defs[k]];
            d->read = true;
            bool elsewhere = g->insns.p[use->insn].call_path != g->insns.p[d->insn].call_path;
            if (use->insn > d->last_use || (elsewhere && d->last_use == d->insn))
                d->last_use = use->insn; /* behind a return the reader stands before the def in the list */
        }
    }
    for (size_t i = 0; i < b->pairs.n; i++) {
        for (unsigned half = 0; half < 2; half++) {
            const struct graph_use *use = &g->uses.p[half ? b->pairs.p[i].hi : b->pairs.p[i].lo];
            for (uint32_t k = 0; k < use->def_count; k++) {
                struct graph_def *d = &g->defs.p[use->defs[k]];
                if (d->wide == GRAPH_NIL && d->node == use->node && graph_at(g, d->node)->kind != UOP_CONST) {
                    d->wide = b->pairs.p[i].whole;
                    d->part = half ? 2 : 1;
                }
            }
        }
    }
    return SP_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

enum sp_status graph_values_build(struct graph *g, struct graph_flow *flow, struct diag_sink *diags)
{
    struct builder b = {.g = g, .flow = flow};
    (void)diags;
    enum sp_status status = graph_memory_init(g, &b.memory);
    if (status == SP_OK)
        status = number_variables(&b);
    if (status == SP_OK)
        status = find_liveness(&b);
    if (status == SP_OK)
        status = summarise_loops(&b);
    b.out = ARENA_ARRAY(g->a, struct slot *, g->blocks.n);
    b.memory_out = ARENA_ARRAY(g->a, uint32_t, g->blocks.n);
    b.loop_path = ARENA_ARRAY(g->a, graph_id, g->loops.n + 1);
    b.rejoins = graph_find_rejoins(g, flow);
    b.result_cap = 64;
    b.results = ARENA_ARRAY(g->a, graph_id, b.result_cap);
    b.reads = ARENA_ARRAY(g->a, uint32_t, b.result_cap);
    push_cell(&b, (struct cell){.def = UINT32_MAX});
    if (status != SP_OK || arena_failed(g->a))
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < flow->order_count; i++) {
        uint32_t at = flow->order[i];
        struct slot *state = ARENA_ARRAY(g->a, struct slot, b.variable_count + 1);
        if (!state)
            return SP_ERR_MEMORY;
        uint32_t memory = enter_block(&b, at, state);
        if (is_false(g, g->blocks.p[at].path)) {
            g->blocks.p[at].reachable = false;
            continue;
        }
        b.out[at] = state;
        struct work w = {.state = state, .memory = &memory, .path = g->blocks.p[at].path, .block = at};
        for (w.insn = g->blocks.p[at].first; w.insn <= g->blocks.p[at].last; w.insn++)
            if (!run_instruction(&b, &w))
                return SP_ERR_MEMORY;
        finish_block(&b, &w);
        b.memory_out[at] = memory;
    }
    /* Loop phis get what comes round. */
    for (size_t i = 0; i + 2 < b.phi_blocks.n; i += 3) {
        struct graph_node *phi = &g->nodes.p[b.phi_blocks.p[i]];
        uint32_t v = b.phi_blocks.p[i + 1], cell = b.phi_blocks.p[i + 2], joined = b.cells.p[cell].join_count;
        const struct graph_block *block = &g->blocks.p[phi->block];
        graph_id *args = ARENA_ARRAY(g->a, graph_id, block->pred_count);
        uint32_t *joins = ARENA_ARRAY(g->a, uint32_t, block->pred_count + joined);
        if (!args || !joins)
            return SP_ERR_MEMORY;
        memcpy(joins, b.cells.p[cell].joins, joined * sizeof joins[0]);
        memcpy(args, phi->phi_args, block->pred_count * sizeof args[0]);
        for (uint32_t k = 0; k < block->pred_count; k++) {
            const struct graph_edge *e = &flow->edges.p[flow->pred_edges[phi->block][k]];
            if (!e->back || !b.out[e->from])
                continue;
            args[k] = b.out[e->from][v].node;
            joins[joined++] = b.out[e->from][v].cell;
        }
        phi->phi_args = args;
        b.cells.p[cell].joins = joins;
        b.cells.p[cell].join_count = joined;
    }
    graph_memory_finish(g);
    return link_uses(&b);
}
