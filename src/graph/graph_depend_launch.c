/* What a launch must bring for two threads to meet in a word: of `if (i >= d && i < n) x[i] += x[i - d]` that n is more
 * than 2 * d. The code allows it, but whoever launches the kernel may promise otherwise. Facts of both sides are put
 * together, and all numbers that no launch gives (threads, blocks, counters) fall away, two facts at a time; what is
 * left of the numbers that are given stands in relation to one another. What each side asks by itself is no such
 * promise: where it does not hold, the kernel does nothing there anyway.
 * requires: linear forms, conditions · gives: graph_launch_for */
#include "graph/graph_depend_internal.h"

enum { NAMES = 12, LONGEST = 4 };

struct shadow { /* facts that are left */
    struct graph_linear f[CONSTRAINT_MAX];
    unsigned n;
    bool full;
};

/* A number that the kernel is given. */
static bool is_given(const struct graph *g, graph_id symbol)
{
    const struct graph_node *n = graph_at(g, symbol);
    while ((n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && n->arg_count == 1)
        n = graph_at(g, n->arg[0]);
    return n->kind == UOP_CBANK && !n->arg_count;
}

static void keep(struct shadow *s, const struct graph_linear *f)
{
    if (!f->n)
        return;
    for (unsigned i = 0; i < s->n; i++) {
        struct graph_linear apart = *f;
        int64_t k;
        if (graph_linear_add(&apart, &s->f[i], -1) && graph_linear_is_const(&apart, &k)) {
            if (k > 0)
                s->f[i] = *f; /* says more */
            return;
        }
    }
    if (s->n < CONSTRAINT_MAX)
        s->f[s->n++] = *f;
    else
        s->full = true;
}

static int64_t times(const struct graph_linear *f, graph_id symbol)
{
    for (unsigned i = 0; i < f->n; i++)
        if (f->t[i].symbol == symbol)
            return f->t[i].c;
    return 0;
}

/* A number that is not given falls away: each fact that bounds it from below with each from above. */
static void leave_out(struct graph *g, struct shadow *s, graph_id symbol)
{
    struct shadow out = {.full = s->full};
    if (graph_stays_natural(g, symbol))
        keep(s, &(struct graph_linear){.t = {{symbol, -1}}, .n = 1});
    for (unsigned i = 0; i < s->n; i++) {
        int64_t a = times(&s->f[i], symbol), b;
        if (!a)
            keep(&out, &s->f[i]);
        for (unsigned k = 0; a > 0 && k < s->n; k++) {
            struct graph_linear f = {0};
            if ((b = times(&s->f[k], symbol)) >= 0)
                continue;
            if (a < 4096 && b > -4096 && graph_linear_add(&f, &s->f[i], -b) && graph_linear_add(&f, &s->f[k], a))
                keep(&out, &f);
            else
                out.full = true;
        }
    }
    *s = out;
}

/* Of facts those about what is given, as far as they can be told. False: too many. */
static bool cast(struct graph *g, const struct graph_constraints *facts, struct shadow *out)
{
    *out = (struct shadow){0};
    for (unsigned i = 0; i < facts->n; i++)
        keep(out, &facts->f[i]);
    for (unsigned left = NAMES; left--;) {
        graph_id symbol = GRAPH_NIL;
        for (unsigned i = 0; i < out->n && symbol == GRAPH_NIL; i++)
            for (unsigned k = 0; k < out->f[i].n && symbol == GRAPH_NIL; k++)
                if (!is_given(g, out->f[i].t[k].symbol))
                    symbol = out->f[i].t[k].symbol;
        if (symbol == GRAPH_NIL)
            return !out->full;
        leave_out(g, out, symbol);
    }
    return false;
}

/* f <= 0 as a compare: what stands with a plus is at most what stands with a minus. */
static graph_id as_compare(struct graph *g, const struct graph_linear *f)
{
    struct graph_linear less = {0}, more = {0};
    for (unsigned i = 0; i < f->n; i++) {
        int64_t c = f->t[i].c;
        if (!graph_linear_symbol(c > 0 ? &less : &more, f->t[i].symbol, c > 0 ? c : -c))
            return GRAPH_NIL;
    }
    /* less + k <= more is less + k - 1 < more, less < more + 1 - k */
    if (f->k > 1)
        less.k = f->k - 1;
    else
        more.k = 1 - f->k;
    graph_id a = graph_linear_node(g, &less), b = graph_linear_node(g, &more);
    return a == GRAPH_NIL || b == GRAPH_NIL ? (graph_id)GRAPH_NIL : graph_op2(g, UOP_ILT_S, UOP_B1, a, b);
}

/* Sizes and distances that a kernel is given are taken not to be negative. */
static bool says_already(struct graph *g, const struct shadow *known, const struct graph_linear *f)
{
    struct graph_constraints all = {0};
    struct graph_linear other = {.k = 1};
    if (!graph_linear_add(&other, f, -1)) /* not f <= 0 */
        return true;
    graph_constrain(&all, &other);
    for (unsigned i = 0; i < f->n; i++)
        graph_constrain(&all, &(struct graph_linear){.t = {{f->t[i].symbol, -1}}, .n = 1});
    for (unsigned i = 0; i < known->n; i++)
        graph_constrain(&all, &known->f[i]);
    return graph_contradicts(g, &all);
}

static void stays_inside(struct graph *g, const struct graph_linear *u, unsigned dimension,
                         struct graph_constraints *facts)
{
    struct graph_linear f = {0};
    if (graph_linear_add(&f, u, -1)) /* u >= 0 */
        graph_constrain(facts, &f);
    f = *u;
    if (graph_linear_symbol(&f, graph_sreg(g, UOP_SR_NTID_X + dimension), -1)) { /* u < blockDim */
        f.k++;
        graph_constrain(facts, &f);
    }
}

graph_id graph_launch_for(struct graph *g, graph_id load_when, graph_id store_when, const graph_id thread[3])
{
    struct graph_constraints both = {0}, one = {0}, other = {0};
    struct shadow all, first, second;
    graph_id there = store_when, made = GRAPH_NIL;
    if (load_when == GRAPH_NIL && store_when == GRAPH_NIL)
        return GRAPH_NIL;
    if (store_when != GRAPH_NIL && !graph_block_uniform(g, store_when) &&
        (there = graph_substitute_thread(g, store_when, thread)) == GRAPH_NIL)
        return GRAPH_NIL;
    for (unsigned d = 0; d < 3; d++) {
        struct graph_linear u, own = {.t = {{graph_sreg(g, UOP_SR_TID_X + d), 1}}, .n = 1};
        if (thread[d] == GRAPH_NIL || thread[d] == own.t[0].symbol)
            continue;
        if (!graph_linear_of(g, thread[d], &u))
            return GRAPH_NIL;
        stays_inside(g, &own, d, &both);
        stays_inside(g, &u, d, &both);
        stays_inside(g, &own, d, &one);
        stays_inside(g, &own, d, &other);
    }
    graph_take_facts(g, load_when, &one);
    graph_take_facts(g, store_when, &other);
    graph_take_facts(g, load_when, &both);
    graph_take_facts(g, there, &both);
    if (!cast(g, &both, &all) || !cast(g, &one, &first) || !cast(g, &other, &second))
        return GRAPH_NIL;
    for (unsigned i = 0; i < second.n; i++)
        keep(&first, &second.f[i]);
    for (unsigned i = 0; i < all.n; i++) {
        if (all.f[i].n < 2 || all.f[i].n > LONGEST || says_already(g, &first, &all.f[i]))
            continue;
        graph_id asked = as_compare(g, &all.f[i]);
        keep(&first, &all.f[i]);
        if (asked != GRAPH_NIL)
            made = made == GRAPH_NIL ? asked : graph_and(g, made, asked);
    }
    return made;
}
