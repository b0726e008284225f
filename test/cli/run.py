#!/usr/bin/env python3
"""Runs the command as a user does: the cases of cases.txt, then properties of its output (schemas, the worked document,
numbered statements, manual pages, determinism, colours, closed pipes).

usage: run.py PATH/TO/sassprobe [WORD…]   (only cases and checks whose title holds a word)
"""
import fnmatch
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build", "sassprobe")
WORDS = sys.argv[2:]
CLAMP = "cubin/sm86/02_control/clamp_f32.cubin"
CLAMP_SOURCE = "kernels/02_control/clamp_f32.cu"
LIMIT_S = 120


class Failure(Exception):
    pass


def run(args, env=None, check=None):
    full = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "LC_ALL", "LANG")}
    full.update(env or {})
    done = subprocess.run([TOOL] + args, cwd=ROOT, env=full, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S)
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if check is not None and done.returncode != check:
        raise Failure(f"{' '.join(args)}: exit {done.returncode}, not {check}; stderr: {err[:300]}")
    return done.returncode, out, err


def cubins():
    found = []
    for folder, _, files in sorted(os.walk(os.path.join(ROOT, "cubin"))):
        found += [os.path.relpath(os.path.join(folder, f), ROOT) for f in sorted(files) if f.endswith(".cubin")]
    if not found:
        raise Failure("no cubins in cubin/")
    return found


# ---- cases.txt

