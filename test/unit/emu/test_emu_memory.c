/* What a program may not do with memory, and what it may: bounds, alignment, values nobody has written, races. */
#include "support_emu.h"

#include <string.h>

#define HEAD "S2R R0, SR_TID.X\nMOV R4, 0x4\nIMAD.WIDE.U32 R2, R0, R4, c[0x0][0x168]\n"

static void outside_every_buffer(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "LDG.E R5, [R2.64+0x3ff0]\n" /* of 16384 bytes: lanes 4 and on are outside */
                                         "STG.E [R2.64], R5\n"
                                         "STG.E [R2.64+-0x4], RZ\n"
                                         "EXIT");
    memset(p->out, 0x11, sizeof p->out);
    program_run(p, 1, 8);
    const struct emu_finding *f = finding(p, EMU_OUT_OF_BOUNDS, 0x30);
    assert_non_null(f);
    assert_int_equal(f->thread[0], 4);
    assert_int_equal(f->times, 4);
    assert_true(f->address == emu_buffer_address(1) + 16384);
    f = finding(p, EMU_OUT_OF_BOUNDS, 0x50);
    assert_non_null(f);
    assert_int_equal(f->thread[0], 0);
    assert_int_equal(f->times, 1);
    assert_int_equal(p->result.findings.n, 2);
    assert_true(p->result.finished);
    program_free(p);
}

static void shared_and_local_have_an_end(void **state)
{
    (void)state;
    struct program *p = program_new("MOV R0, 0x400\nMOV R1, 0x40\n"
                                    "STS [R0+-0x4], RZ\nSTS [R0], RZ\n"
                                    "STL [R1+-0x4], RZ\nSTL [R1], RZ\nEXIT");
    program_run(p, 1, 1);
    assert_non_null(finding(p, EMU_OUT_OF_BOUNDS, 0x30));
    assert_non_null(finding(p, EMU_OUT_OF_BOUNDS, 0x50));
    assert_int_equal(p->result.findings.n, 2);
    program_free(p);
}

static void misaligned(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "LDG.E.64 R6, [R2.64+0x4]\nLDG.E.U16 R6, [R2.64+0x2]\nEXIT");
    program_run(p, 1, 2);
    const struct emu_finding *f = finding(p, EMU_MISALIGNED, 0x30);
    assert_non_null(f);
    assert_int_equal(f->thread[0], 0);
    assert_int_equal(p->result.findings.n, 1);
    program_free(p);
}

static void registers_nobody_has_written(void **state)
{
    (void)state;
    /* Copies and sums of what is undefined are no use of it; a store is, and a branch. */
    struct program *p = program_new(HEAD "IADD3 R6, R9, 0x1, RZ\n"
                                         "MOV R7, R6\n"
                                         "STG.E [R2.64], R7\n" /* 0x50 */
                                         "ISETP.NE.AND P0, PT, R9, RZ, PT\n"
                                         "@P0 EXIT\n" /* 0x70 */
                                         "EXIT");
    program_run(p, 1, 1);
    assert_non_null(finding(p, EMU_UNINITIALIZED, 0x50));
    assert_non_null(finding(p, EMU_UNINITIALIZED, 0x70));
    assert_int_equal(p->result.findings.n, 2);
    program_free(p);
}

static void bits_that_do_not_matter(void **state)
{
    (void)state;
    /* A guard that is false keeps an old value nobody wrote, and the other way round; a half is put into a register
     * whose other half is anything, and only that half is stored; a mask takes the rest away; a product by zero is
     * zero. */
    struct program *p = program_new(HEAD "ISETP.LT.AND P0, PT, R0, 0x4, PT\n"
                                         "@P0 MOV R5, 0x7\n"
                                         "@!P0 MOV R5, 0x9\n"
                                         "STG.E [R2.64], R5\n"
                                         "PRMT R6, R0, 0x7610, R6\n" /* low half of R0, high half as it was */
                                         "STG.E.U16 [R2.64+0x400], R6\n"
                                         "LOP3.LUT R6, R6, 0xffff, RZ, 0xc0, !PT\n"
                                         "STG.E [R2.64+0x800], R6\n"
                                         "@P0 MOV R8, 0x1\n"
                                         "@P0 STG.E [R2.64+0xc00], R8\n"
                                         "SEL R10, R8, RZ, P0\n"
                                         "STG.E [R2.64+0xe00], R10\n"
                                         "IMAD R11, R12, RZ, R0\n"
                                         "STG.E [R2.64+0xe00], R11\n"
                                         "EXIT");
    program_run(p, 1, 8);
    assert_int_equal(p->result.findings.n, 0);
    assert_int_equal(p->out[3], 7);
    assert_int_equal(p->out[4], 9);
    program_free(p);
}

static void shared_words_nobody_has_written(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "SHF.L.U32 R5, R0, 0x2, RZ\n"
                                         "STS [R5], R0\n"
                                         "BAR.SYNC 0x0\n"
                                         "LDS R6, [R5+0x4]\n" /* 0x60: the last thread's has not been written */
                                         "STG.E [R2.64], R6\n"
                                         "EXIT");
    program_run(p, 1, 64);
    const struct emu_finding *f = finding(p, EMU_UNINITIALIZED, 0x70);
    assert_non_null(f);
    assert_int_equal(f->thread[0], 63);
    assert_non_null(strstr(f->text, "0x0060"));
    assert_int_equal(p->result.findings.n, 1);
    program_free(p);
}

