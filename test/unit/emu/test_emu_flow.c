/* Lanes that part and meet, barriers, and what the counts say of it. */
#include "support_emu.h"

/* R2:R3 = &out[threadIdx.x], R0 = threadIdx.x, at 0x00 to 0x20. */
#define HEAD "S2R R0, SR_TID.X\nMOV R4, 0x4\nIMAD.WIDE.U32 R2, R0, R4, c[0x0][0x168]\n"

static void a_branch_parts_and_meets(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "BSSY B0, 0x90\n" /* 0x30 */
                                         "ISETP.GE.AND P0, PT, R0, 0xa, PT\n"
                                         "@P0 BRA 0x80\n" /* 0x50 */
                                         "MOV R5, 0x1\n"  /* 0x60: lanes 0 to 9 */
                                         "BRA 0x90\n"
                                         "MOV R5, 0x2\n"       /* 0x80: lanes 10 to 31 */
                                         "BSYNC B0\n"          /* 0x90: each side by itself */
                                         "STG.E [R2.64], R5\n" /* 0xa0: together again */
                                         "EXIT");
    program_run(p, 1, 32);
    assert_int_equal(p->result.findings.n, 0);
    assert_true(p->result.finished);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(p->out[i], i < 10 ? 1 : 2);
    assert_int_equal(counts(p, 0x50)->warps, 1);
    assert_int_equal(counts(p, 0x50)->threads, 32);
    assert_int_equal(counts(p, 0x50)->threads_on, 22);
    assert_int_equal(counts(p, 0x60)->warps, 1);
    assert_int_equal(counts(p, 0x60)->threads, 10);
    assert_int_equal(counts(p, 0x80)->threads, 22);
    assert_int_equal(counts(p, 0x90)->warps, 2);
    assert_int_equal(counts(p, 0xa0)->warps, 1);
    assert_int_equal(counts(p, 0xa0)->threads, 32);
    assert_int_equal(p->result.instructions, 13); /* 12 lines, one of them twice */
    program_free(p);
}

static void a_loop_ends_lane_by_lane(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "MOV R5, RZ\n"
                                         "BSSY B0, 0x80\n"
                                         "IADD3 R5, R5, 0x1, RZ\n" /* 0x50: lane i turns i + 1 times */
                                         "ISETP.LE.U32.AND P0, PT, R5, R0, PT\n"
                                         "@P0 BRA 0x50\n"
                                         "BSYNC B0\n"
                                         "STG.E [R2.64], R5\n"
                                         "EXIT");
    program_run(p, 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(p->out[i], i + 1);
    assert_int_equal(counts(p, 0x50)->warps, 32);
    assert_int_equal(counts(p, 0x50)->threads, 32 * 33 / 2);
    assert_int_equal(counts(p, 0x90)->warps, 1);
    program_free(p);
}

static void lanes_that_end_are_not_waited_for(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "ISETP.LT.AND P0, PT, R0, 0x28, PT\n"
                                         "STS [R0], RZ\n" /* bytes 0 to 63: aligned for multiples of 4 only */
                                         "EXIT");
    program_free(p);
    p = program_new(HEAD "ISETP.LT.AND P0, PT, R0, 0x28, PT\n"
                         "@P0 EXIT\n"
                         "BAR.SYNC 0x0\n"
                         "STG.E [R2.64], R0\n"
                         "EXIT");
    program_run(p, 1, 64);
    assert_true(p->result.finished);
    assert_int_equal(p->result.findings.n, 0);
    assert_int_equal(p->out[0x27], 0);
    assert_int_equal(p->out[0x28], 0x28);
    assert_int_equal(counts(p, 0x50)->warps, 1);
    assert_int_equal(counts(p, 0x50)->threads, 24);
    program_free(p);
}

static void a_barrier_orders_warps(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "SHF.L.U32 R5, R0, 0x2, RZ\n"
                                         "STS [R5], R0\n"
                                         "BAR.SYNC 0x0\n"
                                         "LOP3.LUT R5, R5, 0xfc, RZ, 0x3c, !PT\n" /* the other end of 64 threads */
                                         "LDS R6, [R5]\n"
                                         "STG.E [R2.64], R6\n"
                                         "EXIT");
    program_run(p, 2, 64);
    assert_int_equal(p->result.findings.n, 0);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(p->out[i], 63 - i);
    assert_int_equal(counts(p, 0x50)->warps, 4);
    program_free(p);
}

static void a_barrier_reduces(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "ISETP.LT.AND P0, PT, R0, 0x28, PT\n"
                                         "BAR.RED.POPC 0x0, P0\n"
                                         "B2R.RESULT R5\n"
                                         "BAR.RED.AND 0x0, P0\n"
                                         "B2R.RESULT RZ, P1\n"
                                         "SEL R6, R5, RZ, !P1\n"
                                         "STG.E [R2.64], R6\n"
                                         "EXIT");
    program_run(p, 1, 64);
    assert_int_equal(p->result.findings.n, 0);
    assert_int_equal(p->out[63], 40);
    program_free(p);
}

