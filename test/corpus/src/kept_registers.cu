// Functions whose address is taken keep registers for their callers: in front of and behind arrays that they fill.
__device__ __noinline__ float trig(float a, float b)
{
    return a * b + sinf(a);
}
__device__ __noinline__ int pick(const int *x, int k, int m)
{
    int a[8];
    for (int j = 0; j < 8; j++)
        a[j] = x[j + k];
    a[m & 7] += 5;
    int s = 0;
#pragma unroll 1
    for (int j = 0; j < 8; j++)
        s = s * 3 + a[(j + m) & 7];
    return s + (int)sinf(s);
}
__device__ __noinline__ float line(float a, float b)
{
    return a * b + a;
}
__device__ float (*table_of_floats[2])(float, float) = {trig, line};
__device__ int (*table_of_pick[1])(const int *, int, int) = {pick};

extern "C" __global__ void keep_index(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = trig(x[i], x[i + 1]) + trig(x[i + 2], 2.f);
}
extern "C" __global__ void keep_value(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = x[i] * 7, w = x[i + n];
        y[i] = v + w * pick(x, i, v);
    }
}
extern "C" __global__ void call_either(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = table_of_floats[i & 1](x[i], 1.f);
}
