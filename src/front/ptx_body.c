/* Statements of a function: labels, scopes, declarations, instructions with their operands. Names are resolved where
 * they stand; labels, which may come later, when the body is read.
 *
 * requires: a parser behind the opening brace · gives: instructions of the function */
#include "front/ptx_internal.h"

#include <string.h>

enum { OPERAND_DEPTH = 8, OPERANDS_MAX = 4096 };

static struct ptx_function *function_of(struct ptx_parser *p)
{
    return &p->m->functions.p[p->function - 1];
}

/* ---- operands -------------------------------------------------------------------------------- */

/* A register of a range: "%r12" of `%r<20>`. */
static bool find_in_range(struct ptx_parser *p, struct ptx_word w, uint32_t *reg, unsigned *vector)
{
    uint32_t digits = 0, number = 0, binding, index;
    while (digits < w.n && digits < 9 && w.p[w.n - 1 - digits] >= '0' && w.p[w.n - 1 - digits] <= '9')
        digits++;
    if (!digits || digits == w.n)
        return false;
    while (digits > 1 && w.p[w.n - digits] == '0') /* %r007 is not in a range of %r, but %r0 is */
        digits--;
    for (uint32_t i = w.n - digits; i < w.n; i++)
        number = number * 10 + (unsigned)(w.p[i] - '0');
    const struct ptx_binding *b =
        ptx_find(p, p->scope, ptx_name_number(p, (struct ptx_word){w.p, w.n - digits}), &binding);
    if (!b || b->kind != PTX_BIND_RANGE || number >= b->count)
        return false;
    *vector = b->index;
    if (map_u64_get(&p->ranged, (uint64_t)binding << 32 | number, &index)) {
        *reg = index;
        return true;
    }
    struct ptx_function *f = function_of(p);
    unsigned bits = ptx_type_bits((enum ptx_type)b->type);
    *reg = (uint32_t)f->registers.n;
    for (unsigned i = 0; i < *vector; i++) {
        struct ptx_register r = {
            .name = ptx_copy(p, w), .type = b->type, .words = (uint8_t)(b->type == PTX_PRED ? 0 : (bits + 31) / 32)};
        VEC_PUSH(p->a, f->registers, r);
    }
    if (!map_u64_put(p->a, &p->ranged, (uint64_t)binding << 32 | number, *reg))
        p->failed = true;
    return true;
}

/* What stands behind a name's dot. */
static struct ptx_word take_suffix(struct ptx_parser *p)
{
    struct ptx_word w = {0};
    if (p->token.kind == PTX_T_DOT && p->token.glued) {
        w = p->token.word;
        ptx_next(p);
    }
    return w;
}

static int component(struct ptx_word suffix)
{
    static const char names[2][5] = {"xyzw", "rgba"};
    for (unsigned k = 0; k < 2 && suffix.n == 1; k++)
        for (unsigned i = 0; i < 4; i++)
            if (suffix.p[0] == names[k][i])
                return (int)i;
    return -1;
}

/* + 8, - 4, any number of times; false when that is not what stands there. */
static bool take_offset(struct ptx_parser *p, int64_t *value)
{
    while (ptx_at(p, '+') || ptx_at(p, '-')) {
        bool minus = ptx_at(p, '-');
        ptx_next(p);
        if (ptx_at(p, '-')) {
            minus = !minus;
            ptx_next(p);
        }
        if (p->token.kind != PTX_T_INTEGER)
            return false;
        uint64_t sum = (uint64_t)*value + (minus ? -p->token.value : p->token.value);
        *value = (int64_t)sum;
        ptx_next(p);
    }
    return true;
}

