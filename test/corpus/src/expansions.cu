// Functions that compilers compute by many instructions: what they own, what is said of their exactness, and near misses.
#define GUARD(i, n)                                  \
    int i = blockIdx.x * blockDim.x + threadIdx.x;   \
    if (i >= n)                                      \
    return

extern "C" __global__ void sine_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = sinf(x[i]);
}

extern "C" __global__ void sine_and_cosine_kernel(const float *x, const float *z, float *y, int n)
{
    GUARD(i, n);
    y[i] = sinf(x[i]) + cosf(z[i]);
}

extern "C" __global__ void log_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = logf(x[i]);
}

extern "C" __global__ void log10_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = log10f(x[i]);
}

extern "C" __global__ void log2_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = log2f(x[i]);
}

extern "C" __global__ void log_of_log2_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = __log2f(x[i]) * 0.69314718f;
}

extern "C" __global__ void exp2_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = exp2f(x[i] * 1.5f);
}

extern "C" __global__ void root_kernel(const float *x, float *y, int n)
{
    GUARD(i, n);
    y[i] = sqrtf(x[i]);
}

extern "C" __global__ void reciprocal_root_kernel(const float *x, const float *z, float *y, int n)
{
    GUARD(i, n);
    y[i] = z[i] * rsqrtf(x[i]);
}

extern "C" __global__ void divide_kernel(const float *x, const float *z, float *y, int n)
{
    GUARD(i, n);
    y[i] = x[i] / z[i];
}

extern "C" __global__ void remainder_kernel(const float *x, const float *z, float *y, int n)
{
    GUARD(i, n);
    y[i] = fmodf(x[i], z[i]);
}

// Near misses.
extern "C" __global__ void sign_of_other_kernel(const float *x, const float *z, float *y, int n)
{
    GUARD(i, n);
    float r = fabsf(fmodf(x[i], z[i]));
    y[i] = copysignf(r, z[i]);
}

extern "C" __global__ void halved_kernel(const int *x, int *y, int n)
{
    GUARD(i, n);
    y[i] = x[i] >> 1;
}

extern "C" __global__ void rounded_half_kernel(const unsigned *x, unsigned *y, int n)
{
    GUARD(i, n);
    y[i] = (x[i] + 1) >> 1;
}

extern "C" __global__ void high_word_kernel(const unsigned *x, unsigned *y, int n)
{
    GUARD(i, n);
    y[i] = __umulhi(x[i], 0xcccccccbu) >> 2; // one less than x / 5 for some x
}
