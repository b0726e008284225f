/* Finds the steps in which a thread combines its own value with that of another: stores to shared memory of op(own,
 * other), other loaded from another element; and op(v, shuffle of v) between the lanes of a warp. What the steps add
 * up to is for pat_collect_step.c. Requires the index; linear in accesses and nodes. */
#include "pattern/pat_collect.h"

#include <stdlib.h>

/* A load from shared memory, or one element of a wide one: its access, and how far behind the address it lies. */
uint32_t pat_shared_load(const struct pat_index *x, graph_id node, int64_t *bytes)
{
    uint32_t at;
    const struct graph_node *n = graph_at(x->g, node);
    *bytes = 0;
    if (n->kind == UOP_LO || n->kind == UOP_HI || n->kind == UOP_ELEMENT) {
        unsigned size = uop_type_bits((enum uop_type)n->type) / 8;
        *bytes = n->kind == UOP_ELEMENT ? 4 * (int64_t)n->imm : n->kind == UOP_HI ? size : 0;
        node = n->arg[0];
        n = graph_at(x->g, node);
        if (n->kind == UOP_ELEMENT) { /* half of a word pair */
            *bytes += 4 * (int64_t)n->imm;
            node = n->arg[0];
            n = graph_at(x->g, node);
        }
    }
    return n->kind == UOP_LOAD && n->space == UOP_SHARED && map_u64_get(&x->first_load, node, &at) ? at : UINT32_MAX;
}

bool pat_same_place(const struct graph *g, graph_id a, int64_t a_bytes, graph_id b)
{
    struct graph_affine f, h;
    if (a == b)
        return a_bytes == 0;
    if (!graph_affine(g, a, &f) || !graph_affine(g, b, &h) || f.base != h.base || f.term_count != h.term_count ||
        f.offset + a_bytes != h.offset)
        return false;
    for (unsigned i = 0; i < f.term_count; i++)
        if (f.terms[i].term != h.terms[i].term || f.terms[i].coefficient != h.terms[i].coefficient)
            return false;
    return true;
}

/* Innermost loop that holds an instance, + 1. */
static uint32_t loop_of(const struct graph *g, uint32_t insn)
{
    return g->blocks.p[g->insns.p[insn].block].loop;
}

/* True when a node is computed from a phi at the head of `loop` (+ 1). */
static bool reaches_phi(const struct graph *g, graph_id id, uint32_t loop, unsigned depth, unsigned *left)
{
    const struct graph_node *n = graph_at(g, id);
    if (!loop || depth > 24 || !*left)
        return false;
    --*left;
    if (n->kind == GRAPH_PHI)
        return n->block == g->loops.p[loop - 1].header;
    for (unsigned i = 0; i < n->arg_count && pat_is_pure(n); i++)
        if (reaches_phi(g, n->arg[i], loop, depth + 1, left))
            return true;
    return false;
}

static bool from_phi_of(const struct graph *g, graph_id id, uint32_t loop)
{
    unsigned left = 1024;
    return reaches_phi(g, id, loop, 0, &left);
}

/* Leaves of a sum of integers, at most `most`. */
static unsigned leaves_of(const struct graph *g, graph_id node, graph_id *out, unsigned most)
{
    graph_id stack[16];
    unsigned depth = 0, count = 0;
    stack[depth++] = node;
    while (depth) {
        graph_id id = stack[--depth];
        const struct graph_node *n = graph_at(g, id);
        if (n->kind == UOP_ADD && depth + 2 <= 16) {
            stack[depth++] = n->arg[1];
            stack[depth++] = n->arg[0];
        } else if (count < most) {
            out[count++] = id;
        }
    }
    return count;
}

/* What an operation takes together: its two sides, the terms of an integer sum. 0: no operation. */
enum { SIDES = 12 };
static unsigned sides_of(const struct pat_collect *k, graph_id value, struct pat_binary *v, graph_id side[SIDES])
{
    if (!pat_binary_of(k->x, value, v))
        return 0;
    if (v->op == PAT_OP_ADD && graph_at(k->x->g, value)->kind == UOP_ADD)
        return leaves_of(k->x->g, value, side, SIDES);
    side[0] = v->a;
    side[1] = v->b;
    return 2;
}

