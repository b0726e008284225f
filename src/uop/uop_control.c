/* What the control instructions do to one thread: branches, calls, returns, the end; and what does nothing to it
 * (reconvergence is a fact about other lanes). Targets are byte offsets in the section. requires/gives: see
 * uop_build.h. */
#include "uop/uop_build.h"

static struct uop blank(enum uop_kind kind)
{
    return (struct uop){.kind = (uint8_t)kind, .arg = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}};
}

/* Predicate operands besides the guard, all of them ANDed; UOP_NONE without one or when it is always true. */
static uop_ref operand_condition(struct lift *l)
{
    uop_ref p = lift_const(l, UOP_B1, 1);
    for (unsigned i = 0; i < lift_count(l); i++)
        if (lift_is_pred(l, i))
            p = lift_and(l, UOP_B1, p, lift_pred(l, i));
    return lift_equals(l, p, 1) ? UOP_NONE : p;
}

static const struct isa_operand *find(struct lift *l, unsigned kind)
{
    for (unsigned i = 0; i < lift_count(l); i++)
        if (lift_operand(l, i)->kind == kind)
            return lift_operand(l, i);
    return NULL;
}

void lift_bra(struct lift *l)
{
    static const enum isa_mod mods[] = {ISA_MOD_U, ISA_MOD_INC, ISA_MOD_DEC, ISA_MOD_DIV, ISA_MOD_CONV, ISA_MOD_NONE};
    const struct isa_operand *target = find(l, ISA_OPERAND_LABEL);
    if (!target || !lift_only_mods(l, mods)) {
        lift_refuse(l);
        return;
    }
    struct uop op = blank(UOP_BRANCH);
    op.imm = (uint64_t)target->value;
    op.arg[0] = operand_condition(l);
    if (lift_mod(l, ISA_MOD_DIV)) {
        /* Taken when the lanes of the mask run apart, to a copy of what follows that lets them meet at every step: for
         * one thread both ways do the same. */
        op = blank(UOP_RECONVERGE);
        for (unsigned i = 0; i < lift_count(l); i++)
            if (lift_is_reg(l, i))
                op.arg[1] = lift_src(l, i);
        op.imm = UOP_APART;
        op.arg[0] = lift_const(l, UOP_B64, (uint64_t)target->value); /* where they go then */
        lift_emit(l, op);
        return;
    }
    if (lift_mod(l, ISA_MOD_CONV)) {
        /* Taken when the lanes of the mask run together; else they meet first and then do what stands at the target:
         * for one thread both ways do the same. */
        struct uop asks = blank(UOP_RECONVERGE);
        for (unsigned i = 0; i < lift_count(l); i++)
            if (lift_is_reg(l, i) || lift_operand(l, i)->kind == ISA_OPERAND_IMM)
                asks.arg[1] = lift_src(l, i);
        asks.imm = UOP_APART;
        if (op.arg[0] == UOP_NONE && l->make.list->guard == UOP_NONE) {
            lift_emit(l, asks);
        } else { /* no compiler is known to write it so */
            struct uop any = blank(UOP_OPAQUE);
            any.type = UOP_B1;
            any.arg[0] = op.arg[0];
            op.arg[0] = lift_emit(l, any);
            l->make.list->opaque = true;
        }
    }
    lift_emit(l, op);
}

/* The byte offset a register pair and the printed base make: base + pair. A label's value is a section offset
 * already; an immediate counts from the next instruction. */
static uop_ref indirect_target(struct lift *l)
{
    const struct isa_operand *label = find(l, ISA_OPERAND_LABEL), *imm = find(l, ISA_OPERAND_IMM);
    uint64_t base = label ? (uint64_t)label->value : imm ? (uint64_t)imm->value + l->insn->offset + 16 : 0;
    for (unsigned i = 0; i < lift_count(l); i++)
        if (lift_is_reg(l, i))
            return lift_add(l, UOP_B64, lift_src64(l, i), lift_const(l, UOP_B64, base));
    lift_refuse(l);
    return lift_const(l, UOP_B64, 0);
}

void lift_call(struct lift *l)
{
    const struct isa_operand *target = find(l, ISA_OPERAND_LABEL);
    if (operand_condition(l) != UOP_NONE)
        lift_refuse(l);
    bool computed = false; /* as far from the label as a register pair says */
    for (unsigned i = 0; i < lift_count(l); i++)
        computed |= lift_is_reg(l, i) && !lift_equals(l, lift_src64(l, i), 0);
    if (target && !computed) {
        struct uop op = blank(UOP_CALL);
        op.imm = (uint64_t)target->value;
        lift_emit(l, op);
        return;
    }
    for (unsigned i = 0; i < lift_count(l); i++) {
        if (!lift_is_reg(l, i))
            continue;
        struct uop op = blank(UOP_CALL_IND);
        op.arg[0] = lift_mod(l, ISA_MOD_ABS) ? lift_src64(l, i) : indirect_target(l);
        lift_emit(l, op);
        return;
    }
    struct uop op = blank(UOP_CALL_IND); /* to an address outside the section */
    struct uop any = blank(UOP_UNDEF);
    any.type = UOP_B64;
    op.arg[0] = lift_emit(l, any);
    lift_emit(l, op);
}

void lift_ret(struct lift *l)
{
    struct uop op = blank(UOP_RET);
    if (operand_condition(l) != UOP_NONE)
        lift_refuse(l);
    if (lift_mod(l, ISA_MOD_ABS)) /* a full address: a section offset only before relocation */
        op.arg[0] = lift_is_reg(l, 0) ? lift_src64(l, 0) : lift_const(l, UOP_B64, 0);
    else
        op.arg[0] = indirect_target(l);
    lift_emit(l, op);
}

