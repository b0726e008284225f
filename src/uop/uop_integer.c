/* What the integer and logic instructions do, the uniform datapath's included (its operands name
 * their own register file, so that IADD3 and UIADD3 are one function).
 *
 * Aliases that balance pipes come out as what they compute: IMAD.MOV is a copy, IMAD.SHL a shift, LEA a shift and
 * an addition. 64-bit chains keep the shape the graph joins: low word ADD and CARRY, high word ADDC; words of a
 * shifted pair are LO or HI of one 64-bit shift. requires/gives: see uop_build.h. */
#include "uop/uop_build.h"

#include <assert.h>

/* The leading destination predicates after register operand 0; *i ends behind them. */
static unsigned carry_outs(struct lift *l, unsigned out[2], unsigned *i)
{
    unsigned n = 0;
    while (lift_is_pred(l, *i)) {
        if (n == 2) {
            lift_refuse(l);
            break;
        }
        out[n++] = (*i)++;
    }
    return n;
}

/* ---- additions ----------------------------------------------------------------------------------------------- */

/* A running sum with the carries that left it. */
struct sum {
    enum uop_type type;
    unsigned bits;
    uop_ref value;    /* UOP_NONE: nothing added yet */
    uop_ref carry[2]; /* out of each addition */
    unsigned carries;
    bool want_carry;
};

/* value += term + carry; `inverted` is ~(the negated operand): value - x = value + ~x + 1, with its own carry. */
static void sum_add(struct lift *l, struct sum *s, uop_ref term, uop_ref inverted, uop_ref carry)
{
    bool negated = inverted != UOP_NONE;
    if (s->value == UOP_NONE && !negated && lift_equals(l, carry, 0)) {
        s->value = term;
        return;
    }
    if (s->value == UOP_NONE)
        s->value = lift_const(l, s->type, 0);
    if (s->want_carry && s->carries < 2) {
        uop_ref in = negated ? lift_const(l, UOP_B1, 1) : carry;
        s->carry[s->carries++] = lift_imm(l, UOP_CARRY, UOP_B1, s->bits, s->value, negated ? inverted : term, in);
    }
    if (!lift_equals(l, carry, 0))
        s->value = lift_op(l, UOP_ADDC, s->type, s->value, term, carry);
    else
        s->value = lift_add(l, s->type, s->value, term);
}

/* VIADD.16x2 d, a, b: each half for itself. */
static void packed_add(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_16x2, ISA_MOD_NONE};
    const struct isa_operand *y = lift_operand(l, 2);
    if (!lift_only_mods(l, mods) || lift_count(l) != 3 || y->flags & (ISA_NEG | ISA_INV)) {
        lift_refuse(l);
        return;
    }
    uop_ref a = lift_src(l, 1), b = lift_src(l, 2), part[2];
    for (unsigned k = 0; k < 2; k++) {
        enum uop_kind side = k ? UOP_HI : UOP_LO;
        uop_ref x = lift_op(l, side, UOP_B16, a, UOP_NONE, UOP_NONE);
        part[k] = lift_add(l, UOP_B16, x, lift_op(l, side, UOP_B16, b, UOP_NONE, UOP_NONE));
    }
    lift_write(l, 0, lift_op(l, UOP_PAIR, UOP_B32, part[0], part[1], UOP_NONE));
}

