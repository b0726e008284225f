"""Whole listings: `sassprobe disasm` in its two forms against cuobjdump -sass and nvdisasm -c.

usage: compare_listing.py SASSPROBE CUBIN...
cuobjdump's form must be the same line for line, blanks at line ends apart. Of nvdisasm's form the instruction lines are
compared, a label counting as the offset it stands for, since its number means nothing. The tools are taken from
$NVDISASM, $CUOBJDUMP or PATH; what is not there is named as skipped. Exit status 1 when anything differs.
"""
import os
import re
import shutil
import subprocess
import sys

import oracle

_LINE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;")
_LABEL = re.compile(r"^(\.L_x_\d+|[$._A-Za-z][\w.$]*):\s*$")


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False, errors="replace").stdout


def plain_lines(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def instructions(text):
    """[(section, offset, text with labels as offsets)]"""
    section, labels, waiting, rows = "", {}, [], []
    for line in text.splitlines():
        if ".section\t.text." in line:
            section, waiting = line.split(".text.")[1].split(",")[0], []
            labels[section] = {}
        label, found = _LABEL.match(line), _LINE.match(line)
        if label and section:
            waiting.append(label.group(1))
        elif found:
            for name in waiting:
                labels[section][name] = found.group(1)
            waiting = []
            rows.append((section, found.group(1), re.sub(r"\s+", " ", found.group(2))))

    def resolve(section, text):
        return re.sub(r"`\(([^)]*)\)", lambda m: "0x" + labels[section].get(m.group(1), m.group(1)).lstrip("0"), text)

    return [(section, offset, resolve(section, text)) for section, offset, text in rows]


def compare(name, path, ours, theirs):
    """Prints up to three differences; true when there is none."""
    if ours == theirs:
        return True
    print("%s: %s: %d against %d lines" % (path, name, len(ours), len(theirs)))
    shown = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]][:3]
    for ours_line, theirs_line in shown:
        print("  expected %s\n  got      %s" % (theirs_line, ours_line))
    return False


def main(program, paths):
    cuobjdump = os.environ.get("CUOBJDUMP") or shutil.which("cuobjdump")
    nvdisasm = oracle.find_nvdisasm()
    equal = {"cuobjdump": 0, "nvdisasm": 0}
    for path in paths:
        if cuobjdump:
            equal["cuobjdump"] += compare("cuobjdump", path, plain_lines(run([program, "disasm", path])),
                                          plain_lines(run([cuobjdump, "-sass", path])))
        if nvdisasm:
            equal["nvdisasm"] += compare("nvdisasm", path,
                                         instructions(run([program, "disasm", "--format", "nvdisasm", path])),
                                         instructions(run([nvdisasm, "-c", path])))
    tried = 0
    for name, tool in (("cuobjdump", cuobjdump), ("nvdisasm", nvdisasm)):
        if tool:
            print("%s: %d of %d files equal" % (name, equal[name], len(paths)))
            tried += len(paths)
        else:
            print("skipped: %s not found" % name)
    passed = sum(equal.values())
    print("%d passed, %d failed" % (passed, tried - passed))
    return 1 if passed != tried else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
