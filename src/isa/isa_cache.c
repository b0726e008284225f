/* Texts of words printed before. Compiled code repeats its words (half to two thirds of a library's have stood within
 * the last sixteen thousand, scheduling aside), and copying a text costs a quarter of making it. A word's place is its
 * hash; what stood there is overwritten. Words that mean something else elsewhere (branches) are made anew each time.
 * Requires memory of the caller, and nothing else. */
#include "isa/isa_read.h"

#include <string.h>

/* Bits 121:105 but bit 109 say when an instruction issues and what it waits for: no text depends on them. */
static const uint64_t scheduling = UINT64_C(0x03fffe0000000000) & ~(UINT64_C(1) << (109 - 64));

static struct isa_cached_text *place_of(struct isa_cache *cache, uint64_t lo, uint64_t hi)
{
    uint64_t hash = (lo ^ hi * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    return &cache->texts[hash >> (64 - ISA_CACHE_BITS)];
}

void isa_cache_expect(struct isa_cache *cache, struct bits128 word)
{
    __builtin_prefetch(place_of(cache, word.lo, word.hi & ~scheduling));
}

size_t isa_print_cached(struct isa_cache *cache, unsigned sm, struct bits128 word, uint32_t offset,
                        const struct isa_print_options *options, char *out)
{
    uint64_t hi = word.hi & ~scheduling;
    struct isa_cached_text *at = place_of(cache, word.lo, hi);
    bool known =
        isa_issue_hints(word) >> (word.hi >> (122 - 64) & 7) & 1; /* or it is no instruction, as no other word */
    if (known && at->lo == word.lo && at->hi == hi && at->sm == sm) {
        memcpy(out, at->text, sizeof at->text);
        return at->length;
    }
    const struct isa_row *row;
    size_t n = isa_print_row(sm, word, offset, options, out, ISA_TEXT_ROOM, &row);
    if (n < sizeof at->text && row && !row->relative) {
        at->lo = word.lo;
        at->hi = hi;
        at->sm = (uint16_t)sm;
        at->length = (uint8_t)n;
        memcpy(at->text, out, sizeof at->text);
    }
    return n;
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
