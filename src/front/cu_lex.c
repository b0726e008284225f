/* Tokens of the CUDA reader: names, numbers with C's suffixes, marks of up to three bytes. Comments and
 * white space are passed over. Requires nothing of the text (it may hold any bytes and need not end in
 * NUL); a byte that begins no token is given as CU_T_BAD. */
#include "front/cu_lex.h"

#include <stdlib.h>
#include <string.h>

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blank(struct cu_lexer *l)
{
    while (l->at < l->end) {
        size_t left = (size_t)(l->end - l->at);
        if (*l->at == '\n') {
            l->line++;
            l->at++;
        } else if (*l->at == ' ' || *l->at == '\t' || *l->at == '\r') {
            l->at++;
        } else if (left >= 2 && l->at[0] == '/' && l->at[1] == '/') {
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        } else if (left >= 2 && l->at[0] == '/' && l->at[1] == '*') {
            l->at += 2;
            while (l->end - l->at >= 2 && !(l->at[0] == '*' && l->at[1] == '/'))
                l->line += *l->at++ == '\n';
            l->at = l->end - l->at >= 2 ? l->at + 2 : l->end;
        } else {
            return;
        }
    }
}

static struct cu_token lex_number(struct cu_lexer *l)
{
    struct cu_token t = {.kind = CU_T_NUMBER, .at = l->at, .line = l->line, .type = CU_INT};
    const char *p = l->at;
    bool hex = l->end - p >= 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    bool real = false;
    while (p < l->end) {
        bool exponent = !hex && (*p == 'e' || *p == 'E') && l->end - p >= 2 &&
                        (is_digit(p[1]) || ((p[1] == '-' || p[1] == '+') && l->end - p >= 3 && is_digit(p[2])));
        if (exponent) {
            real = true;
            p += p[1] == '-' || p[1] == '+' ? 2 : 1;
        } else if (*p == '.') {
            real = true;
            p++;
        } else if (is_name_byte(*p)) {
            p++;
        } else {
            break;
        }
    }
    t.size = (size_t)(p - l->at);
    l->at = p;

    char text[64], *rest;
    if (t.size >= sizeof text) {
        t.kind = CU_T_BAD;
        return t;
    }
    memcpy(text, t.at, t.size);
    text[t.size] = 0;
    t.number = hex ? (double)strtoull(text, &rest, 16) : strtod(text, &rest);
    if (real)
        t.type = CU_DOUBLE;
    for (; *rest; rest++) {
        if ((*rest == 'f' || *rest == 'F') && !hex)
            t.type = CU_FLOAT;
        else if ((*rest == 'h' || *rest == 'H') && real)
            t.type = CU_HALF;
        else if ((*rest == 'u' || *rest == 'U') && !real)
            t.type = CU_UNSIGNED;
        else if ((*rest == 'l' || *rest == 'L') && !real)
            t.type = t.type == CU_UNSIGNED ? CU_SIZE : t.type;
        else
            t.kind = CU_T_BAD;
    }
    return t;
}

struct cu_token cu_lex(struct cu_lexer *l)
{
    static const char marks[][4] = {"...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    skip_blank(l);
    struct cu_token t = {.kind = CU_T_END, .at = l->at, .line = l->line};
    if (l->at >= l->end)
        return t;
    size_t left = (size_t)(l->end - l->at);
    if (is_digit(*l->at) || (*l->at == '.' && left >= 2 && is_digit(l->at[1])))
        return lex_number(l);
    if (is_name_byte(*l->at)) {
        while (l->at < l->end && is_name_byte(*l->at))
            l->at++;
        t.kind = CU_T_NAME;
        t.size = (size_t)(l->at - t.at);
        return t;
    }
    t.kind = CU_T_BAD;
    t.size = 1;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && t.kind == CU_T_BAD; i++) {
        size_t n = strlen(marks[i]);
        if (left >= n && memcmp(l->at, marks[i], n) == 0) {
            t.kind = CU_T_MARK;
            t.size = n;
        }
    }
    if (t.kind == CU_T_BAD && *l->at && strchr("(){}[];,.?:!~-+*/%&|^<>=#", *l->at))
        t.kind = CU_T_MARK;
    l->at += t.size;
    return t;
}
