// One variable of the source each, however many pieces a compiler leaves of its loop: integer sums are put together in
// any order, inner loops add to what goes round the outer one, two numbers share a register.
#include <cuda_fp16.h>

__global__ void int_sum_kernel(const int *__restrict__ x, int *__restrict__ y, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i * 64 + threadIdx.x];
    y[threadIdx.x] = sum;
}

__global__ void int_matrix_kernel(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// Each sum on the way is looked at: in order.
__global__ void running_sum_kernel(const int *__restrict__ x, int *__restrict__ y, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i * 64 + threadIdx.x];
        y[i * 64 + threadIdx.x] = sum;
    }
}

__global__ void nested_sum_kernel(const float *__restrict__ x, float *__restrict__ y, int a, int b)
{
    float sum = 0.0f;
    for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++)
            sum += x[(i * b + j) * 32 + threadIdx.x];
    y[threadIdx.x] = sum;
}

// Two variables: the sum, and what it was a turn ago.
__global__ void last_two_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float last = 0.0f, before = 0.0f;
    for (int i = 0; i < n; i++) {
        before = last;
        last += x[i * 64 + threadIdx.x];
    }
    y[threadIdx.x] = last - before;
}

// Two numbers in one register, both summed up by themselves.
__global__ void half2_sum_kernel(const __half2 *__restrict__ x, __half2 *__restrict__ y, int n)
{
    __half2 sum = __float2half2_rn(0.0f);
    for (int i = 0; i < n; i++)
        sum = __hadd2(sum, x[i * 32 + threadIdx.x]);
    y[threadIdx.x] = sum;
}

// A copy: the upper halves of the registers are nobody's.
__global__ void masked_half_kernel(const __half *__restrict__ x, __half *__restrict__ y, int n)
{
    for (int i = 0; i < n; i++) {
        int j = i * 32 + threadIdx.x;
        __half v = __float2half(0.0f);
        if (j < n)
            v = x[j];
        y[j] = v;
    }
}
