// A module with an extern shared array: a kernel that uses it, and one that does not.
extern __shared__ float dynamic[];
__global__ void without(float *y) { y[threadIdx.x] *= 2.0f; }

__global__ void with(float *y)
{
    dynamic[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = dynamic[99 - threadIdx.x];
}
