/* Loops that were unrolled whole (D6): three or more equal steps in a row over elements that advance by a constant, in
 * straight code or within a loop's body. Such a loop has one straight piece and its count; two steps are no loop, nor
 * is a sum that starts from the element before its first (it may be written out as well), nor a part of a longer sum;
 * one that starts from some value must be longer than a stencil to be taken for one.
 *
 * requires: chains and pieces of the loops that are left · gives: cycles with one straight piece, their folds */
#include "graph/graph_straight.h"

#include <stdlib.h>

enum { STEPS_FROM_VALUE = 7, TERMS_MAX = 256, CHAIN_MAX = 4096 };

static uint64_t mix(uint64_t a, uint64_t b)
{
    return map_hash_mix(a, b);
}

/* ---- steps ------------------------------------------------------------------------------------ */

static bool is_step(unsigned kind)
{
    return kind == UOP_FADD || kind == UOP_FFMA || kind == UOP_FMIN || kind == UOP_FMAX;
}

bool straight_same_operation(const struct graph *g, graph_id a, graph_id b)
{
    const struct graph_node *x = graph_at(g, a), *y = graph_at(g, b);
    return x->kind == y->kind && x->type == y->type && x->round == y->round &&
           !((x->flags ^ y->flags) & (unsigned)~UOP_SWAPPED);
}

struct term straight_part_of(struct straight *s, graph_id step, graph_id accumulator)
{
    const struct graph_node n = *graph_at(s->w->g, step);
    if (n.kind != UOP_FFMA)
        return straight_term_of(s, n.arg[0] == accumulator ? n.arg[1] : n.arg[0], 0);
    struct term a = straight_term_of(s, n.arg[0], 0), b = straight_term_of(s, n.arg[1], 0);
    struct term t = {.hash = mix(UOP_FFMA, a.hash + b.hash), .loads = a.loads || b.loads, .order = a.order + b.order};
    t.at = (mix(1, a.hash) | 1) * a.at + (mix(1, b.hash) | 1) * b.at;
    return t;
}

static void link_steps(struct straight *s)
{
    const struct graph *g = s->w->g;
    for (graph_id id = 1; id < s->w->nodes; id++) {
        const struct graph_node *n = graph_at(g, id);
        if (!is_step(n->kind) || s->w->claimed[id])
            continue;
        if (n->kind == UOP_FFMA) {
            s->prev[id] = straight_same_operation(g, id, n->arg[2]) ? n->arg[2] : GRAPH_NIL;
        } else {
            bool a = straight_same_operation(g, id, n->arg[0]), b = straight_same_operation(g, id, n->arg[1]);
            s->prev[id] = a != b ? n->arg[!a] : GRAPH_NIL;
        }
        if (s->prev[id] != GRAPH_NIL)
            s->taken[s->prev[id]] = true;
    }
}

/* ---- runs of steps -------------------------------------------------------------------------------- */

/* What makes the steps and their elements; of a step whose element a register held, itself. */
static void span_run(struct straight *s, const graph_id *steps, const bool *held, graph_id in, struct found *f)
{
    struct cycle_work *w = s->w;
    uint32_t loop = straight_loop_of(w, cycle_maker(w, f->result, UINT32_MAX));
    f->first = UINT32_MAX;
    f->last = 0;
    for (uint32_t i = 0; i < f->steps; i++) {
        uint32_t at = held[i] ? cycle_maker(w, steps[i], UINT32_MAX) : UINT32_MAX;
        if (!held[i])
            straight_span_of(s, steps[i], i ? steps[i - 1] : in, loop, f, 0);
        else if (at != UINT32_MAX && at >= f->floor && straight_loop_of(w, at) == loop)
            f->last = at > f->last ? at : f->last;
    }
}

/* steps[0 .. count) take one another's result; from `in`. */
static void add_run(struct straight *s, const graph_id *steps, uint32_t count, graph_id in, uint64_t hash,
                    const bool *held)
{
    struct cycle_work *w = s->w;
    struct found f = {.hash = hash, .steps = count, .in = in, .out = steps[0], .result = steps[count - 1]};
    uint32_t maker = cycle_maker(w, f.result, UINT32_MAX);
    if (maker == UINT32_MAX || straight_are_written(w, steps, count))
        return;
    uint32_t begins = cycle_maker(w, f.out, UINT32_MAX);
    uint32_t floor = f.floor = straight_behind_loops(w, begins < maker ? begins : maker);
    span_run(s, steps, held, in, &f);
    for (uint32_t i = 1; i < count; i++)
        ((graph_id *)w->out->copy_of)[steps[i]] = steps[0];
    /* Elements that an earlier loop of straight code took too were loaded for that one. */
    uint32_t before = begins == UINT32_MAX ? 0 : straight_behind_others(w, &f, begins < maker ? begins : maker);
    if (before > f.floor) {
        f.floor = before;
        span_run(s, steps, held, in, &f);
        f.floor = floor;
    }
    if (f.first <= f.last)
        straight_add(s, &f);
}

