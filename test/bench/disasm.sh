#!/bin/bash
# Native disassembly beside the vendor's, in one run: nvdisasm -c and cuobjdump -sass of PATH against sassprobe disasm on
# the same cubins and the same sink (/dev/null). CPU time (user + system), best of the runs; reported, never asserted.
# usage: disasm.sh BUILD/sassprobe FILE.cubin...
set -eu
command=$(realpath "$1")
shift
for tool in nvdisasm cuobjdump; do
    command -v $tool >/dev/null || { echo "disasm.sh: $tool is not on PATH" >&2; exit 2; }
done
TIMEFORMAT='%3U %3S'

# best RUNS COMMAND...: the least CPU seconds of so many runs
best() {
    local runs=$1 least= spent
    shift
    for _ in $(seq "$runs"); do
        spent=$({ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%.3f", $1 + $2 }')
        if [ -z "$least" ] || awk -v a="$spent" -v b="$least" 'BEGIN { exit !(a < b) }'; then least=$spent; fi
    done
    echo "$least"
}

# Ours is over in less than the clock's steps: it is given every file so many times.
times=20
printf '%-44s %12s %12s %8s %12s %12s %8s\n' file instructions nvdisasm/s times cuobjdump/s ours/s times
for file; do
    count=$("$command" disasm -q --format control "$file" | grep -c '^[0-9a-f]* \[B')
    many=$(for _ in $(seq $times); do printf '%s\n' "$file"; done)
    mapfile -t files <<<"$many"
    theirs=$(best 1 nvdisasm -c "$file")
    ours=$(best 5 "$command" disasm -q --format nvdisasm "${files[@]}")
    theirs2=$(best 1 cuobjdump -sass "$file")
    ours2=$(best 5 "$command" disasm -q --format cuobjdump "${files[@]}")
    awk -v name="$(basename "$file")" -v n="$count" -v a="$theirs" -v b="$ours" -v c="$theirs2" -v d="$ours2" -v t=$times \
        'BEGIN { printf "%-44s %12d %12.0f %8.0f %12.0f %12.0f %8.0f\n", name, n, n / a, a * t / b, n / c, n * t / d, c * t / d }'
done
