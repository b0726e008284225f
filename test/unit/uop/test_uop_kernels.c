/* Machine code run: the committed cubins' words are decoded, lifted and executed by a small interpreter over
 * registers and memory in arrays, one thread at a time, and the stored floats compared with C. NaN, zeros of both
 * signs, subnormals and infinities are among the inputs; every architecture of the lab runs.
 *
 * provenance: cubin/smNN/ as `sassprobe lab` built them from kernels/ (nvcc 13.0; fast math but for
 * fma_contract_f32). */
#include "image/img.h"
#include "isa/isa.h"
#include "support_machine.h"
#include "uop/uop_lift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_INSNS = 512, MAX_THREADS = 4096, BUFFERS = MACHINE_BUFFERS, BLOCK = 64 };

static const unsigned archs[] = {75, 80, 86, 89, 90, 100, 120};

/* ---- kernels from cubins ------------------------------------------------------------------------------------- */

struct program {
    struct arena a;
    unsigned sm, count;
    struct uop_list lists[MAX_INSNS];
    uint32_t param_base;
    uint32_t param_offset[8];
    uint32_t params;
};

static void load_program(struct program *p, unsigned sm, const char *file, const char *kernel)
{
    char path[512];
    struct diag_sink diags;
    uint8_t *bytes;
    size_t size;
    struct img_module module;
    arena_init(&p->a, 0);
    diag_init(&diags, &p->a);
    p->sm = sm;
    snprintf(path, sizeof path, "%s/cubin/sm%u/%s.cubin", SP_SOURCE_DIR, sm, file);
    assert_int_equal(img_load_file(&p->a, &diags, path, 0, &bytes, &size), SP_OK);
    assert_int_equal(img_read_module(&p->a, &diags, path, bytes, size, &module), SP_OK);
    const struct img_kernel *k = NULL;
    for (uint32_t i = 0; i < module.kernel_count; i++)
        if (strstr(module.kernels[i].name, kernel))
            k = &module.kernels[i];
    assert_non_null(k);
    p->count = k->code_bytes / 16;
    assert_true(p->count <= MAX_INSNS);
    p->param_base = k->param_base;
    p->params = k->param_count;
    assert_true(k->params_known && p->params <= 8);
    for (uint32_t i = 0; i < p->params; i++)
        p->param_offset[i] = k->params[i].offset;
    for (unsigned i = 0; i < p->count; i++) {
        struct isa_insn insn;
        struct uop_lift_context context = {.sm = sm, .a = &p->a};
        struct bits128 word = {bits_le64(k->code + 16 * i), bits_le64(k->code + 16 * i + 8)};
        assert_int_equal(isa_decode(sm, word, 16 * i, &insn), SP_OK);
        assert_int_equal(uop_lift(&context, &insn, &p->lists[i]), SP_OK);
    }
}

/* Pointer parameters are the buffers in order; floats and ints come from `scalars` in order. */
static void run_threads(const struct program *p, float *const buffers[BUFFERS], unsigned pointers,
                        const uint32_t *scalars, unsigned threads)
{
    for (unsigned t = 0; t < threads; t++) {
        struct machine m;
        uint32_t block = BLOCK;
        machine_start(&m);
        m.tid = t % BLOCK;
        m.ctaid = t / BLOCK;
        m.buffer_bytes = MAX_THREADS * sizeof(float);
        for (unsigned k = 0; k < BUFFERS; k++)
            m.buffer[k] = buffers[k];
        machine_set(&m, p->sm >= 100 ? 0x360 : 0, &block, 4);
        for (unsigned i = 0; i < p->params; i++) {
            uint64_t base = machine_base(i);
            if (i < pointers)
                machine_set(&m, p->param_base + p->param_offset[i], &base, 8);
            else
                machine_set(&m, p->param_base + p->param_offset[i], &scalars[i - pointers], 4);
        }
        machine_run(&m, p->lists, p->count);
    }
}

/* ---- inputs and expectations --------------------------------------------------------------------------------- */

