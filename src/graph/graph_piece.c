/* Pieces: loops and straight stretches that are one loop of the source (D6). A compiler that unrolls leaves a main loop,
 * smaller loops and straight remainders; each takes up the accumulators where the one before left them, does the same
 * step, and its elements go on where the last ones ended.
 *
 * The step of the first loop is matched, as a term over holes, on what the outgoing accumulators flow into through
 * selects and joins: onto other loops from their phis, onto straight code upwards by users. Without accumulators a
 * store takes their place. That elements go on is shown by evaluating addresses at random numbers modulo a prime, where
 * a loop's counters are start + turns * step and a select is either of its values.
 *
 * requires: chains, unroll, tests of loops · gives: cycles with pieces, folds, copies */
#include "graph/graph_cycle_internal.h"

#include <string.h>

enum { SET_MAX = 16, CHAINS_MAX = 8, MATCH_DEPTH = 60, CLIMB_MAX = 48, STEPS_MAX = 4096, MUX_MAX = 256, IDLE_MAX = 64, PHIS_MAX = 6 };

/* ---- numbers modulo 2^61 - 1 ------------------------------------------------------------------ */

static const uint64_t PRIME = (UINT64_C(1) << 61) - 1;

static uint64_t field_mul(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % PRIME);
}

static uint64_t field_add(uint64_t a, uint64_t b)
{
    return (a + b) % PRIME;
}

static uint64_t field_neg(uint64_t a)
{
    return a ? PRIME - a : 0;
}

static uint64_t field_inverse(uint64_t a)
{
    uint64_t r = 1;
    for (uint64_t e = PRIME - 2; e; e >>= 1) {
        if (e & 1)
            r = field_mul(r, a);
        a = field_mul(a, a);
    }
    return r;
}

static uint64_t field_signed(int64_t v)
{
    return v < 0 ? field_neg((0 - (uint64_t)v) % PRIME) : (uint64_t)v % PRIME;
}

/* What a node may be: several values where paths met. */
struct set {
    uint64_t v[SET_MAX];
    unsigned count;
};

static void set_add(struct set *s, uint64_t v)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->v[i] == v)
            return;
    if (s->count < SET_MAX)
        s->v[s->count++] = v;
}

static bool sets_meet(const struct set *a, const struct set *b)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->v[i] == b->v[k])
                return true;
    return false;
}

/* ---- values of addresses ---------------------------------------------------------------------- */

enum turn { TURN_LAST, TURN_FIRST, TURN_AFTER };

struct evaluator {
    struct cycle_work *w;
    uint32_t loop; /* the region `turn` speaks of; of every other loop it is the last turn */
    enum turn turn;
    struct map_u64 known;
    VEC(struct set) sets;
    unsigned steps, phis; /* loop phis being looked behind */
};

static void evaluate(struct evaluator *e, graph_id id, struct set *out, unsigned depth);

static struct cycle_phi *loop_phi(struct cycle_work *w, graph_id id, struct cycle_region **region)
{
    const struct graph_node *n = graph_at(w->g, id);
    const struct graph_block *b = &w->g->blocks.p[n->block];
    if (!graph_is_loop_phi(w->g, id) || !b->loop || w->g->loops.p[b->loop - 1].header != n->block)
        return NULL;
    struct cycle_region *r = &w->regions[b->loop - 1];
    for (uint32_t i = 0; i < r->phi_count; i++)
        if (r->phis[i].phi == id) {
            *region = r;
            return &r->phis[i];
        }
    return NULL;
}

/* How many turns have gone by when the last one begins: from the test where it is an equality, else just a number. */
static uint64_t last_turn(struct evaluator *e, struct cycle_region *r)
{
    if (!r->turns_known) {
        r->turns_known = true;
        r->turns = map_hash_mix(0x7475726e, r->loop) % PRIME;
        if (r->limit != GRAPH_NIL && r->tested >= 0 && r->phis[r->tested].constant && r->phis[r->tested].amount) {
            const struct cycle_phi *t = &r->phis[r->tested];
            struct set limit = {0}, start = {0};
            struct evaluator own = {.w = e->w, .loop = UINT32_MAX};
            evaluate(&own, r->limit, &limit, 0);
            evaluate(&own, t->start, &start, 0);
            if (limit.count == 1 && start.count == 1) {
                uint64_t way = field_add(limit.v[0], field_neg(start.v[0]));
                r->turns = field_add(field_mul(way, field_inverse(field_signed(t->amount))), PRIME - 1);
            }
        }
    }
    return r->turns;
}

static void evaluate_phi(struct evaluator *e, graph_id id, struct set *out, unsigned depth)
{
    struct cycle_region *r = NULL;
    struct cycle_phi *p = loop_phi(e->w, id, &r);
    if (!p) { /* a join: either way */
        const struct graph_node *n = graph_at(e->w->g, id);
        struct cycle_region *of = NULL;
        bool joins = n->phi_count < SET_MAX;
        (void)of;
        for (uint32_t k = 0; k < n->phi_count && joins; k++)
            joins = n->phi_args[k] < id;
        for (uint32_t k = 0; k < n->phi_count && joins; k++) {
            struct set one = {0};
            evaluate(e, n->phi_args[k], &one, depth + 1);
            for (unsigned i = 0; i < one.count; i++)
                set_add(out, one.v[i]);
        }
        if (!joins)
            set_add(out, map_hash_mix(0x6a6f696e, id) % PRIME);
        return;
    }
    if (p->step_kind != CYCLE_STEP_ADD || p->start == GRAPH_NIL || e->phis >= PHIS_MAX) {
        set_add(out, map_hash_mix(0x6c656166, id) % PRIME);
        return;
    }
    uint64_t turn = r->loop == e->loop && e->turn == TURN_FIRST ? 0 : last_turn(e, r);
    if (r->loop == e->loop && e->turn == TURN_AFTER)
        turn = field_add(turn, 1);
    struct set start = {0}, step = {0};
    e->phis++;
    evaluate(e, p->start, &start, depth + 1);
    e->phis--;
    evaluate(e, p->step, &step, depth + 1);
    for (unsigned i = 0; i < start.count && step.count == 1; i++)
        set_add(out, field_add(start.v[i], field_mul(turn, step.v[0])));
}

