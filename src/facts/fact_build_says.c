/* What the words of source lines say, held against the value graph: a comparison that is tested as it is written or the
 * other way round, a product and a sum that are one instruction, a choice or an if that is no branch, a temporary that
 * has no register.
 *
 * Words are never compared with words of the report. Names become nodes of the graph where that follows: parameters by
 * their names, threadIdx and its kin, numbers, variables that are set once from such. A claim needs the one comparison
 * (or sum, choice, if) of a line and every instruction of that kind that the line table puts there; of a comparison one
 * side at least must be the very node that stands at that side in the machine's. Everything else is left unsaid.
 * requires: instructions, source lines, texts · gives: fact_said, source_text of rewrites of conditions */
#include "facts/fact_says.h"

#include "base/str.h"

#include <string.h>

static void say(struct says *w, struct fact_said said)
{
    said.file = w->at->file;
    said.line = w->at->line;
    VEC_PUSH(w->a, w->k->says, said);
}

/* ---- instructions of a line ------------------------------------------------------------------ */

static bool instance_at(const struct says *w, uint32_t i, uint32_t *instance)
{
    return map_u64_get(&w->instances, w->at->offsets.p[i], instance);
}

static const struct uop_list *list_of(const struct says *w, uint32_t instance)
{
    return w->s->g->input.insns[w->s->g->insns.p[instance].input].uops;
}

static bool does(const struct says *w, uint32_t instance, enum uop_kind kind)
{
    const struct uop_list *l = list_of(w, instance);
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == kind)
            return true;
    return false;
}

/* Its result is such a node, and it is the instruction that makes it. */
static bool makes(const struct says *w, uint32_t instance, enum uop_kind kind)
{
    const struct graph_insn *insn = &w->s->g->insns.p[instance];
    bool is = false;
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count && !is; d++)
        is = says_node(w, w->s->g->defs.p[d].node)->kind == kind;
    return is && does(w, instance, kind);
}

struct counts {
    uint32_t fused, products, sums, choices, extremes, branches, hidden; /* hidden: inside an expansion, or not known */
    uint32_t first;                                                      /* instance of the first fused or chosen */
    VEC(uint32_t) offsets;                                               /* of the fused, chosen or extreme */
};

static bool greater_of(const struct says *w, uint32_t x)
{
    return makes(w, x, UOP_FMAX) || makes(w, x, UOP_MAX_S) || makes(w, x, UOP_MAX_U);
}

static bool smaller_of(const struct says *w, uint32_t x)
{
    return makes(w, x, UOP_FMIN) || makes(w, x, UOP_MIN_S) || makes(w, x, UOP_MIN_U);
}

static struct counts count_doings(struct says *w, const struct fact_line *at)
{
    const struct fact_line *before = w->at;
    struct counts c = {.first = UINT32_MAX};
    w->at = at;
    for (uint32_t i = 0; i < at->offsets.n; i++) {
        uint32_t x;
        if (!instance_at(w, i, &x))
            continue;
        const struct uop_list *l = list_of(w, x);
        bool fused = makes(w, x, UOP_FFMA), extreme = greater_of(w, x) || smaller_of(w, x);
        bool choice = makes(w, x, UOP_SELECT) && !extreme;
        c.fused += fused;
        c.extremes += extreme;
        c.choices += choice;
        c.products += does(w, x, UOP_FMUL);
        c.sums += does(w, x, UOP_FADD);
        c.branches += does(w, x, UOP_BRANCH) || does(w, x, UOP_BRANCH_IND) || does(w, x, UOP_CALL) ||
                      does(w, x, UOP_CALL_IND) || does(w, x, UOP_EXIT);
        c.hidden += graph_is_owned(w->s->g, x) || l->unknown || l->opaque;
        if (fused || extreme || choice) {
            c.first = c.first == UINT32_MAX ? x : c.first;
            VEC_PUSH(w->a, c.offsets, at->offsets.p[i]);
        }
    }
    w->at = before;
    return c;
}

