// Linked with linked_a.cu: `h` is inlined everywhere, so the linker drops its code but not its line table.
#line 1 "/kernels/linked_b.cu"
__device__ float h(float x) { return x * x; }
__device__ float g(float x) { return h(x) * 3 + 1; }
__global__ void within(float *y) { y[threadIdx.x] = g(y[threadIdx.x]); }
