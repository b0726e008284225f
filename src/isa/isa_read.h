/* Reading a word by its row: fields, flags, modifiers, operands. Inline, since decode and the direct way from word to
 * text (isa_print.c) both live by it. Private to the room. */
#ifndef SP_ISA_READ_H
#define SP_ISA_READ_H

#include "isa/isa_index.h"

/* `width` bits from bit `low` on, without a branch; a piece has at least one bit. */
static inline uint64_t isa_piece_raw(unsigned low, unsigned width, struct bits128 word)
{
    uint64_t v = low & 64 ? word.hi >> (low & 63) : word.lo >> low | word.hi << 1 << (63 - low);
    return v & UINT64_MAX >> (64 - width);
}

static inline uint64_t isa_field_raw(const struct isa_field *field, struct bits128 word)
{
    if (!field->pieces)
        return 0;
    uint64_t v = isa_piece_raw(field->piece[0].low, field->piece[0].width, word);
    for (unsigned i = 1; i < field->pieces; i++)
        v = v << field->piece[i].width | isa_piece_raw(field->piece[i].low, field->piece[i].width, word);
    return v;
}

static inline unsigned isa_field_width(const struct isa_field *field)
{
    unsigned width = 0;
    for (unsigned i = 0; i < field->pieces; i++)
        width += field->piece[i].width;
    return width;
}

static inline int64_t isa_field_value(const struct isa_field *field, struct bits128 word, uint32_t offset)
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

static inline bool isa_bit_set(uint16_t bit, struct bits128 word)
{
    if (bit == ISA_BIT_NONE)
        return false;
    if (bit == ISA_BIT_ALWAYS)
        return true;
    return (isa_piece_raw(bit & 0x7fu, 1, word) != 0) != ((bit & ISA_BIT_INVERTED) != 0);
}

static inline bool isa_condition_holds(const struct isa_condition *c, struct bits128 word)
{
    uint64_t v = isa_field_raw(&c->field, word);
    switch (c->test) {
    case ISA_TEST_EQUAL: return v == c->value;
    case ISA_TEST_DIFFERENT: return v != c->value;
    default: return v != 0 && (v & (v - 1)) == 0;
    }
}

/* The row whose conditions the word meets, or NULL. */
static inline const struct isa_row *isa_table_row(const struct isa_arch_table *table, struct bits128 word)
{
    unsigned opcode = (unsigned)(word.lo & 0xfff) | (unsigned)(word.hi >> (91 - 64) & 1) << 12;
    for (unsigned i = table->first[opcode]; i < table->first[opcode + 1]; i++) {
        const struct isa_row *row = &isa_rows[table->list[i]];
        if ((word.lo & row->mask[0]) != row->value[0] || (word.hi & row->mask[1]) != row->value[1])
            continue;
        unsigned k = 0;
        while (k < row->hard_count && isa_condition_holds(&isa_conditions[row->condition + k], word))
            k++;
        if (k == row->hard_count)
            return row;
    }
    return NULL;
}

/* True when the text leaves this operand out. */
static inline bool isa_operand_hidden(const struct isa_operand_row *o, struct bits128 word)
{
    return o->hide >= 0 && isa_field_raw(&o->part[ISA_PART_MAIN].field, word) == (uint64_t)o->hide &&
           !isa_bit_set(o->no, word);
}

/* What a field prints: a place in the sequence pool, or ISA_CODE_ILLEGAL. */
static inline unsigned isa_enum_code(const struct isa_enum *e, struct bits128 word)
{
    uint64_t v = isa_field_raw(&e->field, word);
    return v < e->count ? isa_codes[e->first + v] : ISA_CODE_ILLEGAL;
}

/* Appends what the modifier cells say to `mods`; false when a field holds a value that has no spelling or there is no
 * room. */
