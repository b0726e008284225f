/* What loops carry. After a pass over the code three questions are asked of every loop phi:
 *  - does it come round unchanged, through copies, selects and other phis? Then it is what it started with;
 *  - is it read with another as one 64-bit value? Then the two are taken for the halves of one 64-bit phi, and the next
 *    pass shows whether what comes round is a 64-bit value again (optimistic, as in value numbering). Where it is not,
 *    they stay two.
 *  - does it begin with no negative number, and do only shifts to the right and divisions by powers of two bring it
 *    round? Then it is never negative, and its divisions are shifts.
 * All are exact: the halves of a 64-bit phi are the registers whatever comes round; that is only worth it where
 * operations on the whole are found.
 *
 * requires: a finished pass · gives: assumptions for the next */
#include "graph/graph_rules.h"
#include "graph/graph_values.h"

enum { WALK_BUDGET = 64, PAIR_BUDGET = 64 };

const struct graph_assumption *graph_assumption_of(const struct graph_builder *b, uint32_t block, uint32_t variable)
{
    for (uint32_t i = b->assumed_at[block]; i; i = b->assumed.p[i - 1].next) {
        const struct graph_assumption *a = &b->assumed.p[i - 1];
        if (a->kind != GRAPH_ASSUMED_REFUSED && a->kind != GRAPH_ASSUMED_NATURAL &&
            (a->lo == variable || a->hi == variable))
            return a;
    }
    return NULL;
}

bool graph_assumed_natural(const struct graph_builder *b, uint32_t block, uint32_t variable)
{
    for (uint32_t i = b->assumed_at[block]; i; i = b->assumed.p[i - 1].next)
        if (b->assumed.p[i - 1].kind == GRAPH_ASSUMED_NATURAL && b->assumed.p[i - 1].lo == variable)
            return true;
    return false;
}

static void assume(struct graph_builder *b, uint32_t block, uint32_t lo, uint32_t hi, enum graph_assumed kind)
{
    struct graph_assumption a = {
        .block = block, .lo = lo, .hi = hi, .kind = (uint8_t)kind, .next = b->assumed_at[block]};
    VEC_PUSH(&b->scratch, b->assumed, a);
    b->assumed_at[block] = (uint32_t)b->assumed.n;
}

/* ---- what does not change ------------------------------------------------------------------- */

/* Everything that comes round to a phi is, through phis and the arms of selects, itself or what it started with. */
static bool is_unchanged(const struct graph_builder *b, const struct graph_header_slot *s, uint32_t *stamp,
                         uint32_t now)
{
    const struct graph *g = b->g;
    graph_id stack[WALK_BUDGET];
    uint32_t depth = 0, steps = 0;
    stamp[s->phi] = now;
    stack[depth++] = s->phi;
    while (depth) {
        const struct graph_node *n = graph_at(g, stack[--depth]);
        const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg + 1;
        uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : 2;
        if ((steps += count) > WALK_BUDGET)
            return false;
        for (uint32_t k = 0; k < count; k++) {
            graph_id x = args[k];
            if (x == s->start || stamp[x] == now)
                continue;
            if (graph_at(g, x)->kind != GRAPH_PHI && graph_at(g, x)->kind != UOP_SELECT)
                return false;
            stamp[x] = now;
            stack[depth++] = x;
        }
    }
    return true;
}

static bool learn_unchanged(struct graph_builder *b)
{
    uint32_t *stamp = ARENA_ARRAY(&b->scratch, uint32_t, b->g->nodes.n);
    bool news = false;
    for (size_t i = 0; i < b->headers.n && stamp; i++) {
        const struct graph_header_slot *s = &b->headers.p[i];
        if (s->phi == GRAPH_NIL || s->half == 2 || !is_unchanged(b, s, stamp, (uint32_t)i + 1))
            continue;
        news = true;
        if (s->half) { /* it was a pair: refused as such, its halves do not change */
            for (uint32_t k = b->assumed_at[s->block]; k; k = b->assumed.p[k - 1].next)
                if (b->assumed.p[k - 1].kind == GRAPH_ASSUMED_PAIR && b->assumed.p[k - 1].lo == s->variable)
                    b->assumed.p[k - 1].kind = GRAPH_ASSUMED_REFUSED;
            assume(b, s->block, s->other, s->other, GRAPH_ASSUMED_SAME);
        }
        assume(b, s->block, s->variable, s->variable, GRAPH_ASSUMED_SAME);
    }
    return news;
}

/* ---- what is never negative ----------------------------------------------------------------- */

