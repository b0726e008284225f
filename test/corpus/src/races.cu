// Threads that hand data to one another, each kernel (_ok) beside a twin (_bad) that lacks a barrier, has it in the wrong
// place, or is one index off: buffers that take turns, halos, transpositions, scans, one word a warp, queues and flags,
// named barriers, copies that run by themselves, threads that wait without a barrier.
#define T threadIdx.x
#define KERNEL extern "C" __global__ void __launch_bounds__(256)
#define FULL 0xffffffffu

// The other one of two buffers.
KERNEL two_buffers_ok(const float* x, float* y, int n) {
  __shared__ float s[2][256];
  int p = 0;
  float a = 0;
  s[0][T] = x[T];
  __syncthreads();
#pragma unroll 1
  for (int k = 1; k < n; k++) {
    a += s[p][255 - T];
    p ^= 1;
    s[p][T] = x[k * 256 + T];
    __syncthreads();
  }
  y[T] = a + s[p][255 - T];
}

KERNEL two_buffers_bad(const float* x, float* y, int n) {  // the loop has no barrier
  __shared__ float s[2][256];
  int p = 0;
  float a = 0;
  s[0][T] = x[T];
  __syncthreads();
#pragma unroll 1
  for (int k = 1; k < n; k++) {
    a += s[p][255 - T];
    p ^= 1;
    s[p][T] = x[k * 256 + T];
  }
  y[T] = a;
}

// Two stages ahead of the one that is read, of four.
KERNEL four_stages_ok(const float* x, float* y, int n) {
  __shared__ float s[4][256];
  float a = 0;
  s[0][T] = x[T];
  s[1][T] = x[T + 256];
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    a += s[k & 3][255 - T];
    s[(k + 2) & 3][T] = x[(k + 2) * 256 + T];
    __syncthreads();
  }
  y[T] = a;
}

KERNEL four_stages_bad(const float* x, float* y, int n) {  // four ahead is the same one
  __shared__ float s[4][256];
  float a = 0;
  s[0][T] = x[T];
  s[1][T] = x[T + 256];
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    a += s[k & 3][255 - T];
    s[(k + 4) & 3][T] = x[(k + 4) * 256 + T];
    __syncthreads();
  }
  y[T] = a;
}

// One thread brings what lies beside the block.
KERNEL halo_ok(const float* x, float* y, int n) {
  __shared__ float s[257];
  int i = blockIdx.x * 256 + T;
  s[T + 1] = x[i];
  if (T == 255) s[0] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  y[i] = s[T] + s[T + 1];
}

KERNEL halo_bad(const float* x, float* y, int n) {  // behind the barrier
  __shared__ float s[257];
  int i = blockIdx.x * 256 + T;
  s[T + 1] = x[i];
  __syncthreads();
  if (T == 255) s[0] = i + 1 < n ? x[i + 1] : 0;
  y[i] = s[T] + s[T + 1];
}

// A tile of three dimensions; neighbours in each.
KERNEL cube_ok(const float* x, float* y, int w, int h) {
  __shared__ float s[10][10][10];
  int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
  int at = ((blockIdx.z * 8 + k) * h + blockIdx.y * 8 + j) * w + blockIdx.x * 8 + i;
  s[k + 1][j + 1][i + 1] = x[at];
  __syncthreads();
  y[at] = s[k + 1][j + 1][i] + s[k + 1][j][i + 1] + s[k][j + 1][i + 1];
}

KERNEL cube_bad(const float* x, float* y, int w, int h) {  // no barrier
  __shared__ float s[10][10][10];
  int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
  int at = ((blockIdx.z * 8 + k) * h + blockIdx.y * 8 + j) * w + blockIdx.x * 8 + i;
  s[k + 1][j + 1][i + 1] = x[at];
  y[at] = s[k + 1][j + 1][i] + s[k + 1][j][i + 1] + s[k][j + 1][i + 1];
}

