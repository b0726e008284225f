/* Generic addresses that loops and choices carry: where every origin of the pointer is the window of local memory, the
 * access is local; where some are, it may be. A pointer is followed through sums (it is the one term that stands there
 * once; the rest are distances), loops' and paths' choices, and words that are put together; integers, loads and
 * parameters end the walk and are no origin. The graph is whole by then, so that a loop's last turn is known.
 *
 * requires: nodes with their phis closed · gives: graph_access.space, may_be_local */
#include "graph/graph_internal.h"
#include "graph/graph_values.h"

enum { SEEN_MAX = 48, DEPTH_MAX = 12 };
enum origin { NO_WINDOW, SEEN_BEFORE, WINDOW };

struct walk {
    struct graph *g;
    graph_id seen[SEEN_MAX];
    unsigned count;
    bool touched; /* a window was found, whatever the rest is */
};

static enum origin find_origin(struct walk *w, graph_id id, unsigned depth);

static bool is_window(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_LO)
        return is_window(g, n->arg[0]);
    return n->kind == UOP_CBANK && n->space == 0 && !n->arg_count && g->env->local_window &&
           n->imm == g->env->local_window;
}

/* The one term that is a pointer; a second one, or one taken away, is a difference of pointers. */
static enum origin find_in_sum(struct walk *w, graph_id id, unsigned depth)
{
    struct graph_affine f;
    enum origin found = NO_WINDOW;
    if (!graph_affine(w->g, id, &f) || (f.base != GRAPH_NIL && graph_at(w->g, f.base)->type == UOP_B64))
        return NO_WINDOW;
    for (unsigned i = 0; i < f.term_count; i++) {
        if (f.terms[i].extend)
            continue;
        if (f.terms[i].term == id)
            return NO_WINDOW;
        enum origin x = find_origin(w, f.terms[i].term, depth + 1);
        if (x == NO_WINDOW)
            continue;
        if (found != NO_WINDOW || f.terms[i].coefficient != 1)
            return NO_WINDOW;
        found = x;
    }
    return found;
}

static enum origin find_origin(struct walk *w, graph_id id, unsigned depth)
{
    if (id == GRAPH_NIL || depth > DEPTH_MAX)
        return NO_WINDOW;
    const struct graph_node *n = graph_at(w->g, id);
    if (is_window(w->g, id)) {
        w->touched = true;
        return WINDOW;
    }
    if (n->kind == UOP_ADD)
        return find_in_sum(w, id, depth);
    if (n->kind == UOP_PAIR || (n->kind == UOP_LO && graph_at(w->g, n->arg[0])->kind != UOP_LOAD))
        return find_origin(w, n->arg[0], depth + 1);
    if (n->kind != GRAPH_PHI && n->kind != UOP_SELECT)
        return NO_WINDOW;
    for (unsigned i = 0; i < w->count; i++)
        if (w->seen[i] == id)
            return SEEN_BEFORE;
    if (w->count == SEEN_MAX)
        return NO_WINDOW;
    w->seen[w->count++] = id;
    const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
    uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
    enum origin all = SEEN_BEFORE;
    bool none = false;
    for (uint32_t k = n->kind == UOP_SELECT; k < count; k++) {
        enum origin x = find_origin(w, args[k], depth + 1);
        none |= x == NO_WINDOW;
        all = x == WINDOW ? WINDOW : all;
    }
    return none ? NO_WINDOW : all;
}

void graph_windows_finish(struct graph *g)
{
    for (size_t i = 0; i < g->accesses.n && g->env->local_window; i++) {
        struct walk w = {.g = g};
        struct graph_access *x = &g->accesses.p[i];
        if (x->space != UOP_GENERIC)
            continue;
        if (find_origin(&w, x->address, 0) == WINDOW)
            x->space = UOP_LOCAL;
        else
            x->may_be_local = w.touched;
    }
}
