#!/bin/sh
# Committed cubins and PTX may hold no path but /kernels/... and /corpus/src, where the project has their sources: nvcc likes to record where a file lay on the machine that
# compiled it (line tables, .file lines, the command line in .note.nv.tkinfo). Every absolute path in their strings is looked at.
set -eu
cd "$(dirname "$0")/.."
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find cubin ptx test -type f \( -name '*.cubin' -o -name '*.ptx' -o -name '*.fatbin' -o -name '*.o' \) | LC_ALL=C sort >"$list"
files=$(wc -l <"$list")
[ "$files" -gt 0 ] || { echo "no cubins found" >&2; exit 1; }
# A path begins at a slash that follows neither a letter nor a digit (so "cuda_13.0.r13.0/compiler" is none) and has two steps.
foreign=$(while read -r file; do
    LC_ALL=C tr -c '[:print:]' '\n' <"$file" |
        LC_ALL=C grep -o -E '(^|[^A-Za-z0-9_.)*+-])/[A-Za-z0-9_.+-]+/[A-Za-z0-9_.+/-]*' |
        LC_ALL=C grep -v -E '^[^/]?/(kernels/[0-9][0-9]_[a-z_]+|corpus/src)(/[a-z0-9_]+\.cu)?$' | sed "s|^|$file: |" || true
done <"$list")
if [ -n "$foreign" ]; then
    printf '%s\n' "$foreign" >&2
    exit 1
fi
echo "paths: $files files hold no path but their kernel's"