// Rows become columns.
extern "C" __global__ void columns_ok(const float* x, float* y, int w) {
  __shared__ float s[32][33];
  int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
  s[threadIdx.y][threadIdx.x] = x[j * w + i];
  __syncthreads();
  y[i * w + j] = s[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void columns_bad(const float* x, float* y, int w) {  // no barrier
  __shared__ float s[32][33];
  int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
  s[threadIdx.y][threadIdx.x] = x[j * w + i];
  y[i * w + j] = s[threadIdx.x][threadIdx.y];
}

// One word a warp.
KERNEL warp_words_ok(const float* x, float* y) {
  __shared__ float w[8];
  float v = x[T];
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
  if ((T & 31) == 0) w[T >> 5] = v;
  __syncthreads();
  if (T < 8) y[T] = w[T];
}

KERNEL warp_words_bad(const float* x, float* y) {  // no barrier
  __shared__ float w[8];
  float v = x[T];
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
  if ((T & 31) == 0) w[T >> 5] = v;
  if (T < 8) y[T] = w[T];
}

// Thread 0 fetches the next piece of work for all; nothing comes behind the loop.
KERNEL queue_ok(float* x, int* next, int n) {
  __shared__ int q;
  for (;;) {
    if (T == 0) q = atomicAdd(next, 1);
    __syncthreads();
    int i = q;
    __syncthreads();
    if (i >= n) break;
    x[i * 256 + T] *= 2;
  }
}

KERNEL queue_bad(float* x, int* next, int n) {  // the next piece overtakes
  __shared__ int q;
  for (;;) {
    if (T == 0) q = atomicAdd(next, 1);
    __syncthreads();
    int i = q;
    if (i >= n) break;
    x[i * 256 + T] *= 2;
  }
}

// The block that is last does more; thread 0 says so.
__device__ unsigned blocks_done;
KERNEL last_block_ok(const float* x, float* part, float* y) {
  __shared__ bool last;
  if (T == 0) {
    part[blockIdx.x] = x[blockIdx.x];
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) y[T] = ((volatile float*)part)[T];
}

KERNEL last_block_bad(const float* x, float* part, float* y) {  // a fence is no barrier
  __shared__ bool last;
  if (T == 0) {
    part[blockIdx.x] = x[blockIdx.x];
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  if (last) y[T] = ((volatile float*)part)[T];
}

// Threads wait for a word that another one stores.
KERNEL waits_ok(const float* x, float* y) {
  __shared__ float s[256];
  __shared__ volatile int flag;
  if (T == 0) flag = 0;
  __syncthreads();
  if (T == 255) {
    s[0] = x[0];
    __threadfence_block();
    flag = 1;
  }
  while (flag == 0) {
  }
  __threadfence_block();
  y[T] = s[0];
}

KERNEL waits_bad(const float* x, float* y) {  // they look once
  __shared__ float s[256];
  __shared__ volatile int flag;
  if (T == 0) flag = 0;
  __syncthreads();
  if (T == 255) {
    s[0] = x[0];
    __threadfence_block();
    flag = 1;
  }
  float a = flag;
  __threadfence_block();
  y[T] = s[0] + a;
}

// Barriers with a number and with a count.
KERNEL halves_ok(const float* x, float* y) {  // each half of the block has its own
  __shared__ float s[256];
  s[T] = x[T];
  if (T < 128)
    asm volatile("bar.sync 1, 128;" ::: "memory");
  else
    asm volatile("bar.sync 2, 128;" ::: "memory");
  y[T] = s[T ^ 127];
}

KERNEL halves_bad(const float* x, float* y) {  // and reads what the other one stored
  __shared__ float s[256];
  s[T] = x[T];
  if (T < 128)
    asm volatile("bar.sync 1, 128;" ::: "memory");
  else
    asm volatile("bar.sync 2, 128;" ::: "memory");
  y[T] = s[255 - T];
}

KERNEL producer_ok(const float* x, float* y) {
  __shared__ float s[128];
  if (T < 128) {
    s[T] = x[T];
    asm volatile("bar.arrive 1, 256;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 256;" ::: "memory");
    y[T] = s[255 - T];
  }
}

KERNEL producer_bad(const float* x, float* y) {  // the reader does not wait
  __shared__ float s[128];
  if (T < 128) {
    s[T] = x[T];
    asm volatile("bar.sync 1, 256;" ::: "memory");
  } else {
    asm volatile("bar.arrive 1, 256;" ::: "memory");
    y[T] = s[255 - T];
  }
}

#if __CUDA_ARCH__ >= 800
#define COPY(to, from)                                                                                             \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) \
               : "memory")
// What a copy stores that runs by itself.
KERNEL copies_ok(const float* x, float* y) {
  __shared__ float s[256];
  s[T] = 0;
  __syncthreads();
  COPY(&s[T], &x[T]);
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  y[T] = s[255 - T];
}

KERNEL copies_bad(const float* x, float* y) {  // nobody waits for it
  __shared__ float s[256];
  COPY(&s[T], &x[T]);
  __syncthreads();
  y[T] = s[255 - T];
}
#endif
