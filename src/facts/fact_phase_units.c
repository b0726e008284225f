/* Units of phases, and the stretches that they cut a kernel into (definitions.md D9): loops of the source with all
 * their pieces, matched reductions and scans with their barriers, and what lies between, cut behind each barrier that
 * carries data. The pieces of two loops may take turns in the code: each instruction goes with the loop whose piece it
 * is.
 *
 * Requires loops, dependence and matches. */
#include "facts/fact_phase.h"

#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"

#include <stdlib.h>
#include <string.h>

/* ---- units ----------------------------------------------------------------------------------- */

static void add_unit(struct phases *p, struct phase_unit u)
{
    /* What overlaps is one. */
    for (size_t i = 0; i < p->units.n;) {
        struct phase_unit *o = &p->units.p[i];
        if (o->last < u.first || u.last < o->first) {
            i++;
            continue;
        }
        u.first = o->first < u.first ? o->first : u.first;
        u.last = o->last > u.last ? o->last : u.last;
        u.reduces |= o->reduces;
        u.scans |= o->scans;
        u.folds |= o->folds;
        u.turns |= o->turns;
        u.solid |= o->solid;
        p->units.p[i] = p->units.p[--p->units.n];
        i = 0;
    }
    VEC_PUSH(p->a, p->units, u);
}

const struct uop_list *phase_uops(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    return input < g->input.count ? g->input.insns[input].uops : NULL;
}

bool phase_is_barrier(const struct graph *g, uint32_t insn)
{
    const struct uop_list *l = phase_uops(g, insn);
    for (size_t i = 0; l && i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_BAR)
            return true;
    return false;
}

/* The barrier behind the last step is the unit's own, if nothing is done before it. */
static uint32_t with_barrier(const struct phases *p, uint32_t last)
{
    for (uint32_t i = last + 1; i < p->count && p->g->insns.p[i].access_count == 0; i++)
        if (phase_is_barrier(p->g, i))
            return i;
    return last;
}

static uint32_t outermost(const struct graph_cycles *cycles, uint32_t cycle)
{
    for (unsigned left = 64; cycles->cycles.p[cycle].parent >= 0 && left; left--)
        cycle = (uint32_t)cycles->cycles.p[cycle].parent;
    return cycle;
}

bool fact_makes_data(const struct fact_source *s, const struct pat_match *m)
{
    if (m->makes == PAT_MAKES_NOTHING)
        return false;
    return m->root == GRAPH_NIL || graph_at(s->g, m->root)->kind != UOP_REDUX ||
           place_value_of(s->place, m->root, NULL);
}

/* An address that is stepped is no accumulator. */
static bool gathers_data(const struct phases *p, const struct graph_fold *f)
{
    const struct graph_cycle *y = &p->g->cycles->cycles.p[f->cycle];
    for (size_t i = 0; i < y->carried.n; i++)
        if (y->carried.p[i].kind == GRAPH_CARRIED_DATA)
            return true;
    for (size_t i = 0; i < y->pieces.n; i++)
        if (!y->pieces.p[i].straight)
            return false;
    return !y->carried.n; /* straight code carries nothing round */
}

