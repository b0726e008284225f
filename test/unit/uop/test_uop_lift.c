/* Instructions to micro-operations, text to text: each row is an instruction as the disassembler prints it and the
 * list it becomes. The structure comes from uop_parse_spelling(), so that no encoding table stands between. */
#include "uop/uop_lift.h"
#include "uop/uop_spelling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static void list_text(const struct uop_list *list, char *out, size_t size)
{
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; i < list->ops.n && n < size; i++) {
        char line[256];
        uop_print(list, i, line, sizeof line);
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "; " : "", line);
    }
    if (list->guard != UOP_NONE && n < size)
        n += (size_t)snprintf(out + n, size - n, "; guard %%%u", list->guard);
    if (list->opaque && n < size)
        snprintf(out + n, size - n, "; %s", list->unknown ? "unknown" : "opaque");
}

struct row {
    const char *text, *expected;
};

static void check_rows(unsigned sm, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct arena a;
        struct isa_insn insn;
        struct uop_list list;
        const char *bad;
        char got[4096];
        arena_init(&a, 0);
        struct uop_lift_context context = {.sm = sm, .a = &a};
        if (!uop_parse_spelling(sm, rows[i].text, 0x100, &insn, &bad))
            fail_msg("%s: not read from \"%s\"", rows[i].text, bad);
        enum sp_status status = uop_lift(&context, &insn, &list);
        assert_int_equal(status, list.unknown ? SP_ERR_UNSUPPORTED : SP_OK);
        list_text(&list, got, sizeof got);
        if (strcmp(got, rows[i].expected) != 0)
            fail_msg("%s\n  gives    %s\n  expected %s", rows[i].text, got, rows[i].expected);
        arena_free(&a);
    }
}

#define CHECK(sm, rows) check_rows(sm, rows, sizeof(rows) / sizeof *(rows))

static void copies_and_constants(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"MOV R1, c[0x0][0x28]", "0 cbank.b32 [0][0x28]; 1 write R1 %0"},
        {"IMAD.MOV.U32 R2, RZ, RZ, R5", "0 read.b32 R5; 1 write R2 %0"},
        {"IMAD.MOV.U32 R2, RZ, RZ, -0x800001", "0 const.b32 0xff7fffff; 1 write R2 %0"},
        {"IMAD.U32 R3, RZ, RZ, UR4", "0 read.b32 UR4; 1 write R3 %0"},
        {"HFMA2.MMA R5, -RZ, RZ, 0, 2.384185791015625e-07", "0 const.b32 0x4; 1 write R5 %0"},
        {"HFMA2 R5, -RZ, RZ, 1.875, 0", "0 const.b32 0x3f800000; 1 write R5 %0"},
        {"HFMA2 R5, -RZ, RZ, 0, -0.0", "0 const.b32 0x8000; 1 write R5 %0"},
        {"CS2R R2, SRZ", "0 const.b32 0x0; 1 write R2 %0; 2 write R3 %0"},
        {"CS2R.32 R2, SRZ", "0 const.b32 0x0; 1 write R2 %0"},
        {"CS2R R4, SR_CLOCKLO", "0 sreg.b32 clock; 1 write R4 %0; 2 sreg.b32 clockHi; 3 write R5 %2"},
        {"S2R R0, SR_CTAID.X", "0 sreg.b32 blockIdx.x; 1 write R0 %0"},
        {"S2UR UR4, SR_TID.Z", "0 sreg.b32 threadIdx.z; 1 write UR4 %0"},
        {"MOV RZ, R5", "0 read.b32 R5"},
        {"MOV.64 R2, R4", "0 read.b32 R4; 1 read.b32 R5; 2 write R2 %0; 3 write R3 %1"},
        {"R2UR UR4, R10", "0 read.b32 R10; 1 uniform.b32 %0; 2 write UR4 %1"},
        {"IADD3 R4, R5, RZ, RZ", "0 read.b32 R5; 1 write R4 %0"},
        {"FADD R7, -R2, -RZ", "0 read.b32 R2; 1 fneg.f32 %0; 2 const.f32 0x80000000; 3 fadd.f32 %1 %2; 4 write R7 %3"},
        {"FADD R7, |R2|, -RZ", "0 read.b32 R2; 1 fabs.f32 %0; 2 const.f32 0x80000000; 3 fadd.f32 %1 %2; 4 write R7 %3"},
        /* ... but not where the addition does something: flushing, rounding down. */
        {"FADD.FTZ R7, |R2|, -RZ",
         "0 read.b32 R2; 1 fabs.f32 %0; 2 const.f32 0x80000000; 3 fadd.ftz.f32 %1 %2; 4 write R7 %3"},
        {"FADD.RM R7, R2, -RZ", "0 read.b32 R2; 1 const.f32 0x80000000; 2 fadd.rm.f32 %0 %1; 3 write R7 %2"},
    };
    CHECK(86, rows);
}

