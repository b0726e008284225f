// Blocks of a kernel that fit on a multiprocessor, as the runtime answers: by registers a thread, shared bytes and block size.
// One line an answer: registers, static shared bytes, dynamic shared bytes, threads, blocks. Run by hand on a GPU machine:
//   nvcc -arch=sm_90 -o occupancy occupancy.cu && ./occupancy > h200_occupancy.tsv
#include <cstdio>
#include <cuda_runtime.h>

// Needs about N registers: N loaded values live at once.
template <int N> __global__ void k(float *p, int n)
{
    float v[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = p[i * n];
    __syncthreads();
    float s = 1;
#pragma unroll
    for (int i = 0; i < N; i++)
        s = s * v[i] + p[i];
#pragma unroll
    for (int i = 0; i < N; i++)
        p[i * n + 1] = v[i] * s;
}

template <int N> static void row()
{
    static const int blocks[] = {32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024};
    static const int shared[] = {0, 1, 1024, 4096, 10000, 16384, 32768, 49152};
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, k<N>);
    for (int b : blocks)
        for (int s : shared) {
            int fit = -1;
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, k<N>, b, s);
            printf("%d\t%d\t%d\t%d\t%d\n", a.numRegs, (int)a.sharedSizeBytes, s, b, fit);
        }
}

int main()
{
    row<1>();
    row<8>();
    row<16>();
    row<24>();
    row<30>();
    row<36>();
    row<44>();
    row<52>();
    row<60>();
    row<80>();
    row<100>();
    row<140>();
    row<200>();
    return 0;
}
