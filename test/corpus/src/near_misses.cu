// Kernels that look like a pattern and are none: each changes one thing that decides.

__global__ void min_zero_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v < 0.0f ? v : 0.0f;
  }
}

__global__ void max_zero_nan_kept_zero_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v >= 0.0f ? v : 0.0f;
  }
}

__global__ void max_zero_nan_passes_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v < 0.0f ? 0.0f : v;
  }
}

__global__ void threshold_value_kernel(const float* __restrict__ x, float* __restrict__ y, float t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v > t ? v : 0.0f;
  }
}

__global__ void leaky_kernel(const float* __restrict__ x, float* __restrict__ y, float slope, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v > 0.0f ? v : slope * v;
  }
}

__global__ void select_other_operands_kernel(const float* __restrict__ x, float* __restrict__ y, float lo, float hi,
                                             float p, float q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    float r = v < lo ? p : v;
    y[i] = r > hi ? q : r;
  }
}

__global__ void clamp_swapped_bounds_kernel(const float* __restrict__ x, float* __restrict__ y, float lo, float hi,
                                            int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    float r = v < lo ? hi : v;
    y[i] = r > hi ? lo : r;
  }
}

__global__ void clamp_outer_compares_input_kernel(const float* __restrict__ x, float* __restrict__ y, float lo,
                                                  float hi, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    float r = v < lo ? lo : v;
    y[i] = v > hi ? r : hi;
  }
}

__global__ void clamp_lower_twice_kernel(const float* __restrict__ x, float* __restrict__ y, float lo, float hi,
                                         int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    float r = v < lo ? lo : v;
    y[i] = r < hi ? hi : r;
  }
}

__global__ void mul_then_add_other_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                          const float* __restrict__ c, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = (a[i] + b[i]) * c[i];
  }
}

__global__ void index_shifted_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i + 1];
  }
}

__global__ void index_reversed_bound_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) {
    y[i] = x[i];
  }
}

__global__ void index_block_only_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x;
  if (i < n) {
    y[i] = x[i];
  }
}

__global__ void index_swapped_dims_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = threadIdx.x * blockDim.x + blockIdx.x;
  if (i < n) {
    y[i] = x[i];
  }
}
