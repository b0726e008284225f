/* Templates: a word's text with holes where its registers, offsets and integers stand. All words that agree in what
 * their text depends on otherwise (the key: opcode, modifiers, flags, whether an offset is 0 …) have one template, so
 * that printing is looking up a key, copying pieces of text and filling holes; some hundred templates print a library.
 *
 * Key and holes come from the same rows that decode and print read: whatever of a row is no hole is in the key.
 * Requires memory of the caller, and nothing else. */
#include "isa/isa_template.h"

#include "isa/isa_text.h"

#include <string.h>

/* ---- which parts of an operand are holes ------------------------------------------------------------------------ */

static bool in_one_half(const struct isa_field *f)
{
    return f->pieces == 1 && (f->piece[0].low & 64) == ((f->piece[0].low + f->piece[0].width - 1) & 64);
}

/* The file whose names the part's numbers are; ISA_REGISTER_FILES: none. */
static unsigned file_of(const struct isa_part *part, unsigned kind)
{
    const struct isa_field *f = &part->field;
    unsigned width = f->piece[0].width;
    enum { LAST = 112 }; /* two bytes are read from there */
    if (!in_one_half(f) || f->flags || f->shift || f->piece[0].low > LAST)
        return ISA_REGISTER_FILES;
    switch (kind) {
    case ISA_OPERAND_REG: return width == 8 ? kind : ISA_REGISTER_FILES;
    case ISA_OPERAND_UREG: return width == 8 ? kind : width == 6 ? (unsigned)ISA_FILE_UR6 : ISA_REGISTER_FILES;
    default: return width == 3 ? kind : ISA_REGISTER_FILES;
    }
}

static bool is_number(const struct isa_field *f)
{
    enum { DIGITS = 32 };
    return in_one_half(f) && !(f->flags & ~ISA_FIELD_SIGNED) && f->piece[0].width + f->shift <= DIGITS;
}

static unsigned part_bit(bool hole, enum isa_part_id part)
{
    return hole ? 1u << part : 0;
}

