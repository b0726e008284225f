/* Floats on whole rows: additions, products, fused ones, minima, compares and the usual conversions of f32, and the
 * first three of f64, rounded to nearest, by the host's arithmetic. The host must round to nearest and keep subnormals
 * (what C promises until somebody changes it), and no two operations may be fused: each stands alone in its loop. Where
 * the device differs (its one NaN, flushing) the bits are put right; a lane whose case is not told by these rules goes
 * to uop_eval(), whose word counts.
 *
 * requires: an operation of emu_program.c that emu_knows_float() · gives: its row */
#include "emu/emu_internal.h"

#include <math.h>
#include <string.h>

enum { NAN_F32 = 0x7fffffff, ONE_F32 = 0x3f800000, SMALLEST_F32 = 0x00800000 };
static const uint32_t sign_f32 = 0x80000000, infinity_f32 = 0x7f800000;
static const uint64_t infinity_f64 = UINT64_C(0x7ff0000000000000);

static bool is_arithmetic(unsigned kind)
{
    return kind == UOP_FADD || kind == UOP_FMUL || kind == UOP_FFMA;
}

bool emu_knows_float(const struct emu_op *op)
{
    const struct uop *u = &op->uop;
    if (u->type == UOP_F64)
        return (is_arithmetic(u->kind) && u->round == UOP_RN && !u->flags) || u->kind == UOP_FNEG ||
               u->kind == UOP_FABS;
    if (u->type != UOP_F32)
        return false;
    switch (u->kind) {
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA: return u->round == UOP_RN && !(u->flags & ~(unsigned)(UOP_FTZ | UOP_SAT));
    case UOP_FNEG:
    case UOP_FABS: return !(u->flags & UOP_NAN); /* of f32 none says so */
    case UOP_FMIN:
    case UOP_FMAX: return !(u->flags & ~(unsigned)(UOP_FTZ | UOP_NAN));
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM: return true;
    case UOP_I2F: return u->imm == 32 && u->round == UOP_RN && op->forms[0] == EMU_FORM_WORD;
    default: return false;
    }
}

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t as_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static uint32_t flush(uint32_t bits)
{
    return bits & infinity_f32 ? bits : bits & sign_f32;
}

static bool is_nan(uint32_t bits)
{
    return (bits & ~sign_f32) > infinity_f32;
}

/* The host's results made the device's. A result that is the smallest normal number may have been rounded up to it:
 * whether that counts as small is decided elsewhere. */
static void finish(struct emu_machine *m, const struct emu_op *op, uint32_t *restrict r)
{
    uint32_t unsure = 0;
    for (unsigned i = 0; i < EMU_LANES; i++)
        r[i] = is_nan(r[i]) ? (uint32_t)NAN_F32 : r[i];
    if (op->uop.flags & UOP_FTZ) {
        for (unsigned i = 0; i < EMU_LANES; i++)
            unsure |= (uint32_t)((r[i] & ~sign_f32) == SMALLEST_F32) << i;
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = flush(r[i]);
    }
    if (op->uop.flags & UOP_SAT)
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = is_nan(r[i]) || r[i] & sign_f32 ? 0 : r[i] > ONE_F32 ? (uint32_t)ONE_F32 : r[i];
    EMU_EACH(lane, unsure & m->active) {
        uint64_t args[UOP_MAX_ARGS] = {0}, result = 0;
        for (unsigned i = 0; i < 3 && op->forms[i] != EMU_FORM_NONE; i++)
            args[i] = emu_lane(m, op->arg[i], op->forms[i], lane);
        if (uop_eval(&op->uop, args, &result))
            r[lane] = (uint32_t)result;
    }
}

static void compute_f32(struct emu_machine *m, const struct emu_op *op)
{
    const uint32_t *arg[3] = {NULL};
    uint32_t flushed[3][EMU_LANES];
    uint32_t *restrict r = emu_at(m, op->to);
    unsigned args = op->uop.kind == UOP_FFMA ? 3 : 2;
    for (unsigned k = 0; k < args; k++) {
        arg[k] = emu_at(m, op->arg[k]);
        if (!(op->uop.flags & UOP_FTZ))
            continue;
        for (unsigned i = 0; i < EMU_LANES; i++)
            flushed[k][i] = flush(arg[k][i]);
        arg[k] = flushed[k];
    }
    if (op->uop.kind == UOP_FADD)
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = as_bits(as_float(arg[0][i]) + as_float(arg[1][i]));
    else if (op->uop.kind == UOP_FMUL)
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = as_bits(as_float(arg[0][i]) * as_float(arg[1][i]));
    else
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = as_bits(fmaf(as_float(arg[0][i]), as_float(arg[1][i]), as_float(arg[2][i])));
    finish(m, op, r);
}

static double as_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

