/* What a thread gathers in a loop of its own: a reduction that is no page's, but that others may be of. What it takes
 * in a turn, what it begins with, and every value in which its accumulator is found, in the pieces of the loop and
 * behind it.
 *
 * Requires loops with what they carry; gives collectives of one thread, in the order of folds. Walks are bounded. */
#include "pattern/pat_collect.h"

enum { SEES_MAX = 2048 };
struct walk {
    struct pat_collect *k;
    struct map_u64 seen; /* 1 being looked at, 2 no, 3 yes */
    VEC(graph_id) marked;
    const struct graph_cycle *cycle;
    enum pat_op op;
    bool scaled;  /* the accumulator is multiplied on its way */
    graph_id out; /* what a step makes of it */
    unsigned left;
};

static bool in_cycle(const struct graph *g, const struct graph_cycle *y, uint32_t block)
{
    uint32_t first = g->blocks.p[block].first;
    return first >= y->first && first <= y->last;
}

/* Does a value come from a phi through sums and products? */
static bool comes_from(struct walk *w, graph_id id, graph_id phi, struct map_u64 *seen, unsigned depth)
{
    uint32_t known;
    const struct graph_node n = *graph_at(w->k->x->g, id);
    if (id == phi)
        return true;
    if (depth > 200 || !w->left || map_u64_get(seen, id, &known))
        return false;
    w->left--;
    map_u64_put(w->k->a, seen, id, 1);
    bool sum = n.kind == UOP_FADD || n.kind == UOP_FMUL || n.kind == UOP_FFMA || n.kind == UOP_SELECT;
    for (unsigned i = n.kind == UOP_SELECT; i < n.arg_count && sum; i++)
        if (comes_from(w, n.arg[i], phi, seen, depth + 1))
            return true;
    for (uint32_t i = 0; i < n.phi_count && n.kind == GRAPH_PHI; i++)
        if (comes_from(w, n.phi_args[i], phi, seen, depth + 1))
            return true;
    return false;
}

static bool goes_round(struct walk *w, graph_id phi)
{
    const struct graph_node n = *graph_at(w->k->x->g, phi);
    for (uint32_t i = 0; i < n.phi_count; i++) {
        struct map_u64 seen = {0};
        if (n.phi_args[i] != phi && comes_from(w, n.phi_args[i], phi, &seen, 0))
            return true;
    }
    return false;
}

/* Is a value, through meetings of paths and the operation, one of the accumulator that goes round the loop? */
static bool is_accumulator(struct walk *w, graph_id id, unsigned depth)
{
    const struct graph *g = w->k->x->g;
    uint32_t state;
    if (id == GRAPH_NIL || id >= w->k->x->count || depth > 400 || !w->left)
        return false;
    if (map_u64_get(&w->seen, id, &state))
        return state == 3;
    w->left--;
    map_u64_put(w->k->a, &w->seen, id, 1);
    VEC_PUSH(w->k->a, w->marked, id);
    const struct graph_node n = *graph_at(g, id);
    struct pat_binary v;
    bool yes = false;
    if (n.kind == GRAPH_PHI) {
        yes = graph_is_loop_phi(g, id) && in_cycle(g, w->cycle, n.block) && (!w->scaled || goes_round(w, id));
        if (yes)
            map_u64_put(w->k->a, &w->seen, id, 3);
        for (uint32_t i = 0; i < n.phi_count; i++)
            yes |= is_accumulator(w, n.phi_args[i], depth + 1);
    } else if (w->scaled && (n.kind == UOP_FADD || n.kind == UOP_FMUL || n.kind == UOP_FFMA)) {
        for (unsigned i = 0; i < n.arg_count; i++)
            yes |= is_accumulator(w, n.arg[i], depth + 1);
    } else if (!w->scaled && pat_binary_of(w->k->x, id, &v) && v.op == w->op) {
        yes = is_accumulator(w, v.a, depth + 1);
        yes |= is_accumulator(w, v.b, depth + 1);
    } else if (n.kind == UOP_SELECT) {
        yes = is_accumulator(w, n.arg[1], depth + 1);
        yes |= is_accumulator(w, n.arg[2], depth + 1);
    }
    map_u64_put(w->k->a, &w->seen, id, yes ? 3 : 2);
    return yes;
}

static void note_first(void *user, uint32_t insn, bool merged)
{
    uint32_t *first = user;
    (void)merged;
    *first = insn < *first ? insn : *first;
}

