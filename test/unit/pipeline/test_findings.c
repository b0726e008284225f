/* What the machine code of the corpus does to shared memory: races are notes of the kernel's section and stand first in
 * its report; kernels that wait say nothing; whose stores a load reads is in the document; notes on patterns come page
 * by page. */
#include "sassprobe/sassprobe.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "text_taker.h"

/* The report on one kernel, to be freed. */
static char *explain(const char *path, const char *kernel, enum sp_format format)
{
    struct text t = {0};
    struct sp_session *session = sp_session_new();
    struct sp_explain_options options;
    sp_explain_options_init(&options);
    options.format = format;
    options.kernel = kernel;
    assert_int_equal(sp_session_add_path(session, path), SP_OK);
    assert_int_equal(sp_explain(session, &options, text_take, &t), SP_OK);
    sp_session_free(session);
    return t.p;
}

static void test_races_are_findings(void **state)
{
    (void)state;
    static const char *const files[] = {SP_SOURCE_DIR "/test/corpus/variants/tree_misses.sm75.cubin",
                                        SP_SOURCE_DIR "/test/corpus/variants/tree_misses.sm86.cubin",
                                        SP_SOURCE_DIR "/test/corpus/variants/tree_misses.sm90.cubin",
                                        SP_SOURCE_DIR "/test/corpus/variants/tree_misses.sm120.cubin"};
    static const char *const wrong[] = {"step_without_barrier_kernel", "scan_without_middle_kernel"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            char *text = explain(files[f], wrong[k], SP_FORMAT_TEXT);
            const char *findings = strstr(text, "FINDINGS"), *outputs = strstr(text, "WHERE EACH VALUE LIVES");
            assert_non_null(findings);
            assert_true(findings < outputs);
            assert_non_null(strstr(findings, "unsynchronised: "));
            assert_null(strstr(text, "DIAGNOSTICS")); /* it stands once */
            free(text);
            text = explain(files[f], wrong[k], SP_FORMAT_JSON);
            assert_non_null(strstr(text, "\"severity\":\"note\",\"code\":\"unsynchronised\""));
            assert_non_null(strstr(text, "\"section\":\".text."));
            free(text);
        }
        char *text = explain(files[f], "scan_with_middle_kernel", SP_FORMAT_TEXT);
        assert_null(strstr(text, "FINDINGS"));
        free(text);
    }
}

/* D5's example: a step reads what this thread and the one at its distance stored, parted by the barriers. */
static void test_whose_stores(void **state)
{
    (void)state;
    char *text = explain(SP_SOURCE_DIR "/cubin/sm86/03_reduction/reduce_sum_f32.cubin", NULL, SP_FORMAT_JSON);
    const char *own = strstr(text, "\"reads\":[{\"store\":224,\"thread\":\"own\",\"sync\":\"own\"");
    assert_non_null(own);
    assert_non_null(strstr(own, "{\"store\":400,\"thread\":\"own\",\"sync\":\"own\""));
    assert_non_null(strstr(own, "\"reads\":[{\"store\":224,\"thread\":\"threadIdx.x + j\",\"sync\":\"barrier\","
                                "\"barriers\":[240,416]"));
    assert_non_null(strstr(own, "{\"store\":400,\"thread\":\"threadIdx.x + j\",\"sync\":\"barrier\","
                                "\"barriers\":[416]"));
    free(text);
}

struct notes {
    struct text now;
    unsigned begun, stop_after;
    char last[64];
    bool clamp;
};

static bool begin(void *user, const char *pattern)
{
    struct notes *n = user;
    assert_true(strcmp(n->last, pattern) < 0 || strstr(pattern, "-")); /* in the order of their pages */
    if (strcmp(n->last, "clamp") == 0)
        n->clamp = n->now.p && strstr(n->now.p, "clamp_f32_kernel") && strstr(n->now.p, "0x00b0");
    strncpy(n->last, pattern, sizeof n->last - 1);
    free(n->now.p);
    n->now = (struct text){0};
    return ++n->begun != n->stop_after;
}

static bool take(void *user, const char *bytes, size_t n)
{
    return text_take(&((struct notes *)user)->now, bytes, n);
}

static void test_pattern_notes(void **state)
{
    (void)state;
    struct notes n = {0};
    struct sp_session *session = sp_session_new();
    assert_int_equal(sp_session_add_path(session, SP_SOURCE_DIR "/cubin/sm86/02_control"), SP_OK);
    assert_int_equal(sp_pattern_notes(session, "sm_86", begin, take, &n), SP_OK);
    assert_true(n.begun > 10);
    assert_true(n.clamp);
    assert_non_null(strstr(n.now.p, "# "));
    free(n.now.p);
    n = (struct notes){.stop_after = 2};
    assert_int_equal(sp_pattern_notes(session, "sm_86", begin, take, &n), SP_ERR_IO);
    assert_int_equal(n.begun, 2);
    free(n.now.p);
    sp_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_races_are_findings),
        cmocka_unit_test(test_whose_stores),
        cmocka_unit_test(test_pattern_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
