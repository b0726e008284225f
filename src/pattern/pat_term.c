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
    {"fma", UOP_NOP, UOP_FFMA, 3},
    {"fmaf", UOP_NOP, UOP_FFMA, 3},
    {"abs", UOP_ABS, UOP_FABS, 1},
    {"fabsf", UOP_NOP, UOP_FABS, 1},
    {"exp2f", UOP_NOP, UOP_EX2, 1},
    {"exp2", UOP_NOP, UOP_EX2, 1},
    {"log2f", UOP_NOP, UOP_LG2, 1},
    {"log2", UOP_NOP, UOP_LG2, 1},
    {"rcp", UOP_NOP, UOP_RCP, 1},
    {"rsqrt", UOP_NOP, UOP_RSQ, 1},
    {"rsqrtf", UOP_NOP, UOP_RSQ, 1},
    {"sqrt", UOP_NOP, UOP_SQRT, 1},
    {"sqrtf", UOP_NOP, UOP_SQRT, 1},
    {"tanhf", UOP_NOP, UOP_TANH, 1},
    {"tanh", UOP_NOP, UOP_TANH, 1},
    {"copysignf", UOP_LOP3, UOP_NOP, 2}, /* the mask of the sign is its third argument */
    {"__popc", UOP_POPC, UOP_NOP, 1},
    {"__brev", UOP_BREV, UOP_NOP, 1},
    {"rcp64h", UOP_RCP64H, UOP_NOP, 1},
    {"rsq64h", UOP_RSQ64H, UOP_NOP, 1},
    {"__double2hiint", UOP_HI, UOP_NOP, 1},
    {"__double2loint", UOP_LO, UOP_NOP, 1},
    {"__umulhi", UOP_MULHI_U, UOP_NOP, 2},
    {"__mulhi", UOP_MULHI_S, UOP_NOP, 2},
    {"__float2int_rn", UOP_F2I, UOP_NOP, 1},
    {"__int2float_rn", UOP_NOP, UOP_I2F, 1},
    {"division_needs_slow_path", UOP_NOP, UOP_FCHK, 2},
};

/* Calls with a rounding of their own. */
static const struct {
    const char *name;
    uint8_t operation, rounding, args;
} rounded[] = {
    {"__fmaf_rd", UOP_FFMA, UOP_RM, 3}, {"__fmaf_ru", UOP_FFMA, UOP_RP, 3}, {"__fmaf_rz", UOP_FFMA, UOP_RZ, 3},
    {"__fadd_rd", UOP_FADD, UOP_RM, 2}, {"__fadd_ru", UOP_FADD, UOP_RP, 2}, {"__fadd_rz", UOP_FADD, UOP_RZ, 2},
    {"__fmul_rd", UOP_FMUL, UOP_RM, 2}, {"__fmul_ru", UOP_FMUL, UOP_RP, 2}, {"__fmul_rz", UOP_FMUL, UOP_RZ, 2},
};

