// Softmax and running softmax in further forms: short rows in registers, rows across columns, pairs of a maximum and a
// sum that threads merge, tiles; and what only looks like them (`_miss_`).
#include <math.h>

#define EVERY 0xffffffffu

// A row of ten in one thread.
__global__ void short_kernel(const float* __restrict__ x, float* __restrict__ y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float v[10];
#pragma unroll
  for (int k = 0; k < 10; k++) v[k] = x[r * 10 + k];
  float m = v[0];
#pragma unroll
  for (int k = 1; k < 10; k++) m = fmaxf(m, v[k]);
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < 10; k++) {
    v[k] = expf(v[k] - m);
    s += v[k];
  }
#pragma unroll
  for (int k = 0; k < 10; k++) y[r * 10 + k] = v[k] / s;
}

// The sum lacks the last one.
__global__ void short_miss_kernel(const float* __restrict__ x, float* __restrict__ y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float v[10];
#pragma unroll
  for (int k = 0; k < 10; k++) v[k] = x[r * 10 + k];
  float m = v[0];
#pragma unroll
  for (int k = 1; k < 10; k++) m = fmaxf(m, v[k]);
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < 10; k++) {
    v[k] = expf(v[k] - m);
    if (k < 9) s += v[k];
  }
#pragma unroll
  for (int k = 0; k < 10; k++) y[r * 10 + k] = v[k] / s;
}

// A thread a column; the maximum begins with its first element.
__global__ void column_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n) return;
  float m = x[c];
  for (int j = 1; j < rows; j++) m = fmaxf(m, x[j * n + c]);
  float s = 0.0f;
  for (int j = 0; j < rows; j++) s += expf(x[j * n + c] - m);
  for (int j = 0; j < rows; j++) y[j * n + c] = expf(x[j * n + c] - m) / s;
}

// It begins with the next column's.
__global__ void column_miss_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n - 1) return;
  float m = x[c + 1];
#pragma unroll 1
  for (int j = 1; j < rows; j++) m = fmaxf(m, x[j * n + c]);
  float s = 0.0f;
#pragma unroll 1
  for (int j = 0; j < rows; j++) s += expf(x[j * n + c] - m);
#pragma unroll 1
  for (int j = 0; j < rows; j++) y[j * n + c] = expf(x[j * n + c] - m) / s;
}

// The maximum is of two rows, the sum and the quotients are of the second.
__global__ void rows_miss_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = x + 2 * r * n, *q = p + n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = 0; j < n; j++) m = fmaxf(m, p[j]);
#pragma unroll 1
  for (int j = 0; j < n; j++) m = fmaxf(m, q[j]);
#pragma unroll 1
  for (int j = 0; j < n; j++) s += expf(q[j] - m);
#pragma unroll 1
  for (int j = 0; j < n; j++) y[r * n + j] = expf(q[j] - m) / s;
}

__device__ __forceinline__ void add_element(float& m, float& s, float v) {
  float n = fmaxf(m, v);
  s = s * __expf(m - n) + __expf(v - n);
  m = n;
}

__device__ __forceinline__ void merge_pair(float& m, float& s, float m2, float s2) {
  float n = fmaxf(m, m2);
  s = s * __expf(m - n) + s2 * __expf(m2 - n);
  m = n;
}

__device__ __forceinline__ void merge_lanes(float& m, float& s) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) merge_pair(m, s, __shfl_xor_sync(EVERY, m, d), __shfl_xor_sync(EVERY, s, d));
}

// A warp a row, running pairs merged by shuffles.
__global__ void lanes_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const float* p = x + blockIdx.x * n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += 32) add_element(m, s, p[j]);
  merge_lanes(m, s);
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += 32) y[blockIdx.x * n + j] = __expf(p[j] - m) / s;
}

