/* Words of the source as nodes of the value graph, where that follows, and what speaks for a node being what a line
 * writes.
 *
 * Parameters by their names, threadIdx and its kin, numbers, variables that are set once from such; operations whose
 * bits are the same whatever the sign. Nodes are made by the graph's own rules, so that equal numbers are equal values.
 * requires: the finished graph, names from the source · gives: fact_says.h */
#include "facts/fact_says.h"

#include "base/bits.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

enum { RESOLVE_DEPTH = 8 };

const struct says_function *says_function_of(struct says *w, uint32_t line)
{
    uint32_t f = cu_source_enclosing(w->source, line);
    if (!f)
        return NULL;
    for (size_t i = w->functions.n; i-- > 0;)
        if (w->functions.p[i].source == w->source && w->functions.p[i].function == f - 1)
            return &w->functions.p[i];
    struct says_function known = {.source = w->source, .function = f - 1};
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

/* ---- comparisons ----------------------------------------------------------------------------- */

bool says_is_own(struct says *w, const struct cu_expr *e)
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
        if (!says_is_own(w, e->arg[i]))
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

enum says_side says_side_of(struct says *w, const struct cu_expr *e, graph_id node, const struct graph_node *compare)
{
    bool real = compare->kind == UOP_FLT || compare->kind == UOP_FLE || compare->kind == UOP_FEQ;
    uint64_t bits;
    if (e->kind == CU_NUMBER) {
        if (!graph_is_const(w->s->g, node, &bits))
            return SAYS_OTHER;
        double value = real ? float_of(bits, compare->width)
                            : (double)bits_sign_extend(bits, uop_type_bits(graph_type_of(w->s->g, node)));
        if (!real && compare->kind == UOP_ILT_U)
            value = (double)bits;
        double written = e->type == CU_FLOAT && real ? (double)(float)e->number : e->number;
        return value == written ? SAYS_SAME : SAYS_OTHER;
    }
    graph_id known = resolve(w, e, 0);
    if (known) {
        const struct graph_node *n = says_node(w, node);
        while (n->kind == UOP_SEXT || n->kind == UOP_ZEXT) {
            node = n->arg[0];
            n = says_node(w, node);
        }
        return node == known ? SAYS_SAME : SAYS_OTHER;
    }
    if (!says_is_own(w, e) || graph_is_const(w->s->g, node, &bits) || says_node(w, node)->kind == UOP_CBANK)
        return SAYS_OTHER;
    if (w->line.loop && !(node < w->nodes && w->turning[node]))
        return SAYS_OTHER; /* compilers add tests of their own where a loop is copied */
    return SAYS_OPEN;
}

bool says_is_compare(const struct graph_node *n)
{
    return n->kind == UOP_IEQ || n->kind == UOP_ILT_S || n->kind == UOP_ILT_U || n->kind == UOP_FLT ||
           n->kind == UOP_FLE || n->kind == UOP_FEQ || n->kind == UOP_FNE || n->kind == UOP_FNUM;
}

bool says_is_comparison(struct says *w, const struct cu_expr *e, graph_id atom, bool surely, bool *opposite)
{
    const struct graph_node *n = says_node(w, atom);
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
        enum says_side a = says_side_of(w, e->arg[0], n->arg[left], n),
                       b = says_side_of(w, e->arg[1], n->arg[right], n);
        if (a != SAYS_OTHER && b != SAYS_OTHER && (!surely || a == SAYS_SAME || b == SAYS_SAME))
            return true;
    }
    return false;
}