static void integer_arithmetic(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"IMAD R4, R4, c[0x0][0x0], R3",
         "0 read.b32 R4; 1 cbank.b32 [0][0x0]; 2 read.b32 R3; 3 mul.b32 %0 %1; 4 add.b32 %3 %2; 5 write R4 %4"},
        {"IMAD R4, R5, 0x8, RZ", "0 read.b32 R5; 1 const.b32 0x3; 2 shl.b32 %0 %1; 3 write R4 %2"},
        {"IMAD R4, R5, 0x1, R7", "0 read.b32 R5; 1 read.b32 R7; 2 add.b32 %0 %1; 3 write R4 %2"},
        {"IMAD.WIDE R2, R4, R5, c[0x0][0x160]", "0 read.b32 R4; 1 read.b32 R5; 2 cbank.b64 [0][0x160]; 3 sext.b64 #32 "
                                                "%0; 4 sext.b64 #32 %1; 5 mul.b64 %3 %4; 6 add.b64 %5 %2; "
                                                "7 lo.b32 %6; 8 write R2 %7; 9 hi.b32 %6; 10 write R3 %9"},
        {"IMAD.WIDE.U32 R2, R4, 0x4, RZ", "0 read.b32 R4; 1 zext.b64 #32 %0; 2 const.b64 0x4; 3 mul.b64 %1 %2; 4 "
                                          "lo.b32 %3; 5 write R2 %4; 6 hi.b32 %3; 7 write R3 %6"},
        {"IMAD.HI.U32 R2, R4, R5, RZ", "0 read.b32 R4; 1 read.b32 R5; 2 zext.b64 #32 %0; 3 zext.b64 #32 %1; 4 mul.b64 "
                                       "%2 %3; 5 hi.b32 %4; 6 write R2 %5"},
        {"IMAD.X R3, RZ, RZ, R5, P0",
         "0 read.b1 P0; 1 const.b32 0x0; 2 read.b32 R5; 3 addc.b32 %2 %1 %0; 4 write R3 %3"},
        {"IADD3 R8, -R7, c[0x0][0x174], RZ",
         "0 read.b32 R7; 1 neg.b32 %0; 2 cbank.b32 [0][0x174]; 3 add.b32 %2 %1; 4 write R8 %3"},
        {"IADD3 R2, P3, R2, 0x40, RZ", "0 const.b1 0x0; 1 read.b32 R2; 2 const.b32 0x40; 3 carry.b1 #32 %1 %2 %0; 4 "
                                       "add.b32 %1 %2; 5 write R2 %4; 6 write P3 %3"},
        {"IADD3 R2, P0, R4, -R6, RZ", "0 read.b32 R4; 1 read.b32 R6; 2 neg.b32 %1; 3 not.b32 %1; 4 const.b1 0x1; 5 "
                                      "carry.b1 #32 %0 %3 %4; 6 add.b32 %0 %2; 7 write R2 %6; 8 write P0 %5"},
        {"IADD3.X R3, R5, ~R7, RZ, P0, !PT",
         "0 read.b1 P0; 1 read.b32 R5; 2 read.b32 R7; 3 not.b32 %2; 4 addc.b32 %1 %3 %0; 5 write R3 %4"},
        {"IADD3 R2, P0, P1, R4, R5, R6",
         "0 const.b1 0x0; 1 read.b32 R4; 2 read.b32 R5; 3 read.b32 R6; 4 carry.b1 #32 %1 %2 %0; 5 add.b32 %1 %2; 6 "
         "carry.b1 #32 %5 %3 %0; "
         "7 add.b32 %5 %3; 8 write R2 %7; 9 or.b1 %4 %6; 10 write P0 %9; 11 and.b1 %4 %6; 12 write P1 %11"},
        {"LEA R2, P0, R3, c[0x0][0x160], 0x2", "0 const.b1 0x0; 1 read.b32 R3; 2 cbank.b32 [0][0x160]; 3 const.b32 "
                                               "0x2; 4 shl.b32 %1 %3; 5 carry.b1 #32 %4 %2 %0; 6 write P0 %5; "
                                               "7 add.b32 %4 %2; 8 write R2 %7"},
        {"LEA.HI.X R3, R4, c[0x0][0x164], R5, 0x2, P0",
         "0 read.b1 P0; 1 read.b32 R4; 2 cbank.b32 [0][0x164]; 3 const.b32 0x2; 4 read.b32 R5; 5 pair.b64 %1 %4; 6 "
         "shl.b64 %5 %3; 7 hi.b32 %6; "
         "8 addc.b32 %7 %2 %0; 9 write R3 %8"},
        {"LEA.HI.SX32 R2, R4, R5, 0x1e",
         "0 read.b32 R4; 1 read.b32 R5; 2 const.b32 0x2; 3 sar.b32 %0 %2; 4 add.b32 %3 %1; 5 write R2 %4"},
        {"LEA.HI R2, R4, R5, RZ, 0x1",
         "0 read.b32 R4; 1 read.b32 R5; 2 const.b32 0x1f; 3 shr.b32 %0 %2; 4 add.b32 %3 %1; 5 write R2 %4"},
        {"SHF.R.S32.HI R9, RZ, 0x1f, R8", "0 const.b32 0x1f; 1 read.b32 R8; 2 sar.b32 %1 %0; 3 write R9 %2"},
        {"SHF.L.U64.HI R0, R2, 0x2, R3", "0 read.b32 R2; 1 const.b32 0x2; 2 read.b32 R3; 3 pair.b64 %0 %2; 4 shl.b64 "
                                         "%3 %1; 5 hi.b32 %4; 6 write R0 %5"},
        {"SHF.L.W.U32.HI R0, R2, 0x7, R2",
         "0 read.b32 R2; 1 const.b32 0x7; 2 pair.b64 %0 %0; 3 shl.b64 %2 %1; 4 hi.b32 %3; 5 write R0 %4"},
        {"IADD.64 R4, R2, UR8", "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 read.b32 UR8; 4 read.b32 UR9; 5 "
                                "pair.b64 %3 %4; 6 add.b64 %2 %5; 7 lo.b32 %6; "
                                "8 write R4 %7; 9 hi.b32 %6; 10 write R5 %9"},
        {"PRMT R2, R4, 0x5410, R5",
         "0 read.b32 R4; 1 read.b32 R5; 2 lo.b16 %0; 3 lo.b16 %1; 4 pair.b32 %2 %3; 5 write R2 %4"},
        {"PRMT R2, R4, 0x123, RZ",
         "0 read.b32 R4; 1 const.b32 0x123; 2 const.b32 0x0; 3 prmt.b32 %0 %1 %2; 4 write R2 %3"},
        {"VIMNMX R7, PT, PT, RZ, R2, !PT", "0 const.b32 0x0; 1 read.b32 R2; 2 max_s.b32 %0 %1; 3 write R7 %2"},
        {"FLO.U32.SH R2, R3", "0 read.b32 R3; 1 flo.b32 #1 %0; 2 write R2 %1"},
    };
    CHECK(120, rows);
}