static void evaluate(struct evaluator *e, graph_id id, struct set *out, unsigned depth)
{
    enum { DEPTH = 80, STEPS = 4000 };
    const struct graph *g = e->w->g;
    uint32_t at;
    id = cycle_bare(g, id);
    if (map_u64_get(&e->known, id, &at)) {
        *out = e->sets.p[at];
        return;
    }
    out->count = 0;
    const struct graph_node n = *graph_at(g, id);
    struct set a = {0}, b = {0};
    if (depth > DEPTH || ++e->steps > STEPS) {
        set_add(out, map_hash_mix(0x6c656166, id) % PRIME);
        return;
    }
    unsigned bits = uop_type_bits((enum uop_type)n.type);
    switch (n.kind) {
    case UOP_CONST:
        set_add(out, field_signed(bits == 0 || bits >= 64 ? (int64_t)n.imm
                                                          : (int64_t)(n.imm << (64 - bits)) >> (64 - bits)));
        break;
    case UOP_ADD:
    case UOP_MUL:
        evaluate(e, n.arg[0], &a, depth + 1);
        evaluate(e, n.arg[1], &b, depth + 1);
        for (unsigned i = 0; i < a.count; i++)
            for (unsigned k = 0; k < b.count; k++)
                set_add(out, n.kind == UOP_ADD ? field_add(a.v[i], b.v[k]) : field_mul(a.v[i], b.v[k]));
        break;
    case UOP_NEG:
        evaluate(e, n.arg[0], &a, depth + 1);
        for (unsigned i = 0; i < a.count; i++)
            set_add(out, field_neg(a.v[i]));
        break;
    case UOP_SEXT:
    case UOP_ZEXT:
        if (n.imm == 32) {
            evaluate(e, n.arg[0], out, depth + 1);
            break;
        }
        set_add(out, map_hash_mix(0x6c656166, id) % PRIME);
        break;
    case UOP_SELECT:
        evaluate(e, n.arg[1], out, depth + 1);
        evaluate(e, n.arg[2], &b, depth + 1);
        for (unsigned k = 0; k < b.count; k++)
            set_add(out, b.v[k]);
        break;
    case GRAPH_PHI: evaluate_phi(e, id, out, depth); break;
    default: set_add(out, map_hash_mix(0x6c656166, id) % PRIME); break;
    }
    at = (uint32_t)e->sets.n;
    VEC_PUSH(e->w->a, e->sets, *out);
    map_u64_put(e->w->a, &e->known, id, at);
}

static struct set address_set(struct cycle_work *w, graph_id id, uint32_t loop, enum turn turn)
{
    struct evaluator e = {.w = w, .loop = loop, .turn = turn};
    struct set s = {0};
    evaluate(&e, id, &s, 0);
    return s;
}

/* ---- matching a step -------------------------------------------------------------------------- */

struct matcher {
    struct cycle_work *w;
    struct cycle_region *r; /* whose step it is */
    graph_id old[CHAINS_MAX], now[CHAINS_MAX];
    graph_id address, element; /* of the first element: in the step, in the code matched */
    unsigned steps;
    VEC(graph_id) pairs; /* step's node, matched node */
};

static bool match(struct matcher *m, graph_id t, graph_id n, unsigned depth);

/* Cuts in what is matched: a step, or one of the inner loop that a step is made of. */
static uint32_t stride(const struct cycle_chain *c)
{
    return c->inner ? c->period / c->inner : c->period;
}

/* An integer of inductions and what never changes. */
static bool is_index(struct matcher *m, graph_id id, unsigned depth)
{
    const struct graph *g = m->w->g;
    const struct graph_node *n = graph_at(g, id);
    struct cycle_region *r;
    if (depth > 24)
        return false;
    if (!cycle_varies(m->w, m->r->loop, id))
        return n->type == UOP_B32 || n->type == UOP_B64;
    if (n->kind == GRAPH_PHI) {
        struct cycle_phi *p = loop_phi(m->w, id, &r);
        return p && r == m->r && p->step_kind == CYCLE_STEP_ADD;
    }
    bool passes = n->kind == UOP_ADD || n->kind == UOP_MUL || n->kind == UOP_NEG || n->kind == UOP_SEXT ||
                  n->kind == UOP_ZEXT || n->kind == UOP_UNIFORM;
    for (unsigned k = 0; k < n->arg_count && passes; k++)
        passes = is_index(m, n->arg[k], depth + 1);
    return passes;
}

/* A number made of places, parameters and counters alone, as an index is. */
static bool may_be_index(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_CONST || n->kind == UOP_SREG || n->kind == UOP_CBANK || n->kind == GRAPH_PHI)
        return true;
    bool integer = (n->kind >= UOP_ADD && n->kind <= UOP_SAR) || n->kind == UOP_SEXT || n->kind == UOP_ZEXT ||
                   n->kind == UOP_UNIFORM || n->kind == UOP_SELECT || n->kind == UOP_LO;
    if (!integer || depth > 12)
        return false;
    for (unsigned k = n->kind == UOP_SELECT; k < n->arg_count; k++)
        if (!may_be_index(g, n->arg[k], depth + 1))
            return false;
    return true;
}

struct word { /* of memory */
    graph_id address;
    uint64_t offset;
    uint8_t space, flags, bytes;
};

