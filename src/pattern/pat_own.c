/* What expansions own (D13). An expansion owns what computes the nodes of its match, its slow path with the call in it
 * (pat_branch.c), the branch to it and the marks of reconvergence round it; a value is inside when nothing outside uses
 * it.
 *
 * Requires a built graph and closed readings; gives the arrays of graph_expansions. Linear. */
#include "pattern/pat_internal.h"

struct own {
    struct arena *a;
    const struct pat_index *x;
    const struct pat_expanded *e;
    const struct graph *g;
    bool *inside, *part, *used;
    bool *deep;        /* by node: a part of a whole */
    bool *slow, *mine; /* by instance: on a slow path; of an expansion or a guarded approximation */
};

static void use(struct own *o, graph_id id)
{
    if (id != GRAPH_NIL && id < o->x->count)
        o->used[id] = true;
}

static void mark_mine(void *user, uint32_t insn, bool merged)
{
    (void)merged;
    ((struct own *)user)->mine[insn] = true;
}

/* What it makes is read by nobody. */
static bool is_dead(const struct graph *g, const struct graph_insn *n)
{
    bool dead = n->def_count > 0 && n->access_count == 0;
    for (uint32_t d = 0; d < n->def_count; d++)
        dead &= !g->defs.p[n->first_def + d].read;
    return dead;
}

/* A choice by what an expansion asks, which only that expansion reads: under a guard that settles a part of the
 * question the value is made of what is left of it. */
static bool is_chosen_within(struct own *o, graph_id id)
{
    graph_id atoms[6];
    unsigned count = 0;
    uint64_t table;
    const struct graph_node *n = graph_at(o->g, id);
    bool within = n->kind == UOP_SELECT && graph_table(o->g, n->arg[0], atoms, &count, &table) && count;
    for (unsigned i = 0; i < count && within; i++)
        within = atoms[i] < o->x->count && o->part[atoms[i]];
    return within;
}

/* A choice of that sort, or words put together of nothing but such choices and what lies within: swapped, say. */
static bool is_made_within(struct own *o, graph_id id)
{
    const struct graph_node *n = graph_at(o->g, id);
    bool within = n->kind == UOP_XOR || n->kind == UOP_LOP3;
    for (unsigned i = 0; i < n->arg_count && within; i++)
        within = graph_is_const(o->g, n->arg[i], NULL) || (n->arg[i] < o->x->count && o->part[n->arg[i]]) ||
                 is_chosen_within(o, n->arg[i]);
    return within || is_chosen_within(o, id);
}

/* Conditions that only instructions of an expansion read are its own, and what is chosen by what it asks. They need
 * not be in its match: under a guard that implies a part of the condition, the value that is matched is made by what is
 * left of it. True: there may be more, read by these. */
static bool own_conditions(struct own *o, uint32_t *owner)
{
    const struct graph *g = o->g;
    uint32_t *by = ARENA_ARRAY(o->a, uint32_t, g->defs.n + 1); /* by def: who owns its readers */
    enum { OTHER = UINT32_MAX };
    bool more = false;
    for (uint32_t i = 0; by && i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        uint32_t mine = o->mine[i] && owner[i] ? owner[i] : OTHER;
        for (uint32_t u = 0; u < n->use_count && n->reachable && !is_dead(g, n); u++) {
            const struct graph_use *use = &g->uses.p[n->first_use + u];
            for (uint32_t d = 0; d < use->def_count; d++)
                by[use->defs[d]] = !by[use->defs[d]] || by[use->defs[d]] == mine ? mine : OTHER;
        }
    }
    for (uint32_t i = 0; by && i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        uint32_t all = n->def_count && !n->access_count && !owner[i] ? by[n->first_def] : OTHER;
        for (uint32_t d = 0; d < n->def_count && all != OTHER; d++) {
            const struct graph_def *def = &g->defs.p[n->first_def + d];
            if (by[n->first_def + d] != all || (graph_at(g, def->node)->type != UOP_B1 &&
                                                !is_made_within(o, def->node) && !is_made_within(o, def->merged)))
                all = OTHER;
        }
        if (all && all != OTHER) {
            owner[i] = all;
            o->mine[i] = more = true;
        }
    }
    return more;
}

