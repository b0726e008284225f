/* Modules inside files that hold several, through the public calls: a cubin in a fatbin is explained as if alone,
 * PTX of the same fatbin stands beside the machine code that was made of it, and each module goes before the next. */
#include "sassprobe/sassprobe.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_taker.h"

#define CORPUS SP_SOURCE_DIR "/test/corpus/fatbin/"

static json_t *parse(struct text *t)
{
    json_error_t error;
    json_t *document = json_loads(t->p, 0, &error);
    if (!document)
        fail_msg("%s", error.text);
    free(t->p);
    return document;
}

static json_t *explain(const char *path, const char *arch, const char *ptx, enum sp_status expected)
{
    struct text t = {0};
    struct sp_session *session = sp_session_new();
    struct sp_explain_options o;
    sp_explain_options_init(&o);
    o.format = SP_FORMAT_JSON;
    o.arch = arch;
    assert_int_equal(sp_session_add_path(session, path), expected);
    if (ptx)
        assert_int_equal(sp_session_add_ptx(session, ptx), SP_OK);
    assert_int_equal(sp_explain(session, &o, text_take, &t), SP_OK);
    json_t *first = parse(&t);
    t = (struct text){0};
    assert_int_equal(sp_explain(session, &o, text_take, &t), SP_OK); /* each module is read again */
    json_t *second = parse(&t);
    assert_true(json_equal(json_object_get(first, "kernels"), json_object_get(second, "kernels")));
    assert_true(json_equal(json_object_get(first, "inputs"), json_object_get(second, "inputs")));
    json_decref(second);
    sp_session_free(session);
    return first;
}

static json_t *kernel_of(json_t *document, const char *arch)
{
    size_t i;
    json_t *k;
    json_array_foreach(json_object_get(document, "kernels"), i,
                       k) if (strcmp(json_string_value(json_object_get(k, "arch")), arch) == 0) return k;
    return NULL;
}

static size_t kernels(json_t *document)
{
    return json_array_size(json_object_get(document, "kernels"));
}

static bool has_rewrite(json_t *kernel, const char *kind)
{
    size_t i;
    json_t *r;
    json_array_foreach(json_object_get(kernel, "rewrites"), i,
                       r) if (strcmp(json_string_value(json_object_get(r, "kind")), kind) ==
                              0) return json_array_size(json_object_get(r, "ptx")) > 0;
    return false;
}

static bool has_diagnostic(json_t *document, const char *code)
{
    size_t i;
    json_t *d;
    json_array_foreach(json_object_get(document, "diagnostics"), i,
                       d) if (strcmp(json_string_value(json_object_get(d, "code")), code) == 0) return true;
    return false;
}

static void test_the_same_as_alone(void **state)
{
    (void)state;
    static const char *const files[] = {"packed.none.fatbin", "packed.speed.fatbin", "packed.size.fatbin"};
    json_t *alone = explain(SP_SOURCE_DIR "/cubin/sm86/05_nn_ops/softmax_small_f32.cubin", NULL, NULL, SP_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[400];
        snprintf(path, sizeof path, CORPUS "%s", files[i]);
        json_t *packed = explain(path, NULL, NULL, SP_OK);
        assert_int_equal(json_array_size(json_object_get(packed, "inputs")), 2);
        assert_int_equal(kernels(packed), 1); /* its PTX is told with it */
        assert_true(json_equal(json_object_get(alone, "kernels"), json_object_get(packed, "kernels")));
        assert_true(json_equal(json_object_get(alone, "files"), json_object_get(packed, "files")));
        json_decref(packed);
    }
    json_decref(alone);
}

/* The machine code records which PTX it was made of: that of compute_75 is none for sm_90a. */
static void test_ptx_beside(void **state)
{
    (void)state;
    json_t *host = explain(CORPUS "host.o", NULL, NULL, SP_OK);
    assert_int_equal(kernels(host), 2);
    assert_true(has_rewrite(kernel_of(host, "sm_75"), "branch-to-exit"));
    assert_false(has_rewrite(kernel_of(host, "sm_90a"), "branch-to-exit"));
    assert_false(has_diagnostic(host, "ptx-mismatch"));
    json_decref(host);
    json_t *rdc = explain(CORPUS "relocatable.o", NULL, NULL, SP_OK);
    assert_true(has_rewrite(kernel_of(rdc, "sm_86"), "branch-to-exit"));
    json_decref(rdc);
}

static void test_ptx_of_something_else(void **state)
{
    (void)state;
    json_t *d = explain(CORPUS "mismatch.fatbin", NULL, NULL, SP_OK);
    assert_int_equal(kernels(d), 1);
    assert_true(has_diagnostic(d, "ptx-mismatch"));
    assert_false(has_rewrite(kernel_of(d, "sm_80"), "branch-to-exit"));
    json_decref(d);
}

