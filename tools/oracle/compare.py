"""Our text of words against the vendor's: a table an architecture, and the classes of what differs.

usage: compare.py ISA_DUMP ROWS.tsv... [--examples 3] [--classes 40] [--live] [--tally]

ROWS are what dump_words.py and random_words.py write (arch, from, offset, lo, hi, text), or golden files (sm, offset,
hi, lo, text). The texts in them are the oracle's, kept; --live asks the nvdisasm at hand again, and says when there is
none. A class is one opcode, one architecture and one pair of shapes (texts without numbers). Exit status 1 when
anything differs.
"""
import argparse
import collections
import subprocess
import sys

import oracle
from random_words import opcode_of, shape


def load(paths):
    """[(sm, offset, word, text)]"""
    rows = []
    for path in paths:
        for fields in oracle.read_rows(path):
            if len(fields) == 6:
                sm, _, offset, lo, hi, text = fields
            else:
                sm, offset, hi, lo, text = fields
            rows.append((int(sm), int(offset, 16), int(lo, 16) | int(hi, 16) << 64, text))
    return rows


def ask_again(rows):
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None:
        print("skipped: nvdisasm not found")
        sys.exit(0)
    places = collections.defaultdict(list)
    for sm, offset, word, _ in rows:
        places[sm].append((offset, word.to_bytes(16, "little")))
    texts = {sm: oracle.disassemble_at(nvdisasm, sm, found) for sm, found in places.items()}
    return [(sm, offset, word, texts[sm][offset, word.to_bytes(16, "little")]) for sm, offset, word, _ in rows]


def ours(program, rows):
    asked = "".join("%d %x %016x %016x\n" % (sm, offset, word >> 64, word & (1 << 64) - 1) for sm, offset, word, _ in rows)
    done = subprocess.run([program], input=asked, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("rows", nargs="+")
    parser.add_argument("--examples", type=int, default=1)
    parser.add_argument("--classes", type=int, default=40)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--tally", action="store_true", help="end with a line N passed, N failed")
    options = parser.parse_args()
    rows = load(options.rows)
    if options.live:
        rows = ask_again(rows)
    total = collections.Counter()
    equal = collections.Counter()
    classes = collections.defaultdict(list)
    for (sm, offset, word, text), got in zip(rows, ours(options.program, rows)):
        total[sm] += 1
        if got == text:
            equal[sm] += 1
        else:
            known = not got.startswith("UNKNOWN")
            key = (opcode_of(word), shape(text), shape(got) if known else "unknown")
            classes[key].append((sm, offset, word, text, got))
    print("arch     words     equal  percent")
    for sm in sorted(total):
        print("sm_%-4d %7d  %8d  %7.2f" % (sm, total[sm], equal[sm], 100.0 * equal[sm] / total[sm]))
    ranked = sorted(classes.items(), key=lambda item: (-len(item[1]), item[0]))
    print("%d classes of difference" % len(ranked))
    for (opcode, _, _), found in ranked[:options.classes]:
        archs = ",".join(str(sm) for sm in sorted({row[0] for row in found}))
        print("\n%4d x opcode 0x%x on %s" % (len(found), opcode, archs))
        for sm, offset, word, text, got in found[:options.examples]:
            print("  sm_%d +%x %016x %016x\n    expected %s\n    got      %s"
                  % (sm, offset, word >> 64, word & (1 << 64) - 1, text, got))
    if options.tally:
        print("%d passed, %d failed" % (sum(equal.values()), sum(total.values()) - sum(equal.values())))
    return 1 if ranked else 0


if __name__ == "__main__":
    sys.exit(main())
