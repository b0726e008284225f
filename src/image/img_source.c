/* Parameter names from CUDA source text.
 *
 * No parser of C++: the text is cut into tokens (comments, literals, preprocessor lines and `#if 0` parts taken out),
 * then every place where the kernel's name is followed by a parameter list, preceded by __global__ or __device__ in the
 * same declaration and followed by `{` or `;` is read. A definition counts more than a declaration. What cannot be read
 * for certain gives no names at all; macros are not expanded. requires: nothing · gives: names, NULL for unnamed
 * parameters */
#include "base/str.h"
#include "base/vec.h"
#include "image/img.h"

#include <string.h>

enum token_kind { TOKEN_WORD, TOKEN_MARK, TOKEN_LITERAL };

enum {
    BACK_MAX = 4096,     /* tokens looked back for __global__ */
    LIST_MAX = 8 * 1024, /* tokens of a parameter list */
    WORK_PER_TOKEN =
        64, /* tokens looked at again for each token of the text: repetitive text must not cost its square */
    DEPTH_MAX = 256,
};

/* A mark is one character; `::` is two tokens, as is `>>`: nested templates close alike in old and new style. */
struct token {
    const char *text;
    uint32_t length;
    uint8_t kind;
};

struct lexer {
    struct arena *a;
    const char *p, *end;
    bool line_start;
    VEC(struct token) tokens;
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (c & 0x80) != 0;
}

static bool starts(const struct lexer *x, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(x->end - x->p) >= n && memcmp(x->p, text, n) == 0;
}

/* ---- tokens ---- */

static void skip_comment(struct lexer *x)
{
    if (x->p[1] == '/') {
        while (x->p < x->end && (*x->p != '\n' || x->p[-1] == '\\'))
            x->p++;
        return;
    }
    x->p += 2;
    while (x->p < x->end && !starts(x, "*/"))
        x->p++;
    x->p = x->end - x->p >= 2 ? x->p + 2 : x->end;
}

/* To the end of the logical line: a backslash joins lines, a comment may span them. */
static void skip_line(struct lexer *x)
{
    while (x->p < x->end && *x->p != '\n') {
        if (starts(x, "/*") || starts(x, "//"))
            skip_comment(x);
        else if (starts(x, "\\\r\n"))
            x->p += 3;
        else
            x->p += starts(x, "\\\n") ? 2 : 1;
    }
}

/* The word of a directive, at its first letter; *n its length. Leaves x behind it. */
static const char *take_directive(struct lexer *x, size_t *n)
{
    x->p++;
    while (x->p < x->end && (*x->p == ' ' || *x->p == '\t'))
        x->p++;
    const char *word = x->p;
    while (x->p < x->end && is_word(*x->p))
        x->p++;
    *n = (size_t)(x->p - word);
    return word;
}

