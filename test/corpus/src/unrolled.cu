// The laboratory's loops with the unrolling told: -DUNROLL=1 or 4.
#include <cfloat>

#define PRAGMA(X) _Pragma(#X)
#define UNROLL_BY(N) PRAGMA(unroll N)

__global__ void reduce_sum_unroll_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float sdata[];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0.0f;
  if (i < n) v = x[i];
  sdata[tid] = v;
  __syncthreads();
  UNROLL_BY(UNROLL)
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) sdata[tid] += sdata[tid + stride];
    __syncthreads();
  }
  if (tid == 0) y[blockIdx.x] = sdata[0];
}

__global__ void online_softmax_unroll_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float m = -FLT_MAX, s = 0.0f;
  UNROLL_BY(UNROLL)
  for (int j = 0; j < cols; ++j) {
    float v = x[row * cols + j];
    float new_m = v > m ? v : m;
    s = s * expf(m - new_m) + expf(v - new_m);
    m = new_m;
  }
  UNROLL_BY(UNROLL)
  for (int j = 0; j < cols; ++j) y[row * cols + j] = expf(x[row * cols + j] - m) / s;
}

__global__ void dot_rows_unroll_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y,
                                       int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float s = 0.0f;
  UNROLL_BY(UNROLL)
  for (int j = 0; j < cols; ++j) s += a[row * cols + j] * b[row * cols + j];
  y[row] = s;
}

// 256 turns: known to the compiler.
__global__ void dot_256_unroll_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y,
                                      int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float s = 0.0f;
  UNROLL_BY(UNROLL)
  for (int j = 0; j < 256; ++j) s += a[row * 256 + j] * b[row * 256 + j];
  y[row] = s;
}

__global__ void sum_int_unroll_kernel(const int* __restrict__ x, int* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int s = 0;
  UNROLL_BY(UNROLL)
  for (int j = 0; j < cols; ++j) s += x[row * cols + j];
  y[row] = s;
}

__global__ void scale_rows_unroll_kernel(const float* __restrict__ x, float* __restrict__ y, float k, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  UNROLL_BY(UNROLL)
  for (int j = 0; j < cols; ++j) y[row * cols + j] = k * x[row * cols + j];
}
