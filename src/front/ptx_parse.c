/* PTX text -> a module: directives, declarations, functions. Statements of bodies: ptx_body.c.
 *
 * Names are numbers here (each spelled once), bound by scope: looking one up asks the scopes around it, of which there
 * are at most PTX_SCOPES. Register ranges (`%r<100>`) are bound by their prefix and make a register when one is first
 * named, so that what is declared costs nothing. What does not parse costs its statement and is told with line and
 * column.
 *
 * requires: any bytes · gives: struct ptx_module */
#include "base/str.h"
#include "front/ptx_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ERRORS_TOLD = 50, NAME_MAX_BYTES = 4096, ALIGN_MAX = 1 << 20, FILES_MAX = 1 << 16, HEAD_BYTES = 4096 };
static const uint64_t bytes_max = UINT64_C(1) << 40;

/* ---- shared with ptx_body.c ------------------------------------------------------------------ */

void ptx_next(struct ptx_parser *p)
{
    p->before = p->lexer.at;
    p->token = ptx_lex(&p->lexer);
}

void ptx_error(struct ptx_parser *p, const struct ptx_token *at, const char *format, ...)
{
    char text[256];
    va_list args;
    p->m->damaged = true;
    if (p->errors++ >= ERRORS_TOLD)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(p->diags, DIAG_ERROR, "ptx-syntax", NULL, -1, "line %u, column %u: %s", at->line, at->column, text);
}

bool ptx_at(const struct ptx_parser *p, char mark)
{
    return p->token.kind == PTX_T_MARK && p->token.mark == mark;
}

bool ptx_take(struct ptx_parser *p, char mark)
{
    if (!ptx_at(p, mark))
        return false;
    ptx_next(p);
    return true;
}

const char *ptx_copy(struct ptx_parser *p, struct ptx_word w)
{
    const char *text = arena_strndup(p->a, w.p, w.n);
    if (!text)
        p->failed = true;
    return text ? text : "";
}

uint32_t ptx_name_number(struct ptx_parser *p, struct ptx_word w)
{
    char text[NAME_MAX_BYTES];
    uint32_t number, n = w.n < sizeof text ? w.n : (uint32_t)sizeof text - 1;
    memcpy(text, w.p, n);
    text[n] = '\0';
    if (map_str_get(&p->names, text, &number))
        return number;
    number = p->name_count++;
    if (!map_str_put(p->a, &p->names, ptx_copy(p, (struct ptx_word){w.p, n}), number))
        p->failed = true;
    return number;
}

const struct ptx_binding *ptx_find(struct ptx_parser *p, uint32_t scope, uint32_t name, uint32_t *binding)
{
    for (;;) {
        uint32_t at;
        if (map_u64_get(&p->bound, (uint64_t)scope << 32 | name, &at)) {
            if (binding)
                *binding = at;
            return &p->bindings.p[at];
        }
        if (!scope)
            return NULL;
        scope = p->parents.p[scope];
    }
}

void ptx_bind(struct ptx_parser *p, uint32_t name, struct ptx_binding b)
{
    VEC_PUSH(p->a, p->bindings, b);
    if (!p->bindings.n || !map_u64_put(p->a, &p->bound, (uint64_t)p->scope << 32 | name, (uint32_t)p->bindings.n - 1))
        p->failed = true;
}

bool ptx_open_scope(struct ptx_parser *p)
{
    if (p->depth >= PTX_SCOPES)
        return false;
    VEC_PUSH(p->a, p->parents, p->scope);
    p->scope = (uint32_t)p->parents.n - 1;
    p->depth++;
    return true;
}

void ptx_close_scope(struct ptx_parser *p)
{
    p->scope = p->parents.p[p->scope];
    p->depth--;
}

void ptx_skip_statement(struct ptx_parser *p)
{
    while (p->token.kind != PTX_T_END && !ptx_at(p, '}') && !ptx_at(p, '{')) {
        bool end = ptx_at(p, ';');
        ptx_next(p);
        if (end)
            return;
    }
}