static inline bool isa_read_mods(unsigned first, unsigned cells, struct bits128 word, uint16_t *mods, unsigned limit,
                                 unsigned *count)
{
    for (unsigned i = 0; i < cells; i++) {
        unsigned code = isa_enum_code(&isa_enums[first + i], word);
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
static inline uint16_t isa_read_register(const struct isa_part *part, struct bits128 word)
{
    if (!part->field.pieces)
        return ISA_NO_REG;
    uint64_t raw = isa_field_raw(&part->field, word);
    if (part->absent >= 0 && raw == (uint64_t)part->absent)
        return ISA_NO_REG;
    unsigned width = isa_field_width(&part->field);
    if (width >= 6 && raw == (UINT64_C(1) << width) - 1)
        return ISA_RZ;
    return (uint16_t)isa_field_value(&part->field, word, 0);
}

_Static_assert(ISA_NEG == 1 && ISA_ABS == 2 && ISA_INV == 4 && ISA_NOT == 8 && ISA_REUSE == 16, "order of isa_table.h");
_Static_assert(ISA_OPERAND_REG == 0 && ISA_OPERAND_UPRED == ISA_REGISTER_KINDS - 1, "registers come first");
_Static_assert((int)ISA_OPERAND_LABEL == (int)ISA_LABEL_KIND, "isagen knows labels by it");

/* The word as flags are read: bits 124:122 hint at operand reuse only where bit 109 is set, and are a field of the
 * scheduler else. */
static inline struct bits128 isa_flagged_word(struct bits128 word)
{
    uint64_t hints = UINT64_C(7) << (122 - 64);
    return (struct bits128){word.lo, word.hi & ~(hints & ((word.hi >> (109 - 64) & 1) - 1))};
}

static inline uint8_t isa_read_flags(const struct isa_flag_list *list, struct bits128 flagged)
{
    unsigned flags = list->always;
    for (unsigned i = 0; i < list->count; i++)
        flags ^= (unsigned)isa_piece_raw(list->entry[i].bit, 1, flagged) * list->entry[i].flag;
    return (uint8_t)flags;
}

/* The register `more` behind the one in the bits; false when there is none. */
static inline bool isa_add_to_register(uint16_t *reg, const struct isa_field *field, unsigned more)
{
    unsigned last = (1u << (isa_field_width(field) + field->shift)) - 1;
    if (*reg >= ISA_RZ)
        return true;
    *reg = (uint16_t)(*reg + more);
    if (*reg == last)
        *reg = ISA_RZ;
    return *reg < last || *reg == ISA_RZ;
}

static inline bool isa_read_operand(const struct isa_operand_row *o, struct bits128 word, struct bits128 flagged,
                                    uint32_t offset, struct isa_operand *out)
{
    *out = (struct isa_operand){.kind = o->kind,
                                .flags = isa_read_flags(&o->flags, flagged),
                                .bits = o->bits,
                                .reg = ISA_NO_REG,
                                .base = ISA_NO_REG,
                                .ubase = ISA_NO_REG,
                                .desc = ISA_NO_REG};
    if (o->plain) {
        unsigned width = o->part[ISA_PART_MAIN].field.piece[0].width;
        uint64_t raw = isa_piece_raw(o->part[ISA_PART_MAIN].field.piece[0].low, width, word);
        out->reg = width >= 6 && raw == UINT64_MAX >> (64 - width) ? ISA_RZ : (uint16_t)raw;
        return true;
    }
    const struct isa_part *main = &o->part[ISA_PART_MAIN];
    switch ((enum isa_operand_kind)o->kind) {
    case ISA_OPERAND_REG:
    case ISA_OPERAND_UREG:
    case ISA_OPERAND_PRED:
    case ISA_OPERAND_UPRED:
    case ISA_OPERAND_BARRIER:
    case ISA_OPERAND_SCOREBOARD:
        if (main->field.pieces)
            out->reg = isa_read_register(main, word);
        if (main->field.pieces && o->bits && !isa_add_to_register(&out->reg, &main->field, o->bits))
            return false;
        if (!main->field.pieces)
            out->reg = o->kind == ISA_OPERAND_REG || o->kind == ISA_OPERAND_UREG ? ISA_RZ : ISA_PT;
        break;
    case ISA_OPERAND_CONST:
    case ISA_OPERAND_MEM:
    case ISA_OPERAND_HANDLE:
        out->base = isa_read_register(&o->part[ISA_PART_BASE], word);
        out->ubase = isa_read_register(&o->part[ISA_PART_UBASE], word);
        out->desc = isa_read_register(&o->part[ISA_PART_DESC], word);
        if (o->kind == ISA_OPERAND_MEM && o->bits &&
            !isa_add_to_register(&out->ubase, &o->part[ISA_PART_UBASE].field, o->bits))
            return false;
        if (o->style & ISA_STYLE_NEXT && !isa_add_to_register(&out->desc, &o->part[ISA_PART_DESC].field, 1))
            return false;
        if (o->style & ISA_STYLE_NEXT && o->kind == ISA_OPERAND_HANDLE &&
            !isa_add_to_register(&out->ubase, &o->part[ISA_PART_UBASE].field, 1))
            return false;
        out->bank = (uint8_t)isa_field_raw(&o->part[ISA_PART_BANK].field, word);
        out->value = isa_field_value(&main->field, word, offset);
        /* Without a register it is an address, and has no sign; rows where it is otherwise say so. */
        if ((o->kind != ISA_OPERAND_CONST ? out->ubase == ISA_NO_REG && !(o->style & ISA_STYLE_NEGATIVE)
                                          : (o->style & ISA_STYLE_POSITIVE) != 0) &&
            out->base == ISA_NO_REG)
            out->value = (int64_t)isa_field_raw(&main->field, word) << main->field.shift;
        break;
    case ISA_OPERAND_FIMM:
        out->value = isa_field_value(&main->field, word, 0);
        if (o->bits == 64)
            out->value = (int64_t)((uint64_t)out->value << 32);
        break;
    case ISA_OPERAND_PR: break;
    case ISA_OPERAND_IMM:
    case ISA_OPERAND_SREG:
    case ISA_OPERAND_LABEL:
    case ISA_OPERAND_TOKEN:
    case ISA_OPERAND_OTHER: out->value = main->field.pieces ? isa_field_value(&main->field, word, offset) : 0; break;
    }
    unsigned n = 0, bases = 0;
    if (o->suffix_count && !isa_read_mods(o->suffix, o->suffix_count, word, out->mods, ISA_MAX_OPERAND_MODS, &n))
        return false;
    if (o->style & ISA_STYLE_STRIDED && out->base == ISA_NO_REG) {
        if (!isa_read_mods(o->base_suffix, o->base_suffix_count, word, out->mods, ISA_MAX_OPERAND_MODS, &n))
            return false;
        out->base = n ? ISA_RZ : ISA_NO_REG;
    } else if (out->base != ISA_NO_REG &&
               !isa_read_mods(o->base_suffix, o->base_suffix_count, word, out->mods, ISA_MAX_OPERAND_MODS, &n))
        return false;
    return out->ubase == ISA_NO_REG ||
           isa_read_mods(o->ubase_suffix, o->ubase_suffix_count, word, out->ubase_mods, 1, &bases);
}

#endif
