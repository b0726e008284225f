/* Branches that may be a library's: functions of floats go another way for infinities, NaN, zero, numbers that are too
 * small to be normal, and come back. Such a branch parts lanes, but nothing shows that it is the kernel's own (D13), so
 * nothing is said of it: its ways have no effect and meet again, and it asks of a number whether it is special; or it
 * asks the same numbers for something else, right round such a question or within its ways; or its ways compute with
 * constants that nobody writes by hand, as the approximations of libraries do, and touch no memory.
 *
 * Routines that are called and may be a library's are told by the same signs: they touch no memory but their own, and
 * ask whether numbers are special, divide integers, or have such constants.
 *
 * Requires the graph; gives a mark by block, by call. Linear, but for
 * the questions near each other, which are bounded. */
#include "pattern/pat_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED = 6, SPECIALS = 256, STEPS = 4 * 1000 * 1000 };

static const struct uop_list *uops_of(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    return input < g->input.count ? g->input.insns[input].uops : NULL;
}

struct question {
    graph_id of[ASKED]; /* numbers compared with constants */
    unsigned count;
    uint32_t block, first, last; /* instances between the branch and where its ways meet */
    bool special;
};

/* The number whose bits, size or words a value is. */
static graph_id number_of(const struct graph *g, graph_id id)
{
    for (unsigned depth = 0; depth < 8; depth++) {
        const struct graph_node *n = graph_at(g, id);
        bool through = n->kind == UOP_FABS || n->kind == UOP_FNEG || n->kind == UOP_HI || n->kind == UOP_LO ||
                       n->kind == UOP_UNIFORM ||
                       ((n->kind == UOP_AND || n->kind == UOP_MUL || n->kind == UOP_ADD) && n->arg_count == 2 &&
                        graph_is_const(g, n->arg[1], NULL));
        if (n->kind == UOP_SELECT && n->arg_count == 3) { /* a number, or what is left of it where it is too small */
            const struct graph_node *then = graph_at(g, n->arg[1]), *other = graph_at(g, n->arg[2]);
            bool small = then->kind == UOP_AND && then->arg[0] == n->arg[2];
            if (!small && !(other->kind == UOP_AND && other->arg[0] == n->arg[1]))
                return id;
            id = n->arg[small ? 2 : 1];
            continue;
        }
        if (!through)
            return id;
        id = n->arg[0];
    }
    return id;
}

/* Infinity, the largest number below it, the smallest normal one, as floats or as the high words of doubles. */
static bool is_extreme(uint64_t bits)
{
    uint32_t w = (uint32_t)bits & 0x7fffffff, high = (uint32_t)(bits >> 32) & 0x7fffffff;
    return w == 0x7f800000 || w == 0x7f7fffff || w == 0x00800000 || w == 0x7fefffff || w == 0x7ff00000 ||
           (!w && (high == 0x7ff00000 || high == 0x7f800000));
}

static bool add_number(const struct graph *g, graph_id id, struct question *q)
{
    id = number_of(g, id);
    const struct graph_node *n = graph_at(g, id);
    bool several = n->kind == UOP_OR || n->kind == UOP_LOP3; /* are all of them zero? */
    for (unsigned i = 0; i < (several ? n->arg_count : 1u); i++) {
        if (several && graph_is_const(g, n->arg[i], NULL))
            continue;
        if (q->count == ASKED)
            return false;
        q->of[q->count++] = several ? number_of(g, n->arg[i]) : id;
    }
    return true;
}

static bool ask(const struct graph *g, graph_id atom, struct question *q)
{
    const struct graph_node *n = graph_at(g, atom);
    uint64_t bits;
    if (graph_is_const(g, atom, NULL))
        return true;
    switch (n->kind) {
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U:
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM: break;
    default: return false;
    }
    bool second = graph_is_const(g, n->arg[1], &bits), both = n->arg[0] == n->arg[1];
    q->special |= n->kind == UOP_FNUM;                            /* neither is a NaN */
    if (!second && !both && !graph_is_const(g, n->arg[0], &bits)) /* two numbers compared */
        return add_number(g, n->arg[0], q) && add_number(g, n->arg[1], q);
    q->special |= both || is_extreme(bits); /* compared with itself: a NaN is not equal */
    return add_number(g, n->arg[second || both ? 0 : 1], q);
}