static const char *expr_at(const struct says *w, uint32_t offset)
{
    const struct fact_instruction *in = fact_instruction_at(w->k, offset);
    return in ? in->expr : NULL;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static bool compares(const struct says *w, uint32_t instance)
{
    const struct uop_list *l = list_of(w, instance);
    for (size_t i = 0; i < l->ops.n; i++) {
        struct graph_node n = {.kind = l->ops.p[i].kind};
        if (says_is_compare(&n))
            return true;
    }
    return false;
}

static void say_comparison(struct says *w)
{
    const struct cu_expr *e = w->line.comparison;
    struct {
        VEC(uint32_t) offsets;
    } found[2] = {{{0}}, {{0}}};
    if (!e || w->line.calls || !w->in)
        return;
    for (uint32_t i = 0; i < w->at->offsets.n; i++) {
        uint32_t x;
        if (!instance_at(w, i, &x) || !compares(w, x))
            continue;
        const struct graph_insn *insn = &w->s->g->insns.p[x];
        for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++) {
            const struct graph_def *def = &w->s->g->defs.p[d];
            graph_id atoms[6];
            unsigned count;
            uint64_t table;
            bool opposite;
            if (def->file != UOP_FILE_P && def->file != UOP_FILE_UP)
                continue;
            if (!graph_table(w->s->g, def->node, atoms, &count, &table) || count != 1 || (table != 1 && table != 2) ||
                !says_is_compare(says_node(w, atoms[0])))
                continue;
            if (graph_is_owned(w->s->g, x))
                return;
            if (!says_is_comparison(w, e, atoms[0], true, &opposite)) {
                if (w->line.loop)
                    continue; /* a test of the compiler's own */
                return;       /* something else is compared on this line */
            }
            bool inverted = opposite != (table == 1);
            VEC_PUSH(w->a, found[inverted].offsets, w->at->offsets.p[i]);
            break;
        }
    }
    for (int inverted = 0; inverted < 2; inverted++)
        if (found[inverted].offsets.n)
            say(w, (struct fact_said){.kind = "comparison",
                                      .text = w->line.comparison_text,
                                      .machine = expr_at(w, found[inverted].offsets.p[0]),
                                      .sense = inverted ? "inverted" : "same",
                                      .offsets = {found[inverted].offsets.p, (uint32_t)found[inverted].offsets.n}});
}

/* What a predicate tests: 1 the line's one comparison or its opposite, 0 no comparison at all, -1 something else. */
static int tests_comparison(struct says *w, graph_id node)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    bool opposite;
    if (!node || says_node(w, node)->kind == UOP_CONST)
        return 0;
    if (!graph_table(w->s->g, node, atoms, &count, &table) || count != 1 ||
        !says_is_comparison(w, w->line.comparison, atoms[0], w->line.loop, &opposite))
        return -1;
    return 1;
}

/* Words of the line that a condition's rewrite is about: its one comparison, where every instruction of the rewrite
 * tests that one. A line with several says of none which it is. */
static const char *words_of_condition(struct says *w, const struct fact_rewrite *r)
{
    bool any = false;
    for (uint32_t i = 0; i < r->sass.n && w->line.comparison; i++) {
        uint32_t x;
        int tested = 0;
        bool makes_one = false;
        if (!map_u64_get(&w->instances, r->sass.p[i], &x))
            return NULL;
        const struct graph_insn *insn = &w->s->g->insns.p[x];
        for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count && tested >= 0; d++) {
            const struct graph_def *def = &w->s->g->defs.p[d];
            if (def->file != UOP_FILE_P && def->file != UOP_FILE_UP)
                continue;
            int one = tests_comparison(w, def->node);
            makes_one |= one != 0;
            tested = one ? one : tested;
        }
        if (!makes_one && insn->guard)
            tested = tests_comparison(w, insn->guard);
        if (tested < 0)
            return NULL;
        any |= tested > 0;
    }
    return any ? w->line.comparison_text : NULL;
}

bool fact_is_of_condition(const struct fact_rewrite *r)
{
    return str_equal(r->kind, "condition-inverted") || str_equal(r->kind, "branch-to-exit");
}

