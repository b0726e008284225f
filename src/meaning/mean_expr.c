/* The text of a value as a C expression: precedence of C, parentheses only where they are needed.
 * Every node is made into text once for each way of reading it (memo), so the cost is linear in the
 * graph; a text beyond MEAN_OPERAND_MAX bytes or deeper than MEAN_DEPTH_MAX operations stands as "…"
 * in larger ones. Nothing is claimed that the bits do not say: rounding other than to nearest,
 * saturation and NaN-keeping minima have names of their own. */
#include "meaning/mean_internal.h"

#include "graph/graph_cycle.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- pieces ---------------------------------------------------------------------------------- */

/* The text with four bytes to spare behind it; NULL when out of memory. */
static char *format_text(struct arena *a, int *length, const char *format, va_list args)
{
    va_list again;
    char text[256]; /* most are short: formatted once */
    va_copy(again, args);
    *length = vsnprintf(text, sizeof text, format, args);
    char *p = *length < 0 ? NULL : arena_alloc(a, (size_t)*length + 4);
    if (p && (size_t)*length < sizeof text)
        memcpy(p, text, (size_t)*length);
    else if (p)
        vsnprintf(p, (size_t)*length + 1, format, again);
    va_end(again);
    return p;
}

struct mean_text mean_piece(struct mean *m, enum mean_prec prec, const char *format, ...)
{
    int n;
    va_list args;
    va_start(args, format);
    char *p = format_text(m->a, &n, format, args);
    va_end(args);
    if (!p)
        return (struct mean_text){"?", PREC_PRIMARY, false};
    if (n > MEAN_TEXT_MAX) { /* never inside a UTF-8 sequence */
        size_t end = MEAN_TEXT_MAX;
        while (end > 0 && ((unsigned char)p[end] & 0xc0) == 0x80)
            end--;
        memcpy(p + end, "\xe2\x80\xa6", 4);
    }
    return (struct mean_text){p, (uint8_t)prec, n > MEAN_OPERAND_MAX};
}

const char *mean_operand(struct mean *m, struct mean_text t, enum mean_prec prec)
{
    if (t.cut)
        return "\xe2\x80\xa6";
    return t.prec >= (uint8_t)prec ? t.p : mean_piece(m, PREC_PRIMARY, "(%s)", t.p).p;
}

static struct mean_text word(const char *text)
{
    return (struct mean_text){text, PREC_PRIMARY, false};
}

/* ---- order of commutative operands ----------------------------------------------------------- */

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

