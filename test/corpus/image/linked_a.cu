// Linked with linked_b.cu: a call across translation units.
#line 1 "/kernels/linked_a.cu"
__device__ float g(float x);
__global__ void across(float *y) { y[threadIdx.x] = g(y[threadIdx.x]); }
