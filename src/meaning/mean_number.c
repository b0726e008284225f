/* Integers as C has them: signs and widths that C would choose otherwise are cast, quotients are found again behind
 * shifts and high words, halves and pairs of 64-bit values have words.
 * requires: kinds and signs of nodes · gives: the printers of integer operations and conversions */
#include "meaning/mean_print.h"

#include <inttypes.h>
#include <stdio.h>

const char *mean_print_integer_type(unsigned bits, bool is_signed)
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
const char *mean_print_signed_operand(const struct mean_printer *p, graph_id id, bool is_unsigned, unsigned bits,
                                      bool agrees)
{
    struct mean *m = p->m;
    struct mean_text t = mean_print_arg(p, id, UOP_B32 | (is_unsigned ? (unsigned)MEAN_AS_UNSIGNED : 0u));
    agrees |= mean_sign_shown(m, id) == (is_unsigned ? MEAN_SIGN_UNSIGNED : MEAN_SIGN_SIGNED) ||
              graph_is_const(m->g, id, NULL) || (is_unsigned && mean_is_nonnegative(m, id, 0));
    agrees &= is_unsigned || !graph_is_const(m->g, id, NULL) || mean_sign_shown(m, id) == MEAN_SIGN_SIGNED;
    if (agrees)
        return mean_operand(m, t, PREC_TERNARY);
    return mean_piece(m, PREC_UNARY, "(%s)%s", mean_print_integer_type(bits, !is_unsigned),
                      mean_operand(m, t, PREC_UNARY))
        .p;
}

/* Operands of the other sign are cast: C would choose by their types. */
struct mean_text mean_print_integer_min_max(const struct mean_printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    bool is_unsigned = n->kind == UOP_MIN_U || n->kind == UOP_MAX_U, wide = n->type == UOP_B64;
    graph_id pair[2] = {n->arg[0], n->arg[1]};
    const char *text[2];
    bool alike = mean_is_nonnegative(m, pair[0], 0) && mean_is_nonnegative(m, pair[1], 0);
    mean_order_pair(m, pair);
    for (unsigned i = 0; i < 2; i++)
        text[i] = mean_print_signed_operand(p, pair[i], is_unsigned, wide ? 64 : 32, !is_unsigned && alike);
    return mean_piece(m, PREC_PRIMARY, "%s(%s, %s)", n->kind == UOP_MIN_S || n->kind == UOP_MIN_U ? "min" : "max",
                      text[0], text[1]);
}

/* The high half of x * M shifted right by s is x / d for every 32-bit x when 2^(32+s) <= M * d <= 2^(32+s) + 2^s. */
bool mean_is_unsigned_quotient(const struct mean *m, const struct graph_node *shift, graph_id *x, uint64_t *d)
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

struct mean_text mean_print_shift_right(const struct mean_printer *p, const struct graph_node *n)
{
    struct mean *m = p->m;
    uint64_t by;
    graph_id dividend;
    if (n->kind == UOP_SAR && graph_is_const(m->g, n->arg[1], &by) && by < 63 &&
        mean_is_dividend(m, n->arg[0], (unsigned)by, &dividend))
        return mean_text_quotient(m, dividend, "/", (unsigned)by, p->style, p->depth);
    if (mean_is_unsigned_quotient(m, n, &dividend, &by)) {
        struct mean_text t = mean_print_arg(p, dividend, UOP_B32 | MEAN_AS_UNSIGNED);
        bool as_is = mean_is_unsigned(m, dividend) || mean_is_nonnegative(m, dividend, 0);
        return mean_piece(m, PREC_MUL, "%s%s / %" PRIu64, as_is ? "" : "(unsigned)",
                          mean_operand(m, t, as_is ? PREC_MUL : PREC_UNARY), by);
    }
    struct mean_text value = mean_print_arg(p, n->arg[0], UOP_B32 | (p->as & MEAN_AS_HEX));
    const char *left = mean_operand(m, value, PREC_SHIFT);
    const char *right = mean_operand(m, mean_print_arg(p, n->arg[1], UOP_B32), PREC_ADD);
    enum mean_sign sign = mean_sign_shown(m, n->arg[0]);
    bool plain = mean_is_nonnegative(m, n->arg[0], 0);
    const char *cast = n->type == UOP_B64 ? " long" : "";
    if (n->kind == UOP_SHR && sign != MEAN_SIGN_UNSIGNED && !plain)
        left = mean_piece(m, PREC_UNARY, "(unsigned%s)%s", cast, mean_operand(m, value, PREC_UNARY)).p;
    else if (n->kind == UOP_SAR && sign != MEAN_SIGN_SIGNED && !plain)
        left =
            mean_piece(m, PREC_UNARY, "(%s)%s", n->type == UOP_B64 ? "long" : "int", mean_operand(m, value, PREC_UNARY))
                .p;
    return mean_piece(m, PREC_SHIFT, "%s >> %s", left, right);
}

