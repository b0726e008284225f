/* What a node is as a function of the thread and of the turn: whether all threads of a block have the same value,
 * whether it may be another one in another turn of a loop, and the same expression for another thread or one turn
 * later. Uniformity starts from everything being uniform and takes away what depends on a thread's number, on data read
 * at a thread's own address, or on a loop that threads leave at different turns.
 * requires: a built graph · gives: graph_block_uniform, graph_turns_with, graph_substitute_thread, graph_next_turn */
#include "graph/graph_depend_internal.h"
#include "graph/graph_internal.h"

enum { REBUILD_MAX = 96 };

bool graph_in_loop(const struct graph *g, uint32_t block, uint32_t loop)
{
    for (uint32_t l = g->blocks.p[block].loop; l; l = g->loops.p[l - 1].parent)
        if (l == loop)
            return true;
    return false;
}

/* ---- uniform --------------------------------------------------------------------------------- */

/* Different in the threads of a block whatever its arguments are. */
static bool is_source(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    switch (n->kind) {
    case UOP_SREG:
        return !(n->imm >= UOP_SR_CTAID_X && n->imm <= UOP_SR_NCTAID_Z) && n->imm != UOP_SR_CGA_CTAID &&
               n->imm != UOP_SR_CGA_SIZE && n->imm != UOP_SR_SMEMSZ && n->imm != UOP_SR_ZERO;
    case UOP_CONST:
    case UOP_CBANK:
    case UOP_ELEMENT:
    case GRAPH_BOOL: return false;
    case UOP_LOAD: return n->insn != UINT32_MAX || n->space == UOP_LOCAL || n->space == UOP_GENERIC;
    case GRAPH_PHI: { /* a join of paths that is no header: which path was taken is not looked at */
        const struct graph_block *b = &g->blocks.p[n->block];
        return !b->loop || g->loops.p[b->loop - 1].header != n->block || g->loops.p[b->loop - 1].irreducible;
    }
    case GRAPH_RESULT: {
        uint32_t loop;
        return !graph_is_turn_symbol(g, id, &loop) || g->loops.p[loop - 1].apart;
    }
    case UOP_BAR_GIVES: return n->width;
    default: return !uop_is_pure((enum uop_kind)n->kind);
    }
}

/* What a node differs by: of what a barrier makes of all threads' numbers there is one. */
static uint32_t args_of(const struct graph_node *n, const graph_id **args)
{
    *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
    return n->kind == GRAPH_PHI ? n->phi_count : n->kind == UOP_BAR_GIVES ? 0 : n->arg_count;
}

static bool args_vary(struct graph *g, graph_id id)
{
    const graph_id *args;
    uint32_t count = args_of(graph_at(g, id), &args);
    for (uint32_t i = 0; i < count; i++)
        if (args[i] != GRAPH_NIL && graph_fact_at(g, args[i])->varying == 2)
            return true;
    return false;
}

/* What goes round until nothing more is found to differ: whom a node, a branch or a loop tells. */
struct spreading {
    struct graph *g;
    struct arena scratch;
    uint32_t *first_user; /* of nodes, count + 1 entries: into `users` */
    graph_id *users;
    uint32_t *first_block, *next_block; /* of nodes, of blocks: blocks with that branch, as lists of block + 1 */
    graph_id *first_in, *next_in;       /* of loops, of nodes: what differs when threads leave the loop apart */
    uint32_t *nest;                     /* of loops: how many are round it, and itself */
    graph_id *stack;
    uint32_t depth;
};

static void vary(struct spreading *s, graph_id id)
{
    struct graph_fact *fact = graph_fact_at(s->g, id);
    if (fact->varying == 2)
        return;
    fact->varying = 2;
    s->stack[s->depth++] = id;
}

