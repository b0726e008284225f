/* Values out of machine code: guards, joins, 64-bit values, constants, memory, calls. Each test is a few instructions
 * written as the vendor's disassembler prints them; expected values are derived by hand from the definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_code.h"

#include <string.h>

static int make_arena(void **state)
{
    static struct arena a;
    arena_init(&a, 0);
    *state = &a;
    return 0;
}

static int drop_arena(void **state)
{
    arena_free(*state);
    return 0;
}

/* D2: a load under a guard over a constant is select(guard, load, constant), by predication and by branch. */
static void predication_equals_branch(void **state)
{
    struct arena *a = *state;
    const struct graph *p =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "ISETP.GE.AND P0, PT, R2, c[0x0][0x170], PT", "IMAD.MOV.U32 R0, RZ, RZ, RZ",
                        "IMAD.MOV.U32 R3, RZ, RZ, 0x4", "@!P0 IMAD.WIDE R4, R2, R3, c[0x0][0x160]",
                        "@!P0 LDG.E R0, [R4.64]", "STS [R2.X4], R0", "EXIT"),
                   &env_86);
    const struct graph *b =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "ISETP.GE.AND P0, PT, R2, c[0x0][0x170], PT", "IMAD.MOV.U32 R0, RZ, RZ, RZ",
                        "IMAD.MOV.U32 R3, RZ, RZ, 0x4", "@P0 BRA 0x70", "IMAD.WIDE R4, R2, R3, c[0x0][0x160]",
                        "LDG.E R0, [R4.64]", "STS [R2.X4], R0", "EXIT"),
                   &env_86);
    const char *x = value_text(a, p, nth_store(p, 0)->value[0]), *y = value_text(a, b, nth_store(b, 0)->value[0]);
    assert_string_equal(x, y);
    assert_string_equal(
        x, "(select (ilt_s:20 threadIdx.x c0[0x170].32) (load (add (mul (sext:20 threadIdx.x) 4) c0[0x160].64)) 0)");
    assert_string_equal(value_text(a, p, nth_load(p, 0)->runs_when), "(ilt_s:20 threadIdx.x c0[0x170].32)");
    assert_string_equal(value_text(a, b, nth_load(b, 0)->runs_when), "(ilt_s:20 threadIdx.x c0[0x170].32)");
    assert_string_equal(value_text(a, b, nth_store(b, 0)->runs_when), "always");
}

/* Complementary guards leave nothing of what was there before; select(P, v, undefined) is v. */
static void complementary_guards(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "ISETP.NE.AND P0, PT, R2, RZ, PT", "@P0 IMAD.MOV.U32 R0, RZ, RZ, 0x7",
                        "@!P0 IMAD.MOV.U32 R0, RZ, RZ, 0x9", "@P0 IMAD.MOV.U32 R1, RZ, RZ, 0x5", "STS [R2.X4], R0",
                        "STS [R2.X4+0x100], R1", "@P0 STS [R2.X4+0x200], R0", "EXIT"),
                   &env_86);
    assert_string_equal(value_text(a, g, nth_store(g, 0)->value[0]), "(select (ieq:20 threadIdx.x 0) 9 7)");
    assert_string_equal(value_text(a, g, nth_store(g, 1)->value[0]), "5");
    assert_string_equal(value_text(a, g, nth_store(g, 2)->value[0]), "7");
}

/* The condition of a select is never a negated table; the flag remembers how it was written. */
static void select_keeps_how_it_was_written(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "FSETP.GEU.FTZ.AND P0, PT, R2, c[0x0][0x170], PT",
                        "FSEL R0, R2, c[0x0][0x170], P0", "FSETP.GT.FTZ.AND P0, PT, R0, c[0x0][0x174], PT",
                        "FSEL R7, R0, c[0x0][0x174], !P0", "STS [R2.X4], R7", "EXIT"),
                   &env_86);
    const struct graph_node *hi = graph_at(g, nth_store(g, 0)->value[0]);
    assert_int_equal(hi->kind, UOP_SELECT);
    assert_true(hi->flags & UOP_SWAPPED);
    const struct graph_node *gt = graph_at(g, hi->arg[0]), *lo = graph_at(g, hi->arg[2]);
    assert_int_equal(gt->kind, UOP_FLT);
    assert_true(gt->flags & UOP_SWAPPED);
    assert_true(gt->flags & UOP_FTZ);
    assert_int_equal(gt->width, UOP_F32);
    assert_int_equal(lo->kind, UOP_SELECT);
    assert_true(lo->flags & UOP_SWAPPED);
    assert_string_equal(value_text(a, g, hi->arg[2]),
                        "(select (flt threadIdx.x c0[0x170].32) c0[0x170].32 threadIdx.x)");
}

