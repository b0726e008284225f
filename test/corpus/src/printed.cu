// What is printed, read as C with the types that the report tells, computes what the machine does.

// Two readings of a clock are two numbers.
__global__ void clock_kernel(const float* __restrict__ x, float* __restrict__ y, unsigned* __restrict__ t) {
  unsigned from = clock();
  y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
  t[threadIdx.x] = (unsigned)clock() - from;
}

// Three values that are handed on from turn to turn.
__global__ void handed_on_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float p = 1.0f, q = 2.0f, r = 3.0f;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    float t = p;
    p = q;
    q = r;
    r = t + x[i];
  }
  y[threadIdx.x] = p;
  y[threadIdx.x + 32] = q;
  y[threadIdx.x + 64] = r;
}

// What was last and what was before it, where a turn may be left before and after it hands them on.
__global__ void last_and_before_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float last = 0.0f, before = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    float v = x[i];
    if (v > 10.0f) break;
    before = last;
    last = v;
    if (v < -10.0f) break;
  }
  y[threadIdx.x] = last;
  y[threadIdx.x + 32] = before;
}

// A step that reads the variable itself, and the value before it.
__global__ void step_and_before_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float p = 1.0f, q = 2.0f;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    float t = fmaf(q, x[i], p);
    p = q;
    q = t;
  }
  y[threadIdx.x] = p;
  y[threadIdx.x + 32] = q;
}

// One compare for a window: it is unsigned.
__global__ void window_kernel(float* __restrict__ y, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  int t = threadIdx.x;
  if (t >= 5 && t < 15) y[t] = 1.0f;
  if ((unsigned)(j * w + i) < 10u) y[i + 1024] = 2.0f;
}

// A sum of bytes is stored as a byte.
__global__ void byte_sum_kernel(const unsigned char* __restrict__ x, const unsigned char* __restrict__ z, unsigned char* __restrict__ y) {
  y[threadIdx.x] = x[threadIdx.x] + z[threadIdx.x];
}
__global__ void quantise_kernel(const float* __restrict__ x, signed char* __restrict__ y, float s) {
  y[threadIdx.x] = __float2int_rn(x[threadIdx.x] * s);
}
// This one fits.
__global__ void byte_choice_kernel(const float* __restrict__ x, unsigned char* __restrict__ y) {
  y[threadIdx.x] = x[threadIdx.x] > 0.0f ? 1 : 0;
}

// The low word of a long, a half word that is widened with zeros, what carries when nothing is taken away.
__global__ void low_word_kernel(const long long* __restrict__ x, int* __restrict__ y) {
  y[threadIdx.x] = (int)x[threadIdx.x] + 1;
}
__global__ void half_word_kernel(const short* __restrict__ x, const unsigned long long* __restrict__ z, unsigned long long* __restrict__ y) {
  y[threadIdx.x] = (unsigned long long)(unsigned)x[threadIdx.x] + z[threadIdx.x];
}
__global__ void four_less_kernel(const unsigned long long* __restrict__ x, unsigned long long* __restrict__ y, unsigned long long n) {
  y[threadIdx.x] = 4 * n - x[threadIdx.x];
}

// Half words that meet whole ones, a remainder of which the sign counts.
__global__ void wider_choice_kernel(const short* __restrict__ x, const int* __restrict__ z, unsigned* __restrict__ y) {
  int v = z[threadIdx.x] > 3 ? (int)x[threadIdx.x] : z[threadIdx.x] * 7;
  y[threadIdx.x] = (unsigned)v / 224u;
}

// 128 times a quotient is not a quotient of 128 times.
__global__ void quotient_product_kernel(const unsigned* __restrict__ x, unsigned* __restrict__ y) {
  unsigned i = x[threadIdx.x];
  y[threadIdx.x] = (i / 12u * 128u) * (i / 80u);
}

// One result a warp; a count that other threads write, too.
__global__ void warp_row_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = (unsigned)i >> 5;
  if ((i & 31) == 0) y[row] = x[i];
}
__global__ void careless_count_kernel(const int* __restrict__ x, int* h) {
  h[x[threadIdx.x]]++;
}

// A name that would mislead: the sum of weights is scaled when the maximum rises, the weighted sum beside it is not.
__global__ void unscaled_sum_kernel(const float* __restrict__ x, const float* __restrict__ z, float* __restrict__ y, int n) {
  float m = -INFINITY, s = 0.0f, o = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    float k = fmaxf(m, x[i]), p = __expf(x[i] - k);
    s = s * __expf(m - k) + p;
    o = o + p * z[i];
    m = k;
  }
  y[threadIdx.x] = o / s;
}
__global__ void scaled_sum_kernel(const float* __restrict__ x, float* __restrict__ y, float* __restrict__ t, int n) {
  float m = -INFINITY, s = 0.0f, all = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    float v = x[i], k = fmaxf(m, v);
    s = s * __expf(m - k) + __expf(v - k);
    all += v;
    m = k;
  }
  y[threadIdx.x] = s;
  t[threadIdx.x] = all;
}

// Unrolled, each copy stores its own step: one is told.
__global__ void running_mean_kernel(const float* __restrict__ x, float* __restrict__ y, float a, int n) {
  float s = 0.0f;
#pragma unroll 4
  for (int i = 0; i < n; i++) {
    s = a * x[i] + (1.0f - a) * s;
    y[i] = s;
  }
}