static void order_pair(const struct mean *m, graph_id pair[2])
{
    if (mean_display_order(m, pair[0], pair[1]) > 0) {
        graph_id t = pair[0];
        pair[0] = pair[1];
        pair[1] = t;
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

struct printer {
    struct mean *m;
    unsigned as, style, depth;
};

static struct mean_text arg(const struct printer *p, graph_id id, unsigned as)
{
    return mean_text_of(p->m, id, as, p->style, p->depth + 1);
}

static struct mean_text binary(const struct printer *p, graph_id a, const char *op, graph_id b, enum mean_prec prec,
                               bool associative, unsigned as)
{
    const char *left = mean_operand(p->m, arg(p, a, as), prec);
    const char *right = mean_operand(p->m, arg(p, b, as), associative ? prec : (enum mean_prec)(prec + 1));
    return mean_piece(p->m, prec, "%s %s %s", left, op, right);
}

/* name(a, b, …) */
static struct mean_text call(const struct printer *p, const char *name, const graph_id *args, unsigned count,
                             unsigned as)
{
    struct strbuf b;
    str_init(&b, p->m->a);
    str_addf(&b, "%s(", name);
    for (unsigned i = 0; i < count; i++)
        str_addf(&b, "%s%s", i ? ", " : "", mean_operand(p->m, arg(p, args[i], as), PREC_TERNARY));
    str_addc(&b, ')');
    return mean_piece(p->m, PREC_PRIMARY, "%s", b.p);
}

static struct mean_text unary(const struct printer *p, const char *op, graph_id a, unsigned as)
{
    struct mean_text t = arg(p, a, as);
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

static const char *const round_suffix[] = {"", "_rd", "_ru", "_rz", "_ra"};

/* Said only where the kernel has operations of both sorts. */
static const char *flush_word(const struct printer *p, const struct graph_node *n)
{
    return p->m->work->mixed_ftz && (n->flags & (UOP_FTZ | UOP_FMZ)) && n->type == UOP_F32 ? "_ftz" : "";
}

static struct mean_text float_add(const struct printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    graph_id pair[2] = {n->arg[0], n->arg[1]}, inner;
    uint64_t magnitude;
    order_pair(m, pair);
    if (n->round != UOP_RN || flush_word(p, n)[0]) {
        char name[16];
        snprintf(name, sizeof name, "add%s%s", round_suffix[n->round % 5], flush_word(p, n));
        return call(p, name, pair, 2, n->type);
    }
    for (int side = 1; side >= 0; side--)
        if (is_negation(m, pair[side], &inner) && !is_negation(m, pair[!side], &(graph_id){0}))
            return binary(p, pair[!side], "-", inner, PREC_ADD, false, n->type);
    if (is_negative_constant(m, pair[1], n->type, &magnitude))
        return mean_piece(m, PREC_ADD, "%s - %s", mean_operand(m, arg(p, pair[0], n->type), PREC_ADD),
                          mean_literal(m, magnitude, uop_type_bits((enum uop_type)n->type), n->type));
    return binary(p, pair[0], "+", pair[1], PREC_ADD, false, n->type);
}

static struct mean_text float_multiply(const struct printer *p, const struct graph_node *n)
{
    graph_id args[3] = {n->arg[0], n->arg[1], n->arg_count > 2 ? n->arg[2] : GRAPH_NIL};
    char name[16];
    order_pair(p->m, args);
    const char *zero = n->flags & UOP_FMZ ? "_fmz" : flush_word(p, n); /* 0 * anything is 0 */
    snprintf(name, sizeof name, "%s%s%s", n->kind == UOP_FFMA ? "fma" : "mul", round_suffix[n->round % 5], zero);
    if (n->kind == UOP_FFMA)
        return call(p, name, args, 3, n->type);
    if (n->round != UOP_RN || zero[0])
        return call(p, name, args, 2, n->type);
    return binary(p, args[0], "*", args[1], PREC_MUL, false, n->type);
}

static struct mean_text float_min_max(const struct printer *p, const struct graph_node *n)
{
    graph_id pair[2] = {n->arg[0], n->arg[1]};
    char name[32];
    order_pair(p->m, pair);
    snprintf(name, sizeof name, "%s%s%s%s", n->kind == UOP_FMIN ? "min" : "max",
             (n->flags & UOP_NAN) && !(p->style & MEAN_REAL) ? "_nan" : "", n->flags & UOP_XORSIGN ? "_xorsign" : "",
             p->style & MEAN_REAL ? "" : flush_word(p, n));
    return call(p, name, pair, 2, n->type);
}

static const char *integer_type(unsigned bits, bool is_signed)
{
    switch (bits) {
    case 8: return is_signed ? "signed char" : "unsigned char";
    case 16: return is_signed ? "short" : "unsigned short";
    case 32: return is_signed ? "int" : "unsigned";
    case 64: return is_signed ? "long" : "unsigned long";
    default: return NULL;
    }
}

/* An operand that is taken as a number of that sign, cast where its own words would give it the other one. */
static const char *signed_operand(const struct printer *p, graph_id id, bool is_unsigned, unsigned bits, bool agrees)
{
    struct mean *m = p->m;
    struct mean_text t = arg(p, id, UOP_B32 | (is_unsigned ? (unsigned)MEAN_AS_UNSIGNED : 0u));
    agrees |= mean_is_unsigned(m, id) == is_unsigned || graph_is_const(m->g, id, NULL) ||
              (is_unsigned && mean_is_nonnegative(m, id, 0));
    if (agrees)
        return mean_operand(m, t, PREC_TERNARY);
    return mean_piece(m, PREC_UNARY, "(%s)%s", integer_type(bits, !is_unsigned), mean_operand(m, t, PREC_UNARY)).p;
}

/* Operands of the other sign are cast: C would choose by their types. */
static struct mean_text integer_min_max(const struct printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    bool is_unsigned = n->kind == UOP_MIN_U || n->kind == UOP_MAX_U, wide = n->type == UOP_B64;
    graph_id pair[2] = {n->arg[0], n->arg[1]};
    const char *text[2];
    bool alike = mean_is_nonnegative(m, pair[0], 0) && mean_is_nonnegative(m, pair[1], 0);
    order_pair(m, pair);
    for (unsigned i = 0; i < 2; i++)
        text[i] = signed_operand(p, pair[i], is_unsigned, wide ? 64 : 32, !is_unsigned && alike);
    return mean_piece(m, PREC_PRIMARY, "%s(%s, %s)", n->kind == UOP_MIN_S || n->kind == UOP_MIN_U ? "min" : "max",
                      text[0], text[1]);
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

static struct mean_text select_text(const struct printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    bool turned = n->flags & UOP_SWAPPED;
    if (stands_for_else(p->m->g, n, turned))
        turned = !turned;
    graph_id then = turned ? n->arg[2] : n->arg[1], other = turned ? n->arg[1] : n->arg[2];
    unsigned as = p->as;
    struct mean_text condition = mean_text_bool(m, n->arg[0], turned, p->style, p->depth + 1);
    return mean_piece(m, PREC_TERNARY, "%s ? %s : %s", mean_operand(m, condition, PREC_OROR),
                      mean_operand(m, arg(p, then, as), PREC_TERNARY),
                      mean_operand(m, arg(p, other, as), PREC_TERNARY));
}

/* The high half of x * M shifted right by s is x / d for every 32-bit x when 2^(32+s) <= M * d <= 2^(32+s) + 2^s. */
static bool is_unsigned_quotient(const struct mean *m, const struct graph_node *shift, graph_id *x, uint64_t *d)
{
    uint64_t by, factor;
    const struct graph_node *high = graph_at(m->g, shift->arg[0]), *product = graph_at(m->g, high->arg[0]);
    if (shift->kind != UOP_SHR || shift->type != UOP_B32 || high->kind != UOP_HI || product->kind != UOP_MUL ||
        !graph_is_const(m->g, shift->arg[1], &by) || by > 30 || !graph_is_const(m->g, product->arg[1], &factor) ||
        factor == 0 || factor > UINT32_MAX)
        return false;
    const struct graph_node *wide = graph_at(m->g, product->arg[0]);
    uint64_t power = UINT64_C(1) << (32 + by);
    *d = (power + factor - 1) / factor;
    *x = wide->arg[0];
    return wide->kind == UOP_ZEXT && wide->imm == 32 && uop_type_bits((enum uop_type)graph_at(m->g, *x)->type) == 32 &&
           *d > 1 && factor * *d <= power + (UINT64_C(1) << by);
}

static struct mean_text shift_right(const struct printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    uint64_t by;
    graph_id dividend;
    if (n->kind == UOP_SAR && graph_is_const(m->g, n->arg[1], &by) && by < 63 &&
        mean_is_dividend(m, n->arg[0], (unsigned)by, &dividend))
        return mean_text_quotient(m, dividend, "/", (unsigned)by, p->style, p->depth);
    if (is_unsigned_quotient(m, n, &dividend, &by)) {
        struct mean_text t = arg(p, dividend, UOP_B32 | MEAN_AS_UNSIGNED);
        bool as_is = mean_is_unsigned(m, dividend) || mean_is_nonnegative(m, dividend, 0);
        return mean_piece(m, PREC_MUL, "%s%s / %" PRIu64, as_is ? "" : "(unsigned)",
                          mean_operand(m, t, as_is ? PREC_MUL : PREC_UNARY), by);
    }
    struct mean_text value = arg(p, n->arg[0], UOP_B32 | (p->as & MEAN_AS_HEX));
    const char *left = mean_operand(m, value, PREC_SHIFT);
    const char *right = mean_operand(m, arg(p, n->arg[1], UOP_B32), PREC_ADD);
    bool half = graph_at(m->g, n->arg[0])->kind == UOP_HI || graph_at(m->g, n->arg[0])->kind == UOP_LO;
    bool is_unsigned = mean_is_unsigned(m, n->arg[0]) || (half && mean_kind_is_unsigned(mean_kind_text(m, n->arg[0]))),
         plain = mean_is_nonnegative(m, n->arg[0], 0);
    const char *cast = n->type == UOP_B64 ? " long" : "";
    if (n->kind == UOP_SHR && !is_unsigned && !plain)
        left = mean_piece(m, PREC_UNARY, "(unsigned%s)%s", cast, mean_operand(m, value, PREC_UNARY)).p;
    else if (n->kind == UOP_SAR && is_unsigned && !plain)
        left =
            mean_piece(m, PREC_UNARY, "(%s)%s", n->type == UOP_B64 ? "long" : "int", mean_operand(m, value, PREC_UNARY))
                .p;
    return mean_piece(m, PREC_SHIFT, "%s >> %s", left, right);
}

static struct mean_text cast(const struct printer *p, const char *type, graph_id a, unsigned as)
{
    return mean_piece(p->m, PREC_UNARY, "(%s)%s", type, mean_operand(p->m, arg(p, a, as), PREC_UNARY));
}

/* A parameter of `bytes` bytes at the start of the constant word a node reads; NULL: none. */
static const struct mean_param *small_param(const struct mean *m, graph_id id, unsigned bytes)
{
    const struct mean_param *p = mean_param_of(m, id);
    return p && p->size == bytes && graph_at(m->g, id)->imm == p->constant_offset ? p : NULL;
}

/* A 32-bit integer whose C type would extend with the other sign is cast first. */
static struct mean_text wide_cast(const struct printer *p, const struct graph_node *n, const char *type)
{
    struct mean *m = p->m;
    bool is_signed = n->kind == UOP_SEXT;
    enum mean_kind kind = mean_kind_text(m, n->arg[0]);
    bool is_unsigned = mean_kind_is_unsigned(kind == KIND_UNKNOWN ? mean_kind_of(m, n->arg[0]) : kind);
    bool agrees = mean_is_nonnegative(m, n->arg[0], 0) || is_unsigned != is_signed;
    struct mean_text t = arg(p, n->arg[0], UOP_B32 | (is_signed ? 0u : (unsigned)MEAN_AS_UNSIGNED));
    return mean_piece(m, PREC_UNARY, "(%s)%s%s", type,
                      agrees      ? ""
                      : is_signed ? "(int)"
                                  : "(unsigned)",
                      mean_operand(m, t, PREC_UNARY));
}

static struct mean_text extension(const struct printer *p, const struct graph_node *n)
{
    const struct graph_node *inner = graph_at(p->m->g, n->arg[0]);
    unsigned bits = (unsigned)n->imm;
    const char *type = integer_type(bits >= 32 && n->type == UOP_B64 ? 64 : bits, n->kind == UOP_SEXT);
    const struct mean_param *param = mean_param_of(p->m, n->arg[0]);
    const struct mean_param *small = bits < 32 && n->type == UOP_B32 ? small_param(p->m, n->arg[0], bits / 8) : NULL;
    if (small && !small->type)
        return cast(p, type, n->arg[0], UOP_B32);
    bool wide = n->type == UOP_B64 && bits == 32 && uop_type_bits((enum uop_type)inner->type) == 32;
    if (wide && !(inner->kind == UOP_LOAD && inner->width < 4))
        return wide_cast(p, n, type);
    bool loaded = inner->kind == UOP_LOAD && inner->width * 8u <= bits;
    if (n->type == UOP_B64 && loaded && bits >= 32)
        return cast(p, n->kind == UOP_SEXT ? "long" : "unsigned long", n->arg[0], UOP_B32);
    if (loaded && inner->width < 4 && inner->width * 8u == bits && n->type == UOP_B32) {
        unsigned own = bits == 8 ? UOP_B8 : UOP_B16; /* however the load itself widens it */
        return mean_is_declared(p->m, inner, n->kind == UOP_ZEXT) ? arg(p, n->arg[0], own)
                                                                  : cast(p, type, n->arg[0], own);
    }
    bool same = loaded && !(n->kind == UOP_ZEXT && inner->width < 4 && (inner->flags & UOP_SIGNED));
    if (same || (param && param->type && param->size * 8 == bits && bits < 32))
        return arg(p, n->arg[0], p->as); /* its own type says so */
    if (!type) {
        char name[32];
        snprintf(name, sizeof name, "%s%u", n->kind == UOP_SEXT ? "sext" : "zext", bits);
        return call(p, name, n->arg, 1, UOP_B32);
    }
    return cast(p, type, n->arg[0], UOP_B32);
}

static const char *float_type(unsigned type)
{
    switch (type) {
    case UOP_F16: return "half";
    case UOP_BF16: return "bfloat16";
    case UOP_F64: return "double";
    default: return "float";
    }
}

static struct mean_text conversion(const struct printer *p, const struct graph_node *n)
{
    static const char *const rounds[] = {"_rn", "_rd", "_ru", "_rz", "_ra"};
    static const char *const integral[] = {"rint", "floor", "ceil", "trunc", "round"};
    bool is_signed = n->flags & UOP_SIGNED;
    char name[48];
    switch (n->kind) {
    case UOP_FROUND: return call(p, integral[n->round % 5], n->arg, 1, n->type);
    case UOP_F2F:
        if (n->round == UOP_RN)
            return cast(p, float_type(n->type), n->arg[0], (unsigned)n->imm & MEAN_AS_TYPE);
        snprintf(name, sizeof name, "%s%s", float_type(n->type), rounds[n->round % 5]);
        return call(p, name, n->arg, 1, (unsigned)n->imm & MEAN_AS_TYPE);
    case UOP_I2F:
        if (n->round == UOP_RN) {
            bool whole = n->imm >= uop_type_bits((enum uop_type)graph_at(p->m->g, n->arg[0])->type);
            const struct graph_node *from = graph_at(p->m->g, n->arg[0]);
            whole |= (from->kind == UOP_LOAD && from->width * 8u < n->imm) ||
                     (from->kind == UOP_SEXT && is_signed && from->imm <= n->imm);
            bool as_written =
                whole && (is_signed == !mean_is_unsigned(p->m, n->arg[0]) || mean_is_nonnegative(p->m, n->arg[0], 0));
            if (as_written)
                return cast(p, float_type(n->type), n->arg[0], UOP_B32);
            const char *type = integer_type((unsigned)n->imm, is_signed);
            struct mean_text inner = cast(p,
                                          type        ? type
                                          : is_signed ? "int"
                                                      : "unsigned",
                                          n->arg[0], UOP_B32 | (is_signed ? 0u : (unsigned)MEAN_AS_UNSIGNED));
            return mean_piece(p->m, PREC_UNARY, "(%s)%s", float_type(n->type), inner.p);
        }
        snprintf(name, sizeof name, "%s%s", float_type(n->type), rounds[n->round % 5]);
        return call(p, name, n->arg, 1, UOP_B32);
    default: { /* F2I: C's cast cuts towards zero */
        const char *type = integer_type(uop_type_bits((enum uop_type)n->type), is_signed);
        if (n->round == UOP_RZ && type)
            return cast(p, type, n->arg[0], (unsigned)n->imm & MEAN_AS_TYPE);
        snprintf(name, sizeof name, "%s%s", is_signed ? "int" : "uint", rounds[n->round % 5]);
        return call(p, name, n->arg, 1, (unsigned)n->imm & MEAN_AS_TYPE);
    }
    }
}

/* A word of a constant bank: parameter, stack pointer, descriptor, or the bank as such. */
static struct mean_text constant_word(const struct printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    const struct graph_env *env = m->g->env;
    unsigned bytes = uop_type_bits((enum uop_type)n->type) / 8;
    if (n->arg_count > 0 && n->arg[0] != GRAPH_NIL) {
        const char *index = arg(p, n->arg[0], UOP_B32).p;
        return n->imm ? mean_piece(m, PREC_PRIMARY, "c[0x%x][%s + 0x%" PRIx64 "]", n->space, index, n->imm)
                      : mean_piece(m, PREC_PRIMARY, "c[0x%x][%s]", n->space, index);
    }
    for (uint32_t i = 0; i < m->param_count && n->space == 0; i++) {
        const struct mean_param *q = &m->params[i];
        if (n->imm < q->constant_offset || n->imm + bytes > (uint64_t)q->constant_offset + q->size)
            continue;
        uint64_t inside = n->imm - q->constant_offset;
        if (bytes == q->size || (inside == 0 && q->size < 4))
            return word(q->name);
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
        return word("stack pointer");
    if (n->space == 0 && env->descriptor_offset && n->imm >= env->descriptor_offset &&
        n->imm < env->descriptor_offset + 8)
        return word("global descriptor");
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

/* The 32-bit value that a factor of a 64-bit product extends. */
static bool extended_factor(const struct mean *m, graph_id id, bool is_signed, graph_id *inner)
{
    const struct graph_node *n = graph_at(m->g, id);
    if (n->kind == UOP_CONST) {
        int64_t value = (int64_t)n->imm;
        if (is_signed ? value < INT32_MIN || value > INT32_MAX : n->imm > UINT32_MAX)
            return false;
        *inner = graph_const(m->g, UOP_B32, n->imm & UINT32_MAX);
        return true;
    }
    if (n->kind != (is_signed ? UOP_SEXT : UOP_ZEXT) || n->imm != 32 ||
        uop_type_bits((enum uop_type)graph_at(m->g, n->arg[0])->type) != 32)
        return false;
    *inner = n->arg[0];
    return true;
}

/* The high word of a 64-bit product of extended words. */
static bool high_product(const struct printer *p, const struct graph_node *n, struct mean_text *out)
{
    const struct graph_node product = *graph_at(p->m->g, n->arg[0]);
    graph_id args[2];
    uint32_t at;
    bool has_id = !(p->style & MEAN_EXPANDED) && map_u64_get(&p->m->value_of, n->arg[0], &at);
    if (n->kind != UOP_HI || n->type != UOP_B32 || product.kind != UOP_MUL || has_id)
        return false;
    for (unsigned is_signed = 0; is_signed < 2; is_signed++)
        if (extended_factor(p->m, product.arg[0], is_signed, &args[0]) &&
            extended_factor(p->m, product.arg[1], is_signed, &args[1])) {
            order_pair(p->m, args);
            *out = call(p, is_signed ? "mulhi" : "umulhi", args, 2,
                        UOP_B32 | (is_signed ? 0u : (unsigned)MEAN_AS_UNSIGNED));
            return true;
        }
    return false;
}

/* lo/hi of a shifted pair is a funnel shift; else "lo(x)". */
static struct mean_text half_text(const struct printer *p, const struct graph_node *n)
{
    const struct graph_node *shift = graph_at(p->m->g, n->arg[0]);
    unsigned bytes = uop_type_bits((enum uop_type)n->type) / 8;
    struct mean_text product;
    if (high_product(p, n, &product))
        return product;
    uint64_t factor;
    uint32_t id_at;
    bool has_id = !(p->style & MEAN_EXPANDED) && map_u64_get(&p->m->value_of, n->arg[0], &id_at);
    if (!has_id && n->kind == UOP_HI && n->type == UOP_B32 && shift->kind == UOP_MUL &&
        graph_is_const(p->m->g, shift->arg[1], &factor) && factor > 1 && factor < UINT64_C(1) << 32 &&
        (factor & (factor - 1)) == 0) { /* the middle of the other factor */
        const struct graph_node pair = *graph_at(p->m->g, shift->arg[0]);
        if (pair.kind == UOP_PAIR) {
            graph_id by = graph_const(p->m->g, UOP_B32, (uint64_t)__builtin_ctzll(factor));
            return call(p, "funnelshift_l", (graph_id[]){pair.arg[0], pair.arg[1], by}, 3, UOP_B32);
        }
        struct mean_text other = arg(p, shift->arg[0], UOP_B64);
        return mean_piece(p->m, PREC_PRIMARY, "lo(%s >> %d)", mean_operand(p->m, other, PREC_SHIFT),
                          32 - __builtin_ctzll(factor));
    }
    shift = graph_at(p->m->g, n->arg[0]); /* constants may have been made */
    if (mean_half_is_element(p->m, n))
        return mean_text_element(p->m, shift->arg[0], (enum uop_space)shift->space, shift->width,
                                 (struct mean_part){n->kind == UOP_HI ? bytes : 0, bytes, false, false}, false,
                                 p->style, p->depth);
    if (shift->kind == UOP_LOAD && n->kind == UOP_LO && shift->width <= bytes) { /* the load is no wider */
        unsigned reader = p->as & MEAN_AS_TYPE;
        bool bits = shift->width == bytes && bytes == 2 && reader != UOP_F16 && reader != UOP_BF16;
        return arg(p, n->arg[0], bits ? (unsigned)UOP_B16 : p->as);
    }
    bool right = n->kind == UOP_LO && (shift->kind == UOP_SHR || shift->kind == UOP_SAR);
    if (right || (n->kind == UOP_HI && shift->kind == UOP_SHL)) {
        const struct graph_node *pair = graph_at(p->m->g, shift->arg[0]);
        if (pair->kind == UOP_PAIR) {
            graph_id args[3] = {pair->arg[0], pair->arg[1], shift->arg[1]};
            return call(p, right ? "funnelshift_r" : "funnelshift_l", args, 3, UOP_B32);
        }
    }
    return call(p, n->kind == UOP_LO ? "lo" : "hi", n->arg, 1, UOP_VOID);
}

/* Two words, two packed floats, two packed integers. */
static struct mean_text pair_text(const struct printer *p, const struct graph_node *n)
{
    const struct graph_node *low = graph_at(p->m->g, n->arg[0]), *high = graph_at(p->m->g, n->arg[1]);
    const struct graph_node *load = low->kind == UOP_ELEMENT ? graph_at(p->m->g, low->arg[0]) : NULL;
    struct graph_affine f;
    if (load && load->kind == UOP_LOAD && high->kind == UOP_ELEMENT && high->arg[0] == low->arg[0] &&
        high->imm == low->imm + 1 && low->imm % 2 == 0) {
        int at = mean_array_of(p->m, load->arg[0], (enum uop_space)load->space, &f);
        const struct mean_array *array = at < 0 ? NULL : &p->m->work->arrays[at];
        if (array && array->bytes == 8u * array->lanes) /* a 64-bit element of a wide load */
            return mean_text_element(p->m, load->arg[0], (enum uop_space)load->space, load->width,
                                     (struct mean_part){4 * (unsigned)low->imm, 8, false, false}, false, p->style,
                                     p->depth);
    }
    bool floats = n->type == UOP_B32 && (mean_kind_is_float(mean_kind_made(p->m, n->arg[0], 0)) ||
                                         mean_kind_is_float(mean_kind_made(p->m, n->arg[1], 0)));
    return call(p, floats ? "half2" : "pair", n->arg, 2, floats ? UOP_F16 : UOP_VOID);
}

const char *mean_atomic_name(unsigned op)
{
    static const char *const names[] = {"Add", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor", "Exch", "CAS"};
    return op < sizeof names / sizeof names[0] ? names[op] : "";
}

static struct mean_text atomic_text(const struct printer *p, const struct graph_node *n)
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
                         ? signed_operand(p, n->arg[i], !(n->flags & UOP_SIGNED), uop_type_bits((enum uop_type)n->type),
                                          false)
                         : mean_operand(m, arg(p, n->arg[i], n->type), PREC_TERNARY));
    str_addc(&b, ')');
    return mean_piece(m, PREC_PRIMARY, "%s", b.p);
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

/* Words of kinds whose imm chooses among names. */
static const char *chosen_word(const struct graph_node *n)
{
    static const char *const shuffles[] = {"shfl", "shfl_up", "shfl_down", "shfl_xor"};
    static const char *const votes[] = {"all", "any", "uniform"};
    static const char *const redux[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static const char *const reduce_words[] = {"reduce_add", "reduce_min", "reduce_max", "reduce",
                                               "reduce",     "reduce_and", "reduce_or",  "reduce_xor"};
    switch (n->kind) {
    case UOP_SHFL: return shuffles[n->imm & 3];
    case UOP_VOTE: return votes[n->imm % 3];
    case UOP_WITHIN: return n->space == UOP_SHARED ? "is_shared" : n->space == UOP_LOCAL ? "is_local" : "is_global";
    case UOP_MATCH: return n->imm & 1 ? "match_any" : "match_all";
    case UOP_REDUX: return n->imm < sizeof redux / sizeof redux[0] ? reduce_words[n->imm] : "reduce";
    default: return NULL;
    }
}

/* Where paths meet without a condition that a table holds: the ways in, short ones only. */
static struct mean_text phi_text(const struct printer *p, graph_id id, const struct graph_node *n)
{
    enum { PHI_WAYS = 4, PHI_ARG_MAX = 48 };
    struct strbuf b;
    for (size_t i = 0; i < p->m->work->open_phis.n; i++)
        if (p->m->work->open_phis.p[i] == id)
            return (struct mean_text){"\xe2\x80\xa6", PREC_PRIMARY, true};
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
        struct mean_text t = old ? word(p->m->work->leaving.p[at].text) : arg(p, n->phi_args[i], p->as);
        str_addf(&b, "%s%s", i ? ", " : "", t.cut || strlen(t.p) > PHI_ARG_MAX ? "\xe2\x80\xa6" : t.p);
    }
    str_add(&b, n->phi_count > PHI_WAYS ? ", \xe2\x80\xa6)" : ")");
    p->m->work->open_phis.n = open;
    return mean_piece(p->m, PREC_PRIMARY, "%s", b.p);
}

/* C-like counts: clz(0) is 32 and ffs(0) is 0, as the operation's -1 wants it. */
static struct mean_text highest_bit(const struct printer *p, const struct graph_node *n)
{
    const struct graph_node *inner = graph_at(p->m->g, n->arg[0]);
    uint32_t at;
    bool wide = n->type != UOP_B32 || (n->flags & UOP_SIGNED);
    bool has_id = !(p->style & MEAN_EXPANDED) && map_u64_get(&p->m->value_of, n->arg[0], &at);
    if (!wide && n->imm == 0)
        return mean_piece(p->m, PREC_ADD, "31 - %s", call(p, "clz", n->arg, 1, UOP_B32 | MEAN_AS_UNSIGNED).p);
    if (!wide && inner->kind == UOP_BREV && !has_id)
        return mean_piece(p->m, PREC_ADD, "%s - 1", call(p, "ffs", inner->arg, 1, UOP_B32 | MEAN_AS_UNSIGNED).p);
    char name[32];
    snprintf(name, sizeof name, "bfind%s%s", n->imm & 1 ? "_shiftamt" : "", n->flags & UOP_SIGNED ? "_signed" : "");
    return call(p, name, n->arg, 1, UOP_B32);
}

static struct mean_text special_register(const struct printer *p, const struct graph_node *n)
{
    const char *text = uop_sreg_text((unsigned)n->imm);
    if (text)
        return word(text);
    return mean_piece(p->m, PREC_PRIMARY, "SR%" PRIu64, n->imm >= UOP_SR_OTHER ? n->imm - UOP_SR_OTHER : n->imm);
}

/* Operands are cast where C would divide with the other sign. */
static struct mean_text integer_division(const struct printer *p, const struct graph_node *n, bool natural, unsigned as)
{
    struct mean *m = p->m;
    bool alike = mean_is_nonnegative(m, n->arg[0], 0) && mean_is_nonnegative(m, n->arg[1], 0);
    bool shown[2] = {mean_is_unsigned(m, n->arg[0]), mean_is_unsigned(m, n->arg[1])};
    const char *type = integer_type(uop_type_bits((enum uop_type)n->type), !natural), *text[2];
    for (unsigned i = 0; i < 2; i++) {
        bool turns = natural ? i == 0 && !shown[0] && !shown[1] : shown[i] && !graph_is_const(m->g, n->arg[i], NULL);
        struct mean_text t = arg(p, n->arg[i], as);
        if (turns && !alike && type)
            t = mean_piece(m, PREC_UNARY, "(%s)%s", type, mean_operand(m, t, PREC_UNARY));
        text[i] = mean_operand(m, t, i ? PREC_UNARY : PREC_MUL);
    }
    return mean_piece(m, PREC_MUL, "%s %s %s", text[0], n->imm >= GRAPH_REM_S ? "%" : "/", text[1]);
}

/* Functions without an operation of their own. */
static struct mean_text function_text(const struct printer *p, const struct graph_node *n)
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
                                                       [GRAPH_REMAINDER] = "remainder"};
    bool natural = n->imm == GRAPH_DIV_U || n->imm == GRAPH_REM_U;
    unsigned as = n->type | (natural ? MEAN_AS_UNSIGNED : 0u);
    if (n->imm >= GRAPH_DIV && n->imm < GRAPH_FUNCTIONS && (n->type == UOP_B32 || n->type == UOP_B64))
        return integer_division(p, n, natural, as);
    if (n->imm >= GRAPH_DIV && n->imm < GRAPH_FUNCTIONS)
        return binary(p, n->arg[0], n->imm >= GRAPH_REM_S ? "%" : "/", n->arg[1], PREC_MUL, false, as);
    return call(p, n->imm < GRAPH_FUNCTIONS ? words[n->imm] : "?", n->arg, n->arg_count, as);
}

/* As CUDA writes it: the width where a warp is cut into segments; a clamp that is no width of CUDA's stands as it
 * is. */
static struct mean_text shuffle_text(const struct printer *p, const struct graph_node *n)
{
    enum { CLAMP_MASK = 0x1f, SEGMENT_SHIFT = 8, LANES = 32 };
    struct mean *m = p->m;
    const char *name = chosen_word(n);
    const char *value = mean_operand(m, arg(p, n->arg[0], p->as), PREC_TERNARY);
    const char *lane = mean_operand(m, arg(p, n->arg[1], UOP_B32), PREC_TERNARY);
    uint64_t c = 0;
    bool known = n->arg_count > 2 && graph_is_const(m->g, n->arg[2], &c);
    unsigned width = LANES - (unsigned)(c >> SEGMENT_SHIFT & CLAMP_MASK);
    unsigned clamp = strcmp(name, "shfl_up") == 0 ? 0 : CLAMP_MASK;
    if (n->arg_count < 3 || (known && width == LANES && (c & CLAMP_MASK) == clamp))
        return mean_piece(m, PREC_PRIMARY, "%s(%s, %s)", name, value, lane);
    if (known && (width & (width - 1)) == 0 && (c & CLAMP_MASK) == clamp)
        return mean_piece(m, PREC_PRIMARY, "%s(%s, %s, %u)", name, value, lane, width);
    return mean_piece(m, PREC_PRIMARY, "%s(%s, %s, c = %s)", name, value, lane,
                      mean_operand(m, arg(p, n->arg[2], UOP_B32 | MEAN_AS_HEX), PREC_TERNARY));
}

static struct mean_text redux_text(const struct printer *p, const struct graph_node *n)
{
    if (n->imm != UOP_ATOM_MIN && n->imm != UOP_ATOM_MAX)
        return call(p, chosen_word(n), n->arg, 1, UOP_B32);
    return mean_piece(p->m, PREC_PRIMARY, "%s(%s)", chosen_word(n),
                      signed_operand(p, n->arg[0], !(n->flags & UOP_SIGNED), 32, false));
}

/* What the word of call_words does not say of signs and forms. */
static const char *form_word(const struct printer *p, const struct graph_node *n, const char *name)
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
    case UOP_BMSK: more = n->imm ? "_wrap" : ""; break;
    default: break;
    }
    return *more ? mean_piece(p->m, PREC_PRIMARY, "%s%s", name, more).p : name;
}

/* A byte or half word that is widened: how, unless the array's declaration or a reader of its own width says it. */
static struct mean_text load_text(const struct printer *p, graph_id id, const struct graph_node *n)
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
    return mean_piece(m, PREC_UNARY, "(%s)%s", integer_type(n->width * 8u, is_signed), mean_operand(m, t, PREC_UNARY));
}

static struct mean_text operation(const struct printer *p, graph_id id, const struct graph_node *n)
{
    struct mean *m = p->m;
    graph_id pair[2] = {n->arg[0], n->arg[1]};
    unsigned hex = UOP_B32 | MEAN_AS_HEX;
    switch (n->kind) {
    case UOP_SREG: return special_register(p, n);
    case UOP_CBANK: return constant_word(p, n);
    case UOP_PC: return mean_piece(m, PREC_PRIMARY, "code[0x%" PRIx64 "]", n->imm);
    case UOP_UNDEF:
    case GRAPH_ENTRY: return word("undefined");
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
                         mean_operand(m, arg(p, n->arg[i], i < 2 ? UOP_B32 : UOP_B1), PREC_MUL));
        }
        return mean_piece(m, PREC_ADD, "%s", b.n ? b.p : "0");
    }
    case UOP_FLO: return highest_bit(p, n);
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR: {
        uint64_t mask;
        unsigned bytes = graph_is_const(m->g, n->arg[1], &mask) ? mask == 0xff ? 1 : mask == 0xffff ? 2 : 0 : 0;
        const struct mean_param *small = n->kind == UOP_AND && bytes ? small_param(m, n->arg[0], bytes) : NULL;
        struct mean_array declared;
        bool pointer;
        if (small &&
            !(small->type && mean_declared(small->type, &declared, &pointer) && !mean_kind_is_unsigned(declared.kind)))
            return word(small->name);
        unsigned shift;
        graph_id dividend;
        if (mean_is_rounded(m, id, &shift, &dividend) && shift < 63)
            return mean_piece(m, PREC_MUL, "%s * %" PRIu64,
                              mean_text_quotient(m, dividend, "/", shift, p->style, p->depth).p, UINT64_C(1) << shift);
        enum mean_prec prec = n->kind == UOP_AND ? PREC_AND : n->kind == UOP_OR ? PREC_OR : PREC_XOR;
        order_pair(m, pair);
        return binary(p, pair[0], n->kind == UOP_AND ? "&" : n->kind == UOP_OR ? "|" : "^", pair[1], prec, true, hex);
    }
    case UOP_NOT: return unary(p, n->type == UOP_B1 ? "!" : "~", n->arg[0], n->type == UOP_B1 ? (unsigned)UOP_B1 : hex);
    case UOP_LOP3: return mean_text_lop3(m, n, p->style, p->depth);
    case UOP_SHL: return binary(p, n->arg[0], "<<", n->arg[1], PREC_SHIFT, false, UOP_B32);
    case UOP_SHR:
    case UOP_SAR: return shift_right(p, n);
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U: return integer_min_max(p, n);
    case UOP_SEXT:
    case UOP_ZEXT: return extension(p, n);
    case UOP_LO:
    case UOP_HI: return half_text(p, n);
    case UOP_PAIR: return pair_text(p, n);
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
    case UOP_I2F: return conversion(p, n);
    case UOP_UNIFORM: return arg(p, n->arg[0], p->as);
    case UOP_LOAD: return load_text(p, id, n);
    case UOP_ELEMENT: {
        const struct graph_node *load = graph_at(m->g, n->arg[0]);
        if (load->kind == UOP_LOAD)
            return mean_text_element(
                m, load->arg[0], (enum uop_space)load->space, load->width,
                (struct mean_part){4 * (unsigned)(n->imm & 3), 4, mean_kind_is_float(mean_kind_of(m, id)), false},
                false, p->style, p->depth);
        return mean_piece(m, PREC_PRIMARY, "word(%s, %" PRIu64 ")", arg(p, n->arg[0], UOP_VOID).p, n->imm);
    }
    case UOP_ATOM: return atomic_text(p, n);
    case GRAPH_PHI: return phi_text(p, id, n);
    case GRAPH_REAL: return function_text(p, n);
    case UOP_SHFL: return shuffle_text(p, n);
    case UOP_VOTE: return call(p, chosen_word(n), n->arg, 1, UOP_B1);
    case UOP_WITHIN: return call(p, chosen_word(n), n->arg, 1, UOP_B64);
    case UOP_MATCH: return call(p, chosen_word(n), n->arg, 1, UOP_VOID);
    case UOP_REDUX: return redux_text(p, n);
    default: break;
    }
    for (size_t i = 0; i < sizeof call_words / sizeof call_words[0]; i++)
        if (call_words[i].kind == n->kind) {
            graph_id args[6];
            memcpy(args, n->arg, sizeof args);
            args[0] = n->arg_count > 1 ? pair[0] : n->arg[0];
            args[1] = n->arg_count > 1 ? pair[1] : n->arg[1];
            return call(p, form_word(p, n, call_words[i].name), args, n->arg_count,
                        call_words[i].as == UOP_VOID ? n->type : call_words[i].as);
        }
    return word("?");
}