static uint64_t line_key(int32_t file, int32_t line)
{
    return (uint64_t)(uint32_t)file << 32 | (uint32_t)line;
}

/* Rewrites of conditions by their lines: the first of each + 1, and of each the next + 1. */
static bool list_conditions(struct says *w)
{
    w->next_condition = ARENA_ARRAY(w->a, uint32_t, w->k->rewrites.n + 1);
    for (size_t i = w->k->rewrites.n; i-- > 0 && w->next_condition;) {
        const struct fact_rewrite *r = &w->k->rewrites.p[i];
        uint64_t key = line_key(r->source_file, r->source_line);
        if (!fact_is_of_condition(r) || r->source_line == FACT_NONE)
            continue;
        (void)map_u64_get(&w->conditions, key, &w->next_condition[i]);
        if (!map_u64_put(w->a, &w->conditions, key, (uint32_t)i + 1))
            return false;
    }
    return w->next_condition != NULL;
}

static void word_conditions(struct says *w)
{
    uint32_t at = 0;
    (void)map_u64_get(&w->conditions, line_key(w->at->file, w->at->line), &at);
    for (; at; at = w->next_condition[at - 1])
        w->k->rewrites.p[at - 1].source_text = words_of_condition(w, &w->k->rewrites.p[at - 1]);
}

/* ---- sums of products ------------------------------------------------------------------------ */

struct operations {
    uint32_t products, sums, sums_of_product, others;
};

/* Arithmetic outside of indices. */
static void count_operations(const struct cu_expr *e, struct operations *o)
{
    if (e->kind == CU_ELEMENT || e->kind == CU_NAME || e->kind == CU_NUMBER)
        return;
    bool sum = e->kind == CU_BINARY && (e->op == CU_ADD || e->op == CU_SUB);
    bool product = e->kind == CU_BINARY && e->op == CU_MUL;
    o->sums += sum;
    o->products += product;
    o->others += !sum && !product;
    for (unsigned i = 0; i < e->arg_count; i++) {
        o->sums_of_product += sum && e->arg[i]->kind == CU_BINARY && e->arg[i]->op == CU_MUL;
        count_operations(e->arg[i], o);
    }
}

/* One product and one sum of it, and nothing else. */
static bool is_product_and_sum(const struct cu_line *line)
{
    struct operations o = {0};
    if (!line->value || line->calls)
        return false;
    count_operations(line->value, &o);
    if (line->adds) {
        o.sums_of_product += line->value->kind == CU_BINARY && line->value->op == CU_MUL;
        o.sums++;
    }
    return !o.others && o.products == 1 && o.sums == 1 && o.sums_of_product == 1;
}

static void say_contraction(struct says *w)
{
    if (!is_product_and_sum(&w->line) || !w->in || !says_is_own(w, w->line.value))
        return;
    struct counts c = count_doings(w, w->at);
    if (!c.fused || c.products || c.sums || c.hidden || c.choices || c.extremes)
        return;
    say(w, (struct fact_said){.kind = "contraction",
                              .text = w->line.adds ? w->line.statement : w->line.value_text,
                              .machine = expr_at(w, c.offsets.p[0]),
                              .offsets = {c.offsets.p, (uint32_t)c.offsets.n}});
}

/* `t = a * b` on an earlier line, the sum on this one is t's only use. */
static const char *single_temporary(struct says *w, uint32_t *line)
{
    struct operations o = {0};
    const struct cu_expr *e = w->line.value;
    if (!e || w->line.calls || w->line.adds || !w->in || w->in->locals.open || e->kind != CU_BINARY)
        return NULL;
    count_operations(e, &o);
    if (o.others || o.products || o.sums != 1 || !says_is_own(w, e))
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        const struct cu_local *v = e->arg[i]->kind == CU_NAME ? cu_find_local(&w->in->locals, e->arg[i]->text) : NULL;
        if (!v || v->is_parameter || v->declared != 1 || v->sets != 1 || v->uses != 2 || !v->is_float || !v->first)
            continue;
        *line = v->line;
        return e->arg[i]->text;
    }
    return NULL;
}

