// Loops in the forms that compilers leave them: one kernel a loop, compiled as build.sh says. What each became is
// stated in test/unit/graph/test_graph_cycle.c, from the listings.
#include <cuda_fp16.h>
#define R __restrict__

extern "C" __global__ void sum_n(const float* R x, float* R y, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) s += x[k];
  y[threadIdx.x] = s;
}

extern "C" __global__ void sum_256(const float* R x, float* R y) {
  float s = 0;
  for (int k = 0; k < 256; k++) s += x[k + threadIdx.x * 256];
  y[threadIdx.x] = s;
}

extern "C" __global__ void dot_n(const float* R a, const float* R b, float* R y, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) s += a[k] * b[k];
  y[threadIdx.x] = s;
}

extern "C" __global__ void isum_n(const int* R x, int* R y, int n) {
  int s = 0;
  for (int k = 0; k < n; k++) s += x[k];
  y[threadIdx.x] = s;
}

extern "C" __global__ void imax_n(const int* R x, int* R y, int n) {
  int s = x[0];
  for (int k = 0; k < n; k++) s = max(s, x[k]);
  y[threadIdx.x] = s;
}

extern "C" __global__ void idot_n(const int* R a, const int* R b, int* R y, int n) {
  int s = 0;
  for (int k = 0; k < n; k++) s += a[k] * b[k];
  y[threadIdx.x] = s;
}

extern "C" __global__ void two_sums(const float* R a, const float* R b, float* R y, int n) {
  float s = 0, t = 0;
  for (int k = 0; k < n; k++) {
    s += a[k];
    t += b[k];
  }
  y[threadIdx.x] = s * t;
}

extern "C" __global__ void max_then_sum(const float* R x, float* R y, int n) {
  float m = -1e30f;
  for (int k = 0; k < n; k++) m = fmaxf(m, x[k]);
  float s = 0;
  for (int k = 0; k < n; k++) s += x[k];
  y[threadIdx.x] = s / m;
}

extern "C" __global__ void sum_then_sum(const float* R x, float* R y, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) s += x[k];
  for (int k = 0; k < n; k++) s += x[k];
  y[threadIdx.x] = s;
}

extern "C" __global__ void sum_unroll1(const float* R x, float* R y, int n) {
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < n; k++) s += x[k];
  y[threadIdx.x] = s;
}

extern "C" __global__ void sum_unroll2(const float* R x, float* R y, int n) {
  float s = 0;
#pragma unroll 2
  for (int k = 0; k < n; k++) s += x[k];
  y[threadIdx.x] = s;
}

extern "C" __global__ void sum_unroll8(const float* R x, float* R y, int n) {
  float s = 0;
#pragma unroll 8
  for (int k = 0; k < n; k++) s += x[k];
  y[threadIdx.x] = s;
}

extern "C" __global__ void straight8(const float* R x, float* R y) {
  float s = 0;
  int i = threadIdx.x;
#pragma unroll
  for (int k = 0; k < 8; k++) s += x[i * 8 + k];
  y[i] = s;
}

extern "C" __global__ void grid_stride(const float* R x, float* R y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];
}

extern "C" __global__ void guarded(const float* R x, float* R y, int n, float t) {
  float s = 0;
  for (int k = 0; k < n; k++) {
    if (x[k] > t) s += x[k];
  }
  y[threadIdx.x] = s;
}

extern "C" __global__ void nested_sum(const float* R x, float* R y, int n, int m) {
  float s = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) s += x[i * m + k];
  }
  y[threadIdx.x] = s;
}

extern "C" __global__ void matmul16(const float* R A, const float* R B, float* R C, int n) {
  __shared__ float a[16][16], b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
  float s = 0;
  for (int t = 0; t < n / 16; t++) {
    a[ty][tx] = A[r * n + t * 16 + tx];
    b[ty][tx] = B[(t * 16 + ty) * n + c];
    __syncthreads();
    for (int k = 0; k < 16; k++) s += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[r * n + c] = s;
}

extern "C" __global__ void matmul_naive(const float* R A, const float* R B, float* R C, int n) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k++) s += A[r * n + k] * B[k * n + c];
  C[r * n + c] = s;
}

