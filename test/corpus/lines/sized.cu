// Two kernels over two files, compiled so that the line table records the sizes of both.
#include "sized.cuh"

template <int N, typename T>
__global__ void squares(const T *__restrict__ x, T *__restrict__ y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T acc = 0;
#pragma unroll
    for (int k = 0; k < N; k++)
        acc = square_plus<T>(x[i * N + k], acc);
    y[i] = CLIP(acc, T(1));
}
template __global__ void squares<4, float>(const float *, float *, int);

extern "C" __global__ void strided(float *y, const float *x, int n, float a)
{
    const int tid = threadIdx.x;
    float s = 0.0f;
    for (int j = tid; j < n; j += blockDim.x) {
        float t = x[j] * a;
        s = t + s;
    }
    y[tid] = thrice(s) > 0.0f ? s : 0.0f;
}
