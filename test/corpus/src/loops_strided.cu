// Loops by wide strides, from any first value, up and down, that the compilers cut in pieces: each is one loop, and its
// counter, its first value and its end are those written here.

__global__ void by_threads_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256)
        sum += x[i];
    y[threadIdx.x] = sum;
}

__global__ void by_threads_unsigned_kernel(const float *__restrict__ x, float *__restrict__ y, unsigned n)
{
    float sum = 0.0f;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < n; i += 128)
        sum += x[i];
    y[threadIdx.x] = sum;
}

__global__ void from_to_kernel(const float *__restrict__ x, float *__restrict__ y, int from, int to)
{
    float sum = 0.0f;
    for (int i = from; i < to; i += 4)
        sum += x[i];
    y[threadIdx.x] = sum;
}

__global__ void through_by_sevens_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float sum = 0.0f;
    for (int i = 0; i <= n; i += 7)
        sum += x[i];
    y[threadIdx.x] = sum;
}

__global__ void down_by_threes_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float sum = 0.0f;
    for (int i = n - 1; i >= 0; i -= 3)
        sum += x[i];
    y[threadIdx.x] = sum;
}

__global__ void loaded_bound_kernel(const float *__restrict__ x, const int *__restrict__ sizes, float *__restrict__ y)
{
    float sum = 0.0f;
    int n = sizes[blockIdx.x];
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}

__global__ void by_fives_unrolled_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float sum = 0.0f;
#pragma unroll 5
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}

// Each copy of the body has its test.
__global__ void grid_by_four_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float sum = 0.0f;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i];
    y[threadIdx.x] = sum;
}

// The test stands before the counter goes on; the value it had is stored.
__global__ void square_root_kernel(int *__restrict__ y, int n)
{
    int i = 0;
    for (; i * i < n; i++)
        ;
    y[threadIdx.x] = i;
}

// No accumulator: stores show the pieces. Some architectures count the rest's elements by their bits.
__global__ void store_by_threads_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    for (int i = threadIdx.x; i < n; i += 128)
        y[i] = x[i] * 2.0f;
}

// The end is not n from a thousand on.
__global__ void at_most_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float sum = 0.0f;
    int end = n < 1000 ? n : 1000;
    for (int i = 0; i < end; i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}

__global__ void at_most_by_fours_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float sum = 0.0f;
    int end = n < 1000 ? n : 1000;
    for (int i = 0; i < end; i += 4)
        sum += x[i];
    y[threadIdx.x] = sum;
}