static void find_units(struct phases *p)
{
    const struct graph_cycles *cycles = p->g->cycles;
    size_t cycle_count = cycles ? cycles->cycles.n : 0;
    const struct pat_result *r = p->s->patterns;
    bool *whole = ARENA_ARRAY(p->a, bool, cycle_count + 1); /* the loop is the reduction's own */
    p->folds = ARENA_ARRAY(p->a, bool, cycle_count + 1);
    if (!whole || !p->folds)
        return;
    for (size_t i = 0; i < r->matches.n; i++) {
        const struct pat_match *m = &r->matches.p[i];
        if (m->makes != PAT_MAKES_NOTHING && m->cycle && m->cycle <= cycle_count &&
            cycles->cycles.p[m->cycle - 1].parent < 0)
            whole[m->cycle - 1] = true;
    }
    for (size_t i = 0; i < cycle_count; i++) {
        const struct graph_cycle *y = &cycles->cycles.p[i];
        if (y->parent >= 0)
            continue;
        struct phase_unit u = {.first = y->first, .last = y->last, .turns = true};
        for (size_t f = 0; f < cycles->folds.n && !whole[i]; f++)
            u.folds |= outermost(cycles, cycles->folds.p[f].cycle) == i && gathers_data(p, &cycles->folds.p[f]);
        p->folds[i] = u.folds;
        add_unit(p, u);
    }
    for (size_t i = 0; i < p->g->loops.n; i++) {
        const struct graph_loop *l = &p->g->loops.p[i];
        bool known = (cycles && cycles->cycle_of && cycles->cycle_of[l->header]) ||
                     graph_is_slow(p->g, p->g->blocks.p[l->header].first); /* an expansion's: none of the source */
        if (!known && !l->parent)
            add_unit(p, (struct phase_unit){.first = l->first, .last = l->last, .turns = true, .solid = true});
    }
    for (size_t i = 0; i < r->matches.n; i++) {
        const struct pat_match *m = &r->matches.p[i];
        if (!fact_makes_data(p->s, m))
            continue;
        struct phase_unit u = {.first = m->first,
                               .last = with_barrier(p, m->last),
                               .reduces = m->makes == PAT_MAKES_ONE,
                               .scans = m->makes == PAT_MAKES_PREFIXES,
                               .solid = true};
        /* Inside a loop that does more it is a part of that loop. */
        bool inside = false;
        for (size_t k = 0; k < p->units.n; k++) {
            const struct phase_unit *o = &p->units.p[k];
            bool own = m->cycle && m->cycle <= cycle_count && whole[m->cycle - 1] &&
                       o->first <= cycles->cycles.p[m->cycle - 1].first &&
                       cycles->cycles.p[m->cycle - 1].last <= o->last;
            inside |= o->turns && !o->reduces && !o->scans && !own && o->first <= m->first && m->last <= o->last;
        }
        if (!inside)
            add_unit(p, u);
    }
}

/* ---- cuts ------------------------------------------------------------------------------------ */

/* Barriers behind which some load reads, from another thread, what was stored before them and after the ones before. */
static bool find_carriers(struct phases *p)
{
    const struct graph_dependence *d = p->g->dependence;
    p->carries = ARENA_ARRAY(p->a, bool, p->g->insns.n + 1);
    if (!p->carries)
        return false;
    for (size_t i = 0; d && i < d->reaches.n; i++) {
        const struct graph_reach *r = &d->reaches.p[i];
        uint32_t store = p->g->accesses.p[r->store].insn, b = 0;
        /* Whether a store under a condition came about is not known, nor always whose it is: but not its own only. */
        if (r->own || (r->may && r->sync != GRAPH_SYNC_BARRIER))
            continue;
        while (b < r->barrier_count && (r->barriers[b] < store || !phase_is_barrier(p->g, r->barriers[b])))
            b++; /* a warp's own meeting parts no phases */
        if (b < r->barrier_count)
            p->carries[r->barriers[b]] = true;
    }
    return true;
}

static int by_first(const void *pa, const void *pb)
{
    const struct phase_unit *a = pa, *b = pb;
    return (a->first > b->first) - (a->first < b->first);
}

static void add_stretch(struct phases *p, uint32_t first, uint32_t last, const struct phase_unit *u, bool cut)
{
    VEC_PUSH(p->a, p->list, (struct phase_stretch){first, last, u, cut});
}

static void cut(struct phases *p, uint32_t first, uint32_t end)
{
    uint32_t from = first;
    for (uint32_t i = first; i < end; i++)
        if (phase_is_barrier(p->g, i) && p->carries[i]) {
            add_stretch(p, from, i, NULL, true);
            from = i + 1;
        }
    if (from < end)
        add_stretch(p, from, end - 1, NULL, false);
}

/* Steps without a loop around them may stand among those of the next: what both may be taken for is of the one that
 * ends first. False: a loop takes part. */
static bool share(const struct graph_cycles *cycles, uint32_t *own, uint32_t cycle)
{
    const struct graph_cycle *a = &cycles->cycles.p[*own], *b = &cycles->cycles.p[cycle];
    if (a->pieces.n != 1 || b->pieces.n != 1 || !a->pieces.p[0].straight || !b->pieces.p[0].straight)
        return false;
    *own = b->last < a->last ? cycle : *own;
    return true;
}

