/* Whether the other thread that a pair of accesses has been solved for is there, and is another one: a block need not
 * have as many threads as its number asks for, and a distance that the kernel is given may be 0. What the code asks of
 * its threads elsewhere, by guards and by the places they store to, says how many there are.
 * requires: solved pairs, objects · gives: graph_hangs_on_block, graph_at_distance, graph_shift_stays_inside, … */
#include "graph/graph_depend_internal.h"

uint32_t graph_block_need(struct graph *g, const struct graph_linear u[3], const graph_id thread[3], graph_id load_when,
                          graph_id store_when, const struct graph_constraints *base)
{
    uint32_t need = 1;
    for (unsigned d = 0; d < 3; d++) {
        struct graph_linear t = {.t = {{graph_sreg(g, UOP_SR_TID_X + d), 1}}, .n = 1};
        if (thread[d] == GRAPH_NIL || thread[d] == t.t[0].symbol)
            continue;
        int64_t size = 1;
        for (; size < 1024; size *= 2) {
            struct graph_constraints all = *base;
            struct graph_linear x = u[d], y = t;
            x.k -= size - 1;
            y.k -= size - 1;
            graph_constrain(&all, &x);
            graph_constrain(&all, &y);
            if (!graph_excluded(g, load_when, store_when, &all))
                break;
        }
        need *= (uint32_t)size;
    }
    return need;
}

uint32_t graph_block_for(struct graph *g, graph_id when)
{
    int64_t size = 1;
    for (; size < 1024 && when != GRAPH_NIL; size *= 2) {
        struct graph_constraints all = {0};
        graph_constrain(&all,
                        &(struct graph_linear){.t = {{graph_sreg(g, UOP_SR_TID_X), 1}}, .n = 1, .k = -(size - 1)});
        if (!graph_excluded(g, when, GRAPH_NIL, &all))
            break;
    }
    return when == GRAPH_NIL ? 1 : (uint32_t)size;
}

bool graph_is_for_all(struct graph *g, graph_id load_when, const struct graph_digit *digits, unsigned count,
                      const struct graph_linear u[3], const graph_id thread[3])
{
    for (unsigned i = 0; i < count; i++) {
        struct graph_constraints none = {0};
        struct graph_linear more = digits[i].value;
        more.k -= graph_digit_count(g, &digits[i]) - 1;
        if (!graph_both_exclude(g, load_when, GRAPH_NIL, &none, &digits[i].value, 1, 1) ||
            (digits[i].mask != UINT32_MAX && !graph_both_exclude(g, load_when, GRAPH_NIL, &none, &more, -1, 1)))
            return false;
    }
    for (unsigned d = 0; d < 3; d++) {
        struct graph_constraints none = {0};
        struct graph_linear own = {.t = {{graph_sreg(g, UOP_SR_TID_X + d), 1}}, .n = 1};
        struct graph_linear size = {.t = {{graph_sreg(g, UOP_SR_NTID_X + d), 1}}, .n = 1}, a = u[d], b = u[d];
        if (thread[d] == own.t[0].symbol)
            continue;
        if (thread[d] == GRAPH_NIL || !graph_linear_add(&a, &own, -1) || !graph_linear_add(&b, &size, -1) ||
            (!graph_both_exclude(g, load_when, GRAPH_NIL, &none, &a, -1, 1) &&
             !graph_both_exclude(g, load_when, GRAPH_NIL, &none, &b, -1, 0)))
            return false;
    }
    return true;
}

/* A constant distance that is no lane's. */
static bool far_apart(struct graph *g, graph_id thread)
{
    struct graph_linear d, own = {.t = {{graph_sreg(g, UOP_SR_TID_X), 1}}, .n = 1};
    int64_t k;
    return graph_linear_of(g, thread, &d) && graph_linear_add(&d, &own, -1) && graph_linear_is_const(&d, &k) &&
           (k >= 32 || k <= -32);
}

/* A store at a number that is made of the thread's high bits, x[threadIdx.x >> 5], is there for blocks in which there
 * are several such numbers. */
