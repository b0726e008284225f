#!/usr/bin/env python3
"""Mnemonics decide nothing: a build whose printer renames every opcode gives the same JSON but for `text`.
usage: renamed.py SASSPROBE SASSPROBE-BUILT-WITH-SP_RENAME_MNEMONICS FOLDER..."""
import concurrent.futures
import json
import subprocess
import sys


def without_text(node):
    """The document without its texts, and how many there were."""
    if isinstance(node, dict):
        parts = {key: without_text(value) for key, value in node.items() if key != "text"}
        return {key: part[0] for key, part in parts.items()}, ("text" in node) + sum(part[1] for part in parts.values())
    if isinstance(node, list):
        parts = [without_text(value) for value in node]
        return [part[0] for part in parts], sum(part[1] for part in parts)
    return node, 0


def main():
    plain, renamed = sys.argv[1:3]
    failed = 0
    for folder in sys.argv[3:]:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            one, other = pool.map(lambda command: subprocess.run(
                [command, "explain", "--format", "json", folder], capture_output=True, text=True, check=True).stdout,
                                  (plain, renamed))
        (a, texts), (b, others) = without_text(json.loads(one)), without_text(json.loads(other))
        good = one != other and a == b and texts == others and texts > 100
        print(f"{folder}: {texts} texts renamed, {'nothing else differs' if good else 'something is wrong'}")
        failed += not good
    print(f"{len(sys.argv) - 3 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