static void logic(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"LOP3.LUT R7, R6, 0x3, RZ, 0xc0, !PT", "0 read.b32 R6; 1 const.b32 0x3; 2 and.b32 %0 %1; 3 write R7 %2"},
        {"LOP3.LUT R7, RZ, R6, RZ, 0x33, !PT", "0 read.b32 R6; 1 not.b32 %0; 2 write R7 %1"},
        {"LOP3.LUT R7, R4, R5, R6, 0x96, !PT",
         "0 read.b32 R4; 1 read.b32 R5; 2 read.b32 R6; 3 xor.b32 %0 %1; 4 xor.b32 %3 %2; 5 write R7 %4"},
        {"LOP3.LUT R7, R4, R5, R6, 0xb8, !PT",
         "0 read.b32 R4; 1 read.b32 R5; 2 read.b32 R6; 3 lop3.b32 #0xb8 %0 %1 %2; 4 write R7 %3"},
        {"LOP3.LUT R7, R4, R5, RZ, 0x30, !PT",
         "0 read.b32 R4; 1 read.b32 R5; 2 not.b32 %1; 3 and.b32 %0 %2; 4 write R7 %3"},
        {"LOP3.LUT P0, RZ, R4, 0x1, RZ, 0xc0, !PT", "0 read.b32 R4; 1 const.b32 0x1; 2 const.b32 0x0; 3 and.b32 %0 %1; "
                                                    "4 ieq.b1 #32 %3 %2; 5 not.b1 %4; 6 write P0 %5"},
        {"PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0", "0 const.b1 0x1; 1 write P0 %0"},
        {"PLOP3.LUT P0, PT, P0, PT, PT, 0x8, 0x80", "0 read.b1 P0; 1 not.b1 %0; 2 write P0 %1"},
        {"PLOP3.LUT P0, PT, P1, P2, PT, 0x2f, 0xf2",
         "0 read.b1 P1; 1 read.b1 P2; 2 and.b1 %0 %1; 3 not.b1 %2; 4 write P0 %3"},
        {"PLOP3.LUT P0, PT, P1, P2, PT, 0x2a, 0x0",
         "0 read.b1 P1; 1 read.b1 P2; 2 and.b1 %0 %1; 3 not.b1 %2; 4 write P0 %3"},
        {"PLOP3.LUT P0, P3, P1, P2, PT, 0xa8, 0xf2",
         "0 read.b1 P1; 1 read.b1 P2; 2 or.b1 %0 %1; 3 write P0 %2; 4 not.b1 %1; 5 or.b1 %0 %4; 6 write P3 %5"},
        {"R2P PR, R0, 0x2", "0 read.b32 R0; 1 const.b32 0x2; 2 and.b32 %0 %1; 3 const.b32 0x0; 4 ieq.b1 #32 %2 %3; 5 "
                            "not.b1 %4; 6 write P1 %5"},
        {"P2R R3, PR, RZ, 0x4", "0 const.b32 0x0; 1 read.b1 P2; 2 const.b32 0x4; 3 select.b32 %1 %2 %0; 4 write R3 %3"},
    };
    CHECK(86, rows);
}

static void compares_with_their_unordered_meaning(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"FSETP.LT.AND P0, PT, R2, R3, PT", "0 read.b32 R2; 1 read.b32 R3; 2 flt.f32 %0 %1; 3 write P0 %2"},
        {"FSETP.GEU.FTZ.AND P0, PT, R2, R3, PT",
         "0 read.b32 R2; 1 read.b32 R3; 2 flt.ftz.f32 %0 %1; 3 not.b1 %2; 4 write P0 %3"},
        {"FSETP.GT.AND P0, PT, R2, R3, PT", "0 read.b32 R2; 1 read.b32 R3; 2 flt.f32 %1 %0; 3 write P0 %2"},
        {"FSETP.GE.AND P0, PT, R2, R3, PT", "0 read.b32 R2; 1 read.b32 R3; 2 fle.f32 %1 %0; 3 write P0 %2"},
        {"FSETP.LEU.AND P0, PT, R2, R3, PT",
         "0 read.b32 R2; 1 read.b32 R3; 2 flt.f32 %1 %0; 3 not.b1 %2; 4 write P0 %3"},
        {"FSETP.LTU.AND P0, PT, R2, R3, PT",
         "0 read.b32 R2; 1 read.b32 R3; 2 fle.f32 %1 %0; 3 not.b1 %2; 4 write P0 %3"},
        {"FSETP.GTU.AND P0, PT, R2, R3, PT",
         "0 read.b32 R2; 1 read.b32 R3; 2 fle.f32 %0 %1; 3 not.b1 %2; 4 write P0 %3"},
        {"FSETP.NEU.AND P0, PT, R2, R3, PT",
         "0 read.b32 R2; 1 read.b32 R3; 2 feq.f32 %0 %1; 3 not.b1 %2; 4 write P0 %3"},
        {"FSETP.NE.AND P0, PT, R2, R3, PT", "0 read.b32 R2; 1 read.b32 R3; 2 fne.f32 %0 %1; 3 write P0 %2"},
        {"FSETP.EQU.AND P0, PT, R2, R3, PT",
         "0 read.b32 R2; 1 read.b32 R3; 2 fne.f32 %0 %1; 3 not.b1 %2; 4 write P0 %3"},
        {"FSETP.NAN.AND P0, PT, |R2|, |R2|, PT",
         "0 read.b32 R2; 1 fabs.f32 %0; 2 fabs.f32 %0; 3 fnum.f32 %1 %2; 4 not.b1 %3; 5 write P0 %4"},
        {"FSETP.LT.OR P0, P1, R2, 1.5, !P2", "0 read.b32 R2; 1 const.b32 0x3fc00000; 2 flt.f32 %0 %1; 3 read.b1 P2; 4 "
                                             "not.b1 %3; 5 or.b1 %2 %4; 6 write P0 %5; 7 not.b1 %2; 8 or.b1 %7 %4; "
                                             "9 write P1 %8"},
        {"ISETP.GE.AND P0, PT, R4, c[0x0][0x170], PT",
         "0 read.b32 R4; 1 cbank.b32 [0][0x170]; 2 ilt_s.b1 #32 %0 %1; 3 not.b1 %2; 4 write P0 %3"},
        {"ISETP.GT.U32.AND P0, PT, R4, 0x3, PT", "0 read.b32 R4; 1 const.b32 0x3; 2 ilt_u.b1 #32 %1 %0; 3 write P0 %2"},
        {"ISETP.NE.OR P0, PT, R8, RZ, P0",
         "0 read.b32 R8; 1 const.b32 0x0; 2 ieq.b1 #32 %0 %1; 3 not.b1 %2; 4 read.b1 P0; 5 or.b1 %3 %4; 6 write P0 %5"},
        {"ISETP.GE.AND.EX P0, PT, R3, UR7, PT, P0", "0 read.b32 R3; 1 read.b32 UR7; 2 ieq.b1 #32 %0 %1; 3 ilt_s.b1 #32 "
                                                    "%1 %0; 4 read.b1 P0; 5 select.b1 %2 %4 %3; 6 write P0 %5"},
        {"ISETP.GE.U64.AND P0, PT, R2, UR6, PT",
         "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 read.b32 UR6; 4 read.b32 UR7; 5 pair.b64 %3 %4; 6 ilt_u.b1 "
         "#64 %2 %5; 7 not.b1 %6; 8 write P0 %7"},
        {"FSET.BF.GT.AND R2, R3, RZ, PT", "0 read.b32 R3; 1 const.b32 0x0; 2 flt.f32 %1 %0; 3 const.b32 0x3f800000; 4 "
                                          "select.b32 %2 %3 %1; 5 write R2 %4"},
    };
    CHECK(86, rows);
}

