/* What follows for other nodes when a number that a walk begins with has some value: a sum that it differs from by a
 * constant, what it is the minimum or maximum of, a counter beside it.
 *
 * requires: leaves of a walk · gives: walk_near */
#include "graph/graph_depend.h"
#include "graph/graph_walk.h"

bool walk_are_twins(const struct cycle_work *w, graph_id a, graph_id b, uint64_t *ahead)
{
    struct graph *g = w->g;
    struct cycle_region *r = NULL, *s = NULL;
    uint64_t from, to;
    if (!graph_is_loop_phi(g, a) || !graph_is_loop_phi(g, b))
        return false;
    const struct cycle_phi *p = cycle_loop_phi(w, a, &r), *q = cycle_loop_phi(w, b, &s);
    if (!p || !q || r != s || p->step_kind != CYCLE_STEP_ADD || q->step_kind != CYCLE_STEP_ADD || !p->constant ||
        !q->constant || p->amount != q->amount || graph_at(g, a)->type != graph_at(g, b)->type ||
        !graph_is_const(g, p->start, &from) || !graph_is_const(g, q->start, &to))
        return false;
    *ahead = to - from;
    return true;
}

static uint64_t cut(enum uop_type type, uint64_t value)
{
    return type == UOP_B32 ? value & UINT32_MAX : value;
}

/* A sum and the differences in it, opened: what is added up, and how often (modulo its width). */
struct opened {
    graph_id term[WALK_TERMS];
    int32_t times[WALK_TERMS];
    unsigned count;
    uint64_t constant;
};

static bool open_sum(const struct graph *g, graph_id id, int32_t times, struct opened *out, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    uint64_t constant;
    if (graph_is_const(g, id, &constant)) {
        out->constant += (uint64_t)(int64_t)times * constant;
        return true;
    }
    if (depth < 8 && n->kind == UOP_ADD)
        return open_sum(g, n->arg[0], times, out, depth + 1) && open_sum(g, n->arg[1], times, out, depth + 1);
    if (depth < 8 && n->kind == UOP_NOT && (n->type == UOP_B32 || n->type == UOP_B64)) { /* -x - 1 */
        out->constant -= (uint64_t)(int64_t)times;
        return open_sum(g, n->arg[0], -times, out, depth + 1);
    }
    if (depth < 8 && (n->kind == UOP_NEG || n->kind == UOP_UNIFORM))
        return open_sum(g, n->arg[0], n->kind == UOP_NEG ? -times : times, out, depth + 1);
    unsigned k = 0;
    while (k < out->count && out->term[k] != id)
        k++;
    if (k == WALK_TERMS)
        return false;
    out->term[k] = id;
    out->times[k] = k < out->count ? out->times[k] + times : times;
    out->count += k == out->count;
    return true;
}

/* The 32 low bits of a 64-bit number, computed from those of what it is made of. */
bool walk_is_low(const struct graph *g, graph_id low, graph_id wide, unsigned depth)
{
    const struct graph_node *a = graph_at(g, low), *b = graph_at(g, wide);
    uint64_t x, y;
    if (a->type != UOP_B32 || b->type != UOP_B64 || depth > 8)
        return false;
    if ((a->kind == UOP_LO || b->kind == UOP_SEXT || b->kind == UOP_ZEXT) &&
        (a->kind == UOP_LO ? a->arg[0] == wide : b->arg[0] == low))
        return true;
    if (graph_is_const(g, low, &x) && graph_is_const(g, wide, &y))
        return (uint32_t)x == (uint32_t)y;
    if (a->kind == UOP_CBANK)
        return b->kind == UOP_CBANK && a->space == b->space && a->imm == b->imm && !a->arg_count && !b->arg_count;
    bool sum = a->kind == UOP_ADD || a->kind == UOP_MUL || a->kind == UOP_NEG;
    if (!sum || a->kind != b->kind || a->arg_count != b->arg_count)
        return false;
    bool same = true, turned = a->arg_count == 2;
    for (unsigned k = 0; k < a->arg_count && (same || turned); k++) {
        same = same && walk_is_low(g, a->arg[k], b->arg[k], depth + 1);
        turned = turned && walk_is_low(g, a->arg[k], b->arg[1 - k], depth + 1);
    }
    return same || turned;
}