static const uint32_t values[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40490fdb, 0xc0000000,
                                  0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x00000001, 0x807fffff,
                                  0x00800000, 0x7f7fffff, 0x3f800001, 0x3e99999a};
enum { VALUES = sizeof values / sizeof *values, CASES = VALUES * VALUES * VALUES };
_Static_assert((int)CASES <= (int)MAX_THREADS, "every triple has a thread");

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t as_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static float flush(float f, bool ftz)
{
    uint32_t bits = as_bits(f);
    return ftz && (bits & 0x7f800000) == 0 ? as_float(bits & 0x80000000) : f;
}

/* The GPU makes one NaN. */
static uint32_t result(float f, bool ftz)
{
    return isnan(f) ? 0x7fffffff : as_bits(flush(f, ftz));
}

static float fused(float a, float b, float c, bool ftz)
{
    volatile float r = fmaf(flush(a, ftz), flush(b, ftz), flush(c, ftz));
    return flush(r, ftz);
}
static float product(float a, float b, bool ftz)
{
    volatile float r = flush(a, ftz) * flush(b, ftz);
    return flush(r, ftz);
}
static float sum(float a, float b, bool ftz)
{
    volatile float r = flush(a, ftz) + flush(b, ftz);
    return flush(r, ftz);
}

static float memory[BUFFERS][MAX_THREADS];
static float *const buffers[BUFFERS] = {memory[0], memory[1], memory[2], memory[3], memory[4]};
static const uint32_t untouched = 0x5a5a5a5a;

static void fill(void)
{
    for (unsigned t = 0; t < MAX_THREADS; t++) {
        memory[0][t] = as_float(values[t % VALUES]);
        memory[1][t] = as_float(values[t / VALUES % VALUES]);
        memory[2][t] = as_float(values[t / VALUES / VALUES % VALUES]);
        memory[3][t] = memory[4][t] = as_float(untouched);
    }
}

static void expect_at(unsigned sm, const char *name, unsigned buffer, unsigned t, uint32_t expected)
{
    uint32_t got = as_bits(memory[buffer][t]);
    if (got != expected)
        fail_msg("sm_%u %s, element %u: %08x, not %08x (inputs %08x %08x %08x)", sm, name, t, got, expected,
                 as_bits(memory[0][t]), as_bits(memory[1][t]), as_bits(memory[2][t]));
}

enum { BOUND = CASES - 3 }; /* the last threads are beyond n and must store nothing */

struct fma_kernel {
    const char *name;
    unsigned pointers, output;
    int aux;                  /* buffer of the second output, or -1 */
    unsigned contracted_from; /* the first architecture whose code multiplies and adds in one step; 0: none does */
};

static void the_seven_fma_kernels_compute_what_c_says(void **state)
{
    (void)state;
    static const struct fma_kernel kernels[] = {
        {"fma_direct_kernel", 4, 3, -1, 75},
        {"fma_tmp_kernel", 4, 3, -1, 75},
        {"fma_gap_kernel", 5, 4, 3, 75},
        {"fma_store_tmp_kernel", 5, 4, 3, 0},
        {"fma_rn_intrinsic_kernel", 4, 3, -1, 0},
        {"fma_volatile_global_kernel", 5, 4, 3, 0},
        {"fma_noinline_boundary_kernel", 4, 3, -1, 100}, /* the later front end sees through the call */
    };
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            const struct fma_kernel *kernel = &kernels[k];
            static struct program p;
            uint32_t n = BOUND;
            bool contracted = kernel->contracted_from && archs[i] >= kernel->contracted_from;
            load_program(&p, archs[i], "01_arithmetic/fma_contract_f32", kernel->name);
            fill();
            run_threads(&p, buffers, kernel->pointers, &n, CASES);
            arena_free(&p.a);
            for (unsigned t = 0; t < CASES; t++) {
                float a = memory[0][t], b = memory[1][t], c = memory[2][t], m = product(a, b, false);
                expect_at(archs[i], kernel->name, kernel->output, t,
                          t >= BOUND ? untouched
                                     : result(contracted ? fused(a, b, c, false) : sum(m, c, false), false));
                if (kernel->aux >= 0)
                    expect_at(archs[i], kernel->name, (unsigned)kernel->aux, t,
                              t >= BOUND ? untouched
                                         : result(k == 2 ? fused(sum(a, c, false), 3.0f, b, false) : m, false));
            }
        }
}

