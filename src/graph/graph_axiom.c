/* What is always so between a symbol of linear forms and the ones it is made of: its bits, the size of a block, a
 * counter that only falls, one that goes ahead of another. Each is a fact `form <= 0` that follows from the node alone.
 * requires: linear forms, ranges · gives: graph_add_axioms */
#include "graph/graph_depend_internal.h"

/* What only gets smaller from turn to turn is never above its start. */
static void add_descent(struct graph *g, struct graph_constraints *s, graph_id phi)
{
    const struct graph_node n = *graph_at(g, phi);
    const struct graph_block *b = &g->blocks.p[n.block];
    struct graph_linear f = {0}, start;
    graph_id from = GRAPH_NIL;
    if (!b->loop || g->loops.p[b->loop - 1].header != n.block || n.phi_count != b->pred_count ||
        !graph_not_negative(g, phi))
        return;
    for (uint32_t k = 0; k < n.phi_count; k++) {
        const struct graph_node *next = graph_at(g, n.phi_args[k]);
        if (!graph_in_loop(g, b->preds[k], b->loop)) {
            if (from != GRAPH_NIL && from != n.phi_args[k])
                return;
            from = n.phi_args[k];
        } else if (n.phi_args[k] != phi &&
                   !((next->kind == UOP_SHR || next->kind == UOP_SAR || next->kind == UOP_AND) &&
                     next->arg[0] == phi)) {
            return;
        }
    }
    if (from == GRAPH_NIL || !graph_not_negative(g, from) || !graph_linear_of(g, from, &start))
        return;
    graph_linear_symbol(&f, phi, 1);
    if (graph_linear_add(&f, &start, -1))
        graph_constrain(s, &f);
}

/* The condition says, in one of the ways it is written, that x >> c is not 0. */
static bool asks_for_more(struct graph *g, graph_id when, graph_id shifted)
{
    const struct graph_node n = *graph_at(g, shifted);
    graph_id zero = graph_const(g, UOP_B32, 0);
    uint64_t c;
    if (when == GRAPH_NIL)
        return false;
    if (graph_implies(g, when, graph_not(g, graph_op2(g, UOP_IEQ, UOP_B1, shifted, zero))) ||
        graph_implies(g, when, graph_op2(g, UOP_ILT_S, UOP_B1, zero, shifted)) ||
        graph_implies(g, when, graph_op2(g, UOP_ILT_U, UOP_B1, zero, shifted)))
        return true;
    if ((n.kind != UOP_SHR && n.kind != UOP_SAR) || !graph_is_const(g, n.arg[1], &c) || !c || c > 30)
        return false;
    graph_id less = graph_const(g, UOP_B32, (UINT64_C(1) << c) - 1), all = graph_const(g, UOP_B32, UINT64_C(1) << c);
    return graph_implies(g, when, graph_op2(g, UOP_ILT_S, UOP_B1, less, n.arg[0])) ||
           graph_implies(g, when, graph_op2(g, UOP_ILT_U, UOP_B1, less, n.arg[0])) ||
           graph_implies(g, when, graph_not(g, graph_op2(g, UOP_ILT_S, UOP_B1, n.arg[0], all))) ||
           graph_implies(g, when, graph_not(g, graph_op2(g, UOP_ILT_U, UOP_B1, n.arg[0], all)));
}

/* A counter that is shifted down is more than 0 wherever it stands: each way into its loop, and round it, asks. */
static bool never_zero(struct graph *g, graph_id phi)
{
    const struct graph_node n = *graph_at(g, phi);
    const struct graph_block b = g->blocks.p[n.block];
    if (!b.loop || g->loops.p[b.loop - 1].header != n.block || n.phi_count != b.pred_count || n.type != UOP_B32 ||
        !graph_not_negative(g, phi))
        return false;
    for (uint32_t k = 0; k < n.phi_count; k++) {
        graph_id from = n.phi_args[k];
        const struct graph_node next = *graph_at(g, from);
        struct graph_range r;
        bool round = graph_in_loop(g, b.preds[k], b.loop);
        if (round && ((next.kind != UOP_SHR && next.kind != UOP_SAR) || next.arg[0] != phi))
            return false;
        if (!round && graph_range_of(g, from, &r) && r.lo > 0)
            continue;
        if (!asks_for_more(g, graph_edge_taken(g, b.preds[k], n.block), from))
            return false;
    }
    return true;
}

