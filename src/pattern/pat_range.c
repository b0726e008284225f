/* Whether what a block says of several reductions holds of one set of elements. A term names its elements anew in each
 * loop (`x[i]`, `x[k]`): they are the same where each loop brings the same addresses turn by turn and ends by the same
 * condition. Addresses are compared as functions of the turn, at numbers; the numbers of what is not known are drawn
 * from its node. And whether an accumulator starts from the element that its loop begins with.
 *
 * requires: loops with counters (graph_cycle.h), a term that has matched · gives: yes, or not shown */
#include "pattern/pat_match.h"

#include "base/map.h"
#include "pattern/pat_collect.h"

#include <string.h>

enum { DEPTH = 40, STEPS = 2000, TURNS = 3 };

/* ---- values as numbers ----------------------------------------------------------------------- */

struct turn {
    const struct graph *g;
    const struct graph_cycle *entry; /* its carried values are what they are when the loop is entered */
    bool second;                     /* … or when its first turn is over */
    graph_id counter;                /* GRAPH_NIL: none */
    uint64_t at;
    unsigned steps;
    bool failed;
};

static uint64_t mixed(uint64_t a, uint64_t b)
{
    return map_hash_mix(a * UINT64_C(0x9e3779b97f4a7c15) + 1, b);
}

/* Numbers modulo 2^64; a width changes nothing, as no sum here is meant to wrap. */
static uint64_t value_of(struct turn *t, graph_id id, unsigned depth)
{
    if (id == t->counter)
        return t->at;
    if (id == GRAPH_NIL)
        return 0;
    const struct graph_node *n = graph_at(t->g, id);
    if (depth > DEPTH || ++t->steps > STEPS) {
        t->failed = true;
        return 0;
    }
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    switch (n->kind) {
    case UOP_CONST:
        return bits == 0 || bits >= 64 ? n->imm : (uint64_t)((int64_t)(n->imm << (64 - bits)) >> (64 - bits));
    case UOP_ADD: return value_of(t, n->arg[0], depth + 1) + value_of(t, n->arg[1], depth + 1);
    case UOP_MUL: return value_of(t, n->arg[0], depth + 1) * value_of(t, n->arg[1], depth + 1);
    case UOP_NEG: return 0 - value_of(t, n->arg[0], depth + 1);
    case UOP_SEXT:
    case UOP_ZEXT:
        if (n->imm == 32)
            return value_of(t, n->arg[0], depth + 1);
        break;
    case UOP_UNIFORM: return value_of(t, n->arg[0], depth + 1);
    case UOP_LOAD: return mixed(mixed(n->kind, n->width), value_of(t, n->arg[0], depth + 1));
    default: break;
    }
    for (size_t i = 0; t->entry && n->kind == GRAPH_PHI && i < t->entry->carried.n; i++) {
        const struct graph_carried *c = &t->entry->carried.p[i];
        if (c->phi != id || n->phi_count != 2 || (n->phi_args[0] != c->next && n->phi_args[1] != c->next))
            continue;
        if (!t->second)
            return value_of(t, n->phi_args[n->phi_args[0] == c->next], depth + 1);
        t->second = false;
        uint64_t next = value_of(t, c->next, depth + 1);
        t->second = true;
        return next;
    }
    if (!pat_is_pure(n)) /* a positive number, so that what is further on is more */
        return mixed(0x6c656166, id) >> (bits == 64 ? 20 : 34);
    uint64_t hash = mixed(mixed(n->kind, n->type), n->imm);
    for (unsigned i = 0; i < n->arg_count; i++)
        hash = mixed(hash, value_of(t, n->arg[i], depth + 1));
    return hash;
}

