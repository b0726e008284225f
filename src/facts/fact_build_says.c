/* What the words of source lines say, held against the value graph: a comparison that is tested as it is written or the
 * other way round, a product and a sum that are one instruction, a choice or an if that is no branch, a temporary that
 * has no register.
 *
 * Words are never compared with words of the report. Names become nodes of the graph where that follows: parameters by
 * their names, threadIdx and its kin, numbers, variables that are set once from such. A claim needs the one comparison
 * (or sum, choice, if) of a line and every instruction of that kind that the line table puts there; of a comparison one
 * side at least must be the very node that stands at that side in the machine's. Everything else is left unsaid.
 * requires: instructions, source lines, texts · gives: fact_said */
#include "facts/fact_build.h"

#include "base/bits.h"
#include "base/str.h"
#include "front/cu_line.h"

#include <math.h>
#include <string.h>

enum { RESOLVE_DEPTH = 8 };

struct known_function {
    const struct cu_source *source;
    uint32_t function;
    struct cu_locals locals;
    bool is_kernel;
};

struct says {
    struct arena *a;
    struct fact_source *s;
    struct fact_kernel *k;
    struct map_u64 instances; /* offset -> first instance */
    uint8_t *turning;         /* by node: 1 a phi of a loop or what goes into one */
    size_t nodes;             /* before any was made here */
    VEC(struct known_function) functions;

    /* of one line */
    const struct cu_source *source;
    struct cu_line line;
    const struct known_function *in;
    const struct fact_line *at;
};

static const struct graph_node *node_at(const struct says *w, graph_id id)
{
    return graph_at(w->s->g, id);
}

static void say(struct says *w, struct fact_said said)
{
    said.file = w->at->file;
    said.line = w->at->line;
    VEC_PUSH(w->a, w->k->says, said);
}

/* The function that a line stands in, with its names; read once. */
static const struct known_function *function_of(struct says *w, uint32_t line)
{
    uint32_t f = cu_source_enclosing(w->source, line);
    if (!f)
        return NULL;
    for (size_t i = w->functions.n; i-- > 0;)
        if (w->functions.p[i].source == w->source && w->functions.p[i].function == f - 1)
            return &w->functions.p[i];
    struct known_function known = {.source = w->source, .function = f - 1};
    const struct cu_piece *name = &w->source->pieces.p[w->source->functions.p[f - 1].name];
    known.is_kernel = w->k->base_name && strlen(w->k->base_name) == name->size &&
                      memcmp(w->k->base_name, w->source->text + name->at, name->size) == 0;
    if (!cu_source_locals(w->a, w->source, f - 1, &known.locals))
        return NULL;
    VEC_PUSH(w->a, w->functions, known);
    return w->functions.n ? &w->functions.p[w->functions.n - 1] : NULL;
}

/* ---- names as nodes -------------------------------------------------------------------------- */

static graph_id resolve(struct says *w, const struct cu_expr *e, unsigned depth);

static graph_id resolve_special(struct says *w, const char *name)
{
    for (unsigned sreg = UOP_SR_TID_X; sreg <= UOP_SR_NCTAID_Z; sreg++)
        if (str_equal(uop_sreg_text(sreg), name))
            return graph_sreg(w->s->g, sreg);
    return GRAPH_NIL;
}

static graph_id resolve_parameter(struct says *w, const char *name)
{
    const struct mean *m = w->s->mean;
    for (uint32_t i = 0; i < m->param_count; i++) {
        const struct mean_param *p = &m->params[i];
        if (!p->from_source || !str_equal(p->name, name))
            continue;
        enum uop_type type = p->size == 8 ? UOP_B64 : p->size == 4 ? UOP_B32 : UOP_VOID;
        return type == UOP_VOID ? GRAPH_NIL : graph_cbank(w->s->g, type, 0, p->constant_offset);
    }
    return GRAPH_NIL;
}

static graph_id resolve_name(struct says *w, const char *name, unsigned depth)
{
    graph_id special = resolve_special(w, name);
    const struct cu_local *v = w->in && !w->in->locals.open ? cu_find_local(&w->in->locals, name) : NULL;
    if (special || !v || v->declared != 1)
        return special;
    if (v->is_parameter)
        return v->sets == 0 && w->in->is_kernel ? resolve_parameter(w, name) : (graph_id)GRAPH_NIL;
    if (v->sets != 1 || !v->first || !(v->is_int || v->is_unsigned || v->is_float))
        return GRAPH_NIL;
    const struct cu_expr *first = NULL;
    struct diag_sink quiet;
    diag_init(&quiet, w->a);
    if (cu_parse_expr(w->a, "source", 1, v->first, strlen(v->first), &quiet, &first) != SP_OK || !first)
        return GRAPH_NIL;
    graph_id node = resolve(w, first, depth + 1);
    bool narrow = node && uop_type_bits(graph_type_of(w->s->g, node)) == 32; /* no conversion stands between */
    return narrow ? node : (graph_id)GRAPH_NIL;
}

