// What threads do together, in forms that people and libraries write, each beside one that only looks like it.
#include <cuda_fp16.h>

#define EXCHANGE(D)        \
  {                        \
    float v = s[t ^ (D)];  \
    __syncthreads();       \
    s[t] += v;             \
    __syncthreads();       \
  }

// A butterfly through shared memory, its distances in no order.
__global__ void butterfly_any_order_kernel(const float* x, float* y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  EXCHANGE(4) EXCHANGE(64) EXCHANGE(1) EXCHANGE(16) EXCHANGE(128) EXCHANGE(2) EXCHANGE(32) EXCHANGE(8)
  y[blockIdx.x * 256 + t] = s[t];
}

// Distance 4 twice, 8 not at all.
__global__ void butterfly_twice_kernel(const float* x, float* y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  EXCHANGE(4) EXCHANGE(64) EXCHANGE(1) EXCHANGE(16) EXCHANGE(128) EXCHANGE(2) EXCHANGE(32) EXCHANGE(4)
  y[blockIdx.x * 256 + t] = s[t];
}

// Distances that double: a butterfly, no interleaved tree.
__global__ void butterfly_doubling_kernel(const float* x, float* y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 1; d < 256; d <<= 1) {
    float v = s[t] + s[t ^ d];
    __syncthreads();
    s[t] = v;
    __syncthreads();
  }
  y[blockIdx.x * 256 + t] = s[t];
}

__global__ void lanes_any_order_kernel(const float* x, float* y) {
  float v = x[blockIdx.x * 32 + threadIdx.x];
  v += __shfl_xor_sync(0xffffffffu, v, 4);
  v += __shfl_xor_sync(0xffffffffu, v, 16);
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  v += __shfl_xor_sync(0xffffffffu, v, 8);
  v += __shfl_xor_sync(0xffffffffu, v, 2);
  y[blockIdx.x * 32 + threadIdx.x] = v;
}

// No lane meets those two away.
__global__ void lanes_one_missing_kernel(const float* x, float* y) {
  float v = x[blockIdx.x * 32 + threadIdx.x];
  v += __shfl_xor_sync(0xffffffffu, v, 4);
  v += __shfl_xor_sync(0xffffffffu, v, 16);
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  v += __shfl_xor_sync(0xffffffffu, v, 8);
  y[blockIdx.x * 32 + threadIdx.x] = v;
}

#if __CUDA_ARCH__ >= 800
// Both levels in one instruction each.
__global__ void redux_block_kernel(const int* x, int* y) {
  __shared__ int s[32];
  int t = threadIdx.x;
  int v = __reduce_add_sync(0xffffffffu, x[blockIdx.x * blockDim.x + t]);
  if ((t & 31) == 0) s[t >> 5] = v;
  __syncthreads();
  if (t < 32) {
    v = __reduce_add_sync(0xffffffffu, t < blockDim.x >> 5 ? s[t] : 0);
    if (t == 0) y[blockIdx.x] = v;
  }
}

// Lanes without a warp bring 0 to a maximum.
__global__ void redux_maximum_from_zero_kernel(const int* x, int* y) {
  __shared__ int s[32];
  int t = threadIdx.x;
  int v = __reduce_max_sync(0xffffffffu, x[blockIdx.x * blockDim.x + t]);
  if ((t & 31) == 0) s[t >> 5] = v;
  __syncthreads();
  if (t < 32) {
    v = __reduce_max_sync(0xffffffffu, t < blockDim.x >> 5 ? s[t] : 0);
    if (t == 0) y[blockIdx.x] = v;
  }
}

// Nothing parts the two levels.
__global__ void redux_no_barrier_kernel(const int* x, int* y) {
  __shared__ int s[32];
  int t = threadIdx.x;
  int v = __reduce_add_sync(0xffffffffu, x[blockIdx.x * 1024 + t]);
  if ((t & 31) == 0) s[t >> 5] = v;
  if (t < 32) {
    v = __reduce_add_sync(0xffffffffu, s[t]);
    if (t == 0) y[blockIdx.x] = v;
  }
}

// Signed maxima, then the largest of their bits.
__global__ void redux_mixed_signs_kernel(const int* x, unsigned* y) {
  __shared__ int s[32];
  int t = threadIdx.x;
  int v = __reduce_max_sync(0xffffffffu, x[blockIdx.x * 1024 + t]);
  if ((t & 31) == 0) s[t >> 5] = v;
  __syncthreads();
  if (t < 32) {
    unsigned u = __reduce_max_sync(0xffffffffu, (unsigned)s[t]);
    if (t == 0) y[blockIdx.x] = u;
  }
}
#endif