/* Functions without an operation: what reads as one of them matches (pat_expand.c). */
static const struct {
    const char *name;
    uint8_t function, args;
} functions[] = {
    {"exp", GRAPH_EXP, 1},
    {"expf", GRAPH_EXP, 1},
    {"__expf", GRAPH_EXP, 1},
    {"exp10", GRAPH_EXP10, 1},
    {"exp10f", GRAPH_EXP10, 1},
    {"log", GRAPH_LOG, 1},
    {"logf", GRAPH_LOG, 1},
    {"__logf", GRAPH_LOG, 1},
    {"log10", GRAPH_LOG10, 1},
    {"log10f", GRAPH_LOG10, 1},
    {"sin", GRAPH_SIN, 1},
    {"sinf", GRAPH_SIN, 1},
    {"cos", GRAPH_COS, 1},
    {"cosf", GRAPH_COS, 1},
    {"tan", GRAPH_TAN, 1},
    {"tanf", GRAPH_TAN, 1},
    {"pow", GRAPH_POW, 2},
    {"powf", GRAPH_POW, 2},
    {"fmod", GRAPH_FMOD, 2},
    {"fmodf", GRAPH_FMOD, 2},
    {"acos", GRAPH_ACOS, 1},
    {"acosf", GRAPH_ACOS, 1},
    {"acosh", GRAPH_ACOSH, 1},
    {"acoshf", GRAPH_ACOSH, 1},
    {"asin", GRAPH_ASIN, 1},
    {"asinf", GRAPH_ASIN, 1},
    {"asinh", GRAPH_ASINH, 1},
    {"asinhf", GRAPH_ASINH, 1},
    {"atan", GRAPH_ATAN, 1},
    {"atanf", GRAPH_ATAN, 1},
    {"atanh", GRAPH_ATANH, 1},
    {"atanhf", GRAPH_ATANH, 1},
    {"cbrt", GRAPH_CBRT, 1},
    {"cbrtf", GRAPH_CBRT, 1},
    {"rcbrt", GRAPH_RCBRT, 1},
    {"rcbrtf", GRAPH_RCBRT, 1},
    {"cosh", GRAPH_COSH, 1},
    {"coshf", GRAPH_COSH, 1},
    {"sinh", GRAPH_SINH, 1},
    {"sinhf", GRAPH_SINH, 1},
    {"expm1", GRAPH_EXPM1, 1},
    {"expm1f", GRAPH_EXPM1, 1},
    {"log1p", GRAPH_LOG1P, 1},
    {"log1pf", GRAPH_LOG1P, 1},
    {"sinpi", GRAPH_SINPI, 1},
    {"sinpif", GRAPH_SINPI, 1},
    {"cospi", GRAPH_COSPI, 1},
    {"cospif", GRAPH_COSPI, 1},
    {"erf", GRAPH_ERF, 1},
    {"erff", GRAPH_ERF, 1},
    {"erfc", GRAPH_ERFC, 1},
    {"erfcf", GRAPH_ERFC, 1},
    {"erfcx", GRAPH_ERFCX, 1},
    {"erfcxf", GRAPH_ERFCX, 1},
    {"erfinv", GRAPH_ERFINV, 1},
    {"erfinvf", GRAPH_ERFINV, 1},
    {"erfcinv", GRAPH_ERFCINV, 1},
    {"erfcinvf", GRAPH_ERFCINV, 1},
    {"normcdf", GRAPH_NORMCDF, 1},
    {"normcdff", GRAPH_NORMCDF, 1},
    {"normcdfinv", GRAPH_NORMCDFINV, 1},
    {"normcdfinvf", GRAPH_NORMCDFINV, 1},
    {"lgamma", GRAPH_LGAMMA, 1},
    {"lgammaf", GRAPH_LGAMMA, 1},
    {"tgamma", GRAPH_TGAMMA, 1},
    {"tgammaf", GRAPH_TGAMMA, 1},
    {"j0", GRAPH_J0, 1},
    {"j0f", GRAPH_J0, 1},
    {"j1", GRAPH_J1, 1},
    {"j1f", GRAPH_J1, 1},
    {"y0", GRAPH_Y0, 1},
    {"y0f", GRAPH_Y0, 1},
    {"y1", GRAPH_Y1, 1},
    {"y1f", GRAPH_Y1, 1},
    {"cyl_bessel_i0", GRAPH_CYL_BESSEL_I0, 1},
    {"cyl_bessel_i0f", GRAPH_CYL_BESSEL_I0, 1},
    {"cyl_bessel_i1", GRAPH_CYL_BESSEL_I1, 1},
    {"cyl_bessel_i1f", GRAPH_CYL_BESSEL_I1, 1},
    {"atan2", GRAPH_ATAN2, 2},
    {"atan2f", GRAPH_ATAN2, 2},
    {"hypot", GRAPH_HYPOT, 2},
    {"hypotf", GRAPH_HYPOT, 2},
    {"rhypot", GRAPH_RHYPOT, 2},
    {"rhypotf", GRAPH_RHYPOT, 2},
    {"jn", GRAPH_JN, 2},
    {"jnf", GRAPH_JN, 2},
    {"yn", GRAPH_YN, 2},
    {"ynf", GRAPH_YN, 2},
    {"remainder", GRAPH_REMAINDER, 2},
    {"remainderf", GRAPH_REMAINDER, 2},
    {"modf", GRAPH_MODF, 1},
    {"modff", GRAPH_MODF, 1},
    {"frexp", GRAPH_FREXP, 1},
    {"frexpf", GRAPH_FREXP, 1},
    {"frexp_exponent", GRAPH_FREXP_EXPONENT, 1},
    {"logb", GRAPH_LOGB, 1},
    {"logbf", GRAPH_LOGB, 1},
    {"ilogb", GRAPH_ILOGB, 1},
    {"ilogbf", GRAPH_ILOGB, 1},
    {"lround", GRAPH_LROUND, 1},
    {"lroundf", GRAPH_LROUND, 1},
    {"nextafter", GRAPH_NEXTAFTER, 2},
    {"nextafterf", GRAPH_NEXTAFTER, 2},
    {"ldexp", GRAPH_LDEXP, 2},
    {"ldexpf", GRAPH_LDEXP, 2},
    {"remquo", GRAPH_REMQUO, 2},
    {"remquof", GRAPH_REMQUO, 2},
    {"norm3d", GRAPH_NORM3D, 3},
    {"norm3df", GRAPH_NORM3D, 3},
    {"rnorm3d", GRAPH_RNORM3D, 3},
    {"rnorm3df", GRAPH_RNORM3D, 3},
    {"norm4d", GRAPH_NORM4D, 4},
    {"norm4df", GRAPH_NORM4D, 4},
    {"rnorm4d", GRAPH_RNORM4D, 4},
    {"rnorm4df", GRAPH_RNORM4D, 4},
};

