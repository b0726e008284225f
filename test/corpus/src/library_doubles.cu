// Functions of doubles, whose code the compiler puts into the kernel: two words chosen apart, tables, routines, loops.
// None of it is the kernel's own. And near misses, which are.
#define INDEX                                                                                                          \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= n)                                                                                                        \
        return;
extern "C" __global__ void of_erf(double *y, const double *x, int n)
{
    INDEX y[i] = erf(x[i]);
}

extern "C" __global__ void of_sin(double *y, const double *x, int n)
{
    INDEX y[i] = sin(x[i]);
}

extern "C" __global__ void of_atanh(double *y, const double *x, int n)
{
    INDEX y[i] = atanh(x[i]);
}

extern "C" __global__ void of_fmod(double *y, const double *x, const double *z, int n)
{
    INDEX y[i] = fmod(x[i], z[i]);
}

extern "C" __global__ void of_nextafter(double *y, const double *x, const double *z, int n)
{
    INDEX y[i] = nextafter(x[i], z[i]);
}

// The sine's series to few terms is no sine.
extern "C" __global__ void own_series(double *y, const double *x, int n)
{
    INDEX double v = x[i], q = v * v;
    y[i] = copysign(v * (1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0)))), v);
}

// A root by Newton's steps: the loop is the kernel's.
extern "C" __global__ void own_newton(double *y, const double *x, int n)
{
    INDEX double v = x[i], r = 0.5 * v;
#pragma unroll 1
    for (int k = 0; k < 20 && fabs(r * r - v) > 1e-9; k++)
        r = 0.5 * (r + v * 0.25);
    y[i] = r;
}

// A branch round a store.
extern "C" __global__ void own_branch(double *y, double *z, const double *x, int n)
{
    INDEX double v = x[i];
    if (v > 1.0) {
        y[i] = v * 2.0;
        z[i] = y[i + 1] + v;
    } else {
        z[i] = v;
    }
}

// Words put together by hand: two numbers side by side, of which none is a double.
extern "C" __global__ void own_words(int2 *y, const double *x, int n)
{
    INDEX y[i] = make_int2(__double2hiint(x[i]), __double2loint(x[i]));
}

// A table of the kernel's own, by which it goes a way of its own.
static __device__ const double steps[8] = {0.5, 1.25, 2.0, 3.5, 5.25, 7.0, 9.5, 11.0};
extern "C" __global__ void own_table(double *y, const double *x, int n)
{
    INDEX double v = x[i];
    int k = (int)v & 7;
    y[i] = fma(v, steps[k], 0.5) * v + steps[7 - k];
}
