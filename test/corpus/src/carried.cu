// What goes round a loop, looked at before its step and after it, by a turn late, and where a way out leaves it: pairs of
// kernels that differ in nothing else.
#define ROW ((blockIdx.x * blockDim.x + threadIdx.x) * n)
#define OWN (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void exclusive_scan_kernel(const float* x, float* y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    y[ROW + k] = s;
    s += x[ROW + k];
  }
}

__global__ void inclusive_scan_kernel(const float* x, float* y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    s += x[ROW + k];
    y[ROW + k] = s;
  }
}

// Unrolled as the compiler likes.
__global__ void exclusive_scan_in_pieces_kernel(const float* x, float* y, int n) {
  float s = 0.0f;
  for (int k = 0; k < n; ++k) {
    y[ROW + k] = s;
    s += x[ROW + k];
  }
}

__global__ void doubled_before_kernel(const float* x, float* y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    y[ROW + k] = s * s;
    s += x[ROW + k];
  }
}

__global__ void delay_kernel(const float* x, float* y, int n) {
  float before = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    y[ROW + k] = before;
    before = x[ROW + k];
  }
}

__global__ void difference_kernel(const float* x, float* y, int n) {
  float before = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    float v = x[ROW + k];
    y[ROW + k] = v - before;
    before = v;
  }
}

// The sum that goes over the limit is not kept ...
__global__ void sum_below_kernel(const float* x, float* y, int n, float limit) {
  float s = 0.0f;
  for (int k = 0; k < n; ++k) {
    float v = x[ROW + k];
    if (s + v > limit) {
      break;
    }
    s += v;
  }
  y[OWN] = s;
}

// ... and is.
__global__ void sum_over_kernel(const float* x, float* y, int n, float limit) {
  float s = 0.0f;
  for (int k = 0; k < n; ++k) {
    s += x[ROW + k];
    if (s > limit) {
      break;
    }
  }
  y[OWN] = s;
}

__global__ void continue_break_kernel(const float* x, float* y, int n) {
  float s = 0.0f;
  for (int k = OWN; k < n; k += gridDim.x * blockDim.x) {
    if (x[k] < 0.0f) {
      continue;
    }
    if (x[k] > 100.0f) {
      break;
    }
    s += x[k];
  }
  y[OWN] = s;
}

// The product takes the new sum; the other one takes the old.
__global__ void product_of_new_kernel(const float* x, float* y, int n) {
  float a = 0.0f, b = 1.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    a += x[ROW + k];
    b *= a;
  }
  y[2 * OWN] = a;
  y[2 * OWN + 1] = b;
}

__global__ void product_of_old_kernel(const float* x, float* y, int n) {
  float a = 0.0f, b = 1.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    b *= a;
    a += x[ROW + k];
  }
  y[2 * OWN] = a;
  y[2 * OWN + 1] = b;
}

// How many turns there are hangs on a number that the count itself does not show.
__global__ void doublings_kernel(int* y, int n) {
  int turns = 0;
  for (int q = 2; q < n; q *= 2) {
    ++turns;
  }
  y[OWN] = turns;
}

__global__ void triplings_kernel(int* y, int n) {
  int turns = 0;
  for (int q = 2; q < n; q *= 3) {
    ++turns;
  }
  y[OWN] = turns;
}

__global__ void collatz_kernel(int* y, int n) {
  int turns = 0;
  for (int v = n; v > 1; v = v & 1 ? 3 * v + 1 : v >> 1) {
    ++turns;
  }
  y[OWN] = turns;
}

__global__ void collatz_five_kernel(int* y, int n) {
  int turns = 0;
  for (int v = n; v > 1; v = v & 1 ? 5 * v + 1 : v >> 1) {
    ++turns;
  }
  y[OWN] = turns;
}

// What stands behind a loop chooses for itself: the constant is no start of the sum, though it is the same number.
__global__ void sum_clipped_kernel(const float* x, float* y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    s += x[ROW + k];
  }
  y[OWN] = s < 0.0f ? 0.0f : s;
}

__global__ void sum_masked_kernel(const float* x, const int* mask, float* y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    s += x[ROW + k];
  }
  y[OWN] = mask[OWN] ? s : 0.0f;
}

__global__ void sum_when_many_kernel(const float* x, float* y, int n) {
  float s = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    s += x[ROW + k];
  }
  y[OWN] = n > 4 ? s : 7.0f;
}

__global__ void sum_unless_nan_kernel(const float* x, float* y, int n) {
  float s = 0.0f;
  for (int k = 0; k < n; ++k) {
    float v = x[ROW + k];
    if (v != v) {
      s = -1.0f;
      break;
    }
    s += v;
  }
  y[OWN] = s;
}
