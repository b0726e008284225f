/* Which function a value is of the numbers it is made of: it is run on samples, and functions that give something else
 * are struck out. What holds wherever the value is made is given; where branches choose, blocks are walked from the one
 * above all meetings to the one where the value is there.
 *
 * Requires what pat_function.c has begun; gives the function, or none. */
#include "pattern/pat_function.h"

#include <math.h>

enum {
    MISSES_HALF = 5,  /* libraries round a number of 16 bits well: samples where it is the next number instead */
    POWER_DEPTH = 12, /* a power by some products is not one by logarithm and exp */
    NEEDED = 12,      /* samples with a finite value */
    ORDERS = 40,      /* whole numbers tried are below */
    LEAST_EXACT = 3,
};

static void earliest(void *user, uint32_t insn, bool merged)
{
    uint32_t *at = user;
    (void)merged;
    *at = insn < *at ? insn : *at;
}

/* Where both words of a value that two registers hold are there; UINT32_MAX: no such words. */
static uint32_t words_there(const struct function_search *s, graph_id id)
{
    uint32_t there = 0;
    if (uop_type_bits(graph_type_of(s->g, id)) != 64)
        return UINT32_MAX;
    for (unsigned high = 0; high < 2; high++) {
        graph_id word = graph_op1(s->g, high ? UOP_HI : UOP_LO, UOP_B32, id);
        uint32_t insn = UINT32_MAX;
        if (word < s->x->count)
            pat_holders(s->x, word, earliest, &insn);
        there = insn > there ? insn : there;
    }
    return there;
}

/* The block where a value is first there, UINT32_MAX: in no register. */
static uint32_t block_of(const struct function_search *s, graph_id id)
{
    uint32_t insn = UINT32_MAX;
    if (graph_at(s->g, id)->kind == GRAPH_PHI)
        return graph_at(s->g, id)->block;
    pat_holders(s->x, id, earliest, &insn);
    if (insn == UINT32_MAX) /* made by the meeting of branches: where it is first read */
        insn = s->first_use[id] - 1;
    if (insn == UINT32_MAX)
        insn = words_there(s, id);
    return insn == UINT32_MAX ? insn : s->g->insns.p[insn].block;
}

void pat_function_find_given(struct function_search *s, graph_id root)
{
    struct graph *g = s->g;
    uint32_t block = block_of(s, root);
    s->run.given_count = 0;
    s->run.truth = 0;
    for (unsigned level = 0; block < g->blocks.n && level < 4; level++) {
        const struct graph_block b = g->blocks.p[block];
        graph_id atoms[6];
        unsigned count = 0;
        uint64_t table;
        if (b.path != GRAPH_NIL && graph_table(g, b.path, atoms, &count, &table))
            for (unsigned i = 0; i < count && s->run.given_count < FUNCTION_GIVEN; i++) {
                bool holds = graph_implies(g, b.path, atoms[i]), not = graph_implies(g, b.path, graph_not(g, atoms[i]));
                if (holds == not || pat_function_holds(s->run.given, s->run.given_count, atoms[i]))
                    continue;
                s->run.truth |= (uint32_t)holds << s->run.given_count;
                s->run.given[s->run.given_count++] = atoms[i];
            }
        if (!b.loop)
            break;
        uint32_t header = g->loops.p[b.loop - 1].header;
        block = header != block ? header : b.idom;
    }
    s->given_key = s->run.given_count;
    for (unsigned i = 0; i < s->run.given_count; i++)
        s->given_key = map_hash_mix(s->given_key, s->run.given[i]);
}

static uint32_t meet(const struct graph *g, uint32_t a, uint32_t b)
{
    for (uint32_t steps = 0; a != b && steps < 100000; steps++) {
        if (a == UINT32_MAX || b == UINT32_MAX)
            return UINT32_MAX;
        bool first = g->blocks.p[a].first > g->blocks.p[b].first;
        *(first ? &a : &b) = g->blocks.p[first ? a : b].idom;
    }
    return a;
}

