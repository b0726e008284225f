/* Memory dependence between threads: the tests of definitions.md D5, its near misses, ranges and exclusions. Code is
 * written as the vendor's disassembler prints it; what must come out is worked out by hand from what each thread
 * does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_arena.h"
#include "graph_code.h"

#include "graph/graph_depend.h"

struct found {
    struct graph *g;
    struct graph_dependence d;
};

static void find_86(struct found *f, const char *const *lines, uint32_t count)
{
    f->g = code_graph(&arena, 86, lines, count, &env_86);
    assert_int_equal(graph_find_dependence(&arena, f->g, &f->d), SP_OK);
}

static uint32_t offset_of(const struct found *f, uint32_t access)
{
    return f->g->insns.p[f->g->accesses.p[access].insn].offset;
}

/* The reach of the load at one offset from the store at another (with that distance of bytes), or NULL. */
static const struct graph_reach *reach_at(const struct found *f, uint32_t load, uint32_t store, int32_t element)
{
    for (size_t i = 0; i < f->d.reaches.n; i++) {
        const struct graph_reach *r = &f->d.reaches.p[i];
        if (offset_of(f, r->load) == load && offset_of(f, r->store) == store && r->element == element)
            return r;
    }
    return NULL;
}

static unsigned reach_count(const struct found *f, uint32_t load)
{
    unsigned n = 0;
    for (size_t i = 0; i < f->d.reaches.n; i++)
        n += offset_of(f, f->d.reaches.p[i].load) == load;
    return n;
}

static unsigned race_count(const struct found *f, bool assumed)
{
    unsigned n = 0;
    for (size_t i = 0; i < f->d.races.n; i++)
        n += f->d.races.p[i].assumed == assumed;
    return n;
}

static bool has_race(const struct found *f, uint32_t first, uint32_t second)
{
    for (size_t i = 0; i < f->d.races.n; i++)
        if (offset_of(f, f->d.races.p[i].first) == first && offset_of(f, f->d.races.p[i].second) == second)
            return true;
    return false;
}

/* A reach that is decided, from thread x (as text) of the block, parted as said. */
static void check_reach(const struct found *f, uint32_t load, uint32_t store, const char *x, enum graph_sync sync)
{
    const struct graph_reach *r = reach_at(f, load, store, 0);
    if (!r)
        fail_msg("0x%x does not read 0x%x", load, store);
    assert_false(r->may);
    assert_true(r->thread_known);
    assert_string_equal(value_text(&arena, f->g, r->thread[0]), x);
    assert_int_equal(r->sync, sync);
    assert_int_equal(r->own, sync == GRAPH_SYNC_OWN);
}

static void check_barriers(const struct found *f, uint32_t load, uint32_t store, uint32_t a, uint32_t b)
{
    const struct graph_reach *r = reach_at(f, load, store, 0);
    assert_non_null(r);
    assert_int_equal(r->barrier_count, b ? 2 : 1);
    assert_int_equal(f->g->insns.p[r->barriers[0]].offset, a);
    if (b)
        assert_int_equal(f->g->insns.p[r->barriers[1]].offset, b);
}

/* A tree reduction: fill, halving loop, thread 0 reads the sum. `middle` may be a NOP in the barrier's place. */
#define TREE(fill_barrier, step_barrier)                     \
    CODE("S2R R7, SR_TID.X",                       /* 00 */  \
         "ULDC UR4, c[0x0][0x0]",                  /* 10 */  \
         "USHF.R.U32.HI UR4, URZ, 0x1, UR4",       /* 20 */  \
         "STS [R7.X4], R6",                        /* 30 */  \
         fill_barrier,                             /* 40 */  \
         "ISETP.NE.AND P0, PT, RZ, UR4, PT",       /* 50 */  \
         "@!P0 BRA 0x130",                         /* 60 */  \
         "IMAD.SHL.U32 R0, R7, 0x4, RZ",           /* 70 */  \
         "IMAD.U32 R3, RZ, RZ, UR4",               /* 80 */  \
         "ISETP.GE.AND P1, PT, R7, R3, PT",        /* 90 */  \
         "@!P1 LDS R4, [R0]",                      /* a0 */  \
         "@!P1 LEA R2, R3, R0, 0x2",               /* b0 */  \
         "@!P1 LDS R5, [R2]",                      /* c0 */  \
         "SHF.R.U32.HI R3, RZ, 0x1, R3",           /* d0 */  \
         "@!P1 FADD.FTZ R4, R4, R5",               /* e0 */  \
         "@!P1 STS [R0], R4",                      /* f0 */  \
         step_barrier,                             /* 100 */ \
         "ISETP.NE.AND P0, PT, R3, RZ, PT",        /* 110 */ \
         "@P0 BRA 0x90",                           /* 120 */ \
         "ISETP.NE.AND P0, PT, R7, RZ, PT",        /* 130 */ \
         "@P0 EXIT",                               /* 140 */ \
         "LDS R5, [RZ]",                           /* 150 */ \
         "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x160]", /* 160 */ \
         "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x164]", /* 170 */ \
         "STG.E [R2.64], R5",                      /* 180 */ \
         "EXIT")

#define BARRIER "BAR.SYNC.DEFER_BLOCKING 0x0"

/* D5 Test, reduce_sum: own <- own, other <- tid + stride, the result <- thread 0. */
static void tree_reduction(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, TREE(BARRIER, BARRIER));
    assert_true(f.d.complete);
    check_reach(&f, 0xa0, 0x30, "threadIdx.x", GRAPH_SYNC_OWN);
    check_reach(&f, 0xa0, 0xf0, "threadIdx.x", GRAPH_SYNC_OWN);
    check_reach(&f, 0xc0, 0x30, "(add phi threadIdx.x)", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0xc0, 0xf0, "(add phi threadIdx.x)", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0x150, 0x30, "0", GRAPH_SYNC_OWN);
    check_reach(&f, 0x150, 0xf0, "0", GRAPH_SYNC_OWN);
    check_barriers(&f, 0xc0, 0x30, 0x40, 0x100);
    check_barriers(&f, 0xc0, 0xf0, 0x100, 0);
    assert_int_equal(f.d.reaches.n, 6);
    assert_int_equal(f.d.races.n, 0);
}