static void swapped_compares_say_so_for_printing_only(void **state)
{
    (void)state;
    struct arena a;
    struct isa_insn insn;
    struct uop_list list;
    const char *bad;
    arena_init(&a, 0);
    struct uop_lift_context context = {.sm = 86, .a = &a};
    assert_true(uop_parse_spelling(86, "FSETP.GT.AND P0, PT, R2, R3, PT", 0, &insn, &bad));
    assert_int_equal(uop_lift(&context, &insn, &list), SP_OK);
    assert_int_equal(list.ops.p[2].kind, UOP_FLT);
    assert_true(list.ops.p[2].flags & UOP_SWAPPED);
    arena_free(&a);
}

static void floats(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"FFMA.FTZ R11, R2, R5, -R7",
         "0 read.b32 R2; 1 read.b32 R5; 2 read.b32 R7; 3 fneg.f32 %2; 4 ffma.ftz.f32 %0 %1 %3; 5 write R11 %4"},
        {"FFMA R11, R2, R5, -RZ", "0 read.b32 R2; 1 read.b32 R5; 2 fmul.f32 %0 %1; 3 write R11 %2"},
        {"FFMA R11, R2, R5, RZ", "0 read.b32 R2; 1 read.b32 R5; 2 const.b32 0x0; 3 ffma.f32 %0 %1 %2; 4 write R11 %3"},
        {"FADD.SAT R7, RZ, R2", "0 const.b32 0x0; 1 read.b32 R2; 2 fadd.sat.f32 %0 %1; 3 write R7 %2"},
        {"FMUL.RZ R7, R2, R3", "0 read.b32 R2; 1 read.b32 R3; 2 fmul.rz.f32 %0 %1; 3 write R7 %2"},
        {"FMNMX.FTZ R7, RZ, R2, !PT", "0 const.b32 0x0; 1 read.b32 R2; 2 fmax.ftz.f32 %0 %1; 3 write R7 %2"},
        {"FMNMX.NAN R0, R2, -1.5, PT", "0 read.b32 R2; 1 const.b32 0xbfc00000; 2 fmin.nan.f32 %0 %1; 3 write R0 %2"},
        {"FMNMX R0, R2, R3, P1", "0 read.b32 R2; 1 read.b32 R3; 2 read.b1 P1; 3 fmin.f32 %0 %1; 4 fmax.f32 %0 %1; 5 "
                                 "select.f32 %2 %3 %4; 6 write R0 %5"},
        {"FMNMX3 R0, R2, R3, R4, !PT",
         "0 read.b32 R2; 1 read.b32 R3; 2 read.b32 R4; 3 fmax.f32 %0 %1; 4 fmax.f32 %3 %2; 5 write R0 %4"},
        {"FSEL R7, R0, c[0x0][0x174], !P0",
         "0 read.b32 R0; 1 cbank.b32 [0][0x174]; 2 read.b1 P0; 3 not.b1 %2; 4 select.b32 %3 %0 %1; 5 write R7 %4"},
        {"FSEL.FTZ R7, R2, R3, P0", "0 read.b32 R2; 1 read.b32 R3; 2 read.b1 P0; 3 select.b32 %2 %0 %1; 4 const.b32 "
                                    "0x0; 5 feq.ftz.f32 %3 %4; 6 const.b32 0x80000000; "
                                    "7 and.b32 %3 %6; 8 select.b32 %5 %7 %3; 9 write R7 %8"},
        {"MUFU.EX2 R5, R5", "0 read.b32 R5; 1 ex2.f32 %0; 2 write R5 %1"},
        {"MUFU.RCP64H R5, 3", "0 const.b32 0x40080000; 1 rcp64h.f32 %0; 2 write R5 %1"},
        {"MUFU.RCP64H R5, R3", "0 read.b32 R3; 1 rcp64h.f32 %0; 2 write R5 %1"},
        {"DADD R6, R2, -R4", "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 read.b32 R4; 4 read.b32 R5; 5 pair.b64 "
                             "%3 %4; 6 fneg.nan.f64 %5; 7 fadd.f64 %2 %6; 8 lo.b32 %7; "
                             "9 write R6 %8; 10 hi.b32 %7; 11 write R7 %10"},
        {"F2I.TRUNC.NTZ R2, R3", "0 read.b32 R3; 1 f2i.rz.signed.b32 from f32 %0; 2 write R2 %1"},
        {"F2I.FTZ.U32.TRUNC.NTZ R2, R3", "0 read.b32 R3; 1 f2i.rz.ftz.b32 from f32 %0; 2 write R2 %1"},
        {"F2I.TRUNC R2, R3", "0 read.b32 R3; 1 f2i.rz.nan.signed.b32 from f32 %0; 2 write R2 %1"},
        {"I2F.U32.RP R2, R3", "0 read.b32 R3; 1 i2f.rp.f32 #32 %0; 2 write R2 %1"},
        {"I2FP.F32.S32 R7, R2", "0 read.b32 R2; 1 i2f.signed.f32 #32 %0; 2 write R7 %1"},
        {"FRND.FLOOR R2, R3", "0 read.b32 R3; 1 fround.rm.f32 %0; 2 write R2 %1"},
        {"F2F.F64.F32 R2, R4",
         "0 read.b32 R4; 1 f2f.f64 from f32 %0; 2 lo.b32 %1; 3 write R2 %2; 4 hi.b32 %1; 5 write R3 %4"},
        {"F2IP.U8.F32.TRUNC.NTZ R4, RZ, R2, RZ",
         "0 read.b32 R2; 1 f2i.rz.b8 from f32 %0; 2 zext.b32 #8 %1; 3 write R4 %2"},
        {"MUFU.TANH.F16 R4, R2.H1", "0 read.b32 R2; 1 const.b32 0x10; 2 shr.b32 %0 %1; 3 lo.f16 %2; 4 tanh.f16 %3; 5 "
                                    "zext.b32 #16 %4; 6 write R4 %5"},
        {"F2FP.PACK_AB R2, R3, R4",
         "0 read.b32 R3; 1 f2f.f16 from f32 %0; 2 read.b32 R4; 3 f2f.f16 from f32 %2; 4 pair.b32 %3 %1; 5 write R2 %4"},
        {"HADD2.F32 R7, -RZ, R2.H0_H0",
         "0 read.b32 R2; 1 lo.b16 %0; 2 const.f32 0x80000000; 3 f2f.f32 from f16 %1; 4 fadd.f32 %2 %3; 5 write R7 %4"},
        {"HFMA2 R11, R2, 1, 1, R6", "0 read.b32 R2; 1 lo.b16 %0; 2 hi.b16 %0; 3 read.b32 R6; 4 lo.b16 %3; 5 hi.b16 %3; "
                                    "6 fadd.f16 %1 %4; 7 fadd.f16 %2 %5; 8 pair.b32 %6 %7; "
                                    "9 write R11 %8"},
    };
    CHECK(86, rows);
}

