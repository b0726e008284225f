// Kernels for the emulator: lanes that part and meet, barriers, shuffles, atomics, memory of every space. Each takes
// (in, out, n) and is launched with 2 blocks of 128 threads; n is 256, in has 1024 words, out 1024. Sums of floats are
// of small whole numbers, so that their order does not show.
#include <cuda_fp16.h>

#define KERNEL(name) extern "C" __global__ void name(const unsigned* __restrict__ in, unsigned* out, int n)
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define LANE (threadIdx.x % 32)

KERNEL(part_nested) {
  unsigned v = in[I], r = 0;
  if (v & 1) {
    if (v & 2) r = v * 3; else r = v + 7;
    if (v & 4) r ^= 0x55;
  } else if (v & 8) {
    for (unsigned k = 0; k < (v >> 4) % 5; k++) r += k * v;
  }
  out[I] = r;
}

KERNEL(part_loop) {
  unsigned v = in[I], turns = v % 37, r = 1;
  while (turns--) r = r * 1664525u + v;
  out[I] = r;
}

KERNEL(part_break) {
  unsigned r = 0;
  for (unsigned k = 0; k < 40; k++) {
    unsigned v = in[(I + 17 * k) % 1024];
    if (v % 11 == 0) break;
    if (v % 3 == 0) continue;
    r += v ^ k;
  }
  out[I] = r;
}

KERNEL(part_return) {
  if (in[I] % 5 == 0) return;
  out[I] = in[I] / 5;
  if (in[I] % 7 == 0) return;
  out[I] += in[(I * 7) % 1024];
}

KERNEL(part_switch) {
  unsigned v = in[I], r;
  switch (v % 9) {
  case 0: r = v * v; break;
  case 1: r = v >> 3; break;
  case 2: r = __popc(v); break;
  case 3: r = __clz(v); break;
  case 4: r = v + 1000; // falls through
  case 5: r = v * 17; break;
  case 6: r = ~v; break;
  case 7: r = __brev(v); break;
  default: r = v ^ 0xdeadbeef;
  }
  out[I] = r;
}

KERNEL(part_goto) {
  unsigned v = in[I] % 64, r = 0, turns = 0;
  if (v & 1) goto second;
first:
  r += v;
  if (++turns > 20) goto done;
second:
  r = r * 3 + 1;
  v = v * 5 % 67;
  if (v & 2) goto first;
  if (++turns < 20) goto second;
done:
  out[I] = r + turns;
}

KERNEL(active_mask) {
  unsigned v = in[I], r = 0;
  if (v & 1) r = __popc(__activemask()) | 0x100;
  else r = __popc(__activemask()) | 0x200;
  out[I] = r + __popc(__activemask()) * 0x10000;
}

KERNEL(shuffle_idx) {
  unsigned v = in[I];
  out[I] = __shfl_sync(~0u, v, v % 32) + 3 * __shfl_sync(~0u, v, 5, 8) + 5 * __shfl_sync(~0u, v, LANE + 1, 16);
}

KERNEL(shuffle_up_down) {
  unsigned v = in[I];
  out[I] = __shfl_up_sync(~0u, v, 3) + 3 * __shfl_down_sync(~0u, v, 7) + 5 * __shfl_up_sync(~0u, v, 2, 4) +
           7 * __shfl_down_sync(~0u, v, 1, 8);
}

KERNEL(shuffle_xor) {
  unsigned v = in[I];
  for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(~0u, v, m);
  out[I] = v + __shfl_xor_sync(~0u, in[I], 5, 16);
}

KERNEL(shuffle_predicate) {
  unsigned v = in[I], r, p;
  asm volatile("{ .reg .pred q; shfl.sync.down.b32 %0|q, %2, 5, 0x0f1f, -1; selp.u32 %1, 1, 0, q; }" : "=r"(r), "=r"(p) : "r"(v));
  out[I] = r * 2 + p;
}

KERNEL(shuffle_part) {
  unsigned v = in[I], r = v;
  unsigned mask = __ballot_sync(~0u, v & 1);
  if (v & 1) {
    for (unsigned left = mask; left; left &= left - 1) r += __shfl_sync(mask, v, __ffs(left) - 1) * (left & 7);
  }
  out[I] = r;
}

KERNEL(shuffle_64) {
  unsigned long long v = in[I] * 0x100000001ull + I;
  v = __shfl_xor_sync(~0u, v, 9);
  out[I] = (unsigned)(v >> 32) ^ (unsigned)v;
}

