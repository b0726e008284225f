/* Hash maps on an arena: 64-bit key -> 32-bit value, and text -> 32-bit value. Open addressing, no removal.
 * Iteration order is never offered: outputs must not depend on hash order. */
#ifndef SP_BASE_MAP_H
#define SP_BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_u64 {
    uint64_t *keys;
    uint32_t *values; /* stored + 1; 0 marks a free slot */
    size_t n, cap;
};

/* True and *value when present. */
bool map_u64_get(const struct map_u64 *m, uint64_t key, uint32_t *value);
/* Sets or replaces. `value` < UINT32_MAX. False when out of memory. */
bool map_u64_put(struct arena *a, struct map_u64 *m, uint64_t key, uint32_t value);

/* Empty again; keeps its room. */
void map_u64_clear(struct map_u64 *m);

struct map_str {
    const char **keys; /* not copied: must outlive the map */
    uint32_t *values;
    size_t n, cap;
};

bool map_str_get(const struct map_str *m, const char *key, uint32_t *value);
bool map_str_put(struct arena *a, struct map_str *m, const char *key, uint32_t value);

/* FNV-1a over bytes, and a mixer for combining numbers. */
uint64_t map_hash_bytes(const void *bytes, size_t n);
uint64_t map_hash_mix(uint64_t h, uint64_t x);

#endif
