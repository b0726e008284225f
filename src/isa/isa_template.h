/* Making what isa_cache.c prints by. Private to the room. */
#ifndef SP_ISA_TEMPLATE_H
#define SP_ISA_TEMPLATE_H

#include "isa/isa_cache.h"
#include "isa/isa_read.h"

/* A hole is a register: `mask` its bits, `base` where the names of its file begin. A special one is a number in
 * hexadecimal: `byte` 0 or 8, `mask` its width, `base` its shift and ISA_HOLE_SIGNED; or, with no width, a place in the
 * code: `base` is the row of the operand. */
enum { ISA_HOLE_SPECIAL = 0x80, ISA_HOLE_SIGNED = 0x100 };

/* What texts of the words of one opcode depend on. */
void isa_key_make(const struct isa_arch_table *table, unsigned opcode, struct isa_key *key);
/* The template of all words that have this one's key; its key itself is the caller's to set. */
void isa_template_make(unsigned sm, struct bits128 word, struct isa_template *t);

#endif