KERNEL(votes) {
  unsigned v = in[I];
  unsigned r = __ballot_sync(~0u, v % 3 == 0);
  r ^= __all_sync(~0u, v < 0xffffff00u) ? 0x10000 : 0;
  r ^= __any_sync(~0u, v % 97 == 0) ? 0x1000 : 0;
  int same;
  asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.uni.pred q, p, -1; selp.s32 %0, 1, 0, q; }" : "=r"(same) : "r"(v & 0));
  out[I] = r + same;
}

KERNEL(vote_part) {
  unsigned v = in[I], r = 0;
  if (v & 4) r = __ballot_sync(__activemask(), v & 1);
  out[I] = r;
}

KERNEL(match) {
  unsigned v = in[I] % 6;
  int all;
  unsigned r = __match_any_sync(~0u, v) + __match_all_sync(~0u, v / 8, &all) * 3;
  out[I] = r + all;
}

KERNEL(warp_reduce) {
  unsigned v = in[I];
#if __CUDA_ARCH__ >= 800
  unsigned r = __reduce_add_sync(~0u, v) ^ __reduce_min_sync(~0u, v) ^ __reduce_max_sync(~0u, v) ^ __reduce_and_sync(~0u, v | 0xff00) ^
               __reduce_or_sync(~0u, v & 0xff) ^ __reduce_xor_sync(~0u, v) ^ (unsigned)__reduce_min_sync(~0u, (int)v) ^
               (unsigned)__reduce_max_sync(~0u, (int)v);
#else
  unsigned sum = v, least = v, most = v, all = v | 0xff00, any = v & 0xff, odd = v;
  int low = (int)v, high = (int)v;
  for (int m = 16; m; m >>= 1) {
    sum += __shfl_xor_sync(~0u, sum, m);
    least = min(least, __shfl_xor_sync(~0u, least, m));
    most = max(most, __shfl_xor_sync(~0u, most, m));
    all &= __shfl_xor_sync(~0u, all, m);
    any |= __shfl_xor_sync(~0u, any, m);
    odd ^= __shfl_xor_sync(~0u, odd, m);
    low = min(low, __shfl_xor_sync(~0u, low, m));
    high = max(high, __shfl_xor_sync(~0u, high, m));
  }
  unsigned r = sum ^ least ^ most ^ all ^ any ^ odd ^ (unsigned)low ^ (unsigned)high;
#endif
  out[I] = r;
}

KERNEL(warp_exchange) {
  __shared__ unsigned s[128];
  s[threadIdx.x] = in[I];
  __syncwarp();
  unsigned v = s[threadIdx.x ^ 7];
  __syncwarp();
  s[threadIdx.x] = v * 3;
  __syncwarp();
  out[I] = s[threadIdx.x ^ 1];
}

KERNEL(block_reverse) {
  __shared__ unsigned s[128];
  s[threadIdx.x] = in[I];
  __syncthreads();
  out[I] = s[127 - threadIdx.x];
}

