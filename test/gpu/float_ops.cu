// What a GPU answers for float operations on special values: one line an evaluation, `operation a b c result` in hexadecimal.
// Run by hand on a GPU machine:  nvcc -arch=sm_90 -o float_ops float_ops.cu && ./float_ops > h200_float.tsv
// The unit test of the evaluator (test/unit/uop/test_uop_gpu.c) replays the committed answers.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

static const uint32_t f32_values[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3fc00001,
                                      0x33800001, 0x4b7fffff, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345};
static const uint32_t f32_few[] = {0x00000000, 0x80000000, 0x00000001, 0x00800001, 0x3f800001, 0xbf7fffff, 0x7f800000, 0x7fc00000, 0x00ffffff};
static const uint64_t f64_values[] = {0, 0x8000000000000000, 1, 0x800fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff8000000000001,
                                      0x3ca0000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
                                      0x7ff0000000000001, 0xfff8000000012345};
static const uint32_t f16_values[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x3e01, 0x1400, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0xfe12};
static const uint32_t cvt_values[] = {0x00000000, 0x80000000, 0x00000001, 0x3effffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4effffff,
                                      0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0x7f800000, 0xff800000,
                                      0x7fc00000, 0x477fe000, 0x477ff000, 0x33000000, 0x38800000, 0x387fe000, 0x7f7fffff};
static const uint32_t int_values[] = {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x01000001, 0x01000003, 0xfeffffff, 0xffffff7f};

template <class T> __host__ static T *device_copy(const T *p, size_t n)
{
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, p, n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

#define COUNT(a) (int)(sizeof(a) / sizeof(a[0]))

// Two f32 (or b32) operands.
#define OP2(name, text, values)                                                                                             \
    __global__ void k_##name(const uint32_t *v, int n, uint32_t *r)                                                         \
    {                                                                                                                       \
        int i = threadIdx.x + blockIdx.x * blockDim.x;                                                                      \
        if (i < n * n)                                                                                                      \
            asm volatile("{ .reg .f32 a, b, d; mov.b32 a, %1; mov.b32 b, %2; " text " d, a, b; mov.b32 %0, d; }"            \
                         : "=r"(r[i]) : "r"(v[i / n]), "r"(v[i % n]));                                                      \
    }                                                                                                                       \
    static void r_##name()                                                                                                  \
    {                                                                                                                       \
        static uint32_t out[4096];                                                                                          \
        int n = COUNT(values);                                                                                              \
        uint32_t *v = device_copy(values, n), *r = device_copy(out, 4096);                                                  \
        k_##name<<<64, 64>>>(v, n, r);                                                                                      \
        cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);                                                             \
        for (int i = 0; i < n * n; i++)                                                                                     \
            printf("%s\t%x\t%x\t0\t%x\n", text, values[i / n], values[i % n], out[i]);                                      \
    }
#define OP3(name, text)                                                                                                     \
    __global__ void k_##name(const uint32_t *v, int n, uint32_t *r)                                                         \
    {                                                                                                                       \
        int i = threadIdx.x + blockIdx.x * blockDim.x;                                                                      \
        if (i < n * n * n)                                                                                                  \
            asm volatile("{ .reg .f32 a, b, c, d; mov.b32 a, %1; mov.b32 b, %2; mov.b32 c, %3; " text " d, a, b, c; mov.b32 %0, d; }" \
                         : "=r"(r[i]) : "r"(v[i / (n * n)]), "r"(v[i / n % n]), "r"(v[i % n]));                             \
    }                                                                                                                       \
    static void r_##name()                                                                                                  \
    {                                                                                                                       \
        static uint32_t out[4096];                                                                                          \
        int n = COUNT(f32_few);                                                                                             \
        uint32_t *v = device_copy(f32_few, n), *r = device_copy(out, 4096);                                                 \
        k_##name<<<64, 64>>>(v, n, r);                                                                                      \
        cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);                                                             \
        for (int i = 0; i < n * n * n; i++)                                                                                 \
            printf("%s\t%x\t%x\t%x\t%x\n", text, f32_few[i / (n * n)], f32_few[i / n % n], f32_few[i % n], out[i]);         \
    }