static uint32_t numbered(struct graph *g, const struct graph_access *x)
{
    struct graph_side side = {.address = x->address, .space = x->space};
    struct graph_linear form;
    uint32_t most = 1;
    if (x->space != UOP_SHARED || x->kind == GRAPH_LOAD || !graph_address_form(g, &side, &form))
        return 1;
    for (unsigned i = 0; i < form.n; i++) {
        struct graph_digit d = {0};
        int64_t bytes;
        if (graph_block_uniform(g, form.t[i].symbol) || !graph_is_digit(g, form.t[i].symbol, &d))
            continue;
        graph_digit_above(g, x->runs_when, &d, &bytes);
        if (!d.flip && d.mask == UINT32_MAX && d.shift && d.shift < 9)
            most = UINT32_C(2) << d.shift > most ? UINT32_C(2) << d.shift : most;
    }
    return most;
}

uint32_t graph_sure_block(struct finder *f)
{
    enum { CONDITIONS = 64 };
    const struct graph *g = f->g;
    graph_id last = GRAPH_NIL;
    unsigned asked = 0;
    if (f->sure_block || graph_facts_of(f->g)->two_dimensional)
        return f->sure_block;
    f->sure_block = graph_code_width(f->g);
    for (size_t i = 0; i < g->accesses.n && asked < CONDITIONS && f->solve_work > 0; i++) {
        graph_id when = g->accesses.p[i].runs_when;
        uint32_t counts = numbered(f->g, &g->accesses.p[i]);
        f->sure_block = counts > f->sure_block ? counts : f->sure_block;
        if (when == last || when == GRAPH_NIL || !g->insns.p[g->accesses.p[i].insn].reachable)
            continue;
        last = when;
        asked++;
        f->solve_work--;
        uint32_t most = graph_block_for(f->g, when);
        f->sure_block = most > f->sure_block ? most : f->sure_block;
    }
    return f->sure_block;
}

/* Whether the other thread exists hangs on how many threads a block has. When another store of the same object meets
 * the access with a smaller block (the thread's own store, above all), threads take several elements each, so many
 * apart: it does not follow that there are as many threads as this solution asks for. */
bool graph_hangs_on_block(struct finder *f, const struct graph_side *a, const struct graph_side *b, int32_t delta,
                          uint32_t load, uint32_t store, graph_id thread, bool *sized)
{
    struct graph *g = f->g;
    struct graph_solution u, v;
    const struct graph_access *at = access_at(f, load);
    if (g->env->block[0])
        return false; /* the ranges have said it */
    if ((at->kind != GRAPH_LOAD || at->space != UOP_SHARED) && far_apart(g, thread))
        return true; /* its own store; memory that somebody else has filled */
    graph_solve_block(g, a, b, delta, &u);
    f->solve_work -= 4;
    bool near = u.need <= (graph_facts_of(g)->two_dimensional ? 4u : 32u);
    for (unsigned d = 1; d < 3; d++) {
        struct graph_linear x, own = {.t = {{graph_sreg(g, UOP_SR_TID_X + d), 1}}, .n = 1};
        struct graph_range r;
        if (u.thread[d] == own.t[0].symbol)
            continue;
        if (!graph_linear_of(g, u.thread[d], &x) || !graph_linear_add(&x, &own, -1))
            return true;
        graph_linear_range(g, &x, &r);
        near &= r.lo >= -1 && r.hi <= 1;
    }
    if (near)
        return false;
    if (u.need <= graph_sure_block(f) && u.thread[1] == graph_sreg(g, UOP_SR_TID_Y) &&
        u.thread[2] == graph_sreg(g, UOP_SR_TID_Z)) {
        *sized = true;
        return false;
    }
    if (at->kind != GRAPH_LOAD || at->space != UOP_SHARED)
        return true;
    for (uint32_t i = 0; i < g->accesses.n && f->solve_work > 0 && graph_facts_of(g)->tries < TRIES_WORK; i++) {
        const struct graph_access *x = access_at(f, i);
        f->flow_work--;
        if (x->kind == GRAPH_LOAD || f->object[i] != f->object[load])
            continue;
        if (graph_same_word(f, at, x))
            return true;
        struct graph_side other = graph_side_of(x), same = graph_side_of(at);
        bool turned = a->address != x->address || b->address != at->address;
        if (i == store && !turned)
            continue;
        const struct graph_side *to = i == store ? &same : b; /* the same store, in the load's own turn */
        for (int32_t way = 0; way < (x->width > at->width ? x->width : 1); way += at->width) {
            f->solve_work--;
            graph_solve_block(g, &other, to, way, &v);
            if (v.answer == SOLVE_THREAD && v.known && v.need < u.need)
                return true;
        }
    }
    return false;
}

