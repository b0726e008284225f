#!/bin/bash
# clang-tidy over src/, with a limit in seconds: what the limit leaves out is said, and next time another part comes first (the
# order turns with the day). usage: run_tidy.sh BUILD-FOLDER SECONDS
set -u
build=$(cd "$1" && pwd)
limit=$2
cd "$(dirname "$0")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Files that differ from the last commit come first; then the rest, turned.
mapfile -t files < <({ git diff --name-only HEAD -- 'src/*.c' 2>/dev/null
    find src -name '*.c' -not -path '*/spec/*' | LC_ALL=C sort |
        awk -v turn="$(date +%j)" '{ line[NR] = $0 } END { for (i = 0; i < NR; i++) print line[(i + turn * 7) % NR + 1] }'; } |
    awk '!seen[$0]++')
one() {
    [ "$(date +%s)" -lt "$4" ] || exit 0
    name=$(echo "$2" | tr '/' '_')
    if clang-tidy --quiet -p "$1" "$2" >"$3/$name.log" 2>/dev/null; then mv "$3/$name.log" "$3/$name.good"; else mv "$3/$name.log" "$3/$name.bad"; fi
}
export -f one
printf '%s\n' "${files[@]}" |
    xargs -P "$(nproc)" -I FILE bash -c 'one "$@"' tidy "$build" FILE "$scratch" $(($(date +%s) + limit))
good=$(find "$scratch" -name '*.good' | wc -l)
bad=$(find "$scratch" -name '*.bad' | wc -l)
cat "$scratch"/*.bad 2>/dev/null
left=$((${#files[@]} - good - bad))
[ "$left" = 0 ] || echo "skipped: clang-tidy on $left of ${#files[@]} files (limit of $limit s)"
echo "$good passed, $bad failed"
[ "$bad" = 0 ]
