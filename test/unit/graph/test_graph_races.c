/* Threads that overtake one another, each shape with its correct twin: the other one of two buffers, rows of a tile,
 * stores that race with themselves, fills that nobody waits for, one word a warp, sizes compared as unsigned numbers.
 * Code is written as the vendor's disassembler prints it; what must come out is worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_arena.h"
#include "graph_code.h"

#include "graph/graph_depend.h"

#define BARRIER "BAR.SYNC.DEFER_BLOCKING 0x0"

static size_t races(const char *const *lines, uint32_t count)
{
    struct graph_dependence d;
    struct graph *g = code_graph(&arena, 86, lines, count, &env_86);
    assert_int_equal(graph_find_dependence(&arena, g, &d), SP_OK);
    assert_true(d.complete);
    return d.races.n;
}

/* a += s[p][255 - t]; p ^= 1; s[p][t] = x; a barrier. The racy twin stays in one buffer. */
#define BUFFERS(other)                                           \
    CODE("S2R R9, SR_TID.X",                           /* 00 */  \
         "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x168]",     /* 10 */  \
         "UMOV UR4, URZ",                              /* 20 */  \
         "IMAD.MOV.U32 R6, RZ, RZ, 0x1",               /* 30 */  \
         "IADD3 R0, -R9, 0xff, RZ",                    /* 40 */  \
         "STS [R9.X4], R2",                            /* 50 */  \
         BARRIER,                                      /* 60 */  \
         "USHF.L.U32 UR5, UR4, 0xa, URZ",              /* 70 */  \
         "IADD3 R6, R6, 0x1, RZ",                      /* 80 */  \
         "ULOP3.LUT UR4, UR4, 0x1, URZ, 0x3c, !UPT",   /* 90 */  \
         "ISETP.GE.AND P0, PT, R6, c[0x0][0x170], PT", /* a0 */  \
         "LDS R8, [R0.X4+UR5]",                        /* b0 */  \
         other,                                        /* c0 */  \
         "FADD.FTZ R7, R8, R7",                        /* d0 */  \
         "STS [R9.X4+UR5], R7",                        /* e0 */  \
         BARRIER,                                      /* f0 */  \
         "@!P0 BRA 0x70",                              /* 100 */ \
         "EXIT")

static void the_other_buffer(void **state)
{
    (void)state;
    assert_int_equal(races(BUFFERS("ULOP3.LUT UR5, UR5, 0x400, URZ, 0x3c, !UPT")), 0);
    assert_true(races(BUFFERS("UMOV UR5, UR5")) > 0);
}

/* s[y + 1][x + 1] = v; a barrier; the first row of threads fills row `row`; all read s[y][x + 1]. */
#define ROWS(row)                                                                                                  \
    CODE("S2R R9, SR_TID.Y",                /* 00 */                                                               \
         "S2R R8, SR_TID.X",                /* 10 */                                                               \
         "ISETP.NE.AND P0, PT, R9, RZ, PT", /* 20 */                                                               \
         "MOV R2, c[0x0][0x170]",           /* 30 */                                                               \
         "IMAD.SHL.U32 R6, R8, 0x4, RZ",    /* 40 */                                                               \
         "IMAD R9, R9, 0x48, R6",           /* 50 */                                                               \
         "STS [R9+0x4c], R2",               /* 60 */                                                               \
         BARRIER,                           /* 70 */                                                               \
         "@!P0 STS [R8.X4+" row "], R2",    /* 80 */                                                               \
         "LDS R11, [R9+0x4]",               /* 90 */                                                               \
         "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]", "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x164]", "STG.E [R2.64], R11", \
         "EXIT")

static void the_row_above(void **state)
{
    (void)state;
    assert_int_equal(races(ROWS("0x4")), 0); /* read by the threads that wrote it */
    assert_true(races(ROWS("0x4c")) > 0);    /* read by the next row of threads */
}

/* s[x] = a[y * 64 + x], by all rows of threads or by the first. */
#define COLUMN(guard)                                    \
    CODE("S2R R9, SR_TID.Y",                    /* 00 */ \
         "S2R R8, SR_TID.X",                    /* 10 */ \
         "ISETP.NE.AND P0, PT, R9, RZ, PT",     /* 20 */ \
         "IMAD R0, R9, 0x40, R8",               /* 30 */ \
         "MOV R5, 0x4",                         /* 40 */ \
         "IMAD.WIDE R2, R0, R5, c[0x0][0x168]", /* 50 */ \
         guard "LDG.E R2, [R2.64]",             /* 60 */ \
         guard "STS [R8.X4], R2",               /* 70 */ \
         "EXIT")

