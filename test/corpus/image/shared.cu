// A kernel with a static shared array, one without.
__global__ void without(float *y) { y[threadIdx.x] *= 2.0f; }

__global__ void with(float *y)
{
    __shared__ float tile[100];
    tile[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[99 - threadIdx.x];
}
