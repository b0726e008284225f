/* Building one instruction's list, private to the room: operands to values, values to uops, results to writes.
 *
 * Constants fold while they are built (uop_eval), equal reads are one READ, and uop_lift() drops pure uops nobody
 * uses, so that a list holds what the instruction does and nothing of how it was spelled. */
#ifndef SP_UOP_BUILD_H
#define SP_UOP_BUILD_H

#include "uop/uop_lift.h"
#include "uop/uop_make.h"

struct lift {
    struct uop_maker make; /* refused: the result becomes `unknown` */
    unsigned sm;
    const struct isa_insn *insn;
};

/* A family function fills the list; lift_refuse() when it meets a form it cannot tell exactly. */
typedef void (*lift_fn)(struct lift *l);

void lift_refuse(struct lift *l);
uop_ref lift_bool_op(struct lift *l, uop_ref a,
                     uop_ref b); /* by the modifiers AND OR XOR of the instruction; AND without */

/* ---- uops: see uop_make.h ---- */
static inline uop_ref lift_emit(struct lift *l, struct uop op)
{
    return uop_make_emit(&l->make, op);
}

static inline uop_ref lift_const(struct lift *l, enum uop_type type, uint64_t bits)
{
    return uop_make_const(&l->make, type, bits);
}

static inline uop_ref lift_op(struct lift *l, enum uop_kind kind, enum uop_type type, uop_ref a, uop_ref b, uop_ref c)
{
    return uop_make_op(&l->make, kind, type, a, b, c);
}

static inline uop_ref lift_imm(struct lift *l, enum uop_kind kind, enum uop_type type, uint64_t imm, uop_ref a,
                               uop_ref b, uop_ref c)
{
    return uop_make_imm(&l->make, kind, type, imm, a, b, c);
}

static inline uop_ref lift_full(struct lift *l, struct uop op, uop_ref a, uop_ref b, uop_ref c)
{
    return uop_make_full(&l->make, op, a, b, c);
}

static inline bool lift_is_const(const struct lift *l, uop_ref v, uint64_t *bits)
{
    return uop_make_is_const(&l->make, v, bits);
}

static inline bool lift_equals(const struct lift *l, uop_ref v, uint64_t bits)
{
    return uop_make_equals(&l->make, v, bits);
}

static inline uop_ref lift_not(struct lift *l, enum uop_type type, uop_ref a)
{
    return uop_make_not(&l->make, type, a);
}

static inline uop_ref lift_add(struct lift *l, enum uop_type type, uop_ref a, uop_ref b)
{
    return uop_make_add(&l->make, type, a, b);
}

static inline uop_ref lift_and(struct lift *l, enum uop_type type, uop_ref a, uop_ref b)
{
    return uop_make_and(&l->make, type, a, b);
}

static inline uop_ref lift_or(struct lift *l, enum uop_type type, uop_ref a, uop_ref b)
{
    return uop_make_or(&l->make, type, a, b);
}

static inline uop_ref lift_xor(struct lift *l, enum uop_type type, uop_ref a, uop_ref b)
{
    return uop_make_xor(&l->make, type, a, b);
}

static inline uop_ref lift_lop3(struct lift *l, enum uop_type type, uop_ref a, uop_ref b, uop_ref c, unsigned table)
{
    return uop_make_lop3(&l->make, type, a, b, c, table);
}

static inline uop_ref lift_select(struct lift *l, enum uop_type type, uop_ref p, uop_ref yes, uop_ref no)
{
    return uop_make_select(&l->make, type, p, yes, no);
}

static inline uop_ref lift_pair(struct lift *l, uop_ref low, uop_ref high)
{
    return uop_make_pair(&l->make, low, high);
}

static inline uop_ref lift_lo(struct lift *l, uop_ref v)
{
    return uop_make_lo(&l->make, v);
}

