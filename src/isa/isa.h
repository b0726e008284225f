/* One machine instruction: decode 16 bytes to a structure, print the structure as the vendor's disassembler does.
 *
 * The structure holds what the text holds: opcode, ordered modifiers, operands. Nothing above floor 3 looks at it:
 * uop/ turns it into micro-operations, pipeline/ asks for its text and control fields.
 *
 * Encodings are typed in src/isa/spec/ only; tables are generated from there at build time. No function here allocates,
 * none keeps state; all are thread-safe. */
#ifndef SP_ISA_H
#define SP_ISA_H

#include "base/bits.h"
#include "sassprobe/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opcodes and modifier tokens: ISA_OP_IMAD, ISA_MOD_FTZ … generated into isa_names.inc from the spec. A modifier is
 * known by its spelling alone (".GEU" is ISA_MOD_GEU wherever it stands); spellings that begin with a digit or hold
 * dots are ISA_MOD_ followed by the spelling with '.' as '_' (ISA_MOD_64, ISA_MOD_16816). */
enum isa_op {
    ISA_OP_UNKNOWN = 0,
#define ISA_OP_ROW(id, text) ISA_OP_##id,
#define ISA_MOD_ROW(id, text)
#include "isa_names.inc"
    ISA_OP_COUNT
};
#undef ISA_OP_ROW
#undef ISA_MOD_ROW
enum isa_mod {
    ISA_MOD_NONE = 0,
#define ISA_OP_ROW(id, text)
#define ISA_MOD_ROW(id, text) ISA_MOD_##id,
#include "isa_names.inc"
    ISA_MOD_COUNT
};
#undef ISA_OP_ROW
#undef ISA_MOD_ROW

/* RZ and URZ on every architecture (URZ is 63 in the bits up to sm_90); PT and UPT. */
enum { ISA_RZ = 255, ISA_PT = 7, ISA_NO_REG = 0xffff };
enum { ISA_MAX_MODS = 14, ISA_MAX_OPERANDS = 10, ISA_MAX_OPERAND_MODS = 4 };

enum isa_operand_kind {
    ISA_OPERAND_REG,   /* R4, -R4, |R4|, R4.H0_H0 */
    ISA_OPERAND_UREG,  /* UR4 */
    ISA_OPERAND_PRED,  /* P0, !P0, PT */
    ISA_OPERAND_UPRED, /* UP0 */
    ISA_OPERAND_IMM,   /* integer: `value`, sign as printed (0x4, -0x60) */
    ISA_OPERAND_FIMM, /* float: `value` holds the IEEE bits, `bits` is 16, 32 or 64 (a 64-bit one has its low word 0) */
    ISA_OPERAND_CONST,      /* c[bank][offset], or cx[UR][offset] with ubase set, or c[bank][R+offset] with base set */
    ISA_OPERAND_MEM,        /* [base + ubase + offset], desc[UR][…] with desc set */
    ISA_OPERAND_SREG,       /* SR_TID.X: `value` is the special register's number */
    ISA_OPERAND_LABEL,      /* branch target: `value` is a byte offset in the section */
    ISA_OPERAND_BARRIER,    /* B0 */
    ISA_OPERAND_SCOREBOARD, /* SB0 */
    ISA_OPERAND_PR,         /* the predicate file as a whole: PR, UPR */
    ISA_OPERAND_TOKEN,      /* a bare word that is no register (B0 state names …): mods[0] is its spelling */
    ISA_OPERAND_OTHER,      /* printed, not yet structured: `value` holds the field's bits */
    ISA_OPERAND_HANDLE,     /* gdesc[UR4], tmem[UR4+0x10], a[R2+0x8]: no address of memory; `bits` is enum isa_handle */
};

/* What stands before the brackets of ISA_OPERAND_HANDLE. */
enum isa_handle {
    ISA_HANDLE_NONE,
    ISA_HANDLE_GDESC, /* descriptor of a matrix in shared memory */
    ISA_HANDLE_IDESC, /* descriptor of a tensor-core instruction */
    ISA_HANDLE_TMEM,  /* tensor memory */
    ISA_HANDLE_DESC,  /* descriptor of a bulk copy */
    ISA_HANDLE_A,     /* graphics attribute */
    ISA_HANDLE_COUNT,
};

enum isa_operand_flag {
    ISA_NEG = 1,    /* -x   (float: sign flip; integer: two's complement) */
    ISA_ABS = 2,    /* |x| */
    ISA_INV = 4,    /* ~x */
    ISA_NOT = 8,    /* !P */
    ISA_REUSE = 16, /* .reuse: an operand cache hint */
};

struct isa_operand {
    uint8_t kind;                        /* enum isa_operand_kind */
    uint8_t flags;                       /* enum isa_operand_flag */
    uint8_t bits;                        /* FIMM: 16, 32, 64; HANDLE: enum isa_handle */
    uint8_t bank;                        /* CONST */
    uint16_t reg;                        /* REG UREG PRED UPRED BARRIER SCOREBOARD: index; RZ/URZ are ISA_RZ */
    uint16_t base, ubase, desc;          /* MEM, CONST: register indices or ISA_NO_REG */
    uint16_t mods[ISA_MAX_OPERAND_MODS]; /* REG: .H0_H0 .64 …; MEM: the suffixes of the base register (.64 .U32 .X4) */
    uint16_t ubase_mods[1];              /* MEM: suffix of the uniform base (.U64 …) */
    int64_t value;                       /* IMM FIMM SREG LABEL; CONST and MEM: byte offset */
};

