/* Making one list of micro-operations: constants fold while it is made, neutral ones disappear by exact rules only, so
 * that the same computation has the same uops however it was spelled.
 *
 * Both readers of instructions work with it: machine code (uop_build.h) and PTX (front/). requires: arguments that are
 * results of the list · gives: indices below the list's length; a refused or out-of-memory list is the caller's. */
#include "uop/uop_make.h"

#include <assert.h>

enum { MAX_LIST = 4096 }; /* no instruction comes near; bounds what a broken one may cost */

static const uint64_t one_bits[] = {
    [UOP_F16] = 0x3c00, [UOP_BF16] = 0x3f80, [UOP_F32] = 0x3f800000, [UOP_F64] = UINT64_C(0x3ff0000000000000)};
static const uint64_t minus_zero[] = {
    [UOP_F16] = 0x8000, [UOP_BF16] = 0x8000, [UOP_F32] = 0x80000000, [UOP_F64] = UINT64_C(0x8000000000000000)};

/* ---- uops ---------------------------------------------------------------------------------------------------- */

uop_ref uop_make_emit(struct uop_maker *m, struct uop op)
{
    if (m->list->ops.n >= MAX_LIST) {
        m->refused = true;
        return 0;
    }
    size_t before = m->list->ops.n;
    VEC_PUSH(m->a, m->list->ops, op);
    if (m->list->ops.n == before) {
        m->no_memory = true;
        return 0;
    }
    return (uop_ref)before;
}

static struct uop blank(enum uop_kind kind, enum uop_type type)
{
    struct uop op = {.kind = (uint8_t)kind, .type = (uint8_t)type};
    for (unsigned i = 0; i < UOP_MAX_ARGS; i++)
        op.arg[i] = UOP_NONE;
    return op;
}

bool uop_make_is_const(const struct uop_maker *m, uop_ref v, uint64_t *bits)
{
    if (v >= m->list->ops.n || m->list->ops.p[v].kind != UOP_CONST)
        return false;
    *bits = m->list->ops.p[v].imm;
    return true;
}

bool uop_make_equals(const struct uop_maker *m, uop_ref v, uint64_t bits)
{
    uint64_t x;
    return uop_make_is_const(m, v, &x) && x == bits;
}

