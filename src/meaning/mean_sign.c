/* Which sign C gives the text of a value: what a reader takes "a + b" for hangs on the words it is made of, and one
 * unsigned operand makes the whole unsigned. Where the words leave it open ("hi(x)", a long sum) it is not known, and
 * whoever needs a sign casts.
 * requires: kinds of nodes · gives: mean_sign_shown */
#include "meaning/mean_internal.h"

#include "graph/graph_cycle.h"

enum { SIGN_STEPS = 200, SIGN_DEPTH = 24 };

static enum mean_sign sign_of(struct mean *m, graph_id id, bool hex, unsigned *steps, unsigned depth);

/* As C's usual conversions: unsigned wins. */
static enum mean_sign either(enum mean_sign a, enum mean_sign b)
{
    if (a == MEAN_SIGN_UNSIGNED || b == MEAN_SIGN_UNSIGNED)
        return MEAN_SIGN_UNSIGNED;
    return a == MEAN_SIGN_OPEN ? a : b;
}

static enum mean_sign sign_of_kind(enum mean_kind kind)
{
    return mean_kind_is_unsigned(kind) ? MEAN_SIGN_UNSIGNED : MEAN_SIGN_SIGNED;
}

static enum mean_sign sign_of_args(struct mean *m, const struct graph_node *n, unsigned from, unsigned to, bool hex,
                                   unsigned *steps, unsigned depth)
{
    enum mean_sign sign = MEAN_SIGN_SIGNED;
    for (unsigned i = from; i < to && sign != MEAN_SIGN_UNSIGNED; i++)
        sign = either(sign, sign_of(m, n->arg[i], hex, steps, depth + 1));
    return sign;
}

/* A half that is no element: "mulhi" and "umulhi" have a sign, "hi(x)" and "lo(x)" have what the reader thinks. */
static enum mean_sign sign_of_half(const struct mean *m, const struct graph_node *n)
{
    const struct graph_node *whole = graph_at(m->g, n->arg[0]);
    if (n->kind != UOP_HI || whole->kind != UOP_MUL || map_u64_get(&m->value_of, n->arg[0], NULL))
        return MEAN_SIGN_OPEN;
    const struct graph_node *a = graph_at(m->g, whole->arg[0]), *b = graph_at(m->g, whole->arg[1]);
    bool is_signed =
        a->kind == UOP_SEXT && a->imm == 32 &&
        (b->kind == UOP_SEXT ? b->imm == 32
                             : b->kind == UOP_CONST && (int64_t)b->imm >= INT32_MIN && (int64_t)b->imm <= INT32_MAX);
    bool natural = a->kind == UOP_ZEXT && a->imm == 32 &&
                   (b->kind == UOP_ZEXT ? b->imm == 32 : b->kind == UOP_CONST && b->imm <= UINT32_MAX);
    return is_signed ? MEAN_SIGN_SIGNED : natural ? MEAN_SIGN_UNSIGNED : MEAN_SIGN_OPEN;
}

/* The terms as they stand in the text: what cancels does not count, a remainder is an int. */
static enum mean_sign sign_of_sum(struct mean *m, graph_id id, unsigned *steps, unsigned depth)
{
    const struct graph_node *n = graph_at(m->g, id);
    struct mean_sum sum;
    if (!mean_sum_shown(m, id, MEAN_INNER, &sum))
        return sign_of_args(m, n, 0, n->kind == UOP_NEG || n->kind == UOP_SHL ? 1 : 2, false, steps, depth);
    mean_sum_rests(m, &sum);
    enum mean_sign sign = sum.offset == INT32_MIN ? MEAN_SIGN_UNSIGNED : MEAN_SIGN_SIGNED;
    for (unsigned i = 0; i < sum.count && sign != MEAN_SIGN_UNSIGNED; i++)
        if (sum.terms[i].coefficient != 0 && !sum.terms[i].call)
            sign = either(sign, sign_of(m, sum.terms[i].node, false, steps, depth + 1));
    return sign;
}

