"""What MUFU answers on this GPU, for every argument of every function.

usage: mufu.py OUT_DIR      (on a machine with a GPU, CuPy and nvcc; a minute)

A kernel with one MUFU.EX2 is built and its word changed into each function and format. Writes h200_mufu.tsv (checksums
by octave: test/golden/emu/) and octaves.npz (the answers of the octaves that tools/oracle/fit_mufu.py fits).
"""
import os
import struct
import subprocess
import sys

import cupy
import numpy

SOURCE = r"""
extern "C" __global__ void answer(unsigned first, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float r;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(__uint_as_float(i + first)));
    out[i] = __float_as_uint(r);
}
extern "C" __global__ void checksum(const unsigned *words, unsigned long long *sum)
{
    __shared__ unsigned long long s[1024];
    const unsigned *octave = words + ((unsigned long long)blockIdx.x << 23);
    unsigned long long a = 0;
    for (unsigned i = threadIdx.x; i < 1u << 23; i += 1024)
        a += octave[i] * (2ull * i + 1);
    s[threadIdx.x] = a;
    __syncthreads();
    for (int d = 512; d; d >>= 1) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (!threadIdx.x)
        sum[blockIdx.x] = s[0];
}
"""
FUNCTIONS = ['cos', 'sin', 'ex2', 'lg2', 'rcp', 'rsq', 'rcp64h', 'rsq64h', 'sqrt', 'tanh']  # bits 77:74
FORMATS = ['f32', 'f16', 'bf16']                                                            # bits 73:72
FITTED = {'rcp': [127], 'rsq': [127, 128], 'sqrt': [127, 128], 'ex2': [127], 'lg2': [127], 'cos': [125],
          'tanh': range(119, 130)}
CHUNK = 1 << 28


def build(directory):
    """The cubin's bytes, and where its MUFU word is."""
    with open(directory + '/mufu.cu', 'w') as f:
        f.write(SOURCE)
    subprocess.run(['nvcc', '-arch=native', '-cubin', '-o', 'mufu.cubin', 'mufu.cu'], cwd=directory, check=True)
    with open(directory + '/mufu.cubin', 'rb') as f:
        cubin = f.read()
    places = [at for at in range(0, len(cubin) - 15, 16)
              if struct.unpack_from('<Q', cubin, at)[0] & 0xfff == 0x308
              and struct.unpack_from('<Q', cubin, at + 8)[0] >> 10 & 15 == FUNCTIONS.index('ex2')]
    assert len(places) == 1, places
    return cubin, places[0]


def load(directory, cubin, place, function, form):
    changed = bytearray(cubin)
    high = struct.unpack_from('<Q', cubin, place + 8)[0] & ~(0x3f << 8) | function << 10 | form << 8
    struct.pack_into('<Q', changed, place + 8, high)
    path = '%s/%s.%s.cubin' % (directory, FUNCTIONS[function], FORMATS[form])
    with open(path, 'wb') as f:
        f.write(changed)
    return cupy.RawModule(path=path)


def answers(module, first, count, out):
    module.get_function('answer')((count // 256,), (256,), (numpy.uint32(first), out))


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)
    cubin, place = build(directory)
    out, rows, octaves = cupy.empty(CHUNK, cupy.uint32), [], {}
    for number, name in enumerate(FUNCTIONS):
        module, sums = load(directory, cubin, place, number, 0), []
        for chunk in range(16):
            answers(module, chunk * CHUNK, CHUNK, out)
            sum_of = cupy.zeros(32, cupy.uint64)
            module.get_function('checksum')((32,), (1024,), (out, sum_of))
            sums += [int(s) for s in sum_of.get()]
        first = 0
        for octave in range(1, 513):
            if octave == 512 or sums[octave] != sums[first]:
                span = str(first) if octave == first + 1 else '%d..%d' % (first, octave - 1)
                rows.append((name, 'f64' if name.endswith('64h') else 'f32', span, sums[first]))
                first = octave
        for octave in FITTED.get(name, []):
            answers(module, octave << 23, 1 << 23, out)
            octaves['%s_%d' % (name, octave)] = out[:1 << 23].get()
    for name in ('ex2', 'lg2', 'rcp', 'rsq', 'sin', 'cos', 'tanh'):
        for form in (1, 2):
            answers(load(directory, cubin, place, FUNCTIONS.index(name), form), 0, 1 << 16, out)
            total = sum(int(r) * (2 * i + 1) for i, r in enumerate(out[:1 << 16].get())) % 2**64
            rows.append((name, FORMATS[form], '0', total))
    with open(directory + '/h200_mufu.tsv', 'w') as f:
        for row in rows:
            f.write('%s\t%s\t%s\t%016x\n' % row)
    numpy.savez_compressed(directory + '/octaves.npz', **octaves)


main()
