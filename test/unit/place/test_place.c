/* Classes and places of values (D8) in a few instructions each; the expected places are read off the listing by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../graph/graph_arena.h"
#include "../graph/graph_code.h"
#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"
#include "place/place.h"

#define ADDRESSES                                                                              \
    "S2R R2, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, 0x4", "IMAD.WIDE R4, R2, R3, c[0x0][0x160]", \
        "IMAD.WIDE R6, R2, R3, c[0x0][0x168]", "IMAD.WIDE R8, R2, R3, c[0x0][0x170]"
enum { AFTER = 5 * 16 };

static void places(const char *const *code, uint32_t count, const struct graph **g, struct place *p)
{
    struct graph *made = code_graph(&arena, 86, code, count, &env_86);
    struct graph_cycles *cycles = ARENA_NEW(&arena, struct graph_cycles);
    struct graph_dependence *dependence = ARENA_NEW(&arena, struct graph_dependence);
    assert_int_equal(graph_find_cycles(&arena, made, cycles), SP_OK);
    made->cycles = cycles;
    assert_int_equal(graph_find_dependence(&arena, made, dependence), SP_OK);
    made->dependence = dependence;
    *g = made;
    assert_int_equal(place_build(&arena, *g, p), SP_OK);
}

static const struct place_value *made_at(const struct graph *g, const struct place *p, uint32_t offset)
{
    for (size_t i = 0; i < p->values.n; i++)
        if (p->values.p[i].evidence.n && g->insns.p[p->values.p[i].evidence.p[0]].offset == offset)
            return &p->values.p[i];
    fail_msg("no value is made at 0x%x", offset);
    return NULL;
}

static void elementwise(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(
        CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "FADD R1, R0, 1", "FMUL R1, R1, R0", "STG.E [R6.64], R1", "EXIT"),
        &g, &p);
    assert_int_equal(p.values.n, 3);
    const struct place_value *x = made_at(g, &p, AFTER), *sum = made_at(g, &p, AFTER + 0x10),
                             *product = made_at(g, &p, AFTER + 0x20);
    assert_int_equal(x->cls, PLACE_INPUT);
    assert_false(x->assumed);
    assert_int_equal(x->storage.n, 2);
    assert_int_equal(x->storage.p[0].where, PLACE_GLOBAL);
    assert_int_equal(x->storage.p[1].where, PLACE_REGISTER);
    assert_int_equal(g->insns.p[x->storage.p[1].to].offset, AFTER + 0x20);
    assert_int_equal(x->uses.n, 2);
    assert_int_equal(sum->cls, PLACE_REGISTER_ONLY);
    assert_int_equal(product->cls, PLACE_RESULT);
    assert_int_equal(product->storage.p[1].where, PLACE_GLOBAL);
    assert_int_equal(product->uses.n, 1);
}

/* Stored for its own sake and computed with. */
static void stored_and_used(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "FMUL R1, R0, R0", "STG.E [R6.64], R1", "FADD R1, R1, R0",
                "STG.E [R8.64], R1", "EXIT"),
           &g, &p);
    assert_int_equal(made_at(g, &p, AFTER + 0x10)->cls, PLACE_GLOBAL_MATERIALIZED);
    assert_int_equal(made_at(g, &p, AFTER + 0x30)->cls, PLACE_RESULT);
}

/* y[i] = i: the index says where, and the store what comes out; nobody reads it back. */
static void stored_index(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE("S2R R2, SR_TID.X", "S2R R3, SR_CTAID.X", "IMAD.MOV.U32 R9, RZ, RZ, 0x4",
                "IMAD R4, R3, c[0x0][0x0], R2", "IMAD.WIDE R10, R4, R9, c[0x0][0x160]",
                "IMAD.WIDE R12, R4, R9, c[0x0][0x168]", "I2F R5, R4", "STG.E [R10.64], R4", "STG.E [R12.64], R5",
                "EXIT"),
           &g, &p);
    assert_int_equal(made_at(g, &p, 0x30)->cls, PLACE_RESULT);
    assert_int_equal(made_at(g, &p, 0x60)->cls, PLACE_RESULT);
}

/* Copied out and looked at: a compare computes nothing. */
static void stored_and_compared(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "FMUL R1, R0, R0", "FSETP.GT.AND P0, PT, R1, RZ, PT",
                "STG.E [R6.64], R1", "@P0 STG.E [R8.64], R0", "EXIT"),
           &g, &p);
    assert_int_equal(made_at(g, &p, AFTER + 0x10)->cls, PLACE_RESULT);
}

/* D8 Test, fma_volatile: one value, two places; its consumer takes it by way of global memory. */
static void volatile_round_trip(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "FMUL R1, R0, R0", "STG.E.STRONG.SYS [R6.64], R1",
                "LDG.E.STRONG.SYS R10, [R6.64]", "FADD R10, R10, R0", "STG.E [R8.64], R10", "EXIT"),
           &g, &p);
    const struct place_value *product = made_at(g, &p, AFTER + 0x10);
    assert_int_equal(product->cls, PLACE_GLOBAL_MATERIALIZED);
    bool global = false, second = false, via_global = false;
    for (size_t i = 0; i < product->storage.n; i++) {
        const struct place_storage *s = &product->storage.p[i];
        if (s->where == PLACE_GLOBAL) {
            global = true;
            assert_int_equal(g->insns.p[s->from].offset, AFTER + 0x20);
            assert_int_equal(g->insns.p[s->to].offset, AFTER + 0x30);
        }
        second |= s->def != UINT32_MAX && g->defs.p[s->def].reg == 10;
    }
    for (size_t i = 0; i < product->uses.n; i++)
        via_global |=
            product->uses.p[i].via == PLACE_GLOBAL && g->insns.p[product->uses.p[i].insn].offset == AFTER + 0x40;
    assert_true(global);
    assert_true(second);
    assert_true(via_global);
}

