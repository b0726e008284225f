/* The count of a loop that compilers left in several pieces: n - n % 16 steps here, 8 there, then what is left. The
 * flow graph between the pieces is walked for concrete values of the one number that the tests look at: each turn and
 * each straight piece adds its steps. When the walk gives n (plus a constant) over two periods of the largest unroll,
 * and all that it asked for goes on as it began (straight in n, residue by residue), it is so for all n.
 *
 * requires: cycles with pieces · gives: count, and the counter's start and end over all pieces */
#include "graph/graph_walk.h"

enum { VISITS = 6000, ALL_VISITS = 1500000, DEPTH = 60, LOOKS = 2000 };

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
        return walk_value(x, n.arg[0], out, depth + 1);
    if (n.kind == UOP_SELECT) {
        if (!walk_value(x, n.arg[0], &args[0], depth + 1))
            return false;
        return walk_value(x, n.arg[args[0] ? 1 : 2], out, depth + 1);
    }
    if (n.arg_count == 0 || n.insn != UINT32_MAX || (n.kind != GRAPH_BOOL && !uop_is_pure((enum uop_kind)n.kind)))
        return false;
    for (unsigned k = 0; k < n.arg_count; k++)
        if (!walk_value(x, n.arg[k], &args[k], depth + 1))
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

