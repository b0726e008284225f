/* Word -> structure. The opcode bits select a short list of rows; the first row whose conditions hold says what
 * modifiers and operands stand in which bits. Requires the generated tables only; allocates nothing, keeps nothing. */
#include "isa/isa_index.h"

#include "isa_tables.inc"

#include <string.h>

enum { ARCH_COUNT = sizeof isa_arch_numbers / sizeof *isa_arch_numbers };

const unsigned *isa_archs(size_t *count)
{
    *count = ARCH_COUNT;
    return isa_arch_numbers;
}

const struct isa_arch_table *isa_arch_table(unsigned sm)
{
    for (unsigned i = 0; i < ARCH_COUNT; i++)
        if (isa_arch_numbers[i] == sm)
            return &isa_arch_tables[i];
    return NULL;
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

uint64_t isa_field_raw(const struct isa_field *field, struct bits128 word)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < field->pieces; i++) {
        unsigned low = field->piece[i].low, width = field->piece[i].width;
        v = (width < 64 ? v << width : 0) | bits_get(word, low + width - 1, low);
    }
    return v;
}

unsigned isa_field_width(const struct isa_field *field)
{
    unsigned width = 0;
    for (unsigned i = 0; i < field->pieces; i++)
        width += field->piece[i].width;
    return width;
}

static int64_t field_value(const struct isa_field *field, struct bits128 word, uint32_t offset)
{
    uint64_t v = isa_field_raw(field, word);
    unsigned width = isa_field_width(field);
    if (field->flags & ISA_FIELD_COMPLEMENT)
        v ^= width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
    if (field->flags & ISA_FIELD_SIGNED)
        v = (uint64_t)bits_sign_extend(v, width);
    v <<= field->shift;
    if (field->flags & ISA_FIELD_PC)
        v += (uint64_t)offset + 16;
    return (int64_t)v;
}

bool isa_bit_set(uint16_t bit, struct bits128 word)
{
    if (bit == ISA_BIT_NONE)
        return false;
    if (bit == ISA_BIT_ALWAYS)
        return true;
    unsigned at = bit & 0x7fu;
    return (bits_get(word, at, at) != 0) != ((bit & ISA_BIT_INVERTED) != 0);
}

bool isa_condition_holds(const struct isa_condition *c, struct bits128 word)
{
    uint64_t v = isa_field_raw(&c->field, word);
    switch (c->test) {
    case ISA_TEST_EQUAL: return v == c->value;
    case ISA_TEST_DIFFERENT: return v != c->value;
    default: return v != 0 && (v & (v - 1)) == 0;
    }
}

static const struct isa_row *row_find(const struct isa_arch_table *table, struct bits128 word)
{
    unsigned opcode = (unsigned)bits_get(word, 11, 0) | (unsigned)bits_get(word, 91, 91) << 12;
    for (unsigned i = table->first[opcode]; i < table->first[opcode + 1]; i++) {
        const struct isa_row *row = &isa_rows[table->list[i]];
        unsigned k = 0;
        while (k < row->condition_count && isa_condition_holds(&isa_conditions[row->condition + k], word))
            k++;
        if (k == row->condition_count)
            return row;
    }
    return NULL;
}

const struct isa_row *isa_row_find(unsigned sm, struct bits128 word)
{
    const struct isa_arch_table *table = isa_arch_table(sm);
    return table ? row_find(table, word) : NULL;
}

const struct isa_row *isa_row_at(unsigned number)
{
    return &isa_rows[number];
}

const struct isa_condition *isa_row_condition(const struct isa_row *row, unsigned i)
{
    return &isa_conditions[row->condition + i];
}

const struct isa_enum *isa_enum_at(unsigned number)
{
    return &isa_enums[number];
}

const uint16_t *isa_sequence(const struct isa_enum *e, unsigned v)
{
    uint16_t code = v < e->count ? isa_codes[e->first + v] : ISA_CODE_ILLEGAL;
    return code == ISA_CODE_ILLEGAL ? NULL : &isa_sequences[code];
}

const struct isa_operand_row *isa_row_operand(const struct isa_row *row, unsigned i)
{
    return &isa_operand_rows[row->operand + i];
}

