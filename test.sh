#!/usr/bin/env bash
# Runs every test. Each line tells one step; the last line is "N passed, N failed", and the exit status says whether N is 0.
#   ./test.sh           everything this machine has the tools for (what is left out is said, and why)
#   ./test.sh --quick   the release build and its tests, a minute or two
set -u
cd "$(dirname "$0")" || exit 1
quick=
case "${1-}" in
'') ;;
--quick) quick=yes ;;
*)
    sed -n '2,4p' "$0" >&2
    exit 2
    ;;
esac

. tools/packages.sh
if ! packages_need "$packages_build$packages_test"; then
    echo "0 passed, 1 failed"
    exit 1
fi

jobs=$(nproc 2>/dev/null || echo 2)
logs=build/test-logs
mkdir -p "$logs"
passed=0
failed=0
began=$SECONDS

say_failed() { # name, log
    echo "FAILED   $1"
    tail -n "${3:-40}" "$2" | sed 's/^/    /'
}

# step NAME COMMAND...: one test.
step() {
    local name=$1 log start=$SECONDS
    shift
    log=$logs/${name//[^A-Za-z0-9_-]/_}.log
    if "$@" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "ok       $name ($((SECONDS - start)) s)"
        return 0
    fi
    failed=$((failed + 1))
    say_failed "$name" "$log"
    return 1
}

# suite NAME COMMAND...: a command that runs many tests and ends with "N passed, N failed" or with ctest's own last lines.
suite() {
    local name=$1 log start=$SECONDS status good bad
    shift
    log=$logs/${name//[^A-Za-z0-9_-]/_}.log
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    read -r good bad < <(awk '
        /^[0-9]+ passed, [0-9]+ failed$/ { good = $1; bad = $3; seen = 1 }
        /tests passed, [0-9]+ tests? failed out of [0-9]+/ { bad = $4; good = $NF - bad; seen = 1 }
        END { print seen ? good : "none", bad + 0 }' "$log")
    # One that does not count is one test. One that died, or that counted to nothing without saying what it skipped, has failed.
    [ "$good" != none ] || good=$((status == 0))
    if [ "$bad" = 0 ] && [ "$status" != 0 ]; then
        bad=1
    elif [ "$((good + bad))" = 0 ] && ! grep -q '^skipped: ' "$log"; then
        bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    if [ "$bad" = 0 ]; then
        echo "ok       $name: $good ($((SECONDS - start)) s)"
    else
        say_failed "$name: $bad of $((good + bad))" "$log" 60
    fi
    grep -h '^skipped: ' "$log"
    return 0
}

skipped() {
    echo "skipped: $*"
}

finish() {
    echo "(all of it took $((SECONDS - began)) s; logs in $logs/)"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}

build() { # folder, preset
    cmake --preset "$1" -DSP_TESTS=ON && cmake --build "$2" -j "$jobs"
}

# --- the tree itself ---
step "floors" tools/check_floors.sh
step "tree" tools/check_tree.sh
step "paths in cubins and PTX" tools/check_paths.sh

# --- release build: the command as people get it ---
step "build release, warnings are errors" build release build || finish
suite "unit tests" ctest --test-dir build -L unit --output-on-failure -j "$jobs"
suite "golden outputs" python3 test/golden/run.py
suite "the vendor's forms of whole files" python3 test/golden/forms.py --command build/sassprobe
suite "facts" python3 test/golden/facts.py
suite "PTX against machine code" python3 test/golden/ptx.py --command build/sassprobe
suite "the worked document" python3 test/golden/worked_document.py
step "the report in README.md" python3 test/golden/readme_excerpt.py
suite "three renderings, one set of facts" python3 test/golden/renderings.py
suite "command line" python3 test/cli/run.py build/sassprobe
suite "emulator" ctest --test-dir build -L emu --output-on-failure -j "$jobs"
step "lab --check" build/sassprobe lab --check
step "no global state" tools/check_state.sh build
step "consumer of an installed tree" test/consumer/consumer.sh build
step "benchmark runs" test/bench/explain_lab.sh build/sassprobe
grep -h ' s CPU' "$logs"/benchmark_runs.log
# deal COMMAND ARGUMENT...: COMMAND PART PARTS ARGUMENT... once for each processor, all at a time
deal() {
    dealt=$1
    shift
    pids=
    part=0
    while [ "$part" -lt "$jobs" ]; do
        "$dealt" "$part" "$jobs" "$@" &
        pids="$pids $!"
        part=$((part + 1))
    done
    bad=0
    for pid in $pids; do
        wait "$pid" || bad=1
    done
    return "$bad"
}
# PART PARTS TARGET PATH...
replay() {
    "$3" --part "$1" "$2" "${@:4}"
}
# PART PARTS PROGRAM COUNT OF-THE-CORPUS: damaged inputs. Those of the probe kernels are small and quick: most are made from them.
damaged() {
    "$3" $(($4 - $5)) --part "$1" "$2" cubin && "$3" "$5" --part "$1" "$2" test/corpus
}
step "10,000 damaged cubins" deal damaged build/test/mutate_explain 10000 500
step "5,000 damaged fatbins" build/test/mutate_containers 5000 test/corpus/fatbin
[ -z "$quick" ] || finish

# --- a build that prints other mnemonics: no analysis may read text ---
renamed() {
    cmake -S . -B build-renamed -DCMAKE_BUILD_TYPE=Release -DSP_TESTS=OFF -DSP_RENAME_MNEMONICS=ON &&
        cmake --build build-renamed -j "$jobs" --target sassprobe
}
if step "build with renamed mnemonics" renamed; then
    suite "renamed mnemonics change nothing" python3 test/golden/renamed.py build/sassprobe build-renamed/sassprobe cubin \
        test/corpus/variants
fi

# --- against the vendor's tools, where they are ---
if command -v nvcc >/dev/null 2>&1 && nvcc --version | grep -q 'release 13\.0,'; then
    step "lab: nvcc makes the same cubins" build/sassprobe lab --check --only cubin,ptx
else
    skipped "lab --check --only cubin,ptx: no nvcc 13.0 on PATH"
fi
for script in tools/oracle/test_*.sh; do
    [ -x "$script" ] && suite "oracle: $(basename "$script" .sh)" "$script" build
done

# --- sanitizers ---
if step "build with sanitizers" build asan build-asan; then
    suite "unit tests, sanitizers" ctest --test-dir build-asan -L unit --output-on-failure -j "$jobs"
    for target in build-asan/test/fuzz_*; do
        [ -x "$target" ] || continue
        corpus=test/fuzz/corpus/$(basename "$target" | sed 's/^fuzz_//')
        [ -d "$corpus" ] || corpus=
        # shellcheck disable=SC2086 # an empty corpus is no argument
        step "replay $(basename "$target")" deal replay "$target" cubin ptx test/corpus $corpus
    done
    step "2,000 damaged cubins, sanitizers" deal damaged build-asan/test/mutate_explain 2000 80
    step "1,000 damaged cubins run, sanitizers" build-asan/test/mutate_run 1000 cubin
    step "1,000 damaged fatbins, sanitizers" build-asan/test/mutate_containers 1000 test/corpus/fatbin
    # The replay has explained every cubin of the corpus; with --source and without, every fourth list of its facts.
    # shellcheck disable=SC2046 # names without blanks
    suite "facts, sanitizers" python3 test/golden/facts.py --command build-asan/sassprobe test/golden/facts/*.facts \
        $(ls test/golden/facts/variants/*.facts | awk 'NR % 4 == 1')
    suite "command line, sanitizers" python3 test/cli/run.py build-asan/sassprobe
fi

# --- a second compiler, and its checks ---
if command -v clang >/dev/null 2>&1; then
    step "build with clang, warnings are errors" build tidy build-tidy
    if command -v clang-tidy >/dev/null 2>&1; then
        suite "clang-tidy" tools/run_tidy.sh build-tidy 45
    else
        skipped "clang-tidy: not on PATH"
    fi
else
    skipped "clang build and clang-tidy: no clang on PATH"
fi
finish