/* D4: the same address by IMAD.WIDE, by LEA with LEA.HI.X, and by a carry chain over a shifted pair. */
static void addresses_in_three_spellings(void **state)
{
    struct arena *a = *state;
    const struct graph *wide = code_graph(a, 86,
                                          CODE("S2R R2, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, 0x4",
                                               "IMAD.WIDE R4, R2, R3, c[0x0][0x160]", "LDG.E R0, [R4.64]", "EXIT"),
                                          &env_86);
    const struct graph *lea =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "SHF.R.S32.HI R3, RZ, 0x1f, R2", "LEA R4, P0, R2, c[0x0][0x160], 0x2",
                        "LEA.HI.X R5, R2, c[0x0][0x164], R3, 0x2, P0", "LDG.E R0, [R4.64]", "EXIT"),
                   &env_86);
    const struct graph *chain =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "SHF.R.S32.HI R3, RZ, 0x1f, R2", "IMAD.SHL.U32 R6, R2, 0x4, RZ",
                        "SHF.L.U64.HI R3, R2, 0x2, R3", "IADD3 R4, P0, R6, c[0x0][0x160], RZ",
                        "IADD3.X R5, R3, c[0x0][0x164], RZ, P0, !PT", "LDG.E R0, [R4.64]", "EXIT"),
                   &env_86);
    const char *want = "(add (mul (sext:20 threadIdx.x) 4) c0[0x160].64)";
    assert_string_equal(value_text(a, wide, nth_load(wide, 0)->address), want);
    assert_string_equal(value_text(a, lea, nth_load(lea, 0)->address), want);
    assert_string_equal(value_text(a, chain, nth_load(chain, 0)->address), want);
}

/* D4 Test: a size_t kernel on sm_86 (IADD3/IADD3.X, ISETP.EX) and on sm_120 (IADD.64, ISETP.GE.U64). */
static void wide_compare_on_two_architectures(void **state)
{
    struct arena *a = *state;
    const struct graph *old = code_graph(
        a, 86,
        CODE("S2R R2, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, RZ", "ISETP.GE.U32.AND P0, PT, R2, c[0x0][0x170], PT",
             "ISETP.GE.U32.AND.EX P0, PT, R3, c[0x0][0x174], PT, P0", "@P0 EXIT", "STS [R2.X4], R2", "EXIT"),
        &env_86);
    const struct graph *new =
        code_graph(a, 120,
                   CODE("S2R R2, SR_TID.X", "LDCU.64 UR4, c[0x0][0x390]", "MOV R3, RZ",
                        "ISETP.GE.U64.AND P0, PT, R2, UR4, PT", "@P0 EXIT", "STS [R2.X4], R2", "EXIT"),
                   &env_120);
    assert_string_equal(value_text(a, old, nth_store(old, 0)->runs_when),
                        "(ilt_u:40 (zext:20 threadIdx.x) c0[0x170].64)");
    assert_string_equal(value_text(a, new, nth_store(new, 0)->runs_when),
                        "(ilt_u:40 (zext:20 threadIdx.x) c0[0x390].64)");
}

static void wide_subtraction(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "IMAD.MOV.U32 R4, RZ, RZ, c[0x0][0x160]",
                        "IMAD.MOV.U32 R5, RZ, RZ, c[0x0][0x164]", "IADD3 R6, P0, R4, -c[0x0][0x168], RZ",
                        "IADD3.X R7, R5, ~c[0x0][0x16c], RZ, P0, !PT", "STS.64 [R2.X8], R6", "EXIT"),
                   &env_86);
    const struct graph_access *s = nth_store(g, 0);
    assert_string_equal(value_text(a, g, s->value[0]), "(add (neg c0[0x168].64) c0[0x160].64)");
    assert_int_equal(s->value[1], GRAPH_NIL);
}

