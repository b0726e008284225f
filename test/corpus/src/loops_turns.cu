// Turns of the machine's loops that hold several steps of the source's: what is told of one step must hold for each, with
// the counter as it is told. And loops that take up an accumulator: each is its own.

// One of every two elements, though the loop is cut into steps of one.
__global__ void odds_and_evens_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float odd = 0.0f, even = 0.0f;
    for (int i = 0; i < n; i++)
        if (i & 1)
            odd += x[i];
        else
            even += x[i];
    y[threadIdx.x] = odd - even;
}

// An integer sum is made in any order; a step is one element.
__global__ void counted_sum_kernel(const int *__restrict__ x, int *__restrict__ y)
{
    int sum = 0;
    for (int i = 0; i < 960; i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}

// The source takes four together and counts by four.
__global__ void by_fours_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; i += 4) {
        sum += x[i];
        sum += x[i + 1];
        sum += x[i + 2];
        sum += x[i + 3];
    }
    y[threadIdx.x] = sum;
}

// Two loops, though the second goes on where the first ended.
__global__ void goes_on_kernel(const float *__restrict__ x, float *__restrict__ y, int n, int m)
{
    float sum = 0.0f;
    int i = 0;
#pragma unroll 1
    for (; i < n; i++)
        sum += x[i];
#pragma unroll 1
    for (; i < m; i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}

// The second begins with the square of what the first left.
__global__ void squared_between_kernel(const float *__restrict__ x, float *__restrict__ y, int n, int m)
{
    float sum = 0.0f;
    int i = 0;
    for (; i < n; i++)
        sum += x[i];
    sum = sum * sum;
    for (; i < m; i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}

// Every other element is stored, then each.
__global__ void stores_apart_kernel(float *y, int n, int m)
{
    int i = 0;
#pragma unroll 1
    for (; i < n; i += 2)
        y[i] = 1.0f;
#pragma unroll 1
    for (; i < m; i++)
        y[i] = 1.0f;
}

// The largest, beginning with the sum.
__global__ void sum_then_largest_kernel(const float *__restrict__ x, const float *__restrict__ z, float *__restrict__ y,
                                        int n, int m)
{
    float v = 0.0f;
    for (int i = 0; i < n; i++)
        v += x[i];
    for (int i = 0; i < m; i++)
        v = fmaxf(v, z[i]);
    y[threadIdx.x] = v;
}
