/* What reads best as a word or a call of its own: constant banks, special registers, loads, atomics, shuffles, phis,
 * functions without an operation.
 * requires: parameters, elements · gives: the printers of them */
#include "meaning/mean_print.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A word of a constant bank: parameter, stack pointer, descriptor, or the bank as such. */
struct mean_text mean_print_constant_word(const struct mean_printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    const struct graph_env *env = m->g->env;
    unsigned bytes = uop_type_bits((enum uop_type)n->type) / 8;
    if (n->arg_count > 0 && n->arg[0] != GRAPH_NIL) {
        const char *index = mean_print_arg(p, n->arg[0], UOP_B32).p;
        return n->imm ? mean_piece(m, PREC_PRIMARY, "c[0x%x][%s + 0x%" PRIx64 "]", n->space, index, n->imm)
                      : mean_piece(m, PREC_PRIMARY, "c[0x%x][%s]", n->space, index);
    }
    if (n->space == GRAPH_SYMBOL_BANK && n->imm / 8 < env->symbol_count) {
        const char *name = env->symbols[n->imm / 8];
        return bytes == 8 ? mean_piece(m, PREC_UNARY, "&%s", name)
                          : mean_piece(m, PREC_PRIMARY, "%s(&%s)", n->imm & 4 ? "hi" : "lo", name);
    }
    for (uint32_t i = 0; i < m->param_count && n->space == 0; i++) {
        const struct mean_param *q = &m->params[i];
        if (n->imm < q->constant_offset || n->imm + bytes > (uint64_t)q->constant_offset + q->size)
            continue;
        uint64_t inside = n->imm - q->constant_offset;
        if (bytes == q->size || (inside == 0 && q->size < 4))
            return mean_word(q->name);
        if (q->size == 8 && bytes == 4)
            return mean_piece(m, PREC_PRIMARY, "%s(%s)", inside ? "hi" : "lo", q->name);
        return mean_piece(m, PREC_PRIMARY, "field(%s, %" PRIu64 ")", q->name, inside);
    }
    const struct mean_param *words[2] = {NULL, NULL};
    for (uint32_t i = 0; i < m->param_count && n->space == 0 && bytes == 8; i++)
        for (unsigned w = 0; w < 2; w++)
            if (m->params[i].size == 4 && m->params[i].constant_offset == n->imm + 4 * w)
                words[w] = &m->params[i];
    if (words[0] && words[1]) /* one read of two parameters */
        return mean_piece(m, PREC_PRIMARY, "pair(%s, %s)", words[0]->name, words[1]->name);
    if (n->space == 0 && n->imm == env->stack_offset && env->stack_offset)
        return mean_word("stack pointer");
    if (n->space == 0 && env->descriptor_offset && n->imm >= env->descriptor_offset &&
        n->imm < env->descriptor_offset + 8)
        return mean_word("global descriptor");
    return mean_piece(m, PREC_PRIMARY, "c[0x%x][0x%" PRIx64 "]", n->space, n->imm);
}

bool mean_half_is_element(const struct mean *m, const struct graph_node *half)
{
    const struct graph_node *load = graph_at(m->g, half->arg[0]);
    struct graph_affine f;
    unsigned bytes = uop_type_bits((enum uop_type)half->type) / 8;
    int at = load->kind == UOP_LOAD ? mean_array_of(m, load->arg[0], (enum uop_space)load->space, &f) : -1;
    const struct mean_array *array = at < 0 || !m->work->arrays ? NULL : &m->work->arrays[at];
    return array && load->width > bytes && array->bytes == bytes * array->lanes;
}

