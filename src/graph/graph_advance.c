/* Where elements stand when a piece of a loop begins and when it ends: addresses evaluated at random numbers modulo a
 * prime, where a loop's counters are start + turns * step and a select is either of its values. The turns of a loop
 * whose test is an equality follow from it; of another they are just a number, the same for all that moves in it.
 *
 * requires: steps and tests of loops · gives: sets of numbers that agree where addresses do */
#include "graph/graph_depend.h"
#include "graph/graph_piece.h"
#include "graph/graph_rules.h"

enum { PHIS_MAX = 6 };

/* ---- numbers modulo 2^61 - 1 ------------------------------------------------------------------ */

static const uint64_t PRIME = (UINT64_C(1) << 61) - 1;

uint64_t field_mul(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % PRIME);
}

uint64_t field_add(uint64_t a, uint64_t b)
{
    return (a + b) % PRIME;
}

uint64_t field_neg(uint64_t a)
{
    return a ? PRIME - a : 0;
}

uint64_t field_inverse(uint64_t a)
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

static void set_add(struct field_set *s, uint64_t v)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->v[i] == v)
            return;
    if (s->count < FIELD_SET_MAX)
        s->v[s->count++] = v;
}

bool field_sets_meet(const struct field_set *a, const struct field_set *b)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->v[i] == b->v[k])
                return true;
    return false;
}

/* ---- values of addresses ---------------------------------------------------------------------- */

struct evaluator {
    struct cycle_work *w;
    uint32_t loop; /* the region `turn` speaks of; of every other loop it is the last turn */
    enum cycle_turn turn;
    struct map_u64 known;
    VEC(struct field_set) sets;
    unsigned steps, phis; /* loop phis being looked behind */
};

static void evaluate(struct evaluator *e, graph_id id, struct field_set *out, unsigned depth);

struct cycle_phi *cycle_loop_phi(const struct cycle_work *w, graph_id id, struct cycle_region **region)
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
            struct field_set limit = {0}, start = {0};
            struct evaluator own = {.w = e->w, .loop = UINT32_MAX};
            evaluate(&own, r->limit, &limit, 0);
            evaluate(&own, t->start, &start, 0);
            if (limit.count && start.count) { /* a select is either of its values: of the first one as of the other */
                uint64_t way = field_add(limit.v[0], field_neg(start.v[0]));
                r->turns = field_add(field_mul(way, field_inverse(field_signed(t->amount))), PRIME - 1);
            }
        }
    }
    return r->turns;
}

