// Conditions within conditions: approximate functions that compilers predicate inside the user's `if`, predicates that are
// kept in registers while others are needed, rows of threads, the larger element loaded once more.
#include <cfloat>

extern "C" __global__ void exp_guarded_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        float v = x[k * n + t], e = 0.0f;
        if (v > 0.0f)
            e = __expf(-v);
        s = fmaxf(s, e);
    }
    y[t] = s;
}

extern "C" __global__ void log_guarded_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        float v = x[k];
        s += k > t ? __logf(v) : 0.0f;
    }
    y[t] = s;
}

// Two rows a block. WHOSE: the row whose maximum is taken.
#define ROWS(NAME, WHOSE, SUM)                                                    \
    extern "C" __global__ void NAME(const float *__restrict__ x, float *y, int n) \
    {                                                                             \
        __shared__ float s[2][64];                                                \
        int t = threadIdx.x, w = threadIdx.y, row = blockIdx.x * 2 + w;           \
        float v = t < n ? x[row * n + t] : -FLT_MAX;                              \
        s[w][t] = v;                                                              \
        __syncthreads();                                                          \
        _Pragma("unroll 1") for (int d = 32; d > 0; d >>= 1)                      \
        {                                                                         \
            if (t < d)                                                            \
                s[w][t] = fmaxf(s[w][t], s[w][t + d]);                            \
            __syncthreads();                                                      \
        }                                                                         \
        float m = s[WHOSE][0];                                                    \
        __syncthreads();                                                          \
        float e = t < n ? __expf(v - m) : 0.0f;                                   \
        s[w][t] = e;                                                              \
        __syncthreads();                                                          \
        _Pragma("unroll 1") for (int d = 32; d > 0; d >>= 1)                      \
        {                                                                         \
            if (t < d)                                                            \
                s[w][t] += s[w][t + d];                                           \
            __syncthreads();                                                      \
        }                                                                         \
        if (t < n)                                                                \
            y[row * n + t] = __fdividef(e, s[SUM][0]);                            \
    }
ROWS(rows_softmax_kernel, w, w)
ROWS(rows_other_maximum_kernel, 0, w)
ROWS(rows_other_sum_kernel, w, 0)

// A row longer than the block; both trees unrolled whole share their conditions.
extern "C" __global__ void softmax_strided_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    const float *p = x + (size_t)blockIdx.x * n;
    float m = -FLT_MAX, u = 0.0f;
    for (int k = t; k < n; k += 256)
        m = fmaxf(m, p[k]);
    s[t] = m;
    __syncthreads();
#pragma unroll
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    m = s[0];
    __syncthreads();
    for (int k = t; k < n; k += 256)
        u += __expf(p[k] - m);
    s[t] = u;
    __syncthreads();
#pragma unroll
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    u = s[0];
    for (int k = t; k < n; k += 256)
        y[(size_t)blockIdx.x * n + k] = __fdividef(__expf(p[k] - m), u);
}

#define LARGER(NAME, PICK)                                                                     \
    extern "C" __global__ void NAME(const float *__restrict__ x, float *__restrict__ y, int n) \
    {                                                                                          \
        extern __shared__ float s[];                                                           \
        int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;                                  \
        float v = 0.0f;                                                                        \
        if (i < n)                                                                             \
            v = x[i];                                                                          \
        s[t] = v;                                                                              \
        __syncthreads();                                                                       \
        _Pragma("unroll 1") for (int d = blockDim.x / 2; d > 0; d >>= 1)                       \
        {                                                                                      \
            if (t < d)                                                                         \
                s[t] = PICK;                                                                   \
            __syncthreads();                                                                   \
        }                                                                                      \
        if (t == 0)                                                                            \
            y[blockIdx.x] = s[0];                                                              \
    }
LARGER(larger_kernel, s[t + d] > s[t] ? s[t + d] : s[t])
LARGER(larger_turned_kernel, s[t] >= s[t + d] ? s[t] : s[t + d])
LARGER(larger_of_others_kernel, s[t + d] > s[t] ? s[t + d] : s[t ^ 1])
LARGER(larger_than_half_kernel, s[t + d] > 0.5f * s[t] ? s[t + d] : s[t])

#define DIVIDED(NAME, QUOTIENT)                                                   \
    extern "C" __global__ void NAME(const float *__restrict__ x, float *y, int n) \
    {                                                                             \
        __shared__ float s[128];                                                  \
        int t = threadIdx.x;                                                      \
        float v = t < n ? x[t] : -FLT_MAX;                                        \
        s[t] = v;                                                                 \
        __syncthreads();                                                          \
        _Pragma("unroll 1") for (int d = 64; d > 0; d >>= 1)                      \
        {                                                                         \
            if (t < d)                                                            \
                s[t] = fmaxf(s[t], s[t + d]);                                     \
            __syncthreads();                                                      \
        }                                                                         \
        float m = s[0];                                                           \
        __syncthreads();                                                          \
        float e = t < n ? expf(v - m) : 0.0f;                                     \
        s[t] = e;                                                                 \
        __syncthreads();                                                          \
        _Pragma("unroll 1") for (int d = 64; d > 0; d >>= 1)                      \
        {                                                                         \
            if (t < d)                                                            \
                s[t] += s[t + d];                                                 \
            __syncthreads();                                                      \
        }                                                                         \
        float u = s[0];                                                           \
        if (t < n)                                                                \
            y[t] = QUOTIENT;                                                      \
    }
DIVIDED(times_inverse_kernel, e *(1.0f / u))
DIVIDED(times_rounded_inverse_kernel, e *__frcp_rn(u))
DIVIDED(times_double_inverse_kernel, e *(2.0f / u))

// By index, as wide as the block; WHERE: the element that is taken for the result.
#define BY_INDEX(NAME, WHERE)                                                                  \
    extern "C" __global__ void NAME(const float *__restrict__ x, float *__restrict__ y, int n) \
    {                                                                                          \
        extern __shared__ float s[];                                                           \
        int t = threadIdx.x;                                                                   \
        s[t] = x[blockIdx.x * blockDim.x + t];                                                 \
        __syncthreads();                                                                       \
        for (unsigned d = 1; d < blockDim.x; d *= 2) {                                         \
            unsigned i = 2 * d * t;                                                            \
            if (i < blockDim.x)                                                                \
                s[i] += s[i + d];                                                              \
            __syncthreads();                                                                   \
        }                                                                                      \
        if (t == 0)                                                                            \
            y[blockIdx.x] = s[WHERE];                                                          \
    }
BY_INDEX(by_index_kernel, 0)
BY_INDEX(by_index_elsewhere_kernel, n)

// Eight warps bring what the first one takes 32 of.
extern "C" __global__ void warps_unfilled_kernel(const float *__restrict__ x, float *__restrict__ y)
{
    __shared__ float w[32];
    int t = threadIdx.x;
    float v = x[blockIdx.x * 256 + t];
    for (int o = 16; o; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    if ((t & 31) == 0)
        w[t >> 5] = v;
    __syncthreads();
    if (t < 32) {
        v = w[t];
        for (int o = 16; o; o >>= 1)
            v += __shfl_xor_sync(0xffffffffu, v, o);
        if (t == 0)
            y[blockIdx.x] = v;
    }
}
