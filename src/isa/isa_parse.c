/* Text -> structure, by the tables that print. Each row of the opcode is tried: what the text says is put into the bits
 * that the row names for it, bits the text does not tell stay 0 (but for one cycle of stall: without one there is no
 * schedule), and the word made so is decoded. A row counts only
 * when its own word finds it again; of several the one that prints the text as it stands is taken, else the first. So
 * there is no second list of spellings: what can be printed can be parsed.
 * requires: the generated tables · gives: struct isa_insn as isa_decode() does · allocates nothing, keeps nothing */
#include "isa/isa_parse.h"
#include "isa/isa_fill.h"
#include "isa/isa_scan.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TOKENS = ISA_MAX_MODS + 1, STEPS = 20000, AVOID = 8 };

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
        char word[ISA_WORD_BYTES] = "";
        const char *next = *at + 1;
        if (!isa_take_word(&next, word) || strcmp(word, "reuse") == 0)
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
    while (**p == '.' || isa_is_word(**p))
        (*p)++;
}

/* [R4.X8+UR5.U64+0x10], the parts in any order, up to and with the bracket. */
static bool take_address(const char **p, struct address *out)
{
    bool any = false, number = false;
    *out = (struct address){0};
    isa_skip_blanks(p);
    if (!isa_take(p, "["))
        return false;
    while (!isa_take(p, "]")) {
        isa_skip_blanks(p);
        if (any && !isa_take(p, "+") && **p != '-') /* R1-0x8 stands for R1+-0x8 */
            return false;
        isa_skip_blanks(p);
        unsigned reg;
        if (isa_take_register(p, "UR", ISA_RZ, 'Z', &reg)) {
            if (out->has_ubase)
                return false;
            out->has_ubase = true;
            out->ubase = reg;
            out->ubase_suffix = *p;
            skip_suffix(p);
        } else if (isa_take_register(p, "R", ISA_RZ, 'Z', &reg)) {
            if (out->has_base)
                return false;
            out->has_base = true;
            out->base = reg;
            out->base_suffix = *p;
            skip_suffix(p);
        } else {
            int64_t value;
            if (number || !isa_take_number(p, &value))
                return false;
            number = true;
            out->value = value;
        }
        any = true;
        isa_skip_blanks(p);
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
    bool indexed = isa_take(at, "cx");
    if ((!indexed && !isa_take(at, "c")) || !take_address(at, &bank) || !take_address(at, &where))
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
    bool shown = isa_take(at, "desc");
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

static bool take_sreg(struct parser *p, const char **at, int64_t *value)
{
    char name[ISA_WORD_BYTES] = "";
    size_t n = 0;
    while (n + 1 < sizeof name && (isa_is_word((*at)[n]) || (*at)[n] == '.')) {
        name[n] = (*at)[n];
        n++;
    }
    name[n] = '\0';
    int number = isa_sreg_find(p->sm, name);
    if (number < 0 && strncmp(name, "SR", 2) == 0 && isa_is_digit(name[2]) && strlen(name) < 6)
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
        if (!isa_take_register(at, files[o->kind].prefix, files[o->kind].all, files[o->kind].last, &reg))
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
            return isa_take_set(at, &value) && settle_value(f, &main->field, value, 0);
        return isa_take_number(at, &value) && settle_value(f, &main->field, value, p->offset);
    case ISA_OPERAND_FIMM:
        if (!isa_take_float(at, o->bits, p->brain && !(o->style & ISA_STYLE_HALF), &value))
            return false;
        if ((*at)[0] == ' ' && (*at)[1] == '.') /* an infinity carries a blank, here before a suffix */
            ++*at;
        return settle_field(f, &main->field, o->bits == 64 ? (uint64_t)value >> 32 : (uint64_t)value);
    case ISA_OPERAND_SREG: return take_sreg(p, at, &value) && settle_value(f, &main->field, value, 0);
    case ISA_OPERAND_LABEL:
    case ISA_OPERAND_OTHER: return isa_take_number(at, &value) && settle_value(f, &main->field, value, p->offset);
    case ISA_OPERAND_PR: return isa_take(at, p->row->uniform_guard ? "UPR" : "PR") && !isa_is_word(**at);
    case ISA_OPERAND_HANDLE: {
        struct address a;
        return isa_take(at, isa_handle_text(o->bits)) && take_address(at, &a) &&
               settle_address(p, o, &a, ISA_PART_UBASE, f);
    }
    case ISA_OPERAND_TOKEN: { /* its first suffix is its spelling */
        char word[ISA_TEXT_BYTES] = "";
        size_t n = 0;
        word[n++] = '.';
        while (n + 1 < sizeof word && (isa_is_word((*at)[n - 1]) || (*at)[n - 1] == '.')) {
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
    bool neg = !number && isa_take(at, "-"), inv = isa_take(at, "~"), no = isa_take(at, "!"), abs = isa_take(at, "|");
    if (!settle_bit(f, o->neg, neg) || !settle_bit(f, o->inv, inv) || !settle_bit(f, o->no, no) ||
        !settle_bit(f, o->abs, abs) || !take_body(p, at, o, f))
        return false;
    bool open = abs && !isa_take(at, "|");
    bool reuse = isa_take(at, ".reuse");
    if (reuse) {
        if (o->reuse == ISA_BIT_NONE || !settle_bit(f, o->reuse, true) || (o->reuse >= 105 && !settle(f, 109, 1, 1)))
            return false;
    }
    if (o->kind != ISA_OPERAND_TOKEN && (o->suffix_count || **at == '.') &&
        !take_suffixes(p, at, o->suffix, o->suffix_count, f))
        return false;
    if (!reuse && isa_take(at, ".reuse")) {
        reuse = true;
        if (o->reuse == ISA_BIT_NONE || !settle_bit(f, o->reuse, true) || (o->reuse >= 105 && !settle(f, 109, 1, 1)))
            return false;
    }
    if (!reuse && o->reuse != ISA_BIT_NONE && !(o->reuse >= 105 && reuse_is_hidden(f)) &&
        !settle_bit(f, o->reuse, false))
        return false;
    return !open || isa_take(at, "|");
}

/* ---- a whole word ----------------------------------------------------------------------------------------------- */

/* Bits of the field that are not settled are given values that go together with those that are. */
static bool settle_legal(struct filling *f, const struct isa_condition *c)
{
    for (unsigned v = 0; v < 64; v++) {
        struct filling next = *f;
        if (c->value >> v & 1 && settle_field(&next, &c->field, v)) {
            *f = next;
            return true;
        }
    }
    return false;
}

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
            if (c->test == ISA_TEST_LEGAL) {
                changed = settle_legal(f, c);
                continue;
            }
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

/* A filling that the text allows: the first stays unless another prints the text as it stands. Answers true when the
 * search can stop. */
static bool accept(struct parser *p, struct filling f)
{
    struct isa_insn insn;
    char text[ISA_TEXT_BYTES + 64];
    bool exact;
    if (!find_own_row(p, &f) || isa_decode(p->sm, f.word, p->offset, &insn) != SP_OK)
        return false;
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    isa_print(p->sm, &insn, &options, text, sizeof text);
    if (!isa_same_text(p->text, text, &exact))
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
    isa_skip_blanks(&at);
    if (i == p->row->operand_count)
        return !*at && accept(p, f);
    const struct isa_operand_row *o = isa_row_operand(p->row, i);
    const char *next = at;
    struct filling filled = f;
    bool separated = first || o->style & ISA_STYLE_BLANK || isa_take(&next, ",");
    if (first && !*at)
        separated = false;
    isa_skip_blanks(&next);
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
    if (!isa_take(at, "@"))
        return true;
    *no = isa_take(at, "!");
    *uniform = isa_take(at, "U");
    if (!isa_take_register(at, "P", ISA_PT, 'T', guard) || (**at != ' ' && **at))
        return false;
    isa_skip_blanks(at);
    return true;
}

static void parse_line(struct parser *p, const char *line)
{
    const struct isa_arch_table *table = isa_arch_table(p->sm);
    char word[ISA_WORD_BYTES] = "";
    unsigned guard;
    bool no, uniform;
    const char *at = line;
    p->text = line;
    p->token_count = 0;
    if (!take_guard(&at, &guard, &no, &uniform) || !isa_take_word(&at, word))
        return;
    enum isa_op op = isa_op_find(word);
    while (op != ISA_OP_UNKNOWN && *at == '.') {
        at++;
        enum isa_mod mod = isa_take_word(&at, word) ? isa_mod_find(word) : ISA_MOD_NONE;
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
    char line[ISA_TEXT_BYTES] = "";
    struct parser p = {.sm = sm, .offset = offset, .steps = STEPS, .out = insn};
    memset(insn, 0, sizeof *insn);
    insn->guard = ISA_PT;
    insn->offset = offset;
    if (!isa_arch_known(sm))
        return SP_ERR_ARCH;
    if (!isa_canonical_text(text, size, line))
        return SP_ERR_ENCODING;
    parse_line(&p, line);
    if (insn->op == ISA_OP_UNKNOWN && (strchr(line, '{') || strstr(line, "[UR"))) {
        isa_reorder_text(line);
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
