/* Micro-operations in words, private to the room: "R0 = (P0 ? R4 : R6)". */
#ifndef SP_UOP_WORDS_H
#define SP_UOP_WORDS_H

#include "base/str.h"
#include "uop/uop.h"

/* What uop `index` does, when it is an effect (a write, a store, a branch ...); false for one that only makes a
 * value. */
bool uop_add_effect(struct strbuf *out, const struct uop_list *list, size_t index);
/* The value of uop `index` as an expression over registers. */
void uop_add_value(struct strbuf *out, const struct uop_list *list, uint16_t index);

#endif
