#!/bin/bash
# CPU time (user + system) of the main job on everything the laboratory holds: explain --format json cubin/. Reported, never
# asserted: machines differ. The best of five runs, so that a busy machine says little. usage: explain_lab.sh BUILD/sassprobe
set -eu
command=$(realpath "$1")
cd "$(dirname "$0")/../.."
out=$(mktemp)
trap 'rm -f "$out"' EXIT
best=
for _ in 1 2 3 4 5; do
    TIMEFORMAT='%3U %3S'
    spent=$({ time "$command" explain --format json cubin >"$out" 2>/dev/null; } 2>&1 | awk '{ printf "%.3f", $1 + $2 }')
    if [ -z "$best" ] || awk -v a="$spent" -v b="$best" 'BEGIN { exit !(a < b) }'; then best=$spent; fi
done
files=$(find cubin -name '*.cubin' | wc -l)
echo "explain --format json cubin/: $files files, $(wc -c <"$out") bytes of JSON, $best s CPU (best of 5, $(uname -m))"
[ -s "$out" ]
