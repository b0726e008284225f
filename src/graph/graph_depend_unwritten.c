/* Loads of shared memory that find what no thread of the block has stored: y[t] = s[t + 1] - s[t], where only the
 * threads of the block fill s, reads behind the last one's element. The thread at the end of the block (or the first
 * one, for s[t - 1]) must pass the load's guard in blocks of all sizes that are tried, no store of the kernel may lie
 * there, and what was loaded must come to be stored by that same thread, not through a choice that leaves it out.
 * requires: reaches by load · gives: graph_find_unwritten; what is not shown is not said */
#include "graph/graph_depend_internal.h"

enum { USERS = 32, ASKED = 32, STORES = 8 }; /* more stores fill no array once */

/* Some thread far off in x is solved for: the reader's own number and a constant. */
static bool is_shifted(struct graph *g, const struct graph_reach *r, int64_t *by)
{
    struct graph_linear u, own = {.t = {{graph_sreg(g, UOP_SR_TID_X), 1}}, .n = 1};
    return !r->may && r->thread_known && !r->element && r->classes <= 1 &&
           r->thread[1] == graph_sreg(g, UOP_SR_TID_Y) && r->thread[2] == graph_sreg(g, UOP_SR_TID_Z) &&
           graph_linear_of(g, r->thread[0], &u) && graph_linear_add(&u, &own, -1) && graph_linear_is_const(&u, by) &&
           *by;
}

/* That thread passes the condition whatever a block's size is, if the numbers that the kernel is given let it. */
static bool passes(struct graph *g, graph_id when, bool last)
{
    struct graph_constraints none = {0};
    struct graph_range size;
    graph_id own = graph_sreg(g, UOP_SR_TID_X);
    if (when == GRAPH_NIL)
        return true;
    graph_range_of(g, own, &size);
    if (!graph_condition_linear(g, when, &none))
        return false;
    for (int64_t n = 32; n <= 1024 && (n == 32 || n <= size.hi + 1); n *= 2) {
        struct graph_constraints at = {0};
        struct graph_linear low = {.t = {{own, 1}}, .n = 1, .k = last ? 1 - n : 0}, high = {0};
        struct graph_linear width = {.t = {{graph_sreg(g, UOP_SR_NTID_X), 1}}, .n = 1, .k = -n}, less = {0};
        if (!graph_linear_add(&high, &low, -1) || !graph_linear_add(&less, &width, -1))
            return false;
        graph_constrain(&at, &low);
        graph_constrain(&at, &high);
        if (graph_at(g, width.t[0].symbol)->kind == UOP_SREG) {
            graph_constrain(&at, &width);
            graph_constrain(&at, &less);
        }
        if (graph_excluded(g, when, GRAPH_NIL, &at))
            return false;
    }
    return true;
}

/* By arithmetic alone the value comes to be stored wherever it was loaded. */
static bool is_stored_on(struct graph *g, graph_id value, graph_id when)
{
    graph_id list[USERS] = {value};
    unsigned n = 1;
    for (unsigned i = 0; i < n; i++) {
        uint32_t users;
        const graph_id *user = graph_users(g, list[i], &users);
        for (uint32_t u = 0; u < users && n < USERS; u++) {
            const struct graph_node *to = graph_at(g, user[u]);
            bool sums = to->kind == UOP_FADD || to->kind == UOP_FMUL || to->kind == UOP_FFMA || to->kind == UOP_ADD ||
                        to->kind == UOP_MUL || to->kind == UOP_FNEG;
            for (unsigned k = 0; k < n && sums; k++)
                sums = list[k] != user[u];
            if (sums)
                list[n++] = user[u];
        }
    }
    for (uint32_t k = 0; k < g->accesses.n; k++) {
        const struct graph_access *x = &g->accesses.p[k];
        bool stores =
            x->kind == GRAPH_STORE && x->space == UOP_GLOBAL && (x->runs_when == when || x->runs_when == GRAPH_NIL);
        for (unsigned i = 0; i < n && stores; i++)
            if (x->value[0] == list[i])
                return true;
    }
    return false;
}

/* Another thread's store may come before the load or behind it. */
static bool is_overtaken(const struct graph_dependence *d, uint32_t load)
{
    for (size_t i = 0; i < d->races.n; i++)
        if (d->races.p[i].first == load || d->races.p[i].second == load)
            return true;
    for (size_t i = 0; i < d->doubts.n; i++)
        if (d->doubts.p[i].first == load || d->doubts.p[i].second == load)
            return true;
    return false;
}

static bool is_unwritten(struct finder *f, uint32_t load, bool *last)
{
    struct graph *g = f->g;
    const struct graph_dependence *d = f->out;
    const struct graph_access *x = access_at(f, load);
    uint32_t reached = 0;
    for (uint32_t r = d->first_reach[load]; r < d->first_reach[load + 1]; r++) {
        int64_t by;
        if (!is_shifted(g, &d->reaches.p[r], &by) || access_at(f, d->reaches.p[r].store)->width != x->width)
            return false;
        if (reached++ && *last != (by > 0))
            return false;
        *last = by > 0;
    }
    /* Stores that are no source of the load's are never at its places; those to other arrays may lie behind it. */
    for (uint32_t i = 0; i < g->accesses.n; i++)
        if (access_at(f, i)->kind != GRAPH_LOAD && access_at(f, i)->space == UOP_SHARED &&
            f->object[i] != f->object[load])
            return false;
    return reached && !is_overtaken(d, load) && passes(g, x->runs_when, *last) &&
           is_stored_on(g, x->value[0], x->runs_when);
}

void graph_find_unwritten(struct finder *f)
{
    struct graph *g = f->g;
    uint32_t stores = 0;
    if (!f->out->complete || !f->out->listed || graph_facts_of(g)->two_dimensional)
        return;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = access_at(f, i);
        if (x->kind == GRAPH_LOAD || x->space == UOP_LOCAL || x->space == UOP_GLOBAL)
            continue;
        if (x->space != UOP_SHARED || f->async[i])
            return;
        stores++;
    }
    unsigned asked = 0;
    for (uint32_t i = 0; stores && stores <= STORES && i < g->accesses.n && asked < ASKED; i++) {
        const struct graph_access *x = access_at(f, i);
        bool last = false;
        if (x->kind != GRAPH_LOAD || x->space != UOP_SHARED || !g->insns.p[x->insn].reachable ||
            x->value[0] == GRAPH_NIL || f->out->first_reach[i] == f->out->first_reach[i + 1])
            continue;
        asked++;
        if (is_unwritten(f, i, &last))
            VEC_PUSH(f->a, f->out->unwritten, (struct graph_unwritten){.load = i, .last = last});
    }
}