static void memory(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"LDG.E.CONSTANT R3, desc[UR4][R2.64+0x4]",
         "0 read.b32 UR4; 1 read.b32 UR5; 2 pair.b64 %0 %1; 3 read.b32 R2; 4 read.b32 R3; 5 pair.b64 %3 %4; 6 "
         "const.b64 0x4; 7 add.b64 %5 %6; "
         "8 load.global4.readonly.b32 %7 %2; 9 write R3 %8"},
        {"LDG.E.SYS R3, [R2]", "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 load.global4.b32 %2; 4 write R3 %3"},
        {"LDG.E.S8 R3, [R2.64]",
         "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 load.global1.signed.b32 %2; 4 write R3 %3"},
        {"LDG.E.128 R4, [R2.64]",
         "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 load.global16.b128 %2; 4 element.b32 #0x0 %3; 5 write R4 "
         "%4; 6 element.b32 #0x1 %3; "
         "7 write R5 %6; 8 element.b32 #0x2 %3; 9 write R6 %8; 10 element.b32 #0x3 %3; 11 write R7 %10"},
        {"LDG.E.STRONG.SYS R15, [R6.64]",
         "0 read.b32 R6; 1 read.b32 R7; 2 pair.b64 %0 %1; 3 load.global4.sys.b32 %2; 4 write R15 %3"},
        {"STG.E.64 [R8.64], R6",
         "0 read.b32 R8; 1 read.b32 R9; 2 pair.b64 %0 %1; 3 read.b32 R6; 4 read.b32 R7; 5 store.global8 %2 %3 %4"},
        {"@!P0 STG.E [R4.64], RZ", "0 read.b1 P0; 1 not.b1 %0; 2 read.b32 R4; 3 read.b32 R5; 4 pair.b64 %2 %3; 5 "
                                   "const.b32 0x0; 6 store.global4 %4 %5; guard %1"},
        {"LDS R4, [R7.X4+0x10]", "0 read.b32 R7; 1 const.b32 0x2; 2 shl.b32 %0 %1; 3 const.b32 0x10; 4 add.b32 %2 %3; "
                                 "5 load.shared4.b32 %4; 6 write R4 %5"},
        {"@!PT LDS RZ, [RZ]", "0 const.b1 0x0; 1 const.b32 0x0; 2 load.shared4.b32 %1; guard %0"},
        {"LDC R7, c[0x0][R7+0x380]", "0 read.b32 R7; 1 cbank.b32 [0][0x380] %0; 2 write R7 %1"},
        {"LDCU UR7, c[0x0][UR6+0x380]", "0 read.b32 UR6; 1 cbank.b32 [0][0x380] %0; 2 write UR7 %1"},
        {"ULDC.64 UR4, c[0x0][0x118]",
         "0 cbank.b64 [0][0x118]; 1 lo.b32 %0; 2 write UR4 %1; 3 hi.b32 %0; 4 write UR5 %3"},
        {"ATOMG.E.ADD.STRONG.GPU PT, R3, [R2.64], R5", "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 read.b32 R5; "
                                                       "4 atom.global4.gpu.add.b32 %2 %3; 5 write R3 %4"},
        {"ATOMS.POPC.INC.32 RZ, [R3]", "0 read.b32 R3; 1 const.b32 0x1; 2 red.shared4.add.b32 %0 %1"},
        {"ATOMS.CAS R2, [R3], R4, R5",
         "0 read.b32 R3; 1 read.b32 R4; 2 read.b32 R5; 3 atom.shared4.cas.b32 %0 %1 %2; 4 write R2 %3"},
        {"LDGSTS.E.64 [R7], [R2.64]", "0 read.b32 R7; 1 read.b32 R2; 2 read.b32 R3; 3 pair.b64 %1 %2; 4 "
                                      "load.global8.b64 %3; 5 lo.b32 %4; 6 hi.b32 %4; "
                                      "7 store.shared8 %0 %5 %6; 8 async_copy %0 %3"},
        {"LDGSTS.E [R7], [R2.64], P0",
         "0 read.b1 P0; 1 const.b32 0x0; 2 read.b32 R7; 3 read.b32 R2; 4 read.b32 R3; 5 pair.b64 %3 %4; "
         "6 load.global4.b32 %5; 7 select.b32 %0 %6 %1; 8 store.shared4 %2 %7; 9 async_copy %2 %5 %0"},
        {"LDGSTS.E.BYPASS.128 [R7], [R2.64], !PT",
         "0 const.b1 0x0; 1 const.b32 0x0; 2 read.b32 R7; 3 read.b32 R2; 4 read.b32 R3; 5 pair.b64 %3 %4; "
         "6 store.shared16 %2 %1 %1 %1 %1; 7 async_copy %2 %5 %0"},
        {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R5",
         "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 read.b32 R5; 4 red.global4.gpu.add.ftz.f32 %2 %3"},
    };
    CHECK(86, rows);
}

