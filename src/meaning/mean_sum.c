/* Integer sums: how the graph associates additions says nothing to a reader, so a sum is taken
 * apart into coefficient * term pairs and a constant and shown in one fixed order: products first,
 * then plain terms, what is subtracted, the constant last ("j * w + i", "4 * i + 2", "n - i - 1").
 * Exact: the value is the same modulo 2^32 or 2^64. Named nodes and values with ids are terms,
 * never taken apart. */
#include "meaning/mean_internal.h"

#include "base/bits.h"
#include "base/str.h"

#include <inttypes.h>
#include <string.h>

enum { SUM_DEPTH = 24, SUM_TERMS = 16, SUM_STEPS = 64, SHIFT_FROM = 256, SHIFT_TERM_FROM = 65536 };

static bool has_word(const struct mean *m, graph_id id)
{
    uint32_t at;
    return map_u64_get(&m->name_of, id, &at) || map_u64_get(&m->value_of, id, &at) ||
           map_u64_get(&m->work->low_of, id, &at);
}

bool mean_sum_term(struct mean_sum *sum, graph_id id, int64_t coefficient)
{
    for (unsigned i = 0; i < sum->count; i++)
        if (sum->terms[i].node == id) {
            sum->terms[i].coefficient = (int64_t)((uint64_t)sum->terms[i].coefficient + (uint64_t)coefficient);
            return true;
        }
    if (sum->count == SUM_TERMS)
        return false;
    sum->terms[sum->count].node = id;
    sum->terms[sum->count].call = SUM_NODE;
    sum->terms[sum->count++].coefficient = coefficient;
    return true;
}

bool mean_sum_add(const struct mean *m, struct mean_sum *sum, graph_id id, int64_t coefficient, bool top,
                  unsigned depth)
{
    const struct graph_node *n = graph_at(m->g, id);
    unsigned width = uop_type_bits((enum uop_type)n->type);
    uint64_t k;
    if (depth > SUM_DEPTH || sum->steps++ > SUM_STEPS ||
        (!top && (has_word(m, id) || graph_reads(m->g, id) != GRAPH_NIL)))
        return mean_sum_term(sum, id, coefficient);
    switch (n->kind) {
    case UOP_CONST: {
        uint64_t product = (uint64_t)bits_sign_extend(n->imm, width) * (uint64_t)coefficient;
        sum->offset = (int64_t)((uint64_t)sum->offset + product);
        return true;
    }
    case UOP_ADD:
        return mean_sum_add(m, sum, n->arg[0], coefficient, false, depth + 1) &&
               mean_sum_add(m, sum, n->arg[1], coefficient, false, depth + 1);
    case UOP_NOT: /* ~x is -x - 1; alone it stays as it is */
        if (top || width < 32)
            break;
        sum->offset = (int64_t)((uint64_t)sum->offset - (uint64_t)coefficient);
        return mean_sum_add(m, sum, n->arg[0], (int64_t)(0 - (uint64_t)coefficient), false, depth + 1);
    case UOP_NEG: return mean_sum_add(m, sum, n->arg[0], (int64_t)(0 - (uint64_t)coefficient), false, depth + 1);
    case UOP_MUL:
        for (int side = 0; side < 2; side++)
            if (graph_is_const(m->g, n->arg[side], &k)) {
                uint64_t product = (uint64_t)bits_sign_extend(k, width) * (uint64_t)coefficient;
                return mean_sum_add(m, sum, n->arg[!side], (int64_t)product, false, depth + 1);
            }
        break;
    case UOP_SHL:
        if (graph_is_const(m->g, n->arg[1], &k) && k < width && k < 63)
            return mean_sum_add(m, sum, n->arg[0], (int64_t)((uint64_t)coefficient << k), false, depth + 1);
        break;
    default: break;
    }
    return mean_sum_term(sum, id, coefficient);
}

