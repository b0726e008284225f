// Copies of a step that do not look alike at once: where each asks where the counter stands, where buffers take turns, where
// halves are stored, where a stencil's first element is the thread's own, where a division has a slow way.
#include <cuda_fp16.h>

// Each of the unrolled steps asks j <= last: to the assembler every other one is !(last < j).
extern "C" __global__ void causal_kernel(const float *x, const int *ends, float *y, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, last = ends[r];
    float s = 0;
    for (int j = 0; j <= last; j++)
        s += x[r * n + j];
    for (int j = 0; j < n; j++)
        y[r * n + j] = j <= last ? x[r * n + j] * s : 0.0f;
}

// The steps alternate between two tiles; the last tile behind the loop does half of what a turn does.
extern "C" __global__ void two_tiles_kernel(const float *a, const float *b, float *c, int n)
{
    __shared__ float p[2][16][16], q[2][16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x, at = 0;
    float s = 0;
    p[0][y][x] = a[row * n + x];
    q[0][y][x] = b[y * n + column];
    __syncthreads();
    for (int k = 16; k < n; k += 16) {
        p[at ^ 1][y][x] = a[row * n + k + x];
        q[at ^ 1][y][x] = b[(k + y) * n + column];
#pragma unroll
        for (int i = 0; i < 16; i++)
            s += p[at][y][i] * q[at][i][x];
        __syncthreads();
        at ^= 1;
    }
#pragma unroll
    for (int i = 0; i < 16; i++)
        s += p[at][y][i] * q[at][i][x];
    c[row * n + column] = s;
}

extern "C" __global__ void scale_halves_kernel(const __half *x, const __half *g, __half *y, int n, float s)
{
    for (int j = threadIdx.x; j < n; j += 256)
        y[blockIdx.x * n + j] = __float2half(__half2float(x[blockIdx.x * n + j]) * s * __half2float(g[j]));
}

// No barrier behind the halo: what a thread put there itself is a choice between a register and the word.
extern "C" __global__ void nine_kernel(const float *x, float *y, int n)
{
    __shared__ float s[264];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t + 4] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (t < 4)
        s[t] = i >= 4 ? x[i - 4] : 0.0f;
    float a = 0;
    for (int d = 0; d <= 8; d++)
        a += s[t + d];
    if (i < n)
        y[i] = a / 9.0f;
}

// The running mean and the sum of squares around it.
extern "C" __global__ void welford_kernel(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float mean = 0, squares = 0;
    for (int k = 0; k < n; k++) {
        float v = x[r * n + k], d = v - mean;
        mean += d / (k + 1);
        squares += d * (v - mean);
    }
    y[2 * r] = mean;
    y[2 * r + 1] = squares / n;
}

extern "C" __global__ void threes_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = i; k < n; k += 32)
        for (int j = 0; j < 3; j++)
            s += x[k * 3 + j];
    y[i] = s;
}
