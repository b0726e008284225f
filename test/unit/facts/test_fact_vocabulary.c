/* Spellings: each enumerator has the vocabulary's word, no two share one, and roles are found again by theirs. */
#include "facts/fact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_roles_go_round(void **state)
{
    (void)state;
    for (int role = 0; role <= FACT_ROLE_UNKNOWN; role++)
        assert_int_equal(fact_role_find(fact_role_text((enum fact_role)role)), role);
    assert_int_equal(fact_role_find("no-such-role"), -1);
    assert_int_equal(fact_role_find(NULL), -1);
}

/* One word from the start, the middle and the end of each table: a shifted row would show. */
static void test_words_stand_at_their_place(void **state)
{
    (void)state;
    assert_string_equal(fact_role_text(FACT_ROLE_STACK), "stack");
    assert_string_equal(fact_role_text(FACT_ROLE_EARLY_EXIT), "early-exit");
    assert_string_equal(fact_role_text(FACT_ROLE_COMPARE), "compare");
    assert_string_equal(fact_role_text(FACT_ROLE_LOOP_TEST), "loop-test");
    assert_string_equal(fact_role_text(FACT_ROLE_RECONVERGENCE), "reconvergence");
    assert_string_equal(fact_role_text(FACT_ROLE_SLOW_PATH), "slow-path");
    assert_string_equal(fact_role_text(FACT_ROLE_DEAD), "dead");
    assert_string_equal(fact_role_text(FACT_ROLE_UNKNOWN), "unknown");
    assert_string_equal(fact_class_text(FACT_REGISTER_ONLY), "register-only");
    assert_string_equal(fact_class_text(FACT_SPILLED), "spilled");
    assert_string_equal(fact_class_text(FACT_RESULT), "result");
    assert_string_equal(fact_where_text(FACT_REGISTER), "register");
    assert_string_equal(fact_where_text(FACT_GLOBAL), "global");
    assert_string_equal(fact_where_text(FACT_TENSOR), "tensor");
    assert_string_equal(fact_confidence_text(FACT_ASSUMED), "assumed");
    assert_string_equal(fact_stage_text(FACT_STAGE_PTXAS), "ptxas");
    assert_string_equal(fact_stage_text(FACT_STAGE_UNKNOWN), "unknown");
    assert_string_equal(fact_why_text(FACT_WHY_INDIRECT_BRANCH), "indirect-branch");
    assert_string_equal(fact_access_text(FACT_READWRITE), "readwrite");
    assert_string_equal(fact_access_text(FACT_UNUSED), "none");
    assert_string_equal(fact_phase_text(FACT_PHASE_MAP), "map");
    assert_string_equal(fact_phase_text(FACT_PHASE_FINISH), "finish");
    assert_string_equal(fact_coalescing_text(FACT_BROADCAST), "broadcast");
    assert_string_equal(fact_sync_text(FACT_SYNC_OWN), "own");
    assert_string_equal(fact_sync_text(FACT_SYNC_WARP_ASSUMED), "warp-assumed");
    assert_string_equal(fact_sync_text(FACT_SYNC_UNKNOWN), "unknown");
}

static void test_no_two_roles_share_a_word(void **state)
{
    (void)state;
    for (int a = 0; a <= FACT_ROLE_UNKNOWN; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(fact_role_text((enum fact_role)a), fact_role_text((enum fact_role)b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roles_go_round),
        cmocka_unit_test(test_words_stand_at_their_place),
        cmocka_unit_test(test_no_two_roles_share_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
