/* Micro-operations in words: the expression under each effect of an instruction, for `sassprobe what`.
 *
 * Plain operations are infix; what carries a rounding, a clamp or a mode is a call by its kind's name, so that
 * nothing of the meaning is left out. requires: a list of one instruction (small: the recursion follows its
 * arguments). */
#include "uop/uop_words.h"

#include <inttypes.h>

static const char *const files[] = {"R", "UR", "P", "UP", "B"};

static void add_argument(struct strbuf *out, const struct uop_list *list, const struct uop *op, unsigned i)
{
    if (op->arg[i] == UOP_NONE)
        str_add(out, "-");
    else
        uop_add_value(out, list, op->arg[i]);
}

static void add_infix(struct strbuf *out, const struct uop_list *list, const struct uop *op, const char *sign,
                      bool swapped)
{
    str_addc(out, '(');
    add_argument(out, list, op, swapped);
    str_addf(out, " %s ", sign);
    add_argument(out, list, op, !swapped);
    str_addc(out, ')');
}

static const char *infix_sign(const struct uop *op)
{
    bool swapped = op->flags & UOP_SWAPPED;
    switch (op->kind) {
    case UOP_ADD: return "+";
    case UOP_MUL: return "*";
    case UOP_AND: return op->type == UOP_B1 ? "and" : "&";
    case UOP_OR: return op->type == UOP_B1 ? "or" : "|";
    case UOP_XOR: return op->type == UOP_B1 ? "xor" : "^";
    case UOP_SHL: return "<<";
    case UOP_SHR: return ">>";
    case UOP_IEQ:
    case UOP_FEQ: return "==";
    case UOP_ILT_S:
    case UOP_FLT: return swapped ? ">" : "<";
    case UOP_ILT_U: return swapped ? ">u" : "<u";
    case UOP_FLE: return swapped ? ">=" : "<=";
    case UOP_FNE: return "<>";
    case UOP_FADD: return op->round == UOP_RN && !op->flags ? "+" : NULL;
    case UOP_FMUL: return op->round == UOP_RN && !op->flags ? "*" : NULL;
    default: return NULL;
    }
}

