// Compiled to be linked (-rdc=true): the places of shared arrays stand in relocations.
extern __shared__ float dynamic[];

extern "C" __global__ void reversed_kernel(const float *x, float *y)
{
    __shared__ float s[256];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[255 - threadIdx.x];
}

extern "C" __global__ void turned_kernel(const float *x, float *y)
{
    __shared__ float s[32][33];
    s[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    y[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void unordered_kernel(const float *x, float *y)
{
    __shared__ float s[32][33];
    s[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
    y[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}

// Two arrays and one without a size: a store to one is not read from another (dynamic[] has 256 elements).
extern "C" __global__ void apart_kernel(const float *x, float *y, int n)
{
    __shared__ double d[256];
    __shared__ float s[256];
    s[threadIdx.x] = x[threadIdx.x];
    d[threadIdx.x] = x[threadIdx.x + 256];
    dynamic[threadIdx.x] = x[threadIdx.x + n];
    __syncthreads();
    y[threadIdx.x] = s[255 - threadIdx.x];
    y[threadIdx.x + 256] = d[255 - threadIdx.x];
    y[threadIdx.x + 512] = dynamic[threadIdx.x ^ 1];
}

extern "C" __global__ void summed_kernel(const float *x, float *y)
{
    __shared__ float s[256];
    s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = s[0];
}
