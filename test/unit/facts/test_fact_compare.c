/* Two kernels side by side: what is the same, what differs, and a reason only where the facts show one. */
#include "facts/fact.h"
#include "facts/fact_words.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OFFSETS(...) \
    offsets_of(a, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static struct fact_offsets offsets_of(struct arena *a, const uint32_t *p, uint32_t n)
{
    uint32_t *kept = ARENA_ARRAY(a, uint32_t, n);
    memcpy(kept, p, n * sizeof *p);
    return (struct fact_offsets){kept, n};
}

static struct fact_kernel kernel_of(const char *name)
{
    return (struct fact_kernel){.name = name,
                                .base_name = name,
                                .arch = "sm_86",
                                .registers = 10,
                                .uniform_registers = FACT_NONE,
                                .shared_bytes = 0,
                                .stack_bytes = 0,
                                .barriers = FACT_NONE,
                                .code_bytes = 256};
}

static void add(struct fact_kernel *k, struct arena *a, uint32_t offset, enum fact_role role)
{
    VEC_PUSH(a, k->instructions, (struct fact_instruction){.offset = offset, .role = role});
}

static const struct fact_binding witness[] = {{"a", FACT_BIND_TEXT, "NaN", 0, NULL, 0},
                                              {"b", FACT_BIND_INT, NULL, 0, NULL, 0},
                                              {"here", FACT_BIND_TEXT, "NaN", 0, NULL, 0},
                                              {"fmnmx", FACT_BIND_INT, NULL, 0, NULL, 0}};
static const struct fact_binding nan_witness[] = {{"a", FACT_BIND_INT, NULL, 0, NULL, 0},
                                                  {"b", FACT_BIND_TEXT, "NaN", 0, NULL, 0},
                                                  {"here", FACT_BIND_INT, NULL, 0, NULL, 0},
                                                  {"fmnmx_nan", FACT_BIND_TEXT, "NaN", 0, NULL, 0}};
static const struct fact_binding arguments[] = {{"witness", FACT_BIND_GROUP, NULL, 0, witness, 4},
                                                {"nan_form_witness", FACT_BIND_GROUP, NULL, 0, nan_witness, 4}};
static const struct fact_binding bounds[] = {{"x", FACT_BIND_TEXT, "x[i]", 0, NULL, 0},
                                             {"lo", FACT_BIND_TEXT, "lo", 0, NULL, 0},
                                             {"hi", FACT_BIND_TEXT, "hi", 0, NULL, 0}};

static struct fact_kernel clamp(struct arena *a)
{
    struct fact_kernel k = kernel_of("clamp");
    add(&k, a, 0x90, FACT_ROLE_LOAD);
    add(&k, a, 0xb0, FACT_ROLE_COMPARE);
    add(&k, a, 0xc0, FACT_ROLE_SELECT);
    add(&k, a, 0xd0, FACT_ROLE_COMPARE);
    add(&k, a, 0xe0, FACT_ROLE_SELECT);
    add(&k, a, 0xf0, FACT_ROLE_STORE);
    VEC_PUSH(a, k.params, (struct fact_param){.name = "lo"});
    VEC_PUSH(a, k.params, (struct fact_param){.name = "hi"});
    VEC_PUSH(a, k.outputs,
             (struct fact_output){
                 .address = "&y[i]", .runs_when = "i < n", .exact = "v1", .real = "min(max(x[i], lo), hi)"});
    VEC_PUSH(
        a, k.patterns,
        (struct fact_pattern){
            .id = "clamp", .parent = FACT_NONE, .offsets = OFFSETS(0xb0, 0xc0, 0xd0, 0xe0), .bindings = {bounds, 3}});
    for (uint32_t at = 0xb0; at <= 0xd0; at += 0x20)
        VEC_PUSH(a, k.rewrites,
                 (struct fact_rewrite){.kind = "min-max-refused",
                                       .reason = "nan",
                                       .sass = OFFSETS(at, at + 0x10),
                                       .args = {arguments, 2},
                                       .source_line = FACT_NONE});
    return k;
}

static struct fact_kernel relu(struct arena *a)
{
    struct fact_kernel k = kernel_of("relu");
    add(&k, a, 0x90, FACT_ROLE_LOAD);
    add(&k, a, 0xa0, FACT_ROLE_COMPUTE);
    add(&k, a, 0xb0, FACT_ROLE_STORE);
    VEC_PUSH(a, k.outputs,
             (struct fact_output){
                 .address = "&y[i]", .runs_when = "i < n", .exact = "max(x[i], 0.0f)", .real = "max(x[i], 0.0f)"});
    VEC_PUSH(a, k.patterns, (struct fact_pattern){.id = "min-max", .parent = FACT_NONE, .offsets = OFFSETS(0xa0)});
    return k;
}

static const struct fact_comparison_row *row(const struct fact_document *doc, const char *subject)
{
    const struct fact_comparison *c = &doc->comparisons.p[doc->comparisons.n - 1];
    for (size_t i = 0; i < c->rows.n; i++)
        if (str_equal(c->rows.p[i].subject, subject))
            return &c->rows.p[i];
    fail_msg("no row %s", subject);
    return NULL;
}

static void compare(struct fact_document *doc, struct arena *a, struct fact_kernel x, struct fact_kernel y)
{
    *doc = (struct fact_document){.a = a};
    VEC_PUSH(a, doc->kernels, x);
    VEC_PUSH(a, doc->kernels, y);
    assert_true(fact_compare(doc, 0, 1));
    assert_int_equal(doc->comparisons.n, 1);
}

static void expect(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text ? text : "(null)");
}

