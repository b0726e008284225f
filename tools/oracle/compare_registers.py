"""The registers our micro-operations read and write against nvdisasm's live ranges.

usage: compare_registers.py UOP_REGISTERS WORDS.tsv REGISTERS.tsv [--classes 40]
WORDS are dump_words.py's rows, REGISTERS dump_registers.py's over the same cubins.
"""
import argparse
import collections
import subprocess
import sys

import oracle
from random_words import shape


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("words")
    parser.add_argument("registers")
    parser.add_argument("--classes", type=int, default=40)
    options = parser.parse_args()
    texts = {(sm, lo, hi): text for sm, _, _, lo, hi, text in oracle.read_rows(options.words)}
    expected = {}
    for row in oracle.read_rows(options.registers):
        sm, _, offset, lo, hi, reads, writes = (row + ["", ""])[:7]
        expected[sm, offset, hi, lo] = (reads, writes)
    asked = [(key, texts.get((key[0], key[3], key[2]), "?")) for key in expected]
    lines = "".join("%s %s %s %s\n" % key for key, _ in asked)
    said = subprocess.run([options.program], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    classes = collections.defaultdict(list)
    equal = collections.Counter()
    total = collections.Counter()
    for (key, text), line in zip(asked, said):
        fields = line.split("\t")
        got = (fields[0], fields[1])
        total[key[0]] += 1
        if [set(part.split()) for part in got] == [set(part.split()) for part in expected[key]]:
            equal[key[0]] += 1
        else:
            classes[key[0], shape(text)].append((key, text, expected[key], line))
    for sm in sorted(total, key=int):
        print("sm_%-4s %7d words %7d equal" % (sm, total[sm], equal[sm]))
    ranked = sorted(classes.items(), key=lambda item: -len(item[1]))
    print("%d classes of difference" % len(ranked))
    for (sm, form), found in ranked[:options.classes]:
        key, text, want, line = found[0]
        print("%5d x sm_%s %s\n      %s %s  expected %s -> %s   got %s" % (len(found), sm, form, key[1], text, want[0], want[1],
                                                                     line.replace("\t", " -> ", 1)))
    return 1 if ranked else 0


if __name__ == "__main__":
    sys.exit(main())