/* A linked library keeps what its device linker was given: listed, explained once. */
static void test_linked(void **state)
{
    (void)state;
    json_t *d = explain(CORPUS "linked.so", NULL, NULL, SP_OK);
    assert_int_equal(json_array_size(json_object_get(d, "inputs")), 5);
    assert_int_equal(kernels(d), 2);
    json_decref(d);
}

static void test_one_architecture(void **state)
{
    (void)state;
    json_t *host = explain(CORPUS "host.o", "sm_90a", NULL, SP_OK);
    assert_int_equal(kernels(host), 1);
    assert_non_null(kernel_of(host, "sm_90a"));
    assert_int_equal(json_array_size(json_object_get(host, "inputs")), 3);
    json_decref(host);
}

static void test_ptx_alone(void **state)
{
    (void)state;
    json_t *ptx = explain(CORPUS "ptx.o", NULL, NULL, SP_OK);
    assert_int_equal(kernels(ptx), 1);
    json_t *input = json_array_get(json_object_get(ptx, "inputs"), 0);
    assert_string_equal(json_string_value(json_object_get(input, "kind")), "ptx");
    assert_string_equal(json_string_value(json_object_get(input, "member")), "ptx.o.1");
    json_decref(ptx);
}

/* --ptx takes files that hold some, too. */
static void test_given_in_a_fatbin(void **state)
{
    (void)state;
    json_t *d = explain(CORPUS "host.o", "sm_90a", CORPUS "host.o", SP_OK);
    assert_true(has_rewrite(kernel_of(d, "sm_90a"), "branch-to-exit"));
    json_decref(d);
}

static void test_list(void **state)
{
    (void)state;
    struct text t = {0};
    struct sp_session *session = sp_session_new();
    assert_int_equal(sp_session_add_path(session, CORPUS "static.a"), SP_OK);
    assert_int_equal(sp_session_add_path(session, CORPUS "lto.o"), SP_OK);
    assert_int_equal(sp_list(session, SP_FORMAT_JSON, text_take, &t), SP_OK);
    assert_false(sp_session_damaged(session));
    json_t *list = parse(&t), *modules = json_object_get(list, "modules");
    static const char
        *const members[] = {"a_member_with_a_long_name.o.1", "a_member_with_a_long_name.o.2", "ptx.o.3", "lto.o.1"},
               *const kinds[] = {"cubin", "ptx", "ptx", "nvvm"}, *const ptx[] = {"fatbin", "itself", "itself", "none"};
    assert_int_equal(json_array_size(modules), 4);
    for (size_t i = 0; i < 4; i++) {
        json_t *m = json_array_get(modules, i);
        assert_string_equal(json_string_value(json_object_get(m, "member")), members[i]);
        assert_string_equal(json_string_value(json_object_get(m, "kind")), kinds[i]);
        assert_string_equal(json_string_value(json_object_get(m, "ptx")), ptx[i]);
        assert_string_equal(json_string_value(json_object_get(m, "compressed")), "zstd");
        assert_int_equal(json_array_size(json_object_get(m, "kernels")), i < 3);
    }
    json_decref(list);
    sp_session_free(session);
}

/* Bytes from memory, cut: what stands before the cut is explained, and the damage is told with its place. */
static void test_damaged(void **state)
{
    (void)state;
    char bytes[9000];
    FILE *f = fopen(CORPUS "packed.none.fatbin", "rb");
    assert_non_null(f);
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), sizeof bytes);
    fclose(f);
    struct text t = {0};
    struct sp_session *session = sp_session_new();
    assert_int_equal(sp_session_add_memory(session, "cut.fatbin", bytes, sizeof bytes), SP_ERR_FORMAT);
    assert_true(sp_session_damaged(session));
    sp_session_diagnostics(session, text_take, &t);
    assert_non_null(strstr(t.p, "cut.fatbin: 0x0: error: the header says that "));
    free(t.p);
    t = (struct text){0};
    struct sp_explain_options o;
    sp_explain_options_init(&o);
    o.format = SP_FORMAT_JSON;
    assert_int_equal(sp_explain(session, &o, text_take, &t), SP_OK);
    json_t *d = parse(&t);
    assert_int_equal(kernels(d), 1);
    json_decref(d);
    sp_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_as_alone),
        cmocka_unit_test(test_ptx_beside),
        cmocka_unit_test(test_ptx_of_something_else),
        cmocka_unit_test(test_linked),
        cmocka_unit_test(test_one_architecture),
        cmocka_unit_test(test_ptx_alone),
        cmocka_unit_test(test_given_in_a_fatbin),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