// One element a lane; the shuffles go down, the first lane's pair is handed round.
__global__ void down_kernel(const float* __restrict__ x, float* __restrict__ y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float v = x[i], m = v, s = 1.0f;
#pragma unroll
  for (int d = 16; d > 0; d >>= 1)
    merge_pair(m, s, __shfl_down_sync(EVERY, m, d), __shfl_down_sync(EVERY, s, d));
  m = __shfl_sync(EVERY, m, 0);
  s = __shfl_sync(EVERY, s, 0);
  y[i] = __expf(v - m) / s;
}

// The other's sum is not scaled.
__global__ void lanes_miss_scale_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const float* p = x + blockIdx.x * n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += 32) add_element(m, s, p[j]);
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    float m2 = __shfl_xor_sync(EVERY, m, d), s2 = __shfl_xor_sync(EVERY, s, d), k = fmaxf(m, m2);
    s = s * __expf(m - k) + s2;
    m = k;
  }
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += 32) y[blockIdx.x * n + j] = __expf(p[j] - m) / s;
}

// Scaled by the wrong sign.
__global__ void lanes_miss_sign_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const float* p = x + blockIdx.x * n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += 32) add_element(m, s, p[j]);
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    float m2 = __shfl_xor_sync(EVERY, m, d), s2 = __shfl_xor_sync(EVERY, s, d), k = fmaxf(m, m2);
    s = s * __expf(k - m) + s2 * __expf(k - m2);
    m = k;
  }
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += 32) y[blockIdx.x * n + j] = __expf(p[j] - m) / s;
}

// The first distance twice: no matter to the maximum, but the sum is doubled.
__global__ void lanes_miss_twice_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const float* p = x + blockIdx.x * n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += 32) add_element(m, s, p[j]);
  merge_pair(m, s, __shfl_xor_sync(EVERY, m, 16), __shfl_xor_sync(EVERY, s, 16));
  merge_lanes(m, s);
#pragma unroll 1
  for (int j = threadIdx.x; j < n; j += 32) y[blockIdx.x * n + j] = __expf(p[j] - m) / s;
}

// A block a row: warps put their pairs down, every warp merges these.
__global__ void __launch_bounds__(256) warps_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float ms[32], ss[32];
  int t = threadIdx.x;
  const float* p = x + blockIdx.x * n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = t; j < n; j += 256) add_element(m, s, p[j]);
  merge_lanes(m, s);
  if ((t & 31) == 0) {
    ms[t >> 5] = m;
    ss[t >> 5] = s;
  }
  __syncthreads();
  m = (t & 31) < 8 ? ms[t & 31] : -INFINITY;
  s = (t & 31) < 8 ? ss[t & 31] : 0.0f;
  merge_lanes(m, s);
#pragma unroll 1
  for (int j = t; j < n; j += 256) y[blockIdx.x * n + j] = __expf(p[j] - m) / s;
}

// The sums lie in the opposite order.
__global__ void __launch_bounds__(256) warps_miss_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float ms[32], ss[32];
  int t = threadIdx.x;
  const float* p = x + blockIdx.x * n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = t; j < n; j += 256) add_element(m, s, p[j]);
  merge_lanes(m, s);
  if ((t & 31) == 0) {
    ms[t >> 5] = m;
    ss[7 - (t >> 5)] = s;
  }
  __syncthreads();
  m = (t & 31) < 8 ? ms[t & 31] : -INFINITY;
  s = (t & 31) < 8 ? ss[t & 31] : 0.0f;
  merge_lanes(m, s);
#pragma unroll 1
  for (int j = t; j < n; j += 256) y[blockIdx.x * n + j] = __expf(p[j] - m) / s;
}

// A block a row: running pairs merged by a tree.
__global__ void tree_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float ms[256], ss[256];
  int t = threadIdx.x;
  const float* p = x + blockIdx.x * n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = t; j < n; j += 256) add_element(m, s, p[j]);
  ms[t] = m;
  ss[t] = s;
  __syncthreads();
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) {
      float k = fmaxf(ms[t], ms[t + d]);
      ss[t] = ss[t] * __expf(ms[t] - k) + ss[t + d] * __expf(ms[t + d] - k);
      ms[t] = k;
    }
    __syncthreads();
  }
  m = ms[0];
  s = ss[0];