bool isa_operand_hidden(const struct isa_operand_row *o, struct bits128 word)
{
    return o->hide >= 0 && isa_field_raw(&o->part[ISA_PART_MAIN].field, word) == (uint64_t)o->hide &&
           !isa_bit_set(o->no, word);
}

/* Appends what the modifier cells say to `mods`; false when a field holds a value that has no spelling or there is no
 * room. */
static bool read_mods(unsigned first, unsigned cells, struct bits128 word, uint16_t *mods, unsigned limit,
                      unsigned *count)
{
    for (unsigned i = 0; i < cells; i++) {
        const struct isa_enum *e = &isa_enums[first + i];
        uint64_t v = isa_field_raw(&e->field, word);
        if (v >= e->count)
            return false;
        uint16_t code = isa_codes[e->first + v];
        if (code == ISA_CODE_ILLEGAL)
            return false;
        for (; code && isa_sequences[code]; code++) {
            if (*count == limit)
                return false;
            mods[(*count)++] = isa_sequences[code];
        }
    }
    return true;
}

/* Register number of a part: all ones is RZ, URZ, PT. ISA_NO_REG when there is none in the text. */
static uint16_t part_register(const struct isa_part *part, struct bits128 word)
{
    if (!part->field.pieces)
        return ISA_NO_REG;
    uint64_t raw = isa_field_raw(&part->field, word);
    if (part->absent >= 0 && raw == (uint64_t)part->absent)
        return ISA_NO_REG;
    unsigned width = isa_field_width(&part->field);
    if (width >= 6 && raw == (UINT64_C(1) << width) - 1)
        return ISA_RZ;
    return (uint16_t)field_value(&part->field, word, 0);
}

/* The register `more` behind the one in the bits; false when there is none. */
static bool add_to_register(uint16_t *reg, const struct isa_field *field, unsigned more)
{
    unsigned last = (1u << (isa_field_width(field) + field->shift)) - 1;
    if (*reg >= ISA_RZ)
        return true;
    *reg = (uint16_t)(*reg + more);
    if (*reg == last)
        *reg = ISA_RZ;
    return *reg < last || *reg == ISA_RZ;
}

