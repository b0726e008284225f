"""Random words of some opcodes: our text against the vendor's, and words it refuses that we print.

usage: probe_check.py KEYS.tsv ISA_DUMP [--archs …] [--keys …] [--mnemonics …] [--count 2000] [--rows OUT.tsv]

KEYS.tsv is probe_keys.py's. Its words are seeds: some bits of them are drawn, or whole bodies, and what nvdisasm
prints is set beside what ISA_DUMP prints. A table an architecture and mnemonic, then the classes of what differs.
--rows keeps legal words in the form of test/golden/isa, one for each shape of text and a few more an opcode.
"""
import argparse
import collections
import random
import re
import subprocess
import sys

import oracle
from probe_keys import mnemonic_of
from random_words import BODY_BITS, opcode_of, shape

REGISTERS = (16, 24, 32, 40, 48, 64)


def draw(rng, word):
    """A seed with one to eight bits, some registers or a run of bits drawn anew."""
    for _ in range(rng.choice((1, 1, 2, 3, 5, 8))):
        word ^= 1 << rng.choice(BODY_BITS)
    for _ in range(rng.choice((0, 0, 1, 2))):
        low = rng.choice(REGISTERS)
        word = word & ~(0xFF << low) | rng.choice((0xFF, 0x3F, 0, rng.getrandbits(8) & 0xF8, rng.getrandbits(8))) << low
    if rng.random() < 0.2:
        low = rng.randrange(58, 100)
        for bit in range(low, low + 6):
            if bit in BODY_BITS:
                word = word & ~(1 << bit) | rng.getrandbits(1) << bit
    if rng.random() < 0.1:
        word = word & ~(0xF << 12) | rng.getrandbits(4) << 12
    word = word & ~(1 << 109) | rng.getrandbits(1) << 109
    return word & ~(7 << 122) | (rng.getrandbits(3) & rng.getrandbits(3)) << 122


def chosen(kept):
    """Of words of different shapes those that show a modifier or an operand form that no word before showed."""
    seen = set()
    for (sm, key, _), (word, text) in sorted(kept.items()):
        found = re.sub(r"^@!?U?P[T0-9] ", "", text)
        head, _, operands = found.partition(" ")
        parts = {("mod", part) for part in head.split(".")}
        parts |= {(i, form) for i, form in enumerate(shape("X " + operands).split(", "))}
        new = {(sm, key, part) for part in parts} - seen
        if new:
            seen |= new
            yield sm, word, text


def ours(program, sm, words):
    asked = "".join("%d 0 %016x %016x\n" % (sm, word >> 64, word & (1 << 64) - 1) for word in words)
    return subprocess.run([program], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("keys_file")
    parser.add_argument("program")
    parser.add_argument("--archs")
    parser.add_argument("--keys")
    parser.add_argument("--mnemonics")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--classes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows")
    options = parser.parse_args()
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None:
        print("skipped: nvdisasm not found")
        return 0
    seeds = collections.defaultdict(list)
    for fields in oracle.read_rows(options.keys_file):
        sm, key, mnemonic, kind, hi, lo = fields[:6]
        if kind == "legal" and (not options.archs or sm in options.archs.split(",")) and \
           (not options.keys or key in options.keys.split(",")) and \
           (not options.mnemonics or mnemonic.split(".")[0] in options.mnemonics.split(",")):
            seeds[int(sm)].append(int(hi, 16) << 64 | int(lo, 16))
    rng = random.Random(options.seed)
    total, equal, extra = collections.Counter(), collections.Counter(), collections.Counter()
    classes, kept = collections.defaultdict(list), {}
    for sm, words in sorted(seeds.items()):
        by_key = collections.defaultdict(list)
        for word in words:
            by_key[opcode_of(word)].append(word)
        for turn in range(4):
            drawn = [draw(rng, rng.choice(found)) for found in by_key.values() for _ in range(options.count // 2)]
            drawn = list(dict.fromkeys(drawn))
            texts = oracle.disassemble(nvdisasm, sm, [word.to_bytes(16, "little") for word in drawn])
            for word, text, got in zip(drawn, texts, ours(options.program, sm, drawn)):
                known = not got.startswith("UNKNOWN")
                if oracle.legal(text):
                    name = (sm, mnemonic_of(text).split(".")[0])
                    total[name] += 1
                    found = by_key[opcode_of(word)]
                    key = (sm, opcode_of(word), shape(text))
                    if key not in kept:
                        kept[key] = (word, text)
                        if len(found) < 400:
                            found.append(word)
                    if got == text:
                        equal[name] += 1
                    else:
                        kind = opcode_of(word), shape(text), shape(got) if known else "unknown"
                        classes[kind].append((sm, word, text, got))
                elif known and not word >> 122 & 7 and word >> 109 & 1:  # (the scheduler has rules of its own)
                    extra[sm, mnemonic_of(got).split(".")[0]] += 1
                    kind = opcode_of(word), "refused", mnemonic_of(got).split(".")[0]
                    classes[kind].append((sm, word, "refused", got))
    print("arch mnemonic    words   equal  accepted though refused")
    for name in sorted(set(total) | set(extra)):
        print("%4d %-10s %7d %7d %7d" % (name + (total[name], equal[name], extra[name])))
    ranked = sorted(classes.items(), key=lambda item: -len(item[1]))
    for (key, _, _), found in ranked[:options.classes]:
        sm, word, text, got = found[0]
        print("%6d  %4x sm_%s %016x %016x\n    oracle %s\n    ours   %s" %
              (len(found), key, ",".join(str(a) for a in sorted({one[0] for one in found})), word >> 64,
               word & (1 << 64) - 1, text, got))
    if options.rows:
        with open(options.rows, "w", encoding="utf-8") as out:
            out.write("# nvdisasm %s, -ndf -raw: words drawn around probed ones; each modifier and operand form of\n"
                      "# an opcode once\n"
                      "# sm\toffset\thi\tlo\ttext\n" % oracle.release(nvdisasm))
            for sm, word, text in chosen(kept):
                out.write("%d\t0\t%016x\t%016x\t%s\n" % (sm, word >> 64, word & (1 << 64) - 1, text))
    return 1 if sum(total.values()) != sum(equal.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
