// Bounds that are the parameter only as far as anyone would walk: beyond, the loop does another number of steps.

__global__ void low_bits_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  if (n < 1) return;
  float s = 0.0f;
  for (int i = 0; i < (n & 4095); ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void remainder_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  if (n < 1) return;
  float s = 0.0f;
  for (int i = 0; i < n % 5000; ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void unsigned_short_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  if (n < 1) return;
  float s = 0.0f;
  for (int i = 0; i < (int)(unsigned short)n; ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void shifted_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  if (n < 1) return;
  float s = 0.0f;
  for (int i = 0; i < ((n << 20) >> 20); ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void plain_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  if (n < 1) return;
  float s = 0.0f;
  for (int i = 0; i < n; ++i) s += x[i];
  y[threadIdx.x] = s;
}

// The guard compares n itself.
__global__ void low_bits_strided_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  if ((int)threadIdx.x >= n) return;
  float s = 0.0f;
  for (int i = threadIdx.x; i < (n & 0xfffff); i += 256) s += x[i];
  y[threadIdx.x] = s;
}
