// Softmaxes whose elements are divided, masked or handed round the block, built without fast math: the last operation of
// a full exponential takes the sum with it. And some in which an element takes part in one of the loops only.
#include <cmath>

constexpr unsigned lanes = 0xffffffffu;
__device__ __forceinline__ float larger(float v) {
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(lanes, v, o));
  return v;
}
__device__ __forceinline__ float total(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(lanes, v, o);
  return v;
}

// One row a block, 256 elements at a time, a tree in shared memory; each element divided by one number.
#define TREE(OP) \
  s[t] = a; \
  __syncthreads(); \
  _Pragma("unroll 1") for (int d = 128; d > 0; d >>= 1) { \
    if (t < d) s[t] = OP; \
    __syncthreads(); \
  }
#define DIVIDED(NAME, BY) \
  __global__ void NAME(const float* __restrict__ x, float* __restrict__ y, int n, float by) { \
    __shared__ float s[256]; \
    int t = threadIdx.x; \
    x += (size_t)blockIdx.x * n; \
    y += (size_t)blockIdx.x * n; \
    float a = -INFINITY; \
    _Pragma("unroll 1") for (int k = t; k < n; k += 256) a = fmaxf(a, x[k] / by); \
    TREE(fmaxf(s[t], s[t + d])) \
    float m = s[0]; \
    __syncthreads(); \
    a = 0.0f; \
    _Pragma("unroll 1") for (int k = t; k < n; k += 256) a += expf(x[k] / (BY)-m); \
    TREE(s[t] + s[t + d]) \
    a = s[0]; \
    _Pragma("unroll 1") for (int k = t; k < n; k += 256) y[k] = expf(x[k] / by - m) / a; \
  }
DIVIDED(divided_kernel, by)
DIVIDED(divided_otherwise_kernel, by + 1.0f)

// One row a warp, the quotients in a loop with a remainder.
__global__ void warp_row_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, l = threadIdx.x & 31;
  if (r >= rows) return;
  x += r * n;
  y += r * n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = l; j < n; j += 32) m = fmaxf(m, x[j]);
  m = larger(m);
#pragma unroll 1
  for (int j = l; j < n; j += 32) s += expf(x[j] - m);
  s = total(s);
  for (int j = l; j < n; j += 32) y[j] = expf(x[j] - m) / s;
}

// The first warp takes the results of all warps, one thread hands its own to the block through one word.
#define HANDED(NAME, WAIT) \
  __global__ void NAME(const float* __restrict__ x, float* __restrict__ y, int n) { \
    __shared__ float w[8]; \
    __shared__ float word; \
    int t = threadIdx.x; \
    x += blockIdx.x * n; \
    float m = -INFINITY, s = 0.0f; \
    _Pragma("unroll 1") for (int j = t; j < n; j += 256) m = fmaxf(m, x[j]); \
    m = larger(m); \
    if ((t & 31) == 0) w[t >> 5] = m; \
    __syncthreads(); \
    if (t < 32) { \
      m = larger(t < 8 ? w[t] : -INFINITY); \
      if (t == 0) word = m; \
    } \
    __syncthreads(); \
    m = word; \
    _Pragma("unroll 1") for (int j = t; j < n; j += 256) s += expf(x[j] - m); \
    s = total(s); \
    __syncthreads(); \
    if ((t & 31) == 0) w[t >> 5] = s; \
    __syncthreads(); \
    if (t < 32) { \
      s = total(t < 8 ? w[t] : 0.0f); \
      if (t == 0) word = s; \
    } \
    WAIT; \
    s = word; \
    _Pragma("unroll 1") for (int j = t; j < n; j += 256) y[blockIdx.x * n + j] = expf(x[j] - m) / s; \
  }
HANDED(handed_kernel, __syncthreads())
HANDED(handed_early_kernel, )

// The larger of two by a choice, two steps a turn: the address of a step is made where some lane of the warp takes it.
__global__ void chosen_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  float v = t < n ? x[t] : -INFINITY;
  s[t] = v;
  __syncthreads();
#pragma unroll 2
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] = s[t] > s[t + d] ? s[t] : s[t + d];
    __syncthreads();
  }
  float m = s[0];
  __syncthreads();
  float e = t < n ? expf(v - m) : 0.0f;
  s[t] = e;
  __syncthreads();
#pragma unroll 2
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < n) y[t] = e / s[0];
}

