// Loops that are easily told wrongly: steps before a loop that are, or are not, its first turns; a loop that goes on
// with what another left; bodies in which two steps take turns; words that a larger turn keeps in registers; bounds and
// counters that compilers spell in odd ways. Each kernel holds as many loops as its source shows.

// Two loops: the second goes on with the sum, over another array.
__global__ void before_kernel(const float *a, const float *b, float *y, int n)
{
    float sum = 0.0f;
    for (int j = 0; j < 8; j++)
        sum += a[j] * 2.0f;
    for (int k = 0; k < n; k++)
        sum += b[k] * 2.0f;
    y[threadIdx.x] = sum;
}

// Two loops: the same array, another way through it.
__global__ void apart_kernel(const float *a, float *y, int n)
{
    float sum = 0.0f;
    for (int j = 0; j < 12; j++)
        sum += a[j];
    for (int k = 0; k < n; k++)
        sum += a[k * 3];
    y[threadIdx.x] = sum;
}

// Some compilers take one turn, the tile's loop and barriers and all, out before the loop over tiles.
template <int size> __device__ void tiles(float *c, const float *a, const float *b, int across, int down)
{
    __shared__ float left[size][size], right[size][size];
    int x = threadIdx.x, y = threadIdx.y, first = across * size * blockIdx.y;
    float sum = 0.0f;
    for (int i = first, k = size * blockIdx.x; i <= first + across - 1; i += size, k += size * down) {
        left[y][x] = a[i + across * y + x];
        right[y][x] = b[k + down * y + x];
        __syncthreads();
#pragma unroll
        for (int m = 0; m < size; m++)
            sum += left[y][m] * right[m][x];
        __syncthreads();
    }
    c[down * (size * blockIdx.y + y) + size * blockIdx.x + x] = sum;
}

__global__ void tiles_8_kernel(float *c, const float *a, const float *b, int across, int down)
{
    tiles<8>(c, a, b, across, down);
}

__global__ void tiles_16_kernel(float *c, const float *a, const float *b, int across, int down)
{
    tiles<16>(c, a, b, across, down);
}

// Three loops: the window fills, then moves; a step of the second begins like one of the first.
__global__ void window_kernel(const float *x, float *y, int width, int r)
{
    float sum = 0.0f;
    for (int i = 0; i < r + 1; i++)
        sum += x[i];
    y[0] = sum;
    for (int i = 1; i < r + 1; i++) {
        sum += x[i + r];
        sum -= x[0];
        y[i] = sum;
    }
    for (int i = r + 1; i < width - r; i++) {
        sum += x[i + r];
        sum -= x[i - r - 1];
        y[i] = sum;
    }
}

__global__ void strided_kernel(const float *x, float *y, int n)
{
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256) {
        float v = fmaxf(x[blockIdx.x * n + i], 0.0f);
        sum += v;
        squares += v * v;
    }
    y[threadIdx.x] = sum;
    y[threadIdx.x + 256] = squares;
}

__global__ void triangular_kernel(const float *__restrict__ l, const float *__restrict__ b, float *__restrict__ x,
                                  int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) * n;
    for (int i = 0; i < n; i++) {
        float v = b[row + i];
        for (int j = 0; j < i; j++)
            v -= l[i * n + j] * x[row + j];
        x[row + i] = v / l[i * n + i];
    }
}

__global__ void signs_kernel(const float *x, float *y, int n)
{
    float sum = 0.0f, sign = 1.0f;
    for (int i = 0; i < n; i++) {
        sum += sign * x[i];
        sign = -sign;
    }
    y[threadIdx.x] = sum;
}

__global__ void even_and_odd_kernel(const float *x, float *y, int n)
{
    float odd = 0.0f, even = 0.0f;
    for (int i = 0; i < n; i++) {
        if (i & 1)
            odd += x[i];
        else
            even += x[i];
    }
    y[threadIdx.x] = odd * even;
}

__global__ void ring_kernel(const float *x, float *y, int n)
{
    __shared__ float ring[1024];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        ring[t * 4 + (i & 3)] = x[i * 256 + t];
        sum += ring[t * 4 + ((i + 1) & 3)];
    }
    y[t] = sum;
}

__global__ void quarters_kernel(const float *x, float *y, int d)
{
    float sum = 0.0f;
    while (d != 0) {
        sum += x[d];
        d /= 4;
    }
    y[threadIdx.x] = sum;
}

__global__ void down_to_kernel(const float *x, float *y, int d, int least)
{
    float sum = 0.0f;
    for (; d >= least; d /= 2)
        sum += x[d];
    y[threadIdx.x] = sum;
}

__global__ void lesser_kernel(const float *x, float *y, int n, int m)
{
    float sum = 0.0f;
    for (int i = 0; i < min(n, m); i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}

__global__ void lesser_unsigned_kernel(const float *x, float *y, unsigned n, unsigned m)
{
    float sum = 0.0f;
    for (unsigned i = 0; i < min(n, m); i++)
        sum += x[i];
    y[threadIdx.x] = sum;
}
