/* Prints words as isa_print does: reads lines "sm offset hi lo" (decimal, then hexadecimal) from standard input, writes
 * one line of text for each. tools/oracle/compare.py sets it beside the vendor's disassembler; a word without an
 * encoding prints as UNKNOWN. */
#include "isa/isa.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    char line[512];
    while (fgets(line, sizeof line, stdin)) {
        unsigned sm;
        uint32_t offset;
        struct bits128 word;
        char text[512];
        if (sscanf(line, "%u %" SCNx32 " %" SCNx64 " %" SCNx64, &sm, &offset, &word.hi, &word.lo) != 4) {
            fprintf(stderr, "isa_dump: not \"sm offset hi lo\": %s", line);
            return 2;
        }
        struct isa_insn insn;
        struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
        isa_decode(sm, word, offset, &insn);
        isa_print(sm, &insn, &options, text, sizeof text);
        puts(text);
    }
    return 0;
}
