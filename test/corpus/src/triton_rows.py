# Softmax and sum of a row for Triton, which writes PTX of its own kind: blocks of 128 threads, four elements a thread, reductions by
# butterflies in a warp and then over one word a warp in shared memory.
import triton
import triton.language as tl


@triton.jit
def triton_softmax_kernel(x, y, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + c, mask=c < n, other=-float("inf"))
    v = v - tl.max(v, axis=0)
    e = tl.exp(v)
    s = tl.sum(e, axis=0)
    tl.store(y + row * stride + c, e / s, mask=c < n)


@triton.jit
def triton_sum_kernel(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(0, n, BLOCK):
        acc += tl.load(x + row * n + k + c, mask=k + c < n, other=0.0)
    tl.store(y + row, tl.sum(acc, axis=0))


# What is compiled: kernel, types of its arguments.
KERNELS = [
    (triton_softmax_kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "stride": "i32", "BLOCK": "constexpr"}),
    (triton_sum_kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}),
]
