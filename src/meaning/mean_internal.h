/* Between the files of meaning/ only. */
#ifndef SP_MEAN_INTERNAL_H
#define SP_MEAN_INTERNAL_H

#include "meaning/mean.h"

/* C precedence, loosest first. */
enum mean_prec {
    PREC_TERNARY = 1,
    PREC_OROR,
    PREC_ANDAND,
    PREC_OR,
    PREC_XOR,
    PREC_AND,
    PREC_EQ,
    PREC_REL,
    PREC_SHIFT,
    PREC_ADD,
    PREC_MUL,
    PREC_UNARY,
    PREC_PRIMARY,
};

/* A piece of an expression. `cut`: too long to be an operand: a larger expression shows "…" in its
 * place. */
struct mean_text {
    const char *p;
    uint8_t prec;
    bool cut;
};

/* What a reader takes a value for: an enum uop_type with these flags. */
enum {
    MEAN_AS_TYPE = 0x1f,
    MEAN_AS_MOVED = 0x1f,    /* in place of a type: bits that are moved only, what they stand for is not known */
    MEAN_AS_UNSIGNED = 0x20, /* integer constants print unsigned */
    MEAN_AS_HEX = 0x40,      /* operand of a bit operation: constants print as masks */
    MEAN_AS_TABLE = 0x80,    /* the key of a condition's text within another's; with MEAN_AS_UNSIGNED: its negation's */
};

/* Bytes of a text, and of one that may stand inside another: a reader takes in a line or two, and a
 * value that many others contain would be printed in each of them. */
enum { MEAN_TEXT_MAX = 1200, MEAN_OPERAND_MAX = 400, MEAN_DEPTH_MAX = 500, MEAN_LINE_MAX = 300 };

/* Number format of a value. */
enum mean_kind {
    KIND_UNKNOWN,
    KIND_PRED,
    KIND_S8,
    KIND_U8,
    KIND_S16,
    KIND_U16,
    KIND_S32,
    KIND_U32,
    KIND_S64,
    KIND_U64,
    KIND_F16,
    KIND_BF16,
    KIND_F32,
    KIND_F64,
    KIND_B8,
    KIND_B16,
    KIND_B32,
    KIND_B64,
    KIND_B128,
};
unsigned mean_kind_bits(enum mean_kind kind);
bool mean_kind_is_unsigned(enum mean_kind kind);
bool mean_kind_is_float(enum mean_kind kind);
enum uop_type mean_kind_type(enum mean_kind kind);

/* One element of an array as a declaration or the accesses tell it. */
struct mean_array {
    uint32_t bytes;      /* of an element; 0: never accessed */
    enum mean_kind kind; /* declared, or the one float format all accesses take it for; else KIND_UNKNOWN */
    uint8_t lanes;       /* declared vector: 2, 3 or 4 parts, else 1 */
    bool declared;
    bool mixed;    /* accessed in several widths: elements are bytes */
    bool doubtful; /* its accesses take the elements for different kinds of numbers */
};
enum { MEAN_SHARED, MEAN_LOCAL, MEAN_FIXED_ARRAYS }; /* behind the parameters in mean_work.arrays */

struct mean_kept { /* a text, and whether it stands so only where it was made: in that loop, inside those phis */
    struct mean_text text;
    bool tied;
};

struct mean_leaving { /* a node of a variable as it is told behind its loop */
    const char *text;
    const char *within; /* in its loop, once the new value is made; NULL: that is the new value */
    graph_id named;     /* the variable's node that says whether it is */
    uint32_t cycle;
    bool old, updated;
};

struct mean_work {
    VEC(struct mean_leaving) leaving;
    struct map_u64 leaving_of; /* node -> index into leaving */
    uint32_t view;             /* texts stand in this cycle + 2; 1: in none; 0: within whatever is told */
    uint32_t updated, updates; /* how many are; counts mean_set_updated() */
    struct map_u64 memo;       /* node, reader, style, epoch -> index into texts */
    VEC(struct mean_kept) texts;
    uint32_t tied;             /* counts what ties the text being made to where it stands */
    VEC(graph_id) open_phis;   /* being written out: met again they stand as "…" */
    uint32_t epoch;            /* counts mean_set_value(): texts with ids age */
    struct mean_array *arrays; /* param_count + MEAN_FIXED_ARRAYS */
    int64_t frame; /* lowest offset from the stack pointer's start that becomes a register value: 0 or negative */
    struct map_u64 address_of; /* node -> access << 2 | part: 0 its address, 1 the low word of it, 2 the high word */
    struct map_u64 low_of;     /* low word of a 64-bit linear index -> index into names */
    struct map_u64 stored_by;  /* node -> access that stores it */
    uint32_t *use_starts, *use_list; /* by def: the uses (indices into graph.uses) it reaches */
    uint8_t *kinds;                  /* by node: 1 + enum mean_kind once asked for; NULL while names are found */
    size_t kind_count;
    uint8_t *live; /* by node: some effect depends on it */
    size_t live_count;
    struct map_u64 reading_of; /* special register that is read at several times -> which reading; empty: one or none */
    bool mixed_ftz;            /* operations that flush subnormals and ones that do not: their names must differ */
    uint32_t linear_count;     /* names[0 .. linear_count) are linear indices */
    struct mean_linear *linear; /* their parts */
};

