/* Reads single lines and the names of a function, on the tokens of cu_source.c; expressions are read by cu_parse.c, and
 * what that cannot read is left open.
 * requires: struct cu_source · gives: struct cu_line, struct cu_locals */
#include "front/cu_line.h"

#include "base/str.h"

#include <string.h>

enum { TOKENS_MOST = 400, CALL_DEPTH = 64, INIT_MOST = 60, NESTED = 8 };

struct span {
    uint32_t from, end; /* tokens */
};

static const struct cu_piece *piece(const struct cu_source *s, uint32_t i)
{
    return &s->pieces.p[i];
}

static bool is(const struct cu_source *s, uint32_t i, const char *text)
{
    return cu_piece_is(s, piece(s, i), text);
}

static bool is_name(const struct cu_source *s, uint32_t i)
{
    return piece(s, i)->kind == CU_PIECE_NAME;
}

static bool is_any(const struct cu_source *s, uint32_t i, const char *const *words)
{
    for (; *words; words++)
        if (is(s, i, *words))
            return true;
    return false;
}

/* The text from one token to another, blanks and line ends as one blank each. */
static const char *text_of(struct arena *a, const struct cu_source *s, struct span span)
{
    struct strbuf b;
    str_init(&b, a);
    if (span.from >= span.end)
        return NULL;
    uint32_t from = piece(s, span.from)->at, end = piece(s, span.end - 1)->at + piece(s, span.end - 1)->size;
    bool blank = false;
    for (uint32_t i = from; i < end; i++) {
        char c = s->text[i];
        bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
        if (!is_blank)
            str_addn(&b, &c, 1);
        else if (!blank)
            str_addc(&b, ' ');
        blank = is_blank;
    }
    return b.p;
}

static const struct cu_expr *read_expr(struct arena *a, const struct cu_source *s, struct span span)
{
    const struct cu_expr *e = NULL;
    struct diag_sink quiet;
    if (span.from >= span.end || span.end - span.from > TOKENS_MOST)
        return NULL;
    uint32_t from = piece(s, span.from)->at, end = piece(s, span.end - 1)->at + piece(s, span.end - 1)->size;
    diag_init(&quiet, a);
    return cu_parse_expr(a, "source", 1, s->text + from, end - from, &quiet, &e) == SP_OK ? e : NULL;
}

/* The bracket that closes the one at `i` before `end`; `end`: it does not. */
static uint32_t closing(const struct cu_source *s, uint32_t i, uint32_t end)
{
    unsigned depth = 0;
    for (uint32_t k = i; k < end; k++) {
        if (is(s, k, "(") || is(s, k, "[") || is(s, k, "{"))
            depth++;
        else if ((is(s, k, ")") || is(s, k, "]") || is(s, k, "}")) && --depth == 0)
            return k;
    }
    return end;
}

/* ---- one line -------------------------------------------------------------------------------- */

static const char *const heads[] = {"if", "while", "for", "switch", "return", "sizeof", "defined", NULL};
static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!=", NULL};

static bool has_macro(struct arena *a, const struct cu_source *s, struct span span)
{
    for (uint32_t i = span.from; i < span.end; i++) {
        uint32_t ignored;
        const char *name = is_name(s, i) ? arena_strndup(a, s->text + piece(s, i)->at, piece(s, i)->size) : NULL;
        if (name && map_str_get(&s->macros, name, &ignored))
            return true;
    }
    return false;
}

static bool has_call(const struct cu_source *s, struct span span)
{
    for (uint32_t i = span.from; i + 1 < span.end; i++)
        if (is_name(s, i) && !is_any(s, i, heads) && (is(s, i + 1, "(") || is(s, i + 1, "{") || is(s, i + 1, "<<")))
            return true;
    return false;
}

/* `>` behind `<` could close a template's list; a lambda or an attribute is not read either. */
static bool may_be_template(const struct cu_source *s, struct span span)
{
    bool open = false;
    for (uint32_t i = span.from; i < span.end; i++) {
        if (is(s, i, "<"))
            open = true;
        else if (open && (is(s, i, ">") || is(s, i, ">>")))
            return true;
        else if (is(s, i, "&&") || is(s, i, "||") || is(s, i, ";"))
            open = false;
        else if (is(s, i, "template") || is(s, i, "operator"))
            return true;
    }
    return false;
}

/* The operands round the one comparison of the line: as far as brackets, other weak operators or the line let them
 * reach. */
