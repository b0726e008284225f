/* Parses a CUDA-like block into declarations, conditions and one statement or expression: recursive
 * descent, binary operators by precedence climbing. Depth, arguments and declarations are bounded, so no
 * text can exhaust the stack. Requires nothing of the text; gives trees on the arena, or one diagnostic
 * that names the line. */
#include "front/cu.h"
#include "front/cu_lex.h"

#include <stdarg.h>
#include <string.h>

enum { DEPTH_MAX = 48, WHERE_MAX = 16 };

struct parser {
    struct arena *a;
    struct diag_sink *diags;
    const char *where;
    struct cu_lexer lexer;
    struct cu_token token;
    unsigned depth;
    bool failed;
};

static void advance(struct parser *p)
{
    p->token = cu_lex(&p->lexer);
}

static void *fail(struct parser *p, const char *expected)
{
    if (!p->failed && p->diags) {
        int shown = p->token.size > 40 ? 40 : (int)p->token.size;
        if (p->token.kind == CU_T_END)
            diag_add(p->diags, DIAG_ERROR, "pattern-block", p->where, -1, "line %u: expected %s before the end",
                     p->token.line, expected);
        else
            diag_add(p->diags, DIAG_ERROR, "pattern-block", p->where, -1, "line %u: expected %s, found \"%.*s\"",
                     p->token.line, expected, shown, p->token.at);
    }
    p->failed = true;
    return NULL;
}

static bool is_word(const struct parser *p, const char *word)
{
    return p->token.kind == CU_T_NAME && strlen(word) == p->token.size && memcmp(word, p->token.at, p->token.size) == 0;
}

static bool is_mark(const struct parser *p, const char *mark)
{
    return p->token.kind == CU_T_MARK && strlen(mark) == p->token.size && memcmp(mark, p->token.at, p->token.size) == 0;
}

static bool take(struct parser *p, const char *mark)
{
    if (!is_mark(p, mark))
        return false;
    advance(p);
    return true;
}

static bool need(struct parser *p, const char *mark)
{
    if (take(p, mark))
        return true;
    char expected[8] = "\"";
    strncat(expected, mark, 4);
    strncat(expected, "\"", 2);
    fail(p, expected);
    return false;
}

static struct cu_expr *make(struct parser *p, enum cu_kind kind, struct cu_expr *const *args, unsigned count)
{
    struct cu_expr *e = ARENA_NEW(p->a, struct cu_expr);
    struct cu_expr **copy = ARENA_ARRAY(p->a, struct cu_expr *, count ? count : 1);
    if (!e || !copy)
        return fail(p, "memory");
    for (unsigned i = 0; i < count; i++)
        copy[i] = args[i];
    *e = (struct cu_expr){.kind = kind, .arg = copy, .arg_count = count, .line = p->token.line};
    return e;
}

static struct cu_expr *parse_choice(struct parser *p);

/* An operator by itself before a comma names an operation: reduce(+, e). NULL: none stands here. */
static struct cu_expr *parse_operation_name(struct parser *p)
{
    static const char *const marks[] = {"+", "*", "&", "|", "^"};
    struct parser before = *p;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (!take(p, marks[i]))
            continue;
        if (is_mark(p, ",")) {
            struct cu_expr *e = make(p, CU_NAME, NULL, 0);
            if (e)
                e->text = marks[i];
            return e;
        }
        *p = before;
    }
    return NULL;
}

static struct cu_expr *parse_arguments(struct parser *p, const char *name)
{
    struct cu_expr *args[CU_MAX_ARGS];
    unsigned count = 0;
    bool ellipsis = false;
    while (!is_mark(p, ")")) {
        if (take(p, "...")) {
            ellipsis = true;
            break;
        }
        if (count == CU_MAX_ARGS)
            return fail(p, "at most eight arguments");
        args[count] = parse_operation_name(p);
        if (!args[count])
            args[count] = parse_choice(p);
        if (!args[count++])
            return NULL;
        if (!take(p, ","))
            break;
    }
    if (!need(p, ")"))
        return NULL;
    struct cu_expr *e = make(p, CU_CALL, args, count);
    if (e) {
        e->text = name;
        e->ellipsis = ellipsis;
    }
    return e;
}

