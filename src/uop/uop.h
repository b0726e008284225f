/* The waist of the house: the micro-operation. Machine code, PTX and CUDA expressions all become lists of these; graph,
 * emulator, meaning and patterns see nothing else. What an instruction does is written once, in src/uop/uop_<family>.c.
 *
 * A list (struct uop_list) is one instruction's effect in one thread. Each uop gives at most one result, named by its
 * index in the list; arguments are indices of earlier uops. Results are bit patterns: a `type` says how wide the result
 * is and how the operation reads its arguments; F32 and B32 are the same 32 bits, no cast stands between them.
 *
 *   IMAD.WIDE R2, R4, R5, c[0x0][0x160]    0 READ R4   1 SEXT.b64 %0   2 READ R5   3 SEXT.b64 %2
 *                                          4 MUL.b64 %1 %3   5 CBANK.b64 [0][0x160]   6 ADD.b64 %4 %5
 *                                          7 LO %6   8 WRITE R2 %7   9 HI %6 …
 *
 * Side effects (WRITE STORE ATOM BAR BRANCH …, and LOAD) happen when the list's guard is true. RZ and PT reads are
 * CONST; writes to RZ and PT are left out; a 64-bit register operand is PAIR of two READs. */
#ifndef SP_UOP_H
#define SP_UOP_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum uop_type {
    UOP_VOID, /* no result */
    UOP_B1,   /* a predicate: 0 or 1 */
    UOP_B8,
    UOP_B16,
    UOP_B32,
    UOP_B64,
    UOP_B128, /* bits and two's complement integers (B128: only as a memory width) */
    UOP_F16,
    UOP_BF16,
    UOP_F32,
    UOP_F64,
};
enum { UOP_TYPE_COUNT = UOP_F64 + 1 };

enum uop_round { UOP_RN, UOP_RM, UOP_RP, UOP_RZ, UOP_RA /* nearest, ties away */ };

enum uop_flag {
    UOP_FTZ = 1,      /* subnormal inputs and results of this operation count as zero of the same sign */
    UOP_SAT = 2,      /* float: clamp to [0,1], NaN to 0; integer conversion: always saturating */
    UOP_NAN = 4,      /* FMIN/FMAX: a NaN argument gives NaN (without it: the other argument); FNEG/FABS: it stays */
    UOP_FMZ = 8,      /* FTZ, and 0 * anything = +0 */
    UOP_SIGNED = 16,  /* where one kind serves both: I2F F2I LOAD SHR-like inputs say so here */
    UOP_SWAPPED = 32, /* a compare written with its operands the other way round (`a > b` held as `b < a`): printing
                         only, no part of a value's identity */
    UOP_XORSIGN = 64, /* FMIN/FMAX: sign of the result is the xor of the signs */
    UOP_RELU = 128,   /* negative results become +0 (NaN stays) */
};