static bool word_of(const struct graph *g, graph_id id, struct word *out)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_LOAD) {
        *out = (struct word){n->arg[0], 0, n->space, n->flags, n->width};
        return true;
    }
    const struct graph_node *of = n->arg_count ? graph_at(g, n->arg[0]) : NULL;
    if (!of || of->kind != UOP_LOAD)
        return false;
    if (n->kind == UOP_ELEMENT)
        *out = (struct word){of->arg[0], 4 * n->imm, of->space, of->flags, 4};
    else if (of->width == 8 && (n->kind == UOP_LO || n->kind == UOP_HI))
        *out = (struct word){of->arg[0], n->kind == UOP_HI ? 4 : 0, of->space, of->flags, 4};
    else
        return false;
    return true;
}

/* `n` is what a chain of selects and joins may come to. */
static bool may_be(const struct graph *g, graph_id chain, graph_id n)
{
    enum { WAYS = 64 };
    graph_id list[WAYS];
    unsigned count = 0;
    list[count++] = chain;
    for (unsigned at = 0; at < count; at++) {
        const struct graph_node *x = graph_at(g, list[at]);
        if (list[at] == n)
            return true;
        const graph_id *args;
        uint32_t from = x->kind == UOP_SELECT, args_count = cycle_args(x, &args);
        for (uint32_t k = from; k < args_count && (from || x->kind == GRAPH_PHI) && count < WAYS; k++)
            if (args[k] < list[at])
                list[count++] = args[k];
    }
    return false;
}

/* What never changes in the loop, read on another path: the same node, or a select cut down by what that path knows. */
static bool same_value(struct matcher *m, graph_id t, graph_id n, unsigned depth)
{
    const struct graph *g = m->w->g;
    if (t == n)
        return true;
    const struct graph_node *a = graph_at(g, t), *b = graph_at(g, n);
    if (depth > 12 || ++m->steps > STEPS_MAX)
        return false;
    if (may_be(g, t, n) || may_be(g, n, t))
        return true;
    if (a->kind != b->kind || a->type != b->type || a->arg_count == 0 || a->arg_count != b->arg_count ||
        a->imm != b->imm || a->round != b->round || ((a->flags ^ b->flags) & (unsigned)~UOP_SWAPPED) ||
        a->insn != UINT32_MAX || b->insn != UINT32_MAX || !uop_is_pure((enum uop_kind)a->kind))
        return false;
    for (unsigned k = 0; k < a->arg_count; k++)
        if (!same_value(m, a->arg[k], b->arg[k], depth + 1))
            return false;
    return true;
}

static bool match_word(struct matcher *m, const struct word *a, const struct word *b, unsigned depth)
{
    if (a->space != b->space || a->flags != b->flags || a->bytes != b->bytes)
        return false;
    if (!is_index(m, a->address, 0))
        return match(m, a->address, b->address, depth + 1);
    if (cycle_root(m->w->g, a->address) != cycle_root(m->w->g, b->address))
        return false;
    if (m->address == GRAPH_NIL) {
        m->address = a->address;
        m->element = b->address;
    }
    return true;
}

static bool commutes(unsigned kind)
{
    switch (kind) {
    case UOP_ADD:
    case UOP_MUL:
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U:
    case UOP_MULHI_S:
    case UOP_MULHI_U:
    case UOP_IEQ:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM:
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FMIN:
    case UOP_FMAX: return true;
    default: return false;
    }
}

static bool bind(graph_id *slot, graph_id n)
{
    if (*slot == GRAPH_NIL)
        *slot = n;
    return *slot == n;
}

static bool match_args(struct matcher *m, const struct graph_node *a, const struct graph_node *b, unsigned depth)
{
    unsigned turns = commutes(a->kind) || (a->kind == GRAPH_BOOL && a->arg_count == 2) ? 2 : 1;
    for (unsigned turn = 0; turn < turns; turn++) {
        struct matcher before = *m;
        bool ok = true;
        if (a->kind == GRAPH_BOOL && turn == 1) { /* the atoms the other way round */
            uint64_t t = b->imm;
            t = (t & 9) | (t >> 1 & 1) << 2 | (t >> 2 & 1) << 1;
            ok = t == a->imm;
        } else if (a->kind == GRAPH_BOOL) {
            ok = a->imm == b->imm;
        }
        for (unsigned k = a->arg_count; k-- > 0 && ok;) /* the accumulator of a multiply-add first: it decides most */
            ok = match(m, a->arg[k], b->arg[turn && k < 2 ? 1 - k : k], depth + 1);
        if (ok)
            return true;
        unsigned steps = m->steps;
        *m = before;
        m->steps = steps;
    }
    return false;
}

/* The operation of t is n's, whatever hole t may be. */
static bool match_term(struct matcher *m, graph_id t, graph_id n, unsigned depth)
{
    const struct graph *g = m->w->g;
    struct word x, y;
    if (depth > MATCH_DEPTH || ++m->steps > STEPS_MAX)
        return false;
    if (word_of(g, t, &x)) {
        if (!word_of(g, n, &y) || !match_word(m, &x, &y, depth))
            return false;
        VEC_PUSH(m->w->a, m->pairs, t);
        VEC_PUSH(m->w->a, m->pairs, n);
        return true;
    }
    const struct graph_node a = *graph_at(g, t), b = *graph_at(g, n);
    if (a.kind != b.kind || a.type != b.type || a.round != b.round || a.arg_count != b.arg_count ||
        (a.kind != GRAPH_BOOL && a.imm != b.imm) || a.width != b.width || a.space != b.space || a.arg_count == 0 ||
        ((a.flags ^ b.flags) & (unsigned)~UOP_SWAPPED) || a.kind == GRAPH_PHI || a.kind == GRAPH_RESULT)
        return false;
    if (!match_args(m, &a, &b, depth))
        return false;
    VEC_PUSH(m->w->a, m->pairs, t);
    VEC_PUSH(m->w->a, m->pairs, n);
    return true;
}

