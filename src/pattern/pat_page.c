/* Reads pattern pages: Markdown whose first table says what the pattern is called and what it may do, and
 * whose fenced blocks marked `cuda` are its definition, one a variant. All other text is for people and is
 * passed over.
 *
 *   | id | clamp |            the identifier in reports
 *   | family | lowering |
 *   | real rules | compare-and-select = min/max |      optional, several parted by ;
 *   | bindings | x, lo, hi, nan = nan(x) |             optional; what a report shows
 *
 * Requires a page's text; gives a compiled page in the library, or diagnostics that name page and line. */
#include "pattern/pat_collect.h"

#include "base/str.h"

#include <string.h>

struct slice {
    const char *at;
    size_t size;
    unsigned line;
};

struct reader {
    struct pat_library *lib;
    struct diag_sink *diags;
    struct pat_page page;
    bool table_done;
};

static bool bad(struct reader *r, unsigned line, const char *what)
{
    if (r->diags)
        diag_add(r->diags, DIAG_ERROR, "pattern-page", r->page.name, -1, "line %u: %s", line, what);
    return false;
}

static struct slice trim(const char *from, const char *to, unsigned line)
{
    while (from < to && (*from == ' ' || *from == '\t' || *from == '`' || *from == '\r'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '`' || to[-1] == '\r'))
        to--;
    return (struct slice){from, (size_t)(to - from), line};
}

static bool slice_is(struct slice s, const char *text)
{
    return strlen(text) == s.size && memcmp(s.at, text, s.size) == 0;
}

static bool read_rules(struct reader *r, struct slice s)
{
    const char *end = s.at + s.size;
    for (const char *at = s.at; at < end;) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        struct slice name = trim(at, stop ? stop : end, s.line);
        unsigned k = 0;
        while (k < PAT_RULE_COUNT && !slice_is(name, pat_rule_names[k]))
            k++;
        if (k == PAT_RULE_COUNT)
            return bad(r, s.line, "no such real rule");
        r->page.rules |= 1u << k;
        at = stop ? stop + 1 : end;
    }
    return true;
}

/* key, or key = expression, parted by commas outside brackets. */
static bool read_bindings(struct reader *r, struct slice s)
{
    const char *end = s.at + s.size;
    for (const char *at = s.at; at < end;) {
        int depth = 0;
        const char *stop = at, *equals = NULL;
        for (; stop < end && !(*stop == ',' && depth == 0); stop++) {
            depth += *stop == '(' ? 1 : *stop == ')' ? -1 : 0;
            if (*stop == '=' && !equals)
                equals = stop;
        }
        struct slice key = trim(at, equals ? equals : stop, s.line);
        struct slice value = equals ? trim(equals + 1, stop, s.line) : key;
        struct pat_page_binding b = {.key = arena_strndup(r->lib->a, key.at, key.size)};
        if (!b.key || !key.size ||
            cu_parse_expr(r->lib->a, r->page.name, s.line, value.at, value.size, r->diags, &b.value) != SP_OK)
            return bad(r, s.line, "a binding is a name, or a name = an expression");
        VEC_PUSH(r->lib->a, r->page.bindings, b);
        at = stop < end ? stop + 1 : end;
    }
    return true;
}

static bool read_row(struct reader *r, const char *from, const char *to, unsigned line)
{
    const char *bar = memchr(from + 1, '|', (size_t)(to - from - 1));
    const char *close = to;
    while (close > from && close[-1] != '|')
        close--;
    if (!bar || close - 1 <= bar)
        return bad(r, line, "a row has two columns");
    struct slice key = trim(from + 1, bar, line), value = trim(bar + 1, close - 1, line);
    struct arena *a = r->lib->a;
    if (slice_is(key, "id"))
        r->page.id = arena_strndup(a, value.at, value.size);
    else if (slice_is(key, "family"))
        r->page.family = arena_strndup(a, value.at, value.size);
    else if (slice_is(key, "real rules"))
        return read_rules(r, value);
    else if (slice_is(key, "bindings"))
        return read_bindings(r, value);
    else if (key.size && key.at[0] != '-')
        return bad(r, line, "a row of the first table is id, family, real rules or bindings");
    return true;
}

