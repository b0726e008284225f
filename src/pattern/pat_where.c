/* The conditions a block puts on its metavariables (`where`), asked when all of them are bound. A comparison of what
 * are no constants cannot be shown false and so holds; within assume() it makes the match an assumed one. Requires a
 * context in which a term has matched. */
#include "pattern/pat_collect.h"

#include <string.h>

static const struct pat_bound *bound_of(const struct pat_ctx *c, const struct cu_expr *e)
{
    int v = e->kind == CU_NAME ? cu_find_variable(&c->variant->block, e->text) : -1;
    return v >= 0 ? &c->bound[v] : NULL;
}

/* The bits of a constant side of a condition as a number; false when it is none. */
static bool constant_of(const struct pat_ctx *c, const struct cu_expr *e, double *out)
{
    const struct pat_bound *b = bound_of(c, e);
    uint64_t bits;
    if (e->kind == CU_NUMBER) {
        *out = e->number;
        return true;
    }
    if (!b || !b->set || b->node == GRAPH_NIL || !graph_is_const(c->g, b->node, &bits))
        return false;
    if (b->as == UOP_F32) {
        float f;
        uint32_t w = (uint32_t)bits;
        memcpy(&f, &w, sizeof f);
        *out = (double)f;
    } else if (b->as == UOP_F64) {
        memcpy(out, &bits, sizeof *out);
    } else if (pat_is_float(b->as)) {
        return false;
    } else {
        *out = b->as == UOP_B64 ? (double)(int64_t)bits : (double)(int32_t)(uint32_t)bits;
    }
    return true;
}

/* The choice between the quick way and `slow` is a branch, and what gives `slow` runs for nothing else. */
static bool has_slow_path(struct pat_ctx *c, graph_id slow)
{
    for (size_t i = 0; i < c->inner.n && c->branches; i++) {
        const struct graph_node *n = graph_at(c->g, c->inner.p[i].node);
        if (n->kind != UOP_SELECT || (n->arg[1] != slow && n->arg[2] != slow))
            continue;
        graph_id when = n->arg[1] == slow ? n->arg[0] : graph_not(c->g, n->arg[0]);
        return pat_slow_path(c->branches, c->a, c->g, when, &c->slow_path);
    }
    return false;
}

static bool holds(struct pat_ctx *c, const struct cu_expr *e)
{
    if (e->kind == CU_CALL) {
        const struct pat_bound *b = e->arg_count == 1 ? bound_of(c, e->arg[0]) : NULL;
        if (strcmp(e->text, "no_branch") == 0)
            return pat_made_by_instruction(c->x, c->root);
        if (strcmp(e->text, "slow_path") == 0)
            return b && b->set && has_slow_path(c, b->node);
        if (strcmp(e->text, "quotient") == 0 || strcmp(e->text, "remainder") == 0)
            return true; /* that is how it was found */
        if (strcmp(e->text, "exact") == 0)
            return c->via == 0;
        if (strcmp(e->text, "assume") == 0)
            return holds(c, e->arg[0]);
        if (!b || !b->set || b->node == GRAPH_NIL)
            return false;
        if (strcmp(e->text, "diverges") == 0)
            return c->collect && pat_differs_in_block(c->collect->play, b->node);
        if (strcmp(e->text, "uniform") == 0)
            return pat_spread_of(c->x, b->node) == PAT_UNIFORM;
        return strcmp(e->text, "varies") == 0 && pat_spread_of(c->x, b->node) == PAT_VARIES;
    }
    double a, b;
    if (e->kind != CU_BINARY || !constant_of(c, e->arg[0], &a) || !constant_of(c, e->arg[1], &b))
        return true; /* not constants: the condition cannot be shown false */
    switch (e->op) {
    case CU_LT: return a < b;
    case CU_LE: return a <= b;
    case CU_GT: return a > b;
    case CU_GE: return a >= b;
    case CU_EQ: return a == b;
    case CU_NE: return a != b;
    default: return true;
    }
}

bool pat_assumes(const struct pat_ctx *c)
{
    for (unsigned i = 0; i < c->variant->block.where_count; i++) {
        const struct cu_expr *e = c->variant->block.where[i];
        double value;
        if (e->kind == CU_CALL && strcmp(e->text, "assume") == 0 &&
            (!constant_of(c, e->arg[0]->arg[0], &value) || !constant_of(c, e->arg[0]->arg[1], &value)))
            return true;
    }
    return false;
}

bool pat_match_where(struct pat_ctx *c)
{
    for (unsigned i = 0; i < c->variant->block.where_count; i++)
        if (!holds(c, c->variant->block.where[i]))
            return false;
    return true;
}
