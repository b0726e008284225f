/* Truth: every B1 value is a constant, an atom (a compare, a phi, an opaque bit) or a GRAPH_BOOL table over at most six
 * atoms. All boolean operations work on tables, so equal conditions are one node however they were computed. Beyond six
 * atoms an operation becomes an atom itself: nothing is lost but the knowledge of how it relates to its parts.
 * Atoms are taken as independent: an implication that is found holds, one that is not found may still hold. */
#include "graph/graph_rules.h"

#include <assert.h>

enum { BOOL_MAX = 6 };

struct bool_table {
    graph_id atom[BOOL_MAX];
    unsigned count;
    uint64_t bits;
};

static uint64_t table_mask(unsigned count)
{
    return count >= 6 ? ~UINT64_C(0) : (UINT64_C(1) << (1u << count)) - 1;
}

/* Patterns of a 64-entry table in which variable k is 1. */
static const uint64_t variable[BOOL_MAX] = {
    UINT64_C(0xaaaaaaaaaaaaaaaa), UINT64_C(0xcccccccccccccccc), UINT64_C(0xf0f0f0f0f0f0f0f0),
    UINT64_C(0xff00ff00ff00ff00), UINT64_C(0xffff0000ffff0000), UINT64_C(0xffffffff00000000),
};

static void table_of(const struct graph *g, graph_id id, struct bool_table *t)
{
    const struct graph_node *n = graph_at(g, id);
    *t = (struct bool_table){0};
    if (n->kind == UOP_CONST) {
        t->bits = n->imm & 1;
    } else if (n->kind == GRAPH_BOOL) {
        t->count = n->arg_count;
        for (unsigned i = 0; i < t->count; i++)
            t->atom[i] = n->arg[i];
        t->bits = n->imm;
    } else {
        t->count = 1;
        t->atom[0] = id;
        t->bits = 2;
    }
}

bool graph_table(const struct graph *g, graph_id b1, graph_id atoms[6], unsigned *count, uint64_t *table)
{
    struct bool_table t;
    if (b1 == GRAPH_NIL || graph_at(g, b1)->type != UOP_B1) {
        return false;
    }
    table_of(g, b1, &t);
    for (unsigned i = 0; i < t.count; i++)
        atoms[i] = t.atom[i];
    *count = t.count;
    *table = t.bits;
    return true;
}

/* The table as a function of all six variables, its atoms at the places they have in `all`. */
static uint64_t table_spread(const struct bool_table *t, const struct bool_table *all)
{
    uint64_t out = 0;
    for (unsigned row = 0; row < 1u << t->count; row++) {
        if (!(t->bits >> row & 1))
            continue;
        uint64_t cube = ~UINT64_C(0);
        for (unsigned k = 0; k < t->count; k++) {
            unsigned place = 0;
            while (all->atom[place] != t->atom[k])
                place++;
            cube &= row >> k & 1 ? variable[place] : ~variable[place];
        }
        out |= cube;
    }
    return out;
}

/* Adds the atoms of t to `all` (ascending). False beyond six. */
static bool table_merge(struct bool_table *all, const struct bool_table *t)
{
    for (unsigned k = 0; k < t->count; k++) {
        unsigned at = 0;
        while (at < all->count && all->atom[at] < t->atom[k])
            at++;
        if (at < all->count && all->atom[at] == t->atom[k])
            continue;
        if (all->count == BOOL_MAX)
            return false;
        for (unsigned i = all->count++; i > at; i--)
            all->atom[i] = all->atom[i - 1];
        all->atom[at] = t->atom[k];
    }
    return true;
}

static uint64_t cofactor(uint64_t bits, unsigned k, bool one)
{
    unsigned shift = 1u << k;
    uint64_t half = one ? bits & variable[k] : bits & ~variable[k];
    return one ? half | half >> shift : half | half << shift;
}