extern "C" __global__ void gather(const float* R x, const int* R ix, float* R y, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) s += x[ix[k]];
  y[threadIdx.x] = s;
}

extern "C" __global__ void copy_loop(const float* R x, float* R y, int n) {
  for (int k = 0; k < n; k++) y[k] = x[k] * 3.f;
}

extern "C" __global__ void copy_twice(const float* R x, float* R y, float* R z, int n) {
  for (int k = 0; k < n; k++) y[k] = x[k] * 3.f;
  for (int k = 0; k < n; k++) y[k] = x[k] * 3.f + z[k];
}

extern "C" __global__ void two_stores(const float* R x, float* R y, float* R z, int n) {
  for (int k = 0; k < n; k++) {
    y[k] = x[k] * 3.f;
    z[k] = x[k] + 1;
  }
}

extern "C" __global__ void running(const float* R x, float* R y, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) {
    s += x[k];
    y[k] = s;
  }
}

extern "C" __global__ void argmax(const float* R x, int* R y, int n) {
  float m = x[0];
  int b = 0;
  for (int k = 1; k < n; k++)
    if (x[k] > m) {
      m = x[k];
      b = k;
    }
  y[0] = b;
}

extern "C" __global__ void find(const int* R x, int* R y, int n, int v) {
  int k = 0;
  for (; k < n; k++)
    if (x[k] == v) break;
  y[0] = k;
}

extern "C" __global__ void lcg(unsigned* R y, unsigned s, int n) {
  for (int k = 0; k < n; k++) s = s * 1664525u + 1013904223u;
  y[threadIdx.x] = s;
}

extern "C" __global__ void half2sum(const __half2* R x, __half2* R y, int n) {
  __half2 s = __floats2half2_rn(0, 0);
  for (int k = 0; k < n; k++) s = __hadd2(s, x[k]);
  y[0] = s;
}

extern "C" __global__ void dsum(const double* R x, double* R y, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) s += x[k];
  y[0] = s;
}

extern "C" __global__ void stencil(const float* R x, float* R y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 1 && i < n - 2) y[i] = x[i - 2] + x[i - 1] + x[i] + x[i + 1] + x[i + 2];
}

extern "C" __global__ void conv(const float* R x, const float* R w, float* R y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = 0;
    for (int k = 0; k < 5; k++) s += w[k] * x[i + k];
    y[i] = s;
  }
}

extern "C" __global__ void horner(const float* R x, float* R y) {
  float v = x[threadIdx.x];
  y[threadIdx.x] = 1 + v * (.5f + v * (.25f + v * (.125f + v * .0625f)));
}

extern "C" __global__ void ptr_end(const float* x, const float* e, float* y) {
  float s = 0;
  for (; x != e; x++) s += *x;
  *y = s;
}

extern "C" __global__ void list(const int* R next, int* R y, int k) {
  int c = 0;
  while (k >= 0) {
    k = next[k];
    c++;
  }
  y[0] = c;
}

extern "C" __global__ void bsearch1(const int* R x, int* R y, int n, int v) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int m = (lo + hi) / 2;
    if (x[m] < v)
      lo = m + 1;
    else
      hi = m;
  }
  y[0] = lo;
}

extern "C" __global__ void colsum(const float* R x, float* R y, int n, int m) {
  int c = threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k++) s += x[k * m + c];
  y[c] = s;
}

extern "C" __global__ void fib(unsigned* R y, int n) {
  unsigned a = 0, b = 1;
  for (int k = 0; k < n; k++) {
    unsigned t = a + b;
    a = b;
    b = t;
  }
  y[threadIdx.x] = a;
}
