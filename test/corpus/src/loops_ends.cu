// Where loops end: at numbers made of several parameters, of outer counters, of memory, far from any parameter; behind the step
// instead of before it; and at numbers that are a parameter only while that is small, or positive.

__global__ void product_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int m) {
  float s = 0.0f;
  for (int i = 0; i < n * m; ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void less_five_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < n - 5; ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void less_thousand_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < n - 1000; ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void half_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < n / 2; ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void wide_kernel(const float* __restrict__ x, float* __restrict__ y, long long n) {
  float s = 0.0f;
  for (long long i = 0; i < n; ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void larger_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int m) {
  float s = 0.0f;
  for (int i = 0; i < max(n, m); ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void thread_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < (int)threadIdx.x; ++i) s += x[i];
  y[threadIdx.x] = s;
}

// Numbers that no walk comes to decide these.
__global__ void product_bits_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int m) {
  float s = 0.0f;
  for (int i = 0; i < ((n * m) & 4095); ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void product_or_less_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int m) {
  float s = 0.0f;
  for (int i = 0; i < min(n * m, 5000); ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void cut_off_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < min(n, 5000); ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void distance_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < abs(n); ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void wide_bits_kernel(const float* __restrict__ x, float* __restrict__ y, long long n) {
  float s = 0.0f;
  for (long long i = 0; i < (n & 0xfffffffffffll); ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void difference_bits_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int m) {
  float s = 0.0f;
  for (int i = 0; i < ((n - m) & 1023); ++i) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void two_tests_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < n && i != 5000; ++i) s += x[i];
  y[threadIdx.x] = s;
}

// One step whatever n is.
__global__ void asked_behind_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  int i = 0;
  do {
    s += x[i];
    i++;
  } while (i < n);
  y[threadIdx.x] = s;
}

__global__ void asked_behind_by_threes_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  int i = 0;
  do {
    s += x[i];
    i += 3;
  } while (i < n);
  y[threadIdx.x] = s;
}

__global__ void triangle_below_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) s += x[i * n + j];
  y[threadIdx.x] = s;
}

__global__ void lengths_kernel(const float* __restrict__ x, const int* __restrict__ len, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < len[i]; ++k) s += x[i * 64 + k];
  y[threadIdx.x] = s;
}

__global__ void triangle_bits_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0.0f;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < ((n - j) & 255); ++i) s += x[i + j];
  y[threadIdx.x] = s;
}

// A main loop's counter of two words is no reason to see four turns as a loop of their own.
__global__ void wide_strided_kernel(const float* __restrict__ x, float* __restrict__ y, unsigned long long n) {
  float s = 0.0f;
  for (unsigned long long i = 0; i < n; ++i) s += x[i];
  y[threadIdx.x] = s;
}
