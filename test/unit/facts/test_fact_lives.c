/* Where intermediates live, and comparisons of kernels that share and that stream: the sentences follow from places,
 * loops and patterns, whatever the kernels are called. */
#include "facts/fact_lives.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct fact_offsets offsets_of(struct arena *a, uint32_t from, uint32_t to)
{
    uint32_t n = (to - from) / 16 + 1, *p = ARENA_ARRAY(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        p[i] = from + 16 * i;
    return (struct fact_offsets){p, n};
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

static void add_role(struct fact_kernel *k, struct arena *a, uint32_t offset, enum fact_role role)
{
    VEC_PUSH(a, k->instructions, (struct fact_instruction){.offset = offset, .role = role});
}

/* A value made at `def`, in a register until `last`; stored to shared memory at `stored` unless 0. */
static void add_value(struct fact_kernel *k, struct arena *a, const char *id, enum fact_class cls, uint32_t def,
                      uint32_t last, uint32_t stored)
{
    struct fact_storage *places = ARENA_ARRAY(a, struct fact_storage, 2);
    struct fact_use *uses = ARENA_ARRAY(a, struct fact_use, 1);
    places[0] = (struct fact_storage){FACT_REGISTER, "R4", def, last, NULL, false};
    places[1] = (struct fact_storage){FACT_SHARED, "shared+0x0", stored, stored, "&shared[threadIdx.x]", false};
    /* A step is made of what it was; anything else is read elsewhere. */
    bool step = stored && stored - def <= 0x20 && last <= stored;
    uses[0] = (struct fact_use){step     ? def
                                : stored ? stored + 0x80
                                         : last,
                                stored ? FACT_SHARED : FACT_REGISTER, stored != 0};
    VEC_PUSH(a, k->values,
             (struct fact_value){.id = id,
                                 .expr = id,
                                 .cls = cls,
                                 .storage = places,
                                 .storage_count = stored ? 2 : 1,
                                 .uses = uses,
                                 .use_count = 1,
                                 .evidence = offsets_of(a, def, def)});
}

static void add_loop(struct fact_kernel *k, struct arena *a, uint32_t from, uint32_t to)
{
    VEC_PUSH(a, k->loops,
             (struct fact_loop){.id = (uint32_t)k->loops.n,
                                .parent = FACT_NONE,
                                .from = from,
                                .to = to,
                                .source_file = FACT_NONE,
                                .source_line = FACT_NONE});
}

static void add_phase(struct fact_kernel *k, struct arena *a, enum fact_phase_kind kind, uint32_t from, uint32_t to)
{
    VEC_PUSH(a, k->phases, (struct fact_phase){.kind = kind, .from = from, .to = to});
}

static void add_tree(struct fact_kernel *k, struct arena *a, const char *op, uint32_t from, uint32_t to)
{
    struct fact_binding *b = ARENA_ARRAY(a, struct fact_binding, 3);
    b[0] = (struct fact_binding){"op", FACT_BIND_TEXT, op, 0, NULL, 0};
    b[1] = (struct fact_binding){"space", FACT_BIND_TEXT, "shared", 0, NULL, 0};
    b[2] = (struct fact_binding){"self", FACT_BIND_TEXT, "memory", 0, NULL, 0};
    VEC_PUSH(a, k->patterns,
             (struct fact_pattern){.id = "tree-reduction",
                                   .parent = FACT_NONE,
                                   .offsets = offsets_of(a, from, to),
                                   .bindings = {b, 3},
                                   .collects = true});
}

static void add_exp(struct fact_kernel *k, struct arena *a, uint32_t from, uint32_t to)
{
    VEC_PUSH(a, k->patterns,
             (struct fact_pattern){.id = "exp-base2", .parent = FACT_NONE, .offsets = offsets_of(a, from, to)});
}

static struct fact_kernel one_tree(struct arena *a, const char *name)
{
    struct fact_kernel k = kernel_of(name);
    add_role(&k, a, 0xf0, FACT_ROLE_BARRIER);
    add_role(&k, a, 0x1a0, FACT_ROLE_BARRIER);
    add_value(&k, a, "v1", FACT_SHARED_MATERIALIZED, 0x180, 0x190, 0x190);
    add_loop(&k, a, 0x130, 0x1c0);
    add_tree(&k, a, "+", 0x130, 0x1c0);
    add_phase(&k, a, FACT_PHASE_LOAD, 0, 0xf0);
    add_phase(&k, a, FACT_PHASE_REDUCE, 0x100, 0x1c0);
    add_phase(&k, a, FACT_PHASE_FINISH, 0x1d0, 0x200);
    return k;
}

static struct fact_kernel two_trees(struct arena *a, const char *name)
{
    struct fact_kernel k = kernel_of(name);
    add_role(&k, a, 0xf0, FACT_ROLE_BARRIER);
    add_role(&k, a, 0x1b0, FACT_ROLE_BARRIER);
    add_role(&k, a, 0x240, FACT_ROLE_COMPUTE);
    add_role(&k, a, 0x300, FACT_ROLE_BARRIER);
    add_value(&k, a, "v1", FACT_SHARED_MATERIALIZED, 0x180, 0x1a0, 0x1a0);
    add_value(&k, a, "v2", FACT_SHARED_MATERIALIZED, 0x240, 0x390, 0x260);
    add_value(&k, a, "v3", FACT_SHARED_MATERIALIZED, 0x2e0, 0x2f0, 0x2f0);
    add_loop(&k, a, 0x120, 0x1c0);
    add_loop(&k, a, 0x290, 0x320);
    add_tree(&k, a, "max", 0x120, 0x1c0);
    add_exp(&k, a, 0x220, 0x240);
    add_tree(&k, a, "+", 0x290, 0x320);
    add_phase(&k, a, FACT_PHASE_LOAD, 0, 0xf0);
    add_phase(&k, a, FACT_PHASE_REDUCE, 0x100, 0x1c0);
    add_phase(&k, a, FACT_PHASE_MAP, 0x1d0, 0x270);
    add_phase(&k, a, FACT_PHASE_REDUCE, 0x280, 0x320);
    add_phase(&k, a, FACT_PHASE_FINISH, 0x330, 0x3b0);
    return k;
}

static struct fact_kernel streaming(struct arena *a, const char *name)
{
    struct fact_kernel k = kernel_of(name);
    VEC_PUSH(a, k.params, (struct fact_param){.name = "x"});
    add_value(&k, a, "v1", FACT_REGISTER_ACCUMULATOR, 0x100, 0x180, 0);
    add_value(&k, a, "v2", FACT_REGISTER_ACCUMULATOR, 0x110, 0x180, 0);
    for (uint32_t at = 0x80; at <= 0x280; at += 0x200) {
        struct fact_storage *places = ARENA_ARRAY(a, struct fact_storage, 2);
        places[0] = (struct fact_storage){FACT_GLOBAL, "x", at, at, "&x[j]", at != 0x80};
        places[1] = (struct fact_storage){FACT_REGISTER, "R2", at, at + 0x20, NULL, false};
        VEC_PUSH(a, k.values,
                 (struct fact_value){
                     .id = at == 0x80 ? "v0" : "v3", .cls = FACT_INPUT, .storage = places, .storage_count = 2});
    }
    add_loop(&k, a, 0x80, 0x200);
    add_loop(&k, a, 0x280, 0x300);
    add_exp(&k, a, 0x90, 0xa0);
    add_exp(&k, a, 0x290, 0x2a0);
    add_phase(&k, a, FACT_PHASE_FOLD, 0, 0x200);
    add_phase(&k, a, FACT_PHASE_FINISH, 0x210, 0x300);
    return k;
}

static void expect(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text ? text : "(null)");
}

static void refuse(const char *text, const char *part)
{
    if (text && strstr(text, part))
        fail_msg("\"%s\" is in \"%s\"", part, text);
}

static void test_shared_accumulation(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 0);
    struct fact_kernel k = two_trees(&a, "k");
    assert_string_equal(fact_lives_style(&a, &k), "shared-memory materialized accumulation");
    const char *text = fact_lives_text(&a, &k);
    expect(text, "Shared-memory materialized accumulation.");
    expect(text, "Every partial maximum of the tree-reduction crosses shared memory: v1 is stored (0x01a0)");
    expect(text, "Every partial sum of the tree-reduction crosses shared memory: v3");
    expect(text, "v2 stands in shared memory from 0x0260, where other threads read it, and stays in R4 until 0x0390.");
    refuse(text, "register-accumulator");
    arena_free(&a);
}

