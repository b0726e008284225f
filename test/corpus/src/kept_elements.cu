// Straight steps whose elements are not all loaded, two accumulators with a step more of the one than of the other,
// a counter a step ahead.

// The thread's own element comes from the register it was stored from.
__global__ void own_tap_kernel(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[262];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float own = x[i + 3];
  s[t + 3] = own;
  if (t < 3) {
    s[t] = x[i];
    s[t + 259] = x[i + 259];
  }
  __syncthreads();
  float r = 0.0f;
#pragma unroll
  for (int k = 0; k < 7; k++) r += k == 3 ? own : s[t + k];
  y[i] = r;
}

// Another array's element in the midst: no seven turns over this one, nor twice three.
__global__ void other_tap_kernel(const float* __restrict__ x, const float* __restrict__ z, float* __restrict__ y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float r = 0.0f;
#pragma unroll
  for (int k = 0; k < 7; k++) r += k == 3 ? z[i] : x[i + k];
  y[i] = r;
}

// What the last step leaves in c nobody takes.
__global__ void compensated_kernel(const float* x, float* y, int n) {
  float s = 0.0f, c = 0.0f;
  for (int k = threadIdx.x; k < n; k += 32) {
    float t = __fsub_rn(x[k], c);
    float u = __fadd_rn(s, t);
    c = __fsub_rn(__fsub_rn(u, s), t);
    s = u;
  }
  y[threadIdx.x] = s;
}

// A compiler keeps the next tile's place in a register, a step ahead of this one's.
__global__ void tiles_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int rows,
                             int columns, int inner) {
  __shared__ float as[8][8], bs[8][8];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, column = blockIdx.x * 8 + tx;
  float s = 0.0f;
  for (int t = 0; t < inner; t += 8) {
    as[ty][tx] = row < rows && t + tx < inner ? a[row * inner + t + tx] : 0.0f;
    bs[ty][tx] = t + ty < inner && column < columns ? b[(t + ty) * columns + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 8; k++) s += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = s;
}

// A pointer that moves by what only the launch says.
__global__ void moving_pointer_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const float* p = x + threadIdx.x;
  float s = 0.0f;
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    s += *p;
    p += blockDim.x;
  }
  y[threadIdx.x] = s;
}