static bool is_near(const struct question *a, const struct question *b)
{
    return (a->first >= b->first && a->last <= b->last) || (b->first >= a->first && b->last <= a->last);
}

static bool asks_the_same(const struct question *q, const struct question *special, unsigned count)
{
    unsigned known = 0;
    for (unsigned i = 0; i < q->count; i++) {
        bool found = false;
        for (unsigned s = 0; s < count && !found; s++)
            for (unsigned k = 0; k < special[s].count && is_near(q, &special[s]); k++)
                found |= special[s].of[k] == q->of[i];
        known += found;
    }
    return q->count && known == q->count;
}

/* A constant with more digits than people give one. */
static bool is_long(const struct graph *g, graph_id id, bool wide)
{
    uint64_t bits;
    char text[40];
    if (!graph_is_const(g, id, &bits))
        return false;
    if (wide) {
        double d;
        memcpy(&d, &bits, sizeof d);
        snprintf(text, sizeof text, "%.12g", d);
        return strtod(text, NULL) != d && d == d;
    }
    uint32_t w = (uint32_t)bits;
    float f;
    memcpy(&f, &w, sizeof f);
    snprintf(text, sizeof text, "%.6g", (double)f);
    return strtof(text, NULL) != f && f == f;
}

/* Between a branch and where its ways meet, numbers are put together with long constants, and nothing is loaded. */
static bool approximates(const struct graph *g, uint32_t first, uint32_t last)
{
    enum { ENOUGH = 3 };
    unsigned steps = 0;
    for (uint32_t i = first + 1; i < last && i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        for (uint32_t k = 0; k < n->access_count; k++) {
            const struct graph_access *a = &g->accesses.p[n->first_access + k];
            if (a->space != UOP_LOCAL && !pat_is_of_table(g, a->address))
                return false;
        }
        bool step = false;
        if (graph_is_owned(g, i)) /* whose that is, is known */
            continue;
        for (uint32_t k = 0; k < n->def_count; k++) {
            const struct graph_def *d = &g->defs.p[n->first_def + k];
            const struct graph_node *node = graph_at(g, d->node);
            if ((node->kind == UOP_LO || node->kind == UOP_HI) && node->arg_count)
                node = graph_at(g, node->arg[0]);
            if (node->kind == UOP_FFMA)
                for (unsigned arg = 0; arg < node->arg_count; arg++)
                    step |= is_long(g, node->arg[arg], node->type == UOP_F64);
        }
        steps += step;
    }
    return steps >= ENOUGH;
}

/* ---- routines -------------------------------------------------------------------------------- */

static bool asks_special(const struct graph *g, graph_id id)
{
    graph_id atoms[ASKED];
    unsigned count = 0;
    uint64_t table;
    struct question q = {0};
    if (graph_at(g, id)->type != UOP_B1 || !graph_table((struct graph *)g, id, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++)
        ask(g, atoms[k], &q);
    return q.special;
}

/* A reciprocal of an integer: what divisions of integers begin with. */
static bool divides_integers(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return n->kind == UOP_RCP && n->arg_count && graph_at(g, n->arg[0])->kind == UOP_I2F;
}

/* Signs that an instance is of a library's code: what people do not write, or seldom. */
static unsigned signs_of(const struct graph *g, uint32_t insn)
{
    enum { SURE = 3 };
    const struct graph_insn *n = &g->insns.p[insn];
    unsigned signs = 0;
    for (uint32_t k = 0; k < n->def_count; k++) {
        graph_id id = g->defs.p[n->first_def + k].node;
        const struct graph_node *node = graph_at(g, id);
        if ((node->kind == UOP_LO || node->kind == UOP_HI) && node->arg_count)
            node = graph_at(g, node->arg[0]);
        bool wide = node->type == UOP_F64, polynomial = false;
        for (unsigned arg = 0; node->kind == UOP_FFMA && arg < node->arg_count; arg++)
            polynomial |= is_long(g, node->arg[arg], wide);
        signs += asks_special(g, id) || divides_integers(g, id) ? SURE : polynomial;
    }
    return signs;
}

/* Made of the address of the thread's own memory. */
static bool is_own_place(const struct graph *g, graph_id id, unsigned depth)
{
    enum { DEPTH = 8 };
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_CBANK && n->space == 0 && !n->arg_count && g->env)
        return (g->env->stack_offset && n->imm == g->env->stack_offset) ||
               (g->env->local_window && (n->imm & ~UINT64_C(7)) == g->env->local_window);
    bool found = false, through = n->kind == UOP_ADD || n->kind == UOP_ADDC || n->kind == UOP_ZEXT ||
                                  n->kind == UOP_SEXT || n->kind == UOP_LO || n->kind == UOP_HI || n->kind == UOP_PAIR;
    for (unsigned i = 0; i < n->arg_count && through && depth < DEPTH && !found; i++)
        found = is_own_place(g, n->arg[i], depth + 1);
    return found;
}

