// Loops whose copies a compiler rewrote: no step is found twice in their bodies, or not in the same form, and counters
// alone say how the loop was cut. Each kernel holds as many loops as its source shows.

__global__ void recurrence_kernel(unsigned *y, int n)
{
    unsigned a = 0, b = threadIdx.x;
    for (int i = 0; i < n; i++) {
        unsigned next = a + b;
        a = b;
        b = next;
    }
    y[threadIdx.x] = a;
}

__global__ void running_sum_kernel(float *x, int n)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}

__global__ void delay_line_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float a = 0.0f, b = 0.0f;
    for (int i = 0; i < n; i++) {
        float c = x[i];
        y[i] = a + b + c;
        a = b;
        b = c;
    }
}

__global__ void compensated_kernel(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float sum = 0.0f, lost = 0.0f;
    for (int i = 0; i < n; i++) {
        float term = x[i] - lost, next = sum + term;
        lost = next - sum - term;
        sum = next;
    }
    y[threadIdx.x] = sum;
}

__global__ void byte_sum_kernel(const unsigned char *__restrict__ x, int *__restrict__ y, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}

__global__ void long_sum_kernel(const long long *__restrict__ x, long long *__restrict__ y, int n)
{
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}

// The inner loop's first steps, none to three of them, may stand before it.
__global__ void triangle_kernel(const float *__restrict__ a, float *__restrict__ y, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++)
            sum += a[i * n + k];
    y[threadIdx.x] = sum;
}

__global__ void by_fives_kernel(const float *__restrict__ a, float *__restrict__ y, int n)
{
    float sum = 0.0f;
    for (int j = 3; j < n; j += 5)
        sum += a[j * n + threadIdx.x];
    y[threadIdx.x] = sum;
}

// Two ways out: no condition on the counter alone ends it.
__global__ void left_early_kernel(const float *__restrict__ a, int *__restrict__ y, int n)
{
    int j = 0;
    for (; j < n; j++)
        if (a[j] < 0.0f)
            break;
    y[threadIdx.x] = j;
}

// A table of jumps in each turn: several ways lead to the remainder.
__global__ void table_kernel(const int *__restrict__ x, int *__restrict__ y, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        switch (x[i] & 7) {
        case 0: s += 1; break;
        case 1: s *= 3; break;
        case 2: s ^= 5; break;
        case 3: s -= i; break;
        case 4: s = s / 7; break;
        case 5: s <<= 1; break;
        case 6: s |= 9; break;
        default: s = ~s;
        }
    y[threadIdx.x] = s;
}