static bool takes_a_vector_apart(const struct graph *g, graph_id step)
{
    const struct graph_node *n = graph_at(g, step);
    for (unsigned k = 0; k < n->arg_count; k++) {
        unsigned kind = graph_at(g, n->arg[k])->kind;
        if (kind == UOP_ELEMENT || kind == UOP_LO || kind == UOP_HI)
            return true;
    }
    return false;
}

/* Something else takes a value between two steps: no accumulator's, but elements that are made of one another. What
 * only lies in a register where paths meet is taken by nobody. */
static bool is_used_between(const struct straight *s, const graph_id *steps, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t users;
        const graph_id *user = graph_users(s->w->g, steps[i], &users);
        for (uint32_t k = 0; k < users; k++)
            if (user[k] != steps[i + 1] && user[k] < s->w->nodes && s->w->live[user[k]])
                return true;
    }
    return false;
}

/* The step takes an element of that kind on some way, something else on others: a turn that paths changed. */
static bool takes_by_choice(struct straight *s, graph_id id, uint64_t hash, unsigned depth)
{
    const struct graph_node n = *graph_at(s->w->g, id);
    const graph_id *args;
    uint32_t count = cycle_args(&n, &args);
    if ((n.kind != UOP_SELECT && (n.kind != GRAPH_PHI || graph_is_loop_phi(s->w->g, id))) || depth > 4)
        return depth && straight_term_of(s, id, 0).hash == hash;
    for (uint32_t k = n.kind == UOP_SELECT; k < count; k++)
        if (takes_by_choice(s, args[k], hash, depth + 1))
            return true;
    return false;
}

static bool is_changed_turn(struct straight *s, graph_id step, uint64_t hash)
{
    const struct graph_node n = *graph_at(s->w->g, step);
    for (unsigned k = 0; k < n.arg_count && n.kind != UOP_FFMA; k++)
        if (takes_by_choice(s, n.arg[k], hash, 0))
            return true;
    return false;
}

struct stretch {
    uint32_t from, to;
};

/* A value is the element at `at` on some way: a thread's own store is looked through where a condition says that it was
 * this thread's. */
static bool may_bring(struct straight *s, graph_id id, uint64_t hash, uint64_t at)
{
    enum { WAYS = 8 };
    const struct graph *g = s->w->g;
    graph_id way[WAYS];
    unsigned count = 0;
    way[count++] = id;
    for (unsigned i = 0; i < count; i++) {
        const struct graph_node *x = graph_at(g, way[i]);
        struct term t = straight_term_of(s, way[i], 0);
        if (t.loads && t.hash == hash && t.at == at)
            return true;
        for (unsigned k = 1; k <= 2 && x->kind == UOP_SELECT && count < WAYS; k++)
            way[count++] = x->arg[k];
    }
    return false;
}

/* The same of what a step brings beside its accumulator. */
static bool step_may_bring(struct straight *s, graph_id step, graph_id accumulator, uint64_t hash, uint64_t at)
{
    const struct graph_node *n = graph_at(s->w->g, step);
    return n->arg_count == 2 && may_bring(s, n->arg[n->arg[0] == accumulator], hash, at);
}

/* A step takes what the thread itself put where the element at `at` is, in the place of the load that others do: the
 * compiler kept it in a register. */
static bool takes_what_it_stored(struct straight *s, graph_id step, graph_id before, uint64_t at)
{
    const struct graph *g = s->w->g;
    const struct graph_node *n = graph_at(g, step), *m = graph_at(g, before);
    if (n->kind == UOP_FFMA || n->arg_count != 2 || m->arg_count != 2)
        return false;
    graph_id value = n->arg[n->arg[0] == before];
    const struct graph_node *load = graph_at(g, m->arg[0]);
    load = load->kind == UOP_LOAD ? load : graph_at(g, m->arg[1]);
    for (size_t i = 0; i < g->accesses.n && load->kind == UOP_LOAD && s->w->budget > 0; i++) {
        const struct graph_access *a = &g->accesses.p[i];
        const struct graph_node *stored = graph_at(g, a->value[0]);
        s->w->budget--;
        if (a->kind != GRAPH_STORE || a->space != load->space || a->width != load->width ||
            (a->value[0] != value &&
             (stored->kind != UOP_SELECT || (stored->arg[1] != value && stored->arg[2] != value))))
            continue;
        if (cycle_root(g, a->address) == cycle_root(g, load->arg[0]) && straight_place_of(g, a->address) == at)
            return true;
    }
    return false;
}

