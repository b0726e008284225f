/* Loops of the flow graph as regions: their blocks, what leaves them, their phis with start and next, and which values
 * a turn makes anew. A nest deeper than its budget keeps its inner loops; the outer ones are listed and nothing is
 * asked about them. requires: a built graph · gives: regions, answers to small questions */
#include "graph/graph_cycle_internal.h"

/* ---- small questions ------------------------------------------------------------------------- */

bool cycle_in_loop(const struct cycle_work *w, uint32_t block, uint32_t loop)
{
    uint32_t own = w->g->blocks.p[block].loop;
    return own && w->regions[own - 1].open >= w->regions[loop].open &&
           w->regions[own - 1].open < w->regions[loop].close;
}

graph_id cycle_bare(const struct graph *g, graph_id id)
{
    while (graph_at(g, id)->kind == UOP_UNIFORM)
        id = graph_at(g, id)->arg[0];
    return id;
}

uint32_t cycle_args(const struct graph_node *n, const graph_id **args)
{
    *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
    return n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
}

bool cycle_flatten(const struct graph *g, graph_id id, unsigned kind, graph_id *terms, uint32_t max, uint32_t *count)
{
    /* `terms` is the stack too: what is not yet opened stands behind what is done. */
    uint8_t type = graph_at(g, id)->type;
    uint32_t done = 0, top = max;
    graph_id at = id;
    for (;;) {
        at = cycle_bare(g, at);
        const struct graph_node *n = graph_at(g, at);
        if (n->kind == kind && n->type == type) {
            if (top <= done + 1)
                return false;
            terms[--top] = n->arg[1];
            at = n->arg[0];
            continue;
        }
        if (done >= top)
            return false;
        terms[done++] = at;
        if (top == max)
            break;
        at = terms[top++];
    }
    *count = done;
    return true;
}

struct cycle_nodes cycle_sums(struct cycle_work *w, graph_id in, graph_id out)
{
    enum { PARTS = 1024 };
    struct {
        graph_id node;
        uint32_t up;
    } part[PARTS];
    struct cycle_nodes sums = {0};
    uint32_t count = 1;
    unsigned kind = graph_at(w->g, out)->kind;
    part[0].node = out;
    for (uint32_t at = 0; at < count; at++) {
        graph_id node = cycle_bare(w->g, part[at].node);
        const struct graph_node *n = graph_at(w->g, node);
        if (node == in) {
            for (uint32_t up = at; up != 0; up = part[up].up)
                VEC_PUSH(w->a, sums, part[part[up].up].node);
            break;
        }
        part[at].node = node;
        for (unsigned k = 0; n->kind == kind && k < n->arg_count && count < PARTS; k++) {
            part[count].node = n->arg[k];
            part[count++].up = at;
        }
    }
    return sums;
}

graph_id cycle_branch(const struct graph *g, uint32_t block)
{
    const struct graph_block *b = &g->blocks.p[block];
    const struct uop_list *l = g->input.insns[g->insns.p[b->last].input].uops;
    for (size_t i = 0; i < l->ops.n; i++) {
        unsigned kind = l->ops.p[i].kind;
        if (kind == UOP_BRANCH || kind == UOP_EXIT || kind == UOP_RET || kind == UOP_TRAP || kind == UOP_BRANCH_IND ||
            kind == UOP_CALL)
            return b->branch;
    }
    return GRAPH_NIL; /* a guarded instruction like any other */
}

uint32_t cycle_joined_call(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind != GRAPH_PHI || graph_is_loop_phi(g, id))
        return 0;
    uint32_t path = g->insns.p[g->blocks.p[n->block].first].call_path;
    return path ? g->calls.p[path - 1].target + 1 : 0;
}

bool cycle_joins_answer(const struct graph *g, graph_id id)
{
    enum { WAYS = 8 };
    const struct graph_node *n = graph_at(g, id);
    bool answer = false;
    if (n->kind != GRAPH_PHI || graph_is_loop_phi(g, id) || n->phi_count > WAYS)
        return false;
    for (uint32_t k = 0; k < n->phi_count; k++) {
        if (n->phi_args[k] >= id)
            return false;
        answer |= cycle_joined_call(g, n->phi_args[k]) != 0;
    }
    return answer && !cycle_joined_call(g, id);
}

