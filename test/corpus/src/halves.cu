// One shared array of which every thread takes several elements, by halves and thirds, and two arrays side by side:
// machine code shows addresses only.
#define T threadIdx.x

// ---- one array
extern "C" __global__ void halves_doubled_kernel(const int *x, int *y) {
    __shared__ int s[512];
    s[T + 256] = x[T + 256];
    __syncthreads();
    s[2 * T] = 7;
    __syncthreads();
    y[T] = s[T + 256];
}
extern "C" __global__ void halves_pairs_kernel(const int *x, int *y) {
    __shared__ int s[512];
    s[T] = x[T];
    s[T + 256] = x[T + 256];
    __syncthreads();
    int a = s[2 * T], b = s[2 * T + 1];
    __syncthreads();
    s[2 * T] = b;
    s[2 * T + 1] = a;
    __syncthreads();
    y[T] = s[T];
    y[T + 256] = s[T + 256];
}
extern "C" __global__ void halves_sort_kernel(int *x) {
    __shared__ int s[512];
    s[T] = x[blockIdx.x * 512 + T];
    s[T + 256] = x[blockIdx.x * 512 + T + 256];
    __syncthreads();
    for (int k = 0; k < 512; k++) {
        int i = 2 * T + (k & 1);
        if (i + 1 < 512) {
            int a = s[i], b = s[i + 1];
            if (a > b) {
                s[i] = b;
                s[i + 1] = a;
            }
        }
        __syncthreads();
    }
    x[blockIdx.x * 512 + T] = s[T];
    x[blockIdx.x * 512 + T + 256] = s[T + 256];
}
extern "C" __global__ void halves_by_number_kernel(const int *x, int *y, int m) {
    __shared__ int s[512];
    s[T] = x[T];
    s[T + 256] = x[T + 256];
    __syncthreads();
    s[m * T] = 7;
    __syncthreads();
    y[T] = s[T];
    y[T + 256] = s[T + 256];
}
extern "C" __global__ void halves_counts_kernel(const int *x, int *y) {
    __shared__ int s[512];
    s[T] = 0;
    s[T + 256] = 0;
    __syncthreads();
    atomicAdd(&s[x[blockIdx.x * 256 + T]], 1);
    __syncthreads();
    y[T] = s[T];
    y[T + 256] = s[T + 256];
}
extern "C" __global__ void halves_overtaken_kernel(const int *x, int *y) {
    __shared__ int s[512];
    s[T + 256] = x[T + 256];
    __syncthreads();
    s[2 * T] = 7;
    y[T] = s[T + 256];
}
extern "C" __global__ void thirds_kernel(const float *x, float *y) {
    __shared__ float s[768];
    s[T] = x[T];
    s[T + 256] = x[T + 256];
    s[T + 512] = x[T + 512];
    __syncthreads();
    y[T] = s[3 * T] + s[3 * T + 1] * s[3 * T + 2];
}
extern "C" __global__ void halves_of_extern_kernel(const int *x, int *y) {
    extern __shared__ int e[];
    e[T] = x[T];
    e[T + 256] = x[T + 256];
    __syncthreads();
    e[2 * T] = 7;
    __syncthreads();
    y[T] = e[T];
    y[T + 256] = e[T + 256];
}
extern "C" __global__ void halves_of_wide_kernel(const float4 *x, float *y) {
    __shared__ float4 s[256];
    s[T] = x[T];
    s[T + 128] = x[T + 128];
    __syncthreads();
    s[2 * T] = make_float4(1, 2, 3, 4);
    __syncthreads();
    y[T] = s[T + 128].y;
}
// The upper half of the rows from below, every second row from its end.
extern "C" __global__ void halves_of_rows_kernel(const int *x, int *y) {
    __shared__ int s[32][16];
    int a = threadIdx.x, b = threadIdx.y;
    s[b][a] = x[b * 16 + a];
    s[b + 16][a] = x[b * 16 + a + 256];
    __syncthreads();
    y[b * 16 + a] = s[31 - b][a];
    y[b * 16 + a + 256] = s[(b * 2) & 31][15 - a];
}
// Two words a thread at first, then the same words by halves.
extern "C" __global__ void halves_of_int2_kernel(const int2 *x, int *y) {
    __shared__ int s[512];
    ((int2 *)s)[T] = x[T];
    __syncthreads();
    s[T + 256] += s[T];
    __syncthreads();
    y[T] = s[T + 256];
}

// ---- several arrays
extern "C" __global__ void arrays_turned_kernel(const int *x, int *y) {
    __shared__ int a[256], b[256];
    a[T] = x[T];
    b[T] = x[T + 256];
    __syncthreads();
    y[T] = a[255 - T];
    y[T + 256] = b[T ^ 1];
}
extern "C" __global__ void arrays_own_kernel(const int *x, int *y) {
    __shared__ int a[256], b[256];
    b[T] = x[T];
    __syncthreads();
    a[255 - T] = x[T + 256];
    __syncthreads();
    y[T] = b[T] - a[T];
}
extern "C" __global__ void arrays_table_kernel(const float *x, const float *t, float *y) {
    __shared__ float a[256], b[16];
    a[T] = x[T];
    if (T < 16)
        b[T] = t[T];
    __syncthreads();
    y[T] = a[T ^ 16] * b[T & 15];
}
extern "C" __global__ void arrays_before_kernel(const int *x, int *y) {
    __shared__ int a[256], b[256];
    a[T] = x[T];
    b[T] = x[T + 256];
    __syncthreads();
    y[T] = T > 0 ? b[T - 1] : a[255 - T];
}
extern "C" __global__ void arrays_of_192_kernel(const int *x, int *y) {
    __shared__ int a[192], c[64];
    if (T < 64)
        c[T] = x[T + 1000];
    a[T] = x[T];
    __syncthreads();
    y[T] = a[T ^ 32] + c[T & 63];
}
