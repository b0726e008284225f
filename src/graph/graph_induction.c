/* Induction: loop phis that an invariant step moves, where a turn uses them (addresses, guards, the loop's test), and
 * which of them a reader would call the loop's counter (D6): the one that guards and addresses use. What it begins with
 * and where it ends is graph_until.c's.
 *
 * requires: phis with start and next · gives: step kinds, uses, the counter's phi; replacing in expressions */
#include "graph/graph_cycle_internal.h"
#include "graph/graph_walk.h"

enum { TERMS_MAX = 64, ATOM_DEPTH = 24 };

/* ---- steps ------------------------------------------------------------------------------------ */

/* (x + (x < 0 ? 2^k - 1 : 0)) >> k: what is added is the sign, k bits of it. */
static bool is_quotient(const struct graph *g, graph_id id, graph_id x, uint64_t *power)
{
    const struct graph_node *n = graph_at(g, id), *sum = n->arg_count ? graph_at(g, n->arg[0]) : n;
    uint64_t bits = uop_type_bits((enum uop_type)n->type), k, by;
    if (n->kind != UOP_SAR || (bits != 32 && bits != 64) || !graph_is_const(g, n->arg[1], &k) || k == 0 || k > 30 ||
        sum->kind != UOP_ADD)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct graph_node *bias = graph_at(g, sum->arg[!i]);
        if (sum->arg[i] != x || bias->kind != UOP_SHR || !graph_is_const(g, bias->arg[1], &by) || by != bits - k)
            continue;
        const struct graph_node *sign = graph_at(g, bias->arg[0]);
        bool smeared =
            sign->kind == UOP_SAR && sign->arg[0] == x && graph_is_const(g, sign->arg[1], &by) && by == bits - 1;
        *power = UINT64_C(1) << k;
        return smeared || (k == 1 && bias->arg[0] == x); /* of a half the sign bit alone */
    }
    return false;
}

static void find_step(struct cycle_work *w, const struct cycle_region *r, struct cycle_phi *p)
{
    struct graph *g = w->g;
    graph_id terms[TERMS_MAX], next = cycle_bare(g, p->next);
    const struct graph_node *n = graph_at(g, next);
    uint32_t count;
    uint64_t power;
    if (next == GRAPH_NIL || p->start == GRAPH_NIL || n->type == UOP_B1)
        return;
    if (n->kind == UOP_ADD && cycle_flatten(g, next, UOP_ADD, terms, TERMS_MAX, &count)) {
        unsigned own = 0;
        graph_id step = GRAPH_NIL;
        for (uint32_t i = 0; i < count; i++) {
            if (terms[i] == p->phi) {
                own++;
                continue;
            }
            if (cycle_varies(w, r->loop, terms[i]))
                return;
            step = step == GRAPH_NIL ? terms[i] : graph_op2(g, UOP_ADD, graph_type_of(g, p->phi), step, terms[i]);
        }
        if (own != 1 || step == GRAPH_NIL)
            return;
        p->step_kind = CYCLE_STEP_ADD;
        p->step = step;
    } else if (is_quotient(g, next, p->phi, &power)) {
        p->step_kind = CYCLE_STEP_DIVIDE;
        p->step = graph_const(g, graph_type_of(g, p->phi), power);
        return;
    } else if ((n->kind == UOP_SHR || n->kind == UOP_SAR || n->kind == UOP_MUL) && n->arg_count == 2) {
        graph_id by = cycle_bare(g, n->arg[0]) == p->phi ? n->arg[1] : n->arg[0];
        bool other = n->kind == UOP_MUL && cycle_bare(g, n->arg[1]) == p->phi;
        if ((cycle_bare(g, n->arg[0]) != p->phi && !other) || cycle_varies(w, r->loop, by) || by == p->phi)
            return;
        p->step_kind = n->kind == UOP_MUL ? CYCLE_STEP_SCALE : CYCLE_STEP_SHIFT;
        p->step = by;
    } else {
        return;
    }
    p->constant = graph_is_const(g, p->step, NULL);
    p->amount = p->constant ? graph_signed_const(graph_at(g, p->step)) : 0;
    if (p->amount > INT64_MAX / 4 || p->amount < -(INT64_MAX / 4)) { /* no honest step; its negative must exist */
        p->constant = false;
        p->amount = 0;
    }
}