bool ptx_parse_pragma(struct ptx_parser *p)
{
    bool rolled = false;
    for (; p->token.kind == PTX_T_STRING || ptx_at(p, ','); ptx_next(p))
        rolled |= p->token.kind == PTX_T_STRING && ptx_word_is(p->token.word, "nounroll");
    ptx_skip_statement(p);
    return rolled;
}

static void skip_balanced(struct ptx_parser *p, char open, char close)
{
    uint64_t depth = 0;
    do {
        depth += ptx_at(p, open);
        depth -= ptx_at(p, close);
        ptx_next(p);
    } while (depth && p->token.kind != PTX_T_END);
}

static bool take_word(struct ptx_parser *p, const char *word)
{
    if (p->token.kind != PTX_T_DOT || !ptx_word_is(p->token.word, word))
        return false;
    ptx_next(p);
    return true;
}

static bool take_integer(struct ptx_parser *p, uint64_t *value)
{
    if (p->token.kind != PTX_T_INTEGER)
        return false;
    *value = p->token.value;
    ptx_next(p);
    return true;
}

/* ---- declarations ---------------------------------------------------------------------------- */

struct declaration {
    enum ptx_space space;
    enum ptx_type type;
    unsigned vector;
    uint64_t align;
    bool is_extern, is_input, is_result;
    uint32_t *first, *count; /* of the variables made */
};

static uint64_t align_up(uint64_t at, uint64_t align)
{
    return align ? (at + align - 1) / align * align : at;
}

static void add_register(struct ptx_parser *p, struct ptx_word word, const struct declaration *d)
{
    struct ptx_function *f = &p->m->functions.p[p->function - 1];
    unsigned bits = ptx_type_bits(d->type);
    uint32_t first = (uint32_t)f->registers.n;
    const char *name = ptx_copy(p, word);
    for (unsigned i = 0; i < d->vector; i++) {
        struct ptx_register r = {.name = d->vector > 1 ? arena_printf(p->a, "%s.%c", name, "xyzw"[i]) : name,
                                 .type = (uint8_t)d->type,
                                 .words = (uint8_t)(d->type == PTX_PRED ? 0 : (bits + 31) / 32)};
        VEC_PUSH(p->a, f->registers, r);
    }
    ptx_bind(
        p, ptx_name_number(p, word),
        (struct ptx_binding){.kind = PTX_BIND_REGISTER, .type = (uint8_t)d->type, .index = first, .count = d->vector});
}

static void add_variable(struct ptx_parser *p, struct ptx_word word, uint32_t line, const struct declaration *d,
                         uint64_t bytes)
{
    struct ptx_module *m = p->m;
    uint64_t natural = (uint64_t)ptx_type_bits(d->type) / 8 * d->vector;
    struct ptx_variable v = {.name = ptx_copy(p, word),
                             .space = (uint8_t)d->space,
                             .type = (uint8_t)d->type,
                             .is_extern = d->is_extern,
                             .is_input = d->is_input,
                             .is_result = d->is_result,
                             .line = line,
                             .bytes = bytes,
                             .function = p->function};
    v.align = (uint32_t)(d->align ? d->align : natural ? natural : 1);
    if (d->space == PTX_CONST) {
        v.offset = align_up(m->constant_bytes, v.align);
        m->constant_bytes = v.offset + bytes;
    } else if (d->space == PTX_GLOBAL) {
        v.offset = m->variables.n;
    } else if (d->space == PTX_PARAM && d->is_input && p->function) {
        struct ptx_function *f = &m->functions.p[p->function - 1];
        v.offset = align_up(f->param_bytes, v.align);
        f->param_bytes = v.offset + bytes;
    }
    uint32_t index = (uint32_t)m->variables.n;
    VEC_PUSH(p->a, m->variables, v);
    if (p->function) {
        struct ptx_function *f = &m->functions.p[p->function - 1];
        if (d->is_input)
            VEC_PUSH(p->a, f->inputs, index);
        else if (d->is_result)
            VEC_PUSH(p->a, f->results, index);
        else
            VEC_PUSH(p->a, f->locals, index);
    }
    if (!ptx_word_is(word, "_"))
        ptx_bind(p, ptx_name_number(p, word),
                 (struct ptx_binding){.kind = PTX_BIND_VARIABLE, .type = (uint8_t)d->type, .index = index});
}

