// What a compiler did, and what a person wrote so: each pair looks alike in the PTX, the source tells.

__global__ void fused_by_compiler_kernel(const float* __restrict__ x, float* __restrict__ y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + 1.0f;
  }
}

__global__ void fused_by_hand_kernel(const float* __restrict__ x, float* __restrict__ y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = fmaf(a, x[i], 1.0f);
  }
}

__global__ void fused_late_kernel(const float* __restrict__ x, float* __restrict__ y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float t;
    asm("mul.f32 %0, %1, %2;" : "=f"(t) : "f"(a), "f"(x[i]));
    asm("add.f32 %0, %1, %2;" : "=f"(y[i]) : "f"(t), "f"(1.0f));
  }
}

__global__ void left_early_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] + x[i];
}

__global__ void maximum_called_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = fmaxf(x[i], 0.0f);
  }
}

__global__ void maximum_formed_late_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    if (v < -1.5f) v = -1.5f;
    y[i] = v;
  }
}

__global__ void choice_kernel(const float* __restrict__ x, float* __restrict__ y, float a, float b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] > 1.0f ? a : b;
  }
}

// Four copies by hand, under a pragma that forbids more.
__global__ void unrolled_by_hand_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; i += 4) {
    s += x[i];
    s += x[i + 1];
    s += x[i + 2];
    s += x[i + 3];
  }
  y[threadIdx.x] = s;
}

__global__ void unrolled_by_compiler_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
#pragma unroll 4
  for (int i = 0; i < n; i++) {
    s += x[i];
  }
  y[threadIdx.x] = s;
}

__device__ float square(float v) {
  return v * v;
}

__device__ __noinline__ float far_away(float v) {
  return v * v - 1.0f;
}

__global__ void inlined_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = square(x[i]);
  }
}

__global__ void called_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = far_away(x[i]);
  }
}

// Exact by default: a quotient, a root and an exponential.
__global__ void exact_kernel(const float* __restrict__ x, float* __restrict__ y, float* __restrict__ z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] / y[i];
    z[i] = sqrtf(x[i]);
  }
}
