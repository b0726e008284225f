/* What follows for other nodes when a number that a walk begins with has some value: a sum that it differs from by a
 * constant, what it is the minimum or maximum of, a counter beside it.
 *
 * requires: leaves of a walk · gives: walk_near */
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

/* The node is the leaf plus a constant, or a constant less the leaf. */
static bool differs_by_constant(struct walker *x, unsigned k, graph_id id, uint64_t *out)
{
    struct graph *g = x->w->g;
    enum uop_type type = (enum uop_type)graph_at(g, id)->type;
    uint64_t by;
    if (type != (enum uop_type)graph_at(g, x->leaf[k])->type)
        return false;
    if (graph_is_const(g, graph_op2(g, UOP_ADD, type, id, graph_op1(g, UOP_NEG, type, x->leaf[k])), &by)) {
        *out = cut(type, x->value[k] + by);
        return true;
    }
    if (graph_is_const(g, graph_op2(g, UOP_ADD, type, id, x->leaf[k]), &by)) {
        *out = cut(type, by - x->value[k]);
        return true;
    }
    return false;
}

static bool is_bound(unsigned kind)
{
    return kind >= UOP_MIN_S && kind <= UOP_MAX_U;
}

static int64_t number(enum uop_type type, bool is_signed, uint64_t bits)
{
    return type != UOP_B32 ? (int64_t)bits : is_signed ? (int32_t)(uint32_t)bits : (int64_t)(uint32_t)bits;
}

/* Of max(a, c) the other number is the larger one where it is not c; where it is, a is no more than c. */
static bool is_within(struct walker *x, unsigned k, graph_id id, uint64_t *out)
{
    struct graph *g = x->w->g;
    const struct graph_node leaf = *graph_at(g, x->leaf[k]), n = *graph_at(g, id);
    enum uop_type type = (enum uop_type)leaf.type;
    bool is_signed = leaf.kind == UOP_MIN_S || leaf.kind == UOP_MAX_S;
    bool most = leaf.kind == UOP_MAX_S || leaf.kind == UOP_MAX_U;
    uint64_t c, asked;
    if (!is_bound(leaf.kind) || (type != UOP_B32 && type != UOP_B64) || !graph_is_const(g, leaf.arg[1], &c))
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

bool walk_near(struct walker *x, graph_id id, uint64_t *out)
{
    const struct graph_node n = *graph_at(x->w->g, id);
    uint64_t ahead;
    for (unsigned k = 0; k < x->leaf_count; k++) {
        if (n.kind == GRAPH_PHI && walk_are_twins(x->w, x->leaf[k], id, &ahead)) {
            *out = cut((enum uop_type)n.type, x->value[k] + ahead);
            return true;
        }
        if (is_within(x, k, id, out) || (n.kind == UOP_ADD && differs_by_constant(x, k, id, out)))
            return true;
    }
    return false;
}