/* Threads that take nothing in combine with what changes nothing: of `cond ? element : 0` the element, under `cond`. */
static graph_id without_neutral(struct pat_collect *k, const struct pat_binary *like, graph_id side, graph_id *when)
{
    struct graph *g = k->x->g;
    const struct graph_node n = *graph_at(g, side);
    for (unsigned arm = 1; arm <= 2 && n.kind == UOP_SELECT; arm++)
        if (pat_is_neutral(g, like, n.arg[3 - arm]) && !graph_is_const(g, n.arg[arm], NULL)) {
            graph_id holds = arm == 1 ? n.arg[0] : graph_not(g, n.arg[0]);
            *when = *when == GRAPH_NIL ? holds : graph_and(g, *when, holds);
            return n.arg[arm];
        }
    return side;
}

/* Bytes from one address to another that differ by a number only; 0: they do not. */
static int64_t moved_by(const struct graph *g, graph_id from, graph_id to)
{
    struct graph_affine f, h;
    if (!graph_affine(g, from, &f) || !graph_affine(g, to, &h) || f.base != h.base || f.term_count != h.term_count)
        return 0;
    for (unsigned i = 0; i < f.term_count; i++)
        if (f.terms[i].term != h.terms[i].term || f.terms[i].coefficient != h.terms[i].coefficient)
            return 0;
    return h.offset - f.offset;
}

/* A load of what the thread itself stored, from another place than it stores to now: of two buffers the other one. */
static bool is_moved(const struct pat_collect *k, uint32_t load, graph_id address)
{
    const struct graph_dependence *d = k->x->g->dependence;
    if (!d || !d->first_reach || d->first_reach[load] == d->first_reach[load + 1] ||
        loop_of(k->x->g, k->x->g->accesses.p[load].insn))
        return false;
    uint32_t own = 0,
             others = 0; /* the last of each kind: what the thread stored itself covers what was there before */
    for (uint32_t r = d->first_reach[load]; r < d->first_reach[load + 1]; r++) {
        const struct graph_reach *reach = &d->reaches.p[r];
        uint32_t at = k->x->g->accesses.p[reach->store].insn + 1;
        uint32_t *last = reach->own && !reach->may && !reach->element ? &own : &others;
        *last = at > *last ? at : *last;
    }
    if (others >= own)
        return false;
    return moved_by(k->x->g, k->x->g->accesses.p[load].address, address) != 0;
}

/* `value` read as op(own, a load of another element than `address`). */
static bool split_memory(struct pat_collect *k, graph_id value, graph_id address, struct pat_step *s)
{
    struct pat_binary v;
    graph_id side[SIDES];
    unsigned count = sides_of(k, value, &v, side);
    if (!count)
        return false;
    s->op = v.op;
    s->like = v;
    s->exact = v.exact;
    for (unsigned i = 0; i < count; i++) {
        int64_t bytes, own_bytes;
        graph_id when = s->when, taken = without_neutral(k, &v, side[i], &when);
        uint32_t other = pat_shared_load(k->x, taken, &bytes);
        if (other == UINT32_MAX || pat_same_place(k->x->g, k->x->g->accesses.p[other].address, bytes, address))
            continue;
        s->other_bytes = bytes;
        for (unsigned j = 0; j < count; j++) {
            uint32_t own = pat_shared_load(k->x, side[j], &own_bytes);
            bool there =
                own != UINT32_MAX && pat_same_place(k->x->g, k->x->g->accesses.p[own].address, own_bytes, address);
            bool moved = own != UINT32_MAX && !there && !own_bytes && j != i && is_moved(k, own, address);
            there |= moved;
            if (j == i || (own != UINT32_MAX && !there) || (count > 2 && own == UINT32_MAX) ||
                !pat_is_op(k->x, value, v.op, side[i], side[j]))
                continue;
            s->own = side[j];
            s->other = taken;
            s->chosen = taken != side[i] ? side[i] : GRAPH_NIL;
            s->when = when;
            s->load_own = own;
            s->load_other = other;
            s->other_address = k->x->g->accesses.p[other].address;
            if (moved) {
                s->own_address = k->x->g->accesses.p[own].address;
                s->moved = moved_by(k->x->g, s->own_address, address);
            }
            return true;
        }
        /* A flat sum that was in a register: what is left without the other one. */
        if (count > 2 && taken == side[i]) {
            graph_id rest = GRAPH_NIL;
            for (unsigned j = 0; j < count; j++)
                if (j != i)
                    rest = rest == GRAPH_NIL ? side[j]
                                             : graph_op2(k->x->g, UOP_ADD,
                                                         (enum uop_type)graph_at(k->x->g, value)->type, rest, side[j]);
            if (!pat_is_op(k->x, value, v.op, rest, side[i]))
                continue;
            s->own = rest;
            s->other = side[i];
            s->load_own = UINT32_MAX;
            s->load_other = other;
            s->other_address = k->x->g->accesses.p[other].address;
            return true;
        }
    }
    return false;
}