/* b - a where that is one constant on every way that both are chosen by. */
static bool differ_by(const struct graph *g, graph_id a, graph_id b, uint64_t *by, unsigned depth)
{
    enum { DEPTH = 6 };
    bool turned = false;
    a = cycle_bare(g, a);
    b = cycle_bare(g, b);
    const struct graph_node *x = graph_at(g, a), *y = graph_at(g, b);
    if (walk_differ_by_constant(g, a, b, &turned, by) && !turned)
        return true;
    bool choice = x->kind == UOP_SELECT && y->kind == UOP_SELECT && x->arg[0] == y->arg[0];
    bool join = x->kind == GRAPH_PHI && y->kind == GRAPH_PHI && x->block == y->block && x->phi_count == y->phi_count &&
                !graph_is_loop_phi(g, a) && !graph_is_loop_phi(g, b);
    if ((!choice && !join) || depth > DEPTH)
        return false;
    const graph_id *first, *second;
    uint32_t count = cycle_args(x, &first);
    cycle_args(y, &second);
    for (uint32_t k = choice; k < count; k++) {
        uint64_t one;
        if (!differ_by(g, first[k], second[k], &one, depth + 1) || (k > choice && one != *by))
            return false;
        *by = one;
    }
    return count > choice;
}

/* A phi that is made anew each turn from a counter, always as far from it as where both begin: it is a counter too. */
static void find_follower(struct cycle_work *w, const struct cycle_region *r, struct cycle_phi *p)
{
    struct graph *g = w->g;
    uint64_t by, ahead;
    if (p->step_kind != CYCLE_STEP_NONE || p->next == GRAPH_NIL || p->start == GRAPH_NIL || p->next >= w->nodes)
        return;
    graph_id next = cycle_bare(g, p->next);
    const struct graph_node n = *graph_at(g, next);
    if ((n.type != UOP_B32 && n.type != UOP_B64) || n.kind != UOP_ADD || !graph_is_const(g, n.arg[1], NULL))
        return;
    for (uint32_t i = 0; i < r->phi_count; i++) {
        const struct cycle_phi *of = &r->phis[i];
        if (of->phi != cycle_bare(g, n.arg[0]) || of->step_kind != CYCLE_STEP_ADD || !of->constant ||
            graph_type_of(g, of->phi) != graph_type_of(g, p->phi))
            continue;
        if (!differ_by(g, cycle_bare(g, of->next), next, &by, 0) || !differ_by(g, of->start, p->start, &ahead, 0) ||
            by != ahead)
            continue;
        p->step_kind = CYCLE_STEP_ADD;
        p->step = of->step;
        p->constant = true;
        p->amount = of->amount;
        return;
    }
}

/* ---- uses ------------------------------------------------------------------------------------- */

enum use { USE_ADDRESS, USE_GUARD, USE_TEST };

static struct cycle_phi *phi_at(struct cycle_region *r, graph_id id)
{
    for (uint32_t i = 0; i < r->phi_count; i++)
        if (r->phis[i].phi == id)
            return &r->phis[i];
    return NULL;
}

static void note_use(struct cycle_work *w, struct cycle_region *r, graph_id id, enum use use, bool whole,
                     unsigned depth);

/* Of two expressions of a phi the one that both are later values of: a body that was copied halves it several times. */
static graph_id least_shift(const struct graph *g, const struct cycle_phi *p, graph_id a, graph_id b)
{
    const struct graph_node *x = graph_at(g, a), *y = graph_at(g, b);
    uint64_t i, k;
    if (p->step_kind != CYCLE_STEP_SHIFT || x->kind != y->kind || (x->kind != UOP_SHR && x->kind != UOP_SAR) ||
        !graph_is_const(g, x->arg[1], &i) || !graph_is_const(g, y->arg[1], &k))
        return p->phi;
    return i < k ? a : b;
}

