// Kernels in which a thread works for itself: loops of many kinds, gathers, votes.
#include <cfloat>

__constant__ float taps[9];

struct node {
  struct node* next;
  float value;
};

__global__ void saxpy_grid_stride_kernel(const float* __restrict__ x, float* __restrict__ y, float a, int n) {
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

__global__ void copy_strided_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i * stride];
}

__global__ void matmul_naive_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

// Mean first, then the squares of the distances.
__global__ void variance_two_pass_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) sum += x[row * cols + j];
  float mean = sum / cols;
  float squares = 0.0f;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) {
    float d = x[row * cols + j] - mean;
    squares += d * d;
  }
  y[row] = squares / cols;
}

// Mean and variance in one pass.
__global__ void welford_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float mean = 0.0f, m2 = 0.0f;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) {
    float v = x[row * cols + j];
    float d = v - mean;
    mean += d / (float)(j + 1);
    m2 += d * (v - mean);
  }
  y[row] = m2 / cols;
}

__global__ void convolution_constant_kernel(const float* __restrict__ x, float* __restrict__ y, int w, int h) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < 1 || r < 1 || c >= w - 1 || r >= h - 1) return;
  float sum = 0.0f;
#pragma unroll
  for (int j = -1; j <= 1; ++j)
#pragma unroll
    for (int k = -1; k <= 1; ++k) sum += taps[(j + 1) * 3 + k + 1] * x[(r + j) * w + c + k];
  y[r * w + c] = sum;
}

__global__ void vote_count_kernel(const float* __restrict__ x, unsigned* __restrict__ y, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffffu, x[i] > limit);
  if ((threadIdx.x & 31) == 0) y[i >> 5] = __popc(mask);
}

__global__ void pointer_chase_kernel(const node* const* __restrict__ heads, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
#pragma unroll 1
  for (const node* p = heads[i]; p != nullptr; p = p->next) sum += p->value;
  y[i] = sum;
}

// How often is a property of the data.
__global__ void mandelbrot_kernel(int* __restrict__ y, float scale, int limit, int w, int h) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= w || r >= h) return;
  float a = c * scale, b = r * scale, u = 0.0f, v = 0.0f;
  int k = 0;
#pragma unroll 1
  while (k < limit && u * u + v * v < 4.0f) {
    float t = u * u - v * v + a;
    v = 2.0f * u * v + b;
    u = t;
    ++k;
  }
  y[r * w + c] = k;
}

// Seven coefficients: eight fused multiply-adds in a chain, no loop left.
__global__ void polynomial_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const float k[8] = {0.5f, -1.25f, 3.0f, 0.125f, -2.0f, 7.0f, 1.5f, -0.75f};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = k[0];
#pragma unroll
  for (int j = 1; j < 8; ++j) s = s * v + k[j];
  y[i] = s;
}

// Coefficients from memory: a fold by Horner's rule.
__global__ void horner_kernel(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, int n,
                              int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = 0.0f;
#pragma unroll 1
  for (int j = 0; j <= degree; ++j) s = s * v + k[j];
  y[i] = s;
}

// A row of eight in registers: its maximum, then its sum. Two passes, nothing runs online.
__global__ void softmax_registers_kernel(const float* __restrict__ x, float* __restrict__ y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float v[8], m = -FLT_MAX, s = 0.0f;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    v[j] = x[row * 8 + j];
    m = fmaxf(m, v[j]);
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    v[j] = expf(v[j] - m);
    s += v[j];
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) y[row * 8 + j] = v[j] / s;
}

__global__ void gather_scatter_kernel(const float* __restrict__ x, const int* __restrict__ from, const int* __restrict__ to,
                                      float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[to[i]] = x[from[i]] * 2.0f;
}

// In place: reads what it then writes, through one pointer.
__global__ void in_place_kernel(float* y, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * k + 1.0f;
}

// Two loops in a row over the same elements that are no halves of one.
__global__ void max_then_sum_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float m = -FLT_MAX, s = 0.0f;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) m = fmaxf(m, x[row * cols + j]);
#pragma unroll 1
  for (int j = 0; j < cols; ++j) s += x[row * cols + j];
  y[row] = m * s;
}

// A loop that is left in the middle.
__global__ void first_above_kernel(const float* __restrict__ x, int* __restrict__ y, float limit, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int found = -1;
#pragma unroll 1
  for (int j = 0; j < cols; ++j) {
    if (x[row * cols + j] > limit) {
      found = j;
      break;
    }
  }
  y[row] = found;
}

// A loop in a loop.
__global__ void row_sums_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int r = t; r < rows; r += blockDim.x * gridDim.x) {
    float s = 0.0f;
#pragma unroll 1
    for (int c = 0; c < cols; ++c) s += x[r * cols + c];
    y[r] = s;
  }
}