/* Whatever instruction makes a constant, the value is the constant. */
static void constants_by_any_instruction(void **state)
{
    struct arena *a = *state;
    const struct graph *g = code_graph(a, 90,
                                       CODE("S2R R2, SR_TID.X", "HFMA2.MMA R3, -RZ, RZ, 1.875, 0", "MOV R4, 0x3f800000",
                                            "IMAD.MOV.U32 R5, RZ, RZ, 0x3f800000", "CS2R R6, SRZ", "STS [R2], R3",
                                            "STS [R2], R4", "STS [R2], R5", "STS [R2], R6", "STS [R2], R7", "EXIT"),
                                       &env_86);
    for (unsigned i = 0; i < 3; i++)
        assert_string_equal(value_text(a, g, nth_store(g, i)->value[0]), "1065353216");
    assert_string_equal(value_text(a, g, nth_store(g, 3)->value[0]), "0");
    assert_string_equal(value_text(a, g, nth_store(g, 4)->value[0]), "0");
}

/* D5: a volatile round trip is the stored value; another parameter may alias; another offset may not; a store under
 * another condition is no proof. */
static void loads_find_their_store(void **state)
{
    struct arena *a = *state;
    const struct graph *g = code_graph(
        a, 86,
        CODE("S2R R2, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, 0x4", "IMAD.WIDE R4, R2, R3, c[0x0][0x160]",
             "IMAD.WIDE R6, R2, R3, c[0x0][0x168]", "STG.E.STRONG.SYS [R4.64], R2", "LDG.E.STRONG.SYS R8, [R4.64]",
             "LDG.E R9, [R6.64]", "LDG.E R10, [R4.64+0x4]", "LDG.E.CONSTANT R11, [R6.64]", "EXIT"),
        &env_86);
    assert_int_equal(nth_load(g, 0)->from_store, 0);
    assert_string_equal(value_text(a, g, nth_load(g, 0)->result), "threadIdx.x");
    assert_int_equal(nth_load(g, 1)->from_store, -1);
    assert_true(nth_load(g, 1)->may_alias);
    assert_int_equal(nth_load(g, 2)->from_store, -1);
    assert_true(nth_load(g, 2)->may_alias); /* the neighbour's store */
    assert_false(nth_load(g, 3)->may_alias);
    const struct graph *c =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "ISETP.NE.AND P0, PT, R2, RZ, PT", "IMAD.MOV.U32 R3, RZ, RZ, 0x4",
                        "IMAD.WIDE R4, R2, R3, c[0x0][0x160]", "@P0 STG.E [R4.64], R2", "LDG.E R8, [R4.64]",
                        "@P0 LDG.E R9, [R4.64]", "EXIT"),
                   &env_86);
    assert_int_equal(nth_load(c, 0)->from_store, -1);
    assert_true(nth_load(c, 0)->may_alias);
    assert_int_equal(nth_load(c, 1)->from_store, 0);
}

/* Many threads write one word: what comes back may be another thread's. */
static void a_race_is_no_round_trip(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "STS [RZ], R2", "LDS R3, [RZ]", "SHF.R.U32.HI R4, RZ, 0x1, R2",
                        "STS [R4.X4], R2", "LDS R5, [R4.X4]", "STS.64 [R2.X4], R2", "LDS.64 R6, [R2.X4]", "EXIT"),
                   &env_86);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(nth_load(g, i)->from_store, -1);
}

static void a_trap_does_not_come_back(void **state)
{
    struct arena *a = *state;
    const struct graph *g = code_graph(
        a, 86, CODE("S2R R2, SR_TID.X", "ISETP.NE.AND P0, PT, R2, RZ, PT", "@P0 BPT.TRAP 0x1", "STS [RZ], R2", "EXIT"),
        &env_86);
    assert_string_equal(value_text(a, g, nth_store(g, 0)->runs_when), "(ieq:20 threadIdx.x 0)");
}

/* A jump table: the arms are reached under conditions nobody knows, and what they lead to is not said to depend on
 * less. */
static void an_indirect_branch_reaches_its_arms(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "MOV R4, 0x7", "LDC R6, c[0x2][R2]", "MOV R7, RZ", "BRX R6 -0x50",
                        "MOV R4, 0x1", "BRA 0x80", "MOV R4, 0x2", "STS [RZ], R4", "EXIT"),
                   &env_86);
    assert_int_equal(g->indirect.n, 1);
    assert_true(g->incomplete);
    for (size_t i = 0; i < g->insns.n; i++)
        assert_true(g->insns.p[i].reachable);
    assert_int_not_equal(graph_at(g, nth_store(g, 0)->value[0])->kind, UOP_CONST);
}