/* Under a compare of the two the other one is stored, else nothing: the step is what then stands in memory. */
static bool split_choice(struct pat_collect *k, graph_id value, graph_id address, struct pat_step *s)
{
    struct graph *g = k->x->g;
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    int64_t bytes;
    if (s->when == GRAPH_NIL || pat_shared_load(k->x, value, &bytes) == UINT32_MAX ||
        !graph_table(g, s->when, atoms, &count, &table))
        return false;
    for (unsigned i = 0; i < 2 * count; i++) {
        const struct graph_node c = *graph_at(g, atoms[i / 2]);
        if (c.arg_count != 2 || (c.arg[0] != value && c.arg[1] != value))
            continue;
        graph_id own = c.arg[c.arg[0] == value];
        graph_id literal = i & 1 ? graph_not(g, atoms[i / 2]) : atoms[i / 2];
        if (!graph_implies(g, s->when, literal))
            continue;
        struct uop like = {.kind = UOP_SELECT, .type = graph_at(g, value)->type};
        graph_id chosen = graph_pure(g, &like, (graph_id[]){literal, value, own}, 3);
        struct pat_step now = *s;
        if (!split_memory(k, chosen, address, &now) || now.own != own || now.load_own == UINT32_MAX)
            continue;
        now.value = chosen;
        now.when = graph_assume(g, s->when, literal);
        *s = now;
        return true;
    }
    return false;
}

/* Which of two loads is the one at an address; nothing was stored since. */
static graph_id compared_at(const struct pat_collect *k, const graph_id two[2], graph_id address, uint32_t version,
                            graph_id when)
{
    const struct graph *g = k->x->g;
    for (unsigned i = 0; i < 2; i++) {
        int64_t bytes;
        uint32_t at = pat_shared_load(k->x, two[i], &bytes);
        if (at != UINT32_MAX && !bytes && g->accesses.p[at].version == version &&
            pat_play_same(k->play, g->accesses.p[at].address, address, g->accesses.p[at].width, when))
            return two[i];
    }
    return GRAPH_NIL;
}

static graph_id as_it_is(struct graph *g, graph_id id, graph_id when)
{
    return when == GRAPH_NIL ? id : graph_assume(g, id, when);
}

/* The one select that an address is made of, wherever in it that stands; NIL: none, or several. */
static graph_id choice_in(const struct graph *g, graph_id id, unsigned depth, bool *several)
{
    const struct graph_node *n = graph_at(g, id);
    graph_id found = GRAPH_NIL;
    if (n->kind == UOP_SELECT)
        return id;
    for (unsigned i = 0; i < n->arg_count && depth < 6 && pat_is_pure(n); i++) {
        graph_id one = choice_in(g, n->arg[i], depth + 1, several);
        *several |= one != GRAPH_NIL && found != GRAPH_NIL && one != found;
        found = one != GRAPH_NIL ? one : found;
    }
    return found;
}

/* The node with `what` in the place of `choice`. */
static graph_id put_in(struct graph *g, graph_id id, graph_id choice, graph_id what, unsigned depth)
{
    const struct graph_node n = *graph_at(g, id);
    graph_id args[6];
    bool changed = false;
    if (id == choice)
        return what;
    for (unsigned i = 0; i < n.arg_count; i++) {
        args[i] = depth < 6 && pat_is_pure(&n) ? put_in(g, n.arg[i], choice, what, depth + 1) : n.arg[i];
        changed |= args[i] != n.arg[i];
    }
    struct uop like = graph_operation(&n);
    return changed ? graph_pure(g, &like, args, n.arg_count) : id;
}

