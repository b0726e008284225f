// What threads of a block do together, and what only looks like it: scans and reductions that stop early or mix
// operations, second levels of all warps, rows of threads, and phases that branches or a scheduler cut across.
#include <math.h>
#define FULL 0xffffffffu

// A scan as textbooks have it: who takes nothing in adds 0.
__global__ void scan_two_barriers_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 256; d <<= 1) {
    float v = t >= d ? s[t - d] : 0.0f;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  y[t] = s[t];
}

// The same for the maximum: 0 is not neutral.
__global__ void scan_maximum_from_zero_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 256; d <<= 1) {
    float v = t >= d ? s[t - d] : 0.0f;
    __syncthreads();
    s[t] = fmaxf(s[t], v);
    __syncthreads();
  }
  y[t] = s[t];
}

// 256 elements, distances up to 64.
__global__ void scan_stops_early_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 128; d <<= 1) {
    float v = 0.0f;
    if (t >= d) v = s[t] + s[t - d];
    __syncthreads();
    if (t >= d) s[t] = v;
    __syncthreads();
  }
  y[t] = s[t];
}

// Threads from 200 on take nothing in.
__global__ void scan_part_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    float v = 0.0f;
    if (t >= d && t < 200) v = s[t] + s[t - d];
    __syncthreads();
    if (t >= d && t < 200) s[t] = v;
    __syncthreads();
  }
  y[t] = s[t];
}

// 32 lanes, distances up to 8.
__global__ void scan_lanes_stops_early_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float v = x[threadIdx.x];
  int lane = threadIdx.x & 31;
  for (int d = 1; d < 16; d <<= 1) {
    float u = __shfl_up_sync(FULL, v, d);
    if (lane >= d) v += u;
  }
  y[threadIdx.x] = v;
}

// The last steps compare as signed numbers what the first compared as unsigned ones.
__global__ void tree_mixed_signs_kernel(const unsigned* __restrict__ x, unsigned* __restrict__ y) {
  __shared__ unsigned s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] = d > 8 ? min(s[t], s[t + d]) : (unsigned)min((int)s[t], (int)s[t + d]);
    __syncthreads();
  }
  if (t == 0) y[0] = s[0];
}

// One step adds floats, the others integers.
__global__ void lanes_mixed_formats_kernel(const int* __restrict__ x, int* __restrict__ y) {
  int v = x[threadIdx.x];
  v += __shfl_xor_sync(FULL, v, 16);
  v += __shfl_xor_sync(FULL, v, 8);
  v = __float_as_int(__int_as_float(v) + __int_as_float(__shfl_xor_sync(FULL, v, 4)));
  v += __shfl_xor_sync(FULL, v, 2);
  v += __shfl_xor_sync(FULL, v, 1);
  y[threadIdx.x] = v;
}

// Eight warps leave a sum each; four are taken.
__global__ void warps_left_out_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[8];
  float v = x[blockIdx.x * 256 + threadIdx.x];
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
  __syncthreads();
  v = s[threadIdx.x & 3];
  for (int d = 2; d; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
  y[blockIdx.x * 256 + threadIdx.x] = v;
}

// Every warp takes all eight.
__global__ void warps_all_read_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[8];
  float v = x[blockIdx.x * 256 + threadIdx.x];
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
  __syncthreads();
  v = s[threadIdx.x & 7];
  for (int d = 4; d; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
  y[blockIdx.x * 256 + threadIdx.x] = v;
}

// A maximum a warp, then the sum of these: two reductions, and what is exchanged between them.
__global__ void sum_of_maxima_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[32];
  float v = x[blockIdx.x * 1024 + threadIdx.x];
  for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_down_sync(FULL, v, d));
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = s[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(FULL, v, d);
    if (threadIdx.x == 0) y[blockIdx.x] = v;
  }
}

// Rows of threads share the array if there is more than one.
__global__ void rows_meet_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t + 64 * threadIdx.y];
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[0] = s[0];
}

