/* The state of registers and memory at the start of a block. Where paths meet, values become selects over the branch
 * conditions (the same node as predication gives); only where conditions do not fit a table, and at loop headers, a phi
 * stays. An undefined value never takes part.
 *
 * The path of a block is that of the last block before it from which control must come to it; only where there is none,
 * the conditions of its edges. So what stands behind a loop runs as the loop was entered, however many ways lead out of
 * it, as long as they meet there. Where they do not, the condition speaks of the loop's last turn: a node of a loop
 * stands, behind the loop, for the value it had in the last turn.
 *
 * requires: states at the end of the blocks before · gives: states, paths, phis */
#include "graph/graph_values.h"

#include <string.h>

uint32_t graph_push_cell(struct graph_builder *b, struct graph_cell c)
{
    uint32_t at = (uint32_t)b->cells.n;
    VEC_PUSH(&b->scratch, b->cells, c);
    return b->cells.n > at ? at : 0;
}

static uint32_t loop_depth(const struct graph_builder *b, uint32_t loop)
{
    return loop ? b->loops[loop - 1].depth : 0;
}

/* The outermost loop that holds `from` but not `to`, 0: none. */
static uint32_t loop_left(const struct graph_builder *b, uint32_t from, uint32_t to)
{
    const struct graph *g = b->g;
    uint32_t left = 0, stays = g->blocks.p[to].loop;
    for (uint32_t l = g->blocks.p[from].loop; l; l = g->loops.p[l - 1].parent) {
        while (loop_depth(b, stays) > loop_depth(b, l))
            stays = g->loops.p[stays - 1].parent;
        if (stays == l)
            break;
        left = l;
    }
    return left;
}

/* A loop that is left by one edge only: whoever enters it and comes out takes that edge. */
static bool single_exit(const struct graph_builder *b, uint32_t loop)
{
    return b->loops[loop - 1].exits == 1 && !b->loops[loop - 1].ends_inside && !b->g->loops.p[loop - 1].irreducible;
}

/* A truth nobody knows: different at every place it is asked for. */
static graph_id unknown_truth(struct graph *g, uint32_t insn, uint32_t number)
{
    struct graph_node n = {.kind = GRAPH_RESULT, .type = UOP_B1, .imm = number, .insn = insn};
    return graph_fresh(g, &n);
}

/* The thread ends at the end of this block, where the guard of its last instruction holds. */
static bool ends_thread(const struct graph *g, const struct graph_block *from)
{
    const struct uop_list *l = g->input.insns[g->insns.p[from->last].input].uops;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_EXIT || l->ops.p[i].kind == UOP_TRAP)
            return true;
    return false;
}

/* Whether the stack has room, asked by code that was not optimised where a function begins; if not, the program stops.
 * Whatever runs has room: that is no condition of it. */
static bool has_room(const struct graph *g, const struct graph_block *from, uint32_t to)
{
    graph_id atoms[6];
    unsigned count = 0;
    uint64_t table;
    if (from->branch == GRAPH_NIL || from->succ_count != 2 || !graph_table(g, from->branch, atoms, &count, &table) ||
        count != 1)
        return false;
    const struct graph_node *compare = graph_at(g, atoms[0]);
    bool asked = false;
    for (unsigned i = 0; i < compare->arg_count; i++) {
        const struct graph_node *n = graph_at(g, compare->arg[i]);
        asked |= n->kind == UOP_SREG && n->imm == UOP_SR_STACK_END;
    }
    const struct graph_block *other = &g->blocks.p[from->succs[from->succs[0] == to]];
    return asked && !other->succ_count && ends_thread(g, other);
}

static graph_id edge_condition(struct graph_builder *b, const struct graph_edge *e)
{
    struct graph *g = b->g;
    const struct graph_block *from = &g->blocks.p[e->from];
    uint32_t left = loop_left(b, e->from, e->to);
    if (left && single_exit(b, left))
        return b->loops[left - 1].path;
    graph_id branch = from->branch;
    graph_id index = e->indexed ? b->edge_when[e - b->flow->edges.p] : (graph_id)GRAPH_NIL;
    if (e->indexed && index != GRAPH_NIL)
        return graph_and(g, graph_and(g, from->path, branch), index);
    if (e->guessed || e->indexed)
        return graph_and(g, graph_and(g, from->path, branch), unknown_truth(g, from->last, e->to));
    if (e->when == GRAPH_ALWAYS || branch == GRAPH_NIL)
        return e->when == GRAPH_WHEN_NOT && branch == GRAPH_NIL && (from->succ_count == 2 || ends_thread(g, from))
                   ? graph_false(g)
                   : from->path;
    if (has_room(g, from, e->to))
        return from->path;
    return graph_and(g, from->path, e->when == GRAPH_WHEN_TAKEN ? branch : graph_not(g, branch));
}

