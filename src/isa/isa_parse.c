/* Text -> structure, by the tables that print. Each row of the opcode is tried: what the text says is put into the bits
 * that the row names for it, bits the text does not tell stay 0 (one cycle of stall apart: none is no schedule for hints),
 * and the word made so is decoded. A row counts only
 * when its own word finds it again; of several the one that prints the text as it stands is taken, else the first. So
 * there is no second list of spellings: what can be printed can be parsed.
 * requires: the generated tables · gives: struct isa_insn as isa_decode() does · allocates nothing, keeps nothing */
#include "isa/isa_parse.h"
#include "isa/isa_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 512, MAX_TOKENS = ISA_MAX_MODS + 1, WORD_BYTES = 64, STEPS = 20000, AVOID = 8 };

/* A word of which some bits are settled. */
struct filling {
    struct bits128 word, settled;
};

struct parser {
    unsigned sm;
    uint32_t offset;
    const struct isa_row *row;
    const char *operands; /* text behind the opcode */
    uint16_t tokens[MAX_TOKENS];
    unsigned token_count;
    bool brain, exact; /* the opcode names bfloat16; a filling prints the text, blanks apart */
    const char *text;  /* canonical: one blank where there were several */
    unsigned steps;    /* left for this text: rows that share many spellings must not multiply */
    struct isa_insn *out;
};

/* ---- bits ------------------------------------------------------------------------------------------------------- */

static bool settle(struct filling *f, unsigned low, unsigned width, uint64_t value)
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

static bool settle_field(struct filling *f, const struct isa_field *field, uint64_t raw)
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
static bool settle_bit(struct filling *f, uint16_t bit, bool shown)
{
    if (bit == ISA_BIT_NONE || bit == ISA_BIT_ALWAYS)
        return shown == (bit == ISA_BIT_ALWAYS);
    return settle(f, bit & 0x7fu, 1, shown != ((bit & ISA_BIT_INVERTED) != 0));
}

/* A number as the field keeps it: scaled, counted from the next instruction, inverted. A negative number may also stand
 * in a field without a sign as its bits, and the other way round: older listings print them so. */
static bool settle_value(struct filling *f, const struct isa_field *field, int64_t value, uint32_t offset)
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

static bool settle_register(struct filling *f, const struct isa_part *part, unsigned reg)
{
    unsigned width = isa_field_width(&part->field);
    if (reg == ISA_RZ && width >= 6)
        return settle_field(f, &part->field, (UINT64_C(1) << width) - 1);
    return settle_value(f, &part->field, reg, 0);
}

/* The uniform register that stands one behind that in the bits. None is behind the last, and it is behind the one
 * before: where another operand has said which of the two, that holds. */
static bool settle_register_before(struct filling *f, const struct isa_part *part, unsigned reg)
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
static bool settle_absent(struct filling *f, const struct isa_part *part)
{
    return !part->field.pieces || (part->absent >= 0 && settle_field(f, &part->field, (uint64_t)part->absent));
}

/* ---- small readers: each takes what it knows from *p and answers whether it was there --------------------------- */

static void skip_blanks(const char **p)
{
    while (**p == ' ')
        (*p)++;
}

static bool take(const char **p, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(*p, text, n) != 0)
        return false;
    *p += n;
    return true;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool take_word(const char **p, char out[WORD_BYTES])
{
    size_t n = 0;
    while (is_word((*p)[n]))
        n++;
    if (!n || n >= WORD_BYTES)
        return false;
    memcpy(out, *p, n);
    out[n] = '\0';
    *p += n;
    return true;
}

/* R12, RZ, UR3, P0, PT: `prefix` and a number below `all`, or `last`, which stands for `all`. */
static bool take_register(const char **p, const char *prefix, unsigned all, char last, unsigned *reg)
{
    const char *at = *p;
    unsigned n = 0;
    if (!take(&at, prefix))
        return false;
    if (*at == last) {
        at++;
        n = all;
    } else {
        if (!is_digit(*at))
            return false;
        for (; is_digit(*at); at++)
            if ((n = n * 10 + (unsigned)(*at - '0')) > 999)
                return false;
        if (n >= all)
            return false;
    }
    if (is_word(*at))
        return false;
    *p = at;
    *reg = n;
    return true;
}

