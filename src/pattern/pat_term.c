/* Compiles the expressions of a block into terms: names become metavariables or special registers, calls
 * and operators the micro-operations they stand for. What a CUDA name means as an operation stands in the
 * two tables here. Requires a parsed block; gives NULL with a diagnostic for what no machine value can be
 * compared with. */
#include "pattern/pat_internal.h"

#include <string.h>

static const struct pat_term *refuse(struct pat_compile *c, const struct cu_expr *e, const char *what)
{
    if (c->diags)
        diag_add(c->diags, DIAG_ERROR, "pattern-block", c->where, -1, "line %u: %s", e->line, what);
    return NULL;
}

/* Calls that are one operation. UOP_NOP: no such form. */
static const struct {
    const char *name;
    uint8_t operation, float_operation;
    uint8_t args;
} calls[] = {
    {"fma", UOP_NOP, UOP_FFMA, 3},    {"fmaf", UOP_NOP, UOP_FFMA, 3},  {"abs", UOP_ABS, UOP_FABS, 1},
    {"fabsf", UOP_NOP, UOP_FABS, 1},  {"exp2f", UOP_NOP, UOP_EX2, 1},  {"exp2", UOP_NOP, UOP_EX2, 1},
    {"log2f", UOP_NOP, UOP_LG2, 1},   {"log2", UOP_NOP, UOP_LG2, 1},   {"rcp", UOP_NOP, UOP_RCP, 1},
    {"rsqrt", UOP_NOP, UOP_RSQ, 1},   {"rsqrtf", UOP_NOP, UOP_RSQ, 1}, {"sqrt", UOP_NOP, UOP_SQRT, 1},
    {"sqrtf", UOP_NOP, UOP_SQRT, 1},  {"tanhf", UOP_NOP, UOP_TANH, 1}, {"__popc", UOP_POPC, UOP_NOP, 1},
    {"__brev", UOP_BREV, UOP_NOP, 1},
};

static const struct {
    enum cu_op op;
    uint8_t operation, float_operation;
    bool commutative;
} operators[] = {
    {CU_ADD, UOP_ADD, UOP_FADD, true},     {CU_MUL, UOP_MUL, UOP_FMUL, true}, {CU_AND, UOP_AND, UOP_NOP, true},
    {CU_OR, UOP_OR, UOP_NOP, true},        {CU_XOR, UOP_XOR, UOP_NOP, true},  {CU_INVERT, UOP_NOT, UOP_NOP, false},
    {CU_NEGATE, UOP_NEG, UOP_FNEG, false},
};

static struct pat_term *make(struct pat_compile *c, enum pat_term_kind kind)
{
    struct pat_term *t = ARENA_NEW(c->a, struct pat_term);
    if (t)
        *t = (struct pat_term){.kind = kind, .variable = -1, .weight = kind != TERM_VARIABLE};
    return t;
}

static bool add_argument(struct pat_term *t, const struct pat_term *arg)
{
    if (!arg)
        return false;
    t->arg[t->arg_count++] = arg;
    t->weight += arg->weight;
    return true;
}

static const struct pat_term *compile_arguments(struct pat_compile *c, const struct cu_expr *e, struct pat_term *t)
{
    for (unsigned i = 0; t && i < e->arg_count; i++)
        if (!add_argument(t, pat_compile_term(c, e->arg[i])))
            return NULL;
    return t;
}

static const struct pat_term *compile_name(struct pat_compile *c, const struct cu_expr *e)
{
    int variable = cu_find_variable(c->block, e->text);
    if (variable >= 0) {
        struct pat_term *t = make(c, TERM_VARIABLE);
        if (t)
            t->variable = variable;
        return t;
    }
    for (unsigned sreg = 0; sreg < UOP_SR_ZERO; sreg++) {
        const char *text = uop_sreg_text(sreg);
        if (text && strcmp(text, e->text) == 0) {
            struct pat_term *t = make(c, TERM_SREG);
            if (t)
                t->sreg = sreg;
            return t;
        }
    }
    return refuse(c, e, "a name that is neither declared nor a special register");
}

/* a[e], *a, and under & their address. */
static const struct pat_term *compile_place(struct pat_compile *c, const struct cu_expr *e, enum pat_term_kind kind)
{
    const struct cu_expr *array = e->arg[0];
    bool element = e->kind == CU_ELEMENT;
    if (!element && !(e->kind == CU_UNARY && e->op == CU_DEREFERENCE))
        return refuse(c, e, "an element of a declared array is needed here");
    int variable = array->kind == CU_NAME ? cu_find_variable(c->block, array->text) : -1;
    if (variable < 0 || !c->block->variables[variable].pointer)
        return refuse(c, e, "an element of a declared array is needed here");
    struct pat_term *t = make(c, kind);
    if (!t)
        return NULL;
    t->variable = variable;
    if (element) {
        const struct cu_expr *index = e->arg[1];
        bool plain = index->kind == CU_NAME || index->kind == CU_NUMBER ||
                     (index->kind == CU_BINARY && index->op == CU_ADD && index->arg[0]->kind == CU_NAME &&
                      index->arg[1]->kind == CU_NUMBER);
        if (!plain)
            return refuse(c, e, "an index is a name, a number, or a name + a number");
        if (!add_argument(t, pat_compile_term(c, index)))
            return NULL;
    }
    return t;
}

