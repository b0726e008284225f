/* Making a list of micro-operations, for whoever reads instructions: machine code (uop_build.h) and PTX (front/).
 *
 * Constants fold while they are made (uop_eval), equal constants are one CONST, and uop_make_finish() drops pure uops
 * nobody uses, so that a list holds what the instruction does and nothing of how it was spelled. */
#ifndef SP_UOP_MAKE_H
#define SP_UOP_MAKE_H

#include "uop/uop.h"

typedef uint16_t uop_ref; /* index in the list under construction, or UOP_NONE */

struct uop_maker {
    struct arena *a;
    struct uop_list *list;
    bool no_memory;
    bool refused; /* a form without an exact meaning, or a list that outgrew every instruction */
};

uop_ref uop_make_emit(struct uop_maker *m, struct uop op); /* as it is, without folding */
uop_ref uop_make_const(struct uop_maker *m, enum uop_type type, uint64_t bits);
/* Pure operations; folded when every argument is constant. _imm sets imm, _full everything. */
uop_ref uop_make_op(struct uop_maker *m, enum uop_kind kind, enum uop_type type, uop_ref a, uop_ref b, uop_ref c);
uop_ref uop_make_imm(struct uop_maker *m, enum uop_kind kind, enum uop_type type, uint64_t imm, uop_ref a, uop_ref b,
                     uop_ref c);
uop_ref uop_make_full(struct uop_maker *m, struct uop op, uop_ref a, uop_ref b, uop_ref c);
bool uop_make_is_const(const struct uop_maker *m, uop_ref v, uint64_t *bits);
bool uop_make_equals(const struct uop_maker *m, uop_ref v, uint64_t bits); /* v is the constant `bits` */

/* Sums and logic that leave neutral constants out. */
uop_ref uop_make_add(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b);
uop_ref uop_make_not(struct uop_maker *m, enum uop_type type, uop_ref a);
uop_ref uop_make_and(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b);
uop_ref uop_make_or(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b);
uop_ref uop_make_xor(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b);
uop_ref uop_make_lop3(struct uop_maker *m, enum uop_type type, uop_ref a, uop_ref b, uop_ref c, unsigned table);
uop_ref uop_make_select(struct uop_maker *m, enum uop_type type, uop_ref p, uop_ref yes, uop_ref no);
uop_ref uop_make_pair(struct uop_maker *m, uop_ref low, uop_ref high); /* B64 */
uop_ref uop_make_lo(struct uop_maker *m, uop_ref v);                   /* B32 of a B64 */
uop_ref uop_make_hi(struct uop_maker *m, uop_ref v);
uop_ref uop_make_fadd(struct uop_maker *m, enum uop_type type, unsigned round, unsigned flags, uop_ref a, uop_ref b);
uop_ref uop_make_fmul(struct uop_maker *m, enum uop_type type, unsigned round, unsigned flags, uop_ref a, uop_ref b);
uop_ref uop_make_ffma(struct uop_maker *m, enum uop_type type, unsigned round, unsigned flags, uop_ref a, uop_ref b,
                      uop_ref c);

/* Removes pure uops (and constants, bank reads, special registers) that no later uop and no guard uses. */
void uop_make_finish(struct uop_maker *m);

#endif