/* Without a barrier it is a finding, and never synchronised. */
static void tree_without_a_barrier(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, TREE("NOP", BARRIER));
    assert_true(has_race(&f, 0x30, 0xc0));
    assert_int_equal(reach_at(&f, 0xc0, 0x30, 0)->sync, GRAPH_SYNC_NONE);
    assert_int_equal(reach_at(&f, 0xc0, 0xf0, 0)->sync, GRAPH_SYNC_BARRIER);
    find_86(&f, TREE(BARRIER, "NOP"));
    assert_true(has_race(&f, 0xf0, 0xc0));
    assert_false(has_race(&f, 0xc0, 0xf0)); /* whose thread is above the guard, in this turn and in later ones */
    assert_int_equal(reach_at(&f, 0xc0, 0xf0, 0)->sync, GRAPH_SYNC_NONE);
    assert_int_equal(reach_at(&f, 0xc0, 0x30, 0)->sync, GRAPH_SYNC_BARRIER);
    /* A barrier for some threads only is no proof of anything. */
    find_86(&f, TREE(BARRIER, "BAR.SYNC.DEFER_BLOCKING 0x1, 0x40"));
    assert_int_equal(f.d.races.n, 0);
    assert_int_equal(reach_at(&f, 0xc0, 0xf0, 0)->sync, GRAPH_SYNC_UNKNOWN);
    assert_false(f.d.complete);
}

/* A scan reads downwards: without its middle barrier the neighbour's write may come first. */
#define SCAN(middle)                                                                                                   \
    CODE("S2R R9, SR_TID.X", "MOV R2, 0x4", "IMAD.WIDE R2, R9, R2, c[0x0][0x160]", "LDG.E R0, [R2.64]", /* 00 - 30 */  \
         "IMAD.MOV.U32 R4, RZ, RZ, c[0x0][0x0]", "ISETP.GE.U32.AND P0, PT, R4, 0x2, PT",                /* 40, 50 */   \
         "STS [R9.X4], R0", BARRIER, "@!P0 BRA 0x160", "MOV R0, 0x1",                                   /* 60 - 90 */  \
         "ISETP.GE.AND P0, PT, R9, R0, PT", "IMAD.MOV.U32 R4, RZ, RZ, RZ", "@P0 IADD3 R5, R9, -R0, RZ", /* a0 - c0 */  \
         "IMAD.SHL.U32 R0, R0, 0x2, RZ", "@P0 LDS R4, [R5.X4]", middle, "@P0 LDS R7, [R9.X4]",          /* d0 - 100 */ \
         "@P0 FADD.FTZ R4, R7, R4", "@P0 STS [R9.X4], R4", BARRIER,                          /* 110 - 130 */           \
         "ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x0], PT", "@!P0 BRA 0xa0", "LDS R5, [R9.X4]", /* 140 - 160 */           \
         "STG.E [R2.64], R5", "EXIT")

static void scan(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, SCAN(BARRIER));
    assert_int_equal(f.d.races.n, 0);
    check_reach(&f, 0xe0, 0x60, "(add (neg phi) threadIdx.x)", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0xe0, 0x120, "(add (neg phi) threadIdx.x)", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0x160, 0x120, "threadIdx.x", GRAPH_SYNC_OWN);
    find_86(&f, SCAN("NOP"));
    assert_true(has_race(&f, 0xe0, 0x120));
    assert_int_equal(f.d.races.n, 1);
}

/* A butterfly writes what its partner still reads when its second barrier is missing. */
#define BUTTERFLY(second)                                                                                    \
    CODE("S2R R4, SR_TID.X", "ULDC UR4, c[0x0][0x0]", "USHF.R.U32.HI UR4, URZ, 0x1, UR4",      /* 00 - 20 */ \
         "ISETP.NE.AND P0, PT, RZ, UR4, PT", "@!P0 EXIT", "STS [R4.X4], R5",                   /* 30 - 50 */ \
         "LOP3.LUT R0, R4, UR4, RZ, 0x3c, !PT", "USHF.R.U32.HI UR4, URZ, 0x1, UR4", BARRIER,   /* 60 - 80 */ \
         "ISETP.NE.AND P0, PT, RZ, UR4, PT", "LDS R0, [R0.X4]", "FADD.FTZ R5, R0, R5", second, /* 90 - c0 */ \
         "@P0 BRA 0x50", "EXIT")

static void butterfly(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, BUTTERFLY(BARRIER));
    assert_int_equal(f.d.races.n, 0);
    check_reach(&f, 0xa0, 0x50, "(xor threadIdx.x phi)", GRAPH_SYNC_BARRIER);
    find_86(&f, BUTTERFLY("NOP"));
    assert_true(has_race(&f, 0xa0, 0x50));
}

/* 64 threads, then one warp without a word: it holds while lanes run in step, and that is said. */
static void warp_synchronous_tail(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.GT.AND P0, PT, R7, 0x1f, PT", "STS [R7.X4], R2", BARRIER, /* 00 - 30 */
                     "@P0 EXIT", "LDS R0, [R7.X4]", "LDS R5, [R7.X4+0x80]", "FADD.FTZ R0, R0, R5",        /* 40 - 70 */
                     "STS [R7.X4], R0", "LDS R4, [R7.X4]", "LDS R5, [R7.X4+0x40]",                        /* 80 - a0 */
                     "FADD.FTZ R4, R4, R5", "STS [R7.X4], R4", "EXIT"));                                  /* b0 - d0 */
    check_reach(&f, 0x60, 0x20, "(add threadIdx.x 32)", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0xa0, 0x80, "(add threadIdx.x 16)", GRAPH_SYNC_WARP_ASSUMED);
    check_reach(&f, 0x90, 0x80, "threadIdx.x", GRAPH_SYNC_OWN);
    assert_int_equal(reach_count(&f, 0x90), 1); /* its own store stands over the fill */
    assert_int_equal(race_count(&f, false), 0);
    assert_int_equal(race_count(&f, true), 2);
    /* With a warp sync between write and read it is synchronised. */
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.GT.AND P0, PT, R7, 0x1f, PT", "@P0 EXIT", "STS [R7.X4], R0",
                     "WARPSYNC 0xffffffff", "LDS R5, [R7.X4+0x40]", "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x50, 0x30, "(add threadIdx.x 16)", GRAPH_SYNC_WARP);
    assert_int_equal(f.d.races.n, 0);
}