bool pat_function_find_walk(struct function_search *s)
{
    struct pat_cone *c = &s->cone;
    const struct graph *g = s->g;
    uint32_t from = UINT32_MAX;
    bool any = false, local = false;
    if (!c->walks)
        return true;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct graph_node *n = graph_at(g, c->node[i]);
        local |= n->kind == UOP_LOAD && n->space == UOP_LOCAL;
        if (n->kind != GRAPH_PHI || pat_function_holds(s->run.argument, s->run.argument_count, c->node[i]))
            continue;
        uint32_t top = g->blocks.p[n->block].idom;
        from = any ? meet(g, from, top) : top;
        any = true;
        if (from == UINT32_MAX)
            return false;
    }
    for (size_t i = 0; local && i < g->accesses.n; i++) {
        const struct graph_access *a = &g->accesses.p[i];
        if (!pat_run_is_local(a) || !g->insns.p[a->insn].reachable)
            continue;
        uint32_t block = g->insns.p[a->insn].block;
        from = any ? meet(g, from, block) : block;
        any = true;
        if (from == UINT32_MAX)
            return false;
    }
    if (!any)
        return false;
    s->run.to = block_of(s, c->node[0]);
    s->run.from = s->run.to == UINT32_MAX ? from : meet(g, from, s->run.to);
    return s->run.to != UINT32_MAX && s->run.from != UINT32_MAX;
}

uint32_t pat_function_last_meeting(const struct function_search *s)
{
    const struct graph *g = s->g;
    uint32_t to = UINT32_MAX;
    for (uint32_t i = 0; i < s->cone.count; i++) {
        const struct graph_node *n = graph_at(g, s->cone.node[i]);
        bool meets =
            n->kind == GRAPH_PHI && !pat_function_holds(s->run.argument, s->run.argument_count, s->cone.node[i]);
        if (meets && (to == UINT32_MAX || g->blocks.p[n->block].first > g->blocks.p[to].first))
            to = n->block;
    }
    bool behind = to != UINT32_MAX && g->blocks.p[to].loop == g->blocks.p[s->run.from].loop;
    return behind ? to : s->run.to;
}

struct orders { /* by order, from LEAST_ORDER on: the value may be that function */
    uint32_t first, second;
};
enum { LEAST_ORDER = 2, CONSTANT_ORDERS = 19, ORDER_DEPTH = 16 };

/* Of Bessel functions of constant orders, those that agree. */
static void keep_orders(struct orders *o, enum uop_type type, bool is_far, double at, double got)
{
    const struct pat_known *list = pat_known_functions(&(unsigned){0});
    const struct pat_known *jn_ = &list[pat_known_named("jn")], *yn_ = &list[pat_known_named("yn")];
    for (unsigned i = 0; i < CONSTANT_ORDERS; i++) {
        double order = i + LEAST_ORDER;
        if ((o->first >> i & 1) && !pat_known_agrees(jn_, type, is_far, at, got, jn_->two(order, at)))
            o->first &= ~(1u << i);
        if ((o->second >> i & 1) && !pat_known_agrees(yn_, type, is_far, at, got, yn_->two(order, at)))
            o->second &= ~(1u << i);
    }
}

/* The cone between the root and the arguments, and where it is walked; the arguments' order does not matter to it, so
 * that it is often there already. False: more than can be followed. */
static bool find_cone(struct function_search *s, graph_id root, const graph_id *args, unsigned count)
{
    bool same = s->last.round == s->round && s->last.root == root && s->last.count == count;
    for (unsigned i = 0; i < count && same; i++)
        same = pat_function_holds(s->last.args, count, args[i]);
    if (!same && !pat_function_cone(s, &root, 1, args, count))
        return false;
    s->run.cone = &s->cone;
    s->run.argument_count = count;
    for (unsigned i = 0; i < count; i++)
        s->run.argument[i] = args[i];
    if (same)
        return true;
    uint32_t own = 0; /* what pages spell out, put together by a few operations, is the kernel's to put together */
    for (uint32_t i = 0; i < s->cone.count; i++)
        own += !s->closed[s->cone.node[i]] && !pat_function_holds(args, count, s->cone.node[i]);
    s->last.round = s->round;
    s->last.root = root;
    s->last.count = count;
    for (unsigned i = 0; i < count; i++)
        s->last.args[i] = args[i];
    s->last.own = own;
    s->last.walks = own >= LEAST_EXACT && pat_function_find_walk(s);
    return true;
}

