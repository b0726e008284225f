// Rows longer than a block: each thread takes every 256th element, so the loops are strided by threads and unrolled by the
// compiler into pieces that branches choose between. None of those branches is the source's.

// The sum of 256 values by a tree; every thread gets it.
__device__ float sum_of_block(float v, float* s) {
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  return s[0];
}

// RMS norm of a row of n elements.
__global__ void rms_row_kernel(const float* __restrict__ x, const float* __restrict__ g, float* __restrict__ y, int n) {
  __shared__ float s[256];
  const float* row = x + (size_t)blockIdx.x * n;
  float* out = y + (size_t)blockIdx.x * n;
  float v = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) v += row[i] * row[i];
  float r = rsqrtf(sum_of_block(v, s) * (1.0f / 256.0f) + 1e-5f);
  for (int i = threadIdx.x; i < n; i += 256) out[i] = row[i] * r * g[i];
}

// Layer norm of a row of n elements, the variance after the mean.
__global__ void layernorm_row_kernel(const float* __restrict__ x, const float* __restrict__ g, const float* __restrict__ b,
                                     float* __restrict__ y, int n) {
  __shared__ float s[256];
  const float* row = x + (size_t)blockIdx.x * n;
  float* out = y + (size_t)blockIdx.x * n;
  float v = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) v += row[i];
  float mean = sum_of_block(v, s) / n;
  __syncthreads();
  float e = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) e += (row[i] - mean) * (row[i] - mean);
  float r = rsqrtf(sum_of_block(e, s) / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += 256) out[i] = (row[i] - mean) * r * g[i] + b[i];
}

// The squared distances from the mean, added into one element a row.
__global__ void centered_energy_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[256];
  const float* row = x + (size_t)blockIdx.x * n;
  float v = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) v += row[i];
  float mean = sum_of_block(v, s) / n;
  float e = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) e += (row[i] - mean) * (row[i] - mean);
  atomicAdd(&y[blockIdx.x], e);
}

// The loop's own if is the source's: threads of one warp take different ways.
__global__ void positive_row_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const float* row = x + (size_t)blockIdx.x * n;
  float* out = y + (size_t)blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += 256) {
    float v = row[i];
    if (v > 0.0f) {
      float w = v;
#pragma unroll
      for (int k = 0; k < 32; ++k) w = w * w + 0.5f;
      out[i] = w;
    }
  }
}
