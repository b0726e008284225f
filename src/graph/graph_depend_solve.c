/* Whose store it is: solves store.address(u) = load.address(t) for the storing thread u. Both addresses are linear
 * forms; the store's terms that differ between threads are its *digits*: threadIdx itself, its high or low bits, or one
 * of these times something uniform. One digit is divided out; several are taken apart as a number of mixed radix, the
 * largest coefficient first (tile[ty][tx], whatever the pitch). What is left uniform must fall away. Then the guards of
 * both sides are put together: what cannot hold is no solution.
 * requires: linear forms, uniformity · gives: graph_solve_pair */
#include "graph/graph_depend_internal.h"

bool graph_address_form(struct graph *g, const struct graph_side *side, struct graph_linear *out)
{
    if (!graph_linear_of(g, side->address, out))
        return false;
    /* A sum of addresses does not leave its space: only an extension that may cut says `wraps` there. */
    if (side->space == UOP_SHARED && g->env->sm >= 90) {
        for (unsigned i = 0; i < out->n; i++) {
            const struct graph_node *n = graph_at(g, out->t[i].symbol);
            if (n->kind == UOP_SREG && n->imm == UOP_SR_CGA_CTAID && out->t[i].c == 1 << 24) {
                struct graph_linear window = {.t = {{out->t[i].symbol, -(1 << 24)}}, .n = 1};
                graph_linear_add(out, &window, 1);
                break;
            }
        }
        out->k -= 0x400;
    }
    return true;
}

int64_t graph_shared_place(struct graph *g, graph_id address)
{
    struct graph_side side = {.address = address, .space = UOP_SHARED};
    struct graph_linear f;
    return graph_facts_of(g) && graph_address_form(g, &side, &f) ? f.k : 0;
}

/* ---- guards ---------------------------------------------------------------------------------- */

/* The coordinate out of its digits. */
static bool coordinate(struct graph *g, struct graph_digit *d, unsigned count, unsigned dimension, graph_id store_when,
                       struct graph_linear *out, bool *missing)
{
    int high = -1, low = -1;
    int64_t k;
    *missing = false;
    for (unsigned i = 0; i < count; i++) {
        if (d[i].dimension != dimension)
            continue;
        if (d[i].mask == UINT32_MAX && !d[i].shift) {
            *out = d[i].value;
            return true;
        }
        if (d[i].mask == UINT32_MAX)
            high = (int)i;
        else if (!d[i].shift)
            low = (int)i;
    }
    *out = (struct graph_linear){0};
    if (high < 0 && low < 0) {
        if (graph_pins(g, store_when, dimension, 0, UINT32_MAX, &k)) {
            out->k = k;
            return true;
        }
        *missing = true;
        return false;
    }
    unsigned shift = high >= 0 ? d[high].shift : (unsigned)__builtin_ctz(d[low].mask + 1);
    uint32_t mask = (UINT32_C(1) << shift) - 1;
    if (low >= 0 && d[low].mask != mask)
        return false;
    struct graph_linear h = {0}, l = {0};
    if (high >= 0)
        h = d[high].value;
    else if (graph_pins(g, store_when, dimension, shift, UINT32_MAX, &k))
        h.k = k;
    else
        return false;
    if (low >= 0)
        l = d[low].value;
    else if (graph_pins(g, store_when, dimension, 0, mask, &k))
        l.k = k;
    else
        return false;
    return graph_linear_add(out, &h, INT64_C(1) << shift) && graph_linear_add(out, &l, 1);
}

/* The condition asks for a coordinate of which nothing is known. */
static bool asks_for(const struct graph *g, graph_id id, const graph_id thread[3], unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_SREG)
        return n->imm <= UOP_SR_TID_Z ? thread[n->imm] == GRAPH_NIL : n->imm >= UOP_SR_LANEID && !thread[0];
    if (depth > 16)
        return true;
    for (unsigned i = 0; i < n->arg_count; i++)
        if (asks_for(g, n->arg[i], thread, depth + 1))
            return true;
    return false;
}

