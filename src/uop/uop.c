/* Names and shape of micro-operations: the kind table turned into answers, and one uop as text.
 *
 * The text is what the tests of the lifting compare and what `sassprobe what` words are made from; a result is
 * named by its index in the list. requires: a list as uop.h describes it. gives: text only, no state. */
#include "uop/uop.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct uop_kind_row uop_kind_rows[UOP_KIND_COUNT] = {
#define KIND_ROW(name, args, class, text) [UOP_##name] = {args, #class[0]},
    UOP_KINDS(KIND_ROW)
#undef KIND_ROW
};

/* The kinds' names in lower case, which the preprocessor cannot make; test_uop_eval holds them against the table. */
static const char *const kind_texts[UOP_KIND_COUNT] = {
    [UOP_CONST] = "const",
    [UOP_READ] = "read",
    [UOP_WRITE] = "write",
    [UOP_SREG] = "sreg",
    [UOP_CBANK] = "cbank",
    [UOP_PC] = "pc",
    [UOP_UNDEF] = "undef",
    [UOP_OPAQUE] = "opaque",
    [UOP_ADD] = "add",
    [UOP_ADDC] = "addc",
    [UOP_CARRY] = "carry",
    [UOP_NEG] = "neg",
    [UOP_MUL] = "mul",
    [UOP_MULHI_S] = "mulhi_s",
    [UOP_MULHI_U] = "mulhi_u",
    [UOP_AND] = "and",
    [UOP_OR] = "or",
    [UOP_XOR] = "xor",
    [UOP_NOT] = "not",
    [UOP_LOP3] = "lop3",
    [UOP_SHL] = "shl",
    [UOP_SHR] = "shr",
    [UOP_SAR] = "sar",
    [UOP_MIN_S] = "min_s",
    [UOP_MAX_S] = "max_s",
    [UOP_MIN_U] = "min_u",
    [UOP_MAX_U] = "max_u",
    [UOP_ABS] = "abs",
    [UOP_POPC] = "popc",
    [UOP_BREV] = "brev",
    [UOP_FLO] = "flo",
    [UOP_PRMT] = "prmt",
    [UOP_BFE] = "bfe",
    [UOP_BMSK] = "bmsk",
    [UOP_DP4A] = "dp4a",
    [UOP_SAD] = "sad",
    [UOP_SEXT] = "sext",
    [UOP_ZEXT] = "zext",
    [UOP_LO] = "lo",
    [UOP_HI] = "hi",
    [UOP_PAIR] = "pair",
    [UOP_IEQ] = "ieq",
    [UOP_ILT_S] = "ilt_s",
    [UOP_ILT_U] = "ilt_u",
    [UOP_FLT] = "flt",
    [UOP_FLE] = "fle",
    [UOP_FEQ] = "feq",
    [UOP_FNE] = "fne",
    [UOP_FNUM] = "fnum",
    [UOP_SELECT] = "select",
    [UOP_FADD] = "fadd",
    [UOP_FMUL] = "fmul",
    [UOP_FFMA] = "ffma",
    [UOP_FNEG] = "fneg",
    [UOP_FABS] = "fabs",
    [UOP_FMIN] = "fmin",
    [UOP_FMAX] = "fmax",
    [UOP_FROUND] = "fround",
    [UOP_F2F] = "f2f",
    [UOP_F2I] = "f2i",
    [UOP_I2F] = "i2f",
    [UOP_EX2] = "ex2",
    [UOP_LG2] = "lg2",
    [UOP_RCP] = "rcp",
    [UOP_RSQ] = "rsq",
    [UOP_SQRT] = "sqrt",
    [UOP_SIN] = "sin",
    [UOP_COS] = "cos",
    [UOP_TANH] = "tanh",
    [UOP_RCP64H] = "rcp64h",
    [UOP_RSQ64H] = "rsq64h",
    [UOP_MATH] = "math",
    [UOP_FCHK] = "fchk",
    [UOP_FSWZADD] = "fswzadd",
    [UOP_LOAD] = "load",
    [UOP_ELEMENT] = "element",
    [UOP_STORE] = "store",
    [UOP_ATOM] = "atom",
    [UOP_RED] = "red",
    [UOP_FENCE] = "fence",
    [UOP_PREFETCH] = "prefetch",
    [UOP_ASYNC_COPY] = "async_copy",
    [UOP_ASYNC_WAIT] = "async_wait",
    [UOP_BAR] = "bar",
    [UOP_BAR_GIVES] = "bar_gives",
    [UOP_WARPSYNC] = "warpsync",
    [UOP_SHFL] = "shfl",
    [UOP_SHFL_IN] = "shfl_in",
    [UOP_WITHIN] = "within",
    [UOP_VOTE] = "vote",
    [UOP_BALLOT] = "ballot",
    [UOP_MATCH] = "match",
    [UOP_REDUX] = "redux",
    [UOP_ELECT] = "elect",
    [UOP_UNIFORM] = "uniform",
    [UOP_MMA] = "mma",
    [UOP_BRANCH] = "branch",
    [UOP_BRANCH_IND] = "branch_ind",
    [UOP_CALL] = "call",
    [UOP_CALL_IND] = "call_ind",
    [UOP_RET] = "ret",
    [UOP_EXIT] = "exit",
    [UOP_TRAP] = "trap",
    [UOP_RECONVERGE] = "reconverge",
    [UOP_NOP] = "nop",
    [UOP_MISC] = "misc",
};

