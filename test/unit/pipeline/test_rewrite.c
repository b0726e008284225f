/* Machine code beside PTX: what is told with the right text, and that another one is noticed: of another kernel, of
 * another version, for a later machine. The cubins are the laboratory's without the PTX and the line map inside. */
#include "sassprobe/sassprobe.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text_taker.h"

static struct text read_all(const char *path)
{
    struct text t = {0};
    char part[4096], full[512];
    snprintf(full, sizeof full, "%s/%s", SP_SOURCE_DIR, path);
    FILE *f = fopen(full, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        assert_true(text_take(&t, part, n));
    fclose(f);
    return t;
}

/* Renames what the file calls its sections of debugging text: nobody finds them then. */
static void hide(struct text *t, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i + n <= t->n; i++)
        if (memcmp(t->p + i, name, n) == 0)
            memcpy(t->p + i, ".hid", 4);
}

static struct text replace_all(const struct text *t, const char *from, const char *to)
{
    struct text out = {0};
    size_t n = strlen(from);
    unsigned count = 0;
    for (size_t i = 0; i < t->n;) {
        bool here = n && i + n <= t->n && memcmp(t->p + i, from, n) == 0;
        assert_true(here ? text_take(&out, to, strlen(to)) : text_take(&out, t->p + i, 1));
        i += here ? n : 1;
        count += here;
    }
    assert_true(!n || count);
    return out;
}

struct answer {
    struct text json, told;
};

static struct answer explain(const struct text *cubin, const struct text *ptx, const char *source)
{
    char path[] = "/tmp/test_rewrite_XXXXXX";
    struct answer a = {0};
    struct sp_session *s = sp_session_new();
    struct sp_explain_options options;
    int file = ptx ? mkstemp(path) : -1;
    sp_explain_options_init(&options);
    options.format = SP_FORMAT_JSON;
    assert_int_equal(sp_session_add_memory(s, "code", cubin->p, cubin->n), SP_OK);
    if (ptx) {
        assert_true(file >= 0);
        assert_int_equal(write(file, ptx->p, ptx->n), (ssize_t)ptx->n);
        close(file);
        assert_int_equal(sp_session_add_ptx(s, path), SP_OK);
        unlink(path);
    }
    if (source)
        assert_int_equal(sp_session_add_source(s, source), SP_OK);
    assert_int_equal(sp_explain(s, &options, text_take, &a.json), SP_OK);
    sp_session_diagnostics(s, text_take, &a.told);
    assert_true(text_take(&a.told, "", 0));
    sp_session_free(s);
    return a;
}

static void drop(struct answer *a)
{
    free(a->json.p);
    free(a->told.p);
}

#define STAGED "\"stage\":\"ptxas\""

struct near_miss {
    const char *name, *from, *to; /* the PTX of that kernel, with one thing replaced by another; "": nothing */
    const char *told;             /* the diagnostic's code, NULL: it belongs to the machine code */
};

