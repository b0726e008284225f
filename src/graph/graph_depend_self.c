/* A store that races with itself: threads write one word with values of their own, and which one stays is not said.
 * The address must be the same for them (for all threads, or for all that differ in one coordinate of a block of more
 * dimensions), so must the guard be, and the value must be shown to differ.
 * requires: linear forms, uniformity · gives: graph_relate_self */
#include "graph/graph_depend_internal.h"

/* Counts with this coordinate, once, whatever else is in it that threads do not share. */
static bool counts_with(struct graph *g, graph_id id, unsigned dimension, unsigned depth)
{
    struct graph_linear f;
    bool own = false;
    if (!graph_linear_of(g, id, &f))
        return false;
    for (unsigned i = 0; i < f.n; i++) {
        struct graph_digit d = {0};
        const struct graph_node n = *graph_at(g, f.t[i].symbol);
        if (graph_block_uniform(g, f.t[i].symbol))
            continue;
        if (graph_is_digit(g, f.t[i].symbol, &d)) {
            if (d.dimension != dimension)
                continue;
            if (own || d.flip || d.mask != UINT32_MAX || d.shift)
                return false;
            own = true;
            continue;
        }
        unsigned by = n.kind == UOP_MUL && graph_block_uniform(g, n.arg[0]); /* a row times its length */
        if (own || n.kind != UOP_MUL || !graph_block_uniform(g, n.arg[1 - by]) || depth ||
            !counts_with(g, n.arg[by], dimension, depth + 1))
            return false;
        own = true;
    }
    return own;
}

/* What a value is made of by sums and products, as far as it is looked at. */
struct making {
    const struct graph_access *store;
    unsigned dimension, left;
    bool own;   /* an element of the thread's own, or its number */
    bool again; /* what stood in the word before */
};

static bool made_of(struct graph *g, struct making *m, graph_id id)
{
    const struct graph_node n = *graph_at(g, id);
    if (n.kind == UOP_LOAD && n.arg[0] == m->store->address && n.space == m->store->space) {
        m->again = true;
        return true;
    }
    if (graph_block_uniform(g, id))
        return true;
    if (counts_with(g, n.kind == UOP_LOAD && n.space == UOP_GLOBAL ? n.arg[0] : id, m->dimension, 0)) {
        m->own = true;
        return true;
    }
    if (!m->left || (n.kind != UOP_ADD && n.kind != UOP_FADD && n.kind != UOP_FMUL && n.kind != UOP_FFMA))
        return false;
    m->left--;
    for (unsigned i = 0; i < n.arg_count; i++)
        if (!made_of(g, m, n.arg[i]))
            return false;
    return true;
}

/* Differs for certain between threads that differ in this coordinate: counts with it, or comes from an element of its
 * own, be it by sums and products; or is an update of the word, which is lost when another thread makes one too. */
static bool differs(struct graph *g, const struct graph_access *x, unsigned dimension, bool *update)
{
    struct making m = {.store = x, .dimension = dimension, .left = 12};
    if (!made_of(g, &m, x->value[0]))
        return false;
    *update = m.again && !m.own;
    return m.own || (m.again && graph_at(g, x->value[0])->kind != UOP_LOAD);
}

/* The number is the coordinate times a constant, and things that all threads share but no constant, and reaches `whole`
 * just there. */
static bool is_cut_first_at(struct graph *g, graph_id id, unsigned dimension, int64_t by, int64_t whole)
{
    struct graph_linear f;
    int64_t c = 0;
    if (!graph_linear_of(g, id, &f) || f.k)
        return false;
    for (unsigned i = 0; i < f.n; i++)
        if (f.t[i].symbol == graph_sreg(g, UOP_SR_TID_X + dimension))
            c = f.t[i].c;
        else if (!graph_block_uniform(g, f.t[i].symbol) && graph_at(g, f.t[i].symbol)->kind != UOP_SHR)
            return false;
    return c > 0 && c < INT32_MAX && c * by == whole;
}

/* What is added to a number when this coordinate goes on by a power of two: a number that is cut by masks and shifts
 * comes round again. False: not the same for all threads. */
static bool goes_on_by(struct graph *g, graph_id id, unsigned dimension, int64_t by, unsigned depth, int64_t *out)
{
    struct graph_linear f;
    *out = 0;
    if (depth > 4 || !graph_linear_of(g, id, &f))
        return false;
    for (unsigned i = 0; i < f.n; i++) {
        const struct graph_node n = *graph_at(g, f.t[i].symbol);
        uint64_t c = 0, whole_sign;
        int64_t on = 0, whole;
        bool constant = n.arg_count == 2 && graph_is_const(g, n.arg[1], &c);
        if (graph_block_uniform(g, f.t[i].symbol))
            continue;
        if (n.kind == UOP_SREG && n.imm <= UOP_SR_TID_Z) {
            on = n.imm == dimension ? by : 0;
        } else if ((n.kind == UOP_SHR || n.kind == UOP_SAR) && constant && c < 32) {
            const struct graph_node sign = *graph_at(g, n.arg[0]);
            if (sign.kind == UOP_SAR && graph_is_const(g, sign.arg[1], &whole_sign) && whole_sign == 31 &&
                graph_stays_natural(g, sign.arg[0]))
                continue; /* no bit is set */
            if (!graph_stays_natural(g, n.arg[0]))
                return false;
            if (c < 31 && (!goes_on_by(g, n.arg[0], dimension, by, depth + 1, &on) || on % (INT64_C(1) << c)))
                return false;
            on /= INT64_C(1) << c; /* of no number that is not negative anything is left behind bit 30 */
        } else if (n.kind == UOP_AND && constant && n.type == UOP_B32) {
            bool high = c >> 31 & 1; /* keeps what is above some bit, or nothing above some bit */
            uint32_t low = high ? ~(uint32_t)c : (uint32_t)c;
            whole = low ? INT64_C(1) << (32 - __builtin_clz(low)) : 1;
            /* Threads before that are not cut: an index that is turned (t + 1 & 255) or spread (17 * t & 255) is no
             * other thread's where the block ends there. */
            if ((high && whole != (int64_t)low + 1) || !is_cut_first_at(g, n.arg[0], dimension, by, whole) ||
                !goes_on_by(g, n.arg[0], dimension, by, depth + 1, &on) || on % whole)
                return false;
            on = high ? on : 0;
        } else {
            return false;
        }
        if (__builtin_mul_overflow(on, f.t[i].c, &on) || __builtin_add_overflow(*out, on, out))
            return false;
    }
    return true;
}

