// The reduction of a block, softmax of a row, and its running form through clang's NVPTX front end, which needs no CUDA headers.
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

extern __shared__ float tile[];

static inline __attribute__((device)) float reciprocal(float v) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}

__global__ void clang_reduce_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + t;
  float v = 0.0f;
  if (i < n) v = x[i];
  tile[t] = v;
  __syncthreads();
  for (int d = __nvvm_read_ptx_sreg_ntid_x() / 2u; d > 0; d >>= 1) {
    if (t < d) tile[t] += tile[t + d];
    __syncthreads();
  }
  if (t == 0) y[__nvvm_read_ptx_sreg_ctaid_x()] = tile[0];
}

__global__ void clang_softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  int half = __nvvm_read_ptx_sreg_ntid_x() / 2u;
  float v = -3.402823466e+38f;
  if (t < n) v = x[t];
  tile[t] = v;
  __syncthreads();
  for (int d = half; d > 0; d >>= 1) {
    if (t < d) {
      float other = tile[t + d];
      float self = tile[t];
      tile[t] = self > other ? self : other;
    }
    __syncthreads();
  }
  float m = tile[0];
  __syncthreads();
  float e = 0.0f;
  if (t < n) e = __nvvm_ex2_approx_ftz_f((v - m) * 1.4426950408889634f);
  tile[t] = e;
  __syncthreads();
  for (int d = half; d > 0; d >>= 1) {
    if (t < d) tile[t] += tile[t + d];
    __syncthreads();
  }
  float s = tile[0];
  if (t < n) y[t] = e * reciprocal(s);
}

__global__ void clang_online_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (row >= rows) return;
  float m = -3.402823466e+38f, s = 0.0f;
  for (int j = 0; j < cols; ++j) {
    float v = x[row * cols + j];
    float w = v > m ? v : m;
    s = s * __nvvm_ex2_approx_ftz_f((m - w) * 1.4426950408889634f) +
        __nvvm_ex2_approx_ftz_f((v - w) * 1.4426950408889634f);
    m = w;
  }
  for (int j = 0; j < cols; ++j)
    y[row * cols + j] = __nvvm_ex2_approx_ftz_f((x[row * cols + j] - m) * 1.4426950408889634f) * reciprocal(s);
}