bool pat_function_named(const char *name, unsigned args, unsigned *kind, unsigned *function)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) == 0 && functions[i].args == args) {
            *kind = GRAPH_REAL;
            *function = functions[i].function;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(calls[i].name, name) == 0 && calls[i].args == args && calls[i].float_operation != UOP_NOP) {
            *kind = calls[i].float_operation;
            *function = 0;
            return true;
        }
    }
    return false;
}

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
        *t = (struct pat_term){.kind = kind, .variable = -1, .rounding = ANY_ROUNDING, .weight = kind != TERM_VARIABLE};
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
        const struct cu_expr *part = c->block->variables[variable].value;
        if (c->visible && (unsigned)variable >= c->visible)
            return refuse(c, e, "a part may speak of what is declared before it");
        if (part && c->parts[variable])
            return c->parts[variable];
        struct pat_term *t = make(c, TERM_VARIABLE);
        if (!t)
            return NULL;
        t->variable = variable;
        if (part) {
            unsigned visible = c->visible;
            c->visible = variable ? (unsigned)variable : 1;
            bool ok = variable > 0 && add_argument(t, pat_compile_term(c, part));
            c->visible = visible;
            if (!ok)
                return refuse(c, e, "a part is made of what is declared before it");
        }
        c->parts[variable] = t;
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

/* Nothing happens to the bits; what is inside is a number of this kind. */
static const struct {
    const char *name;
    uint8_t as;
} bit_readers[] = {
    {"__float_as_int", UOP_F32},  {"__float_as_uint", UOP_F32},      {"__int_as_float", UOP_B32},
    {"__uint_as_float", UOP_B32}, {"__double_as_longlong", UOP_F64}, {"__longlong_as_double", UOP_B64},
};