/* IADD3, IADD, VIADD and their uniform twins: d, [carries], a, b[, c][, carry-ins]. */
void lift_iadd3(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_X, ISA_MOD_64, ISA_MOD_U32, ISA_MOD_S32, ISA_MOD_NONE};
    bool wide = lift_mod(l, ISA_MOD_64), with_carry = lift_mod(l, ISA_MOD_X);
    enum uop_type type = wide ? UOP_B64 : UOP_B32;
    if (lift_mod(l, ISA_MOD_16x2)) {
        packed_add(l);
        return;
    }
    unsigned outs[2], i = 1, out_count = carry_outs(l, outs, &i), first = i;
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    while (i < lift_count(l) && !lift_is_pred(l, i))
        i++;
    unsigned terms = i - first;
    uop_ref none = lift_const(l, UOP_B1, 0), in[2] = {none, none};
    unsigned in_count = 0;
    for (; i < lift_count(l) && in_count < 2; i++)
        in[in_count++] = lift_pred(l, i);
    if (i != lift_count(l) || terms < 2 || terms > 3 || (in_count && !with_carry))
        lift_refuse(l);
    struct sum s = {.type = type, .bits = wide ? 64 : 32, .value = UOP_NONE};
    for (unsigned k = 0; k < out_count; k++)
        s.want_carry = s.want_carry || lift_written(l, outs[k]);

    struct {
        uop_ref value, inverted;
    } term[3];
    unsigned n = 0, negated = 0;
    for (unsigned k = 0; k < terms && k < 3; k++) {
        const struct isa_operand *o = lift_operand(l, first + k);
        uop_ref raw = wide ? lift_src64(l, first + k) : lift_src(l, first + k);
        uop_ref inverted = UOP_NONE;
        if (o->flags & ISA_NEG) {
            inverted = lift_not(l, type, lift_raw(l, o, wide));
            negated++;
        } else if (lift_equals(l, raw, 0)) {
            continue;
        }
        term[n].value = raw;
        term[n++].inverted = inverted;
    }
    /* A negated operand goes second, so that a - b has the carry of a + ~b + 1. */
    if (n >= 2 && term[0].inverted != UOP_NONE && term[1].inverted == UOP_NONE) {
        uop_ref v = term[0].value, w = term[0].inverted;
        term[0] = term[1];
        term[1].value = v;
        term[1].inverted = w;
    }
    if (with_carry && negated)
        lift_refuse(l); /* .X inverts, it does not negate */
    bool in0 = !lift_equals(l, in[0], 0), in1 = !lift_equals(l, in[1], 0);
    uop_ref carry[2] = {in0 ? in[0] : in[1], in0 && in1 ? in[1] : none};
    unsigned k = 0, used = 0;
    if (n > 0 && term[0].inverted == UOP_NONE)
        sum_add(l, &s, term[k++].value, UOP_NONE, none);
    for (; k < n; k++)
        sum_add(l, &s, term[k].value, term[k].inverted, used < 2 ? carry[used++] : none);
    for (; used < 2; used++)
        if (!lift_equals(l, carry[used], 0))
            sum_add(l, &s, lift_const(l, type, 0), UOP_NONE, carry[used]);
    if (s.value == UOP_NONE)
        s.value = lift_const(l, type, 0);
    if (wide)
        lift_write64(l, 0, s.value);
    else
        lift_write(l, 0, s.value);
    /* The first carry out says that the sum passed 2^32, the second that it passed 2^33. */
    uop_ref c0 = s.carries > 0 ? s.carry[0] : none, c1 = s.carries > 1 ? s.carry[1] : none;
    if (out_count > 0 && lift_written(l, outs[0]))
        lift_write(l, outs[0], lift_or(l, UOP_B1, c0, c1));
    if (out_count > 1 && lift_written(l, outs[1]))
        lift_write(l, outs[1], lift_and(l, UOP_B1, c0, c1));
}

static bool power_of_two(const struct lift *l, uop_ref v, unsigned *log)
{
    uint64_t bits;
    if (!lift_is_const(l, v, &bits) || bits == 0 || (bits & (bits - 1)) != 0)
        return false;
    for (*log = 0; bits >> (*log + 1); (*log)++)
        continue;
    return true;
}

/* a * b in 32 bits: nothing by zero, the other factor by one, a shift by a constant power of two. */
static uop_ref product(struct lift *l, uop_ref a, uop_ref b)
{
    unsigned log;
    uop_ref factor[2] = {a, b};
    for (unsigned i = 0; i < 2; i++) {
        if (lift_equals(l, factor[i], 0))
            return factor[i];
        if (lift_equals(l, factor[i], 1))
            return factor[!i];
    }
    if (power_of_two(l, b, &log))
        return lift_op(l, UOP_SHL, UOP_B32, a, lift_const(l, UOP_B32, log), UOP_NONE);
    return lift_op(l, UOP_MUL, UOP_B32, a, b, UOP_NONE);
}

