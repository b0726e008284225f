#!/bin/bash
# Native disassembly beside the vendor's, in one run: nvdisasm -c and cuobjdump -sass of each file against sassprobe
# disasm on the same file and the same sink (/dev/null), one thread. A library has no form of nvdisasm's. CPU time (user
# + system), best of the runs; reported, never asserted. `MB/s` is the text that ours prints, in bytes written a second;
# the last lines, where bench_isa is built beside it, say what bounds that: decode and print without a file and without
# lines around them, and copying as many bytes.
# usage: disasm.sh BUILD/sassprobe FILE...
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

# against FORM INSTRUCTIONS FILE VENDOR...: one row
against() {
    local form=$1 count=$2 file=$3 times=20 theirs ours bytes files
    shift 3
    # Ours is over in less than the clock's steps: it is given every file so many times.
    [ "$count" -lt 1000000 ] || times=3
    mapfile -t files < <(for _ in $(seq $times); do printf '%s\n' "$file"; done)
    theirs=$(best 1 "$@" "$file")
    ours=$(best 7 "$command" disasm -q --format "$form" "${files[@]}")
    bytes=$("$command" disasm -q --format "$form" "$file" | wc -c)
    awk -v name="$(basename "$file")" -v form="$form" -v n="$count" -v a="$theirs" -v b="$ours" -v t=$times -v bytes="$bytes" \
        'BEGIN { printf "%-40s %-9s %12d %12.0f %12.0f %6.0f %8.0f\n", name, form, n, n / a, n * t / b, a * t / b,
                 bytes * t / b / 1e6 }'
}

printf '%-40s %-9s %12s %12s %12s %6s %8s\n' file form instructions "vendor's/s" ours/s times MB/s
cubins=()
for file; do
    count=$("$command" disasm -q --format control "$file" | grep -c '^[0-9a-f]* \[B')
    if [ "$(od -An -tu2 -j18 -N2 "$file" | tr -d ' ')" = 190 ]; then # a cubin: the machine in its header
        cubins+=("$file")
        against nvdisasm "$count" "$file" nvdisasm -c
    fi
    against cuobjdump "$count" "$file" cuobjdump -sass
done
bench=$(dirname "$command")/test/bench_isa
if [ -x "$bench" ] && [ "${#cubins[@]}" -gt 0 ]; then "$bench" "${cubins[@]}"; fi