static struct pat_term *make_function(struct pat_compile *c, unsigned function)
{
    struct pat_term *t = make(c, TERM_OPERATION);
    if (t) {
        t->operation = UOP_NOP;
        t->float_operation = GRAPH_REAL;
        t->function = (uint8_t)function;
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
            t->commutative =
                calls[i].args == 3 || calls[i].operation == UOP_MULHI_U || calls[i].operation == UOP_MULHI_S;
        }
        return compile_arguments(c, e, t);
    }
    for (size_t i = 0; i < sizeof rounded / sizeof rounded[0]; i++) {
        if (strcmp(e->text, rounded[i].name) != 0 || e->ellipsis)
            continue;
        if (e->arg_count != rounded[i].args)
            return refuse(c, e, "another number of arguments");
        struct pat_term *t = make(c, TERM_OPERATION);
        if (t) {
            t->operation = UOP_NOP;
            t->float_operation = rounded[i].operation;
            t->rounding = rounded[i].rounding;
            t->commutative = true;
        }
        return compile_arguments(c, e, t);
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(e->text, functions[i].name) != 0 || e->ellipsis)
            continue;
        if (e->arg_count != functions[i].args)
            return refuse(c, e, "another number of arguments");
        return compile_arguments(c, e, make_function(c, functions[i].function));
    }
    if (strcmp(e->text, "__saturatef") == 0 && e->arg_count == 1) {
        const struct pat_term *inner = pat_compile_term(c, e->arg[0]);
        struct pat_term *t = inner ? make(c, TERM_OPERATION) : NULL;
        if (!t || inner->kind != TERM_OPERATION)
            return inner ? refuse(c, e, "what is saturated is an operation") : NULL;
        *t = *inner;
        t->saturate = true;
        return t;
    }
    if (strcmp(e->text, "__hiloint2double") == 0 && e->arg_count == 2) {
        struct pat_term *t = make(c, TERM_OPERATION);
        if (!t)
            return NULL;
        t->operation = UOP_PAIR;
        t->float_operation = UOP_NOP;
        return add_argument(t, pat_compile_term(c, e->arg[1])) && add_argument(t, pat_compile_term(c, e->arg[0]))
                   ? t
                   : NULL;
    }
    for (size_t i = 0; i < sizeof bit_readers / sizeof bit_readers[0]; i++) {
        if (strcmp(e->text, bit_readers[i].name) != 0 || e->arg_count != 1)
            continue;
        struct pat_term *t = make(c, TERM_BITS);
        if (t) {
            t->reads_as = (enum uop_type)bit_readers[i].as;
            t->weight = 0;
        }
        return compile_arguments(c, e, t);
    }
    if (strcmp(e->text, "reduce") == 0 && e->arg_count == 2 && e->arg[0]->kind == CU_NAME) {
        struct pat_term *r = make(c, TERM_REDUCED);
        if (!r)
            return NULL;
        r->variable = cu_find_variable(c->block, e->arg[0]->text);
        r->named = e->arg[0]->text;
        return add_argument(r, pat_compile_term(c, e->arg[1])) ? r : NULL;
    }
    int declared = cu_find_variable(c->block, e->text);
    if (declared >= 0 && c->block->variables[declared].operation && c->block->variables[declared].argument_count == 1 &&
        e->arg_count == 1 && e->arg[0]->kind == CU_NAME) {
        struct pat_term *f = make(c, TERM_EACH);
        if (f)
            f->variable = declared;
        return f;
    }
    /* An unknown function stands for any computation: of elements, or of the numbers that a block reads as. */
    bool numbers = c->block->reads && e->arg_count > 0 && !e->ellipsis;
    for (unsigned i = 0; i < e->arg_count && numbers; i++)
        numbers = e->arg[i]->kind == CU_NAME && cu_find_variable(c->block, e->arg[i]->text) >= 0;
    struct pat_term *t = make(c, numbers ? TERM_FOUND : TERM_ANY);
    if (numbers)
        return compile_arguments(c, e, t);
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
    if (e->op == CU_DIV || e->op == CU_REM)
        return compile_arguments(c, e, make_function(c, e->op == CU_DIV ? GRAPH_DIV : GRAPH_REM_S));
    if (e->op == CU_SHL || e->op == CU_SHR) { /* a << k is a * 2^k in the graph */
        const struct cu_expr *by = e->arg[1];
        struct pat_term *t = make(c, TERM_OPERATION), *k = make(c, TERM_NUMBER);
        if (by->kind != CU_NUMBER || by->number < 0 || by->number > 31)
            return refuse(c, e, "a shift is by a number below 32");
        if (!t || !k)
            return NULL;
        k->type = CU_INT;
        k->number = e->op == CU_SHL ? (double)(UINT64_C(1) << (unsigned)by->number) : by->number;
        t->operation = e->op == CU_SHL ? UOP_MUL : UOP_SHR;
        t->float_operation = e->op == CU_SHL ? UOP_NOP : UOP_SAR;
        t->commutative = e->op == CU_SHL;
        return add_argument(t, pat_compile_term(c, e->arg[0])) && add_argument(t, k) ? t : NULL;
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
    bool check = e->kind == CU_CALL && strcmp(e->text, "division_needs_slow_path") == 0;
    if (!compare && !check && (variable < 0 || c->block->variables[variable].type != CU_BOOL))
        return refuse(c, e, "a condition is a comparison or a name declared bool");
    return pat_compile_term(c, e);
}