/* The compare is of the number of the element that the address names: what is left of it is where the array stands. */
static bool asks_for_element(struct graph *g, graph_id compare, const struct graph_linear *address,
                             const struct graph_linear *distance)
{
    const struct graph_node n = *graph_at(g, compare);
    struct graph_linear x, y, rest = *address;
    int64_t own = 0, asked = 0;
    if (n.arg_count != 2 || !graph_linear_of(g, n.arg[0], &x) || !graph_linear_of(g, n.arg[1], &y) ||
        !graph_linear_add(&x, &y, -1))
        return false;
    for (unsigned i = 0; i < address->n; i++)
        own = address->t[i].symbol == graph_sreg(g, UOP_SR_TID_X) ? address->t[i].c : own;
    for (unsigned i = 0; i < x.n; i++)
        asked = x.t[i].symbol == graph_sreg(g, UOP_SR_TID_X) ? x.t[i].c : asked;
    if (!asked || !own || own % asked || !graph_linear_add(&rest, &x, -(own / asked)))
        return false;
    for (unsigned i = 0; i < rest.n; i++) { /* where the array begins, and what it is compared with: if (i + d < n) */
        bool ends = graph_at(g, rest.t[i].symbol)->kind == UOP_CBANK;
        for (unsigned k = 0; k < distance->n; k++)
            ends &= distance->t[k].symbol != rest.t[i].symbol;
        if (!ends && uop_type_bits((enum uop_type)graph_at(g, rest.t[i].symbol)->type) != 64)
            return false;
    }
    return true;
}

/* The other thread stands at a distance that all threads share, and the reader asks whether there is such an element:
 * if (i >= d) x[i] += x[i - d]. It is taken not to be 0. */
bool graph_at_distance(struct graph *g, const struct graph_side *load, const graph_id thread[3])
{
    struct graph_linear d, address, own = {.t = {{graph_sreg(g, UOP_SR_TID_X), 1}}, .n = 1};
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (load->when == GRAPH_NIL || thread[1] != graph_sreg(g, UOP_SR_TID_Y) ||
        thread[2] != graph_sreg(g, UOP_SR_TID_Z) || !graph_linear_of(g, thread[0], &d) ||
        !graph_linear_add(&d, &own, -1) || !d.n || !graph_table(g, load->when, atoms, &count, &table) ||
        !graph_address_form(g, load, &address))
        return false;
    for (unsigned i = 0; i < d.n; i++)
        if (!graph_block_uniform(g, d.t[i].symbol) || graph_at(g, d.t[i].symbol)->kind != UOP_CBANK)
            return false;
    for (unsigned k = 0; k < count; k++)
        if (asks_for_element(g, atoms[k], &address, &d))
            return true;
    return false;
}

/* Whoever stands so far from the thread is there, for all threads that read, in a block of some size: at
 * s[threadIdx.x + 1] nobody is for the last one, however many there are. Of other places that is not asked:
 * s[255 - threadIdx.x] and the like are made for one size of block. */
bool graph_shift_stays_inside(struct graph *g, const struct graph_linear *u, unsigned dimension, graph_id load_when,
                              const struct graph_equations *conditions)
{
    struct graph_constraints base = {0}, over;
    struct graph_linear own = {.t = {{graph_sreg(g, UOP_SR_TID_X + dimension), 1}}, .n = 1}, d = *u, f = *u,
                        minus = {0};
    struct graph_range size;
    if (!graph_linear_add(&d, &own, -1) || !graph_linear_add(&minus, u, -1))
        return true;
    for (unsigned i = 0; i < d.n; i++)
        if (!graph_block_uniform(g, d.t[i].symbol))
            return true;
    for (unsigned k = 0; k < conditions->n; k++) {
        struct graph_linear other = {0};
        graph_constrain(&base, &conditions->f[k]);
        if (graph_linear_add(&other, &conditions->f[k], -1))
            graph_constrain(&base, &other);
    }
    graph_range_of(g, graph_sreg(g, UOP_SR_NTID_X + dimension), &size);
    over = base;
    f.k++;
    graph_constrain(&base, &f); /* u < 0 */
    minus.k += size.hi;
    graph_constrain(&over, &minus); /* u is no thread of the largest block */
    return graph_excluded(g, load_when, GRAPH_NIL, &base) && graph_excluded(g, load_when, GRAPH_NIL, &over);
}
