"""Builds the corpus of build variants: the probe kernels and test/corpus/src through other flags and other compilers.

usage: build_variants.py --out DIR [--archs 75,86,…] [--root /corpus] [--ptxas-dir DIR] [--only SUBSTRING]

Needs nvcc; older and newer assemblers (ptxas-11.8 … in --ptxas-dir), clang and Triton are used when they are there, and
named as skipped when not. Everything is compiled in --root, a directory whose name is all that a cubin may record of the
machine that built it. Writes DIR/NAME.smNN.cubin and DIR/manifest.tsv (file, sources, compiler, release, flags, arch).
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

import oracle

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLAIN = ["kernels/00_memory/copy_global.cu", "kernels/01_arithmetic/add_f32.cu", "kernels/01_arithmetic/mul_f32.cu",
         "kernels/01_arithmetic/fma_f32.cu", "kernels/02_control/relu_f32.cu", "kernels/02_control/clamp_f32.cu"]
PROBES = PLAIN + ["kernels/01_arithmetic/fma_contract_f32.cu"]
LOOPS = ["kernels/03_reduction/reduce_sum_f32.cu", "kernels/05_nn_ops/softmax_small_f32.cu",
         "kernels/05_nn_ops/online_softmax_f32.cu"]
FAST = ["-O3", "--use_fast_math"]

# name, sources, nvcc flags
NVCC = [
    ("probes-ptxas-O0", PROBES, ["-O3", "-Xptxas", "-O0"]),
    ("probes-ptxas-O1", PROBES, ["-O3", "-Xptxas", "-O1"]),
    ("probes-fast-ptxas-O0", PLAIN, FAST + ["-Xptxas", "-O0"]),
    ("probes-debug", PLAIN, ["-G"]),
    ("probes-precise", PROBES, ["-O3"]),
    ("probes-no-fmad", PROBES, ["-O3", "-fmad=false"]),
    ("probes-ftz", PROBES, ["-O3", "-ftz=true"]),
    ("contract-fast", ["kernels/01_arithmetic/fma_contract_f32.cu"], FAST),
    ("probes-maxrregcount-24", PROBES, FAST + ["-maxrregcount", "24"]),
    ("column_loops", ["test/corpus/src/column_loops.cu"], ["-O3"]),
    ("kept_trees", ["test/corpus/src/kept_trees.cu"], ["-O3"]),
    ("number_formats", ["test/corpus/src/number_formats.cu"], ["-O3"]),
    ("index_2d", ["test/corpus/src/index_2d.cu"], FAST),
    ("coalescing", ["test/corpus/src/coalescing.cu"], ["-O3"]),
    ("coalescing-ptxas-O0", ["test/corpus/src/coalescing.cu"], ["-O3", "-Xptxas", "-O0"]),
    ("coalescing-debug", ["test/corpus/src/coalescing.cu"], ["-G"]),
    ("index_long", ["test/corpus/src/index_long.cu"], FAST),
    ("index_size_t", ["test/corpus/src/index_size_t.cu"], FAST),
    ("index_unsigned", ["test/corpus/src/index_unsigned.cu"], FAST),
    ("params", ["test/corpus/src/params.cu"], FAST),
    ("near_misses", ["test/corpus/src/near_misses.cu"], ["-O3"]),
    ("minmax", ["test/corpus/src/minmax.cu"], FAST),
    ("minmax-precise", ["test/corpus/src/minmax.cu"], ["-O3"]),
    ("vector", ["test/corpus/src/vector.cu"], FAST),
    ("types", ["test/corpus/src/types.cu"], ["-O3"]),
    ("loops-precise", LOOPS, ["-O3"]),
    ("loops-fast-ptxas-O0", LOOPS, FAST + ["-Xptxas", "-O0"]),
    ("loops-fast-ptxas-O1", LOOPS, FAST + ["-Xptxas", "-O1"]),
    ("loops-precise-ptxas-O1", LOOPS, ["-O3", "-Xptxas", "-O1"]),
    ("loops-debug", LOOPS, ["-G"]),
    ("loops-maxrregcount-24", LOOPS, FAST + ["-maxrregcount", "24"]),
    ("unrolled-1", ["test/corpus/src/unrolled.cu"], FAST + ["-DUNROLL=1"]),
    ("unrolled-4", ["test/corpus/src/unrolled.cu"], FAST + ["-DUNROLL=4"]),
    ("loops_cut", ["test/corpus/src/loops_cut.cu"], ["-O3"]),
    ("loops_told", ["test/corpus/src/loops_told.cu"], ["-O3"]),
    ("loops_turns", ["test/corpus/src/loops_turns.cu"], ["-O3"]),
    ("one_variable", ["test/corpus/src/one_variable.cu"], ["-O3"]),
    ("loops_strided", ["test/corpus/src/loops_strided.cu"], ["-O3"]),
    ("trees", ["test/corpus/src/trees.cu"], FAST),
    ("trees-precise-ptxas-O1", ["test/corpus/src/trees.cu"], ["-O3", "-Xptxas", "-O1"]),
    ("trees-fast-ptxas-O0", ["test/corpus/src/trees.cu"], FAST + ["-Xptxas", "-O0"]),
    ("local_memory", ["test/corpus/src/local_memory.cu"], ["-O3"]),
    ("arms", ["test/corpus/src/arms.cu"], ["-O3"]),
    ("guarded_pieces", ["test/corpus/src/guarded_pieces.cu"], FAST),
    ("frame", ["test/corpus/src/frame.cu"], ["-O3", "-maxrregcount", "24"]),
    ("loop_entries", ["test/corpus/src/loop_entries.cu"], ["-O3"]),
    ("loop_copies", ["test/corpus/src/loop_copies.cu"], ["-O3"]),
    ("loops_apart", ["test/corpus/src/loops_apart.cu"], ["-O3"]),
    ("loops_halved", ["test/corpus/src/loops_halved.cu"], ["-O3"]),
    ("by_hand", ["test/corpus/src/by_hand.cu"], ["-O3", "--generate-line-info"]),
    ("warp_control", ["test/corpus/src/warp_control.cu"], FAST),
    ("kept_registers", ["test/corpus/src/kept_registers.cu"], ["-O3"]),
    ("tree_misses", ["test/corpus/src/tree_misses.cu"], FAST),
    ("tree_misses-unoptimised", ["test/corpus/src/tree_misses.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("softmaxes", ["test/corpus/src/softmaxes.cu"], FAST),
    ("softmaxes-precise", ["test/corpus/src/softmaxes.cu"], ["-O3"]),
    ("softmax_merged", ["test/corpus/src/softmax_merged.cu"], FAST),
    ("softmax_merged-precise", ["test/corpus/src/softmax_merged.cu"], ["-O3"]),
    ("softmax_whole", ["test/corpus/src/softmax_whole.cu"], ["-O3"]),
    ("parked", ["test/corpus/src/parked.cu"], ["-O3"]),
    ("collectives", ["test/corpus/src/collectives.cu"], ["-O3"]),
    ("collectives-ptxas-O0", ["test/corpus/src/collectives.cu"], ["-O3", "-Xptxas", "-O0"]),
    ("collectives-unoptimised", ["test/corpus/src/collectives.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("collective_forms", ["test/corpus/src/collective_forms.cu"], ["-O3"]),
    ("collective_forms-unoptimised", ["test/corpus/src/collective_forms.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("block_kernels", ["test/corpus/src/block_kernels.cu"], FAST),
    ("races", ["test/corpus/src/races.cu"], ["-O3"]),
    ("warps_together", ["test/corpus/src/warps_together.cu"], ["-O3"]),
    ("factors", ["test/corpus/src/factors.cu"], FAST + ["--generate-line-info"]),
    ("races-unoptimised", ["test/corpus/src/races.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("guards", ["test/corpus/src/guards.cu"], ["-O3"]),
    ("guards-unoptimised", ["test/corpus/src/guards.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("meets", ["test/corpus/src/meets.cu"], ["-O3"]),
    ("blocks", ["test/corpus/src/blocks.cu"], ["-O3"]),
    ("told_values", ["test/corpus/src/told_values.cu"], ["-O3"]),
    ("told_values-unoptimised", ["test/corpus/src/told_values.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("halves", ["test/corpus/src/halves.cu"], ["-O3"]),
    ("halves-unoptimised", ["test/corpus/src/halves.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("places", ["test/corpus/src/places.cu"], FAST),
    ("told_once", ["test/corpus/src/told_once.cu"], ["-O3"]),
    ("kept_elements", ["test/corpus/src/kept_elements.cu"], ["-O3"]),
    ("rows", ["test/corpus/src/rows.cu"], FAST),
    ("loops_bound", ["test/corpus/src/loops_bound.cu"], FAST),
    ("carried", ["test/corpus/src/carried.cu"], ["-O3"]),
    ("carried-unoptimised", ["test/corpus/src/carried.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("loops_pieces", ["test/corpus/src/loops_pieces.cu"], FAST),
    ("loops_none", ["test/corpus/src/loops_none.cu"], ["-O3"]),
    ("loops_ends", ["test/corpus/src/loops_ends.cu"], FAST),
    ("conversions", ["test/corpus/src/conversions.cu"], ["-O3"]),
    ("thread_kernels", ["test/corpus/src/thread_kernels.cu"], ["-O3"]),
    ("thread_kernels-fast", ["test/corpus/src/thread_kernels.cu"], FAST),
    ("expansions", ["test/corpus/src/expansions.cu"], ["-O3"]),
    ("expansions-fast", ["test/corpus/src/expansions.cu"], FAST),
    ("expansions_owned", ["test/corpus/src/expansions_owned.cu"], ["-O3"]),
    ("expansions_owned-ptxas-O0", ["test/corpus/src/expansions_owned.cu"], ["-O3", "-Xptxas", "-O0"]),
    ("functions", ["test/corpus/src/functions.cu"], ["-O3"]),
    ("functions-ptxas-O0", ["test/corpus/src/functions.cu"], ["-O3", "-Xptxas", "-O0"]),
    ("functions-fast", ["test/corpus/src/functions.cu"], FAST),
    ("double_quotients", ["test/corpus/src/double_quotients.cu"], ["-O3"]),
    ("library_doubles", ["test/corpus/src/library_doubles.cu"], ["-O3"]),
    ("library_doubles-ptxas-O0", ["test/corpus/src/library_doubles.cu"], ["-O3", "-Xptxas", "-O0"]),
    ("library_rest", ["test/corpus/src/library_rest.cu"], ["-O3"]),
    ("library_rest-ptxas-O0", ["test/corpus/src/library_rest.cu"], ["-O3", "-Xptxas", "-O0"]),
    ("library_exact", ["test/corpus/src/library_exact.cu"], ["-O3"]),
    ("library_exact-ptxas-O0", ["test/corpus/src/library_exact.cu"], ["-O3", "-Xptxas", "-O0"]),
    ("library_exact-unoptimised", ["test/corpus/src/library_exact.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("words", ["test/corpus/src/words.cu"], FAST),
    ("signs", ["test/corpus/src/signs.cu"], FAST),
    ("printed", ["test/corpus/src/printed.cu"], FAST),
    ("rescaled", ["test/corpus/src/rescaled.cu"], FAST),
    ("rescaled-precise", ["test/corpus/src/rescaled.cu"], ["-O3"]),
    ("flushes", ["test/corpus/src/flushes.cu"], ["-O3", "-ftz=true"]),
    ("flushes-kept", ["test/corpus/src/flushes.cu"], ["-O3"]),
    ("flags", ["test/corpus/src/flags.cu"], ["-O3"]),
    ("local_index-unoptimised", ["test/corpus/src/local_index.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0"]),
    ("local_index-debug", ["test/corpus/src/local_index.cu"], ["-G"]),
    ("separate", ["test/corpus/src/separate.cu"], ["-O3", "-rdc=true"]),
    ("called", ["test/corpus/src/called.cu"], ["-O3", "-rdc=true"]),
    ("called-unoptimised", ["test/corpus/src/called.cu"], ["-Xcicc", "-O0", "-Xptxas", "-O0", "-rdc=true"]),
    ("matrix_loop", ["test/corpus/src/matrix_loop.cu"], ["-O3"]),
    ("rewritten", ["test/corpus/src/rewritten.cu"], ["-O3", "--generate-line-info"]),
    ("moved", ["test/corpus/src/moved.cu"], ["-O3", "--generate-line-info"]),
    ("written_so", ["test/corpus/src/written_so.cu"], ["-O3", "--generate-line-info"]),
    ("written_so-no-fmad", ["test/corpus/src/written_so.cu"], ["-O3", "--generate-line-info", "-fmad=false"]),
    ("written_so-debug", ["test/corpus/src/written_so.cu"], ["-G"]),
]
# These are large, or differ little between architectures.
FEW = {"coalescing": (75, 86, 120), "coalescing-ptxas-O0": (86,), "coalescing-debug": (86,),
       "loops-debug": (86,), "loops-precise-ptxas-O1": (86, 120), "trees-precise-ptxas-O1": (86,),
       "collectives": (75, 86, 90, 120), "collectives-unoptimised": (86,),
       "collective_forms": (75, 86, 120), "collective_forms-unoptimised": (86,),
       "collectives-ptxas-O0": (86,),
       "softmax_merged": (75, 86, 100, 120), "softmax_merged-precise": (86, 120),
       "trees-fast-ptxas-O0": (86, 120), "tree_misses-unoptimised": (86, 120), "thread_kernels-fast": (86,),
       "expansions": (75, 86, 90, 120), "expansions-fast": (86,),
       "trees": (75, 86, 90, 120), "tree_misses": (75, 86, 90, 120), "places": (75, 86, 90, 120),
       "told_once": (86, 120), "rows": (75, 86, 100, 120), "loops_bound": (75, 86, 120),
       "kept_elements": (75, 86, 120), "carried": (75, 86, 120), "carried-unoptimised": (86,),
       "meets": (75, 86, 120), "guards": (75, 86, 120), "guards-unoptimised": (86,),
       "loops_pieces": (75, 86, 90, 120), "loops_ends": (75, 86, 120), "loops_none": (75, 86, 120), "conversions": (86, 120),
       "expansions_owned": (75, 86, 120), "expansions_owned-ptxas-O0": (86,),
       "functions": (75, 86, 120), "functions-ptxas-O0": (86,), "functions-fast": (90,),
       "double_quotients": (86, 120),
       "library_doubles": (86, 120), "library_doubles-ptxas-O0": (75,),
       "library_rest": (75, 120), "library_rest-ptxas-O0": (86,),
       "library_exact": (75, 120), "library_exact-ptxas-O0": (86,), "library_exact-unoptimised": (86,),
       "words": (75, 86, 90, 120), "flags": (75, 86, 120),
        "signs": (75, 120), "printed": (75, 86, 120), "rescaled": (86, 120),
        "rescaled-precise": (75,), "flushes": (75, 120), "flushes-kept": (120,), "rewritten": (75, 86, 120),
        "moved": (75, 86, 120),
       "written_so": (86, 120), "written_so-no-fmad": (86,), "written_so-debug": (86,),
       "local_index-unoptimised": (75, 86, 120), "local_index-debug": (90,),
       "separate": (75, 86, 120), "called": (75, 86, 120), "called-unoptimised": (90,), "undecoded": (86,),
       "races": (75, 86, 90, 120), "races-unoptimised": (90,),
       "blocks": (75, 86, 120), "halves": (75, 86, 90, 120), "halves-unoptimised": (86,),
       "block_kernels": (75, 86, 90, 120), "thread_kernels": (75, 86, 90, 100), "unrolled-1": (75, 86, 90, 120),
       "loops_cut": (75, 86, 90, 120), "loops_told": (75, 86, 90, 120),
       "loops_strided": (75, 86, 90, 120), "loops_turns": (86, 120),
       "clang_loops": (75, 86, 120), "kept_registers": (75, 86, 120), "warp_control": (75, 86), "loop_entries": (86, 120),
       "one_variable": (75, 86, 120),
       "loop_copies": (86, 120), "by_hand": (86,), "loops_apart": (75, 86, 120), "loops_halved": (75, 86, 120),
       "arms": (75, 86, 120), "guarded_pieces": (120,), "frame": (75, 86, 120),
       "local_memory": (75, 86, 90, 120), "local_memory-ptxas-11.8": (86,),
       "symbols-ptxas-11.8": (75, 86), "symbols-ptxas-12.4": (), "symbols-ptxas-12.9": (), "symbols-ptxas-13.5": (),
       "local_memory-ptxas-12.4": (), "local_memory-ptxas-12.9": (), "local_memory-ptxas-13.5": ()}
# assembler release, highest PTX version it reads
PTXAS = [("11.8", "7.8"), ("12.4", "8.4"), ("12.9", "8.8"), ("13.5", None)]


def run(command, cwd):
    """(ok, what it said)"""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def release_of(command):
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"V([0-9.]+)", said) or re.search(r"version ([0-9.]+)", said)
    return match.group(1)


def gather(sources, path):
    """One translation unit of several files, each under a neutral name."""
    with open(path, "w", encoding="utf-8") as out:
        for source in sources:
            name = "/" + source.replace("test/corpus/", "corpus/")
            with open(os.path.join(TOP, source), encoding="utf-8") as handle:
                out.write('#line 1 "%s"\n%s' % (name, handle.read()))


class Builder:
    def __init__(self, options):
        self.options = options
        self.rows = []
        self.skipped = []
        os.makedirs(options.out, exist_ok=True)
        try:
            os.makedirs(options.root, exist_ok=True)
        except OSError as error:
            sys.exit("build_variants: --root must be a directory this user may make: %s" % error)

    def keep(self, name, sm, sources, compiler, release, flags, built):
        """Moves a built file to its place, and notes where it came from."""
        file = "%s.sm%d.cubin" % (name, sm)
        shutil.move(built, os.path.join(self.options.out, file))
        self.rows.append((file, " ".join(sources), compiler, release, flags, "sm_%d" % sm))

    def nvcc(self, name, sources, flags, sm):
        root = self.options.root
        gather(sources, os.path.join(root, "unit.cu"))
        command = ["nvcc", "-arch=sm_%d" % sm] + flags
        ok, said = run(command + ["-cubin", "-o", "unit.cubin", "unit.cu"], root)
        if ok:
            release = release_of("nvcc")
            self.keep(name, sm, sources, "nvcc", release, " ".join(command[1:]), os.path.join(root, "unit.cubin"))
        else:
            self.skipped.append("%s sm_%d: %s" % (name, sm, said.strip().splitlines()[-1]))

    def ptxas(self, family, sources, version, highest, sm):
        """The same PTX as nvcc's, with its version line lowered to what this assembler reads."""
        root, name = self.options.root, "%s-ptxas-%s" % (family, version)
        program = os.path.join(self.options.ptxas_dir, "ptxas-" + version)
        if not os.path.exists(program):
            self.skipped.append("%s: no %s" % (name, program))
            return
        gather(sources, os.path.join(root, "unit.cu"))
        ok, said = run(["nvcc", "-arch=sm_%d" % sm] + FAST + ["-ptx", "-o", "unit.ptx", "unit.cu"], root)
        self.assemble(program, highest, name, sources, "nvcc %s -ptx" % " ".join(FAST), sm, ok, said)

    def clang(self, name, sm):
        root = self.options.root
        program = shutil.which("clang-14") or shutil.which("clang")
        if program is None:
            self.skipped.append("%s: no clang" % name)
            return
        sources = ["test/corpus/src/%s.cu" % name]
        gather(sources, os.path.join(root, "unit.cu"))
        # clang 14 knows the targets up to sm_86: the target line is what is edited for the later ones.
        flags = ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-O3",
                 "--cuda-gpu-arch=sm_%d" % min(sm, 86), "-S"]
        ok, said = run([program] + flags + ["-o", "unit.ptx", "unit.cu"], root)
        with open(os.path.join(root, "unit.ptx"), "r+", encoding="utf-8") as handle:
            text = re.sub(r"\.target sm_\d+", ".target sm_%d" % sm, handle.read())
            handle.seek(0)
            handle.truncate()
            handle.write(re.sub(r"\.version [0-9.]+", ".version 9.0", text) if sm > 86 else text)
        said_flags = "clang %s %s" % (release_of(program), " ".join(flags))
        self.assemble(shutil.which("ptxas"), None, name, sources, said_flags, sm, ok, said)

    def triton(self, sm):
        """Triton's kernels, where it is installed: one file a kernel, without line tables."""
        source = "test/corpus/src/triton_rows.py"
        os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
        try:
            import triton
            from triton.backends.compiler import GPUTarget
            from triton.compiler import ASTSource
        except ImportError:
            self.skipped.append("triton: not installed")
            return
        shutil.copy(os.path.join(TOP, source), os.path.join(self.options.root, "triton_rows.py"))
        sys.path.insert(0, self.options.root)
        sys.dont_write_bytecode = True
        import triton_rows
        for kernel, types in triton_rows.KERNELS:
            built = triton.compile(ASTSource(fn=kernel, signature=types, constexprs={"BLOCK": 512}),
                                   target=GPUTarget("cuda", sm, 32), options={"num_warps": 4})
            path = os.path.join(self.options.root, "unit.cubin")
            with open(path, "wb") as handle:
                handle.write(built.asm["cubin"])
            name = kernel.__name__.replace("_kernel", "")
            self.keep(name, sm, [source], "triton", triton.__version__, "BLOCK=512 num_warps=4", path)

    def assemble(self, program, highest, name, sources, front, sm, ok, said):
        root = self.options.root
        if ok:
            with open(os.path.join(root, "unit.ptx"), encoding="utf-8") as handle:
                text = handle.read()
            if highest:
                text = re.sub(r"^\.version .*$", ".version " + highest, text, count=1, flags=re.M)
            with open(os.path.join(root, "unit.ptx"), "w", encoding="utf-8") as handle:
                handle.write(text)
            ok, said = run([program, "-arch=sm_%d" % sm, "-O3", "-o", "unit.cubin", "unit.ptx"], root)
        if not ok:
            self.skipped.append("%s sm_%d: %s" % (name, sm, said.strip().splitlines()[0] if said.strip() else "failed"))
            return
        version = " (.version %s)" % highest if highest else ""
        flags = "%s; ptxas -arch=sm_%d -O3%s" % (front, sm, version)
        self.keep(name, sm, sources, "ptxas", release_of(program), flags, os.path.join(root, "unit.cubin"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--archs", default=",".join(str(sm) for sm in oracle.ARCHS))
    parser.add_argument("--root", default="/corpus")
    parser.add_argument("--ptxas-dir", default=".")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if shutil.which("nvcc") is None:
        print("skipped: nvcc not found")
        return 0
    builder = Builder(options)
    for sm in (int(word) for word in options.archs.split(",")):
        for name, sources, flags in NVCC:
            if options.only in name and sm in FEW.get(name, (sm,)):
                builder.nvcc(name, sources, flags, sm)
        for family, sources in (("probes", PROBES), ("loops", LOOPS), ("local_memory", ["test/corpus/src/local_memory.cu"]),
                                ("symbols", ["test/corpus/src/symbols.cu"])):
            for version, highest in PTXAS:
                name = "%s-ptxas-%s" % (family, version)
                if options.only in name and sm in FEW.get(name, (sm,)):
                    builder.ptxas(family, sources, version, highest, sm)
        for name in ("clang_f32", "trees_clang", "clang_loops"):
            if options.only in name and sm in FEW.get(name, (sm,)):
                builder.clang(name, sm)
        if options.only in "triton_rows":
            builder.triton(sm)
    for leftover in glob.glob(os.path.join(options.root, "unit.*")) + glob.glob(os.path.join(options.root, "triton_rows.py")):
        os.remove(leftover)
    with open(os.path.join(options.out, "manifest.tsv"), "w", encoding="utf-8") as handle:
        handle.write("# file\tsources\tcompiler\trelease\tflags\tarch\n")
        for row in sorted(builder.rows):
            handle.write("\t".join(row) + "\n")
    for line in builder.skipped:
        print("skipped: " + line)
    print("%d files" % len(builder.rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
