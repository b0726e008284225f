/* The explain document: the worked document goes once round unchanged; every key is always there; odd facts
 * give valid JSON. */
#include "report/rep.h"

#include "support_worked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct worked_text render(const struct fact_document *doc)
{
    struct worked_text text = {0};
    struct out o;
    out_init(&o, worked_collect, &text);
    rep_json(doc, &o);
    assert_true(out_flush(&o));
    return text;
}

static const struct jv *parse(struct arena *a, const struct worked_text *text)
{
    size_t at = 0;
    const struct jv *root = jv_parse(a, text->p, text->n, &at);
    if (!root)
        fail_msg("not JSON at byte %zu", at);
    return root;
}

static void test_worked_document_goes_round(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    const struct jv *expected = worked_load(&doc, &a);
    assert_non_null(expected);
    struct worked_text text = render(&doc);
    const struct jv *got = parse(&a, &text);
    assert_true(jv_within(expected, got, "worked"));
    assert_true(jv_within(got, expected, "rendered"));
    free(text.p);
    arena_free(&a);
}

/* A changed fact must not compare equal: the test above can fail. */
static void test_a_changed_fact_is_seen(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    const struct jv *expected = worked_load(&doc, &a);
    assert_non_null(expected);
    doc.kernels.p[0].instructions.p[3].role = FACT_ROLE_DEAD;
    struct worked_text text = render(&doc);
    const struct jv *got = parse(&a, &text);
    assert_false(jv_within(expected, got, "worked"));
    free(text.p);
    arena_free(&a);
}

/* Keys of the worked document's records in that order (insertion order), in every kernel of any document. */
static void check_keys(const struct jv *object, const char *const *keys)
{
    size_t n = 0;
    for (; keys[n]; n++)
        if (!jv_get(object, keys[n]))
            fail_msg("no key %s", keys[n]);
    assert_int_equal(jv_size(object), n);
}

static void check_document(const struct jv *root)
{
    static const char *const top[] = {"schema",      "tool",    "inputs",  "files", "diagnostics",
                                      "comparisons", "kernels", "sources", NULL};
    static const char *const kernel[] = {"input",        "name",           "demangled",
                                         "arch",         "registers",      "uniform_registers",
                                         "shared_bytes", "dynamic_shared", "stack_bytes",
                                         "barriers",     "code_bytes",     "params",
                                         "names",        "loops",          "unknown",
                                         "padding",      "summary",        "outputs",
                                         "phases",       "instructions",   "register_flow",
                                         "values",       "patterns",       "rewrites",
                                         "accesses",     "work",           "occupancy",
                                         "lines",        "source_says",    "ptx_from",
                                         "ptx",          "functions",      NULL};
    static const char *const instruction[] = {
        "offset", "text",          "guard",        "runs_when", "role",     "expr", "line",    "ptx_line",    "stall",
        "yield",  "write_barrier", "read_barrier", "wait_mask", "patterns", "file", "inlined", "source_text", NULL};
    static const char *const function[] = {"name",       "demangled",    "section", "offset",
                                           "code_bytes", "instructions", NULL};
    static const char *const value[] = {"id",      "name", "expr",     "type",       "class",
                                        "storage", "uses", "evidence", "confidence", NULL};
    static const char *const pattern[] = {"n",          "id",  "parent", "offsets", "bindings",
                                          "confidence", "via", "rule",   NULL};
    static const char *const rewrite[] = {"kind", "stage", "reason",     "source", "ptx",
                                          "sass", "args",  "confidence", NULL};
    static const char *const loop[] = {"id",    "parent",  "from",        "to",       "counter",
                                       "start", "step",    "until",       "unroll",   "pieces",
                                       "count", "carried", "source_loop", "evidence", NULL};
    size_t i, x;
    const struct jv *k, *v;
    check_keys(root, top);
    for (i = 0; (k = jv_item(jv_get(root, "kernels"), i)); i++) {
        check_keys(k, kernel);
        for (x = 0; (v = jv_item(jv_get(k, "instructions"), x)); x++)
            check_keys(v, instruction);
        for (x = 0; (v = jv_item(jv_get(k, "functions"), x)); x++) {
            check_keys(v, function);
            for (size_t y = 0; jv_item(jv_get(v, "instructions"), y); y++)
                check_keys(jv_item(jv_get(v, "instructions"), y), instruction);
        }
        for (x = 0; (v = jv_item(jv_get(k, "values"), x)); x++)
            check_keys(v, value);
        for (x = 0; (v = jv_item(jv_get(k, "patterns"), x)); x++)
            check_keys(v, pattern);
        for (x = 0; (v = jv_item(jv_get(k, "rewrites"), x)); x++)
            check_keys(v, rewrite);
        for (x = 0; (v = jv_item(jv_get(k, "loops"), x)); x++)
            check_keys(v, loop);
    }
}

