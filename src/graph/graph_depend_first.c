/* Numbers that all threads share, in the number of another thread: 256 * (k % 3) - 256 * ((k + 2) % 3). Their ranges
 * say what each can be, not what they can be together. Numbers that are made of nothing in common may be anything in
 * their ranges; of others it is asked what they are in the first turn of their loops, which is always made: only then
 * it follows that they can be so.
 * And how a loop's counter stands to other numbers, which only its first turn says.
 * requires: linear forms, turns · gives: graph_can_be_first, graph_mixes_turns */
#include "graph/graph_depend_internal.h"

enum { SYMBOLS = 8, LOOPS = 4, CONE = 512, LEAVES = 16 };

/* Made of other numbers, so that another one may hang on the same. */
static bool is_made(struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    uint32_t loop;
    return n->kind != UOP_SREG && n->kind != UOP_LOAD && n->kind != GRAPH_ENTRY && n->kind != UOP_CONST &&
           !(n->kind == UOP_CBANK && !n->arg_count) && !graph_is_turn_symbol(g, id, &loop);
}

/* A loop with a phi that the node is made of; 0: none. */
static uint32_t loop_below(const struct graph *g, graph_id id)
{
    graph_id stack[CONE];
    unsigned depth = 0, left = CONE;
    stack[depth++] = id;
    while (depth && left--) {
        const struct graph_node *n = graph_at(g, stack[--depth]);
        if (n->kind == GRAPH_PHI) {
            uint32_t loop = g->blocks.p[n->block].loop;
            return loop && g->loops.p[loop - 1].header == n->block ? loop : 0;
        }
        for (unsigned i = 0; i < n->arg_count && depth < CONE; i++)
            if (n->arg[i] != GRAPH_NIL)
                stack[depth++] = n->arg[i];
    }
    return 0;
}

/* What the node is made of, as keys: numbers of the run, and loops for what goes round them. False: too much. */
static bool find_leaves(const struct graph *g, graph_id id, uint64_t leaves[LEAVES], unsigned *count)
{
    graph_id stack[CONE];
    unsigned depth = 0, left = CONE;
    stack[depth++] = id;
    while (depth && left--) {
        graph_id at = stack[--depth];
        const struct graph_node *n = graph_at(g, at);
        uint32_t loop = 0;
        uint64_t key = at;
        bool seen = n->kind == UOP_CONST;
        if (n->kind == GRAPH_PHI ? (loop = g->blocks.p[n->block].loop) == 0 : !graph_is_turn_symbol(g, at, &loop))
            loop = 0;
        if (n->kind == GRAPH_PHI || loop)
            key = UINT64_C(1) << 32 | loop; /* all joins outside of loops are one */
        else if (n->arg_count && n->kind != UOP_LOAD) {
            for (unsigned i = 0; i < n->arg_count && depth < CONE; i++)
                if (n->arg[i] != GRAPH_NIL)
                    stack[depth++] = n->arg[i];
            continue;
        }
        for (unsigned i = 0; i < *count && !seen; i++)
            seen = leaves[i] == key;
        if (!seen && *count == LEAVES)
            return false;
        if (!seen)
            leaves[(*count)++] = key;
    }
    return depth == 0;
}

/* No two of the numbers are made of the same. */
static bool are_apart(const struct graph *g, const graph_id *symbols, unsigned count)
{
    uint64_t all[LEAVES];
    unsigned known = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t own[LEAVES];
        unsigned n = 0;
        if (!find_leaves(g, symbols[i], own, &n) || known + n > LEAVES)
            return false;
        for (unsigned k = 0; k < n; k++)
            for (unsigned j = 0; j < known; j++)
                if (own[k] == all[j])
                    return false;
        for (unsigned k = 0; k < n; k++)
            all[known++] = own[k];
    }
    return true;
}

static bool set_equal(struct graph_constraints *s, graph_id symbol, const struct graph_linear *to)
{
    struct graph_linear f = {.t = {{symbol, 1}}, .n = 1}, minus = {0};
    if (!graph_linear_add(&f, to, -1) || !graph_linear_add(&minus, &f, -1))
        return false;
    graph_constrain(s, &f);
    graph_constrain(s, &minus);
    return true;
}

