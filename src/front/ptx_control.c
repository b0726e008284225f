/* Branches, calls, returns, the end of a thread.
 *
 * A branch by a table of labels is as many compares and branches as it has labels. A call of a function that stands
 * among the lists is two lists: arguments and the way back are put down; behind it, the results are taken. */
#include "front/ptx_internal.h"

static const struct ptx_operand *label_at(struct ptx_lift *l, const struct ptx_operand *o, uint32_t *row)
{
    if (o->kind != PTX_LABEL || o->index > l->f->insns.n) {
        ptx_refuse(l);
        return NULL;
    }
    *row = l->frame->rows[o->index];
    return o;
}

static void branch_to(struct ptx_lift *l, uint32_t row, uop_ref when)
{
    struct uop op = ptx_blank(UOP_BRANCH, UOP_VOID);
    op.imm = (uint64_t)row * PTX_STEP;
    op.arg[0] = when;
    uop_make_emit(&l->make, op);
}

static void lift_bra(struct ptx_lift *l)
{
    uint32_t row;
    ptx_expect(l, "uni", 1, 1);
    const struct ptx_operand *o = ptx_operand(l, 0);
    if (o->kind == PTX_NAME) { /* to nowhere that is known */
        struct uop any = ptx_blank(UOP_UNDEF, UOP_B64), op = ptx_blank(UOP_BRANCH_IND, UOP_VOID);
        op.arg[0] = uop_make_emit(&l->make, any);
        uop_make_emit(&l->make, op);
        return;
    }
    if (label_at(l, o, &row))
        branch_to(l, row, UOP_NONE);
}

static void lift_brx(struct ptx_lift *l)
{
    uint32_t row;
    ptx_expect(l, "idx uni", 2, 2);
    const struct ptx_operand *list = ptx_operand(l, 1);
    const struct ptx_targets *t = list->kind == PTX_TARGETS ? &l->f->targets.p[list->index] : NULL;
    uint32_t first = l->frame->rows[l->insn - l->f->insns.p], last = l->frame->rows[l->insn - l->f->insns.p + 1];
    uop_ref index = ptx_source(l, 0, PTX_U32);
    if (!t || last - first != t->count) {
        struct uop op = ptx_blank(UOP_BRANCH_IND, UOP_VOID);
        op.arg[0] = uop_make_imm(&l->make, UOP_ZEXT, UOP_B64, 32, index, UOP_NONE, UOP_NONE);
        uop_make_emit(&l->make, op);
        return;
    }
    if (!label_at(l, &t->labels[l->part], &row))
        return;
    uop_ref when = UOP_NONE;
    if (l->part + 1 < t->count) /* beyond the list nothing is defined */
        when = uop_make_imm(&l->make, UOP_IEQ, UOP_B1, 32, index, uop_make_const(&l->make, UOP_B32, l->part), UOP_NONE);
    branch_to(l, row, when);
}

static void lift_ret(struct ptx_lift *l)
{
    ptx_expect(l, "uni", 0, 0);
    if (l->f->is_entry) {
        uop_make_emit(&l->make, ptx_blank(UOP_EXIT, UOP_VOID));
        return;
    }
    struct uop op = ptx_blank(UOP_RET, UOP_VOID);
    uop_ref low = ptx_read_word(l, l->frame->link);
    op.arg[0] = uop_make_pair(&l->make, low, ptx_read_word(l, l->frame->link + 1));
    uop_make_emit(&l->make, op);
}

static void lift_exit(struct ptx_lift *l)
{
    ptx_expect(l, "", 0, 0);
    uop_make_emit(&l->make, ptx_blank(UOP_EXIT, UOP_VOID));
}

