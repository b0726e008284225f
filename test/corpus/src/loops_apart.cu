// Loops whose remainders stand behind other loops, whose steps are branches or call a division's slow way, whose bounds
// are made of several numbers, or whose words go round in memory.
extern "C" {
// The running maximum and sum by branches, then what is made of both: the branch of the last step, and a slow way.
__global__ void branches_kernel(const float *__restrict__ x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float m = -INFINITY, s = 0;
    for (int j = 0; j < n; j++) {
        float v = x[r * n + j];
        if (v > m) {
            s = s * expf(m - v) + 1.0f;
            m = v;
        } else {
            s += expf(v - m);
        }
    }
    for (int j = 0; j < n; j++)
        y[r * n + j] = expf(x[r * n + j] - m) / s;
}

// Four slots of the thread's own: what a turn reads, the one before stored.
__global__ void ring_kernel(const float *__restrict__ x, float *y, int n)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        s[t * 4 + k] = x[t * 4 + k];
    float a = 0;
    for (int j = 0; j < n; j++) {
        a += s[t * 4 + (j & 3)];
        s[t * 4 + ((j + 1) & 3)] = a;
    }
    y[t] = a;
}

__global__ void twice_kernel(const float *x, float *y, int n)
{
    float s = 0;
    for (int j = 0; j < 2 * n; j++)
        s += x[j];
    y[threadIdx.x] = s;
}

__global__ void less_none_kernel(const float *x, float *y, int n)
{
    float s = 0;
    for (int j = 0; j < -n; j++)
        s += x[j];
    y[threadIdx.x] = s;
}

__global__ void at_least_kernel(const float *x, float *y, int n)
{
    float s = 0;
    int m = max(n, 16);
    for (int j = 0; j < m; j++)
        s += x[j];
    y[threadIdx.x] = s;
}

__global__ void at_most_kernel(const float *x, float *y, int n)
{
    float s = 0;
    int m = min(n, 16);
    for (int j = 0; j < m; j++)
        s += x[j];
    y[threadIdx.x] = s;
}

__global__ void up_to_self_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int j = 0; j <= i; j++)
        s += x[j];
    y[i] = s;
}

__global__ void from_self_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int j = 0; j < n - i; j++)
        s += x[j];
    y[i] = s;
}

__global__ void long_product_kernel(const float *x, float *y, long n, long m)
{
    float s = 0;
    for (long j = 0; j < n * m; j++)
        s += x[j];
    y[threadIdx.x] = s;
}

// One way of the step divides: the same routine is called in the loop and behind it.
__global__ void divides_twice_kernel(const float *x, float *y, int n)
{
    int t = threadIdx.x;
    float mean = 0, squares = 0;
    for (int k = 0; k < n; k++) {
        float v = x[t * n + k], d = v - mean;
        mean += d / (k + 1);
        squares += d * (v - mean);
    }
    y[2 * t] = mean;
    y[2 * t + 1] = squares / n;
}
}