/* What a sum starts from was made of the element before its first: a step put together with another operation. */
static bool start_may_bring(struct straight *s, graph_id in, uint64_t hash, uint64_t at)
{
    const struct graph_node n = *graph_at(s->w->g, in);
    bool any = may_bring(s, in, hash, at), made = n.kind == UOP_FFMA || n.kind == UOP_FADD;
    for (unsigned k = 0; k < n.arg_count && made && !any; k++)
        any = may_bring(s, n.arg[k], hash, at);
    return any;
}

/* Steps over advancing elements, and between two of them one step of something else in the place of an element. */
static bool skips_one(const struct term *t, uint32_t count, uint32_t at, uint64_t way)
{
    return at > 0 && at + 1 < count && t[at].hash != t[at - 1].hash && t[at + 1].hash == t[at - 1].hash &&
           t[at + 1].loads && t[at + 1].at - t[at - 1].at == 2 * way;
}

/* A chain from its first step on: stretches of it whose parts are the same term over advancing elements. */
static void look_at_chain(struct straight *s, const graph_id *steps, uint32_t count)
{
    struct cycle_work *w = s->w;
    struct term *t = ARENA_ARRAY(w->a, struct term, count);
    const struct graph_node first = *graph_at(w->g, steps[0]);
    if (!t || count < STEPS_MIN)
        return;
    for (uint32_t i = 1; i < count; i++)
        t[i] = straight_part_of(s, steps[i], steps[i - 1]);
    /* Which argument of the first step is the accumulator: the one that is no part, or the part further back. */
    graph_id in = first.kind == UOP_FFMA ? first.arg[2] : first.arg[0];
    if (first.kind != UOP_FFMA) {
        struct term a = straight_term_of(s, first.arg[0], 0), b = straight_term_of(s, first.arg[1], 0);
        bool both = a.hash == b.hash && t[2].at - t[1].at == t[1].at - a.at;
        uint64_t at = t[1].at - (t[2].at - t[1].at);
        bool brings = a.hash != t[1].hash && b.hash != t[1].hash && may_bring(s, first.arg[0], t[1].hash, at);
        if (both || brings || (a.hash == t[1].hash && b.hash != t[1].hash))
            in = first.arg[1];
    }
    t[0] = straight_part_of(s, steps[0], in);
    struct term before = straight_term_of(s, in, 0);
    if (first.kind == UOP_FFMA && graph_at(w->g, in)->kind == UOP_FMUL) { /* the product that the sum starts from */
        const struct graph_node *m = graph_at(w->g, in);
        struct term a = straight_term_of(s, m->arg[0], 0), b = straight_term_of(s, m->arg[1], 0);
        before.hash = mix(UOP_FFMA, a.hash + b.hash);
    }
    if (in < w->nodes && w->flow_of[in])
        return; /* what a loop before left goes on: a remainder that was not seen to be one */
    struct stretch *found = ARENA_ARRAY(w->a, struct stretch, count);
    bool *held = ARENA_ARRAY(w->a, bool, count);
    uint32_t n = 0, rest = count;
    for (uint32_t from = 0, to; found && held && from + 1 < count; from = to) {
        uint64_t way = t[from + 1].at - t[from].at, hash = t[from].hash;
        for (to = from + 1; to < count; to++) {
            if (t[to].hash == hash && t[to].loads && t[to].at - t[to - 1].at == way)
                continue;
            if (to - from < 2 || !skips_one(t, count, to, way) ||
                !takes_what_it_stored(s, steps[to], steps[to - 1], t[to - 1].at + way))
                break;
            held[to++] = true; /* and the next one goes on behind it */
        }
        uint32_t begin = from, end = to;
        if (from > 0 && to - from > 1 && t[from - 1].hash != hash)
            begin -= step_may_bring(s, steps[from - 1], from > 1 ? steps[from - 2] : in, hash, t[from].at - way);
        if (to < count && to - from > 1 && t[to].hash != hash)
            end += step_may_bring(s, steps[to], steps[to - 1], hash, t[to - 1].at + way);
        /* Elements of the same kind before or behind that stand elsewhere: a pattern of places written out. */
        bool element =
            (begin == 0 && ((before.loads && before.hash == hash) || start_may_bring(s, in, hash, t[from].at - way))) ||
            (begin > 0 && t[begin - 1].hash == hash) || (end < count && t[end].hash == hash);
        element |= begin > 0 && is_changed_turn(s, steps[begin - 1], hash);
        element |=
            (end < count && is_changed_turn(s, steps[end], hash)) || (begin == 0 && takes_by_choice(s, in, hash, 0));
        element |= skips_one(t, count, end, way) || (begin > 1 && skips_one(t, count, begin - 1, way));
        uint32_t least = element ? UINT32_MAX : graph_is_const(w->g, in, NULL) ? STEPS_MIN : STEPS_FROM_VALUE;
        bool vector = to - from <= 4 && takes_a_vector_apart(w->g, steps[from]);
        if (end - begin >= least && way != 0 && !vector && !is_used_between(s, steps + begin, end - begin)) {
            found[n++] = (struct stretch){begin, end};
            rest -= end - begin < rest ? end - begin : rest;
        }
        if (to > from + 1 && to < count)
            to--; /* the last one may begin the next stretch */
    }
    for (uint32_t i = 0; i < n && rest < STEPS_MIN; i++) /* else some steps of a longer sum happen to look alike */
        add_run(s, steps + found[i].from, found[i].to - found[i].from, found[i].from ? steps[found[i].from - 1] : in,
                t[found[i].from].hash, held + found[i].from);
}

