/* What decode and print share: the row of a word and reading its fields. Private to the room. */
#ifndef SP_ISA_INDEX_H
#define SP_ISA_INDEX_H

#include "isa/isa.h"
#include "isa/isa_table.h"

struct isa_arch_table {
    const uint16_t *first, *list;                /* rows of opcode o: list[first[o]] … list[first[o + 1] - 1] */
    const uint16_t *op_first, *op_row, *op_code; /* the same by mnemonic: op_row[op_first[op]] … and their opcodes */
    const char *const *sregs;
};

/* NULL when there are no tables. */
const struct isa_arch_table *isa_arch_table(unsigned sm);
/* The row whose conditions the word meets, or NULL. */
const struct isa_row *isa_row_find(unsigned sm, struct bits128 word);
const struct isa_operand_row *isa_row_operand(const struct isa_row *row, unsigned i);
const struct isa_row *isa_row_at(unsigned number);
const struct isa_condition *isa_row_condition(const struct isa_row *row, unsigned i);
bool isa_condition_holds(const struct isa_condition *c, struct bits128 word);
const struct isa_enum *isa_enum_at(unsigned number);
/* Modifiers that value `v` of a field prints, ended by 0; NULL where it has no spelling. */
const uint16_t *isa_sequence(const struct isa_enum *e, unsigned v);
unsigned isa_field_width(const struct isa_field *field); /* bits, of all pieces */
uint64_t isa_field_raw(const struct isa_field *field, struct bits128 word);
bool isa_bit_set(uint16_t bit, struct bits128 word);
/* True when the text leaves this operand out. */
bool isa_operand_hidden(const struct isa_operand_row *o, struct bits128 word);

#endif
