/* Which store a load is proved to read: a chain of effects from the newest to the kernel's entry. A load walks the
 * chain and answers which one store it reads (same address by exact rules, same width, done whenever the load is), or
 * from which effect on memory is unknown: a loop that stores, a barrier. Local memory is the thread's own and lasts
 * through barriers and loops that do not store to its word. Stores to different parameters are taken not to meet:
 * that is marked, so that nothing above calls it proved. The walk has a budget, so that building stays linear.
 * requires: addresses as nodes · gives: graph_access.from_store, may_alias, version */
#include "graph/graph_internal.h"

enum relation { APART, ASSUMED_APART, SAME, MAY_MEET };
enum { WALK_BUDGET = 256, LOCAL_BUDGET = 2048 };

enum sp_status graph_memory_init(struct graph *g, struct graph_memory *m)
{
    struct graph_effect entry = {.access = UINT32_MAX};
    m->effects.n = 0;
    VEC_PUSH(g->a, m->effects, entry);
    return m->effects.n ? SP_OK : SP_ERR_MEMORY;
}

static uint32_t push(struct graph *g, struct graph_memory *m, struct graph_effect e)
{
    uint32_t at = (uint32_t)m->effects.n;
    VEC_PUSH(g->a, m->effects, e);
    return m->effects.n > at ? at : 0;
}

uint32_t graph_memory_store(struct graph *g, struct graph_memory *m, uint32_t state, uint32_t access)
{
    return push(g, m, (struct graph_effect){.prev = state, .access = access});
}

uint32_t graph_memory_clobber(struct graph *g, struct graph_memory *m, uint32_t state)
{
    return push(g, m, (struct graph_effect){.prev = state, .access = UINT32_MAX, .orders = GRAPH_ORDERS_ALL});
}

uint32_t graph_memory_barrier(struct graph *g, struct graph_memory *m, uint32_t state)
{
    return push(g, m, (struct graph_effect){.prev = state, .access = UINT32_MAX, .orders = GRAPH_ORDERS_OTHERS});
}

uint32_t graph_memory_loop(struct graph *g, struct graph_memory *m, uint32_t state, const struct graph_access *slots,
                           uint32_t count, bool known)
{
    return push(g, m,
                (struct graph_effect){.prev = state,
                                      .access = UINT32_MAX,
                                      .orders = GRAPH_ORDERS_LOOP,
                                      .slots = slots,
                                      .slot_count = count,
                                      .slots_known = known});
}

uint32_t graph_memory_join(struct graph *g, struct graph_memory *m, const uint32_t *states, uint32_t count,
                           uint32_t dominator)
{
    bool same = true;
    for (uint32_t i = 1; i < count; i++)
        same &= states[i] == states[0];
    if (same && count)
        return states[0];
    uint32_t *copy = ARENA_ARRAY(g->a, uint32_t, count);
    if (!copy)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        copy[i] = states[i];
    return push(g, m,
                (struct graph_effect){
                    .prev = dominator, .access = UINT32_MAX, .skip = dominator, .joins = copy, .join_count = count});
}

static bool base_is_stack(const struct graph *g, graph_id base)
{
    return base != GRAPH_NIL && g->env->stack_offset && graph_at(g, base)->kind == UOP_CBANK &&
           graph_at(g, base)->imm == g->env->stack_offset;
}

/* Both stay in parts of the thread's own frame that do not meet. */
bool graph_frame_apart(const struct graph *g, const struct graph_access *x, const struct graph_access *y)
{
    struct graph_frame_part at[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct graph_access *a = i ? y : x;
        struct graph_affine f;
        if (a->space != UOP_LOCAL)
            return false;
        at[i] = a->part;
        if (at[i].known)
            continue;
        if (a->address == GRAPH_NIL || !graph_affine(g, a->address, &f) || !base_is_stack(g, f.base) || f.term_count ||
            f.offset < INT32_MIN / 2 || f.offset > INT32_MAX / 2)
            return false;
        at[i] = (struct graph_frame_part){true, (int32_t)f.offset, (int32_t)f.offset + a->width};
    }
    return at[0].to <= at[1].from || at[1].to <= at[0].from;
}

