/* The values behind graph_turn.c: what loop phis and joins are as functions of the counters of the source's loops.
 *
 * A loop phi with a constant step is start + slope * (counter - first); where it takes up what an earlier piece left,
 * its start is a function of the counter already, with the same slope. Where paths out of pieces meet, all that comes
 * must be one function. Functions are compared at numbers modulo a prime.
 *
 * requires: counters of the cycles · gives: turn_of, expressions over it */
#include "graph/graph_turn.h"

enum { DEPTH = 24, STEPS = 300 };

static const uint64_t PRIME = (UINT64_C(1) << 61) - 1;

static uint64_t times(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % PRIME);
}

static uint64_t number(int64_t v)
{
    return v < 0 ? PRIME - (0 - (uint64_t)v) % PRIME : (uint64_t)v % PRIME;
}

uint64_t turn_value(const struct graph *g, struct function *f, graph_id id, unsigned depth)
{
    id = cycle_bare(g, id);
    const struct graph_node *n = graph_at(g, id);
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    uint64_t a, b;
    if (id == f->counter || (f->any && f->any[id])) {
        f->met = true;
        return f->at;
    }
    if (depth > DEPTH || ++f->steps > STEPS) {
        f->failed = true;
        return 0;
    }
    switch (n->kind) {
    case UOP_CONST:
        return number(bits == 0 || bits >= 64 ? (int64_t)n->imm : (int64_t)(n->imm << (64 - bits)) >> (64 - bits));
    case UOP_ADD:
    case UOP_MUL:
        a = turn_value(g, f, n->arg[0], depth + 1);
        b = turn_value(g, f, n->arg[1], depth + 1);
        return n->kind == UOP_ADD ? (a + b) % PRIME : times(a, b);
    case UOP_NEG: return (PRIME - turn_value(g, f, n->arg[0], depth + 1)) % PRIME;
    case UOP_SEXT:
    case UOP_ZEXT:
        if (n->imm == 32)
            return turn_value(g, f, n->arg[0], depth + 1);
        break;
    default: break;
    }
    struct function within = {.counter = f->counter, .any = f->any, .at = f->at};
    for (unsigned k = 0; k < n->arg_count && n->kind != UOP_LOAD && n->insn == UINT32_MAX; k++)
        turn_value(g, &within, n->arg[k], depth + 1);
    f->failed |= within.met || within.failed;
    return map_hash_mix(0x7475726e, id) % PRIME;
}

bool turn_distance(uint64_t a, uint64_t b, int64_t *out)
{
    uint64_t way = (b + PRIME - a) % PRIME, back = PRIME - way;
    *out = way <= INT32_MAX ? (int64_t)way : -(int64_t)back;
    return way <= INT32_MAX || back <= INT32_MAX;
}

void turn_begin_counter(struct turns *t, uint32_t cycle, graph_id from, int64_t slope)
{
    struct function f = {.counter = GRAPH_NIL};
    t->from[cycle] = from;
    t->first[cycle] = turn_value(t->w->g, &f, from, 0);
    t->slope[cycle] = slope;
}

/* The counter's own numbers at two steps: where it starts, and one step on. */
static uint64_t counter_at(const struct turns *t, uint32_t cycle, uint64_t step)
{
    return (t->first[cycle] + times(number(t->slope[cycle]), step)) % PRIME;
}

static graph_id join_of(struct turns *t, graph_id id, uint32_t cycle);