/* `id` is no sum: a phi, or an operation that turns one phi and invariants into what is used. */
static void note_atom(struct cycle_work *w, struct cycle_region *r, graph_id id, enum use use, bool whole,
                      unsigned depth)
{
    const struct graph *g = w->g;
    const struct graph_node *n = graph_at(g, id);
    struct cycle_phi *p = phi_at(r, id);
    graph_id expr = id;
    if (!p) {
        for (unsigned k = 0; k < n->arg_count; k++) {
            if (!cycle_varies(w, r->loop, n->arg[k]))
                continue;
            struct cycle_phi *found = phi_at(r, cycle_bare(g, n->arg[k]));
            bool shift = n->kind == UOP_SHR || n->kind == UOP_SAR || n->kind == UOP_AND || n->kind == UOP_SHL;
            if (!found || !shift) { /* what is within: a load's index, a compare's operand … */
                note_use(w, r, n->arg[k], use, false, depth + 1);
                continue;
            }
            p = found;
        }
        if (!p)
            return;
        whole = false;
    }
    if (use == USE_TEST) {
        p->test = true;
        return;
    }
    p->address |= use == USE_ADDRESS;
    p->guard |= use == USE_GUARD;
    p->pointer |= whole;
    if (p->step_kind == CYCLE_STEP_SHIFT && expr != p->phi && n->kind == UOP_AND)
        return; /* a multiple of a later turn's value */
    if (p->expr == GRAPH_NIL || expr == p->phi)
        p->expr = expr;
    else if (p->expr != expr)
        p->expr = least_shift(g, p, p->expr, expr);
}

/* Down sums, products and extensions to what they are made of. `whole`: the expression is the address, in bytes. */
static void note_use(struct cycle_work *w, struct cycle_region *r, graph_id id, enum use use, bool whole,
                     unsigned depth)
{
    const struct graph *g = w->g;
    id = cycle_bare(g, id);
    if (depth > ATOM_DEPTH || w->budget == 0 || !cycle_varies(w, r->loop, id))
        return;
    w->budget--;
    const struct graph_node *n = graph_at(g, id);
    uint8_t way = (uint8_t)(1u << (2 * use + whole));
    if (id < w->nodes && graph_at(g, id)->kind != GRAPH_PHI) { /* once is enough */
        if (w->note_stamp[id] != r->loop + 1)
            w->noted[id] = 0;
        w->note_stamp[id] = r->loop + 1;
        if (w->noted[id] & way)
            return;
        w->noted[id] |= way;
    }
    switch (n->kind) {
    case UOP_ADD:
        for (unsigned k = 0; k < 2; k++)
            note_use(w, r, n->arg[k], use, whole, depth + 1);
        return;
    case UOP_MUL:
    case UOP_SHL:
        for (unsigned k = 0; k < 2; k++)
            note_use(w, r, n->arg[k], use, false, depth + 1);
        return;
    case UOP_NEG:
    case UOP_SEXT:
    case UOP_ZEXT:
    case UOP_LO: note_use(w, r, n->arg[0], use, n->kind != UOP_NEG && whole, depth + 1); return;
    case GRAPH_BOOL:
        for (unsigned k = 0; k < n->arg_count; k++)
            note_use(w, r, n->arg[k], use, false, depth + 1);
        return;
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U:
        note_use(w, r, n->arg[0], use, false, depth + 1);
        note_use(w, r, n->arg[1], use, false, depth + 1);
        return;
    case UOP_LOAD: return; /* its own address is noted where it is loaded */
    default: note_atom(w, r, id, use, whole, depth); return;
    }
}

static void find_uses(struct cycle_work *w, struct cycle_region *r)
{
    struct graph *g = w->g;
    for (uint32_t i = 0; i < r->block_count; i++) {
        uint32_t at = r->blocks[i];
        const struct graph_block b = g->blocks.p[at];
        for (uint32_t k = b.first; k <= b.last && b.reachable; k++) {
            const struct graph_insn n = g->insns.p[k];
            for (uint32_t x = n.first_access; x < n.first_access + n.access_count; x++)
                note_use(w, r, g->accesses.p[x].address, USE_ADDRESS, g->accesses.p[x].width > 1, 0);
            bool leaves = k == b.last && w->leaves[at] == r->loop + 1;
            if (n.guard != GRAPH_NIL && !leaves)
                note_use(w, r, n.guard, USE_GUARD, false, 0);
        }
        if (b.succ_count > 1 && b.branch != GRAPH_NIL && w->leaves[at] != r->loop + 1)
            note_use(w, r, b.branch, USE_GUARD, false, 0);
    }
    for (size_t i = 0; i < r->exits.n; i++)
        note_use(w, r, r->exits.p[i].leaves, USE_TEST, false, 0);
}

