/* Host tool: reads the .spec files of src/isa/spec and writes the tables that src/isa compiles: isa_names.inc (opcodes
 * and modifiers, sorted, so that adding a row never depends on file order) and isa_tables.inc (rows, cells, one index
 * an architecture). The format is described at the head of src/isa/spec/00_format.spec. Every row is checked: its cells
 * parse, its fields lie inside the word and outside the scheduler's bits, its tables cover their field, and a sample
 * word made from its conditions finds this row and no other.
 *
 *     isagen OUTPUT-DIRECTORY SPEC... */
#include "base/bits.h"
#include "isa/isa_table.h"

#include "isagen_lines.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARCHS = 32, OPCODES = 1 << 13, ALTERNATIVES = 16 };

/* --- definitions: tables and slots ---------------------------------------------------------------------------------*/

struct definition {
    char *name, *text;
};
struct definitions {
    struct definition *items;
    size_t count, size;
};
static struct definitions tables, slots;

static void define(struct definitions *d, char *rest)
{
    char *text = rest + strcspn(rest, " \t");
    if (!*text)
        fail("a name and a definition expected");
    *text++ = '\0';
    while (isspace((unsigned char)*text))
        text++;
    d->items = grow(d->items, d->count, &d->size, sizeof *d->items);
    d->items[d->count++] = (struct definition){rest, text};
}

static const char *definition_find(const struct definitions *d, const char *name)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->items[i].name, name) == 0)
            return d->items[i].text;
    return NULL;
}

/* --- pools ---------------------------------------------------------------------------------------------------------*/

static uint16_t *codes, *sequences;
static size_t code_count, code_size, sequence_count, sequence_size;
static struct isa_enum *enums;
static size_t enum_count, enum_size;
static struct isa_operand_row *operands;
static size_t operand_count, operand_size;
static uint16_t *operand_list;
static size_t operand_list_count, operand_list_size;
static struct isa_condition *conditions;
static size_t condition_count, condition_size;
static struct isa_row *rows;
static size_t row_count, row_size;

static unsigned archs[MAX_ARCHS];
static unsigned arch_count;
/* Rows of an opcode of an architecture, in the order they are tried. */
struct list {
    uint16_t *row;
    size_t count, size;
};
static struct list index_of[MAX_ARCHS][OPCODES];
static char *sregs[MAX_ARCHS][256];

/* "like": an architecture described by others. It has the rows that name its number, and for every other opcode those
 * of the last line that says where. `alias`: one whose tables are another's, word for word. */
struct like {
    unsigned arch, from; /* places in archs; from arch_count on: from nowhere */
    char *opcodes;       /* NULL: all */
    const char *file;
    unsigned line;
};
static struct like likes[256];
static size_t like_count;
static bool described[MAX_ARCHS], alias[MAX_ARCHS];
static unsigned alias_of[MAX_ARCHS];

/* A row opens with its mnemonic; the vendor's placeholders for one begin with a line. */
static bool is_row(const char *line)
{
    return isupper((unsigned char)line[0]) || line[0] == '_';
}

/* --- scanning ------------------------------------------------------------------------------------------------------*/

static void skip_blanks(const char **p)
{
    while (isspace((unsigned char)**p))
        ++*p;
}

static unsigned long scan_number(const char **p, int base)
{
    char *end;
    unsigned long v = strtoul(*p, &end, base);
    if (end == *p)
        fail("number expected at '%s'", *p);
    *p = end;
    return v;
}

/* hi:lo or one bit; pieces joined by '+'; then s (signed), ^ (complemented), <<n, @pc. */
static struct isa_field scan_field(const char **p)
{
    struct isa_field field = {0};
    for (;;) {
        unsigned long high = scan_number(p, 10), low = high;
        if (**p == ':') {
            ++*p;
            low = scan_number(p, 10);
        }
        if (high < low || high > 127 || high - low > 63)
            fail("bad bit range %lu:%lu", high, low);
        if (field.pieces == ISA_FIELD_PIECES)
            fail("too many pieces");
        field.piece[field.pieces].low = (uint8_t)low;
        field.piece[field.pieces++].width = (uint8_t)(high - low + 1);
        if (**p != '+')
            break;
        ++*p;
    }
    for (;;) {
        if (**p == 's') {
            field.flags |= ISA_FIELD_SIGNED;
            ++*p;
        } else if (**p == '^') {
            field.flags |= ISA_FIELD_COMPLEMENT;
            ++*p;
        } else if (strncmp(*p, "<<", 2) == 0) {
            *p += 2;
            field.shift = (uint8_t)scan_number(p, 10);
        } else if (strncmp(*p, "@pc", 3) == 0) {
            *p += 3;
            field.flags |= ISA_FIELD_PC;
        } else {
            return field;
        }
    }
}

static unsigned field_width(const struct isa_field *field)
{
    unsigned width = 0;
    for (unsigned i = 0; i < field->pieces; i++)
        width += field->piece[i].width;
    return width;
}

/* A bit, ^bit for inverted, * for always. */
static uint16_t scan_bit(const char **p)
{
    if (**p == '*') {
        ++*p;
        return ISA_BIT_ALWAYS;
    }
    unsigned inverted = 0;
    if (**p == '^') {
        inverted = ISA_BIT_INVERTED;
        ++*p;
    }
    return (uint16_t)(scan_number(p, 10) | inverted);
}

