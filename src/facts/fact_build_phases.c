/* Phases: what a kernel does one after the other (definitions.md D9). Units are taken whole: a loop of the source with
 * all its pieces, a matched reduction or scan with its barriers. What lies between is cut behind each barrier that
 * carries data: behind it some thread reads what another stored before it. A stretch with only control or addresses
 * joins the next, the last one the one before. An instruction that was scheduled across a cut belongs where its value
 * is first consumed.
 *
 * Requires roles (fact_build_insns.c), loops, dependence and matches. */
#include "facts/fact_phase.h"

#include "base/str.h"
#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a stretch does --------------------------------------------------------------------- */

struct deeds {
    unsigned global_loads, global_stores, shared_loads, shared_stores, atomics, computes, shuffles, constant_stores;
    unsigned shared_atomics;
    bool any, unseen; /* something is done that the code does not show */
};

static enum fact_role role_of(const struct phases *p, uint32_t insn)
{
    uint32_t input = p->g->insns.p[insn].input;
    return input < p->k->instructions.n ? p->k->instructions.p[input].role : FACT_ROLE_UNKNOWN;
}

/* A value that is a load, or a load or a constant: nothing was computed. */
static bool only_moves(const struct phases *p, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(p->g, id);
    switch (n->kind) {
    case UOP_CONST:
    case UOP_LOAD:
    case UOP_SHFL: return true;
    case UOP_LO:
    case UOP_HI:
    case UOP_ELEMENT: return only_moves(p, n->arg[0], depth + 1);
    case UOP_PAIR: return depth < 6 && only_moves(p, n->arg[0], depth + 1) && only_moves(p, n->arg[1], depth + 1);
    case UOP_SELECT: return depth < 6 && only_moves(p, n->arg[1], depth + 1) && only_moves(p, n->arg[2], depth + 1);
    default: return false;
    }
}

/* Counters, addresses and conditions are no data. */
static bool is_data(const struct phases *p, const struct graph_def *d)
{
    const graph_id nodes[3] = {d->node, d->wide, d->merged};
    for (int i = 0; i < 3; i++) {
        graph_id id = nodes[i];
        if (id == GRAPH_NIL)
            continue;
        if (place_value_of(p->s->place, id, NULL))
            return true;
        const struct graph_node *n = graph_at(p->g, id);
        if ((n->kind == UOP_LO || n->kind == UOP_HI) && place_value_of(p->s->place, n->arg[0], NULL))
            return true;
    }
    return false;
}

/* What has no value of its own may be on the way to one: a step of an expansion, a word of which a part is taken. */
static bool leads_to_data(const struct phases *p, graph_id id)
{
    enum { NODES = 32 };
    graph_id todo[NODES];
    unsigned n = 0, seen = 0, own;
    todo[n++] = id;
    const struct graph_node *node = graph_at(p->g, id);
    for (unsigned k = 0; k < node->arg_count && node->kind == UOP_PAIR; k++)
        todo[n++] = node->arg[k];
    own = n;
    while (seen < n) {
        graph_id at = todo[seen++];
        if (place_value_of(p->s->place, at, NULL))
            return true;
        bool through = seen <= own || graph_is_inside(p->g, at) || graph_at(p->g, at)->kind == UOP_SELECT ||
                       graph_at(p->g, at)->kind == GRAPH_PHI;
        uint32_t count = 0;
        const graph_id *users = through ? graph_users(p->g, at, &count) : NULL;
        for (uint32_t i = 0; i < count && n < NODES; i++) {
            bool known = false;
            for (unsigned k = 0; k < n && !known; k++)
                known = todo[k] == users[i];
            if (!known)
                todo[n++] = users[i];
        }
    }
    return false;
}

static bool computes(const struct phases *p, uint32_t insn)
{
    const struct graph_insn *n = &p->g->insns.p[insn];
    enum fact_role role = role_of(p, insn);
    if (role != FACT_ROLE_COMPUTE && role != FACT_ROLE_SELECT && role != FACT_ROLE_CONVERT)
        return false;
    for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++) {
        const struct graph_def *def = &p->g->defs.p[d];
        bool data =
            is_data(p, def) || (!graph_is_slow(p->g, insn) && def->node != GRAPH_NIL && leads_to_data(p, def->node));
        if (data && !only_moves(p, def->node, 0))
            return true;
    }
    return false;
}