static bool match(struct matcher *m, graph_id t, graph_id n, unsigned depth)
{
    struct cycle_work *w = m->w;
    uint32_t chain, index;
    if (t == GRAPH_NIL || n == GRAPH_NIL)
        return t == n;
    if (cycle_cut_at(w, m->r, t, &chain, &index) && chain < CHAINS_MAX) {
        if (index == 0)
            return bind(&m->old[chain], n);
        if (index == stride(&m->r->chains.p[chain]))
            return bind(&m->now[chain], n);
    }
    if (!cycle_varies(w, m->r->loop, t))
        return same_value(m, t, n, 0);
    if (is_index(m, t, 0))
        return graph_at(w->g, n)->type == graph_at(w->g, t)->type && may_be_index(w->g, n, 0);
    return match_term(m, t, n, depth);
}

/* ---- steps of accumulators -------------------------------------------------------------------- */

struct run { /* steps in a row */
    uint32_t steps;
    graph_id in, out;                       /* of the chain they were followed along */
    VEC(graph_id) outs;                     /* of each step */
    graph_id *elements;                     /* of each step, where they stand in any order; else NULL */
    uint32_t begin, end;                    /* instances that make the steps, first and last */
    graph_id first[CHAINS_MAX], last[CHAINS_MAX]; /* of every chain of the group */
    graph_id from, element;                 /* address of the first element: in the step, in the run */
    struct set ahead;                       /* where elements go on */
    VEC(graph_id) pairs;
};

static graph_id root_node(const struct cycle_chain *c)
{
    return c->flat || c->period == 0 ? GRAPH_NIL : c->cut[stride(c)];
}

/* A node made of `x` that the step's root matches with x as the old accumulator. */
static graph_id climb(struct cycle_work *w, struct cycle_region *r, uint32_t chain, graph_id x, struct matcher *out,
                      const struct matcher *before)
{
    graph_id list[CLIMB_MAX], root = root_node(&r->chains.p[chain]);
    unsigned count = 0;
    const struct graph_node *goal = graph_at(w->g, root);
    list[count++] = x;
    for (unsigned at = 0; at < count; at++) {
        uint32_t users;
        const graph_id *user = graph_users(w->g, list[at], &users);
        for (uint32_t i = 0; i < users && i < 64; i++) {
            const struct graph_node *n = graph_at(w->g, user[i]);
            if (n->kind == GRAPH_PHI || user[i] >= w->nodes || w->budget == 0)
                continue;
            w->budget--;
            if (n->kind == goal->kind && n->type == goal->type) {
                struct matcher m = {.w = w, .r = r};
                m.old[chain] = x;
                for (uint32_t c = 0; c < r->chains.n && c < CHAINS_MAX && before; c++)
                    if (before->now[c] != GRAPH_NIL)
                        m.old[c] = before->now[c];
                bool ok = match_term(&m, root, user[i], 0);
                m.now[chain] = user[i];
                for (uint32_t c = 0; c < r->chains.n && c < CHAINS_MAX && ok; c++) { /* those it reads step with it */
                    graph_id other = root_node(&r->chains.p[c]);
                    if (c != chain && r->chains.p[c].group == r->chains.p[chain].group && m.now[c] != GRAPH_NIL)
                        ok = other != GRAPH_NIL && match_term(&m, other, m.now[c], 0);
                }
                w->budget -= w->budget > m.steps ? m.steps : w->budget;
                if (ok) {
                    *out = m;
                    return user[i];
                }
            }
            bool seen = false;
            for (unsigned k = 0; k < count && !seen; k++)
                seen = list[k] == user[i];
            if (!seen && count < CLIMB_MAX && user[i] < x + 4096)
                list[count++] = user[i];
        }
    }
    return GRAPH_NIL;
}

static struct run follow(struct cycle_work *w, struct cycle_region *r, uint32_t chain, graph_id x, graph_id stop)
{
    struct run run = {.in = x, .out = x};
    struct matcher step, before;
    while (run.steps < STEPS_MAX && run.out != stop) {
        graph_id next = climb(w, r, chain, run.out, &step, run.steps ? &before : NULL);
        if (next == GRAPH_NIL)
            break;
        if (run.steps == 0) {
            memcpy(run.first, step.old, sizeof run.first);
            run.from = step.address;
            run.element = step.element;
        }
        memcpy(run.last, step.now, sizeof run.last);
        for (size_t i = 0; i < step.pairs.n; i++)
            VEC_PUSH(w->a, run.pairs, step.pairs.p[i]);
        before = step;
        VEC_PUSH(w->a, run.outs, next);
        run.out = next;
        run.steps++;
    }
    return run;
}

/* The same for a sum that was flattened: one step is one term beside the old value. `in`: the old value in `out`, or
 * with `out` NIL in the largest sum made of it. Elements stand in any order: the first is the one that no other comes a
 * step before. */