/* Some instruction keeps the product of a fused one. */
static bool product_is_kept(const struct says *w, uint32_t fused)
{
    const struct graph *g = w->s->g;
    const struct graph_insn *insn = &g->insns.p[fused];
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++) {
        const struct graph_node *f = says_node(w, g->defs.p[d].node);
        if (f->kind != UOP_FFMA)
            continue;
        uint32_t count;
        const graph_id *users = graph_users(g, f->arg[0], &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct graph_node *n = says_node(w, users[i]);
            bool same = n->kind == UOP_FMUL && ((n->arg[0] == f->arg[0] && n->arg[1] == f->arg[1]) ||
                                                (n->arg[0] == f->arg[1] && n->arg[1] == f->arg[0]));
            uint32_t defs;
            (void)graph_defs_of(g, users[i], &defs);
            if (same && defs)
                return true;
        }
    }
    return false;
}

static void say_temporary(struct says *w)
{
    uint32_t line;
    struct cu_line made;
    struct operations o = {0};
    const char *name = single_temporary(w, &line);
    if (!name || !cu_line_read(w->a, w->source, line, &made) || !made.value || made.calls || !made.declares ||
        !str_equal(made.target, name))
        return;
    count_operations(made.value, &o);
    if (o.others || o.sums || o.products != 1 || made.value->kind != CU_BINARY || made.value->op != CU_MUL ||
        !says_is_own(w, made.value))
        return;
    struct counts c = count_doings(w, w->at);
    if (!c.fused || c.products || c.sums || c.hidden || product_is_kept(w, c.first))
        return;
    say(w, (struct fact_said){.kind = "temporary",
                              .text = name,
                              .machine = expr_at(w, c.offsets.p[0]),
                              .offsets = {c.offsets.p, (uint32_t)c.offsets.n}});
}

/* ---- choices --------------------------------------------------------------------------------- */

/* c ? a : b whose compared values are a and b: 1 the greater, -1 the smaller, 0 neither. */
static int extreme_of(const struct cu_expr *compare, const struct cu_expr *yes, const struct cu_expr *no)
{
    if (compare->kind != CU_BINARY || compare->op < CU_LT || compare->op > CU_GE)
        return 0;
    int greater = compare->op == CU_GT || compare->op == CU_GE ? 1 : -1;
    if (cu_same_expr(compare->arg[0], yes) && cu_same_expr(compare->arg[1], no))
        return greater;
    return cu_same_expr(compare->arg[0], no) && cu_same_expr(compare->arg[1], yes) ? -greater : 0;
}

/* The condition that a select chooses by is the source's comparison, or its opposite. */
static bool chooses_by(struct says *w, uint32_t instance, const struct cu_expr *compare)
{
    const struct graph_insn *insn = &w->s->g->insns.p[instance];
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++) {
        const struct graph_node *n = says_node(w, w->s->g->defs.p[d].node);
        graph_id atoms[6];
        unsigned count;
        uint64_t table;
        bool opposite;
        if (n->kind != UOP_SELECT)
            continue;
        return uop_type_bits((enum uop_type)n->type) <= 32 && graph_table(w->s->g, n->arg[0], atoms, &count, &table) &&
               count == 1 && says_is_compare(says_node(w, atoms[0])) &&
               says_is_comparison(w, compare, atoms[0], false, &opposite);
    }
    return false;
}

/* Both arguments of a minimum or maximum can be what the source compares. */
static bool takes_both(struct says *w, uint32_t instance, const struct cu_expr *compare)
{
    const struct graph_insn *insn = &w->s->g->insns.p[instance];
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++) {
        const struct graph_node *n = says_node(w, w->s->g->defs.p[d].node);
        bool real = n->kind == UOP_FMIN || n->kind == UOP_FMAX;
        struct graph_node like = {.kind = real ? UOP_FLT : UOP_ILT_S, .width = n->type};
        if (n->arg_count != 2)
            continue;
        graph_id x = n->arg[0], y = n->arg[1];
        return (says_side_of(w, compare->arg[0], x, &like) && says_side_of(w, compare->arg[1], y, &like)) ||
               (says_side_of(w, compare->arg[0], y, &like) && says_side_of(w, compare->arg[1], x, &like));
    }
    return false;
}

