/* Which nodes are data: what was loaded, and what is computed towards a store. From every stored word the walk goes
 * back through the arguments of pure nodes; compares are walked for the data they look at, addresses are not. What is
 * only saved in local memory and brought back unchanged is data if it is for another reason: an index that was spilled
 * is an index.
 *
 * requires: graph with users and defs indexed, dependence where it was found · gives: place_work.data */
#include "place/place_internal.h"

static bool is_access_space(unsigned space)
{
    return space == UOP_GLOBAL || space == UOP_SHARED || space == UOP_LOCAL || space == UOP_GENERIC;
}

bool place_is_float_op(const struct graph_node *n)
{
    return (n->kind >= UOP_FADD && n->kind <= UOP_RSQ64H && n->kind != UOP_F2I) || n->kind == UOP_I2F ||
           n->kind == UOP_MMA;
}

/* Depends on something that was loaded (nodes ascend, so arguments are decided first; phis are settled by further
 * passes, one a level of loops). */
static void mark_loaded(struct place_work *w)
{
    const struct graph *g = w->g;
    bool moved = true;
    for (int pass = 0; pass < 12 && moved; pass++) {
        moved = false;
        for (graph_id id = 1; id < w->nodes; id++) {
            const struct graph_node *n = graph_at(g, id);
            const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
            uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
            bool yes = n->kind == UOP_LOAD || n->kind == UOP_ATOM || n->kind == UOP_SHFL || n->kind == UOP_REDUX ||
                       (n->kind == UOP_CBANK && n->space == 3) || w->loaded[id] == 2;
            for (uint32_t i = 0; i < count && !yes; i++)
                yes = w->loaded[args[i]] == 2;
            moved |= yes && w->loaded[id] != 2;
            w->loaded[id] = yes ? 2 : 1;
        }
    }
}

/* The step of the accumulator that a node belongs to; NIL: none of its own, as where a loop only hands it on. */
static graph_id step_of(const struct place_work *w, graph_id id)
{
    uint32_t at = w->accumulator && id < w->nodes ? w->accumulator[id] : 0;
    graph_id out = at ? w->accumulators.p[at - 1].out : (graph_id)GRAPH_NIL;
    return out != GRAPH_NIL && out < w->nodes && w->accumulator[out] == at ? out : (graph_id)GRAPH_NIL;
}

/* What a loop carries is its own, though only an expansion asks for it: only a loop within one is the expansion's. */
bool place_is_inside(const struct place_work *w, graph_id id)
{
    if (!graph_is_inside(w->g, id))
        return false;
    graph_id step = step_of(w, id);
    return step == GRAPH_NIL || graph_is_inside(w->g, step);
}

static void push(struct place_work *w, graph_id id)
{
    if (id != GRAPH_NIL && id < w->nodes && !w->data[id] && !place_is_inside(w, id)) {
        w->data[id] = 1;
        VEC_PUSH(w->a, w->stack, id);
    }
}

/* Loaded, computed as a number, or a number that goes round a loop. */
static bool is_datum(const struct place_work *w, graph_id id)
{
    const struct graph_node *n = graph_at(w->g, id);
    if ((id < w->nodes && w->loaded[id] == 2) || place_is_float_op(n))
        return true;
    for (uint32_t i = 0; n->kind == GRAPH_PHI && i < n->phi_count; i++)
        if (place_is_float_op(graph_at(w->g, n->phi_args[i])))
            return true;
    return false;
}

/* An 8-byte load whose words are only ever used apart holds two values (a float2), not one. */
static bool used_apart(const struct place_work *w, graph_id load)
{
    const struct graph *g = w->g;
    uint32_t count, words = 0;
    const graph_id *users = graph_users(g, load, &count);
    if (graph_at(g, load)->kind != UOP_LOAD || graph_at(g, load)->type != UOP_B64)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *u = graph_at(g, users[i]);
        uint32_t further;
        if (u->kind != UOP_LO && u->kind != UOP_HI)
            return false;
        graph_users(g, users[i], &further);
        words += further > 0;
    }
    return words > 0 && !w->stored[load];
}

static void walk(struct place_work *w)
{
    while (w->stack.n) {
        graph_id id = w->stack.p[--w->stack.n];
        /* Of an expansion only what it is a function of. */
        const struct graph_node *n = graph_at(w->g, graph_shows(w->g, id) != GRAPH_NIL ? graph_shows(w->g, id) : id);
        const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
        uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
        if (n->kind == UOP_LOAD || n->kind == UOP_CBANK)
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (is_datum(w, args[i]) && !((n->kind == UOP_LO || n->kind == UOP_HI) && used_apart(w, args[i])))
                push(w, args[i]);
    }
}

