/* Reading an instruction as the vendor's disassembler prints it, for `sassprobe what` and for tests. */
#ifndef SP_UOP_SPELLING_H
#define SP_UOP_SPELLING_H

#include "isa/isa.h"

/* "@!P0 FSETP.GEU.FTZ.AND P1, PT, |R2|, 1.5, PT" to *insn (word and control stay zero). A mnemonic alone gives no
 * operands. False when a part is not understood; `*bad` then points at it, inside `text`. */
bool uop_parse_spelling(unsigned sm, const char *text, uint32_t offset, struct isa_insn *insn, const char **bad);

#endif