/* `within` and `cycle`: joins that several loops begin with are what this one makes of them. */
static graph_id rebuilt(struct graph *g, const graph_id *turn_of, graph_id nodes, graph_id id, unsigned depth,
                        unsigned *steps, struct turns *within, uint32_t cycle)
{
    if (id == GRAPH_NIL || id >= nodes)
        return id;
    if (turn_of[id] != GRAPH_NIL)
        return turn_of[id];
    if (within && within->joins[id] && within->owner[id] == TURN_SHARED) {
        graph_id is = join_of(within, id, cycle);
        return is == GRAPH_NIL ? id : is;
    }
    const struct graph_node n = *graph_at(g, id);
    bool opens = n.kind == UOP_ADD || n.kind == UOP_MUL || n.kind == UOP_NEG || n.kind == UOP_SEXT ||
                 n.kind == UOP_ZEXT || n.kind == UOP_UNIFORM;
    if (!opens || depth > DEPTH || ++*steps > STEPS)
        return id;
    graph_id args[3] = {GRAPH_NIL};
    bool same = true;
    for (unsigned k = 0; k < n.arg_count; k++) {
        args[k] = rebuilt(g, turn_of, nodes, n.arg[k], depth + 1, steps, within, cycle);
        same &= args[k] == n.arg[k];
    }
    if (same)
        return id;
    if (n.kind == UOP_UNIFORM)
        return args[0];
    struct uop like = graph_operation(&n);
    return graph_pure(g, &like, args, n.arg_count);
}

static graph_id as_turn(struct turns *t, graph_id id, uint32_t cycle)
{
    unsigned steps = 0;
    return rebuilt(t->w->g, t->turn_of, t->w->nodes, id, 0, &steps, cycle == UINT32_MAX ? NULL : t, cycle);
}

graph_id cycle_as_turn(const struct cycle_work *w, graph_id id)
{
    unsigned steps = 0;
    return w->out->turn_of ? rebuilt(w->g, w->out->turn_of, w->nodes, id, 0, &steps, NULL, 0) : id;
}

graph_id graph_as_turn(struct graph *g, graph_id id)
{
    unsigned steps = 0;
    return g->cycles && g->cycles->turn_of
               ? rebuilt(g, g->cycles->turn_of, g->cycles->copy_count, id, 0, &steps, NULL, 0)
               : id;
}

/* True when `id` goes by `slope` with each step of the cycle. */
static bool goes_by(struct turns *t, uint32_t cycle, graph_id id, uint64_t slope, bool *met)
{
    struct function a = {.counter = t->counter[cycle], .at = counter_at(t, cycle, 17)};
    struct function b = {.counter = t->counter[cycle], .at = counter_at(t, cycle, 18)};
    uint64_t x = turn_value(t->w->g, &a, id, 0), y = turn_value(t->w->g, &b, id, 0);
    *met = a.met;
    return !a.failed && !b.failed && (y + PRIME - x) % PRIME == slope;
}

/* start + (counter - first) / slope of the counter * step */
graph_id turn_moved(struct turns *t, uint32_t cycle, graph_id start, int64_t step)
{
    struct graph *g = t->w->g;
    enum uop_type type = (enum uop_type)graph_at(g, start)->type;
    graph_id counter = t->counter[cycle];
    bool met;
    uint64_t first;
    if (step % t->slope[cycle] != 0)
        return GRAPH_NIL;
    if (!graph_is_const(g, t->from[cycle], &first)) { /* `start` is made of it: the counter stands there */
        const struct graph_node from = *graph_at(g, t->from[cycle]);
        graph_id is = cycle_replace(t->w, start, t->from[cycle], counter);
        if (is == start && from.kind == UOP_ADD && graph_is_const(g, from.arg[1], &first)) { /* n - 22 from n - 1 */
            enum uop_type of = (enum uop_type)from.type;
            graph_id less = graph_op2(g, UOP_ADD, of, counter, graph_const(g, of, 0 - first));
            is = cycle_replace(t->w, start, from.arg[0], less);
        }
        return is != GRAPH_NIL && goes_by(t, cycle, is, number(step), &met) && met ? is : (graph_id)GRAPH_NIL;
    }
    int64_t scale = step / t->slope[cycle];
    if (type == UOP_B64 && graph_at(g, counter)->type == UOP_B32)
        counter = graph_op1(g, UOP_SEXT, UOP_B64, counter);
    else if (type != graph_at(g, counter)->type)
        return GRAPH_NIL;
    graph_id way = graph_op2(g, UOP_MUL, type, counter, graph_const(g, type, (uint64_t)scale));
    int64_t begin = graph_at(g, t->from[cycle])->type == UOP_B64 ? (int64_t)first : (int32_t)first;
    uint64_t back = 0 - (uint64_t)scale * (uint64_t)begin;
    return graph_op2(g, UOP_ADD, type, graph_op2(g, UOP_ADD, type, start, graph_const(g, type, back)), way);
}