static struct cu_expr *parse_primary(struct parser *p)
{
    struct cu_expr *e;
    if (take(p, "(")) {
        e = parse_choice(p);
        return e && need(p, ")") ? e : NULL;
    }
    if (p->token.kind == CU_T_NUMBER) {
        e = make(p, CU_NUMBER, NULL, 0);
        if (e) {
            e->number = p->token.number;
            e->type = p->token.type;
        }
        advance(p);
        return e;
    }
    if (p->token.kind != CU_T_NAME)
        return fail(p, "an expression");
    const char *name = arena_strndup(p->a, p->token.at, p->token.size);
    if (!name)
        return fail(p, "memory");
    advance(p);
    if (take(p, "("))
        return parse_arguments(p, name);
    if (take(p, ".")) {
        if (p->token.kind != CU_T_NAME)
            return fail(p, "a member");
        name = arena_printf(p->a, "%s.%.*s", name, (int)p->token.size, p->token.at);
        advance(p);
    }
    e = make(p, CU_NAME, NULL, 0);
    if (e)
        e->text = name;
    return e;
}

static struct cu_expr *parse_unary(struct parser *p)
{
    static const struct {
        const char *mark;
        enum cu_op op;
    } unary[] = {{"!", CU_NOT}, {"~", CU_INVERT}, {"-", CU_NEGATE}, {"&", CU_ADDRESS}, {"*", CU_DEREFERENCE}};
    if (p->depth >= DEPTH_MAX)
        return fail(p, "less nesting");
    for (size_t i = 0; i < sizeof unary / sizeof unary[0]; i++) {
        if (!take(p, unary[i].mark))
            continue;
        p->depth++;
        struct cu_expr *arg = parse_unary(p);
        p->depth--;
        if (!arg)
            return NULL;
        if (unary[i].op == CU_NEGATE && arg->kind == CU_NUMBER) {
            arg->number = -arg->number;
            return arg;
        }
        struct cu_expr *e = make(p, CU_UNARY, &arg, 1);
        if (e)
            e->op = unary[i].op;
        return e;
    }
    struct cu_expr *e = parse_primary(p);
    while (e && take(p, "[")) {
        struct cu_expr *index = parse_choice(p);
        if (!index || !need(p, "]"))
            return NULL;
        e = make(p, CU_ELEMENT, (struct cu_expr *[]){e, index}, 2);
    }
    return e;
}

/* Binary operators, weakest first; equal levels are left-associative. */
static const struct {
    const char *mark;
    enum cu_op op;
    int level;
} binary[] = {
    {"||", CU_LOGIC_OR, 1}, {"&&", CU_LOGIC_AND, 2}, {"|", CU_OR, 3},   {"^", CU_XOR, 4}, {"&", CU_AND, 5},
    {"==", CU_EQ, 6},       {"!=", CU_NE, 6},        {"<", CU_LT, 7},   {"<=", CU_LE, 7}, {">", CU_GT, 7},
    {">=", CU_GE, 7},       {"<<", CU_SHL, 8},       {">>", CU_SHR, 8}, {"+", CU_ADD, 9}, {"-", CU_SUB, 9},
    {"*", CU_MUL, 10},      {"/", CU_DIV, 10},       {"%", CU_REM, 10},
};

static struct cu_expr *parse_binary(struct parser *p, int level)
{
    struct cu_expr *left = parse_unary(p);
    while (left) {
        size_t i = 0, count = sizeof binary / sizeof binary[0];
        while (i < count && !(binary[i].level >= level && is_mark(p, binary[i].mark)))
            i++;
        if (i == count)
            break;
        advance(p);
        struct cu_expr *right = parse_binary(p, binary[i].level + 1);
        if (!right)
            return NULL;
        left = make(p, CU_BINARY, (struct cu_expr *[]){left, right}, 2);
        if (left)
            left->op = binary[i].op;
    }
    return left;
}

static struct cu_expr *parse_choice(struct parser *p)
{
    if (p->depth >= DEPTH_MAX)
        return fail(p, "less nesting");
    p->depth++;
    struct cu_expr *e = parse_binary(p, 1);
    if (e && take(p, "?")) {
        struct cu_expr *yes = parse_choice(p);
        struct cu_expr *no = yes && need(p, ":") ? parse_choice(p) : NULL;
        e = no ? make(p, CU_CHOICE, (struct cu_expr *[]){e, yes, no}, 3) : NULL;
    }
    p->depth--;
    return e;
}

