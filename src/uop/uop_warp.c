/* What the instructions that let threads of a warp or block look at one another do. Each has a value per thread that
 * depends on other threads: effects, never folded. requires/gives: see uop_build.h. */
#include "uop/uop_build.h"

static struct uop blank(enum uop_kind kind, enum uop_type type)
{
    return (struct uop){
        .kind = (uint8_t)kind, .type = (uint8_t)type, .arg = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}};
}

/* SHFL.mode Pu, d, a, lane, mask. */
void lift_shfl(struct lift *l)
{
    unsigned mode = lift_mod(l, ISA_MOD_UP) ? 1 : lift_mod(l, ISA_MOD_DOWN) ? 2 : lift_mod(l, ISA_MOD_BFLY) ? 3 : 0;
    if (lift_count(l) != 5 || !lift_is_pred(l, 0) || l->insn->mod_count != 1 ||
        (mode == 0 && !lift_mod(l, ISA_MOD_IDX))) {
        lift_refuse(l);
        return;
    }
    uop_ref a = lift_src(l, 2), lane = lift_src(l, 3), mask = lift_src(l, 4);
    if (lift_written(l, 0))
        lift_write(l, 0, lift_imm(l, UOP_SHFL_IN, UOP_B1, mode, a, lane, mask));
    lift_write(l, 1, lift_imm(l, UOP_SHFL, UOP_B32, mode, a, lane, mask));
}

/* VOTE.mode [d,] Pu, Pp: d the lanes where Pp holds, Pu all, any or all equal. */
void lift_vote(struct lift *l)
{
    unsigned count = lift_count(l), mode = lift_mod(l, ISA_MOD_ANY) ? 1 : lift_mod(l, ISA_MOD_EQ) ? 2 : 0;
    if (count < 2 || count > 3 || l->insn->mod_count != 1 || (mode == 0 && !lift_mod(l, ISA_MOD_ALL))) {
        lift_refuse(l);
        return;
    }
    uop_ref p = lift_pred(l, count - 1);
    for (unsigned i = 0; i + 1 < count; i++) {
        if (!lift_written(l, i))
            continue;
        if (lift_is_reg(l, i))
            lift_write(l, i, lift_op(l, UOP_BALLOT, UOP_B32, p, UOP_NONE, UOP_NONE));
        else
            lift_write(l, i, lift_imm(l, UOP_VOTE, UOP_B1, mode, p, UOP_NONE, UOP_NONE));
    }
}

/* MATCH.ANY d, a; MATCH.ALL Pu, d, a. The predicate of ALL says that the mask is not empty. */
void lift_match(struct lift *l)
{
    unsigned d = lift_is_pred(l, 0) ? 1 : 0;
    bool any = lift_mod(l, ISA_MOD_ANY), wide = lift_mod(l, ISA_MOD_U64);
    if (lift_count(l) != d + 2 || (!any && !lift_mod(l, ISA_MOD_ALL)))
        lift_refuse(l);
    uop_ref a = wide ? lift_src64(l, d + 1) : lift_src(l, d + 1);
    uop_ref mask = lift_imm(l, UOP_MATCH, UOP_B32, any, a, UOP_NONE, UOP_NONE);
    if (d && lift_written(l, 0))
        lift_write(l, 0,
                   lift_not(l, UOP_B1, lift_imm(l, UOP_IEQ, UOP_B1, 32, mask, lift_const(l, UOP_B32, 0), UOP_NONE)));
    lift_write(l, d, mask);
}

/* REDUX.op d, a (CREDUX: min and max in one form of its own, of floats too). */
void lift_redux(struct lift *l)
{
    static const struct {
        enum isa_mod mod;
        uint8_t atom;
    } rows[] = {
        {ISA_MOD_SUM, UOP_ATOM_ADD}, {ISA_MOD_MIN, UOP_ATOM_MIN}, {ISA_MOD_MAX, UOP_ATOM_MAX},
        {ISA_MOD_AND, UOP_ATOM_AND}, {ISA_MOD_OR, UOP_ATOM_OR},   {ISA_MOD_XOR, UOP_ATOM_XOR},
    };
    static const enum isa_mod mods[] = {ISA_MOD_SUM, ISA_MOD_MIN, ISA_MOD_MAX, ISA_MOD_AND, ISA_MOD_OR,  ISA_MOD_XOR,
                                        ISA_MOD_S32, ISA_MOD_U32, ISA_MOD_F32, ISA_MOD_NAN, ISA_MOD_NONE};
    struct uop op = blank(UOP_REDUX, lift_mod(l, ISA_MOD_F32) ? UOP_F32 : UOP_B32);
    bool found = false;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (lift_mod(l, rows[i].mod)) {
            op.imm = rows[i].atom;
            found = true;
        }
    if (!found && l->insn->op == ISA_OP_REDUX && l->insn->mod_count == 0) { /* plain REDUX is AND */
        op.imm = UOP_ATOM_AND;
        found = true;
    }
    bool floats = op.type == UOP_F32, chooses = op.imm == UOP_ATOM_MIN || op.imm == UOP_ATOM_MAX;
    if (!found || !lift_only_mods(l, mods) || lift_count(l) != 2 || (floats ? !chooses : lift_mod(l, ISA_MOD_NAN)))
        lift_refuse(l);
    op.flags = (lift_mod(l, ISA_MOD_S32) ? UOP_SIGNED : 0) | (lift_mod(l, ISA_MOD_NAN) ? UOP_NAN : 0);
    op.arg[0] = lift_src(l, 1);
    lift_write(l, 0, lift_emit(l, op));
}

