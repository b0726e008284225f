#!/bin/sh
# Builds the cubins of this folder from loops.cu. Needs nvcc; the committed ones are release 13.0's.
set -e
cd "$(dirname "$0")"
for arch in 75 86 90 100; do
  nvcc -arch=sm_$arch -O3 --use_fast_math -cubin -o loops.sm$arch.cubin loops.cu
done