static void a_word_for_each_column(void **state)
{
    (void)state;
    assert_int_equal(races(COLUMN("@!P0 ")), 0);
    assert_int_equal(races(COLUMN("")), 1);
}

/* for (i = t; i < n; i += blockDim.x) s[i] = v; then s[0] is read by all. */
#define FILL(between)                                           \
    CODE("S2R R9, SR_TID.X",                           /* 00 */ \
         "ISETP.GE.AND P0, PT, R9, c[0x0][0x170], PT", /* 10 */ \
         "MOV R2, c[0x0][0x174]",                      /* 20 */ \
         "MOV R0, R9",                                 /* 30 */ \
         "@P0 BRA 0x90",                               /* 40 */ \
         "STS [R0.X4], R2",                            /* 50 */ \
         "IADD3 R0, R0, c[0x0][0x0], RZ",              /* 60 */ \
         "ISETP.GE.AND P0, PT, R0, c[0x0][0x170], PT", /* 70 */ \
         "@!P0 BRA 0x50",                              /* 80 */ \
         between,                                      /* 90 */ \
         "LDS R11, [RZ]",                              /* a0 */ \
         "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]",     /* b0 */ \
         "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x164]",     /* c0 */ \
         "STG.E [R2.64], R11",                         /* d0 */ \
         "EXIT")

static void a_fill_that_nobody_waits_for(void **state)
{
    (void)state;
    assert_int_equal(races(FILL(BARRIER)), 0);
    assert_true(races(FILL("NOP")) > 0);
}

/* Lane 0 of each warp stores its warp's word; the first warp reads them. */
#define WARPS(between)                                          \
    CODE("S2R R8, SR_TID.X",                           /* 00 */ \
         "LOP3.LUT P0, RZ, R8, 0x1f, RZ, 0xc0, !PT",   /* 10 */ \
         "SHF.R.U32.HI R6, RZ, 0x3, R8",               /* 20 */ \
         "LOP3.LUT R6, R6, 0x1ffffffc, RZ, 0xc0, !PT", /* 30 */ \
         "@!P0 STS [R6], R8",                          /* 40 */ \
         between,                                      /* 50 */ \
         "ISETP.GT.U32.AND P1, PT, R8, 0x1f, PT",      /* 60 */ \
         "@P1 EXIT",                                   /* 70 */ \
         "LDS R11, [R8.X4]",                           /* 80 */ \
         "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]",     /* 90 */ \
         "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x164]",     /* a0 */ \
         "STG.E [R2.64], R11",                         /* b0 */ \
         "EXIT")

static void a_word_for_each_warp(void **state)
{
    (void)state;
    assert_int_equal(races(WARPS(BARRIER)), 0);
    assert_true(races(WARPS("NOP")) > 0);
}

/* if (t < n), unsigned: m = s[0]; then s[t] = e. */
#define SIZES(between)                                              \
    CODE("S2R R9, SR_TID.X",                               /* 00 */ \
         "ISETP.GE.U32.AND P0, PT, R9, c[0x0][0x170], PT", /* 10 */ \
         "STS [R9.X4], R9",                                /* 20 */ \
         BARRIER,                                          /* 30 */ \
         "@!P0 LDS R3, [RZ]",                              /* 40 */ \
         between,                                          /* 50 */ \
         "STS [R9.X4], R3",                                /* 60 */ \
         "EXIT")

static void a_size_is_not_negative(void **state)
{
    (void)state;
    assert_int_equal(races(SIZES(BARRIER)), 0);
    assert_true(races(SIZES("NOP")) > 0);
}

/* if (i < limit) { a = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = a; } */
#define REVERSE(limit)                                                   \
    CODE("S2R R2, SR_CTAID.X",                     /* 00 */              \
         "ULDC UR4, c[0x0][0x168]",                /* 10 */              \
         "ULEA.HI UR4, UR4, UR4, URZ, 0x1",        /* 20: n + (n < 0) */ \
         "S2R R3, SR_TID.X",                       /* 30 */              \
         "USHF.R.S32.HI UR4, URZ, 0x1, UR4",       /* 40: n / 2 */       \
         "IMAD R2, R2, c[0x0][0x0], R3",           /* 50: i */           \
         "ISETP.GE.AND P0, PT, R2, " limit ", PT", /* 60 */              \
         "@P0 EXIT",                               /* 70 */              \
         "LOP3.LUT R0, RZ, R2, RZ, 0x33, !PT",     /* 80 */              \
         "MOV R3, 0x4",                            /* 90 */              \
         "IADD3 R0, R0, c[0x0][0x168], RZ",        /* a0 */              \
         "IMAD.WIDE R4, R0, R3, c[0x0][0x160]",    /* b0 */              \
         "IMAD.WIDE R2, R2, R3, c[0x0][0x160]",    /* c0 */              \
         "LDG.E R9, [R4.64]", "LDG.E R7, [R2.64]", "STG.E [R2.64], R9", "STG.E [R4.64], R7", "EXIT")

