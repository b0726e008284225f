/* How often each opcode stands in bare machine code: count_opcodes 86 FILE. No container, no allocation. */
#include <sassprobe/decode.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPCODES = 65536 };

int main(int argc, char **argv)
{
    static unsigned long count[OPCODES];
    unsigned char code[SP_INSTRUCTION_BYTES];
    FILE *f = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!f) {
        fprintf(stderr, "usage: count_opcodes SM FILE\n");
        return 2;
    }
    for (unsigned offset = 0;; offset += SP_INSTRUCTION_BYTES) {
        struct sp_instruction in;
        size_t n = fread(code, 1, sizeof code, f);
        if (n == 0)
            break;
        enum sp_status status = sp_decode((unsigned)atoi(argv[1]), code, n, offset, &in);
        if (status != SP_OK && status != SP_ERR_ENCODING) {
            fprintf(stderr, "0x%x: %s\n", offset, sp_status_text(status));
            fclose(f);
            return 1;
        }
        count[in.opcode]++; /* what is no instruction is counted as SP_OPCODE_UNKNOWN */
    }
    fclose(f);
    for (unsigned op = 0; op < OPCODES; op++)
        if (count[op])
            printf("%8lu %s\n", count[op], sp_opcode_text(op));
    return 0;
}
