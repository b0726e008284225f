/* Growable arrays on an arena. `VEC(T)` declares the type of a vector; the macros take it by lvalue.
 *   VEC(uint32_t) v = {0};  VEC_PUSH(arena, v, 7);  for (size_t i = 0; i < v.n; i++) use(v.p[i]);
 * VEC_PUSH is a statement and answers through arena_failed(): a failed push leaves the vector as it was. */
#ifndef SP_BASE_VEC_H
#define SP_BASE_VEC_H

#include "base/arena.h"

#include <stddef.h>

#define VEC(T)      \
    struct {        \
        T *p;       \
        size_t n;   \
        size_t cap; \
    }

/* Room for `extra` more elements; false when the arena is out of memory. */
#define VEC_RESERVE(a, v, extra) \
    vec_reserve((a), (void **)&(v).p, (v).n, &(v).cap, (extra), sizeof *(v).p)

#define VEC_PUSH(a, v, ...)                    \
    do {                                       \
        if (VEC_RESERVE((a), (v), 1))          \
            (v).p[(v).n++] = (__VA_ARGS__);    \
    } while (0)

/* Private to the macros. */
_Bool vec_reserve(struct arena *a, void **p, size_t n, size_t *cap, size_t extra, size_t size);

#endif