_Static_assert((int)UOP_KIND_COUNT < (int)UOP_GRAPH_KINDS, "graph kinds begin behind the last uop kind");

static const char *const type_texts[] = {"void", "b1", "b8", "b16", "b32", "b64", "b128", "f16", "bf16", "f32", "f64"};
const unsigned char uop_type_widths[UOP_TYPE_COUNT] = {0, 1, 8, 16, 32, 64, 128, 16, 16, 32, 64};
static const char *const round_texts[] = {"rn", "rm", "rp", "rz", "ra"};
static const char *const space_texts[] = {"global", "shared", "local", "generic", "constant"};
static const char *const order_texts[] = {"weak", "readonly", "cta", "gpu", "sys", "mmio"};
static const char *const atom_texts[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};
static const char *const file_texts[] = {"R", "UR", "P", "UP", "B"};
static const char *const flag_texts[] = {"ftz",     "sat", "nan", "fmz", "signed", NULL /* printing only */,
                                         "xorsign", "relu"};

static const char *const sreg_texts[] = {
    [UOP_SR_TID_X] = "threadIdx.x",
    [UOP_SR_TID_Y] = "threadIdx.y",
    [UOP_SR_TID_Z] = "threadIdx.z",
    [UOP_SR_CTAID_X] = "blockIdx.x",
    [UOP_SR_CTAID_Y] = "blockIdx.y",
    [UOP_SR_CTAID_Z] = "blockIdx.z",
    [UOP_SR_NTID_X] = "blockDim.x",
    [UOP_SR_NTID_Y] = "blockDim.y",
    [UOP_SR_NTID_Z] = "blockDim.z",
    [UOP_SR_NCTAID_X] = "gridDim.x",
    [UOP_SR_NCTAID_Y] = "gridDim.y",
    [UOP_SR_NCTAID_Z] = "gridDim.z",
    [UOP_SR_LANEID] = "laneId",
    [UOP_SR_EQMASK] = "laneMaskEq",
    [UOP_SR_LTMASK] = "laneMaskLt",
    [UOP_SR_LEMASK] = "laneMaskLe",
    [UOP_SR_GTMASK] = "laneMaskGt",
    [UOP_SR_GEMASK] = "laneMaskGe",
    [UOP_SR_CLOCK_LO] = "clock",
    [UOP_SR_CLOCK_HI] = "clockHi",
    [UOP_SR_GLOBALTIMER_LO] = "globaltimer",
    [UOP_SR_GLOBALTIMER_HI] = "globaltimerHi",
    [UOP_SR_SMID] = "smId",
    [UOP_SR_CGA_CTAID] = "clusterBlockId",
    [UOP_SR_CGA_SIZE] = "clusterSize",
    [UOP_SR_SWINHI] = "sharedWindowHi",
    [UOP_SR_SMEMSZ] = "sharedBytes",
    [UOP_SR_STACK_END] = "stackEnd",
    [UOP_SR_ZERO] = "zero",
};

const char *uop_kind_text(enum uop_kind kind)
{
    return (unsigned)kind < UOP_KIND_COUNT ? kind_texts[kind] : "?";
}

const char *uop_type_text(enum uop_type type)
{
    return (unsigned)type < UOP_TYPE_COUNT ? type_texts[type] : "?";
}

const char *uop_sreg_text(unsigned sreg)
{
    return sreg < sizeof sreg_texts / sizeof *sreg_texts ? sreg_texts[sreg] : NULL;
}

const char *uop_atom_text(unsigned atom)
{
    return atom < sizeof atom_texts / sizeof *atom_texts ? atom_texts[atom] : "?";
}

const char *uop_space_text(unsigned space)
{
    return space < sizeof space_texts / sizeof *space_texts ? space_texts[space] : "?";
}

const char *uop_order_text(unsigned order)
{
    return order < sizeof order_texts / sizeof *order_texts ? order_texts[order] : "?";
}