static struct span operands_of(const struct cu_source *s, struct span all, uint32_t at)
{
    static const char *const ends[] = {"?", ":", ";", ",", "&&", "||", "=",   "+=",  "-=", "*=", "/=", "return", "!",
                                       "&", "|", "^", "{", "}",  "%=", "<<=", ">>=", "&=", "|=", "^=", NULL};
    struct span e = {at, at + 1};
    unsigned depth = 0;
    while (e.from > all.from) {
        uint32_t i = e.from - 1;
        if (is(s, i, ")") || is(s, i, "]"))
            depth++;
        else if ((is(s, i, "(") || is(s, i, "[")) && depth-- == 0)
            break;
        else if (!depth && is_any(s, i, ends))
            break;
        e.from = i;
    }
    for (depth = 0; e.end < all.end; e.end++) {
        if (is(s, e.end, "(") || is(s, e.end, "["))
            depth++;
        else if ((is(s, e.end, ")") || is(s, e.end, "]")) && depth-- == 0)
            break;
        else if (!depth && is_any(s, e.end, ends))
            break;
    }
    return e;
}

/* What stands before the line's first token, or behind its last, does not go on with it. */
static bool begins_here(const struct cu_source *s, uint32_t from)
{
    static const char *const before[] = {";", "{",    "}",      ")",  "(",  ",",  ":", "?",
                                         "=", "else", "return", "&&", "||", "do", NULL};
    return from == 0 || is_any(s, from - 1, before);
}

static bool ends_here(const struct cu_source *s, uint32_t end)
{
    static const char *const behind[] = {";", "{", "}", ")", ",", ":", "?", "&&", "||", NULL};
    return end >= s->pieces.n || is_any(s, end, behind);
}

static void read_comparison(struct arena *a, const struct cu_source *s, struct span all, struct cu_line *out)
{
    uint32_t count = 0, at = 0;
    for (uint32_t i = all.from; i < all.end; i++)
        if (is_any(s, i, comparisons)) {
            count++;
            at = i;
        }
    if (count != 1)
        return;
    struct span span = operands_of(s, all, at);
    if ((span.from == all.from && !begins_here(s, span.from)) || (span.end == all.end && !ends_here(s, span.end)))
        return;
    const struct cu_expr *e = read_expr(a, s, span);
    if (!e || e->kind != CU_BINARY || e->op < CU_LT || e->op > CU_NE)
        return;
    out->comparison = e;
    out->comparison_text = text_of(a, s, span);
}

/* Behind an if, while or for: its condition; the tokens behind its bracket. False: the bracket does not close here. */
static bool read_head(struct arena *a, const struct cu_source *s, struct span *rest, struct cu_line *out, bool *is_if)
{
    bool loop = is(s, rest->from, "for") || is(s, rest->from, "while");
    *is_if = is(s, rest->from, "if");
    if ((!loop && !*is_if) || rest->from + 1 >= rest->end || !is(s, rest->from + 1, "("))
        return true;
    uint32_t close = closing(s, rest->from + 1, rest->end);
    out->loop = loop;
    if (close == rest->end)
        return false;
    struct span inside = {rest->from + 2, close};
    if (is(s, rest->from, "for")) {
        uint32_t parts = 0, first = inside.from, second = inside.from;
        for (uint32_t i = inside.from; i < inside.end; i++) {
            if (is(s, i, "(") || is(s, i, "[") || is(s, i, "{"))
                i = closing(s, i, inside.end);
            else if (is(s, i, ";") && ++parts <= 2)
                *(parts == 1 ? &first : &second) = i;
        }
        inside = parts == 2 ? (struct span){first + 1, second} : (struct span){0, 0};
    }
    out->condition = text_of(a, s, inside);
    rest->from = close + 1;
    return true;
}

/* `[type] target op value`, or `return value`. */
static void read_statement(struct arena *a, const struct cu_source *s, struct span t, struct cu_line *out)
{
    static const char *const sets[] = {"=", "+=", "-=", NULL};
    uint32_t at = t.end;
    if (t.from >= t.end)
        return;
    if (is(s, t.from, "return")) {
        out->value = read_expr(a, s, (struct span){t.from + 1, t.end});
        out->value_text = text_of(a, s, (struct span){t.from + 1, t.end});
        return;
    }
    for (uint32_t i = t.from; i < t.end && at == t.end; i++) {
        if (is(s, i, "(") || is(s, i, "[") || is(s, i, "{"))
            i = closing(s, i, t.end);
        else if (is_any(s, i, sets))
            at = i;
    }
    if (at >= t.end || at == t.from)
        return;
    bool names = true;
    for (uint32_t i = t.from; i < at; i++) {
        names &= is_name(s, i);
        if (is(s, i, "(")) /* a cast or a call where it is stored: that computes, too */
            return;
    }
    for (uint32_t i = at + 1; i < t.end; i++) { /* a second declarator, a second assignment */
        if (is(s, i, "(") || is(s, i, "[") || is(s, i, "{"))
            i = closing(s, i, t.end);
        else if (is(s, i, ",") || is(s, i, "=") || is(s, i, "+=") || is(s, i, "-="))
            return;
    }
    out->value = read_expr(a, s, (struct span){at + 1, t.end});
    out->value_text = text_of(a, s, (struct span){at + 1, t.end});
    out->declares = names && at - t.from > 1;
    out->adds = !is(s, at, "=");
    if (names)
        out->target = arena_strndup(a, s->text + piece(s, at - 1)->at, piece(s, at - 1)->size);
}

