/* What the memory instructions do: loads, stores, constant banks, atomics, fences and asynchronous copies.
 *
 * An address is one value, everything added: 64 bits for global and generic, 32 for shared and local. A
 * descriptor's uniform pair does not change the address; it is read (a PAIR as second argument of the access) so
 * that register flow shows it alive until then. requires/gives: see uop_build.h. */
#include "uop/uop_build.h"

#include <assert.h>

static struct uop blank(enum uop_kind kind, enum uop_type type)
{
    return (struct uop){
        .kind = (uint8_t)kind, .type = (uint8_t)type, .arg = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}};
}

static enum uop_space space_of(unsigned op)
{
    switch (op) {
    case ISA_OP_LDS:
    case ISA_OP_STS:
    case ISA_OP_ATOMS: return UOP_SHARED;
    case ISA_OP_LDL:
    case ISA_OP_STL: return UOP_LOCAL;
    case ISA_OP_LD:
    case ISA_OP_ST:
    case ISA_OP_ATOM: return UOP_GENERIC;
    default: return UOP_GLOBAL;
    }
}

/* Weak unless STRONG, CONSTANT or MMIO says more; a bare .SYS (sm_75) is weak. */
static enum uop_order order_of(const struct lift *l)
{
    if (lift_mod(l, ISA_MOD_CONSTANT))
        return UOP_READONLY;
    if (lift_mod(l, ISA_MOD_MMIO))
        return UOP_MMIO;
    if (!lift_mod(l, ISA_MOD_STRONG))
        return UOP_WEAK;
    if (lift_mod(l, ISA_MOD_SYS))
        return UOP_RELAXED_SYS;
    return lift_mod(l, ISA_MOD_CTA) || lift_mod(l, ISA_MOD_SM) ? UOP_RELAXED_CTA : UOP_RELAXED_GPU;
}

/* Bytes a thread moves; *is_signed for S8 and S16. Modifiers that name an atomic's type are not looked at here. */
static unsigned width_of(const struct lift *l, bool *is_signed)
{
    *is_signed = lift_mod(l, ISA_MOD_S8) || lift_mod(l, ISA_MOD_S16);
    if (lift_mod(l, ISA_MOD_U8) || lift_mod(l, ISA_MOD_S8))
        return 1;
    if (lift_mod(l, ISA_MOD_U16) || lift_mod(l, ISA_MOD_S16))
        return 2;
    if (lift_mod(l, ISA_MOD_64))
        return 8;
    return lift_mod(l, ISA_MOD_128) ? 16 : 4;
}

static unsigned scale_of(const struct isa_operand *o)
{
    return isa_operand_has_mod(o, ISA_MOD_X4)    ? 2
           : isa_operand_has_mod(o, ISA_MOD_X8)  ? 3
           : isa_operand_has_mod(o, ISA_MOD_X16) ? 4
                                                 : 0;
}

static uop_ref register_pair(struct lift *l, enum uop_file file, unsigned reg)
{
    uop_ref low = lift_read(l, file, reg);
    return lift_pair(l, low, lift_read(l, file, reg + 1u));
}

