/* The matcher's goals that look beyond values: elements of arrays and what computes their addresses, any computation of
 * elements. Requires what pat_match.c says; gives the first way that fits. */
#include "pattern/pat_match.h"

#include <stdlib.h>
#include <string.h>

/* ---- places in memory ------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The one parameter that a pointer is stepped through; -1: none, or several. */
static int stepped_param(const struct pat_ctx *c, graph_id id, unsigned depth, unsigned *left)
{
    const struct graph_node *n = graph_at(c->g, id);
    int found = -1;
    if (n->kind == UOP_CBANK) {
        const struct mean_param *p = n->type == UOP_B64 ? mean_param_of(c->m, id) : NULL;
        return p && p->size == 8 ? (int)p->index : -1;
    }
    if (depth > 8 || !*left || (n->kind != UOP_ADD && n->kind != GRAPH_PHI && n->kind != UOP_SELECT))
        return -1;
    --*left;
    const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
    uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
    for (uint32_t i = n->kind == UOP_SELECT; i < count; i++) {
        int one = args[i] == id ? -1 : stepped_param(c, args[i], depth + 1 + (n->kind == GRAPH_PHI), left);
        if (one >= 0 && found >= 0 && one != found)
            return -1;
        found = one >= 0 ? one : found;
    }
    return found;
}

/* Binds array and index of a place; `next` follows. */
bool pat_match_place(struct pat_ctx *c, const struct pat_term *t, graph_id address, enum uop_space space,
                     unsigned width, const struct pat_goal *next)
{
    struct mean_address where;
    if ((space != UOP_GLOBAL && space != UOP_GENERIC) || !c->m)
        return false;
    bool known =
        mean_address_of(c->m, address, space, width, &where) && where.param >= 0 && where.array && where.index_text;
    if (!known && c->variant->reduces && t->arg_count && t->arg[0]->kind == TERM_VARIABLE) {
        unsigned left = 256;
        int param = stepped_param(c, address, 0, &left);
        if (param >= 0 && (uint32_t)param < c->m->param_count) {
            where = (struct mean_address){.param = param,
                                          .element_bytes = width,
                                          .array = c->m->params[param].name,
                                          .index_text = arena_printf(c->a, "#%u", (unsigned)address)};
            known = where.index_text != NULL;
        }
    }
    if (!known)
        return false;
    struct pat_bound *array = &c->bound[t->variable], before = *array;
    if (array->set && array->param != where.param)
        return false;
    const struct pat_term *index = t->arg_count ? t->arg[0] : NULL;
    const struct pat_term *name = index && index->kind == TERM_OPERATION ? index->arg[0] : index;
    uint32_t unit = where.element_bytes ? where.element_bytes : 1;
    if (!index || index->kind != TERM_VARIABLE) { /* a fixed distance */
        double distance = !index ? 0 : index->kind == TERM_NUMBER ? index->number : index->arg[1]->number;
        if ((double)where.byte_offset != distance * unit)
            return false;
        if ((!index || index->kind == TERM_NUMBER) && strcmp(where.index_text, index ? "" : "0") != 0) {
            /* Without a name in the index nothing may vary. */
            struct graph_affine sum;
            if (!graph_affine(c->g, address, &sum) || sum.term_count)
                return false;
        }
    }
    struct pat_bound *position = name && name->kind == TERM_VARIABLE ? &c->bound[name->variable] : NULL;
    const char *text = where.index_text;
    if (position && index->kind == TERM_OPERATION) { /* the name is what stands before the + */
        if (where.index == GRAPH_NIL)
            return false;
        text = mean_expr(c->m, where.index, UOP_B32, MEAN_INNER);
    }
    if (position && position->set && !same_text(position->text, text))
        return false;
    struct pat_bound position_before = position ? *position : (struct pat_bound){0};
    *array = (struct pat_bound){
        .set = true, .param = where.param, .text = where.array, .element_bytes = where.element_bytes};
    if (position && !position->set)
        *position = (struct pat_bound){.set = true, .node = where.index, .as = UOP_B32, .text = text};
    if (pat_solve(c, next))
        return true;
    *array = before;
    if (position)
        *position = position_before;
    return false;
}