/* IMAD and UIMAD: d, [carry], a, b, c[, carry-in]; .WIDE and .HI add a 64-bit c to the whole product. */
void lift_imad(struct lift *l)
{
    /* MOV, SHL and IADD are how the disassembler spells certain constant operands: nothing to do with the result. */
    static const enum isa_mod mods[] = {ISA_MOD_MOV, ISA_MOD_SHL,  ISA_MOD_IADD, ISA_MOD_U32, ISA_MOD_S32,
                                        ISA_MOD_X,   ISA_MOD_WIDE, ISA_MOD_HI,   ISA_MOD_NONE};
    bool wide = lift_mod(l, ISA_MOD_WIDE), high = lift_mod(l, ISA_MOD_HI), with_carry = lift_mod(l, ISA_MOD_X);
    unsigned outs[2], i = 1, out_count = carry_outs(l, outs, &i);
    if (!lift_only_mods(l, mods) || lift_count(l) != i + 3 + with_carry || out_count > 1)
        lift_refuse(l);
    uop_ref in = with_carry ? lift_pred(l, i + 3) : lift_const(l, UOP_B1, 0), value;
    const struct isa_operand *c_operand = lift_operand(l, i + 2);
    if (!c_operand) {
        lift_refuse(l);
        return;
    }
    uop_ref a = lift_src(l, i), b = lift_src(l, i + 1), c, p;
    enum uop_type type = wide || high ? UOP_B64 : UOP_B32;
    if (wide || high) {
        enum uop_kind extend = lift_mod(l, ISA_MOD_U32) ? UOP_ZEXT : UOP_SEXT;
        c = lift_src64(l, i + 2);
        if (lift_equals(l, a, 0) || lift_equals(l, b, 0)) {
            p = lift_const(l, UOP_B64, 0);
        } else {
            uop_ref x = lift_imm(l, extend, UOP_B64, 32, a, UOP_NONE, UOP_NONE);
            p = lift_op(l, UOP_MUL, UOP_B64, x, lift_imm(l, extend, UOP_B64, 32, b, UOP_NONE, UOP_NONE), UOP_NONE);
        }
    } else {
        c = lift_src(l, i + 2);
        p = product(l, a, b);
    }
    if (out_count && lift_written(l, outs[0])) {
        if (!(wide || high) || c_operand->flags & ISA_NEG)
            lift_refuse(l);
        lift_write(l, outs[0], lift_imm(l, UOP_CARRY, UOP_B1, 64, p, c, in));
    }
    if (lift_equals(l, in, 0))
        value = lift_add(l, type, p, c);
    else if (lift_equals(l, p, 0))
        value = lift_op(l, UOP_ADDC, type, c, p, in);
    else
        value = lift_op(l, UOP_ADDC, type, p, c, in);
    if (wide)
        lift_write64(l, 0, value);
    else
        lift_write(l, 0, high ? lift_hi(l, value) : value);
}

/* LEA d, [carry], a, b, k: (a << k) + b. LEA.HI d, [carry], a, b, c, k: the word of {c:a} << k above the low one, +
 * b; .SX32 takes a's sign for c; .X adds a carry. */
