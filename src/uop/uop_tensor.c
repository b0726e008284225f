/* What the tensor instructions do is not described yet: a matrix operation has operands and results spread over a
 * warp, and this build says only which registers it touches. requires/gives: see uop_build.h. */
#include "uop/uop_build.h"

void lift_tensor(struct lift *l)
{
    lift_refuse(l);
}
