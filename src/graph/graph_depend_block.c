/* Whether what a thread reads of global memory was stored in its own block: a barrier orders nothing else. A store at
 * P * blockIdx + c * threadIdx leaves each block P bytes, if blocks do not store over one another: a thread that is
 * solved for stands in the reader's block when its number shows to stay below P / c. Its number may also name a thread
 * that no block has: that element is another block's.
 * requires: linear forms, solved threads · gives: graph_in_block */
#include "graph/graph_depend_internal.h"

struct block_term { /* of an address: blockIdx * c, or blockIdx * uniform * c */
    unsigned dimension;
    int64_t c;
    graph_id scale;
};

enum { TERMS = 3, NODES = 96, DEPTH = 24, PHIS = 8 };

static bool is_block_index(const struct graph *g, graph_id id, unsigned *dimension)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind != UOP_SREG || n->imm < UOP_SR_CTAID_X || n->imm > UOP_SR_CTAID_Z)
        return false;
    *dimension = (unsigned)(n->imm - UOP_SR_CTAID_X);
    return true;
}

struct search {
    const struct graph *g;
    unsigned left, depth, phi_count;
    graph_id phis[PHIS]; /* that were looked at */
};

/* It may be another number in another block. */
static bool names_block(struct search *s, graph_id id)
{
    const struct graph_node *n = graph_at(s->g, id);
    unsigned d;
    bool found = false;
    if (is_block_index(s->g, id, &d))
        return true;
    if (n->kind == UOP_CONST || n->kind == UOP_SREG || n->kind == UOP_CBANK || n->kind == UOP_LOAD)
        return false;
    for (unsigned i = 0; n->kind == GRAPH_PHI && i < s->phi_count; i++)
        if (s->phis[i] == id)
            return false;
    if (s->depth >= DEPTH || !s->left || (n->kind == GRAPH_PHI && s->phi_count == PHIS))
        return true;
    s->left--;
    s->depth++;
    if (n->kind == GRAPH_PHI)
        s->phis[s->phi_count++] = id;
    for (unsigned i = 0; i < n->arg_count && !found; i++)
        found = names_block(s, n->arg[i]);
    for (uint32_t i = 0; n->kind == GRAPH_PHI && i < n->phi_count && !found; i++)
        found = names_block(s, n->phi_args[i]);
    s->depth--;
    return found;
}

static bool names_any(const struct graph *g, graph_id id)
{
    struct search s = {.g = g, .left = NODES};
    return names_block(&s, id);
}

/* The terms with a block's index. *hidden: some are not of that form. */
static unsigned block_terms(struct graph *g, const struct graph_linear *form, struct block_term *out, bool *hidden)
{
    unsigned count = 0;
    for (unsigned i = 0; i < form->n; i++) {
        const struct graph_node n = *graph_at(g, form->t[i].symbol);
        struct block_term t = {.c = form->t[i].c};
        bool found = is_block_index(g, form->t[i].symbol, &t.dimension);
        for (unsigned k = 0; n.kind == UOP_MUL && k < 2 && !found; k++)
            if (is_block_index(g, n.arg[k], &t.dimension) && graph_block_uniform(g, n.arg[1 - k]) &&
                !names_any(g, n.arg[1 - k])) {
                t.scale = n.arg[1 - k];
                found = true;
            }
        if (found && count < TERMS)
            out[count++] = t;
        else if (found || names_any(g, form->t[i].symbol))
            *hidden = true;
    }
    return count;
}

/* How many threads' words a block has between its first and the next block's first, in one direction. */
static bool words_of_block(struct graph *g, const struct graph_linear *store, const struct block_term *terms,
                           unsigned count, unsigned dimension, struct graph_linear *out)
{
    struct graph_digit d = {0};
    const struct block_term *b = count == 1 ? terms : NULL;
    bool found = false;
    for (unsigned i = 0; i < store->n && !found; i++)
        found = graph_read_digit(g, store->t[i].symbol, store->t[i].c, &d) && d.dimension == dimension && !d.shift &&
                d.mask == UINT32_MAX && !d.flip;
    for (unsigned i = 0; i < count; i++)
        if (terms[i].dimension == dimension)
            b = &terms[i];
    if (!found || !b || d.c <= 0 || b->c < d.c || b->c % d.c)
        return false;
    *out = (struct graph_linear){0};
    if (b->scale == d.scale)
        out->k = b->c / d.c;
    else if (d.scale != GRAPH_NIL || !graph_linear_symbol(out, b->scale, b->c / d.c))
        return false;
    return true;
}

/* … and m * a - m * b + k <= 0; b may be NULL. */
static bool add_bound(struct graph_constraints *s, const struct graph_linear *a, int64_t m,
                      const struct graph_linear *b, int64_t k)
{
    struct graph_linear f = {.k = k};
    if (!graph_linear_add(&f, a, m) || (b && !graph_linear_add(&f, b, -m)))
        return false;
    graph_constrain(s, &f);
    return true;
}