/* Steps made before the loop, each on a condition: what paths bring to it stands so many steps from the least of
 * them. */
graph_id turn_before_steps(struct turns *t, graph_id start, int64_t step, uint32_t steps)
{
    enum { WAYS = 32 };
    struct graph *g = t->w->g;
    graph_id way[WAYS];
    unsigned n = 0;
    way[n++] = start;
    for (unsigned at = 0; at < n;) {
        const struct graph_node *x = graph_at(g, way[at]);
        const graph_id *args;
        uint32_t count = cycle_args(x, &args);
        if (x->kind != UOP_SELECT && (x->kind != GRAPH_PHI || graph_is_loop_phi(g, way[at]))) {
            at++;
            continue;
        }
        way[at] = way[--n];
        for (uint32_t k = x->kind == UOP_SELECT; k < count; k++) {
            bool known = false;
            for (unsigned i = 0; i < n && !known; i++)
                known = way[i] == args[k];
            if (!known && n >= WAYS)
                return GRAPH_NIL;
            if (!known)
                way[n++] = args[k];
        }
    }
    for (unsigned i = 0; i < n; i++) {
        struct function f = {.counter = GRAPH_NIL};
        uint64_t base = turn_value(g, &f, way[i], 0);
        bool least = !f.failed;
        for (unsigned k = 0; k < n && least; k++) {
            uint64_t v = turn_value(g, &f, way[k], 0), s = 0;
            for (; s <= steps && v != (base + times(number(step), s)) % PRIME; s++)
                ;
            least = !f.failed && s <= steps;
        }
        if (least)
            return way[i];
    }
    return GRAPH_NIL;
}

/* Of a sum of products the share of one in `by`, and `turns` times that (NIL: once), a term each: as often as it stands
 * there, times its factor. NIL: one of them is no multiple. */
static graph_id share_of(struct graph *g, graph_id sum, uint32_t by, graph_id turns)
{
    enum { TERMS = 64 };
    graph_id terms[TERMS], factor[TERMS], result = GRAPH_NIL;
    int64_t times[TERMS];
    uint32_t count, n = 0;
    enum uop_type type = graph_type_of(g, sum);
    if (!cycle_flatten(g, sum, UOP_ADD, terms, TERMS, &count))
        return GRAPH_NIL;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *x = graph_at(g, cycle_bare(g, terms[i]));
        uint64_t k = 1;
        bool product = x->kind == UOP_MUL && graph_is_const(g, x->arg[1], &k) && k != 0;
        graph_id of = product ? x->arg[0] : terms[i];
        int64_t scale = !product ? 1 : type == UOP_B64 ? (int64_t)k : (int32_t)k;
        uint32_t at = 0;
        while (at < n && factor[at] != of)
            at++;
        if (at == n) {
            factor[n] = of;
            times[n++] = 0;
        }
        if (scale > INT32_MAX || scale < INT32_MIN)
            return GRAPH_NIL;
        times[at] += scale;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (times[i] % (int64_t)by != 0)
            return GRAPH_NIL;
        graph_id term = turns == GRAPH_NIL ? factor[i] : graph_op2(g, UOP_MUL, type, factor[i], turns);
        term = graph_op2(g, UOP_MUL, type, term, graph_const(g, type, (uint64_t)(times[i] / (int64_t)by)));
        result = result == GRAPH_NIL ? term : graph_op2(g, UOP_ADD, type, result, term);
    }
    return result;
}

