// Trees in shared memory whose own element stays in a register: the last step is kept there and the lanes of a warp
// go on with it. Two trees in one array, one behind the other. Elements that later turns overwrite.
__global__ void kept_by_size(const float *x, float *y, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float sum = i < n ? x[i] : 0.0f;
    s[t] = sum;
    __syncthreads();
    for (int d = blockDim.x >> 1; d > 32; d >>= 1) {
        if (t < d)
            s[t] = sum = sum + s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        if (blockDim.x >= 64)
            sum += s[t + 32];
        for (int o = 16; o > 0; o >>= 1)
            sum += __shfl_down_sync(~0u, sum, o);
    }
    if (t == 0)
        y[blockIdx.x] = sum;
}

__global__ void kept_max(const int *x, int *y)
{
    __shared__ int s[256];
    int t = threadIdx.x, most = x[blockIdx.x * 256 + t];
    s[t] = most;
    __syncthreads();
    if (t < 128)
        s[t] = most = max(most, s[t + 128]);
    __syncthreads();
    if (t < 64)
        s[t] = most = max(most, s[t + 64]);
    __syncthreads();
    if (t < 32) {
        most = max(most, s[t + 32]);
        for (int o = 16; o > 0; o >>= 1)
            most = max(most, __shfl_xor_sync(~0u, most, o));
    }
    if (t == 0)
        y[blockIdx.x] = most;
}

// Near miss: the last step takes in the elements behind those that are left.
__global__ void kept_wrong(const float *x, float *y)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = x[blockIdx.x * 256 + t];
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 32; d >>= 1) {
        if (t < d)
            s[t] = sum = sum + s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        sum += s[t + 64];
        for (int o = 16; o > 0; o >>= 1)
            sum += __shfl_down_sync(~0u, sum, o);
    }
    if (t == 0)
        y[blockIdx.x] = sum;
}

// Near miss: the last step is missing, half of what is left is lost.
__global__ void kept_missing(const float *x, float *y)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = x[blockIdx.x * 256 + t];
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 32; d >>= 1) {
        if (t < d)
            s[t] = sum = sum + s[t + d];
        __syncthreads();
    }
    if (t < 32)
        for (int o = 16; o > 0; o >>= 1)
            sum += __shfl_down_sync(~0u, sum, o);
    if (t == 0)
        y[blockIdx.x] = sum;
}

__global__ void two_trees(const int *x, int *low, int *high)
{
    extern __shared__ int two[];
    int t = threadIdx.x, n = blockDim.x, v = x[blockIdx.x * n + t];
    two[t] = v;
    two[n + t] = v;
    __syncthreads();
    for (int d = n >> 1; d > 0; d >>= 1) {
        if (t < d) {
            two[t] = min(two[t], two[t + d]);
            two[n + t] = max(two[n + t], two[n + t + d]);
        }
        __syncthreads();
    }
    if (t == 0) {
        low[blockIdx.x] = two[0];
        high[blockIdx.x] = two[n];
    }
}

// No reduction: the elements brought are read in the first turn only, then what was made of them.
__global__ void means(const float *x, float *y)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = blockDim.x >> 1; d > 0; d >>= 1) {
        if (t < d)
            s[t] = (s[t] + s[t + d]) * 0.5f;
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}

// A scan that takes two buffers in turns: what its loads read are no elements that were brought.
__global__ void buffers_in_turns(const int *x, int *y, int n)
{
    extern __shared__ int b[];
    int t = threadIdx.x, in = 0;
    b[t] = t < n ? x[t] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d <<= 1) {
        int out = 1 - in, v = b[in * blockDim.x + t];
        b[out * blockDim.x + t] = t >= d ? v + b[in * blockDim.x + t - d] : v;
        in = out;
        __syncthreads();
    }
    if (t < n)
        y[t] = b[in * blockDim.x + t];
}
