// The steps stand on two lines, or on one in a loop that leaves nothing over: a person took them together.
extern "C" __global__ void by_hand_kernel(const float *x, const float *w, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    s += x[i * 8] * w[0], s += x[i * 8 + 1] * w[1], s += x[i * 8 + 2] * w[2], s += x[i * 8 + 3] * w[3];
    s += x[i * 8 + 4] * w[4], s += x[i * 8 + 5] * w[5], s += x[i * 8 + 6] * w[6], s += x[i * 8 + 7] * w[7];
    y[i] = s;
}
extern "C" __global__ void fours_by_hand_kernel(const float *x, float *y, int n)
{
    float s = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += 4)
        s += x[k], s += x[k + 1], s += x[k + 2], s += x[k + 3];
    y[threadIdx.x] = s;
}
// Lines of their own, also within a loop that a compiler copies; and copies of two lines.
extern "C" __global__ void four_lines_kernel(const float *x, float *y)
{
    int t = threadIdx.x;
    float s = 0;
    s += x[t * 4];
    s += x[t * 4 + 1];
    s += x[t * 4 + 2];
    s += x[t * 4 + 3];
    y[t] = s;
}

extern "C" __global__ void four_lines_a_turn_kernel(const float *x, float *y, int n)
{
    float s = 0;
    for (int k = 0; k < n; k += 4) {
        s += x[k];
        s += x[k + 1];
        s += x[k + 2];
        s += x[k + 3];
    }
    y[threadIdx.x] = s;
}

extern "C" __global__ void two_lines_unrolled_kernel(const float *x, const float *w, float *y)
{
    int t = threadIdx.x;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        s += x[t * 8 + k] *
             w[k];
    y[t] = s;
}