/* Where paths meet nobody makes the value; who reads it there as it is moves it. */
static bool moves_join(const struct graph *g, uint32_t insn, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    const struct graph_insn *i = &g->insns.p[insn];
    for (uint32_t u = i->first_use; u < i->first_use + i->use_count && (n->kind == UOP_SELECT || n->kind == GRAPH_PHI);
         u++)
        if (g->uses.p[u].node == id)
            return true;
    return false;
}

static uint32_t first_def(const struct cycle_work *w, graph_id id, uint32_t loop)
{
    const struct graph *g = w->g;
    uint32_t count, best = UINT32_MAX;
    const uint32_t *defs = graph_defs_of(g, id, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t insn = g->defs.p[defs[i]].insn;
        bool inside = loop == UINT32_MAX || cycle_in_loop(w, g->insns.p[insn].block, loop);
        if (inside && g->insns.p[insn].reachable && insn < best && !graph_is_slow(g, insn) && !moves_join(g, insn, id))
            best = insn;
    }
    if (best == UINT32_MAX && id < w->nodes && w->merged_by[id])
        best = w->merged_by[id] - 1;
    return best;
}

uint32_t cycle_maker(const struct cycle_work *w, graph_id id, uint32_t loop)
{
    uint32_t count, best = first_def(w, id, loop);
    const graph_id *users = graph_users(w->g, id, &count);
    for (uint32_t i = 0; i < count && best == UINT32_MAX; i++) /* one of two numbers in a register */
        if (graph_at(w->g, users[i])->kind == UOP_PAIR)
            best = first_def(w, users[i], loop);
    return best;
}

static graph_id root_in(const struct graph *g, graph_id id, unsigned depth, unsigned *steps)
{
    enum { DEPTH = 100, STEPS = 400 };
    const struct graph_node *n = graph_at(g, id);
    struct graph_affine f;
    if (depth > DEPTH || ++*steps > STEPS || n->type != UOP_B64)
        return GRAPH_NIL;
    if (n->kind == UOP_CBANK)
        return graph_affine(g, id, &f) ? f.base : GRAPH_NIL;
    if (n->kind != UOP_ADD && n->kind != UOP_SELECT && n->kind != GRAPH_PHI && n->kind != UOP_UNIFORM)
        return GRAPH_NIL;
    const graph_id *args;
    uint32_t count = cycle_args(n, &args);
    graph_id root = GRAPH_NIL;
    for (uint32_t k = n->kind == UOP_SELECT; k < count && root == GRAPH_NIL; k++)
        if (args[k] < id)
            root = root_in(g, args[k], depth + 1, steps);
    return root;
}

graph_id cycle_root(const struct graph *g, graph_id address)
{
    unsigned steps = 0;
    return root_in(g, address, 0, &steps);
}

/* ---- what varies in a loop -------------------------------------------------------------------- */

/* Whether the node is by itself something that a turn makes anew; *open: its arguments decide. */
static bool varies_itself(const struct cycle_work *w, uint32_t loop, graph_id id, bool *open)
{
    const struct graph *g = w->g;
    const struct graph_node *n = graph_at(g, id);
    *open = false;
    if (n->kind == GRAPH_PHI) {
        /* A join in front of a header stands in the header's block. */
        bool before = n->block == g->loops.p[loop].header && !graph_is_loop_phi(g, id);
        return !before && cycle_in_loop(w, n->block, loop);
    }
    if (n->kind == UOP_CONST || n->kind == UOP_SREG || n->kind == GRAPH_ENTRY)
        return false;
    if (n->insn != UINT32_MAX) {
        if (cycle_in_loop(w, g->insns.p[n->insn].block, loop))
            return true;
        return false;
    }
    if (n->kind == UOP_LOAD && n->imm != 0 && w->regions[loop].stores)
        for (uint32_t x = w->first_access[id]; x; x = w->next_access[x - 1])
            if (cycle_in_loop(w, g->insns.p[g->accesses.p[x - 1].insn].block, loop))
                return true;
    *open = true;
    return false;
}

