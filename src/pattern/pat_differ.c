/* Where the exact reading of a value and its real-number reading differ. Both are evaluated on special
 * values of their leaves: a row stands in the answer only when some evaluation differs, and names the
 * leaves it takes. What the two readings become for a NaN is found by taking them apart: a compare with a
 * NaN is false, a min or max gives its other operand.
 *
 * Requires pat_run's result; gives rows in the order NaN, subnormal, zeros of both signs. */
#include "pattern/pat_internal.h"

#include "base/str.h"

#include <string.h>

/* A whole expression is tried when it is small; else each of its stages is tried alone. */
enum {
    LEAVES = 6,
    STAGES = 16,
    STAGES_ALONE = 4,
    DEPTH = 2000,
    VISITS = 2000,
    TRIALS_FULL = 625,
    TRIALS_SAMPLED = 125
};

struct leaf {
    graph_id node;
    enum uop_type as;
};

struct cone {
    struct mean *m;
    struct graph *g;
    struct arena *a;
    const struct pat_result *matches;
    graph_id exact, real;
    enum uop_type as; /* of the whole */
    struct leaf leaves[LEAVES];
    unsigned leaf_count;
    graph_id stages[STAGES]; /* selects read as min or max, innermost first */
    unsigned stage_count;
    struct map_u64 seen;
    unsigned visits;
    bool overflow; /* not all leaves are in the list */
    struct pat_tape tape;
};

static void visit(struct cone *c, graph_id node, enum uop_type as, unsigned depth)
{
    uint32_t known;
    if (graph_is_const(c->g, node, NULL) || map_u64_get(&c->seen, node, &known))
        return;
    map_u64_put(c->a, &c->seen, node, 1);
    if (depth > DEPTH || ++c->visits > VISITS) {
        c->overflow = true;
        return;
    }
    const struct pat_index index = {.expanded = c->matches->expanded};
    const struct pat_reading *r = pat_reading_of(&index, node);
    /* A reading shows its function's arguments; nodes that only readings have are no leaves. */
    const struct graph_node n = *graph_at(c->g, r ? r->as : node);
    bool says = index.expanded && node >= index.expanded->nodes && node < c->matches->real_count && pat_is_pure(&n);
    if (pat_real_node(c->matches, node) == node && !says) {
        if (n.type == UOP_B1 || n.kind == GRAPH_BOOL) { /* a condition is open: its operands decide */
            for (unsigned i = 0; i < n.arg_count; i++)
                visit(c, n.arg[i], n.width && pat_is_float((enum uop_type)n.width) ? (enum uop_type)n.width : UOP_B32,
                      depth + 1);
            return;
        }
        if (c->leaf_count == LEAVES) {
            c->overflow = true;
            return;
        }
        c->leaves[c->leaf_count++] = (struct leaf){node, as};
        return;
    }
    struct pat_minmax v;
    bool stage = n.kind == UOP_SELECT && pat_minmax_of(c->g, node, &v);
    const struct graph_node *condition = n.kind == UOP_SELECT ? graph_at(c->g, n.arg[0]) : NULL;
    enum uop_type inner = pat_is_float((enum uop_type)n.type) ? (enum uop_type)n.type : as;
    if (condition && (condition->kind == UOP_FLT || condition->kind == UOP_FLE))
        inner = (enum uop_type)condition->width;
    if (c->as == UOP_VOID)
        c->as = inner;
    /* The arms first: they carry the values; the condition reads them again. */
    for (unsigned i = n.arg_count; i-- > 0;)
        visit(c, n.arg[i], inner, depth + 1);
    if (stage && c->stage_count < STAGES)
        c->stages[c->stage_count++] = node;
}

