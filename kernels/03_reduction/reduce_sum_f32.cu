__global__ void reduce_sum_f32_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float sdata[];

  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  // Threads past the end bring the neutral element, so that the tree below is the same for every block.
  float v = 0.0f;
  if (i < n) {
    v = x[i];
  }
  sdata[tid] = v;
  __syncthreads();

  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      sdata[tid] += sdata[tid + stride];
    }
    __syncthreads();
  }

  if (tid == 0) {
    y[blockIdx.x] = sdata[0];
  }
}
// lab: compare 01_arithmetic/add_f32