// Every row of threads has a row of the array.
__global__ void rows_apart_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[8][32];
  int t = threadIdx.x, r = threadIdx.y;
  s[r][t] = x[(blockIdx.x * 8 + r) * 32 + t];
  __syncthreads();
  for (int d = 16; d > 0; d >>= 1) {
    if (t < d) s[r][t] += s[r][t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x * 8 + r] = s[r][0];
}

// The last warp goes on alone, through a volatile pointer: its own element is loaded again in each step.
__global__ void volatile_tail_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 128; d > 32; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 32) {
    volatile float* v = s;
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// The smaller one, written the other way round: newer compilers choose the address and load once more.
__global__ void smaller_of_two_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] = s[t] > s[t + d] ? s[t + d] : s[t];
    __syncthreads();
  }
  if (t == 0) y[0] = s[0];
}

// The mean, then the sum of squared differences to it.
__global__ void squares_after_mean_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = x[blockIdx.x * 256 + t];
  s[t] = v;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  float m = s[0] / 256;
  __syncthreads();
  s[t] = (v - m) * (v - m);
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// The place of the largest element: branches between barriers.
__global__ void place_of_largest_kernel(const float* __restrict__ x, int* __restrict__ y) {
  __shared__ float s[64];
  __shared__ int at[64];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  at[t] = t;
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d && s[t + d] > s[t]) {
      s[t] = s[t + d];
      at[t] = at[t + d];
    }
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = at[0];
}

// What the division needs of m is computed before the loop.
__global__ void mean_kernel(const float* __restrict__ x, float* __restrict__ y, int m) {
  float s = 0.0f;
#pragma unroll 1
  for (int j = threadIdx.x; j < m; j += blockDim.x) s += x[j];
  atomicAdd(y, s / m);
}

// Counters in shared memory: cleared, counted up, added.
__global__ void bins_kernel(const int* __restrict__ x, int* __restrict__ y, int n) {
  __shared__ int s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[x[i] & 255], 1);
  __syncthreads();
  atomicAdd(&y[threadIdx.x], s[threadIdx.x]);
}

// A sum and the sum of squares: the square is made before the reductions, wherever it stands.
__global__ void sum_and_squares_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float a = x[blockIdx.x * 32 + threadIdx.x], b = a * a;
  for (int d = 16; d > 0; d >>= 1) {
    a += __shfl_xor_sync(FULL, a, d);
    b += __shfl_xor_sync(FULL, b, d);
  }
  if (threadIdx.x == 0) {
    y[2 * blockIdx.x] = a;
    y[2 * blockIdx.x + 1] = b;
  }
}

// A row a warp, however long: each lane walks it in strides of 32.
__global__ void warp_rows_kernel(const float* __restrict__ x, float* __restrict__ y, int c) {
  const float* row = x + blockIdx.x * c;
  float m = -INFINITY, s = 0.0f;
  for (int j = threadIdx.x; j < c; j += 32) m = fmaxf(m, row[j]);
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(FULL, m, d));
  for (int j = threadIdx.x; j < c; j += 32) s += __expf(row[j] - m);
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(FULL, s, d);
  for (int j = threadIdx.x; j < c; j += 32) y[blockIdx.x * c + j] = __fdividef(__expf(row[j] - m), s);
}

// The maximum leaves the last element of the row out.
__global__ void warp_rows_last_left_out_kernel(const float* __restrict__ x, float* __restrict__ y, int c) {
  const float* row = x + blockIdx.x * c;
  float m = -INFINITY, s = 0.0f;
#pragma unroll 1
  for (int j = threadIdx.x; j < c - 1; j += 32) m = fmaxf(m, row[j]);
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(FULL, m, d));
#pragma unroll 1
  for (int j = threadIdx.x; j < c; j += 32) s += __expf(row[j] - m);
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(FULL, s, d);
#pragma unroll 1
  for (int j = threadIdx.x; j < c; j += 32) y[blockIdx.x * c + j] = __fdividef(__expf(row[j] - m), s);
}
