/* Templates of texts: memory of the caller, all zero at first, one for each thread; a bit over 1 MiB of address space,
 * of which code of one architecture touches a third. What it holds is the room's own. */
#ifndef SP_ISA_CACHE_H
#define SP_ISA_CACHE_H

#include "isa/isa.h"
#include "isa/isa_table.h"

enum {
    ISA_CACHE_BITS = 12,
    ISA_CACHE_ARCHS = 16,
    ISA_CACHE_KEYS = 2048,
    ISA_OPCODES = 1 << 13,
    ISA_LANES = 4,  /* the word's, of 32 bits */
    ISA_LAYERS = 2, /* questions a lane */
    ISA_HEAD_TEXT = 40,
    ISA_HOLE_TEXT = 10,
    ISA_HOLES = 8,
};

/* What the text of an opcode's words depends on, beside the values that are printed as they stand: bits, and whether
 * some of those values are the one that prints otherwise. */
struct isa_key {
    uint64_t lo, hi; /* the bits */
    uint64_t hints;  /* those of the upper half that count only while bit 109 is set */
    uint32_t mask[ISA_LAYERS][ISA_LANES],
        value[ISA_LAYERS][ISA_LANES]; /* is it the value that stands under the mask? */
};

/* Text, and behind it what the word says. */
struct isa_hole {
    char text[ISA_HOLE_TEXT];
    uint8_t n;           /* characters of text, and ISA_HOLE_SPECIAL */
    uint8_t byte, shift; /* where its bits begin */
    uint8_t mask;
    uint16_t base;
};

struct isa_template { /* three cache lines */
    uint64_t lo, hi;
    uint16_t arch; /* its place; 0: nothing here yet */
    uint8_t uniform, head, holes;
    bool none; /* such words have no template */
    char text[ISA_HEAD_TEXT];
    struct isa_hole hole[ISA_HOLES];
};

struct isa_cache {
    unsigned sm, place; /* of the last word: its architecture, and the place of that from 1 on */
    uint32_t key_count;
    bool branches_known[ISA_CACHE_ARCHS];
    uint64_t branches[ISA_CACHE_ARCHS][ISA_OPCODES / 64]; /* bit o: opcode o has a place in the code */
    uint16_t key_of[ISA_CACHE_ARCHS][ISA_OPCODES];        /* + 1; of no architecture: none */
    struct isa_key keys[ISA_CACHE_KEYS];
    struct isa_template templates[1 << ISA_CACHE_BITS];
};

static inline unsigned isa_opcode_of(struct bits128 word)
{
    return (unsigned)(word.lo & 0xfff) | (unsigned)(word.hi >> (91 - 64) & 1) << 12;
}

/* The opcodes some of whose words name a place in the code, as a set; NULL: no tables. */
const uint64_t *isa_branches(struct isa_cache *cache, unsigned sm);
static inline bool isa_may_branch(const uint64_t *branches, struct bits128 word)
{
    unsigned opcode = isa_opcode_of(word);
    return branches[opcode / 64] >> opcode % 64 & 1;
}

/* isa_print_cached() in two steps, for those who print many: finding a template is a chain of loads that takes long and
 * leaves the machine idle, unless it is done for several instructions at a time.
 *
 * The templates of the `count` instructions at `code`, or of the first of them; answers of how many, at least one. They
 * are good until the cache is used again. NULL stands for none. */
unsigned isa_find_templates(struct isa_cache *cache, unsigned sm, const uint8_t *code, unsigned count,
                            const struct isa_template **found);
/* The text of the instruction at `code`, whose template was found, so that the opcode stands at `at`: a guard is left
 * of it, a uniform one in its place. *start is where the text begins; answers where it ends. */
char *isa_fill_template(unsigned sm, const struct isa_template *t, const uint8_t *code, uint32_t offset,
                        const struct isa_print_options *options, char *at, char **start);

#endif
