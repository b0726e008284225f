#!/bin/sh
# Installs a build into a scratch folder and builds consumer.c against it in every way a user would: find_package and
# pkg-config, shared and static; and every program of examples/, as its head says one builds it. Also: the shared library
# shows sp_ functions and nothing else.
# usage: consumer.sh BUILD-FOLDER
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/root" >"$scratch/install.log"

cmake -S "$here" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$scratch/root" >"$scratch/cmake.log"
cmake --build "$scratch/cmake" >>"$scratch/cmake.log"
"$scratch/cmake/consumer_shared"
"$scratch/cmake/consumer_static"

pc=$(find "$scratch/root" -name sassprobe.pc)
lib=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# An installed tree may be moved: the prefix in the file is the configured one, so say where it is now.
pc() { pkg-config --define-variable=prefix="$scratch/root" "$@" sassprobe; }
cc -o "$scratch/by_shared" "$here/consumer.c" $(pc --cflags --libs)
LD_LIBRARY_PATH="$lib" "$scratch/by_shared"
cc -o "$scratch/by_static" "$here/consumer.c" $(pc --cflags) "$lib/libsassprobe.a" \
    $(pc --static --libs | tr ' ' '\n' | grep -v -e '^-lsassprobe$' -e '^-L')
"$scratch/by_static"

for example in "$here"/../../examples/*.c; do
    cc -Wall -Wextra -Werror -o "$scratch/$(basename "$example" .c)" "$example" $(pc --cflags --libs)
done
LD_LIBRARY_PATH="$lib" "$scratch/decode_one" | grep -qx 'IMAD.WIDE R2, R4, R5, c\[0x0\]\[0x160\]'
LD_LIBRARY_PATH="$lib" "$scratch/list_kernels" "$here/../../cubin/sm86/02_control/clamp_f32.cubin" |
    grep -q clamp_f32_kernel

shown=$(nm -D --defined-only "$lib/libsassprobe.so" | awk '{print $3}')
strange=$(printf '%s\n' "$shown" | grep -v '^sp_' || true)
if [ -n "$strange" ]; then
    echo "libsassprobe.so shows what it should keep: $strange" >&2
    exit 1
fi
declared=$(cat "$here"/../../include/sassprobe/*.h | grep -oE '\bsp_[a-z_]+\(' | tr -d '(' | sort -u)
for name in $declared; do
    printf '%s\n' "$shown" | grep -qx "$name" || { echo "declared but not in the library: $name" >&2; exit 1; }
done
