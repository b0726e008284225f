// Functions that stay functions: compiled to be linked, and without optimisation, each has a section of its own and a
// relocation at its calls says where they go.
extern __device__ float elsewhere(float x);

__device__ __noinline__ float scaled(float a, float b)
{
    return a * b + 1.0f;
}

__device__ __noinline__ float scaled_twice(float a)
{
    return scaled(a, 2.0f) * scaled(a, 3.0f);
}

__device__ __noinline__ float summed(const float *p, int n)
{
    float s = 0.0f;
    for (int k = 0; k < n; k++)
        s += p[k];
    return s;
}

__device__ __noinline__ double squared(double x)
{
    return x * x + 2.0;
}

__device__ __noinline__ void put(float *place, float v)
{
    *place = v + 3.0f;
}

__device__ __noinline__ float halved(float x, int n)
{
    return n < 2 ? x : 0.5f * halved(x, n / 2) + halved(x, n - 2);
}

// The block's sum; the warps' sums stand in an array that is the function's.
__device__ __noinline__ float of_block(float v)
{
    __shared__ float sums[32];
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    if ((threadIdx.x & 31) == 0)
        sums[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < 32 ? sums[threadIdx.x] : 0.0f;
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

extern "C" __global__ void leaf_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = scaled(x[i], x[i + 1]);
}

extern "C" __global__ void nested_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = scaled_twice(x[i]);
}

extern "C" __global__ void loop_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = summed(x + i, n) * y[i];
}

extern "C" __global__ void wide_kernel(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = squared(x[i]) - x[i];
}

extern "C" __global__ void stored_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        put(&y[i], x[i]);
}

extern "C" __global__ void frame_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t;
    if (i < n) {
        put(&t, x[i]);
        y[i] = t * x[i];
    }
}

// A tree whose step is a function.
extern "C" __global__ void tree_kernel(const float *x, float *y)
{
    __shared__ float s[256];
    s[threadIdx.x] = scaled(x[blockIdx.x * 256 + threadIdx.x], 5.0f);
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = s[0];
}

extern "C" __global__ void __launch_bounds__(1024) block_kernel(const float *x, float *y)
{
    float s = of_block(x[blockIdx.x * 1024 + threadIdx.x]);
    if (threadIdx.x == 0)
        y[blockIdx.x] = s;
}

// Not to be followed: code that is not here, a computed target, a function that calls itself.
extern "C" __global__ void elsewhere_kernel(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = elsewhere(x[i]);
}

extern "C" __global__ void computed_kernel(const float *x, float *y, float (*f)(float, float))
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = f(x[i], 2.0f);
}

extern "C" __global__ void recursive_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = halved(x[i], n);
}