/* The guard of the other thread keeps it away, whatever sign the length has. */
static void both_guards_count(void **state)
{
    (void)state;
    assert_int_equal(races(REVERSE("UR4")), 0);
    assert_true(races(REVERSE("c[0x0][0x168]")) > 0);
}

/* s[t] = v; a barrier; s[255 - t] is read: ordered where all threads wait. */
#define MIRROR(barrier)                                                                                            \
    CODE("S2R R9, SR_TID.X", "MOV R2, c[0x0][0x168]", "IADD3 R0, -R9, 0xff, RZ", "STS [R9.X4], R2", /* 30 */       \
         barrier, "LDS R11, [R0.X4]",                                                               /* 50 */       \
         "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]", "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x164]", "STG.E [R2.64], R11", \
         "EXIT")

/* Who is waited for is not known of a barrier with a number of threads or with one that differs between threads: the
 * store is said, its order is not, and nothing is proved. */
static void barriers_of_some_threads(void **state)
{
    static const char *const some[] = {"BAR.SYNC 0x1, 0x80", "BAR.SYNC R9", "BAR.ARV 0x1, 0x100"};
    struct graph_dependence d;
    (void)state;
    assert_int_equal(graph_find_dependence(&arena, code_graph(&arena, 86, MIRROR(BARRIER), &env_86), &d), SP_OK);
    assert_true(d.complete && d.listed);
    assert_int_equal(d.reaches.p[0].sync, GRAPH_SYNC_BARRIER);
    assert_false(d.reaches.p[0].assumed);
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        assert_int_equal(graph_find_dependence(&arena, code_graph(&arena, 86, MIRROR(some[i]), &env_86), &d), SP_OK);
        assert_false(d.complete);
        assert_true(d.listed);
        assert_int_equal(d.reaches.n, 1);
        assert_int_equal(d.reaches.p[0].sync, GRAPH_SYNC_UNKNOWN);
        assert_true(d.reaches.p[0].assumed);
        assert_int_equal(d.races.n, 0);
    }
}

/* Half of the threads store, the other half reads what they stored: on no way of the code, and still a source. */
static void stores_of_another_way(void **state)
{
    struct graph_dependence d;
    struct graph *g = code_graph(&arena, 86,
                                 CODE("S2R R9, SR_TID.X",                  /* 00 */
                                      "MOV R4, c[0x0][0x168]",             /* 10 */
                                      "ISETP.GE.AND P0, PT, R9, 0x80, PT", /* 20 */
                                      "@P0 BRA 0x70",                      /* 30 */
                                      "STS [R9.X4], R4",                   /* 40 */
                                      "BAR.ARV 0x1, 0x100",                /* 50 */
                                      "EXIT",                              /* 60 */
                                      "BAR.SYNC 0x1, 0x100",               /* 70 */
                                      "LDS R11, [R9.X4+-0x200]",           /* 80 */
                                      "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]",
                                      "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x164]", "STG.E [R2.64], R11", "EXIT"),
                                 &env_86);
    (void)state;
    assert_int_equal(graph_find_dependence(&arena, g, &d), SP_OK);
    assert_true(d.listed && !d.complete);
    assert_int_equal(d.reaches.n, 1);
    assert_true(d.reaches.p[0].may);
    assert_int_equal(g->insns.p[g->accesses.p[d.reaches.p[0].store].insn].offset, 0x40);
}

/* A function that is not seen may store too. */
static void stores_that_are_not_seen(void **state)
{
    struct graph_dependence d;
    (void)state;
    assert_int_equal(
        graph_find_dependence(&arena,
                              code_graph(&arena, 86,
                                         CODE("S2R R9, SR_TID.X", "MOV R2, c[0x0][0x160]", "MOV R3, c[0x0][0x164]",
                                              "STS [R9.X4], R2", BARRIER, "CALL.ABS.NOINC R2", BARRIER,
                                              "LDS R11, [R9.X4+0x4]", "STG.E [R2.64], R11", "EXIT"),
                                         &env_86),
                              &d),
        SP_OK);
    assert_false(d.complete || d.listed);
    for (size_t i = 0; i < d.reaches.n; i++)
        assert_true(d.reaches.p[i].assumed);
}

