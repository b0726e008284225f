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
