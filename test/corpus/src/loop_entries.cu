// Loops whose number of turns is the thread's: what chooses among their pieces is no branch of the source. Then two ifs.
extern "C" __global__ void prefix_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k <= i; k++)
        s += x[k];
    y[i] = s;
}
extern "C" __global__ void ragged_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < (i & 63); k++)
        y[i * 64 + k] = x[k];
}
// The turns of the inner loop that are left over are made before it, and store.
extern "C" __global__ void tiles_kernel(const float *x, const float *w, float *y, int n)
{
    __shared__ float a[8][64], b[8][64];
    float s = 0;
    for (int k = 0; k < n; k += 8) {
        for (int i = threadIdx.x; i < 512; i += 256) {
            a[i % 8][i / 8] = x[(blockIdx.y * 64 + i / 8) * n + k + i % 8];
            b[i / 64][i % 64] = w[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
        for (int j = 0; j < 8; j++)
            s += a[j][threadIdx.x / 16] * b[j][threadIdx.x % 16];
        __syncthreads();
    }
    y[blockIdx.x * 256 + threadIdx.x] = s;
}
extern "C" __global__ void if_round_loop_kernel(const float *x, float *y, int *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    if (threadIdx.x > 40) {
        z[i] = 3;
        for (int k = 0; k < n; k++)
            s += x[k];
    }
    y[i] = s;
}
extern "C" __global__ void either_loop_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    if (x[i] > 0) {
        for (int k = 0; k < n; k++)
            s += x[k] * i;
    } else {
        for (int k = 0; k < n; k++)
            s -= x[k + i];
    }
    y[i] = s;
}
