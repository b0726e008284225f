// 24,009 bytes of parameters.
struct Huge {
    int a[6000];
};
__global__ void huge(const Huge h, int *o, char c) { o[threadIdx.x] = h.a[threadIdx.x] + c; }
