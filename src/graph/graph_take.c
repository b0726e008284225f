/* A loop that takes up what another left, shown by its counters: where bodies were rewritten so that no step is found
 * twice in them (a recurrence folded into constants, a value kept in a register from store to load), the counters still
 * say how the compilers cut the loop. The main loop moves its counter by sixteen, the next one by four or one; each
 * accumulator of the later loop begins with what the earlier one left; and either a counter goes on where it stopped or
 * the one runs over n - n % 4, the other over n % 4. The bodies must do as much as that says: so many times the stores,
 * the same kinds of floating-point operations, no more loads.
 *
 * A stretch of straight code that moves a counter by eight for who comes behind it is eight steps.
 *
 * requires: inductions, tests, unroll · gives: later pieces, loops and straight, with their steps */
#include "graph/graph_cycle_internal.h"

enum { LOOK_MAX = 400, SPREAD = 2 };

enum { SPACES = 8 };

struct doings {
    uint64_t floats; /* kinds of floating-point operations, as bits */
    uint64_t arrays; /* what is loaded from, where a parameter says, as bits */
    uint32_t float_count, loads[SPACES], stores[SPACES], others;
};

static struct doings doings_of(const struct cycle_work *w, const uint32_t *blocks, uint32_t count)
{
    const struct graph *g = w->g;
    struct doings d = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_block *b = &g->blocks.p[blocks[i]];
        for (uint32_t k = b->first; k <= b->last && b->reachable; k++) {
            const struct graph_insn *n = &g->insns.p[k];
            const struct uop_list *l = g->input.insns[n->input].uops;
            for (size_t u = 0; u < l->ops.n; u++) {
                unsigned kind = l->ops.p[u].kind;
                bool is_float =
                    kind == UOP_FADD || kind == UOP_FMUL || kind == UOP_FFMA || kind == UOP_FMIN || kind == UOP_FMAX;
                d.floats |= is_float ? UINT64_C(1) << ((kind - UOP_FADD) & 63) : 0;
                d.float_count += is_float;
                d.others += kind == UOP_BAR;
            }
            for (uint32_t x = n->first_access; x < n->first_access + n->access_count; x++) {
                bool load = g->accesses.p[x].kind == GRAPH_LOAD;
                graph_id root = load ? cycle_root(g, g->accesses.p[x].address) : (graph_id)GRAPH_NIL;
                d.arrays |= root == GRAPH_NIL ? 0 : UINT64_C(1) << (map_hash_mix(0x726f6f74, root) & 63);
                ++*(load ? &d.loads[g->accesses.p[x].space % SPACES] : &d.stores[g->accesses.p[x].space % SPACES]);
            }
        }
    }
    return d;
}

/* How the two are compared. */
enum {
    KEPT = 1,   /* words that go round in memory may stand in registers of the larger loop */
    FOLDED = 2, /* what a number that takes turns decides is known in each of its steps */
    LOADS = 4   /* no load is saved */
};

/* `a` does, so many times `ta`, what `b` does `tb` times. */
static bool does_the_same(const struct doings *a, uint64_t ta, const struct doings *b, uint64_t tb, unsigned how)
{
    uint64_t loads[2] = {0}, any_a = 0, any_b = 0;
    bool kept = false;
    for (unsigned s = 0; s < SPACES; s++) {
        any_a += a->loads[s];
        any_b += b->loads[s];
        if ((how & KEPT) && a->loads[s] + a->stores[s] == 0 && b->loads[s] > 0 && b->stores[s] > 0) {
            kept = true;
            continue;
        }
        if (ta * a->stores[s] != tb * b->stores[s])
            return false;
        loads[0] += ta * a->loads[s];
        loads[1] += tb * b->loads[s];
    }
    bool all = kept || (how & LOADS);
    if (ta * a->others != tb * b->others || loads[0] > loads[1] || (all && loads[0] != loads[1]) ||
        (!kept && (any_a > 0) != (any_b > 0)) || ((kept || (how & FOLDED)) && a->arrays != b->arrays))
        return false;
    if (kept)
        return a->float_count > 0 && a->floats == b->floats && ta * a->float_count == tb * b->float_count;
    bool kinds = a->floats == b->floats || ((how & FOLDED) && loads[0] == loads[1] && loads[0] > 0);
    return kinds && ta * a->float_count <= SPREAD * tb * b->float_count &&
           SPREAD * ta * a->float_count >= tb * b->float_count;
}

