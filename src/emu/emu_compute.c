/* Pure operations on whole rows: what is common, in loops over 32 lanes that a compiler puts into vector registers.
 * Everything else goes lane by lane through the one evaluator (uop_eval.c); both give the same bits, which
 * test_emu_compute holds. Lanes that are not active are computed too, and nobody looks at them.
 *
 * requires: an operation of emu_program.c · gives: its row */
#include "emu/emu_internal.h"

#include <string.h>

/* The kinds, and whether they are rows of words, of double words or masks. */
static bool is_word_kind(unsigned kind)
{
    switch (kind) {
    case UOP_ADD:
    case UOP_NEG:
    case UOP_MUL:
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_NOT:
    case UOP_LOP3:
    case UOP_SHL:
    case UOP_SHR:
    case UOP_SAR:
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U:
    case UOP_SELECT: return true;
    default: return false;
    }
}

static bool same_forms(const struct emu_op *op, unsigned from, unsigned to, uint8_t form)
{
    for (unsigned i = from; i < to; i++)
        if (op->forms[i] != form)
            return false;
    return true;
}

bool emu_knows(const struct emu_op *op)
{
    unsigned args = uop_kind_args((enum uop_kind)op->uop.kind), bits = uop_type_bits((enum uop_type)op->uop.type);
    switch (op->uop.kind) {
    case UOP_SELECT:
        return op->forms[0] == EMU_FORM_MASK && (bits == 1 || bits == 32 || bits == 64) &&
               same_forms(op, 1, 3, op->form);
    case UOP_SHL:
    case UOP_SHR:
    case UOP_SAR: return (bits == 32 || bits == 64) && op->forms[0] == op->form && op->forms[1] == EMU_FORM_WORD;
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U:
        return (op->uop.imm == 32 && same_forms(op, 0, 2, EMU_FORM_WORD)) ||
               (op->uop.imm == 64 && same_forms(op, 0, 2, EMU_FORM_DOUBLE));
    case UOP_SEXT:
    case UOP_ZEXT: return op->uop.imm == 32 && op->form == EMU_FORM_DOUBLE && op->forms[0] == EMU_FORM_WORD;
    case UOP_LO:
    case UOP_HI: return bits == 32 && op->forms[0] == EMU_FORM_DOUBLE;
    case UOP_PAIR: return bits == 64 && same_forms(op, 0, 2, EMU_FORM_WORD);
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_NOT:
    case UOP_LOP3: return (bits == 1 || bits == 32 || bits == 64) && same_forms(op, 0, args, op->form);
    default: return is_word_kind(op->uop.kind) && (bits == 32 || bits == 64) && same_forms(op, 0, args, op->form);
    }
}

static uint32_t logic_word(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}

static void compute_mask(struct emu_machine *m, const struct emu_op *op)
{
    uint32_t *r = emu_at(m, op->to), a = emu_mask(m, op->arg[0]);
    uint32_t b = op->forms[1] == EMU_FORM_MASK ? emu_mask(m, op->arg[1]) : 0;
    uint32_t c = op->forms[2] == EMU_FORM_MASK ? emu_mask(m, op->arg[2]) : 0;
    switch (op->uop.kind) {
    case UOP_AND: *r = a & b; break;
    case UOP_OR: *r = a | b; break;
    case UOP_XOR: *r = a ^ b; break;
    case UOP_NOT: *r = ~a; break;
    case UOP_SELECT: *r = (a & b) | (~a & c); break;
    default: *r = logic_word(a, b, c, (unsigned)op->uop.imm); break;
    }
}

#define ROWS(T)                                                                     \
    T *restrict r = emu_at(m, op->to);                                              \
    const T *a = op->arg[0] == (emu_loc)EMU_NOWHERE ? NULL : emu_at(m, op->arg[0]); \
    const T *b = op->arg[1] == (emu_loc)EMU_NOWHERE ? NULL : emu_at(m, op->arg[1]);
#define ROW(expression)                      \
    for (unsigned i = 0; i < EMU_LANES; i++) \
        r[i] = (expression);                 \
    break

static void compute_logic(struct emu_machine *m, const struct emu_op *op)
{
    uint32_t *restrict r = emu_at(m, op->to);
    const uint32_t *a = emu_at(m, op->arg[0]), *b = emu_at(m, op->arg[1]), *c = emu_at(m, op->arg[2]);
    unsigned rows = op->form == EMU_FORM_DOUBLE ? 2 * EMU_LANES : EMU_LANES;
    memset(r, 0, rows * 4);
    for (unsigned k = 0; k < 8; k++) {
        if (!(op->uop.imm >> k & 1))
            continue;
        uint32_t x = k & 4 ? 0 : UINT32_MAX, y = k & 2 ? 0 : UINT32_MAX, z = k & 1 ? 0 : UINT32_MAX;
        for (unsigned i = 0; i < rows; i++)
            r[i] |= (a[i] ^ x) & (b[i] ^ y) & (c[i] ^ z);
    }
}

