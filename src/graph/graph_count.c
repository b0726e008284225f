/* The count of a loop that compilers left in several pieces: n - n % 16 steps here, 8 there, then what is left. The
 * flow graph between the pieces is walked for concrete values of the one number that the tests look at: each turn and
 * each straight piece adds its steps. Counters move by constants and are compared with constants and that number, so
 * that what the walk gives is linear but for a period that divides the largest unroll: when it is n (plus a constant)
 * over two such periods and at some larger values, it is so for all.
 *
 * Where steps are wider than one (tiles of 16, elements 256 apart) it is no such sum, but a law: the steps that it
 * takes to come from where the counter starts to a number, by strides. The number is the one that the way to the loop
 * compares the start with; the walk shows the law as it shows the count, for every number in two periods.
 *
 * requires: cycles with pieces · gives: count or law, and the counter's start and end over all pieces */
#include "graph/graph_cycle_internal.h"

enum { VISITS = 6000, ALL_VISITS = 1500000, DEPTH = 60, SMALL = 48, LEAVES = 6, WALKS = 1200, LOOKS = 2000 };

struct walker {
    struct cycle_work *w;
    const struct graph_cycle *c;
    graph_id leaf[LEAVES];  /* what all is made of: words of the constant bank; for a law, special registers too */
    uint64_t value[LEAVES]; /* of each, this time */
    unsigned leaf_count, leaf_max, looks;
    bool steps_guard;    /* each step asks something for itself, in loops too: its guard does not say that it runs */
    graph_id path;       /* condition of the block where walks begin */
    uint64_t *result;    /* of nodes */
    uint32_t *stamp;     /* of nodes: `now` when result is known, now + 1 when it is known to be unknown */
    uint32_t now;        /* even */
    uint64_t *phi;       /* of phis: what the turn at work has */
    uint32_t *phi_known; /* of phis: walk + 1 */
    uint32_t walk;
};

static bool value_of(struct walker *x, graph_id id, uint64_t *out, unsigned depth);

static bool compute(struct walker *x, graph_id id, uint64_t *out, unsigned depth)
{
    const struct graph *g = x->w->g;
    const struct graph_node n = *graph_at(g, id);
    uint64_t args[6];
    if (n.kind == UOP_CONST) {
        *out = n.imm;
        return true;
    }
    for (unsigned k = 0; k < x->leaf_count; k++)
        if (x->leaf[k] == id) {
            *out = n.type == UOP_B32 ? x->value[k] & UINT32_MAX : x->value[k];
            return true;
        }
    for (unsigned k = 0; k < x->leaf_count && n.kind == UOP_CBANK; k++) { /* half of one */
        const struct graph_node *number = graph_at(g, x->leaf[k]);
        if (number->kind != UOP_CBANK || n.arg_count || n.type != UOP_B32 || n.space != number->space ||
            n.imm < number->imm || n.imm >= number->imm + uop_type_bits((enum uop_type)number->type) / 8)
            continue;
        *out = x->value[k] >> (8 * (n.imm - number->imm)) & UINT32_MAX;
        return true;
    }
    if (n.kind == UOP_CBANK)
        return false;
    if (n.kind == GRAPH_PHI) {
        *out = x->phi[id];
        return x->phi_known[id] == x->walk + 1;
    }
    if (n.kind == UOP_UNIFORM)
        return value_of(x, n.arg[0], out, depth + 1);
    if (n.kind == UOP_SELECT) {
        if (!value_of(x, n.arg[0], &args[0], depth + 1))
            return false;
        return value_of(x, n.arg[args[0] ? 1 : 2], out, depth + 1);
    }
    if (n.arg_count == 0 || n.insn != UINT32_MAX || (n.kind != GRAPH_BOOL && !uop_is_pure((enum uop_kind)n.kind)))
        return false;
    for (unsigned k = 0; k < n.arg_count; k++)
        if (!value_of(x, n.arg[k], &args[k], depth + 1))
            return false;
    if (n.kind == GRAPH_BOOL) {
        unsigned row = 0;
        for (unsigned k = 0; k < n.arg_count; k++)
            row |= (unsigned)(args[k] & 1) << k;
        *out = n.imm >> row & 1;
        return true;
    }
    struct uop u = graph_operation(&n);
    return uop_eval(&u, args, out);
}