static void races(void **state)
{
    (void)state;
#define NEIGHBOUR(barrier, second)                                         \
    HEAD "SHF.L.U32 R5, R0, 0x2, RZ\n"                                     \
         "LOP3.LUT R6, R5, 0x80, RZ, 0x3c, !PT\n"                          \
         "STS [R5], R0\n" barrier "LDS R7, [R6]\n" second "STS [R5], R7\n" \
         "EXIT"
    /* Each warp reads what the other wrote, and then writes over what the other reads. */
    struct program *p = program_new(NEIGHBOUR("NOP\n", "BAR.SYNC 0x0\n"));
    program_run(p, 1, 64);
    assert_non_null(finding(p, EMU_SHARED_RACE, 0x70));
    program_free(p);
    p = program_new(NEIGHBOUR("BAR.SYNC 0x0\n", "NOP\n"));
    program_run(p, 1, 64);
    assert_true(finding(p, EMU_SHARED_RACE, 0x70) || finding(p, EMU_SHARED_RACE, 0x90)); /* who came second */
    program_free(p);
    p = program_new(NEIGHBOUR("BAR.SYNC 0x0\n", "BAR.SYNC 0x0\n"));
    program_run(p, 1, 64);
    assert_int_equal(p->result.findings.n, 0);
    program_free(p);
    /* Within one warp no order is asked for, and none between blocks. */
    p = program_new(NEIGHBOUR("NOP\n", "NOP\n"));
    program_run(p, 2, 32);
    assert_null(finding(p, EMU_SHARED_RACE, 0x70));
    assert_null(finding(p, EMU_SHARED_RACE, 0x90));
    program_free(p);
}

static void many_readers_and_a_writer(void **state)
{
    (void)state;
    struct program *p = program_new("S2R R0, SR_TID.X\n"
                                    "ISETP.EQ.AND P0, PT, R0, RZ, PT\n"
                                    "@P0 STS [RZ], R0\n"
                                    "BAR.SYNC 0x0\n"
                                    "LDS R5, [RZ]\n"
                                    "@P0 STS [RZ], R0\n" /* 0x50: others have read, no barrier since */
                                    "BAR.SYNC 0x0\n"
                                    "LDS R5, [RZ]\n"
                                    "BAR.SYNC 0x0\n"
                                    "@P0 STS [RZ], R0\n" /* 0x90: all right */
                                    "EXIT");
    program_run(p, 1, 256);
    assert_null(finding(p, EMU_SHARED_RACE, 0x90));
    /* Warp 0 runs first: its store comes before the others' loads, which then read what is not ordered. */
    assert_true(finding(p, EMU_SHARED_RACE, 0x50) || finding(p, EMU_SHARED_RACE, 0x40));
    program_free(p);
}

static void atomics_count_every_lane(void **state)
{
    (void)state;
    struct program *p = program_new("MOV R2, c[0x0][0x168]\nMOV R3, c[0x0][0x16c]\nS2R R0, SR_TID.X\nMOV R5, 0x1\n"
                                    "RED.E.ADD.STRONG.GPU [R2.64], R5\n"
                                    "RED.E.MAX.STRONG.GPU [R2.64+0x4], R0\n"
                                    "ATOMG.E.INC.STRONG.GPU PT, R6, [R2.64+0x8], R5\n"
                                    "EXIT");
    program_run(p, 3, 50);
    assert_int_equal(p->out[0], 150);
    assert_int_equal(p->out[1], 49);
    assert_int_equal(p->out[2], 0); /* 0 1 0 1 …, 150 times */
    assert_int_equal(p->result.findings.n, 0);
    program_free(p);
}

static void what_has_no_meaning_is_said(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "LDSM.16.M88 R4, [R0]\nEXIT");
    program_run(p, 1, 32);
    assert_false(p->result.finished);
    assert_non_null(finding(p, EMU_UNSUPPORTED, 0x30));
    program_free(p);
    p = program_new(HEAD "MOV R5, c[0x0][0x20]\nSTG.E [R2.64], R5\nEXIT"); /* the launch does not tell this word */
    program_run(p, 1, 1);
    assert_non_null(finding(p, EMU_UNSUPPORTED, 0x40));
    program_free(p);
}

static void bytes_are_counted_once(void **state)
{
    (void)state;
    struct program *p =
        program_new(HEAD "LDG.E R5, [R2.64]\nLDG.E R6, [R2.64]\nSTG.E [R2.64], R5\nLDG.E R6, [R2.64]\nEXIT");
    program_run(p, 1, 32);
    assert_int_equal(p->result.totals.global_load_bytes, 3 * 128);
    assert_int_equal(p->result.totals.global_store_bytes, 128);
    assert_int_equal(p->result.totals.least_global_bytes, 2 * 128);
    assert_int_equal(counts(p, 0x30)->global_requests, 1);
    assert_int_equal(counts(p, 0x30)->global_sectors, 4);
    program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_every_buffer),
        cmocka_unit_test(shared_and_local_have_an_end),
        cmocka_unit_test(misaligned),
        cmocka_unit_test(registers_nobody_has_written),
        cmocka_unit_test(bits_that_do_not_matter),
        cmocka_unit_test(shared_words_nobody_has_written),
        cmocka_unit_test(races),
        cmocka_unit_test(many_readers_and_a_writer),
        cmocka_unit_test(atomics_count_every_lane),
        cmocka_unit_test(what_has_no_meaning_is_said),
        cmocka_unit_test(bytes_are_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
