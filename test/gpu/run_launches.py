#!/usr/bin/env python3
"""Runs a set of launches (doc/formats/launch.md) on the GPU: the same cubins, launch files and inputs as
`sassprobe run`.

  run_launches.py SET OUT [--only GLOB] [--keep GLOB]

SET holds manifest.tsv: case, cubin, launch file a line, as test/emu/*.py --write make it. OUT gets the buffers a
launch saves (of cases that --keep names; by default those of less than 64 KiB), and digests.tsv: case, SHA-256 of its
saved buffers one after another. Only the driver is needed (libcuda.so.1), no toolkit.

Counters of one case, as the profiler has them:
  ncu --set full --page source --csv python3 run_launches.py SET OUT --only CASE"""
import argparse
import ctypes
import fnmatch
import hashlib
import json
import os
import struct
import sys
import time

FORMATS = {"s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I", "s64": "q", "u64": "Q", "f16": "e",
           "f32": "f", "f64": "d", "b8": "B", "b16": "H", "b32": "I", "b64": "Q"}
UNSIGNED = {1: "B", 2: "H", 4: "I", 8: "Q"}
DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class Driver:
    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.call("cuCtxSetCurrent", self.context)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, device)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.what = f"{name.value.decode()}, driver API {version.value}"

    def call(self, function, *args):
        code = getattr(self.lib, function)(*args)
        if code:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{function}: {text.value.decode() if text.value else code}")

    def module(self, path):
        module = ctypes.c_void_p()
        with open(path, "rb") as f:
            self.call("cuModuleLoadData", ctypes.byref(module), f.read())
        return module

    def upload(self, data):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(len(data), 1)))
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        return address.value

    def download(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw


def contents(value, folder):
    if "file" in value:
        with open(os.path.join(folder, value["file"]), "rb") as f:
            return f.read()
    return bytes([value.get("fill", 0)]) * value["bytes"]


def scalar(value):
    kind = value["type"]
    if "bits" in value:
        size = 2 if kind == "bf16" else struct.calcsize("<" + FORMATS[kind])
        return struct.pack("<" + UNSIGNED[size], int(value["bits"], 0))
    number = value["value"]
    if kind == "bf16":
        return struct.pack("<f", float(number))[2:]
    return struct.pack("<" + FORMATS[kind], float(number) if kind[0] == "f" else int(number))


class Launch:
    def __init__(self, driver, path):
        self.driver, self.folder = driver, os.path.dirname(path)
        self.saved, self.held = [], []
        with open(path, encoding="utf-8") as f:
            self.text = json.load(f)

    def value(self, p):
        if "scalar" in p:
            return scalar(p["scalar"])
        data = contents(p["pointer"], self.folder)
        address = self.driver.upload(data)
        self.held.append(address)
        if "save" in p:
            self.saved.append((p["save"], address, len(data)))
        return struct.pack("<Q", address)

    def param(self, p):
        if "struct" not in p:
            return self.value(p)
        block = bytearray(p["struct"]["size"])
        for field in p["struct"].get("fields", []):
            data = self.value(field)
            block[field["offset"]:field["offset"] + len(data)] = data
        return bytes(block)

    def run(self, module):
        d, t = self.driver, self.text
        function = ctypes.c_void_p()
        d.call("cuModuleGetFunction", ctypes.byref(function), module, t["kernel"].encode())
        for g in t.get("globals", []):
            address, size = ctypes.c_uint64(), ctypes.c_size_t()
            d.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, g["symbol"].encode())
            if "file" in g:
                data = contents(g, self.folder)
                d.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
            if "save" in g:
                self.saved.append((g["save"], address.value, size.value))
        blocks = [ctypes.create_string_buffer(b, len(b)) for b in map(self.param, t.get("params", []))]
        pointers = (ctypes.c_void_p * max(len(blocks), 1))(*[ctypes.addressof(b) for b in blocks])
        grid = (t.get("grid", [1]) + [1, 1])[:3]
        block = (t.get("block", [1]) + [1, 1])[:3]
        shared = t.get("shared_bytes", 0)
        if shared > 48 * 1024:
            d.call("cuFuncSetAttribute", function, DYNAMIC_SHARED, shared)
        d.call("cuLaunchKernel", function, *grid, *block, shared, None, pointers, None)
        d.call("cuCtxSynchronize")
        return [(name, d.download(address, size)) for name, address, size in self.saved]

    def free(self):
        for address in self.held:
            self.driver.call("cuMemFree_v2", ctypes.c_uint64(address))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set")
    parser.add_argument("out")
    parser.add_argument("--only", default="*")
    parser.add_argument("--keep")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    driver, modules, failed = Driver(), {}, 0
    with open(os.path.join(options.set, "manifest.tsv"), encoding="utf-8") as f:
        cases = [line.split("\t") for line in f.read().splitlines()]
    with open(os.path.join(options.out, "digests.tsv"), "w", encoding="utf-8") as digests:
        digests.write(f"# {driver.what}: case, SHA-256 of what its launch saves\n")
        for name, cubin, launch_path in cases:
            if not fnmatch.fnmatch(name, options.only):
                continue
            try:
                if cubin not in modules:
                    modules[cubin] = driver.module(os.path.join(options.set, cubin))
                launch, start = Launch(driver, os.path.join(options.set, launch_path)), time.time()
                outputs = launch.run(modules[cubin])
            except (RuntimeError, OSError, KeyError, ValueError) as error:
                failed += 1
                print(f"{name}: {error}", file=sys.stderr)
                if "cuCtxSynchronize" in str(error):
                    print("the context is lost; nothing more can run", file=sys.stderr)
                    break
                continue
            total = hashlib.sha256()
            for path, data in outputs:
                total.update(data)
                if fnmatch.fnmatch(name, options.keep) if options.keep else len(data) < 65536:
                    with open(os.path.join(options.out, path), "wb") as f:
                        f.write(data)
            digests.write(f"{name}\t{total.hexdigest()}\n")
            print(f"{name}: {time.time() - start:.3f} s", file=sys.stderr)
            launch.free()
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