/* The parts of a named linear index: the graph keeps sums flat, so in `j * w + i` the node of i
 * does not occur. */
struct mean_linear {
    graph_id block, thread, thread32; /* block * factor + thread; thread32: thread without its extension */
    int64_t factor;
    graph_id low; /* the low word of a 64-bit index */
};

/* ---- mean_text.c, mean_expr.c, mean_number.c, mean_word.c --------------------------------------- */
struct mean_text mean_text_of(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth);
/* The same with the node itself written out. */
struct mean_text mean_text_define(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth);
/* A text of number format `kind` for a reader `as`: "bits(x)" where the bits of a float are taken as an
 * integer, "as_float(x)" the other way round. `width`: bits of the node. */
struct mean_text mean_text_convert(struct mean *m, struct mean_text t, enum mean_kind kind, unsigned width,
                                   unsigned as);
/* printf into a piece; never NULL; beyond MEAN_TEXT_MAX it is cut. */
struct mean_text mean_piece(struct mean *m, enum mean_prec prec, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text as an operand that needs at least `prec`: parenthesised if looser. */
const char *mean_operand(struct mean *m, struct mean_text t, enum mean_prec prec);

/* ---- mean_sum.c: integer sums and products --------------------------------------------------- */
enum mean_sum_call { SUM_NODE, SUM_CLZ, SUM_FFS, SUM_REST }; /* the node is a FLO: count of the bits above or below */
struct mean_sum {
    struct {
        graph_id node;
        int64_t coefficient;
        uint8_t call; /* enum mean_sum_call */
    } terms[16];
    unsigned count, steps;
    int64_t offset;
};
struct mean_text mean_text_sum(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth);
/* The sum that the text of a node shows: false when it stands one level at a time, as a product of what is not
 * constant. */
bool mean_sum_shown(struct mean *m, graph_id id, unsigned style, struct mean_sum *sum);
/* Of it, what is told as a remainder. */
void mean_sum_rests(const struct mean *m, struct mean_sum *sum);
struct mean_text mean_text_terms(struct mean *m, struct mean_sum *sum, unsigned style, unsigned depth);
/* The low or high half of a load that is an element, or a lane of one, by itself. */
bool mean_half_is_element(const struct mean *m, const struct graph_node *half);
/* Puts named linear indices (but for `except`) in the place of their parts. */
void mean_sum_fold(const struct mean *m, struct mean_sum *sum, graph_id except);
/* Signed division by a power of two as machines do it: `id` is x + (x < 0 ? 2^shift - 1 : 0), the dividend. */
bool mean_is_dividend(const struct mean *m, graph_id id, unsigned shift, graph_id *x);
/* The same with the low bits taken away: x / 2^shift * 2^shift. */
bool mean_is_rounded(const struct mean *m, graph_id id, unsigned *shift, graph_id *x);
/* x / d by the high word of a product: "x / 10". */
bool mean_is_unsigned_quotient(const struct mean *m, const struct graph_node *shift, graph_id *x, uint64_t *d);
/* "x / 32", x as a signed number. */
struct mean_text mean_text_quotient(struct mean *m, graph_id x, const char *op, unsigned shift, unsigned style,
                                    unsigned depth);
/* Adds one term, to its like where there is one; false when there are too many. */
bool mean_sum_term(struct mean_sum *sum, graph_id id, int64_t coefficient);
/* Takes `id` * coefficient apart into *sum, down to named nodes and what is no sum. False when it
 * has too many terms. */
bool mean_sum_add(const struct mean *m, struct mean_sum *sum, graph_id id, int64_t coefficient, bool top,
                  unsigned depth);

/* An atomic operation (UOP_ATOM_…) by the end of its CUDA name: "Add", "CAS". */
const char *mean_atomic_name(unsigned op);
/* The text of `id` for a reader `as` in this style as it was made before, as long as the same names are known. */
bool mean_kept_text(struct mean *m, graph_id id, unsigned as, unsigned style, struct mean_text *out);
/* Keeps it. Opened before it is made (`open`), it is met inside its own definition as "…"; `tied`: work->tied at that
 * time. */
bool mean_open_text(struct mean *m, graph_id id, unsigned as, unsigned style, uint32_t *at);
void mean_keep_text(struct mean *m, graph_id id, unsigned as, unsigned style, struct mean_text t, uint32_t tied,
                    uint32_t open);
enum { MEAN_NOT_OPEN = UINT32_MAX };

/* ---- mean_bool.c: conditions, bit functions -------------------------------------------------- */
struct mean_text mean_text_bool(struct mean *m, graph_id id, bool negated, unsigned style, unsigned depth);
struct mean_text mean_text_lop3(struct mean *m, const struct graph_node *n, unsigned style, unsigned depth);
/* A compare atom or any other B1 node. */
struct mean_text mean_text_atom(struct mean *m, graph_id id, bool negated, unsigned style, unsigned depth);

/* ---- mean_shorten.c -------------------------------------------------------------------------- */
/* At most MEAN_LINE_MAX bytes: the inside of brackets, then of the middle, stands as "…". */
const char *mean_shorten(struct mean *m, const char *text);

/* ---- mean_literal.c -------------------------------------------------------------------------- */
const char *mean_literal(struct mean *m, uint64_t bits, unsigned width, unsigned as);
bool mean_literal_is_unsigned(uint64_t bits, unsigned width, unsigned as);

/* ---- mean_address.c -------------------------------------------------------------------------- */
/* Which bytes of an access are shown; `bytes` 0: all of them. `is_float`: they are read as a number of
 * that width, where no array says what they are. */
struct mean_part {
    unsigned offset, bytes;
    bool is_float;
    bool number; /* eight bytes that nobody takes apart */
};
struct mean_text mean_text_element(struct mean *m, graph_id address, enum uop_space space, unsigned width,
                                   struct mean_part part, bool address_of, unsigned style, unsigned depth);
/* Whether an 8-byte load is looked at in halves. */
bool mean_used_in_halves(const struct mean *m, graph_id id);
/* True when a 64-bit node is a pointer parameter plus something. */
bool mean_is_pointer(const struct mean *m, graph_id id);
enum sp_status mean_find_arrays(struct mean *m);
/* The array an address lies in, as an index into mean_work.arrays; -1: not known. */
int mean_array_of(const struct mean *m, graph_id address, enum uop_space space, struct graph_affine *affine);

/* ---- mean_type.c ----------------------------------------------------------------------------- */
/* Element of the declared type of a pointer ("float const*"), or of a scalar. False when the words
 * say nothing. */
bool mean_declared(const char *type, struct mean_array *out, bool *pointer);
/* The declared elements of the array a load reads are integers of its width and of that sign. */
bool mean_is_declared(const struct mean *m, const struct graph_node *load, bool is_unsigned);
/* From the operation that makes the node alone. */
enum mean_kind mean_kind_made(const struct mean *m, graph_id id, unsigned depth);
/* The bfloat16 of which a shift by 16 makes the float of the same value; NIL: none. */
graph_id mean_widened_half(const struct mean *m, const struct graph_node *n);
/* Made, else as used. */
enum mean_kind mean_kind_of(struct mean *m, graph_id id);
/* Number format of a node's own text: bit operations give integers whatever reads them. */
enum mean_kind mean_kind_text(struct mean *m, graph_id id);
/* Number formats of arrays without a declaration. */
void mean_infer_arrays(struct mean *m);

/* ---- mean_sign.c ----------------------------------------------------------------------------- */
/* What C makes of the words a value is told in. */
enum mean_sign { MEAN_SIGN_SIGNED, MEAN_SIGN_UNSIGNED, MEAN_SIGN_OPEN };
enum mean_sign mean_sign_shown(struct mean *m, graph_id id);
bool mean_is_unsigned(struct mean *m, graph_id id);

/* ---- mean_use.c ------------------------------------------------------------------------------ */
enum sp_status mean_find_uses(struct mean *m);
enum sp_status mean_find_addresses(struct mean *m);
/* Uses a def reaches. */
const uint32_t *mean_uses_of(const struct mean *m, uint32_t def, uint32_t *count);
/* The value a def is (part of): 0 whole, 1 low word, 2 high word of what is answered. */
graph_id mean_whole_of(struct mean *m, uint32_t def, unsigned *part);
/* The access a node is the address of, or a word of its address; NULL: none. */
const struct graph_access *mean_access_at(const struct mean *m, graph_id node, unsigned *part);
/* Number format in which the readers of a register take the constant in it. */
unsigned mean_reader_of(struct mean *m, uint32_t def);

/* ---- mean_live.c ----------------------------------------------------------------------------- */
enum sp_status mean_find_live(struct mean *m);
bool mean_is_live(const struct mean *m, graph_id id);
/* No integer above this, whatever the inputs, for what is small by itself; UINT64_MAX: nobody says. */
uint64_t mean_upper_bound(const struct mean *m, graph_id id, unsigned depth);
/* The sign bit is 0 whatever the inputs. */
bool mean_is_nonnegative(const struct mean *m, graph_id id, unsigned depth);

/* ---- mean_loop.c ----------------------------------------------------------------------------- */
/* By block: its branch enters, leaves or repeats a loop; NULL when out of memory. */
const uint8_t *mean_loop_tests(const struct mean *m);

/* ---- mean_names.c ---------------------------------------------------------------------------- */
/* Letters and names (mean_names.c); parts of indices that are too long for a line (mean_names_long.c). */
const char *mean_next_letter(const struct mean *m, unsigned *at);
bool mean_give_name(struct mean *m, graph_id node, const char *name, const char *expr);
void mean_forget_texts(struct mean *m);
enum sp_status mean_name_long_parts(struct mean *m, unsigned *letter);
enum sp_status mean_find_names(struct mean *m);

#endif