static void evaluate_phi(struct evaluator *e, graph_id id, struct field_set *out, unsigned depth)
{
    struct cycle_region *r = NULL;
    struct cycle_phi *p = cycle_loop_phi(e->w, id, &r);
    if (!p) { /* a join: either way */
        const struct graph_node *n = graph_at(e->w->g, id);
        struct cycle_region *of = NULL;
        bool joins = n->phi_count < FIELD_SET_MAX;
        (void)of;
        for (uint32_t k = 0; k < n->phi_count && joins; k++)
            joins = n->phi_args[k] < id;
        for (uint32_t k = 0; k < n->phi_count && joins; k++) {
            struct field_set one = {0};
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
    if (r->loop == e->loop ? e->turn == TURN_AFTER : r->tests_first)
        turn = field_add(turn, 1);
    struct field_set start = {0}, step = {0};
    e->phis++;
    evaluate(e, p->start, &start, depth + 1);
    e->phis--;
    evaluate(e, p->step, &step, depth + 1);
    for (unsigned i = 0; i < start.count && step.count == 1; i++)
        set_add(out, field_add(start.v[i], field_mul(turn, step.v[0])));
}

/* A sum of products, all multiples of 2^by, divided by that; NIL: it is no such sum. */
static graph_id scaled_down(struct graph *g, graph_id id, unsigned by, unsigned depth)
{
    enum { DEPTH = 4 };
    uint64_t k, unit = UINT64_C(1) << by;
    id = cycle_bare(g, id);
    const struct graph_node n = *graph_at(g, id);
    enum uop_type type = (enum uop_type)n.type;
    if (depth > DEPTH)
        return GRAPH_NIL;
    if (graph_is_const(g, id, &k))
        return k % unit == 0 ? graph_const(g, type, k / unit) : (graph_id)GRAPH_NIL;
    if (n.kind == UOP_ADD) {
        graph_id a = scaled_down(g, n.arg[0], by, depth + 1), b = scaled_down(g, n.arg[1], by, depth + 1);
        return a == GRAPH_NIL || b == GRAPH_NIL ? (graph_id)GRAPH_NIL : graph_op2(g, UOP_ADD, type, a, b);
    }
    if (n.arg_count != 2 || !graph_is_const(g, n.arg[1], &k))
        return GRAPH_NIL;
    if (n.kind == UOP_MUL && k % unit == 0)
        return graph_op2(g, UOP_MUL, type, n.arg[0], graph_const(g, type, k / unit));
    if (n.kind == UOP_AND && k == (uop_type_bits(type) == 32 ? UINT32_MAX & ~(unit - 1) : ~(unit - 1)))
        return graph_op2(g, UOP_SHR, type, n.arg[0], graph_const(g, UOP_B32, by));
    return GRAPH_NIL;
}

/* Bits of a multiple of a power of two: (128 * x) & 0x180 is 128 * (x & 3). */
static bool scaled_bits(struct graph *g, const struct graph_node *n, uint64_t *scale, graph_id *bare)
{
    uint64_t mask;
    enum uop_type type = (enum uop_type)n->type;
    if (!graph_is_const(g, n->arg[1], &mask) || (mask & 1) || mask == 0 || mask > INT32_MAX)
        return false;
    unsigned by = (unsigned)__builtin_ctzll(mask);
    graph_id x = scaled_down(g, n->arg[0], by, 0);
    *scale = UINT64_C(1) << by;
    *bare = x == GRAPH_NIL ? x : graph_op2(g, UOP_AND, type, x, graph_const(g, type, mask >> by));
    return x != GRAPH_NIL;
}

/* A multiple of 2^k of what stands above the lowest k bits: those bits of the whole, so many times. */
static bool whole_bits(struct graph *g, const struct graph_node *n, uint64_t *scale, graph_id *bare)
{
    const struct graph_node down = *graph_at(g, n->arg[0]);
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    uint64_t c, by;
    if (down.kind != UOP_SHR || down.type != n->type || (bits != 32 && bits != 64) ||
        !graph_is_const(g, n->arg[1], &c) || !graph_is_const(g, down.arg[1], &by) || by == 0 || by > 16)
        return false;
    int64_t times = bits == 32 ? (int32_t)c : (int64_t)c, unit = INT64_C(1) << by;
    if (times % unit != 0)
        return false;
    uint64_t mask = (bits == 32 ? (uint64_t)UINT32_MAX : UINT64_MAX) & ~((uint64_t)unit - 1);
    *scale = field_signed(times / unit);
    *bare = graph_op2(g, UOP_AND, (enum uop_type)n->type, down.arg[0], graph_const(g, (enum uop_type)n->type, mask));
    return true;
}

/* Counts by one, from no negative number to one that whoever comes to the loop has above it. */
static bool counts_up(struct cycle_work *w, graph_id id)
{
    struct graph *g = w->g;
    struct cycle_region *r = NULL;
    const struct cycle_phi *p = cycle_loop_phi(w, id, &r);
    const struct cycle_phi *t = p && r->tested >= 0 ? &r->phis[r->tested] : NULL; /* itself, or one beside it */
    if (!t || t->step_kind != CYCLE_STEP_ADD || !t->constant || t->amount != 1 || t->start == GRAPH_NIL ||
        p->step_kind != CYCLE_STEP_ADD || !p->constant || p->amount != 1 || p->start != t->start ||
        r->limit == GRAPH_NIL || !graph_is_natural(g, p->start))
        return false;
    graph_id path = g->blocks.p[g->loops.p[r->loop].header].path;
    return path != GRAPH_NIL && !cycle_varies(w, r->loop, r->limit) &&
           cycle_comes_below(g, path, UOP_ILT_S, p->start, r->limit);
}

static bool is_never_negative(struct cycle_work *w, graph_id id)
{
    struct graph_range range;
    return graph_is_natural(w->g, id) || counts_up(w, id) ||
           (graph_range_of(w->g, id, &range) && !range.assumed && range.lo >= 0);
}

/* Of a number that is never negative: its bits with or without the sign. */
static graph_id without_sign(struct cycle_work *w, graph_id id)
{
    uint64_t mask;
    struct graph *g = w->g;
    const struct graph_node n = *graph_at(g, id);
    if (n.kind != UOP_AND || n.type != UOP_B32 || !graph_is_const(g, n.arg[1], &mask) || mask <= INT32_MAX ||
        !is_never_negative(w, n.arg[0]))
        return id;
    return graph_op2(g, UOP_AND, UOP_B32, n.arg[0], graph_const(g, UOP_B32, mask & INT32_MAX));
}

/* Bits that are set where the other number has none: x | 0x400 of x < 1024 is their sum. */
static bool sets_clear_bits(struct graph *g, const struct graph_node *n)
{
    uint64_t mask;
    struct graph_range range;
    return n->kind == UOP_OR && graph_is_const(g, n->arg[1], &mask) && mask && graph_range_of(g, n->arg[0], &range) &&
           !range.assumed && range.lo >= 0 && (uint64_t)range.hi < (mask & (0 - mask));
}

static void evaluate(struct evaluator *e, graph_id id, struct field_set *out, unsigned depth)
{
    enum { DEPTH = 80, STEPS = 4000 };
    const struct graph *g = e->w->g;
    uint32_t at;
    id = without_sign(e->w, cycle_bare(g, id));
    if (map_u64_get(&e->known, id, &at)) {
        *out = e->sets.p[at];
        return;
    }
    out->count = 0;
    const struct graph_node n = *graph_at(g, id);
    struct field_set a = {0}, b = {0};
    uint64_t scale = 0;
    graph_id bare = GRAPH_NIL;
    if (depth > DEPTH || ++e->steps > STEPS) {
        set_add(out, map_hash_mix(0x6c656166, id) % PRIME);
        return;
    }
    unsigned bits = uop_type_bits((enum uop_type)n.type);
    switch (sets_clear_bits(e->w->g, &n) ? (unsigned)UOP_ADD : n.kind) {
    case UOP_CONST:
        set_add(out, field_signed(bits == 0 || bits >= 64 ? (int64_t)n.imm
                                                          : (int64_t)(n.imm << (64 - bits)) >> (64 - bits)));
        break;
    case UOP_MUL:
        if (whole_bits(e->w->g, &n, &scale, &bare)) { /* 48 * (x >> 4) is 3 * (x & ~15) */
            evaluate(e, bare, &a, depth + 1);
            for (unsigned i = 0; i < a.count; i++)
                set_add(out, field_mul(a.v[i], scale));
            break;
        }
        evaluate(e, n.arg[0], &a, depth + 1);
        evaluate(e, n.arg[1], &b, depth + 1);
        for (unsigned i = 0; i < a.count; i++)
            for (unsigned k = 0; k < b.count; k++)
                set_add(out, field_mul(a.v[i], b.v[k]));
        break;
    case UOP_ADD:
        evaluate(e, n.arg[0], &a, depth + 1);
        evaluate(e, n.arg[1], &b, depth + 1);
        for (unsigned i = 0; i < a.count; i++)
            for (unsigned k = 0; k < b.count; k++)
                set_add(out, field_add(a.v[i], b.v[k]));
        break;
    case UOP_NEG:
        evaluate(e, n.arg[0], &a, depth + 1);
        for (unsigned i = 0; i < a.count; i++)
            set_add(out, field_neg(a.v[i]));
        break;
    case UOP_NOT: /* -x - 1 */
        if (bits < 32) {
            set_add(out, map_hash_mix(0x6c656166, id) % PRIME);
            break;
        }
        evaluate(e, n.arg[0], &a, depth + 1);
        for (unsigned i = 0; i < a.count; i++)
            set_add(out, field_add(field_neg(a.v[i]), PRIME - 1));
        break;
    case UOP_SEXT:
    case UOP_ZEXT:
        if (n.imm == 32) {
            evaluate(e, n.arg[0], out, depth + 1);
            break;
        }
        set_add(out, map_hash_mix(0x6c656166, id) % PRIME);
        break;
    case UOP_AND:
        if (!scaled_bits(e->w->g, &n, &scale, &bare)) {
            set_add(out, map_hash_mix(0x6c656166, id) % PRIME);
            break;
        }
        evaluate(e, bare, &a, depth + 1);
        for (unsigned i = 0; i < a.count; i++)
            set_add(out, field_mul(a.v[i], scale));
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

struct field_set cycle_value_of(struct cycle_work *w, graph_id id, uint32_t loop, enum cycle_turn turn)
{
    struct evaluator e = {.w = w, .loop = loop, .turn = turn};
    struct field_set s = {0};
    evaluate(&e, id, &s, 0);
    return s;
}

uint64_t cycle_turns(struct cycle_work *w, struct cycle_region *r)
{
    struct evaluator e = {.w = w, .loop = UINT32_MAX};
    return last_turn(&e, r);
}