/* ---- kinds. Columns: name, arguments, P pure (uop_eval computes it) / E effect or state, meaning ---- */
/* clang-format off */
#define UOP_KINDS(X)                                                                                                   \
    /* state */                                                                                                        \
    X(CONST, 0, P, "imm")                                                                                              \
    X(READ, 0, E, "register `reg` of file `file` (B32; B1 for predicates)")                                            \
    X(WRITE, 1, E, "register `reg` of file `file` = a")                                                                \
    X(SREG, 0, E, "special register imm (enum uop_sreg)")                                                              \
    X(CBANK, 1, E, "`type` bytes of constant bank `space` at imm (+ a when that is not UOP_NONE)")                     \
    X(PC, 0, E, "byte offset of this instruction in its section + imm")                                                \
    X(UNDEF, 0, E, "any value; two are never equal")                                                                   \
    X(OPAQUE, 4, E, "a result this build has no meaning for; imm: which result of the instruction")                    \
    /* integers */                                                                                                     \
    X(ADD, 2, P, "a + b")                                                                                              \
    X(ADDC, 3, P, "a + b + (c ? 1 : 0)")                                                                               \
    X(CARRY, 3, P, "carry out of a + b + (c ? 1 : 0), unsigned, in the width `imm` bits (32 or 64); B1")               \
    X(NEG, 1, P, "-a")                                                                                                 \
    X(MUL, 2, P, "low half of a * b")                                                                                  \
    X(MULHI_S, 2, P, "high half, signed")                                                                              \
    X(MULHI_U, 2, P, "high half, unsigned")                                                                            \
    X(AND, 2, P, "a & b")                                                                                              \
    X(OR, 2, P, "a | b")                                                                                               \
    X(XOR, 2, P, "a ^ b")                                                                                              \
    X(NOT, 1, P, "~a; of a B1: !a")                                                                                    \
    X(LOP3, 3, P, "bit function: table imm, index a<<2 | b<<1 | c; B1 too (PLOP3)")                                    \
    X(SHL, 2, P, "a << b; 0 when b (unsigned 32-bit) >= width")                                                        \
    X(SHR, 2, P, "logical; 0 when b >= width")                                                                         \
    X(SAR, 2, P, "arithmetic; sign when b >= width")                                                                   \
    X(MIN_S, 2, P, "") X(MAX_S, 2, P, "") X(MIN_U, 2, P, "") X(MAX_U, 2, P, "")                                        \
    X(ABS, 1, P, "integer |a|, wraps")                                                                                 \
    X(POPC, 1, P, "")                                                                                                  \
    X(BREV, 1, P, "")                                                                                                  \
    X(FLO, 1, P, "index of the highest set bit (SIGNED: of the highest non-sign bit), imm 1: width - 1 - index; "      \
      "-1 for none")                                                                                                   \
    X(PRMT, 3, P, "byte permute of {c:a} by selector b; imm: mode")                                                    \
    X(BFE, 3, P, "field of a, start b, length c; SIGNED extends")                                                      \
    X(BMSK, 2, P, "mask: b ones from bit a; imm 1: wrap")                                                              \
    X(DP4A, 3, P, "dot product; imm: bit 0 a signed, bit 1 b signed, bits 3:2 0 bytes, 1 halfwords by low "            \
      "bytes, 2 by high")                                                                                              \
    X(SAD, 3, P, "|a-b| + c")                                                                                          \
    X(SEXT, 1, P, "to `type` from the low imm bits, sign-extended")                                                    \
    X(ZEXT, 1, P, "to `type` from the low imm bits, zero-extended")                                                    \
    X(LO, 1, P, "low half of a value twice as wide as `type`")                                                         \
    X(HI, 1, P, "high half")                                                                                           \
    X(PAIR, 2, P, "{b:a}: a low, b high, twice as wide (B64 of two B32; B32 of two B16/F16)")                          \
    /* compares and selection: result B1 */                                                                            \
    X(IEQ, 2, P, "a == b, width imm bits")                                                                             \
    X(ILT_S, 2, P, "a < b signed, width imm bits")                                                                     \
    X(ILT_U, 2, P, "a < b unsigned, width imm bits")                                                                   \
    X(FLT, 2, P, "a < b, false when unordered; imm bits wide")                                                         \
    X(FLE, 2, P, "a <= b, ordered")                                                                                    \
    X(FEQ, 2, P, "a == b, ordered")                                                                                    \
    X(FNE, 2, P, "a != b, ordered") X(FNUM, 2, P, "neither is NaN")                                                    \
    X(SELECT, 3, P, "a ? b : c")                                                                                       \
    /* floats; the type is the format */                                                                               \
    X(FADD, 2, P, "") X(FMUL, 2, P, "") X(FFMA, 3, P, "a * b + c, one rounding")                                       \
    X(FNEG, 1, P, "sign bit flipped, NaN too") X(FABS, 1, P, "sign bit cleared")                                       \
    X(FMIN, 2, P, "-0 < +0") X(FMAX, 2, P, "-0 < +0")                                                                  \
    X(FROUND, 1, P, "to an integral value, in the same format; `round`")                                               \
    X(F2F, 1, P, "to `type` from the format imm (enum uop_type)")                                                      \
    X(F2I, 1, P, "to `type` bits from the format imm; `round`; SIGNED result; saturates; NaN: 0, with UOP_NAN 1 "      \
      "<< (bits - 1)")                                                                                                 \
    X(I2F, 1, P, "to the format `type` from imm bits; SIGNED source")                                                  \
    X(EX2, 1, A, "2^a")                                                                                                \
    X(LG2, 1, A, "")                                                                                                   \
    X(RCP, 1, A, "")                                                                                                   \
    X(RSQ, 1, A, "")                                                                                                   \
    X(SQRT, 1, A, "imm 1: rounded as `round` says, not approximated")                                                  \
    X(SIN, 1, A, "of a turns")                                                                                         \
    X(COS, 1, A, "")                                                                                                   \
    X(TANH, 1, A, "") X(RCP64H, 1, A, "high word of 1/double") X(RSQ64H, 1, A, "")                                     \
    X(MATH, 2, A, "what machines compute by several operations and languages in one; imm: enum uop_math")              \
    X(FCHK, 2, P, "true when a/b needs the slow division path") X(FSWZADD, 2, E, "")                                   \
    /* memory: address a (B64, or B32 for shared and local), in bytes */                                               \
    X(LOAD, 1, E, "`width` bytes of `space` from a; results of more than 8 bytes are taken apart with ELEMENT")        \
    X(ELEMENT, 1, P, "32-bit word imm of the load a")                                                                  \
    X(STORE, 5, E, "`width` bytes to a from the words b c d e")                                                        \
    X(ATOM, 4, E, "old value at a; imm: enum uop_atom; operands b, c; type is the operation's")                        \
    X(RED, 3, E, "as ATOM without a result")                                                                           \
    X(WITHIN, 1, E, "the generic address a lies in the window of `space`; B1")                                         \
    X(FENCE, 0, E, "memory order; imm: as encoded") X(PREFETCH, 1, E, "cache hint")                                    \
    X(ASYNC_COPY, 3, E, "global b to shared a, `width` bytes, when c: LOAD and STORE before it, later")                \
    X(ASYNC_WAIT, 1, E, "groups or scoreboards")                                                                       \
    /* threads together */                                                                                             \
    X(BAR, 3, E, "barrier a, count b, predicate c; imm: enum uop_bar") X(WARPSYNC, 1, E, "mask a")                     \
    X(BAR_GIVES, 1, E, "what all threads that meet bring as a; imm: enum uop_bar; B1, counted: B32; width 1: a part")  \
    X(SHFL, 3, E, "a from the lane chosen by b under c; imm 0 idx 1 up 2 down 3 bfly")                                 \
    X(SHFL_IN, 3, E, "its in-range predicate")                                                                         \
    X(VOTE, 1, E, "imm 0 all 1 any 2 eq; B1")                                                                          \
    X(BALLOT, 1, E, "mask of the lanes where a")                                                                       \
    X(MATCH, 1, E, "imm 0 all 1 any")                                                                                  \
    X(REDUX, 1, E, "imm: enum uop_atom, over the active lanes") X(ELECT, 0, E, "true in one lane")                     \
    X(UNIFORM, 1, E, "a as a uniform value: equal to a when a is the same in all lanes")                               \
    X(MMA, 4, E, "tensor operation; result imm")                                                                       \
    /* control: targets are byte offsets in the section */                                                             \
    X(BRANCH, 1, E, "to imm when a (UOP_NONE: always)") X(BRANCH_IND, 1, E, "to the byte offset a")                    \
    X(CALL, 0, E, "to imm") X(CALL_IND, 1, E, "to a") X(RET, 1, E, "to the byte offset a")                             \
    X(EXIT, 0, E, "the thread ends") X(TRAP, 0, E, "")                                                                 \
    X(RECONVERGE, 0, E, "BSSY BSYNC BREAK BMOV YIELD: no effect in one thread; imm: enum uop_reconverge")              \
    X(NOP, 0, E, "") X(MISC, 0, E, "another effect without a result; imm unused")