// ---- softmax of one row a warp, the row in registers
__device__ __forceinline__ float warp_sum(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}
__device__ __forceinline__ float warp_max(float v) {
  for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}

// What is taken in and given out of a lane's four elements; PAD stands where the row is shorter.
#define ROW_OF_FOUR(NAME, PAD, START, TAKEN, GIVEN)                                      \
  __global__ void NAME(const float* __restrict__ x, float* __restrict__ y, int n) {      \
    int t = threadIdx.x;                                                                 \
    const float* in = x + (size_t)blockIdx.x * n;                                        \
    float v[4], m = -INFINITY, s = START;                                                \
    _Pragma("unroll") for (int k = 0; k < 4; ++k) {                                      \
      v[k] = 32 * k + t < n ? in[32 * k + t] : PAD;                                      \
      m = fmaxf(m, v[k]);                                                                \
    }                                                                                    \
    m = warp_max(m);                                                                     \
    _Pragma("unroll") for (int k = 0; k < 4; ++k) {                                      \
      v[k] = __expf(v[k] - m);                                                           \
      s += TAKEN;                                                                        \
    }                                                                                    \
    s = warp_sum(s);                                                                     \
    _Pragma("unroll") for (int k = 0; k < 4; ++k) {                                      \
      if (32 * k + t < n) y[(size_t)blockIdx.x * n + 32 * k + t] = GIVEN;                \
    }                                                                                    \
  }
ROW_OF_FOUR(row_of_four_kernel, -INFINITY, 0, v[k], v[k] / s)
// Where the row ends 0 is taken for an element.
ROW_OF_FOUR(row_of_four_zeros_kernel, 0, 0, v[k], v[k] / s)
// The last is left out of the sum; the first is in it twice; it starts from a small number.
ROW_OF_FOUR(row_of_four_short_kernel, -INFINITY, 0, (k < 3 ? v[k] : 0), v[k] / s)
ROW_OF_FOUR(row_of_four_twice_kernel, -INFINITY, 0, (k < 3 ? v[k] : v[k] + v[0]), v[k] / s)
ROW_OF_FOUR(row_of_four_above_kernel, -INFINITY, 1e-6f, v[k], v[k] / s)
// The last is not divided.
ROW_OF_FOUR(row_of_four_part_kernel, -INFINITY, 0, v[k], (k < 3 ? v[k] / s : v[k]))

// A lane has one: where there is none the maximum takes 0.
__global__ void row_of_one_zeros_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int t = threadIdx.x;
  float v = t < n ? x[(size_t)blockIdx.x * n + t] : 0;
  float e = __expf(v - warp_max(v));
  float s = warp_sum(e);
  if (t < n) y[(size_t)blockIdx.x * n + t] = e / s;
}

// ---- softmax of one row a warp, what is taken computed from the elements in each loop
#define ROW_OF(NAME, TYPE, FIRST, SECOND, THIRD)                                                                   \
  __global__ void NAME(const TYPE* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, float c,    \
                       int n) {                                                                                    \
    int t = threadIdx.x;                                                                                           \
    const TYPE* in = x + (size_t)blockIdx.x * n;                                                                   \
    float m = -INFINITY, s = 0;                                                                                    \
    for (int j = t; j < n; j += 32) m = fmaxf(m, FIRST);                                                           \
    m = warp_max(m);                                                                                               \
    for (int j = t; j < n; j += 32) s += __expf((SECOND)-m);                                                       \
    s = warp_sum(s);                                                                                               \
    for (int j = t; j < n; j += 32) y[(size_t)blockIdx.x * n + j] = __expf((THIRD)-m) / s;                         \
  }
ROW_OF(row_scaled_masked_kernel, float, in[j] * c + k[j], in[j] * c + k[j], in[j] * c + k[j])
ROW_OF(row_of_halves_kernel, __half, __half2float(in[j]), __half2float(in[j]), __half2float(in[j]))
ROW_OF(row_maximum_unscaled_kernel, float, in[j], in[j] * c, in[j] * c)
ROW_OF(row_quotient_unscaled_kernel, float, in[j] * c, in[j] * c, in[j])
ROW_OF(row_sum_next_mask_kernel, float, in[j] + k[j], in[j] + k[j + 1], in[j] + k[j])
ROW_OF(row_quotient_first_mask_kernel, float, in[j] + k[j], in[j] + k[j], in[j] + k[0])
ROW_OF(row_sum_of_signs_kernel, float, fabsf(in[j]), fabsf(in[j]), in[j])