bool graph_fits_table(const struct graph *g, graph_id c)
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

struct incoming {
    const struct graph_edge *edge;
    const struct graph_slot *state;
    graph_id when;
    uint32_t place; /* among the predecessors */
};

graph_id graph_entry_value(struct graph_builder *b, uint32_t v)
{
    unsigned file = b->names[v] >> 16;
    struct graph_node n = {.kind = GRAPH_ENTRY,
                           .type = file == UOP_FILE_P || file == UOP_FILE_UP ? UOP_B1 : UOP_B32,
                           .imm = b->names[v],
                           .insn = UINT32_MAX};
    return graph_intern(b->g, &n);
}

static bool is_undefined(const struct graph *g, graph_id id)
{
    return id == GRAPH_NIL || graph_at(g, id)->kind == GRAPH_ENTRY;
}

/* A phi of `block` whose arguments are all `sample` as yet; `loop`: of that loop's turns, or 0. */
static graph_id make_phi(struct graph_builder *b, uint32_t block, graph_id sample, uint32_t loop, graph_id **args)
{
    struct graph *g = b->g;
    uint32_t count = g->blocks.p[block].pred_count;
    *args = ARENA_ARRAY(g->a, graph_id, count);
    struct graph_node phi = {.kind = GRAPH_PHI,
                             .type = graph_at(g, sample)->type,
                             .phi_args = *args,
                             .phi_count = count,
                             .block = block,
                             .insn = UINT32_MAX,
                             .imm = loop};
    for (uint32_t i = 0; i < count && *args; i++)
        (*args)[i] = sample;
    return *args ? graph_fresh(g, &phi) : GRAPH_NIL;
}

/* What holds where an edge is taken is known of the value it brings: a select by the branch's own condition is one of
 * its arms there, also where all that led to the branch is too much for a table. */
static graph_id at_edge(struct graph_builder *b, const struct incoming *in, graph_id value)
{
    struct graph *g = b->g;
    graph_id taken = g->blocks.p[in->edge->from].branch;
    if (graph_at(g, value)->kind != UOP_SELECT)
        return value;
    value = graph_assume(g, value, in->when);
    if (in->edge->when == GRAPH_ALWAYS || in->edge->guessed || in->edge->indexed || taken == GRAPH_NIL)
        return value;
    return graph_assume(g, value, in->edge->when == GRAPH_WHEN_NOT ? graph_not(g, taken) : taken);
}

/* A phi of what the edges bring: undefined values and edges that are never taken say what another says. */
static graph_id join_by_phi(struct graph_builder *b, uint32_t block, uint32_t v, const struct incoming *in,
                            uint32_t count, graph_id sample)
{
    graph_id *args, phi = make_phi(b, block, sample, 0, &args);
    if (phi == GRAPH_NIL)
        return GRAPH_NIL;
    for (uint32_t i = 0; i < count; i++)
        if (!is_undefined(b->g, in[i].state[v].node))
            args[in[i].place] = at_edge(b, &in[i], in[i].state[v].node);
    for (uint32_t k = 0; k < b->flow->pred_edge_count[block]; k++)
        if (b->flow->edges.p[b->flow->pred_edges[block][k]].back)
            args[k] = phi;
    return phi;
}

enum side { SIDE_UNKNOWN, SIDE_TAKEN, SIDE_NOT };

