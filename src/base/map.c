/* Open addressing with linear probing, capacity a power of two, at most 2/3 full. A slot is free when its stored value
 * is 0 (values are stored + 1). Grown tables leave the old one to the arena. */
#include "base/map.h"

#include <assert.h>
#include <string.h>

uint64_t map_hash_mix(uint64_t h, uint64_t x)
{
    h ^= x + UINT64_C(0x9e3779b97f4a7c15) + (h << 6) + (h >> 2);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 29;
}

uint64_t map_hash_bytes(const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * UINT64_C(0x100000001b3);
    return h;
}

static size_t u64_slot(const struct map_u64 *m, uint64_t key)
{
    uint64_t h = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15); /* ids are dense: the high bits are the mixed ones */
    size_t i = (size_t)(h >> 32 ^ h >> 48) & (m->cap - 1);
    while (m->values[i] && m->keys[i] != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

bool map_u64_get(const struct map_u64 *m, uint64_t key, uint32_t *value)
{
    if (!m->cap)
        return false;
    size_t i = u64_slot(m, key);
    if (!m->values[i])
        return false;
    if (value)
        *value = m->values[i] - 1;
    return true;
}

bool map_u64_put(struct arena *a, struct map_u64 *m, uint64_t key, uint32_t value)
{
    assert(value < UINT32_MAX);
    if (m->n * 3 >= m->cap * 2) {
        struct map_u64 grown = {.cap = m->cap ? m->cap * 2 : 16};
        grown.keys = ARENA_ARRAY(a, uint64_t, grown.cap);
        grown.values = ARENA_ARRAY(a, uint32_t, grown.cap);
        if (!grown.keys || !grown.values)
            return false;
        for (size_t i = 0; i < m->cap; i++) {
            if (!m->values[i])
                continue;
            size_t at = u64_slot(&grown, m->keys[i]);
            grown.keys[at] = m->keys[i];
            grown.values[at] = m->values[i];
        }
        grown.n = m->n;
        *m = grown;
    }
    size_t i = u64_slot(m, key);
    m->n += m->values[i] == 0;
    m->keys[i] = key;
    m->values[i] = value + 1;
    return true;
}

void map_u64_clear(struct map_u64 *m)
{
    if (m->cap)
        memset(m->values, 0, m->cap * sizeof m->values[0]);
    m->n = 0;
}

static size_t str_slot(const struct map_str *m, const char *key)
{
    size_t i = (size_t)map_hash_bytes(key, strlen(key)) & (m->cap - 1);
    while (m->values[i] && strcmp(m->keys[i], key) != 0)
        i = (i + 1) & (m->cap - 1);
    return i;
}

bool map_str_get(const struct map_str *m, const char *key, uint32_t *value)
{
    if (!m->cap)
        return false;
    size_t i = str_slot(m, key);
    if (!m->values[i])
        return false;
    if (value)
        *value = m->values[i] - 1;
    return true;
}

bool map_str_put(struct arena *a, struct map_str *m, const char *key, uint32_t value)
{
    assert(value < UINT32_MAX);
    if (m->n * 3 >= m->cap * 2) {
        struct map_str grown = {.cap = m->cap ? m->cap * 2 : 16};
        grown.keys = ARENA_ARRAY(a, const char *, grown.cap);
        grown.values = ARENA_ARRAY(a, uint32_t, grown.cap);
        if (!grown.keys || !grown.values)
            return false;
        for (size_t i = 0; i < m->cap; i++) {
            if (!m->values[i])
                continue;
            size_t at = str_slot(&grown, m->keys[i]);
            grown.keys[at] = m->keys[i];
            grown.values[at] = m->values[i];
        }
        grown.n = m->n;
        *m = grown;
    }
    size_t i = str_slot(m, key);
    m->n += m->values[i] == 0;
    m->keys[i] = key;
    m->values[i] = value + 1;
    return true;
}