/* How far apart threads are that store to one word; 0: not seen. */
static uint32_t comes_round(struct graph *g, graph_id address)
{
    int64_t on;
    for (uint32_t by = 2; by < 1024 && graph_at(g, address)->kind != UOP_CONST; by *= 2)
        if (goes_on_by(g, address, 0, by, 0, &on) && !on)
            return by;
    return 0;
}

/* The same for threads that differ in this coordinate only. */
static bool same_along(struct graph *g, graph_id id, unsigned dimension)
{
    graph_id thread[3] = {0};
    thread[dimension] = graph_const(g, UOP_B32, 0);
    return id == GRAPH_NIL || graph_block_uniform(g, id) || graph_substitute_thread(g, id, thread) == id;
}

/* The condition asks for no bits of the thread's number, but for the number. */
static bool asks_for_whole(struct graph *g, graph_id when)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (!graph_table(g, when, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < 2 && graph_at(g, atoms[k])->arg_count == 2; i++) {
            struct graph_linear f;
            if (!graph_linear_of(g, graph_at(g, atoms[k])->arg[i], &f))
                return false;
            for (unsigned t = 0; t < f.n; t++) {
                unsigned dimension;
                bool whole = true;
                if (!graph_block_uniform(g, f.t[t].symbol) &&
                    (!graph_is_coordinate(g, f.t[t].symbol, &dimension, &whole) || !whole))
                    return false;
            }
        }
    return true;
}

/* A thread and one so far on in this direction both pass the condition, in some launch: `launch` says in which. */
static bool two_pass(struct graph *g, graph_id when, unsigned dimension, int64_t by, graph_id *launch)
{
    graph_id thread[3] = {0};
    struct graph_linear next = {.t = {{graph_sreg(g, UOP_SR_TID_X + dimension), 1}}, .n = 1, .k = by}, own = next;
    struct graph_constraints base = {0};
    struct graph_range size;
    *launch = GRAPH_NIL;
    if (when == GRAPH_NIL || same_along(g, when, dimension))
        return true;
    for (unsigned d = 0; d < 3; d++)
        thread[d] = graph_sreg(g, UOP_SR_TID_X + d);
    thread[dimension] = graph_linear_node(g, &next);
    graph_id there = graph_substitute_thread(g, when, thread);
    graph_take_sizes(g, when, &base);
    if (there == GRAPH_NIL || !asks_for_whole(g, when) || !graph_condition_linear(g, when, &base))
        return false;
    graph_range_of(g, own.t[0].symbol, &size);
    next.k -= size.hi;
    graph_constrain(&base, &next);
    if (graph_excluded(g, when, there, &base))
        return false;
    *launch = graph_launch_for(g, when, when, thread);
    return true;
}

/* One store that all threads make (or all that differ in one coordinate only, or several of them), to one word, each
 * with a value of its own. A coordinate that the code reads is taken to have more than one value; where the address
 * counts round again, the block is taken to be larger than that: the code would not count so otherwise. */
void graph_relate_self(struct finder *f, uint32_t access)
{
    struct graph *g = f->g;
    const struct graph_access *x = access_at(f, access);
    const struct graph_facts *facts = graph_facts_of(g);
    struct graph_side side = {.address = x->address, .when = x->runs_when, .space = x->space};
    struct graph_linear form;
    if (x->kind != GRAPH_STORE || (x->space != UOP_SHARED && x->space != UOP_GLOBAL) || x->order >= UOP_RELAXED_CTA ||
        f->unordered || x->value[0] == GRAPH_NIL || !graph_address_form(g, &side, &form))
        return;
    for (unsigned d = 0; d < 3; d++) {
        bool one_word = facts->two_dimensional ? facts->reads[d] : d == 0;
        struct graph_constraints sizes = {0};
        struct graph_race r = {.first = access, .second = access};
        graph_take_sizes(g, x->runs_when, &sizes);
        if (!one_word || g->env->block[d] == 1 || !graph_condition_linear(g, x->runs_when, &sizes))
            continue;
        for (unsigned i = 0; i < form.n && one_word; i++) {
            struct graph_digit digit = {0};
            one_word = graph_block_uniform(g, form.t[i].symbol) ||
                       (graph_is_digit(g, form.t[i].symbol, &digit) && digit.dimension != d);
        }
        if (!one_word && !facts->two_dimensional)
            r.every = comes_round(g, x->address);
        if ((!one_word && !r.every) || (g->env->block[d] && r.every >= g->env->block[d]) ||
            !differs(g, x, d, &r.update) || !two_pass(g, x->runs_when, d, r.every ? r.every : 1, &r.launch))
            continue;
        if (facts->two_dimensional)
            r.thread[d] = graph_sreg(g, UOP_SR_TID_X + d);
        VEC_PUSH(f->a, f->out->races, r);
        return;
    }
}
