/* Memory by lifetime: an arena hands out zeroed blocks and frees them all at once. No block is ever freed alone.
 * A limit bounds what one input may cost; beyond it arena_alloc() answers NULL and arena_failed() stays true. */
#ifndef SP_BASE_ARENA_H
#define SP_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *head;
    size_t used;    /* bytes handed out */
    size_t limit;   /* 0: none */
    bool failed;
};

void arena_init(struct arena *a, size_t limit_bytes);
void arena_free(struct arena *a);

/* `size` zeroed bytes aligned to 16, or NULL. Size 0 gives a valid unique pointer. */
void *arena_alloc(struct arena *a, size_t size);
/* As arena_alloc() for `count` objects of `size` bytes, overflow checked. */
void *arena_array(struct arena *a, size_t count, size_t size);
/* Grows a block of `old_size` bytes (contents kept, the rest zeroed); the old block stays until the arena goes. */
void *arena_grow(struct arena *a, void *old, size_t old_size, size_t new_size);
char *arena_strdup(struct arena *a, const char *text);
char *arena_strndup(struct arena *a, const char *text, size_t length);
/* printf into the arena; NULL when out of memory. */
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool arena_failed(const struct arena *a);

#define ARENA_NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_array((a), (n), sizeof(T)))

#endif