/* A piece behind the loop goes on with what the loop left: the operation again, in code of the same loop. */
static bool goes_on(struct walk *w, graph_id id)
{
    const struct graph_node *n = graph_at(w->k->x->g, id);
    struct pat_binary v;
    uint32_t at = UINT32_MAX;
    bool step = w->scaled ? n->kind == UOP_FADD || n->kind == UOP_FMUL || n->kind == UOP_FFMA
                          : pat_binary_of(w->k->x, id, &v) && v.op == w->op;
    if (!step || id >= w->k->x->count)
        return false;
    pat_holders(w->k->x, id, note_first, &at);
    return at >= w->cycle->first && at <= w->cycle->last;
}

/* A value that is what a phi holds and more taken in by the operation. */
static bool takes_more(struct walk *w, const struct pat_binary *like, graph_id id, graph_id phi, unsigned depth)
{
    struct pat_binary v;
    if (id == phi)
        return true;
    if (depth > 80 || !w->left)
        return false;
    w->left--;
    return pat_binary_of(w->k->x, id, &v) && pat_alike(&v, like) &&
           takes_more(w, like, v.a, phi, depth + 1) != takes_more(w, like, v.b, phi, depth + 1);
}

/* What a node plays the part of: copies of one step share it. */
static graph_id part_of(const struct graph *g, graph_id id)
{
    const struct graph_cycles *y = g->cycles;
    return y && y->copy_of && id < y->copy_count && y->copy_of[id] != GRAPH_NIL ? y->copy_of[id] : id;
}

/* The same where steps scale what was there before: all that lies between are copies of the step. */
static bool scales_more(struct walk *w, graph_id id, graph_id phi, unsigned depth)
{
    const struct graph *g = w->k->x->g;
    const struct graph_node *n = graph_at(g, id);
    bool all = id == phi;
    if (all || depth > 80 || !w->left)
        return all;
    w->left--;
    bool step = (n->kind == UOP_FADD || n->kind == UOP_FFMA) && part_of(g, id) == part_of(g, w->out);
    for (unsigned i = 0; i < n->arg_count && (step || n->kind == UOP_FMUL) && !all; i++)
        all = scales_more(w, n->arg[i], phi, depth + 1);
    return all;
}

/* A later loop of the same source goes on with what the one before left. */
static bool goes_on_turning(struct walk *w, const struct pat_collective *c, graph_id id)
{
    const struct graph *g = w->k->x->g;
    const struct graph_node n = *graph_at(g, id);
    uint32_t state;
    if (n.kind != GRAPH_PHI || !graph_is_loop_phi(g, id) || !in_cycle(g, w->cycle, n.block))
        return false;
    for (uint32_t i = 0; i < n.phi_count; i++)
        if (!map_u64_get(&c->partial, n.phi_args[i], &state) && !pat_is_neutral(g, &c->like, n.phi_args[i]) &&
            !(w->scaled ? scales_more(w, n.phi_args[i], id, 0) : takes_more(w, &c->like, n.phi_args[i], id, 0)))
            return false;
    return true;
}

/* The one that comes next in the list of collectives has `id` as a partial value. */
static void add_partial(struct pat_collect *k, struct pat_collective *c, graph_id id)
{
    struct pat_part_of p = {(uint32_t)k->list.n, UINT32_MAX};
    uint32_t at = (uint32_t)k->partials.n;
    map_u64_get(&k->partial_of, id, &p.next);
    VEC_PUSH(k->a, k->partials, p);
    if (k->partials.n > at && map_u64_put(k->a, &k->partial_of, id, at))
        map_u64_put(k->a, &c->partial, id, 1);
}