static bool list_users(struct spreading *s, graph_id count)
{
    const struct graph *g = s->g;
    const graph_id *args;
    uint32_t total = 0, loop;
    for (graph_id id = 1; id < count; id++) {
        uint32_t n = args_of(graph_at(g, id), &args);
        for (uint32_t i = 0; i < n; i++)
            s->first_user[args[i]]++;
        total += n;
    }
    s->users = ARENA_ARRAY(&s->scratch, graph_id, total + 1);
    if (!s->users)
        return false;
    for (graph_id id = 0, at = 0; id <= count; id++) { /* where each list ends, for now */
        at += s->first_user[id];
        s->first_user[id] = at;
    }
    for (graph_id id = count; id-- > 1;) {
        const struct graph_node *n = graph_at(g, id);
        for (uint32_t i = args_of(n, &args); i-- > 0;)
            s->users[--s->first_user[args[i]]] = id;
        loop = n->kind == GRAPH_PHI ? g->blocks.p[n->block].loop : 0;
        if (!loop && !graph_is_turn_symbol(g, id, &loop))
            continue;
        s->next_in[id] = s->first_in[loop];
        s->first_in[loop] = id;
    }
    for (uint32_t b = 0; b < g->blocks.n; b++) {
        if (g->blocks.p[b].branch == GRAPH_NIL || g->blocks.p[b].branch >= count)
            continue;
        s->next_block[b] = s->first_block[g->blocks.p[b].branch];
        s->first_block[g->blocks.p[b].branch] = b + 1;
    }
    return true;
}

/* As deep in loops as its parent, and one more: up to a loop that is known, and down again. */
static void count_nest(struct spreading *s)
{
    const struct graph *g = s->g;
    for (uint32_t l = 1; l <= g->loops.n; l++) {
        uint32_t up = l, above = 0;
        for (; up && !s->nest[up]; up = g->loops.p[up - 1].parent)
            above++;
        above += s->nest[up];
        for (up = l; up && !s->nest[up]; up = g->loops.p[up - 1].parent)
            s->nest[up] = above--;
    }
}

static bool is_within(const struct spreading *s, uint32_t block, uint32_t loop)
{
    uint32_t l = s->g->blocks.p[block].loop;
    while (l && s->nest[l] > s->nest[loop])
        l = s->g->loops.p[l - 1].parent;
    return l == loop;
}

/* Threads may leave the loops round the block at different turns (a thread that ends for good does not count). */
static void leave_apart(struct spreading *s, uint32_t block)
{
    struct graph *g = s->g;
    const struct graph_block *b = &g->blocks.p[block];
    bool leaves = b->succ_count > 1;
    for (uint32_t l = b->loop; l && leaves; l = g->loops.p[l - 1].parent) {
        leaves = false;
        for (uint32_t i = 0; i < b->succ_count && !leaves; i++)
            leaves = !is_within(s, b->succs[i], l);
        if (!leaves || g->loops.p[l - 1].apart)
            continue; /* what stays in a loop stays in those round it */
        g->loops.p[l - 1].apart = true;
        for (graph_id id = s->first_in[l]; id; id = s->next_in[id])
            vary(s, id);
    }
}

/* Each node is told once that it differs, and tells its users, the blocks that branch on it and the loops they
 * leave. */
static void find_uniform(struct graph *g)
{
    struct spreading s = {.g = g};
    graph_id count = (graph_id)g->nodes.n;
    arena_init(&s.scratch, 0);
    s.first_user = ARENA_ARRAY(&s.scratch, uint32_t, count + 1);
    s.first_block = ARENA_ARRAY(&s.scratch, uint32_t, count + 1);
    s.next_block = ARENA_ARRAY(&s.scratch, uint32_t, g->blocks.n + 1);
    s.first_in = ARENA_ARRAY(&s.scratch, graph_id, g->loops.n + 1);
    s.next_in = ARENA_ARRAY(&s.scratch, graph_id, count + 1);
    s.nest = ARENA_ARRAY(&s.scratch, uint32_t, g->loops.n + 1);
    s.stack = ARENA_ARRAY(&s.scratch, graph_id, count + 1);
    bool ready = !arena_failed(&s.scratch) && list_users(&s, count);
    if (ready)
        count_nest(&s);
    for (graph_id id = 1; id < count; id++)
        graph_fact_at(g, id)->varying = ready ? 1 : 2;
    for (graph_id id = 1; id < count && ready; id++)
        if (is_source(g, id))
            vary(&s, id);
    while (s.depth) {
        graph_id id = s.stack[--s.depth];
        for (uint32_t i = s.first_user[id]; i < s.first_user[id + 1]; i++)
            vary(&s, s.users[i]);
        for (uint32_t b = s.first_block[id]; b; b = s.next_block[b - 1])
            leave_apart(&s, b - 1);
    }
    arena_free(&s.scratch);
    graph_facts_of(g)->uniform_done = true;
}

