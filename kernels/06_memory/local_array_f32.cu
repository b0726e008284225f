// One thread, one row of 16 elements that is turned round by `shift` places. Which element goes where is known at run
// time only, and registers have no index: the array lies in local memory.
enum { COLUMNS = 16 };

__global__ void local_array_f32_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, unsigned shift) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) {
    return;
  }

  float t[COLUMNS];
#pragma unroll
  for (int k = 0; k < COLUMNS; ++k) {
    t[k] = x[row * COLUMNS + k];
  }

#pragma unroll
  for (int k = 0; k < COLUMNS; ++k) {
    y[row * COLUMNS + k] = t[(k + shift) % COLUMNS];
  }
}