/* Written out step by step, each load is left with the step before. */
static void steps_written_out(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [R7.X4], R2", BARRIER, "ISETP.GT.AND P0, PT, R7, 0x7f, PT", /* 00 - 30 */
                     "@!P0 LDS R0, [R7.X4]", "@!P0 LDS R5, [R7.X4+0x200]", "@!P0 FADD R0, R0, R5",        /* 40 - 60 */
                     "@!P0 STS [R7.X4], R0", BARRIER, "ISETP.GT.AND P0, PT, R7, 0x3f, PT",                /* 70 - 90 */
                     "@!P0 LDS R0, [R7.X4]", "@!P0 LDS R5, [R7.X4+0x100]", "@!P0 FADD R0, R0, R5",        /* a0 - c0 */
                     "@!P0 STS [R7.X4], R0", BARRIER, "LDS R0, [RZ]", "STG.E [R2.64], R0", "EXIT"));      /* d0 - 110 */
    check_reach(&f, 0x40, 0x10, "threadIdx.x", GRAPH_SYNC_OWN);
    check_reach(&f, 0x50, 0x10, "(add threadIdx.x 128)", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0xa0, 0x70, "threadIdx.x", GRAPH_SYNC_OWN);
    check_reach(&f, 0xb0, 0x70, "(add threadIdx.x 64)", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0xf0, 0xd0, "0", GRAPH_SYNC_BARRIER);
    assert_int_equal(f.d.reaches.n, 5);
    assert_int_equal(f.d.races.n, 0);
}

/* Softmax's second fill: whatever was there before is gone, on either way through the branch. */
static void a_later_store_ends_older_ones(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [R7.X4], R2", BARRIER, "LDS R0, [RZ]", BARRIER, /* 00 - 40 */
                     "ISETP.GE.AND P0, PT, R7, c[0x0][0x170], PT", "@P0 BRA 0xa0",            /* 50, 60 */
                     "FADD R1, R0, R2", "STS [R7.X4], R1", "BRA 0xb0", "STS [R7.X4], RZ",     /* 70 - a0 */
                     BARRIER, "LDS R3, [R7.X4+0x4]", "STG.E [R4.64], R3", "EXIT"));           /* b0 - e0 */
    check_reach(&f, 0x30, 0x10, "0", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0xc0, 0x80, "(add threadIdx.x 1)", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0xc0, 0xa0, "(add threadIdx.x 1)", GRAPH_SYNC_BARRIER);
    assert_null(reach_at(&f, 0xc0, 0x10, 0));
    /* In one arm only: a thread that went the other way has left its first store. */
    find_86(&f,
            CODE("S2R R7, SR_TID.X", "STS [R7.X4], R2", BARRIER, "ISETP.GE.AND P0, PT, R7, 0x20, PT", "@P0 BRA 0x80",
                 "STS [R7.X4], RZ", BARRIER, "BRA 0x90", BARRIER, "LDS R3, [R7.X4+0x80]", "STG.E [R4.64], R3", "EXIT"));
    assert_non_null(reach_at(&f, 0x90, 0x10, 0));
}

/* tile[ty][tx] written, tile[tx][ty] read: two coordinates, whatever the pitch. */
static void tiles_in_two_dimensions(void **state)
{
    struct found f;
    const struct graph_reach *r;
    (void)state;
    find_86(&f, CODE("S2R R4, SR_TID.X", "S2R R5, SR_TID.Y", "IMAD R7, R5, 0x11, R4", "IMAD R5, R4, 0x11, R5",
                     "STS [R7.X4], R0", BARRIER, "LDS R5, [R5.X4]", "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x60, 0x40, "threadIdx.y", GRAPH_SYNC_BARRIER);
    r = reach_at(&f, 0x60, 0x40, 0);
    assert_string_equal(value_text(&arena, f.g, r->thread[1]), "threadIdx.x");
    assert_true(r->assumed); /* that a row holds as many threads as the pitch has words */
    find_86(&f, CODE("S2R R4, SR_TID.X", "S2R R5, SR_TID.Y", "IMAD R7, R5, 0x11, R4", "IMAD R5, R4, 0x11, R5",
                     "STS [R7.X4], R0", "NOP", "LDS R5, [R5.X4]", "STG.E [R2.64], R5", "EXIT"));
    assert_true(has_race(&f, 0x40, 0x60));
    assert_int_equal(reach_at(&f, 0x60, 0x40, 0)->sync, GRAPH_SYNC_NONE);
}

/* A block's threads counted through in two dimensions: own, another one, and thread 0, as in one. */
static void one_number_in_two_dimensions(void **state)
{
    struct found f;
    const struct graph_reach *r;
    (void)state;
    find_86(&f, CODE("S2R R4, SR_TID.X", "S2R R5, SR_TID.Y", "IMAD R7, R5, c[0x0][0x0], R4", "STS [R7.X4], R0", BARRIER,
                     "LDS R1, [R7.X4]", "LDS R2, [R7.X4+0x80]", "ISETP.NE.AND P0, PT, R7, RZ, PT", "@P0 EXIT",
                     "LDS R3, [RZ]", "FADD R1, R1, R2", "FADD R1, R1, R3", "STG.E [R8.64], R1", "EXIT"));
    check_reach(&f, 0x50, 0x30, "threadIdx.x", GRAPH_SYNC_OWN);
    r = reach_at(&f, 0x60, 0x30, 0);
    assert_non_null(r);
    assert_false(r->may || r->own || r->thread_known); /* another one, of no simple coordinates */
    assert_int_equal(r->sync, GRAPH_SYNC_BARRIER);
    assert_true(reach_at(&f, 0x90, 0x30, 0)->own);
}

/* Padding against bank conflicts: no number of mixed radix, but each thread has its own word. */
static void padded_addresses(void **state)
{
    struct found f;
    (void)state;
    find_86(&f,
            CODE("S2R R4, SR_TID.X", "SHF.R.U32.HI R5, RZ, 0x5, R4", "IMAD.IADD R6, R4, 0x1, R5", "STS [R6.X4], R0",
                 BARRIER, "LDS R1, [R6.X4]", "LDS R2, [R6.X4+0x4]", "FADD R1, R1, R2", "STG.E [R8.64], R1", "EXIT"));
    check_reach(&f, 0x50, 0x30, "threadIdx.x", GRAPH_SYNC_OWN);
    assert_true(reach_at(&f, 0x60, 0x30, 0)->may);
}

/* No warning for correct code that only looks like it: elements a fixed distance apart, a halo, a lane's neighbour. */
static void no_false_alarm(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "IMAD.WIDE R2, R7, 0x4, c[0x0][0x160]", "STG.E [R2.64], R0",
                     "STG.E [R2.64+0x200], R0", "LDG.E R1, [R2.64+0x400]", "STG.E [R2.64+0x600], R1", "EXIT"));
    assert_int_equal(f.d.races.n, 0);
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.NE.AND P0, PT, R7, 0xff, PT", "STS [R7.X4+0x4], R0",
                     "@!P0 STS [RZ+0x404], R1", BARRIER, "LDS R2, [R7.X4+0x8]", "STG.E [R4.64], R2", "EXIT"));
    assert_int_equal(f.d.races.n, 0);
    find_86(&f, CODE("S2R R7, SR_TID.X", "LOP3.LUT R5, R7, 0x1f, RZ, 0xc0, !PT", "STS [R7.X4], R0",
                     "ISETP.GT.U32.AND P0, PT, R5, 0xf, PT", "@P0 EXIT", "LDS R2, [R7.X4+0x40]", "STG.E [R8.64], R2",
                     "EXIT"));
    assert_int_equal(race_count(&f, false), 0);
    assert_int_equal(reach_at(&f, 0x50, 0x20, 0)->sync, GRAPH_SYNC_WARP_ASSUMED);
}

