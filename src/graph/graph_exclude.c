/* Conditions that never hold together. A condition is a table of compares: each row of it is a set of facts
 * `form <= 0`, and a set is contradictory when some sum of its facts has a positive least value by the ranges of the
 * symbols. `x + s < s` needs nothing but x >= 0 for that. What is always so of the symbols (graph_axiom.c) is added.
 * Work is bounded; what is not shown may hold.
 * requires: linear forms · gives: graph_contradicts, graph_excludes */
#include "graph/graph_depend_internal.h"

#include <string.h>

void graph_constrain(struct graph_constraints *s, const struct graph_linear *f)
{
    if (s->n < CONSTRAINT_MAX)
        s->f[s->n++] = *f;
}

static bool never(struct graph *g, const struct graph_linear *f)
{
    struct graph_range r;
    graph_linear_range(g, f, &r);
    return r.lo > 0;
}

/* Integers: c * x + k <= 0 is x + ceil(k / c) <= 0. */
static void tighten(struct graph_linear *f)
{
    int64_t gcd = 0;
    for (unsigned i = 0; i < f->n; i++)
        if (f->t[i].c == 1 || f->t[i].c == -1)
            return;
    for (unsigned i = 0; i < f->n && gcd != 1; i++)
        for (int64_t b = f->t[i].c < 0 ? -f->t[i].c : f->t[i].c; b;) {
            int64_t rest = gcd % b;
            gcd = b;
            b = rest;
        }
    if (gcd <= 1)
        return;
    for (unsigned i = 0; i < f->n; i++)
        f->t[i].c /= gcd;
    f->k = f->k / gcd + (f->k > 0 && f->k % gcd != 0);
}

/* What is put together: facts over the symbols by their place in a list, which is in order of the symbols, with the
 * bounds of each at hand. */
enum { FACTS_MAX = 96, FACTS_LONG = 64, TRIES_MAX = 800, TRIES_MORE = 2000, SYMBOLS_MAX = CONSTRAINT_MAX * LINEAR_MAX };
struct facts {
    graph_id symbol[SYMBOLS_MAX];
    int64_t lo[SYMBOLS_MAX], hi[SYMBOLS_MAX];
    bool wide[SYMBOLS_MAX];                  /* bounds that sums of 64 bits may not hold */
    uint64_t up[FACTS_MAX], down[FACTS_MAX]; /* symbols with a positive, a negative coefficient, by a bit each */
    struct graph_linear f[FACTS_MAX];
    unsigned symbols, n;
};