/* `.align 16 .v4 .f32`, `.ptr .global .align 4`, in any order. */
static void parse_qualifiers(struct ptx_parser *p, struct declaration *d)
{
    while (p->token.kind == PTX_T_DOT) {
        struct ptx_word w = p->token.word;
        uint64_t n;
        ptx_next(p);
        if (ptx_word_is(w, "align")) {
            bool of_pointer = d->align || (d->type != PTX_UNTYPED && d->space == PTX_PARAM);
            if (take_integer(p, &n) && n && n <= ALIGN_MAX && !of_pointer)
                d->align = n;
        } else if (w.n == 2 && w.p[0] == 'v' && (w.p[1] == '2' || w.p[1] == '4')) {
            d->vector = (unsigned)(w.p[1] - '0');
        } else if (ptx_word_is(w, "v8")) {
            d->vector = 4; /* registers of eight words are not described: named as they are, without a meaning */
        } else if (ptx_at(p, '(')) {
            skip_balanced(p, '(', ')');
        } else if (ptx_type_named(w) != PTX_UNTYPED && d->type == PTX_UNTYPED) {
            d->type = ptx_type_named(w);
        }
    }
}

/* `[4][8]`, `[]`: bytes of all; false when too large. */
static bool parse_dimensions(struct ptx_parser *p, uint64_t *bytes)
{
    bool fits = true;
    while (ptx_take(p, '[')) {
        uint64_t n = 0;
        if (p->token.kind == PTX_T_INTEGER)
            take_integer(p, &n);
        fits = fits && (n == 0 || *bytes <= bytes_max / n);
        *bytes = fits ? *bytes * n : 0;
        while (p->token.kind != PTX_T_END && !ptx_at(p, ']') && !ptx_at(p, ';'))
            ptx_next(p); /* a constant expression */
        ptx_take(p, ']');
    }
    return fits;
}

static void skip_initializer(struct ptx_parser *p)
{
    while (p->token.kind != PTX_T_END && !ptx_at(p, ',') && !ptx_at(p, ';')) {
        if (ptx_at(p, '{'))
            skip_balanced(p, '{', '}');
        else if (ptx_at(p, '('))
            skip_balanced(p, '(', ')');
        else
            ptx_next(p);
    }
}

/* One name of a declaration, with what is its own. */
static bool parse_declared(struct ptx_parser *p, struct declaration *d)
{
    struct ptx_token name = p->token;
    if (name.kind != PTX_T_NAME) {
        ptx_error(p, &p->token, "a name is expected in this declaration");
        return false;
    }
    ptx_next(p);
    if (d->space == PTX_REG) {
        uint64_t n = 0;
        if (!p->function) {
            ptx_error(p, &name, "registers are declared in functions");
            return false;
        }
        if (ptx_take(p, '<')) {
            if (!take_integer(p, &n) || !ptx_take(p, '>')) {
                ptx_error(p, &p->token, "`<number>` is expected");
                return false;
            }
            ptx_bind(p, ptx_name_number(p, name.word),
                     (struct ptx_binding){.kind = PTX_BIND_RANGE,
                                          .type = (uint8_t)d->type,
                                          .index = d->vector,
                                          .count = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX});
        } else if (d->is_input || d->is_result) {
            struct ptx_function *f = &p->m->functions.p[p->function - 1];
            uint32_t first = (uint32_t)f->registers.n, scope = p->scope;
            add_variable(p, name.word, name.line, d, ptx_type_bits(d->type) / 8);
            p->m->variables.p[p->m->variables.n - 1].offset = first;
            p->scope = scope;
            add_register(p, name.word, d);
        } else {
            add_register(p, name.word, d);
        }
        return true;
    }
    uint64_t bytes = (uint64_t)(ptx_type_bits(d->type) + 7) / 8 * d->vector;
    if (d->type == PTX_OTHER_TYPE)
        bytes = 8;
    if (!parse_dimensions(p, &bytes))
        ptx_error(p, &name, "the array is too large");
    if (ptx_take(p, '='))
        skip_initializer(p);
    add_variable(p, name.word, name.line, d, bytes);
    return true;
}

