/* Conditions and bit functions as text. A GRAPH_BOOL table over up to six atoms becomes a sum of
 * products with few literals (prime implicants, essential ones first, then the largest) or, when
 * shorter, a product of sums; atoms are compares with their exact meaning. A negated float compare
 * stays `!(a < b)`: the ordered `a >= b` would be false for NaN where this is true; `!(a == b)` is
 * C's `a != b` for NaN too. Integer compares negate freely. The same covering serves three-input
 * bit functions, after simpler forms of two operations were tried. */
#include "meaning/mean_internal.h"

#include "base/str.h"

#include <string.h>

enum { ATOMS = 6, PRIMES_MAX = 64 };

static const uint64_t variable[ATOMS] = {
    UINT64_C(0xaaaaaaaaaaaaaaaa), UINT64_C(0xcccccccccccccccc), UINT64_C(0xf0f0f0f0f0f0f0f0),
    UINT64_C(0xff00ff00ff00ff00), UINT64_C(0xffff0000ffff0000), UINT64_C(0xffffffff00000000),
};

/* A product of literals: atom k takes part when bit k of `care` is set, negated when bit k of
 * `value` is clear. */
struct cube {
    uint8_t care, value;
    uint64_t rows;
};
struct cover {
    struct cube cubes[PRIMES_MAX];
    unsigned count, literals;
};

static uint64_t all_rows(unsigned atoms)
{
    return atoms >= ATOMS ? ~UINT64_C(0) : (UINT64_C(1) << (1u << atoms)) - 1;
}

static uint64_t cube_rows(unsigned care, unsigned value, unsigned atoms)
{
    uint64_t rows = all_rows(atoms);
    for (unsigned k = 0; k < atoms; k++)
        if (care >> k & 1)
            rows &= value >> k & 1 ? variable[k] : ~variable[k];
    return rows;
}

static bool is_prime(const struct cube *c, uint64_t table, unsigned atoms)
{
    for (unsigned k = 0; k < atoms; k++)
        if ((c->care >> k & 1) && (cube_rows(c->care & ~(1u << k), c->value, atoms) & ~table) == 0)
            return false;
    return true;
}

/* First the cubes with few literals, so that ties fall to them. */
static unsigned find_primes(uint64_t table, unsigned atoms, struct cube primes[PRIMES_MAX])
{
    unsigned n = 0;
    for (unsigned size = 0; size <= atoms; size++)
        for (unsigned care = 0; care < 1u << atoms; care++) {
            if ((unsigned)__builtin_popcount(care) != size)
                continue;
            for (unsigned value = care;; value = (value - 1) & care) { /* its parts, downwards */
                struct cube c = {(uint8_t)care, (uint8_t)value, cube_rows(care, value, atoms)};
                if ((c.rows & ~table) == 0 && is_prime(&c, table, atoms) && n < PRIMES_MAX)
                    primes[n++] = c;
                if (!value)
                    break;
            }
        }
    return n;
}

static void take(struct cover *out, const struct cube *c, uint64_t *left)
{
    out->cubes[out->count++] = *c;
    out->literals += (unsigned)__builtin_popcount(c->care);
    *left &= ~c->rows;
}

static bool cube_before(const struct cube *a, const struct cube *b)
{
    /* The one with the lowest atom first; at the same atoms the positive one. */
    unsigned differ = a->care ^ b->care;
    if (differ)
        return a->care & (differ & (0u - differ));
    return a->value > b->value;
}

/* False when the primes do not cover (more than PRIMES_MAX of them). */
static bool find_cover(uint64_t table, unsigned atoms, struct cover *out)
{
    struct cube primes[PRIMES_MAX];
    unsigned n = find_primes(table, atoms, primes);
    uint64_t left = table & all_rows(atoms);
    *out = (struct cover){.count = 0};
    for (unsigned row = 0; row < 1u << atoms; row++) { /* essential: the only prime over some row */
        if (!(left >> row & 1))
            continue;
        unsigned by = 0, which = 0;
        for (unsigned i = 0; i < n; i++)
            if (primes[i].rows >> row & 1) {
                by++;
                which = i;
            }
        if (by == 1)
            take(out, &primes[which], &left);
    }
    while (left) {
        unsigned best = n, best_rows = 0;
        for (unsigned i = 0; i < n; i++) {
            unsigned rows = (unsigned)__builtin_popcountll(primes[i].rows & left);
            if (rows > best_rows) {
                best_rows = rows;
                best = i;
            }
        }
        if (best == n || out->count == PRIMES_MAX)
            return false;
        take(out, &primes[best], &left);
    }
    for (unsigned i = 1; i < out->count; i++)
        for (unsigned k = i; k > 0 && cube_before(&out->cubes[k], &out->cubes[k - 1]); k--) {
            struct cube t = out->cubes[k];
            out->cubes[k] = out->cubes[k - 1];
            out->cubes[k - 1] = t;
        }
    return true;
}

