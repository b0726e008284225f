/* What memory an access is about. Global: the pointer parameter it starts from. Shared: one window cut where stores
 * begin, when the cut holds together: taking the stores below it to stay below it bounds the block, and no access below
 * it that is affine in the thread's number then runs over it. A second row of a tile fails that by the reads across its
 * rows; a second array passes. Staying inside a stretch is assumed from then on. Local: the thread's own, one object.
 * requires: linear forms, ranges · gives: graph_find_objects */
#include "graph/graph_depend_internal.h"

#include <stdlib.h>

enum { CUTS_MAX = 64, COORDINATES = 3, TRIAL_WORK = 8000000 };

struct shared_access {
    uint32_t access;
    struct graph_linear form;
    bool store, known;
    int64_t step; /* smallest distance between two threads' words, 0: the same for all */
    bool falls;   /* some step goes down: the constant is no beginning */
};

struct cutter {
    struct arena *a;
    struct graph *g;
    VEC(struct shared_access) all;
    int64_t cuts[CUTS_MAX];
    unsigned count;
};

static uint32_t object_add(struct arena *a, struct graph_dependence *out, struct graph_object o)
{
    for (uint32_t i = 0; i < out->objects.n; i++) {
        const struct graph_object *x = &out->objects.p[i];
        if (x->space == o.space && x->base == o.base && x->from == o.from && x->to == o.to && x->known == o.known)
            return i;
    }
    VEC_PUSH(a, out->objects, o);
    return (uint32_t)out->objects.n - 1;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Two coordinates in one store, each with a step: the larger one is the length of a row. */
static void note_rows(struct graph *g, const struct graph_linear *form)
{
    struct graph_facts *facts = graph_facts_of(g);
    unsigned d, e;
    bool whole;
    for (unsigned i = 0; i < form->n; i++) {
        bool above = false, seen = false;
        if (form->t[i].c <= 0 || !graph_is_coordinate(g, form->t[i].symbol, &d, &whole) || !whole)
            continue;
        for (unsigned k = 0; k < form->n; k++)
            above |= graph_is_coordinate(g, form->t[k].symbol, &e, &whole) && whole && e != d && form->t[k].c > 0 &&
                     form->t[k].c < form->t[i].c;
        for (unsigned k = 0; k < facts->row_count; k++)
            seen |= facts->rows[k].dimension == d && facts->rows[k].step == form->t[i].c;
        if (!above || seen || facts->row_count == ROWS_MAX)
            continue;
        facts->rows[facts->row_count].dimension = d;
        facts->rows[facts->row_count++].step = form->t[i].c;
    }
}

static bool list_shared(struct cutter *c)
{
    struct graph *g = c->g;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        struct graph_side side = {.address = x->address, .space = x->space};
        struct shared_access s = {.access = i, .store = x->kind != GRAPH_LOAD};
        if (x->space != UOP_SHARED)
            continue;
        s.known = graph_address_form(g, &side, &s.form);
        for (unsigned k = 0; k < s.form.n && s.known; k++) {
            unsigned d;
            bool whole;
            int64_t step = s.form.t[k].c < 0 ? -s.form.t[k].c : s.form.t[k].c;
            s.falls |= s.form.t[k].c < 0;
            if (graph_is_coordinate(g, s.form.t[k].symbol, &d, &whole) && (!s.step || step < s.step))
                s.step = step;
            unsigned kind = graph_at(g, s.form.t[k].symbol)->kind;
            if (uop_type_bits((enum uop_type)graph_at(g, s.form.t[k].symbol)->type) > 32 ||
                (step == 1 && x->width > 1 && (kind == GRAPH_PHI || kind == UOP_SELECT || kind == UOP_LOAD)))
                s.known = false; /* an address out of somewhere, not a number of elements */
        }
        if (s.known && s.store)
            note_rows(g, &s.form);
        VEC_PUSH(c->a, c->all, s);
    }
    return !arena_failed(c->a);
}

struct bounds { /* threads of a block in each direction, as far as a cut asks for them */
    int64_t most[COORDINATES];
    bool told[COORDINATES];
};

