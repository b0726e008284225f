#!/usr/bin/env python3
"""Checks what a person wrote about kernels (test/golden/facts/*.facts) on the structured fields of `explain --format json`.

usage: facts.py [--command build/sassprobe] [--verbose] [FILE.facts ...]

The format stands in test/golden/facts/README.md. Every line is tried on every architecture in its scope, with --source
(parameters have their names) and without (the same line, with p0, p1 ... for the names). Of a cubin that has its PTX inside,
both once more on a copy without it: a fact that follows from PTX (letter P) must be there with it and absent without; one that
follows from the source (letter C) must be there with --source and absent without. Last line: "N passed, N failed".
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Sentences for people. A fact is never tested on them.
PROSE = {"summary", "message", "demangled"}
# Fields whose values are words of the vocabulary or of the machine: a parameter called like one of them is no matter there.
NOT_EXPRESSIONS = {"role", "class", "where", "type", "kind", "id", "stage", "reason", "space", "coalescing", "confidence",
                   "access", "register", "part", "thread", "text", "via", "name_from", "guard", "rule", "parent", "patterns",
                   "op", "shape", "sync", "self", "scope", "phases", "carried_kinds", "kinds", "code", "severity"}
# What `only pattern` is about: ids that say what a kernel, or a good part of it, is. The others (addresses, indices, loads,
# single selects and multiply-adds, barriers) stand in any kernel.
CLAIMS = {
    "grid-stride-loop", "device-call", "async-copy", "bulk-copy", "double-buffer", "transpose-through-shared", "spill",
    "local-array", "atomic-accumulate", "relu", "clamp", "exp-base2", "exp-full", "reciprocal-division", "ieee-division",
    "sqrt", "trig-reduction", "int-division-by-constant", "int-division-runtime", "tree-reduction", "warp-shuffle-reduction",
    "warp-redux", "block-reduction", "grid-reduction", "scan", "warp-vote", "elementwise", "softmax", "online-softmax",
    "layernorm", "rmsnorm", "welford", "gelu", "silu", "dot-product", "gemm-naive", "gemm-tiled", "tensor-core-mma",
    "attention-online", "histogram", "stencil", "transpose", "argmax", "copy", "library-function",
}
CONDITION = r"([a-z_]+)(=~|!~|!=|~|=)"


class Mistake(Exception):
    """A line of a .facts file that cannot be read."""


def number_or_text(word):
    if word in ("null", "true", "false"):
        return json.loads(word)
    if re.fullmatch(r"-?(0x[0-9a-f]+|[0-9]+)", word):
        return int(word, 0)
    return word


class Condition:
    """FIELD=VALUE, FIELD!=VALUE, FIELD~VALUE (a list holds it, a text has it inside), FIELD!~VALUE, FIELD=~REGULAR-EXPRESSION.

    $FIELD inside a value stands for another field of the same record: step="$counter >> 1"."""

    def __init__(self, word):
        # The first operator splits: a value such as "compare-and-select = min/max" may hold one too.
        found = re.match(CONDITION + "(.*)$", word, re.S)
        if not found:
            raise Mistake(f"not a condition: {word!r}")
        self.field, self.operator, self.raw = found.groups()
        if self.field in PROSE:
            raise Mistake(f"{self.field} is prose: no fact rests on it")
        if self.operator == "=~":
            re.compile(re.sub(r"\$([a-z_]+)", "x", self.raw))

    def wanted(self, rename, record=None):
        text = self.raw if self.field in NOT_EXPRESSIONS else rename(self.raw)
        if record is None or "$" not in text:
            return text
        quote = re.escape if self.operator == "=~" else str
        return re.sub(r"\$([a-z_]+)", lambda m: quote(str(record.get(m.group(1)))), text)

    def holds(self, record, rename):
        actual, wanted = record[self.field], self.wanted(rename, record)
        if self.operator == "=~":
            return any(re.fullmatch(wanted, a if isinstance(a, str) else json.dumps(a)) is not None
                       for a in (actual if isinstance(actual, list) else [actual]))
        if self.operator in ("~", "!~"):
            if isinstance(actual, list):
                inside = number_or_text(wanted) in actual or wanted in actual
            else:
                inside = isinstance(actual, str) and wanted in actual
            return inside == (self.operator == "~")
        if isinstance(actual, list):
            equal = actual == ([number_or_text(w) for w in wanted.split(",")] if wanted else [])
        elif isinstance(actual, str):
            equal = actual == wanted
        else:
            value = number_or_text(wanted)
            equal = actual == value and isinstance(actual, bool) == isinstance(value, bool)
        return equal if self.operator == "=" else not equal

    def __str__(self):
        return f"{self.field}{self.operator}{self.raw!r}"


def records(kernel, kind):
    """The records of a kind, each a flat dictionary; 'key' fields come first in a line, see KINDS."""
    ids = {p["n"]: p["id"] for p in kernel["patterns"]}
    if kind == "kernel":
        return [{**kernel, "phases": ",".join(p["kind"] for p in kernel["phases"])}]
    if kind == "param":
        return kernel["params"]
    if kind == "name":
        return kernel["names"]
    if kind == "output":
        return kernel["outputs"]
    if kind == "differs":
        return [{"store": o["store"], **d} for o in kernel["outputs"] for d in o["differs"]]
    if kind == "instruction":
        return [{**i, "patterns": [ids[n] for n in i["patterns"]]} for i in kernel["instructions"]]
    if kind == "flow":
        return [{"register": r, **span} for r, spans in kernel["register_flow"].items() for span in spans]
    if kind == "value":
        return kernel["values"]
    if kind == "storage":
        return [{**of_value(v), **s} for v in kernel["values"] for s in v["storage"]]
    if kind == "use":
        return [{**of_value(v), **u} for v in kernel["values"] for u in v["uses"]]
    if kind == "pattern":
        return [{**p["bindings"], **{k: v for k, v in p.items() if k != "bindings"},
                 "parent": ids.get(p["parent"]) if p["parent"] is not None else None} for p in kernel["patterns"]]
    if kind == "rewrite":
        return [{**{k: v for k, v in r["args"].items() if not isinstance(v, dict)}, **r,
                 "source_line": (r["source"] or {}).get("line"), "source_text": (r["source"] or {}).get("text")}
                for r in kernel["rewrites"]]
    if kind == "said":
        return [{**s, "line": s["source"]["line"], "source": s["source"]["text"]} for s in kernel["source_says"]]
    if kind == "line":
        return kernel["lines"]
    if kind == "phase":
        return kernel["phases"]
    if kind == "loop":
        ids_of_loops = [l["id"] for l in kernel["loops"]]
        return [{**l, "n": n, "unrolls": [p["unroll"] for p in l["pieces"]], "kinds": [p["kind"] for p in l["pieces"]],
                 "carried": len(l["carried"]), "carried_kinds": sorted(c["kind"] for c in l["carried"]),
                 "inside": ids_of_loops.index(l["parent"]) if l["parent"] in ids_of_loops else None}
                for n, l in enumerate(kernel["loops"])]
    if kind == "piece":
        return [{"n": n, **p} for n, l in enumerate(kernel["loops"]) for p in l["pieces"]]
    if kind == "carried":
        return [{"n": n, "counter": l["counter"], **c} for n, l in enumerate(kernel["loops"]) for c in l["carried"]]
    if kind == "diagnostic":
        return kernel["diagnostics"]
    if kind == "occupancy":
        return kernel["occupancy"] or []
    if kind == "work":
        return [kernel["work"]] if kernel["work"] else []
    if kind == "turn":
        return kernel["work"]["loops"] if kernel["work"] else []
    if kind == "access":
        return kernel["accesses"]
    if kind == "padding":
        return [kernel["padding"]] if kernel["padding"] else []
    if kind == "unknown":
        return kernel["unknown"]
    raise Mistake(f"no such kind of record: {kind}")


def of_value(value):
    """What a place or a use of a value says besides its own fields."""
    return {"id": value["id"], "name": value["name"], "expr": value["expr"], "class": value["class"]}


# What the bare words after a kind stand for, in order.
KINDS = {
    "kernel": [], "param": ["name"], "name": ["name"], "output": ["store"], "differs": ["store"],
    "instruction": ["offset"], "flow": ["register", "from", "to"], "value": ["name"], "storage": ["name"], "use": ["name"],
    "pattern": ["id"], "rewrite": ["kind"], "phase": ["kind"], "loop": ["n"], "said": ["kind"], "line": ["line"],
    "piece": ["n"], "carried": ["n"], "diagnostic": ["code"], "occupancy": ["block"], "work": [], "turn": ["loop"], "access": ["offset"], "padding": [],
    "unknown": ["offset"],
}


class Fact:
    def __init__(self, path, line_number, text, kernel, scope, names):
        self.path, self.line, self.text, self.kernel, self.scope, self.names = path, line_number, text, kernel, scope, names
        words = shlex.split(text, comments=True)
        self.letter = words.pop(0)
        if self.letter not in ("S", "P", "C"):
            raise Mistake(f"a fact begins with S, P or C, not {self.letter!r}")
        self.low, self.high, self.allowed = 1, None, None
        if words and words[0] == "only":
            if len(words) < 2 or words[1] != "pattern":
                raise Mistake("only pattern ID ...")
            self.kind, self.conditions, self.allowed = "pattern", [], set(words[2:])
            if self.allowed - CLAIMS:
                raise Mistake(f"only pattern says nothing of {' '.join(sorted(self.allowed - CLAIMS))}")
            return
        if words and words[0] == "absent":
            words.pop(0)
            self.low, self.high = 0, 0
        elif words and words[0] == "count":
            words.pop(0)
            self.low = self.high = int(words.pop(0), 0)
        if not words or words[0] not in KINDS:
            raise Mistake(f"what kind of record? one of {' '.join(KINDS)}")
        self.kind = words.pop(0)
        self.conditions = []
        keys = list(KINDS[self.kind])
        for word in words:
            if re.match(CONDITION, word):
                self.conditions.append(Condition(word))
            elif keys:
                self.conditions.append(Condition(f"{keys.pop(0)}={word}"))
            else:
                raise Mistake(f"one bare word too many: {word!r}")
        if self.kind == "kernel" and not self.conditions:
            raise Mistake("kernel needs a condition")

    def speaks_of(self, with_ptx, with_source):
        """What S says of rewrites is what machine code alone shows: with PTX beside it stages and reasons follow, and more is
        told. That something is not there with PTX, or with the source, says nothing of what is told without."""
        if self.high == 0 and not self.follows(with_ptx, with_source):
            return False
        return not (self.letter == "S" and self.kind == "rewrite" and with_ptx)

    def follows(self, with_ptx, with_source):
        """What it needs is at hand. The words that a rewrite is about need both."""
        if self.letter == "C":
            return with_source and (with_ptx or self.kind != "rewrite")
        return self.letter == "S" or (self.letter == "P" and with_ptx)

    def fails(self, kernel, rename, with_ptx=False, with_source=False):
        """None when the fact holds, else what stands there instead."""
        all_records = records(kernel, self.kind)
        if self.allowed is not None:
            extra = [r for r in all_records if r["id"] in CLAIMS - self.allowed]
            return "also found: " + "; ".join(brief(r) for r in extra[:3]) if extra else None
        scores = []
        for record in all_records:
            missed = [c for c in self.conditions if c.field not in record or not c.holds(record, rename)]
            scores.append((len(missed), record, missed))
        found = [record for missed, record, _ in scores if missed == 0]
        low, high = self.low, self.high
        if not self.follows(with_ptx, with_source):
            low, high = 0, 0
        if len(found) >= low and (high is None or len(found) <= high):
            return None
        if found:
            return f"{len(found)} found: " + "; ".join(brief(r) for r in found[:3])
        if not scores:
            return f"no {self.kind} at all"
        nearest = min(scores, key=lambda s: (s[0], [c in s[2] for c in self.conditions]))
        return "nearest: " + brief(nearest[1]) + " misses " + ", ".join(
            f"{c.field} (wanted {c.operator} {c.wanted(rename, nearest[1])!r})" for c in nearest[2])


def brief(record):
    parts = [f"{k}={v if not isinstance(v, int) or isinstance(v, bool) or v < 10 else hex(v)}" for k, v in record.items()
             if isinstance(v, (str, int)) and k not in PROSE]
    return "{" + " ".join(parts)[:300] + "}"


def read_scope(words):
    """'all', '86', '75..90', '100 120', 'all but 100 120' -> a function of the architecture's number."""
    if words[:2] == ["all", "but"]:
        without = read_scope(words[2:])
        return lambda sm: not without(sm)
    tests = []
    for word in words:
        if word == "all":
            tests.append(lambda sm: True)
        elif re.fullmatch(r"\d+\.\.\d+", word):
            low, high = map(int, word.split(".."))
            tests.append(lambda sm, low=low, high=high: low <= sm <= high)
        elif word.isdigit():
            tests.append(lambda sm, only=int(word): sm == only)
        else:
            raise Mistake(f"not an architecture: {word}")
    if not tests:
        raise Mistake("which architectures?")
    return lambda sm: any(test(sm) for test in tests)