static const struct near_miss misses[] = {
    {"02_control/clamp_f32", "", "", NULL},
    {"02_control/clamp_f32", "setp.lt.ftz", "setp.gt.ftz", "ptx-mismatch"},
    {"02_control/clamp_f32", "setp.ge.s32", "setp.gt.s32", "ptx-mismatch"},
    {"02_control/clamp_f32", "_Z16clamp_f32_kernelPKfPfffi", "_Z15other_f32_kernelPKfPfffi", "ptx-unused"},
    {"02_control/clamp_f32", ".target sm_86", ".target sm_120", "ptx-mismatch"},
    {"02_control/clamp_f32", ".target sm_86", ".target sm_80", NULL},
    {"01_arithmetic/add_f32", ", 4;", ", 8;", "ptx-mismatch"},
    {"01_arithmetic/add_f32", "param_2]", "param_1]", "ptx-mismatch"},
    {"01_arithmetic/add_f32", ".param .u32", ".param .u64", "ptx-mismatch"},
    {"01_arithmetic/add_f32", "add.ftz.f32", "sub.ftz.f32", "ptx-mismatch"},
    {"01_arithmetic/add_f32", "add.ftz.f32", "add.f32", "ptx-mismatch"},
    {"01_arithmetic/fma_f32", "", "", NULL},
    /* mul and add may be fused, mul.rn and add.rn never */
    {"01_arithmetic/fma_f32", "fma.rn.ftz.f32 \t%f4, %f2, %f1, %f3;",
     "mul.ftz.f32 %f4, %f2, %f1; add.ftz.f32 %f4, %f4, %f3;", NULL},
    {"01_arithmetic/fma_f32", "fma.rn.ftz.f32 \t%f4, %f2, %f1, %f3;",
     "mul.rn.ftz.f32 %f4, %f2, %f1; add.rn.ftz.f32 %f4, %f4, %f3;", "ptx-mismatch"},
    {"03_reduction/reduce_sum_f32", "", "", NULL},
    {"03_reduction/reduce_sum_f32", "add.ftz.f32", "mul.ftz.f32", "ptx-mismatch"},
    {"03_reduction/reduce_sum_f32", "bar.sync", "//bar.sync", "ptx-mismatch"},
    {"05_nn_ops/softmax_small_f32", "", "", NULL},
    {"05_nn_ops/softmax_small_f32", "div.approx", "mul", "ptx-mismatch"},
    {"05_nn_ops/online_softmax_f32", "", "", NULL},
    {"05_nn_ops/online_softmax_f32", "0f3FB8AA3B", "0f3FC8AA3B", "ptx-mismatch"},
    {"05_nn_ops/online_softmax_f32", "setp.gt.ftz", "setp.lt.ftz", "ptx-mismatch"},
    /* the pragma is of the block that it stands in */
    {"05_nn_ops/online_softmax_f32", "$L__BB0_4:", "$L__BB0_4: .pragma \"nounroll\";", "ptx-mismatch"},
    {"05_nn_ops/online_softmax_f32", "$L__BB0_4:", ".pragma \"nounroll\"; $L__BB0_4:", NULL},
    {"05_nn_ops/online_softmax_f32", ".target sm_86", ".target sm_86\n.pragma \"nounroll\";", "ptx-mismatch"},
    {"05_nn_ops/online_softmax_f32", ")\n{", ")\n.pragma \"nounroll\";\n{", "ptx-mismatch"},
    {"06_memory/spill_f32", "", "", NULL},
    {"06_memory/local_array_f32", "", "", NULL},
};

static void test_near_misses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof misses / sizeof misses[0]; i++) {
        const struct near_miss *m = &misses[i];
        char cubin_path[256], ptx_path[256];
        snprintf(cubin_path, sizeof cubin_path, "cubin/sm86/%s.cubin", m->name);
        snprintf(ptx_path, sizeof ptx_path, "ptx/sm86/%s.ptx", m->name);
        struct text cubin = read_all(cubin_path), whole = read_all(ptx_path);
        struct text ptx = replace_all(&whole, m->from, m->to);
        hide(&cubin, ".nv_debug");
        struct answer a = explain(&cubin, &ptx, NULL);
        bool staged = strstr(a.json.p, STAGED) != NULL, told = strstr(a.told.p, "[ptx-") != NULL;
        if (m->told ? !strstr(a.told.p, m->told) || staged : told || (!staged && !strstr(m->name, "local")))
            fail_msg("%s with %s for %s: %s, said: %s", m->name, m->to, m->from, staged ? "staged" : "no stage",
                     a.told.p);
        drop(&a);
        free(cubin.p);
        free(whole.p);
        free(ptx.p);
    }
}

struct layout {
    const char *name, *from, *to;
    unsigned inverted; /* compares that are told as turned round before the PTX */
};

