#!/bin/bash
# What the main job costs on files of one's own (cubins of whole libraries, say), a line each: exit status, CPU time (user +
# system), largest memory, instructions, and both an instruction. Reported, never asserted.
# usage: explain_files.sh BUILD/sassprobe FILE...
set -eu
command=$(realpath "$1")
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
printf '%4s %9s %8s %9s %9s %8s  %s\n' exit "CPU s" MB insns "insns/s" "B/insn" file
for file in "$@"; do
    status=0
    /usr/bin/time -o "$out/cost" -f '%U %S %M' "$command" explain --format json "$file" >"$out/json" 2>/dev/null || status=$?
    insns=$(grep -o '"wait_mask":' "$out/json" | wc -l)
    tail -1 "$out/cost" | awk -v s="$status" -v n="$insns" -v f="$(basename "$file")" '{
        t = $1 + $2
        printf "%4d %9.2f %8.1f %9d %9.0f %8.0f  %s\n", s, t, $3 / 1024, n, t ? n / t : 0, n ? $3 * 1024 / n : 0, f }'
done
