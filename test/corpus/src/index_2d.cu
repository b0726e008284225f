// The elementwise kernels over a width x height plane: one global index a dimension, rows of `width` elements.

__global__ void copy_2d_kernel(const float* __restrict__ x, float* __restrict__ y, int width, int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height) {
    y[row * width + col] = x[row * width + col];
  }
}

__global__ void add_2d_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y,
                              int width, int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height) {
    y[row * width + col] = a[row * width + col] + b[row * width + col];
  }
}

__global__ void mul_2d_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y,
                              int width, int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height) {
    y[row * width + col] = a[row * width + col] * b[row * width + col];
  }
}

__global__ void fma_2d_kernel(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c,
                              float* __restrict__ y, int width, int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height) {
    y[row * width + col] = a[row * width + col] * b[row * width + col] + c[row * width + col];
  }
}

__global__ void relu_2d_kernel(const float* __restrict__ x, float* __restrict__ y, int width, int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height) {
    float v = x[row * width + col];
    y[row * width + col] = v > 0.0f ? v : 0.0f;
  }
}

__global__ void clamp_2d_kernel(const float* __restrict__ x, float* __restrict__ y, float lo, float hi, int width,
                                int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height) {
    float v = x[row * width + col];
    if (v < lo) v = lo;
    if (v > hi) v = hi;
    y[row * width + col] = v;
  }
}
