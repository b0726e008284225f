#!/usr/bin/env python3
"""Every form of an instruction in cubin/ops.smNN.cubin.xz (made by src/make_ops.py) on the emulator, against what the
GPU gave.

  ops.py SASSPROBE [--arch 90] [--only GLOB] [-v]   compares with golden/h200_ops.tsv; exit 1: one differs
  ops.py --write FOLDER [--arch 90]                 writes launch files and inputs for test/gpu/run_launches.py
  ops.py SASSPROBE --show NAME --output FILE        the first elements that differ from FILE, the GPU's output

All kernels have one shape: out[i] = op(a[i], b[i], c[i]), 8 bytes each. Inputs are special values against each other,
then random bits, then ordinary numbers."""
import argparse
import fnmatch
import hashlib
import json
import os
import re
import struct
import sys
import tempfile

import launches

HERE = os.path.dirname(os.path.abspath(__file__))
COUNT = 10240
GPU_ARCH = 90  # of the GPU that made the golden file

SPECIAL = {
    "f32": [
        0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x800001, 0x3f800000, 0xbf800000,
        0x3f7fffff, 0x3f800001, 0x40000000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x3effffff,
        0x4b000000, 0x4b7fffff, 0x4b800001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000, 0x5f000000,
        0xdf000000, 0x5f7fffff, 0x5f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
        0x7f800001, 0x7fffffff, 0x42fe0000, 0x43000000, 0xc3000000, 0x437f0000, 0x477fe000, 0x477ff000, 0x33800000,
        0x33000000, 0x38800000, 0x387fc000, 0x7e800000, 0x00ffffff],
    "f64": [
        0, 1 << 63, 1, 0xfffffffffffff, 0x10000000000000, 0x8010000000000000, 0x3ff0000000000000,
        0xbff0000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x4000000000000000, 0x3fe0000000000000,
        0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000, 0x41dfffffffc00000,
        0x41e0000000000000, 0xc1e0000000000000, 0x41efffffffe00000, 0x43e0000000000000, 0xc3e0000000000000,
        0x43efffffffffffff, 0x43f0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
        0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0x7fffffffffffffff,
        0x47efffffe0000000, 0x47efffffefffffff, 0x36a0000000000000, 0x3690000000000000, 0x380fffffffffffff,
        0x40effc0000000000, 0x3e70000000000000, 0x4340000000000000],
    "f16": [
        0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x4000, 0x3800, 0x3e00,
        0x4100, 0xc100, 0x6400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0x7fff, 0x57f8, 0x5800,
        0x77ff, 0x7800],
    "bf16": [
        0, 0x8000, 1, 0x8001, 0x7f, 0x807f, 0x80, 0x3f80, 0xbf80, 0x3f7f, 0x3f81, 0x4000, 0x3f00, 0x4b00, 0x7f7f,
        0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81, 0x7fff, 0x0100, 0x5f00],
    "i32": [
        0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x7fffffff,
        0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x55555555, 0xaaaaaaaa, 0x01000000, 0x01000001, 0x00ffffff,
        0x12345678, 0x80ff7f01],
    "i64": [
        0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
        0x7fffffffffffffff, 1 << 63, (1 << 63) + 1, (1 << 64) - 1, (1 << 64) - 2, 1 << 53, (1 << 53) + 1,
        0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 1 << 24, 0x123456789abcdef0, 0xfffffffffffff800,
        0xfffffffffffffbff],
    "i16": [
        0, 1, 2, 127, 128, 255, 256, 2047, 2048, 2049, 32767, 32768, 65504, 65519, 65520, 65535],
}


def bits_from(seed):
    state = seed * 0x9e3779b97f4a7c15 % 2**64
    while True:  # splitmix64
        state = (state + 0x9e3779b97f4a7c15) % 2**64
        z = state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 % 2**64
        z = (z ^ z >> 27) * 0x94d049bb133111eb % 2**64
        yield z ^ z >> 31


def ordinary(kind, r):
    if kind == "f32":
        return (r & 0x807fffff) | (117 + (r >> 40) % 20) << 23
    if kind == "f64":
        return (r & 0x800fffffffffffff) | (1013 + (r >> 53) % 20) << 52
    if kind == "f16":
        return (r & 0x83ff83ff) | (11 + (r >> 40) % 8) << 10 | (11 + (r >> 44) % 8) << 26
    if kind == "bf16":
        return (r & 0x807f807f) | (121 + (r >> 40) % 12) << 7 | (121 + (r >> 44) % 12) << 23
    return r & 0xffff if r >> 60 & 1 else r


