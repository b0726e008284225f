// Loops within loops that were unrolled whole, loops whose first turn was taken out before them, accumulators side by side.

// The inner loop is unrolled whole: what a step of it adds is x[4 * i + k], not the first of the four.
__global__ void sum_fours_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) s += x[4 * i + k];
  y[threadIdx.x] = s;
}

__global__ void weighted_fives_kernel(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 5; ++k) s = s * 0.5f + x[5 * i + k] * w[4 - k];
  y[threadIdx.x] = s;
}

// Two steps are written out: no inner loop is claimed, and both are there.
__global__ void sum_pairs_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    s += x[2 * i];
    s += x[2 * i + 1];
  }
  y[threadIdx.x] = s;
}

// Four accumulators: each piece reaches as far as all of them do.
__global__ void sum_float4_kernel(const float4* __restrict__ x, float4* __restrict__ y, int n) {
  float4 s = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int i = 0; i < n; ++i) {
    float4 v = x[i * 32 + threadIdx.x];
    s.x += v.x;
    s.y += v.y;
    s.z += v.z;
    s.w += v.w;
  }
  y[threadIdx.x] = s;
}

// The last eight elements: some compilers move the loads of the main loop's last turn behind it.
__global__ void last_eight_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float a[8];
  for (int i = 0; i < n; ++i) a[i & 7] = x[i];
  float s = 0.0f;
  for (int i = 0; i < 8; ++i) s += a[i];
  y[threadIdx.x] = s;
}

__device__ __forceinline__ float heavy(float v) {
#pragma unroll
  for (int k = 0; k < 8; ++k) v = v * v + 0.5f;
  return v;
}

// Two turns at once; an odd one is taken out in front, on a condition of its own.
__global__ void heavy_sum_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
#pragma unroll 2
  for (int i = threadIdx.x; i < n; i += 256) s += heavy(x[i]);
  y[threadIdx.x] = s;
}

__global__ void heavy_positive_sum_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
#pragma unroll 2
  for (int i = threadIdx.x; i < n; i += 256) {
    float v = x[i];
    if (v > 0.0f) s += heavy(v);
  }
  y[threadIdx.x] = s;
}

__global__ void heavy_map_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
#pragma unroll 2
  for (int i = threadIdx.x; i < n; i += 256) y[i] = heavy(x[i]);
}

// The source itself does a turn before the loop, whatever n is: no piece.
__global__ void begun_by_hand_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int begun) {
  int i = 0;
  if (begun) {
    y[0] = heavy(x[0]);
    i = 1;
  }
#pragma unroll 1
  for (; i < n; ++i) y[i] = heavy(x[i]);
}

// Alike but for how often they go round.
__global__ void hundred_turns_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < 100; ++i) s += x[i * 32 + threadIdx.x];
  y[threadIdx.x] = s;
}

__global__ void two_hundred_turns_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < 200; ++i) s += x[i * 32 + threadIdx.x];
  y[threadIdx.x] = s;
}

// Three do not divide a hundred: the turn that is taken out before the loop is one of the hundred.
__global__ void hundred_by_threes_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float s = 1.0f;
#pragma unroll 3
  for (int i = 0; i < 100; ++i) s = s * x[i] + 0.5f;
  y[threadIdx.x] = s;
}

// The signs of two turns go out: the main loop does not do what the turns left over before it do.
__global__ void negated_product_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float v = 1.0f;
  for (int i = threadIdx.x; i < n; i += 32) v *= -x[i];
  y[threadIdx.x] = v;
}