/* ---- one uop as text ----------------------------------------------------------------------------------------- */

struct text {
    char *out;
    size_t size, n;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool room = t->n < t->size;
    int n = vsnprintf(room ? t->out + t->n : NULL, room ? t->size - t->n : 0, format, args);
    va_end(args);
    if (n > 0)
        t->n += (size_t)n;
}

/* Kinds whose imm says something beyond what their other columns do. */
static bool shows_imm(unsigned kind)
{
    switch (kind) {
    case UOP_LOP3:
    case UOP_ELEMENT:
    case UOP_SHFL:
    case UOP_SHFL_IN:
    case UOP_VOTE:
    case UOP_MATCH:
    case UOP_MMA:
    case UOP_OPAQUE:
    case UOP_BRANCH:
    case UOP_CALL:
    case UOP_BAR:
    case UOP_BAR_GIVES:
    case UOP_RECONVERGE:
    case UOP_FENCE:
    case UOP_MATH:
    case UOP_PC: return true;
    default: return false;
    }
}

static bool rounds(unsigned kind)
{
    switch (kind) {
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FROUND:
    case UOP_F2F:
    case UOP_F2I:
    case UOP_I2F:
    case UOP_FSWZADD: return true;
    default: return false;
    }
}

bool uop_commutes(enum uop_kind kind)
{
    switch (kind) {
    case UOP_ADD:
    case UOP_MUL:
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U:
    case UOP_MULHI_S:
    case UOP_MULHI_U:
    case UOP_CARRY:
    case UOP_IEQ:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM:
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FMIN:
    case UOP_FMAX: return true;
    default: return false;
    }
}

static bool touches_memory(unsigned kind)
{
    return kind == UOP_LOAD || kind == UOP_STORE || kind == UOP_ATOM || kind == UOP_RED;
}

size_t uop_print(const struct uop_list *list, size_t index, char *out, size_t size)
{
    struct text t = {out, size, 0};
    if (size)
        *out = 0;
    if (index >= list->ops.n)
        return 0;
    const struct uop *u = &list->ops.p[index];
    add(&t, "%zu %s", index, uop_kind_text(u->kind));
    if (touches_memory(u->kind))
        add(&t, ".%s%u", uop_space_text(u->space), u->width);
    if (touches_memory(u->kind) && u->order != UOP_WEAK)
        add(&t, ".%s", uop_order_text(u->order));
    if (u->kind == UOP_ATOM || u->kind == UOP_RED || u->kind == UOP_REDUX)
        add(&t, ".%s", uop_atom_text((unsigned)u->imm));
    if (rounds(u->kind) && u->round != UOP_RN)
        add(&t, ".%s", round_texts[u->round]);
    for (unsigned i = 0; i < 8; i++)
        if ((u->flags & 1u << i) && flag_texts[i])
            add(&t, ".%s", flag_texts[i]);
    if (u->type != UOP_VOID)
        add(&t, ".%s", uop_type_text(u->type));
    switch (u->kind) {
    case UOP_CONST: add(&t, " 0x%" PRIx64, u->imm); break;
    case UOP_READ:
    case UOP_WRITE: add(&t, " %s%u", file_texts[u->file], u->reg); break;
    case UOP_SREG:
        if (uop_sreg_text((unsigned)u->imm))
            add(&t, " %s", uop_sreg_text((unsigned)u->imm));
        else
            add(&t, " SR%u", (unsigned)(u->imm - UOP_SR_OTHER));
        break;
    case UOP_CBANK: add(&t, " [%u][0x%" PRIx64 "]", u->space, u->imm); break;
    case UOP_F2F:
    case UOP_F2I: add(&t, " from %s", uop_type_text((enum uop_type)u->imm)); break;
    case UOP_PRMT:
    case UOP_BMSK:
    case UOP_FLO:
    case UOP_DP4A:
        if (u->imm)
            add(&t, " #%" PRIu64, u->imm);
        break;
    case UOP_CARRY:
    case UOP_SEXT:
    case UOP_ZEXT:
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U:
    case UOP_I2F:
        add(&t, " #%" PRIu64, u->imm); /* a width */
        break;
    default:
        if (shows_imm(u->kind))
            add(&t, " #0x%" PRIx64, u->imm);
    }
    unsigned last = UOP_MAX_ARGS; /* a LOAD's descriptor stands behind its arguments */
    while (last > 0 && u->arg[last - 1] == UOP_NONE)
        last--;
    for (unsigned i = 0; i < last; i++) {
        if (u->arg[i] == UOP_NONE)
            add(&t, " -");
        else
            add(&t, " %%%u", u->arg[i]);
    }
    return t.n;
}
