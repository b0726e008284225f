/* Structure -> the vendor's text. The order of modifiers and operands is the structure's; how an operand is spelled
 * (blanks, suffix inside or outside bars) comes from the row its word belongs to. Writes at most `size` bytes. */
#include "isa/isa_read.h"
#include "isa/isa_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* No text is longer: an opcode, ISA_MAX_MODS modifiers and ISA_MAX_OPERANDS operands of a label's or four registers'
 * length. So nothing below asks for room; the caller's buffer is filled once, at the end. */
enum { LABEL = 96 };

struct spelling {
    uint8_t n;
    char text[ISA_SPELLING];
};

#include "isa_texts.inc"

static const struct spelling op_spelling[] = {
    {7, "UNKNOWN"},
#define ISA_OP_ROW(id, text) {sizeof text - 1, text},
#define ISA_MOD_ROW(id, text)
#include "isa_names.inc"
#undef ISA_OP_ROW
#undef ISA_MOD_ROW
};

static const struct spelling mod_spelling[] = {
    {0, ""},
#define ISA_OP_ROW(id, text)
#define ISA_MOD_ROW(id, text) {sizeof text, "." text},
#include "isa_names.inc"
#undef ISA_OP_ROW
#undef ISA_MOD_ROW
};

_Static_assert(ISA_TEXT_ROOM > 1 + ISA_SPELLING * (1 + ISA_MAX_MODS) +
                                   ISA_MAX_OPERANDS * (LABEL + 64 + ISA_SPELLING * (ISA_MAX_OPERAND_MODS + 1)),
               "the longest text has room");

/* A text known here: its length is a constant, and so are the bytes. */
#define PUT(p, text) ((char *)memcpy((p), (text), sizeof(text) - 1) + (sizeof(text) - 1))

static char *put_spelling(char *p, const struct spelling *s)
{
    memcpy(p, s->text, ISA_SPELLING); /* all of it: a fixed size is one or two moves */
    return p + s->n;
}

static char *put_text(char *p, const char *text)
{
    while (*text)
        *p++ = *text++;
    return p;
}

static char *put_decimal(char *p, uint64_t v)
{
    char digits[20];
    unsigned n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        *p++ = digits[--n];
    return p;
}

static char *put_unsigned_hex(char *p, uint64_t v)
{
    unsigned n = v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;
    p = PUT(p, "0x");
    for (unsigned i = n; i-- > 0; v >>= 4)
        p[i] = "0123456789abcdef"[v & 15];
    return p + n;
}

char *isa_put_hex(char *p, int64_t value)
{
    if (value >= 0)
        return put_unsigned_hex(p, (uint64_t)value);
    *p++ = '-';
    return put_unsigned_hex(p, -(uint64_t)value);
}

/* A register's name; RZ, URZ, PT and UPT are names of their numbers. */
static inline char *put_register(char *p, enum isa_operand_kind kind, unsigned reg)
{
    const struct isa_name *name = &isa_register_text[256 * kind + (reg & 255)];
    memcpy(p, name->text, sizeof name->text);
    return p + name->n;
}

char *isa_put_modifiers(char *p, const uint16_t *mods, unsigned limit)
{
    for (unsigned i = 0; i < limit && mods[i] != ISA_MOD_NONE; i++)
        p = put_spelling(p, &mod_spelling[mods[i]]);
    return p;
}

/* 20 significant digits of m / 2^k, as "%.20g" prints them: whole part and fraction are integers, the fraction's digits
 * come by multiplying with ten, and what is left decides the rounding. NULL where that does not fit 64 bits. */
