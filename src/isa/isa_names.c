/* Names of opcodes and modifiers, both ways. The lists are generated sorted by spelling, so a name is found by
 * bisection and an index is its own key. */
#include "isa/isa.h"

#include <string.h>

static const char *const op_text[] = {
    "UNKNOWN",
#define ISA_OP_ROW(id, text) text,
#define ISA_MOD_ROW(id, text)
#include "isa_names.inc"
#undef ISA_OP_ROW
#undef ISA_MOD_ROW
};

static const char *const mod_text[] = {
    "",
#define ISA_OP_ROW(id, text)
#define ISA_MOD_ROW(id, text) text,
#include "isa_names.inc"
#undef ISA_OP_ROW
#undef ISA_MOD_ROW
};

/* Index of `text` in names[1 .. count-1], 0 when it is not there. */
static unsigned find_name(const char *const *names, unsigned count, const char *text)
{
    unsigned low = 1, high = count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        int order = strcmp(text, names[middle]);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

const char *isa_op_text(enum isa_op op)
{
    return (unsigned)op < ISA_OP_COUNT ? op_text[op] : op_text[0];
}

const char *isa_mod_text(enum isa_mod mod)
{
    return (unsigned)mod < ISA_MOD_COUNT ? mod_text[mod] : mod_text[0];
}

const char *isa_handle_text(unsigned handle)
{
    static const char *const text[ISA_HANDLE_COUNT] = {"", "gdesc", "idesc", "tmem", "desc", "a"};
    return handle < ISA_HANDLE_COUNT ? text[handle] : "";
}

enum isa_op isa_op_find(const char *text)
{
    return (enum isa_op)find_name(op_text, ISA_OP_COUNT, text);
}

enum isa_mod isa_mod_find(const char *text)
{
    return (enum isa_mod)find_name(mod_text, ISA_MOD_COUNT, text);
}

bool isa_has_mod(const struct isa_insn *insn, enum isa_mod mod)
{
    for (unsigned i = 0; i < insn->mod_count; i++)
        if (insn->mods[i] == mod)
            return true;
    return false;
}

bool isa_operand_has_mod(const struct isa_operand *operand, enum isa_mod mod)
{
    for (unsigned i = 0; i < ISA_MAX_OPERAND_MODS; i++)
        if (operand->mods[i] == mod)
            return true;
    return operand->ubase_mods[0] == mod;
}