static bool read_operand(const struct isa_operand_row *o, struct bits128 word, uint32_t offset, struct isa_operand *out)
{
    *out = (struct isa_operand){.kind = o->kind,
                                .bits = o->bits,
                                .reg = ISA_NO_REG,
                                .base = ISA_NO_REG,
                                .ubase = ISA_NO_REG,
                                .desc = ISA_NO_REG};
    out->flags = (uint8_t)((isa_bit_set(o->neg, word) ? ISA_NEG : 0) | (isa_bit_set(o->abs, word) ? ISA_ABS : 0) |
                           (isa_bit_set(o->inv, word) ? ISA_INV : 0) | (isa_bit_set(o->no, word) ? ISA_NOT : 0));
    /* Bits 124:122 hint at operand reuse only when bit 109 is set; else they are a field of the scheduler. A bit of the
     * instruction itself always does. */
    if (isa_bit_set(o->reuse, word) && (o->reuse < 105 || bits_get(word, 109, 109)))
        out->flags |= ISA_REUSE;
    const struct isa_part *main = &o->part[ISA_PART_MAIN];
    switch ((enum isa_operand_kind)o->kind) {
    case ISA_OPERAND_REG:
    case ISA_OPERAND_UREG:
    case ISA_OPERAND_PRED:
    case ISA_OPERAND_UPRED:
    case ISA_OPERAND_BARRIER:
    case ISA_OPERAND_SCOREBOARD:
        if (main->field.pieces)
            out->reg = part_register(main, word);
        if (main->field.pieces && o->bits && !add_to_register(&out->reg, &main->field, o->bits))
            return false;
        if (!main->field.pieces)
            out->reg = o->kind == ISA_OPERAND_REG || o->kind == ISA_OPERAND_UREG ? ISA_RZ : ISA_PT;
        break;
    case ISA_OPERAND_CONST:
    case ISA_OPERAND_MEM:
    case ISA_OPERAND_HANDLE:
        out->base = part_register(&o->part[ISA_PART_BASE], word);
        out->ubase = part_register(&o->part[ISA_PART_UBASE], word);
        out->desc = part_register(&o->part[ISA_PART_DESC], word);
        if (o->kind == ISA_OPERAND_MEM && o->bits &&
            !add_to_register(&out->ubase, &o->part[ISA_PART_UBASE].field, o->bits))
            return false;
        if (o->style & ISA_STYLE_NEXT && out->desc < ISA_RZ)
            out->desc++;
        out->bank = (uint8_t)isa_field_raw(&o->part[ISA_PART_BANK].field, word);
        out->value = field_value(&main->field, word, offset);
        /* Without a register it is an address, and has no sign; rows where it is otherwise say so. */
        if ((o->kind != ISA_OPERAND_CONST ? out->ubase == ISA_NO_REG && !(o->style & ISA_STYLE_NEGATIVE)
                                        : (o->style & ISA_STYLE_POSITIVE) != 0) &&
            out->base == ISA_NO_REG)
            out->value = (int64_t)isa_field_raw(&main->field, word) << main->field.shift;
        break;
    case ISA_OPERAND_FIMM:
        out->value = field_value(&main->field, word, 0);
        if (o->bits == 64)
            out->value = (int64_t)((uint64_t)out->value << 32);
        break;
    case ISA_OPERAND_PR: break;
    case ISA_OPERAND_IMM:
    case ISA_OPERAND_SREG:
    case ISA_OPERAND_LABEL:
    case ISA_OPERAND_TOKEN:
    case ISA_OPERAND_OTHER: out->value = main->field.pieces ? field_value(&main->field, word, offset) : 0; break;
    }
    unsigned n = 0, bases = 0;
    if (o->suffix_count && !read_mods(o->suffix, o->suffix_count, word, out->mods, ISA_MAX_OPERAND_MODS, &n))
        return false;
    if (o->style & ISA_STYLE_STRIDED && out->base == ISA_NO_REG) {
        if (!read_mods(o->base_suffix, o->base_suffix_count, word, out->mods, ISA_MAX_OPERAND_MODS, &n))
            return false;
        out->base = n ? ISA_RZ : ISA_NO_REG;
    } else if (out->base != ISA_NO_REG &&
               !read_mods(o->base_suffix, o->base_suffix_count, word, out->mods, ISA_MAX_OPERAND_MODS, &n))
        return false;
    return out->ubase == ISA_NO_REG ||
           read_mods(o->ubase_suffix, o->ubase_suffix_count, word, out->ubase_mods, 1, &bases);
}

static void read_control(struct bits128 word, struct isa_control *control)
{
    control->stall = (uint8_t)bits_get(word, 108, 105);
    control->yield = !bits_get(word, 109, 109);
    control->write_barrier = (uint8_t)bits_get(word, 112, 110);
    control->read_barrier = (uint8_t)bits_get(word, 115, 113);
    control->wait_mask = (uint8_t)bits_get(word, 121, 116);
    control->reuse = (uint8_t)bits_get(word, 124, 122);
}

static bool decode_row(const struct isa_row *row, struct isa_insn *insn)
{
    unsigned n = 0;
    if (!read_mods(row->mod, row->mod_count, insn->word, insn->mods, ISA_MAX_MODS, &n))
        return false;
    insn->mod_count = (uint8_t)n;
    for (unsigned i = 0; i < row->operand_count; i++) {
        const struct isa_operand_row *o = isa_row_operand(row, i);
        if (isa_operand_hidden(o, insn->word))
            continue;
        if (insn->operand_count == ISA_MAX_OPERANDS ||
            !read_operand(o, insn->word, insn->offset, &insn->operands[insn->operand_count++]))
            return false;
    }
    insn->op = row->op;
    insn->guard_uniform = row->uniform_guard;
    return true;
}

enum sp_status isa_decode(unsigned sm, struct bits128 word, uint32_t offset, struct isa_insn *insn)
{
    memset(insn, 0, sizeof *insn);
    insn->word = word;
    insn->offset = offset;
    read_control(word, &insn->control);
    insn->guard = (uint8_t)bits_get(word, 14, 12);
    insn->guard_not = bits_get(word, 15, 15) != 0;
    const struct isa_arch_table *table = isa_arch_table(sm);
    if (!table)
        return SP_ERR_ARCH;
    const struct isa_row *row = row_find(table, word);
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