/* clang-format on */

enum uop_kind {
#define UOP_ENUM(name, args, class, text) UOP_##name,
    UOP_KINDS(UOP_ENUM)
#undef UOP_ENUM
        UOP_KIND_COUNT,
    UOP_GRAPH_KINDS = 160, /* graph/ numbers its own node kinds (phi …) from here */
};

/* Of floats: rounded as `round` says, or near to it; of integers: towards zero. */
enum uop_math {
    UOP_MATH_DIV,
    UOP_MATH_DIV_NEAR,
    UOP_MATH_DIV_S,
    UOP_MATH_DIV_U,
    UOP_MATH_REM_S,
    UOP_MATH_REM_U,
};
enum uop_file { UOP_FILE_R, UOP_FILE_UR, UOP_FILE_P, UOP_FILE_UP, UOP_FILE_B, UOP_FILE_COUNT };
/* Behind the registers of B, not numbered by machines: what the last barrier with a reduction gave. */
enum { UOP_B_COUNT = 16, UOP_B_TRUTH, UOP_B_HIDDEN = UOP_B_COUNT };
enum uop_space { UOP_GLOBAL, UOP_SHARED, UOP_LOCAL, UOP_GENERIC, UOP_CONSTANT };
enum uop_order { /* of LOAD and STORE, in `order` */
                 UOP_WEAK,
                 UOP_READONLY /* .CONSTANT: the compiler vouches that nobody writes it */,
                 UOP_RELAXED_CTA,
                 UOP_RELAXED_GPU,
                 UOP_RELAXED_SYS /* volatile */,
                 UOP_MMIO,
};
enum uop_atom {
    UOP_ATOM_ADD,
    UOP_ATOM_MIN,
    UOP_ATOM_MAX,
    UOP_ATOM_INC,
    UOP_ATOM_DEC,
    UOP_ATOM_AND,
    UOP_ATOM_OR,
    UOP_ATOM_XOR,
    UOP_ATOM_EXCH,
    UOP_ATOM_CAS
};
enum uop_bar { UOP_BAR_SYNC, UOP_BAR_ARRIVE, UOP_BAR_RED_POPC, UOP_BAR_RED_AND, UOP_BAR_RED_OR };
enum uop_reconverge {
    UOP_BSSY,
    UOP_BSYNC,
    UOP_BREAK,
    UOP_BMOV,
    UOP_YIELD,
    UOP_WARPSYNC_ALL,
    UOP_APART,
    UOP_GUARD_OF_NEXT, /* a branch as it is written; what it jumps over has its condition as a guard */
};