// The same by one thread; the mask forwards, or once backwards.
#define THREAD_ROW(NAME, FIRST, SECOND, THIRD)                                                                \
  __global__ void NAME(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y,       \
                       int n) {                                                                               \
    const float* in = x + (size_t)threadIdx.x * n;                                                            \
    float m = -INFINITY, s = 0;                                                                               \
    for (int j = 0; j < n; ++j) m = fmaxf(m, FIRST);                                                          \
    for (int j = 0; j < n; ++j) s += __expf((SECOND)-m);                                                      \
    for (int j = 0; j < n; ++j) y[(size_t)threadIdx.x * n + j] = __expf((THIRD)-m) / s;                       \
  }
THREAD_ROW(thread_masked_kernel, in[j] + k[j], in[j] + k[j], in[j] + k[j])
THREAD_ROW(thread_sum_reversed_mask_kernel, in[j] + k[j], in[j] + k[n - 1 - j], in[j] + k[j])
THREAD_ROW(thread_quotient_reversed_mask_kernel, in[j] + k[j], in[j] + k[j], in[j] + k[n - 1 - j])

// ---- the sum of a block in two levels, once and again through the same words
__device__ __forceinline__ float block_sum(float v, float* s, unsigned warps) {
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_sum(v);
  if (lane == 0 && warp < warps) s[warp] = v;
  __syncthreads();
  v = lane < blockDim.x >> 5 ? s[lane] : 0;
  v = warp_sum(v);
  __syncthreads();
  return v;
}

// What is summed was gathered in a loop.
__global__ void gathered_sums_kernel(const float* x, float* y, int n) {
  __shared__ float s[32];
  float v = 0, w = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    v += x[j];
    w += x[j] * x[j];
  }
  v = block_sum(v, s, 32);
  w = block_sum(w, s, 32);
  y[threadIdx.x] = v * w;
}

// The second time four warps put down their results: the others' are those of the first time.
__global__ void stale_sums_kernel(const float* x, float* y) {
  __shared__ float s[32];
  float v = x[threadIdx.x];
  float a = block_sum(v, s, 32);
  float b = block_sum(v * v, s, 4);
  y[threadIdx.x] = a * b;
}

// ---- the last level by one thread, or by every thread, in straight code
__device__ __forceinline__ float warp_sum_down(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}
#define CHAINED(NAME, WORDS, WHO, START, FROM, TO)                            \
  __global__ void NAME(const float* x, float* y) {                            \
    __shared__ float s[WORDS];                                                \
    int t = threadIdx.x;                                                      \
    float v = warp_sum_down(x[blockIdx.x * 256 + t]);                         \
    if ((t & 31) == 0) s[t >> 5] = v;                                         \
    __syncthreads();                                                          \
    if (WHO) {                                                                \
      float r = START;                                                        \
      _Pragma("unroll") for (int i = FROM; i < TO; ++i) r += s[i];            \
      y[blockIdx.x * 256 + t] = r;                                            \
    }                                                                         \
  }
CHAINED(chained_all_kernel, 8, true, 0, 0, 8)
CHAINED(chained_own_kernel, 8, t == 0, v, 1, 8)
// The last warp's is left out; the first's is there twice; another thread than the first; half of the words.
CHAINED(chained_short_kernel, 8, true, 0, 0, 7)
CHAINED(chained_twice_kernel, 8, t == 0, v, 0, 8)
CHAINED(chained_second_thread_kernel, 8, t == 1, v, 1, 8)
CHAINED(chained_own_everywhere_kernel, 8, true, v, 1, 8)
CHAINED(chained_half_kernel, 32, true, 0, 0, 16)

// As cub writes it: a lane that reaches outside takes what the shuffle gave, its own value.
#define REACH(D)                                                                                              \
  asm("{ .reg .f32 r; .reg .pred p; shfl.sync.down.b32 r|p, %0, " #D ", 31, -1; @p add.f32 r, r, %0; "         \
      "mov.f32 %0, r; }"                                                                                      \
      : "+f"(v));
__global__ void lanes_predicated_kernel(const float* x, float* y) {
  float v = x[blockIdx.x * 32 + threadIdx.x];
  REACH(1) REACH(2) REACH(4) REACH(8) REACH(16)
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}

