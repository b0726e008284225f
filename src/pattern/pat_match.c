/* Matches a term on the value graph: goals (term, node) are solved one after another with full
 * backtracking over the orders of commutative operations and the orientations of selects and compares. A
 * metavariable stands for one node. Real rules are tried only where the page allows them, and only when no
 * exact reading fits first; each use is recorded.
 *
 * Requires a built graph and index. Work a root is bounded by `steps`. */
#include "pattern/pat_match.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 4096 };

void pat_ctx_begin(struct pat_ctx *c, const struct pat_page *page, const struct pat_variant *variant, graph_id root)
{
    c->page = page;
    c->variant = variant;
    memset(c->bound, 0, sizeof c->bound);
    c->inner.n = c->conditions.n = c->carriers.n = c->readings.n = 0;
    c->via = 0;
    c->reach = 0;
    c->spoken.n = c->gathered.n = c->spots.n = c->tops.n = c->picks.n = 0;
    c->present.n = 0;
    c->reducing = false;
    c->within = c->begun = 0;
    c->root = root;
    c->word = -1;
    c->steps = STEPS;
    c->partial = c->walked = c->rests = false;
}

struct pat_mark pat_here(const struct pat_ctx *c)
{
    return (struct pat_mark){c->inner.n, c->conditions.n, c->readings.n, c->spots.n,
                             c->tops.n,  c->picks.n,      c->present.n,  c->via};
}

bool pat_back(struct pat_ctx *c, struct pat_mark m)
{
    c->inner.n = m.inner;
    c->conditions.n = m.conditions;
    c->readings.n = m.readings;
    c->spots.n = m.spots;
    c->tops.n = m.tops;
    c->picks.n = m.picks;
    c->present.n = m.present;
    c->via = m.via;
    return false;
}

void pat_enter(struct pat_ctx *c, graph_id node, const struct pat_term *t, bool load)
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