/* Which way out of the block's immediate dominator leads to this edge, in the same turn of the loop both are in. */
static enum side side_of(const struct graph *g, const struct graph_edge *e)
{
    enum { CLIMB = 256 };
    uint32_t dominator = g->blocks.p[e->to].idom, child = e->from;
    const struct graph_block *d = &g->blocks.p[dominator];
    if (d->branch == GRAPH_NIL || d->succ_count != 2 || d->succs[0] == d->succs[1] ||
        d->loop != g->blocks.p[e->to].loop || e->guessed || e->indexed)
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

/* The condition under which `value` comes and nothing else that is defined, by the dominator's branch alone, however
 * long the ways are; NIL: the branch does not tell. */
static graph_id side_condition(struct graph_builder *b, uint32_t block, uint32_t v, const struct incoming *in,
                               uint32_t count, graph_id value)
{
    struct graph *g = b->g;
    enum side mine = SIDE_UNKNOWN, others = SIDE_UNKNOWN;
    for (uint32_t i = 0; i < count; i++) {
        if (is_undefined(g, in[i].state[v].node))
            continue;
        enum side *known = in[i].state[v].node == value ? &mine : &others, s = side_of(g, in[i].edge);
        if (s == SIDE_UNKNOWN || (*known != SIDE_UNKNOWN && *known != s))
            return GRAPH_NIL;
        *known = s;
    }
    if (mine == SIDE_UNKNOWN || others == SIDE_UNKNOWN || mine == others)
        return GRAPH_NIL;
    graph_id branch = g->blocks.p[g->blocks.p[block].idom].branch;
    return mine == SIDE_TAKEN ? branch : graph_not(g, branch);
}

/* c ? x : (d ? y : z), where c decides d, is d ? (c ? x : y) : z, or the same with the arms turned: what one way of an
 * earlier branch leads to is told as a choice of its own, however many ways meet in one place. `rest` is the choice
 * between the other ways; what one way brings stays as it is. */
static graph_id choose(struct graph *g, graph_id c, graph_id x, graph_id rest)
{
    const struct graph_node n = *graph_at(g, rest);
    struct uop like = {.kind = UOP_SELECT, .type = n.type};
    if (n.kind == UOP_SELECT && c != n.arg[0]) {
        graph_id d = n.arg[0], not_d = graph_not(g, d);
        bool taken = graph_implies(g, c, d), not_taken = !taken && graph_implies(g, c, not_d);
        graph_id within = taken ? d : not_d, left = n.arg[taken ? 1 : 2], other = n.arg[taken ? 2 : 1];
        graph_id by = taken || not_taken ? graph_bool_reduce(g, c, within) : GRAPH_NIL;
        if (graph_fits_table(g, by) && left != x && by != c) {
            graph_id inner = graph_pure(g, &like, (graph_id[]){by, x, left}, 3);
            return graph_pure(g, &like, (graph_id[]){within, inner, other}, 3);
        }
    }
    return graph_pure(g, &like, (graph_id[]){c, x, rest}, 3);
}

/* The value of variable v where `in` edges meet; `untold`: their conditions say nothing of the turn. */
static graph_id join_values(struct graph_builder *b, uint32_t block, uint32_t v, const struct incoming *in,
                            uint32_t count, bool untold)
{
    enum { WAYS = 8 };
    struct graph *g = b->g;
    graph_id value[WAYS], when[WAYS];
    unsigned n = 0;
    for (uint32_t i = 0; i < count; i++) {
        graph_id x = in[i].state[v].node;
        if (is_undefined(g, x))
            continue; /* undefined on this path: whatever the others say */
        unsigned k = 0;
        while (k < n && value[k] != x)
            k++;
        if (k == WAYS || (untold && k == n && n))
            return join_by_phi(b, block, v, in, count, value[0]);
        if (k == n)
            value[n++] = x;
    }
    if (n == 0)
        return in[0].state[v].node;
    if (n == 1)
        return value[0];
    for (unsigned k = 0; k + 1 < n; k++) {
        bool first = true;
        when[k] = GRAPH_NIL;
        for (uint32_t i = 0; i < count; i++)
            if (in[i].state[v].node == value[k]) {
                when[k] = first ? in[i].when : graph_or(g, when[k], in[i].when);
                first = false;
            }
    }
    /* The ways in turn, each under what is left when the ones before it are not taken. */
    graph_id care = g->blocks.p[block].path, r = value[n - 1];
    for (unsigned k = 0; k + 1 < n; k++) {
        graph_id c = graph_bool_reduce(g, when[k], care);
        if (!graph_fits_table(g, c) && n == 2)
            c = side_condition(b, block, v, in, count, value[0]);
        if (!graph_fits_table(g, c))
            return join_by_phi(b, block, v, in, count, value[0]);
        if (k + 2 < n)
            care = graph_and(g, care, graph_not(g, c));
        when[k] = c;
    }
    for (unsigned k = n - 1; k-- > 0;) {
        struct uop like = {.kind = UOP_SELECT, .type = graph_at(g, r)->type};
        r = k + 2 < n ? choose(g, when[k], value[k], r) : graph_pure(g, &like, (graph_id[]){when[k], value[k], r}, 3);
    }
    return r;
}

/* Who may have written a register where an edge is taken: a write under the condition of the branch hides the older
 * ones, one under the opposite was not made. */
static uint32_t cell_at(struct graph_builder *b, const struct incoming *in, uint32_t cell)
{
    struct graph *g = b->g;
    graph_id taken = g->blocks.p[in->edge->from].branch;
    if (in->edge->when == GRAPH_ALWAYS || in->edge->guessed || in->edge->indexed || taken == GRAPH_NIL)
        return cell;
    if (in->edge->when == GRAPH_WHEN_NOT)
        taken = graph_not(g, taken);
    for (unsigned steps = 0; cell && steps < 8; steps++) {
        struct graph_cell c = b->cells.p[cell];
        if (c.def == UINT32_MAX || c.guard == GRAPH_NIL)
            break;
        if (graph_implies(g, taken, c.guard)) {
            c.guard = GRAPH_NIL;
            c.prev = 0;
            return graph_push_cell(b, c);
        }
        if (!graph_implies(g, taken, graph_not(g, c.guard)))
            break;
        cell = c.prev;
    }
    return cell;
}

static uint32_t join_cells(struct graph_builder *b, uint32_t v, const struct incoming *in, uint32_t count)
{
    bool same = true;
    for (uint32_t i = 1; i < count; i++)
        same &= in[i].state[v].cell == in[0].state[v].cell;
    if (same)
        return count == 1 ? cell_at(b, &in[0], in[0].state[v].cell) : in[0].state[v].cell;
    uint32_t *joins = ARENA_ARRAY(&b->scratch, uint32_t, count);
    for (uint32_t i = 0; i < count && joins; i++)
        joins[i] = cell_at(b, &in[i], in[i].state[v].cell);
    return graph_push_cell(b, (struct graph_cell){.def = UINT32_MAX, .joins = joins, .join_count = joins ? count : 0});
}

/* ---- loop headers --------------------------------------------------------------------------- */

/* The def a register holds unguarded is a half of `whole`. */
static void mark_half(struct graph_builder *b, const struct graph_slot *slot, graph_id whole, uint8_t part)
{
    struct graph *g = b->g;
    const struct graph_cell *c = &b->cells.p[slot->cell];
    unsigned kind = graph_at(g, whole)->kind;
    if (!slot->cell || c->def == UINT32_MAX || kind == UOP_PAIR || kind == UOP_CONST)
        return;
    struct graph_def *d = &g->defs.p[c->def];
    if (d->wide == GRAPH_NIL && d->node == slot->node && graph_at(g, d->node)->kind != UOP_CONST) {
        d->wide = whole;
        d->part = part;
    }
}

static graph_id pair_of(struct graph_builder *b, const struct graph_slot *lo, const struct graph_slot *hi)
{
    graph_id whole = graph_op2(b->g, UOP_PAIR, UOP_B64, lo->node, hi->node);
    mark_half(b, lo, whole, 1);
    mark_half(b, hi, whole, 2);
    return whole;
}

static bool comes_round(const struct graph_builder *b, uint32_t at, uint32_t loop, uint32_t v)
{
    return graph_set_has(b->live_in + at * b->words, v) &&
           (b->g->loops.p[loop - 1].irreducible || graph_set_has(b->loops[loop - 1].written, v));
}

/* Makes the phis of a loop: one a register that the loop writes, one a pair of registers that holds a 64-bit value. */
static void enter_loop(struct graph_builder *b, uint32_t at, uint32_t loop, struct graph_slot *state)
{
    struct graph *g = b->g;
    uint32_t ways = g->blocks.p[at].pred_count;
    b->first_header[at] = (uint32_t)b->headers.n;
    for (uint32_t v = 0; v < b->variable_count; v++) {
        if (!comes_round(b, at, loop, v))
            continue;
        if (state[v].node == GRAPH_NIL)
            state[v].node = graph_entry_value(b, v);
        const struct graph_assumption *a = graph_assumption_of(b, at, v);
        struct graph_header_slot slot = {.block = at, .variable = v, .other = v, .start = state[v].node};
        if (a && a->kind == GRAPH_ASSUMED_PAIR && comes_round(b, at, loop, a->lo) && comes_round(b, at, loop, a->hi)) {
            slot.other = v == a->lo ? a->hi : a->lo;
            slot.half = v == a->lo ? 1 : 2;
        }
        if (slot.half && slot.other < v) { /* made with the other half */
            for (uint32_t i = b->first_header[at]; i < b->headers.n; i++)
                if (b->headers.p[i].variable == slot.other) {
                    slot.phi = b->headers.p[i].phi;
                    slot.args = b->headers.p[i].args;
                    slot.start = b->headers.p[i].start;
                }
        } else if (slot.half) {
            if (state[slot.other].node == GRAPH_NIL)
                state[slot.other].node = graph_entry_value(b, slot.other);
            slot.start = pair_of(b, &state[a->lo], &state[a->hi]);
            slot.phi = make_phi(b, at, slot.start, loop, &slot.args);
        } else if (!a || a->kind != GRAPH_ASSUMED_SAME) {
            slot.phi = make_phi(b, at, state[v].node, loop, &slot.args);
            if (slot.phi != GRAPH_NIL && graph_assumed_natural(b, at, v))
                g->nodes.p[slot.phi].flags |= GRAPH_NATURAL;
        }
        uint32_t *joins = ARENA_ARRAY(&b->scratch, uint32_t, ways + 1);
        if (!joins)
            return;
        joins[0] = state[v].cell;
        slot.cell = graph_push_cell(b, (struct graph_cell){.def = UINT32_MAX, .joins = joins, .join_count = 1});
        slot.joins = joins;
        VEC_PUSH(&b->scratch, b->headers, slot);
    }
    b->last_header[at] = (uint32_t)b->headers.n;
    for (uint32_t i = b->first_header[at]; i < b->headers.n; i++) {
        const struct graph_header_slot *s = &b->headers.p[i];
        state[s->variable].cell = s->cell;
        if (s->phi != GRAPH_NIL)
            state[s->variable].node = s->half ? graph_op1(g, s->half == 1 ? UOP_LO : UOP_HI, UOP_B32, s->phi) : s->phi;
    }
}

void graph_close_loop(struct graph_builder *b, uint32_t edge, const struct graph_slot *state)
{
    const struct graph_edge *e = &b->flow->edges.p[edge];
    uint32_t place = 0;
    while (b->flow->pred_edges[e->to][place] != edge)
        place++;
    for (uint32_t i = b->first_header[e->to]; i < b->last_header[e->to]; i++) {
        const struct graph_header_slot s = b->headers.p[i];
        struct graph_cell *c = &b->cells.p[s.cell];
        const struct graph_slot *now = &state[s.variable];
        s.joins[c->join_count++] = now->cell;
        if (s.phi == GRAPH_NIL || s.half == 2 || now->node == GRAPH_NIL)
            continue;
        if (!s.half)
            s.args[place] = now->node;
        else if (state[s.other].node != GRAPH_NIL)
            s.args[place] = pair_of(b, now, &state[s.other]);
    }
}

/* Memory at a loop's header: its local stores stand where their base registers, which it does not write, say, or in a
 * part of the frame. */
static uint32_t enter_loop_memory(struct graph_builder *b, uint32_t loop, const struct graph_slot *state,
                                  uint32_t memory)
{
    struct graph *g = b->g;
    const struct graph_loop_summary *s = &b->loops[loop - 1];
    bool known = s->local_known && !g->loops.p[loop - 1].irreducible;
    struct graph_access *slots = ARENA_ARRAY(&b->scratch, struct graph_access, s->local.n + 1);
    for (size_t i = 0; i < s->local.n && known && slots; i++) {
        const struct graph_local_store *l = &s->local.p[i];
        if (l->part.known) {
            slots[i] = (struct graph_access){
                .kind = GRAPH_STORE, .space = UOP_LOCAL, .width = l->width, .address = GRAPH_NIL, .part = l->part};
            continue;
        }
        uint32_t v = graph_variable(b, l->file, l->reg);
        known = v != UINT32_MAX && !graph_set_has(s->written, v) && state[v].node != GRAPH_NIL;
        if (known)
            slots[i] = (struct graph_access){
                .kind = GRAPH_STORE,
                .space = UOP_LOCAL,
                .width = l->width,
                .address = graph_op2(g, UOP_ADD, UOP_B32, state[v].node, graph_const(g, UOP_B32, l->offset))};
    }
    return graph_memory_loop(g, &b->memory, memory, slots, (uint32_t)s->local.n, known && slots);
}

/* ---- a block -------------------------------------------------------------------------------- */

static bool holds(const struct graph_builder *b, uint32_t loop, uint32_t block)
{
    uint32_t l = b->g->blocks.p[block].loop;
    while (loop_depth(b, l) > loop_depth(b, loop))
        l = b->g->loops.p[l - 1].parent;
    return l == loop;
}

/* The last block before `at` that every way to it goes through and that stands in no loop `at` is not in; a loop that
 * is left stands for its header. */
static uint32_t gate_of(const struct graph_builder *b, uint32_t at)
{
    const struct graph *g = b->g;
    uint32_t gate = g->blocks.p[at].idom, loop = g->blocks.p[gate].loop;
    while (loop && !holds(b, loop, at)) {
        if (!g->loops.p[loop - 1].irreducible) {
            gate = g->loops.p[loop - 1].header;
            loop = g->loops.p[loop - 1].parent;
            continue;
        }
        while (gate && holds(b, loop, gate))
            gate = g->blocks.p[gate].idom;
        loop = g->blocks.p[gate].loop;
    }
    return gate;
}

/* Ways meet in a loop that is entered at several places: in which turn which edge was taken no condition tells. */
static bool meet_untold(const struct graph_builder *b, uint32_t at)
{
    for (uint32_t l = b->irreducible ? b->g->blocks.p[at].loop : 0; l; l = b->g->loops.p[l - 1].parent)
        if (b->g->loops.p[l - 1].irreducible)
            return b->g->blocks.p[at].pred_count > 1;
    return false;
}

static graph_id path_of(struct graph_builder *b, uint32_t at, const struct incoming *in, uint32_t count, bool untold)
{
    struct graph *g = b->g;
    uint32_t gate = gate_of(b, at);
    if (!count && !untold)
        return graph_false(g);
    if (graph_always_reaches(b->flow, gate, at))
        return g->blocks.p[gate].path; /* a header's path is that of the loop's entry */
    if (untold)
        return graph_and(g, g->blocks.p[gate].path, unknown_truth(g, g->blocks.p[at].first, at));
    graph_id path = in[0].when;
    for (uint32_t i = 1; i < count; i++)
        path = graph_or(g, path, in[i].when);
    return path;
}

uint32_t graph_enter_block(struct graph_builder *b, uint32_t at, struct graph_slot *state)
{
    struct graph *g = b->g;
    struct graph_block *block = &g->blocks.p[at];
    uint32_t edges = b->flow->pred_edge_count[at], count = 0, loop = block->header;
    struct incoming few[8], *in = edges <= 8 ? few : ARENA_ARRAY(&b->scratch, struct incoming, edges);
    uint32_t few_states[8], *memory = edges <= 8 ? few_states : ARENA_ARRAY(&b->scratch, uint32_t, edges);
    if (!in || !memory)
        return 0;
    for (uint32_t i = 0; i < edges; i++) {
        const struct graph_edge *e = &b->flow->edges.p[b->flow->pred_edges[at][i]];
        if (e->back || !b->state[e->from])
            continue; /* behind a branch that is never taken, too */
        graph_id when = edge_condition(b, e);
        if (graph_is_false(g, when))
            continue;
        memory[count] = b->memory_out[e->from];
        in[count++] = (struct incoming){e, b->state[e->from], when, i};
    }
    uint32_t memory_state = 0;
    if (at == 0) {
        for (uint32_t v = 0; v < b->variable_count; v++)
            state[v].node = graph_entry_value(b, v);
        block->path = GRAPH_NIL;
    } else {
        bool untold = meet_untold(b, at);
        block->path = path_of(b, at, in, count, untold);
        const uint64_t *live = b->live_in + at * b->words;
        for (uint32_t v = graph_set_next(live, 0, b->variable_count); v < b->variable_count && count;
             v = graph_set_next(live, v + 1, b->variable_count)) {
            state[v].node = join_values(b, at, v, in, count, untold);
            state[v].cell = join_cells(b, v, in, count);
        }
        if (count)
            memory_state = graph_memory_join(g, &b->memory, memory, count, b->memory_out[block->idom]);
        else if (untold) /* only entered by an edge that was not walked yet */
            memory_state = graph_memory_clobber(g, &b->memory, 0);
    }
    if (loop) {
        b->loops[loop - 1].path = block->path;
        enter_loop(b, at, loop, state);
        if (b->loops[loop - 1].stores)
            memory_state = enter_loop_memory(b, loop, state, memory_state);
    }
    return memory_state;
}
