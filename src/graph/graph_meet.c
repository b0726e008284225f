/* Loops in which lanes only wait for each other. Where the lanes of a warp must come to a loop's next turn together, a
 * compiler asks who is there, lets others run, asks again, and goes round until nobody is missing. Nothing in such a
 * loop comes from outside it, so for one thread it does nothing: it is left the first time.
 *
 * Recognised by what is done alone: some instructions in a row that compute from ballots of "I am here" and nothing
 * else, with a branch that either goes on or back to the first of them.
 *
 * requires: where each instruction goes · gives: graph_lanes_that_wait, linear in the code */
#include "graph/graph_internal.h"

#include <string.h>

enum { MEET_MAX = 12, MEET_WRITES = 16 };

struct written {
    uint8_t file[MEET_WRITES];
    uint16_t reg[MEET_WRITES];
    unsigned count;
};

static bool is_written(const struct written *w, const struct uop *u)
{
    for (unsigned i = 0; i < w->count; i++)
        if (w->file[i] == u->file && w->reg[i] == u->reg)
            return true;
    return false;
}

/* Everything in the list is of ballots that ask nothing, and of what was made of such. */
static bool is_of_ballots(const struct uop_list *l, struct written *w, unsigned *ballots)
{
    for (size_t i = 0; i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i], *of = u->arg[0] < l->ops.n ? &l->ops.p[u->arg[0]] : NULL;
        switch (u->kind) {
        case UOP_READ:
            if (!is_written(w, u))
                return false;
            break;
        case UOP_WRITE:
            if (w->count == MEET_WRITES)
                return false;
            w->file[w->count] = u->file;
            w->reg[w->count++] = u->reg;
            break;
        case UOP_BALLOT:
            if (!of || of->kind != UOP_CONST || !(of->imm & 1))
                return false;
            ++*ballots;
            break;
        case UOP_CONST:
        case UOP_AND:
        case UOP_OR:
        case UOP_XOR:
        case UOP_NOT:
        case UOP_LOP3:
        case UOP_IEQ:
        case UOP_UNIFORM:
        case UOP_BRANCH:
        case UOP_NOP:
        case UOP_RECONVERGE: break;
        default: return false;
        }
    }
    return !l->unknown && !l->opaque;
}

/* The branch, NULL: none. */
static const struct uop *branch_of(const struct uop_list *l)
{
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_BRANCH)
            return &l->ops.p[i];
    return NULL;
}

/* The list without its branch, or with one that always goes to `to`; marked as a question about lanes. */
static const struct uop_list *asked(struct arena *a, const struct uop_list *from, const struct uop *to)
{
    struct uop_list *l = ARENA_NEW(a, struct uop_list);
    struct uop *ops = ARENA_ARRAY(a, struct uop, from->ops.n + 1);
    struct uop asks = {
        .kind = UOP_RECONVERGE, .imm = UOP_APART, .arg = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}};
    if (!l || !ops)
        return NULL;
    *l = *from;
    memcpy(ops, from->ops.p, from->ops.n * sizeof ops[0]);
    for (size_t i = 0; i < from->ops.n; i++) {
        if (ops[i].kind != UOP_BRANCH)
            continue;
        l->guard = UOP_NONE;
        if (to)
            ops[i].imm = to->imm;
        else
            ops[i] = asks;
    }
    ops[from->ops.n] = asks;
    l->ops.p = ops;
    l->ops.n = l->ops.cap = from->ops.n + 1;
    return l;
}

/* Instructions first .. test wait, and `back` goes round: the test itself, or what stands behind it. */
static bool waits(const struct graph *g, const struct graph_control *control, uint32_t first, uint32_t test,
                  uint32_t back)
{
    struct written w = {.count = 0};
    unsigned ballots = 0;
    for (uint32_t i = first; i <= back; i++) {
        const struct uop_list *l = g->input.insns[i].uops;
        if ((control[i].kind != GRAPH_CONTROL_NONE) != (i >= test) || (i != test && l->guard != UOP_NONE) ||
            !is_of_ballots(l, &w, &ballots))
            return false;
    }
    return ballots >= 2 && control[test].conditional;
}

bool graph_lanes_that_wait(struct graph *g, struct graph_control *control)
{
    struct graph_input_insn *insns = NULL;
    uint32_t count = g->input.count;
    for (uint32_t back = 1; back < count; back++) {
        const struct graph_control *c = &control[back];
        if (c->kind != GRAPH_CONTROL_BRANCH || c->target >= back || back - c->target > MEET_MAX)
            continue;
        uint32_t first = c->target, test = c->conditional ? back : back - 1;
        const struct uop *leaves = NULL;
        if (!waits(g, control, first, test, back))
            continue;
        if (test != back) {
            uint32_t to = control[test].target;
            leaves = branch_of(g->input.insns[test].uops);
            if (!leaves || control[test].kind != GRAPH_CONTROL_BRANCH || to == UINT32_MAX ||
                (to >= first && to <= back))
                continue;
        }
        if (!insns) {
            if (!(insns = ARENA_ARRAY(g->a, struct graph_input_insn, count)))
                return false;
            memcpy(insns, g->input.insns, count * sizeof insns[0]);
            g->input.insns = insns;
        }
        for (uint32_t i = first; i <= back; i++) {
            const struct uop_list *l = asked(g->a, insns[i].uops, test != back && i == back ? leaves : NULL);
            if (!l)
                return false;
            insns[i].uops = l;
        }
        control[back] = (struct graph_control){
            .kind = test != back ? GRAPH_CONTROL_BRANCH : GRAPH_CONTROL_NONE,
            .target = test != back ? control[test].target : UINT32_MAX,
        };
        if (test != back)
            control[test] = (struct graph_control){.kind = GRAPH_CONTROL_NONE, .target = UINT32_MAX};
    }
    return true;
}