static enum mean_sign sign_of_operation(struct mean *m, graph_id id, bool hex, unsigned *steps, unsigned depth)
{
    const struct graph_node *n = graph_at(m->g, id);
    unsigned width = uop_type_bits((enum uop_type)n->type);
    switch (n->kind) {
    case UOP_CONST:
        return mean_literal_is_unsigned(n->imm, width, hex ? MEAN_AS_HEX : 0u) ? MEAN_SIGN_UNSIGNED : MEAN_SIGN_SIGNED;
    case UOP_AND: {
        unsigned shift;
        graph_id dividend; /* "x / 32 * 32" */
        return mean_is_rounded(m, id, &shift, &dividend) ? MEAN_SIGN_SIGNED
                                                         : sign_of_args(m, n, 0, 2, true, steps, depth);
    }
    case UOP_OR:
    case UOP_XOR:
    case UOP_LOP3: return sign_of_args(m, n, 0, n->arg_count, true, steps, depth);
    case UOP_ADD:
    case UOP_MUL:
    case UOP_NEG: return sign_of_sum(m, id, steps, depth);
    case UOP_NOT: return sign_of_args(m, n, 0, 1, true, steps, depth);
    case UOP_SHL:
    case UOP_SHFL:
    case UOP_UNIFORM:
    case UOP_REDUX: return n->type == UOP_F32 ? MEAN_SIGN_SIGNED : sign_of_args(m, n, 0, 1, false, steps, depth);
    case UOP_SELECT: return sign_of_args(m, n, 1, 3, false, steps, depth);
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U: { /* operands that cannot be negative stand as they are */
        bool is_unsigned = n->kind == UOP_MIN_U || n->kind == UOP_MAX_U;
        bool plain[2] = {mean_is_nonnegative(m, n->arg[0], 0), mean_is_nonnegative(m, n->arg[1], 0)};
        if (plain[0] && plain[1])
            return sign_of_args(m, n, 0, 2, false, steps, depth);
        return is_unsigned ? MEAN_SIGN_UNSIGNED : MEAN_SIGN_SIGNED;
    }
    case GRAPH_REAL: { /* "x / n": cast to the operation's sign, unless neither can be negative */
        if (n->imm < GRAPH_DIV || n->imm >= GRAPH_FUNCTIONS || (n->type != UOP_B32 && n->type != UOP_B64))
            return sign_of_kind(mean_kind_made(m, id, 0));
        bool alike = mean_is_nonnegative(m, n->arg[0], 0) && mean_is_nonnegative(m, n->arg[1], 0);
        bool natural = n->imm == GRAPH_DIV_U || n->imm == GRAPH_REM_U;
        return alike ? sign_of_args(m, n, 0, 2, false, steps, depth) : natural ? MEAN_SIGN_UNSIGNED : MEAN_SIGN_SIGNED;
    }
    case UOP_SHR: {
        graph_id dividend;
        uint64_t divisor; /* "x / 10", of a dividend that cannot be negative as it is */
        if (mean_is_unsigned_quotient(m, n, &dividend, &divisor))
            return mean_is_nonnegative(m, dividend, 0) ? sign_of(m, dividend, false, steps, depth + 1)
                                                       : MEAN_SIGN_UNSIGNED;
        enum mean_sign sign = sign_of_args(m, n, 0, 1, false, steps, depth);
        return sign == MEAN_SIGN_UNSIGNED || !mean_is_nonnegative(m, n->arg[0], 0) ? MEAN_SIGN_UNSIGNED : sign;
    }
    case UOP_SAR: /* cast, unless it cannot be negative */
        return mean_is_nonnegative(m, n->arg[0], 0) ? sign_of_args(m, n, 0, 1, false, steps, depth) : MEAN_SIGN_SIGNED;
    case UOP_ZEXT: /* a byte or a half word becomes an int in C */
        return n->imm < 32 && n->type == UOP_B32 ? MEAN_SIGN_SIGNED : MEAN_SIGN_UNSIGNED;
    case UOP_LO:
    case UOP_HI: return mean_half_is_element(m, n) ? sign_of_kind(mean_kind_made(m, id, 0)) : sign_of_half(m, n);
    case UOP_LOAD:
        return n->width < 4 && n->type == UOP_B32 ? MEAN_SIGN_SIGNED : sign_of_kind(mean_kind_made(m, id, 0));
    case UOP_SREG: /* an int in what is told of threads, an unsigned number to the compiler */
    case UOP_BFE:
    case UOP_PRMT:
    case UOP_BMSK:
    case UOP_BREV:
    case UOP_POPC:
    case UOP_BALLOT:
    case UOP_BAR_GIVES:
    case UOP_MATCH:
    case UOP_ADDC:
    case UOP_PAIR: return MEAN_SIGN_OPEN;
    default: return sign_of_kind(mean_kind_made(m, id, 0));
    }
}

/* Under its id a value is a variable of its own type; written out it has the type of its words: where both are not the
 * same it is left open. */
static enum mean_sign sign_of(struct mean *m, graph_id id, bool hex, unsigned *steps, unsigned depth)
{
    if (depth > SIGN_DEPTH || ++*steps > SIGN_STEPS)
        return MEAN_SIGN_OPEN;
    if (graph_reads(m->g, id) != GRAPH_NIL)
        return sign_of(m, graph_reads(m->g, id), hex, steps, depth + 1);
    uint32_t name; /* has the type that names[] tells */
    if (map_u64_get(&m->name_of, id, &name))
        return m->names.p[name].type[0] == 'u' ? MEAN_SIGN_UNSIGNED : MEAN_SIGN_SIGNED;
    const struct graph_cycles *cycles = m->g->cycles; /* what is told over the loop's counter */
    if (cycles && cycles->turn_of && id < cycles->copy_count && cycles->turn_of[id] != GRAPH_NIL)
        return sign_of(m, cycles->turn_of[id], hex, steps, depth + 1);
    const struct graph_node *n = graph_at(m->g, id);
    enum mean_sign sign = sign_of_operation(m, id, hex, steps, depth);
    bool element = n->kind == UOP_LOAD || n->kind == UOP_ELEMENT ||
                   ((n->kind == UOP_LO || n->kind == UOP_HI) && graph_at(m->g, n->arg[0])->kind == UOP_LOAD);
    if (element || !map_u64_get(&m->value_of, id, NULL))
        return sign;
    return sign == sign_of_kind(mean_kind_of(m, id)) ? sign : MEAN_SIGN_OPEN;
}

enum mean_sign mean_sign_shown(struct mean *m, graph_id id)
{
    unsigned steps = 0;
    return sign_of(m, id, false, &steps, 0);
}

bool mean_is_unsigned(struct mean *m, graph_id id)
{
    return mean_sign_shown(m, id) == MEAN_SIGN_UNSIGNED;
}