/* A load behind a store to another parameter is an input, on the assumption that they are different objects. */
static void may_edges_are_assumed(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E R0, [R4.64]", "FADD R1, R0, 1", "STG.E [R6.64], R1", "LDG.E R10, [R8.64]",
                "FADD R11, R10, 1", "STG.E [R6.64+0x100], R11", "EXIT"),
           &g, &p);
    const struct place_value *first = made_at(g, &p, AFTER), *result = made_at(g, &p, AFTER + 0x10),
                             *second = made_at(g, &p, AFTER + 0x30);
    assert_true(first->assumed); /* another thread may be ahead */
    assert_int_equal(result->cls, PLACE_RESULT);
    assert_true(result->assumed);
    assert_int_equal(second->cls, PLACE_INPUT);
    assert_true(second->assumed);
}

/* Two defs of one value on the same path are a recomputation, on two arms of a branch they are not; copies are neither.
 */
static void recomputed(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "FMUL R1, R0, R0", "MOV R12, R1", "FADD R1, R1, 1",
                "FMUL R10, R0, R0", "FADD R10, R10, R1", "FADD R10, R10, R12", "STG.E [R6.64], R10", "EXIT"),
           &g, &p);
    assert_int_equal(made_at(g, &p, AFTER + 0x10)->cls, PLACE_RECOMPUTED);
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "ISETP.NE.AND P0, PT, R2, RZ, PT", "@P0 FMUL R1, R0, R0",
                "@!P0 FMUL R1, R0, R0", "MOV R12, R1", "FADD R10, R12, R1", "FADD R10, R10, 1", "STG.E [R6.64], R10",
                "EXIT"),
           &g, &p);
    assert_int_equal(made_at(g, &p, AFTER + 0x20)->cls, PLACE_REGISTER_ONLY);
}

static void spilled(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "MOV R1, c[0x0][0x28]", "LDG.E.CONSTANT R0, [R4.64]", "FADD R0, R0, 1", "STL [R1+-0x8], R0",
                "LDG.E.CONSTANT R0, [R4.64+0x4]", "LDL R10, [R1+-0x8]", "FADD R10, R10, R0", "STG.E [R6.64], R10",
                "EXIT"),
           &g, &p);
    const struct place_value *v = made_at(g, &p, AFTER + 0x20);
    assert_int_equal(v->cls, PLACE_SPILLED);
    bool local = false, via_local = false;
    for (size_t i = 0; i < v->storage.n; i++)
        local |= v->storage.p[i].where == PLACE_LOCAL;
    for (size_t i = 0; i < v->uses.n; i++)
        via_local |= v->uses.p[i].via == PLACE_LOCAL;
    assert_true(local);
    assert_true(via_local);
}

/* select(P, v, constant) and v are one entry; an index, an address, a constant are none. */
static void select_with_a_constant(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "ISETP.GE.AND P0, PT, R2, c[0x0][0x178], PT", "IMAD.MOV.U32 R0, RZ, RZ, RZ",
                "@!P0 LDG.E.CONSTANT R0, [R4.64]", "FADD R1, R0, 1", "STG.E [R6.64], R1", "EXIT"),
           &g, &p);
    assert_int_equal(p.values.n, 2);
    const struct place_value *v = made_at(g, &p, AFTER + 0x20);
    assert_int_equal(graph_at(g, v->node)->kind, UOP_SELECT);
    assert_int_equal(graph_at(g, v->part)->kind, UOP_LOAD);
    assert_int_equal(v->cls, PLACE_INPUT);
}

/* The same by a branch: no instruction makes the select, two registers' defs hold it. */
static void select_where_paths_meet(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "ISETP.GE.AND P0, PT, R2, c[0x0][0x178], PT", "IMAD.MOV.U32 R0, RZ, RZ, RZ", "@P0 BRA 0x90",
                "LDG.E.CONSTANT R0, [R4.64]", "STG.E [R6.64], R0", "EXIT"),
           &g, &p);
    assert_int_equal(p.values.n, 1);
    assert_int_equal(graph_at(g, p.values.p[0].node)->kind, UOP_SELECT);
    assert_int_equal(graph_at(g, p.values.p[0].part)->kind, UOP_LOAD);
    assert_int_equal(p.values.p[0].cls, PLACE_RESULT);
    assert_int_equal(p.values.p[0].uses.n, 1);
}

static bool has_use(const struct graph *g, const struct place_value *v, uint32_t offset, enum place_where via,
                    bool other)
{
    for (size_t i = 0; i < v->uses.n; i++)
        if (g->insns.p[v->uses.p[i].insn].offset == offset && v->uses.p[i].via == via &&
            v->uses.p[i].other_thread == other)
            return true;
    return false;
}

static const struct place_storage *stands_in(const struct place_value *v, enum place_where where)
{
    for (size_t i = 0; i < v->storage.n; i++)
        if (v->storage.p[i].where == where)
            return &v->storage.p[i];
    return NULL;
}

