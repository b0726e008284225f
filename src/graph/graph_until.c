/* The counter of a loop (D6) and its end: where it starts, how it goes on, and the condition that ends the loop, all as
 * expressions over that one node. Machine code often carries another multiple of it and tests that; what it tests is
 * rewritten by rules that are exact for unsigned numbers. A body of several steps moves it by all of them and may test
 * after each: what is told is one step, and the test that all copies are.
 *
 * requires: inductions, unroll · gives: the tested phi and its limit, counter, start, next, until, count */
#include "graph/graph_cycle_internal.h"
#include "graph/graph_rules.h"

enum { TERMS_MAX = 64, ATOM_DEPTH = 24 };

/* ---- until ------------------------------------------------------------------------------------ */

/* The compare atom in terms of shifts to the right: x < 2^b is x >> b == 0; and over the next value x >> t, where the
 * limit is a multiple of 2^t: x < m * 2^t is x >> t < m. */
static graph_id as_shift(struct cycle_work *w, const struct cycle_phi *p, graph_id following, graph_id atom)
{
    struct graph *g = w->g;
    const struct graph_node n = *graph_at(g, atom);
    uint64_t k;
    /* What only ever loses bits from above is never negative when its start is not. */
    bool natural = graph_is_natural(g, p->phi) || (p->step_kind == CYCLE_STEP_SHIFT && graph_is_natural(g, p->start));
    if (n.kind != UOP_ILT_U && n.kind != UOP_ILT_S)
        return atom;
    bool above = graph_is_const(g, n.arg[0], &k); /* k < x; else x < k */
    if (!above && !graph_is_const(g, n.arg[1], &k))
        return atom;
    graph_id x = above ? n.arg[1] : n.arg[0];
    uint64_t limit = above ? k + 1 : k, t = 0;
    if (limit == 0 || limit >> 31)
        return atom;
    /* Whether the half of a signed number is not zero is asked as 2 < x + 1, unsigned. */
    const struct graph_node *sum = graph_at(g, x);
    if (n.kind == UOP_ILT_U && sum->kind == UOP_ADD && graph_is_const(g, sum->arg[1], &k) && k < limit &&
        graph_is_natural(g, sum->arg[0])) {
        x = sum->arg[0];
        limit -= k;
    }
    if (n.kind == UOP_ILT_S && !(graph_is_natural(g, x) || (natural && cycle_bare(g, x) == p->phi))) {
        if ((limit & (limit - 1)) != 0 || limit < 2 || k >> 31)
            return atom; /* signed: x < 2^b is x >> b < 1, the shift rounding down */
        struct uop like = {.kind = UOP_ILT_S, .type = UOP_B1, .imm = n.imm};
        graph_id zero = graph_const(g, graph_type_of(g, x), 0);
        graph_id low =
            graph_op2(g, UOP_SAR, graph_type_of(g, x), x, graph_const(g, UOP_B32, (unsigned)__builtin_ctzll(limit)));
        graph_id positive = graph_pure(g, &like, (graph_id[]){zero, low}, 2);
        return above ? positive : graph_not(g, positive);
    }
    const struct graph_node *f = graph_at(g, following);
    bool next = following != GRAPH_NIL && (f->kind == UOP_SHR || f->kind == UOP_SAR) &&
                cycle_bare(g, f->arg[0]) == cycle_bare(g, x) && graph_is_const(g, f->arg[1], &t) && t < 31;
    if (next && limit % (UINT64_C(1) << t) == 0 && limit >> t > 1) {
        struct uop like = {.kind = n.kind, .type = UOP_B1, .imm = n.imm};
        graph_id less =
            graph_pure(g, &like, (graph_id[]){following, graph_const(g, graph_type_of(g, x), limit >> t)}, 2);
        return above ? graph_not(g, less) : less;
    }
    if ((limit & (limit - 1)) != 0)
        return atom;
    unsigned b = (unsigned)__builtin_ctzll(limit);
    enum uop_type type = graph_type_of(g, x);
    graph_id shifted = graph_op2(g, UOP_SHR, type, x, graph_const(g, UOP_B32, b));
    graph_id zero = graph_op2(g, UOP_IEQ, UOP_B1, shifted, graph_const(g, type, 0));
    return above ? graph_not(g, zero) : zero;
}