static struct run gather(struct cycle_work *w, struct cycle_region *r, uint32_t chain, graph_id in, graph_id out)
{
    enum { TERMS = 256 };
    const struct cycle_chain *c = &r->chains.p[chain];
    const struct graph *g = w->g;
    unsigned kind = graph_at(g, c->out)->kind;
    struct run run = {.in = in, .out = in};
    graph_id terms[TERMS], elements[TERMS], root = out;
    uint32_t count, own = 0;
    for (bool up = out == GRAPH_NIL; up;) {
        uint32_t users;
        const graph_id *user = graph_users(g, root == GRAPH_NIL ? in : root, &users);
        up = false;
        for (uint32_t i = 0; i < users && !up; i++)
            if (graph_at(g, user[i])->kind == kind && graph_at(g, user[i])->type == graph_at(g, in)->type &&
                user[i] < w->nodes) {
                root = user[i];
                up = true;
            }
    }
    if (root == GRAPH_NIL || !cycle_flatten(g, root, kind, terms, TERMS, &count) || count < 2)
        return run;
    uint32_t steps = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct matcher m = {.w = w, .r = r};
        if (terms[i] == in && own++ == 0)
            continue;
        bool ok = match(&m, c->terms[0], terms[i], 0) && m.address != GRAPH_NIL;
        w->budget -= w->budget > m.steps ? m.steps : w->budget;
        if (!ok)
            return run;
        run.from = m.address;
        elements[steps++] = m.element;
        for (size_t k = 0; k < m.pairs.n; k++)
            VEC_PUSH(w->a, run.pairs, m.pairs.p[k]);
    }
    if (own != 1)
        return run;
    run.element = elements[0];
    run.elements = ARENA_ARRAY(w->a, graph_id, steps);
    if (!run.elements)
        return run;
    memcpy(run.elements, elements, steps * sizeof elements[0]);
    run.steps = steps;
    run.out = root;
    VEC_PUSH(w->a, run.outs, root);
    return run;
}

/* ---- joining ---------------------------------------------------------------------------------- */

struct part { /* what a straight piece was found along, and the instances that make its steps */
    uint32_t chain, begin, end;
};

struct joiner {
    struct cycle_work *w;
    struct cycle_region *r; /* the first piece */
    struct graph_cycle *c;
    VEC(graph_id) flow;     /* outgoing accumulators and what selects make of them */
    uint64_t advance;       /* of an element a step */
    bool moves;             /* elements are known: they must go on */
    VEC(struct set) ends;   /* where the elements of the pieces so far end */
    VEC(struct part) parts; /* of each piece */
    uint32_t until;         /* instance from which on the same step has begun anew: another loop's */
};

static unsigned bits_of(const struct graph *g, graph_id id)
{
    return uop_type_bits((enum uop_type)graph_at(g, id)->type);
}

static bool flows(const struct joiner *j, graph_id id)
{
    return id < j->w->nodes && j->w->flow_of[id] == j->r->loop + 1;
}

/* `id` flows on through selects and joins that are not loop phis. */
static void flow_from(struct joiner *j, graph_id id)
{
    struct cycle_work *w = j->w;
    size_t at = j->flow.n;
    if (id >= w->nodes || flows(j, id))
        return;
    w->flow_of[id] = j->r->loop + 1;
    VEC_PUSH(w->a, j->flow, id);
    for (; at < j->flow.n && j->flow.n < MUX_MAX; at++) {
        uint32_t count;
        graph_id x = j->flow.p[at];
        const graph_id *users = graph_users(w->g, x, &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct graph_node *n = graph_at(w->g, users[i]);
            struct cycle_region *of;
            bool mux = (n->kind == UOP_SELECT && n->arg[0] != x) ||
                       (n->kind == GRAPH_PHI && !loop_phi(w, users[i], &of)) ||
                       (n->kind == UOP_PAIR && bits_of(w->g, n->arg[0]) == 16) ||
                       ((n->kind == UOP_LO || n->kind == UOP_HI) && bits_of(w->g, users[i]) == 16);
            if (!mux || users[i] >= w->nodes || flows(j, users[i]))
                continue;
            w->flow_of[users[i]] = j->r->loop + 1;
            VEC_PUSH(w->a, j->flow, users[i]);
        }
    }
}

static void note_copies(struct joiner *j, const struct run *run)
{
    graph_id *copy = (graph_id *)j->w->out->copy_of;
    for (size_t i = 0; i + 1 < run->pairs.n; i += 2)
        if (run->pairs.p[i] != run->pairs.p[i + 1] && run->pairs.p[i + 1] < j->w->nodes)
            copy[run->pairs.p[i + 1]] = run->pairs.p[i];
}

static void end_at(struct joiner *j, struct set from, uint64_t way)
{
    for (unsigned i = 0; i < from.count; i++)
        from.v[i] = field_add(from.v[i], way);
    VEC_PUSH(j->w->a, j->ends, from);
}

static bool goes_on(struct joiner *j, const struct set *begin)
{
    for (size_t i = 0; i < j->ends.n; i++)
        if (sets_meet(&j->ends.p[i], begin))
            return true;
    return false;
}

/* The stretch of straight code that makes the steps: the blocks from the first to the last. */
static bool place_run(struct joiner *j, struct run *run, struct graph_piece *out)
{
    struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    uint32_t *blocks = ARENA_ARRAY(w->a, uint32_t, run->outs.n), count = 0;
    if (!blocks)
        return false;
    for (size_t i = 0; i < run->outs.n; i++) {
        uint32_t at = cycle_maker(w, run->outs.p[i], UINT32_MAX);
        if (at == UINT32_MAX)
            continue; /* made by nobody: a select where paths meet */
        uint32_t block = g->insns.p[at].block, k = count;
        if (g->blocks.p[block].loop != g->loops.p[j->r->loop].parent)
            return false;
        for (; k > 0 && blocks[k - 1] > block; k--)
            ;
        if (k > 0 && blocks[k - 1] == block)
            continue;
        memmove(blocks + k + 1, blocks + k, (count - k) * sizeof blocks[0]);
        blocks[k] = block;
        count++;
    }
    if (count == 0)
        return false;
    run->begin = UINT32_MAX;
    run->end = 0;
    for (size_t i = 1; i < run->pairs.n; i += 2) {
        uint32_t at = cycle_maker(w, run->pairs.p[i], UINT32_MAX);
        if (at == UINT32_MAX || g->insns.p[at].block < blocks[0] || g->insns.p[at].block > blocks[count - 1])
            continue;
        run->begin = at < run->begin ? at : run->begin;
        run->end = at > run->end ? at : run->end;
    }
    *out = (struct graph_piece){.straight = true,
                                .loop = UINT32_MAX,
                                .first = g->blocks.p[blocks[0]].first,
                                .last = g->blocks.p[blocks[count - 1]].last,
                                .unroll = run->steps,
                                .blocks = blocks,
                                .block_count = count};
    return true;
}