static bool does_as_much(const struct doings *a, const struct doings *b, uint64_t times)
{
    return does_the_same(a, 1, b, times, 0);
}

/* Words that go round in memory stand in registers of the larger loop: each of its steps does the same with them, and
 * what is left over stores and loads them again. */
static bool keeps_words(const struct doings *a, const struct doings *b, uint64_t times)
{
    return does_the_same(a, 1, b, times, KEPT);
}

/* The phi of a loop of the cycle that `id` is made of; counters: through selects, joins and constants added alone. NIL:
 * there is none. */
static graph_id source_in(struct cycle_work *w, int32_t cycle, graph_id id, bool counters)
{
    const struct graph *g = w->g;
    graph_id stack[LOOK_MAX], seen[LOOK_MAX];
    unsigned depth = 0, count = 0;
    stack[depth++] = id;
    while (depth && count < LOOK_MAX) {
        graph_id x = stack[--depth];
        bool again = x == GRAPH_NIL || x >= w->nodes;
        for (unsigned i = 0; i < count && !again; i++)
            again = seen[i] == x;
        if (again)
            continue;
        seen[count++] = x;
        const struct graph_node *n = graph_at(g, x);
        if (graph_is_loop_phi(g, x)) {
            if (w->regions[n->imm - 1].cycle == cycle)
                return x;
            continue;
        }
        bool opens = n->kind == GRAPH_PHI || n->kind == UOP_SELECT || n->kind == UOP_UNIFORM ||
                     (n->kind == UOP_ADD && graph_is_const(g, n->arg[1], NULL));
        if (!opens && counters)
            continue;
        const graph_id *args;
        uint32_t args_count = cycle_args(n, &args);
        for (uint32_t k = n->kind == UOP_SELECT; k < args_count && depth < LOOK_MAX; k++)
            stack[depth++] = args[k];
    }
    return GRAPH_NIL;
}

static bool comes_from(struct cycle_work *w, int32_t cycle, graph_id id, bool counters)
{
    return source_in(w, cycle, id, counters) != GRAPH_NIL;
}

static bool does_nothing(const struct doings *d)
{
    uint32_t accesses = 0;
    for (unsigned s = 0; s < SPACES; s++)
        accesses += d->loads[s] + d->stores[s];
    return d->float_count + accesses + d->others == 0;
}

/* A loop that only moves counters: of its turns the last alone is looked at; what that brings was moved behind it. */
static bool lost_its_body(const struct doings *a, const struct doings *b)
{
    uint32_t stores = 0;
    for (unsigned s = 0; s < SPACES; s++)
        stores += b->stores[s];
    return does_nothing(a) && stores + b->others == 0;
}

/* Made in a loop of the cycle, or a value that goes round it. */
static bool is_left_by(const struct cycle_work *w, int32_t cycle, graph_id id)
{
    const struct graph *g = w->g;
    uint32_t made = graph_is_loop_phi(g, id) ? UINT32_MAX : cycle_maker(w, id, UINT32_MAX);
    uint32_t l = made == UINT32_MAX ? 0 : g->blocks.p[g->insns.p[made].block].loop;
    if (graph_is_loop_phi(g, id))
        l = (uint32_t)graph_at(g, id)->imm;
    for (; l; l = g->loops.p[l - 1].parent)
        if (w->regions[l - 1].cycle == cycle)
            return true;
    return false;
}

/* An accumulator begins with what the cycle's loops left, as it is: what was made of it behind them (its square) is
 * another loop's. */
static bool begins_with_left(struct cycle_work *w, int32_t cycle, graph_id start)
{
    const struct graph *g = w->g;
    graph_id way[LOOK_MAX];
    unsigned n = 0;
    way[n++] = start;
    for (unsigned at = 0; at < n; at++) {
        const struct graph_node *x = graph_at(g, way[at]);
        if (way[at] == GRAPH_NIL || way[at] >= w->nodes)
            continue;
        if (is_left_by(w, cycle, way[at]))
            return true;
        bool opens =
            x->kind == UOP_SELECT || x->kind == UOP_UNIFORM || (x->kind == GRAPH_PHI && !graph_is_loop_phi(g, way[at]));
        const graph_id *args;
        uint32_t count = opens ? cycle_args(x, &args) : 0;
        for (uint32_t k = x->kind == UOP_SELECT; k < count && n < LOOK_MAX; k++) {
            bool known = false;
            for (unsigned i = 0; i < n && !known; i++)
                known = way[i] == args[k];
            if (!known)
                way[n++] = args[k];
        }
    }
    return false;
}

