"""Writes every instruction of some cubins with nvdisasm's text: arch, kernel, offset, lo, hi, text, tab-separated.

usage: dump_words.py CUBIN... > rows.tsv     (nvdisasm from $NVDISASM or PATH; without it: says so and writes nothing)
"""
import sys

import oracle


def main(paths):
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None:
        print("skipped: nvdisasm not found", file=sys.stderr)
        return 0
    print("# nvdisasm %s\n# arch\tkernel\toffset\tlo\thi\ttext" % oracle.release(nvdisasm))
    rows = []
    places = {}
    for path in paths:
        cubin = oracle.read_cubin(path)
        for kernel, code in sorted(cubin.code.items()):
            for i, word in enumerate(oracle.words_of(code)):
                rows.append((cubin.sm, kernel, 16 * i, word))
                places.setdefault(cubin.sm, []).append((16 * i, word))
    texts = {sm: oracle.disassemble_at(nvdisasm, sm, found) for sm, found in sorted(places.items())}
    for sm, kernel, offset, word in rows:
        print("%d\t%s\t%x\t%s\t%s\t%s" % ((sm, kernel, offset) + oracle.word_hex(word) + (texts[sm][offset, word],)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
