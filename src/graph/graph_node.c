/* Nodes of the value graph: creation with hash-consing, indices of users and defs, text for dumps. Two pure nodes with
 * the same operation and arguments are one node, so equality of values is equality of numbers. Flags that only say how
 * something was written (UOP_SWAPPED) are kept from the first maker and are no part of the identity. Gives nodes as
 * graph_simplify.c asks for them; nothing else creates nodes. */
#include "graph/graph_internal.h"

#include "base/str.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t node_key(const struct graph_node *n)
{
    uint64_t h =
        map_hash_mix(n->kind, (uint64_t)n->type | (uint64_t)n->round << 8 |
                                  (uint64_t)(n->flags & (unsigned)~UOP_SWAPPED) << 16 | (uint64_t)n->space << 24 |
                                  (uint64_t)n->order << 32 | (uint64_t)n->width << 40 | (uint64_t)n->arg_count << 48);
    h = map_hash_mix(h, n->imm);
    for (unsigned i = 0; i < n->arg_count; i++)
        h = map_hash_mix(h, n->arg[i]);
    return h;
}

static bool node_same(const struct graph_node *a, const struct graph_node *b)
{
    if (a->kind != b->kind || a->type != b->type || a->round != b->round || a->space != b->space ||
        a->order != b->order || a->width != b->width || a->arg_count != b->arg_count || a->imm != b->imm ||
        ((a->flags ^ b->flags) & (unsigned)~UOP_SWAPPED) != 0)
        return false;
    return memcmp(a->arg, b->arg, a->arg_count * sizeof a->arg[0]) == 0;
}

graph_id graph_intern(struct graph *g, const struct graph_node *node)
{
    uint64_t key = node_key(node);
    uint32_t id;
    /* Different nodes with one key step on to the next key. */
    while (map_u64_get(&g->hash, key, &id)) {
        if (node_same(&g->nodes.p[id], node))
            return id;
        key = map_hash_mix(key, 1);
    }
    id = graph_fresh(g, node);
    if (id != GRAPH_NIL && !map_u64_put(g->a, &g->hash, key, id))
        return GRAPH_NIL;
    return id;
}

graph_id graph_fresh(struct graph *g, const struct graph_node *node)
{
    size_t before = g->nodes.n;
    VEC_PUSH(g->a, g->nodes, *node);
    return g->nodes.n > before ? (graph_id)before : GRAPH_NIL;
}

void graph_init(struct graph *g, struct arena *a, const struct graph_env *env)
{
    static const struct graph_env no_env;
    *g = (struct graph){.a = a, .env = env ? env : &no_env};
    struct graph_node none = {.kind = UOP_UNDEF, .insn = UINT32_MAX};
    graph_fresh(g, &none);
}

void graph_forget_nodes(struct graph *g)
{
    g->nodes.n = 1;
    g->wanted.n = 0;
    map_u64_clear(&g->hash);
    map_u64_clear(&g->halves);
    map_u64_clear(&g->joined);
}

graph_id graph_const(struct graph *g, enum uop_type type, uint64_t bits)
{
    unsigned width = uop_type_bits(type);
    if (width < 64)
        bits &= (UINT64_C(1) << width) - 1;
    /* A constant is bits: float and integer spellings of one width are one node. */
    enum uop_type plain = width == 1    ? UOP_B1
                          : width == 8  ? UOP_B8
                          : width == 16 ? UOP_B16
                          : width == 64 ? UOP_B64
                                        : UOP_B32;
    struct graph_node n = {.kind = UOP_CONST, .type = (uint8_t)plain, .imm = bits, .insn = UINT32_MAX};
    return graph_intern(g, &n);
}

graph_id graph_sreg(struct graph *g, unsigned sreg)
{
    if (sreg == UOP_SR_ZERO)
        return graph_const(g, UOP_B32, 0);
    struct graph_node n = {.kind = UOP_SREG, .type = UOP_B32, .imm = sreg, .insn = UINT32_MAX};
    return graph_intern(g, &n);
}

int64_t graph_signed_const(const struct graph_node *n)
{
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    return bits >= 64 || bits == 0 ? (int64_t)n->imm : (int64_t)(n->imm << (64 - bits)) >> (64 - bits);
}

enum uop_type graph_type_of(const struct graph *g, graph_id id)
{
    return (enum uop_type)graph_at(g, id)->type;
}

/* ---- indices -------------------------------------------------------------------------------- */

/* Lists of one number each, laid out behind one another: starts[id] .. starts[id + 1]. */
struct graph_lists {
    uint32_t *starts, *items;
    size_t count;
};

static bool lists_begin(struct graph *g, struct graph_lists *l)
{
    l->count = g->nodes.n;
    l->starts = ARENA_ARRAY(g->a, uint32_t, l->count + 2);
    return l->starts != NULL;
}

