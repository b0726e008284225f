"""Which architectures print an opcode's words as another one does: where a new architecture finds its rows.

usage: probe_alike.py KEYS.tsv... --arch N --like A,B,... [--count 300] [--seed 1]

KEYS are probe_keys.py's rows or golden files; their words, of every architecture, are seeds, of which some bits are
drawn. For each of the 13-bit opcode keys that N or an architecture of --like prints: the first of --like that prints
and refuses every word as N does, else the one with the fewest differences and one of them. Lines: key, mnemonic,
`same A` or `near A differences/words hi lo TEXT-OF-N | TEXT-OF-A`.
"""
import argparse
import collections
import random
import sys

import oracle
from probe_check import draw
from probe_keys import mnemonic_of
from random_words import opcode_of


def read_seeds(paths):
    """{key: [word]}, each word once."""
    seeds = collections.defaultdict(dict)
    for path in paths:
        for fields in oracle.read_rows(path):
            hi, lo = (fields[4], fields[5]) if len(fields) > 5 else (fields[2], fields[3])
            word = int(hi, 16) << 64 | int(lo, 16)
            seeds[opcode_of(word)][word] = True
    return {key: list(words) for key, words in seeds.items()}


def text_of(text):
    """What nvdisasm prints, or None: two words without meaning are alike. NaNs carry a blank at random."""
    return text.replace("NAN ,", "NAN,") if oracle.legal(text) else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("keys", nargs="+")
    parser.add_argument("--arch", type=int, required=True)
    parser.add_argument("--like", required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None:
        print("skipped: nvdisasm not found")
        return 0
    rng = random.Random(options.seed)
    words = []
    for _, found in sorted(read_seeds(options.keys).items()):
        words += found + [draw(rng, rng.choice(found)) for _ in range(options.count)]
    words = list(dict.fromkeys(words))
    packed = [word.to_bytes(16, "little") for word in words]
    likes = [int(sm) for sm in options.like.split(",")]
    texts = {sm: [text_of(t) for t in oracle.disassemble(nvdisasm, sm, packed)] for sm in [options.arch] + likes}
    of_key = collections.defaultdict(list)
    for i, word in enumerate(words):
        of_key[opcode_of(word)].append(i)
    tally = collections.Counter()
    for key, places in sorted(of_key.items()):
        want = texts[options.arch]
        if not any(texts[sm][i] for sm in texts for i in places):
            continue
        differ = {sm: [i for i in places if texts[sm][i] != want[i]] for sm in likes}
        best = min(likes, key=lambda sm: (len(differ[sm]), likes.index(sm)))
        names = sorted({mnemonic_of(want[i]).split(".")[0] for i in places if want[i]}) or ["(none)"]
        if not differ[best]:
            tally["same %d" % best] += 1
            print("%x\t%s\tsame %d\t%d" % (key, ",".join(names), best, len(places)))
        else:
            i = differ[best][0]
            tally["near %d" % best] += 1
            print("%x\t%s\tnear %d\t%d/%d\t%016x %016x\t%s | %s" %
                  (key, ",".join(names), best, len(differ[best]), len(places), words[i] >> 64,
                   words[i] & (1 << 64) - 1, want[i], texts[best][i]))
    print("# " + ", ".join("%s: %d keys" % item for item in sorted(tally.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
