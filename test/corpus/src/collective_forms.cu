// What threads do together, in forms that people and libraries write, each beside one that only looks like it.

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
