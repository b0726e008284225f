/* Walks through the pieces of a loop for concrete values of the few words that its tests look at: each turn and each
 * straight piece adds its steps. What a walk asked for, phis apart, must then go on evenly for larger numbers: what
 * holds where it was walked holds for all.
 *
 * requires: cycles with pieces · gives: steps of a walk, the words it depends on, whether it goes on */
#include "graph/graph_walk.h"

enum { VISITS = 6000, ALL_VISITS = 1500000, DEPTH = 60 };

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
        return walk_near(x, id, out, depth);
    if (n.kind == GRAPH_PHI && walk_near(x, id, out, depth))
        return true;
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
    if (walk_near(x, id, out, depth))
        return true;
    uint64_t mask;
    bool bits = n.kind == UOP_AND && graph_is_const(g, n.arg[1], &mask) && mask <= INT32_MAX;
    x->quiet += bits; /* the low bits alone are asked for */
    for (unsigned k = 0; k < n.arg_count; k++)
        if (!walk_value(x, n.arg[k], &args[k], depth + 1)) {
            x->quiet -= bits;
            return false;
        }
    x->quiet -= bits;
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
    }
    if (!x->seen[id] && !x->quiet && x->stamp[id] == x->now) {
        const struct graph_node *n = graph_at(x->w->g, id);
        x->seen[id] = n->type == UOP_B1 || n->type == UOP_B32 || n->type == UOP_B64;
        if (x->seen[id])
            VEC_PUSH(x->w->a, x->asked, id);
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

/* Whether a step of a straight piece is made, `maker` ends it (UINT32_MAX: not known which does); false: not known. */
static bool makes_step(struct walker *x, const struct graph_piece *p, uint32_t maker, uint64_t *runs)
{
    const struct graph *g = x->w->g;
    *runs = 1;
    bool parts = maker != UINT32_MAX && g->blocks.p[g->insns.p[maker].block].last == maker &&
                 g->blocks.p[g->insns.p[maker].block].succ_count > 1;
    if (x->steps_guard || parts) /* whichever way a branch goes, the step is made on it */
        return true;
    graph_id guard = maker == UINT32_MAX ? (graph_id)GRAPH_NIL : g->insns.p[maker].guard;
    if (guard != GRAPH_NIL && walk_value(x, guard, runs, 0))
        return true;
    guard = guard_of(g, p); /* the maker's may be what the step asks for itself */
    *runs = 1;
    return guard == GRAPH_NIL || walk_value(x, guard, runs, 0);
}

/* Steps of a piece that a block stands for; false: not known. */
static bool steps_of(struct walker *x, const struct graph_piece *p, uint32_t at, uint64_t *steps)
{
    const struct graph *g = x->w->g;
    uint64_t runs;
    if (p->straight && p->makers && p->maker_count == p->unroll) {
        for (uint32_t k = 0; k < p->maker_count; k++) {
            if (g->insns.p[p->makers[k]].block != at)
                continue;
            if (!makes_step(x, p, p->makers[k], &runs))
                return false;
            *steps += runs & 1;
        }
        return true;
    }
    if (p->straight ? p->blocks[0] != at : g->loops.p[p->loop].header != at)
        return true;
    for (uint32_t k = 1; k < p->block_count && p->straight && p->unroll > 1; k++)
        if (g->blocks.p[p->blocks[k]].path != g->blocks.p[p->blocks[0]].path)
            return false; /* conditional steps: not counted here */
    if (p->straight && !makes_step(x, p, UINT32_MAX, &runs))
        return false;
    *steps += !p->straight || runs ? p->unroll : 0;
    return true;
}

static bool goes_away(const struct walker *x, uint32_t next, uint32_t last)
{
    const struct graph *g = x->w->g;
    uint32_t parent = g->blocks.p[x->start].loop;
    return next > last || (parent && g->loops.p[parent - 1].header == next);
}

/* The block where walks begin has one way to the loop and one round it: whoever makes a step went the one. */
static bool enters(struct walker *x, uint32_t at, uint32_t last, uint64_t *taken)
{
    const struct graph_block *b = &x->w->g->blocks.p[at];
    bool away[2] = {goes_away(x, b->succs[0], last), goes_away(x, b->succs[1], last)};
    if (at != x->start || away[0] == away[1])
        return false;
    *taken = away[1];
    return true;
}

/* An expansion's slow way comes back to where its quick one leads: that one is gone. */
static bool quick_way(const struct walker *x, uint32_t at, uint64_t *taken)
{
    const struct graph *g = x->w->g;
    const struct graph_block *b = &g->blocks.p[at];
    bool slow[2];
    for (unsigned way = 0; way < 2; way++)
        slow[way] = graph_is_slow(g, g->blocks.p[b->succs[way]].first);
    *taken = slow[1];
    return slow[0] != slow[1] && !graph_is_slow(g, b->first);
}

/* Steps that the walk goes through from block `start` on; false when a branch is not decided. */
bool walk_from(struct walker *x, uint32_t start, uint32_t last, uint64_t *steps)
{
    const struct graph *g = x->w->g;
    uint32_t at = start, visits = 0;
    *steps = 0;
    x->endless = false;
    x->walk++;
    x->now += 2;
    for (;;) {
        const struct graph_block *b = &g->blocks.p[at];
        for (size_t i = 0; i < x->c->pieces.n; i++) {
            uint64_t more = 0;
            if (!steps_of(x, &x->c->pieces.p[i], at, &more))
                return false;
            *steps += more;
        }
        uint32_t next;
        uint64_t taken;
        if (++x->w->visits > ALL_VISITS)
            return false;
        x->endless = ++visits > VISITS;
        if (x->endless || b->succ_count == 0)
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
            if (!walk_value(x, b->branch, &taken, 0) && !enters(x, at, last, &taken) && !quick_way(x, at, &taken)) {
                if (!stays_within(x, at))
                    return false;
                taken = 0; /* a branch within a step: both ways go on with it */
            }
            next = b->succs[taken ? 0 : 1];
        }
        if (goes_away(x, next, last))
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

/* The same in every turn of every piece. */
static bool is_fixed(const struct walker *x, graph_id id)
{
    for (size_t i = 0; i < x->c->pieces.n; i++)
        if (!x->c->pieces.p[i].straight && cycle_varies(x->w, x->c->pieces.p[i].loop, id))
            return false;
    return true;
}

/* Known before the first piece, and not looked into: a word of the constant bank, a special register, what was loaded,
 * the counter of a loop around. */
static bool is_leaf(const struct walker *x, graph_id id)
{
    const struct graph *g = x->w->g;
    const struct graph_node *n = graph_at(g, id);
    if (n->type != UOP_B32 && n->type != UOP_B64)
        return false;
    if (n->kind == UOP_CBANK)
        return n->arg_count == 0;
    if (n->kind == UOP_SREG)
        return true;
    if (n->kind != UOP_LOAD && !graph_is_loop_phi(g, id))
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
    if (id == GRAPH_NIL || depth > DEPTH / 2 || ++x->looks > WALK_LOOKS)
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

/* One word for both, where the one is the other, half of it or a counter beside it; NIL: they are two. */
static graph_id as_one(const struct cycle_work *w, graph_id a, graph_id b)
{
    const struct graph *g = w->g;
    uint64_t ahead;
    bool turned;
    const struct graph_node *x = graph_at(g, a), *y = graph_at(g, b);
    if (a == b || b == GRAPH_NIL)
        return a;
    if (a != GRAPH_NIL && walk_differ_by_constant(g, a, b, &turned, &ahead))
        return a;
    if (a == GRAPH_NIL || walk_are_twins(w, a, b, &ahead))
        return a == GRAPH_NIL ? b : a;
    if (walk_is_low(g, a, b, 0) || walk_is_low(g, b, a, 0))
        return x->type == UOP_B64 ? a : b;
    if (x->kind != UOP_CBANK || y->kind != UOP_CBANK || x->arg_count || y->arg_count || x->space != y->space ||
        x->type == y->type)
        return GRAPH_NIL;
    const struct graph_node *wide = x->type == UOP_B64 ? x : y, *part = x->type == UOP_B64 ? y : x;
    bool within = wide->type == UOP_B64 && part->imm >= wide->imm && part->imm < wide->imm + 8;
    return !within ? (graph_id)GRAPH_NIL : wide == x ? a : b;
}

/* The one word that a test looks at, or a number made of several that is looked at as a whole: n * m, n - i. *leaf NIL:
 * none. False: there are more. */
static bool find_leaf(struct walker *x, graph_id id, unsigned depth, graph_id *leaf)
{
    const struct graph *g = x->w->g;
    const struct graph_node *n = graph_at(g, id);
    *leaf = GRAPH_NIL;
    if (id == GRAPH_NIL || depth > DEPTH / 2 || ++x->looks > WALK_LOOKS)
        return id == GRAPH_NIL;
    if (is_leaf(x, id)) {
        *leaf = id;
        return true;
    }
    bool fixed = is_fixed(x, id), one = true, number = n->type == UOP_B32 || n->type == UOP_B64;
    struct walk_bound bound;
    bool scaled = n->kind == UOP_MUL || n->kind == UOP_SHL || n->kind == UOP_SHR || n->kind == UOP_SAR ||
                  walk_bound_of(g, id, &bound);
    bool turned = (n->kind == UOP_NEG || n->kind == UOP_NOT) && is_leaf(x, n->arg[0]);
    if (x->whole && fixed && number && (scaled || turned)) {
        *leaf = id;
        return true;
    }
    if (n->kind == UOP_CONST || (n->kind == GRAPH_PHI && (!fixed || n->block > x->start)))
        return true; /* a walk comes to it with its value */
    for (unsigned k = n->kind == UOP_SELECT; k < n->arg_count && one && n->insn == UINT32_MAX; k++) {
        graph_id more, before = *leaf;
        one = find_leaf(x, n->arg[k], depth + 1, &more);
        *leaf = one ? as_one(x->w, before, more) : (graph_id)GRAPH_NIL;
        one &= *leaf != GRAPH_NIL || (before == GRAPH_NIL && more == GRAPH_NIL);
    }
    if (one && n->insn == UINT32_MAX && n->arg_count)
        return true;
    *leaf = fixed && number && n->kind != UOP_SELECT ? id : (graph_id)GRAPH_NIL;
    return *leaf != GRAPH_NIL;
}

/* All that the tests of the pieces look at, as one word or number. Where each has one of its own, the first that the
 * others are made of: n - n % 4 and n % 4. */
static bool find_one_leaf(struct walker *x)
{
    enum { LOOKED = 16 };
    graph_id looks[LOOKED], own[LOOKED], leaf = GRAPH_NIL, more;
    unsigned count = 0;
    bool one = true;
    for (size_t i = 0; i < x->c->pieces.n; i++) {
        const struct graph_piece *p = &x->c->pieces.p[i];
        const struct cycle_region *r = p->straight ? NULL : &x->w->regions[p->loop];
        for (unsigned k = 0; k < 2 && r; k++) {
            graph_id look = k ? r->exits.p[0].leaves : r->phis[r->tested].start;
            if (count == LOOKED)
                return false;
            one &= find_leaf(x, look, 0, &more);
            looks[count] = look;
            own[count++] = more;
            bool any = leaf != GRAPH_NIL || more != GRAPH_NIL;
            leaf = one ? as_one(x->w, leaf, more) : (graph_id)GRAPH_NIL;
            one &= !any || leaf != GRAPH_NIL;
        }
    }
    for (unsigned i = 0; i < count && !one; i++) {
        bool all = own[i] != GRAPH_NIL && is_fixed(x, own[i]);
        for (unsigned k = 0; k < count && all; k++)
            all = walk_made_of(x, looks[k], own[i], 0);
        leaf = all ? own[i] : (graph_id)GRAPH_NIL;
        one = all;
    }
    x->leaf[0] = leaf;
    x->leaf_count = leaf != GRAPH_NIL;
    return leaf != GRAPH_NIL;
}

/* One thing decides whether the loop is left: where a counter stands. Another compare, with a number that no walk comes
 * to, would go unseen. */
static bool one_test(struct walker *x, const struct cycle_region *r)
{
    graph_id atoms[6];
    unsigned count, varying = 0;
    uint64_t table;
    if (r->tested < 0 || r->exits.n != 1 || !graph_table(x->w->g, r->exits.p[0].leaves, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++)
        varying += cycle_varies(x->w, r->loop, atoms[k]);
    return varying == 1;
}

/* What is known of whoever makes a step: the path of the block where walks begin, or of the one way on. */
static graph_id path_in(const struct walker *x, uint32_t last)
{
    const struct graph *g = x->w->g;
    const struct graph_block *b = &g->blocks.p[x->start];
    if (b->succ_count != 2 || goes_away(x, b->succs[0], last) == goes_away(x, b->succs[1], last))
        return b->path;
    uint32_t on = b->succs[goes_away(x, b->succs[0], last)];
    return g->blocks.p[on].idom == x->start ? g->blocks.p[on].path : b->path;
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
    x->start = *start;
    x->leaf_count = 0;
    x->leaf_max = leaves;
    x->looks = 0;
    for (size_t i = 0; i < c->pieces.n && one; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        const struct cycle_region *r = p->straight ? NULL : &w->regions[p->loop];
        one = !r || one_test(x, r);
        if (r && one && leaves > 1)
            one = walk_leaves(x, r->phis[r->tested].start, 0) && walk_leaves(x, r->exits.p[0].leaves, 0);
    }
    if (!one || (leaves == 1 && !find_one_leaf(x)) || x->leaf_count == 0)
        return false;
    x->path = path_in(x, *last);
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

void walk_end(struct walker *x)
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
    for (size_t i = 0; i < count; i++) {
        value[i] = 0;
        known[i] = walk_value(x, x->asked.p[i], &value[i], 0);
    }
}

bool walk_goes_on(struct walker *x, unsigned moving, uint64_t base, uint64_t period)
{
    enum { MOST = 256 };
    const struct graph *g = x->w->g;
    bool wide = graph_at(g, x->leaf[moving])->type == UOP_B64;
    uint64_t end = UINT64_C(1) << (wide ? 61 : 30), residues[] = {0, 1, period / 2, period - 1, period / 3};
    uint64_t first[MOST] = {0}, second[MOST] = {0}, third[MOST] = {0};
    bool known[3][MOST];
    size_t count = x->asked.n;
    if (count > MOST || period == 0)
        return false;
    base = (base / period + 1) * period;
    end = x->top && x->top < end ? x->top + 1 : end;
    if (base + 4 * period >= end)
        return false;
    for (unsigned r = 0; r < sizeof residues / sizeof residues[0]; r++) {
        look_at(x, moving, base + residues[r], count, first, known[0]);
        look_at(x, moving, base + residues[r] + period, count, second, known[1]);
        for (uint64_t far = 2; base + residues[r] + far * period < end; far = far + far / 2 + 1) {
            look_at(x, moving, base + residues[r] + far * period, count, third, known[2]);
            for (size_t i = 0; i < count; i++) {
                uint64_t way = second[i] - first[i], straight = first[i] + far * way;
                bool exact = wide || graph_at(g, x->asked.p[i])->type == UOP_B64;
                if (!known[0][i] && !known[2][i])
                    continue;
                /* What is left of a wide number in one word says nothing of the rest, but for its low bits. */
                if (!known[0][i] || !known[1][i] || !known[2][i] ||
                    (exact ? straight != third[i] : (uint32_t)straight != (uint32_t)third[i]))
                    return false;
            }
        }
    }
    return true;
}
