// What a text that includes this cannot show: macros, calls, operators of a class.
#define HIDDEN b[i] * 2.0f
#define LIMIT n && i != 7
#define SCALED(v) ((v) * 3.0f + 1.0f)
static __device__ __forceinline__ bool below(int a, int b)
{
    return a < b;
}
struct pair {
    float x, y;
};
static __device__ __forceinline__ pair operator*(pair a, float s)
{
    return pair{a.x * s, a.y * s};
}
static __device__ __forceinline__ pair operator+(pair a, pair b)
{
    return pair{a.x + b.x, a.y + b.y};
}
