/* Between mean_effect.c and mean_role.c only. */
#ifndef SP_MEAN_EFFECT_H
#define SP_MEAN_EFFECT_H

#include "meaning/mean_internal.h"

/* What the micro-operations of an instruction are, taken together. */
struct effects {
    bool store, load, atomic, branch, exit, trap, call, ret, barrier, reconverge, shuffle, vote, tensor, async, fence,
        prefetch, nop, misc, unknown, opaque;
    bool compare, select, convert, floats, integers, uniform;
};

/* By input instruction; NULL: no memory. */
struct effects *mean_find_effects(struct mean *m);

#endif