/* The sum is the leaf, or a constant less it, and more that is known. */
static bool adds_to(struct walker *x, unsigned k, graph_id id, uint64_t *out, unsigned depth)
{
    const struct graph *g = x->w->g;
    enum uop_type type = (enum uop_type)graph_at(g, id)->type;
    if (graph_at(g, x->leaf[k])->type != type || depth > WALK_TERMS)
        return false;
    for (int32_t sign = -1; sign <= 1; sign += 2) {
        struct opened sum = {.count = 0};
        bool known = open_sum(g, id, 1, &sum, 0) && open_sum(g, x->leaf[k], sign, &sum, 0);
        uint64_t all = sum.constant - (uint64_t)(int64_t)sign * x->value[k], one;
        for (unsigned t = 0; t < sum.count && known; t++) {
            if (sum.times[t] == 0)
                continue;
            known = sum.term[t] < id && walk_value(x, sum.term[t], &one, depth + 1);
            all += known ? (uint64_t)(int64_t)sum.times[t] * one : 0;
        }
        *out = cut(type, all);
        if (known)
            return true;
    }
    return false;
}

bool walk_made_of(struct walker *x, graph_id id, graph_id leaf, unsigned depth)
{
    const struct graph *g = x->w->g;
    const struct graph_node *n = graph_at(g, id);
    if (depth > WALK_TERMS || ++x->looks > WALK_LOOKS)
        return false;
    if (id == GRAPH_NIL || id == leaf || graph_is_const(g, id, NULL) || n->kind == GRAPH_PHI ||
        walk_is_low(g, id, leaf, 0))
        return true;
    for (int32_t sign = -1; sign <= 1 && n->kind == UOP_ADD && n->type == graph_at(g, leaf)->type; sign += 2) {
        struct opened sum = {.count = 0};
        bool made = open_sum(g, id, 1, &sum, 0) && open_sum(g, leaf, sign, &sum, 0);
        for (unsigned t = 0; t < sum.count && made; t++)
            made = sum.times[t] == 0 || (sum.term[t] < id && walk_made_of(x, sum.term[t], leaf, depth + 1));
        if (made)
            return true;
    }
    if (n->insn != UINT32_MAX || n->arg_count == 0)
        return false;
    for (unsigned k = n->kind == UOP_SELECT; k < n->arg_count; k++)
        if (!walk_made_of(x, n->arg[k], leaf, depth + 1))
            return false;
    return true;
}

bool walk_differ_by_constant(const struct graph *g, graph_id a, graph_id b, bool *turned, uint64_t *by)
{
    enum uop_type type = (enum uop_type)graph_at(g, a)->type;
    if (type != (enum uop_type)graph_at(g, b)->type || (type != UOP_B32 && type != UOP_B64))
        return false;
    for (int32_t sign = -1; sign <= 1; sign += 2) { /* b - a, b + a */
        struct opened sum = {.count = 0};
        bool none = open_sum(g, b, 1, &sum, 0) && open_sum(g, a, sign, &sum, 0);
        for (unsigned k = 0; k < sum.count && none; k++)
            none = sum.times[k] == 0;
        if (!none)
            continue;
        *turned = sign > 0;
        *by = cut(type, sum.constant);
        return true;
    }
    return false;
}

