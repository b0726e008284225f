/* The PTX reader: text -> a module of functions with instructions, and their instructions as micro-operations. What PTX
 * is ends here: everything above sees micro-operations.
 *
 * Reading is in two steps. ptx_read_module() parses the whole text: names are resolved, nothing is given a meaning.
 * ptx_lift_kernel() lays out registers and memory of one kernel and of the functions that it calls, and turns their
 * instructions into lists (uop.h). An instruction without a meaning here is `opaque`: its results are unknown, what it
 * reads is read, and its text is kept. A text that cannot be parsed costs the statement it stands in and gets a
 * diagnostic with line and column.
 *
 * How PTX stands in the waist: every register is a number of its own (64-bit ones two, predicates in their own file);
 * parameters of a kernel are constant bank 0 where the driver puts them, __constant__ variables bank 3 by their offset,
 * addresses of global variables words of bank 4; shared addresses count from the block's first byte, local ones from
 * the stack pointer of constant bank 0; parameters of functions are registers. */
#ifndef SP_FRONT_PTX_H
#define SP_FRONT_PTX_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "sassprobe/status.h"
#include "uop/uop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_word { /* a piece of the text */
    const char *p;
    uint32_t n;
};

enum ptx_type {
    PTX_UNTYPED,
    PTX_PRED,
    PTX_B8,
    PTX_U8,
    PTX_S8,
    PTX_B16,
    PTX_U16,
    PTX_S16,
    PTX_F16,
    PTX_BF16,
    PTX_B32,
    PTX_U32,
    PTX_S32,
    PTX_F32,
    PTX_F16X2,
    PTX_BF16X2,
    PTX_TF32,
    PTX_B64,
    PTX_U64,
    PTX_S64,
    PTX_F64,
    PTX_F32X2,
    PTX_B128,
    PTX_OTHER_TYPE, /* textures, samplers and what else names a type no register has a meaning for */
};

enum ptx_space { PTX_REG, PTX_PARAM, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_GENERIC };

struct ptx_register {
    const char *name; /* "%r1" */
    uint8_t type;     /* enum ptx_type */
    uint8_t words;    /* 32-bit words, 0: a predicate */
};

struct ptx_variable {
    const char *name;
    uint8_t space, type;
    bool is_extern;
    bool is_input, is_result; /* of a function */
    uint32_t align, line;
    uint64_t bytes;    /* 0: an array without a size */
    uint64_t offset;   /* in its space: shared, constant, of a kernel's parameters; global: its number */
    uint32_t function; /* + 1; 0: the module's */
};

enum ptx_operand_kind {
    PTX_NOTHING,  /* `_` */
    PTX_REGISTER, /* index of a register of the function; `negated`: !%p */
    PTX_INTEGER,  /* value */
    PTX_FLOAT32,  /* value: its bits */
    PTX_FLOAT64,
    PTX_SPECIAL,  /* index: of ptx_special_names, or one of `name` that has no number there */
    PTX_ADDRESS,  /* of variable `index`, + value */
    PTX_FUNCTION, /* index */
    PTX_LABEL,    /* index of the instruction it stands before, UINT32_MAX: nowhere */
    PTX_MEMORY,   /* [items[0] + value], further items behind a comma */
    PTX_VECTOR,   /* {items} */
    PTX_DUAL,     /* items[0]|items[1] */
    PTX_LIST,     /* (items) */
    PTX_TARGETS,  /* index of a list of labels */
    PTX_NAME,     /* something else that has a name */
};
struct ptx_operand {
    uint8_t kind;
    bool negated;
    bool part; /* of a register: .b0, .h1 …: no meaning here */
    uint32_t index;
    uint32_t item_count;
    int64_t value;
    struct ptx_word name;
    struct ptx_operand *items;
};

struct ptx_loc { /* .loc */
    uint32_t file, line, column;
    uint32_t inlined;         /* + 1: of the place it was inlined at, in module->locs */
    struct ptx_word function; /* label of the inlined function's name in .debug_str */
};