static bool check_wheres(struct reader *r, const struct cu_block *b)
{
    for (unsigned i = 0; i < b->where_count; i++) {
        const struct cu_expr *e = b->where[i];
        bool call =
            e->kind == CU_CALL &&
            (strcmp(e->text, "uniform") == 0 || strcmp(e->text, "varies") == 0 || strcmp(e->text, "diverges") == 0) &&
            e->arg_count == 1;
        bool slow = e->kind == CU_CALL && strcmp(e->text, "slow_path") == 0 && e->arg_count == 1 && b->reads;
        slow |= e->kind == CU_CALL && b->reads && e->arg_count == 2 &&
                (strcmp(e->text, "quotient") == 0 || strcmp(e->text, "remainder") == 0);
        bool bare = e->kind == CU_CALL && (strcmp(e->text, "no_branch") == 0 || strcmp(e->text, "exact") == 0) &&
                    e->arg_count == 0;
        bool compare = e->kind == CU_BINARY && e->op >= CU_LT && e->op <= CU_NE;
        if (e->kind == CU_CALL && strcmp(e->text, "assume") == 0 && e->arg_count == 1) {
            e = e->arg[0];
            compare = e->kind == CU_BINARY && e->op >= CU_LT && e->op <= CU_NE;
        }
        if (!call && !bare && !compare && !slow)
            return bad(r, e->line,
                       "where takes uniform(x), varies(x), exact(), no_branch(), slow_path(x), a comparison or "
                       "assume(comparison)");
        for (unsigned k = 0; k < e->arg_count; k++)
            if (e->arg[k]->kind != CU_NUMBER &&
                (e->arg[k]->kind != CU_NAME || cu_find_variable(b, e->arg[k]->text) < 0))
                return bad(r, e->line, "where speaks of declared names and numbers");
    }
    return true;
}

static bool has_reduction(const struct pat_term *t, unsigned depth)
{
    bool any = t && t->kind == TERM_REDUCED;
    for (unsigned i = 0; t && i < t->arg_count && depth < 32; i++)
        any |= has_reduction(t->arg[i], depth + 1);
    return any;
}

static bool compile_variant(struct reader *r, struct pat_variant *v, unsigned line)
{
    struct pat_compile c = {.a = r->lib->a, .block = &v->block, .where = r->page.name, .diags = r->diags};
    if (!check_wheres(r, &v->block))
        return false;
    v->slow = -1;
    for (unsigned i = 0; i < v->block.where_count; i++)
        if (v->block.where[i]->kind == CU_CALL && strcmp(v->block.where[i]->text, "slow_path") == 0)
            v->slow = cu_find_variable(&v->block, v->block.where[i]->arg[0]->text);
    if (v->block.reads && v->block.form != CU_VALUE)
        return bad(r, line, "what reads as something else is a value");
    if (v->block.condition) {
        v->condition = pat_compile_condition(&c, v->block.condition);
        if (!v->condition)
            return false;
    }
    bool refused;
    v->plan = pat_compile_plan(&c, &v->block, &refused);
    if (v->plan || refused)
        return !refused;
    switch (v->block.form) {
    case CU_VALUE:
        if (v->condition)
            return bad(r, line, "an if needs a statement");
        v->value = pat_compile_term(&c, v->block.value);
        break;
    case CU_STORE:
        v->target = pat_compile_term(&c, v->block.target);
        v->value = v->target ? pat_compile_term(&c, v->block.value) : NULL;
        if (v->condition)
            return bad(r, line, "a store under an if is not known yet");
        break;
    case CU_ASSIGN:
        v->value = pat_compile_term(&c, v->block.value);
        if (v->value && (!v->condition || v->value->kind != TERM_ELEMENT))
            return bad(r, line, "an assignment is a load under an if");
        break;
    case CU_LEAVE:
        if (!v->condition)
            return bad(r, line, "a return needs its if");
        return true;
    case CU_PERFORM:
        if (v->condition || v->block.value->arg_count)
            return bad(r, line, "a call is f();");
        return true;
    case CU_BRANCH:
    case CU_LOOP:
    case CU_SEQUENCE: return bad(r, line, "a block of no known form");
    }
    v->reduces = has_reduction(v->value, 0);
    return v->value != NULL;
}

static bool read_block(struct reader *r, struct slice name, struct slice text)
{
    struct arena *a = r->lib->a;
    struct pat_variant v = {.name = arena_strndup(a, name.at, name.size)};
    if (!r->page.id)
        return bad(r, text.line, "the table with the id stands before the first block");
    v.rule = name.size ? arena_printf(a, "%s/%s", r->page.id, v.name) : r->page.id;
    if (!v.name || !v.rule)
        return false;
    if (cu_parse_block(a, r->page.name, text.line, text.at, text.size, r->diags, &v.block) != SP_OK)
        return false;
    if (!compile_variant(r, &v, text.line))
        return false;
    VEC_PUSH(a, r->page.variants, v);
    return true;
}

