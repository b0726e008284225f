// Line tables with two levels of inlining, a subroutine, a division with its slow path, a constant table, launch bounds and
// parameters of six types. The #line makes the recorded path the same on every machine.
#line 1 "/kernels/lines.cu"
__device__ __noinline__ float callee(float x) { return x * x + 1.0f; }
__device__ __forceinline__ float f2(float x) { return x * 3.0f + 1.0f; }
__device__ __forceinline__ float f1(float x)
{
    return f2(x) * 2.0f;
}
__constant__ float table[4] = {1, 2, 3, 4};

__global__ void __launch_bounds__(256) inlined(const float *__restrict__ x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = f1(x[i]) + table[i & 3];
}

__global__ void calling(float *y)
{
    y[threadIdx.x] = callee(y[threadIdx.x]) / y[threadIdx.x + 64];
}

struct Four {
    float a, b, c, d;
};
extern "C" __global__ void params(char a, short b, double c, Four d, const void *e, int f)
{
    ((int *)e)[0] = a + b + (int)c + (int)d.b + f;
}