static bool value_of(struct walker *x, graph_id id, uint64_t *out, unsigned depth)
{
    if (id == GRAPH_NIL || id >= x->w->nodes || depth > DEPTH)
        return false;
    if (x->stamp[id] != x->now && x->stamp[id] != x->now + 1) {
        *out = 0;
        bool known = compute(x, id, out, depth);
        const struct graph_node *n = graph_at(x->w->g, id);
        if (!known && n->type == UOP_B1 && n->kind != GRAPH_BOOL && x->path != GRAPH_NIL) {
            bool holds = graph_implies(x->w->g, x->path, id); /* what the way here has decided */
            known = holds || graph_implies(x->w->g, x->path, graph_not(x->w->g, id));
            *out = holds;
        }
        x->stamp[id] = x->now + !known;
        x->result[id] = *out;
    }
    *out = x->result[id];
    return x->stamp[id] == x->now;
}

/* Enters a block from another: its phis take what comes with the edge. Where several ways into a loop meet, a phi of
 * its own comes before the loop's. */
static void enter(struct walker *x, uint32_t from, uint32_t to)
{
    enum { PHIS = 64 };
    const struct graph *g = x->w->g;
    const struct graph_block *b = &g->blocks.p[to];
    uint32_t edge = 0;
    while (edge < b->pred_count && b->preds[edge] != from)
        edge++;
    for (int loops = 0; loops < 2; loops++) {
        graph_id phi[PHIS];
        uint64_t value[PHIS] = {0};
        bool known[PHIS] = {0};
        unsigned count = 0;
        for (graph_id id = x->w->first_phi[to]; id && count < PHIS; id = x->w->next_phi[id]) {
            const struct graph_node *n = graph_at(g, id);
            if (graph_is_loop_phi(g, id) != loops || edge >= n->phi_count || n->phi_args[edge] == id)
                continue;
            phi[count] = id;
            known[count] = n->phi_count == b->pred_count && value_of(x, n->phi_args[edge], &value[count], 0);
            count++;
        }
        for (unsigned k = 0; k < count; k++) {
            x->phi_known[phi[k]] = known[k] ? x->walk + 1 : 0;
            x->phi[phi[k]] = value[k];
        }
        if (count)
            x->now += 2;
    }
}

/* The guard of the loads and stores of a piece that shares its block with others. */
static graph_id guard_of(const struct graph *g, const struct graph_piece *p)
{
    for (uint32_t i = p->first; i <= p->last; i++)
        if (g->insns.p[i].access_count > 0 && g->accesses.p[g->insns.p[i].first_access].space != UOP_LOCAL)
            return g->insns.p[i].guard;
    return GRAPH_NIL;
}

/* Every load and store of the loops has a guard. */
static bool steps_ask(const struct cycle_work *w, const struct graph_cycle *c)
{
    const struct graph *g = w->g;
    uint32_t guarded = 0, bare = 0;
    for (size_t i = 0; i < c->pieces.n; i++)
        for (uint32_t b = 0; b < c->pieces.p[i].block_count && !c->pieces.p[i].straight; b++) {
            const struct graph_block *block = &g->blocks.p[c->pieces.p[i].blocks[b]];
            for (uint32_t k = block->first; k <= block->last && block->reachable; k++) {
                bool asks = g->insns.p[k].guard != GRAPH_NIL;
                guarded += g->insns.p[k].access_count > 0 && asks;
                bare += g->insns.p[k].access_count > 0 && !asks;
            }
        }
    return guarded > 0 && bare == 0;
}

/* Both ways out of a block stay in the piece that it is part of. */
static bool stays_within(const struct walker *x, uint32_t at)
{
    const struct graph_block *b = &x->w->g->blocks.p[at];
    for (size_t i = 0; i < x->c->pieces.n; i++) {
        const struct graph_piece *p = &x->c->pieces.p[i];
        if (!p->straight && cycle_in_loop(x->w, at, p->loop))
            return cycle_in_loop(x->w, b->succs[0], p->loop) && cycle_in_loop(x->w, b->succs[1], p->loop);
        if (p->straight && p->block_count > 1 && at >= p->blocks[0] && at < p->blocks[p->block_count - 1])
            return true;
    }
    return false;
}

