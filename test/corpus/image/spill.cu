// Too many live values for 24 registers; more parameter bytes than the old parameter record can tell.
__global__ void spilling(float *o, const float *a)
{
    float r[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        r[i] = a[threadIdx.x + i * 32];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i++)
        o[threadIdx.x + i * 32] = r[i] * r[31 - i] + r[(i * 7) % 32];
}