static void test_every_key_is_there(void **state)
{
    (void)state;
    void (*const make[])(struct fact_document *, struct arena *) = {worked_make_loops, worked_make_phases,
                                                                    worked_make_empty};
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        struct arena a;
        struct fact_document doc;
        arena_init(&a, 0);
        make[i](&doc, &a);
        struct worked_text text = render(&doc);
        const struct jv *root = parse(&a, &text);
        check_document(root);
        free(text.p);
        arena_free(&a);
    }
}

/* What the kernel calls has its instructions for itself. */
static void test_functions_stand_apart(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    worked_make_loops(&doc, &a);
    struct fact_kernel *kernel = &doc.kernels.p[0];
    size_t own = kernel->instructions.n;
    struct fact_instruction in = kernel->instructions.p[0];
    in.offset = 0x110;
    VEC_PUSH(&a, kernel->instructions, in);
    VEC_PUSH(&a, kernel->functions, (struct fact_function){"expf", "expf", ".text.expf", 0x100, 128});
    struct worked_text text = render(&doc);
    const struct jv *root = parse(&a, &text), *k = jv_item(jv_get(root, "kernels"), 0);
    const struct jv *f = jv_item(jv_get(k, "functions"), 0);
    check_document(root);
    assert_int_equal(jv_size(jv_get(k, "instructions")), own);
    assert_int_equal(jv_size(jv_get(f, "instructions")), 1);
    assert_string_equal(jv_get(f, "section")->text, ".text.expf");
    free(text.p);
    arena_free(&a);
}

static void test_nothing_is_null_or_empty(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    worked_make_empty(&doc, &a);
    struct worked_text text = render(&doc);
    const struct jv *root = parse(&a, &text), *k = jv_item(jv_get(root, "kernels"), 0);
    static const char *const nulls[] = {"name", "registers", "code_bytes", "padding", "summary", "work", "occupancy"};
    static const char *const empty[] = {"params", "outputs", "values", "patterns", "unknown", "instructions"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        assert_true(jv_is(jv_get(k, nulls[i]), JV_NULL));
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        assert_true(jv_is(jv_get(k, empty[i]), JV_ARRAY) && jv_size(jv_get(k, empty[i])) == 0);
    assert_true(jv_is(jv_get(k, "register_flow"), JV_OBJECT));
    free(text.p);
    arena_free(&a);
}

static void test_numbers_and_groups(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    worked_make_loops(&doc, &a);
    struct worked_text text = render(&doc);
    assert_non_null(strstr(text.p, "\"bindings\":{\"op\":\"add\",\"exact\":true,\"range\":{\"lo\":-1,\"deep\":null}}"));
    assert_non_null(strstr(
        text.p, "\"work\":{\"flops\":0.5,\"global_bytes\":0,\"shared_bytes\":12,\"intensity\":null,\"loops\":[]}"));
    assert_non_null(strstr(
        text.p, "\"occupancy\":[{\"block\":256,\"warps\":64,\"limit\":\"registers\",\"dynamic_shared_bytes\":0}]"));
    assert_non_null(strstr(text.p, "\"source_loop\":{\"file\":0,\"line\":9}"));
    assert_non_null(strstr(text.p, "\"from\":64,\"to\":128,\"ranges\":[[64,128]]"));
    assert_non_null(strstr(text.p, "\"to\":128,\"reloaded\":true"));
    assert_non_null(
        strstr(text.p, "{\"severity\":\"warning\",\"code\":\"line-program\",\"input\":0,\"section\":\".debug_line\","
                       "\"offset\":64,\"message\":\"opcode 0x5 expected\"}"));
    assert_non_null(strstr(text.p, "\"input\":null,\"section\":null,\"offset\":null"));
    free(text.p);
    arena_free(&a);
}

static void test_phases_have_ranges(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    worked_make_phases(&doc, &a);
    struct worked_text text = render(&doc);
    assert_non_null(strstr(text.p, "\"reads\":[{\"store\":48,\"thread\":\"own\",\"sync\":\"own\",\"barriers\":[],"
                                   "\"confidence\":\"proved\"},{\"store\":48,\"thread\":\"threadIdx.x + j\","
                                   "\"sync\":\"barrier\",\"barriers\":[64],"));
    assert_non_null(strstr(text.p, "\"from\":32,\"to\":192,\"ranges\":[[32,32],[160,192]]"));
    free(text.p);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_document_goes_round), cmocka_unit_test(test_a_changed_fact_is_seen),
        cmocka_unit_test(test_every_key_is_there),         cmocka_unit_test(test_functions_stand_apart),
        cmocka_unit_test(test_nothing_is_null_or_empty),   cmocka_unit_test(test_numbers_and_groups),
        cmocka_unit_test(test_phases_have_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