static enum relation relate(const struct graph *g, const struct graph_access *s, const struct graph_access *l)
{
    struct graph_affine a, b;
    bool generic = s->space == UOP_GENERIC || l->space == UOP_GENERIC;
    if (s->space != l->space && !generic)
        return APART;
    if ((s->part.known || l->part.known) && graph_frame_apart(g, s, l))
        return APART;
    if (s->address == GRAPH_NIL || l->address == GRAPH_NIL)
        return MAY_MEET;
    if (s->address == l->address && (s->space == l->space || generic))
        return s->width == l->width ? SAME : MAY_MEET;
    if (!graph_affine(g, s->address, &a) || !graph_affine(g, l->address, &b))
        return MAY_MEET;
    if (a.base != b.base) {
        if (a.base == GRAPH_NIL || b.base == GRAPH_NIL)
            return MAY_MEET;
        return base_is_stack(g, a.base) || base_is_stack(g, b.base) ? APART : ASSUMED_APART;
    }
    if (a.term_count != b.term_count)
        return MAY_MEET;
    for (unsigned i = 0; i < a.term_count; i++)
        if (a.terms[i].term != b.terms[i].term || a.terms[i].coefficient != b.terms[i].coefficient ||
            a.terms[i].extend != b.terms[i].extend)
            return MAY_MEET;
    if (a.offset == b.offset && s->width == l->width)
        return SAME;
    return a.offset + s->width <= b.offset || b.offset + l->width <= a.offset ? APART : MAY_MEET;
}

static bool depends_on_thread(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_SREG)
        return n->imm <= UOP_SR_TID_Z || n->imm >= UOP_SR_LANEID;
    if (n->kind == UOP_CONST || (n->kind == UOP_CBANK && !n->arg_count))
        return false;
    if (depth > 12 || !n->arg_count)
        return true;
    for (unsigned i = 0; i < n->arg_count; i++)
        if (depends_on_thread(g, n->arg[i], depth + 1))
            return true;
    return false;
}

/* threadIdx.x plus what all threads of a block share. */
static bool is_thread_number(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_SREG)
        return n->imm == UOP_SR_TID_X;
    if (n->kind != UOP_ADD || depth > 6)
        return false;
    return (is_thread_number(g, n->arg[0], depth + 1) && !depends_on_thread(g, n->arg[1], 0)) ||
           (is_thread_number(g, n->arg[1], depth + 1) && !depends_on_thread(g, n->arg[0], 0));
}

/* No two threads (of a row of a block) store to one word: the address is the thread's number, in steps of at least
 * the width. Where several threads write one word, what is read back may be another's. */
static bool own_address(const struct graph *g, const struct graph_access *s)
{
    struct graph_affine f;
    unsigned moving = 0, own = 0;
    if (s->space == UOP_LOCAL)
        return true;
    if (!graph_affine(g, s->address, &f))
        return false;
    for (unsigned i = 0; i < f.term_count; i++) {
        int64_t c = f.terms[i].coefficient;
        if (!depends_on_thread(g, f.terms[i].term, 0))
            continue;
        moving++;
        own += is_thread_number(g, f.terms[i].term, 0) && (c >= s->width || c <= -(int64_t)s->width);
    }
    return moving == 1 && own == 1;
}

/* Threads other than the load's own store too, before it or behind it in the code: without a word of the compiler
 * that nobody writes there, only a store to the very address of the load is known to be the thread's own. */
void graph_memory_finish(struct graph *g)
{
    graph_id only = GRAPH_NIL; /* the one address all stores go to */
    bool stores = false, many = false;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *s = &g->accesses.p[i];
        if (s->kind == GRAPH_LOAD || (s->space != UOP_GLOBAL && s->space != UOP_GENERIC))
            continue;
        many |= stores && s->address != only;
        only = s->address;
        stores = true;
    }
    for (size_t i = 0; i < g->accesses.n && stores; i++) {
        struct graph_access *l = &g->accesses.p[i];
        if (l->kind == GRAPH_LOAD && (l->space == UOP_GLOBAL || l->space == UOP_GENERIC) && l->order != UOP_READONLY &&
            l->from_store < 0)
            l->may_alias |= many || l->address != only;
    }
}