static uint16_t sequence_add(const char *token, size_t length)
{
    if (length == 1 && *token == '-')
        return 0;
    if (length == 1 && *token == '!')
        return ISA_CODE_ILLEGAL;
    uint16_t seq[8];
    unsigned n = 0;
    char name[64];
    for (size_t i = 0; i < length;) {
        size_t k = 0;
        while (i < length && token[i] != '.' && k < sizeof name - 1)
            name[k++] = token[i++];
        name[k] = '\0';
        i++;
        unsigned id = names_find(&mods, name);
        if (!id || n == 7)
            fail("bad modifier sequence '%.*s'", (int)length, token);
        seq[n++] = (uint16_t)id;
    }
    seq[n++] = 0;
    for (size_t i = 1; i + n <= sequence_count; i++)
        if (sequences[i - 1] == 0 && memcmp(sequences + i, seq, n * sizeof *seq) == 0)
            return (uint16_t)i;
    if (sequence_count == 0) { /* index 0 is the empty sequence */
        sequences = grow(sequences, 0, &sequence_size, sizeof *sequences);
        sequences[sequence_count++] = 0;
    }
    uint16_t first = (uint16_t)sequence_count;
    for (unsigned i = 0; i < n; i++) {
        sequences = grow(sequences, sequence_count, &sequence_size, sizeof *sequences);
        sequences[sequence_count++] = seq[i];
    }
    return first;
}

/* TOKEN, TOKEN@bit, (A|B|…)@field, %table@field: one element of a modifier list. */
static void scan_enum(const char **p)
{
    uint16_t values[4096];
    unsigned count = 0;
    const char *list = NULL;
    bool single = false;
    if (**p == '%') {
        char name[64];
        size_t n = 0;
        for (++*p; (isalnum((unsigned char)**p) || **p == '_') && n < sizeof name - 1; ++*p)
            name[n++] = **p;
        name[n] = '\0';
        list = definition_find(&tables, name);
        if (!list || *list != '(')
            fail("no table %s", name);
    } else if (**p == '(') {
        list = *p;
        *p = strchr(*p, ')');
        if (!*p)
            fail("')' missing");
        ++*p;
    } else {
        const char *start = *p;
        while (isalnum((unsigned char)**p) || **p == '_' || **p == '.')
            ++*p;
        if (*p == start)
            fail("modifier expected at '%s'", start);
        values[0] = 0;
        values[1] = sequence_add(start, (size_t)(*p - start));
        single = **p != '@';
        if (single)
            values[0] = values[1];
        count = single ? 1 : 2;
    }
    if (list)
        for (list++; *list != ')'; list += *list == '|') {
            while (isspace((unsigned char)*list))
                list++;
            char *end;
            unsigned long at = strtoul(list, &end, 10);
            if (end != list && *end == '=')
                list = end + 1;
            else
                at = count;
            size_t n = strcspn(list, "|) \t");
            if (at >= 4096 || n == 0)
                fail("bad table at '%s'", list);
            while (count < at)
                values[count++] = ISA_CODE_ILLEGAL;
            values[at] = sequence_add(list, n);
            if (count <= at)
                count = (unsigned)at + 1;
            list += n;
            while (isspace((unsigned char)*list))
                list++;
        }
    struct isa_enum e = {0};
    if (!single) {
        if (**p != '@')
            fail("'@' expected at '%s'", *p);
        ++*p;
        e.field = scan_field(p);
        if (count > 1u << field_width(&e.field))
            fail("table larger than its field");
    }
    e.count = (uint16_t)count;
    for (size_t i = 0; i + count <= code_count; i++)
        if (memcmp(codes + i, values, count * sizeof *values) == 0) {
            e.first = (uint16_t)i;
            goto found;
        }
    e.first = (uint16_t)code_count;
    for (unsigned i = 0; i < count; i++) {
        codes = grow(codes, code_count, &code_size, sizeof *codes);
        codes[code_count++] = values[i];
    }
found:
    enums = grow(enums, enum_count, &enum_size, sizeof *enums);
    enums[enum_count++] = e;
}

static unsigned scan_enums(const char *text)
{
    unsigned n = 0;
    for (skip_blanks(&text); *text; skip_blanks(&text), n++)
        scan_enum(&text);
    return n;
}

/* --- operands ------------------------------------------------------------------------------------------------------*/

static const char *const kind_names[] = {"R", "U", "P", "UP", "I",  "F", "C", "M",
                                         "S", "L", "B", "SB", "PR", "T", "O", "D"};
/* In the order of enum isa_handle. */
static const char *const handle_names[] = {"", "gdesc", "idesc", "tmem", "desc", "a"};

static void scan_part(const char **p, struct isa_part *part)
{
    part->field = scan_field(p);
    part->absent = -1;
    if (**p == '?') {
        ++*p;
        part->absent = (int32_t)scan_number(p, 10);
    }
}

/* Suffixes of one kind stand together in the pool, so they are gathered first. */
static unsigned scan_suffixes(char list[][2048], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const char *p = list[i];
        scan_enum(&p);
    }
    return count;
}