static inline uop_ref lift_hi(struct lift *l, uop_ref v)
{
    return uop_make_hi(&l->make, v);
}

static inline uop_ref lift_fadd(struct lift *l, enum uop_type type, unsigned round, unsigned flags, uop_ref a,
                                uop_ref b)
{
    return uop_make_fadd(&l->make, type, round, flags, a, b);
}

static inline uop_ref lift_fmul(struct lift *l, enum uop_type type, unsigned round, unsigned flags, uop_ref a,
                                uop_ref b)
{
    return uop_make_fmul(&l->make, type, round, flags, a, b);
}

static inline uop_ref lift_ffma(struct lift *l, enum uop_type type, unsigned round, unsigned flags, uop_ref a,
                                uop_ref b, uop_ref c)
{
    return uop_make_ffma(&l->make, type, round, flags, a, b, c);
}

/* ---- operands ---- */
unsigned lift_count(const struct lift *l);
const struct isa_operand *lift_operand(const struct lift *l, unsigned i); /* NULL beyond the last */
bool lift_is_pred(const struct lift *l, unsigned i);
bool lift_is_reg(const struct lift *l, unsigned i); /* R or UR */
bool lift_mod(const struct lift *l, enum isa_mod mod);
/* True when every modifier of the instruction is in `allowed`, a list closed by ISA_MOD_NONE. */
bool lift_only_mods(const struct lift *l, const enum isa_mod *allowed);
uop_ref lift_read(struct lift *l, enum uop_file file, unsigned reg);
/* Sources. Modifiers of the operand (- | | ~ !, byte and half selection) are applied as integers or floats. */
uop_ref lift_src(struct lift *l, unsigned i);    /* B32 integer */
uop_ref lift_src64(struct lift *l, unsigned i);  /* B64 integer: a pair, a wide constant or an immediate */
uop_ref lift_fsrc(struct lift *l, unsigned i);   /* F32 */
uop_ref lift_fsrc64(struct lift *l, unsigned i); /* F64 */
uop_ref lift_raw(struct lift *l, const struct isa_operand *o, bool wide); /* bits without modifiers */
/* The register added to a constant's offset, c[0x0][R2+0x160] or c[0x0][UR4+0x160], or UOP_NONE. */
uop_ref lift_bank_index(struct lift *l, const struct isa_operand *o);
uop_ref lift_pred(struct lift *l, unsigned i); /* B1, negation applied */
/* Results, in printing order; RZ and PT are left out. */
void lift_write(struct lift *l, unsigned i, uop_ref v);                     /* R, UR: B32; P, UP: B1 */
void lift_write64(struct lift *l, unsigned i, uop_ref v);                   /* a pair of R or UR */
void lift_write_word(struct lift *l, unsigned i, unsigned word, uop_ref v); /* register i + word of an R or UR group */
bool lift_written(const struct lift *l, unsigned i); /* operand i exists and is neither RZ nor PT */

/* ---- shared between families ---- */
enum uop_round lift_round(const struct lift *l);
unsigned lift_float_flags(const struct lift *l); /* FTZ SAT FMZ */
struct uop lift_float_uop(enum uop_kind kind, enum uop_type type, unsigned round,
                          unsigned flags); /* no arguments yet */
/* Refuses an instruction that has other modifiers than `mods` (ended by ISA_MOD_NONE) or another count of operands. */
void lift_expect(struct lift *l, const enum isa_mod *mods, unsigned count);
void lift_expect_count(struct lift *l, unsigned count);
/* Of an instruction without a meaning (uop_width.c): how many registers operand i spans, or its address, 0: not known;
 * how many of its first registers are results. */
unsigned lift_width(const struct lift *l, unsigned i);
unsigned lift_results(const struct lift *l);
/* Destinations of an instruction without meaning become OPAQUE, everything it reads is read. */
void lift_unknown(struct lift *l);