/* ---- compares -------------------------------------------------------------------------------- */

static bool number_for_sure(const struct mean *m, graph_id id, unsigned type)
{
    uint64_t bits;
    if (!graph_is_const(m->g, id, &bits))
        return false;
    return type == UOP_F32   ? (bits & 0x7fffffffu) <= 0x7f800000u
           : type == UOP_F64 ? (bits & ~(UINT64_C(1) << 63)) <= UINT64_C(0x7ff0000000000000)
                             : false;
}

/* "!nan(a) && !nan(b)", or its negation "nan(a) || nan(b)". */
static struct mean_text numbers_text(struct mean *m, const struct graph_node *n, bool negated, unsigned style,
                                     unsigned depth)
{
    const char *text[2];
    unsigned count = 0;
    for (unsigned i = 0; i < 2; i++)
        if (!number_for_sure(m, n->arg[i], n->width) && !(i == 1 && n->arg[1] == n->arg[0]))
            text[count++] = mean_text_of(m, n->arg[i], n->width, style, depth + 1).p;
    if (count == 0)
        return mean_piece(m, PREC_PRIMARY, "%s", negated ? "false" : "true");
    if (count == 1)
        return mean_piece(m, negated ? PREC_PRIMARY : PREC_UNARY, "%snan(%s)", negated ? "" : "!", text[0]);
    if (negated)
        return mean_piece(m, PREC_OROR, "nan(%s) || nan(%s)", text[0], text[1]);
    return mean_piece(m, PREC_ANDAND, "!nan(%s) && !nan(%s)", text[0], text[1]);
}

static struct mean_text compare_text(struct mean *m, const char *a, const char *op, const char *b)
{
    bool equality = op[1] == '=' && (op[0] == '=' || op[0] == '!');
    return mean_piece(m, equality ? PREC_EQ : PREC_REL, "%s %s %s", a, op, b);
}

/* An unsigned operand as a signed number: "(int)x", "(long)i" of a widened i. */
static struct mean_text signed_text(struct mean *m, graph_id id, struct mean_text t, unsigned style, unsigned depth)
{
    const struct graph_node *n = graph_at(m->g, id);
    uint32_t at;
    bool named = map_u64_get(&m->name_of, id, &at) || map_u64_get(&m->value_of, id, &at);
    bool widened = n->kind == UOP_ZEXT && n->imm == 32 && n->type == UOP_B64 && !named &&
                   (mean_is_unsigned(m, n->arg[0]) || mean_is_nonnegative(m, n->arg[0], 0));
    if (widened)
        t = mean_text_of(m, n->arg[0], UOP_B32 | MEAN_AS_UNSIGNED, style, depth + 1);
    return mean_piece(m, PREC_UNARY, "(%s)%s", n->type == UOP_B64 ? "long" : "int", mean_operand(m, t, PREC_UNARY));
}

