/* Scalars of a launch: numbers as the bits of a type.
 *
 * requires: a type's name and a number · gives: its bits, or that it does not hold the number */
#include "pipeline/pipe_launch.h"

#include "uop/uop.h"

#include <math.h>
#include <string.h>

static const struct scalar {
    const char *name;
    uint8_t bytes, type; /* type: enum uop_type of floats */
    bool is_signed;
} scalars[] = {
    {"s8", 1, UOP_VOID, true},  {"u8", 1, UOP_VOID, false},   {"s16", 2, UOP_VOID, true},  {"u16", 2, UOP_VOID, false},
    {"s32", 4, UOP_VOID, true}, {"u32", 4, UOP_VOID, false},  {"s64", 8, UOP_VOID, true},  {"u64", 8, UOP_VOID, false},
    {"f16", 2, UOP_F16, false}, {"bf16", 2, UOP_BF16, false}, {"f32", 4, UOP_F32, false},  {"f64", 8, UOP_F64, false},
    {"b8", 1, UOP_VOID, false}, {"b16", 2, UOP_VOID, false},  {"b32", 4, UOP_VOID, false}, {"b64", 8, UOP_VOID, false},
};

static const struct scalar *find(const char *type)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (strcmp(scalars[i].name, type) == 0)
            return &scalars[i];
    return NULL;
}

uint32_t pipe_scalar_bytes(const char *type)
{
    const struct scalar *s = find(type);
    return s ? s->bytes : 0;
}

bool pipe_scalar_bits(const char *type, bool integral, int64_t integer, double real, uint64_t *bits)
{
    const struct scalar *s = find(type);
    if (!s)
        return false;
    if (s->type != UOP_VOID) {
        struct uop op = {.kind = UOP_F2F, .type = s->type, .imm = UOP_F64};
        uint64_t from;
        real = integral ? (double)integer : real;
        memcpy(&from, &real, 8);
        *bits = from;
        return s->type == UOP_F64 || uop_eval(&op, &from, bits);
    }
    if (!integral) {
        if (!(real == floor(real)) || fabs(real) > 9007199254740992.0)
            return false;
        integer = (int64_t)real;
    }
    unsigned width = 8u * s->bytes;
    if (width < 64) {
        int64_t least = s->is_signed ? -(INT64_C(1) << (width - 1)) : 0;
        int64_t most = (INT64_C(1) << (s->is_signed ? width - 1 : width)) - 1;
        if (integer < least || integer > most)
            return false;
    }
    *bits = (uint64_t)integer & (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX);
    return true;
}