static int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool take_number(const char **p, int64_t *value)
{
    const char *at = *p;
    bool negative = take(&at, "-");
    uint64_t v = 0;
    unsigned digits = 0;
    if (take(&at, "0x") || take(&at, "0X")) {
        for (; hex_digit(*at) >= 0; at++, digits++) {
            if (v >> 60)
                return false;
            v = v << 4 | (unsigned)hex_digit(*at);
        }
    } else {
        for (; is_digit(*at); at++, digits++) {
            if (v > (UINT64_MAX - 9) / 10)
                return false;
            v = v * 10 + (unsigned)(*at - '0');
        }
    }
    if (!digits || is_word(*at) || (*at == '.' && is_digit(at[1])))
        return false;
    *p = at;
    *value = (int64_t)(negative ? -v : v);
    return true;
}

/* Bits of a value in a format of `width` bits: binary16, bfloat16, binary32, binary64. */
static uint64_t float_bits(double value, unsigned width, bool brain)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (width == 64)
        return bits;
    unsigned fraction_bits = width == 32 ? 23 : brain ? 7 : 10, exponent_bits = width - 1 - fraction_bits;
    int bias = (1 << (exponent_bits - 1)) - 1, exponent = 0;
    uint64_t sign = (bits >> 63) << (width - 1);
    double mantissa = frexp(fabs(value), &exponent); /* [0.5, 1) */
    if (mantissa == 0)
        return sign;
    int e = exponent - 1 + bias, shift = e < 1 ? 1 - e : 0; /* subnormal: the exponent field is 0 */
    double scaled = ldexp(mantissa, (int)fraction_bits + 1 - shift);
    uint64_t whole = (uint64_t)nearbyint(scaled);
    if (e < 1)
        return sign | whole; /* rounding up to the least normal number gives its bits */
    whole += ((uint64_t)e - 1) << fraction_bits;
    uint64_t infinity = ((UINT64_C(1) << exponent_bits) - 1) << fraction_bits;
    return sign | (whole < infinity ? whole : infinity);
}

static bool take_float(const char **p, unsigned width, bool brain, int64_t *value)
{
    const char *at = *p;
    bool negative = *at == '-';
    unsigned fraction_bits = width == 64 ? 52 : width == 32 ? 23 : brain ? 7 : 10;
    uint64_t sign = UINT64_C(1) << (width - 1);
    uint64_t infinity = (sign - 1) ^ ((UINT64_C(1) << fraction_bits) - 1);
    if (*at == '+' || *at == '-')
        at++;
    uint64_t bits;
    if (take(&at, "INF")) {
        bits = infinity;
    } else if (take(&at, "QNAN")) {
        bits = infinity | UINT64_C(1) << (fraction_bits - 1);
        if (!negative && width == 32)
            bits = sign - 1; /* CUDA's NaN; the text tells a payload of neither sign */
    } else if (take(&at, "SNAN")) {
        bits = infinity | 1;
        if (width == 64)
            bits = infinity | UINT64_C(1) << 32; /* a 64-bit one has its low word 0 */
    } else {
        char number[48];
        size_t n = 0;
        bool point = false, power = false; /* a second point, or one without a digit behind it, begins a suffix */
        while (n + 1 < sizeof number) {
            char c = at[n];
            if (c == '.' ? point || power || !is_digit(at[n + 1])
                         : !is_digit(c) && c != 'e' && c != 'E' &&
                               !((c == '+' || c == '-') && n && (at[n - 1] == 'e' || at[n - 1] == 'E')))
                break;
            point |= c == '.';
            power |= c == 'e' || c == 'E';
            n++;
        }
        if (!n || !is_digit(at[0]))
            return false;
        memcpy(number, at, n);
        number[n] = '\0';
        char *end;
        double v = strtod(number, &end);
        if (end != number + n || !isfinite(v))
            return false;
        at += n;
        bits = float_bits(v, width, brain);
        if ((bits & (sign - 1)) == infinity) /* too large for its format */
            return false;
        if (width == 64)
            bits &= ~(uint64_t)UINT32_MAX;
    }
    if (is_word(*at))
        return false;
    *p = at;
    *value = (int64_t)(negative ? bits | sign : bits);
    return true;
}

/* ---- modifiers -------------------------------------------------------------------------------------------------- */

/* Does the value `v` of a cell print the tokens from `at` on? *used: how many of them. */
static bool prints(const struct isa_enum *e, unsigned v, const uint16_t *tokens, unsigned left, unsigned *used)
{
    const uint16_t *sequence = isa_sequence(e, v);
    if (!sequence)
        return false;
    for (*used = 0; sequence[*used]; (*used)++)
        if (*used >= left || sequence[*used] != tokens[*used])
            return false;
    return true;
}