/* ---- the table: uop_lift.c ---- */
struct lift_row {
    uint16_t op; /* enum isa_op */
    lift_fn lift;
    const char *shape;   /* operands of a plain instance, for uop_describe(): see uop_describe.c */
    const char *title;   /* what it is, in a few words */
    const char *formula; /* what it computes, operands named as in `shape` */
};
const struct lift_row *lift_find(unsigned op);

/* clang-format off */
#define LIFT_DECLARE(name) void lift_##name(struct lift *l)
LIFT_DECLARE(fadd_op); LIFT_DECLARE(fmul_op); LIFT_DECLARE(ffma_op); LIFT_DECLARE(fmnmx);
LIFT_DECLARE(fmnmx3); LIFT_DECLARE(fsel); LIFT_DECLARE(fset); LIFT_DECLARE(fsetp); LIFT_DECLARE(fchk);
LIFT_DECLARE(mufu); LIFT_DECLARE(dadd); LIFT_DECLARE(dmul); LIFT_DECLARE(dfma); LIFT_DECLARE(dsetp);
LIFT_DECLARE(f2f); LIFT_DECLARE(f2i); LIFT_DECLARE(f2ip); LIFT_DECLARE(i2f); LIFT_DECLARE(frnd); LIFT_DECLARE(f2fp);
LIFT_DECLARE(hadd2); LIFT_DECLARE(hmul2); LIFT_DECLARE(hfma2); LIFT_DECLARE(hsetp2); LIFT_DECLARE(hset2);
LIFT_DECLARE(hmnmx2); LIFT_DECLARE(packed_f32); LIFT_DECLARE(mov); LIFT_DECLARE(sel); LIFT_DECLARE(prmt);
LIFT_DECLARE(plop3); LIFT_DECLARE(p2r); LIFT_DECLARE(r2p); LIFT_DECLARE(iadd3); LIFT_DECLARE(imad);
LIFT_DECLARE(lea); LIFT_DECLARE(lop3_op); LIFT_DECLARE(shf); LIFT_DECLARE(isetp); LIFT_DECLARE(iabs);
LIFT_DECLARE(imnmx); LIFT_DECLARE(vimnmx3); LIFT_DECLARE(viaddmnmx); LIFT_DECLARE(popc); LIFT_DECLARE(flo);
LIFT_DECLARE(brev); LIFT_DECLARE(i2i); LIFT_DECLARE(sgxt); LIFT_DECLARE(bmsk); LIFT_DECLARE(idp);
LIFT_DECLARE(vabsdiff);
LIFT_DECLARE(s2r); LIFT_DECLARE(cs2r); LIFT_DECLARE(r2ur); LIFT_DECLARE(load); LIFT_DECLARE(store);
LIFT_DECLARE(ldc); LIFT_DECLARE(atom); LIFT_DECLARE(qspc); LIFT_DECLARE(red); LIFT_DECLARE(membar); LIFT_DECLARE(cctl);
LIFT_DECLARE(copy);
LIFT_DECLARE(wait); LIFT_DECLARE(shfl); LIFT_DECLARE(vote); LIFT_DECLARE(match); LIFT_DECLARE(redux);
LIFT_DECLARE(elect); LIFT_DECLARE(bar); LIFT_DECLARE(b2r);
LIFT_DECLARE(warpsync); LIFT_DECLARE(bra); LIFT_DECLARE(call);
LIFT_DECLARE(ret); LIFT_DECLARE(brx); LIFT_DECLARE(jump); LIFT_DECLARE(exit); LIFT_DECLARE(trap); LIFT_DECLARE(bssy);
LIFT_DECLARE(bsync); LIFT_DECLARE(breakb); LIFT_DECLARE(bmov); LIFT_DECLARE(yield); LIFT_DECLARE(nop);
LIFT_DECLARE(misc); LIFT_DECLARE(opaque_result); LIFT_DECLARE(tensor);
#undef LIFT_DECLARE
/* clang-format on */

#endif