/* Leaves as a person reads them: in the order of the expression's own operands, varying ones (loads) first. */
static void order_leaves(struct cone *c)
{
    for (unsigned i = 1; i < c->leaf_count; i++) {
        struct leaf l = c->leaves[i];
        unsigned k = i;
        for (; k; k--) {
            const struct graph_node *a = graph_at(c->g, c->leaves[k - 1].node), *b = graph_at(c->g, l.node);
            bool pa = a->kind == UOP_CBANK, pb = b->kind == UOP_CBANK;
            bool before = pa != pb ? pa : pa ? a->imm > b->imm : c->leaves[k - 1].node > l.node;
            if (!before)
                break;
            c->leaves[k] = c->leaves[k - 1];
        }
        c->leaves[k] = l;
    }
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* Values for the leaves that a row does not speak of: ordinary numbers and +0. */
static uint64_t ordinary(enum uop_type as, unsigned k)
{
    static const uint8_t pick[5] = {PAT_SPECIAL_ZERO, PAT_SPECIAL_ONE, 5 /* -1 */, 6 /* 2 */, 9 /* infinity */};
    return pat_is_float(as) ? pat_special(as, pick[k % 5]) : k % 5;
}

struct trial {
    uint64_t exact, real;
};

/* Evaluates both readings with leaf `l` fixed and the others by number `t`. */
static void run_trial(struct cone *c, unsigned l, uint64_t bits, uint32_t t, struct trial *out)
{
    for (unsigned i = 0; i < c->leaf_count; i++) {
        pat_tape_give(&c->tape, c->leaves[i].node, i == l ? bits : ordinary(c->leaves[i].as, t % 5));
        if (i != l)
            t /= 5;
    }
    pat_tape_run(&c->tape);
    *out = (struct trial){pat_tape_value(&c->tape, c->exact), pat_tape_value(&c->tape, c->real)};
}

static uint32_t trial_count(const struct cone *c, bool *sampled)
{
    uint32_t n = 1;
    for (unsigned i = 1; i < c->leaf_count && n <= TRIALS_FULL; i++)
        n *= 5;
    *sampled = n > TRIALS_FULL;
    return *sampled ? TRIALS_SAMPLED : n;
}

/* True when for some values of the others the readings differ (zeros of both signs aside when `zeros_equal`). */
static bool differs_with(struct cone *c, unsigned l, uint64_t bits, bool zeros_equal, struct trial *witness)
{
    bool sampled;
    uint32_t n = trial_count(c, &sampled), state = 12345;
    for (uint32_t t = 0; t < n; t++) {
        state = state * 1664525u + 1013904223u;
        run_trial(c, l, bits, sampled ? state >> 3 : t, witness);
        if (pat_same(c->as, witness->exact, witness->real))
            continue;
        bool zeros = pat_is_float(c->as) && pat_is_zero(c->as, witness->exact) && pat_is_zero(c->as, witness->real);
        if (!(zeros && zeros_equal))
            return true;
    }
    return false;
}

/* ---- a reading with a NaN in one leaf -------------------------------------------------------- */

enum { IS_NAN = UINT32_MAX - 1 };

struct nan_work {
    struct graph *g;
    struct arena *a;
    graph_id leaf;
    struct map_u64 left; /* of each node: what is left of it */
};

static graph_id under_nan(struct nan_work *w, graph_id node, unsigned depth);

static graph_id left_of(struct nan_work *w, graph_id node, unsigned depth)
{
    struct graph *g = w->g;
    struct graph_node n = *graph_at(g, node);
    graph_id leaf = w->leaf;
    if (n.kind == UOP_SELECT) {
        const struct graph_node c = *graph_at(g, n.arg[0]);
        if (c.kind >= UOP_FLT && c.kind <= UOP_FNUM) {
            for (unsigned i = 0; i < 2; i++) {
                graph_id operand = under_nan(w, c.arg[i], depth + 1);
                if (operand == leaf || operand == IS_NAN) /* every compare with a NaN is false */
                    return under_nan(w, n.arg[2], depth + 1);
            }
        }
    }
    bool changed = false, nan = false;
    for (unsigned i = 0; i < n.arg_count; i++) {
        graph_id a = under_nan(w, n.arg[i], depth + 1);
        bool is_nan = a == leaf || a == IS_NAN;
        if (is_nan && (n.kind == UOP_FMIN || n.kind == UOP_FMAX) && !(n.flags & UOP_NAN))
            return under_nan(w, n.arg[1 - i], depth + 1);
        nan |= is_nan;
        changed |= a != n.arg[i];
        n.arg[i] = a;
    }
    if (nan && n.kind != UOP_SELECT && n.kind != GRAPH_BOOL && n.type != UOP_B1)
        return IS_NAN;
    if (!changed || nan)
        return node;
    graph_id rest = graph_fresh(g, &n);
    uint64_t args[6], bits;
    for (unsigned i = 0; i < n.arg_count; i++)
        if (!graph_is_const(g, n.arg[i], &args[i]))
            return rest;
    return pat_eval_node(g, rest, args, &bits) ? graph_const(g, (enum uop_type)n.type, bits) : rest;
}

/* The node that is left of `node` when the leaf is a NaN; the leaf itself when the NaN passes unchanged;
 * IS_NAN when it is computed with. What many read is looked at once. */
static graph_id under_nan(struct nan_work *w, graph_id node, unsigned depth)
{
    uint32_t known;
    if (node == w->leaf || !pat_is_pure(graph_at(w->g, node)) || depth > DEPTH)
        return node;
    if (map_u64_get(&w->left, node, &known))
        return known;
    graph_id left = left_of(w, node, depth);
    map_u64_put(w->a, &w->left, node, left);
    return left;
}

static const char *nan_text(struct cone *c, graph_id reading, graph_id leaf, enum uop_type as)
{
    struct nan_work w = {.g = c->g, .a = c->a, .leaf = leaf};
    graph_id left = under_nan(&w, reading, 0);
    return left == IS_NAN ? "NaN" : mean_expr(c->m, left, as, MEAN_INNER);
}

/* A text as the left side of ==: what binds looser is put in brackets. */
static const char *compared(struct cone *c, graph_id node, enum uop_type as)
{
    const char *text = mean_expr(c->m, node, as, MEAN_INNER);
    int depth = 0;
    for (const char *p = text; *p; p++) {
        depth += *p == '(' || *p == '[' ? 1 : *p == ')' || *p == ']' ? -1 : 0;
        if (depth == 0 && *p == ' ' && p[1] && strchr("?&|^=!<>", p[1]))
            return arena_printf(c->a, "(%s)", text);
    }
    return text;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_row(struct cone *c, struct pat_differences *out, const char *when, const char *exact, const char *real)
{
    VEC_PUSH(c->a, out->list, (struct pat_difference){when, exact, real});
}

static void nan_rows(struct cone *c, struct pat_differences *out)
{
    struct trial witness;
    for (unsigned l = 0; l < c->leaf_count; l++) {
        struct leaf leaf = c->leaves[l];
        if (!pat_is_float(leaf.as) || !differs_with(c, l, pat_special(leaf.as, PAT_SPECIAL_NAN), true, &witness))
            continue;
        add_row(c, out, arena_printf(c->a, "nan(%s)", mean_expr(c->m, leaf.node, leaf.as, MEAN_INNER)),
                nan_text(c, c->exact, leaf.node, c->as), nan_text(c, c->real, leaf.node, c->as));
    }
}

/* Some way a subnormal in leaf `l` comes out as it went in. */
static bool passes_unchanged(struct cone *c, unsigned l)
{
    bool sampled;
    uint32_t n = trial_count(c, &sampled), state = 12345;
    uint64_t bits = pat_special(c->leaves[l].as, PAT_SPECIAL_SUBNORMAL);
    struct trial w;
    for (uint32_t t = 0; t < n; t++) {
        state = state * 1664525u + 1013904223u;
        run_trial(c, l, bits, sampled ? state >> 3 : t, &w);
        if (w.exact == bits)
            return true;
    }
    return false;
}

static void subnormal_rows(struct cone *c, struct pat_differences *out)
{
    struct strbuf when[2]; /* by what the exact reading does with it */
    str_init(&when[0], c->a);
    str_init(&when[1], c->a);
    for (unsigned l = 0; l < c->leaf_count; l++) {
        struct leaf leaf = c->leaves[l];
        struct trial w;
        if (!pat_is_float(leaf.as))
            continue;
        bool found = differs_with(c, l, pat_special(leaf.as, PAT_SPECIAL_SUBNORMAL), true, &w) ||
                     differs_with(c, l, pat_special(leaf.as, 8 /* negative */), true, &w);
        if (!found)
            continue;
        struct strbuf *b = &when[passes_unchanged(c, l) ? 0 : 1];
        str_addf(b, "%ssubnormal(%s)", b->n ? " || " : "", mean_expr(c->m, leaf.node, leaf.as, MEAN_INNER));
    }
    if (when[0].n)
        add_row(c, out, when[0].p, "compares as zero, passes unchanged", "ordered by value");
    if (when[1].n)
        add_row(c, out, when[1].p, "counts as zero, becomes zero", "ordered by value");
}

static void zero_rows(struct cone *c, struct pat_differences *out)
{
    struct strbuf when;
    str_init(&when, c->a);
    for (unsigned s = 0; s < c->stage_count; s++) {
        struct pat_minmax v;
        if (!pat_minmax_of(c->g, c->stages[s], &v) || !pat_is_float(v.as))
            continue;
        /* The value before the bound, as the readings show them. */
        graph_id real = pat_real_node(c->matches, c->stages[s]), first = v.a, second = v.b;
        const struct graph_node *r = graph_at(c->g, real);
        if (real != c->stages[s] && r->arg_count == 2 && r->arg[1] == pat_real_node(c->matches, v.a)) {
            first = v.b;
            second = v.a;
        }
        uint64_t fixed = 0;
        bool differs = false;
        for (unsigned k = 0; k < 4; k++) {
            uint64_t x = pat_special(v.as, k & 1 ? PAT_SPECIAL_MINUS_ZERO : PAT_SPECIAL_ZERO), selected;
            uint64_t y = pat_special(v.as, k & 2 ? PAT_SPECIAL_MINUS_ZERO : PAT_SPECIAL_ZERO);
            if ((graph_is_const(c->g, v.a, &fixed) && fixed != x) || (graph_is_const(c->g, v.b, &fixed) && fixed != y))
                continue;
            differs |= pat_eval_select(c->g, c->stages[s], &v, x, y, &selected) &&
                       selected != pat_eval_minmax(v.as, v.maximum, 0, x, y);
        }
        if (!differs)
            continue;
        str_add(&when, when.n ? " || " : "");
        const graph_id sides[2] = {first, second};
        bool any = false;
        for (int i = 0; i < 2; i++) {
            if (graph_is_const(c->g, sides[i], NULL))
                continue;
            str_addf(&when, "%s%s == 0", any ? " && " : "", compared(c, sides[i], v.as));
            any = true;
        }
    }
    if (when.n)
        add_row(c, out, when.p, "sign of the kept operand", "-0 ordered below +0");
}

static bool make_tape(struct cone *c)
{
    graph_id leaves[LEAVES];
    for (unsigned i = 0; i < c->leaf_count; i++)
        leaves[i] = c->leaves[i].node;
    return !c->overflow &&
           pat_tape_build(&c->tape, c->a, c->g, (graph_id[]){c->exact, c->real}, 2, leaves, c->leaf_count);
}

/* Functions that the machine only approximates, and what it does for each. */
static void rounding_row(struct cone *c, uint32_t rules, struct pat_differences *out)
{
    static const struct {
        unsigned rule;
        const char *machine;
    } ways[] = {{PAT_RULE_EXP, "an approximate exp2 of a scaled argument for exp"},
                {PAT_RULE_LOG, "a scaled approximate log2 for log"},
                {PAT_RULE_DIV, "a product with an approximate reciprocal for /"},
                {PAT_RULE_TURNS, "an approximate sine of turns for sin or cos"},
                {PAT_RULE_SCALED, "an approximation scaled away from subnormals"}};
    struct strbuf machine;
    str_init(&machine, c->a);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (rules & ways[i].rule)
            str_addf(&machine, "%s%s", machine.n ? "; " : "", ways[i].machine);
    bool some = false;
    for (unsigned k = 0; k < PAT_APPROXIMATED; k++) {
        if (!(rules >> (PAT_RULE_COUNT + k) & 1))
            continue;
        str_addf(&machine, "%s%s",
                 some        ? ", "
                 : machine.n ? "; an approximation of "
                             : "an approximation of ",
                 pat_approximated_names[k]);
        some = true;
    }
    if (machine.n)
        add_row(c, out, "always", machine.p, "the function itself, without rounding");
}

/* One min or max alone, over its two operands whatever they are made of. */
static void stage_rows(const struct cone *whole, graph_id stage, struct pat_differences *out)
{
    struct pat_minmax v;
    struct cone c = {.m = whole->m, .g = whole->g, .a = whole->a, .matches = whole->matches, .exact = stage};
    if (!pat_minmax_of(c.g, stage, &v) || !pat_is_float(v.as))
        return;
    struct graph_node plain = {.kind = v.maximum ? UOP_FMAX : UOP_FMIN,
                               .type = (uint8_t)v.as,
                               .arg_count = 2,
                               .arg = {v.a, v.b},
                               .insn = UINT32_MAX};
    c.real = graph_fresh(c.g, &plain);
    c.as = v.as;
    const graph_id sides[2] = {v.a, v.b};
    for (int i = 0; i < 2; i++)
        if (!graph_is_const(c.g, sides[i], NULL))
            c.leaves[c.leaf_count++] = (struct leaf){sides[i], v.as};
    if (c.leaf_count == 0 || !make_tape(&c))
        return;
    order_leaves(&c);
    nan_rows(&c, out);
    subnormal_rows(&c, out);
}

enum sp_status pat_differences(struct mean *m, const struct pat_result *matches, graph_id node, struct arena *a,
                               struct pat_differences *out)
{
    *out = (struct pat_differences){0};
    struct cone c = {.m = m,
                     .g = m->g,
                     .a = a,
                     .matches = matches,
                     .exact = pat_plain_node(matches, node),
                     .real = pat_real_node(matches, node)};
    uint32_t rules = node < matches->real_count ? matches->rests_on[node] : 0;
    if (c.real == node && !rules)
        return SP_OK;
    rounding_row(&c, rules, out);
    if (!(rules & PAT_READS_MINMAX))
        return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
    visit(&c, node, UOP_VOID, 0);
    order_leaves(&c);
    if (make_tape(&c)) {
        nan_rows(&c, out);
        subnormal_rows(&c, out);
    } else {
        /* Too large to be walked: what the kernel's matches read so. */
        for (size_t i = 0; c.overflow && !c.stage_count && i < matches->matches.n; i++) {
            graph_id root = matches->matches.p[i].root;
            if (root != GRAPH_NIL && graph_at(m->g, root)->kind == UOP_SELECT && pat_real_node(matches, root) != root)
                c.stages[c.stage_count++] = root;
        }
        for (unsigned s = 0; s < c.stage_count && s < STAGES_ALONE; s++)
            stage_rows(&c, c.stages[s], out);
    }
    zero_rows(&c, out);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