/* Settles the cells so that they print exactly the tokens; depth first, the longest spelling of a cell before none. */
static bool match_cells(struct parser *p, unsigned first, unsigned cells, const uint16_t *tokens, unsigned left,
                        struct filling *f)
{
    if (!cells)
        return left == 0;
    const struct isa_enum *e = isa_enum_at(first);
    for (int shown = 1; shown >= 0; shown--)
        for (unsigned v = 0; v < e->count; v++) {
            unsigned used;
            struct filling next = *f;
            if (!p->steps)
                return false;
            p->steps--;
            if (!prints(e, v, tokens, left, &used) || (used > 0) != (shown == 1) || (!e->field.pieces && v) ||
                !settle_field(&next, &e->field, v))
                continue;
            if (match_cells(p, first + 1, cells - 1, tokens + used, left - used, &next)) {
                *f = next;
                return true;
            }
        }
    return false;
}

/* The dotted words at *at, which a row's cells must print. `.reuse` is none of them. */
static bool take_suffixes(struct parser *p, const char **at, unsigned first, unsigned cells, struct filling *f)
{
    uint16_t tokens[MAX_TOKENS];
    unsigned n = 0;
    while (**at == '.' && n < MAX_TOKENS) {
        char word[WORD_BYTES] = "";
        const char *next = *at + 1;
        if (!take_word(&next, word) || strcmp(word, "reuse") == 0)
            break;
        enum isa_mod mod = isa_mod_find(word);
        if (mod == ISA_MOD_NONE)
            return false;
        tokens[n++] = (uint16_t)mod;
        *at = next;
    }
    return match_cells(p, first, cells, tokens, n, f);
}

/* ---- operands --------------------------------------------------------------------------------------------------- */

struct address {
    bool has_base, has_ubase;
    unsigned base, ubase;
    const char *base_suffix, *ubase_suffix; /* where their suffixes begin */
    int64_t value;
};

static void skip_suffix(const char **p)
{
    while (**p == '.' || is_word(**p))
        (*p)++;
}

/* [R4.X8+UR5.U64+0x10], the parts in any order, up to and with the bracket. */
static bool take_address(const char **p, struct address *out)
{
    bool any = false, number = false;
    *out = (struct address){0};
    skip_blanks(p);
    if (!take(p, "["))
        return false;
    while (!take(p, "]")) {
        skip_blanks(p);
        if (any && !take(p, "+") && **p != '-') /* R1-0x8 stands for R1+-0x8 */
            return false;
        skip_blanks(p);
        unsigned reg;
        if (take_register(p, "UR", ISA_RZ, 'Z', &reg)) {
            if (out->has_ubase)
                return false;
            out->has_ubase = true;
            out->ubase = reg;
            out->ubase_suffix = *p;
            skip_suffix(p);
        } else if (take_register(p, "R", ISA_RZ, 'Z', &reg)) {
            if (out->has_base)
                return false;
            out->has_base = true;
            out->base = reg;
            out->base_suffix = *p;
            skip_suffix(p);
        } else {
            int64_t value;
            if (number || !take_number(p, &value))
                return false;
            number = true;
            out->value = value;
        }
        any = true;
        skip_blanks(p);
    }
    return any;
}

/* Registers of an address into parts `base` and `ubase` of the operand; their suffixes too. */
static bool settle_address(struct parser *p, const struct isa_operand_row *o, const struct address *a,
                           enum isa_part_id uniform, struct filling *f)
{
    const struct isa_part *base = &o->part[ISA_PART_BASE], *ubase = &o->part[uniform];
    const char *at = a->base_suffix;
    static const uint16_t no_token = ISA_MOD_NONE;
    bool shown = a->has_base && (base->field.pieces || a->base != ISA_RZ); /* [RZ] where there is no base: nothing */
    if (shown) {
        if (!base->field.pieces)
            return false;
        if (a->base == ISA_RZ && base->absent >= 0 && !(o->style & ISA_STYLE_STRIDED)) {
            if (!settle_absent(f, base) || *at == '.')
                return false;
        } else if (!settle_register(f, base, a->base) ||
                   !take_suffixes(p, &at, o->base_suffix, o->base_suffix_count, f)) {
            return false;
        }
    } else if (!settle_absent(f, base)) {
        return false;
    } else if (o->style & ISA_STYLE_STRIDED && !match_cells(p, o->base_suffix, o->base_suffix_count, &no_token, 0, f)) {
        return false;
    }
    if (a->has_ubase && (ubase->field.pieces || a->ubase != ISA_RZ)) {
        at = a->ubase_suffix;
        unsigned reg = a->ubase;
        bool next = (uniform == ISA_PART_DESC || o->kind == ISA_OPERAND_HANDLE) && o->style & ISA_STYLE_NEXT;
        if (o->kind == ISA_OPERAND_MEM && reg < ISA_RZ) {
            if (reg < o->bits)
                return false;
            reg -= o->bits;
        }
        if (!ubase->field.pieces || !(next ? settle_register_before(f, ubase, reg) : settle_register(f, ubase, reg)))
            return false;
        if (uniform == ISA_PART_UBASE && !take_suffixes(p, &at, o->ubase_suffix, o->ubase_suffix_count, f))
            return false;
    } else if (!settle_absent(f, ubase)) {
        return false;
    }
    return settle_value(f, &o->part[ISA_PART_MAIN].field, a->value, p->offset);
}