/* Which of two elements is the larger is found out: something is made of both, if only what is stored where. */
static bool weighs_data(const struct phases *p, uint32_t insn)
{
    const struct graph_insn *n = &p->g->insns.p[insn];
    unsigned data = 0;
    if (role_of(p, insn) != FACT_ROLE_COMPARE)
        return false;
    for (uint32_t u = n->first_use; u < n->first_use + n->use_count; u++)
        data += place_value_of(p->s->place, p->g->uses.p[u].node, NULL) != NULL;
    return data > 1;
}

static bool loads_data(const struct phases *p, const struct graph_insn *n)
{
    for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++)
        if (is_data(p, &p->g->defs.p[d]))
            return true;
    return n->def_count == 0;
}

/* It works with what such an instruction left behind: not addresses, and whatever it makes of it is no data that is
 * told. */
static bool takes_unseen(const struct phases *p, uint32_t insn)
{
    const struct graph_insn *n = &p->g->insns.p[insn];
    enum fact_role role = role_of(p, insn);
    bool makes = role == FACT_ROLE_COMPUTE || role == FACT_ROLE_SELECT || role == FACT_ROLE_CONVERT ||
                 role == FACT_ROLE_STORE || role == FACT_ROLE_COMPARE,
         takes = false;
    for (uint32_t u = n->first_use; u < n->first_use + n->use_count && makes && p->g->incomplete; u++)
        takes |= graph_at(p->g, p->g->uses.p[u].node)->kind == GRAPH_RESULT;
    return takes;
}

/* An instruction that is not known, or a call of code that is not there. */
static bool is_unseen(const struct phases *p, uint32_t insn)
{
    const struct uop_list *l = phase_uops(p->g, insn);
    bool calls = false;
    for (size_t i = 0; l && i < l->ops.n; i++)
        calls |= l->ops.p[i].kind == UOP_CALL || l->ops.p[i].kind == UOP_CALL_IND;
    for (size_t i = 0; i < p->g->calls.n && calls; i++)
        calls = p->g->calls.p[i].insn != insn;
    return calls || (l && l->unknown) || takes_unseen(p, insn);
}

static void look(const struct phases *p, uint32_t insn, struct deeds *d)
{
    const struct graph_insn *n = &p->g->insns.p[insn];
    if (!n->reachable)
        return;
    for (uint32_t i = n->first_access; i < n->first_access + n->access_count; i++) {
        const struct graph_access *a = &p->g->accesses.p[i];
        bool global = a->space == UOP_GLOBAL || a->space == UOP_GENERIC, shared = a->space == UOP_SHARED;
        bool constant = a->kind == GRAPH_STORE;
        for (unsigned w = 0; w < 4 && a->value[w] != GRAPH_NIL; w++)
            constant &= graph_is_const(p->g, a->value[w], NULL);
        if (a->kind == GRAPH_LOAD && !loads_data(p, n))
            continue; /* a pointer, an index */
        d->global_loads += global && a->kind == GRAPH_LOAD;
        d->global_stores += global && a->kind == GRAPH_STORE;
        d->shared_loads += shared && a->kind == GRAPH_LOAD;
        d->shared_stores += shared && a->kind == GRAPH_STORE;
        d->shared_atomics += shared && a->kind == GRAPH_ATOMIC;
        d->atomics += global && a->kind == GRAPH_ATOMIC;
        d->constant_stores += (global || shared) && constant;
        d->any = true;
    }
    d->computes += computes(p, insn) || weighs_data(p, insn);
    d->shuffles += role_of(p, insn) == FACT_ROLE_SHUFFLE;
    d->unseen |= is_unseen(p, insn);
}

/* Control and addresses say nothing of what a stretch is for. */
static bool is_idle(const struct deeds *d)
{
    return !d->any && !d->computes && !d->shuffles;
}

