// Elementwise kernels over integers, bytes, doubles and halves.

#include <cuda_fp16.h>

__global__ void add_int_kernel(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] + b[i];
  }
}

__global__ void fma_int_kernel(const int* __restrict__ a, const int* __restrict__ b, const int* __restrict__ c,
                               int* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] * b[i] + c[i];
  }
}

__global__ void relu_int_kernel(const int* __restrict__ x, int* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int v = x[i];
    y[i] = v > 0 ? v : 0;
  }
}

__global__ void clamp_int_kernel(const int* __restrict__ x, int* __restrict__ y, int lo, int hi, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int v = x[i];
    if (v < lo) v = lo;
    if (v > hi) v = hi;
    y[i] = v;
  }
}

__global__ void add_u8_kernel(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b,
                              unsigned char* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] + b[i];
  }
}

__global__ void fma_u8_kernel(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b,
                              const unsigned char* __restrict__ c, unsigned char* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] * b[i] + c[i];
  }
}

__global__ void relu_u8_kernel(const unsigned char* __restrict__ x, unsigned char* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned char v = x[i];
    y[i] = v > 0 ? v : 0;
  }
}

__global__ void clamp_u8_kernel(const unsigned char* __restrict__ x, unsigned char* __restrict__ y, unsigned char lo,
                                unsigned char hi, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned char v = x[i];
    if (v < lo) v = lo;
    if (v > hi) v = hi;
    y[i] = v;
  }
}

__global__ void add_f64_kernel(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ y,
                               int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] + b[i];
  }
}

__global__ void fma_f64_kernel(const double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c,
                               double* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] * b[i] + c[i];
  }
}

__global__ void relu_f64_kernel(const double* __restrict__ x, double* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = x[i];
    y[i] = v > 0.0 ? v : 0.0;
  }
}

__global__ void clamp_f64_kernel(const double* __restrict__ x, double* __restrict__ y, double lo, double hi, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = x[i];
    if (v < lo) v = lo;
    if (v > hi) v = hi;
    y[i] = v;
  }
}

__global__ void add_half_kernel(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ y,
                                int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = __hadd(a[i], b[i]);
  }
}

__global__ void fma_half2_kernel(const __half2* __restrict__ a, const __half2* __restrict__ b,
                                 const __half2* __restrict__ c, __half2* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = __hfma2(a[i], b[i], c[i]);
  }
}

__global__ void relu_half_kernel(const __half* __restrict__ x, __half* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = __hmax(x[i], __float2half(0.0f));
  }
}

__global__ void convert_half_kernel(const __half* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = __half2float(x[i]);
  }
}

__global__ void convert_int_kernel(const int* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = (float)x[i];
  }
}

__global__ void add_long_kernel(const long long* __restrict__ a, const long long* __restrict__ b,
                                long long* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] + b[i];
  }
}
