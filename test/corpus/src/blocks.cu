// What threads store to global memory and read back behind a barrier: in their own block, or in another one, which no
// barrier waits for.

extern "C" __global__ void blocks_turned_kernel(const float *x, float *t, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    t[i] = x[i] * x[i];
    __syncthreads();
    y[i] = t[n - 1 - i];
}
extern "C" __global__ void blocks_far_kernel(const float *x, float *t, float *y) {
    int i = blockIdx.x * 256 + threadIdx.x;
    t[i] = x[i] * x[i];
    __syncthreads();
    y[i] = t[i + 256];
}
extern "C" __global__ void blocks_one_on_kernel(const float *x, float *t, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    t[i] = x[i] * x[i];
    __syncthreads();
    y[i] = t[i + blockDim.x];
}
extern "C" __global__ void blocks_first_word_kernel(const float *x, float *t, float *y) {
    int i = blockIdx.x * 256 + threadIdx.x;
    t[i] = x[i] * x[i];
    __syncthreads();
    y[i] = t[0];
}
// The last thread reads the next block's first word.
extern "C" __global__ void blocks_next_word_kernel(const float *x, float *t, float *y) {
    int i = blockIdx.x * 256 + threadIdx.x;
    t[i] = x[i] * x[i];
    __syncthreads();
    y[i] = t[i + 1];
}
extern "C" __global__ void blocks_scan_kernel(float *t, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    for (int d = 1; d < n; d <<= 1) {
        float v = i >= d ? t[i - d] : 0;
        __syncthreads();
        t[i] += v;
        __syncthreads();
    }
}
// ---- in the block

extern "C" __global__ void own_block_turned_kernel(const float *x, float *t, float *y) {
    int i = blockIdx.x * 256 + threadIdx.x;
    t[i] = x[i] * x[i];
    __syncthreads();
    y[i] = t[blockIdx.x * 256 + 255 - threadIdx.x];
}
extern "C" __global__ void own_block_inner_kernel(const float *x, float *t, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    t[i] = x[i] * x[i];
    __syncthreads();
    if (threadIdx.x > 0 && threadIdx.x + 1 < blockDim.x)
        y[i] = t[i - 1] + t[i + 1];
}
extern "C" __global__ void own_block_row_kernel(float *x, float *t, int n) {
    float *row = t + blockIdx.x * n;
    if (threadIdx.x < n)
        row[threadIdx.x] = x[blockIdx.x * n + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        x[blockIdx.x * n + threadIdx.x] = row[n - 1 - threadIdx.x];
}
extern "C" __global__ void own_block_tree_kernel(int *x, int *y) {
    int *part = x + blockIdx.x * blockDim.x;
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (threadIdx.x < stride)
            part[threadIdx.x] += part[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0];
}
extern "C" __global__ void one_block_kernel(const float *x, float *t, float *y) {
    t[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = t[255 - threadIdx.x];
}
