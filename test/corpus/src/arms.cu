// Expansions in one arm of a choice inside a loop; remainders that share one reciprocal; updates that the compiler makes
// once for a warp; accesses that nothing orders. Written for this project.

// Quick way, slow path and the other arm meet in one place.
extern "C" __global__ void arm_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    int t = threadIdx.x;
    float s = 0.0f;
#pragma unroll 1
    for (int j = 0; j < n; j++) {
        float v = x[j];
        s += v > 1.0f ? 2.0f / v : v * v;
    }
    y[t] = s;
}

extern "C" __global__ void root_arm_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    int t = threadIdx.x;
    float s = 0.0f;
#pragma unroll 1
    for (int j = 0; j < n; j++) {
        float v = x[j];
        s += v > 1.0f ? __fdividef(1.0f, v) : sqrtf(v);
    }
    y[t] = s;
}

// Twenty remainders by one number: its reciprocal is made once.
extern "C" __global__ void remainders_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
#pragma unroll
    for (int k = 0; k < 20; k++)
        s += x[(i * (k + 3)) % n];
    y[i] = s;
}

// Near miss: what looks like a remainder, but for a number added before the last choice.
extern "C" __global__ void no_remainder_kernel(const unsigned *__restrict__ x, unsigned *__restrict__ y, unsigned n) {
    unsigned i = threadIdx.x, a = x[i];
    unsigned q = __umulhi(a, __float2uint_rz(__uint_as_float(__float_as_uint(__frcp_rn((float)n)) + 0x0ffffffe)));
    unsigned r = a - q * n;
    r = r >= n ? r - n : r;
    y[i] = (r >= n ? r - n : r) + 1u;
}

// One update in the source; the machine reduces the values of a warp first.
extern "C" __global__ void tally_kernel(const int *__restrict__ x, int *__restrict__ y) {
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, x[threadIdx.x]);
    __syncthreads();
    y[threadIdx.x] = s;
}

// Near miss: the warp's sum is the kernel's own, and is added by its first lane.
extern "C" __global__ void own_tally_kernel(const int *__restrict__ x, int *__restrict__ y) {
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
#if __CUDA_ARCH__ >= 800
    int sum = __reduce_add_sync(0xffffffff, x[threadIdx.x]);
#else
    int sum = x[threadIdx.x];
    for (int d = 16; d; d >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
#endif
    if ((threadIdx.x & 31) == 0)
        atomicAdd(&s, sum);
    __syncthreads();
    y[threadIdx.x] = s;
}

// Nothing orders the first store before the updates.
extern "C" __global__ void hasty_kernel(const int *__restrict__ x, int *__restrict__ y) {
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    atomicAdd(&s, x[threadIdx.x]);
    __syncthreads();
    y[threadIdx.x] = s;
}

// A stencil with a halo, for blocks of 256.
template <bool waits> __device__ void stencil(const float *__restrict__ x, float *__restrict__ y, int n) {
    __shared__ float s[264];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t + 4] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (t < 4) {
        s[t] = i >= 4 ? x[i - 4] : 0.0f;
        s[t + 260] = i + 256 < n ? x[i + 256] : 0.0f;
    }
    if (waits)
        __syncthreads();
    float a = 0.0f;
    for (int d = -4; d <= 4; d++)
        a += s[t + 4 + d];
    if (i < n)
        y[i] = a;
}

extern "C" __global__ void halo_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    stencil<false>(x, y, n);
}

extern "C" __global__ void waited_halo_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    stencil<true>(x, y, n);
}

// 64 threads, four elements of a row each.
extern "C" __global__ void several_kernel(const float *__restrict__ x, float *__restrict__ y) {
    __shared__ float s[512];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = x[i];
    s[t + 64] = x[i + 64];
    s[t + 128] = x[i + 128];
    s[t + 192] = x[i + 192];
    __syncthreads();
    y[i] = s[63 - t] + s[127 - t] + s[191 - t] + s[255 - t];
    s[t + 256] = x[i + 1024];
    y[i + 64] = s[t + 4];
}

extern "C" __global__ void spread_kernel(const float *__restrict__ x, float *__restrict__ y) {
    __shared__ float s[512];
    int t = threadIdx.x;
    s[2 * t] = x[t];
    __syncthreads();
    y[t] = s[t];
}

// All threads add to one word. Near misses: the others wait; of a bit that is set each thread has set it; no thread reads
// another's word; a block of one warp.
extern "C" __global__ void counted_early_kernel(float *y)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, 1);
    y[threadIdx.x] = s;
}

extern "C" __global__ void counted_waited_kernel(float *y)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, 1);
    __syncthreads();
    y[threadIdx.x] = s;
}

extern "C" __global__ void flagged_kernel(int *y)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicOr(&s, 4);
    y[threadIdx.x] = s & 4;
}

extern "C" __global__ void own_word_kernel(const int *x, int *c, int *y)
{
    atomicAdd(&c[threadIdx.x], x[threadIdx.x]);
    y[threadIdx.x] = c[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(32) counted_by_warp_kernel(float *y)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, 1);
    __syncwarp();
    y[threadIdx.x] = s;
}
