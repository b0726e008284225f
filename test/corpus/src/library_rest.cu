// What library_doubles.cu leaves of libraries' code: numbers of 16 bits, whole exponents and orders, quotients of doubles
// by constants. None of it is the kernel's own. And near misses, which are.
#include <cuda_fp16.h>
#define INDEX                                                                                                          \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= n)                                                                                                        \
        return;
extern "C" __global__ void by_constant(double *y, const double *x, int n)
{
    INDEX y[i] = x[i] / 3.0;
}

extern "C" __global__ void half_exp(__half *y, const __half *x, int n)
{
    INDEX y[i] = hexp(x[i]);
}

extern "C" __global__ void half_sin(__half *y, const __half *x, int n)
{
    INDEX y[i] = hsin(x[i]);
}

extern "C" __global__ void half_log2(__half2 *y, const __half2 *x, int n)
{
    INDEX y[i] = h2log(x[i]);
}

extern "C" __global__ void half_quotient(__half2 *y, const __half2 *x, const __half2 *z, int n)
{
    INDEX y[i] = __h2div(x[i], z[i]);
}

extern "C" __global__ void to_whole(double *y, const double *x, const int *z, int n)
{
    INDEX y[i] = pow(x[i], z[i]);
}

extern "C" __global__ void of_order(double *y, const double *x, int n)
{
    INDEX y[i] = jn(3, x[i]);
}

// A division by Newton's steps from a guess is the kernel's.
extern "C" __global__ void own_quotient(double *y, const double *x, int n)
{
    INDEX double r = 0.3;
    r = fma(r, fma(-3.0, r, 1.0), r);
    y[i] = fma(x[i], r, x[i] * 1e-9);
}

// A few terms of a series are no exp().
extern "C" __global__ void own_half_series(__half *y, const __half *x, int n)
{
    INDEX __half v = x[i];
    y[i] = __hfma(__hfma(__hfma(v, __float2half(0.1666f), __float2half(0.5f)), v, __float2half(1.0f)), v,
                  __float2half(1.0f));
}

// What is done with a library's result is the kernel's: a product more is no logarithm of another base.
extern "C" __global__ void own_product(__half *y, const __half *x, int n)
{
    INDEX y[i] = __hmul(hlog(x[i]), __float2half(1.442695f));
}

// A power by products that count down.
extern "C" __global__ void own_power(double *y, const double *x, const int *z, int n)
{
    INDEX double v = x[i], p = 1.0;
#pragma unroll 1
    for (int k = z[i]; k > 0; k--)
        p *= v;
    y[i] = p;
}

// A remainder of 64 bits is a routine, called at two places of a loop; where the product is made is the kernel's branch.
typedef unsigned long long u64;
extern "C" __global__ void two_remainders(u64 *y, const u64 *x, const u64 *z, const u64 *m, int n)
{
    INDEX u64 r = 1, v = x[i] % m[i], q = m[i];
    for (u64 k = z[i]; k; k >>= 1) {
        if (k & 1)
            r = r * v % q;
        v = v * v % q;
    }
    y[i] = r;
}

// A function of the kernel's own that divides too.
static __device__ __noinline__ u64 mixed(u64 a, u64 b, u64 c)
{
    return (a / b + c * a) ^ (c * c + b * a);
}
extern "C" __global__ void own_function(u64 *y, const u64 *x, const u64 *z, const u64 *m, int n)
{
    INDEX u64 q = m[i];
    y[i] = mixed(mixed(x[i], q, 3), q, z[i]);
}