/* An instance puts numbers together, by itself and for no expansion; it does not hand on what it is given, nor say
 * where the thread's own memory is. */
static bool reckons(const struct graph *g, uint32_t insn)
{
    const struct graph_insn *n = &g->insns.p[insn];
    for (uint32_t u = 0; u < n->use_count && n->def_count == 1; u++)
        if (g->uses.p[n->first_use + u].node == g->defs.p[n->first_def].node)
            return false;
    for (uint32_t k = 0; k < n->def_count; k++) {
        const struct graph_node *node = graph_at(g, g->defs.p[n->first_def + k].node);
        if ((node->kind == UOP_LO || node->kind == UOP_HI) && node->arg_count)
            node = graph_at(g, node->arg[0]);
        bool known = false;
        for (unsigned i = 0; i < node->arg_count; i++)
            known |= graph_is_const(g, node->arg[i], NULL);
        switch (node->kind) {
        case UOP_FADD:
        case UOP_FMUL:
        case UOP_FFMA: return true;
        case UOP_ADD:
        case UOP_MUL:
            if (!known && !is_own_place(g, g->defs.p[n->first_def + k].node, 0))
                return true;
            break;
        default: break;
        }
    }
    return false;
}

/* By expansion: the call in whose callee it has most of its instances. Of a routine that is called twice the second
 * shares with the first what both compute of the same number; that is no sign that the second is known. */
static uint32_t *homes(struct arena *a, const struct graph *g)
{
    uint32_t count = g->expansions ? g->expansions->count : 0;
    uint32_t *home = ARENA_ARRAY(a, uint32_t, count + 1), *most = ARENA_ARRAY(a, uint32_t, count + 1);
    struct map_u64 seen = {0};
    for (uint32_t i = 0; i < g->insns.n && home && most && count; i++) {
        uint32_t path = g->insns.p[i].call_path, owner = g->expansions->owner[i], times = 0;
        uint64_t key = (uint64_t)owner << 32 | path;
        if (!path || !owner || owner > count)
            continue;
        map_u64_get(&seen, key, &times);
        map_u64_put(a, &seen, key, ++times);
        if (times > most[owner]) {
            most[owner] = times;
            home[owner] = path;
        }
    }
    return home && most ? home : NULL;
}

/* One of the calls is made within the other's callee, or they are the same. */
static bool are_nested(const struct graph *g, uint32_t one, uint32_t other)
{
    uint32_t low = one < other ? one : other, high = one < other ? other : one;
    while (high > low)
        high = g->calls.p[high - 1].caller_path < high ? g->calls.p[high - 1].caller_path : 0;
    return high == low;
}