/* RECONVERGE BSSY BSYNC BREAK BMOV: `reg` is the convergence barrier's number, `width` of BMOV which way it goes; of
 * APART the mask is the second argument, where there is one. What an OPAQUE is, in `space`: state of the warp that only
 * whoever runs all its lanes has. */
enum uop_bmov { UOP_BMOV_FROM = 1, UOP_BMOV_TO, UOP_BMOV_BETWEEN /* from the one in `order` */ };
enum uop_opaque {
    UOP_OPAQUE_OTHER,
    UOP_OPAQUE_MEETING, /* barrier `reg` */
};

/* Special registers by meaning, the same on every architecture. OTHER + n: hardware number n without a name here. */
enum uop_sreg {
    UOP_SR_TID_X,
    UOP_SR_TID_Y,
    UOP_SR_TID_Z,
    UOP_SR_CTAID_X,
    UOP_SR_CTAID_Y,
    UOP_SR_CTAID_Z,
    UOP_SR_NTID_X,
    UOP_SR_NTID_Y,
    UOP_SR_NTID_Z,
    UOP_SR_NCTAID_X,
    UOP_SR_NCTAID_Y,
    UOP_SR_NCTAID_Z,
    UOP_SR_LANEID,
    UOP_SR_EQMASK,
    UOP_SR_LTMASK,
    UOP_SR_LEMASK,
    UOP_SR_GTMASK,
    UOP_SR_GEMASK,
    UOP_SR_CLOCK_LO,
    UOP_SR_CLOCK_HI,
    UOP_SR_GLOBALTIMER_LO,
    UOP_SR_GLOBALTIMER_HI,
    UOP_SR_SMID,
    UOP_SR_CGA_CTAID,
    UOP_SR_CGA_SIZE,
    UOP_SR_SWINHI,
    UOP_SR_SMEMSZ,
    UOP_SR_STACK_END, /* where local memory for stacks ends */
    UOP_SR_ZERO /* SRZ */,
    UOP_SR_OTHER = 256,
};