/* Of integers of `bits` bits; shifts are by words. */
#define INTEGERS(bits)                                                                             \
    switch (op->uop.kind) {                                                                        \
    case UOP_ADD: ROW(a[i] + b[i]);                                                                \
    case UOP_NEG: ROW(0 - a[i]);                                                                   \
    case UOP_MUL: ROW(a[i] * b[i]);                                                                \
    case UOP_AND: ROW(a[i] & b[i]);                                                                \
    case UOP_OR: ROW(a[i] | b[i]);                                                                 \
    case UOP_XOR: ROW(a[i] ^ b[i]);                                                                \
    case UOP_NOT: ROW(~a[i]);                                                                      \
    case UOP_SHL: ROW(by[i] < bits ? a[i] << (by[i] & (bits - 1)) : 0);                            \
    case UOP_SHR: ROW(by[i] < bits ? a[i] >> (by[i] & (bits - 1)) : 0);                            \
    case UOP_SAR: ROW((uint##bits##_t)((int##bits##_t)a[i] >> (by[i] < bits ? by[i] : bits - 1))); \
    case UOP_MIN_S: ROW((int##bits##_t)a[i] < (int##bits##_t)b[i] ? a[i] : b[i]);                  \
    case UOP_MAX_S: ROW((int##bits##_t)a[i] > (int##bits##_t)b[i] ? a[i] : b[i]);                  \
    case UOP_MIN_U: ROW(a[i] < b[i] ? a[i] : b[i]);                                                \
    default: ROW(a[i] > b[i] ? a[i] : b[i]);                                                       \
    }

static void compute_word(struct emu_machine *m, const struct emu_op *op)
{
    ROWS(uint32_t)
    const uint32_t *by = b;
    INTEGERS(32)
}

static void compute_double(struct emu_machine *m, const struct emu_op *op)
{
    ROWS(uint64_t)
    const uint32_t *by = (const uint32_t *)b;
    INTEGERS(64)
}

static void compute_select(struct emu_machine *m, const struct emu_op *op)
{
    uint32_t p = emu_mask(m, op->arg[0]);
    if (op->form == EMU_FORM_DOUBLE) {
        uint64_t *restrict r = emu_at(m, op->to);
        const uint64_t *a = emu_at(m, op->arg[1]), *b = emu_at(m, op->arg[2]);
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = p >> i & 1 ? a[i] : b[i];
    } else {
        uint32_t *restrict r = emu_at(m, op->to);
        const uint32_t *a = emu_at(m, op->arg[1]), *b = emu_at(m, op->arg[2]);
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = p >> i & 1 ? a[i] : b[i];
    }
}

#define COMPARE(condition)                   \
    for (unsigned i = 0; i < EMU_LANES; i++) \
        mask |= (uint32_t)(condition) << i;  \
    break

static void compute_compare(struct emu_machine *m, const struct emu_op *op)
{
    uint32_t mask = 0;
    const uint32_t *a = emu_at(m, op->arg[0]), *b = emu_at(m, op->arg[1]);
    const uint64_t *x = emu_at(m, op->arg[0]), *y = emu_at(m, op->arg[1]);
    bool wide = op->uop.imm == 64;
    switch (op->uop.kind + (wide ? UOP_KIND_COUNT : 0)) {
    case UOP_IEQ: COMPARE(a[i] == b[i]);
    case UOP_ILT_S: COMPARE((int32_t)a[i] < (int32_t)b[i]);
    case UOP_ILT_U: COMPARE(a[i] < b[i]);
    case UOP_IEQ + UOP_KIND_COUNT: COMPARE(x[i] == y[i]);
    case UOP_ILT_S + UOP_KIND_COUNT: COMPARE((int64_t)x[i] < (int64_t)y[i]);
    default: COMPARE(x[i] < y[i]);
    }
    *(uint32_t *)emu_at(m, op->to) = mask;
}

static void compute_width(struct emu_machine *m, const struct emu_op *op)
{
    if (op->uop.kind == UOP_LO || op->uop.kind == UOP_HI) {
        uint32_t *restrict r = emu_at(m, op->to);
        const uint64_t *a = emu_at(m, op->arg[0]);
        unsigned by = op->uop.kind == UOP_HI ? 32 : 0;
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = (uint32_t)(a[i] >> by);
        return;
    }
    uint64_t *restrict r = emu_at(m, op->to);
    const uint32_t *a = emu_at(m, op->arg[0]);
    if (op->uop.kind == UOP_PAIR) {
        const uint32_t *b = emu_at(m, op->arg[1]);
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = a[i] | (uint64_t)b[i] << 32;
    } else if (op->uop.kind == UOP_SEXT) {
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = (uint64_t)(int64_t)(int32_t)a[i];
    } else {
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = a[i];
    }
}

void emu_compute(struct emu_machine *m, const struct emu_op *op)
{
    switch (op->uop.kind) {
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U: compute_compare(m, op); return;
    case UOP_LO:
    case UOP_HI:
    case UOP_PAIR:
    case UOP_SEXT:
    case UOP_ZEXT: compute_width(m, op); return;
    default: break;
    }
    if (op->form == EMU_FORM_MASK)
        compute_mask(m, op);
    else if (op->uop.kind == UOP_LOP3)
        compute_logic(m, op);
    else if (op->uop.kind == UOP_SELECT)
        compute_select(m, op);
    else if (op->form == EMU_FORM_DOUBLE)
        compute_double(m, op);
    else
        compute_word(m, op);
}

void emu_evaluate(struct emu_machine *m, const struct emu_op *op)
{
    EMU_EACH(lane, m->active) {
        uint64_t args[UOP_MAX_ARGS] = {0}, result = 0;
        for (unsigned i = 0; i < UOP_MAX_ARGS && op->forms[i] != EMU_FORM_NONE; i++)
            args[i] = emu_lane(m, op->arg[i], op->forms[i], lane);
        if (!uop_eval(&op->uop, args, &result)) {
            emu_find(m, EMU_UNSUPPORTED, lane, NULL, "%s has no value in this build",
                     uop_kind_text((enum uop_kind)op->uop.kind));
            m->stop = true;
            return;
        }
        emu_put_lane(m, op->to, op->form, lane, result);
    }
}