/* What is asked of a number before it is divided by 2^k, of its quotient: -2^k < x < 2^k, which is one unsigned
 * compare, is x / 2^k == 0; x < m * 2^k is x / 2^k < m for positive m. */
static graph_id as_quotient(struct graph *g, const struct cycle_phi *p, graph_id atom)
{
    const struct graph_node n = *graph_at(g, atom);
    uint64_t power = 1, k, c;
    enum uop_type type = graph_type_of(g, p->phi);
    graph_id following = cycle_bare(g, p->next);
    graph_is_const(g, p->step, &power);
    bool above = n.arg_count == 2 && graph_is_const(g, n.arg[0], &k); /* k < x; else x < k */
    if ((n.kind != UOP_ILT_S && n.kind != UOP_ILT_U) || (!above && !graph_is_const(g, n.arg[1], &k)) || k >> 30)
        return atom;
    graph_id x = cycle_bare(g, above ? n.arg[1] : n.arg[0]);
    uint64_t limit = above ? k + 1 : k;
    if (n.kind == UOP_ILT_U) {
        const struct graph_node *sum = graph_at(g, x);
        if (sum->kind != UOP_ADD || cycle_bare(g, sum->arg[0]) != p->phi || !graph_is_const(g, sum->arg[1], &c) ||
            c != power - 1 || limit != 2 * power - 1)
            return atom;
        graph_id zero = graph_op2(g, UOP_IEQ, UOP_B1, following, graph_const(g, type, 0));
        return above ? graph_not(g, zero) : zero;
    }
    if (x != p->phi || limit == 0 || limit % power != 0)
        return atom;
    struct uop like = {.kind = UOP_ILT_S, .type = UOP_B1, .imm = n.imm};
    graph_id less = graph_pure(g, &like, (graph_id[]){following, graph_const(g, type, limit / power)}, 2);
    return above ? graph_not(g, less) : less;
}

/* Behind the loop instructions take the value that the last turn began with, none the next one: the source's test
 * stands before it counts on. */
static bool leaves_uncounted(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *p)
{
    const struct graph *g = w->g;
    bool own = false;
    if (w->budget < g->insns.n)
        return false;
    w->budget -= g->insns.n;
    for (size_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        if (cycle_in_loop(w, n->block, r->loop))
            continue;
        for (uint32_t u = n->first_use; u < n->first_use + n->use_count; u++) {
            graph_id node = g->uses.p[u].node;
            bool next = node != GRAPH_NIL && (node == p->next || cycle_bare(g, node) == cycle_bare(g, p->next));
            if (next)
                return false;
            own |= node == p->phi;
        }
        for (uint32_t x = n->first_access; x < n->first_access + n->access_count; x++)
            for (unsigned k = 0; k < 4; k++)
                own |= g->accesses.p[x].value[k] == p->phi;
    }
    uint32_t count;
    const graph_id *users = graph_users(g, p->phi, &count);
    for (uint32_t i = 0; i < count && !own; i++) /* ways out of the loop, or round it, meet */
        own = graph_at(g, users[i])->kind == GRAPH_PHI && !graph_is_loop_phi(g, users[i]);
    users = graph_users(g, cycle_bare(g, p->next), &count);
    for (uint32_t i = 0; i < count && own; i++)
        own = graph_at(g, users[i])->kind != GRAPH_PHI || graph_is_loop_phi(g, users[i]);
    return own;
}

/* The counter decides whether it holds. (With 0 in its place it may be true, which is no node.) */
static bool asks_for(struct cycle_work *w, graph_id cond, graph_id counter)
{
    struct graph *g = w->g;
    graph_id atoms[6], zero = graph_const(g, graph_type_of(g, counter), 0);
    unsigned count;
    uint64_t table;
    bool asks = false;
    if (!graph_table(g, cond, atoms, &count, &table))
        return false;
    for (unsigned i = 0; i < count; i++) {
        graph_id with = cycle_replace(w, atoms[i], counter, zero);
        if (with == GRAPH_NIL)
            return false;
        asks |= with != atoms[i];
    }
    return asks;
}

