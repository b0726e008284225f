"""Words nobody compiled: every modifier value around the opcodes a corpus met, and random legal words.

usage: random_words.py CORPUS.tsv… --enumerate OUT.tsv --random OUT.tsv [--count 1000] [--seed 1]

The corpora are dump_words.py's. For each architecture and opcode (bits 11:0 and 91) some seed words are taken, as
unlike as the corpus has them. Enumeration: every single bit that is no scheduling bit flipped, and all sixteen values
of every window of four neighbouring bits outside the big operand fields; a field wider than four bits is met by its
windows and by the random words. Random: half have every bit but the opcode's and the scheduling bits drawn, half are a
seed with one to eight bits drawn; the reuse bits are drawn in both. A word is legal if nvdisasm prints an instruction.
Rows: arch, origin (enumerate or random), offset, lo, hi, text.
"""
import argparse
import random
import re
import sys

import oracle

OPCODE = 0xFFF | 1 << 91
SCHEDULE = ((1 << 21) - 1) << 105
REUSE = 7 << 122
FREE = ((1 << 128) - 1) & ~OPCODE & ~SCHEDULE & ~(7 << 126)
PLAIN_CONTROL = 0x7E2 << 105 & SCHEDULE
BODY_BITS = [bit for bit in range(16, 105) if bit != 91]


def opcode_of(word):
    return word & 0xFFF | (word >> 91 & 1) << 12


def shape(text):
    """Text without numbers: what distinguishes two forms of one opcode."""
    text = re.sub(r"0x[0-9a-f]+|\b\d+(\.\d+)?(e[+-]?\d+)?\b", "#", text)
    text = re.sub(r"\b(UR|UP|R|P|B|SB)\d+", r"\1#", text)
    return re.sub(r"^@!?U?P[#T] ", "@ ", text)


def read_seeds(paths):
    """{sm: {opcode: [(word, text)]}}, one word a shape, in the corpus's order."""
    seeds = {}
    seen = set()
    for path in paths:
        for sm, _, _, lo, hi, text in oracle.read_rows(path):
            word = int(lo, 16) | int(hi, 16) << 64
            key = (sm, opcode_of(word), shape(text))
            if key not in seen:
                seen.add(key)
                seeds.setdefault(int(sm), {}).setdefault(opcode_of(word), []).append((word, text))
    return seeds


def variations(word):
    """The seed, its single flips, and the values of every four-bit window."""
    found = {word}
    for bit in range(128):
        if FREE >> bit & 1 or 122 <= bit <= 124:
            found.add(word ^ 1 << bit)
    for low in list(range(12, 13)) + list(range(58, 62)) + list(range(68, 102)):
        for value in range(16):
            changed = (word & ~(0xF << low)) | value << low
            found.add((changed & FREE) | (word & ~FREE))
    return found


def draw(rng, word, whole):
    if whole:
        bits = rng.getrandbits(128) & FREE
        # A guard on every word would hide little and cost readers much: three in four are always executed.
        if rng.random() < 0.75:
            bits = bits & ~(0xF << 12) | 7 << 12
        drawn = word & OPCODE | bits | PLAIN_CONTROL
    else:
        drawn = word & ~REUSE
        for _ in range(rng.randint(1, 8)):
            drawn ^= 1 << rng.choice([bit for bit in range(12, 105) if bit != 91])
    return drawn & ~REUSE | (rng.getrandbits(3) & rng.getrandbits(3)) << 122


def as_bytes(word):
    return word.to_bytes(16, "little")


def enumerate_words(nvdisasm, sm, opcodes, per_opcode, out):
    words = set()
    for found in opcodes.values():
        for word, _ in found[:per_opcode]:
            words |= variations(word)
    write(nvdisasm, sm, sorted(words), "enumerate", out, None)


def random_words(nvdisasm, sm, opcodes, count, rng, out):
    """Draws in rounds until `count` legal words are there, opcodes in turn."""
    turn = sorted(opcodes)
    legal = 0
    for _ in range(40):
        words = []
        for opcode in turn:
            for whole in (True, False):
                for _ in range(4):
                    words.append(draw(rng, rng.choice(opcodes[opcode])[0], whole))
        rng.shuffle(words)
        legal += write(nvdisasm, sm, words, "random", out, count - legal)
        if legal >= count:
            return


def write(nvdisasm, sm, words, origin, out, limit):
    texts = oracle.disassemble(nvdisasm, sm, [as_bytes(word) for word in words])
    written = 0
    for i, (word, text) in enumerate(zip(words, texts)):
        if oracle.legal(text) and written != limit:
            lo, hi = oracle.word_hex(as_bytes(word))
            out.write("%d\t%s\t%x\t%s\t%s\t%s\n" % (sm, origin, 16 * i, lo, hi, text))
            written += 1
    return written


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", nargs="+")
    parser.add_argument("--enumerate", required=True)
    parser.add_argument("--random", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--per-opcode", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None:
        print("skipped: nvdisasm not found")
        return 0
    seeds = read_seeds(options.corpus)
    with open(options.enumerate, "w", encoding="utf-8") as all_values, open(options.random, "w", encoding="utf-8") as drawn:
        for out in (all_values, drawn):
            out.write("# nvdisasm %s\n# arch\torigin\toffset\tlo\thi\ttext\n" % oracle.release(nvdisasm))
        for sm in sorted(seeds):
            enumerate_words(nvdisasm, sm, seeds[sm], options.per_opcode, all_values)
            random_words(nvdisasm, sm, seeds[sm], options.count, random.Random(options.seed * 1000 + sm), drawn)
            print("sm_%d: %d opcodes" % (sm, len(seeds[sm])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