static void say_choice(struct says *w, const char *kind, const char *text, int extreme)
{
    const struct cu_expr *compare = w->line.comparison;
    struct counts c = count_doings(w, w->at);
    if (c.branches || c.hidden || c.fused || (c.choices > 0) == (c.extremes > 0))
        return;
    for (uint32_t i = 0; i < c.offsets.n; i++) {
        uint32_t x;
        const struct fact_instruction *in = fact_instruction_at(w->k, c.offsets.p[i]);
        if (!map_u64_get(&w->instances, c.offsets.p[i], &x) || !in)
            return;
        if (in->role != FACT_ROLE_SELECT && in->role != FACT_ROLE_COMPUTE) /* an address is chosen, not a value */
            return;
        if (c.choices ? !chooses_by(w, x, compare)
                      : extreme != (greater_of(w, x) ? 1 : -1) || !takes_both(w, x, compare))
            return;
    }
    say(w, (struct fact_said){.kind = kind,
                              .text = text,
                              .machine = expr_at(w, c.offsets.p[0]),
                              .offsets = {c.offsets.p, (uint32_t)c.offsets.n}});
}

static void say_choices(struct says *w)
{
    const struct cu_line *l = &w->line;
    if (!l->value || l->calls || !w->in)
        return;
    if (!l->condition && !l->adds && l->value->kind == CU_CHOICE && l->comparison) {
        for (unsigned i = 0; i < 3; i++)
            if (!says_is_own(w, l->value->arg[i]))
                return;
        say_choice(w, "choice", l->value_text, extreme_of(l->value->arg[0], l->value->arg[1], l->value->arg[2]));
        return;
    }
    struct operations o = {0};
    count_operations(l->value, &o);
    if (!l->simple_if || !l->target || !l->comparison || l->adds || o.others || o.products || o.sums ||
        !says_is_own(w, l->value))
        return;
    struct cu_expr old = {.kind = CU_NAME, .text = l->target};
    say_choice(w, "condition", l->statement, extreme_of(l->comparison, l->value, &old));
}

/* ---- all lines ------------------------------------------------------------------------------- */

static bool mark_turning(struct says *w)
{
    const struct graph *g = w->s->g;
    w->nodes = g->nodes.n;
    w->turning = ARENA_ARRAY(w->a, uint8_t, g->nodes.n);
    if (!w->turning)
        return false;
    for (graph_id id = 1; id < w->nodes; id++) {
        if (!graph_is_loop_phi(g, id))
            continue;
        w->turning[id] = 1;
        const struct graph_node *n = graph_at(g, id);
        for (uint32_t i = 0; i < n->phi_count; i++)
            w->turning[n->phi_args[i]] = 1;
    }
    return true;
}

enum sp_status fact_build_says(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    struct says w = {.a = a, .s = s, .k = k};
    if (!s->file_texts || !k->lines.n)
        return SP_OK;
    for (uint32_t i = (uint32_t)s->g->insns.n; i-- > 0;)
        if (s->g->insns.p[i].reachable && !map_u64_put(a, &w.instances, s->g->insns.p[i].offset, i))
            return SP_ERR_MEMORY;
    if (!mark_turning(&w) || !list_conditions(&w))
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < k->lines.n && !arena_failed(a); i++) {
        uint32_t line;
        w.at = &k->lines.p[i];
        w.source = w.at->text ? fact_text_of_line(s, w.at->file, w.at->line, &line) : NULL;
        if (!w.source || !cu_line_read(a, w.source, line, &w.line))
            continue;
        w.in = says_function_of(&w, line);
        word_conditions(&w);
        say_comparison(&w);
        say_contraction(&w);
        say_temporary(&w);
        say_choices(&w);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