/* Thread 255 stores s[1] and then s[0]; all wait for s[0], or only look at it, and read s[1]. A fence is no wait. */
#define FLAG(again)                                                                                               \
    CODE("S2R R0, SR_TID.X",                  /* 00 */                                                            \
         "ISETP.NE.AND P0, PT, R0, 0xff, PT", /* 10 */                                                            \
         "MOV R4, c[0x0][0x168]",             /* 20 */                                                            \
         "@P0 BRA 0x70",                      /* 30 */                                                            \
         "STS [0x4], R4",                     /* 40 */                                                            \
         "MEMBAR.SC.CTA",                     /* 50 */                                                            \
         "STS [RZ], R4",                      /* 60 */                                                            \
         "LDS R2, [RZ]",                      /* 70 */                                                            \
         "ISETP.NE.AND P0, PT, R2, RZ, PT",   /* 80 */                                                            \
         again,                               /* 90 */                                                            \
         "MEMBAR.SC.CTA",                     /* a0 */                                                            \
         "LDS R5, [0x4]",                     /* b0 */                                                            \
         "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]", "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x164]", "STG.E [R2.64], R5", \
         "EXIT")

static void waiting_for_a_word(void **state)
{
    struct graph_dependence d;
    (void)state;
    assert_int_equal(graph_find_dependence(&arena, code_graph(&arena, 86, FLAG("@!P0 BRA 0x70"), &env_86), &d), SP_OK);
    assert_int_equal(d.races.n, 0);
    assert_false(d.complete);
    assert_true(d.listed);
    for (size_t i = 0; i < d.reaches.n; i++)
        assert_int_equal(d.reaches.p[i].sync, GRAPH_SYNC_UNKNOWN);
    assert_true(races(FLAG("NOP")) > 0);
}

/* s[t] = v; the lanes of a warp meet, all or some of them; s[t ^ 1] is read. */
#define LANES(mask, sync)                                                                                     \
    CODE("S2R R9, SR_TID.X", "MOV R2, c[0x0][0x168]", "LOP3.LUT R0, R9, 0x1, RZ, 0x3c, !PT", "MOV R4, " mask, \
         "STS [R9.X4], R2", sync, "LDS R11, [R0.X4]", "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]",               \
         "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x164]", "STG.E [R2.64], R11", "EXIT")

static enum graph_sync lanes_sync(const char *const *lines, uint32_t count, size_t *found)
{
    struct graph_dependence d;
    assert_int_equal(graph_find_dependence(&arena, code_graph(&arena, 86, lines, count, &env_86), &d), SP_OK);
    assert_int_equal(d.reaches.n, 1);
    *found = d.races.n;
    return d.reaches.p[0].sync;
}

static void masks_of_a_warp(void **state)
{
    size_t found;
    (void)state;
    assert_int_equal(lanes_sync(LANES("0x0", "NOP"), &found), GRAPH_SYNC_WARP_ASSUMED);
    assert_int_equal(lanes_sync(LANES("0x0", "WARPSYNC.ALL"), &found), GRAPH_SYNC_WARP);
    assert_int_equal(found, 0);
    assert_int_equal(lanes_sync(LANES("0xffffffff", "WARPSYNC R4"), &found), GRAPH_SYNC_WARP);
    assert_int_equal(found, 0);
    assert_int_equal(lanes_sync(LANES("0xffff", "WARPSYNC R4"), &found), GRAPH_SYNC_UNKNOWN);
    assert_int_equal(found, 0);
    assert_int_equal(lanes_sync(LANES("c[0x0][0x170]", "WARPSYNC R4"), &found), GRAPH_SYNC_UNKNOWN);
    assert_int_equal(found, 0);
}

/* a += s[k % 4][255 - t]; s[(k + ahead) % 4][t] = a; a barrier. In the racy twin both are one stage. */
#define STAGES(ahead)                                                               \
    CODE("S2R R9, SR_TID.X",                                               /* 00 */ \
         "MOV R2, c[0x0][0x168]",                                          /* 10 */ \
         "IADD3 R0, -R9, 0xff, RZ",                                        /* 20 */ \
         "IMAD.MOV.U32 R6, RZ, RZ, RZ",                                    /* 30 */ \
         "STS [R9.X4], R2",                                                /* 40 */ \
         BARRIER,                                                          /* 50 */ \
         "LOP3.LUT R10, R6, 0x3, RZ, 0xc0, !PT",                           /* 60 */ \
         "IADD3 R11, R6, " ahead ", RZ",                                   /* 70 */ \
         "LOP3.LUT R11, R11, 0x3, RZ, 0xc0, !PT",                          /* 80 */ \
         "IMAD R10, R10, 0x100, R0",                                       /* 90 */ \
         "IMAD R11, R11, 0x100, R9",                                       /* a0 */ \
         "LDS R8, [R10.X4]",                                               /* b0 */ \
         "IADD3 R6, R6, 0x1, RZ",                                          /* c0 */ \
         "ISETP.GE.AND P0, PT, R6, c[0x0][0x170], PT", "STS [R11.X4], R8", /* e0 */ \
         BARRIER,                                                          /* f0 */ \
         "@!P0 BRA 0x60", "EXIT")