enum { PTX_MODS = 16 };
struct ptx_insn {
    uint32_t line, column;
    struct ptx_word text;           /* guard included, without the semicolon */
    struct ptx_word op;             /* "ld" */
    struct ptx_word mods[PTX_MODS]; /* "global" "nc" "f32" */
    uint8_t mod_count;
    bool too_long; /* it has more */
    bool damaged;  /* not parsed: nothing is known of it */
    bool rolled;   /* a loop that begins here must not be unrolled (.pragma "nounroll") */
    bool guard_not;
    int32_t guard;  /* register, -1: none */
    uint32_t scope; /* private */
    uint32_t loc;   /* + 1, 0: none */
    uint32_t operand_count;
    struct ptx_operand *operands;
};

struct ptx_targets { /* .branchtargets */
    struct ptx_operand *labels;
    uint32_t count;
};

struct ptx_function {
    const char *name;
    bool is_entry, has_body, is_extern;
    bool rolled; /* no loop of it may be unrolled */
    uint32_t line, line_end;
    int32_t maxntid[3], reqntid[3]; /* -1: not said */
    VEC(uint32_t) inputs;           /* variables */
    VEC(uint32_t) results;
    VEC(struct ptx_register) registers;
    VEC(uint32_t) locals; /* variables declared inside, of any space */
    VEC(struct ptx_insn) insns;
    VEC(struct ptx_targets) targets;
    uint64_t param_bytes;
};

struct ptx_module {
    const char *text;
    size_t size;
    bool rolled;          /* no loop may be unrolled */
    unsigned version, sm; /* 90: 9.0; 86. 0: not said */
    const char *arch;     /* "sm_86", or NULL */
    unsigned address_bits;
    const char *producer;     /* from the head's comments, or NULL */
    VEC(const char *) files;  /* [0] is nobody's; number of .file */
    VEC(uint64_t) file_bytes; /* their sizes where .file tells them, else 0 */
    VEC(struct ptx_variable) variables;
    VEC(struct ptx_function) functions;
    VEC(struct ptx_loc) locs;
    uint64_t shared_bytes, constant_bytes; /* of the module's own variables; a kernel's are behind them */
    bool dynamic_shared;
    bool damaged;    /* something was not understood as PTX */
    uint64_t budget; /* private: instructions that may still be lifted */
};

/* The text need not end in NUL; it must stay. SP_ERR_FORMAT: what could be read is in *m all the same. SP_ERR_MEMORY.
 */
enum sp_status ptx_read_module(struct arena *a, struct diag_sink *diags, const char *text, size_t size,
                               struct ptx_module *m);

/* What the driver puts where, of the architecture that the kernel is for. */
struct ptx_places {
    uint32_t param_base, stack_offset, local_window, shared_window; /* constant bank 0; windows 0: none */
    bool guards; /* short branches over what could be guarded are read as its guards, as the next compiler does it */
};

struct ptx_frame;
struct ptx_row { /* one list of micro-operations */
    const struct ptx_insn *insn;
    const struct ptx_function *function;
    const struct ptx_frame *frame; /* private */
    uint32_t part;                 /* some instructions take several */
};
struct ptx_code {
    struct uop_list *lists;
    struct ptx_row *rows;
    uint32_t count;
    uint32_t own; /* how many are the kernel's: behind them stand those of functions */
    uint64_t shared_bytes, local_bytes;
    bool dynamic_shared;
};

/* Lists stand 16 bytes apart, from 0: a list's offset is its index times PTX_STEP. */
enum { PTX_STEP = 16 };

enum sp_status ptx_lift_kernel(struct arena *a, struct diag_sink *diags, struct ptx_module *m, uint32_t function,
                               const struct ptx_places *places, struct ptx_code *code);

/* What a register of the lists is called where a list names it, and which of its words it is; NULL: it has no name. */
const char *ptx_register_name(const struct ptx_code *code, uint32_t row, enum uop_file file, unsigned reg,
                              unsigned *word, unsigned *words);

/* An instruction's text with single blanks. */
const char *ptx_insn_text(struct arena *a, const struct ptx_insn *insn);

#endif
