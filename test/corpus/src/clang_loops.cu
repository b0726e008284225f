// Loops through clang's NVPTX front end, which counts offsets in bytes and unrolls by what divides the turns.
#define __global__ __attribute__((global))

// Ten turns of ten elements.
__global__ void clang_hundred_kernel(const float *__restrict x, float *__restrict y)
{
    float sum = 0.0f;
    for (int i = 0; i < 100; i++)
        sum += x[i];
    y[__nvvm_read_ptx_sreg_tid_x()] = sum;
}

// Two elements a turn, and one behind the loop.
__global__ void clang_skip_kernel(const float *__restrict x, float *__restrict y, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0.0f)
            continue;
        sum += x[i] * x[i] * x[i];
    }
    y[__nvvm_read_ptx_sreg_tid_x()] = sum;
}

// Two loops of one row, each with a remainder that begins where the count of turns says: the second is not told over
// the first one's counter.
__global__ void clang_two_loops_kernel(const float *__restrict x, float *__restrict y, int n)
{
    int row = __nvvm_read_ptx_sreg_tid_x() * n;
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[row + i] * 0.5f;
    for (int i = 0; i < n; i++)
        y[row + i] = x[row + i] * sum;
}
