#!/bin/sh
# Builds the command, then shows what it says of one kernel and how that kernel differs from a neighbour, and the same in
# short of two kernels that compute a softmax: one through shared memory, one in registers.
set -eu
cd "$(dirname "$0")"
. tools/packages.sh
packages_need "$packages_build"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "building build/sassprobe"
jobs=$(nproc 2>/dev/null || echo 2)
# Tests stay off: the demonstration needs the command alone.
if ! { cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DSP_TESTS=OFF && cmake --build build -j "$jobs"; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "the build failed; its last lines stand above" >&2
    exit 1
fi

clamp=cubin/sm86/02_control/clamp_f32.cubin
relu=cubin/sm86/02_control/relu_f32.cubin
run() {
    printf '\n$ %s\n' "$*"
    "$@"
}
run build/sassprobe explain --source kernels/02_control/clamp_f32.cu "$clamp"
run build/sassprobe explain --source kernels/02_control/clamp_f32.cu --source kernels/02_control/relu_f32.cu \
    --compare clamp_f32_kernel relu_f32_kernel "$clamp" "$relu"

ops=05_nn_ops
small=cubin/sm86/$ops/softmax_small_f32.cubin
online=cubin/sm86/$ops/online_softmax_f32.cubin
run build/sassprobe explain --level summary --source kernels/$ops/softmax_small_f32.cu "$small"
run build/sassprobe explain --level summary --source kernels/$ops/online_softmax_f32.cu "$online"
run build/sassprobe explain --source kernels/$ops/softmax_small_f32.cu --source kernels/$ops/online_softmax_f32.cu \
    --compare online_softmax_f32_kernel softmax_small_f32_kernel "$online" "$small"
