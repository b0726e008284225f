// What is stored is not what was loaded, though nothing is computed: no copies, but for the last.

__global__ void sign_extended_kernel(const signed char* __restrict__ x, int* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

__global__ void zero_extended_kernel(const unsigned short* __restrict__ x, int* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

__global__ void cut_down_kernel(const int* __restrict__ x, char* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

__global__ void widened_kernel(const int* __restrict__ x, long long* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

__global__ void low_words_kernel(const long long* __restrict__ x, int* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (int)x[i];
}

__global__ void bytes_kernel(const signed char* __restrict__ x, signed char* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
