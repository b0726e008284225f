/* Machine instruction to micro-operations: the table of opcodes, and the frame around the family functions.
 *
 * A row names the function that says what the opcode does (uop_<family>.c), the operands of a plain instance and
 * the formula uop_describe() prints. The frame reads the guard first, lets the family fill the list, and drops pure
 * uops that nothing uses; READs stay, register flow counts them. A form the family refuses becomes `unknown`.
 * requires: any isa_insn. gives: a list whose arguments stand before their users. */
#include "uop/uop_build.h"

#include <assert.h>

/* clang-format off */
#define LIFT_ROWS(X) \
    X(MOV, mov, "r,b", "copy", "d = a") \
    X(UMOV, mov, "u,i", "copy", "d = a") \
    X(S2R, s2r, "r,s", "special register", "d = special register") \
    X(S2UR, s2r, "u,s", "special register", "d = special register") \
    X(CS2R, cs2r, "r,s", "special register pair", \
      "d = special register, 64 bits (.32: 32); SRZ gives zero") \
    X(CS2UR, cs2r, "u,s", "special register pair", \
      "d = special register, 64 bits (.32: 32); SRZ gives zero") \
    X(SEL, sel, "r,a,b,p", "selection", "d = p ? a : b") \
    X(USEL, sel, "u,ua,ub,up", "selection", "d = p ? a : b") \
    X(FSEL, fsel, "r,a,b,p", "selection", "d = p ? a : b, bits moved as they are") \
    X(UFSEL, fsel, "u,ua,ub,up", "selection", "d = p ? a : b, bits moved as they are") \
    X(R2UR, r2ur, "u,a", "vector register to uniform register", "d = a, the same in every lane") \
    X(P2R, p2r, "r,PR,a,m", "predicates to register", "d = (a AND NOT mask) OR (predicates AND mask)") \
    X(R2P, r2p, "PR,a,m", "register to predicates", "predicate i = bit i of a, for each i in the mask") \
    X(PRMT, prmt, "r,a,i,c", "byte permutation", \
      "each byte of d is a byte of {c:a} chosen by a selector nibble") \
    X(UPRMT, prmt, "u,ua,i,uc", "byte permutation", \
      "each byte of d is a byte of {c:a} chosen by a selector nibble") \
    X(PLOP3, plop3, "P,T,p,p,p,t,t", "logic of three predicates", "d = table[a << 2 | b << 1 | c]") \
    X(UPLOP3, plop3, "UP,UT,up,up,up,t,t", "logic of three predicates", "d = table[a << 2 | b << 1 | c]") \
    X(IADD3, iadd3, "r,a,b,c", "integer addition of three", "d = a + b + c") \
    X(UIADD3, iadd3, "u,ua,ub,uc", "integer addition of three", "d = a + b + c") \
    X(IADD, iadd3, "r,a,b", "integer addition", "d = a + b") \
    X(VIADD, iadd3, "r,a,b", "integer addition", "d = a + b") \
    X(UVIADD, iadd3, "u,ua,ub", "integer addition", "d = a + b") \
    X(IMAD, imad, "r,a,b,c", "integer multiply and add", \
      "d = a * b + c (.WIDE: 64-bit product and sum; .HI: its high word)") \
    X(UIMAD, imad, "u,ua,ub,uc", "integer multiply and add", \
      "d = a * b + c (.WIDE: 64-bit product and sum; .HI: its high word)") \
    X(LEA, lea, "r,a,b,k", "shift and add", "d = (a << k) + b") \
    X(ULEA, lea, "u,ua,ub,k", "shift and add", "d = (a << k) + b") \
    X(LOP3, lop3_op, "r,a,b,c,t,N", "logic of three words", "d = table[a << 2 | b << 1 | c], bit by bit") \
    X(ULOP3, lop3_op, "u,ua,ub,uc,t,UN", "logic of three words", \
      "d = table[a << 2 | b << 1 | c], bit by bit") \
    X(SHF, shf, "r,a,k,c", "funnel shift", "d = a word of {c:a} shifted") \
    X(USHF, shf, "u,ua,k,uc", "funnel shift", "d = a word of {c:a} shifted") \
    X(ISETP, isetp, "P,T,a,b,T", "integer compare", "d = (a ? b) combined with the last predicate") \
    X(UISETP, isetp, "UP,UT,ua,ub,UT", "integer compare", "d = (a ? b) combined with the last predicate") \
    X(IABS, iabs, "r,a", "integer magnitude", "d = |a|") \
    X(UIABS, iabs, "u,ua", "integer magnitude", "d = |a|") \
    X(IMNMX, imnmx, "r,a,b,T", "integer minimum or maximum", "d = p ? min(a, b) : max(a, b)") \
    X(UIMNMX, imnmx, "u,ua,ub,UT", "integer minimum or maximum", "d = p ? min(a, b) : max(a, b)") \
    X(VIMNMX, imnmx, "r,a,b,T", "integer minimum or maximum", "d = p ? min(a, b) : max(a, b)") \
    X(UVIMNMX, imnmx, "u,ua,ub,UT", "integer minimum or maximum", "d = p ? min(a, b) : max(a, b)") \
    X(VIMNMX3, vimnmx3, "r,a,b,c,T", "integer minimum or maximum of three", \
      "d = p ? min(a, b, c) : max(a, b, c)") \
    X(VIADDMNMX, viaddmnmx, "r,a,b,c,T", "integer add, then minimum or maximum", \
      "d = p ? min(a + b, c) : max(a + b, c)") \
    X(POPC, popc, "r,a", "count of one bits", "d = number of ones in a") \
    X(UPOPC, popc, "u,ua", "count of one bits", "d = number of ones in a") \
    X(FLO, flo, "r,a", "find leading one", \
      "d = index of the highest one (signed: of the highest bit unlike the sign), -1 for none") \
    X(UFLO, flo, "u,ua", "find leading one", \
      "d = index of the highest one (signed: of the highest bit unlike the sign), -1 for none") \
    X(BREV, brev, "r,a", "bit reversal", "d = a with its bits in reverse order") \
    X(UBREV, brev, "u,ua", "bit reversal", "d = a with its bits in reverse order") \
    X(I2I, i2i, "r,a", "integer narrowing", "d = a clamped to the narrow type") \
    X(UI2I, i2i, "u,ua", "integer narrowing", "d = a clamped to the narrow type") \
    X(SGXT, sgxt, "r,a,k", "sign extension", "d = the low b bits of a, extended") \
    X(USGXT, sgxt, "u,ua,k", "sign extension", "d = the low b bits of a, extended") \
    X(BMSK, bmsk, "r,a,b", "bit mask", "d = b ones from bit a") \
    X(UBMSK, bmsk, "u,ua,ub", "bit mask", "d = b ones from bit a") \
    X(VABSDIFF, vabsdiff, "r,a,b,c", "sum of absolute differences", "d = |a - b| + c") \
    X(IDP, idp, "r,a,b,c", "dot product of bytes", "d = sum of products of the bytes of a and b, + c") \
    X(FADD, fadd_op, "r,a,b", "float addition", "d = a + b") \
    X(UFADD, fadd_op, "u,ua,ub", "float addition", "d = a + b") \
    X(FMUL, fmul_op, "r,a,b", "float multiplication", "d = a * b") \
    X(UFMUL, fmul_op, "u,ua,ub", "float multiplication", "d = a * b") \
    X(FFMA, ffma_op, "r,a,b,c", "fused multiply-add", "d = a * b + c, rounded once") \
    X(UFFMA, ffma_op, "u,ua,ub,uc", "fused multiply-add", "d = a * b + c, rounded once") \
    X(FADD2, packed_f32, "r,a,b", "two float additions", "each half: d = a + b") \
    X(FMUL2, packed_f32, "r,a,b", "two float multiplications", "each half: d = a * b") \
    X(FFMA2, packed_f32, "r,a,b,c", "two fused multiply-adds", "each half: d = a * b + c, rounded once") \
    X(FMNMX, fmnmx, "r,a,b,T", "float minimum or maximum", "d = p ? min(a, b) : max(a, b)") \
    X(UFMNMX, fmnmx, "u,ua,ub,UT", "float minimum or maximum", "d = p ? min(a, b) : max(a, b)") \
    X(FMNMX3, fmnmx3, "r,a,b,c,T", "float minimum or maximum of three", \
      "d = p ? min(a, b, c) : max(a, b, c)") \
    X(FSET, fset, "r,a,b,T", "float compare to a value", \
      "d = (a ? b) combined with the last predicate, as 1.0 or 0.0 (.BF) or all ones or 0") \
    X(UFSET, fset, "u,ua,ub,UT", "float compare to a value", \
      "d = (a ? b) combined with the last predicate, as 1.0 or 0.0 (.BF) or all ones or 0") \
    X(FSETP, fsetp, "P,T,a,b,T", "float compare", "d = (a ? b) combined with the last predicate") \
    X(UFSETP, fsetp, "UP,UT,ua,ub,UT", "float compare", "d = (a ? b) combined with the last predicate") \
    X(FCHK, fchk, "P,a,b", "division check", "d = a / b needs the slow path") \
    X(MUFU, mufu, "r,a", "special function unit", "d = an approximation of the function named") \
    X(DADD, dadd, "r,a,b", "double addition", "d = a + b") \
    X(DMUL, dmul, "r,a,b", "double multiplication", "d = a * b") \
    X(DFMA, dfma, "r,a,b,c", "double fused multiply-add", "d = a * b + c, rounded once") \
    X(DSETP, dsetp, "P,T,a,b,T", "double compare", "d = (a ? b) combined with the last predicate") \
    X(F2F, f2f, "r,a", "float conversion", "d = a in the first format, from the second") \
    X(UF2F, f2f, "u,ua", "float conversion", "d = a in the first format, from the second") \
    X(F2I, f2i, "r,a", "float to integer", "d = a rounded and clamped to the integer type") \
    X(UF2I, f2i, "u,ua", "float to integer", "d = a rounded and clamped to the integer type") \
    X(I2F, i2f, "r,a", "integer to float", "d = a, rounded") \
    X(UI2F, i2f, "u,ua", "integer to float", "d = a, rounded") \
    X(I2FP, i2f, "r,a", "integer to float", "d = a, rounded") \
    X(UI2FP, i2f, "u,ua", "integer to float", "d = a, rounded") \
    X(F2IP, f2ip, "r,rz,b,rz", "float to a packed byte", "d = b rounded and clamped to a byte") \
    X(FRND, frnd, "r,a", "rounding to an integral value", "d = a rounded to an integral float") \
    X(UFRND, frnd, "u,ua", "rounding to an integral value", "d = a rounded to an integral float") \
    X(F2FP, f2fp, "r,a,b", "two floats to packed halves", "d = {half(a) : half(b)}, a in the high half") \
    X(UF2FP, f2fp, "u,ua,ub", "two floats to packed halves", "d = {half(a) : half(b)}, a in the high half") \
    X(HADD2, hadd2, "r,a,b", "two half additions", "each half: d = a + b") \
    X(HMUL2, hmul2, "r,a,b", "two half multiplications", "each half: d = a * b") \
    X(HFMA2, hfma2, "r,a,b,c", "two half fused multiply-adds", "each half: d = a * b + c, rounded once") \
    X(HSETP2, hsetp2, "P,T,a,b,T", "two half compares", \
      "d = low halves compared, second d = high halves compared") \
    X(HSET2, hset2, "r,a,b,T", "two half compares to values", \
      "each half: d = (a ? b) as 1.0 or 0.0 (.BF) or all ones or 0") \
    X(HMNMX2, hmnmx2, "r,a,b,T", "two half minima or maxima", "each half: d = p ? min(a, b) : max(a, b)") \
    X(SHFL, shfl, "T,r,a,i,i", "shuffle between lanes", "d = a of the lane chosen by b under c") \
    X(VOTE, vote, "r,T,p", "vote of the warp", "d = mask of the lanes where p holds") \
    X(VOTEU, vote, "u,UT,p", "vote of the warp", "d = mask of the lanes where p holds") \
    X(MATCH, match, "r,a", "lanes with the same value", "d = mask of the lanes with this lane's a") \
    X(REDUX, redux, "u,a", "reduction over the warp", "d = the operation over a of all active lanes") \
    X(CREDUX, redux, "u,a", "reduction over the warp", "d = the operation over a of all active lanes") \
    X(ELECT, elect, "P,uz", "one lane of the warp", "d = true in one active lane") \
    X(BAR, bar, "i", "barrier of the block", "wait until the block's threads have come here") \
    X(WARPSYNC, warpsync, "i", "meeting of the warp", "wait until the lanes of the mask have come here") \
    X(BSSY, bssy, "B,L", "open a convergence region", \
      "lanes that part from here meet again at the matching BSYNC") \
    X(BSYNC, bsync, "B", "close a convergence region", "wait for the lanes of the region") \
    X(BREAK, breakb, "B", "leave a convergence region", "these lanes are not waited for") \
    X(BMOV, bmov, "rz,B", "state of a convergence barrier", "a copy, for lanes only") \
    X(YIELD, yield, "", "scheduling hint", "no effect on values") \
    X(ENDCOLLECTIVE, yield, "", "end of what lanes do together", "no effect on values") \
    X(BRA, bra, "L", "branch", "go on at the target") \
    X(BRX, brx, "a,j", "indirect branch", "go on at the address in the register pair") \
    X(BRXU, brx, "ua,j", "indirect branch", "go on at the address in the register pair") \
    X(JMP, jump, "L", "jump to an address", "go on at an address of the loaded program") \
    X(JMX, jump, "a,j", "jump to an address", "go on at an address of the loaded program") \
    X(JMXU, jump, "ua,j", "jump to an address", "go on at an address of the loaded program") \
    X(CALL, call, "L", "call", "go on at the target; the return address is in registers") \
    X(RET, ret, "a,L", "return", "go on at the address in the register pair") \
    X(EXIT, exit, "", "end of the thread", "the thread ends") \
    X(KILL, trap, "", "end of the thread", "the thread ends") \
    X(BPT, trap, "i", "breakpoint or trap", "stop the program (.TRAP) or tell the debugger") \
    X(NOP, nop, "", "no operation", "nothing") \
    X(NANOSLEEP, misc, "i", "pause", "wait about so many nanoseconds") \
    X(PMTRIG, misc, "i", "profiler trigger", "no effect on values") \
    X(PREEXIT, misc, "", "let the next grid start", "no effect on this thread's values") \
    X(DEPBAR, wait, "", "wait for outstanding accesses", "wait on a scoreboard") \
    X(LDGDEPBAR, wait, "", "close a group of asynchronous copies", "the copies so far are one group") \
    X(LDGSTS, copy, "m32,M", "asynchronous copy from global to shared memory", \
      "shared memory = global memory, some time before the wait that follows") \
    X(ACQBULK, wait, "", "wait for the previous grid", "wait until the grid before has finished") \
    X(MEMBAR, membar, "", "memory fence", "earlier accesses are visible before later ones") \
    X(ERRBAR, membar, "", "error barrier", "wait for memory errors to be known") \
    X(CGAERRBAR, membar, "", "error barrier of the cluster", "wait for memory errors to be known") \
    X(FENCE, membar, "", "proxy fence", "earlier accesses are visible to the other proxy") \
    X(CCTL, cctl, "", "cache control", "no effect on values") \
    X(CCTLL, cctl, "", "cache control", "no effect on values") \
    X(LDG, load, "r,M", "load from global memory", "d = memory at the address") \
    X(LD, load, "r,M", "load from generic memory", "d = memory at the address") \
    X(LDL, load, "r,m32", "load from local memory", "d = memory at the address") \
    X(LDS, load, "r,m32", "load from shared memory", "d = memory at the address") \
    X(STG, store, "M,a", "store to global memory", "memory at the address = a") \
    X(ST, store, "M,a", "store to generic memory", "memory at the address = a") \
    X(STL, store, "m32,a", "store to local memory", "memory at the address = a") \
    X(STS, store, "m32,a", "store to shared memory", "memory at the address = a") \
    X(LDC, ldc, "r,C", "load from a constant bank", "d = constant bank at the offset") \
    X(ULDC, ldc, "u,C", "load from a constant bank", "d = constant bank at the offset") \
    X(LDCU, ldc, "u,C", "load from a constant bank", "d = constant bank at the offset") \
    X(QSPC, qspc, "P,rz,M", "space of a generic address", "p = the address lies in that space") \
    X(ATOM, atom, "T,r,M,a", "atomic operation on generic memory", \
      "d = old value; memory = the operation on it and a") \
    X(ATOMG, atom, "T,r,M,a", "atomic operation on global memory", \
      "d = old value; memory = the operation on it and a") \
    X(ATOMS, atom, "r,m32,a", "atomic operation on shared memory", \
      "d = old value; memory = the operation on it and a") \
    X(RED, red, "M,a", "atomic operation without a result", "memory = the operation on it and a") \
    X(REDG, red, "M,a", "atomic operation without a result", "memory = the operation on it and a") \
    X(LEPC, opaque_result, "r", "address of this place", "d = the program counter's address") \
    X(B2R, b2r, "r", "result of a barrier", "d = what the barrier's reduction gave") \
    X(HMMA, tensor, "r,a,b,c", "matrix multiply-add, floats", "no meaning in this build") \
    X(IMMA, tensor, "r,a,b,c", "matrix multiply-add, integers", "no meaning in this build") \
    X(BMMA, tensor, "r,a,b,c", "matrix multiply-add, bits", "no meaning in this build") \
    X(DMMA, tensor, "r,a,b,c", "matrix multiply-add, doubles", "no meaning in this build") \
    X(QMMA, tensor, "r,a,b,c", "matrix multiply-add, fp8", "no meaning in this build") \
    X(LDSM, tensor, "r,m32", "matrix load from shared memory", "no meaning in this build")