bool cu_line_read(struct arena *a, const struct cu_source *s, uint32_t line, struct cu_line *out)
{
    *out = (struct cu_line){0};
    if (!s->c_like || line == 0 || line > s->lines.n)
        return false;
    const struct cu_text_line *l = &s->lines.p[line - 1];
    struct span all = {l->first, l->first + l->count};
    if (!l->count || l->directive || l->count > TOKENS_MOST)
        return false;
    struct span shown = all;
    while (shown.from < shown.end && (is(s, shown.from, "}") || is(s, shown.from, "{")))
        shown.from++;
    while (shown.end > shown.from && (is(s, shown.end - 1, ";") || is(s, shown.end - 1, "{")))
        shown.end--;
    out->statement = text_of(a, s, shown);
    if (has_macro(a, s, all))
        return out->statement != NULL;
    out->calls = has_call(s, all);
    struct span rest = shown;
    bool is_if = false, after_else = rest.from < rest.end && is(s, rest.from, "else");
    rest.from += after_else;
    if (rest.from >= rest.end || !read_head(a, s, &rest, out, &is_if) || may_be_template(s, all))
        return out->statement != NULL;
    read_comparison(a, s, all, out);
    uint32_t end = rest.end;
    bool one = !out->loop;
    while (end > rest.from && (is(s, end - 1, ";") || is(s, end - 1, "}")))
        end--;
    for (uint32_t i = rest.from; i < end; i++)
        one &= !is(s, i, ";") && !is(s, i, "}") && !is(s, i, "else") && !is(s, i, "if") && !is(s, i, "for") &&
               !is(s, i, "while") && !is(s, i, "do");
    if (rest.from < end && is(s, rest.from, "{"))
        rest.from++;
    static const char *const before[] = {";", "{", "}", ")", "else", ":", NULL};
    bool begins = rest.from != all.from || all.from == 0 || is_any(s, all.from - 1, before);
    if (one && begins && end < all.end) /* its beginning and its end stand on the line */
        read_statement(a, s, (struct span){rest.from, end}, out);
    out->simple_if = is_if && !after_else && out->condition && out->value;
    return out->statement != NULL;
}

/* ---- the names of a function ----------------------------------------------------------------- */

uint32_t cu_source_enclosing(const struct cu_source *s, uint32_t line)
{
    size_t lo = 0, hi = s->functions.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->functions.p[mid].line <= line)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (unsigned back = 0; back < NESTED && lo > 0; back++, lo--)
        if (s->functions.p[lo - 1].begin <= line && line <= s->functions.p[lo - 1].end)
            return (uint32_t)lo;
    return 0;
}

const struct cu_local *cu_find_local(const struct cu_locals *l, const char *name)
{
    uint32_t at;
    return map_str_get(&l->names, name, &at) ? &l->list.p[at] : NULL;
}

static struct cu_local *local_at(struct arena *a, const struct cu_source *s, struct cu_locals *l, uint32_t token)
{
    char *name = arena_strndup(a, s->text + piece(s, token)->at, piece(s, token)->size);
    uint32_t at;
    if (!name)
        return NULL;
    if (!map_str_get(&l->names, name, &at)) {
        at = (uint32_t)l->list.n;
        VEC_PUSH(a, l->list, (struct cu_local){0});
        if (l->list.n == at || !map_str_put(a, &l->names, name, at))
            return NULL;
    }
    return &l->list.p[at];
}

/* What stands behind `=` at token `from - 1`, to the end of its declarator. */
static const char *first_value(struct arena *a, const struct cu_source *s, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end && i - from < INIT_MOST; i++) {
        if (is(s, i, "(") || is(s, i, "[") || is(s, i, "{"))
            i = closing(s, i, i + INIT_MOST < end ? i + INIT_MOST : end);
        else if (is(s, i, ";") || is(s, i, ","))
            return text_of(a, s, (struct span){from, i});
    }
    return NULL;
}

static bool makes_open(const struct cu_source *s, uint32_t i, uint32_t end)
{
    bool reference =
        is(s, i, "&") && i + 2 < end && is_name(s, i + 1) && is(s, i + 2, "=") && i > 0 && is_name(s, i - 1);
    bool captures = is(s, i, "[") && i + 1 < end && (is(s, i + 1, "&") || is(s, i + 1, "="));
    return reference || captures || is(s, i, "asm") || is(s, i, "__asm__") || is(s, i, "__asm") || is(s, i, "&&&");
}