static struct mean_text cast(const struct mean_printer *p, const char *type, graph_id a, unsigned as)
{
    return mean_piece(p->m, PREC_UNARY, "(%s)%s", type, mean_operand(p->m, mean_print_arg(p, a, as), PREC_UNARY));
}

/* A parameter of `bytes` bytes at the start of the constant word a node reads; NULL: none. */
const struct mean_param *mean_print_small_param(const struct mean *m, graph_id id, unsigned bytes)
{
    const struct mean_param *p = mean_param_of(m, id);
    return p && p->size == bytes && graph_at(m->g, id)->imm == p->constant_offset ? p : NULL;
}

/* A 32-bit integer whose C type would extend with the other sign is cast first. */
static struct mean_text wide_cast(const struct mean_printer *p, const struct graph_node *n, const char *type)
{
    struct mean *m = p->m;
    bool is_signed = n->kind == UOP_SEXT;
    bool agrees = mean_is_nonnegative(m, n->arg[0], 0) ||
                  mean_sign_shown(m, n->arg[0]) == (is_signed ? MEAN_SIGN_SIGNED : MEAN_SIGN_UNSIGNED);
    struct mean_text t = mean_print_arg(p, n->arg[0], UOP_B32 | (is_signed ? 0u : (unsigned)MEAN_AS_UNSIGNED));
    return mean_piece(m, PREC_UNARY, "(%s)%s%s", type,
                      agrees      ? ""
                      : is_signed ? "(int)"
                                  : "(unsigned)",
                      mean_operand(m, t, PREC_UNARY));
}

