/* One step of a loop, as a term over holes, matched on other code (D6): on straight code upwards from the value that
 * the accumulator has there, on another loop from its phi, on stores. Holes are old and new accumulators, elements (an
 * address over the same array), indices; what never changes in the loop must be the same value, as far as the path to
 * it lets one see.
 *
 * requires: chains with periods · gives: runs of steps with the nodes that play the parts of the first one's */
#include "graph/graph_piece.h"

#include <string.h>

enum { MATCH_DEPTH = 60, CLIMB_MAX = 48 };

static unsigned bits_of(const struct graph *g, graph_id id)
{
    return uop_type_bits((enum uop_type)graph_at(g, id)->type);
}

/* ---- matching a step -------------------------------------------------------------------------- */

struct matcher {
    struct cycle_work *w;
    struct cycle_region *r; /* whose step it is */
    graph_id old[CYCLE_CHAINS_MAX], now[CYCLE_CHAINS_MAX];
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
        struct cycle_phi *p = cycle_loop_phi(m->w, id, &r);
        return p && r == m->r && p->step_kind == CYCLE_STEP_ADD;
    }
    bool passes = n->kind == UOP_ADD || n->kind == UOP_MUL || n->kind == UOP_NEG || n->kind == UOP_NOT ||
                  n->kind == UOP_SEXT || n->kind == UOP_ZEXT || n->kind == UOP_UNIFORM;
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

bool cycle_word_of(const struct graph *g, graph_id id, struct cycle_word *out)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_LOAD) {
        *out = (struct cycle_word){id, n->arg[0], 0, n->space, n->flags, n->width};
        return true;
    }
    const struct graph_node *of = n->arg_count ? graph_at(g, n->arg[0]) : NULL;
    if (!of || of->kind != UOP_LOAD)
        return false;
    if (n->kind == UOP_ELEMENT)
        *out = (struct cycle_word){n->arg[0], of->arg[0], 4 * n->imm, of->space, of->flags, 4};
    else if (of->width == 8 && (n->kind == UOP_LO || n->kind == UOP_HI))
        *out = (struct cycle_word){n->arg[0], of->arg[0], n->kind == UOP_HI ? 4 : 0, of->space, of->flags, 4};
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
    if (depth > 12 || ++m->steps > CYCLE_STEPS_MAX)
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

static bool match_word(struct matcher *m, const struct cycle_word *a, const struct cycle_word *b, unsigned depth)
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

static bool bind(graph_id *slot, graph_id n)
{
    if (*slot == GRAPH_NIL)
        *slot = n;
    return *slot == n;
}