/* No bit is set in it while `of` is not negative: the sign of a division by a power of two. */
static bool is_sign_of(const struct graph *g, graph_id id, graph_id of)
{
    uint64_t k;
    for (unsigned depth = 0; depth < 2; depth++) {
        const struct graph_node *n = graph_at(g, id);
        if ((n->kind != UOP_SHR && n->kind != UOP_SAR) || !graph_is_const(g, n->arg[1], &k))
            return false;
        if (n->arg[0] == of)
            return k == uop_type_bits((enum uop_type)n->type) - 1u;
        id = n->arg[0];
    }
    return false;
}

/* Whether everything that comes round to a phi is not negative when the phi is not, and it is shifted on its way.
 * *divided: signs are added to it first. */
static bool stays_natural(const struct graph *g, const struct graph_header_slot *s, uint32_t *stamp, uint32_t now,
                          bool *divided)
{
    graph_id stack[WALK_BUDGET + 2];
    uint32_t depth = 0, steps = 0;
    bool moved = false;
    *divided = false;
    stamp[s->phi] = now;
    stack[depth++] = s->phi;
    while (depth) {
        const struct graph_node *n = graph_at(g, stack[--depth]);
        moved |= n->kind == UOP_SAR;
        *divided |= n->kind == UOP_ADD;
        bool phi = n->kind == GRAPH_PHI, sum = n->kind == UOP_ADD, second = false;
        const graph_id *args = phi ? n->phi_args : n->arg + (n->kind == UOP_SELECT);
        uint32_t count = phi ? n->phi_count : n->kind == UOP_SELECT ? 2 : 1;
        if ((steps += count) > WALK_BUDGET)
            return false;
        if (sum && is_sign_of(g, n->arg[0], n->arg[1]))
            second = true;
        else if (sum && !is_sign_of(g, n->arg[1], n->arg[0]))
            return false;
        for (uint32_t k = second; k < count + second; k++) {
            graph_id x = args[k];
            unsigned kind = graph_at(g, x)->kind;
            if (x == s->start || stamp[x] == now || graph_is_natural(g, x))
                continue;
            if (kind != GRAPH_PHI && kind != UOP_SELECT && kind != UOP_SAR && kind != UOP_ADD)
                return false;
            stamp[x] = now;
            stack[depth++] = x;
        }
    }
    return moved;
}

/* What a loop halves begins with no negative number: by what it is, or, of a number that is divided, by what the way to
 * the loop asks (n >> 1 stays that). */
static bool begins_natural(struct graph *g, const struct graph_header_slot *s, bool divided)
{
    if (graph_is_natural(g, s->start) || !divided)
        return graph_is_natural(g, s->start);
    graph_id path = g->blocks.p[s->block].path, atoms[6];
    unsigned count;
    uint64_t table;
    if (path == GRAPH_NIL || !graph_table(g, path, atoms, &count, &table))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct graph_node n = *graph_at(g, atoms[i]);
        if (n.kind != UOP_ILT_S || (n.arg[0] != s->start && n.arg[1] != s->start))
            continue;
        bool below = n.arg[0] == s->start; /* start < k, which does not hold; else k < start */
        const struct graph_node *k = graph_at(g, n.arg[below]);
        if (n.arg[!below] == s->start && k->kind == UOP_CONST && graph_signed_const(k) >= (below ? 0 : -1) &&
            graph_implies(g, path, below ? graph_not(g, atoms[i]) : atoms[i]))
            return true;
    }
    return false;
}