/* Steps that the walk goes through from block `start` on; false when a branch is not decided. */
static bool walk_from(struct walker *x, uint32_t start, uint32_t last, uint64_t *steps)
{
    const struct graph *g = x->w->g;
    uint32_t at = start, visits = 0;
    uint32_t parent = g->blocks.p[start].loop;
    *steps = 0;
    x->walk++;
    x->now += 2;
    for (;;) {
        const struct graph_block *b = &g->blocks.p[at];
        for (size_t i = 0; i < x->c->pieces.n; i++) {
            const struct graph_piece *p = &x->c->pieces.p[i];
            for (uint32_t k = 1; k < p->block_count && p->straight; k++)
                if (g->blocks.p[p->blocks[k]].path != g->blocks.p[p->blocks[0]].path)
                    return false; /* conditional steps: not counted here */
            if (p->straight ? p->blocks[0] != at : g->loops.p[p->loop].header != at)
                continue;
            uint64_t runs = 1;
            graph_id guard = p->straight && !x->steps_guard ? guard_of(g, p) : GRAPH_NIL;
            if (guard != GRAPH_NIL && !value_of(x, guard, &runs, 0))
                return false;
            *steps += runs ? p->unroll : 0;
        }
        uint32_t next;
        uint64_t taken;
        if (++x->w->visits > ALL_VISITS)
            return false;
        if (++visits > VISITS || b->succ_count == 0)
            return b->succ_count == 0;
        if (b->succ_count == 1) {
            graph_id ends = cycle_branch(g, at); /* the thread is done when this holds */
            if (ends != GRAPH_NIL && !value_of(x, ends, &taken, 0))
                return false;
            if (ends != GRAPH_NIL && taken)
                return true;
            next = b->succs[0];
        } else {
            if (b->succ_count != 2)
                return false;
            if (!value_of(x, b->branch, &taken, 0)) {
                if (!stays_within(x, at))
                    return false;
                taken = 0; /* a branch within a step: both ways go on with it */
            }
            next = b->succs[taken ? 0 : 1];
        }
        bool leaves = next > last || (parent && g->loops.p[parent - 1].header == next);
        if (leaves)
            return true;
        enter(x, at, next);
        at = next;
    }
}

/* The block that all pieces are behind. */
static uint32_t common_block(const struct graph *g, const struct graph_cycle *c, uint32_t *last)
{
    uint32_t found = UINT32_MAX;
    *last = 0;
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        uint32_t block = p->straight ? p->blocks[0] : g->loops.p[p->loop].header;
        for (uint32_t k = 0; k < p->block_count; k++)
            *last = p->blocks[k] > *last ? p->blocks[k] : *last;
        if (found == UINT32_MAX) {
            found = g->blocks.p[block].idom;
            continue;
        }
        for (unsigned steps = 0; steps < 4096 && found != UINT32_MAX; steps++) { /* up both, by the order of the code */
            uint32_t a = found, b = block;
            while (b != UINT32_MAX && b != a && b > a)
                b = g->blocks.p[b].idom;
            if (b == a)
                break;
            found = g->blocks.p[a].idom;
        }
    }
    return found;
}

/* Known before the first piece, and not looked into: a word of the constant bank, what was loaded, for a law a special
 * register or the counter of a loop around as well. */
static bool is_leaf(const struct walker *x, graph_id id)
{
    const struct graph *g = x->w->g;
    const struct graph_node *n = graph_at(g, id);
    if (n->type != UOP_B32 && n->type != UOP_B64)
        return false;
    if (n->kind == UOP_CBANK)
        return n->arg_count == 0;
    if (n->kind == UOP_SREG)
        return x->leaf_max > 1;
    if (n->kind == GRAPH_PHI && (x->leaf_max == 1 || !graph_is_loop_phi(g, id)))
        return false;
    if (n->kind != GRAPH_PHI && n->kind != UOP_LOAD)
        return false;
    for (size_t i = 0; i < x->c->pieces.n; i++) {
        uint32_t loop = x->c->pieces.p[i].loop;
        if (x->c->pieces.p[i].straight)
            continue;
        if (cycle_varies(x->w, loop, id))
            return false;
        uint32_t up = g->loops.p[loop].parent; /* of a loop around the pieces, or loaded there and before */
        while (n->kind == GRAPH_PHI && up && up != n->imm)
            up = g->loops.p[up - 1].parent;
        if (n->kind == GRAPH_PHI && !up)
            return false;
    }
    return true;
}