static void bound(struct bounds *b, unsigned d, int64_t count)
{
    if (count < 1)
        count = 1;
    if (!b->told[d] || count < b->most[d])
        b->most[d] = count;
    b->told[d] = true;
}

/* A store that stays below the cut tells how many threads there can be. */
static void bounds_from(struct graph *g, struct bounds *b, const struct shared_access *s, int64_t cut)
{
    int64_t c[COORDINATES] = {0}, top = 0;
    for (unsigned k = 0; k < s->form.n; k++) {
        unsigned d;
        bool whole;
        if (!graph_is_coordinate(g, s->form.t[k].symbol, &d, &whole) || !whole || s->form.t[k].c <= 0) {
            if (!graph_block_uniform(g, s->form.t[k].symbol))
                return;
            continue;
        }
        c[d] = s->form.t[k].c;
        top = c[d] > top ? c[d] : top;
    }
    for (unsigned d = 0; d < COORDINATES; d++) {
        int64_t above = 0; /* the next larger step: a row holds so many */
        if (!c[d])
            continue;
        for (unsigned e = 0; e < COORDINATES; e++)
            if (c[e] > c[d] && (!above || c[e] < above))
                above = c[e];
        bound(b, d, c[d] == top ? (cut - s->form.k + c[d] - 1) / c[d] : above / c[d]);
    }
}

/* Runs over the cut for some thread, from below or from above: by the bounds of what it is made of; an index of which
 * nothing is known is taken to stay inside. Ranges are those of a block of the size that the cut asks for. */
static bool runs_over(struct graph *g, const struct shared_access *s, int64_t cut)
{
    const int64_t far = INT64_C(1) << 26;
    const struct graph_access *x = &g->accesses.p[s->access];
    bool above = s->form.k >= cut;
    __int128 end = s->form.k; /* the address furthest on the other side */
    for (unsigned k = 0; k < s->form.n; k++) {
        struct graph_range r;
        graph_range_of(g, s->form.t[k].symbol, &r);
        bool up = (s->form.t[k].c > 0) != above;
        int64_t reach = up ? r.hi : r.lo, least = up ? r.lo : r.hi;
        if (reach < far && reach > -far)
            end += (__int128)s->form.t[k].c * reach;
        else if (least < far && least > -far)
            end += (__int128)s->form.t[k].c * least;
    }
    if (above ? end >= cut : end + x->width <= cut)
        return false;
    struct graph_constraints all = {0};
    struct graph_linear f = {.k = above ? -(cut - 1) : cut - x->width + 1}; /* it lies on the other side */
    if (!graph_linear_add(&f, &s->form, above ? 1 : -1))
        return true;
    graph_constrain(&all, &f);
    return !graph_excluded(g, x->runs_when, GRAPH_NIL, &all);
}

/* The stretch from the last cut on holds everything below `cut` that begins in it. */
static bool cut_holds(struct cutter *c, int64_t from, int64_t cut)
{
    enum { THREADS = 32 };
    struct graph *g = c->g;
    struct bounds b = {0};
    int64_t threads = 1;
    bool any = false, holds = true;
    for (size_t i = 0; i < c->all.n; i++) {
        const struct shared_access *s = &c->all.p[i];
        if (s->known && s->store && s->form.k >= from && s->form.k < cut)
            bounds_from(g, &b, s, cut);
    }
    struct graph_env env = *g->env;
    for (unsigned d = 0; d < COORDINATES; d++) {
        any |= b.told[d];
        if (!b.told[d])
            continue;
        threads *= b.most[d];
        if (env.block[d] > b.most[d])
            return false;
        if (!env.block_limit[d] || env.block_limit[d] > b.most[d])
            env.block_limit[d] = (uint32_t)b.most[d];
    }
    if (any && threads < THREADS)
        return false;
    /* Bounds under that assumption only. */
    struct graph_facts *kept = graph_facts_of(g), trial = *kept;
    const struct graph_env *real = g->env;
    trial.cap = g->nodes.n + 64;
    trial.p = ARENA_ARRAY(c->a, struct graph_fact, trial.cap);
    if (!trial.p)
        return false;
    for (size_t i = 0; i < trial.n; i++)
        trial.p[i].varying = kept->p[i].varying;
    g->facts = &trial;
    g->env = &env;
    for (size_t i = 0; i < c->all.n && holds; i++) {
        const struct shared_access *s = &c->all.p[i];
        holds = !(s->known && s->form.k >= from && (s->form.k < cut || s->falls) && runs_over(g, s, cut));
    }
    kept->turns = trial.turns;
    g->facts = kept;
    g->env = real;
    return holds;
}