static int by_shape(const void *x, const void *y)
{
    const struct term *a = x, *b = y;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    int64_t p = (int64_t)a->order, q = (int64_t)b->order;
    return p < q ? -1 : p > q;
}

/* An integer sum (minimum …) of many terms. */
static void look_at_sum(struct straight *s, graph_id root)
{
    struct cycle_work *w = s->w;
    graph_id terms[TERMS_MAX], like[TERMS_MAX], in = GRAPH_NIL;
    struct term t[TERMS_MAX];
    uint32_t count, kept = 0, others = 0;
    if (!cycle_flatten(w->g, root, graph_at(w->g, root)->kind, terms, TERMS_MAX, &count) || count < STEPS_MIN)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct term one = straight_term_of(s, terms[i], 0);
        if (one.loads && (kept == 0 || one.hash == t[0].hash)) {
            like[kept] = terms[i];
            t[kept++] = one;
        } else {
            in = terms[i];
            others++;
        }
    }
    if (kept < STEPS_MIN || others > 1 || others == 0 || (!graph_is_const(w->g, in, NULL) && kept < STEPS_FROM_VALUE))
        return;
    qsort(t, kept, sizeof t[0], by_shape);
    for (uint32_t i = 1; i < kept; i++)
        if (t[i].at - t[i - 1].at != t[1].at - t[0].at || t[1].at == t[0].at)
            return;
    uint32_t maker = cycle_maker(w, root, UINT32_MAX);
    struct found f = {.hash = t[0].hash, .steps = kept, .in = in, .out = root, .result = root, .first = UINT32_MAX};
    if (maker == UINT32_MAX || (in < w->nodes && w->flow_of[in]) || straight_are_written(w, like, kept))
        return;
    straight_span_of(s, root, in, straight_loop_of(w, maker), &f, 0);
    if (f.first <= f.last)
        straight_add(s, &f);
}

void cycle_find_straight(struct cycle_work *w)
{
    const struct graph *g = w->g;
    struct straight *s = straight_begin(w);
    graph_id *steps = ARENA_ARRAY(w->a, graph_id, CHAIN_MAX);
    if (!s || arena_failed(w->a))
        return;
    link_steps(s);
    for (graph_id id = 1; id < w->nodes && w->budget > 0; id++) {
        unsigned kind = graph_at(g, id)->kind;
        if (s->prev[id] != GRAPH_NIL && !s->taken[id]) {
            uint32_t count = 0, at;
            graph_id x = id;
            for (; x != GRAPH_NIL && count < CHAIN_MAX; x = s->prev[x])
                count++;
            at = count;
            for (x = id; x != GRAPH_NIL && at > 0; x = s->prev[x])
                steps[--at] = x;
            bool claimed = false;
            for (uint32_t i = 0; i < count && !claimed; i++)
                claimed = w->claimed[steps[i]];
            if (x == GRAPH_NIL && !claimed)
                look_at_chain(s, steps, count);
        }
        bool sums = kind == UOP_ADD || (kind >= UOP_MIN_S && kind <= UOP_MAX_U);
        if (sums && !w->claimed[id] && graph_at(g, id)->type == UOP_B32) {
            uint32_t users;
            const graph_id *user = graph_users(g, id, &users);
            bool inner = false;
            for (uint32_t i = 0; i < users && !inner; i++)
                inner = graph_at(g, user[i])->kind == kind;
            if (!inner && w->data[id])
                look_at_sum(s, id);
        }
    }
}
