/* Templates of texts: memory of the caller, all zero at first, one for each thread; about 1 MiB of address space, of
 * which code of one architecture touches a third. What it holds is the room's own. */
#ifndef SP_ISA_CACHE_H
#define SP_ISA_CACHE_H

#include "isa/isa.h"
#include "isa/isa_table.h"

enum {
    ISA_CACHE_BITS = 12,
    ISA_CACHE_ARCHS = 16,
    ISA_CACHE_KEYS = 2048,
    ISA_OPCODES = 1 << 13,
    ISA_LOW_TESTS = 3,
    ISA_HIGH_TESTS = 2,
    ISA_HEAD_TEXT = 40,
    ISA_HOLE_TEXT = 10,
    ISA_HOLES = 8,
};

/* Is it this value that stands in these bits of one half of the word? */
struct isa_question {
    uint64_t mask, value;
};

/* What the text of an opcode's words depends on, beside the values that are printed as they stand: bits, and whether
 * some of those values are the one that prints otherwise. */
struct isa_key {
    uint64_t lo, hi; /* the bits */
    struct isa_question low[ISA_LOW_TESTS], high[ISA_HIGH_TESTS];
    uint64_t relative;  /* not 0: a row of it has a place in the code */
    uint64_t unused[2]; /* two cache lines */
};

/* Text, and behind it what the word says. */
struct isa_hole {
    char text[ISA_HOLE_TEXT];
    uint8_t n, kind;
    uint8_t low; /* of the bits, all in one half of the word */
    uint8_t mask;
    uint16_t base;
};

struct isa_template { /* three cache lines */
    uint64_t lo, hi;
    uint16_t arch; /* its place + 1; 0: nothing here yet */
    uint8_t uniform, head, holes;
    bool none; /* such words have no template */
    char text[ISA_HEAD_TEXT];
    struct isa_hole hole[ISA_HOLES];
};

struct isa_cache {
    unsigned sm, place; /* of the last word: its architecture, and the place of that from 1 on */
    uint16_t key_of[ISA_CACHE_ARCHS][ISA_OPCODES]; /* + 1; of no architecture: none */
    struct isa_key keys[ISA_CACHE_KEYS];
    uint32_t key_count;
    struct isa_template templates[1 << ISA_CACHE_BITS];
};

#endif
