/* Small readers of an instruction's text: each takes what it knows from *p and answers whether it was there. Private to
 * the room: isa_parse.c is made of them. */
#ifndef SP_ISA_SCAN_H
#define SP_ISA_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ISA_WORD_BYTES = 64, ISA_TEXT_BYTES = 512 };

bool isa_is_word(char c);
bool isa_is_digit(char c);
void isa_skip_blanks(const char **p);
bool isa_take(const char **p, const char *text);
bool isa_take_word(const char **p, char out[ISA_WORD_BYTES]);
/* R12, RZ, UR3, P0, PT: `prefix` and a number below `all`, or `last`, which stands for `all`. */
bool isa_take_register(const char **p, const char *prefix, unsigned all, char last, unsigned *reg);
/* Decimal or hexadecimal, with a sign. */
bool isa_take_number(const char **p, int64_t *value);
/* {5,2,0}: a set of scoreboards, as bits. */
bool isa_take_set(const char **p, int64_t *value);
/* The bits of a float of `width` bits; `brain`: of 16, the bfloat16 ones. */
bool isa_take_float(const char **p, unsigned width, bool brain, int64_t *value);
/* Does `text` say what was printed? *exact: without a zero left out or a number spelled otherwise. */
bool isa_same_text(const char *text, const char *printed, bool *exact);
/* One blank where there were several, no ";"; false when it is too long. */
bool isa_canonical_text(const char *text, size_t n, char out[ISA_TEXT_BYTES]);
/* Parts of an operand in the order in which they are printed today. */
void isa_reorder_text(char line[ISA_TEXT_BYTES]);

#endif