void lift_lea(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_HI, ISA_MOD_X, ISA_MOD_SX32, ISA_MOD_NONE};
    bool high = lift_mod(l, ISA_MOD_HI), sign = lift_mod(l, ISA_MOD_SX32), with_carry = lift_mod(l, ISA_MOD_X);
    bool third = high && !sign;
    unsigned outs[2], i = 1, out_count = carry_outs(l, outs, &i);
    const struct isa_operand *a_operand = lift_operand(l, i), *k_operand = lift_operand(l, i + 2 + third);
    if (!lift_only_mods(l, mods) || lift_count(l) != i + 3 + third + with_carry || (sign && !high) || out_count > 1 ||
        !a_operand || !k_operand || k_operand->kind != ISA_OPERAND_IMM) {
        lift_refuse(l);
        return;
    }
    unsigned k = (unsigned)k_operand->value & 31;
    uop_ref in = with_carry ? lift_pred(l, i + 3 + third) : lift_const(l, UOP_B1, 0);
    uop_ref a = lift_raw(l, a_operand, false), b = lift_src(l, i + 1), t;
    uop_ref shift = lift_const(l, UOP_B32, k), back = lift_const(l, UOP_B32, 32 - k);
    if (!high) {
        t = k ? lift_op(l, UOP_SHL, UOP_B32, a, shift, UOP_NONE) : a;
    } else if (sign) {
        if (with_carry)
            t = lift_hi(l, lift_op(l, UOP_SHL, UOP_B64, lift_imm(l, UOP_SEXT, UOP_B64, 32, a, UOP_NONE, UOP_NONE),
                                   shift, UOP_NONE));
        else
            t = lift_op(l, UOP_SAR, UOP_B32, a, back, UOP_NONE);
    } else {
        uop_ref c = lift_src(l, i + 2);
        if (lift_equals(l, c, 0) && !with_carry)
            t = lift_op(l, UOP_SHR, UOP_B32, a, back, UOP_NONE);
        else
            t = lift_hi(l, lift_op(l, UOP_SHL, UOP_B64, lift_pair(l, a, c), shift, UOP_NONE));
    }
    if (a_operand->flags & ISA_ABS)
        lift_refuse(l);
    bool negated = a_operand->flags & ISA_NEG, inverted = a_operand->flags & ISA_INV;
    if (negated && with_carry)
        lift_refuse(l);
    const struct isa_operand *b_operand = lift_operand(l, i + 1);
    bool b_negated = b_operand && (b_operand->flags & ISA_NEG);
    if (out_count && lift_written(l, outs[0])) { /* - x is + ~x + 1, with its own carry: that of 0 carries */
        uop_ref x = negated || inverted ? lift_not(l, UOP_B32, t) : t;
        uop_ref y = b_negated ? lift_not(l, UOP_B32, lift_raw(l, b_operand, false)) : b;
        if ((b_negated && (negated || with_carry)) || (b_operand && (b_operand->flags & ISA_ABS)))
            lift_refuse(l);
        uop_ref one = negated || b_negated ? lift_const(l, UOP_B1, 1) : in;
        lift_write(l, outs[0], lift_imm(l, UOP_CARRY, UOP_B1, 32, x, y, one));
    }
    if (negated)
        t = lift_op(l, UOP_NEG, UOP_B32, t, UOP_NONE, UOP_NONE);
    else if (inverted)
        t = lift_not(l, UOP_B32, t);
    if (!lift_equals(l, in, 0))
        lift_write(l, 0, lift_op(l, UOP_ADDC, UOP_B32, t, b, in));
    else
        lift_write(l, 0, lift_add(l, UOP_B32, t, b));
}

/* ---- logic and shifts ---------------------------------------------------------------------------------------- */

/* LOP3.LUT [Pu,] d, a, b, c, table, Pp: Pu = (d != 0) OR Pp (AND with .PAND). */
void lift_lop3_op(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_LUT, ISA_MOD_PAND, ISA_MOD_NONE};
    unsigned d = lift_is_pred(l, 0) ? 1 : 0;
    const struct isa_operand *table = lift_operand(l, d + 4);
    if (!lift_only_mods(l, mods) || !table || table->kind != ISA_OPERAND_IMM || lift_count(l) < d + 5 ||
        lift_count(l) > d + 6) {
        lift_refuse(l);
        return;
    }
    uop_ref a = lift_src(l, d + 1), b = lift_src(l, d + 2), c = lift_src(l, d + 3);
    uop_ref v = lift_lop3(l, UOP_B32, a, b, c, (unsigned)table->value);
    if (d && lift_written(l, 0)) {
        uop_ref any = lift_not(l, UOP_B1, lift_imm(l, UOP_IEQ, UOP_B1, 32, v, lift_const(l, UOP_B32, 0), UOP_NONE));
        bool both = lift_mod(l, ISA_MOD_PAND);
        uop_ref with = lift_count(l) == d + 6 ? lift_pred(l, d + 5) : lift_const(l, UOP_B1, both);
        lift_write(l, 0, both ? lift_and(l, UOP_B1, any, with) : lift_or(l, UOP_B1, any, with));
    }
    lift_write(l, d, v);
}