static uint64_t as_bits64(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return bits;
}

static bool is_nan64(uint64_t bits)
{
    return (bits << 1 >> 1) > infinity_f64;
}

/* NaNs of f64 keep their payload by a rule of the device: such lanes go to the evaluator. */
static void compute_f64(struct emu_machine *m, const struct emu_op *op)
{
    uint64_t *restrict r = emu_at(m, op->to);
    unsigned args = op->uop.kind == UOP_FFMA ? 3 : op->uop.kind == UOP_FADD || op->uop.kind == UOP_FMUL ? 2 : 1;
    const uint64_t *a = emu_at(m, op->arg[0]);
    const uint64_t *b = args > 1 ? emu_at(m, op->arg[1]) : a, *c = args > 2 ? emu_at(m, op->arg[2]) : a;
    for (unsigned i = 0; i < EMU_LANES; i++)
        r[i] = op->uop.kind == UOP_FADD   ? as_bits64(as_double(a[i]) + as_double(b[i]))
               : op->uop.kind == UOP_FMUL ? as_bits64(as_double(a[i]) * as_double(b[i]))
               : op->uop.kind == UOP_FFMA ? as_bits64(fma(as_double(a[i]), as_double(b[i]), as_double(c[i])))
               : op->uop.kind == UOP_FNEG ? a[i] ^ UINT64_C(1) << 63
                                          : a[i] & ~(UINT64_C(1) << 63);
    if (args < 2 && !(op->uop.flags & UOP_NAN))
        return;
    EMU_EACH(lane, m->active) {
        uint64_t bits[UOP_MAX_ARGS] = {a[lane], b[lane], c[lane]}, result = 0;
        if (is_nan64(r[lane]) && uop_eval(&op->uop, bits, &result))
            r[lane] = result;
    }
}

/* Numbers as integers in their order; -0 below +0. */
static int32_t order_of(uint32_t bits)
{
    return bits & sign_f32 ? (int32_t)(bits ^ ~sign_f32) : (int32_t)bits;
}

static void compute_min_max(struct emu_machine *m, const struct emu_op *op)
{
    uint32_t *restrict r = emu_at(m, op->to);
    const uint32_t *a = emu_at(m, op->arg[0]), *b = emu_at(m, op->arg[1]);
    bool ftz = op->uop.flags & UOP_FTZ, nan = op->uop.flags & UOP_NAN, least = op->uop.kind == UOP_FMIN;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint32_t x = ftz ? flush(a[i]) : a[i], y = ftz ? flush(b[i]) : b[i];
        uint32_t chosen = (order_of(x) < order_of(y)) == least ? x : y;
        bool nx = is_nan(x), ny = is_nan(y);
        chosen = nx ? y : ny ? x : chosen;
        r[i] = (nx && ny) || (nan && (nx || ny)) ? (uint32_t)NAN_F32 : chosen;
    }
}

static void compute_compare(struct emu_machine *m, const struct emu_op *op)
{
    const uint32_t *a = emu_at(m, op->arg[0]), *b = emu_at(m, op->arg[1]);
    uint32_t mask = 0;
    bool ftz = op->uop.flags & UOP_FTZ;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint32_t x = ftz ? flush(a[i]) : a[i], y = ftz ? flush(b[i]) : b[i];
        bool zeros = ((x | y) & ~sign_f32) == 0, number = !is_nan(x) && !is_nan(y);
        bool equal = zeros || x == y, less = !zeros && order_of(x) < order_of(y), answer;
        switch (op->uop.kind) {
        case UOP_FLT: answer = less; break;
        case UOP_FLE: answer = less || equal; break;
        case UOP_FEQ: answer = equal; break;
        case UOP_FNE: answer = !equal; break;
        default: answer = true; break;
        }
        mask |= (uint32_t)(answer && number) << i;
    }
    *(uint32_t *)emu_at(m, op->to) = mask;
}

void emu_compute_float(struct emu_machine *m, const struct emu_op *op)
{
    if (op->uop.type == UOP_F64) {
        compute_f64(m, op);
        return;
    }
    uint32_t *restrict r = emu_at(m, op->to);
    const uint32_t *a = emu_at(m, op->arg[0]);
    switch (op->uop.kind) {
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA: compute_f32(m, op); return;
    case UOP_FMIN:
    case UOP_FMAX: compute_min_max(m, op); return;
    case UOP_FNEG:
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = a[i] ^ sign_f32;
        return;
    case UOP_FABS:
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = a[i] & ~sign_f32;
        return;
    case UOP_I2F:
        for (unsigned i = 0; i < EMU_LANES; i++)
            r[i] = as_bits(op->uop.flags & UOP_SIGNED ? (float)(int32_t)a[i] : (float)a[i]);
        return;
    default: compute_compare(m, op); return;
    }
}
