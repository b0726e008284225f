/* Demangling with its bounds, and parameter types from demangled names. Expected text is what c++filt prints, except
 * for the decorations that compilers put around device names. */
#include "image_test.h"

#include <stdio.h>
#include <stdlib.h>

static void check(struct arena *a, const char *mangled, const char *want)
{
    assert_string_equal(img_demangle(a, mangled), want);
}

static void test_demangle(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 0);
    check(&a, "_Z5clampPKfi", "clamp(float const*, int)");
    check(&a, "_ZN2ns4tmplIdLin1EEEvPT_NS_1SEPKS1_", "void ns::tmpl<double, -1>(double*, ns::S, double const*)");
    check(&a, "_Z3sin2XXILitrueEE", "sin(XX<true>)");
    check(&a, "clamp_f32", "clamp_f32");
    check(&a, "", "");
    check(&a, "_Z", "_Z");
    check(&a, "_Z5", "_Z5");
    check(&a, "$_Z6k_callPf$_Z6calleef", "callee(float)");
    check(&a, "$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath", "__cuda_sm3x_div_rn_noftz_f32_slowpath");
    check(&a, "__device_stub__Z13mul_mat_vec_qIL9ggml_type13ELi2EEvPKvS2_Pfiiii",
          "void mul_mat_vec_q<(ggml_type)13, 2>(void const*, void const*, float*, int, int, int, int)");
    check(&a, "_Z6kernelPiPf$jit$12345$", "kernel(int*, float*)");
    check(&a, "_Z6squarePii_param_0", "square(int*, int)");
    check(&a, "$", "$");
    check(&a, "a.b$c", "a.b$c");
    arena_free(&a);
}

/* A pack expansion over such a type: nothing is written while the demangler searches it. */
static void test_demangle_silent_bomb(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 0);
    check(&a, "_Z1fIJifEEvDpT_", "void f<int, float>(int, float)");
    check(&a, "_Z1fDp1qI1pI1aES0_IS2_S2_ES0_IS3_S3_EE",
          "f((q<p<a>, p<p<a>, p<a> >, p<p<p<a>, p<a> >, p<p<a>, p<a> > > >)...)");
    char name[4096] = "_Z1fDp1qI1pI1aE";
    char *p = name + strlen(name);
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (unsigned i = 0; i < 32; i++)
        p += sprintf(p, "S0_IS%c_S%c_E", digits[i + 2], digits[i + 2]);
    strcpy(p, "E");
    check(&a, name, name);
    arena_free(&a);
}

/* `levels` times a template of two equal arguments, each what came before: 2^levels letters when printed. */
static void make_bomb(char *name, unsigned levels)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    strcpy(name, "_Z1f1pI1aE");
    char *p = name + strlen(name);
    for (unsigned i = 0; i < levels; i++)
        p += sprintf(p, "S_IS%c_S%c_E", digits[i + 1], digits[i + 1]);
}

static void test_demangle_bomb(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, (size_t)64 << 20);
    char name[4096];
    make_bomb(name, 2);
    check(&a, name, "f(p<a>, p<p<a>, p<a> >, p<p<p<a>, p<a> >, p<p<a>, p<a> > >)");
    make_bomb(name, 30);
    assert_string_equal(img_demangle(&a, name), name); /* too long a text: the name as it is */
    assert_false(arena_failed(&a));
    const char *text;

    char *deep = malloc(4097);
    memset(deep, 'P', 4096);
    memcpy(deep, "_Z1f", 4);
    deep[4095] = 'i';
    deep[4096] = 0;
    text = img_demangle(&a, deep); /* 4,091 pointers: either way an answer */
    assert_non_null(text);

    char *lengthy = malloc(5001);
    memset(lengthy, 'i', 5000);
    memcpy(lengthy, "_Z1f", 4);
    lengthy[5000] = 0;
    assert_string_equal(img_demangle(&a, lengthy), lengthy); /* over 4 KiB: as it is */
    free(deep);
    free(lengthy);
    arena_free(&a);
}

static void signature(const char *demangled, bool known, uint32_t count, const char *const *types)
{
    struct arena a;
    arena_init(&a, 0);
    struct img_signature s;
    img_signature_parse(&a, demangled, &s);
    print_message("%s\n", demangled);
    assert_int_equal(s.known, known);
    if (known) {
        assert_int_equal(s.count, count);
        for (uint32_t i = 0; i < count; i++)
            assert_string_equal(s.types[i], types[i]);
    }
    arena_free(&a);
}
#define KNOWN(text, n, ...) signature(text, true, n, (const char *const[]){__VA_ARGS__})
#define UNKNOWN(text)       signature(text, false, 0, NULL)

static void test_signature(void **state)
{
    (void)state;
    KNOWN("clamp(float const*, int)", 2, "float const*", "int");
    KNOWN("void ns::tmpl<double, -1>(double*, ns::S, double const*)", 3, "double*", "ns::S", "double const*");
    KNOWN("f(std::map<int, std::pair<int, float> >, int)", 2, "std::map<int, std::pair<int, float> >", "int");
    KNOWN("f(void (*)(int, float), int (&) [3][4])", 2, "void (*)(int, float)", "int (&) [3][4]");
    KNOWN("void k<(A)1, &(g(int, int))>(X<(1>2), 3>)", 1, "X<(1>2), 3>");
    KNOWN("(anonymous namespace)::k(float*)", 1, "float*");
    KNOWN("foo(int) [clone .constprop.0]", 1, "int");
    KNOWN("S::operator()(int, int) const", 2, "int", "int");
    KNOWN("void launch<f(int)::{lambda(int, float)#1}>(f(int)::{lambda(int, float)#1}, int)", 2,
          "f(int)::{lambda(int, float)#1}", "int");
    KNOWN("none()", 0, "");
    UNKNOWN("clamp_f32");
    UNKNOWN("");
    UNKNOWN("(int)");
    UNKNOWN("f)int(");
    UNKNOWN("f(int]");
    UNKNOWN("f(((((int)");
    UNKNOWN("(anonymous namespace)::table");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demangle),
        cmocka_unit_test(test_demangle_bomb),
        cmocka_unit_test(test_demangle_silent_bomb),
        cmocka_unit_test(test_signature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