/* A row read in a loop that is not unrolled: the counter is the column. */
static void a_counter_is_a_coordinate(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R4, SR_TID.Y", "S2R R5, SR_TID.X", "IMAD R4, R4, 0x44, RZ", "CS2R R6, SRZ", /* 00 - 30 */
                     "LEA R5, R5, R4, 0x2", "STS [R5], R0", BARRIER, "LDS R0, [R4]",                  /* 40 - 70 */
                     "IADD3 R6, R6, 0x1, RZ", "ISETP.NE.AND P0, PT, R6, 0x10, PT",                    /* 80, 90 */
                     "IADD3 R4, R4, 0x4, RZ", "FADD.FTZ R7, R0, R7", "@P0 BRA 0x70",                  /* a0 - c0 */
                     "STG.E [R2.64], R7", "EXIT"));
    check_reach(&f, 0x70, 0x50, "phi", GRAPH_SYNC_BARRIER);
    assert_string_equal(value_text(&arena, f.g, reach_at(&f, 0x70, 0x50, 0)->thread[1]), "threadIdx.y");
}

/* Two arrays behind one another, and one array in several pieces. */
static void arrays_and_pieces(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [R7.X4], R0", "STS [R7.X4+0x400], R4", BARRIER, /* 00 - 30 */
                     "ISETP.GT.AND P0, PT, R7, 0x7f, PT", "@P0 EXIT", "LDS R0, [R7.X4+0x600]", "LDS R5, [R7.X4+0x200]",
                     "FADD R5, R0, R5", "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x60, 0x20, "(add threadIdx.x 128)", GRAPH_SYNC_BARRIER);
    check_reach(&f, 0x70, 0x10, "(add threadIdx.x 128)", GRAPH_SYNC_BARRIER);
    assert_int_equal(f.d.reaches.n, 2);
    assert_true(reach_at(&f, 0x60, 0x20, 0)->assumed);
    assert_int_not_equal(f.d.object_of[0], f.d.object_of[1]);
    /* Reads across: it is one array, and 512 bytes apart are other threads' words. */
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [R7.X4], R0", "STS [R7.X4+0x200], R4", BARRIER, "LDS R0, [R7.X8]",
                     "STG.E [R2.64], R0", "EXIT"));
    assert_int_equal(f.d.object_of[0], f.d.object_of[1]);
    assert_non_null(reach_at(&f, 0x40, 0x10, 0));
    assert_non_null(reach_at(&f, 0x40, 0x20, 0));
}

/* A word of a 16-byte store: four possible places, one thread for each reader. */
static void wide_stores_word_by_word(void **state)
{
    struct found f;
    (void)state;
    find_86(&f,
            CODE("S2R R0, SR_TID.X", "STS.128 [R0.X16], R8", BARRIER, "LDS R7, [R0.X4]", "STG.E [R4.64], R7", "EXIT"));
    assert_int_equal(f.d.reaches.n, 4);
    for (int32_t at = 0; at < 16; at += 4) {
        const struct graph_reach *r = reach_at(&f, 0x30, 0x10, at);
        assert_non_null(r);
        assert_string_equal(value_text(&arena, f.g, r->thread[0]), "(shr threadIdx.x 2)");
    }
    find_86(&f, CODE("S2R R0, SR_TID.X", "STS.128 [R0.X16], R8", BARRIER, "LDS R7, [R0.X16+0x4]", "STG.E [R4.64], R7",
                     "EXIT"));
    assert_int_equal(f.d.reaches.n, 1);
    assert_non_null(reach_at(&f, 0x30, 0x10, 4));
    assert_true(reach_at(&f, 0x30, 0x10, 4)->own);
}

/* One word a warp, read by the first warp's lanes. */
static void a_warp_is_a_digit(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R5, SR_TID.X", "LOP3.LUT P0, R0, R5, 0x1f, RZ, 0xc0, !PT", "SHF.R.S32.HI R6, RZ, 0x5, R5",
                     "@!P0 STS [R6.X4], R4", BARRIER, "ISETP.GT.AND P1, PT, R5, 0x1f, PT", "@P1 EXIT",
                     "LDS R7, [R0.X4]", "STG.E [R2.64], R7", "EXIT"));
    check_reach(&f, 0x70, 0x30, "(mul (and threadIdx.x 31) 32)", GRAPH_SYNC_BARRIER);
}

/* Where threads part, a barrier is not the block's; an exit before it is no such parting. */
static void divergent_barriers(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.GE.AND P0, PT, R7, 0x40, PT", "STS [R7.X4], R0", "@P0 BRA 0x60",
                     BARRIER, "LDS R5, [R7.X4+0x4]", "STG.E [R2.64], R5", "EXIT"));
    assert_int_equal(reach_at(&f, 0x50, 0x20, 0)->sync, GRAPH_SYNC_UNKNOWN);
    assert_int_equal(f.d.races.n, 0);
    assert_false(f.d.complete);
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.GE.AND P0, PT, R7, c[0x0][0x168], PT", "@P0 EXIT", "STS [R7.X4], R0",
                     "IADD3 R4, -R7, 0xff, RZ", BARRIER, "LDS R5, [R4.X4]", "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x60, 0x30, "(add (neg threadIdx.x) 255)", GRAPH_SYNC_BARRIER);
    assert_true(f.d.complete);
}

