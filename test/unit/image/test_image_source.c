/* Parameter names from CUDA source: what declarations look like in practice, and what must give no names. */
#include "image_test.h"

#include <stdio.h>
#include <stdlib.h>

/* `want`: names separated by blanks, "-" for an unnamed parameter; NULL: no names at all. */
static void check(const char *source, const char *kernel, uint32_t count, const char *want)
{
    struct arena a;
    arena_init(&a, 0);
    const char **names = NULL;
    bool found = img_source_params(&a, source, strlen(source), kernel, count, &names);
    if (found != (want != NULL))
        print_error("source: %s\n", source);
    assert_int_equal(found, want != NULL);
    if (found) {
        char got[1024] = "";
        for (uint32_t i = 0; i < count; i++) {
            strcat(got, i != 0 ? " " : "");
            strcat(got, names[i] != NULL ? names[i] : "-");
        }
        assert_string_equal(got, want);
    }
    arena_free(&a);
}

static void test_definitions(void **state)
{
    (void)state;
    check("__global__ void k(const float *x, float *y, int n) { }", "k", 3, "x y n");
    check("__global__ void k(const float* x,\n    // the output\n    float* y, /* count, of, elements */ int n\n) {\n}",
          "k", 3, "x y n");
    check("extern \"C\" __global__ void __launch_bounds__(256, 2) k(const float * __restrict__ x, unsigned n) {}", "k",
          2, "x n");
    check("__launch_bounds__(128) __global__ void k(float *x) {}", "k", 1, "x");
    check("template <typename T, int N = (3 > 2)>\n__global__ void k(T *a, const std::vector<std::pair<int, T>> b, T c "
          "= T(N)) {}",
          "k", 3, "a b c");
    check("template <> __global__ void k<float, 3>(float *v, size_t n) {}", "k", 2, "v n");
    check("namespace a { __global__ void k(unsigned long long int count, float4 v) {} }", "a::k<int>", 2, "count v");
    check("__global__ void k(float (*f)(int, float), int (&a)[4], float m[3][4], int *p[]) {}", "k", 4, "f a m p");
    check("__global__ void k(const __grid_constant__ Params p, struct S s, typename T::type t, enum E e) {}", "k", 4,
          "p s t e");
    check("__global__ void k([[maybe_unused]] int a, int b [[maybe_unused]], __attribute__((aligned(8))) int c) {}",
          "k", 3, "a b c");
    check("__global__ void k(int a = max(1, 2), int b = f<1, 2>(), char c = ',', const char *d = \"(,\") {}", "k", 4,
          "a b c d");
    check("__global__ void k(void) {}", "k", 0, "");
    check("__global__ void k() {}", "k", 0, "");
    check("static __global__ void k(decltype(1 + 2) a, auto b, T *const c) {}", "k", 3, "a b c");
    check("__global__ void k(cg::grid_group g, const half2 &h, T &&u) {}", "k", 3, "g h u");
    check("__device__ float k(float x) { return x; }", "k", 1, "x");
}

static void test_unnamed(void **state)
{
    (void)state;
    check("__global__ void k(float *, int, unsigned int, const T, ns::T, std::vector<int>, float *__restrict__) {}",
          "k", 7, "- - - - - - -");
    check("__global__ void k(float *, int n) {}", "k", 2, "- n");
    check("__global__ void k(struct S, enum E e, void (*)(int)) {}", "k", 3, "- e -");
    /* A declaration without names and a definition with them. */
    check("__global__ void k(float *, int); __global__ void k(float *x, int n) {}", "k", 2, "x n");
}

static void test_not_a_declaration(void **state)
{
    (void)state;
    check("void host() { k<<<1, 32>>>(d, n); }", "k", 2, NULL);
    check("__global__ void j(float *x) { k(x, 3); }", "k", 2, NULL);
    check("// __global__ void k(float *x) {}", "k", 1, NULL);
    check("/* __global__ void k(float *x) {} */", "k", 1, NULL);
    check("const char *s = \"__global__ void k(float *x) {}\";", "k", 1, NULL);
    check("const char *s = R\"a(__global__ void k(float *x) {} )\" )a\";", "k", 1, NULL);
    check("#define KERNEL __global__ void k(float *x) \\\n  { }\n", "k", 1, NULL);
    check("#if 0\n__global__ void k(float *x) {}\n#endif\n", "k", 1, NULL);
    check("#if 0\n#if 1\n#endif\n__global__ void k(float *z) {}\n#else\n__global__ void k(float *x) {}\n#endif\n", "k",
          1, "x");
    check("__global__ void kk(float *x) {}", "k", 1, NULL);
    check("", "k", 1, NULL);
    check("__global__ void k(float *x) {}", "", 1, NULL);
}

static void test_disagreement(void **state)
{
    (void)state;
    check("__global__ void k(float *x, int n) {}", "k", 3, NULL); /* another count */
    check("__global__ void k(float *a) {} __global__ void k(double *b) {}", "k", 1, NULL);
    check("__global__ void k(float *a); __global__ void k(float *b);", "k", 1, NULL);
    check("__global__ void k(float *a); __global__ void k(float *b) {}", "k", 1,
          "b"); /* the definition is what was compiled */
    check("__global__ void k(float *a) {} __global__ void k(float *a, int n) {}", "k", 2, "a n");
    check("template <class... T> __global__ void k(T... a) {}", "k", 1, NULL);
}

static void test_damaged(void **state)
{
    (void)state;
    check("__global__ void k(float *x", "k", 1, NULL);
    check("__global__ void k(float *x)", "k", 1, NULL);
    check("__global__ void k((((", "k", 1, NULL);
    check("__global__ void k(float *x, \"abc", "k", 2, NULL);
    check("__global__ void k<", "k", 1, NULL);
    check("/*", "k", 1, NULL);
    check("R\"", "k", 1, NULL);
    check("#", "k", 1, NULL);
    check("'", "k", 1, NULL);
    check("\\", "k", 1, NULL);

    /* Long and repetitive text must not take long. */
    size_t n = 0, size = 4 << 20;
    char *text = malloc(size);
    while (n + 32 < size)
        n += (size_t)snprintf(text + n, size - n, "__global__ k(k<");
    struct arena a;
    arena_init(&a, 0);
    const char **names;
    assert_false(img_source_params(&a, text, n, "k", 1, &names));
    arena_free(&a);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),  cmocka_unit_test(test_unnamed), cmocka_unit_test(test_not_a_declaration),
        cmocka_unit_test(test_disagreement), cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