static bool take_constant(struct parser *p, const char **at, const struct isa_operand_row *o, struct filling *f)
{
    struct address where, bank;
    bool indexed = take(at, "cx");
    if ((!indexed && !take(at, "c")) || !take_address(at, &bank) || !take_address(at, &where))
        return false;
    if (indexed) {
        if (!bank.has_ubase || bank.has_base || bank.value || !o->part[ISA_PART_UBASE].field.pieces ||
            !settle_register(f, &o->part[ISA_PART_UBASE], bank.ubase))
            return false;
        return settle_address(p, o, &where, ISA_PART_DESC, f);
    }
    if (bank.has_ubase || bank.has_base || !settle_absent(f, &o->part[ISA_PART_UBASE]) ||
        !settle_value(f, &o->part[ISA_PART_BANK].field, bank.value, 0))
        return false;
    return settle_address(p, o, &where, ISA_PART_DESC, f);
}

static bool take_memory(struct parser *p, const char **at, const struct isa_operand_row *o, struct filling *f)
{
    struct address a, descriptor;
    const struct isa_part *desc = &o->part[ISA_PART_DESC];
    bool shown = take(at, "desc");
    if (shown && (!take_address(at, &descriptor) || !descriptor.has_ubase || descriptor.has_base || descriptor.value))
        return false;
    if (!take_address(at, &a))
        return false;
    if (shown) {
        unsigned reg = descriptor.ubase;
        if (o->style & ISA_STYLE_HIDDEN_DESC || !desc->field.pieces)
            return false;
        if (!(o->style & ISA_STYLE_NEXT ? settle_register_before(f, desc, reg) : settle_register(f, desc, reg)))
            return false;
    } else if (!(o->style & ISA_STYLE_HIDDEN_DESC) && !settle_absent(f, desc)) {
        return false;
    }
    return settle_address(p, o, &a, ISA_PART_UBASE, f);
}

/* {5,2,0}: a set of scoreboards. */
static bool take_set(const char **at, int64_t *value)
{
    int64_t number;
    if (!take(at, "{"))
        return false;
    for (*value = 0; !take(at, "}");) {
        skip_blanks(at);
        if (!take_number(at, &number) || number < 0 || number > 15)
            return false;
        *value |= INT64_C(1) << number;
        skip_blanks(at);
        if (**at != '}' && !take(at, ","))
            return false;
    }
    return true;
}

static bool take_sreg(struct parser *p, const char **at, int64_t *value)
{
    char name[WORD_BYTES] = "";
    size_t n = 0;
    while (n + 1 < sizeof name && (is_word((*at)[n]) || (*at)[n] == '.')) {
        name[n] = (*at)[n];
        n++;
    }
    name[n] = '\0';
    int number = isa_sreg_find(p->sm, name);
    if (number < 0 && strncmp(name, "SR", 2) == 0 && is_digit(name[2]) && strlen(name) < 6)
        number = atoi(name + 2);
    if (number < 0 || number > 255)
        return false;
    *at += n;
    *value = number;
    return true;
}

