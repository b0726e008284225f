/* A whole kernel, clamp_f32 as sm_86 has it: matches, nesting, bindings, real reading, differences, refusals. */
#include "pat_fixture.h"

/* Two compare-and-select pairs; R7 is stored. */
static void write_clamp(struct kernel *k, unsigned flags)
{
    skeleton_load(k);
    insn(k); /* 0xb0 */
    float_less(k, 0, flags, R(k, 2), bank(k, UOP_B32, LO_AT), true);
    insn(k); /* 0xc0 */
    set(k, 0, op(k, UOP_SELECT, UOP_B32, 0, P(k, 0), R(k, 2), bank(k, UOP_B32, LO_AT)));
    insn(k); /* 0xd0: v1 > hi, held as hi < v1 */
    float_less(k, 0, flags | UOP_SWAPPED, bank(k, UOP_B32, HI_AT), R(k, 0), false);
    insn(k); /* 0xe0 */
    set(k, 7, op(k, UOP_SELECT, UOP_B32, 0, not_P(k, 0), R(k, 0), bank(k, UOP_B32, HI_AT)));
    store(k, 4, 7); /* 0xf0 */
    leave(k);
}

static graph_id stored(struct kernel *k)
{
    for (size_t i = 0; i < k->g.accesses.n; i++)
        if (k->g.accesses.p[i].kind == GRAPH_STORE)
            return k->g.accesses.p[i].value[0];
    fail();
    return GRAPH_NIL;
}

/* Ids as the facts give them: x[i], the first select, the second. */
static void name_values(struct kernel *k)
{
    const struct graph_node *v2 = graph_at(&k->g, stored(k));
    graph_id v1 = graph_at(&k->g, v2->arg[1])->kind == UOP_SELECT ? v2->arg[1] : v2->arg[2];
    assert_true(mean_set_value(&k->m, v1, "v1"));
    assert_true(mean_set_value(&k->m, stored(k), "v2"));
}

static void the_worked_kernel(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "global-index [10 20 30] dims=1 index=i",
        "bounds-exit [40 50] index=i bound=n",
        "array-address [60 80] array=x index=i element_bytes=4",
        "read-only-load [90] array=x",
        "array-address [60 a0] array=y index=i element_bytes=4",
        "branchless-select [b0 c0] ^7 condition=!(x[i] < lo) then=x[i] else=lo",
        "branchless-select [d0 e0] ^7 condition=v1 > hi then=hi else=v1",
        "clamp [b0 c0 d0 e0] ^8 x=x[i] lo=lo hi=hi nan=kept (compare-and-select = min/max)",
        "elementwise [90 b0 c0 d0 e0 f0] expr=min(max(x[i], lo), hi) (compare-and-select = min/max)",
    };
    struct kernel k;
    kernel_begin(&k);
    write_clamp(&k, UOP_FTZ);
    add_all_pages(&k);
    run(&k);
    name_values(&k);
    for (size_t i = 0; i < k.result.matches.n; i++) {
        if (i >= sizeof expected / sizeof expected[0])
            fail_msg("one more: %s", show_match(&k, &k.result.matches.p[i]));
        assert_string_equal(show_match(&k, &k.result.matches.p[i]), expected[i]);
        assert_int_equal(k.result.matches.p[i].confidence, PAT_PROVED);
    }
    assert_int_equal(k.result.matches.n, sizeof expected / sizeof expected[0]);
    kernel_end(&k);
}

static void real_reading_and_differences(void **state)
{
    (void)state;
    static const char *const expected[][3] = {
        {"nan(x[i])", "x[i]", "min(lo, hi)"},
        {"subnormal(x[i]) || subnormal(lo) || subnormal(hi)", "compares as zero, passes unchanged", "ordered by value"},
        {"x[i] == 0 && lo == 0 || v1 == 0 && hi == 0", "sign of the kept operand", "-0 ordered below +0"},
    };
    for (int ftz = 0; ftz < 2; ftz++) {
        struct kernel k;
        struct pat_differences d;
        kernel_begin(&k);
        write_clamp(&k, ftz ? UOP_FTZ : 0);
        add_all_pages(&k);
        run(&k);
        name_values(&k);
        assert_string_equal(pat_real_expr(&k.m, &k.result, stored(&k), UOP_F32, MEAN_EXPANDED),
                            "min(max(x[i], lo), hi)");
        assert_int_equal(pat_differences(&k.m, &k.result, stored(&k), &k.a, &d), SP_OK);
        assert_int_equal(d.list.n, ftz ? 3 : 2); /* without flushing a subnormal is a number like others */
        for (size_t i = 0, row = 0; i < d.list.n; i++, row++) {
            if (!ftz && row == 1)
                row++;
            assert_string_equal(d.list.p[i].when, expected[row][0]);
            assert_string_equal(d.list.p[i].exact, expected[row][1]);
            assert_string_equal(d.list.p[i].real, expected[row][2]);
        }
        kernel_end(&k);
    }
}

static void refusals(void **state)
{
    (void)state;
    struct kernel k;
    struct pat_refusals r;
    kernel_begin(&k);
    write_clamp(&k, UOP_FTZ);
    add_all_pages(&k);
    run(&k);
    assert_int_equal(pat_refusals(&k.m, &k.result, &k.a, &r), SP_OK);
    assert_int_equal(r.list.n, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(r.list.p[i].match, 5 + i);
        assert_string_equal(r.list.p[i].reason, "nan");
        assert_string_equal(r.list.p[i].a, "NaN");
        assert_string_equal(r.list.p[i].b, "0");
        assert_string_equal(r.list.p[i].here, "NaN");
        assert_string_equal(r.list.p[i].fmnmx, "0");
        assert_string_equal(r.list.p[i].nan_a, "0");
        assert_string_equal(r.list.p[i].nan_b, "NaN");
        assert_string_equal(r.list.p[i].nan_here, "0");
        assert_string_equal(r.list.p[i].fmnmx_nan, "NaN");
    }
    kernel_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_kernel),
        cmocka_unit_test(real_reading_and_differences),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