/* ---- entry points ---------------------------------------------------------------------------- */

static struct mean_text make_text(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth)
{
    struct graph_node n = *graph_at(m->g, id);
    struct printer p = {m, as, style, depth};
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

struct mean_text mean_text_convert(struct mean *m, struct mean_text t, enum mean_kind kind, unsigned width, unsigned as)
{
    unsigned reader = as & MEAN_AS_TYPE;
    bool integer = kind == KIND_S32 || kind == KIND_U32 || kind == KIND_S64 || kind == KIND_U64;
    if (mean_kind_is_float(kind) && reader >= UOP_B8 && reader <= UOP_B128)
        return mean_piece(m, PREC_PRIMARY, "bits(%s)", mean_operand(m, t, PREC_TERNARY));
    if (integer && ((reader == UOP_F32 && width == 32) || (reader == UOP_F64 && width == 64)))
        return mean_piece(m, PREC_PRIMARY, "as_%s(%s)", reader == UOP_F32 ? "float" : "double",
                          mean_operand(m, t, PREC_TERNARY));
    return t;
}

/* What a text of number format `kind` is made for when its reader is `as`: itself where that would turn it round. */
static unsigned natural_reader(enum mean_kind kind, unsigned width, unsigned as)
{
    unsigned reader = as & MEAN_AS_TYPE;
    bool turns = mean_kind_is_float(kind) ? reader >= UOP_B8 && reader <= UOP_B128 && mean_kind_bits(kind) == width
                                          : reader == UOP_F32 || reader == UOP_F64;
    bool known = kind != KIND_UNKNOWN && kind != KIND_PRED && mean_kind_bits(kind) == width;
    return turns && known ? mean_kind_type(kind) : as;
}

/* Texts that know the same ids and stand in the same loop: 21 bits. */
static uint64_t text_age(const struct mean *m, unsigned style)
{
    const struct mean_work *w = m->work;
    if (w->updated)
        return 0x180000u | (w->updates & 0x7ffffu);
    if (w->view)
        return 0x100000u | (w->view & 0x7ffffu);
    return style & MEAN_EXPANDED ? 0 : w->epoch & 0xfffffu;
}

uint64_t mean_text_key(const struct mean *m, graph_id id, unsigned as, unsigned style)
{
    return (uint64_t)id | (uint64_t)as << 32 | (uint64_t)(style & 7u) << 40 | text_age(m, style) << 43;
}

struct mean_text mean_text_define(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth)
{
    uint32_t at;
    if (id == GRAPH_NIL || id >= m->g->nodes.n)
        return word("?");
    if (graph_reads(m->g, id) != GRAPH_NIL)
        return mean_text_define(m, graph_reads(m->g, id), as, style, depth);
    const struct graph_node *n = graph_at(m->g, id);
    if (n->kind == UOP_CONST) {
        unsigned reader = style & MEAN_BITS ? (as & ~(unsigned)MEAN_AS_TYPE) | UOP_B32 : as;
        const char *text = mean_literal(m, n->imm, uop_type_bits((enum uop_type)n->type), reader);
        return (struct mean_text){text, text[0] == '-' ? PREC_UNARY : PREC_PRIMARY, false};
    }
    if (depth > MEAN_DEPTH_MAX)
        return (struct mean_text){"\xe2\x80\xa6", PREC_PRIMARY, true};
    uint64_t key = mean_text_key(m, id, as, style);
    if (map_u64_get(&m->work->memo, key, &at))
        return m->work->texts.p[at];
    /* Under way: a loop's value met inside its own definition. */
    at = (uint32_t)m->work->texts.n;
    struct mean_text text = {"\xe2\x80\xa6", PREC_PRIMARY, true};
    VEC_PUSH(m->a, m->work->texts, text);
    if (m->work->texts.n == at || !map_u64_put(m->a, &m->work->memo, key, at))
        return word("?");
    enum mean_kind kind = mean_kind_text(m, id);
    unsigned width = uop_type_bits((enum uop_type)n->type);
    text = make_text(m, id, natural_reader(kind, width, as), style, depth);
    text = mean_text_convert(m, text, kind, width, as);
    m->work->texts.p[at] = text;
    return text;
}

/* The word for a node of a variable that is looked at from behind its loop, or for its old value when it has a new one
 * already; NULL: told as always. */
static const char *leaving_text(const struct mean *m, graph_id id)
{
    const struct mean_work *w = m->work;
    uint32_t at;
    if ((!w->view && !w->updated) || !map_u64_get(&w->leaving_of, id, &at))
        return NULL;
    const struct mean_leaving *l = &w->leaving.p[at];
    if (l->updated || !w->view)
        return l->updated ? l->text : NULL;
    for (uint32_t c = w->view - 1; c;) { /* + 1 */
        if (c - 1 == l->cycle)
            return NULL;
        int32_t parent = m->g->cycles->cycles.p[c - 1].parent;
        c = parent < 0 ? 0 : (uint32_t)parent + 1;
    }
    return l->text;
}

bool mean_set_leaving(struct mean *m, graph_id node, const char *text, uint32_t cycle, bool old)
{
    uint32_t at = (uint32_t)m->work->leaving.n;
    struct mean_leaving entry = {arena_strdup(m->a, text), cycle, old, false};
    if (!entry.text)
        return false;
    if (m->work->leaving.n == 0) { /* texts made so far did not know */
        m->work->memo = (struct map_u64){0};
        m->work->texts.n = 0;
    }
    VEC_PUSH(m->a, m->work->leaving, entry);
    return m->work->leaving.n == at + 1 && map_u64_put(m->a, &m->work->leaving_of, node, at);
}

void mean_look_from(struct mean *m, uint32_t block)
{
    const struct graph_cycles *c = m->g->cycles;
    m->work->view = block == UINT32_MAX || !c || !c->cycle_of ? 0 : c->cycle_of[block] + 1;
}

bool mean_set_updated(struct mean *m, graph_id node, bool updated)
{
    uint32_t at;
    if (!map_u64_get(&m->work->leaving_of, node, &at) || !m->work->leaving.p[at].old)
        return false;
    m->work->updated += updated && !m->work->leaving.p[at].updated;
    m->work->updated -= !updated && m->work->leaving.p[at].updated;
    m->work->leaving.p[at].updated = updated;
    m->work->updates++;
    return true;
}

struct mean_text mean_text_of(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth)
{
    uint32_t at;
    unsigned width = uop_type_bits((enum uop_type)graph_at(m->g, id)->type);
    if (map_u64_get(&m->name_of, id, &at))
        return mean_text_convert(m, word(m->names.p[at].name), width == 64 ? KIND_S64 : KIND_S32, width, as);
    const struct graph_cycles *cycles = m->g->cycles;
    if (cycles && cycles->turn_of && id < cycles->copy_count && cycles->turn_of[id] != GRAPH_NIL)
        return mean_text_of(m, cycles->turn_of[id], as, style, depth + 1); /* never one of its own kind */
    if (map_u64_get(&m->work->low_of, id, &at) && at < m->names.n)
        return mean_text_convert(m, mean_piece(m, PREC_PRIMARY, "lo(%s)", m->names.p[at].name), KIND_S32, width, as);
    const char *left = leaving_text(m, id);
    if (left)
        return mean_text_convert(m, word(left), mean_kind_of(m, id), width, as);
    if ((!(style & MEAN_EXPANDED) || map_u64_get(&m->variables, id, NULL)) && map_u64_get(&m->value_of, id, &at)) {
        const struct graph_node *n = graph_at(m->g, id);
        bool half = (n->kind == UOP_LO || n->kind == UOP_HI) && graph_at(m->g, n->arg[0])->kind == UOP_LOAD;
        bool element = n->kind == UOP_LOAD || n->kind == UOP_ELEMENT || half; /* says more than its id */
        if (!element || map_u64_get(&m->variables, id, NULL))
            return mean_text_convert(m, word(m->value_ids.p[at]), mean_kind_of(m, id), width, as);
    }
    return mean_text_define(m, id, as, style, depth);
}

/* The way a node is read when its reader is not known. */
static unsigned reader_of(struct mean *m, graph_id id, enum uop_type as)
{
    if (as != UOP_VOID || id == GRAPH_NIL || id >= m->g->nodes.n)
        return as;
    enum mean_kind kind = mean_kind_of(m, id);
    return mean_kind_type(kind) | (mean_kind_is_unsigned(kind) ? MEAN_AS_UNSIGNED : 0u);
}

static const char *line_of(struct mean *m, const char *text, unsigned style)
{
    return style & MEAN_EXPANDED ? text : mean_shorten(m, text);
}

const char *mean_expr(struct mean *m, graph_id node, enum uop_type as, enum mean_style style)
{
    return line_of(m, mean_text_of(m, node, reader_of(m, node, as), style, 0).p, style);
}

const char *mean_definition(struct mean *m, graph_id node, enum uop_type as, enum mean_style style)
{
    return line_of(m, mean_text_define(m, node, reader_of(m, node, as), style, 0).p, style);
}

const char *mean_condition(struct mean *m, graph_id b1)
{
    return b1 == GRAPH_NIL ? NULL : mean_shorten(m, mean_text_define(m, b1, UOP_B1, MEAN_INNER, 0).p);
}

bool mean_set_value(struct mean *m, graph_id node, const char *id)
{
    char *copy = arena_strdup(m->a, id);
    uint32_t at = (uint32_t)m->value_ids.n;
    if (!copy)
        return false;
    VEC_PUSH(m->a, m->value_ids, copy);
    VEC_PUSH(m->a, m->value_nodes, node);
    m->work->epoch++;
    return m->value_ids.n == at + 1 && m->value_nodes.n == at + 1 && map_u64_put(m->a, &m->value_of, node, at);
}

bool mean_set_variable(struct mean *m, graph_id node, const char *id)
{
    return mean_set_value(m, node, id) && map_u64_put(m->a, &m->variables, node, 0);
}
