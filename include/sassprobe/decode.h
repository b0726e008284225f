/* One instruction at a time: 16 bytes to a structure, the structure to the vendor's text, the text back.
 *
 * For all functions here: nothing is allocated and nothing is kept, all memory is the caller's; any number of threads
 * may call them at once; no input is an error of the caller's, whatever its bytes are. Pointers may be NULL only where
 * that is said. A structure holds no pointers: it is copied by assignment and needs no end.
 *
 * `sm` is the architecture's number: 86 for sm_86; 90 for sm_90 and sm_90a, 100 for sm_100, sm_100a and sm_100f. */
#ifndef SASSPROBE_DECODE_H
#define SASSPROBE_DECODE_H

#include "sassprobe/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SP_INSTRUCTION_BYTES = 16, /* of every instruction of every architecture here */
    SP_TEXT_ROOM = 4096,       /* no instruction's text is longer, its NUL included */
    SP_CONTROL_ROOM = 32,
    SP_LABEL_ROOM = 96,
    SP_MAX_MODIFIERS = 14,
    SP_MAX_OPERANDS = 10,
    SP_MAX_OPERAND_MODIFIERS = 4,
    SP_REG_ZERO = 255,     /* RZ and URZ on every architecture */
    SP_PRED_TRUE = 7,      /* PT and UPT */
    SP_REG_NONE = 0xffff,  /* there is no such register */
    SP_NO_SCOREBOARD = 7,  /* in struct sp_control */
    SP_OPCODE_UNKNOWN = 0, /* no encoding covers the word */
    SP_MODIFIER_NONE = 0,
};

enum sp_operand_kind {
    SP_OPERAND_REG,        /* R4: `reg` */
    SP_OPERAND_UREG,       /* UR4: `reg` */
    SP_OPERAND_PRED,       /* P0, PT: `reg` */
    SP_OPERAND_UPRED,      /* UP0, UPT: `reg` */
    SP_OPERAND_IMM,        /* integer: `value`, with the sign that is printed; one of 64 bits has none */
    SP_OPERAND_FIMM,       /* floating point: `value` has the IEEE bits, `bits` is 16, 32 or 64 */
    SP_OPERAND_CONST,      /* c[bank][base + desc + value]; with `ubase` c[bank] is cx[UR] */
    SP_OPERAND_MEM,        /* [base + ubase + value]; with `desc` desc[UR] stands before it */
    SP_OPERAND_SREG,       /* SR_TID.X: `value` is the number, sp_special_register_text() its name */
    SP_OPERAND_LABEL,      /* a place in the code: `value` in bytes from where `offset` is counted */
    SP_OPERAND_BARRIER,    /* B0: `reg` */
    SP_OPERAND_SCOREBOARD, /* SB0: `reg` */
    SP_OPERAND_PR,         /* all predicates together */
    SP_OPERAND_TOKEN,      /* a bare word: modifiers[0] is its spelling */
    SP_OPERAND_OTHER,      /* printed, without a structure yet: `value` has the field's bits */
    SP_OPERAND_HANDLE,     /* gdesc[UR4], tmem[UR4+0x10], a[R2+0x8]: `bits` says which, no address of memory */
};

enum sp_operand_flag {
    SP_OPERAND_NEG = 1,    /* -x */
    SP_OPERAND_ABS = 2,    /* |x| */
    SP_OPERAND_INV = 4,    /* ~x */
    SP_OPERAND_NOT = 8,    /* !P */
    SP_OPERAND_REUSE = 16, /* .reuse: a hint to the operand cache */
};

/* Fields that a kind does not name above are not meant for it, registers that are not there are SP_REG_NONE. */
struct sp_operand {
    uint8_t kind;  /* enum sp_operand_kind */
    uint8_t flags; /* enum sp_operand_flag, or-ed */
    uint8_t bits;
    uint8_t bank;
    uint16_t reg;
    uint16_t base, ubase, desc; /* of CONST, MEM and HANDLE */
    /* Numbers for sp_modifier_text(), up to the first SP_MODIFIER_NONE: the operand's own suffixes (R4.H0_H0), or those
     * of the base register of an address (R4.X8). */
    uint16_t modifiers[SP_MAX_OPERAND_MODIFIERS];
    uint16_t ubase_modifier; /* of the uniform register of an address, or SP_MODIFIER_NONE */
    int64_t value;           /* of addresses: their offset in bytes */
};

/* What the compiler told the scheduler. */
struct sp_control {
    uint8_t stall;         /* cycles to the next instruction of the warp, 0..15 */
    uint8_t yield;         /* 1 where bit 109 is 0: another warp may go first */
    uint8_t write_barrier; /* scoreboard 0..5 that is released when results are there, or SP_NO_SCOREBOARD */
    uint8_t read_barrier;  /* the same for when operands were read */
    uint8_t wait_mask;     /* bit i: waits for scoreboard i */
    uint8_t reuse;         /* bit i: operand slot i keeps its register in the operand cache */
};

