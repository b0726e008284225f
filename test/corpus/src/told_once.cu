// What a reader is easily told under another's name: bytes as elements, the elements of one step as two steps, what an
// expansion computed as a value that was only moved.

// Words are kept where their byte offset, turned by the row, says.
__global__ void byte_swizzle_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ char s[4096];
  unsigned t = threadIdx.x;
  *reinterpret_cast<float*>(s + ((128 * (t & 31)) + (((t & 0x60) >> 3) ^ ((t << 2) & 0x1c)))) = x[t];
  __syncthreads();
  y[t] = *reinterpret_cast<float*>(s + ((t * 16) ^ ((t >> 3) & 12)));
}

// The same offset by element.
__global__ void element_swizzle_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t ^ ((t >> 5) & 7)] = x[t];
  __syncthreads();
  y[t] = s[(t & 31) * 8 + (t >> 5)];
}

// A turn takes a tile of 256, two elements a thread, each as far as the row goes: nobody unrolled it.
__global__ void two_elements_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int t = threadIdx.x & 127;
#pragma unroll 1
  for (int k = 0; k < n; k += 256) {
    int a = k + t, b = k + t + 128;
    if (a < n) y[a] = x[a] * 3.0f;
    if (b < n) y[b] = x[b] * 3.0f;
  }
}

// A quotient, and a root, are what shared memory holds.
__global__ void shared_quotient_kernel(const float* __restrict__ x, float* __restrict__ y, float d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t] / d;
  __syncthreads();
  y[t] = s[255 - t];
}

__global__ void shared_root_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = sqrtf(x[t]);
  __syncthreads();
  y[t] = s[255 - t];
}

// Only moved: no arithmetic between the two barriers.
__global__ void shared_moves_kernel(const float* __restrict__ x, float* __restrict__ y, float d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  float v = s[255 - t];
  __syncthreads();
  s[t] = v;
  __syncthreads();
  y[t] = s[t ^ 1];
}

// One thread puts the inverse of a norm where all find it.
__global__ void shared_norm_kernel(const float* __restrict__ x, float* __restrict__ y, float a) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  float v = s[255 - t];
  __syncthreads();
  if (t == 0) s[0] = rsqrtf(v);
  __syncthreads();
  y[t] = x[t] * s[0];
}

// The sum that a logarithm alone takes from its loop.
__global__ void log_of_sum_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.0f;
  for (int j = 0; j < n; j++) s += x[r * n + j];
  y[r] = logf(s);
}
