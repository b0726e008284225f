/* An instruction's text back to its structure: the inverse of isa_print() for what a person types.
 *
 * Recursive descent over one line: guard, mnemonic with its modifiers, operands parted by commas (RET and BRX part
 * two with a space). A number is an integer when it is hexadecimal, else a float whose width follows from the
 * opcode's family. requires: NUL-terminated text. gives: a structure as isa_decode() makes it, but for the
 * encoding's own bits. */
#include "uop/uop_spelling.h"

#include "base/str.h"
#include "uop/uop.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORD = 48 };

struct reader {
    const char *p;
    unsigned sm;
    struct isa_insn *insn;
    const char *name; /* of the opcode */
};

static bool take(struct reader *r, const char *text)
{
    if (!str_starts(r->p, text))
        return false;
    r->p += strlen(text);
    return true;
}

static void skip_space(struct reader *r)
{
    while (*r->p == ' ' || *r->p == '\t')
        r->p++;
}

/* Letters, digits and underscores. */
static bool word(struct reader *r, char out[MAX_WORD])
{
    size_t n = 0;
    while (isalnum((unsigned char)r->p[n]) || r->p[n] == '_')
        n++;
    if (n == 0 || n >= MAX_WORD)
        return false;
    memcpy(out, r->p, n);
    out[n] = 0;
    r->p += n;
    return true;
}

/* R12, RZ and their kin behind `prefix`; *index or ISA_RZ / ISA_PT. */
static bool numbered(struct reader *r, const char *prefix, const char *none, unsigned none_index, uint16_t *index)
{
    struct reader start = *r;
    if (take(r, none) && !isalnum((unsigned char)*r->p)) {
        *index = (uint16_t)none_index;
        return true;
    }
    *r = start;
    if (take(r, prefix) && isdigit((unsigned char)*r->p)) {
        char *end;
        unsigned long v = strtoul(r->p, &end, 10);
        if (v < none_index && !isalpha((unsigned char)*end)) {
            r->p = end;
            *index = (uint16_t)v;
            return true;
        }
    }
    *r = start;
    return false;
}

static bool modifiers(struct reader *r, uint16_t *mods, unsigned max, unsigned *count)
{
    *count = 0;
    while (*r->p == '.') {
        char text[MAX_WORD];
        r->p++;
        if (!word(r, text))
            return false;
        enum isa_mod mod = isa_mod_find(text);
        if (mod == ISA_MOD_NONE || *count >= max)
            return false;
        mods[(*count)++] = (uint16_t)mod;
    }
    return true;
}

static bool hex(struct reader *r, int64_t *value)
{
    const char *p = r->p;
    bool negative = *p == '-';
    if (negative || *p == '+')
        p++;
    if (p[0] != '0' || p[1] != 'x')
        return false;
    char *end;
    uint64_t v = strtoull(p, &end, 16);
    *value = (int64_t)(negative ? 0 - v : v);
    r->p = end;
    return true;
}

static unsigned float_bits(const char *name)
{
    return name[0] == 'H' && name[1] != 'G' ? 16 : name[0] == 'D' ? 64 : 32;
}

static bool float_immediate(struct reader *r, struct isa_operand *o)
{
    double v;
    char *end = NULL;
    uint64_t nan = 0;
    struct reader start = *r;
    bool negative = *r->p == '-';
    const char *after = r->p + (*r->p == '-' || *r->p == '+');
    if (str_starts(after, "INF")) {
        v = negative ? -HUGE_VAL : HUGE_VAL;
        r->p = after + 3;
    } else if (str_starts(after, "QNAN")) {
        v = 0;
        nan = negative ? 2 : 1;
        r->p = after + 4;
    } else {
        v = strtod(r->p, &end);
        if (end == r->p || isalpha((unsigned char)*end)) {
            *r = start;
            return false;
        }
        r->p = end;
    }
    uint64_t bits, out;
    memcpy(&bits, &v, sizeof bits);
    o->kind = ISA_OPERAND_FIMM;
    o->bits = (uint8_t)float_bits(r->name);
    bool brain = false;
    for (unsigned i = 0; i < r->insn->mod_count; i++) {
        brain = brain || r->insn->mods[i] == ISA_MOD_BF16_V2;
        if (r->insn->mods[i] == ISA_MOD_RCP64H || r->insn->mods[i] == ISA_MOD_RSQ64H)
            o->bits = 64; /* the double whose high word is read */
    }
    enum uop_type type = o->bits == 16 ? (brain ? UOP_BF16 : UOP_F16) : o->bits == 64 ? UOP_F64 : UOP_F32;
    struct uop convert = {.kind = UOP_F2F, .type = (uint8_t)type, .imm = UOP_F64};
    if (!uop_eval(&convert, &bits, &out))
        return false;
    if (nan)
        out = (type == UOP_F32    ? 0x7fc00000u
               : type == UOP_F16  ? 0x7e00u
               : type == UOP_BF16 ? 0x7fc0u
                                  : UINT64_C(0x7ff8000000000000)) |
              (nan == 2 ? UINT64_C(1) << (o->bits - 1) : 0);
    o->value = (int64_t)out;
    return true;
}