static bool is_made_of(const struct graph *g, graph_id id, graph_id of, unsigned depth)
{
    enum { DEPTH = 8 };
    const struct graph_node *n = graph_at(g, id);
    if (id == of || id == GRAPH_NIL)
        return id == of;
    for (unsigned k = 0; k < n->arg_count && depth < DEPTH; k++)
        if (is_made_of(g, n->arg[k], of, depth + 1))
            return true;
    return false;
}

/* Some bits of a number that `id` is made of: n & mask. */
static bool finds_bits(const struct graph *g, graph_id id, graph_id of, uint64_t without, unsigned depth)
{
    enum { DEPTH = 8 };
    const struct graph_node *n = graph_at(g, id);
    uint64_t mask;
    if (id == GRAPH_NIL)
        return false;
    if (n->kind == UOP_AND && graph_is_const(g, n->arg[1], &mask) && n->arg[0] == of && !(mask & without))
        return true;
    for (unsigned k = 0; k < n->arg_count && depth < DEPTH; k++)
        if (finds_bits(g, n->arg[k], of, without, depth + 1))
            return true;
    return false;
}

/* n - n % m steps there, n % m here: the rest, or the bits above it, stand in what the first loop runs over. */
static bool shares_rest(const struct graph *g, const struct cycle_region *first, const struct cycle_phi *test,
                        const struct cycle_region *other, const struct cycle_phi *rest)
{
    graph_id ends[2] = {rest->start, other->limit};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t mask;
        if (ends[i] == GRAPH_NIL)
            continue;
        graph_id bare = cycle_bare(g, ends[i]);
        const struct graph_node *n = graph_at(g, bare);
        if (n->kind == UOP_NEG)
            n = graph_at(g, bare = cycle_bare(g, n->arg[0]));
        if (n->kind != UOP_AND || !graph_is_const(g, n->arg[1], &mask) || !mask || (mask & (mask + 1)))
            continue;
        graph_id runs[2] = {test->start, first->limit};
        for (unsigned k = 0; k < 2; k++)
            if (is_made_of(g, runs[k], bare, 0) || finds_bits(g, runs[k], n->arg[0], mask, 0))
                return true;
    }
    return false;
}

