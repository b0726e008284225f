/* Pieces of an instruction's text, for templates (isa_template.c). Private to the room. Each writes at `p`, where there
 * is room for the longest text, and answers where it ends. */
#ifndef SP_ISA_TEXT_H
#define SP_ISA_TEXT_H

#include "isa/isa_index.h"

struct isa_name {
    char text[7];
    uint8_t n;
};
/* By 256 * register file + number; generated. */
extern const struct isa_name isa_register_text[ISA_REGISTER_FILES * 256];

/* Opcode and modifiers; NULL where a field holds what is no instruction. */
char *isa_put_head(char *p, const struct isa_row *row, struct bits128 word);
/* What stands before an operand's value: - ~ ! | */
char *isa_put_before(char *p, unsigned flags);
char *isa_put_value(char *p, unsigned sm, const struct isa_insn *insn, const struct isa_operand *o,
                    const struct isa_operand_row *row, const struct isa_print_options *options);
/* And behind it: | .reuse and suffixes. */
char *isa_put_behind(char *p, const struct isa_operand *o, const struct isa_operand_row *row);
char *isa_put_modifiers(char *p, const uint16_t *mods, unsigned limit);
char *isa_put_hex(char *p, int64_t value);
/* A place in the code: by its name where there is one. */
char *isa_put_label(char *p, int64_t value, const struct isa_print_options *options);

#endif