static char *put_digits(char *p, uint64_t m, unsigned k)
{
    enum { DIGITS = 20, TEN = 10 };
    uint64_t one = UINT64_C(1) << k, whole = m >> k, part = m & (one - 1);
    char digits[DIGITS] = {0};
    int n = 0, exponent = -1; /* of the first digit */
    for (uint64_t v = whole; v; v /= TEN)
        exponent++;
    uint64_t v = whole;
    for (int i = exponent; i >= 0; i--, v /= TEN)
        digits[i] = (char)(v % TEN);
    n = exponent + 1;
    if (!whole) {
        while (part * TEN < one) {
            part *= TEN;
            exponent--;
        }
    }
    for (; n < DIGITS && part; n++) {
        part *= TEN;
        digits[n] = (char)(part >> k);
        part &= one - 1;
    }
    if (n > 0 && (2 * part > one || (2 * part == one && digits[n - 1] & 1))) {
        int i = n - 1;
        while (i >= 0 && digits[i] == 9)
            digits[i--] = 0;
        if (i < 0) /* 9.99… became 10: not with 24 bits, and left to printf */
            return NULL;
        digits[i]++;
    }
    while (n > 1 && !digits[n - 1])
        n--;
    bool scientific = exponent < -4;
    int point = scientific ? 1 : exponent + 1; /* digits before it */
    if (point <= 0) {
        p = PUT(p, "0.");
        for (int i = point; i < 0; i++)
            *p++ = '0';
    }
    for (int i = 0; i < n || i < point; i++) {
        if (i && i == point)
            *p++ = '.';
        *p++ = (char)('0' + (i < n ? digits[i] : 0));
    }
    if (scientific) {
        p = exponent > -10 ? PUT(p, "e-0") : PUT(p, "e-");
        p = put_decimal(p, (uint64_t)-exponent);
    }
    return p;
}

/* 20 significant digits, but an exponent from 1e9 on; infinities, NaN and -0.0 carry their own blank. */
static char *put_float(char *p, uint64_t bits, unsigned width, bool brain)
{
    unsigned fraction_bits = width == 64 ? 52 : width == 32 ? 23 : brain ? 7 : 10; /* 16 bits: bfloat16 or binary16 */
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    unsigned exponent_bits = width - 1 - fraction_bits;
    uint64_t exponent = bits >> fraction_bits & ((UINT64_C(1) << exponent_bits) - 1);
    bool negative = bits >> (width - 1) & 1;
    if (exponent == (UINT64_C(1) << exponent_bits) - 1) {
        bool quiet = fraction >> (fraction_bits - 1) & 1;
        *p++ = negative ? '-' : '+';
        return fraction == 0 ? PUT(p, "INF ") : quiet ? PUT(p, "QNAN ") : PUT(p, "SNAN ");
    }
    if (exponent == 0 && fraction == 0)
        return negative ? PUT(p, "-0.0 ") : PUT(p, "0");
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t m = exponent ? fraction | UINT64_C(1) << fraction_bits : fraction;
    int scale = (exponent ? (int)exponent : 1) - bias - (int)fraction_bits; /* the value is m * 2^scale */
    if (negative)
        *p++ = '-';
    char *end = NULL;
    unsigned zeros = (unsigned)__builtin_ctzll(m);
    if (scale < 0 && zeros) { /* as few bits behind the point as there are */
        zeros = (int)zeros < -scale ? zeros : (unsigned)-scale;
        m >>= zeros;
        scale += (int)zeros;
    }
    if (scale <= 0 && scale >= -59)
        end = m >> -scale < 1000000000 ? put_digits(p, m, (unsigned)-scale) : NULL;
    else if (scale > 0 && scale < 30 && m < UINT64_C(1) << 30)
        end = m << scale < 1000000000 ? put_digits(p, m << scale, 0) : NULL;
    if (end)
        return end;
    double value = ldexp((double)m, scale);
    return p + snprintf(p, LABEL, value >= 1e9 ? "%.20e" : "%.20g", value);
}

