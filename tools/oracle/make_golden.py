"""Chooses from the oracle's rows what is committed as golden: test/golden/isa/smNN.tsv.

usage: make_golden.py --out DIR --lab LAB.tsv --sample VARIANTS.tsv ENUMERATE.tsv --whole RANDOM.tsv [--release TEXT]
       [--passing ISA_DUMP]

Of LAB and of the whole files every distinct word is taken. Of a sampled file one word a shape is: text with the numbers of
registers and predicates, values and reuse marks left out, guard apart, so every modifier and every operand form an opcode
has stays. Columns: sm, offset, hi, lo, text.
--passing keeps only rows the given isa_dump prints equal, and names the number of the others: a class of rows is
committed when the decoder knows it.
"""
import argparse
import collections
import os
import re
import sys

import compare
from random_words import opcode_of, shape


def sample_shape(text):
    text = shape(text).removeprefix("@ ").replace(".reuse", "").replace("-#", "#")
    return re.sub(r"\b(U?[RP])[ZT]\b", r"\1#", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--lab", nargs="*", default=[])
    parser.add_argument("--sample", nargs="*", default=[])
    parser.add_argument("--whole", nargs="*", default=[])
    parser.add_argument("--release", required=True)
    parser.add_argument("--date", required=True)
    parser.add_argument("--passing")
    options = parser.parse_args()
    chosen = collections.OrderedDict()
    shapes = set()
    for paths, sampled in ((options.lab, False), (options.sample, True), (options.whole, False)):
        for sm, offset, word, text in compare.load(paths):
            key = (sm, opcode_of(word), sample_shape(text))
            if sampled and key in shapes:
                continue
            shapes.add(key)
            branch = opcode_of(word) & 0xFF0 in (0x940, 0x950)
            chosen.setdefault((sm, word, offset if branch else 0), (sm, offset, word, text))
    rows = list(chosen.values())
    left = 0
    if options.passing:
        texts = compare.ours(options.passing, rows)
        left = sum(got != row[3] for row, got in zip(rows, texts))
        rows = [row for row, got in zip(rows, texts) if got == row[3]]
    os.makedirs(options.out, exist_ok=True)
    for sm in sorted({row[0] for row in rows}):
        with open(os.path.join(options.out, "sm%d.tsv" % sm), "w", encoding="utf-8") as out:
            out.write("# nvdisasm %s, %s: -ndf -raw -b SM%d\n# sm\toffset\thi\tlo\ttext\n" % (options.release, options.date, sm))
            for row in sorted(row for row in rows if row[0] == sm):
                _, offset, word, text = row
                out.write("%d\t%x\t%016x\t%016x\t%s\n" % (sm, offset, word >> 64, word & (1 << 64) - 1, text))
    print("%d rows written, %d left out" % (len(rows), left))
    return 0


if __name__ == "__main__":
    sys.exit(main())