static enum fact_phase_kind kind_of(const struct phase_stretch *t, const struct deeds *d, bool after)
{
    if (t->unit && t->unit->reduces)
        return FACT_PHASE_REDUCE;
    if (t->unit && t->unit->scans)
        return FACT_PHASE_SCAN;
    if (t->unit && t->unit->folds)
        return FACT_PHASE_FOLD;
    unsigned stores = d->global_stores + d->shared_stores;
    if (after && (d->global_stores || d->atomics))
        return FACT_PHASE_FINISH;
    if (d->unseen)
        return FACT_PHASE_OTHER; /* who knows */
    if (d->shared_atomics)       /* what was there is changed, not moved */
        return d->any || d->computes || d->shuffles ? FACT_PHASE_MAP : FACT_PHASE_OTHER;
    if (stores && d->constant_stores == stores && !d->global_loads && !d->shared_loads && !d->atomics)
        return FACT_PHASE_FILL;
    if (d->global_loads && !d->global_stores && !d->atomics && !d->computes && !d->shuffles && !d->shared_loads)
        return FACT_PHASE_LOAD;
    if ((d->shuffles || d->shared_loads || d->shared_stores) && !d->computes && !d->global_stores && !d->atomics &&
        !d->global_loads)
        return FACT_PHASE_EXCHANGE;
    return d->any || d->computes || d->shuffles ? FACT_PHASE_MAP : FACT_PHASE_OTHER;
}

/* ---- instructions across a cut --------------------------------------------------------------- */

static bool may_move(const struct phases *p, uint32_t insn)
{
    const struct graph_insn *n = &p->g->insns.p[insn];
    const struct uop_list *l = phase_uops(p->g, insn);
    enum fact_role role = role_of(p, insn);
    if (!n->reachable || !n->def_count)
        return false;
    /* What prepares addresses, counters and constants says nothing of where it belongs; what an expansion does on its
     * way is no data of the kernel's, but goes with it. */
    bool owned = p->g->expansions && p->g->expansions->owner && p->g->expansions->owner[insn];
    if (role != FACT_ROLE_LOAD && !owned && !computes(p, insn))
        return false;
    for (uint32_t i = n->first_access; i < n->first_access + n->access_count; i++)
        if (p->g->accesses.p[i].kind != GRAPH_LOAD)
            return false;
    for (size_t i = 0; l && i < l->ops.n; i++)
        switch (l->ops.p[i].kind) {
        case UOP_BAR:
        case UOP_BRANCH:
        case UOP_CALL:
        case UOP_EXIT:
        case UOP_RET:
        case UOP_OPAQUE:
        case UOP_MISC: return false;
        default: break;
        }
    return true;
}

/* Stands among the steps of a reduction or scan and is none of them. */
static bool is_between(const struct phases *p, uint32_t insn)
{
    const struct phase_unit *u = p->list.p[p->phase_of[insn]].unit;
    return u && (u->reduces || u->scans) && !u->folds && !p->step[insn];
}

/* What a reduction takes in is made before it, also where it was scheduled among its first steps. */
static void follow_sources(struct phases *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct graph_insn *n = &p->g->insns.p[i];
        uint32_t own = p->phase_of[i];
        bool free = own != UINT32_MAX && own && !p->list.p[own - 1].unit && is_between(p, i) && computes(p, i) &&
                    may_move(p, i);
        for (uint32_t r = n->first_use; r < n->first_use + n->use_count && free; r++)
            for (uint32_t d = 0; d < p->g->uses.p[r].def_count && free; d++) {
                uint32_t made = p->g->defs.p[p->g->uses.p[r].defs[d]].insn;
                free = made < p->count && (p->phase_of[made] == UINT32_MAX || p->phase_of[made] < own);
            }
        if (free)
            p->phase_of[i] = own - 1;
    }
}