static void lift_trap(struct ptx_lift *l)
{
    uop_make_emit(&l->make, ptx_blank(UOP_TRAP, UOP_VOID));
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* call (results), function, (arguments): where each of them stands. */
struct call {
    const struct ptx_operand *function, *results, *arguments;
};

static struct call call_of(const struct ptx_insn *insn)
{
    struct call c = {0};
    uint32_t i = 0;
    if (i < insn->operand_count && insn->operands[i].kind == PTX_LIST)
        c.results = &insn->operands[i++];
    if (i < insn->operand_count)
        c.function = &insn->operands[i++];
    if (i < insn->operand_count && insn->operands[i].kind == PTX_LIST)
        c.arguments = &insn->operands[i];
    return c;
}

/* Between a variable of the call and a formal parameter, one way or the other. */
static void hand_over(struct ptx_lift *l, uint32_t formal, const struct ptx_operand *o, bool back)
{
    const struct ptx_variable *v = &l->m->variables.p[formal];
    uint32_t number;
    if (o->kind == PTX_ADDRESS) {
        if (back)
            ptx_move_variable(l, o->index, formal);
        else
            ptx_move_variable(l, formal, o->index);
        return;
    }
    bool known =
        ptx_param_word(l, formal, &number) && (v->bytes == 4 || v->bytes == 8 || v->bytes == 2 || v->bytes == 1);
    enum ptx_type t = v->bytes == 8 ? PTX_B64 : PTX_B32;
    if (!known || (back && o->kind != PTX_REGISTER)) {
        ptx_refuse(l);
        return;
    }
    if (back) {
        uop_ref low = ptx_read_word(l, number);
        ptx_put(l, o, t, v->bytes == 8 ? uop_make_pair(&l->make, low, ptx_read_word(l, number + 1)) : low);
        return;
    }
    uop_ref value = ptx_value(l, o, t);
    ptx_write_word(l, number, v->bytes == 8 ? uop_make_lo(&l->make, value) : value);
    if (v->bytes == 8)
        ptx_write_word(l, number + 1, uop_make_hi(&l->make, value));
}

/* Of a function nobody can look into: its results are unknown, memory may change. */
static void call_unknown(struct ptx_lift *l, const struct call *c)
{
    unsigned number = 0;
    for (uint32_t i = 0; c->results && i < c->results->item_count; i++) {
        const struct ptx_operand *o = &c->results->items[i];
        uint32_t word;
        if (o->kind == PTX_ADDRESS && ptx_param_word(l, o->index, &word)) {
            for (uint64_t k = 0; k < l->m->variables.p[o->index].bytes; k += 4) {
                struct uop any = ptx_blank(UOP_OPAQUE, UOP_B32);
                any.imm = number++;
                ptx_write_word(l, word + (uint32_t)(k / 4), uop_make_emit(&l->make, any));
            }
        } else if (o->kind == PTX_REGISTER) {
            const struct ptx_register *r = &l->f->registers.p[o->index];
            for (unsigned k = 0; k < (r->words ? r->words : 1u); k++) {
                struct uop any = ptx_blank(UOP_OPAQUE, r->words ? UOP_B32 : UOP_B1);
                any.imm = number++;
                uop_ref v = uop_make_emit(&l->make, any);
                if (r->words)
                    ptx_write_word(l, ptx_number(l, o->index) + k, v);
                else
                    ptx_write_predicate(l, ptx_number(l, o->index), v);
            }
        }
    }
    for (uint32_t i = 0; c->arguments && i < c->arguments->item_count; i++) {
        const struct ptx_operand *o = &c->arguments->items[i];
        uint32_t word;
        if (o->kind == PTX_ADDRESS && ptx_param_word(l, o->index, &word))
            for (uint64_t k = 0; k < l->m->variables.p[o->index].bytes; k += 4)
                ptx_read_word(l, word + (uint32_t)(k / 4));
        else if (o->kind == PTX_REGISTER && l->f->registers.p[o->index].words)
            ptx_read_word(l, ptx_number(l, o->index));
    }
    uop_make_emit(&l->make, ptx_blank(UOP_MISC, UOP_VOID));
    l->make.list->unknown = true;
    l->opaque = true;
}

static void lift_call(struct ptx_lift *l)
{
    struct call c = call_of(l->insn);
    const struct ptx_frame *callee = c.function ? ptx_callee(l, c.function) : NULL;
    ptx_expect(l, "uni", 1, 4);
    if (!callee) {
        call_unknown(l, &c);
        return;
    }
    const struct ptx_function *f = callee->f;
    uint32_t results = c.results ? c.results->item_count : 0, arguments = c.arguments ? c.arguments->item_count : 0;
    bool agree = results <= f->results.n && arguments == f->inputs.n;
    if (l->part == 1) {
        for (uint32_t i = 0; i < results && agree; i++)
            hand_over(l, f->results.p[i], &c.results->items[i], true);
        if (!l->make.list->ops.n || !results)
            uop_make_emit(&l->make, ptx_blank(UOP_NOP, UOP_VOID));
        return;
    }
    if (!agree) {
        call_unknown(l, &c);
        return;
    }
    for (uint32_t i = 0; i < arguments; i++)
        hand_over(l, f->inputs.p[i], &c.arguments->items[i], false);
    ptx_write_word(l, callee->link, uop_make_const(&l->make, UOP_B32, (uint64_t)(l->row + 1) * PTX_STEP));
    ptx_write_word(l, callee->link + 1, uop_make_const(&l->make, UOP_B32, 0));
    struct uop op = ptx_blank(UOP_CALL, UOP_VOID);
    op.imm = (uint64_t)callee->first_row * PTX_STEP;
    uop_make_emit(&l->make, op);
}

const struct ptx_op ptx_control_ops[] = {
    {"bra", lift_bra},   {"brx", lift_brx},   {"ret", lift_ret}, {"exit", lift_exit},
    {"trap", lift_trap}, {"call", lift_call}, {NULL, NULL},
};
