// Loops whose counter is a signed number divided by a power of two: machine code adds its sign first, and tests in
// several ways whether anything is left. Where the number is never negative that is a shift.
#define START(t, s, x)                     \
    extern __shared__ float s[];           \
    int t = threadIdx.x;                   \
    s[t] = x[blockIdx.x * blockDim.x + t]; \
    __syncthreads()

extern "C" {
__global__ void halves_block_kernel(const float *__restrict__ x, float *__restrict__ y)
{
    START(t, s, x);
    int size = blockDim.x;
    for (int d = size / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}

__global__ void halves_number_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    START(t, s, x);
    for (int d = n / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}

__global__ void halves_while_kernel(const float *__restrict__ x, float *__restrict__ y)
{
    START(t, s, x);
    int d = blockDim.x / 2;
    while (d != 0) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
        d /= 2;
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}

__global__ void halves_first_kernel(const float *__restrict__ x, float *__restrict__ y)
{
    START(t, s, x);
    int d = blockDim.x;
    do {
        d /= 2;
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    } while (d > 1);
    if (t == 0)
        y[blockIdx.x] = s[0];
}

__global__ void quarters_kernel(const float *__restrict__ x, float *__restrict__ y)
{
    START(t, s, x);
    int size = blockDim.x;
    for (int d = size / 4; d > 0; d /= 4) {
        if (t < d)
            s[t] += s[t + d] + s[t + 2 * d] + s[t + 3 * d];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}

// A negative number goes to nothing as well: no shift does that.
__global__ void either_sign_kernel(float *y, int n)
{
    int sum = 0;
    for (int d = n; d != 0; d /= 2)
        sum += d;
    y[threadIdx.x] = sum;
}

// Halved upwards: 3 is followed by 2, not by 1.
__global__ void upper_half_kernel(const float *__restrict__ x, float *__restrict__ y)
{
    START(t, s, x);
    int d = blockDim.x;
    while (d > 1) {
        int h = (d + 1) / 2;
        if (t < d / 2)
            s[t] += s[t + h];
        __syncthreads();
        d = h;
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}
}