/* A six-variable function over all->atom without the variables it does not depend on (where `care` holds). */
static struct bool_table table_reduce(const struct bool_table *all, uint64_t bits, uint64_t care)
{
    struct bool_table t = {.count = 0};
    unsigned keep[BOOL_MAX];
    for (unsigned k = 0; k < all->count; k++) {
        uint64_t zero = cofactor(bits, k, false), one = cofactor(bits, k, true);
        uint64_t care0 = cofactor(care, k, false), care1 = cofactor(care, k, true);
        if (((zero ^ one) & care0 & care1) == 0) {
            bits = (zero & care0) | (one & care1);
            care = care0 | care1;
        } else {
            keep[t.count] = k;
            t.atom[t.count++] = all->atom[k];
        }
    }
    for (unsigned row = 0; row < 1u << t.count; row++) {
        uint64_t cube = ~UINT64_C(0);
        for (unsigned k = 0; k < t.count; k++)
            cube &= row >> k & 1 ? variable[keep[k]] : ~variable[keep[k]];
        if (bits & care & cube)
            t.bits |= UINT64_C(1) << row;
    }
    t.bits &= table_mask(t.count);
    return t;
}

static graph_id table_node(struct graph *g, const struct bool_table *all, uint64_t bits, uint64_t care)
{
    struct bool_table t = table_reduce(all, bits, care);
    if (t.count == 0)
        return graph_const(g, UOP_B1, t.bits & 1);
    if (t.count == 1 && t.bits == 2)
        return t.atom[0];
    struct graph_node n = {
        .kind = GRAPH_BOOL, .type = UOP_B1, .arg_count = (uint8_t)t.count, .imm = t.bits, .insn = UINT32_MAX};
    for (unsigned k = 0; k < t.count; k++)
        n.arg[k] = t.atom[k];
    return graph_intern(g, &n);
}

/* ---- 64-bit compares out of their halves ---------------------------------------------------- */

/* A pair of halves that is one known value; NIL when it would stay a mere PAIR. */
static graph_id whole_of(struct graph *g, graph_id lo, graph_id hi)
{
    graph_id pair = graph_op2(g, UOP_PAIR, UOP_B64, lo, hi);
    return graph_at(g, pair)->kind == UOP_PAIR ? GRAPH_NIL : pair;
}

/* One of the values is zero-extended, its high word the constant 0: x <u C is `hi C != 0 || x <u lo C`, C <u x is
 * `hi C == 0 && lo C <u x`. */
static graph_id zero_extended_compare(struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    for (unsigned e = 0; e < 2; e++) {
        struct graph_node equal = *graph_at(g, n->arg[e]), low = *graph_at(g, n->arg[1 - e]);
        uint64_t zero, table = n->imm, eq = e ? 0xc : 0xa, lt = e ? 0xa : 0xc;
        if (equal.kind != UOP_IEQ || low.kind != UOP_ILT_U || !graph_is_const(g, equal.arg[1], &zero) || zero)
            continue;
        bool x_below = table == ((~eq | lt) & 15) || table == (eq & ~lt & 15);
        bool c_below = table == (eq & lt) || table == ((~eq | ~lt) & 15);
        if (!x_below && !c_below)
            continue;
        graph_id x = low.arg[x_below ? 0 : 1], c = whole_of(g, low.arg[x_below ? 1 : 0], equal.arg[0]);
        if (c == GRAPH_NIL)
            continue;
        struct uop like = {.kind = UOP_ILT_U, .type = UOP_B1, .imm = 64, .flags = (uint8_t)(low.flags & UOP_SWAPPED)};
        x = graph_op1(g, UOP_ZEXT, UOP_B64, x);
        graph_id whole = graph_pure(g, &like, x_below ? (graph_id[]){x, c} : (graph_id[]){c, x}, 2);
        bool negated = table == (eq & ~lt & 15) || table == ((~eq | ~lt) & 15);
        return negated ? graph_not(g, whole) : whole;
    }
    return id;
}