/* The address operand *i as a value, and the descriptor pair or UOP_NONE. */
static uop_ref address(struct lift *l, unsigned i, enum uop_space space, uop_ref *descriptor)
{
    const struct isa_operand *o = lift_operand(l, i);
    bool wide = space == UOP_GLOBAL || space == UOP_GENERIC;
    enum uop_type type = wide ? UOP_B64 : UOP_B32;
    *descriptor = UOP_NONE;
    if (!o || o->kind != ISA_OPERAND_MEM) {
        lift_refuse(l);
        return lift_const(l, type, 0);
    }
    if (o->desc != ISA_NO_REG)
        *descriptor = o->desc == ISA_RZ ? lift_const(l, UOP_B64, 0) : register_pair(l, UOP_FILE_UR, o->desc);
    uop_ref v = lift_const(l, type, 0);
    bool has_ubase = o->ubase != ISA_NO_REG && o->ubase != ISA_RZ;
    if (o->base != ISA_NO_REG && o->base != ISA_RZ) {
        uop_ref low = lift_read(l, UOP_FILE_R, o->base);
        /* A global address is a register pair when the instruction is .E and the operand does not say otherwise. */
        bool pair = wide && !isa_operand_has_mod(o, ISA_MOD_U32) &&
                    (isa_operand_has_mod(o, ISA_MOD_64) || lift_mod(l, ISA_MOD_E));
        if (isa_operand_has_mod(o, ISA_MOD_S32))
            lift_refuse(l);
        if (!wide)
            v = low;
        else if (pair)
            v = register_pair(l, UOP_FILE_R, o->base);
        else
            v = lift_imm(l, UOP_ZEXT, UOP_B64, 32, low, UOP_NONE, UOP_NONE);
        if (scale_of(o))
            v = lift_op(l, UOP_SHL, type, v, lift_const(l, UOP_B32, scale_of(o)), UOP_NONE);
    }
    if (has_ubase) {
        uop_ref low = lift_read(l, UOP_FILE_UR, o->ubase), u = low;
        if (wide)
            u = lift_mod(l, ISA_MOD_E) ? register_pair(l, UOP_FILE_UR, o->ubase)
                                       : lift_imm(l, UOP_ZEXT, UOP_B64, 32, low, UOP_NONE, UOP_NONE);
        v = lift_add(l, type, v, u);
    }
    return lift_add(l, type, v, lift_const(l, type, (uint64_t)o->value));
}

/* Modifiers that change what is moved are known; cache hints and prefetch sizes say nothing about the value. */
static const enum isa_mod access_mods[] = {
    ISA_MOD_E,   ISA_MOD_U8,     ISA_MOD_S8,       ISA_MOD_U16,     ISA_MOD_S16,  ISA_MOD_32,  ISA_MOD_64,
    ISA_MOD_128, ISA_MOD_U,      ISA_MOD_CONSTANT, ISA_MOD_STRONG,  ISA_MOD_SYS,  ISA_MOD_GPU, ISA_MOD_CTA,
    ISA_MOD_SM,  ISA_MOD_MMIO,   ISA_MOD_PRIVATE,  ISA_MOD_EF,      ISA_MOD_EL,   ISA_MOD_LU,  ISA_MOD_EU,
    ISA_MOD_NA,  ISA_MOD_LTC64B, ISA_MOD_LTC128B,  ISA_MOD_LTC256B, ISA_MOD_NONE,
};

void lift_load(struct lift *l)
{
    bool is_signed;
    unsigned width = width_of(l, &is_signed);
    enum uop_space space = space_of(l->insn->op);
    if (!lift_only_mods(l, access_mods) || lift_count(l) != 2)
        lift_refuse(l); /* a further predicate chooses lanes that get zero: not described */
    uop_ref descriptor, at = address(l, 1, space, &descriptor);
    struct uop op = blank(UOP_LOAD, width == 16 ? UOP_B128 : width == 8 ? UOP_B64 : UOP_B32);
    op.space = (uint8_t)space;
    op.order = (uint8_t)order_of(l);
    op.width = (uint8_t)width;
    op.flags = is_signed ? UOP_SIGNED : 0;
    op.arg[0] = at;
    op.arg[1] = descriptor;
    uop_ref v = lift_emit(l, op);
    if (width <= 4) {
        lift_write(l, 0, v);
    } else if (width == 8) {
        lift_write64(l, 0, v);
    } else if (lift_written(l, 0)) {
        for (unsigned word = 0; word < 4; word++)
            lift_write_word(l, 0, word, lift_imm(l, UOP_ELEMENT, UOP_B32, word, v, UOP_NONE, UOP_NONE));
    }
}