/* What the tests of the pieces look at: few words. */
static bool find_leaves(struct walker *x, graph_id id, unsigned depth)
{
    const struct graph *g = x->w->g;
    const struct graph_node *n = graph_at(g, id);
    if (id == GRAPH_NIL || depth > DEPTH / 2 || ++x->looks > LOOKS)
        return id == GRAPH_NIL;
    if (is_leaf(x, id)) {
        for (unsigned k = 0; k < x->leaf_count; k++)
            if (x->leaf[k] == id)
                return true;
        if (x->leaf_count >= x->leaf_max)
            return false;
        x->leaf[x->leaf_count++] = id;
        return true;
    }
    if (n->kind == UOP_CONST || n->kind == GRAPH_PHI)
        return true;
    if (n->insn != UINT32_MAX || n->arg_count == 0)
        return false;
    for (unsigned k = n->kind == UOP_SELECT; k < n->arg_count; k++)
        if (!find_leaves(x, n->arg[k], depth + 1))
            return false;
    return true;
}

/* Where to begin, and what each piece is decided by; false when more than `leaves` words are. */
static bool begin_walks(struct walker *x, unsigned leaves, uint32_t *start, uint32_t *last)
{
    struct cycle_work *w = x->w;
    const struct graph_cycle *c = x->c;
    bool one = true;
    *start = common_block(w->g, c, last);
    if (*start == UINT32_MAX || c->unroll > SMALL / 2)
        return false;
    x->leaf_count = 0;
    x->leaf_max = leaves;
    x->looks = 0;
    for (size_t i = 0; i < c->pieces.n && one; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        const struct cycle_region *r = p->straight ? NULL : &w->regions[p->loop];
        if (r)
            one = r->tested >= 0 && r->exits.n == 1 && find_leaves(x, r->phis[r->tested].start, 0);
        for (size_t e = 0; r && e < r->exits.n && one; e++)
            one = find_leaves(x, r->exits.p[e].leaves, 0);
    }
    if (!one || x->leaf_count == 0)
        return false;
    x->path = w->g->blocks.p[*start].path;
    x->steps_guard = steps_ask(w, c);
    if (!w->walk_result) {
        w->walk_result = ARENA_ARRAY(w->a, uint64_t, w->nodes);
        w->walk_phi = ARENA_ARRAY(w->a, uint64_t, w->nodes);
    }
    x->result = w->walk_result;
    x->phi = w->walk_phi;
    if (!x->stamp) {
        x->stamp = ARENA_ARRAY(w->a, uint32_t, w->nodes);
        x->phi_known = ARENA_ARRAY(w->a, uint32_t, w->nodes);
    }
    return !arena_failed(w->a);
}

/* Steps over all pieces as the number plus a constant; NIL where that is not shown. */
static graph_id prove_count(struct walker *x)
{
    static const uint16_t large[] = {63, 64, 65, 100, 255, 300};
    struct graph *g = x->w->g;
    uint32_t last, start;
    if (!begin_walks(x, 1, &start, &last))
        return GRAPH_NIL;
    int64_t extra = 0;
    uint32_t samples = sizeof large / sizeof large[0];
    for (uint32_t i = 0; i < samples + SMALL; i++) {
        uint64_t steps, open;
        uint64_t number = x->value[0] = i < samples ? large[i] : i - samples + 1;
        if (i >= samples && (int64_t)number + extra < 1)
            continue; /* no step at all: the guard's case */
        x->now += 2;
        if (x->path != GRAPH_NIL && value_of(x, x->path, &open, 0) && !open)
            continue; /* no way here with it */
        if (!walk_from(x, start, last, &steps))
            return GRAPH_NIL;
        int64_t more = (int64_t)(steps - number);
        if (i == 0)
            extra = more;
        if (more != extra)
            return GRAPH_NIL;
    }
    if (extra > 4 || extra < -4)
        return GRAPH_NIL;
    enum uop_type type = (enum uop_type)graph_at(g, x->leaf[0])->type;
    return graph_op2(g, UOP_ADD, type, x->leaf[0], graph_const(g, type, (uint64_t)extra));
}

