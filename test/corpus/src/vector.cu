// Elementwise kernels over float4 and float2.

__global__ void copy_vec4_kernel(const float4* __restrict__ x, float4* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i];
  }
}

__global__ void add_vec4_kernel(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ y,
                                int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 p = a[i];
    float4 q = b[i];
    y[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
  }
}

__global__ void relu_vec4_kernel(const float4* __restrict__ x, float4* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 p = x[i];
    y[i] = make_float4(fmaxf(p.x, 0.0f), fmaxf(p.y, 0.0f), fmaxf(p.z, 0.0f), fmaxf(p.w, 0.0f));
  }
}

__global__ void fma_vec2_kernel(const float2* __restrict__ a, const float2* __restrict__ b,
                                const float2* __restrict__ c, float2* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 p = a[i];
    float2 q = b[i];
    float2 r = c[i];
    y[i] = make_float2(p.x * q.x + r.x, p.y * q.y + r.y);
  }
}

// Sixteen bytes that the code makes as two numbers of 64 bits: four elements all the same.
__global__ void zero_fill_kernel(float4* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__global__ void sum_vec4_kernel(const float4* __restrict__ x, float4* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    float4 p = x[i + 1024 * k];
    sum.x += p.x;
    sum.y += p.y;
    sum.z += p.z;
    sum.w += p.w;
  }
  y[i] = sum;
}
