// Kernels that look like the reduction of a block and are none, or are one with a mistake in it.

// Nothing parts the steps.
__global__ void step_without_barrier_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
  }
  __syncthreads();
  if (t == 0) y[blockIdx.x] = s[0];
}

// Nothing parts the fill from the first step.
__global__ void fill_without_barrier_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// A scan in place: reads tid - d. The second barrier is missing, so a write may overtake a read.
__global__ void scan_without_middle_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d <<= 1) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + t] = s[t];
}

// The same with both: still a scan, and no mistake in it.
__global__ void scan_with_middle_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d <<= 1) {
    float v = 0.0f;
    if (t >= d) v = s[t - d];
    __syncthreads();
    if (t >= d) s[t] += v;
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + t] = s[t];
}

// A butterfly in place: the partner may be overwritten before it is read.
__global__ void butterfly_one_barrier_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    s[t] += s[t ^ d];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + t] = s[t];
}

// Ends with four parts a block.
__global__ void stops_at_four_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 2; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 4) y[blockIdx.x * 4 + t] = s[t];
}

// No operation that may be regrouped.
__global__ void difference_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] -= s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

__global__ void weighted_kernel(const float* __restrict__ x, float* __restrict__ y, float w) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] = w * s[t] + s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// One thread too many in each step: it reads what its neighbour writes.
__global__ void guard_one_more_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t <= d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// Every step reads the same distance.
__global__ void same_distance_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  unsigned half = blockDim.x / 2;
  for (unsigned d = half; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// One thread adds for all: a fold in a register, no tree.
__global__ void one_thread_adds_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[64];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads();
  if (t == 0) {
    float sum = 0.0f;
    for (int k = 0; k < 64; ++k) sum += s[k];
    y[blockIdx.x] = sum;
  }
}

// Shuffles that stop before the last distance, and shuffles that only move.
__global__ void warp_down_short_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float v = x[blockIdx.x * 32 + threadIdx.x];
#pragma unroll
  for (int d = 16; d > 1; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x < 2) y[blockIdx.x * 2 + threadIdx.x] = v;
}

__global__ void warp_rotate_kernel(const float* __restrict__ x, float* __restrict__ y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  y[i] = __shfl_sync(0xffffffffu, x[i], (threadIdx.x + 1) & 31);
}

__global__ void warp_scan_kernel(const float* __restrict__ x, float* __restrict__ y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float v = x[i];
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    float u = __shfl_up_sync(0xffffffffu, v, d);
    if (threadIdx.x >= d) v += u;
  }
  y[i] = v;
}
