"""Our text of every instruction of whole libraries against the vendor's: a table a container and architecture.

usage: compare_library.py ISA_DUMP CONTAINER... [--sample N] [--limit WORDS] [--batch WORDS] [--differences FILE]
                          [--carve]

A container is a cubin, a folder (every file of it), or whatever `cuobjdump -xelf all` opens (programs, shared objects,
archives, fatbins). Text is a function of architecture, offset and word: words that differ in their scheduling alone
(stall, barriers, waiting; bits 105..108 and 110..121) are asked once, at the place of the first of them, and count as
often as they stand in the code. `instructions` are counted so, `asked` are those that both sides printed, `refused` those
of them that nvdisasm has no text for. --sample N takes every Nth kernel by its name, --limit ends a container after so
many instructions. A class of difference is one opcode and one pair of shapes (texts without numbers); all of them go to
FILE with an example an architecture. Exit status 1 when anything differs. Without nvdisasm: says so, answers 0.
"""
import argparse
import collections
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import oracle
from random_words import opcode_of, shape

# Bits of the upper half that no text depends on: the yield bit (109) is kept, `.reuse` prints only while it is set.
SCHEDULING = (0xF << (105 - 64)) | (0xFFF << (110 - 64))
KEPT = (1 << 64) - 1 - SCHEDULING