static const struct layout layouts[] = {
    {"02_control/clamp_f32", "", "", 1},
    {"02_control/clamp_f32", "\t.loc\t1 5 5", "\t.loc\t1 5 3", 0},  /* as behind `if (i >= n) return;` */
    {"02_control/clamp_f32", "\t.loc\t1 4 3", "\t.loc\t1 40 3", 0}, /* nothing stands on later lines */
    {"03_reduction/reduce_sum_f32", "", "", 3},
    {"05_nn_ops/online_softmax_f32", "", "", 0}, /* leaves early; the other branches ask whether loops run at all */
};

/* A condition with its work inside, and one that leaves before it: columns that the PTX keeps of the source tell. */
static void test_layout(void **state)
{
    static const char inverted[] = "\"condition-inverted\",\"stage\":\"nvvm\"";
    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const struct layout *m = &layouts[i];
        char cubin_path[256], ptx_path[256];
        snprintf(cubin_path, sizeof cubin_path, "cubin/sm86/%s.cubin", m->name);
        snprintf(ptx_path, sizeof ptx_path, "ptx/sm86/%s.ptx", m->name);
        struct text cubin = read_all(cubin_path), whole = read_all(ptx_path);
        struct text ptx = replace_all(&whole, m->from, m->to);
        hide(&cubin, ".nv_debug");
        struct answer a = explain(&cubin, &ptx, NULL);
        unsigned count = 0;
        for (const char *at = a.json.p; (at = strstr(at, inverted)) != NULL; at++)
            count++;
        if (count != m->inverted || !strstr(a.json.p, "\"stage\":\"ptxas\""))
            fail_msg("%s with %s for %s: %u told", m->name, m->to, m->from, count);
        drop(&a);
        free(cubin.p);
        free(whole.p);
        free(ptx.p);
    }
}

/* Without PTX nothing is said of stages; with it inside, it is. */
static void test_embedded(void **state)
{
    (void)state;
    struct text cubin = read_all("cubin/sm86/02_control/clamp_f32.cubin");
    struct answer with = explain(&cubin, NULL, NULL);
    hide(&cubin, ".nv_debug_ptx_txt");
    struct answer without = explain(&cubin, NULL, NULL);
    assert_non_null(strstr(with.json.p, "branch-to-exit"));
    assert_null(strstr(without.json.p, "branch-to-exit"));
    assert_null(strstr(without.json.p, STAGED));
    assert_string_equal(without.told.p, "");
    drop(&with);
    drop(&without);
    free(cubin.p);
}

/* PTX that does not belong to it does not take the place of what is inside. */
static void test_embedded_and_another(void **state)
{
    (void)state;
    struct text cubin = read_all("cubin/sm86/02_control/clamp_f32.cubin");
    struct text whole = read_all("ptx/sm86/02_control/clamp_f32.ptx");
    struct text other = replace_all(&whole, "setp.lt.ftz", "setp.gt.ftz");
    struct answer alone = explain(&cubin, NULL, NULL), both = explain(&cubin, &other, NULL);
    const char *a = strstr(alone.json.p, "\"rewrites\""), *b = strstr(both.json.p, "\"rewrites\"");
    assert_non_null(strstr(both.told.p, "ptx-mismatch"));
    assert_true(a && b);
    assert_string_equal(a, b);
    drop(&alone);
    drop(&both);
    free(cubin.p);
    free(whole.p);
    free(other.p);
}

/* What is told of that kind with a source: -1 nothing, else whether the confidence is that one. */
static int told_as(const struct text *cubin, const char *source, const char *kind, const char *confidence)
{
    struct answer a = explain(cubin, NULL, source);
    const char *at = strstr(a.json.p, kind);
    int told = at ? strstr(at, confidence) != NULL : -1;
    drop(&a);
    return told;
}