/* SHF d, a, n, c: {c:a} shifted by n, low or (.HI) high word of it. */
void lift_shf(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_L,   ISA_MOD_R,   ISA_MOD_W,   ISA_MOD_HI,  ISA_MOD_U32,
                                        ISA_MOD_S32, ISA_MOD_U64, ISA_MOD_S64, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods) || lift_count(l) != 4)
        lift_refuse(l);
    bool right = lift_mod(l, ISA_MOD_R), high = lift_mod(l, ISA_MOD_HI),
         is_signed = lift_mod(l, ISA_MOD_S32) || lift_mod(l, ISA_MOD_S64);
    bool wide = lift_mod(l, ISA_MOD_U64) || lift_mod(l, ISA_MOD_S64);
    uop_ref a = lift_src(l, 1), n = lift_src(l, 2), c = lift_src(l, 3), v;
    if (lift_mod(l, ISA_MOD_W))
        n = lift_and(l, UOP_B32, n, lift_const(l, UOP_B32, wide ? 63 : 31));
    enum uop_kind kind = !right ? UOP_SHL : is_signed ? UOP_SAR : UOP_SHR;
    if (!wide && !right && (!high || lift_equals(l, a, 0))) {
        v = lift_op(l, UOP_SHL, UOP_B32, high ? c : a, n, UOP_NONE);
    } else if (!wide && right && high) {
        v = lift_op(l, kind, UOP_B32, c, n, UOP_NONE);
    } else if (!wide && right && lift_equals(l, c, 0)) {
        v = lift_op(l, UOP_SHR, UOP_B32, a, n, UOP_NONE);
    } else {
        /* A 32-bit funnel moves at most a whole word. */
        if (!wide)
            n = lift_op(l, UOP_MIN_U, UOP_B32, n, lift_const(l, UOP_B32, 32), UOP_NONE);
        uop_ref shifted = lift_op(l, kind, UOP_B64, lift_pair(l, a, c), n, UOP_NONE);
        v = high ? lift_hi(l, shifted) : lift_lo(l, shifted);
    }
    lift_write(l, 0, v);
}

/* ---- compares ------------------------------------------------------------------------------------------------ */

struct compare_row {
    enum isa_mod mod;
    bool equality, swapped, negated;
};

/* ISETP Pu, Pv, a, b, Pp[, Plow]; .EX: the high words of a wide compare whose low words gave Plow. */
void lift_isetp(struct lift *l)
{
    static const struct compare_row rows[] = {
        {ISA_MOD_EQ, true, false, false}, {ISA_MOD_NE, true, false, true},  {ISA_MOD_LT, false, false, false},
        {ISA_MOD_GE, false, false, true}, {ISA_MOD_GT, false, true, false}, {ISA_MOD_LE, false, true, true},
    };
    static const enum isa_mod mods[] = {ISA_MOD_F,   ISA_MOD_T,   ISA_MOD_EQ,  ISA_MOD_NE,  ISA_MOD_LT,  ISA_MOD_GE,
                                        ISA_MOD_GT,  ISA_MOD_LE,  ISA_MOD_AND, ISA_MOD_OR,  ISA_MOD_XOR, ISA_MOD_EX,
                                        ISA_MOD_U32, ISA_MOD_S32, ISA_MOD_U64, ISA_MOD_S64, ISA_MOD_NONE};
    bool extended = lift_mod(l, ISA_MOD_EX), wide = lift_mod(l, ISA_MOD_U64) || lift_mod(l, ISA_MOD_S64);
    if (!lift_only_mods(l, mods) || lift_count(l) != 5u + extended || (wide && extended))
        lift_refuse(l);
    unsigned bits = wide ? 64 : 32;
    enum uop_kind less = lift_mod(l, ISA_MOD_U32) || lift_mod(l, ISA_MOD_U64) ? UOP_ILT_U : UOP_ILT_S;
    uop_ref a = wide ? lift_src64(l, 2) : lift_src(l, 2), b = wide ? lift_src64(l, 3) : lift_src(l, 3);
    uop_ref condition = lift_const(l, UOP_B1, lift_mod(l, ISA_MOD_T));
    bool found = lift_mod(l, ISA_MOD_T) || lift_mod(l, ISA_MOD_F);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows && !found; i++) {
        const struct compare_row *row = &rows[i];
        if (!lift_mod(l, row->mod))
            continue;
        found = true;
        bool strict_gt = row->mod == ISA_MOD_GE || row->mod == ISA_MOD_GT;
        uop_ref equal = UOP_NONE;
        if (row->equality || extended)
            equal = lift_imm(l, UOP_IEQ, UOP_B1, bits, a, b, UOP_NONE);
        if (row->equality) {
            condition = row->negated ? lift_not(l, UOP_B1, equal) : equal;
            if (extended)
                condition = row->negated ? lift_or(l, UOP_B1, condition, lift_pred(l, 5))
                                         : lift_and(l, UOP_B1, condition, lift_pred(l, 5));
            continue;
        }
        struct uop op = {.kind = (uint8_t)less, .type = UOP_B1, .imm = bits};
        if (extended) {
            /* Equal high words leave the decision to the low ones; else the strict compare of the high words
             * decides. */
            op.flags = strict_gt ? UOP_SWAPPED : 0;
            uop_ref strict = lift_full(l, op, strict_gt ? b : a, strict_gt ? a : b, UOP_NONE);
            condition = lift_select(l, UOP_B1, equal, lift_pred(l, 5), strict);
            continue;
        }
        op.flags = row->swapped ? UOP_SWAPPED : 0;
        condition = lift_full(l, op, row->swapped ? b : a, row->swapped ? a : b, UOP_NONE);
        if (row->negated)
            condition = lift_not(l, UOP_B1, condition);
    }
    if (!found)
        lift_refuse(l);
    uop_ref with = lift_pred(l, 4);
    lift_write(l, 0, lift_bool_op(l, condition, with));
    if (lift_written(l, 1))
        lift_write(l, 1, lift_bool_op(l, lift_not(l, UOP_B1, condition), with));
}