static bool lists_layout(struct graph *g, struct graph_lists *l)
{
    uint32_t sum = 0;
    for (size_t i = 0; i <= l->count; i++) {
        uint32_t n = l->starts[i];
        l->starts[i] = sum;
        sum += n;
    }
    l->starts[l->count + 1] = sum;
    l->items = ARENA_ARRAY(g->a, uint32_t, sum);
    return l->items != NULL;
}

static void lists_rewind(struct graph_lists *l)
{
    memmove(l->starts + 1, l->starts, l->count * sizeof l->starts[0]);
    l->starts[0] = 0;
}

static const uint32_t *lists_of(const struct graph_lists *l, graph_id id, uint32_t *count)
{
    if (!l || id >= l->count) {
        *count = 0;
        return NULL;
    }
    *count = l->starts[id + 1] - l->starts[id];
    return l->items + l->starts[id];
}

struct graph_index {
    struct graph_lists users, defs;
};

static uint32_t node_args(const struct graph_node *n, const graph_id **args)
{
    *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
    return n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
}

void graph_index_users(struct graph *g)
{
    struct graph_index *x = ARENA_NEW(g->a, struct graph_index);
    if (!x || !lists_begin(g, &x->users) || !lists_begin(g, &x->defs))
        return;
    graph_id *last = ARENA_ARRAY(g->a, graph_id, g->nodes.n); /* user a node was last listed for */
    if (!last)
        return;
    for (int fill = 0; fill < 2; fill++) {
        memset(last, 0, g->nodes.n * sizeof last[0]);
        for (graph_id id = 1; id < g->nodes.n; id++) {
            const graph_id *args;
            uint32_t n = node_args(graph_at(g, id), &args);
            for (uint32_t i = 0; i < n; i++) {
                if (args[i] == GRAPH_NIL || last[args[i]] == id)
                    continue; /* `x + x` uses x once */
                last[args[i]] = id;
                if (fill)
                    x->users.items[x->users.starts[args[i]]++] = id;
                else
                    x->users.starts[args[i]]++;
            }
        }
        for (uint32_t d = 0; d < g->defs.n; d++) {
            const struct graph_node *n = graph_at(g, g->defs.p[d].node);
            graph_id whole = (n->kind == UOP_LO || n->kind == UOP_HI || n->kind == UOP_ELEMENT) ? n->arg[0] : GRAPH_NIL;
            graph_id wide = g->defs.p[d].wide;
            const graph_id of[3] = {g->defs.p[d].node, whole, wide == whole ? GRAPH_NIL : wide};
            for (int k = 0; k < 3; k++) {
                if (of[k] == GRAPH_NIL)
                    continue;
                if (fill)
                    x->defs.items[x->defs.starts[of[k]]++] = d;
                else
                    x->defs.starts[of[k]]++;
            }
        }
        if (!fill) {
            if (!lists_layout(g, &x->users) || !lists_layout(g, &x->defs))
                return;
        } else {
            lists_rewind(&x->users);
            lists_rewind(&x->defs);
        }
    }
    g->work = x;
}

const graph_id *graph_users(const struct graph *g, graph_id id, uint32_t *count)
{
    const struct graph_index *x = g->work;
    return lists_of(x ? &x->users : NULL, id, count);
}

const uint32_t *graph_defs_of(const struct graph *g, graph_id id, uint32_t *count)
{
    const struct graph_index *x = g->work;
    return lists_of(x ? &x->defs : NULL, id, count);
}

/* ---- text ----------------------------------------------------------------------------------- */

static const char *kind_text(unsigned kind)
{
    switch (kind) {
    case GRAPH_PHI: return "phi";
    case GRAPH_BOOL: return "bool";
    case GRAPH_ENTRY: return "entry";
    case GRAPH_RESULT: return "result";
    case GRAPH_TURN: return "turn";
    default: return uop_kind_text((enum uop_kind)kind);
    }
}

size_t graph_print(const struct graph *g, graph_id id, char *out, size_t size)
{
    static const char *const rounds[] = {"", ".rm", ".rp", ".rz", ".ra"};
    const struct graph_node *n = graph_at(g, id);
    char text[512];
    int at = snprintf(text, sizeof text, "%%%u = %s.%s%s%s%s%s", id, kind_text(n->kind),
                      uop_type_text((enum uop_type)n->type), rounds[n->round % 5], n->flags & UOP_FTZ ? ".ftz" : "",
                      n->flags & UOP_SAT ? ".sat" : "", n->flags & UOP_SWAPPED ? ".swapped" : "");
    const graph_id *args;
    uint32_t count = node_args(n, &args);
    for (uint32_t i = 0; i < count && at < (int)sizeof text - 48; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " %%%u", args[i]);
    if (n->kind == UOP_CONST || n->kind == UOP_CBANK || n->kind == GRAPH_BOOL || n->imm)
        snprintf(text + at, sizeof text - (size_t)at, " #0x%" PRIx64, n->imm);
    int length = snprintf(out, size, "%s", text);
    return length < 0 ? 0 : (size_t)length;
}