static uint64_t type_mask(enum uop_type type)
{
    unsigned bits = uop_type_bits(type);
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

uop_ref uop_make_const(struct uop_maker *m, enum uop_type type, uint64_t bits)
{
    bits &= type_mask(type);
    for (size_t i = 0; i < m->list->ops.n; i++) {
        const struct uop *o = &m->list->ops.p[i];
        if (o->kind == UOP_CONST && o->imm == bits && uop_type_bits((enum uop_type)o->type) == uop_type_bits(type))
            return (uop_ref)i;
    }
    struct uop op = blank(UOP_CONST, type);
    op.imm = bits;
    return uop_make_emit(m, op);
}

/* `op` with its arguments; a constant when every argument is one and the evaluator knows the kind. */
uop_ref uop_make_full(struct uop_maker *m, struct uop op, uop_ref a, uop_ref b, uop_ref c)
{
    uop_ref in[3] = {a, b, c};
    uint64_t bits[UOP_MAX_ARGS] = {0}, result;
    unsigned count = uop_kind_args((enum uop_kind)op.kind);
    bool constant = uop_is_pure((enum uop_kind)op.kind);
    for (unsigned i = 0; i < UOP_MAX_ARGS; i++)
        op.arg[i] = UOP_NONE;
    for (unsigned i = 0; i < count && i < 3; i++) {
        op.arg[i] = in[i];
        constant = constant && uop_make_is_const(m, in[i], &bits[i]);
    }
    if (constant && uop_eval(&op, bits, &result)) {
        bool is_compare = op.kind >= UOP_IEQ && op.kind <= UOP_FNUM;
        return uop_make_const(m, is_compare || op.kind == UOP_CARRY ? UOP_B1 : (enum uop_type)op.type, result);
    }
    return uop_make_emit(m, op);
}

uop_ref uop_make_imm(struct uop_maker *m, enum uop_kind kind, enum uop_type type, uint64_t imm, uop_ref a, uop_ref b,
                     uop_ref c)
{
    struct uop op = blank(kind, type);
    op.imm = imm;
    return uop_make_full(m, op, a, b, c);
}

uop_ref uop_make_op(struct uop_maker *m, enum uop_kind kind, enum uop_type type, uop_ref a, uop_ref b, uop_ref c)
{
    return uop_make_imm(m, kind, type, 0, a, b, c);
}

uop_ref uop_make_add(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b)
{
    if (uop_make_equals(m, a, 0))
        return b;
    if (uop_make_equals(m, b, 0))
        return a;
    return uop_make_op(m, UOP_ADD, type, a, b, UOP_NONE);
}

uop_ref uop_make_not(struct uop_maker *m, enum uop_type type, uop_ref a)
{
    if (a < m->list->ops.n && m->list->ops.p[a].kind == UOP_NOT && m->list->ops.p[a].type == type)
        return m->list->ops.p[a].arg[0];
    return uop_make_op(m, UOP_NOT, type, a, UOP_NONE, UOP_NONE);
}

uop_ref uop_make_and(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b)
{
    if (uop_make_equals(m, a, type_mask(type)) || uop_make_equals(m, b, 0) || a == b)
        return b;
    if (uop_make_equals(m, b, type_mask(type)) || uop_make_equals(m, a, 0))
        return a;
    return uop_make_op(m, UOP_AND, type, a, b, UOP_NONE);
}

uop_ref uop_make_or(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b)
{
    if (uop_make_equals(m, a, 0) || uop_make_equals(m, b, type_mask(type)) || a == b)
        return b;
    if (uop_make_equals(m, b, 0) || uop_make_equals(m, a, type_mask(type)))
        return a;
    return uop_make_op(m, UOP_OR, type, a, b, UOP_NONE);
}

uop_ref uop_make_xor(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b)
{
    if (uop_make_equals(m, a, 0))
        return b;
    if (uop_make_equals(m, b, 0))
        return a;
    if (uop_make_equals(m, a, type_mask(type)))
        return uop_make_not(m, type, b);
    if (uop_make_equals(m, b, type_mask(type)))
        return uop_make_not(m, type, a);
    return uop_make_op(m, UOP_XOR, type, a, b, UOP_NONE);
}

/* The two-input functions; table index a<<1 | b. */
static uop_ref logic2(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b, unsigned table)
{
    switch (table) {
    case 0x8: return uop_make_and(m, type, a, b);
    case 0xe: return uop_make_or(m, type, a, b);
    case 0x6: return uop_make_xor(m, type, a, b);
    case 0x7: return uop_make_not(m, type, uop_make_and(m, type, a, b));
    case 0x1: return uop_make_not(m, type, uop_make_or(m, type, a, b));
    case 0x9: return uop_make_not(m, type, uop_make_xor(m, type, a, b));
    case 0x4: return uop_make_and(m, type, a, uop_make_not(m, type, b));
    case 0x2: return uop_make_and(m, type, uop_make_not(m, type, a), b);
    case 0xd: return uop_make_or(m, type, a, uop_make_not(m, type, b));
    default: return uop_make_or(m, type, uop_make_not(m, type, a), b); /* 0xb */
    }
}

/* Fixes input `which` (0 a, 1 b, 2 c) of a table to `value`: rows that cannot be reached copy those that can. */
static unsigned fix_input(unsigned table, unsigned which, bool value)
{
    unsigned bit = 4u >> which, r = 0;
    for (unsigned i = 0; i < 8; i++)
        r |= (table >> (value ? i | bit : i & ~bit) & 1) << i;
    return r;
}

/* Input `which` always equals input `same`. */
static unsigned tie_input(unsigned table, unsigned which, unsigned same)
{
    unsigned bit = 4u >> which, other = 4u >> same, r = 0;
    for (unsigned i = 0; i < 8; i++)
        r |= (table >> (i & other ? i | bit : i & ~bit) & 1) << i;
    return r;
}

uop_ref uop_make_lop3(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b, uop_ref c, unsigned table)
{
    uop_ref in[3] = {a, b, c};
    table &= 0xff;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t bits;
        if (uop_make_is_const(m, in[i], &bits) && (bits == 0 || bits == type_mask(type)))
            table = fix_input(table, i, bits != 0);
        for (unsigned j = 0; j < i; j++)
            if (in[i] == in[j])
                table = tie_input(table, i, j);
    }
    unsigned used[3], count = 0;
    for (unsigned i = 0; i < 3; i++)
        if (fix_input(table, i, true) != fix_input(table, i, false))
            used[count++] = i;
    if (count == 0)
        return uop_make_const(m, type, table & 1 ? UINT64_MAX : 0);
    if (count == 1)
        return table >> (4u >> used[0]) & 1 ? in[used[0]] : uop_make_not(m, type, in[used[0]]);
    if (count == 2) {
        unsigned x = 4u >> used[0], y = 4u >> used[1];
        unsigned small = (table & 1) | (table >> y & 1) << 1 | (table >> x & 1) << 2 | (table >> (x | y) & 1) << 3;
        return logic2(m, type, in[used[0]], in[used[1]], small);
    }
    if (table == 0x80)
        return uop_make_and(m, type, uop_make_and(m, type, a, b), c);
    if (table == 0xfe)
        return uop_make_or(m, type, uop_make_or(m, type, a, b), c);
    if (table == 0x96)
        return uop_make_xor(m, type, uop_make_xor(m, type, a, b), c);
    return uop_make_imm(m, UOP_LOP3, type, table, a, b, c);
}

