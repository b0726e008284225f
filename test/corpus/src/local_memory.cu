// Local memory for other reasons than registers that ran out, and outer loops round inner ones with run-time bounds.

// A histogram of the thread: cleared and written out by fours at fixed places, counted up at an index of the data.
extern "C" __global__ void local_histogram_kernel(const int* __restrict__ x, int* __restrict__ y, int n) {
  int h[16];
  for (int i = 0; i < 16; i++) {
    h[i] = 0;
  }
  for (int i = 0; i < n; i++) {
    h[x[i] & 15]++;
  }
  for (int i = 0; i < 16; i++) {
    y[threadIdx.x * 16 + i] = h[i];
  }
}

__device__ __noinline__ void swap_values(float* a, float* b) {
  float t = *a;
  *a = *b;
  *b = t;
}

// Two variables that have an address.
extern "C" __global__ void addressed_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float a = x[2 * threadIdx.x], b = x[2 * threadIdx.x + 1];
  swap_values(&a, &b);
  y[threadIdx.x] = a - b;
}

__device__ float halved(float v, int n) {
  return n <= 0 ? v : halved(v * 0.5f, n - 1) + 1;
}

// A call convention saves registers.
extern "C" __global__ void recursive_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  y[threadIdx.x] = halved(x[threadIdx.x], n);
}

// An array nobody reads.
extern "C" __global__ void write_only_kernel(const float* __restrict__ x, const int* __restrict__ k, float* __restrict__ y) {
  volatile float a[16];
  a[k[threadIdx.x] & 15] = x[threadIdx.x];
  y[threadIdx.x] = 1;
}

// A row of a triangle has one more element each time.
extern "C" __global__ void triangle_kernel(const float* __restrict__ a, float* __restrict__ y, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      s += a[i * n + j];
    }
  }
  y[threadIdx.x] = s;
}

// Elements that are copied and compared, not computed with; the place they go to is counted.
extern "C" __global__ void compact_kernel(const int* __restrict__ x, int* __restrict__ y, int n) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] > 0) {
      y[k++] = x[i];
    }
  }
  y[n] = k;
}

// A count that is stored.
extern "C" __global__ void length_kernel(const char* __restrict__ s, int* __restrict__ y) {
  int n = 0;
  while (s[n]) {
    n++;
  }
  y[threadIdx.x] = n;
}

// A pair is two values.
extern "C" __global__ void pair_kernel(const float2* __restrict__ x, float* __restrict__ y) {
  float2 v = x[threadIdx.x];
  y[threadIdx.x] = v.x - v.y;
}

__device__ __noinline__ void add_to(float* p, float k) {
  *p += k;
}

// A variable whose address is passed, though the assembler may see through it.
extern "C" __global__ void passed_kernel(const float* __restrict__ x, float* __restrict__ y) {
  float v = x[threadIdx.x];
  add_to(&v, 3.0f);
  y[threadIdx.x] = v;
}

// Registers run out.
extern "C" __global__ void __maxnreg__(24) spilling_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  float v[20], sum = 0;
#pragma unroll
  for (int k = 0; k < 20; k++) {
    v[k] = x[20 * threadIdx.x + k];
    sum += v[k];
  }
#pragma unroll
  for (int k = 0; k < 20; k++) {
    y[20 * threadIdx.x + k] = v[k] - sum / 20;
  }
}