/* The load a node is the result of: the LOAD itself or one word of it, perhaps widened. NIL: none. */
static graph_id load_of(const struct graph *g, graph_id node, int *word)
{
    const struct graph_node *n = graph_at(g, node);
    *word = -1;
    if ((n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && graph_at(g, n->arg[0])->kind == UOP_LOAD &&
        graph_at(g, n->arg[0])->width * 8u == n->imm)
        return n->arg[0];
    bool half = n->kind == UOP_LO || n->kind == UOP_HI;
    if ((half || n->kind == UOP_ELEMENT) && graph_at(g, n->arg[0])->kind == UOP_LOAD) {
        *word = half ? n->kind == UOP_HI : (int)n->imm;
        return n->arg[0];
    }
    return n->kind == UOP_LOAD ? node : GRAPH_NIL;
}

/* An element of a term that speaks of reductions: which loop brings it. */
static void name_spot(struct pat_ctx *c, graph_id load, const struct pat_term *t)
{
    const struct graph_cycles *y = c->g->cycles;
    struct pat_spot s = {
        .param = t->variable, .load = load, .cycle = c->within, .begun = c->begun, .reduced = c->reducing};
    uint32_t at;
    if (map_u64_get(&c->x->first_load, load, &at)) {
        const struct graph_access a = c->g->accesses.p[at];
        if (!s.cycle && y && y->cycle_of)
            s.cycle = y->cycle_of[c->g->insns.p[a.insn].block];
        if (c->reducing && !c->within && a.runs_when != GRAPH_NIL)
            VEC_PUSH(c->a, c->present, (struct pat_present){a.runs_when, s.cycle});
    }
    VEC_PUSH(c->a, c->spots, s);
}

bool pat_match_element(struct pat_ctx *c, const struct pat_goal *goal)
{
    int word;
    graph_id load = load_of(c->g, goal->node, &word);
    if (load == GRAPH_NIL || (c->word >= 0 && word != c->word))
        return false;
    const struct graph_node n = *graph_at(c->g, load);
    if (goal->term->readonly && n.order != UOP_READONLY)
        return false;
    struct pat_mark m = pat_here(c);
    pat_enter(c, load, goal->term, true);
    if (goal->node != load && word < 0)
        pat_enter(c, goal->node, NULL, false);
    if (c->variant->reduces)
        name_spot(c, load, goal->term);
    return pat_match_place(c, goal->term, n.arg[0], (enum uop_space)n.space, n.width, goal->next) || pat_back(c, m);
}

/* ---- any computation of elements ------------------------------------------------------------- */

struct walk {
    VEC(graph_id) stack;
    struct map_u64 seen;
};

static void walk_push(struct pat_ctx *c, struct walk *w, graph_id id)
{
    uint32_t known;
    if (id == GRAPH_NIL || map_u64_get(&w->seen, id, &known))
        return;
    if (map_u64_put(c->a, &w->seen, id, 1))
        VEC_PUSH(c->a, w->stack, id);
}

static int by_number(const void *a, const void *b)
{
    graph_id x = *(const graph_id *)a, y = *(const graph_id *)b;
    return (x > y) - (x < y);
}

/* Which element it is says another element: two threads may well mean the same one. */
static bool follows_data(struct pat_ctx *c, graph_id address)
{
    enum { NODES = 256 };
    struct walk w = {0};
    unsigned left = NODES;
    walk_push(c, &w, address);
    while (w.stack.n) {
        const struct graph_node *n = graph_at(c->g, w.stack.p[--w.stack.n]);
        bool phi = n->kind == GRAPH_PHI;
        if (n->kind == UOP_LOAD || !left--)
            return true;
        for (uint32_t i = 0; i < (phi ? n->phi_count : n->arg_count); i++)
            walk_push(c, &w, phi ? n->phi_args[i] : n->arg[i]);
    }
    return false;
}

/* Every leaf is a constant, a parameter, a special register or an element at the index of the first one asked for. */
bool pat_match_any(struct pat_ctx *c, const struct pat_goal *goal)
{
    const struct pat_term *t = goal->term;
    struct walk w = {0};
    struct pat_mark m = pat_here(c);
    VEC(graph_id) loads = {0};
    int word;
    if (load_of(c->g, goal->node, &word) != GRAPH_NIL)
        return false; /* nothing is computed */
    walk_push(c, &w, goal->node);
    while (w.stack.n) {
        graph_id id = w.stack.p[--w.stack.n], load = load_of(c->g, id, &word);
        const struct graph_node *n = graph_at(c->g, id);
        if (c->inner.n - m.inner > PAT_WALK_MAX)
            return pat_back(c, m);
        const struct pat_reading *r = load == GRAPH_NIL ? pat_reading_of(c->x, id) : NULL;
        if (r && (r->closed || r->owned)) { /* its instruction and what it is a function of */
            pat_enter(c, id, NULL, false);
            for (unsigned i = 0; i < r->inner_count && !r->owned; i++)
                pat_enter(c, r->inner[i], NULL, false);
            walk_push(c, &w, r->as);
            continue;
        }
        if (load != GRAPH_NIL) {
            if (c->word >= 0 && word != c->word)
                return pat_back(c, m);
            if (id != load && word < 0)
                pat_enter(c, id, NULL, false);
            pat_enter(c, load, t, true);
            VEC_PUSH(c->a, loads, load);
        } else if (pat_is_pure(n)) {
            pat_enter(c, id, NULL, false);
            for (unsigned i = 0; i < n->arg_count; i++)
                walk_push(c, &w, n->arg[i]);
        } else if (n->kind == UOP_CBANK || n->kind == UOP_SREG) {
            if (n->arg_count)
                return pat_back(c, m);
        } else if (n->kind != UOP_CONST) {
            return pat_back(c, m);
        }
    }
    if (!loads.n)
        return pat_back(c, m);
    /* Ascending, so that the first element is always the same one. */
    qsort(loads.p, loads.n, sizeof loads.p[0], by_number);
    if (!t->ellipsis && loads.n != t->arg_count)
        return pat_back(c, m);
    if (loads.n < t->arg_count)
        return pat_back(c, m);
    /* Elements that the block names, in order; further ones lie at the index of the first. */
    const char *index = NULL;
    bool was_partial = c->partial;
    c->partial = true;
    for (size_t i = 0; i < loads.n; i++) {
        const struct graph_node n = *graph_at(c->g, loads.p[i]);
        if (follows_data(c, n.arg[0]))
            goto no;
        if (i < t->arg_count) {
            if (!pat_match_place(c, t->arg[i], n.arg[0], (enum uop_space)n.space, n.width, NULL))
                goto no;
            const struct pat_term *position = t->arg[i]->arg_count ? t->arg[i]->arg[0] : NULL;
            if (i == 0 && position && position->kind == TERM_VARIABLE)
                index = c->bound[position->variable].text;
            continue;
        }
        struct mean_address where;
        if ((n.space != UOP_GLOBAL && n.space != UOP_GENERIC) ||
            !mean_address_of(c->m, n.arg[0], (enum uop_space)n.space, n.width, &where) || where.param < 0 ||
            (index && !same_text(index, where.index_text)))
            goto no;
    }
    c->partial = was_partial;
    return pat_solve(c, goal->next) || pat_back(c, m);
no:
    c->partial = was_partial;
    return pat_back(c, m);
}

/* ---- a function of the elements of one place -------------------------------------------------- */

/* Every leaf is an element in global memory or the same for all turns of all loops. */
bool pat_match_each(struct pat_ctx *c, const struct pat_goal *goal)
{
    enum { NODES = 64 };
    const struct graph_cycles *y = c->g->cycles;
    struct walk w = {0};
    struct pat_mark m = pat_here(c);
    struct pat_spot s = {.param = goal->term->variable,
                         .whole = goal->node,
                         .cycle = c->within,
                         .begun = c->begun,
                         .reduced = c->reducing};
    unsigned left = NODES, loads = 0;
    walk_push(c, &w, goal->node);
    while (w.stack.n) {
        graph_id id = w.stack.p[--w.stack.n];
        const struct graph_node n = *graph_at(c->g, id);
        const struct pat_reading *r = pat_reading_of(c->x, id);
        uint32_t at;
        if (!left--)
            return pat_back(c, m);
        if (r && r->closed) /* nothing is to be seen of it but what it computes */
            walk_push(c, &w, r->as);
        else if (n.kind == UOP_LOAD && (n.space == UOP_GLOBAL || n.space == UOP_GENERIC) &&
                 map_u64_get(&c->x->first_load, id, &at)) {
            const struct graph_access a = c->g->accesses.p[at];
            loads++;
            s.load = id;
            if (!s.cycle && y && y->cycle_of)
                s.cycle = y->cycle_of[c->g->insns.p[a.insn].block];
            if (c->reducing && !c->within && a.runs_when != GRAPH_NIL)
                VEC_PUSH(c->a, c->present, (struct pat_present){a.runs_when, s.cycle});
        } else if (pat_is_pure(&n) || n.kind == UOP_ELEMENT || n.kind == UOP_UNIFORM) {
            for (unsigned i = 0; i < n.arg_count; i++)
                walk_push(c, &w, n.arg[i]);
        } else if (n.kind != UOP_CONST && n.kind != UOP_SREG && (n.kind != UOP_CBANK || n.arg_count)) {
            return pat_back(c, m);
        }
    }
    if (!loads || !c->variant->reduces)
        return pat_back(c, m);
    VEC_PUSH(c->a, c->spots, s);
    return pat_solve(c, goal->next) || pat_back(c, m);
}

bool pat_match_goals(struct pat_ctx *c, const struct pat_term *const *terms, const graph_id *nodes, unsigned count)
{
    struct pat_goal goals[CU_MAX_STATEMENTS];
    const struct pat_goal *next = NULL;
    for (unsigned i = count < CU_MAX_STATEMENTS ? count : CU_MAX_STATEMENTS; i-- > 0;) {
        goals[i] = (struct pat_goal){terms[i], nodes[i], UOP_VOID, next};
        next = &goals[i];
    }
    return pat_solve(c, next);
}

bool pat_match_address(struct pat_ctx *c, const struct pat_term *t, graph_id address, enum uop_space space,
                       unsigned width)
{
    struct graph_affine sum;
    if (!graph_affine(c->g, address, &sum) || !pat_match_place(c, t, address, space, width, NULL))
        return false; /* `where` was asked with the place bound */
    /* The address is computed by what lies between it and the terms of its sum. */
    struct walk w = {0};
    for (unsigned i = 0; i < sum.term_count; i++)
        map_u64_put(c->a, &w.seen, sum.terms[i].term, 1);
    if (sum.base != GRAPH_NIL)
        map_u64_put(c->a, &w.seen, sum.base, 1);
    walk_push(c, &w, address);
    while (w.stack.n && c->inner.n < PAT_WALK_MAX) {
        graph_id id = w.stack.p[--w.stack.n];
        const struct graph_node *n = graph_at(c->g, id);
        pat_enter(c, id, NULL, false);
        for (unsigned i = 0; i < n->arg_count && pat_is_pure(n); i++)
            walk_push(c, &w, n->arg[i]);
    }
    return true;
}