/* What a condition says of the thread, whatever stands in the data that it asks for: NIL where that is all it asks for.
 * *hangs: it asks for data, and this is known of the rest. */
static graph_id without_data(struct graph *g, graph_id when, const graph_id thread[3], bool *hangs)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    *hangs = false;
    if (!graph_table(g, when, atoms, &count, &table))
        return GRAPH_NIL;
    for (unsigned i = 0; i < count && when != GRAPH_NIL; i++) {
        if (graph_block_uniform(g, atoms[i]) ||
            (!asks_for(g, atoms[i], thread, 0) && graph_substitute_thread(g, atoms[i], thread) != GRAPH_NIL))
            continue;
        when = graph_or(g, graph_assume(g, when, atoms[i]), graph_assume(g, when, graph_not(g, atoms[i])));
    }
    graph_id there =
        when == GRAPH_NIL || graph_block_uniform(g, when) ? when : graph_substitute_thread(g, when, thread);
    *hangs = there != GRAPH_NIL || when == GRAPH_NIL;
    return there;
}

bool graph_both_exclude(struct graph *g, graph_id a, graph_id b, const struct graph_constraints *base,
                        const struct graph_linear *f, int64_t m, int64_t k)
{
    struct graph_constraints all = *base; /* … and m * f + k <= 0 */
    struct graph_linear more = {.k = k};
    if (!graph_linear_add(&more, f, m))
        return false;
    graph_constrain(&all, &more);
    return graph_excluded(g, a, b, &all);
}

static bool nonzero(struct graph *g, graph_id id)
{
    struct graph_range r;
    return graph_range_of(g, id, &r) && (r.lo > 0 || r.hi < 0);
}

/* A coordinate times what all threads share, in a number that is not 0 for coordinate 0: of all threads one at most
 * stands just that far from itself. */
static bool grows_otherwise(struct graph *g, const struct graph_linear *d, unsigned at, unsigned dimension,
                            unsigned *varies)
{
    struct graph_digit steps = {0};
    graph_id own = graph_sreg(g, UOP_SR_TID_X + dimension);
    if (graph_at(g, d->t[at].symbol)->kind != UOP_MUL || !d->k || !graph_read_digit(g, d->t[at].symbol, 1, &steps) ||
        steps.dimension != dimension || steps.shift || steps.mask != UINT32_MAX || steps.flip)
        return false;
    for (unsigned i = 0; i < d->n; i++)
        if (i != at && d->t[i].symbol != own)
            return false;
    ++*varies;
    return true;
}

static unsigned compare_thread(struct graph *g, graph_id thread, const struct graph_linear *u, unsigned dimension,
                               graph_id load_when, graph_id store_when, const struct graph_constraints *base)
{
    struct graph_linear d = *u, own = {.t = {{graph_sreg(g, UOP_SR_TID_X + dimension), 1}}, .n = 1};
    int64_t k;
    if (!graph_linear_add(&d, &own, -1))
        return THREAD_UNDECIDED;
    if (graph_linear_is_const(&d, &k))
        return k ? THREAD_OTHER : THREAD_SAME;
    const struct graph_node n = *graph_at(g, thread); /* t ^ d */
    if (n.kind == UOP_XOR)
        for (unsigned i = 0; i < 2; i++)
            if (n.arg[i] == own.t[0].symbol && nonzero(g, n.arg[1 - i]))
                return THREAD_OTHER;
    struct graph_constraints zero = *base;
    struct graph_linear minus = {0};
    graph_constrain(&zero, &d);
    if (graph_linear_add(&minus, &d, -1))
        graph_constrain(&zero, &minus);
    if (graph_excluded(g, load_when, store_when, &zero))
        return THREAD_OTHER;
    if (graph_both_exclude(g, load_when, store_when, base, &d, -1, 1) &&
        graph_both_exclude(g, load_when, store_when, base, &d, 1, 1))
        return THREAD_SAME;
    struct graph_constraints first = *base; /* in the first turn, which is always made, it is another one */
    graph_in_first_turn(g, &d, &first);
    if (first.n > base->n && !graph_excluded(g, load_when, store_when, &first)) {
        graph_constrain(&first, &d);
        if (minus.n || minus.k)
            graph_constrain(&first, &minus);
        if (graph_excluded(g, load_when, store_when, &first))
            return THREAD_VARIES;
    }
    unsigned varies = 0;
    for (unsigned i = 0; i < d.n; i++) {
        struct graph_digit bits = {0};
        if (graph_block_uniform(g, d.t[i].symbol) || grows_otherwise(g, &d, i, dimension, &varies))
            continue;
        if (!graph_is_digit(g, d.t[i].symbol, &bits) || bits.flip)
            return THREAD_UNDECIDED; /* it may come to the thread's own number */
        varies++;
    }
    return varies ? THREAD_VARIES : THREAD_UNDECIDED;
}

