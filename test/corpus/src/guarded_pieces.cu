// The last turns of a loop run under a guard each: a choice between pieces, which the source does not make. Written for
// this project.
extern "C" __global__ void guarded_pieces_kernel(const float *__restrict__ x, float *__restrict__ y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *p = x + row * cols;
    float m = -3.0e38f, s = 0.0f;
    for (int j = 0; j < cols; j++) {
        float v = p[j], mn = fmaxf(m, v);
        s = s * exp2f((m - mn) * 1.5f) + exp2f((v - mn) * 1.5f);
        m = mn;
    }
    for (int j = 0; j < cols; j++)
        y[row * cols + j] = exp2f((p[j] - m) * 1.5f) / s;
}

// The kernel's own choices stay: one a step, one behind the loop.
extern "C" __global__ void own_choices_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    int t = threadIdx.x;
    float s = 0.0f;
#pragma unroll 1
    for (int j = 0; j < n; j++) {
        float v = x[j * n + t];
        s = v > 0.5f ? s * v : s;
    }
    y[t] = (n & 1) != 0 ? s + 1.0f : s;
}
