#!/usr/bin/env python3
"""What `run --counters` counts, against what the profiler counted on the GPU, instruction by instruction.

  counters.py SASSPROBE [--only GLOB] [-v]            compares with golden/h200_counters.tsv; exit 1: one differs
  counters.py --reduce CSV_FOLDER                     makes the golden file of CASE.csv files, one a case: what
      ncu --section SourceCounters --page source --csv python3 test/gpu/run_launches.py SET OUT --only CASE   printed

The cases are those of lab.py and warp.py, but for UNTOLD. A golden line: case, offset, the counts of COUNTS."""
import argparse
import csv
import fnmatch
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden", "h200_counters.tsv")
COUNTS = [("warps", "Instructions Executed"), ("threads", "Thread Instructions Executed"),
          ("threads_on", "Predicated-On Thread Instructions Executed"), ("shared_wavefronts", "L1 Wavefronts Shared"),
          ("shared_ideal", "L1 Wavefronts Shared Ideal"), ("global_sectors", "L2 Theoretical Sectors Global"),
          ("global_sectors_ideal", "L2 Theoretical Sectors Global Ideal")]
# How often these go round depends on when other warps write, or (the last two) on which of two parted groups of lanes
# goes first, which is not known of the chip.
UNTOLD = {"warp_atomic_cas", "warp_atomics_shared", "warp_spin_lock", "warp_grid_barrier", "warp_part_goto",
          "warp_part_nested"}
SHARED = slice(3, 5)


def number(text):
    return int(float(text.replace(",", ""))) if text else 0


def reduce(folder):
    rows = []
    for name in sorted(os.listdir(folder)):
        case = name.removesuffix(".csv")
        if not name.endswith(".csv") or case in UNTOLD:
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            lines = f.read().splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith('"Address"'))
        for k, row in enumerate(csv.DictReader(lines[start:])):
            counts = [number(row.get(column)) for _, column in COUNTS]
            # Wavefronts of atomics in shared memory are not modelled: nothing is said of them.
            counts = counts if "ATOMS" not in row["Source"] else counts[:3] + ["-", "-"] + counts[5:]
            if any(counts):
                rows.append("\t".join(map(str, [case, hex(16 * k), *counts])))
    with open(GOLDEN, "w", encoding="ascii") as f:
        f.write("# NVIDIA H200, ncu (SourceCounters): case, offset, " + ", ".join(name for name, _ in COUNTS) + "\n")
        f.write("\n".join(rows) + "\n")


def write_launches(command, folder):
    """{case: (cubin, launch file)}"""
    for script, first in (("lab.py", [command]), ("warp.py", [])):
        subprocess.run([sys.executable, os.path.join(HERE, script), *first, "--write", folder], check=True,
                       stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "manifest.tsv"), encoding="ascii") as f:
        return {case: (cubin, launch) for case, cubin, launch in (line.split("\t") for line in f.read().splitlines())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", nargs="?")
    parser.add_argument("--reduce", metavar="CSV_FOLDER")
    parser.add_argument("--only", default="*")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    if options.reduce:
        reduce(options.reduce)
        return 0
    wanted, checked, wrong = {}, 0, 0
    with open(GOLDEN, encoding="ascii") as f:
        for line in f.read().splitlines():
            if not line.startswith("#"):
                case, offset, *counts = line.split("\t")
                wanted.setdefault(case, {})[int(offset, 16)] = [c if c == "-" else int(c) for c in counts]
    with tempfile.TemporaryDirectory() as folder:
        launches = write_launches(os.path.abspath(options.command), folder)
        for case, by_offset in wanted.items():
            if not fnmatch.fnmatch(case, options.only):
                continue
            cubin, launch = launches[case]
            run = subprocess.run([options.command, "run", "--counters", "--format", "json", "--launch",
                                  os.path.join(folder, launch), os.path.join(folder, cubin)],
                                 capture_output=True, text=True, check=False)
            for counter in json.loads(run.stdout)["counters"]:
                ours = [counter.get(name, 0) for name, _ in COUNTS]
                chip = by_offset.get(counter["offset"], [0] * len(COUNTS))
                if "-" in chip:
                    ours[SHARED] = chip[SHARED]
                checked += 1
                if ours != chip:
                    wrong += 1
                    print(f"{case} {counter['offset']:#x} {counter['text']}: {ours}, the chip {chip}")
    print(f"{checked} instructions of {len(wanted)} launches, {wrong} with other counts than the chip's")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