static void test_clamp_against_relu_has_its_reason(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct arena a;
        struct fact_document doc;
        arena_init(&a, 0);
        compare(&doc, &a, swapped ? relu(&a) : clamp(&a), swapped ? clamp(&a) : relu(&a));
        const struct fact_comparison_row *classes = row(&doc, "instruction-classes");
        assert_false(classes->same);
        expect(swapped ? classes->b : classes->a, "compare ×2, select ×2");
        expect(classes->why, "relu has one min/max operation (0x00a0)");
        expect(classes->why, "clamp has 2 compare-and-select pairs (0x00b0, 0x00c0; 0x00d0, 0x00e0)");
        expect(classes->why, "bounds lo and hi are known at run time only");
        expect(classes->why, "a = NaN, b = 0: here NaN, the min/max that drops a NaN gives 0");
        expect(classes->why, "a = 0, b = NaN: here 0, the min/max that keeps a NaN gives NaN");
        assert_false(row(&doc, "outputs")->same);
        assert_true(row(&doc, "phases")->same);
        expect(doc.comparisons.p[0].summary, "only clamp has clamp");
        expect(doc.comparisons.p[0].summary, "only relu has min-max");
        arena_free(&a);
    }
}

static void test_no_reason_without_its_facts(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    struct fact_kernel silent = clamp(&a);
    silent.rewrites.n = 0; /* nothing was refused: the reason is not known */
    compare(&doc, &a, silent, relu(&a));
    assert_null(row(&doc, "instruction-classes")->why);
    struct fact_kernel selecting = relu(&a); /* its min/max is itself a compare and a select */
    selecting.instructions.p[1].role = FACT_ROLE_SELECT;
    compare(&doc, &a, clamp(&a), selecting);
    assert_null(row(&doc, "instruction-classes")->why);
    struct fact_kernel constant = clamp(&a); /* bounds that are no parameters are not called run-time values */
    constant.params.n = 0;
    compare(&doc, &a, constant, relu(&a));
    assert_null(strstr(row(&doc, "instruction-classes")->why, "run time"));
    arena_free(&a);
}

static void test_fused_against_apart(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    struct fact_kernel fused = kernel_of("fused"), apart = kernel_of("apart");
    add(&fused, &a, 0x100, FACT_ROLE_COMPUTE);
    add(&apart, &a, 0x100, FACT_ROLE_COMPUTE);
    add(&apart, &a, 0x110, FACT_ROLE_COMPUTE);
    struct arena *arena = &a;
    VEC_PUSH(&a, fused.patterns,
             (struct fact_pattern){.id = "fused-multiply-add",
                                   .parent = FACT_NONE,
                                   .offsets = offsets_of(arena, (const uint32_t[]){0x100}, 1)});
    VEC_PUSH(&a, apart.rewrites,
             (struct fact_rewrite){.kind = "fma-not-contracted",
                                   .stage = FACT_STAGE_UNKNOWN,
                                   .sass = offsets_of(arena, (const uint32_t[]){0x100, 0x110}, 2)});
    compare(&doc, &a, apart, fused);
    expect(row(&doc, "instruction-classes")->why,
           "in apart a product feeds an addition and they stay apart (0x0100, 0x0110)");
    expect(row(&doc, "instruction-classes")->why, "does not tell the reason");
    arena_free(&a);
}

static void test_a_kernel_equals_itself(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    compare(&doc, &a, clamp(&a), clamp(&a));
    for (size_t i = 0; i < doc.comparisons.p[0].rows.n; i++) {
        assert_true(doc.comparisons.p[0].rows.p[i].same);
        assert_null(doc.comparisons.p[0].rows.p[i].why);
    }
    expect(doc.comparisons.p[0].summary, "same outputs, patterns, places, phases, instruction-classes, resources");
    arena_free(&a);
}

