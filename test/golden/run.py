#!/usr/bin/env python3
"""Runs the golden outputs: test/golden/**/*.golden. One file holds commands, and after each what it must print.

    # Why this case is here, in a sentence.
    $ explain --level summary cubin/sm86/02_control/clamp_f32.cubin
    exit 0
    ...every line of standard output, with "| " before it...
    ! every line of standard error, with "! " before it

Commands are run from the top of the tree, by the shell's rules of quoting, without a shell.
usage: run.py [--command build/sassprobe] [--rebase [--yes]] [FILE.golden ...]
--rebase shows, file by file, what would change, and writes it only when a person says so (or with --yes).
"""
import argparse
import difflib
import glob
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(command, words):
    done = subprocess.run([command] + words, capture_output=True, cwd=ROOT, check=False, timeout=120,
                          env={**os.environ, "LC_ALL": "C", "NO_COLOR": "1"})
    lines = [f"exit {done.returncode}"]
    for mark, output in (("|", done.stdout), ("!", done.stderr)):
        text = output.decode("utf-8", "backslashreplace")
        for line in text.splitlines():
            lines.append(f"{mark} {line}".rstrip())
        if text and not text.endswith("\n"):
            lines.append(f"{mark}(no newline at the end)")
    return lines


def parse(path):
    """A list of (lines before, command line or None, expected lines)."""
    parts, before, command, expected = [], [], None, []
    with open(path, encoding="utf-8") as lines:
        for line in lines.read().splitlines():
            if line.startswith("$ "):
                if command is not None:
                    parts.append((before, command, expected))
                    before, expected = [], []
                command = line[2:]
            elif command is None or line.startswith("#") or not line.strip():
                # Comments and blank lines behind an output belong to the next command.
                if command is not None:
                    parts.append((before, command, expected))
                    before, command, expected = [], None, []
                before.append(line)
            else:
                expected.append(line)
    parts.append((before, command, expected))
    return parts


def main():
    parser = argparse.ArgumentParser(description="golden outputs")
    parser.add_argument("--command", default=os.path.join(ROOT, "build/sassprobe"))
    parser.add_argument("--rebase", action="store_true", help="show what would change and write it when told so")
    parser.add_argument("--yes", action="store_true", help="with --rebase: write without asking")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    paths = arguments.files or sorted(glob.glob(os.path.join(ROOT, "test/golden/**/*.golden"), recursive=True))
    passed = failed = 0
    for path in paths:
        written, now = [], []
        shown = os.path.relpath(path, ROOT)
        for before, command, expected in parse(path):
            written += before
            now += before
            if command is None:
                continue
            try:
                got = run(arguments.command, shlex.split(command))
            except (OSError, subprocess.TimeoutExpired) as error:
                got = [f"could not run: {error}"]
            written += ["$ " + command] + expected
            now += ["$ " + command] + got
            if expected == got:
                passed += 1
            else:
                failed += 1
                if not arguments.rebase:
                    print(f"FAILED {shown}: {command}")
                    print("\n".join(list(difflib.unified_diff(expected, got, "written", "now", lineterm="", n=2))[:60]))
        if arguments.rebase and written != now:
            print("\n".join(difflib.unified_diff(written, now, shown, shown + " (now)", lineterm="")))
            answer = "y" if arguments.yes else input(f"write {shown}? [y/N] ") if sys.stdin.isatty() else "n"
            if answer == "y":
                with open(path, "w", encoding="utf-8") as out:
                    out.write("\n".join(now) + "\n")
                print(f"wrote {shown}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
