// What belongs to an expansion and what does not: atomic updates that are made once for a warp, divisions of sums, the
// question whether the stack has room, the fallback of an atomic update for other windows; and near misses.
#include <cuda_fp16.h>
#define GUARD(i, n)                                \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i >= n)                                    \
    return

extern "C" __global__ void atomic_sum_kernel(const int *x, int *c, int n)
{
    GUARD(i, n);
    atomicAdd(c, x[i]);
}

extern "C" __global__ void atomic_max_kernel(const unsigned *x, unsigned *c, int n)
{
    GUARD(i, n);
    atomicMax(c, x[i]);
}

extern "C" __global__ void atomic_old_kernel(const int *x, int *c, int *y, int n)
{
    GUARD(i, n);
    y[i] = atomicAdd(c, x[i]);
}

extern "C" __global__ void atomic_half2_kernel(const half2 *x, half2 *c, int n)
{
    GUARD(i, n);
    atomicAdd(&c[i & 7], x[i]);
}

extern "C" __global__ void divide_sum_kernel(const unsigned *x, const unsigned *z, const unsigned *w, unsigned *y, int n)
{
    GUARD(i, n);
    y[i] = (x[i] + z[i] + 5) / (w[i] + 1);
}

extern "C" __global__ void divide_long_sum_kernel(const unsigned long long *x, const unsigned long long *z,
                                                  unsigned long long *y, int n)
{
    GUARD(i, n);
    y[i] = (x[i] + z[i] + 1) / z[i];
}

extern "C" __global__ void long_stride_kernel(const float *x, float *y, long long n)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        y[i] = x[i] * 2.0f;
}

extern "C" __global__ void log_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = logf(x[i]);
}

extern "C" __global__ void sine_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = sinf(x[i]);
}

extern "C" __global__ void power_kernel(const float *x, const float *z, float *y, int n)
{
    GUARD(i, n);
    y[i] = powf(x[i], z[i]);
}

extern "C" __global__ void log1p_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = log1pf(x[i]);
}

// Near misses.
extern "C" __global__ void own_branch_kernel(const float *x, const float *z, float *y, int n)
{
    GUARD(i, n);
    float v = x[i];
    if (z[i] > 2.0f)
        for (int k = 0; k < 10; k++)
            v = v * v + z[i] / v;
    y[i] = v;
}

extern "C" __global__ void branch_of_kernel(const float *x, const float *z, float *y, int n)
{
    GUARD(i, n);
    float v = x[i];
    if (z[i] > 0.0f)
        v = sinf(v);
    y[i] = v;
}

extern "C" __global__ void shuffle_sum_kernel(const int *x, int *c)
{
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(&c[threadIdx.x >> 5], v);
}
