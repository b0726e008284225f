/* The one evaluator of pure micro-operations: constant folding, refusal witnesses and the emulator all come here.
 *
 * Integers are 64-bit host words cut to the operation's width; floats go to uop_eval_float.c. Answers false for
 * what is no function of its arguments (class E), for the approximations of the special function unit (class A) and
 * for FCHK, whose exact boundary is not known. requires: arguments right-aligned in their widths (bits above are
 * ignored). gives: the result's bits, zero-extended. */
#include "base/bits.h"
#include "uop/uop.h"
#include "uop/uop_eval_float.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static uint64_t mask_of(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static uint64_t shift(unsigned kind, uint64_t a, uint32_t by, unsigned width)
{
    int64_t s = bits_sign_extend(a, width);
    if (kind == UOP_SAR)
        return (uint64_t)(s >> (by >= width ? width - 1 : by));
    if (by >= width)
        return 0;
    return kind == UOP_SHL ? a << by : a >> by;
}

static uint64_t lop3(uint64_t a, uint64_t b, uint64_t c, unsigned table)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}

/* Byte permute. In the default mode each selector nibble names a byte of {c:a}, its top bit asks for that byte's sign
 * instead; the other modes take one two-bit selector. */
static uint32_t permute(uint32_t a, uint32_t selector, uint32_t c, unsigned mode)
{
    static const uint8_t modes[7][4][4] = {
        {{0}},
        {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}, /* F4E */
        {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}, /* B4E */
        {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}, /* RC8 */
        {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}, /* ECL */
        {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}, /* ECR */
        {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}, /* RC16 */
    };
    uint64_t bytes = (uint64_t)c << 32 | a;
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned pick = mode == 0 ? selector >> (4 * i) & 15 : modes[mode][selector & 3][i];
        uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 0xff;
        if (pick & 8)
            byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}

static uint64_t highest_bit(uint64_t a, unsigned width, bool is_signed, bool as_shift)
{
    if (is_signed && (a >> (width - 1) & 1))
        a = ~a & mask_of(width);
    if (a == 0)
        return 0xffffffff;
    unsigned i = width - 1;
    while (!(a >> i & 1))
        i--;
    return as_shift ? width - 1 - i : i;
}

static uint64_t field(uint64_t a, uint32_t start, uint32_t length, unsigned width, bool is_signed)
{
    start &= 0xff;
    length &= 0xff;
    if (length == 0)
        return 0;
    int64_t wide = is_signed ? bits_sign_extend(a, width) : (int64_t)a;
    /* Bits beyond the source are copies of its sign, or zero. */
    uint64_t moved = start >= 64 ? (uint64_t)(is_signed && wide < 0 ? -1 : 0)
                     : is_signed ? (uint64_t)(wide >> start)
                                 : a >> start;
    if (length >= width)
        return moved;
    return is_signed ? (uint64_t)bits_sign_extend(moved, length) : moved & mask_of(length);
}

/* Dot product of bytes (4A) or of two halfwords with two bytes (2A); form: bit 0 a signed, bit 1 b signed, bits 3:2
 * 0 four bytes, 1 halfwords with the low bytes of b, 2 with the high bytes. */
static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, unsigned form)
{
    unsigned step = form >> 2 ? 16 : 8, first = form >> 2 == 2 ? 2 : 0;
    int64_t sum = (int64_t)c;
    for (unsigned i = 0; i < 32 / step; i++) {
        uint64_t x = a >> (step * i) & mask_of(step), y = b >> (8 * (i + first)) & 0xff;
        sum += (form & 1 ? bits_sign_extend(x, step) : (int64_t)x) * (form & 2 ? bits_sign_extend(y, 8) : (int64_t)y);
    }
    return (uint32_t)sum;
}

static unsigned count_ones(uint64_t a)
{
    unsigned n = 0;
    for (; a; a &= a - 1)
        n++;
    return n;
}

static uint64_t reverse(uint64_t a, unsigned width)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < width; i++)
        r |= (a >> i & 1) << (width - 1 - i);
    return r;
}

static uint64_t high_half(unsigned kind, uint64_t a, uint64_t b, unsigned width)
{
    if (kind == UOP_MULHI_U)
        return (uint64_t)(((u128)a * b) >> width);
    return (uint64_t)(((s128)bits_sign_extend(a, width) * bits_sign_extend(b, width)) >> width);
}

static bool eval_compare(const struct uop *op, uint64_t a, uint64_t b, uint64_t *result)
{
    unsigned width = (unsigned)op->imm;
    if (width < 1 || width > 64)
        return false;
    a &= mask_of(width);
    b &= mask_of(width);
    switch (op->kind) {
    case UOP_IEQ: *result = a == b; return true;
    case UOP_ILT_U: *result = a < b; return true;
    default: *result = bits_sign_extend(a, width) < bits_sign_extend(b, width); return true;
    }
}

