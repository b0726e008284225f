/* Moves, packing, conversions between types and between address spaces. */
#include "front/ptx_internal.h"

/* ---- packing --------------------------------------------------------------------------------- */

enum { WORDS = 4, PIECES = 16 };

/* A value of up to 128 bits as words. */
static unsigned words_of(struct ptx_lift *l, const struct ptx_operand *o, enum ptx_type t, uop_ref word[WORDS])
{
    unsigned bits = ptx_type_bits(t);
    if (bits == 128) {
        if (o->kind != PTX_REGISTER || l->f->registers.p[o->index].words != 4 || o->part) {
            ptx_refuse(l);
            return 0;
        }
        for (unsigned i = 0; i < 4; i++)
            word[i] = ptx_read_word(l, ptx_number(l, o->index) + i);
        return 4;
    }
    uop_ref v = ptx_value(l, o, bits == 64 ? PTX_B64 : bits == 16 ? PTX_B16 : bits == 8 ? PTX_B8 : PTX_B32);
    word[0] = bits == 64 ? uop_make_lo(&l->make, v) : v;
    if (bits == 64)
        word[1] = uop_make_hi(&l->make, v);
    return bits == 64 ? 2 : 1;
}

static enum ptx_type bits_type(struct ptx_lift *l, unsigned bits)
{
    switch (bits) {
    case 8: return PTX_B8;
    case 16: return PTX_B16;
    case 32: return PTX_B32;
    case 64: return PTX_B64;
    default: ptx_refuse(l); return PTX_B32;
    }
}

/* {a, b, …} as words; each item has `bits`. */
static void pack(struct ptx_lift *l, const struct ptx_operand *o, unsigned bits, uop_ref word[WORDS])
{
    enum ptx_type t = bits_type(l, bits);
    uop_ref item[PIECES] = {0};
    for (uint32_t i = 0; i < o->item_count; i++)
        item[i] = ptx_value(l, &o->items[i], t);
    for (uint32_t i = 0; i < o->item_count; i++) {
        unsigned at = i * bits / 32;
        if (bits == 64) {
            word[2 * i] = uop_make_lo(&l->make, item[i]);
            word[2 * i + 1] = uop_make_hi(&l->make, item[i]);
        } else if (bits == 32) {
            word[i] = item[i];
        } else if (bits == 16) {
            if (i & 1)
                word[at] = ptx_word_of_halves(l, ptx_half(l, item[i - 1], false), ptx_half(l, item[i], false));
            else
                word[at] = item[i];
        } else {
            uop_ref byte = uop_make_imm(&l->make, UOP_ZEXT, UOP_B32, 8, item[i], UOP_NONE, UOP_NONE);
            byte =
                uop_make_op(&l->make, UOP_SHL, UOP_B32, byte, uop_make_const(&l->make, UOP_B32, i * 8 % 32), UOP_NONE);
            word[at] = i % 4 ? uop_make_or(&l->make, UOP_B32, word[at], byte) : byte;
        }
    }
}

static void unpack(struct ptx_lift *l, const struct ptx_operand *o, unsigned bits, const uop_ref word[WORDS])
{
    enum ptx_type t = bits_type(l, bits);
    for (uint32_t i = 0; i < o->item_count; i++) {
        uop_ref v = word[i * bits / 32 % WORDS];
        if (bits == 64)
            v = uop_make_pair(&l->make, word[2 * i], word[2 * i + 1]);
        else if (bits == 16)
            v = ptx_word_of_half(l, ptx_half(l, v, i & 1));
        else if (bits == 8 && i % 4)
            v = uop_make_op(&l->make, UOP_SHR, UOP_B32, v, uop_make_const(&l->make, UOP_B32, i * 8 % 32), UOP_NONE);
        ptx_put(l, &o->items[i], t, v);
    }
}