/* Whole numbers of 32 bits only, and operations whose bits are the same whatever the sign. */
static graph_id resolve(struct says *w, const struct cu_expr *e, unsigned depth)
{
    static const struct {
        enum cu_op op;
        enum uop_kind kind;
    } same[] = {{CU_ADD, UOP_ADD}, {CU_MUL, UOP_MUL}, {CU_AND, UOP_AND}, {CU_OR, UOP_OR}, {CU_XOR, UOP_XOR}};
    struct graph *g = w->s->g;
    if (depth > RESOLVE_DEPTH)
        return GRAPH_NIL;
    if (e->kind == CU_NAME)
        return resolve_name(w, e->text, depth);
    if (e->kind == CU_NUMBER && (e->type == CU_INT || e->type == CU_UNSIGNED) && fabs(e->number) <= UINT32_MAX)
        return graph_const(g, UOP_B32, (uint32_t)(int64_t)e->number);
    if (e->kind != CU_BINARY)
        return GRAPH_NIL;
    graph_id a = resolve(w, e->arg[0], depth + 1), b = a ? resolve(w, e->arg[1], depth + 1) : (graph_id)GRAPH_NIL;
    if (!b || graph_type_of(g, a) != UOP_B32 || graph_type_of(g, b) != UOP_B32)
        return GRAPH_NIL;
    if (e->op == CU_SUB)
        return graph_op2(g, UOP_ADD, UOP_B32, a, graph_op1(g, UOP_NEG, UOP_B32, b));
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (same[i].op == e->op)
            return graph_op2(g, same[i].kind, UOP_B32, a, b);
    return GRAPH_NIL;
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
        is = node_at(w, w->s->g->defs.p[d].node)->kind == kind;
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

static const struct fact_instruction *fact_at(const struct says *w, uint32_t offset)
{
    size_t lo = 0, hi = w->k->instructions.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (w->k->instructions.p[mid].offset < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    bool found = lo < w->k->instructions.n && w->k->instructions.p[lo].offset == offset;
    return found ? &w->k->instructions.p[lo] : NULL;
}

static const char *expr_at(const struct says *w, uint32_t offset)
{
    const struct fact_instruction *in = fact_at(w, offset);
    return in ? in->expr : NULL;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

enum side { SIDE_OTHER, SIDE_OPEN, SIDE_SAME };

/* A variable that the function declares, or an element or a sum of such: it cannot be a macro's name. */
static bool is_own(struct says *w, const struct cu_expr *e)
{
    if (e->kind == CU_CALL || e->kind == CU_CHOICE)
        return false;
    if (e->kind == CU_NAME && resolve_special(w, e->text))
        return true;
    if (e->kind == CU_NAME) {
        const char *dot = strchr(e->text, '.');
        const char *name = dot ? arena_strndup(w->a, e->text, (size_t)(dot - e->text)) : e->text;
        const struct cu_local *v = w->in && name ? cu_find_local(&w->in->locals, name) : NULL;
        return v && v->declared > 0;
    }
    unsigned count = e->kind == CU_ELEMENT ? 1 : e->arg_count; /* an index computes nothing that is asked for here */
    for (unsigned i = 0; i < count; i++)
        if (!is_own(w, e->arg[i]))
            return false;
    return true;
}

static double float_of(uint64_t bits, unsigned format)
{
    float f;
    double d;
    uint32_t word = (uint32_t)bits;
    memcpy(&f, &word, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return format == UOP_F32 ? (double)f : format == UOP_F64 ? d : (double)NAN;
}

static enum side side_of(struct says *w, const struct cu_expr *e, graph_id node, const struct graph_node *compare)
{
    bool real = compare->kind == UOP_FLT || compare->kind == UOP_FLE || compare->kind == UOP_FEQ;
    uint64_t bits;
    if (e->kind == CU_NUMBER) {
        if (!graph_is_const(w->s->g, node, &bits))
            return SIDE_OTHER;
        double value = real ? float_of(bits, compare->width)
                            : (double)bits_sign_extend(bits, uop_type_bits(graph_type_of(w->s->g, node)));
        if (!real && compare->kind == UOP_ILT_U)
            value = (double)bits;
        double written = e->type == CU_FLOAT && real ? (double)(float)e->number : e->number;
        return value == written ? SIDE_SAME : SIDE_OTHER;
    }
    graph_id known = resolve(w, e, 0);
    if (known) {
        const struct graph_node *n = node_at(w, node);
        while (n->kind == UOP_SEXT || n->kind == UOP_ZEXT) {
            node = n->arg[0];
            n = node_at(w, node);
        }
        return node == known ? SIDE_SAME : SIDE_OTHER;
    }
    if (!is_own(w, e) || graph_is_const(w->s->g, node, &bits) || node_at(w, node)->kind == UOP_CBANK)
        return SIDE_OTHER;
    if (w->line.loop && !(node < w->nodes && w->turning[node]))
        return SIDE_OTHER; /* compilers add tests of their own where a loop is copied */
    return SIDE_OPEN;
}

static bool is_compare(const struct graph_node *n)
{
    return n->kind == UOP_IEQ || n->kind == UOP_ILT_S || n->kind == UOP_ILT_U || n->kind == UOP_FLT ||
           n->kind == UOP_FLE || n->kind == UOP_FEQ || n->kind == UOP_FNE || n->kind == UOP_FNUM;
}

/* Whether an atom of the graph is the source's comparison: nothing speaks against its sides, and (surely) one of them is
 * the very node. *opposite: it is true where the source's is false. */
static bool is_comparison(struct says *w, const struct cu_expr *e, graph_id atom, bool surely, bool *opposite)
{
    const struct graph_node *n = node_at(w, atom);
    bool real = n->kind == UOP_FLT || n->kind == UOP_FLE || n->kind == UOP_FEQ;
    bool less = e->op == CU_LT || e->op == CU_GT, equal = e->op == CU_EQ || e->op == CU_NE;
    bool turned = e->op == CU_GT || e->op == CU_LE; /* the right operand is the smaller one of `<` */
    *opposite = e->op == CU_NE;
    if (equal) {
        if (n->kind != UOP_IEQ && n->kind != UOP_FEQ)
            return false;
    } else if (real) {
        turned = e->op == CU_GT || e->op == CU_GE;
        if (n->kind != (less ? UOP_FLT : UOP_FLE))
            return false;
    } else {
        if (n->kind != UOP_ILT_S && n->kind != UOP_ILT_U)
            return false;
        *opposite = !less;
    }
    for (int swap = 0; swap < (equal ? 2 : 1); swap++) {
        unsigned left = (unsigned)(turned != (swap == 1)), right = 1 - left;
        enum side a = side_of(w, e->arg[0], n->arg[left], n), b = side_of(w, e->arg[1], n->arg[right], n);
        if (a != SIDE_OTHER && b != SIDE_OTHER && (!surely || a == SIDE_SAME || b == SIDE_SAME))
            return true;
    }
    return false;
}

static bool compares(const struct says *w, uint32_t instance)
{
    const struct uop_list *l = list_of(w, instance);
    for (size_t i = 0; i < l->ops.n; i++) {
        struct graph_node n = {.kind = l->ops.p[i].kind};
        if (is_compare(&n))
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
                !is_compare(node_at(w, atoms[0])))
                continue;
            if (graph_is_owned(w->s->g, x))
                return;
            if (!is_comparison(w, e, atoms[0], true, &opposite)) {
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
    if (!is_product_and_sum(&w->line) || !w->in || !is_own(w, w->line.value))
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
    if (o.others || o.products || o.sums != 1 || !is_own(w, e))
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
        const struct graph_node *f = node_at(w, g->defs.p[d].node);
        if (f->kind != UOP_FFMA)
            continue;
        uint32_t count;
        const graph_id *users = graph_users(g, f->arg[0], &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct graph_node *n = node_at(w, users[i]);
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
        !is_own(w, made.value))
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
        const struct graph_node *n = node_at(w, w->s->g->defs.p[d].node);
        graph_id atoms[6];
        unsigned count;
        uint64_t table;
        bool opposite;
        if (n->kind != UOP_SELECT)
            continue;
        return uop_type_bits((enum uop_type)n->type) <= 32 && graph_table(w->s->g, n->arg[0], atoms, &count, &table) &&
               count == 1 && is_compare(node_at(w, atoms[0])) && is_comparison(w, compare, atoms[0], false, &opposite);
    }
    return false;
}

/* Both arguments of a minimum or maximum can be what the source compares. */
static bool takes_both(struct says *w, uint32_t instance, const struct cu_expr *compare)
{
    const struct graph_insn *insn = &w->s->g->insns.p[instance];
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++) {
        const struct graph_node *n = node_at(w, w->s->g->defs.p[d].node);
        bool real = n->kind == UOP_FMIN || n->kind == UOP_FMAX;
        struct graph_node like = {.kind = real ? UOP_FLT : UOP_ILT_S, .width = n->type};
        if (n->arg_count != 2)
            continue;
        graph_id x = n->arg[0], y = n->arg[1];
        return (side_of(w, compare->arg[0], x, &like) && side_of(w, compare->arg[1], y, &like)) ||
               (side_of(w, compare->arg[0], y, &like) && side_of(w, compare->arg[1], x, &like));
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
        const struct fact_instruction *in = fact_at(w, c.offsets.p[i]);
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
            if (!is_own(w, l->value->arg[i]))
                return;
        say_choice(w, "choice", l->value_text, extreme_of(l->value->arg[0], l->value->arg[1], l->value->arg[2]));
        return;
    }
    struct operations o = {0};
    count_operations(l->value, &o);
    if (!l->simple_if || !l->target || !l->comparison || l->adds || o.others || o.products || o.sums ||
        !is_own(w, l->value))
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
    if (!mark_turning(&w))
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < k->lines.n && !arena_failed(a); i++) {
        uint32_t line;
        w.at = &k->lines.p[i];
        w.source = w.at->text ? fact_text_of_line(s, w.at->file, w.at->line, &line) : NULL;
        if (!w.source || !cu_line_read(a, w.source, line, &w.line))
            continue;
        w.in = function_of(&w, line);
        say_comparison(&w);
        say_contraction(&w);
        say_temporary(&w);
        say_choices(&w);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