/* [R2.64+UR4+0x10], with or without the opening bracket's desc[UR4] before it. */
static bool memory(struct reader *r, struct isa_operand *o)
{
    unsigned count;
    o->kind = ISA_OPERAND_MEM;
    if (take(r, "desc[")) {
        if (!numbered(r, "UR", "URZ", ISA_RZ, &o->desc) || !take(r, "]"))
            return false;
    }
    if (!take(r, "["))
        return false;
    do {
        int64_t value;
        uint16_t reg;
        if (numbered(r, "UR", "URZ", ISA_RZ, &reg)) {
            o->ubase = reg;
            if (!modifiers(r, o->ubase_mods, 1, &count))
                return false;
        } else if (numbered(r, "R", "RZ", ISA_RZ, &reg)) {
            o->base = reg;
            if (!modifiers(r, o->mods, ISA_MAX_OPERAND_MODS, &count))
                return false;
        } else if (hex(r, &value)) {
            o->value = value;
        } else {
            return false;
        }
    } while (take(r, "+") || *r->p == '-');
    return take(r, "]");
}

/* c[0x0][0x160], c[0x3][R2+0x10], cx[UR4][0x20]. */
static bool constant(struct reader *r, struct isa_operand *o)
{
    int64_t value = 0;
    o->kind = ISA_OPERAND_CONST;
    if (take(r, "cx[")) {
        if (!numbered(r, "UR", "URZ", ISA_RZ, &o->ubase))
            return false;
    } else if (take(r, "c[")) {
        if (!hex(r, &value) || value < 0 || value > 31)
            return false;
        o->bank = (uint8_t)value;
    } else {
        return false;
    }
    if (!take(r, "]["))
        return false;
    do {
        uint16_t reg;
        if (numbered(r, "UR", "URZ", ISA_RZ, &reg))
            o->desc = reg;
        else if (numbered(r, "R", "RZ", ISA_RZ, &reg))
            o->base = reg;
        else if (!hex(r, &o->value))
            return false;
    } while (take(r, "+") || *r->p == '-');
    return take(r, "]");
}

static bool is_branch(const char *name)
{
    static const char *const names[] = {"BRA", "BSSY", "CALL", "RET"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal(names[i], name))
            return true;
    return false;
}

/* A word that stands alone, known by its spelling: 2D, ARRAY_CUBE, gsb0. */
static bool token(struct reader *r, struct isa_operand *o)
{
    char text[MAX_WORD];
    size_t n = strcspn(r->p, " ,");
    if (n >= MAX_WORD)
        return false;
    memcpy(text, r->p, n);
    text[n] = 0;
    o->mods[0] = (uint16_t)isa_mod_find(text);
    if (o->mods[0] == ISA_MOD_NONE || n == strspn(text, "0123456789"))
        return false;
    o->kind = ISA_OPERAND_TOKEN;
    r->p += n;
    return true;
}

