// What a person wrote so, and no compiler made: copies of a body on one line, roundings, tests that share a line.

#define STEP(k) s = s * 0.5f + x[8 * i + k];
__global__ void stepped_by_hand_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.0f;
#pragma unroll 1
  for (; i < n; i += 32) {
    STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
  }
  y[threadIdx.x] = s;
}

// Two relations on one line.
__global__ void searched_kernel(const int* __restrict__ x, int* __restrict__ y, int n, int key) {
  int found = -1;
#pragma unroll 1
  for (int k = threadIdx.x; k < n; k += 32) if (x[k] == key) { found = k; break; }
  y[threadIdx.x] = found;
}

// The source fixes the roundings, whatever the options say.
__global__ void rounded_kernel(const float* __restrict__ x, float* __restrict__ y) {
  int i = threadIdx.x;
  float q = __fmul_rn(x[i], x[i + 32]);
  y[i] = q + 1.0f;
  y[i + 32] = __fdiv_rn(x[i], x[i + 64]);
}

// Equal products, each read by one sum.
__global__ void products_kernel(const float* __restrict__ x, float* __restrict__ y) {
  int i = threadIdx.x;
  float a = x[i], b = x[i + 32];
  y[i] = a * b - 1.0f;
  y[i + 32] = 2.0f - a * b;
}