static void control_and_warp(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"@P0 EXIT", "0 read.b1 P0; 1 exit; guard %0"},
        {"@P0 EXIT !P1", "0 read.b1 P0; 1 read.b1 P1; 2 not.b1 %1; 3 and.b1 %0 %2; 4 exit; guard %3"},
        {"BRA 0x230", "0 branch #0x230"},
        {"@!P1 BRA 0x1c0", "0 read.b1 P1; 1 not.b1 %0; 2 branch #0x1c0; guard %1"},
        {"BRA.U !UP0, 0x200", "0 read.b1 UP0; 1 not.b1 %0; 2 branch #0x200 %1"},
        {"BRA.CONV ~URZ, 0x410", "0 const.b32 0xffffffff; 1 reconverge #0x6 - %0; 2 branch #0x410"},
        {"CALL.REL.NOINC 0x150", "0 call #0x150"},
        {"CALL.REL.NOINC R6 0x0", "0 read.b32 R6; 1 read.b32 R7; 2 pair.b64 %0 %1; 3 call_ind %2"},
        {"RET.REL.NODEC R2 0x0", "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 ret %2"},
        {"BRX R2 -0x110", "0 read.b32 R2; 1 read.b32 R3; 2 pair.b64 %0 %1; 3 branch_ind %2"},
        {"@P0 JMP P1, 0x200", "0 read.b1 P0; 1 read.b1 P1; 2 and.b1 %0 %1; 3 undef.b64; 4 branch_ind %3; guard %2"},
        {"JMX R2 -0x110", "0 undef.b64; 1 branch_ind %0"},
        {"KILL !P1", "0 read.b1 P1; 1 not.b1 %0; 2 trap; guard %1"},
        {"BSSY B0, 0x260", "0 reconverge #0x0"},
        {"BSYNC B0", "0 reconverge #0x1"},
        {"ATOMS.CAST.SPIN R7, [R4], R6, R7",
         "0 const.b32 0x0; 1 read.b32 R4; 2 read.b32 R6; 3 read.b32 R7; 4 atom.shared4.cas.b32 %1 %2 %3; 5 ieq.b1 #32 "
         "%4 %2; 6 const.b32 0x1; 7 select.b32 %5 %6 %0; 8 write R7 %7"},
        {"ATOMS.CAST.SPIN.64 R6, [R11], R4, R6",
         "0 const.b32 0x0; 1 read.b32 R11; 2 read.b32 R4; 3 read.b32 R5; 4 pair.b64 %2 %3; 5 read.b32 R6; 6 read.b32 "
         "R7; 7 pair.b64 %5 %6; 8 atom.shared8.cas.b64 %1 %4 %7; 9 ieq.b1 #64 %8 %4; 10 const.b32 0x1; 11 select.b32 "
         "%9 %10 %0; 12 write R6 %11; 13 write R7 %0"},
        {"BMOV.32.CLEAR B9, B8", "0 reconverge #0x3"},
        {"BMOV.32 B6, R16", "0 read.b32 R16; 1 reconverge #0x3 %0"},
        {"BMOV.32.CLEAR R16, B6", "0 reconverge #0x3; 1 opaque.b32 #0x0; 2 write R16 %1"},
        {"NOP", "0 nop"},
        {"BAR.SYNC.DEFER_BLOCKING 0x0", "0 const.b32 0x0; 1 bar #0x0 %0"},
        {"BAR.RED.POPC.DEFER_BLOCKING 0x0, P0",
         "0 const.b32 0x0; 1 read.b1 P0; 2 bar #0x2 %0 - %1; 3 bar_gives.b32 #0x2 %1; 4 undef.b32; 5 write B16 %3; "
         "6 write B17 %4"},
        {"SHFL.BFLY PT, R3, R2, 0x10, 0x1f",
         "0 read.b32 R2; 1 const.b32 0x10; 2 const.b32 0x1f; 3 shfl.b32 #0x3 %0 %1 %2; 4 write R3 %3"},
        {"SHFL.IDX P0, R3, R2, R4, R5", "0 read.b32 R2; 1 read.b32 R4; 2 read.b32 R5; 3 shfl_in.b1 #0x0 %0 %1 %2; 4 "
                                        "write P0 %3; 5 shfl.b32 #0x0 %0 %1 %2; 6 write R3 %5"},
        {"VOTE.ANY R2, PT, P0", "0 read.b1 P0; 1 ballot.b32 %0; 2 write R2 %1"},
        {"VOTE.ALL P1, P0", "0 read.b1 P0; 1 vote.b1 #0x0 %0; 2 write P1 %1"},
        {"B2R.RESULT R2, P1", "0 read.b32 B16; 1 write R2 %0; 2 read.b32 B17; 3 const.b32 0x0; 4 ieq.b1 #32 %2 %3; 5 "
                              "not.b1 %4; 6 write P1 %5"},
        {"REDUX.SUM UR4, R2", "0 read.b32 R2; 1 redux.add.b32 %0; 2 write UR4 %1"},
        {"WARPSYNC 0xffffffff", "0 reconverge #0x5"},
        {"WARPSYNC R2", "0 read.b32 R2; 1 warpsync %0"},
        {"BPT.TRAP 0x1", "0 trap"},
    };
    CHECK(86, rows);
}