/* Two sides of a branch have no common way, and no order. */
static void both_sides_of_a_branch(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.GE.AND P0, PT, R7, 0x20, PT", "@P0 BRA 0x50", "STS [R7.X4], R0", "EXIT",
                     "LDS R5, [R7.X4+-0x80]", "STG.E [R2.64], R5", "EXIT"));
    assert_true(has_race(&f, 0x30, 0x50));
    assert_int_equal(reach_at(&f, 0x50, 0x30, 0)->sync, GRAPH_SYNC_NONE);
}

/* A barrier under a condition is one on the ways where it holds only. */
static void a_barrier_under_a_guard(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.NE.AND P0, PT, RZ, c[0x0][0x170], PT", "STS [R7.X4], R0",
                     "IADD3 R4, -R7, 0xff, RZ", "@P0 BAR.SYNC.DEFER_BLOCKING 0x0", "LDS R5, [R4.X4]",
                     "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x50, 0x20, "(add (neg threadIdx.x) 255)", GRAPH_SYNC_NONE);
    assert_int_equal(reach_at(&f, 0x50, 0x20, 0)->barrier_count, 0);
    assert_true(has_race(&f, 0x20, 0x50));
    /* The reader asks for the same: it has waited. */
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.NE.AND P0, PT, RZ, c[0x0][0x170], PT", "STS [R7.X4], R0",
                     "IADD3 R4, -R7, 0xff, RZ", "@P0 BAR.SYNC.DEFER_BLOCKING 0x0", "@P0 LDS R5, [R4.X4]",
                     "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x50, 0x20, "(add (neg threadIdx.x) 255)", GRAPH_SYNC_BARRIER);
    assert_int_equal(f.d.races.n, 0);
    /* So does the writer. */
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.NE.AND P0, PT, RZ, c[0x0][0x170], PT", "@P0 STS [R7.X4], R0",
                     "IADD3 R4, -R7, 0xff, RZ", "@P0 BAR.SYNC.DEFER_BLOCKING 0x0", "LDS R5, [R4.X4]",
                     "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x50, 0x20, "(add (neg threadIdx.x) 255)", GRAPH_SYNC_BARRIER);
    assert_int_equal(f.d.races.n, 0);
    /* Another condition says nothing. */
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.NE.AND P0, PT, RZ, c[0x0][0x170], PT", "STS [R7.X4], R0",
                     "IADD3 R4, -R7, 0xff, RZ", "@P0 BAR.SYNC.DEFER_BLOCKING 0x0",
                     "ISETP.NE.AND P1, PT, RZ, c[0x0][0x174], PT", "@P1 LDS R5, [R4.X4]", "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x60, 0x20, "(add (neg threadIdx.x) 255)", GRAPH_SYNC_NONE);
}

/* The same by branches: a way round the barrier is shut for a reader that asks for what the barrier asks for. */
static void ways_that_are_shut(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.NE.AND P0, PT, RZ, c[0x0][0x170], PT", "STS [R7.X4], R0",
                     "IADD3 R4, -R7, 0xff, RZ", "@!P0 BRA 0x60", BARRIER, "@!P0 BRA 0x90", "LDS R5, [R4.X4]",
                     "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x70, 0x20, "(add (neg threadIdx.x) 255)", GRAPH_SYNC_BARRIER);
    assert_int_equal(f.d.races.n, 0);
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.NE.AND P0, PT, RZ, c[0x0][0x170], PT", "STS [R7.X4], R0",
                     "IADD3 R4, -R7, 0xff, RZ", "@!P0 BRA 0x60", BARRIER, "@P0 BRA 0x90", "LDS R5, [R4.X4]",
                     "STG.E [R2.64], R5", "EXIT"));
    assert_true(has_race(&f, 0x20, 0x70));
}

/* The tail of a tree goes on without barriers: for (d …) { if (t < d) s[t] += s[t + d]; if (d > 32) barrier; }. */
static void barriers_left_out_within_a_warp(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, TREE(BARRIER, "@P2 BAR.SYNC.DEFER_BLOCKING 0x0")); /* of a condition that is nobody's */
    assert_int_equal(reach_at(&f, 0xc0, 0xf0, 0)->sync == GRAPH_SYNC_BARRIER, false);
    find_86(&f, CODE("S2R R7, SR_TID.X", "ULDC UR4, c[0x0][0x0]", "USHF.R.U32.HI UR4, URZ, 0x1, UR4", /* 00 - 20 */
                     "STS [R7.X4], R6", BARRIER, "IMAD.U32 R3, RZ, RZ, UR4",                          /* 30 - 50 */
                     "IMAD.SHL.U32 R0, R7, 0x4, RZ", "ISETP.NE.AND P0, PT, R3, RZ, PT",               /* 60, 70 */
                     "@!P0 EXIT", "ISETP.GE.AND P1, PT, R7, R3, PT", "@!P1 LDS R4, [R0]",             /* 80 - a0 */
                     "@!P1 LEA R2, R3, R0, 0x2", "@!P1 LDS R5, [R2]", "@!P1 FADD R4, R4, R5",         /* b0 - d0 */
                     "@!P1 STS [R0], R4", "ISETP.GT.U32.AND P2, PT, R3, 0x20, PT",                    /* e0, f0 */
                     "@P2 BAR.SYNC.DEFER_BLOCKING 0x0", "SHF.R.U32.HI R3, RZ, 0x1, R3",               /* 100, 110 */
                     "ISETP.NE.AND P0, PT, R3, RZ, PT", "@P0 BRA 0x90", "EXIT"));                     /* 120 - 140 */
    assert_int_equal(reach_at(&f, 0xc0, 0xe0, 0)->sync, GRAPH_SYNC_WARP_ASSUMED);
    assert_int_equal(reach_at(&f, 0xc0, 0x30, 0)->sync, GRAPH_SYNC_BARRIER);
    assert_int_equal(race_count(&f, false), 0);
}

