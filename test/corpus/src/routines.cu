// Code that a compiler or a library adds as routines: nothing of it is the kernel's. Functions that the source keeps
// apart are. And what agrees with a function of a library nearly everywhere.
#define INDEX                                                                                                          \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= n)                                                                                                        \
        return;
extern "C" __global__ void add_modulo(unsigned long long *y, const unsigned long long *x, const unsigned long long *z,
                                      int n)
{
    INDEX y[i] = x[i] % z[i] + z[i] % (x[i] + 1);
}

extern "C" __global__ void third(double *y, const double *x, int n)
{
    INDEX y[i] = x[i] / 3.0;
}

extern "C" __global__ void double_sine(double *y, const double *x, int n)
{
    INDEX y[i] = sin(x[i]);
}

extern "C" __global__ void double_power(double *y, const double *x, const double *z, int n)
{
    INDEX y[i] = pow(x[i], z[i]);
}

extern "C" __global__ void double_root(double *y, const double *x, int n)
{
    INDEX y[i] = rsqrt(x[i]);
}

// ---- the kernel's own

static __device__ __noinline__ float ratio(float a, float b)
{
    return a / b + 1.0f;
}

static __device__ __noinline__ float wave(float a, float b)
{
    return a * b + sinf(a);
}

extern "C" __global__ void own_ratio(float *y, const float *x, int n)
{
    INDEX y[i] = ratio(x[i], x[i + 2]) + ratio(x[i + 1], 3.0f);
}

extern "C" __global__ void own_wave(float *y, const float *x, int n)
{
    INDEX y[i] = wave(x[i], x[i + 1]) + wave(x[i + 2], 2.0f);
}

extern "C" __global__ void own_choice(double *y, const double *x, const double *c, int n)
{
    INDEX double v = x[i];
    if (c[i] > 0.25)
        v = pow(v, 1.7);
    y[i] = v;
}

// ---- near misses

extern "C" __global__ void not_nan(float *y, const float *x, int n)
{
    INDEX float v = x[i], r = tanhf(v);
    y[i] = isnan(v) ? 0.0f : r;
}

extern "C" __global__ void not_infinite(float *y, const float *x, int n)
{
    INDEX float v = x[i], r = erff(v);
    y[i] = isinf(v) ? -r : r;
}

extern "C" __global__ void not_far(float *y, const float *x, int n)
{
    INDEX float v = x[i], r = erff(v);
    y[i] = fabsf(v) < 32.0f ? r : 0.0f;
}

extern "C" __global__ void not_there(float *y, const float *x, int n)
{
    INDEX float v = x[i], r = erff(v);
    y[i] = v == 2.0f ? 1.0f : r;
}

extern "C" __global__ void not_cbrt(float *y, const float *x, int n)
{
    INDEX float v = x[i];
    y[i] = copysignf(powf(fabsf(v), 0.333333f), v);
}