static void what_is_not_described_is_opaque_and_said_so(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"@P1 MUFU.RCP.F16 R2, R3",
         "0 read.b1 P1; 1 read.b32 R2; 2 read.b32 R3; 3 opaque.b32 #0x0 %0 %1 %2; 4 write R2 %3; "
         "5 opaque.b32 #0x1 %0 %1 %2; 6 write R3 %5; guard %0; unknown"},
        /* A pair may be written: what stays as it was would be taken for something it is not. */
        {"FMUL.D2 R2, R3, R4",
         "0 read.b32 R2; 1 read.b32 R3; 2 read.b32 R4; 3 opaque.b32 #0x0 %0 %1 %2; 4 write R2 %3; "
         "5 opaque.b32 #0x1 %0 %1 %2; 6 write R3 %5; unknown"},
        {"FMUL.D2 R5, R3, R4",
         "0 read.b32 R5; 1 read.b32 R3; 2 read.b32 R4; 3 opaque.b32 #0x0 %0 %1 %2; 4 write R5 %3; unknown"},
        {"LDGSTS.E.64.ZFILL [R5], [R2.64+0x1]", "0 read.b32 R5; 1 read.b32 R2; unknown"},
        /* Two results: as the mask says, the one printed second has the first two components. */
        {"TEX.LL R6, R4, R4, R6, 0x0, 0x58, 2D",
         "0 read.b32 R4; 1 read.b32 R6; 2 read.b32 R5; 3 opaque.b32 #0x0 %0 %1 %2; 4 write R6 %3; 5 opaque.b32 #0x1 %0 "
         "%1 %2; 6 write R7 %5; 7 opaque.b32 #0x2 %0 %1 %2; 8 write R4 %7; 9 opaque.b32 #0x3 %0 %1 %2; 10 write R5 %9; "
         "unknown"},
        {"TEX.LL P0, RZ, R4, R6, R8, 0x0, 0x58, 2D, 0x1", "0 read.b32 R6; 1 read.b32 R8; 2 read.b32 R7; 3 opaque.b1 "
                                                          "#0x0 %0 %1 %2; 4 write P0 %3; 5 opaque.b32 #0x1 %0 %1 "
                                                          "%2; 6 write R4 %5; unknown"},
        /* A fragment is as large as the shape says: halves as a sum fill a pair. */
        {"HMMA.1688.F16 R12, R10, R4, R14", "0 read.b32 R10; 1 read.b32 R4; 2 read.b32 R14; 3 read.b32 R11; 4 read.b32 "
                                            "R15; 5 opaque.b32 #0x0 %0 %1 %2 %3; "
                                            "6 write R12 %5; 7 opaque.b32 #0x1 %0 %1 %2 %3; 8 write R13 %7; unknown"},
        {"IMMA.8816.S8.S8 R10, R2.ROW, R5.COL, RZ",
         "0 read.b32 R2; 1 read.b32 R5; 2 opaque.b32 #0x0 %0 %1; 3 write R10 %2; 4 opaque.b32 #0x1 %0 %1; 5 write R11 "
         "%4; unknown"},
        {"F2FP.F16.E4M3.UNPACK_B R4, R19.H1", "0 read.b32 R19; 1 opaque.b32 #0x0 %0; 2 write R4 %1; unknown"},
        {"LDSM.16.M88.2 R8, [R7]",
         "0 read.b32 R7; 1 opaque.b32 #0x0 %0; 2 write R8 %1; 3 opaque.b32 #0x1 %0; 4 write R9 "
         "%3; unknown"},
        {"SUST.D.BA.2D.64.STRONG.SM.IGN [R4], R2, R8",
         "0 read.b32 R4; 1 read.b32 R2; 2 read.b32 R8; 3 read.b32 R5; 4 read.b32 R3; unknown"},
        {"LEPC R20", "0 opaque.b32 #0x0; 1 write R20 %0; 2 opaque.b32 #0x1; 3 write R21 %2; opaque"},
    };
    CHECK(86, rows);
}

