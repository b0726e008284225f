/* The real rules: what holds for real numbers only and so never enters the graph. Here: a compare that
 * selects one of its own operands is their smaller or larger. Whether it is that for every float too is
 * computed: on all pairs of special values the select gives what a min/max operation gives, or it does
 * not, and then the reading is one of real numbers.
 *
 * `v > 0 ? v : 0` is a max for all inputs; `v >= 0 ? v : 0` is not (it keeps -0); `!(v < lo) ? v : lo` is
 * not (NaN). */
#include "pattern/pat_internal.h"

const char *const pat_rule_names[PAT_RULE_COUNT] = {
    "compare-and-select = min/max", "fma = mul + add", "exp2(a*log2e) = exp(a)",
    "log2(a)*ln2 = log(a)",         "a*rcp(b) = a/b",  "f(scaled) scaled back = f",
    "sin(a/2pi turns) = sin(a)",
};

const char *const pat_approximated_names[PAT_APPROXIMATED] = {
    "exp2",  "log2", "rcp",   "rsqrt", "the square root",      "sin", "cos", "tanh", "tan", "exp",
    "exp10", "log",  "log10", "pow",   "a library's function",
};

uint32_t pat_approximated(const struct graph_node *n)
{
    unsigned k;
    switch (n->kind) {
    case UOP_EX2: k = 0; break;
    case UOP_LG2: k = 1; break;
    case UOP_RCP: k = 2; break;
    case UOP_RSQ: k = 3; break;
    case UOP_SQRT: k = 4; break;
    case UOP_SIN: k = 5; break;
    case UOP_COS: k = 6; break;
    case UOP_TANH: k = 7; break;
    case GRAPH_REAL:
        switch (n->imm) {
        case GRAPH_SIN: k = 5; break;
        case GRAPH_COS: k = 6; break;
        case GRAPH_TAN: k = 8; break;
        case GRAPH_EXP: k = 9; break;
        case GRAPH_EXP10: k = 10; break;
        case GRAPH_LOG: k = 11; break;
        case GRAPH_LOG10: k = 12; break;
        case GRAPH_POW: k = 13; break;
        default:
            if (n->imm < GRAPH_LIBRARY || n->imm >= GRAPH_FMOD || n->imm == GRAPH_REMAINDER || n->imm == GRAPH_JN ||
                n->imm == GRAPH_YN || n->imm >= GRAPH_MODF)
                return 0; /* exact, or rounded once */
            k = 14;
        }
        break;
    default: return 0;
    }
    return UINT32_C(1) << (PAT_RULE_COUNT + k);
}

enum { NOT_ASKED, EXACT, EXACT_WITH_NAN, REAL_ONLY, IS_MAXIMUM = 4 };

/* A select is exactly a min/max when one of the operation's two forms gives the same bits on all pairs. */
static bool exact_with(const struct graph *g, graph_id node, const struct pat_minmax *v, unsigned flags)
{
    uint64_t ca = 0, cb = 0;
    bool fixed_a = graph_is_const(g, v->a, &ca), fixed_b = graph_is_const(g, v->b, &cb);
    for (unsigned i = 0; i < (fixed_a ? 1 : PAT_SPECIALS); i++) {
        for (unsigned k = 0; k < (fixed_b ? 1 : PAT_SPECIALS); k++) {
            uint64_t x = fixed_a ? ca : pat_special(v->as, i), y = fixed_b ? cb : pat_special(v->as, k), selected;
            if (!pat_eval_select(g, node, v, x, y, &selected) ||
                !pat_same(v->as, selected, pat_eval_minmax(v->as, v->maximum, flags, x, y)))
                return false;
        }
    }
    return true;
}

/* A select under several compares that all read its own two arms: where no operation makes a min or max of a format
 * (double), compilers spell it so. Exact or nothing. */
