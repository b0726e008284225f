#!/usr/bin/env python3
"""Every lab kernel on the emulator, on every architecture it was built for, against a reference computed here.

  lab.py SASSPROBE              runs the lab's cubins; exit 1 when an output differs by more than its kernel may
  lab.py SASSPROBE --write FOLDER  only writes launch files, inputs and the cubins of --arch there
                                   (test/gpu/run_launches.py runs them)

References are single precision step by step, as the source says; where a kernel goes through the special function unit
its outputs may be off by the ulp stated in the table (0: every bit is the same)."""
import argparse
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ARCHS = [75, 80, 86, 89, 90, 100, 120]


def f32(x):
    """The double rounded to single precision."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def numbers(count, seed, low=-4.0, high=4.0):
    """The same numbers everywhere: a generator written out."""
    out, state = [], seed * 2654435761 % 2**32
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        out.append(f32(low + (high - low) * (state >> 8) / 2**24))
    return out


def specials(count, seed):
    values = numbers(count, seed)
    for i, bits in enumerate([0x7f800000, 0xff800000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff]):
        if 3 * i < count:
            values[3 * i] = struct.unpack("<f", struct.pack("<I", bits))[0]
    return values


def fma32(a, b, c):
    """a * b + c rounded once, for finite numbers whose product and sum a double holds well enough."""
    if not all(map(math.isfinite, (a, b, c))):
        return f32(a * b + c)
    from fractions import Fraction
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return f32(a * b + c)
    near = f32(float(exact))
    # float() of a Fraction rounds once to double; a second rounding to single is wrong only at a tie of the first.
    bits = struct.unpack("<I", struct.pack("<f", near))[0]
    best = near
    for other in (bits - 1, bits, bits + 1):
        if other & 0x7f800000 == 0x7f800000 or other < 0:
            continue
        v = struct.unpack("<f", struct.pack("<I", other & 0xffffffff))[0]
        if abs(Fraction(v) - exact) < abs(Fraction(best) - exact):
            best = v
    return best


def flush(x):
    return math.copysign(0.0, x) if x != 0 and abs(x) < 2.0**-126 else x


def tree(values, combine):
    values = list(values)
    stride = len(values) // 2
    while stride:
        for t in range(stride):
            values[t] = combine(values[t], values[t + stride])
        stride //= 2
    return values[0]


def add(a, b):
    return flush(f32(flush(a) + flush(b)))


def reduce_sum(x, blocks, threads):
    padded = x + [0.0] * (blocks * threads - len(x))
    return [tree(padded[b * threads:(b + 1) * threads], add) for b in range(blocks)]


def softmax(x):
    top = max(x)
    e = [math.exp(v - top) for v in x]
    return [f32(v / math.fsum(e)) for v in e]


def rows_softmax(x, cols):
    return [y for r in range(0, len(x), cols) for y in softmax(x[r:r + cols])]


def spill(x, cols):
    out = []
    for r in range(0, len(x), cols):
        total = 0.0
        for v in x[r:r + cols]:
            total = add(total, v)
        out += [f32(v / total) for v in x[r:r + cols]]
    return out


def local_array(x, cols, shift):
    return [x[r + (k + shift) % cols] for r in range(0, len(x), cols) for k in range(cols)]


N = 1000
FROM_100 = {}  # outputs of cases that are others from sm_100 on


def cases():
    """name, kernel, grid, block, shared bytes, parameters, expected outputs, ulp. Parameters: lists are inputs, numbers
    are s32, ("out", count) is an output of floats."""
    a, b, c = numbers(N, 1), numbers(N, 2), numbers(N, 3)
    every = [8, 1, 1]
    yield ("copy_global", "copy_global", every, 128, 0, [specials(N, 4), ("out", N), N], specials(N, 4), 0)
    yield ("add_f32", "add_f32", every, 128, 0, [a, b, ("out", N), N], [add(x, y) for x, y in zip(a, b)], 0)
    yield ("mul_f32", "mul_f32", every, 128, 0, [a, b, ("out", N), N],
           [flush(f32(x * y)) for x, y in zip(a, b)], 0)
    yield ("fma_f32", "fma_f32", every, 128, 0, [a, b, c, ("out", N), N],
           [flush(fma32(x, y, z)) for x, y, z in zip(a, b, c)], 0)
    fused = [flush(fma32(x, y, z)) for x, y, z in zip(a, b, c)]
    parted = [add(flush(f32(x * y)), z) for x, y, z in zip(a, b, c)]
    FROM_100["fma_contract_f32.noinline_boundary"] = fused  # there the compiler sees through the call
    for kernel, expected, more in (("direct", fused, []), ("tmp", fused, []), ("gap", fused, [("scratch", N)]),
                                   ("store_tmp", parted, [("scratch", N)]), ("rn_intrinsic", parted, []),
                                   ("volatile_global", parted, [("scratch", N)]), ("noinline_boundary", parted, [])):
        yield (f"fma_contract_f32.{kernel}", f"fma_{kernel}", every, 128, 0, [a, b, c, *more, ("out", N), N],
               expected, 0)
    yield ("clamp_f32", "clamp_f32", every, 128, 0, [a, ("out", N), f32(-1.5), f32(2.25), N],
           [min(max(x, f32(-1.5)), f32(2.25)) for x in a], 0)
    yield ("relu_f32", "relu_f32", every, 128, 0, [a, ("out", N), N], [x if x > 0 else 0.0 for x in a], 0)
    yield ("reduce_sum_f32", "reduce_sum_f32", [4, 1, 1], 256, 1024, [a, ("out", 4), N], reduce_sum(a, 4, 256), 0)
    row = numbers(100, 5)
    yield ("softmax_small_f32", "softmax_small_f32", [1, 1, 1], 128, 512, [row, ("out", 100), 100], softmax(row), 8)
    table = numbers(70 * 13, 6)
    yield ("online_softmax_f32", "online_softmax_f32", [2, 1, 1], 64, 0, [table, ("out", 70 * 13), 70, 13],
           rows_softmax(table, 13), 16)
    wide = numbers(40 * 16, 7)
    yield ("local_array_f32", "local_array_f32", [1, 1, 1], 64, 0, [wide, ("out", 40 * 16), 40, ("u32", 5)],
           local_array(wide, 16, 5), 0)
    positive = numbers(40 * 20, 8, 0.5, 2.0)
    yield ("spill_f32", "spill_f32", [1, 1, 1], 64, 0, [positive, ("out", 40 * 20), 40], spill(positive, 20), 4)


def write_case(folder, case):
    """The launch file and its inputs; the path of the launch, and that of its output."""
    name, kernel, grid, block, shared, params, _, _ = case
    out, launch = None, []
    for i, p in enumerate(params):
        if isinstance(p, list):
            path = f"{name}.{i}.bin"
            with open(os.path.join(folder, path), "wb") as f:
                f.write(struct.pack(f"<{len(p)}f", *p))
            launch.append({"pointer": {"file": path}})
        elif isinstance(p, tuple) and p[0] == "out":
            out = f"{name}.out.bin"
            launch.append({"pointer": {"bytes": 4 * p[1], "fill": 0}, "save": out})
        elif isinstance(p, tuple) and p[0] == "scratch":
            launch.append({"pointer": {"bytes": 4 * p[1], "fill": 0}})
        elif isinstance(p, tuple):
            launch.append({"scalar": {"type": p[0], "value": p[1]}})
        elif isinstance(p, float):
            launch.append({"scalar": {"type": "f32", "value": p}})
        else:
            launch.append({"scalar": {"type": "s32", "value": p}})
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as f:
        json.dump({"kernel": kernel + "_kernel", "grid": grid, "block": [block, 1, 1], "shared_bytes": shared,
                   "params": launch, "limits": {"instructions": 100000000}}, f, indent=1)
        f.write("\n")
    return path, os.path.join(folder, out)


def ulps(x, y):
    if x == y or (math.isnan(x) and math.isnan(y)):
        return 0
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or math.isinf(y):
        return 2**31
    a, b = (struct.unpack("<i", struct.pack("<f", v))[0] for v in (x, y))
    a, b = (-(v & 0x7fffffff) if v < 0 else v for v in (a, b))
    return abs(a - b)


def cubins(name):
    name = name.split(".")[0]
    for arch in ARCHS:
        for group, _, files in os.walk(os.path.join(ROOT, "cubin", f"sm{arch}")):
            if name + ".cubin" in files:
                yield arch, os.path.join(group, name + ".cubin")


def mangled(command, cubin, base):
    """The driver wants the symbol."""
    run = subprocess.run([command, "list", "--format", "json", cubin], capture_output=True, check=True)
    listed = json.loads(run.stdout)
    names = [k["name"] for m in listed["modules"] for k in m["kernels"] if k["demangled"].split("(")[0] == base]
    return names[0]


def write_set(options):
    os.makedirs(options.write, exist_ok=True)
    with open(os.path.join(options.write, "manifest.tsv"), "a", encoding="ascii") as manifest:
        for case in cases():
            launch, _ = write_case(options.write, case)
            cubin = dict(cubins(case[0]))[options.arch]
            shutil.copy(cubin, options.write)
            with open(launch, encoding="utf-8") as f:
                text = json.load(f)
            text["kernel"] = mangled(options.command, cubin, text["kernel"])
            with open(launch, "w", encoding="utf-8") as f:
                json.dump(text, f)
            manifest.write(f"{case[0]}\t{os.path.basename(cubin)}\t{os.path.basename(launch)}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", nargs="?")
    parser.add_argument("--write", metavar="FOLDER")
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    if options.write:
        write_set(options)
        return 0
    ran = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            name, allowed = case[0], case[7]
            launch, out = write_case(folder, case)
            for arch, cubin in cubins(name):
                expected = FROM_100.get(name, case[6]) if arch >= 100 else case[6]
                run = subprocess.run([options.command, "run", "--launch", launch, "--format", "json", cubin],
                                     capture_output=True, text=True, check=False)
                ran += 1
                if run.returncode != 0:
                    wrong += 1
                    print(f"{name} sm_{arch}: exit {run.returncode}: {run.stderr.strip()} {run.stdout[-600:]}")
                    continue
                with open(out, "rb") as f:
                    got = struct.unpack(f"<{len(expected)}f", f.read())
                off = [ulps(x, y) for x, y in zip(got, expected)]
                if max(off) > allowed:
                    wrong += 1
                    i = off.index(max(off))
                    print(f"{name} sm_{arch}: element {i} is {got[i]!r}, not {expected[i]!r} ({off[i]} ulp)")
                elif options.v:
                    print(f"{name} sm_{arch}: {max(off)} ulp")
    print(f"{ran} runs, {wrong} wrong")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
