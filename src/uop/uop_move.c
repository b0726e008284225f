/* What the instructions do that move and choose: copies, SEL, byte permutes, predicate logic, predicates in a register,
 * special registers; the uniform datapath's included.
 *
 * A permute of whole bytes or halves that one shift or one extension also makes comes out as that. requires/gives: see
 * uop_build.h. */
#include "uop/uop_build.h"

void lift_mov(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_64, ISA_MOD_U32, ISA_MOD_SPILL, ISA_MOD_FILL, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, 2);
    if (lift_mod(l, ISA_MOD_64))
        lift_write64(l, 0, lift_src64(l, 1));
    else
        lift_write(l, 0, lift_src(l, 1));
}

void lift_sel(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_64, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods))
        lift_refuse(l);
    lift_expect_count(l, 4);
    if (lift_mod(l, ISA_MOD_64)) {
        uop_ref a = lift_src64(l, 1), b = lift_src64(l, 2);
        lift_write64(l, 0, lift_select(l, UOP_B64, lift_pred(l, 3), a, b));
    } else {
        uop_ref a = lift_src(l, 1), b = lift_src(l, 2);
        lift_write(l, 0, lift_select(l, UOP_B32, lift_pred(l, 3), a, b));
    }
}

/* One half of a permutation that moves whole halves: selector byte 10 a.low, 32 a.high, 54 c.low, 76 c.high. */
static bool permuted_half(struct lift *l, unsigned selector, uop_ref a, uop_ref c, uop_ref *out)
{
    static const unsigned char whole[4] = {0x10, 0x32, 0x54, 0x76};
    for (unsigned k = 0; k < 4; k++) {
        if (selector != whole[k])
            continue;
        *out = lift_op(l, k & 1 ? UOP_HI : UOP_LO, UOP_B16, k < 2 ? a : c, UOP_NONE, UOP_NONE);
        return true;
    }
    return false;
}

void lift_prmt(struct lift *l)
{
    static const enum isa_mod modes[7] = {ISA_MOD_NONE, ISA_MOD_F4E, ISA_MOD_B4E, ISA_MOD_RC8,
                                          ISA_MOD_ECL,  ISA_MOD_ECR, ISA_MOD_RC16};
    unsigned mode = 0;
    for (unsigned m = 1; m < 7; m++)
        if (lift_mod(l, modes[m]))
            mode = m;
    if (l->insn->mod_count > (mode ? 1 : 0))
        lift_refuse(l);
    lift_expect_count(l, 4);
    uop_ref a = lift_src(l, 1), selector = lift_src(l, 2), c = lift_src(l, 3), low, high;
    uint64_t s;
    if (mode == 0 && lift_is_const(l, selector, &s)) {
        s &= 0xffff;
        bool zero_c = lift_equals(l, c, 0);
        uop_ref v = UOP_NONE;
        if (s == 0x3210)
            v = a;
        else if (s == 0x7654)
            v = c;
        else if (s == 0x8880 || s == 0x9910)
            v = lift_imm(l, UOP_SEXT, UOP_B32, s == 0x8880 ? 8 : 16, a, UOP_NONE, UOP_NONE);
        else if (zero_c && (s == 0x7770 || s == 0x4440 || s == 0x7710 || s == 0x7610 || s == 0x5410))
            v = lift_imm(l, UOP_ZEXT, UOP_B32, (s & 0xff) == 0x10 ? 16 : 8, a, UOP_NONE, UOP_NONE);
        else if (permuted_half(l, s & 0xff, a, c, &low) && permuted_half(l, (unsigned)(s >> 8), a, c, &high))
            v = lift_op(l, UOP_PAIR, UOP_B32, low, high, UOP_NONE);
        if (v != UOP_NONE) {
            lift_write(l, 0, v);
            return;
        }
    }
    lift_write(l, 0, lift_imm(l, UOP_PRMT, UOP_B32, mode, a, selector, c));
}

/* PLOP3 Pu, Pv, Pa, Pb, Pc, table of Pu, table of Pv. */
void lift_plop3(struct lift *l)
{
    const struct isa_operand *first = lift_operand(l, 5), *second = lift_operand(l, 6);
    if (!first || !second || first->kind != ISA_OPERAND_IMM || second->kind != ISA_OPERAND_IMM) {
        lift_refuse(l);
        return;
    }
    lift_expect_count(l, 7);
    uop_ref a = lift_pred(l, 2), b = lift_pred(l, 3), c = lift_pred(l, 4);
    if (lift_written(l, 0))
        lift_write(l, 0, lift_lop3(l, UOP_B1, a, b, c, (unsigned)first->value));
    if (lift_written(l, 1))
        lift_write(l, 1, lift_lop3(l, UOP_B1, a, b, c, (unsigned)second->value));
}