/* Through shared memory: what is read by the thread that stored it is the value itself; what another reads is its own
 * value there, and a use of the stored one. */
static void through_shared(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "FADD R1, R0, 1", "STS [R2.X4], R1",
                "BAR.SYNC.DEFER_BLOCKING 0x0", "LDS R10, [R2.X4]", "FADD R10, R10, R0", "STG.E [R6.64], R10", "EXIT"),
           &g, &p);
    const struct place_value *v = made_at(g, &p, AFTER + 0x10);
    assert_int_equal(p.values.n, 3);
    assert_int_equal(v->cls, PLACE_SHARED_MATERIALIZED);
    assert_int_equal(g->insns.p[stands_in(v, PLACE_SHARED)->to].offset, AFTER + 0x40);
    assert_true(has_use(g, v, AFTER + 0x50, PLACE_SHARED, false));
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "FADD R1, R0, 1", "STS [R2.X4], R1",
                "BAR.SYNC.DEFER_BLOCKING 0x0", "LDS R10, [0x0]", "FADD R10, R10, R0", "STG.E [R6.64], R10", "EXIT"),
           &g, &p);
    v = made_at(g, &p, AFTER + 0x10);
    assert_int_equal(p.values.n, 4);
    assert_int_equal(v->cls, PLACE_SHARED_MATERIALIZED);
    assert_true(has_use(g, v, AFTER + 0x50, PLACE_SHARED, true));
    assert_int_equal(made_at(g, &p, AFTER + 0x40)->cls, PLACE_SHARED_MATERIALIZED);
    /* nobody reads it there */
    places(
        CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "FADD R1, R0, 1", "STS [R2.X4], R1", "STG.E [R6.64], R1", "EXIT"),
        &g, &p);
    assert_int_equal(made_at(g, &p, AFTER + 0x10)->cls, PLACE_RESULT);
}

/* s += x[k] for n turns: one variable, in a register; the store behind the loop is a place of it. */
static void accumulator(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "IMAD.MOV.U32 R10, RZ, RZ, RZ", "IMAD.MOV.U32 R11, RZ, RZ, RZ", "LDG.E.CONSTANT R0, [R4.64]",
                "IADD3 R4, P0, R4, 0x4, RZ", "IADD3.X R5, RZ, R5, RZ, P0, !PT", "FADD R10, R10, R0",
                "IADD3 R11, R11, 0x1, RZ", "ISETP.GE.AND P1, PT, R11, c[0x0][0x178], PT", "@!P1 BRA 0x70",
                "STG.E [R6.64], R10", "EXIT"),
           &g, &p);
    assert_int_equal(p.values.n, 2);
    const struct place_value *sum = made_at(g, &p, AFTER + 0x50);
    assert_int_equal(sum->cls, PLACE_REGISTER_ACCUMULATOR);
    assert_true(sum->accumulator);
    assert_int_equal(graph_at(g, sum->named)->kind, GRAPH_PHI);
    assert_int_equal(graph_at(g, sum->node)->kind, UOP_FADD);
    assert_non_null(stands_in(sum, PLACE_GLOBAL));
    assert_int_equal(made_at(g, &p, AFTER + 0x20)->cls, PLACE_INPUT);
}

/* The same function of the same value in both arms of a branch is computed once in any thread. */
static void arms_do_not_recompute(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "ISETP.NE.AND P0, PT, R2, RZ, PT", "@P0 BRA 0xa0",
                "MUFU.SIN R1, R0", "BRA 0xc0", "MUFU.SIN R1, R0", "FADD R1, R1, 1", "STG.E [R6.64], R1", "EXIT"),
           &g, &p);
    for (size_t i = 0; i < p.values.n; i++)
        assert_int_not_equal(p.values.p[i].cls, PLACE_RECOMPUTED);
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "ISETP.NE.AND P0, PT, R2, RZ, PT", "MUFU.SIN R1, R0",
                "@P0 BRA 0xb0", "FADD R1, R1, 2", "NOP", "MUFU.SIN R10, R0", "FADD R1, R1, R10", "STG.E [R6.64], R1",
                "EXIT"),
           &g, &p);
    assert_int_equal(made_at(g, &p, AFTER + 0x20)->cls, PLACE_RECOMPUTED);
}

/* Saved before a loop and brought back in it; an index that was saved so is no value. */
static void spilled_over_a_loop(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "MOV R1, c[0x0][0x28]", "STL [R1+-0x10], R2", "LDG.E.CONSTANT R0, [R4.64]",
                "FMUL R0, R0, R0", "STL [R1+-0x8], R0", "IMAD.MOV.U32 R11, RZ, RZ, RZ", "IMAD.MOV.U32 R12, RZ, RZ, RZ",
                "LDL R13, [R1+-0x8]", "FADD R12, R12, R13", "IADD3 R11, R11, 0x1, RZ",
                "ISETP.GE.AND P1, PT, R11, c[0x0][0x178], PT", "@!P1 BRA 0xc0", "LDL R2, [R1+-0x10]",
                "IMAD.WIDE R6, R2, R3, c[0x0][0x168]", "STG.E [R6.64], R12", "EXIT"),
           &g, &p);
    const struct place_value *v = made_at(g, &p, AFTER + 0x30);
    assert_int_equal(v->cls, PLACE_SPILLED);
    assert_false(v->assumed);
    assert_true(has_use(g, v, AFTER + 0x80, PLACE_LOCAL, false));
    assert_int_equal(p.values.n, 3);
}

