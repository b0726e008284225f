// Lines that say something, and lines that only look so. What is told of each: test/golden/facts/variants/source_words.facts
// clang-format off
#include "words.cuh"

// Macros of a header in the operands.
__global__ void macros(const float *a, const float *b, const float *c, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < LIMIT) {
    y[i] = a[i] * HIDDEN + c[i];
  }
}

// Calls and a macro with arguments.
__global__ void calls(const float *a, const float *b, const float *c, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (below(i, n))
    y[i] = SCALED(a[i]) + c[i];
}

// Operators of a class.
__global__ void operators(const pair *a, const pair *b, pair *y, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > i) {
    pair t = a[i] * s;
    y[i] = t + b[i];
    y[i + n] = a[i] * s + b[i];
  }
}

// Variables that are set again, or twice declared.
__global__ void names(const float *a, float *y, int n) {
  int i = threadIdx.x;
  i = i * 2;
  int t = i;
  i = i + 3;
  if (t < n) y[t] = a[t];
  { int t = threadIdx.y; if (t < n) y[t + 1] = a[t]; }
  if (i <= n) y[i + 2] = 1.0f;
}

// Statements over several lines.
__global__ void continued(const float *a, const float *b, float *y, int n, int m) {
  int i = threadIdx.x;
  if (i + m +
      i < n
      * 2)
    y[i] = a[i] *
      b[i] + a[i + 1];
  float z = a[i + 2]
    * b[i] + 4.0f;
  y[i + n] = z;
}

// Several things on one line.
__global__ void several(const float *a, const float *b, float *y, int n) {
  int i = threadIdx.x;
  if (i < n) { float t = a[i] * b[i]; y[i] = t + 1.0f; }
  if (i < n && i > 3) y[i + 1] = a[i] > b[i] ? a[i] : b[i];
}

// Minima and maxima, written in several ways.
__global__ void extremes(const float *a, const float *b, float *y, int n, float lo) {
  int i = threadIdx.x;
  float v = a[i], w = b[i];
  y[i] = v < w ? w : v;
  y[i + 64] = v < w ? v : w;
  y[i + 128] = v < w ? v : lo;
  y[i + 192] = v >= lo ? v : lo;
  y[i + 256] = !(v < lo) ? v : lo;
}

// Loops: down, unrolled, over a pointer, at the end.
__global__ void turns(const float *x, float *y, int n, unsigned k) {
  float s = 0.0f;
  for (int j = n; j > 0; j--)
    s += x[j] * x[j + 1];
#pragma unroll 4
  for (unsigned j = 0; j < k; ++j)
    s = s * x[j] + 2.0f;
  for (const float *p = x; p < x + n; p++)
    s += *p;
  int i = 0;
  while (i < n)
    s -= x[i++] * 3.0f;
  do { s *= 2.0f; i--; } while (i > 5);
  y[threadIdx.x] = s;
}

// Conversions, references and volatile stand between.
__global__ void kept_apart(float *y, int n, short h) {
  volatile int v = threadIdx.x;
  short int q = threadIdx.x;
  int &r = n;
  r += 2;
  if (v < n) y[0] = 1.0f;
  if (q < n) y[1] = 2.0f;
  if (h < n) y[2] = 3.0f;
}

// Temporaries that are used in a loop, converted, or twice.
__global__ void temporaries(const float *a, const float *b, const double *d, float *y, double *z, int n) {
  int i = threadIdx.x;
  float t = a[i] * b[i];
  for (int j = 0; j < n; j++)
    y[j * 32 + i] = t + b[j];
  double u = d[i] * d[i + 1];
  z[i] = u - d[i + 2];
  float w = a[i + 1] * b[i + 1];
  z[i + 1] = (double)w + d[i];
  float p = a[i + 2] * b[i + 2];
  y[i + 5] = p + p;
}

// Whole numbers.
__global__ void whole(const int *a, int *y, int n) {
  int i = threadIdx.x;
  y[i] = a[i] * n + 3;
  if (a[i] > 7) y[i + 1] = 7;
  int v = a[i + 2];
  if (v > n) v = n;
  y[i + 2] = v;
  unsigned u = a[i + 3];
  y[i + 3] = u > 9u ? u : 9u;
}

// Equality.
__global__ void equal(const float *a, float *y) {
  int i = threadIdx.x;
  y[i] = a[i] * 2.0f + 1.0f;
  bool big = a[i + 1] > 2.0f;
  if (big) y[i + 1] = 5.0f;
  y[i + 2] = a[i] == 0.0f ? 1.0f : a[i];
  y[i + 3] = a[i] != 2 ? 1.0f : a[i];
}
