/* Classes and places of values (D8) in a few instructions each; the expected places are read off the listing by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../graph/graph_code.h"
#include "place/place.h"

static struct arena arena;

static int make_arena(void **state)
{
    arena_init(&arena, 0);
    *state = &arena;
    return 0;
}

static int drop_arena(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

#define ADDRESSES                                                                              \
    "S2R R2, SR_TID.X", "IMAD.MOV.U32 R3, RZ, RZ, 0x4", "IMAD.WIDE R4, R2, R3, c[0x0][0x160]", \
        "IMAD.WIDE R6, R2, R3, c[0x0][0x168]", "IMAD.WIDE R8, R2, R3, c[0x0][0x170]"
enum { AFTER = 5 * 16 };

static void places(const char *const *code, uint32_t count, const struct graph **g, struct place *p)
{
    *g = code_graph(&arena, 86, code, count, &env_86);
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

static void strides(void **state)
{
    const struct graph *g;
    struct place p;
    struct place_access x;
    (void)state;
    places(CODE(ADDRESSES, "LDG.E R0, [R4.64]", "LDG.E R10, [R4.64+0x10]", "IMAD.MOV.U32 R20, RZ, RZ, c[0x0][0x160]",
                "IMAD.MOV.U32 R21, RZ, RZ, c[0x0][0x164]", "LDG.E R12, [R20.64]",
                "IMAD.WIDE R22, R0, R3, c[0x0][0x160]", "LDG.E R13, [R22.64]", "IMAD.WIDE R24, R2, 0xc, R20",
                "LDG.E R14, [R24.64]", "EXIT"),
           &g, &p);
    static const enum place_coalescing want[] = {PLACE_FULL, PLACE_FULL, PLACE_BROADCAST, PLACE_SCATTERED,
                                                 PLACE_STRIDED};
    for (unsigned i = 0; i < 5; i++) {
        place_access_of(g, nth_load(g, i), &x);
        assert_int_equal(x.coalescing, want[i]);
        if (i == 4)
            assert_int_equal(x.stride, 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(elementwise, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(stored_and_used, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(volatile_round_trip, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(may_edges_are_assumed, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(recomputed, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(spilled, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(select_with_a_constant, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(select_where_paths_meet, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(strides, make_arena, drop_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
