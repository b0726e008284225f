/* What memory an access is about. Global: the pointer parameter it starts from. Shared: one window, cut where stores
 * begin if nothing runs over the cut. How many threads a block has at most follows from the window's size, for no
 * access leaves that; a cut that holds for so many is shown to part two arrays. Else it is assumed to: where
 * consecutive words below it are stored, these are taken to stay below it, which bounds the block, and all others must
 * stay on their sides then. Two halves of one array fail by what reaches from one into the other (s[2 * t], a second
 * row by reads across rows); an index of which nothing is known may reach anywhere where both sides are filled alike.
 * Local: the thread's own, one object.
 * requires: linear forms, ranges · gives: graph_find_objects */
#include "graph/graph_depend_internal.h"

#include <stdlib.h>
#include <string.h>

enum { CUTS_MAX = 64, COORDINATES = GRAPH_COORDINATES, TRIAL_WORK = 8000000 };

struct shared_access {
    uint32_t access;
    struct graph_linear form;
    bool store, known;
    int64_t step;  /* smallest distance between two threads' words, 0: the same for all */
    bool falls;    /* some step goes down: the constant is no beginning */
    bool roams;    /* may lie on either side of the cut that is looked at */
    bool anywhere; /* of a cut that was made */
};

struct cut {
    int64_t at;
    bool assumed;
};

struct cutter {
    struct arena *a;
    struct graph *g;
    VEC(struct shared_access) all;
    struct cut cuts[CUTS_MAX];
    int64_t refused[CUTS_MAX]; /* places of cuts that would leave the block too small: taken to be none */
    unsigned count, refused_count;
    int64_t most[COORDINATES]; /* threads of a block in each direction, so that all stays in the window */
    struct graph_sizes trial;
};

static uint32_t object_add(struct arena *a, struct graph_dependence *out, struct graph_object o)
{
    for (uint32_t i = 0; i < out->objects.n; i++) {
        const struct graph_object *x = &out->objects.p[i];
        if (x->space == o.space && x->base == o.base && x->from == o.from && x->to == o.to && x->known == o.known &&
            x->roams == o.roams)
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

/* ---- how many threads ------------------------------------------------------------------------ */

static void bound(int64_t *most, int64_t count)
{
    if (*most > count)
        *most = count < 1 ? 1 : count;
}

/* The address of the first thread in each direction, at the least; false: not known. */
static bool first_address(struct graph *g, const struct shared_access *s, int64_t *out)
{
    struct graph_range r;
    *out = s->form.k;
    for (unsigned k = 0; k < s->form.n; k++) {
        int64_t c = s->form.t[k].c, most;
        graph_range_of(g, s->form.t[k].symbol, &r);
        if (__builtin_mul_overflow(c, c > 0 ? r.lo : r.hi, &most) || __builtin_add_overflow(*out, most, out))
            return false;
    }
    return true;
}

/* An access that all threads make, if one does, stays in the window. By those that begin at `least` or behind. */
static void bounds_from_window(struct cutter *c, int64_t least, int64_t most[COORDINATES])
{
    struct graph *g = c->g;
    int64_t first, bytes = g->env->shared_bytes;
    for (unsigned d = 0; d < COORDINATES; d++)
        most[d] = INT64_MAX;
    for (size_t i = 0; i < c->all.n && bytes > 0; i++) {
        const struct shared_access *s = &c->all.p[i];
        const struct graph_access *x = &g->accesses.p[s->access];
        if (!s->known || !graph_block_uniform(g, x->runs_when) || !g->insns.p[x->insn].reachable || s->form.wraps ||
            !first_address(g, s, &first) || first < least || first + x->width > bytes)
            continue;
        for (unsigned k = 0; k < s->form.n; k++) {
            struct graph_digit d = {0};
            if (s->form.t[k].c > 0 && graph_is_digit(g, s->form.t[k].symbol, &d) && !d.flip && d.mask == UINT32_MAX)
                bound(&most[d.dimension], ((bytes - first - x->width) / s->form.t[k].c + 1) << d.shift);
        }
    }
}

/* Consecutive threads' words lie side by side. */
static bool is_dense(const struct graph *g, const struct shared_access *s)
{
    return !s->falls && s->step && s->step <= g->accesses.p[s->access].width;
}

/* Consecutive words that are stored below the cut, by as many threads as there may be, tell how many there can be. By
 * the store that leaves most room: what fills the stretch with fewer threads than another then runs over the cut. */
static void bounds_from(struct graph *g, int64_t most[COORDINATES], const struct shared_access *s, int64_t cut)
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
        int64_t above = 0, count; /* the next larger step: a row holds so many */
        if (!c[d])
            continue;
        for (unsigned e = 0; e < COORDINATES; e++)
            if (c[e] > c[d] && (!above || c[e] < above))
                above = c[e];
        count = c[d] == top ? (cut - s->form.k + c[d] - 1) / c[d] : above / c[d];
        struct graph_constraints more = {0}; /* if (threadIdx.x < 8): the block is no smaller for that */
        graph_constrain(&more,
                        &(struct graph_linear){.t = {{graph_sreg(g, UOP_SR_TID_X + d), -1}}, .n = 1, .k = count});
        if (count > most[d] && !graph_excluded(g, g->accesses.p[s->access].runs_when, GRAPH_NIL, &more))
            most[d] = count;
    }
}