// One row a thread. MAX and SUM are steps over element j, OUT what becomes of its quotient.
#define ROW(NAME, MAX, SUM, OUT) \
  __global__ void NAME(const float* __restrict__ x, const unsigned char* __restrict__ mask, float* __restrict__ y, \
                       int rows, int cols) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i >= rows) return; \
    x += i * cols; \
    mask += i * cols; \
    y += i * cols; \
    float m = -INFINITY, s = 0.0f; \
    _Pragma("unroll 1") for (int j = 0; j < cols; j++) { MAX; } \
    _Pragma("unroll 1") for (int j = 0; j < cols; j++) { SUM; } \
    _Pragma("unroll 1") for (int j = 0; j < cols; j++) { OUT; } \
  }
#define MASKED(j) (mask[j] ? x[j] : -1e9f)
ROW(masked_kernel, m = fmaxf(m, MASKED(j)), s += expf(MASKED(j) - m), y[j] = expf(MASKED(j) - m) / s)
ROW(rooted_kernel, m = fmaxf(m, sqrtf(x[j])), s += expf(sqrtf(x[j]) - m), y[j] = expf(sqrtf(x[j]) - m) / s)
ROW(masked_elsewhere_kernel, m = fmaxf(m, MASKED(j)), s += expf(MASKED(j + 1) - m), y[j] = expf(MASKED(j) - m) / s)
ROW(masked_sum_kernel, m = fmaxf(m, x[j]), if (mask[j]) s += expf(x[j] - m), y[j] = expf(x[j] - m) / s)
ROW(masked_maximum_kernel, if (mask[j]) m = fmaxf(m, x[j]), s += expf(x[j] - m), y[j] = expf(x[j] - m) / s)
ROW(positive_sum_kernel, m = fmaxf(m, x[j]), if (x[j] > 0.0f) s += expf(x[j] - m), y[j] = expf(x[j] - m) / s)
ROW(one_left_out_kernel, m = fmaxf(m, x[j]), if (j != 3) s += expf(x[j] - m), y[j] = expf(x[j] - m) / s)
ROW(masked_otherwise_kernel, if (mask[j]) m = fmaxf(m, x[j]), if (mask[j]) s += expf(x[j] - m),
    y[j] = mask[j + 1] ? expf(x[j] - m) / s : 0.0f)
ROW(logarithm_kernel, m = fmaxf(m, x[j]), s += expf(x[j] - m), y[j] = x[j] - m - logf(s))

// A short row that one thread has in registers; MOST of its elements have the maximum.
#define REGISTERS(NAME, MOST)                                                                  \
  __global__ void NAME(const float* __restrict__ x, float* __restrict__ y, int rows) {         \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
    if (i >= rows) return;                                                                     \
    float v[5], m = -INFINITY, s = 0.0f;                                                       \
    _Pragma("unroll") for (int k = 0; k < 5; k++) v[k] = x[i * 5 + k];                         \
    _Pragma("unroll") for (int k = 0; k < (MOST); k++) m = fmaxf(m, v[k]);                     \
    _Pragma("unroll") for (int k = 0; k < 5; k++) s += v[k] = expf(v[k] - m);                  \
    _Pragma("unroll") for (int k = 0; k < 5; k++) y[i * 5 + k] = v[k] / s;                     \
  }
REGISTERS(registers_kernel, 5)
REGISTERS(registers_less_one_kernel, 4)

// Of a column; the maximum begins with the first element and goes on from row FROM.
#define COLUMN(NAME, FIRST, FROM)                                                                          \
  __global__ void NAME(const float* __restrict__ x, float* __restrict__ y, int rows, int n) {              \
    int c = blockIdx.x * blockDim.x + threadIdx.x;                                                         \
    if (c >= n) return;                                                                                    \
    float m = x[FIRST], s = 0.0f;                                                                          \
    _Pragma("unroll 4") for (int j = FROM; j < rows; j++) m = fmaxf(m, x[j * n + c]);                      \
    _Pragma("unroll 4") for (int j = 0; j < rows; j++) s += expf(x[j * n + c] - m);                        \
    _Pragma("unroll 1") for (int j = 0; j < rows; j++) y[j * n + c] = expf(x[j * n + c] - m) / s;          \
  }
COLUMN(column_kernel, c, 1)
COLUMN(column_second_left_out_kernel, c, 2)
COLUMN(column_of_another_kernel, c + 1, 1)