/* The same for a step that is a number nobody knows here: a row's length, say. */
static void turn_phi_by(struct turns *t, const struct cycle_region *r, const struct cycle_phi *p, bool first,
                        uint32_t unroll)
{
    struct graph *g = t->w->g;
    uint32_t cycle = (uint32_t)r->cycle;
    enum uop_type type = graph_type_of(g, p->phi);
    graph_id step = share_of(g, p->step, unroll, GRAPH_NIL), start = as_turn(t, p->start, cycle),
             counter = t->counter[cycle];
    struct function f = {.counter = counter};
    uint64_t begin, slope = step == GRAPH_NIL ? 0 : turn_value(g, &f, step, 0);
    bool met = false;
    if (step == GRAPH_NIL || f.met || f.failed || (type != UOP_B32 && type != UOP_B64))
        return;
    if (goes_by(t, cycle, start, slope, &met) && met) {
        t->turn_of[p->phi] = start;
        return;
    }
    int64_t by = (int64_t)unroll * t->slope[cycle]; /* the way of the counter is a multiple of its slope */
    if (met || !first || t->w->out->cycles.p[cycle].pieces.p[0].straight || by < 1 || by > UINT16_MAX ||
        !graph_is_const(g, t->from[cycle], &begin))
        return;
    if (type == UOP_B64 && graph_type_of(g, counter) == UOP_B32)
        counter = graph_op1(g, UOP_SEXT, UOP_B64, counter);
    else if (type != graph_type_of(g, counter))
        return;
    if (graph_type_of(g, t->from[cycle]) == UOP_B32)
        begin = (uint64_t)(int64_t)(int32_t)begin;
    graph_id done = begin ? graph_op2(g, UOP_ADD, type, counter, graph_const(g, type, 0 - begin)) : counter;
    graph_id way = share_of(g, p->step, (uint32_t)by, done);
    t->turn_of[p->phi] = way == GRAPH_NIL ? way : graph_op2(g, UOP_ADD, type, start, way);
}

/* Only the first piece in the code may start from what knows nothing of the counter. */
static void turn_phi(struct turns *t, const struct cycle_region *r, const struct cycle_phi *p, bool first,
                     uint32_t unroll)
{
    uint32_t cycle = (uint32_t)r->cycle;
    bool met = false;
    if (p->step_kind != CYCLE_STEP_ADD || p->start == GRAPH_NIL || p->phi == t->counter[cycle] || p->phi >= t->w->nodes)
        return;
    if (!p->constant) {
        turn_phi_by(t, r, p, first, unroll);
        return;
    }
    if (!p->amount || p->amount % (int64_t)unroll != 0)
        return;
    int64_t step = p->amount / (int64_t)unroll;
    graph_id start = as_turn(t, p->start, cycle), is = GRAPH_NIL;
    if (goes_by(t, cycle, start, number(step), &met) && met)
        is = start;
    else if (!met && first && !t->w->out->cycles.p[cycle].pieces.p[0].straight)
        is = turn_moved(t, cycle, start, step);
    t->turn_of[p->phi] = is;
}

/* What the first loop of a cycle begins with behind steps made before it: over the counter already. */
static void turn_before(struct turns *t, uint32_t cycle)
{
    const struct graph_cycle *c = &t->w->out->cycles.p[cycle];
    if (c->pieces.n < 2 || !c->pieces.p[0].straight || c->pieces.p[1].straight || t->counter[cycle] == GRAPH_NIL)
        return;
    const struct cycle_region *r = &t->w->regions[c->pieces.p[1].loop];
    int64_t unroll = c->pieces.p[1].unroll;
    for (uint32_t k = 0; k < r->phi_count; k++) {
        const struct cycle_phi *p = &r->phis[k];
        if (p->step_kind != CYCLE_STEP_ADD || !p->constant || !p->live || p->start == GRAPH_NIL ||
            p->start >= t->w->nodes || p->amount % unroll != 0)
            continue;
        graph_id least = turn_before_steps(t, p->start, p->amount / unroll, c->pieces.p[0].unroll);
        if (least == GRAPH_NIL || least == p->start)
            continue;
        graph_id is = turn_moved(t, cycle, least, p->amount / unroll);
        if (t->owner[p->start] != TURN_SHARED) {
            t->turn_of[p->start] = is;
        } else {
            t->joins[p->start] = true;
            map_u64_put(t->w->a, &t->shared, graph_copy_key(p->start, cycle), is);
        }
    }
}