static void add_call(struct strbuf *out, const struct uop_list *list, const struct uop *op, const char *name)
{
    static const char *const rounds[] = {"", ".rm", ".rp", ".rz", ".ra"};
    str_add(out, name);
    if (op->kind == UOP_F2F || op->kind == UOP_F2I || op->kind == UOP_I2F)
        str_addf(out, ".%s%s", op->flags & UOP_SIGNED ? "s" : "", uop_type_text((enum uop_type)op->type));
    if (op->round <= UOP_RA)
        str_add(out, rounds[op->round]);
    static const struct {
        unsigned flag;
        const char *text;
    } flags[] = {{UOP_FTZ, ".ftz"}, {UOP_SAT, ".sat"},         {UOP_NAN, ".nan"},
                 {UOP_FMZ, ".fmz"}, {UOP_XORSIGN, ".xorsign"}, {UOP_RELU, ".relu"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (op->flags & flags[i].flag)
            str_add(out, flags[i].text);
    if (op->kind == UOP_LOP3 || op->kind == UOP_PRMT || op->kind == UOP_SHFL)
        str_addf(out, "[0x%" PRIx64 "]", op->imm);
    if (op->kind == UOP_SEXT || op->kind == UOP_ZEXT)
        str_addf(out, "%" PRIu64 "to%u", op->imm, uop_type_bits((enum uop_type)op->type));
    str_addc(out, '(');
    for (unsigned i = 0; i < uop_kind_args((enum uop_kind)op->kind); i++) {
        if (op->arg[i] == UOP_NONE)
            continue;
        if (i)
            str_add(out, ", ");
        uop_add_value(out, list, op->arg[i]);
    }
    str_addc(out, ')');
}

void uop_add_value(struct strbuf *out, const struct uop_list *list, uint16_t index)
{
    const struct uop *op = &list->ops.p[index];
    const char *sign = infix_sign(op);
    if (sign) {
        add_infix(out, list, op, sign, op->flags & UOP_SWAPPED);
        return;
    }
    switch (op->kind) {
    case UOP_READ: str_addf(out, "%s%u", files[op->file], op->reg); break;
    case UOP_CONST:
        if (op->type == UOP_B1)
            str_add(out, op->imm ? "true" : "false");
        else
            str_addf(out, "0x%" PRIx64, op->imm);
        break;
    case UOP_SREG:
        if (uop_sreg_text((unsigned)op->imm))
            str_add(out, uop_sreg_text((unsigned)op->imm));
        else
            str_addf(out, "SR%u", (unsigned)(op->imm - UOP_SR_OTHER));
        break;
    case UOP_CBANK:
        str_addf(out, "c[%u][0x%" PRIx64, op->space, op->imm);
        if (op->arg[0] != UOP_NONE) {
            str_add(out, " + ");
            add_argument(out, list, op, 0);
        }
        str_addc(out, ']');
        break;
    case UOP_NOT:
        str_addc(out, op->type == UOP_B1 ? '!' : '~');
        add_argument(out, list, op, 0);
        break;
    case UOP_NEG:
    case UOP_FNEG:
        str_addc(out, '-');
        add_argument(out, list, op, 0);
        break;
    case UOP_ABS:
    case UOP_FABS:
        str_addc(out, '|');
        add_argument(out, list, op, 0);
        str_addc(out, '|');
        break;
    case UOP_SELECT:
        str_addc(out, '(');
        add_argument(out, list, op, 0);
        str_add(out, " ? ");
        add_argument(out, list, op, 1);
        str_add(out, " : ");
        add_argument(out, list, op, 2);
        str_addc(out, ')');
        break;
    case UOP_PAIR:
        str_addc(out, '{');
        add_argument(out, list, op, 1);
        str_addc(out, ':');
        add_argument(out, list, op, 0);
        str_addc(out, '}');
        break;
    case UOP_LOAD:
        str_addf(out, "%s%u[", uop_space_text(op->space), op->width);
        add_argument(out, list, op, 0);
        str_addc(out, ']');
        break;
    case UOP_ELEMENT:
        str_addf(out, "word %u of ", (unsigned)op->imm);
        add_argument(out, list, op, 0);
        break;
    case UOP_ATOM:
        str_addf(out, "old value at %s[", uop_space_text(op->space));
        add_argument(out, list, op, 0);
        str_addc(out, ']');
        break;
    case UOP_FNUM: add_call(out, list, op, "ordered"); break;
    case UOP_FFMA: add_call(out, list, op, "fma"); break;
    default: add_call(out, list, op, uop_kind_text((enum uop_kind)op->kind));
    }
}

static void add_store(struct strbuf *out, const struct uop_list *list, const struct uop *op)
{
    str_addf(out, "%s%u[", uop_space_text(op->space), op->width);
    add_argument(out, list, op, 0);
    str_add(out, "] = ");
    for (unsigned i = 1; i < 5 && op->arg[i] != UOP_NONE; i++) {
        str_add(out, i > 1 ? ", " : "");
        add_argument(out, list, op, i);
    }
}

bool uop_add_effect(struct strbuf *out, const struct uop_list *list, size_t index)
{
    const struct uop *op = &list->ops.p[index];
    switch (op->kind) {
    case UOP_WRITE:
        str_addf(out, "%s%u = ", files[op->file], op->reg);
        add_argument(out, list, op, 0);
        return true;
    case UOP_STORE: add_store(out, list, op); return true;
    case UOP_ATOM:
    case UOP_RED:
        str_addf(out, "%s[", uop_space_text(op->space));
        add_argument(out, list, op, 0);
        str_addf(out, "] %s ", uop_atom_text((unsigned)op->imm));
        add_argument(out, list, op, 1);
        return true;
    case UOP_BRANCH:
    case UOP_CALL:
        str_addf(out, "%s 0x%" PRIx64, op->kind == UOP_CALL ? "call" : "go to", op->imm);
        if (op->kind == UOP_BRANCH && op->arg[0] != UOP_NONE) {
            str_add(out, " when ");
            add_argument(out, list, op, 0);
        }
        return true;
    case UOP_BRANCH_IND:
    case UOP_CALL_IND:
    case UOP_RET:
        str_add(out, op->kind == UOP_RET ? "return to " : op->kind == UOP_CALL_IND ? "call " : "go to ");
        add_argument(out, list, op, 0);
        return true;
    case UOP_EXIT: str_add(out, "the thread ends"); return true;
    case UOP_TRAP: str_add(out, "the program stops"); return true;
    case UOP_RECONVERGE: str_add(out, "nothing, for one thread (reconvergence of lanes)"); return true;
    case UOP_BAR:
        str_add(out, "wait at barrier ");
        add_argument(out, list, op, 0);
        return true;
    case UOP_WARPSYNC:
    case UOP_FENCE:
    case UOP_PREFETCH:
    case UOP_ASYNC_WAIT:
    case UOP_ASYNC_COPY:
    case UOP_NOP:
    case UOP_MISC: str_add(out, uop_kind_text((enum uop_kind)op->kind)); return true;
    default: return false;
    }
}