#define OP2D(name, text)                                                                                                    \
    __global__ void k_##name(const uint64_t *v, int n, uint64_t *r)                                                         \
    {                                                                                                                       \
        int i = threadIdx.x + blockIdx.x * blockDim.x;                                                                      \
        if (i < n * n)                                                                                                      \
            asm volatile("{ .reg .f64 a, b, d; mov.b64 a, %1; mov.b64 b, %2; " text " d, a, b; mov.b64 %0, d; }"            \
                         : "=l"(r[i]) : "l"(v[i / n]), "l"(v[i % n]));                                                      \
    }                                                                                                                       \
    static void r_##name()                                                                                                  \
    {                                                                                                                       \
        static uint64_t out[4096];                                                                                          \
        int n = COUNT(f64_values);                                                                                          \
        uint64_t *v = device_copy(f64_values, n), *r = device_copy(out, 4096);                                              \
        k_##name<<<64, 64>>>(v, n, r);                                                                                      \
        cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);                                                             \
        for (int i = 0; i < n * n; i++)                                                                                     \
            printf("%s\t%llx\t%llx\t0\t%llx\n", text, (unsigned long long)f64_values[i / n],                                \
                   (unsigned long long)f64_values[i % n], (unsigned long long)out[i]);                                      \
    }
#define OP2H(name, text)                                                                                                    \
    __global__ void k_##name(const uint32_t *v, int n, uint32_t *r)                                                         \
    {                                                                                                                       \
        int i = threadIdx.x + blockIdx.x * blockDim.x;                                                                      \
        if (i < n * n)                                                                                                      \
            asm volatile("{ .reg .b16 a, b, d, z; cvt.u16.u32 a, %1; cvt.u16.u32 b, %2; " text " d, a, b; cvt.u32.u16 %0, d; }" \
                         : "=r"(r[i]) : "r"(v[i / n]), "r"(v[i % n]));                                                      \
    }                                                                                                                       \
    static void r_##name()                                                                                                  \
    {                                                                                                                       \
        static uint32_t out[4096];                                                                                          \
        int n = COUNT(f16_values);                                                                                          \
        uint32_t *v = device_copy(f16_values, n), *r = device_copy(out, 4096);                                              \
        k_##name<<<64, 64>>>(v, n, r);                                                                                      \
        cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);                                                             \
        for (int i = 0; i < n * n; i++)                                                                                     \
            printf("%s\t%x\t%x\t0\t%x\n", text, f16_values[i / n], f16_values[i % n], out[i]);                              \
    }
// One operand: conversions. `out` is the width of the result's register.
#define CVT(name, text, in, outw, values, T, rc)                                                                            \
    __global__ void k_##name(const uint32_t *v, int n, T *r)                                                                \
    {                                                                                                                       \
        int i = threadIdx.x + blockIdx.x * blockDim.x;                                                                      \
        if (i < n)                                                                                                          \
            asm volatile("{ .reg ." in " a; mov.b32 a, %1; " text " %0, a; }" : rc(r[i]) : "r"(v[i]));                      \
    }                                                                                                                       \
    static void r_##name()                                                                                                  \
    {                                                                                                                       \
        static T out[64];                                                                                                   \
        int n = COUNT(values);                                                                                              \
        uint32_t *v = device_copy(values, n);                                                                               \
        T *r = device_copy(out, 64);                                                                                        \
        k_##name<<<1, 64>>>(v, n, r);                                                                                       \
        cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);                                                             \
        for (int i = 0; i < n; i++)                                                                                         \
            printf("%s\t%x\t0\t0\t%llx\n", text, values[i], (unsigned long long)out[i]);                                    \
    }