/* Decided by counters and sizes: the condition of a path, not a choice by data. */
static bool is_path(const struct graph *g, graph_id id, unsigned depth, unsigned *steps)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_LOAD || n->kind == UOP_ELEMENT || n->insn != UINT32_MAX || depth > DEPTH || ++*steps > STEPS)
        return false;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (!is_path(g, n->arg[k], depth + 1, steps))
            return false;
    return true;
}

static bool is_inside(const struct turns *t, uint32_t cycle, uint32_t outer)
{
    int32_t at = (int32_t)cycle;
    while (at >= 0 && at != (int32_t)outer)
        at = t->w->out->cycles.p[at].parent;
    return at >= 0;
}

/* A value is a loop's, and whatever of it begins the loops within; two that only follow each other may begin with one
 * number too, and that is the counter of neither. */
static void want_join(struct turns *t, graph_id id, uint32_t by)
{
    if (id == GRAPH_NIL || id >= t->w->nodes)
        return;
    uint32_t is = t->owner[id];
    if (is == by || is == TURN_SHARED || (is && by != TURN_SHARED && is_inside(t, by - 1, is - 1)))
        return;
    t->owner[id] = !is || (by != TURN_SHARED && is_inside(t, is - 1, by - 1)) ? by : (uint32_t)TURN_SHARED;
    VEC_PUSH(t->w->a, t->stack, id);
}

/* Joins that later pieces begin with: under the starts of their phis, and under the addresses of straight ones. A
 * choice within a step is no such thing. Then whatever loops of one piece begin with: it is theirs as well. */
static void find_joins(struct turns *t, bool pieces)
{
    const struct graph *g = t->w->g;
    for (uint32_t i = 0; i < t->w->out->cycles.n; i++) {
        const struct graph_cycle *c = &t->w->out->cycles.p[i];
        for (size_t k = 0; k < c->pieces.n && (c->pieces.n > 1) == pieces; k++) {
            const struct graph_piece *p = &c->pieces.p[k];
            const struct cycle_region *r = p->straight ? NULL : &t->w->regions[p->loop];
            for (uint32_t q = 0; r && q < r->phi_count; q++)
                want_join(t, r->phis[q].start, i + 1);
            for (uint32_t insn = p->first; p->straight && insn <= p->last; insn++)
                for (uint32_t x = 0; x < g->insns.p[insn].access_count; x++)
                    want_join(t, g->accesses.p[g->insns.p[insn].first_access + x].address, i + 1);
        }
    }
    while (t->stack.n) {
        graph_id id = t->stack.p[--t->stack.n];
        const struct graph_node *n = graph_at(g, id);
        bool sum = n->kind == UOP_ADD || n->kind == UOP_MUL || n->kind == UOP_NEG || n->kind == UOP_SEXT ||
                   n->kind == UOP_ZEXT || n->kind == UOP_UNIFORM;
        unsigned steps = 0;
        bool join = n->kind == UOP_SELECT ? is_path(g, n->arg[0], 0, &steps)
                                          : n->kind == GRAPH_PHI && !graph_is_loop_phi(g, id);
        const graph_id *args;
        uint32_t count = cycle_args(n, &args);
        t->joins[id] |= join && pieces;
        for (uint32_t k = n->kind == UOP_SELECT; k < count && (sum || join); k++)
            want_join(t, args[k], t->owner[id]);
    }
}

/* What goes round the cycle's pieces and is `here` where the counter stands at its 17th step; NIL: nothing. */
static graph_id goes_round(struct turns *t, uint32_t cycle, graph_id counter, uint64_t here, enum uop_type type)
{
    const struct graph_cycle *c = &t->w->out->cycles.p[cycle];
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct cycle_region *r = c->pieces.p[i].straight ? NULL : &t->w->regions[c->pieces.p[i].loop];
        for (uint32_t k = 0; r && k < r->phi_count; k++) {
            graph_id phi = r->phis[k].phi, is = phi < t->w->nodes ? t->turn_of[phi] : (graph_id)GRAPH_NIL;
            struct function f = {.counter = counter, .at = counter_at(t, cycle, 17)};
            if (is != GRAPH_NIL && graph_type_of(t->w->g, is) == type && turn_value(t->w->g, &f, is, 0) == here &&
                f.met && !f.failed)
                return is;
        }
    }
    return GRAPH_NIL;
}