bool walk_value(struct walker *x, graph_id id, uint64_t *out, unsigned depth)
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
        if (known && !x->seen[id] && (n->type == UOP_B1 || n->type == UOP_B32 || n->type == UOP_B64)) {
            x->seen[id] = true;
            VEC_PUSH(x->w->a, x->asked, id);
        }
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
            known[count] = n->phi_count == b->pred_count && walk_value(x, n->phi_args[edge], &value[count], 0);
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
bool walk_from(struct walker *x, uint32_t start, uint32_t last, uint64_t *steps)
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
            if (guard != GRAPH_NIL && !walk_value(x, guard, &runs, 0))
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
            if (ends != GRAPH_NIL && !walk_value(x, ends, &taken, 0))
                return false;
            if (ends != GRAPH_NIL && taken)
                return true;
            next = b->succs[0];
        } else {
            if (b->succ_count != 2)
                return false;
            if (!walk_value(x, b->branch, &taken, 0)) {
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
bool walk_leaves(struct walker *x, graph_id id, unsigned depth)
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
        if (!walk_leaves(x, n->arg[k], depth + 1))
            return false;
    return true;
}

/* Where to begin, and what each piece is decided by; false when more than `leaves` words are. */
bool walk_begin(struct walker *x, unsigned leaves, uint32_t *start, uint32_t *last)
{
    struct cycle_work *w = x->w;
    const struct graph_cycle *c = x->c;
    bool one = true;
    *start = common_block(w->g, c, last);
    if (*start == UINT32_MAX || c->unroll > WALK_SMALL / 2)
        return false;
    x->leaf_count = 0;
    x->leaf_max = leaves;
    x->looks = 0;
    for (size_t i = 0; i < c->pieces.n && one; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        const struct cycle_region *r = p->straight ? NULL : &w->regions[p->loop];
        if (r)
            one = r->tested >= 0 && r->exits.n == 1 && walk_leaves(x, r->phis[r->tested].start, 0);
        for (size_t e = 0; r && e < r->exits.n && one; e++)
            one = walk_leaves(x, r->exits.p[e].leaves, 0);
    }
    if (!one || x->leaf_count == 0)
        return false;
    x->path = w->g->blocks.p[*start].path;
    x->steps_guard = steps_ask(w, c);
    if (!w->walk_result) {
        w->walk_result = ARENA_ARRAY(w->a, uint64_t, w->nodes);
        w->walk_phi = ARENA_ARRAY(w->a, uint64_t, w->nodes);
        w->walk_stamp = ARENA_ARRAY(w->a, uint32_t, w->nodes);
        w->walk_phi_known = ARENA_ARRAY(w->a, uint32_t, w->nodes);
        w->walk_seen = ARENA_ARRAY(w->a, bool, w->nodes);
    }
    if (!x->stamp) { /* one set for all loops of a kernel: numbers of walks go on from loop to loop */
        x->now = w->walk_now;
        x->walk = w->walk_number;
    }
    x->result = w->walk_result;
    x->phi = w->walk_phi;
    x->stamp = w->walk_stamp;
    x->phi_known = w->walk_phi_known;
    x->seen = w->walk_seen;
    return !arena_failed(w->a);
}

/* Leaves what is kept for all loops as the next one needs it. */
static void walk_end(struct walker *x)
{
    for (size_t i = 0; i < x->asked.n; i++)
        x->seen[x->asked.p[i]] = false;
    if (!x->stamp)
        return;
    x->w->walk_now = x->now + 2;
    x->w->walk_number = x->walk + 1;
}

/* Values of all that was asked for at one number; nodes that phis decide have none. */
static void look_at(struct walker *x, unsigned moving, uint64_t number, size_t count, uint64_t *value, bool *known)
{
    x->value[moving] = number;
    x->now += 2;
    x->walk++;
    for (size_t i = 0; i < count; i++)
        known[i] = walk_value(x, x->asked.p[i], &value[i], 0);
}

bool walk_goes_on(struct walker *x, unsigned moving, uint64_t base, uint64_t period)
{
    enum { MOST = 256 };
    const uint64_t end = UINT64_C(1) << 30, residues[] = {0, 1, period / 2, period - 1, period / 3};
    uint64_t first[MOST], second[MOST], third[MOST];
    bool known[3][MOST];
    size_t count = x->asked.n;
    if (count > MOST || period == 0)
        return false;
    base = (base / period + 1) * period;
    for (unsigned r = 0; r < sizeof residues / sizeof residues[0]; r++) {
        look_at(x, moving, base + residues[r], count, first, known[0]);
        look_at(x, moving, base + residues[r] + period, count, second, known[1]);
        for (uint64_t far = 2; base + residues[r] + far * period < end; far = far + far / 2 + 1) {
            look_at(x, moving, base + residues[r] + far * period, count, third, known[2]);
            for (size_t i = 0; i < count; i++) {
                uint64_t straight = first[i] + far * (second[i] - first[i]);
                if (!known[0][i] && !known[2][i])
                    continue;
                if (!known[0][i] || !known[1][i] || !known[2][i] ||
                    (graph_at(x->w->g, x->asked.p[i])->type == UOP_B64 ? straight != third[i]
                                                                       : (uint32_t)straight != (uint32_t)third[i]))
                    return false;
            }
        }
    }
    return true;
}

/* Steps over all pieces as the number plus a constant; NIL where that is not shown. */
static graph_id prove_count(struct walker *x)
{
    static const uint16_t large[] = {63, 64, 65, 100, 255, 300};
    struct graph *g = x->w->g;
    uint32_t last, start;
    if (!walk_begin(x, 1, &start, &last))
        return GRAPH_NIL;
    int64_t extra = 0;
    uint32_t samples = sizeof large / sizeof large[0];
    for (uint32_t i = 0; i < samples + WALK_SMALL; i++) {
        uint64_t steps, open, number = i < samples ? large[i] : i - samples + 1;
        x->value[0] = number;
        if (i >= samples && (int64_t)number + extra < 1)
            continue; /* no step at all: the guard's case */
        x->now += 2;
        if (x->path != GRAPH_NIL && walk_value(x, x->path, &open, 0) && !open)
            continue; /* no way here with it */
        if (!walk_from(x, start, last, &steps))
            return GRAPH_NIL;
        int64_t more = (int64_t)(steps - number);
        if (i == 0)
            extra = more;
        if (more != extra)
            return GRAPH_NIL;
    }
    if (extra > 4 || extra < -4 || !walk_goes_on(x, 0, WALK_SMALL, x->c->unroll))
        return GRAPH_NIL;
    enum uop_type type = (enum uop_type)graph_at(g, x->leaf[0])->type;
    return graph_op2(g, UOP_ADD, type, x->leaf[0], graph_const(g, type, (uint64_t)extra));
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
        walk_find_law(&x, first, &c->law);
    walk_end(&x);
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