/* `leaves` over the counter: what the counter is when the test is made. */
static graph_id express_test(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *p,
                             graph_id counter, graph_id following, const struct cycle_exit *e)
{
    struct graph *g = w->g;
    graph_id atoms[6], cond = e->leaves;
    unsigned count;
    uint64_t table;
    if (!graph_table(g, cond, atoms, &count, &table))
        return GRAPH_NIL;
    bool behind = e->block == g->loops.p[r->loop].latch, quotient = p->step_kind == CYCLE_STEP_DIVIDE && behind;
    for (unsigned i = 0; i < count && (p->step_kind == CYCLE_STEP_SHIFT || quotient); i++) {
        graph_id shifted = quotient ? as_quotient(g, p, atoms[i]) : as_shift(w, p, following, atoms[i]);
        if (shifted != atoms[i])
            cond = cycle_replace(w, cond, atoms[i], shifted);
    }
    if (cond == GRAPH_NIL)
        return GRAPH_NIL;
    graph_id replaced = following == GRAPH_NIL ? cond : cycle_replace(w, cond, following, counter);
    if (replaced == GRAPH_NIL)
        return GRAPH_NIL;
    if (replaced != cond)
        return replaced;
    /* Not made of the next value: of the one before. */
    if (!behind || counter != p->phi)
        return !behind && asks_for(w, cond, counter) ? cond : (graph_id)GRAPH_NIL;
    if (p->step_kind != CYCLE_STEP_ADD)
        return GRAPH_NIL;
    if (leaves_uncounted(w, r, p))
        return cond;
    graph_id before = graph_op2(g, UOP_ADD, graph_type_of(g, p->phi), p->phi,
                                graph_op1(g, UOP_NEG, graph_type_of(g, p->phi), p->step));
    if (p->constant)
        before = graph_op2(g, UOP_ADD, graph_type_of(g, p->phi), p->phi,
                           graph_const(g, graph_type_of(g, p->phi), (uint64_t)-p->amount));
    return cycle_replace(w, cond, p->phi, before);
}

/* Only this counter and invariants decide. */
static bool tests_only(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *p, graph_id id,
                       unsigned depth)
{
    const struct graph *g = w->g;
    id = cycle_bare(g, id);
    if (id == p->phi || !cycle_varies(w, r->loop, id))
        return true;
    const struct graph_node *n = graph_at(g, id);
    bool integer = (n->kind >= UOP_ADD && n->kind <= UOP_SAR) || n->kind == UOP_SEXT || n->kind == UOP_ZEXT ||
                   n->kind == UOP_LO || n->kind == UOP_HI || n->kind == UOP_IEQ || n->kind == UOP_ILT_S ||
                   n->kind == UOP_ILT_U || n->kind == GRAPH_BOOL;
    if (!integer || depth > ATOM_DEPTH || w->budget == 0)
        return false;
    w->budget--;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (!tests_only(w, r, p, n->arg[k], depth + 1))
            return false;
    return true;
}

static const struct cycle_exit *exit_of(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *p)
{
    for (size_t i = 0; i < r->exits.n; i++) {
        graph_id leaves = r->exits.p[i].leaves;
        if (leaves == GRAPH_NIL || graph_is_const(w->g, leaves, NULL))
            continue;
        graph_id atoms[6];
        unsigned count;
        uint64_t table;
        bool only = graph_table(w->g, leaves, atoms, &count, &table), any = false;
        for (unsigned k = 0; k < count && only; k++) {
            any |= cycle_varies(w, r->loop, atoms[k]);
            only = tests_only(w, r, p, atoms[k], 0);
        }
        if (only && any)
            return &r->exits.p[i];
    }
    return NULL;
}

/* The phi that the loop's own test looks at, and the test. */
static const struct cycle_exit *tested_phi(struct cycle_work *w, struct cycle_region *r, struct cycle_phi **out)
{
    for (uint32_t i = 0; i < r->phi_count; i++) {
        struct cycle_phi *p = &r->phis[i];
        const struct cycle_exit *e = p->step_kind != CYCLE_STEP_NONE && p->test ? exit_of(w, r, p) : NULL;
        if (e) {
            *out = p;
            return e;
        }
    }
    return NULL;
}