static void spill_and_refill_is_the_value(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("MOV R1, c[0x0][0x28]", "IADD3 R1, R1, -0x10, RZ", "S2R R2, SR_TID.X", "STL [R1+0x4], R2",
                        "STL [R1+0x8], RZ", "LDL R5, [R1+0x4]", "STS [RZ], R5", "EXIT"),
                   &env_86);
    assert_int_equal(nth_load(g, 0)->from_store, 0);
    assert_string_equal(value_text(a, g, nth_store(g, 2)->value[0]), "threadIdx.x");
}

/* A word of the frame that is put away and fetched in every turn is carried as a register is. */
static void a_word_of_the_frame_is_carried(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("MOV R1, c[0x0][0x28]", "IADD3 R1, R1, -0x8, RZ", "S2R R2, SR_TID.X", "STL [R1], RZ",
                        "MOV R3, RZ", "LDL R4, [R1]", "IADD3 R4, R4, R2, RZ", "STL [R1], R4", "IADD3 R3, R3, 0x1, RZ",
                        "ISETP.GE.AND P0, PT, R3, 0x8, PT", "@!P0 BRA 0x50", "LDL R5, [R1]", "STS [RZ], R5", "EXIT"),
                   &env_86);
    graph_id carried = nth_load(g, 0)->result;
    assert_true(graph_is_loop_phi(g, carried));
    assert_int_equal(nth_load(g, 0)->from_store, -1);
    assert_int_equal(nth_load(g, 1)->from_store, 2);
    assert_string_equal(value_text(a, g, nth_store(g, 2)->value[0]), "(add phi threadIdx.x)");
}

/* Near miss: a store whose place moves may come there. */
static void a_word_that_an_index_reaches_is_memory(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("MOV R1, c[0x0][0x28]", "IADD3 R1, R1, -0x8, RZ", "S2R R2, SR_TID.X", "STL [R1], RZ",
                        "MOV R3, RZ", "LDL R4, [R1]", "IADD3 R4, R4, R2, RZ", "STL [R1], R4", "IADD3 R6, R1, R2, RZ",
                        "STL [R6], R2", "IADD3 R3, R3, 0x1, RZ", "ISETP.GE.AND P0, PT, R3, 0x8, PT", "@!P0 BRA 0x50",
                        "LDL R5, [R1]", "STS [RZ], R5", "EXIT"),
                   &env_86);
    assert_int_equal(graph_at(g, nth_load(g, 0)->result)->kind, UOP_LOAD);
    assert_int_equal(nth_load(g, 1)->from_store, -1);
}

/* Three ways meet: what one branch leads to is a choice of its own, whichever edge comes first. */
static void three_ways_are_choices_in_order(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("LDG.E R2, [R4.64]", "ISETP.GT.AND P0, PT, R2, 0x1, PT", "IADD3 R3, R2, 0x7, RZ",
                        "@!P0 BRA 0x70", "ISETP.GT.AND P1, PT, R2, 0x9, PT", "IADD3 R3, R2, 0x5, RZ",
                        "@!P1 IADD3 R3, R2, 0x3, RZ", "STS [RZ], R3", "EXIT"),
                   &env_86);
    const struct graph_node *n = graph_at(g, nth_store(g, 0)->value[0]);
    assert_int_equal(n->kind, UOP_SELECT);
    assert_int_equal(graph_at(g, n->arg[1])->kind == UOP_SELECT || graph_at(g, n->arg[2])->kind == UOP_SELECT, 1);
}

/* A write and the branch behind it have one guard: where the branch leads, nothing older is read. */
static void a_guarded_write_hides_older_ones(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "MOV R3, 0x1", "STS [R2], R3", "ISETP.GT.AND P0, PT, R2, 0x4, PT",
                        "@P0 MOV R3, 0x2", "@P0 BRA 0x70", "MOV R3, 0x3", "STS [RZ], R3", "EXIT"),
                   &env_86);
    const struct graph_insn *store = &g->insns.p[7];
    for (uint32_t u = store->first_use; u < store->first_use + store->use_count; u++)
        if (g->uses.p[u].reg == 3)
            assert_int_equal(g->uses.p[u].def_count, 2);
}

