// What one side writes as a sign or a sum, the other has in a factor or in bits that a constant chooses.
extern "C" __global__ void falling_exponential_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = expf(-x[i]);
}

extern "C" __global__ void falling_power_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = exp2f(x[i] * -1.44269504f);
}

extern "C" __global__ void digits_kernel(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int quotient = x[i] / 7;
  int remainder = x[i] - quotient * 7;
  y[i] = remainder * 8 + (quotient & 1);
}
