// A variable of the module: where it lies, the linker writes into instructions, or into a table. Written for this project.
__device__ unsigned int arrived;
__device__ float scale;

extern "C" __global__ void counted_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * scale;
    if (threadIdx.x == 0 && atomicAdd(&arrived, 1u) == gridDim.x - 1)
        arrived = 0;
}