static int type_word(const struct parser *p)
{
    static const struct {
        const char *word;
        enum cu_type type;
    } types[] = {{"auto", CU_AUTO}, {"float", CU_FLOAT},       {"double", CU_DOUBLE}, {"half", CU_HALF},
                 {"int", CU_INT},   {"unsigned", CU_UNSIGNED}, {"size_t", CU_SIZE},   {"bool", CU_BOOL}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (is_word(p, types[i].word))
            return (int)types[i].type;
    return -1;
}

static bool parse_parameters(struct parser *p, struct cu_variable *v)
{
    v->operation = true;
    while (!is_mark(p, ")")) {
        if (p->token.kind != CU_T_NAME)
            return fail(p, "a name") != NULL;
        advance(p);
        v->argument_count++;
        if (!take(p, ","))
            break;
    }
    return need(p, ")");
}

static bool parse_declarator(struct parser *p, struct cu_block *b, struct cu_variable *list, struct cu_variable v)
{
    v.pointer = take(p, "*");
    if (p->token.kind != CU_T_NAME)
        return fail(p, "a name") != NULL;
    if (b->variable_count == CU_MAX_VARIABLES)
        return fail(p, "at most sixteen names") != NULL;
    v.name = arena_strndup(p->a, p->token.at, p->token.size);
    if (!v.name || cu_find_variable(b, v.name) >= 0)
        return fail(p, "a new name") != NULL;
    advance(p);
    if (take(p, "[")) {
        if (v.pointer)
            return fail(p, "* or [], not both") != NULL;
        v.pointer = true;
        if (!need(p, "]"))
            return false;
    } else if (take(p, "(")) {
        if (!parse_parameters(p, &v))
            return false;
    } else if (!v.pointer && take(p, "=")) {
        v.value = parse_choice(p);
        if (!v.value)
            return false;
    }
    list[b->variable_count++] = v;
    return true;
}

/* Declarations up to the first word that is no type. */
static bool parse_declarations(struct parser *p, struct cu_block *b)
{
    struct cu_variable *list = ARENA_ARRAY(p->a, struct cu_variable, CU_MAX_VARIABLES);
    if (!list)
        return fail(p, "memory") != NULL;
    b->variables = list;
    for (;;) {
        struct cu_variable v = {0};
        if (is_word(p, "__shared__") || is_word(p, "__local__")) {
            v.place = is_word(p, "__shared__") ? CU_SHARED : CU_LOCAL;
            advance(p);
        }
        v.constant = is_word(p, "const");
        if (v.constant)
            advance(p);
        int type = type_word(p);
        if (type < 0)
            return v.constant || v.place ? fail(p, "a type") != NULL : true;
        v.type = (enum cu_type)type;
        advance(p);
        do {
            if (!parse_declarator(p, b, list, v))
                return false;
        } while (take(p, ","));
        if (!need(p, ";"))
            return false;
    }
}

static bool parse_wheres(struct parser *p, struct cu_block *b)
{
    struct cu_expr **list = ARENA_ARRAY(p->a, struct cu_expr *, WHERE_MAX);
    if (!list)
        return fail(p, "memory") != NULL;
    b->where = list;
    while (is_word(p, "where")) {
        do {
            advance(p);
            if (b->where_count == WHERE_MAX)
                return fail(p, "at most sixteen conditions") != NULL;
            struct cu_expr *e = parse_choice(p);
            if (!e)
                return false;
            list[b->where_count++] = e;
        } while (is_mark(p, ","));
        if (!need(p, ";"))
            return false;
    }
    return true;
}

/* What the body computes: a word of its own before the body. */
static bool parse_reads(struct parser *p, struct cu_block *b)
{
    b->expands = is_word(p, "expands");
    if (!b->expands && !is_word(p, "reads"))
        return true;
    advance(p);
    b->reads = parse_choice(p);
    return b->reads && need(p, ";");
}

/* One statement, or a value by itself. `...;` gives `nothing`. */
static bool parse_statement(struct parser *p, struct cu_statement *s, bool *nothing)
{
    *nothing = false;
    if (take(p, "...")) {
        *nothing = !s->condition;
        s->form = CU_BRANCH;
        return need(p, ";");
    }
    if (is_word(p, "if")) {
        if (s->condition)
            return fail(p, "one if") != NULL;
        advance(p);
        if (!need(p, "("))
            return false;
        s->condition = parse_choice(p);
        if (!s->condition || !need(p, ")"))
            return false;
        if (is_word(p, "return")) {
            advance(p);
            s->form = CU_LEAVE;
            return need(p, ";");
        }
        return parse_statement(p, s, nothing);
    }
    struct cu_expr *e = parse_choice(p);
    if (!e)
        return false;
    s->value = e;
    s->form = CU_VALUE;
    if (take(p, "=")) {
        if (e->kind != CU_ELEMENT && e->kind != CU_NAME)
            return fail(p, "a name or an element on the left of =") != NULL;
        s->form = e->kind == CU_ELEMENT ? CU_STORE : CU_ASSIGN;
        s->target = e;
        s->value = parse_choice(p);
        return s->value && need(p, ";");
    }
    if (take(p, ";") && e->kind == CU_CALL)
        s->form = CU_PERFORM;
    return true;
}

/* name op= expression: what the counter is set to. */
static bool parse_update(struct parser *p, struct cu_loop *loop)
{
    static const char *const marks[] = {"+", "-", "*", "/", ">>", "<<"};
    static const enum cu_op ops[] = {CU_ADD, CU_SUB, CU_MUL, CU_DIV, CU_SHR, CU_SHL};
    if (p->token.kind != CU_T_NAME || !loop->counter || !is_word(p, loop->counter))
        return fail(p, "the counter") != NULL;
    advance(p);
    if (take(p, "=")) {
        loop->next = parse_choice(p);
        return loop->next != NULL;
    }
    size_t i = 0;
    while (i < sizeof marks / sizeof marks[0] && !is_mark(p, marks[i]))
        i++;
    if (i == sizeof marks / sizeof marks[0])
        return fail(p, "an assignment to the counter") != NULL;
    advance(p);
    if (!need(p, "="))
        return false;
    struct cu_expr *counter = make(p, CU_NAME, NULL, 0), *by = parse_choice(p);
    if (!counter || !by)
        return false;
    counter->text = loop->counter;
    struct cu_expr *e = make(p, CU_BINARY, (struct cu_expr *[]){counter, by}, 2);
    if (!e)
        return false;
    e->op = ops[i];
    loop->next = e;
    return true;
}

/* "(" [name = start] ; [condition] ; [update] ")", or "(...)" for any loop. */
static bool parse_head(struct parser *p, struct cu_loop *loop)
{
    if (!need(p, "("))
        return false;
    if (take(p, "...") && take(p, ")"))
        return true;
    if (p->token.kind == CU_T_NAME) {
        loop->counter = arena_strndup(p->a, p->token.at, p->token.size);
        advance(p);
        if (!loop->counter || !need(p, "="))
            return false;
        if (!take(p, "...") && !(loop->start = parse_choice(p)))
            return false;
    }
    if (!need(p, ";"))
        return false;
    if (!take(p, "...") && !(loop->condition = parse_choice(p)))
        return false;
    if (!need(p, ";"))
        return false;
    if (!take(p, "...") && !parse_update(p, loop))
        return false;
    return need(p, ")");
}

static bool add_statement(struct parser *p, struct cu_statement *list, struct cu_block *b)
{
    struct cu_statement s = {0};
    bool nothing;
    if (!parse_statement(p, &s, &nothing))
        return false;
    if (nothing)
        return true;
    if (s.form == CU_VALUE || s.form == CU_LEAVE)
        return fail(p, "a statement") != NULL;
    if (b->statement_count == CU_MAX_STATEMENTS)
        return fail(p, "at most eight statements") != NULL;
    list[b->statement_count++] = s;
    return true;
}

/* What names are when the loop is over. */
static bool parse_results(struct parser *p, struct cu_block *b)
{
    while (p->token.kind != CU_T_END && !is_mark(p, "}")) {
        struct cu_expr *e = parse_choice(p);
        if (!e)
            return false;
        if (e->kind != CU_BINARY || e->op != CU_EQ || e->arg[0]->kind != CU_NAME)
            return fail(p, "a name == what it is") != NULL;
        if (b->result_count == CU_MAX_RESULTS)
            return fail(p, "at most four results") != NULL;
        b->result[b->result_count++] = e;
        if (!need(p, ";"))
            return false;
    }
    return true;
}

static bool parse_loop(struct parser *p, struct cu_statement *list, struct cu_block *b)
{
    b->form = CU_LOOP;
    if (take(p, "#")) {
        if (!is_word(p, "pragma"))
            return fail(p, "pragma") != NULL;
        advance(p);
        if (!is_word(p, "unroll"))
            return fail(p, "unroll") != NULL;
        advance(p);
        if (p->token.kind != CU_T_NAME || is_word(p, "for"))
            return fail(p, "a name for the factor") != NULL;
        b->loop.unroll = arena_strndup(p->a, p->token.at, p->token.size);
        advance(p);
    }
    if (!is_word(p, "for"))
        return fail(p, "for") != NULL;
    advance(p);
    if (!parse_head(p, &b->loop))
        return false;
    if (!take(p, "{"))
        return add_statement(p, list, b) && parse_results(p, b);
    while (p->token.kind != CU_T_END && !is_mark(p, "}"))
        if (!add_statement(p, list, b))
            return false;
    return need(p, "}") && parse_results(p, b);
}

static bool parse_body(struct parser *p, struct cu_block *b)
{
    struct cu_statement *list = ARENA_ARRAY(p->a, struct cu_statement, CU_MAX_STATEMENTS);
    struct cu_statement first = {0};
    bool nothing;
    if (!list)
        return fail(p, "memory") != NULL;
    b->statements = list;
    if (is_word(p, "for") || is_mark(p, "#"))
        return parse_loop(p, list, b);
    if (!parse_statement(p, &first, &nothing))
        return false;
    if (nothing)
        return fail(p, "a statement") != NULL;
    b->form = first.form;
    b->condition = first.condition;
    b->target = first.target;
    b->value = first.value;
    if (first.form == CU_VALUE || p->token.kind == CU_T_END || is_mark(p, "}"))
        return true;
    b->form = CU_SEQUENCE;
    list[b->statement_count++] = first;
    while (p->token.kind != CU_T_END && !is_mark(p, "}"))
        if (!add_statement(p, list, b))
            return false;
    return true;
}

static struct parser begin(struct arena *a, const char *where, unsigned first_line, const char *text, size_t size,
                           struct diag_sink *diags)
{
    struct parser p = {
        .a = a, .diags = diags, .where = where, .lexer = {.at = text, .end = text + size, .line = first_line}};
    advance(&p);
    return p;
}

static enum sp_status finish(struct parser *p, bool ok)
{
    if (arena_failed(p->a))
        return SP_ERR_MEMORY;
    if (ok && p->token.kind != CU_T_END) {
        fail(p, "the end of the block");
        ok = false;
    }
    return ok ? SP_OK : SP_ERR_FORMAT;
}

enum sp_status cu_parse_block(struct arena *a, const char *where, unsigned first_line, const char *text, size_t size,
                              struct diag_sink *diags, struct cu_block *out)
{
    struct parser p = begin(a, where, first_line, text, size, diags);
    *out = (struct cu_block){0};
    if (is_word(&p, "__global__")) {
        out->whole_kernel = true;
        advance(&p);
        if (!need(&p, "{"))
            return finish(&p, false);
    }
    bool ok = parse_declarations(&p, out) && parse_wheres(&p, out) && parse_reads(&p, out) && parse_body(&p, out);
    if (ok && out->whole_kernel)
        ok = need(&p, "}");
    return finish(&p, ok);
}

enum sp_status cu_parse_expr(struct arena *a, const char *where, unsigned first_line, const char *text, size_t size,
                             struct diag_sink *diags, const struct cu_expr **out)
{
    struct parser p = begin(a, where, first_line, text, size, diags);
    *out = parse_choice(&p);
    return finish(&p, *out != NULL);
}

int cu_find_variable(const struct cu_block *b, const char *name)
{
    for (unsigned i = 0; i < b->variable_count; i++)
        if (strcmp(b->variables[i].name, name) == 0)
            return (int)i;
    return -1;
}
