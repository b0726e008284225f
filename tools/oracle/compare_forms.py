"""Whole files in the vendor's two forms against ours, byte for byte: `nvdisasm -c` and `cuobjdump -sass`.

usage: compare_forms.py SASSPROBE FILE... [--lines N] [--write SUMS.tsv]

FILEs are cubins; other containers are compared in cuobjdump's form alone. Prints each file that differs with its first N
different lines. --write keeps what the vendor's tools printed as sums (form, file, SHA-256; test/golden/forms.py compares
ours with them where no vendor's tool is). Without the vendor's tools: says so, answers 0.
"""
import argparse
import difflib
import hashlib
import shutil
import subprocess
import sys

import oracle

FORMS = {"nvdisasm": ["nvdisasm", "-c"], "cuobjdump": ["cuobjdump", "-sass"]}


def vendor(form, path):
    """What the vendor's tool prints, or None where it refuses the file."""
    done = subprocess.run(FORMS[form] + [path], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 and done.stdout.strip() else None


def ours(program, form, path):
    return subprocess.run([program, "disasm", "-q", "--format", form, path], capture_output=True, check=False).stdout


def is_cubin(path):
    with open(path, "rb") as handle:
        head = handle.read(20)
    return head[:4] == b"\x7fELF" and head[18:20] == b"\xbe\x00"


def show(text, got, count):
    lines = difflib.unified_diff(text.decode("utf-8", "replace").splitlines(), got.decode("utf-8", "replace").splitlines(),
                                 "vendor", "ours", lineterm="", n=0)
    for line, _ in zip(lines, range(count)):
        print("    " + line[:200])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--lines", type=int, default=6)
    parser.add_argument("--write")
    options = parser.parse_args()
    if not all(shutil.which(command[0]) for command in FORMS.values()):
        print("skipped: nvdisasm or cuobjdump not found\n0 passed, 0 failed")
        return 0
    passed, failed, sums = 0, 0, []
    for path in options.files:
        for form in FORMS if is_cubin(path) else ["cuobjdump"]:
            text = vendor(form, path)
            if text is None:
                continue
            sums.append((form, path, hashlib.sha256(text).hexdigest()))
            got = ours(options.program, form, path)
            passed += got == text
            failed += got != text
            if got != text:
                print("%s of %s" % (form, path))
                show(text, got, options.lines)
    if options.write:
        with open(options.write, "w", encoding="utf-8") as handle:
            handle.write("# What nvdisasm -c and cuobjdump -sass %s print of these files; written by"
                         " tools/oracle/compare_forms.py\n# form\tfile\tSHA-256\n" % oracle.release("nvdisasm"))
            for row in sums:
                handle.write("%s\t%s\t%s\n" % row)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