static bool is_spelled_out(const struct graph *g, graph_id node, uint8_t *known, struct pat_minmax *v)
{
    const struct graph_node *n = graph_at(g, node), *c = graph_at(g, n->arg[0]);
    v->a = n->arg[1];
    v->b = n->arg[2];
    v->as = UOP_VOID;
    for (unsigned i = 0; i < c->arg_count; i++)
        if (pat_is_float((enum uop_type)graph_at(g, c->arg[i])->width))
            v->as = (enum uop_type)graph_at(g, c->arg[i])->width;
    if (!*known) {
        struct pat_tape t;
        uint64_t ca, cb;
        bool fixed_a = graph_is_const(g, v->a, &ca), fixed_b = graph_is_const(g, v->b, &cb);
        bool fits[2][2] = {{true, true}, {true, true}}; /* [maximum][keeps NaN] */
        bool any = v->as != UOP_VOID && pat_tape_build(&t, g->a, g, &node, 1, (graph_id[]){v->a, v->b}, 2);
        for (unsigned i = 0; any && i < (fixed_a ? 1 : PAT_SPECIALS); i++) {
            for (unsigned k = 0; any && k < (fixed_b ? 1 : PAT_SPECIALS); k++) {
                uint64_t x = fixed_a ? ca : pat_special(v->as, i), y = fixed_b ? cb : pat_special(v->as, k);
                pat_tape_give(&t, v->a, x);
                pat_tape_give(&t, v->b, y);
                pat_tape_run(&t);
                any = false;
                for (unsigned f = 0; f < 4; f++) {
                    uint64_t wanted = pat_eval_minmax(v->as, f >> 1, f & 1 ? UOP_NAN : 0, x, y);
                    fits[f >> 1][f & 1] &= pat_same(v->as, pat_tape_value(&t, node), wanted);
                    any |= fits[f >> 1][f & 1];
                }
            }
        }
        *known = !any         ? REAL_ONLY
                 : fits[0][0] ? EXACT
                 : fits[0][1] ? EXACT_WITH_NAN
                 : fits[1][0] ? EXACT | IS_MAXIMUM
                              : EXACT_WITH_NAN | IS_MAXIMUM;
    }
    v->select = v->spelled_out = true;
    v->maximum = *known & IS_MAXIMUM;
    v->keeps_nan = (*known & ~IS_MAXIMUM) == EXACT_WITH_NAN;
    return *known != REAL_ONLY;
}

bool pat_minmax_known(const struct graph *g, graph_id node, uint8_t *known, struct pat_minmax *out)
{
    const struct graph_node *n = graph_at(g, node);
    *out = (struct pat_minmax){.exact = true};
    switch (n->kind) {
    case UOP_FMIN:
    case UOP_FMAX:
        if (n->flags & (UOP_XORSIGN | UOP_SAT | UOP_RELU))
            return false;
        out->maximum = n->kind == UOP_FMAX;
        out->keeps_nan = n->flags & UOP_NAN;
        out->as = (enum uop_type)n->type;
        break;
    case UOP_MIN_S:
    case UOP_MIN_U:
    case UOP_MAX_S:
    case UOP_MAX_U:
        out->maximum = n->kind == UOP_MAX_S || n->kind == UOP_MAX_U;
        out->is_unsigned = n->kind == UOP_MIN_U || n->kind == UOP_MAX_U;
        out->as = (enum uop_type)n->type;
        break;
    case UOP_SELECT: {
        const struct graph_node *c = graph_at(g, n->arg[0]);
        if (c->kind == GRAPH_BOOL)
            return is_spelled_out(g, node, known, out);
        bool whole = c->kind == UOP_ILT_S || c->kind == UOP_ILT_U;
        if (!whole && c->kind != UOP_FLT && c->kind != UOP_FLE)
            return false;
        bool first = n->arg[1] == c->arg[0] && n->arg[2] == c->arg[1]; /* a < b ? a : b */
        if (!first && !(n->arg[1] == c->arg[1] && n->arg[2] == c->arg[0]))
            return false;
        out->select = true;
        out->maximum = !first;
        out->is_unsigned = c->kind == UOP_ILT_U;
        out->as = whole ? (enum uop_type)n->type : (enum uop_type)c->width;
        out->a = c->arg[0];
        out->b = c->arg[1];
        if (!whole) {
            unsigned ftz = c->flags & UOP_FTZ;
            if (!*known)
                *known = exact_with(g, node, out, ftz)             ? EXACT
                         : exact_with(g, node, out, ftz | UOP_NAN) ? EXACT_WITH_NAN
                                                                   : REAL_ONLY;
            out->exact = *known != REAL_ONLY;
            out->keeps_nan = *known == EXACT_WITH_NAN;
        }
        return true;
    }
    default: return false;
    }
    out->a = n->arg[0];
    out->b = n->arg[1];
    return true;
}

bool pat_minmax_of(const struct graph *g, graph_id node, struct pat_minmax *out)
{
    uint8_t known = NOT_ASKED;
    return pat_minmax_known(g, node, &known, out);
}
