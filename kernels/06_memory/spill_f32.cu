// One thread, one row of 20 elements, all of them needed twice: for the sum, and to be divided by it. The kernel may use
// 24 registers, which 20 elements, two pointers and a sum do not fit in.
enum { COLUMNS = 20 };

__global__ void __maxnreg__(24) spill_f32_kernel(const float* __restrict__ x, float* __restrict__ y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) {
    return;
  }

  float v[COLUMNS];
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < COLUMNS; ++k) {
    v[k] = x[row * COLUMNS + k];
    sum += v[k];
  }

  float scale = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < COLUMNS; ++k) {
    y[row * COLUMNS + k] = v[k] * scale;
  }
}