/* The value at which `t` ends the loop: the test is t == limit, whatever its spelling; NIL otherwise. Of a wide counter
 * that comes from below, the low word is tested: it is the limit when all of it is, for the first time. */
static graph_id equality_limit(struct cycle_work *w, graph_id until, const struct cycle_phi *t)
{
    const struct graph *g = w->g;
    const struct graph_node *n = graph_at(g, until);
    uint64_t from;
    if (until == GRAPH_NIL || n->kind != UOP_IEQ)
        return GRAPH_NIL;
    bool rises = t->step_kind == CYCLE_STEP_ADD && t->constant && t->amount > 0 && t->start != GRAPH_NIL &&
                 graph_is_const(g, t->start, &from) && from <= INT32_MAX;
    for (unsigned k = 0; k < 2; k++) {
        const struct graph_node *low = graph_at(g, n->arg[k]);
        if (n->arg[k] == t->phi || (rises && low->kind == UOP_LO && low->type == UOP_B32 && low->arg[0] == t->phi))
            return n->arg[!k];
    }
    return GRAPH_NIL;
}

static graph_id minus(struct graph *g, graph_id a, graph_id b)
{
    enum uop_type type = graph_type_of(g, a);
    uint64_t k;
    if (graph_is_const(g, b, &k))
        return graph_op2(g, UOP_ADD, type, a, graph_const(g, type, 0 - k));
    return graph_op2(g, UOP_ADD, type, a, graph_op1(g, UOP_NEG, type, b));
}

void cycle_find_test(struct cycle_work *w, struct cycle_region *r)
{
    struct cycle_phi *p = NULL;
    const struct cycle_exit *e = tested_phi(w, r, &p);
    r->tested = -1;
    if (!e)
        return;
    r->tested = (int32_t)(p - r->phis);
    graph_id until = p->next == GRAPH_NIL ? GRAPH_NIL : express_test(w, r, p, p->phi, cycle_bare(w->g, p->next), e);
    const struct graph_loop *l = &w->g->loops.p[r->loop];
    r->tests_first = e->block == l->header && l->header != l->latch;
    r->limit = e->block == l->latch || r->tests_first ? equality_limit(w, until, p) : GRAPH_NIL;
}

/* Steps of the source until `t` ends the loop, where that is one subtraction. */
static graph_id find_count(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *t,
                           graph_id until)
{
    struct graph *g = w->g;
    graph_id limit = equality_limit(w, until, t), total;
    uint64_t from = 0;
    if (r->exits.n != 1 || t->step_kind != CYCLE_STEP_ADD || !t->constant || t->amount == 0 || t->start == GRAPH_NIL)
        return GRAPH_NIL;
    const struct graph_node *n;
    int64_t step = t->amount < 0 ? -t->amount : t->amount;
    if (limit != GRAPH_NIL && graph_type_of(g, limit) != graph_type_of(g, t->start)) {
        graph_is_const(g, t->start, &from);
        total = minus(g, limit, graph_const(g, graph_type_of(g, limit), from));
    } else if (limit != GRAPH_NIL) {
        total = t->amount > 0 ? minus(g, limit, t->start) : minus(g, t->start, limit);
    } else {
        /* Ends at t >= limit; that the first turn is right is the guard's before the loop. */
        uint64_t table;
        graph_id atoms[6];
        unsigned count;
        if (t->amount != 1 || !graph_table(g, until, atoms, &count, &table) || count != 1 || table != 1)
            return GRAPH_NIL;
        n = graph_at(g, atoms[0]);
        if ((n->kind != UOP_ILT_S && n->kind != UOP_ILT_U) || n->arg[0] != t->phi)
            return GRAPH_NIL;
        limit = n->arg[1];
        struct uop like = {.kind = n->kind, .type = UOP_B1, .imm = n->imm};
        graph_id entered = graph_pure(g, &like, (graph_id[]){t->start, limit}, 2);
        uint64_t known;
        graph_id path = g->blocks.p[g->loops.p[r->loop].header].path;
        bool always = graph_is_const(g, entered, &known) && known;
        if (!always && (path == GRAPH_NIL || !graph_implies(g, path, entered)))
            return GRAPH_NIL;
        total = minus(g, limit, t->start);
    }
    uint64_t k;
    if ((int64_t)r->unroll == step)
        return total;
    if (graph_is_const(g, total, &k) && k % (uint64_t)step == 0)
        return graph_const(g, graph_type_of(g, total), k / (uint64_t)step * r->unroll);
    const struct graph_node *m = graph_at(g, total);
    if (r->unroll == 1 && m->kind == UOP_MUL && graph_is_const(g, m->arg[1], &k) && k == (uint64_t)step)
        return m->arg[0];
    return GRAPH_NIL;
}

