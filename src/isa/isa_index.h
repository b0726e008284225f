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
/* Its place in isa_archs(), from 1 on; 0 where there are no tables. */
unsigned isa_arch_place(unsigned sm);
/* The row whose conditions the word meets, or NULL. */
const struct isa_row *isa_row_find(unsigned sm, struct bits128 word);

/* The pools, in isa_tables.inc. A sequence is modifiers ended by 0. */
extern const struct isa_row isa_rows[];
extern const struct isa_operand_row isa_operand_rows[];
extern const struct isa_condition isa_conditions[];
extern const struct isa_enum isa_enums[];
extern const uint16_t isa_operand_list[], isa_codes[], isa_sequences[];

static inline const struct isa_operand_row *isa_row_operand(const struct isa_row *row, unsigned i)
{
    return &isa_operand_rows[isa_operand_list[row->operand + i]];
}
static inline const struct isa_row *isa_row_at(unsigned number)
{
    return &isa_rows[number];
}
static inline const struct isa_condition *isa_row_condition(const struct isa_row *row, unsigned i)
{
    return &isa_conditions[row->condition + i];
}
static inline const struct isa_enum *isa_enum_at(unsigned number)
{
    return &isa_enums[number];
}
/* Modifiers that value `v` of a field prints, ended by 0; NULL where it has no spelling. */
const uint16_t *isa_sequence(const struct isa_enum *e, unsigned v);

#endif