/* Ranges are those of a block of such a size from here on, up to graph_end_sizes(). */
bool graph_begin_sizes(struct arena *a, struct graph *g, const int64_t most[COORDINATES], struct graph_sizes *out)
{
    out->env = *g->env;
    for (unsigned d = 0; d < COORDINATES; d++)
        if (most[d] < 1024 && (!out->env.block_limit[d] || out->env.block_limit[d] > most[d]))
            out->env.block_limit[d] = (uint32_t)most[d];
    out->real = g->env;
    out->kept = graph_facts_of(g);
    struct graph_fact *room = out->facts.p; /* of the trial before */
    size_t cap = out->facts.cap;
    out->facts = *out->kept;
    out->facts.answered = (struct map_u64){0}; /* what was answered holds for other blocks */
    out->facts.answers.p = NULL;
    out->facts.answers.n = out->facts.answers.cap = 0;
    if (cap < g->nodes.n) {
        cap = g->nodes.n + g->nodes.n / 8 + 64;
        room = ARENA_ARRAY(a, struct graph_fact, cap);
    } else {
        memset(room, 0, cap * sizeof *room);
    }
    out->facts.p = room;
    out->facts.cap = cap;
    if (!out->facts.p)
        return false;
    for (size_t i = 0; i < out->facts.n; i++)
        out->facts.p[i].varying = out->kept->p[i].varying;
    g->facts = &out->facts;
    g->env = &out->env;
    return true;
}

void graph_end_sizes(struct graph *g, struct graph_sizes *s)
{
    s->kept->turns = s->facts.turns;
    s->kept->tries = s->facts.tries;
    g->facts = s->kept;
    g->env = s->real;
}

/* ---- cuts ------------------------------------------------------------------------------------ */