/* What the operand is, without signs, bars and suffixes. */
static bool take_body(struct parser *p, const char **at, const struct isa_operand_row *o, struct filling *f)
{
    static const struct {
        const char *prefix;
        unsigned all;
        char last;
    } files[] = {[ISA_OPERAND_REG] = {"R", ISA_RZ, 'Z'},    [ISA_OPERAND_UREG] = {"UR", ISA_RZ, 'Z'},
                 [ISA_OPERAND_PRED] = {"P", ISA_PT, 'T'},   [ISA_OPERAND_UPRED] = {"UP", ISA_PT, 'T'},
                 [ISA_OPERAND_BARRIER] = {"B", 1000, '\0'}, [ISA_OPERAND_SCOREBOARD] = {"SB", 1000, '\0'}};
    const struct isa_part *main = &o->part[ISA_PART_MAIN];
    int64_t value = 0;
    unsigned reg;
    switch ((enum isa_operand_kind)o->kind) {
    case ISA_OPERAND_REG:
    case ISA_OPERAND_UREG:
    case ISA_OPERAND_PRED:
    case ISA_OPERAND_UPRED:
    case ISA_OPERAND_BARRIER:
    case ISA_OPERAND_SCOREBOARD:
        if (!take_register(at, files[o->kind].prefix, files[o->kind].all, files[o->kind].last, &reg))
            return false;
        if (!main->field.pieces)
            return reg == files[o->kind].all;
        if (reg != files[o->kind].all && reg < o->bits)
            return false;
        if (reg == files[o->kind].all && o->bits) { /* what is added may make it the last one */
            struct filling before = *f;
            if (settle_register(f, main, reg))
                return true;
            *f = before;
            return settle_field(f, &main->field, (UINT64_C(1) << isa_field_width(&main->field)) - 1 - o->bits);
        }
        return settle_register(f, main, reg == files[o->kind].all ? reg : reg - o->bits);
    case ISA_OPERAND_CONST: return take_constant(p, at, o, f);
    case ISA_OPERAND_MEM: return take_memory(p, at, o, f);
    case ISA_OPERAND_IMM:
        if (o->style & ISA_STYLE_SET)
            return take_set(at, &value) && settle_value(f, &main->field, value, 0);
        return take_number(at, &value) && settle_value(f, &main->field, value, p->offset);
    case ISA_OPERAND_FIMM:
        if (!take_float(at, o->bits, p->brain && !(o->style & ISA_STYLE_HALF), &value))
            return false;
        if ((*at)[0] == ' ' && (*at)[1] == '.') /* an infinity carries a blank, here before a suffix */
            ++*at;
        return settle_field(f, &main->field, o->bits == 64 ? (uint64_t)value >> 32 : (uint64_t)value);
    case ISA_OPERAND_SREG: return take_sreg(p, at, &value) && settle_value(f, &main->field, value, 0);
    case ISA_OPERAND_LABEL:
    case ISA_OPERAND_OTHER: return take_number(at, &value) && settle_value(f, &main->field, value, p->offset);
    case ISA_OPERAND_PR: return take(at, p->row->uniform_guard ? "UPR" : "PR") && !is_word(**at);
    case ISA_OPERAND_HANDLE: {
        struct address a;
        return take(at, isa_handle_text(o->bits)) && take_address(at, &a) &&
               settle_address(p, o, &a, ISA_PART_UBASE, f);
    }
    case ISA_OPERAND_TOKEN: { /* its first suffix is its spelling */
        char word[TEXT_BYTES] = "";
        size_t n = 0;
        word[n++] = '.';
        while (n + 1 < sizeof word && (is_word((*at)[n - 1]) || (*at)[n - 1] == '.')) {
            word[n] = (*at)[n - 1];
            n++;
        }
        word[n] = '\0';
        const char *dotted = word;
        if (n == 1 || !take_suffixes(p, &dotted, o->suffix, o->suffix_count, f) || *dotted)
            return false;
        *at += n - 1;
        return true;
    }
    }
    return false;
}

/* A row that wants bit 109 to be 0 prints no .reuse, whatever its bits say. */
static bool reuse_is_hidden(const struct filling *f)
{
    const uint64_t yield = UINT64_C(1) << (109 - 64);
    return f->settled.hi & yield && !(f->word.hi & yield);
}

