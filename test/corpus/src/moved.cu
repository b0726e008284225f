// What an assembler keeps elsewhere than its input says, beside what looks alike: each first kernel has its loads or its
// work written down one by one, so that only the assembler can have moved them.

__device__ __forceinline__ float shared_word(const float* p) {
  float v;
  asm("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"((unsigned)__nv_cvta_generic_to_shared_impl(p)));
  return v;
}

__global__ void vector_late_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ __align__(16) float t[512];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  const float* p = t + (4 * i & 508);
  y[i] = (shared_word(p) + shared_word(p + 1)) * (shared_word(p + 2) + shared_word(p + 3));
}

// A float4 in the source: nobody made one of four.
__global__ void vector_early_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ __align__(16) float t[512];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  float4 v = *reinterpret_cast<const float4*>(t + (4 * i & 508));
  y[i] = (v.x + v.y) * (v.z + v.w);
}

// Words that do not lie side by side.
__global__ void apart_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ __align__(16) float t[512];
  int i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  const float* p = t + (4 * i & 508);
  y[i] = (shared_word(p) + shared_word(p + 2)) * (shared_word(p + 1) + shared_word(p + 64));
}

__device__ __forceinline__ float reciprocal(float d) {
  float r;
  asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(d));  // volatile: it stays in the loop of the PTX
  return r;
}

__global__ void hoisted_kernel(const float* __restrict__ x, float* __restrict__ y, float d, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    s += x[k] * reciprocal(d);
  }
  y[threadIdx.x] = s;
}

// Another value each turn.
__global__ void turning_kernel(const float* __restrict__ x, float* __restrict__ y, float d, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    s += x[k] * reciprocal(d + s);
  }
  y[threadIdx.x] = s;
}

// Before the loop already.
__global__ void before_kernel(const float* __restrict__ x, float* __restrict__ y, float d, int n) {
  float s = 0.0f, r = reciprocal(d);
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    s += x[k] * r;
  }
  y[threadIdx.x] = s;
}
