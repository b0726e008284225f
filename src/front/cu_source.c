/* Cuts source text into lines and tokens, and finds functions by the shape NAME ( … ) { … }.
 *
 * One pass over the bytes with the states of C's first phases: comments, strings, raw strings, preprocessor lines with
 * their continuations; a second over the tokens that pairs brackets. The arms of an #if are read one after the other,
 * each with the brackets open that were open before it: where they leave different ones open, braces tell nothing.
 * requires: any bytes · gives: struct cu_source */
#include "front/cu_source.h"

#include "base/str.h"

#include <string.h>

enum { IF_DEPTH = 64, DELIMITER_MOST = 16 };

/* #line: what the next line and those behind it are called. */
struct renumbering {
    uint32_t line, number; /* index of the directive's own line */
    const char *name;      /* NULL: the name stays */
};

enum arm { ARM_IF, ARM_ELSE, ARM_END };

struct cutter {
    struct arena *a;
    struct cu_source *s;
    const char *p, *end;
    uint32_t line; /* index of the current one */
    bool begin;    /* nothing but blanks stood on it so far */
    VEC(struct renumbering) renumberings;
    VEC(uint32_t) arms; /* tokens before which a preprocessor line stands, with what it does in the lowest bits */
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           ((unsigned char)c & 0x80);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void split_lines(struct arena *a, struct cu_source *s)
{
    size_t at = 0;
    while (at < s->size) {
        const char *feed = memchr(s->text + at, '\n', s->size - at);
        size_t end = feed ? (size_t)(feed - s->text) : s->size, n = end - at;
        if (feed) {
            s->breaks++;
            s->returns += n && s->text[end - 1] == '\r';
        }
        n -= n && s->text[at + n - 1] == '\r';
        struct cu_text_line line = {.at = (uint32_t)at, .size = (uint32_t)n};
        VEC_PUSH(a, s->lines, line);
        at = end + 1;
    }
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static void mark_code(struct cutter *c)
{
    if (c->line < c->s->lines.n)
        c->s->lines.p[c->line].code = true;
}

/* One byte on; a line that `code` goes on over holds code. */
static void step(struct cutter *c, bool code)
{
    if (*c->p == '\n') {
        c->line++;
        c->begin = true;
        if (code)
            mark_code(c);
    }
    c->p++;
}

static void add_piece(struct cutter *c, enum cu_piece_kind kind, const char *from, uint32_t line)
{
    struct cu_piece piece = {
        .kind = (uint8_t)kind, .at = (uint32_t)(from - c->s->text), .size = (uint32_t)(c->p - from), .line = line + 1};
    if (line < c->s->lines.n) {
        struct cu_text_line *l = &c->s->lines.p[line];
        l->code = true;
        if (l->count++ == 0)
            l->first = (uint32_t)c->s->pieces.n;
    }
    VEC_PUSH(c->a, c->s->pieces, piece);
    c->begin = false;
}

static bool at_text(const struct cutter *c, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(c->end - c->p) >= n && memcmp(c->p, text, n) == 0;
}

static void skip_comment(struct cutter *c)
{
    if (c->p[1] == '/') {
        while (c->p < c->end && *c->p != '\n') {
            bool joined = *c->p == '\\' && c->end - c->p > 1 && (c->p[1] == '\n' || at_text(c, "\\\r\n"));
            step(c, false);
            while (joined && c->p < c->end && (*c->p == '\r' || *c->p == '\n')) {
                joined = *c->p != '\n';
                step(c, false);
            }
        }
        return;
    }
    c->p += 2;
    while (c->p < c->end && !at_text(c, "*/"))
        step(c, false);
    c->p = c->end - c->p >= 2 ? c->p + 2 : c->end;
}

static void skip_quoted(struct cutter *c, char quote)
{
    c->p++;
    while (c->p < c->end && *c->p != quote && *c->p != '\n') {
        if (*c->p == '\\' && c->end - c->p > 1)
            step(c, true);
        step(c, true);
    }
    if (c->p < c->end && *c->p == quote)
        c->p++;
}

/* R"x( … )x": at the quote. */
static void skip_raw(struct cutter *c)
{
    const char *open = c->p + 1, *p = open;
    while (p < c->end && *p != '(' && p - open <= DELIMITER_MOST)
        p++;
    if (p >= c->end || *p != '(') {
        skip_quoted(c, '"');
        return;
    }
    size_t n = (size_t)(p - open);
    while (c->p < c->end) {
        if (*c->p == ')' && (size_t)(c->end - c->p) > n + 1 && memcmp(c->p + 1, open, n) == 0 && c->p[n + 1] == '"') {
            c->p += n + 2;
            return;
        }
        step(c, true);
    }
}

static bool add_macro(struct arena *a, struct cu_source *s, const char *name)
{
    uint32_t at = (uint32_t)s->macro_names.n, ignored;
    if (map_str_get(&s->macros, name, &ignored))
        return true;
    VEC_PUSH(a, s->macro_names, name);
    return s->macro_names.n > at && map_str_put(a, &s->macros, name, at);
}

bool cu_source_share_macros(struct arena *a, struct cu_source *s, const struct cu_source *other)
{
    for (size_t i = 0; i < other->macro_names.n; i++)
        if (!add_macro(a, s, other->macro_names.p[i]))
            return false;
    return true;
}

static void note_macro(struct cutter *c, const char *from, const char *end)
{
    const char *p = from;
    while (p < end && is_word(*p))
        p++;
    char *name = arena_strndup(c->a, from, (size_t)(p - from));
    if (name && *name)
        add_macro(c->a, c->s, name);
}

static const char *blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

static bool word_at(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && memcmp(p, word, n) == 0 && (p + n == end || !is_word(p[n]));
}

static void note_arm(struct cutter *c, enum arm arm)
{
    uint32_t at = (uint32_t)c->s->pieces.n << 2 | arm;
    VEC_PUSH(c->a, c->arms, at);
}

/* `12 "file.cu"` behind #line or #. */
static void note_renumbering(struct cutter *c, const char *p)
{
    struct renumbering r = {.line = c->line};
    uint64_t number = 0;
    while (p < c->end && is_digit(*p) && number < UINT32_MAX)
        number = number * 10 + (uint64_t)(*p++ - '0');
    p = blanks(p, c->end);
    if (p < c->end && *p == '"') {
        const char *from = ++p;
        while (p < c->end && *p != '"' && *p != '\n')
            p++;
        r.name = arena_strndup(c->a, from, (size_t)(p - from));
    }
    r.number = number < INT32_MAX ? (uint32_t)number : 0;
    c->s->renumbered = true;
    VEC_PUSH(c->a, c->renumberings, r);
}

/* A preprocessor line with its continuations, at the `#`. Comments in it may go over its end. */
static void take_directive(struct cutter *c)
{
    const char *p = blanks(c->p + 1, c->end);
    if (word_at(p, c->end, "define"))
        note_macro(c, blanks(p + 6, c->end), c->end);
    else if (word_at(p, c->end, "if") || word_at(p, c->end, "ifdef") || word_at(p, c->end, "ifndef"))
        note_arm(c, ARM_IF);
    else if (word_at(p, c->end, "else") || word_at(p, c->end, "elif") || word_at(p, c->end, "elifdef") ||
             word_at(p, c->end, "elifndef"))
        note_arm(c, ARM_ELSE);
    else if (word_at(p, c->end, "endif"))
        note_arm(c, ARM_END);
    else if (word_at(p, c->end, "line"))
        note_renumbering(c, blanks(p + 4, c->end));
    else if (p < c->end && is_digit(*p))
        note_renumbering(c, p);
    while (c->p < c->end) {
        if (c->line < c->s->lines.n)
            c->s->lines.p[c->line].code = c->s->lines.p[c->line].directive = true;
        if (at_text(c, "/*") || at_text(c, "//")) {
            skip_comment(c);
        } else if (*c->p == '\\' && c->end - c->p > 1 && (c->p[1] == '\n' || at_text(c, "\\\r\n"))) {
            c->p += c->p[1] == '\r' ? 2 : 1;
            step(c, false);
        } else if (*c->p == '\n') {
            return;
        } else {
            c->p++;
        }
    }
}

static void take_number(struct cutter *c)
{
    while (c->p < c->end) {
        bool exponent = strchr("eEpP", *c->p) && *c->p && c->end - c->p > 1 && (c->p[1] == '+' || c->p[1] == '-');
        bool separator = *c->p == '\'' && c->end - c->p > 1 && is_word(c->p[1]);
        if (exponent || separator)
            c->p += 2;
        else if (is_word(*c->p) || *c->p == '.')
            c->p++;
        else
            return;
    }
}

static void take_mark(struct cutter *c)
{
    static const char marks[][4] = {"<<=", ">>=", "...", "->*", "<=>", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                                    "++",  "--",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "->", "::", "##"};
    size_t n = 1;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && n == 1; i++)
        if (at_text(c, marks[i]))
            n = strlen(marks[i]);
    c->p += n;
}

static void cut(struct cutter *c)
{
    while (c->p < c->end && !arena_failed(c->a)) {
        const char *from = c->p;
        uint32_t line = c->line;
        if (*c->p == '\n' || *c->p == ' ' || *c->p == '\t' || *c->p == '\r' || *c->p == '\f' || *c->p == '\v') {
            step(c, false);
        } else if (*c->p == '\\' && c->end - c->p > 1 && (c->p[1] == '\n' || c->p[1] == '\r')) {
            c->p++;
        } else if (at_text(c, "//") || at_text(c, "/*")) {
            skip_comment(c);
        } else if (*c->p == '#' && c->begin) {
            take_directive(c);
        } else if (is_digit(*c->p) || (*c->p == '.' && c->end - c->p > 1 && is_digit(c->p[1]))) {
            take_number(c);
            add_piece(c, CU_PIECE_NUMBER, from, line);
        } else if (is_word(*c->p)) {
            while (c->p < c->end && is_word(*c->p))
                c->p++;
            bool quoted = c->p < c->end && *c->p == '"' && c->p - from <= 3;
            if (quoted && c->p[-1] == 'R') {
                skip_raw(c);
                add_piece(c, CU_PIECE_TEXT, from, line);
            } else {
                add_piece(c, CU_PIECE_NAME, from, line);
            }
        } else if (*c->p == '"' || *c->p == '\'') {
            skip_quoted(c, *c->p);
            add_piece(c, CU_PIECE_TEXT, from, line);
        } else {
            take_mark(c);
            add_piece(c, CU_PIECE_MARK, from, line);
        }
    }
}

/* ---- what lines are called ------------------------------------------------------------------- */

static uint32_t view_of(struct arena *a, struct cu_source *s, struct map_str *known, const char *name)
{
    uint32_t at;
    if (map_str_get(known, name, &at))
        return at;
    struct cu_view view = {.name = name};
    at = (uint32_t)s->views.n;
    VEC_PUSH(a, s->views, view);
    return map_str_put(a, known, name, at) && at < s->views.n ? at : 0;
}

/* The first line of several that have one number is the one: a header that is included again is the same text. */
static void name_lines(struct arena *a, struct cu_source *s, const struct renumbering *list, size_t count)
{
    struct map_str known = {0};
    uint32_t view = 0, number = 0, ignored;
    size_t next = 0;
    VEC_PUSH(a, s->views, (struct cu_view){0});
    for (uint32_t i = 0; i < s->lines.n && !arena_failed(a); i++) {
        s->lines.p[i].view = view;
        s->lines.p[i].number = ++number;
        struct cu_view *v = &s->views.p[view];
        v->last = number > v->last ? number : v->last;
        if (s->renumbered && !map_u64_get(&v->lines, number, &ignored))
            map_u64_put(a, &v->lines, number, i);
        if (next < count && list[next].line == i) {
            if (list[next].name)
                view = view_of(a, s, &known, list[next].name);
            number = list[next].number - 1;
            next++;
        }
    }
}

uint32_t cu_source_physical(const struct cu_source *s, size_t view, uint32_t number)
{
    uint32_t at;
    if (number == 0 || view >= s->views.n)
        return 0;
    if (!s->renumbered)
        return number <= s->lines.n ? number : 0;
    return map_u64_get(&s->views.p[view].lines, number, &at) ? at + 1 : 0;
}

uint32_t cu_source_number(const struct cu_source *s, size_t view, uint32_t line)
{
    return line && line <= s->lines.n && s->lines.p[line - 1].view == view ? s->lines.p[line - 1].number : 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

struct open_bracket {
    uint32_t at;
    char kind;
};

struct pairing {
    struct cu_source *s;
    struct arena *a;
    uint32_t *other; /* of each bracket: its partner, 0: none */
    VEC(struct open_bracket) open;
    struct {
        size_t depth;
        bool told; /* some arm ended so far: each must leave open what the first did */
        size_t left;
    } arms[IF_DEPTH];
    size_t depth;
};

static void pass_arm(struct pairing *p, enum arm arm)
{
    if (arm == ARM_IF) {
        if (p->depth < IF_DEPTH)
            p->arms[p->depth].depth = p->open.n, p->arms[p->depth].told = false;
        p->depth++;
        return;
    }
    if (!p->depth || p->depth > IF_DEPTH) {
        p->s->braces_told &= p->depth != 0;
        p->depth -= arm == ARM_END && p->depth;
        return;
    }
    size_t level = p->depth - 1;
    if (p->arms[level].told && p->arms[level].left != p->open.n)
        p->s->braces_told = false;
    p->arms[level].told = true;
    p->arms[level].left = p->open.n;
    if (arm == ARM_ELSE) {
        if (p->open.n < p->arms[level].depth)
            p->s->braces_told = false;
        else
            p->open.n = p->arms[level].depth;
    } else {
        p->depth--;
    }
}

static bool pair_brackets(struct pairing *p, const uint32_t *arms, size_t arm_count)
{
    struct cu_source *s = p->s;
    size_t arm = 0;
    p->other = ARENA_ARRAY(p->a, uint32_t, s->pieces.n + 1);
    if (!p->other)
        return false;
    for (uint32_t i = 0; i < s->pieces.n; i++) {
        while (arm < arm_count && arms[arm] >> 2 <= i)
            pass_arm(p, (enum arm)(arms[arm++] & 3));
        char c = s->pieces.p[i].kind == CU_PIECE_MARK && s->pieces.p[i].size == 1 ? s->text[s->pieces.p[i].at] : 0;
        if (c == '(' || c == '{' || c == '[') {
            struct open_bracket open = {i, c};
            VEC_PUSH(p->a, p->open, open);
        } else if (c == ')' || c == '}' || c == ']') {
            char wanted = c == ')' ? '(' : c == '}' ? '{' : '[';
            if (!p->open.n || p->open.p[p->open.n - 1].kind != wanted) {
                s->braces_told = false;
                continue;
            }
            uint32_t from = p->open.p[--p->open.n].at;
            p->other[from] = i;
            p->other[i] = from;
        }
    }
    while (arm < arm_count)
        pass_arm(p, (enum arm)(arms[arm++] & 3));
    s->braces_told &= p->open.n == 0 && p->depth == 0;
    return !arena_failed(p->a);
}

/* From the end: the first of a name stands last. */
static void name_functions(struct arena *a, struct cu_source *s)
{
    for (size_t i = s->functions.n; i-- > 0 && !arena_failed(a);) {
        const struct cu_piece *t = &s->pieces.p[s->functions.p[i].name];
        const char *name = arena_strndup(a, s->text + t->at, t->size);
        uint32_t later;
        s->functions.p[i].next = name && map_str_get(&s->function_names, name, &later) ? later + 1 : 0;
        if (name)
            map_str_put(a, &s->function_names, name, (uint32_t)i);
    }
}

static void find_functions(struct pairing *p)
{
    static const char *const words[] = {
        "if",      "for",      "while",    "switch",           "catch", "return", "sizeof",
        "alignas", "decltype", "noexcept", "__launch_bounds__"};
    struct cu_source *s = p->s;
    uint32_t after = 0; /* the first token behind the last `;` or brace */
    for (uint32_t i = 0; i + 1 < s->pieces.n; i++) {
        const struct cu_piece *t = &s->pieces.p[i];
        if (cu_piece_is(s, t, ";") || cu_piece_is(s, t, "{") || cu_piece_is(s, t, "}")) {
            after = i + 1;
            continue;
        }
        uint32_t close = p->other[i + 1];
        if (t->kind != CU_PIECE_NAME || !cu_piece_is(s, &s->pieces.p[i + 1], "(") || close + 1 >= s->pieces.n ||
            close <= i || !cu_piece_is(s, &s->pieces.p[close + 1], "{") || p->other[close + 1] <= close)
            continue;
        bool word = false;
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
            word |= cu_piece_is(s, t, words[w]);
        if (word)
            continue;
        struct cu_function f = {.name = i, .open = close + 1, .close = p->other[close + 1], .line = t->line};
        f.begin = s->pieces.p[after].line;
        f.end = s->pieces.p[f.close].line;
        VEC_PUSH(p->a, s->functions, f);
    }
    name_functions(p->a, s);
}

/* ---- Python ---------------------------------------------------------------------------------- */

struct python_block { /* a function that goes on */
    uint32_t indent, function;
};

/* Lines that hold more than a comment, and functions: from `def` to the last line that is indented more. What stands
 * within a text of several lines counts as code: it may be. Of a function only its name is a token. */
static void read_python(struct arena *a, struct cu_source *s)
{
    VEC(struct python_block) open = {0};
    for (uint32_t i = 0; i < s->lines.n && !arena_failed(a); i++) {
        struct cu_text_line *l = &s->lines.p[i];
        const char *from = s->text + l->at, *end = from + l->size, *p = blanks(from, end);
        uint32_t indent = (uint32_t)(p - from);
        l->code = p < end && *p != '#';
        if (!l->code)
            continue;
        while (open.n && open.p[open.n - 1].indent >= indent)
            open.n--;
        for (size_t b = 0; b < open.n; b++)
            s->functions.p[open.p[b].function].end = i + 1;
        if (!word_at(p, end, "def") || open.n >= IF_DEPTH)
            continue;
        const char *name = blanks(p + 3, end), *stop = name;
        while (stop < end && is_word(*stop))
            stop++;
        struct cu_piece piece = {CU_PIECE_NAME, (uint32_t)(name - s->text), (uint32_t)(stop - name), i + 1};
        struct cu_function f = {.begin = i + 1, .line = i + 1, .end = i + 1};
        f.name = f.open = f.close = (uint32_t)s->pieces.n;
        struct python_block block = {indent, (uint32_t)s->functions.n};
        VEC_PUSH(a, s->pieces, piece);
        VEC_PUSH(a, s->functions, f);
        VEC_PUSH(a, open, block);
    }
}

bool cu_source_read(struct arena *a, const char *name, const char *text, size_t size, struct cu_source *out)
{
    *out = (struct cu_source){.text = text, .size = size, .c_like = !str_ends(name, ".py")};
    if (size > UINT32_MAX / 4)
        return false;
    split_lines(a, out);
    if (!out->c_like) {
        read_python(a, out);
        out->braces_told = true;
        if (!arena_failed(a))
            name_functions(a, out);
        name_lines(a, out, NULL, 0);
        return !arena_failed(a);
    }
    struct cutter c = {.a = a, .s = out, .p = text, .end = text + size, .begin = true};
    cut(&c);
    name_lines(a, out, c.renumberings.p, c.renumberings.n);
    out->braces_told = true;
    struct pairing p = {.s = out, .a = a};
    if (arena_failed(a) || !pair_brackets(&p, c.arms.p, c.arms.n))
        return false;
    find_functions(&p);
    return !arena_failed(a);
}

const char *cu_source_line(struct arena *a, const struct cu_source *s, uint32_t line)
{
    if (line == 0 || line > s->lines.n)
        return NULL;
    const struct cu_text_line *l = &s->lines.p[line - 1];
    const char *from = s->text + l->at, *end = from + l->size;
    while (from < end && (*from == ' ' || *from == '\t' || *from == '\f' || *from == '\v' || *from == '\r'))
        from++;
    while (end > from && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\f' || end[-1] == '\v' || end[-1] == '\r'))
        end--;
    char *copy = arena_strndup(a, from, (size_t)(end - from));
    for (char *c = copy; c && *c; c++)
        if (*c == '\t')
            *c = ' ';
    return copy;
}

uint32_t cu_source_function(const struct cu_source *s, const char *name)
{
    uint32_t at;
    return map_str_get(&s->function_names, name, &at) ? at + 1 : 0;
}
