#!/bin/bash
# The house rules that a machine can check on the text of the tree (CONTRIBUTING.md says why they are there).
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
refuse() { # what, lines
    [ -n "$2" ] || return 0
    printf '%s:\n%s\n' "$1" "$2" | head -n 30 >&2
    bad=$((bad + 1))
}

sources=$(find src include test tools examples -name '*.[ch]' | LC_ALL=C sort)
code=$(printf '%s\n' "$sources" | grep -v '/spec/')

refuse "file names are unique in the tree" "$(find src include test/unit test/fuzz tools -type f \( -name '*.[ch]' -o -name '*.py' -o -name '*.sh' \) |
    sed 's|.*/||' | LC_ALL=C sort | uniq -d)"
# shellcheck disable=SC2086
refuse "nothing is left for later in landed text" "$(grep -n -w -E 'TO''DO|FIX''ME|XX''X' $sources \
    src/*/README.md ./*.md patterns/*.md doc/*.md 2>/dev/null | grep -v '^CONTRIBUTING.md')"
# shellcheck disable=SC2086
refuse "lines of at most 120 columns" "$(LC_ALL=C.UTF-8 grep -n -E '^.{121,}' $code | cut -c1-100)"
# shellcheck disable=SC2086
refuse "no tabs and no blanks at the end of a line" "$(grep -n -P '\t| +$' $code | cut -c1-100)"
refuse "a C file of src/ opens with a comment" "$(for f in src/*/*.c; do head -n 1 "$f" | grep -q '^/\*' || echo "$f"; done)"
refuse "a C file has at most 1200 lines (tables in spec/ apart)" \
    "$(printf '%s\n' "$code" | xargs wc -l | awk '$2 != "total" && $1 > 1200 { print $2 ": " $1 }')"
refuse "the library never prints, exits or aborts" "$(grep -n -E '\b(printf|fprintf|puts|putchar|perror|exit|_exit|abort|system)\(' \
    $(find src -name '*.c' | grep -v '^src/cli/') | grep -v -E '^\S+ *(/?\*|//)')"
refuse "each room has a README.md of at most 25 lines" "$(for d in src/*/; do
    [ -n "$(ls "$d"*.c 2>/dev/null)" ] || continue
    [ -f "${d}README.md" ] || { echo "${d}README.md missing"; continue; }
    n=$(wc -l <"${d}README.md")
    [ "$n" -le 25 ] || echo "${d}README.md: $n lines"
done)"
refuse "every cubin of a corpus has a row that says what made it, and every row its cubin" "$(
    diff <(cd test/corpus/variants && ls -- *.cubin | LC_ALL=C sort) \
        <(grep -v '^#' test/corpus/variants/manifest.tsv | cut -f1 | LC_ALL=C sort))"
refuse "no path of one machine in the tree" "$(grep -r -n -I -E '(^|[^A-Za-z0-9_.])/(work|root|home)/|\.\./shared' \
    src include test tools patterns kernels doc cmake ./*.md ./*.sh ./*.txt 2>/dev/null | grep -v -E '^tools/check_tree\.sh|^src/cli/cmd_lab\.c' | cut -c1-140)"

echo "tree: $(printf '%s\n' "$sources" | wc -l) C files looked at, $bad rules broken"
[ "$bad" = 0 ]
