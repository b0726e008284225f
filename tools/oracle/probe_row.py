"""Drafts spec rows for opcodes, by changing bits of words and reading what the vendor's disassembler prints.

usage: probe_row.py KEYS.tsv [--archs 90,…] [--keys 23c,…] [--mnemonics HMMA,…] [--bits] [--spec SLOTS.spec]

KEYS.tsv is probe_keys.py's: words that show each opcode. For each opcode and each form of its operands one word is
climbed to that shows as much as possible (every operand there, no number zero or all ones); then each of its bits
is flipped. A bit that changes one number by a power of two belongs to that number's field; bits that change words
of the text, or make it no instruction, are grouped by pairs that interact, and all values of each group are
printed. What comes out is a row of src/isa/spec for a person to finish, with the architectures on which the same
row came out; `?` marks what was not understood; --bits prints what each bit does.
"""
import argparse
import collections
import itertools
import random
import re
import sys

import oracle
from random_words import opcode_of

BITS = [bit for bit in range(16, 105) if bit != 91]
REUSE = [122, 123, 124]
REGISTER = {"R": 255, "UR": None, "P": 7, "UP": 7}
_NUMBER = re.compile(r"(?<![\w.])(UR|UP|R|P|SB|B)(\d+|Z|T)(?![\w])|(-?0x[0-9a-f]+)(?![\w])|"
                     r"(?<![\w.])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-](?:INF|QNAN|SNAN))(?![\w.])")
_TOKEN = re.compile(r"\.\w+|\w+#?|#|[^\s\w]")


class Text:
    """A printed instruction in parts: mnemonic, modifiers, operands (skeleton, numbers)."""

    def __init__(self, text, urz):
        self.text = text
        if text.startswith("@"):
            text = text.split(" ", 1)[1]
        head, _, rest = text.partition(" ")
        self.mnemonic, *self.mods = head.split(".")
        self.operands, self.numbers = [], []
        for operand in self.cut(rest):
            found = []

            def number(match, found=found):
                kind, value, integer, real = match.groups()
                if kind:
                    found.append((kind, urz if value == "Z" and kind == "UR" else 255 if value == "Z" else
                                  7 if value == "T" else int(value)))
                    return kind + "#"
                found.append(("#", int(integer, 16)) if integer else ("f", real))
                return "#"

            self.operands.append(_NUMBER.sub(number, operand))
            self.numbers.append(found)
        self.tokens = collections.Counter(("mod", word) for word in self.mods)
        for i, operand in enumerate(self.operands):
            self.tokens.update((i, word) for word in _TOKEN.findall(operand))

    @staticmethod
    def cut(rest):
        parts, depth, start = [], 0, 0
        for i, c in enumerate(rest):
            depth += (c in "[({") - (c in "])}")
            if c == "," and depth == 0:
                parts.append(rest[start:i].strip())
                start = i + 1
        last = rest[start:].strip()
        return parts + [last] if last else parts

    def form(self):
        """Kinds of the operands, without what can be added to them."""
        return self.mnemonic, tuple(re.sub(r"\.\w+|[-~!|+]", "", operand) for operand in self.operands)

    def score(self, urz):
        """How much a word shows: operands first, then numbers that are not special."""
        numbers = [n for found in self.numbers for n in found]
        special = {0, 255, 7, urz}
        good = sum(1 for kind, value in numbers if value not in special)
        aligned = sum(1 for kind, value in numbers if kind in ("R", "UR") and value % 8 == 0 and value)
        return 20 * len(self.operands) + 4 * len(numbers) + 2 * good + aligned - len(self.mods)


