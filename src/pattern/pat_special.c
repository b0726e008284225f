/* Branches that may be a library's: functions of floats go another way for infinities, NaN, zero, numbers that are too
 * small to be normal, and come back. Such a branch parts lanes, but nothing shows that it is the kernel's own (D13), so
 * nothing is said of it: its ways have no effect and meet again, and it asks of a number whether it is special; or it
 * asks the same numbers for something else, right round such a question or within its ways; or its ways compute with
 * constants that nobody writes by hand, as the approximations of libraries do, and touch no memory.
 *
 * Requires the graph; gives a mark by block. Linear, but for the questions near each other, which are bounded. */
#include "pattern/pat_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED = 6, SPECIALS = 256 };

struct question {
    graph_id of[ASKED]; /* numbers compared with constants */
    unsigned count;
    uint32_t block, first, last; /* instances between the branch and where its ways meet */
    bool special;
};

/* The number whose bits, size or words a value is. */
static graph_id number_of(const struct graph *g, graph_id id)
{
    for (unsigned depth = 0; depth < 8; depth++) {
        const struct graph_node *n = graph_at(g, id);
        bool through = n->kind == UOP_FABS || n->kind == UOP_FNEG || n->kind == UOP_HI || n->kind == UOP_UNIFORM ||
                       ((n->kind == UOP_AND || n->kind == UOP_MUL || n->kind == UOP_ADD) && n->arg_count == 2 &&
                        graph_is_const(g, n->arg[1], NULL));
        if (!through)
            return id;
        id = n->arg[0];
    }
    return id;
}

/* Infinity, the largest number below it, the smallest normal one, as floats or as the high words of doubles. */
static bool is_extreme(uint64_t bits)
{
    uint32_t w = (uint32_t)bits & 0x7fffffff, high = (uint32_t)(bits >> 32) & 0x7fffffff;
    return w == 0x7f800000 || w == 0x7f7fffff || w == 0x00800000 || w == 0x7fefffff || w == 0x7ff00000 ||
           (!w && (high == 0x7ff00000 || high == 0x7f800000));
}

static bool ask(const struct graph *g, graph_id atom, struct question *q)
{
    const struct graph_node *n = graph_at(g, atom);
    uint64_t bits;
    switch (n->kind) {
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U:
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM: break;
    default: return false;
    }
    bool second = graph_is_const(g, n->arg[1], &bits), both = n->arg[0] == n->arg[1];
    if (!second && !both && !graph_is_const(g, n->arg[0], &bits))
        return false;
    q->special |= both || is_extreme(bits); /* compared with itself: a NaN is not equal */
    q->of[q->count++] = number_of(g, n->arg[second || both ? 0 : 1]);
    return true;
}

static bool is_near(const struct question *a, const struct question *b)
{
    return (a->first >= b->first && a->last <= b->last) || (b->first >= a->first && b->last <= a->last);
}

static bool asks_the_same(const struct question *q, const struct question *special, unsigned count)
{
    unsigned known = 0;
    for (unsigned i = 0; i < q->count; i++) {
        bool found = false;
        for (unsigned s = 0; s < count && !found; s++)
            for (unsigned k = 0; k < special[s].count && is_near(q, &special[s]); k++)
                found |= special[s].of[k] == q->of[i];
        known += found;
    }
    return q->count && known == q->count;
}

/* A constant with more digits than people give one. */
static bool is_long(const struct graph *g, graph_id id, bool wide)
{
    uint64_t bits;
    char text[40];
    if (!graph_is_const(g, id, &bits))
        return false;
    if (wide) {
        double d;
        memcpy(&d, &bits, sizeof d);
        snprintf(text, sizeof text, "%.12g", d);
        return strtod(text, NULL) != d && d == d;
    }
    uint32_t w = (uint32_t)bits;
    float f;
    memcpy(&f, &w, sizeof f);
    snprintf(text, sizeof text, "%.6g", (double)f);
    return strtof(text, NULL) != f && f == f;
}

/* Between a branch and where its ways meet, numbers are put together with long constants, and nothing is loaded. */
static bool approximates(const struct graph *g, uint32_t first, uint32_t last)
{
    enum { STEPS = 3 };
    unsigned steps = 0;
    for (uint32_t i = first + 1; i < last && i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        for (uint32_t k = 0; k < n->access_count; k++) {
            const struct graph_access *a = &g->accesses.p[n->first_access + k];
            if (a->space != UOP_LOCAL && !pat_is_of_table(g, a->address))
                return false;
        }
        bool step = false;
        if (graph_is_owned(g, i)) /* whose that is, is known */
            continue;
        for (uint32_t k = 0; k < n->def_count; k++) {
            const struct graph_def *d = &g->defs.p[n->first_def + k];
            const struct graph_node *node = graph_at(g, d->node);
            if ((node->kind == UOP_LO || node->kind == UOP_HI) && node->arg_count)
                node = graph_at(g, node->arg[0]);
            if (node->kind == UOP_FFMA)
                for (unsigned arg = 0; arg < node->arg_count; arg++)
                    step |= is_long(g, node->arg[arg], node->type == UOP_F64);
        }
        steps += step;
    }
    return steps >= STEPS;
}

bool pat_mark_special(struct arena *a, const struct graph *g, bool *marks)
{
    struct pat_branches b;
    struct question *special = ARENA_ARRAY(a, struct question, SPECIALS);
    VEC(struct question) others = {0};
    unsigned count = 0;
    if (!special || !pat_branches_init(&b, a, g))
        return false;
    for (uint32_t i = 0; i < g->blocks.n; i++) {
        const struct graph_block *d = &g->blocks.p[i];
        struct question q = {.block = i};
        graph_id atoms[6];
        unsigned atom_count = 0;
        uint64_t table;
        uint32_t join;
        if (!d->reachable || d->branch == GRAPH_NIL || d->succ_count != 2 ||
            !graph_table(g, d->branch, atoms, &atom_count, &table))
            continue;
        bool all = atom_count > 0;
        for (unsigned k = 0; k < atom_count && all; k++)
            all = ask(g, atoms[k], &q);
        if (!all || !pat_ways_meet(&b, g, i, &join))
            continue;
        q.first = d->last;
        q.last = g->blocks.p[join].first;
        if (!q.special)
            VEC_PUSH(a, others, q);
        else if (count < SPECIALS)
            special[count++] = q;
        marks[i] = q.special;
    }
    /* Asked without a branch: selects and guards do as much. */
    for (size_t i = 0; i < g->defs.n && others.n && count < SPECIALS; i++) {
        const struct graph_def *d = &g->defs.p[i];
        struct question q = {.first = d->insn, .last = d->insn};
        graph_id atoms[6];
        unsigned atom_count = 0;
        uint64_t table;
        if (graph_at(g, d->node)->type != UOP_B1 || !g->insns.p[d->insn].reachable ||
            !graph_table(g, d->node, atoms, &atom_count, &table) || atom_count != 1 || !ask(g, atoms[0], &q))
            continue;
        if (q.special)
            special[count++] = q;
    }
    for (size_t i = 0; i < others.n; i++)
        marks[others.p[i].block] = (count && asks_the_same(&others.p[i], special, count)) ||
                                   approximates(g, others.p[i].first, others.p[i].last);
    return !arena_failed(a);
}