/* Whether an access comes to lie on the other side of a cut for some thread, by the bounds of what it is made of. */
enum { STAYS, MAY_LEAVE, LEAVES };
static unsigned leaves(struct graph *g, const struct shared_access *s, int64_t cut)
{
    const int64_t far = INT64_C(1) << 26;
    const struct graph_access *x = &g->accesses.p[s->access];
    bool above = s->form.k >= cut, open = false;
    __int128 end = s->form.k; /* the address furthest on the other side */
    for (unsigned k = 0; k < s->form.n; k++) {
        struct graph_range r;
        graph_range_of(g, s->form.t[k].symbol, &r);
        bool up = (s->form.t[k].c > 0) != above;
        int64_t reach = up ? r.hi : r.lo, least = up ? r.lo : r.hi;
        if (reach < far && reach > -far) {
            end += (__int128)s->form.t[k].c * reach;
        } else {
            open = true;
            if (least < far && least > -far)
                end += (__int128)s->form.t[k].c * least;
        }
    }
    bool over = above ? end < cut : end + x->width > cut;
    if (!over && !open)
        return STAYS;
    struct graph_constraints all = {0};
    struct graph_linear f = {.k = above ? -(cut - 1) : cut - x->width + 1}; /* it lies on the other side */
    if (graph_linear_add(&f, &s->form, above ? 1 : -1)) {
        graph_constrain(&all, &f);
        if (graph_excluded(g, x->runs_when, GRAPH_NIL, &all))
            return STAYS;
    }
    return over ? LEAVES : MAY_LEAVE;
}

/* A word or some below where others begin, by an index of which nothing is known: s[k * (threadIdx.x + 1) - 1]. Where
 * such an access lies is not said by its constant. `from`: where the array begins that ends there. */
static bool is_below(const struct cutter *c, const struct shared_access *s, int64_t from, int64_t cut)
{
    enum { WORDS = 3, FAR = 1 << 26 };
    int64_t by = cut - s->form.k;
    bool open = false;
    if (by <= 0 || by > WORDS * c->g->accesses.p[s->access].width || (s->form.k >= 0 && s->form.k - from <= 4 * by))
        return false;
    for (unsigned k = 0; k < s->form.n && !open; k++) {
        struct graph_range r;
        graph_range_of(c->g, s->form.t[k].symbol, &r);
        open = r.hi > FAR && !graph_block_uniform(c->g, s->form.t[k].symbol);
    }
    return open;
}

/* No array begins at the store's constant. `begins`: where accesses begin that go on from thread to thread,
 * ascending. */
static bool begins_nothing(const struct cutter *c, const struct shared_access *s, const int64_t *begins, size_t n)
{
    size_t low = 0, high = n; /* the first one behind the constant */
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (begins[mid] <= s->form.k)
            low = mid + 1;
        else
            high = mid;
    }
    size_t above = low;
    while (low > 0 && begins[low - 1] == s->form.k)
        low--;
    return s->falls || s->form.k < 0 ||
           (above < n && is_below(c, s, low && begins[low - 1] > 0 ? begins[low - 1] : 0, begins[above]));
}

/* Just below the next array: b[threadIdx.x - 1], where that is not done by the first thread. */
static bool lies_above(const struct cutter *c, const struct shared_access *s, int64_t from, int64_t cut)
{
    struct graph *g = c->g;
    if (is_below(c, s, from < 0 ? 0 : from, cut))
        return true;
    if (!s->step || cut - s->form.k > 8 * s->step || s->form.k - (from < 0 ? 0 : from) <= 4 * (cut - s->form.k))
        return false;
    struct graph_constraints all = {0};
    struct graph_linear f = s->form; /* is it below the cut for any thread? */
    f.k -= cut - 1;
    graph_constrain(&all, &f);
    return graph_excluded(g, g->accesses.p[s->access].runs_when, GRAPH_NIL, &all);
}

static unsigned worst_at(struct cutter *c, int64_t from, int64_t cut)
{
    unsigned worst = STAYS;
    for (size_t i = 0; i < c->all.n && worst != LEAVES; i++) {
        struct shared_access *s = &c->all.p[i];
        if (!s->known || s->anywhere || s->form.k < from || (s->form.k >= cut && !s->falls))
            continue;
        unsigned w = s->form.k < cut && lies_above(c, s, from, cut) ? STAYS : leaves(c->g, s, cut);
        s->roams = w == MAY_LEAVE;
        worst = w > worst ? w : worst;
    }
    return worst;
}

