/* Texts of nodes as they are kept and found again. Every node is made into text once for each way of reading it, so the
 * cost is linear in the graph; a text beyond MEAN_OPERAND_MAX bytes or deeper than MEAN_DEPTH_MAX operations stands as
 * "…" in larger ones. A text may hang on where it stands: behind a loop a variable has another word than within it.
 * What hangs on nothing of the sort is made once for all places.
 * requires: names, ids · gives: mean_expr, mean_definition, mean_condition */
#include "meaning/mean_print.h"

#include "graph/graph_cycle.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Never more than MEAN_TEXT_MAX bytes are kept, so no more are made. */
struct mean_text mean_piece(struct mean *m, enum mean_prec prec, const char *format, ...)
{
    char text[MEAN_TEXT_MAX + 2];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t end = n < MEAN_TEXT_MAX ? (size_t)(n < 0 ? 0 : n) : MEAN_TEXT_MAX;
    if (n > MEAN_TEXT_MAX)
        while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) /* never inside a UTF-8 sequence */
            end--;
    char *p = n < 0 ? NULL : arena_alloc(m->a, end + 4);
    if (!p)
        return (struct mean_text){"?", PREC_PRIMARY, false};
    memcpy(p, text, end);
    if (n > MEAN_TEXT_MAX)
        memcpy(p + end, "\xe2\x80\xa6", 4);
    return (struct mean_text){p, (uint8_t)prec, n > MEAN_OPERAND_MAX};
}

const char *mean_operand(struct mean *m, struct mean_text t, enum mean_prec prec)
{
    if (t.cut)
        return "\xe2\x80\xa6";
    return t.prec >= (uint8_t)prec ? t.p : mean_piece(m, PREC_PRIMARY, "(%s)", t.p).p;
}

struct mean_text mean_text_convert(struct mean *m, struct mean_text t, enum mean_kind kind, unsigned width, unsigned as)
{
    unsigned reader = (as & MEAN_AS_TYPE) == MEAN_AS_MOVED ? (unsigned)UOP_B32 : as & MEAN_AS_TYPE;
    bool integer = kind == KIND_S32 || kind == KIND_U32 || kind == KIND_S64 || kind == KIND_U64;
    bool half = kind == KIND_S16 || kind == KIND_U16; /* a word's low half, where the load widened it */
    if (half && (reader == UOP_F16 || reader == UOP_BF16))
        return mean_piece(m, PREC_PRIMARY, "as_%s(%s)", reader == UOP_F16 ? "half" : "bfloat16",
                          mean_operand(m, t, PREC_TERNARY));
    if (mean_kind_is_float(kind) && reader >= UOP_B8 && reader <= UOP_B128)
        return mean_piece(m, PREC_PRIMARY, "bits(%s)", mean_operand(m, t, PREC_TERNARY));
    if (integer && ((reader == UOP_F32 && width == 32) || (reader == UOP_F64 && width == 64)))
        return mean_piece(m, PREC_PRIMARY, "as_%s(%s)", reader == UOP_F32 ? "float" : "double",
                          mean_operand(m, t, PREC_TERNARY));
    return t;
}

/* What a text of number format `kind` is made for when its reader is `as`: itself where that would turn it round. */
static unsigned natural_reader(enum mean_kind kind, unsigned width, unsigned as)
{
    bool moved = (as & MEAN_AS_TYPE) == MEAN_AS_MOVED;
    unsigned reader = moved ? (unsigned)UOP_B32 : as & MEAN_AS_TYPE;
    bool turns = mean_kind_is_float(kind) ? reader >= UOP_B8 && reader <= UOP_B128 && mean_kind_bits(kind) == width
                                          : reader == UOP_F32 || reader == UOP_F64;
    bool known = kind != KIND_UNKNOWN && kind != KIND_PRED && mean_kind_bits(kind) == width;
    bool told = known && kind != KIND_B32 && kind != KIND_B64;
    return (known && turns) || (told && moved) ? mean_kind_type(kind) : as;
}

/* Texts that know the same ids and stand in the same loop: 21 bits. */
static uint64_t text_age(const struct mean *m, unsigned style)
{
    const struct mean_work *w = m->work;
    if (w->updated)
        return 0x180000u | (w->updates & 0x7ffffu);
    if (w->view)
        return 0x100000u | (w->view & 0x7ffffu);
    return style & MEAN_EXPANDED ? 0 : w->epoch & 0xfffffu;
}

static uint64_t text_key(graph_id id, unsigned as, unsigned style, uint64_t age)
{
    return (uint64_t)id | (uint64_t)as << 32 | (uint64_t)(style & 7u) << 40 | age << 43;
}

/* The age of texts that stand the same wherever they are told from, once names are given. */
enum { AGE_ANYWHERE = 0x17ffff };

static bool is_aged_by_place(const struct mean *m)
{
    return m->work->view || m->work->updated;
}

