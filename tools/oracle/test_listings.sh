#!/bin/sh
# `sassprobe disasm` against cuobjdump -sass and nvdisasm -c on the probe kernels of sm_86 and sm_100 and on some build variants.
# usage: test_listings.sh BUILD-FOLDER
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
if [ -z "${NVDISASM:-$(command -v nvdisasm)}${CUOBJDUMP:-$(command -v cuobjdump)}" ]; then
    echo "skipped: oracle: listings: neither nvdisasm nor cuobjdump on PATH"
    echo "0 passed, 0 failed"
    exit 0
fi
python3 tools/oracle/compare_listing.py "$build/sassprobe" cubin/sm86/*/*.cubin cubin/sm100/*/*.cubin \
    test/corpus/variants/probes-debug.sm75.cubin test/corpus/variants/types.sm120.cubin \
    test/corpus/variants/probes-ptxas-13.5.sm90.cubin test/corpus/variants/probes-ptxas-12.9.sm100.cubin