/* Puts the word `moving` where the loop has `way` to go: the counter must come so far from where it begins. */
static bool set_way(struct walker *x, const struct graph_law *law, unsigned moving, uint64_t way)
{
    uint64_t mask = graph_at(x->w->g, law->first)->type == UOP_B32 ? UINT32_MAX : UINT64_MAX;
    uint64_t first;
    if (law->stride > 0) { /* to the bound, or one beyond it */
        x->now += 2;
        if (!value_of(x, law->first, &first, 0))
            return false;
        x->value[moving] = (first + way - law->inclusive) & mask;
    } else { /* from the first value down to the bound, that one included */
        uint64_t bound = graph_at(x->w->g, law->bound)->imm;
        x->value[moving] = bound + way;
        x->now += 2;
        if (!value_of(x, law->first, &first, 0))
            return false;
        x->value[moving] = (bound + way + (bound + way - 1 - first)) & mask;
        x->now += 2;
        if (!value_of(x, law->first, &first, 0) || ((bound + way - 1 - first) & mask))
            return false;
    }
    x->now += 2;
    return true;
}

/* The law at one place. */
static bool law_holds(struct walker *x, const struct graph_law *law, unsigned moving, uint64_t way, uint32_t start,
                      uint32_t last, uint32_t *seen)
{
    uint64_t open, steps, stride = (uint64_t)(law->stride < 0 ? -law->stride : law->stride);
    if (!set_way(x, law, moving, way))
        return false;
    if (x->path != GRAPH_NIL && value_of(x, x->path, &open, 0) && !open)
        return true; /* no way here with it */
    ++*seen;
    return walk_from(x, start, last, &steps) && steps == (way + stride - 1) / stride;
}

/* Every way in two periods; of wide strides every one in the first two, then those beside their edges and within. */
static bool prove_law(struct walker *x, const struct graph_law *law, unsigned moving, uint32_t start, uint32_t last)
{
    static const uint8_t others[][LEAVES] = {{5, 3, 2, 7, 4, 6}, {0, 0, 0, 0, 0, 0}, {31, 64, 9, 33, 128, 96}};
    uint64_t stride = (uint64_t)(law->stride < 0 ? -law->stride : law->stride), period = stride * x->c->unroll;
    uint64_t narrow = 2 * period + SMALL <= WALKS ? 2 * period + SMALL : 2 * stride <= WALKS ? 2 * stride : 0;
    uint32_t seen = 0, rounds = 0;
    unsigned wanted = x->leaf_count > 1 ? 2 : 1; /* rounds with other values of the other words */
    for (unsigned round = 0; round < sizeof others / sizeof others[0] && rounds < wanted + 1; round++) {
        for (unsigned k = 0; k < x->leaf_count; k++)
            x->value[k] = others[round][k];
        uint32_t before = seen;
        for (uint64_t way = 1; way <= 2 * period + SMALL; way++) {
            uint64_t at = way % stride;
            bool edge = at <= 2 || at + 2 >= stride || (at & (at - 1)) == 0 || at == stride / 3;
            if ((edge || (rounds == 0 && way <= narrow)) && !law_holds(x, law, moving, way, start, last, &seen))
                return false;
        }
        for (uint64_t way = 5 * period + 3; way <= 9 * period; way += period + 1)
            if (!law_holds(x, law, moving, way, start, last, &seen))
                return false;
        rounds += seen - before >= 4 * x->c->unroll;
    }
    return rounds >= wanted;
}