/* hi_a < hi_b || hi_a == hi_b && lo_a <u lo_b  is  a < b; lo_a == lo_b && hi_a == hi_b is a == b. */
static graph_id wide_compare(struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind != GRAPH_BOOL || n->arg_count < 2 || n->arg_count > 3)
        return id;
    int lt_hi = -1, eq[2] = {-1, -1}, lt_lo = -1, eqs = 0;
    for (unsigned k = 0; k < n->arg_count; k++) {
        const struct graph_node *atom = graph_at(g, n->arg[k]);
        if (atom->imm != 32)
            return id;
        if (atom->kind == UOP_IEQ && eqs < 2)
            eq[eqs++] = (int)k;
    }
    if (n->arg_count == 2 && eqs == 2 && (n->imm == 8 || n->imm == 7)) {
        struct graph_node a = *graph_at(g, n->arg[0]), b = *graph_at(g, n->arg[1]);
        bool negated = n->imm == 7;
        for (int turn = 0; turn < 4; turn++) {
            const struct graph_node *l = turn & 1 ? &b : &a, *h = turn & 1 ? &a : &b;
            graph_id x = whole_of(g, l->arg[0], h->arg[turn >> 1]), y = whole_of(g, l->arg[1], h->arg[1 - (turn >> 1)]);
            if (x != GRAPH_NIL && y != GRAPH_NIL) {
                struct uop like = {.kind = UOP_IEQ, .type = UOP_B1, .imm = 64};
                graph_id whole = graph_pure(g, &like, (graph_id[]){x, y}, 2);
                return negated ? graph_not(g, whole) : whole;
            }
        }
        return id;
    }
    if (n->arg_count == 2)
        return zero_extended_compare(g, id);
    if (n->arg_count != 3 || eqs != 1)
        return id;
    struct graph_node equal = *graph_at(g, n->arg[eq[0]]);
    for (unsigned k = 0; k < 3; k++) {
        const struct graph_node *atom = graph_at(g, n->arg[k]);
        if ((int)k == eq[0])
            continue;
        bool high = (atom->arg[0] == equal.arg[0] && atom->arg[1] == equal.arg[1]) ||
                    (atom->arg[0] == equal.arg[1] && atom->arg[1] == equal.arg[0]);
        if (high && (atom->kind == UOP_ILT_S || atom->kind == UOP_ILT_U) && lt_hi < 0)
            lt_hi = (int)k;
        else if (atom->kind == UOP_ILT_U)
            lt_lo = (int)k;
    }
    if (lt_hi < 0 || lt_lo < 0)
        return id;
    /* Four shapes by the direction of the low compare and its negation: rows where `high` and `equal` both hold cannot
     * occur. */
    struct graph_node high = *graph_at(g, n->arg[lt_hi]), low = *graph_at(g, n->arg[lt_lo]);
    uint64_t strict = 0, care = 0, table = n->imm;
    uint64_t loose = 0;
    for (unsigned row = 0; row < 8; row++) {
        bool h = row >> lt_hi & 1, e = row >> eq[0] & 1, l = row >> lt_lo & 1;
        if (!(h && e))
            care |= UINT64_C(1) << row;
        if (h || (e && l))
            strict |= UINT64_C(1) << row;
        if (h || (e && !l))
            loose |= UINT64_C(1) << row;
    }
    for (int form = 0; form < 4; form++) {
        uint64_t want = form & 1 ? loose : strict;
        bool negated = form & 2;
        if (((negated ? ~table : table) & care) != (want & care))
            continue;
        /* strict: low.a < low.b goes with high.a < high.b; loose: !(low.a < low.b) is low.b <= low.a, so a >= b turned
         * round. */
        graph_id a = whole_of(g, form & 1 ? low.arg[1] : low.arg[0], high.arg[0]);
        graph_id b = whole_of(g, form & 1 ? low.arg[0] : low.arg[1], high.arg[1]);
        if (a == GRAPH_NIL || b == GRAPH_NIL)
            continue;
        struct uop like = {.kind = high.kind, .type = UOP_B1, .imm = 64, .flags = (uint8_t)(high.flags & UOP_SWAPPED)};
        graph_id whole;
        if (form & 1) { /* a <= b is !(b < a) */
            like.flags ^= UOP_SWAPPED;
            whole = graph_not(g, graph_pure(g, &like, (graph_id[]){b, a}, 2));
        } else {
            whole = graph_pure(g, &like, (graph_id[]){a, b}, 2);
        }
        return negated ? graph_not(g, whole) : whole;
    }
    return id;
}