const char *mean_atomic_name(unsigned op)
{
    static const char *const names[] = {"Add", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor", "Exch", "CAS"};
    return op < sizeof names / sizeof names[0] ? names[op] : "";
}

struct mean_text mean_print_atomic_text(const struct mean_printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    struct strbuf b;
    str_init(&b, m->a);
    unsigned width = n->width ? n->width : uop_type_bits((enum uop_type)n->type) / 8;
    str_addf(&b, "atomic%s(%s", mean_atomic_name((unsigned)n->imm & 0xff),
             mean_text_element(m, n->arg[0], (enum uop_space)n->space, width, (struct mean_part){0, 0, false, false},
                               true, p->style, p->depth + 1)
                 .p);
    unsigned operands = (n->imm & 0xff) == UOP_ATOM_CAS ? 2 : 1;
    bool orders = (n->imm & 0xff) == UOP_ATOM_MIN || (n->imm & 0xff) == UOP_ATOM_MAX;
    for (unsigned i = 1; i < n->arg_count && i <= operands; i++)
        if (n->arg[i] != GRAPH_NIL)
            str_addf(&b, ", %s",
                     orders && (n->type == UOP_B32 || n->type == UOP_B64)
                         ? mean_print_signed_operand(p, n->arg[i], !(n->flags & UOP_SIGNED),
                                                     uop_type_bits((enum uop_type)n->type), false)
                         : mean_operand(m, mean_print_arg(p, n->arg[i], n->type), PREC_TERNARY));
    str_addc(&b, ')');
    return mean_piece(m, PREC_PRIMARY, "%s", b.p);
}

/* Words of kinds whose imm chooses among names. */
const char *mean_print_chosen_word(const struct graph_node *n)
{
    static const char *const shuffles[] = {"shfl", "shfl_up", "shfl_down", "shfl_xor"};
    static const char *const votes[] = {"all", "any", "uniform"};
    static const char *const meetings[] = {"syncthreads_count", "syncthreads_and", "syncthreads_or",
                                           "barrier_count",     "barrier_and",     "barrier_or"};
    static const char *const redux[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static const char *const reduce_words[] = {"reduce_add", "reduce_min", "reduce_max", "reduce",
                                               "reduce",     "reduce_and", "reduce_or",  "reduce_xor"};
    switch (n->kind) {
    case UOP_SHFL: return shuffles[n->imm & 3];
    case UOP_VOTE: return votes[n->imm % 3];
    case UOP_BAR_GIVES: return meetings[(n->imm - UOP_BAR_RED_POPC) % 3 + (n->width ? 3 : 0)];
    case UOP_WITHIN: return n->space == UOP_SHARED ? "is_shared" : n->space == UOP_LOCAL ? "is_local" : "is_global";
    case UOP_MATCH: return n->imm & 1 ? "match_any" : "match_all";
    case UOP_REDUX: return n->imm < sizeof redux / sizeof redux[0] ? reduce_words[n->imm] : "reduce";
    default: return NULL;
    }
}

/* Where paths meet without a condition that a table holds: the ways in, short ones only. */
struct mean_text mean_print_phi_text(const struct mean_printer *p, graph_id id, const struct graph_node *n)
{
    enum { PHI_WAYS = 4, PHI_ARG_MAX = 48 };
    struct strbuf b;
    for (size_t i = 0; i < p->m->work->open_phis.n; i++)
        if (p->m->work->open_phis.p[i] == id) {
            p->m->work->tied++;
            return (struct mean_text){"\xe2\x80\xa6", PREC_PRIMARY, true};
        }
    size_t open = p->m->work->open_phis.n;
    VEC_PUSH(p->m->a, p->m->work->open_phis, id);
    str_init(&b, p->m->a);
    str_add(&b, "phi(");
    for (uint32_t i = 0; i < n->phi_count && i < PHI_WAYS; i++) {
        uint32_t at; /* what comes round is what a variable has when the turn ends */
        bool same = graph_is_loop_phi(p->m->g, id) && graph_is_loop_phi(p->m->g, n->phi_args[i]) &&
                    graph_at(p->m->g, n->phi_args[i])->imm == n->imm;
        bool old = (n->phi_args[i] > id || same) && map_u64_get(&p->m->work->leaving_of, n->phi_args[i], &at) &&
                   p->m->work->leaving.p[at].old;
        struct mean_text t = old ? mean_word(p->m->work->leaving.p[at].text) : mean_print_arg(p, n->phi_args[i], p->as);
        bool cut = t.cut || strlen(t.p) > PHI_ARG_MAX;
        /* Its words are those of the turn that made it: `x[j]` there is not this turn's. */
        bool round = !cut && !old && graph_is_loop_phi(p->m->g, id) && (n->phi_args[i] > id || same) &&
                     !graph_is_const(p->m->g, n->phi_args[i], NULL) && strcmp(t.p, "\xe2\x80\xa6") != 0;
        str_addf(&b, "%s%s%s%s", i ? ", " : "", round ? "last_turn(" : "", cut ? "\xe2\x80\xa6" : t.p,
                 round ? ")" : "");
    }
    str_add(&b, n->phi_count > PHI_WAYS ? ", \xe2\x80\xa6)" : ")");
    p->m->work->open_phis.n = open;
    return mean_piece(p->m, PREC_PRIMARY, "%s", b.p);
}

struct mean_text mean_print_special_register(const struct mean_printer *p, graph_id id, const struct graph_node *n)
{
    const char *text = uop_sreg_text((unsigned)n->imm);
    uint32_t reading;
    if (!text)
        text = mean_piece(p->m, PREC_PRIMARY, "SR%" PRIu64, n->imm >= UOP_SR_OTHER ? n->imm - UOP_SR_OTHER : n->imm).p;
    if (!map_u64_get(&p->m->work->reading_of, id, &reading))
        return mean_word(text);
    return mean_piece(p->m, PREC_PRIMARY, "%s_%" PRIu32, text, reading);
}

/* Functions without an operation of their own. */
struct mean_text mean_print_function_text(const struct mean_printer *p, const struct graph_node *n)
{
    static const char *const words[GRAPH_FUNCTIONS] = {[GRAPH_EXP] = "exp",
                                                       [GRAPH_EXP10] = "exp10",
                                                       [GRAPH_LOG] = "log",
                                                       [GRAPH_LOG10] = "log10",
                                                       [GRAPH_SIN] = "sin",
                                                       [GRAPH_COS] = "cos",
                                                       [GRAPH_TAN] = "tan",
                                                       [GRAPH_POW] = "pow",
                                                       [GRAPH_FMOD] = "fmod",
                                                       [GRAPH_ACOS] = "acos",
                                                       [GRAPH_ACOSH] = "acosh",
                                                       [GRAPH_ASIN] = "asin",
                                                       [GRAPH_ASINH] = "asinh",
                                                       [GRAPH_ATAN] = "atan",
                                                       [GRAPH_ATANH] = "atanh",
                                                       [GRAPH_CBRT] = "cbrt",
                                                       [GRAPH_RCBRT] = "rcbrt",
                                                       [GRAPH_COSH] = "cosh",
                                                       [GRAPH_SINH] = "sinh",
                                                       [GRAPH_EXPM1] = "expm1",
                                                       [GRAPH_LOG1P] = "log1p",
                                                       [GRAPH_SINPI] = "sinpi",
                                                       [GRAPH_COSPI] = "cospi",
                                                       [GRAPH_ERF] = "erf",
                                                       [GRAPH_ERFC] = "erfc",
                                                       [GRAPH_ERFCX] = "erfcx",
                                                       [GRAPH_ERFINV] = "erfinv",
                                                       [GRAPH_ERFCINV] = "erfcinv",
                                                       [GRAPH_NORMCDF] = "normcdf",
                                                       [GRAPH_NORMCDFINV] = "normcdfinv",
                                                       [GRAPH_LGAMMA] = "lgamma",
                                                       [GRAPH_TGAMMA] = "tgamma",
                                                       [GRAPH_J0] = "j0",
                                                       [GRAPH_J1] = "j1",
                                                       [GRAPH_Y0] = "y0",
                                                       [GRAPH_Y1] = "y1",
                                                       [GRAPH_CYL_BESSEL_I0] = "cyl_bessel_i0",
                                                       [GRAPH_CYL_BESSEL_I1] = "cyl_bessel_i1",
                                                       [GRAPH_ATAN2] = "atan2",
                                                       [GRAPH_HYPOT] = "hypot",
                                                       [GRAPH_RHYPOT] = "rhypot",
                                                       [GRAPH_REMAINDER] = "remainder",
                                                       [GRAPH_JN] = "jn",
                                                       [GRAPH_YN] = "yn",
                                                       [GRAPH_NORM3D] = "norm3d",
                                                       [GRAPH_RNORM3D] = "rnorm3d",
                                                       [GRAPH_NORM4D] = "norm4d",
                                                       [GRAPH_RNORM4D] = "rnorm4d",
                                                       [GRAPH_MODF] = "modf",
                                                       [GRAPH_FREXP] = "frexp",
                                                       [GRAPH_FREXP_EXPONENT] = "frexp_exponent",
                                                       [GRAPH_ILOGB] = "ilogb",
                                                       [GRAPH_LROUND] = "lround",
                                                       [GRAPH_REMQUO] = "remquo",
                                                       [GRAPH_LOGB] = "logb",
                                                       [GRAPH_NEXTAFTER] = "nextafter",
                                                       [GRAPH_LDEXP] = "ldexp"};
    bool natural = n->imm == GRAPH_DIV_U || n->imm == GRAPH_REM_U;
    unsigned as = n->type | (natural ? MEAN_AS_UNSIGNED : 0u);
    if (n->imm >= GRAPH_DIV && n->imm < GRAPH_FUNCTIONS && (n->type == UOP_B32 || n->type == UOP_B64))
        return mean_print_integer_division(p, n, natural, as);
    if (n->imm == GRAPH_DIV && n->round != UOP_RN) {
        char name[16];
        snprintf(name, sizeof name, "div%s", mean_round_suffix(n->round));
        return mean_print_call(p, name, n->arg, n->arg_count, as);
    }
    if (n->imm >= GRAPH_DIV && n->imm < GRAPH_FUNCTIONS)
        return mean_print_binary(p, n->arg[0], n->imm >= GRAPH_REM_S ? "%" : "/", n->arg[1], PREC_MUL, false, as);
    if (n->imm >= GRAPH_FREXP_EXPONENT && n->imm <= GRAPH_REMQUO) /* an integer, of numbers */
        as = n->width;
    if (n->imm == GRAPH_LDEXP) {
        const char *of = mean_operand(p->m, mean_print_arg(p, n->arg[0], as), PREC_TERNARY);
        const char *by = mean_operand(p->m, mean_print_arg(p, n->arg[1], UOP_B32), PREC_TERNARY);
        return mean_piece(p->m, PREC_PRIMARY, "%s(%s, %s)", words[n->imm], of, by);
    }
    if (n->imm == GRAPH_JN || n->imm == GRAPH_YN) { /* the order is an integer */
        const char *order = mean_operand(p->m, mean_print_arg(p, n->arg[0], UOP_B32), PREC_TERNARY);
        const char *of = mean_operand(p->m, mean_print_arg(p, n->arg[1], as), PREC_TERNARY);
        return mean_piece(p->m, PREC_PRIMARY, "%s(%s, %s)", words[n->imm], order, of);
    }
    return mean_print_call(p, n->imm < GRAPH_FUNCTIONS ? words[n->imm] : "?", n->arg, n->arg_count, as);
}

/* As CUDA writes it: the width where a warp is cut into segments; a clamp that is no width of CUDA's stands as it
 * is. */
struct mean_text mean_print_shuffle_text(const struct mean_printer *p, const struct graph_node *n)
{
    enum { CLAMP_MASK = 0x1f, SEGMENT_SHIFT = 8, LANES = 32 };
    struct mean *m = p->m;
    const char *name = mean_print_chosen_word(n);
    const char *value = mean_operand(m, mean_print_arg(p, n->arg[0], p->as), PREC_TERNARY);
    const char *lane = mean_operand(m, mean_print_arg(p, n->arg[1], UOP_B32), PREC_TERNARY);
    uint64_t c = 0;
    bool known = n->arg_count > 2 && graph_is_const(m->g, n->arg[2], &c);
    unsigned width = LANES - (unsigned)(c >> SEGMENT_SHIFT & CLAMP_MASK);
    unsigned clamp = strcmp(name, "shfl_up") == 0 ? 0 : CLAMP_MASK;
    if (n->arg_count < 3 || (known && width == LANES && (c & CLAMP_MASK) == clamp))
        return mean_piece(m, PREC_PRIMARY, "%s(%s, %s)", name, value, lane);
    if (known && (width & (width - 1)) == 0 && (c & CLAMP_MASK) == clamp)
        return mean_piece(m, PREC_PRIMARY, "%s(%s, %s, %u)", name, value, lane, width);
    return mean_piece(m, PREC_PRIMARY, "%s(%s, %s, c = %s)", name, value, lane,
                      mean_operand(m, mean_print_arg(p, n->arg[2], UOP_B32 | MEAN_AS_HEX), PREC_TERNARY));
}

struct mean_text mean_print_redux_text(const struct mean_printer *p, const struct graph_node *n)
{
    if ((n->imm != UOP_ATOM_MIN && n->imm != UOP_ATOM_MAX) || n->type == UOP_F32)
        return mean_print_call(p, mean_print_chosen_word(n), n->arg, 1, n->type);
    return mean_piece(p->m, PREC_PRIMARY, "%s(%s)", mean_print_chosen_word(n),
                      mean_print_signed_operand(p, n->arg[0], !(n->flags & UOP_SIGNED), 32, false));
}

/* A byte or half word that is widened: how, unless the array's declaration or a reader of its own width says it. */
struct mean_text mean_print_load_text(const struct mean_printer *p, graph_id id, const struct graph_node *n)
{
    struct mean *m = p->m;
    unsigned reader = p->as & MEAN_AS_TYPE;
    bool is_signed = n->flags & UOP_SIGNED, wide = n->width == 8 && n->type == UOP_B64;
    struct mean_part whole = {0, 0, mean_kind_is_float(mean_kind_of(m, id)), wide && !mean_used_in_halves(m, id)};
    struct mean_text t =
        mean_text_element(m, n->arg[0], (enum uop_space)n->space, n->width, whole, false, p->style, p->depth);
    bool narrow = n->width < 4 && n->type == UOP_B32 && reader != UOP_B8 && reader != UOP_B16 && reader != UOP_F16 &&
                  reader != UOP_BF16;
    if (!narrow || mean_is_declared(m, n, !is_signed))
        return t;
    return mean_piece(m, PREC_UNARY, "(%s)%s", mean_print_integer_type(n->width * 8u, is_signed),
                      mean_operand(m, t, PREC_UNARY));
}