/* Whoever comes here has low < high, which may be written !(high < low + 1). */
static bool comes_below(struct graph *g, graph_id path, enum uop_kind less, graph_id low, graph_id high)
{
    uint64_t k;
    enum uop_type type = (enum uop_type)graph_at(g, low)->type;
    graph_id below = graph_op2(g, less, UOP_B1, low, high);
    if (!graph_is_const(g, below, NULL) && graph_implies(g, path, below))
        return true;
    if (!graph_is_const(g, low, &k) || k > INT32_MAX - 1)
        return false;
    graph_id above = graph_op2(g, less, UOP_B1, high, graph_const(g, type, k + 1));
    return !graph_is_const(g, above, NULL) && graph_implies(g, path, graph_not(g, above));
}

/* The number that the way here compares the counter's first value with, and how; false: it does not. */
static bool find_bound(struct walker *x, graph_id first, graph_id number, struct graph_law *law)
{
    struct graph *g = x->w->g;
    enum uop_type type = (enum uop_type)graph_at(g, number)->type;
    if (type != graph_at(g, first)->type)
        return false;
    law->first = first;
    law->bound = number;
    if (law->stride < 0) { /* signed, down to nothing or one */
        graph_id zero = graph_const(g, type, 0);
        law->bound = zero;
        law->is_signed = true;
        return comes_below(g, x->path, UOP_ILT_S, zero, number);
    }
    for (unsigned way = 0; way < 4; way++) {
        enum uop_kind less = way & 1 ? UOP_ILT_U : UOP_ILT_S;
        law->is_signed = !(way & 1);
        law->inclusive = way >= 2;
        graph_id beyond = graph_op2(g, less, UOP_B1, number, first);
        if (way < 2 ? comes_below(g, x->path, less, first, number)
                    : !graph_is_const(g, beyond, NULL) && graph_implies(g, x->path, graph_not(g, beyond)))
            return true;
    }
    return false;
}

/* What the way here says a number is above, where the machine's counters begin further on; NIL: nothing. */
static graph_id below_number(struct walker *x, graph_id number)
{
    struct graph *g = x->w->g;
    graph_id atoms[6];
    unsigned count;
    uint64_t table, k;
    if (!graph_table(g, x->path, atoms, &count, &table))
        return GRAPH_NIL;
    for (unsigned i = 0; i < count; i++) {
        const struct graph_node n = *graph_at(g, atoms[i]);
        if (n.kind != UOP_ILT_S && n.kind != UOP_ILT_U)
            continue;
        if (n.arg[1] == number && graph_implies(g, x->path, atoms[i]))
            return n.arg[0];
        if (n.arg[0] == number && graph_is_const(g, n.arg[1], &k) && k > 0 && k <= INT32_MAX &&
            graph_implies(g, x->path, graph_not(g, atoms[i])))
            return graph_const(g, (enum uop_type)graph_at(g, number)->type, k - 1);
    }
    return GRAPH_NIL;
}

static bool try_law(struct walker *x, graph_id first, unsigned number, int64_t stride, uint32_t start, uint32_t last,
                    struct graph_law *out)
{
    struct graph *g = x->w->g;
    struct graph_law law = {.stride = stride};
    unsigned leaves = x->leaf_count;
    if (first == GRAPH_NIL)
        return false;
    if (!find_leaves(x, first, 0))
        x->leaf_count = leaves;
    if (!find_bound(x, first, x->leaf[number], &law))
        return false;
    for (unsigned down = 0; down < (stride < 0 ? 2 : 1); down++) {
        if (down)
            law.bound = graph_const(g, (enum uop_type)graph_at(g, law.first)->type, 1);
        if (!prove_law(x, &law, number, start, last))
            continue;
        *out = law;
        return true;
    }
    return false;
}

