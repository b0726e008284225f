// The elementwise kernels for another front end: clang's CUDA mode without any CUDA header.

#define __global__ __attribute__((global))

#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define DIM __nvvm_read_ptx_sreg_ntid_x()
#define THREAD __nvvm_read_ptx_sreg_tid_x()

__global__ void copy_clang_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = BLOCK * DIM + THREAD;
  if (i < n) {
    y[i] = x[i];
  }
}

__global__ void add_clang_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y,
                                 int n) {
  int i = BLOCK * DIM + THREAD;
  if (i < n) {
    y[i] = a[i] + b[i];
  }
}

__global__ void fma_clang_kernel(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c,
                                 float* __restrict__ y, int n) {
  int i = BLOCK * DIM + THREAD;
  if (i < n) {
    y[i] = a[i] * b[i] + c[i];
  }
}

__global__ void relu_clang_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = BLOCK * DIM + THREAD;
  if (i < n) {
    float v = x[i];
    y[i] = v > 0.0f ? v : 0.0f;
  }
}

__global__ void clamp_clang_kernel(const float* __restrict__ x, float* __restrict__ y, float lo, float hi, int n) {
  int i = BLOCK * DIM + THREAD;
  if (i < n) {
    float v = x[i];
    if (v < lo) v = lo;
    if (v > hi) v = hi;
    y[i] = v;
  }
}