struct mean_text mean_print_extension(const struct mean_printer *p, const struct graph_node *n)
{
    const struct graph_node *inner = graph_at(p->m->g, n->arg[0]);
    unsigned bits = (unsigned)n->imm;
    const char *type = mean_print_integer_type(bits >= 32 && n->type == UOP_B64 ? 64 : bits, n->kind == UOP_SEXT);
    const struct mean_param *param = mean_param_of(p->m, n->arg[0]);
    const struct mean_param *small =
        bits < 32 && n->type == UOP_B32 ? mean_print_small_param(p->m, n->arg[0], bits / 8) : NULL;
    if (small && !small->type)
        return cast(p, type, n->arg[0], UOP_B32);
    bool wide = n->type == UOP_B64 && bits == 32 && uop_type_bits((enum uop_type)inner->type) == 32;
    if (wide && !(inner->kind == UOP_LOAD && inner->width < 4))
        return wide_cast(p, n, type);
    bool loaded = inner->kind == UOP_LOAD && inner->width * 8u <= bits;
    if (n->type == UOP_B64 && loaded && bits >= 32)
        return cast(p,
                    n->kind == UOP_SEXT                               ? "long"
                    : inner->width < 4 && (inner->flags & UOP_SIGNED) ? "unsigned long)(unsigned"
                                                                      : "unsigned long",
                    n->arg[0], UOP_B32);
    if (loaded && inner->width < 4 && inner->width * 8u == bits) {
        unsigned own = bits == 8 ? UOP_B8 : UOP_B16; /* however the load itself widens it */
        return mean_is_declared(p->m, inner, n->kind == UOP_ZEXT) ? mean_print_arg(p, n->arg[0], own)
                                                                  : cast(p, type, n->arg[0], own);
    }
    bool same = loaded && !(n->kind == UOP_ZEXT && inner->width < 4 && (inner->flags & UOP_SIGNED));
    if (same || (param && param->type && param->size * 8 == bits && bits < 32))
        return mean_print_arg(p, n->arg[0], p->as); /* its own type says so */
    if (!type) {
        char name[32];
        snprintf(name, sizeof name, "%s%u", n->kind == UOP_SEXT ? "sext" : "zext", bits);
        return mean_print_call(p, name, n->arg, 1, UOP_B32);
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

struct mean_text mean_print_conversion(const struct mean_printer *p, const struct graph_node *n)
{
    static const char *const rounds[] = {"_rn", "_rd", "_ru", "_rz", "_ra"};
    static const char *const integral[] = {"rint", "floor", "ceil", "trunc", "round"};
    bool is_signed = n->flags & UOP_SIGNED;
    char name[48];
    switch (n->kind) {
    case UOP_FROUND: return mean_print_call(p, integral[n->round % 5], n->arg, 1, n->type);
    case UOP_F2F:
        if (n->round == UOP_RN)
            return cast(p, float_type(n->type), n->arg[0], (unsigned)n->imm & MEAN_AS_TYPE);
        snprintf(name, sizeof name, "%s%s", float_type(n->type), rounds[n->round % 5]);
        return mean_print_call(p, name, n->arg, 1, (unsigned)n->imm & MEAN_AS_TYPE);
    case UOP_I2F:
        if (n->round == UOP_RN) {
            bool whole = n->imm >= uop_type_bits((enum uop_type)graph_at(p->m->g, n->arg[0])->type);
            const struct graph_node *from = graph_at(p->m->g, n->arg[0]);
            whole |= (from->kind == UOP_LOAD && from->width * 8u < n->imm) ||
                     (from->kind == UOP_SEXT && is_signed && from->imm <= n->imm);
            bool as_written =
                whole && (mean_sign_shown(p->m, n->arg[0]) == (is_signed ? MEAN_SIGN_SIGNED : MEAN_SIGN_UNSIGNED) ||
                          mean_is_nonnegative(p->m, n->arg[0], 0));
            if (as_written)
                return cast(p, float_type(n->type), n->arg[0], UOP_B32);
            const char *type = mean_print_integer_type((unsigned)n->imm, is_signed);
            struct mean_text inner = cast(p,
                                          type        ? type
                                          : is_signed ? "int"
                                                      : "unsigned",
                                          n->arg[0], UOP_B32 | (is_signed ? 0u : (unsigned)MEAN_AS_UNSIGNED));
            return mean_piece(p->m, PREC_UNARY, "(%s)%s", float_type(n->type), inner.p);
        }
        snprintf(name, sizeof name, "%s%s", float_type(n->type), rounds[n->round % 5]);
        return mean_print_call(p, name, n->arg, 1, UOP_B32);
    default: { /* F2I: C's cast cuts towards zero */
        const char *type = mean_print_integer_type(uop_type_bits((enum uop_type)n->type), is_signed);
        if (n->round == UOP_RZ && type)
            return cast(p, type, n->arg[0], (unsigned)n->imm & MEAN_AS_TYPE);
        snprintf(name, sizeof name, "%s%s", is_signed ? "int" : "uint", rounds[n->round % 5]);
        return mean_print_call(p, name, n->arg, 1, (unsigned)n->imm & MEAN_AS_TYPE);
    }
    }
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
static bool high_product(const struct mean_printer *p, const struct graph_node *n, struct mean_text *out)
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
            mean_order_pair(p->m, args);
            *out = mean_print_call(p, is_signed ? "mulhi" : "umulhi", args, 2,
                                   UOP_B32 | (is_signed ? 0u : (unsigned)MEAN_AS_UNSIGNED));
            return true;
        }
    return false;
}

/* lo/hi of a shifted pair is a funnel shift; else "lo(x)". */
struct mean_text mean_print_half_text(const struct mean_printer *p, const struct graph_node *n)
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
            return mean_print_call(p, "funnelshift_l", (graph_id[]){pair.arg[0], pair.arg[1], by}, 3, UOP_B32);
        }
        struct mean_text other = mean_print_arg(p, shift->arg[0], UOP_B64);
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
        return mean_print_arg(p, n->arg[0], bits ? (unsigned)UOP_B16 : p->as);
    }
    bool right = n->kind == UOP_LO && (shift->kind == UOP_SHR || shift->kind == UOP_SAR);
    if (right || (n->kind == UOP_HI && shift->kind == UOP_SHL)) {
        const struct graph_node *pair = graph_at(p->m->g, shift->arg[0]);
        if (pair->kind == UOP_PAIR) {
            graph_id args[3] = {pair->arg[0], pair->arg[1], shift->arg[1]};
            return mean_print_call(p, right ? "funnelshift_r" : "funnelshift_l", args, 3, UOP_B32);
        }
    }
    return mean_print_call(p, n->kind == UOP_LO ? "lo" : "hi", n->arg, 1, UOP_VOID);
}