/* A scan written out: a step races where there are threads for it, by what the next steps ask for. */
static void scan_written_out(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [R7.X4], R2", BARRIER, "ISETP.GE.AND P0, PT, R7, 0x10, PT", /* 00 - 30 */
                     "@P0 LDS R0, [R7.X4]", "@P0 LDS R5, [R7.X4+-0x40]", "@P0 FADD R0, R0, R5",           /* 40 - 60 */
                     "@P0 STS [R7.X4], R0", BARRIER, "ISETP.GE.AND P0, PT, R7, 0x20, PT",                 /* 70 - 90 */
                     "@P0 LDS R0, [R7.X4]", "@P0 LDS R5, [R7.X4+-0x80]", "@P0 FADD R0, R0, R5",           /* a0 - c0 */
                     "@P0 STS [R7.X4], R0", BARRIER, "LDS R0, [R7.X4]", "STG.E [R2.64], R0", "EXIT"));    /* d0 - 110 */
    assert_true(has_race(&f, 0x50, 0x70));
    assert_true(f.d.races.p[0].sized);
    assert_false(has_race(&f, 0xb0, 0xd0)); /* 64 threads would do: who writes then reads nothing of theirs */
}

/* for (d = 1; d < n; d <<= 1): the distance is 1 in the first turn, whatever it comes to later. */
static void scan_of_any_length(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [R7.X4], R2", BARRIER, "IMAD.MOV.U32 R3, RZ, RZ, 0x1",     /* 00 - 30 */
                     "IMAD.SHL.U32 R0, R7, 0x4, RZ", "ISETP.GE.AND P0, PT, R7, R3, PT",                  /* 40, 50 */
                     "IMAD.IADD R4, R7, 0x1, -R3", "@P0 LDS R5, [R0]", "@P0 LDS R6, [R4.X4]",            /* 60 - 80 */
                     "@P0 FADD R5, R5, R6", "@P0 STS [R0], R5", BARRIER, "IMAD.SHL.U32 R3, R3, 0x2, RZ", /* 90 - c0 */
                     "ISETP.GE.AND P0, PT, R3, c[0x0][0x170], PT", "@!P0 BRA 0x50", "EXIT"));            /* d0 - f0 */
    assert_true(has_race(&f, 0x80, 0xa0));
}

/* All threads store to one word: a race of the store with itself, when the values differ. */
static void one_word_for_all(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [RZ], R7", BARRIER, "LDS R5, [RZ]", "STG.E [R2.64], R5", "EXIT"));
    assert_true(has_race(&f, 0x10, 0x10));
    find_86(&f, CODE("S2R R7, SR_CTAID.X", "STS [RZ], R7", BARRIER, "LDS R5, [RZ]", "STG.E [R2.64], R5", "EXIT"));
    assert_int_equal(f.d.races.n, 0);
    find_86(&f, CODE("S2R R7, SR_TID.X", "ISETP.NE.AND P0, PT, R7, RZ, PT", "@!P0 STS [RZ], R7", BARRIER,
                     "LDS R5, [RZ]", "STG.E [R2.64], R5", "EXIT"));
    assert_int_equal(f.d.races.n, 0);
}

/* Two buffers in turn: s[i & 1][t] is written while s[(i + 1) & 1] may still be read, which is the other one. */
static void two_buffers(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, RZ", "IMAD.SHL.U32 R6, R7, 0x4, RZ", /* 00 - 20 */
                     "LOP3.LUT R4, R3, 0x1, RZ, 0xc0, !PT", "IMAD R5, R4, 0x400, R6", "STS [R5], R0",   /* 30 - 50 */
                     BARRIER, "IMAD R8, R4, 0x400, -R6", "LDS R9, [R8+0x3fc]", "IADD3 R3, R3, 0x1, RZ", /* 60 - 90 */
                     "ISETP.GE.AND P0, PT, R3, c[0x0][0x170], PT", "@!P0 BRA 0x30", "EXIT"));           /* a0 - c0 */
    check_reach(&f, 0x80, 0x50, "(add (neg threadIdx.x) 255)", GRAPH_SYNC_BARRIER);
    assert_int_equal(f.d.races.n, 0);
}

/* Words of a generic address in the shared window: 4 * (255 - threadIdx.x) as a sum of two words and a carry. */
static void shared_by_generic_addresses(void **state)
{
    struct found f;
    struct graph_env env = env_86;
    (void)state;
    env.shared_window = 0x18;
    f.g = code_graph(&arena, 86,
                     CODE("S2R R3, SR_TID.X", "MOV R4, c[0x0][0x18]", "MOV R10, c[0x0][0x1c]", /* 00 - 20 */
                          "SHF.R.S32.HI R7, RZ, 0x1f, R3", "SHF.L.U64.HI R7, R3, 0x2, R7",     /* 30, 40 */
                          "SHF.L.U32 R6, R3, 0x2, RZ", "IADD3 R6, P0, R4, R6, RZ",             /* 50, 60 */
                          "IADD3.X R7, R10, R7, RZ, P0, !PT", "ST.E [R6.64], R5",              /* 70, 80 */
                          "IADD3 R8, -R3, 0xff, RZ", "SHF.R.S32.HI R9, RZ, 0x1f, R8",          /* 90, a0 */
                          "SHF.L.U64.HI R9, R8, 0x2, R9", "SHF.L.U32 R8, R8, 0x2, RZ",         /* b0, c0 */
                          "IADD3 R8, P0, R4, R8, RZ", "IADD3.X R9, R10, R9, RZ, P0, !PT",      /* d0, e0 */
                          "LD.E R5, [R8.64]", "STG.E [R12.64], R5", "EXIT"),                   /* f0 - 110 */
                     &env);
    assert_int_equal(graph_find_dependence(&arena, f.g, &f.d), SP_OK);
    check_reach(&f, 0xf0, 0x80, "(add (neg threadIdx.x) 255)", GRAPH_SYNC_NONE);
    assert_int_equal(f.g->accesses.p[f.d.reaches.p[0].load].space, UOP_SHARED);
}

/* Two arrays, one of them also reached by an address of which nothing is known: they are cut all the same. */
static void arrays_beside_the_unknown(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [R7.X4], R0", "STS [R7.X4+0x400], R0", BARRIER, "LDG.E R8, [R2.64]",
                     "LDS R4, [R8]", "LDS R5, [R7.X4+0x400]", "FADD R5, R4, R5", "STG.E [R2.64], R5", "EXIT"));
    check_reach(&f, 0x60, 0x20, "threadIdx.x", GRAPH_SYNC_OWN);
    assert_int_equal(reach_count(&f, 0x60), 1); /* not the 256th thread on */
}

