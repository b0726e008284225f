/* Occupancy against a real GPU: every answer in test/golden/place/h200_occupancy.tsv, and what limits it by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "facts/fact_build.h"

static void as_the_runtime_answers(void **state)
{
    FILE *f = fopen(SP_SOURCE_DIR "/test/golden/place/h200_occupancy.tsv", "r");
    char line[256];
    unsigned rows = 0;
    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned registers, fixed, dynamic, threads, blocks;
        const char *limit;
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%u %u %u %u %u", &registers, &fixed, &dynamic, &threads, &blocks), 5);
        uint32_t n = fact_blocks_at_once(90, threads, registers, fixed + dynamic, 0, &limit);
        if (n != blocks)
            fail_msg("%s here %u", line, n);
        rows++;
    }
    fclose(f);
    assert_true(rows > 1000);
}

static void what_limits(void **state)
{
    const char *limit;
    (void)state;
    /* sm_86: 48 warps, 16 blocks, 100 KB less 1 KB a block */
    assert_int_equal(fact_blocks_at_once(86, 256, 40, 0, 1, &limit), 6);
    assert_string_equal(limit, "threads");
    assert_int_equal(fact_blocks_at_once(86, 32, 16, 0, 1, &limit), 16);
    assert_string_equal(limit, "blocks");
    assert_int_equal(fact_blocks_at_once(86, 256, 64, 0, 1, &limit), 4);
    assert_string_equal(limit, "registers");
    assert_int_equal(fact_blocks_at_once(86, 256, 40, 32768, 1, &limit), 3);
    assert_string_equal(limit, "shared");
    assert_int_equal(fact_blocks_at_once(86, 1024, 80, 0, 1, &limit), 0); /* cannot be launched */
    /* sm_75: 32 warps, no shared memory beyond the block's own */
    assert_int_equal(fact_blocks_at_once(75, 256, 64, 0, 1, &limit), 4);
    assert_string_equal(limit, "threads");
    assert_int_equal(fact_blocks_at_once(75, 256, 32, 32768, 1, &limit), 2);
    assert_int_equal(fact_blocks_at_once(90, 64, 16, 0, 8, &limit), 8); /* eight barriers each, of 64 */
    assert_string_equal(limit, "blocks");
    assert_int_equal(fact_blocks_at_once(999, 256, 32, 0, 1, &limit), 0);
    assert_null(limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_runtime_answers), cmocka_unit_test(what_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
