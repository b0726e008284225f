/* Bounds of integer nodes: intervals of the signed reading, from constants, special registers (a block has at most
 * 1,024 threads), operations, and the tests of loops. A loop phi starts from everything and is cut down, turn by turn,
 * by its step and by the conditions on the edges that lead to its header: each cut is sound by itself. A counter that
 * goes up is tried with the bound of its test as a guess, which is kept when the step proves it. See graph_depend.h.
 * requires: a built graph · gives: graph_range_of, kept with the graph */
#include "graph/graph_depend_internal.h"

#include <limits.h>

enum { RANGE_DEPTH = 48, PHI_TURNS = 40, OVERRIDES = 4, EVAL_BUDGET = 96 };

struct interval {
    int64_t lo, hi;
};

static struct interval full_of(unsigned bits)
{
    if (bits >= 64 || bits == 0)
        return (struct interval){INT64_MIN, INT64_MAX};
    if (bits == 1)
        return (struct interval){0, 1};
    return (struct interval){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
}

static struct interval fit(unsigned bits, __int128 lo, __int128 hi)
{
    struct interval all = full_of(bits);
    if (lo < all.lo || hi > all.hi)
        return all;
    return (struct interval){(int64_t)lo, (int64_t)hi};
}

static struct interval join(struct interval a, struct interval b)
{
    return (struct interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static int64_t bits_below(int64_t hi) /* smallest 2^k - 1 that is at least hi */
{
    uint64_t m = (uint64_t)hi;
    for (unsigned s = 1; s < 64; s *= 2)
        m |= m >> s;
    return (int64_t)m;
}

struct graph_facts *graph_facts_of(struct graph *g)
{
    if (!g->facts) {
        struct graph_facts *f = ARENA_NEW(g->a, struct graph_facts);
        g->facts = f;
        for (size_t i = 1; f && i < g->nodes.n; i++)
            if (g->nodes.p[i].kind == UOP_SREG && g->nodes.p[i].imm <= UOP_SR_TID_Z)
                f->reads[g->nodes.p[i].imm] = true;
        if (f)
            f->two_dimensional = f->reads[1] || f->reads[2];
    }
    return g->facts;
}

struct graph_fact *graph_fact_at(struct graph *g, graph_id id)
{
    struct graph_facts *f = graph_facts_of(g);
    if (!f)
        return &g->lost;
    if (id >= f->n) {
        size_t want = g->nodes.n;
        if (want > f->cap) {
            size_t cap = want + want / 2 + 64;
            struct graph_fact *p = arena_grow(g->a, f->p, f->cap * sizeof *p, cap * sizeof *p);
            if (!p)
                return &g->lost;
            f->p = p;
            f->cap = cap;
        }
        f->n = want;
    }
    return &f->p[id];
}

const struct graph_first_phis *graph_phis_of(struct graph *g, uint32_t block)
{
    static const struct graph_first_phis none = {.n = 0};
    struct graph_facts *f = graph_facts_of(g);
    if (f && !f->phis)
        f->phis = ARENA_ARRAY(g->a, struct graph_first_phis, g->blocks.n + 1);
    if (!f || !f->phis || block >= g->blocks.n)
        return &none;
    for (; f->phis_of < g->nodes.n; f->phis_of++) {
        const struct graph_node *n = &g->nodes.p[f->phis_of];
        if (n->kind != GRAPH_PHI || n->block >= g->blocks.n || !f->phis_of)
            continue;
        struct graph_first_phis *p = &f->phis[n->block];
        if (p->n < FIRST_PHIS)
            p->phi[p->n++] = (graph_id)f->phis_of;
    }
    return &f->phis[block];
}

/* ---- conditions on edges --------------------------------------------------------------------- */

/* A branch's target stands in its micro-operation. */
static bool goes_to(const struct graph *g, uint32_t from, uint32_t to)
{
    const struct uop_list *l = g->input.insns[g->insns.p[g->blocks.p[from].last].input].uops;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_BRANCH)
            return l->ops.p[i].imm == g->insns.p[g->blocks.p[to].first].offset;
    return false;
}

graph_id graph_edge_taken(struct graph *g, uint32_t from, uint32_t to)
{
    const struct graph_block *b = &g->blocks.p[from];
    graph_id path = b->path;
    if (b->branch == GRAPH_NIL)
        return path;
    if (b->succ_count == 1) /* a predicated exit, or a branch that is always taken */
        return goes_to(g, from, to) ? path : graph_and(g, path, graph_not(g, b->branch));
    if (b->succ_count != 2 || b->succs[0] == b->succs[1])
        return path;
    const struct uop_list *l = g->input.insns[g->insns.p[b->last].input].uops;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_BRANCH_IND || l->ops.p[i].kind == UOP_CALL || l->ops.p[i].kind == UOP_RET)
            return path;
    return graph_and(g, path, goes_to(g, from, to) ? b->branch : graph_not(g, b->branch));
}

graph_id graph_ways_back(struct graph *g, uint32_t loop, unsigned *ways)
{
    enum { WAYS = 8 };
    const struct graph_block *b = &g->blocks.p[g->loops.p[loop].header];
    graph_id when = GRAPH_NIL;
    *ways = 0;
    for (uint32_t k = 0; k < b->pred_count; k++) {
        if (!graph_in_loop(g, b->preds[k], loop + 1))
            continue;
        graph_id way = graph_edge_taken(g, b->preds[k], g->loops.p[loop].header);
        if (way == GRAPH_NIL || ++*ways > WAYS)
            return GRAPH_NIL;
        when = when == GRAPH_NIL ? way : graph_or(g, when, way);
    }
    return when;
}

graph_id graph_goes_round(struct graph *g, uint32_t loop)
{
    unsigned ways;
    graph_id when = graph_ways_back(g, loop, &ways), path = g->blocks.p[g->loops.p[loop].header].path;
    return when == GRAPH_NIL || path == GRAPH_NIL ? when : graph_assume(g, when, path);
}

/* ---- operations ------------------------------------------------------------------------------ */

struct evaluation { /* of an expression while some nodes have other bounds than in general */
    struct graph *g;
    graph_id node[OVERRIDES];
    struct interval as[OVERRIDES];
    unsigned count;
    int budget;
};

static struct interval range(struct evaluation *e, graph_id id, unsigned depth);

static struct interval of_sreg(const struct graph *g, uint64_t sreg)
{
    const struct graph_env *env = g->env;
    static const int64_t most[3] = {1024, 1024, 64};
    if (sreg <= UOP_SR_TID_Z || (sreg >= UOP_SR_NTID_X && sreg <= UOP_SR_NTID_Z)) {
        unsigned d = (unsigned)(sreg <= UOP_SR_TID_Z ? sreg - UOP_SR_TID_X : sreg - UOP_SR_NTID_X);
        int64_t hi = most[d], lo = 1;
        if (env->block_limit[d] && env->block_limit[d] < hi)
            hi = env->block_limit[d];
        if (env->block[d])
            lo = hi = env->block[d];
        return sreg <= UOP_SR_TID_Z ? (struct interval){0, hi - 1} : (struct interval){lo, hi};
    }
    switch (sreg) {
    case UOP_SR_CTAID_X: return (struct interval){0, INT32_MAX - 1};
    case UOP_SR_CTAID_Y:
    case UOP_SR_CTAID_Z: return (struct interval){0, 65534};
    case UOP_SR_NCTAID_X: return (struct interval){1, INT32_MAX};
    case UOP_SR_NCTAID_Y:
    case UOP_SR_NCTAID_Z: return (struct interval){1, 65535};
    case UOP_SR_LANEID: return (struct interval){0, 31};
    case UOP_SR_CGA_CTAID: return (struct interval){0, 15}; /* of a cluster */
    default: return full_of(32);
    }
}

static struct interval product(unsigned bits, struct interval a, struct interval b)
{
    __int128 p[4] = {(__int128)a.lo * b.lo, (__int128)a.lo * b.hi, (__int128)a.hi * b.lo, (__int128)a.hi * b.hi};
    __int128 lo = p[0], hi = p[0];
    for (unsigned i = 1; i < 4; i++) {
        lo = p[i] < lo ? p[i] : lo;
        hi = p[i] > hi ? p[i] : hi;
    }
    return fit(bits, lo, hi);
}

static struct interval shifted(unsigned kind, unsigned bits, struct interval a, struct interval by)
{
    if (by.lo < 0 || by.lo >= (int64_t)bits) {
        if (kind == UOP_SHR && a.lo >= 0)
            return (struct interval){0, a.hi};
        return kind == UOP_SAR ? (struct interval){a.lo < 0 ? a.lo : 0, a.hi > 0 ? a.hi : 0} : full_of(bits);
    }
    int64_t most = by.hi < 0 || by.hi >= (int64_t)bits ? (int64_t)bits - 1 : by.hi;
    if (kind == UOP_SAR)
        return (struct interval){a.lo < 0 ? a.lo >> by.lo : a.lo >> most, a.hi < 0 ? a.hi >> most : a.hi >> by.lo};
    if (a.lo >= 0)
        return (struct interval){a.lo >> most, a.hi >> by.lo};
    if (by.lo == 0)
        return full_of(bits);
    uint64_t all = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return (struct interval){0, (int64_t)(all >> by.lo)};
}

/* The most that x ^ c comes to for x from 0 to `hi`: where both have a bit, x is better without it, and free below. */
static int64_t most_flipped(int64_t hi, int64_t c)
{
    for (int64_t bit = INT64_C(1) << 62; bit; bit >>= 1)
        if (hi & c & bit)
            hi = (hi - bit) | (bit - 1);
    return hi ^ c;
}

static struct interval of_bits(unsigned kind, unsigned bits, struct interval a, struct interval b)
{
    if (kind == UOP_AND) {
        if (a.lo >= 0 && b.lo >= 0)
            return (struct interval){0, a.hi < b.hi ? a.hi : b.hi};
        if (a.lo >= 0 || b.lo >= 0)
            return (struct interval){0, a.lo >= 0 ? a.hi : b.hi};
    } else if (a.lo >= 0 && b.lo >= 0) {
        int64_t lo = kind == UOP_OR ? (a.lo > b.lo ? a.lo : b.lo) : 0;
        return (struct interval){lo, kind == UOP_XOR && b.lo == b.hi   ? most_flipped(a.hi, b.hi)
                                     : kind == UOP_XOR && a.lo == a.hi ? most_flipped(b.hi, a.hi)
                                                                       : bits_below(a.hi > b.hi ? a.hi : b.hi)};
    }
    return full_of(bits);
}

static struct interval of_phi(struct graph *g, graph_id id);

/* How many turns a loop makes: as often as its counters can step. */
static struct interval of_turns(struct graph *g, graph_id id)
{
    uint32_t loop;
    struct interval r = {0, INT32_MAX};
    if (!graph_is_turn_symbol(g, id, &loop))
        return full_of(uop_type_bits((enum uop_type)graph_at(g, id)->type));
    const struct graph_first_phis *phis = graph_phis_of(g, g->loops.p[loop - 1].header);
    for (unsigned i = 0; i < phis->n; i++) {
        int64_t step;
        graph_id start, phi = phis->phi[i];
        struct graph_range p;
        if (graph_is_counter(g, phi, &start, &step) && graph_range_of(g, phi, &p) &&
            (__int128)p.hi - p.lo < INT32_MAX) {
            int64_t most = (p.hi - p.lo) / (step < 0 ? -step : step);
            r.hi = most < r.hi ? most : r.hi;
        }
    }
    return r;
}

static struct interval compute(struct evaluation *e, graph_id id, unsigned depth)
{
    struct graph *g = e->g;
    const struct graph_node n = *graph_at(g, id);
    unsigned bits = uop_type_bits((enum uop_type)n.type);
    struct interval a, b, all = full_of(bits);
    uint64_t c;
    if (bits > 64)
        return all;
    switch (n.kind) {
    case UOP_CONST:
        if (bits == 1)
            return (struct interval){(int64_t)(n.imm & 1), (int64_t)(n.imm & 1)};
        a.lo = bits >= 64 ? (int64_t)n.imm : (int64_t)(n.imm << (64 - bits)) >> (64 - bits);
        return (struct interval){a.lo, a.lo};
    case UOP_SREG: return of_sreg(g, n.imm);
    case UOP_ADD:
        a = range(e, n.arg[0], depth + 1);
        b = range(e, n.arg[1], depth + 1);
        return fit(bits, (__int128)a.lo + b.lo, (__int128)a.hi + b.hi);
    case UOP_NEG: a = range(e, n.arg[0], depth + 1); return fit(bits, -(__int128)a.hi, -(__int128)a.lo);
    case UOP_NOT: a = range(e, n.arg[0], depth + 1); return fit(bits, -1 - (__int128)a.hi, -1 - (__int128)a.lo);
    case UOP_MUL: return product(bits, range(e, n.arg[0], depth + 1), range(e, n.arg[1], depth + 1));
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR: return of_bits(n.kind, bits, range(e, n.arg[0], depth + 1), range(e, n.arg[1], depth + 1));
    case UOP_SHR:
    case UOP_SAR: return shifted(n.kind, bits, range(e, n.arg[0], depth + 1), range(e, n.arg[1], depth + 1));
    case UOP_MULHI_U:
        a = range(e, n.arg[0], depth + 1);
        if (a.lo >= 0 && bits == 32 && graph_is_const(g, n.arg[1], &c))
            return (struct interval){(int64_t)((uint64_t)a.lo * c >> 32), (int64_t)((uint64_t)a.hi * c >> 32)};
        return all;
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U:
        a = range(e, n.arg[0], depth + 1);
        b = range(e, n.arg[1], depth + 1);
        if ((n.kind == UOP_MIN_U || n.kind == UOP_MAX_U) && (a.lo < 0 || b.lo < 0)) {
            if (n.kind == UOP_MIN_U && (a.lo >= 0 || b.lo >= 0))
                return (struct interval){0, a.lo >= 0 ? a.hi : b.hi};
            return all;
        }
        if (n.kind == UOP_MIN_S || n.kind == UOP_MIN_U)
            return (struct interval){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
        return (struct interval){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    case UOP_SELECT: return join(range(e, n.arg[1], depth + 1), range(e, n.arg[2], depth + 1));
    case UOP_SEXT:
        a = n.imm < bits && n.imm < 64 ? full_of((unsigned)n.imm) : all;
        b = range(e, n.arg[0], depth + 1);
        return b.lo >= a.lo && b.hi <= a.hi ? b : a;
    case UOP_ZEXT:
        a = n.imm < 63 ? (struct interval){0, (INT64_C(1) << n.imm) - 1} : all;
        b = range(e, n.arg[0], depth + 1);
        return b.lo >= 0 && b.hi <= a.hi ? b : n.imm < bits ? a : all;
    case UOP_LO: a = range(e, n.arg[0], depth + 1); return a.lo >= all.lo && a.hi <= all.hi ? a : all;
    case UOP_UNIFORM: return range(e, n.arg[0], depth + 1);
    case GRAPH_RESULT: return of_turns(g, id);
    case UOP_POPC: return (struct interval){0, 64};
    case UOP_BAR_GIVES: return (struct interval){0, n.type == UOP_B1 ? 1 : 1024}; /* threads of a block */
    case UOP_FLO: return (struct interval){-1, 63};
    case UOP_BFE:
        if (!(n.flags & UOP_SIGNED) && graph_is_const(g, n.arg[2], &c) && c < 31)
            return (struct interval){0, (INT64_C(1) << c) - 1};
        return all;
    case UOP_LOAD:
        if (n.width < 4 && !(n.flags & UOP_SIGNED) && bits == 32)
            return (struct interval){0, (INT64_C(1) << (8 * n.width)) - 1};
        return all;
    default: return all;
    }
}

static struct interval range(struct evaluation *e, graph_id id, unsigned depth)
{
    struct graph *g = e->g;
    unsigned bits = uop_type_bits((enum uop_type)graph_at(g, id)->type);
    struct graph_facts *facts = graph_facts_of(g);
    for (unsigned i = 0; i < e->count; i++)
        if (e->node[i] == id)
            return e->as[i];
    bool leaf = graph_at(g, id)->kind == UOP_CONST || graph_at(g, id)->kind == UOP_SREG;
    if (leaf)
        return compute(e, id, depth);
    if (e->count) { /* bounds that hold here only: not kept */
        struct graph_range kept;
        if (depth > 12 || --e->budget < 0 || graph_at(g, id)->kind == GRAPH_PHI)
            return graph_range_of(g, id, &kept) ? (struct interval){kept.lo, kept.hi} : full_of(bits);
        return compute(e, id, depth);
    }
    struct graph_fact *f = graph_fact_at(g, id);
    if (f->state == RANGE_KNOWN)
        return (struct interval){f->lo, f->hi};
    if (f->state != RANGE_NEW || !facts || facts->depth >= RANGE_DEPTH)
        return full_of(bits);
    f->state = RANGE_OPEN;
    facts->depth++;
    struct interval r = graph_at(g, id)->kind == GRAPH_PHI ? of_phi(g, id) : compute(e, id, depth);
    facts->depth--;
    f = graph_fact_at(g, id);
    struct interval all = full_of(bits);
    f->lo = r.lo;
    f->hi = r.hi;
    f->state = r.lo <= all.lo && r.hi >= all.hi ? RANGE_NONE : RANGE_KNOWN;
    return r;
}

/* ---- loop phis ------------------------------------------------------------------------------- */

/* The bounds of `x` cut down by a compare that holds (or does not). */
static void refine(struct evaluation *e, graph_id atom, bool holds, graph_id x, struct interval *r)
{
    const struct graph_node n = *graph_at(e->g, atom);
    if (n.kind != UOP_IEQ && n.kind != UOP_ILT_S && n.kind != UOP_ILT_U)
        return;
    for (unsigned side = 0; side < 2; side++) {
        if (n.arg[side] != x)
            continue;
        struct interval o = range(e, n.arg[1 - side], 1);
        if (n.kind == UOP_IEQ) {
            if (holds) {
                r->lo = r->lo > o.lo ? r->lo : o.lo;
                r->hi = r->hi < o.hi ? r->hi : o.hi;
            } else if (o.lo == o.hi) {
                r->lo += r->lo == o.lo;
                r->hi -= r->hi == o.lo;
            }
            continue;
        }
        bool below = (side == 0) == holds; /* x < o, x <= o; else o <= x, o < x */
        bool strict = holds;
        if (n.kind == UOP_ILT_U && !(o.lo >= 0 && (below || r->lo >= 0)))
            continue;
        if (n.kind == UOP_ILT_U && r->lo < 0)
            r->lo = 0; /* below a number that is not negative */
        if (below && o.hi - strict < r->hi)
            r->hi = o.hi - strict;
        if (!below && o.lo + strict > r->lo)
            r->lo = o.lo + strict;
    }
}

static void refine_all(struct evaluation *e, graph_id condition, graph_id x, struct interval *r)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (condition == GRAPH_NIL || !graph_table(e->g, condition, atoms, &count, &table))
        return;
    for (unsigned k = 0; k < count; k++) {
        bool one = false, zero = false;
        for (unsigned row = 0; row < 1u << count; row++) {
            if (table >> row & 1) {
                one |= row >> k & 1;
                zero |= !(row >> k & 1);
            }
        }
        if (one != zero)
            refine(e, atoms[k], one, x, r);
    }
}

/* What the phi can be after one more turn when it is in `now`. */
static bool turn(struct graph *g, graph_id id, const graph_id *conditions, struct interval now, struct interval *out)
{
    const struct graph_node n = *graph_at(g, id);
    bool any = false;
    for (uint32_t k = 0; k < n.phi_count; k++) {
        struct evaluation e = {.g = g, .node = {id}, .as = {now}, .count = 1, .budget = EVAL_BUDGET};
        graph_id arg = n.phi_args[k];
        if (arg == GRAPH_NIL)
            return false;
        if (arg == id)
            continue;
        refine_all(&e, conditions[k], id, &e.as[0]);
        if (e.as[0].lo > e.as[0].hi)
            continue;
        struct interval r = range(&e, arg, 0);
        refine_all(&e, conditions[k], arg, &r);
        if (r.lo > r.hi)
            continue; /* this edge is not taken */
        *out = any ? join(*out, r) : r;
        any = true;
    }
    return any;
}

/* A counter that is multiplied until it is a number it comes to: the last value before; -1: no such. */
static int64_t doubling_end(struct graph *g, graph_id id, const graph_id *conditions, struct interval start)
{
    const struct graph_node n = *graph_at(g, id);
    for (uint32_t k = 0; k < n.phi_count; k++) {
        const struct graph_node next = *graph_at(g, n.phi_args[k]);
        graph_id atoms[6];
        unsigned count;
        uint64_t table, by;
        if (next.kind != UOP_MUL || next.arg[0] != id || !graph_is_const(g, next.arg[1], &by) || by < 2 || by > 64 ||
            start.lo != start.hi || start.lo < 1 || conditions[k] == GRAPH_NIL ||
            !graph_table(g, conditions[k], atoms, &count, &table))
            continue;
        for (unsigned i = 0; i < count; i++) {
            const struct graph_node test = *graph_at(g, atoms[i]);
            bool other = true; /* on this way it is another number */
            uint64_t end;
            for (unsigned row = 0; row < 1u << count; row++)
                other &= !((table >> row & 1) && (row >> i & 1));
            if (!other || test.kind != UOP_IEQ || test.arg[0] != n.phi_args[k] ||
                !graph_is_const(g, test.arg[1], &end) || end > INT32_MAX)
                continue;
            for (int64_t at = start.lo; at < (int64_t)end; at *= (int64_t)by)
                if (at * (int64_t)by == (int64_t)end)
                    return at;
        }
    }
    return -1;
}

/* Up to two guesses of where a counter ends: at the number it is compared with, from below or from above. */
static unsigned test_bounds(struct graph *g, graph_id condition, graph_id next, graph_id phi, struct interval start,
                            struct interval out[2])
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (condition == GRAPH_NIL || !graph_table(g, condition, atoms, &count, &table))
        return 0;
    for (unsigned k = 0; k < count; k++) {
        const struct graph_node n = *graph_at(g, atoms[k]);
        if (n.kind != UOP_IEQ && n.kind != UOP_ILT_S && n.kind != UOP_ILT_U)
            continue;
        for (unsigned side = 0; side < 2; side++) {
            struct evaluation e = {.g = g, .budget = EVAL_BUDGET};
            if (n.arg[side] != next && n.arg[side] != phi)
                continue;
            struct interval o = range(&e, n.arg[1 - side], 1);
            if (o.lo == INT64_MIN || o.hi == INT64_MAX)
                continue;
            out[0] = (struct interval){start.lo, o.hi - (n.arg[side] == next)};
            out[1] = (struct interval){o.lo + (n.arg[side] == next), start.hi};
            return 2;
        }
    }
    return 0;
}

static struct interval of_phi(struct graph *g, graph_id id)
{
    enum { MAX_PREDS = 8 };
    const struct graph_node n = *graph_at(g, id);
    struct interval all = full_of(uop_type_bits((enum uop_type)n.type)), now = all, next, start = all;
    graph_id conditions[MAX_PREDS] = {0};
    const struct graph_block *b = &g->blocks.p[n.block];
    if (n.phi_count > MAX_PREDS || n.phi_count != b->pred_count || n.type == UOP_B1)
        return all;
    for (uint32_t k = 0; k < n.phi_count; k++)
        conditions[k] = graph_edge_taken(g, b->preds[k], n.block);
    for (int i = 0; i < PHI_TURNS; i++) {
        if (!turn(g, id, conditions, now, &next))
            return all;
        next.lo = next.lo > now.lo ? next.lo : now.lo;
        next.hi = next.hi < now.hi ? next.hi : now.hi;
        if (next.lo > next.hi || (next.lo == now.lo && next.hi == now.hi))
            break;
        now = next;
    }
    /* A counter: from its start, one end fixed, the other where the test puts it. */
    bool first = true;
    for (uint32_t k = 0; k < n.phi_count; k++) {
        struct evaluation e = {.g = g, .node = {id}, .as = {all}, .count = 1, .budget = EVAL_BUDGET};
        if (b->preds[k] >= n.block) /* comes round, as far as the order of the code says */
            continue;
        struct interval r = range(&e, n.phi_args[k], 0);
        refine_all(&e, conditions[k], n.phi_args[k], &r);
        start = first ? r : join(start, r);
        first = false;
    }
    if (first)
        return now;
    int64_t most = doubling_end(g, id, conditions, start);
    if (most > 0) {
        now.lo = start.lo > now.lo ? start.lo : now.lo;
        now.hi = most < now.hi ? most : now.hi;
    }
    struct interval guesses[3 + 2 * MAX_PREDS] = {{start.lo, now.hi}, {now.lo, start.hi}, {start.lo, start.hi}};
    unsigned count = 3;
    for (uint32_t k = 0; k < n.phi_count; k++) /* where the tests on the way round put the end */
        count += test_bounds(g, conditions[k], n.phi_args[k], id, start, guesses + count);
    for (unsigned i = 0; i < count; i++) {
        struct interval guess = guesses[i];
        guess.lo = guess.lo > now.lo ? guess.lo : now.lo;
        guess.hi = guess.hi < now.hi ? guess.hi : now.hi;
        for (int again = 0; again < 3; again++) {
            if (guess.lo > guess.hi || !turn(g, id, conditions, guess, &next))
                break;
            if (next.lo >= guess.lo && next.hi <= guess.hi) { /* it holds at the start and stays */
                now.lo = guess.lo > now.lo ? guess.lo : now.lo;
                now.hi = guess.hi < now.hi ? guess.hi : now.hi;
                break;
            }
            guess = join(guess, next);
        }
    }
    return now;
}

bool graph_range_of(struct graph *g, graph_id id, struct graph_range *out)
{
    const struct graph_facts *facts = graph_facts_of(g);
    if (id == GRAPH_NIL || !facts)
        return false;
    if (id < facts->n && facts->p[id].state == RANGE_KNOWN) {
        *out = (struct graph_range){facts->p[id].lo, facts->p[id].hi, false};
        return true; /* bounds that are no more than the width's own are not kept as known */
    }
    if (graph_at(g, id)->kind == UOP_SREG || (id < facts->n && facts->p[id].state == RANGE_NONE)) {
        const struct graph_node *n = graph_at(g, id);
        struct interval all = full_of(uop_type_bits((enum uop_type)n->type));
        struct interval r = n->kind == UOP_SREG ? of_sreg(g, n->imm) : all;
        *out = (struct graph_range){r.lo, r.hi, false};
        return r.lo > all.lo || r.hi < all.hi;
    }
    struct evaluation e = {.g = g};
    struct interval r = range(&e, id, 0), all = full_of(uop_type_bits((enum uop_type)graph_at(g, id)->type));
    *out = (struct graph_range){r.lo, r.hi, false};
    return r.lo > all.lo || r.hi < all.hi;
}
