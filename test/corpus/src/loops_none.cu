// Loops that nobody wrote: steps of a longer sum that look alike, sums written out, a chain of one accumulator within the
// step of two, turns that are left over.

// Each element is made of two others, some of which are new by then; no few of them are a loop of their own.
__global__ void ring_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[32], s = 0.0f;
#pragma unroll
  for (int k = 0; k < 32; ++k) a[k] = x[k * n + i];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; ++k) a[k] = a[k] * a[(k + 7) & 31] + a[(k + 13) & 31];
#pragma unroll
  for (int k = 0; k < 32; ++k) s += a[k] * a[31 - k];
  y[i] = s;
}

// No loop, however many there are.
__global__ void written_sum_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + x[i + n] + x[i + 2 * n] + x[i + 3 * n] + x[i + 4 * n] + x[i + 5 * n] + x[i + 6 * n] + x[i + 7 * n];
}

__global__ void biased_taps_kernel(const float* __restrict__ x, float* __restrict__ y, float bias) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = bias + x[i] + x[i + 1] + x[i + 2] + x[i + 3];
}

// One loop: it starts from zero.
__global__ void eight_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; ++k) s += x[i + k * n];
  y[i] = s;
}

// Two accumulators, one loop.
__global__ void highest_sum_kernel(const int* __restrict__ x, int* __restrict__ y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x, c = 0, m = 0;
  for (int i = 0; i < n; ++i) {
    c = max(0, c + x[r * n + i]);
    m = max(m, c);
  }
  y[r] = m;
}

// What is left over of the inner loop stands in the outer one; it is no work of that one's own.
__global__ void guarded_taps_kernel(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int W,
                                    int K) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  float a = 0.0f;
  for (int i = 0; i < K; ++i)
    for (int j = 0; j < K; ++j) {
      int cc = c + j - K / 2;
      if (cc >= 0 && cc < W) a += x[(r + i) * W + cc] * w[i * K + j];
    }
  y[r * W + c] = a;
}

// Five do not divide sixteen: one step is taken out before the loop of fifteen.
__global__ void tile_by_fives_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float A[16][16], B[16][16];
  int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16 + y, q = blockIdx.x * 16 + x;
  float s = 0.0f;
  for (int t = 0; t < n / 16; ++t) {
    A[y][x] = a[r * n + t * 16 + x];
    B[y][x] = b[(t * 16 + y) * n + q];
    __syncthreads();
#pragma unroll 5
    for (int k = 0; k < 16; ++k) s += A[y][k] * B[k][x];
    __syncthreads();
  }
  c[r * n + q] = s;
}
