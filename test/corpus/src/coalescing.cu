// What neighbours in threadIdx.x do: rows whose length is known at run time only, a row a warp, addresses by loaded data.
#define T threadIdx.x

// Neighbours are neighbours in the row, which threadIdx.y chooses.
__global__ void coalescing_rows_kernel(const float* __restrict__ x, float* __restrict__ y, int w) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  y[(size_t)r * w + c] = 2.0f * x[(size_t)r * w + c];
}

// Loads along a column, stores along a row.
__global__ void coalescing_turned_kernel(const float* __restrict__ x, float* __restrict__ y, int w) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w) y[r * w + c] = x[c * w + r];
}

// Loads along a row, stores along a column.
__global__ void coalescing_turned_store_kernel(const float* __restrict__ x, float* __restrict__ y, int w) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w) y[c * w + r] = x[r * w + c];
}

// A row of a is one element for all neighbours, a row of b is read by all of them.
__global__ void coalescing_product_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                          float* __restrict__ y, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0.0f;
  if (r < n && c < n) {
#pragma unroll 1
    for (int k = 0; k < n; k++) s += a[r * n + k] * b[k * n + c];
    y[r * n + c] = s;
  }
}

// The distance is another in each row of the block: no constant of the run.
__global__ void coalescing_wedge_kernel(const float* __restrict__ x, float* __restrict__ y, int w) {
  y[threadIdx.y * w + T] = x[threadIdx.y * w * T];
}

// A warp for a row: its beginning is loaded, and the same for the whole warp.
__global__ void coalescing_warp_row_kernel(const float* __restrict__ x, const int* __restrict__ begin,
                                           float* __restrict__ y) {
  int w = (blockIdx.x * blockDim.x + T) / 32, l = T % 32;
  y[w * 32 + l] = x[begin[w] + l];
}

// ... and every other element of it.
__global__ void coalescing_warp_pairs_kernel(const float* __restrict__ x, const int* __restrict__ begin,
                                             float* __restrict__ y) {
  int w = T >> 5, l = T & 31;
  y[T] = x[begin[w] + 2 * l];
}

// The beginning is loaded for groups of eight: neighbours are apart by data at their ends only.
__global__ void coalescing_eights_kernel(const float* __restrict__ x, const int* __restrict__ begin,
                                         float* __restrict__ y) {
  int w = T >> 3, l = T & 7;
  y[T] = x[begin[w] + l];
}

__global__ void coalescing_gather_kernel(const float* __restrict__ x, const int* __restrict__ index,
                                         float* __restrict__ y) {
  int i = blockIdx.x * blockDim.x + T;
  y[i] = x[index[i]];
}

// A warp's number in blocks of 48 threads: some warps have two of them.
__global__ void coalescing_uneven_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * 48 + T;
  y[i] = x[(i >> 5) * n];
}