/* From the last instruction up, so that what feeds a moved one moves with it. */
static void follow_consumers(struct phases *p)
{
    uint32_t defs = (uint32_t)p->g->defs.n;
    uint32_t *first_use = ARENA_ARRAY(p->a, uint32_t, defs + 1); /* by def: earliest phase that reads it */
    if (!first_use)
        return;
    memset(first_use, 0xff, (defs + 1) * sizeof *first_use);
    for (uint32_t i = p->count; i-- > 0;) {
        const struct graph_insn *n = &p->g->insns.p[i];
        uint32_t own = p->phase_of[i], wanted = UINT32_MAX;
        if (own == UINT32_MAX)
            continue;
        for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++)
            wanted = first_use[d] < wanted ? first_use[d] : wanted;
        /* What a reduction or scan takes in is made in the stretch before it; what a loop reads all along is its. */
        const struct phase_unit *u = wanted != UINT32_MAX ? p->list.p[wanted].unit : NULL;
        if (u && (u->reduces || u->scans) && wanted && !p->list.p[wanted - 1].unit)
            wanted--;
        if (wanted != UINT32_MAX && wanted > own && (!p->list.p[own].unit || is_between(p, i)) && may_move(p, i))
            p->phase_of[i] = own = wanted;
        for (uint32_t r = n->first_use; r < n->first_use + n->use_count; r++)
            for (uint32_t d = 0; d < p->g->uses.p[r].def_count; d++) {
                uint32_t def = p->g->uses.p[r].defs[d];
                first_use[def] = own < first_use[def] ? own : first_use[def];
            }
    }
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* Offsets of a phase as ranges of neighbouring instructions. */
static void set_ranges(struct phases *p, struct fact_phase *f, const struct fact_offsets *at)
{
    uint32_t *r = ARENA_ARRAY(p->a, uint32_t, 2 * (size_t)at->n + 2), n = 0;
    if (!r || !at->n)
        return;
    for (uint32_t i = 0; i < at->n; i++) {
        if (n && at->p[i] == r[2 * n - 1] + 16)
            r[2 * n - 1] = at->p[i];
        else {
            r[2 * n] = r[2 * n + 1] = at->p[i];
            n++;
        }
    }
    f->from = r[0];
    f->to = r[2 * n - 1];
    f->ranges = r;
    f->range_count = n;
}

static const char *plural(unsigned n)
{
    return n == 1 ? "" : "s";
}

static void say(struct strbuf *b, const char *what, unsigned n, const char *noun, const char *where)
{
    if (n)
        str_addf(b, "%s%s %u %s%s%s", b->n ? ", " : "", what, n, noun, plural(n), where);
}

/* Of a phase's patterns those that say what it does: no skeleton, no way of loading, no part of another one kept. The
 * list ascends, and parts stand before their wholes. */
static uint32_t keep_wholes(const struct phases *p, uint32_t *list, uint32_t n)
{
    const struct pat_match *m = p->s->patterns->matches.p;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        const char *family = m[list[i]].family;
        bool says =
            strcmp(family, "operator") == 0 || strcmp(family, "collective") == 0 || strcmp(family, "lowering") == 0;
        uint32_t lo = i, hi = n; /* its whole stands behind it */
        while (says && m[list[i]].parent >= 0 && lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (list[mid] < (uint32_t)m[list[i]].parent)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (says && (m[list[i]].parent < 0 || lo == n || list[lo] != (uint32_t)m[list[i]].parent))
            list[kept++] = list[i];
    }
    return kept;
}

/* The phase in words: the patterns that make it what it is, else what it moves and computes. */
static const char *summary_of(struct phases *p, enum fact_phase_kind kind, const struct deeds *d,
                              const struct fact_phase *f)
{
    struct strbuf b;
    str_init(&b, p->a);
    for (uint32_t i = 0; i < f->pattern_count; i++) {
        const struct pat_match *m = &p->s->patterns->matches.p[f->patterns[i]];
        bool says = m->makes != PAT_MAKES_NOTHING || strcmp(m->family, "operator") == 0;
        if (!says || (m->parent >= 0 && p->s->patterns->matches.p[m->parent].makes != PAT_MAKES_NOTHING))
            continue;
        str_addf(&b, "%s%s", b.n ? ", " : "", m->id);
        for (size_t k = 0; k < m->bindings.n; k++)
            if (strcmp(m->bindings.p[k].key, "op") == 0 && m->bindings.p[k].text)
                str_addf(&b, " (%s)", m->bindings.p[k].text);
    }
    if (b.n)
        return b.p;
    if (kind == FACT_PHASE_FOLD)
        str_add(&b, "accumulate in registers");
    say(&b, "load", d->global_loads, "value", "");
    say(&b, "compute in", d->computes, "instruction", "");
    say(&b, "exchange by", d->shuffles, "shuffle", "");
    say(&b, "read", d->shared_loads, "value", " from shared memory");
    say(&b, "put", d->shared_stores, "value", " into shared memory");
    say(&b, "store", d->global_stores, "value", "");
    say(&b, "make", d->atomics + d->shared_atomics, "atomic update", "");
    if (d->unseen)
        str_add(&b, b.n ? ", and what is not known" : "what is not known");
    return b.n ? b.p : "control";
}

