/* The text of a value as a C expression: precedence of C, parentheses only where they are needed. Nothing is claimed
 * that the bits do not say: rounding other than to nearest, saturation and NaN-keeping minima have names of their own.
 * Here: floats, choices, and which text an operation has; numbers and words are in mean_number.c and mean_word.c.
 * requires: mean_text.c for the operands · gives: mean_print_node */
#include "meaning/mean_print.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CLASS_COMPUTED, CLASS_LOAD, CLASS_NAME, CLASS_SREG, CLASS_PARAM, CLASS_CONST };

static void display_rank(const struct mean *m, graph_id id, unsigned *class, uint64_t *number)
{
    const struct graph_node *n = graph_at(m->g, id);
    uint32_t at;
    *class = CLASS_COMPUTED;
    *number = id;
    if (map_u64_get(&m->name_of, id, &at)) {
        *class = CLASS_NAME;
        *number = at;
    } else if (n->kind == UOP_CONST) {
        *class = CLASS_CONST;
        *number = n->imm;
    } else if (n->kind == UOP_CBANK) {
        *class = CLASS_PARAM;
        *number = (uint64_t)n->space << 32 | n->imm;
    } else if (n->kind == UOP_SREG) {
        *class = CLASS_SREG;
        *number = n->imm;
    } else if (n->kind == UOP_LOAD || n->kind == UOP_ELEMENT) {
        const struct graph_node *load = n->kind == UOP_ELEMENT ? graph_at(m->g, n->arg[0]) : n;
        struct graph_affine f;
        int array = load->kind == UOP_LOAD ? mean_array_of(m, load->arg[0], (enum uop_space)load->space, &f) : -1;
        *class = CLASS_LOAD;
        *number = (uint64_t)(uint32_t)array << 32 | id;
    } else if (n->kind == UOP_SEXT || n->kind == UOP_ZEXT) {
        display_rank(m, n->arg[0], class, number);
    }
}

int mean_display_order(const struct mean *m, graph_id a, graph_id b)
{
    unsigned class_a, class_b;
    uint64_t number_a, number_b;
    display_rank(m, a, &class_a, &number_a);
    display_rank(m, b, &class_b, &number_b);
    if (class_a != class_b)
        return class_a < class_b ? -1 : 1;
    return number_a < number_b ? -1 : number_a > number_b;
}

void mean_order_pair(const struct mean *m, graph_id pair[2])
{
    if (mean_display_order(m, pair[0], pair[1]) > 0) {
        graph_id t = pair[0];
        pair[0] = pair[1];
        pair[1] = t;
    }
}

struct mean_text mean_print_arg(const struct mean_printer *p, graph_id id, unsigned as)
{
    return mean_text_of(p->m, id, as, p->style, p->depth + 1);
}

struct mean_text mean_print_binary(const struct mean_printer *p, graph_id a, const char *op, graph_id b,
                                   enum mean_prec prec, bool associative, unsigned as)
{
    const char *left = mean_operand(p->m, mean_print_arg(p, a, as), prec);
    const char *right = mean_operand(p->m, mean_print_arg(p, b, as), associative ? prec : (enum mean_prec)(prec + 1));
    return mean_piece(p->m, prec, "%s %s %s", left, op, right);
}

/* name(a, b, …) */
struct mean_text mean_print_call(const struct mean_printer *p, const char *name, const graph_id *args, unsigned count,
                                 unsigned as)
{
    struct strbuf b;
    str_init(&b, p->m->a);
    str_addf(&b, "%s(", name);
    for (unsigned i = 0; i < count; i++)
        str_addf(&b, "%s%s", i ? ", " : "", mean_operand(p->m, mean_print_arg(p, args[i], as), PREC_TERNARY));
    str_addc(&b, ')');
    return mean_piece(p->m, PREC_PRIMARY, "%s", b.p);
}

static struct mean_text unary(const struct mean_printer *p, const char *op, graph_id a, unsigned as)
{
    struct mean_text t = mean_print_arg(p, a, as);
    const char *text = mean_operand(p->m, t, PREC_UNARY);
    /* "--x" would be C's decrement. */
    if (op[0] == '-' && text[0] == '-')
        text = mean_piece(p->m, PREC_PRIMARY, "(%s)", text).p;
    return mean_piece(p->m, PREC_UNARY, "%s%s", op, text);
}