/* What the PTX has may have been written so: the source tells. */
static void test_source(void **state)
{
    static const char path[] = "/tmp/test_rewrite_source.cu", kernel[] = "/kernels/01_arithmetic/fma_f32.cu";
    (void)state;
    struct text cubin = read_all("cubin/sm86/01_arithmetic/fma_f32.cubin"), text = read_all(kernel + 1);
    struct text fused = replace_all(&text, "a[i] * b[i] + c[i]", "fmaf(a[i], b[i], c[i])");
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    size_t written = fwrite(fused.p, 1, fused.n, out);
    fclose(out);
    int without = told_as(&cubin, NULL, "fma-contraction", "\"confidence\":\"assumed\"");
    int with = told_as(&cubin, SP_SOURCE_DIR "/kernels/01_arithmetic/fma_f32.cu", "fma-contraction",
                       "\"confidence\":\"proved\"");
    int other = told_as(&cubin, path, "fma-contraction", "");
    bool whole = written == fused.n;
    unlink(path);
    free(cubin.p);
    free(text.p);
    free(fused.p);
    assert_true(whole);
    assert_int_equal(without, 1);
    assert_int_equal(with, 1);
    assert_int_equal(other, -1);
}

struct words {
    const char *cubin, *source, *from, *to; /* the source with one thing replaced by another of as many lines */
    const char *told;                       /* stands in the answer then */
};

static const struct words words[] = {
    {"cubin/sm86/02_control/clamp_f32.cubin", "kernels/02_control/clamp_f32.cu", "", "",
     "\"branch-to-exit\",\"stage\":\"ptxas\",\"reason\":null,\"source\":{\"file\":0,\"line\":4,\"text\":\"i < n\"}"},
    /* two relations on the line, or another one: whose test it is, is not told */
    {"cubin/sm86/02_control/clamp_f32.cubin", "kernels/02_control/clamp_f32.cu", "if (i < n) {",
     "if (i < n) if (lo < hi) {",
     "\"branch-to-exit\",\"stage\":\"ptxas\",\"reason\":null,\"source\":{\"file\":0,\"line\":4,\"text\":null}"},
    {"cubin/sm86/02_control/clamp_f32.cubin", "kernels/02_control/clamp_f32.cu", "if (i < n) {", "if (i == n) {",
     "\"branch-to-exit\",\"stage\":\"ptxas\",\"reason\":null,\"source\":{\"file\":0,\"line\":4,\"text\":null}"},
    {"test/corpus/variants/rewritten.sm86.cubin", "test/corpus/src/rewritten.cu", "", "",
     "\"division-expanded\",\"stage\":\"ptxas\",\"reason\":\"no-fast-math\""},
    {"test/corpus/variants/rewritten.sm86.cubin", "test/corpus/src/rewritten.cu", "x[i] / y[i]",
     "__fdiv_rn(x[i], y[i])", "\"division-expanded\",\"stage\":\"ptxas\",\"reason\":\"rounding-fixed\""},
    {"test/corpus/variants/rewritten.sm86.cubin", "test/corpus/src/rewritten.cu", "x[i] / y[i]", "QUOTIENT(x[i], y[i])",
     "\"division-expanded\",\"stage\":\"ptxas\",\"reason\":null"},
    {"test/corpus/variants/rewritten.sm86.cubin", "test/corpus/src/rewritten.cu", "sqrtf(x[i])", "__fsqrt_rn(x[i])",
     "\"sqrt-expanded\",\"stage\":\"ptxas\",\"reason\":\"rounding-fixed\""},
};

/* What the words of the source's line say of a rewrite, and that they are not taken for another's. */
static void test_words(void **state)
{
    static const char path[] = "/tmp/test_rewrite_words.cu";
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const struct words *w = &words[i];
        struct text cubin = read_all(w->cubin), text = read_all(w->source), other = replace_all(&text, w->from, w->to);
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(other.p, 1, other.n, out), other.n);
        fclose(out);
        struct answer a = explain(&cubin, NULL, path);
        unlink(path);
        if (!strstr(a.json.p, w->told))
            fail_msg("%s with %s for %s: not told: %s", w->source, w->to, w->from, w->told);
        drop(&a);
        free(cubin.p);
        free(text.p);
        free(other.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_misses),          cmocka_unit_test(test_layout), cmocka_unit_test(test_embedded),
        cmocka_unit_test(test_embedded_and_another), cmocka_unit_test(test_source), cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