/* Results in `width` bits of arguments in `width` bits. */
static bool eval_integer(const struct uop *op, const uint64_t *args, unsigned width, uint64_t *result)
{
    unsigned count = uop_kind_args((enum uop_kind)op->kind);
    uint64_t mask = mask_of(width), x[3] = {0}, r;
    for (unsigned i = 0; i < count && i < 3; i++)
        x[i] = args[i] & mask;
    int64_t sa = bits_sign_extend(x[0], width), sb = bits_sign_extend(x[1], width);
    switch (op->kind) {
    case UOP_ADD: r = x[0] + x[1]; break;
    case UOP_ADDC: r = x[0] + x[1] + (args[2] & 1); break;
    case UOP_NEG: r = 0 - x[0]; break;
    case UOP_MUL: r = x[0] * x[1]; break;
    case UOP_MULHI_S:
    case UOP_MULHI_U: r = high_half(op->kind, x[0], x[1], width); break;
    case UOP_AND: r = x[0] & x[1]; break;
    case UOP_OR: r = x[0] | x[1]; break;
    case UOP_XOR: r = x[0] ^ x[1]; break;
    case UOP_NOT: r = ~x[0]; break;
    case UOP_LOP3: r = lop3(x[0], x[1], x[2], (unsigned)op->imm & 0xff); break;
    case UOP_SHL:
    case UOP_SHR:
    case UOP_SAR: r = shift(op->kind, x[0], (uint32_t)args[1], width); break;
    case UOP_MIN_S: r = sa < sb ? x[0] : x[1]; break;
    case UOP_MAX_S: r = sa > sb ? x[0] : x[1]; break;
    case UOP_MIN_U: r = x[0] < x[1] ? x[0] : x[1]; break;
    case UOP_MAX_U: r = x[0] > x[1] ? x[0] : x[1]; break;
    case UOP_ABS: r = sa < 0 ? 0 - x[0] : x[0]; break;
    case UOP_POPC: r = count_ones(x[0]); break;
    case UOP_BREV: r = reverse(x[0], width); break;
    case UOP_FLO: r = highest_bit(x[0], width, op->flags & UOP_SIGNED, op->imm); break;
    case UOP_PRMT:
        if (op->imm > 6)
            return false;
        r = permute((uint32_t)x[0], (uint32_t)x[1], (uint32_t)x[2], (unsigned)op->imm);
        break;
    case UOP_BFE: r = field(x[0], (uint32_t)args[1], (uint32_t)args[2], width, op->flags & UOP_SIGNED); break;
    case UOP_BMSK: {
        uint32_t start = (uint32_t)x[0], length = (uint32_t)x[1];
        if (op->imm) {
            start &= 31;
            length &= 31;
        }
        r = start >= 32 ? 0 : mask_of(length > 32 ? 32 : length) << start;
        break;
    }
    case UOP_DP4A: r = dot((uint32_t)x[0], (uint32_t)x[1], (uint32_t)x[2], (unsigned)op->imm); break;
    case UOP_SAD:
        r = x[2] + (op->flags & UOP_SIGNED ? (sa > sb ? x[0] - x[1] : x[1] - x[0])
                                           : (x[0] > x[1] ? x[0] - x[1] : x[1] - x[0]));
        break;
    default: return false;
    }
    *result = r & mask;
    return true;
}

bool uop_eval(const struct uop *op, const uint64_t *args, uint64_t *result)
{
    unsigned width = uop_type_bits((enum uop_type)op->type);
    switch (op->kind) {
    case UOP_CONST: *result = op->imm & mask_of(width); return width >= 1 && width <= 64;
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U: return eval_compare(op, args[0], args[1], result);
    case UOP_SELECT: *result = (args[0] & 1 ? args[1] : args[2]) & mask_of(width); return width >= 1 && width <= 64;
    case UOP_CARRY: {
        if (op->imm != 32 && op->imm != 64)
            return false;
        uint64_t mask = mask_of((unsigned)op->imm);
        *result = (((u128)(args[0] & mask) + (args[1] & mask) + (args[2] & 1)) >> op->imm) & 1;
        return true;
    }
    case UOP_SEXT:
    case UOP_ZEXT:
        if (op->imm < 1 || op->imm > 64 || width > 64)
            return false;
        *result = (op->kind == UOP_SEXT ? (uint64_t)bits_sign_extend(args[0], (unsigned)op->imm)
                                        : args[0] & mask_of((unsigned)op->imm)) &
                  mask_of(width);
        return true;
    case UOP_LO:
    case UOP_HI:
        if (width > 32 || width < 1)
            return false;
        *result = args[0] >> (op->kind == UOP_HI ? width : 0) & mask_of(width);
        return true;
    case UOP_PAIR:
        if (width > 64 || width < 2)
            return false;
        *result = (args[0] & mask_of(width / 2)) | (args[1] & mask_of(width / 2)) << width / 2;
        return true;
    default: break;
    }
    if (op->kind >= UOP_FLT && op->kind <= UOP_I2F)
        return uop_eval_float(op, args, result);
    return width >= 1 && width <= 64 && eval_integer(op, args, width, result);
}
