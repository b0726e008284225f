// Included by sized.cu.
#pragma once
template <typename T>
__device__ __forceinline__ T square_plus(T a, T b)
{
    return a * a + b;
}

#define CLIP(v, lo) ((v) < (lo) ? (lo) : (v))

__device__ __noinline__ float thrice(float a)
{
    return a * 3.0f;
}