void cycle_find_inductions(struct cycle_work *w, struct cycle_region *r)
{
    for (uint32_t i = 0; i < r->phi_count; i++)
        find_step(w, r, &r->phis[i]);
    for (uint32_t i = 0; i < r->phi_count; i++)
        find_follower(w, r, &r->phis[i]);
    find_uses(w, r);
    for (uint32_t i = 0; i < r->phi_count; i++) {
        struct cycle_phi *p = &r->phis[i];
        struct graph_affine f;
        if (p->step_kind != CYCLE_STEP_ADD)
            p->pointer = false;
        else if (p->start != GRAPH_NIL && graph_affine(w->g, p->start, &f) && f.base != GRAPH_NIL)
            p->pointer = true;
    }
    int best = 0;
    for (uint32_t i = 0; i < r->phi_count; i++) {
        const struct cycle_phi *p = &r->phis[i];
        if (!p->live || p->step_kind == CYCLE_STEP_NONE)
            continue;
        bool known = p->constant || p->test; /* an index that steps by a row says less than what counts the rows */
        int score = (p->address ? known ? 8 : 1 : 0) + (p->guard ? 4 : 0) + (p->test ? 5 : 0);
        if (p->pointer)
            score = p->test ? 1 : 0;
        if (score > best) {
            best = score;
            r->counter = (int32_t)i;
        }
    }
}

/* ---- replacing -------------------------------------------------------------------------------- */

struct replace {
    struct cycle_work *w;
    graph_id from, to;
    unsigned steps;
    bool failed;
};

static graph_id replace_in(struct replace *x, graph_id id, unsigned depth);

static graph_id replace_bool(struct replace *x, const struct graph_node *n, unsigned depth)
{
    struct graph *g = x->w->g;
    graph_id atoms[6] = {0}, all = graph_false(g);
    for (unsigned k = 0; k < n->arg_count; k++)
        atoms[k] = replace_in(x, n->arg[k], depth + 1);
    for (unsigned row = 0; row < 1u << n->arg_count; row++) {
        if (!(n->imm >> row & 1))
            continue;
        graph_id one = graph_true(g);
        for (unsigned k = 0; k < n->arg_count; k++)
            one = graph_and(g, one, row >> k & 1 ? atoms[k] : graph_not(g, atoms[k]));
        all = graph_or(g, all, one);
    }
    return all;
}

static graph_id replace_in(struct replace *x, graph_id id, unsigned depth)
{
    enum { DEPTH = 24, STEPS = 400 };
    struct graph *g = x->w->g;
    if (id == x->from)
        return x->to;
    if (id == GRAPH_NIL || x->failed)
        return id;
    const struct graph_node n = *graph_at(g, id);
    if (n.kind == GRAPH_PHI || n.arg_count == 0 || n.insn != UINT32_MAX || n.kind == UOP_LOAD || id < x->from)
        return id;
    if (depth > DEPTH || ++x->steps > STEPS) {
        x->failed = true;
        return id;
    }
    if (n.kind == GRAPH_BOOL)
        return replace_bool(x, &n, depth);
    graph_id args[6];
    bool same = true;
    for (unsigned k = 0; k < n.arg_count; k++) {
        args[k] = replace_in(x, n.arg[k], depth + 1);
        same &= args[k] == n.arg[k];
    }
    if (same)
        return id;
    struct uop like = graph_operation(&n);
    if (!uop_is_pure((enum uop_kind)n.kind) && n.kind != UOP_UNIFORM) {
        x->failed = true;
        return id;
    }
    return graph_pure(g, &like, args, n.arg_count);
}

graph_id cycle_replace(struct cycle_work *w, graph_id id, graph_id from, graph_id to)
{
    struct replace x = {.w = w, .from = from, .to = to};
    graph_id r = replace_in(&x, id, 0);
    return x.failed ? GRAPH_NIL : r;
}