bool cycle_varies(struct cycle_work *w, uint32_t loop, graph_id id)
{
    enum { OPEN = 2 };
    const struct graph *g = w->g;
    if (id == GRAPH_NIL)
        return false;
    if (id >= w->nodes)
        return true; /* made here: nothing is remembered of it */
    size_t base = w->stack.n;
    VEC_PUSH(w->a, w->stack, id);
    while (w->stack.n > base) {
        graph_id at = w->stack.p[w->stack.n - 1];
        if (w->stamp[at] != loop + 1) {
            bool open;
            bool itself = varies_itself(w, loop, at, &open);
            w->stamp[at] = loop + 1;
            w->varies[at] = (uint8_t)itself;
            if (!open) {
                w->stack.n--;
                continue;
            }
            w->varies[at] = OPEN;
        }
        if (w->varies[at] != OPEN) {
            w->stack.n--;
            continue;
        }
        const struct graph_node *n = graph_at(g, at);
        bool any = false;
        size_t before = w->stack.n;
        for (unsigned k = 0; k < n->arg_count && !any; k++) {
            graph_id x = n->arg[k];
            if (x == GRAPH_NIL || x >= w->nodes)
                continue;
            if (w->stamp[x] == loop + 1)
                any = w->varies[x] == 1;
            else
                VEC_PUSH(w->a, w->stack, x);
        }
        if (any)
            w->stack.n = before;
        if (any || w->stack.n == before) {
            w->varies[at] = (uint8_t)any;
            w->stack.n = before - 1;
        }
        if (arena_failed(w->a))
            break;
    }
    w->stack.n = base;
    return w->stamp[id] == loop + 1 && w->varies[id] == 1;
}

/* ---- regions ---------------------------------------------------------------------------------- */

/* Numbers loops so that those within one stand in a row. Inner loops come before outer ones in the list. */
static void number_loops(struct cycle_work *w)
{
    const struct graph *g = w->g;
    for (uint32_t l = 0; l < w->region_count; l++) { /* close: how many there are within, itself too */
        w->regions[l].close++;
        if (g->loops.p[l].parent)
            w->regions[g->loops.p[l].parent - 1].close += w->regions[l].close;
    }
    uint32_t next = 0; /* of the outermost ones; within, `open` of the parent is where the next one goes */
    for (uint32_t l = w->region_count; l-- > 0;) {
        struct cycle_region *r = &w->regions[l];
        uint32_t parent = g->loops.p[l].parent, count = r->close;
        uint32_t *at = parent ? &w->regions[parent - 1].limit : &next;
        r->open = *at;
        *at += count;
        r->limit = r->open + 1; /* borrowed until all have their numbers */
        r->close = r->open + count;
    }
    for (uint32_t l = 0; l < w->region_count; l++)
        w->regions[l].limit = GRAPH_NIL;
}

static bool list_blocks(struct cycle_work *w)
{
    struct graph *g = w->g;
    uint64_t room = 80 * (uint64_t)g->blocks.n + 10000;
    for (uint32_t b = 0; b < g->blocks.n; b++)
        if (g->blocks.p[b].loop)
            w->regions[g->blocks.p[b].loop - 1].block_count++;
    for (uint32_t l = 0; l < w->region_count; l++) {
        struct cycle_region *r = &w->regions[l];
        uint32_t parent = g->loops.p[l].parent;
        r->skipped |= r->block_count > room;
        room -= r->skipped ? 0 : r->block_count;
        if (parent) {
            w->regions[parent - 1].block_count += r->block_count;
            w->regions[parent - 1].skipped |= r->skipped;
        }
    }
    for (uint32_t l = 0; l < w->region_count; l++) {
        struct cycle_region *r = &w->regions[l];
        r->blocks = ARENA_ARRAY(w->a, uint32_t, r->skipped ? 0 : r->block_count);
        r->block_count = 0;
        if (!r->blocks)
            return false;
    }
    for (uint32_t b = 0; b < g->blocks.n; b++)
        for (uint32_t l = g->blocks.p[b].loop; l && !w->regions[l - 1].skipped; l = g->loops.p[l - 1].parent)
            w->regions[l - 1].blocks[w->regions[l - 1].block_count++] = b;
    return true;
}