/* A second look at the flags, as a list: most operands have none or one. */
static void list_flags(struct isa_operand_row *o)
{
    const uint16_t bits[ISA_FLAG_BITS] = {o->neg, o->abs, o->inv, o->no, o->reuse};
    for (unsigned i = 0; i < ISA_FLAG_BITS; i++) {
        unsigned bit = bits[i] & 0x7fu;
        uint8_t flag = (uint8_t)(1u << i);
        if (bits[i] == ISA_BIT_NONE)
            continue;
        if (bits[i] == ISA_BIT_ALWAYS || bits[i] & ISA_BIT_INVERTED)
            o->flags.always |= flag;
        if (bits[i] == ISA_BIT_ALWAYS)
            continue;
        if (bit >= 122 && bit <= 124 && i + 1 < ISA_FLAG_BITS)
            fail("bits 124:122 are those of .reuse");
        o->flags.entry[o->flags.count].bit = (uint8_t)bit;
        o->flags.entry[o->flags.count++].flag = flag;
    }
}

/* The number of an operand in the pool, where each stands once. */
static uint16_t operand_add(struct isa_operand_row *o)
{
    bool suffixed = o->suffix_count || o->base_suffix_count || o->ubase_suffix_count;
    const struct isa_field *main = &o->part[ISA_PART_MAIN].field;
    list_flags(o);
    o->plain = o->kind < ISA_REGISTER_KINDS && !suffixed && main->pieces == 1 && !main->flags && !main->shift &&
               !o->bits && o->part[ISA_PART_MAIN].absent < 0;
    if (!suffixed) {
        o->suffix = o->base_suffix = o->ubase_suffix = 0;
        for (size_t i = 0; i < operand_count; i++)
            if (memcmp(&operands[i], o, sizeof *o) == 0)
                return (uint16_t)i;
    }
    operands = grow(operands, operand_count, &operand_size, sizeof *operands);
    operands[operand_count] = *o;
    return (uint16_t)operand_count++;
}

static uint8_t handle_find(const char *word, size_t length)
{
    for (unsigned i = 1; i < sizeof handle_names / sizeof *handle_names; i++)
        if (strlen(handle_names[i]) == length && memcmp(handle_names[i], word, length) == 0)
            return (uint8_t)i;
    return 0;
}

static void scan_operand(const char *text)
{
    struct isa_operand_row o;
    memset(&o, 0, sizeof o); /* its padding too: rows are compared as bytes */
    o.hide = -1;
    o.neg = o.abs = o.inv = o.no = o.reuse = ISA_BIT_NONE;
    for (unsigned i = 0; i < ISA_PART_COUNT; i++)
        o.part[i].absent = -1;
    skip_blanks(&text);
    if (*text == '_') {
        o.style |= ISA_STYLE_BLANK;
        text++;
    }
    if (!strchr(text, '(')) {
        char name[64];
        size_t n = strcspn(text, " \t");
        if (n >= sizeof name)
            fail("name too long");
        memcpy(name, text, n);
        name[n] = '\0';
        const char *slot = definition_find(&slots, name);
        if (!slot)
            fail("no slot %s", name);
        text = slot;
    }
    size_t n = strcspn(text, "(");
    for (o.kind = 0; o.kind < sizeof kind_names / sizeof *kind_names; o.kind++)
        if (strlen(kind_names[o.kind]) == n && strncmp(kind_names[o.kind], text, n) == 0)
            break;
    const char *kind = kind_names[o.kind < sizeof kind_names / sizeof *kind_names ? o.kind : 0];
    if (strlen(kind) != n)
        fail("unknown operand kind in '%s'", text);
    const char *p = text + n + 1;
    static char suffix[3][8][2048];
    unsigned counts[3] = {0};
    for (skip_blanks(&p); *p != ')'; skip_blanks(&p)) {
        if (!*p)
            fail("')' missing in '%s'", text);
        if (isdigit((unsigned char)*p)) {
            scan_part(&p, &o.part[ISA_PART_MAIN]);
        } else if (*p == '-') {
            p++;
            o.neg = scan_bit(&p);
        } else if (*p == '|') {
            p++;
            o.abs = scan_bit(&p);
        } else if (*p == '~') {
            p++;
            o.inv = scan_bit(&p);
        } else if (*p == '!') {
            p++;
            o.no = scan_bit(&p);
        } else if (*p == '.' || strncmp(p, "base.", 5) == 0 || strncmp(p, "ubase.", 6) == 0) {
            unsigned which = *p == '.' ? 0 : *p == 'b' ? 1 : 2;
            p = strchr(p, '.') + 1;
            size_t length = 0;
            for (int depth = 0; p[length] && (depth || (p[length] != ' ' && p[length] != ')')); length++)
                depth += p[length] == '(' ? 1 : p[length] == ')' ? -1 : 0;
            if (counts[which] == 8 || length >= 2048)
                fail("suffix too long in '%s'", text);
            memcpy(suffix[which][counts[which]], p, length);
            suffix[which][counts[which]++][length] = '\0';
            p += length;
        } else {
            size_t w = 0;
            while (isalnum((unsigned char)p[w]))
                w++;
            const char *word = p;
            p += w;
#define IS(text) (w == sizeof text - 1 && memcmp(word, text, w) == 0)
            if (w && *p == '=') {
                p++;
                enum isa_part_id id = IS("base")    ? ISA_PART_BASE
                                      : IS("ubase") ? ISA_PART_UBASE
                                      : IS("desc")  ? ISA_PART_DESC
                                      : IS("bank")  ? ISA_PART_BANK
                                      : IS("off")   ? ISA_PART_MAIN
                                                    : ISA_PART_COUNT;
                if (IS("reuse"))
                    o.reuse = scan_bit(&p);
                else if (IS("hide"))
                    o.hide = (int32_t)scan_number(&p, 10);
                else if (IS("bits") || IS("plus"))
                    o.bits = (uint8_t)scan_number(&p, 10);
                else if (id != ISA_PART_COUNT)
                    scan_part(&p, &o.part[id]);
                else
                    fail("unknown word in '%s'", text);
            } else if (IS("blank")) {
                o.style |= ISA_STYLE_SPACE;
            } else if (IS("inside")) {
                o.style |= ISA_STYLE_SUFFIX_IN;
            } else if (IS("hidden")) {
                o.style |= ISA_STYLE_HIDDEN_DESC;
            } else if (IS("strided")) {
                o.style |= ISA_STYLE_STRIDED;
            } else if (IS("positive")) {
                o.style |= ISA_STYLE_POSITIVE;
            } else if (IS("next")) {
                o.style |= ISA_STYLE_NEXT;
            } else if (IS("half")) {
                o.style |= ISA_STYLE_HALF;
            } else if (IS("negative")) {
                o.style |= ISA_STYLE_NEGATIVE;
            } else if (IS("set")) {
                o.style |= ISA_STYLE_SET;
            } else if (kind[0] == 'D' && handle_find(word, w)) {
                o.bits = handle_find(word, w);
            } else {
                fail("unknown word in '%s' at '%s'", text, word);
            }
#undef IS
        }
    }
    o.suffix = (uint16_t)enum_count;
    o.suffix_count = (uint8_t)scan_suffixes(suffix[0], counts[0]);
    o.base_suffix = (uint16_t)enum_count;
    o.base_suffix_count = (uint8_t)scan_suffixes(suffix[1], counts[1]);
    o.ubase_suffix = (uint16_t)enum_count;
    o.ubase_suffix_count = (uint8_t)scan_suffixes(suffix[2], counts[2]);
    operand_list = grow(operand_list, operand_list_count, &operand_list_size, sizeof *operand_list);
    operand_list[operand_list_count++] = operand_add(&o);
}