/* All that the accumulator is: the pieces of a loop leave it behind in several values, each on its path. */
static void find_partial(struct pat_collect *k, struct pat_collective *c, uint32_t cycle, bool scaled, graph_id result,
                         graph_id out, graph_id start)
{
    struct walk w = {.k = k,
                     .cycle = &k->x->g->cycles->cycles.p[cycle],
                     .op = c->op,
                     .scaled = scaled,
                     .out = out,
                     .left = 8 * SEES_MAX};
    uint32_t state;
    is_accumulator(&w, result, 0);
    is_accumulator(&w, out, 0);
    for (size_t i = 0; i < w.marked.n; i++)
        if (map_u64_get(&w.seen, w.marked.p[i], &state) && state == 3)
            add_partial(k, c, w.marked.p[i]);
    /* What is chosen between these behind the loop is one of them too; constants are what it started from. */
    VEC(graph_id) list = {0};
    for (size_t i = 0; i < w.marked.n; i++)
        if (map_u64_get(&c->partial, w.marked.p[i], &state))
            VEC_PUSH(k->a, list, w.marked.p[i]);
    if (c->begun && start != GRAPH_NIL && start < k->x->count && !graph_is_const(k->x->g, start, NULL)) {
        add_partial(k, c, start); /* it holds elements already */
        VEC_PUSH(k->a, list, start);
    }
    for (size_t i = 0; i < list.n && list.n < SEES_MAX; i++) {
        uint32_t users;
        const graph_id *user = graph_users(k->x->g, list.p[i], &users);
        for (uint32_t u = 0; u < users && u < 64; u++) {
            const struct graph_node *n = graph_at(k->x->g, user[u]);
            bool phi = n->kind == GRAPH_PHI, open = n->kind != UOP_SELECT && !phi;
            if (map_u64_get(&c->partial, user[u], &state))
                continue;
            if (goes_on(&w, user[u]) || goes_on_turning(&w, c, user[u])) {
                add_partial(k, c, user[u]);
                VEC_PUSH(k->a, list, user[u]);
                continue;
            }
            const graph_id *args = phi ? n->phi_args : &n->arg[1];
            for (uint32_t j = 0; j < (phi ? n->phi_count : 2) && !open; j++)
                open = !map_u64_get(&c->partial, args[j], &state) && !graph_is_const(k->x->g, args[j], NULL);
            if (open || map_u64_get(&c->partial, user[u], &state))
                continue;
            add_partial(k, c, user[u]);
            VEC_PUSH(k->a, list, user[u]);
        }
    }
}

/* What an accumulator starts from must not count: neutral, what another loop left of the same operation, or, for a
 * maximum or minimum, the element that its loop begins with. */
static bool starts_neutral(struct pat_collect *k, const struct pat_binary *like, uint32_t cycle, graph_id start,
                           graph_id element, graph_id *before, bool *goes_on, unsigned depth)
{
    const struct graph *g = k->x->g;
    uint32_t at;
    if (start == GRAPH_NIL || depth > 8)
        return false;
    if (graph_is_const(g, start, NULL))
        return pat_is_neutral(g, like, start);
    bool any = map_u64_get(&k->partial_of, start, &at);
    for (uint32_t i = any ? at : UINT32_MAX; i != UINT32_MAX; i = k->partials.p[i].next) {
        const struct pat_collective *c = k->partials.p[i].of < k->list.n ? k->list.p[k->partials.p[i].of] : NULL;
        if (c && c->reach == PAT_IN_THREAD && pat_alike(&c->like, like)) {
            *goes_on = true;
            return true;
        }
    }
    enum pat_first first = pat_starts_first(k->x->g, cycle, like->op, start, element);
    bool holds = first == PAT_STARTS_BEFORE || first == PAT_STARTS_SOMEWHERE; /* walks must find it in its row */
    if (holds && *before != GRAPH_NIL && *before != start)
        return false;
    if (holds)
        *before = start;
    if (first != PAT_STARTS_OTHERWISE)
        return true;
    const struct graph_node n = *graph_at(g, start);
    bool all = n.kind == GRAPH_PHI || n.kind == UOP_SELECT;
    for (unsigned i = 1; i <= 2 && n.kind == UOP_SELECT && all; i++)
        all = starts_neutral(k, like, cycle, n.arg[i], element, before, goes_on, depth + 1);
    for (uint32_t i = 0; i < n.phi_count && n.kind == GRAPH_PHI && all; i++)
        all = n.phi_args[i] == start ||
              starts_neutral(k, like, cycle, n.phi_args[i], element, before, goes_on, depth + 4);
    return all;
}

/* Steps between threads that turn in a loop are no gathering of one thread. */
static bool is_between_threads(const struct pat_collect *k, graph_id out)
{
    for (size_t i = 0; i < k->list.n; i++)
        for (size_t j = 0; j < k->list.p[i]->values.n && k->list.p[i]->reach != PAT_IN_THREAD; j++)
            if (k->list.p[i]->values.p[j] == out)
                return true;
    return false;
}

/* What a step takes in: x of `out = op(in, x)`. Of a step that does so under a condition only it is a choice between x
 * and what changes nothing. NIL: it is no such step. */