/* Two words, two packed floats, two packed integers. */
struct mean_text mean_print_pair_text(const struct mean_printer *p, const struct graph_node *n)
{
    const struct graph_node *low = graph_at(p->m->g, n->arg[0]), *high = graph_at(p->m->g, n->arg[1]);
    const struct graph_node *load = low->kind == UOP_ELEMENT ? graph_at(p->m->g, low->arg[0]) : NULL;
    struct graph_affine f;
    uint64_t low_bits;
    if (load && load->kind == UOP_LOAD && high->kind == UOP_ELEMENT && high->arg[0] == low->arg[0] &&
        high->imm == low->imm + 1 && low->imm % 2 == 0) {
        int at = mean_array_of(p->m, load->arg[0], (enum uop_space)load->space, &f);
        const struct mean_array *array = at < 0 ? NULL : &p->m->work->arrays[at];
        if (array && array->bytes == 8u * array->lanes) /* a 64-bit element of a wide load */
            return mean_text_element(p->m, load->arg[0], (enum uop_space)load->space, load->width,
                                     (struct mean_part){4 * (unsigned)low->imm, 8, false, false}, false, p->style,
                                     p->depth);
    }
    enum mean_kind of[2] = {mean_kind_made(p->m, n->arg[0], 0), mean_kind_made(p->m, n->arg[1], 0)};
    bool brain = of[0] == KIND_BF16 || of[1] == KIND_BF16;
    bool floats = n->type == UOP_B32 && (mean_kind_is_float(of[0]) || mean_kind_is_float(of[1]));
    if (n->type == UOP_B32 && (p->as & MEAN_AS_TYPE) == UOP_F32 && graph_is_const(p->m->g, n->arg[0], &low_bits) &&
        !low_bits) { /* the upper half of a float: a bfloat16, widened */
        struct mean_text upper = mean_print_arg(p, n->arg[1], UOP_BF16);
        return mean_piece(p->m, PREC_UNARY, "(float)%s", mean_operand(p->m, upper, PREC_UNARY));
    }
    return mean_print_call(p,
                           !floats ? "pair"
                           : brain ? "bfloat162"
                                   : "half2",
                           n->arg, 2,
                           !floats ? (unsigned)UOP_VOID
                           : brain ? UOP_BF16
                                   : UOP_F16);
}

/* C-like counts: clz(0) is 32 and ffs(0) is 0, as the operation's -1 wants it. */
struct mean_text mean_print_highest_bit(const struct mean_printer *p, const struct graph_node *n)
{
    const struct graph_node *inner = graph_at(p->m->g, n->arg[0]);
    uint32_t at;
    bool wide = n->type != UOP_B32 || (n->flags & UOP_SIGNED);
    bool has_id = !(p->style & MEAN_EXPANDED) && map_u64_get(&p->m->value_of, n->arg[0], &at);
    if (!wide && n->imm == 0)
        return mean_piece(p->m, PREC_ADD, "31 - %s",
                          mean_print_call(p, "clz", n->arg, 1, UOP_B32 | MEAN_AS_UNSIGNED).p);
    if (!wide && inner->kind == UOP_BREV && !has_id)
        return mean_piece(p->m, PREC_ADD, "%s - 1",
                          mean_print_call(p, "ffs", inner->arg, 1, UOP_B32 | MEAN_AS_UNSIGNED).p);
    char name[32];
    snprintf(name, sizeof name, "bfind%s%s", n->imm & 1 ? "_shiftamt" : "", n->flags & UOP_SIGNED ? "_signed" : "");
    return mean_print_call(p, name, n->arg, 1, UOP_B32);
}

/* Operands are cast where C would divide with the other sign. */
struct mean_text mean_print_integer_division(const struct mean_printer *p, const struct graph_node *n, bool natural,
                                             unsigned as)
{
    struct mean *m = p->m;
    bool alike = mean_is_nonnegative(m, n->arg[0], 0) && mean_is_nonnegative(m, n->arg[1], 0);
    enum mean_sign shown[2] = {mean_sign_shown(m, n->arg[0]), mean_sign_shown(m, n->arg[1])};
    const char *type = mean_print_integer_type(uop_type_bits((enum uop_type)n->type), !natural), *text[2];
    for (unsigned i = 0; i < 2; i++) {
        bool turns = natural ? i == 0 && shown[0] != MEAN_SIGN_UNSIGNED && shown[1] != MEAN_SIGN_UNSIGNED
                             : shown[i] != MEAN_SIGN_SIGNED && !graph_is_const(m->g, n->arg[i], NULL);
        struct mean_text t = mean_print_arg(p, n->arg[i], as);
        if (turns && !alike && type)
            t = mean_piece(m, PREC_UNARY, "(%s)%s", type, mean_operand(m, t, PREC_UNARY));
        text[i] = mean_operand(m, t, i ? PREC_UNARY : PREC_MUL);
    }
    return mean_piece(m, PREC_MUL, "%s %s %s", text[0], n->imm >= GRAPH_REM_S ? "%" : "/", text[1]);
}