/* --- rows ----------------------------------------------------------------------------------------------------------*/

static uint64_t field_get(const struct isa_field *field, struct bits128 w)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < field->pieces; i++)
        v = v << field->piece[i].width |
            bits_get(w, field->piece[i].low + field->piece[i].width - 1u, field->piece[i].low);
    return v;
}

static struct bits128 field_set(const struct isa_field *field, struct bits128 w, uint64_t v)
{
    for (unsigned i = field->pieces; i-- > 0; v >>= field->piece[i].width)
        w = bits_set(w, field->piece[i].low + field->piece[i].width - 1u, field->piece[i].low, v);
    return w;
}

/* "75-89,100": bit i stands for archs[i]. One that is described by others is in no range: it must be named. */
static unsigned scan_archs(const char *p)
{
    unsigned mask = 0;
    if (strcmp(p, "all") == 0) {
        for (unsigned i = 0; i < arch_count; i++)
            mask |= (unsigned)!described[i] << i;
        return mask;
    }
    while (*p) {
        unsigned long first = scan_number(&p, 10), last = first;
        if (*p == '-') {
            p++;
            last = scan_number(&p, 10);
        }
        for (unsigned i = 0; i < arch_count; i++)
            if (archs[i] >= first && archs[i] <= last && (!described[i] || first == last))
                mask |= 1u << i;
        if (*p == ',')
            p++;
        else if (*p)
            fail("bad architecture list at '%s'", p);
    }
    return mask;
}

static struct isa_condition scan_condition(const char *p)
{
    struct isa_condition c = {.field = scan_field(&p)};
    if (*p == '!') {
        c.test = ISA_TEST_DIFFERENT;
        p++;
    }
    if (*p++ != '=')
        fail("'=' expected in a condition");
    if (strcmp(p, "pow2") == 0)
        c.test = ISA_TEST_POWER;
    else
        c.value = scan_number(&p, 0);
    return c;
}

/* The n-th alternative of a text "a/b/c"; the only one when there is no '/'. '/' inside parentheses does not count. */
static void alternative(const char *text, unsigned n, unsigned expected, char *out, size_t size)
{
    unsigned count = 1;
    int depth = 0;
    for (const char *p = text; *p; p++) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        count += *p == '/' && depth == 0;
    }
    if (count != 1 && count != expected)
        fail("%u alternatives for %u opcodes in '%s'", count, expected, text);
    const char *start = text;
    for (unsigned i = 0; count > 1 && i < n; start++) {
        depth += *start == '(' ? 1 : *start == ')' ? -1 : 0;
        i += *start == '/' && depth == 0;
    }
    size_t length = 0;
    for (depth = 0; start[length] && !(start[length] == '/' && depth == 0); length++)
        depth += start[length] == '(' ? 1 : start[length] == ')' ? -1 : 0;
    if (length >= size)
        fail("operand too long");
    memcpy(out, start, length);
    out[length] = '\0';
}

/* Cuts `text` at `separator` outside parentheses; answers what follows, or NULL. */
static char *cut(char *text, char separator)
{
    int depth = 0;
    for (char *p = text; *p; p++) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        if (*p == separator && depth == 0) {
            *p = '\0';
            return p + 1;
        }
    }
    return NULL;
}

/* Head and cells are separated by " : ", since a bare ':' stands in bit ranges. */
static char *cut_cell(char *text)
{
    char *p = strstr(text, " :");
    while (p && p[2] && !isspace((unsigned char)p[2]))
        p = strstr(p + 1, " :");
    if (!p)
        return NULL;
    *p = '\0';
    return p + 2;
}

