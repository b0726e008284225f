// One store a kernel: floats kept as bits, bits taken as floats, 16-bit floats in arrays of integers.
struct __nv_bfloat16 {
    unsigned short v;
};

__global__ void float_bits(const float *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __float_as_int(x[i] * x[i + 1]);
}

__global__ void bits_float(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __int_as_float(x[i] * 8);
}

__global__ void word_float(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __int_as_float(x[i]);
}

__global__ void int_to_float(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * 8;
}

__global__ void half_product(const unsigned short *x, unsigned short *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short r;
    asm("mul.f16 %0, %1, %2;" : "=h"(r) : "h"(x[i]), "h"(x[i + 1]));
    y[i] = r;
}

__global__ void short_product(const unsigned short *x, unsigned short *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * x[i + 1];
}

__global__ void half_widened(const unsigned short *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x[i]));
    y[i] = r;
}

__global__ void bfloat_widened(const __nv_bfloat16 *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __uint_as_float((unsigned)x[i].v << 16) * 3.0f;
}

__global__ void bfloat_fused(const unsigned *x, unsigned *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned r;
    asm("fma.rn.bf16x2 %0, %1, %2, %1;" : "=r"(r) : "r"(x[i]), "r"(x[i + 1]));
    y[i] = r;
}
