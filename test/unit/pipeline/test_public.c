/* The public calls: two sessions in two threads answer what one alone answers, a writer that stops is obeyed, and
 * damage is told. */
#include "sassprobe/sassprobe.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_taker.h"

static struct text explain_path(const char *path, enum sp_format format)
{
    struct text t = {0};
    struct sp_session *session = sp_session_new();
    struct sp_explain_options options;
    sp_explain_options_init(&options);
    options.format = format;
    if (!session || sp_session_add_path(session, path) != SP_OK ||
        sp_explain(session, &options, text_take, &t) != SP_OK) {
        free(t.p);
        t = (struct text){0};
    }
    sp_session_free(session);
    return t;
}

struct job {
    struct text out;
};

static void *explain_all(void *user)
{
    struct job *job = user;
    job->out = explain_path(SP_SOURCE_DIR "/cubin/sm86", SP_FORMAT_TEXT);
    return NULL;
}

static void test_two_threads(void **state)
{
    (void)state;
    struct job alone = {0}, one = {0}, two = {0};
    pthread_t first, second;
    explain_all(&alone);
    assert_non_null(alone.out.p);
    assert_int_equal(pthread_create(&first, NULL, explain_all, &one), 0);
    assert_int_equal(pthread_create(&second, NULL, explain_all, &two), 0);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert_string_equal(alone.out.p, one.out.p);
    assert_string_equal(alone.out.p, two.out.p);
    free(alone.out.p);
    free(one.out.p);
    free(two.out.p);
}

static bool stop_at_once(void *user, const char *bytes, size_t n)
{
    (void)bytes;
    (void)n;
    ++*(int *)user;
    return false;
}

static void test_writer_that_stops(void **state)
{
    (void)state;
    int calls = 0;
    struct sp_session *session = sp_session_new();
    struct sp_explain_options options;
    sp_explain_options_init(&options);
    assert_int_equal(sp_session_add_path(session, SP_SOURCE_DIR "/cubin/sm86/02_control/clamp_f32.cubin"), SP_OK);
    assert_int_equal(sp_explain(session, &options, stop_at_once, &calls), SP_ERR_IO);
    assert_int_equal(calls, 1);
    sp_session_free(session);
}

static void test_damage_is_told(void **state)
{
    (void)state;
    struct text told = {0};
    struct sp_session *session = sp_session_new();
    assert_int_equal(sp_session_add_path(session, SP_SOURCE_DIR "/no-such-file"), SP_ERR_IO);
    assert_int_equal(sp_session_add_memory(session, "noise", "not a cubin at all", 18), SP_ERR_FORMAT);
    assert_true(sp_session_damaged(session));
    sp_session_diagnostics(session, text_take, &told);
    assert_non_null(told.p);
    assert_non_null(strstr(told.p, "no-such-file"));
    assert_non_null(strstr(told.p, "noise"));
    free(told.p);
    sp_session_free(session);
}

/* In the old layout the architecture's number stands in byte 0x30 of the header and nowhere else. */
static enum sp_status open_as(struct sp_session *session, unsigned sm)
{
    static unsigned char bytes[1 << 18];
    FILE *f = fopen(SP_SOURCE_DIR "/test/corpus/variants/probes-ptxas-11.8.sm86.cubin", "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_int_equal(bytes[0x30], 86);
    bytes[0x30] = (unsigned char)sm;
    return sp_session_add_memory(session, "probes", bytes, n);
}

/* sm_88 has tables; sm_82 is read with those of sm_80 and that is said; an architecture far from all is not read. */
static void test_nearest_architecture(void **state)
{
    struct text t = {0}, told = {0};
    struct sp_explain_options options;
    struct sp_session *session = sp_session_new();
    (void)state;
    sp_explain_options_init(&options);
    options.format = SP_FORMAT_JSON;
    assert_int_equal(open_as(session, 88), SP_OK);
    sp_session_diagnostics(session, text_take, &told);
    assert_true(!told.p || !strstr(told.p, "nearest-architecture"));
    sp_session_free(session);
    session = sp_session_new();
    assert_int_equal(open_as(session, 82), SP_OK);
    assert_int_equal(sp_explain(session, &options, text_take, &t), SP_OK);
    sp_session_diagnostics(session, text_take, &told);
    assert_non_null(strstr(t.p, "\"arch\":\"sm_82\""));
    assert_non_null(strstr(t.p, "max(p0[i], 0.0f)"));
    assert_non_null(strstr(told.p, "nearest-architecture"));
    sp_session_free(session);
    session = sp_session_new();
    assert_int_not_equal(open_as(session, 33), SP_OK);
    assert_true(sp_session_damaged(session));
    sp_session_free(session);
    free(t.p);
    free(told.p);
}

static void test_statements_of_status(void **state)
{
    (void)state;
    for (int i = SP_OK; i <= SP_ERR_UNSUPPORTED; i++)
        assert_true(strlen(sp_status_text((enum sp_status)i)) > 1);
    assert_string_equal(sp_version(), "0.1.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_threads),          cmocka_unit_test(test_writer_that_stops),
        cmocka_unit_test(test_damage_is_told),       cmocka_unit_test(test_statements_of_status),
        cmocka_unit_test(test_nearest_architecture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