void lift_brx(struct lift *l)
{
    struct uop op = blank(UOP_BRANCH_IND);
    if (operand_condition(l) != UOP_NONE)
        lift_refuse(l);
    op.arg[0] = indirect_target(l);
    lift_emit(l, op);
}

/* A predicate operand narrows the guard: the thread ends, or goes elsewhere, when both hold. */
static void narrow_guard(struct lift *l)
{
    uop_ref p = operand_condition(l);
    if (p != UOP_NONE)
        l->make.list->guard = l->make.list->guard == UOP_NONE ? p : lift_and(l, UOP_B1, l->make.list->guard, p);
}

/* To an address of the loaded program, which the file does not know. */
void lift_jump(struct lift *l)
{
    narrow_guard(l);
    struct uop op = blank(UOP_BRANCH_IND), any = blank(UOP_UNDEF);
    any.type = UOP_B64;
    op.arg[0] = lift_emit(l, any);
    lift_emit(l, op);
}

void lift_exit(struct lift *l)
{
    narrow_guard(l);
    lift_emit(l, blank(UOP_EXIT));
}

void lift_trap(struct lift *l)
{
    bool kill = l->insn->op == ISA_OP_KILL, ends = lift_mod(l, ISA_MOD_TRAP) || kill;
    if (kill)
        narrow_guard(l);
    lift_emit(l, blank(ends ? UOP_TRAP : UOP_MISC));
}

static unsigned barrier_number(struct lift *l)
{
    const struct isa_operand *o = find(l, ISA_OPERAND_BARRIER);
    return o ? o->reg : 0;
}

static void reconverge(struct lift *l, enum uop_reconverge which)
{
    struct uop op = blank(UOP_RECONVERGE);
    op.imm = which;
    op.reg = (uint16_t)barrier_number(l);
    lift_emit(l, op);
}

void lift_bssy(struct lift *l)
{
    reconverge(l, UOP_BSSY);
}

void lift_bsync(struct lift *l)
{
    reconverge(l, UOP_BSYNC);
}

void lift_breakb(struct lift *l)
{
    reconverge(l, UOP_BREAK);
}

void lift_yield(struct lift *l)
{
    reconverge(l, UOP_YIELD);
}

/* BMOV moves the state of a convergence barrier; a general register that takes it holds nothing the program
 * computes, and there is nothing of it to be understood. */
void lift_bmov(struct lift *l)
{
    bool known = find(l, ISA_OPERAND_BARRIER) && lift_count(l) == 2 && !lift_mod(l, ISA_MOD_64);
    struct uop op = blank(UOP_RECONVERGE);
    op.imm = UOP_BMOV;
    op.reg = (uint16_t)barrier_number(l);
    op.width = lift_is_reg(l, 0) ? UOP_BMOV_FROM : UOP_BMOV_TO;
    if (known && lift_is_reg(l, 1))
        op.arg[0] = lift_src(l, 1);
    const struct isa_operand *from = lift_operand(l, 1);
    if (known && op.width == UOP_BMOV_TO && from->kind == ISA_OPERAND_BARRIER) {
        op.width = UOP_BMOV_BETWEEN;
        op.order = (uint8_t)from->reg;
    }
    lift_emit(l, op);
    for (unsigned i = 0; i < lift_count(l); i++) {
        if (!lift_is_reg(l, i))
            continue;
        if (i) {
            lift_src(l, i);
            continue;
        }
        for (unsigned word = 0; word < (lift_mod(l, ISA_MOD_64) ? 2u : 1u) && lift_written(l, 0); word++) {
            struct uop any = blank(UOP_OPAQUE);
            any.type = UOP_B32;
            any.imm = word;
            any.space = known ? UOP_OPAQUE_MEETING : UOP_OPAQUE_OTHER;
            any.reg = op.reg;
            lift_write_word(l, 0, word, lift_emit(l, any));
        }
    }
}

void lift_nop(struct lift *l)
{
    lift_emit(l, blank(UOP_NOP));
}

/* Effects without a result on the thread's own values: NANOSLEEP and the like. What they read is read. */
void lift_misc(struct lift *l)
{
    for (unsigned i = 0; i < lift_count(l); i++)
        if (lift_is_reg(l, i))
            lift_src(l, i);
        else if (lift_is_pred(l, i))
            lift_pred(l, i);
    lift_emit(l, blank(UOP_MISC));
}

/* Known operands, a result that is no function of values shown here (LEPC, B2R ...). */
void lift_opaque_result(struct lift *l)
{
    uop_ref in[4] = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE};
    unsigned n = 0, results = 0;
    bool pair = l->insn->op == ISA_OP_LEPC;
    unsigned first = 0;
    while (lift_is_reg(l, first) || lift_is_pred(l, first)) {
        first++;
        if (first == 2)
            break;
    }
    for (unsigned i = first; i < lift_count(l); i++)
        if (lift_is_reg(l, i) && n < 4)
            in[n++] = lift_src(l, i);
    for (unsigned i = 0; i < first; i++) {
        bool reg = lift_is_reg(l, i);
        for (unsigned word = 0; word < (pair && reg ? 2u : 1u) && lift_written(l, i); word++) {
            struct uop any = blank(UOP_OPAQUE);
            any.type = reg ? UOP_B32 : UOP_B1;
            any.imm = results++;
            for (unsigned k = 0; k < 4; k++)
                any.arg[k] = in[k];
            lift_write_word(l, i, word, lift_emit(l, any));
        }
    }
    l->make.list->opaque = true;
}