/* The larger of two elements may be loaded once more, from the address chosen. */
static bool split_address(struct pat_collect *k, graph_id value, graph_id address, struct pat_step *s)
{
    struct graph *g = k->x->g;
    int64_t bytes;
    uint32_t at = pat_shared_load(k->x, value, &bytes);
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    bool several = false;
    if (at == UINT32_MAX || bytes)
        return false;
    const struct graph_access load = g->accesses.p[at];
    graph_id whole = as_it_is(g, load.address, s->when), chooses = choice_in(g, whole, 0, &several);
    if (chooses == GRAPH_NIL || several)
        return false;
    const struct graph_node choice = *graph_at(g, chooses);
    if (!graph_table(g, as_it_is(g, choice.arg[0], s->when), atoms, &count, &table) || count != 1)
        return false;
    const struct graph_node c = *graph_at(g, atoms[0]);
    if (c.arg_count != 2 || !pat_is_pure(&c))
        return false;
    const graph_id two[2] = {as_it_is(g, c.arg[0], s->when), as_it_is(g, c.arg[1], s->when)};
    graph_id places[2];
    for (unsigned i = 0; i < 2; i++)
        places[i] = as_it_is(g, put_in(g, whole, chooses, choice.arg[1 + i], 0), s->when);
    graph_id then = compared_at(k, two, places[0], load.version, s->when);
    graph_id other = compared_at(k, two, places[1], load.version, s->when);
    if (then == GRAPH_NIL || other == GRAPH_NIL)
        return false;
    struct uop compare = graph_operation(&c), select = {.kind = UOP_SELECT, .type = graph_at(g, value)->type};
    graph_id holds = graph_pure(g, &compare, two, 2);
    holds = table == 1 ? graph_not(g, holds) : holds;
    struct pat_step now = *s;
    if (!split_memory(k, graph_pure(g, &select, (graph_id[]){holds, then, other}, 3), address, &now))
        return false;
    now.value = value;
    now.again = at;
    *s = now;
    return true;
}

static void find_memory(struct pat_collect *k)
{
    struct graph *g = k->x->g;
    struct map_u64 stored = {0}; /* value -> the access that stored it last */
    uint32_t at;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access a = g->accesses.p[i];
        if (a.kind != GRAPH_STORE || a.space != UOP_SHARED || a.value[0] == GRAPH_NIL || a.value[1] != GRAPH_NIL ||
            !g->insns.p[a.insn].reachable)
            continue;
        graph_id value = mean_stored_value(k->m, a.value[0], a.width);
        struct pat_step s = {.insn = a.insn,
                             .store = i,
                             .value = value,
                             .when = a.runs_when,
                             .stored = a.runs_when,
                             .again = UINT32_MAX,
                             .own_address = a.address,
                             .width = a.width};
        bool found = split_memory(k, value, a.address, &s) || split_choice(k, value, a.address, &s) ||
                     split_address(k, value, a.address, &s);
        const struct graph_node n = *graph_at(g, value);
        for (unsigned arm = 1; arm <= 2 && !found && n.kind == UOP_SELECT; arm++) {
            /* All threads store, those that do not act what they had. */
            struct pat_step now = s;
            graph_id acts = arm == 1 ? n.arg[0] : graph_not(g, n.arg[0]);
            found = split_memory(k, n.arg[arm], a.address, &now) &&
                    (now.own == n.arg[3 - arm] || now.own == graph_assume(g, n.arg[3 - arm], acts));
            if (!found)
                continue;
            s = now;
            s.own = n.arg[3 - arm];
            s.when = graph_and(g, s.when, acts);
        }
        bool kept = found && s.load_own == UINT32_MAX && !loop_of(g, a.insn) && map_u64_get(&stored, s.own, &at);
        if (kept && moved_by(g, g->accesses.p[at].address, a.address)) {
            s.own_address = g->accesses.p[at].address; /* in a register, but its place was in the other buffer */
            s.moved = moved_by(g, s.own_address, a.address);
        }
        map_u64_put(k->a, &stored, value, i);
        if (!found)
            continue;
        uint32_t loop = loop_of(g, a.insn);
        if (from_phi_of(g, s.other_address, loop) || from_phi_of(g, s.own_address, loop))
            s.loop = loop;
        VEC_PUSH(k->a, k->steps, s);
    }
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* The value of which a node is a shuffle, whole or in two halves; NIL: none. */
static graph_id shuffled(struct pat_collect *k, graph_id node, struct pat_step *s, unsigned depth)
{
    struct graph *g = k->x->g;
    const struct graph_node n = *graph_at(g, node);
    if (n.kind == UOP_SHFL) {
        s->mode = (unsigned)n.imm;
        s->lane = n.arg[1];
        s->clamp = n.arg[2];
        return n.arg[0];
    }
    if (depth > 2)
        return GRAPH_NIL;
    if (n.kind == UOP_PAIR) {
        struct pat_step hi = *s;
        graph_id l = shuffled(k, n.arg[0], s, depth + 1), h = shuffled(k, n.arg[1], &hi, depth + 1);
        if (l == GRAPH_NIL || h == GRAPH_NIL || hi.mode != s->mode || hi.lane != s->lane || hi.clamp != s->clamp)
            return GRAPH_NIL;
        return graph_op2(g, UOP_PAIR, (enum uop_type)n.type, l, h);
    }
    if (n.kind == GRAPH_PHI && n.phi_count) { /* copies for lanes that run apart: one shuffle */
        graph_id first = shuffled(k, n.phi_args[0], s, depth + 1);
        for (uint32_t i = 1; i < n.phi_count && first != GRAPH_NIL; i++) {
            struct pat_step again = *s;
            if (shuffled(k, n.phi_args[i], &again, depth + 1) != first || again.mode != s->mode ||
                again.lane != s->lane || again.clamp != s->clamp)
                return GRAPH_NIL;
        }
        return first;
    }
    return GRAPH_NIL;
}