static void lift_mov(struct ptx_lift *l)
{
    ptx_expect(l, "", 2, 2);
    enum ptx_type t = ptx_type_at(l, 0);
    const struct ptx_operand *d = ptx_operand(l, 0), *s = ptx_operand(l, 1);
    unsigned bits = ptx_type_bits(t);
    if (t == PTX_UNTYPED)
        ptx_refuse(l);
    if (d->kind != PTX_VECTOR && s->kind != PTX_VECTOR && bits != 128) {
        ptx_result(l, 0, t, ptx_source(l, 1, t));
        return;
    }
    uop_ref word[WORDS] = {0};
    unsigned from = s->kind == PTX_VECTOR ? s->item_count : 1, to = d->kind == PTX_VECTOR ? d->item_count : 1;
    if (!from || !to || from > PIECES || to > PIECES || bits % from || bits % to || bits / from < 8 || bits / to < 8) {
        ptx_refuse(l);
        return;
    }
    if (s->kind == PTX_VECTOR)
        pack(l, s, bits / from, word);
    else
        words_of(l, s, t, word);
    if (d->kind == PTX_VECTOR) {
        unpack(l, d, bits / to, word);
    } else if (bits == 128) {
        if (d->kind != PTX_REGISTER || l->f->registers.p[d->index].words != 4 || d->part) {
            ptx_refuse(l);
            return;
        }
        for (unsigned i = 0; i < 4; i++)
            ptx_write_word(l, ptx_number(l, d->index) + i, word[i]);
    } else {
        ptx_put(l, d, bits_type(l, bits), bits == 64 ? uop_make_pair(&l->make, word[0], word[1]) : word[0]);
    }
}

/* ---- conversions ----------------------------------------------------------------------------- */

static struct uop convert(enum uop_kind kind, enum uop_type type, unsigned round, unsigned flags, uint64_t imm)
{
    struct uop op = ptx_blank(kind, type);
    op.round = (uint8_t)round;
    op.flags = (uint8_t)flags;
    op.imm = imm;
    return op;
}

static uop_ref make1(struct ptx_lift *l, struct uop op, uop_ref a)
{
    return uop_make_full(&l->make, op, a, UOP_NONE, UOP_NONE);
}

