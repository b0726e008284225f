/* Matches a term on the value graph: goals (term, node) are solved one after another with full
 * backtracking over the orders of commutative operations and the orientations of selects and compares. A
 * metavariable stands for one node. Real rules are tried only where the page allows them, and only when no
 * exact reading fits first; each use is recorded.
 *
 * Requires a built graph and index. Work a root is bounded by `steps`. */
#include "pattern/pat_collect.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 4096, WALK_MAX = 1 << 14 };

struct goal {
    const struct pat_term *term;
    graph_id node;
    enum uop_type as; /* how the operation above reads it; UOP_VOID: not known */
    const struct goal *next;
};

static bool solve(struct pat_ctx *c, const struct goal *goal);

void pat_ctx_begin(struct pat_ctx *c, const struct pat_page *page, const struct pat_variant *variant, graph_id root)
{
    c->page = page;
    c->variant = variant;
    memset(c->bound, 0, sizeof c->bound);
    c->inner.n = c->conditions.n = c->carriers.n = c->readings.n = 0;
    c->via = 0;
    c->reach = 0;
    c->spoken.n = c->gathered.n = 0;
    c->within = 0;
    c->root = root;
    c->word = -1;
    c->steps = STEPS;
    c->partial = false;
}

/* What a failed attempt takes back. */
struct mark {
    size_t inner, conditions, readings;
    unsigned via;
};

static struct mark here(const struct pat_ctx *c)
{
    return (struct mark){c->inner.n, c->conditions.n, c->readings.n, c->via};
}

static bool back(struct pat_ctx *c, struct mark m)
{
    c->inner.n = m.inner;
    c->conditions.n = m.conditions;
    c->readings.n = m.readings;
    c->via = m.via;
    return false;
}

static void enter(struct pat_ctx *c, graph_id node, const struct pat_term *t, bool load)
{
    VEC_PUSH(c->a, c->inner, (struct pat_inner){.node = node, .term = t, .load = load});
}

static bool is_integer(enum uop_type as)
{
    return as == UOP_B8 || as == UOP_B16 || as == UOP_B32 || as == UOP_B64;
}

static bool type_fits(enum cu_type declared, enum uop_type as)
{
    switch (declared) {
    case CU_AUTO: return as != UOP_B1;
    case CU_FLOAT: return as == UOP_F32;
    case CU_DOUBLE: return as == UOP_F64;
    case CU_HALF: return as == UOP_F16 || as == UOP_BF16;
    case CU_INT:
    case CU_UNSIGNED: return is_integer(as);
    case CU_SIZE: return as == UOP_B64;
    case CU_BOOL: return as == UOP_B1;
    }
    return false;
}

/* C writes one sign for the division of floats, signed and unsigned integers. */
static bool is_function(unsigned wanted, unsigned found)
{
    if (wanted == GRAPH_DIV)
        return found == GRAPH_DIV || found == GRAPH_DIV_S || found == GRAPH_DIV_U;
    return found == wanted || (wanted == GRAPH_REM_S && found == GRAPH_REM_U);
}

