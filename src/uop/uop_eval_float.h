/* The float half of the evaluator, private to the room: formats as exponent and mantissa widths, one rounding for
 * all. */
#ifndef SP_UOP_EVAL_FLOAT_H
#define SP_UOP_EVAL_FLOAT_H

#include "uop/uop.h"

/* As uop_eval() for the kinds that read or make floats; false for any other kind or a type that is no float. */
bool uop_eval_float(const struct uop *op, const uint64_t *args, uint64_t *result);

#endif