/* Another accumulator in the same stretch is the same piece; two stretches of one accumulator are two, even where both
 * became guarded instructions of one block. */
static void add_piece(struct joiner *j, struct graph_piece piece, struct part part)
{
    for (size_t i = 0; i < j->c->pieces.n; i++) {
        const struct graph_piece *p = &j->c->pieces.p[i];
        if (p->straight == piece.straight && p->first == piece.first && p->unroll == piece.unroll &&
            (!p->straight || j->parts.p[i].chain != part.chain))
            return;
    }
    VEC_PUSH(j->w->a, j->c->pieces, piece);
    VEC_PUSH(j->w->a, j->parts, part);
}

static void add_loop(struct joiner *j, struct cycle_region *r, uint32_t unroll)
{
    const struct graph_loop *l = &j->w->g->loops.p[r->loop];
    r->cycle = j->r->cycle;
    r->unroll = unroll;
    add_piece(j, (struct graph_piece){.loop = r->loop,
                                      .first = l->first,
                                      .last = l->last,
                                      .unroll = unroll,
                                      .blocks = r->blocks,
                                      .block_count = r->block_count},
              (struct part){.chain = UINT32_MAX});
}

/* Elements of the run begin where a piece before ended. The same step from elsewhere is another loop of the source, and
 * what stands behind it in the code belongs to that. */
static bool run_goes_on(struct joiner *j, const struct run *run, uint32_t loop, uint32_t insn, struct set *begin)
{
    if (insn >= j->until)
        return false;
    if (!j->moves || run->element == GRAPH_NIL)
        return !j->moves;
    for (uint32_t i = 0; i < (run->elements ? run->steps : 1); i++) { /* in any order: some element is the next one */
        *begin = address_set(j->w, run->elements ? run->elements[i] : run->element, loop, TURN_FIRST);
        if (goes_on(j, begin))
            return true;
    }
    j->until = insn;
    return false;
}

static bool try_straight(struct joiner *j, uint32_t chain, graph_id x)
{
    bool flat = j->r->chains.p[chain].flat;
    struct run run = flat ? gather(j->w, j->r, chain, x, GRAPH_NIL) : follow(j->w, j->r, chain, x, GRAPH_NIL);
    struct graph_piece piece;
    struct set begin = {0};
    uint32_t inner = j->r->chains.p[chain].inner ? j->r->chains.p[chain].inner : 1;
    if (run.steps == 0 || run.steps % inner != 0 || !place_run(j, &run, &piece) || !run_goes_on(j, &run, UINT32_MAX, piece.first, &begin))
        return false;
    for (uint32_t c = 0; c < j->r->chains.n && c < CHAINS_MAX; c++) { /* what it reads comes from the piece before too */
        if (run.first[c] != GRAPH_NIL && j->r->chains.p[c].group == j->r->chains.p[chain].group &&
            !flows(j, run.first[c]))
            return false;
    }
    piece.unroll = run.steps / inner;
    add_piece(j, piece, (struct part){chain, run.begin, run.end});
    for (size_t i = 0; i < run.outs.n; i++)
        j->w->claimed[run.outs.p[i]] = true;
    for (size_t i = 0; i + 1 < run.outs.n; i++) /* a guarded step is a select too: no place where paths meet */
        j->w->between[run.outs.p[i]] = true;
    note_copies(j, &run);
    if (begin.count)
        end_at(j, begin, field_mul(j->advance, run.steps));
    for (uint32_t c = 0; c < CHAINS_MAX; c++)
        if (run.last[c] != GRAPH_NIL)
            flow_from(j, run.last[c]);
    flow_from(j, run.out);
    return true;
}

static bool try_loop(struct joiner *j, uint32_t chain, struct cycle_region *r)
{
    for (uint32_t i = 0; i < r->chains.n; i++) {
        const struct cycle_chain *c = &r->chains.p[i];
        graph_id start = r->phis[c->phi].start;
        bool flat = j->r->chains.p[chain].flat; /* one term beside the old value is a sum too */
        if ((c->flat && !flat) || (flat && !c->flat && c->count != 1) || start == GRAPH_NIL || !flows(j, start))
            continue;
        struct run run = flat ? gather(j->w, j->r, chain, c->in, c->out) : follow(j->w, j->r, chain, c->in, c->out);
        struct set begin = {0};
        if (run.steps == 0 || run.out != c->out ||
            !run_goes_on(j, &run, r->loop, j->w->g->loops.p[r->loop].first, &begin))
            continue;
        uint32_t inner = j->r->chains.p[chain].inner ? j->r->chains.p[chain].inner : 1;
        if (run.steps % inner != 0)
            continue;
        add_loop(j, r, run.steps / inner);
        note_copies(j, &run);
        if (begin.count) /* the first element, a turn after the last */
            end_at(j, begin, field_mul(field_mul(j->advance, run.steps), field_add(cycle_turns(j->w, r), 1)));
        for (uint32_t k = 0; k < r->chains.n; k++)
            flow_from(j, r->chains.p[k].out);
        return true;
    }
    return false;
}