bool *pat_routines(struct arena *a, const struct graph *g)
{
    enum { SURE = 3 };
    uint32_t count = (uint32_t)g->calls.n;
    bool *out = ARENA_ARRAY(a, bool, count + 1), *other = ARENA_ARRAY(a, bool, count + 1);
    uint32_t *signs = ARENA_ARRAY(a, uint32_t, count + 1);  /* in what no expansion owns */
    uint32_t *within = ARENA_ARRAY(a, uint32_t, count + 1); /* in what one does */
    bool *more = ARENA_ARRAY(a, bool, count + 1);           /* the callee does something beside it */
    bool *own = ARENA_ARRAY(a, bool, count + 1);            /* … and that is what it does */
    const uint32_t *home = homes(a, g);
    if (!out || !other || !signs || !within || !more || !own || !home)
        return NULL;
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        uint32_t path = n->call_path;
        if (!path || path > count || !n->reachable)
            continue;
        other[path] |= pat_has_effect(g, i);
        bool owned = graph_is_owned(g, i) && are_nested(g, home[g->expansions->owner[i]], path); /* it is known whose */
        for (uint32_t k = 0; k < n->access_count; k++) {
            const struct graph_access *access = &g->accesses.p[n->first_access + k];
            if (access->space == UOP_LOCAL)
                continue;
            bool table = pat_is_of_table(g, access->address);
            other[path] |= !table;
            *(owned ? &within[path] : &signs[path]) += table ? SURE : 0;
        }
        more[path] |= !owned && reckons(g, i);
        own[path] |= owned && reckons(g, i);
        if (!other[path])
            *(owned ? &within[path] : &signs[path]) += signs_of(g, i);
    }
    for (uint32_t i = count; i-- > 0;) { /* what a callee calls comes behind it */
        uint32_t caller = g->calls.p[i].caller_path;
        other[i + 1] |= !g->calls.p[i].resolved;
        out[i] = !other[i + 1] && (signs[i + 1] >= SURE || ((within[i + 1] >= SURE || own[i + 1]) && !more[i + 1]));
        if (caller && caller <= i + 1) {
            other[caller] |= other[i + 1];
            signs[caller] += signs[i + 1];
            within[caller] += within[i + 1];
            more[caller] |= more[i + 1];
            own[caller] |= own[i + 1];
        }
    }
    return out;
}

/* An instance does one thing that the language has a function for: an atomic update, the smaller of two numbers, what
 * another lane has. */
static bool does_one_thing(const struct graph *g, uint32_t insn)
{
    const struct graph_insn *n = &g->insns.p[insn];
    for (uint32_t k = 0; k < n->access_count; k++)
        if (g->accesses.p[n->first_access + k].kind == GRAPH_ATOMIC)
            return true;
    const struct uop_list *l = uops_of(g, insn);
    for (size_t i = 0; l && i < l->ops.n; i++)
        switch (l->ops.p[i].kind) {
        case UOP_FMIN:
        case UOP_FMAX:
        case UOP_MIN_S:
        case UOP_MAX_S:
        case UOP_MIN_U:
        case UOP_MAX_U:
        case UOP_SHFL:
        case UOP_VOTE:
        case UOP_FROUND:
        case UOP_BALLOT: return true;
        default: break;
        }
    return false;
}

/* All it makes is a number's size: as an operation of its own that is a sum with nothing. */
static bool makes_size(const struct graph *g, uint32_t insn)
{
    const struct graph_insn *n = &g->insns.p[insn];
    const struct uop_list *l = uops_of(g, insn);
    bool made = false;
    for (size_t i = 0; l && i < l->ops.n; i++)
        made |= l->ops.p[i].kind == UOP_FABS;
    return made && n->def_count == 1 && !n->access_count && graph_at(g, g->defs.p[n->first_def].node)->kind == UOP_FABS;
}

bool *pat_single_things(struct arena *a, const struct graph *g)
{
    uint32_t count = (uint32_t)g->calls.n;
    bool *out = ARENA_ARRAY(a, bool, count + 1), *other = ARENA_ARRAY(a, bool, count + 1);
    uint32_t *things = ARENA_ARRAY(a, uint32_t, count + 1);
    if (!out || !other || !things)
        return NULL;
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        uint32_t path = n->call_path;
        if (!path || path > count || !n->reachable)
            continue;
        bool size = makes_size(g, i), one = size || does_one_thing(g, i);
        things[path] += one;
        other[path] |= (!size && reckons(g, i)) || (!one && pat_has_effect(g, i));
        for (uint32_t k = 0; k < n->access_count && !one; k++)
            other[path] |= g->accesses.p[n->first_access + k].space != UOP_LOCAL;
    }
    for (uint32_t i = count; i-- > 0;) { /* what a callee calls comes behind it */
        uint32_t caller = g->calls.p[i].caller_path;
        other[i + 1] |= !g->calls.p[i].resolved;
        out[i] = !other[i + 1] && things[i + 1] == 1;
        if (caller && caller <= i + 1) {
            other[caller] |= other[i + 1];
            things[caller] += things[i + 1];
        }
    }
    return out;
}