/* Tensor memory: as many registers as shape, repetition and form say. */
static void tensor_memory_moves_groups(void **state)
{
    static const struct {
        struct bits128 word;
        const char *expected;
    } rows[] = {
        {{0x00000004000079ed, 0x008fe20008140004}, /* STTM.x4 tmem[UR4], R4 */
         "0 read.b32 UR4; 1 read.b32 R4; 2 read.b32 R5; 3 read.b32 R6; 4 read.b32 R7; unknown"},
        {{0x00000004000579ee, 0x001e620008060000}, /* LDTM R5, tmem[UR4] */
         "0 read.b32 UR4; 1 opaque.b32 #0x0 %0; 2 write R5 %1; unknown"},
        {{0x00000004000479ee, 0x001e6200080e0000}, /* LDTM.x2 R4, tmem[UR4] */
         "0 read.b32 UR4; 1 opaque.b32 #0x0 %0; 2 write R4 %1; 3 opaque.b32 #0x1 %0; 4 write R5 %3; unknown"},
        {{0x00000204070475ee, 0x000e6200088a0008}, /* LDTM.STAT.16dp32bit_t16_t31.x2.MIN R7, R4, … */
         "0 read.b32 R7; 1 read.b32 R4; 2 read.b32 UR4; 3 read.b32 R5; 4 opaque.b32 #0x0 %0 %1 %2 %3; 5 write R7 %4; "
         "6 opaque.b32 #0x1 %0 %1 %2 %3; 7 write R4 %6; 8 opaque.b32 #0x2 %0 %1 %2 %3; 9 write R5 %8; unknown"},
        {{0x0006040e0c0075ea, 0x0013d80008080008}, /* UTCHMMA.WS gdesc[UR12], gdesc[UR14], tmem[UR8], tmem[UR4], … */
         "0 read.b32 UR12; 1 read.b32 UR14; 2 read.b32 UR8; 3 read.b32 UR4; 4 read.b32 UR5; 5 read.b32 UR6; "
         "6 read.b1 UP0; 7 read.b32 UR13; 8 read.b32 UR15; 9 read.b32 UR7; unknown"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena a;
        struct isa_insn insn;
        struct uop_list list;
        char got[4096];
        arena_init(&a, 0);
        struct uop_lift_context context = {.sm = 103, .a = &a};
        assert_int_equal(isa_decode(103, rows[i].word, 0, &insn), SP_OK);
        assert_int_equal(uop_lift(&context, &insn, &list), SP_ERR_UNSUPPORTED);
        list_text(&list, got, sizeof got);
        assert_string_equal(got, rows[i].expected);
        arena_free(&a);
    }
}

static void an_unknown_word_has_no_operations(void **state)
{
    (void)state;
    struct arena a;
    struct isa_insn insn = {.op = ISA_OP_UNKNOWN, .guard = ISA_PT};
    struct uop_list list;
    arena_init(&a, 0);
    struct uop_lift_context context = {.sm = 86, .a = &a};
    assert_int_equal(uop_lift(&context, &insn, &list), SP_ERR_ENCODING);
    assert_true(list.unknown);
    assert_int_equal(list.ops.n, 0);
    arena_free(&a);
}

/* ptxas writes x + y of two floats so, -x + y, {-x0, x1} + y, {x1, x0} * y + z and s * y for one s. */
static void packed_floats(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"FADD2 R6, R2.F32x2.HI_LO, R4.F32x2.HI_LO", "0 read.b32 R2; 1 read.b32 R3; 2 read.b32 R4; 3 read.b32 R5; 4 "
                                                     "fadd.f32 %0 %2; 5 fadd.f32 %1 %3; 6 write R6 %4; "
                                                     "7 write R7 %5"},
        {"FADD2 R6, -R2.F32x2.HI_LO, R4.F32x2.HI_LO",
         "0 read.b32 R2; 1 read.b32 R3; 2 fneg.f32 %0; 3 fneg.f32 %1; 4 read.b32 R4; 5 read.b32 R5; 6 fadd.f32 %2 %4; "
         "7 fadd.f32 %3 %5; 8 write R6 %6; 9 write R7 %7"},
        {"FADD2 R6, -R2.F32x2.HI_LO.NP, R4.F32x2.HI_LO",
         "0 read.b32 R2; 1 read.b32 R3; 2 fneg.f32 %0; 3 read.b32 R4; 4 read.b32 R5; 5 fadd.f32 %2 %3; 6 fadd.f32 %1 "
         "%4; 7 write R6 %5; 8 write R7 %6"},
        {"FADD2 R6, R2.F32x2.HI_LO.NP, R4.F32x2.HI_LO",
         "0 read.b32 R2; 1 read.b32 R3; 2 fneg.f32 %1; 3 read.b32 R4; 4 read.b32 R5; 5 fadd.f32 %0 %3; 6 fadd.f32 %2 "
         "%4; 7 write R6 %5; 8 write R7 %6"},
        {"FFMA2 R6, R2.F32x2.LO_HI, R4.F32x2.HI_LO, R8.F32x2.HI_LO",
         "0 read.b32 R2; 1 read.b32 R3; 2 read.b32 R4; 3 read.b32 R5; 4 read.b32 R8; 5 read.b32 R9; 6 ffma.f32 %1 %2 "
         "%4; 7 ffma.f32 %0 %3 %5; 8 write R6 %6; 9 write R7 %7"},
        {"FMUL2 R6, R2.F32x2.HI_LO, UR6.F32", "0 read.b32 R2; 1 read.b32 R3; 2 read.b32 UR6; 3 fmul.f32 %0 %2; 4 "
                                              "fmul.f32 %1 %2; 5 write R6 %3; 6 write R7 %4"},
        {"FMUL2 R6, R2.F32x2.HI_LO, 2", "0 read.b32 R2; 1 read.b32 R3; 2 const.f32 0x40000000; 3 fmul.f32 %0 %2; 4 "
                                        "fmul.f32 %1 %2; 5 write R6 %3; 6 write R7 %4"},
        {"CREDUX.MAX.F32 UR8, R12", "0 read.b32 R12; 1 redux.max.f32 %0; 2 write UR8 %1"},
        {"CREDUX.MIN.F32.NAN UR8, R12", "0 read.b32 R12; 1 redux.min.nan.f32 %0; 2 write UR8 %1"},
    };
    CHECK(100, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_constants),
        cmocka_unit_test(integer_arithmetic),
        cmocka_unit_test(logic),
        cmocka_unit_test(compares_with_their_unordered_meaning),
        cmocka_unit_test(swapped_compares_say_so_for_printing_only),
        cmocka_unit_test(floats),
        cmocka_unit_test(packed_floats),
        cmocka_unit_test(memory),
        cmocka_unit_test(control_and_warp),
        cmocka_unit_test(what_is_not_described_is_opaque_and_said_so),
        cmocka_unit_test(an_unknown_word_has_no_operations),
        cmocka_unit_test(tensor_memory_moves_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
