/* Which instructions belong to a match: those that made a node inside the matched term in a register, the
 * compares of its conditions, loads it takes from memory, and instructions that only set a constant one of
 * these reads. What a metavariable stands for lies outside. Requires a matched context; gives instances in
 * ascending order and their byte range. */
#include "pattern/pat_internal.h"

#include <stdlib.h>

struct cover {
    struct arena *a;
    const struct graph *g;
    struct map_u64 seen;
    VEC(uint32_t) list;
};

static void add(struct cover *v, uint32_t insn)
{
    uint32_t known;
    if (insn >= v->g->insns.n || map_u64_get(&v->seen, insn, &known))
        return;
    if (map_u64_put(v->a, &v->seen, insn, 1))
        VEC_PUSH(v->a, v->list, insn);
}

static void add_holder(void *user, uint32_t insn, bool merged)
{
    (void)merged;
    add(user, insn);
}

static bool is_bound(const struct pat_ctx *c, graph_id node)
{
    for (unsigned i = 0; i < c->variant->block.variable_count; i++)
        if (c->bound[i].set && c->bound[i].node == node)
            return true;
    return false;
}

/* A condition, its negation, and the compares in it. */
static void add_condition(const struct pat_ctx *c, struct cover *v, graph_id condition)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    pat_holders(c->x, condition, add_holder, v);
    pat_holders(c->x, graph_not(c->g, condition), add_holder, v);
    if (!graph_table(c->g, condition, atoms, &count, &table))
        return;
    for (unsigned i = 0; i < count; i++) {
        pat_holders(c->x, atoms[i], add_holder, v);
        pat_holders(c->x, graph_not(c->g, atoms[i]), add_holder, v);
    }
}

/* Instructions that set a constant which one of those in the list reads. */
static void add_constants(const struct pat_ctx *c, struct cover *v)
{
    const struct graph *g = v->g;
    for (size_t i = 0; i < v->list.n; i++) {
        const struct graph_insn *n = &g->insns.p[v->list.p[i]];
        for (uint32_t u = 0; u < n->use_count; u++) {
            const struct graph_use *use = &g->uses.p[n->first_use + u];
            if (!graph_is_const(g, use->node, NULL))
                continue; /* a constant that some other path would have left there */
            for (uint32_t d = 0; d < use->def_count; d++) {
                const struct graph_def *def = &g->defs.p[use->defs[d]];
                if (graph_is_const(g, def->node, NULL) && !is_bound(c, def->node))
                    add(v, def->insn);
            }
        }
    }
}

/* A value that is in no register of its own (a lane of a packed operation, the inner one of two maxima in one
 * instruction) was made where what is made of it is first held. */
static bool climb(const struct pat_ctx *c, struct cover *v, graph_id node, unsigned levels)
{
    uint32_t count;
    const graph_id *users = graph_users(c->g, node, &count);
    if (count > 8) /* shared by many: no part of one instruction */
        return false;
    for (uint32_t i = 0; i < count; i++)
        pat_holders(c->x, users[i], add_holder, v);
    for (uint32_t i = 0; i < count && !v->list.n && levels; i++)
        climb(c, v, users[i], levels - 1);
    return v->list.n != 0;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void pat_cover(const struct pat_ctx *c, const uint32_t *extra, unsigned extra_count, struct pat_found *out)
{
    struct cover v = {.a = c->a, .g = c->g};
    for (unsigned i = 0; i < extra_count; i++)
        add(&v, extra[i]);
    for (size_t i = 0; i < c->inner.n; i++) {
        const struct graph_node *n = graph_at(c->g, c->inner.p[i].node);
        if (c->inner.p[i].load)
            pat_loaders(c->x, c->inner.p[i].node, add_holder, &v);
        else if (n->type == UOP_B1 && n->kind != UOP_CONST)
            add_condition(c, &v, c->inner.p[i].node);
        else if (n->kind != UOP_CONST)
            pat_holders(c->x, c->inner.p[i].node, add_holder, &v);
    }
    for (size_t i = 0; i < c->conditions.n; i++)
        add_condition(c, &v, c->conditions.p[i]);
    for (size_t i = 0; i < c->carriers.n; i++) {
        pat_holders(c->x, c->carriers.p[i], add_holder, &v);
        pat_holders(c->x, graph_not(c->g, c->carriers.p[i]), add_holder, &v);
    }
    out->climbed = !v.list.n && c->root != GRAPH_NIL && climb(c, &v, c->root, 4);
    if (v.list.n)
        add_constants(c, &v);
    if (v.list.n)
        qsort(v.list.p, v.list.n, sizeof v.list.p[0], ascending);
    out->match.insns.p = v.list.p;
    out->match.insns.n = v.list.n;
    out->match.insns.cap = v.list.cap;
    out->first = UINT32_MAX;
    out->last = 0;
    for (size_t i = 0; i < v.list.n; i++) {
        uint32_t offset = c->g->insns.p[v.list.p[i]].offset;
        out->first = offset < out->first ? offset : out->first;
        out->last = offset > out->last ? offset : out->last;
    }
}