/* What asks for exact bits becomes one mask; the rest stands first, and is counted. */
static void hard_conditions_first(struct isa_row *row)
{
    struct isa_condition *c = conditions + row->condition;
    struct bits128 mask = {0, 0}, value = {0, 0};
    for (unsigned i = 0; i < row->condition_count; i++) {
        struct isa_condition one = c[i];
        if (one.test == ISA_TEST_EQUAL) {
            mask = field_set(&one.field, mask, UINT64_MAX);
            value = field_set(&one.field, value, one.value);
            continue;
        }
        memmove(c + row->hard_count + 1, c + row->hard_count, (i - row->hard_count) * sizeof *c);
        c[row->hard_count++] = one;
    }
    row->mask[0] = mask.lo;
    row->mask[1] = mask.hi;
    row->value[0] = value.lo;
    row->value[1] = value.hi;
}

static void add_row(char *text)
{
    char *mod_text = cut_cell(text), *operand_text = mod_text ? cut_cell(mod_text) : NULL;
    if (!operand_text)
        fail("a row needs three parts: head : modifiers : operands");
    char *save = NULL;
    char *mnemonic = strtok_r(text, " \t", &save), *opcodes = strtok_r(NULL, " \t", &save);
    char *arch_text = strtok_r(NULL, " \t", &save);
    if (!arch_text)
        fail("mnemonic, opcodes and architectures expected");
    struct isa_row head = {.op = (uint16_t)names_find(&ops, mnemonic)};
    unsigned arch_mask = scan_archs(arch_text);
    head.condition = (uint16_t)condition_count;
    for (char *word; (word = strtok_r(NULL, " \t", &save));) {
        if (strcmp(word, "@UP") == 0) {
            head.uniform_guard = 1;
            continue;
        }
        conditions = grow(conditions, condition_count, &condition_size, sizeof *conditions);
        conditions[condition_count++] = scan_condition(word);
        head.condition_count++;
    }
    unsigned opcode[ALTERNATIVES], count = 0;
    for (const char *p = opcodes; *p;) {
        if (count == ALTERNATIVES)
            fail("too many opcodes");
        opcode[count] = (unsigned)scan_number(&p, 16);
        if (opcode[count++] >= OPCODES)
            fail("opcode too large");
        if (*p == '/')
            p++;
        else if (*p)
            fail("bad opcode list");
    }
    hard_conditions_first(&head);
    head.mod = (uint16_t)enum_count;
    head.mod_count = (uint8_t)scan_enums(mod_text);
    char *cells[16];
    unsigned cell_count = 0;
    skip_blanks((const char **)&operand_text);
    for (char *cell = *operand_text ? operand_text : NULL; cell;) {
        char *next = cut(cell, ',');
        if (cell_count == 16)
            fail("too many operands");
        cells[cell_count++] = cell;
        cell = next;
    }
    for (unsigned i = 0; i < count; i++) {
        struct isa_row row = head;
        row.operand = (uint16_t)operand_list_count;
        for (unsigned k = 0; k < cell_count; k++) {
            char one[4096];
            alternative(cells[k], i, count, one, sizeof one);
            scan_operand(one);
            const struct isa_operand_row *o = &operands[operand_list[operand_list_count - 1]];
            row.relative |= o->kind == ISA_LABEL_KIND || o->part[ISA_PART_MAIN].field.flags & ISA_FIELD_PC;
            row.operand_count++;
        }
        rows = grow(rows, row_count, &row_size, sizeof *rows);
        rows[row_count] = row;
        for (unsigned a = 0; a < arch_count; a++)
            if (arch_mask >> a & 1) {
                struct list *l = &index_of[a][opcode[i]];
                l->row = grow(l->row, l->count, &l->size, sizeof *l->row);
                l->row[l->count++] = (uint16_t)row_count;
            }
        row_count++;
    }
    if (row_count > 60000 || enum_count > 60000 || operand_list_count > 60000 || code_count > 60000)
        fail("tables outgrew 16-bit indices");
}

/* --- architectures described by others -----------------------------------------------------------------------------*/

static unsigned arch_place(const char *text)
{
    const char *p = text ? text : "";
    unsigned long number = scan_number(&p, 10);
    for (unsigned i = 0; i < arch_count; i++)
        if (archs[i] == number)
            return i;
    fail("architecture %lu is not in archs", number);
}

/* like N A [OPCODES] */
static void add_like(char *rest)
{
    char *save = NULL;
    if (like_count == sizeof likes / sizeof *likes)
        fail("too many lines");
    struct like *l = &likes[like_count++];
    l->arch = arch_place(strtok_r(rest, " \t", &save));
    const char *from = strtok_r(NULL, " \t", &save);
    l->from = from && strcmp(from, "none") == 0 ? arch_count : arch_place(from);
    char *opcodes = strtok_r(NULL, " \t", &save);
    if (l->from < arch_count && described[l->from] && l->from == l->arch)
        fail("an architecture is not like itself");
    if (!opcodes == described[l->arch])
        fail("the first line of an architecture is for all opcodes, and no other");
    l->opcodes = opcodes ? strdup(opcodes) : NULL;
    l->file = file_name;
    l->line = line_number;
    described[l->arch] = true;
}

static void list_copy(struct list *to, const struct list *from)
{
    to->count = 0;
    for (size_t i = 0; i < from->count; i++) {
        to->row = grow(to->row, to->count, &to->size, sizeof *to->row);
        to->row[to->count++] = from->row[i];
    }
}