// A lane that reaches inside takes what the shuffle gave: all but the last have lost something.
#define LOSE(D)                                                                                               \
  asm("{ .reg .f32 r; .reg .pred p; shfl.sync.down.b32 r|p, %0, " #D ", 31, -1; @!p add.f32 r, r, %0; "        \
      "mov.f32 %0, r; }"                                                                                      \
      : "+f"(v));
__global__ void lanes_predicated_wrongly_kernel(const float* x, float* y) {
  float v = x[blockIdx.x * 32 + threadIdx.x];
  LOSE(1) LOSE(2) LOSE(4) LOSE(8) LOSE(16)
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}

// ---- the threads of each column (threadIdx.y) sum it up
#define COLUMN(NAME, PITCH, AT, GUARD, LAST, READ)                              \
  __global__ void NAME(const float* x, float* y) {                              \
    __shared__ float s[16 * PITCH];                                             \
    int a = threadIdx.x, b = threadIdx.y;                                       \
    s[AT(b)] = x[(blockIdx.x * 16 + b) * 16 + a];                               \
    __syncthreads();                                                            \
    for (int d = 8; d > LAST; d >>= 1) {                                        \
      if (GUARD) s[AT(b)] += s[AT(b + d)];                                      \
      __syncthreads();                                                          \
    }                                                                           \
    if (b == 0) y[blockIdx.x * 16 + a] = s[READ];                               \
  }
#define DOWN(B) (16 * (B) + a)
#define PADDED(B) (17 * (B) + a)
#define ACROSS(B) (16 * a + (B))
#define SLANTED(B) ((B) + a)
COLUMN(column_kernel, 16, DOWN, b < d, 0, a)
COLUMN(column_padded_kernel, 17, PADDED, b < d, 0, a)
COLUMN(column_across_kernel, 16, ACROSS, b < d, 0, 16 * a)
// Elements of neighbouring columns are the same; half of the columns; two rows are left; the second row; one column's.
COLUMN(column_slanted_kernel, 16, SLANTED, b < d, 0, a)
COLUMN(column_half_kernel, 16, DOWN, b < d && a < 8, 0, a)
COLUMN(column_short_kernel, 16, DOWN, b < d, 1, a)
COLUMN(column_second_row_kernel, 16, DOWN, b < d, 0, 16 + a)
COLUMN(column_first_only_kernel, 16, DOWN, b < d, 0, 0)

// ---- two buffers in turns: one barrier a step
#define TWO_BUFFERS(NAME, STEP, BARRIER, FIRST, GOING, NEXT, RESULT)   \
  __global__ void NAME(const float* x, float* y) {                     \
    __shared__ float s[2][256];                                        \
    int t = threadIdx.x, p = 0;                                        \
    s[0][t] = x[blockIdx.x * 256 + t];                                 \
    __syncthreads();                                                   \
    _Pragma("unroll") for (int d = FIRST; d GOING; d NEXT) {           \
      STEP;                                                            \
      p ^= 1;                                                          \
      BARRIER;                                                         \
    }                                                                  \
    y[blockIdx.x * 256 + t] = RESULT;                                  \
  }
#define DOWN_STEP if (t < d) s[p ^ 1][t] = s[p][t] + s[p][t + d]
#define UP_STEP s[p ^ 1][t] = t >= d ? s[p][t] + s[p][t - d] : s[p][t]
TWO_BUFFERS(buffers_tree_kernel, DOWN_STEP, __syncthreads(), 128, > 0, >>= 1, s[p][0])
TWO_BUFFERS(buffers_scan_kernel, UP_STEP, __syncthreads(), 1, < 256, <<= 1, s[p][t])
// The buffer before the last; no barrier; threads below the distance keep nothing; it stops early.
TWO_BUFFERS(buffers_tree_stale_kernel, DOWN_STEP, __syncthreads(), 128, > 0, >>= 1, s[p ^ 1][0])
TWO_BUFFERS(buffers_tree_no_barrier_kernel, DOWN_STEP, (void)0, 128, > 0, >>= 1, s[p][0])
TWO_BUFFERS(buffers_scan_stale_kernel, UP_STEP, __syncthreads(), 1, < 256, <<= 1, s[p ^ 1][t])
TWO_BUFFERS(buffers_scan_part_kernel, if (t >= d) s[p ^ 1][t] = s[p][t] + s[p][t - d], __syncthreads(), 1, < 256, <<= 1,
            s[p][t])
TWO_BUFFERS(buffers_scan_short_kernel, UP_STEP, __syncthreads(), 1, < 128, <<= 1, s[p][t])