struct sp_instruction {
    uint64_t word[2]; /* bits 63..0 and 127..64 */
    uint32_t sm;
    uint32_t offset;    /* in bytes, as it was given */
    uint16_t opcode;    /* a number for sp_opcode_text(), or SP_OPCODE_UNKNOWN */
    uint8_t guard;      /* the predicate it runs under; SP_PRED_TRUE: always */
    bool guard_not;     /* @!P0 */
    bool guard_uniform; /* @UP0 */
    bool scheduled;     /* `control` is the word's own; false: it came from a text, which does not tell */
    uint8_t modifier_count, operand_count;
    uint16_t modifiers[SP_MAX_MODIFIERS];        /* in printing order, numbers for sp_modifier_text() */
    struct sp_operand operands[SP_MAX_OPERANDS]; /* in printing order; those behind operand_count are zero */
    struct sp_control control;
};

/* The architectures that this build has encodings for, ascending; *count of them, static storage. */
const unsigned *sp_architectures(size_t *count);

/* Decodes the instruction whose 16 little-endian bytes stand at `code`, which needs no alignment. `offset` is its
 * place in bytes, from which branches are counted: their targets are on the same scale.
 * SP_OK. SP_ERR_ENCODING: no instruction of this architecture; `opcode` is SP_OPCODE_UNKNOWN, there are no operands,
 * but word, guard and control are set, and it prints. SP_ERR_FORMAT: `size`, the bytes that are left, is less than 16.
 * SP_ERR_ARCH: no encodings for `sm`. After the last two the structure has `sm` and `offset` and nothing else. */
enum sp_status sp_decode(unsigned sm, const void *code, size_t size, uint32_t offset, struct sp_instruction *out);

/* How places in the code are printed. */
struct sp_text_options {
    /* Writes a name of the place `target`, NUL included, and answers true; false: it is printed as a number. NULL: all
     * are. */
    bool (*label)(void *user, uint32_t target, char name[SP_LABEL_ROOM]);
    void *user; /* handed to it */
};

/* The instruction as the vendor's disassembler spells it, its guard included and without " ;":
 * "@!P0 IMAD.WIDE R2, R4, R5, c[0x0][0x160]". A named place is "`(name)". What is no instruction is
 * "UNKNOWN 0x<bits 127..64>,0x<bits 63..0>". `options` may be NULL.
 * Like snprintf: writes at most `size` bytes with the NUL, answers the length of the whole text; with size 0 `out` may
 * be NULL. The text is that of `word`: operands that were changed since are not looked at. */
size_t sp_instruction_text(const struct sp_instruction *instruction, const struct sp_text_options *options, char *out,
                           size_t size);

/* The control fields as "[B--2---:R-:W0:-:S04]": waits, scoreboard of reads, of writes, yield, stall. */
void sp_control_text(const struct sp_control *control, char out[SP_CONTROL_ROOM]);

/* Reads `size` characters of what sp_instruction_text() or the vendor's tools print for one instruction; blanks as they
 * come, a ";" behind it is allowed, places must be numbers.
 * SP_OK: the structure is what decoding gives, less what a text does not tell: `scheduled` is false, and bits of `word`
 * that do not show are 0. SP_ERR_ENCODING: no instruction of this architecture prints so. SP_ERR_ARCH. After these the
 * structure has `sm` and `offset` and nothing else. */
enum sp_status sp_instruction_parse(unsigned sm, const char *text, size_t size, uint32_t offset,
                                    struct sp_instruction *out);

/* Where it branches to, on the scale of `offset`, which may lie outside of the code and may be negative. False: it is
 * no branch, or one to a place that a register has; *target is left alone. */
bool sp_instruction_target(const struct sp_instruction *instruction, int64_t *target);

/* Spellings, without dots: "IMAD", "WIDE"; "UNKNOWN" and "" for what has none; never NULL, static storage. Numbers are
 * of this build: keep spellings, not numbers, in files. */
const char *sp_opcode_text(unsigned opcode);
const char *sp_modifier_text(unsigned modifier);
/* And back: SP_OPCODE_UNKNOWN, SP_MODIFIER_NONE where there is no such spelling. */
unsigned sp_opcode_find(const char *text);
unsigned sp_modifier_find(const char *text);
/* True when it stands among the instruction's own modifiers; those of operands are not looked at. */
bool sp_instruction_has_modifier(const struct sp_instruction *instruction, unsigned modifier);
/* "SR_TID.X", or NULL where the architecture has none of that number; static storage. */
const char *sp_special_register_text(unsigned sm, unsigned number);
/* What stands before the brackets of SP_OPERAND_HANDLE: "gdesc"; "" for any other operand. Static storage. */
const char *sp_handle_text(const struct sp_operand *operand);

#ifdef __cplusplus
}
#endif
#endif
