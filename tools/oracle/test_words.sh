#!/bin/sh
# The golden words of test/golden/isa asked again of the nvdisasm at hand and set beside our
# text. usage: test_words.sh BUILD-FOLDER. The golden rows themselves are a unit test (test_isa_golden) that needs no vendor's tool.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
nvdisasm=${NVDISASM:-$(command -v nvdisasm)}
if [ -z "$nvdisasm" ]; then
    echo "skipped: oracle: words of test/golden/isa: no nvdisasm on PATH"
    echo "0 passed, 0 failed"
    exit 0
fi
if [ ! -x "$build/tools/isa_dump" ]; then
    echo "skipped: oracle: words of test/golden/isa: $build/tools/isa_dump is not built"
    echo "0 passed, 0 failed"
    exit 0
fi
NVDISASM=$nvdisasm python3 tools/oracle/compare.py "$build/tools/isa_dump" test/golden/isa/sm*.tsv --live --tally
