#!/usr/bin/env python3
"""Compares `explain --format json --source` of clamp_f32 (sm_86) with the worked document, which a person wrote.

Everything that follows from the machine code must be equal, key by key. Not compared: sentences for people; `evidence` and
`occupancy`, which the worked document leaves out in part; rewrites, which need PTX (that they are absent is a fact in
clamp_f32.facts). The document may have more keys than the worked one, never fewer. Each compared part counts as a test.
usage: worked_document.py [--command build/sassprobe]         Last line: "N passed, N failed".
"""
import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEFT_OUT = {"summary", "evidence", "occupancy", "rewrites", "tool", "diagnostics"}


def differences(expected, got, where):
    if isinstance(expected, dict) and isinstance(got, dict):
        for key, value in expected.items():
            if key in LEFT_OUT:
                continue
            if key not in got:
                yield f"{where}.{key}: missing"
            else:
                yield from differences(value, got[key], f"{where}.{key}")
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            yield f"{where}: {len(got)} entries, not {len(expected)}"
        for index, (one, other) in enumerate(zip(expected, got)):
            yield from differences(one, other, f"{where}[{index}]")
    elif expected != got or isinstance(expected, bool) != isinstance(got, bool):
        yield f"{where}: {got!r}, not {expected!r}"


def main():
    parser = argparse.ArgumentParser(description="the worked document")
    parser.add_argument("--command", default=os.path.join(ROOT, "build/sassprobe"))
    arguments = parser.parse_args()
    with open(os.path.join(ROOT, "test/golden/report/clamp_f32.worked.json"), encoding="utf-8") as text:
        expected = json.load(text)
    done = subprocess.run([arguments.command, "explain", "--format", "json", "--source", "kernels/02_control/clamp_f32.cu",
                           expected["inputs"][0]["path"]], capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode != 0:
        print(f"explain: exit {done.returncode}: {done.stderr.strip()[:300]}\n0 passed, 1 failed")
        return 1
    got = json.loads(done.stdout)
    parts = [(key, expected[key], got.get(key)) for key in expected if key not in LEFT_OUT | {"kernels"}]
    kernel, other = expected["kernels"][0], (got["kernels"] or [{}])[0]
    parts += [("kernel." + key, kernel[key], other.get(key)) for key in kernel if key not in LEFT_OUT]
    passed = failed = 0
    for name, one, two in parts:
        found = list(differences(one, two, name))
        if found:
            failed += 1
            print(f"FAILED {name}")
            print("\n".join("       " + line for line in found[:20]))
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
