// What lies in a thread's frame: accumulators that are put away in every turn of their loop, an array whose places a
// comparison chooses, a variable that a function reads by its address. Written for this project; built for 24 registers.

// Twenty sums, most of them put away and fetched again in every turn: each is one value that goes round.
extern "C" __global__ void spilled_sums_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[20];
#pragma unroll
    for (int k = 0; k < 20; k++)
        sum[k] = 0.0f;
#pragma unroll 1
    for (int j = 0; j < n; j++) {
        float v = x[j * n + i];
#pragma unroll
        for (int k = 0; k < 20; k++)
            sum[k] = fmaf(sum[k], v, x[j * 20 + k]);
    }
#pragma unroll
    for (int k = 0; k < 20; k++)
        y[i * 20 + k] = sum[k];
}

// Where an element goes depends on comparisons: an index of the run, though each place it may be is a constant.
extern "C" __global__ void inserted_kernel(const float *__restrict__ x, float *__restrict__ y) {
    int t = threadIdx.x;
    float a[8];
    for (int k = 0; k < 8; k++)
        a[k] = x[t * 8 + k];
#pragma unroll
    for (int k = 1; k < 8; k++) {
        float v = a[k];
        int j = k - 1;
        while (j >= 0 && a[j] > v) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = v;
    }
    for (int k = 0; k < 8; k++)
        y[t * 8 + k] = a[k];
}

__device__ __noinline__ void scale(float *p, float by) {
    p[0] *= by;
    p[1] += by;
}

// A function changes two variables by their address.
extern "C" __global__ void handed_kernel(const float *__restrict__ x, float *__restrict__ y) {
    int t = threadIdx.x;
    float v[2] = {x[t], x[t + 32]};
    scale(v, 3.0f);
    y[t] = v[0] + v[1];
}

// Near miss: the array is read at an index, so the loop's stores to its first element may be read by anyone.
extern "C" __global__ void indexed_sum_kernel(const float *__restrict__ x, const int *__restrict__ at, float *y, int n) {
    int t = threadIdx.x;
    float a[24];
#pragma unroll
    for (int k = 0; k < 24; k++)
        a[k] = k;
#pragma unroll 1
    for (int j = 0; j < n; j++)
        a[at[j] % 24u] += x[j * n + t];
    y[t] = a[0] + a[at[t] % 24u];
}
