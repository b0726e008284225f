/* Source text by lines, and what single lines say. */
#include "front/cu_line.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int open_arena(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static struct cu_source read_as(const char *name, const char *text)
{
    struct cu_source s;
    assert_true(cu_source_read(&arena, name, text, strlen(text), &s));
    return s;
}

static struct cu_source read(const char *text)
{
    return read_as("x.cu", text);
}

static void code_of(const struct cu_source *s, const char *expected)
{
    for (size_t i = 0; i < s->lines.n; i++)
        if (s->lines.p[i].code != (expected[i] == '1'))
            fail_msg("line %zu: code %d", i + 1, s->lines.p[i].code);
    assert_int_equal(s->lines.n, strlen(expected));
}

static void test_lines(void **state)
{
    (void)state;
    struct cu_source s = read("int a;\r\n\r\n\t int b; // x  \r\n/* one\n two */ int c;\n// all\\\nof it\n}\n");
    code_of(&s, "10101001");
    assert_string_equal(cu_source_line(&arena, &s, 1), "int a;");
    assert_string_equal(cu_source_line(&arena, &s, 2), "");
    assert_string_equal(cu_source_line(&arena, &s, 3), "int b; // x");
    assert_null(cu_source_line(&arena, &s, 9));
    assert_null(cu_source_line(&arena, &s, 0));
    assert_int_equal(s.returns, 3);
}

static void test_texts_are_no_code_of_their_own(void **state)
{
    (void)state;
    struct cu_source s =
        read("f(\"a { // no comment\",\n  R\"x( }\n )\" )x\", '\\'', '{');\n#define M {\\\n  {\nint k;\n");
    code_of(&s, "111111");
    assert_true(s.braces_told);
    assert_int_equal(s.functions.n, 0);
    uint32_t ignored;
    assert_true(map_str_get(&s.macros, "M", &ignored));
}

static void test_python(void **state)
{
    (void)state;
    struct cu_source s = read_as("k.py", "# a\n\n@triton.jit\ndef k(x):\n    y = x  # b\n");
    code_of(&s, "00111");
    assert_int_equal(s.functions.n, 1);
    s = read_as("k.py", "@jit\ndef k(x):\n  def inner():\n    return 1\n  # end\n\n  y = 1\nz = 2\ndef\n");
    assert_int_equal(cu_source_function(&s, "k"), 1);
    assert_int_equal(s.functions.p[0].line, 2);
    assert_int_equal(s.functions.p[0].end, 7);
    assert_int_equal(s.functions.p[1].end, 4);
    struct cu_line line;
    assert_false(cu_line_read(&arena, &s, 5, &line));
}

static void test_renumbered(void **state)
{
    (void)state;
    struct cu_source s = read("int own;\n#line 10 \"/k/a.cu\"\nint ten;\nint eleven;\n# 5 \"b.cuh\" 2\nint "
                              "five;\n#line 30 \"/k/a.cu\"\nint thirty;\n");
    assert_int_equal(s.views.n, 3);
    assert_string_equal(s.views.p[1].name, "/k/a.cu");
    assert_string_equal(s.views.p[2].name, "b.cuh");
    assert_int_equal(cu_source_physical(&s, 0, 1), 1);
    assert_int_equal(cu_source_physical(&s, 0, 3), 0);
    assert_int_equal(cu_source_physical(&s, 1, 11), 4);
    assert_int_equal(cu_source_physical(&s, 1, 30), 8);
    assert_int_equal(cu_source_physical(&s, 1, 12), 5); /* the directive's own line is still the file's */
    assert_int_equal(cu_source_physical(&s, 1, 31), 0);
    assert_int_equal(cu_source_physical(&s, 2, 5), 6);
    assert_int_equal(cu_source_number(&s, 1, 4), 11);
    assert_int_equal(cu_source_number(&s, 2, 4), 0);
}