static bool is_negation(const struct mean *m, graph_id id, graph_id *inner)
{
    const struct graph_node *n = graph_at(m->g, id);
    uint32_t at;
    if (n->kind != UOP_FNEG || map_u64_get(&m->value_of, id, &at))
        return false;
    *inner = n->arg[0];
    return true;
}

static bool is_negative_constant(const struct mean *m, graph_id id, unsigned type, uint64_t *magnitude)
{
    uint64_t bits;
    unsigned width = uop_type_bits((enum uop_type)type);
    if (!graph_is_const(m->g, id, &bits) || width == 0 || !(bits >> (width - 1) & 1))
        return false;
    *magnitude = bits & ~(UINT64_C(1) << (width - 1));
    return *magnitude != 0;
}

const char *mean_round_suffix(unsigned round)
{
    static const char *const suffixes[] = {"", "_rd", "_ru", "_rz", "_ra"};
    return suffixes[round % 5];
}

/* Said only where the kernel has operations of both sorts. */
static const char *flush_word(const struct mean_printer *p, const struct graph_node *n)
{
    return p->m->work->mixed_ftz && (n->flags & (UOP_FTZ | UOP_FMZ)) && n->type == UOP_F32 ? "_ftz" : "";
}

static struct mean_text float_add(const struct mean_printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    graph_id pair[2] = {n->arg[0], n->arg[1]}, inner;
    uint64_t magnitude;
    mean_order_pair(m, pair);
    if (n->round != UOP_RN || flush_word(p, n)[0]) {
        char name[16];
        snprintf(name, sizeof name, "add%s%s", mean_round_suffix(n->round), flush_word(p, n));
        return mean_print_call(p, name, pair, 2, n->type);
    }
    for (int side = 1; side >= 0; side--)
        if (is_negation(m, pair[side], &inner) && !is_negation(m, pair[!side], &(graph_id){0}))
            return mean_print_binary(p, pair[!side], "-", inner, PREC_ADD, false, n->type);
    if (is_negative_constant(m, pair[1], n->type, &magnitude))
        return mean_piece(m, PREC_ADD, "%s - %s", mean_operand(m, mean_print_arg(p, pair[0], n->type), PREC_ADD),
                          mean_literal(m, magnitude, uop_type_bits((enum uop_type)n->type), n->type));
    return mean_print_binary(p, pair[0], "+", pair[1], PREC_ADD, false, n->type);
}

static struct mean_text float_multiply(const struct mean_printer *p, const struct graph_node *n)
{
    graph_id args[3] = {n->arg[0], n->arg[1], n->arg_count > 2 ? n->arg[2] : GRAPH_NIL};
    char name[16];
    mean_order_pair(p->m, args);
    const char *zero = n->flags & UOP_FMZ ? "_fmz" : flush_word(p, n); /* 0 * anything is 0 */
    snprintf(name, sizeof name, "%s%s%s", n->kind == UOP_FFMA ? "fma" : "mul", mean_round_suffix(n->round), zero);
    if (n->kind == UOP_FFMA)
        return mean_print_call(p, name, args, 3, n->type);
    if (n->round != UOP_RN || zero[0])
        return mean_print_call(p, name, args, 2, n->type);
    return mean_print_binary(p, args[0], "*", args[1], PREC_MUL, false, n->type);
}

static struct mean_text float_min_max(const struct mean_printer *p, const struct graph_node *n)
{
    graph_id pair[2] = {n->arg[0], n->arg[1]};
    char name[32];
    mean_order_pair(p->m, pair);
    snprintf(name, sizeof name, "%s%s%s%s", n->kind == UOP_FMIN ? "min" : "max",
             (n->flags & UOP_NAN) && !(p->style & MEAN_REAL) ? "_nan" : "", n->flags & UOP_XORSIGN ? "_xorsign" : "",
             p->style & MEAN_REAL ? "" : flush_word(p, n));
    return mean_print_call(p, name, pair, 2, n->type);
}

/* c ? constant : value, where !c is as plain as c: the value comes first, the constant is what stands for it
 * elsewhere. */