static void test_streaming(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 0);
    struct fact_kernel k = streaming(&a, "k");
    assert_string_equal(fact_lives_style(&a, &k), "register-accumulator streaming");
    const char *text = fact_lives_text(&a, &k);
    expect(text,
           "v1 and v2 are carried round their loops in registers; nothing crosses shared memory, no thread waits.");
    expect(text, "x[j] is not kept but loaded again (0x0280).");
    /* A barrier is a wait, and shared memory may be crossed. */
    add_role(&k, &a, 0x400, FACT_ROLE_BARRIER);
    assert_string_equal(fact_lives_style(&a, &k), "register accumulators");
    refuse(fact_lives_text(&a, &k), "no thread waits");
    arena_free(&a);
}

/* A loop that hands a value on through shared memory without being a known reduction. */
static void test_a_loop_without_a_pattern(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 0);
    struct fact_kernel k = one_tree(&a, "k");
    k.patterns.n = 0;
    assert_string_equal(fact_lives_style(&a, &k), "shared-memory materialized accumulation");
    expect(fact_lives_text(&a, &k), "v1 crosses shared memory in every turn of its loop.");
    k.loops.n = 0;
    assert_string_equal(fact_lives_style(&a, &k), "intermediates in shared memory");
    arena_free(&a);
}