/* Both sides are filled by stores that differ in nothing but a constant: it may be one array, some words a thread. */
static bool filled_alike(struct cutter *c, int64_t from, int64_t cut)
{
    enum { PAIRS = 200000 };
    unsigned left = PAIRS;
    for (size_t i = 0; i < c->all.n; i++) {
        const struct shared_access *s = &c->all.p[i];
        for (size_t k = 0; s->known && s->store && s->form.k >= from && s->form.k < cut && k < c->all.n; k++) {
            const struct shared_access *t = &c->all.p[k];
            struct graph_linear apart = s->form;
            int64_t bytes;
            if (!left--)
                return true;
            if (t->known && t->store && t->form.k >= cut &&
                c->g->accesses.p[s->access].width == c->g->accesses.p[t->access].width &&
                graph_linear_add(&apart, &t->form, -1) && graph_linear_is_const(&apart, &bytes))
                return true;
        }
    }
    return false;
}

/* What lies behind the cut has room for twice as many threads as the cut takes there to be: what would run over it then
 * lies anywhere. */
static bool loosen(struct cutter *c, int64_t from, int64_t cut, int64_t threads)
{
    const int64_t most[COORDINATES] = {threads, INT64_MAX, INT64_MAX};
    if (!graph_begin_sizes(c->a, c->g, most, &c->trial))
        return false;
    for (size_t i = 0; i < c->all.n; i++) {
        struct shared_access *s = &c->all.p[i];
        if (s->known && s->form.k >= from && (s->form.k < cut || s->falls) && !lies_above(c, s, from, cut))
            s->anywhere |= leaves(c->g, s, cut) == LEAVES;
    }
    graph_end_sizes(c->g, &c->trial);
    return true;
}

/* In a block of so many threads some condition that tells threads apart would hold for all: the code was written for
 * larger ones. */
static bool is_too_small(struct cutter *c, int64_t threads)
{
    enum { CONDITIONS = 32 };
    struct graph *g = c->g;
    graph_id last = GRAPH_NIL;
    unsigned asked = 0;
    for (size_t i = 0; i < c->all.n && asked < CONDITIONS; i++) {
        const struct graph_access *x = &g->accesses.p[c->all.p[i].access];
        struct graph_constraints all = {0};
        if (x->runs_when == last || graph_block_uniform(g, x->runs_when))
            continue;
        last = x->runs_when;
        asked++;
        graph_constrain(&all,
                        &(struct graph_linear){.t = {{graph_sreg(g, UOP_SR_TID_X), 1}}, .n = 1, .k = -(threads - 1)});
        if (graph_excluded(g, graph_not(g, last), GRAPH_NIL, &all))
            return true;
    }
    return false;
}

/* The stretch from the last cut on holds everything below `cut` that begins in it. */
static bool cut_holds(struct cutter *c, int64_t from, int64_t cut, bool *assumed)
{
    enum { THREADS = 32 };
    struct graph *g = c->g;
    int64_t most[COORDINATES] = {0}, behind[COORDINATES], threads = 1, twice = 0;
    bool any = false;
    if (!graph_begin_sizes(c->a, g, c->most, &c->trial))
        return false;
    unsigned worst = worst_at(c, from, cut);
    graph_end_sizes(g, &c->trial);
    *assumed = worst != STAYS;
    if (!*assumed)
        return true;
    bounds_from_window(c, cut, behind);
    for (size_t i = 0; i < c->all.n; i++) {
        const struct shared_access *s = &c->all.p[i];
        if (s->known && s->store && s->form.k >= from && s->form.k < cut && is_dense(g, s))
            bounds_from(g, most, s, cut);
    }
    for (unsigned d = 0; d < COORDINATES; d++) {
        if (most[d] == 0) {
            most[d] = INT64_MAX;
        } else {
            any = true;
            threads *= most[d];
            if (g->env->block[d] > most[d])
                return false;
        }
        int64_t whole = c->most[d];
        if (d == 0 && !graph_facts_of(g)->two_dimensional && whole < 1024) /* as many as warps have, and evenly */
            for (whole = 1; whole * 2 <= c->most[d];)
                whole *= 2;
        if (d == 0 && !graph_facts_of(g)->two_dimensional && whole < 1024 && most[0] <= whole / 2 &&
            behind[0] == c->most[0])
            twice = whole;
        bound(&most[d], whole);
    }
    if (!graph_facts_of(g)->two_dimensional && most[0] < 1024 && most[0] < c->most[0] && is_too_small(c, most[0])) {
        c->refused[c->refused_count++] = cut;
        return false;
    }
    if ((any && threads < THREADS) || !graph_begin_sizes(c->a, g, most, &c->trial))
        return false;
    worst = worst_at(c, from, cut);
    graph_end_sizes(g, &c->trial);
    if (worst == LEAVES)
        return false;
    bool alike = worst == MAY_LEAVE && filled_alike(c, from, cut);
    for (size_t i = 0; i < c->all.n && worst == MAY_LEAVE; i++) {
        struct shared_access *s = &c->all.p[i];
        if (s->known && !s->anywhere && s->roams && s->form.k >= from && (s->form.k < cut || s->falls))
            s->anywhere |= alike || cut - s->form.k <= 8 * s->step;
    }
    return !twice || loosen(c, from, cut, twice);
}