/* The loop of the source that each instance of a unit is a piece of. False: two share one, or there is but one. */
static bool find_owners(struct phases *p, const struct phase_unit *u, uint32_t *cycle, uint32_t *owner)
{
    const struct graph_cycles *cycles = p->g->cycles;
    enum { MOST = 64 };
    uint64_t left = (uint64_t)MOST * (u->last - u->first + 1);
    unsigned loops = 0;
    bool parted = true;
    memset(owner, 0xff, (u->last - u->first + 1) * sizeof *owner);
    for (; *cycle < cycles->cycles.n && cycles->cycles.p[*cycle].first <= u->last; ++*cycle) {
        const struct graph_cycle *y = &cycles->cycles.p[*cycle];
        if (y->parent >= 0 || y->first < u->first)
            continue;
        loops++;
        for (size_t i = 0; i < y->pieces.n && parted; i++) {
            const struct graph_piece *piece = &y->pieces.p[i];
            bool few = piece->straight && piece->block_count == 1; /* its block may hold more than its steps */
            for (uint32_t k = 0; k < piece->block_count && parted; k++) {
                const struct graph_block *b = &p->g->blocks.p[piece->blocks[k]];
                uint32_t from = few ? piece->first : b->first, to = few ? piece->last : b->last;
                for (uint32_t at = from; at <= to && parted; at++) {
                    if (at < u->first || at > u->last) /* a routine that is called stands behind all */
                        continue;
                    uint32_t *own = &owner[at - u->first];
                    if (*own == UINT32_MAX)
                        *own = *cycle;
                    else if (*own != *cycle)
                        parted = left-- > 0 && share(cycles, own, *cycle);
                }
            }
        }
    }
    return parted && loops > 1;
}

/* Loops whose pieces take turns in the code: a stretch for each loop, what lies between two of its pieces with it. */
static bool part_loops(struct phases *p, const struct phase_unit *u, const uint32_t *owner)
{
    uint32_t *stretch_of = ARENA_ARRAY(p->a, uint32_t, p->g->cycles->cycles.n + 1); /* + 1 */
    uint32_t before = UINT32_MAX, behind = u->first;                                /* the owned run before */
    struct phase_run *open = NULL;
    if (!stretch_of)
        return false;
    for (uint32_t i = u->first; i <= u->last; i++) {
        uint32_t own = owner[i - u->first];
        if (own == UINT32_MAX)
            continue;
        if (own != before) {
            cut(p, behind, i);
            if (!stretch_of[own]) {
                struct phase_unit *part = ARENA_ARRAY(p->a, struct phase_unit, 1);
                if (!part)
                    return false;
                *part = (struct phase_unit){.first = i, .last = i, .turns = true, .folds = p->folds[own]};
                add_stretch(p, i, i, part, false);
                stretch_of[own] = (uint32_t)p->list.n;
            }
            VEC_PUSH(p->a, p->runs, (struct phase_run){i, i, stretch_of[own] - 1});
            if (!p->runs.n)
                return false;
            open = &p->runs.p[p->runs.n - 1];
        }
        open->last = i;
        before = own;
        behind = i + 1;
    }
    cut(p, behind, u->last + 1);
    return true;
}

bool phase_find_stretches(struct phases *p)
{
    if (!find_carriers(p))
        return false;
    find_units(p);
    if (p->units.n)
        qsort(p->units.p, p->units.n, sizeof p->units.p[0], by_first);
    uint32_t *owner = ARENA_ARRAY(p->a, uint32_t, p->g->insns.n + 1);
    if (!owner)
        return false;
    uint32_t from = 0, cycle = 0;
    for (size_t i = 0; i < p->units.n; i++) {
        const struct phase_unit *u = &p->units.p[i];
        if (u->first > from)
            cut(p, from, u->first);
        bool parts = !u->solid && p->g->cycles && u->first >= from && find_owners(p, u, &cycle, owner);
        if (!parts)
            add_stretch(p, u->first > from ? u->first : from, u->last, u, false);
        else if (!part_loops(p, u, owner))
            return false;
        from = u->last + 1;
    }
    if (from < p->count)
        cut(p, from, p->count);
    return true;
}