/* A tile: brought from global to shared memory in every turn, and added up in registers. No accumulation there. */
static void test_a_tile_is_staged(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 0);
    struct fact_kernel k = kernel_of("k");
    struct fact_storage *places = ARENA_ARRAY(&a, struct fact_storage, 3);
    struct fact_use *uses = ARENA_ARRAY(&a, struct fact_use, 1);
    places[0] = (struct fact_storage){FACT_GLOBAL, "a", 0x100, 0x100, "&a[i]", false};
    places[1] = (struct fact_storage){FACT_REGISTER, "R2", 0x100, 0x110, NULL, false};
    places[2] = (struct fact_storage){FACT_SHARED, "shared+0x0", 0x110, 0x130, "&shared[threadIdx.x]", false};
    uses[0] = (struct fact_use){0x140, FACT_SHARED, true};
    VEC_PUSH(&a, k.values,
             (struct fact_value){.id = "v0",
                                 .cls = FACT_SHARED_MATERIALIZED,
                                 .storage = places,
                                 .storage_count = 3,
                                 .uses = uses,
                                 .use_count = 1,
                                 .evidence = offsets_of(&a, 0x100, 0x100)});
    add_loop(&k, &a, 0x100, 0x150);
    assert_string_equal(fact_lives_style(&a, &k), "inputs staged in shared memory");
    add_value(&k, &a, "v1", FACT_REGISTER_ACCUMULATOR, 0x140, 0x150, 0);
    assert_string_equal(fact_lives_style(&a, &k), "register accumulators, inputs staged in shared memory");
    expect(fact_lives_text(&a, &k), "v0 is brought from global to shared memory.");
    refuse(fact_lives_text(&a, &k), "crosses");
    arena_free(&a);
}

/* A histogram: atomic updates count in shared memory, no store of the thread's hands a value on. */
static void test_counts_stand_in_shared_memory(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 0);
    struct fact_kernel k = kernel_of("k");
    struct fact_storage *places = ARENA_ARRAY(&a, struct fact_storage, 2);
    places[0] = (struct fact_storage){FACT_SHARED, "shared+0x0", 0x100, 0x200, "&shared[i]", false};
    places[1] = (struct fact_storage){FACT_REGISTER, "R2", 0x200, 0x210, NULL, false};
    VEC_PUSH(&a, k.values,
             (struct fact_value){.id = "v0",
                                 .cls = FACT_SHARED_MATERIALIZED,
                                 .storage = places,
                                 .storage_count = 2,
                                 .evidence = offsets_of(&a, 0x200, 0x200)});
    assert_string_equal(fact_lives_style(&a, &k), "intermediates in shared memory");
    arena_free(&a);
}