static graph_id taken_in(struct pat_collect *k, graph_id in, graph_id out, struct pat_binary *like)
{
    struct graph *g = k->x->g;
    if (pat_binary_of(k->x, out, like) && (like->a == in || like->b == in))
        return like->a == in ? like->b : like->a;
    struct graph_node n = *graph_at(g, out);
    for (unsigned arm = 1; arm <= 2 && n.kind == UOP_SELECT; arm++) {
        if (n.arg[3 - arm] != in || !pat_binary_of(k->x, n.arg[arm], like) || (like->a != in && like->b != in))
            continue;
        n.arg[arm] = like->a == in ? like->b : like->a;
        n.arg[3 - arm] = pat_neutral(g, like);
        return n.arg[3 - arm] == GRAPH_NIL ? (graph_id)GRAPH_NIL : graph_fresh(g, &n);
    }
    return GRAPH_NIL;
}

/* What a thread gathers in a loop of its own is a reduction too: no page's, but others may be of it. */
void pat_collect_folds(struct pat_collect *k)
{
    const struct graph_cycles *cycles = k->x->g->cycles;
    struct graph *g = k->x->g;
    for (size_t i = 0; cycles && i < cycles->folds.n; i++) {
        const struct graph_fold *f = &cycles->folds.p[i];
        for (unsigned j = 0; j < f->count; j++) {
            struct pat_binary v;
            graph_id out = f->out[j], in = f->in[j];
            if (out == GRAPH_NIL || in == GRAPH_NIL || is_between_threads(k, out))
                continue;
            bool goes_on = false;
            graph_id element = taken_in(k, in, out, &v), before = GRAPH_NIL;
            if (element == GRAPH_NIL || !starts_neutral(k, &v, f->cycle, f->start[j], element, &before, &goes_on, 0))
                continue;
            struct pat_collective *c = ARENA_NEW(k->a, struct pat_collective);
            if (!c)
                return;
            *c = (struct pat_collective){.op = v.op,
                                         .like = v,
                                         .reach = PAT_IN_THREAD,
                                         .outcome = PAT_ALL_IN_ONE,
                                         .everywhere = true,
                                         .exact = v.exact,
                                         .goes_on = goes_on,
                                         .cycle = f->cycle + 1,
                                         .first = cycles->cycles.p[f->cycle].first,
                                         .last = cycles->cycles.p[f->cycle].last};
            if (before != GRAPH_NIL) {
                VEC_PUSH(k->a, k->begun, (struct pat_begun){.element = {pat_only_load(g, before)}, .count = 1});
                c->begun = (uint32_t)k->begun.n;
            }
            VEC_PUSH(k->a, c->inputs, element);
            VEC_PUSH(k->a, c->values, in);
            VEC_PUSH(k->a, c->values, out);
            if (f->start[j] != GRAPH_NIL)
                VEC_PUSH(k->a, c->values, f->start[j]);
            VEC_PUSH(k->a, c->values, f->result[j] != GRAPH_NIL ? f->result[j] : out);
            find_partial(k, c, f->cycle, false, f->result[j], out, f->start[j]);
            VEC_PUSH(k->a, k->list, c);
        }
    }
}

void pat_collect_give(struct pat_collect *k, const struct graph_fold *f, unsigned j, const struct pat_binary *like,
                      graph_id input, uint32_t begun)
{
    struct pat_collective *c = ARENA_NEW(k->a, struct pat_collective);
    const struct graph_cycle *y = &k->x->g->cycles->cycles.p[f->cycle];
    bool scaled = !like->a; /* no operation by itself: a block's word */
    if (!c || like->op == PAT_OP_NONE)
        return;
    *c = (struct pat_collective){.op = like->op,
                                 .like = *like,
                                 .reach = PAT_IN_THREAD,
                                 .outcome = PAT_ALL_IN_ONE,
                                 .everywhere = true,
                                 .exact = like->exact,
                                 .cycle = scaled ? 0 : f->cycle + 1,
                                 .begun = begun,
                                 .first = y->first,
                                 .last = y->last};
    VEC_PUSH(k->a, c->inputs, input);
    VEC_PUSH(k->a, c->values, f->in[j]);
    VEC_PUSH(k->a, c->values, f->result[j] != GRAPH_NIL ? f->result[j] : f->out[j]);
    find_partial(k, c, f->cycle, scaled, f->result[j], f->out[j], f->start[j]);
    VEC_PUSH(k->a, k->list, c);
}