/* ELECT Pu, d[, Pp]: one lane is chosen, d names it. */
void lift_elect(struct lift *l)
{
    if (!lift_is_pred(l, 0)) {
        lift_refuse(l);
        return;
    }
    for (unsigned i = 1; i < lift_count(l); i++)
        if (lift_is_reg(l, i) && lift_written(l, i))
            lift_refuse(l);
    lift_write(l, 0, lift_emit(l, blank(UOP_ELECT, UOP_B1)));
}

static void keep_hidden(struct lift *l, unsigned reg, uop_ref value)
{
    struct uop op = blank(UOP_WRITE, UOP_VOID);
    op.file = UOP_FILE_B;
    op.reg = (uint16_t)reg;
    op.arg[0] = value;
    lift_emit(l, op);
}

/* A barrier that counts gives no truth, one that asks no count: what is read of the other nobody says. */
static void keep_result(struct lift *l, const struct uop *bar)
{
    bool counts = bar->imm == UOP_BAR_RED_POPC;
    struct uop gives = blank(UOP_BAR_GIVES, counts ? UOP_B32 : UOP_B1);
    gives.imm = bar->imm;
    gives.arg[0] = bar->arg[2];
    gives.width = bar->arg[1] != UOP_NONE;
    uop_ref v = lift_emit(l, gives);
    uop_ref other = lift_emit(l, blank(UOP_UNDEF, UOP_B32));
    if (!counts)
        v = lift_op(l, UOP_SELECT, UOP_B32, v, lift_const(l, UOP_B32, 1), lift_const(l, UOP_B32, 0));
    keep_hidden(l, counts ? UOP_B_COUNT : UOP_B_TRUTH, v);
    keep_hidden(l, counts ? UOP_B_TRUTH : UOP_B_COUNT, other);
}

/* BAR.SYNC a[, b]; BAR.ARV a, b; BAR.RED.op a[, b], p. */
void lift_bar(struct lift *l)
{
    struct uop op = blank(UOP_BAR, UOP_VOID);
    unsigned i = 0, count = lift_count(l);
    if (lift_mod(l, ISA_MOD_SYNC) || lift_mod(l, ISA_MOD_SYNCALL))
        op.imm = UOP_BAR_SYNC;
    else if (lift_mod(l, ISA_MOD_ARV))
        op.imm = UOP_BAR_ARRIVE;
    else if (lift_mod(l, ISA_MOD_RED))
        op.imm = lift_mod(l, ISA_MOD_AND)  ? UOP_BAR_RED_AND
                 : lift_mod(l, ISA_MOD_OR) ? UOP_BAR_RED_OR
                                           : UOP_BAR_RED_POPC;
    else
        lift_refuse(l);
    for (; i < count && i < 2 && !lift_is_pred(l, i); i++)
        op.arg[i] = lift_src(l, i);
    if (i < count)
        op.arg[2] = lift_pred(l, i++);
    if (i != count)
        lift_refuse(l);
    lift_emit(l, op);
    if (op.imm >= UOP_BAR_RED_POPC)
        keep_result(l, &op);
}

/* B2R.RESULT d, Pu: the count, the truth. Other forms tell of barriers themselves. */
void lift_b2r(struct lift *l)
{
    if (!lift_mod(l, ISA_MOD_RESULT) || l->insn->mod_count != 1) {
        lift_opaque_result(l);
        return;
    }
    for (unsigned i = 0; i < lift_count(l); i++) {
        if (!lift_written(l, i))
            continue;
        bool truth = lift_is_pred(l, i);
        uop_ref v = lift_read(l, UOP_FILE_B, truth ? UOP_B_TRUTH : UOP_B_COUNT);
        if (truth)
            v = lift_not(l, UOP_B1, lift_imm(l, UOP_IEQ, UOP_B1, 32, v, lift_const(l, UOP_B32, 0), UOP_NONE));
        lift_write(l, i, v);
    }
}

/* WARPSYNC mask: without a mask, or with every lane in it, all lanes meet. With .COLLECTIVE they go on together up to
 * the ENDCOLLECTIVE, and from there to the target, which compilers put behind it: in one thread it falls through. */
void lift_warpsync(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_ALL, ISA_MOD_COLLECTIVE, ISA_MOD_NONE};
    bool together = lift_mod(l, ISA_MOD_COLLECTIVE);
    unsigned masks = lift_count(l) - (together && lift_count(l) > 0);
    if (!lift_only_mods(l, mods) || masks > 1) {
        lift_refuse(l);
        return;
    }
    uop_ref mask = masks == 1 ? lift_src(l, 0) : UOP_NONE;
    struct uop op = blank(UOP_WARPSYNC, UOP_VOID);
    op.arg[0] = mask;
    if (mask == UOP_NONE || lift_equals(l, mask, UINT32_MAX)) {
        op = blank(UOP_RECONVERGE, UOP_VOID);
        op.imm = UOP_WARPSYNC_ALL;
    }
    lift_emit(l, op);
}