/* ---- one or two sources -------------------------------------------------------------------------------------- */

void lift_iabs(struct lift *l)
{
    lift_expect_count(l, 2);
    lift_write(l, 0, lift_op(l, UOP_ABS, UOP_B32, lift_src(l, 1), UOP_NONE, UOP_NONE));
}

static uop_ref min_max(struct lift *l, enum uop_type type, bool is_unsigned, uop_ref p, uop_ref a, uop_ref b)
{
    enum uop_kind least = is_unsigned ? UOP_MIN_U : UOP_MIN_S, most = is_unsigned ? UOP_MAX_U : UOP_MAX_S;
    uint64_t is_min;
    if (lift_is_const(l, p, &is_min))
        return lift_op(l, is_min ? least : most, type, a, b, UOP_NONE);
    uop_ref x = lift_op(l, least, type, a, b, UOP_NONE), y = lift_op(l, most, type, a, b, UOP_NONE);
    return lift_select(l, type, p, x, y);
}

static uop_ref relu(struct lift *l, uop_ref v)
{
    return lift_mod(l, ISA_MOD_RELU) ? lift_op(l, UOP_MAX_S, UOP_B32, v, lift_const(l, UOP_B32, 0), UOP_NONE) : v;
}

static const enum isa_mod min_max_mods[] = {ISA_MOD_U32,   ISA_MOD_S32,   ISA_MOD_U64,  ISA_MOD_S64,
                                            ISA_MOD_U16x2, ISA_MOD_S16x2, ISA_MOD_RELU, ISA_MOD_NONE};

/* VIMNMX.U16x2, .S16x2: each half for itself. */
static void packed_min_max(struct lift *l, unsigned i, bool is_unsigned)
{
    uop_ref a = lift_src(l, i), b = lift_src(l, i + 1), p = lift_pred(l, i + 2), part[2];
    for (unsigned k = 0; k < 2; k++) {
        enum uop_kind side = k ? UOP_HI : UOP_LO;
        uop_ref x = lift_op(l, side, UOP_B16, a, UOP_NONE, UOP_NONE),
                y = lift_op(l, side, UOP_B16, b, UOP_NONE, UOP_NONE);
        part[k] = min_max(l, UOP_B16, is_unsigned, p, x, y);
        if (lift_mod(l, ISA_MOD_RELU))
            part[k] = lift_op(l, UOP_MAX_S, UOP_B16, part[k], lift_const(l, UOP_B16, 0), UOP_NONE);
    }
    lift_write(l, 0, lift_op(l, UOP_PAIR, UOP_B32, part[0], part[1], UOP_NONE));
}

