/* Between the files of the PTX reader only. */
#ifndef SP_FRONT_PTX_INTERNAL_H
#define SP_FRONT_PTX_INTERNAL_H

#include "base/map.h"
#include "front/ptx.h"
#include "uop/uop_make.h"

/* ---- tokens (ptx_lex.c) ---------------------------------------------------------------------- */
enum ptx_token_kind {
    PTX_T_END,
    PTX_T_NAME, /* %r1 $L__BB0_2 ld */
    PTX_T_DOT,  /* .global ::cta: `word` without the mark before it */
    PTX_T_INTEGER,
    PTX_T_FLOAT32,
    PTX_T_FLOAT64,
    PTX_T_STRING, /* without its marks */
    PTX_T_MARK,   /* one byte */
};
struct ptx_token {
    uint8_t kind;
    char mark;
    bool glued; /* nothing stands between it and the token before */
    uint32_t line, column;
    struct ptx_word word;
    uint64_t value;
};
struct ptx_lexer {
    const char *at, *begin, *end, *line_start;
    uint32_t line;
};
void ptx_lex_init(struct ptx_lexer *l, const char *text, size_t size);
struct ptx_token ptx_lex(struct ptx_lexer *l);

/* ---- types (ptx_type.c) ---------------------------------------------------------------------- */
enum ptx_type ptx_type_named(struct ptx_word word); /* PTX_UNTYPED: no type */
unsigned ptx_type_bits(enum ptx_type type);
bool ptx_type_is_float(enum ptx_type type); /* one number: not packed */
bool ptx_type_is_signed(enum ptx_type type);
enum uop_type ptx_type_uop(enum ptx_type type); /* what holds a value of it */
int ptx_special(struct ptx_word name);          /* enum uop_sreg, or -1 */
static inline bool ptx_word_is(struct ptx_word w, const char *text)
{
    size_t i = 0;
    while (i < w.n && text[i] && w.p[i] == text[i])
        i++;
    return i == w.n && !text[i];
}