/* base, uniform base and offset, those that the text shows, joined by '+'; RZ or URZ when nothing is left. */
static char *put_address(char *p, const struct isa_operand *o, const struct isa_operand_row *row, unsigned ubase)
{
    bool plus = false;
    if (o->base != ISA_NO_REG) {
        p = put_register(p, ISA_OPERAND_REG, o->base);
        if (o->kind != ISA_OPERAND_HANDLE) /* its words stand behind the brackets */
            p = isa_put_modifiers(p, o->mods, ISA_MAX_OPERAND_MODS);
        plus = true;
    }
    if (ubase != ISA_NO_REG) {
        if (plus)
            *p++ = '+';
        p = isa_put_modifiers(put_register(p, ISA_OPERAND_UREG, ubase), o->ubase_mods, 1);
        plus = true;
    }
    bool indexed =
        !(row->style & ISA_STYLE_POSITIVE) && (row->part[ISA_PART_BASE].field.pieces || o->kind != ISA_OPERAND_CONST ||
                                               row->part[ISA_PART_DESC].field.pieces);
    if (o->value == 0 && (plus || indexed))
        return plus ? p : row->part[ISA_PART_BASE].field.pieces ? PUT(p, "RZ") : PUT(p, "URZ");
    if (plus)
        *p++ = '+';
    return isa_put_hex(p, o->value);
}

static char *put_memory(char *p, const struct isa_operand *o, const struct isa_operand_row *row)
{
    unsigned ubase = o->ubase;
    if (o->kind == ISA_OPERAND_CONST) {
        if (o->ubase != ISA_NO_REG) {
            p = put_register(PUT(p, "cx["), ISA_OPERAND_UREG, o->ubase);
            *p++ = ']';
        } else {
            p = put_unsigned_hex(PUT(p, "c["), o->bank);
            *p++ = ']';
        }
        if (row->style & ISA_STYLE_SPACE)
            *p++ = ' ';
        ubase = o->desc;
    } else if (o->desc != ISA_NO_REG && !(row->style & ISA_STYLE_HIDDEN_DESC)) {
        p = put_register(PUT(p, "desc["), ISA_OPERAND_UREG, o->desc);
        *p++ = ']';
    }
    *p++ = '[';
    p = put_address(p, o, row, ubase);
    *p++ = ']';
    return p;
}

static char *put_set(char *p, int64_t value)
{
    char before = '{';
    for (unsigned i = 16; i-- > 0;)
        if (value >> i & 1) {
            *p++ = before;
            p = put_decimal(p, i);
            before = ',';
        }
    if (before == '{')
        *p++ = before;
    *p++ = '}';
    return p;
}

char *isa_put_label(char *p, int64_t value, const struct isa_print_options *options)
{
    if (!options || options->dialect != ISA_DIALECT_NVDISASM || !options->label || value < 0 || value > UINT32_MAX ||
        !options->label(options->user, (uint32_t)value, p + 2))
        return isa_put_hex(p, value);
    p[0] = '`';
    p[1] = '(';
    p[2 + LABEL - 1] = '\0'; /* whatever was written */
    p += 2 + strlen(p + 2);
    *p++ = ')';
    return p;
}