static bool stands_for_else(const struct graph *g, const struct graph_node *n, bool turned)
{
    graph_id then = turned ? n->arg[2] : n->arg[1], other = turned ? n->arg[1] : n->arg[2], atoms[6];
    unsigned count;
    uint64_t table;
    if (!graph_is_const(g, then, NULL) || graph_is_const(g, other, NULL) ||
        !graph_table(g, n->arg[0], atoms, &count, &table) || !count)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (graph_at(g, atoms[i])->kind < UOP_IEQ || graph_at(g, atoms[i])->kind > UOP_ILT_U)
            return false;
    return true;
}

static struct mean_text select_text(const struct mean_printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    bool turned = n->flags & UOP_SWAPPED;
    if (stands_for_else(p->m->g, n, turned))
        turned = !turned;
    graph_id then = turned ? n->arg[2] : n->arg[1], other = turned ? n->arg[1] : n->arg[2];
    unsigned as = p->as;
    struct mean_text condition = mean_text_bool(m, n->arg[0], turned, p->style, p->depth + 1);
    return mean_piece(m, PREC_TERNARY, "%s ? %s : %s", mean_operand(m, condition, PREC_OROR),
                      mean_operand(m, mean_print_arg(p, then, as), PREC_TERNARY),
                      mean_operand(m, mean_print_arg(p, other, as), PREC_TERNARY));
}

/* Operations that read best as a call; `as` VOID: the operation's own type. */
static const struct call_word {
    uint8_t kind;
    uint8_t as;
    const char *name;
} call_words[] = {
    {UOP_ABS, UOP_B32, "abs"},
    {UOP_POPC, UOP_B32, "popc"},
    {UOP_BREV, UOP_B32, "brev"},
    {UOP_PRMT, UOP_B32 | MEAN_AS_HEX, "prmt"},
    {UOP_BFE, UOP_B32, "bfe"},
    {UOP_BMSK, UOP_B32, "bmsk"},
    {UOP_DP4A, UOP_B32, "dp4a"},
    {UOP_SAD, UOP_B32, "sad"},
    {UOP_MULHI_S, UOP_B32, "mulhi"},
    {UOP_MULHI_U, UOP_B32 | MEAN_AS_UNSIGNED, "umulhi"},
    {UOP_CARRY, UOP_B32, "carry"},

    {UOP_EX2, UOP_VOID, "exp2"},
    {UOP_LG2, UOP_VOID, "log2"},
    {UOP_RCP, UOP_VOID, "rcp"},
    {UOP_RSQ, UOP_VOID, "rsqrt"},
    {UOP_SQRT, UOP_VOID, "sqrt"},
    {UOP_SIN, UOP_VOID, "sin_turns"},
    {UOP_COS, UOP_VOID, "cos_turns"},
    {UOP_TANH, UOP_VOID, "tanh"},
    {UOP_RCP64H, UOP_B32, "rcp64h"},
    {UOP_RSQ64H, UOP_B32, "rsq64h"},
    {UOP_FABS, UOP_VOID, "abs"},
    {UOP_FCHK, UOP_F32, "division_needs_slow_path"},
    {UOP_FSWZADD, UOP_VOID, "fswzadd"},
    {UOP_BALLOT, UOP_B1, "ballot"},
    {UOP_ELECT, UOP_B1, "elect"},
    {UOP_MMA, UOP_VOID, "mma"},
    {UOP_SHFL_IN, UOP_B32, "shfl_in_range"},
};

/* What the word of call_words does not say of signs and forms. */
static const char *form_word(const struct mean_printer *p, const struct graph_node *n, const char *name)
{
    static const char *const dots[] = {"dp4a", "dp2a_lo", "dp2a_hi", "dp"}, *const signs[] = {"_u", "_su", "_us", ""};
    static const char *const modes[] = {"", "_f4e", "_b4e", "_rc8", "_ecl", "_ecr", "_rc16", "_mode7"};
    const char *more = "";
    switch (n->kind) {
    case UOP_DP4A:
        name = dots[n->imm >> 2 & 3];
        more = signs[n->imm & 3];
        break;
    case UOP_PRMT: more = modes[n->imm & 7]; break;
    case UOP_BFE: more = n->flags & UOP_SIGNED ? "_signed" : ""; break;
    case UOP_SAD: name = n->flags & UOP_SIGNED ? "sad" : "usad"; break;
    case UOP_SQRT: more = mean_round_suffix(n->round); break;
    case UOP_BMSK: more = n->imm ? "_wrap" : ""; break;
    default: break;
    }
    return *more ? mean_piece(p->m, PREC_PRIMARY, "%s%s", name, more).p : name;
}