void lift_store(struct lift *l)
{
    bool is_signed;
    unsigned width = width_of(l, &is_signed), words = width <= 4 ? 1 : width / 4;
    enum uop_space space = space_of(l->insn->op);
    const struct isa_operand *data = lift_operand(l, 1);
    if (!lift_only_mods(l, access_mods) || lift_count(l) != 2 || !lift_is_reg(l, 1) ||
        data->flags & (ISA_NEG | ISA_ABS | ISA_INV)) {
        lift_refuse(l);
        return;
    }
    uop_ref descriptor, at = address(l, 0, space, &descriptor);
    struct uop op = blank(UOP_STORE, UOP_VOID);
    op.space = (uint8_t)space;
    op.order = (uint8_t)order_of(l);
    op.width = (uint8_t)width;
    op.arg[0] = at;
    enum uop_file file = data->kind == ISA_OPERAND_REG ? UOP_FILE_R : UOP_FILE_UR;
    for (unsigned i = 0; i < words && i < 4; i++)
        op.arg[1 + i] = lift_read(l, file, data->reg == ISA_RZ ? ISA_RZ : data->reg + i);
    lift_emit(l, op);
}

/* LDGSTS [shared], [global], p: what is stored is loaded at some time after this and before the wait that follows;
 * zeros where p is false. ASYNC_COPY says so of the LOAD and the STORE before it. (.ZFILL codes a number of bytes in
 * the address: not described.) */
void lift_copy(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_E,       ISA_MOD_64,      ISA_MOD_128, ISA_MOD_BYPASS, ISA_MOD_LTC64B,
                                        ISA_MOD_LTC128B, ISA_MOD_LTC256B, ISA_MOD_EF,  ISA_MOD_EL,     ISA_MOD_LU,
                                        ISA_MOD_EU,      ISA_MOD_NA,      ISA_MOD_NONE};
    bool is_signed;
    unsigned width = width_of(l, &is_signed), words = width / 4, count = lift_count(l);
    if (!lift_only_mods(l, mods) || count < 2 || count > 3 || (count == 3 && !lift_is_pred(l, 2))) {
        lift_refuse(l);
        return;
    }
    struct uop load = blank(UOP_LOAD, width == 16 ? UOP_B128 : width == 8 ? UOP_B64 : UOP_B32);
    struct uop store = blank(UOP_STORE, UOP_VOID), copy = blank(UOP_ASYNC_COPY, UOP_VOID);
    uop_ref none, when = count == 3 ? lift_pred(l, 2) : UOP_NONE;
    bool never = when != UOP_NONE && lift_equals(l, when, 0), always = when == UOP_NONE || lift_equals(l, when, 1);
    store.space = UOP_SHARED;
    store.width = load.width = copy.width = (uint8_t)width;
    store.arg[0] = copy.arg[0] = address(l, 0, UOP_SHARED, &none);
    load.space = UOP_GLOBAL;
    load.arg[0] = copy.arg[1] = address(l, 1, UOP_GLOBAL, &load.arg[1]);
    copy.arg[2] = when;
    uop_ref v = never ? UOP_NONE : lift_emit(l, load);
    for (unsigned word = 0; word < words; word++) {
        uop_ref w = never         ? lift_const(l, UOP_B32, 0)
                    : width == 4  ? v
                    : width == 16 ? lift_imm(l, UOP_ELEMENT, UOP_B32, word, v, UOP_NONE, UOP_NONE)
                    : word        ? lift_hi(l, v)
                                  : lift_lo(l, v);
        if (!always && !never)
            w = lift_select(l, UOP_B32, when, w, lift_const(l, UOP_B32, 0));
        store.arg[1 + word] = w;
    }
    lift_emit(l, store);
    lift_emit(l, copy);
}