/* ---- parsing (ptx_parse.c, ptx_body.c) --------------------------------------------------------- */
enum ptx_binding_kind {
    PTX_BIND_REGISTER,
    PTX_BIND_RANGE,
    PTX_BIND_VARIABLE,
    PTX_BIND_FUNCTION,
    PTX_BIND_LABEL,
    PTX_BIND_TARGETS
};
struct ptx_binding {
    uint8_t kind, type;
    uint32_t index, count; /* RANGE: how many; REGISTER: components of a vector */
};
enum { PTX_SCOPES = 64 }; /* nested */
struct ptx_parser {
    struct arena *a;
    struct diag_sink *diags;
    struct ptx_module *m;
    struct ptx_lexer lexer;
    struct ptx_token token; /* the one looked at */
    const char *before;     /* end of the one before it */
    struct map_str names;   /* -> number of a name */
    uint32_t name_count;
    struct map_u64 bound;  /* scope << 32 | name -> binding */
    struct map_u64 ranged; /* binding << 32 | number -> register */
    VEC(struct ptx_binding) bindings;
    VEC(uint32_t) parents;           /* of scopes; the module's is 0 */
    uint32_t scope, depth, function; /* function: + 1 */
    uint32_t loc;
    bool rolled;                   /* of the instruction that comes next */
    VEC(struct ptx_operand) stack; /* operands of the statement being read */
    unsigned errors;
    bool failed;
};
void ptx_next(struct ptx_parser *p);
void ptx_error(struct ptx_parser *p, const struct ptx_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool ptx_take(struct ptx_parser *p, char mark);
bool ptx_at(const struct ptx_parser *p, char mark);
uint32_t ptx_name_number(struct ptx_parser *p, struct ptx_word w);
/* What a name means in a scope; NULL: nothing. */
const struct ptx_binding *ptx_find(struct ptx_parser *p, uint32_t scope, uint32_t name, uint32_t *binding);
void ptx_bind(struct ptx_parser *p, uint32_t name, struct ptx_binding b);
bool ptx_open_scope(struct ptx_parser *p);
void ptx_close_scope(struct ptx_parser *p);
const char *ptx_copy(struct ptx_parser *p, struct ptx_word w);
/* To behind the next semicolon, or to before a brace. */
void ptx_skip_statement(struct ptx_parser *p);
/* A declaration of variables behind its space's name; the semicolon is taken. */
void ptx_parse_variables(struct ptx_parser *p, enum ptx_space space, bool is_extern, uint32_t *first, uint32_t *count);
void ptx_parse_loc(struct ptx_parser *p);
void ptx_parse_file(struct ptx_parser *p);
void ptx_parse_section(struct ptx_parser *p);
/* From behind `.pragma` to behind its semicolon. True: it forbids to unroll. */
bool ptx_parse_pragma(struct ptx_parser *p);
/* A function's body from behind its opening brace. */
void ptx_parse_body(struct ptx_parser *p);

/* ---- lifting ------------------------------------------------------------------------------------ */
enum { PTX_PARAM_BYTES_MAX = 4096 };
struct ptx_frame { /* where a function's things are in the lists of a kernel */
    const struct ptx_function *f;
    uint32_t function;
    const uint32_t *numbers; /* of its registers: the first word's, or the predicate's */
    uint32_t carry;          /* the predicate that is CC.CF */
    uint32_t link;           /* two words: where it returns to */
    uint32_t first_row;
    uint32_t *rows;  /* first list of each instruction, and behind the last */
    uint32_t *guard; /* of each: the branch that is its guard, or that it is, + 1; 0: none */
};
struct ptx_linker {
    struct arena *a;
    struct ptx_module *m;
    const struct ptx_places *places;
    VEC(struct ptx_frame *) frames;
    struct map_u64 frame_of; /* function -> frame */
    struct map_u64 offsets;  /* shared or local variable -> its offset */
    struct map_u64 words;    /* parameter of a function, or at a call -> its first word */
    uint64_t shared, local;  /* bytes */
    bool dynamic_shared, guards;
    uint32_t used[2]; /* words, predicates */
    struct map_str ops;
};
struct ptx_lift {
    struct uop_maker make;
    struct ptx_linker *linker;
    struct ptx_module *m;
    const struct ptx_frame *frame;
    const struct ptx_function *f;
    const struct ptx_insn *insn, *over; /* over: the branch that is its guard, or NULL */
    uint32_t part, row;
    bool opaque; /* a result is unknown, nothing else is */
};
typedef void (*ptx_lift_fn)(struct ptx_lift *l);
struct ptx_op {
    const char *name;
    ptx_lift_fn lift;
};
extern const struct ptx_op ptx_integer_ops[], ptx_float_ops[], ptx_move_ops[], ptx_memory_ops[], ptx_control_ops[],
    ptx_warp_ops[];

/* What instructions are made of (ptx_operand.c). */
void ptx_refuse(struct ptx_lift *l);
bool ptx_has(const struct ptx_lift *l, const char *mod);
/* The n-th type among the modifiers, or PTX_UNTYPED. */
enum ptx_type ptx_type_at(const struct ptx_lift *l, unsigned n);
/* Refuses when a modifier is neither a type nor among the words, parted by blanks; or the operands are not so many. */
void ptx_expect(struct ptx_lift *l, const char *words, unsigned least, unsigned most);
const struct ptx_operand *ptx_operand(struct ptx_lift *l, unsigned i); /* never NULL */
uop_ref ptx_read_word(struct ptx_lift *l, uint32_t number);
void ptx_write_word(struct ptx_lift *l, uint32_t number, uop_ref v);
uop_ref ptx_read_predicate(struct ptx_lift *l, uint32_t number);
void ptx_write_predicate(struct ptx_lift *l, uint32_t number, uop_ref v);
/* A value of `type`: integers of 8 and 16 bits extended to 32 as it says (B8 and B16 not), F16 and BF16 as 16 bits. */
uop_ref ptx_value(struct ptx_lift *l, const struct ptx_operand *o, enum ptx_type type);
uop_ref ptx_source(struct ptx_lift *l, unsigned i, enum ptx_type type);
uop_ref ptx_predicate(struct ptx_lift *l, const struct ptx_operand *o);
void ptx_put(struct ptx_lift *l, const struct ptx_operand *o, enum ptx_type type, uop_ref v);
void ptx_result(struct ptx_lift *l, unsigned i, enum ptx_type type, uop_ref v);
struct uop ptx_blank(enum uop_kind kind, enum uop_type type);
unsigned ptx_float_flags(const struct ptx_lift *l); /* FTZ SAT RELU */
unsigned ptx_round(const struct ptx_lift *l);       /* RN where nothing is said */
uop_ref ptx_extend(struct ptx_lift *l, enum ptx_type type, uop_ref v);
/* 16-bit pieces of words and back. */
uop_ref ptx_half(struct ptx_lift *l, uop_ref word, bool high);
uop_ref ptx_word_of_halves(struct ptx_lift *l, uop_ref low, uop_ref high);
uop_ref ptx_word_of_half(struct ptx_lift *l, uop_ref half);
/* A value without meaning: everything the instruction reads is read. */
uop_ref ptx_unknown_value(struct ptx_lift *l, enum uop_type type, unsigned number);
/* The whole instruction: `effects`: memory may change. */
void ptx_unknown(struct ptx_lift *l, bool effects);

/* Numbers for the registers of a frame (ptx_registers.c). `target`: instructions that labels lead to. */
bool ptx_number_registers(struct ptx_linker *n, struct ptx_frame *frame, const bool *target);

/* Where things are (ptx_link.c). */
uint32_t ptx_number(const struct ptx_lift *l, uint32_t reg);
bool ptx_param_word(struct ptx_lift *l, uint32_t variable, uint32_t *number);
/* Bytes from the start of its space. */
uint64_t ptx_offset(const struct ptx_lift *l, uint32_t variable);
const struct ptx_frame *ptx_callee(const struct ptx_lift *l,
                                   const struct ptx_operand *o);        /* NULL: not among the lists */
void ptx_move_variable(struct ptx_lift *l, uint32_t to, uint32_t from); /* all words */

#endif
