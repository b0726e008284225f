// What only relocations tell: functions, variables and constants of other files, calls, tables of functions and of branches.
#include <cstdio>
typedef float (*Function)(float, int);
extern __device__ float elsewhere(float);
extern __device__ int elsewhere_table[];
extern __constant__ float elsewhere_constant[16];
extern __shared__ char dynamic[];
__device__ float numbers[64];
__constant__ int few[8] = {1, 2, 3};
__shared__ int fixed[32];

__device__ __noinline__ float helper(float x, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x / (i + numbers[i & 63]);
    return s;
}
__device__ __noinline__ float other(float x, int n)
{
    return sqrtf(x) * n;
}
__device__ Function table[2] = {helper, other};

__global__ void outside(float *p, int n)
{
    p[threadIdx.x] = elsewhere(p[n]) + elsewhere_table[n] + elsewhere_constant[n & 15] + numbers[n & 63] + few[n & 7];
}
__global__ void indirect(float *p, int n)
{
    int i = threadIdx.x;
    fixed[i] = n;
    dynamic[i] = n;
    __syncthreads();
    p[i] = table[n & 1](p[i], n) + fixed[31 - i] + dynamic[0];
}
__global__ void prints(float *p, int n)
{
    printf("%d %f\n", n, p[0]);
    p[1] = helper(p[2], n) + other(p[3], n);
}
__global__ void switches(int *p, int n)
{
    switch (n) {
    case 0: p[0] = 7; break;
    case 1: p[1] = p[2] * 3; break;
    case 2: p[3] = p[4] / p[5]; break;
    case 3: p[9] = 4; break;
    case 4: p[6] += p[7]; break;
    case 5: p[8] = __popc(p[1]); break;
    case 6: p[11] = p[12] % 7; break;
    case 7: p[3] = __clz(p[4]); break;
    default: p[10] = 1;
    }
}
template <class T> __global__ void divides(T *p, T q)
{
    p[threadIdx.x] = p[threadIdx.x] / q;
}
template __global__ void divides<double>(double *, double);
template __global__ void divides<long long>(long long *, long long);