/* It hands on what it reads: whoever reads that is asked instead. */
static bool is_copy(const struct graph *g, const struct graph_insn *n, graph_id read)
{
    return n->def_count == 1 && !n->access_count && g->defs.p[n->first_def].node == read && n->guard == GRAPH_NIL;
}

/* What instructions that no expansion owns read. */
static void find_used(struct own *o)
{
    const struct graph *g = o->g;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        if (o->slow[x->insn])
            continue;
        use(o, x->address);
        for (int k = 0; k < 4 && x->kind != GRAPH_LOAD; k++)
            use(o, x->value[k]);
    }
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        for (uint32_t u = 0; u < n->use_count && n->reachable && !is_dead(g, n) && !o->mine[i]; u++)
            if (!is_copy(g, n, g->uses.p[n->first_use + u].node))
                use(o, g->uses.p[n->first_use + u].node);
    }
}

struct makers {
    const struct own *o;
    uint32_t count;
    bool slow;
};

static void count_maker(void *user, uint32_t insn, bool merged)
{
    struct makers *m = user;
    (void)merged;
    m->count++;
    m->slow &= m->o->slow[insn];
}

/* How many instructions made it, and whether all of them are on slow paths. */
static uint32_t makers(const struct own *o, graph_id id, bool *slow)
{
    struct makers m = {.o = o, .slow = true};
    pat_holders(o->x, id, count_maker, &m);
    *slow = m.slow;
    return m.count;
}

static bool is_result(const struct own *o, graph_id id)
{
    const struct pat_reading *r = pat_reading_of(o->x, id);
    return r && (r->closed || r->owned);
}

/* What a result is a function of is no part of how it is made: a quotient's dividend may be what paths brought, which
 * no register is written for. What only goes round a loop is known by its next value. */
static void use_arguments(struct own *o, graph_id as, unsigned depth)
{
    enum { DEPTH = 6 };
    const struct graph_node *n = graph_at(o->g, as);
    for (unsigned k = 0; k < n->arg_count && depth < DEPTH; k++) {
        if (n->arg[k] < o->x->count)
            o->used[n->arg[k]] |= !graph_is_loop_phi(o->g, n->arg[k]);
        else
            use_arguments(o, n->arg[k], depth + 1);
    }
}

/* Users have larger numbers than what they use, but for phis: these are asked as they stand. */
static void find_inside(struct own *o)
{
    const struct graph *g = o->g;
    for (graph_id id = o->x->count; id-- > 1;) {
        const struct graph_node *n = graph_at(g, id);
        uint32_t count, alive = 0;
        bool slow, inside = true;
        if (n->kind == UOP_CONST || n->kind == UOP_CBANK || n->kind == UOP_SREG || n->kind == GRAPH_ENTRY)
            continue;
        if (o->used[id]) {
            if (is_result(o, id) && !o->deep[id] && !o->part[id])
                use_arguments(o, pat_reading_of(o->x, id)->as, 0);
            continue;
        }
        bool result = is_result(o, id) && !o->deep[id];
        uint32_t made = makers(o, id, &slow);
        if (result && (!made || !slow || pat_reading_of(o->x, id)->owned))
            continue; /* but an approximation that only a slow path makes is that path's */
        if (made && (o->part[id] || slow || is_made_within(o, id))) {
            o->inside[id] = true;
            continue;
        }
        if (made)
            continue;
        /* In no register: it belongs where what is made of it does. */
        const graph_id *users = graph_users(g, id, &count);
        for (uint32_t i = 0; i < count && inside; i++) {
            if (!o->x->live[users[i]])
                continue;
            alive++;
            inside = o->inside[users[i]] || is_result(o, users[i]);
        }
        o->inside[id] = (inside && alive) || (o->part[id] && n->type == UOP_B1);
    }
}