/* Global: a round trip of the thread's own (fma_volatile), a neighbour's word, another parameter. */
static void global_memory(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R2, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, 0x4", "IMAD.WIDE R4, R2, R3, c[0x0][0x160]",
                     "STG.E.STRONG.SYS [R4.64], R0", "LDG.E.STRONG.SYS R1, [R4.64]",
                     "IMAD.WIDE R6, R2, R3, c[0x0][0x168]", "STG.E [R6.64], R1", "EXIT"));
    check_reach(&f, 0x40, 0x30, "threadIdx.x", GRAPH_SYNC_OWN);
    assert_false(reach_at(&f, 0x40, 0x30, 0)->assumed);
    assert_int_equal(f.d.races.n, 0);
    find_86(&f, CODE("S2R R2, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, 0x4", "IMAD.WIDE R4, R2, R3, c[0x0][0x160]",
                     "STG.E [R4.64], R0", "IMAD.WIDE R6, R2, R3, c[0x0][0x168]", "LDG.E R1, [R6.64]",
                     "STG.E [R6.64], R1", "LDG.E R1, [R4.64+0x4]", "STG.E [R6.64+0x40], R1", "EXIT"));
    assert_true(reach_at(&f, 0x50, 0x30, 0)->may);
    assert_true(reach_at(&f, 0x50, 0x30, 0)->assumed);
    assert_int_equal(reach_at(&f, 0x70, 0x30, 0)->sync, GRAPH_SYNC_NONE);
    assert_true(has_race(&f, 0x30, 0x70));
}

/* Data decide the address, or whether there is a store: nothing is claimed of it. */
static void what_data_decide(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "LDG.E R4, [R2.64]", "STS [R4.X4], R0", "LDS R5, [R7.X4]", "STG.E [R2.64], R5",
                     "EXIT"));
    assert_true(reach_at(&f, 0x30, 0x20, 0)->may);
    assert_int_equal(reach_at(&f, 0x30, 0x20, 0)->sync, GRAPH_SYNC_UNKNOWN);
    assert_int_equal(f.d.races.n, 0);
    find_86(&f, CODE("S2R R7, SR_TID.X", "IMAD.WIDE R2, R7, 0x4, R2", "LDG.E R4, [R2.64]",
                     "ISETP.NE.AND P0, PT, R4, RZ, PT", "@P0 STS [R7.X4], R0", "LDS R5, [R7.X4+0x4]",
                     "STG.E [R2.64], R5", "EXIT"));
    assert_true(reach_at(&f, 0x50, 0x40, 0)->may);
    assert_int_equal(f.d.races.n, 0);
}

/* A bin counter: atomics do not race with one another, but with a plain clear. */
static void atomics(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [R7.X4], RZ", BARRIER, "LDG.E R4, [R2.64]", "ATOMS.ADD RZ, [R4.X4], R5",
                     BARRIER, "LDS R6, [R7.X4]", "STG.E [R2.64], R6", "EXIT"));
    assert_int_equal(f.d.races.n, 0);
    assert_true(reach_at(&f, 0x60, 0x40, 0)->may);
    assert_int_equal(reach_at(&f, 0x60, 0x40, 0)->sync, GRAPH_SYNC_BARRIER);
    assert_true(reach_at(&f, 0x60, 0x10, 0)->own);
    find_86(&f, CODE("S2R R7, SR_TID.X", "STS [R7.X4], RZ", "ATOMS.ADD RZ, [R7.X4+0x4], R5", "EXIT"));
    assert_true(has_race(&f, 0x10, 0x20));
}

/* A spilled value comes back through a barrier and a loop that spills something else. */
static void spills(void **state)
{
    struct found f;
    (void)state;
    find_86(&f, CODE("IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]", "IADD3 R1, R1, -0x10, RZ", "S2R R7, SR_TID.X",
                     "STL [R1+0x4], R7", "IMAD.MOV.U32 R3, RZ, RZ, RZ", BARRIER,                         /* 00 - 50 */
                     "STL [R1+0x8], R3", "LDL R4, [R1+0x4]", "LDL R6, [R1+0x8]", "IADD3 R3, R4, R6, RZ", /* 60 - 90 */
                     "STS [R7.X4], R3", BARRIER, "ISETP.LT.AND P0, PT, R3, 0x64, PT", "@P0 BRA 0x60",
                     "LDL R5, [R1+0x4]", "STG.E [R2.64], R5", "EXIT")); /* e0 */
    unsigned seen = 0;
    for (size_t i = 0; i < f.g->accesses.n; i++) {
        const struct graph_access *l = &f.g->accesses.p[i];
        if (l->space != UOP_LOCAL || l->kind != GRAPH_LOAD)
            continue;
        seen++;
        assert_true(l->from_store >= 0);
        assert_int_equal(offset_of(&f, (uint32_t)l->from_store), offset_of(&f, (uint32_t)i) == 0x80 ? 0x60 : 0x30);
        assert_int_equal(reach_count(&f, offset_of(&f, (uint32_t)i)), 1);
    }
    assert_int_equal(seen, 3);
    check_reach(&f, 0x70, 0x30, "threadIdx.x", GRAPH_SYNC_OWN);
    /* A slot that the loop writes again is not what it was before. */
    find_86(&f, CODE("IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]", "S2R R7, SR_TID.X", "STL [R1+0x4], R7", /* 00 - 20 */
                     "LDL R4, [R1+0x4]", "IADD3 R3, R4, 0x1, RZ", "STL [R1+0x4], R3",                 /* 30 - 50 */
                     "ISETP.LT.AND P0, PT, R3, 0x64, PT", "@P0 BRA 0x30", "STG.E [R8.64], R3", "EXIT"));
    assert_int_equal(reach_count(&f, 0x30), 2);
    assert_false(reach_at(&f, 0x30, 0x20, 0)->may);
    assert_false(reach_at(&f, 0x30, 0x50, 0)->may);
}

/* ---- ranges and exclusions ------------------------------------------------------------------- */

