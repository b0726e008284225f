"""Which opcodes of each architecture the vendor's disassembler prints at all, with words that show them.

usage: probe_keys.py [--archs 75,80,…] [--bodies GOLDEN.tsv…] [--rounds N] [--ours ISA_DUMP] --out KEYS.tsv

A key is the 13 opcode bits {91, 11:0}. Each of the 8192 keys is tried with many bodies: registers, predicates and
the rest all zero or all one in turn, bodies of known words (of golden files, and of keys found before on any
architecture), and drawn bits. What nvdisasm prints is kept, one word for each shape of text, a few a key. A word
that holds a value without a spelling shows that the key exists, but not how its words look: such keys have the text
of that word when no better one is found.

Rows: arch, key, mnemonic, kind, hi, lo, text, and with --ours what ISA_DUMP says: equal, differs, unknown. Kind is
legal or invalid.
"""
import argparse
import random
import subprocess
import sys

import oracle
from random_words import opcode_of, shape

ARCHS = (75, 80, 86, 89, 90, 100, 103, 107, 110, 120, 121)
CONTROL = 0x7F2 << 105
BODY = ((1 << 105) - 1) & ~0xFFF & ~(1 << 91)
CHUNK = 1 << 16
PER_KEY = 12
# Where operands lie in most instructions: registers, predicates; each is filled with zeros or ones on its own.
SLOTS = ((16, 8), (24, 8), (32, 8), (64, 8), (68, 4), (77, 4), (81, 3), (84, 3), (87, 4))


def word_of(key, body):
    return key & 0xFFF | (key >> 12) << 91 | (body & BODY & ~(0xF << 12)) | 7 << 12 | CONTROL


def slot_bodies(rng, count):
    """Bodies of operand slots all zeros or ones, the rest zero: the plainest words."""
    bodies = [0, BODY]
    for _ in range(count):
        body = 0
        for low, width in SLOTS:
            if rng.random() < 0.5:
                body |= ((1 << width) - 1) << low
        bodies.append(body)
    return bodies


def drawn_bodies(rng, count):
    """Sparse and dense bodies, and slots with a few more bits."""
    bodies = []
    for i in range(count):
        body = rng.getrandbits(105)
        for _ in range(i % 4):
            body &= rng.getrandbits(105)
        bodies.append(body)
    return bodies


def invalid(text):
    return text is not None and not oracle.legal(text)


def mnemonic_of(text):
    if text.startswith("@"):
        text = text.split(" ", 1)[1]
    return text.split(" ", 1)[0].rstrip(";")


class Keys:
    """What was found on one architecture: {key: {shape: (word, text)}} and {key: (word, text)} of invalid words."""

    def __init__(self, nvdisasm, sm):
        self.nvdisasm, self.sm = nvdisasm, sm
        self.legal, self.invalid = {}, {}

    def try_words(self, words):
        words = [word for word in dict.fromkeys(words) if len(self.legal.get(opcode_of(word), ())) < PER_KEY]
        for at in range(0, len(words), CHUNK):
            some = words[at:at + CHUNK]
            texts = oracle.disassemble(self.nvdisasm, self.sm, [word.to_bytes(16, "little") for word in some])
            for word, text in zip(some, texts):
                if oracle.legal(text):
                    self.legal.setdefault(opcode_of(word), {}).setdefault(shape(text), (word, text))
                elif invalid(text):
                    self.invalid.setdefault(opcode_of(word), (word, text))

    def rows(self):
        for key in sorted(set(self.legal) | set(self.invalid)):
            found = list(self.legal.get(key, {}).values())[:PER_KEY]
            for word, text in found:
                yield self.sm, key, "legal", word, text
            if not found:
                yield (self.sm, key, "invalid") + self.invalid[key]


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def find_keys(nvdisasm, archs, known, rounds, rng):
    """Two passes: each architecture by itself, then each with the words that all the others showed."""
    found = {sm: Keys(nvdisasm, sm) for sm in archs}
    for sm in archs:
        keys = found[sm]
        for number in range(rounds):
            bodies = slot_bodies(rng, 8) + drawn_bodies(rng, 12) + rng.sample(known, min(12, len(known)))
            keys.try_words([word_of(key, body) for key in range(1 << 13) for body in bodies])
            say("sm_%d round %d: %d keys legal, %d more invalid" %
                (sm, number + 1, len(keys.legal), len(set(keys.invalid) - set(keys.legal))))
    for _ in range(2):
        shown = sorted({word for keys in found.values() for words in keys.legal.values() for word, _ in words.values()})
        for sm in archs:
            keys = found[sm]
            # A word shown elsewhere, and its neighbours one bit away where the key has little yet.
            near = list(shown)
            for key in set(keys.invalid) - set(keys.legal):
                word = keys.invalid[key][0]
                near += [word ^ 1 << bit for bit in range(16, 105) if bit != 91]
            keys.try_words(near)
            say("sm_%d with the others' words: %d keys legal, %d more invalid" %
                (sm, len(keys.legal), len(set(keys.invalid) - set(keys.legal))))
    return found


def ask_ours(program, rows):
    asked = "".join("%d 0 %016x %016x\n" % (sm, word >> 64, word & (1 << 64) - 1) for sm, _, _, word, _ in rows)
    return subprocess.run([program], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--archs", default=",".join(str(sm) for sm in ARCHS))
    parser.add_argument("--bodies", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ours")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None:
        print("skipped: nvdisasm not found")
        return 0
    known = sorted({int(fields[2], 16) << 64 | int(fields[3], 16)
                    for path in options.bodies for fields in oracle.read_rows(path)})
    archs = [int(sm) for sm in options.archs.split(",")]
    found = find_keys(nvdisasm, archs, known, options.rounds, random.Random(options.seed))
    rows = [row for sm in archs for row in found[sm].rows()]
    got = ask_ours(options.ours, rows) if options.ours else None
    with open(options.out, "w", encoding="utf-8") as out:
        out.write("# nvdisasm %s\n# arch\tkey\tmnemonic\tkind\thi\tlo\ttext%s\n" %
                  (oracle.release(nvdisasm), "\tours" if got else ""))
        for i, (sm, key, kind, word, text) in enumerate(rows):
            fields = ["%d" % sm, "%x" % key, mnemonic_of(text), kind, "%016x" % (word >> 64),
                      "%016x" % (word & (1 << 64) - 1), text]
            if got:
                fields.append("unknown" if got[i].startswith("UNKNOWN") else "equal" if got[i] == text else "differs")
            out.write("\t".join(fields) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
