/* Whose stores each load reads, and what parts the two in time: the memory dependence of the graph, attached to the
 * kernel's accesses. The element-wise edges of a wide access that agree in store, thread and order are one record.
 * requires: accesses made · gives: fact_access.reads, ascending by store */
#include "facts/fact_build.h"

#include "base/map.h"
#include "base/str.h"
#include "graph/graph_depend.h"

enum { READS = 64 /* of one load; more are not told apart, and the last says so by an unknown thread */ };

static bool is_own(const struct graph *g, const graph_id thread[3], unsigned i)
{
    const struct graph_node *n = thread[i] == GRAPH_NIL ? NULL : graph_at(g, thread[i]);
    return n && n->kind == UOP_SREG && n->imm == (uint64_t)UOP_SR_TID_X + i;
}

const char *fact_thread_text(struct mean *m, const graph_id thread[3])
{
    struct strbuf b;
    unsigned last = is_own(m->g, thread, 2) ? is_own(m->g, thread, 1) ? 0 : 1 : 2;
    str_init(&b, m->a);
    str_add(&b, last ? "(" : "");
    for (unsigned i = 0; i <= last; i++)
        str_addf(&b, "%s%s", i ? ", " : "",
                 thread[i] == GRAPH_NIL ? "any" : mean_expr(m, thread[i], UOP_B32, MEAN_EXPANDED));
    str_add(&b, last ? ")" : "");
    return b.p;
}

static enum fact_sync sync_of(const struct graph_reach *r)
{
    switch (r->sync) {
    case GRAPH_SYNC_OWN: return FACT_SYNC_OWN;
    case GRAPH_SYNC_BARRIER: return FACT_SYNC_BARRIER;
    case GRAPH_SYNC_WARP: return FACT_SYNC_WARP;
    case GRAPH_SYNC_WARP_ASSUMED: return FACT_SYNC_WARP_ASSUMED;
    case GRAPH_SYNC_NONE: return FACT_SYNC_NONE;
    case GRAPH_SYNC_UNKNOWN: break;
    }
    return FACT_SYNC_UNKNOWN;
}

static bool same_read(const struct fact_read *x, const struct fact_read *y)
{
    return x->store == y->store && x->sync == y->sync && str_equal(x->thread, y->thread);
}

static struct fact_read read_of(struct arena *a, struct fact_source *s, const struct graph_reach *r)
{
    struct fact_read f = {.store = s->g->insns.p[s->g->accesses.p[r->store].insn].offset,
                          .sync = r->may && !r->guarded ? FACT_SYNC_UNKNOWN : sync_of(r),
                          .confidence = r->may || r->assumed ? FACT_ASSUMED : FACT_PROVED};
    if (r->may && !r->guarded)
        return f;
    if (r->own)
        f.thread = "own";
    else if (r->thread_known)
        f.thread = fact_thread_text(s->mean, r->thread);
    f.barriers = fact_offsets_of(a, s->g, r->barriers, r->barrier_count);
    return f;
}

/* Stores of other threads that no way of the code leads from, but that may overtake the load: of each load, the last
 * one, and of each race the one before. NULL: there are none. */
struct overtakers {
    const struct graph_dependence *d;
    uint32_t *last, *before;
};

static bool find_overtakers(struct arena *a, const struct graph *g, struct overtakers *o)
{
    o->d = g->dependence;
    if (!o->d || !o->d->races.n)
        return true;
    o->last = ARENA_ARRAY(a, uint32_t, g->accesses.n + 1);
    o->before = ARENA_ARRAY(a, uint32_t, o->d->races.n + 1);
    if (!o->last || !o->before)
        return false;
    for (size_t i = o->d->races.n; i-- > 0;) {
        const struct graph_race *r = &o->d->races.p[i];
        if (r->first == r->second || r->assumed || g->accesses.p[r->first].kind == GRAPH_STORE ||
            g->accesses.p[r->second].kind == GRAPH_LOAD)
            continue;
        o->before[i] = o->last[r->first];
        o->last[r->first] = (uint32_t)i + 1;
    }
    return true;
}

static void attach(struct arena *a, struct fact_source *s, struct fact_access *access, uint32_t index,
                   const struct overtakers *o)
{
    const struct graph_dependence *d = s->g->dependence;
    struct fact_read *list = ARENA_ARRAY(a, struct fact_read, READS);
    uint32_t n = 0;
    for (uint32_t i = d->first_reach[index]; list && i < d->first_reach[index + 1]; i++) {
        struct fact_read f = read_of(a, s, &d->reaches.p[i]);
        bool again = false;
        for (uint32_t x = 0; x < n && !again; x++)
            again = same_read(&list[x], &f);
        if (again)
            continue;
        if (n == READS) {
            list[n - 1] = (struct fact_read){.store = f.store, .sync = FACT_SYNC_UNKNOWN, .confidence = FACT_ASSUMED};
            break;
        }
        list[n++] = f;
    }
    for (uint32_t i = list && o->last ? o->last[index] : 0; i && n < READS; i = o->before[i - 1]) {
        const struct graph_race *r = &d->races.p[i - 1];
        struct fact_read f = {.store = s->g->insns.p[s->g->accesses.p[r->second].insn].offset,
                              .thread = fact_thread_text(s->mean, r->thread),
                              .sync = FACT_SYNC_NONE,
                              .confidence = FACT_ASSUMED};
        bool again = false;
        for (uint32_t x = 0; x < n && !again; x++)
            again = list[x].store == f.store && (list[x].sync == FACT_SYNC_NONE || !list[x].thread);
        uint32_t place = again ? 0 : n++; /* they stand by store */
        for (; place > 0 && list[place - 1].store > f.store; place--)
            list[place] = list[place - 1];
        if (!again)
            list[place] = f;
    }
    access->reads = list;
    access->read_count = n;
}

enum { ANY_SPACE = 0xff };
static uint64_t key_of(uint32_t offset, unsigned space) /* a copy reads one space and stores to another */
{
    return (uint64_t)space << 32 | offset;
}

enum sp_status fact_build_reads(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    const struct graph *g = s->g;
    const struct graph_dependence *d = g->dependence;
    struct map_u64 at = {0};
    bool known = d && d->first_reach;
    struct overtakers o = {0};
    if (!find_overtakers(a, g, &o))
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < k->accesses.n; i++)
        map_u64_put(a, &at, key_of(k->accesses.p[i].offset, k->accesses.p[i].space), (uint32_t)i);
    for (size_t i = k->accesses.n; i-- > 0;)
        map_u64_put(a, &at, key_of(k->accesses.p[i].offset, ANY_SPACE), (uint32_t)i);
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        uint32_t index;
        uint32_t offset = g->insns.p[x->insn].offset;
        if (!map_u64_get(&at, key_of(offset, fact_space_of(x->space)), &index) &&
            !map_u64_get(&at, key_of(offset, ANY_SPACE), &index))
            continue;
        k->accesses.p[index].reads_more |= x->kind != GRAPH_STORE && x->order != UOP_READONLY && (!known || !d->listed);
        if (known && (d->first_reach[i] < d->first_reach[i + 1] || (o.last && o.last[i])) &&
            !k->accesses.p[index].reads)
            attach(a, s, &k->accesses.p[index], i, &o);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
