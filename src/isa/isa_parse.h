/* One instruction's text, as the vendor's tools print it, back to the structure that decoding gives. Driven by the
 * tables that print: it grows with them. */
#ifndef SP_ISA_PARSE_H
#define SP_ISA_PARSE_H

#include "isa/isa.h"

/* Reads `size` characters: guard, opcode, modifiers, operands; blanks as they come, a ";" behind is allowed. Branch
 * targets and symbols must be numbers. `offset`: the instruction's place in its section, from which branches are
 * counted. SP_OK: `word` holds the bits that the text tells, 0 in all others, and the structure is what it decodes to
 * without what text cannot tell (isa_forget_untold). SP_ERR_ENCODING: no row prints it so; op is ISA_OP_UNKNOWN.
 * SP_ERR_ARCH. */
enum sp_status isa_parse(unsigned sm, const char *text, size_t size, uint32_t offset, struct isa_insn *insn);

/* Takes out of a decoded instruction what its text does not show: scheduling, and descriptors that are in the bits
 * only. */
void isa_forget_untold(unsigned sm, struct isa_insn *insn);

#endif