/* LDC, ULDC, LDCU: 4, 8 or 16 bytes of a constant bank; an index register may be added. */
void lift_ldc(struct lift *l)
{
    bool is_signed;
    unsigned width = width_of(l, &is_signed);
    static const enum isa_mod mods[] = {ISA_MOD_U8, ISA_MOD_S8, ISA_MOD_U16, ISA_MOD_S16,
                                        ISA_MOD_32, ISA_MOD_64, ISA_MOD_128, ISA_MOD_NONE};
    const struct isa_operand *o = lift_operand(l, 1);
    if (!lift_only_mods(l, mods) || lift_count(l) != 2 || !o || o->kind != ISA_OPERAND_CONST) {
        lift_refuse(l);
        return;
    }
    uop_ref index = lift_bank_index(l, o);
    for (unsigned word = 0; word < (width <= 4 ? 1 : width / 8); word++) {
        struct uop op = blank(UOP_CBANK, width == 1 ? UOP_B8 : width == 2 ? UOP_B16 : width == 4 ? UOP_B32 : UOP_B64);
        op.space = o->bank;
        op.width = (uint8_t)(width > 8 ? 8 : width);
        op.imm = (uint64_t)o->value + 8u * word;
        op.arg[0] = index;
        uop_ref v = lift_emit(l, op);
        if (width < 4) {
            lift_write(l, 0, lift_imm(l, is_signed ? UOP_SEXT : UOP_ZEXT, UOP_B32, 8 * width, v, UOP_NONE, UOP_NONE));
        } else if (width == 4) {
            lift_write(l, 0, v);
        } else if (lift_written(l, 0)) {
            lift_write_word(l, 0, 2 * word, lift_lo(l, v));
            lift_write_word(l, 0, 2 * word + 1, lift_hi(l, v));
        }
    }
}

/* ---- atomics ------------------------------------------------------------------------------------------------- */

static bool atom_operation(struct lift *l, enum uop_atom *out)
{
    static const struct {
        enum isa_mod mod;
        uint8_t atom;
    } rows[] = {
        {ISA_MOD_ADD, UOP_ATOM_ADD}, {ISA_MOD_MIN, UOP_ATOM_MIN}, {ISA_MOD_MAX, UOP_ATOM_MAX},
        {ISA_MOD_INC, UOP_ATOM_INC}, {ISA_MOD_DEC, UOP_ATOM_DEC}, {ISA_MOD_AND, UOP_ATOM_AND},
        {ISA_MOD_OR, UOP_ATOM_OR},   {ISA_MOD_XOR, UOP_ATOM_XOR}, {ISA_MOD_EXCH, UOP_ATOM_EXCH},
        {ISA_MOD_CAS, UOP_ATOM_CAS},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!lift_mod(l, rows[i].mod))
            continue;
        *out = (enum uop_atom)rows[i].atom;
        return true;
    }
    return false;
}

/* The operation's type and width; packed halves have their half's type and 4 bytes. */
static void atom_type(struct lift *l, struct uop *op)
{
    static const struct {
        enum isa_mod mod;
        uint8_t type, width, flags;
    } rows[] = {
        {ISA_MOD_F16x2, UOP_F16, 4, 0}, {ISA_MOD_BF16x2, UOP_BF16, 4, 0},      {ISA_MOD_F32, UOP_F32, 4, 0},
        {ISA_MOD_F64, UOP_F64, 8, 0},   {ISA_MOD_U64, UOP_B64, 8, 0},          {ISA_MOD_S64, UOP_B64, 8, UOP_SIGNED},
        {ISA_MOD_64, UOP_B64, 8, 0},    {ISA_MOD_S32, UOP_B32, 4, UOP_SIGNED},
    };
    static const enum isa_mod mods[] = {
        ISA_MOD_E,       ISA_MOD_ADD, ISA_MOD_MIN,    ISA_MOD_MAX, ISA_MOD_INC,   ISA_MOD_DEC,    ISA_MOD_AND,
        ISA_MOD_OR,      ISA_MOD_XOR, ISA_MOD_EXCH,   ISA_MOD_CAS, ISA_MOD_F16x2, ISA_MOD_BF16x2, ISA_MOD_F32,
        ISA_MOD_F64,     ISA_MOD_U64, ISA_MOD_S64,    ISA_MOD_64,  ISA_MOD_S32,   ISA_MOD_U32,    ISA_MOD_32,
        ISA_MOD_FTZ,     ISA_MOD_RN,  ISA_MOD_STRONG, ISA_MOD_SYS, ISA_MOD_GPU,   ISA_MOD_CTA,    ISA_MOD_SM,
        ISA_MOD_PRIVATE, ISA_MOD_EF,  ISA_MOD_EL,     ISA_MOD_LU,  ISA_MOD_EU,    ISA_MOD_NA,     ISA_MOD_NONE,
    };
    enum uop_atom atom = UOP_ATOM_ADD;
    if (!lift_only_mods(l, mods) || !atom_operation(l, &atom))
        lift_refuse(l);
    op->imm = atom;
    op->type = UOP_B32;
    op->width = 4;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!lift_mod(l, rows[i].mod))
            continue;
        op->type = rows[i].type;
        op->width = rows[i].width;
        op->flags = rows[i].flags;
        break;
    }
    if (lift_mod(l, ISA_MOD_FTZ))
        op->flags |= UOP_FTZ;
    op->space = (uint8_t)space_of(l->insn->op);
    op->order = (uint8_t)order_of(l);
}