/* By the counters of one piece. */
static bool find_law_in(struct walker *x, const struct cycle_region *r, bool first, uint32_t start, uint32_t last,
                        struct graph_law *out)
{
    enum { TRIES = 8, WIDEST = 65536 };
    struct graph *g = x->w->g;
    unsigned tried = 0;
    for (uint32_t i = 0; i < r->phi_count; i++) {
        const struct cycle_phi *p = &r->phis[i];
        int64_t stride = r->unroll ? p->amount / (int64_t)r->unroll : 0;
        if (p->step_kind != CYCLE_STEP_ADD || !p->constant || !p->live || p->start == GRAPH_NIL || stride == 0 ||
            p->amount % (int64_t)r->unroll != 0 || stride > WIDEST || stride < -WIDEST || p->pointer)
            continue;
        for (unsigned k = 0; k < x->leaf_count && tried < TRIES; k++) {
            graph_id number = x->leaf[k];
            enum uop_type type = (enum uop_type)graph_at(g, number)->type;
            if (graph_at(g, number)->kind == UOP_SREG || graph_at(g, p->phi)->type != type)
                continue;
            tried++;
            if (first && try_law(x, p->start, k, stride, start, last, out))
                return true;
            graph_id other = stride > 0 ? below_number(x, number)
                                        : graph_op2(g, UOP_ADD, type, number, graph_const(g, type, UINT64_MAX));
            if (other != p->start && try_law(x, other, k, stride, start, last, out))
                return true;
        }
    }
    return false;
}

/* Steps as what it takes a counter to come from its first value to a number that the way here compares it with. */
static void find_law(struct walker *x, const struct cycle_region *first, struct graph_law *out)
{
    uint32_t start, last;
    bool found = !begin_walks(x, LEAVES, &start, &last) || x->path == GRAPH_NIL;
    for (size_t i = 0; i < x->c->pieces.n && !found; i++) {
        const struct cycle_region *r = x->c->pieces.p[i].straight ? NULL : &x->w->regions[x->c->pieces.p[i].loop];
        found = r && find_law_in(x, r, r == first, start, last, out);
    }
}

static graph_id resized(struct graph *g, graph_id id, enum uop_type type)
{
    if (id == GRAPH_NIL || graph_at(g, id)->type == type)
        return id;
    return type == UOP_B32 ? graph_op1(g, UOP_LO, UOP_B32, id) : graph_op1(g, UOP_SEXT, UOP_B64, id);
}

void cycle_finish_pieces(struct cycle_work *w, struct cycle_region *first, struct graph_cycle *c)
{
    struct graph *g = w->g;
    const struct graph_piece *best = &c->pieces.p[c->best];
    if (c->pieces.n < 2)
        return;
    struct walker x = {.w = w, .c = c};
    c->count = prove_count(&x);
    if (c->count == GRAPH_NIL && w->budget > 0)
        find_law(&x, first, &c->law);
    const struct cycle_region *r = best->straight ? first : &w->regions[best->loop];
    const struct cycle_phi *p = r->counter >= 0 ? &r->phis[r->counter] : NULL;
    graph_id count = c->count, start = GRAPH_NIL, until = GRAPH_NIL;
    if (p && p->step_kind == CYCLE_STEP_ADD && p->constant && c->counter == p->phi && count != GRAPH_NIL) {
        enum uop_type type = (enum uop_type)graph_at(g, p->phi)->type;
        int64_t step = p->amount / (int64_t)r->unroll;
        const struct graph_node *u = graph_at(g, c->until);
        bool to_zero = c->until != GRAPH_NIL && u->kind == UOP_IEQ && u->arg[0] == p->phi &&
                       graph_is_const(g, u->arg[1], NULL) && graph_at(g, u->arg[1])->imm == 0;
        const struct cycle_phi *f = first->counter >= 0 ? &first->phis[first->counter] : NULL;
        if (to_zero && step == -1 && c->best + 1 == c->pieces.n) {
            start = resized(g, count, type); /* what is left to do */
            until = c->until;
        } else if (f && f->step_kind == CYCLE_STEP_ADD && f->constant && f->address && p->address &&
                   f->amount % (int64_t)first->unroll == 0 && f->amount / (int64_t)first->unroll == step &&
                   graph_at(g, f->phi)->type == type) {
            start = f->start;
            graph_id way = graph_op2(g, UOP_MUL, type, resized(g, count, type), graph_const(g, type, (uint64_t)step));
            until = graph_op2(g, UOP_IEQ, UOP_B1, p->phi, graph_op2(g, UOP_ADD, type, start, way));
        }
    }
    c->start = start;
    c->until = until;
}