static bool parse_name(struct ptx_parser *p, struct ptx_operand *o)
{
    struct ptx_word w = p->token.word;
    uint32_t reg;
    unsigned vector = 1;
    ptx_next(p);
    o->name = w;
    if (ptx_word_is(w, "_")) {
        o->kind = PTX_NOTHING;
        return true;
    }
    const struct ptx_binding *b = ptx_find(p, p->scope, ptx_name_number(p, w), NULL);
    if (b && b->kind == PTX_BIND_RANGE)
        b = NULL;
    bool is_register = b ? b->kind == PTX_BIND_REGISTER : find_in_range(p, w, &reg, &vector);
    if (is_register) {
        struct ptx_word suffix = take_suffix(p);
        if (b) {
            reg = b->index;
            vector = b->count;
        }
        int part = suffix.n ? component(suffix) : 0;
        o->kind = PTX_REGISTER;
        o->index = reg;
        o->part = part < 0 || (unsigned)part >= vector || (vector > 1 && !suffix.n);
        if (part > 0 && !o->part)
            o->index += (unsigned)part;
        return true;
    }
    if (b && b->kind == PTX_BIND_VARIABLE) {
        o->kind = PTX_ADDRESS;
        o->index = b->index;
        return take_offset(p, &o->value);
    }
    if (b && b->kind == PTX_BIND_FUNCTION) {
        o->kind = PTX_FUNCTION;
        o->index = b->index;
        return true;
    }
    if (w.p[0] == '%') {
        struct ptx_word suffix = take_suffix(p);
        if (suffix.n)
            o->name.n = (uint32_t)(suffix.p + suffix.n - w.p);
        o->kind = PTX_SPECIAL;
        int number = ptx_special(o->name);
        o->index = number < 0 ? UINT32_MAX : (uint32_t)number;
        return true;
    }
    if (ptx_word_is(w, "WARP_SZ")) {
        o->kind = PTX_INTEGER;
        o->value = 32;
        return true;
    }
    o->kind = PTX_NAME; /* a label, as a rule */
    return true;
}

static bool parse_operand(struct ptx_parser *p, struct ptx_operand *out, unsigned depth);

/* Operands up to a closing mark, as the items of `o`. */
static bool parse_items(struct ptx_parser *p, struct ptx_operand *o, char close, unsigned depth)
{
    size_t first = p->stack.n;
    bool well = true;
    while (well && !ptx_take(p, close)) {
        struct ptx_operand item = {0};
        well = p->stack.n - first < OPERANDS_MAX && parse_operand(p, &item, depth + 1);
        VEC_PUSH(p->a, p->stack, item);
        if (well && !ptx_take(p, ',') && !ptx_at(p, close))
            well = false;
    }
    uint32_t n = (uint32_t)(p->stack.n - first);
    o->items = ARENA_ARRAY(p->a, struct ptx_operand, n);
    if (!o->items) {
        p->failed = true;
        n = 0;
    }
    for (uint32_t i = 0; i < n; i++)
        o->items[i] = p->stack.p[first + i];
    o->item_count = n;
    p->stack.n = first;
    return well;
}

/* [base + 8], [base, {x, y}]; the offset is the operand's own. */
static bool parse_memory(struct ptx_parser *p, struct ptx_operand *o, unsigned depth)
{
    o->kind = PTX_MEMORY;
    if (!parse_items(p, o, ']', depth) || !o->item_count)
        return false;
    struct ptx_operand *base = &o->items[0];
    if (base->kind == PTX_REGISTER || base->kind == PTX_INTEGER) {
        o->value = base->value;
        base->value = base->kind == PTX_REGISTER ? 0 : base->value;
        if (base->kind == PTX_INTEGER)
            o->value = 0;
    }
    return true;
}

static bool parse_number(struct ptx_parser *p, struct ptx_operand *o, bool minus)
{
    uint64_t v = p->token.value;
    switch (p->token.kind) {
    case PTX_T_INTEGER:
        o->kind = PTX_INTEGER;
        o->value = (int64_t)(minus ? -v : v);
        break;
    case PTX_T_FLOAT32:
        o->kind = PTX_FLOAT32;
        o->value = (int64_t)(minus ? v ^ UINT64_C(0x80000000) : v);
        break;
    case PTX_T_FLOAT64:
        o->kind = PTX_FLOAT64;
        o->value = (int64_t)(minus ? v ^ UINT64_C(0x8000000000000000) : v);
        break;
    default: return false;
    }
    ptx_next(p);
    return o->kind != PTX_INTEGER || take_offset(p, &o->value);
}