static struct mean_text integer_compare(struct mean *m, const struct graph_node *n, bool negated, unsigned style,
                                        unsigned depth)
{
    graph_id a = n->arg[0], b = n->arg[1];
    bool equal = n->kind == UOP_IEQ, is_unsigned = n->kind == UOP_ILT_U;
    bool turned = n->flags & UOP_SWAPPED;
    if (graph_is_const(m->g, a, NULL) != graph_is_const(m->g, b, NULL))
        turned = graph_is_const(m->g, a, NULL); /* a constant stands on the right */
    else if (equal)
        turned =
            map_u64_get(&m->name_of, b, NULL) && !map_u64_get(&m->name_of, a, NULL); /* what has a name on the left */
    static const char *const words[2][2] = {{"<", ">="}, {">", "<="}};               /* [turned][negated] of a < b */
    const char *op = equal ? (negated ? "!=" : "==") : words[turned][negated];
    if (turned) {
        graph_id t = a;
        a = b;
        b = t;
    }
    enum mean_sign signs[2] = {mean_sign_shown(m, a), mean_sign_shown(m, b)};
    bool shown_unsigned = signs[0] == MEAN_SIGN_UNSIGNED || signs[1] == MEAN_SIGN_UNSIGNED;
    unsigned as = UOP_B32 | (is_unsigned || (equal && shown_unsigned) ? MEAN_AS_UNSIGNED : 0u);
    enum mean_prec prec = equal ? PREC_EQ : PREC_REL;
    struct mean_text ta = mean_text_of(m, a, as, style, depth + 1), tb = mean_text_of(m, b, as, style, depth + 1);
    const char *left = mean_operand(m, ta, prec);
    bool agree = mean_is_nonnegative(m, a, 0) && mean_is_nonnegative(m, b, 0);
    if (!is_unsigned && !equal && !agree) { /* C would compare these as unsigned */
        graph_id sides[2] = {a, b};
        struct mean_text *texts[2] = {&ta, &tb};
        for (unsigned i = 0; i < 2; i++)
            /* A thread or block number beside a parameter stands as everybody writes it: such numbers are ints here
             * (doc/facts.md). */
            if (signs[i] != MEAN_SIGN_SIGNED &&
                !(graph_at(m->g, sides[i])->kind == UOP_SREG && mean_is_nonnegative(m, sides[i], 0) &&
                  mean_param_of(m, sides[1 - i])))
                *texts[i] = signed_text(m, sides[i], *texts[i], style, depth);
        left = mean_operand(m, ta, prec);
    }
    if (is_unsigned && !shown_unsigned && !agree) /* C would compare these as signed */
        left =
            mean_piece(m, PREC_UNARY, "(unsigned%s)%s", n->imm == 64 ? " long" : "", mean_operand(m, ta, PREC_UNARY)).p;
    return compare_text(m, left, op, mean_operand(m, tb, (enum mean_prec)(prec + 1)));
}

static struct mean_text float_compare(struct mean *m, const struct graph_node *n, bool negated, unsigned style,
                                      unsigned depth)
{
    graph_id a = n->arg[0], b = n->arg[1];
    bool turned = n->flags & UOP_SWAPPED;
    if (graph_is_const(m->g, a, NULL) != graph_is_const(m->g, b, NULL))
        turned = graph_is_const(m->g, a, NULL);
    if (turned) {
        graph_id t = a;
        a = b;
        b = t;
    }
    bool equality = n->kind == UOP_FEQ || n->kind == UOP_FNE;
    enum mean_prec prec = equality ? PREC_EQ : PREC_REL;
    /* The format compared stands in `width`: the node's own type is B1. */
    struct mean_text ta = mean_text_of(m, a, n->width, style, depth + 1),
                     tb = mean_text_of(m, b, n->width, style, depth + 1);
    const char *left = mean_operand(m, ta, prec), *right = mean_operand(m, tb, (enum mean_prec)(prec + 1));
    struct mean_text t;
    if (n->kind == UOP_FEQ)
        return compare_text(m, left, negated ? "!=" : "==", right);
    if (n->kind == UOP_FNE) /* ordered and different; C's `!=` would hold for NaN */
        t = mean_piece(m, PREC_OROR, "%s < %s || %s > %s", mean_operand(m, ta, PREC_REL),
                       mean_operand(m, tb, PREC_SHIFT), mean_operand(m, ta, PREC_REL), mean_operand(m, tb, PREC_SHIFT));
    else
        t = compare_text(m, left, n->kind == UOP_FLT ? (turned ? ">" : "<") : (turned ? ">=" : "<="), right);
    return negated ? mean_piece(m, PREC_UNARY, "!(%s)", t.p) : t;
}