static void test_functions(void **state)
{
    (void)state;
    struct cu_source s =
        read("#ifdef A\nextern \"C\" {\n#endif\n"
             "template <int N>\n__global__ void\nk(int n)\n{\n  if (n) { n++; }\n}\n"
             "#if X\n__device__ int f(int a) {\n#else\n__device__ int f(long a) {\n#endif\n  return 1; }\n"
             "#ifdef A\n}\n#endif\n");
    uint32_t k = cu_source_function(&s, "k");
    assert_int_not_equal(k, 0);
    assert_int_equal(s.functions.p[k - 1].begin, 4);
    assert_int_equal(s.functions.p[k - 1].line, 6);
    assert_int_equal(s.functions.p[k - 1].end, 9);
    assert_int_equal(cu_source_function(&s, "if"), 0);
    assert_int_equal(cu_source_function(&s, "g"), 0);
    assert_int_equal(cu_source_enclosing(&s, 8), k);
    assert_int_equal(cu_source_enclosing(&s, 3), 0);

    s = read("#if A\nvoid f() {\n#else\nvoid g() { {\n#endif\n}\n");
    assert_false(s.braces_told);
    s = read("void f() { ) }\n");
    assert_false(s.braces_told);
}

/* ---- what a line says ------------------------------------------------------------------------ */

static struct cu_line line_of(const char *text)
{
    struct cu_source s = read(text);
    struct cu_line line;
    assert_true(cu_line_read(&arena, &s, 1, &line));
    return line;
}

static void comparison_is(const char *text, const char *expected)
{
    struct cu_line line = line_of(text);
    const char *is = line.comparison ? line.comparison_text : NULL;
    if (!str_equal(is, expected))
        fail_msg("%s: %s, not %s", text, is ? is : "none", expected ? expected : "none");
}

static void test_comparisons(void **state)
{
    (void)state;
    comparison_is("  if (i < n) {\n", "i < n");
    comparison_is("if (a[i + 1] >= lo) a[i] = lo;\n", "a[i + 1] >= lo");
    comparison_is("for (int j = 0; j < n; j++) s += x[j];\n", "j < n");
    comparison_is("y[i] = v > 0.0f ? v : 0.0f;\n", "v > 0.0f");
    comparison_is("bool b = i + 1 == n - 2;\n", "i + 1 == n - 2");
    comparison_is("while (k != 0) // < in a comment\n", "k != 0");
    comparison_is("s = \"a < b\";\n", NULL);
    comparison_is("if (i < n && j < m)\n", NULL);  /* two */
    comparison_is("static_cast<int>(x);\n", NULL); /* a template's list */
    comparison_is("f<N>(a) + b;\n", NULL);         /* likewise */
    comparison_is("if (p->n < q->n)\n", NULL);     /* members are not read */
    comparison_is("if (i <\n n)\n", NULL);         /* goes on elsewhere */
}

static void test_comparisons_of_macros(void **state)
{
    (void)state;
    struct cu_source s = read("#define LIMIT n && j < m\nif (i < LIMIT)\nif (i < n)\n");
    struct cu_line line;
    assert_true(cu_line_read(&arena, &s, 2, &line));
    assert_null(line.comparison);
    assert_true(cu_line_read(&arena, &s, 3, &line));
    assert_non_null(line.comparison);
}

