// The elementwise kernels with other parameter names in another order.

__global__ void copy_params_kernel(int count, float* __restrict__ dst, const float* __restrict__ src) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) {
    dst[k] = src[k];
  }
}

__global__ void add_params_kernel(float* __restrict__ out, int count, const float* __restrict__ right,
                                  const float* __restrict__ left) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) {
    out[k] = left[k] + right[k];
  }
}

__global__ void mul_params_kernel(float* __restrict__ out, int count, const float* __restrict__ right,
                                  const float* __restrict__ left) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) {
    out[k] = left[k] * right[k];
  }
}

__global__ void fma_params_kernel(const float* __restrict__ addend, float* __restrict__ out,
                                  const float* __restrict__ right, int count, const float* __restrict__ left) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) {
    out[k] = left[k] * right[k] + addend[k];
  }
}

__global__ void relu_params_kernel(int count, const float* __restrict__ in, float* __restrict__ out) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) {
    float t = in[k];
    out[k] = t > 0.0f ? t : 0.0f;
  }
}

__global__ void clamp_params_kernel(float top, int count, const float* __restrict__ in, float bottom,
                                    float* __restrict__ out) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) {
    float t = in[k];
    if (t < bottom) t = bottom;
    if (t > top) t = top;
    out[k] = t;
  }
}