/* An accumulator that the registers do not hold: the loop carries it in its slot of the stack. */
static void carried_in_a_slot(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "MOV R1, c[0x0][0x28]", "STL [R1+-0x8], RZ", "IMAD.MOV.U32 R11, RZ, RZ, RZ",
                "LDG.E.CONSTANT R0, [R4.64]", "LDL R13, [R1+-0x8]", "FADD R12, R13, R0", "STL [R1+-0x8], R12",
                "IADD3 R11, R11, 0x1, RZ", "ISETP.GE.AND P1, PT, R11, c[0x0][0x178], PT", "@!P1 BRA 0x80",
                "LDL R14, [R1+-0x8]", "STG.E [R6.64], R14", "EXIT"),
           &g, &p);
    /* One variable: what the load brings, the sum, and what is put back are one value. */
    const struct place_value *sum = made_at(g, &p, AFTER + 0x40);
    assert_int_equal(sum->cls, PLACE_SPILLED);
    assert_int_equal(sum->evidence.n, 5);
    assert_int_equal(p.values.n, 2);
    assert_true(has_use(g, sum, AFTER + 0x50, PLACE_LOCAL, false));
}

static const struct place_storage *from_memory(const struct graph *g, const struct place *p, uint32_t offset)
{
    for (size_t i = 0; i < p->values.n; i++)
        for (size_t k = 0; k < p->values.p[i].storage.n; k++) {
            const struct place_storage *s = &p->values.p[i].storage.p[k];
            if (s->access != UINT32_MAX && g->insns.p[s->from].offset == offset)
                return s;
        }
    fail_msg("nothing of memory at 0x%x", offset);
    return NULL;
}

/* Two loops over the same elements: the second loads them again. By another step, or from elsewhere, it does not. */
static void reloads(void **state)
{
    static const char *const second[] = {"IADD3 R8, P0, R8, 0x4, RZ", "IADD3 R8, P0, R8, 0x8, RZ"};
    static const char *const start[] = {"IMAD.WIDE R8, R2, R3, c[0x0][0x160]", "IMAD.WIDE R8, R2, R3, c[0x0][0x168]"};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const struct graph *g;
        struct place p;
        const char *const code[] = {ADDRESSES,
                                    "IMAD.MOV.U32 R10, RZ, RZ, RZ",
                                    "IMAD.MOV.U32 R11, RZ, RZ, RZ",
                                    "IMAD.MOV.U32 R12, RZ, RZ, RZ",
                                    start[i & 1],
                                    "LDG.E.CONSTANT R0, [R4.64]", /* 0x90 */
                                    "IADD3 R4, P0, R4, 0x4, RZ",
                                    "IADD3.X R5, RZ, R5, RZ, P0, !PT",
                                    "FADD R10, R10, R0",
                                    "IADD3 R11, R11, 0x1, RZ",
                                    "ISETP.GE.AND P1, PT, R11, c[0x0][0x178], PT",
                                    "@!P1 BRA 0x90",
                                    "LDG.E.CONSTANT R0, [R8.64]", /* 0x100 */
                                    second[i >> 1],
                                    "IADD3.X R9, RZ, R9, RZ, P0, !PT",
                                    "FFMA R10, R10, R0, R10",
                                    "IADD3 R12, R12, 0x1, RZ",
                                    "ISETP.GE.AND P1, PT, R12, c[0x0][0x178], PT",
                                    "@!P1 BRA 0x100",
                                    "STG.E [R6.64], R10",
                                    "EXIT"};
        places(code, sizeof code / sizeof code[0], &g, &p);
        assert_false(from_memory(g, &p, 0x90)->reloaded);
        assert_int_equal(from_memory(g, &p, 0x100)->reloaded, i == 0);
    }
}

static void local_array(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "MOV R1, c[0x0][0x28]", "IADD3 R1, R1, -0x10, RZ", "LDG.E.CONSTANT R0, [R4.64]",
                "LDG.E.CONSTANT R10, [R4.64+0x4]", "STL [R1], R0", "STL [R1+0x4], R10",
                "LOP3.LUT R11, R2, 0x1, RZ, 0xc0, !PT", "IMAD R11, R11, 0x4, R1", "LDL R12, [R11]",
                "STG.E [R6.64], R12", "EXIT"),
           &g, &p);
    assert_int_equal(made_at(g, &p, AFTER + 0x20)->cls, PLACE_LOCAL_ARRAY);
    assert_int_equal(made_at(g, &p, AFTER + 0x30)->cls, PLACE_LOCAL_ARRAY);
    assert_int_equal(made_at(g, &p, AFTER + 0x80)->cls, PLACE_LOCAL_ARRAY);
}

/* The low half of a pair is stored, the high half goes on: the pair is no result. */
static void half_stored(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E.CONSTANT R0, [R4.64]", "LOP3.LUT R1, R0, 0x80008000, RZ, 0x3c, !PT",
                "STG.E.U16 [R6.64], R1", "SHF.R.U32.HI R10, RZ, 0x10, R1", "STG.E.U16 [R8.64], R10", "EXIT"),
           &g, &p);
    assert_int_equal(made_at(g, &p, AFTER + 0x10)->cls, PLACE_REGISTER_ONLY);
    assert_int_equal(made_at(g, &p, AFTER + 0x30)->cls, PLACE_RESULT);
}