/* P2R Rd, PR, Ra, mask: the predicates named by the mask as bits 0 to 6, the rest of the register from Ra. */
void lift_p2r(struct lift *l)
{
    const struct isa_operand *all = lift_operand(l, 1), *mask = lift_operand(l, 3);
    if (!all || all->kind != ISA_OPERAND_PR || !mask || mask->kind != ISA_OPERAND_IMM || lift_count(l) != 4 ||
        l->insn->mod_count > 1) {
        lift_refuse(l);
        return;
    }
    unsigned shift = lift_mod(l, ISA_MOD_B1) ? 8 : lift_mod(l, ISA_MOD_B2) ? 16 : lift_mod(l, ISA_MOD_B3) ? 24 : 0;
    if (l->insn->mod_count && !shift)
        lift_refuse(l);
    uint32_t named = (uint32_t)mask->value & 0x7f;
    if ((uint32_t)mask->value & ~0x7fu)
        lift_refuse(l);
    const struct isa_operand *d = lift_operand(l, 0);
    enum uop_file file = d && d->kind == ISA_OPERAND_UREG ? UOP_FILE_UP : UOP_FILE_P;
    uop_ref rest = lift_src(l, 2), v = lift_and(l, UOP_B32, rest, lift_const(l, UOP_B32, ~(named << shift)));
    for (unsigned p = 0; p < 7; p++) {
        if (!(named >> p & 1))
            continue;
        uop_ref from = lift_read(l, file, p), one = lift_const(l, UOP_B32, 1u << (p + shift)),
                zero = lift_const(l, UOP_B32, 0);
        uop_ref bit = lift_select(l, UOP_B32, from, one, zero);
        v = lift_or(l, UOP_B32, v, bit);
    }
    lift_write(l, 0, v);
}

/* R2P PR, Ra, mask: the predicates named by the mask become the bits of Ra (of its byte Ra.B1 ...). */
void lift_r2p(struct lift *l)
{
    const struct isa_operand *all = lift_operand(l, 0), *mask = lift_operand(l, 2);
    if (!all || all->kind != ISA_OPERAND_PR || !mask || mask->kind != ISA_OPERAND_IMM || lift_count(l) != 3 ||
        l->insn->mod_count) {
        lift_refuse(l);
        return;
    }
    uop_ref v = lift_src(l, 1);
    const struct isa_operand *from = lift_operand(l, 1);
    for (unsigned p = 0; p < 7; p++) {
        if (!((uint64_t)mask->value >> p & 1))
            continue;
        uop_ref bit = lift_and(l, UOP_B32, v, lift_const(l, UOP_B32, 1u << p));
        uop_ref set = lift_not(l, UOP_B1, lift_imm(l, UOP_IEQ, UOP_B1, 32, bit, lift_const(l, UOP_B32, 0), UOP_NONE));
        struct uop write = {.kind = UOP_WRITE,
                            .file = from->kind == ISA_OPERAND_UREG ? UOP_FILE_UP : UOP_FILE_P,
                            .reg = (uint16_t)p,
                            .arg = {set, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}};
        lift_emit(l, write);
    }
}

void lift_s2r(struct lift *l)
{
    static const struct {
        uint16_t number, sreg;
    } rows[] = {
        {0, UOP_SR_LANEID},      {33, UOP_SR_TID_X},     {34, UOP_SR_TID_Y},          {35, UOP_SR_TID_Z},
        {37, UOP_SR_CTAID_X},    {38, UOP_SR_CTAID_Y},   {39, UOP_SR_CTAID_Z},        {47, UOP_SR_SWINHI},
        {50, UOP_SR_SMEMSZ},     {55, UOP_SR_STACK_END}, {56, UOP_SR_EQMASK},         {57, UOP_SR_LTMASK},
        {58, UOP_SR_LEMASK},     {59, UOP_SR_GTMASK},    {60, UOP_SR_GEMASK},         {67, UOP_SR_SMID},
        {80, UOP_SR_CLOCK_LO},   {81, UOP_SR_CLOCK_HI},  {82, UOP_SR_GLOBALTIMER_LO}, {83, UOP_SR_GLOBALTIMER_HI},
        {136, UOP_SR_CGA_CTAID}, {255, UOP_SR_ZERO},
    };
    const struct isa_operand *o = lift_operand(l, 1);
    if (!o || o->kind != ISA_OPERAND_SREG) {
        lift_refuse(l);
        return;
    }
    /* CS2R without .32 reads a pair; S2R one word. */
    bool pair = (l->insn->op == ISA_OP_CS2R || l->insn->op == ISA_OP_CS2UR) && !lift_mod(l, ISA_MOD_32);
    if (!lift_written(l, 0))
        return;
    for (unsigned word = 0; word < (pair ? 2u : 1u); word++) {
        uint64_t number = (uint64_t)o->value + (o->value == 255 ? 0 : word), sreg = UOP_SR_OTHER + number;
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i].number == number)
                sreg = rows[i].sreg;
        if (sreg == UOP_SR_ZERO) {
            lift_write_word(l, 0, word, lift_const(l, UOP_B32, 0));
            continue;
        }
        struct uop op = {
            .kind = UOP_SREG, .type = UOP_B32, .imm = sreg, .arg = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}};
        lift_write_word(l, 0, word, lift_emit(l, op));
    }
}

void lift_cs2r(struct lift *l)
{
    lift_s2r(l);
}

void lift_r2ur(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_FILL, ISA_MOD_NONE};
    unsigned d = 0;
    while (lift_is_pred(l, d)) {
        if (lift_written(l, d))
            lift_refuse(l);
        d++;
    }
    if (!lift_only_mods(l, mods) || lift_count(l) != d + 2)
        lift_refuse(l);
    lift_write(l, d, lift_op(l, UOP_UNIFORM, UOP_B32, lift_src(l, d + 1), UOP_NONE, UOP_NONE));
}