static void find_exits(struct cycle_work *w, struct cycle_region *r)
{
    struct graph *g = w->g;
    for (uint32_t i = 0; i < r->block_count; i++) {
        uint32_t at = r->blocks[i];
        const struct graph_block *b = &g->blocks.p[at];
        size_t before = r->exits.n;
        if (!b->reachable)
            continue;
        graph_id branch = cycle_branch(g, at);
        if (b->succ_count == 1 && branch != GRAPH_NIL) { /* the thread ends here when the condition holds */
            VEC_PUSH(w->a, r->exits, (struct cycle_exit){at, branch});
            if (!cycle_in_loop(w, b->succs[0], r->loop))
                VEC_PUSH(w->a, r->exits, (struct cycle_exit){at, graph_not(g, branch)});
            w->leaves[at] = r->loop + 1;
            continue;
        }
        for (uint32_t s = 0; s < b->succ_count; s++) {
            if (cycle_in_loop(w, b->succs[s], r->loop))
                continue;
            graph_id leaves = b->succ_count != 2 ? GRAPH_NIL : s == 0 ? branch : graph_not(g, branch);
            b = &g->blocks.p[at];
            VEC_PUSH(w->a, r->exits, (struct cycle_exit){at, leaves});
        }
        if (r->exits.n > before)
            w->leaves[at] = r->loop + 1;
    }
}

/* Loops by what their phis start with. */
static void note_start(struct cycle_work *w, uint32_t region, graph_id start)
{
    uint32_t at = 0;
    if (start == GRAPH_NIL || start >= w->nodes)
        return;
    bool known = map_u64_get(&w->starts, start, &at);
    if (known && w->start_list.p[at].region == region)
        return;
    VEC_PUSH(w->a, w->start_list, (struct cycle_start){region, known ? at + 1 : 0});
    map_u64_put(w->a, &w->starts, start, (uint32_t)w->start_list.n - 1);
}

static void find_phis(struct cycle_work *w, struct cycle_region *r)
{
    struct graph *g = w->g;
    uint32_t header = g->loops.p[r->loop].header;
    uint32_t count = 0;
    for (graph_id id = w->first_phi[header]; id; id = w->next_phi[id])
        count++;
    r->phis = ARENA_ARRAY(w->a, struct cycle_phi, count);
    for (graph_id id = w->first_phi[header]; id && r->phis; id = w->next_phi[id]) {
        const struct graph_node *n = graph_at(g, id);
        const struct graph_block *b = &g->blocks.p[header];
        struct cycle_phi p = {.phi = id, .live = w->live[id], .data = w->data[id]};
        bool start = true, next = true;
        if (!graph_is_loop_phi(g, id))
            continue;
        for (uint32_t k = 0; k < n->phi_count && k < b->pred_count; k++) {
            if (!g->blocks.p[b->preds[k]].reachable)
                continue;
            bool back = cycle_in_loop(w, b->preds[k], r->loop);
            graph_id *to = back ? &p.next : &p.start;
            bool *one = back ? &next : &start;
            if (*to != GRAPH_NIL && *to != n->phi_args[k])
                *one = false;
            *to = n->phi_args[k];
        }
        p.start = start ? p.start : GRAPH_NIL;
        p.next = next ? p.next : GRAPH_NIL;
        note_start(w, r->loop, p.start);
        r->phis[r->phi_count++] = p;
    }
}

static bool changes_memory(unsigned kind)
{
    return kind == UOP_STORE || kind == UOP_ATOM || kind == UOP_RED || kind == UOP_ASYNC_COPY || kind == UOP_CALL ||
           kind == UOP_CALL_IND || kind == UOP_BAR || kind == UOP_FENCE || kind == UOP_ASYNC_WAIT;
}

static bool changes_something(const struct graph *g, const struct cycle_region *r)
{
    for (uint32_t i = 0; i < r->block_count; i++) {
        const struct graph_block *b = &g->blocks.p[r->blocks[i]];
        for (uint32_t k = b->first; k <= b->last; k++) {
            const struct uop_list *l = g->input.insns[g->insns.p[k].input].uops;
            if (l->unknown)
                return true;
            for (size_t u = 0; u < l->ops.n; u++)
                if (changes_memory(l->ops.p[u].kind))
                    return true;
        }
    }
    return false;
}