static void clamp_keeps_nan_and_subnormals(void **state)
{
    (void)state;
    /* lo and hi from the values too, the useless orders included. */
    static const uint32_t bounds[][2] = {{0xbf800000, 0x3f800000}, {0x00000000, 0x40490fdb}, {0x80000000, 0x00000000},
                                         {0x3f800000, 0xbf800000}, {0x7fc00000, 0x3f800000}, {0xff800000, 0x7f800000},
                                         {0x00000001, 0x00800000}, {0xbf800000, 0x7fc00000}};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        static struct program p;
        load_program(&p, archs[i], "02_control/clamp_f32", "clamp_f32_kernel");
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
            uint32_t scalars[] = {bounds[b][0], bounds[b][1], VALUES};
            float lo = as_float(bounds[b][0]), hi = as_float(bounds[b][1]);
            fill();
            for (unsigned t = 0; t < MAX_THREADS; t++)
                memory[1][t] = as_float(untouched);
            run_threads(&p, buffers, 2, scalars, VALUES + 5);
            for (unsigned t = 0; t < VALUES + 5; t++) {
                float v = memory[0][t];
                if (flush(v, true) < flush(lo, true))
                    v = lo;
                if (flush(v, true) > flush(hi, true))
                    v = hi;
                expect_at(archs[i], "clamp", 1, t, t >= VALUES ? untouched : as_bits(v));
            }
        }
        arena_free(&p.a);
    }
}

static void relu_is_a_maximum_with_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        static struct program p;
        uint32_t n = VALUES;
        load_program(&p, archs[i], "02_control/relu_f32", "relu_f32_kernel");
        fill();
        for (unsigned t = 0; t < MAX_THREADS; t++)
            memory[1][t] = as_float(untouched);
        run_threads(&p, buffers, 2, &n, VALUES + 5);
        arena_free(&p.a);
        for (unsigned t = 0; t < VALUES + 5; t++) {
            float v = memory[0][t];
            expect_at(archs[i], "relu", 1, t, t >= VALUES ? untouched : flush(v, true) > 0.0f ? as_bits(v) : 0);
        }
    }
}

static void elementwise_kernels_flush_under_fast_math(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
        unsigned pointers, output;
    } kernels[] = {
        {"01_arithmetic/add_f32", "add_f32_kernel", 3, 2},
        {"01_arithmetic/mul_f32", "mul_f32_kernel", 3, 2},
        {"01_arithmetic/fma_f32", "fma_f32_kernel", 4, 3},
        {"00_memory/copy_global", "copy_global_kernel", 2, 1},
    };
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            static struct program p;
            uint32_t n = BOUND;
            load_program(&p, archs[i], kernels[k].file, kernels[k].name);
            fill();
            for (unsigned t = 0; t < MAX_THREADS; t++)
                memory[kernels[k].output][t] = as_float(untouched);
            run_threads(&p, buffers, kernels[k].pointers, &n, CASES);
            arena_free(&p.a);
            for (unsigned t = 0; t < CASES; t++) {
                float a = memory[0][t], b = memory[1][t], c = memory[2][t];
                uint32_t expected = k == 0   ? result(sum(a, b, true), true)
                                    : k == 1 ? result(product(a, b, true), true)
                                    : k == 2 ? result(fused(a, b, c, true), true)
                                             : as_bits(a);
                expect_at(archs[i], kernels[k].name, kernels[k].output, t, t >= BOUND ? untouched : expected);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_seven_fma_kernels_compute_what_c_says),
        cmocka_unit_test(clamp_keeps_nan_and_subnormals),
        cmocka_unit_test(relu_is_a_maximum_with_zero),
        cmocka_unit_test(elementwise_kernels_flush_under_fast_math),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