class Prober:
    """Asks nvdisasm for many drafts at once: a run of it is dear, a word in it is cheap. What works on a draft is a
    generator that yields the words it wants to know and is sent their texts."""

    def __init__(self, nvdisasm, sm):
        self.nvdisasm, self.sm, self.known = nvdisasm, sm, {}
        self.urz = 63 if sm <= 90 else 255

    def ask(self, words):
        new = [word for word in dict.fromkeys(words) if word not in self.known]
        texts = oracle.disassemble(self.nvdisasm, self.sm, [word.to_bytes(16, "little") for word in new])
        for word, text in zip(new, texts):
            self.known[word] = Text(text, self.urz) if oracle.legal(text) else None
        return [self.known[word] for word in words]

    def work(self, jobs):
        """Runs generators side by side; what each returned."""
        results = [None] * len(jobs)
        waiting = {}
        for n, job in enumerate(jobs):
            waiting[n] = next(job)
        while waiting:
            self.ask([word for words in waiting.values() for word in words])
            for n, words in list(waiting.items()):
                try:
                    waiting[n] = jobs[n].send([self.known[word] for word in words])
                except StopIteration as end:
                    results[n] = end.value
                    del waiting[n]
        return results

    def climb(self, word, rng):
        """The word of this opcode and form that shows most."""
        text, = yield [word]
        form_length = len(text.operands)
        best, best_score = word, text.score(self.urz)
        for turn in range(6):
            tries = []
            for _ in range(160):
                tried = best
                for _ in range(rng.choice((1, 1, 2, 3, 6))):
                    if rng.random() < 0.5:
                        low = rng.choice((16, 24, 32, 40, 64, 48, 56))
                        tried = tried & ~(0xFF << low) | rng.choice((8, 16, 24, 40, 48, 72, 104)) << low
                    else:
                        tried ^= 1 << rng.choice(BITS)
                if opcode_of(tried) == opcode_of(word):
                    tries.append(tried)
            texts = yield tries
            for tried, text in zip(tries, texts):
                if text and len(text.operands) >= form_length and text.score(self.urz) > best_score:
                    best, best_score = tried, text.score(self.urz)
        return best


def difference(before, after):
    gone, come = before.tokens - after.tokens, after.tokens - before.tokens
    return gone, come


