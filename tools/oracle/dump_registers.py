"""Which registers each instruction of some cubins reads and writes, by nvdisasm's live ranges (-plr).

usage: dump_registers.py CUBIN... > rows.tsv
Rows: arch, kernel, offset, lo, hi, reads, writes; registers as R4 P0 UR4 UP0, blank-separated, rising. nvdisasm marks what its
own data flow says, so a kernel it gives no table for (its warning goes by) has no rows.
"""
import re
import subprocess
import sys

import oracle

_FILES = {"GPR": "R", "PRED": "P", "UGPR": "UR", "UPRED": "UP"}
_CODE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/")


def columns_of(header, numbers):
    """[(position, register)] from the two lines above a table: file names, then register numbers."""
    found = []
    for match in re.finditer(r"\|([^|]*)(?=\|)", header):
        file = _FILES.get(match.group(1).strip())
        start, end = match.span(1)
        for number in re.finditer(r"\d+", numbers[start:end]):
            # A number is written with its last digit over the register's column.
            found.append((start + number.end() - 1, "%s%s" % (file, number.group())))
    return found


def registers(nvdisasm, path):
    said = subprocess.run([nvdisasm, "-c", "-plr", "-lrm", "wide", path], capture_output=True, text=True, check=False).stdout
    kernel, header, columns, rows = None, None, None, []
    for line in said.splitlines():
        if line.startswith("\t.section\t.text."):
            kernel, columns = line.split(".text.")[1].split(",")[0], None
        mark = line.find("// |")
        if mark < 0:
            continue
        table = line[mark + 3:]
        if "GPR" in table:
            header = table
        elif header is not None:
            columns, header = columns_of(header, table), None
        found = _CODE.match(line)
        if found and columns is not None:
            cells = [(name, table[at] if at < len(table) else " ") for at, name in columns]
            reads = [name for name, cell in cells if cell in "vx"]
            writes = [name for name, cell in cells if cell in "^x"]
            rows.append((kernel, int(found.group(1), 16), reads, writes))
    return rows


def main(paths):
    nvdisasm = oracle.find_nvdisasm()
    if nvdisasm is None:
        print("skipped: nvdisasm not found", file=sys.stderr)
        return 0
    print("# nvdisasm %s\n# arch\tkernel\toffset\tlo\thi\treads\twrites" % oracle.release(nvdisasm))
    for path in paths:
        cubin = oracle.read_cubin(path)
        for kernel, offset, reads, writes in registers(nvdisasm, path):
            lo, hi = oracle.word_hex(cubin.code[kernel][offset:offset + 16])
            print("%d\t%s\t%x\t%s\t%s\t%s\t%s" % (cubin.sm, kernel, offset, lo, hi, " ".join(reads), " ".join(writes)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