/* After all rows are read; in the order of the lines, so that one who is described may describe others. */
static void apply_likes(void)
{
    static bool own[OPCODES];
    static const struct list nothing;
    for (size_t i = 0; i < like_count; i++) {
        struct like *l = &likes[i];
        file_name = l->file;
        line_number = l->line;
        struct list *to = index_of[l->arch];
        const struct list *from = l->from < arch_count ? index_of[l->from] : NULL;
        if (!l->opcodes) {
            if (!from)
                fail("'none' stands with opcodes");
            alias[l->arch] = true;
            alias_of[l->arch] = l->from;
            for (unsigned o = 0; o < OPCODES; o++) {
                own[o] = to[o].count > 0;
                alias[l->arch] &= !own[o];
                if (!own[o])
                    list_copy(&to[o], &from[o]);
            }
            for (unsigned n = 0; n < 256; n++) {
                alias[l->arch] &= !sregs[l->arch][n];
                if (!sregs[l->arch][n])
                    sregs[l->arch][n] = sregs[l->from][n];
            }
            continue;
        }
        if (i == 0 || likes[i - 1].arch != l->arch)
            fail("the lines of an architecture stand together");
        alias[l->arch] = false;
        for (const char *p = l->opcodes; *p; p += *p == '/') {
            unsigned long o = scan_number(&p, 16);
            if (o >= OPCODES || (*p && *p != '/'))
                fail("bad opcodes at '%s'", p);
            if (own[o])
                fail("opcode %lx has rows of its own", o);
            list_copy(&to[o], from ? &from[o] : &nothing);
        }
    }
}

/* --- checks --------------------------------------------------------------------------------------------------------*/

#include "isagen_check.h"

/* --- writing -------------------------------------------------------------------------------------------------------*/

static void write_field(FILE *f, const struct isa_field *field)
{
    if (!field->pieces) {
        fprintf(f, "{0}");
        return;
    }
    fprintf(f, "{%u,%u,%u,{", field->pieces, field->flags, field->shift);
    for (unsigned i = 0; i < field->pieces; i++)
        fprintf(f, "%s{%u,%u}", i ? "," : "", field->piece[i].low, field->piece[i].width);
    fprintf(f, "}}");
}

/* Pools that decode and print share have a name in isa_index.h; `linkage` is empty for them. */
static void write_numbers(FILE *f, const char *linkage, const char *name, const uint16_t *v, size_t n)
{
    fprintf(f, "%sconst uint16_t %s[] = {", linkage, name);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s%u,", i % 24 ? "" : "\n", v[i]);
    fprintf(f, "%s};\n", n ? "\n" : "0");
}

/* The same rows by mnemonic, for reading text: row and opcode of each, in the order in which words find them. */
static void write_by_op(FILE *f, unsigned a)
{
    size_t total = 0, n = 0;
    for (unsigned o = 0; o < OPCODES; o++)
        total += index_of[a][o].count;
    uint16_t *row = calloc(total + 1, sizeof *row), *code = calloc(total + 1, sizeof *code);
    uint16_t *first = calloc(ops.count + 2, sizeof *first);
    if (!row || !code || !first)
        fail("out of memory");
    for (unsigned op = 0; op <= ops.count; op++) {
        first[op] = (uint16_t)n;
        for (unsigned o = 0; o < OPCODES; o++)
            for (size_t i = 0; i < index_of[a][o].count; i++)
                if (rows[index_of[a][o].row[i]].op == op) {
                    row[n] = index_of[a][o].row[i];
                    code[n++] = (uint16_t)o;
                }
    }
    first[ops.count + 1] = (uint16_t)n;
    char name[32];
    snprintf(name, sizeof name, "isa_op_first_%u", archs[a]);
    write_numbers(f, "static ", name, first, ops.count + 2);
    snprintf(name, sizeof name, "isa_op_row_%u", archs[a]);
    write_numbers(f, "static ", name, row, n);
    snprintf(name, sizeof name, "isa_op_code_%u", archs[a]);
    write_numbers(f, "static ", name, code, n);
    free(row);
    free(code);
    free(first);
}

