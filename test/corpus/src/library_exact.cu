// Functions that libraries compute to the last bit: rounded to one side, parts of numbers, exponents, the next number; and
// lengths of three and four. None of their code is the kernel's own. Behind them near misses, which are.
#define INDEX                                                                                                          \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= n)                                                                                                        \
        return;
extern "C" __global__ void quotient_rz(const float *x, const float *z, float *y, int n)
{
    INDEX y[i] = __fdiv_rz(x[i], z[i]);
}
extern "C" __global__ void reciprocal_ru(const float *x, float *y, int n)
{
    INDEX y[i] = __frcp_ru(x[i]);
}
extern "C" __global__ void reciprocal_rz(const float *x, float *y, int n)
{
    INDEX y[i] = __frcp_rz(x[i]);
}
extern "C" __global__ void root_ru(const float *x, float *y, int n)
{
    INDEX y[i] = __fsqrt_ru(x[i]);
}
extern "C" __global__ void double_quotient_rd(const double *x, const double *z, double *y, int n)
{
    INDEX y[i] = __ddiv_rd(x[i], z[i]);
}
extern "C" __global__ void double_reciprocal_rz(const double *x, double *y, int n)
{
    INDEX y[i] = __drcp_rz(x[i]);
}
extern "C" __global__ void double_root_ru(const double *x, double *y, int n)
{
    INDEX y[i] = __dsqrt_ru(x[i]);
}
extern "C" __global__ void fraction(const float *x, float *y, float *w, int n)
{
    INDEX float whole;
    y[i] = modff(x[i], &whole);
    w[i] = whole;
}
extern "C" __global__ void mantissa(const double *x, double *y, int *k, int n)
{
    INDEX int exponent;
    y[i] = frexp(x[i], &exponent);
    k[i] = exponent;
}
extern "C" __global__ void exponent_of(const float *x, int *k, int n)
{
    INDEX k[i] = ilogbf(x[i]);
}
extern "C" __global__ void scaled(const float *x, const int *k, float *y, int n)
{
    INDEX y[i] = ldexpf(x[i], k[i]);
}
extern "C" __global__ void next_number(const float *x, const float *z, float *y, int n)
{
    INDEX y[i] = nextafterf(x[i], z[i]);
}
extern "C" __global__ void nearest_integer(const float *x, int *k, int n)
{
    INDEX k[i] = (int)lroundf(x[i]);
}
extern "C" __global__ void remainder_and_bits(const float *x, const float *z, float *y, int *k, int n)
{
    INDEX int bits;
    y[i] = remquof(x[i], z[i], &bits);
    k[i] = bits;
}
extern "C" __global__ void length_of_three(const float *x, const float *z, const float *w, float *y, int n)
{
    INDEX y[i] = norm3df(x[i], z[i], w[i]);
}
extern "C" __global__ void double_length_of_three(const double *x, const double *z, const double *w, double *y, int n)
{
    INDEX y[i] = norm3d(x[i], z[i], w[i]);
}
extern "C" __global__ void length_of_four(const float *x, const float *z, const float *w, const float *u, float *y, int n)
{
    INDEX y[i] = norm4df(x[i], z[i], w[i], u[i]);
}
extern "C" __global__ void two_waves(const double *x, double *y, double *w, int n)
{
    INDEX double sine, cosine;
    sincos(x[i], &sine, &cosine);
    y[i] = sine;
    w[i] = cosine;
}
// An approximate quotient kept from subnormals, and a sum: one multiply-add, the scales are no choice of the kernel's.
extern "C" __global__ void sum_of_quotient(const float *x, const float *z, const float *w, float *y, int n)
{
    INDEX y[i] = __fdividef(x[i], z[i]) + w[i];
}

// Near misses: a product rounded to one side, what is not the fraction of an infinity, powers that cannot be large, ties,
// the next number upwards only, lengths that overflow.
extern "C" __global__ void own_quotient_rz(const float *x, const float *z, float *y, int n)
{
    INDEX y[i] = __fmul_rz(x[i], __frcp_rn(z[i]));
}
extern "C" __global__ void own_fraction(const float *x, float *y, int n)
{
    INDEX float v = x[i];
    y[i] = fabsf(v) > 8388608.0f ? 0.0f : v - truncf(v);
}
extern "C" __global__ void own_scaled(const float *x, const int *k, float *y, int n)
{
    INDEX int e = k[i];
    y[i] = x[i] * __int_as_float((e < -126 ? -126 : e > 127 ? 127 : e) * 8388608 + 0x3f800000);
}
extern "C" __global__ void own_nearest(const float *x, int *k, int n)
{
    INDEX float v = x[i];
    k[i] = (int)(v < 0.0f ? v - 0.5f : v + 0.5f);
}
extern "C" __global__ void own_next(const float *x, const float *z, float *y, int n)
{
    INDEX float v = x[i];
    y[i] = v < z[i] ? __int_as_float(__float_as_int(v) + 1) : v;
}
extern "C" __global__ void own_length(const float *x, const float *z, const float *w, float *y, int n)
{
    INDEX float a = x[i], b = z[i], c = w[i];
    y[i] = sqrtf(a * a + b * b + c * c);
}
extern "C" __global__ void own_scaled_sum(const float *x, const float *z, const float *w, float *y, int n)
{
    INDEX float a = x[i], b = z[i], r;
    bool small = fabsf(b) < 1e-30f;
    a = small ? a * 2.0f : a;
    b = small ? b * 4.0f : b;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
    y[i] = fmaf(a, r, w[i]);
}
extern "C" __global__ void own_exponent(const float *x, int *k, int n)
{
    INDEX k[i] = ((__float_as_int(x[i]) >> 23) & 0xff) - 127;
}