static const struct graph_node *strip_extension(const struct graph *g, graph_id *id)
{
    const struct graph_node *n = graph_at(g, *id);
    while ((n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && n->type == UOP_B64 && n->imm == 32) {
        *id = n->arg[0];
        n = graph_at(g, *id);
    }
    return n;
}

static bool match_variable(struct pat_ctx *c, const struct goal *goal)
{
    const struct cu_variable *v = &c->variant->block.variables[goal->term->variable];
    struct pat_bound *b = &c->bound[goal->term->variable];
    if (v->pointer)
        return false;
    const struct pat_term *part = goal->term->arg_count ? goal->term->arg[0] : NULL;
    if (b->set)
        return pat_same_value(c->x, b->node, goal->node) && solve(c, goal->next);
    if (part) { /* a named part: the same node wherever it is spoken of, and made as the part says */
        *b = (struct pat_bound){.set = true, .node = goal->node, .as = goal->as};
        if (solve(c, &(struct goal){part, goal->node, goal->as, goal->next}))
            return true;
        b->set = false;
        return false;
    }
    bool truth = graph_at(c->g, goal->node)->type == UOP_B1;
    enum uop_type as = truth ? UOP_B1 : goal->as;
    if (!type_fits(v->type, as) && !(as == UOP_VOID && v->type != CU_BOOL))
        return false;
    if (v->constant && !graph_is_const(c->g, goal->node, NULL))
        return false;
    *b = (struct pat_bound){.set = true, .node = goal->node, .as = as};
    if (solve(c, goal->next))
        return true;
    b->set = false;
    return false;
}

static bool number_is(enum uop_type as, enum cu_type type, double number, uint64_t bits, unsigned width)
{
    if (as == UOP_VOID)
        as = type == CU_FLOAT ? UOP_F32 : type == CU_DOUBLE ? UOP_F64 : width == 64 ? UOP_B64 : UOP_B32;
    if (as == UOP_F32) {
        float f = (float)number;
        uint32_t b;
        memcpy(&b, &f, sizeof b);
        return b == bits;
    }
    if (as == UOP_F64) {
        uint64_t b;
        memcpy(&b, &number, sizeof b);
        return b == bits;
    }
    if (pat_is_float(as)) /* halves: the numbers that every format spells alike */
        return (number == 0 && bits == pat_special(as, PAT_SPECIAL_ZERO)) ||
               (number == 1 && bits == pat_special(as, PAT_SPECIAL_ONE));
    if (number < -9007199254740992.0 || number > 9007199254740992.0 || number != (double)(int64_t)number)
        return false;
    uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    return ((uint64_t)(int64_t)number & mask) == bits;
}

static bool match_number(struct pat_ctx *c, const struct goal *goal)
{
    uint64_t bits;
    if (!graph_is_const(c->g, goal->node, &bits))
        return false;
    unsigned width = uop_type_bits((enum uop_type)graph_at(c->g, goal->node)->type);
    if (!number_is(goal->as, goal->term->type, goal->term->number, bits, width))
        return false;
    struct mark m = here(c);
    enter(c, goal->node, goal->term, false);
    return solve(c, goal->next) || back(c, m);
}

/* Solves the arguments of a term in the order given, then what comes after. */
static bool solve_arguments(struct pat_ctx *c, const struct goal *goal, const graph_id *args, const unsigned *order,
                            unsigned count, enum uop_type as)
{
    struct goal goals[3];
    const struct goal *next = goal->next;
    for (unsigned i = count; i-- > 0;) {
        goals[i] = (struct goal){goal->term->arg[i], args[order[i]], as, next};
        next = &goals[i];
    }
    return solve(c, next);
}

/* What the graph holds negated as a constant, for a term -x whose x is a number or a constant. */
static bool match_negated_constant(struct pat_ctx *c, const struct goal *goal)
{
    const struct pat_term *inner = goal->term->arg[0];
    const struct graph_node *n = graph_at(c->g, goal->node);
    bool constant = inner->kind == TERM_NUMBER;
    uint64_t bits;
    if (inner->kind == TERM_VARIABLE)
        constant = c->variant->block.variables[inner->variable].constant ||
                   (c->bound[inner->variable].set && graph_is_const(c->g, c->bound[inner->variable].node, NULL));
    if (!constant || !graph_is_const(c->g, goal->node, &bits))
        return false;
    unsigned width = uop_type_bits((enum uop_type)n->type);
    bool floats = pat_is_float(goal->as) && uop_type_bits(goal->as) == width;
    uint64_t sign = UINT64_C(1) << (width - 1), mask = sign | (sign - 1);
    graph_id turned = graph_const(c->g, (enum uop_type)n->type, floats ? bits ^ sign : (0 - bits) & mask);
    return solve(c, &(struct goal){inner, turned, goal->as, goal->next});
}

/* max(0, min(1, x)) of an operation: in the operation, or by adding zero to it. */
static const struct graph_node *saturated(const struct pat_ctx *c, graph_id *id)
{
    const struct graph_node *n = graph_at(c->g, *id);
    uint64_t bits;
    if (n->kind == UOP_FADD && (n->flags & UOP_SAT) && graph_is_const(c->g, n->arg[1], &bits) &&
        pat_is_zero((enum uop_type)n->type, bits)) {
        *id = n->arg[0];
        return graph_at(c->g, *id);
    }
    return n->flags & UOP_SAT ? n : NULL;
}

static bool match_structure(struct pat_ctx *c, const struct goal *goal)
{
    static const unsigned plain[3] = {0, 1, 2}, turned[3] = {1, 0, 2};
    const struct pat_term *t = goal->term;
    const struct graph_node *n = graph_at(c->g, goal->node);
    struct mark m = here(c);
    graph_id bare = goal->node;
    if (t->saturate) {
        n = saturated(c, &bare);
        if (!n)
            return false;
        if (bare != goal->node)
            enter(c, goal->node, t, false);
    }
    if (t->float_operation == UOP_FNEG && n->kind == UOP_CONST)
        return match_negated_constant(c, goal);
    bool floats = n->kind == t->float_operation && t->float_operation != UOP_NOP;
    if (floats && n->kind == GRAPH_REAL && !is_function(t->function, (unsigned)n->imm))
        return back(c, m);
    if (t->rounding != ANY_ROUNDING && n->round != t->rounding)
        return back(c, m);
    if (!floats && !(n->kind == t->operation && t->operation != UOP_NOP)) {
        graph_id id = goal->node;
        n = strip_extension(c->g, &id);
        if (id != goal->node && n->kind == t->operation && t->operation != UOP_NOP) {
            enter(c, goal->node, NULL, false);
            return match_structure(c, &(struct goal){t, id, goal->as, goal->next}) || back(c, m);
        }
        /* a * b + c as one fused operation */
        const struct pat_term *product = t->arg_count == 2 ? t->arg[0] : NULL;
        if ((c->page->rules & PAT_RULE_FMA) && n->kind == UOP_FFMA && t->float_operation == UOP_FADD && product &&
            product->kind == TERM_OPERATION && product->float_operation == UOP_FMUL) {
            enum uop_type as = (enum uop_type)n->type;
            const graph_id args[3] = {n->arg[0], n->arg[1], n->arg[2]};
            for (int turn = 0; turn < 2; turn++) {
                struct goal third = {t->arg[1], args[2], as, goal->next};
                struct goal second = {product->arg[1], args[1 - turn], as, &third};
                struct goal first = {product->arg[0], args[turn], as, &second};
                enter(c, goal->node, t, false);
                c->via |= PAT_RULE_FMA;
                if (solve(c, &first))
                    return true;
                back(c, m);
            }
        }
        return false;
    }
    bool clamps = (n->flags & UOP_SAT) && !t->saturate;
    if (n->arg_count != t->arg_count || clamps || (n->flags & UOP_RELU))
        return back(c, m);
    const graph_id args[3] = {n->arg[0], n->arg[1], n->arg[2]};
    enum uop_type as = (enum uop_type)n->type;
    unsigned count = n->arg_count;
    if (n->kind == UOP_FCHK) /* a condition about floats */
        as = (enum uop_type)n->width;
    else if (n->kind == UOP_HI || n->kind == UOP_LO) /* a word of a double, in this language */
        as = UOP_F64;
    if (n->kind != UOP_HI && n->kind != UOP_LO) /* a word of a value is no computation */
        enter(c, bare, t, false);
    struct mark entered = here(c);
    if (solve_arguments(c, goal, args, plain, count, as))
        return true;
    if (t->commutative && count >= 2) {
        back(c, entered);
        if (solve_arguments(c, goal, args, turned, count, as))
            return true;
    }
    /* A product does not tell which of its factors is turned round: the graph keeps the sign on either. */
    for (unsigned side = 0; side < 2 && (n->kind == UOP_FMUL || n->kind == UOP_FFMA); side++) {
        if (graph_at(c->g, args[side])->kind != UOP_FNEG)
            continue;
        graph_id other[3] = {args[0], args[1], args[2]};
        other[side] = graph_at(c->g, args[side])->arg[0];
        other[1 - side] = graph_op1(c->g, UOP_FNEG, as, args[1 - side]);
        n = graph_at(c->g, bare);
        for (int turn = 0; turn < 2; turn++) {
            back(c, entered);
            if (solve_arguments(c, goal, other, turn ? turned : plain, count, as))
                return true;
        }
    }
    return back(c, m);
}

/* An operation as it stands; else what the value reads as (pat_expand.c). Inside an expansion nothing is to be seen. */
static bool match_operation(struct pat_ctx *c, const struct goal *goal)
{
    const struct pat_reading *r = pat_reading_of(c->x, goal->node);
    struct mark m = here(c);
    if (!pat_is_hidden(c->x, goal->node) && match_structure(c, goal))
        return true;
    if (!r)
        return false;
    enter(c, goal->node, goal->term, false);
    for (unsigned i = 0; i < r->inner_count && !r->owned; i++)
        enter(c, r->inner[i], NULL, false);
    c->via |= r->via;
    return match_structure(c, &(struct goal){goal->term, r->as, goal->as, goal->next}) || back(c, m);
}

static bool match_minmax(struct pat_ctx *c, const struct goal *goal)
{
    static const unsigned orders[2][3] = {{0, 1, 2}, {1, 0, 2}};
    struct pat_minmax v;
    uint8_t fresh = 0; /* nodes made while matching are not in the index */
    uint8_t *known = goal->node < c->x->count ? &c->x->minmax[goal->node] : &fresh;
    if (!pat_minmax_known(c->g, goal->node, known, &v) || v.maximum != goal->term->maximum)
        return false;
    if (!v.exact && !(c->page->rules & PAT_RULE_SELECT))
        return false;
    struct mark m = here(c);
    const graph_id args[2] = {v.a, v.b};
    graph_id condition = v.select ? graph_at(c->g, goal->node)->arg[0] : GRAPH_NIL;
    for (int k = 0; k < 2; k++) {
        enter(c, goal->node, goal->term, false);
        if (v.select) {
            VEC_PUSH(c->a, c->conditions, condition);
            VEC_PUSH(c->a, c->readings, goal->node);
            VEC_PUSH(c->a, c->readings, args[orders[k][0]]);
            VEC_PUSH(c->a, c->readings, args[orders[k][1]]);
        }
        c->via |= v.exact ? 0 : PAT_RULE_SELECT;
        if (solve_arguments(c, goal, args, orders[k], 2, v.as))
            return true;
        back(c, m);
    }
    return false;
}

/* Ways a compare can be written: (kind, operands turned, negated), exact or for real numbers. */
static bool match_compare(struct pat_ctx *c, const struct pat_term *t, graph_id atom, bool negated,
                          const struct goal *next)
{
    const struct graph_node *n = graph_at(c->g, atom);
    bool whole = n->kind == UOP_IEQ || n->kind == UOP_ILT_S || n->kind == UOP_ILT_U;
    bool floats = n->kind == UOP_FLT || n->kind == UOP_FLE || n->kind == UOP_FEQ;
    if (!whole && !floats)
        return false;
    enum uop_type as = floats ? (enum uop_type)n->width : n->imm == 64 ? UOP_B64 : UOP_B32;
    graph_id x = n->arg[0], y = n->arg[1];
    bool real = c->page->rules & PAT_RULE_SELECT;
    bool equal = n->kind == UOP_IEQ || n->kind == UOP_FEQ;
    struct mark m = here(c);
    if (t->op == CU_EQ || t->op == CU_NE) {
        if (!equal || negated != (t->op == CU_NE))
            return false;
        for (int turn = 0; turn < 2; turn++) {
            struct goal second = {t->arg[1], turn ? x : y, as, next};
            if (solve(c, &(struct goal){t->arg[0], turn ? y : x, as, &second}))
                return true;
            back(c, m);
        }
        return false;
    }
    if (equal)
        return false;
    /* As `small OP large`: OP is < or <=, the term likewise. */
    bool strict = n->kind != UOP_FLE, inexact = false;
    if (negated && floats) { /* !(x < y) is y <= x for numbers only */
        inexact = true;
        strict = !strict;
    } else if (negated) {
        strict = false;
    }
    graph_id small = negated ? y : x, large = negated ? x : y;
    bool term_strict = t->op == CU_LT || t->op == CU_GT;
    bool turned = t->op == CU_GT || t->op == CU_GE;
    if (term_strict != strict) {
        if (!floats)
            return false;
        inexact = true;
    }
    if (inexact && !real)
        return false;
    if (inexact)
        c->via |= PAT_RULE_SELECT;
    struct goal second = {t->arg[1], turned ? small : large, as, next};
    return solve(c, &(struct goal){t->arg[0], turned ? large : small, as, &second}) || back(c, m);
}

/* The condition of a choice, wanted as `term` with the arms (yes, no). */
static bool match_choice_as(struct pat_ctx *c, const struct goal *goal, graph_id condition, bool negated, graph_id yes,
                            graph_id no)
{
    const struct pat_term *t = goal->term;
    struct mark m = here(c);
    graph_id select = goal->node;
    const struct graph_node *atom = graph_at(c->g, condition);
    /* Arms that the compare reads too are read as it reads them. */
    enum uop_type as = UOP_VOID;
    if (atom->kind == UOP_FLT || atom->kind == UOP_FLE)
        if (yes == atom->arg[0] || yes == atom->arg[1] || no == atom->arg[0] || no == atom->arg[1])
            as = (enum uop_type)atom->width;
    struct goal third = {t->arg[2], no, as, goal->next}, second = {t->arg[1], yes, as, &third};
    enter(c, select, t, false);
    VEC_PUSH(c->a, c->conditions, condition);
    if (t->arg[0]->kind == TERM_COMPARE)
        return match_compare(c, t->arg[0], condition, negated, &second) || back(c, m);
    graph_id wanted = negated ? graph_not(c->g, condition) : condition;
    return solve(c, &(struct goal){t->arg[0], wanted, UOP_B1, &second}) || back(c, m);
}

static bool match_choice(struct pat_ctx *c, const struct goal *goal)
{
    const struct graph_node *n = graph_at(c->g, goal->node);
    if (n->kind != UOP_SELECT)
        return false;
    graph_id condition = n->arg[0], yes = n->arg[1], no = n->arg[2];
    bool turned = n->flags & UOP_SWAPPED;
    /* A condition is shown as some predicate holds it, else as the select was written. */
    bool plain_held = pat_has_holder(c->x, condition), turned_held = pat_has_holder(c->x, graph_not(c->g, condition));
    if (plain_held != turned_held)
        turned = turned_held;
    for (int k = 0; k < 2; k++, turned = !turned)
        if (match_choice_as(c, goal, condition, turned, turned ? no : yes, turned ? yes : no))
            return true;
    return false;
}

/* ---- places in memory ------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The one parameter that a pointer is stepped through; -1: none, or several. */
static int stepped_param(const struct pat_ctx *c, graph_id id, unsigned depth, unsigned *left)
{
    const struct graph_node *n = graph_at(c->g, id);
    int found = -1;
    if (n->kind == UOP_CBANK) {
        const struct mean_param *p = n->type == UOP_B64 ? mean_param_of(c->m, id) : NULL;
        return p && p->size == 8 ? (int)p->index : -1;
    }
    if (depth > 8 || !*left || (n->kind != UOP_ADD && n->kind != GRAPH_PHI && n->kind != UOP_SELECT))
        return -1;
    --*left;
    const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
    uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
    for (uint32_t i = n->kind == UOP_SELECT; i < count; i++) {
        int one = args[i] == id ? -1 : stepped_param(c, args[i], depth + 1 + (n->kind == GRAPH_PHI), left);
        if (one >= 0 && found >= 0 && one != found)
            return -1;
        found = one >= 0 ? one : found;
    }
    return found;
}

/* Binds array and index of a place; `next` follows. */
static bool match_place(struct pat_ctx *c, const struct pat_term *t, graph_id address, enum uop_space space,
                        unsigned width, const struct goal *next)
{
    struct mean_address where;
    if ((space != UOP_GLOBAL && space != UOP_GENERIC) || !c->m)
        return false;
    bool known =
        mean_address_of(c->m, address, space, width, &where) && where.param >= 0 && where.array && where.index_text;
    if (!known && c->variant->reduces && t->arg_count && t->arg[0]->kind == TERM_VARIABLE) {
        unsigned left = 256;
        int param = stepped_param(c, address, 0, &left);
        if (param >= 0 && (uint32_t)param < c->m->param_count) {
            where = (struct mean_address){.param = param,
                                          .element_bytes = width,
                                          .array = c->m->params[param].name,
                                          .index_text = arena_printf(c->a, "#%u", (unsigned)address)};
            known = where.index_text != NULL;
        }
    }
    if (!known)
        return false;
    struct pat_bound *array = &c->bound[t->variable], before = *array;
    if (array->set && array->param != where.param)
        return false;
    const struct pat_term *index = t->arg_count ? t->arg[0] : NULL;
    const struct pat_term *name = index && index->kind == TERM_OPERATION ? index->arg[0] : index;
    uint32_t unit = where.element_bytes ? where.element_bytes : 1;
    if (!index || index->kind != TERM_VARIABLE) { /* a fixed distance */
        double distance = !index ? 0 : index->kind == TERM_NUMBER ? index->number : index->arg[1]->number;
        if ((double)where.byte_offset != distance * unit)
            return false;
        if ((!index || index->kind == TERM_NUMBER) && strcmp(where.index_text, index ? "" : "0") != 0) {
            /* Without a name in the index nothing may vary. */
            struct graph_affine sum;
            if (!graph_affine(c->g, address, &sum) || sum.term_count)
                return false;
        }
    }
    struct pat_bound *position = name && name->kind == TERM_VARIABLE ? &c->bound[name->variable] : NULL;
    const char *text = where.index_text;
    if (position && index->kind == TERM_OPERATION) { /* the name is what stands before the + */
        if (where.index == GRAPH_NIL)
            return false;
        text = mean_expr(c->m, where.index, UOP_B32, MEAN_INNER);
    }
    if (position && position->set && !same_text(position->text, text))
        return false;
    struct pat_bound position_before = position ? *position : (struct pat_bound){0};
    *array = (struct pat_bound){
        .set = true, .param = where.param, .text = where.array, .element_bytes = where.element_bytes};
    if (position && !position->set)
        *position = (struct pat_bound){.set = true, .node = where.index, .as = UOP_B32, .text = text};
    if (solve(c, next))
        return true;
    *array = before;
    if (position)
        *position = position_before;
    return false;
}

/* The load a node is the result of: the LOAD itself or one word of it, perhaps widened. NIL: none. */
static graph_id load_of(const struct graph *g, graph_id node, int *word)
{
    const struct graph_node *n = graph_at(g, node);
    *word = -1;
    if ((n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && graph_at(g, n->arg[0])->kind == UOP_LOAD &&
        graph_at(g, n->arg[0])->width * 8u == n->imm)
        return n->arg[0];
    bool half = n->kind == UOP_LO || n->kind == UOP_HI;
    if ((half || n->kind == UOP_ELEMENT) && graph_at(g, n->arg[0])->kind == UOP_LOAD) {
        *word = half ? n->kind == UOP_HI : (int)n->imm;
        return n->arg[0];
    }
    return n->kind == UOP_LOAD ? node : GRAPH_NIL;
}

static bool match_element(struct pat_ctx *c, const struct goal *goal)
{
    int word;
    graph_id load = load_of(c->g, goal->node, &word);
    if (load == GRAPH_NIL || (c->word >= 0 && word != c->word))
        return false;
    const struct graph_node n = *graph_at(c->g, load);
    if (goal->term->readonly && n.order != UOP_READONLY)
        return false;
    struct mark m = here(c);
    enter(c, load, goal->term, true);
    if (goal->node != load && word < 0)
        enter(c, goal->node, NULL, false);
    return match_place(c, goal->term, n.arg[0], (enum uop_space)n.space, n.width, goal->next) || back(c, m);
}

/* ---- any computation of elements ------------------------------------------------------------- */

struct walk {
    VEC(graph_id) stack;
    struct map_u64 seen;
};

static void walk_push(struct pat_ctx *c, struct walk *w, graph_id id)
{
    uint32_t known;
    if (id == GRAPH_NIL || map_u64_get(&w->seen, id, &known))
        return;
    if (map_u64_put(c->a, &w->seen, id, 1))
        VEC_PUSH(c->a, w->stack, id);
}

static int by_number(const void *a, const void *b)
{
    graph_id x = *(const graph_id *)a, y = *(const graph_id *)b;
    return (x > y) - (x < y);
}

/* Every leaf is a constant, a parameter, a special register or an element at the index of the first one asked for. */
static bool match_any(struct pat_ctx *c, const struct goal *goal)
{
    const struct pat_term *t = goal->term;
    struct walk w = {0};
    struct mark m = here(c);
    VEC(graph_id) loads = {0};
    int word;
    if (load_of(c->g, goal->node, &word) != GRAPH_NIL)
        return false; /* nothing is computed */
    walk_push(c, &w, goal->node);
    while (w.stack.n) {
        graph_id id = w.stack.p[--w.stack.n], load = load_of(c->g, id, &word);
        const struct graph_node *n = graph_at(c->g, id);
        if (c->inner.n - m.inner > WALK_MAX)
            return back(c, m);
        const struct pat_reading *r = load == GRAPH_NIL ? pat_reading_of(c->x, id) : NULL;
        if (r && (r->closed || r->owned)) { /* its instruction and what it is a function of */
            enter(c, id, NULL, false);
            for (unsigned i = 0; i < r->inner_count && !r->owned; i++)
                enter(c, r->inner[i], NULL, false);
            walk_push(c, &w, r->as);
            continue;
        }
        if (load != GRAPH_NIL) {
            if (c->word >= 0 && word != c->word)
                return back(c, m);
            if (id != load && word < 0)
                enter(c, id, NULL, false);
            enter(c, load, t, true);
            VEC_PUSH(c->a, loads, load);
        } else if (pat_is_pure(n)) {
            enter(c, id, NULL, false);
            for (unsigned i = 0; i < n->arg_count; i++)
                walk_push(c, &w, n->arg[i]);
        } else if (n->kind == UOP_CBANK || n->kind == UOP_SREG) {
            if (n->arg_count)
                return back(c, m);
        } else if (n->kind != UOP_CONST) {
            return back(c, m);
        }
    }
    if (!loads.n)
        return back(c, m);
    /* Ascending, so that the first element is always the same one. */
    qsort(loads.p, loads.n, sizeof loads.p[0], by_number);
    if (!t->ellipsis && loads.n != t->arg_count)
        return back(c, m);
    if (loads.n < t->arg_count)
        return back(c, m);
    /* Elements that the block names, in order; further ones lie at the index of the first. */
    const char *index = NULL;
    bool was_partial = c->partial;
    c->partial = true;
    for (size_t i = 0; i < loads.n; i++) {
        const struct graph_node n = *graph_at(c->g, loads.p[i]);
        if (i < t->arg_count) {
            if (!match_place(c, t->arg[i], n.arg[0], (enum uop_space)n.space, n.width, NULL))
                goto no;
            const struct pat_term *position = t->arg[i]->arg_count ? t->arg[i]->arg[0] : NULL;
            if (i == 0 && position && position->kind == TERM_VARIABLE)
                index = c->bound[position->variable].text;
            continue;
        }
        struct mean_address where;
        if ((n.space != UOP_GLOBAL && n.space != UOP_GENERIC) ||
            !mean_address_of(c->m, n.arg[0], (enum uop_space)n.space, n.width, &where) || where.param < 0 ||
            (index && !same_text(index, where.index_text)))
            goto no;
    }
    c->partial = was_partial;
    return solve(c, goal->next) || back(c, m);
no:
    c->partial = was_partial;
    return back(c, m);
}

/* ---- results of reductions ------------------------------------------------------------------- */

/* What is reduced, without the neutral element that threads without one bring. */
static graph_id brought(const struct graph *g, graph_id input)
{
    const struct graph_node *n = graph_at(g, input);
    if (n->kind == UOP_SELECT && graph_is_const(g, n->arg[2], NULL))
        return n->arg[1];
    if (n->kind == UOP_SELECT && graph_is_const(g, n->arg[1], NULL))
        return n->arg[2];
    return input;
}

/* All that is taken in: one value for all, but for constants; or partial results of another reduction. */
static bool match_collective(struct pat_ctx *c, const struct pat_term *t, const struct pat_collective *v,
                             const struct goal *next, unsigned depth)
{
    struct pat_bound *operation = t->variable >= 0 ? &c->bound[t->variable] : NULL;
    struct pat_bound before = operation ? *operation : (struct pat_bound){0};
    graph_id input = GRAPH_NIL;
    if (depth > 4 || (operation ? operation->set && strcmp(operation->text, pat_op_text(v->op)) != 0
                                : pat_op_find(t->named) != v->op))
        return false;
    if (!v->exact && !(c->page->rules & PAT_RULE_SELECT))
        return false;
    for (size_t i = 0; i < v->inputs.n; i++) {
        if (graph_is_const(c->g, v->inputs.p[i], NULL))
            continue;
        if (input != GRAPH_NIL && input != v->inputs.p[i])
            return false;
        input = v->inputs.p[i];
    }
    if (input == GRAPH_NIL)
        return false;
    struct mark m = here(c);
    unsigned reach = c->reach;
    if (operation)
        *operation = (struct pat_bound){.set = true, .text = pat_op_text(v->op)};
    enter(c, v->values.p[v->values.n - 1], NULL, false);
    c->via |= v->exact ? 0 : PAT_RULE_SELECT;
    c->reach = v->reach > c->reach ? v->reach : c->reach;
    size_t spoken = c->spoken.n, gathered = c->gathered.n;
    uint32_t within = c->within;
    if (v->cycle && v->cycle == c->within) /* still going on */
        return back(c, m);
    if (v->found)
        VEC_PUSH(c->a, c->spoken, v->found);
    else
        VEC_PUSH(c->a, c->gathered, v);
    c->within = v->cycle ? v->cycle : within;
    static const struct pat_term left = {.kind = TERM_LEFT};
    const struct goal behind = {&left, within, UOP_VOID, next};
    const struct pat_term *of = t->arg[0];
    next = &behind;
    const struct pat_collective *inner = pat_collect_inner(c->collect, input);
    if (of->kind == TERM_REDUCED) {
        /* One directly within another: both between threads. */
        if (inner && inner != v && inner->found && match_collective(c, of, inner, next, depth + 1))
            return true;
    } else {
        graph_id plain = brought(c->g, input);
        if (inner && inner != v && inner->op == v->op && match_collective(c, t, inner, next, depth + 1))
            return true;
        if (solve(c, &(struct goal){of, plain, UOP_VOID, next}))
            return true;
        if (plain != input && solve(c, &(struct goal){of, input, UOP_VOID, next}))
            return true;
    }
    if (operation)
        *operation = before;
    c->reach = reach;
    c->spoken.n = spoken;
    c->gathered.n = gathered;
    c->within = within;
    return back(c, m);
}

static bool match_reduced(struct pat_ctx *c, const struct goal *goal)
{
    const struct pat_collective *v = pat_collect_result(c->collect, goal->node);
    return v && match_collective(c, goal->term, v, goal->next, 0);
}

bool pat_match_collective(struct pat_ctx *c, const struct pat_term *t, const struct pat_collective *v)
{
    return match_collective(c, t, v, NULL, 0);
}

bool pat_match_goals(struct pat_ctx *c, const struct pat_term *const *terms, const graph_id *nodes, unsigned count)
{
    struct goal goals[CU_MAX_STATEMENTS];
    const struct goal *next = NULL;
    for (unsigned i = count < CU_MAX_STATEMENTS ? count : CU_MAX_STATEMENTS; i-- > 0;) {
        goals[i] = (struct goal){terms[i], nodes[i], UOP_VOID, next};
        next = &goals[i];
    }
    return solve(c, next);
}

/* ---- one goal -------------------------------------------------------------------------------- */

static bool solve(struct pat_ctx *c, const struct goal *goal)
{
    if (!goal)
        return c->partial || pat_match_where(c);
    if (!c->steps || arena_failed(c->a))
        return false;
    c->steps--;
    struct mark m = here(c);
    bool looks_inside = goal->term->kind == TERM_MINMAX || goal->term->kind == TERM_CHOICE;
    if (looks_inside && pat_is_hidden(c->x, goal->node))
        return false;
    switch (goal->term->kind) {
    case TERM_LEFT: {
        uint32_t within = c->within;
        c->within = goal->node;
        if (solve(c, goal->next))
            return true;
        c->within = within;
        return false;
    }
    case TERM_REDUCED: return match_reduced(c, goal);
    case TERM_BITS: return solve(c, &(struct goal){goal->term->arg[0], goal->node, goal->term->reads_as, goal->next});
    case TERM_VARIABLE: return match_variable(c, goal);
    case TERM_NUMBER: return match_number(c, goal);
    case TERM_SREG: {
        graph_id id = goal->node;
        const struct graph_node *n = strip_extension(c->g, &id);
        if (n->kind != UOP_SREG || n->imm != goal->term->sreg)
            return false;
        enter(c, id, goal->term, false);
        if (id != goal->node)
            enter(c, goal->node, NULL, false);
        return solve(c, goal->next) || back(c, m);
    }
    case TERM_OPERATION: return match_operation(c, goal);
    case TERM_MINMAX: return match_minmax(c, goal);
    case TERM_CHOICE: return match_choice(c, goal);
    case TERM_ELEMENT: return match_element(c, goal);
    case TERM_ANY: return match_any(c, goal);
    case TERM_FOUND: return false;
    case TERM_COMPARE: {
        graph_id atoms[6];
        unsigned count;
        uint64_t table;
        if (!graph_table(c->g, goal->node, atoms, &count, &table) || count != 1)
            return false;
        VEC_PUSH(c->a, c->conditions, goal->node);
        return match_compare(c, goal->term, atoms[0], table == 1, goal->next) || back(c, m);
    }
    case TERM_ADDRESS: /* matched from the access it serves */ return false;
    }
    return false;
}

bool pat_match_value(struct pat_ctx *c, const struct pat_term *t, graph_id node, enum uop_type as)
{
    return solve(c, &(struct goal){t, node, as, NULL});
}

bool pat_match_literal(struct pat_ctx *c, const struct pat_term *t, graph_id atom, bool negated)
{
    VEC_PUSH(c->a, c->conditions, atom);
    if (t->kind == TERM_COMPARE)
        return match_compare(c, t, atom, negated, NULL);
    return solve(c, &(struct goal){t, negated ? graph_not(c->g, atom) : atom, UOP_B1, NULL});
}

bool pat_match_target(struct pat_ctx *c, const struct pat_term *target, const struct pat_term *value, graph_id address,
                      enum uop_space space, unsigned width, graph_id stored)
{
    return match_place(c, target, address, space, width, &(struct goal){value, stored, UOP_VOID, NULL});
}

bool pat_match_guarded(struct pat_ctx *c, const struct pat_term *condition, const struct pat_term *value,
                       graph_id guard, graph_id loaded)
{
    struct goal load = {value, loaded, UOP_VOID, NULL};
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    VEC_PUSH(c->a, c->conditions, guard);
    if (condition->kind != TERM_COMPARE)
        return solve(c, &(struct goal){condition, guard, UOP_B1, &load});
    return graph_table(c->g, guard, atoms, &count, &table) && count == 1 &&
           match_compare(c, condition, atoms[0], table == 1, &load);
}

bool pat_match_address(struct pat_ctx *c, const struct pat_term *t, graph_id address, enum uop_space space,
                       unsigned width)
{
    struct graph_affine sum;
    if (!graph_affine(c->g, address, &sum) || !match_place(c, t, address, space, width, NULL))
        return false; /* `where` was asked with the place bound */
    /* The address is computed by what lies between it and the terms of its sum. */
    struct walk w = {0};
    for (unsigned i = 0; i < sum.term_count; i++)
        map_u64_put(c->a, &w.seen, sum.terms[i].term, 1);
    if (sum.base != GRAPH_NIL)
        map_u64_put(c->a, &w.seen, sum.base, 1);
    walk_push(c, &w, address);
    while (w.stack.n && c->inner.n < WALK_MAX) {
        graph_id id = w.stack.p[--w.stack.n];
        const struct graph_node *n = graph_at(c->g, id);
        enter(c, id, NULL, false);
        for (unsigned i = 0; i < n->arg_count && pat_is_pure(n); i++)
            walk_push(c, &w, n->arg[i]);
    }
    return true;
}