static bool split_lanes(struct pat_collect *k, graph_id value, struct pat_step *s)
{
    struct pat_binary v;
    graph_id side[SIDES];
    unsigned count = sides_of(k, value, &v, side);
    for (unsigned i = 0; i < count; i++) {
        graph_id when = GRAPH_NIL, taken = without_neutral(k, &v, side[i], &when);
        graph_id own = shuffled(k, taken, s, 0);
        if (own == GRAPH_NIL || !pat_is_op(k->x, value, v.op, own, side[i]))
            continue;
        s->own = own;
        s->other = taken;
        s->chosen = taken != side[i] ? side[i] : GRAPH_NIL;
        s->when = when;
        s->op = v.op;
        s->like = v;
        s->exact = v.exact;
        return true;
    }
    return false;
}

/* Does the value come round to the phi that is its own? */
static uint32_t loop_of_lane(const struct graph *g, const struct pat_step *s)
{
    const struct graph_node *n = graph_at(g, s->own);
    if (n->kind != GRAPH_PHI)
        return 0;
    uint32_t loop = g->blocks.p[n->block].loop;
    if (!loop || g->loops.p[loop - 1].header != n->block || !from_phi_of(g, s->lane, loop))
        return 0;
    for (uint32_t i = 0; i < n->phi_count; i++)
        if (n->phi_args[i] == s->value)
            return loop;
    return 0;
}

/* A lane that reaches outside its segment gets its own value: what it then takes as it is has changed nothing. */
static bool keeps_outside(const struct graph *g, graph_id within, const struct pat_step *s, graph_id kept)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (kept != s->other || !graph_table(g, within, atoms, &count, &table) || count != 1 || table != 2)
        return false;
    const struct graph_node *n = graph_at(g, atoms[0]);
    return n->kind == UOP_SHFL_IN && n->imm == s->mode && n->arg[1] == s->lane && n->arg[2] == s->clamp;
}

