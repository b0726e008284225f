#!/usr/bin/env python3
"""The report shown in README.md is a real one: every line of its blocks is a line of what the command there prints now.
usage: readme_excerpt.py [--command build/sassprobe]"""
import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", default=os.path.join(ROOT, "build/sassprobe"))
    arguments = parser.parse_args()
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
        blocks = re.findall(r"`sassprobe (explain [^`]*)`:\n\n```\n(.*?)\n```", readme.read(), re.S)
    if not blocks:
        print("README.md shows no report")
        return 1
    count, strange = 0, []
    for command, block in blocks:
        done = subprocess.run([arguments.command] + command.split(), capture_output=True, text=True, cwd=ROOT, check=False,
                              env={**os.environ, "NO_COLOR": "1"})
        printed = {line.rstrip() for line in done.stdout.splitlines()}
        shown = [line for line in block.splitlines() if line not in ("", "…")]
        count += len(shown)
        strange += [line for line in shown if line not in printed]
    for line in strange:
        print(f"not in the report: {line}")
    print(f"{count} lines of README.md are looked for, {len(strange)} are not in the report")
    return 1 if strange or not count else 0


if __name__ == "__main__":
    sys.exit(main())
