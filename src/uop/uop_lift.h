/* Machine instruction -> micro-operations. The only door between isa/ and everything above: below here mnemonics, above
 * here none. One file per instruction family writes what each opcode does. */
#ifndef SP_UOP_LIFT_H
#define SP_UOP_LIFT_H

#include "isa/isa.h"
#include "uop/uop.h"

/* What lifting needs to know of the architecture and of relocations. */
struct uop_lift_context {
    unsigned sm;
    struct arena *a;
};

/* Fills *list (its ops on the arena). SP_OK; SP_ERR_UNSUPPORTED: list->unknown, destinations (as far as the structure
 * shows them) are OPAQUE and everything read is a READ; SP_ERR_ENCODING for an unknown word (list->unknown, no ops);
 * SP_ERR_MEMORY. */
enum sp_status uop_lift(const struct uop_lift_context *context, const struct isa_insn *insn, struct uop_list *list);

/* What an opcode does, in words, from the same table the lifting is written in: for `sassprobe what`. `spelling` is
 * "FSETP.GEU" or a whole instruction text; the answer names operands, formula, rounding, NaN and flush behaviour.
 * False, and nothing written, when the opcode is unknown. */
struct out;
bool uop_describe(unsigned sm, const char *spelling, struct out *out, bool json);

#endif