static struct mean_text operation(const struct mean_printer *p, graph_id id, const struct graph_node *n)
{
    struct mean *m = p->m;
    graph_id pair[2] = {n->arg[0], n->arg[1]};
    unsigned hex = UOP_B32 | MEAN_AS_HEX;
    graph_id widened = mean_widened_half(p->m, n);
    if (widened != GRAPH_NIL)
        return mean_piece(p->m, PREC_UNARY, "(float)%s",
                          mean_operand(p->m, mean_print_arg(p, widened, UOP_BF16), PREC_UNARY));
    switch (n->kind) {
    case UOP_SREG: return mean_print_special_register(p, id, n);
    case UOP_CBANK: return mean_print_constant_word(p, n);
    case UOP_PC: return mean_piece(m, PREC_PRIMARY, "code[0x%" PRIx64 "]", n->imm);
    case UOP_UNDEF:
    case GRAPH_ENTRY: return mean_word("undefined");
    case UOP_ADD:
    case UOP_NEG:
    case UOP_MUL:
        if (n->type == UOP_B64 && mean_is_pointer(m, id))
            return mean_text_element(m, id, UOP_GLOBAL, 0, (struct mean_part){0, 0, false, false}, true, p->style,
                                     p->depth);
        return mean_text_sum(m, id, p->as, p->style, p->depth);
    case UOP_ADDC: {
        struct strbuf b;
        str_init(&b, m->a);
        for (unsigned i = 0; i < 3; i++) {
            uint64_t k;
            if (!graph_is_const(m->g, n->arg[i], &k) || k != 0)
                str_addf(&b, "%s%s", b.n ? " + " : "",
                         mean_operand(m, mean_print_arg(p, n->arg[i], i < 2 ? UOP_B32 : UOP_B1), PREC_MUL));
        }
        return mean_piece(m, PREC_ADD, "%s", b.n ? b.p : "0");
    }
    case UOP_FLO: return mean_print_highest_bit(p, n);
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR: {
        uint64_t mask;
        unsigned bytes = graph_is_const(m->g, n->arg[1], &mask) ? mask == 0xff ? 1 : mask == 0xffff ? 2 : 0 : 0;
        const struct mean_param *small =
            n->kind == UOP_AND && bytes ? mean_print_small_param(m, n->arg[0], bytes) : NULL;
        struct mean_array declared;
        bool pointer;
        if (small &&
            !(small->type && mean_declared(small->type, &declared, &pointer) && !mean_kind_is_unsigned(declared.kind)))
            return mean_word(small->name);
        unsigned shift;
        graph_id dividend;
        if (mean_is_rounded(m, id, &shift, &dividend) && shift < 63)
            return mean_piece(m, PREC_MUL, "%s * %" PRIu64,
                              mean_text_quotient(m, dividend, "/", shift, p->style, p->depth).p, UINT64_C(1) << shift);
        enum mean_prec prec = n->kind == UOP_AND ? PREC_AND : n->kind == UOP_OR ? PREC_OR : PREC_XOR;
        mean_order_pair(m, pair);
        return mean_print_binary(p, pair[0],
                                 n->kind == UOP_AND  ? "&"
                                 : n->kind == UOP_OR ? "|"
                                                     : "^",
                                 pair[1], prec, true, hex);
    }
    case UOP_NOT: return unary(p, n->type == UOP_B1 ? "!" : "~", n->arg[0], n->type == UOP_B1 ? (unsigned)UOP_B1 : hex);
    case UOP_LOP3: return mean_text_lop3(m, n, p->style, p->depth);
    case UOP_SHL: return mean_print_binary(p, n->arg[0], "<<", n->arg[1], PREC_SHIFT, false, UOP_B32);
    case UOP_SHR:
    case UOP_SAR: return mean_print_shift_right(p, n);
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U: return mean_print_integer_min_max(p, n);
    case UOP_SEXT:
    case UOP_ZEXT: return mean_print_extension(p, n);
    case UOP_LO:
    case UOP_HI: return mean_print_half_text(p, n);
    case UOP_PAIR: return mean_print_pair_text(p, n);
    case UOP_SELECT: return select_text(p, n);
    case UOP_FADD: return float_add(p, n);
    case UOP_FMUL:
    case UOP_FFMA: return float_multiply(p, n);
    case UOP_FNEG: return unary(p, "-", n->arg[0], n->type);
    case UOP_FMIN:
    case UOP_FMAX: return float_min_max(p, n);
    case UOP_FROUND:
    case UOP_F2F:
    case UOP_F2I:
    case UOP_I2F: return mean_print_conversion(p, n);
    case UOP_UNIFORM: return mean_print_arg(p, n->arg[0], p->as);
    case UOP_LOAD: return mean_print_load_text(p, id, n);
    case UOP_ELEMENT: {
        const struct graph_node *load = graph_at(m->g, n->arg[0]);
        if (load->kind == UOP_LOAD)
            return mean_text_element(
                m, load->arg[0], (enum uop_space)load->space, load->width,
                (struct mean_part){4 * (unsigned)(n->imm & 3), 4, mean_kind_is_float(mean_kind_of(m, id)), false},
                false, p->style, p->depth);
        return mean_piece(m, PREC_PRIMARY, "word(%s, %" PRIu64 ")", mean_print_arg(p, n->arg[0], UOP_VOID).p, n->imm);
    }
    case UOP_ATOM: return mean_print_atomic_text(p, n);
    case GRAPH_PHI: return mean_print_phi_text(p, id, n);
    case GRAPH_REAL: return mean_print_function_text(p, n);
    case UOP_SHFL: return mean_print_shuffle_text(p, n);
    case UOP_VOTE:
    case UOP_BAR_GIVES: return mean_print_call(p, mean_print_chosen_word(n), n->arg, 1, UOP_B1);
    case UOP_WITHIN: return mean_print_call(p, mean_print_chosen_word(n), n->arg, 1, UOP_B64);
    case UOP_MATCH: return mean_print_call(p, mean_print_chosen_word(n), n->arg, 1, UOP_VOID);
    case UOP_REDUX: return mean_print_redux_text(p, n);
    default: break;
    }
    for (size_t i = 0; i < sizeof call_words / sizeof call_words[0]; i++)
        if (call_words[i].kind == n->kind) {
            graph_id args[6];
            memcpy(args, n->arg, sizeof args);
            args[0] = n->arg_count > 1 ? pair[0] : n->arg[0];
            args[1] = n->arg_count > 1 ? pair[1] : n->arg[1];
            return mean_print_call(p, form_word(p, n, call_words[i].name), args, n->arg_count,
                                   call_words[i].as == UOP_VOID ? n->type : call_words[i].as);
        }
    return mean_word("?");
}