static void test_plain_and_doubtful(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 0);
    struct fact_kernel k = kernel_of("k");
    assert_string_equal(fact_lives_text(&a, &k), "No data value is made.");
    add_value(&k, &a, "v0", FACT_REGISTER_ONLY, 0x10, 0x20, 0);
    assert_string_equal(fact_lives_text(&a, &k), "Every intermediate in a register.");
    add_value(&k, &a, "v1", FACT_SPILLED, 0x10, 0x20, 0);
    expect(fact_lives_text(&a, &k), "v1 is spilled: put away in local memory");
    VEC_PUSH(&a, k.unknown, (struct fact_unknown){.offset = 0x30});
    expect(fact_lives_text(&a, &k), "1 instruction not understood may move values unseen.");
    arena_free(&a);
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
}

static void test_one_tree_against_two(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    compare(&doc, &a, two_trees(&a, "first"), one_tree(&a, "second"));
    const char *why = row(&doc, "patterns")->why;
    expect(why, "tree-reduction: first twice (max at 0x0120; + at 0x0290), second once (+ at 0x0130)");
    expect(why, "between the two stands exp-base2 (0x0220)");
    why = row(&doc, "phases")->why;
    expect(why, "the phases of second are among those of first, which has besides map (0x01d0), reduce (0x0280)");
    assert_null(row(&doc, "places")->why); /* both accumulate through shared memory */
    compare(&doc, &a, one_tree(&a, "second"), two_trees(&a, "first"));
    expect(row(&doc, "patterns")->why, "second once (+ at 0x0130), first twice");
    expect(row(&doc, "phases")->why, "the phases of second are among those of first");
    arena_free(&a);
}

static void test_sharing_against_streaming(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    compare(&doc, &a, streaming(&a, "one"), two_trees(&a, "other"));
    const char *why = row(&doc, "places")->why;
    expect(why, "one: register-accumulator streaming; other: shared-memory materialized accumulation");
    expect(why,
           "other keeps its exponential v2 in shared memory (0x0260), one keeps none: each of its 2 loops computes "
           "its own, and x is read in 2 loops");
    expect(row(&doc, "phases")->why, "other reduces over the threads of a block; each thread of one folds in a loop");
    expect(row(&doc, "instruction-classes")->why, "other waits at 3 barriers, one nowhere");
    expect(doc.comparisons.p[0].summary,
           "register-accumulator streaming against shared-memory materialized accumulation; ");
    arena_free(&a);
}

static void test_combining_against_mapping(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    struct fact_kernel map = kernel_of("map");
    add_value(&map, &a, "v0", FACT_RESULT, 0x10, 0x20, 0);
    add_phase(&map, &a, FACT_PHASE_MAP, 0, 0x40);
    compare(&doc, &a, map, one_tree(&a, "tree"));
    expect(row(&doc, "phases")->why,
           "tree combines values of the threads of a block; in map each thread works for itself");
    expect(row(&doc, "places")->why, "map: every intermediate in a register; tree: shared-memory materialized");
    arena_free(&a);
}

static void test_nothing_without_facts(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    compare(&doc, &a, kernel_of("softmax"), kernel_of("online_softmax"));
    for (size_t i = 0; i < doc.comparisons.p[0].rows.n; i++)
        assert_null(doc.comparisons.p[0].rows.p[i].why);
    refuse(doc.comparisons.p[0].summary, "against");
    compare(&doc, &a, two_trees(&a, "k"), two_trees(&a, "k"));
    for (size_t i = 0; i < doc.comparisons.p[0].rows.n; i++)
        assert_null(doc.comparisons.p[0].rows.p[i].why);
    /* The same name on two architectures: the architecture is the name. */
    struct fact_kernel other = one_tree(&a, "k");
    other.arch = "sm_120";
    compare(&doc, &a, two_trees(&a, "k"), other);
    expect(row(&doc, "patterns")->why, "tree-reduction: sm_86 twice");
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_accumulation),       cmocka_unit_test(test_streaming),
        cmocka_unit_test(test_a_loop_without_a_pattern),  cmocka_unit_test(test_counts_stand_in_shared_memory),
        cmocka_unit_test(test_plain_and_doubtful),        cmocka_unit_test(test_a_tile_is_staged),
        cmocka_unit_test(test_one_tree_against_two),      cmocka_unit_test(test_sharing_against_streaming),
        cmocka_unit_test(test_combining_against_mapping), cmocka_unit_test(test_nothing_without_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