/* clang-format on */

static const struct lift_row rows[] = {
#define LIFT_ROW(op, function, shape, title, formula) {ISA_OP_##op, lift_##function, shape, title, formula},
    LIFT_ROWS(LIFT_ROW)
#undef LIFT_ROW
};

const struct lift_row *lift_find(unsigned op)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op)
            return &rows[i];
    return NULL;
}

static void read_guard(struct lift *l)
{
    if (l->insn->guard == ISA_PT && !l->insn->guard_not)
        return;
    uop_ref p = lift_read(l, l->insn->guard_uniform ? UOP_FILE_UP : UOP_FILE_P, l->insn->guard);
    l->make.list->guard = l->insn->guard_not ? lift_not(l, UOP_B1, p) : p;
}

static void restart(struct lift *l)
{
    l->make.list->ops.n = 0;
    l->make.list->guard = UOP_NONE;
    l->make.list->opaque = false;
    read_guard(l);
}

enum sp_status uop_lift(const struct uop_lift_context *context, const struct isa_insn *insn, struct uop_list *list)
{
    struct lift l = {.make = {.a = context->a, .list = list}, .sm = context->sm, .insn = insn};
    *list = (struct uop_list){.guard = UOP_NONE};
    if (insn->op == ISA_OP_UNKNOWN) {
        list->unknown = true;
        return SP_ERR_ENCODING;
    }
    restart(&l);
    const struct lift_row *row = lift_find(insn->op);
    if (row)
        row->lift(&l);
    if (!row || l.make.refused) {
        restart(&l);
        lift_unknown(&l);
    }
    uop_make_finish(&l.make);
    if (l.make.no_memory)
        return SP_ERR_MEMORY;
    return list->unknown ? SP_ERR_UNSUPPORTED : SP_OK;
}
