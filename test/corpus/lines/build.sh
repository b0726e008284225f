#!/bin/sh
# Builds the cubins here: in a folder /kernels, so that the recorded paths are the same everywhere, and without #line, which
# would keep sizes from being recorded. Needs nvcc 13.0 and a machine on which /kernels may be made.
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir /kernels
trap 'rm -r /kernels' EXIT
cp "$here"/*.cu "$here"/*.cuh /kernels/
for sm in 86 120; do
    for name in sized words; do
        (cd /kernels && nvcc -w -O3 -lineinfo -arch=sm_$sm -cubin -o "$here/$name.sm$sm.cubin" $name.cu)
    done
done
(cd /kernels && nvcc -w -G -arch=sm_86 -cubin -o "$here/words-G.sm86.cubin" words.cu)