/* ---- tables by themselves ------------------------------------------------------------------- */

void graph_truth_of(const struct graph *g, graph_id b1, struct graph_truth *out)
{
    struct bool_table t = {.bits = 1};
    if (b1 != GRAPH_NIL)
        table_of(g, b1, &t);
    *out = (struct graph_truth){.count = t.count, .bits = t.bits};
    for (unsigned k = 0; k < t.count; k++)
        out->atom[k] = t.atom[k];
}

bool graph_truth_and(const struct graph_truth *a, const struct graph_truth *b, bool negated, struct graph_truth *out)
{
    const struct graph_truth *both[2] = {a, b};
    struct bool_table t[2], all = {0};
    for (unsigned i = 0; i < 2; i++) {
        t[i] = (struct bool_table){.count = both[i]->count, .bits = both[i]->bits};
        for (unsigned k = 0; k < t[i].count; k++)
            t[i].atom[k] = both[i]->atom[k];
        if (!table_merge(&all, &t[i]))
            return false;
    }
    uint64_t x = table_spread(&t[0], &all), y = table_spread(&t[1], &all);
    struct bool_table r = table_reduce(&all, x & (negated ? ~y : y), ~UINT64_C(0));
    *out = (struct graph_truth){.count = r.count, .bits = r.bits};
    for (unsigned k = 0; k < r.count; k++)
        out->atom[k] = r.atom[k];
    return true;
}

/* ---- operations ----------------------------------------------------------------------------- */

graph_id graph_bool_apply(struct graph *g, const graph_id *args, unsigned count, uint8_t table)
{
    struct bool_table t[3], all = {0};
    assert(count >= 1 && count <= 3);
    for (unsigned i = 0; i < count && i < 3; i++) {
        table_of(g, args[i], &t[i]);
        if (!table_merge(&all, &t[i])) {
            struct graph_node n = {
                .kind = UOP_LOP3, .type = UOP_B1, .arg_count = (uint8_t)count, .imm = table, .insn = UINT32_MAX};
            for (unsigned k = 0; k < count && k < 3; k++)
                n.arg[k] = args[k];
            return graph_intern(g, &n);
        }
    }
    uint64_t spread[3] = {0}, out = 0;
    for (unsigned i = 0; i < count && i < 3; i++)
        spread[i] = table_spread(&t[i], &all);
    for (unsigned row = 0; row < 1u << count; row++) {
        if (!(table >> row & 1))
            continue;
        uint64_t cube = ~UINT64_C(0);
        for (unsigned i = 0; i < count && i < 3; i++)
            cube &= row >> i & 1 ? spread[i] : ~spread[i];
        out |= cube;
    }
    return wide_compare(g, table_node(g, &all, out, ~UINT64_C(0)));
}

graph_id graph_true(struct graph *g)
{
    return graph_const(g, UOP_B1, 1);
}

graph_id graph_false(struct graph *g)
{
    return graph_const(g, UOP_B1, 0);
}

static bool is_true(const struct graph *g, graph_id id)
{
    return id == GRAPH_NIL || (graph_at(g, id)->kind == UOP_CONST && graph_at(g, id)->imm);
}

graph_id graph_not(struct graph *g, graph_id a)
{
    return a == GRAPH_NIL ? graph_false(g) : graph_bool_apply(g, (graph_id[3]){a}, 1, 1);
}