/* Bit i: part i is a hole, or does not show. */
static unsigned holes_of(const struct isa_operand_row *o)
{
    const struct isa_part *main = &o->part[ISA_PART_MAIN];
    switch ((enum isa_operand_kind)o->kind) {
    case ISA_OPERAND_REG:
    case ISA_OPERAND_UREG:
    case ISA_OPERAND_PRED:
    case ISA_OPERAND_UPRED:
        return part_bit(!o->bits && main->absent < 0 && file_of(main, o->kind) < ISA_REGISTER_FILES, ISA_PART_MAIN);
    case ISA_OPERAND_IMM:
    case ISA_OPERAND_OTHER: return part_bit(!(o->style & ISA_STYLE_SET) && is_number(&main->field), ISA_PART_MAIN);
    case ISA_OPERAND_LABEL: return part_bit(true, ISA_PART_MAIN);
    case ISA_OPERAND_CONST:
    case ISA_OPERAND_MEM:
    case ISA_OPERAND_HANDLE:
        if (o->style & (ISA_STYLE_STRIDED | ISA_STYLE_NEXT) || (o->kind == ISA_OPERAND_MEM && o->bits))
            return 0;
        return part_bit(is_number(&main->field), ISA_PART_MAIN) |
               part_bit(file_of(&o->part[ISA_PART_BASE], ISA_OPERAND_REG) < ISA_REGISTER_FILES, ISA_PART_BASE) |
               part_bit(file_of(&o->part[ISA_PART_UBASE], ISA_OPERAND_UREG) < ISA_REGISTER_FILES, ISA_PART_UBASE) |
               part_bit(file_of(&o->part[ISA_PART_DESC], ISA_OPERAND_UREG) < ISA_REGISTER_FILES, ISA_PART_DESC);
    default: return 0;
    }
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static void take_bits(struct isa_key *key, const struct isa_field *f)
{
    for (unsigned i = 0; i < f->pieces; i++)
        for (unsigned b = f->piece[i].low; b < (unsigned)f->piece[i].low + f->piece[i].width; b++)
            *(b < 64 ? &key->lo : &key->hi) |= UINT64_C(1) << (b & 63);
}

/* Whether the field has this value; all of its bits where there is no room for one more such question. */
static void take_test(struct isa_key *key, const struct isa_field *f, uint64_t value)
{
    enum { LANE = 32 };
    unsigned low = f->piece[0].low, lane = low / LANE, width = f->piece[0].width;
    if (f->pieces == 1 && (low + width - 1) / LANE == lane && value <= UINT32_MAX >> (LANE - width)) {
        uint32_t mask = UINT32_MAX >> (LANE - width) << low % LANE, wanted = (uint32_t)value << low % LANE;
        for (unsigned i = 0; i < ISA_LAYERS; i++) {
            if (key->mask[i][lane] && (key->mask[i][lane] != mask || key->value[i][lane] != wanted))
                continue;
            key->mask[i][lane] = mask;
            key->value[i][lane] = wanted;
            return;
        }
    }
    take_bits(key, f);
}

static void take_condition(struct isa_key *key, const struct isa_condition *c)
{
    enum { REGISTER = 6 }; /* bits at least: fewer are better in the key */
    if (c->test == ISA_TEST_FILLED)
        return;
    if (c->test != ISA_TEST_POWER && c->test != ISA_TEST_LEGAL && c->field.pieces == 1 &&
        c->field.piece[0].width >= REGISTER)
        take_test(key, &c->field, c->value);
    else
        take_bits(key, &c->field);
}

static void take_modifiers(struct isa_key *key, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        take_bits(key, &isa_enums[first + i].field);
}

static void take_operand(struct isa_key *key, const struct isa_operand_row *o)
{
    unsigned holes = holes_of(o);
    bool address = o->kind == ISA_OPERAND_CONST || o->kind == ISA_OPERAND_MEM || o->kind == ISA_OPERAND_HANDLE;
    take_modifiers(key, o->suffix, o->suffix_count);
    take_modifiers(key, o->base_suffix, o->base_suffix_count);
    take_modifiers(key, o->ubase_suffix, o->ubase_suffix_count);
    for (unsigned i = 0; i < ISA_PART_COUNT; i++) {
        const struct isa_part *part = &o->part[i];
        if (!part->field.pieces)
            continue;
        if (!(holes >> i & 1))
            take_bits(key, &part->field);
        else if (part->absent >= 0)
            take_test(key, &part->field, (uint64_t)part->absent);
        else if (address && i == ISA_PART_MAIN)
            take_test(key, &part->field, 0);
        if (i == ISA_PART_MAIN && o->hide >= 0 && holes >> i & 1)
            take_test(key, &part->field, (uint64_t)o->hide);
    }
}

static void take_flags(struct isa_key *key, const struct isa_flag_list *flags)
{
    for (unsigned i = 0; i < flags->count; i++)
        *(flags->entry[i].bit < 64 ? &key->lo : &key->hi) |= UINT64_C(1) << (flags->entry[i].bit & 63);
}

void isa_key_make(const struct isa_arch_table *table, unsigned opcode, struct isa_key *key)
{
    enum { HIGH_OPCODE = 91 - 64, LOW_OPCODE = 0xfff, HINTS_COUNT = 109 - 64, HINTS = 122 - 64 };
    memset(key, 0, sizeof *key);
    key->lo = LOW_OPCODE;
    key->hi = UINT64_C(1) << HIGH_OPCODE;
    for (unsigned i = table->first[opcode]; i < table->first[opcode + 1]; i++) {
        const struct isa_row *row = isa_row_at(table->list[i]);
        for (unsigned k = 0; k < row->condition_count; k++)
            take_condition(key, isa_row_condition(row, k));
        take_modifiers(key, row->mod, row->mod_count);
        for (unsigned k = 0; k < row->operand_count; k++)
            take_operand(key, isa_row_operand(row, k));
    }
    /* Flags see the hints while bit 109 is set; all else sees the bits as they are. */
    uint64_t hints = UINT64_C(7) << HINTS, asked = key->hi & hints;
    key->hints = hints & ~asked;
    if (asked)
        key->hi |= UINT64_C(1) << HINTS_COUNT;
    for (unsigned i = table->first[opcode]; i < table->first[opcode + 1]; i++)
        for (unsigned k = 0; k < isa_row_at(table->list[i])->operand_count; k++)
            take_flags(key, &isa_row_operand(isa_row_at(table->list[i]), k)->flags);
}

/* ---- templates -------------------------------------------------------------------------------------------------- */

/* A template being made, and the text that stands since its last hole. */
struct making {
    struct isa_template *t;
    struct bits128 word;
    char text[ISA_TEXT_ROOM];
    char *end;
    bool begun; /* the head is there */
};

/* Text alone: a name that is empty. */
static const struct isa_hole no_hole = {.base = ISA_FILE_EMPTY << 8};

static void add_hole(struct making *m, const char *text, size_t n, struct isa_hole hole)
{
    if (m->t->holes == ISA_HOLES) {
        m->t->none = true;
        return;
    }
    memcpy(hole.text, text, n);
    hole.n |= (uint8_t)n;
    m->t->hole[m->t->holes++] = hole;
}

/* The text so far, and a hole. */
static void put_hole(struct making *m, struct isa_hole hole)
{
    const char *text = m->text;
    size_t n = (size_t)(m->end - text);
    if (!m->begun) {
        size_t head = n < ISA_HEAD_TEXT ? n : ISA_HEAD_TEXT;
        memcpy(m->t->text, text, head);
        m->t->head = (uint8_t)head;
        m->begun = true;
        text += head;
        n -= head;
    }
    for (; n > ISA_HOLE_TEXT; text += ISA_HOLE_TEXT, n -= ISA_HOLE_TEXT)
        add_hole(m, text, ISA_HOLE_TEXT, no_hole);
    if (n || hole.n || hole.base != no_hole.base)
        add_hole(m, text, n, hole);
    m->end = m->text;
}

static void put_char(struct making *m, char c)
{
    *m->end++ = c;
}

static void put_string(struct making *m, const char *text)
{
    while (*text)
        *m->end++ = *text++;
}

static void put_register(struct making *m, const struct isa_part *part, unsigned kind)
{
    unsigned low = part->field.piece[0].low;
    put_hole(m, (struct isa_hole){.byte = (uint8_t)(low / 8),
                                  .shift = (uint8_t)(low % 8),
                                  .mask = (uint8_t)((1u << part->field.piece[0].width) - 1),
                                  .base = (uint16_t)(file_of(part, kind) << 8)});
}

static void put_number(struct making *m, const struct isa_field *f, bool sign)
{
    unsigned low = f->piece[0].low, is_signed = sign && f->flags & ISA_FIELD_SIGNED ? ISA_HOLE_SIGNED : 0;
    put_hole(m, (struct isa_hole){.n = ISA_HOLE_SPECIAL,
                                  .byte = (uint8_t)(low / 64 * 8),
                                  .shift = (uint8_t)(low % 64),
                                  .mask = f->piece[0].width,
                                  .base = (uint16_t)(f->shift | is_signed)});
}

/* A register of an address. */
static void put_base(struct making *m, const struct isa_operand_row *row, enum isa_part_id part, unsigned kind,
                     unsigned reg)
{
    if (holes_of(row) >> part & 1) {
        put_register(m, &row->part[part], kind);
        return;
    }
    const struct isa_name *name = &isa_register_text[256 * kind + (reg & 255)];
    memcpy(m->end, name->text, name->n);
    m->end += name->n;
}

/* As isa_print.c prints it. */
static void put_address(struct making *m, const struct isa_operand *o, const struct isa_operand_row *row,
                        enum isa_part_id upart, unsigned ubase)
{
    bool plus = false, is_const = o->kind == ISA_OPERAND_CONST, bases = row->part[ISA_PART_BASE].field.pieces != 0;
    if (o->base != ISA_NO_REG) {
        put_base(m, row, ISA_PART_BASE, ISA_OPERAND_REG, o->base);
        if (o->kind != ISA_OPERAND_HANDLE)
            m->end = isa_put_modifiers(m->end, o->mods, ISA_MAX_OPERAND_MODS);
        plus = true;
    }
    if (ubase != ISA_NO_REG) {
        if (plus)
            put_char(m, '+');
        put_base(m, row, upart, ISA_OPERAND_UREG, ubase);
        m->end = isa_put_modifiers(m->end, o->ubase_mods, 1);
        plus = true;
    }
    bool indexed =
        !(row->style & ISA_STYLE_POSITIVE) && (bases || !is_const || row->part[ISA_PART_DESC].field.pieces != 0);
    if (o->value == 0 && (plus || indexed)) {
        put_string(m, plus ? "" : bases ? "RZ" : "URZ");
        return;
    }
    if (plus)
        put_char(m, '+');
    bool no_sign = o->base == ISA_NO_REG && (is_const ? row->style & ISA_STYLE_POSITIVE
                                                      : o->ubase == ISA_NO_REG && !(row->style & ISA_STYLE_NEGATIVE));
    if (holes_of(row) >> ISA_PART_MAIN & 1)
        put_number(m, &row->part[ISA_PART_MAIN].field, !no_sign);
    else
        m->end = isa_put_hex(m->end, o->value);
}

static void put_memory(struct making *m, const struct isa_operand *o, const struct isa_operand_row *row)
{
    bool is_const = o->kind == ISA_OPERAND_CONST;
    if (o->kind == ISA_OPERAND_HANDLE) {
        put_string(m, isa_handle_text(o->bits));
    } else if (is_const && o->ubase != ISA_NO_REG) {
        put_string(m, "cx[");
        put_base(m, row, ISA_PART_UBASE, ISA_OPERAND_UREG, o->ubase);
        put_char(m, ']');
    } else if (is_const) {
        put_string(m, "c[");
        m->end = isa_put_hex(m->end, o->bank);
        put_char(m, ']');
    } else if (o->desc != ISA_NO_REG && !(row->style & ISA_STYLE_HIDDEN_DESC)) {
        put_string(m, "desc[");
        put_base(m, row, ISA_PART_DESC, ISA_OPERAND_UREG, o->desc);
        put_char(m, ']');
    }
    if (is_const && row->style & ISA_STYLE_SPACE)
        put_char(m, ' ');
    put_char(m, '[');
    put_address(m, o, row, is_const ? ISA_PART_DESC : ISA_PART_UBASE, is_const ? o->desc : o->ubase);
    put_char(m, ']');
}

static void put_value(struct making *m, unsigned sm, const struct isa_insn *insn, const struct isa_operand *o,
                      const struct isa_operand_row *row)
{
    const struct isa_part *main = &row->part[ISA_PART_MAIN];
    switch ((enum isa_operand_kind)o->kind) {
    case ISA_OPERAND_CONST:
    case ISA_OPERAND_MEM:
    case ISA_OPERAND_HANDLE: put_memory(m, o, row); return;
    case ISA_OPERAND_LABEL:
        put_hole(m, (struct isa_hole){.n = ISA_HOLE_SPECIAL, .base = (uint16_t)(row - isa_operand_rows)});
        return;
    default: break;
    }
    if (!(holes_of(row) >> ISA_PART_MAIN & 1))
        m->end = isa_put_value(m->end, sm, insn, o, row, NULL);
    else if (o->kind <= ISA_OPERAND_UPRED)
        put_register(m, main, o->kind);
    else
        put_number(m, &main->field, true);
}

/* False where there is none: no instruction, or one whose operand counts from where it stands. */
static bool put_operands(struct making *m, unsigned sm, const struct isa_row *row, struct isa_insn *insn)
{
    struct bits128 flagged = isa_flagged_word(m->word);
    unsigned mods = 0, shown = 0;
    if (!isa_read_mods(row->mod, row->mod_count, m->word, insn->mods, ISA_MAX_MODS, &mods))
        return false;
    insn->mod_count = (uint8_t)mods;
    for (unsigned i = 0; i < row->operand_count; i++) {
        const struct isa_operand_row *o = isa_row_operand(row, i);
        struct isa_operand operand;
        if (isa_operand_hidden(o, m->word))
            continue;
        if (shown == ISA_MAX_OPERANDS || !isa_read_operand(o, m->word, flagged, 0, &operand) ||
            (o->kind != ISA_OPERAND_LABEL && o->part[ISA_PART_MAIN].field.flags & ISA_FIELD_PC))
            return false;
        put_string(m, shown++ == 0 || o->style & ISA_STYLE_BLANK ? " " : ", ");
        m->end = isa_put_before(m->end, operand.flags);
        put_value(m, sm, insn, &operand, o);
        m->end = isa_put_behind(m->end, &operand, o);
    }
    return true;
}

void isa_template_make(unsigned sm, struct bits128 word, struct isa_template *t)
{
    const struct isa_row *row = isa_row_find(sm, word);
    struct isa_insn insn = {.word = word};
    struct making m = {.t = t, .word = word};
    m.end = row ? isa_put_head(m.text, row, word) : NULL;
    t->head = t->holes = 0;
    t->none = !m.end;
    if (t->none)
        return;
    t->uniform = row->uniform_guard;
    insn.op = row->op;
    insn.guard_uniform = row->uniform_guard;
    if (!put_operands(&m, sm, row, &insn)) {
        t->none = true;
        return;
    }
    while (m.end > m.text && m.end[-1] == ' ') /* behind an infinity */
        m.end--;
    put_hole(&m, no_hole);
}
