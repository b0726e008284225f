/* Expansions that no block spells out: integer divisions and functions of mathematics, found by what they compute
 * (pat_divide.c, pat_function.c), become matches of the pages that read as them.
 *
 * Requires what pat_expand.c has begun; gives matches and readings. */
#include "pattern/pat_expand.h"

#include <string.h>

static bool calls(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    const struct uop_list *l = input < g->input.count ? g->input.insns[input].uops : NULL;
    for (size_t i = 0; l && i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_CALL)
            return true;
    return false;
}

/* A division of 64 bits is a choice between a way inline and a call: both are its own, the call is the slow one. */
static void own_both_ways(struct expand *x, graph_id select)
{
    graph_id when = graph_at(x->g, select)->arg[0];
    for (int k = 0; k < 2; k++, when = graph_not(x->g, when)) {
        struct pat_slow way, other;
        bool slow = false;
        if (!pat_slow_path(&x->branches, x->a, x->g, when, &way))
            continue;
        for (size_t i = 0; i + way.fringe < way.insns.n; i++)
            slow |= calls(x->g, way.insns.p[i]);
        if (!slow)
            continue;
        if (pat_slow_path(&x->branches, x->a, x->g, graph_not(x->g, when), &other)) {
            for (size_t i = 0; i < other.insns.n; i++)
                VEC_PUSH(x->a, way.insns, other.insns.p[i]);
            way.fringe += (uint32_t)other.insns.n;
        }
        x->c.slow_path = way;
        return;
    }
}

bool pat_expand_divisions(struct expand *x, const struct pat_page *page, const struct pat_variant *v)
{
    const struct cu_block *b = &v->block;
    const struct cu_expr *what = NULL;
    for (unsigned i = 0; i < b->where_count; i++)
        if (b->where[i]->kind == CU_CALL && b->where[i]->arg_count == 2)
            what = b->where[i];
    int first = what ? cu_find_variable(b, what->arg[0]->text) : -1;
    int second = what ? cu_find_variable(b, what->arg[1]->text) : -1;
    if (first < 0 || second < 0)
        return true;
    if (!x->divided && pat_find_divisions(x->a, &x->x, x->memo, &x->divisions) != SP_OK)
        return false;
    x->divided = true;
    for (size_t i = 0; i < x->divisions.list.n; i++) {
        const struct pat_division *d = &x->divisions.list.p[i];
        bool is_signed = b->variables[first].type == CU_INT;
        if (d->is_signed != is_signed || d->remainder != (strcmp(what->text, "remainder") == 0) ||
            (d->b == GRAPH_NIL) != b->variables[second].constant || pat_reading_of(&x->x, d->node))
            continue;
        pat_ctx_begin(&x->c, page, v, d->node);
        x->c.slow_path = (struct pat_slow){0};
        graph_id by = d->b != GRAPH_NIL ? d->b : graph_const(x->g, UOP_B32, d->divisor);
        x->c.bound[first] = (struct pat_bound){.set = true, .node = d->a, .as = UOP_B32};
        x->c.bound[second] = (struct pat_bound){.set = true, .node = by, .as = UOP_B32};
        VEC_PUSH(x->a, x->c.inner, (struct pat_inner){.node = d->node, .term = v->value});
        for (unsigned k = 0; k < d->inner_count; k++)
            VEC_PUSH(x->a, x->c.inner, (struct pat_inner){.node = d->inner[k]});
        x->wide = d->wide;
        if (d->wide)
            own_both_ways(x, d->node);
        pat_expand_keep(x, d->node);
        x->wide = false;
    }
    return true;
}

/* The words that a value of 64 bits was chosen or put together as are the words of what it reads as. */
static void read_words(struct expand *x, graph_id node)
{
    const struct pat_reading *whole = pat_reading_of(&x->x, node);
    graph_id as = whole ? whole->as : (graph_id)GRAPH_NIL;
    bool wide = uop_type_bits(graph_type_of(x->g, node)) == 64;
    for (unsigned high = 0; as != GRAPH_NIL && wide && high < 2; high++) {
        enum uop_kind kind = high ? UOP_HI : UOP_LO;
        graph_id word = graph_op1(x->g, kind, UOP_B32, node);
        if (word >= x->x.count || !x->x.live[word] || graph_at(x->g, word)->kind == kind ||
            graph_is_const(x->g, word, NULL) || pat_reading_of(&x->x, word))
            continue;
        struct pat_reading r = {.node = word, .as = graph_op1(x->g, kind, UOP_B32, as), .closed = true, .owned = true};
        pat_expand_read(x, &r);
    }
}

bool pat_expand_functions(struct expand *x, const struct pat_page *page, const struct pat_variant *v)
{
    const struct cu_expr *e = v->block.reads;
    if (!x->sought && pat_find_functions(x->a, &x->x, &x->functions) != SP_OK)
        return false;
    for (size_t i = 0; i < x->functions.list.n && !x->sought; i++) {
        const struct pat_function *f = &x->functions.list.p[i];
        map_u64_put(x->a, &x->of_functions, f->node, 1);
        for (unsigned k = 0; k < f->inner_count; k++)
            map_u64_put(x->a, &x->of_functions, f->inner[k], 1);
    }
    x->sought = true;
    for (size_t i = 0; i < x->functions.list.n; i++) {
        const struct pat_function *f = &x->functions.list.p[i];
        bool fits =
            e->arg_count == f->count && (e->kind == CU_BINARY ? e->op == CU_DIV && strcmp(f->name, "/") == 0
                                                              : e->kind == CU_CALL && strcmp(e->text, f->name) == 0);
        bool is_half = f->type == UOP_F16 || f->type == UOP_BF16, of_half = v->block.variables[0].type == CU_HALF;
        if (!fits || (e->kind == CU_BINARY && is_half != of_half) || pat_reading_of(&x->x, f->node))
            continue;
        pat_ctx_begin(&x->c, page, v, f->node);
        x->c.slow_path = (struct pat_slow){0};
        x->wide = f->type == UOP_F64;
        x->half = is_half ? f->type : UOP_VOID;
        x->round = f->round;
        x->integral = f->integral;
        for (unsigned k = 0; k < f->count; k++) {
            int name = e->arg[k]->kind == CU_NAME ? cu_find_variable(&v->block, e->arg[k]->text) : -1;
            fits &= name >= 0;
            if (name >= 0)
                x->c.bound[name] = (struct pat_bound){
                    .set = true, .node = f->argument[k], .as = k + 1 == f->whole ? UOP_B32 : f->type};
        }
        VEC_PUSH(x->a, x->c.inner, (struct pat_inner){.node = f->node, .term = v->value});
        for (unsigned k = 0; k < f->inner_count; k++)
            VEC_PUSH(x->a, x->c.inner, (struct pat_inner){.node = f->inner[k]});
        if (!pat_function_code(x->a, &x->x, &x->branches, f, &x->of_functions, &x->c.slow_path))
            x->c.slow_path = (struct pat_slow){0};
        for (size_t k = 0; k < x->c.slow_path.nodes.n; k++)
            VEC_PUSH(x->a, x->c.inner, (struct pat_inner){.node = x->c.slow_path.nodes.p[k]});
        if (fits && pat_expand_keep(x, f->node)) {
            x->e->found.p[x->e->found.n - 1]->whole = true;
            x->e->found.p[x->e->found.n - 1]->also = f->also;
            read_words(x, f->node);
        }
        x->wide = false;
        x->half = UOP_VOID;
        x->round = UOP_RN;
        x->integral = false;
    }
    return true;
}