static void strides(void **state)
{
    const struct graph *g;
    struct place p;
    struct place_lanes lanes;
    struct place_access x;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E R0, [R4.64]", "LDG.E R10, [R4.64+0x10]", "IMAD.MOV.U32 R20, RZ, RZ, c[0x0][0x160]",
                "IMAD.MOV.U32 R21, RZ, RZ, c[0x0][0x164]", "LDG.E R12, [R20.64]",
                "IMAD.WIDE R22, R0, R3, c[0x0][0x160]", "LDG.E R13, [R22.64]", "IMAD.WIDE R24, R2, 0xc, R20",
                "LDG.E R14, [R24.64]", "IMAD R15, R2, c[0x0][0x178], RZ", "IMAD.WIDE R26, R15, R3, c[0x0][0x160]",
                "LDG.E R16, [R26.64]", "EXIT"),
           &g, &p);
    static const enum place_coalescing want[] = {PLACE_FULL,      PLACE_FULL,    PLACE_BROADCAST,
                                                 PLACE_SCATTERED, PLACE_STRIDED, PLACE_STRIDED};
    assert_int_equal(place_lanes_find(&arena, g, NULL, true, &lanes), SP_OK);
    for (unsigned i = 0; i < 6; i++) {
        place_access_of(&lanes, nth_load(g, i), &x);
        assert_int_equal(x.coalescing, want[i]);
        assert_int_equal(x.stride_known, i != 3 && i != 5); /* a run-time stride has no number */
        assert_int_equal(x.conflict_degree, 0);
        if (i == 4)
            assert_int_equal(x.stride, 12);
    }
}

/* Fillers under a guard that is false read no memory and write nothing. */
static void never_runs(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E R0, [R4.64]", "@!PT LDS RZ, [RZ]", "@!PT LDG.E R0, [R8.64]", "@!PT STS [RZ], R0",
                "FADD R1, R0, R0", "STG.E [R6.64], R1", "EXIT"),
           &g, &p);
    assert_int_equal(g->accesses.n, 2);
    assert_int_equal(made_at(g, &p, AFTER)->uses.n, 1);
    assert_int_equal(made_at(g, &p, AFTER + 0x40)->cls, PLACE_RESULT);
}

/* Rows of a length that the run decides: neighbours stand side by side in them, one above the other in columns. */
static void rows_and_columns(void **state)
{
    const struct graph *g;
    struct place p;
    struct place_lanes lanes;
    struct place_access x;
    (void)state;
    places(CODE("S2R R2, SR_TID.X", "S2R R3, SR_TID.Y", "IMAD.MOV.U32 R9, RZ, RZ, 0x4",
                "IMAD R4, R3, c[0x0][0x178], R2", "IMAD R5, R2, c[0x0][0x178], R3", "IMAD R6, R3, c[0x0][0x178], RZ",
                "IMAD R7, R6, R2, RZ", "IMAD.WIDE R10, R4, R9, c[0x0][0x160]", "IMAD.WIDE R12, R5, R9, c[0x0][0x160]",
                "IMAD.WIDE R14, R6, R9, c[0x0][0x160]", "IMAD.WIDE R16, R7, R9, c[0x0][0x160]", "LDG.E R20, [R10.64]",
                "LDG.E R21, [R12.64]", "LDG.E R22, [R14.64]", "LDG.E R23, [R16.64]", "FADD R20, R20, R21",
                "FADD R22, R22, R23", "FADD R20, R20, R22", "STG.E [R10.64], R20", "EXIT"),
           &g, &p);
    static const enum place_coalescing want[] = {PLACE_FULL, PLACE_STRIDED, PLACE_BROADCAST, PLACE_COALESCING_UNKNOWN};
    assert_int_equal(place_lanes_find(&arena, g, NULL, true, &lanes), SP_OK);
    for (unsigned i = 0; i < 4; i++) {
        place_access_of(&lanes, nth_load(g, i), &x);
        assert_int_equal(x.coalescing, want[i]);
        assert_int_equal(x.stride_known, i == 0 || i == 2);
    }
}

/* threadIdx.x ^ 64 > threadIdx.x is decided by a bit that a warp has in common, threadIdx.x ^ 16 > threadIdx.x not. */
static void bits_above_the_warp(void **state)
{
    const struct graph *g;
    struct place p;
    struct place_lanes lanes;
    struct place_access x;
    (void)state;
    places(CODE("S2R R2, SR_TID.X", "LOP3.LUT R3, R2, 0x40, RZ, 0x3c, !PT", "ISETP.GT.U32.AND P0, PT, R3, R2, PT",
                "SEL R4, RZ, 0x4, P0", "LDS R5, [R4]", "LOP3.LUT R3, R2, 0x10, RZ, 0x3c, !PT",
                "ISETP.GT.U32.AND P0, PT, R3, R2, PT", "SEL R4, RZ, 0x4, P0", "LDS R6, [R4]", "STS [R2.X4+0x400], R5",
                "STS [R2.X4+0x800], R6", "EXIT"),
           &g, &p);
    assert_int_equal(place_lanes_find(&arena, g, NULL, true, &lanes), SP_OK);
    place_access_of(&lanes, nth_load(g, 0), &x);
    assert_int_equal(x.coalescing, PLACE_BROADCAST);
    place_access_of(&lanes, nth_load(g, 1), &x);
    assert_int_not_equal(x.coalescing, PLACE_BROADCAST);
}