static void numbers_that_hang_together(void **state)
{
    (void)state;
    assert_int_equal(races(STAGES("0x2")), 0);
    assert_true(races(STAGES("0x4")) > 0);
}

/* for (;;) { if (t == 0) q = k; a barrier; i = q; a barrier or none; if (i >= n) break; }: nothing comes behind the
 * loop, and still its threads meet in it. */
#define QUEUE(second)                                \
    CODE("S2R R7, SR_TID.X",                /* 00 */ \
         "MOV R8, RZ",                      /* 10 */ \
         "ISETP.NE.AND P0, PT, R7, RZ, PT", /* 20 */ \
         "@P0 BRA 0x50",                    /* 30 */ \
         "STS [RZ], R8",                    /* 40 */ \
         BARRIER,                           /* 50 */ \
         "LDS R2, [RZ]",                    /* 60 */ \
         second,                            /* 70 */ \
         "IADD3 R8, R8, 0x1, RZ",           /* 80 */ \
         "ISETP.GE.AND P1, PT, R2, c[0x0][0x170], PT", "@!P1 BRA 0x30", "EXIT")

static void barriers_in_a_last_loop(void **state)
{
    (void)state;
    assert_int_equal(races(QUEUE(BARRIER)), 0);
    assert_true(races(QUEUE("NOP")) > 0);
}

/* s[t] = 0; a barrier; a copy to s[t] that runs by itself; its wait; a barrier; s[255 - t] is read: the copy is a
 * source in no order that is known, and the zeros are not known to be overwritten. */
static void copies_that_run_by_themselves(void **state)
{
    struct graph_dependence d;
    struct graph *g = code_graph(&arena, 86,
                                 CODE("S2R R9, SR_TID.X",             /* 00 */
                                      "MOV R4, c[0x0][0x168]",        /* 10 */
                                      "MOV R5, c[0x0][0x16c]",        /* 20 */
                                      "IMAD.SHL.U32 R7, R9, 0x4, RZ", /* 30 */
                                      "IADD3 R0, -R9, 0xff, RZ",      /* 40 */
                                      "STS [R7], RZ",                 /* 50 */
                                      BARRIER,                        /* 60 */
                                      "LDGSTS.E [R7], [R4.64]",       /* 70 */
                                      "LDGDEPBAR",                    /* 80 */
                                      "DEPBAR.LE SB0, 0x0",           /* 90 */
                                      BARRIER,                        /* a0 */
                                      "LDS R11, [R0.X4]",             /* b0 */
                                      "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]",
                                      "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x164]", "STG.E [R2.64], R11", "EXIT"),
                                 &env_86);
    bool zeros = false, copied = false;
    (void)state;
    assert_int_equal(graph_find_dependence(&arena, g, &d), SP_OK);
    assert_true(d.listed && !d.complete);
    assert_int_equal(d.races.n, 0);
    for (size_t i = 0; i < d.reaches.n; i++) {
        const struct graph_reach *r = &d.reaches.p[i];
        if (g->insns.p[g->accesses.p[r->load].insn].offset != 0xb0)
            continue;
        assert_true(r->assumed && r->thread_known && !r->own);
        zeros |= g->insns.p[g->accesses.p[r->store].insn].offset == 0x50;
        if (g->insns.p[g->accesses.p[r->store].insn].offset == 0x70) {
            copied = true;
            assert_int_equal(r->sync, GRAPH_SYNC_UNKNOWN);
        }
    }
    assert_true(zeros && copied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_other_buffer, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(the_row_above, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_word_for_each_column, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_fill_that_nobody_waits_for, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_word_for_each_warp, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_size_is_not_negative, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(both_guards_count, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(barriers_of_some_threads, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(stores_of_another_way, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(stores_that_are_not_seen, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(waiting_for_a_word, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(copies_that_run_by_themselves, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(barriers_in_a_last_loop, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(numbers_that_hang_together, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(masks_of_a_warp, make_arena, drop_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
