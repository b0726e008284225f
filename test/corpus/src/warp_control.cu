// Control flow that a compiler adds so that the lanes of a warp run together: no loop, no call, no branch of the source.
#include <cooperative_groups.h>

// The loop's ways out part for good at a barrier: it is left by a call that never returns.
extern "C" __global__ void pull_kernel(const float4 *p, float4 *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 s[128];
    float4 a = p[i];
    float x = 0, y = 0, z = 0;
    for (int k = 0; k < n; k += 128) {
        s[threadIdx.x] = p[k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++) {
            float dx = s[j].x - a.x, dy = s[j].y - a.y, dz = s[j].z - a.z;
            float w = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            w = w * w * w * s[j].w;
            x += dx * w;
            y += dy * w;
            z += dz * w;
        }
        __syncthreads();
    }
    f[i] = make_float4(x, y, z, 0);
}

// Lanes wait for each other before each turn, where a uniform register is used in it.
extern "C" __global__ void count_kernel(const unsigned char *x, unsigned *h, int n)
{
    __shared__ unsigned s[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        s[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[x[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (s[b])
            atomicAdd(&h[b], s[b]);
}

// All blocks meet: a branch asks whether the lanes run together before they come to the barrier.
extern "C" __global__ void grid_kernel(const float *x, float *t, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        t[i] = x[i] * x[i];
    cooperative_groups::this_grid().sync();
    if (i < n)
        y[i] = t[n - 1 - i] + 1.f;
}