/* D10: a call is followed into its subroutine and back, once a call site. */
static void calls_are_followed(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "MOV R4, 0x40", "MOV R5, RZ", "CALL.REL.NOINC 0xa0", "STS [R2], R6",
                        "MOV R4, 0x80", "IADD3 R2, R2, 0x5, RZ", "CALL.REL.NOINC 0xa0", "STS [RZ], R6", "EXIT",
                        "IADD3 R6, R2, 0x1, RZ", "RET.REL.NODEC R4 0x0"),
                   &env_86);
    assert_int_equal(g->calls.n, 2);
    assert_true(g->calls.p[0].resolved);
    assert_true(g->calls.p[1].resolved);
    assert_int_equal(g->indirect.n, 0);
    assert_string_equal(value_text(a, g, nth_store(g, 0)->value[0]), "(add threadIdx.x 1)");
    assert_string_equal(value_text(a, g, nth_store(g, 1)->value[0]), "(add threadIdx.x 6)");
}

static void unresolved_return_is_said(void **state)
{
    struct arena *a = *state;
    const struct graph *g = code_graph(a, 86,
                                       CODE("S2R R4, SR_TID.X", "MOV R5, RZ", "CALL.REL.NOINC 0x50", "STS [RZ], R6",
                                            "EXIT", "MOV R6, 0x1", "RET.REL.NODEC R4 0x0"),
                                       &env_86);
    assert_false(g->calls.p[0].resolved);
    assert_int_equal(g->indirect.n, 1);
}

/* A function behind a hole is called, and nothing falls into it: what has no end before it ends there. */
static void nothing_falls_through_a_hole(void **state)
{
    struct arena *a = *state;
    struct graph *g = code_graph(a, 86,
                                 CODE("MOV R2, 0x30", "MOV R3, 0x0", "CALL.REL.NOINC 0x60", "STG.E [R4.64], R6", "EXIT",
                                      "", "MOV R6, 0x5", "@P0 EXIT", "RET.REL.NODEC R2 0x0", "MOV R6, 0x7", "",
                                      "STG.E [R4.64], R6", "EXIT"),
                                 &env_86);
    unsigned stores = 0;
    assert_int_equal(g->calls.n, 1);
    assert_true(g->calls.p[0].resolved);
    for (size_t i = 0; i < g->accesses.n; i++)
        stores += g->accesses.p[i].kind == GRAPH_STORE;
    assert_int_equal(stores, 1);
    assert_string_equal(value_text(a, g, nth_store(g, 0)->value[0]), "5");
}

static void recursion_stays_a_call(void **state)
{
    struct arena *a = *state;
    const struct graph *g = code_graph(a, 86,
                                       CODE("S2R R2, SR_TID.X", "MOV R4, 0x30", "CALL.REL.NOINC 0x50", "STS [RZ], R2",
                                            "EXIT", "ISETP.NE.AND P0, PT, R2, RZ, PT", "@P0 CALL.REL.NOINC 0x50",
                                            "MOV R5, RZ", "RET.REL.NODEC R4 0x0"),
                                       &env_86);
    assert_int_equal(g->calls.n, 1);
    assert_int_not_equal(graph_at(g, nth_store(g, 0)->value[0])->kind, UOP_SREG);
}

/* Nothing at its target ever returns: it is a branch, and what stands there is the kernel's own code, once; the calls
 * in it are calls. */
static void call_without_return_is_a_branch(void **state)
{
    struct arena *a = *state;
    const struct graph *g =
        code_graph(a, 86,
                   CODE("S2R R2, SR_TID.X", "ISETP.NE.AND P0, PT, R2, RZ, PT", "@P0 CALL.REL.NOINC 0x50",
                        "IADD3 R2, R2, 0x2, RZ", "STS [RZ], R2", "MOV R4, 0x80", "MOV R5, RZ", "CALL.REL.NOINC 0xa0",
                        "STS [R2], R6", "EXIT", "IADD3 R6, R2, 0x1, RZ", "RET.REL.NODEC R4 0x0"),
                   &env_86);
    assert_int_equal(g->calls.n, 1);
    assert_true(g->calls.p[0].resolved);
    assert_int_equal(g->accesses.n, 2);
    assert_int_equal(g->insns.n, 12);
    assert_int_equal(g->indirect.n, 0);
    assert_int_not_equal(nth_store(g, 0)->runs_when, GRAPH_NIL);
    assert_int_equal(nth_store(g, 1)->runs_when, GRAPH_NIL);
}

