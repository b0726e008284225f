/* The one function behind VEC_PUSH: doubles the capacity on the arena. Old storage stays in the arena, so the total a
 * vector costs is at most twice its final size. */
#include "base/vec.h"

#include <stdint.h>

bool vec_reserve(struct arena *a, void **p, size_t n, size_t *cap, size_t extra, size_t size)
{
    if (extra <= *cap - n)
        return true;
    size_t want = *cap ? *cap : 8;
    while (want - n < extra) {
        if (want > SIZE_MAX / 2 / size)
            return false;
        want *= 2;
    }
    void *grown = arena_grow(a, *p, n * size, want * size);
    if (!grown)
        return false;
    *p = grown;
    *cap = want;
    return true;
}