static bool match_variable(struct pat_ctx *c, const struct pat_goal *goal)
{
    const struct cu_variable *v = &c->variant->block.variables[goal->term->variable];
    struct pat_bound *b = &c->bound[goal->term->variable];
    if (v->pointer)
        return false;
    const struct pat_term *part = goal->term->arg_count ? goal->term->arg[0] : NULL;
    if (b->set)
        return pat_same_value(c->x, b->node, goal->node) && pat_solve(c, goal->next);
    if (part) { /* a named part: the same node wherever it is spoken of, and made as the part says */
        *b = (struct pat_bound){.set = true, .node = goal->node, .as = goal->as};
        if (pat_solve(c, &(struct pat_goal){part, goal->node, goal->as, goal->next}))
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
    if (pat_solve(c, goal->next))
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

static bool match_number(struct pat_ctx *c, const struct pat_goal *goal)
{
    uint64_t bits;
    if (!graph_is_const(c->g, goal->node, &bits))
        return false;
    unsigned width = uop_type_bits((enum uop_type)graph_at(c->g, goal->node)->type);
    if (!number_is(goal->as, goal->term->type, goal->term->number, bits, width))
        return false;
    struct pat_mark m = pat_here(c);
    pat_enter(c, goal->node, goal->term, false);
    return pat_solve(c, goal->next) || pat_back(c, m);
}

bool pat_solve_arguments(struct pat_ctx *c, const struct pat_goal *goal, const graph_id *args, const unsigned *order,
                         unsigned count, enum uop_type as)
{
    struct pat_goal goals[3];
    const struct pat_goal *next = goal->next;
    for (unsigned i = count; i-- > 0;) {
        goals[i] = (struct pat_goal){goal->term->arg[i], args[order[i]], as, next};
        next = &goals[i];
    }
    return pat_solve(c, next);
}

/* What the graph holds negated as a constant, for a term -x whose x is a number or a constant. */
static bool match_negated_constant(struct pat_ctx *c, const struct pat_goal *goal)
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
    if (!width)
        return false;
    bool floats = pat_is_float(goal->as) && uop_type_bits(goal->as) == width;
    uint64_t sign = UINT64_C(1) << (width - 1), mask = sign | (sign - 1);
    graph_id turned = graph_const(c->g, (enum uop_type)n->type, floats ? bits ^ sign : (0 - bits) & mask);
    return pat_solve(c, &(struct pat_goal){inner, turned, goal->as, goal->next});
}

/* A word of a constant that a name is bound to already. */
static bool match_constant_word(struct pat_ctx *c, const struct pat_goal *goal)
{
    const struct pat_term *inner = goal->term->arg[0];
    uint64_t bits, whole;
    if (inner->kind != TERM_VARIABLE || !c->bound[inner->variable].set ||
        !graph_is_const(c->g, c->bound[inner->variable].node, &whole) || !graph_is_const(c->g, goal->node, &bits))
        return false;
    uint32_t word = (uint32_t)(goal->term->operation == UOP_HI ? whole >> 32 : whole);
    return uop_type_bits(graph_type_of(c->g, c->bound[inner->variable].node)) == 64 && word == bits &&
           pat_solve(c, goal->next);
}

/* A word of a value that was passed: the graph holds it as the word of the bank that it is. */
static bool match_passed_word(struct pat_ctx *c, const struct pat_goal *goal)
{
    enum { WORD = 4, WHOLE = 8 };
    const struct graph_node n = *graph_at(c->g, goal->node);
    uint64_t skipped = goal->term->operation == UOP_HI ? WORD : 0;
    if (n.type != UOP_B32 || n.arg_count || n.imm < skipped || (n.imm - skipped) % WHOLE)
        return false;
    graph_id whole = graph_cbank(c->g, UOP_B64, n.space, (uint32_t)(n.imm - skipped));
    return pat_solve(c, &(struct pat_goal){goal->term->arg[0], whole, UOP_F64, goal->next});
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

/* The size of x with the sign of y, as a function of bits with the mask among its arguments. */
static bool match_sign(struct pat_ctx *c, const struct pat_goal *goal)
{
    const struct graph_node *n = graph_at(c->g, goal->node);
    uint64_t bits;
    if (n->kind != UOP_LOP3 || n->type != UOP_B32)
        return false;
    const graph_id args[3] = {n->arg[0], n->arg[1], n->arg[2]};
    const uint64_t table = n->imm;
    for (unsigned i = 0; i < 9; i++) {
        unsigned x = i / 3, y = i % 3, mask = 3 - x - y, wanted = 0;
        if (x == y || !graph_is_const(c->g, args[mask], &bits) || bits != UINT64_C(0x80000000))
            continue;
        for (unsigned row = 0; row < 8; row++) /* index: first argument in the highest bit */
            wanted |= (row >> (2 - (row >> (2 - mask) & 1 ? y : x)) & 1) << row;
        if (wanted != table)
            continue;
        struct pat_mark m = pat_here(c);
        struct pat_goal second = {goal->term->arg[1], args[y], UOP_F32, goal->next};
        pat_enter(c, goal->node, goal->term, false);
        return pat_solve(c, &(struct pat_goal){goal->term->arg[0], args[x], UOP_F32, &second}) || pat_back(c, m);
    }
    return false;
}

static bool match_structure(struct pat_ctx *c, const struct pat_goal *goal)
{
    if (goal->term->operation == UOP_LOP3)
        return match_sign(c, goal);
    static const unsigned plain[3] = {0, 1, 2}, turned[3] = {1, 0, 2};
    const struct pat_term *t = goal->term;
    const struct graph_node *n = graph_at(c->g, goal->node);
    struct pat_mark m = pat_here(c);
    graph_id bare = goal->node;
    if (t->saturate) {
        n = saturated(c, &bare);
        if (!n)
            return false;
        if (bare != goal->node)
            pat_enter(c, goal->node, t, false);
    }
    if (t->float_operation == UOP_FNEG && n->kind == UOP_CONST)
        return match_negated_constant(c, goal);
    if ((t->operation == UOP_HI || t->operation == UOP_LO) && n->kind == UOP_CONST)
        return match_constant_word(c, goal);
    if ((t->operation == UOP_HI || t->operation == UOP_LO) && n->kind == UOP_CBANK)
        return match_passed_word(c, goal);
    bool floats = n->kind == t->float_operation && t->float_operation != UOP_NOP;
    if (floats && n->kind == GRAPH_REAL && !is_function(t->function, (unsigned)n->imm))
        return pat_back(c, m);
    if (t->rounding != ANY_ROUNDING && n->round != t->rounding)
        return pat_back(c, m);
    if (!floats && !(n->kind == t->operation && t->operation != UOP_NOP)) {
        graph_id id = goal->node;
        n = strip_extension(c->g, &id);
        if (id != goal->node && n->kind == t->operation && t->operation != UOP_NOP) {
            pat_enter(c, goal->node, NULL, false);
            return match_structure(c, &(struct pat_goal){t, id, goal->as, goal->next}) || pat_back(c, m);
        }
        /* a * b + c as one fused operation; of two products either */
        const struct pat_term *product = t->arg_count == 2 ? t->arg[0] : NULL;
        bool fused =
            (c->page->rules & PAT_RULE_FMA) && n->kind == UOP_FFMA && t->float_operation == UOP_FADD && product;
        for (unsigned side = 0; side < 2 && fused; side++) {
            const struct pat_term *one = t->arg[side], *rest = t->arg[1 - side];
            enum uop_type as = (enum uop_type)n->type;
            const graph_id args[3] = {n->arg[0], n->arg[1], n->arg[2]};
            if (one->kind != TERM_OPERATION || one->float_operation != UOP_FMUL || (side && !t->commutative))
                continue;
            for (int turn = 0; turn < 2; turn++) {
                struct pat_goal third = {rest, args[2], as, goal->next};
                struct pat_goal second = {one->arg[1], args[1 - turn], as, &third};
                struct pat_goal first = {one->arg[0], args[turn], as, &second};
                pat_enter(c, goal->node, t, false);
                c->via |= PAT_RULE_FMA;
                if (pat_solve(c, &first))
                    return true;
                pat_back(c, m);
                n = graph_at(c->g, goal->node); /* nodes may have been made */
            }
        }
        if ((c->page->rules & PAT_RULE_FMA) && n->kind == UOP_FFMA && t->float_operation == UOP_FADD && product &&
            product->kind == TERM_EACH) {
            enum uop_type as = (enum uop_type)n->type;
            graph_id added = n->arg[2], made = graph_op2(c->g, UOP_FMUL, as, n->arg[0], n->arg[1]);
            struct pat_goal second = {t->arg[1], added, as, goal->next};
            pat_enter(c, goal->node, t, false);
            c->via |= PAT_RULE_FMA;
            return pat_solve(c, &(struct pat_goal){product, made, as, &second}) || pat_back(c, m);
        }
        return false;
    }
    bool clamps = (n->flags & UOP_SAT) && !t->saturate;
    if (n->arg_count != t->arg_count || clamps || (n->flags & UOP_RELU))
        return pat_back(c, m);
    const graph_id args[3] = {n->arg[0], n->arg[1], n->arg[2]};
    enum uop_type as = (enum uop_type)n->type;
    unsigned count = n->arg_count;
    if (n->kind == UOP_FCHK) /* a condition about floats */
        as = (enum uop_type)n->width;
    else if (n->kind == UOP_HI || n->kind == UOP_LO) /* a word of a double, in this language */
        as = UOP_F64;
    if (n->kind != UOP_HI && n->kind != UOP_LO) /* a word of a value is no computation */
        pat_enter(c, bare, t, false);
    struct pat_mark entered = pat_here(c);
    if (pat_solve_arguments(c, goal, args, plain, count, as))
        return true;
    if (t->commutative && count >= 2) {
        pat_back(c, entered);
        if (pat_solve_arguments(c, goal, args, turned, count, as))
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
            pat_back(c, entered);
            if (pat_solve_arguments(c, goal, other, turn ? turned : plain, count, as))
                return true;
        }
    }
    return pat_back(c, m);
}

/* a times what reads as 1/b, however exactly that is computed, for a / b. */
static bool match_times_reciprocal(struct pat_ctx *c, const struct pat_goal *goal)
{
    const struct pat_term *t = goal->term;
    const struct graph_node n = *graph_at(c->g, goal->node);
    struct pat_mark m = pat_here(c);
    if (!(c->page->rules & PAT_RULE_DIV) || t->float_operation != GRAPH_REAL || t->function != GRAPH_DIV ||
        n.kind != UOP_FMUL || n.flags & (UOP_SAT | UOP_RELU))
        return false;
    for (unsigned turn = 0; turn < 2; turn++) {
        const struct pat_reading *r = pat_reading_of(c->x, n.arg[turn]);
        const struct graph_node *by = r ? graph_at(c->g, r->as) : NULL;
        uint64_t one;
        if (!by || by->kind != GRAPH_REAL || by->imm != GRAPH_DIV || by->type != n.type ||
            !graph_is_const(c->g, by->arg[0], &one) || one != pat_special((enum uop_type)n.type, PAT_SPECIAL_ONE))
            continue;
        const graph_id args[2] = {n.arg[1 - turn], by->arg[1]};
        static const unsigned plain[2] = {0, 1};
        pat_enter(c, goal->node, t, false);
        pat_enter(c, n.arg[turn], NULL, false);
        for (unsigned i = 0; i < r->inner_count && !r->owned; i++)
            pat_enter(c, r->inner[i], NULL, false);
        c->via |= r->via | PAT_RULE_DIV;
        if (pat_solve_arguments(c, goal, args, plain, 2, (enum uop_type)n.type))
            return true;
        pat_back(c, m);
    }
    return false;
}

/* An operation as it stands; else what the value reads as (pat_expand.c). Inside an expansion nothing is to be seen. */
static bool match_operation(struct pat_ctx *c, const struct pat_goal *goal)
{
    const struct pat_reading *r = pat_reading_of(c->x, goal->node);
    struct pat_mark m = pat_here(c);
    if (!pat_is_hidden(c->x, goal->node) && (match_structure(c, goal) || match_times_reciprocal(c, goal)))
        return true;
    if (!r)
        return false;
    pat_enter(c, goal->node, goal->term, false);
    for (unsigned i = 0; i < r->inner_count && !r->owned; i++)
        pat_enter(c, r->inner[i], NULL, false);
    c->via |= r->via;
    return match_structure(c, &(struct pat_goal){goal->term, r->as, goal->as, goal->next}) || pat_back(c, m);
}

/* ---- one goal -------------------------------------------------------------------------------- */

bool pat_solve(struct pat_ctx *c, const struct pat_goal *goal)
{
    if (!goal)
        return c->partial || (pat_match_where(c) && pat_ranges_agree(c));
    if (!c->steps || arena_failed(c->a))
        return false;
    c->steps--;
    struct pat_mark m = pat_here(c);
    bool looks_inside = goal->term->kind == TERM_MINMAX || goal->term->kind == TERM_CHOICE;
    if (looks_inside && pat_is_hidden(c->x, goal->node))
        return false;
    switch (goal->term->kind) {
    case TERM_LEFT: {
        uint32_t within = c->within, begun = c->begun;
        bool reducing = c->reducing;
        c->within = goal->node;
        c->begun = (uint32_t)goal->term->variable;
        c->reducing = goal->as == UOP_B1;
        if (pat_solve(c, goal->next))
            return true;
        c->within = within;
        c->begun = begun;
        c->reducing = reducing;
        return false;
    }
    case TERM_REDUCED: return pat_match_reduced(c, goal);
    case TERM_BITS:
        return pat_solve(c, &(struct pat_goal){goal->term->arg[0], goal->node, goal->term->reads_as, goal->next});
    case TERM_VARIABLE: return match_variable(c, goal);
    case TERM_NUMBER: return match_number(c, goal);
    case TERM_SREG: {
        graph_id id = goal->node;
        const struct graph_node *n = strip_extension(c->g, &id);
        if (n->kind != UOP_SREG || n->imm != goal->term->sreg)
            return false;
        pat_enter(c, id, goal->term, false);
        if (id != goal->node)
            pat_enter(c, goal->node, NULL, false);
        return pat_solve(c, goal->next) || pat_back(c, m);
    }
    case TERM_OPERATION: return match_operation(c, goal);
    case TERM_MINMAX: return pat_match_minmax(c, goal);
    case TERM_CHOICE: return pat_match_choice(c, goal);
    case TERM_ELEMENT: return pat_match_element(c, goal);
    case TERM_ANY: return pat_match_any(c, goal);
    case TERM_EACH: return pat_match_each(c, goal);
    case TERM_FOUND: return false;
    case TERM_COMPARE: {
        graph_id atoms[6];
        unsigned count;
        uint64_t table;
        if (!graph_table(c->g, goal->node, atoms, &count, &table) || count != 1)
            return false;
        VEC_PUSH(c->a, c->conditions, goal->node);
        return pat_match_compare(c, goal->term, atoms[0], table == 1, goal->next) || pat_back(c, m);
    }
    case TERM_ADDRESS: /* matched from the access it serves */ return false;
    }
    return false;
}

bool pat_match_value(struct pat_ctx *c, const struct pat_term *t, graph_id node, enum uop_type as)
{
    return pat_solve(c, &(struct pat_goal){t, node, as, NULL});
}

bool pat_match_literal(struct pat_ctx *c, const struct pat_term *t, graph_id atom, bool negated)
{
    VEC_PUSH(c->a, c->conditions, atom);
    if (t->kind == TERM_COMPARE)
        return pat_match_compare(c, t, atom, negated, NULL);
    return pat_solve(c, &(struct pat_goal){t, negated ? graph_not(c->g, atom) : atom, UOP_B1, NULL});
}

bool pat_match_target(struct pat_ctx *c, const struct pat_term *target, const struct pat_term *value, graph_id address,
                      enum uop_space space, unsigned width, graph_id stored)
{
    return pat_match_place(c, target, address, space, width, &(struct pat_goal){value, stored, UOP_VOID, NULL});
}

bool pat_match_guarded(struct pat_ctx *c, const struct pat_term *condition, const struct pat_term *value,
                       graph_id guard, graph_id loaded)
{
    struct pat_goal load = {value, loaded, UOP_VOID, NULL};
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    VEC_PUSH(c->a, c->conditions, guard);
    if (condition->kind != TERM_COMPARE)
        return pat_solve(c, &(struct pat_goal){condition, guard, UOP_B1, &load});
    return graph_table(c->g, guard, atoms, &count, &table) && count == 1 &&
           pat_match_compare(c, condition, atoms[0], table == 1, &load);
}