static void add_never_zero(struct graph *g, struct graph_constraints *s, graph_id phi)
{
    if (!graph_fact_at(g, phi)->halves) {
        graph_fact_at(g, phi)->halves = 2; /* while it is asked for */
        bool is = never_zero(g, phi);
        graph_fact_at(g, phi)->halves = is ? 1 : 2;
    }
    if (graph_fact_at(g, phi)->halves == 1)
        graph_constrain(s, &(struct graph_linear){.t = {{phi, -1}}, .n = 1, .k = 1});
}

/* Two counters of one loop of which one goes ahead of the other: half = full >> c whichever way control came. */
static void add_companion(struct graph *g, struct graph_constraints *s, graph_id half, graph_id full)
{
    const struct graph_node a = *graph_at(g, half), b = *graph_at(g, full);
    uint64_t by = 0, c;
    if (b.kind != GRAPH_PHI || a.block != b.block || a.phi_count != b.phi_count || !a.phi_count ||
        !graph_not_negative(g, full))
        return;
    for (uint32_t k = 0; k < a.phi_count; k++) {
        const struct graph_node *n = graph_at(g, a.phi_args[k]);
        if ((n->kind != UOP_SHR && n->kind != UOP_SAR) || n->arg[0] != b.phi_args[k] ||
            !graph_is_const(g, n->arg[1], &c) || !c || c >= 31 || (k && c != by))
            return;
        by = c;
    }
    struct graph_linear f = {0}, m = {.k = -((INT64_C(1) << by) - 1)};
    graph_linear_symbol(&f, half, INT64_C(1) << by);
    graph_linear_symbol(&f, full, -1);
    graph_linear_symbol(&m, half, -(INT64_C(1) << by));
    graph_linear_symbol(&m, full, 1);
    graph_constrain(s, &f);
    graph_constrain(s, &m);
}

/* The first fact in which a symbol stands comes with what is known of it and each other one of its loop. */
static void add_companions(struct graph *g, struct graph_constraints *s, graph_id phi)
{
    graph_id met[CONSTRAINT_MAX];
    unsigned n = 0, facts = s->n;
    for (unsigned i = 0; i < facts; i++) {
        for (unsigned k = 0; k < s->f[i].n; k++) {
            graph_id other = s->f[i].t[k].symbol;
            bool seen = other == phi || graph_at(g, other)->kind != GRAPH_PHI;
            for (unsigned x = 0; x < n && !seen; x++)
                seen = met[x] == other;
            if (seen || n == CONSTRAINT_MAX)
                continue;
            met[n++] = other;
            add_companion(g, s, phi, other);
        }
    }
}

/* x >> c as the quotient, rounded down: of a number of either sign by an arithmetic shift. Of a number that all threads
 * share and the code takes for unsigned: it is a size. */
static bool divides(struct graph *g, const struct graph_node *n, uint64_t *c)
{
    if ((n->kind != UOP_SHR && n->kind != UOP_SAR) || !graph_is_const(g, n->arg[1], c) || *c >= 31)
        return false;
    return n->kind == UOP_SAR || graph_not_negative(g, n->arg[0]) || graph_at(g, n->arg[0])->kind == UOP_CBANK;
}

/* What a signed division adds to a number below zero to round towards it: x >> 31, the sign as a bit, or more of them.
 * *most: what that comes to. */
static bool is_sign(struct graph *g, graph_id id, graph_id *of, int64_t *most)
{
    const struct graph_node n = *graph_at(g, id);
    uint64_t c, s;
    if (n.kind != UOP_SHR || n.type != UOP_B32 || !graph_is_const(g, n.arg[1], &c) || !c || c > 31)
        return false;
    const struct graph_node of_sign = *graph_at(g, n.arg[0]);
    bool spread = of_sign.kind == UOP_SAR && graph_is_const(g, of_sign.arg[1], &s) && s == 31;
    if (!spread && c != 31)
        return false;
    *of = spread ? of_sign.arg[0] : n.arg[0];
    *most = spread ? (INT64_C(1) << (32 - c)) - 1 : 1;
    return true;
}

/* The facts with a number in the place of a symbol. */
static void put_in(struct graph_constraints *s, graph_id symbol, int64_t value)
{
    struct graph_linear whole = {.t = {{symbol, -1}}, .n = 1, .k = value};
    for (unsigned i = 0; i < s->n; i++)
        for (unsigned k = 0; k < s->f[i].n; k++)
            if (s->f[i].t[k].symbol == symbol) {
                graph_linear_add(&s->f[i], &whole, s->f[i].t[k].c);
                break;
            }
}