/* What one step of several in a turn adds; NIL: the turn's sum does not say. */
static graph_id step_of_many(struct graph *g, const struct cycle_region *r, const struct cycle_phi *p)
{
    uint64_t k;
    enum uop_type type = graph_type_of(g, p->phi);
    int64_t many = r->unroll;
    if (many <= 1)
        return p->step;
    if (p->constant)
        return p->amount % many == 0 ? graph_const(g, type, (uint64_t)(p->amount / many)) : (graph_id)GRAPH_NIL;
    const struct graph_node *n = graph_at(g, p->step);
    if (n->kind == UOP_MUL && graph_is_const(g, n->arg[1], &k) && k && k % (uint64_t)many == 0)
        return graph_op2(g, UOP_MUL, type, n->arg[0], graph_const(g, type, k / (uint64_t)many));
    graph_id terms[TERMS_MAX], sum = GRAPH_NIL;
    uint32_t count;
    if (!cycle_flatten(g, p->step, UOP_ADD, terms, TERMS_MAX, &count))
        return GRAPH_NIL;
    for (uint32_t i = 0; i < count; i++) { /* each so often as there are steps */
        uint32_t often = 0, before = 0;
        for (uint32_t at = 0; at < count; at++) {
            often += terms[at] == terms[i];
            before += at < i && terms[at] == terms[i];
        }
        if (often % r->unroll != 0)
            return GRAPH_NIL;
        if (before < often / r->unroll)
            sum = sum == GRAPH_NIL ? terms[i] : graph_op2(g, UOP_ADD, type, sum, terms[i]);
    }
    return sum;
}

/* Copies of the loop's test, each behind a copy of the body: the condition over the counter that all of them are. */
static graph_id test_of_copies(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *p,
                               graph_id step)
{
    struct graph *g = w->g;
    enum uop_type type = graph_type_of(g, p->phi);
    graph_id until = GRAPH_NIL;
    for (size_t i = 0; i < r->exits.n; i++) {
        graph_id leaves = r->exits.p[i].leaves, is = GRAPH_NIL, following = p->phi;
        if (leaves != GRAPH_NIL && graph_is_const(g, leaves, NULL))
            continue;
        for (uint32_t k = 1; k <= r->unroll && leaves != GRAPH_NIL && is == GRAPH_NIL; k++) {
            following = k == r->unroll ? cycle_bare(g, p->next) : graph_op2(g, UOP_ADD, type, following, step);
            is = cycle_replace(w, leaves, following, p->phi);
            is = is == leaves || (until != GRAPH_NIL && is != until) ? (graph_id)GRAPH_NIL : is;
        }
        if (is == GRAPH_NIL)
            return GRAPH_NIL;
        until = is;
    }
    return until;
}

