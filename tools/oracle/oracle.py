"""What the vendor's disassembler says about words, and where the words of a cubin lie.

Everything the oracle tools share: finding nvdisasm, disassembling a list of 16-byte words of one architecture (a word
that nvdisasm refuses has no text), and reading the code sections of a cubin. The text is that of nvdisasm's raw mode:
a function of architecture, offset and word alone, so branch targets are numbers and no label or annotation appears.
"""
import os
import re
import shutil
import struct
import subprocess
import tempfile

ARCHS = (75, 80, 86, 89, 90, 100, 120)

_LINE = re.compile(r"^\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;?\s*$")
_ADDRESS = re.compile(r"at address (0x[0-9a-f]+)")


def find_nvdisasm():
    """The disassembler's path ($NVDISASM, else on PATH), or None."""
    path = os.environ.get("NVDISASM")
    return path if path else shutil.which("nvdisasm")


def release(nvdisasm):
    """The release nvdisasm gives for itself, such as 13.5.37."""
    text = subprocess.run([nvdisasm, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"V([0-9.]+)", text).group(1)


def _run(nvdisasm, sm, words):
    """One run over words = [(offset, word bytes)], rising offsets; (texts by offset or None, refused offsets)."""
    base = words[0][0]
    image = b"".join(word for _, word in words)
    with tempfile.NamedTemporaryFile(suffix=".bin") as handle:
        handle.write(image)
        handle.flush()
        command = [nvdisasm, "-ndf", "-raw", "-b", "SM%d" % sm, "-base", hex(base), handle.name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, errors="replace")
        except subprocess.TimeoutExpired:
            return None, set()
    if done.returncode != 0:
        return None, {int(match, 16) for match in _ADDRESS.findall(done.stderr)}
    texts = {}
    for line in done.stdout.splitlines():
        match = _LINE.match(line)
        if match:
            texts[int(match.group(1), 16)] = match.group(2)
    return texts, set()


def disassemble(nvdisasm, sm, words, offset=0):
    """Texts of 16-byte words that lie one behind the other from `offset` on; None where nvdisasm refuses.

    nvdisasm prints nothing when one word is illegal, but names all such words: they are replaced by a known good one
    and the rest is run again. A run that fails without names is halved."""
    texts = [None] * len(words)
    if not words:
        return texts
    filler = _filler(sm)
    refused = set()
    for _ in range(4):
        run = [(offset + 16 * i, filler if i in refused else word) for i, word in enumerate(words)]
        found, bad = _run(nvdisasm, sm, run)
        if found is not None:
            for i in range(len(words)):
                if i not in refused:
                    texts[i] = found.get(offset + 16 * i)
            return texts
        new = {(address - offset) // 16 for address in bad} - refused
        if not new:
            break
        refused |= new
    if len(words) == 1:
        return texts
    half = len(words) // 2
    return (disassemble(nvdisasm, sm, words[:half], offset) +
            disassemble(nvdisasm, sm, words[half:], offset + 16 * half))


def disassemble_at(nvdisasm, sm, places):
    """Texts of places = [(offset, word)], any order, repeats welcome, in few runs: {(offset, word): text or None}.

    A word whose text is the same at two far places is taken to depend on no offset; the others (branches) are laid out
    at their offsets between NOPs, as many at once as have different offsets."""
    unique = sorted({word for _, word in places})
    near = disassemble(nvdisasm, sm, unique)
    far = disassemble(nvdisasm, sm, unique, 0x40000)
    fixed = {word: text for word, text, other in zip(unique, near, far) if text == other}
    result = {}
    waiting = {}
    for offset, word in set(places):
        if word in fixed:
            result[offset, word] = fixed[word]
        else:
            waiting.setdefault(offset, []).append(word)
    while waiting:
        turn = {offset: words.pop() for offset, words in sorted(waiting.items())}
        waiting = {offset: words for offset, words in waiting.items() if words}
        image = [turn.get(offset, _filler(sm)) for offset in range(0, max(turn) + 16, 16)]
        texts = disassemble(nvdisasm, sm, image)
        for offset, word in turn.items():
            result[offset, word] = texts[offset // 16]
    return result


def _filler(sm):
    """A NOP: the same word on every architecture here."""
    del sm
    return struct.pack("<QQ", 0x0000000000007918, 0x000FC00000000000)


def legal(text):
    """True when nvdisasm prints an instruction, rather than a complaint in an instruction's place."""
    return text is not None and "???" not in text and "INVALID" not in text and "UNDEF" not in text


class Cubin:
    """The parts of a cubin the oracle tools need: architecture and code sections {name: bytes}."""

    def __init__(self, data):
        if data[:4] != b"\x7fELF" or data[4] != 2:
            raise ValueError("not a 64-bit ELF file")
        flags, = struct.unpack_from("<I", data, 48)
        # Two layouts: ABI 8 (CUDA 13) keeps the architecture one byte higher than ABI 7 and before.
        self.sm = (flags >> 8) & 0xFF if data[8] >= 8 else flags & 0xFF
        table, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * i) for i in range(count)]
        strings = sections[names][4]
        self.code = {}
        for section in sections:
            start = strings + section[0]
            name = data[start:data.index(b"\0", start)].decode()
            if name.startswith(".text."):
                self.code[name[len(".text."):]] = data[section[4]:section[4] + section[5]]


def read_cubin(path):
    with open(path, "rb") as handle:
        return Cubin(handle.read())


def words_of(code):
    return [code[i:i + 16] for i in range(0, len(code) - 15, 16)]


def word_hex(word):
    """(lo, hi) as 16 hex digits each."""
    return tuple("%016x" % half for half in struct.unpack("<QQ", word))


def make_word(lo, hi):
    return struct.pack("<QQ", lo, hi)


def read_rows(path):
    """Rows of a tab-separated file, comments and blank lines skipped."""
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                yield line.split("\t")
