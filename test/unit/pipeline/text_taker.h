/* A writer for the public calls that keeps all it is given, NUL-terminated; `p` is to be freed. */
#ifndef TEXT_TAKER_H
#define TEXT_TAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *p;
    size_t n, capacity;
};

static bool text_take(void *user, const char *bytes, size_t n)
{
    struct text *t = user;
    if (t->n + n + 1 > t->capacity) {
        t->capacity = (t->n + n + 1) * 2;
        t->p = realloc(t->p, t->capacity);
        if (!t->p)
            return false;
    }
    memcpy(t->p + t->n, bytes, n);
    t->n += n;
    t->p[t->n] = '\0';
    return true;
}

#endif