unsigned graph_in_block(struct graph *g, const struct graph_side *store, const struct graph_side *load,
                        const graph_id thread[3])
{
    struct graph_linear s, l;
    struct block_term terms[TERMS], others[TERMS];
    bool hidden = false;
    if (!graph_address_form(g, store, &s) || !graph_address_form(g, load, &l))
        return BLOCK_OPEN;
    unsigned count = block_terms(g, &s, terms, &hidden);
    if (!count && !block_terms(g, &l, others, &hidden) && !hidden)
        return BLOCK_SAME; /* nothing tells blocks apart: there is one, or they all do the same */
    unsigned answer = BLOCK_SAME;
    for (unsigned d = 0; d < 3; d++) {
        struct graph_linear u, own = {.t = {{graph_sreg(g, UOP_SR_TID_X + d), 1}}, .n = 1}, size;
        if (thread[d] == own.t[0].symbol)
            continue;
        if (thread[d] == GRAPH_NIL || names_any(g, thread[d]))
            return BLOCK_OTHER;
        bool varies = false;
        for (unsigned i = 0; i < s.n; i++)
            varies |= !graph_block_uniform(g, s.t[i].symbol);
        if (!varies && !hidden)
            continue; /* one word a block */
        if (hidden || !graph_linear_of(g, thread[d], &u) || !words_of_block(g, &s, terms, count, d, &size)) {
            answer = BLOCK_OPEN;
            continue;
        }
        struct graph_constraints base = {0};
        bool told = store->when == GRAPH_NIL || graph_implies(g, load->when, store->when)
                        ? add_bound(&base, &own, 1, &size, 1)
                        : true;
        struct graph_constraints low = base, high = base, inside = base;
        told = told && add_bound(&low, &u, 1, NULL, 1) && add_bound(&high, &u, -1, &size, 0) &&
               add_bound(&inside, &u, -1, NULL, 0) && add_bound(&inside, &u, 1, &size, 1);
        if (told && graph_excluded(g, load->when, GRAPH_NIL, &low) && graph_excluded(g, load->when, GRAPH_NIL, &high))
            continue;
        if (told && graph_excluded(g, load->when, GRAPH_NIL, &inside))
            return BLOCK_OTHER;
        answer = BLOCK_OPEN;
    }
    return answer;
}

/* ---- the block that the code counts with ------------------------------------------------------- */

uint32_t graph_block_width(const struct graph *g, unsigned dim)
{
    uint32_t width = 0;
    for (graph_id id = 1; id < g->nodes.n; id++) {
        const struct graph_node *n = graph_at(g, id);
        uint64_t c;
        for (unsigned k = 0; k < 2 && n->kind == UOP_ADD; k++) {
            const struct graph_node *t = graph_at(g, n->arg[k]), *m = graph_at(g, n->arg[1 - k]);
            if (t->kind != UOP_SREG || t->imm != UOP_SR_TID_X + dim || m->kind != UOP_MUL ||
                !graph_is_const(g, m->arg[1], &c))
                continue;
            const struct graph_node *block = graph_at(g, m->arg[0]);
            if (block->kind != UOP_SREG || block->imm != UOP_SR_CTAID_X + dim || c < 1 || c > 1024)
                continue;
            if (width && width != c)
                return 0;
            width = (uint32_t)c;
        }
    }
    return width;
}

/* A thread that has several elements of such a row takes them a block apart: the number of an element goes on by a
 * warp or more, and stays in the row. */
static bool takes_several(struct graph *g, const struct graph_linear *f, uint32_t width)
{
    for (unsigned i = 0; i < f->n; i++) {
        int64_t c = f->t[i].c < 0 ? -f->t[i].c : f->t[i].c, k = f->k < 0 ? -f->k : f->k, step;
        const struct graph_node n = *graph_at(g, f->t[i].symbol);
        graph_id start;
        if (n.kind == UOP_SREG && n.imm == UOP_SR_TID_X && k >= 32 * c && k < width * c)
            return true;
        if (n.kind == GRAPH_PHI && (!graph_is_counter(g, f->t[i].symbol, &start, &step) || step < 0 ||
                                    (step * c >= 32 && step < (int64_t)width * 16)))
            return true;
    }
    return false;
}

uint32_t graph_code_width(struct graph *g)
{
    uint32_t width = graph_facts_of(g)->two_dimensional ? 0 : graph_block_width(g, 0);
    for (size_t i = 0; i < g->accesses.n && width; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        struct graph_linear f;
        struct graph_side side = {.address = x->address, .space = x->space};
        if (x->space != UOP_LOCAL && (!graph_address_form(g, &side, &f) || takes_several(g, &f, width)))
            width = 0;
    }
    return width ? width : 1;
}