/* sync(barrier, warp): a function that chooses one of its words; -1: another. */
int pat_choice_of(const struct cu_expr *e)
{
    static const char *const names[PAT_CHOICES] = {"sync", "self", "scope"};
    for (int i = 0; i < PAT_CHOICES; i++) {
        bool words =
            e->kind == CU_CALL && e->arg_count == (i == PAT_CHOICE_SCOPE ? 3u : 2u) && !strcmp(e->text, names[i]);
        for (unsigned k = 0; words && k < e->arg_count; k++)
            words = e->arg[k]->kind == CU_NAME;
        if (words)
            return i;
    }
    return -1;
}

/* Binding names must be variables of every block, or functions the report knows. */
static bool check_names(struct reader *r, const struct cu_expr *e, const struct cu_block *block)
{
    static const char *const functions[] = {"nan",   "variant", "variants", "root",
                                            "value", "sizeof",  "type",     "width"};
    if (e->kind == CU_NAME)
        return cu_find_variable(block, e->text) >= 0 || bad(r, 1, "a binding names what a block does not declare");
    if (e->kind == CU_UNARY && e->op == CU_DEREFERENCE)
        return check_names(r, e->arg[0], block);
    if (e->kind != CU_CALL)
        return bad(r, 1, "a binding is a name or a call");
    if (pat_choice_of(e) >= 0)
        return true;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(e->text, functions[i]) != 0)
            continue;
        bool takes = strcmp(e->text, "nan") == 0 || strcmp(e->text, "sizeof") == 0;
        if (e->arg_count != (takes ? 1u : 0u))
            return bad(r, 1, "another number of arguments in a binding");
        return !takes || check_names(r, e->arg[0], block);
    }
    return bad(r, 1, "no such function for a binding");
}

static bool finish(struct reader *r)
{
    if (!r->page.id || !r->page.family)
        return bad(r, 1, "the first table must give id and family");
    if (!r->page.variants.n)
        return bad(r, 1, "no block marked cuda");
    for (size_t k = 0; k < r->page.bindings.n; k++) {
        const struct cu_expr *e = r->page.bindings.p[k].value;
        bool declared = false; /* a plain name may be missing in some blocks: these have no such binding */
        for (size_t i = 0; i < r->page.variants.n; i++) {
            const struct cu_block *block = &r->page.variants.p[i].block;
            bool here = e->kind != CU_NAME || cu_find_variable(block, e->text) >= 0;
            if (here && !check_names(r, e, block))
                return false;
            declared |= here;
        }
        if (!declared)
            return bad(r, 1, "a binding names what a block does not declare");
    }
    return true;
}

struct pat_library *pat_library_new(struct arena *a)
{
    struct pat_library *lib = ARENA_NEW(a, struct pat_library);
    struct pat_memo *memo = ARENA_NEW(a, struct pat_memo);
    if (!lib || !memo)
        return NULL;
    memo->a = lib->a = a;
    lib->memo = memo;
    return lib;
}

enum sp_status pat_library_add(struct pat_library *lib, const char *name, const char *text, size_t size,
                               struct diag_sink *diags)
{
    struct reader r = {.lib = lib, .diags = diags, .page = {.name = arena_strdup(lib->a, name)}};
    const char *at = text, *end = text + size, *block = NULL;
    struct slice block_name = {0};
    unsigned line = 1, block_line = 0;
    bool fence = false, ok = true;
    for (; ok && at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *eol = stop ? stop : end;
        bool mark = eol - at >= 3 && memcmp(at, "```", 3) == 0;
        if (mark && fence) {
            if (block)
                ok = read_block(&r, block_name, (struct slice){block, (size_t)(at - block), block_line});
            fence = false;
            block = NULL;
        } else if (mark) {
            struct slice word = trim(at + 3, eol, line);
            fence = true;
            if (word.size >= 4 && memcmp(word.at, "cuda", 4) == 0 && (word.size == 4 || word.at[4] == ' ')) {
                block_name = trim(word.at + 4, word.at + word.size, line);
                block = stop ? stop + 1 : end;
                block_line = line + 1;
            }
        } else if (!fence && at < eol && *at == '|' && !r.table_done) {
            ok = read_row(&r, at, eol, line);
        } else if (!fence && r.page.id) {
            r.table_done = true;
        }
        at = stop ? stop + 1 : end;
    }
    if (ok && fence)
        ok = bad(&r, line, "a block without its end");
    ok = ok && finish(&r);
    if (arena_failed(lib->a))
        return SP_ERR_MEMORY;
    if (!ok)
        return SP_ERR_FORMAT;
    VEC_PUSH(lib->a, lib->pages, r.page);
    return arena_failed(lib->a) ? SP_ERR_MEMORY : SP_OK;
}