/* In a block of several dimensions: both stand in one row, which is taken to be part of a warp or some whole ones. A
 * row of a tile with room for one warp's words is one warp's: tile[threadIdx.y][threadIdx.x] with a pitch of 33. */
static bool in_one_row(struct graph *g, const struct graph_digit *digits, unsigned count, const struct graph_linear *u,
                       const graph_id thread[3], struct graph_constraints *base)
{
    const struct graph_facts *facts = graph_facts_of(g);
    struct graph_linear t = {.t = {{graph_sreg(g, UOP_SR_TID_X), 1}}, .n = 1, .k = -31}, x = *u;
    bool short_row = false;
    if (thread[1] != graph_sreg(g, UOP_SR_TID_Y) || thread[2] != graph_sreg(g, UOP_SR_TID_Z))
        return false;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < facts->row_count; k++)
            short_row |= digits[i].dimension == 0 && !digits[i].shift && digits[i].mask == UINT32_MAX &&
                         facts->rows[k].step < 64 * digits[i].c;
    x.k -= 31;
    if (short_row) {
        graph_constrain(base, &t);
        graph_constrain(base, &x);
    }
    return true;
}

/* Both in one warp: bounds by the guards, or only the bits within a lane differ. */
static bool one_warp(struct graph *g, const struct graph_linear *u, graph_id thread, graph_id load_when,
                     graph_id store_when, const struct graph_constraints *base)
{
    struct graph_linear t = {.t = {{graph_sreg(g, UOP_SR_TID_X), 1}}, .n = 1};
    const struct graph_node n = *graph_at(g, thread);
    uint64_t c;
    struct graph_linear apart = *u;
    int64_t k;
    if (!graph_linear_add(&apart, &t, -1) || (graph_linear_is_const(&apart, &k) && (k >= 32 || k <= -32)))
        return false;
    if (n.kind == UOP_XOR && n.arg[0] == t.t[0].symbol) {
        struct graph_range r;
        if (graph_range_of(g, n.arg[1], &r) && r.lo >= 0 && r.hi < 32)
            return true;
    }
    if (u->n == 2 && u->k >= 0 && u->k < 32) { /* 32 * (t >> 5) + … */
        for (unsigned i = 0; i < 2; i++) {
            const struct graph_node h = *graph_at(g, u->t[i].symbol);
            struct graph_linear rest = {.t = {{u->t[1 - i].symbol, u->t[1 - i].c}}, .n = 1, .k = u->k};
            struct graph_range r;
            graph_linear_range(g, &rest, &r);
            if (u->t[i].c == 32 && h.kind == UOP_SHR && h.arg[0] == t.t[0].symbol && graph_is_const(g, h.arg[1], &c) &&
                c == 5 && r.lo >= 0 && r.hi < 32)
                return true;
        }
    }
    /* The lane plus the distance stays a lane. */
    struct graph_linear lane = *u;
    if (graph_linear_add(&lane, &t, -1)) {
        struct graph_linear bits = {
            .t = {{graph_op2(g, UOP_AND, UOP_B32, t.t[0].symbol, graph_const(g, UOP_B32, 31)), 1}}, .n = 1};
        if (graph_linear_add(&lane, &bits, 1) && graph_both_exclude(g, load_when, store_when, base, &lane, -1, 32) &&
            graph_both_exclude(g, load_when, store_when, base, &lane, 1, 1))
            return true;
    }
    /* t >= 32 and u >= 32 are impossible */
    return graph_both_exclude(g, load_when, store_when, base, &t, -1, 32) &&
           graph_both_exclude(g, load_when, store_when, base, u, -1, 32);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void judge(struct graph *g, const struct graph_side *store, const struct graph_side *load,
                  struct graph_digit *digits, unsigned count, const struct graph_equations *conditions,
                  struct graph_solution *out)
{
    struct graph_constraints base = {0};
    struct graph_linear u[3], f;
    bool all = true, equation = false;     /* one with something in it that is not t */
    for (unsigned i = 0; i < count; i++) { /* digits stay inside their bounds */
        f = (struct graph_linear){0};
        if (graph_linear_add(&f, &digits[i].value, -1))
            graph_constrain(&base, &f);
        f = digits[i].value;
        f.k -= graph_digit_count(g, &digits[i]) - 1;
        graph_constrain(&base, &f);
        if (digits[i].mask == UINT32_MAX && !digits[i].shift) {
            struct graph_linear size = {
                .t = {{graph_sreg(g, UOP_SR_NTID_X + digits[i].dimension), 1}}, .n = 1, .k = -1};
            f = digits[i].value;
            if (graph_at(g, size.t[0].symbol)->kind == UOP_SREG && graph_linear_add(&f, &size, -1))
                graph_constrain(&base, &f);
        }
        out->assumed |= digits[i].value.wraps;
    }
    for (unsigned k = 0; k < conditions->n; k++) {
        const struct graph_linear *condition = &conditions->f[k];
        struct graph_linear minus = {0};
        graph_constrain(&base, condition);
        if (graph_linear_add(&minus, condition, -1))
            graph_constrain(&base, &minus);
        for (unsigned i = 0; i < condition->n; i++) {
            struct graph_digit d = {0};
            equation |= !graph_is_digit(g, condition->t[i].symbol, &d);
        }
        out->assumed |= condition->wraps;
    }
    out->known = true;
    for (unsigned d = 0; d < 3; d++) {
        bool missing;
        out->thread[d] = GRAPH_NIL;
        if (coordinate(g, digits, count, d, store->when, &u[d], &missing)) {
            out->thread[d] = graph_linear_node(g, &u[d]);
            if (out->thread[d] == GRAPH_NIL)
                out->known = all = false;
        } else if (!missing) {
            out->known = all = false; /* some of its bits are known only */
        } else if (d && !graph_facts_of(g)->reads[d]) {
            out->thread[d] = graph_sreg(g, UOP_SR_TID_X + d); /* the code knows no such dimension */
        } else {
            all = false; /* any */
        }
    }
    graph_id when = store->when;
    if (out->known && when != GRAPH_NIL && !graph_block_uniform(g, when)) {
        when = asks_for(g, when, out->thread, 0) ? GRAPH_NIL : graph_substitute_thread(g, when, out->thread);
        out->guards_linear = when != GRAPH_NIL;
    } else {
        out->guards_linear = out->known || when == GRAPH_NIL || graph_block_uniform(g, when);
        if (!out->known && when != GRAPH_NIL && !graph_block_uniform(g, when))
            when = GRAPH_NIL;
    }
    if (when == GRAPH_NIL && store->when != GRAPH_NIL && !out->guards_linear) {
        bool hangs = false;
        if (out->known)
            when = without_data(g, store->when, out->thread, &hangs);
        out->guarded = hangs && !out->may && !equation;
        out->may |= out->known; /* a condition on data */
    }
    if (graph_excluded(g, load->when, when, &base)) {
        out->answer = SOLVE_NEVER;
        return;
    }
    struct graph_constraints sizes = base;
    graph_take_sizes(g, load->when, &sizes);
    graph_take_sizes(g, when, &sizes);
    out->guards_linear &= graph_condition_linear(g, load->when, &sizes) && graph_condition_linear(g, when, &sizes);
    if (out->guards_linear) { /* how a loop's counter stands to other numbers is known in the first turn */
        struct graph_constraints first = sizes;
        bool mixes = graph_mixes_turns(g, load->when, &first);
        mixes |= graph_mixes_turns(g, when, &first);
        out->guards_linear = (!mixes && sizes.n == base.n) || !graph_excluded(g, load->when, when, &first);
    }
    if (out->guards_linear && out->known) {
        bool asked[3];
        for (unsigned d = 0; d < 3; d++)
            asked[d] = out->thread[d] != GRAPH_NIL && out->thread[d] != graph_sreg(g, UOP_SR_TID_X + d);
        out->guards_linear = graph_can_be_first(g, u, asked, 3, load->when, when, &sizes);
    }
    out->who = THREAD_UNDECIDED;
    out->may |= equation;
    if (!out->known)
        return;
    bool same = all, other = false, varies = false;
    for (unsigned d = 0; d < 3; d++) {
        graph_id own = graph_sreg(g, UOP_SR_TID_X + d);
        if (out->thread[d] == GRAPH_NIL || out->thread[d] == own)
            continue;
        unsigned who = compare_thread(g, out->thread[d], &u[d], d, load->when, when, &base);
        same &= who == THREAD_SAME;
        other |= who == THREAD_OTHER;
        out->leaves |= who != THREAD_SAME && !graph_shift_stays_inside(g, &u[d], d, load->when, conditions);
        varies |= who == THREAD_VARIES;
    }
    out->who = other ? THREAD_OTHER : same ? THREAD_SAME : varies ? THREAD_VARIES : THREAD_UNDECIDED;
    if (same) /* its guard is the loading thread's own */
        out->may = false;
    if (same && store->address == load->address)
        out->assumed = false;
    out->may |= equation;
    if (out->every)
        out->every = !conditions->n && !out->may && graph_is_for_all(g, load->when, digits, count, u, out->thread);
    if (out->need && !same)
        out->need = graph_block_need(g, u, out->thread, load->when, when, &base);
    bool rows = graph_facts_of(g)->two_dimensional;
    if (!same && out->thread[0] != GRAPH_NIL && (!rows || in_one_row(g, digits, count, &u[0], out->thread, &base))) {
        out->in_warp = one_warp(g, &u[0], out->thread[0], load->when, when, &base);
        out->assumed |= rows && out->in_warp; /* as wide as a warp, or a part or some of them */
    }
}

/* The thread's number in a block of two or three dimensions: x + blockDim.x * (y + blockDim.y * z), as one step. */
static bool is_thread_number(struct graph *g, const struct graph_digit *d, unsigned count)
{
    bool x = false, y = false;
    for (unsigned i = 0; i < count; i++) {
        if (d[i].c != d[0].c || d[i].mask != UINT32_MAX || d[i].shift || d[i].flip)
            return false;
        const struct graph_node scale = *graph_at(g, d[i].scale);
        if (d[i].scale == GRAPH_NIL)
            x |= d[i].dimension == 0;
        else if (d[i].dimension == 1 && scale.kind == UOP_SREG && scale.imm == UOP_SR_NTID_X)
            y = true;
        else if (d[i].dimension != 2 || d[i].scale != graph_op2(g, UOP_MUL, UOP_B32, graph_sreg(g, UOP_SR_NTID_X),
                                                                graph_sreg(g, UOP_SR_NTID_Y)))
            return false;
    }
    return count > 1 && x && y;
}

/* Another number: which thread it is cannot be said by coordinates, but whether it is another one can. */
static bool solve_number(struct graph *g, const struct graph_side *store, const struct graph_side *load, int64_t c,
                         const struct graph_linear *difference, struct graph_solution *out)
{
    struct graph_constraints none = {0}, zero = {0};
    struct graph_linear d = *difference, minus = {0};
    graph_id when = graph_block_uniform(g, store->when) ? store->when : GRAPH_NIL;
    int64_t k;
    if (graph_linear_is_const(&d, &k) && k == 0)
        return false;
    for (unsigned i = 0; i < d.n; i++)
        if (d.t[i].c % c)
            return false;
    if (d.k % c || !graph_linear_add(&minus, &d, -1)) {
        out->answer = d.k % c ? SOLVE_NEVER : SOLVE_UNKNOWN;
        return true;
    }
    graph_constrain(&zero, &d);
    graph_constrain(&zero, &minus);
    out->answer = SOLVE_THREAD;
    out->may = false;
    out->assumed = d.wraps;
    if (graph_excluded(g, load->when, when, &zero))
        out->who = THREAD_OTHER;
    else if (graph_both_exclude(g, load->when, when, &none, &d, -1, 1) &&
             graph_both_exclude(g, load->when, when, &none, &d, 1, 1))
        out->who = THREAD_SAME;
    return true;
}

void graph_solve_pair(struct graph *g, const struct graph_side *store, const struct graph_side *load, int32_t delta,
                      struct graph_solution *out)
{
    struct graph_linear s, l, right, varying = {0};
    struct graph_equations conditions = {0};
    struct graph_digit digits[DIGITS] = {0};
    unsigned count = 0;
    bool never, opaque = false;
    bool asked = out->every;
    out->answer = SOLVE_UNKNOWN;
    out->who = THREAD_UNDECIDED;
    out->may = true;
    out->every = false;
    if (!graph_facts_of(g))
        return;
    if (!graph_address_form(g, store, &s) || !graph_address_form(g, load, &l)) {
        if (graph_excluded(g, load->when, GRAPH_NIL, NULL))
            out->answer = SOLVE_NEVER;
        return;
    }
    right = l;
    right.k -= delta;
    for (unsigned i = 0; i < s.n; i++) {
        struct graph_linear one = {.t = {{s.t[i].symbol, 1}}, .n = 1};
        if (graph_block_uniform(g, s.t[i].symbol)) {
            if (!graph_linear_add(&right, &one, -s.t[i].c))
                return;
            continue;
        }
        if (!graph_linear_add(&varying, &one, s.t[i].c))
            return;
        if (count == DIGITS || !graph_read_digit(g, s.t[i].symbol, s.t[i].c, &digits[count]))
            opaque = true;
        else
            count++;
    }
    if (__builtin_sub_overflow(right.k, s.k, &right.k))
        return;
    right.wraps |= s.wraps;
    struct graph_linear difference = right; /* at u = t */
    int64_t k;
    if (!opaque && graph_digits_overlap(digits, count)) {
        /* t + (t >> 5): no number of mixed radix, but it grows with t. */
        if (!graph_linear_add(&difference, &varying, -1) || !graph_linear_is_const(&difference, &k) || k ||
            !graph_digits_grow(digits, count))
            return;
        for (unsigned i = 0; i < count; i++) {
            if (digits[i].mask != UINT32_MAX || digits[i].shift)
                continue;
            digits[0] = digits[i];
            break;
        }
        digits[0].value = (struct graph_linear){.t = {{graph_sreg(g, UOP_SR_TID_X + digits[0].dimension), 1}}, .n = 1};
        out->answer = SOLVE_THREAD;
        out->may = false;
        out->every = asked;
        judge(g, store, load, digits, 1, &conditions, out);
        return;
    }
    if (opaque) {
        struct graph_range r;
        if (graph_linear_add(&difference, &varying, -1)) {
            graph_linear_range(g, &right, &r);
            struct graph_range v;
            graph_linear_range(g, &varying, &v);
            if (!right.wraps && !varying.wraps && (r.hi < v.lo || r.lo > v.hi))
                out->answer = SOLVE_NEVER;
        }
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        int64_t bytes;
        if (graph_digit_above(g, store->when, &digits[i], &bytes) && __builtin_sub_overflow(right.k, bytes, &right.k))
            return;
    }
    unsigned own = count;
    if (store->space == UOP_SHARED && graph_facts_of(g)->row_count)
        count = graph_add_rows(g, &l, digits, count);
    if (!count) {
        if (graph_linear_is_const(&right, &k)) {
            out->answer = k ? SOLVE_NEVER : SOLVE_THREAD;
            if (k)
                return;
        }
        conditions.f[0] = right;
        conditions.n = right.n > 0;
    } else {
        struct graph_linear apart = difference;
        if (own == count && is_thread_number(g, digits, count) && graph_linear_add(&apart, &varying, -1) &&
            solve_number(g, store, load, digits[0].c, &apart, out))
            return;
        graph_sort_digits(digits, count);
        if (!graph_take_apart(g, digits, count, &right, out, &never)) {
            if (never)
                out->answer = SOLVE_NEVER;
            return;
        }
        count = graph_take_fixed(digits, count, &conditions);
        for (unsigned i = 0; i < count; i++) { /* u ^ flip = value */
            if (!digits[i].flip)
                continue;
            graph_id value = graph_linear_node(g, &digits[i].value);
            if (value == GRAPH_NIL)
                return;
            value = graph_op2(g, UOP_XOR, UOP_B32, value, digits[i].flip);
            if (!graph_linear_of(g, value, &digits[i].value))
                return;
        }
    }
    out->answer = SOLVE_THREAD;
    out->may = false;
    out->every = asked;
    judge(g, store, load, digits, count, &conditions, out);
}

/* Memory of the thread's own: u is t, only the addresses are in question. */
void graph_solve_own(struct graph *g, const struct graph_side *store, const struct graph_side *load, int32_t delta,
                     struct graph_solution *out)
{
    struct graph_linear s, l;
    struct graph_constraints zero = {0};
    struct graph_range r;
    int64_t k, gcd = 0;
    *out = (struct graph_solution){.answer = SOLVE_UNKNOWN, .who = THREAD_SAME, .may = true, .known = true};
    for (unsigned d = 0; d < 3; d++)
        out->thread[d] = graph_sreg(g, UOP_SR_TID_X + d);
    if (!graph_facts_of(g) || !graph_linear_of(g, store->address, &s) || !graph_linear_of(g, load->address, &l) ||
        !graph_linear_add(&l, &s, -1) || __builtin_sub_overflow(l.k, (int64_t)delta, &l.k))
        return;
    out->assumed = l.wraps && l.n;
    if (graph_linear_is_const(&l, &k)) {
        out->answer = k ? SOLVE_NEVER : SOLVE_THREAD;
        out->may = false;
    } else {
        struct graph_linear minus = {0};
        for (unsigned i = 0; i < l.n; i++)
            for (int64_t x = l.t[i].c < 0 ? -l.t[i].c : l.t[i].c; x;) {
                int64_t rest = gcd % x;
                gcd = x;
                x = rest;
            }
        graph_linear_range(g, &l, &r);
        if (!graph_linear_add(&minus, &l, -1))
            return;
        graph_constrain(&zero, &l);
        graph_constrain(&zero, &minus);
        if ((gcd && l.k % gcd) || r.lo > 0 || r.hi < 0 || graph_excluded(g, load->when, store->when, &zero))
            out->answer = SOLVE_NEVER;
        return;
    }
    if (out->answer == SOLVE_THREAD && graph_excluded(g, load->when, store->when, NULL))
        out->answer = SOLVE_NEVER;
}
