/* Prints which registers the micro-operations of words read and write: reads lines "sm offset hi lo" (decimal, then
 * hexadecimal) from standard input, writes "reads<tab>writes" for each, registers as R4 UR4 P0 UP0 in rising order.
 * tools/oracle sets it beside the live ranges of the vendor's disassembler: a wrong width or a forgotten operand shows
 * there. */
#include "base/arena.h"
#include "isa/isa.h"
#include "uop/uop_lift.h"

#include <inttypes.h>
#include <stdio.h>

enum { REGISTERS = 256 };

static void print_set(bool set[UOP_FILE_COUNT][REGISTERS])
{
    static const char *const names[] = {"R", "UR", "P", "UP", "B"};
    static const unsigned order[] = {UOP_FILE_R, UOP_FILE_P, UOP_FILE_UR, UOP_FILE_UP};
    const char *between = "";
    for (size_t f = 0; f < sizeof order / sizeof *order; f++)
        for (unsigned r = 0; r < REGISTERS; r++)
            if (set[order[f]][r]) {
                printf("%s%s%u", between, names[order[f]], r);
                between = " ";
            }
}

static void print_registers(const struct uop_list *list)
{
    bool reads[UOP_FILE_COUNT][REGISTERS] = {{false}};
    bool writes[UOP_FILE_COUNT][REGISTERS] = {{false}};
    for (size_t i = 0; i < list->ops.n; i++) {
        const struct uop *op = &list->ops.p[i];
        if (op->file >= UOP_FILE_COUNT || op->reg >= REGISTERS)
            continue;
        if (op->kind == UOP_READ)
            reads[op->file][op->reg] = true;
        else if (op->kind == UOP_WRITE)
            writes[op->file][op->reg] = true;
    }
    print_set(reads);
    putchar('\t');
    print_set(writes);
    puts(list->unknown ? "\tunknown" : "");
}

int main(void)
{
    char line[512];
    while (fgets(line, sizeof line, stdin)) {
        unsigned sm;
        uint32_t offset;
        struct bits128 word;
        if (sscanf(line, "%u %" SCNx32 " %" SCNx64 " %" SCNx64, &sm, &offset, &word.hi, &word.lo) != 4) {
            fprintf(stderr, "uop_registers: not \"sm offset hi lo\": %s", line);
            return 2;
        }
        struct arena arena;
        arena_init(&arena, 0);
        struct uop_lift_context context = {.sm = sm, .a = &arena};
        struct uop_list list = {.guard = UOP_NONE};
        struct isa_insn insn;
        isa_decode(sm, word, offset, &insn);
        uop_lift(&context, &insn, &list);
        print_registers(&list);
        arena_free(&arena);
    }
    return 0;
}