graph_id graph_and(struct graph *g, graph_id a, graph_id b)
{
    if (is_true(g, a) || a == b)
        return is_true(g, b) ? GRAPH_NIL : b;
    if (is_true(g, b))
        return a;
    return graph_bool_apply(g, (graph_id[]){a, b}, 2, 8);
}

graph_id graph_or(struct graph *g, graph_id a, graph_id b)
{
    if (is_true(g, a) || is_true(g, b))
        return GRAPH_NIL;
    graph_id r = graph_bool_apply(g, (graph_id[]){a, b}, 2, 14);
    return is_true(g, r) ? GRAPH_NIL : r;
}

/* Both as six-variable functions. False when their atoms do not fit one table. */
static bool spread_two(const struct graph *g, graph_id a, graph_id b, struct bool_table *all, uint64_t *fa,
                       uint64_t *fb)
{
    struct bool_table ta, tb;
    table_of(g, a, &ta);
    table_of(g, b, &tb);
    *all = (struct bool_table){0};
    if (!table_merge(all, &ta) || !table_merge(all, &tb))
        return false;
    *fa = table_spread(&ta, all);
    *fb = table_spread(&tb, all);
    return true;
}

/* Rows that can be: a lane that votes is among those asked, so what all say it says, and what it says some lane says.
 * Atoms of what was asked are added to `all` where they fit, at the end: functions that were spread stay as they are.
 */
static uint64_t rows_of_votes(const struct graph *g, struct bool_table *all)
{
    enum { ALL = 0, ANY = 1 };
    uint64_t rows = ~UINT64_C(0);
    unsigned count = all->count;
    for (unsigned k = 0; k < count; k++) {
        const struct graph_node *n = graph_at(g, all->atom[k]);
        struct bool_table asked, wider = *all;
        bool fits = n->kind == UOP_VOTE && n->arg_count && (n->imm == ALL || n->imm == ANY);
        if (!fits)
            continue;
        table_of(g, n->arg[0], &asked);
        for (unsigned i = 0; i < asked.count && fits; i++) {
            unsigned at = 0;
            while (at < wider.count && wider.atom[at] != asked.atom[i])
                at++;
            fits = at < BOOL_MAX;
            if (fits && at == wider.count)
                wider.atom[wider.count++] = asked.atom[i];
        }
        if (!fits)
            continue;
        *all = wider;
        uint64_t own = table_spread(&asked, all);
        rows &= n->imm == ALL ? ~variable[k] | own : variable[k] | ~own;
    }
    return rows;
}

bool graph_implies(struct graph *g, graph_id a, graph_id b)
{
    struct bool_table all;
    uint64_t fa, fb;
    if (is_true(g, b) || a == b)
        return true;
    if (a == GRAPH_NIL)
        a = graph_true(g);
    return spread_two(g, a, b, &all, &fa, &fb) && ((fa & ~fb) == 0 || (fa & ~fb & rows_of_votes(g, &all)) == 0);
}

graph_id graph_bool_reduce(struct graph *g, graph_id c, graph_id care)
{
    struct bool_table all;
    uint64_t fc, fcare;
    if (c == GRAPH_NIL || is_true(g, care) || !spread_two(g, c, care, &all, &fc, &fcare) || fcare == 0)
        return c;
    /* Atoms that only `care` has are dropped first because c does not depend on them. */
    return table_node(g, &all, fc, fcare);
}