static bool find_cuts(struct cutter *c)
{
    VEC(int64_t) bases = {0};
    size_t distinct = 0;
    for (size_t i = 0; i < c->all.n; i++) {
        if (c->all.p[i].store && c->all.p[i].known && !c->all.p[i].falls)
            VEC_PUSH(c->a, bases, c->all.p[i].form.k);
    }
    if (bases.n)
        qsort(bases.p, bases.n, sizeof bases.p[0], by_value);
    for (size_t i = 0; i < bases.n; i++)
        if (!i || bases.p[i] != bases.p[distinct - 1])
            bases.p[distinct++] = bases.p[i];
    if (distinct > CUTS_MAX || distinct * c->all.n > 20000)
        return !arena_failed(c->a);
    int64_t from = INT64_MIN;
    if (distinct * c->g->nodes.n > TRIAL_WORK)
        return true;
    for (size_t i = 1; i < distinct; i++) {
        if (!cut_holds(c, from, bases.p[i]))
            continue;
        c->cuts[c->count++] = bases.p[i];
        from = bases.p[i];
    }
    return !arena_failed(c->a);
}

static unsigned stretch_of(const struct cutter *c, const struct shared_access *s)
{
    unsigned k = 0;
    while (k < c->count && c->cuts[k] <= s->form.k)
        k++;
    /* Just below the next one: b[threadIdx.x - 1]. */
    if (k < c->count && s->step && c->cuts[k] - s->form.k <= 8 * s->step &&
        (k == 0 ? s->form.k : s->form.k - c->cuts[k - 1]) > 4 * (c->cuts[k] - s->form.k)) {
        struct graph_constraints all = {0};
        struct graph_linear f = s->form; /* is it below the cut for any thread? */
        f.k -= c->cuts[k] - 1;
        graph_constrain(&all, &f);
        if (graph_excluded(c->g, c->g->accesses.p[s->access].runs_when, GRAPH_NIL, &all))
            k++;
    }
    return k;
}

uint32_t *graph_find_objects(struct arena *a, struct graph *g, struct graph_dependence *out)
{
    struct cutter c = {.a = a, .g = g};
    uint32_t *object = ARENA_ARRAY(a, uint32_t, g->accesses.n + 1);
    if (!object || !list_shared(&c) || !find_cuts(&c))
        return NULL;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        struct graph_affine form;
        struct graph_object o = {.space = x->space, .from = INT64_MIN, .to = INT64_MAX};
        if (x->space == UOP_SHARED)
            continue;
        if (x->space == UOP_LOCAL) {
            o.known = true;
        } else if (graph_affine(g, x->address, &form) && form.base != GRAPH_NIL) {
            o.base = form.base;
            o.known = true;
        }
        object[i] = object_add(a, out, o);
    }
    for (size_t i = 0; i < c.all.n; i++) {
        const struct shared_access *s = &c.all.p[i];
        struct graph_object o = {.space = UOP_SHARED, .from = INT64_MIN, .to = INT64_MAX, .known = s->known};
        if (s->known) {
            unsigned k = stretch_of(&c, s);
            o.from = k ? c.cuts[k - 1] : 0;
            o.to = k < c.count ? c.cuts[k] : INT64_MAX;
        }
        object[s->access] = object_add(a, out, o);
    }
    return arena_failed(a) ? NULL : object;
}
