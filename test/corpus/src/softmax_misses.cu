// Kernels that look like a softmax and differ from one in a start, in a range or in who takes part; two that are one.
#include <cmath>

__device__ __forceinline__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ __forceinline__ float plus(float a, float b) { return a + b; }

// What all threads of the block bring, combined: a tree in shared memory.
template <float (*op)(float, float)>
__device__ __forceinline__ float gather(float* s, float v) {
  unsigned t = threadIdx.x;
  __syncthreads();
  s[t] = v;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] = op(s[t], s[t + d]);
    __syncthreads();
  }
  return s[0];
}

// One row a thread, three passes: the maximum from `m` over the elements before `end` of row q, the sum from `s` over each
// `by`th from `from` on.
__device__ __forceinline__ void row(const float* q, const float* r, float* y, int cols, float m, int end, float s, int from,
                                    int by) {
#pragma unroll 1
  for (int j = 0; j < end; j++) m = fmaxf(m, q[j]);
#pragma unroll 1
  for (int j = from; j < cols; j += by) s += expf(r[j] - m);
#pragma unroll 1
  for (int j = 0; j < cols; j++) y[j] = expf(r[j] - m) / s;
}

#define ROW()                                      \
  int i = blockIdx.x * blockDim.x + threadIdx.x;   \
  if (i >= rows) return;                           \
  const float* r = x + (size_t)i * cols;           \
  y += (size_t)i * cols

__global__ void row_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  row(r, r, y, cols, -INFINITY, cols, 0.0f, 0, 1);
}
__global__ void row_from_first_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  row(r, r, y, cols, r[0], cols, 0.0f, 0, 1);
}
__global__ void sum_from_one_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  row(r, r, y, cols, -INFINITY, cols, 1.0f, 0, 1);
}
__global__ void maximum_from_zero_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  row(r, r, y, cols, 0.0f, cols, 0.0f, 0, 1);
}
__global__ void sum_without_first_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  row(r, r, y, cols, -INFINITY, cols, 0.0f, 1, 1);
}
__global__ void sum_of_every_second_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  row(r, r, y, cols, -INFINITY, cols, 0.0f, 0, 2);
}
__global__ void maximum_of_half_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  row(r, r, y, cols, -INFINITY, cols / 2, 0.0f, 0, 1);
}
__global__ void maximum_of_next_row_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  row(r + cols, r, y, cols, -INFINITY, cols, 0.0f, 0, 1);
}

// Running maximum and sum from other numbers than nothing.
__device__ __forceinline__ void running(const float* r, float* y, int cols, float m, float s) {
  for (int j = 0; j < cols; j++) {
    float v = r[j], n = fmaxf(m, v);
    s = s * expf(m - n) + expf(v - n);
    m = n;
  }
  for (int j = 0; j < cols; j++) y[j] = expf(r[j] - m) / s;
}
__global__ void running_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  running(r, y, cols, -INFINITY, 0.0f);
}
__global__ void running_sum_from_one_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  running(r, y, cols, -INFINITY, 1.0f);
}
__global__ void running_maximum_from_zero_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  ROW();
  running(r, y, cols, 0.0f, 0.0f);
}

// One row a block, an element a thread.
__global__ void block_next_row_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  float m = gather<larger>(s, t < n ? x[(blockIdx.x + 1) * n + t] : -INFINITY);
  float e = t < n ? expf(x[blockIdx.x * n + t] - m) : 0.0f;
  float sum = gather<plus>(s, e);
  if (t < n) y[blockIdx.x * n + t] = e / sum;
}
__global__ void block_column_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[1024];
  float m = gather<larger>(s, x[threadIdx.x * n + blockIdx.x]);
  float e = expf(x[blockIdx.x * blockDim.x + threadIdx.x] - m);
  y[blockIdx.x * blockDim.x + threadIdx.x] = e / gather<plus>(s, e);
}
__global__ void block_zero_for_absent_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  float v = t < n ? x[blockIdx.x * n + t] : 0.0f;
  float m = gather<larger>(s, v);
  float e = t < n ? expf(v - m) : 0.0f;
  float sum = gather<plus>(s, e);
  if (t < n) y[blockIdx.x * n + t] = e / sum;
}
__global__ void block_one_left_out_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  float v = x[blockIdx.x * blockDim.x + t];
  float m = gather<larger>(s, t == 0 ? -INFINITY : v);
  float e = expf(v - m);
  float sum = gather<plus>(s, t == 0 ? 0.0f : e);
  y[blockIdx.x * blockDim.x + t] = e / sum;
}
__global__ void block_shifted_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  float v = t < n ? x[blockIdx.x * n + t] : -INFINITY;
  float m = gather<larger>(s, v);
  float sum = gather<plus>(s, t < n ? expf(v - m) : 0.0f);
  if (t < n) y[blockIdx.x * n + t] = expf(x[blockIdx.x * n + t + 1] - m) / sum;
}

// One row a block, several elements a thread.
__device__ __forceinline__ float own_maximum(const float* r, int end) {
  float m = -INFINITY;
#pragma unroll 1
  for (int j = threadIdx.x; j < end; j += blockDim.x) m = fmaxf(m, r[j]);
  return m;
}
__device__ __forceinline__ float own_sum(const float* r, int n, float m) {
  float s = 0.0f;
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += blockDim.x) s += expf(r[j] - m);
  return s;
}
__device__ __forceinline__ void write(const float* r, float* y, int n, float m, float s) {
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += blockDim.x) y[j] = expf(r[j] - m) / s;
}
__global__ void strided_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[1024];
  const float* r = x + blockIdx.x * n;
  float m = gather<larger>(s, own_maximum(r, n));
  write(r, y + blockIdx.x * n, n, m, gather<plus>(s, own_sum(r, n, m)));
}
__global__ void strided_half_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[1024];
  const float* r = x + blockIdx.x * n;
  float m = gather<larger>(s, own_maximum(r, n / 2));
  write(r, y + blockIdx.x * n, n, m, gather<plus>(s, own_sum(r, n, m)));
}
__global__ void strided_own_sum_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[1024];
  const float* r = x + blockIdx.x * n;
  float m = gather<larger>(s, own_maximum(r, n));
  write(r, y + blockIdx.x * n, n, m, own_sum(r, n, m));
}
__global__ void strided_own_maximum_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[1024];
  const float* r = x + blockIdx.x * n;
  float m = own_maximum(r, n);
  write(r, y + blockIdx.x * n, n, m, gather<plus>(s, own_sum(r, n, m)));
}

// The maximum of half a warp, the sum of all of it.
__global__ void half_warp_maximum_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float v = x[blockIdx.x * 32 + threadIdx.x], m = v;
  for (int d = 8; d > 0; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  float e = expf(v - m), s = e;
  for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  y[blockIdx.x * 32 + threadIdx.x] = e / s;
}

// Eight elements a thread, loops unrolled: the sum is of every second.
__global__ void short_row_kernel(const float* __restrict__ x, float* __restrict__ y, int rows) {
  const int cols = 8;
  ROW();
  float m = -INFINITY, s = 0.0f;
  for (int j = 0; j < 8; j++) m = fmaxf(m, r[j]);
  for (int j = 0; j < 8; j += 2) s += expf(r[j] - m);
  for (int j = 0; j < 8; j++) y[j] = expf(r[j] - m) / s;
}