static void ranges(void **state)
{
    struct graph g;
    struct graph_range r;
    (void)state;
    graph_init(&g, &arena, &env_86);
    graph_id t = graph_sreg(&g, UOP_SR_TID_X), c5 = graph_const(&g, UOP_B32, 5);
    assert_true(graph_range_of(&g, t, &r));
    assert_int_equal(r.lo, 0);
    assert_int_equal(r.hi, 1023);
    assert_true(graph_range_of(&g, graph_op2(&g, UOP_SHR, UOP_B32, t, c5), &r));
    assert_int_equal(r.hi, 31);
    assert_true(graph_range_of(&g, graph_op2(&g, UOP_AND, UOP_B32, t, graph_const(&g, UOP_B32, 31)), &r));
    assert_int_equal(r.hi, 31);
    assert_true(graph_range_of(
        &g, graph_op2(&g, UOP_ADD, UOP_B32, graph_op1(&g, UOP_NEG, UOP_B32, t), graph_const(&g, UOP_B32, 255)), &r));
    assert_int_equal(r.lo, -768);
    assert_int_equal(r.hi, 255);
    assert_false(graph_range_of(&g, graph_cbank(&g, UOP_B32, 0, 0x160), &r));
    /* With the block's size known there is less left. */
    struct graph_env env = env_86;
    env.block[0] = 256;
    graph_init(&g, &arena, &env);
    assert_true(graph_range_of(&g, graph_sreg(&g, UOP_SR_TID_X), &r));
    assert_int_equal(r.hi, 255);
}

static void loop_ranges(void **state)
{
    struct found f;
    struct graph_range r;
    unsigned phis = 0;
    (void)state;
    find_86(&f, TREE(BARRIER, BARRIER));
    for (graph_id id = 1; id < f.g->nodes.n; id++) {
        const struct graph_node *n = graph_at(f.g, id);
        if (n->kind != GRAPH_PHI || !graph_range_of(f.g, id, &r))
            continue;
        phis++; /* the stride: 512 at most, and never 0 in the loop */
        assert_int_equal(r.hi, 512);
        assert_in_range(r.lo, 0, 1);
    }
    assert_true(phis >= 1);
    /* A counter to 16. */
    find_86(&f, CODE("MOV R0, RZ", "STS [R0.X4], R1", "IADD3 R0, R0, 0x1, RZ", "ISETP.NE.AND P0, PT, R0, 0x10, PT",
                     "@P0 BRA 0x10", "EXIT"));
    for (graph_id id = 1; id < f.g->nodes.n; id++) {
        if (graph_at(f.g, id)->kind != GRAPH_PHI)
            continue;
        assert_true(graph_range_of(f.g, id, &r));
        assert_int_equal(r.lo, 0);
        assert_int_equal(r.hi, 15);
    }
}

static graph_id below(struct graph *g, graph_id a, graph_id b)
{
    return graph_op2(g, UOP_ILT_S, UOP_B1, a, b);
}

static void exclusions(void **state)
{
    struct graph g;
    bool assumed;
    (void)state;
    graph_init(&g, &arena, &env_86);
    graph_id t = graph_sreg(&g, UOP_SR_TID_X), s = graph_cbank(&g, UOP_B32, 0, 0x170);
    graph_id c32 = graph_const(&g, UOP_B32, 32), c16 = graph_const(&g, UOP_B32, 16);
    /* x + s < s with x >= 0 */
    assert_true(graph_excludes(&g, GRAPH_NIL, below(&g, graph_op2(&g, UOP_ADD, UOP_B32, t, s), s), &assumed));
    assert_false(graph_excludes(&g, GRAPH_NIL, below(&g, t, s), &assumed));
    assert_true(graph_excludes(&g, below(&g, t, c16), below(&g, c32, t), &assumed));
    assert_false(graph_excludes(&g, below(&g, t, c32), below(&g, c16, t), &assumed));
    assert_true(graph_excludes(&g, below(&g, t, s), graph_not(&g, below(&g, t, s)), &assumed));
    assert_false(assumed);
    /* threadIdx.x >= blockDim.x is never so. */
    assert_true(graph_excludes(&g, GRAPH_NIL, graph_not(&g, below(&g, t, graph_sreg(&g, UOP_SR_NTID_X))), &assumed));
    /* Two parameters say nothing of one another. */
    graph_id n = graph_cbank(&g, UOP_B32, 0, 0x174);
    assert_false(graph_excludes(&g, below(&g, t, s), below(&g, n, t), &assumed));
}

static void another_thread(void **state)
{
    struct graph g;
    (void)state;
    graph_init(&g, &arena, &env_86);
    graph_id t = graph_sreg(&g, UOP_SR_TID_X), s = graph_cbank(&g, UOP_B32, 0, 0x170);
    graph_id other = graph_op2(&g, UOP_ADD, UOP_B32, t, s);
    const graph_id thread[3] = {other, GRAPH_NIL, GRAPH_NIL};
    assert_int_equal(graph_substitute_thread(&g, below(&g, t, s), thread), below(&g, other, s));
    assert_int_equal(graph_substitute_thread(&g, s, thread), s);
    assert_int_equal(graph_substitute_thread(&g, graph_sreg(&g, UOP_SR_TID_Y), thread), graph_sreg(&g, UOP_SR_TID_Y));
    struct graph_node load = {.kind = UOP_LOAD, .type = UOP_B32, .width = 4, .insn = 0, .arg_count = 1};
    load.arg[0] = t;
    assert_int_equal(graph_substitute_thread(&g, graph_fresh(&g, &load), thread), GRAPH_NIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tree_reduction, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(tree_without_a_barrier, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(scan, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(butterfly, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(warp_synchronous_tail, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(steps_written_out, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_later_store_ends_older_ones, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(tiles_in_two_dimensions, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(one_number_in_two_dimensions, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(padded_addresses, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(no_false_alarm, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_counter_is_a_coordinate, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(arrays_and_pieces, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(wide_stores_word_by_word, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_warp_is_a_digit, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(divergent_barriers, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(both_sides_of_a_branch, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_barrier_under_a_guard, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(ways_that_are_shut, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(barriers_left_out_within_a_warp, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(scan_written_out, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(scan_of_any_length, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(one_word_for_all, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(two_buffers, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(shared_by_generic_addresses, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(arrays_beside_the_unknown, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(global_memory, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(what_data_decide, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(atomics, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(spills, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(ranges, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(loop_ranges, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(exclusions, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(another_thread, make_arena, drop_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