enum { UOP_NONE = 0xffff, UOP_MAX_ARGS = 5 };

struct uop {
    uint8_t kind;  /* enum uop_kind */
    uint8_t type;  /* enum uop_type of the result; of float compares: the format compared (their result is B1) */
    uint8_t round; /* enum uop_round */
    uint8_t flags; /* enum uop_flag */
    uint8_t space; /* enum uop_space; CBANK: the bank */
    uint8_t order; /* enum uop_order */
    uint8_t width; /* LOAD STORE ATOM …: bytes a thread moves */
    uint8_t file;  /* READ WRITE: enum uop_file */
    uint16_t reg;  /* READ WRITE */
    uint16_t arg[UOP_MAX_ARGS]; /* indices of earlier uops of the list, or UOP_NONE */
    uint64_t imm;
};

struct uop_list {
    VEC(struct uop) ops;
    uint16_t guard; /* index of a B1 uop, UOP_NONE: always */
    bool unknown;   /* no meaning for this instruction: a single OPAQUE a destination, effects unknown */
    bool opaque;    /* some result is OPAQUE, operands and effects are known */
};

/* Computes a pure uop: `args[i]` the bits of its arguments, *result the bits of its result (right-aligned,
 * zero-extended). False for kinds that are not pure or not (yet) computed exactly (class E, and class A: approximations
 * of the hardware unit). Float operations follow IEEE 754 with the uop's rounding; a NaN result is 0x7fffffff (f32),
 * 0x7fff (f16, bf16) as the hardware makes it; f64 passes an operand's NaN on and makes 0xfff8000000000000 of an
 * invalid operation. */
bool uop_eval(const struct uop *op, const uint64_t *args, uint64_t *result);
/* The classes of the table: pure = a function of its arguments alone (P and A). */
struct uop_kind_row {
    unsigned char args;
    char class;
};
extern const struct uop_kind_row uop_kind_rows[UOP_KIND_COUNT];
extern const unsigned char uop_type_widths[UOP_TYPE_COUNT];
static inline bool uop_is_pure(enum uop_kind kind)
{
    return (unsigned)kind < UOP_KIND_COUNT && uop_kind_rows[kind].class != 'E';
}
/* Its first two arguments may change places. */
bool uop_commutes(enum uop_kind kind);
const char *uop_kind_text(enum uop_kind kind); /* "add", lower case */
static inline unsigned uop_kind_args(enum uop_kind kind)
{
    return (unsigned)kind < UOP_KIND_COUNT ? uop_kind_rows[kind].args : 0;
}
static inline unsigned uop_type_bits(enum uop_type type) /* 0 for VOID */
{
    return (unsigned)type < UOP_TYPE_COUNT ? uop_type_widths[type] : 0;
}
const char *uop_type_text(enum uop_type type); /* "b32" */
const char *uop_sreg_text(unsigned sreg);      /* "threadIdx.x"; "SR<n>" forms are made by the caller: NULL for OTHER */
const char *uop_atom_text(unsigned atom);      /* "add" */
const char *uop_space_text(unsigned space);    /* "global" */
const char *uop_order_text(unsigned order);    /* "readonly" */

/* One uop as text into `out`: "6 add.b64 %4 %5". */
size_t uop_print(const struct uop_list *list, size_t index, char *out, size_t size);

#endif