/* The expansion that owns what makes a condition. */
static void first_owner(void *user, uint32_t insn, bool merged)
{
    struct {
        const uint32_t *owner;
        uint32_t found;
    } *f = user;
    (void)merged;
    if (!f->found)
        f->found = f->owner[insn];
}

/* A branch on nothing but what lies inside is a choice within the expansion. */
static void own_branches(struct own *o, uint32_t *owner)
{
    struct graph *g = o->x->g;
    for (size_t i = 0; i < g->blocks.n; i++) {
        const struct graph_block *b = &g->blocks.p[i];
        graph_id atoms[6];
        unsigned count = 0;
        uint64_t table;
        struct {
            const uint32_t *owner;
            uint32_t found;
        } first = {owner, 0};
        if (!b->reachable || b->branch == GRAPH_NIL || owner[b->last] ||
            !graph_table(g, b->branch, atoms, &count, &table) || !count)
            continue;
        bool inside = true;
        for (unsigned k = 0; k < count; k++) {
            inside &= atoms[k] < o->x->count && o->inside[atoms[k]];
            pat_holders(o->x, atoms[k], first_owner, &first);
            pat_holders(o->x, graph_not(g, atoms[k]), first_owner, &first);
        }
        if (inside)
            owner[b->last] = first.found ? first.found : 1;
    }
}

/* The instances of one way of a branch, and where it leads to; false: it has an effect, or leads to several places. */
static bool add_way(const struct own *o, const struct pat_branches *b, uint32_t from, unsigned k, struct pat_slow *out,
                    uint32_t *join)
{
    const struct graph_block *to = &o->g->blocks.p[o->g->blocks.p[from].succs[k]];
    uint32_t first = o->g->blocks.p[from].succs[k];
    *join = first;
    return to->pred_count != 1 || to->idom != from || pat_add_region(b, o->a, o->g, first, out, join);
}

static bool is_part_of(const struct pat_found *f, graph_id id)
{
    for (size_t i = 0; i < f->inner.n; i++)
        if (f->inner.p[i].node == id)
            return true;
    return false;
}

/* A branch on what an expansion chooses by, whose ways hold nothing but that expansion's instructions, is its own too:
 * code that was not optimised branches where other code selects. Inner branches stand behind outer ones. */
static void own_choices(struct own *o, const struct pat_branches *b, uint32_t *owner)
{
    struct graph *g = o->x->g;
    for (size_t i = g->blocks.n; i-- > 0;) {
        const struct graph_block *d = &g->blocks.p[i];
        graph_id atoms[6];
        unsigned count = 0;
        uint64_t table;
        uint32_t join[2], by = 0;
        struct pat_slow ways = {0};
        if (!d->reachable || d->branch == GRAPH_NIL || d->succ_count != 2 || owner[d->last] ||
            !graph_table(g, d->branch, atoms, &count, &table) || !count || atoms[0] >= o->x->count ||
            !o->part[atoms[0]] || !add_way(o, b, (uint32_t)i, 0, &ways, &join[0]) ||
            !add_way(o, b, (uint32_t)i, 1, &ways, &join[1]) || join[0] != join[1])
            continue;
        bool all = true;
        for (size_t k = 0; k < ways.insns.n && all; k++) {
            const struct graph_insn *n = &g->insns.p[ways.insns.p[k]];
            uint32_t mine = owner[ways.insns.p[k]];
            by = by ? by : mine;
            all = mine ? mine == by : !n->def_count && !n->access_count;
        }
        for (unsigned k = 0; k < count && all && by; k++)
            all = by <= o->e->found.n && is_part_of(o->e->found.p[by - 1], atoms[k]);
        if (!all || !by)
            continue;
        struct pat_fringe fringe = {0};
        pat_add_fringe(o->a, g, (uint32_t)i, join[0], &fringe);
        for (size_t k = 0; k < ways.insns.n; k++)
            VEC_PUSH(o->a, fringe.insns, ways.insns.p[k]);
        for (size_t k = 0; k < fringe.insns.n; k++) {
            uint32_t *mine = &owner[fringe.insns.p[k]];
            *mine = *mine ? *mine : by;
            o->mine[fringe.insns.p[k]] = true;
        }
    }
}

