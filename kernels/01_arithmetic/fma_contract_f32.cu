// lab: no-fast-math
// Seven ways to write a * b + c: whether the product and the sum become one instruction is decided by the uses of the
// product alone, by fixed rounding points, or by a boundary it must cross.

__global__ void fma_direct_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                  const float* __restrict__ c, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] * b[i] + c[i];
  }
}

__global__ void fma_tmp_kernel(const float* __restrict__ a, const float* __restrict__ b,
                               const float* __restrict__ c, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float t = a[i] * b[i];
    float out = t + c[i];
    y[i] = out;
  }
}

__global__ void fma_gap_kernel(const float* __restrict__ a, const float* __restrict__ b,
                               const float* __restrict__ c, float* __restrict__ aux, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float av = a[i];
    float bv = b[i];
    float cv = c[i];
    float t = av * bv;

    float k = av + cv;
    float m = k * 3.0f + bv;
    aux[i] = m;

    y[i] = t + cv;
  }
}

__global__ void fma_store_tmp_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                     const float* __restrict__ c, float* __restrict__ s, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float t = a[i] * b[i];
    s[i] = t;
    y[i] = t + c[i];
  }
}

__global__ void fma_rn_intrinsic_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                        const float* __restrict__ c, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float t = __fmul_rn(a[i], b[i]);
    y[i] = __fadd_rn(t, c[i]);
  }
}

__global__ void fma_volatile_global_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                           const float* __restrict__ c, volatile float* s, float* __restrict__ y,
                                           int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    s[i] = a[i] * b[i];
    float t = s[i];
    y[i] = t + c[i];
  }
}

__device__ __noinline__ float identity_noinline(float v) {
  return v;
}

__global__ void fma_noinline_boundary_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                             const float* __restrict__ c, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float t = identity_noinline(a[i] * b[i]);
    y[i] = t + c[i];
  }
}