/* Equal as real numbers only is not the same output. */
static void test_exact_outputs_decide(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    struct fact_kernel other = clamp(&a);
    other.outputs.p[0].exact = "v7";
    compare(&doc, &a, clamp(&a), other);
    assert_false(row(&doc, "outputs")->same);
    arena_free(&a);
}

static void test_architectures_by_name(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc = {.a = &a};
    arena_init(&a, 0);
    VEC_PUSH(&a, doc.kernels, clamp(&a));
    VEC_PUSH(&a, doc.kernels, relu(&a));
    for (int i = 0; i < 2; i++) {
        struct fact_kernel other = i ? clamp(&a) : relu(&a);
        other.arch = "sm_120";
        VEC_PUSH(&a, doc.kernels, other);
    }
    assert_true(fact_compare_archs(&doc, "sm_86"));
    assert_int_equal(doc.comparisons.n, 2);
    assert_int_equal(doc.comparisons.p[0].a, 0);
    assert_int_equal(doc.comparisons.p[0].b, 3);
    assert_int_equal(doc.comparisons.p[1].a, 1);
    assert_int_equal(doc.comparisons.p[1].b, 2);
    arena_free(&a);
}

/* A reduction by another operation is another pattern; where the operations are the same nothing is said of them. */
static void test_operations_of_patterns(void **state)
{
    (void)state;
    static const struct fact_binding sum[] = {{"op", FACT_BIND_TEXT, "add", 0, NULL, 0}};
    static const struct fact_binding most[] = {{"op", FACT_BIND_TEXT, "max", 0, NULL, 0}};
    for (unsigned same = 0; same < 2; same++) {
        struct arena a;
        struct fact_document doc;
        struct fact_kernel k[2] = {kernel_of("one"), kernel_of("other")};
        arena_init(&a, 0);
        for (unsigned side = 0; side < 2; side++)
            VEC_PUSH(&a, k[side].patterns,
                     (struct fact_pattern){
                         .id = "atomic-accumulate", .parent = FACT_NONE, .bindings = {side && !same ? most : sum, 1}});
        compare(&doc, &a, k[0], k[1]);
        const struct fact_comparison_row *patterns = row(&doc, "patterns");
        assert_int_equal(patterns->same, same);
        assert_string_equal(patterns->a, same ? "atomic-accumulate" : "atomic-accumulate (add)");
        arena_free(&a);
    }
}

/* The same places, but in one kernel a reduction hands its partial results on through them: what is concluded of both
 * differs, so the row is not called the same. */
static void test_places_that_serve_another_end(void **state)
{
    (void)state;
    for (unsigned reduced = 0; reduced < 2; reduced++) {
        struct arena a;
        struct fact_document doc;
        struct fact_storage places_of[2] = {{.where = FACT_REGISTER, .at = "R3", .from = 0x30, .to = 0x40},
                                            {.where = FACT_SHARED, .at = "s", .from = 0x40, .to = 0x80}};
        struct fact_kernel k[2] = {kernel_of("one"), kernel_of("other")};
        arena_init(&a, 0);
        for (unsigned side = 0; side < 2; side++)
            VEC_PUSH(&a, k[side].values,
                     (struct fact_value){.id = "v1",
                                         .expr = "x + y",
                                         .cls = FACT_SHARED_MATERIALIZED,
                                         .storage = places_of,
                                         .storage_count = 2});
        if (reduced)
            VEC_PUSH(&a, k[0].patterns,
                     (struct fact_pattern){.id = "tree-reduction",
                                           .parent = FACT_NONE,
                                           .collects = true,
                                           .offsets = offsets_of(&a, (const uint32_t[]){0x40}, 1)});
        compare(&doc, &a, k[0], k[1]);
        const struct fact_comparison_row *places = row(&doc, "places");
        assert_int_equal(places->same, !reduced);
        assert_int_equal(places->why != NULL, reduced);
        if (reduced) {
            expect(places->a, "shared-memory materialized accumulation: shared-materialized");
            expect(places->b, "intermediates in shared memory: shared-materialized");
        }
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clamp_against_relu_has_its_reason),
        cmocka_unit_test(test_no_reason_without_its_facts),
        cmocka_unit_test(test_fused_against_apart),
        cmocka_unit_test(test_a_kernel_equals_itself),
        cmocka_unit_test(test_exact_outputs_decide),
        cmocka_unit_test(test_architectures_by_name),
        cmocka_unit_test(test_operations_of_patterns),
        cmocka_unit_test(test_places_that_serve_another_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
