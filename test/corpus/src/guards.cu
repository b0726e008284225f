// Which thread stores what another one reads, where the guards of both sides decide: each kernel (_ok) that is right
// beside a twin (_bad) that lacks a part of its guard, reads one element off, or reads one that nobody wrote.
#define T threadIdx.x
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL extern "C" __global__ void __launch_bounds__(256)

// An array is turned round in place, by its first half of threads.
KERNEL reverse_ok(float* x, int n) {
  int i = I;
  if (i < n / 2) {
    float a = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = a;
  }
}

KERNEL reverse_bad(float* x, int n) {  // by all of them
  int i = I;
  if (i < n) {
    float a = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = a;
  }
}

KERNEL reverse_shift_ok(float* x, int n) {
  int i = I;
  if (i < n >> 1) {
    float a = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = a;
  }
}

KERNEL reverse_ends_ok(float* x, int n) {  // a quarter of it at either end
  int i = I;
  if (i < n / 4) {
    float a = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = a;
  }
}

KERNEL reverse_unsigned_ok(float* x, unsigned n) {
  unsigned i = I;
  if (i < n / 2) {
    float a = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = a;
  }
}

KERNEL reverse_shared_ok(int* x, int n) {
  extern __shared__ int s[];
  s[T] = x[T];
  __syncthreads();
  if ((int)T < n / 2) {
    int a = s[T];
    s[T] = s[n - 1 - T];
    s[n - 1 - T] = a;
  }
  __syncthreads();
  x[T] = s[T];
}

// A step of an elimination: what all read stands left of what is written.
KERNEL eliminate_ok(float* a, int n, int k) {
  int j = I + k + 1, i = blockIdx.y + k + 1;
  if (j < n && i < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

KERNEL eliminate_bad(float* a, int n, int k) {  // it is written too
  int j = I + k, i = blockIdx.y + k + 1;
  if (j < n && i < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

// The row of a tile that is read is the warp's own.
KERNEL row_ok(const float* x, float* y) {
  __shared__ float s[8][33];
  int c = threadIdx.x, r = threadIdx.y;
  s[r][c] = x[r * 32 + c];
  __syncwarp();
  y[r * 32 + c] = s[r][31 - c];
}

KERNEL row_bad(const float* x, float* y) {  // another warp's
  __shared__ float s[8][33];
  int c = threadIdx.x, r = threadIdx.y;
  s[r][c] = x[r * 32 + c];
  __syncwarp();
  y[r * 32 + c] = s[7 - r][c];
}

// Three arrays in one, each thread its own three elements.
KERNEL planes_ok(float* x, int n, float a) {
  int i = I;
  if (i < n) {
    x[i] *= a;
    x[n + i] *= a;
    x[2 * n + i] *= a;
  }
}

// An element so far back, of the same array or of another one.
KERNEL lag_ok(const float* __restrict__ x, float* __restrict__ y, int d, int n) {
  int i = I;
  if (i >= d && i < n) y[i] = x[i] + x[i - d];
}

KERNEL lag_bad(float* x, int d, int n) {
  int i = I;
  if (i >= d && i < n) x[i] += x[i - d];
}

// From one part of an array to another one: nothing says that they meet.
KERNEL parts_ok(float* x, int from, int to, int n) {
  int i = I;
  if (i < n) x[to + i] = x[from + i] * 2.0f;
}

KERNEL both_parts_ok(float* x, int a, int b, int n) {
  int i = I;
  if (i < n) {
    x[a + i] *= 2.0f;
    x[b + i] *= 3.0f;
  }
}

// The last element of a run of m: where it stands is not known, and it stands in the array.
KERNEL last_of_run(const float* x, float* y, int m) {
  __shared__ float a[256], b[256];
  a[T] = x[T];
  b[T] = x[T + 256];
  __syncthreads();
  b[(T + 1) * m - 1] = 0;
  __syncthreads();
  y[T] = a[255 - T];
  y[T + 256] = b[255 - T];
}

// Sums and differences by halves, all written out.
KERNEL halves(float* x) {
  __shared__ float s[128];
  s[T] = x[T];
  __syncthreads();
#pragma unroll
  for (int d = 64; d > 0; d >>= 1) {
    if (T < d) {
      float u = s[T], v = s[T + d];
      s[T] = u + v;
      s[T + d] = u - v;
    }
    __syncthreads();
  }
  x[T] = s[T];
}

// The neighbour's element, where there is one.
KERNEL neighbour_ok(const float* x, float* y) {
  __shared__ float s[257];
  s[T] = x[I];
  __syncthreads();
  y[I] = T + 1 < blockDim.x ? s[T + 1] - s[T] : 0;
}

KERNEL neighbour_bad(const float* x, float* y) {  // the last thread's was never written
  __shared__ float s[257];
  s[T] = x[I];
  __syncthreads();
  y[I] = s[T + 1] - s[T];
}

// What is no reduction: a later turn does not read what was brought.
KERNEL averages(const float* x, float* y) {
  extern __shared__ float f[];
  f[T] = x[I];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (T < d) f[T] = 0.5f * (f[T] + f[T + d]);
    __syncthreads();
  }
  if (T == 0) y[blockIdx.x] = f[0];
}

// A tile that is filled column by column, by as many threads as stand in a square of 16.
KERNEL columns(const float* x, float* y, int n) {
  __shared__ float a[16][64], b[16][64];
  int c = threadIdx.x, r = threadIdx.y, t = r * 16 + c;
#pragma unroll
  for (int q = 0; q < 4; q++) {
    int e = t + q * 256;
    a[e % 16][e / 16] = x[e / 16 * n + e % 16];
    b[e / 64][e % 64] = x[e / 64 * n + e % 64 + 4096];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 2; k++) sum += a[k][r * 4 + 1] * b[k][c * 4 + 3];
  y[t] = sum;
}