static bool order_loops(struct cycle_work *w)
{
    const struct graph *g = w->g;
    uint32_t *first = ARENA_ARRAY(w->a, uint32_t, w->region_count + 1); /* by parent */
    w->next_beside = ARENA_ARRAY(w->a, uint32_t, w->region_count + 1);
    if (arena_failed(w->a))
        return false;
    for (uint32_t b = (uint32_t)g->blocks.n; b-- > 0;) {
        uint32_t l = g->blocks.p[b].header, parent = l ? g->loops.p[l - 1].parent : 0;
        if (!l)
            continue;
        w->next_beside[l - 1] = first[parent];
        if (g->blocks.p[b].loop == l)
            first[parent] = l;
    }
    return true;
}

bool cycle_begin(struct cycle_work *w)
{
    struct graph *g = w->g;
    w->nodes = (graph_id)g->nodes.n;
    w->region_count = (uint32_t)g->loops.n;
    w->regions = ARENA_ARRAY(w->a, struct cycle_region, w->region_count + 1);
    w->stamp = ARENA_ARRAY(w->a, uint32_t, w->nodes);
    w->varies = ARENA_ARRAY(w->a, uint8_t, w->nodes);
    w->note_stamp = ARENA_ARRAY(w->a, uint32_t, w->nodes);
    w->noted = ARENA_ARRAY(w->a, uint8_t, w->nodes);
    w->leaves = ARENA_ARRAY(w->a, uint32_t, g->blocks.n + 1);
    w->straight_of = ARENA_ARRAY(w->a, int32_t, g->blocks.n + 1);
    w->merged_by = ARENA_ARRAY(w->a, uint32_t, w->nodes);
    w->first_access = ARENA_ARRAY(w->a, uint32_t, w->nodes);
    w->next_access = ARENA_ARRAY(w->a, uint32_t, g->accesses.n + 1);
    w->first_phi = ARENA_ARRAY(w->a, uint32_t, g->blocks.n + 1);
    w->next_phi = ARENA_ARRAY(w->a, uint32_t, w->nodes);
    w->data = ARENA_ARRAY(w->a, bool, w->nodes);
    w->stored = ARENA_ARRAY(w->a, bool, w->nodes);
    w->claimed = ARENA_ARRAY(w->a, bool, w->nodes);
    w->flow_of = ARENA_ARRAY(w->a, uint32_t, w->nodes);
    w->between = ARENA_ARRAY(w->a, bool, w->nodes);
    if (arena_failed(w->a))
        return false;
    for (uint32_t l = 0; l < w->region_count; l++)
        w->regions[l] = (struct cycle_region){.loop = l, .unroll = 1, .counter = -1, .cycle = -1, .tested = -1};
    number_loops(w);
    for (uint32_t d = 0; d < g->defs.n; d++)
        if (g->defs.p[d].merged != g->defs.p[d].node && g->defs.p[d].merged < w->nodes &&
            !w->merged_by[g->defs.p[d].merged])
            w->merged_by[g->defs.p[d].merged] = g->defs.p[d].insn + 1;
    for (uint32_t i = (uint32_t)g->accesses.n; i-- > 0;) {
        graph_id node = g->accesses.p[i].result;
        for (unsigned k = 0; k < 4 && g->accesses.p[i].kind != GRAPH_LOAD; k++)
            w->stored[g->accesses.p[i].value[k]] = true;
        if (g->accesses.p[i].kind != GRAPH_LOAD || node == GRAPH_NIL || graph_at(g, node)->kind != UOP_LOAD)
            continue;
        w->next_access[i] = w->first_access[node];
        w->first_access[node] = i + 1;
    }
    for (graph_id id = w->nodes; id-- > 1;)
        if (graph_at(g, id)->kind == GRAPH_PHI) {
            w->next_phi[id] = w->first_phi[graph_at(g, id)->block];
            w->first_phi[graph_at(g, id)->block] = id;
        }
    return order_loops(w) && list_blocks(w);
}

void cycle_find_region(struct cycle_work *w, struct cycle_region *r)
{
    r->stores = changes_something(w->g, r);
    find_exits(w, r);
    if (!w->g->loops.p[r->loop].irreducible && !r->skipped)
        find_phis(w, r);
}