bool graph_split_sign(struct graph *g, const struct graph_constraints *s, struct graph_constraints out[2])
{
    for (unsigned i = 0; i < s->n && s->n < CONSTRAINT_MAX; i++) {
        for (unsigned k = 0; k < s->f[i].n; k++) {
            struct graph_linear of, minus = {0};
            graph_id number, sign = s->f[i].t[k].symbol;
            int64_t most;
            if (!is_sign(g, sign, &number, &most) || !graph_linear_of(g, number, &of) ||
                !graph_linear_add(&minus, &of, -1))
                continue;
            out[0] = out[1] = *s;
            put_in(&out[0], sign, 0);
            graph_constrain(&out[0], &minus);
            put_in(&out[1], sign, most);
            of.k++;
            graph_constrain(&out[1], &of); /* below 0 */
            return true;
        }
    }
    return false;
}

/* What is always so between a symbol and the ones it is made of. */
void graph_add_axioms(struct graph *g, struct graph_constraints *s)
{
    for (unsigned i = 0; i < s->n; i++) {
        for (unsigned k = 0; k < s->f[i].n; k++) {
            graph_id id = s->f[i].t[k].symbol;
            bool seen = false;
            for (unsigned x = 0; x < i && !seen; x++)
                for (unsigned y = 0; y < s->f[x].n; y++)
                    seen |= s->f[x].t[y].symbol == id;
            if (seen || s->n + 2 > CONSTRAINT_MAX)
                continue;
            const struct graph_node n = *graph_at(g, id);
            uint64_t c;
            struct graph_linear x, f = {0};
            if (n.kind == UOP_SREG && n.imm <= UOP_SR_TID_Z) { /* threadIdx < blockDim */
                graph_linear_symbol(&f, id, 1);
                graph_linear_symbol(&f, graph_sreg(g, (unsigned)(UOP_SR_NTID_X + n.imm)), -1);
                f.k = 1;
                graph_constrain(s, &f);
            }
            if (n.kind == GRAPH_PHI) {
                add_descent(g, s, id);
                add_never_zero(g, s, id);
                add_companions(g, s, id);
            }
            if (n.kind == UOP_MUL && graph_not_negative(g, n.arg[0]) && graph_not_negative(g, n.arg[1])) {
                graph_linear_symbol(&f, id, -1); /* blockIdx * blockDim is an index, and stays one */
                graph_constrain(s, &f);
                f = (struct graph_linear){0};
            }
            if (divides(g, &n, &c) && graph_linear_of(g, n.arg[0], &x)) {
                graph_linear_symbol(&f, id, INT64_C(1) << c); /* 2^c s <= x <= 2^c s + 2^c - 1 */
                if (graph_linear_add(&f, &x, -1))
                    graph_constrain(s, &f);
                f = (struct graph_linear){.k = -((INT64_C(1) << c) - 1)};
                graph_linear_symbol(&f, id, -(INT64_C(1) << c));
                if (graph_linear_add(&f, &x, 1))
                    graph_constrain(s, &f);
            }
            if (n.kind == UOP_AND && graph_not_negative(g, n.arg[0]) && graph_linear_of(g, n.arg[0], &x)) {
                graph_linear_symbol(&f, id, 1); /* x & m <= x */
                if (graph_linear_add(&f, &x, -1))
                    graph_constrain(s, &f);
                if (graph_is_const(g, n.arg[1], &c) && (c & (c + 1)) == 0 && c < 1 << 16) {
                    /* x = (x >> k) * 2^k + (x & (2^k - 1)) */
                    graph_id high = graph_op2(g, UOP_SHR, UOP_B32, n.arg[0],
                                              graph_const(g, UOP_B32, (uint64_t)__builtin_ctzll(c + 1)));
                    struct graph_linear whole = x, minus = {0};
                    if (graph_linear_symbol(&whole, id, -1) && graph_linear_symbol(&whole, high, -(int64_t)(c + 1)) &&
                        graph_linear_add(&minus, &whole, -1)) {
                        graph_constrain(s, &whole);
                        graph_constrain(s, &minus);
                    }
                }
            }
        }
    }
}
