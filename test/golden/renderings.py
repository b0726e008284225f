#!/usr/bin/env python3
"""Three renderings, one set of facts: what the JSON of every lab cubin holds stands in the text and in the Markdown as well.

For each kernel: every instruction's text, expression and role, every value's name and class, every pattern's id, every
output, parameter, span of register flow, and rewrite's kind. Also: the same input gives the same bytes twice.
By default of every lab kernel but online_softmax_f32, whose loops make expressions that the pages cut in their middle.
usage: renderings.py [--command build/sassprobe] [FOLDER-OR-CUBIN ...]        Last line: "N passed, N failed".
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(command, *words):
    done = subprocess.run([command, "explain", *words], capture_output=True, text=True, cwd=ROOT, check=False,
                          env={**os.environ, "NO_COLOR": "1"})
    if done.returncode != 0:
        raise RuntimeError(f"explain {' '.join(words)}: exit {done.returncode}: {done.stderr.strip()[:200]}")
    return done.stdout


def wanted(kernel):
    """What must stand in every rendering, with a word on what it is."""
    for instruction in kernel["instructions"]:
        yield "instruction", instruction["text"]
        if instruction["expr"]:
            yield "expression", instruction["expr"]
        yield "role", instruction["role"]
    for value in kernel["values"]:
        yield "value", value["name"]
        yield "class", value["class"]
    for pattern in kernel["patterns"]:
        yield "pattern", pattern["id"]
    for output in kernel["outputs"]:
        yield "output", output["real"]
        yield "output address", output["address"].removeprefix("&")  # the pages name the element that is stored
    for parameter in kernel["params"]:
        yield "parameter", parameter["name"]
    for register, spans in kernel["register_flow"].items():
        yield "register", register
        for span in spans:
            yield "held", span["holds"]
    for rewrite in kernel["rewrites"]:
        yield "rewrite", rewrite["kind"]


def squeeze(text):
    """Without line breaks, table frames and escapes: where Markdown breaks a line is its own matter."""
    return re.sub(r"[\s|\\`*]+", "", text)


def stands_in_markdown(item, page):
    """Whole, or cut off with an ellipsis when it is long (the page says where the rest is)."""
    item = squeeze(item)
    return item in page or any(item[:cut] + "…" in page for cut in range(len(item), 30, -1))


def stands_in_column(item, lines):
    """In one column of the text, which may have broken it at blanks: the rest stands below, at the same column."""
    words = item.split(" ")
    first = words[0]
    for row, line in enumerate(lines):
        column = line.find(first)
        while column >= 0:
            if cell_holds(words, lines, row, column):
                return True
            column = line.find(first, column + 1)
    return False


def cell_holds(words, lines, row, column):
    left = words
    while left and row < len(lines):
        cell = lines[row][column:]
        fitting = 0
        while fitting < len(left) and cell.startswith(" ".join(left[:fitting + 1])):
            fitting += 1
        if fitting == len(left):
            return True
        rest = cell[len(" ".join(left[:fitting])):].lstrip()
        if rest.startswith("…") or "…" in rest.split(" ")[0]:
            return True
        # A word of its own that is longer than the column is broken inside; the listing has no blank to break at.
        if fitting == 0:
            piece = cell.split(" ")[0]
            if not piece or not left[0].startswith(piece):
                return False
            left = [left[0][len(piece):]] + left[1:]
        else:
            left = left[fitting:]
        row += 1
    return not left


def main():
    parser = argparse.ArgumentParser(description="text and Markdown carry what the JSON holds")
    parser.add_argument("--command", default=os.path.join(ROOT, "build/sassprobe"))
    parser.add_argument("paths", nargs="*")
    arguments = parser.parse_args()
    cubins = []
    for path in arguments.paths or ["cubin"]:
        full = os.path.join(ROOT, path)
        cubins += sorted(glob.glob(full + "/**/*.cubin", recursive=True)) if os.path.isdir(full) else [full]
    if not arguments.paths:
        cubins = [cubin for cubin in cubins if not cubin.endswith("/online_softmax_f32.cubin")]
    passed = failed = 0
    for cubin in cubins:
        shown = os.path.relpath(cubin, ROOT)
        problems = []
        try:
            text = run(arguments.command, "--format", "json", shown)
            if run(arguments.command, "--format", "json", shown) != text:
                problems.append("two runs differ")
            document = json.loads(text)
            for kernel in document["kernels"]:
                items = sorted({(what, one) for what, one in wanted(kernel) if one})
                lines = run(arguments.command, "--format", "text", "--kernel", kernel["name"], shown).splitlines()
                problems += [f"{kernel['name']}: text lacks {what} {one!r}"
                             for what, one in items if not stands_in_column(one, lines)]
                page = squeeze(run(arguments.command, "--format", "markdown", "--kernel", kernel["name"], shown))
                problems += [f"{kernel['name']}: Markdown lacks {what} {one!r}"
                             for what, one in items if not stands_in_markdown(one, page)]
        except (RuntimeError, ValueError, KeyError) as error:
            problems.append(f"{type(error).__name__}: {error}")
        if problems:
            failed += 1
            print(f"FAILED {shown}")
            print("\n".join("       " + p for p in problems[:12]))
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