/* Pieces along one chain of the first loop. */
static void join_chain(struct joiner *j, uint32_t chain)
{
    struct cycle_work *w = j->w;
    struct cycle_region *r = j->r;
    const struct cycle_chain *c = &r->chains.p[chain];
    struct run own = c->flat ? gather(w, r, chain, c->in, c->out) : follow(w, r, chain, c->in, c->out);
    for (uint32_t i = 0; i < r->chains.n; i++)
        flow_from(j, r->chains.p[i].out);
    if (own.steps == 0 || own.out != c->out)
        return;
    note_copies(j, &own);
    j->moves = own.element != GRAPH_NIL;
    j->ends.n = 0;
    if (j->moves) {
        struct set begin = address_set(w, own.element, r->loop, TURN_LAST);
        struct set after = address_set(w, own.element, r->loop, TURN_AFTER);
        if (begin.count != after.count || begin.count == 0)
            return;
        uint64_t turn = field_add(after.v[0], field_neg(begin.v[0]));
        j->advance = field_mul(turn, field_inverse(own.steps));
        for (uint32_t i = 1; own.elements && i < own.steps; i++) { /* the first: a step before none of the others */
            struct set other = address_set(w, own.elements[i], r->loop, TURN_AFTER);
            uint64_t way = other.count ? field_add(after.v[0], field_neg(other.v[0])) : 0;
            for (uint32_t k = 1; k < own.steps && other.count; k++)
                if (way == field_mul(j->advance, k)) {
                    after = other;
                    break;
                }
        }
        VEC_PUSH(w->a, j->ends, after);
    }
    uint32_t parent = w->g->loops.p[r->loop].parent;
    for (size_t at = 0; at < j->flow.n; at++) {
        /* Loops that start from what flows here, then straight code on it. */
        uint32_t s = 0;
        bool any = map_u64_get(&w->starts, j->flow.p[at], &s);
        for (uint32_t next = any ? s + 1 : 0; next; next = w->start_list.p[next - 1].next) {
            struct cycle_region *other = &w->regions[w->start_list.p[next - 1].region];
            if (other != r && other->cycle < 0 && w->g->loops.p[other->loop].parent == parent && other->chains.n > 0)
                try_loop(j, chain, other);
        }
        if (w->budget > 0 && !w->between[j->flow.p[at]])
            try_straight(j, chain, j->flow.p[at]);
    }
}

/* ---- stores in the place of accumulators ------------------------------------------------------- */

static bool matches_store(struct joiner *j, const struct graph_access *t, const struct graph_access *s, struct run *run)
{
    struct matcher m = {.w = j->w, .r = j->r};
    if (s->kind != t->kind || s->space != t->space || s->width != t->width ||
        cycle_root(j->w->g, s->address) != cycle_root(j->w->g, t->address) || !is_index(&m, t->address, 0))
        return false;
    for (unsigned k = 0; k < 4; k++)
        if ((t->value[k] != GRAPH_NIL || s->value[k] != GRAPH_NIL) && !match(&m, t->value[k], s->value[k], 0))
            return false;
    j->w->budget -= j->w->budget > m.steps ? m.steps : j->w->budget;
    for (size_t i = 0; i < m.pairs.n; i++)
        VEC_PUSH(j->w->a, run->pairs, m.pairs.p[i]);
    return true;
}

/* Stores of a stretch of instances that are the step's. *begin: the address none of the others comes before. */
static uint32_t gather_stores(struct joiner *j, const struct graph_access *t, const uint32_t *blocks, uint32_t count,
                              uint32_t loop, struct set *begin, struct run *run)
{
    const struct graph *g = j->w->g;
    VEC(struct set) at = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_block *b = &g->blocks.p[blocks[i]];
        for (uint32_t k = b->first; k <= b->last && b->reachable; k++)
            for (uint32_t x = g->insns.p[k].first_access; x < g->insns.p[k].first_access + g->insns.p[k].access_count;
                 x++)
                if (matches_store(j, t, &g->accesses.p[x], run))
                    VEC_PUSH(j->w->a, at, address_set(j->w, g->accesses.p[x].address, loop, TURN_FIRST));
    }
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < at.n; i++) {
        struct set before = at.p[i];
        for (unsigned k = 0; k < before.count; k++)
            before.v[k] = field_add(before.v[k], field_neg(j->advance));
        bool any = false;
        for (uint32_t k = 0; k < at.n && !any && before.count; k++)
            any = k != i && at.p[k].count && at.p[k].v[0] == before.v[0];
        if (!any && first != UINT32_MAX)
            return 0; /* not in a row */
        if (!any)
            first = i;
    }
    if (first == UINT32_MAX)
        return 0;
    *begin = at.p[first];
    return (uint32_t)at.n;
}

