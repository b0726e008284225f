#!/bin/sh
# libsassprobe keeps no global state: none of its objects may have anything in .data or .bss.
# usage: check_state.sh BUILD-FOLDER
set -eu
state=$(objdump -t "$1/libsassprobe.a" | awk '/file format/ { object = $1 }
    ($3 == "O" || $2 == "O") { section = $2 == "O" ? $3 : $4; if (section ~ /^\.(data|bss|tdata|tbss)$/) print object " " $NF }')
if [ -n "$state" ]; then
    printf 'writable globals in the library:\n%s\n' "$state" >&2
    exit 1
fi
echo "no writable global in $(ar t "$1/libsassprobe.a" | wc -l) objects"