/* The counter of a loop is the same for neighbours in the same turn, whatever it starts with; what is left of it behind
 * the loop only when they leave it together. */
static void strides_in_loops(void **state)
{
    const struct graph *g;
    struct place p;
    struct place_lanes lanes;
    struct place_access x;
    (void)state;
    /* for (j = c; j != 0; j >>= 1) s[t + j]; then s[j] */
    places(CODE("S2R R2, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0x178]", "IADD3 R4, R2, R3, RZ", "LDS R5, [R4.X4]",
                "SHF.R.U32.HI R3, RZ, 0x1, R3", "ISETP.NE.AND P0, PT, R3, RZ, PT", "@P0 BRA 0x20", "LDS R6, [R3.X4]",
                "STS [R2.X4], R5", "STS [R2.X4+0x400], R6", "EXIT"),
           &g, &p);
    assert_int_equal(place_lanes_find(&arena, g, NULL, true, &lanes), SP_OK);
    place_access_of(&lanes, nth_load(g, 0), &x);
    assert_true(x.stride_known);
    assert_int_equal(x.stride, 4);
    assert_int_equal(x.conflict_degree, 1);
    place_access_of(&lanes, nth_load(g, 1), &x);
    assert_int_equal(x.coalescing, PLACE_BROADCAST);
    /* for (j = t; j < n; j += 256) s[j]; then s[j]: in the loop one stride, behind it none that is known */
    places(CODE("S2R R2, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, R2", "LDS R5, [R3.X4]", "IADD3 R3, R3, 0x100, RZ",
                "ISETP.GE.AND P0, PT, R3, c[0x0][0x178], PT", "@!P0 BRA 0x20", "LDS R6, [R3.X4]",
                "STS [R2.X4+0x4000], R5", "STS [R2.X4+0x5000], R6", "EXIT"),
           &g, &p);
    assert_int_equal(place_lanes_find(&arena, g, NULL, true, &lanes), SP_OK);
    place_access_of(&lanes, nth_load(g, 0), &x);
    assert_int_equal(x.coalescing, PLACE_FULL);
    assert_int_equal(x.conflict_degree, 1);
    place_access_of(&lanes, nth_load(g, 1), &x);
    assert_int_equal(x.coalescing, PLACE_COALESCING_UNKNOWN);
    assert_int_equal(x.conflict_degree, 0);
}

/* The degree as the hardware's rule says it, by trying every pair of lanes. */
static uint32_t degree_by_force(uint32_t (*address)(uint32_t x, uint32_t y), uint32_t width, uint32_t block_x,
                                uint32_t threads)
{
    uint32_t worst = 0, lanes = width <= 4 ? 32 : width == 8 ? 16 : 8;
    for (uint32_t first = 0; first < threads; first += lanes) {
        for (uint32_t bank = 0; bank < 32; bank++) {
            uint32_t words[128], n = 0;
            for (uint32_t i = first; i < first + lanes; i++) {
                for (uint32_t byte = 0; byte < width; byte++) {
                    uint32_t word = (address(i % block_x, i / block_x) + byte) / 4, k = 0;
                    while (k < n && words[k] != word)
                        k++;
                    if (word % 32 == bank && k == n)
                        words[n++] = word;
                }
            }
            worst = n > worst ? n : worst;
        }
    }
    return worst;
}

static uint32_t factor_now;
static uint32_t by_x(uint32_t x, uint32_t y)
{
    (void)y;
    return x * factor_now;
}
static uint32_t transposed(uint32_t x, uint32_t y)
{
    return x * factor_now + y * 4;
}
static uint32_t rows(uint32_t x, uint32_t y)
{
    return x * 4 + y * factor_now;
}
static uint32_t swizzled(uint32_t x, uint32_t y)
{
    return y * 128 + (x ^ y) * 4;
}

static uint32_t degree_of_code(const char *const *code, uint32_t count, const int32_t *reqntid)
{
    const struct graph *g;
    struct place p;
    struct place_lanes lanes;
    struct place_access x;
    places(code, count, &g, &p);
    assert_int_equal(place_lanes_find(&arena, g, reqntid, true, &lanes), SP_OK);
    place_access_of(&lanes, nth_load(g, 0), &x);
    return x.conflict_degree;
}