static bool learn_natural(struct graph_builder *b)
{
    struct graph *g = b->g;
    uint32_t *stamp = ARENA_ARRAY(&b->scratch, uint32_t, g->nodes.n);
    bool news = false, divided;
    for (size_t i = 0; i < b->headers.n && stamp; i++) {
        const struct graph_header_slot *s = &b->headers.p[i];
        if (s->phi == GRAPH_NIL || s->half || graph_at(g, s->phi)->type != UOP_B32 ||
            (graph_at(g, s->phi)->flags & GRAPH_NATURAL) || graph_assumed_natural(b, s->block, s->variable) ||
            !stays_natural(g, s, stamp, (uint32_t)i + 1, &divided) || !begins_natural(g, s, divided))
            continue;
        assume(b, s->block, s->variable, s->variable, GRAPH_ASSUMED_NATURAL);
        news = true;
    }
    return news;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* The slot of a 32-bit loop phi, NULL: it is none. Slots ascend by their phis, but for second halves. */
static const struct graph_header_slot *slot_of(const struct graph_builder *b, const uint32_t *plain, uint32_t count,
                                               graph_id phi)
{
    uint32_t lo = 0, hi = count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (b->headers.p[plain[mid]].phi < phi)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < count && b->headers.p[plain[lo]].phi == phi ? &b->headers.p[plain[lo]] : NULL;
}

static bool is_refused(const struct graph_builder *b, uint32_t block, uint32_t lo, uint32_t hi)
{
    for (uint32_t i = b->assumed_at[block]; i; i = b->assumed.p[i - 1].next) {
        const struct graph_assumption *a = &b->assumed.p[i - 1];
        if (a->kind == GRAPH_ASSUMED_REFUSED && a->lo == lo && a->hi == hi)
            return true;
    }
    return false;
}

/* Two loop phis are taken for one, and with them those they come from: of loops around, and where paths meet. */
static bool try_pair(struct graph_builder *b, const uint32_t *plain, uint32_t count, graph_id lo, graph_id hi)
{
    const struct graph *g = b->g;
    uint64_t list[PAIR_BUDGET];
    uint32_t n = 0;
    bool news = false;
    list[n++] = (uint64_t)lo << 32 | hi;
    for (uint32_t at = 0; at < n; at++) {
        lo = (graph_id)(list[at] >> 32), hi = (graph_id)list[at];
        const struct graph_node *x = graph_at(g, lo), *y = graph_at(g, hi);
        const graph_id *xs = x->phi_args, *ys = y->phi_args;
        uint32_t args = x->phi_count;
        if (x->kind == GRAPH_PHI && y->kind == GRAPH_PHI && x->block == y->block && x->imm == y->imm) {
            const struct graph_header_slot *l = slot_of(b, plain, count, lo), *h = slot_of(b, plain, count, hi);
            if (x->imm &&
                (!l || !h || lo == hi || is_refused(b, l->block, l->variable, h->variable) ||
                 graph_assumption_of(b, l->block, l->variable) || graph_assumption_of(b, h->block, h->variable)))
                continue;
            if (x->imm) {
                assume(b, l->block, l->variable, h->variable, GRAPH_ASSUMED_PAIR);
                news = true;
            }
        } else if (x->kind == UOP_SELECT && y->kind == UOP_SELECT && x->arg[0] == y->arg[0]) {
            xs = x->arg + 1, ys = y->arg + 1;
            args = 2;
        } else {
            continue;
        }
        for (uint32_t k = 0; k < args; k++) {
            uint64_t next = (uint64_t)xs[k] << 32 | ys[k];
            bool known = false;
            for (uint32_t i = 0; i < n && !known; i++)
                known = list[i] == next;
            if (!known && n < PAIR_BUDGET)
                list[n++] = next;
        }
    }
    return news;
}

/* What comes round to a 64-bit phi is no 64-bit value: two registers that were read together once. */
static bool refuse_pairs(struct graph_builder *b)
{
    bool news = false;
    for (uint32_t i = 0; i < b->headers.n; i++) {
        const struct graph_header_slot *s = &b->headers.p[i];
        if (s->half != 1)
            continue;
        bool holds = true;
        for (uint32_t k = 0; k < b->g->blocks.p[s->block].pred_count; k++)
            if (b->flow->edges.p[b->flow->pred_edges[s->block][k]].back)
                holds &= graph_at(b->g, s->args[k])->kind != UOP_PAIR;
        for (uint32_t k = b->assumed_at[s->block]; k && !holds; k = b->assumed.p[k - 1].next) {
            struct graph_assumption *a = &b->assumed.p[k - 1];
            if (a->kind == GRAPH_ASSUMED_PAIR && a->lo == s->variable) {
                a->kind = GRAPH_ASSUMED_REFUSED;
                news = true;
            }
        }
    }
    return news;
}

bool graph_learn_loops(struct graph_builder *b)
{
    const struct graph *g = b->g;
    if (!b->headers.n)
        return false;
    bool news = refuse_pairs(b);
    uint32_t *plain = ARENA_ARRAY(&b->scratch, uint32_t, b->headers.n), count = 0;
    if (!plain)
        return false;
    for (uint32_t i = 0; i < b->headers.n; i++)
        if (b->headers.p[i].phi != GRAPH_NIL && !b->headers.p[i].half)
            plain[count++] = i;
    news |= learn_unchanged(b);
    news |= learn_natural(b);
    /* Those that an instruction reads as one value first, then those that a rule would have joined. */
    for (size_t i = 0; i < b->read_pairs.n; i++)
        news |= try_pair(b, plain, count, (graph_id)(b->read_pairs.p[i] >> 32), (graph_id)b->read_pairs.p[i]);
    for (size_t i = 0; i < g->wanted.n; i++)
        news |= try_pair(b, plain, count, (graph_id)(g->wanted.p[i] >> 32), (graph_id)g->wanted.p[i]);
    return news;
}