/* Every use of a register lists the defs that reach it; the live range ends at the last of them. */
static void live_ranges(void **state)
{
    struct arena *a = *state;
    const struct graph *g = code_graph(a, 86,
                                       CODE("S2R R2, SR_TID.X", "ISETP.NE.AND P0, PT, R2, RZ, PT", "MOV R0, 0x1",
                                            "@P0 MOV R0, 0x2", "STS [R2], R0", "MOV R0, 0x3", "EXIT"),
                                       &env_86);
    uint32_t found = 0;
    for (size_t i = 0; i < g->uses.n; i++) {
        if (g->uses.p[i].file != UOP_FILE_R || g->uses.p[i].reg != 0)
            continue;
        assert_int_equal(g->insns.p[g->uses.p[i].insn].offset, 0x40);
        assert_int_equal(g->uses.p[i].def_count, 2);
        found++;
    }
    assert_int_equal(found, 1);
    for (size_t i = 0; i < g->defs.n; i++) {
        const struct graph_def *d = &g->defs.p[i];
        uint32_t at = g->insns.p[d->insn].offset, to = g->insns.p[d->last_use].offset;
        if (d->file == UOP_FILE_R && d->reg == 0)
            assert_int_equal(to, at == 0x50 ? 0x50 : 0x40);
        if (d->file == UOP_FILE_R && d->reg == 2)
            assert_int_equal(to, 0x40);
    }
}

/* A loop: one phi for what is carried; what is not written in it needs none; what follows it runs as the loop did. */
static void loop_has_a_phi(void **state)
{
    struct arena *a = *state;
    const struct graph *g = code_graph(a, 86,
                                       CODE("S2R R2, SR_TID.X", "MOV R3, c[0x0][0x170]", "IADD3 R3, R3, -0x1, RZ",
                                            "ISETP.NE.AND P0, PT, R3, RZ, PT", "@P0 BRA 0x20", "STS [R2], R3", "EXIT"),
                                       &env_86);
    assert_int_equal(g->loops.n, 1);
    assert_false(g->loops.p[0].irreducible);
    assert_string_equal(value_text(a, g, nth_store(g, 0)->value[0]), "(add phi 4294967295)");
    assert_string_equal(value_text(a, g, nth_store(g, 0)->runs_when), "always");
}

/* Behind a word nobody can read, no register holds what it held before. */
static void unknown_instruction_ends_all_knowledge(void **state)
{
    struct arena *a = *state;
    const struct graph *g = code_graph(
        a, 86, CODE("S2R R2, SR_TID.X", "STS [R2.X4], R2", "NOP", "STS [R2.X4], R2", "LDS R3, [R2.X4]", "EXIT"),
        &env_86);
    assert_false(g->incomplete);
    assert_int_equal(nth_load(g, 0)->from_store, 1);
    struct uop_list unknown = {.guard = UOP_NONE, .unknown = true};
    struct graph_input_insn in[6];
    memcpy(in, g->input.insns, sizeof in);
    in[2].uops = &unknown;
    struct graph_input input = {.insns = in, .count = 5, .env = &env_86};
    struct diag_sink diags;
    struct graph h;
    diag_init(&diags, a);
    assert_int_equal(graph_build(a, &input, &diags, &h), SP_OK);
    assert_true(h.incomplete);
    assert_string_equal(value_text(a, &h, nth_store(&h, 0)->value[0]), "threadIdx.x");
    assert_int_equal(graph_at(&h, nth_store(&h, 1)->value[0])->kind, GRAPH_RESULT);
}

static void branch_to_nowhere_and_fallthrough_off_the_end(void **state)
{
    struct arena *a = *state;
    const struct graph *g = code_graph(a, 86, CODE("@P0 BRA 0x1000", "MOV R0, 0x1"), &env_86);
    assert_int_equal(g->blocks.n, 2);
    assert_true(g->insns.p[1].reachable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(predication_equals_branch, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(complementary_guards, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(select_keeps_how_it_was_written, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(addresses_in_three_spellings, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(wide_compare_on_two_architectures, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(wide_subtraction, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(constants_by_any_instruction, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(loads_find_their_store, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_race_is_no_round_trip, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_trap_does_not_come_back, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(an_indirect_branch_reaches_its_arms, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(spill_and_refill_is_the_value, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(calls_are_followed, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(unresolved_return_is_said, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(nothing_falls_through_a_hole, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(recursion_stays_a_call, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(call_without_return_is_a_branch, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(live_ranges, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(loop_has_a_phi, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_word_of_the_frame_is_carried, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_word_that_an_index_reaches_is_memory, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(three_ways_are_choices_in_order, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_guarded_write_hides_older_ones, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(unknown_instruction_ends_all_knowledge, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(branch_to_nowhere_and_fallthrough_off_the_end, make_arena, drop_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