/* The number itself, or one that it is made of. */
static bool is_made_of(const struct graph *g, graph_id id, graph_id number)
{
    const struct graph_node *n = graph_at(g, id);
    bool found = id == number;
    for (unsigned i = 0; i < n->arg_count && n->kind != UOP_LOAD && !found; i++)
        found = !graph_is_const(g, n->arg[i], NULL) && number_of(g, n->arg[i]) == number;
    return found;
}

/* Between a branch and where its ways meet a routine is called that is given a number that the branch asks for. */
static bool calls_routine(const struct graph *g, const struct question *q, const bool *routines, uint64_t *steps)
{
    bool given = false;
    for (size_t c = 0; c < g->calls.n && !given; c++) {
        uint32_t call = g->calls.p[c].insn;
        if (!routines[c] || graph_is_owned(g, call) || call <= q->first || call >= q->last || *steps < g->insns.n)
            continue;
        *steps -= g->insns.n;
        for (uint32_t i = 0; i < g->insns.n && !given; i++) {
            const struct graph_insn *n = &g->insns.p[i];
            for (uint32_t u = n->first_use; n->call_path == c + 1 && u < n->first_use + n->use_count; u++)
                for (unsigned k = 0; k < q->count; k++)
                    given |= is_made_of(g, q->of[k], number_of(g, g->uses.p[u].node));
        }
    }
    return given;
}

bool pat_mark_special(struct arena *a, const struct graph *g, bool *marks)
{
    struct pat_branches b;
    struct question *special = ARENA_ARRAY(a, struct question, SPECIALS);
    VEC(struct question) others = {0};
    unsigned count = 0;
    uint64_t steps = STEPS; /* left */
    const bool *routines = pat_routines(a, g);
    if (!special || !routines || !pat_branches_init(&b, a, g))
        return false;
    for (uint32_t i = 0; i < g->blocks.n; i++) {
        const struct graph_block *d = &g->blocks.p[i];
        struct question q = {.block = i};
        graph_id atoms[6];
        unsigned atom_count = 0;
        uint64_t table;
        uint32_t join;
        if (!d->reachable || d->branch == GRAPH_NIL || d->succ_count != 2 ||
            !graph_table(g, d->branch, atoms, &atom_count, &table))
            continue;
        bool all = atom_count > 0;
        for (unsigned k = 0; k < atom_count && all; k++)
            all = ask(g, atoms[k], &q);
        if (!all || !pat_ways_meet(&b, g, i, &join))
            continue;
        q.first = d->last;
        q.last = g->blocks.p[join].first;
        if (!q.special)
            VEC_PUSH(a, others, q);
        else if (count < SPECIALS)
            special[count++] = q;
        marks[i] = q.special;
    }
    /* Asked without a branch: selects and guards do as much. */
    for (size_t i = 0; i < g->defs.n && others.n && count < SPECIALS; i++) {
        const struct graph_def *d = &g->defs.p[i];
        struct question q = {.first = d->insn, .last = d->insn};
        graph_id atoms[6];
        unsigned atom_count = 0;
        uint64_t table;
        if (graph_at(g, d->node)->type != UOP_B1 || !g->insns.p[d->insn].reachable ||
            !graph_table(g, d->node, atoms, &atom_count, &table) || atom_count != 1 || !ask(g, atoms[0], &q))
            continue;
        if (q.special)
            special[count++] = q;
    }
    for (size_t i = 0; i < others.n; i++)
        marks[others.p[i].block] = (count && asks_the_same(&others.p[i], special, count)) ||
                                   approximates(g, others.p[i].first, others.p[i].last) ||
                                   calls_routine(g, &others.p[i], routines, &steps);
    return !arena_failed(a);
}