static bool value_operand(struct reader *r, struct isa_operand *o)
{
    unsigned count;
    char text[MAX_WORD];
    if (*r->p == 'd' || *r->p == '[')
        return memory(r, o);
    if (str_starts(r->p, "c[") || str_starts(r->p, "cx["))
        return constant(r, o);
    if (hex(r, &o->value)) {
        o->kind = is_branch(r->name) ? ISA_OPERAND_LABEL : ISA_OPERAND_IMM;
        return true;
    }
    static const struct {
        const char *prefix, *none;
        uint16_t index;
        uint8_t kind;
    } files[] = {
        {"UR", "URZ", ISA_RZ, ISA_OPERAND_UREG},  {"R", "RZ", ISA_RZ, ISA_OPERAND_REG},
        {"UP", "UPT", ISA_PT, ISA_OPERAND_UPRED}, {"P", "PT", ISA_PT, ISA_OPERAND_PRED},
        {"B", "BZ", 16, ISA_OPERAND_BARRIER},     {"SB", "SBZ", 6, ISA_OPERAND_SCOREBOARD},
    };
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        if (!numbered(r, files[i].prefix, files[i].none, files[i].index, &o->reg))
            continue;
        o->kind = files[i].kind;
        if (take(r, ".reuse"))
            o->flags |= ISA_REUSE;
        if (!modifiers(r, o->mods, ISA_MAX_OPERAND_MODS, &count))
            return false;
        return true;
    }
    if (token(r, o))
        return true;
    if (isdigit((unsigned char)*r->p) || *r->p == '+' || *r->p == '-')
        return float_immediate(r, o);
    if (str_starts(r->p, "PR") || str_starts(r->p, "UPR")) {
        r->p += *r->p == 'U' ? 3 : 2;
        o->kind = ISA_OPERAND_PR;
        return true;
    }
    if (*r->p == 'S') {
        size_t n = strcspn(r->p, " ,");
        if (n >= MAX_WORD)
            return false;
        memcpy(text, r->p, n);
        text[n] = 0;
        int number = str_equal(text, "SRZ") ? 255 : isa_sreg_find(r->sm, text);
        if (number < 0)
            return false;
        o->kind = ISA_OPERAND_SREG;
        o->value = number;
        r->p += n;
        return true;
    }
    return false;
}

static bool operand(struct reader *r, struct isa_operand *o)
{
    *o = (struct isa_operand){.base = ISA_NO_REG, .ubase = ISA_NO_REG, .desc = ISA_NO_REG};
    if (take(r, "!"))
        o->flags |= ISA_NOT;
    else if (take(r, "~"))
        o->flags |= ISA_INV;
    bool sign = *r->p == '-' && (isalpha((unsigned char)r->p[1]) || r->p[1] == '|') && !str_starts(r->p + 1, "INF") &&
                !str_starts(r->p + 1, "QNAN");
    if (sign) {
        r->p++;
        o->flags |= ISA_NEG;
    }
    bool magnitude = take(r, "|");
    if (magnitude)
        o->flags |= ISA_ABS;
    if (!value_operand(r, o))
        return false;
    if (magnitude) {
        unsigned count;
        if (!take(r, "|"))
            return false;
        if (take(r, ".reuse"))
            o->flags |= ISA_REUSE;
        if (*r->p == '.' && !modifiers(r, o->mods, ISA_MAX_OPERAND_MODS, &count))
            return false;
    }
    return true;
}

static bool guard(struct reader *r)
{
    uint16_t reg;
    r->insn->guard = ISA_PT;
    if (!take(r, "@"))
        return true;
    r->insn->guard_not = take(r, "!");
    r->insn->guard_uniform = *r->p == 'U';
    if (!numbered(r, r->insn->guard_uniform ? "UP" : "P", r->insn->guard_uniform ? "UPT" : "PT", ISA_PT, &reg))
        return false;
    r->insn->guard = (uint8_t)reg;
    skip_space(r);
    return true;
}

bool uop_parse_spelling(unsigned sm, const char *text, uint32_t offset, struct isa_insn *insn, const char **bad)
{
    char name[MAX_WORD];
    unsigned count;
    *insn = (struct isa_insn){.offset = offset};
    struct reader r = {.p = text, .sm = sm, .insn = insn, .name = name};
    *bad = text;
    skip_space(&r);
    if (!guard(&r))
        return false;
    *bad = r.p;
    if (!word(&r, name))
        return false;
    insn->op = (uint16_t)isa_op_find(name);
    if (insn->op == ISA_OP_UNKNOWN)
        return false;
    *bad = r.p;
    if (!modifiers(&r, insn->mods, ISA_MAX_MODS, &count))
        return false;
    insn->mod_count = (uint8_t)count;
    skip_space(&r);
    while (*r.p && *r.p != ';') {
        *bad = r.p;
        if (insn->operand_count >= ISA_MAX_OPERANDS || !operand(&r, &insn->operands[insn->operand_count]))
            return false;
        insn->operand_count++;
        if (*r.p && *r.p != ',' && *r.p != ' ' && *r.p != ';')
            return false;
        skip_space(&r); /* "+INF , PT" is how it is printed */
        take(&r, ",");
        skip_space(&r);
    }
    return true;
}
