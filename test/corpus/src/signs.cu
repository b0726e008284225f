// What a text must say to be right when it is read as C: signs of shifts and compares, bits of constants of no known
// type.

// Bits are moved only: nothing says that they are a float's.
extern "C" __global__ void fill_kernel(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 100.0f;
}

extern "C" __global__ void mask_kernel(const float* x, const unsigned char* m, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = m[i] ? x[i] : -1e9f;
}

// A quotient within a sum stays a quotient.
extern "C" __global__ void quotient_guard_kernel(const int* x, int* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] >> 3 > x[i] / 5 - 255) y[i] = x[i];
}

// The mask alone would make the compare unsigned.
extern "C" __global__ void mask_guard_kernel(const int* x, const int* z, int* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (z[i] > (x[i] - 16) << 27) y[i] = x[i];
}

// The product of two words that are extended with a sign.
extern "C" __global__ void high_kernel(const int* x, int* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __mulhi(~(int)((unsigned)x[i] >> 23), 1000 + x[i]) >> 3;
}

// The largest of two, one of them a mask.
extern "C" __global__ void high_mask_kernel(const int* x, int* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = max(x[i], (int)0xc0000000);
}

// The low byte is all that is stored.
extern "C" __global__ void narrow_kernel(const float* x, signed char* y, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __float2int_rn(x[i] * f);
}
