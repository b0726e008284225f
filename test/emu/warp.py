#!/usr/bin/env python3
"""The kernels of src/warp.cu (cubin/warp.smNN.cubin.xz: nvcc -arch=sm_NN -O3 -cubin) on the emulator, on each architecture, against
what the GPU gave; those of BY_ORDER against the outputs of the first architecture.

  warp.py SASSPROBE [--only GLOB] [-v]     exit 1 when outputs differ, or something was found
  warp.py --write FOLDER [--arch 90]       writes launch files and inputs for test/gpu/run_launches.py"""
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
ARCHS = [90, 75, 86, 120]
WORDS = 1024
BY_ORDER = {"atomic_aggregate"}  # its output depends on which warp comes first: on the GPU it differs


def kernels():
    with open(os.path.join(HERE, "src", "warp.cu"), encoding="ascii") as f:
        text = f.read()
    return re.findall(r"^KERNEL\((\w+)\)", text, re.M) + ["by_value"]


def words(seed):
    state = seed
    for _ in range(WORDS):
        state = (state * 1664525 + 1013904223) % 2**32
        yield state >> 7 if state & 1 else state >> 22


def write(folder, only):
    with open(os.path.join(folder, "warp.in.bin"), "wb") as f:
        f.write(struct.pack(f"<{WORDS}I", *words(1)))
    for name in kernels():
        if not fnmatch.fnmatch(name, only):
            continue
        out = f"warp_{name}.out.bin"
        data, result = {"pointer": {"file": "warp.in.bin"}}, {"pointer": {"bytes": 4 * WORDS, "fill": 0}, "save": out}
        count = {"scalar": {"type": "s32", "value": 256}}
        params = [data, result, count]
        if name == "by_value":
            fields = [{"offset": 0, "scalar": {"type": "u64", "value": 0x123456789abcdef}},
                      {"offset": 8, "scalar": {"type": "u16", "value": 77}},
                      {"offset": 10, "scalar": {"type": "u16", "bits": "0xfff0"}}, dict(result, offset=16)]
            params = [{"struct": {"size": 24, "fields": fields}}, data, count]
        launch = os.path.join(folder, f"warp_{name}.json")
        with open(launch, "w", encoding="ascii") as f:
            json.dump({"kernel": name, "grid": [2, 1, 1], "block": [128, 1, 1], "params": params,
                       "limits": {"instructions": 20000000}}, f)
            f.write("\n")
        yield name, launch, os.path.join(folder, out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", nargs="?")
    parser.add_argument("--write", metavar="FOLDER")
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--only", default="*")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    if options.write:
        os.makedirs(options.write, exist_ok=True)
        launches.unpack("warp", options.arch, options.write)
        with open(os.path.join(options.write, "manifest.tsv"), "a", encoding="ascii") as manifest:
            for name, launch, _ in write(options.write, options.only):
                manifest.write(f"warp_{name}\twarp.sm{options.arch}.cubin\t{os.path.basename(launch)}\n")
        return 0
    known, ran, wrong = launches.golden("warp"), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        files = {arch: launches.unpack("warp", arch, folder) for arch in ARCHS}
        for name, launch, out in write(folder, options.only):
            wanted = known.get(f"warp_{name}")
            against = "the GPU" if wanted else "the first architecture"
            if not wanted and name not in BY_ORDER:
                wrong += 1
                print(f"{name}: what the GPU gives is not known")
            for arch in ARCHS:
                code, report = launches.run(options.command, launch, files[arch])
                ran += 1
                if code != 0:
                    wrong += 1
                    print(f"{name} sm_{arch}: exit {code}: {report['findings'][:1]}")
                    continue
                with open(out, "rb") as f:
                    digest = hashlib.sha256(f.read()).hexdigest()
                wanted = wanted or digest
                if digest != wanted:
                    wrong += 1
                    print(f"{name} sm_{arch}: other outputs than {against}")
                elif options.v:
                    print(f"{name} sm_{arch}: same")
    print(f"{ran} runs, {wrong} wrong")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
