// Reductions of a block, written the ways people write them. Blocks have a power of two of threads.
#include <cfloat>

// The step as a while loop, the neutral element of out-of-range threads by a conditional.
__global__ void tree_while_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  unsigned d = blockDim.x >> 1;
  while (d != 0) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
    d >>= 1;
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// Own part kept in a register, written through to shared memory for the others.
__global__ void tree_own_register_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  float v = x[blockIdx.x * blockDim.x + t];
  s[t] = v;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] = v = v + s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = v;
}

// Unrolled by hand for 256 threads.
__global__ void tree_by_hand_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) s[t] += s[t + 32];
  __syncthreads();
  if (t < 16) s[t] += s[t + 16];
  __syncthreads();
  if (t < 8) s[t] += s[t + 8];
  __syncthreads();
  if (t < 4) s[t] += s[t + 4];
  __syncthreads();
  if (t < 2) s[t] += s[t + 2];
  __syncthreads();
  if (t < 1) s[t] += s[t + 1];
  __syncthreads();
  if (t == 0) y[blockIdx.x] = s[0];
}

// A constant size: the compiler unrolls.
__global__ void tree_constant_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
#pragma unroll
  for (int d = 64; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// The last warp without barriers, volatile: the classic of 2008.
__global__ void tree_tail_volatile_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 32; d >>= 1) {
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

// Blocks of 64 threads: one warp does it all, with the warp's own barrier between reads and writes.
__global__ void tree_tail_syncwarp_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[64];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    float v = s[t] + s[t + 32];
    s[t] = v;
    __syncwarp();
    v += s[t + 16];
    __syncwarp();
    s[t] = v;
    __syncwarp();
    v += s[t + 8];
    __syncwarp();
    s[t] = v;
    __syncwarp();
    v += s[t + 4];
    __syncwarp();
    s[t] = v;
    __syncwarp();
    v += s[t + 2];
    __syncwarp();
    s[t] = v;
    __syncwarp();
    v += s[t + 1];
    if (t == 0) y[blockIdx.x] = v;
  }
}

// A tree down to one warp, the rest by shuffles.
__global__ void tree_then_shuffle_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d >= 32; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 32) {
    float v = s[t];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (t == 0) y[blockIdx.x] = v;
  }
}

__global__ void warp_down_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float v = x[blockIdx.x * 32 + threadIdx.x];
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}

__global__ void warp_xor_max_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float v = x[blockIdx.x * 32 + threadIdx.x];
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, m));
  y[blockIdx.x * 32 + threadIdx.x] = v;
}

// Shuffles, one word a warp in shared memory, shuffles again.
__global__ void block_shuffle_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float part[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = i < n ? x[i] : 0.0f;
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x >> 5) ? part[lane] : 0.0f;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0) y[blockIdx.x] = v;
  }
}

// Neighbours first.
__global__ void tree_interleaved_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// Every thread ends with the sum.
__global__ void tree_butterfly_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    float v = s[t] + s[t ^ d];
    __syncthreads();
    s[t] = v;
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + t] = s[t];
}

// The maximum, four ways.
#define MAXIMUM(NAME, STEP)                                                     \
  __global__ void NAME(const float* __restrict__ x, float* __restrict__ y) {    \
    extern __shared__ float s[];                                                \
    unsigned t = threadIdx.x;                                                   \
    s[t] = x[blockIdx.x * blockDim.x + t];                                      \
    __syncthreads();                                                            \
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {                         \
      if (t < d) {                                                              \
        float a = s[t], b = s[t + d];                                           \
        STEP;                                                                   \
      }                                                                         \
      __syncthreads();                                                          \
    }                                                                           \
    if (t == 0) y[blockIdx.x] = s[0];                                           \
  }
MAXIMUM(max_choice_kernel, s[t] = a > b ? a : b)
MAXIMUM(max_call_kernel, s[t] = fmaxf(a, b))
MAXIMUM(max_if_kernel, if (b > a) s[t] = b)
MAXIMUM(max_inverted_kernel, s[t] = a <= b ? b : a)

// Two elements a thread before the tree.
__global__ void tree_two_loads_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x * 2 + t;
  float v = i < n ? x[i] : 0.0f;
  if (i + blockDim.x < n) v += x[i + blockDim.x];
  s[t] = v;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

__global__ void tree_int_min_kernel(const int* __restrict__ x, int* __restrict__ y) {
  extern __shared__ int w[];
  unsigned t = threadIdx.x;
  w[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) w[t] = min(w[t], w[t + d]);
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = w[0];
}

__global__ void tree_double_kernel(const double* __restrict__ x, double* __restrict__ y) {
  extern __shared__ double z[];
  unsigned t = threadIdx.x;
  z[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) z[t] += z[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = z[0];
}

// The guard is a branch: what it holds is too long to predicate.
__global__ void tree_branch_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  float v = 0.0f;
  if (i < n) {
    v = x[i];
    if (v < 0.0f) v = sqrtf(-v) * x[n + i];
  }
  s[t] = v;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