static bool same(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* Behind `#if 0`: everything up to its #else, #elif or #endif is no source. */
static void skip_disabled(struct lexer *x)
{
    unsigned open = 1;
    while (x->p < x->end && open != 0) {
        skip_line(x);
        while (x->p < x->end && (*x->p == '\n' || *x->p == '\r' || *x->p == ' ' || *x->p == '\t'))
            x->p++;
        if (x->p == x->end || *x->p != '#')
            continue;
        size_t n;
        const char *word = take_directive(x, &n);
        if (same(word, n, "if") || same(word, n, "ifdef") || same(word, n, "ifndef"))
            open++;
        else if (same(word, n, "endif"))
            open--;
        else if (open == 1 && (same(word, n, "else") || same(word, n, "elif")))
            open = 0;
    }
}

static void skip_directive(struct lexer *x)
{
    size_t n;
    const char *word = take_directive(x, &n);
    if (same(word, n, "if")) {
        while (x->p < x->end && (*x->p == ' ' || *x->p == '\t'))
            x->p++;
        if (x->p < x->end && *x->p == '0' && (x->end - x->p == 1 || !is_word(x->p[1])))
            skip_disabled(x);
    }
    skip_line(x);
}

static void skip_quoted(struct lexer *x)
{
    char quote = *x->p++;
    while (x->p < x->end && *x->p != quote && *x->p != '\n')
        x->p += *x->p == '\\' && x->end - x->p > 1 ? 2 : 1;
    if (x->p < x->end && *x->p == quote)
        x->p++;
}

/* R"name( … )name" at the quote. */
static void skip_raw(struct lexer *x)
{
    const char *name = ++x->p;
    while (x->p < x->end && *x->p != '(' && *x->p != '\n' && x->p - name <= 16)
        x->p++;
    size_t n = (size_t)(x->p - name);
    for (; x->p < x->end; x->p++) {
        size_t left = (size_t)(x->end - x->p);
        if (*x->p == ')' && left >= n + 2 && memcmp(x->p + 1, name, n) == 0 && x->p[n + 1] == '"') {
            x->p += n + 2;
            return;
        }
    }
}

static void take_token(struct lexer *x)
{
    struct token token = {.text = x->p, .kind = TOKEN_MARK};
    if (is_word(*x->p)) {
        token.kind = *x->p >= '0' && *x->p <= '9' ? TOKEN_LITERAL : TOKEN_WORD;
        while (x->p < x->end && (is_word(*x->p) || (token.kind == TOKEN_LITERAL && (*x->p == '.' || *x->p == '\''))))
            x->p++;
        size_t n = (size_t)(x->p - token.text);
        if (x->p < x->end && *x->p == '"' && n <= 3 && x->p[-1] == 'R') {
            token.kind = TOKEN_LITERAL;
            skip_raw(x);
        }
    } else if (*x->p == '"' || *x->p == '\'') {
        token.kind = TOKEN_LITERAL;
        skip_quoted(x);
    } else {
        x->p++;
    }
    token.length = (uint32_t)(x->p - token.text);
    VEC_PUSH(x->a, x->tokens, token);
}

static void cut(struct lexer *x)
{
    x->line_start = true;
    while (x->p < x->end) {
        char c = *x->p;
        if (c == '\n') {
            x->line_start = true;
            x->p++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\\') {
            x->p++;
        } else if (starts(x, "//") || starts(x, "/*")) {
            skip_comment(x);
        } else if (c == '#' && x->line_start) {
            skip_directive(x);
        } else {
            x->line_start = false;
            take_token(x);
        }
    }
}

/* ---- declarations ---- */

static bool is(const struct token *t, const char *text)
{
    return t->kind != TOKEN_LITERAL && same(t->text, t->length, text);
}

static bool is_mark(const struct token *t, char c)
{
    return t->kind == TOKEN_MARK && t->text[0] == c;
}

static bool is_any(const struct token *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is(t, words[i]))
            return true;
    return false;
}
#define IS_ANY(token, words) is_any((token), (words), sizeof(words) / sizeof *(words))

/* Words that say something about a type or object without being one. */
static const char *const qualifiers[] = {
    "const",     "volatile",          "register",   "restrict",  "__restrict__", "__restrict",
    "__const__", "__grid_constant__", "typename",   "struct",    "class",        "union",
    "enum",      "__constant__",      "__shared__", "constexpr", "mutable",
};
/* Words that are whole types: what comes last in a parameter is no name then. */
static const char *const types[] = {
    "void",   "bool",     "char", "short",    "int",     "long",    "float",    "double",
    "signed", "unsigned", "auto", "__int128", "wchar_t", "char8_t", "char16_t", "char32_t",
};
/* Attributes that take a list in parentheses. */
static const char *const attributes[] = {"__attribute__", "__align__", "alignas", "__declspec"};

/* The index behind the bracket that closes the one at `i`; `n` when none does. */
static size_t skip_group(const struct token *t, size_t i, size_t n)
{
    unsigned depth = 0;
    for (; i < n; i++) {
        if (is_mark(&t[i], '(') || is_mark(&t[i], '[') || is_mark(&t[i], '{'))
            depth++;
        else if ((is_mark(&t[i], ')') || is_mark(&t[i], ']') || is_mark(&t[i], '}')) && --depth == 0)
            return i + 1;
    }
    return n;
}

