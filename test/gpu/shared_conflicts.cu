// How many wavefronts one warp's access to shared memory takes, by the layout of its addresses: one kernel a layout, one access a
// kernel, counted by the profiler. Run by hand on a GPU machine:
//   nvcc -arch=sm_90 -o shared_conflicts shared_conflicts.cu && ncu --csv --metrics \
//   l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum ./shared_conflicts
// shared_conflicts.py beside it makes test/golden/place/h200_shared_conflicts.tsv of what comes out.
#include <cstdint>
#include <cuda_runtime.h>

// Lane addresses: threadIdx.x * STEP + threadIdx.y * PITCH bytes; WIDTH bytes a lane.
template <int WIDTH, int STEP, int PITCH> __global__ void load_k(uint32_t *out)
{
    extern __shared__ __align__(16) unsigned char s[];
    uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + threadIdx.x * STEP + threadIdx.y * PITCH, r0 = 0, r1 = 0, r2 = 0, r3 = 0;
    if (WIDTH == 1)
        asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(r0) : "r"(a));
    if (WIDTH == 2)
        asm volatile("ld.volatile.shared.u16 %0, [%1];" : "=r"(r0) : "r"(a));
    if (WIDTH == 4)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r0) : "r"(a));
    if (WIDTH == 8)
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(a));
    if (WIDTH == 16)
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(a));
    if (out)
        *out = r0 + r1 + r2 + r3;
}

template <int WIDTH, int STEP, int PITCH> __global__ void store_k(uint32_t v)
{
    extern __shared__ __align__(16) unsigned char s[];
    uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + threadIdx.x * STEP + threadIdx.y * PITCH;
    if (WIDTH == 1)
        asm volatile("st.volatile.shared.u8 [%0], %1;" ::"r"(a), "r"(v));
    if (WIDTH == 2)
        asm volatile("st.volatile.shared.u16 [%0], %1;" ::"r"(a), "r"(v));
    if (WIDTH == 4)
        asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(a), "r"(v));
    if (WIDTH == 8)
        asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(a), "r"(v));
    if (WIDTH == 16)
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(a), "r"(v));
}

template <int WIDTH, int STEP, int PITCH> static void both(dim3 block)
{
    load_k<WIDTH, STEP, PITCH><<<1, block, 32768>>>(nullptr);
    store_k<WIDTH, STEP, PITCH><<<1, block, 32768>>>(1);
}

template <int WIDTH> static void widths()
{
    both<WIDTH, 0, 0>(32);
    both<WIDTH, WIDTH, 0>(32);
    both<WIDTH, 2 * WIDTH, 0>(32);
    both<WIDTH, 3 * WIDTH, 0>(32);
    both<WIDTH, 4 * WIDTH, 0>(32);
    both<WIDTH, 5 * WIDTH, 0>(32);
    both<WIDTH, 8 * WIDTH, 0>(32);
    both<WIDTH, 16 * WIDTH, 0>(32);
    both<WIDTH, 17 * WIDTH, 0>(32);
    both<WIDTH, 32 * WIDTH, 0>(32);
    both<WIDTH, 33 * WIDTH, 0>(32);
    both<WIDTH, WIDTH, 8 * WIDTH>(dim3(8, 4));
    both<WIDTH, WIDTH, 9 * WIDTH>(dim3(8, 4));
    both<WIDTH, WIDTH, 32 * WIDTH>(dim3(8, 4));
    both<WIDTH, WIDTH, 33 * WIDTH>(dim3(8, 4));
    both<WIDTH, WIDTH, 16 * WIDTH>(dim3(16, 2));
    both<WIDTH, WIDTH, 17 * WIDTH>(dim3(16, 2));
    both<WIDTH, WIDTH, 32 * WIDTH>(dim3(16, 2));
    both<WIDTH, 0, WIDTH>(dim3(16, 2));
    both<WIDTH, 0, 32 * WIDTH>(dim3(8, 4));
    both<WIDTH, 32 * WIDTH, WIDTH>(dim3(16, 2));
    both<WIDTH, 33 * WIDTH, WIDTH>(dim3(16, 2));
}

int main()
{
    widths<1>();
    widths<2>();
    widths<4>();
    widths<8>();
    widths<16>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