int pat_function_which(struct function_search *s, graph_id root, const graph_id *args, unsigned count, unsigned whole)
{
    unsigned known, finite = 0;
    const struct pat_known *list = pat_known_functions(&known);
    bool alive[PAT_KNOWN_MAX];
    unsigned left = 0, missed[PAT_KNOWN_MAX] = {0};
    double at[FUNCTION_ARGS];
    if (pat_run_is_unknown(&s->run, root, args, count) || !find_cone(s, root, args, count))
        return -1;
    enum uop_type type = pat_function_type(s, root);
    const unsigned root_bits = pat_function_width(s, root), arg_bits = pat_function_width(s, args[whole == 1]);
    bool other = root_bits != arg_bits, half = type == UOP_F16 || type == UOP_BF16; /* other: an integer of numbers */
    if (other)
        type = arg_bits == 64 ? UOP_F64 : UOP_F32;
    const uint32_t own = s->last.own;
    bool few = other || (!half && (own < FUNCTION_LEAST_NODES || s->depth[root] < FUNCTION_LEAST_DEPTH));
    if (type == UOP_VOID || own < (half ? FUNCTION_LEAST_HALF : LEAST_EXACT) || !s->last.walks)
        return -1;
    for (unsigned i = 0; i < known && i < PAT_KNOWN_MAX; i++)
        left += alive[i] = !few && list[i].args == count && list[i].whole == whole && (half || !list[i].rounded);
    double power = 0.0; /* a constant second argument of pow() */
    bool to_power = count == 1 && !half && !few && !s->turned && s->depth[root] >= POWER_DEPTH;
    uint32_t next_bound = 0;
    bool is_far = false;
    struct orders orders = {0}; /* of Bessel functions */
    uint32_t next_exact = 0;
    s->exact = half || s->turned ? 0 : pat_exact_all(count, whole, root_bits, type, few);
    if (to_power && s->depth[root] >= ORDER_DEPTH)
        orders.first = orders.second = (1u << CONSTANT_ORDERS) - 1;
    for (unsigned k = 0; left || to_power || orders.first || orders.second || s->exact; k++) {
        uint64_t bits[FUNCTION_ARGS] = {0}, result;
        bool others = true; /* the sample is for those too that are not known by their bits */
        if (!pat_known_sample(count, k, at, &is_far)) {
            others = !s->exact || !pat_exact_sample(count, whole, next_exact++, at);
            if (others && !pat_function_bound(s, type, count, &next_bound, at))
                break;
            is_far = true;
        }
        for (unsigned i = 0; i < count && half; i++)
            at[i] = pat_function_number(type, pat_function_bits(type, at[i]));
        bool skip = whole && others && !(fabs(at[whole - 1]) < ORDERS);
        for (unsigned i = 0; i < count; i++)
            skip |= pat_known_is_small(type, at[i]); /* these may be flushed */
        if (skip)
            continue;
        for (unsigned i = 0; i < count; i++) {
            at[i] = i + 1 == whole ? rint(at[i]) : at[i];
            bits[i] = i + 1 == whole ? (uint32_t)(int32_t)at[i] : pat_function_bits(type, at[i]);
        }
        bits[0] ^= s->turned ? UINT64_C(1) << (arg_bits - 1) : 0;
        enum pat_ran ran = pat_run_function(&s->run, bits, &result);
        if (ran == PAT_RAN_UNKNOWN && is_far) /* by a table, say */
            continue;
        if (ran == PAT_RAN_UNKNOWN)
            return -1;
        if (ran == PAT_RAN_ELSEWHERE)
            continue;
        double got = pat_function_number(type, half ? result & 0xffff : result);
        finite += !is_far && (other || got - got == 0.0);
        for (unsigned i = 0; i < known && i < PAT_KNOWN_MAX && others; i++) {
            if (!alive[i])
                continue;
            double wanted = pat_known_value(&list[i], at);
            alive[i] = pat_known_agrees(&list[i], type, is_far, at[whole == 1], got, wanted);
            missed[i] +=
                !is_far && got - got == 0.0 && got != pat_function_number(type, pat_function_bits(type, wanted));
            alive[i] &= !half || missed[i] < (list[i].rounded ? 1 : MISSES_HALF);
            left -= !alive[i];
        }
        if (s->exact)
            pat_exact_keep(&s->exact, type, is_far, at, root_bits, result);
        if (!others)
            continue;
        keep_orders(&orders, type, is_far, at[0], got);
        if (to_power && power != 0.0)
            to_power = pat_known_agrees(&list[pat_known_named("pow")], type, is_far, at[0], got, pow(at[0], power));
        else if (to_power)
            to_power = pat_known_power(at[0], got, &power);
    }
    if (s->exact && finite >= NEEDED)
        return FUNCTION_EXACT;
    for (unsigned i = 0; (orders.first | orders.second) && !left && finite >= NEEDED && i < CONSTANT_ORDERS; i++)
        if ((orders.first | orders.second) >> i & 1) {
            s->power = i + LEAST_ORDER;
            return pat_known_named(orders.first >> i & 1 ? "jn" : "yn");
        }
    if (to_power && !left && finite >= NEEDED) {
        s->power = pat_function_bits(type, power);
        return pat_known_named("pow");
    }
    for (unsigned i = 0; left && finite >= NEEDED && i < known && i < PAT_KNOWN_MAX; i++)
        if (alive[i])
            return (int)i;
    return -1;
}