void mean_sum_fold(const struct mean *m, struct mean_sum *sum, graph_id except)
{
    for (uint32_t i = 0; i < m->work->linear_count && m->work->linear; i++) {
        const struct mean_linear *l = &m->work->linear[i];
        unsigned block = SUM_TERMS, thread = SUM_TERMS;
        for (unsigned k = 0; k < sum->count && m->names.p[i].node != except; k++) {
            if (sum->terms[k].node == l->block)
                block = k;
            if (sum->terms[k].node == l->thread || sum->terms[k].node == l->thread32)
                thread = k;
        }
        if (block == SUM_TERMS || thread == SUM_TERMS ||
            sum->terms[block].coefficient != sum->terms[thread].coefficient * l->factor)
            continue;
        int64_t coefficient = sum->terms[thread].coefficient;
        unsigned later = block > thread ? block : thread, sooner = block + thread - later;
        sum->terms[later] = sum->terms[--sum->count];
        sum->terms[sooner] = sum->terms[--sum->count];
        mean_sum_term(sum, m->names.p[i].node, coefficient);
    }
}

static bool is_product(const struct mean *m, graph_id id)
{
    return graph_at(m->g, id)->kind == UOP_MUL && !has_word(m, id);
}

/* In sums indices come first, what is computed after them: "threadIdx.x + (blockDim.x >> 1)". */
static unsigned term_rank(const struct mean *m, graph_id id)
{
    const struct graph_node *n = graph_at(m->g, id);
    if ((n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && !has_word(m, id))
        return term_rank(m, n->arg[0]);
    uint32_t at;
    if (map_u64_get(&m->name_of, id, &at))
        return at < m->work->linear_count ? 0 : 2;
    return n->kind == UOP_SREG ? 1 : 3;
}

/* Order of terms: added before subtracted, products before plain ones, then as all commutative
 * operands. */
static int term_order(const struct mean *m, const struct mean_sum *sum, unsigned a, unsigned b)
{
    int64_t ca = sum->terms[a].coefficient, cb = sum->terms[b].coefficient;
    if ((ca < 0) != (cb < 0))
        return ca < 0 ? 1 : -1;
    bool pa = (ca != 1 && ca != -1) || is_product(m, sum->terms[a].node);
    bool pb = (cb != 1 && cb != -1) || is_product(m, sum->terms[b].node);
    if (pa != pb)
        return pa ? -1 : 1;
    unsigned ra = term_rank(m, sum->terms[a].node), rb = term_rank(m, sum->terms[b].node);
    if (ra != rb)
        return ra < rb ? -1 : 1;
    return mean_display_order(m, sum->terms[a].node, sum->terms[b].node);
}

/* A product behind "*": as it is, but for one that divides on the way: "8 * (x / 3 * y)". */
static const char *factor_text(struct mean *m, struct mean_text t, bool product)
{
    int depth = 0;
    for (const char *p = t.p; *p && product && !t.cut; p++) {
        depth += *p == '(' || *p == '[' ? 1 : *p == ')' || *p == ']' ? -1 : 0;
        product &= depth != 0 || p[0] != ' ' || (p[1] != '/' && p[1] != '%');
    }
    return mean_operand(m, t, product ? PREC_MUL : PREC_UNARY);
}

/* "a * b * c" for nested products of what is not constant. */
static struct mean_text product_text(struct mean *m, graph_id id, unsigned style, unsigned depth)
{
    const struct graph_node *n = graph_at(m->g, id);
    graph_id a = n->arg[0], b = n->arg[1];
    if (mean_display_order(m, a, b) > 0) {
        graph_id t = a;
        a = b;
        b = t;
    }
    const char *left = mean_operand(m, mean_text_of(m, a, UOP_B32, style, depth + 1), PREC_MUL);
    /* Integer products associate: a right operand that is a product itself needs no parentheses;
     * shifts and others do. */
    const char *right = factor_text(m, mean_text_of(m, b, UOP_B32, style, depth + 1), is_product(m, b));
    return mean_piece(m, PREC_MUL, "%s * %s", left, right);
}

bool mean_is_dividend(const struct mean *m, graph_id id, unsigned shift, graph_id *x)
{
    const struct graph_node *n = graph_at(m->g, id);
    unsigned width = uop_type_bits((enum uop_type)n->type);
    struct mean_sum sum = {.count = 0};
    uint64_t k;
    if (n->kind != UOP_ADD || shift == 0 || shift >= width || !mean_sum_add(m, &sum, id, 1, true, 0))
        return false;
    for (unsigned i = 0; i < sum.count; i++) {
        const struct graph_node *bias = graph_at(m->g, sum.terms[i].node);
        if (bias->kind != UOP_SHR || !graph_is_const(m->g, bias->arg[1], &k) || k != width - shift)
            continue;
        const struct graph_node *sign = graph_at(m->g, bias->arg[0]);
        bool smeared = sign->kind == UOP_SAR && graph_is_const(m->g, sign->arg[1], &k) && k == width - 1;
        if (!smeared && shift != 1)
            continue;
        *x = smeared ? sign->arg[0] : bias->arg[0]; /* the sign bit alone is the bias of a half */
        sum.steps = 0;
        if (sum.terms[i].coefficient != 1 || !mean_sum_add(m, &sum, *x, -1, true, 0))
            return false;
        bool nothing = sum.offset == 0;
        for (unsigned t = 0; t < sum.count; t++)
            nothing &= sum.terms[t].coefficient == (t == i);
        return nothing;
    }
    return false;
}

bool mean_is_rounded(const struct mean *m, graph_id id, unsigned *shift, graph_id *x)
{
    const struct graph_node *n = graph_at(m->g, id);
    unsigned width = uop_type_bits((enum uop_type)n->type);
    uint64_t mask;
    if (n->kind != UOP_AND || (width != 32 && width != 64) || !graph_is_const(m->g, n->arg[1], &mask) || mask == 0)
        return false;
    *shift = (unsigned)__builtin_ctzll(mask);
    uint64_t all = width == 64 ? ~UINT64_C(0) : UINT32_MAX;
    return mask == (all << *shift & all) && mean_is_dividend(m, n->arg[0], *shift, x);
}

struct mean_text mean_text_quotient(struct mean *m, graph_id x, const char *op, unsigned shift, unsigned style,
                                    unsigned depth)
{
    struct mean_text t = mean_text_of(m, x, UOP_B32, style, depth + 1);
    bool wide = graph_at(m->g, x)->type == UOP_B64;
    const char *left =
        mean_sign_shown(m, x) != MEAN_SIGN_SIGNED
            ? mean_piece(m, PREC_UNARY, "(%s)%s", wide ? "long" : "int", mean_operand(m, t, PREC_UNARY)).p
            : mean_operand(m, t, PREC_MUL);
    return mean_piece(m, PREC_MUL, "%s %s %" PRIu64, left, op, UINT64_C(1) << shift);
}

/* x - x / 32 * 32 is what is left: x % 32. */
void mean_sum_rests(const struct mean *m, struct mean_sum *sum)
{
    for (unsigned i = 0; i < sum->count; i++) {
        unsigned shift;
        graph_id x;
        if (!mean_is_rounded(m, sum->terms[i].node, &shift, &x) || shift > 62)
            continue;
        for (unsigned k = 0; k < sum->count; k++)
            if (sum->terms[k].node == x && !sum->terms[k].call &&
                sum->terms[k].coefficient == -sum->terms[i].coefficient) {
                sum->terms[i].call = SUM_REST;
                sum->terms[i].coefficient = sum->terms[k].coefficient;
                sum->terms[k] = sum->terms[--sum->count];
                i = sum->count; /* one is enough: the places of the others changed */
                break;
            }
    }
}

/* Counts of leading zeros read better than the index of the highest bit: 31 - clz(x), ffs(x) - 1. */
static void count_bits(const struct mean *m, struct mean_sum *sum, unsigned style)
{
    uint32_t at;
    for (unsigned i = 0; i < sum->count; i++) {
        const struct graph_node *n = graph_at(m->g, sum->terms[i].node);
        uint64_t c = (uint64_t)sum->terms[i].coefficient;
        bool named = has_word(m, sum->terms[i].node) && !(style & MEAN_EXPANDED);
        if (n->kind != UOP_FLO || n->type != UOP_B32 || (n->flags & UOP_SIGNED) || named)
            continue;
        if (n->imm == 0) {
            sum->terms[i].call = SUM_CLZ;
            sum->terms[i].coefficient = (int64_t)(0 - c);
            sum->offset = (int64_t)((uint64_t)sum->offset + 31 * c);
        } else if (graph_at(m->g, n->arg[0])->kind == UOP_BREV &&
                   ((style & MEAN_EXPANDED) || !map_u64_get(&m->value_of, n->arg[0], &at))) {
            sum->terms[i].call = SUM_FFS;
            sum->offset = (int64_t)((uint64_t)sum->offset - c);
        }
    }
}

static struct mean_text counted_text(struct mean *m, graph_id id, unsigned call, unsigned style, unsigned depth)
{
    graph_id of = graph_at(m->g, id)->arg[0];
    unsigned shift;
    if (call == SUM_REST && mean_is_rounded(m, id, &shift, &of))
        return mean_text_quotient(m, of, "%", shift, style, depth);
    if (call == SUM_FFS)
        of = graph_at(m->g, of)->arg[0];
    struct mean_text t = mean_text_of(m, of, UOP_B32 | MEAN_AS_UNSIGNED, style, depth + 1);
    return mean_piece(m, PREC_PRIMARY, "%s(%s)", call == SUM_CLZ ? "clz" : "ffs", mean_operand(m, t, PREC_TERNARY));
}

static struct mean_text term_text(struct mean *m, graph_id id, unsigned call, uint64_t coefficient, bool nested,
                                  unsigned style, unsigned depth)
{
    struct mean_text t = call                          ? counted_text(m, id, call, style, depth)
                         : is_product(m, id) && nested ? product_text(m, id, style, depth)
                                                       : mean_text_of(m, id, UOP_B32, style, depth + 1);
    const struct mean_param *p = nested ? mean_param_of(m, id) : NULL;
    if (coefficient == 1 && p && graph_at(m->g, id)->type == UOP_B64 && p->size == 8 && mean_is_pointer(m, id))
        return mean_piece(m, PREC_UNARY, "(char *)%s", t.p); /* C would scale what is added to it */
    if (coefficient == 1)
        return t;
    const struct graph_node *n = graph_at(m->g, id);
    if (n->type == UOP_B64 && (n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && n->imm < 32 && !has_word(m, id) &&
        coefficient > INT16_MAX) /* the product of two ints would not hold it */
        t = mean_piece(m, PREC_UNARY, "(long)%s", mean_operand(m, t, PREC_UNARY));
    if (coefficient >= SHIFT_TERM_FROM && (coefficient & (coefficient - 1)) == 0)
        return mean_piece(m, PREC_SHIFT, "%s << %d", mean_operand(m, t, PREC_SHIFT), __builtin_ctzll(coefficient));
    return mean_piece(m, PREC_MUL, "%" PRIu64 " * %s", coefficient, factor_text(m, t, is_product(m, id)));
}

/* Sorts in place; at most 16 terms. */
static void sort_terms(const struct mean *m, struct mean_sum *sum)
{
    for (unsigned i = 1; i < sum->count; i++)
        for (unsigned k = i; k > 0 && term_order(m, sum, k - 1, k) > 0; k--) {
            graph_id node = sum->terms[k].node;
            int64_t coefficient = sum->terms[k].coefficient;
            uint8_t call = sum->terms[k].call;
            sum->terms[k] = sum->terms[k - 1];
            sum->terms[k - 1].node = node;
            sum->terms[k - 1].coefficient = coefficient;
            sum->terms[k - 1].call = call;
        }
}

struct mean_text mean_text_terms(struct mean *m, struct mean_sum *sum, unsigned style, unsigned depth)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < sum->count; i++)
        if (sum->terms[i].coefficient != 0)
            sum->terms[kept++] = sum->terms[i];
    sum->count = kept;
    mean_sum_rests(m, sum);
    sort_terms(m, sum);
    if (sum->count == 0)
        return mean_piece(m, sum->offset < 0 ? PREC_UNARY : PREC_PRIMARY, "%" PRId64, sum->offset);
    bool offset_first = sum->terms[0].coefficient < 0 && sum->offset > 0;
    if (sum->count == 1 && sum->offset == 0 && sum->terms[0].coefficient > 0)
        return term_text(m, sum->terms[0].node, sum->terms[0].call, (uint64_t)sum->terms[0].coefficient, false, style,
                         depth);
    struct strbuf b;
    str_init(&b, m->a);
    unsigned parts = 0;
    if (offset_first) {
        str_addf(&b, "%" PRId64, sum->offset);
        parts++;
    }
    for (unsigned i = 0; i < sum->count; i++) {
        int64_t c = sum->terms[i].coefficient;
        uint64_t magnitude = c < 0 ? 0 - (uint64_t)c : (uint64_t)c;
        struct mean_text t = term_text(m, sum->terms[i].node, sum->terms[i].call, magnitude, true, style, depth);
        if (parts == 0 && c < 0)
            str_addf(&b, "-%s", mean_operand(m, t, is_product(m, sum->terms[i].node) ? PREC_MUL : PREC_UNARY));
        else
            str_addf(&b, "%s%s",
                     parts == 0 ? ""
                     : c < 0    ? " - "
                                : " + ",
                     mean_operand(m, t, c < 0 ? PREC_MUL : PREC_ADD));
        parts++;
    }
    if (sum->offset != 0 && !offset_first) {
        uint64_t magnitude = sum->offset < 0 ? 0 - (uint64_t)sum->offset : (uint64_t)sum->offset;
        const char *text = mean_literal(m, magnitude, 64, UOP_B64 | MEAN_AS_UNSIGNED);
        if (sum->offset == INT32_MIN) /* 2147483648 would be a long */
            text = "0x80000000";
        str_addf(&b, " %c %s", sum->offset < 0 ? '-' : '+', text);
        parts++;
    }
    bool product = sum->terms[0].coefficient < -1 || is_product(m, sum->terms[0].node);
    enum mean_prec prec = parts > 1 ? PREC_ADD : product ? PREC_MUL : PREC_UNARY;
    return mean_piece(m, prec, "%s", b.p);
}

