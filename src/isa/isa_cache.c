/* Text of words by templates made before (isa_template.c). The opcode says which bits make the key, the key is looked
 * up by its hash, and what stood in its place is made anew where it was another's.
 *
 * Copies are of fixed sizes and go past what counts: the next piece is written over the rest. */
#include "isa/isa_template.h"

#include "base/hex.h"
#include "isa/isa_text.h"

#include <string.h>

static unsigned opcode_of(struct bits128 word)
{
    return (unsigned)(word.lo & 0xfff) | (unsigned)(word.hi >> (91 - 64) & 1) << 12;
}

/* NULL: there is no room for more, or no such architecture. */
static const struct isa_key *new_key(struct isa_cache *cache, unsigned sm, unsigned opcode)
{
    if (!cache->place || cache->key_count == ISA_CACHE_KEYS)
        return NULL;
    struct isa_key *key = &cache->keys[cache->key_count];
    isa_key_make(isa_arch_table(sm), opcode, key);
    cache->key_of[cache->place][opcode] = (uint16_t)++cache->key_count;
    return key;
}

static inline const struct isa_key *key_of(struct isa_cache *cache, unsigned sm, struct bits128 word)
{
    unsigned opcode = opcode_of(word);
    if (__builtin_expect(cache->sm != sm, 0)) {
        cache->sm = sm;
        cache->place = isa_arch_place(sm);
    }
    unsigned at = cache->key_of[cache->place][opcode];
    return __builtin_expect(at != 0, 1) ? &cache->keys[at - 1] : new_key(cache, sm, opcode);
}

/* The word's key: its bits that count, and answers in the place of the scheduler's, on which no text depends. */
static struct bits128 key_bits(const struct isa_key *key, struct bits128 word)
{
    enum { ANSWERS = 110 - 64 };
    struct bits128 flagged = isa_flagged_word(word);
    uint64_t answers = 0;
    for (unsigned i = 0; i < ISA_LOW_TESTS; i++)
        answers |= (uint64_t)((word.lo & key->low[i].mask) == key->low[i].value) << i;
    for (unsigned i = 0; i < ISA_HIGH_TESTS; i++)
        answers |= (uint64_t)((word.hi & key->high[i].mask) == key->high[i].value) << (ISA_LOW_TESTS + i);
    return (struct bits128){flagged.lo & key->lo, (flagged.hi & key->hi) | answers << ANSWERS};
}

static struct isa_template *template_of(struct isa_cache *cache, unsigned place, struct bits128 key)
{
    uint64_t hash = (key.lo ^ (key.hi + place) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    return &cache->templates[hash >> (64 - ISA_CACHE_BITS)];
}

#define SEVEN(before, n)                                                                                              \
    {before "P0 ", n}, {before "P1 ", n}, {before "P2 ", n}, {before "P3 ", n}, {before "P4 ", n}, {before "P5 ", n}, \
    {                                                                                                                 \
        before "P6 ", n                                                                                               \
    }
static const struct isa_name guard_text[2][16] = {
    {SEVEN("@", 4), {"", 0}, SEVEN("@!", 5), {"@!PT ", 5}},
    {SEVEN("@U", 5), {"", 0}, SEVEN("@!U", 6), {"@!UPT ", 6}},
};
#undef SEVEN

/* "-0x1f0", without a branch. */
static char *put_number(char *p, const struct isa_hole *h, uint64_t bits)
{
    uint64_t raw = bits & ((UINT64_C(1) << h->mask) - 1), sign = (uint64_t)(h->base >> 8) << (h->mask - 1);
    uint64_t value = ((raw ^ sign) - sign) << (h->base & 0xff), negative = value >> 63;
    *p = '-';
    p += negative;
    p[0] = '0';
    p[1] = 'x';
    return hex_put(p + 2, (value ^ -negative) + negative);
}

static char *put_label(char *p, const struct isa_hole *h, struct bits128 word, uint32_t offset,
                       const struct isa_print_options *options)
{
    const struct isa_field *f = &isa_operand_rows[h->base].part[ISA_PART_MAIN].field;
    return isa_put_label(p, f->pieces ? isa_field_value(f, word, offset) : 0, options);
}

static inline char *put_name(char *p, const struct isa_name *name)
{
    memcpy(p, name, sizeof *name);
    return p + name->n;
}

static char *fill(char *p, const struct isa_template *t, struct bits128 word, uint32_t offset,
                  const struct isa_print_options *options)
{
    const uint64_t half[2] = {word.lo, word.hi};
    p = put_name(p, &guard_text[t->uniform][word.lo >> 12 & 15]);
    memcpy(p, t->text, sizeof t->text);
    p += t->head;
    for (const struct isa_hole *h = t->hole, *end = h + t->holes; h < end; h++) {
        memcpy(p, h, sizeof *h);
        p += h->n;
        uint64_t bits = half[h->low >> 6] >> (h->low & 63);
        if (__builtin_expect(h->kind == ISA_HOLE_NAME, 1))
            p = put_name(p, &isa_register_text[0][h->base + (bits & h->mask)]);
        else if (h->kind == ISA_HOLE_NUMBER)
            p = put_number(p, h, bits);
        else
            p = put_label(p, h, word, offset, options);
    }
    *p = '\0';
    return p;
}

size_t isa_print_cached(struct isa_cache *cache, unsigned sm, struct bits128 word, uint32_t offset,
                        const struct isa_print_options *options, char *out)
{
    const struct isa_key *key = key_of(cache, sm, word);
    unsigned place = cache->place;
    if (!key)
        return isa_print_word(sm, word, offset, options, out, ISA_TEXT_ROOM);
    struct bits128 bits = key_bits(key, word);
    struct isa_template *t = template_of(cache, place, bits);
    if (__builtin_expect(t->lo != bits.lo || t->hi != bits.hi || t->arch != place, 0)) {
        isa_template_make(sm, word, t);
        t->lo = bits.lo;
        t->hi = bits.hi;
        t->arch = (uint16_t)place;
    }
    if (t->none)
        return isa_print_word(sm, word, offset, options, out, ISA_TEXT_ROOM);
    return (size_t)(fill(out, t, word, offset, options) - out);
}

bool isa_target_cached(struct isa_cache *cache, unsigned sm, struct bits128 word, uint32_t offset, int64_t *target)
{
    const struct isa_key *key = key_of(cache, sm, word);
    return (!key || key->relative) && isa_word_target(sm, word, offset, target);
}

bool isa_word_target(unsigned sm, struct bits128 word, uint32_t offset, int64_t *target)
{
    const struct isa_row *row = isa_row_find(sm, word);
    if (!row || !row->relative)
        return false;
    for (unsigned i = 0; i < row->operand_count; i++) {
        const struct isa_operand_row *o = isa_row_operand(row, i);
        struct isa_operand operand;
        if (o->kind != ISA_OPERAND_LABEL || isa_operand_hidden(o, word) ||
            !isa_read_operand(o, word, word, offset, &operand))
            continue;
        *target = operand.value;
        return true;
    }
    return false;
}