#pragma unroll 1
  for (int j = t; j < n; j += 256) y[blockIdx.x * n + j] = __expf(p[j] - m) / s;
}

// The own sum is not scaled.
__global__ void tree_miss_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float ms[256], ss[256];
  int t = threadIdx.x;
  const float* p = x + blockIdx.x * n;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = t; j < n; j += 256) add_element(m, s, p[j]);
  ms[t] = m;
  ss[t] = s;
  __syncthreads();
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) {
      float k = fmaxf(ms[t], ms[t + d]);
      ss[t] = ss[t] + ss[t + d] * __expf(ms[t + d] - k);
      ms[t] = k;
    }
    __syncthreads();
  }
  m = ms[0];
  s = ss[0];
#pragma unroll 1
  for (int j = t; j < n; j += 256) y[blockIdx.x * n + j] = __expf(p[j] - m) / s;
}

// A row in tiles of four, the tile's maximum first. ALL: the sum takes all of them in.
template <bool ALL>
__device__ __forceinline__ void take_tile(float& m, float& s, float4 v) {
  float n = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  s = s * __expf(m - n);
  s += __expf(v.x - n);
  s += __expf(v.y - n);
  s += __expf(v.z - n);
  if (ALL) s += __expf(v.w - n);
  m = n;
}

__global__ void tiles_kernel(const float4* __restrict__ x, float* __restrict__ y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float m = -INFINITY, s = 0.0f;
  for (int j = 0; j < n; j++) take_tile<true>(m, s, x[r * n + j]);
  y[2 * r] = m;
  y[2 * r + 1] = s;
}

__global__ void tiles_miss_kernel(const float4* __restrict__ x, float* __restrict__ y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float m = -INFINITY, s = 0.0f;
  for (int j = 0; j < n; j++) take_tile<false>(m, s, x[r * n + j]);
  y[2 * r] = m;
  y[2 * r + 1] = s;
}

// Attention over tiles of eight keys. SCALED: the output is scaled as the sum is.
template <bool SCALED>
__device__ __forceinline__ void attend(const float* q, const float* k, const float* v, float* o, int n) {
  __shared__ float ks[8][4], vs[8][4];
  int t = threadIdx.x, r = blockIdx.x * 8 + t;
  float query[4], out[4];
#pragma unroll
  for (int d = 0; d < 4; d++) {
    query[d] = q[r * 4 + d];
    out[d] = 0.0f;
  }
  float m = -INFINITY, l = 0.0f;
  for (int j0 = 0; j0 < n; j0 += 8) {
#pragma unroll
    for (int d = 0; d < 4; d++) {
      ks[t][d] = k[(j0 + t) * 4 + d];
      vs[t][d] = v[(j0 + t) * 4 + d];
    }
    __syncthreads();
    float score[8], top = -INFINITY;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      score[j] = query[0] * ks[j][0] + query[1] * ks[j][1] + query[2] * ks[j][2] + query[3] * ks[j][3];
      top = fmaxf(top, score[j]);
    }
    float now = fmaxf(m, top), c = __expf(m - now);
    l *= c;
#pragma unroll
    for (int d = 0; SCALED && d < 4; d++) out[d] *= c;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      float e = __expf(score[j] - now);
      l += e;
#pragma unroll
      for (int d = 0; d < 4; d++) out[d] += e * vs[j][d];
    }
    m = now;
    __syncthreads();
  }
#pragma unroll
  for (int d = 0; d < 4; d++) o[r * 4 + d] = out[d] / l;
}

__global__ void attention_kernel(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                                 float* __restrict__ o, int n) {
  attend<true>(q, k, v, o, n);
}

__global__ void attention_miss_kernel(const float* __restrict__ q, const float* __restrict__ k,
                                      const float* __restrict__ v, float* __restrict__ o, int n) {
  attend<false>(q, k, v, o, n);
}