class Comparison:
    """Words not asked before are gathered by architecture and asked in batches; verdicts are kept by word."""

    def __init__(self, program, nvdisasm, batch):
        self.program, self.nvdisasm, self.batch = program, nvdisasm, batch
        self.seen = collections.defaultdict(set)      # architecture -> (hi kept, lo) that were asked or wait
        self.waiting = collections.defaultdict(list)  # architecture -> words
        self.bad = collections.defaultdict(set)       # architecture -> (hi kept, lo) whose texts differ
        self.refused = collections.Counter()
        self.classes = {}                             # (opcode, shape, shape) -> {architecture: (word, text, got)}

    def add(self, sm, code):
        seen, waiting = self.seen[sm], self.waiting[sm]
        for lo, hi in struct.iter_unpack("<QQ", code[:len(code) // 16 * 16]):
            key = (hi & KEPT) << 64 | lo
            if key not in seen:
                seen.add(key)
                waiting.append((hi, lo))
        if len(waiting) >= self.batch:
            self.ask(sm)

    def finish(self):
        for sm in list(self.waiting):
            self.ask(sm)

    def ask(self, sm):
        words, self.waiting[sm] = self.waiting[sm], []
        if not words:
            return
        theirs = oracle.disassemble(self.nvdisasm, sm, [struct.pack("<QQ", lo, hi) for hi, lo in words])
        asked = "".join("%d %x %016x %016x\n" % (sm, 16 * i, hi, lo) for i, (hi, lo) in enumerate(words))
        done = subprocess.run([self.program], input=asked, capture_output=True, text=True, check=True)
        for (hi, lo), text, got in zip(words, theirs, done.stdout.splitlines()):
            legal = oracle.legal(text)
            self.refused[sm] += not legal
            if got == text or (not legal and got.startswith("UNKNOWN")):
                continue
            self.bad[sm].add((hi & KEPT) << 64 | lo)
            spelled = text if text is not None else "refused"
            key = (opcode_of(hi << 64 | lo), shape(spelled), "unknown" if got.startswith("UNKNOWN") else shape(got))
            self.classes.setdefault(key, {}).setdefault(sm, (hi, lo, spelled, got))


FATBIN_MAGIC = b"\x50\xed\x55\xba"
CUBIN = 2  # kind of an entry


def carve(path, to):
    """Writes one fatbin with the cubins of all fatbins in a file, as `cuobjdump` opens it."""
    with open(path, "rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as data:
        entries, at = [], data.find(FATBIN_MAGIC)
        while at >= 0:
            end = at + 4
            if at + 16 <= len(data):
                version, head, size = struct.unpack_from("<HHQ", data, at + 4)
                if version == 1 and head == 16 and at + 16 + size <= len(data):
                    end, entry = at + 16 + size, at + 16
                    while entry + 64 <= end:
                        kind, _, head, size = struct.unpack_from("<HHIQ", data, entry)
                        if head < 64 or entry + head + size > end:
                            break
                        if kind == CUBIN:
                            entries.append(data[entry:entry + head + size])
                        entry += head + size
            at = data.find(FATBIN_MAGIC, end)
    with open(to, "wb") as handle:
        handle.write(FATBIN_MAGIC + struct.pack("<HHQ", 1, 16, sum(map(len, entries))) + b"".join(entries))


def cubins_of(container, folder, carved):
    """Paths of the cubins in a container; `folder` takes what has to be unpacked."""
    if os.path.isdir(container):
        for root, _, names in sorted(os.walk(container)):
            for name in sorted(names):
                yield os.path.join(root, name)
        return
    with open(container, "rb") as handle:
        head = handle.read(20)
    if head[:4] == b"\x7fELF" and head[18:20] == b"\xbe\x00":
        yield container
        return
    if carved:
        whole = os.path.join(folder, "carved.fatbin")
        carve(container, whole)
        container = whole
    subprocess.run(["cuobjdump", "-xelf", "all", os.path.abspath(container)], cwd=folder, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    for name in sorted(os.listdir(folder)):
        yield os.path.join(folder, name)


def compare_container(comparison, container, options):
    counts = collections.defaultdict(collections.Counter)  # architecture -> differs -> instructions
    kernels = collections.Counter()
    total = collections.Counter()
    cubins = 0
    before = {sm: len(seen) for sm, seen in comparison.seen.items()}
    refused = comparison.refused.copy()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for path in cubins_of(container, folder, options.carve):
            try:
                cubin = oracle.read_cubin(path)
            except (ValueError, struct.error, IndexError):
                continue
            cubins += 1
            paths.append(path)
            for name, code in cubin.code.items():
                if options.sample > 1 and zlib.crc32(name.encode()) % options.sample:
                    continue
                kernels[cubin.sm] += 1
                total[cubin.sm] += len(code) // 16
                comparison.add(cubin.sm, code)
            if options.limit and sum(total.values()) >= options.limit:
                break
        comparison.finish()
        for path in paths if any(comparison.bad.values()) else []:  # how often the differing words stand here
            cubin = oracle.read_cubin(path)
            bad = comparison.bad.get(cubin.sm)
            for name, code in cubin.code.items() if bad else []:
                if options.sample > 1 and zlib.crc32(name.encode()) % options.sample:
                    continue
                for lo, hi in struct.iter_unpack("<QQ", code[:len(code) // 16 * 16]):
                    counts[cubin.sm][(hi & KEPT) << 64 | lo in bad] += 1
    for sm in sorted(total):
        different = counts[sm][True]
        print("%-40s sm_%-4d %7d %12d %11d %9d %12d %9d %9.4f"
              % (os.path.basename(container.rstrip("/"))[:40], sm, kernels[sm], total[sm],
                 len(comparison.seen[sm]) - before.get(sm, 0), comparison.refused[sm] - refused[sm],
                 total[sm] - different, different, 100.0 * (total[sm] - different) / max(total[sm], 1)), flush=True)
    return cubins, total, {sm: counts[sm][True] for sm in total}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("containers", nargs="+")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--batch", type=int, default=200000)
    parser.add_argument("--differences")
    parser.add_argument("--carve", action="store_true")
    options = parser.parse_args()
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None or (shutil.which("cuobjdump") is None and not all(os.path.isdir(c) for c in options.containers)):
        print("skipped: nvdisasm or cuobjdump not found")
        return 0
    print("nvdisasm %s" % oracle.release(nvdisasm))
    print("%-40s %-7s %7s %12s %11s %9s %12s %9s %9s" % ("container", "arch", "kernels", "instructions", "asked", "refused",
                                                       "equal", "different", "percent"), flush=True)
    comparison = Comparison(options.program, nvdisasm, options.batch)
    cubins, total, different = 0, collections.Counter(), collections.Counter()
    for container in options.containers:
        found, words, differs = compare_container(comparison, container, options)
        cubins += found
        total.update(words)
        different.update(differs)
        if options.differences:
            write_differences(options.differences, comparison)
    for sm in sorted(total):
        print("%-40s sm_%-4d %7s %12d %11d %9d %12d %9d %9.4f"
              % ("all", sm, "", total[sm], len(comparison.seen[sm]), comparison.refused[sm], total[sm] - different[sm],
                 different[sm], 100.0 * (total[sm] - different[sm]) / max(total[sm], 1)))
    print("%d cubins, %d instructions, %d different, %d classes of difference"
          % (cubins, sum(total.values()), sum(different.values()), len(comparison.classes)))
    return 1 if comparison.classes else 0


def write_differences(path, comparison):
    with open(path, "w", encoding="utf-8") as handle:
        for (opcode, _, _), found in sorted(comparison.classes.items()):
            handle.write("opcode 0x%x on %s\n" % (opcode, ", ".join("sm_%d" % sm for sm in sorted(found))))
            for sm, (hi, lo, text, got) in sorted(found.items()):
                handle.write("  sm_%d %016x %016x\n    expected %s\n    got      %s\n" % (sm, hi, lo, text, got))


if __name__ == "__main__":
    sys.exit(main())
