/* The shape of the generated tables: what isagen writes and isa_decode.c and isa_print.c read. A row is one encoding
 * of one opcode; its cells point into flat pools, so that all tables are constant data without pointers. */
#ifndef SP_ISA_TABLE_H
#define SP_ISA_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* A bit number, or one of the two special values. */
enum { ISA_BIT_INVERTED = 0x100, ISA_BIT_ALWAYS = 0x7ffe, ISA_BIT_NONE = 0x7fff };

enum isa_field_flag {
    ISA_FIELD_SIGNED = 1,     /* two's complement */
    ISA_FIELD_COMPLEMENT = 2, /* stored inverted */
    ISA_FIELD_PC = 4,         /* counted from the next instruction */
};

enum { ISA_FIELD_PIECES = 4 };

struct isa_field {
    uint8_t pieces; /* 0: the field does not exist */
    uint8_t flags, shift;
    struct {
        uint8_t low, width;
    } piece[ISA_FIELD_PIECES]; /* most significant first */
};

/* Field value -> modifiers: codes[first + value] is an index into the sequence pool (0: prints nothing), or
 * ISA_CODE_ILLEGAL. */
enum { ISA_CODE_ILLEGAL = 0xffff };
struct isa_enum {
    struct isa_field field; /* no pieces: always value 0 */
    uint16_t first, count;
};

enum isa_style {
    ISA_STYLE_SPACE = 1,       /* c[0x0] [0x160]: a blank between bank and offset */
    ISA_STYLE_SUFFIX_IN = 2,   /* |R1.F32| rather than |R1|.F32 */
    ISA_STYLE_BLANK = 4,       /* separated from the operand before by a blank, no comma */
    ISA_STYLE_HIDDEN_DESC = 8, /* the descriptor is in the bits but not in the text */
    ISA_STYLE_SET = 16,        /* {5,2,0}: a set of scoreboards */
    ISA_STYLE_STRIDED = 32,    /* RZ as a base is left out only when its suffix prints nothing */
    ISA_STYLE_POSITIVE = 128,  /* without a register the offset has no sign, and 0x0 is printed */
    ISA_STYLE_NEXT = 512,      /* the descriptor (HANDLE: ubase) is the register after that in the bits */
    ISA_STYLE_HALF = 256,      /* FIMM of 16 bits: binary16, whatever the modifiers say */
    ISA_STYLE_NEGATIVE = 64,   /* the offset keeps its sign even without a register */
};

enum isa_part_id { ISA_PART_MAIN, ISA_PART_BASE, ISA_PART_UBASE, ISA_PART_DESC, ISA_PART_BANK, ISA_PART_COUNT };

struct isa_part {
    struct isa_field field;
    int32_t absent; /* not printed when the raw field equals this; -1: always printed */
};

/* The bits that print - | ~ ! .reuse once more, as decode reads them: flags (1 << place in this order) are `always`,
 * changed by each bit that is set. */
enum { ISA_FLAG_BITS = 5 };
/* What a name or the modifiers of one field print has at most so many characters. */
enum { ISA_SPELLING = 31 };
/* The first kinds of operands are register files: R, UR, P, UP. */
enum { ISA_REGISTER_KINDS = 4, ISA_LABEL_KIND = 9 };
/* Names of registers: by kind; those of UR by a number of 6 bits, the last of them URZ; and names that are empty. */
enum { ISA_FILE_UR6 = ISA_REGISTER_KINDS, ISA_FILE_EMPTY, ISA_REGISTER_FILES };
struct isa_flag_list {
    uint8_t always, count; /* entries behind the last one change nothing */
    struct {
        uint8_t bit, flag;
    } entry[ISA_FLAG_BITS];
};

struct isa_operand_row {
    uint8_t kind; /* enum isa_operand_kind */
    bool plain;   /* a register of one piece without suffixes: nothing but its number and flags is to be read */
    struct isa_flag_list flags;
    uint16_t style; /* enum isa_style */
    uint8_t
        bits; /* FIMM: 16, 32, 64; REG, UREG, MEM: what is added to the (uniform) register; HANDLE: enum isa_handle */
    int32_t hide; /* the operand is not printed when the raw main field equals this and `no` is unset; -1: never */
    uint16_t neg, abs, inv, no, reuse;
    struct isa_part part[ISA_PART_COUNT];
    uint16_t suffix, base_suffix, ubase_suffix; /* into the enum pool */
    uint8_t suffix_count, base_suffix_count, ubase_suffix_count;
};

enum isa_test { ISA_TEST_EQUAL, ISA_TEST_DIFFERENT, ISA_TEST_POWER };
struct isa_condition {
    struct isa_field field;
    uint8_t test;
    uint64_t value;
};

struct isa_row {
    /* The word's halves under `mask` are `value`: the conditions that ask for exact bits, all at once. The others,
     * `hard_count` of them, are the first of the list. */
    uint64_t mask[2], value[2];
    uint16_t op;
    uint16_t condition, mod, operand; /* into their pools; operands are listed, since many rows share one */
    uint8_t condition_count, hard_count, mod_count, operand_count;
    uint8_t uniform_guard;
    bool relative; /* an operand counts from where the instruction stands, or may have a name */
};

#endif
