#!/usr/bin/env python3
"""Whole files in the vendor's forms: the SHA-256 of what `disasm --format nvdisasm` and `cuobjdump` print against that of what the
vendor's tools printed (test/golden/disasm/forms.tsv, written by tools/oracle/compare_forms.py, which shows differences).

usage: forms.py [--command build/sassprobe]        Last line: "N passed, N failed".
"""
import argparse
import hashlib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", default=os.path.join(ROOT, "build", "sassprobe"))
    command = os.path.abspath(parser.parse_args().command)
    passed = failed = 0
    with open(os.path.join(ROOT, "test/golden/disasm/forms.tsv"), encoding="utf-8") as rows:
        for row in rows:
            if row.startswith("#"):
                continue
            form, path, wanted = row.rstrip("\n").split("\t")
            done = subprocess.run([command, "disasm", "-q", "--format", form, path], capture_output=True, cwd=ROOT, check=False)
            if hashlib.sha256(done.stdout).hexdigest() == wanted:
                passed += 1
            else:
                failed += 1
                print(f"differs: {form} {path}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
