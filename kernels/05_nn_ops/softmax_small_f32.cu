#include <cfloat>

// One block, one row of at most blockDim.x elements. Every intermediate that other threads need goes through sdata.
__global__ void softmax_small_f32_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float sdata[];

  int tid = threadIdx.x;

  float v = -FLT_MAX;
  if (tid < n) {
    v = x[tid];
  }
  sdata[tid] = v;
  __syncthreads();

  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      float other = sdata[tid + stride];
      float self = sdata[tid];
      sdata[tid] = self > other ? self : other;
    }
    __syncthreads();
  }

  float max_v = sdata[0];
  __syncthreads();

  float e = 0.0f;
  if (tid < n) {
    e = expf(x[tid] - max_v);
    sdata[tid] = e;
  } else {
    sdata[tid] = 0.0f;
  }
  __syncthreads();

  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      sdata[tid] += sdata[tid + stride];
    }
    __syncthreads();
  }

  float sum_v = sdata[0];
  __syncthreads();

  if (tid < n) {
    y[tid] = e / sum_v;
  }
}
// lab: compare 03_reduction/reduce_sum_f32