static unsigned place_of(const struct facts *x, graph_id symbol)
{
    unsigned low = 0, high = x->symbols;
    while (low < high) {
        unsigned mid = (low + high) / 2;
        if (x->symbol[mid] < symbol)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void list_symbols(struct graph *g, struct facts *x, const struct graph_constraints *s)
{
    const int64_t most = INT64_C(1) << 31;
    x->symbols = x->n = 0;
    for (unsigned i = 0; i < s->n; i++)
        for (unsigned k = 0; k < s->f[i].n; k++) {
            graph_id symbol = s->f[i].t[k].symbol;
            unsigned at = place_of(x, symbol);
            if (at < x->symbols && x->symbol[at] == symbol)
                continue;
            memmove(x->symbol + at + 1, x->symbol + at, (x->symbols - at) * sizeof x->symbol[0]);
            x->symbol[at] = symbol;
            x->symbols++;
        }
    for (unsigned i = 0; i < x->symbols; i++) {
        struct graph_range r;
        graph_range_of(g, x->symbol[i], &r);
        x->lo[i] = r.lo;
        x->hi[i] = r.hi;
        x->wide[i] = r.lo < -most || r.hi > most || r.lo > most || r.hi < -most;
    }
}

/* As never(), of a fact over places. */
static bool never_so(struct graph *g, const struct facts *x, const struct graph_linear *f)
{
    const int64_t most_c = INT64_C(1) << 26, most_k = INT64_C(1) << 60;
    int64_t lo = f->k;
    bool small = f->k <= most_k && f->k >= -most_k;
    for (unsigned i = 0; i < f->n && small; i++) {
        int64_t c = f->t[i].c;
        small = c <= most_c && c >= -most_c && !x->wide[f->t[i].symbol];
        if (small)
            lo += c * (c < 0 ? x->hi[f->t[i].symbol] : x->lo[f->t[i].symbol]);
    }
    if (small)
        return lo > 0;
    struct graph_linear real = *f;
    for (unsigned i = 0; i < f->n; i++)
        real.t[i].symbol = x->symbol[f->t[i].symbol];
    return never(g, &real);
}

/* ma * a + mb * b; both are in order of their symbols. False: something might not fit, and nothing is said. */
static bool sum_of(const struct graph_linear *a, int64_t ma, const struct graph_linear *b, int64_t mb,
                   struct graph_linear *out)
{
    unsigned i = 0, k = 0, n = 0;
    int64_t x, y;
    if (a->n + b->n > LINEAR_MAX || __builtin_mul_overflow(a->k, ma, &x) || __builtin_mul_overflow(b->k, mb, &y) ||
        __builtin_add_overflow(x, y, &out->k))
        return false;
    while (i < a->n || k < b->n) {
        bool first = k == b->n || (i < a->n && a->t[i].symbol <= b->t[k].symbol);
        bool second = i == a->n || (k < b->n && b->t[k].symbol <= a->t[i].symbol);
        x = y = 0;
        out->t[n].symbol = first ? a->t[i].symbol : b->t[k].symbol;
        if ((first && __builtin_mul_overflow(a->t[i].c, ma, &x)) ||
            (second && __builtin_mul_overflow(b->t[k].c, mb, &y)) || __builtin_add_overflow(x, y, &out->t[n].c))
            return false;
        n += out->t[n].c != 0;
        i += first;
        k += second;
    }
    out->n = n;
    out->wraps = a->wraps || b->wraps;
    return true;
}

/* a + b with multipliers that make their first common symbol of opposite sign go away; or plainly. */
static bool combine(const struct graph_linear *a, const struct graph_linear *b, unsigned way, struct graph_linear *out)
{
    int64_t ma = 1, mb = 1;
    if (way) {
        unsigned found = 0, i = 0;
        for (; i < a->n && found < way; i++)
            for (unsigned k = 0; k < b->n; k++)
                if (a->t[i].symbol == b->t[k].symbol && (a->t[i].c < 0) != (b->t[k].c < 0) && a->t[i].c != -b->t[k].c &&
                    ++found == way) {
                    ma = b->t[k].c < 0 ? -b->t[k].c : b->t[k].c;
                    mb = a->t[i].c < 0 ? -a->t[i].c : a->t[i].c;
                }
        if (found < way || ma > 4096 || mb > 4096)
            return false;
    }
    if (!sum_of(a, ma, b, mb, out)) {
        *out = (struct graph_linear){0};
        if (!graph_linear_add(out, a, ma) || !graph_linear_add(out, b, mb))
            return false;
    }
    tighten(out);
    return true;
}

/* Adds a fact, unless one that says as much of the same symbols is there. */
static void keep_fact(struct facts *x, const struct graph_linear *f)
{
    uint64_t up = 0, down = 0;
    if (x->n == FACTS_MAX || (x->n >= FACTS_LONG && f->n > 2))
        return;
    for (unsigned k = 0; k < f->n; k++) {
        uint64_t bit = UINT64_C(1) << (x->symbol[f->t[k].symbol] & 63);
        up |= f->t[k].c > 0 ? bit : 0;
        down |= f->t[k].c < 0 ? bit : 0;
    }
    for (unsigned i = 0; i < x->n; i++) {
        if (x->up[i] != up || x->down[i] != down || x->f[i].n != f->n)
            continue;
        bool same = true;
        for (unsigned k = 0; k < f->n && same; k++)
            same = x->f[i].t[k].symbol == f->t[k].symbol && x->f[i].t[k].c == f->t[k].c;
        if (same && x->f[i].k >= f->k)
            return;
    }
    x->up[x->n] = up;
    x->down[x->n] = down;
    x->f[x->n++] = *f;
}

/* Facts are put together two at a time, and what comes of it with all before it, as long as a symbol falls away. Two
 * that share no symbol of opposite sign say no more together than each alone. `most`: how many pairs are tried. */
static bool put_together(struct graph *g, struct graph_constraints *s, unsigned most)
{
    struct facts x;
    struct graph_linear f;
    struct graph_facts *work = graph_facts_of(g);
    unsigned tries = 0;
    for (unsigned i = 0; i < s->n; i++)
        if (never(g, &s->f[i]))
            return true;
    graph_add_axioms(g, s);
    list_symbols(g, &x, s);
    for (unsigned i = 0; i < s->n; i++) {
        f = s->f[i];
        for (unsigned k = 0; k < f.n; k++)
            f.t[k].symbol = place_of(&x, f.t[k].symbol);
        tighten(&f);
        keep_fact(&x, &f);
    }
    for (unsigned i = 1; i < x.n; i++) {
        for (unsigned k = 0; k < i && tries < most; k++) {
            if (!((x.up[i] & x.down[k]) | (x.down[i] & x.up[k])))
                continue;
            for (unsigned way = 0; way < 3 && combine(&x.f[i], &x.f[k], way, &f); way++) {
                tries++;
                work->tries++;
                if (never_so(g, &x, &f))
                    return true;
                if (f.n && f.n <= (x.f[i].n > x.f[k].n ? x.f[i].n : x.f[k].n))
                    keep_fact(&x, &f);
            }
        }
    }
    return false;
}

/* Set down: how many facts, then each of them. */
enum { WRITTEN_MAX = 2 + CONSTRAINT_MAX * (2 + 2 * LINEAR_MAX), ANSWERS_MAX = 1 << 20 };
static unsigned write_down(const struct graph_constraints *s, uint64_t *out, uint64_t *hash)
{
    unsigned n = 0;
    out[n++] = s->n;
    for (unsigned i = 0; i < s->n; i++) {
        const struct graph_linear *f = &s->f[i];
        out[n++] = (uint64_t)f->n << 1 | f->wraps;
        out[n++] = (uint64_t)f->k;
        for (unsigned k = 0; k < f->n; k++) {
            out[n++] = f->t[k].symbol;
            out[n++] = (uint64_t)f->t[k].c;
        }
    }
    *hash = 0;
    for (unsigned i = 0; i < n; i++)
        *hash = map_hash_mix(*hash, out[i]);
    return n;
}

/* The same facts come again with every pair of accesses under the same conditions: what came of them the first time,
 * and what that cost, is kept. */
bool graph_contradicts(struct graph *g, struct graph_constraints *s)
{
    uint64_t written[WRITTEN_MAX], hash;
    struct graph_facts *work = graph_facts_of(g);
    unsigned n = write_down(s, written, &hash);
    uint32_t at;
    if (map_u64_get(&work->answered, hash, &at) && at + 1 + n <= work->answers.n &&
        memcmp(work->answers.p + at + 1, written, n * sizeof written[0]) == 0) {
        work->tries += work->answers.p[at] >> 1;
        return work->answers.p[at] & 1;
    }
    uint64_t before = work->tries;
    struct graph_constraints by_sign[2];
    bool never_so = put_together(g, s, TRIES_MAX);
    uint64_t spent = work->tries;
    if (!never_so && graph_split_sign(g, s, by_sign))
        never_so = put_together(g, &by_sign[0], TRIES_MORE) && put_together(g, &by_sign[1], TRIES_MORE);
    work->tries = spent + (work->tries - spent) / 4; /* few ask for it: the budget is for what all ask */
    at = (uint32_t)work->answers.n;
    if (at + n < ANSWERS_MAX && VEC_RESERVE(g->a, work->answers, n + 1)) {
        work->answers.p[at] = (work->tries - before) << 1 | never_so;
        memcpy(work->answers.p + at + 1, written, n * sizeof written[0]);
        work->answers.n += n + 1;
        map_u64_put(g->a, &work->answered, hash, at); /* without it, it is asked again */
    }
    return never_so;
}

static bool row_of(struct graph *g, struct graph_constraints *s, const graph_id *atoms, unsigned count, uint64_t table,
                   int row);

/* Among the facts is one that x is not negative. */
static bool known_not_negative(const struct graph_constraints *s, const struct graph_linear *x)
{
    for (unsigned i = 0; i < s->n; i++) {
        struct graph_linear sum = s->f[i];
        int64_t k;
        if (sum.n == x->n && graph_linear_add(&sum, x, 1) && graph_linear_is_const(&sum, &k) && k >= 0)
            return true;
    }
    return false;
}

/* A compare of select(c, constant, constant) with a constant is c or its opposite: NIL when it is no such. */
static graph_id through_select(struct graph *g, const struct graph_node *n, bool holds)
{
    const struct graph_node pick = *graph_at(g, n->arg[0]);
    uint64_t a, b, with, arms[2];
    bool is[2];
    if (pick.kind != UOP_SELECT || n->kind != UOP_IEQ || !graph_is_const(g, pick.arg[1], &a) ||
        !graph_is_const(g, pick.arg[2], &b) || !graph_is_const(g, n->arg[1], &with))
        return GRAPH_NIL;
    arms[0] = a;
    arms[1] = b;
    for (unsigned i = 0; i < 2; i++)
        is[i] = (arms[i] == with) == holds;
    return is[0] == is[1] ? GRAPH_NIL : is[0] ? pick.arg[0] : graph_not(g, pick.arg[0]);
}

/* That x >> c is 0 says of x that it is below 2^c; that it is not, of an x that is not negative, the opposite. */
static void add_shifted(struct graph *g, struct graph_constraints *s, const struct graph_node *n, bool holds)
{
    const struct graph_node shift = *graph_at(g, n->arg[0]);
    struct graph_linear x, minus = {0};
    uint64_t c, zero;
    if (n->kind != UOP_IEQ || n->imm != 32 || shift.kind != UOP_SHR || !graph_is_const(g, n->arg[1], &zero) || zero ||
        !graph_is_const(g, shift.arg[1], &c) || !c || c > 30 || !graph_linear_of(g, shift.arg[0], &x) ||
        !graph_linear_add(&minus, &x, -1))
        return;
    if (holds) {
        graph_constrain(s, &minus);
        x.k -= (INT64_C(1) << c) - 1;
        graph_constrain(s, &x);
    } else if (known_not_negative(s, &x) || graph_not_negative(g, shift.arg[0])) {
        minus.k += INT64_C(1) << c;
        graph_constrain(s, &minus);
    }
}

/* What an atom says when it holds, or does not. */
static void add_literal(struct graph *g, struct graph_constraints *s, graph_id atom, bool holds)
{
    const struct graph_node n = *graph_at(g, atom);
    struct graph_linear x, y, f;
    struct graph_range rx, ry, rd;
    graph_id inner = n.kind == UOP_IEQ ? through_select(g, &n, holds) : GRAPH_NIL, atoms[6];
    unsigned count;
    uint64_t table;
    if (inner != GRAPH_NIL && graph_table(g, inner, atoms, &count, &table)) {
        bool deeper = true; /* a select within a select: not followed */
        for (unsigned i = 0; i < count; i++)
            deeper &= graph_at(g, graph_at(g, atoms[i])->arg[0])->kind != UOP_SELECT;
        if (deeper)
            row_of(g, s, atoms, count, table, -1);
        return;
    }
    if (n.arg_count == 2)
        add_shifted(g, s, &n, holds);
    if ((n.kind != UOP_IEQ && n.kind != UOP_ILT_S && n.kind != UOP_ILT_U) || (n.imm != 32 && n.imm != 64) ||
        !graph_linear_of(g, n.arg[0], &x) || !graph_linear_of(g, n.arg[1], &y))
        return;
    struct graph_linear less = x, more = y; /* x - y, y - x */
    if (!graph_linear_add(&less, &y, -1) || !graph_linear_add(&more, &x, -1))
        return;
    if (n.kind == UOP_IEQ) {
        graph_linear_range(g, &less, &rd);
        if (holds) {
            graph_constrain(s, &less);
            graph_constrain(s, &more);
        } else if (rd.lo == 0) {
            more.k++;
            graph_constrain(s, &more);
        } else if (rd.hi == 0) {
            less.k++;
            graph_constrain(s, &less);
        }
        return;
    }
    graph_linear_range(g, &x, &rx);
    graph_linear_range(g, &y, &ry);
    if (n.kind == UOP_ILT_U && holds) {
        if (ry.lo < 0 && !known_not_negative(s, &y))
            return;
        f = (struct graph_linear){0};
        if (graph_linear_add(&f, &x, -1)) /* below a number that is not negative */
            graph_constrain(s, &f);
    }
    if (n.kind == UOP_ILT_U && !holds && rx.lo < 0 && !known_not_negative(s, &x))
        return;
    if (holds)
        less.k++;
    graph_constrain(s, holds ? &less : &more);
}

/* The facts of one row of a table, or (-1) of all of its rows. False: there is none. */
static bool row_of(struct graph *g, struct graph_constraints *s, const graph_id *atoms, unsigned count, uint64_t table,
                   int row)
{
    for (unsigned k = 0; k < count; k++) {
        bool one = false, zero = false;
        for (unsigned r = 0; r < 1u << count; r++) {
            if ((table >> r & 1) && (row < 0 || row == (int)r)) {
                one |= r >> k & 1;
                zero |= !(r >> k & 1);
            }
        }
        if (one != zero)
            add_literal(g, s, atoms[k], one);
        else if (!one)
            return false; /* no row at all */
    }
    return true;
}

void graph_take_facts(struct graph *g, graph_id when, struct graph_constraints *with)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (when != GRAPH_NIL && graph_table(g, when, atoms, &count, &table))
        row_of(g, with, atoms, count, table, -1);
}

bool graph_excluded(struct graph *g, graph_id a, graph_id b, const struct graph_constraints *with)
{
    graph_id atoms[2][6], each[2] = {a, b};
    unsigned count[2] = {0, 0};
    uint64_t table[2] = {1, 1}, bits;
    for (unsigned i = 0; i < 2; i++) {
        if (each[i] == GRAPH_NIL)
            continue;
        if (graph_is_const(g, each[i], &bits) && !(bits & 1))
            return true;
        if (!graph_table(g, each[i], atoms[i], &count[i], &table[i]))
            count[i] = 0, table[i] = 1;
    }
    struct graph_constraints all = with ? *with : (struct graph_constraints){0};
    if (!row_of(g, &all, atoms[0], count[0], table[0], -1) || !row_of(g, &all, atoms[1], count[1], table[1], -1))
        return true;
    if (graph_contradicts(g, &all))
        return true;
    /* Row by row: shared atoms agree. */
    unsigned rows[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned r = 0; r < 1u << count[i]; r++)
            rows[i] += table[i] >> r & 1;
    if ((rows[0] == 1 && rows[1] == 1) || rows[0] * rows[1] > 16)
        return false;
    for (unsigned ra = 0; ra < 1u << count[0]; ra++) {
        for (unsigned rb = 0; rb < 1u << count[1]; rb++) {
            bool agree = (table[0] >> ra & 1) && (table[1] >> rb & 1);
            for (unsigned i = 0; i < count[0] && agree; i++)
                for (unsigned k = 0; k < count[1]; k++)
                    if (atoms[0][i] == atoms[1][k] && (ra >> i & 1) != (rb >> k & 1))
                        agree = false;
            if (!agree)
                continue;
            struct graph_constraints one = with ? *with : (struct graph_constraints){0};
            row_of(g, &one, atoms[0], count[0], table[0], (int)ra);
            row_of(g, &one, atoms[1], count[1], table[1], (int)rb);
            if (!graph_contradicts(g, &one))
                return false;
        }
    }
    return true;
}

bool graph_excludes(struct graph *g, graph_id a, graph_id b, bool *assumed)
{
    *assumed = true; /* sums are taken not to leave their width */
    uint64_t bits;
    graph_id both = graph_and(g, a, b);
    if (both != GRAPH_NIL && graph_is_const(g, both, &bits) && !bits) {
        *assumed = false;
        return true;
    }
    return graph_excluded(g, a, b, NULL);
}

/* A sum of what the block shares and of coordinates of the thread: what such compares do not exclude can happen. */
static bool understood(struct graph *g, graph_id id)
{
    struct graph_linear f;
    if (!graph_linear_of(g, id, &f))
        return false;
    for (unsigned i = 0; i < f.n; i++) {
        struct graph_digit d = {0};
        if (!graph_block_uniform(g, f.t[i].symbol) && (!graph_is_digit(g, f.t[i].symbol, &d) || d.flip))
            return false;
    }
    return true;
}

void graph_take_sizes(struct graph *g, graph_id when, struct graph_constraints *with)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (when == GRAPH_NIL || !graph_table(g, when, atoms, &count, &table))
        return;
    for (unsigned k = 0; k < count; k++) {
        const struct graph_node n = *graph_at(g, atoms[k]);
        for (unsigned i = 0; i < 2 && n.kind == UOP_ILT_U; i++) {
            struct graph_linear x, minus = {0};
            struct graph_range r;
            if (!graph_block_uniform(g, n.arg[i]) || !graph_linear_of(g, n.arg[i], &x))
                continue;
            graph_linear_range(g, &x, &r);
            if (r.lo < 0 && !known_not_negative(with, &x) && graph_linear_add(&minus, &x, -1))
                graph_constrain(with, &minus);
        }
    }
}