struct mean_text mean_print_node(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth)
{
    struct graph_node n = *graph_at(m->g, id);
    struct mean_printer p = {m, as, style, depth};
    if (n.type == UOP_B1 || n.kind == GRAPH_BOOL || n.kind == UOP_FLT || n.kind == UOP_FLE || n.kind == UOP_FEQ ||
        n.kind == UOP_FNE || n.kind == UOP_FNUM) {
        bool compare = n.kind == GRAPH_BOOL || n.kind == UOP_LOP3 || n.kind == UOP_IEQ || n.kind == UOP_ILT_S ||
                       n.kind == UOP_ILT_U || n.kind == UOP_FLT || n.kind == UOP_FLE || n.kind == UOP_FEQ ||
                       n.kind == UOP_FNE || n.kind == UOP_FNUM;
        if (compare)
            return mean_text_bool(m, id, false, style, depth);
    }
    struct mean_text t = operation(&p, id, &n);
    if (n.flags & UOP_SAT && ((n.kind >= UOP_FADD && n.kind <= UOP_FMAX) || n.kind == UOP_F2F))
        t = mean_piece(m, PREC_PRIMARY, "saturate(%s)", mean_operand(m, t, PREC_TERNARY));
    if (n.flags & UOP_RELU)
        t = mean_piece(m, PREC_PRIMARY, "relu(%s)", mean_operand(m, t, PREC_TERNARY));
    return t;
}