uop_ref uop_make_select(struct uop_maker *m, enum uop_type type, uop_ref p, uop_ref yes, uop_ref no)
{
    uint64_t bit;
    if (uop_make_is_const(m, p, &bit))
        return bit ? yes : no;
    return yes == no ? yes : uop_make_op(m, UOP_SELECT, type, p, yes, no);
}

uop_ref uop_make_pair(struct uop_maker *m, uop_ref low, uop_ref high)
{
    return uop_make_op(m, UOP_PAIR, UOP_B64, low, high, UOP_NONE);
}

static uop_ref half(struct uop_maker *m, enum uop_kind kind, uop_ref v)
{
    const struct uop *o = v < m->list->ops.n ? &m->list->ops.p[v] : NULL;
    if (o && o->kind == UOP_PAIR && o->type == UOP_B64)
        return o->arg[kind == UOP_HI];
    return uop_make_op(m, kind, UOP_B32, v, UOP_NONE, UOP_NONE);
}

uop_ref uop_make_lo(struct uop_maker *m, uop_ref v)
{
    return half(m, UOP_LO, v);
}

uop_ref uop_make_hi(struct uop_maker *m, uop_ref v)
{
    return half(m, UOP_HI, v);
}

/* ---- floats ---- */

static struct uop float_like(enum uop_kind kind, enum uop_type type, unsigned round, unsigned flags)
{
    return (struct uop){.kind = (uint8_t)kind, .type = (uint8_t)type, .round = (uint8_t)round, .flags = (uint8_t)flags};
}

uop_ref uop_make_fadd(struct uop_maker *m, enum uop_type type, unsigned round, unsigned flags, uop_ref a, uop_ref b)
{
    return uop_make_full(m, float_like(UOP_FADD, type, round, flags), a, b, UOP_NONE);
}

uop_ref uop_make_fmul(struct uop_maker *m, enum uop_type type, unsigned round, unsigned flags, uop_ref a, uop_ref b)
{
    return uop_make_full(m, float_like(UOP_FMUL, type, round, flags), a, b, UOP_NONE);
}

/* a * b + -0 is the rounded product, a * 1 + c the rounded sum: the same bits, zero signs included, except that
 * rounding down turns +0 + -0 into -0. */
uop_ref uop_make_ffma(struct uop_maker *m, enum uop_type type, unsigned round, unsigned flags, uop_ref a, uop_ref b,
                      uop_ref c)
{
    uint64_t x, y;
    bool constant = uop_make_is_const(m, a, &x) && uop_make_is_const(m, b, &y) && uop_make_is_const(m, c, &x);
    if (!constant && round != UOP_RM && uop_make_equals(m, c, minus_zero[type]))
        return uop_make_fmul(m, type, round, flags, a, b);
    if (!constant && !(flags & UOP_FMZ)) {
        if (uop_make_equals(m, b, one_bits[type]))
            return uop_make_fadd(m, type, round, flags, a, c);
        if (uop_make_equals(m, a, one_bits[type]))
            return uop_make_fadd(m, type, round, flags, b, c);
    }
    return uop_make_full(m, float_like(UOP_FFMA, type, round, flags), a, b, c);
}

void uop_make_finish(struct uop_maker *m)
{
    struct uop_list *list = m->list;
    size_t n = list->ops.n;
    uint16_t *place = ARENA_ARRAY(m->a, uint16_t, n ? n : 1);
    if (!place) {
        m->no_memory = true;
        return;
    }
    bool *used = ARENA_ARRAY(m->a, bool, n ? n : 1);
    if (!used) {
        m->no_memory = true;
        return;
    }
    if (list->guard != UOP_NONE)
        used[list->guard] = true;
    for (size_t i = n; i-- > 0;) {
        const struct uop *op = &list->ops.p[i];
        bool removable = uop_is_pure((enum uop_kind)op->kind) || op->kind == UOP_CBANK || op->kind == UOP_SREG ||
                         op->kind == UOP_UNIFORM;
        used[i] = used[i] || !removable;
        for (unsigned k = 0; k < UOP_MAX_ARGS && used[i]; k++)
            if (op->arg[k] != UOP_NONE) {
                assert(op->arg[k] < i);
                used[op->arg[k]] = true;
            }
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!used[i])
            continue;
        struct uop op = list->ops.p[i];
        for (unsigned k = 0; k < UOP_MAX_ARGS; k++)
            if (op.arg[k] != UOP_NONE)
                op.arg[k] = place[op.arg[k]];
        place[i] = (uint16_t)kept;
        list->ops.p[kept++] = op;
    }
    list->ops.n = kept;
    if (list->guard != UOP_NONE)
        list->guard = place[list->guard];
}
