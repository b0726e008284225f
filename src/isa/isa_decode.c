/* Word -> structure. The opcode bits select a short list of rows; the first row whose conditions hold says what
 * modifiers and operands stand in which bits. Requires the generated tables only; allocates nothing, keeps nothing. */
#include "isa/isa_read.h"

#include "isa_tables.inc"

#include <string.h>

enum { ARCH_COUNT = sizeof isa_arch_numbers / sizeof *isa_arch_numbers };

const unsigned *isa_archs(size_t *count)
{
    *count = ARCH_COUNT;
    return isa_arch_numbers;
}

unsigned isa_arch_place(unsigned sm)
{
    return sm < sizeof isa_arch_at ? isa_arch_at[sm] : 0;
}

const struct isa_arch_table *isa_arch_table(unsigned sm)
{
    unsigned at = isa_arch_place(sm);
    return at ? &isa_arch_tables[at - 1] : NULL;
}

bool isa_arch_known(unsigned sm)
{
    return isa_arch_table(sm) != NULL;
}

unsigned isa_arch_nearest(unsigned sm)
{
    unsigned best = 0;
    for (unsigned i = 0; i < ARCH_COUNT; i++)
        if (isa_arch_numbers[i] <= sm && isa_arch_numbers[i] / 10 == sm / 10)
            best = isa_arch_numbers[i];
    return best ? best : sm > 100 && sm < 120 && isa_arch_known(100) ? 100 : 0;
}

const struct isa_row *isa_row_find(unsigned sm, struct bits128 word)
{
    const struct isa_arch_table *table = isa_arch_table(sm);
    return table ? isa_table_row(table, word) : NULL;
}

const uint16_t *isa_sequence(const struct isa_enum *e, unsigned v)
{
    uint16_t code = v < e->count ? isa_codes[e->first + v] : ISA_CODE_ILLEGAL;
    return code == ISA_CODE_ILLEGAL ? NULL : &isa_sequences[code];
}

struct isa_control isa_control_of(struct bits128 word)
{
    uint64_t hi = word.hi;
    return (struct isa_control){.stall = (uint8_t)(hi >> 41 & 15),
                                .yield = !(hi >> 45 & 1),
                                .write_barrier = (uint8_t)(hi >> 46 & 7),
                                .read_barrier = (uint8_t)(hi >> 49 & 7),
                                .wait_mask = (uint8_t)(hi >> 52 & 63),
                                .reuse = (uint8_t)(hi >> 58 & 7)};
}

static bool decode_row(const struct isa_row *row, struct isa_insn *insn)
{
    struct bits128 flagged = isa_flagged_word(insn->word);
    unsigned n = 0;
    if (!isa_read_mods(row->mod, row->mod_count, insn->word, insn->mods, ISA_MAX_MODS, &n))
        return false;
    insn->mod_count = (uint8_t)n;
    for (unsigned i = 0; i < row->operand_count; i++) {
        const struct isa_operand_row *o = isa_row_operand(row, i);
        if (isa_operand_hidden(o, insn->word))
            continue;
        if (insn->operand_count == ISA_MAX_OPERANDS ||
            !isa_read_operand(o, insn->word, flagged, insn->offset, &insn->operands[insn->operand_count++]))
            return false;
    }
    insn->op = row->op;
    insn->guard_uniform = row->uniform_guard;
    insn->row = (uint16_t)(row - isa_rows + 1);
    return true;
}

enum sp_status isa_decode(unsigned sm, struct bits128 word, uint32_t offset, struct isa_insn *insn)
{
    /* Operands are set as they are read; what lies behind the last one is nobody's. */
    memset(insn, 0, offsetof(struct isa_insn, operands));
    insn->word = word;
    insn->offset = offset;
    insn->control = isa_control_of(word);
    insn->guard = word.lo >> 12 & 7;
    insn->guard_not = word.lo >> 15 & 1;
    const struct isa_arch_table *table = isa_arch_table(sm);
    if (!table)
        return SP_ERR_ARCH;
    const struct isa_row *row = isa_table_row(table, word);
    if (row && decode_row(row, insn))
        return SP_OK;
    insn->op = ISA_OP_UNKNOWN;
    insn->mod_count = insn->operand_count = 0;
    return SP_ERR_ENCODING;
}

const char *isa_sreg_text(unsigned sm, unsigned number)
{
    const struct isa_arch_table *table = isa_arch_table(sm);
    return table && number < 256 ? table->sregs[number] : NULL;
}

int isa_sreg_find(unsigned sm, const char *text)
{
    const struct isa_arch_table *table = isa_arch_table(sm);
    for (int i = 0; table && i < 256; i++)
        if (table->sregs[i] && strcmp(table->sregs[i], text) == 0)
            return i;
    return -1;
}
