#!/bin/sh
# Rebuilds the files of this folder and PROVENANCE.tsv. Needs nvcc and fatbinary of CUDA 13.0, gcc and ar on PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$here"/*.cu .
printf 'file\tmade of\tby\n' >PROVENANCE.tsv
made() { # FILE MADE-OF COMMAND
    cp "$1" "$here/"
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>PROVENANCE.tsv
}

# The lab's own cubin and PTX, packed in each way.
cp "$root/cubin/sm86/05_nn_ops/softmax_small_f32.cubin" softmax.cubin
cp "$root/ptx/sm86/05_nn_ops/softmax_small_f32.ptx" softmax.ptx
for mode in none speed size; do
    fatbinary --create="packed.$mode.fatbin" --compress-mode="$mode" --ident=softmax_small_f32.cu \
        --image3=kind=elf,sm=86,file=softmax.cubin --image3=kind=ptx,sm=86,file=softmax.ptx
    made "packed.$mode.fatbin" "cubin and PTX of kernels/05_nn_ops/softmax_small_f32, sm_86" "fatbinary --compress-mode=$mode"
done

flags='-O3 -fmad=false'
two='-gencode arch=compute_75,code=[sm_75,compute_75] -gencode arch=compute_90a,code=sm_90a'
# shellcheck disable=SC2086
{
    nvcc $flags -c $two -o host.o scale.cu
    made host.o scale.cu "nvcc $flags -c $two"
    nvcc $flags -dc -gencode 'arch=compute_86,code=[sm_86,compute_86]' -o relocatable.o scale.cu
    made relocatable.o scale.cu "nvcc $flags -dc -gencode arch=compute_86,code=[sm_86,compute_86]"
    nvcc $flags -c -gencode arch=compute_90,code=compute_90 -o ptx.o shift.cu
    made ptx.o shift.cu "nvcc $flags -c -gencode arch=compute_90,code=compute_90"
    nvcc $flags -dc -gencode arch=compute_86,code=lto_86 -o lto.o shift.cu
    made lto.o shift.cu "nvcc $flags -dc -gencode arch=compute_86,code=lto_86"
}
cp relocatable.o a_member_with_a_long_name.o
ar rcsD static.a a_member_with_a_long_name.o ptx.o
made static.a 'relocatable.o, ptx.o' 'ar rcsD'
# Machine code, and PTX of a kernel of that name that computes something else.
nvcc -O3 -arch=sm_80 -cubin -o scale.cubin scale.cu
sed 's/+ b/- b/' scale.cu >other.cu
nvcc -O3 -arch=compute_80 -ptx -o other.ptx other.cu
fatbinary --create=mismatch.fatbin --compress-mode=size --image3=kind=elf,sm=80,file=scale.cubin \
    --image3=kind=ptx,sm=80,file=other.ptx
made mismatch.fatbin 'scale.cu; its PTX with - b for + b' 'nvcc -O3 -arch=sm_80, fatbinary --compress-mode=size'

nvcc -O3 -arch=sm_80 -Xcompiler -fPIC -c -o scale.o scale.cu
nvcc -O3 -arch=sm_80 -Xcompiler -fPIC -c -o shift.o shift.cu
gcc -shared -nostdlib -s -o shared.so scale.o shift.o
made shared.so 'scale.cu, shift.cu' 'nvcc -O3 -arch=sm_80 -Xcompiler -fPIC -c, then gcc -shared -nostdlib -s'
for unit in scale shift; do
    nvcc -O3 -arch=sm_80 -rdc=true -Xcompiler -fPIC -c -o "$unit.rdc.o" "$unit.cu"
done
nvcc -arch=sm_80 -Xcompiler -fPIC -dlink -o link.o scale.rdc.o shift.rdc.o
gcc -shared -nostdlib -s -o linked.so scale.rdc.o shift.rdc.o link.o
made linked.so 'scale.cu, shift.cu' 'nvcc -O3 -arch=sm_80 -rdc=true -Xcompiler -fPIC -c, nvcc -dlink, gcc -shared -nostdlib -s'
cp PROVENANCE.tsv "$here/"