bool graph_can_be_first(struct graph *g, const struct graph_linear *u, const bool *asked, unsigned count,
                        graph_id load_when, graph_id store_when, const struct graph_constraints *base)
{
    graph_id symbols[SYMBOLS];
    unsigned n = 0, made = 0, open = 0;
    struct graph_constraints first = *base;
    for (unsigned d = 0; d < count; d++) {
        for (unsigned i = 0; asked[d] && i < u[d].n; i++) {
            bool seen = !graph_block_uniform(g, u[d].t[i].symbol);
            for (unsigned k = 0; k < n && !seen; k++)
                seen = symbols[k] == u[d].t[i].symbol;
            if (seen)
                continue;
            if (n == SYMBOLS)
                return false;
            symbols[n++] = u[d].t[i].symbol;
            made += is_made(g, u[d].t[i].symbol);
        }
    }
    if (n < 2 || !made || are_apart(g, symbols, n))
        return true;
    for (unsigned i = 0; i < n; i++) {
        struct graph_linear start = {0};
        graph_id at = symbols[i];
        uint32_t loop;
        int64_t k;
        for (unsigned turn = 0; turn < LOOPS && !graph_is_turn_symbol(g, at, &loop) && (loop = loop_below(g, at));
             turn++)
            if ((at = graph_first_turn(g, at, loop)) == GRAPH_NIL)
                return false;
        if (!graph_is_turn_symbol(g, at, &loop) && !graph_linear_of(g, at, &start))
            return false;
        open += !graph_linear_is_const(&start, &k); /* one number of the run may be what it is asked to be */
        for (unsigned t = 0; t < start.n; t++)
            if (is_made(g, start.t[t].symbol))
                return false;
        if (open > 1 || !set_equal(&first, symbols[i], &start))
            return false;
    }
    return !graph_excluded(g, load_when, store_when, &first);
}

/* ---- counters in the first turn --------------------------------------------------------------- */

enum { PHIS_MAX = 4 };

/* Loop phis (and turn numbers) that a term is made of. */
static void find_phis(const struct graph *g, graph_id id, graph_id phis[PHIS_MAX], unsigned *count, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    uint32_t loop;
    if (n->kind == GRAPH_PHI || graph_is_turn_symbol(g, id, &loop)) {
        for (unsigned i = 0; i < *count; i++)
            if (phis[i] == id)
                return;
        if (*count < PHIS_MAX)
            phis[(*count)++] = id;
        return;
    }
    for (unsigned i = 0; i < n->arg_count && depth < 8; i++)
        find_phis(g, n->arg[i], phis, count, depth + 1);
}

static void add_start(struct graph *g, graph_id phi, struct graph_constraints *first)
{
    const struct graph_node n = *graph_at(g, phi);
    struct graph_linear f = {0}, minus = {0}, start = {0};
    uint32_t loop;
    if (!graph_is_turn_symbol(g, phi, &loop)) {
        const struct graph_block *b = &g->blocks.p[n.block];
        graph_id from = GRAPH_NIL;
        if (!b->loop || g->loops.p[b->loop - 1].header != n.block || n.phi_count != b->pred_count)
            return;
        for (uint32_t k = 0; k < n.phi_count; k++)
            if (!graph_in_loop(g, b->preds[k], b->loop)) {
                if (from != GRAPH_NIL && from != n.phi_args[k])
                    return;
                from = n.phi_args[k];
            }
        if (!graph_linear_of(g, from, &start))
            return;
    }
    graph_linear_symbol(&f, phi, 1);
    if (!graph_linear_add(&f, &start, -1) || !graph_linear_add(&minus, &f, -1))
        return;
    graph_constrain(first, &f);
    graph_constrain(first, &minus);
}

void graph_in_first_turn(struct graph *g, const struct graph_linear *f, struct graph_constraints *first)
{
    graph_id phis[PHIS_MAX];
    unsigned found = 0;
    for (unsigned i = 0; i < f->n; i++)
        find_phis(g, f->t[i].symbol, phis, &found, 0);
    for (unsigned i = 0; i < found; i++)
        add_start(g, phis[i], first);
}

bool graph_mixes_turns(struct graph *g, graph_id when, struct graph_constraints *first)
{
    graph_id atoms[6], phis[PHIS_MAX];
    unsigned count, found = 0;
    uint64_t table;
    bool mixes = false;
    if (when == GRAPH_NIL || !graph_table(g, when, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++) {
        const struct graph_node n = *graph_at(g, atoms[k]);
        struct graph_linear f, y;
        unsigned shared = 0, before = found, turning = 0;
        if (n.arg_count != 2 || !graph_linear_of(g, n.arg[0], &f) || !graph_linear_of(g, n.arg[1], &y) ||
            !graph_linear_add(&f, &y, -1))
            continue;
        for (unsigned i = 0; i < f.n; i++) {
            graph_id mine[PHIS_MAX];
            unsigned own = 0;
            shared += graph_block_uniform(g, f.t[i].symbol);
            find_phis(g, f.t[i].symbol, mine, &own, 0);
            turning += own > 0;
            find_phis(g, f.t[i].symbol, phis, &found, 0);
        }
        if (shared > 1 && turning)
            mixes = true;
        else
            found = before;
    }
    for (unsigned i = 0; i < found && mixes; i++)
        add_start(g, phis[i], first);
    return mixes;
}