enum sp_status pat_own(struct arena *a, struct pat_index *x, const struct pat_branches *b, struct pat_expanded *e,
                       struct graph_expansions *out)
{
    struct graph *g = x->g;
    uint32_t *owner = ARENA_ARRAY(a, uint32_t, g->insns.n + 1);
    graph_id *reads = ARENA_ARRAY(a, graph_id, x->count + 1), *shows = ARENA_ARRAY(a, graph_id, x->count + 1);
    struct own o = {.a = a,
                    .x = x,
                    .e = e,
                    .g = g,
                    .inside = ARENA_ARRAY(a, bool, x->count + 1),
                    .part = ARENA_ARRAY(a, bool, x->count + 1),
                    .used = ARENA_ARRAY(a, bool, x->count + 1),
                    .deep = ARENA_ARRAY(a, bool, x->count + 1),
                    .slow = ARENA_ARRAY(a, bool, g->insns.n + 1),
                    .mine = ARENA_ARRAY(a, bool, g->insns.n + 1)};
    if (!owner || !reads || !shows || !o.inside || !o.part || !o.used || !o.deep || !o.slow || !o.mine)
        return SP_ERR_MEMORY;
    for (size_t k = 0; k < e->found.n; k++) {
        const struct pat_found *f = e->found.p[k];
        for (size_t i = 0; i < f->match.insns.n; i++)
            if (!owner[f->match.insns.p[i]])
                owner[f->match.insns.p[i]] = (uint32_t)k + 1;
        for (size_t i = 0; i < f->match.insns.n; i++)
            o.mine[f->match.insns.p[i]] = true;
        for (uint32_t i = 0; i < f->slow_count; i++)
            o.slow[f->slow[i]] = true;
        for (size_t i = 0; i < f->inner.n; i++)
            if (f->inner.p[i].node < x->count && f->inner.p[i].node != f->match.root)
                o.part[f->inner.p[i].node] = true, o.deep[f->inner.p[i].node] |= f->whole;
    }
    for (size_t k = 0; k < e->found.n; k++)
        if (e->found.p[k]->also && e->found.p[k]->match.root < x->count)
            o.part[e->found.p[k]->match.root] = o.deep[e->found.p[k]->match.root] = false;
    struct pat_aggregates aggregates = {
        .owner = owner, .number = (uint32_t)e->found.n + 1, .slow = o.slow, .mine = o.mine, .part = o.part};
    pat_find_aggregates(x, e, &aggregates);
    for (size_t i = 0; i < e->list.n; i++) {
        const struct pat_reading *r = &e->list.p[i];
        if (!(r->closed || r->owned || r->parts) || r->node >= x->count)
            continue;
        if (!r->parts)
            shows[r->node] = r->as;
        if (!r->via && r->closed)
            reads[r->node] = r->as;
        pat_holders(x, r->node, mark_mine, &o);
        for (unsigned k = 0; k < r->inner_count && !r->owned; k++) {
            o.part[r->inner[k]] = true;
            pat_holders(x, r->inner[k], mark_mine, &o);
        }
    }
    bool any = e->list.n;
    for (uint32_t i = 0; i < g->insns.n && !any; i++)
        any = owner[i] != 0;
    if (any) {
        own_choices(&o, b, owner);
        enum { CHOICES = 6 }; /* one behind the other */
        for (unsigned turn = 0; turn < CHOICES && own_conditions(&o, owner); turn++)
            ;
        find_used(&o);
        find_inside(&o);
        own_branches(&o, owner);
    }
    e->inside = o.inside;
    e->nodes = x->count;
    *out = (struct graph_expansions){.count = (uint32_t)e->found.n + 1,
                                     .owner = owner,
                                     .slow = o.slow,
                                     .inside = o.inside,
                                     .reads = reads,
                                     .shows = shows,
                                     .nodes = x->count};
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