/* A pattern belongs to the phase that holds most of its instructions, of several the last; a reduction to its own, and
 * what is made of reductions to where its last instruction stands. */
static uint32_t phase_with(const struct phases *p, const struct pat_match *m, bool made_of, uint32_t *held)
{
    uint32_t most = UINT32_MAX, at, last = m->insns.n ? m->insns.p[m->insns.n - 1] : UINT32_MAX;
    if (m->makes != PAT_MAKES_NOTHING || made_of) {
        last = made_of ? last : m->last;
        return last < p->count ? p->phase_of[last] : UINT32_MAX;
    }
    for (size_t i = 0; i < m->insns.n; i++)
        if (m->insns.p[i] < p->count && (at = p->phase_of[m->insns.p[i]]) != UINT32_MAX) {
            held[at]++;
            if (most == UINT32_MAX || held[at] > held[most] || (held[at] == held[most] && at > most))
                most = at;
        }
    for (size_t i = 0; i < m->insns.n; i++)
        if (m->insns.p[i] < p->count && (at = p->phase_of[m->insns.p[i]]) != UINT32_MAX)
            held[at] = 0;
    return most;
}

static void add_phase(struct phases *p, uint32_t stretch, enum fact_phase_kind kind, const struct deeds *d)
{
    struct fact_phase f = {.kind = kind};
    uint32_t matches = (uint32_t)p->s->patterns->matches.n, count = 0, evidence = 0;
    uint32_t *insns = ARENA_ARRAY(p->a, uint32_t, p->count + 1), *numbers = ARENA_ARRAY(p->a, uint32_t, matches + 1);
    uint32_t *doing = ARENA_ARRAY(p->a, uint32_t, p->count + 1);
    if (!insns || !numbers || !doing)
        return;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->phase_of[i] != stretch)
            continue;
        uint32_t input = p->g->insns.p[i].input;
        bool once = input >= p->k->instructions.n;
        if (!once && !p->told[input])
            p->told[input] = stretch + 1;
        if (once || p->told[input] == stretch + 1)
            insns[count++] = i;
        if (p->g->insns.p[i].access_count || phase_is_barrier(p->g, i))
            doing[evidence++] = i;
    }
    for (uint32_t i = 0; i < p->count && !count; i++) /* nothing but code that others run too */
        if (p->phase_of[i] == stretch)
            insns[count++] = i;
    struct fact_offsets at = fact_offsets_of(p->a, p->g, insns, count);
    set_ranges(p, &f, &at);
    for (uint32_t i = 0; i < matches; i++)
        if (p->home[i] == stretch)
            numbers[f.pattern_count++] = i;
    f.pattern_count = keep_wholes(p, numbers, f.pattern_count);
    f.patterns = numbers;
    f.evidence = fact_offsets_of(p->a, p->g, doing, evidence);
    f.summary = summary_of(p, kind, d, &f);
    VEC_PUSH(p->a, p->k->phases, f);
}

/* The last instance that is no padding. */
static uint32_t instances(const struct phases *p)
{
    uint32_t n = (uint32_t)p->g->insns.n;
    while (n && role_of(p, n - 1) == FACT_ROLE_PADDING)
        n--;
    return n;
}