static bool take_operand(struct parser *p, const char **at, const struct isa_operand_row *o, struct filling *f)
{
    bool number = o->kind == ISA_OPERAND_IMM || o->kind == ISA_OPERAND_FIMM || o->kind == ISA_OPERAND_LABEL ||
                  o->kind == ISA_OPERAND_OTHER; /* its sign is its own */
    bool neg = !number && take(at, "-"), inv = take(at, "~"), no = take(at, "!"), abs = take(at, "|");
    if (!settle_bit(f, o->neg, neg) || !settle_bit(f, o->inv, inv) || !settle_bit(f, o->no, no) ||
        !settle_bit(f, o->abs, abs) || !take_body(p, at, o, f))
        return false;
    bool open = abs && !take(at, "|");
    bool reuse = take(at, ".reuse");
    if (reuse) {
        if (o->reuse == ISA_BIT_NONE || !settle_bit(f, o->reuse, true) || (o->reuse >= 105 && !settle(f, 109, 1, 1)))
            return false;
    }
    if (o->kind != ISA_OPERAND_TOKEN && (o->suffix_count || **at == '.') &&
        !take_suffixes(p, at, o->suffix, o->suffix_count, f))
        return false;
    if (!reuse && take(at, ".reuse")) {
        reuse = true;
        if (o->reuse == ISA_BIT_NONE || !settle_bit(f, o->reuse, true) || (o->reuse >= 105 && !settle(f, 109, 1, 1)))
            return false;
    }
    if (!reuse && o->reuse != ISA_BIT_NONE && !(o->reuse >= 105 && reuse_is_hidden(f)) &&
        !settle_bit(f, o->reuse, false))
        return false;
    return !open || take(at, "|");
}

/* ---- a whole word ----------------------------------------------------------------------------------------------- */

/* Rows that stand before this one and fit the word would win: bits the text does not tell are set against them. */
static bool find_own_row(struct parser *p, struct filling *f)
{
    for (unsigned tries = 0; tries < AVOID; tries++) {
        const struct isa_row *found = isa_row_find(p->sm, f->word);
        if (found == p->row)
            return true;
        const struct isa_row *against = found ? found : p->row;
        bool changed = false;
        for (unsigned i = 0; i < against->condition_count && !changed; i++) {
            const struct isa_condition *c = isa_row_condition(against, i);
            if (c->test == (found ? ISA_TEST_LEGAL : ISA_TEST_EQUAL) ||
                c->test == ISA_TEST_FILLED) /* parts no rows; settled already */
                continue;
            if (!found && isa_condition_holds(c, f->word))
                continue;
            for (unsigned k = 0; k < c->field.pieces && !changed; k++)
                for (unsigned b = c->field.piece[k].low; b < c->field.piece[k].low + c->field.piece[k].width; b++) {
                    struct filling next = *f;
                    if (bits_get(f->settled, b, b))
                        continue;
                    next.word = bits_set(f->word, b, b, !bits_get(f->word, b, b));
                    if (isa_condition_holds(c, next.word) == (found != NULL))
                        continue;
                    settle(&next, b, 1, bits_get(next.word, b, b));
                    *f = next;
                    changed = true;
                    break;
                }
        }
        if (!changed)
            return false;
    }
    return false;
}

/* Not 2D: a word may begin with digits. */
static bool begins_number(const char *p)
{
    p += *p == '-';
    if (!is_digit(*p))
        return false;
    while (is_digit(*p))
        p++;
    return *p < 'A' || *p > 'Z' || *p == 'E';
}

/* The text says what was printed: blanks do not count, and numbers by their value, so that "1.0" is 1, "0xffffffff" is
 * -0x1 and "[R1-0x8]" is [R1+-0x8]. *exact: no number was spelled otherwise. */
static bool same_text(const char *text, const char *printed, bool *exact)
{
    char before = ' ';
    *exact = true;
    for (;; before = *text, text++, printed++) {
        skip_blanks(&text);
        skip_blanks(&printed);
        if (*printed == '+' && printed[1] == '-' && *text == '-')
            printed++;
        if (strncmp(text, "+0x0]", 5) == 0 && *printed == ']') { /* a symbol, or an offset that nobody prints */
            text += 4;
            *exact = false;
        }
        if (before == '[' && strncmp(text, "0x0]", 4) == 0 && (*printed == 'R' || *printed == 'U')) {
            printed += *printed == 'U';
            if (strncmp(printed, "RZ]", 3) != 0)
                return false;
            text += 3, printed += 2;
            *exact = false;
        }
        if (!is_word(before) && before != '.' && begins_number(text) && begins_number(printed)) {
            int64_t a, b, x, y;
            const char *from = text, *start = printed;
            bool whole = take_number(&text, &a) && take_number(&printed, &b) && (a == b || (uint32_t)a == (uint32_t)b);
            if (!whole) {
                text = from, printed = start;
                if (!take_float(&text, 64, false, &x) || !take_float(&printed, 64, false, &y) || x != y)
                    return false;
            }
            *exact &= text - from == printed - start && memcmp(from, start, (size_t)(text - from)) == 0;
            skip_blanks(&text);
            skip_blanks(&printed);
        }
        if (*text != *printed)
            return false;
        if (!*text)
            return true;
    }
}