/* ATOMS.POPC.INC.32 RZ, [address]: the hardware adds the number of active lanes at once, which is one for each
 * thread. */
static void count_lanes(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_POPC, ISA_MOD_INC, ISA_MOD_32, ISA_MOD_NONE};
    if (!lift_only_mods(l, mods) || l->insn->op != ISA_OP_ATOMS || lift_count(l) != 2 || lift_written(l, 0)) {
        lift_refuse(l);
        return;
    }
    struct uop op = blank(UOP_RED, UOP_B32);
    op.imm = UOP_ATOM_ADD;
    op.width = 4;
    op.space = UOP_SHARED;
    op.arg[0] = address(l, 1, UOP_SHARED, &op.arg[2]);
    op.arg[1] = lift_const(l, UOP_B32, 1);
    lift_emit(l, op);
}

/* ATOMS.CAST.SPIN d, [address], b, c: compares and swaps, and says whether it did (d is 1 or 0, or a predicate). The
 * hardware may also fail without a reason; then the loop around it turns once more. */
static void compare_and_tell(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_CAST, ISA_MOD_SPIN, ISA_MOD_64, ISA_MOD_32, ISA_MOD_NONE};
    bool wide = lift_mod(l, ISA_MOD_64);
    struct uop op = blank(UOP_ATOM, wide ? UOP_B64 : UOP_B32);
    if (!lift_only_mods(l, mods) || l->insn->op != ISA_OP_ATOMS || lift_count(l) != 4) {
        lift_refuse(l);
        return;
    }
    op.imm = UOP_ATOM_CAS;
    op.width = wide ? 8 : 4;
    op.space = UOP_SHARED;
    op.arg[0] = address(l, 1, UOP_SHARED, &op.arg[3]);
    op.arg[1] = wide ? lift_src64(l, 2) : lift_src(l, 2);
    op.arg[2] = wide ? lift_src64(l, 3) : lift_src(l, 3);
    uop_ref old = lift_emit(l, op);
    uop_ref did = lift_imm(l, UOP_IEQ, UOP_B1, wide ? 64 : 32, old, op.arg[1], UOP_NONE);
    if (lift_is_pred(l, 0)) {
        lift_write(l, 0, did);
        return;
    }
    uop_ref word = lift_select(l, UOP_B32, did, lift_const(l, UOP_B32, 1), lift_const(l, UOP_B32, 0));
    lift_write(l, 0, word);
    if (wide && lift_written(l, 0))
        lift_write_word(l, 0, 1, lift_const(l, UOP_B32, 0));
}