static bool find_cuts(struct cutter *c)
{
    VEC(int64_t) bases = {0}, begins = {0};
    size_t distinct = 0;
    for (size_t i = 0; i < c->all.n; i++)
        if (c->all.p[i].known && c->all.p[i].step)
            VEC_PUSH(c->a, begins, c->all.p[i].form.k);
    if (begins.n)
        qsort(begins.p, begins.n, sizeof begins.p[0], by_value);
    for (size_t i = 0; i < c->all.n; i++)
        if (c->all.p[i].store && c->all.p[i].known && !begins_nothing(c, &c->all.p[i], begins.p, begins.n))
            VEC_PUSH(c->a, bases, c->all.p[i].form.k);
    if (bases.n)
        qsort(bases.p, bases.n, sizeof bases.p[0], by_value);
    for (size_t i = 0; i < bases.n; i++)
        if (!i || bases.p[i] != bases.p[distinct - 1])
            bases.p[distinct++] = bases.p[i];
    if (distinct > CUTS_MAX || distinct * c->all.n > 20000)
        return !arena_failed(c->a);
    int64_t from = INT64_MIN;
    bounds_from_window(c, 0, c->most);
    if (distinct * c->g->nodes.n > TRIAL_WORK)
        return true;
    for (size_t i = 1; i < distinct; i++) {
        bool assumed;
        if (!cut_holds(c, from, bases.p[i], &assumed))
            continue;
        c->cuts[c->count++] = (struct cut){bases.p[i], assumed};
        from = bases.p[i];
    }
    return !arena_failed(c->a);
}

static unsigned stretch_of(const struct cutter *c, const struct shared_access *s)
{
    unsigned k = 0;
    while (k < c->count && c->cuts[k].at <= s->form.k)
        k++;
    if (k < c->count && lies_above(c, s, k ? c->cuts[k - 1].at : 0, c->cuts[k].at))
        k++;
    return k;
}

uint32_t *graph_find_objects(struct arena *a, struct graph *g, struct graph_dependence *out, int64_t most[COORDINATES])
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
            o.known = !s->anywhere;
            o.roams = s->anywhere;
            o.from = k ? c.cuts[k - 1].at : 0;
            o.to = k < c.count ? c.cuts[k].at : INT64_MAX;
            o.assumed = (k && c.cuts[k - 1].assumed) || (k < c.count && c.cuts[k].assumed);
            for (unsigned r = 0; r < c.refused_count; r++)
                o.assumed |= c.refused[r] > o.from && c.refused[r] < o.to;
        }
        object[s->access] = object_add(a, out, o);
    }
    memcpy(most, c.most, sizeof c.most);
    return arena_failed(a) ? NULL : object;
}