/* Paths meet: each brings the same function of the steps done so far, or its value before the first step; NIL: they do
 * not. `only`: of this cycle's steps, UINT32_MAX: of any's. */
static graph_id turn_join(struct turns *t, graph_id id, uint32_t only)
{
    enum { WAYS = 8 };
    struct graph *g = t->w->g;
    const graph_id *args;
    uint32_t count = cycle_args(graph_at(g, id), &args), from = graph_at(g, id)->kind == UOP_SELECT;
    graph_id way[WAYS], function = GRAPH_NIL;
    uint32_t cycle = UINT32_MAX;
    if (count > WAYS)
        return GRAPH_NIL;
    for (uint32_t k = from; k < count; k++) {
        way[k] = GRAPH_NIL;
        if (args[k] == id)
            continue; /* a join before a loop's header, at the loop's back edge */
        if (args[k] == GRAPH_NIL || args[k] > id)
            return GRAPH_NIL;
        way[k] = as_turn(t, args[k], only);
        for (uint32_t c = 0; c < t->w->out->cycles.n && way[k] == args[k]; c++)
            if (t->ahead[c] == args[k] && t->slope[c] == 1 && (only == UINT32_MAX || only == c) &&
                t->first[c] == 0) /* what a loop has done when it is through, said without its counter */
                way[k] = t->counter[c];
        for (uint32_t c = 0; c < t->w->out->cycles.n && function == GRAPH_NIL && way[k] != args[k]; c++) {
            struct function f = {.counter = t->counter[c]};
            if (t->counter[c] != GRAPH_NIL && (only == UINT32_MAX || only == c))
                turn_value(g, &f, way[k], 0);
            if (f.met && !f.failed) {
                function = way[k];
                cycle = c;
            }
        }
    }
    if (function == GRAPH_NIL)
        return GRAPH_NIL;
    struct function at = {.counter = t->counter[cycle], .at = counter_at(t, cycle, 17)};
    struct function next = {.counter = t->counter[cycle], .at = counter_at(t, cycle, 18)};
    uint64_t here = turn_value(g, &at, function, 0);
    uint64_t step = (turn_value(g, &next, function, 0) + PRIME - here) % PRIME;
    graph_id least = GRAPH_NIL;
    uint64_t low = UINT64_MAX;
    uint64_t offsets[WAYS] = {0};
    enum { BACK = 256, NO_OFFSET = 2 * BACK + 1 };
    for (uint32_t k = from; k < count && step; k++) { /* how many steps each way stands from the first one seen */
        struct function f = {.counter = t->counter[cycle], .at = counter_at(t, cycle, 17)};
        uint64_t v = way[k] == GRAPH_NIL ? 0 : turn_value(g, &f, way[k], 0);
        offsets[k] = NO_OFFSET;
        if (way[k] == GRAPH_NIL)
            continue;
        if (f.failed)
            return GRAPH_NIL;
        if (!f.met)
            continue;
        uint64_t x = (here + PRIME - times(step, BACK)) % PRIME;
        for (uint64_t s = 0; s <= 2 * BACK; s++, x = (x + step) % PRIME)
            if (x == v) {
                offsets[k] = s;
                break;
            }
        if (offsets[k] == NO_OFFSET)
            return GRAPH_NIL;
        if (offsets[k] < low) {
            low = offsets[k];
            least = way[k];
        }
    }
    if (least == GRAPH_NIL)
        return GRAPH_NIL;
    /* What brings nothing of the counter must be the value before the first step, for `least` taken as it stands or
     * with the steps its own piece has just done. */
    bool settled = true;
    for (uint32_t k = from; k < count; k++) {
        if (offsets[k] != NO_OFFSET || way[k] == GRAPH_NIL)
            continue;
        struct function f = {.counter = t->counter[cycle], .at = counter_at(t, cycle, 0)};
        struct function z = {.counter = t->counter[cycle], .at = counter_at(t, cycle, 0)};
        uint64_t begin = turn_value(g, &z, way[k], 0), zero = turn_value(g, &f, least, 0);
        bool one = false;
        for (uint64_t s = 0; s <= BACK && !one; s++, zero = (zero + PRIME - step) % PRIME)
            if (zero == begin) {
                one = true;
                if (s) { /* `least` is what a turn leaves: s steps on */
                    graph_id counter = t->counter[cycle];
                    enum uop_type type = graph_type_of(g, counter);
                    struct function is = {.counter = counter, .at = counter_at(t, cycle, 17)};
                    uint64_t then = (turn_value(g, &is, least, 0) + PRIME - times(step, s)) % PRIME;
                    graph_id round = goes_round(t, cycle, counter, then, graph_type_of(g, least));
                    if (round != GRAPH_NIL) { /* what the turn began with */
                        least = round;
                        break;
                    }
                    uint64_t back = 0 - s * (uint64_t)t->slope[cycle];
                    graph_id before = graph_op2(g, UOP_ADD, type, counter, graph_const(g, type, back));
                    least = cycle_replace(t->w, least, counter, before);
                    if (least == GRAPH_NIL)
                        return GRAPH_NIL;
                }
            }
        settled &= one;
    }
    return settled ? least : (graph_id)GRAPH_NIL;
}