/* Memory that no other thread sees lasts through barriers, and through loops none of whose stores meets it. */
static bool lasts(struct graph *g, const struct graph_effect *e, const struct graph_access *load, int *budget)
{
    if (load->space != UOP_LOCAL || e->orders == GRAPH_ORDERS_ALL)
        return false;
    if (e->orders != GRAPH_ORDERS_LOOP)
        return true;
    for (uint32_t i = 0; i < e->slot_count && e->slots_known; i++)
        if (--*budget < 0 || relate(g, &e->slots[i], load) != APART)
            return false;
    return e->slots_known;
}

/* True when nothing between `from` and `until` can meet the load. */
static bool clear_between(struct graph *g, struct graph_memory *m, uint32_t from, uint32_t until,
                          struct graph_access *load, int *budget)
{
    for (uint32_t at = from; at != until;) {
        const struct graph_effect *e = &m->effects.p[at];
        if (--*budget < 0 || at == 0 || (e->orders && !lasts(g, e, load, budget)))
            return false;
        if (e->orders) {
            at = e->prev;
            continue;
        }
        if (e->join_count) {
            for (uint32_t i = 0; i < e->join_count; i++)
                if (!clear_between(g, m, e->joins[i], e->skip, load, budget))
                    return false;
            at = e->skip;
            continue;
        }
        enum relation r = relate(g, &g->accesses.p[e->access], load);
        if (r == SAME || r == MAY_MEET)
            return false;
        load->may_alias |= r == ASSUMED_APART;
        at = e->prev;
    }
    return true;
}

void graph_memory_load(struct graph *g, struct graph_memory *m, uint32_t state, struct graph_access *load)
{
    int budget = load->space == UOP_LOCAL ? LOCAL_BUDGET : WALK_BUDGET;
    uint32_t newest_assumed = 0;
    load->from_store = -1;
    load->may_alias = false;
    load->version = 0;
    if (load->order == UOP_READONLY)
        return;
    for (uint32_t at = state; at;) {
        const struct graph_effect *e = &m->effects.p[at];
        if (e->orders && lasts(g, e, load, &budget)) {
            at = e->prev;
            continue;
        }
        if (--budget < 0 || e->orders) {
            load->version = newest_assumed ? newest_assumed : at;
            load->may_alias = true;
            return;
        }
        if (e->join_count) {
            bool before = load->may_alias;
            bool clear = true;
            for (uint32_t i = 0; i < e->join_count && clear; i++)
                clear = clear_between(g, m, e->joins[i], e->skip, load, &budget);
            if (!clear) {
                load->version = newest_assumed ? newest_assumed : at;
                load->may_alias = true;
                return;
            }
            if (load->may_alias && !before && !newest_assumed)
                newest_assumed = at;
            at = e->skip;
            continue;
        }
        const struct graph_access *s = &g->accesses.p[e->access];
        switch (relate(g, s, load)) {
        case APART: break;
        case ASSUMED_APART:
            load->may_alias = true;
            if (!newest_assumed)
                newest_assumed = at;
            break;
        case SAME:
            if (s->kind == GRAPH_STORE && load->width >= 4 && own_address(g, s) &&
                graph_implies(g, load->runs_when, s->runs_when)) {
                load->from_store = (int32_t)e->access;
                load->version = at;
                return;
            }
            load->version = newest_assumed ? newest_assumed : at;
            load->may_alias = true; /* a store under another condition, an atomic, a narrow word */
            return;
        case MAY_MEET:
            load->version = newest_assumed ? newest_assumed : at;
            load->may_alias = true;
            return;
        }
        at = e->prev;
    }
    load->version = newest_assumed;
}
