// Pairs that differ in one flag alone, and elements that are overwritten before what was read of them is used. Nothing
// declares a type (extern "C"): the words must say how a number is taken.
#define KERNEL extern "C" __global__ void
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return

KERNEL signed_bytes_kernel(const signed char* __restrict__ x, int* __restrict__ y, int n) { INDEX; y[i] = x[i]; }
KERNEL natural_bytes_kernel(const unsigned char* __restrict__ x, int* __restrict__ y, int n) { INDEX; y[i] = x[i]; }
KERNEL cut_bytes_kernel(const int* __restrict__ x, char* __restrict__ y, int n) { INDEX; y[i] = (char)x[i]; }
KERNEL moved_halves_kernel(const short* __restrict__ x, short* __restrict__ y, int n) { INDEX; y[i] = x[i]; }

KERNEL signed_least_kernel(const int* __restrict__ x, const int* __restrict__ z, int* __restrict__ y, int n) {
  INDEX;
  y[i] = min(x[i], z[i]);
}
KERNEL natural_least_kernel(const unsigned* __restrict__ x, const unsigned* __restrict__ z, unsigned* __restrict__ y, int n) {
  INDEX;
  y[i] = min(x[i], z[i]);
}

KERNEL kept_product_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  INDEX;
  float r;
  asm("mul.f32 %0, %1, 0f40400000;" : "=f"(r) : "f"(x[i]));
  y[i] = r;
}
KERNEL flushed_product_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  INDEX;
  float r;
  asm("mul.ftz.f32 %0, %1, 0f40400000;" : "=f"(r) : "f"(x[i]));
  y[i] = r;
}

// A swap, and a turn of three: read one after the other.
KERNEL reversed_kernel(float* x, int n) {
  INDEX;
  float v = x[i];
  x[i] = x[n - 1 - i];
  x[n - 1 - i] = v;
}

// The condition looked at an element that is gone when the second store is told.
KERNEL taken_kernel(float* x, float* y, int n) {
  INDEX;
  float v = x[i];
  if (v > 0.0f) {
    x[i] = 0.0f;
    y[i] = v * 3.0f;
  }
}