/* The index behind the `>` that closes the `<` at `i`; `i` when it opens no template list. */
static size_t skip_angles(const struct token *t, size_t i, size_t n)
{
    unsigned depth = 0;
    for (size_t k = i; k < n; k++) {
        if (is_mark(&t[k], '(') || is_mark(&t[k], '[') || is_mark(&t[k], '{')) {
            k = skip_group(t, k, n) - 1;
        } else if (is_mark(&t[k], '<')) {
            if (++depth > DEPTH_MAX)
                return i;
        } else if (is_mark(&t[k], '>') && !(k != 0 && is_mark(&t[k - 1], '-'))) {
            if (--depth == 0)
                return k + 1;
        } else if (is_mark(&t[k], ';') || is_mark(&t[k], ')')) {
            return i;
        }
    }
    return i;
}

/* One parameter without attributes, template lists and default value: what is left tells its name. */
static const char *param_name(struct arena *a, const struct token *t, size_t n, bool *pack)
{
    const struct token *last = NULL;
    bool has_type = false;
    for (size_t i = 0; i < n;) {
        if (is_mark(&t[i], '='))
            break;
        if (is_mark(&t[i], '[') || is_mark(&t[i], '{')) {
            i = skip_group(t, i, n);
            continue;
        }
        if (IS_ANY(&t[i], attributes)) {
            i = i + 1 < n && is_mark(&t[i + 1], '(') ? skip_group(t, i + 1, n) : i + 1;
            continue;
        }
        if (is(&t[i], "decltype") && i + 1 < n && is_mark(&t[i + 1], '(')) {
            has_type = true;
            i = skip_group(t, i + 1, n);
            continue;
        }
        if (is_mark(&t[i], '(')) { /* a pointer or reference to a function or array: the name stands inside */
            size_t end = skip_group(t, i, n);
            last = NULL;
            bool pointer = false;
            for (size_t k = i + 1; k < end && !is_mark(&t[k], ')'); k++) {
                pointer = pointer || is_mark(&t[k], '*') || is_mark(&t[k], '&');
                if (t[k].kind == TOKEN_WORD && pointer && !IS_ANY(&t[k], qualifiers))
                    last = &t[k];
            }
            break;
        }
        size_t behind = is_mark(&t[i], '<') ? skip_angles(t, i, n) : i;
        if (behind != i) {
            has_type = has_type || last != NULL;
            last = NULL;
            i = behind;
            continue;
        }
        if (is_mark(&t[i], '.'))
            *pack = true;
        if (is_mark(&t[i], ':')) { /* `ns::T`: what stands before is part of a type, what follows goes on with it */
            last = NULL;
            has_type = false;
        } else if (is_mark(&t[i], '*') || is_mark(&t[i], '&')) {
            has_type = has_type || last != NULL;
            last = NULL;
        } else if (t[i].kind == TOKEN_WORD && IS_ANY(&t[i], types)) {
            has_type = true;
            last = NULL;
        } else if (t[i].kind == TOKEN_WORD && !IS_ANY(&t[i], qualifiers)) {
            has_type = has_type || last != NULL;
            last = &t[i];
        }
        i++;
    }
    bool in_declarator = last != NULL && last > t && (is_mark(last - 1, '*') || is_mark(last - 1, '&'));
    if (last == NULL || !(has_type || in_declarator))
        return NULL;
    return arena_strndup(a, last->text, last->length);
}

/* Reads the list that starts behind `(` at `from` and ends before `)` at `to`. False when its count is not `count`. */
static bool read_list(struct arena *a, const struct token *t, size_t from, size_t to, uint32_t count,
                      const char **names)
{
    if (to - from == 1 && is(&t[from], "void"))
        from = to;
    if (from == to)
        return count == 0;
    uint32_t seen = 0;
    bool pack = false;
    for (size_t i = from, start = from; i <= to; i++) {
        if (i < to && (is_mark(&t[i], '(') || is_mark(&t[i], '[') || is_mark(&t[i], '{'))) {
            i = skip_group(t, i, to) - 1;
        } else if (i < to && is_mark(&t[i], '<') && i != from && t[i - 1].kind == TOKEN_WORD) {
            size_t behind = skip_angles(t, i, to);
            i = behind != i ? behind - 1 : i;
        } else if (i == to || is_mark(&t[i], ',')) {
            if (seen == count)
                return false;
            names[seen++] = param_name(a, t + start, i - start, &pack);
            start = i + 1;
        }
    }
    return seen == count && !pack;
}