void cycle_choose_counter(struct cycle_work *w, struct cycle_region *r, struct graph_cycle *c)
{
    struct graph *g = w->g;
    if (r->counter < 0)
        return;
    const struct cycle_phi *own = &r->phis[r->counter];
    if (own->step_kind == CYCLE_STEP_ADD && step_of_many(g, r, own) == GRAPH_NIL && r->tested >= 0 &&
        r->phis[r->tested].step_kind == CYCLE_STEP_ADD && !r->phis[r->tested].pointer &&
        step_of_many(g, r, &r->phis[r->tested]) != GRAPH_NIL)
        r->counter = r->tested; /* the other one counts turns of the machine's loop */
    struct cycle_phi *p = &r->phis[r->counter], *tested = NULL;
    graph_id counter = p->expr == GRAPH_NIL ? p->phi : p->expr;
    enum uop_type type = graph_type_of(g, counter);
    /* Only a shift of a shifted number has its own next value as an expression of itself. */
    bool derived = counter != p->phi;
    if (derived &&
        (p->step_kind != CYCLE_STEP_SHIFT || graph_at(g, counter)->kind != graph_at(g, cycle_bare(g, p->next))->kind))
        counter = p->phi, derived = false;
    c->counter = counter;
    c->start = derived ? cycle_replace(w, counter, p->phi, p->start) : p->start;
    graph_id following = p->next;
    if (derived)
        following = cycle_replace(w, counter, p->phi, p->next);
    if (p->step_kind == CYCLE_STEP_ADD) {
        graph_id step = step_of_many(g, r, p);
        if (step == GRAPH_NIL) { /* it counts turns of the machine's loop, several steps of the source's each */
            c->counter = c->start = GRAPH_NIL;
            return;
        }
        c->next = graph_op2(g, UOP_ADD, type, counter, step);
        if (r->unroll > 1 && r->exits.n > 1) {
            c->until = test_of_copies(w, r, p, step);
            return;
        }
    } else if (p->step_kind == CYCLE_STEP_DIVIDE) {
        c->next = cycle_bare(g, p->next);
        if (r->unroll > 1) {
            c->counter = c->start = c->next = GRAPH_NIL;
            return;
        }
    } else { /* as it stands, not simplified into a shift of what is shifted already */
        struct graph_node n = *graph_at(g, cycle_bare(g, p->next));
        for (unsigned k = 0; k < 2; k++)
            if (n.arg[k] != p->step || k == 0)
                n.arg[k] = k == 0 ? counter : n.arg[k];
        n.arg[1] = p->step;
        if (p->constant && r->unroll > 1 && p->step_kind == CYCLE_STEP_SHIFT && p->amount % (int64_t)r->unroll == 0)
            n.arg[1] = graph_const(g, UOP_B32, (uint64_t)p->amount / r->unroll);
        c->next = graph_intern(g, &n);
    }
    const struct cycle_exit *e = exit_of(w, r, p);
    if (e) {
        /* A body of several steps tests after each: the next value is a step on, not a turn. */
        bool steps =
            p->step_kind == CYCLE_STEP_SHIFT && p->constant && r->unroll > 1 && p->amount % (int64_t)r->unroll == 0;
        if (steps)
            following = graph_op2(g, (enum uop_kind)graph_at(g, cycle_bare(g, p->next))->kind, type, counter,
                                  graph_const(g, UOP_B32, (uint64_t)p->amount / r->unroll));
        c->until = express_test(w, r, p, counter, cycle_bare(g, following), e);
        tested = p;
        if (c->until == GRAPH_NIL && following != cycle_bare(g, following))
            c->until = express_test(w, r, p, counter, following, e);
        if (!derived)
            r->count = find_count(w, r, p, c->until);
        c->count = r->count;
        return;
    }
    e = tested_phi(w, r, &tested);
    if (!e)
        return;
    graph_id until = express_test(w, r, tested, tested->phi, cycle_bare(g, tested->next), e);
    r->count = c->count = find_count(w, r, tested, until);
    graph_id limit = equality_limit(w, until, tested);
    bool both = p->step_kind == CYCLE_STEP_ADD && tested->step_kind == CYCLE_STEP_ADD && p->constant &&
                tested->constant && tested->amount && !derived;
    if (!both || limit == GRAPH_NIL || p->amount % tested->amount != 0 || graph_type_of(g, limit) != type)
        return;
    graph_id way = minus(g, limit, tested->start); /* the counter goes the same way, times the ratio of the steps */
    way = graph_op2(g, UOP_MUL, type, way, graph_const(g, type, (uint64_t)(p->amount / tested->amount)));
    c->until = graph_op2(g, UOP_IEQ, UOP_B1, counter, graph_op2(g, UOP_ADD, type, p->start, way));
}
