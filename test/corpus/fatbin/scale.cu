// Two kernels for files that hold modules: small, and with a rewrite that shows which PTX was at hand.
__global__ void scale(const float *x, float *y, float a, float b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * a + b;
}
