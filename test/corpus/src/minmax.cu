// Maximum, minimum, clamp and their relatives, each written several ways.

__global__ void max_call_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = fmaxf(v, 0.0f);
  }
}

__global__ void max_ternary_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v > 0.0f ? v : 0.0f;
  }
}

__global__ void max_ternary_swapped_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = 0.0f < v ? v : 0.0f;
  }
}

__global__ void max_if_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    if (!(v > 0.0f)) v = 0.0f;
    y[i] = v;
  }
}

__global__ void max_not_less_equal_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v <= 0.0f ? 0.0f : v;
  }
}

__global__ void clamp_calls_kernel(const float* __restrict__ x, float* __restrict__ y, float lo, float hi, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = fminf(fmaxf(v, lo), hi);
  }
}

__global__ void clamp_calls_other_order_kernel(const float* __restrict__ x, float* __restrict__ y, float lo, float hi,
                                               int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = fmaxf(fminf(v, hi), lo);
  }
}

__global__ void clamp_ternary_kernel(const float* __restrict__ x, float* __restrict__ y, float lo, float hi, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v < lo ? lo : (v > hi ? hi : v);
  }
}

__global__ void clamp_constant_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    if (v < -1.5f) v = -1.5f;
    if (v > 2.5f) v = 2.5f;
    y[i] = v;
  }
}

__global__ void clamp_zero_six_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    if (v < 0.0f) v = 0.0f;
    if (v > 6.0f) v = 6.0f;
    y[i] = v;
  }
}

__global__ void relu6_calls_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = fminf(fmaxf(v, 0.0f), 6.0f);
  }
}

__global__ void saturate_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = __saturatef(v);
  }
}

__global__ void absolute_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = fabsf(v);
  }
}

__global__ void negate_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = -v;
  }
}

__global__ void max_two_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = fmaxf(a[i], b[i]);
  }
}

__global__ void max_two_ternary_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y,
                                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float av = a[i];
    float bv = b[i];
    y[i] = av > bv ? av : bv;
  }
}

__global__ void min_two_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = fminf(a[i], b[i]);
  }
}

__global__ void axpy_kernel(float alpha, const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = alpha * x[i] + y[i];
  }
}

__global__ void sub_mul_kernel(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c,
                               float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] * b[i] - c[i];
  }
}

__global__ void scale_shift_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] * 0.5f + 3.0f;
  }
}