static bool is_half_of_value(const struct place_work *w, graph_id id)
{
    const struct graph_node *n = graph_at(w->g, id);
    return (n->kind == UOP_LO || n->kind == UOP_HI) && w->data[n->arg[0]] &&
           graph_at(w->g, n->arg[0])->kind != UOP_LOAD;
}

bool place_may_be_value(const struct place_work *w, graph_id id)
{
    const struct graph_node *n = graph_at(w->g, id);
    switch (n->kind) {
    case UOP_CONST:
    case UOP_SREG:
    case GRAPH_BOOL:
    case GRAPH_ENTRY:
    case UOP_CARRY:
    case UOP_UNDEF: return false;
    case UOP_CBANK: return n->space == 3;
    case UOP_LO:
    case UOP_HI: return !is_half_of_value(w, id);
    case UOP_LOAD: return n->type != UOP_B128; /* its words are values */
    case GRAPH_PHI:                            /* only what reaches an effect is carried */
        if (w->g->cycles && w->g->cycles->cycles.n && id < w->g->cycles->copy_count && !w->g->cycles->live_phi[id])
            return false;
        return n->type != UOP_B1;
    default: return n->type != UOP_B1;
    }
}

/* Some load reads the local store otherwise than by bringing the stored value back unchanged: an array's element. */
static bool is_read_by_index(const struct place_work *w, uint32_t store)
{
    const struct graph_dependence *dep = w->g->dependence;
    for (uint32_t i = w->reach_starts[store]; i < w->reach_starts[store + 1]; i++) {
        const struct graph_access *l = &w->g->accesses.p[dep->reaches.p[w->reach[i]].load];
        if (l->from_store < 0 && graph_at(w->g, l->result)->kind == UOP_LOAD && w->alias[l->result] == GRAPH_NIL)
            return true;
    }
    return false;
}

/* An address is no data: nodes that only feed addresses of accesses. */
enum sp_status place_find_data(struct place_work *w)
{
    const struct graph *g = w->g;
    for (size_t i = 0; i < g->accesses.n; i++)
        if (g->accesses.p[i].kind != GRAPH_LOAD)
            w->stored[g->accesses.p[i].value[0]] = 1;
    mark_loaded(w);
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        if (!is_access_space(x->space))
            continue;
        if (x->kind == GRAPH_LOAD) {
            if (x->width == 8 && used_apart(w, x->result)) {
                uint32_t count;
                const graph_id *words = graph_users(g, x->result, &count);
                for (uint32_t k = 0; k < count; k++)
                    push(w, words[k]);
                continue;
            }
            for (unsigned k = 0; k < 4 && w->local[i] != PLACE_SAVED; k++)
                if (x->space != UOP_LOCAL || is_datum(w, x->value[k]))
                    push(w, x->value[k]);
        } else {
            bool kept = x->space != UOP_LOCAL || (w->local[i] != PLACE_SAVED && is_read_by_index(w, (uint32_t)i));
            for (unsigned k = 0; k < 4; k++)
                if (kept || is_datum(w, x->value[k]))
                    push(w, x->value[k]);
            push(w, x->result);
        }
    }
    walk(w);
    /* Data looked at by a compare that decides something. */
    for (graph_id id = 1; id < w->nodes; id++) {
        const struct graph_node *n = graph_at(g, id);
        if (n->type != UOP_B1 || n->kind == GRAPH_BOOL || graph_is_inside(g, id))
            continue;
        bool numbers = n->kind >= UOP_FLT && n->kind <= UOP_FNUM;
        for (unsigned i = 0; i < n->arg_count; i++)
            if (graph_at(g, n->arg[i])->type != UOP_B1 && place_is_float_op(graph_at(g, n->arg[i])) &&
                (numbers || w->loaded[n->arg[i]] == 2))
                push(w, n->arg[i]);
    }
    walk(w);
    /* What a loop leaves and an expansion alone takes: the way from its result leads through what is inside. */
    for (graph_id id = 1; id < w->nodes; id++) {
        graph_id step = step_of(w, id);
        if (step != GRAPH_NIL && w->data[step] && graph_is_inside(g, id))
            push(w, id);
    }
    walk(w);
    return arena_failed(w->a) ? SP_ERR_MEMORY : SP_OK;
}