#define LIST2(X)                                                                                                            \
    X(add, "add.rn.f32", f32_values) X(addz, "add.rz.f32", f32_values) X(addm, "add.rm.f32", f32_values) X(addp, "add.rp.f32", f32_values) \
    X(addf, "add.rn.ftz.f32", f32_values) X(adds, "add.rn.sat.f32", f32_values) X(addfs, "add.rn.ftz.sat.f32", f32_values)  \
    X(mul, "mul.rn.f32", f32_values) X(mulz, "mul.rz.f32", f32_values) X(mulm, "mul.rm.f32", f32_values) X(mulp, "mul.rp.f32", f32_values) \
    X(mulf, "mul.rn.ftz.f32", f32_values) X(muls, "mul.rn.sat.f32", f32_values)                                             \
    X(min, "min.f32", f32_values) X(max, "max.f32", f32_values) X(minf, "min.ftz.f32", f32_values) X(maxf, "max.ftz.f32", f32_values) \
    X(minn, "min.NaN.f32", f32_values) X(maxn, "max.NaN.f32", f32_values) X(maxfn, "max.ftz.NaN.f32", f32_values)
#define LIST3(X)                                                                                                            \
    X(fma, "fma.rn.f32") X(fmaz, "fma.rz.f32") X(fmam, "fma.rm.f32") X(fmap, "fma.rp.f32") X(fmaf, "fma.rn.ftz.f32") X(fmas, "fma.rn.sat.f32")
#define LIST2D(X)                                                                                                           \
    X(dadd, "add.rn.f64") X(daddz, "add.rz.f64") X(daddm, "add.rm.f64") X(daddp, "add.rp.f64") X(dmul, "mul.rn.f64") X(dmulz, "mul.rz.f64") \
    X(dmulm, "mul.rm.f64") X(dmulp, "mul.rp.f64")
#define LIST2H(X)                                                                                                           \
    X(hadd, "add.rn.f16") X(hmul, "mul.rn.f16") X(hmin, "min.f16") X(hmax, "max.f16") X(hmaxn, "max.NaN.f16") X(hadds, "add.rn.sat.f16")
#define LISTC(X)                                                                                                            \
    X(c1, "cvt.rni.s32.f32", "f32", 32, cvt_values, uint32_t, "=r") X(c2, "cvt.rzi.s32.f32", "f32", 32, cvt_values, uint32_t, "=r") \
    X(c3, "cvt.rmi.s32.f32", "f32", 32, cvt_values, uint32_t, "=r") X(c4, "cvt.rpi.s32.f32", "f32", 32, cvt_values, uint32_t, "=r") \
    X(c5, "cvt.rzi.u32.f32", "f32", 32, cvt_values, uint32_t, "=r") X(c6, "cvt.rzi.s64.f32", "f32", 64, cvt_values, uint64_t, "=l") \
    X(c7, "cvt.rzi.u64.f32", "f32", 64, cvt_values, uint64_t, "=l") X(c8, "cvt.rn.f32.s32", "s32", 32, int_values, uint32_t, "=r")  \
    X(c9, "cvt.rz.f32.s32", "s32", 32, int_values, uint32_t, "=r") X(c10, "cvt.rm.f32.s32", "s32", 32, int_values, uint32_t, "=r")  \
    X(c11, "cvt.rp.f32.s32", "s32", 32, int_values, uint32_t, "=r") X(c12, "cvt.rn.f32.u32", "u32", 32, int_values, uint32_t, "=r") \
    X(c13, "cvt.f64.f32", "f32", 64, cvt_values, uint64_t, "=l") X(c14, "cvt.rni.f32.f32", "f32", 32, cvt_values, uint32_t, "=r")   \
    X(c15, "cvt.rzi.f32.f32", "f32", 32, cvt_values, uint32_t, "=r") X(c16, "cvt.rmi.f32.f32", "f32", 32, cvt_values, uint32_t, "=r") \
    X(c17, "cvt.rpi.f32.f32", "f32", 32, cvt_values, uint32_t, "=r") X(c18, "cvt.rni.ftz.f32.f32", "f32", 32, cvt_values, uint32_t, "=r")

LIST2(OP2)
LIST3(OP3)
LIST2D(OP2D)
LIST2H(OP2H)
LISTC(CVT)

int main()
{
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("# %s, sm_%d%d, CUDA %d; operation a b c result\n", p.name, p.major, p.minor, CUDART_VERSION);
#define RUN(name, ...) r_##name();
    LIST2(RUN) LIST3(RUN) LIST2D(RUN) LIST2H(RUN) LISTC(RUN)
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(e));
        return 1;
    }
    return 0;
}