class Draft:
    """What the bits of one word do."""

    def __init__(self, prober, word):
        self.prober, self.word = prober, word
        self.fields = collections.defaultdict(dict)  # (operand, number) -> {bit: delta}
        self.loose, self.dead = [], []

    def study(self):
        """The draft: (conditions, modifiers, operands, remarks)."""
        self.base, = yield [self.word]
        self.flips = dict(zip(BITS + REUSE, (yield [self.word ^ 1 << bit for bit in BITS + REUSE])))
        for bit in BITS + REUSE:
            self.sort_bit(bit)
        self.complete_fields()
        self.groups = yield from self.group_bits()
        return (yield from self.row())

    def sort_bit(self, bit):
        text = self.flips[bit]
        if text is None:
            self.loose.append(bit)
            return
        if text.text == self.base.text:
            self.dead.append(bit)
            return
        if text.tokens == self.base.tokens and len(text.operands) == len(self.base.operands):
            changed = [(i, k) for i, found in enumerate(self.base.numbers) for k in range(len(found))
                       if found[k] != text.numbers[i][k]]
            if len(changed) == 1:
                (i, k), = changed
                old, new = self.base.numbers[i][k], text.numbers[i][k]
                delta = new[1] - old[1] if old[0] == new[0] and old[0] != "f" else 0
                if self.word >> bit & 1:
                    delta = -delta
                self.fields[i, k][bit] = delta
                return
        self.loose.append(bit)

    def complete_fields(self):
        """Bits of a field that could not be flipped alone (a register has to be even) are below the ones that could."""
        for (i, k), bits in self.fields.items():
            if self.base.numbers[i][k][0] not in ("R", "UR"):
                continue
            low = min(bits)
            delta = abs(bits[low])
            while delta > 1 and low - 1 in self.loose and self.flips[low - 1] is None:
                low, delta = low - 1, delta // 2
                bits[low] = delta
                self.loose.remove(low)

    @staticmethod
    def tokens(texts):
        return [text.tokens if text else None for text in texts]

    def group_bits(self):
        loose = [bit for bit in self.loose if bit < 105]
        alone = dict(zip(loose, self.tokens((yield [self.word ^ 1 << bit for bit in loose]))))
        pairs = list(itertools.combinations(loose, 2))
        both = self.tokens((yield [self.word ^ 1 << a ^ 1 << b for a, b in pairs]))
        parent = {bit: bit for bit in loose}

        def root(bit):
            while parent[bit] != bit:
                bit = parent[bit]
            return bit

        for (a, b), found in zip(pairs, both):
            if alone[a] is None and alone[b] is None:
                linked = found is not None
            elif alone[a] is None or alone[b] is None:
                linked = found is not None
            else:
                expected = alone[a] + alone[b]
                linked = found is None or found + self.base.tokens != expected
            if linked:
                parent[root(a)] = root(b)
        groups = collections.defaultdict(list)
        for bit in loose:
            groups[root(bit)].append(bit)
        return sorted(groups.values())

    def values(self, bits):
        """[(value, words gone, words come) or None] of a group, bits rising."""
        clear = self.word
        for bit in bits:
            clear &= ~(1 << bit)
        words = [clear | sum(1 << bit for n, bit in enumerate(bits) if value >> n & 1)
                 for value in range(1 << len(bits))]
        return (yield words)

    # --- printing ------------------------------------------------------------------------------------------------

    def field_text(self, key):
        bits = self.fields.get(key)
        i, k = key
        kind, value = self.base.numbers[i][k]
        if not bits:
            return "?"
        if kind == "f":
            return pieces(sorted(bits))
        unit = min((abs(delta) for delta in bits.values() if delta), default=1)
        order = sorted(bits, key=lambda bit: abs(bits[bit]))
        text = pieces_in_order(order)
        low_negative = bits[order[0]] < 0
        top_negative = bits[order[-1]] < 0
        if top_negative and not low_negative:
            text += "s"
        elif low_negative:
            text += "^"
        shift = unit.bit_length() - 1
        if kind == "#" and shift:
            text += "<<%d" % shift
        return text

    def row(self):
        operands = [[] for _ in self.base.operands]
        suffixes = collections.defaultdict(list)
        mods, conditions, remarks = [], [], []
        for bits in self.groups:
            if len(bits) > 8:
                remarks.append("bits %s interact" % pieces(bits))
                bits = bits[:8]
            texts = yield from self.values(bits)
            legal = [(v, text) for v, text in enumerate(texts) if text]
            now = sum(1 << n for n, bit in enumerate(bits) if self.word >> bit & 1)
            if len(legal) == 1:
                conditions.append("%s=%d" % (pieces(bits), now))
                continue
            # The words that change within the group, and where.
            common = legal[0][1].tokens
            for _, text in legal[1:]:
                common = common & text.tokens
            where = sorted({place for _, text in legal for place, _ in text.tokens - common}, key=str)
            names = []
            for text in texts:
                if text is None:
                    names.append("!")
                    continue
                own = text.tokens - common
                shown = [word for word in text.mods]
                keep = []
                for word in shown:
                    if own[("mod", word)] > 0:
                        own[("mod", word)] -= 1
                        keep.append(word)
                rest = sorted("%s:%s" % (place, word) for (place, word), n in own.items() if place != "mod"
                              for _ in range(n))
                names.append(".".join(keep) + ("{%s}" % " ".join(rest) if rest else "") or "-")
            while names and names[-1] == "!":
                names.pop()
            table = "%s@%s" % (names[1], pieces(bits)) if len(names) == 2 and names[0] == "-" else \
                "(%s)@%s" % ("|".join(names), pieces(bits))
            if where == ["mod"]:
                mods.append((self.position(bits, legal), table, common))
            else:
                suffixes[where[0] if where else "x"].append((where, table))
        reuse = [(bit, self.flips[bit]) for bit in REUSE if self.flips[bit] and self.flips[bit].text != self.base.text]
        for bit, text in reuse:
            for i, operand in enumerate(text.operands):
                if i < len(operands) and operand != self.base.operands[i]:
                    operands[i].append("reuse=%d" % bit)
        # Modifiers that no bit changes stand where the text has them.
        moving = collections.Counter()
        for bits in self.groups:
            if len(bits) <= 8:
                texts = yield from self.values(bits)
                legal = [text for text in texts if text]
                common = legal[0].tokens
                for text in legal[1:]:
                    common = common & text.tokens
                moving |= self.base.tokens - common
        for n, word in enumerate(self.base.mods):
            if moving[("mod", word)] > 0:
                moving[("mod", word)] -= 1
            else:
                mods.append((n - 0.25, word, None))
        mods.sort(key=lambda entry: entry[0])
        cells = []
        for i, skeleton in enumerate(self.base.operands):
            cells.append((yield from self.operand_text(i, skeleton, operands[i], suffixes.get(i, []))))
        left = ["%s %s" % (place, table) for place, found in suffixes.items() for where, table in found
                if not isinstance(place, int)]
        remarks += left
        return " ".join(conditions), " ".join(table for _, table, _ in mods), ", ".join(cells), remarks

    def position(self, bits, legal):
        """Where in the modifier list a group's words stand."""
        base = self.base.mods
        best = 99
        for _, text in legal:
            if text.mods != base:
                n = next((n for n, (a, b) in enumerate(zip(base, text.mods)) if a != b), min(len(base), len(text.mods)))
                # Inserted ones stand before what follows, replaced ones in their place.
                best = min(best, n - 0.5 if len(text.mods) > len(base) else n)
        return best

    def operand_text(self, i, skeleton, extra, suffixes):
        numbers = self.base.numbers[i]
        fields = [self.field_text((i, k)) for k in range(len(numbers))]
        hide = yield from self.hidden(i)
        tail = "".join(" " + word for word in extra) + "".join(" {%s}" % table for _, table in suffixes) + hide
        plain = re.fullmatch(r"[-~!|]*(R|UR|P|UP|B|SB)#\|?((?:\.\w+)*)", skeleton)
        if plain:
            kind = {"UR": "U"}.get(plain.group(1), plain.group(1))
            return "%s(%s%s)%s" % (kind, fields[0], tail, plain.group(2))
        if skeleton == "#":
            return "%s(%s%s)" % ("F" if numbers[0][0] == "f" else "I", fields[0], tail)
        named = skeleton
        for field in fields:
            named = named.replace("#", "<%s>" % field, 1)
        return "{%s%s}" % (named, tail)

    def hidden(self, i):
        """Whether a predicate or a register is left out when all its bits are one."""
        if len(self.base.numbers[i]) != 1 or not self.fields.get((i, 0)):
            return ""
        bits = self.fields[i, 0]
        toggles = [bit for bit in self.loose if bit < 105]
        for value in (1, 0):
            word = self.word
            for bit in bits:
                word = word & ~(1 << bit) | value << bit
            # With `!` set it is shown even so: every bit that could be it is tried.
            for text in (yield [word] + [word ^ 1 << bit for bit in toggles]):
                if text and len(text.operands) == len(self.base.operands) - 1:
                    return " hide=%d" % ((1 << len(bits)) - 1 if value else 0)
        return ""

    def bit_lines(self):
        for bit in BITS + REUSE:
            text = self.flips[bit]
            if bit not in self.dead:
                print("    # %3d%s %s" % (bit, " set" if self.word >> bit & 1 else "    ",
                                        text.text if text else "refused"))


