// Branches that every warp takes as a whole, each beside a twin that parts lanes; and expansions put together, which
// are no function of a library.
#define T threadIdx.x
#define KERNEL extern "C" __global__ void
#define FULL 0xffffffffu

// What the branches are about: a store and a loop, so that they stay branches.
#define WORK \
  { \
    v = v * v; \
    y[T + n] = v; \
    for (int k = 0; k < n; k++) v += x[k * n]; \
  }

KERNEL first_warp_kernel(const float* x, float* y, int n) {
  float v = x[T];
  if (T >> 5 == 0) WORK
  y[T] = v;
}

KERNEL half_warp_kernel(const float* x, float* y, int n) {
  float v = x[T];
  if (T >> 4 == 0) WORK
  y[T] = v;
}

KERNEL third_warp_on_kernel(const float* x, float* y, int n) {
  float v = x[T];
  if (T >= 64) WORK
  y[T] = v;
}

KERNEL past_forty_kernel(const float* x, float* y, int n) {
  float v = x[T];
  if (T >= 40) WORK
  y[T] = v;
}

KERNEL ballot_kernel(const float* x, float* y, int n) {
  float v = x[T];
  if (__ballot_sync(FULL, v > 0.0f) == FULL) WORK
  y[T] = v;
}

KERNEL own_ballot_bit_kernel(const float* x, float* y, int n) {
  float v = x[T];
  if (__ballot_sync(FULL, v > 0.0f) >> (T & 31) & 1) WORK
  y[T] = v;
}

KERNEL vote_kernel(const float* x, float* y, int n) {
  float v = x[T];
  if (__any_sync(FULL, v > 0.0f)) WORK
  y[T] = v;
}

KERNEL first_lane_kernel(const float* x, float* y, int n) {
  float v = x[T], s = __shfl_sync(FULL, v, 0);
  if (s > 0.0f) WORK
  y[T] = v;
}

KERNEL first_of_eight_kernel(const float* x, float* y, int n) {
  float v = x[T], s = __shfl_sync(FULL, v, 0, 8);
  if (s > 0.0f) WORK
  y[T] = v;
}

KERNEL other_lane_kernel(const float* x, float* y, int n) {
  float v = x[T], s = __shfl_xor_sync(FULL, v, 1);
  if (s > 0.0f) WORK
  y[T] = v;
}

KERNEL row_of_block_kernel(const float* x, float* y, int n) {
  float v = x[T];
  if (threadIdx.y == 0) WORK
  y[T] = v;
}

KERNEL inverse_root_kernel(const float* x, float* y) { y[T] = 1.0f / sqrtf(x[T]); }

KERNEL inverse_sum_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float d = 0.0f;
  for (int k = 0; k < n; k++) d += x[k];
  float inverse = 1.0f / d;
  for (int k = 0; k < n; k++) y[k] = x[k] * inverse;
}

// A tree, and the same with its barrier behind the loop.
KERNEL tree_kernel(const float* x, float* y) {
  extern __shared__ float s[];
  s[T] = x[T];
  __syncthreads();
  for (int d = blockDim.x / 2; d; d >>= 1) {
    if (T < d) s[T] += s[T + d];
    __syncthreads();
  }
  if (T == 0) y[blockIdx.x] = s[0];
}

KERNEL tree_racing_kernel(const float* x, float* y) {
  extern __shared__ float s[];
  s[T] = x[T];
  __syncthreads();
  for (int d = blockDim.x / 2; d; d >>= 1)
    if (T < d) s[T] += s[T + d];
  __syncthreads();
  if (T == 0) y[blockIdx.x] = s[0];
}