static bool parse_operand(struct ptx_parser *p, struct ptx_operand *out, unsigned depth)
{
    if (depth > OPERAND_DEPTH)
        return false;
    *out = (struct ptx_operand){0};
    if (ptx_take(p, '!'))
        out->negated = true;
    bool minus = ptx_take(p, '-');
    if (minus || p->token.kind == PTX_T_INTEGER || p->token.kind == PTX_T_FLOAT32 || p->token.kind == PTX_T_FLOAT64)
        return !out->negated && parse_number(p, out, minus);
    if (ptx_take(p, '{')) {
        out->kind = PTX_VECTOR;
        return parse_items(p, out, '}', depth);
    }
    if (ptx_take(p, '(')) {
        out->kind = PTX_LIST;
        return parse_items(p, out, ')', depth);
    }
    if (ptx_take(p, '['))
        return parse_memory(p, out, depth);
    if (p->token.kind != PTX_T_NAME || !parse_name(p, out))
        return false;
    if (out->kind == PTX_REGISTER && (ptx_at(p, '+') || ptx_at(p, '-')) && depth)
        return take_offset(p, &out->value); /* inside brackets */
    if (ptx_take(p, '|')) {
        struct ptx_operand *two = ARENA_ARRAY(p->a, struct ptx_operand, 2);
        if (!two) {
            p->failed = true;
            return false;
        }
        two[0] = *out;
        if (p->token.kind != PTX_T_NAME || !parse_name(p, &two[1]))
            return false;
        *out = (struct ptx_operand){.kind = PTX_DUAL, .items = two, .item_count = 2};
    }
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool parse_guard(struct ptx_parser *p, struct ptx_insn *i)
{
    struct ptx_operand o = {0};
    i->guard_not = ptx_take(p, '!');
    if (p->token.kind != PTX_T_NAME || !parse_name(p, &o) || o.kind != PTX_REGISTER || o.part ||
        function_of(p)->registers.p[o.index].type != PTX_PRED)
        return false;
    i->guard = (int32_t)o.index;
    return true;
}

static bool parse_parts(struct ptx_parser *p, struct ptx_insn *i)
{
    if (p->token.kind != PTX_T_NAME)
        return false;
    i->op = p->token.word;
    ptx_next(p);
    while (p->token.kind == PTX_T_DOT) {
        if (i->mod_count < PTX_MODS)
            i->mods[i->mod_count++] = p->token.word;
        else
            i->too_long = true;
        ptx_next(p);
    }
    return true;
}

static void parse_instruction(struct ptx_parser *p)
{
    struct ptx_token start = p->token;
    struct ptx_insn i = {.line = start.line, .column = start.column, .guard = -1, .loc = p->loc, .scope = p->scope};
    struct ptx_operand all = {0};
    bool well = !ptx_take(p, '@') || parse_guard(p, &i);
    if (well && !(well = parse_parts(p, &i)))
        ptx_error(p, &p->token, "an instruction is expected");
    else if (!well)
        ptx_error(p, &p->token, "a predicate register is expected behind `@`");
    struct ptx_token at = p->token;
    if (well && !ptx_at(p, ';')) {
        size_t first = p->stack.n;
        do {
            struct ptx_operand o = {0};
            at = p->token;
            well = p->stack.n - first < OPERANDS_MAX && parse_operand(p, &o, 0);
            VEC_PUSH(p->a, p->stack, o);
        } while (well && ptx_take(p, ','));
        all.item_count = (uint32_t)(p->stack.n - first);
        all.items = ARENA_ARRAY(p->a, struct ptx_operand, all.item_count);
        if (!all.items)
            p->failed = true;
        for (uint32_t k = 0; k < all.item_count && all.items; k++)
            all.items[k] = p->stack.p[first + k];
        p->stack.n = first;
        if (!well)
            ptx_error(p, &at, "an operand of `%.*s` is expected, not `%.*s`", (int)(i.op.n < 40 ? i.op.n : 40), i.op.p,
                      (int)(at.word.n < 40 ? at.word.n : 40), at.word.p);
    }
    const char *end = p->before;
    if (well && !ptx_at(p, ';')) {
        ptx_error(p, &p->token, "`;` is expected behind `%.*s`", (int)(i.op.n < 40 ? i.op.n : 40), i.op.p);
        well = false;
    }
    if (p->failed)
        return;
    i.damaged = !well;
    i.operands = all.items;
    i.operand_count = well ? all.item_count : 0;
    if (!well && p->lexer.line == start.line && p->token.kind != PTX_T_END)
        end = p->lexer.at;
    i.text = (struct ptx_word){start.word.p, (uint32_t)(end > start.word.p ? end - start.word.p : 0)};
    i.rolled = p->rolled;
    p->rolled = false;
    VEC_PUSH(p->a, function_of(p)->insns, i);
    if (well)
        ptx_next(p);
    else
        ptx_skip_statement(p);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void parse_targets(struct ptx_parser *p, uint32_t label)
{
    struct ptx_operand list = {0};
    struct ptx_token at = p->token;
    if (!parse_items(p, &list, ';', 0)) {
        ptx_error(p, &at, "labels are expected");
        ptx_skip_statement(p);
        return;
    }
    struct ptx_function *f = function_of(p);
    VEC_PUSH(p->a, f->targets, (struct ptx_targets){.labels = list.items, .count = list.item_count});
    if (label != UINT32_MAX)
        ptx_bind(p, label, (struct ptx_binding){.kind = PTX_BIND_TARGETS, .index = (uint32_t)f->targets.n - 1});
}

static void parse_directive(struct ptx_parser *p, uint32_t label)
{
    static const struct {
        const char *name;
        uint8_t space;
    } spaces[] = {{"reg", PTX_REG},     {"local", PTX_LOCAL}, {"shared", PTX_SHARED},
                  {"param", PTX_PARAM}, {"const", PTX_CONST}, {"global", PTX_GLOBAL}};
    struct ptx_token at = p->token;
    uint32_t first, count;
    ptx_next(p);
    if (ptx_word_is(at.word, "loc")) {
        ptx_parse_loc(p);
        return;
    }
    if (ptx_word_is(at.word, "file")) {
        ptx_parse_file(p);
        return;
    }
    if (ptx_word_is(at.word, "section")) {
        ptx_parse_section(p);
        return;
    }
    if (ptx_word_is(at.word, "branchtargets")) {
        parse_targets(p, label);
        return;
    }
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (ptx_word_is(at.word, spaces[i].name)) {
            ptx_parse_variables(p, (enum ptx_space)spaces[i].space, false, &first, &count);
            return;
        }
    if (ptx_word_is(at.word, "pragma")) {
        p->rolled |= ptx_parse_pragma(p);
        return;
    }
    bool known = ptx_word_is(at.word, "callprototype") || ptx_word_is(at.word, "calltargets") ||
                 ptx_word_is(at.word, "maxnreg") || ptx_word_is(at.word, "extern");
    if (!known)
        ptx_error(p, &at, "no directive `.%.*s` is known here", (int)(at.word.n < 60 ? at.word.n : 60), at.word.p);
    ptx_skip_statement(p);
}

static void resolve_operand(struct ptx_parser *p, uint32_t scope, struct ptx_operand *o)
{
    if (o->kind != PTX_NAME)
        return;
    const struct ptx_binding *b = ptx_find(p, scope, ptx_name_number(p, o->name), NULL);
    if (b && b->kind == PTX_BIND_LABEL) {
        o->kind = PTX_LABEL;
        o->index = b->index;
    } else if (b && b->kind == PTX_BIND_TARGETS) {
        o->kind = PTX_TARGETS;
        o->index = b->index;
    } else if (b && b->kind == PTX_BIND_FUNCTION) {
        o->kind = PTX_FUNCTION;
        o->index = b->index;
    }
}

static void resolve_labels(struct ptx_parser *p, uint32_t scope)
{
    struct ptx_function *f = function_of(p);
    for (size_t i = 0; i < f->insns.n; i++) {
        struct ptx_insn *insn = &f->insns.p[i];
        for (uint32_t k = 0; k < insn->operand_count; k++) {
            struct ptx_operand *o = &insn->operands[k];
            resolve_operand(p, insn->scope, o);
            for (uint32_t j = 0; j < o->item_count; j++)
                resolve_operand(p, insn->scope, &o->items[j]);
        }
        bool branches = ptx_word_is(insn->op, "bra") && insn->operand_count == 1 && insn->operands[0].kind == PTX_NAME;
        if (branches) {
            struct ptx_token at = {.line = insn->line, .column = insn->column};
            struct ptx_word w = insn->operands[0].name;
            ptx_error(p, &at, "no label `%.*s` in this function", (int)(w.n < 100 ? w.n : 100), w.p);
        }
    }
    for (size_t i = 0; i < f->targets.n; i++)
        for (uint32_t k = 0; k < f->targets.p[i].count; k++)
            resolve_operand(p, scope, &f->targets.p[i].labels[k]);
}

void ptx_parse_body(struct ptx_parser *p)
{
    uint32_t outer = p->depth, scope = p->scope;
    uint64_t flat = 0; /* braces too deep to be scopes */
    while (!p->failed && !arena_failed(p->a)) {
        struct ptx_token at = p->token;
        if (at.kind == PTX_T_END) {
            ptx_error(p, &at, "the text ends inside a function");
            break;
        }
        if (ptx_take(p, '{')) {
            flat += !ptx_open_scope(p);
        } else if (ptx_take(p, '}')) {
            if (flat)
                flat--;
            else if (p->depth == outer)
                break;
            else
                ptx_close_scope(p);
        } else if (ptx_take(p, ';')) {
            continue;
        } else if (at.kind == PTX_T_DOT) {
            parse_directive(p, UINT32_MAX);
        } else if (at.kind == PTX_T_NAME) {
            struct ptx_lexer ahead = p->lexer;
            struct ptx_token next = ptx_lex(&ahead);
            if (next.kind != PTX_T_MARK || next.mark != ':') {
                parse_instruction(p);
                continue;
            }
            ptx_next(p);
            ptx_next(p);
            uint32_t label = ptx_name_number(p, at.word);
            bool names_list = p->token.kind == PTX_T_DOT && (ptx_word_is(p->token.word, "branchtargets") ||
                                                             ptx_word_is(p->token.word, "callprototype") ||
                                                             ptx_word_is(p->token.word, "calltargets"));
            if (names_list) {
                parse_directive(p, label);
            } else {
                p->rolled = false; /* a pragma that stands before is of the block before */
                ptx_bind(p, label,
                         (struct ptx_binding){.kind = PTX_BIND_LABEL, .index = (uint32_t)function_of(p)->insns.n});
            }
        } else if (ptx_at(p, '@')) {
            parse_instruction(p);
        } else {
            ptx_error(p, &at, "a statement is expected, not `%.*s`", (int)(at.word.n < 60 ? at.word.n : 60), at.word.p);
            parse_instruction(p);
            if (p->token.word.p == at.word.p)
                ptx_next(p);
        }
    }
    function_of(p)->line_end = p->token.line;
    resolve_labels(p, scope);
}
