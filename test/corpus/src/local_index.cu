// Arrays of a thread that a compiler who does not optimise reaches by generic addresses: at an index, by a pointer that
// is stepped, by one of two pointers.
extern "C" __global__ void best_kernel(const float *x, float *y, int *place, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float v[4] = {-1e30f, -1e30f, -1e30f, -1e30f};
    int at[4] = {-1, -1, -1, -1};
    for (int j = 0; j < n; j++) {
        float a = x[r * n + j];
        if (a > v[3]) {
            v[3] = a;
            at[3] = j;
            for (int k = 3; k > 0; k--)
                if (v[k] > v[k - 1]) {
                    float t = v[k];
                    v[k] = v[k - 1];
                    v[k - 1] = t;
                    int u = at[k];
                    at[k] = at[k - 1];
                    at[k - 1] = u;
                }
        }
    }
    for (int k = 0; k < 4; k++) {
        y[r * 4 + k] = v[k];
        place[r * 4 + k] = at[k];
    }
}

extern "C" __global__ void turned_kernel(const unsigned char *x, unsigned char *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char t[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            t[r][c] = x[i * 16 + r * 4 + c];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            y[i * 16 + r * 4 + c] = t[c][r];
}

extern "C" __global__ void stepped_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[8];
    for (float *p = v; p < v + 8; p++)
        *p = x[i];
    float s = 0;
    for (float *p = v + 8; p > v;) {
        --p;
        s = s * 2 + *p;
    }
    y[i] = s;
}

extern "C" __global__ void chosen_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a[4], b[4];
    for (int k = 0; k < 4; k++) {
        a[k] = x[i * 4 + k];
        b[k] = 2 * x[i * 4 + k];
    }
    float *p = (n & 1) ? a : b;
    p[n & 3] = 1.0f;
    y[i] = p[i & 3];
}

// Either the array or what a parameter points to: a store that may be seen outside.
extern "C" __global__ void either_kernel(float *x, float *y, int n, int g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a[4];
    for (int k = 0; k < 4; k++)
        a[k] = x[i * 4 + k];
    float *p = g ? x + i : a;
    p[n & 3] = 1.0f;
    y[i] = a[i & 3];
}
