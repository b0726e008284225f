/* Text of words by templates made before (isa_template.c). The opcode says which bits make the key, the key is looked
 * up by its hash, and what stood in its place is made anew where it was another's. (Built without vectors where there
 * are none written: a compiler that loads a word as one, and stores it to take it apart, costs a fifth of the time.)
 *
 * Copies are of fixed sizes and go past what counts: the next piece is written over the rest. */
#include "isa/isa_template.h"

#include "base/hex.h"
#include "isa/isa_text.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

static void choose_arch(struct isa_cache *cache, unsigned sm)
{
    cache->sm = sm;
    cache->place = isa_arch_place(sm);
}

static inline const struct isa_key *key_of(struct isa_cache *cache, unsigned sm, struct bits128 word)
{
    unsigned opcode = isa_opcode_of(word);
    if (__builtin_expect(cache->sm != sm, 0))
        choose_arch(cache, sm);
    unsigned at = cache->key_of[cache->place][opcode];
    return __builtin_expect(at != 0, 1) ? &cache->keys[at - 1] : new_key(cache, sm, opcode);
}

/* One bit a question. */
static inline unsigned answers_of(const struct isa_key *key, const uint8_t *code)
{
#ifdef __SSE2__
    __m128i word = _mm_loadu_si128((const void *)code);
    unsigned answers = 0;
    for (unsigned i = 0; i < ISA_LAYERS; i++) {
        __m128i mask = _mm_loadu_si128((const void *)key->mask[i]);
        __m128i value = _mm_loadu_si128((const void *)key->value[i]);
        __m128i same = _mm_cmpeq_epi32(_mm_and_si128(word, mask), value);
        answers |= (unsigned)_mm_movemask_ps(_mm_castsi128_ps(same)) << ISA_LANES * i;
    }
    return answers;
#else
    unsigned answers = 0;
    for (unsigned i = 0; i < ISA_LAYERS; i++)
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            answers |= (unsigned)((bits_le32(code + 4 * lane) & key->mask[i][lane]) == key->value[i][lane])
                       << (ISA_LANES * i + lane);
    return answers;
#endif
}

