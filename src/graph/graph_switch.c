/* Branches that go by a table: `switch` with many cases. Where such a branch goes is a word of the compiler's constants
 * (bank 2), chosen by a number: the word is read for every number there can be, and the condition of each way out is
 * that the number is one of those that lead there.
 *
 * requires: the node the branch goes to, ways out by the container's records · gives: a condition for each way, or that
 * it is not known: a word may lead elsewhere, or the number may be any */
#include "graph/graph_rules.h"
#include "graph/graph_values.h"

#include "base/bits.h"

enum { NUMBERS = 64, COMPILER_BANK = 2 };

/* target = base + the word at `at` + 4 * number; `top`: from there on all numbers are that one. */
struct table {
    graph_id number;
    uint64_t base;
    uint32_t at, count;
    bool top;
};

static bool strip_extension(const struct graph *g, graph_id *id)
{
    const struct graph_node *n = graph_at(g, *id);
    if ((n->kind != UOP_SEXT && n->kind != UOP_ZEXT) || n->imm != 32)
        return false;
    *id = n->arg[0];
    return true;
}

/* What a number is at most, and what of: min(x, c), x & c, or a few bits. */
static bool bound_of(struct graph *g, struct table *t)
{
    const struct graph_node n = *graph_at(g, t->number);
    uint64_t c;
    if (n.kind == UOP_MIN_U && graph_is_const(g, n.arg[1], &c) && c < NUMBERS) {
        t->number = n.arg[0];
        t->count = (uint32_t)c + 1;
        t->top = true;
        return true;
    }
    if (n.kind == UOP_AND && graph_is_const(g, n.arg[1], &c) && c < NUMBERS) {
        t->count = (uint32_t)c + 1;
        return true;
    }
    unsigned bits = graph_width_of(g, t->number);
    t->count = bits <= 6 ? UINT32_C(1) << bits : 0;
    return t->count != 0;
}

static bool open_table(struct graph *g, graph_id target, struct table *t)
{
    struct graph_sum s = {0};
    uint64_t c;
    graph_sum_add(g, &s, target, 0);
    if (s.overflow || s.count != 1)
        return false;
    *t = (struct table){.base = s.constant};
    graph_id word = s.term[0];
    strip_extension(g, &word);
    const struct graph_node n = *graph_at(g, word);
    if (n.kind != UOP_CBANK || n.space != COMPILER_BANK || n.arg_count != 1 || n.type != UOP_B32)
        return false;
    t->at = (uint32_t)n.imm;
    graph_id bytes = n.arg[0];
    const struct graph_node *scaled = graph_at(g, bytes);
    if (scaled->kind != UOP_MUL || !graph_is_const(g, scaled->arg[1], &c) || c != 4)
        return false;
    t->number = scaled->arg[0];
    return bound_of(g, t);
}

static graph_id is_number(struct graph *g, const struct table *t, uint32_t k)
{
    graph_id c = graph_const(g, UOP_B32, k);
    struct uop like = {.kind = UOP_IEQ, .type = UOP_B1, .imm = 32};
    if (!t->top || k + 1 < t->count)
        return graph_pure(g, &like, (graph_id[]){t->number, c}, 2);
    like.kind = UOP_ILT_U;
    return graph_not(g, graph_pure(g, &like, (graph_id[]){t->number, c}, 2));
}

bool graph_switch_edges(struct graph_builder *b, uint32_t block, graph_id target)
{
    struct graph *g = b->g;
    struct table t;
    for (uint32_t e = b->first_edge[block]; e < b->first_edge[block + 1]; e++)
        b->edge_when[e] = GRAPH_NIL;
    const uint8_t *bank = g->env && g->env->constant_bank ? g->env->constant_bank[COMPILER_BANK] : NULL;
    uint32_t bytes = bank && g->env->constant_bytes ? g->env->constant_bytes[COMPILER_BANK] : 0;
    if (!open_table(g, target, &t) || t.at > bytes || t.count > (bytes - t.at) / 4)
        return false;
    uint32_t way[NUMBERS];
    for (uint32_t k = 0; k < t.count; k++) {
        uint64_t to = t.base + (uint64_t)(int64_t)(int32_t)bits_le32(bank + t.at + 4 * (size_t)k);
        way[k] = UINT32_MAX;
        for (uint32_t e = b->first_edge[block]; e < b->first_edge[block + 1]; e++)
            if (b->flow->edges.p[e].indexed && g->insns.p[g->blocks.p[b->flow->edges.p[e].to].first].offset == to)
                way[k] = e;
        if (way[k] == UINT32_MAX)
            return false; /* the container's record and the table differ */
    }
    for (uint32_t e = b->first_edge[block]; e < b->first_edge[block + 1]; e++) {
        if (!b->flow->edges.p[e].indexed)
            continue;
        graph_id when = graph_false(g);
        for (uint32_t k = 0; k < t.count; k++)
            if (way[k] == e)
                when = graph_or(g, when, is_number(g, &t, k));
        b->edge_when[e] = when;
    }
    return true;
}