static uint64_t size_of(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static const struct cycle_phi *steady_test(const struct cycle_region *r)
{
    const struct cycle_phi *t = r->tested >= 0 ? &r->phis[r->tested] : NULL;
    return t && t->step_kind == CYCLE_STEP_ADD && t->constant && t->amount ? t : NULL;
}

/* Takes turns: the next value's next value is the value (-x, !x, x ^ c, c - x). */
static bool takes_turns(const struct graph *g, const struct cycle_phi *p)
{
    uint64_t k;
    graph_id next = cycle_bare(g, p->next);
    const struct graph_node n = *graph_at(g, next);
    if (next == GRAPH_NIL)
        return false;
    if (n.type == UOP_B1)
        return n.kind == GRAPH_BOOL && n.arg_count == 1 && n.arg[0] == p->phi && n.imm == 1;
    if (n.kind == UOP_NEG || n.kind == UOP_NOT || n.kind == UOP_FNEG)
        return n.arg[0] == p->phi;
    bool inverts = n.kind == UOP_XOR || n.kind == UOP_FMUL || n.kind == UOP_ADD || n.kind == UOP_FADD;
    for (unsigned i = 0; i < 2 && inverts; i++) {
        const struct graph_node *x = graph_at(g, n.arg[i]);
        if (!graph_is_const(g, n.arg[!i], &k))
            continue;
        if (n.kind == UOP_XOR || n.kind == UOP_FMUL)
            return n.arg[i] == p->phi && (n.kind == UOP_XOR || (n.type == UOP_F32 && k == 0xbf800000));
        bool zero = n.type == UOP_F32 && (k == 0 || k == 0x80000000);
        return x->kind == (n.kind == UOP_ADD ? UOP_NEG : UOP_FNEG) && x->arg[0] == p->phi &&
               (n.kind == UOP_ADD || zero);
    }
    return false;
}

/* Nothing is read for it, no loop makes it: constants, parameters and numbers of threads alone. */
static bool is_of_parameters(const struct graph *g, graph_id id, unsigned depth)
{
    enum { DEPTH = 8 };
    const struct graph_node *n = graph_at(g, id);
    if (id == GRAPH_NIL || depth > DEPTH || n->kind == UOP_LOAD || n->kind == GRAPH_PHI || n->insn != UINT32_MAX)
        return false;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (!is_of_parameters(g, n->arg[k], depth + 1))
            return false;
    return true;
}

/* Every accumulator of `other` begins with what `first` left, and a counter goes on; *by_counter: one does. What takes
 * turns is where it was after an even number of them; *turns: something does. */
static bool takes_over(struct cycle_work *w, const struct cycle_region *first, const struct cycle_region *other,
                       bool even, bool *by_counter, bool *turns)
{
    struct doings d = doings_of(w, first->blocks, first->block_count);
    bool kept = !does_nothing(&d);
    *by_counter = *turns = false;
    for (uint32_t i = 0; i < other->phi_count; i++) {
        const struct cycle_phi *p = &other->phis[i];
        if (!p->live || p->next == p->phi || p->start == GRAPH_NIL)
            continue;
        if (even && p->step_kind == CYCLE_STEP_NONE && takes_turns(w->g, p) &&
            (comes_from(w, first->cycle, p->start, false) || is_of_parameters(w->g, p->start, 0))) {
            *turns = true;
            continue;
        }
        bool strict = kept && p->data && !p->address; /* pointers are computed anew */
        if (p->step_kind == CYCLE_STEP_NONE &&
            (strict ? !begins_with_left(w, first->cycle, p->start) : !comes_from(w, first->cycle, p->start, false)))
            return false;
        if (p->step_kind == CYCLE_STEP_ADD && p->constant)
            *by_counter |= comes_from(w, first->cycle, p->start, true);
    }
    return true;
}

/* By how much one counter moves in both loops, where the later one goes on with it; else by how much what they test
 * does. */
static bool find_amounts(struct cycle_work *w, const struct cycle_region *first, const struct cycle_region *other,
                         int64_t *a, int64_t *b)
{
    const struct cycle_phi *x = steady_test(first), *y = steady_test(other);
    if (!x || !y)
        return false;
    *a = x->amount;
    *b = y->amount;
    graph_id before = y->start == GRAPH_NIL ? y->start : source_in(w, first->cycle, y->start, true);
    for (uint32_t i = 0; i < first->phi_count && before != GRAPH_NIL; i++) {
        const struct cycle_phi *p = &first->phis[i];
        if (p->phi == before && p->step_kind == CYCLE_STEP_ADD && p->constant && p->amount)
            *a = p->amount;
    }
    return true;
}

uint32_t cycle_takes_up(struct cycle_work *w, const struct cycle_region *first, const struct cycle_region *other,
                        bool *more)
{
    const struct graph *g = w->g;
    const struct cycle_phi *a = steady_test(first), *b = steady_test(other); /* found below */
    bool goes_on, turns;
    int64_t in_first, in_other;
    *more = false;
    if (other->unroll == 0 || !find_amounts(w, first, other, &in_first, &in_other))
        return 0;
    *more = size_of(in_first) < size_of(in_other); /* what is left over comes first */
    const struct cycle_region *main = *more ? other : first, *rest = *more ? first : other;
    uint64_t from = size_of(*more ? in_other : in_first), to = size_of(*more ? in_first : in_other);
    if (from <= to || from % to != 0 || from / to > UINT16_MAX ||
        !takes_over(w, first, other, !*more && from / to % 2 == 0, &goes_on, &turns))
        return 0;
    if (!goes_on && !shares_rest(g, main, *more ? b : a, rest, *more ? a : b))
        return 0;
    struct doings x = doings_of(w, main->blocks, main->block_count);
    struct doings y = doings_of(w, rest->blocks, rest->block_count);
    bool same = does_as_much(&x, &y, from / to) || keeps_words(&x, &y, from / to) ||
                (turns && does_the_same(&x, 1, &y, from / to, FOLDED));
    return (!*more && lost_its_body(&x, &y)) || same ? (uint32_t)(from / to) : 0;
}

bool cycle_steps_less(const struct cycle_region *a, const struct cycle_region *b)
{
    const struct cycle_phi *x = steady_test(a), *y = steady_test(b);
    return x && y && size_of(x->amount) < size_of(y->amount);
}

uint32_t cycle_turns_as(struct cycle_work *w, const struct cycle_region *r, const struct cycle_region *least)
{
    const struct cycle_phi *a = steady_test(r), *b = steady_test(least);
    if (!a || !b || size_of(a->amount) <= size_of(b->amount) || size_of(a->amount) % size_of(b->amount) != 0 ||
        size_of(a->amount) / size_of(b->amount) > UINT16_MAX)
        return 0;
    uint32_t turns = (uint32_t)(size_of(a->amount) / size_of(b->amount));
    struct doings x = doings_of(w, r->blocks, r->block_count);
    struct doings y = doings_of(w, least->blocks, least->block_count);
    return does_as_much(&x, &y, turns) ? turns : 0;
}

bool cycle_does_turns(struct cycle_work *w, const uint32_t *blocks, uint32_t count, const struct cycle_region *r,
                      uint32_t steps)
{
    struct doings x = doings_of(w, blocks, count), y = doings_of(w, r->blocks, r->block_count);
    return does_the_same(&x, r->unroll, &y, steps, LOADS);
}

/* ---- straight code ------------------------------------------------------------------------------ */

/* Paths meet in it, or a loop begins with it. */
static bool is_met(const struct cycle_work *w, graph_id id)
{
    uint32_t count;
    const graph_id *users = graph_users(w->g, id, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *n = graph_at(w->g, users[i]);
        if ((n->kind == UOP_SELECT && n->arg[0] != id) || n->kind == GRAPH_PHI)
            return true;
    }
    return false;
}

static void note_stretch(struct cycle_stretch *out, uint32_t *count, uint32_t block, uint32_t steps)
{
    for (uint32_t i = 0; i < *count; i++)
        if (out[i].block == block) {
            out[i].steps = steps > out[i].steps ? steps : out[i].steps;
            return;
        }
    if (*count < CYCLE_STRETCHES)
        out[(*count)++] = (struct cycle_stretch){block, steps};
}

static int64_t constant_of(const struct graph *g, graph_id sum)
{
    const struct graph_node *n = graph_at(g, sum);
    uint64_t by = 0;
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    graph_is_const(g, n->arg[1], &by);
    return bits >= 64 ? (int64_t)by : (int64_t)(by << (64 - bits)) >> (64 - bits);
}

static void note_way(const struct cycle_region *r, const struct cycle_phi *p, int64_t way, uint32_t block,
                     struct cycle_stretch *out, uint32_t *count)
{
    if (way > INT32_MAX || way < INT32_MIN || way == 0 || (way > 0) != (p->amount > 0) ||
        size_of(p->amount) > INT32_MAX || way * (int64_t)r->unroll % p->amount != 0)
        return;
    note_stretch(out, count, block, (uint32_t)(way * (int64_t)r->unroll / p->amount));
}

/* From where a later piece begins backwards: what was added on the way, times what the sum is multiplied by. */
static void follow_start(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *p,
                         struct cycle_stretch *out, uint32_t *count)
{
    const struct graph *g = w->g;
    struct {
        graph_id id;
        int64_t scale;
    } todo[LOOK_MAX];
    unsigned n = 0;
    todo[n++].id = p->start;
    todo[0].scale = 1;
    for (unsigned at = 0; at < n && w->budget > 0; at++, w->budget--) {
        graph_id id = todo[at].id;
        const struct graph_node *x = graph_at(g, id);
        int64_t scale = todo[at].scale;
        uint64_t by;
        bool sum = x->kind == UOP_ADD, adds = sum && graph_is_const(g, x->arg[1], NULL);
        bool times = x->kind == UOP_MUL && graph_is_const(g, x->arg[1], &by) && by && by <= UINT16_MAX;
        bool opens = sum || times || x->kind == UOP_SELECT || x->kind == UOP_SEXT || x->kind == UOP_ZEXT ||
                     x->kind == UOP_UNIFORM || (x->kind == GRAPH_PHI && !graph_is_loop_phi(g, id));
        if (!opens || id >= w->nodes)
            continue;
        scale = times ? scale * (int64_t)by : scale;
        if (scale > UINT16_MAX)
            continue;
        uint32_t made = adds ? cycle_maker(w, id, UINT32_MAX) : UINT32_MAX;
        if (made != UINT32_MAX && g->blocks.p[g->insns.p[made].block].loop == g->loops.p[r->loop].parent &&
            size_of(constant_of(g, id)) <= INT32_MAX)
            note_way(r, p, constant_of(g, id) * scale, g->insns.p[made].block, out, count);
        const graph_id *args;
        uint32_t args_count = cycle_args(x, &args);
        args_count = adds || times ? 1 : args_count;
        for (uint32_t k = x->kind == UOP_SELECT; k < args_count && n < LOOK_MAX; k++) {
            bool known = false;
            for (unsigned i = 0; i < n && !known; i++)
                known = todo[i].id == args[k] && todo[i].scale == scale;
            if (known)
                continue;
            todo[n].id = args[k];
            todo[n++].scale = scale;
        }
    }
}

/* From a counter of a piece forwards, through selects and joins: what adds to it. */
static void follow_counter(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *p,
                           struct cycle_stretch *out, uint32_t *count)
{
    const struct graph *g = w->g;
    graph_id flow[LOOK_MAX];
    unsigned n = 0;
    flow[n++] = p->phi;
    if (p->next < w->nodes && p->next != GRAPH_NIL)
        flow[n++] = cycle_bare(g, p->next);
    for (unsigned at = 0; at < n; at++) {
        uint32_t user_count;
        const graph_id *users = graph_users(g, flow[at], &user_count);
        for (uint32_t i = 0; i < user_count && n < LOOK_MAX && w->budget > 0; i++) {
            const struct graph_node *u = graph_at(g, users[i]);
            uint64_t by;
            bool known = users[i] >= w->nodes;
            for (unsigned k = 0; k < n && !known; k++)
                known = flow[k] == users[i];
            if (known)
                continue;
            w->budget--;
            uint32_t made = cycle_maker(w, users[i], UINT32_MAX);
            bool outside = made == UINT32_MAX || !cycle_in_loop(w, g->insns.p[made].block, r->loop);
            bool joins = (u->kind == UOP_SELECT && u->arg[0] != flow[at]) ||
                         (u->kind == GRAPH_PHI && !graph_is_loop_phi(g, users[i])) || u->kind == UOP_UNIFORM;
            bool adds = u->kind == UOP_ADD && u->arg[0] == flow[at] && graph_is_const(g, u->arg[1], &by);
            if (!outside || !(joins || (adds && is_met(w, users[i]))))
                continue;
            flow[n++] = users[i];
            if (!adds || made == UINT32_MAX || g->blocks.p[g->insns.p[made].block].loop != g->loops.p[r->loop].parent)
                continue;
            note_way(r, p, constant_of(g, users[i]), g->insns.p[made].block, out, count);
        }
    }
}

uint32_t cycle_find_stretches(struct cycle_work *w, const struct graph_cycle *c, struct cycle_stretch *out)
{
    const struct cycle_region *least = NULL;
    uint32_t count = 0, kept = 0;
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct cycle_region *r = c->pieces.p[i].straight ? NULL : &w->regions[c->pieces.p[i].loop];
        if (!r)
            continue;
        least = !least || r->unroll < least->unroll ? r : least;
        for (uint32_t k = 0; k < r->phi_count; k++)
            if (r->phis[k].live && r->phis[k].step_kind == CYCLE_STEP_ADD && r->phis[k].constant && r->phis[k].amount) {
                follow_counter(w, r, &r->phis[k], out, &count);
                if (i > 0 && r->phis[k].start != GRAPH_NIL)
                    follow_start(w, r, &r->phis[k], out, &count);
            }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (out[i].steps < 2 || out[i].steps % least->unroll != 0)
            continue;
        struct doings x = doings_of(w, &out[i].block, 1), y = doings_of(w, least->blocks, least->block_count);
        uint32_t times = out[i].steps / least->unroll;
        if (does_as_much(&x, &y, times) || keeps_words(&x, &y, times))
            out[kept++] = out[i];
    }
    return kept;
}