char *isa_put_value(char *p, unsigned sm, const struct isa_insn *insn, const struct isa_operand *o,
                    const struct isa_operand_row *row, const struct isa_print_options *options)
{
    switch ((enum isa_operand_kind)o->kind) {
    case ISA_OPERAND_REG:
    case ISA_OPERAND_UREG:
    case ISA_OPERAND_PRED:
    case ISA_OPERAND_UPRED: return put_register(p, (enum isa_operand_kind)o->kind, o->reg);
    case ISA_OPERAND_BARRIER: *p++ = 'B'; return put_decimal(p, o->reg);
    case ISA_OPERAND_SCOREBOARD: return put_decimal(PUT(p, "SB"), o->reg);
    case ISA_OPERAND_IMM:
        if (row->style & ISA_STYLE_SET)
            return put_set(p, o->value);
        if (row->part[ISA_PART_MAIN].field.pieces == 1 && row->part[ISA_PART_MAIN].field.piece[0].width == 64)
            return put_unsigned_hex(p, (uint64_t)o->value);
        return isa_put_hex(p, o->value);
    case ISA_OPERAND_FIMM:
        return put_float(p, (uint64_t)o->value, o->bits,
                         !(row->style & ISA_STYLE_HALF) &&
                             (isa_has_mod(insn, ISA_MOD_BF16_V2) || isa_has_mod(insn, ISA_MOD_BF16) ||
                              isa_has_mod(insn, ISA_MOD_BF16x2)));
    case ISA_OPERAND_CONST:
    case ISA_OPERAND_MEM: return put_memory(p, o, row);
    case ISA_OPERAND_SREG: {
        const char *name = isa_sreg_text(sm, (unsigned)o->value);
        return name ? put_text(p, name) : put_decimal(PUT(p, "SR"), (uint64_t)o->value);
    }
    case ISA_OPERAND_LABEL: return isa_put_label(p, o->value, options);
    case ISA_OPERAND_PR: return insn->guard_uniform ? PUT(p, "UPR") : PUT(p, "PR");
    case ISA_OPERAND_TOKEN:
        p = put_text(p, isa_mod_text((enum isa_mod)o->mods[0]));
        return isa_put_modifiers(p, o->mods + 1, ISA_MAX_OPERAND_MODS - 1);
    case ISA_OPERAND_OTHER: return isa_put_hex(p, o->value);
    case ISA_OPERAND_HANDLE:
        p = put_text(p, isa_handle_text(o->bits));
        *p++ = '[';
        p = put_address(p, o, row, o->ubase);
        *p++ = ']';
        return p;
    }
    return p;
}

char *isa_put_before(char *p, unsigned flags)
{
    if (flags & ISA_NEG)
        *p++ = '-';
    if (flags & ISA_INV)
        *p++ = '~';
    if (flags & ISA_NOT)
        *p++ = '!';
    if (flags & ISA_ABS)
        *p++ = '|';
    return p;
}

char *isa_put_behind(char *p, const struct isa_operand *o, const struct isa_operand_row *row)
{
    if (o->flags & ISA_ABS && !(row->style & ISA_STYLE_SUFFIX_IN))
        *p++ = '|';
    if (o->flags & ISA_REUSE)
        p = PUT(p, ".reuse");
    bool suffix_shown = o->kind == ISA_OPERAND_TOKEN ||
                        ((o->kind == ISA_OPERAND_CONST || o->kind == ISA_OPERAND_MEM) && row->base_suffix_count != 0);
    if (!suffix_shown)
        p = isa_put_modifiers(p, o->mods, ISA_MAX_OPERAND_MODS);
    if (o->flags & ISA_ABS && row->style & ISA_STYLE_SUFFIX_IN)
        *p++ = '|';
    return p;
}

static char *put_operand(char *p, unsigned sm, const struct isa_insn *insn, const struct isa_operand *o,
                         const struct isa_operand_row *row, const struct isa_print_options *options)
{
    if (!o->flags && o->kind == ISA_OPERAND_REG)
        return isa_put_modifiers(put_register(p, ISA_OPERAND_REG, o->reg), o->mods, ISA_MAX_OPERAND_MODS);
    p = isa_put_value(isa_put_before(p, o->flags), sm, insn, o, row, options);
    return isa_put_behind(p, o, row);
}

/* The row a word was decoded by, or is found by where the structure was made otherwise. */
static const struct isa_row *row_of(unsigned sm, const struct isa_insn *insn)
{
    if (insn->op == ISA_OP_UNKNOWN)
        return NULL;
    return insn->row ? isa_row_at(insn->row - 1u) : isa_row_find(sm, insn->word);
}

static char *put_guard(char *p, const struct isa_insn *insn)
{
    if (insn->guard == ISA_PT && !insn->guard_not)
        return p;
    *p++ = '@';
    if (insn->guard_not)
        *p++ = '!';
    p = put_register(p, insn->guard_uniform ? ISA_OPERAND_UPRED : ISA_OPERAND_PRED, insn->guard);
    *p++ = ' ';
    return p;
}