def pieces(bits):
    """[16, 17, 18, 22] -> 22+18:16"""
    runs = []
    for bit in sorted(bits):
        if runs and bit == runs[-1][1] + 1:
            runs[-1][1] = bit
        else:
            runs.append([bit, bit])
    return "+".join("%d" % low if low == high else "%d:%d" % (high, low) for low, high in reversed(runs))


def pieces_in_order(order):
    """Bits from the least significant on, into pieces from the most significant."""
    runs = []
    for bit in order:
        if runs and bit == runs[-1][1] + 1:
            runs[-1][1] = bit
        else:
            runs.append([bit, bit])
    return "+".join("%d" % low if low == high else "%d:%d" % (high, low) for low, high in reversed(runs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("keys_file")
    parser.add_argument("--archs")
    parser.add_argument("--keys")
    parser.add_argument("--mnemonics")
    parser.add_argument("--forms", type=int, default=4)
    parser.add_argument("--bits", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None:
        print("skipped: nvdisasm not found")
        return 0
    wanted = collections.defaultdict(list)
    for fields in oracle.read_rows(options.keys_file):
        sm, key, mnemonic, kind, hi, lo, text = fields[:7]
        if kind != "legal" or options.archs and sm not in options.archs.split(",") or \
           options.keys and key not in options.keys.split(",") or \
           options.mnemonics and mnemonic.split(".")[0] not in options.mnemonics.split(","):
            continue
        wanted[int(key, 16), int(sm)].append(int(hi, 16) << 64 | int(lo, 16))
    by_arch = collections.defaultdict(list)
    for (key, sm), words in sorted(wanted.items()):
        by_arch[sm].append((key, [word & ~(0xF << 12) | 7 << 12 | 1 << 109 for word in words]))
    for sm, keys in sorted(by_arch.items()):
        prober = Prober(nvdisasm, sm)
        jobs = []
        for key, words in keys:
            forms = {}
            for word, text in zip(words, prober.ask(words)):
                if text:
                    forms.setdefault(text.form(), word)
            longest = sorted(forms.items(), key=lambda item: -len(item[0][1]))[:options.forms]
            jobs += [prober.climb(word, random.Random(options.seed)) for _, word in longest]
        best = {}
        for word in prober.work(jobs):
            best.setdefault((opcode_of(word), prober.ask([word])[0].form()), word)
        drafts = [Draft(prober, word) for word in best.values()]
        found = prober.work([draft.study() for draft in drafts])
        for draft, (conditions, mods, operands, remarks) in zip(drafts, found):
            word = draft.word
            print("%s %x %d %s : %s : %s" % (draft.base.mnemonic, opcode_of(word), sm, conditions, mods, operands))
            print("    # %016x%016x %s" % (word >> 64, word & (1 << 64) - 1, draft.base.text))
            for remark in remarks:
                print("    # %s" % remark)
            if options.bits:
                draft.bit_lines()
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
