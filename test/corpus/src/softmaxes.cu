// Softmax, whole and running, in other forms; and loops that look like it.
#include <cfloat>

// One warp, one row: the row in a register, maximum and sum by shuffles.
__global__ void softmax_warp_kernel(const float* __restrict__ x, float* __restrict__ y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float v = x[i];
  float m = v;
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
  float e = expf(v - m);
  float s = e;
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
  y[i] = e / s;
}

// 128 threads, trees of constant size, the exponential in shared memory only.
__global__ void softmax_constant_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  float v = x[i];
  s[t] = v;
  __syncthreads();
#pragma unroll
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  float m = s[0];
  __syncthreads();
  float e = expf(v - m);
  s[t] = e;
  __syncthreads();
#pragma unroll
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  y[i] = e / s[0];
}

// One thread a row, three passes: maximum, sum, quotient. Nothing runs online.
__global__ void softmax_three_pass_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + row * cols;
  float* out = y + row * cols;
  float m = -FLT_MAX;
  for (int j = 0; j < cols; ++j) m = fmaxf(m, in[j]);
  float s = 0.0f;
  for (int j = 0; j < cols; ++j) s += expf(in[j] - m);
  for (int j = 0; j < cols; ++j) out[j] = expf(in[j] - m) / s;
}

// The running form with fmaxf, no unrolling.
__global__ void online_call_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float m = -FLT_MAX, s = 0.0f;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) {
    float v = x[row * cols + j];
    float w = fmaxf(m, v);
    s = s * expf(m - w) + expf(v - w);
    m = w;
  }
#pragma unroll 1
  for (int j = 0; j < cols; ++j) y[row * cols + j] = expf(x[row * cols + j] - m) / s;
}

// The running form with a branch: rescales only when the maximum grows.
__global__ void online_branch_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float m = -FLT_MAX, s = 0.0f;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) {
    float v = x[row * cols + j];
    if (v > m) {
      s = s * expf(m - v) + 1.0f;
      m = v;
    } else {
      s += expf(v - m);
    }
  }
#pragma unroll 1
  for (int j = 0; j < cols; ++j) y[row * cols + j] = expf(x[row * cols + j] - m) / s;
}

// A running maximum, and a sum that is not rescaled when it grows: no softmax.
__global__ void running_without_rescale_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float m = -FLT_MAX, s = 0.0f;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) {
    float v = x[row * cols + j];
    m = fmaxf(m, v);
    s += expf(v - m);
  }
  y[row] = m + s;
}

// Rescaled by the wrong maximum (the new one minus the old one).
__global__ void rescale_inverted_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float m = -FLT_MAX, s = 0.0f;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) {
    float v = x[row * cols + j];
    float w = fmaxf(m, v);
    s = s * expf(w - m) + expf(v - w);
    m = w;
  }
  y[row] = m + s;
}

// The running maximum and sum are kept, nothing is divided: the first half only.
__global__ void log_sum_exp_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float m = -FLT_MAX, s = 0.0f;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) {
    float v = x[row * cols + j];
    float w = fmaxf(m, v);
    s = s * expf(m - w) + expf(v - w);
    m = w;
  }
  y[row] = m + logf(s);
}

// Exponentials and quotients that are something else.
__global__ void exp2_of_multiple_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = exp2f(x[i] * 1.5f);
}

__global__ void exp2_plain_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = exp2f(x[i]);
}

__global__ void exp_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = expf(x[i]);
}

__global__ void divide_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] / b[i];
}

__global__ void divide_in_double_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                        double* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] / b[i];
}

__global__ void divide_integers_kernel(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                                       unsigned* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] / b[i];
}

__global__ void root_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(x[i]);
}

// A division that shares its kernel with a multiply-add of the user's own.
__global__ void divide_and_add_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] / b[i] * 3.0f + b[i];
}