static char *put_name(char *p, unsigned op)
{
    /* A build of its own, for a test: no analysis may read text. */
    if (SP_RENAME_MNEMONICS)
        return put_decimal(PUT(p, "OP"), op);
    return put_spelling(p, &op_spelling[op]);
}

char *isa_put_head(char *p, const struct isa_row *row, struct bits128 word)
{
    p = put_name(p, row->op);
    for (unsigned i = 0; i < row->mod_count; i++) {
        unsigned code = isa_enum_code(&isa_enums[row->mod + i], word);
        if (code == ISA_CODE_ILLEGAL)
            return NULL;
        p = put_spelling(p, &sequence_text[code]);
    }
    return p;
}

static inline char *put_separator(char *p, bool first, const struct isa_operand_row *o)
{
    bool comma = !first && !(o->style & ISA_STYLE_BLANK);
    p[0] = comma ? ',' : ' ';
    p[1] = ' '; /* overwritten where there is no comma */
    return p + 1 + comma;
}

/* An infinity at the end leaves its blank behind. */
static inline char *cut_blanks(char *p, const char *start)
{
    while (p > start && p[-1] == ' ')
        p--;
    return p;
}

static char *put_instruction(char *p, unsigned sm, const struct isa_insn *insn, const struct isa_row *row,
                             const struct isa_print_options *options)
{
    const char *start = p;
    p = isa_put_modifiers(put_name(put_guard(p, insn), insn->op), insn->mods, insn->mod_count);
    for (unsigned i = 0, k = 0; i < row->operand_count && k < insn->operand_count; i++) {
        const struct isa_operand_row *o = isa_row_operand(row, i);
        if (isa_operand_hidden(o, insn->word))
            continue;
        p = put_separator(p, k == 0, o);
        p = put_operand(p, sm, insn, &insn->operands[k++], o, options);
    }
    return cut_blanks(p, start);
}

static char *put_unknown(char *p, struct bits128 word)
{
    static const char digits[] = "0123456789abcdef";
    p = PUT(p, "UNKNOWN 0x");
    for (unsigned i = 16; i-- > 0;)
        *p++ = digits[word.hi >> 4 * i & 15];
    p = PUT(p, ",0x");
    for (unsigned i = 16; i-- > 0;)
        *p++ = digits[word.lo >> 4 * i & 15];
    return p;
}

static size_t give(const char *room, const char *end, char *out, size_t size)
{
    size_t n = (size_t)(end - room);
    if (size > 0) {
        size_t take = n < size ? n : size - 1;
        memcpy(out, room, take);
        out[take] = '\0';
    }
    return n;
}

size_t isa_print(unsigned sm, const struct isa_insn *insn, const struct isa_print_options *options, char *out,
                 size_t size)
{
    char room[ISA_TEXT_ROOM];
    const struct isa_row *row = row_of(sm, insn);
    return give(room, row ? put_instruction(room, sm, insn, row, options) : put_unknown(room, insn->word), out, size);
}

/* A register that is nothing but a number: read and written at once, by tables, since branches on what a word happens
 * to hold are what costs time here. */
static inline char *put_plain(char *p, const struct isa_operand_row *o, struct bits128 word, unsigned flags)
{
    static const struct {
        char text[3];
        uint8_t n;
    } before[16] = {{"", 0},  {"-", 1},  {"|", 1},  {"-|", 2},  {"~", 1},  {"-~", 2},  {"~|", 2},  {"-~|", 3},
                    {"!", 1}, {"-!", 2}, {"!|", 2}, {"-!|", 3}, {"~!", 2}, {"-~!", 3}, {"~!|", 3}, {"-~!", 3}};
    static const struct isa_name after[4] = {{"", 0}, {"|", 1}, {".reuse", 6}, {"|.reuse", 7}};
    const struct isa_field *field = &o->part[ISA_PART_MAIN].field;
    unsigned width = field->piece[0].width;
    unsigned reg = (unsigned)isa_piece_raw(field->piece[0].low, width, word);
    reg = width >= 6 && reg + 1 == 1u << width ? ISA_RZ : reg;
    memcpy(p, before[flags & 15].text, sizeof before->text);
    p = put_register(p + before[flags & 15].n, (enum isa_operand_kind)o->kind, reg);
    const struct isa_name *end = &after[(flags & ISA_ABS) / ISA_ABS | (flags & ISA_REUSE) / ISA_REUSE << 1];
    memcpy(p, end->text, sizeof end->text);
    return p + end->n;
}