struct isa_control {
    uint8_t stall;         /* cycles, bits [108:105] */
    uint8_t yield;         /* 1 when bit 109 is 0 */
    uint8_t write_barrier; /* 0..5, 7 none */
    uint8_t read_barrier;  /* 0..5, 7 none */
    uint8_t wait_mask;     /* bit i: wait for SBi */
    uint8_t reuse;         /* bits [124:122] */
};

struct isa_insn {
    struct bits128 word;
    uint32_t offset; /* bytes from the start of the section */
    uint16_t op;     /* enum isa_op; ISA_OP_UNKNOWN when no encoding covers the word */
    uint8_t guard;   /* predicate index, ISA_PT: always */
    bool guard_not;
    bool guard_uniform; /* @UP0 */
    uint8_t mod_count, operand_count;
    uint16_t row;                /* what decode found the word by, for print: the room's own number; 0: none yet */
    uint16_t mods[ISA_MAX_MODS]; /* in printing order */
    /* In printing order, destinations first as printed; those behind operand_count are not set. */
    struct isa_operand operands[ISA_MAX_OPERANDS];
    struct isa_control control;
};

/* True when this build has tables for sm_`sm` (75, 80, 86, …). */
bool isa_arch_known(unsigned sm);
/* All architectures with tables, ascending; *count entries, static storage. */
const unsigned *isa_archs(size_t *count);

/* An architecture without tables of its own is read with those of the nearest one before it in its generation: that
 * number; `sm` itself where it has tables, 0 where there is none near. */
unsigned isa_arch_nearest(unsigned sm);

/* Decodes 16 bytes. SP_OK; SP_ERR_ENCODING: op is ISA_OP_UNKNOWN, word, offset and control are still set;
 * SP_ERR_ARCH: no tables. `offset` is the instruction's byte offset in its section (branch targets need it). */
enum sp_status isa_decode(unsigned sm, struct bits128 word, uint32_t offset, struct isa_insn *insn);

/* The scheduling fields alone. */
struct isa_control isa_control_of(struct bits128 word);

/* The vendor's spelling, guard included, without " ;". Two dialects differ in branch targets and descriptors only. */
enum isa_dialect {
    ISA_DIALECT_CUOBJDUMP, /* branch targets as 0x offsets */
    ISA_DIALECT_NVDISASM,  /* branch targets through `label` when that is set and answers */
};
struct isa_print_options {
    enum isa_dialect dialect;
    /* Fills `out` with a label for a byte offset and answers true, or answers false. May be NULL. */
    bool (*label)(void *user, uint32_t target, char out[96]);
    void *user;
};
/* Writes at most `size` bytes with NUL; answers the length the whole text has. An unknown word prints as
 * "UNKNOWN 0x<hi>,0x<lo>". */
size_t isa_print(unsigned sm, const struct isa_insn *insn, const struct isa_print_options *options, char *out,
                 size_t size);
/* The same text straight from a word, without the structure between: faster where only text is asked for. */
size_t isa_print_word(unsigned sm, struct bits128 word, uint32_t offset, const struct isa_print_options *options,
                      char *out, size_t size);

/* The same by templates made before (isa_cache.h): the caller's memory, all zero at first, one for each thread. `out`
 * has ISA_TEXT_ROOM bytes; what lies behind the NUL is not kept. */
enum { ISA_TEXT_ROOM = 4096 };
struct isa_cache;
size_t isa_print_cached(struct isa_cache *cache, unsigned sm, struct bits128 word, uint32_t offset,
                        const struct isa_print_options *options, char *out);
/* Where the word branches to, in bytes from the section's start; false when it is no branch to a place it names. */
bool isa_word_target(unsigned sm, struct bits128 word, uint32_t offset, int64_t *target);
/* "[B--2---:R-:W0:-:S04]" into `out` (at least 32 bytes). */
void isa_print_control(const struct isa_control *control, char out[32]);

const char *isa_op_text(enum isa_op op);    /* "IMAD" */
const char *isa_mod_text(enum isa_mod mod); /* "GEU", "64": no dot */
/* Opcode or modifier by spelling; UNKNOWN/NONE when there is none. */
enum isa_op isa_op_find(const char *text);
enum isa_mod isa_mod_find(const char *text);
bool isa_has_mod(const struct isa_insn *insn, enum isa_mod mod);
const char *isa_handle_text(unsigned handle); /* "gdesc" */
bool isa_operand_has_mod(const struct isa_operand *operand, enum isa_mod mod);
/* Special register's name ("SR_TID.X") on this architecture, or NULL; by number and back (-1). */
const char *isa_sreg_text(unsigned sm, unsigned number);
int isa_sreg_find(unsigned sm, const char *text);

#endif