bool walk_bound_of(const struct graph *g, graph_id id, struct walk_bound *out)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->type != UOP_B32 && n->type != UOP_B64)
        return false;
    if (n->kind >= UOP_MIN_S && n->kind <= UOP_MAX_U) {
        *out = (struct walk_bound){n->kind == UOP_MAX_S || n->kind == UOP_MAX_U,
                                   n->kind == UOP_MIN_S || n->kind == UOP_MAX_S,
                                   {n->arg[0], n->arg[1]}};
        return true;
    }
    const struct graph_node *c = n->kind == UOP_SELECT ? graph_at(g, n->arg[0]) : NULL;
    if (!c || (c->kind != UOP_ILT_S && c->kind != UOP_ILT_U))
        return false;
    bool least = n->arg[1] == c->arg[0] && n->arg[2] == c->arg[1];
    if (!least && (n->arg[1] != c->arg[1] || n->arg[2] != c->arg[0]))
        return false;
    bool last = graph_is_const(g, n->arg[2], NULL);
    *out = (struct walk_bound){!least, c->kind == UOP_ILT_S, {n->arg[last ? 1 : 2], n->arg[last ? 2 : 1]}};
    return true;
}

static int64_t number(enum uop_type type, bool is_signed, uint64_t bits)
{
    return type != UOP_B32 ? (int64_t)bits : is_signed ? (int32_t)(uint32_t)bits : (int64_t)(uint32_t)bits;
}

/* Of max(a, c) the other number is the larger one where it is not c; where it is, a is no more than c. */
static bool is_within(struct walker *x, unsigned k, graph_id id, uint64_t *out)
{
    struct graph *g = x->w->g;
    const struct graph_node n = *graph_at(g, id);
    enum uop_type type = (enum uop_type)graph_at(g, x->leaf[k])->type;
    struct walk_bound leaf;
    uint64_t c, asked;
    if (!walk_bound_of(g, x->leaf[k], &leaf))
        return false;
    bool is_signed = leaf.is_signed, most = leaf.most;
    for (unsigned way = 0; way < 2; way++) { /* what the other one never is */
        struct graph_range other;
        int64_t value = number(type, is_signed, x->value[k]);
        if (id == leaf.arg[way] && is_signed && graph_range_of(g, leaf.arg[1 - way], &other) &&
            (most ? value > other.hi : value < other.lo)) {
            *out = x->value[k];
            return true;
        }
    }
    if (!graph_is_const(g, leaf.arg[1], &c))
        return false;
    int64_t limit = number(type, is_signed, c), value = number(type, is_signed, x->value[k]);
    bool beyond = most ? value > limit : value < limit;
    if (id == leaf.arg[0]) {
        *out = x->value[k];
        return beyond;
    }
    if (n.kind != (is_signed ? UOP_ILT_S : UOP_ILT_U) || value != limit)
        return false;
    if (n.arg[0] == leaf.arg[0] && graph_is_const(g, n.arg[1], &asked)) { /* a < asked */
        *out = most;
        return most ? limit < number(type, is_signed, asked) : limit >= number(type, is_signed, asked);
    }
    if (n.arg[1] == leaf.arg[0] && graph_is_const(g, n.arg[0], &asked)) { /* asked < a */
        *out = !most;
        return most ? limit <= number(type, is_signed, asked) : limit > number(type, is_signed, asked);
    }
    return false;
}

bool walk_near(struct walker *x, graph_id id, uint64_t *out, unsigned depth)
{
    const struct graph_node n = *graph_at(x->w->g, id);
    uint64_t ahead;
    for (unsigned k = 0; k < x->leaf_count; k++) {
        if (n.kind == GRAPH_PHI && walk_are_twins(x->w, x->leaf[k], id, &ahead)) {
            *out = cut((enum uop_type)n.type, x->value[k] + ahead);
            return true;
        }
        if (is_within(x, k, id, out) || (n.kind == UOP_ADD && adds_to(x, k, id, out, depth)))
            return true;
        if (n.type == UOP_B32 && walk_is_low(x->w->g, id, x->leaf[k], 0)) {
            *out = x->value[k] & UINT32_MAX;
            return true;
        }
    }
    return false;
}