bool graph_condition_linear(struct graph *g, graph_id a, const struct graph_constraints *with)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (a == GRAPH_NIL || graph_block_uniform(g, a))
        return true;
    if (!graph_table(g, a, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++) {
        const struct graph_node n = *graph_at(g, atoms[k]);
        if (graph_block_uniform(g, atoms[k]))
            continue;
        graph_id inner = n.kind == UOP_IEQ ? through_select(g, &n, true) : GRAPH_NIL;
        if (inner != GRAPH_NIL && graph_at(g, inner)->kind != UOP_SELECT && graph_at(g, inner)->arg_count &&
            inner < atoms[k] && graph_condition_linear(g, inner, with))
            continue;
        if (n.kind != UOP_IEQ && n.kind != UOP_ILT_S && n.kind != UOP_ILT_U)
            return false;
        if (!understood(g, n.arg[0]) || !understood(g, n.arg[1]))
            return false;
        for (unsigned i = 0; i < 2 && n.kind == UOP_ILT_U; i++) { /* a number of unknown sign compares as anything */
            struct graph_linear x;
            struct graph_range r;
            if (!graph_linear_of(g, n.arg[i], &x))
                return false;
            graph_linear_range(g, &x, &r);
            if (r.lo < 0 && !known_not_negative(with, &x))
                return false;
        }
    }
    return true;
}