bool mean_kept_text(struct mean *m, graph_id id, unsigned as, unsigned style, struct mean_text *out)
{
    uint32_t at;
    struct mean_work *w = m->work;
    bool found = is_aged_by_place(m) && map_u64_get(&w->memo, text_key(id, as, style, AGE_ANYWHERE), &at);
    if (!found && !map_u64_get(&w->memo, text_key(id, as, style, text_age(m, style)), &at))
        return false;
    w->tied += w->texts.p[at].tied;
    *out = w->texts.p[at].text;
    return true;
}

bool mean_open_text(struct mean *m, graph_id id, unsigned as, unsigned style, uint32_t *at)
{
    struct mean_kept k = {{"\xe2\x80\xa6", PREC_PRIMARY, true}, true};
    *at = (uint32_t)m->work->texts.n;
    VEC_PUSH(m->a, m->work->texts, k);
    return m->work->texts.n > *at &&
           map_u64_put(m->a, &m->work->memo, text_key(id, as, style, text_age(m, style)), *at);
}

void mean_keep_text(struct mean *m, graph_id id, unsigned as, unsigned style, struct mean_text t, uint32_t tied,
                    uint32_t open)
{
    uint32_t at = open;
    if (open == MEAN_NOT_OPEN && !mean_open_text(m, id, as, style, &at))
        return;
    m->work->texts.p[at] = (struct mean_kept){t, m->work->tied != tied};
    if (m->work->tied == tied && is_aged_by_place(m))
        map_u64_put(m->a, &m->work->memo, text_key(id, as, style, AGE_ANYWHERE), at);
}

struct mean_text mean_text_define(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth)
{
    if (id == GRAPH_NIL || id >= m->g->nodes.n)
        return mean_word("?");
    if (graph_reads(m->g, id) != GRAPH_NIL)
        return mean_text_define(m, graph_reads(m->g, id), as, style, depth);
    const struct graph_node *n = graph_at(m->g, id);
    if (n->kind == UOP_CONST) {
        unsigned reader = style & MEAN_BITS ? (as & ~(unsigned)MEAN_AS_TYPE) | UOP_B32 : as;
        const char *text = mean_literal(m, n->imm, uop_type_bits((enum uop_type)n->type), reader);
        return (struct mean_text){text, text[0] == '-' ? PREC_UNARY : PREC_PRIMARY, false};
    }
    struct mean_text text = {"\xe2\x80\xa6", PREC_PRIMARY, true};
    uint32_t at, tied = m->work->tied;
    if (depth > MEAN_DEPTH_MAX) {
        m->work->tied++;
        return text;
    }
    if (mean_kept_text(m, id, as, style, &text))
        return text;
    if (!mean_open_text(m, id, as, style, &at)) /* under way: a loop's value met inside its own definition */
        return mean_word("?");
    enum mean_kind kind = mean_kind_text(m, id);
    unsigned width = uop_type_bits((enum uop_type)n->type);
    text = mean_print_node(m, id, natural_reader(kind, width, as), style, depth);
    text = mean_text_convert(m, text, kind, width, as);
    mean_keep_text(m, id, as, style, text, tied, at);
    return text;
}

/* The word for a node of a variable that is looked at from behind its loop, or for its old value when it has a new one
 * already; NULL: told as always. */
static const char *leaving_text(struct mean *m, graph_id id)
{
    struct mean_work *w = m->work;
    uint32_t at;
    if ((!w->view && !w->updated) || !map_u64_get(&w->leaving_of, id, &at))
        return NULL;
    const struct mean_leaving *l = &w->leaving.p[at];
    w->tied++;
    if (l->within && w->updated && map_u64_get(&w->leaving_of, l->named, &at) && w->leaving.p[at].updated)
        return l->within;
    if (!w->view)
        return NULL;
    for (uint32_t c = w->view - 1; c;) { /* + 1 */
        if (c - 1 == l->cycle)
            return NULL;
        int32_t parent = m->g->cycles->cycles.p[c - 1].parent;
        c = parent < 0 ? 0 : (uint32_t)parent + 1;
    }
    return l->text;
}

bool mean_set_leaving(struct mean *m, graph_id node, const char *text, uint32_t cycle, bool old, graph_id named,
                      const char *within)
{
    uint32_t at = (uint32_t)m->work->leaving.n;
    struct mean_leaving entry = {
        arena_strdup(m->a, text), within ? arena_strdup(m->a, within) : NULL, named, cycle, old, false};
    if (!entry.text || (within && !entry.within))
        return false;
    if (m->work->leaving.n == 0) { /* texts made so far did not know */
        m->work->memo = (struct map_u64){0};
        m->work->texts.n = 0;
    }
    VEC_PUSH(m->a, m->work->leaving, entry);
    return m->work->leaving.n == at + 1 && map_u64_put(m->a, &m->work->leaving_of, node, at);
}

