/* Arena memory: a chain of blocks, the newest first. An allocation that does not fit the newest block opens a new one
 * at least as large as the request; blocks double in size up to 1 MiB so that small inputs stay small. Requires
 * nothing; gives zeroed memory that lives until arena_free(). */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    size_t size, used; /* of the payload, in bytes */
    max_align_t payload[];
};

enum { ARENA_ALIGN = 16, ARENA_FIRST = 16 << 10, ARENA_LARGEST = 1 << 20 };

void arena_init(struct arena *a, size_t limit_bytes)
{
    *a = (struct arena){.limit = limit_bytes};
}

void arena_free(struct arena *a)
{
    for (struct arena_block *b = a->head; b;) {
        struct arena_block *next = b->next;
        free(b);
        b = next;
    }
    *a = (struct arena){.limit = a->limit};
}

static void *arena_fail(struct arena *a)
{
    a->failed = true;
    return NULL;
}

static bool arena_open_block(struct arena *a, size_t size)
{
    size_t want = a->head ? a->head->size * 2 : ARENA_FIRST;
    if (want > ARENA_LARGEST)
        want = ARENA_LARGEST;
    if (want < size)
        want = size;
    if (want > SIZE_MAX - sizeof(struct arena_block))
        return false;
    struct arena_block *b = calloc(1, sizeof *b + want);
    if (!b)
        return false;
    b->next = a->head;
    b->size = want;
    a->head = b;
    return true;
}

void *arena_alloc(struct arena *a, size_t size)
{
    if (a->failed || size > SIZE_MAX - 2 * ARENA_ALIGN)
        return arena_fail(a);
    size_t rounded = size ? (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1) : ARENA_ALIGN;
    if (a->limit && (rounded > a->limit || a->used > a->limit - rounded))
        return arena_fail(a);
    if ((!a->head || a->head->size - a->head->used < rounded) && !arena_open_block(a, rounded))
        return arena_fail(a);
    struct arena_block *b = a->head;
    void *p = (char *)b->payload + b->used;
    b->used += rounded;
    a->used += rounded;
    assert(b->used <= b->size);
    return p;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return arena_fail(a);
    return arena_alloc(a, bytes);
}

void *arena_grow(struct arena *a, void *old, size_t old_size, size_t new_size)
{
    assert(new_size >= old_size);
    struct arena_block *b = a->head; /* what was allocated last grows where it is */
    size_t had = (old_size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (!a->failed && old && had && b && had <= b->used && (char *)b->payload + b->used - had == (char *)old &&
        new_size <= b->size - (b->used - had) && new_size <= SIZE_MAX - 2 * ARENA_ALIGN) {
        size_t now = (new_size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1), more = now - had;
        if (now <= b->size - (b->used - had) && (!a->limit || (more <= a->limit && a->used <= a->limit - more))) {
            b->used += more;
            a->used += more;
            return old;
        }
    }
    void *p = arena_alloc(a, new_size);
    if (p && old && old_size)
        memcpy(p, old, old_size);
    return p;
}

char *arena_strndup(struct arena *a, const char *text, size_t length)
{
    char *p = arena_alloc(a, length + 1);
    if (p && length)
        memcpy(p, text, length);
    return p;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return arena_strndup(a, text, strlen(text));
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args, again;
    char text[256]; /* most are short: formatted once */
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *p = n < 0 ? arena_fail(a) : arena_alloc(a, (size_t)n + 1);
    if (p && (size_t)n < sizeof text)
        memcpy(p, text, (size_t)n);
    else if (p)
        vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    return p;
}

bool arena_failed(const struct arena *a)
{
    return a->failed;
}
