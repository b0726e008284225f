// Running sums that are rescaled when their maximum rises: what they begin with, what runs beside them, and where a
// kernel stops short of one.
#include <cfloat>
#include <math.h>

#define ROW                                                                                                            \
  int r = blockIdx.x * blockDim.x + threadIdx.x;                                                                       \
  if (r >= n) return;                                                                                                  \
  const float* p = x + r * c;

#define ONLINE(NAME, M, S, FIRST)                                                                                      \
  __global__ void NAME(const float* __restrict__ x, float* __restrict__ y, int n, int c) {                             \
    ROW float m = M, s = S;                                                                                            \
    for (int j = FIRST; j < c; j++) {                                                                                  \
      float v = p[j], k = fmaxf(m, v);                                                                                 \
      s = s * __expf(m - k) + __expf(v - k);                                                                           \
      m = k;                                                                                                           \
    }                                                                                                                  \
    for (int j = 0; j < c; j++) y[r * c + j] = __expf(p[j] - m) / s;                                                   \
  }
ONLINE(from_first_kernel, p[0], 1.0f, 1)
ONLINE(first_lacks_kernel, p[0], 0.0f, 1)
ONLINE(first_twice_kernel, p[0], 1.0f, 0)
ONLINE(second_twice_kernel, p[1], 1.0f, 1)

// Tiles: maximum and sum go on from one to the next, or one of them begins anew.
#define TILES(NAME, OUTER, INNER, RESULT)                                                                              \
  __global__ void NAME(const float* __restrict__ x, float* __restrict__ y, int n, int c) {                             \
    ROW OUTER;                                                                                                         \
    for (int t = 0; t < c; t += 64) {                                                                                  \
      INNER;                                                                                                           \
      _Pragma("unroll 1") for (int j = 0; j < 64; j++) {                                                               \
        float v = p[t + j], k = fmaxf(m, v);                                                                           \
        s = s * __expf(m - k) + __expf(v - k);                                                                         \
        m = k;                                                                                                         \
      }                                                                                                                \
      y[r * c + t] = RESULT;                                                                                           \
    }                                                                                                                  \
    y[r] = 0.0f;                                                                                                       \
  }
TILES(tiles_kernel, float m = -FLT_MAX; float s = 0.0f, , m * s)
TILES(tiles_sum_anew_kernel, float m = -FLT_MAX, float s = 0.0f, s)
TILES(tiles_maximum_anew_kernel, float s = 0.0f, float m = -FLT_MAX, s)

// Attention: more accumulators than names in any block of a page.
#define ATTENTION(NAME, FACTOR)                                                                                        \
  __global__ void NAME(const float* __restrict__ q, const float* __restrict__ w, float* __restrict__ y, int n) {       \
    float a[16], m = -INFINITY, s = 0.0f;                                                                              \
    _Pragma("unroll") for (int d = 0; d < 16; d++) a[d] = 0.0f;                                                        \
    _Pragma("unroll 1") for (int j = 0; j < n; j++) {                                                                  \
      float v = q[threadIdx.x] * q[j], k = fmaxf(m, v), f = __expf(m - k), e = __expf(v - k);                          \
      s = s * f + e;                                                                                                   \
      _Pragma("unroll") for (int d = 0; d < 16; d++) a[d] = a[d] * (FACTOR) + e * w[16 * j + d];                       \
      m = k;                                                                                                           \
    }                                                                                                                  \
    _Pragma("unroll") for (int d = 0; d < 16; d++) y[16 * threadIdx.x + d] = a[d] / s;                                 \
  }
ATTENTION(attention_kernel, f)
ATTENTION(attention_half_kernel, 0.5f * f)

// Every quotient is of what there is so far.
__global__ void so_far_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int c) {
  ROW float m = -FLT_MAX, s = 0.0f;
  for (int j = 0; j < c; j++) m = fmaxf(m, p[j]);
  for (int j = 0; j < c; j++) {
    float e = __expf(p[j] - m);
    s += e;
    y[r * c + j] = e / s;
  }
}
__global__ void maximum_from_first_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int c) {
  ROW float m = p[0], s = 0.0f;
  for (int j = 2; j < c; j++) m = fmaxf(m, p[j]);
  for (int j = 0; j < c; j++) s += __expf(p[j] - m);
  for (int j = 0; j < c; j++) y[r * c + j] = __expf(p[j] - m) / s;
}