bool mean_sum_shown(struct mean *m, graph_id id, unsigned style, struct mean_sum *sum)
{
    *sum = (struct mean_sum){.count = 0};
    if (!mean_sum_add(m, sum, id, 1, true, 0) || (sum->count == 1 && sum->terms[0].node == id))
        return false;
    mean_sum_fold(m, sum, id);
    if (uop_type_bits((enum uop_type)graph_at(m->g, id)->type) ==
        32) { /* coefficients count modulo 2^32: show them as signed words */
        for (unsigned i = 0; i < sum->count; i++)
            sum->terms[i].coefficient = (int32_t)(uint32_t)sum->terms[i].coefficient;
        sum->offset = (int32_t)(uint32_t)sum->offset;
        count_bits(m, sum, style);
    }
    return true;
}

struct mean_text mean_text_sum(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth)
{
    struct graph_node n = *graph_at(m->g, id);
    if (n.kind == UOP_MUL && !graph_is_const(m->g, n.arg[0], NULL) && !graph_is_const(m->g, n.arg[1], NULL))
        return product_text(m, id, style, depth);
    struct mean_sum sum;
    if (mean_sum_shown(m, id, style, &sum)) {
        int64_t c = sum.terms[0].coefficient;
        bool power = sum.count == 1 && !sum.terms[0].call && sum.offset == 0 && c > 1 && (c & (c - 1)) == 0;
        if (power && (c >= SHIFT_FROM || (as & MEAN_AS_HEX))) {
            struct mean_text t = mean_text_of(m, sum.terms[0].node, UOP_B32, style, depth + 1);
            return mean_piece(m, PREC_SHIFT, "%s << %d", mean_operand(m, t, PREC_SHIFT), __builtin_ctzll((uint64_t)c));
        }
        return mean_text_terms(m, &sum, style, depth);
    }
    /* Too many terms: one level at a time. */
    const char *left = mean_operand(m, mean_text_of(m, n.arg[0], UOP_B32, style, depth + 1),
                                    n.kind == UOP_NEG   ? PREC_UNARY
                                    : n.kind == UOP_ADD ? PREC_ADD
                                                        : PREC_MUL);
    if (n.kind == UOP_NEG)
        return mean_piece(m, PREC_UNARY, "-%s", left);
    const char *right = mean_operand(m, mean_text_of(m, n.arg[1], UOP_B32, style, depth + 1),
                                     n.kind == UOP_ADD ? PREC_ADD : PREC_UNARY);
    return n.kind == UOP_ADD ? mean_piece(m, PREC_ADD, "%s + %s", left, right)
                             : mean_piece(m, PREC_MUL, "%s * %s", left, right);
}
