/* Text of words by templates made before (isa_template.c). The opcode says which bits make the key, the key is looked
 * up by its hash, and what stood in its place is made anew where it was another's.
 *
 * Copies are of fixed sizes and go past what counts: the next piece is written over the rest. */
#include "isa/isa_template.h"

#include "isa/isa_text.h"

#include <string.h>

static unsigned opcode_of(struct bits128 word)
{
    return (unsigned)(word.lo & 0xfff) | (unsigned)(word.hi >> (91 - 64) & 1) << 12;
}

/* NULL: there is no room for more, or no such architecture. */
static const struct isa_key *key_of(struct isa_cache *cache, unsigned sm, unsigned place, unsigned opcode)
{
    uint16_t *at = &cache->key_of[place - 1][opcode];
    if (__builtin_expect(!*at, 0)) {
        if (cache->key_count == ISA_CACHE_KEYS)
            return NULL;
        isa_key_make(isa_arch_table(sm), opcode, &cache->keys[cache->key_count]);
        *at = (uint16_t)++cache->key_count;
    }
    return &cache->keys[*at - 1];
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

static char *put_guard(char *p, unsigned uniform, unsigned guard)
{
    static const struct isa_name names[2][16] = {{{"@P0 ", 4},
                                                  {"@P1 ", 4},
                                                  {"@P2 ", 4},
                                                  {"@P3 ", 4},
                                                  {"@P4 ", 4},
                                                  {"@P5 ", 4},
                                                  {"@P6 ", 4},
                                                  {"", 0},
                                                  {"@!P0 ", 5},
                                                  {"@!P1 ", 5},
                                                  {"@!P2 ", 5},
                                                  {"@!P3 ", 5},
                                                  {"@!P4 ", 5},
                                                  {"@!P5 ", 5},
                                                  {"@!P6 ", 5},
                                                  {"@!PT ", 5}},
                                                 {{"@UP0 ", 5},
                                                  {"@UP1 ", 5},
                                                  {"@UP2 ", 5},
                                                  {"@UP3 ", 5},
                                                  {"@UP4 ", 5},
                                                  {"@UP5 ", 5},
                                                  {"@UP6 ", 5},
                                                  {"", 0},
                                                  {"@!UP0 ", 6},
                                                  {"@!UP1 ", 6},
                                                  {"@!UP2 ", 6},
                                                  {"@!UP3 ", 6},
                                                  {"@!UP4 ", 6},
                                                  {"@!UP5 ", 6},
                                                  {"@!UP6 ", 6},
                                                  {"@!UPT ", 6}}};
    const struct isa_name *name = &names[uniform][guard];
    memcpy(p, name->text, sizeof name->text);
    return p + name->n;
}

/* "-0x1f0" without a branch: eight digits are made, from the first that is not 0 on. */
static char *put_number(char *p, const struct isa_hole *h, uint64_t raw)
{
    uint64_t sign = (uint64_t)(h->base >> 8) << (h->width - 1);
    uint64_t value = ((raw ^ sign) - sign) << (h->base & 0xff), negative = value >> 63;
    uint64_t v = (value ^ -negative) + negative;
    unsigned digits = (67u - (unsigned)__builtin_clzll(v | 1)) / 4;
    v <<= 4 * (8 - digits);
    v = v >> 16 | (v & 0xffff) << 32; /* the first digit into the first byte, and so on */
    v = (v >> 8 & UINT64_C(0x000000ff000000ff)) | (v & UINT64_C(0x000000ff000000ff)) << 16;
    v = (v >> 4 & UINT64_C(0x000f000f000f000f)) | (v & UINT64_C(0x000f000f000f000f)) << 8;
    uint64_t letters = (v + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    v += UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
    *p = '-';
    p += negative;
    p[0] = '0';
    p[1] = 'x';
    for (unsigned i = 0; i < 8; i++)
        p[2 + i] = (char)(v >> 8 * i);
    return p + 2 + digits;
}

static char *put_label(char *p, const struct isa_hole *h, struct bits128 word, uint32_t offset,
                       const struct isa_print_options *options)
{
    const struct isa_field *f = &isa_operand_rows[h->base].part[ISA_PART_MAIN].field;
    return isa_put_label(p, f->pieces ? isa_field_value(f, word, offset) : 0, options);
}

static char *fill(char *p, const struct isa_template *t, struct bits128 word, uint32_t offset,
                  const struct isa_print_options *options)
{
    p = put_guard(p, t->uniform, word.lo >> 12 & 15);
    memcpy(p, t->text, sizeof t->text);
    p += t->head;
    for (const struct isa_hole *h = t->hole, *end = h + t->holes; h < end; h++) {
        memcpy(p, h, sizeof *h);
        p += h->n;
        uint64_t v = isa_piece_raw(h->low, h->width, word);
        switch ((enum isa_hole_kind)h->kind) {
        case ISA_HOLE_NAME: {
            const struct isa_name *name = &isa_register_text[0][h->base + v];
            memcpy(p, name, sizeof *name);
            p += name->n;
            break;
        }
        case ISA_HOLE_NUMBER: p = put_number(p, h, v); break;
        case ISA_HOLE_LABEL: p = put_label(p, h, word, offset, options); break;
        case ISA_HOLE_NONE: break;
        }
    }
    *p = '\0';
    return p;
}

size_t isa_print_cached(struct isa_cache *cache, unsigned sm, struct bits128 word, uint32_t offset,
                        const struct isa_print_options *options, char *out)
{
    unsigned place = isa_arch_place(sm);
    const struct isa_key *key = place ? key_of(cache, sm, place, opcode_of(word)) : NULL;
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