KERNEL(block_scan) {
  __shared__ unsigned s[2][128];
  unsigned t = threadIdx.x, from = 0;
  s[0][t] = in[I];
  __syncthreads();
  for (unsigned d = 1; d < 128; d *= 2) {
    s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[I] = s[from][t];
}

KERNEL(block_sum) {
  __shared__ unsigned s[4];
  unsigned v = in[I];
  for (int m = 16; m; m >>= 1) v += __shfl_down_sync(~0u, v, m);
  if (LANE == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 4) {
    v = s[threadIdx.x];
    v += __shfl_down_sync(0xf, v, 2);
    v += __shfl_down_sync(0xf, v, 1);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}

KERNEL(block_votes) {
  unsigned v = in[I];
  unsigned r = __syncthreads_count(v & 1);
  r += __syncthreads_and(v != 12345) ? 1000 : 0;
  r += __syncthreads_or(v % 51 == 0) ? 100000 : 0;
  out[I] = r;
}

KERNEL(named_barriers) {
  __shared__ unsigned s[64];
  unsigned t = threadIdx.x;
  if (t < 64) {
    s[t] = in[I] * 3;
    asm volatile("bar.arrive 1, 128;" ::: "memory");
    asm volatile("bar.sync 2, 128;" ::: "memory");
    out[I] = s[63 - t];
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    unsigned v = s[t - 64];
    out[I] = v + 1;
    asm volatile("bar.arrive 2, 128;" ::: "memory");
  }
}

KERNEL(tile_transpose) {
  __shared__ unsigned s[16][17];
  unsigned t = threadIdx.x, x = t % 16, y = t / 16;
  s[y][x] = in[I];
  s[y + 8][x] = in[(I + 300) % 1024];
  __syncthreads();
  out[I] = s[x][y] + s[x][y + 8] * 5;
}

KERNEL(tile_conflicts) {
  __shared__ unsigned s[32 * 32];
  unsigned t = threadIdx.x;
  for (unsigned k = t; k < 1024; k += 128) s[k] = in[k] + blockIdx.x;
  __syncthreads();
  unsigned r = 0;
  for (unsigned k = 0; k < 8; k++) r += s[(LANE * 32 + k + t / 32) % 1024] + s[(LANE * 2 + k) % 1024];
  out[I] = r;
}

KERNEL(histogram) {
  __shared__ unsigned s[16];
  if (threadIdx.x < 16) s[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&s[in[I] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = s[threadIdx.x];
}

KERNEL(atomics_shared) {
  __shared__ unsigned s[12];
  __shared__ unsigned long long d[2];
  __shared__ float f;
  unsigned t = threadIdx.x, v = in[I];
  if (t < 12) s[t] = t == 1 || t == 4 ? ~0u : 0;
  if (t < 2) d[t] = 0;
  if (t == 0) f = 0;
  __syncthreads();
  atomicAdd(&s[0], v);
  atomicMin(&s[1], v);
  atomicMax(&s[2], v);
  atomicXor(&s[3], v);
  atomicAnd(&s[4], v | 0xf0f0);
  atomicOr(&s[5], v & 0x1111);
  atomicInc(&s[6], 50);
  atomicMax((int*)&s[7], (int)v);
  atomicMin((int*)&s[8], (int)v);
  atomicAdd(&d[0], (unsigned long long)v * v);
  atomicAdd(&f, (float)(v % 64));
  atomicDec(&s[9], 100);
  __syncthreads();
  if (t < 10) out[blockIdx.x * 32 + t] = s[t];
  if (t == 10) out[blockIdx.x * 32 + 10] = (unsigned)d[0];
  if (t == 11) out[blockIdx.x * 32 + 11] = (unsigned)(d[0] >> 32);
  if (t == 12) out[blockIdx.x * 32 + 12] = (unsigned)f;
}

KERNEL(atomics_global) {
  unsigned v = in[I];
  atomicAdd(&out[512], v);
  atomicMin(&out[513], v);
  atomicMax(&out[514], v);
  atomicXor(&out[515], v);
  atomicAnd(&out[516], v | 0xf0f0);
  atomicOr(&out[517], v & 0x1111);
  atomicInc(&out[518], 50);
  atomicDec(&out[519], 77);
  atomicAdd((unsigned long long*)&out[520], (unsigned long long)v * v);
  atomicAdd((float*)&out[522], (float)(v % 64));
  atomicMax((long long*)&out[524], (long long)(int)v);
  out[I] = atomicAdd(&out[526], 1) < 256;
}

KERNEL(atomic_cas) {
  unsigned v = in[I] | 1, old = out[600], seen;
  do {
    seen = old;
    old = atomicCAS(&out[600], seen, seen * 1u + v);
  } while (old != seen);
}

KERNEL(atomic_aggregate) {
  if (in[I] & 1) {
    unsigned mask = __activemask(), leader = __ffs(mask) - 1, base = 0;
    if (LANE == leader) base = atomicAdd(&out[700], __popc(mask));
    base = __shfl_sync(mask, base, leader);
    out[base % 256 + 256 * 0] = 1;
  }
}

KERNEL(spin_lock) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&out[1000], 0, 1) == 0) {
      __threadfence();
      volatile unsigned* p = out + 1001;
      *p = *p + in[I] % 10;
      __threadfence();
      atomicExch(&out[1000], 0);
      done = true;
    }
  }
}

KERNEL(grid_barrier) {
  out[I] = in[I] + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&out[900], 1);
    while (atomicAdd(&out[900], 0) < gridDim.x) {
    }
  }
  __syncthreads();
  out[300 + I] = ((volatile unsigned*)out)[(I + 128) % 256] * 2;
}

KERNEL(async_copy) {
  __shared__ __align__(16) unsigned s[512];
  unsigned t = threadIdx.x;
#if __CUDA_ARCH__ >= 800
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * t) : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
#else
  for (unsigned k = 0; k < 4; k++) s[4 * t + k] = in[4 * t + k];