/* ATOM, ATOMG, ATOMS: [Pu,] d, [address], b[, c]. */
void lift_atom(struct lift *l)
{
    if (lift_mod(l, ISA_MOD_CAST)) {
        compare_and_tell(l);
        return;
    }
    if (lift_mod(l, ISA_MOD_POPC)) {
        count_lanes(l);
        return;
    }
    unsigned d = 0;
    struct uop op = blank(UOP_ATOM, UOP_B32);
    bool asks = lift_is_pred(l, 0) && lift_written(l, 0); /* whether it could be done: only global memory can */
    while (lift_is_pred(l, d)) {
        if (lift_written(l, d) && (d || l->insn->op != ISA_OP_ATOM))
            lift_refuse(l);
        d++;
    }
    atom_type(l, &op);
    bool swap = op.imm == UOP_ATOM_CAS, wide = op.width == 8;
    if (lift_count(l) != d + 3 + swap) {
        lift_refuse(l);
        return;
    }
    op.arg[0] = address(l, d + 1, (enum uop_space)op.space, &op.arg[3]);
    op.arg[1] = wide ? lift_src64(l, d + 2) : lift_src(l, d + 2);
    if (swap)
        op.arg[2] = wide ? lift_src64(l, d + 3) : lift_src(l, d + 3);
    if (asks) {
        struct uop in = blank(UOP_WITHIN, UOP_B1);
        in.space = UOP_GLOBAL;
        in.arg[0] = op.arg[0];
        lift_write(l, 0, lift_emit(l, in));
    }
    uop_ref old = lift_emit(l, op);
    if (wide)
        lift_write64(l, d, old);
    else
        lift_write(l, d, old);
}

/* QSPC: which window a generic address lies in. Pu, d, [address]. */
void lift_qspc(struct lift *l)
{
    struct uop in = blank(UOP_WITHIN, UOP_B1);
    uop_ref descriptor;
    if (lift_count(l) != 3 || lift_mod(l, ISA_MOD_D) || lift_written(l, 1)) {
        lift_refuse(l);
        return;
    }
    in.space = lift_mod(l, ISA_MOD_S) ? UOP_SHARED : lift_mod(l, ISA_MOD_L) ? UOP_LOCAL : UOP_GLOBAL;
    in.arg[0] = address(l, 2, UOP_GENERIC, &descriptor);
    lift_write(l, 0, lift_emit(l, in));
}

/* RED, REDG: [address], b. */
void lift_red(struct lift *l)
{
    struct uop op = blank(UOP_RED, UOP_B32);
    atom_type(l, &op);
    if (lift_count(l) != 2 || op.imm == UOP_ATOM_CAS || op.imm == UOP_ATOM_EXCH) {
        lift_refuse(l);
        return;
    }
    op.arg[0] = address(l, 0, UOP_GLOBAL, &op.arg[2]);
    op.arg[1] = op.width == 8 ? lift_src64(l, 1) : lift_src(l, 1);
    lift_emit(l, op);
}

/* ---- order --------------------------------------------------------------------------------------------------- */

/* MEMBAR, ERRBAR, CGAERRBAR, FENCE: imm 0 CTA, 1 GPU, 2 SYS, 3 anything else. */
void lift_membar(struct lift *l)
{
    struct uop op = blank(UOP_FENCE, UOP_VOID);
    op.imm = lift_mod(l, ISA_MOD_CTA) ? 0 : lift_mod(l, ISA_MOD_GPU) ? 1 : lift_mod(l, ISA_MOD_SYS) ? 2 : 3;
    lift_emit(l, op);
}

/* A cache operation moves no value a program can see; its operands are read. */
void lift_cctl(struct lift *l)
{
    struct uop op = blank(UOP_PREFETCH, UOP_VOID);
    for (unsigned i = 0; i < lift_count(l); i++) {
        const struct isa_operand *o = lift_operand(l, i);
        uop_ref descriptor;
        if (o->kind == ISA_OPERAND_MEM)
            op.arg[0] = address(l, i, UOP_GLOBAL, &descriptor);
    }
    lift_emit(l, op);
}

void lift_wait(struct lift *l)
{
    lift_emit(l, blank(UOP_ASYNC_WAIT, UOP_VOID));
}
