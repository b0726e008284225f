// Values that machines hold in pieces or that go round loops within loops, and where they are told as what they are:
// numbers of 64 bits in two registers, truths in half a register, what a barrier counts, quotients that share a
// reciprocal, indices too long for a line, functions of doubles in the middle of a sum.

// One state of 64 bits, multiplied by a number whose upper word is not zero.
extern "C" __global__ void generator(unsigned long long *state, float *sum, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long s = state[i];
    float a = 0.0f;
    for (int k = 0; k < turns; k++) {
        s = s * 6364136223846793005ULL + 1442695040888963407ULL;
        a += (float)(unsigned)(s >> 40);
    }
    state[i] = s;
    sum[i] = a;
}

// A byte that is found out in a loop.
extern "C" __global__ void primes(const int *number, unsigned char *prime)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = number[i];
    bool p = v > 1;
    for (int k = 2; k * k <= v; k++)
        if (v % k == 0) {
            p = false;
            break;
        }
    prime[i] = p;
}

// What all threads of a block bring to a barrier, counted, and whether any brings it.
extern "C" __global__ void counted(const float *x, int *y, float bound)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = __syncthreads_count(x[i] > bound);
    int any = __syncthreads_or(x[i] < 0.0f);
    if (threadIdx.x == 0)
        y[blockIdx.x] = count + any;
}

// Neighbours on a ring: the divided number holds the divisor.
extern "C" __global__ void ring(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[(i + n - 1) % n] + x[(i + n + 1) % n];
}

// Blocks along diagonals: an index that is chosen, and long.
extern "C" __global__ void diagonal(const float *x, float *y, int width, int height)
{
    int by, bx;
    if (width == height) {
        by = blockIdx.x;
        bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int b = blockIdx.x + gridDim.x * blockIdx.y;
        by = b % gridDim.y;
        bx = (b / gridDim.y + by) % gridDim.x;
    }
    int in = bx * 32 + threadIdx.x + (by * 32 + threadIdx.y) * width;
    int out = by * 32 + threadIdx.x + (bx * 32 + threadIdx.y) * height;
    y[out] = x[in] * 2.0f;
}

// A loop that hands its sum to the loop within, turn by turn.
extern "C" __global__ void nested(const float *a, const float *b, float *c, int rows, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < columns; k++)
            s += a[r * columns + k] * b[(r * columns + k) * rows + i];
    c[i] = s;
}

// One that does something to it itself, and one that stores what comes into its turns: two variables, each.
extern "C" __global__ void halved(const float *a, float *c, int rows, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < columns; k++)
            s += a[(i * rows + r) * columns + k];
        s *= 0.5f;
    }
    c[i] = s;
}

extern "C" __global__ void running(const float *a, float *c, int rows, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int r = 0; r < rows; r++) {
        c[r * 64 + i] = s;
        for (int k = 0; k < columns; k++)
            s += a[(i * rows + r) * columns + k];
    }
    c[rows * 64 + i] = s;
}

// A function of doubles whose result is computed with.
extern "C" __global__ void wave(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sin(x[i]) + 1.0;
}

// A branch by a table.
extern "C" __global__ void cases(const int *kind, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = y[i];
    switch (kind[i]) {
    case 0: v = v * 2.0f + 1.0f; break;
    case 1: v = v - 7.0f; break;
    case 2: v = v * v * v; break;
    case 3: v = v * 0.25f; break;
    case 4: v = fabsf(v) + 3.0f; break;
    case 5: v = -v; break;
    default: v = -1.0f;
    }
    y[i] = v;
}
