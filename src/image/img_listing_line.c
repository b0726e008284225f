/* One line of a listing: which of the habits of cuobjdump, nvdisasm, CuAssembler, compiler explorers and people it
 * follows. Each line is looked at by itself and costs time linear in its length.
 * requires: nothing · gives: struct listing_line, whose slices point into the line */
#define _GNU_SOURCE /* memmem */
#include "image/img_listing.h"

#include "isa/isa.h"

#include <string.h>

enum { CONTROL_BYTES = 21, OPCODE_BYTES = 32 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static struct slice trim(struct slice s)
{
    while (s.n && is_blank(s.p[0]))
        s.p++, s.n--;
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

static bool begins(struct slice s, const char *text)
{
    size_t n = strlen(text);
    return s.n >= n && memcmp(s.p, text, n) == 0;
}

static struct slice after(struct slice s, size_t n)
{
    return (struct slice){s.p + n, s.n - n};
}

/* What follows `text` in the line; n is 0 and p NULL where it is not in it. */
static struct slice behind(struct slice s, const char *text)
{
    const char *at = memmem(s.p, s.n, text, strlen(text));
    if (!at)
        return (struct slice){0};
    at += strlen(text);
    return (struct slice){at, (size_t)(s.p + s.n - at)};
}

static int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static size_t hex_digits(struct slice s)
{
    size_t n = 0;
    while (n < s.n && hex_digit(s.p[n]) >= 0)
        n++;
    return n;
}

static uint64_t hex_value(const char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 4 | (unsigned)hex_digit(p[i]);
    return v;
}

static bool take_decimal(struct slice *s, uint32_t *value)
{
    size_t n = 0;
    uint32_t v = 0;
    while (n < s->n && is_digit(s->p[n])) {
        if (v > 99999999)
            return false;
        v = v * 10 + (uint32_t)(s->p[n++] - '0');
    }
    *s = after(*s, n);
    *value = v;
    return n > 0;
}

/* Quotation marks of a mail or a forum, and indentation. */
static struct slice unquote(struct slice s)
{
    s = trim(s);
    while (s.n && (s.p[0] == '>' || s.p[0] == '|'))
        s = trim(after(s, 1));
    return s;
}

/* A name up to a blank, comma or quotation mark. */
static struct slice name_of(struct slice s)
{
    size_t n = 0;
    s = trim(s);
    while (n < s.n && !is_blank(s.p[n]) && s.p[n] != ',' && s.p[n] != '"')
        n++;
    s.n = n;
    return s;
}

/* ---- what stands beside an instruction ------------------------------------------------------------------------- */

/* The comment at the head: / * 0010 * /, four or more hexadecimal digits. */
static bool take_offset(struct slice *s, uint32_t *offset)
{
    if (!begins(*s, "/*"))
        return false;
    struct slice digits = after(*s, 2);
    size_t n = hex_digits(digits);
    if (n < 2 || n > 8 || !begins(after(digits, n), "*/"))
        return false;
    *offset = (uint32_t)hex_value(digits.p, n);
    *s = trim(after(digits, n + 2));
    return true;
}

/* "[B------:R-:W-:Y:S04]", with or without reuse flags "----:" before the B. */
static bool take_control(struct slice *s, uint32_t *bits)
{
    struct slice c = *s;
    if (!begins(c, "["))
        return false;
    c = after(c, 1);
    if (c.n >= 5 && c.p[4] == ':' && c.p[0] != 'B')
        c = after(c, 5);
    if (c.n < CONTROL_BYTES - 1 || c.p[0] != 'B' || c.p[7] != ':' || c.p[8] != 'R' || c.p[10] != ':' ||
        c.p[11] != 'W' || c.p[13] != ':' || c.p[15] != ':' || c.p[16] != 'S' || !is_digit(c.p[17]) ||
        !is_digit(c.p[18]) || c.p[19] != ']')
        return false;
    uint32_t wait = 0, read = 7, write = 7, stall = (uint32_t)((c.p[17] - '0') * 10 + (c.p[18] - '0'));
    for (unsigned i = 0; i < 6; i++)
        if (c.p[1 + i] != '-') {
            if (c.p[1 + i] != (char)('0' + i))
                return false;
            wait |= 1u << i;
        }
    if (c.p[9] != '-')
        read = (uint32_t)(c.p[9] - '0');
    if (c.p[12] != '-')
        write = (uint32_t)(c.p[12] - '0');
    if (read > 7 || write > 7 || stall > 15 || (c.p[14] != 'Y' && c.p[14] != '-'))
        return false;
    *bits = stall | (c.p[14] == 'Y' ? 0 : 1u << 4) | write << 5 | read << 8 | wait << 11;
    *s = trim(after(c, 20));
    return true;
}

/* A comment that holds a word: 16 hexadecimal digits, or 32 with the high word first. */
static bool take_word(struct slice *s, uint64_t words[2], unsigned *count)
{
    struct slice c = *s;
    if (!begins(c, "/*"))
        return false;
    c = trim(after(c, 2));
    if (!begins(c, "0x"))
        return false;
    c = after(c, 2);
    size_t n = hex_digits(c);
    struct slice end = trim(after(c, n));
    if ((n != 16 && n != 32) || !begins(end, "*/"))
        return false;
    if (n == 32) {
        words[0] = hex_value(c.p + 16, 16);
        words[1] = hex_value(c.p, 16);
        *count = 2;
    } else if (*count < 2) {
        words[(*count)++] = hex_value(c.p, 16);
    }
    *s = trim(after(end, 2));
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------------------------- */

/* The opcode after the guard, when there is a name as opcodes have. Answers how many characters guard and name take. */
static size_t opcode_of(struct slice s, char out[OPCODE_BYTES])
{
    size_t at = 0, n = 0;
    if (at < s.n && s.p[at] == '@') {
        while (at < s.n && !is_blank(s.p[at]))
            at++;
        while (at < s.n && is_blank(s.p[at]))
            at++;
    }
    if (at == s.n || s.p[at] < 'A' || s.p[at] > 'Z')
        return 0;
    while (at + n < s.n && n + 1 < OPCODE_BYTES &&
           (is_digit(s.p[at + n]) || (s.p[at + n] >= 'A' && s.p[at + n] <= 'Z') ||
            (n && s.p[at + n] >= 'a' && s.p[at + n] <= 'z'))) {
        out[n] = s.p[at + n];
        n++;
    }
    out[n] = '\0';
    if (n < 2 || (at + n < s.n && !is_blank(s.p[at + n]) && s.p[at + n] != '.' && s.p[at + n] != ';'))
        return 0;
    return at + n;
}

/* Words that stand where operands do: a register, a number, an address, a guard; a comma parts them. */
static bool looks_like_operands(struct slice s)
{
    s = trim(s);
    if (!s.n)
        return true;
    char c = s.p[0];
    if (c == '[' || c == '-' || c == '!' || c == '|' || c == '~' || c == '`' || c == '{' || is_digit(c) ||
        begins(s, "c[") || begins(s, "cx[") || begins(s, "desc[") || begins(s, "gdesc[") || begins(s, "SR_"))
        return true;
    size_t n = 0;
    while (n < s.n && is_word(s.p[n]))
        n++;
    bool capital = n > 0 && n < 6;
    for (size_t i = 0; i < n; i++)
        capital &= (s.p[i] >= 'A' && s.p[i] <= 'Z') || is_digit(s.p[i]);
    return capital && (n == s.n || s.p[n] == ',' || s.p[n] == '.' || s.p[n] == ';' || is_blank(s.p[n]));
}

/* Guard, opcode and operands from the head of `s`, and what is beside them. */
static bool take_instruction(struct slice s, struct listing_line *out)
{
    char opcode[OPCODE_BYTES];
    if (s.n && s.p[0] == '{') /* pairs that issue together, on older architectures */
        s = trim(after(s, 1));
    size_t head = opcode_of(s, opcode);
    if (!head)
        return false;
    size_t n = 0, depth = 0;
    bool ended = false;
    for (; n < s.n; n++) {
        char c = s.p[n], next = n + 1 < s.n ? s.p[n + 1] : '\0';
        if (c == '(' && next == '*')
            break;
        depth += c == '(' || c == '[';
        depth -= (c == ')' || c == ']') && depth;
        if ((c == '/' && (next == '*' || next == '/')) || c == ';' || (c == '#' && !depth))
            break;
        if (is_blank(c) && (next == '&' || next == '?')) /* notes of newer tools on scheduling */
            break;
        if (c == '}' && memchr(s.p, '{', n) == NULL)
            break;
    }
    out->text = trim((struct slice){s.p, n});
    s = after(s, n);
    if (begins(s, "(*")) {
        struct slice close = behind(s, "*)");
        struct slice mark = {s.p, close.p ? (size_t)(close.p - s.p) : s.n};
        out->spill = behind(mark, "SpillRefill").p != NULL;
        s = close.p ? close : (struct slice){s.p + s.n, 0};
    }
    const char *semicolon = memchr(s.p, ';', s.n);
    if (semicolon && !memmem(s.p, (size_t)(semicolon - s.p), "/*", 2)) {
        ended = true;
        s = after(s, (size_t)(semicolon - s.p) + 1);
    }
    s = trim(s);
    if (s.n && s.p[0] == '}')
        s = trim(after(s, 1));
    while (take_word(&s, out->words, &out->word_count))
        ;
    out->rest = s;
    out->sure |= out->word_count > 0;
    struct slice base = {out->text.p, out->text.n < head ? out->text.n : head};
    struct slice operands = after(out->text, base.n);
    while (operands.n && !is_blank(operands.p[0])) /* modifiers */
        operands = after(operands, 1);
    bool shaped = looks_like_operands(operands);
    if (!out->sure && !(isa_op_find(opcode) != ISA_OP_UNKNOWN && shaped) && !(ended && shaped))
        return false;
    out->sure |= ended;
    out->kind = LISTING_INSN;
    return true;
}

bool img_listing_more(struct slice rest, struct listing_line *out)
{
    *out = (struct listing_line){0};
    rest = trim(rest);
    return rest.n && take_instruction(rest, out);
}

/* ---- all else --------------------------------------------------------------------------------------------------- */

/* "sm_86", "sm_90a" at the head. */
static bool take_arch(struct slice s, struct slice *name)
{
    size_t n = 3;
    s = trim(s);
    if (!begins(s, "sm_"))
        return false;
    while (n < s.n && is_digit(s.p[n]))
        n++;
    if (n == 3 || n > 6)
        return false;
    if (n < s.n && (s.p[n] == 'a' || s.p[n] == 'f'))
        n++;
    if (n < s.n && is_word(s.p[n]))
        return false;
    *name = (struct slice){s.p, n};
    return true;
}

static bool is_ellipsis(struct slice s)
{
    static const char *const texts[] = {"...", "....",   ".....",  "[...]",  "(...)", "…",
                                        "[…]", "<snip>", "[snip]", "// ...", ": : :", "/* ... */"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (s.n == strlen(texts[i]) && memcmp(s.p, texts[i], s.n) == 0)
            return true;
    return false;
}

/* Ten dots and more: cuobjdump ends a function so. */
static bool is_end(struct slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '.')
            return false;
    return s.n >= 6;
}

static bool directive(struct slice s, struct listing_line *out)
{
    struct slice at;
    if (begins(s, "Function :") || begins(s, "Function:")) {
        const char *colon = memchr(s.p, ':', s.n);
        out->name = trim(after(s, (size_t)(colon - s.p) + 1));
        out->kind = out->name.n ? LISTING_FUNCTION : LISTING_NOTHING;
        return true;
    }
    if (begins(s, "Fatbin elf code")) {
        out->kind = LISTING_MODULE;
        return true;
    }
    if (begins(s, "Fatbin ptx code")) {
        out->kind = LISTING_OTHER;
        return true;
    }
    if (begins(s, "code for ") || begins(s, ".target") || begins(s, "arch =") || begins(s, "arch=")) {
        at = begins(s, "code for ") ? after(s, 9) : begins(s, ".target") ? after(s, 7) : behind(s, "=");
        if (take_arch(at, &out->name))
            out->kind = LISTING_ARCH;
        return true;
    }
    if (begins(s, ".headerflags")) {
        at = behind(s, "EF_CUDA_SM");
        struct slice digits = {at.p, 0};
        while (at.p && digits.n < at.n && is_digit(at.p[digits.n]))
            digits.n++;
        if (digits.n >= 2 && digits.n <= 3) {
            out->name = digits;
            out->accelerated = behind(s, "EF_CUDA_ACCELERATORS").p != NULL;
            out->kind = LISTING_ARCH;
        }
        return true;
    }
    if (begins(s, ".section") && s.n > 8 && is_blank(s.p[8])) {
        at = name_of(after(s, 8));
        out->kind = LISTING_OTHER;
        if (begins(at, ".text.") && at.n > 6) {
            out->name = after(at, 6);
            out->kind = LISTING_SECTION;
        }
        return true;
    }
    if (begins(s, ".sectioninfo") || begins(s, ".sectionflags")) {
        if ((at = behind(s, "SHI_REGISTERS=")).p && take_decimal(&at, &out->number))
            out->kind = LISTING_REGISTERS;
        else if (((at = behind(s, "SHI_BARRIERS=")).p || (at = behind(s, "SHF_BARRIERS=")).p) &&
                 take_decimal(&at, &out->number))
            out->kind = LISTING_BARRIERS;
        return true;
    }
    if (begins(s, ".other")) {
        out->name = name_of(after(s, 6));
        if (behind(s, "STO_CUDA_ENTRY").p)
            out->kind = LISTING_ENTRY;
        return true;
    }
    if (begins(s, ".size")) {
        out->name = name_of(after(s, 5));
        out->kind = LISTING_SIZE;
        return true;
    }
    if (begins(s, "//##")) {
        at = behind(s, "File \"");
        const char *quote = at.p ? memchr(at.p, '"', at.n) : NULL;
        struct slice line = quote ? behind(after(at, (size_t)(quote - at.p)), "line ") : (struct slice){0};
        if (line.p && take_decimal(&line, &out->number)) {
            out->name = (struct slice){at.p, (size_t)(quote - at.p)};
            out->kind = LISTING_SOURCE;
        }
        return true;
    }
    return false;
}

/* `.L_x_3:`, `name:`, `clamp(float const*, int):`. */
static bool label(struct slice s, struct listing_line *out)
{
    const char *comment = memmem(s.p, s.n, "//", 2);
    if (comment)
        s = trim((struct slice){s.p, (size_t)(comment - s.p)});
    if (s.n < 2 || s.p[s.n - 1] != ':')
        return false;
    s.n--;
    if (s.n > 2 && s.p[0] == '(' && s.p[s.n - 1] == ')') /* (.L_x_4): */
        s = (struct slice){s.p + 1, s.n - 2};
    struct slice head = begins(s, "void ") ? after(s, 5) : s;
    char c = head.n ? head.p[0] : ' ';
    if (!(is_word(c) && !is_digit(c)) && c != '.' && c != '$')
        return false;
    const char *open = memchr(head.p, '(', head.n);
    size_t plain = open ? (size_t)(open - head.p) : head.n, angle = 0;
    for (size_t i = 0; i < plain; i++) {
        angle += head.p[i] == '<';
        angle -= head.p[i] == '>' && angle;
        if (is_blank(head.p[i]) && !angle)
            return false; /* prose */
    }
    if (open && head.p[head.n - 1] != ')')
        return false;
    out->name = s;
    out->kind = LISTING_LABEL;
    return true;
}

void img_listing_line(struct slice line, struct listing_line *out)
{
    *out = (struct listing_line){0};
    struct slice s = unquote(line);
    if (!s.n || directive(s, out))
        return;
    if (is_end(s)) {
        out->kind = LISTING_END;
        return;
    }
    if (is_ellipsis(s)) {
        out->kind = LISTING_GAP;
        return;
    }
    if (take_word(&s, out->words, &out->word_count)) {
        while (take_word(&s, out->words, &out->word_count))
            ;
        out->kind = LISTING_WORD;
        return;
    }
    /* Numbers that an editor or a page puts before each line. */
    struct slice numbered = s;
    uint32_t number;
    if (take_decimal(&numbered, &number)) {
        numbered = trim(numbered);
        if (numbered.n && (numbered.p[0] == ':' || numbered.p[0] == '|' || numbered.p[0] == '.'))
            numbered = trim(after(numbered, 1));
        if (begins(numbered, "/*"))
            s = numbered;
    }
    out->has_control = take_control(&s, &out->control);
    out->has_offset = take_offset(&s, &out->offset);
    if (!out->has_control)
        out->has_control = take_control(&s, &out->control);
    out->sure = out->has_offset || out->has_control;
    if (out->sure && s.n && s.p[0] == '.') { /* data */
        *out = (struct listing_line){0};
        return;
    }
    if (take_instruction(s, out))
        return;
    if (out->sure) { /* cut short, or not as opcodes look: told, and not read */
        out->text = s;
        out->kind = s.n ? LISTING_INSN : LISTING_NOTHING;
        return;
    }
    *out = (struct listing_line){0};
    label(s, out);
}
