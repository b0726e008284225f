#!/bin/bash
# Refuses includes that climb the house. The floors stand here and nowhere else; the compiler says what is included (-MM), so
# an include through another header counts too.
#   - a room includes its own headers and those of lower floors;
#   - from place to rewrite nothing sees the machine's spelling: no header of isa/, no uop/uop_lift.h;
#   - only uop and pipeline may use the door from machine instructions to micro-operations;
#   - cli uses public headers and its own;
#   - src/pattern/ holds no pattern's name: every page's name is looked for in it;
#   - a unit test of a room sees no higher room.
set -u
cd "$(dirname "$0")/.." || exit 1

declare -A floor=([base]=0 [isa]=1 [image]=2 [uop]=3 [front]=4 [graph]=5 [emu]=5 [place]=6 [meaning]=7 [pattern]=8 [rewrite]=9
    [facts]=10 [report]=11 [index]=11 [check]=11 [pipeline]=12 [cli]=13)
blind=' place meaning pattern rewrite '
bad=0
complain() {
    echo "$*" >&2
    bad=$((bad + 1))
}

# Every header of the tree that a file sees, one a line, as src/room/name.h or include/sassprobe/name.h.
seen_by() {
    gcc -MM -MG -std=gnu17 -Isrc -Iinclude "$1" 2>/dev/null | tr -d '\\' | tr ' ' '\n' | grep -E '^(src|include)/' | grep -v -x -F "$1"
}

check_file() { # file, its room
    local file=$1 room=$2 own=${floor[$2]-} header other
    if [ -z "$own" ]; then
        complain "$file: no floor is known for room '$room'"
        return
    fi
    while read -r header; do
        case $header in
        include/sassprobe/status.h) continue ;;
        include/sassprobe/*)
            [ "$own" -ge "${floor[report]}" ] || complain "$file: $header is for rooms that face the outside"
            continue
            ;;
        esac
        other=${header#src/}
        other=${other%%/*}
        if [ "$room" = cli ]; then
            [ "$other" = cli ] || complain "$file: cli uses public headers only, not $header"
        elif [ "$other" != "$room" ] && [ "${floor[$other]-99}" -ge "$own" ]; then
            complain "$file: floor $own ($room) includes floor ${floor[$other]-?} ($header)"
        fi
        # A test may make its input from machine code; the room itself may not look at it.
        case $blind$file in
        *" $room "*src/*)
            case $header in
            src/isa/* | src/uop/uop_lift.h) complain "$file: sees $header; from place to rewrite mnemonics decide nothing" ;;
            esac
            ;;
        esac
    done < <(seen_by "$file")
}

files=0
for file in src/*/*.c src/*/*.h; do
    [ -f "$file" ] || continue
    room=${file#src/}
    check_file "$file" "${room%%/*}"
    files=$((files + 1))
done
for file in test/unit/*/test_*.c; do
    [ -f "$file" ] || continue
    room=${file#test/unit/}
    check_file "$file" "${room%%/*}"
    files=$((files + 1))
done

while read -r file; do
    complain "$file: only uop and pipeline include uop/uop_lift.h"
done < <(grep -l -E '^ *# *include +"uop/uop_lift\.h"|^ *# *include +"uop_lift\.h"' src/*/*.c src/*/*.h 2>/dev/null |
    grep -v -E '^src/(uop|pipeline)/')

# A page's name in src/pattern/ would mean that the page does not decide. A name with a hyphen may stand nowhere, not even in a
# comment; a plain word (copy, clamp) may stand in prose, but not in a string and not as a part of an identifier, save for
# C's own word "copy", the machine's "barrier", "spill", "scan", and the function "sqrt" of the block language.
pages=0
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
for file in src/pattern/*.[ch]; do
    [ -f "$file" ] || continue
    gcc -fpreprocessed -dD -E -P "$file" 2>/dev/null | sed "s|^|$file: |"
done >"$stripped"
for page in patterns/*.md; do
    [ -f "$page" ] || continue
    id=$(basename "$page" .md)
    [ "$id" = README ] && continue
    pages=$((pages + 1))
    while read -r hit; do
        complain "$hit: names the pattern $id"
    done < <(
        case $id in
        *-*) grep -n -i -E "\\b($id|${id//-/_})\\b" src/pattern/*.[ch] ;;
        sqrt) grep -E "\"[^\"]*\\b$id\\b[^\"]*\"" "$stripped" | grep -v '{"sqrt", UOP_NOP, UOP_SQRT, 1}' ;;
        barrier | copy | scan | spill) grep -E "\"[^\"]*\\b$id\\b[^\"]*\"" "$stripped" ;;
        *) grep -E "\"[^\"]*\\b$id\\b[^\"]*\"|[a-z0-9]_$id\\b|\\b${id}_[a-z0-9]" "$stripped" ;;
        esac 2>/dev/null | cut -c1-160
    )
done

echo "floors: $files files, $pages pattern names looked for, $bad refused"
[ "$bad" = 0 ] && [ "$files" -gt 0 ]