/* A filling that the text allows: the first stays unless another prints the text as it stands. Answers true when the
 * search can stop. */
static bool accept(struct parser *p, struct filling f)
{
    struct isa_insn insn;
    char text[TEXT_BYTES + 64];
    bool exact;
    if (!find_own_row(p, &f) || isa_decode(p->sm, f.word, p->offset, &insn) != SP_OK)
        return false;
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    isa_print(p->sm, &insn, &options, text, sizeof text);
    if (!same_text(p->text, text, &exact))
        return false;
    bool best = exact && strcmp(p->text, text) == 0; /* rows may part by a blank alone: c[0x0] [0x160] */
    if (best || (exact && !p->exact) || p->out->op == ISA_OP_UNKNOWN)
        *p->out = insn;
    p->exact |= exact;
    return best;
}

/* Operands from number `i` on; answers true when the search can stop. */
static bool match_operands(struct parser *p, unsigned i, const char *at, bool first, struct filling f)
{
    if (!p->steps)
        return true;
    p->steps--;
    skip_blanks(&at);
    if (i == p->row->operand_count)
        return !*at && accept(p, f);
    const struct isa_operand_row *o = isa_row_operand(p->row, i);
    const char *next = at;
    struct filling filled = f;
    bool separated = first || o->style & ISA_STYLE_BLANK || take(&next, ",");
    if (first && !*at)
        separated = false;
    skip_blanks(&next);
    if (separated && take_operand(p, &next, o, &filled) && match_operands(p, i + 1, next, false, filled))
        return true;
    if (o->hide < 0)
        return false;
    filled = f; /* the text leaves it out */
    if (!settle_field(&filled, &o->part[ISA_PART_MAIN].field, (uint64_t)o->hide) ||
        (o->no != ISA_BIT_NONE && !settle_bit(&filled, o->no, false)))
        return false;
    if (o->neg != ISA_BIT_NONE)
        settle_bit(&filled, o->neg, false);
    return match_operands(p, i + 1, at, first, filled);
}

static bool match_mods(struct parser *p, unsigned cell, unsigned token, struct filling f)
{
    if (cell == p->row->mod_count)
        return token == p->token_count && match_operands(p, 0, p->operands, true, f);
    const struct isa_enum *e = isa_enum_at(p->row->mod + cell);
    for (int shown = 1; shown >= 0; shown--)
        for (unsigned v = 0; v < e->count; v++) {
            unsigned used;
            struct filling next = f;
            if (!p->steps)
                return true;
            p->steps--;
            if (!prints(e, v, p->tokens + token, p->token_count - token, &used) || (used > 0) != (shown == 1) ||
                (!e->field.pieces && v) || !settle_field(&next, &e->field, v))
                continue;
            if (match_mods(p, cell + 1, token + used, next))
                return true;
        }
    return false;
}

/* "@!P0 " before the opcode. */
static bool take_guard(const char **at, unsigned *guard, bool *no, bool *uniform)
{
    *guard = ISA_PT;
    *no = *uniform = false;
    if (!take(at, "@"))
        return true;
    *no = take(at, "!");
    *uniform = take(at, "U");
    if (!take_register(at, "P", ISA_PT, 'T', guard) || (**at != ' ' && **at))
        return false;
    skip_blanks(at);
    return true;
}

/* One blank for several, none at the ends, no ";" behind. */
static bool canonical(const char *text, size_t n, char out[TEXT_BYTES])
{
    size_t m = 0;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == ';'))
        n--;
    for (size_t i = 0; i < n; i++) {
        char c = text[i] == '\t' ? ' ' : text[i];
        if (c == ' ' && (!m || out[m - 1] == ' '))
            continue;
        if ((unsigned char)c < 0x20 || m + 1 >= TEXT_BYTES)
            return false;
        out[m++] = c;
    }
    out[m] = '\0';
    return m > 0;
}