static void write_tables(FILE *f)
{
    fprintf(f, "/* Made by isagen from src/isa/spec. */\n");
    write_numbers(f, "", "isa_codes", codes, code_count);
    write_numbers(f, "", "isa_sequences", sequences, sequence_count);
    fprintf(f, "const struct isa_enum isa_enums[] = {\n");
    for (size_t i = 0; i < enum_count; i++) {
        fprintf(f, "{");
        write_field(f, &enums[i].field);
        fprintf(f, ",%u,%u},\n", enums[i].first, enums[i].count);
    }
    fprintf(f, "};\nconst struct isa_condition isa_conditions[] = {\n");
    for (size_t i = 0; i < condition_count; i++) {
        fprintf(f, "{");
        write_field(f, &conditions[i].field);
        fprintf(f, ",%u,UINT64_C(0x%llx)},\n", conditions[i].test, (unsigned long long)conditions[i].value);
    }
    fprintf(f, "{{0},0,0}};\nconst struct isa_operand_row isa_operand_rows[] = {\n");
    for (size_t i = 0; i < operand_count; i++) {
        const struct isa_operand_row *o = &operands[i];
        fprintf(f, "{%u,%u,{%u,%u,{", o->kind, o->plain, o->flags.always, o->flags.count);
        for (unsigned k = 0; k < ISA_FLAG_BITS; k++)
            fprintf(f, "{%u,%u},", o->flags.entry[k].bit, o->flags.entry[k].flag);
        fprintf(f, "}},%u,%u,%d,%u,%u,%u,%u,%u,{", o->style, o->bits, o->hide, o->neg, o->abs, o->inv, o->no, o->reuse);
        for (unsigned k = 0; k < ISA_PART_COUNT; k++) {
            fprintf(f, "{");
            write_field(f, &o->part[k].field);
            fprintf(f, ",%d},", o->part[k].absent);
        }
        fprintf(f, "},%u,%u,%u,%u,%u,%u},\n", o->suffix, o->base_suffix, o->ubase_suffix, o->suffix_count,
                o->base_suffix_count, o->ubase_suffix_count);
    }
    fprintf(f, "};\n");
    write_numbers(f, "", "isa_operand_list", operand_list, operand_list_count);
    fprintf(f, "const struct isa_row isa_rows[] = {\n");
    for (size_t i = 0; i < row_count; i++)
        fprintf(f, "{{0x%llxu,0x%llxu},{0x%llxu,0x%llxu},%u,%u,%u,%u,%u,%u,%u,%u,%u,%u},\n",
                (unsigned long long)rows[i].mask[0], (unsigned long long)rows[i].mask[1],
                (unsigned long long)rows[i].value[0], (unsigned long long)rows[i].value[1], rows[i].op,
                rows[i].condition, rows[i].mod, rows[i].operand, rows[i].condition_count, rows[i].hard_count,
                rows[i].mod_count, rows[i].operand_count, rows[i].uniform_guard, rows[i].relative);
    fprintf(f, "};\n");
    for (unsigned a = 0; a < arch_count; a++) {
        if (alias[a])
            continue;
        /* lists[first[opcode] …] up to the next opcode's first */
        fprintf(f, "static const uint16_t isa_list_%u[] = {", archs[a]);
        unsigned n = 0;
        for (unsigned o = 0; o < OPCODES; o++)
            for (size_t i = 0; i < index_of[a][o].count; i++)
                fprintf(f, "%s%u,", n++ % 24 ? "" : "\n", index_of[a][o].row[i]);
        fprintf(f, "%s};\nstatic const uint16_t isa_first_%u[] = {", n ? "" : "0", archs[a]);
        n = 0;
        for (unsigned o = 0; o < OPCODES; o++) {
            fprintf(f, "%s%u,", o % 24 ? "" : "\n", n);
            n += (unsigned)index_of[a][o].count;
        }
        fprintf(f, "%u};\nstatic const char *const isa_sregs_%u[256] = {\n", n, archs[a]);
        for (unsigned i = 0; i < 256; i++)
            if (sregs[a][i])
                fprintf(f, "[%u] = \"%s\",\n", i, sregs[a][i]);
        fprintf(f, "};\n");
        write_by_op(f, a);
    }
    fprintf(f, "static const unsigned isa_arch_numbers[] = {");
    for (unsigned a = 0; a < arch_count; a++)
        fprintf(f, "%u,", archs[a]);
    fprintf(f, "};\nstatic const uint8_t isa_arch_at[] = {"); /* the place of sm_N in that list, from 1 on */
    for (unsigned a = 0; a < arch_count; a++)
        fprintf(f, "[%u] = %u,", archs[a], a + 1);
    fprintf(f, "};\nstatic const struct isa_arch_table isa_arch_tables[] = {\n");
    for (unsigned a = 0; a < arch_count; a++) {
        unsigned b = a;
        while (alias[b])
            b = alias_of[b];
        fprintf(f, "{isa_first_%u, isa_list_%u, isa_op_first_%u, isa_op_row_%u, isa_op_code_%u, isa_sregs_%u},\n",
                archs[b], archs[b], archs[b], archs[b], archs[b], archs[b]);
    }
    fprintf(f, "};\n");
}

/* Texts as print copies them, each with its length: what a sequence of modifiers prints, by its place in the pool, and
 * the names of registers by file and number. */
static void write_texts(FILE *f)
{
    static const char *const files[ISA_REGISTER_FILES] = {"R", "UR", "P", "UP", "UR", NULL};
    fprintf(f, "/* Made by isagen from src/isa/spec. */\nstatic const struct spelling sequence_text[] = {\n");
    for (size_t i = 0; i < sequence_count; i++) {
        char text[256];
        size_t n = 0;
        for (size_t k = i; k < sequence_count && sequences[k]; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, ".%s", mods.text[sequences[k] - 1]);
        if (n > ISA_SPELLING)
            fail("modifiers longer than %d characters: %s", ISA_SPELLING, text);
        fprintf(f, "{%zu, \"%s\"},\n", n, n ? text : "");
    }
    fprintf(f, "};\nconst struct isa_name isa_register_text[%d][256] = {\n", ISA_REGISTER_FILES);
    for (unsigned k = 0; k < ISA_REGISTER_FILES; k++) {
        static const unsigned constant[ISA_REGISTER_FILES] = {255, 255, 7, 7, 63, 0};
        fprintf(f, "{");
        for (unsigned i = 0; i < 256; i++) {
            char text[8];
            if (!files[k])
                text[0] = '\0';
            else if (i == constant[k])
                snprintf(text, sizeof text, "%s%c", files[k], k == 2 || k == 3 ? 'T' : 'Z');
            else
                snprintf(text, sizeof text, "%s%u", files[k], i);
            fprintf(f, "{\"%s\", %zu},%s", text, strlen(text), i % 16 == 15 ? "\n" : "");
        }
        fprintf(f, "},\n");
    }
    fprintf(f, "};\n");
}