static void bank_conflicts(void **state)
{
    static const uint32_t factors[] = {0, 4, 8, 12, 16, 20, 32, 64, 68, 96, 128, 132, 256, 260, 1024};
    static const char *const loads[] = {"LDS R5, [R4]", "LDS.64 R6, [R4]", "LDS.128 R8, [R4]"};
    (void)state;
    for (unsigned i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        for (unsigned w = 0; w < 3; w++) {
            char multiply[64];
            if (factors[i] % (4u << w))
                continue; /* not aligned */
            factor_now = factors[i];
            snprintf(multiply, sizeof multiply, "IMAD R4, R2, 0x%x, RZ", (unsigned)factor_now);
            const char *const code[] = {"S2R R2, SR_TID.X", multiply, loads[w], "STS [R2.X4+0x4000], R5", "EXIT"};
            assert_int_equal(degree_of_code(code, 5, NULL), degree_by_force(by_x, 4u << w, 1024, 1024));
        }
        char multiply[64];
        if (factors[i] < 64)
            continue;
        factor_now = factors[i];
        snprintf(multiply, sizeof multiply, "IMAD R4, R2, 0x%x, R6", (unsigned)factor_now);
        const char *const across[] = {"S2R R2, SR_TID.X",
                                      "S2R R3, SR_TID.Y",
                                      "IMAD.SHL.U32 R6, R3, 0x4, RZ",
                                      multiply,
                                      "LDS R5, [R4]",
                                      "STS [R2.X4+0x4000], R5",
                                      "EXIT"};
        snprintf(multiply, sizeof multiply, "IMAD R4, R2, 0x%x, R6", (unsigned)factor_now);
        assert_int_equal(degree_of_code(across, 7, (int32_t[]){32, 8, 1}), degree_by_force(transposed, 4, 32, 256));
        assert_int_equal(degree_of_code(across, 7, (int32_t[]){16, 16, 1}), degree_by_force(transposed, 4, 16, 256));
        const char *const along[] = {"S2R R3, SR_TID.X",
                                     "S2R R2, SR_TID.Y",
                                     "IMAD.SHL.U32 R6, R3, 0x4, RZ",
                                     multiply,
                                     "LDS R5, [R4]",
                                     "STS [R3.X4+0x4000], R5",
                                     "EXIT"};
        assert_int_equal(degree_of_code(along, 7, (int32_t[]){16, 16, 1}), degree_by_force(rows, 4, 16, 256));
        assert_int_equal(degree_of_code(along, 7, (int32_t[]){8, 32, 1}), degree_by_force(rows, 4, 8, 256));
        uint32_t first = degree_by_force(rows, 4, 1, 128),
                 agreed = first; /* no size demanded: all widths, or nothing */
        for (uint32_t width = 2; width <= 64; width *= 2)
            agreed = degree_by_force(rows, 4, width, 128) == first ? agreed : 0;
        assert_int_equal(degree_of_code(along, 7, NULL), agreed);
    }
    const char *const swizzle[] = {"S2R R2, SR_TID.X",
                                   "S2R R3, SR_TID.Y",
                                   "LOP3.LUT R4, R2, R3, RZ, 0x3c, !PT",
                                   "IMAD.SHL.U32 R6, R3, 0x80, RZ",
                                   "IMAD R4, R4, 0x4, R6",
                                   "LDS R5, [R4]",
                                   "STS [R2.X4+0x4000], R5",
                                   "EXIT"};
    assert_int_equal(degree_of_code(swizzle, 8, (int32_t[]){32, 32, 1}), degree_by_force(swizzled, 4, 32, 1024));
    /* The width by the kernel's own word: blockIdx.x * 32 + threadIdx.x. */
    const char *const tile[] = {
        "S2R R2, SR_TID.X",      "S2R R3, SR_TID.Y",      "S2R R7, SR_CTAID.X",           "S2R R9, SR_CTAID.Y",
        "IMAD R7, R7, 0x20, R2", "IMAD R9, R9, 0x20, R3", "IMAD.SHL.U32 R6, R3, 0x4, RZ", "IMAD R4, R2, 0x80, R6",
        "LDS R5, [R4]",          "IADD3 R7, R7, R9, RZ",  "STS [R7.X4+0x4000], R5",       "EXIT"};
    factor_now = 128;
    assert_int_equal(degree_of_code(tile, 12, NULL), degree_by_force(transposed, 4, 32, 1024));
}

/* What the profiler of a GPU counted, an access of one warp a row: the degree times the parts of the access. Where all
 * lanes want the same few words the parts may go out together. */
static void as_the_profiler_counts(void **state)
{
    FILE *f = fopen(SP_SOURCE_DIR "/test/golden/place/h200_shared_conflicts.tsv", "r");
    char line[512];
    unsigned rows = 0;
    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        static const char *const loads[] = {"LDS.U8 R5, [R4]", "LDS.U16 R5, [R4]", "LDS R5, [R4]", "LDS.64 R8, [R4]",
                                            "LDS.128 R8, [R4]"};
        char kind[16], along[64], across[64];
        unsigned width, step, pitch, x, y, wavefronts, size = 0;
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%15s %u %u %u %u %u %u", kind, &width, &step, &pitch, &x, &y, &wavefronts), 7);
        while (1u << size < width)
            size++;
        snprintf(along, sizeof along, "IMAD R6, R2, 0x%x, RZ", step);
        snprintf(across, sizeof across, "IMAD R4, R3, 0x%x, R6", pitch);
        const char *const code[] = {"S2R R2, SR_TID.X", "S2R R3, SR_TID.Y",       along, across,
                                    loads[size],        "STS [R2.X4+0x4000], R5", "EXIT"};
        unsigned parts = width <= 4 ? 1 : width / 4;
        uint32_t degree = degree_of_code(code, 7, (int32_t[]){(int32_t)x, (int32_t)y, 1});
        if (degree * parts != wavefronts && !(degree == 1 && wavefronts < parts))
            fail_msg("%s here %u", line, degree);
        rows++;
        arena_free(&arena);
        arena_init(&arena, 0);
    }
    fclose(f);
    assert_int_equal(rows, 220);
}

static uint8_t local_kind(const struct graph *g, uint32_t offset)
{
    const uint8_t *kinds = place_find_local(&arena, g);
    assert_non_null(kinds);
    for (size_t i = 0; i < g->accesses.n; i++)
        if (g->insns.p[g->accesses.p[i].insn].offset == offset)
            return kinds[i];
    fail_msg("no access at 0x%x", offset);
    return PLACE_NOT_LOCAL;
}