/* What some tools write in another order: a set of scoreboards upwards, the uniform register of an address first. */
static void reorder(char line[TEXT_BYTES])
{
    char part[TEXT_BYTES] = "";
    char *set = strchr(line, '{'), *end = set ? strchr(set, '}') : NULL;
    const char *at = set;
    int64_t value;
    if (end && take_set(&at, &value)) {
        size_t n = 0;
        for (int i = 15; i >= 0; i--)
            if (value >> i & 1)
                n += (size_t)snprintf(part + n, sizeof part - n, "%s%d", n ? "," : "", i);
        if (n == (size_t)(end - set) - 1)
            memcpy(set + 1, part, n);
    }
    for (char *open = line; (open = strstr(open, "[UR")) != NULL; open++) {
        size_t uniform = strcspn(open + 1, "+]"), vector;
        char *second = open + 1 + uniform;
        if (*second != '+' || second[1] != 'R')
            continue;
        vector = strcspn(second + 1, "+]");
        memcpy(part, open + 1, uniform);
        memmove(open + 1, second + 1, vector);
        open[1 + vector] = '+';
        memcpy(open + 2 + vector, part, uniform);
    }
}

static void parse_line(struct parser *p, const char *line)
{
    const struct isa_arch_table *table = isa_arch_table(p->sm);
    char word[WORD_BYTES] = "";
    unsigned guard;
    bool no, uniform;
    const char *at = line;
    p->text = line;
    p->token_count = 0;
    if (!take_guard(&at, &guard, &no, &uniform) || !take_word(&at, word))
        return;
    enum isa_op op = isa_op_find(word);
    while (op != ISA_OP_UNKNOWN && *at == '.') {
        at++;
        enum isa_mod mod = take_word(&at, word) ? isa_mod_find(word) : ISA_MOD_NONE;
        if (mod == ISA_MOD_NONE || p->token_count == MAX_TOKENS)
            return;
        p->tokens[p->token_count++] = (uint16_t)mod;
        p->brain |= mod == ISA_MOD_BF16 || mod == ISA_MOD_BF16_V2 || mod == ISA_MOD_BF16x2;
    }
    if (op == ISA_OP_UNKNOWN || (*at && *at != ' '))
        return;
    p->operands = at;
    for (unsigned i = table->op_first[op]; i < table->op_first[op + 1]; i++) {
        unsigned opcode = table->op_code[i];
        struct filling f = {.word.hi = UINT64_C(1) << (105 - 64)};
        p->row = isa_row_at(table->op_row[i]);
        if (uniform != (p->row->uniform_guard != 0) && guard != ISA_PT)
            continue;
        bool possible = settle(&f, 0, 12, opcode & 0xfff) && settle(&f, 91, 1, opcode >> 12) &&
                        settle(&f, 12, 3, guard) && settle(&f, 15, 1, no);
        for (unsigned k = 0; k < p->row->condition_count && possible; k++) {
            const struct isa_condition *c = isa_row_condition(p->row, k);
            possible = c->test != ISA_TEST_EQUAL || settle_field(&f, &c->field, c->value);
        }
        if (possible && match_mods(p, 0, 0, f))
            break;
    }
}

enum sp_status isa_parse(unsigned sm, const char *text, size_t size, uint32_t offset, struct isa_insn *insn)
{
    char line[TEXT_BYTES] = "";
    struct parser p = {.sm = sm, .offset = offset, .steps = STEPS, .out = insn};
    memset(insn, 0, sizeof *insn);
    insn->guard = ISA_PT;
    insn->offset = offset;
    if (!isa_arch_known(sm))
        return SP_ERR_ARCH;
    if (!canonical(text, size, line))
        return SP_ERR_ENCODING;
    parse_line(&p, line);
    if (insn->op == ISA_OP_UNKNOWN && (strchr(line, '{') || strstr(line, "[UR"))) {
        reorder(line);
        parse_line(&p, line);
    }
    isa_forget_untold(sm, insn);
    return insn->op == ISA_OP_UNKNOWN ? SP_ERR_ENCODING : SP_OK;
}

void isa_forget_untold(unsigned sm, struct isa_insn *insn)
{
    const struct isa_row *row = insn->op == ISA_OP_UNKNOWN ? NULL : isa_row_find(sm, insn->word);
    for (unsigned i = 0, k = 0; row && i < row->operand_count && k < insn->operand_count; i++) {
        const struct isa_operand_row *o = isa_row_operand(row, i);
        if (isa_operand_hidden(o, insn->word))
            continue;
        if (o->style & ISA_STYLE_HIDDEN_DESC)
            insn->operands[k].desc = ISA_NO_REG;
        k++;
    }
    insn->control = (struct isa_control){.write_barrier = 7, .read_barrier = 7};
}