class FactFile:
    def __init__(self, path):
        self.path = path
        stem = os.path.splitext(os.path.basename(path))[0]
        self.cubins = [f"cubin/sm*/*/{stem}.cubin"]
        self.source = (glob.glob(os.path.join(ROOT, f"kernels/*/{stem}.cu")) or [None])[0]
        self.facts, self.mistakes = [], []
        kernel, scope, names = None, read_scope(["all"]), ["*"]
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                text = line.strip()
                if not text or text.startswith("#"):
                    continue
                words = shlex.split(text, comments=True)
                try:
                    if words[0] == "kernel":
                        kernel, scope, names = words[1], read_scope(["all"]), ["*"]
                    elif words[0] == "arch":
                        scope = read_scope(words[1:])
                    elif words[0] == "file":
                        names = words[1:]
                    elif words[0] == "cubin":
                        self.cubins = words[1:]
                    elif words[0] == "source":
                        self.source = None if words[1] == "none" else os.path.join(ROOT, words[1])
                    else:
                        if kernel is None:
                            raise Mistake("no kernel line above")
                        self.facts.append(Fact(path, number, text, kernel, scope, names))
                except (Mistake, ValueError, IndexError) as mistake:
                    self.mistakes.append(f"{path}:{number}: {mistake}")


def sections_of(image):
    """(offset of the name in the file, name) of every section of a 64-bit ELF file; empty for anything else."""
    if image[:5] != b"\x7fELF\x02":
        return []
    table, = struct.unpack_from("<Q", image, 40)
    size, count, names = struct.unpack_from("<HHH", image, 58)
    name_table, = struct.unpack_from("<Q", image, table + names * size + 24)
    found = []
    for number in range(count):
        at = name_table + struct.unpack_from("<I", image, table + number * size)[0]
        found.append((at, image[at:image.index(b"\0", at)]))
    return found