static void a_barrier_some_cannot_reach(void **state)
{
    (void)state;
    /* The first warp waits at barrier 0, the second at barrier 1, both for all 64 threads. */
    struct program *p = program_new(HEAD "ISETP.LT.AND P0, PT, R0, 0x20, PT\n"
                                         "@!P0 BRA 0x70\n"
                                         "BAR.SYNC 0x0\n"
                                         "EXIT\n"
                                         "BAR.SYNC 0x1\n"
                                         "EXIT");
    program_run(p, 1, 64);
    assert_false(p->result.finished);
    assert_non_null(finding(p, EMU_DEADLOCK, 0x50));
    const struct emu_finding *f = finding(p, EMU_DEADLOCK, 0x70);
    assert_non_null(f);
    assert_int_equal(f->thread[0], 32);
    program_free(p);
}

static void a_warp_comes_to_a_barrier_at_two_places(void **state)
{
    (void)state;
    struct program *p = program_new(HEAD "ISETP.LT.AND P0, PT, R0, 0x8, PT\n"
                                         "@!P0 BRA 0x70\n"
                                         "BAR.SYNC 0x0\n"
                                         "EXIT\n"
                                         "BAR.SYNC 0x0\n"
                                         "EXIT");
    program_run(p, 1, 32);
    assert_true(finding(p, EMU_DIVERGENT_BARRIER, 0x50) || finding(p, EMU_DIVERGENT_BARRIER, 0x70));
    program_free(p);
}

static void an_endless_loop_is_stopped(void **state)
{
    (void)state;
    struct program *p = program_new("BRA 0x0");
    program_run(p, 1, 32);
    assert_false(p->result.finished);
    assert_non_null(finding(p, EMU_LIMIT, 0));
    assert_true(p->result.instructions <= p->launch.instruction_limit + 1);
    program_free(p);
}

static void a_yield_lets_others_go_on(void **state)
{
    (void)state;
    /* A lock that is let go behind the meeting: whoever has it would wait for those that want it. */
    struct program *p = program_new("MOV R2, c[0x0][0x168]\nMOV R3, c[0x0][0x16c]\nMOV R4, RZ\nMOV R5, 0x1\n"
                                    "BSSY B0, 0x90\n"
                                    "YIELD\n" /* 0x50 */
                                    "ATOMG.E.CAS.STRONG.GPU PT, R6, [R2], R4, R5\n"
                                    "ISETP.NE.AND P0, PT, R6, RZ, PT\n"
                                    "@P0 BRA 0x50\n"
                                    "BSYNC B0\n" /* 0x90 */
                                    "LDG.E R7, [R2.64+0x4]\n"
                                    "IADD3 R7, R7, 0x3, RZ\n"
                                    "STG.E [R2.64+0x4], R7\n"
                                    "ATOMG.E.EXCH.STRONG.GPU PT, RZ, [R2.64], R4\n"
                                    "EXIT");
    program_run(p, 1, 64);
    assert_true(p->result.finished);
    assert_int_equal(p->out[1], 3 * 64);
    program_free(p);
}

static void a_target_outside_the_code(void **state)
{
    (void)state;
    struct program *p = program_new("BRA 0x1000\nEXIT");
    program_run(p, 1, 1);
    assert_false(p->result.finished);
    assert_non_null(finding(p, EMU_ILLEGAL, 0));
    program_free(p);
    p = program_new("NOP");
    program_run(p, 1, 1);
    assert_non_null(finding(p, EMU_ILLEGAL, 0));
    program_free(p);
}

static void launches_no_hardware_takes(void **state)
{
    (void)state;
    static const uint32_t bad[][3] = {{0, 1, 1}, {1025, 1, 1}, {32, 33, 1}, {1, 1, 0}};
    struct program *p = program_new("EXIT");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (unsigned d = 0; d < 3; d++) {
            p->launch.grid[d] = 1;
            p->launch.block[d] = bad[i][d];
        }
        assert_int_equal(emu_run(&p->a, &p->code, &p->launch, &p->result), SP_ERR_USAGE);
    }
    program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_parts_and_meets),
        cmocka_unit_test(a_loop_ends_lane_by_lane),
        cmocka_unit_test(lanes_that_end_are_not_waited_for),
        cmocka_unit_test(a_barrier_orders_warps),
        cmocka_unit_test(a_barrier_reduces),
        cmocka_unit_test(a_barrier_some_cannot_reach),
        cmocka_unit_test(a_warp_comes_to_a_barrier_at_two_places),
        cmocka_unit_test(an_endless_loop_is_stopped),
        cmocka_unit_test(a_yield_lets_others_go_on),
        cmocka_unit_test(a_target_outside_the_code),
        cmocka_unit_test(launches_no_hardware_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
