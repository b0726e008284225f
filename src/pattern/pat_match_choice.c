/* Terms that are chosen by a compare against nodes: minima and maxima, compares however they are turned round, and
 * conditional expressions with their condition either way.
 *
 * Requires a context at work (pat_match.c). */
#include "pattern/pat_match.h"

bool pat_match_minmax(struct pat_ctx *c, const struct pat_goal *goal)
{
    static const unsigned orders[2][3] = {{0, 1, 2}, {1, 0, 2}};
    struct pat_minmax v;
    uint8_t fresh = 0; /* nodes made while matching are not in the index */
    uint8_t *known = goal->node < c->x->count ? &c->x->minmax[goal->node] : &fresh;
    if (!pat_minmax_known(c->g, goal->node, known, &v) || v.maximum != goal->term->maximum)
        return false;
    if (!v.exact && !(c->page->rules & PAT_RULE_SELECT))
        return false;
    struct pat_mark m = pat_here(c);
    const graph_id args[2] = {v.a, v.b};
    graph_id condition = v.select ? graph_at(c->g, goal->node)->arg[0] : GRAPH_NIL;
    for (int k = 0; k < 2; k++) {
        pat_enter(c, goal->node, goal->term, false);
        if (v.select) {
            VEC_PUSH(c->a, c->conditions, condition);
            VEC_PUSH(c->a, c->readings, goal->node);
            VEC_PUSH(c->a, c->readings, args[orders[k][0]]);
            VEC_PUSH(c->a, c->readings, args[orders[k][1]]);
        }
        c->via |= v.exact ? 0 : PAT_RULE_SELECT;
        if (pat_solve_arguments(c, goal, args, orders[k], 2, v.as))
            return true;
        pat_back(c, m);
    }
    return false;
}

bool pat_match_compare(struct pat_ctx *c, const struct pat_term *t, graph_id atom, bool negated,
                       const struct pat_goal *next)
{
    const struct graph_node *n = graph_at(c->g, atom);
    bool whole = n->kind == UOP_IEQ || n->kind == UOP_ILT_S || n->kind == UOP_ILT_U;
    bool floats = n->kind == UOP_FLT || n->kind == UOP_FLE || n->kind == UOP_FEQ;
    if (n->kind == UOP_FNUM && n->arg[0] == n->arg[1] && negated && t->op == CU_NE) { /* x != x: x is a NaN */
        struct pat_goal second = {t->arg[1], n->arg[0], (enum uop_type)n->width, next};
        return pat_solve(c, &(struct pat_goal){t->arg[0], n->arg[0], (enum uop_type)n->width, &second});
    }
    if (!whole && !floats)
        return false;
    enum uop_type as = floats ? (enum uop_type)n->width : n->imm == 64 ? UOP_B64 : UOP_B32;
    graph_id x = n->arg[0], y = n->arg[1];
    bool real = c->page->rules & PAT_RULE_SELECT;
    bool equal = n->kind == UOP_IEQ || n->kind == UOP_FEQ;
    struct pat_mark m = pat_here(c);
    if (t->op == CU_EQ || t->op == CU_NE) {
        if (!equal || negated != (t->op == CU_NE))
            return false;
        for (int turn = 0; turn < 2; turn++) {
            struct pat_goal second = {t->arg[1], turn ? x : y, as, next};
            if (pat_solve(c, &(struct pat_goal){t->arg[0], turn ? y : x, as, &second}))
                return true;
            pat_back(c, m);
        }
        return false;
    }
    if (equal)
        return false;
    /* As `small OP large`: OP is < or <=, the term likewise. */
    bool strict = n->kind != UOP_FLE, inexact = false;
    if (negated && floats) { /* !(x < y) is y <= x for numbers only */
        inexact = true;
        strict = !strict;
    } else if (negated) {
        strict = false;
    }
    graph_id small = negated ? y : x, large = negated ? x : y;
    bool term_strict = t->op == CU_LT || t->op == CU_GT;
    bool turned = t->op == CU_GT || t->op == CU_GE;
    if (term_strict != strict) {
        if (!floats)
            return false;
        inexact = true;
    }
    if (inexact && !real)
        return false;
    if (inexact)
        c->via |= PAT_RULE_SELECT;
    struct pat_goal second = {t->arg[1], turned ? small : large, as, next};
    return pat_solve(c, &(struct pat_goal){t->arg[0], turned ? large : small, as, &second}) || pat_back(c, m);
}

/* The condition of a choice, wanted as `term` with the arms (yes, no). */
static bool match_choice_as(struct pat_ctx *c, const struct pat_goal *goal, graph_id condition, bool negated,
                            graph_id yes, graph_id no)
{
    const struct pat_term *t = goal->term;
    struct pat_mark m = pat_here(c);
    graph_id select = goal->node;
    const struct graph_node *atom = graph_at(c->g, condition);
    /* Arms that the compare reads too are read as it reads them. */
    enum uop_type as = UOP_VOID;
    if (atom->kind == UOP_FLT || atom->kind == UOP_FLE)
        if (yes == atom->arg[0] || yes == atom->arg[1] || no == atom->arg[0] || no == atom->arg[1])
            as = (enum uop_type)atom->width;
    struct pat_goal third = {t->arg[2], no, as, goal->next}, second = {t->arg[1], yes, as, &third};
    pat_enter(c, select, t, false);
    VEC_PUSH(c->a, c->conditions, condition);
    if (t->arg[0]->kind == TERM_COMPARE)
        return pat_match_compare(c, t->arg[0], condition, negated, &second) || pat_back(c, m);
    graph_id wanted = negated ? graph_not(c->g, condition) : condition;
    return pat_solve(c, &(struct pat_goal){t->arg[0], wanted, UOP_B1, &second}) || pat_back(c, m);
}

bool pat_match_choice(struct pat_ctx *c, const struct pat_goal *goal)
{
    const struct graph_node *n = graph_at(c->g, goal->node);
    if (n->kind != UOP_SELECT)
        return false;
    graph_id condition = n->arg[0], yes = n->arg[1], no = n->arg[2];
    bool turned = n->flags & UOP_SWAPPED;
    /* A condition is shown as some predicate holds it, else as the select was written. */
    bool plain_held = pat_has_holder(c->x, condition), turned_held = pat_has_holder(c->x, graph_not(c->g, condition));
    if (plain_held != turned_held)
        turned = turned_held;
    for (int k = 0; k < 2; k++, turned = !turned)
        if (match_choice_as(c, goal, condition, turned, turned ? no : yes, turned ? yes : no))
            return true;
    return false;
}
