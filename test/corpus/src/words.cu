// What an expression must say to be true: which value of a variable, of which sign, of which element, in which width.

// The divisor before the last remainder leaves the loop.
__global__ void greatest_divisor_kernel(const unsigned* __restrict__ x, const unsigned* __restrict__ z, unsigned* __restrict__ y) {
  unsigned u = x[threadIdx.x], v = z[threadIdx.x];
  while (v) {
    unsigned t = u % v;
    u = v;
    v = t;
  }
  y[threadIdx.x] = u;
}

// The negative element is not added.
__global__ void sum_until_negative_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if (x[i] < 0.0f) break;
    s += x[i];
  }
  y[threadIdx.x] = s;
}

// Each of the two takes the other's old value.
__global__ void turned_pair_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float p = 1.0f, q = 2.0f;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    float t = p * x[i] - q;
    q = q * x[i] + p;
    p = t;
  }
  y[threadIdx.x] = p;
}

// The commonest guard.
__global__ void signed_guard_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int t = threadIdx.x;
  if (t < n) y[t] = x[t] * 2.0f;
}

// One element that is no multiple of others does not make bytes of them.
__global__ void odd_elements_kernel(const float* __restrict__ x, float* __restrict__ y) {
  int t = threadIdx.x;
  y[t] = x[4 * t] + x[t ^ 1];
  y[t + 1024] = *(const float*)((const char*)x + (t << 2 ^ 6) + 2);
}

// A warp in segments of eight.
__global__ void segment_shuffle_kernel(const float* __restrict__ x, float* __restrict__ y) {
  y[threadIdx.x] = __shfl_down_sync(~0u, x[threadIdx.x], 1, 8);
}

// The place of the largest of a warp: the lower one where two are alike.
__global__ void place_of_largest_kernel(const float* __restrict__ x, int* __restrict__ y) {
  float v = x[threadIdx.x];
  int at = threadIdx.x;
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    float u = __shfl_xor_sync(~0u, v, d);
    int k = __shfl_xor_sync(~0u, at, d);
    if (u > v || (u == v && k < at)) {
      v = u;
      at = k;
    }
  }
  y[threadIdx.x] = at;
}

// Registers kept over a recursion are no array.
__device__ __noinline__ float product_down(float a, int n) { return n <= 1 ? a : a * product_down(a + 1.0f, n - 1); }
__global__ void recursion_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  y[threadIdx.x] = product_down(x[threadIdx.x], n);
}

// Counted at an index, read at fixed places: an array, nothing spilled.
__global__ void small_histogram_kernel(const int* __restrict__ x, int* __restrict__ y, int n) {
  int h[8] = {0};
  for (int i = 0; i < n; i++) h[x[i] & 7]++;
#pragma unroll
  for (int i = 0; i < 8; i++) y[8 * threadIdx.x + i] = h[i];
}