def read_cases():
    cases, case = [], None
    with open(os.path.join(ROOT, "test", "cli", "cases.txt"), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.startswith("== "):
                case = {"title": line[3:], "line": number, "rules": []}
                cases.append(case)
            elif line and not line.startswith("#"):
                key, _, value = line.partition(":")
                case["rules"].append((key, value.strip()))
    return cases


def run_case(case, scratch):
    rules = case["rules"]
    args = next(v for k, v in rules if k == "args").replace("$T", scratch).split()
    env = dict(v.split("=", 1) for k, v in rules if k == "env")
    code, out, err = run(args, env)
    for key, value in rules:
        text = {"stdout": out, "no-stdout": out, "stderr": err, "no-stderr": err}.get(key)
        if key == "exit" and code != int(value):
            raise Failure(f"exit {code}, not {value}; stderr: {err[:300]}")
        if text is not None:
            hit = any(fnmatch.fnmatchcase(line, value) for line in text.split("\n"))
            if hit == key.startswith("no-"):
                raise Failure(f"{key}: {value}: {'a' if hit else 'no'} line matches; got: {text[:300]!r}")
    if "AddressSanitizer" in err or "runtime error" in err:
        raise Failure(f"sanitizer: {err[:400]}")


# ---- checks

def load_schema(name):
    with open(os.path.join(ROOT, "doc", "schema", name + ".schema.json"), encoding="utf-8") as f:
        return json.load(f)


def validator(name):
    import jsonschema
    return jsonschema.Draft7Validator(load_schema(name))


def validate(name, document):
    for error in validator(name).iter_errors(document):
        raise Failure(f"{name}: at {'/'.join(map(str, error.path))}: {error.message[:300]}")


def check_schema_explain():
    """explain: every lab cubin's document is valid"""
    for path in cubins():
        try:
            validate("explain", json.loads(run(["explain", "--format", "json", path], check=0)[1]))
        except Failure as failure:
            raise Failure(f"{path}: {failure}")


def check_schema_compare():
    """explain: a comparison is valid JSON"""
    out = run(["explain", "--format", "json", "--compare", "clamp_f32_kernel", "relu_f32_kernel", "cubin/sm86/02_control"], check=0)[1]
    document = json.loads(out)
    validate("explain", document)
    rows = {row["subject"]: row for row in document["comparisons"][0]["rows"]}
    if not rows["instruction-classes"]["why"]:
        raise Failure("no reason for the instruction classes")
    if "NaN" not in rows["instruction-classes"]["why"]:
        raise Failure("the reason has no witness: " + rows["instruction-classes"]["why"])


def check_other_turns():
    """explain: loops that turn another number of times compute something else, whatever their words"""
    for a, b in (("doublings", "triplings"), ("collatz", "collatz_five"), ("exclusive_scan", "inclusive_scan"),
                 ("product_of_new", "product_of_old"), ("sum_below", "sum_over")):
        for path in ("carried.sm75", "carried.sm86", "carried.sm120", "carried-unoptimised.sm86"):
            for other, same in ((a, True), (b, False)):
                command = ["explain", "--format", "json", "--compare", a + "_kernel", other + "_kernel",
                           f"test/corpus/variants/{path}.cubin"]
                if other == a:
                    command.append(command[-1])
                rows = {row["subject"]: row for row in json.loads(run(command, check=0)[1])["comparisons"][0]["rows"]}
                if rows["outputs"]["same"] != same:
                    raise Failure(f"{path}: {a} and {other}: same is {rows['outputs']['same']}")


def check_schema_refuses():
    """explain: the schema holds for the worked document and refuses a word that is not in the vocabulary"""
    with open(os.path.join(ROOT, "test", "golden", "report", "clamp_f32.worked.json"), encoding="utf-8") as f:
        document = json.load(f)
    validate("explain", document)
    document["kernels"][0]["instructions"][0]["role"] = "magic"
    if validator("explain").is_valid(document):
        raise Failure("a role that does not exist is valid")


def check_why_of_a_comparison():
    """explain: the rows of a comparison have their evidence"""
    base = ["--compare", "clamp_f32_kernel", "relu_f32_kernel", "cubin/sm86/02_control"]
    out = run(["explain"] + base, check=0)[1]
    numbers = re.findall(r"^ +\[(\d+)\] +instruction-classes", out, re.M)
    if len(numbers) != 1:
        raise Failure(f"numbers of the row: {numbers}")
    why = run(["explain", "--why", numbers[0]] + base, check=0)[1]
    if "compare-and-select" not in why:
        raise Failure(why[:300])


SIZED = "test/corpus/lines/sized.sm86.cubin"
SIZED_SOURCES = ["test/corpus/lines/sized.cu", "test/corpus/lines/sized.cuh"]


def texts_of(cubin, *sources):
    """(text by file and line, how each file was matched, why not, messages) of what is shown."""
    args = ["explain", "--format", "json"]
    for source in sources:
        args += ["--source", source]
    document = json.loads(run(args + [cubin], check=0)[1])
    validate("explain", document)
    names = [os.path.basename(f) for f in document["files"]]
    texts = {(names[l["file"]], l["line"]): l["text"] for k in document["kernels"] for l in k["lines"]}
    matched = {names[s["file"]]: s["matched"] for s in document["sources"]}
    why = {names[s["file"]]: s["why"] for s in document["sources"]}
    return texts, matched, why, [d["code"] for d in document["diagnostics"]]


def check_source_texts():
    """explain: the text of a line is the line's, or is not shown"""
    with open(os.path.join(ROOT, SIZED_SOURCES[0]), "rb") as f:
        text = f.read()
    with open(os.path.join(ROOT, CLAMP_SOURCE), "rb") as f:
        clamp = f.read()
    lines = text.decode().split("\n")
    with tempfile.TemporaryDirectory() as scratch:
        def write(name, content):
            path = os.path.join(scratch, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(content)
            return path

        def expect(what, found, wanted):
            if found != wanted:
                raise Failure(f"{what}: {found!r}, not {wanted!r}")

        texts, matched, _, codes = texts_of(SIZED, *SIZED_SOURCES)
        expect("both", matched, {"sized.cu": "size", "sized.cuh": "size"})
        expect("a line of the header", texts["sized.cuh", 6], "return a * a + b;")
        for (name, line), shown in texts.items():
            if name == "sized.cu":
                expect(f"line {line}", shown, lines[line - 1].strip())
        expect("diagnostics", codes, [])

        texts, matched, _, _ = texts_of(SIZED, SIZED_SOURCES[0])
        expect("a header that is not given", (matched["sized.cuh"], texts["sized.cuh", 6]), (None, None))

        texts, matched, _, _ = texts_of(SIZED, write("crlf/sized.cu", text.replace(b"\n", b"\r\n")))
        expect("other line ends", (matched["sized.cu"], texts["sized.cu", 8]), ("size", "if (i >= n)"))

        _, matched, why, codes = texts_of(SIZED, write("named/other.cu", text))
        expect("another name", (matched["sized.cu"], codes), ("size", ["source-name"]))
        if "sized.cu" not in why["sized.cu"]:
            raise Failure(f"another name is not told: {why}")

        for what, content in (("a line more", b"// new\n" + text), ("a line less", text[text.index(b"\n") + 1:]),
                              ("other words", text.replace(b"i >= n", b"i > n  ").replace(b"thrice(s)", b"thrice(s, 1)"))):
            texts, matched, why, codes = texts_of(SIZED, write("changed/sized.cu", content))
            shown = [t for (name, _), t in texts.items() if name == "sized.cu" and t is not None]
            expect(what, (matched["sized.cu"], shown, codes), (None, [], ["source-differs"]))
            if "bytes" not in why["sized.cu"]:
                raise Failure(f"{what}: {why}")

        # No size is recorded: what can be checked is whether lines are there, hold code, and kernels begin on theirs.
        _, matched, _, codes = texts_of(CLAMP, write("bare/clamp_f32.cu", clamp))
        expect("by its name", (matched["clamp_f32.cu"], codes), ("name", []))
        for what, content in (("a line before", b"int a;\n" + clamp), ("short", b"\n".join(clamp.split(b"\n")[:5])),
                              ("a blank line", clamp.replace(b"    if (v < lo) v = lo;\n", b"\n    if (v < lo) v = lo;\n")),
                              ("another file", b"int main() { return 0; }\n" * 30),
                              ("nothing", b"")):
            texts, matched, _, codes = texts_of(CLAMP, write("bare/clamp_f32.cu", content))
            shown = [t for t in texts.values() if t is not None]
            if what == "another file":  # nothing speaks against it: it has no kernel, and code on every line
                continue
            expect(what, (matched["clamp_f32.cu"], shown, codes), (None, [], ["source-differs"]))
        _, matched, _, codes = texts_of(CLAMP, write("bare/renamed.cu", clamp))
        expect("its kernels stand there", (matched["clamp_f32.cu"], codes), ("shape", ["source-name"]))
        _, matched, _, codes = texts_of(CLAMP, write("bare/renamed.cu", b"int main() { return 0; }\n" * 30))
        expect("of another name and shape", (matched["clamp_f32.cu"], codes), (None, ["source-unused"]))

        # Two texts of one name: the path tells which, or neither is shown.
        right, wrong = write("kernels/02_control/clamp_f32.cu", clamp), write("other/clamp_f32.cu", clamp.replace(b"v", b"w"))
        texts, _, _, _ = texts_of(CLAMP, wrong, right)
        expect("the better path", texts["clamp_f32.cu", 5], "float v = x[i];")
        _, matched, why, _ = texts_of(CLAMP, write("a/clamp_f32.cu", clamp), wrong)
        expect("two of one name", matched["clamp_f32.cu"], None)
        if "several" not in why["clamp_f32.cu"]:
            raise Failure(why["clamp_f32.cu"])
        _, matched, _, _ = texts_of(CLAMP, write("a/clamp_f32.cu", clamp), write("b/clamp_f32.cu", clamp))
        expect("one text twice", matched["clamp_f32.cu"], "name")

        # #line gives lines to other files; what they are called there is what the table speaks of.
        texts, matched, _, _ = texts_of("test/corpus/image/lines.13.0.sm_86.cubin", "test/corpus/image/lines.cu")
        expect("renumbered", (matched["lines.cu"], texts["lines.cu", 16]), ("name", "__global__ void calling(float *y)"))
        texts, matched, _, _ = texts_of(CLAMP, write("lab/probe.cu", b'#line 1 "/kernels/02_control/clamp_f32.cu"\n' + clamp))
        expect("a text within another", (matched["clamp_f32.cu"], texts["clamp_f32.cu", 5]), ("name", "float v = x[i];"))


def check_lines_of_every_cubin():
    """explain --lines: every instruction stands once, in order; no line is wider than asked"""
    for path in cubins()[:12] + [SIZED, "test/corpus/variants/trees.sm86.cubin"]:
        document = json.loads(run(["explain", "--format", "json", path], check=0)[1])
        for width in (80, 133):
            out = run(["explain", "--lines", "--width", str(width), path], check=0)[1]
            wide = [line for line in out.split("\n") if len(line) > width]
            if wide:
                raise Failure(f"{path}: {len(wide[0])} columns: {wide[0]}")
            found = re.findall(r" (0x[0-9a-f]{4,})  [A-Z@]", out)
            wanted = [f"0x{i['offset']:04x}" for k in document["kernels"] for i in k["instructions"]]
            if found != wanted:
                raise Failure(f"{path}: {len(found)} of {len(wanted)} instructions")


def check_lines_ptx():
    """explain --lines: every statement of PTX stands once, in each of the ways in which it can be at hand"""
    for path, more in ((SIZED, []), (CLAMP, ["--source", CLAMP_SOURCE]), ("cubin/sm120/05_nn_ops/softmax_small_f32.cubin", [])):
        document = json.loads(run(["explain", "--format", "json", path], check=0)[1])
        out = run(["explain", "--lines", "--width", "400"] + more + [path], check=0)[1]
        for k in document["kernels"]:
            if not k["ptx"]:
                raise Failure(f"{path}: no PTX of {k['name']}")
            for ptx in k["ptx"]:
                if out.count(f" {ptx['line']}  {ptx['text']} ") + out.count(f" {ptx['line']}  {ptx['text']}\n") != 1:
                    raise Failure(f"{path}: line {ptx['line']}: {ptx['text']}")


def check_schema_list():
    """list: the whole cubin folder is valid, and files that hold modules; these explained, too"""
    document = json.loads(run(["list", "--format", "json", "cubin"], check=0)[1])
    validate("list", document)
    if len(document["modules"]) != len(cubins()):
        raise Failure(f"{len(document['modules'])} modules of {len(cubins())} cubins")
    fatbins = [f"test/corpus/fatbin/{f}" for f in ("host.o", "linked.so", "lto.o", "packed.size.fatbin", "static.a")]
    validate("list", json.loads(run(["list", "--format", "json"] + fatbins, check=0)[1]))
    for path in fatbins:
        validate("explain", json.loads(run(["explain", "--format", "json", path], check=0)[1]))


def check_schema_run():
    """run: valid with and without findings and counters; the same launch gives the same bytes"""
    cubin = "cubin/sm90/03_reduction/reduce_sum_f32.cubin"
    for launch, code in (("reduce", 0), ("reduce_short", 1), ("limit", 1)):
        args = ["run", "--launch", f"test/cli/launch/{launch}.json", "--format", "json", "--counters", cubin]
        text = run(args, check=code)[1]
        document = json.loads(text)
        validate("run", document)
        if run(args, check=code)[1] != text:
            raise Failure(f"{launch}: two runs differ")
        if bool(document["findings"]) != bool(code) or not document["counters"]:
            raise Failure(f"{launch}: {document['findings']}")


def check_schema_disasm():
    """disasm: one valid object a kernel a line"""
    v = validator("disasm")
    for path in cubins():
        for line in run(["disasm", "--format", "json", path], check=0)[1].splitlines():
            for error in v.iter_errors(json.loads(line)):
                raise Failure(f"{path}: at {'/'.join(map(str, error.path))}: {error.message[:200]}")


def difference(expected, got, path, skip):
    """The first difference, or None. Keys in skip are not looked at; more keys than expected are fine."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key, value in expected.items():
            if key in skip:
                continue
            if key not in got:
                return f"{path}.{key}: missing"
            found = difference(value, got[key], f"{path}.{key}", skip)
            if found:
                return found
        return None
    if isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            return f"{path}: {len(got)} entries, not {len(expected)}: {json.dumps(got)[:300]}"
        for i, (a, b) in enumerate(zip(expected, got)):
            found = difference(a, b, f"{path}[{i}]", skip)
            if found:
                return found
        return None
    return None if expected == got else f"{path}: {json.dumps(got)[:200]}, not {json.dumps(expected)[:200]}"


def check_worked_document():
    """explain: clamp_f32 equals the worked document"""
    with open(os.path.join(ROOT, "test", "golden", "report", "clamp_f32.worked.json"), encoding="utf-8") as f:
        expected = json.load(f)
    got = json.loads(run(["explain", "--format", "json", "--source", CLAMP_SOURCE, CLAMP], check=0)[1])
    # Prose is never compared. Rewrites have no order of their own.
    skip = {"summary", "occupancy", "evidence", "tool"}
    for document in (expected, got):
        for kernel in document["kernels"]:
            kernel["rewrites"].sort(key=lambda r: (r["sass"], r["kind"]))
    found = difference(expected, got, "document", skip)
    if found:
        raise Failure(found)


def check_worked_positions():
    """explain: without the source the same, with names by position"""
    def rename(text):
        names = {"x": "p0", "y": "p1", "lo": "p2", "hi": "p3", "n": "p4"}
        return re.sub(r"\b(lo|hi|[xyn])\b", lambda m: names[m.group(1)], text)
    got = json.loads(run(["explain", "--format", "json", CLAMP], check=0)[1])["kernels"][0]
    named = json.loads(run(["explain", "--format", "json", "--source", CLAMP_SOURCE, CLAMP], check=0)[1])["kernels"][0]
    if [p["name"] for p in got["params"]] != ["p0", "p1", "p2", "p3", "p4"]:
        raise Failure(f"names: {[p['name'] for p in got['params']]}")
    if {p["name_from"] for p in got["params"]} != {"position"}:
        raise Failure("name_from is not position")
    for a, b in zip(named["outputs"], got["outputs"]):
        if rename(a["real"]) != b["real"] or rename(a["exact"]) != b["exact"]:
            raise Failure(f"{b['exact']} is not {a['exact']} renamed")


def check_keys_in_order():
    """explain: keys come in the order of the worked document"""
    with open(os.path.join(ROOT, "test", "golden", "report", "clamp_f32.worked.json"), encoding="utf-8") as f:
        expected = json.load(f)
    got = json.loads(run(["explain", "--format", "json", CLAMP], check=0)[1])
    for path, a, b in (("top", expected, got), ("kernel", expected["kernels"][0], got["kernels"][0]),
                       ("instruction", expected["kernels"][0]["instructions"][0], got["kernels"][0]["instructions"][0])):
        if [k for k in b if k in a] != list(a):
            raise Failure(f"{path}: {list(b)}")


def check_statements():
    """explain: every [n] of the text has its evidence, and no other number has"""
    out = run(["explain", "--color", "never", CLAMP], check=0)[1]
    numbers = [int(n) for n in re.findall(r"^ +\[(\d+)\]", out, re.M)]
    if numbers != list(range(1, len(numbers) + 1)):
        raise Failure(f"numbers on the page: {numbers}")
    for n in numbers:
        why = run(["explain", "--why", str(n), CLAMP], check=0)[1]
        if f"[{n}]" not in why:
            raise Failure(f"--why {n} does not repeat its statement")
    run(["explain", "--why", str(len(numbers) + 1), CLAMP], check=2)
    run(["explain", "--why", "0", CLAMP], check=2)
    summary = run(["explain", "--level", "summary", CLAMP], check=0)[1]
    for n in re.findall(r"^ +\[(\d+)\] .*", summary, re.M):
        if int(n) not in numbers:
            raise Failure(f"the summary has [{n}], the full report has not")


def check_every_instruction():
    """explain: --at shows every instruction of the listing"""
    kernel = json.loads(run(["explain", "--format", "json", CLAMP], check=0)[1])["kernels"][0]
    for instruction in kernel["instructions"]:
        out = run(["explain", "--at", hex(instruction["offset"]), CLAMP], check=0)[1]
        if instruction["text"] not in out or instruction["role"] not in out:
            raise Failure(f"--at {instruction['offset']:#x}: {out[:200]}")


def check_width():
    """explain: text keeps to its width"""
    for path in [p for p in cubins() if "/sm86/" in p or "/sm120/" in p]:
        for line in run(["explain", path], check=0)[1].split("\n"):
            if len(line) > 100:
                raise Failure(f"{path}: {len(line)} columns: {line}")


def check_same_bytes():
    """explain: same input, same bytes, whatever the locale"""
    a = run(["explain", "--format", "json", "cubin/sm86"], check=0)[1]
    b = run(["explain", "--format", "json", "cubin/sm86"], env={"LC_ALL": "de_DE.UTF-8"}, check=0)[1]
    if a != b:
        raise Failure("two runs differ")


def check_standard_input():
    """explain: - reads standard input"""
    with open(os.path.join(ROOT, CLAMP), "rb") as f:
        done = subprocess.run([TOOL, "explain", "--level", "summary", "-"], cwd=ROOT, stdin=f, stdout=subprocess.PIPE, timeout=LIMIT_S)
    if done.returncode != 0 or b"clamp_f32_kernel" not in done.stdout:
        raise Failure(f"exit {done.returncode}")


def check_closed_pipe():
    """explain: a closed pipe ends the work without a word"""
    p = subprocess.Popen([TOOL, "explain", "cubin"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout.read(10)
    p.stdout.close()
    err = p.stderr.read()
    code = p.wait(timeout=LIMIT_S)
    if code != 0 or b"write" in err:
        raise Failure(f"exit {code}: {err[:200]!r}")


def check_full_disk():
    """explain: output that cannot be written is an error"""
    if not os.path.exists("/dev/full"):
        return "no /dev/full here"
    with open("/dev/full", "w") as full:
        done = subprocess.run([TOOL, "explain", CLAMP], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=LIMIT_S)
    if done.returncode != 3 or b"cannot write" not in done.stderr:
        raise Failure(f"exit {done.returncode}: {done.stderr[:200]!r}")


def on_terminal(args, env):
    """The output of the command on a pseudo-terminal."""
    parent, child = pty.openpty()
    full = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    full.update(env, TERM="xterm")
    p = subprocess.Popen([TOOL] + args, cwd=ROOT, env=full, stdout=child, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    os.close(child)
    out = b""
    while True:
        try:
            chunk = os.read(parent, 65536)
        except OSError:
            break
        if not chunk:
            break
        out += chunk
    os.close(parent)
    p.wait(timeout=LIMIT_S)
    return out


def check_colours():
    """explain: colours on a terminal, none with NO_COLOR"""
    plain = run(["explain", CLAMP], check=0)[1]
    coloured = run(["explain", "--color", "always", CLAMP], check=0)[1]
    if re.sub("\x1b\\[[0-9]*m", "", coloured) != plain:
        raise Failure("colours change the text")
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        # A bare chroot has no /dev/pts.
        return f"no pseudo-terminal here ({error})"
    if b"\x1b[" not in on_terminal(["explain", CLAMP], {}):
        raise Failure("no colours on a terminal")
    if b"\x1b[" in on_terminal(["explain", CLAMP], {"NO_COLOR": "1"}):
        raise Failure("colours in spite of NO_COLOR")


def check_man_pages():
    """man pages are those that the option tables make"""
    for name in ("", "explain", "disasm", "list", "what", "lab"):
        out = run(([name] if name else []) + ["--print-man"], check=0)[1]
        with open(os.path.join(ROOT, "doc", "man", f"sassprobe{'-' + name if name else ''}.1"), encoding="utf-8") as f:
            if f.read() != out:
                raise Failure(f"doc/man/sassprobe{'-' + name if name else ''}.1 is out of date (sassprobe {name} --print-man)")


def check_damage():
    """explain: cut files end with 3 or are reported whole, never by a signal"""
    with open(os.path.join(ROOT, CLAMP), "rb") as f:
        whole = f.read()
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "cut.cubin")
        for n in list(range(0, 64, 7)) + list(range(64, len(whole), max(1, len(whole) // 40))):
            with open(path, "wb") as f:
                f.write(whole[:n])
            code, _, err = run(["explain", "--format", "json", path])
            if code not in (0, 2, 3) or "Sanitizer" in err:
                raise Failure(f"{n} bytes: exit {code}: {err[:300]}")


CHECKS = [check_source_texts, check_lines_of_every_cubin, check_lines_ptx, check_schema_explain, check_schema_compare, check_other_turns, check_schema_refuses,
          check_why_of_a_comparison, check_schema_list, check_schema_run, check_schema_disasm, check_worked_document,
          check_worked_positions, check_keys_in_order, check_statements, check_every_instruction, check_width, check_same_bytes,
          check_standard_input, check_closed_pipe, check_full_disk, check_colours,
          check_man_pages, check_damage]


def main():
    passed = failed = 0
    scratch = tempfile.mkdtemp()
    try:
        with open(os.path.join(scratch, "text.cubin"), "w") as f:
            f.write("this is not a cubin\n")
        if os.path.exists(os.path.join(ROOT, CLAMP)):
            with open(os.path.join(ROOT, CLAMP), "rb") as f:
                whole = f.read()
            with open(os.path.join(scratch, "damaged.cubin"), "wb") as f:
                f.write(whole[:len(whole) // 2])
        work = [(case["title"], lambda case=case: run_case(case, scratch)) for case in read_cases()]
        work += [(check.__doc__, check) for check in CHECKS]
        for title, action in work:
            if WORDS and not any(word in title for word in WORDS):
                continue
            try:
                skipped = action()
            except ImportError as missing:
                print(f"skipped: {title}: no python3 module {missing.name}")
                continue
            except (Failure, subprocess.TimeoutExpired, ValueError, KeyError, IndexError, OSError) as failure:
                print(f"FAILED: {title}: {type(failure).__name__ if not isinstance(failure, Failure) else ''} {failure}")
                failed += 1
                continue
            if skipped:
                print(f"skipped: {title}: {skipped}")
            else:
                passed += 1
    finally:
        shutil.rmtree(scratch)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