/* A declaration goes on: the names behind its commas are declared by it, too. */
struct declaring {
    bool on;
    unsigned depth;
    uint32_t type; /* token */
};

static void note_name(struct arena *a, const struct cu_source *s, struct cu_locals *l, const struct cu_function *f,
                      uint32_t i, bool in_call, unsigned depth, struct declaring *declaring)
{
    static const char *const no_types[] = {"return", "else",  "goto",      "case", "new",
                                           "delete", "throw", "co_return", NULL};
    static const char *const changes[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", NULL};
    static const char *const behind[] = {"=", ";", ",", ")", "[", "{", ":", NULL};
    uint32_t before = i - 1, after = i + 1;
    if (is(s, before, ".") || is(s, before, "->") || is(s, before, "::"))
        return;
    struct cu_local *v = local_at(a, s, l, i);
    if (!v)
        return;
    bool typed = is_name(s, before) && !is_any(s, before, no_types) && is_any(s, after, behind);
    bool pointed = (is(s, before, "*") || is(s, before, "&") || is(s, before, ">")) && before > 0 &&
                   is_any(s, after, behind) && i < f->open;
    uint32_t type = before;
    v->uses++;
    if (typed && i > f->open)
        *declaring = (struct declaring){true, depth, before};
    else if (declaring->on && declaring->depth == depth && is(s, before, ",") && is_any(s, after, behind))
        typed = true, type = declaring->type;
    if (typed || pointed) {
        v->declared++;
        v->line = piece(s, i)->line;
        v->is_parameter = i < f->open;
        v->is_int = typed && is(s, type, "int");
        v->is_unsigned = typed && is(s, type, "unsigned");
        v->is_float = typed && (is(s, type, "float") || is(s, type, "double"));
        if (v->is_int && type > 0 && is(s, type - 1, "unsigned"))
            v->is_int = false, v->is_unsigned = true;
        if (type > 0 && (is(s, type - 1, "short") || is(s, type - 1, "long")))
            v->is_int = v->is_unsigned = v->is_float = false;
        if (is(s, after, "=")) {
            v->sets++;
            v->first = first_value(a, s, after + 1, f->close);
        } else if (is(s, after, "{") || is(s, after, ":")) {
            v->sets += 2;
        }
        return;
    }
    bool argument = in_call && (is(s, before, "(") || is(s, before, ",")) && (is(s, after, ")") || is(s, after, ","));
    bool address = is(s, before, "&") && !is_name(s, before - 1) && piece(s, before - 1)->kind == CU_PIECE_MARK &&
                   !is(s, before - 1, ")") && !is(s, before - 1, "]");
    if (is_any(s, after, changes) || is(s, before, "++") || is(s, before, "--") || address || argument ||
        is(s, before, ">>"))
        v->sets++;
}

bool cu_source_locals(struct arena *a, const struct cu_source *s, uint32_t function, struct cu_locals *out)
{
    const struct cu_function *f = &s->functions.p[function];
    bool call[CALL_DEPTH] = {false};
    unsigned depth = 0;
    struct declaring declaring = {0};
    *out = (struct cu_locals){0};
    for (uint32_t i = f->name + 1; i < f->close && !arena_failed(a); i++) {
        bool opens = is(s, i, "(") || is(s, i, "[") || is(s, i, "{");
        out->open |= makes_open(s, i, f->close);
        if (opens) {
            bool round = is(s, i, "(") && i > f->open;
            if (depth < CALL_DEPTH)
                call[depth] = round && ((is_name(s, i - 1) && !is_any(s, i - 1, heads)) || is(s, i - 1, ">"));
            depth++;
        } else if (is(s, i, ")") || is(s, i, "]") || is(s, i, "}")) {
            depth -= depth > 0;
            declaring.on &= depth >= declaring.depth;
        } else if (is(s, i, ";")) {
            declaring.on &= depth != declaring.depth;
        } else if (is_name(s, i)) {
            note_name(a, s, out, f, i, depth > 0 && (depth > CALL_DEPTH || call[depth - 1]), depth, &declaring);
        }
    }
    return !arena_failed(a);
}

bool cu_same_expr(const struct cu_expr *a, const struct cu_expr *b)
{
    if (a->kind == CU_NUMBER && b->kind == CU_NUMBER)
        return a->number == b->number;
    if (a->kind != b->kind || a->arg_count != b->arg_count || (a->text && !str_equal(a->text, b->text)))
        return false;
    if ((a->kind == CU_UNARY || a->kind == CU_BINARY) && a->op != b->op)
        return false;
    for (unsigned i = 0; i < a->arg_count; i++)
        if (!cu_same_expr(a->arg[i], b->arg[i]))
            return false;
    return true;
}
