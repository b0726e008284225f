/* Parameter types from a demangled name: `void clamp<int>(float const*, int)` -> "float const*", "int".
 *
 * The parameter list is the last balanced pair of parentheses; commas count at its top level only. A stack of brackets
 * keeps templates, function pointers and arrays together; `<` and `>` inside an expression stand in parentheses there.
 * requires: nothing · gives: struct img_signature */
#include "base/str.h"
#include "base/vec.h"
#include "image/img.h"

#include <string.h>

enum { DEPTH_MAX = 256, TYPES_MAX = 4096 };

/* The end of the text without what may follow the list: " const", " [clone .x]". */
static size_t end_of_list(const char *text, size_t n)
{
    for (;;) {
        while (n != 0 && text[n - 1] == ' ')
            n--;
        if (n != 0 && text[n - 1] == ']') {
            static const char clone[] = "[clone ";
            size_t start = n;
            while (start != 0 && text[start - 1] != '[')
                start--;
            if (start == 0 || strncmp(text + start - 1, clone, sizeof clone - 1) != 0)
                return 0;
            n = start - 1;
        } else if (n > 6 && memcmp(text + n - 6, " const", 6) == 0) {
            n -= 6;
        } else {
            return n != 0 && text[n - 1] == ')' ? n - 1 : 0;
        }
    }
}

static char opening(char closer)
{
    return closer == ')' ? '(' : closer == ']' ? '[' : closer == '}' ? '{' : '<';
}

static void add_type(struct arena *a, const char *text, size_t n, const char ***types, uint32_t *count)
{
    while (n != 0 && text[0] == ' ') {
        text++;
        n--;
    }
    while (n != 0 && text[n - 1] == ' ')
        n--;
    const char *type = arena_strndup(a, text, n);
    if (type != NULL)
        (*types)[(*count)++] = type;
}

/* One step over a bracket. `depth` brackets are open in `stack`; false when they do not match. */
static bool step(char stack[DEPTH_MAX], unsigned *depth, const char *text, size_t at)
{
    char c = text[at];
    switch (c) {
    case '(':
    case '[':
    case '{':
    case '<':
        if (*depth == DEPTH_MAX)
            return false;
        stack[(*depth)++] = c;
        return true;
    case '>':
        if (at != 0 && text[at - 1] == '-')
            return true;
        if (*depth != 0 && stack[*depth - 1] == '<')
            (*depth)--;
        return true;
    case ')':
    case ']':
    case '}':
        while (*depth != 0 && stack[*depth - 1] == '<') /* a comparison, not a template list */
            (*depth)--;
        if (*depth == 0 || stack[*depth - 1] != opening(c))
            return false;
        (*depth)--;
        return true;
    default: return true;
    }
}

void img_signature_parse(struct arena *a, const char *demangled, struct img_signature *out)
{
    *out = (struct img_signature){0};
    size_t end = end_of_list(demangled, strlen(demangled)), start = end;
    if (end == 0)
        return;
    unsigned open = 1;
    while (start != 0 && open != 0) {
        start--;
        open += demangled[start] == ')';
        open -= demangled[start] == '(';
    }
    if (open != 0 || start == 0) /* nothing in front of the list: no function's name */
        return;
    for (size_t i = 0; i < start; i++) {
        open += demangled[i] == '(';
        open -= demangled[i] == ')';
    }
    if (open != 0)
        return;

    size_t commas = 1;
    for (size_t i = start + 1; i < end; i++)
        commas += demangled[i] == ',';
    if (commas > TYPES_MAX)
        return;
    const char **types = ARENA_ARRAY(a, const char *, commas);
    if (types == NULL)
        return;
    char stack[DEPTH_MAX];
    unsigned depth = 0;
    uint32_t count = 0;
    size_t from = start + 1;
    for (size_t i = from; i < end; i++) {
        if (demangled[i] == ',' && depth == 0) {
            add_type(a, demangled + from, i - from, &types, &count);
            from = i + 1;
        } else if (!step(stack, &depth, demangled, i)) {
            return;
        }
    }
    if (depth != 0)
        return;
    if (from != end && !(count == 0 && end - from == 4 && memcmp(demangled + from, "void", 4) == 0))
        add_type(a, demangled + from, end - from, &types, &count);
    out->types = types;
    out->count = count;
    out->known = !arena_failed(a);
}