static void join_stores(struct joiner *j)
{
    struct cycle_work *w = j->w;
    struct cycle_region *r = j->r;
    const struct graph *g = w->g;
    const struct graph_access *t = NULL;
    for (uint32_t i = 0; i < r->block_count && !t; i++) {
        const struct graph_block *b = &g->blocks.p[r->blocks[i]];
        for (uint32_t k = b->first; k <= b->last && !t && b->loop == r->loop + 1; k++)
            for (uint32_t x = g->insns.p[k].first_access; x < g->insns.p[k].first_access + g->insns.p[k].access_count;
                 x++)
                if (g->accesses.p[x].kind != GRAPH_LOAD)
                    t = &g->accesses.p[x];
    }
    if (!t)
        return;
    struct set begin = address_set(w, t->address, r->loop, TURN_LAST);
    struct set after = address_set(w, t->address, r->loop, TURN_AFTER);
    if (begin.count != 1 || after.count != 1 || begin.v[0] == after.v[0])
        return;
    uint64_t turn = field_add(after.v[0], field_neg(begin.v[0]));
    j->advance = field_mul(turn, field_inverse(r->unroll));
    struct run own = {0};
    struct set first = {0};
    if (gather_stores(j, t, r->blocks, r->block_count, r->loop, &first, &own) != r->unroll)
        return; /* several a step: no single element to follow */
    note_copies(j, &own);
    /* The end: the first element, a turn after the last. */
    end_at(j, first, field_mul(turn, field_add(cycle_turns(w, r), 1)));
    uint32_t parent = g->loops.p[r->loop].parent;
    uint32_t idle = 0; /* blocks since the last piece */
    for (uint32_t b = g->loops.p[r->loop].header + 1; b < g->blocks.n && w->budget > 0 && idle < IDLE_MAX; b++, idle++) {
        uint32_t l = g->blocks.p[b].loop;
        struct run run = {0};
        struct set at = {0};
        if (l == parent && g->blocks.p[b].reachable) {
            uint32_t n = gather_stores(j, t, &b, 1, UINT32_MAX, &at, &run);
            uint32_t *blocks = ARENA_ARRAY(w->a, uint32_t, 1);
            if (n == 0 || !blocks)
                continue;
            if (!goes_on(j, &at))
                break; /* the same from elsewhere: another loop of the source */
            blocks[0] = b;
            add_piece(j, (struct graph_piece){.straight = true,
                                              .loop = UINT32_MAX,
                                              .first = g->blocks.p[b].first,
                                              .last = g->blocks.p[b].last,
                                              .unroll = n,
                                              .blocks = blocks,
                                              .block_count = 1},
                      (struct part){.chain = UINT32_MAX});
            note_copies(j, &run);
            end_at(j, at, field_mul(j->advance, n));
            idle = 0;
        } else if (l && g->loops.p[l - 1].header == b && g->loops.p[l - 1].parent == parent && l - 1 != r->loop &&
                   w->regions[l - 1].cycle < 0 && w->regions[l - 1].chains.n == 0) {
            struct cycle_region *other = &w->regions[l - 1];
            uint32_t n = gather_stores(j, t, other->blocks, other->block_count, l - 1, &at, &run);
            if (n == 0 || n != other->unroll)
                continue;
            if (!goes_on(j, &at))
                break;
            add_loop(j, other, n);
            note_copies(j, &run);
            end_at(j, at, field_mul(field_mul(j->advance, n), field_add(cycle_turns(w, other), 1)));
            idle = 0;
        }
    }
}

uint64_t cycle_turns(struct cycle_work *w, struct cycle_region *r)
{
    struct evaluator e = {.w = w, .loop = UINT32_MAX};
    return last_turn(&e, r);
}

/* ---- one cycle -------------------------------------------------------------------------------- */

static void make_folds(struct joiner *j)
{
    struct cycle_work *w = j->w;
    const struct graph_cycle *c = j->c;
    const struct graph_piece *best = &c->pieces.p[c->best];
    struct cycle_region *r = best->loop == UINT32_MAX ? j->r : &w->regions[best->loop];
    bool done[64] = {0};
    for (uint32_t i = 0; i < r->chains.n && i < 64; i++) {
        struct graph_fold fold = {.cycle = (uint32_t)j->r->cycle};
        for (uint32_t k = i; k < r->chains.n && k < 64 && fold.count < GRAPH_FOLD_MAX; k++) {
            const struct cycle_chain *x = &r->chains.p[k];
            if (done[k] || x->group != r->chains.p[i].group)
                continue;
            done[k] = true;
            unsigned at = fold.count++;
            fold.phi[at] = r->phis[x->phi].phi;
            fold.start[at] = k < j->r->chains.n ? j->r->phis[j->r->chains.p[k].phi].start : GRAPH_NIL;
            fold.in[at] = x->in;
            fold.out[at] = x->flat ? x->out : x->cut[x->period ? x->period : x->count];
            fold.reassociated |= x->flat && x->count > 1;
            fold.result[at] = x->out;
        }
        if (fold.count)
            VEC_PUSH(w->a, w->out->folds, fold);
    }
}

/* Two straight pieces of one block: each from its first instruction to its last. */
static void part_pieces(struct joiner *j)
{
    struct graph_cycle *c = j->c;
    for (size_t i = 0; i < c->pieces.n; i++) {
        bool shared = false;
        for (size_t k = 0; k < c->pieces.n && c->pieces.p[i].straight && !shared; k++)
            shared = k != i && c->pieces.p[k].straight && c->pieces.p[k].blocks[0] == c->pieces.p[i].blocks[0];
        if (!shared || j->parts.p[i].begin > j->parts.p[i].end)
            continue;
        c->pieces.p[i].first = j->parts.p[i].begin;
        c->pieces.p[i].last = j->parts.p[i].end;
    }
}

static void sort_pieces(struct graph_cycle *c)
{
    for (size_t i = 1; i < c->pieces.n; i++) {
        struct graph_piece p = c->pieces.p[i];
        size_t k = i;
        for (; k > 0 && c->pieces.p[k - 1].first > p.first; k--)
            c->pieces.p[k] = c->pieces.p[k - 1];
        c->pieces.p[k] = p;
    }
    c->unroll = 0;
    for (uint32_t i = 0; i < c->pieces.n; i++) {
        const struct graph_piece *p = &c->pieces.p[i], *best = &c->pieces.p[c->best];
        c->first = i == 0 || p->first < c->first ? p->first : c->first;
        c->last = i == 0 || p->last > c->last ? p->last : c->last;
        c->unroll = p->unroll > c->unroll ? p->unroll : c->unroll;
        if (best->straight ? !p->straight : !p->straight && p->unroll < best->unroll)
            c->best = i;
    }
}

void cycle_join_pieces(struct cycle_work *w, struct cycle_region *r, struct graph_cycle *c)
{
    struct joiner j = {.w = w, .r = r, .c = c, .until = UINT32_MAX};
    VEC_PUSH(w->a, j.parts, (struct part){.chain = UINT32_MAX}); /* the loop itself */
    if (c->irreducible || arena_failed(w->a))
        return;
    for (uint32_t i = 0; i < r->chains.n && i < CHAINS_MAX; i++) {
        join_chain(&j, i);
    }
    if (r->chains.n == 0)
        join_stores(&j);
    part_pieces(&j);
    sort_pieces(c);
    make_folds(&j);
}
