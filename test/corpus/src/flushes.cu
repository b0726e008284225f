// Divisions, reciprocals and roots that round exactly: with -ftz=true their operands and results are flushed.
extern "C" __global__ void quotient_kernel(const float* x, const float* z, float* y) { y[threadIdx.x] = x[threadIdx.x] / z[threadIdx.x]; }

extern "C" __global__ void reciprocal_kernel(const float* x, float* y) { y[threadIdx.x] = 1.0f / x[threadIdx.x]; }

extern "C" __global__ void root_kernel(const float* x, float* y) { y[threadIdx.x] = sqrtf(x[threadIdx.x]); }