static void find_lanes(struct pat_collect *k)
{
    struct graph *g = k->x->g;
    bool any = false;
    for (graph_id id = 1; id < k->x->count && !any; id++)
        any = graph_at(g, id)->kind == UOP_SHFL;
    for (graph_id id = 1; any && id < k->x->count; id++) {
        const struct graph_node n = *graph_at(g, id);
        struct pat_step s = {
            .store = UINT32_MAX, .load_own = UINT32_MAX, .load_other = UINT32_MAX, .again = UINT32_MAX, .value = id};
        if (!k->x->live[id])
            continue;
        bool found = split_lanes(k, id, &s);
        for (unsigned arm = 1; arm <= 2 && !found && n.kind == UOP_SELECT; arm++) {
            graph_id acts = arm == 1 ? n.arg[0] : graph_not(g, n.arg[0]);
            found = split_lanes(k, n.arg[arm], &s);
            bool outside = found && keeps_outside(g, acts, &s, n.arg[3 - arm]);
            found = outside || (found && s.own == n.arg[3 - arm]);
            if (!found)
                continue;
            s.when = outside ? (graph_id)GRAPH_NIL : acts;
            /* The bare operation, found before, is a part of this step. */
            for (size_t i = k->lanes.n; i-- > 0;)
                if (k->lanes.p[i].value == n.arg[arm]) {
                    k->lanes.p[i] = k->lanes.p[--k->lanes.n];
                    break;
                }
        }
        if (!found)
            continue;
        s.insn = pat_first_holder(k, id);
        if (s.insn == UINT32_MAX)
            s.insn = pat_first_holder(k, s.other);
        if (s.insn == UINT32_MAX || graph_is_slow(g, s.insn)) /* an expansion's */
            continue;
        s.loop = loop_of_lane(g, &s);
        /* A loop that is tested above its body does not do the step in its last turn. */
        graph_id path = s.loop ? g->blocks.p[g->insns.p[pat_top_insn(g, s.insn)].block].path : (graph_id)GRAPH_NIL;
        graph_id entry = s.loop ? g->blocks.p[g->loops.p[s.loop - 1].header].path : (graph_id)GRAPH_NIL;
        if (path != GRAPH_NIL && entry != GRAPH_NIL)
            path = graph_assume(g, path, entry); /* who comes to the loop at all is another matter */
        if (path != GRAPH_NIL)
            s.when = s.when == GRAPH_NIL ? path : graph_and(g, s.when, path);
        VEC_PUSH(k->a, k->lanes, s);
    }
    /* The low words of what is a step of 64 bits are no step of their own. */
    struct map_u64 whole = {0};
    uint32_t at;
    size_t kept = 0;
    for (size_t i = 0; i < k->lanes.n; i++)
        map_u64_put(k->a, &whole, k->lanes.p[i].own, 1);
    for (size_t i = 0; i < k->lanes.n; i++) {
        const struct graph_node *own = graph_at(g, k->lanes.p[i].own);
        if (!((own->kind == UOP_LO || own->kind == UOP_HI) && map_u64_get(&whole, own->arg[0], &at)))
            k->lanes.p[kept++] = k->lanes.p[i];
    }
    k->lanes.n = kept;
}

static int by_insn(const void *pa, const void *pb)
{
    const struct pat_step *a = pa, *b = pb;
    if (a->insn != b->insn)
        return a->insn < b->insn ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

enum sp_status pat_collect_begin(struct pat_collect *k, struct run *run, struct pat_ctx *c, struct pat_result *out)
{
    *k = (struct pat_collect){.a = c->a, .run = run, .x = c->x, .m = c->m, .c = c, .out = out};
    k->trace = ARENA_NEW(k->a, struct pat_trace);
    k->column = ARENA_NEW(k->a, struct pat_trace);
    k->play = pat_play_new(k->a, k->x);
    if (!k->play)
        return SP_ERR_MEMORY;
    find_memory(k);
    pat_collect_kept(k);
    find_lanes(k);
    if (k->steps.n)
        qsort(k->steps.p, k->steps.n, sizeof k->steps.p[0], by_insn);
    if (k->lanes.n)
        qsort(k->lanes.p, k->lanes.n, sizeof k->lanes.p[0], by_insn);
    k->step_load = ARENA_ARRAY(k->a, bool, k->x->g->accesses.n + 1);
    k->step_access = ARENA_ARRAY(k->a, bool, k->x->g->accesses.n + 1);
    for (size_t i = 0; i < k->steps.n && k->step_load && k->step_access; i++) {
        const uint32_t loads[3] = {k->steps.p[i].load_own, k->steps.p[i].load_other, k->steps.p[i].again};
        for (int w = 0; w < 3; w++)
            if (loads[w] != UINT32_MAX)
                k->step_load[loads[w]] = k->step_access[loads[w]] = true;
        if (k->steps.p[i].store != UINT32_MAX)
            k->step_access[k->steps.p[i].store] = true;
    }
    k->play = pat_play_new(k->a, k->x); /* conditions were made since */
    return k->play && k->trace && k->column && k->step_load && k->step_access && !arena_failed(k->a) ? SP_OK
                                                                                                     : SP_ERR_MEMORY;
}
