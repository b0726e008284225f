/* An instruction's text to its parts: read_text 86 "@!P0 IMAD.WIDE R2, R4, R5, c[0x0][0x160]" */
#include <sassprobe/decode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct sp_instruction in;
    if (argc != 3)
        return 2;
    enum sp_status status = sp_instruction_parse((unsigned)atoi(argv[1]), argv[2], strlen(argv[2]), 0, &in);
    if (status != SP_OK) {
        fprintf(stderr, "%s\n", sp_status_text(status));
        return 1;
    }
    printf("opcode %s\n", sp_opcode_text(in.opcode));
    if (in.guard != SP_PRED_TRUE || in.guard_not)
        printf("runs if %sP%u is %s\n", in.guard_uniform ? "U" : "", in.guard, in.guard_not ? "false" : "true");
    for (unsigned i = 0; i < in.modifier_count; i++)
        printf("modifier %s\n", sp_modifier_text(in.modifiers[i]));
    for (unsigned i = 0; i < in.operand_count; i++) {
        const struct sp_operand *o = &in.operands[i];
        switch (o->kind) {
        case SP_OPERAND_REG:
            if (o->reg == SP_REG_ZERO)
                printf("operand %u: zero\n", i);
            else
                printf("operand %u: %sregister %u\n", i, o->flags & SP_OPERAND_NEG ? "minus " : "", o->reg);
            break;
        case SP_OPERAND_IMM: printf("operand %u: number %lld\n", i, (long long)o->value); break;
        case SP_OPERAND_CONST:
            printf("operand %u: constant bank %u, byte 0x%llx\n", i, o->bank, (unsigned long long)o->value);
            break;
        default: printf("operand %u: kind %u\n", i, o->kind);
        }
    }
    return 0;
}