/* Rounding to an integer: rni rzi rmi rpi. */
static bool integral_round(const struct ptx_lift *l, unsigned *round)
{
    static const struct {
        const char *name;
        uint8_t round;
    } rows[] = {{"rni", UOP_RN}, {"rzi", UOP_RZ}, {"rmi", UOP_RM}, {"rpi", UOP_RP}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (ptx_has(l, rows[i].name)) {
            *round = rows[i].round;
            return true;
        }
    return false;
}

static uop_ref clamp(struct ptx_lift *l, enum ptx_type to, enum ptx_type from, uop_ref v)
{
    bool to_signed = ptx_type_is_signed(to), from_signed = ptx_type_is_signed(from);
    unsigned bits = ptx_type_bits(to), source = ptx_type_bits(from);
    enum uop_type as = source == 64 ? UOP_B64 : UOP_B32;
    uint64_t most = to_signed ? (UINT64_C(1) << (bits - 1)) - 1 : bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    unsigned room = source == 64 ? 64 : 32;
    if (from_signed) {
        uint64_t least = to_signed ? UINT64_MAX << (bits - 1) : 0;
        if (bits < room || (bits == room && !to_signed))
            v = uop_make_op(&l->make, UOP_MAX_S, as, v, uop_make_const(&l->make, as, least), UOP_NONE);
        if (bits < room)
            v = uop_make_op(&l->make, UOP_MIN_S, as, v, uop_make_const(&l->make, as, most), UOP_NONE);
    } else if (bits < room || (bits == room && to_signed)) {
        v = uop_make_op(&l->make, UOP_MIN_U, as, v, uop_make_const(&l->make, as, most), UOP_NONE);
    }
    return v;
}

/* An integer widened or cut: its value is held in 32 or 64 bits. */
static uop_ref resize(struct ptx_lift *l, enum ptx_type to, enum ptx_type from, uop_ref v)
{
    bool wide = ptx_type_bits(to) == 64, was = ptx_type_bits(from) == 64;
    if (wide && !was)
        return uop_make_imm(&l->make, ptx_type_is_signed(from) ? UOP_SEXT : UOP_ZEXT, UOP_B64, 32, v, UOP_NONE,
                            UOP_NONE);
    return was && !wide ? uop_make_lo(&l->make, v) : v;
}

static bool is_plain(enum ptx_type t)
{
    return ptx_type_is_float(t) || (t >= PTX_B8 && t <= PTX_S16) || (t >= PTX_B32 && t <= PTX_S32) ||
           (t >= PTX_B64 && t <= PTX_S64);
}

static uop_ref float_to_integer(struct ptx_lift *l, enum ptx_type d, enum ptx_type s, unsigned round)
{
    static const enum uop_type holds[] = {UOP_B8, UOP_B16, UOP_B32, UOP_B64};
    unsigned bits = ptx_type_bits(d);
    bool all_ones = s == PTX_F64 || bits == 64; /* what a NaN gives: 1 << (bits - 1), else 0 */
    struct uop op = convert(UOP_F2I,
                            holds[bits == 8    ? 0
                                  : bits == 16 ? 1
                                  : bits == 32 ? 2
                                               : 3],
                            round,
                            (ptx_has(l, "ftz") ? UOP_FTZ : 0u) | (all_ones ? UOP_NAN : 0u) |
                                (ptx_type_is_signed(d) ? UOP_SIGNED : 0u),
                            ptx_type_uop(s));
    uop_ref v = make1(l, op, ptx_source(l, 1, s));
    if (bits < 32)
        v = uop_make_imm(&l->make, ptx_type_is_signed(d) ? UOP_SEXT : UOP_ZEXT, UOP_B32, bits, v, UOP_NONE, UOP_NONE);
    return v;
}

/* cvt.rn.f16x2.f32 d, a, b: a is the high half. */
static void convert_two(struct ptx_lift *l, enum ptx_type d)
{
    ptx_expect(l, "rn rz relu ftz sat satfinite", 3, 3);
    struct uop op = convert(UOP_F2F, d == PTX_F16X2 ? UOP_F16 : UOP_BF16, ptx_round(l), ptx_float_flags(l), UOP_F32);
    if (ptx_type_at(l, 1) != PTX_F32 || ptx_has(l, "satfinite"))
        ptx_refuse(l);
    uop_ref high = make1(l, op, ptx_source(l, 1, PTX_F32)), low = make1(l, op, ptx_source(l, 2, PTX_F32));
    ptx_result(l, 0, d, ptx_word_of_halves(l, low, high));
}

static void lift_cvt(struct ptx_lift *l)
{
    enum ptx_type d = ptx_type_at(l, 0), s = ptx_type_at(l, 1);
    unsigned round = ptx_round(l);
    if (d == PTX_F16X2 || d == PTX_BF16X2) {
        convert_two(l, d);
        return;
    }
    if (!is_plain(d) || !is_plain(s)) { /* small formats, tf32, packing: no effect but the result */
        ptx_unknown(l, false);
        return;
    }
    ptx_expect(l, "rn rz rm rp rna rni rzi rmi rpi ftz sat relu", 2, 2);
    bool integral = integral_round(l, &round), from = ptx_type_is_float(s), to = ptx_type_is_float(d);
    if (ptx_has(l, "rna"))
        ptx_refuse(l);
    uop_ref v;
    if (from && !to) {
        v = float_to_integer(l, d, s, round);
    } else if (!from && to) {
        bool sat = ptx_has(l, "sat");
        struct uop op = convert(UOP_I2F, ptx_type_uop(d), round, ptx_type_is_signed(s) ? UOP_SIGNED : 0u,
                                ptx_type_bits(s) == 64 ? 64 : 32);
        v = make1(l, op, ptx_source(l, 1, s));
        if (sat)
            ptx_refuse(l);
    } else if (from) {
        v = ptx_source(l, 1, s);
        if (d == s && integral) {
            v = make1(l, convert(UOP_FROUND, ptx_type_uop(d), round, ptx_has(l, "ftz") ? UOP_FTZ : 0u, 0), v);
            if (ptx_has(l, "sat"))
                v = uop_make_fadd(&l->make, ptx_type_uop(d), UOP_RN, UOP_SAT, v,
                                  uop_make_const(&l->make, ptx_type_uop(d), UINT64_C(1) << (ptx_type_bits(d) - 1)));
        } else if (d == s) { /* .sat and .ftz alone, as the machine does it */
            if (ptx_float_flags(l))
                v = uop_make_fadd(&l->make, ptx_type_uop(d), UOP_RN, ptx_float_flags(l), v,
                                  uop_make_const(&l->make, ptx_type_uop(d), UINT64_C(1) << (ptx_type_bits(d) - 1)));
        } else {
            if (integral)
                ptx_refuse(l);
            v = make1(l, convert(UOP_F2F, ptx_type_uop(d), round, ptx_float_flags(l), ptx_type_uop(s)), v);
        }
    } else {
        v = ptx_source(l, 1, s == PTX_B16 ? PTX_U16 : s == PTX_B8 ? PTX_U8 : s);
        if (ptx_has(l, "sat"))
            v = clamp(l, d, s, v);
        v = ptx_extend(l, d, resize(l, d, s, v));
    }
    ptx_result(l, 0, d, v);
}

/* ---- address spaces -------------------------------------------------------------------------- */

static uop_ref bank_word(struct ptx_lift *l, uint32_t offset)
{
    struct uop op = ptx_blank(UOP_CBANK, UOP_B64);
    op.imm = offset;
    op.width = 8;
    return uop_make_emit(&l->make, op);
}

/* Generic addresses: of global memory they are the same, local and shared memory begin at a window. */
static void lift_cvta(struct ptx_lift *l)
{
    const struct ptx_places *places = l->linker->places;
    ptx_expect(l, "to global shared local const param ::cta cta", 2, 2);
    enum ptx_type t = ptx_type_at(l, 0);
    bool shared = ptx_has(l, "shared"), local = ptx_has(l, "local"), to = ptx_has(l, "to");
    uop_ref v = ptx_source(l, 1, t), window = UOP_NONE;
    if (t != PTX_U64 && t != PTX_B64)
        ptx_refuse(l);
    if (ptx_has(l, "global") || ptx_has(l, "param")) {
        ptx_result(l, 0, t, v);
        return;
    }
    if (local && places->local_window)
        window = bank_word(l, places->local_window);
    else if (shared && places->shared_window)
        window = bank_word(l, places->shared_window);
    else if (shared) {
        struct uop op = ptx_blank(UOP_SREG, UOP_B32);
        op.imm = UOP_SR_SWINHI;
        if (to)
            v = uop_make_imm(&l->make, UOP_ZEXT, UOP_B64, 32, uop_make_lo(&l->make, v), UOP_NONE, UOP_NONE);
        else
            v = uop_make_pair(&l->make, uop_make_lo(&l->make, v), uop_make_emit(&l->make, op));
        ptx_result(l, 0, t, v);
        return;
    }
    if (window == UOP_NONE) {
        ptx_unknown(l, false);
        return;
    }
    if (to)
        window = uop_make_op(&l->make, UOP_NEG, UOP_B64, window, UOP_NONE, UOP_NONE);
    ptx_result(l, 0, t, uop_make_add(&l->make, UOP_B64, v, window));
}

static void no_effect(struct ptx_lift *l)
{
    ptx_unknown(l, false);
}

const struct ptx_op ptx_move_ops[] = {
    {"mov", lift_mov},        {"cvt", lift_cvt},        {"cvta", lift_cvta},         {"isspacep", no_effect},
    {"mma", no_effect},       {"fns", no_effect},       {"tex", no_effect},          {"tld4", no_effect},
    {"txq", no_effect},       {"suq", no_effect},       {"mapa", no_effect},         {"getctarank", no_effect},
    {"istypep", no_effect},   {"szext", no_effect},     {"createpolicy", no_effect}, {"vadd", no_effect},
    {"vsub", no_effect},      {"vabsdiff", no_effect},  {"vmin", no_effect},         {"vmax", no_effect},
    {"vshl", no_effect},      {"vshr", no_effect},      {"vmad", no_effect},         {"vset", no_effect},
    {"vabsdiff4", no_effect}, {"vabsdiff2", no_effect}, {"vadd4", no_effect},        {"vadd2", no_effect},
    {"vsub2", no_effect},     {"vsub4", no_effect},     {"vavrg2", no_effect},       {"vavrg4", no_effect},
    {"vmin2", no_effect},     {"vmin4", no_effect},     {"vmax2", no_effect},        {"vmax4", no_effect},
    {"vset2", no_effect},     {"vset4", no_effect},     {"movmatrix", no_effect},    {NULL, NULL},
};