bool mean_set_leaving_halves(struct mean *m, graph_id node, const char *text, uint32_t cycle, graph_id named)
{
    const struct graph_node n = *graph_at(m->g, node);
    if (n.kind != UOP_PAIR || n.type != UOP_B32)
        return true;
    for (unsigned k = 0; k < 2; k++) {
        unsigned type = graph_at(m->g, n.arg[k])->type;
        bool computed = graph_at(m->g, n.arg[k])->kind != UOP_CONST && graph_at(m->g, n.arg[k])->kind != UOP_LOAD;
        const char *as = type == UOP_F16 ? "half" : type == UOP_BF16 ? "bfloat16" : NULL;
        if (!as || !computed || map_u64_get(&m->work->leaving_of, n.arg[k], NULL))
            continue;
        const char *half = arena_printf(m->a, "as_%s(%s(%s))", as, k ? "hi" : "lo", text);
        if (!half || !mean_set_leaving(m, n.arg[k], half, cycle, false, named, NULL))
            return false;
    }
    return true;
}

void mean_look_from(struct mean *m, uint32_t block)
{
    const struct graph_cycles *c = m->g->cycles;
    m->work->view = block == UINT32_MAX || !c || !c->cycle_of ? 0 : c->cycle_of[block] + 1;
}

bool mean_set_updated(struct mean *m, graph_id node, bool updated)
{
    uint32_t at;
    if (!map_u64_get(&m->work->leaving_of, node, &at))
        return false;
    m->work->updated += updated && !m->work->leaving.p[at].updated;
    m->work->updated -= !updated && m->work->leaving.p[at].updated;
    m->work->leaving.p[at].updated = updated;
    m->work->updates++;
    return true;
}

struct mean_text mean_text_of(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth)
{
    uint32_t at;
    unsigned width = uop_type_bits((enum uop_type)graph_at(m->g, id)->type);
    if (map_u64_get(&m->name_of, id, &at))
        return mean_text_convert(m, mean_word(m->names.p[at].name), width == 64 ? KIND_S64 : KIND_S32, width, as);
    const struct graph_cycles *cycles = m->g->cycles;
    if (cycles && cycles->turn_of && id < cycles->copy_count && cycles->turn_of[id] != GRAPH_NIL)
        return mean_text_of(m, cycles->turn_of[id], as, style, depth + 1); /* never one of its own kind */
    if (map_u64_get(&m->work->low_of, id, &at) && at < m->names.n)
        return mean_text_convert(m, mean_piece(m, PREC_PRIMARY, "lo(%s)", m->names.p[at].name), KIND_S32, width, as);
    const char *left = leaving_text(m, id);
    if (left)
        return mean_text_convert(m, mean_word(left), mean_kind_of(m, id), width, as);
    if ((!(style & MEAN_EXPANDED) || map_u64_get(&m->variables, id, NULL)) && map_u64_get(&m->value_of, id, &at)) {
        const struct graph_node *n = graph_at(m->g, id);
        bool half = (n->kind == UOP_LO || n->kind == UOP_HI) && graph_at(m->g, n->arg[0])->kind == UOP_LOAD;
        bool element = n->kind == UOP_LOAD || n->kind == UOP_ELEMENT || half; /* says more than its id */
        if (!element || map_u64_get(&m->variables, id, NULL))
            return mean_text_convert(m, mean_word(m->value_ids.p[at]), mean_kind_of(m, id), width, as);
    }
    return mean_text_define(m, id, as, style, depth);
}

/* The way a node is read when its reader is not known. */
static unsigned reader_of(struct mean *m, graph_id id, enum uop_type as)
{
    if (as != UOP_VOID || id == GRAPH_NIL || id >= m->g->nodes.n)
        return as;
    enum mean_kind kind = mean_kind_of(m, id);
    if (kind == KIND_UNKNOWN || kind == KIND_B32 || kind == KIND_B64)
        return MEAN_AS_MOVED;
    return mean_kind_type(kind) | (mean_kind_is_unsigned(kind) ? MEAN_AS_UNSIGNED : 0u);
}

static const char *line_of(struct mean *m, const char *text, unsigned style)
{
    return style & MEAN_EXPANDED ? text : mean_shorten(m, text);
}

const char *mean_expr(struct mean *m, graph_id node, enum uop_type as, enum mean_style style)
{
    return line_of(m, mean_text_of(m, node, reader_of(m, node, as), style, 0).p, style);
}

const char *mean_definition(struct mean *m, graph_id node, enum uop_type as, enum mean_style style)
{
    return line_of(m, mean_text_define(m, node, reader_of(m, node, as), style, 0).p, style);
}

const char *mean_condition(struct mean *m, graph_id b1)
{
    return b1 == GRAPH_NIL ? NULL : mean_shorten(m, mean_text_define(m, b1, UOP_B1, MEAN_INNER, 0).p);
}

bool mean_set_value(struct mean *m, graph_id node, const char *id)
{
    char *copy = arena_strdup(m->a, id);
    uint32_t at = (uint32_t)m->value_ids.n;
    if (!copy)
        return false;
    VEC_PUSH(m->a, m->value_ids, copy);
    VEC_PUSH(m->a, m->value_nodes, node);
    m->work->epoch++;
    return m->value_ids.n == at + 1 && m->value_nodes.n == at + 1 && map_u64_put(m->a, &m->value_of, node, at);
}

bool mean_set_variable(struct mean *m, graph_id node, const char *id)
{
    return mean_set_value(m, node, id) && map_u64_put(m->a, &m->variables, node, 0);
}
