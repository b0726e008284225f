#!/usr/bin/env python3
"""Turns the profiler's CSV on shared_conflicts (standard input) into rows of test/golden/place/h200_shared_conflicts.tsv."""
import csv
import re
import sys

for row in csv.reader(line for line in sys.stdin if line.startswith('"')):
    if row[0] == "ID":
        continue
    kind, width, step, pitch = re.match(r"void (load|store)_k<(\d+), (\d+), (\d+)>", row[4]).groups()
    x, y = re.findall(r"\d+", row[7])[:2]
    metric, value = row[12], row[14]
    if "wavefronts" in metric and metric.endswith("ld.sum") == (kind == "load"):
        print(kind, width, step, pitch, x, y, value, sep="\t")