bool graph_block_uniform(struct graph *g, graph_id id)
{
    struct graph_facts *f = graph_facts_of(g);
    if (id == GRAPH_NIL)
        return true;
    if (!f)
        return false;
    if (!f->uniform_done)
        find_uniform(g);
    if (graph_fact_at(g, id)->varying == 0) /* nodes made since: arguments have smaller numbers */
        for (graph_id k = id; k && graph_fact_at(g, k)->varying == 0; k--)
            f->first_new = k;
    for (graph_id k = f->first_new; k && k <= id; k++)
        if (graph_fact_at(g, k)->varying == 0)
            graph_fact_at(g, k)->varying = is_source(g, k) || args_vary(g, k) ? 2 : 1;
    f->first_new = 0;
    return graph_fact_at(g, id)->varying == 1;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static bool turns(struct graph *g, graph_id id, uint32_t loop, unsigned depth, int *budget)
{
    const struct graph_node n = *graph_at(g, id);
    uint32_t known;
    uint64_t key = (uint64_t)loop << 32 | id;
    if (n.kind == UOP_CONST || n.kind == UOP_SREG || (n.kind == UOP_CBANK && !n.arg_count) || n.kind == GRAPH_ENTRY)
        return false;
    if (n.kind == GRAPH_PHI)
        return graph_in_loop(g, n.block, loop);
    if (graph_is_turn_symbol(g, id, &known))
        return graph_in_loop(g, g->loops.p[known - 1].header, loop);
    if (n.insn != UINT32_MAX)
        return n.insn >= g->insns.n || graph_in_loop(g, g->insns.p[n.insn].block, loop);
    if (n.kind == UOP_LOAD && n.order != UOP_READONLY && n.imm != 0)
        return true;
    struct graph_facts *f = graph_facts_of(g);
    if (map_u64_get(&f->turns, key, &known))
        return known;
    if (depth > 48 || --*budget < 0)
        return true;
    bool r = false;
    for (unsigned i = 0; i < n.arg_count && !r; i++)
        r = turns(g, n.arg[i], loop, depth + 1, budget);
    map_u64_put(g->a, &f->turns, key, r);
    return r;
}

bool graph_turns_with(struct graph *g, graph_id id, uint32_t loop)
{
    int budget = 512;
    return id != GRAPH_NIL && graph_facts_of(g) && turns(g, id, loop, 0, &budget);
}

/* ---- the same expression elsewhere ----------------------------------------------------------- */

struct rebuild {
    struct graph *g;
    const graph_id *thread; /* another thread's coordinates, or NULL */
    uint32_t loop;          /* or one turn of this loop later */
    bool first;             /* or in its first turn */
    graph_id from[REBUILD_MAX], to[REBUILD_MAX];
    unsigned n;
};

static graph_id rebuild(struct rebuild *r, graph_id id, unsigned depth);

/* The function `table` of atoms k, k + 1, … */
static graph_id rebuild_table(struct graph *g, const graph_id *atoms, unsigned count, uint64_t table)
{
    uint64_t mask = count >= 6 ? ~UINT64_C(0) : (UINT64_C(1) << (1u << count)) - 1;
    table &= mask;
    if (!table || table == mask)
        return table ? graph_true(g) : graph_false(g);
    unsigned half = 1u << (count - 1);
    uint64_t low = (UINT64_C(1) << half) - 1;
    graph_id zero = rebuild_table(g, atoms, count - 1, table & low);
    graph_id one = rebuild_table(g, atoms, count - 1, table >> half);
    return graph_bool_apply(g, (graph_id[]){atoms[count - 1], one, zero}, 3, 0xd8);
}

static graph_id rebuild_phi(struct rebuild *r, graph_id id)
{
    struct graph *g = r->g;
    const struct graph_node n = *graph_at(g, id);
    graph_id next = GRAPH_NIL;
    if (r->thread)
        return graph_block_uniform(g, id) ? id : GRAPH_NIL;
    if (!graph_in_loop(g, n.block, r->loop))
        return id;
    const struct graph_block *b = &g->blocks.p[n.block];
    if (g->loops.p[r->loop - 1].header != n.block || n.phi_count != b->pred_count)
        return GRAPH_NIL;
    for (uint32_t k = 0; k < n.phi_count; k++) {
        if (graph_in_loop(g, b->preds[k], r->loop) == r->first)
            continue;
        if (next != GRAPH_NIL && next != n.phi_args[k])
            return GRAPH_NIL;
        next = n.phi_args[k];
    }
    return next;
}

static graph_id rebuild_new(struct rebuild *r, graph_id id, unsigned depth)
{
    struct graph *g = r->g;
    const struct graph_node n = *graph_at(g, id);
    graph_id args[6];
    if (n.kind == UOP_SREG && r->thread) {
        if (n.imm <= UOP_SR_TID_Z)
            return r->thread[n.imm] == GRAPH_NIL ? id : r->thread[n.imm];
        if (n.imm != UOP_SR_LANEID || graph_facts_of(g)->two_dimensional)
            return GRAPH_NIL;
        graph_id x = r->thread[0] == GRAPH_NIL ? graph_sreg(g, UOP_SR_TID_X) : r->thread[0];
        return graph_op2(g, UOP_AND, UOP_B32, x, graph_const(g, UOP_B32, 31));
    }
    if (n.kind == GRAPH_PHI)
        return rebuild_phi(r, id);
    if (!n.arg_count || (n.kind != GRAPH_BOOL && !uop_is_pure((enum uop_kind)n.kind)) || n.insn != UINT32_MAX ||
        (n.kind >= UOP_FLT && n.kind <= UOP_FNUM))
        return GRAPH_NIL;
    for (unsigned i = 0; i < n.arg_count; i++)
        if ((args[i] = rebuild(r, n.arg[i], depth + 1)) == GRAPH_NIL)
            return GRAPH_NIL;
    if (n.kind == GRAPH_BOOL)
        return rebuild_table(g, args, n.arg_count, n.imm);
    struct uop like = graph_operation(&n);
    return n.arg_count > UOP_MAX_ARGS ? GRAPH_NIL : graph_pure(g, &like, args, n.arg_count);
}

static graph_id rebuild(struct rebuild *r, graph_id id, unsigned depth)
{
    if (r->thread ? graph_block_uniform(r->g, id) : !graph_turns_with(r->g, id, r->loop))
        return id;
    for (unsigned i = 0; i < r->n; i++)
        if (r->from[i] == id)
            return r->to[i];
    if (depth > 32 || r->n == REBUILD_MAX)
        return GRAPH_NIL;
    graph_id made = rebuild_new(r, id, depth);
    if (r->n < REBUILD_MAX) {
        r->from[r->n] = id;
        r->to[r->n++] = made;
    }
    return made;
}

graph_id graph_substitute_thread(struct graph *g, graph_id id, const graph_id thread[3])
{
    struct rebuild r = {.g = g, .thread = thread};
    return id == GRAPH_NIL || !graph_facts_of(g) ? GRAPH_NIL : rebuild(&r, id, 0);
}

graph_id graph_next_turn(struct graph *g, graph_id id, uint32_t loop)
{
    struct rebuild r = {.g = g, .loop = loop};
    return id == GRAPH_NIL || !graph_facts_of(g) ? GRAPH_NIL : rebuild(&r, id, 0);
}

graph_id graph_first_turn(struct graph *g, graph_id id, uint32_t loop)
{
    struct rebuild r = {.g = g, .loop = loop, .first = true};
    return id == GRAPH_NIL || !graph_facts_of(g) ? GRAPH_NIL : rebuild(&r, id, 0);
}
