// One word that several threads write, with and without a promise of the launch, and elements that nobody has stored;
// twins beside them that are right. What must be said of each: test/golden/facts/variants/meets.facts.

// Threads 64 apart have one word.
extern "C" __global__ void round_bad(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i % 64] += x[i];
}

extern "C" __global__ void round_shared_bad(float* y, const float* x) {
  __shared__ float s[16];
  int t = threadIdx.x;
  if (t < 16) s[t] = 0.0f;
  __syncthreads();
  s[t & 15] += x[t];
  __syncthreads();
  if (t < 16) y[t] = s[t];
}

extern "C" __global__ void sum_bad(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[0] += x[i];
}

extern "C" __global__ void sum_atomic_ok(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(y, x[i]);
}

extern "C" __global__ void last_one_ok(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i + 1 >= n) y[0] = x[i];
}

extern "C" __global__ void between_bad(float* y, const float* x, int from, int to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= from && i < to) y[0] = x[i];
}

extern "C" __global__ void flag_ok(int* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.0f) y[0] = 1;
}

// All lanes have the same sum.
extern "C" __global__ void warp_sum_ok(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  y[i / 32] = v;
}

// The distance is a parameter, the end of the array bounds the reader.
extern "C" __global__ void ahead_bad(float* x, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - k) x[i] = x[i + k];
}

extern "C" __global__ void ahead_apart_ok(float* x, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < k && i + k < n) x[i] += x[i + k];
}

// Whose element it is, is a parameter's multiple.
extern "C" __global__ void scaled_bad(const float* __restrict__ x, float* __restrict__ y, int m) {
  extern __shared__ float e[];
  int t = threadIdx.x;
  e[t] = x[t];
  y[t] = t > 0 ? e[t * m - 1] : 0.0f;
}

extern "C" __global__ void halo_last_bad(float* y, const float* x) {
  __shared__ float s[257];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  y[t] = s[t + 1] - s[t];
}

extern "C" __global__ void halo_first_bad(float* y, const float* x) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  y[t] = s[t] - s[t - 1];
}

extern "C" __global__ void halo_filled_ok(float* y, const float* x) {
  __shared__ float s[257];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t == 0) s[blockDim.x] = x[blockDim.x];
  __syncthreads();
  y[t] = s[t + 1] - s[t];
}

extern "C" __global__ void halo_chosen_ok(float* y, const float* x) {
  __shared__ float s[257];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  float next = s[t + 1];
  y[t] = t < 255 ? next - s[t] : 0.0f;
}

extern "C" __global__ void halo_guarded_ok(float* y, const float* x) {
  __shared__ float s[257];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < blockDim.x - 1) y[t] = s[t + 1] - s[t];
}

// What a warp puts down is written over by the first warp before others read it.
extern "C" __global__ void sums_scanned_ok(const int* __restrict__ x, int* __restrict__ y) {
  __shared__ int sums[32];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5, v = x[t];
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) sums[lane] = lane < blockDim.x / 32 ? 2 * sums[lane] : 0;
  __syncthreads();
  y[t] = warp > 0 ? v + sums[warp - 1] : v;
}

// An index that is spread over the array is each thread's own where the block ends there.
extern "C" __global__ void spread_ok(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[(17 * t) & 255] = x[t];
  __syncthreads();
  y[t] = s[(t + 1) & 255];
}

// The last step of the tree is read by all, with no barrier behind it. A block of one thread passes no barrier at all,
// but then nobody else has stored.
extern "C" __global__ void tree_read_bad(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, size = blockDim.x;
  s[t] = i < n ? x[i] : 0.0f;
  for (int d = size / 2; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  y[i] = x[i] - s[0];
}

extern "C" __global__ void tree_read_ok(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, size = blockDim.x;
  s[t] = i < n ? x[i] : 0.0f;
  for (int d = size / 2; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  __syncthreads();
  y[i] = x[i] - s[0];
}
