/* Structure -> the vendor's text. The order of modifiers and operands is the structure's; how an operand is spelled
 * (blanks, suffix inside or outside bars) comes from the row its word belongs to. Writes at most `size` bytes. */
#include "isa/isa_index.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct sink {
    char *out;
    size_t size, length;
};

static void put_bytes(struct sink *s, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++, s->length++)
        if (s->length + 1 < s->size)
            s->out[s->length] = text[i];
}

static void put_text(struct sink *s, const char *text)
{
    put_bytes(s, text, strlen(text));
}

static void __attribute__((format(printf, 2, 3))) put_format(struct sink *s, const char *format, ...)
{
    char text[96];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        put_bytes(s, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void put_hex(struct sink *s, int64_t value)
{
    if (value < 0)
        put_format(s, "-0x%" PRIx64, -(uint64_t)value);
    else
        put_format(s, "0x%" PRIx64, (uint64_t)value);
}

static void put_register(struct sink *s, const char *prefix, unsigned reg, unsigned all, char last)
{
    if (reg == all)
        put_format(s, "%s%c", prefix, last);
    else
        put_format(s, "%s%u", prefix, reg);
}

static void put_mods(struct sink *s, const uint16_t *mods, unsigned limit)
{
    for (unsigned i = 0; i < limit && mods[i] != ISA_MOD_NONE; i++)
        put_format(s, ".%s", isa_mod_text((enum isa_mod)mods[i]));
}

/* 20 significant digits, but an exponent from 1e9 on; infinities, NaN and -0.0 carry their own blank. */
static void put_float(struct sink *s, uint64_t bits, unsigned width, bool brain)
{
    unsigned fraction_bits = width == 64 ? 52 : width == 32 ? 23 : brain ? 7 : 10; /* 16 bits: bfloat16 or binary16 */
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    unsigned exponent_bits = width - 1 - fraction_bits;
    uint64_t exponent = bits >> fraction_bits & ((UINT64_C(1) << exponent_bits) - 1);
    bool negative = bits >> (width - 1) & 1;
    const char *sign = negative ? "-" : "+";
    if (exponent == (UINT64_C(1) << exponent_bits) - 1) {
        bool quiet = fraction >> (fraction_bits - 1) & 1;
        put_format(s, "%s%s ", sign, fraction == 0 ? "INF" : quiet ? "QNAN" : "SNAN");
        return;
    }
    if (exponent == 0 && fraction == 0) {
        put_text(s, negative ? "-0.0 " : "0");
        return;
    }
    int bias = (1 << (exponent_bits - 1)) - 1;
    double value =
        exponent ? ldexp((double)(fraction | UINT64_C(1) << fraction_bits), (int)exponent - bias - (int)fraction_bits)
                 : ldexp((double)fraction, 1 - bias - (int)fraction_bits);
    if (negative)
        value = -value;
    put_format(s, fabs(value) >= 1e9 ? "%.20e" : "%.20g", value);
}

/* base, uniform base and offset, those that the text shows, joined by '+'; RZ or URZ when nothing is left. */
static void put_address(struct sink *s, const struct isa_operand *o, const struct isa_operand_row *row, unsigned ubase)
{
    const char *plus = "";
    if (o->base != ISA_NO_REG) {
        put_register(s, "R", o->base, ISA_RZ, 'Z');
        if (o->kind != ISA_OPERAND_HANDLE) /* its words stand behind the brackets */
            put_mods(s, o->mods, ISA_MAX_OPERAND_MODS);
        plus = "+";
    }
    if (ubase != ISA_NO_REG) {
        put_text(s, plus);
        put_register(s, "UR", ubase, ISA_RZ, 'Z');
        put_mods(s, o->ubase_mods, 1);
        plus = "+";
    }
    bool indexed =
        row->part[ISA_PART_BASE].field.pieces || o->kind != ISA_OPERAND_CONST || row->part[ISA_PART_DESC].field.pieces;
    if (o->value == 0 && (*plus || indexed)) {
        if (!*plus)
            put_text(s, row->part[ISA_PART_BASE].field.pieces ? "RZ" : "URZ");
        return;
    }
    put_text(s, plus);
    put_hex(s, o->value);
}

static void put_memory(struct sink *s, const struct isa_operand *o, const struct isa_operand_row *row)
{
    unsigned ubase = o->ubase;
    if (o->kind == ISA_OPERAND_CONST) {
        if (o->ubase != ISA_NO_REG) {
            put_text(s, "cx[");
            put_register(s, "UR", o->ubase, ISA_RZ, 'Z');
            put_text(s, "]");
        } else {
            put_format(s, "c[0x%x]", o->bank);
        }
        put_text(s, row->style & ISA_STYLE_SPACE ? " " : "");
        ubase = o->desc;
    } else if (o->desc != ISA_NO_REG && !(row->style & ISA_STYLE_HIDDEN_DESC)) {
        put_text(s, "desc[");
        put_register(s, "UR", o->desc, ISA_RZ, 'Z');
        put_text(s, "]");
    }
    put_text(s, "[");
    put_address(s, o, row, ubase);
    put_text(s, "]");
}

static void put_operand(struct sink *s, unsigned sm, const struct isa_insn *insn, const struct isa_operand *o,
                        const struct isa_operand_row *row, const struct isa_print_options *options)
{
    if (o->flags & ISA_NEG)
        put_text(s, "-");
    if (o->flags & ISA_INV)
        put_text(s, "~");
    if (o->flags & ISA_NOT)
        put_text(s, "!");
    if (o->flags & ISA_ABS)
        put_text(s, "|");
    bool suffix_shown = false;
    switch ((enum isa_operand_kind)o->kind) {
    case ISA_OPERAND_REG: put_register(s, "R", o->reg, ISA_RZ, 'Z'); break;
    case ISA_OPERAND_UREG: put_register(s, "UR", o->reg, ISA_RZ, 'Z'); break;
    case ISA_OPERAND_PRED: put_register(s, "P", o->reg, ISA_PT, 'T'); break;
    case ISA_OPERAND_UPRED: put_register(s, "UP", o->reg, ISA_PT, 'T'); break;
    case ISA_OPERAND_BARRIER: put_format(s, "B%u", o->reg); break;
    case ISA_OPERAND_SCOREBOARD: put_format(s, "SB%u", o->reg); break;
    case ISA_OPERAND_IMM:
        if (row->style & ISA_STYLE_SET) {
            put_text(s, "{");
            const char *comma = "";
            for (int i = 15; i >= 0; i--)
                if (o->value >> i & 1) {
                    put_format(s, "%s%d", comma, i);
                    comma = ",";
                }
            put_text(s, "}");
        } else if (row->part[ISA_PART_MAIN].field.pieces == 1 && row->part[ISA_PART_MAIN].field.piece[0].width == 64) {
            put_format(s, "0x%" PRIx64, (uint64_t)o->value);
        } else {
            put_hex(s, o->value);
        }
        break;
    case ISA_OPERAND_FIMM:
        put_float(s, (uint64_t)o->value, o->bits,
                  !(row->style & ISA_STYLE_HALF) &&
                      (isa_has_mod(insn, ISA_MOD_BF16_V2) || isa_has_mod(insn, ISA_MOD_BF16)));
        break;
    case ISA_OPERAND_CONST:
    case ISA_OPERAND_MEM:
        put_memory(s, o, row);
        suffix_shown = row->base_suffix_count != 0;
        break;
    case ISA_OPERAND_SREG: {
        const char *name = isa_sreg_text(sm, (unsigned)o->value);
        if (name)
            put_text(s, name);
        else
            put_format(s, "SR%" PRId64, o->value);
        break;
    }
    case ISA_OPERAND_LABEL: {
        char label[96];
        if (options && options->dialect == ISA_DIALECT_NVDISASM && options->label && o->value >= 0 &&
            o->value <= UINT32_MAX && options->label(options->user, (uint32_t)o->value, label)) {
            label[sizeof label - 1] = '\0';
            put_format(s, "`(%s)", label);
        } else {
            put_hex(s, o->value);
        }
        break;
    }
    case ISA_OPERAND_PR: put_text(s, insn->guard_uniform ? "UPR" : "PR"); break;
    case ISA_OPERAND_TOKEN:
        put_text(s, isa_mod_text((enum isa_mod)o->mods[0]));
        suffix_shown = true;
        put_mods(s, o->mods + 1, ISA_MAX_OPERAND_MODS - 1);
        break;
    case ISA_OPERAND_OTHER: put_hex(s, o->value); break;
    case ISA_OPERAND_HANDLE:
        put_text(s, isa_handle_text(o->bits));
        put_text(s, "[");
        put_address(s, o, row, o->ubase);
        put_text(s, "]");
        break;
    }
    if (o->flags & ISA_ABS && !(row->style & ISA_STYLE_SUFFIX_IN))
        put_text(s, "|");
    if (o->flags & ISA_REUSE)
        put_text(s, ".reuse");
    if (!suffix_shown)
        put_mods(s, o->mods, ISA_MAX_OPERAND_MODS);
    if (o->flags & ISA_ABS && row->style & ISA_STYLE_SUFFIX_IN)
        put_text(s, "|");
}

size_t isa_print(unsigned sm, const struct isa_insn *insn, const struct isa_print_options *options, char *out,
                 size_t size)
{
    struct sink s = {.out = out, .size = size};
    const struct isa_row *row = insn->op == ISA_OP_UNKNOWN ? NULL : isa_row_find(sm, insn->word);
    if (!row) {
        put_format(&s, "UNKNOWN 0x%016" PRIx64 ",0x%016" PRIx64, insn->word.hi, insn->word.lo);
    } else {
        if (insn->guard != ISA_PT || insn->guard_not) {
            put_text(&s, insn->guard_not ? "@!" : "@");
            put_register(&s, insn->guard_uniform ? "UP" : "P", insn->guard, ISA_PT, 'T');
            put_text(&s, " ");
        }
        /* A build of its own, for a test: no analysis may read text. */
        if (SP_RENAME_MNEMONICS)
            put_format(&s, "OP%u", insn->op);
        else
            put_text(&s, isa_op_text((enum isa_op)insn->op));
        put_mods(&s, insn->mods, insn->mod_count);
        const char *separator = " ";
        for (unsigned i = 0, k = 0; i < row->operand_count && k < insn->operand_count; i++) {
            const struct isa_operand_row *o = isa_row_operand(row, i);
            if (isa_operand_hidden(o, insn->word))
                continue;
            put_text(&s, o->style & ISA_STYLE_BLANK ? " " : separator);
            put_operand(&s, sm, insn, &insn->operands[k++], o, options);
            separator = ", ";
        }
        /* An infinity at the end leaves its blank behind. */
        while (s.length > 0 && s.length < s.size && out[s.length - 1] == ' ')
            s.length--;
    }
    if (size > 0)
        out[s.length < size ? s.length : size - 1] = '\0';
    return s.length;
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