def inputs(kind):
    """Three columns of COUNT words."""
    special, source = SPECIAL[kind], bits_from(sum(map(ord, kind)))
    columns = [[], [], []]
    n = len(special)
    for i in range(COUNT):
        r = [next(source) for _ in range(3)]
        if i < n * n:
            row = [special[i % n], special[i // n], special[(i * 7 + i // n * 3) % n]]
            if kind in ("f16", "bf16", "i16"):
                row = [v | special[(v * 5 + i) % n] << 16 for v in row]
        elif i % 3 == 0:
            row = r
        elif i % 3 == 1:
            row = [ordinary(kind, x) for x in r]
        else:
            row = [ordinary(kind, r[0]), ordinary(kind, r[1]), special[r[2] % n]]
        for column, v in zip(columns, row):
            column.append(v % 2**64)
    return columns


def forms(arch):
    sys.path.insert(0, os.path.join(HERE, "src"))
    import make_ops
    return [(name, kind) for name, kind, _, _, least in make_ops.forms() if arch >= least]


def write(folder, arch, only):
    """Launch files and inputs; yields (case, launch, output)."""
    kinds = set()
    for name, kind in forms(arch):
        if not fnmatch.fnmatch(name, only):
            continue
        if kind not in kinds:
            kinds.add(kind)
            for letter, column in zip("abc", inputs(kind)):
                with open(os.path.join(folder, f"ops.{kind}.{letter}.bin"), "wb") as f:
                    f.write(struct.pack(f"<{COUNT}Q", *column))
        out = f"op_{name}.out.bin"
        launch = os.path.join(folder, f"op_{name}.json")
        params = [{"pointer": {"file": f"ops.{kind}.{letter}.bin"}} for letter in "abc"]
        params += [{"pointer": {"bytes": 8 * COUNT, "fill": 0}, "save": out}]
        params += [{"scalar": {"type": "u32", "value": COUNT}}]
        with open(launch, "w", encoding="ascii") as f:
            json.dump({"kernel": f"op_{name}", "grid": [COUNT // 256, 1, 1], "block": [256, 1, 1], "params": params}, f)
            f.write("\n")
        yield name, launch, os.path.join(folder, out)


def show(name, got, wanted, folder):
    shown = 0
    kind = re.match(r".*", name) and dict(forms(90))[name]
    columns = inputs(kind)
    for i in range(COUNT):
        g, w = (struct.unpack_from("<Q", b, 8 * i)[0] for b in (got, wanted))
        if g != w and shown < 20:
            shown += 1
            print(f"  {i}: a {columns[0][i]:x} b {columns[1][i]:x} c {columns[2][i]:x}: {g:x}, the GPU gave {w:x}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", nargs="?")
    parser.add_argument("--write", metavar="FOLDER")
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--only", default="*")
    parser.add_argument("--show")
    parser.add_argument("--output")
    parser.add_argument("--digests", help="write the digests of the emulator's outputs there")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    if options.write:
        os.makedirs(options.write, exist_ok=True)
        launches.unpack("ops", options.arch, options.write)
        with open(os.path.join(options.write, "manifest.tsv"), "a", encoding="ascii") as manifest:
            for name, launch, _ in write(options.write, options.arch, options.only):
                manifest.write(f"op_{name}\tops.sm{options.arch}.cubin\t{os.path.basename(launch)}\n")
        return 0
    wanted, ran, wrong, digests = launches.golden("ops"), 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        cubin = launches.unpack("ops", options.arch, folder)
        for name, launch, out in write(folder, options.arch, options.show or options.only):
            code, report = launches.run(options.command, launch, cubin)
            ran += 1
            if code != 0:
                wrong += 1
                print(f"{name}: exit {code}: {report['findings'][:1]}")
                continue
            with open(out, "rb") as f:
                data = f.read()
            digest = hashlib.sha256(data).hexdigest()
            digests.append(f"op_{name}\t{digest}\n")
            if options.show:
                with open(options.output, "rb") as f:
                    show(name, data, f.read(), folder)
            elif report["assumed"] and options.arch != GPU_ARCH:
                if options.v:
                    print(f"{name}: assumed")
            elif report["assumed"] or wanted.get(f"op_{name}") != digest:
                wrong += 1
                print(f"{name}: " + ("assumed" if report["assumed"] else "the outputs are not the GPU's"))
    if options.digests:
        with open(options.digests, "w", encoding="ascii") as f:
            f.writelines(digests)
    print(f"{ran} forms, {wrong} wrong, {len(wanted)} known from the GPU")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