static const struct pat_term *compile_call(struct pat_compile *c, const struct cu_expr *e)
{
    bool minimum = strcmp(e->text, "min") == 0 || strcmp(e->text, "fminf") == 0;
    bool maximum = strcmp(e->text, "max") == 0 || strcmp(e->text, "fmaxf") == 0;
    if ((minimum || maximum) && e->arg_count == 2 && !e->ellipsis) {
        struct pat_term *t = make(c, TERM_MINMAX);
        if (t) {
            t->maximum = maximum;
            t->commutative = true;
        }
        return compile_arguments(c, e, t);
    }
    if (strcmp(e->text, "__ldg") == 0) {
        const struct cu_expr *arg = e->arg_count == 1 ? e->arg[0] : e;
        if (arg->kind != CU_UNARY || arg->op != CU_ADDRESS)
            return refuse(c, e, "__ldg takes the address of an element");
        struct pat_term *t = (struct pat_term *)compile_place(c, arg->arg[0], TERM_ELEMENT);
        if (t)
            t->readonly = true;
        return t;
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(e->text, calls[i].name) != 0 || e->ellipsis)
            continue;
        if (e->arg_count != calls[i].args)
            return refuse(c, e, "another number of arguments");
        struct pat_term *t = make(c, TERM_OPERATION);
        if (t) {
            t->operation = calls[i].operation;
            t->float_operation = calls[i].float_operation;
            t->commutative = calls[i].args == 3;
        }
        return compile_arguments(c, e, t);
    }
    /* An unknown function of elements stands for any computation of them. */
    struct pat_term *t = make(c, TERM_ANY);
    if (!t)
        return NULL;
    t->ellipsis = e->ellipsis;
    for (unsigned i = 0; i < e->arg_count; i++)
        if (e->arg[i]->kind != CU_ELEMENT)
            return refuse(c, e, "a function without a meaning here may take elements only");
    return compile_arguments(c, e, t);
}

static const struct pat_term *compile_operator(struct pat_compile *c, const struct cu_expr *e)
{
    if (e->op >= CU_LT && e->op <= CU_NE) {
        struct pat_term *t = make(c, TERM_COMPARE);
        if (t)
            t->op = e->op;
        return compile_arguments(c, e, t);
    }
    if (e->op == CU_ADDRESS)
        return compile_place(c, e->arg[0], TERM_ADDRESS);
    if (e->op == CU_DEREFERENCE)
        return compile_place(c, e, TERM_ELEMENT);
    if (e->op == CU_SUB) { /* a - b is a + -b in the graph */
        struct pat_term *sum = make(c, TERM_OPERATION), *minus = make(c, TERM_OPERATION);
        if (!sum || !minus)
            return NULL;
        sum->operation = UOP_ADD;
        sum->float_operation = UOP_FADD;
        sum->commutative = true;
        minus->operation = UOP_NEG;
        minus->float_operation = UOP_FNEG;
        return add_argument(sum, pat_compile_term(c, e->arg[0])) &&
                       add_argument(minus, pat_compile_term(c, e->arg[1])) && add_argument(sum, minus)
                   ? sum
                   : NULL;
    }
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (operators[i].op != e->op)
            continue;
        struct pat_term *t = make(c, TERM_OPERATION);
        if (t) {
            t->operation = operators[i].operation;
            t->float_operation = operators[i].float_operation;
            t->commutative = operators[i].commutative;
        }
        return compile_arguments(c, e, t);
    }
    return refuse(c, e, "an operator that patterns do not know");
}

const struct pat_term *pat_compile_term(struct pat_compile *c, const struct cu_expr *e)
{
    struct pat_term *t;
    switch (e->kind) {
    case CU_NAME: return compile_name(c, e);
    case CU_NUMBER:
        t = make(c, TERM_NUMBER);
        if (t) {
            t->number = e->number;
            t->type = e->type;
        }
        return t;
    case CU_ELEMENT: return compile_place(c, e, TERM_ELEMENT);
    case CU_CALL: return compile_call(c, e);
    case CU_CHOICE:
        t = make(c, TERM_CHOICE);
        if (!t || !add_argument(t, pat_compile_condition(c, e->arg[0])) ||
            !add_argument(t, pat_compile_term(c, e->arg[1])) || !add_argument(t, pat_compile_term(c, e->arg[2])))
            return NULL;
        return t;
    case CU_UNARY:
    case CU_BINARY: return compile_operator(c, e);
    }
    return NULL;
}

const struct pat_term *pat_compile_condition(struct pat_compile *c, const struct cu_expr *e)
{
    int variable = e->kind == CU_NAME ? cu_find_variable(c->block, e->text) : -1;
    bool compare = e->kind == CU_BINARY && e->op >= CU_LT && e->op <= CU_NE;
    if (!compare && (variable < 0 || c->block->variables[variable].type != CU_BOOL))
        return refuse(c, e, "a condition is a comparison or a name declared bool");
    return pat_compile_term(c, e);
}