struct mean_text mean_text_atom(struct mean *m, graph_id id, bool negated, unsigned style, unsigned depth)
{
    struct graph_node n = *graph_at(m->g, id);
    uint32_t at;
    bool has_id = !(style & MEAN_EXPANDED) && map_u64_get(&m->value_of, id, &at);
    if (!has_id) {
        switch (n.kind) {
        case UOP_IEQ:
        case UOP_ILT_S:
        case UOP_ILT_U: return integer_compare(m, &n, negated, style, depth);
        case UOP_FLT:
        case UOP_FLE:
        case UOP_FEQ:
        case UOP_FNE: return float_compare(m, &n, negated, style, depth);
        case UOP_FNUM: return numbers_text(m, &n, negated, style, depth);
        case UOP_CONST: return mean_piece(m, PREC_PRIMARY, "%s", (n.imm & 1) != negated ? "true" : "false");
        default: break;
        }
    }
    struct mean_text t = mean_text_of(m, id, UOP_B1, style, depth + 1);
    return negated ? mean_piece(m, PREC_UNARY, "!%s", mean_operand(m, t, PREC_UNARY)) : t;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A condition within a condition, made once however many look at it: tables over tables share theirs. */
static struct mean_text inner_text(struct mean *m, graph_id id, bool negated, unsigned style, unsigned depth)
{
    unsigned as = MEAN_AS_TABLE | (negated ? (unsigned)MEAN_AS_UNSIGNED : 0u);
    uint32_t tied = m->work->tied;
    struct mean_text t = {"\xe2\x80\xa6", PREC_PRIMARY, true};
    if (depth > MEAN_DEPTH_MAX) {
        m->work->tied++;
        return t;
    }
    if (mean_kept_text(m, id, as, style, &t))
        return t;
    t = mean_text_bool(m, id, negated, style, depth);
    mean_keep_text(m, id, as, style, t, tied, MEAN_NOT_OPEN); /* without it, it is made again */
    return t;
}

/* inner "&&" within outer "||" (a sum of products), or the other way round with the cover of the
 * complement. */
static struct mean_text cover_text(struct mean *m, const graph_id *atoms, const struct cover *c, bool sums,
                                   unsigned style, unsigned depth)
{
    enum mean_prec inner = sums ? PREC_OROR : PREC_ANDAND, outer = sums ? PREC_ANDAND : PREC_OROR;
    struct strbuf b;
    str_init(&b, m->a);
    for (unsigned i = 0; i < c->count; i++) {
        unsigned literals = (unsigned)__builtin_popcount(c->cubes[i].care), done = 0;
        bool group = sums && literals > 1 && c->count > 1;
        str_add(&b, i == 0 ? "" : sums ? " && " : " || ");
        str_add(&b, group ? "(" : "");
        for (unsigned k = 0; k < ATOMS; k++) {
            if (!(c->cubes[i].care >> k & 1))
                continue;
            bool negated = !(c->cubes[i].value >> k & 1) != sums;
            unsigned kind = graph_at(m->g, atoms[k])->kind;
            bool inner_table = kind == GRAPH_BOOL || kind == UOP_LOP3;
            struct mean_text t = inner_table ? inner_text(m, atoms[k], negated, style, depth + 1)
                                             : mean_text_atom(m, atoms[k], negated, style, depth + 1);
            enum mean_prec needed = literals > 1 ? inner : c->count > 1 ? outer : PREC_TERNARY;
            str_add(&b, done++ == 0 ? "" : sums ? " || " : " && ");
            str_add(&b, mean_operand(m, t, needed));
        }
        str_add(&b, group ? ")" : "");
    }
    enum mean_prec prec = c->count > 1 ? outer : c->literals > 1 ? inner : PREC_UNARY;
    return mean_piece(m, prec, "%s", b.p);
}

struct mean_text mean_text_bool(struct mean *m, graph_id id, bool negated, unsigned style, unsigned depth)
{
    graph_id atoms[ATOMS];
    unsigned count;
    uint64_t table;
    const struct graph_node *n = graph_at(m->g, id);
    if (n->kind == UOP_LOP3 && n->type == UOP_B1) { /* of more atoms than a table has: its operands stand for them */
        count = n->arg_count;
        table = n->imm;
        memcpy(atoms, n->arg, count * sizeof atoms[0]);
    } else if (n->kind != GRAPH_BOOL || !graph_table(m->g, id, atoms, &count, &table)) {
        return mean_text_atom(m, id, negated, style, depth);
    }
    uint64_t all = all_rows(count);
    if (negated)
        table = ~table;
    table &= all;
    if (table == 0 || table == all)
        return mean_piece(m, PREC_PRIMARY, "%s", table ? "true" : "false");
    if (count == 1)
        return mean_text_atom(m, atoms[0], table == 1, style, depth);
    struct cover products, sums;
    bool has_products = find_cover(table, count, &products), has_sums = find_cover(~table & all, count, &sums);
    if (!has_products && !has_sums)
        return mean_piece(m, PREC_PRIMARY, "?");
    /* Exclusive or is its own word. */
    if (count == 2 && (table == 6 || table == 9)) {
        struct mean_text a = mean_text_atom(m, atoms[0], false, style, depth + 1);
        struct mean_text b = mean_text_atom(m, atoms[1], false, style, depth + 1);
        return mean_piece(m, PREC_EQ, "%s %s %s", mean_operand(m, a, PREC_EQ),
                          table == 6 ? "!=" : "==", mean_operand(m, b, PREC_REL));
    }
    bool use_sums = !has_products || (has_sums && sums.literals < products.literals);
    return cover_text(m, atoms, use_sums ? &sums : &products, use_sums, style, depth);
}

/* ---- three-input bit functions --------------------------------------------------------------- */

/* "x OP y OP z" of two operations with optional negations, fewest negations first; false when none
 * fits. */
static bool lop3_simple(struct mean *m, const struct mean_text t[3], unsigned table, struct mean_text *out)
{
    static const uint8_t column[3] = {0xf0, 0xcc, 0xaa}; /* a, b, c of the index a<<2 | b<<1 | c */
    static const uint8_t pairs[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
    static const char *const words[3] = {"&", "|", "^"};
    static const enum mean_prec precs[3] = {PREC_AND, PREC_OR, PREC_XOR};
    for (unsigned wanted = 0; wanted <= 3; wanted++)
        for (unsigned pair = 0; pair < 3; pair++)
            for (unsigned ops = 0; ops < 9; ops++)
                for (unsigned negate = 0; negate < 8; negate++) {
                    if ((unsigned)__builtin_popcount(negate) != wanted)
                        continue;
                    unsigned v[3], inner = ops / 3, outer = ops % 3;
                    for (unsigned i = 0; i < 3; i++)
                        v[i] = (negate >> i & 1 ? ~column[pairs[pair][i]] : column[pairs[pair][i]]) & 0xffu;
                    unsigned r = inner == 0 ? v[0] & v[1] : inner == 1 ? v[0] | v[1] : v[0] ^ v[1];
                    r = outer == 0 ? r & v[2] : outer == 1 ? r | v[2] : r ^ v[2];
                    if (r != table)
                        continue;
                    const char *word[3];
                    for (unsigned i = 0; i < 3; i++) {
                        struct mean_text x = t[pairs[pair][i]];
                        enum mean_prec need = (enum mean_prec)(precs[i < 2 ? inner : outer] + (i == 0 ? 0 : 1));
                        word[i] = negate >> i & 1 ? mean_piece(m, PREC_UNARY, "~%s", mean_operand(m, x, PREC_UNARY)).p
                                                  : mean_operand(m, x, need);
                    }
                    struct mean_text first = mean_piece(m, precs[inner], "%s %s %s", word[0], words[inner], word[1]);
                    *out = mean_piece(m, precs[outer], "%s %s %s", mean_operand(m, first, precs[outer]), words[outer],
                                      word[2]);
                    return true;
                }
    return false;
}

struct mean_text mean_text_lop3(struct mean *m, const struct graph_node *n, unsigned style, unsigned depth)
{
    struct mean_text t[3];
    unsigned table = (unsigned)n->imm & 0xffu;
    for (unsigned i = 0; i < 3; i++)
        t[i] = mean_text_of(m, n->arg[i], UOP_B32 | MEAN_AS_HEX, style, depth + 1);
    struct mean_text simple;
    if (lop3_simple(m, t, table, &simple))
        return simple;
    /* Sum of products; atom k of the cover is argument 2 - k. */
    struct cover c;
    if (!find_cover(table, 3, &c) || c.count == 0)
        return mean_piece(m, PREC_PRIMARY, "lop3(%s, %s, %s, 0x%x)", t[0].p, t[1].p, t[2].p, table);
    for (unsigned i = 1; i < c.count; i++) /* the first argument is the highest bit: its products first */
        for (unsigned k = i;
             k > 0 && (c.cubes[k].care << 8 | c.cubes[k].value) > (c.cubes[k - 1].care << 8 | c.cubes[k - 1].value);
             k--) {
            struct cube other = c.cubes[k];
            c.cubes[k] = c.cubes[k - 1];
            c.cubes[k - 1] = other;
        }
    struct strbuf b;
    str_init(&b, m->a);
    for (unsigned i = 0; i < c.count; i++) {
        str_add(&b, i ? " | " : "");
        unsigned done = 0;
        for (unsigned k = 3; k-- > 0;) {
            if (!(c.cubes[i].care >> k & 1))
                continue;
            struct mean_text x = t[2 - k];
            str_add(&b, done++ ? " & " : "");
            if (c.cubes[i].value >> k & 1)
                str_add(&b, mean_operand(m, x, PREC_EQ));
            else
                str_addf(&b, "~%s", mean_operand(m, x, PREC_UNARY));
        }
    }
    return mean_piece(m, c.count > 1 ? PREC_OR : PREC_AND, "%s", b.p);
}