static FILE *open_output(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "isagen: cannot write %s\n", path);
        exit(1);
    }
    return f;
}

/* --- passes --------------------------------------------------------------------------------------------------------*/

/* Every word in capitals or digits of a modifier position becomes a name; the second pass checks the grammar. */
static void collect_mods(const char *text)
{
    for (const char *p = text; *p;) {
        if (isalnum((unsigned char)*p) || *p == '_') {
            const char *start = p;
            while (isalnum((unsigned char)*p) || *p == '_')
                p++;
            bool value = *p == '=';
            char name[64];
            size_t n = (size_t)(p - start);
            if (!value && n < sizeof name) {
                memcpy(name, start, n);
                name[n] = '\0';
                names_add(&mods, name);
            }
        } else if (*p == '@') { /* a bit range, or the next element */
            for (p++; isdigit((unsigned char)*p) || *p == ':' || *p == '+';)
                p++;
        } else if (*p == '%') {
            for (p++; isalnum((unsigned char)*p) || *p == '_';)
                p++;
        } else {
            p++;
        }
    }
}

/* The suffixes in an operand cell: ".X", ".(A|B)@75:74", "base.X". */
static void collect_suffixes(const char *text)
{
    for (const char *p = text; (p = strchr(p, '.')) != NULL;) {
        char one[2048];
        size_t n = 0;
        int depth = 0;
        for (p++; p[n] && (depth || (p[n] != ' ' && p[n] != ')')) && n < sizeof one - 1; n++) {
            depth += p[n] == '(' ? 1 : p[n] == ')' ? -1 : 0;
            one[n] = p[n];
        }
        one[n] = '\0';
        collect_mods(one);
        p += n;
    }
}

static void collect_names(const char *text)
{
    char *copy = strdup(text), *save = NULL;
    char *first = strtok_r(copy, " \t", &save);
    char *rest = save;
    if (strcmp(first, "op") == 0 || strcmp(first, "mod") == 0) {
        for (char *w; (w = strtok_r(NULL, " \t", &save));)
            names_add(first[0] == 'o' ? &ops : &mods, w);
    } else if (strcmp(first, "table") == 0) {
        strtok_r(NULL, " \t", &save);
        collect_mods(save);
    } else if (strcmp(first, "slot") == 0) {
        collect_suffixes(rest);
    } else if (is_row(first)) {
        names_add(&ops, first);
        char *mod_text = cut_cell(rest), *operand_text = mod_text ? cut_cell(mod_text) : NULL;
        if (operand_text) {
            collect_mods(mod_text);
            collect_suffixes(operand_text);
        }
    }
    free(copy);
}

static void read_line(char *text)
{
    char *rest = text + strcspn(text, " \t");
    if (is_row(text)) {
        add_row(text);
        return;
    }
    if (*rest)
        *rest++ = '\0';
    skip_blanks((const char **)&rest);
    if (strcmp(text, "archs") == 0) {
        for (const char *p = rest; *p; skip_blanks(&p)) {
            if (arch_count == MAX_ARCHS)
                fail("too many architectures");
            archs[arch_count++] = (unsigned)scan_number(&p, 10);
        }
    } else if (strcmp(text, "like") == 0) {
        add_like(rest);
    } else if (strcmp(text, "table") == 0) {
        define(&tables, rest);
    } else if (strcmp(text, "slot") == 0) {
        define(&slots, rest);
    } else if (strcmp(text, "sreg") == 0) {
        char *save = NULL;
        unsigned mask = scan_archs(strtok_r(rest, " \t", &save));
        for (char *w; (w = strtok_r(NULL, " \t", &save));) {
            const char *p = w;
            unsigned long number = scan_number(&p, 10);
            if (*p++ != '=' || number > 255)
                fail("number=NAME expected");
            for (unsigned a = 0; a < arch_count; a++)
                if (mask >> a & 1)
                    sregs[a][number] = strdup(p);
        }
    } else if (strcmp(text, "op") != 0 && strcmp(text, "mod") != 0) {
        fail("unknown line '%s'", text);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: isagen OUTPUT-DIRECTORY SPEC...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        lines_read(argv[i]);
    for (size_t i = 0; i < line_count; i++)
        collect_names(lines[i].text);
    qsort(ops.text, ops.count, sizeof *ops.text, names_compare);
    qsort(mods.text, mods.count, sizeof *mods.text, names_compare);
    sequence_add("-", 1);
    for (size_t i = 0; i < line_count; i++) {
        file_name = lines[i].file;
        line_number = lines[i].number;
        read_line(lines[i].text);
    }
    apply_likes();
    check_rows();

    FILE *f = open_output(argv[1], "isa_names.inc");
    fprintf(f, "/* Made by isagen from src/isa/spec. */\n");
    names_write(f, "ISA_OP_ROW", &ops);
    names_write(f, "ISA_MOD_ROW", &mods);
    bool failed = fclose(f) != 0;
    f = open_output(argv[1], "isa_tables.inc");
    write_tables(f);
    failed |= fclose(f) != 0;
    f = open_output(argv[1], "isa_texts.inc");
    write_texts(f);
    failed |= fclose(f) != 0;
    if (failed)
        fprintf(stderr, "isagen: write error\n");
    return failed;
}
