// Quotients of doubles by what was passed, and exponentials of doubles inside larger expressions.
#define GUARD(i, n)                                  \
    int i = blockIdx.x * blockDim.x + threadIdx.x;   \
    if (i >= n)                                      \
    return

extern "C" __global__ void by_passed(const double *x, double *y, double d, int n)
{
    GUARD(i, n);
    y[i] = x[i] / d;
}

extern "C" __global__ void passed_by(const double *x, double *y, double d, int n)
{
    GUARD(i, n);
    y[i] = d / x[i];
}

extern "C" __global__ void one_by_passed(const double *x, double *y, double d, int n)
{
    GUARD(i, n);
    y[i] = x[i] + 1.0 / d;
}

// Near miss: the step of a quotient that the source writes, without a check.
extern "C" __global__ void own_step(const double *x, double *y, double d, double r, int n)
{
    GUARD(i, n);
    double q = x[i] * r;
    y[i] = fma(r, fma(-d, q, x[i]), q);
}

extern "C" __global__ void sigmoid(const double *x, double *y, int n)
{
    GUARD(i, n);
    y[i] = 1.0 / (1.0 + exp(-x[i]));
}

extern "C" __global__ void exp_over(const double *x, const double *z, double *y, double m, int n)
{
    GUARD(i, n);
    y[i] = exp(x[i] - m) / z[i];
}

extern "C" __global__ void exp_or_zero(const double *x, const double *z, double *y, double m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double e = i < n ? exp(x[i] - m) : 0.0;
    y[i] = e;
    __syncthreads();
    if (i < n)
        y[i + n] = e / z[i];
}
