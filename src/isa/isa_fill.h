/* A word in the making: bits are settled one field at a time; a field that says otherwise than one before is refused.
 * Private to isa_parse.c. */
#ifndef SP_ISA_FILL_H
#define SP_ISA_FILL_H

#include "isa/isa_read.h"

/* A word of which some bits are settled. */
struct filling {
    struct bits128 word, settled;
};

static inline bool settle(struct filling *f, unsigned low, unsigned width, uint64_t value)
{
    struct bits128 ones = bits_set((struct bits128){0, 0}, low + width - 1, low, UINT64_MAX);
    struct bits128 want = bits_set((struct bits128){0, 0}, low + width - 1, low, value);
    if (((f->word.lo ^ want.lo) & f->settled.lo & ones.lo) || ((f->word.hi ^ want.hi) & f->settled.hi & ones.hi))
        return false;
    f->word.lo = (f->word.lo & ~ones.lo) | want.lo;
    f->word.hi = (f->word.hi & ~ones.hi) | want.hi;
    f->settled.lo |= ones.lo;
    f->settled.hi |= ones.hi;
    return true;
}

static inline bool settle_field(struct filling *f, const struct isa_field *field, uint64_t raw)
{
    for (unsigned i = field->pieces; i-- > 0;) {
        unsigned width = field->piece[i].width;
        if (!settle(f, field->piece[i].low, width, width < 64 ? raw & ((UINT64_C(1) << width) - 1) : raw))
            return false;
        raw = width < 64 ? raw >> width : 0;
    }
    return raw == 0;
}

/* The bit that prints a sign, bars, `!` or .reuse must say whether the text has it. */
static inline bool settle_bit(struct filling *f, uint16_t bit, bool shown)
{
    if (bit == ISA_BIT_NONE || bit == ISA_BIT_ALWAYS)
        return shown == (bit == ISA_BIT_ALWAYS);
    return settle(f, bit & 0x7fu, 1, shown != ((bit & ISA_BIT_INVERTED) != 0));
}

/* A number as the field keeps it: scaled, counted from the next instruction, inverted. A negative number may also stand
 * in a field without a sign as its bits, and the other way round: older listings print them so. */
static inline bool settle_value(struct filling *f, const struct isa_field *field, int64_t value, uint32_t offset)
{
    unsigned width = isa_field_width(field);
    if (!width)
        return value == 0;
    if (field->flags & ISA_FIELD_PC)
        value = (int64_t)((uint64_t)value - offset - 16u);
    if ((uint64_t)value & ((UINT64_C(1) << field->shift) - 1))
        return false;
    uint64_t ones = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
    int64_t scaled = value >> field->shift;
    uint64_t raw = (uint64_t)scaled & ones;
    if (width < 64 && bits_sign_extend(raw, width) != scaled && raw != (uint64_t)scaled)
        return false;
    if (field->flags & ISA_FIELD_COMPLEMENT)
        raw ^= ones;
    return settle_field(f, field, raw);
}

static inline bool settle_register(struct filling *f, const struct isa_part *part, unsigned reg)
{
    unsigned width = isa_field_width(&part->field);
    if (reg == ISA_RZ && width >= 6)
        return settle_field(f, &part->field, (UINT64_C(1) << width) - 1);
    return settle_value(f, &part->field, reg, 0);
}

/* The uniform register that stands one behind that in the bits. None is behind the last, and it is behind the one
 * before: where another operand has said which of the two, that holds. */
static inline bool settle_register_before(struct filling *f, const struct isa_part *part, unsigned reg)
{
    if (reg < ISA_RZ)
        return reg > 0 && settle_register(f, part, reg - 1);
    struct filling before = *f;
    if (settle_register(f, part, ISA_RZ))
        return true;
    *f = before;
    return settle_field(f, &part->field, (UINT64_C(1) << isa_field_width(&part->field)) - 2);
}

/* A part that the text does not show. */
static inline bool settle_absent(struct filling *f, const struct isa_part *part)
{
    return !part->field.pieces || (part->absent >= 0 && settle_field(f, &part->field, (uint64_t)part->absent));
}

#endif