enum sp_status fact_build_phases(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    struct phases p = {.a = a, .s = s, .k = k, .g = s->g};
    p.count = instances(&p);
    p.phase_of = ARENA_ARRAY(a, uint32_t, p.count + 1);
    if (!p.phase_of)
        return SP_ERR_MEMORY;
    if (!p.count)
        return SP_OK;
    /* Called routines stand behind the kernel's own instances and happen where they are called. */
    uint32_t all = p.count;
    while (p.count > 1 && p.g->insns.p[p.count - 1].call_path)
        p.count--;
    if (!phase_find_stretches(&p))
        return SP_ERR_MEMORY;
    p.step = ARENA_ARRAY(a, bool, all + 1);
    if (!p.step)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < s->patterns->matches.n; i++) {
        const struct pat_match *m = &s->patterns->matches.p[i];
        for (size_t j = 0; j < m->insns.n && m->makes != PAT_MAKES_NOTHING; j++)
            if (m->insns.p[j] < all)
                p.step[m->insns.p[j]] = true;
    }
    uint32_t n = (uint32_t)p.list.n;
    struct deeds *d = ARENA_ARRAY(a, struct deeds, n + 1);
    uint32_t *join = ARENA_ARRAY(a, uint32_t, n + 1);
    if (!d || !join)
        return SP_ERR_MEMORY;
    memset(p.phase_of, 0xff, all * sizeof *p.phase_of);
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t i = p.list.p[t].first; i <= p.list.p[t].last && i < p.count; i++)
            if (p.g->insns.p[i].reachable && role_of(&p, i) != FACT_ROLE_PADDING) {
                p.phase_of[i] = t;
                look(&p, i, &d[t]);
            }
    for (size_t r = 0; r < p.runs.n; r++)
        for (uint32_t i = p.runs.p[r].first; i <= p.runs.p[r].last && i < p.count; i++)
            if (p.g->insns.p[i].reachable && role_of(&p, i) != FACT_ROLE_PADDING && p.phase_of[i] == UINT32_MAX) {
                p.phase_of[i] = p.runs.p[r].stretch;
                look(&p, i, &d[p.runs.p[r].stretch]);
            }
    follow_consumers(&p);
    follow_sources(&p);
    for (uint32_t i = p.count; i < all; i++) {
        uint32_t at = pat_top_insn(p.g, i);
        if (p.g->insns.p[i].reachable && at < p.count)
            p.phase_of[i] = p.phase_of[at];
    }
    p.count = all;
    for (uint32_t t = 0; t < n; t++)
        d[t] = (struct deeds){0};
    for (uint32_t i = 0; i < p.count; i++)
        if (p.phase_of[i] != UINT32_MAX)
            look(&p, i, &d[p.phase_of[i]]);
    /* Idle stretches join the next, or at the end the one before. */
    uint32_t last = UINT32_MAX, kept = 0;
    for (uint32_t t = n; t-- > 0;) {
        bool idle = is_idle(&d[t]) && !(p.list.p[t].unit && (p.list.p[t].unit->reduces || p.list.p[t].unit->scans));
        join[t] = idle ? last : t;
        last = join[t];
        kept += !idle;
    }
    uint32_t before = UINT32_MAX;
    for (uint32_t t = 0; t < n; t++) {
        if (join[t] == UINT32_MAX)
            join[t] = before == UINT32_MAX ? t : before;
        before = join[t];
    }
    for (uint32_t i = 0; i < p.count; i++)
        if (p.phase_of[i] != UINT32_MAX)
            p.phase_of[i] = join[p.phase_of[i]];
    uint32_t last_unit = UINT32_MAX;
    for (uint32_t t = 0; t < n; t++) {
        const struct phase_unit *u = p.list.p[t].unit;
        if (u && (u->reduces || u->scans || u->folds))
            last_unit = t;
    }
    uint32_t *held = ARENA_ARRAY(a, uint32_t, n + 1);
    p.home = ARENA_ARRAY(a, uint32_t, s->patterns->matches.n + 1);
    p.told = ARENA_ARRAY(a, uint32_t, k->instructions.n + 1);
    if (!held || !p.home || !p.told)
        return SP_ERR_MEMORY;
    const struct pat_match *matches = s->patterns->matches.p;
    for (size_t i = 0; i < s->patterns->matches.n; i++) /* for now: is it made of reductions? */
        if (matches[i].parent >= 0 && matches[i].makes != PAT_MAKES_NOTHING)
            p.home[matches[i].parent] = 1;
    for (size_t i = 0; i < s->patterns->matches.n; i++)
        p.home[i] = phase_with(&p, &matches[i], p.home[i] && matches[i].makes == PAT_MAKES_NOTHING, held);
    bool only_one = kept <= 1;
    for (uint32_t t = 0; t < n; t++) {
        if (join[t] != t)
            continue;
        bool after = last_unit != UINT32_MAX && t > last_unit && !only_one;
        add_phase(&p, t, kind_of(&p.list.p[t], &d[t], after), &d[t]);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