#endif
  __syncthreads();
  out[I] = s[(t * 5 + 3) % 512];
}

KERNEL(wide_loads) {
  const uint4* p = (const uint4*)in;
  const uint2* q = (const uint2*)in;
  uint4 a = p[I];
  uint2 b = q[(I * 3) % 512];
  uint4 r = {a.x + b.x, a.y ^ b.y, a.z - b.x, a.w & b.y};
  ((uint4*)out)[I] = r;
}

KERNEL(narrow) {
  const unsigned char* c = (const unsigned char*)in;
  const signed short* h = (const signed short*)in;
  ((unsigned char*)out)[I] = c[I * 3] + 5;
  ((signed char*)out)[1024 + I] = (signed char)c[I * 7 % 4096] >> 1;
  ((short*)out)[1024 + I] = h[I * 5 % 2048] / 3;
}

KERNEL(local_array) {
  unsigned a[24];
  for (int k = 0; k < 24; k++) a[k] = in[(I + k) % 1024];
  unsigned r = 0;
  for (int k = 0; k < 12; k++) {
    unsigned j = (in[I] >> k) % 24;
    r += a[j];
    a[(j + 5) % 24] ^= r;
  }
  out[I] = r + a[in[I] % 24];
}

__constant__ unsigned table[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5};
__device__ unsigned filled[8] = {10, 20, 30, 40, 50, 60, 70, 80};
__device__ unsigned blank[256];
__device__ const unsigned* const pointers[3] = {filled, filled + 3, filled + 5};

KERNEL(variables) {
  blank[I] = in[I] * 2;
  out[I] = table[in[I] % 32] + filled[in[I] % 8] + blank[I] + pointers[in[I] % 3][in[I] % 2];
}

__device__ __noinline__ unsigned twice(unsigned v) { return v * 2 + 1; }
__device__ __noinline__ unsigned thrice(unsigned v) { return v * 3 + twice(v); }
__device__ __noinline__ unsigned collatz(unsigned v, unsigned depth) {
  if (v <= 1 || depth == 0) return 0;
  return 1 + collatz(v % 2 ? v * 3 + 1 : v / 2, depth - 1);
}

KERNEL(calls) {
  unsigned v = in[I] % 1000, r = 0;
  if (v % 3 == 0) r = thrice(v);
  else if (v % 3 == 1) r = twice(v);
  out[I] = r;
}

KERNEL(recursion) { out[I] = collatz(in[I] % 100 + 1, 40); }

KERNEL(generic) {
  __shared__ unsigned s[128];
  unsigned here[4] = {1, 2, 3, in[I]};
  s[threadIdx.x] = in[I] + 9;
  __syncthreads();
  const unsigned* p;
  switch (in[I] % 3) {
  case 0: p = &s[127 - threadIdx.x]; break;
  case 1: p = &here[in[I] % 4]; break;
  default: p = in + (I * 3) % 1024;
  }
  out[I] = *p;
}

struct pair {
  unsigned long long wide;
  unsigned short low, high;
  unsigned* to;
};
extern "C" __global__ void by_value(pair p, const unsigned* in, int n) {
  if (I < n) p.to[I] = in[I] * p.low + p.high + (unsigned)(p.wide >> 33);
}

KERNEL(doubles) {
  double a = (double)(int)in[I] / 3.0, b = sqrt((double)in[(I + 1) % 1024]);
  double c = fma(a, b, 1.0 / (1.0 + b));
  out[I] = (unsigned)__double_as_longlong(c) ^ (unsigned)(__double_as_longlong(c) >> 32);
}

KERNEL(halves) {
  __half2 a = __floats2half2_rn((float)(in[I] % 100) / 8, (float)(in[I] % 77) / 4);
  __half2 b = __hfma2(a, a, __float2half2_rn(0.375f));
  b = __hmul2(__hadd2(a, b), __float2half2_rn(1.5f));
  __half2 c = __hmin2(a, b);
  out[I] = *(unsigned*)&b ^ *(unsigned*)&c;
}

KERNEL(divides) {
  unsigned v = in[I], w = in[(I + 1) % 1024] | 1;
  float x = (float)v / (float)w;
  out[I] = v / w + v % 7 + (unsigned)((int)v / -13) + __float_as_uint(x) + (unsigned)(((unsigned long long)v << 20) / w);
}
