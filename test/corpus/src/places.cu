// Where values live, and who may read what when: exchanges without a mistake, and the same with one.

// Both arms of a branch compute the sine of the same value: no thread computes it twice.
__global__ void sine_in_both_arms_kernel(const float* __restrict__ x, float* __restrict__ y, float* __restrict__ z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (v > 0.5f) {
    y[i] = __sinf(v) * x[n + i];
  } else {
    z[i] = __sinf(v) + 2.0f;
  }
}

// A product goes through shared memory although only its own thread reads it.
__global__ void shared_round_trip_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                         const float* __restrict__ c, float* __restrict__ y) {
  __shared__ volatile float s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = a[i] * b[i];
  y[i] = s[t] + c[i];
}

// Turns a block round: another thread reads each word.
__global__ void reverse_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  y[blockIdx.x * 256 + t] = s[255 - t];
}

__global__ void reverse_without_barrier_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  y[blockIdx.x * 256 + t] = s[255 - t];
}

// Two buffers in turn: one barrier a step is enough.
__global__ void two_buffers_kernel(const float* __restrict__ x, float* __restrict__ y, int steps) {
  __shared__ float s[2][256];
  int t = threadIdx.x;
  float v = x[blockIdx.x * 256 + t];
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    s[k & 1][t] = v;
    __syncthreads();
    v = 0.5f * (s[k & 1][t] + s[k & 1][t ^ 1]);
  }
  y[blockIdx.x * 256 + t] = v;
}

// One buffer, one barrier: the next step may overtake the neighbour's read.
__global__ void one_buffer_kernel(const float* __restrict__ x, float* __restrict__ y, int steps) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = x[blockIdx.x * 256 + t];
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    s[t] = v;
    __syncthreads();
    v = 0.5f * (v + s[t ^ 1]);
  }
  y[blockIdx.x * 256 + t] = v;
}

// Each thread of the first warp adds eight words 32 apart: no tree.
__global__ void columns_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  if (t < 32) {
    float sum = 0.0f;
#pragma unroll 1
    for (int k = t; k < 256; k += 32) sum += s[k];
    y[blockIdx.x * 32 + t] = sum;
  }
}

// A value that is stored for its own sake and used again.
__global__ void store_and_use_kernel(const float* __restrict__ x, float* __restrict__ t, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i] * x[i];
  t[i] = v;
  y[i] = v + 1.0f;
}

// One word for the block, written by one thread.
__global__ void broadcast_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float pivot;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) pivot = x[blockIdx.x];
  __syncthreads();
  if (i < n) y[i] = x[i] - pivot;
}

__global__ void broadcast_without_barrier_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float pivot;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) pivot = x[blockIdx.x];
  if (i < n) y[i] = x[i] - pivot;
}
