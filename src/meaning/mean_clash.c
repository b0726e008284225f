/* Two loads of one element at different times are two values: in an expression that holds both, as in
 * exp(x - shared[0]) / shared[0] where the first is a maximum and the second a sum, the element says the wrong thing.
 * So it does where the element may have been written between its load and the store that is told, as in the second line
 * of a swap. Such loads are told by their ids wherever they stand.
 *
 * In shared memory any thread may have written, in global and local memory the thread itself. Different parameters are
 * different arrays (D5), two elements of one array are different where their addresses differ by a constant.
 *
 * requires: ids of values set · gives: these values as variables (mean_set_variable) */
#include "meaning/mean_internal.h"

enum { NODES = 2000, LOADS = 64, STEPS = 1000000 /* beyond these a load is taken to be overwritten */ };

/* Everything that writes, in the order of the code. */
struct writer {
    uint32_t insn;
    int array; /* -1: not known */
    uint8_t space, width;
    struct graph_affine at;
};

struct walk {
    graph_id queue[NODES];
    unsigned count;
    struct map_u64 seen;
    graph_id load[LOADS];
    unsigned loads;
    struct map_u64 read_at; /* load -> the last instance that makes it: nothing overwrote it before */
    VEC(struct writer) writers;
    uint32_t steps;
};

static void visit(struct mean *m, struct walk *w, graph_id id)
{
    if (id == GRAPH_NIL || id >= m->g->nodes.n || w->count == NODES || map_u64_get(&w->seen, id, NULL))
        return;
    map_u64_put(m->a, &w->seen, id, 0);
    w->queue[w->count++] = id;
}

static bool name_load(struct mean *m, graph_id load)
{
    uint32_t at;
    return !map_u64_get(&m->value_of, load, &at) || map_u64_put(m->a, &m->variables, load, 0);
}

static bool part_loads(struct mean *m, const struct walk *w)
{
    for (unsigned i = 0; i < w->loads; i++)
        for (unsigned k = 0; k < i; k++) {
            const struct graph_node *a = graph_at(m->g, w->load[i]), *b = graph_at(m->g, w->load[k]);
            if (a->arg[0] == b->arg[0] && a->space == b->space &&
                (!name_load(m, w->load[i]) || !name_load(m, w->load[k])))
                return false;
        }
    return true;
}

static void collect_writers(struct mean *m, struct walk *w)
{
    for (size_t i = 0; i < m->g->accesses.n; i++) {
        const struct graph_access *x = &m->g->accesses.p[i];
        struct writer one = {.insn = x->insn, .space = x->space, .width = x->width};
        uint32_t before;
        if (!m->g->insns.p[x->insn].reachable)
            continue;
        if (x->kind == GRAPH_LOAD) {
            const struct graph_node *v = graph_at(m->g, x->value[0]);
            graph_id made = v->kind == UOP_LOAD ? x->value[0] : v->arg_count ? v->arg[0] : x->value[0];
            if (!map_u64_get(&w->read_at, made, &before) || before < x->insn)
                map_u64_put(m->a, &w->read_at, made, x->insn);
            continue;
        }
        one.array = mean_array_of(m, x->address, (enum uop_space)x->space, &one.at);
        size_t k = w->writers.n; /* nearly always the last */
        VEC_PUSH(m->a, w->writers, one);
        for (; w->writers.n > k && k > 0 && w->writers.p[k - 1].insn > one.insn; k--)
            w->writers.p[k] = w->writers.p[k - 1];
        if (k < w->writers.n)
            w->writers.p[k] = one;
    }
}

/* The addresses differ by a constant, and no byte is in both. */
static bool apart(const struct graph_affine *a, unsigned a_bytes, const struct graph_affine *b, unsigned b_bytes)
{
    if (a->base != b->base || a->term_count != b->term_count)
        return false;
    for (unsigned i = 0; i < a->term_count; i++)
        if (a->terms[i].term != b->terms[i].term || a->terms[i].coefficient != b->terms[i].coefficient ||
            a->terms[i].extend != b->terms[i].extend)
            return false;
    return a->offset + a_bytes <= b->offset || b->offset + b_bytes <= a->offset;
}

/* What a load read may be overwritten before instance `end`. */
static bool overwritten(struct mean *m, struct walk *w, graph_id load, uint32_t end)
{
    const struct graph_node n = *graph_at(m->g, load);
    struct graph_affine at;
    size_t lo = 0, hi = w->writers.n;
    uint32_t from;
    if (n.order == UOP_READONLY || n.space == UOP_CONSTANT || !map_u64_get(&w->read_at, load, &from))
        return false;
    int array = mean_array_of(m, n.arg[0], (enum uop_space)n.space, &at);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (w->writers.p[mid].insn <= from)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < w->writers.n && w->writers.p[lo].insn < end; lo++) {
        const struct writer *x = &w->writers.p[lo];
        bool spaces = x->space == n.space || x->space == UOP_GENERIC || n.space == UOP_GENERIC;
        if (++w->steps > STEPS)
            return true;
        if (!spaces || (array >= 0 && x->array >= 0 && array != x->array))
            continue;
        if (n.space == UOP_SHARED || array < 0 || x->array < 0 || !apart(&x->at, x->width, &at, n.width))
            return true;
    }
    return false;
}

enum sp_status mean_part_loads(struct mean *m)
{
    struct walk *w = ARENA_NEW(m->a, struct walk);
    if (w)
        collect_writers(m, w);
    for (size_t i = 0; w && i < m->g->accesses.n; i++) {
        const struct graph_access *x = &m->g->accesses.p[i];
        if (x->kind == GRAPH_LOAD || (x->space != UOP_GLOBAL && x->space != UOP_GENERIC))
            continue;
        w->count = w->loads = 0;
        w->seen = (struct map_u64){0};
        for (unsigned k = 0; k < 4; k++)
            visit(m, w, x->value[k]);
        visit(m, w, x->address);
        visit(m, w, x->runs_when);
        for (unsigned at = 0; at < w->count; at++) {
            const struct graph_node *n = graph_at(m->g, w->queue[at]);
            if (n->kind == UOP_LOAD) {
                if (w->loads < LOADS)
                    w->load[w->loads++] = w->queue[at];
                continue; /* what its address is made of is another expression */
            }
            for (unsigned k = 0; k < n->arg_count && n->kind != GRAPH_PHI; k++)
                visit(m, w, n->arg[k]);
        }
        for (unsigned k = 0; k < w->loads; k++)
            if (overwritten(m, w, w->load[k], x->insn) && !name_load(m, w->load[k]))
                return SP_ERR_MEMORY;
        if (!part_loads(m, w))
            return SP_ERR_MEMORY;
    }
    m->work->epoch++;
    return w ? SP_OK : SP_ERR_MEMORY;
}
