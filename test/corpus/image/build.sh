#!/bin/sh
# Rebuilds the cubins of this folder and PROVENANCE.tsv. Needs nvcc 13.0 on PATH and, in folders named by the release under
# $1 (`$1/11.8/ptxas` ...), the ptxas of CUDA 11.8, 12.4, 12.9 and 13.5 (PyPI: nvidia-cuda-nvcc-cu11, -cu12, nvidia-cuda-nvcc).
set -eu
releases=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$here"/*.cu .
printf 'file\tsource\tptxas\tarchitecture\toptions\n' >provenance

# build NAME RELEASE ARCH OPTIONS...
build() {
    name=$1 release=$2 arch=$3
    shift 3
    case $release in
    11.8) version=7.8 ;;
    12.4) version=8.4 ;;
    12.9) version=8.8 ;;
    *) version=9.0 ;;
    esac
    lineinfo=
    [ "$name" != lines ] || lineinfo=-lineinfo
    nvcc -O3 $lineinfo -arch="compute_$arch" -ptx -o in.ptx "$name.cu"
    sed -i "s/^\.version.*/.version $version/" in.ptx
    out="$name$suffix.$release.sm_$arch.cubin"
    ptxas=$(command -v ptxas)
    [ "$release" = 13.0 ] || ptxas="$releases/$release/ptxas"
    "$ptxas" -O3 $lineinfo "$@" -arch="sm_$arch" in.ptx -o "$out"
    cp "$out" "$here/"
    printf '%s\t%s\t%s\tsm_%s\t%s\n' "$out" "$name.cu" "$release" "$arch" "-O3${lineinfo:+ $lineinfo}${*:+ $*}" >>provenance
}

suffix=
rm -f "$here"/*.cubin
for pair in 11.8:75 11.8:86 11.8:90 12.4:80 12.4:90a 12.9:89 12.9:90 12.9:120 13.0:75 13.0:86 13.0:90a 13.0:100 13.5:80 13.5:90 13.5:120; do
    build lines "${pair%:*}" "${pair#*:}"
done
for pair in 11.8:75 11.8:90 12.4:86 12.4:90 12.9:80 12.9:90 12.9:100 13.0:86 13.0:90 13.5:89 13.5:120; do
    build shared "${pair%:*}" "${pair#*:}"
    build dynamic "${pair%:*}" "${pair#*:}"
done
for pair in 12.4:86 12.9:86 13.0:90 13.5:120; do
    build spill "${pair%:*}" "${pair#*:}" -maxrregcount 24
done
build huge 13.0 86
build huge 12.9 90
suffix=-relocatable
for pair in 11.8:90 13.0:86 13.0:120; do
    build shared "${pair%:*}" "${pair#*:}" -c
    build dynamic "${pair%:*}" "${pair#*:}" -c
done
for pair in 11.8:75 12.4:90 13.5:75; do
    release=${pair%:*} arch=${pair#*:}
    sed "s/^\.target.*/.target sm_$arch/" "$here/required.ptx" >in.ptx
    out="required.$release.sm_$arch.cubin"
    "$releases/$release/ptxas" -O3 -arch="sm_$arch" in.ptx -o "$out"
    cp "$out" "$here/"
    printf '%s\trequired.ptx\t%s\tsm_%s\t-O3\n' "$out" "$release" "$arch" >>provenance
done
"$releases/11.8/ptxas" -m32 -arch=sm_75 "$here/narrow.ptx" -o "$here/narrow.11.8.sm_75.cubin"
printf 'narrow.11.8.sm_75.cubin\tnarrow.ptx\t11.8\tsm_75\t-m32\n' >>provenance
sed "s/^\.target.*/.target sm_75/" "$here/required.ptx" >in.ptx
ptxas -O3 -arch=sm_90 in.ptx -o "$here/virtual.13.0.sm_90.cubin"
printf 'virtual.13.0.sm_90.cubin\trequired.ptx\t13.0\tsm_90\t-O3, PTX for sm_75\n' >>provenance
for unit in a b; do
    nvcc -O3 -lineinfo -rdc=true -arch=compute_86 -ptx -o "$unit.ptx" "linked_$unit.cu"
    ptxas -O3 -lineinfo -c -arch=sm_86 "$unit.ptx" -o "$unit.cubin"
done
nvlink -arch=sm_86 a.cubin b.cubin -o linked.13.0.sm_86.cubin
cp linked.13.0.sm_86.cubin "$here/"
printf 'linked.13.0.sm_86.cubin\tlinked_a.cu linked_b.cu\t13.0\tsm_86\t-O3 -lineinfo -c, nvlink\n' >>provenance
for arch in 86 120; do
    nvcc -O3 -rdc=true -arch="compute_$arch" -ptx -o called.ptx called.cu
    ptxas -O3 -c -arch="sm_$arch" called.ptx -o "$here/called.13.0.sm_$arch.cubin"
    printf 'called.13.0.sm_%s.cubin\tcalled.cu\t13.0\tsm_%s\t-O3 -c\n' "$arch" "$arch" >>provenance
done
(head -n 1 provenance; tail -n +2 provenance | LC_ALL=C sort) >"$here/PROVENANCE.tsv"
