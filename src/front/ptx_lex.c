/* Tokens of PTX: names with % $ _, words behind a dot (.global, also ::cta), numbers with PTX's spellings (0x 0b octal,
 * U, 0f and 0d for the bits of floats), strings, marks. Comments, white space and lines that begin with # are passed
 * over. Requires nothing of the text; every byte is looked at once. */
#include "front/ptx_internal.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 64 };

void ptx_lex_init(struct ptx_lexer *l, const char *text, size_t size)
{
    *l = (struct ptx_lexer){.at = text, .begin = text, .end = text + size, .line_start = text, .line = 1};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || is_digit(c);
}

static void line_break(struct ptx_lexer *l)
{
    l->line++;
    l->line_start = l->at + 1;
}

static void skip_line(struct ptx_lexer *l)
{
    while (l->at < l->end && *l->at != '\n')
        l->at++;
}

static void skip_blank(struct ptx_lexer *l)
{
    while (l->at < l->end) {
        size_t left = (size_t)(l->end - l->at);
        if (*l->at == '\n') {
            line_break(l);
            l->at++;
        } else if (*l->at == ' ' || *l->at == '\t' || *l->at == '\r' || *l->at == '\f' || *l->at == '\v') {
            l->at++;
        } else if ((left >= 2 && l->at[0] == '/' && l->at[1] == '/') || (*l->at == '#' && l->at == l->line_start)) {
            skip_line(l);
        } else if (left >= 2 && l->at[0] == '/' && l->at[1] == '*') {
            for (l->at += 2; l->at < l->end && !(l->end - l->at >= 2 && l->at[0] == '*' && l->at[1] == '/'); l->at++)
                if (*l->at == '\n')
                    line_break(l);
            l->at = l->end - l->at >= 2 ? l->at + 2 : l->end;
        } else {
            return;
        }
    }
}

static int digit_of(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static void lex_number(struct ptx_lexer *l, struct ptx_token *t)
{
    const char *p = l->at;
    size_t left = (size_t)(l->end - p);
    char second = left >= 2 ? p[1] : 0;
    t->kind = PTX_T_INTEGER;
    bool bits32 = p[0] == '0' && (second == 'f' || second == 'F') && left > 2 && digit_of(p[2]) < 16;
    bool bits64 = p[0] == '0' && (second == 'd' || second == 'D') && left > 2 && digit_of(p[2]) < 16;
    bool hex = p[0] == '0' && (second == 'x' || second == 'X');
    bool binary = p[0] == '0' && (second == 'b' || second == 'B');
    if (bits32 || bits64 || hex || binary) {
        int base = binary ? 2 : 16;
        for (p += 2; p < l->end && digit_of(*p) < base; p++)
            t->value = t->value * (unsigned)base + (unsigned)digit_of(*p);
        if (bits32 || bits64)
            t->kind = bits32 ? PTX_T_FLOAT32 : PTX_T_FLOAT64;
    } else {
        bool real = false;
        while (p < l->end && is_digit(*p))
            p++;
        const char *digits_end = p;
        if (p < l->end && *p == '.' && p + 1 < l->end && is_digit(p[1])) {
            real = true;
            for (p++; p < l->end && is_digit(*p); p++)
                ;
        } else if (p < l->end && *p == '.' && (p + 1 == l->end || !starts_name(p[1]))) {
            real = true;
            p++;
        }
        if (p < l->end && (*p == 'e' || *p == 'E')) {
            const char *e = p + 1;
            if (e < l->end && (*e == '+' || *e == '-'))
                e++;
            if (e < l->end && is_digit(*e)) {
                real = true;
                for (p = e; p < l->end && is_digit(*p); p++)
                    ;
            }
        }
        if (real) {
            char text[NUMBER_MAX];
            size_t n = (size_t)(p - l->at) < sizeof text - 1 ? (size_t)(p - l->at) : sizeof text - 1;
            memcpy(text, l->at, n);
            text[n] = '\0';
            double d = strtod(text, NULL);
            memcpy(&t->value, &d, sizeof d);
            t->kind = PTX_T_FLOAT64;
        } else {
            unsigned base = l->at[0] == '0' ? 8 : 10;
            for (const char *q = l->at; q < digits_end; q++)
                t->value = t->value * base + (unsigned)(*q - '0');
        }
    }
    if (t->kind == PTX_T_INTEGER && p < l->end && (*p == 'U' || *p == 'u'))
        p++;
    l->at = p;
}

struct ptx_token ptx_lex(struct ptx_lexer *l)
{
    const char *before = l->at;
    skip_blank(l);
    struct ptx_token t = {.kind = PTX_T_END,
                          .glued = before == l->at,
                          .line = l->line,
                          .column = (uint32_t)(l->at - l->line_start) + 1,
                          .word = {l->at, 0}};
    if (l->at == l->end)
        return t;
    size_t left = (size_t)(l->end - l->at);
    bool colons = left > 2 && l->at[0] == ':' && l->at[1] == ':' && in_name(l->at[2]);
    if (colons || (l->at[0] == '.' && left > 1 && in_name(l->at[1]))) {
        l->at += colons ? 2 : 1;
        t.kind = PTX_T_DOT;
        t.word.p = l->at;
        while (l->at < l->end && in_name(*l->at))
            l->at++;
        t.word.n = (uint32_t)(l->at - t.word.p);
        return t;
    }
    if (starts_name(*l->at)) {
        t.kind = PTX_T_NAME;
        for (l->at++; l->at < l->end && in_name(*l->at);)
            l->at++;
    } else if (is_digit(*l->at)) {
        lex_number(l, &t);
    } else if (*l->at == '"') {
        t.kind = PTX_T_STRING;
        t.word.p = ++l->at;
        while (l->at < l->end && *l->at != '"' && *l->at != '\n')
            l->at += l->at[0] == '\\' && l->end - l->at >= 2 && l->at[1] != '\n' ? 2 : 1;
        t.word.n = (uint32_t)(l->at - t.word.p);
        if (l->at < l->end && *l->at == '"')
            l->at++;
        return t;
    } else {
        t.kind = PTX_T_MARK;
        t.mark = *l->at++;
    }
    t.word.n = (uint32_t)(l->at - t.word.p);
    return t;
}