def without_ptx(path, folder):
    """A copy of a cubin whose PTX nobody finds; None when it has none."""
    with open(path, "rb") as file:
        image = bytearray(file.read())
    found = [at for at, name in sections_of(image) if name.startswith(b".nv_debug_ptx_txt")]
    for at in found:
        image[at:at + 4] = b".no_"
    if not found:
        return None
    copy = os.path.join(folder, os.path.relpath(path, ROOT).replace(os.sep, "_"))
    with open(copy, "wb") as file:
        file.write(image)
    return copy


def explain(command, cubin, source):
    words = [command, "explain", "--format", "json"] + (["--source", source] if source else []) + [cubin]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: exit {done.returncode}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)


def base_name(kernel):
    name = re.split(r"[(<]", kernel["demangled"] or kernel["name"])[0]
    return name.split()[-1]


def positional(kernel):
    """Turns a line written with source names into the same line with p0, p1 ..."""
    names = {p["name"]: f"p{p['index']}" for p in kernel["params"]}
    if not names:
        return lambda text: text
    pattern = re.compile(r"(?<![.\w])(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")\b")
    return lambda text: pattern.sub(lambda m: names[m.group(1)], text)


def main():
    parser = argparse.ArgumentParser(description="checks test/golden/facts/*.facts")
    parser.add_argument("--command", default=os.path.join(ROOT, "build/sassprobe"))
    parser.add_argument("--verbose", action="store_true", help="print the facts that hold, too")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    told, pool = {}, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1)
    bare_copies, folder = {}, tempfile.TemporaryDirectory()

    def ask(cubin, source):
        """One run of the program a file and source, begun early and in parallel."""
        if (cubin, source) not in told:
            told[cubin, source] = pool.submit(explain, arguments.command, cubin, source)
        return told[cubin, source]

    def bare_copy(cubin):
        if cubin not in bare_copies:
            bare_copies[cubin] = without_ptx(cubin, folder.name)
        return bare_copies[cubin]

    paths = arguments.files or sorted(glob.glob(os.path.join(ROOT, "test/golden/facts/**/*.facts"), recursive=True))
    passed = failed = 0

    def fail(where, why):
        nonlocal failed
        failed += 1
        print(f"FAILED {where}\n       {why}")

    for path in paths:
        file = FactFile(path)
        for mistake in file.mistakes:
            fail(mistake, "cannot be read")
        cubins = sorted({cubin for pattern in file.cubins for cubin in glob.glob(os.path.join(ROOT, pattern))})
        if not cubins:
            fail(path, f"no file is called {' or '.join(file.cubins)}")
        tried = set()
        for cubin in cubins:
            for source in {file.source, None}:
                ask(cubin, source)
                if bare_copy(cubin):
                    ask(bare_copy(cubin), source)
        for cubin in cubins:
            try:
                images = [(cubin, bare_copy(cubin) is not None)]
                if bare_copy(cubin):
                    images.append((bare_copy(cubin), False))
                runs = [("--source" if source else "no source", ask(image, source).result(), with_ptx)
                        for image, with_ptx in images for source in ([file.source] if file.source else []) + [None]]
            except (RuntimeError, ValueError, OSError) as error:
                fail(os.path.relpath(cubin, ROOT), error)
                continue
            renames = {}
            for how, document, with_ptx in runs:
                for kernel in document["kernels"]:
                    name = base_name(kernel)
                    kernel["diagnostics"] = [d for d in document["diagnostics"]
                                             if kernel["name"] in (d["section"] or kernel["name"])]
                    sm = int(re.sub(r"\D", "", kernel["arch"]))
                    if how == "--source":
                        renames[name] = positional(kernel)
                    rename = (lambda text: text) if how == "--source" else renames.get(name, lambda text: text)
                    for fact in file.facts:
                        if fact.kernel != name or not fact.scope(sm):
                            continue
                        if not any(fnmatch.fnmatch(os.path.basename(cubin), pattern) for pattern in fact.names):
                            continue
                        tried.add(fact)
                        if not fact.speaks_of(with_ptx, how == "--source"):
                            continue
                        why = fact.fails(kernel, rename, with_ptx, how == "--source")
                        file_name = os.path.basename(cubin)
                        if kernel["arch"][3:] not in file_name:
                            file_name = kernel["arch"]
                        where = f"{os.path.relpath(path, ROOT)}:{fact.line} [{file_name}, {how}{', PTX' if with_ptx else ''}] {fact.kernel}: {fact.text}"
                        if why:
                            fail(where, why)
                        else:
                            passed += 1
                            if arguments.verbose:
                                print(f"ok     {where}")
        for fact in file.facts:
            if fact not in tried and cubins:
                fail(f"{os.path.relpath(path, ROOT)}:{fact.line} {fact.text}", f"no kernel {fact.kernel} in that scope")
    pool.shutdown()
    if not paths:
        print("skipped: facts: no .facts files")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
