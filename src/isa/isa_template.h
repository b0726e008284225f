/* Making what isa_cache.c prints by. Private to the room. */
#ifndef SP_ISA_TEMPLATE_H
#define SP_ISA_TEMPLATE_H

#include "isa/isa_cache.h"
#include "isa/isa_read.h"

enum isa_hole_kind {
    ISA_HOLE_NAME,   /* a register: `base` is where the names of its file begin, `mask` its bits */
    ISA_HOLE_NUMBER, /* hexadecimal: `mask` is its width, the low byte of `base` its shift, ISA_HOLE_SIGNED above */
    ISA_HOLE_LABEL,  /* a place in the code: `base` is the row of the operand */
};
enum { ISA_HOLE_SIGNED = 0x100 };

/* What texts of the words of one opcode depend on. */
void isa_key_make(const struct isa_arch_table *table, unsigned opcode, struct isa_key *key);
/* The template of all words that have this one's key; its key itself is the caller's to set. */
void isa_template_make(unsigned sm, struct bits128 word, struct isa_template *t);

#endif