/* __global__ or __device__ stands before token `at` in the same declaration. */
static bool is_device_declaration(const struct token *t, size_t at)
{
    for (size_t back = 1; back <= at && back <= BACK_MAX; back++) {
        const struct token *p = &t[at - back];
        if (is_mark(p, ';') || is_mark(p, '{') || is_mark(p, '}'))
            return false;
        if (is(p, "__global__") || is(p, "__device__"))
            return true;
    }
    return false;
}

/* Merges one reading into what was found before; false when they contradict each other. */
static bool merge(const char **into, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (into[i] == NULL)
            into[i] = names[i];
        else if (names[i] != NULL && strcmp(into[i], names[i]) != 0)
            return false;
    }
    return true;
}

/* The last part of a qualified name, without template arguments: `a::k<int>` -> `k`. */
static const char *last_part(const char *name, size_t *length)
{
    size_t n = strcspn(name, "<(");
    size_t start = n;
    while (start != 0 && name[start - 1] != ':' && name[start - 1] != ' ')
        start--;
    *length = n - start;
    return name + start;
}

/* Takes `cost` from the work that is left; false when there is not enough. */
static bool spend(size_t *work, size_t cost)
{
    if (cost > *work)
        return false;
    *work -= cost;
    return true;
}

/* What reading a list may cost: each `<` may be followed to the end of the list. */
static size_t list_cost(const struct token *t, size_t from, size_t to)
{
    size_t angles = 1;
    for (size_t i = from; i < to; i++)
        angles += is_mark(&t[i], '<');
    return angles * (to - from + 1);
}

struct findings {
    const char **names;
    bool found, agree;
};

static void take_finding(struct findings *f, const char *const *names, uint32_t count)
{
    f->agree = merge(f->names, names, count) && f->agree;
    f->found = true;
}

bool img_source_params(struct arena *a, const char *source, size_t size, const char *base_name, uint32_t count,
                       const char ***names)
{
    *names = NULL;
    size_t length;
    const char *name = last_part(base_name, &length);
    struct lexer x = {.a = a, .p = source, .end = source + size};
    if (length == 0)
        return false;
    cut(&x);
    const struct token *t = x.tokens.p;
    size_t n = x.tokens.n;
    struct findings definition = {.names = ARENA_ARRAY(a, const char *, count), .agree = true};
    struct findings declaration = {.names = ARENA_ARRAY(a, const char *, count), .agree = true};
    const char **reading = ARENA_ARRAY(a, const char *, count);
    if (definition.names == NULL || declaration.names == NULL || reading == NULL)
        return false;
    size_t work = n <= SIZE_MAX / WORK_PER_TOKEN / 2 ? (n + LIST_MAX) * WORK_PER_TOKEN : SIZE_MAX;
    for (size_t i = 0; i + 2 < n; i++) {
        if (t[i].kind != TOKEN_WORD || t[i].length != length || memcmp(t[i].text, name, length) != 0)
            continue;
        size_t limit = n - i < LIST_MAX ? n : i + LIST_MAX;
        size_t list = i + 1;
        if (is_mark(&t[list], '<')) {
            list = skip_angles(t, list, limit);
            if (list == i + 1 && !spend(&work, limit - i)) /* not closed: looked at everything */
                return false;
        }
        if (list >= limit || !is_mark(&t[list], '('))
            continue;
        if (!spend(&work, i < BACK_MAX ? i : BACK_MAX))
            return false;
        if (!is_device_declaration(t, i))
            continue;
        size_t behind = skip_group(t, list, limit);
        if (!spend(&work, list_cost(t, list, behind)))
            return false;
        if (behind >= n || !(is_mark(&t[behind], '{') || is_mark(&t[behind], ';')))
            continue;
        memset(reading, 0, count * sizeof *reading);
        if (read_list(a, t, list + 1, behind - 1, count, reading))
            take_finding(is_mark(&t[behind], '{') ? &definition : &declaration, reading, count);
        i = behind;
    }
    const struct findings *best = definition.found ? &definition : &declaration;
    if (!best->found || !best->agree || arena_failed(a))
        return false;
    *names = best->names;
    return true;
}