static void test_statements(void **state)
{
    (void)state;
    struct cu_line l = line_of("    float t = a[i] * b[i];  // t\n");
    assert_true(l.declares);
    assert_string_equal(l.target, "t");
    assert_string_equal(l.value_text, "a[i] * b[i]");
    l = line_of("y[i] += x * z;\n");
    assert_true(l.adds);
    assert_null(l.target);
    assert_non_null(l.value);
    l = line_of("if (v < lo) v = lo;\n");
    assert_true(l.simple_if);
    assert_string_equal(l.condition, "v < lo");
    assert_string_equal(l.statement, "if (v < lo) v = lo");
    l = line_of("} else if (v < lo) { v = lo; }\n");
    assert_false(l.simple_if);
    l = line_of("if (v < lo) v = lo; else v = hi;\n");
    assert_null(l.value);
    l = line_of("a = b; c = d;\n");
    assert_null(l.value);
    l = line_of("float a = b, c = d;\n");
    assert_null(l.value);
    l = line_of("a = b\n"); /* its end is elsewhere */
    assert_null(l.value);
    l = line_of("y[(int)(u * 2.0f + 1.0f)] = a * b + c;\n");
    assert_null(l.value);
    l = line_of("y[i] = f(a) * b + c;\n");
    assert_true(l.calls);
    l = line_of("for (int j = 0; j < n; j++) {\n");
    assert_true(l.loop);
    assert_string_equal(l.condition, "j < n");
    l = line_of("return a * a + b;\n");
    assert_string_equal(l.value_text, "a * a + b");
}

/* ---- names of a function --------------------------------------------------------------------- */

static const struct cu_local *local(struct cu_locals *l, const char *name)
{
    const struct cu_local *v = cu_find_local(l, name);
    assert_non_null(v);
    return v;
}

static void test_locals(void **state)
{
    (void)state;
    struct cu_source s = read("__global__ void k(const float *x, float *y, int n, int m) {\n"
                              "  const int tid = threadIdx.x;\n"
                              "  int i = tid + 1;\n"
                              "  float t = x[i] * 2.0f;\n"
                              "  for (int j = 0; j < n; j++) y[j] = t + p.t;\n"
                              "  change(m);\n"
                              "  i += 1;\n"
                              "}\n");
    struct cu_locals l;
    assert_true(cu_source_locals(&arena, &s, cu_source_function(&s, "k") - 1, &l));
    assert_false(l.open);
    assert_string_equal(local(&l, "tid")->first, "threadIdx.x");
    assert_int_equal(local(&l, "tid")->sets, 1);
    assert_true(local(&l, "tid")->is_int);
    assert_int_equal(local(&l, "i")->sets, 2);
    assert_int_equal(local(&l, "t")->uses, 2);
    assert_true(local(&l, "t")->is_float);
    assert_int_equal(local(&l, "j")->sets, 2);
    assert_true(local(&l, "n")->is_parameter);
    assert_int_equal(local(&l, "n")->sets, 0);
    assert_int_equal(local(&l, "m")->sets, 1); /* who is called may change it */
    assert_null(cu_find_local(&l, "z"));

    s = read("void k(int n) { auto f = [&] { n++; }; }\n");
    assert_true(cu_source_locals(&arena, &s, 0, &l));
    assert_true(l.open);
    s = read("void k(int n) { int &r = n; r = 3; }\n");
    assert_true(cu_source_locals(&arena, &s, 0, &l));
    assert_true(l.open);
}

static void test_any_bytes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",           "\"",   "'",    "R\"",  "R\"x(",  "/*",        "//\\",   "#",  "#line", "#line 99999999999 \"",
        "#define",    "((((", "))))", "x(){", "\\\n\\", "\xff\xfe{", "for(;;", "a=", "if(",   "#else\n#endif\n#endif\n",
        "k(){}k(){}", "1e+",  "'\\",  "<",    "f(a<b>c"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct cu_source s = read(texts[i]);
        struct cu_locals l;
        struct cu_line line;
        for (uint32_t n = 0; n <= s.lines.n + 1; n++) {
            (void)cu_line_read(&arena, &s, n, &line);
            (void)cu_source_line(&arena, &s, n);
            (void)cu_source_enclosing(&s, n);
        }
        for (uint32_t f = 0; f < s.functions.n; f++)
            assert_true(cu_source_locals(&arena, &s, f, &l));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_texts_are_no_code_of_their_own),
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_renumbered),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_comparisons_of_macros),
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_locals),
        cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