/* A condition of more atoms than a table has: what is known of its operands may leave few enough. */
static graph_id assume_wide(struct graph *g, graph_id value, graph_id given, unsigned depth)
{
    enum { WIDE_DEPTH = 6 };
    const struct graph_node n = *graph_at(g, value);
    graph_id args[3] = {GRAPH_NIL, GRAPH_NIL, GRAPH_NIL};
    bool changed = false;
    if (n.kind != UOP_LOP3 || n.arg_count > 3 || depth > WIDE_DEPTH)
        return value;
    for (unsigned i = 0; i < n.arg_count; i++) {
        bool wide = graph_at(g, n.arg[i])->kind == UOP_LOP3;
        args[i] = wide ? assume_wide(g, n.arg[i], given, depth + 1) : graph_assume(g, n.arg[i], given);
        changed |= args[i] != n.arg[i];
    }
    return changed ? graph_bool_apply(g, args, n.arg_count, (uint8_t)n.imm) : value;
}

/* How many selects one question goes through: what is read under a guard was made under guards itself, two or three
 * deep where compilers predicate a function's special cases within the user's condition. */
struct assuming {
    unsigned left;
};

static graph_id assume_in(struct graph *g, struct assuming *w, graph_id value, graph_id given);

/* What an arm of a select is known under: the select's condition too, where both fit a table. */
static graph_id given_too(struct graph *g, graph_id given, graph_id c)
{
    struct bool_table all;
    uint64_t fa, fb;
    return spread_two(g, given, c, &all, &fa, &fb) && (fa & fb) ? table_node(g, &all, fa & fb, ~UINT64_C(0)) : given;
}

/* A select whose condition is still open: less of it may be, and its arms may be simpler. */
static graph_id assume_arms(struct graph *g, struct assuming *w, graph_id value, graph_id given)
{
    const struct graph_node n = *graph_at(g, value);
    if (!w->left)
        return value;
    w->left--;
    graph_id c = graph_bool_reduce(g, assume_wide(g, n.arg[0], given, 0), given);
    if (graph_at(g, c)->kind == UOP_CONST)
        return assume_in(g, w, n.arg[graph_at(g, c)->imm ? 1 : 2], given);
    graph_id a = assume_in(g, w, n.arg[1], given_too(g, given, n.arg[0]));
    graph_id b = assume_in(g, w, n.arg[2], given_too(g, given, graph_not(g, n.arg[0])));
    return c == n.arg[0] && a == n.arg[1] && b == n.arg[2] ? value : graph_select(g, n.flags & UOP_SWAPPED, c, a, b);
}

static graph_id assume_in(struct graph *g, struct assuming *w, graph_id value, graph_id given)
{
    enum { ASSUME_STEPS = 64 };
    if (is_true(g, given) || value == GRAPH_NIL)
        return value;
    if (graph_at(g, value)->type == UOP_B1 && graph_at(g, value)->kind != UOP_SELECT) {
        if (graph_implies(g, given, value))
            return graph_true(g);
        value = assume_wide(g, value, given, 0);
        return graph_bool_reduce(g, value, given);
    }
    for (int step = 0; step < ASSUME_STEPS; step++) {
        const struct graph_node *n = graph_at(g, value);
        if (n->kind == UOP_SELECT) {
            graph_id c = n->arg[0], then = n->arg[1], other = n->arg[2];
            if (graph_implies(g, given, c)) {
                value = then;
                continue;
            }
            if (graph_implies(g, given, graph_not(g, c))) {
                value = other;
                continue;
            }
            return assume_arms(g, w, value, given);
        } else if (n->kind == UOP_LO || n->kind == UOP_HI) {
            enum uop_kind kind = (enum uop_kind)n->kind;
            enum uop_type type = (enum uop_type)n->type;
            graph_id whole = n->arg[0], inner = assume_in(g, w, whole, given);
            if (inner != whole)
                return graph_op1(g, kind, type, inner);
        }
        break;
    }
    return value;
}

graph_id graph_assume(struct graph *g, graph_id value, graph_id given)
{
    struct assuming w = {0};
    return assume_in(g, &w, value, given);
}

graph_id graph_assume_within(struct graph *g, graph_id value, graph_id given)
{
    enum { SELECTS_MAX = 12 };
    struct assuming w = {.left = SELECTS_MAX};
    return assume_in(g, &w, value, given);
}