/* IMNMX, VIMNMX: d, [PT, PT,] a, b, p; the 64-bit form PT, PT, d, a, b, p, !PT. What the further predicates do when
 * they are not constant is not described. */
void lift_imnmx(struct lift *l)
{
    unsigned first = lift_is_pred(l, 0) ? 2 : 0, last = lift_count(l);
    if (first) {
        if (lift_written(l, 0) || lift_written(l, 1) || last != 7 || !lift_equals(l, lift_pred(l, 6), 0)) {
            lift_refuse(l);
            return;
        }
        last--;
    }
    unsigned outs[2], i = first + 1, out_count = carry_outs(l, outs, &i);
    bool wide = lift_mod(l, ISA_MOD_U64) || lift_mod(l, ISA_MOD_S64),
         is_unsigned = lift_mod(l, ISA_MOD_U32) || lift_mod(l, ISA_MOD_U64);
    if (!lift_only_mods(l, min_max_mods) || last != i + 3 || (wide && lift_mod(l, ISA_MOD_RELU)))
        lift_refuse(l);
    for (unsigned k = 0; k < out_count; k++)
        if (lift_written(l, outs[k]))
            lift_refuse(l);
    if (lift_mod(l, ISA_MOD_U16x2) || lift_mod(l, ISA_MOD_S16x2)) {
        packed_min_max(l, i, lift_mod(l, ISA_MOD_U16x2));
    } else if (wide) {
        uop_ref a = lift_src64(l, i), b = lift_src64(l, i + 1);
        uop_ref p = lift_pred(l, i + 2);
        lift_write64(l, first, min_max(l, UOP_B64, is_unsigned, p, a, b));
    } else {
        uop_ref a = lift_src(l, i), b = lift_src(l, i + 1);
        lift_write(l, first, relu(l, min_max(l, UOP_B32, is_unsigned, lift_pred(l, i + 2), a, b)));
    }
}

void lift_vimnmx3(struct lift *l)
{
    bool is_unsigned = lift_mod(l, ISA_MOD_U32);
    static const enum isa_mod mods[] = {ISA_MOD_U32, ISA_MOD_S32, ISA_MOD_RELU, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, 5);
    uop_ref a = lift_src(l, 1), b = lift_src(l, 2), c = lift_src(l, 3), p = lift_pred(l, 4);
    lift_write(l, 0, relu(l, min_max(l, UOP_B32, is_unsigned, p, min_max(l, UOP_B32, is_unsigned, p, a, b), c)));
}

void lift_viaddmnmx(struct lift *l)
{
    bool is_unsigned = lift_mod(l, ISA_MOD_U32);
    static const enum isa_mod mods[] = {ISA_MOD_U32, ISA_MOD_S32, ISA_MOD_RELU, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, 5);
    uop_ref a = lift_src(l, 1), b = lift_src(l, 2), c = lift_src(l, 3), p = lift_pred(l, 4);
    lift_write(l, 0, relu(l, min_max(l, UOP_B32, is_unsigned, p, lift_add(l, UOP_B32, a, b), c)));
}

void lift_popc(struct lift *l)
{
    lift_expect_count(l, 2);
    lift_write(l, 0, lift_op(l, UOP_POPC, UOP_B32, lift_src(l, 1), UOP_NONE, UOP_NONE));
}

void lift_brev(struct lift *l)
{
    lift_expect_count(l, 2);
    lift_write(l, 0, lift_op(l, UOP_BREV, UOP_B32, lift_src(l, 1), UOP_NONE, UOP_NONE));
}

void lift_flo(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_U32, ISA_MOD_S32, ISA_MOD_SH, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, 2);
    struct uop op = {.kind = UOP_FLO,
                     .type = UOP_B32,
                     .imm = lift_mod(l, ISA_MOD_SH),
                     .flags = lift_mod(l, ISA_MOD_U32) ? 0 : UOP_SIGNED};
    lift_write(l, 0, lift_full(l, op, lift_src(l, 1), UOP_NONE, UOP_NONE));
}

