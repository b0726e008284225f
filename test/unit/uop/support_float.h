/* A second, independent account of IEEE arithmetic for the tests of the evaluator: 113-bit floats rounded to odd,
 * then to the format; and for f32 and f64 the host's own unit under fesetround(). */
#ifndef SUPPORT_FLOAT_H
#define SUPPORT_FLOAT_H

#include "uop/uop.h"

/* UOP_FADD, UOP_FMUL, UOP_FFMA in `type`, all flags of arithmetic. */
uint64_t reference_arithmetic(const struct uop *op, uint64_t a, uint64_t b, uint64_t c);
/* UOP_F2F from imm to type, UOP_FROUND, UOP_I2F. */
uint64_t reference_convert(const struct uop *op, uint64_t a);
/* The same kinds by the host's unit: f32 and f64 without flags, round RN RM RP RZ. NaN results as the host makes
 * them. */
uint64_t host_arithmetic(const struct uop *op, uint64_t a, uint64_t b, uint64_t c);
bool reference_is_nan(unsigned type, uint64_t bits);

#endif