/* Bytes that a wider access covers too are no register's place, whatever stands there. */
static void widths_that_meet(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "MOV R1, c[0x0][0x28]", "LDG.E.CONSTANT R10, [R4.64]", "STL [R1+-0x10], R10",
                "STL [R1+-0xc], R10", "STL [R1+-0x8], R10", "STL [R1+-0x4], R10", "LDL.128 R12, [R1+-0x10]",
                "FADD R10, R12, R13", "STG.E [R6.64], R10", "EXIT"),
           &g, &p);
    assert_int_equal(local_kind(g, AFTER + 0x20), PLACE_VARIABLE);
    assert_int_equal(local_kind(g, AFTER + 0x60), PLACE_VARIABLE);
    for (size_t i = 0; i < p.values.n; i++)
        assert_int_not_equal(p.values.p[i].cls, PLACE_SPILLED);
}

/* The same with an index that may come there: all of it is the array. */
static void array_read_by_fours(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "MOV R1, c[0x0][0x28]", "IADD3 R1, R1, -0x10, RZ", "STL.128 [R1], RZ",
                "LOP3.LUT R11, R2, 0x3, RZ, 0xc0, !PT", "IMAD R11, R11, 0x4, R1", "LDG.E.CONSTANT R10, [R4.64]",
                "STL [R11], R10", "LDL.128 R12, [R1]", "FADD R10, R12, R13", "STG.E [R6.64], R10", "EXIT"),
           &g, &p);
    assert_int_equal(local_kind(g, AFTER + 0x60), PLACE_ARRAY);
    assert_int_equal(local_kind(g, AFTER + 0x70), PLACE_ARRAY);
    assert_int_equal(made_at(g, &p, AFTER + 0x70)->cls, PLACE_LOCAL_ARRAY);
}

/* A place whose generic address some register holds is a variable. */
static void address_handed_on(void **state)
{
    const struct graph *g;
    struct graph_env env = env_86;
    struct place p;
    (void)state;
    env.local_window = 0x20;
    static const char *const code[] = {ADDRESSES,
                                       "MOV R1, c[0x0][0x28]",
                                       "IADD3 R1, R1, -0x8, RZ",
                                       "IADD3 R12, R1, c[0x0][0x20], RZ",
                                       "LDG.E.CONSTANT R10, [R4.64]",
                                       "STL [R1], R10",
                                       "STG.E [R8.64], R12",
                                       "LDL R10, [R1]",
                                       "STG.E [R6.64], R10",
                                       "EXIT"};
    struct graph *made = code_graph(&arena, 86, code, sizeof code / sizeof code[0], &env);
    struct graph_dependence *dependence = ARENA_NEW(&arena, struct graph_dependence);
    assert_int_equal(graph_find_dependence(&arena, made, dependence), SP_OK);
    made->dependence = dependence;
    g = made;
    assert_int_equal(place_build(&arena, g, &p), SP_OK);
    assert_int_equal(local_kind(g, AFTER + 0x40), PLACE_VARIABLE);
    assert_int_equal(local_kind(g, AFTER + 0x60), PLACE_VARIABLE);
}

/* The compiler's record of its spills decides. */
static void recorded(void **state)
{
    static const char *const code[] = {ADDRESSES,
                                       "MOV R1, c[0x0][0x28]",
                                       "LDG.E.CONSTANT R10, [R4.64]",
                                       "STL [R1+-0x8], R10",
                                       "LDL R11, [R1+-0x8]",
                                       "STG.E [R6.64], R11",
                                       "EXIT"};
    static const uint32_t both[] = {AFTER + 0x20, AFTER + 0x30};
    (void)state;
    for (unsigned known = 0; known < 3; known++) {
        struct graph_env env = env_86;
        env.spills = both;
        env.spills_known = known > 0;
        env.spill_count = known == 2 ? 2 : 0;
        struct graph *made = code_graph(&arena, 86, code, sizeof code / sizeof code[0], &env);
        assert_int_equal(local_kind(made, AFTER + 0x20), known == 1 ? PLACE_VARIABLE : PLACE_SLOT);
        assert_int_equal(local_kind(made, AFTER + 0x30), known == 1 ? PLACE_VARIABLE : PLACE_SLOT);
    }
}

/* The words of a pair that are used apart are two values, and the pair none. */
static void pair_used_apart(void **state)
{
    const struct graph *g;
    struct place p;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E.64.CONSTANT R10, [R4.64]", "FADD R0, R10, -R11", "STG.E [R6.64], R0", "EXIT"), &g,
           &p);
    assert_int_equal(p.values.n, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(elementwise, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(stored_and_used, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(stored_and_compared, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(volatile_round_trip, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(may_edges_are_assumed, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(recomputed, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(spilled, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(select_with_a_constant, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(select_where_paths_meet, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(through_shared, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(accumulator, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(arms_do_not_recompute, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(spilled_over_a_loop, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(local_array, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(half_stored, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(carried_in_a_slot, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(widths_that_meet, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(array_read_by_fours, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(address_handed_on, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(recorded, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(pair_used_apart, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(reloads, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(strides, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(never_runs, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(rows_and_columns, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(stored_index, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(bits_above_the_warp, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(strides_in_loops, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(bank_conflicts, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(as_the_profiler_counts, make_arena, drop_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
