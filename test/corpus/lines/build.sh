#!/bin/sh
# Builds sized.*.cubin: in a folder /kernels, so that the recorded paths are the same everywhere, and without #line, which
# would keep sizes from being recorded. Needs nvcc 13.0 and a machine on which /kernels may be made.
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir /kernels
trap 'rm -r /kernels' EXIT
cp "$here/sized.cu" "$here/sized.cuh" /kernels/
for sm in 86 120; do
    (cd /kernels && nvcc -O3 -lineinfo -arch=sm_$sm -cubin -o "$here/sized.sm$sm.cubin" sized.cu)
done