/* What one of the cycles that begin with it makes of a join. */
static graph_id join_of(struct turns *t, graph_id id, uint32_t cycle)
{
    enum { NESTED = 8 };
    uint64_t key = graph_copy_key(id, cycle);
    uint32_t is = GRAPH_NIL;
    if (map_u64_get(&t->shared, key, &is) || t->nested >= NESTED || t->w->budget <= 0)
        return is;
    t->nested++;
    is = turn_join(t, id, cycle);
    t->nested--;
    map_u64_put(t->w->a, &t->shared, key, is);
    return is;
}

static bool first_piece(const struct graph_cycle *c, const struct cycle_region *r)
{
    for (size_t i = 0; i < c->pieces.n; i++)
        if (!c->pieces.p[i].straight)
            return c->pieces.p[i].loop == r->loop;
    return false;
}

static uint32_t unroll_of(const struct graph_cycle *c, const struct cycle_region *r)
{
    for (size_t i = 0; i < c->pieces.n; i++)
        if (!c->pieces.p[i].straight && c->pieces.p[i].loop == r->loop)
            return c->pieces.p[i].unroll;
    return r->unroll;
}

void turn_find_values(struct turns *t)
{
    struct graph *g = t->w->g;
    uint32_t n = (uint32_t)t->w->out->cycles.n;
    find_joins(t, true);
    find_joins(t, false);
    for (uint32_t i = 0; i < n; i++)
        turn_before(t, i);
    /* Arguments have smaller numbers than users, and a phi's start stands before it-> */
    for (graph_id id = 1; id < t->w->nodes && t->w->budget > 0; id++) {
        const struct graph_node *node = graph_at(g, id);
        if (graph_is_loop_phi(g, id)) {
            struct cycle_region *r = &t->w->regions[node->imm - 1];
            if (r->cycle < 0 || (uint32_t)r->cycle >= n || t->counter[r->cycle] == GRAPH_NIL)
                continue;
            const struct graph_cycle *c = &t->w->out->cycles.p[r->cycle];
            for (uint32_t k = 0; k < r->phi_count; k++)
                if (r->phis[k].phi == id && r->phis[k].live)
                    turn_phi(t, r, &r->phis[k], first_piece(c, r), unroll_of(c, r));
        } else if (t->joins[id] && t->owner[id] != TURN_SHARED && (node->type == UOP_B32 || node->type == UOP_B64)) {
            graph_id is = turn_join(t, id, UINT32_MAX);
            if (is != GRAPH_NIL)
                t->turn_of[id] = is;
        }
    }
}
