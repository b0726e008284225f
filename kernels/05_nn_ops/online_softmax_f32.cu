#include <cfloat>

// One thread, one row. The running maximum m and the running sum s stay in registers; no element's exponential is kept.
__global__ void online_softmax_f32_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) {
    return;
  }

  float m = -FLT_MAX;
  float s = 0.0f;
  for (int j = 0; j < cols; ++j) {
    float v = x[row * cols + j];
    float new_m = v > m ? v : m;
    float old_scale = expf(m - new_m);
    float new_term = expf(v - new_m);
    s = s * old_scale + new_term;
    m = new_m;
  }

  for (int j = 0; j < cols; ++j) {
    y[row * cols + j] = expf(x[row * cols + j] - m) / s;
  }
}
// lab: compare 05_nn_ops/softmax_small_f32