/* Saturating narrowing of a signed word. */
void lift_i2i(struct lift *l)
{
    static const struct {
        enum isa_mod mod;
        uint32_t least, most;
    } rows[] = {
        {ISA_MOD_U8, 0, 0xff},
        {ISA_MOD_S8, (uint32_t)-0x80, 0x7f},
        {ISA_MOD_U16, 0, 0xffff},
        {ISA_MOD_S16, (uint32_t)-0x8000, 0x7fff},
    };
    static const enum isa_mod mods[] = {ISA_MOD_U8,  ISA_MOD_S8,  ISA_MOD_U16, ISA_MOD_S16,
                                        ISA_MOD_S32, ISA_MOD_SAT, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, 2);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!lift_mod(l, rows[i].mod))
            continue;
        uop_ref a = lift_src(l, 1),
                v = lift_op(l, UOP_MAX_S, UOP_B32, a, lift_const(l, UOP_B32, rows[i].least), UOP_NONE);
        lift_write(l, 0, lift_op(l, UOP_MIN_S, UOP_B32, v, lift_const(l, UOP_B32, rows[i].most), UOP_NONE));
        return;
    }
    lift_refuse(l);
}

/* SGXT d, a, n: the low n bits of a, extended; all of a from 32 on (with .W n is taken modulo 32). */
void lift_sgxt(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_U32, ISA_MOD_W, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, 3);
    uop_ref a = lift_src(l, 1), n = lift_src(l, 2), limit = lift_const(l, UOP_B32, lift_mod(l, ISA_MOD_W) ? 31 : 32);
    n = lift_mod(l, ISA_MOD_W) ? lift_and(l, UOP_B32, n, limit) : lift_op(l, UOP_MIN_U, UOP_B32, n, limit, UOP_NONE);
    uint64_t bits;
    bool is_unsigned = lift_mod(l, ISA_MOD_U32);
    if (lift_is_const(l, n, &bits) && bits >= 1 && bits < 32) {
        lift_write(l, 0, lift_imm(l, is_unsigned ? UOP_ZEXT : UOP_SEXT, UOP_B32, bits, a, UOP_NONE, UOP_NONE));
        return;
    }
    struct uop op = {.kind = UOP_BFE, .type = UOP_B32, .flags = is_unsigned ? 0 : UOP_SIGNED};
    lift_write(l, 0, lift_full(l, op, a, lift_const(l, UOP_B32, 0), n));
}

void lift_bmsk(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_W, ISA_MOD_C, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, 3);
    uop_ref a = lift_src(l, 1), b = lift_src(l, 2);
    lift_write(l, 0, lift_imm(l, UOP_BMSK, UOP_B32, lift_mod(l, ISA_MOD_W), a, b, UOP_NONE));
}

/* VABSDIFF d, a, b, c: |a - b| + c. */
void lift_vabsdiff(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_U32, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, 4);
    uop_ref a = lift_src(l, 1), b = lift_src(l, 2), c = lift_src(l, 3);
    struct uop op = {.kind = UOP_SAD, .type = UOP_B32, .flags = lift_mod(l, ISA_MOD_U32) ? 0 : UOP_SIGNED};
    lift_write(l, 0, lift_full(l, op, a, b, c));
}

/* IDP.4A.S8.S8 d, a, b, c: the first type is a's, the second b's. */
void lift_idp(struct lift *l)
{
    unsigned form = 0, types = 0;
    for (unsigned i = 0; i < l->insn->mod_count && i < ISA_MAX_MODS; i++) {
        switch (l->insn->mods[i]) {
        case ISA_MOD_4A:
        case ISA_MOD_2A: break;
        case ISA_MOD_LO: form |= 1u << 2; break;
        case ISA_MOD_HI: form |= 2u << 2; break;
        case ISA_MOD_S8:
        case ISA_MOD_S16:
            form |= types < 2 ? 1u << types : 0;
            types++;
            break;
        case ISA_MOD_U8:
        case ISA_MOD_U16: types++; break;
        default: lift_refuse(l);
        }
    }
    if (types != 2 || lift_mod(l, ISA_MOD_4A) != (form >> 2 == 0))
        lift_refuse(l);
    lift_expect_count(l, 4);
    uop_ref a = lift_src(l, 1), b = lift_src(l, 2), c = lift_src(l, 3);
    lift_write(l, 0, lift_imm(l, UOP_DP4A, UOP_B32, form, a, b, c));
}
