// Kernels in which threads exchange through shared memory: scans, stencils, products, sorts.

// Inclusive scan of a block, doubling distances, both barriers.
__global__ void scan_inclusive_kernel(const int* __restrict__ x, int* __restrict__ y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d <<= 1) {
    int v = 0;
    if (t >= d) v = s[t - d];
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (i < n) y[i] = s[t];
}

// Work-efficient scan (up-sweep, down-sweep), exclusive.
__global__ void scan_sweep_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  int d = 1;
  s[2 * t] = x[2 * t];
  s[2 * t + 1] = x[2 * t + 1];
#pragma unroll 1
  for (int k = n >> 1; k > 0; k >>= 1) {
    __syncthreads();
    if (t < k) s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1];
    d *= 2;
  }
  if (t == 0) s[n - 1] = 0.0f;
#pragma unroll 1
  for (int k = 1; k < n; k *= 2) {
    d >>= 1;
    __syncthreads();
    if (t < k) {
      int a = d * (2 * t + 1) - 1, b = d * (2 * t + 2) - 1;
      float v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  __syncthreads();
  y[2 * t] = s[2 * t];
  y[2 * t + 1] = s[2 * t + 1];
}

// A running maximum over the threads of a block.
__global__ void prefix_max_kernel(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + t;
  s[t] = x[i];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d <<= 1) {
    float v = s[t];
    if (t >= d) v = fmaxf(v, s[t - d]);
    __syncthreads();
    s[t] = v;
    __syncthreads();
  }
  y[i] = s[t];
}

// Three points, halo of one on either side.
__global__ void stencil_shared_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[258];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t + 1] = i < n ? x[i] : 0.0f;
  if (t == 0) s[0] = i > 0 ? x[i - 1] : 0.0f;
  if (t == 255) s[257] = i + 1 < n ? x[i + 1] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}

// The same without its barrier: the neighbours may not be there yet.
__global__ void stencil_without_barrier_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[258];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t + 1] = i < n ? x[i] : 0.0f;
  if (t == 0) s[0] = i > 0 ? x[i - 1] : 0.0f;
  if (t == 255) s[257] = i + 1 < n ? x[i + 1] : 0.0f;
  if (i < n) y[i] = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}

// Counts in shared memory, added to the global ones at the end.
__global__ void histogram_kernel(const unsigned char* __restrict__ x, unsigned* __restrict__ bins, int n) {
  __shared__ unsigned h[256];
  h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[x[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}

// Grid-stride, then a tree, then one atomic a block.
__global__ void dot_product_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = 0.0f;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += a[i] * b[i];
  s[t] = v;
  __syncthreads();
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) atomicAdd(y, s[0]);
}

// Through a tile whose rows are 33 words apart, and one whose rows are 32.
__global__ void transpose_33_kernel(const float* __restrict__ x, float* __restrict__ y, int w, int h) {
  __shared__ float s[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  if (c < w && r < h) s[threadIdx.y][threadIdx.x] = x[r * w + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
  if (c < h && r < w) y[r * h + c] = s[threadIdx.x][threadIdx.y];
}

__global__ void transpose_32_kernel(const float* __restrict__ x, float* __restrict__ y, int w, int h) {
  __shared__ float s[32][32];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  if (c < w && r < h) s[threadIdx.y][threadIdx.x] = x[r * w + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
  if (c < h && r < w) y[r * h + c] = s[threadIdx.x][threadIdx.y];
}

// n is a multiple of 16; blocks of 16 by 16 threads.
__global__ void matmul_tiled_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0.0f;
  for (int k = 0; k < n; k += 16) {
    as[ty][tx] = a[row * n + k + tx];
    bs[ty][tx] = b[(k + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j) sum += as[ty][j] * bs[j][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// The second barrier is missing: the next tile may overtake the sum.
__global__ void matmul_one_barrier_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                          int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; k += 16) {
    as[ty][tx] = a[row * n + k + tx];
    bs[ty][tx] = b[(k + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j) sum += as[ty][j] * bs[j][tx];
  }
  c[row * n + col] = sum;
}

// The largest element and where it stands, by a tree over pairs.
__global__ void argmax_kernel(const float* __restrict__ x, int* __restrict__ y) {
  __shared__ float best[128];
  __shared__ int where[128];
  int t = threadIdx.x;
  best[t] = x[blockIdx.x * 128 + t];
  where[t] = t;
  __syncthreads();
#pragma unroll 1
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d && best[t + d] > best[t]) {
      best[t] = best[t + d];
      where[t] = where[t + d];
    }
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = where[0];
}

// One compare-and-exchange step of a bitonic sort, in shared memory.
__global__ void bitonic_step_kernel(float* x, int j, int k) {
  __shared__ float s[512];
  unsigned t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  unsigned other = t ^ j;
  if (other > t) {
    float a = s[t], b = s[other];
    bool up = (t & k) == 0;
    if ((a > b) == up) {
      s[t] = b;
      s[other] = a;
    }
  }
  __syncthreads();
  x[t] = s[t];
}

// Layer norm of a row: mean and variance by two trees, each element in a register.
__global__ void layernorm_kernel(const float* __restrict__ x, const float* __restrict__ g, const float* __restrict__ b,
                                 float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = x[blockIdx.x * 256 + t];
  s[t] = v;
  __syncthreads();
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  float c = v - s[0] * (1.0f / 256.0f);
  __syncthreads();
  s[t] = c * c;
  __syncthreads();
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  y[blockIdx.x * 256 + t] = c * rsqrtf(s[0] * (1.0f / 256.0f) + 1e-5f) * g[t] + b[t];
}

// The same without the mean.
__global__ void rmsnorm_kernel(const float* __restrict__ x, const float* __restrict__ g, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = x[blockIdx.x * 256 + t];
  s[t] = v * v;
  __syncthreads();
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  y[blockIdx.x * 256 + t] = v * rsqrtf(s[0] * (1.0f / 256.0f) + 1e-5f) * g[t];
}