/* The word's key: its bits that count, and answers in the place of the scheduler's, on which no text depends. */
static inline struct bits128 key_bits(const struct isa_key *key, struct bits128 word, const uint8_t *code)
{
    enum { ANSWERS = 110 - 64 };
    uint64_t hi = word.hi & ~(key->hints & ((word.hi >> (109 - 64) & 1) - 1));
    return (struct bits128){word.lo & key->lo, (hi & key->hi) | (uint64_t)answers_of(key, code) << ANSWERS};
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
static inline char *put_number(char *p, const struct isa_hole *h, const uint8_t *code)
{
    uint64_t raw = bits_le64(code + h->byte) >> h->shift & ((UINT64_C(1) << h->mask) - 1);
    uint64_t sign = (uint64_t)(h->base >> 8) << (h->mask - 1);
    uint64_t value = ((raw ^ sign) - sign) << (h->base & 0xff), negative = value >> 63;
    *p = '-';
    p += negative;
    p[0] = '0';
    p[1] = 'x';
    return hex_put(p + 2, (value ^ -negative) + negative);
}

static __attribute__((noinline)) char *put_label(char *p, const struct isa_hole *h, const uint8_t *code,
                                                 uint32_t offset, const struct isa_print_options *options)
{
    const struct isa_field *f = &isa_operand_rows[h->base].part[ISA_PART_MAIN].field;
    struct bits128 word = {bits_le64(code), bits_le64(code + 8)};
    return isa_put_label(p, f->pieces ? isa_field_value(f, word, offset) : 0, options);
}

static inline char *put_name(char *p, const struct isa_name *name)
{
    memcpy(p, name, sizeof *name);
    return p + name->n;
}

/* Head and operands at `p`. */
static inline char *fill(char *p, const struct isa_template *t, const uint8_t *code, uint32_t offset,
                         const struct isa_print_options *options)
{
    memcpy(p, t->text, sizeof t->text);
    p += t->head;
    for (const struct isa_hole *h = t->hole, *end = h + t->holes; h < end; h++) {
        memcpy(p, h, sizeof *h);
        signed char n = (signed char)h->n;
        if (__builtin_expect(n >= 0, 1)) {
            unsigned number = bits_le16(code + h->byte) >> h->shift & h->mask;
            p = put_name(p + n, &isa_register_text[h->base + number]);
            continue;
        }
        p += n & ~ISA_HOLE_SPECIAL & 0xff;
        p = h->mask ? put_number(p, h, code) : put_label(p, h, code, offset, options);
    }
    *p = '\0';
    return p;
}

/* Where there is no template. */
static __attribute__((noinline)) char *print_word(unsigned sm, const uint8_t *code, uint32_t offset,
                                                  const struct isa_print_options *options, char *at, char **start)
{
    struct bits128 word = {bits_le64(code), bits_le64(code + 8)};
    size_t n = isa_print_word(sm, word, offset, options, at, ISA_TEXT_ROOM);
    bool guarded = n > 2 && at[0] == '@' && at[1 + (at[1] == '!')] != 'U';
    size_t guard = guarded ? strcspn(at, " ") + 1 : 0;
    *start = at - guard;
    memmove(*start, at, n + 1);
    return *start + n;
}

static __attribute__((noinline)) void make_template(struct isa_template *t, unsigned sm, unsigned place,
                                                    struct bits128 word, struct bits128 bits)
{
    isa_template_make(sm, word, t);
    t->lo = bits.lo;
    t->hi = bits.hi;
    t->arch = (uint16_t)place;
}

/* Can the word be told by its key? Its schedule, which is in no key, must be one; and hints must be of operands, so
 * that they are in the key. (The others are told one by one.) */
static inline bool has_schedule(const struct isa_key *key, struct bits128 word)
{
    unsigned hints = word.hi >> (122 - 64) & 7, known = isa_issue_hints(word);
    if (__builtin_expect(!hints, 1))
        return known & 1;
    return (known >> hints & 1) && (word.hi >> (109 - 64) & 1) && !((uint64_t)hints << (122 - 64) & ~key->hi);
}

unsigned isa_find_templates(struct isa_cache *cache, unsigned sm, const uint8_t *code, unsigned count,
                            const struct isa_template **found)
{
    for (unsigned i = 0; i < count; i++, code += 16) {
        struct bits128 word = {bits_le64(code), bits_le64(code + 8)};
        const struct isa_key *key = key_of(cache, sm, word);
        found[i] = NULL;
        if (__builtin_expect(!key || !has_schedule(key, word), 0))
            continue;
        struct bits128 bits = key_bits(key, word, code);
        struct isa_template *t = template_of(cache, cache->place, bits);
        if (__builtin_expect(t->lo != bits.lo || t->hi != bits.hi || t->arch != cache->place, 0)) {
            if (i)
                return i; /* it may stand where one of those before is */
            make_template(t, sm, cache->place, word, bits);
        }
        if (!t->none)
            found[i] = t;
    }
    return count;
}

char *isa_fill_template(unsigned sm, const struct isa_template *t, const uint8_t *code, uint32_t offset,
                        const struct isa_print_options *options, char *at, char **start)
{
    if (__builtin_expect(!t, 0))
        return print_word(sm, code, offset, options, at, start);
    unsigned guard = bits_le16(code) >> 12;
    *start = at;
    if (guard != ISA_PT) {
        const struct isa_name *name = &guard_text[t->uniform][guard];
        if (t->uniform)
            at += name->n;
        else
            *start -= name->n;
        memcpy(*start, name, sizeof *name);
    }
    return fill(at, t, code, offset, options);
}

size_t isa_print_cached(struct isa_cache *cache, unsigned sm, struct bits128 word, uint32_t offset,
                        const struct isa_print_options *options, char *out)
{
    enum { GUARD = 8 };
    char room[GUARD + ISA_TEXT_ROOM], *start;
    uint8_t code[16];
    const struct isa_template *t;
    for (unsigned i = 0; i < sizeof code; i++)
        code[i] = (uint8_t)((i < 8 ? word.lo : word.hi) >> 8 * (i & 7));
    isa_find_templates(cache, sm, code, 1, &t);
    size_t n = (size_t)(isa_fill_template(sm, t, code, offset, options, room + GUARD, &start) - start);
    memcpy(out, start, n + 1);
    return n;
}

const uint64_t *isa_branches(struct isa_cache *cache, unsigned sm)
{
    const struct isa_arch_table *table = isa_arch_table(sm);
    if (!table)
        return NULL;
    if (cache->sm != sm)
        choose_arch(cache, sm);
    uint64_t *set = cache->branches[cache->place];
    for (unsigned o = 0; o < ISA_OPCODES && !cache->branches_known[cache->place]; o++)
        for (unsigned i = table->first[o]; i < table->first[o + 1]; i++)
            set[o / 64] |= (uint64_t)isa_row_at(table->list[i])->relative << o % 64;
    cache->branches_known[cache->place] = true;
    return set;
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