static bool match_args(struct matcher *m, const struct graph_node *a, const struct graph_node *b, unsigned depth)
{
    unsigned turns = uop_commutes((enum uop_kind)a->kind) || (a->kind == GRAPH_BOOL && a->arg_count == 2) ? 2 : 1;
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

static bool is_condition(const struct graph_node *n)
{
    return n->kind == GRAPH_BOOL || n->kind == UOP_ILT_S || n->kind == UOP_ILT_U;
}

/* One atom of a condition; *turned: i < k stands for !(k < i), which is how i < k + 1 is written. */
static bool match_atom(struct matcher *m, graph_id t, graph_id n, bool *turned, unsigned depth)
{
    const struct graph_node a = *graph_at(m->w->g, t), b = *graph_at(m->w->g, n);
    bool order = (a.kind == UOP_ILT_S || a.kind == UOP_ILT_U) && b.kind == a.kind;
    struct matcher before = *m;
    unsigned steps;
    *turned = false;
    if (!order)
        return match(m, t, n, depth + 1);
    if (match(m, a.arg[0], b.arg[0], depth + 1) && match(m, a.arg[1], b.arg[1], depth + 1))
        return true;
    steps = m->steps;
    *m = before;
    m->steps = steps;
    *turned = true;
    if (cycle_varies(m->w, m->r->loop, t) && match(m, a.arg[0], b.arg[1], depth + 1) &&
        match(m, a.arg[1], b.arg[0], depth + 1))
        return true;
    steps = m->steps;
    *m = before;
    m->steps = steps;
    return false;
}

/* Two conditions over as many atoms, in whatever order; *contrary: the one asks for the contrary of the other. */
static bool match_condition(struct matcher *m, graph_id t, graph_id n, bool *contrary, unsigned depth)
{
    const struct graph_node a = *graph_at(m->w->g, t), b = *graph_at(m->w->g, n);
    bool tables[2] = {a.kind == GRAPH_BOOL, b.kind == GRAPH_BOOL};
    unsigned count = tables[0] ? a.arg_count : 1, used = 0, place[6], turns = 0;
    if (count != (tables[1] ? b.arg_count : 1))
        return false;
    for (unsigned k = 0; k < count; k++) {
        bool found = false, turned = false;
        for (unsigned l = 0; l < count && !found; l++) {
            found =
                !(used >> l & 1) && match_atom(m, tables[0] ? a.arg[k] : t, tables[1] ? b.arg[l] : n, &turned, depth);
            place[k] = l;
        }
        if (!found)
            return false;
        used |= 1u << place[k];
        turns |= (unsigned)turned << k;
    }
    bool same = true, other = true;
    for (unsigned row = 0; row < 1u << count; row++) {
        unsigned there = 0;
        for (unsigned k = 0; k < count; k++)
            there |= ((row >> k & 1) ^ (turns >> k & 1)) << place[k];
        bool x = (tables[0] ? a.imm : 2) >> row & 1, y = (tables[1] ? b.imm : 2) >> there & 1;
        same &= x == y;
        other &= x != y;
    }
    *contrary = other;
    return same || other;
}

/* The two were found to match a moment ago: x * x asks twice. */
static bool is_paired(const struct matcher *m, graph_id t, graph_id n)
{
    enum { LATEST = 16 };
    for (size_t i = m->pairs.n, seen = 0; i > 1 && seen < LATEST; i -= 2, seen++)
        if (m->pairs.p[i - 2] == t && m->pairs.p[i - 1] == n)
            return true;
    return false;
}

/* The operation of t is n's, whatever hole t may be. */
static bool match_term(struct matcher *m, graph_id t, graph_id n, unsigned depth)
{
    const struct graph *g = m->w->g;
    struct cycle_word x, y;
    if (depth > MATCH_DEPTH || ++m->steps > CYCLE_STEPS_MAX)
        return false;
    if (is_paired(m, t, n))
        return true;
    if (cycle_word_of(g, t, &x)) {
        if (!cycle_word_of(g, n, &y) || !match_word(m, &x, &y, depth))
            return false;
        VEC_PUSH(m->w->a, m->pairs, t);
        VEC_PUSH(m->w->a, m->pairs, n);
        return true;
    }
    const struct graph_node a = *graph_at(g, t), b = *graph_at(g, n);
    uint32_t call = cycle_joined_call(g, t);
    if (call && call == cycle_joined_call(g, n))
        return true;
    if (cycle_joins_answer(g, t) && cycle_joins_answer(g, n)) {
        bool same = a.phi_count == b.phi_count && a.type == b.type;
        for (uint32_t k = 0; k < a.phi_count && same; k++)
            same = match(m, a.phi_args[k], b.phi_args[k], depth + 1);
        return same;
    }
    bool contrary = false;
    const struct graph_node *asked = a.kind == UOP_SELECT ? graph_at(g, a.arg[0]) : NULL;
    if (is_condition(&a) && is_condition(&b))
        return match_condition(m, t, n, &contrary, depth + 1) && !contrary;
    if (asked && b.kind == UOP_SELECT && is_condition(asked) && is_condition(graph_at(g, b.arg[0])) &&
        cycle_varies(m->w, m->r->loop, a.arg[0])) {
        if (a.type != b.type || !match_condition(m, a.arg[0], b.arg[0], &contrary, depth + 1) ||
            !match(m, a.arg[2], b.arg[contrary ? 1 : 2], depth + 1) ||
            !match(m, a.arg[1], b.arg[contrary ? 2 : 1], depth + 1))
            return false;
        VEC_PUSH(m->w->a, m->pairs, t);
        VEC_PUSH(m->w->a, m->pairs, n);
        return true;
    }
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
    if (cycle_cut_at(w, m->r, t, &chain, &index) && chain < CYCLE_CHAINS_MAX) {
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
                for (uint32_t c = 0; c < r->chains.n && c < CYCLE_CHAINS_MAX && before; c++)
                    if (before->now[c] != GRAPH_NIL)
                        m.old[c] = before->now[c];
                bool ok = match_term(&m, root, user[i], 0);
                m.now[chain] = user[i];
                for (uint32_t c = 0; c < r->chains.n && c < CYCLE_CHAINS_MAX && ok;
                     c++) { /* those it reads step with it */
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

struct cycle_run cycle_follow(struct cycle_work *w, struct cycle_region *r, uint32_t chain, graph_id x, graph_id stop)
{
    struct cycle_run run = {.in = x, .out = x};
    struct matcher step, before;
    while (run.steps < CYCLE_STEPS_MAX && run.out != stop) {
        graph_id next = climb(w, r, chain, run.out, &step, run.steps ? &before : NULL);
        if (next == GRAPH_NIL)
            break;
        if (run.steps == 0) {
            run.from = step.address;
            run.element = step.element;
        }
        for (size_t i = 0; i < step.pairs.n; i++)
            VEC_PUSH(w->a, run.pairs, step.pairs.p[i]);
        before = step;
        VEC_PUSH(w->a, run.outs, next);
        VEC_PUSH(w->a, run.at, step.element);
        run.out = next;
        run.steps++;
    }
    return run;
}

bool cycle_step_back(struct cycle_work *w, struct cycle_region *r, uint32_t chain, graph_id now, struct cycle_run *run)
{
    const struct cycle_chain *c = &r->chains.p[chain];
    struct matcher m = {.w = w, .r = r};
    graph_id root = root_node(c);
    if (root == GRAPH_NIL || chain >= CYCLE_CHAINS_MAX || now == GRAPH_NIL || now >= w->nodes)
        return false;
    bool ok = match_term(&m, root, now, 0) && m.old[chain] != GRAPH_NIL;
    w->budget -= w->budget > m.steps ? m.steps : w->budget;
    if (!ok)
        return false;
    run->in = m.old[chain];
    run->from = m.address;
    run->element = m.element;
    run->steps++;
    VEC_PUSH(w->a, run->outs, now);
    for (size_t i = 0; i < m.pairs.n; i++)
        VEC_PUSH(w->a, run->pairs, m.pairs.p[i]);
    return true;
}

struct cycle_run cycle_gather(struct cycle_work *w, struct cycle_region *r, uint32_t chain, graph_id in, graph_id out)
{
    enum { TERMS = 256 };
    const struct cycle_chain *c = &r->chains.p[chain];
    const struct graph *g = w->g;
    unsigned kind = graph_at(g, c->out)->kind;
    struct cycle_run run = {.in = in, .out = in};
    graph_id terms[TERMS], elements[TERMS], kept[TERMS], root = out;
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
        kept[steps] = terms[i];
        elements[steps++] = m.element;
        for (size_t k = 0; k < m.pairs.n; k++)
            VEC_PUSH(w->a, run.pairs, m.pairs.p[k]);
    }
    if (own != 1)
        return run;
    run.element = elements[0];
    run.elements = ARENA_ARRAY(w->a, graph_id, steps);
    run.terms = ARENA_ARRAY(w->a, graph_id, steps);
    if (!run.elements || !run.terms)
        return run;
    memcpy(run.elements, elements, steps * sizeof elements[0]);
    memcpy(run.terms, kept, steps * sizeof kept[0]);
    run.steps = steps;
    run.out = root;
    VEC_PUSH(w->a, run.outs, root);
    run.sums = cycle_sums(w, in, root);
    return run;
}

/* ---- stores ------------------------------------------------------------------------------------ */

graph_id cycle_stored(const struct graph *g, const struct graph_access *s, unsigned k)
{
    const struct graph_node *n = graph_at(g, s->value[k]);
    bool half = s->width == 2 && k == 0 && (n->kind == UOP_PAIR || n->kind == UOP_ZEXT) && bits_of(g, n->arg[0]) == 16;
    return half ? n->arg[0] : s->value[k];
}

bool cycle_match_store(struct cycle_work *w, struct cycle_region *r, const struct graph_access *t,
                       const struct graph_access *s, struct cycle_run *run, graph_id *element)
{
    struct matcher m = {.w = w, .r = r};
    if (s->kind != t->kind || s->space != t->space || s->width != t->width ||
        cycle_root(w->g, s->address) != cycle_root(w->g, t->address))
        return false;
    bool direct = is_index(&m, t->address, 0);
    if (!direct && (!match(&m, t->address, s->address, 0) || m.element == GRAPH_NIL))
        return false;
    *element = direct ? s->address : m.element;
    for (unsigned k = 0; k < 4; k++)
        if ((t->value[k] != GRAPH_NIL || s->value[k] != GRAPH_NIL) &&
            !match(&m, cycle_stored(w->g, t, k), cycle_stored(w->g, s, k), 0))
            return false;
    w->budget -= w->budget > m.steps ? m.steps : w->budget;
    for (size_t i = 0; i < m.pairs.n; i++)
        VEC_PUSH(w->a, run->pairs, m.pairs.p[i]);
    if (cycle_stored(w->g, t, 0) != t->value[0]) { /* the registers that the halves stand in */
        VEC_PUSH(w->a, run->pairs, t->value[0]);
        VEC_PUSH(w->a, run->pairs, s->value[0]);
    }
    return true;
}