void ptx_parse_variables(struct ptx_parser *p, enum ptx_space space, bool is_extern, uint32_t *first, uint32_t *count)
{
    struct declaration d = {.space = space, .vector = 1, .is_extern = is_extern};
    *first = (uint32_t)p->m->variables.n;
    parse_qualifiers(p, &d);
    do {
        if (!parse_declared(p, &d)) {
            ptx_skip_statement(p);
            *count = (uint32_t)p->m->variables.n - *first;
            return;
        }
    } while (ptx_take(p, ','));
    *count = (uint32_t)p->m->variables.n - *first;
    if (!ptx_take(p, ';')) {
        ptx_error(p, &p->token, "`;` is expected behind this declaration");
        ptx_skip_statement(p);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

void ptx_parse_file(struct ptx_parser *p)
{
    uint64_t number, told[2] = {0};
    unsigned tell = 0;
    if (!take_integer(p, &number) || p->token.kind != PTX_T_STRING) {
        ptx_error(p, &p->token, "`.file` takes a number and a name");
        return;
    }
    while (number < FILES_MAX && p->m->files.n <= number && !arena_failed(p->a)) {
        VEC_PUSH(p->a, p->m->files, NULL);
        VEC_PUSH(p->a, p->m->file_bytes, 0);
    }
    if (number < p->m->files.n)
        p->m->files.p[number] = ptx_copy(p, p->token.word);
    ptx_next(p);
    while (ptx_take(p, ',')) /* time, size */
        if (!take_integer(p, &told[tell++ & 1]))
            return;
    if (tell == 2 && number < p->m->file_bytes.n)
        p->m->file_bytes.p[number] = told[1];
}

static bool parse_position(struct ptx_parser *p, struct ptx_loc *loc)
{
    uint64_t file, line, column;
    if (!take_integer(p, &file) || !take_integer(p, &line) || !take_integer(p, &column))
        return false;
    *loc = (struct ptx_loc){.file = (uint32_t)file, .line = (uint32_t)line, .column = (uint32_t)column};
    return true;
}

void ptx_parse_loc(struct ptx_parser *p)
{
    struct ptx_loc loc, at = {0};
    if (!parse_position(p, &loc)) {
        ptx_error(p, &p->token, "`.loc` takes file, line and column");
        return;
    }
    while (ptx_take(p, ',')) {
        struct ptx_word w = p->token.word;
        ptx_next(p);
        if (ptx_word_is(w, "function_name")) {
            loc.function = p->token.word;
            ptx_next(p);
            if (ptx_take(p, '+'))
                ptx_next(p);
        } else if (ptx_word_is(w, "inlined_at") && parse_position(p, &at)) {
            VEC_PUSH(p->a, p->m->locs, at);
            loc.inlined = (uint32_t)p->m->locs.n;
        }
    }
    VEC_PUSH(p->a, p->m->locs, loc);
    p->loc = (uint32_t)p->m->locs.n;
}

void ptx_parse_section(struct ptx_parser *p)
{
    while (p->token.kind == PTX_T_DOT || p->token.kind == PTX_T_NAME || p->token.kind == PTX_T_STRING)
        ptx_next(p);
    if (ptx_at(p, '{'))
        skip_balanced(p, '{', '}');
}

/* ---- functions ------------------------------------------------------------------------------- */

static void parse_parameters(struct ptx_parser *p, bool results)
{
    struct declaration d;
    while (!ptx_take(p, ')')) {
        d = (struct declaration){.space = PTX_PARAM, .vector = 1, .is_input = !results, .is_result = results};
        if (take_word(p, "reg"))
            d.space = PTX_REG;
        else if (!take_word(p, "param")) {
            ptx_error(p, &p->token, "a parameter is expected");
            while (p->token.kind != PTX_T_END && !ptx_at(p, ')') && !ptx_at(p, '{') && !ptx_at(p, ';'))
                ptx_next(p);
            ptx_take(p, ')');
            return;
        }
        parse_qualifiers(p, &d);
        if (!parse_declared(p, &d)) {
            while (p->token.kind != PTX_T_END && !ptx_at(p, ')') && !ptx_at(p, '{') && !ptx_at(p, ';'))
                ptx_next(p);
            ptx_take(p, ')');
            return;
        }
        ptx_take(p, ',');
    }
}

static void parse_three(struct ptx_parser *p, int32_t out[3])
{
    uint64_t n;
    for (unsigned i = 0; i < 3; i++)
        out[i] = 1;
    for (unsigned i = 0; i < 3 && take_integer(p, &n); i++) {
        out[i] = n < INT32_MAX ? (int32_t)n : INT32_MAX;
        if (!ptx_take(p, ','))
            break;
    }
}

static void parse_function_directives(struct ptx_parser *p, uint32_t index)
{
    while (p->token.kind == PTX_T_DOT) {
        struct ptx_function *f = &p->m->functions.p[index];
        if (take_word(p, "maxntid")) {
            parse_three(p, f->maxntid);
        } else if (take_word(p, "reqntid")) {
            parse_three(p, f->reqntid);
        } else if (take_word(p, "pragma")) {
            if (ptx_parse_pragma(p))
                p->m->functions.p[index].rolled = true;
        } else {
            ptx_next(p);
            while (p->token.kind == PTX_T_INTEGER || p->token.kind == PTX_T_STRING || ptx_at(p, ','))
                ptx_next(p);
            if (ptx_at(p, '('))
                skip_balanced(p, '(', ')');
            ptx_take(p, ';');
        }
    }
}

/* The function of that name: one declared before and not defined yet is defined now. */
static uint32_t function_named(struct ptx_parser *p, struct ptx_word name, bool is_entry)
{
    uint32_t number = ptx_name_number(p, name);
    const struct ptx_binding *b = ptx_find(p, 0, number, NULL);
    if (b && b->kind == PTX_BIND_FUNCTION && !p->m->functions.p[b->index].has_body) {
        struct ptx_function *f = &p->m->functions.p[b->index];
        f->inputs.n = f->results.n = f->registers.n = 0;
        f->param_bytes = 0;
        return b->index;
    }
    struct ptx_function f = {.name = ptx_copy(p, name), .is_entry = is_entry};
    for (unsigned i = 0; i < 3; i++)
        f.maxntid[i] = f.reqntid[i] = -1;
    VEC_PUSH(p->a, p->m->functions, f);
    uint32_t index = (uint32_t)p->m->functions.n - 1, scope = p->scope;
    p->scope = 0;
    if (!b)
        ptx_bind(p, number, (struct ptx_binding){.kind = PTX_BIND_FUNCTION, .index = index});
    p->scope = scope;
    return index;
}

/* Names of results stand before the function's own: they are read again once it is known. */
static void parse_function(struct ptx_parser *p, bool is_entry, bool is_extern)
{
    struct ptx_lexer results = p->lexer;
    struct ptx_token open = p->token, name;
    const char *before = p->before;
    bool has_results = ptx_at(p, '(');
    if (has_results)
        skip_balanced(p, '(', ')');
    while (p->token.kind == PTX_T_DOT) { /* .attribute(…) */
        ptx_next(p);
        if (ptx_at(p, '('))
            skip_balanced(p, '(', ')');
    }
    name = p->token;
    if (name.kind != PTX_T_NAME) {
        ptx_error(p, &p->token, "a function's name is expected");
        ptx_skip_statement(p);
        return;
    }
    ptx_next(p);
    uint32_t index = function_named(p, name.word, is_entry);
    if (arena_failed(p->a) || p->failed || !ptx_open_scope(p))
        return;
    p->m->functions.p[index].line = name.line;
    p->m->functions.p[index].is_extern = is_extern;
    p->function = index + 1;
    p->loc = 0;
    p->rolled = false;
    if (has_results) {
        struct ptx_lexer here = p->lexer;
        struct ptx_token at = p->token;
        const char *end = p->before;
        p->lexer = results;
        p->token = open;
        p->before = before;
        ptx_next(p);
        parse_parameters(p, true);
        p->lexer = here;
        p->token = at;
        p->before = end;
    }
    if (ptx_take(p, '('))
        parse_parameters(p, false);
    parse_function_directives(p, index);
    if (ptx_take(p, '{')) {
        p->m->functions.p[index].has_body = true;
        ptx_parse_body(p);
    } else if (!ptx_take(p, ';')) {
        ptx_error(p, &p->token, "a body or `;` is expected behind the head of %.*s",
                  (int)(name.word.n < 100 ? name.word.n : 100), name.word.p);
        ptx_skip_statement(p);
    }
    while (p->depth)
        ptx_close_scope(p);
    p->function = 0;
}

/* ---- the module ------------------------------------------------------------------------------ */

static void parse_version(struct ptx_parser *p)
{
    unsigned major = 0, minor = 0;
    const struct ptx_word w = p->token.word;
    uint32_t i = 0;
    for (; i < w.n && w.p[i] >= '0' && w.p[i] <= '9' && major < 1000; i++)
        major = major * 10 + (unsigned)(w.p[i] - '0');
    for (i++; i < w.n && w.p[i] >= '0' && w.p[i] <= '9' && minor < 1000; i++)
        minor = minor * 10 + (unsigned)(w.p[i] - '0');
    if (p->token.kind != PTX_T_FLOAT64 && p->token.kind != PTX_T_INTEGER)
        ptx_error(p, &p->token, "a version is expected");
    p->m->version = major * 10 + (minor < 10 ? minor : 9);
    ptx_next(p);
}

static void parse_target(struct ptx_parser *p)
{
    do {
        struct ptx_word w = p->token.word;
        if (p->token.kind != PTX_T_NAME) {
            ptx_error(p, &p->token, "an architecture is expected");
            return;
        }
        if (!p->m->arch && (w.n > 3 && memcmp(w.p, "sm_", 3) == 0)) {
            p->m->arch = ptx_copy(p, w);
            for (uint32_t i = 3; i < w.n && w.p[i] >= '0' && w.p[i] <= '9' && p->m->sm < 10000; i++)
                p->m->sm = p->m->sm * 10 + (unsigned)(w.p[i] - '0');
        }
        ptx_next(p);
    } while (ptx_take(p, ','));
}

static bool space_named(struct ptx_word w, enum ptx_space *space)
{
    static const struct {
        const char *name;
        uint8_t space;
    } rows[] = {{"global", PTX_GLOBAL}, {"const", PTX_CONST}, {"shared", PTX_SHARED}, {"local", PTX_LOCAL},
                {"param", PTX_PARAM},   {"tex", PTX_GLOBAL},  {"reg", PTX_REG}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (ptx_word_is(w, rows[i].name)) {
            *space = (enum ptx_space)rows[i].space;
            return true;
        }
    return false;
}

static void parse_module(struct ptx_parser *p)
{
    bool is_extern = false;
    while (p->token.kind != PTX_T_END && !p->failed && !arena_failed(p->a)) {
        struct ptx_token at = p->token;
        enum ptx_space space;
        uint32_t first, count;
        if (at.kind != PTX_T_DOT) {
            if (!ptx_at(p, ';')) {
                ptx_error(p, &at, "a directive is expected, not `%.*s`", (int)(at.word.n < 60 ? at.word.n : 60),
                          at.word.p);
                ptx_skip_statement(p);
            }
            if (ptx_at(p, '{'))
                skip_balanced(p, '{', '}');
            else if (ptx_at(p, ';') || ptx_at(p, '}'))
                ptx_next(p);
            continue;
        }
        ptx_next(p);
        if (ptx_word_is(at.word, "extern")) {
            is_extern = true;
            continue;
        }
        if (ptx_word_is(at.word, "visible") || ptx_word_is(at.word, "weak") || ptx_word_is(at.word, "common"))
            continue;
        if (ptx_word_is(at.word, "version")) {
            parse_version(p);
        } else if (ptx_word_is(at.word, "target")) {
            parse_target(p);
        } else if (ptx_word_is(at.word, "address_size")) {
            uint64_t bits;
            p->m->address_bits = take_integer(p, &bits) && bits == 32 ? 32 : 64;
        } else if (ptx_word_is(at.word, "file")) {
            ptx_parse_file(p);
        } else if (ptx_word_is(at.word, "loc")) {
            ptx_parse_loc(p);
        } else if (ptx_word_is(at.word, "section")) {
            ptx_parse_section(p);
        } else if (ptx_word_is(at.word, "entry") || ptx_word_is(at.word, "func")) {
            parse_function(p, ptx_word_is(at.word, "entry"), is_extern);
        } else if (space_named(at.word, &space)) {
            ptx_parse_variables(p, space, is_extern, &first, &count);
        } else if (ptx_word_is(at.word, "pragma")) {
            p->m->rolled |= ptx_parse_pragma(p);
        } else {
            if (!ptx_word_is(at.word, "alias"))
                ptx_error(p, &at, "no directive `.%.*s` is known", (int)(at.word.n < 60 ? at.word.n : 60), at.word.p);
            ptx_skip_statement(p);
        }
        is_extern = false;
    }
}

/* "Cuda compilation tools, release 13.0, V13.0.88" in the comments at the head. */
static void find_producer(struct arena *a, struct ptx_module *m)
{
    static const char key[] = ", V";
    size_t n = m->size < HEAD_BYTES ? m->size : HEAD_BYTES;
    char *head = arena_strndup(a, m->text, n);
    char *at = head ? strstr(head, "compilation tools, release ") : NULL;
    char *end = at ? strchr(at, '\n') : NULL;
    if (!end)
        return;
    *end = '\0';
    char *v = strstr(at, key);
    if (v)
        m->producer = arena_printf(a, "nvcc %.*s", (int)strspn(v + sizeof key - 1, "0123456789."), v + sizeof key - 1);
}

enum sp_status ptx_read_module(struct arena *a, struct diag_sink *diags, const char *text, size_t size,
                               struct ptx_module *m)
{
    struct ptx_parser p = {.a = a, .diags = diags, .m = m};
    *m = (struct ptx_module){.text = text, .size = size, .address_bits = 64};
    find_producer(a, m);
    VEC_PUSH(a, p.parents, 0);
    ptx_lex_init(&p.lexer, text, size);
    ptx_next(&p);
    if (arena_failed(a))
        return SP_ERR_MEMORY;
    parse_module(&p);
    if (p.errors > ERRORS_TOLD)
        diag_add(diags, DIAG_ERROR, "ptx-syntax", NULL, -1, "%u more places could not be read", p.errors - ERRORS_TOLD);
    m->budget = 0;
    for (size_t i = 0; i < m->functions.n; i++)
        m->budget += m->functions.p[i].insns.n;
    m->budget = 16 * m->budget + (1 << 20);
    if (p.failed || arena_failed(a))
        return SP_ERR_MEMORY;
    return m->damaged ? SP_ERR_FORMAT : SP_OK;
}