/* What the counter is in the first turns. */
static bool counts(struct graph *g, const struct graph_cycle *y, uint64_t at[TURNS])
{
    struct turn t = {.g = g};
    if (y->counter == GRAPH_NIL || y->start == GRAPH_NIL || y->next == GRAPH_NIL || y->irreducible)
        return false;
    at[0] = value_of(&t, y->start, 0);
    t.counter = y->counter;
    for (unsigned i = 1; i < TURNS; i++) {
        t.at = at[i - 1];
        at[i] = value_of(&t, y->next, 0);
    }
    return !t.failed;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

struct range {
    uint64_t address[TURNS]; /* of the first turns; only [0] where there is no loop */
    uint64_t end;            /* how many turns, or the condition that ends them */
    bool by_count, loop;
};

static graph_id part_of(const struct graph_cycles *y, graph_id id)
{
    return id < y->copy_count && y->copy_of[id] != GRAPH_NIL ? y->copy_of[id] : id;
}

/* Without a counter that all pieces share: the copies of an element in the first piece, when that is entered, are at
 * the first addresses, one step apart. *first: the lowest one's. */
static bool range_of_copies(const struct graph *g, graph_id load, const struct graph_cycle *y, struct range *out,
                            graph_id *first)
{
    enum { COPIES = 64 };
    const struct graph_cycles *cycles = g->cycles;
    uint64_t at[COPIES];
    unsigned n = 0;
    if (y->count == GRAPH_NIL || !cycles->copy_of || !y->pieces.n || y->pieces.p[0].straight)
        return false;
    const struct graph_piece *p = &y->pieces.p[0];
    for (uint32_t i = p->first; i <= p->last && i < g->insns.n; i++)
        for (uint32_t x = 0; x < g->insns.p[i].access_count; x++) {
            const struct graph_access *a = &g->accesses.p[g->insns.p[i].first_access + x];
            struct turn t = {.g = g, .entry = y};
            if (a->kind != GRAPH_LOAD || part_of(cycles, a->result) != part_of(cycles, load))
                continue;
            if (n == COPIES)
                return false;
            uint64_t v = value_of(&t, a->address, 0);
            unsigned k = n++;
            *first = k && (int64_t)(at[0] - v) <= 0 ? *first : a->address;
            for (; k && (int64_t)(at[k - 1] - v) > 0; k--)
                at[k] = at[k - 1];
            at[k] = v;
            if (t.failed)
                return false;
        }
    if (n < TURNS || n != p->unroll)
        return false;
    for (unsigned k = 2; k < n; k++)
        if (at[k] - at[k - 1] != at[1] - at[0])
            return false;
    memcpy(out->address, at, sizeof out->address);
    out->by_count = true;
    struct turn t = {.g = g};
    out->end = value_of(&t, y->count, 0);
    return !t.failed;
}

static bool range_of(struct graph *g, graph_id load, graph_id address, uint32_t cycle, struct range *out)
{
    const struct graph_cycles *cycles = g->cycles;
    struct turn t = {.g = g};
    memset(out, 0, sizeof *out);
    if (!cycle) {
        out->address[0] = value_of(&t, address, 0);
        return !t.failed;
    }
    const struct graph_cycle *y = &cycles->cycles.p[cycle - 1];
    uint64_t at[TURNS];
    graph_id turned = graph_as_turn(g, address), first = GRAPH_NIL;
    out->loop = true;
    /* Which copy stands for all is not said to be the first. */
    if (load != GRAPH_NIL && range_of_copies(g, load, y, out, &first))
        return true;
    if (!counts(g, y, at) || (y->count == GRAPH_NIL && y->until == GRAPH_NIL))
        return false;
    t.counter = y->counter;
    for (unsigned i = 0; i < TURNS; i++) {
        t.at = at[i];
        out->address[i] = value_of(&t, turned, 0);
    }
    out->by_count = y->count != GRAPH_NIL;
    t.at = at[TURNS - 1];
    out->end = value_of(&t, out->by_count ? y->count : y->until, 0);
    return !t.failed;
}

/* The node that stands for an element in the loop's step: copies of an unrolled body are at other distances. */
static graph_id address_of(const struct graph *g, graph_id load)
{
    const struct graph_cycles *y = g->cycles;
    if (y && y->copy_of && load < y->copy_count && y->copy_of[load] != GRAPH_NIL)
        load = y->copy_of[load];
    return graph_at(g, load)->arg[0];
}

static bool same_range(struct graph *g, const struct pat_spot *a, const struct pat_spot *b)
{
    struct range x, y;
    if (a->begun != b->begun)
        return false;
    if (a->load == b->load && a->cycle == b->cycle)
        return true;
    graph_id at[2] = {address_of(g, a->load), address_of(g, b->load)};
    if (a->cycle == b->cycle) { /* turn by turn */
        struct turn t = {.g = g}, u = {.g = g};
        return value_of(&t, graph_as_turn(g, at[0]), 0) == value_of(&u, graph_as_turn(g, at[1]), 0) && !t.failed &&
               !u.failed;
    }
    return range_of(g, a->load, at[0], a->cycle, &x) && range_of(g, b->load, at[1], b->cycle, &y) && x.loop == y.loop &&
           x.by_count == y.by_count && x.end == y.end && memcmp(x.address, y.address, sizeof x.address) == 0;
}

/* The same where only walking the loops shows it: elements a warp or block apart, pieces that no count joins. */
static struct pat_touched touched_by(const struct pat_ctx *c, const struct pat_spot *s)
{
    const struct pat_begun *before = s->begun ? &c->collect->begun.p[s->begun - 1] : NULL;
    return (struct pat_touched){s->cycle - 1, s->load, s->begun, before};
}

static bool walks_alike(struct pat_ctx *c, const struct pat_spot *a, const struct pat_spot *b, bool among)
{
    bool same = a->cycle && b->cycle && a->cycle != b->cycle && c->collect && c->collect->play;
    if (same) {
        struct pat_touched x = touched_by(c, a), y = touched_by(c, b);
        same = pat_play_same_elements(c->collect->play, &x, &y, among);
    }
    c->walked |= same;
    return same;
}

/* An element that is read without a loop, of those that one of a known number of turns brings. */
static bool is_among(struct pat_ctx *c, const struct pat_spot *one, const struct pat_spot *all)
{
    struct graph *g = c->g;
    struct range x, y;
    uint64_t turns;
    if (same_range(g, one, all) || walks_alike(c, all, one, true))
        return true;
    if (one->cycle || !all->cycle || !range_of(g, one->load, graph_at(g, one->load)->arg[0], 0, &x) ||
        !range_of(g, all->load, address_of(g, all->load), all->cycle, &y) || !y.by_count ||
        !graph_is_const(g, g->cycles->cycles.p[all->cycle - 1].count, &turns))
        return false;
    uint64_t by = y.address[1] - y.address[0], way = x.address[0] - y.address[0];
    return by && way % by == 0 && way / by < turns;
}

/* What the matched value goes into, through operations and choices, but for choices that are for it where `when` holds.
 * False: too much. */
static bool find_shown(struct pat_ctx *c, graph_id when, struct map_u64 *shown)
{
    enum { VALUES = 256, USERS = 64 };
    struct graph *g = c->g;
    graph_id list[VALUES];
    unsigned n = 0;
    list[n++] = c->root;
    map_u64_put(c->a, shown, c->root, 1);
    for (unsigned i = 0; i < n; i++) {
        uint32_t users;
        const graph_id *user = list[i] < c->x->count ? graph_users(g, list[i], &users) : NULL;
        for (uint32_t u = 0; user && u < users; u++) {
            const struct graph_node o = *graph_at(g, user[u]);
            bool chosen = o.kind == UOP_SELECT && o.arg[0] != list[i] && (o.arg[1] == list[i]) != (o.arg[2] == list[i]);
            if (map_u64_get(shown, user[u], NULL) ||
                (o.kind == GRAPH_PHI ? graph_is_loop_phi(g, user[u]) : !pat_is_pure(&o)))
                continue;
            if (chosen && graph_implies(g, o.arg[1] == list[i] ? o.arg[0] : graph_not(g, o.arg[0]), when))
                continue;
            if (n == VALUES || u >= USERS)
                return false;
            map_u64_put(c->a, shown, user[u], 1);
            list[n++] = user[u];
        }
    }
    return true;
}

/* The conditions under which elements took part hold where the result is stored, or chosen for what is stored. */
static bool takes_part(struct pat_ctx *c)
{
    struct graph *g = c->g;
    for (size_t i = 0; i < c->present.n; i++) {
        const struct pat_present *p = &c->present.p[i];
        struct map_u64 shown = {0};
        bool sought = false;
        for (size_t k = 0; k < g->accesses.n; k++) {
            const struct graph_access s = g->accesses.p[k];
            if (s.kind != GRAPH_STORE || s.space == UOP_SHARED)
                continue;
            if (p->cycle && p->cycle != g->cycles->cycle_of[g->insns.p[s.insn].block])
                continue; /* of a turn of another loop: the ranges say it */
            if (s.runs_when != GRAPH_NIL && graph_implies(g, s.runs_when, p->when))
                continue;
            if (!sought && !find_shown(c, p->when, &shown))
                return false;
            sought = true;
            for (int w = 0; w < 4; w++)
                if (s.value[w] != GRAPH_NIL && map_u64_get(&shown, s.value[w], NULL))
                    return false;
        }
    }
    return true;
}

/* Two loops of one thread that gather make as many turns. */
static bool as_many_turns(struct graph *g, uint32_t a, uint32_t b)
{
    struct range x, y;
    if (!a || !b || a == b)
        return true;
    graph_id n = g->cycles->cycles.p[a - 1].count, m = g->cycles->cycles.p[b - 1].count;
    struct turn t = {.g = g}, u = {.g = g};
    if (n != GRAPH_NIL && m != GRAPH_NIL)
        return value_of(&t, n, 0) == value_of(&u, m, 0) && !t.failed && !u.failed;
    return range_of(g, GRAPH_NIL, graph_true(g), a, &x) && range_of(g, GRAPH_NIL, graph_true(g), b, &y) &&
           x.by_count == y.by_count && x.end == y.end;
}

/* What two loops gather are as many elements: those that the term names in them are the same. */
static bool gather_alike(struct pat_ctx *c, uint32_t a, uint32_t b)
{
    if (as_many_turns(c->g, a, b))
        return true;
    const struct pat_spot *spot[2] = {NULL, NULL};
    for (size_t i = 0; i < c->spots.n; i++)
        for (int side = 0; side < 2; side++)
            if (c->spots.p[i].reduced && c->spots.p[i].cycle == (side ? b : a))
                spot[side] = &c->spots.p[i];
    return spot[0] && spot[1] && walks_alike(c, spot[0], spot[1], false);
}

/* ---- functions of elements ------------------------------------------------------------------- */

enum { LOADS = 4 };
struct pairing {
    struct pat_ctx *c;
    const struct pat_spot *spot[2];
    unsigned left, loads;
    graph_id load[LOADS][2];
    bool same[LOADS]; /* turn by turn */
};

static bool spot_agrees(struct pat_ctx *c, const struct pat_spot *a, const struct pat_spot *b)
{
    if (a->reduced && b->reduced)
        return same_range(c->g, a, b) || walks_alike(c, a, b, false);
    return is_among(c, a->reduced ? b : a, a->reduced ? a : b);
}

static struct pat_spot spot_of(const struct pairing *p, unsigned side, unsigned load)
{
    struct pat_spot s = *p->spot[side];
    s.load = p->load[load][side];
    return s;
}

/* What an expansion computes; else the node. */
static graph_id meant_by(const struct pat_ctx *c, graph_id id)
{
    const struct pat_reading *r = pat_reading_of(c->x, id);
    return r && r->closed ? r->as : id;
}

/* Two values are made alike, of elements in the same places and of what does not change. */
static bool made_alike(struct pairing *p, graph_id a, graph_id b, unsigned depth)
{
    enum { UNTOLD = UOP_FTZ | UOP_SWAPPED };
    const struct graph *g = p->c->g;
    if (depth > DEPTH || !p->left)
        return false;
    p->left--;
    a = meant_by(p->c, a);
    b = meant_by(p->c, b);
    const struct graph_node n = *graph_at(g, a), o = *graph_at(g, b);
    if (n.kind != o.kind || n.type != o.type || n.arg_count != o.arg_count || n.width != o.width)
        return false;
    if (n.kind == UOP_LOAD) {
        if (p->loads == LOADS || n.space != o.space)
            return false;
        unsigned k = p->loads++;
        p->load[k][0] = a;
        p->load[k][1] = b;
        struct pat_spot one = spot_of(p, 0, k), two = spot_of(p, 1, k);
        p->same[k] = same_range(p->c->g, &one, &two);
        return true;
    }
    if (!n.arg_count)
        return a == b;
    if (n.imm != o.imm || n.round != o.round || ((n.flags ^ o.flags) & ~UNTOLD))
        return false;
    bool turns = n.kind == UOP_FADD || n.kind == UOP_FMUL || n.kind == UOP_FFMA || n.kind == UOP_FMIN ||
                 n.kind == UOP_FMAX || n.kind == UOP_ADD || n.kind == UOP_MUL;
    struct pairing before = *p, first;
    bool found = false;
    for (unsigned turn = 0; turn <= turns; turn++) {
        unsigned left = p->left;
        bool all = true;
        *p = before;
        p->left = left;
        for (unsigned i = 0; i < n.arg_count && all; i++)
            all = made_alike(p, n.arg[i], o.arg[turn && i < 2 ? 1 - i : i], depth + 1);
        if (all && (p->loads == before.loads || p->same[before.loads])) /* as it can be at best */
            return true;
        if (all && !found)
            first = *p;
        found |= all;
    }
    if (found)
        *p = first;
    return found;
}

/* Of one element the set is enough; of several, those of a turn belong together. */
static bool function_agrees(struct pat_ctx *c, const struct pat_spot *a, const struct pat_spot *b)
{
    struct pairing p = {.c = c, .spot = {a, b}, .left = 400};
    bool all = true;
    unsigned base = 0;
    if (!made_alike(&p, a->whole, b->whole, 0) || !p.loads)
        return false;
    for (unsigned i = 0; i < p.loads; i++) {
        base = all && !p.same[i] ? i : base;
        all &= p.same[i];
    }
    if (all)
        return true;
    bool walked = c->walked, turned = a->reduced && !b->reduced; /* the one that is reduced has all */
    bool among = !(a->reduced && b->reduced);
    unsigned one = turned || !among ? 0 : 1;
    struct pat_spot s[2] = {spot_of(&p, one, base), spot_of(&p, 1 - one, base)};
    bool good = walks_alike(c, &s[0], &s[1], among);
    for (unsigned i = 0; i < p.loads && good; i++) {
        if (i == base || (p.same[i] && p.load[i][0] == p.load[i][1]))
            continue;
        if (a->begun || b->begun) /* elements from before a loop have no partner in it */
            return false;
        struct pat_paired x = {s[0].cycle - 1, s[0].whole, s[0].load, p.load[i][one]};
        struct pat_paired y = {s[1].cycle - 1, s[1].whole, s[1].load, p.load[i][1 - one]};
        good = pat_play_same_pairs(c->collect->play, &x, &y, among);
    }
    c->walked = good || walked;
    return good;
}

bool pat_spots_agree(struct pat_ctx *c, size_t from)
{
    for (size_t i = from; i < c->spots.n; i++)
        for (size_t k = i + 1; k < c->spots.n; k++) {
            const struct pat_spot *a = &c->spots.p[i], *b = &c->spots.p[k];
            if (a->param != b->param || (!a->reduced && !b->reduced))
                continue;
            if (!(a->whole != GRAPH_NIL ? function_agrees(c, a, b) : spot_agrees(c, a, b)))
                return false;
        }
    return true;
}

/* Reductions of as many threads and, of several elements a thread, of the same. */
static bool reach_alike(const struct pat_top *a, const struct pat_top *b)
{
    if (a->v->reach != b->v->reach || (a->v->reach == PAT_IN_WARP && a->v->width != b->v->width))
        return false;
    return a->count == b->count && (a->count == 1 || a->v->op != b->v->op || a->v == b->v);
}

bool pat_ranges_agree(struct pat_ctx *c)
{
    for (size_t i = 0; i < c->gathered.n; i++)
        for (size_t k = i + 1; k < c->gathered.n; k++)
            if (!gather_alike(c, c->gathered.p[i]->cycle, c->gathered.p[k]->cycle))
                return false;
    for (size_t i = 0; i < c->tops.n; i++)
        for (size_t k = i + 1; k < c->tops.n; k++)
            if (!reach_alike(&c->tops.p[i], &c->tops.p[k]))
                return false;
    return pat_spots_agree(c, 0) && takes_part(c);
}

/* ---- where accumulators start ---------------------------------------------------------------- */

graph_id pat_only_load(const struct graph *g, graph_id id)
{
    enum { NODES = 32 };
    graph_id stack[NODES + 3], found = GRAPH_NIL;
    unsigned depth = 0, left = NODES;
    stack[depth++] = id;
    while (depth && left--) {
        graph_id at = stack[--depth];
        const struct graph_node *n = graph_at(g, at);
        if (n->kind == UOP_LOAD) {
            if (found != GRAPH_NIL && found != at)
                return GRAPH_NIL;
            found = at;
        } else if (pat_is_pure(n)) {
            if (depth + n->arg_count > NODES)
                return GRAPH_NIL;
            for (unsigned i = 0; i < n->arg_count; i++)
                stack[depth++] = n->arg[i];
        } else if (n->kind != UOP_CONST && n->kind != UOP_CBANK) {
            return GRAPH_NIL;
        }
    }
    return depth ? (graph_id)GRAPH_NIL : found;
}

/* `a` is of `x` what `b` is of `y`. */
static bool same_but_for(const struct graph *g, graph_id a, graph_id x, graph_id b, graph_id y, unsigned depth)
{
    enum { LEVELS = 6 };
    const struct graph_node *n = graph_at(g, a), *o = graph_at(g, b);
    if (a == x || b == y)
        return a == x && b == y;
    if (a == b && n->kind != UOP_LOAD)
        return pat_only_load(g, a) == GRAPH_NIL;
    if (depth > LEVELS || !pat_is_pure(n) || n->kind != o->kind || n->type != o->type || n->imm != o->imm ||
        n->arg_count != o->arg_count || n->round != o->round || (n->flags & ~UOP_SWAPPED) != (o->flags & ~UOP_SWAPPED))
        return false;
    bool turns = uop_commutes((enum uop_kind)n->kind), all = false;
    for (unsigned turn = 0; turn <= turns && !all; turn++) {
        all = true;
        for (unsigned i = 0; i < n->arg_count && all; i++)
            all = same_but_for(g, n->arg[i], x, o->arg[turn && i < 2 ? 1 - i : i], y, depth + 1);
    }
    return all;
}

/* The element that the loop begins with, or the one before it; the first only where twice is as good as once; or some
 * other one, of which nothing is known but that it is an element. */
enum pat_first pat_starts_first(struct graph *g, uint32_t cycle, enum pat_op op, graph_id start, graph_id input)
{
    const struct graph_cycle *y = &g->cycles->cycles.p[cycle];
    uint64_t at[TURNS];
    struct range copies;
    if (input == GRAPH_NIL || start == GRAPH_NIL)
        return PAT_STARTS_OTHERWISE;
    /* The same function of an element each. */
    graph_id one = pat_only_load(g, start), element = pat_only_load(g, input);
    if (one == GRAPH_NIL || element == GRAPH_NIL || graph_at(g, one)->width != graph_at(g, element)->width ||
        !same_but_for(g, start, one, input, element, 0))
        return PAT_STARTS_OTHERWISE;
    struct turn first = {.g = g};
    uint64_t is = value_of(&first, graph_at(g, one)->arg[0], 0);
    if (first.failed)
        return PAT_STARTS_SOMEWHERE;
    if (counts(g, y, at)) {
        struct turn turn = {.g = g, .counter = y->counter, .at = at[0]};
        graph_id address = graph_as_turn(g, graph_at(g, element)->arg[0]);
        if (pat_op_again(op) && value_of(&turn, address, 0) == is && !turn.failed)
            return PAT_STARTS_AGAIN;
        turn.at = at[0] - (at[1] - at[0]);
        if (value_of(&turn, address, 0) == is && !turn.failed)
            return PAT_STARTS_BEFORE;
    }
    /* By a pointer that goes on on its own, the copies of a turn show where it begins and by how much it goes on. */
    graph_id lowest = GRAPH_NIL;
    memset(&copies, 0, sizeof copies);
    if (!range_of_copies(g, element, y, &copies, &lowest))
        return PAT_STARTS_SOMEWHERE;
    struct turn second = {.g = g, .entry = y, .second = true};
    uint64_t by = copies.address[1] - copies.address[0];
    if (value_of(&second, lowest, 0) - copies.address[0] != y->pieces.p[0].unroll * by || second.failed)
        return PAT_STARTS_SOMEWHERE; /* it goes down */
    if (pat_op_again(op) && copies.address[0] == is)
        return PAT_STARTS_AGAIN;
    return copies.address[0] - by == is ? PAT_STARTS_BEFORE : PAT_STARTS_SOMEWHERE;
}
