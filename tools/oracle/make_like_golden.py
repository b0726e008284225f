"""Golden rows of the architectures that `like` lines describe: test/golden/isa/smNN.tsv, one file an architecture.

usage: make_like_golden.py ISA_DUMP KEYS.tsv... --archs 103,110 --out DIR [--few] [--cubins CUBIN...]

KEYS are probe_keys.py's rows or golden files: their words, of every architecture, and words drawn around them are
asked under each opcode. Of the cubins that are of an architecture every distinct word is taken, and of the others up
to four a key that show a new modifier or operand form; with --few one a key and one a shape. Only rows that ISA_DUMP
prints equal are kept; how many words of the cubins are not is printed.
"""
import argparse
import collections
import os
import random
import re
import sys

import compare
import oracle
from make_golden import sample_shape
from probe_alike import read_seeds
from probe_check import draw, ours
from random_words import opcode_of, shape

PER_KEY = 4


def words_of_cubins(paths, sm):
    found = {}
    for path in paths:
        cubin = oracle.read_cubin(path)
        for _, code in sorted(cubin.code.items()) if cubin.sm == sm else ():
            for i, word in enumerate(oracle.words_of(code)):
                branch = opcode_of(int.from_bytes(word, "little")) & 0xFF0 in (0x940, 0x950)
                found.setdefault((word, 16 * i if branch else 0), (16 * i, word))
    return list(found.values())


def forms(key, text):
    head, _, operands = re.sub(r"^@!?U?P[T0-9] ", "", text).partition(" ")
    return {(key, part) for part in head.split(".")} | \
           {(key, i, form) for i, form in enumerate(shape("X " + operands).replace(".reuse", "").split(", "))}


def relative(nvdisasm, sm, words):
    """Words whose text depends on where they stand."""
    near, far = (oracle.disassemble(nvdisasm, sm, words, offset) for offset in (0, 0x40000))
    return {word for word, a, b in zip(words, near, far) if a != b}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("keys", nargs="+")
    parser.add_argument("--archs", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--cubins", nargs="*", default=[])
    parser.add_argument("--date", required=True)
    options = parser.parse_args()
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None:
        print("skipped: nvdisasm not found")
        return 0
    seeds = read_seeds(options.keys)
    for sm in (int(number) for number in options.archs.split(",")):
        rng = random.Random(sm)
        rows, parts, shapes = {}, set(), set()
        places = words_of_cubins(options.cubins, sm)
        texts = oracle.disassemble_at(nvdisasm, sm, places)
        for offset, packed in places:
            word, text = int.from_bytes(packed, "little"), texts[offset, packed]
            form = opcode_of(word), sample_shape(text or "")
            if oracle.legal(text) and not (options.few and form in shapes):
                shapes.add(form)
                rows[word, offset] = text
        words = []
        for _, found in sorted(seeds.items()):
            count = 30 if options.few else 200
            words += found[:count] + [draw(rng, rng.choice(found)) for _ in range(count)]
        words = [word for word in dict.fromkeys(words) if word >> 109 & 1]
        rng.shuffle(words)
        packed = [word.to_bytes(16, "little") for word in words]
        moving = relative(nvdisasm, sm, packed)
        count = collections.Counter()
        texts = oracle.disassemble(nvdisasm, sm, packed)
        for word, text, got in zip(words, texts, ours(options.program, sm, words)):
            key = opcode_of(word)
            if text != got or not oracle.legal(text) or word.to_bytes(16, "little") in moving or count[key] == PER_KEY:
                continue
            if not count[key] or (not options.few and forms(key, text) - parts):
                parts |= forms(key, text)
                count[key] += 1
                rows.setdefault((word, 0), text)
        listed = [(sm, offset, word, text) for (word, offset), text in sorted(rows.items())]
        got = compare.ours(options.program, listed)
        left = sum(row[3] != text for row, text in zip(listed, got))
        with open(os.path.join(options.out, "sm%d.tsv" % sm), "w", encoding="utf-8") as out:
            out.write("# nvdisasm %s, %s: -ndf -raw -b SM%d\n# sm\toffset\thi\tlo\ttext\n" %
                      (oracle.release(nvdisasm), options.date, sm))
            for row, text in zip(listed, got):
                if row[3] == text:
                    out.write("%d\t%x\t%016x\t%016x\t%s\n" % (row[0], row[1], row[2] >> 64, row[2] & (1 << 64) - 1, text))
        print("sm_%d: %d rows, %d left out" % (sm, len(listed) - left, left))
    return 0


if __name__ == "__main__":
    sys.exit(main())