/* Answers NULL where the word is no instruction. */
static char *put_word(char *p, unsigned sm, const struct isa_row *row, struct isa_insn *insn,
                      const struct isa_print_options *options)
{
    const char *start = p;
    struct bits128 word = insn->word, flagged = isa_flagged_word(word);
    unsigned mods = 0, shown = 0;
    insn->op = row->op;
    insn->guard_uniform = row->uniform_guard;
    p = isa_put_head(put_guard(p, insn), row, word);
    if (!p)
        return NULL;
    for (unsigned i = 0; i < row->operand_count; i++) {
        const struct isa_operand_row *o = isa_row_operand(row, i);
        if (isa_operand_hidden(o, word))
            continue;
        if (shown == ISA_MAX_OPERANDS)
            return NULL;
        p = put_separator(p, shown++ == 0, o);
        if (o->plain) {
            p = put_plain(p, o, word, isa_read_flags(&o->flags, flagged));
            continue;
        }
        struct isa_operand operand;
        if (o->kind == ISA_OPERAND_FIMM || o->kind == ISA_OPERAND_PR) { /* these depend on the whole instruction */
            if (!isa_read_mods(row->mod, row->mod_count, word, insn->mods, ISA_MAX_MODS, &mods))
                return NULL;
            insn->mod_count = (uint8_t)mods;
            mods = 0;
        }
        if (!isa_read_operand(o, word, flagged, insn->offset, &operand))
            return NULL;
        p = put_operand(p, sm, insn, &operand, o, options);
    }
    return cut_blanks(p, start);
}

size_t isa_print_word(unsigned sm, struct bits128 word, uint32_t offset, const struct isa_print_options *options,
                      char *out, size_t size)
{
    char room[ISA_TEXT_ROOM], *text = size < ISA_TEXT_ROOM ? room : out;
    struct isa_insn insn; /* what print asks for is set here and in put_word */
    const struct isa_arch_table *table = isa_arch_table(sm);
    const struct isa_row *row = table ? isa_table_row(table, word) : NULL;
    insn.word = word;
    insn.offset = offset;
    insn.guard = word.lo >> 12 & 7;
    insn.guard_not = word.lo >> 15 & 1;
    char *end = row ? put_word(text, sm, row, &insn, options) : NULL;
    if (!end)
        end = put_unknown(text, word);
    if (text == room)
        return give(room, end, out, size);
    *end = '\0';
    return (size_t)(end - text);
}

void isa_print_control(const struct isa_control *control, char out[32])
{
    char *p = out;
    *p++ = '[';
    *p++ = 'B';
    for (unsigned i = 0; i < 6; i++)
        *p++ = control->wait_mask >> i & 1 ? (char)('0' + i) : '-';
    *p++ = ':';
    *p++ = 'R';
    *p++ = control->read_barrier == 7 ? '-' : (char)('0' + (control->read_barrier & 7));
    *p++ = ':';
    *p++ = 'W';
    *p++ = control->write_barrier == 7 ? '-' : (char)('0' + (control->write_barrier & 7));
    *p++ = ':';
    *p++ = control->yield ? 'Y' : '-';
    *p++ = ':';
    *p++ = 'S';
    *p++ = (char)('0' + control->stall / 10 % 10);
    *p++ = (char)('0' + control->stall % 10);
    *p++ = ']';
    *p = '\0';
}
